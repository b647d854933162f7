# The ledger does not hang, and does not get in the way: whatever holds a charge up, there is an answer in
# time that says what became of it, other budgets go on, and the database can be renamed, copied and dropped.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;
use Time::HiRes qw(time usleep);

# A charge that did not keep to its session's charge_timeout would wait for the server's, far longer than anything here is waited for.
my $limit = $PostgreSQL::Test::Utils::timeout_default;
# Sessions that wait at once; the server admits eight more
my $many = $ENV{GAUSSDP_FULL} ? 32 : 12;
my $node = ledger_server('waits', "max_connections = @{[ $many + 8 ]}\ngaussdp.charge_timeout = '10min'\n");
my $charge = "SELECT charge('emp')";
my $wait = "SET gaussdp.charge_timeout = '600ms'";
ana($node, $charge);
my $one = spent($node);

# Runs SQL, as ana or a superuser, which is to fail when the session's time is up, with this message.
sub refused
{
	my ($name, $message, $sql, $role) = @_;
	$node->psql('d', $sql, stderr => \my $err, timeout => $limit, timed_out => \my $late, extra_params => [ '-U', $role || 'ana', '-v', 'VERBOSITY=verbose' ]);
	like($late ? 'never answered' : $err, $message, "$name: the message says what became of it");
	return;
}

# Is it charged now, and did nothing else come with it?
sub goes_on
{
	my ($name, $before) = @_;

	ana($node, $charge);
	is(spent($node) - $before, $one, "$name: afterwards only the next charge counts");
	return;
}

my $withdrawn = qr/ERROR:  55P03: could not charge.*Nothing was charged.*hold a lock on the budget/s;

# Another session is in the middle of a transaction
foreach my $sql ('SELECT FROM gaussdp_internal.ledger_account FOR UPDATE', 'SELECT FROM gaussdp_internal.ledger_account FOR KEY SHARE', 'UPDATE gaussdp_internal.ledger_account SET since = since',
	'LOCK TABLE gaussdp_internal.ledger_account', 'LOCK TABLE gaussdp_internal.journal_entry', "SELECT gaussdp.grant_budget('ana', 'emp', 20, 1e-6)")
{
	my $before = spent($node);
	my $dba = $node->background_psql('d');

	$dba->query_safe("BEGIN; $sql");
	refused($sql, $withdrawn, "$wait; $charge");
	$dba->query_safe('ROLLBACK');
	$dba->quit;
	goes_on($sql, $before);
}

# The caller itself holds the lock that the worker needs
$node->safe_psql('d', "CREATE ROLE root SUPERUSER LOGIN; SELECT gaussdp.grant_budget('root', 'emp', 20, 1e-6)");
foreach my $sql ('SELECT FROM gaussdp_internal.ledger_account FOR UPDATE', 'LOCK TABLE gaussdp_internal.ledger_account', 'LOCK TABLE gaussdp_internal.journal_entry',
	"SELECT gaussdp.grant_budget('root', 'emp', 20, 1e-6)", "SELECT gaussdp.reset_population_budget('emp')",
	"SELECT gaussdp.set_population_budget('emp', 20, 1e-6)", 'ALTER SEQUENCE gaussdp_internal.journal_number INCREMENT BY 1',
	'LOCK TABLE pg_catalog.pg_authid')
{
	my $before = spent($node);

	kill_worker($node) if $sql =~ /pg_authid/;    # a new one cannot even start then
	refused("$sql by the caller", $withdrawn, "$wait; BEGIN; $sql; $charge", 'root');
	is(spent($node), $before, "$sql by the caller: nothing is charged");
}
goes_on('the caller', spent($node));

# The worker does not hold a lock while it waits for another: it would be the DBA who has to give up
{
	my $before = spent($node);
	my $dba = $node->background_psql('d');

	$dba->query_safe('BEGIN; LOCK TABLE gaussdp_internal.journal_entry');
	refused('LOCK TABLE gaussdp_internal.journal_entry', $withdrawn, "SET gaussdp.charge_timeout = '1200ms'; $charge");
	is($dba->query('LOCK TABLE gaussdp_internal.ledger_account; SELECT 1'), 1, 'the worker stands in nobody\'s way while it waits');
	$dba->query_safe('ROLLBACK');
	$dba->quit;
	goes_on('a deadlock', $before);
}

# Other budgets do not suffer from a locked one, nor from one that is being set up
$node->safe_psql('d', "CREATE TABLE late (id int PRIMARY KEY); SELECT gaussdp.protect('late', 'id'), gaussdp.grant_budget('ana', 'late', 20, 1e-6)");
foreach my $case ([ 'emp', "SELECT FROM gaussdp_internal.ledger_account WHERE relation = 'emp'::regclass FOR UPDATE" ],
	[ 'late', "SELECT gaussdp.set_population_budget('late', 20, 1e-6)" ])
{
	my ($table, $sql) = @$case;
	my $dba = $node->background_psql('d');

	$dba->query_safe("BEGIN; $sql");
	my $session = start_ana($node, '-c', "SELECT charge('$table')");
	wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge'))");
	# which the lock is held for
	$node->psql('d', "SELECT count(charge('pay', 0.01, n)) FROM generate_series(10, 49) AS n", stdout => \my $charged, timeout => $limit, timed_out => \my $late,
		extra_params => [ '-U', 'bob' ]);
	is($late ? 'none' : $charged, 40, "$sql: others' charges go on");
	ok($session->{run}->pumpable, "$sql: while this one waits");
	$dba->query_safe('COMMIT');
	$dba->quit;
	my ($out, $err) = finish_ana($session);
	is($out, "1\n", "$sql: and at last the charge is made");
}

# As many sessions wait as the server admits: all are answered
foreach my $sql ('SELECT FROM gaussdp_internal.ledger_account FOR UPDATE', 'LOCK TABLE gaussdp_internal.ledger_account')
{
	my $before = spent($node);
	my $dba = $node->background_psql('d');

	$dba->query_safe("BEGIN; $sql");
	my @sessions = map { start_ana($node, '-c', $charge) } 1 .. $many;
	wait_until($node, "count(*) = $many FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge')");
	$dba->query_safe('COMMIT');
	is(scalar(grep { (finish_ana($_))[0] =~ /^1$/m } @sessions), $many, "$sql, $many of @{[ $many + 8 ]} possible sessions wait: all are answered");
	$dba->quit;
	is(spent($node) - $before, $many * $one, 'and paid once');
}

# What a row of the journal says of its first release
$node->safe_psql('d', 'CREATE FUNCTION sigma_of(bytea) RETURNS float8 LANGUAGE sql IMMUTABLE AS $$SELECT sigma FROM gaussdp_internal.releases($1) LIMIT 1$$');

# What fails, fails alone: others of the same batch are charged
{
	my $dba = $node->background_psql('d');

	$node->safe_psql('d', 'ALTER TABLE gaussdp_internal.journal_entry ADD CONSTRAINT no_seven CHECK (public.sigma_of(releases) <> 7)');
	$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
	my @sessions = map { start_ana($node, '-c', "SELECT charge('emp', 1, $_)") } (7, 77) x 4;
	wait_until($node, "count(*) = 8 FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge')");
	$dba->query_safe('COMMIT');
	$dba->quit;
	my @said = map { join('', finish_ana($_)) } @sessions;
	is(scalar(grep { /23514: could not charge.*no_seven.*Nothing was charged/s } @said), 4, 'an error of one charge is its own');
	is(scalar(grep { /^1$/ } @said) . ' ' . journal($node, 'sigma = 77'), '4 4', 'others of the batch are made');
	$node->safe_psql('d', 'ALTER TABLE gaussdp_internal.journal_entry DROP CONSTRAINT no_seven');
}

# A long message is cut between characters
$node->safe_psql('d', "ALTER TABLE gaussdp_internal.journal_entry ADD CONSTRAINT thrower CHECK ((public.sigma_of(releases)::text || repeat(chr(233), 200))::int > 0) NOT VALID");
like((ana($node, "SELECT charge('emp', 1, 100)"))[2], qr/22P02: could not charge the privacy budget: .*100(\xc3\xa9)+$/m, 'a long message is cut between characters');
$node->safe_psql('d', 'ALTER TABLE gaussdp_internal.journal_entry DROP CONSTRAINT thrower');

# A superuser has spoilt a budget: nothing is charged, and the server lives on
$node->safe_psql('d', <<'SQL');
CREATE FUNCTION spoil() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN NEW.people = 'spoilt'; RETURN NEW; END$$;
CREATE TRIGGER spoil BEFORE UPDATE ON gaussdp_internal.ledger_account FOR EACH ROW EXECUTE FUNCTION spoil();
SQL
like((ana($node, $charge))[2], qr/ERROR.*an account of the ledger is gone.*Nothing was charged/s, 'a trigger changes the key of an account');
$node->safe_psql('d', 'DROP FUNCTION spoil CASCADE');
$node->safe_psql('d', "CREATE TABLE good AS TABLE gaussdp_internal.ledger_account; UPDATE gaussdp_internal.ledger_account SET limit_mu2 = -1 WHERE relation = 'emp'::regclass");
like((ana($node, $charge))[2], qr/53400.*does not suffice/, 'a limit of less than nothing is not none');
$node->safe_psql('d', 'UPDATE gaussdp_internal.ledger_account SET limit_mu2 = good.limit_mu2 FROM good WHERE good.relation = ledger_account.relation'
	  . ' AND good.holder = ledger_account.holder AND good.role = ledger_account.role; DROP TABLE good');

# The accounts have no unique index: one that is there twice is found by the next worker
my $twice = "FROM gaussdp_internal.ledger_account WHERE relation = 'emp'::regclass AND holder = 'r' AND role = 'ana'::regrole";
my $trigger = 'ALTER TABLE gaussdp_internal.ledger_account %s TRIGGER refuse_second_account';
$node->safe_psql('d', join '; ', sprintf($trigger, 'DISABLE'), "INSERT INTO gaussdp_internal.ledger_account SELECT * $twice", sprintf($trigger, 'ENABLE ALWAYS'));
kill_worker($node);
like((ana($node, $charge))[2], qr/XX001: could not charge.*an account of the ledger is there twice.*Nothing was charged/s, 'an account is there twice');
$node->safe_psql('d', "DELETE $twice AND ctid = (SELECT max(ctid) $twice)");
is((ana($node, $charge))[1], 1, 'and once again');

# Nor have they a primary key
$node->safe_psql('d', 'CREATE PUBLICATION everything FOR ALL TABLES');
is((ana($node, $charge))[1], 1, 'a publication of all tables: charges go on');
$node->safe_psql('d', 'DROP PUBLICATION everything');

# Budgets of roles that went in another database are closed, if not with the first charge then with the next
foreach my $case ([ 'it is locked', 'SELECT FROM gaussdp_internal.ledger_account FOR KEY SHARE', 5 ],
	[ 'its charge fails', 'SELECT 1', 7 ])
{
	my ($name, $lock, $sigma) = @$case;
	my $dba = $node->background_psql('d');

	$node->safe_psql('d', "CREATE ROLE gone; SELECT gaussdp.grant_budget('gone', 'pay', 20, 1e-6);"
		  . 'ALTER TABLE gaussdp_internal.journal_entry ADD CONSTRAINT no_seven CHECK (public.sigma_of(releases) <> 7) NOT VALID');
	ana($node, $charge);
	$dba->query_safe("BEGIN; $lock");
	$node->safe_psql('postgres', 'DROP ROLE gone');
	like((ana($node, "$wait; SELECT charge('emp', 1, $sigma)"))[2], qr/ERROR/, "$name: the first charge fails");
	is($node->safe_psql('d', "SELECT granted FROM gaussdp_internal.ledger_account WHERE role_name = 'gone'"), 't', "$name: and closes nothing");
	$dba->query_safe('COMMIT');
	$dba->quit;
	ana($node, $charge);
	is($node->safe_psql('d', "SELECT granted FROM gaussdp_internal.ledger_account WHERE role_name = 'gone'"), 'f', "$name: the next one does");
	$node->safe_psql('d', "DELETE FROM gaussdp_internal.ledger_account WHERE role_name = 'gone'; ALTER TABLE gaussdp_internal.journal_entry DROP CONSTRAINT no_seven");
}

# The worker is stopped, and goes on when nobody waits any more
{
	# it ends after 3 s without work, on a slow machine before it is stopped
	my $worker;
	do
	{
		ana($node, $charge);
		$worker = $node->safe_psql('d', "SELECT pid FROM pg_stat_activity WHERE backend_type = 'gaussdp ledger'");
	} until $worker && kill 'STOP', $worker;
	my $before = spent($node);
	refused('a worker that hangs', $withdrawn, "$wait; $charge");
	kill 'CONT', $worker;
	goes_on('a worker that hangs', $before);
}

# A DBA moves the budgets about, so that each stands where the worker last saw another one, or none
{
	my $worker = "SELECT pid FROM pg_stat_activity WHERE backend_type = 'gaussdp ledger'";
	my @moves = ('VACUUM FULL gaussdp_internal.ledger_account', 'CLUSTER gaussdp_internal.ledger_account USING ledger_account_key', 'UPDATE gaussdp_internal.ledger_account SET since = since',
		'CREATE ACCESS METHOD other TYPE TABLE HANDLER heap_tableam_handler; ALTER TABLE gaussdp_internal.ledger_account SET ACCESS METHOD other',
		'ALTER TABLE gaussdp_internal.ledger_account SET ACCESS METHOD heap; DROP ACCESS METHOD other',
		map { "BEGIN; CREATE TEMP TABLE accounts AS TABLE gaussdp_internal.ledger_account; TRUNCATE gaussdp_internal.ledger_account;"
			  . " INSERT INTO gaussdp_internal.ledger_account SELECT * FROM accounts ORDER BY relation $_, holder $_; COMMIT" } 'ASC', 'DESC');

	# A worker ends after 3 s without work: where the machine lets that happen between two charges, the move is made again.
	foreach my $sql (@moves)
	{
		my ($again, $moved, $same) = ($sql =~ /ACCESS METHOD/ ? $moves[0] : $sql, '', 0);

		for (1 .. 20)
		{
			ana($node, $charge);
			my $pid = $node->safe_psql('d', $worker);
			my @before = map { spent($node, $_) } 'r', 'p';

			$node->safe_psql('d', $moved ? $again : $sql);
			ana($node, $charge);
			$moved = join(' ', map { spent($node, $_) - shift @before } 'r', 'p');
			$same = $node->safe_psql('d', $worker) eq $pid;
			last if $same || $moved ne "$one $one";
		}
		is($moved, "$one $one", "$sql: the charge is taken from its own budgets");
		ok($same, 'by the same worker');
	}
}

# Each charge writes a new version of its budgets: old ones make room without waiting for VACUUM, but for those that somebody's snapshot still sees,
# as that of the server's own ANALYZE
{
	my $size = "SELECT pg_relation_size('gaussdp_internal.ledger_account')";
	my $grown;

	for (1 .. 5)
	{
		my $before = $node->safe_psql('d', $size);

		ana($node, "SELECT charge('emp', 0.001);\n" x 300);
		$grown = $node->safe_psql('d', $size) - $before;
		last if $grown == 0;
	}
	is($grown, 0, '300 charges, one by one: budgets take no more room');
}

# An old snapshot keeps all versions of a budget: charges read no more pages for that. The worker reports what it has read at the latest
# when it ends; the first charge of the next one reads the versions once.
{
	my $dba = $node->background_psql('d');
	# pages of the budgets that charges with these sigmas have read
	my $read = sub {
		my ($first, $last) = @_;
		my $pages = 'SELECT heap_blks_read + heap_blks_hit + idx_blks_read + idx_blks_hit FROM pg_statio_all_tables WHERE relid = $$gaussdp_internal.ledger_account$$::regclass';

		kill_worker($node);
		my $before = $node->safe_psql('d', $pages);
		is((ana($node, "SELECT count(charge('emp', 0.001, n)) FROM generate_series($first, $last) AS n"))[1], $last - $first + 1, "charges $first to $last beside an old snapshot");
		kill_worker($node);
		return $node->safe_psql('d', $pages) - $before;
	};

	$dba->query_safe('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1');
	my $first = $read->(1, 200);
	$read->(201, 1400);
	my $last = $read->(1401, 1600);
	cmp_ok($last, '<', 2 * $first, 'the last 200 read as many pages as the first');
	diag("beside an old snapshot 200 charges read $first pages, later $last");
	$dba->query_safe('COMMIT');
	$dba->quit;
}

# A standby that never comes
{
	my $before = spent($node);

	standby_missing($node);
	# Where the time is up before the worker waits for the standby, nothing is charged: more time then.
	my ($timeout, $err) = (500, '');
	$err = (ana($node, "SET gaussdp.charge_timeout = '@{[ $timeout *= 2 ]}ms'; $charge"))[2] while $timeout < 100_000 && $err !~ /08007/;
	like($err, qr/ERROR:  08007: could not charge.*is not known here.*synchronous standby/s, 'missing standby: the message says what became of it');
	refused('missing standby, the worker is waiting for it', qr/ERROR:  55P03.*Nothing was charged.*synchronous standby/s,
		"$wait; $charge");
	standby_given_up($node);
	ana($node, $charge);
	is(spent($node) - $before, 2 * $one, 'missing standby: what is not known was charged, what was withdrawn was not');
}

# The server goes down at once while a charge waits.  Where the session that it waits for ends before the worker has heard of it,
# the charge is made: once more, until it was not.
{
	my ($said, $agrees) = ('', 1);

	for (my $round = 0; $round < 20 && $said !~ /Nothing was charged/; $round++)
	{
		my $before = spent($node);
		my $dba = $node->background_psql('d');

		$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
		my $session = start_ana($node, '-c', $charge);
		wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge'))");
		$node->stop('fast');
		$dba->{run}->finish;
		$said = (finish_ana($session))[1];
		$node->start;
		my $charged = spent($node) - $before;
		$agrees &&= $said =~ /Nothing was charged/ ? $charged == 0 : $charged == 0 || $charged == $one;
	}
	like($said, qr/FATAL:  57P01.*Nothing was charged/s, 'fast shutdown: the last words say that nothing was charged');
	ok($agrees, 'and so it was');
}

# A smart shutdown waits for the sessions that are there, whose charges go on.
{
	my $before = spent($node);
	my $dba = $node->background_psql('d');

	$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
	my $session = start_ana($node, '-c', $charge);
	wait_until($node, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge'))");
	kill_worker($node);
	$node->command_ok([ 'pg_ctl', '-D', $node->data_dir, '-m', 'smart', '-W', 'stop' ], 'smart shutdown');
	$dba->query_safe('COMMIT');
	is((finish_ana($session))[0], "1\n", 'smart shutdown: the session is answered');
	$dba->quit;
	$node->{_pid} = undef;
	my $until = time + $limit;
	usleep(100_000) while -e $node->data_dir . '/postmaster.pid' && time < $until;
	ok(!-e $node->data_dir . '/postmaster.pid', 'and then the server stops');
	$node->start;
	is(spent($node) - $before, $one, 'the charge is there');
}

# All background worker slots are taken: 1, which is the logical replication launcher's
$node->append_conf('postgresql.conf', 'max_worker_processes = 1');
$node->restart;
{
	my $before = spent($node);
	refused('no worker slot', qr/ERROR:  53000: could not charge.*Nothing was charged.*max_worker_processes/s, "$wait; $charge");
	is(spent($node), $before, 'no worker slot: nothing was charged');
}
# The second slot is the ledger's own: no parallel query can take it.
$node->append_conf('postgresql.conf', 'max_worker_processes = 2');
$node->restart;
$node->safe_psql('postgres', 'CREATE DATABASE e TEMPLATE d');
ana($node, $charge);
is(($node->psql('e', $charge, extra_params => [ '-U', 'ana' ]))[1], 1,
	'one slot for two databases: the worker of one makes room for the other in time');

# The extension goes and comes while the worker is there
$node->safe_psql('e', "SET gaussdp.allow_drop = on; DROP EXTENSION gaussdp; CREATE EXTENSION gaussdp; SELECT gaussdp.grant_budget('ana', 'emp', 20, 1e-6)");
is(($node->psql('e', $charge, extra_params => [ '-U', 'ana' ]))[1], 1, 'DROP EXTENSION and CREATE EXTENSION: charges go on');
is($node->safe_psql('e', "SELECT count(DISTINCT spent_mu2) || ' ' || max(spent_mu2) FROM gaussdp_internal.ledger_account WHERE relation = 'emp'::regclass"),
	"1 $one", 'in the new ledger');

# The worker leaves a database within the 5 s that PostgreSQL waits for that
foreach my $sql ('ALTER DATABASE d RENAME TO f; ALTER DATABASE f RENAME TO d', 'CREATE DATABASE copy TEMPLATE d', 'DROP DATABASE copy',
	'DROP DATABASE e WITH (FORCE)')
{
	my $database = $sql =~ /DROP DATABASE (\w+)/ ? $1 : 'd';

	is(($node->psql($database, $charge, extra_params => [ '-U', 'ana' ]))[1], 1, "a charge in $database");
	my ($status, $out, $err) = $node->psql('postgres', $sql);
	is($err, '', "$sql right after it");
}

# pg_regress, twice on the same server
{
	my $dir = PostgreSQL::Test::Utils::tempdir();
	mkdir "$dir/$_" foreach 'sql', 'expected';
	my $sql = <<'SQL';
SET ROLE ana;
SELECT dp_count(1, 1e-6) IS NOT NULL AS answered FROM emp;
RESET ROLE;
SELECT count(*) FROM gaussdp.journal WHERE event = 'charge';
SQL
	append_to_file("$dir/sql/ask.sql", <<SQL . $sql);
\\set ECHO none
CREATE TABLE emp (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id'), gaussdp.grant_budget('ana', 'emp', 20, 1e-6) \\g /dev/null
\\pset format unaligned
SQL
	append_to_file("$dir/expected/ask.out", "\\set ECHO none\nanswered\nt\n(1 row)\ncount\n1\n(1 row)\n");
	foreach my $time ('first', 'second')
	{
		$node->command_ok([ $ENV{PG_REGRESS}, "--inputdir=$dir", "--outputdir=$dir", '--load-extension=gaussdp', '--dbname=regression',
				'--bindir=' . $node->config_data('--bindir'), '--host=' . $node->host, '--port=' . $node->port, 'ask' ],
			"pg_regress, for the $time time");
	}
}

# The clock of the machine goes back an hour while a charge waits: so it looks to the server, through this library
$node->stop;
{
	my $dir = PostgreSQL::Test::Utils::tempdir();
	local $ENV{GAUSSDP_CLOCK} = "$dir/an hour ago";
	append_to_file("$dir/clock.c", <<'C');
#include <stdlib.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
int
gettimeofday(struct timeval *restrict now, void *restrict zone)
{
	struct timespec real;

	(void) zone;
	clock_gettime(CLOCK_REALTIME, &real);
	now->tv_sec = real.tv_sec - (access(getenv("GAUSSDP_CLOCK"), F_OK) == 0 ? 3600 : 0);
	now->tv_usec = real.tv_nsec / 1000;
	return 0;
}
C
	system_or_bail($ENV{CC} || 'cc', '-shared', '-fPIC', '-o', "$dir/clock.so", "$dir/clock.c");
	{
		local $ENV{LD_PRELOAD} = "$dir/clock.so";
		$node->start;
	}
	my $hour = $node->safe_psql('d', "SELECT gaussdp.grant_budget('ana', 'emp', 20, 1e-6, '00:00:02'); SELECT extract(epoch FROM clock_timestamp())");
	ana($node, $charge);
	usleep(2_100_000);
	ana($node, $charge);
	is(spent($node), $one, 'a budget is renewed after its period');
	my $dba = $node->background_psql('d');
	$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
	my ($session, $timeout, $went_back) = (undef, 500, 0);
	# once more, with a longer timeout, where it is up before the clock goes back
	while (!$went_back && $timeout < 100_000)
	{
		$timeout *= 2;
		unlink $ENV{GAUSSDP_CLOCK};
		$session = start_ana($node, '-q', '-c', "SET gaussdp.charge_timeout = '${timeout}ms'", '-c', $charge);
		my $waits = waits($node, $session);
		append_to_file($ENV{GAUSSDP_CLOCK}, 'now');
		$went_back = $waits && $session->{run}->pumpable && waits($node, $session);
		finish_ana($session);
	}
	like($session->{err}, $withdrawn, 'a clock that goes back while a charge waits: withdrawn');
	ok($went_back, 'when its time is up');
	$dba->query_safe('COMMIT');
	$dba->quit;
	cmp_ok($node->safe_psql('d', 'SELECT extract(epoch FROM clock_timestamp())'), '<', $hour, 'it went back');
	ana($node, $charge);
	is(spent($node), 2 * $one, 'and renewed nothing');
	unlink $ENV{GAUSSDP_CLOCK};
	ana($node, $charge);
	append_to_file($ENV{GAUSSDP_CLOCK}, 'now');
	is(($node->psql('postgres', 'ALTER DATABASE d RENAME TO f'))[2], '', 'the worker leaves a database nevertheless');
}

$node->stop;
done_testing();
