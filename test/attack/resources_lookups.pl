# A look-up in the catalogs needs locks, buffers and memory: whatever some row makes a process of a level look up, it has looked up before its first one.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = neighbours('lookups', '', <<"SQL");
CREATE FUNCTION is_prepared(int) RETURNS bool IMMUTABLE LEAKPROOF PARALLEL SAFE LANGUAGE C AS '$lib', 'test_is_prepared';
CREATE TYPE hr.size AS ENUM ('small', 'large');
CREATE TABLE hr.shop (id int PRIMARY KEY, town text COLLATE "de-x-icu", street text COLLATE "fr-x-icu", size hr.size, sizes hr.size[], names text[], open int4range, doc jsonb, area numeric, code bpchar, at timestamptz,
    price money, note text, number uuid);
ALTER TABLE hr.shop ALTER note SET STORAGE EXTERNAL, SET (parallel_workers = 2);
INSERT INTO hr.shop SELECT i, 't' || i, 's', 'small', '{small}', '{a,b}', '[1,5)', '{"a": "x"}', i, 'c', '2020-01-01', 3, repeat('q', 9000), gen_random_uuid() FROM generate_series(1, 9) AS i;
CREATE TABLE hr.buys (person int NOT NULL, shop int, kind text COLLATE "de-x-icu", cost float8, number uuid);
ALTER TABLE hr.buys SET (parallel_workers = 2);
INSERT INTO hr.buys SELECT i % 9 + 1, i, 'k' || i % 3, i, gen_random_uuid() FROM generate_series(1, 27) AS i;
SELECT gaussdp.protect('hr.shop', 'id', people => 'staff', change_unit => true), gaussdp.protect('hr.buys', 'person', max_rows => 3, people => 'staff'), gaussdp.protect('hr.emp', 'id', people => 'staff', change_unit => true);
SELECT gaussdp.grant_budget('ana', 'hr.shop', 1000, 1e-2), gaussdp.grant_budget('ana', 'hr.buys', 1000, 1e-2);
SQL

my $parallel = 'SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2; SET parallel_leader_participation = off;';
my $alone = 'SET max_parallel_workers_per_gather = 0;';
my $all = join ' AND ', map { "($_) IS NOT NULL" } "lower(town) = 'x'", "street < 'z'", 'size < \'large\'', "'small' = ANY (sizes)", "'a' = ANY (names)", 'open @> 2', "doc ->> 'a' < 'x'", 'area / 3 > 1',
	"code < 'x'", 'extract(year FROM at) > 3', 'price / 2 > 1::money', 'length(note) > 3', "note COLLATE \"de-x-icu\" < 'z'", "area::text || town <> 'x'", "greatest(town, street COLLATE \"de-x-icu\") < 'x'", "town LIKE 'a%'", "number::text <> 'x'";
my $count = 'SELECT dp_count(0.01, 1e-6) > -1e9 FROM';
my %query = (
	'expressions' => "$count hr.shop WHERE is_prepared(id) AND $all",
	'keys' => 'SELECT count(*) FROM (SELECT town, street, size, dp_count(0.01, 1e-6) FROM hr.shop WHERE is_prepared(id) GROUP BY 1, 2, 3 HAVING dp_keep_group(0.01, 1e-9)) AS s',
	'keys of people who own many rows' => 'SELECT count(*) FROM (SELECT kind, dp_count(0.01, 1e-6), dp_sum(cost, 0.01, 1e-6, 0, 9) FROM hr.buys WHERE is_prepared(person) GROUP BY 1 HAVING dp_keep_group(0.01, 1e-9)) AS s',
	'what is in a document' => "$count hr.shop WHERE is_prepared(id) AND doc -> 'a' = '1'",
	'values of a person that are distinct' =>
	  "$count (SELECT person, kind, count(DISTINCT number) AS n FROM hr.buys WHERE is_prepared(person) GROUP BY person, kind) AS s WHERE n > 0 AND is_prepared(n::int)",
	'windows that go on with an order' => "$count (SELECT person, row_number() OVER (PARTITION BY person ORDER BY number) AS r, rank() OVER (PARTITION BY person ORDER BY number, cost) AS s"
	  . ' FROM hr.buys WHERE is_prepared(person)) AS b WHERE r = 1 AND s = 1 AND is_prepared(r::int)',
	'values' => 'SELECT dp_count(DISTINCT kind, 0.01, 1e-6) > -1e9 FROM hr.buys WHERE is_prepared(person)',
	'the side of a join that is sorted second' => "$count (SELECT person, row_number() OVER (PARTITION BY person ORDER BY cost) AS r FROM hr.buys WHERE is_prepared(person)) AS a"
	  . ' JOIN (SELECT person, row_number() OVER (PARTITION BY person ORDER BY number) AS r FROM hr.buys WHERE is_prepared(person)) AS b USING (person) WHERE a.r = 1 AND b.r = 1');
foreach my $name (sort keys %query)
{
	foreach my $settings ($alone, $parallel)
	{
		my $seen = Neighbours::run("SET client_min_messages = warning; $settings $query{$name};", 'one');
		like($seen, qr/^(t|\d+)\n+$/, "nothing is looked up after the first row: $name, $settings") || diag($seen);
	}
}

# What a level has left in the caches is forgotten after it is paid for, in a way that needs nothing.
$node->safe_psql('one', "CREATE FUNCTION rereads() RETURNS int LANGUAGE C AS '$lib', 'test_rereads'");
my $seen = Neighbours::run("SELECT rereads(); BEGIN; $query{values}; SELECT count(*) FROM pg_locks WHERE locktype = 'virtualxid' AND pid = pg_backend_pid(); SELECT rereads(); COMMIT; DISCARD ALL; SELECT rereads()", 'one');
like($seen, qr/^0\nt\n1\n0\n0\n$/, 'nothing is read anew at the end of a level') || diag($seen);

$node->stop;
done_testing();
