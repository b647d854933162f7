# Rows of people are weighed by partitions of persons: how many there are, whether they are in files, and whether one
# person has more rows than fit into memory, shows nowhere.  A cancel is answered while rows are partitioned, divided, counted and
# handed up, and leaves no file; the long form (make nightly) measures that it is within a tenth of a second of the processor's time.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use IPC::Run;
use Neighbours;
use Test::More;
use Time::HiRes qw(time);

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';

# Person 7 owns half of the rows, more than are kept in memory by any query here.
my $node = neighbours('partitions', "work_mem = '64kB'\nallow_in_place_tablespaces = on\nlog_temp_files = 0\n", <<"SQL");
CREATE FUNCTION public.cpu_time() RETURNS float8 LANGUAGE C AS '$lib', 'test_cpu_time';
CREATE TABLE hr.visit (person int NOT NULL, ward text, cost float8);
INSERT INTO hr.visit SELECT CASE WHEN j % 2 = 0 THEN 7 ELSE 10 + j END, 'w' || j % 5, j % 100 FROM generate_series(1, 40000) j;
SELECT gaussdp.protect('hr.visit', unit => 'person', max_rows => 5, max_groups => 3), gaussdp.grant_budget('ana', 'hr.visit', 1000, 1e-2);
SQL
$node->safe_psql('none', 'DELETE FROM hr.visit WHERE person = 7');
$node->safe_psql($_, 'VACUUM (FULL, ANALYZE) hr.visit') foreach 'one', 'none';
my $files = "SELECT temp_files || ' ' || temp_bytes FROM pg_stat_database WHERE datname = current_database()";
my %before = map { $_ => $node->safe_psql($_, $files) } 'one', 'none';
my $counts = 'SELECT dp_count(0.001, 1e-6) > -1e9, dp_sum(cost, 0.001, 1e-6, 0, 100) > -1e12 FROM hr.visit';

Neighbours::same('a level whose rows are in files looks as one that has half of them', "$counts;");
unlike(Neighbours::run("$counts;", 'one'), qr/ERROR|WARNING/, 'and is answered');
Neighbours::same('so does EXPLAIN of it, executed, with all options but time', "EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) $counts;");
unlike(Neighbours::run("EXPLAIN (ANALYZE, VERBOSE, BUFFERS) $counts;", 'one'), qr/PrivateWeights|temp |Partition/, 'which names neither the node nor files');
like(Neighbours::run("EXPLAIN (ANALYZE, VERBOSE, BUFFERS) $counts;", 'one'), qr/PrivateLevel/, 'but the level');

# Files were written indeed, and no counter says so.
like(PostgreSQL::Test::Utils::slurp_file($node->logfile), qr/temporary file/, 'the server has written files, as its own log says');
is($node->safe_psql($_, $files), $before{$_}, "no counter of temporary files has moved: $_") foreach 'one', 'none';

# The same where a sub-query groups by the person, whose rows another node brings together: person 7's do not fit into memory.
my $grouped = 'SELECT dp_avg(n, 0.001, 1e-6, 0, 100) > -1e9 FROM (SELECT person, count(*) AS n, sum(least(greatest(cost::numeric, 0), 100)) AS c FROM hr.visit GROUP BY person) s WHERE c > -1';
Neighbours::same('a sub-query that groups by people looks as one that has half of the rows', "$grouped;");
unlike(Neighbours::run("$grouped;", 'one'), qr/ERROR|WARNING/, 'and is answered');
Neighbours::same('so does EXPLAIN of it', "EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) $grouped;");
unlike(Neighbours::run("EXPLAIN (ANALYZE, VERBOSE, BUFFERS) $grouped;", 'one'), qr/PrivateGroups|temp |Partition/, 'which names neither the node nor files');
is($node->safe_psql($_, $files), $before{$_}, "no counter of temporary files has moved: $_") foreach 'one', 'none';

# A cancel, wherever the level is; the level takes some seconds, since some public rows stand beside each of its rows.  In the long form: by
# the time that it is due the processor has worked for it no longer than that, and what it works on counts, whatever else
# the machine does: the longest stretch without an answer, and the end of the statement.
my $full = $ENV{GAUSSDP_FULL};
my $rows = $full ? 40 : 15;
my $long = 'SELECT dp_count(0.001, 1e-6) > -1e9, dp_sum(cost, 0.001, 1e-6, 0, 100) > -1e12 FROM hr.visit CROSS JOIN generate_series(1, ' . $rows . ')';
my $start = time;
unlike(Neighbours::run("$long;", 'one'), qr/ERROR/, 'a long level is answered');
my $whole = time - $start;
sub cancel
{
	my ($name, $query, $seconds, @parts) = @_;
	foreach my $memory ('64kB', $full ? '1MB' : (), '256MB')
	{
		foreach my $part (@parts)
		{
			# a machine that has become faster has answered by then: sooner, until it has not
			my ($seen, $timeout) = ('', 1000 * $seconds * $part);
			for (1 .. 20)
			{
				$seen = Neighbours::run(sprintf("SET work_mem = '%s'; SET statement_timeout = %d; SELECT cpu_time() AS start \\gset\n%s;\nSELECT 'worked ' || (cpu_time() - :start) / 1000;", $memory, $timeout, $query), 'one');
				last if $seen =~ /57014/;
				$timeout *= 0.8;
			}
			like($seen, qr/57014/, "$name is cancelled at about $part of its time, within $memory");
			my ($worked) = $seen =~ /^worked (\S+)$/m;
			cmp_ok($worked, '<', int($timeout) + 100, '... and ends within a tenth of a second of work') if $full;
		}
	}
}
cancel('a level', $long, $whole, $full ? (0.15, 0.3, 0.45, 0.6, 0.75, 0.9) : (0.6));
$grouped =~ s/hr.visit/hr.visit CROSS JOIN generate_series(1, $rows)/;
$start = time;
unlike(Neighbours::run("$grouped;", 'one'), qr/ERROR/, 'a long one over a sub-query is answered');
cancel('it', $grouped, time - $start, $full ? (0.25, 0.5, 0.75) : (0.6));
is($node->safe_psql('one', 'SELECT count(*) FROM pg_ls_tmpdir()'), '0', 'and leaves no file');

# The same where several processes partition rows and weigh people.
my $parallel = 'SET min_parallel_table_scan_size = 0; SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; SET max_parallel_workers_per_gather = 2;';
$node->append_conf('postgresql.conf', 'log_min_messages = debug1');
$node->reload;
my $offset = -s $node->logfile;
Neighbours::same('a parallel plan looks the same, too', "$parallel $counts; EXPLAIN (ANALYZE, VERBOSE, BUFFERS, TIMING off, SUMMARY off) $counts;");
unlike(Neighbours::run("$parallel $counts;", 'one'), qr/ERROR|WARNING/, 'and is answered');
my $log = PostgreSQL::Test::Utils::slurp_file($node->logfile, $offset);
like($log, qr/registering background worker "parallel worker/, 'by several processes');
like($log, qr/temporary file: path "[^"]*fileset/, 'which share files');
is($node->safe_psql($_, $files), $before{$_}, "no counter of temporary files has moved: $_") foreach 'one', 'none';
$node->append_conf('postgresql.conf', 'log_min_messages = warning');
$node->reload;

# A cancel, and a worker that is lost, whatever it is doing: no answer, which would be one from a part of the rows.
$node->safe_psql('one', <<'SQL' =~ s/:rows/$full ? 600_000 : 150_000/ger);
BEGIN;
CREATE TABLE hr.many (person int NOT NULL, ward text NOT NULL, cost float8 NOT NULL);
INSERT INTO hr.many SELECT j::int8 * 7919 % (:rows / 10), 'w' || j % 200, j % 100 FROM generate_series(1, :rows) j;
COMMIT;
SELECT gaussdp.protect('hr.many', unit => 'person', max_rows => 5, max_groups => 3), gaussdp.grant_budget('ana', 'hr.many', 1000, 1e-2);
CREATE FUNCTION public.end_worker(wait float8, most float8) RETURNS bool LANGUAGE plpgsql AS $$
BEGIN
	WHILE clock_timestamp() < statement_timestamp() + most * interval '1 s' LOOP
		PERFORM pg_stat_clear_snapshot();
		IF EXISTS (SELECT FROM pg_stat_activity WHERE backend_type = 'parallel worker') THEN
			PERFORM pg_sleep(wait), pg_stat_clear_snapshot();
			RETURN (SELECT bool_or(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE backend_type = 'parallel worker');
		END IF;
		PERFORM pg_sleep(0.001);
	END LOOP;
	RETURN false;
END $$;
SQL
my $many = 'SELECT count(*) FROM (SELECT ward, dp_sum(cost, 0.001, 1e-6, 0, 100) FROM hr.many GROUP BY ward HAVING dp_keep_group(0.001, 1e-6)) s';
$start = time;
unlike(Neighbours::run("$parallel $many;", 'one'), qr/ERROR/, 'a long parallel level is answered');
$whole = time - $start;
foreach my $memory ('64kB', '256MB')
{
	foreach my $part ($full ? (0.2, 0.4, 0.6, 0.8) : (0.5))
	{
		my ($seen, $timeout) = ('', 1000 * $whole * $part);
		for (1 .. 20)
		{
			$seen = Neighbours::run(sprintf("$parallel SET work_mem = '%s'; SET statement_timeout = %d; SELECT cpu_time() AS start \\gset\n%s;\nSELECT 'worked ' || (cpu_time() - :start) / 1000;", $memory, $timeout, $many), 'one');
			last if $seen =~ /57014/;
			$timeout *= 0.8;
		}
		like($seen, qr/57014/, "a parallel level is cancelled at about $part of its time, within $memory");
		my ($worked) = $seen =~ /^worked (\S+)$/m;
		cmp_ok($worked, '<', int($timeout) + 100, '... and ends within a tenth of a second of work') if $full;

		my ($out, $killer, $wait) = ('', undef, 0.7 * $whole * $part);
		for (1 .. 20)
		{
			$killer = IPC::Run::start([ 'psql', '-qXAt', '-d', $node->connstr('one'), '-c', sprintf('SELECT end_worker(%f, %f)', $wait, 0.5 + $whole) ], '>', \$out);
			$seen = Neighbours::run("$parallel SET work_mem = '$memory'; $many;", 'one');
			IPC::Run::finish($killer);
			last if $seen =~ /ERROR/;
			$wait *= 0.8;
		}
		like($seen, qr/ERROR:  57P01: the query over protected tables could not be finished/, 'a worker is ended: no answer');
		unlike($seen, qr/^\d/m, '... and none of a part');
	}
}
is($node->safe_psql('one', 'SELECT count(*) FROM pg_ls_tmpdir()'), '0', 'and leaves no file');

# All processes fail, and the errors of those that come second arrive while that of the first is being told.
$node->safe_psql('one', "CREATE FUNCTION public.fails_57014(int) RETURNS bool LANGUAGE C IMMUTABLE LEAKPROOF PARALLEL SAFE AS '$lib', 'test_fails'");
my $failures = $full ? 30 : 5;
my $failing = join '', map { 'SELECT dp_count(0.001, 1e-6) FROM hr.many WHERE public.fails_57014(person);' . "\n" } 1 .. $failures;
my $failed = Neighbours::run("$parallel SET max_parallel_workers_per_gather = 4;\n$failing", 'one');
is(() = $failed =~ /ERROR:  57014: the query over protected tables could not be finished/g, $failures, 'errors of several processes all have one text');
unlike($failed, qr/secret/, 'and show nothing of a row');

$node->stop;
done_testing();
