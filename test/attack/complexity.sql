\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A query cannot keep its proof busy: its time grows with its parts, for shapes that once took 2^n or n^2, and a query
-- that is too large is told so by SQLSTATE 54001 and the limit.  Compared are n parts and 8n, by the least of many
-- repetitions: 8 times as long where time is in proportion, 64 times where it grows with the square; 24 tell them apart
-- on a busy machine, too (bench/complexity measures each doubling).  The parser's time is in it: what that alone, for
-- a role outside of the policy, takes more for each of 8n parts than of n (caches) is allowed.
BEGIN;
SET LOCAL client_min_messages = warning;
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION cpu_time() RETURNS float8 LANGUAGE C AS :'testlib', 'test_cpu_time';
CREATE FUNCTION keep_memory() RETURNS void LANGUAGE C AS :'testlib', 'test_keep_memory';
SELECT keep_memory() \g /dev/null
SELECT plan(31);
-- What takes 2^n fails here instead of keeping the tests for hours.
SET LOCAL statement_timeout = '300 s';
CREATE TABLE emp (id int PRIMARY KEY, dept text, age int, day timestamptz);
CREATE TABLE k (id int PRIMARY KEY, v int);
CREATE ROLE complexity_ana;
CREATE ROLE complexity_reader;
GRANT SELECT ON k TO complexity_ana, complexity_reader;
GRANT SELECT ON emp TO complexity_reader;
DO $$BEGIN PERFORM gaussdp.protect('emp', unit => 'id', max_rows => 1); END$$;

CREATE FUNCTION each(piece text, n int, separator text) RETURNS text LANGUAGE sql AS
	'SELECT string_agg(replace(replace(piece, ''#-'', (i - 1)::text), ''#'', i::text), separator ORDER BY i) FROM generate_series(1, n) i';
CREATE FUNCTION counted(rest text) RETURNS text LANGUAGE sql AS 'SELECT ''SELECT dp_count(1, 1e-6) FROM emp '' || rest';
-- Each shape with n parts, and an n whose proof takes some milliseconds.
CREATE FUNCTION shape(kind text, n int) RETURNS text LANGUAGE sql AS $$
	SELECT CASE kind
		WHEN 'AND' THEN counted('WHERE ' || each('age > #', n, ' AND '))
		WHEN 'OR' THEN counted('WHERE ' || each('age > #', n, ' OR '))
		WHEN 'IN' THEN counted('WHERE age IN (' || each('#', n, ',') || ')')
		WHEN 'CASE' THEN counted('WHERE CASE ' || each('WHEN age = # THEN 1', n, ' ') || ' END > 0')
		WHEN 'CASE of a value' THEN counted('WHERE CASE age ' || each('WHEN # THEN 1', n, ' ') || ' END > 0')
		WHEN 'sums of constants' THEN counted('WHERE age < 1::bigint' || repeat(' + 1', n))
		WHEN 'sums' THEN counted('WHERE age::numeric' || repeat(' + 1', n) || ' > 0')
		WHEN 'least' THEN counted('WHERE ' || repeat('least(', n) || 'age' || repeat(', 1)', n) || ' > 0')
		WHEN 'sum of least' THEN counted('WHERE ' || repeat('least(', n) || 'age' || repeat(', 1)', n) || ' + 1 > 0')
		WHEN 'bounds of least' THEN 'SELECT dp_sum(' || repeat('least(', n) || 'age' || repeat(', 1)', n) || ', 1, 1e-6) FROM emp'
		WHEN 'total of least' THEN 'SELECT dp_count(1, 1e-6) FROM (SELECT id, sum(' || repeat('least(', n) || 'age' || repeat(', 1)', n) || ') AS s FROM emp GROUP BY id) p'
		WHEN 'calls of a column' THEN 'SELECT ' || each('dp_sum(age, 1, 1e-6)', n, ' + ') || ' FROM ' || repeat('(SELECT age FROM ', 99) || 'emp' || each(') s#', 99, '')
		WHEN 'casts' THEN counted('WHERE day' || repeat('::date::timestamptz', n) || ' > now()')
		WHEN 'conditions of a join' THEN counted('JOIN k ON ' || each('k.id = emp.age', n, ' AND '))
		WHEN 'VALUES' THEN counted('JOIN (VALUES ' || each('(#)', n, ',') || ') v (x) ON v.x = emp.age')
		WHEN 'VALUES of text' THEN counted('JOIN (VALUES ' || each('(''#'')', n, ',') || ') v (x) ON v.x = emp.dept')
		WHEN 'levels' THEN each(counted(''), n, ' UNION ALL ')
		WHEN 'WITH queries' THEN 'WITH ' || each('c# AS (' || counted('') || ')', n, ',') || each('SELECT * FROM c#', n, ' UNION ALL ')
		WHEN 'queries inside' THEN repeat('SELECT * FROM (', n) || counted('') || each(') s#', n, '')
		WHEN 'joined relations' THEN counted(each('JOIN k k# ON k#.id = emp.age', n, ' '))
		WHEN 'WITH queries read twice' THEN 'WITH c0 AS (SELECT 1 AS x)' || each(', c# AS (SELECT 1 AS x FROM c#- a, c#- b)', n, '')
		WHEN 'group keys' THEN counted('GROUP BY ' || each('age + 0 * # > 0', n, ',') || ' HAVING dp_keep_group(1, 1e-8)')
		WHEN 'doubled' THEN 'SELECT dp_count(1, 1e-6) FROM ' || repeat('(SELECT age + age AS age FROM ', n) || 'emp' || each(') s#', n, '') || ' WHERE age > 0'
	END $$;
-- Milliseconds of the processor that the verdict takes, the least of those measured in some tenths of a second; or the first below what is enough.
CREATE FUNCTION time_of(kind text, n int, role text DEFAULT 'complexity_ana', enough float8 DEFAULT 0) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	query text := shape(kind, n);
	start timestamptz := clock_timestamp();
	last float8;
	least_time float8;
BEGIN
	PERFORM set_config('role', role, true);
	FOR i IN 1..50 LOOP
		last := cpu_time();
		PERFORM FROM gaussdp.explain_privacy(query);
		least_time := least(least_time, (cpu_time() - last) / 1000);
		EXIT WHEN least_time < enough OR i > 3 AND clock_timestamp() > start + interval '0.3 s';
	END LOOP;
	PERFORM set_config('role', 'none', true);
	RETURN least_time;
END$$;
-- Other work on the machine makes repetitions longer, never shorter: more of them come nearer to the truth.
CREATE FUNCTION is_linear(kind text, n int) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	small float8;
	large float8;
	small_parsed float8;
	large_parsed float8;
BEGIN
	FOR i IN 1..8 LOOP
		small := least(small, time_of(kind, n));
		-- once is enough where more repetitions, which only make it shorter, would change nothing; nor would the parser's time
		large := least(large, time_of(kind, 8 * n, enough => 24 * small));
		IF large < 24 * small THEN
			RETURN true;
		END IF;
		small_parsed := least(small_parsed, time_of(kind, n, 'complexity_reader'));
		large_parsed := least(large_parsed, time_of(kind, 8 * n, 'complexity_reader'));
		IF large / small < 24 * greatest(1, large_parsed / small_parsed / 8) THEN
			RETURN true;
		END IF;
	END LOOP;
	RETURN false;
END$$;
-- Milliseconds for n levels that run, of whom may read the table: nothing is charged, so that there may be many.
CREATE FUNCTION time_to_run(n int) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	last float8;
	least_time float8;
BEGIN
	PERFORM set_config('gaussdp.as_analyst', 'on', true);
	FOR i IN 1..3 LOOP
		last := cpu_time();
		EXECUTE shape('levels', n);
		least_time := least(least_time, (cpu_time() - last) / 1000);
	END LOOP;
	PERFORM set_config('gaussdp.as_analyst', 'off', true);
	RETURN least_time;
END$$;
-- The part of a proof's time, in time of the processor, after which a timeout ended it; 1 if it went on to its end.
CREATE FUNCTION ended_after(query text, whole float8) RETURNS float8 LANGUAGE plpgsql AS $$
DECLARE
	start float8 := cpu_time();
BEGIN
	PERFORM FROM gaussdp.explain_privacy(query);
	RETURN 1;
EXCEPTION WHEN query_canceled THEN
	RETURN (cpu_time() - start) / 1000 / whole;
END$$;

SELECT ok(is_linear(kind, n), format('more of them: %s, %s', kind, n))
FROM (VALUES ('AND', 800), ('OR', 800), ('IN', 2400), ('CASE', 480), ('sums of constants', 250), ('sums', 250),
	  ('least', 200), ('sum of least', 3), ('bounds of least', 25), ('total of least', 25), ('calls of a column', 100), ('casts', 150), ('conditions of a join', 800), ('VALUES', 2500), ('VALUES of text', 2500),
	  ('levels', 100), ('WITH queries', 100)) shape (kind, n);
SELECT ok(min(time_to_run(400) / time_to_run(50)) < 24, 'levels that run and look ahead at one another')
FROM generate_series(1, 3);
SET LOCAL ROLE complexity_ana;
SELECT is((SELECT min(verdict) FROM gaussdp.explain_privacy(shape(kind, n))), 'private', format('within the limit: %s', kind))
FROM (VALUES ('VALUES', 20000), ('queries inside', 99), ('joined relations', 99)) shape (kind, n);
SELECT throws_ok(format('SELECT * FROM gaussdp.explain_privacy(shape(%L, %s))', kind, n), '54001',
				 'the query over a protected table is too complex', format('beyond the limit: %s', kind))
FROM (VALUES ('AND', 6700), ('VALUES', 20001), ('queries inside', 101), ('joined relations', 101), ('group keys', 101),
	  ('doubled', 60)) shape (kind, n);
SELECT throws_ok(shape('WITH queries read twice', 40) || 'SELECT dp_count(*) FROM c40', '22023', 'dp_count has no epsilon and delta', 'defaults are looked for once in each WITH query');
SET LOCAL gaussdp.answer_plain_sql = on;
SET LOCAL gaussdp.epsilon = 1;
SET LOCAL gaussdp.delta = 1e-6;
SELECT is((SELECT max(verdict) FROM gaussdp.explain_privacy(shape('WITH queries read twice', 40) || 'SELECT count(*) FROM emp, c40')), 'refused', 'and so are rows in plain SQL');
RESET gaussdp.answer_plain_sql;
RESET gaussdp.epsilon;
RESET gaussdp.delta;
SELECT is((SELECT ARRAY[once.max_rows, twice.max_rows] FROM gaussdp.explain_privacy(shape('VALUES', 20000)) once, gaussdp.explain_privacy(replace(shape('VALUES', 20000), '(20000)', '(1)')) twice),
		  ARRAY[NULL, 1]::bigint[], 'a value that is there twice is found among many: rows are weighed');
-- The parser takes less than a third of this one's time, and cannot be interrupted.  A timeout is one of the clock, and how much of the
-- processor a busy machine gives until then is not known: one of six is to come in the middle of the proof.
RESET ROLE;
SELECT time_of('CASE of a value', 4900) AS whole, time_of('CASE of a value', 4900, 'complexity_reader') AS parser \gset
CREATE TABLE slow AS SELECT shape('CASE of a value', 4900) AS query;
GRANT SELECT ON slow TO complexity_ana;
SET LOCAL ROLE complexity_ana;
SELECT set_config('statement_timeout', round(:whole * 0.6)::text, true) \g /dev/null
SELECT ended_after(query, :whole) AS try1 FROM slow \gset
SET LOCAL statement_timeout = 0;
SELECT set_config('statement_timeout', round(:whole * 0.8)::text, true) \g /dev/null
SELECT ended_after(query, :whole) AS try2 FROM slow \gset
SET LOCAL statement_timeout = 0;
SELECT set_config('statement_timeout', round(:whole * 1.2)::text, true) \g /dev/null
SELECT ended_after(query, :whole) AS try3 FROM slow \gset
SET LOCAL statement_timeout = 0;
SELECT set_config('statement_timeout', round(:whole * 2)::text, true) \g /dev/null
SELECT ended_after(query, :whole) AS try4 FROM slow \gset
SET LOCAL statement_timeout = 0;
SELECT set_config('statement_timeout', round(:whole * 4)::text, true) \g /dev/null
SELECT ended_after(query, :whole) AS try5 FROM slow \gset
SET LOCAL statement_timeout = 0;
SELECT set_config('statement_timeout', round(:whole * 8)::text, true) \g /dev/null
SELECT ended_after(query, :whole) AS try6 FROM slow \gset
SET LOCAL statement_timeout = 0;
SELECT ok(bool_or(part BETWEEN 1.1 * :parser / :whole AND 0.9), 'a proof can be interrupted: ' || string_agg(round(part::numeric, 2)::text, ' ') || ' of its time')
FROM unnest(ARRAY[:try1, :try2, :try3, :try4, :try5, :try6]::float8[]) part;
SELECT * FROM finish();
ROLLBACK;
