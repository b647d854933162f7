# Temporary files of a session have numbers in a row, which errors and messages about later ones show: they do not tell how many a level has had.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
# Person 7 has forty rows of 6 kB, without which all fits into memory.
my $node = neighbours('numbers', "log_temp_files = 0\nmax_parallel_workers_per_gather = 0\n", <<"SQL");
CREATE FUNCTION fails_xx000(int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_fails';
CREATE TABLE hr.bulk (person int NOT NULL, filler text);
ALTER TABLE hr.bulk ALTER filler SET STORAGE PLAIN;
INSERT INTO hr.bulk SELECT i, repeat('w', 6000) FROM generate_series(1, 6) AS i;
INSERT INTO hr.bulk SELECT 7, repeat('w', 6000) FROM generate_series(1, 40);
SELECT gaussdp.protect('hr.bulk', 'person', max_rows => 3, people => 'bulk'), gaussdp.grant_budget('ana', 'hr.bulk', 1000, 1e-2);
-- Their pairs are many more than the rows of both tables.
CREATE TABLE hr.a (person int NOT NULL, x int);
CREATE TABLE hr.b (person int NOT NULL, x int);
INSERT INTO hr.a SELECT i, i FROM generate_series(1, 6) AS i UNION ALL SELECT 7, i FROM generate_series(1, 200) AS i;
INSERT INTO hr.b SELECT * FROM hr.a;
CREATE TABLE hr.lists (person int NOT NULL, list int[]);
INSERT INTO hr.lists SELECT i, '{1}' FROM generate_series(1, 6) AS i UNION ALL SELECT 7, array_fill(1, '{9000}') FROM generate_series(1, 5) AS i;
SELECT gaussdp.protect(t, 'person', max_rows => 3, people => 'bulk') FROM unnest('{hr.a,hr.b,hr.lists}'::regclass[]) AS t;
SQL
$node->safe_psql('none', "DELETE FROM hr.$_ WHERE person = 7") foreach 'bulk', 'a', 'b', 'lists';
my $own = 'SELECT count(*) FROM (SELECT g FROM generate_series(1, 20000) AS g ORDER BY g DESC OFFSET 0) AS s;';

# What stands between the numbers of two files of ana's own.
sub between
{
	my ($database, $sql) = @_;
	my $seen = Neighbours::run("SET client_min_messages = log; SET work_mem = '64kB'; $own $sql; $own", $database);
	my @numbers = $seen =~ m{temporary file: path "base/pgsql_tmp/pgsql_tmp\d+\.(\d+)"}g;
	return @numbers < 2 ? fail("$database: files have numbers") || diag($seen) : $numbers[-1] - $numbers[0];
}

my %level = (
	'rows of a person in an order' => 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY filler) AS r FROM hr.bulk) AS s WHERE r = 1',
	'rows that are weighed' => 'SELECT count(*) FROM (SELECT left(filler, 6000), dp_count(0.01, 1e-6) FROM hr.bulk GROUP BY 1 HAVING dp_keep_group(0.01, 1e-9)) AS s',
	'pairs of small tables' => 'SET work_mem = \'1MB\'; SELECT dp_count(0.01, 1e-6) > -1e9 FROM (SELECT a.person, row_number() OVER (PARTITION BY a.person ORDER BY a.x, b.x) AS r FROM hr.a AS a JOIN hr.b AS b ON b.person = a.person) AS s WHERE r = 1; SET work_mem = \'64kB\'',
	'elements of an array' => 'SET work_mem = \'1MB\'; SELECT dp_count(0.01, 1e-6) > -1e9 FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY e) AS r FROM (SELECT person, unnest(list) AS e FROM hr.lists) AS t) AS s WHERE r = 1; SET work_mem = \'64kB\'',
	'one that ends with an error' => 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY filler) AS r FROM hr.bulk) AS s WHERE fails_xx000(r::int)');
foreach my $name (sort keys %level)
{
	is(between('one', $level{$name}), between('none', $level{$name}), "as many numbers lie between two files of one's own, whatever a level has written: $name");
}

$node->stop;
done_testing();
