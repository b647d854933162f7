\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Queries that show no row whatever the tables hold: columns, no row, no charge; and nothing that looks like them.
SELECT plan(76);
CREATE TABLE region (name text PRIMARY KEY);
INSERT INTO region VALUES ('north'), ('south');
CREATE TABLE orders (id int PRIMARY KEY, region text, gone int, amount numeric(10, 2), note text COLLATE "C");
INSERT INTO orders SELECT i, 'north', i, i, 'secret' FROM generate_series(1, 1000) i;
ALTER TABLE orders DROP gone;
CREATE TABLE closed (id int);
CREATE TABLE other (id int PRIMARY KEY);
CREATE TABLE sink (id int, n bigint);
CREATE VIEW shown WITH (security_invoker) AS SELECT amount AS a FROM orders;
CREATE VIEW counted WITH (security_invoker) AS SELECT region, dp_count(1, 1e-6) AS n FROM orders GROUP BY region HAVING dp_keep_group(1, 1e-6);
CREATE ROLE probe_ana;
CREATE ROLE probe_bob;
GRANT SELECT ON region, shown, counted, sink TO probe_ana;
GRANT INSERT ON sink TO probe_ana;
GRANT SELECT ON orders TO probe_bob;
DO $$BEGIN PERFORM gaussdp.protect('orders', unit => 'id'), gaussdp.protect('other', unit => 'id'),
	gaussdp.grant_budget('probe_ana', 'orders', 1000, 1e-2, default_epsilon => 1, default_delta => 1e-6); END$$;
CREATE FUNCTION charged() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS $$SELECT count(*) FROM gaussdp.journal WHERE event = 'charge'$$;
CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE sql AS $$SELECT string_agg(DISTINCT concat_ws(' ', verdict, call), ', ') FROM gaussdp.explain_privacy(query)$$;
SET client_min_messages = warning;
SET ROLE probe_ana;

-- Columns and no row
SELECT is_empty('SELECT * FROM orders LIMIT 0', 'LIMIT 0');
SELECT is_empty('SELECT * FROM orders WHERE 1 = 0', 'WHERE 1 = 0');
SELECT is_empty('SELECT * FROM orders WHERE false', 'WHERE false');
SELECT is_empty('SELECT * FROM orders WHERE NULL', 'WHERE NULL');
SELECT is_empty('SELECT * FROM orders WHERE amount > 3 AND (0 = 1) ORDER BY note', 'beside another condition');
SELECT is_empty('SELECT o.*, r.* FROM orders o LEFT JOIN region r ON r.name = o.region LIMIT 0', 'a join');
SELECT is_empty('SELECT * FROM (SELECT * FROM orders) AS "q01" WHERE (0 = 1)', 'around a sub-select of rows');
SELECT is_empty('SELECT s.a FROM shown s WHERE false', 'a view of rows');
SELECT is_empty('SELECT * FROM counted LIMIT 0', 'a view of groups');
SELECT is_empty('SELECT region, dp_count(*) FROM orders GROUP BY region HAVING dp_keep_group(*) LIMIT 0', 'groups, LIMIT 0');
SELECT is_empty('SELECT region, dp_count(*) FROM orders WHERE 1 = 0 GROUP BY region', 'groups of no rows');
SELECT is_empty('SELECT dp_count(*) FROM orders HAVING false', 'HAVING false');
SELECT is_empty('SELECT * FROM (SELECT region, dp_count(*) AS n FROM orders GROUP BY region HAVING dp_keep_group(*)) s WHERE 1 = 0', 'WHERE 1 = 0 around groups');
SELECT is_empty('WITH w AS MATERIALIZED (SELECT * FROM orders) SELECT a.id FROM w a JOIN w b USING (id) LIMIT 0', 'WITH');
SELECT is_empty('(SELECT id FROM orders UNION SELECT id FROM sink) ORDER BY 1 LIMIT 0', 'a set operation');
SELECT is_empty('SELECT DISTINCT ON (region) region, row_number() OVER (ORDER BY amount), generate_series(1, 3) FROM orders LIMIT 0', 'DISTINCT ON, windows, sets');
SELECT is_empty('SELECT (SELECT note FROM orders WHERE id = 1) WHERE false', 'a sub-select for a value');
SELECT is_empty('SELECT min(note), array_agg(amount) FROM orders LIMIT 0', 'aggregates that have no private answer');
SELECT is_empty('SELECT region, GROUPING(region), dp_count(*) FROM orders GROUP BY ROLLUP (region) LIMIT 0', 'grouping sets, LIMIT 0');
SELECT lives_ok('INSERT INTO sink SELECT id, 1 FROM orders WHERE false', 'INSERT ... SELECT');
SELECT is(count(*), 0::bigint, 'inserts nothing') FROM sink;
SELECT is((SELECT count(*) FROM (SELECT id FROM orders WHERE false) s), 0::bigint, 'an exact count of no rows');
PREPARE probe AS SELECT * FROM orders WHERE 1 = 0;
SELECT is_empty('EXECUTE probe', 'prepared');
CREATE TEMP TABLE shape AS SELECT * FROM orders WHERE 1 = 0;
SELECT is(array_agg(attname || ' ' || format_type(atttypid, atttypmod) ORDER BY attnum), '{"id integer","region text","amount numeric(10,2)","note text"}', 'names and types')
FROM pg_attribute WHERE attrelid = 'shape'::regclass AND attnum > 0;
SELECT is(attcollation::regcollation::text, '"C"', 'and collations') FROM pg_attribute WHERE attrelid = 'shape'::regclass AND attname = 'note';
SELECT is(charged(), 0::bigint, 'nothing was charged');
SELECT is(verdict('SELECT * FROM orders LIMIT 0'), 'private', 'explain_privacy');
CREATE TEMP TABLE plan (line text);
DO $$DECLARE line text; BEGIN FOR line IN EXPLAIN (COSTS off) SELECT * FROM orders WHERE 1 = 0 LOOP INSERT INTO plan VALUES (line); END LOOP; END$$;
SELECT is(string_agg(line, ' '), 'Result   One-Time Filter: false', 'reads no table') FROM plan;
SET gaussdp.answer_plain_sql = on;
SELECT is_empty('SELECT region, count(*) FROM orders GROUP BY region LIMIT 0', 'plain SQL');
SELECT is_empty('SELECT region, max(amount) FROM orders WHERE 0 = 1 GROUP BY region', 'refused otherwise');
SELECT is(charged(), 0::bigint, 'nothing was charged for plain SQL either');
SELECT throws_ok(q, '42501', NULL, 'plain SQL: ' || q) FROM unnest(ARRAY['SELECT * FROM orders LIMIT 2', 'SELECT id FROM orders LIMIT 1', 'SELECT * FROM orders WHERE id = 3 LIMIT 1',
	'SELECT count(*) FROM (SELECT * FROM orders LIMIT 1) s', 'INSERT INTO sink SELECT id, 1 FROM orders LIMIT 1', 'SELECT * FROM other LIMIT 1', 'SELECT * FROM orders OFFSET 1 LIMIT 1']) AS q;
SELECT is(charged(), 0::bigint, 'no charge');
-- Previews of rows are statements of their own: what a client sees is empty, and nothing else is.
\set ON_ERROR_STOP 0
SELECT * FROM orders LIMIT 1;
SELECT is(:'SQLSTATE' || ' ' || :ROW_COUNT, '00000 0', 'what Django asks: columns, and no row');
SELECT id, note FROM orders WHERE amount > 3 ORDER BY id LIMIT 100;
SELECT is(:'SQLSTATE' || ' ' || :ROW_COUNT, '00000 0', 'a preview: no row');
SELECT o.*, r.name FROM orders o LEFT JOIN region r ON r.name = o.region FETCH FIRST 10000 ROWS ONLY;
SELECT is(:'SQLSTATE' || ' ' || :ROW_COUNT, '00000 0', 'of joined rows');
WITH w AS (SELECT * FROM (SELECT a FROM shown) s) SELECT * FROM w OFFSET 3 LIMIT 5;
SELECT is(:'SQLSTATE' || ' ' || :ROW_COUNT, '00000 0', 'of views, sub-selects and WITH queries');
SELECT id, count(*) OVER () FROM orders LIMIT 10;
SELECT is(:'SQLSTATE' || ' ' || :ROW_COUNT, '00000 0', 'with a window');
SELECT id FROM orders LIMIT 10001;
SELECT is(:'SQLSTATE'::text, '42501', 'LIMIT 10001 is no preview');
SELECT id FROM other LIMIT 10;
SELECT is(:'SQLSTATE'::text, '42501', 'nor is one of a table without a budget');
SELECT id, random() FROM orders LIMIT 10 FOR UPDATE;
SELECT is(:'SQLSTATE'::text, '42501', 'nor one that locks');
CREATE TEMP TABLE loaded AS SELECT id FROM orders LIMIT 10;
SELECT is(:'SQLSTATE'::text, '42501', 'CREATE TABLE AS would be empty');
SELECT id INTO TEMP loaded FROM orders LIMIT 10;
SELECT is(:'SQLSTATE'::text, '42501', 'so would SELECT INTO');
INSERT INTO sink SELECT id, 1 FROM orders LIMIT 10;
SELECT is(:'SQLSTATE'::text, '42501', 'INSERT');
INSERT INTO sink WITH w AS (SELECT id FROM orders LIMIT 10) SELECT id, 1 FROM w;
SELECT is(:'SQLSTATE'::text, '42501', 'INSERT by a WITH query');
COPY (SELECT id FROM orders LIMIT 10) TO STDOUT;
SELECT is(:'SQLSTATE'::text, '42501', 'COPY');
DO $$DECLARE n int; BEGIN SELECT id INTO n FROM orders LIMIT 10; END$$;
SELECT is(:'SQLSTATE'::text, '42501', 'and a variable');
SELECT count(*) FROM (SELECT id FROM orders LIMIT 10) s;
SELECT is(:'SQLSTATE'::text, '42501', 'rows are not counted');
SELECT EXISTS (SELECT FROM orders LIMIT 10);
SELECT is(:'SQLSTATE'::text, '42501', 'nor asked for');
SELECT name FROM region LIMIT 2;
SELECT is(:ROW_COUNT, 2, 'public rows are shown');
SELECT region, count(*) FROM orders GROUP BY region LIMIT 10;
SELECT is(:ROW_COUNT, 1, 'groups are answered');
\set ON_ERROR_STOP 1
SELECT is((SELECT count(*) FROM sink), 0::bigint, 'nothing was loaded');
SELECT is(charged(), 2::bigint, 'and groups alone are paid, their count and their threshold');
RESET gaussdp.answer_plain_sql;

-- What shows a row, or may
SELECT throws_ok(q, '42501', NULL, q) FROM unnest(ARRAY[
	'SELECT * FROM orders LIMIT 1', 'SELECT * FROM orders WHERE false OR amount > 0', 'SELECT * FROM orders WHERE NOT (1 = 0)', 'SELECT * FROM orders LIMIT NULL',
	'SELECT * FROM orders OFFSET 0', 'SELECT * FROM orders WHERE id = 0', 'SELECT * FROM orders WHERE false UNION ALL SELECT * FROM orders',
	'SELECT * FROM region LEFT JOIN orders ON false', 'SELECT max(amount) FROM orders WHERE false', 'SELECT * FROM orders WHERE false FOR UPDATE',
	'SELECT 1 FROM orders WHERE false HAVING true', 'SELECT region, max(amount) FROM orders WHERE false GROUP BY ROLLUP (region)', 'DELETE FROM orders WHERE false']) AS q;
SELECT throws_ok('SELECT * FROM other LIMIT 0', '42501', NULL, 'a table without a budget');
SELECT throws_ok('SELECT * FROM orders, closed LIMIT 0', '42501', 'permission denied for table closed', 'another table that may not be read');
SELECT dp_count(*) IS NOT NULL AS made_a_row FROM orders WHERE false \gset
SELECT ok(:'made_a_row' AND charged() = 3, 'a count without GROUP BY shows a row, and is charged');
RESET ROLE;
SET ROLE probe_bob;
SELECT is(count(*), 0::bigint, 'who may read the rows asks PostgreSQL') FROM (SELECT * FROM orders LIMIT 0) s;
RESET ROLE;
SELECT * FROM finish();
