# Answers that are kept: durable, written by nobody but the worker, lost at the cost of budget alone.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ledger_server('kept', "gaussdp.charge_timeout = '10min'\ngaussdp.reuse_answers = -1\n");
$node->safe_psql('d', q{INSERT INTO emp SELECT i FROM generate_series(1, 1000) i; SELECT gaussdp.grant_budget('ana', 'emp', 20, 1e-6, reuse_answers => '1 hour')});
my $ask = 'SELECT dp_count(0.01, 1e-6) FROM emp';

sub answer
{
	my ($query) = @_;
	return (ana($node, $query || $ask))[1];
}

sub rows
{
	return $node->safe_psql('d', 'SELECT count(*) FROM gaussdp_internal.kept_answer');
}

my $notice = qr/NOTICE:  (?:00000: )?these numbers were drawn at \d\d\d\d-\d\d-\d\d [^\n]*, and cost nothing again\nHINT:  SET gaussdp\.reuse_answers = 0 draws new ones\./;
my (undef, $first, $said) = ana($node, $ask);
unlike($said, $notice, 'a new answer is not told of');
my (undef, $second, $told) = ana($node, $ask);
is($second, $first, 'another session is shown the same numbers');
like($told, $notice, 'and when they were drawn, and how to ask anew');

# A restart, and a crash
$node->restart;
is(answer(), $first, 'after a restart too');
$node->stop('immediate');
$node->start;
is(answer(), $first, 'and after a crash');

# Statements of a transaction that only reads, and of one that is rolled back
my $other = 'SELECT dp_count(0.02, 1e-6) FROM emp';
my $rolled = answer("BEGIN READ ONLY; $other; ROLLBACK");
is(answer($other), $rolled, 'what a read-only transaction has drawn that was rolled back is kept');

# Nothing is kept of what was not charged, failed or was cancelled
my $before = rows();
ana($node, 'SELECT dp_count(0.03, 1e-6) FROM emp WHERE id > (SELECT 1 / 0)');
is(rows(), $before, 'a query that fails before its charge keeps nothing');

# The worker cannot write it: the answer is shown all the same
$node->safe_psql('d', q{CREATE FUNCTION no() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no'; END$$;
	CREATE TRIGGER no BEFORE INSERT ON gaussdp_internal.kept_answer FOR EACH ROW EXECUTE FUNCTION no()});
my $lost = 'SELECT dp_count(0.04, 1e-6) FROM emp';
my $paid = spent($node);
like(answer($lost), qr/^-?\d+$/, 'an answer that cannot be kept is shown');
cmp_ok(spent($node), '>', $paid, 'and charged');
$node->safe_psql('d', 'DROP TRIGGER no ON gaussdp_internal.kept_answer');
$paid = spent($node);
answer($lost);
cmp_ok(spent($node), '>', $paid, 'asked again, it is charged again');

# The server crashes between the charge and the writing: it costs budget.
$node->safe_psql('d', 'CREATE FUNCTION slow() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(600); RETURN new; END$$;
	CREATE TRIGGER slow BEFORE INSERT ON gaussdp_internal.kept_answer FOR EACH ROW EXECUTE FUNCTION slow()');
$paid = spent($node);
my $crashed = start_ana($node, '-c', 'SELECT dp_count(0.05, 1e-6) FROM emp');
wait_until($node, q{count(*) = 1 FROM pg_stat_activity WHERE backend_type = 'gaussdp ledger' AND wait_event = 'PgSleep'});
$node->stop('immediate');
$node->start;
my ($shown) = finish_ana($crashed);
is($shown, '', 'no row is shown before its answer is kept');
cmp_ok(spent($node), '>', $paid, 'what a crash has lost stays charged');
$node->safe_psql('d', 'DROP TRIGGER slow ON gaussdp_internal.kept_answer');
$paid = spent($node);
answer('SELECT dp_count(0.05, 1e-6) FROM emp');
cmp_ok(spent($node), '>', $paid, 'and is charged anew');

# A transaction with an old snapshot sees resets all the same: budgets are as of now.
my $old = 'SELECT dp_count(0.06, 1e-6) FROM emp';
answer($old);
my $reset = "\\! psql -XAtq -U postgres -d d -c \"SELECT gaussdp.reset_budget('ana', 'emp')\"";
$paid = $node->safe_psql('d', q{SELECT count(*) FROM gaussdp.journal WHERE event = 'charge'});
$ENV{PGHOST} = $node->host;
$ENV{PGPORT} = $node->port;
answer("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM pg_class WHERE false; $reset\n; $old; COMMIT");
cmp_ok($node->safe_psql('d', q{SELECT count(*) FROM gaussdp.journal WHERE event = 'charge'}), '>', $paid, 'an old snapshot hides no reset');

# Many sessions at once pay once for what is shown again, and are told that it was paid.
my $many = 'SELECT dp_count(0.07, 1e-6) FROM emp';
answer($many);
my $price = $node->safe_psql('d', q{SELECT mu2 FROM gaussdp_internal.journal_entry WHERE event = 'charge' ORDER BY charge DESC LIMIT 1});
$node->safe_psql('d', q{SELECT gaussdp.reset_budget('ana', 'emp')});
my $dba = $node->background_psql('d');
$dba->query_safe('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
my @sessions = map { start_ana($node, '-c', $many) } 1 .. 4;
wait_until($node, q{count(*) = 4 FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge')});
$dba->query_safe('COMMIT');
$dba->quit;
my @told = map { [ finish_ana($_) ] } @sessions;
is(scalar(grep { $_->[0] eq $told[0][0] && $_->[0] =~ /^-?\d+$/ } @told), 4, 'many sessions are shown the same numbers');
like($told[0][1], qr/NOTICE:  00000: these numbers were drawn at [^\n]*, and were charged to budgets that had not paid for them/, 'a session hears that they were charged');
is(spent($node), $price, 'once');

# A level that finds max_rows is charged and read twice; what is shown again has both of one account and period. The first reading waits for a lock that is held here.
$node->safe_psql('d', q{CREATE TABLE buy AS SELECT i % 50 AS person, i FROM generate_series(1, 100) i; SELECT gaussdp.protect('buy', 'person', max_rows => 0), gaussdp.grant_budget('ana', 'buy', 20, 1e-6, reuse_answers => '1 hour');
	CREATE FUNCTION await_lock(int8) RETURNS bool STRICT IMMUTABLE LEAKPROOF LANGUAGE internal AS 'pg_advisory_lock_int8'});
foreach ([ 'SELECT 1', 0, 'nothing changes' ], [ q{SELECT gaussdp.reset_budget('ana', 'buy')}, 2, 'the account begins anew' ], [ q{SELECT gaussdp.set_data_version('buy', '2')}, 2, 'the data become others' ])
{
	my ($act, $charged, $name) = @$_;
	my $holder = $node->background_psql('d');
	my $question = 'SELECT dp_count(0.05, 1e-6) FROM buy WHERE await_lock(7 + 0 * i) IS NOT NULL';
	$node->safe_psql('d', 'TRUNCATE gaussdp_internal.kept_answer');
	$holder->query_safe('SELECT pg_advisory_lock(7)');
	my $session = start_ana($node, '-c', $question);
	wait_until($node, q{count(*) > 0 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
	$node->safe_psql('d', $act);
	$holder->quit;
	like((finish_ana($session))[0], qr/^-?\d+$/, "between its two readings $name: answered");
	my $before = journal($node);
	answer($question);
	is(journal($node) - $before, $charged, $charged ? 'and drawn or charged anew' : 'and shown again');
}

# A dump that is older than an answer, restored over the ledger, has not been paid for it; another database has no answers.
my $dump = PostgreSQL::Test::Utils::tempdir() . "/dump";
$node->command_ok([ 'pg_dump', '-Fc', '-f', $dump, '-d', $node->connstr('d') ], 'a dump is made');
my $later = 'SELECT dp_count(0.08, 1e-6) FROM emp';
answer($later);
$node->safe_psql('d', 'TRUNCATE gaussdp_internal.ledger_account, gaussdp_internal.error_count, gaussdp_internal.journal_entry, gaussdp_internal.journal_checkpoint, gaussdp_internal.journal_sum, gaussdp_internal.journal_archive, gaussdp_internal.kept_archive');
$node->command_ok([ 'pg_restore', '--data-only', '-t', 'ledger_account', '-t', 'journal_entry', '-d', $node->connstr('d'), $dump ], 'and restored over the ledger');
$paid = spent($node);
answer($later);
cmp_ok(spent($node), '>', $paid, 'what was drawn after it is paid anew');
$node->safe_psql('postgres', 'CREATE DATABASE other TEMPLATE template0 ENCODING $$UTF8$$ LOCALE $$C$$');
$node->command_ok([ 'pg_restore', '-d', $node->connstr('other'), $dump ], 'and restored into another database');
is($node->safe_psql('other', q{SELECT (SELECT count(*) FROM gaussdp_internal.kept_answer) || ' ' || (SELECT count(*) > 0 FROM gaussdp_internal.journal_entry)}), '0 true', 'which has the charges, and none of the answers');

# Limits of size
$node->append_conf('postgresql.conf', "gaussdp.kept_answers_size = 128\n");
$node->reload;
$node->safe_psql('d', 'TRUNCATE gaussdp_internal.kept_answer');
answer(join ';', map { "SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > $_" } 1 .. 20);
is($node->safe_psql('d', 'SELECT count(*), sum(size) FROM gaussdp_internal.kept_answer'), '4|32768', 'of one role a database keeps no more than a quarter of gaussdp.kept_answers_size');
$paid = spent($node);
answer('SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > 1');
is(spent($node), $paid, 'the first ones stay');
$node->safe_psql('d', 'UPDATE gaussdp_internal.kept_answer SET role = 0, payers = ARRAY[]::int4[]');
answer(join ';', map { "SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > $_" } 21 .. 25);
is($node->safe_psql('d', q{SELECT count(*) FROM gaussdp_internal.kept_answer WHERE role = 'ana'::regrole}), 3, 'and a quarter of what others have left, so that something is left for each');
$node->safe_psql('d', 'UPDATE gaussdp_internal.kept_answer SET size = 81920 WHERE role = 0 AND ctid = (SELECT min(ctid) FROM gaussdp_internal.kept_answer WHERE role = 0)');
answer('SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > 30');
is($node->safe_psql('d', q{SELECT count(*) FROM gaussdp_internal.kept_answer WHERE role = 'ana'::regrole}), 3, 'of all no more than that: another one does not fit');
# Roles that pay from one account have the share of one.
$node->safe_psql('d', q{TRUNCATE gaussdp_internal.kept_answer; CREATE ROLE team; CREATE ROLE eve LOGIN IN ROLE team; CREATE ROLE dan LOGIN IN ROLE team; SELECT gaussdp.grant_budget('team', 'emp', 20, 1e-6, reuse_answers => '1 hour')});
foreach my $role ('eve', 'dan')
{
	$node->psql('d', join(';', map { "SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > $_ + length('$role') * ascii('$role')" } 1 .. 5), extra_params => [ '-U', $role ]);
}
is($node->safe_psql('d', q{SELECT role::regrole, count(*) FROM gaussdp_internal.kept_answer GROUP BY role}), 'eve|4', 'roles of one account have the share of one');
answer('SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > 40');
is($node->safe_psql('d', q{SELECT count(*) FROM gaussdp_internal.kept_answer WHERE role = 'ana'::regrole}), 1, 'and leave something to others');
# So has whoever makes as many accounts as they like, by tables of their own; what is about tables that are gone goes.
$node->safe_psql('d', q{TRUNCATE gaussdp_internal.kept_answer; CREATE ROLE mallory; GRANT CREATE ON SCHEMA public TO mallory; SET ROLE mallory;} .
	join('', map { "CREATE TABLE m$_ (id int PRIMARY KEY); SELECT gaussdp.protect('m$_', unit => 'id'), gaussdp.grant_budget('bob', 'm$_', 20, 1e-6, reuse_answers => '366 days');" } 1 .. 9));
my $flood = join(';', map { my $table = $_; map { "SELECT dp_count(0.001, 1e-6) FROM m$table WHERE id > $_" } 1 .. 4 } 1 .. 9);
$node->psql('d', $flood, extra_params => [ '-U', 'bob' ]);
is(rows(), 12, 'three quarters are for tables of one owner');
answer('SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > 41');
is(rows(), 13, 'which leaves something, too');
$node->safe_psql('d', join(';', map { "DROP TABLE m$_" } 1 .. 9));
answer(join ';', map { "SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > $_" } 42 .. 50);
my $of_ana = q{SELECT count(*) FROM gaussdp_internal.kept_answer WHERE role = 'ana'::regrole};
is($node->safe_psql('d', $of_ana) . ' of ' . rows(), '4 of 15', 'those of tables that are gone take nothing from the quarter');
$node->safe_psql('d', q{UPDATE gaussdp_internal.kept_answer SET until = now() - interval '1 s', drawn = drawn - interval '1 hour'});
answer(join ';', map { "SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > $_" } 51 .. 60);
is($node->safe_psql('d', "$of_ana AND until > now()") . ' of ' . rows(), '4 of 15', 'nor do those that are shown to nobody any more: they wait for the archive while there is room');
$node->safe_psql('d', q{DELETE FROM gaussdp_internal.kept_answer WHERE until > now()});
answer('SELECT dp_histogram(id::float8, 0.1, 1e-6, 0, 1000, 1500) FROM emp');
is($node->safe_psql('d', "$of_ana AND until > now()"), 0, 'an answer takes a sixteenth of it at most');

# Nobody chooses by its numbers which of its draws others are shown: not by filling its share, nor by a grant that shows them for a shorter time.
$node->safe_psql('d', q{TRUNCATE gaussdp_internal.kept_answer; SELECT gaussdp.grant_budget('bob', 'emp', 20, 1e-6, reuse_answers => '1 hour'), gaussdp.grant_budget('ana', 'emp', 20, 1e-6, reuse_answers => '1 min')});
my $shared = 'SELECT dp_sum(id::float8, 0.011, 1e-6, 0, 1000) FROM emp';
my $drawn = answer($shared);
my $of_bob = sub { return ($node->psql('d', $shared, extra_params => [ '-U', 'bob' ]))[1] };
answer(join ';', map { "SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > $_" } 60 .. 70);
$node->safe_psql('d', q{UPDATE gaussdp_internal.kept_answer SET drawn = drawn - interval '10 s'});
isnt(answer("SET gaussdp.reuse_answers = 5; $shared"), $drawn, 'a role that has filled its share draws anew');
is($of_bob->(), $drawn, 'others are shown its first draw');
$node->safe_psql('d', q{DELETE FROM gaussdp_internal.kept_answer WHERE size <> 8192 OR drawn > (SELECT min(drawn) FROM gaussdp_internal.kept_answer); UPDATE gaussdp_internal.kept_answer SET drawn = drawn - interval '2 min', until = until - interval '2 min'});
isnt(answer($shared), $drawn, 'so does one whose grant shows answers for a minute, after two');
is($of_bob->(), $drawn, 'others are shown the first draw as long as their own grants say');
is($node->safe_psql('d', 'SELECT count(*) FROM gaussdp_internal.kept_answer'), 2, 'both are kept');

# A dump has none of them
$node->append_conf('postgresql.conf', "gaussdp.kept_answers_size = 0\n");
$node->reload;
is($node->safe_psql('d', 'SELECT count(*) FROM unnest((SELECT extconfig FROM pg_extension WHERE extname = $$gaussdp$$)) AS t (id) WHERE id = $$gaussdp_internal.kept_answer$$::regclass'), 0, 'no dump has kept answers');
isnt(answer($shared), answer($shared), 'with the setting 0 all is drawn anew');
$node->stop;
done_testing();
