# The ledger: nothing is lost, nothing is overspent, nothing hangs.
#
# Charges are made by a function of the tests' own module; GAUSSDP_ROUNDS=N makes N rounds of races and
# of kill -9 under load (make test-crash) instead of 3.
use strict;
use warnings FATAL => 'all';

use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $rounds = $ENV{GAUSSDP_ROUNDS} || 3;

my $node = PostgreSQL::Test::Cluster->new('main');
$node->init(allows_streaming => 1);
$node->append_conf('postgresql.conf', <<'CONF');
shared_preload_libraries = 'gaussdp'
max_prepared_transactions = 5
max_connections = 60
restart_after_crash = on
fsync = on
CONF
$node->start;
$node->safe_psql('postgres', 'CREATE ROLE ana LOGIN; CREATE ROLE bob LOGIN; CREATE DATABASE d');
$node->safe_psql('d', <<SQL);
CREATE EXTENSION gaussdp;
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 10, delta float8 = 0, n int = 1)
  RETURNS int AS '$lib', 'test_charge' LANGUAGE C VOLATILE;
CREATE TABLE emp (id int PRIMARY KEY);
CREATE TABLE pay (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id'), gaussdp.protect('pay', 'id');
SELECT gaussdp.grant_budget('ana', 'emp', 20, 1e-6);
SQL

# units of 2^-52 that ana and the population have spent
sub spent
{
	my $holder = shift || 'r';
	return $node->safe_psql('d',
		"SELECT coalesce(sum(spent_mu2), 0) FROM gaussdp.pot WHERE holder = '$holder' AND relation = 'emp'::regclass");
}
sub journal
{
	return $node->safe_psql('d', "SELECT count(*) FROM gaussdp.journal_entry WHERE event = 'charge'");
}
# runs SQL as ana; exit code, output, errors
sub ana { return $node->psql('d', $_[0], extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose', @_[1 .. $#_] ]); }

my $cost = int(2**52 / 100) + 1;    # 1/100, rounded up
ana("SELECT charge('emp')");
my $one = spent();
ok($one >= 2**52 / 100 && $one <= $cost + 8, 'a charge costs (sensitivity / sigma)^2, rounded up');

# 4. Nothing is overspent
{
	$node->safe_psql('d', "SELECT gaussdp.grant_budget('bob', 'pay', 1, 1e-6)");
	my $fit = 20;
	my $sql = "UPDATE gaussdp.pot SET limit_mu2 = $fit * $one, spent_mu2 = 0 WHERE role = 'bob'::regrole";
	my $exact = 1;
	for my $round (1 .. $rounds)
	{
		$node->safe_psql('d', $sql);
		my (@running, @output);
		for my $i (0 .. 31)
		{
			$output[$i] = '';
			push @running, IPC::Run::start([ 'psql', '-XAt', '-U', 'bob', '-d', $node->connstr('d'),
					'-c', "SELECT charge('pay')" ], '>', \$output[$i], '2>', '/dev/null');
		}
		$_->finish foreach @running;
		$exact = 0 if $fit != grep { /^1$/ } @output;
	}
	ok($exact, "32 sessions on a budget for $fit: exactly $fit answers, $rounds rounds");
}
{
	my ($status, $out, $err) = ana("SELECT charge('emp', 0)");
	like($err, qr/22023/, 'a release without sensitivity never reaches the ledger');
	foreach my $bad ("'NaN'::float8", "'Infinity'::float8", '-1')
	{
		($status, $out, $err) = ana("SELECT charge('emp', $bad)");
		like($err, qr/22023/, "nor does one of $bad");
	}
	my $before = spent();
	ana("SELECT charge('emp', 1e-100)");
	is(spent() - $before, 1, 'a tiny release costs a unit');
}

# 3. kill -9 of the whole server under load: what was acknowledged is in the journal
{
	my $lost = 0;
	my $total = 0;
	my $load = PostgreSQL::Test::Utils::tempdir() . '/load.sql';
	append_to_file($load, "SELECT charge('emp', 0.001);\n" x 3000);
	for my $round (1 .. $rounds)
	{
		my $before = journal();
		my (@running, @output);
		for my $i (0 .. 3)
		{
			$output[$i] = '';
			push @running, IPC::Run::start([ 'psql', '-XAt', '-U', 'ana', '-d', $node->connstr('d'), '-f', $load ],
				'>', \$output[$i], '2>', '/dev/null');
		}
		usleep(200_000 + int(rand(300_000)));
		$node->stop('immediate') if $round % 3 == 0;
		$node->kill9 if $round % 3 != 0;
		$_->finish foreach @running;
		usleep(500_000);    # the old backends notice that the postmaster is gone
		for (1 .. 20)
		{
			last if $node->start(fail_ok => 1);
			$node->{_pid} = undef;
			usleep(500_000);
		}
		my $acknowledged = 0;
		$acknowledged += () = /^1$/mg foreach @output;
		$total += $acknowledged;
		$lost++ if journal() - $before < $acknowledged;
	}
	is($lost, 0, "kill -9 and immediate shutdown, $rounds rounds: no acknowledged charge is lost");
	cmp_ok($total, '>', 0, 'and there were some');
	diag("$total charges acknowledged");
}

# A standby refuses
$node->backup('base');
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'base', has_streaming => 1);
$standby->start;
my ($status, $out, $err) = $standby->psql('d', "SELECT charge('emp')", extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
like($err, qr/25006.*Nothing was charged/s, 'a standby refuses');
$node->append_conf('postgresql.conf', "synchronous_standby_names = '*'");
$node->reload;
usleep(500_000);
ana("SELECT charge('emp')") foreach 1 .. 5;
my $last = journal();
$node->kill9;
$standby->promote;
is($standby->safe_psql('d', "SELECT count(*) FROM gaussdp.journal_entry WHERE event = 'charge'"), $last,
	'a promoted synchronous standby has every acknowledged charge');
($status, $out, $err) = $standby->psql('d', "SELECT charge('emp')", extra_params => [ '-U', 'ana', '-v', 'VERBOSITY=verbose' ]);
is($out, '1', 'and charges');
$standby->stop('immediate');

done_testing();
