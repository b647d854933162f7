# What the tests of the ledger share: a server with budgets, and charges made by the tests' own module.
package LedgerTest;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use Initial;
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

our @EXPORT = qw(ledger_server charge_function spent journal ana start_ana finish_ana kill_worker start_again awaken waits standby_missing standby_given_up
  wait_until make_load under_load lost consistent);

# Every limit of time here is this one, which tells a hang from a slow machine.
my $limit = $PostgreSQL::Test::Utils::timeout_default;
$ENV{PGCTLTIMEOUT} //= $limit;

# Declares charge(), which pays as the current role, and private_error(), which then reports an error of a private query.
sub charge_function
{
	my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
	return <<SQL;
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 10, delta float8 = 0, n int = 1)
  RETURNS int AS '$lib', 'test_charge' LANGUAGE C VOLATILE;
CREATE FUNCTION private_error(tables regclass[], state text = '22012')
  RETURNS void AS '$lib', 'test_private_error' LANGUAGE C VOLATILE;
SQL
}

# A server with database d, where ana may charge table emp, and bob table pay.
sub ledger_server
{
	my ($name, $conf) = @_;
	my $function = charge_function();
	my $node = PostgreSQL::Test::Cluster->new($name);

	start_with($node, <<SQL, sub { $node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\n" . ($conf || '')) }, allows_streaming => 1);
CREATE ROLE ana LOGIN;
CREATE ROLE bob LOGIN;
CREATE DATABASE d TEMPLATE template0 ENCODING \$\$UTF8\$\$ LOCALE \$\$C\$\$;
\\connect d
CREATE EXTENSION gaussdp;
CREATE TABLE emp (id int PRIMARY KEY);
CREATE TABLE pay (id int PRIMARY KEY);
$function
SELECT gaussdp.protect('emp', 'id'), gaussdp.protect('pay', 'id');
SELECT gaussdp.grant_budget('ana', 'emp', 20, 1e-6), gaussdp.grant_budget('bob', 'pay', 20, 1e-6);
SQL
	OnePsql::keep() if defined &OnePsql::keep;
	return $node;
}

# What ana (or, with holder p, the population) has spent on emp, in units of 2^-52.
sub spent
{
	my ($node, $holder) = (@_, 'r');
	return $node->safe_psql('d', "SELECT coalesce(sum(spent_mu2), 0) FROM gaussdp_internal.ledger_account"
		  . " WHERE holder = '$holder' AND relation = 'emp'::regclass");
}

# How many releases the journal holds; with a condition, only those.
sub journal
{
	my ($node, $condition) = (@_, 'true');
	return $node->safe_psql('d', "SELECT coalesce(sum(times), 0) FROM gaussdp.journal WHERE event = 'charge' AND $condition");
}

# Runs SQL as ana; exit code, output, errors.
sub ana
{
	my ($node, $sql) = @_;
	return $node->psql('d', $sql, extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
}

# Starts psql as ana with these arguments (or as another, with -U); finish_ana waits for it and returns output and errors.
sub start_ana
{
	my ($node, @arguments) = @_;
	my $session = { out => '', err => '' };

	$session->{run} = IPC::Run::start(
		[ 'psql', '-XAt', '-v', 'VERBOSITY=verbose', '-U', 'ana', '-d', $node->connstr('d'), @arguments ],
		'<', '/dev/null', '>', \$session->{out}, '2>', \$session->{err}, IPC::Run::timeout($limit));
	return $session;
}

sub finish_ana
{
	my ($session) = @_;
	$session->{run}->finish;
	return ($session->{out}, $session->{err});
}

sub kill_worker
{
	my ($node) = @_;
	return $node->safe_psql('postgres',
		"SELECT count(pg_terminate_backend(pid, ${limit}000)) FROM pg_stat_activity WHERE backend_type = 'gaussdp ledger'");
}

# A field of a process' status, as Linux shows it; empty when it is gone.
sub process_status
{
	my ($pid, $field) = @_;
	open my $status, '<', "/proc/$pid/status" or return '';
	my ($value) = join('', <$status>) =~ /^\Q$field\E:\s*(\S+)/m;
	return $value // '';
}

# Starts a server that was killed, once its last backends have seen that the postmaster is gone. A postmaster that process 1
# has not reaped keeps its number, by which the next one would take it for alive: its lock file is removed. Whether backends
# are left is decided by their shared memory, with or without that file.
sub start_again
{
	my ($node) = @_;
	my $file = $node->data_dir . '/postmaster.pid';
	my $until = time() + $limit;

	while (1)
	{
		my ($pid) = -e $file ? split(/\n/, slurp_file($file)) : ();
		unlink $file if defined $pid && process_status($pid, 'State') eq 'Z';
		return if $node->start(fail_ok => 1);
		$node->{_pid} = undef;
		die 'the server does not start again' if time() > $until;
		usleep(100_000);
	}
	return;
}

# Waits until a session of ana's waits for the ledger; false where it ends before that.
sub waits
{
	my ($node, $session, $query) = (@_, '');
	my $until = time() + $limit;

	while (time() < $until)
	{
		return 1 if $node->safe_psql('d', "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge') AND query ~ '$query')") eq 't';
		return 0 unless $session->{run}->pumpable;
		$session->{run}->pump_nb;
		usleep(50_000);
	}
	die 'the session neither waits nor ends';
}

# Does something that wakes up a process, and waits until the process has seen to it: it sleeps again, or is gone.
sub awaken
{
	my ($pid, $act) = @_;
	my $sleeps = sub { return process_status($pid, 'voluntary_ctxt_switches') };
	my $before = $sleeps->();
	my $until = time() + $limit;

	$act->();
	usleep(10_000) while $sleeps->() eq $before && time() < $until;
	return;
}

# From here on each commit waits for a standby that is not there. It is the checkpointer who lets the others know, some time
# after a reload: a commit that waits shows that it has.
sub standby_missing
{
	my ($node) = @_;
	my $commits = PostgreSQL::Test::Utils::tempdir() . '/commits.sql';

	append_to_file($commits, "SET application_name = 'commits';\n" . "SELECT pg_logical_emit_message(true, '', '');\n" x 100_000);
	$node->append_conf('postgresql.conf', "synchronous_standby_names = 'nobody'");
	$node->reload;
	my $probe = start_ana($node, '-U', $node->safe_psql('d', 'SELECT current_user'), '-o', '/dev/null', '-f', $commits);
	wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE application_name = 'commits' AND wait_event = 'SyncRep')");
	$node->safe_psql('d', "SELECT pg_terminate_backend(pid, ${limit}000) FROM pg_stat_activity WHERE application_name = 'commits'");
	finish_ana($probe);
	return;
}

# Commits wait no longer, and those that waited go on.
sub standby_given_up
{
	my ($node) = @_;

	$node->append_conf('postgresql.conf', "synchronous_standby_names = ''");
	$node->reload;
	wait_until($node, "NOT EXISTS (SELECT FROM pg_stat_activity WHERE wait_event = 'SyncRep')");
	return;
}

# Waits until a query in database d is true.
sub wait_until
{
	my ($node, $query) = @_;
	if ($node->isa('PostgreSQL::Test::BackgroundPsql'))
	{
		$node->query_safe("DO \$wait\$ BEGIN WHILE NOT (SELECT $query) LOOP PERFORM pg_sleep(0.01), pg_stat_clear_snapshot(); END LOOP; END \$wait\$");
		return;
	}
	$node->poll_query_until('d', "SELECT $query") or die "never came true: $query";
	return;
}

# For under_load: a second database of the same server, with the same tables and budgets of its own; and what is run.
my ($superuser, $load, $archive, $flood);
my $next = 1000;    # the next charge's sigma, by which the journal tells it from the others

sub make_load
{
	my ($node) = @_;

	$node->safe_psql('postgres', 'CREATE DATABASE e TEMPLATE d');
	$superuser = $node->safe_psql('postgres', 'SELECT current_user');
	($load, $archive, $flood) = map { PostgreSQL::Test::Utils::tempdir() . "/$_.sql" } 'load', 'archive', 'flood';
	# Charges without end, archive runs, and equal charges: psql stops when the server is gone.
	append_to_file($load, join('', map { "SELECT 'charged ' || :first + $_ FROM charge('emp', 0.001, :first + $_);\n" } 0 .. 4999));
	# Those beside the charges leave them most of the processor, but in the long forms.
	my $pause = $ENV{GAUSSDP_FULL} || $ENV{GAUSSDP_ROUNDS} ? '' : "SELECT pg_sleep(0.005);\n";
	append_to_file($archive, "SELECT gaussdp.archive_journal(now() - interval '1 minute', 50);\n$pause" x 1000);
	append_to_file($flood, "SELECT charge('emp', 1e-9, 1);\n$pause" x 20000);
	return;
}

# Four sessions under load, two of them in each database; $stop ends it, some time after the first charge and the first run of the archive. Returns the charges that were acknowledged.
sub under_load
{
	my ($node, $stop) = @_;
	my @sessions;

	foreach my $database ('d', 'e', 'd', 'e')
	{
		push @sessions, start_ana($node, '-d', $node->connstr($database), '-v', "first=$next", '-f', $load);
		$next += 5000;
	}
	# Beside them the journal is archived, and somebody asks the same thing again and again.
	my @beside = (start_ana($node, '-U', $superuser, '-f', $archive), start_ana($node, '-f', $flood));
	$sessions[0]{run}->pump until $sessions[0]{out} =~ /charged/;
	$beside[0]{run}->pump until $beside[0]{out} =~ /^\d+$/m;
	usleep(int(rand(300_000)));
	$stop->();
	my @acknowledged = map { (finish_ana($_))[0] =~ /^charged (\d+)$/mg } @sessions;
	finish_ana($_) foreach @beside;
	return @acknowledged;
}

# How many of these charges does the journal of neither database know?
sub lost
{
	my ($node, @charges) = @_;
	my $known = 0;

	$known += $node->safe_psql($_, "SELECT count(DISTINCT r.sigma) FROM (SELECT releases FROM gaussdp_internal.journal_entry UNION ALL SELECT releases FROM gaussdp_internal.journal_archive) AS j,"
		  . " gaussdp_internal.releases(j.releases) AS r WHERE r.sigma IN (0" . join('', map { ", $_" } @charges) . ")") foreach 'd', 'e';
	return @charges - $known;
}

# Does the budget say what the journal says?
sub consistent
{
	my ($node, $name) = @_;

	foreach my $database ('d', 'e')
	{
		is($node->safe_psql($database, 'SELECT count(*) > 0 AND bool_and(agrees) FROM gaussdp.verify_journal()'), 't', "$name in $database");
	}
	is($node->safe_psql('d', 'SELECT count(*) > 0 AND bool_and(agrees) FROM gaussdp.verify_archive()'), 't', "$name, and what was archived is whole");
	return;
}

1;
