# Which pages a level reads is the same whatever its rows are: these drive out others, which EXPLAIN (ANALYZE, BUFFERS) of a role's own table
# counts, to the page.  Each query reads every page of its tables, and of their indexes what planning reads.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('buffers', "max_parallel_workers_per_gather = 0\nallow_in_place_tablespaces = on\nwal_skip_threshold = 0\n", <<'SQL');
CREATE EXTENSION pg_buffercache;
SET ROLE own;
CREATE TABLE hr.trip (id int PRIMARY KEY, person int NOT NULL, cost float8, pad char(300));
INSERT INTO hr.trip SELECT i, CASE WHEN i % 50 = 7 AND i < 1200 THEN 7 ELSE 1000 + i % 300 END, i, '' FROM generate_series(1, 2500) i;
CREATE INDEX ON hr.trip (person);
CREATE INDEX ON hr.trip USING brin (cost);
CREATE TABLE hr.who (id int PRIMARY KEY, name text UNIQUE, pad char(300));
INSERT INTO hr.who SELECT i, 'p' || i, '' FROM generate_series(1, 1300) i;
CREATE TABLE hr.log (day int NOT NULL, person int NOT NULL, pad char(300)) PARTITION BY RANGE (day);
CREATE TABLE hr.log_old PARTITION OF hr.log FOR VALUES FROM (0) TO (10);
CREATE TABLE hr.log_new PARTITION OF hr.log FOR VALUES FROM (10) TO (20);
INSERT INTO hr.log SELECT i % 20, i % 300, '' FROM generate_series(1, 1000) i;
RESET ROLE;
CREATE TABLE ana.key (person int PRIMARY KEY);
INSERT INTO ana.key VALUES (7);
GRANT SELECT ON ana.key TO ana;
SELECT gaussdp.protect(t, unit, people => 'staff', max_rows => n) FROM (VALUES ('hr.trip'::regclass, 'person', 3), ('hr.log', 'person', 3), ('hr.who', 'id', 1)) v(t, unit, n);
SELECT gaussdp.grant_budget('ana', 'hr.trip', 1000, 1e-2);
SQL
$node->safe_psql('postgres', "CREATE TABLESPACE other LOCATION ''");
$node->safe_psql('none', 'DELETE FROM hr.trip WHERE person = 7; DELETE FROM hr.who WHERE id = 7; DELETE FROM hr.log WHERE person = 7');
$node->safe_psql($_, 'VACUUM ANALYZE hr.trip; VACUUM ANALYZE hr.who; VACUUM ANALYZE hr.log') foreach 'one', 'none';

# What is in shared buffers after the query, when all files are new: of tables as a part of their pages, of indexes as a number of pages.
my @files = ((map { "TABLE hr.$_" } qw(trip who log_old log_new)), (map { "INDEX hr.$_" } qw(trip_pkey trip_person_idx trip_cost_idx who_pkey who_name_key)));
my %place;
sub pages
{
	my ($database, $settings, $query) = @_;

	$place{$database} = ($place{$database} // '') eq 'other' ? 'pg_default' : 'other';
	$node->safe_psql($database, join ';', map { "ALTER $_ SET TABLESPACE $place{$database}" } @files);
	my $answer = Neighbours::run("$settings; $query;", $database);
	like($answer, qr/^t$/m, "$database: an answer") || diag($answer);
	unlike($answer, qr/ERROR/, "$database: and no error");
	return $node->safe_psql($database, <<'SQL');
SELECT c.relname, CASE WHEN c.relkind = 'r' THEN round(count(b.bufferid) / (pg_relation_size(c.oid) / 8192.0), 3) ELSE count(b.bufferid) END
FROM pg_class c LEFT JOIN pg_buffercache b ON b.relfilenode = pg_relation_filenode(c.oid) AND b.relforknumber = 0 AND b.reldatabase = (SELECT oid FROM pg_database WHERE datname = current_database())
WHERE c.relnamespace = 'hr'::regnamespace AND c.relname ~ '^(trip|who|log_)' AND c.relkind IN ('r', 'i') GROUP BY c.oid, c.relname, c.relkind ORDER BY c.relname
SQL
}

# The same with and without person 7: all pages of these tables, and none of the others.
sub reads_all
{
	my ($name, $settings, $from, @tables) = @_;
	my ($one, $none) = map { pages($_, $settings, "SELECT dp_count(0.001, 1e-9) > -1e9 FROM $from") } 'one', 'none';
	my %read = $one =~ /^(\w+)\|(\S+)$/mg;

	is($one, $none, "$name: the same pages, whoever is there");
	is_deeply({ map { $_ => $read{$_} + 0 } qw(trip who log_old log_new) }, { (map { $_ => 0 } qw(trip who log_old log_new)), map { $_ => 1 } @tables }, "$name: all pages of @tables");
	return;
}

my $joins = 'SET enable_material = off; SET enable_seqscan = off';
my %way = (
	'nested loops' => "$joins; SET enable_hashjoin = off; SET enable_mergejoin = off",
	'hash joins' => "$joins; SET enable_nestloop = off; SET enable_mergejoin = off",
	'merge joins' => "$joins; SET enable_nestloop = off; SET enable_hashjoin = off");
my $parallel = 'SET max_parallel_workers_per_gather = 2; SET min_parallel_table_scan_size = 0; SET min_parallel_index_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0';

reads_all('a person', 'SET enable_seqscan = off', 'hr.trip WHERE person = 7 AND cost > -1', 'trip');
reads_all('a person, by bitmaps', 'SET enable_seqscan = off; SET enable_indexscan = off', 'hr.trip WHERE person = 7 OR cost < 20', 'trip');
reads_all('an index that has all columns', 'SET enable_seqscan = off; SET enable_bitmapscan = off', 'hr.trip WHERE person IN (7, 8)', 'trip');
reads_all('a person, in processes', "$parallel; SET enable_seqscan = off", 'hr.trip WHERE person = 7 AND cost > -1', 'trip');
reads_all('a partition', 'SET enable_seqscan = off', 'hr.log WHERE person = 7 AND day >= 12', 'log_new');
foreach my $name (sort keys %way)
{
	reads_all("$name, a public key", $way{$name}, 'hr.trip JOIN ana.key USING (person)', 'trip');
	reads_all("$name, a name", $way{$name}, "hr.who w JOIN hr.trip t ON t.person = w.id WHERE w.name = 'p7'", 'trip', 'who');
	reads_all("$name, an outer side that may be empty", $way{$name}, 'hr.who w LEFT JOIN hr.trip t ON t.person = w.id WHERE w.id = 7', 'trip', 'who');
}
reads_all('one person in both tables, as a constant', '', 'hr.trip t JOIN hr.who w ON t.person = w.id WHERE w.id = 7', 'trip', 'who');
reads_all('EXISTS', '', 'hr.who w WHERE id < 9 AND EXISTS (SELECT FROM hr.trip t WHERE t.person = w.id)', 'trip', 'who');
reads_all('a query of people', $way{'hash joins'}, '(SELECT person, count(*) AS n FROM hr.trip WHERE person < 9 GROUP BY person) s JOIN hr.who w ON w.id = s.person', 'trip', 'who');
reads_all('three tables, in processes', $parallel, 'hr.who w JOIN hr.trip t ON t.person = w.id JOIN hr.log l ON l.person = w.id WHERE w.id < 9 AND t.cost > 3', 'trip', 'who', 'log_old', 'log_new');
$node->stop;
done_testing();
