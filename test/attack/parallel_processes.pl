# People whose rows several processes read: fewer processes than are planned, or more than there is work for, a cursor
# that is closed early, plans that are kept, a process that is late.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;
use Time::HiRes qw(time usleep);

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';

my $node = neighbours('parallel', "work_mem = '64kB'\nmin_parallel_table_scan_size = 0\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\nmax_parallel_workers_per_gather = 2\n", <<'SQL');
CREATE TABLE hr.visit (person int NOT NULL, ward text, cost float8);
INSERT INTO hr.visit SELECT CASE WHEN j % 2 = 0 THEN 7 ELSE 10 + j END, 'w' || j % 5, j % 100 FROM generate_series(1, 40000) j;
CREATE TABLE hr.long (person int NOT NULL, ward text NOT NULL);
SELECT gaussdp.protect(t, unit => 'person', max_rows => 5, max_groups => 3), gaussdp.grant_budget('ana', t, 1000, 1e-2) FROM unnest('{hr.visit,hr.long}'::regclass[]) t;
SQL
# Ways to ask: the same rows each time.
my $counts = 'SELECT ward, dp_sum(cost, 0.001, 1e-6, 0, 100) > -1e12 FROM hr.visit WHERE ward IS NOT NULL GROUP BY ward HAVING dp_keep_group(0.1, 1e-6)';
my $files = 'SELECT count(*) FROM pg_ls_dir(\'base/pgsql_tmp\', true, false)';

my $plain = Neighbours::run("$counts ORDER BY 1;", 'one');
is(scalar(() = $plain =~ /^w\d\|t$/mg), 5, 'all wards are answered');
my %way = (
	'no worker starts' => "SET max_parallel_workers = 0; $counts ORDER BY 1;",
	'no worker starts, and the leader was not to take part' => "SET max_parallel_workers = 0; SET parallel_leader_participation = off; $counts ORDER BY 1;",
	'one worker of two, without the leader' => "SET max_parallel_workers = 1; SET parallel_leader_participation = off; $counts ORDER BY 1;",
	'more workers than pages' => "SET max_parallel_workers_per_gather = 8; $counts ORDER BY 1;",
	'a prepared statement' => "PREPARE p AS $counts ORDER BY 1; SET plan_cache_mode = force_generic_plan; EXECUTE p;",
	'inside of a parallel query' => "SET force_parallel_mode = on; $counts ORDER BY 1;",
	'beside a table that several processes read' => "CREATE TABLE ana.mine AS SELECT generate_series(1, 20000) AS i; SELECT s.* FROM (SELECT count(*) AS n FROM ana.mine) m JOIN ($counts) s ON n = 20000 ORDER BY 1;",
	'a snapshot of the transaction' => "BEGIN ISOLATION LEVEL REPEATABLE READ; $counts ORDER BY 1; COMMIT;",
	'a function' => "CREATE FUNCTION pg_temp.f() RETURNS TABLE (w text, c bool) LANGUAGE plpgsql AS \$\$BEGIN RETURN QUERY $counts ORDER BY 1; END\$\$; SELECT * FROM pg_temp.f();");
foreach my $name (sort keys %way)
{
	my $seen = Neighbours::run($way{$name}, 'one');
	is(scalar(() = $seen =~ /^w\d\|t$/mg), 5, $name) || diag($seen);
}
my $again = Neighbours::run("PREPARE p AS $counts; EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p; EXECUTE p;", 'one');
is(scalar(() = $again =~ /^w\d\|t$/mg), 35, 'and seven times again') || diag($again);
my $cursor = Neighbours::run("BEGIN; DECLARE c CURSOR FOR $counts; FETCH 1 FROM c; CLOSE c; DECLARE d SCROLL CURSOR FOR $counts; FETCH 2 FROM d; FETCH BACKWARD 1 FROM d; COMMIT; SELECT 'ended';", 'one');
unlike($cursor, qr/ERROR|WARNING/, 'a cursor is closed after one row');
like($cursor, qr/^ended$/m, 'and the session goes on');
my $twice = Neighbours::run("SELECT count(*) FROM ($counts) a JOIN ($counts) b USING (ward); SELECT count(*) FROM generate_series(1, 3) i, LATERAL (SELECT * FROM ($counts) s LIMIT 1) l;", 'one');
like($twice, qr/^5\n3$/m, 'two levels in one statement, and one that is scanned three times') || diag($twice);
is($node->safe_psql('one', $files), '0', 'no file is left');

# While one process reads long values, another waits for it, and is stopped meanwhile.  Let go, it takes over the keys that the other
# has read; a cancel is answered all the same.
$node->safe_psql('one', 'INSERT INTO hr.long SELECT j, j || repeat(md5(j::text), 1000000) FROM generate_series(1, 10) j');
my $ana = $node->background_psql('one', on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
my $long = 'SELECT length(ward), dp_count(0.001, 1e-6) > -1e9 FROM (SELECT person, left(ward, 15000) AS ward FROM hr.long WHERE length(ward) > 0) s GROUP BY ward HAVING dp_keep_group(0.1, 1e-6)';
my $leader = $ana->query('SELECT pg_backend_pid()');
my $idle = "state = 'idle' FROM pg_stat_activity WHERE pid = $leader";
$ana->query('SET parallel_leader_participation = off');
my ($until, $stopped) = (time() + $PostgreSQL::Test::Utils::timeout_default, '');
# once more, where it has answered before anybody has seen that
foreach (1 .. 20)
{
	$ana->query_until(qr/running/, "\\echo running\n$long;\n");
	$stopped = $node->safe_psql('one', "SELECT coalesce((SELECT pid::text FROM pg_stat_activity WHERE leader_pid = $leader AND wait_event = 'Extension' LIMIT 1), (SELECT 't' FROM pg_stat_activity WHERE pid = $leader AND state = 'idle' AND query ~ 'dp_count'))")
	  while $stopped !~ /^[t\d]/ && time() < $until;
	last if $stopped ne 't';
	$ana->query('SELECT NULL');
	$stopped = '';
}
like($stopped, qr/^\d+$/, 'one process waits for the other');
kill 'STOP', $stopped or die "could not stop $stopped";
my $others = "SELECT count(*) FROM pg_stat_activity WHERE leader_pid = $leader AND pid <> $stopped";
usleep(50_000) until $node->safe_psql('one', $others) eq '0' || time() > $until;
is($node->safe_psql('one', $others), '0', 'which ends');
$node->safe_psql('one', "SELECT pg_cancel_backend($leader)");
kill 'CONT', $stopped;
ok($node->poll_query_until('one', "SELECT $idle"), 'a cancel is answered');
my $seen = $ana->query('SELECT 1') . $ana->{stderr};
like($seen, qr/57014/, '... by an error') || diag($seen);
$ana->quit;
is($node->safe_psql('one', $files), '0', 'no file is left');

$node->stop;
done_testing();
