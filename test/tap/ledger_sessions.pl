# Errors of levels that run at the same time: once one of them has suspended the role, all that still run about these people end
# as suspended, whatever they have found. Nothing here is done by time: a level goes on when the test lets it.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = ledger_server('sessions', "max_connections = 60\ngaussdp.charge_timeout = '10min'\n");
my $sessions = 5;
# A superuser has promised too much: the function fails.
$node->safe_psql('d', <<SQL);
CREATE FUNCTION waits(int, int, bool) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_waits';
CREATE FUNCTION hurries(int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_hurries';
INSERT INTO emp VALUES (1), (2), (3);
INSERT INTO pay VALUES (1), (2), (3);
SQL
my $dba = $node->background_psql('d');
$dba->query_safe('SET client_min_messages = warning');

# A level that waits for its key, and then fails or answers; all are started when the others wait.
sub level
{
	my ($key, $fails, $table, $and) = @_;
	return "SELECT 'answer' FROM (SELECT dp_count(0.0001, 1e-6) AS n FROM @{[ $table || 'emp' ]} WHERE waits(id, $key, @{[ $fails ? 'true' : 'false' ]}) @{[ $and || '' ]}) AS l WHERE n IS NOT NULL";
}

# How many of ana's levels, and of bob's, wait for their key
sub wait_for
{
	my ($n) = @_;
	wait_until($dba, "(SELECT count(*) = $n FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)");
	return;
}

sub close_keys
{
	$dba->query_safe('SELECT pg_advisory_unlock_all(); SELECT pg_advisory_lock(i) FROM generate_series(1, 99) AS i');
	return;
}

sub open_key
{
	$dba->query_safe("SELECT pg_advisory_unlock(i) FROM unnest(ARRAY[@{[ join ', ', @_ ]}]) AS i");
	return;
}

sub setting
{
	my ($name, $value) = @_;
	$dba->query_safe("ALTER ROLE ana SET gaussdp.$name = $value");
	return;
}

sub resume
{
	$dba->query_safe("SELECT gaussdp.resume_budget('ana', 'emp')");
	return;
}

# answer, or the SQLSTATE with all that is said
sub outcome
{
	my ($session) = @_;
	my ($out, $err) = finish_ana($session);
	$err =~ s/^LOCATION:.*\n//mg;
	return $out eq '' ? $err : $out;
}

sub counted
{
	my ($column) = @_;
	return $dba->query_safe("SELECT coalesce(sum($column), 0) FROM gaussdp_internal.error_count WHERE role = 'ana'::regrole");
}

my $suspended = qr/\AERROR:  42501: the privacy budget of this role is suspended\nDETAIL:  .*What this query costs has been charged\.\nHINT:  .*resume_budget/;

# One after the other, in an order that is known: the second fails
{
	close_keys();
	my @levels = map { start_ana($node, '-c', level($_, $_ == 2 || $_ == 4)) } 1 .. $sessions;
	my $bob = start_ana($node, '-U', 'bob', '-c', level(99, 0, 'pay'));
	wait_for($sessions + 1);
	open_key(1);
	is(outcome($levels[0]), "answer\n", 'before the first error a level answers');
	open_key(2);
	my $first = outcome($levels[1]);
	like($first, $suspended, 'a level that fails says that the role is suspended');
	is(counted('errors'), 1, 'which is durable by then');
	my $row = "SELECT ctid, xmin, e FROM gaussdp_internal.error_count AS e WHERE role = 'ana'::regrole";
	my $written = $dba->query_safe($row);
	my $gone = "pid IN (SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND objid = $sessions AND NOT granted)";
	is($dba->query_safe("SELECT pg_terminate_backend(pid, 180000) FROM pg_stat_activity WHERE $gone"), 't', 'a session that is terminated while its level runs');
	like(outcome($levels[-1]), qr/closed the connection/, 'ends');
	# what the worker had to write it has written before it charges anybody
	is(outcome(start_ana($node, '-U', 'bob', '-c', level(100, 0, 'pay'))), "answer\n", 'another role is charged');
	is($dba->query_safe($row), $written, 'and nothing of the session that was terminated is written');
	open_key(3 .. $sessions - 1);
	my %outcomes = map { outcome($_) => 1 } @levels[ 2 .. $sessions - 2 ];
	is_deeply([ keys %outcomes ], [$first], 'and so do all others that run, one that fails as well as those that do not');
	is($dba->query_safe($row), $written, 'and nothing of them is written');
	is((ana($node, 'SELECT DISTINCT errors FROM gaussdp.my_budget WHERE suspended'))[1], 1, 'nor does the count tell that another one has failed');
	open_key(99);
	is(outcome($bob), "answer\n", 'another role answers about other people');
	like((ana($node, level(1, 0)))[2], qr/42501: .*the privacy budget of role "ana" for table "emp" is suspended.*Nothing was charged/s, 'afterwards nothing is charged');
	resume();
	is((ana($node, level(1, 0)))[1], 'answer', 'until the budget is resumed');
}

# All fail at once
foreach my $let_pass (0, 3)
{
	my %said;
	setting('max_private_errors', $let_pass);
	close_keys();
	my @levels = map { start_ana($node, '-c', level(50, 1)) } 1 .. $sessions;
	wait_for($sessions);
	open_key(50);
	$said{ outcome($_) =~ $suspended ? 'suspended' : 'failed' }++ foreach @levels;
	cmp_ok($said{failed} || 0, '<=', $let_pass, "of $sessions errors at once no more than $let_pass are told");
	is(($said{failed} || 0) + ($said{suspended} || 0), $sessions, 'all others say that the role is suspended');
	is(counted('errors'), $let_pass + 1, 'and no more are counted than suspend the role, which may read the count');
	$dba->query_safe('SELECT pg_advisory_unlock_all()');
	resume();
}

# An error that is let pass, and one that cannot be counted: levels that end meanwhile wait for it
foreach my $case ([ 'let pass', 1, qr/38000: the query over protected tables has failed/, qr/\Aanswer\n\z/ ], [ 'one too many', 0, $suspended, $suspended ])
{
	my ($name, $let_pass, $error, $other) = @$case;
	setting('max_private_errors', $let_pass);
	my $locker = $node->background_psql('d');
	close_keys();
	my @levels = map { start_ana($node, '-c', level($_, $_ == 1)) } 1, 2;
	wait_for(2);
	$locker->query_safe('BEGIN; SELECT FROM gaussdp_internal.error_count FOR UPDATE');
	open_key(1);
	wait_until($dba, "(SELECT count(*) = 1 FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge'))");
	open_key(2);
	wait_until($dba, "(SELECT count(*) = 2 FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge'))");
	pass("$name: a level that ends while an error is counted waits");
	$locker->query_safe('COMMIT');
	$locker->quit;
	like(outcome($levels[0]), $error, "$name: the error");
	like(outcome($levels[1]), $other, "$name: and the other level");
	$dba->query_safe('SELECT pg_advisory_unlock_all()');
	resume();
}
{
	my $locker = $node->background_psql('d');
	close_keys();
	my @levels = map { start_ana($node, '-c', level($_, $_ == 1, 'emp', $_ == 2 ? 'AND hurries(id)' : '')) } 1, 2;
	wait_for(2);
	$locker->query_safe('BEGIN; SELECT FROM gaussdp_internal.error_count FOR UPDATE');
	open_key(1);
	wait_until($dba, "(SELECT count(*) = 1 FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge'))");
	open_key(2);
	like(outcome($levels[1]), $suspended, 'a level whose time is up while nobody knows is not answered');
	$locker->query_safe('COMMIT');
	$locker->quit;
	outcome($levels[0]);
	$dba->query_safe('SELECT pg_advisory_unlock_all()');
	resume();
}

# Inside of functions and blocks
{
	close_keys();
	my $block = sub { "DO \$\$ BEGIN PERFORM 'x' FROM ($_[0]) AS q; RAISE WARNING 'answer'; EXCEPTION WHEN OTHERS THEN RAISE WARNING 'caught %', SQLSTATE; END \$\$" };
	my @levels = map { start_ana($node, '-c', 'PREPARE p AS ' . level($_, $_ == 1), '-c', "BEGIN; @{[ $block->(level($_, $_ == 1)) ]}; EXECUTE p") } 1, 2;
	wait_for(2);
	open_key(1);
	my (undef, $err) = finish_ana($levels[0]);
	open_key(2);
	foreach ($err, (finish_ana($levels[1]))[1])
	{
		like($_, qr/caught 42501.*ERROR:  42501/s, 'a block that catches the error is followed by no answer, nor is a prepared statement');
		unlike($_, qr/answer/, 'and says no more');
	}
	$dba->query_safe('SELECT pg_advisory_unlock_all()');
	resume();
}

# Cancels have a count of their own
sub while_running
{
	my ($act) = @_;
	close_keys();
	my $session = start_ana($node, '-c', level(1, 0));
	wait_for(1);
	$dba->query_safe("SELECT $act(pid) FROM pg_stat_activity WHERE usename = 'ana'");
	my $said = outcome($session);
	$dba->query_safe('SELECT pg_advisory_unlock_all()');
	return $said;
}
setting('max_private_cancels', 2);
my $cancelled = qr/\AERROR:  57014: .*\nDETAIL:  What it costs has been charged\.\n\z/;
like(while_running('pg_cancel_backend'), $cancelled, 'a level that is cancelled says what it has cost');
is(counted('cancels') . counted('errors'), '10', 'it counts as a cancel, and as no error');
like(while_running('pg_terminate_backend'), qr/closed the connection/, 'a session that is terminated while its level runs');
wait_until($dba, "(SELECT sum(cancels) = 2 FROM gaussdp_internal.error_count WHERE role = 'ana'::regrole)");
pass('counts as one');
is((ana($node, level(1, 0)))[1], 'answer', 'so many are let pass');
like(while_running('pg_cancel_backend'), $suspended, 'one more suspends');
like((ana($node, level(1, 0)))[2], qr/42501: .*is suspended/, 'nothing more is charged');
is($dba->query_safe("SELECT terms FROM gaussdp.journal WHERE event = 'suspend' ORDER BY charge DESC LIMIT 1"), 'cancels 3, max_private_cancels 2', 'the journal says why');
is($dba->query_safe("SELECT errors, cancels, suspended FROM gaussdp.budget WHERE paid_by = 'ana'"), '0|3|t', 'and so does the budget');
$dba->query_safe("UPDATE gaussdp_internal.error_count SET cancels_clear = cancels_clear - interval '24 hours', paused_until = paused_until - interval '24 hours'");
is((ana($node, level(1, 0)))[1], 'answer', '24 hours after the first one they are forgotten');
like(while_running('pg_cancel_backend'), $cancelled, 'and counted anew');
is(counted('cancels'), 1, 'from zero');

$dba->quit;
$node->stop;
done_testing();
