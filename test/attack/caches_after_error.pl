# What a level that has failed leaves in the caches of its session is gone before anything of the analyst's runs again:
# also where that is neither planned nor started as a query, as are the arguments of CALL and the handler of an error.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = neighbours('error_caches', '', "CREATE FUNCTION waits(int, int, bool) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_waits'; INSERT INTO hr.emp SELECT i, 'd', 40, 1, i, 1, timestamp '2020-01-01', 'q' FROM generate_series(10, 3000) i;");

# The size of the index of the notes' TOAST table, for which its relation is opened; a handler of errors that asks for
# it by an expression which it has planned before.
prepare(<<'SQL');
CREATE TABLE ana.toast AS SELECT i.indexrelid AS oid FROM pg_class c JOIN pg_index i ON i.indrelid = c.reltoastrelid WHERE c.oid = 'hr.emp'::regclass;
CREATE PROCEDURE ana.nothing(bigint) LANGUAGE plpgsql AS 'BEGIN END';
CREATE FUNCTION ana.handler(what text, toast oid) RETURNS int LANGUAGE plpgsql AS $$
DECLARE size bigint := 0;
BEGIN
	EXECUTE what;
	RETURN 0;
EXCEPTION WHEN query_canceled OR division_by_zero THEN
	size := pg_relation_size(toast);
	RETURN 1;
END $$;
SQL

# All rows behind the first nine wait for somebody who holds a lock; among these nine person 7 alone has a note that is in the TOAST table.
my %holder = map { $_ => $node->background_psql($_) } 'one', 'none';
$_->query_safe('SELECT pg_advisory_lock(1)') foreach values %holder;
my $level = "SELECT dp_count(0.001, 1e-6) > -1e9 FROM hr.emp WHERE CASE WHEN id < 10 THEN note > 'qq' ELSE waits(id, 1, false) END";
my $toast = 'SELECT oid AS toast FROM ana.toast \gset';
my $letters = "'0123456789', 'abcdefghij'";

is(Neighbours::seen(Neighbours::run("SET statement_timeout = '2s';\n$level;", $_)) =~ /57014/, 1, "the level is cancelled: $_") foreach 'one', 'none';

same('the catalog that the arguments of CALL read after a cancelled level tells no row', <<SQL);
$toast
CALL ana.nothing(1);
BEGIN;
SELECT sum(idx_scan) IS NULL FROM pg_stat_xact_sys_tables;
SAVEPOINT s;
SET LOCAL statement_timeout = '2s';
$level;
ROLLBACK TO s;
CALL ana.nothing(pg_relation_size(:toast));
SELECT relname, translate(idx_scan::text, $letters) FROM pg_stat_xact_sys_tables WHERE schemaname = 'pg_catalog' AND idx_scan > 0 AND relname IN ('pg_class', 'pg_index') ORDER BY 1;
ROLLBACK;
SQL

same('nor does what the handler of its error reads', <<SQL);
$toast
SELECT ana.handler('SELECT 1 / 0', 'ana.toast'::regclass) IS NULL;
SELECT ana.handler('SELECT 1 / 0', 'ana.toast'::regclass) IS NULL;
SELECT set_config('ana.level', \$q\$$level\$q\$, false) IS NULL;
SET statement_timeout = '2s';
BEGIN;
SELECT ana.handler(current_setting('ana.level'), :toast) = 1;
SELECT relname, translate(idx_scan::text, $letters) FROM pg_stat_xact_sys_tables WHERE schemaname = 'pg_catalog' AND idx_scan > 0 AND relname IN ('pg_class', 'pg_index') ORDER BY 1;
ROLLBACK;
SQL

$_->quit foreach values %holder;
$node->stop;
done_testing();
