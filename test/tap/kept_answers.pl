# Answers that are kept: durable, written by nobody but the worker, lost at the cost of budget alone.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use LedgerTest;
use PostgreSQL::Test::Cluster;
use PostgreSQL::Test::Utils;
use Test::More;

my $node = ledger_server('kept', "gaussdp.charge_timeout = '10min'\n");
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

# Limits of size
$node->append_conf('postgresql.conf', "gaussdp.kept_answers_size = 16\n");
$node->reload;
$node->safe_psql('d', 'TRUNCATE gaussdp_internal.kept_answer');
answer("SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > $_") foreach 1 .. 20;
is($node->safe_psql('d', 'SELECT count(*) > 5 AND sum(size) <= 16384 FROM gaussdp_internal.kept_answer'), 't', 'a database keeps no more than gaussdp.kept_answers_size');
$node->safe_psql('d', q{UPDATE gaussdp_internal.kept_answer SET until = now() - interval '1 s'});
answer('SELECT dp_count(0.001, 1e-6) FROM emp WHERE id > 50');
is(rows(), 1, 'and those that are shown to nobody any more go');
answer('SELECT dp_histogram(id::float8, 0.1, 1e-6, 0, 1000, 500) FROM emp');
is(rows(), 1, 'an answer takes a sixteenth of it at most');

# A dump has none of them
$node->append_conf('postgresql.conf', "gaussdp.kept_answers_size = 0\n");
$node->reload;
is($node->safe_psql('d', 'SELECT count(*) FROM unnest((SELECT extconfig FROM pg_extension WHERE extname = $$gaussdp$$)) AS t (id) WHERE id = $$gaussdp_internal.kept_answer$$::regclass'), 0, 'no dump has kept answers');
isnt(answer(), answer(), 'with the setting 0 all is drawn anew');
$node->stop;
done_testing();
