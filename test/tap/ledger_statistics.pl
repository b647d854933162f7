# What an on-call engineer sees while charges hang: who waits, for how long, on what, and what became of each.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ledger_server('statistics', "max_connections = 40\n");
my $charge = "SELECT charge('emp')";
my $is_17 = $node->safe_psql('postgres', 'SELECT current_setting($$server_version_num$$)::int >= 170000') eq 't';
my ($charging, $idle) = $is_17 ? ('GaussdpCharge', 'GaussdpLedgerMain') : ('Extension', 'Extension');
$node->safe_psql('postgres', 'CREATE ROLE prometheus LOGIN IN ROLE pg_monitor');

# Runs a query as the exporter does.
sub seen
{
	my ($query) = @_;
	my ($status, $out, $err) = $node->psql('d', $query, extra_params => [ '-U', 'prometheus' ]);

	is($err, '', "read without an error: $query") if $err ne '';
	return $out;
}

# How often ana's sessions were told each outcome that was told at all.
sub outcomes
{
	return seen("SELECT string_agg(outcome || ' ' || charges, ', ' ORDER BY outcome) FROM gaussdp.stat_charges WHERE role = 'ana' AND charges > 0");
}

is(seen('SELECT queued, committing, longest_wait FROM gaussdp.stat_queue'), '0|0|0', 'nobody waits');
ana($node, $charge);
is(outcomes(), 'charged 1', 'a charge');
is(seen('SELECT count(*) FROM gaussdp.stat_queue q JOIN pg_stat_activity a ON a.pid = q.worker AND a.backend_type = $$gaussdp ledger$$ AND worker_started >= backend_start'),
	'1', 'the worker is told by its process');
wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'gaussdp ledger' AND state = 'idle' AND wait_event_type = 'Extension' AND wait_event = '$idle')");
pass('and its wait has a name');

# Somebody holds the lock on the budget
my $dba = $node->background_psql('d');
$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
my @waiting = map { start_ana($node, '-c', "SET gaussdp.charge_timeout = '10min'", '-c', $charge) } 1 .. 3;
wait_until($node, '(SELECT queued + taken = 3 AND longest_wait > 0.2 FROM gaussdp.stat_queue)');
is(seen("SELECT count(*), count(DISTINCT pid), bool_and(state IN ('queued', 'taken')), bool_and(waited >= 0) FROM gaussdp.stat_sessions WHERE role = 'ana'"), '3|3|t|t', 'three sessions wait');
# Between two looks at its charge a session waits for nothing.
wait_until($node, "(SELECT count(*) = 3 FROM gaussdp.stat_sessions s JOIN pg_stat_activity a USING (pid) WHERE a.usename = 'ana' AND a.state = 'active' AND a.wait_event = '$charging')");
pass('on a charge, as pg_stat_activity says');
is(outcomes(), 'charged 1', 'of whom nothing is told yet');
like((ana($node, "SET gaussdp.charge_timeout = '300ms'; $charge"))[2], qr/could not charge/, 'one more gives up');
$node->safe_psql('d', 'SELECT pg_cancel_backend(pid) FROM gaussdp.stat_sessions ORDER BY pid LIMIT 1');
wait_until($node, '(SELECT count(*) = 2 FROM gaussdp.stat_sessions)');
$node->safe_psql('d', 'SELECT pg_terminate_backend(pid, 180000) FROM gaussdp.stat_sessions ORDER BY pid LIMIT 1');
wait_until($node, '(SELECT count(*) = 1 FROM gaussdp.stat_sessions)');
$dba->query_safe('ROLLBACK');
$dba->quit;
finish_ana($_) foreach @waiting;
is(outcomes(), 'cancelled 2, charged 2, timed out 1', 'a timeout, a cancel, an end of a session, and a charge');
is(seen('SELECT charges FROM gaussdp.stat_latency WHERE within = $$infinity$$'), '2', 'the histogram has what was charged');
cmp_ok(seen('SELECT charges FROM gaussdp.stat_latency WHERE within = 0.1'), '<', 2, 'and that one took long');
cmp_ok(seen('SELECT seconds FROM gaussdp.stat_latency LIMIT 1'), '>', 0.2, 'as the sum of seconds says');

# A synchronous standby is missing
standby_missing($node);
my $unknown = start_ana($node, '-c', $charge);
wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'gaussdp ledger' AND wait_event = 'SyncRep')");
kill_worker($node);
like((finish_ana($unknown))[1], qr/08007/, 'nobody knows whether this is charged');
is(outcomes(), 'cancelled 2, charged 2, timed out 1, unknown 1', 'which is counted');
standby_given_up($node);

# Counters are of one database, and begin at zero with the server
$node->safe_psql('postgres', 'CREATE DATABASE e');
$node->safe_psql('e', 'CREATE EXTENSION gaussdp');
is($node->safe_psql('e', 'SELECT (SELECT count(*) FROM gaussdp.stat_charges), (SELECT max(charges) FROM gaussdp.stat_latency), (SELECT count(*) FROM gaussdp.stat_sessions)'), '0|0|0', 'another database has its own');
$node->restart;
is(outcomes(), '', 'a restart begins anew');
$node->adjust_conf('postgresql.conf', 'shared_preload_libraries', "''");
$node->restart;
is(seen('SELECT (SELECT count(*) FROM gaussdp.stat_charges), (SELECT count(*) FROM gaussdp.stat_latency), (SELECT queued FROM gaussdp.stat_queue), (SELECT count(*) FROM gaussdp.stat_budgets)'), '0|0|0|4',
	'where the library was not preloaded, budgets are there and nothing is counted');
$node->stop;
done_testing();
