# All answers are paused: levels that run end with one error, whatever they have found, and nothing is charged until answers are
# resumed, after a restart neither. And a session is told once that a budget is nearly spent.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = ledger_server('pause', "gaussdp.charge_timeout = '10min'\n");
$node->safe_psql('d', <<SQL);
CREATE FUNCTION waits(int, int, bool) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_waits';
INSERT INTO emp VALUES (1), (2), (3);
INSERT INTO pay VALUES (1), (2), (3);
CREATE TABLE key (id int PRIMARY KEY);
SQL
my $dba = $node->background_psql('d');
my $paused = qr/42501: private answers of this database are paused\nDETAIL:  What this query costs has been charged\.\nHINT:  .*gaussdp\.resume_answers\(\)/;

sub level
{
	my ($table, $fails) = @_;
	return "SELECT 'answer' FROM (SELECT dp_count(0.0001, 1e-6) AS n FROM $table WHERE waits(id, 1, $fails)) AS l WHERE n IS NOT NULL";
}

sub outcome
{
	my ($out, $err) = finish_ana(@_);
	return $out eq '' ? $err : $out;
}

$dba->query_safe('SELECT pg_advisory_lock(1)');
my @levels = (start_ana($node, '-c', level('emp', 'false')), start_ana($node, '-c', level('emp', 'true')), start_ana($node, '-U', 'bob', '-c', level('pay', 'false')));
wait_until($node, "(SELECT count(*) = 3 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted)");
$node->safe_psql('d', 'SELECT gaussdp.pause_answers()');
$dba->query_safe('SELECT pg_advisory_unlock(1)');
my @said = map { outcome($_) } @levels;
like($said[0], $paused, 'a level that runs when answers are paused ends with an error');
is($said[1], $said[0], 'one that fails ends with the same');
is($said[2], $said[0], 'and so does one of another role about other people');
is($node->safe_psql('d', 'SELECT count(*) FROM gaussdp_internal.error_count'), 0, 'none of them counts as an error of its role');

$dba->quit;
$node->restart;
my $before = spent($node);
like((ana($node, 'SELECT dp_count(0.1, 1e-6) FROM emp'))[2], qr/private answers of this database are paused.*Nothing was charged/s, 'a restart ends no pause');
is(spent($node), $before, 'and nothing is charged');
$node->safe_psql('d', 'SELECT gaussdp.resume_answers()');
is((ana($node, 'SELECT dp_count(0.1, 1e-6) IS NOT NULL FROM emp'))[1], 't', 'after it queries are answered');

# A budget of 10 equal questions
$node->safe_psql('d', q{SELECT gaussdp.reset_population_budget('emp'), gaussdp.grant_budget('ana', 'emp', 1, 1e-6);
	UPDATE gaussdp_internal.ledger_account SET limit_mu2 = 10 * (SELECT mu2 FROM gaussdp_internal.journal_entry WHERE event = 'charge' ORDER BY charge DESC LIMIT 1) WHERE holder = 'r' AND relation = 'emp'::regclass});
my $ask = 'SELECT dp_count(0.1, 1e-6) IS NOT NULL FROM emp;';
my $notice = qr/NOTICE:  (?:00000: )?more than 80 percent are spent of a privacy budget that pays for this query\nHINT:  gaussdp\.my_budget/;
unlike((ana($node, $ask x 8))[2], $notice, 'eight tenths of a budget are not yet told of');
my $told = (ana($node, "$ask SELECT 1; $ask"))[2];
like($told, $notice, 'nine are');
is(() = $told =~ /$notice/g, 1, 'once in a session');
$node->safe_psql('d', q{SELECT gaussdp.reset_population_budget('emp'), gaussdp.set_population_budget('emp', 1, 1e-6);
	UPDATE gaussdp_internal.ledger_account SET limit_mu2 = CASE holder WHEN 'p' THEN limit_mu2 / 1000 ELSE limit_mu2 END, limit_delta = 1000000000 WHERE relation = 'emp'::regclass});
unlike((ana($node, 'SELECT dp_count(0.001, 1e-6) IS NOT NULL FROM emp'))[2], $notice, 'another session of a fresh budget is told nothing');
like((ana($node, 'SELECT id FROM emp GROUP BY id HAVING dp_keep_group(0.001, 1.7e-9)'))[2], $notice, 'four fifths of the delta of thresholds count as well');
$node->stop;
done_testing();
