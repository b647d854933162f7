# What a cancelled level has left in the session's caches tells no row, to no code that runs before the next query is
# planned either: a handler's expressions in PL/pgSQL have their plans already.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $lib = $ENV{GAUSSDP_TESTLIB} or plan skip_all => 'needs the test module';
my $node = neighbours('caches', '', "CREATE FUNCTION waits(int, int, bool) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS '$lib', 'test_waits'; INSERT INTO hr.emp SELECT i, 'd', 40, 1, i, 1, timestamp '2020-01-01', 'q' FROM generate_series(10, 300) i;");

# The rows behind the first nine wait for somebody who holds a lock.
my %holder = map { $_ => $node->background_psql($_) } 'one', 'none';
$_->query_safe('SELECT pg_advisory_lock(1)') foreach values %holder;
my $toast = "(SELECT i.indexrelid FROM pg_class c JOIN pg_index i ON i.indrelid = c.reltoastrelid WHERE c.oid = 'hr.emp'::regclass)";

sub handler
{
	my ($level) = @_;
	return <<SQL;
SET statement_timeout = '2s';
DO \$\$
DECLARE
    index oid := $toast;
    before bigint;
    size bigint;
    later bigint;
BEGIN
    FOR i IN 1 .. 2 LOOP
        BEGIN
            IF i = 1 THEN
                RAISE query_canceled;
            END IF;
            $level;
        EXCEPTION WHEN query_canceled THEN
            before := pg_stat_get_xact_blocks_fetched(2662) + pg_stat_get_xact_blocks_fetched(1259);
            size := pg_relation_size(CASE i WHEN 1 THEN 1259 ELSE index END);
            later := pg_stat_get_xact_blocks_fetched(2662) + pg_stat_get_xact_blocks_fetched(1259);
            IF i = 2 THEN
                RAISE NOTICE 'read: %', later - before;
            END IF;
        END;
    END LOOP;
END\$\$;
SQL
}

same('without a level a handler reads the same in both databases', handler('PERFORM pg_sleep(5)'));
same('a handler that catches the cancel of a level learns no row from what is cached',
	handler("PERFORM dp_count(0.001, 1e-6) FROM hr.emp WHERE CASE WHEN id = 7 THEN note < 'r' WHEN id > 9 THEN waits(id, 1, false) END"));

# Nor does a cursor that was opened before.
my $fetched = "(pg_stat_get_xact_blocks_fetched(2662) + pg_stat_get_xact_blocks_fetched(1259))";
same("a cursor that was open before the cancel of a level learns no row from what is cached", <<SQL);
SELECT $toast AS index \\gset
BEGIN;
DECLARE probe CURSOR FOR SELECT chr((65 - $fetched + 0 * pg_relation_size(:index) + $fetched)::int);
SAVEPOINT s;
SET LOCAL statement_timeout = '2s';
SELECT dp_count(0.001, 1e-6) FROM hr.emp WHERE CASE WHEN id = 7 THEN note < 'r' WHEN id > 9 THEN waits(id, 1, false) END;
ROLLBACK TO s;
FETCH probe;
ROLLBACK;
SQL

$_->quit foreach values %holder;
$node->stop;
done_testing();
