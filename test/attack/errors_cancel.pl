# A level that is cancelled leaves nothing behind that tells how far it has come, and for whom: settings, role, counters
# and the turn of temporary tablespaces are as after one that has run to its end.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $spaces = join ', ', map { "ts$_" } 1 .. 127;
my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = neighbours('cancel', "work_mem = '64kB'\nallow_in_place_tablespaces = on\n",
	"INSERT INTO hr.emp SELECT i, 'd', 40, 1, i, 1, timestamp '2020-01-01', 'q' FROM generate_series(10, 1500) i;"
	  . "CREATE FUNCTION waits(int, int, bool) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_waits';");
$node->safe_psql('postgres', join "\n", 'SET allow_in_place_tablespaces = on;', map { "CREATE TABLESPACE ts$_ LOCATION ''; GRANT CREATE ON TABLESPACE ts$_ TO ana;" } 1 .. 127);

# Whom the rows behind the first nine wait for.
my %holder = map { $_ => $node->background_psql($_) } 'one', 'none';
$_->query_safe('SELECT pg_advisory_lock(1)') foreach values %holder;
prepare(<<'SQL');
CREATE FUNCTION ana.turn(name) RETURNS int LANGUAGE sql AS
  $$SELECT substr(spcname, 3)::int FROM pg_class c JOIN pg_tablespace t ON t.oid = reltablespace WHERE relname = $1 AND relnamespace = pg_my_temp_schema()$$;
SQL

# Row 7 lets the join build its table of files; those behind it then wait, in both databases.  What stands before the
# first row takes the time that it takes now in a level that has no row that waits: a cancel comes well after it, however busy the
# machine is, and not before the level has begun.
my $join = 'SELECT dp_count(0.001, 1e-6) > -1e9 FROM hr.emp JOIN generate_series(1, 10000) g ON g = dept_id';
# The turn after each of 4 cancelled levels is drawn from 127: they are all the same with a probability below 1e-6.
foreach ([ 'a condition that nobody meets', 'salary > 75000' ], [ 'a condition that person 7 meets', 'salary > 65000' ])
{
	my $level = "$join WHERE CASE WHEN id = 7 THEN $_->[1] WHEN id > 9 THEN waits(id, 1, false) END";
	my $one = <<SQL;
SELECT clock_timestamp() AS start \\gset
$join WHERE CASE WHEN id = 7 THEN $_->[1] WHEN id > 9 THEN id < 0 AND waits(id, 1, false) END;
SELECT round(300 + 3000 * extract(epoch FROM clock_timestamp() - :'start')) AS timeout \\gset
BEGIN;
CREATE TEMP TABLE before ();
SAVEPOINT s;
SET LOCAL statement_timeout = :timeout;
$level;
ROLLBACK TO s;
CREATE TEMP TABLE after ();
SELECT 'files: ' || (127 + ana.turn('after') - ana.turn('before')) % 127;
SELECT 'settings: ' || current_setting('client_min_messages') || current_setting('track_functions') || current_setting('search_path') || current_setting('track_counts');
ROLLBACK;
SQL
	foreach my $database ('one', 'none')
	{
		my $seen = Neighbours::run("SET enable_nestloop = off; SET enable_mergejoin = off; SET temp_tablespaces = $spaces;\n" . $one x 4, $database);
		my %turns = map { $_ => 1 } $seen =~ /^files: (\d+)/mg;
		my %settings = map { $_ => 1 } $seen =~ /^settings: (.*)/mg;
		is(() = $seen =~ /57014/g, 4, "$_->[0]: each level is cancelled, in database $database");
		cmp_ok(keys %turns, '>', 1, '... the turn of temporary tablespaces afterwards is left to chance');
		is(keys %settings, 1, '... and settings are what they were') or diag(keys %settings);
	}
}

$_->quit foreach values %holder;
$node->stop;
done_testing();
