# gaussdp.stat_progress: how far a private query is, in blocks of its tables, for their owner and for pg_monitor, and what it never tells.
# Nothing here is done by time: the query stands at a row until the test lets it go on.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = ledger_server('progress', "max_parallel_workers_per_gather = 0\nautovacuum = off\ngaussdp.max_private_errors = 100\n");
$node->safe_psql('d', <<SQL);
CREATE FUNCTION waits(int, int, bool) RETURNS bool IMMUTABLE LEAKPROOF PARALLEL SAFE LANGUAGE C AS '$lib', 'test_waits';
CREATE ROLE own LOGIN;
CREATE ROLE other LOGIN;
CREATE ROLE watch LOGIN IN ROLE pg_monitor;
GRANT CREATE ON SCHEMA public TO own;
CREATE TABLE visit (id int NOT NULL, person int NOT NULL, cost int NOT NULL, note text);
INSERT INTO visit SELECT g, g % 200, g % 50, repeat('x', 200) FROM generate_series(1, 20000) g;
ALTER TABLE visit OWNER TO own;
SET ROLE own;
SELECT gaussdp.protect('visit', 'person', 100), gaussdp.grant_budget('ana', 'visit', 1000, 1e-3);
SQL
my $dba = $node->background_psql('d');
my $waits = "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)";
my $at_row = 'CASE WHEN id = 15000 THEN waits(id, 7, false) ELSE true END';
my ($block, $blocks) = split /\|/, $node->safe_psql('d', "SELECT split_part(trim('(' FROM ctid::text), ',', 1), pg_relation_size('visit') / 8192 FROM visit WHERE id = 15000");
cmp_ok($block, '>', 100, 'the row stands in the midst of the table');

sub seen_by
{
	my ($role, $columns) = @_;
	return $node->safe_psql('d', "SELECT @{[ $columns || 'count(*)' ]} FROM gaussdp.stat_progress", extra_params => [ '-U', $role ]);
}

# Starts a query of ana's, and waits until it stands at the row.
sub start_query
{
	my ($sql) = @_;
	$dba->query_safe('SELECT pg_advisory_lock(7)');
	my $session = start_ana($node, '-c', $sql);
	wait_until($node, $waits);
	return $session;
}

sub finish_query
{
	my ($session) = @_;
	$dba->query_safe('SELECT pg_advisory_unlock_all()');
	return finish_ana($session);
}

is(seen_by('watch'), 0, 'nothing runs');
my $query = "SELECT dp_count(1, 1e-6) > 0 FROM visit WHERE $at_row";
{
	my $session = start_query($query);
	wait_until($node, 'EXISTS (SELECT FROM gaussdp.stat_progress WHERE blocks_done > 0)');
	is(seen_by('watch', 'role, "table", phase, blocks_done, blocks_total'), "ana|visit|reading rows|$block|$blocks", 'pg_monitor sees the block at which the query is, of all of the table');
	is(seen_by('own', 'blocks_done'), $block, 'so does the owner of the table');
	is(seen_by('watch', 'pid = (SELECT pid FROM pg_stat_activity WHERE usename = $$ana$$)'), 't', 'by its process');
	is(seen_by($_), 0, "$_ sees nothing") foreach 'ana', 'bob', 'other';
	is($node->safe_psql('postgres', 'CREATE EXTENSION gaussdp; SELECT count(*) FROM gaussdp.stat_progress'), 0, 'nor does another database');
	is((finish_query($session))[0], "t\n", 'the query ends');
	is(seen_by('watch'), 0, 'and is not shown any more');
}

# However it ends, and whatever comes after it
foreach my $end ('cancel', 'terminate')
{
	my $session = start_query($query);
	wait_until($node, 'EXISTS (SELECT FROM gaussdp.stat_progress WHERE blocks_done > 0)');
	$node->safe_psql('d', "SELECT pg_${end}_backend(pid) FROM gaussdp.stat_progress");
	finish_query($session);
	is(seen_by('watch'), 0, "one that is ended by $end is not shown");
	is((ana($node, 'SELECT dp_count(1, 1e-6) > 0 FROM visit'))[1], 't', 'the next one runs');
}

# Rows of people, and groups
{
	my $session = start_query("SELECT dp_sum(CASE WHEN $at_row THEN cost END, 1, 1e-6, 0, 50) > 0 FROM visit");
	like(seen_by('watch', 'phase'), qr/^(reading rows|bringing rows of people together)$/, 'a query that weighs rows says what it does');
	finish_query($session);
	$session = start_query("SELECT dp_count(1, 1e-6) > 0 FROM (SELECT person, sum(cost) AS s, min(id) AS id FROM visit GROUP BY person) q WHERE waits(id, 7, false)");
	is(seen_by('watch', 'phase'), 'bringing rows of people together', 'one that groups them by people is behind the last row');
	finish_query($session);
}

# Parallel plans: the leader's memory of the scan is gone before the query ends
{
	my $session = start_query("SET max_parallel_workers_per_gather = 2; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET min_parallel_table_scan_size = 0; $query");
	is(seen_by('watch', 'blocks_done BETWEEN 0 AND blocks_total, blocks_total'), "t|$blocks", 'a parallel query is shown once');
	like((finish_query($session))[0], qr/^t$/m, 'and answers');
}

is($node->safe_psql('d', "SELECT has_table_privilege('other', 'gaussdp_internal.my_account', 'SELECT')"), 'f', 'nothing else is open');
$dba->quit;
$node->stop;
done_testing();
