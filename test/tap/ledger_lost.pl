# The ledger: a charge that is interrupted is either made or not made, and nobody is told otherwise.
#
# Every charge here has a sigma of its own, by which the journal tells which of them were made.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IPC::Run;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $node = ledger_server('lost', "max_prepared_transactions = 5\nrestart_after_crash = on\ngaussdp.charge_timeout = '10min'\n");
my $dir = PostgreSQL::Test::Utils::tempdir();
my $next = 1000;    # the next charge's sigma

# Writes a script of charges, one on each line, and returns its name and the first line's sigma.
sub script
{
	my ($n, $line) = @_;
	my ($file, $first) = ("$dir/$next.sql", $next);

	append_to_file($file, join('', map { $line->($_, $next++) . "\n" } 1 .. $n));
	return ($file, $first);
}

# Compares what psql said of each line of a script with the journal.
sub check_lines
{
	my ($name, $first, $n, $out, $err) = @_;
	my %made = map { $_ => 1 } split /\n/,
	  $node->safe_psql('d', "SELECT DISTINCT sigma::int FROM gaussdp.journal WHERE sigma >= $first AND sigma < $first + $n");
	my (%said, @wrong);
	my $line = 0;

	$said{$_} = 'charged' foreach $out =~ /^charged (\d+)$/mg;
	foreach (split /\n/, $err)
	{
		$line = $1 if /^psql:[^:]*:(\d+): /;
		next unless $line;
		my $sigma = $first + $line - 1;
		$said{$sigma} = 'refused' if /ERROR:/ && !/57014/;
		$said{$sigma} //= 'interrupted' if /57014/;
		$said{$sigma} = 'not charged' if /Nothing was charged/;
		$said{$sigma} = 'unknown' if /is not known here/;
	}
	my %count;
	foreach my $sigma ($first .. $first + $n - 1)
	{
		my $said = $said{$sigma} || 'nothing';
		$count{$said}++;
		push @wrong, "$sigma: $said" if $said eq 'charged' && !$made{$sigma};
		push @wrong, "$sigma: $said, but made" if $made{$sigma} && $said =~ /^(not charged|refused)$/;
		push @wrong, "$sigma: $said" if $said eq 'refused';
	}
	is("@wrong", '', "$name: the journal agrees with what was said");
	diag("$name: " . join(', ', map { "$count{$_} $_" } sort keys %count));
	return \%count;
}

# A charge a line; work before it, and releases in it, spread the moments at which it is interrupted.
sub charge
{
	my ($sigma, $work, $releases) = @_;
	return "SELECT 'charged $sigma' FROM (SELECT count(*) FROM generate_series(1, $work)) AS w,"
	  . " LATERAL (SELECT charge('emp', 1e-3, $sigma, 0, $releases + 0 * count::int)) AS c;";
}

# How many lines and rounds are tried; all in the long form.
my ($lines, $rounds) = $ENV{GAUSSDP_FULL} ? (250, 10) : (100, 4);

# statement_timeout at every moment; once more, with twice the work before a charge, where that met none: machines differ
{
	my $met = 0;
	for (my $work = 23; $work < 1_000_000 && !$met; $work *= 2)
	{
		my ($file, $first) = script($lines, sub { charge($_[1], $work * $_[0], $_[0] % 2 ? 1 : 100) });
		my ($out, $err) = finish_ana(start_ana($node, '-q', '-c', "SET statement_timeout = '1ms'", '-f', $file));
		my $said = check_lines('statement_timeout', $first, $lines, $out, $err);
		$met = $said->{'not charged'} || $said->{unknown};
	}
	ok($met, 'some were interrupted while they were charged');
}

# pg_cancel_backend at random moments; once more where it met no charge
{
	my $met = 0;
	for (my $round = 0; $round < 10 && !$met; $round++)
	{
		my ($file, $first) = script($lines, sub { charge($_[1], 1, $_[0] % 2 ? 1 : 100) });
		my $session = start_ana($node, '-q', '-f', $file);
		$node->safe_psql('d', <<'SQL');
DO $$
DECLARE
  victim int;
  seen bool := false;
BEGIN
  FOR i IN 1 .. 20000 LOOP
    SELECT pid INTO victim FROM pg_stat_activity WHERE usename = 'ana';
    EXIT WHEN seen AND victim IS NULL OR i > 1000 AND seen;
    seen := seen OR victim IS NOT NULL;
    PERFORM pg_cancel_backend(victim), pg_sleep(0.003 * random());
    PERFORM pg_stat_clear_snapshot();
  END LOOP;
END
$$
SQL
		my $said = check_lines('pg_cancel_backend', $first, $lines, finish_ana($session));
		$met = $said->{'not charged'} || $said->{unknown};
	}
	ok($met, 'some were cancelled while they were charged');
}

# pg_terminate_backend at random moments, of the session or of the worker
{
	my @sessions;
	my ($lost, $said) = (0, 0);

	for my $round (1 .. $rounds)
	{
		my ($file, $first) = script(300, sub { charge($_[1], 1, 1) });
		my $session = start_ana($node, '-q', '-f', $file);
		my $victim = $round % 2 ? "usename = 'ana'" : "backend_type = 'gaussdp ledger'";

		usleep(20_000 + rand 60_000);
		$node->safe_psql('postgres', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE $victim");
		my ($out, $err) = finish_ana($session);
		my @acknowledged = $out =~ /^charged (\d+)$/mg;
		my $made = journal($node, "sigma IN (0" . join('', map { ", $_" } @acknowledged) . ")");
		$lost += @acknowledged - $made;
		$said += @acknowledged;
		# The last one may have been made before its session could say so.
		$lost++ if journal($node, "sigma >= $first") > @acknowledged + ($err =~ /ERROR|FATAL|server closed/ ? 1 : 0);
	}
	is($lost, 0, "pg_terminate_backend, $rounds rounds: no acknowledged charge is lost, no other one is made");
	cmp_ok($said, '>', 0, "and there were some");
}

# Nothing gives a charge back. A charge of 1 with sigma 10 costs 1/100, rounded up.
ana($node, "SELECT charge('emp')");
my $one = $node->safe_psql('d', "SELECT DISTINCT mu2 * 2.0::float8 ^ 52 FROM gaussdp.journal WHERE sigma = 10");
ok($one >= 2**52 / 100 && $one < 2**52 / 100 + 8, 'a charge costs (sensitivity / sigma)^2, rounded up');

# Runs SQL as ana, which makes so many charges.  What role and population have spent and the journal's releases are asked at once.
sub stands
{
	my ($name, $charges, $sql) = @_;
	my $standing = sub {
		return split ' ', $node->safe_psql('d', "SELECT concat_ws(' ', (SELECT sum(spent_mu2) FROM gaussdp_internal.ledger_account WHERE holder = 'r' AND relation = 'emp'::regclass),"
			  . " (SELECT sum(spent_mu2) FROM gaussdp_internal.ledger_account WHERE holder = 'p' AND relation = 'emp'::regclass), (SELECT sum(times) FROM gaussdp.journal WHERE event = 'charge'))");
	};
	my @before = $standing->();

	ana($node, $sql);
	my @after = $standing->();
	is(join(' ', map { $after[$_] - $before[$_] } 0 .. 2), join(' ', $charges * $one, $charges * $one, $charges), $name);
	return;
}

foreach my $way (
	[ 'ROLLBACK', 1, "BEGIN; SELECT charge('emp'); ROLLBACK" ],
	[ 'a savepoint', 2, "BEGIN; SELECT charge('emp'); SAVEPOINT s; SELECT charge('emp'); ROLLBACK TO s; ROLLBACK" ],
	[ 'an exception block', 3, "DO \$\$ BEGIN FOR i IN 1 .. 3 LOOP BEGIN PERFORM charge('emp'); RAISE division_by_zero;"
		  . " EXCEPTION WHEN division_by_zero THEN END; END LOOP; RAISE 'no'; END \$\$" ],
	[ 'READ ONLY', 1, "BEGIN READ ONLY; SELECT charge('emp'); COMMIT" ],
	[ 'READ ONLY, deferrable', 1, "BEGIN ISOLATION LEVEL SERIALIZABLE READ ONLY DEFERRABLE; SELECT charge('emp'); COMMIT" ],
	[ 'REPEATABLE READ', 2, "BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1; SELECT charge('emp'); SELECT charge('emp'); ROLLBACK" ],
	[ 'PREPARE TRANSACTION', 1, "BEGIN; SELECT charge('emp'); PREPARE TRANSACTION 'x'; ROLLBACK PREPARED 'x'" ],
	[ 'COMMIT PREPARED', 1, "BEGIN; SELECT charge('emp'); PREPARE TRANSACTION 'x'; COMMIT PREPARED 'x'" ],
	[ 'a cursor that is closed', 1, "BEGIN; DECLARE c CURSOR FOR SELECT charge('emp'); FETCH 1 FROM c; CLOSE c; ROLLBACK" ],
	[ 'synchronous_commit = off', 1, "SET synchronous_commit = off; SELECT charge('emp')" ])
{
	stands("$way->[0]: what was charged stands", $way->[1], $way->[2]);
}

# A prepared transaction would hold up all charges of the budgets that it has changed
foreach my $sql ("SELECT gaussdp.unprotect('emp')", 'DROP TABLE emp', "SELECT gaussdp.grant_budget('ana', 'emp', 30, 1e-6)", "SELECT gaussdp.reset_population_budget('emp')",
	"SAVEPOINT s; SELECT gaussdp.revoke_budget('ana', 'emp'); RELEASE s")
{
	my ($status, $out, $err) = $node->psql('d', "BEGIN; $sql; PREPARE TRANSACTION 'x'", extra_params => [ '-v', 'VERBOSITY=verbose' ]);

	like($err, qr/0A000: cannot PREPARE a transaction that has changed privacy budgets.*COMMIT/s, "$sql is not prepared");
	stands('and holds up no charge', 1, "SELECT charge('emp')");
}

# Settings of the database, of everybody and of the worker's own role
my @hostile = ('synchronous_commit = off', 'default_transaction_read_only = on', 'default_transaction_isolation = serializable',
	'default_transaction_deferrable = on', 'search_path = nowhere', 'statement_timeout = 1', 'lock_timeout = 1',
	'idle_in_transaction_session_timeout = 1', 'session_replication_role = replica', 'row_security = on',
	'enable_indexscan = off', 'enable_tidscan = off', 'enable_seqscan = off', "IntervalStyle = 'sql_standard'", "DateStyle = 'German'",
	"TimeZone = 'Pacific/Kiritimati'", 'standard_conforming_strings = off', 'transform_null_equals = on',
	'exit_on_error = on', "log_statement = 'all'", "client_encoding = 'LATIN1'");
foreach my $target ('DATABASE d', 'ROLE ALL', 'ROLE postgres IN DATABASE d')
{
	foreach my $settings ([ 'role = bob' ], \@hostile)
	{
		# The sessions of this test are spared.
		local $ENV{PGOPTIONS} = '-c role=none -c search_path=public -c statement_timeout=0 -c lock_timeout=0'
		  . ' -c default_transaction_read_only=off -c exit_on_error=off -c default_transaction_deferrable=off';
		$node->safe_psql('postgres', join(';', map { "ALTER $target SET $_" } @$settings));
		kill_worker($node);
		stands("ALTER $target SET " . (@$settings > 1 ? 'everything' : $settings->[0]) . ' changes nothing', 1,
			"SELECT charge('emp')");
		$node->safe_psql('postgres', "ALTER $target RESET ALL");
	}
}
OnePsql::keep(0) if defined &OnePsql::keep;
$node->safe_psql('postgres', "ALTER DATABASE d CONNECTION LIMIT 1 ALLOW_CONNECTIONS true");
kill_worker($node);
stands('a connection limit is none for the worker', 1, "SELECT charge('emp')");
OnePsql::keep() if defined &OnePsql::keep;
$node->safe_psql('postgres', "ALTER DATABASE d CONNECTION LIMIT -1");

# Somebody is killed while a charge waits for a locked budget
my $waiting = "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge'))";
sub while_waiting
{
	my ($kill) = @_;
	my $dba = $node->background_psql('d');

	$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
	my $session = start_ana($node, '-c', "SELECT charge('emp')");
	wait_until($node, $waiting);
	$kill->();
	$dba->query_safe('COMMIT');
	$dba->quit;
	return finish_ana($session);
}
{
	my $before = spent($node);
	my ($out, $err) = while_waiting(sub {
		$node->safe_psql('d', "SELECT pg_terminate_backend(pid, 180000) FROM pg_stat_activity WHERE usename = 'ana'");
	});
	like($err, qr/FATAL:  57P01.*Nothing was charged/s, 'a session that is terminated while it waits has charged nothing, and hears so');
	is(spent($node), $before, 'which is so');

	($out, $err) = while_waiting(sub { kill_worker($node) });
	is($out, "1\n", 'when the worker is terminated while a charge waits, another one commits it');
	is(spent($node) - $before, $one, 'once');
}

# Somebody is stopped while the worker waits for a standby: the charge is made, but who knows
foreach my $stop (
	[ 'the worker is terminated', '08007', sub { kill_worker($node) } ],
	[ 'the session is terminated', '57P01', sub { $node->safe_psql('d', "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ana'") } ],
	[ 'the session is cancelled', '57014', sub { $node->safe_psql('d', "SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'ana'") } ])
{
	my ($name, $sqlstate, $act) = @$stop;
	my $before = spent($node);

	standby_missing($node);
	my $session = start_ana($node, '-c', "SELECT charge('emp')");
	wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'gaussdp ledger' AND wait_event = 'SyncRep')");
	my $worker = $node->safe_psql('d', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'gaussdp ledger'");
	# a signal that it ignores wakes it up only with another one
	awaken($worker, sub { $node->safe_psql('d', "SELECT pg_cancel_backend($worker)"); kill 'HUP', $worker; });
	ok($session->{run}->pumpable, 'the worker cannot be cancelled while it waits for a standby');
	$act->();
	like((finish_ana($session))[1], qr/$sqlstate.*is not known here/s, "$name meanwhile: the outcome is unknown");
	standby_given_up($node);
	is(spent($node) - $before, $one, "$name meanwhile: it counts");
}

# kill -9 of the worker: the server starts anew
{
	my $before = spent($node);
	my $dba = $node->background_psql('d', on_error_die => 0);
	$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
	my $session = start_ana($node, '-c', "SELECT charge('emp')");
	wait_until($node, $waiting);
	my $worker = "FROM pg_stat_activity WHERE backend_type = 'gaussdp ledger'";
	wait_until($node, "EXISTS (SELECT $worker)");    # it may be starting
	kill 'KILL', $node->safe_psql('d', "SELECT pid $worker");
	my ($out, $err) = finish_ana($session);
	$dba->{run}->finish;
	unlike($out, qr/1/, 'kill -9 of the worker: nothing is released');
	$node->poll_query_until('postgres', 'SELECT true');
	is(spent($node), $before, 'nothing was charged');
	stands('and after the restart charges go on', 1, "SELECT charge('emp')");
}

$node->stop;
done_testing();
