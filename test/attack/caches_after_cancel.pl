# What a cancelled level has left in the session's caches tells no row, to no code that runs before the next query is
# planned either: a handler's expressions in PL/pgSQL have their plans already.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('caches', '', "INSERT INTO hr.emp SELECT i, 'd', 40, 1, i, 1, timestamp '2020-01-01', 'q' FROM generate_series(10, 20000) i;");

prepare('CREATE TABLE ana.list AS SELECT array_agg(i) AS list FROM generate_series(1000, 31000) i;');

my $slow = join ' OR ', ('age > ANY ((SELECT list FROM ana.list)::int[])') x 20;
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
	handler("PERFORM dp_count(0.001, 1e-6) FROM hr.emp WHERE CASE id WHEN 7 THEN note < 'r' ELSE $slow END"));

# Nor does a cursor that was opened before.
my $fetched = "(pg_stat_get_xact_blocks_fetched(2662) + pg_stat_get_xact_blocks_fetched(1259))";
same("a cursor that was open before the cancel of a level learns no row from what is cached", <<SQL);
SELECT $toast AS index \\gset
BEGIN;
DECLARE probe CURSOR FOR SELECT chr((65 - $fetched + 0 * pg_relation_size(:index) + $fetched)::int);
SAVEPOINT s;
SET LOCAL statement_timeout = '2s';
SELECT dp_count(0.001, 1e-6) FROM hr.emp WHERE CASE id WHEN 7 THEN note < 'r' ELSE $slow END;
ROLLBACK TO s;
FETCH probe;
ROLLBACK;
SQL

$node->stop;
done_testing();
