# The ledger: a standby refuses, and one that is promoted has every charge that its primary has acknowledged.
#
# GAUSSDP_ROUNDS=N makes N failovers under load (make test-crash) instead of 2; 3 in the long form.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $rounds = $ENV{GAUSSDP_ROUNDS} || ($ENV{GAUSSDP_FULL} ? 3 : 2);
my $primary = ledger_server('primary', "max_connections = 60\nfsync = on\nwal_keep_size = '64MB'\n");
my $number = 0;

make_load($primary);
# Sessions ask for less than the worker gives.
$primary->append_conf('postgresql.conf', "synchronous_standby_names = '*'\nsynchronous_commit = local");
$primary->reload;

# A standby of the primary, of its own copy; returns it once it is there.
sub standby_of
{
	my ($node) = @_;
	my $name = 'standby' . ++$number;
	my $standby = PostgreSQL::Test::Cluster->new($name);

	$node->backup($name, backup_options => ['--checkpoint=fast']);
	$standby->init_from_backup($node, $name, has_streaming => 1);
	PostgreSQL::Test::Utils::system_log('rm', '-rf', $node->backup_dir . "/$name");
	$standby->start;
	wait_until($node, "EXISTS (SELECT FROM pg_stat_replication WHERE state = 'streaming')");
	return $standby;
}

# Waits until the primary waits for its standby.
sub wait_for_sync
{
	my ($node) = @_;

	wait_until($node, "current_setting('synchronous_standby_names') = '*' AND EXISTS (SELECT FROM pg_stat_replication WHERE sync_state = 'sync')");
	return;
}

my $standby = standby_of($primary);

# A standby refuses
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

# The primary is killed under load, and its standby goes on; every second time the standby was away for the last moments.
my ($lost, $total, $agreeing) = (0, 0, 0);
for my $round (1 .. $rounds)
{
	wait_for_sync($primary);
	$primary->safe_psql('d', "UPDATE gaussdp_internal.journal_entry SET at = at - interval '1 hour'");
	my @acknowledged = under_load(
		$primary,
		sub {
			$standby->stop('immediate') if $round % 2 == 0;
			$primary->kill9;
		});
	my $next;

	$standby->start if $round % 2 == 0;
	$standby->promote;
	$total += @acknowledged;
	$lost += lost($standby, @acknowledged);
	$agreeing += 2 == grep { $standby->safe_psql($_, 'SELECT count(*) > 0 AND bool_and(agrees) FROM gaussdp.verify_journal()') eq 't' } 'd', 'e';
	$primary->clean_node;
	last if $round == $rounds;
	$next = standby_of($standby);
	($primary, $standby) = ($standby, $next);
}
is($lost, 0, "failover under synchronous replication, $rounds rounds: the promoted standby has every acknowledged charge");
cmp_ok($total, '>', 0, 'and there were some');
is($agreeing, $rounds, 'each time budget and journal agree');
consistent($standby, 'the last one says the same');
diag("ledger: a synchronous standby was promoted under load, $rounds rounds: $total charges of two databases acknowledged, $lost lost; budget and journal agreed in $agreeing");

$standby->append_conf('postgresql.conf', "synchronous_standby_names = ''");
$standby->reload;
wait_until($standby, "current_setting('synchronous_standby_names') = ''");
is((ana($standby, "SELECT charge('emp')"))[1], 1, 'and it charges');
$standby->stop;

done_testing();
