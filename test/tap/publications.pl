# Publications: two refreshes at once are one, one that is rolled back or crashes keeps the old numbers, dumps take these along and ask
# nothing, where a materialized view over plain SQL fails in a restore and says what to do; and a standby that is promoted goes on.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ledger_server('press', "gaussdp.charge_timeout = '10min'\ngaussdp.reuse_answers = -1\n");
$node->safe_psql('d', <<'SQL');
INSERT INTO emp SELECT i FROM generate_series(1, 1000) i;
CREATE SCHEMA news AUTHORIZATION ana;
GRANT USAGE ON SCHEMA news TO bob;
SELECT gaussdp.grant_budget('ana', 'emp', 20, 1e-6, default_epsilon => 0.01, default_delta => 1e-7, reuse_answers => '1 hour');
CREATE FUNCTION age_by(by interval) RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
  UPDATE gaussdp_internal.publication SET drawn_at = drawn_at - by, charged_at = charged_at - by, failed_at = failed_at - by; UPDATE gaussdp_internal.kept_answer SET drawn = drawn - by$$;
SQL

sub charges
{
	my ($server, $database) = @_;
	return ($server || $node)->safe_psql($database || 'd', q{SELECT coalesce(sum(queries), 0) FROM gaussdp_internal.journal_entry WHERE event = 'charge'});
}

sub numbers
{
	my ($server, $database) = @_;
	return ($server || $node)->safe_psql($database || 'd', 'TABLE news.staff');
}

my (undef, $made, $said) = ana($node, q{SELECT gaussdp.publish('news.staff', 'SELECT count(*) FROM emp', every => '1 day'); GRANT SELECT ON news.staff TO bob});
is($made, 'news.staff', 'a publication');
my $first = numbers();
my $read_by_bob = sub { return ($node->psql('d', 'TABLE news.staff', extra_params => [ '-U', 'bob' ]))[1] };

# Two refreshes at once: one is charged, the other one finds nothing due; readers wait for neither.
$node->safe_psql('d', q{SELECT age_by('1 day')});
my $paid = charges();
my $before;
my $dba = $node->background_psql('d');
$dba->query_safe('BEGIN; LOCK TABLE news.staff IN SHARE UPDATE EXCLUSIVE MODE');
my @sessions = map { start_ana($node, '-c', 'SELECT gaussdp.refresh_due()') } 1 .. 2;
wait_until($node, q{count(*) = 2 FROM pg_locks AS l JOIN pg_stat_activity USING (pid) WHERE usename = 'ana' AND NOT granted});
is($read_by_bob->(), $first, 'readers see the old numbers while two sessions are about to refresh');
$dba->query_safe('COMMIT');
$dba->quit;
is(join(',', sort map { (finish_ana($_))[0] =~ s/\s//gr } @sessions), ',news.staff', 'one of them does');
is(charges() - $paid, 1, 'and one is charged');
my $second = numbers();
is($node->safe_psql('d', q{SELECT drawn_at > now() - interval '1 hour' FROM gaussdp_internal.publication}), 't', 'there are new numbers');

# Rolled back: paid, and the old numbers stay; the next refresh has what was drawn, for nothing.
$node->safe_psql('d', q{SELECT age_by('1 day')});
$paid = charges();
my ($drawn) = (ana($node, q{BEGIN; SELECT gaussdp.refresh('news.staff') \g /dev/null
SELECT count FROM news.staff; ROLLBACK}))[1];
is((split /\|/, numbers())[0], (split /\|/, $second)[0], 'a refresh that is rolled back keeps the old numbers');
ana($node, q{SELECT gaussdp.refresh('news.staff')});
is((split /\|/, numbers())[0], $drawn, 'the next one shows what was drawn');
is(charges() - $paid, 1, 'and costs nothing again');

# Between the charge and the commit: what passes() waits for.
$node->safe_psql('d', q{CREATE FUNCTION news.passes(int8) RETURNS bool LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN true; END$$});
ana($node, q{SELECT gaussdp.publish('news.slow', 'SELECT q.count FROM (SELECT count(*) FROM emp WHERE id > 0) AS q WHERE news.passes(q.count)', every => '1 day')});

# Starts refresh_due(), with these settings, of publications that are due, and returns when it has charged for them and waits.
sub start_and_hold
{
	my ($settings) = @_;
	$dba = $node->background_psql('d');
	$dba->query_safe("SELECT age_by('1 day'), pg_advisory_lock(7)");
	$before = $node->safe_psql('d', 'TABLE news.slow');
	$paid = charges();
	my $session = start_ana($node, '-c', $settings, '-c', 'SELECT gaussdp.refresh_due()');
	wait_until($node, q{count(*) = 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
	return $session;
}

sub cancel
{
	my ($session) = @_;
	$node->safe_psql('d', q{SELECT pg_cancel_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND NOT granted});
	finish_ana($session);
	$dba->quit;
	is($node->safe_psql('d', 'TABLE news.slow'), $before, 'a refresh that is cancelled keeps the old numbers');
}

# The server crashes.
my $crashed = start_and_hold('');
$node->stop('immediate');
finish_ana($crashed);
eval { $dba->quit };
$node->start;
is($node->safe_psql('d', 'TABLE news.slow'), $before, 'after a crash the old numbers are there');
is(charges() - $paid, 2, 'what was drawn stays paid');
is($node->safe_psql('d', q{SELECT count(*), bool_and(charged_at > drawn_at) FROM gaussdp.publications WHERE charged_at IS NOT NULL}), '2|t', 'which publications shows');
is((ana($node, 'SELECT gaussdp.refresh_due()'))[1], "news.staff\nnews.slow", 'and is shown next');
is(charges() - $paid, 2, 'for what was paid');

# It is cancelled, and what others have paid for is not lost.
cancel(start_and_hold(''));
is(charges() - $paid, 2, 'which is paid, with that before');
is((ana($node, 'SELECT gaussdp.refresh_due()'))[1], "news.staff\nnews.slow", 'the next one shows both');
is(charges() - $paid, 2, 'and costs nothing');

# Where nothing is kept, it is not charged again and again.
my $anew = 'SET gaussdp.reuse_answers = 0';
cancel(start_and_hold($anew));
is(charges() - $paid, 2, 'drawn anew it is charged');
foreach my $time (1 .. 3)
{
	is((ana($node, "$anew; SELECT gaussdp.refresh_due()"))[1], '', 'then not due');
}
is(charges() - $paid, 2, 'nor charged');
is($node->safe_psql('d', q{SELECT due_at = charged_at + every, problem FROM gaussdp.publications WHERE publication = 'news.slow'::regclass}),
	't|publication "slow" was charged, and is not charged again before it is due', 'before every is over, which publications shows');
is((ana($node, "$anew; SELECT gaussdp.refresh('news.slow') IS NOT NULL"))[1], 't', 'by hand it is');
is(charges() - $paid, 3, 'and charged');
cancel(start_and_hold($anew));
$node->safe_psql('d', q{SELECT age_by('1 day')});
is((ana($node, 'SELECT r FROM gaussdp.refresh_due() AS r ORDER BY r::text'))[1], "news.slow\nnews.staff", 'so they are when they are due');
is(charges() - $paid, 4, 'once more');
is($node->safe_psql('d', 'SELECT count(*) FROM gaussdp.publications WHERE charged_at IS NOT NULL OR failed_at IS NOT NULL OR problem IS NOT NULL'), 0, 'and all is well');
ana($node, 'DROP TABLE news.slow');
$node->safe_psql('d', 'DROP FUNCTION news.passes');

# The recipe for systemd in the administrator's guide
my $guide = slurp_file("$FindBin::RealBin/../../docs/admin.md");
my $units = PostgreSQL::Test::Utils::tempdir();
foreach my $unit ('publications.service', 'publications.timer')
{
	my ($text) = $guide =~ m{^    \# /etc/systemd/system/\Q$unit\E\n((?:    .*\n)+)}m or die "docs/admin.md has no $unit";
	append_to_file("$units/$unit", $text =~ s/^    //gmr);
}
SKIP:
{
	skip 'needs systemd-analyze', 1 unless grep { -x "$_/systemd-analyze" } split /:/, $ENV{PATH};
	my ($systemd_out, $systemd_err);
	my $fits = IPC::Run::run([ 'systemd-analyze', 'verify', "$units/publications.service", "$units/publications.timer" ], '>', \$systemd_out, '2>', \$systemd_err);
	ok($fits && $systemd_err !~ /publications/, 'systemd takes both units') or diag($systemd_err);
}
my ($command) = slurp_file("$units/publications.service") =~ /^ExecStart=(.*)$/m;
$command =~ s/ -d hr / -d d / or die $command;
$node->safe_psql('d', q{SELECT age_by('1 day')});
$paid = charges();
{
	local @ENV{qw(PGHOST PGPORT PGUSER)} = ($node->host, $node->port, 'ana');
	like(`$command`, qr/news\.staff/, 'what the service runs refreshes what is due');
}
is(charges() - $paid, 1, 'and is charged for it');

# Dumps
my $dir = PostgreSQL::Test::Utils::tempdir();
ana($node, q{SET gaussdp.answer_plain_sql = on; CREATE MATERIALIZED VIEW news.asks AS SELECT count(*) FROM emp});
$node->command_ok([ 'pg_dump', '-d', 'd', '-f', "$dir/plain.sql" ], 'pg_dump, plain');
$node->command_ok([ 'pg_dump', '-Fc', '-d', 'd', '-f', "$dir/custom" ], 'pg_dump, custom');
$node->safe_psql('postgres', 'CREATE DATABASE plain; CREATE DATABASE custom');
my $hint = qr/permission denied for table emp\n.*HINT:  gaussdp\.publish\(\) keeps released numbers in a plain table, which a dump takes along\./s;
my ($out, $err);
IPC::Run::run([ 'psql', '-qX', '-h', $node->host, '-p', $node->port, '-o', '/dev/null', '-f', "$dir/plain.sql", '-d', 'plain' ], '>', \$out, '2>', \$err);
like($err, $hint, 'a materialized view over plain SQL fails in a restore, with a hint');
unlike($err =~ s/^.*HINT:[^\n]*//sr, qr/ERROR/, 'and nothing else does');
IPC::Run::run([ 'pg_restore', '-h', $node->host, '-p', $node->port, '-d', 'custom', "$dir/custom" ], '>', \$out, '2>', \$err);
like($err, $hint, 'with pg_restore, too');
my $listed = 'SELECT publication, publisher, query, every, drawn_at, price_epsilon, price_delta, settings FROM gaussdp.publications';
foreach my $database ('plain', 'custom')
{
	is(numbers($node, $database), numbers(), "$database: the numbers are there");
	is($node->safe_psql($database, $listed), $node->safe_psql('d', $listed), "$database: and the publication");
	is(charges($node, $database), charges(), "$database: nothing was asked");
	is(($node->psql($database, 'TABLE news.staff', extra_params => [ '-U', 'bob' ]))[1], numbers(), "$database: readers read on");
	$paid = charges($node, $database);
	is(($node->psql($database, q{SELECT gaussdp.refresh('news.staff') IS NOT NULL}, extra_params => [ '-U', 'ana' ]))[1], 't', "$database: and it is refreshed");
	is(charges($node, $database) - $paid, 1, "$database: by a draw of its own");
}

# A standby that is promoted: readers read on while it is none, and what was paid for is shown again.
$node->backup('copy', backup_options => ['--checkpoint=fast']);
my $standby = PostgreSQL::Test::Cluster->new('standby');
$standby->init_from_backup($node, 'copy', has_streaming => 1);
$standby->start;
my $ask = 'SELECT dp_count(0.02, 1e-7) FROM emp';
my $answer = (ana($node, $ask))[1];
$node->wait_for_catchup($standby, 'replay', $node->lsn('insert'));
is(numbers($standby), numbers(), 'a standby has the numbers');
like((ana($standby, q{SELECT gaussdp.refresh('news.staff')}))[2], qr/25006/, 'and refreshes nothing');
like((ana($standby, $ask))[2], qr/25006/, 'nor shows answers again');
$paid = charges();
my $published = numbers();
$node->stop('immediate');
$standby->promote;
is((ana($standby, $ask))[1], $answer, 'promoted it shows again what its primary has drawn');
is((ana($standby, q{SELECT gaussdp.refresh('news.staff') IS NOT NULL}))[1], 't', 'and refreshes');
is(numbers($standby), $published, 'with the same numbers');
is(charges($standby), $paid, 'at no cost');
is($standby->safe_psql('d', 'SELECT bool_and(agrees) FROM gaussdp.verify_journal()'), 't', 'budget and journal agree');
$standby->safe_psql('d', q{SELECT age_by('1 day')});
is((ana($standby, 'SELECT gaussdp.refresh_due()'))[1], 'news.staff', 'what is due is drawn');
is(charges($standby) - $paid, 1, 'and charged');
$standby->stop;
done_testing();
