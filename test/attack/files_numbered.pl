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
SELECT gaussdp.protect('hr.bulk', 'person', max_rows => 3), gaussdp.grant_budget('ana', 'hr.bulk', 1000, 1e-2);
SQL
$node->safe_psql('none', 'DELETE FROM hr.bulk WHERE person = 7');
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
	'one that ends with an error' => 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY filler) AS r FROM hr.bulk) AS s WHERE fails_xx000(r::int)');
foreach my $name (sort keys %level)
{
	is(between('one', $level{$name}), between('none', $level{$name}), "as many numbers lie between two files of one's own, whatever a level has written: $name");
}

$node->stop;
done_testing();
