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
-- Each of these 1,842 words has a place of its own in a table of 2,048 groups; one group more, which person 7 alone is in, makes a table of 4,096, in
-- which all long words come before the short ones, so that the array of a sort's rows finds less memory at the 1,024th.
CREATE FUNCTION pg_temp.mixed(h bigint) RETURNS bigint LANGUAGE plpgsql AS \$\$
BEGIN
    h := h & 4294967295;
    h := (((h # (h >> 16))::numeric * 2246822507) % 4294967296)::bigint;
    h := (((h # (h >> 13))::numeric * 3266489909) % 4294967296)::bigint;
    RETURN h # (h >> 16);
END \$\$;
CREATE TABLE hr.word (person int PRIMARY KEY, word text COLLATE "C" NOT NULL);
INSERT INTO hr.word VALUES (7, 'of one');
INSERT INTO hr.word SELECT 20 * n + i, word FROM (SELECT row_number() OVER (ORDER BY place) AS n, word FROM (SELECT DISTINCT ON (place & 2047) place, word
    FROM (SELECT word, pg_temp.mixed(((pg_temp.mixed(-1) << 1) | (pg_temp.mixed(-1) >> 31)) # hashtext(word)) AS place
        FROM (SELECT 'k' || i || long AS word FROM generate_series(1, 8000) AS i, unnest(ARRAY['', repeat('w', 300)]) AS long) AS s) AS s
    WHERE (place & 2048 > 0) = (length(word) > 300)) AS s LIMIT 1842) AS s, generate_series(1, 20) AS i;
SELECT gaussdp.protect('hr.word', 'person', people => 'bulk');
SQL
$node->safe_psql('none', "DELETE FROM hr.$_ WHERE person = 7") foreach 'bulk', 'a', 'b', 'lists', 'word';
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
	map({ ("released groups that are sorted in $_ kB" => "SET hash_mem_multiplier = 1000; SET work_mem = $_; SELECT count(*) = 1842 FROM (SELECT word, dp_count(5, 1e-6) FROM hr.word GROUP BY word HAVING dp_keep_group(5, 1e-6)) AS s; SET work_mem = '64kB'") } 420, 500, 600, 800),
	'one that ends with an error' => 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY filler) AS r FROM hr.bulk) AS s WHERE fails_xx000(r::int)');
foreach my $name (sort keys %level)
{
	is(between('one', $level{$name}), between('none', $level{$name}), "as many numbers lie between two files of one's own, whatever a level has written: $name");
}

$node->stop;
done_testing();
