# Errors inside of private queries are counted, whatever becomes of the session, the worker or the server: a count is
# durable before the error is heard of, or the role is charged nothing more until it is.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

# Few places for sessions, so that there are few for errors that nobody has written, too
my $node = ledger_server('errors', <<'CONF');
max_connections = 15
autovacuum_max_workers = 1
max_worker_processes = 4
max_wal_senders = 2
restart_after_crash = on
gaussdp.max_private_errors = 1000
gaussdp.max_private_cancels = 1000
gaussdp.charge_timeout = '10min'
CONF
my $error = "SELECT charge('emp', 0.001); SELECT private_error('{emp}')";
# The same error, for whose count alone the session waits so long: the charge before it is to be made, whatever the load.
my $error_within = "SELECT charge('emp', 0.001); SET gaussdp.charge_timeout = '%s'; SELECT private_error('{emp}')";
my $failed = qr/ERROR:  38000: a private query failed/;
# What is not known to be counted in time is told as a suspension.
my $undecided = qr/ERROR:  42501: the privacy budget of this role is suspended\nDETAIL: .*could not be counted in time/;
my $expected = 0;

# How many errors of ana on emp are counted
sub counted
{
	return $node->safe_psql('d', "SELECT coalesce(sum(errors), 0) FROM gaussdp_internal.error_count WHERE role = 'ana'::regrole AND relation = 'emp'::regclass");
}

# So many more have been counted since the last look.
sub counts
{
	my ($more, $name) = @_;

	$expected += $more;
	is(counted(), $expected, $name);
	return;
}

sub charges
{
	my ($name) = @_;
	my ($status, $out, $err) = ana($node, "SELECT charge('emp', 0.001)");
	is($out, 1, $name);
	return;
}

# The transaction, the session, the server
like((ana($node, $error))[2], $failed, 'an error leaves as another one');
counts(1, 'and is counted');
ana($node, "SELECT charge('emp', 0.001); BEGIN; SELECT private_error('{emp}')");
counts(1, 'ROLLBACK takes no error back');
ana($node, "DO \$\$ BEGIN FOR i IN 1 .. 3 LOOP BEGIN PERFORM charge('emp', 0.001), private_error('{emp}'); EXCEPTION WHEN OTHERS THEN END; END LOOP; END \$\$");
counts(3, 'nor does a subtransaction');
ana($node, "BEGIN READ ONLY; $error");
counts(1, 'READ ONLY keeps none from being counted');
ana($node, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1; $error");
counts(1, 'nor does REPEATABLE READ');
ana($node, 'SET default_transaction_read_only = on; ' . sprintf($error_within, '10ms'));
$node->poll_query_until('d', "SELECT errors = $expected + 1 FROM gaussdp_internal.error_count");
counts(1, 'nor a session that does not wait');
ana($node, "SELECT charge('emp', 0.001); SELECT private_error('{emp}', '$_')") foreach qw(57014 57P01);
counts(0, 'class 57 does not count');
is($node->safe_psql('d', "SELECT cancels FROM gaussdp_internal.error_count WHERE role = 'ana'::regrole AND relation = 'emp'::regclass"), 2, 'but as cancels');
ana($node, "SELECT charge('emp', 0.001); SELECT private_error('{emp}', '40P01')");
counts(1, 'class 40 does');
$node->restart;
counts(0, 'a restart loses nothing');
charges('and charges go on');
ana($node, $error);
$node->kill9;
start_again($node);
counts(1, 'kill -9 of the server loses none that was heard of');
{
	my $session = start_ana($node, '-c', "SELECT charge('emp', 0.001)", '-c', "SELECT private_error('{emp}')", '-c', 'SELECT pg_sleep(60)');
	wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event = 'PgSleep')");
	kill 'KILL', $node->safe_psql('d', "SELECT pid FROM pg_stat_activity WHERE usename = 'ana'");
	finish_ana($session);
	$node->poll_query_until('postgres', 'SELECT true');
	counts(1, 'nor does kill -9 of the session afterwards, after which the server starts anew');
}

# A count that waits, since somebody has locked the row
sub while_counting
{
	my ($act, @settings) = @_;
	my $dba = $node->background_psql('d', on_error_die => 0);

	$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.error_count FOR UPDATE');
	my $session = start_ana($node, map { ('-c', $_) } "SELECT charge('emp', 0.001)", @settings, "SELECT private_error('{emp}')");
	waits($node, $session, 'private_error') or diag('it has ended before it waits');
	$act->($session);
	$dba->query_safe('COMMIT');
	$dba->quit;
	return finish_ana($session);
}
{
	my ($out, $err) = while_counting(sub { });
	like($err, $failed, 'a count that must wait');
	counts(1, 'is made');

	while_counting(sub {
		is($node->safe_psql('d', "SELECT pg_terminate_backend(pid, 180000) FROM pg_stat_activity WHERE usename = 'ana'"), 't',
			'a session that is terminated while it waits ends before its time is up');
	});
	$node->poll_query_until('d', "SELECT errors = $expected + 1 FROM gaussdp_internal.error_count");
	counts(1, 'and its error is counted without it');

	($out, $err) = while_counting(sub {
		my ($session) = @_;
		my $pid = $node->safe_psql('d', "SELECT pid FROM pg_stat_activity WHERE usename = 'ana'");
		awaken($pid, sub { $node->safe_psql('d', "SELECT pg_cancel_backend($pid)") });
		ok($session->{run}->pumpable, 'a session that is cancelled while it waits goes on to wait');
	});
	counts(1, 'and its error is counted');

	# A timeout that comes before the wait begins counts nothing: a longer one then.
	for (my $timeout = 250; $timeout <= 64_000; $timeout *= 2)
	{
		while_counting(sub {
			wait_until($node, "NOT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND clock_timestamp() < query_start + interval '${timeout}ms')");
		}, "SET statement_timeout = '${timeout}ms'");
		last if counted() > $expected;
	}
	counts(1, 'nor does a timeout end the wait');

	while_counting(sub { kill_worker($node) });
	counts(1, 'when the worker is terminated meanwhile, another one counts, once');
}

# The worker cannot write it in time: the role is charged nothing until it has
{
	my $dba = $node->background_psql('d', on_error_die => 0);
	$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.error_count FOR UPDATE');
	my ($status, $out, $err) = ana($node, sprintf($error_within, '400ms'));
	like($err, $undecided, 'an error that cannot be counted in time leaves as a suspension');
	($status, $out, $err) = ana($node, "SET gaussdp.charge_timeout = '400ms'; $error");
	like($err, qr/55P03.*Nothing was charged/s, 'then the role is charged nothing');
	($status, $out, $err) = $node->psql('d', "SELECT charge('pay')", extra_params => [ '-U', 'bob' ]);
	is($out, 1, 'another role is');
	counts(0, 'while nothing is written');
	kill_worker($node);
	($status, $out, $err) = ana($node, "SET gaussdp.charge_timeout = '400ms'; $error");
	like($err, qr/55P03.*Nothing was charged/s, 'the next worker knows of it');
	$dba->query_safe('COMMIT');
	$dba->quit;
	charges('afterwards it is charged again');
	counts(1, 'and the error was counted before');
}

# Nor can it after an error of its own, however long that lasts
{
	$node->safe_psql('d', <<'SQL');
CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no'; END$$;
CREATE TRIGGER no BEFORE UPDATE ON gaussdp_internal.error_count FOR EACH ROW EXECUTE FUNCTION no();
SQL
	my $offset = -s $node->logfile;
	ana($node, sprintf($error_within, '400ms'));
	ok($node->poll_query_until('d', "SELECT count(*) = 0 FROM pg_stat_activity WHERE backend_type = 'gaussdp ledger'"),
		'a worker that cannot write does not stay for ever');
	like(slurp_file($node->logfile, $offset), qr/ERROR:  no\n/, 'the server\'s log says why');
	like((ana($node, "SET gaussdp.charge_timeout = '400ms'; $error"))[2], qr/55P03/, 'the role is charged nothing');
	$node->safe_psql('d', 'DROP TRIGGER no ON gaussdp_internal.error_count');
	charges('until it can');
	counts(1, 'and the error was counted before');
}

# No synchronous standby acknowledges
{
	my $dba = $node->background_psql('d');
	$dba->query_safe('SELECT pg_advisory_lock(1)');
	my $session = start_ana($node, '-c', "SELECT charge('emp', 0.001)", '-c', 'SELECT pg_advisory_lock_shared(1)', '-c', "SET gaussdp.charge_timeout = '400ms'", '-c', "SELECT private_error('{emp}')");
	wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event = 'advisory')");
	standby_missing($node);
	$dba->quit;
	my ($out, $err) = finish_ana($session);
	like($err, $undecided, 'an error while no standby answers');
	like((ana($node, "SET gaussdp.charge_timeout = '400ms'; SELECT charge('emp', 0.001)"))[2], qr/55P03|08007/, 'nothing more is charged');
	standby_given_up($node);
	charges('until they do');
	counts(1, 'the error is counted once');
}

# A count that waits is one too many
{
	my $dba = $node->background_psql('d', on_error_die => 0);
	$node->safe_psql('postgres', "ALTER ROLE ana SET gaussdp.max_private_errors = $expected");
	charges('at the limit charges go on');
	$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.error_count FOR UPDATE');
	ana($node, sprintf($error_within, '400ms'));
	my $session = start_ana($node, '-c', "SELECT charge('emp', 0.001)");
	wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge'))");
	$dba->query_safe('COMMIT');
	$dba->quit;
	like((finish_ana($session))[1], qr/42501.*is suspended.*Nothing was charged.*resume_budget/s,
		'a charge that has waited for the last error to be counted is refused');
	counts(1, 'which has suspended the role');
	$node->restart;
	like((ana($node, "SELECT charge('emp')"))[2], qr/42501.*is suspended/s, 'a restart does not end that');
	$node->kill9;
	start_again($node);
	like((ana($node, "SELECT charge('emp')"))[2], qr/42501.*is suspended/s, 'nor does a crash');
	$node->safe_psql('d', "SELECT gaussdp.resume_budget('ana', 'emp')");
	charges('but resume_budget does');
	$node->safe_psql('postgres', 'ALTER ROLE ana RESET gaussdp.max_private_errors');
}

# What cannot even be kept in shared memory
sub blocked
{
	my ($name) = @_;

	like((ana($node, "SELECT charge('emp')"))[2], qr/55000: errors of private queries of this role could not be counted.*until the server restarts/s,
		"$name: the role is charged nothing more");
	my ($status, $out, $err) = $node->psql('d', "SELECT charge('pay')", extra_params => [ '-U', 'bob' ]);
	is($out, 1, "$name: another role is");
	$node->restart;
	charges("$name: after a restart charges go on");
	return;
}
like((ana($node, "SELECT private_error('{emp}')"))[2], $undecided, 'an error about a table that was never charged is not told');
blocked('an error about a table that was never charged');
like((ana($node, "SELECT charge('emp', 0.001); SELECT private_error('{}')"))[2], $undecided, 'nor is one about no table');
blocked('an error about no table');
$node->safe_psql('d', <<'SQL');
SELECT format('CREATE TABLE t%s (id int PRIMARY KEY)', i) FROM generate_series(1, 60) AS i \gexec
SELECT count(gaussdp.protect(format('t%s', i)::regclass, 'id')), count(gaussdp.grant_budget('ana', format('t%s', i)::regclass, 1, 1e-6))
FROM generate_series(1, 60) AS i;
SQL
{
	my $dba = $node->background_psql('d', on_error_die => 0);
	my $tables = "'{" . join(',', map { "t$_" } 1 .. 60) . "}'";
	$dba->query_safe('BEGIN; LOCK TABLE gaussdp_internal.error_count IN EXCLUSIVE MODE');
	like((ana($node, "SELECT charge(t, 0.001) FROM unnest(${tables}::regclass[]) AS t; SET gaussdp.charge_timeout = '400ms'; SELECT private_error($tables)"))[2],
		$undecided, 'errors about more people than there is room for');
	$dba->query_safe('COMMIT');
	$dba->quit;
	$node->poll_query_until('d', "SELECT count(*) > 10 FROM gaussdp_internal.error_count WHERE role = 'ana'::regrole AND relation <> 'emp'::regclass");
	blocked('no room');
}

$node->stop;
done_testing();
