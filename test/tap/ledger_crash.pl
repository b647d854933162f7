# The ledger: nothing is overspent by sessions that race, nothing is lost when the server crashes.
#
# GAUSSDP_ROUNDS=N makes N rounds of races and of crashes under load (make test-crash) instead of 3.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(usleep);

my $rounds = $ENV{GAUSSDP_ROUNDS} || 3;
my $node = ledger_server('crash', "max_connections = 60\nfsync = on\n");
my $load = PostgreSQL::Test::Utils::tempdir() . '/load.sql';
my $next = 1000;    # the next charge's sigma, by which the journal tells it from the others

# A second database of the same server, with the same tables and budgets of its own.
$node->safe_psql('postgres', 'CREATE DATABASE e TEMPLATE d');

# Charges without end, archive runs, and equal charges: psql stops when the server is gone.
my $superuser = $node->safe_psql('postgres', 'SELECT current_user');
my ($archive, $flood) = map { PostgreSQL::Test::Utils::tempdir() . "/$_.sql" } 'archive', 'flood';
append_to_file($archive, "SELECT gaussdp.archive_journal(now() - interval '1 minute', 50);\n" x 1000);
append_to_file($flood, "SELECT charge('emp', 1e-9, 1);\n" x 20000);
append_to_file($load, join('', map { "SELECT 'charged ' || :first + $_ FROM charge('emp', 0.001, :first + $_);\n" } 0 .. 4999));

# Four sessions under load, two of them in each database; $stop ends it, some time after the first answer. Returns the charges that were acknowledged.
sub under_load
{
	my ($stop) = @_;
	my @sessions;

	foreach my $database ('d', 'e', 'd', 'e')
	{
		push @sessions, start_ana($node, '-d', $node->connstr($database), '-v', "first=$next", '-f', $load);
		$next += 5000;
	}
	# Beside them the journal is archived, and somebody asks the same thing again and again.
	my @beside = (start_ana($node, '-U', $superuser, '-f', $archive), start_ana($node, '-f', $flood));
	$sessions[0]{run}->pump until $sessions[0]{out} =~ /charged/;
	usleep(int(rand(300_000)));
	$stop->();
	my @acknowledged = map { (finish_ana($_))[0] =~ /^charged (\d+)$/mg } @sessions;
	finish_ana($_) foreach @beside;
	return @acknowledged;
}

# How many of these charges does the journal of neither database know?
sub lost
{
	my ($server, @charges) = @_;
	my $known = 0;

	$known += $server->safe_psql($_, "SELECT count(DISTINCT r.sigma) FROM (SELECT releases FROM gaussdp_internal.journal_entry UNION ALL SELECT releases FROM gaussdp_internal.journal_archive) AS j,"
		  . " gaussdp_internal.releases(j.releases) AS r WHERE r.sigma IN (0" . join('', map { ", $_" } @charges) . ")") foreach 'd', 'e';

	return @charges - $known;
}

# Does the budget say what the journal says?
sub consistent
{
	my ($server, $name) = @_;
	foreach my $database ('d', 'e')
	{
		is($server->safe_psql($database, 'SELECT count(*) > 0 AND bool_and(agrees) FROM gaussdp.verify_journal()'), 't', "$name in $database");
	}
	is($server->safe_psql('d', 'SELECT count(*) > 0 AND bool_and(agrees) FROM gaussdp.verify_archive()'), 't', "$name, and what was archived is whole");
	return;
}

# 32 sessions race on a budget for exactly 20 queries
{
	my $fit = 20;
	my $charge = "SELECT charge('pay')";
	my @bob = ('-U', 'bob', '-c', $charge);
	my $exact = 0;

	finish_ana(start_ana($node, @bob));
	for my $round (1 .. $rounds)
	{
		$node->safe_psql('d', "UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 0, carried_mu2 = 0, term = term + 1, limit_mu2 = $fit *"
			  . " (SELECT min(mu2 / queries) FROM gaussdp_internal.journal_entry WHERE role = 'bob') WHERE role = 'bob'::regrole");
		my @sessions = map { start_ana($node, @bob) } 1 .. 32;
		$exact++ if $fit == grep { (finish_ana($_))[0] eq "1\n" } @sessions;
	}
	is($exact, $rounds, "32 sessions on a budget for $fit: exactly $fit answers, $rounds rounds");
	diag("ledger: 32 sessions raced for exactly $fit queries, $rounds rounds: exactly $fit answers in $exact");
}

# Dumps database d under load and restores it: does its budget say there what its journal says?
sub restored
{
	my $dump = PostgreSQL::Test::Utils::tempdir() . '/d.dump';
	my $agrees;

	run_log([ 'pg_dump', '-Fc', '-f', $dump, $node->connstr('d') ]) or die 'pg_dump failed';
	$node->safe_psql('postgres', 'CREATE DATABASE r');
	run_log([ 'pg_restore', '--exit-on-error', '-d', $node->connstr('r'), $dump ]) or die 'pg_restore failed';
	$agrees = $node->safe_psql('r', "SELECT count(*) FILTER (WHERE event = 'charge') > 0 FROM gaussdp.journal") eq 't'
	  && $node->safe_psql('r', 'SELECT count(*) > 0 AND bool_and(agrees) FROM gaussdp.verify_journal()') eq 't';
	$node->safe_psql('postgres', 'DROP DATABASE r WITH (FORCE)');
	return $agrees;
}

# kill -9 or immediate shutdown of the whole server under load; before that, now and then, a dump and its restore
{
	my ($lost, $total, $restores, $agreeing) = (0, 0, 0, 0);

	for my $round (1 .. $rounds)
	{
		$node->safe_psql('d', "UPDATE gaussdp_internal.journal_entry SET at = at - interval '1 hour'");
		my @acknowledged = under_load(
			sub {
				$agreeing += restored(), $restores++ if $round % 10 == 2;
				$round % 3 ? $node->kill9 : $node->stop('immediate');
			});

		for (1 .. 20)
		{
			last if $node->start(fail_ok => 1);
			$node->{_pid} = undef;
			usleep(500_000);    # the old backends have yet to notice that the postmaster is gone
		}
		$total += @acknowledged;
		$lost += lost($node, @acknowledged);
	}
	is($lost, 0, "kill -9 and immediate shutdown, $rounds rounds: no acknowledged charge is lost");
	cmp_ok($total, '>', 0, 'and there were some');
	is($agreeing, $restores, 'what is dumped under load agrees where it is restored');
	consistent($node, 'budget and journal agree');
	diag("ledger: the server was killed under load, $rounds rounds: $total charges of two databases acknowledged, $lost lost; $agreeing of $restores dumps of one under load agree where they are restored");
}

# A standby refuses; promoted after a crash under synchronous replication, it has every acknowledged charge
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
my ($status, $out, $err) = ana($standby, "SELECT charge('emp')");
like($err, qr/25006: cannot charge.*Nothing was charged.*Ask the primary/s, 'a standby refuses');
($status, $out, $err) = ana($standby, q{SELECT verdict, reason FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM emp')});
is($out, 'refused|this server is a standby, where no budget can be charged', '... and says so before');
foreach my $act ("grant_budget('ana', 'emp', 20, 1e-6)", "revoke_budget('ana', 'emp')", "set_population_budget('emp', 20, 1e-6)")
{
	($status, $out, $err) = $standby->psql('d', "SELECT gaussdp.$act", extra_params => [ '-v', 'VERBOSITY=verbose' ]);
	like($err, qr/25006: cannot change privacy budgets during recovery/, "$act on a standby");
	unlike($err, qr/CONTEXT|gaussdp_internal/, "$act on a standby shows nothing of the ledger's own queries");
}
$node->append_conf('postgresql.conf', "synchronous_standby_names = '*'\nsynchronous_commit = local");
$node->reload;
wait_until($node, "current_setting('synchronous_standby_names') = '*' AND EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')");
my @acknowledged = under_load(sub { $node->kill9 });
$standby->promote;
cmp_ok(scalar @acknowledged, '>', 0, 'charges are acknowledged under synchronous replication');
is(lost($standby, @acknowledged), 0, 'a promoted synchronous standby has every acknowledged charge');
consistent($standby, 'its budget and journal agree');
is((ana($standby, "SELECT charge('emp')"))[1], 1, 'and it charges');
$standby->stop('immediate');

done_testing();
