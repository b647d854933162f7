# What the tests of the ledger share: a server with budgets, and charges made by the tests' own module.
package LedgerTest;

use strict;
use warnings FATAL => 'all';

use Exporter 'import';
use IPC::Run;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

our @EXPORT = qw(ledger_server charge_function spent journal ana start_ana finish_ana kill_worker wait_until);

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

	$node->init(allows_streaming => 1);
	$node->append_conf('postgresql.conf', "shared_preload_libraries = 'gaussdp'\n" . ($conf || ''));
	$node->start;
	$node->safe_psql('postgres', 'CREATE ROLE ana LOGIN; CREATE ROLE bob LOGIN; CREATE DATABASE d TEMPLATE template0 ENCODING $$UTF8$$ LOCALE $$C$$');
	$node->safe_psql('d', <<SQL);
CREATE EXTENSION gaussdp;
CREATE TABLE emp (id int PRIMARY KEY);
CREATE TABLE pay (id int PRIMARY KEY);
$function
SELECT gaussdp.protect('emp', 'id'), gaussdp.protect('pay', 'id');
SELECT gaussdp.grant_budget('ana', 'emp', 20, 1e-6), gaussdp.grant_budget('bob', 'pay', 20, 1e-6);
SQL
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
		'<', '/dev/null', '>', \$session->{out}, '2>', \$session->{err}, IPC::Run::timeout($PostgreSQL::Test::Utils::timeout_default));
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
		'SELECT count(pg_terminate_backend(pid, 5000)) FROM pg_stat_activity WHERE backend_type = $$gaussdp ledger$$');
}

# Waits until a query in database d is true.
sub wait_until
{
	my ($node, $query) = @_;
	$node->poll_query_until('d', "SELECT $query") or die "never came true: $query";
	return;
}

1;
