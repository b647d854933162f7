\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.lock_down(): says what it breaks, keeps what clients need, and is undone.
SELECT plan(34);
CREATE TABLE emp (id int PRIMARY KEY, note text);
INSERT INTO emp SELECT i, 'x' FROM generate_series(1, 1000) i;
VACUUM ANALYZE emp;
CREATE ROLE closed_ana;
CREATE VIEW published AS SELECT relname, reltuples::int FROM pg_class;
GRANT SELECT ON published TO PUBLIC;
CREATE ROLE closed_monitor IN ROLE pg_monitor;
CREATE ROLE closed_owner;
GRANT pg_monitor TO closed_owner;
CREATE TABLE before AS
SELECT 'pg_proc' AS class, p.oid, 0 AS sub, e.* FROM pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) e
UNION ALL SELECT 'pg_class', c.oid, 0, e.* FROM pg_class c, aclexplode(coalesce(relacl, acldefault('r', relowner))) e WHERE relnamespace = 'pg_catalog'::regnamespace
UNION ALL SELECT 'pg_class', attrelid, attnum, e.* FROM pg_attribute, aclexplode(attacl) e;
CREATE VIEW after AS
SELECT 'pg_proc' AS class, p.oid, 0 AS sub, e.* FROM pg_proc p, aclexplode(coalesce(proacl, acldefault('f', proowner))) e
UNION ALL SELECT 'pg_class', c.oid, 0, e.* FROM pg_class c, aclexplode(coalesce(relacl, acldefault('r', relowner))) e WHERE relnamespace = 'pg_catalog'::regnamespace
UNION ALL SELECT 'pg_class', attrelid, attnum, e.* FROM pg_attribute, aclexplode(attacl) e;
CREATE FUNCTION changes() RETURNS bigint LANGUAGE sql AS $$SELECT count(*) FROM ((SELECT * FROM before EXCEPT SELECT * FROM after) UNION ALL (SELECT * FROM after EXCEPT SELECT * FROM before)) d
	WHERE oid NOT IN ('changes'::regproc, 'before'::regclass, 'after'::regclass)$$;

-- Before anything is done
CREATE TABLE said AS SELECT * FROM gaussdp.lock_down(dry_run => true);
SELECT is(changes(), 0::bigint, 'a dry run changes nothing');
SELECT ok(count(*) > 100 AND count(*) = count(breaks) AND count(*) = count(action), 'and says of each object which clients need it') FROM said;
SELECT ok(bool_or(object = 'pg_stat_activity' AND breaks LIKE '%pgAdmin%') AND bool_or(object = 'pg_table_size(regclass)' AND breaks LIKE '%\dt+%'), 'by name') FROM said;
SELECT is_empty('SELECT * FROM gaussdp.undo_lock_down()', 'nothing is to be undone');
SELECT is(changes(), 0::bigint, 'nor was it');
SET ROLE closed_monitor;
PREPARE counts AS SELECT reltuples::int, relpages > 0, pg_table_size(oid) > 0 FROM pg_class WHERE relname = 'emp';
SELECT results_eq('EXECUTE counts', 'VALUES (1000, true, true)', 'before');
RESET ROLE;

SELECT set_eq('SELECT object, action, breaks FROM gaussdp.lock_down()', 'SELECT object, action, breaks FROM said', 'it does what the dry run said');
SELECT is_empty('SELECT * FROM gaussdp.lock_down()', 'once');
SELECT ok(changes() > 0, 'privileges have changed');

-- What clients ask
SET ROLE closed_ana;
SELECT results_eq('SELECT reltuples, relpages, relallvisible FROM pg_class WHERE relname = ''emp''', 'VALUES (-1::real, 0, 0)', 'row counts are unknown');
SELECT is(relname || ' ' || relkind::text, 'emp r', 'the rest of pg_class is not') FROM (SELECT * FROM pg_class WHERE relname = 'emp') c;
SELECT is(c.reltuples, -1::real, 'as JDBC asks for indexes') FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid LEFT JOIN pg_namespace n ON n.oid = c.relnamespace WHERE i.indrelid = 'emp'::regclass;
SELECT is(pg_size_pretty(pg_table_size(c.oid)), NULL, 'as psql asks for sizes') FROM pg_class c WHERE c.relname = 'emp';
SELECT is(ARRAY[pg_relation_size('emp'), pg_relation_size('emp', 'main'), pg_total_relation_size('emp'), pg_indexes_size('emp'), pg_database_size(current_database()), pg_tablespace_size('pg_default')],
	array_fill(NULL::bigint, ARRAY[6]), 'no size is shown');
SELECT is_empty('SELECT * FROM pg_class WHERE reltuples > -1 OR relpages > 0', 'nor what a condition would tell of it');
SELECT is((SELECT max(reltuples) FROM pg_class), -1::real, 'nor an aggregate');
SELECT is_empty('SELECT relname FROM pg_class GROUP BY relname, reltuples HAVING max(relpages) > 0 OR reltuples > -1', 'nor groups');
SELECT is((SELECT (SELECT c.reltuples FROM (SELECT 1) x) FROM pg_class c WHERE relname = 'emp'), -1::real, 'nor a sub-select');
SELECT is(c.reltuples, -1::real, 'nor a join by names') FROM pg_class c NATURAL LEFT JOIN (SELECT oid, reltuples FROM pg_class) d WHERE relname = 'emp';
SELECT is(n, -1::real, 'nor a WITH query') FROM (WITH w AS MATERIALIZED (SELECT relname, reltuples FROM pg_class) SELECT sum(reltuples) AS n FROM w WHERE relname = 'emp') s;
SELECT is(reltuples, 1000, 'a view of somebody who may read it is its owner''s publication') FROM published WHERE relname = 'emp';
SELECT throws_ok(q, '42501', NULL, q) FROM unnest(ARRAY['SELECT c FROM pg_class c', 'SELECT to_jsonb(c) FROM pg_class c', 'SELECT c.reltuples, c FROM pg_class c',
	'SELECT * FROM pg_stat_user_tables', 'SELECT pg_stat_get_live_tuples(''emp''::regclass)']) AS q;
EXECUTE counts \g /dev/null
SELECT results_eq('EXECUTE counts', 'SELECT -1, false, NULL::boolean', 'a plan that was made for another role');
RESET ROLE;
SET ROLE closed_monitor;
SELECT results_eq('EXECUTE counts', 'VALUES (1000, true, true)', 'who watches the server sees all of it');
RESET ROLE;
SET ROLE closed_ana;
SELECT throws_ok('SELECT * FROM gaussdp.undo_lock_down()', '42501', NULL, 'an analyst cannot undo it');
RESET ROLE;
SELECT throws_ok('SET ROLE closed_owner; SELECT * FROM gaussdp.lock_down()', '42501', NULL, 'nor close more');
RESET ROLE;

SELECT set_eq('SELECT object FROM gaussdp.undo_lock_down()', 'SELECT object FROM said', 'undone');
SELECT is(changes(), 0::bigint, 'all privileges are as before');
SET ROLE closed_ana;
SELECT results_eq('EXECUTE counts', 'VALUES (1000, true, true)', 'and shown');
RESET ROLE;
SELECT is_empty('SELECT * FROM gaussdp.undo_lock_down()', 'once');
SELECT * FROM finish();
DROP ROLE closed_ana, closed_monitor, closed_owner;
