# The ledger: nothing is overspent by sessions that race, nothing is lost when the server crashes (of standbys: ledger_failover.pl).
#
# GAUSSDP_ROUNDS=N makes N rounds of races and of crashes under load (make test-crash) instead of one race and two crashes; in the long form 3.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $rounds = $ENV{GAUSSDP_ROUNDS} || ($ENV{GAUSSDP_FULL} ? 3 : 2);
my $node = ledger_server('crash', "max_connections = 60\nfsync = on\ngaussdp.max_resource_errors = 1000000\n");
make_load($node);

# 32 sessions race on a budget for exactly 20 queries
{
	my $fit = 20;
	my $charge = "SELECT charge('pay')";
	my @bob = ('-U', 'bob', '-c', $charge);
	my $exact = 0;
	my $rounds = $ENV{GAUSSDP_ROUNDS} || ($ENV{GAUSSDP_FULL} ? 3 : 1);

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
			$node,
			sub {
				$agreeing += restored(), $restores++ if $round % 10 == 1;
				$round % 2 ? $node->kill9 : $node->stop('immediate');
			});

		start_again($node);
		$total += @acknowledged;
		$lost += lost($node, @acknowledged);
	}
	is($lost, 0, "kill -9 and immediate shutdown, $rounds rounds: no acknowledged charge is lost");
	cmp_ok($total, '>', 0, 'and there were some');
	is($agreeing, $restores, 'what is dumped under load agrees where it is restored');
	consistent($node, 'budget and journal agree');
	diag("ledger: the server was killed under load, $rounds rounds: $total charges of two databases acknowledged, $lost lost; $agreeing of $restores dumps of one under load agree where they are restored");
}

$node->stop;
done_testing();
