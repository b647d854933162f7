# Whoever cancels a statement that was charged is told so, wherever the cancel comes; where no standby is waited for, the ledger always knows.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ledger_server('cancels', "max_connections = 40\ngaussdp.charge_timeout = '10min'\n");
# The worker's commit waits for this key.
$node->safe_psql('d', <<'SQL');
CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_advisory_xact_lock_shared(7); RETURN NULL; END$$;
CREATE CONSTRAINT TRIGGER hold AFTER INSERT OR UPDATE ON gaussdp_internal.journal_entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION hold();
SQL
my $dba = $node->background_psql('d');
my $sigma = 10;    # of each charge, by which the journal knows it
my $charged = qr/57014: canceling statement due to user request\nDETAIL:  What it costs has been charged\.\n/;
my $ana = "(SELECT pid FROM pg_stat_activity WHERE usename = 'ana')";

sub in_journal
{
	return journal($node, "sigma = $sigma");
}

sub start_charge
{
	my ($after) = @_;
	$sigma++;
	return start_ana($node, '-c', "SELECT charge('emp', 0.001, $sigma)" . ($after || ', pg_sleep(0)'));
}

sub cancel
{
	$dba->query_safe("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'ana'");
	return;
}

sub process
{
	my ($signal, $condition) = @_;
	kill $signal, $dba->query_safe("SELECT pid FROM pg_stat_activity WHERE $condition");
	return;
}

sub waits_for_answer
{
	wait_until($dba, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event IN ('Extension', 'GaussdpCharge'))");
	return;
}

# Before the worker has seen the request
ana($node, "SELECT charge('emp', 0.001)");
process('STOP', "backend_type = 'gaussdp ledger'");
{
	my $session = start_charge();
	waits_for_answer();
	cancel();
	like((finish_ana($session))[1], qr/57014.*\nDETAIL:  Nothing was charged and nothing was released\.\n/, 'a request that is cancelled in the queue is withdrawn');
	process('CONT', "backend_type = 'gaussdp ledger'");
	ana($node, "SELECT charge('emp', 0.001)");
	is(in_journal(), 0, 'and not charged');
}

# While it commits
{
	$dba->query_safe('SELECT pg_advisory_lock(7)');
	my $session = start_charge();
	wait_until($dba, "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)");
	cancel() for 1 .. 3;
	$dba->query_safe('SELECT pg_advisory_unlock(7)');
	like((finish_ana($session))[1], $charged, 'one that is cancelled while it is committed is awaited');
	is(in_journal(), 1, 'and charged');
}

# When the answer is there and the session has not seen it
{
	$dba->query_safe('SELECT pg_advisory_lock(7)');
	my $session = start_charge();
	wait_until($dba, "EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)");
	process('STOP', "usename = 'ana'");
	$dba->query_safe('SELECT pg_advisory_unlock(7)');
	wait_until($dba, "(SELECT count(*) = 1 FROM gaussdp.journal WHERE sigma = $sigma)");
	wait_until($dba, "NOT EXISTS (SELECT FROM pg_locks WHERE locktype = 'advisory')");
	cancel();
	process('CONT', "usename = 'ana'");
	like((finish_ana($session))[1], $charged, 'one that is cancelled when it has been answered');
}

# Afterwards, wherever the statement is
$node->safe_psql('d', <<'SQL');
CREATE FUNCTION charges(sigma float8) RETURNS void LANGUAGE plpgsql AS $$BEGIN PERFORM charge('emp', 0.001, sigma); END$$;
CREATE FUNCTION sleeps() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM pg_sleep(600); RETURN NULL; END$$;
CREATE TABLE answers (n int);
GRANT INSERT ON answers TO ana;
CREATE CONSTRAINT TRIGGER late AFTER INSERT ON answers DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION sleeps();
SQL
foreach my $case (
	[ 'in the same query', 'SELECT charge(%s), pg_sleep(600)' ],
	[ 'in a block after it', 'DO $$ BEGIN PERFORM charge(%s); PERFORM pg_sleep(600); END $$' ],
	[ 'in a loop without queries', 'DO $$ BEGIN PERFORM charge(%s); PERFORM pg_notify($a$x$a$, $b$y$b$); LOOP END LOOP; END $$' ],
	[ 'after an error was caught', 'DO $$ BEGIN PERFORM charge(%s); BEGIN PERFORM 1 / 0; EXCEPTION WHEN division_by_zero THEN END; PERFORM pg_sleep(600); END $$' ],
	[ 'in the commit', 'INSERT INTO answers SELECT charge(%s)' ],
	[ 'after a statement of the same message', 'SELECT charge(%s)\;SELECT pg_sleep(600)' ])
{
	$sigma++;
	my $session = start_ana($node, '-c', sprintf($case->[1], "'emp', 0.001, $sigma") =~ s/\\;/;/r);
	wait_until($dba, "(SELECT count(*) = 1 FROM gaussdp.journal WHERE sigma = $sigma)");
	wait_until($dba, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND (wait_event = 'PgSleep' OR wait_event IS NULL AND query ~ 'LOOP'))");
	cancel();
	like((finish_ana($session))[1], qr/57014: canceling statement due to user request\nDETAIL:  What it costs has been charged\.\n/, "a cancel $case->[0]");
}
{
	$sigma++;
	my $session = start_ana($node, '-c', "SELECT charge('emp', 0.001, $sigma)", '-c', 'SELECT pg_sleep(600)');
	wait_until($dba, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event = 'PgSleep')");
	cancel();
	unlike((finish_ana($session))[1], qr/DETAIL/, 'a later statement that was charged nothing says nothing');
	$session = start_ana($node, '-c', "SELECT charge('emp', 0.001, $sigma), pg_sleep(600)");
	wait_until($dba, "EXISTS (SELECT FROM pg_stat_activity WHERE usename = 'ana' AND wait_event = 'PgSleep')");
	$dba->query_safe("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'ana'");
	like((finish_ana($session))[1], qr/57P01.*\nDETAIL:  What it costs has been charged\./, 'a session that is terminated tells as well');
}

# At random: what each statement has heard is what the journal has
{
	my $n = 200;
	my $first = $sigma + 1;
	my $file = PostgreSQL::Test::Utils::tempdir() . '/storm.sql';
	append_to_file($file, join('', map { "\\warn begin $_\nSELECT charge('emp', 0.001, $_), $_ AS s, pg_sleep(0) FROM generate_series(1, 1);\n" } $first .. $first + $n - 1));
	my $cancels = start_ana($node, '-U', $node->safe_psql('postgres', 'SELECT current_user'), '-c',
		"DO \$\$ BEGIN LOOP PERFORM pg_cancel_backend(pid) FROM pg_stat_activity WHERE usename = 'ana' AND state = 'active'; PERFORM pg_sleep(random() * 0.004), pg_stat_clear_snapshot(); END LOOP; END \$\$");
	my $canceller = "query LIKE '%pg_cancel_backend%' AND pid <> pg_backend_pid()";
	wait_until($dba, "EXISTS (SELECT FROM pg_stat_activity WHERE state = 'active' AND $canceller)");
	my $storm = start_ana($node, '-f', $file);
	my ($out, $err) = finish_ana($storm);
	$dba->query_safe("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE $canceller");
	finish_ana($cancels);
	my %journal = map { $_ => 1 } split /\n/, $node->safe_psql('d', "SELECT DISTINCT sigma::int FROM gaussdp.journal WHERE sigma >= $first");
	my %answered = map { $_ => 1 } $out =~ /^1\|(\d+)\|/mg;
	my (%told, @wrong);
	while ($err =~ /begin (\d+)\n(.*?)(?=begin \d|\z)/sg)
	{
		my ($nr, $said) = ($1, $2);
		my $is_charged = $answered{$nr} || $said =~ /What it costs has been charged/ ? 1 : 0;
		$told{$is_charged}++;
		push @wrong, "$nr: $said" if $is_charged != ($journal{$nr} ? 1 : 0) || $said =~ /not known/;
	}
	is(join("\n", @wrong), '', "$n statements that are cancelled at random know what they were charged");
	is(($told{0} || 0) + ($told{1} || 0), $n, 'all of them');
	note("charged: $told{1}, not charged: @{[ $told{0} || 0 ]}");
}

$dba->quit;
$node->stop;
done_testing();
