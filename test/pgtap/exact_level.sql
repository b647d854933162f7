\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A level is a plan of exact integers and a release of them (release_rows.c).  With the same random bits its answers are, to the last
-- digit, those of the aggregates themselves, which its owner runs over the query that the policy makes of it: so the integers are the
-- same, and the order of draws.  Sorted groups, so that both find them in one order.  Outside of a transaction: the budget must be committed.
SET client_min_messages = warning;
\ir ../module/probe.sql
CREATE FUNCTION test_answered(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE FUNCTION test_read_state(call regprocedure, params float8[], k float8, state bytea) RETURNS void AS :'testlib' LANGUAGE C STRICT;
CREATE TABLE emp (id int PRIMARY KEY, dept text, kind int, x float8, n numeric, v float8[]);
CREATE TABLE dept (name text PRIMARY KEY, head int);
CREATE TABLE visit (person int NOT NULL, dept text, kind int, x float8, n numeric, v float8[]);
CREATE TABLE part (id int PRIMARY KEY, kind int, x float8) PARTITION BY RANGE (id);
CREATE TABLE part0 PARTITION OF part FOR VALUES FROM (0) TO (500);
CREATE TABLE part1 PARTITION OF part FOR VALUES FROM (500) TO (1000);
INSERT INTO dept SELECT 'd' || i, i FROM generate_series(0, 6) i;
INSERT INTO emp SELECT i, 'd' || i % 5, i % 3, i % 101 - 20, i % 7 + 0.25, ARRAY[i % 3, -1] FROM generate_series(1, 3000) i;
INSERT INTO emp VALUES (0, NULL, NULL, 'NaN', NULL, '{NaN}'), (-1, 'alone', 1, 'Infinity', 'NaN', NULL);
INSERT INTO visit SELECT i % 199, 'd' || i % 6, i % 3, i % 11 - 2, i % 5, ARRAY[1, i % 4] FROM generate_series(1, 3000) i;
INSERT INTO part SELECT i, i % 3, i % 10 FROM generate_series(1, 999) i;
CREATE ROLE exact_ana;
GRANT SELECT ON dept TO exact_ana;
SELECT gaussdp.protect('emp', unit => 'id'), gaussdp.protect('visit', unit => 'person', max_rows => 3, max_groups => 20), gaussdp.protect('part', unit => 'id') \g /dev/null
SELECT gaussdp.grant_budget('exact_ana', t, epsilon => 500, delta => 1e-2) FROM unnest('{emp,visit,part}'::regclass[]) t \g /dev/null
SET enable_hashagg = off;

CREATE FUNCTION rows_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r record;
	answer text := '';
BEGIN
	PERFORM test_entropy_repeats(4711);
	FOR r IN EXECUTE query LOOP
		answer := answer || E'\n' || r;
	END LOOP;
	RETURN answer;
END $$;
CREATE FUNCTION asked(query text) RETURNS text LANGUAGE plpgsql SET ROLE exact_ana AS $$BEGIN RETURN rows_of(query); END $$;
-- keys that the query only groups by are behind its columns there
CREATE FUNCTION own(query text, is_level bool) RETURNS text LANGUAGE sql AS 'SELECT rows_of(CASE WHEN is_level THEN test_answered(query) ELSE query END)';
GRANT EXECUTE ON FUNCTION test_entropy_repeats, rows_of TO exact_ana;
\set numbers 'dp_count(1, 1e-6), dp_count(x, 1, 1e-6), dp_sum(x, 1, 1e-6, -20, 80), dp_sum(n, 1, 1e-6, 7), dp_avg(x, 1, 1e-6, 0, 50), dp_var(n, 1, 1e-6, 0, 9), dp_stddev(x, 1, 1e-6, 0, 90)'
\set cells 'dp_histogram(x, 1, 1e-6, 0, 50, 4), dp_median(x, 1, 1e-6, 0, 50), dp_quantile(n, 1, 1e-6, 0, 9, 0.9), dp_sum(v, 1, 1e-6, 4, 2), dp_avg(v, 1, 1e-6, 4, 2), dp_sum(x, 1, 1e-6), dp_avg(n, 1, 1e-6)'
\set estimates 'dp_count_estimate(1, 1e-6), dp_sum_estimate(x, 1, 1e-6, 0, 9), dp_avg_estimate(x, 1, 1e-6, 0, 50), dp_sum_estimate(x, 1, 1e-6), dp_avg_estimate(x, 1, 1e-6)'
-- What is computed of calls is around the level: such questions are asked of the aggregates as they are.
CREATE TABLE questions (no serial, name text, query text, is_level bool DEFAULT true);
INSERT INTO questions (name, query) SELECT name || ' of ' || t, replace(query, '{T}', t) FROM (VALUES
	('numbers', 'SELECT ' || :'numbers' || ' FROM {T}'),
	('cells', 'SELECT ' || :'cells' || ' FROM {T}'),
	('estimates', 'SELECT ' || :'estimates' || ' FROM {T}'),
	('no rows', 'SELECT ' || :'numbers' || ', ' || :'cells' || ' FROM {T} WHERE kind > 5'),
	('no rows at all', 'SELECT ' || :'numbers' || ' FROM {T} WHERE false'),
	('public groups', 'SELECT name, ' || :'numbers' || ' FROM dept LEFT JOIN {T} ON dept = name GROUP BY name'),
	('cells by group', 'SELECT name, ' || :'cells' || ', ' || :'estimates' || ' FROM dept LEFT JOIN {T} ON dept = name GROUP BY name'),
	('a filter that no row passes', 'SELECT name, dp_sum(x, 1, 1e-6, 0, 9) FILTER (WHERE kind = 7), dp_median(x, 1, 1e-6, 0, 9) FILTER (WHERE kind = 7) FROM dept LEFT JOIN {T} ON dept = name GROUP BY name'),
	('found groups', 'SELECT dept, dp_count(1, 1e-6) FROM {T} GROUP BY dept HAVING dp_keep_group(1, 1e-6)'),
	('small groups are hidden', 'SELECT dept, dp_count(2, 1e-6) FROM {T} GROUP BY dept HAVING dp_count(2, 1e-6) > 40'),
	('HAVING on keys and calls', 'SELECT name FROM dept LEFT JOIN {T} ON dept = name GROUP BY name HAVING name > ''d2'' AND dp_count(1, 1e-6) > 100 AND dp_sum(x, 1, 1e-6, 0, 9) > dp_count(1, 1e-6)'),
	('HAVING that is never true', 'SELECT dp_count(1, 1e-6) FROM {T} HAVING dp_count(1, 1e-6) < -1e6')) v(name, query), unnest('{emp,visit}'::text[]) t;
INSERT INTO questions (name, query) VALUES
	('DISTINCT', 'SELECT dp_count(DISTINCT kind, 1, 1e-6), dp_sum(DISTINCT n, 1, 1e-6, 0, 9) FROM emp'),
	('people', 'SELECT kind, dp_count(DISTINCT person, 1, 1e-6), dp_count(DISTINCT person, 1, 1e-6, 1.5) FROM visit GROUP BY kind HAVING dp_keep_group(1, 1e-6)'),
	('grouping sets', 'SELECT name, head, GROUPING(name, head) AS g, dp_count(1, 1e-6) FROM dept LEFT JOIN emp ON dept = name GROUP BY GROUPING SETS ((name, head), (name), ())'),
	('grouping sets in HAVING', 'SELECT name, dp_sum(x, 1, 1e-6, 0, 9) FROM dept LEFT JOIN visit ON dept = name GROUP BY ROLLUP (name) HAVING GROUPING(name) = 0 AND dp_count(1, 1e-6) > -1e6'),
	('a query in FROM', 'SELECT dp_sum(c, 1, 1e-6, 0, 40), dp_avg(m, 1, 1e-6, 0, 9) FROM (SELECT person, count(*) AS c, max(kind) AS m FROM visit GROUP BY person) s'),
	('partitions', 'SELECT dp_count(1, 1e-6), dp_sum(x, 1, 1e-6, 0, 9) FROM part');
INSERT INTO questions (name, query, is_level) SELECT *, false FROM (VALUES
	('calls in expressions', 'SELECT upper(name) || length(name) AS a, -dp_sum(x, 1, 1e-6, 0, 9) + 1 AS b, CASE WHEN dp_sum(x, 1, 1e-6, 0, 9) > 100 THEN name END AS c, name, 7 AS f FROM dept LEFT JOIN emp ON dept = name GROUP BY name'),
	('two keys, one twice', 'SELECT head AS a, dp_count(1, 1e-6), kind, head + 1 AS c, head AS d FROM dept JOIN emp ON dept = name WHERE kind < 3 GROUP BY kind, head HAVING dp_keep_group(1, 1e-6)')) v;
SELECT plan(2 * count(*)::int + 17) FROM questions;

CREATE TABLE answers AS SELECT *, string_to_array(asked(query), E'\n') AS asked, string_to_array(own(query, is_level), E'\n') AS own FROM questions;
SELECT is(cardinality(asked), cardinality(own), name || ': as many groups') FROM answers ORDER BY no;
-- of keys that stand behind the columns, only the first columns are compared
SELECT ok(NOT EXISTS (SELECT FROM unnest(asked, own) r (a, o) WHERE NOT starts_with(o, rtrim(a, ')'))), name || ': the same answers by the same bits') FROM answers ORDER BY no;
SELECT ok(asked('SELECT dp_count(1, 1e-6) AS a, dp_count(1, 1e-6) AS b FROM emp') ~ '\n\((\d+),\1\)', 'equal calls are one draw');

-- The same integers by other plans
CREATE TABLE expected AS SELECT asked('SELECT ' || :'numbers' || ' FROM emp') AS numbers, asked('SELECT name, ' || :'numbers' || ' FROM dept LEFT JOIN emp ON dept = name GROUP BY name') AS groups,
	asked('SELECT kind, dp_count(1, 1e-6), dp_sum(x, 1, 1e-6, 0, 9) FROM part GROUP BY kind HAVING dp_keep_group(1, 1e-6)') AS parts;
CREATE FUNCTION same(what text) RETURNS text LANGUAGE sql AS $$
	SELECT is(row(asked('SELECT dp_count(1, 1e-6), dp_count(x, 1, 1e-6), dp_sum(x, 1, 1e-6, -20, 80), dp_sum(n, 1, 1e-6, 7), dp_avg(x, 1, 1e-6, 0, 50), dp_var(n, 1, 1e-6, 0, 9), dp_stddev(x, 1, 1e-6, 0, 90) FROM emp'),
		asked('SELECT name, dp_count(1, 1e-6), dp_count(x, 1, 1e-6), dp_sum(x, 1, 1e-6, -20, 80), dp_sum(n, 1, 1e-6, 7), dp_avg(x, 1, 1e-6, 0, 50), dp_var(n, 1, 1e-6, 0, 9), dp_stddev(x, 1, 1e-6, 0, 90) FROM dept LEFT JOIN emp ON dept = name GROUP BY name'),
		asked('SELECT kind, dp_count(1, 1e-6), dp_sum(x, 1, 1e-6, 0, 9) FROM part GROUP BY kind HAVING dp_keep_group(1, 1e-6)'))::expected, expected, what) FROM expected $$;
SELECT same('again');
SELECT set_config(name, 'on', false) AS debug FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode') \g /dev/null
SELECT same('with a Gather that is only for debugging');
SELECT set_config(name, 'off', false) AS debug FROM pg_settings WHERE name IN ('debug_parallel_query', 'force_parallel_mode') \g /dev/null
SET enable_partitionwise_aggregate = on;
SELECT same('with partitionwise aggregation');
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT same('in parallel');
RESET max_parallel_workers_per_gather;
RESET parallel_setup_cost;
RESET parallel_tuple_cost;
RESET min_parallel_table_scan_size;
RESET enable_partitionwise_aggregate;
SET jit = on;
SET jit_above_cost = 0;
SET jit_optimize_above_cost = 0;
SELECT same('compiled');
RESET jit;
RESET jit_above_cost;
RESET jit_optimize_above_cost;
RESET enable_hashagg;
SET work_mem = '64kB';
SELECT is((SELECT count(*) FROM regexp_matches(asked('SELECT i, dp_count(1, 1e-6) FROM generate_series(-1, 3998) i LEFT JOIN emp ON id = i GROUP BY i'), '\n', 'g')), 4000::bigint, 'of groups that do not fit into memory');
RESET work_mem;

-- Bytes that are taken for a state: of this call, with the parameters by which it is charged
CREATE FUNCTION state(version int, kind int, params bytea, rest bytea) RETURNS bytea LANGUAGE sql AS
	$$SELECT set_byte(set_byte('\x0000', 0, version), 1, kind) || set_byte('\x00', 0, length(params) / 8) || params || rest$$;
CREATE FUNCTION numbers(VARIADIC float8[]) RETURNS bytea LANGUAGE sql AS 'SELECT string_agg(float8send(f), '''' ORDER BY i) FROM unnest($1) WITH ORDINALITY u (f, i)';
SELECT lives_ok(format('SELECT test_read_state(%L, %L, 0, %L)', 'dp_sum(float8, float8, float8, float8, float8)', '{1,1e-6,0,9}', state(1, 2, numbers(1, 1e-6, 0, 9), int8send(0) || int8send(0) || int8send(0))), 'an empty state of the call is read');
SELECT throws_ok(format('SELECT test_read_state(%L, %L, %s, %L)', 'dp_sum(float8, float8, float8, float8, float8)', '{1,1e-6,0,9}', k, bytes), '22P03', NULL, 'refused: ' || what) FROM (VALUES
	('another epsilon', 0, state(1, 2, numbers(2, 1e-6, 0, 9), int8send(0) || int8send(0) || int8send(0))),
	('another upper bound', 0, state(1, 2, numbers(1, 1e-6, 0, 10), int8send(0) || int8send(0) || int8send(0))),
	('another kind', 0, state(1, 3, numbers(1, 1e-6, 0, 9), int8send(0) || int8send(0) || int8send(0))),
	('a weighted one', 0, state(129, 2, numbers(1, 1e-6, 0, 9, 3), int8send(0) || int8send(0) || int8send(0) || int8send(0) || int8send(0))),
	('none of a weighted one', 3, state(1, 2, numbers(1, 1e-6, 0, 9), int8send(0) || int8send(0) || int8send(0))),
	('a sum that its rows cannot have', 0, state(1, 2, numbers(1, 1e-6, 0, 9), int8send(0) || int8send(0) || int8send(1))),
	('one that is released', 0, state(1, 2, numbers(1, 1e-6, 0, 9), int8send(-1) || int8send(0) || int8send(0))),
	('too few bytes', 0, state(1, 2, numbers(1, 1e-6, 0, 9), int8send(0))),
	('no bytes', 0, '')) v(what, k, bytes);
SELECT finish();
