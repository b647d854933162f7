# A level that is cancelled leaves nothing behind that tells how far it has come, and for whom: settings, role, counters
# and the turn of temporary tablespaces are as after one that has run to its end.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $spaces = join ', ', map { "ts$_" } 1 .. 7;
my $node = neighbours('cancel', "work_mem = '64kB'\nallow_in_place_tablespaces = on\n",
	"INSERT INTO hr.emp SELECT i, 'd', 40, 1, i, 1, timestamp '2020-01-01', 'q' FROM generate_series(10, 1500) i;");
$node->safe_psql('postgres', "SET allow_in_place_tablespaces = on; CREATE TABLESPACE ts$_ LOCATION ''") foreach 1 .. 7;
$node->safe_psql('postgres', "GRANT CREATE ON TABLESPACE ts$_ TO ana") foreach 1 .. 7;

# A list that takes some milliseconds to compare with, row by row.
prepare(<<'SQL');
CREATE TABLE ana.list AS SELECT array_agg(i) AS list FROM generate_series(1000, 200000) i;
CREATE FUNCTION ana.turn(name) RETURNS int LANGUAGE sql AS
  $$SELECT substr(spcname, 3)::int FROM pg_class c JOIN pg_tablespace t ON t.oid = reltablespace WHERE relname = $1 AND relnamespace = pg_my_temp_schema()$$;
SQL

# Row 7 lets the join build its table of files; those behind it then take the time, in both databases.
my $join = 'SELECT dp_count(0.001, 1e-6) > -1e9 FROM hr.emp JOIN generate_series(1, 50000) g ON g = dept_id';
my $slow = join ' OR ', ('age > ANY ((SELECT list FROM ana.list)::int[])') x 20;
foreach ([ 'a condition that nobody meets', 'salary > 75000' ], [ 'a condition that person 7 meets', 'salary > 65000' ])
{
	same("the turn of temporary tablespaces after a cancelled level tells no row: $_->[0]", <<SQL);
SET enable_nestloop = off; SET enable_mergejoin = off; SET temp_tablespaces = $spaces;
BEGIN;
CREATE TEMP TABLE before ();
SAVEPOINT s;
SET LOCAL statement_timeout = '2s';
$join WHERE CASE id WHEN 7 THEN $_->[1] ELSE ($slow) END;
ROLLBACK TO s;
CREATE TEMP TABLE after ();
SELECT 'files: ' || chr(65 + (7 + ana.turn('after') - ana.turn('before')) % 7);
SELECT current_user, current_setting('client_min_messages'), current_setting('track_functions'), current_setting('search_path'), current_setting('track_counts');
SELECT sum(seq_scan) > 0, sum(idx_scan) > 0 FROM pg_stat_xact_all_tables WHERE schemaname = 'hr';
ROLLBACK;
SQL
}

$node->stop;
done_testing();
