# Segments of dynamic shared memory, which everybody takes from one table: a level asks before the charge whether there are some, and takes as many whatever its rows are.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use PostgreSQL::Test::Utils;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
# Nobody but person 7 is of the kind that is asked for; the row of person 8 comes after theirs, on the same page.
my $node = neighbours('segments', "min_parallel_table_scan_size = 0\nparallel_setup_cost = 0\nparallel_tuple_cost = 0\nmax_parallel_workers_per_gather = 2\ngaussdp.charge_timeout = '60s'\n", <<"SQL");
CREATE FUNCTION waits(int, int, bool) RETURNS bool IMMUTABLE LEAKPROOF PARALLEL SAFE LANGUAGE C AS '$lib', 'test_waits';
CREATE FUNCTION take_segments(int) RETURNS int LANGUAGE C AS '$lib', 'test_take_segments';
CREATE TABLE hr.few (person int NOT NULL, kind text);
INSERT INTO hr.few SELECT 7, 'k' || i FROM generate_series(1, 3) AS i;
INSERT INTO hr.few SELECT 8, 'other';
ALTER TABLE hr.few SET (parallel_workers = 2);
SELECT gaussdp.protect('hr.few', 'person', max_rows => 3), gaussdp.grant_budget('ana', 'hr.few', 1000, 1e-2);
DELETE FROM hr.few WHERE person = 7 AND current_database() = 'none';
SQL
my $groups = "SELECT count(*) FROM (SELECT kind, dp_count(0.01, 1e-6) FROM hr.few WHERE %s GROUP BY kind HAVING dp_keep_group(0.01, 1e-9)) AS s";
my $asked = sprintf $groups, 'person = 7';
my $charges = "SELECT count(*) FROM gaussdp.journal WHERE event = 'charge'";

sub session
{
	my ($database, @of) = @_;
	return $node->background_psql($database, on_error_stop => 0, timeout => $PostgreSQL::Test::Utils::timeout_default, extra_params => [ @of, '-v', 'VERBOSITY=verbose' ]);
}

# Before the charge: all but so many are taken.
{
	my ($left, $holder) = (3, session('one'));
	$holder->query("SELECT take_segments($left)");
	my @before = map { $node->safe_psql($_, $charges) } 'one', 'none';
	same("all but $left segments are taken", "$asked;");
	like(Neighbours::run("$asked;", 'one'), qr/ERROR:  53000: too few segments .*\nDETAIL:  Nothing was read or charged\./, 'the refusal says why');
	is_deeply([ map { $node->safe_psql($_, $charges) } 'one', 'none' ], \@before, 'and costs nothing');
	$holder->quit;
}
same('with four of them there is an answer', "$asked;");
unlike(Neighbours::run("$asked;", 'one'), qr/ERROR/, 'which is one');

# After it, they are taken before processes start: two are what these start with.
foreach my $left (1, 2)
{
	my %seen;
	foreach my $database ('one', 'none')
	{
		my ($dba, $holder, $analyst) = (session($database), session($database), session($database, '-U', 'ana'));
		my $leader = $analyst->query('SELECT pg_backend_pid()');
		$dba->query('BEGIN; SELECT FROM gaussdp_internal.ledger_account FOR UPDATE');
		$analyst->query_until(qr/running/, "\\echo running\nSET gaussdp.charge_timeout = '20s'; $asked;\n");
		ok($node->poll_query_until($database, "SELECT wait_event_type = 'Extension' FROM pg_stat_activity WHERE pid = $leader"), "$database: a charge waits");
		$holder->query("SELECT take_segments($left)");
		$dba->query('COMMIT');
		$seen{$database} = seen($analyst->query('SELECT NULL') . Neighbours::without_noise($analyst->{stderr}));
		$_->quit foreach $dba, $holder, $analyst;
	}
	is($seen{one}, $seen{none}, "with $left segments that are left when processes start, both see the same");
	unlike($seen{one}, qr/ERROR/, 'an answer');
	is($node->safe_psql('one', "SELECT sum(errors), sum(cancels), sum(resource_errors) FROM gaussdp.budget WHERE paid_by = 'ana'"), '0|0|0', 'and nothing is counted');
	$node->safe_psql('one', "SELECT gaussdp.resume_budget('ana', 'hr.few')");
}

# What others see of it while it runs: how many are left.
my %left;
foreach my $database ('one', 'none')
{
	my ($holder, $counter, $analyst) = (session($database), session($database), session($database, '-U', 'ana'));
	$holder->query('SELECT pg_advisory_lock(1)');
	$analyst->query_until(qr/running/, "\\echo running\n" . (sprintf $groups, 'person = 7 OR person = 8 AND waits(person, 1, false) AND kind IS NULL') . ";\n");
	ok($node->poll_query_until('postgres', 'SELECT EXISTS (SELECT FROM pg_locks WHERE NOT granted)'), "$database: a process stands at the last row");
	$left{$database} = $counter->query('SELECT take_segments(0)');
	$holder->query('SELECT pg_advisory_unlock(1)');
	unlike($analyst->query('SELECT NULL') . $analyst->{stderr}, qr/ERROR/, "$database: and goes on");
	$_->quit foreach $holder, $counter, $analyst;
}
is($left{one}, $left{none}, 'others are left as many, whether there was a row or not');

$node->stop;
done_testing();
