\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.lock_down(): says what it breaks, keeps what clients need, and is undone.
SELECT plan(62);
CREATE TABLE emp (id int PRIMARY KEY, note text);
INSERT INTO emp SELECT i, 'x' FROM generate_series(1, 1000) i;
VACUUM ANALYZE emp;
-- An index that was made where an old version of some row was there says so.
BEGIN;
UPDATE emp SET note = 'y' WHERE id = 1000;
CREATE INDEX emp_note ON emp (note);
COMMIT;
CREATE ROLE closed_ana;
SET ROLE closed_ana;
SELECT results_eq('SELECT indcheckxmin FROM pg_index WHERE indexrelid = ''emp_note''::regclass', 'VALUES (true)', 'that some row has changed is shown');
RESET ROLE;
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
-- The oldest transaction of which VACUUM has left a row is that row's.
SELECT results_eq('SELECT relfrozenxid, relminmxid FROM pg_class WHERE relname = ''emp''', 'VALUES (''0''::xid, ''0''::xid)', 'so is the oldest transaction of a row');
SELECT is_empty('SELECT * FROM pg_database WHERE datfrozenxid <> ''0'' OR datminmxid <> ''0''', 'and that of a database');
SELECT results_eq('SELECT indcheckxmin, indisvalid FROM (SELECT * FROM pg_index WHERE indexrelid = ''emp_note''::regclass) i', 'VALUES (false, true)', 'and that of an index');
SELECT ok(count(*) > 0, 'the rest of pg_database is not') FROM (SELECT * FROM pg_database WHERE datname = current_database()) d;
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

-- Functions in C that read a table whatever its privileges say, as those of PostGIS and pgfincore do: the rule is one of signatures, for extensions
-- that nobody has heard of. closed_size() reads one; the others are never called.
CREATE FUNCTION closed_size(tbl regclass) RETURNS int8 LANGUAGE internal STRICT AS 'pg_table_size';
CREATE FUNCTION closed_takes(signature text, is_closed bool) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	found bool;
BEGIN
	BEGIN
		EXECUTE format('CREATE FUNCTION closed_x%s', signature);
		ALTER EXTENSION pgtap ADD FUNCTION closed_x;
		found := EXISTS (SELECT FROM gaussdp.lock_down(dry_run => true) WHERE object ~ 'closed_x');
		RAISE EXCEPTION USING ERRCODE = 'GD001';
	EXCEPTION WHEN SQLSTATE 'GD001' THEN
	END;
	RETURN NEXT is(found, is_closed, signature);
END$$;
ALTER EXTENSION pgtap ADD FUNCTION closed_size(regclass);
SELECT closed_takes(format('(%s) RETURNS text LANGUAGE internal %s AS %L', args, marks, 'now'), is_closed)
FROM (VALUES ('tbl regclass, att_name text', '', true), ('regclass[]', 'IMMUTABLE', true), ('index_of oid', 'STABLE', true),
	('text, text', 'STABLE SECURITY DEFINER', true), ('text, text, text', 'STABLE', true), ('IN relname text, IN fork text', '', true), ('geom_table varchar', '', true),
	('text', 'SECURITY DEFINER', true), ('OUT a text, IN relname text, IN n int', '', true), ('OUT relname text, IN a text', '', false),
	('text, text', '', false), ('text, text', 'IMMUTABLE', false), ('text, regtype', 'STABLE', false), ('internal, oid, int4', '', false), ('oid, int4', 'IMMUTABLE', false)) AS v (args, marks, is_closed);
SET ROLE closed_ana;
SELECT ok(closed_size('emp') > 0, 'everybody reads by such a function');
RESET ROLE;
SELECT ok(EXISTS (SELECT FROM gaussdp.check_policy('emp') WHERE what LIKE 'statistics of the table are readable by everybody: %closed_size(regclass)%'), 'check_policy knows it');
SELECT set_eq('SELECT object, action FROM gaussdp.lock_down()', $$VALUES ('public.closed_size(regclass)', 'EXECUTE revoked from PUBLIC, granted to pg_monitor')$$,
	'an extension that came later is closed by another call, and nothing else');
SET ROLE closed_ana;
SELECT throws_ok($$SELECT closed_size('emp')$$, '42501', NULL, 'and nobody reads');
RESET ROLE;
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('emp') WHERE what ~ 'statistics'$$, 'check_policy has nothing to say');

SELECT set_eq('SELECT object FROM gaussdp.undo_lock_down()', $$SELECT object FROM said UNION VALUES ('public.closed_size(regclass)')$$, 'undone');
ALTER EXTENSION pgtap DROP FUNCTION closed_size(regclass);
DROP FUNCTION closed_size(regclass), closed_takes(text, bool);
SELECT is(changes(), 0::bigint, 'all privileges are as before');
SET ROLE closed_ana;
SELECT results_eq('EXECUTE counts', 'VALUES (1000, true, true)', 'and shown');
RESET ROLE;
SELECT is_empty('SELECT * FROM gaussdp.undo_lock_down()', 'once');

-- What was not PUBLIC's before is not PUBLIC's after, and what pg_monitor had stays.
REVOKE EXECUTE ON FUNCTION pg_stat_get_live_tuples(oid), pg_table_size(regclass) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION pg_table_size(regclass), pg_indexes_size(regclass) TO pg_monitor;
REVOKE SELECT ON pg_class FROM PUBLIC;
GRANT SELECT (oid, relname, reltuples) ON pg_class TO PUBLIC;
REVOKE SELECT ON pg_stat_activity FROM PUBLIC;
TRUNCATE before;
INSERT INTO before SELECT * FROM after;
SELECT gaussdp.lock_down() \g /dev/null
SELECT is(string_agg(a.attname, ' ' ORDER BY a.attname), 'oid relname', 'PUBLIC gets no column that it had not')
FROM pg_attribute AS a, aclexplode(a.attacl) AS e WHERE a.attrelid = 'pg_class'::regclass AND e.grantee = 0;
SELECT gaussdp.undo_lock_down() \g /dev/null
SELECT is(changes(), 0::bigint, 'what lock_down took is given back, and nothing else');
SELECT * FROM finish();
DROP ROLE closed_ana, closed_monitor, closed_owner;
