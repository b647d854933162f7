# Every lock and every piece of a value that lies elsewhere is taken before the first protected row: no lock that is
# not to be had, in this session or because of another, tells that a row was there.
use strict;
use warnings FATAL => 'all';

use FindBin;
use lib $FindBin::RealBin;
use Neighbours;
use Test::More;

my $node = neighbours('locks', "max_locks_per_transaction = 40\nmax_worker_processes = 6\n");

prepare(<<'SQL');
CREATE TABLE ana.pub (body text);
ALTER TABLE ana.pub ALTER body SET STORAGE EXTERNAL;
INSERT INTO ana.pub VALUES (repeat('q', 30000));
DO $$BEGIN FOR i IN 1 .. 20 LOOP EXECUTE format('CREATE TABLE ana.fast_path_%s ()', i); END LOOP; END$$;
-- Takes every lock that the server has room for, those beside its table included
CREATE FUNCTION ana.fill() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. 20 LOOP EXECUTE format('LOCK TABLE ana.fast_path_%s IN ACCESS SHARE MODE', i); END LOOP;
    FOR i IN 1 .. 100000 LOOP PERFORM pg_advisory_lock(i); END LOOP;
EXCEPTION WHEN out_of_memory THEN NULL;
END$$;
-- The same; an exception block gives the locks of its tables back
CREATE FUNCTION ana.fill_and_keep() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
    FOR i IN 1 .. 20 LOOP EXECUTE format('LOCK TABLE ana.fast_path_%s IN ACCESS SHARE MODE', i); END LOOP;
    PERFORM ana.fill();
END$$;
SQL

my $n = 'SELECT dp_count(0.01, 1e-6)';
my $first = "$n FROM hr.emp";
my $public = "$n FROM hr.emp JOIN (SELECT DISTINCT body FROM ana.pub) p ON body = note WHERE id = 7";
my $protected = "$n FROM hr.emp WHERE salary BETWEEN 65000 AND 75000 AND note < 'r'";

# Between two fetches, another session locks where a value of a public table lies.
foreach my $plan ('hashjoin', 'mergejoin', 'nestloop')
{
	my $off = join ' ', map { "SET enable_$_ = off;" } grep { $_ ne $plan } qw(nestloop hashjoin mergejoin);
	same_steps("a public value that cannot be fetched any more tells no row: $plan (S15)",
		[ 'ana', "$off SET lock_timeout = '100ms'; BEGIN; DECLARE c CURSOR FOR $first UNION ALL $public; FETCH 1 c" ],
		[ 'ana other', 'BEGIN; REINDEX TABLE ana.pub' ],
		[ 'ana', 'FETCH 1 c; ROLLBACK' ],
		[ 'ana other', 'ROLLBACK' ]);
}
same_steps('nor where it is locked from the start (S15)',
	[ 'ana other', 'BEGIN; REINDEX TABLE ana.pub' ],
	[ 'ana', "SET lock_timeout = '100ms'; $public" ],
	[ 'ana other', 'ROLLBACK' ]);

# An administrator's maintenance does the same to protected values: before a level runs it can, and the level waits for it
# ahead of its first row; once a level has run it cannot, until the transaction ends.
my $maintain = q{SET lock_timeout = '100ms'; BEGIN; DO $$BEGIN EXECUTE (SELECT format('REINDEX TABLE %s', reltoastrelid::regclass) FROM pg_class WHERE oid = 'hr.emp'::regclass); END$$};
same_steps("a protected value that cannot be fetched any more tells no row: $_->[0]",
	[ 'ana', "SET lock_timeout = '100ms'; BEGIN; DECLARE c CURSOR FOR $_->[1] UNION ALL $protected; FETCH 1 c" ],
	[ 'postgres', $maintain ],
	[ 'ana', 'FETCH 1 c; ROLLBACK' ],
	[ 'postgres', 'ROLLBACK' ]) foreach [ 'before its level', 'SELECT 1' ], [ 'between two levels', "SELECT 1 FROM ($first) s" ];

# The server has no room for one lock more.
same_steps("a lock table that is full tells no row: $_->[0] (S17)", [ 'ana', $_->[1] ]) foreach
  [ 'between DECLARE and FETCH', "BEGIN; DECLARE c CURSOR FOR $protected; SELECT ana.fill_and_keep(); FETCH 1 c; ROLLBACK; SELECT pg_advisory_unlock_all()" ],
  [ 'between two fetches', "BEGIN; DECLARE c CURSOR FOR $first UNION ALL $protected; FETCH 1 c; SELECT ana.fill_and_keep(); FETCH 1 c; ROLLBACK; SELECT pg_advisory_unlock_all()" ],
  [ 'before a prepared statement', "PREPARE p AS $protected; EXECUTE p; BEGIN; SELECT ana.fill_and_keep(); EXECUTE p; ROLLBACK; SELECT pg_advisory_unlock_all()" ],
  [ 'by a function over another level', "BEGIN; SELECT ana.fill_and_keep() IS NULL FROM ($first) s UNION ALL SELECT v > 0 FROM ($protected) t (v); ROLLBACK; SELECT pg_advisory_unlock_all()" ];

$node->stop;
done_testing();
