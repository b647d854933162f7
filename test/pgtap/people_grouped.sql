\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The plan node that brings the rows of each person together for sub-queries that group by people: the same rows as PostgreSQL's
-- own aggregation gives, to the last, for every type of unit, in memory and in files, whoever owns how much.
\getenv testlib GAUSSDP_TESTLIB
BEGIN;
\ir ../module/size.sql
CREATE FUNCTION test_as_level(text) RETURNS SETOF record AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_as_level_nodes(text) RETURNS text AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_plan_nodes(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE FUNCTION test_grouping_problem(text, oid, bool) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
SELECT plan(51);

-- Where rows are long, so few would be grouped by a hash aggregate.
SET LOCAL enable_hashagg = off;

-- The rows of `query` as a level's plan has them, and those of `truth`, both as text, of so many columns; nodes of the plan.
CREATE FUNCTION difference(query text, truth text, n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	columns text := (SELECT string_agg('c' || i || ' text', ', ') FROM generate_series(1, n) i);
	shown text := (SELECT string_agg('c' || i || '::text', ', ') FROM generate_series(1, n) i);
	names text := (SELECT string_agg('c' || i, ', ') FROM generate_series(1, n) i);
	nodes text := test_as_level_nodes(query);
	found text;
BEGIN
	IF nodes !~ 'groups' THEN
		RETURN 'not by the node: ' || nodes;
	END IF;
	EXECUTE format('WITH a AS MATERIALIZED (SELECT * FROM test_as_level(%L) AS n(%s)), b AS MATERIALIZED (SELECT %s FROM (%s) b(%s))
		SELECT string_agg(d::text, '' '') FROM (SELECT * FROM (SELECT ''more'', a.* FROM (TABLE a EXCEPT ALL TABLE b) a UNION ALL SELECT ''less'', b.* FROM (TABLE b EXCEPT ALL TABLE a) b) d LIMIT 3) d',
		query, columns, shown, truth, names) INTO found;
	RETURN found;
END $$;

-- All that is computed of a person's rows; array_agg shows that they come in their order, and the unit that it is the first row's.
CREATE FUNCTION compare(type text, unit text, rows int DEFAULT sized(40000), memories text[] DEFAULT CASE WHEN sized(3) = 3 THEN '{64kB,1MB,1GB}' ELSE '{64kB,1GB}' END::text[]) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
	memory text;
	shape text;
BEGIN
	EXECUTE format('CREATE TABLE owned (id int, u %s, x int, y numeric, z text)', type);
	EXECUTE format('INSERT INTO owned SELECT j, %s, NULLIF(j %% 101, 7), j %% 13 / 10.0, CASE WHEN j %% 5 > 0 THEN repeat(''z'', j %% 40) END FROM generate_series(1, %s) j', replace(unit, '3000', sized(6000)::text), rows);
	FOREACH memory IN ARRAY memories LOOP
		PERFORM set_config('work_mem', memory, true);
		FOREACH shape IN ARRAY ARRAY['true', 'x > 50 AND z IS NOT NULL'] LOOP
			found := coalesce(found, memory || ': ' || difference(
				format('SELECT u::text, n, ids, s, y, m, f, z FROM (SELECT u, count(*) AS n, array_agg(id) AS ids, sum(x) + 1 AS s, avg(y) AS y, max(z) AS m, count(x) FILTER (WHERE x %% 2 = 0) AS f, min(z || x) AS z FROM owned WHERE %s GROUP BY u) s', shape),
				format('SELECT (array_agg(u::text ORDER BY ctid))[1], count(*), array_agg(id ORDER BY ctid), sum(x) + 1, avg(y), max(z), count(x) FILTER (WHERE x %% 2 = 0), min(z || x) FROM owned WHERE %s GROUP BY u', shape), 8));
			found := coalesce(found, memory || ', counted: ' || difference(format('SELECT n FROM (SELECT u, count(*) AS n FROM owned WHERE %s GROUP BY u) s', shape),
				format('SELECT count(*) FROM owned WHERE %s GROUP BY u', shape), 1));
			found := coalesce(found, memory || ', HAVING: ' || difference(format('SELECT u::text, n FROM (SELECT u, count(*) AS n FROM owned WHERE %s GROUP BY u HAVING count(*) > 3 AND max(x) < 90) s', shape),
				format('SELECT (array_agg(u::text ORDER BY ctid))[1], count(*) FROM owned WHERE %s GROUP BY u HAVING count(*) > 3 AND max(x) < 90', shape), 2));
			found := coalesce(found, memory || ', no aggregate: ' || difference(format('SELECT u::text FROM (SELECT u FROM owned WHERE %s GROUP BY u) s', shape),
				format('SELECT (array_agg(u::text ORDER BY ctid))[1] FROM owned WHERE %s GROUP BY u', shape), 1));
			found := coalesce(found, memory || ', two keys: ' || difference(format('SELECT u::text, g, n, ids FROM (SELECT u, x / 20 AS g, count(*) AS n, array_agg(id) AS ids FROM owned WHERE %s GROUP BY u, x / 20) s', shape),
				format('SELECT (array_agg(u::text ORDER BY ctid))[1], x / 20, count(*), array_agg(id ORDER BY ctid) FROM owned WHERE %s GROUP BY u, x / 20', shape), 4));
		END LOOP;
	END LOOP;
	DROP TABLE owned;
	RETURN found;
END $$;
SELECT is(compare(type, unit), NULL, 'the same rows where the unit is ' || what) FROM (VALUES ('smallint', 'j % 3000', 'a smallint'), ('int', 'j % 3000 - 1500', 'an int'), ('bigint', '(j % 3000) * 1e15::int8', 'a bigint'),
	('int', 'NULLIF(j % 300, 7)', 'an int, or NULL'), ('int', 'CASE WHEN j % 3 > 0 THEN j % 2 - 1 END', 'NULL, 0 or -1'), ('text', 'NULLIF(''p'' || j % 3000, ''p7'')', 'a text, or NULL'), ('uuid', 'md5((j % 3000)::text)::uuid', 'a uuid'),
	('varchar(20)', '''p'' || j % 3000', 'a varchar'), ('text', 'repeat(md5((j % 30)::text), 200)', 'a long text'), ('text COLLATE "C"', '''p'' || j % 3000', 'a text under another collation'),
	('numeric', 'round(j % 3000, j % 4)', 'a numeric of several scales'), ('numeric', 'CASE j % 300 WHEN 7 THEN ''NaN'' WHEN 8 THEN ''Infinity'' ELSE round((j % 300) * 10::numeric ^ (j % 300 % 90 - 40), 50 + j % 40) END', 'a numeric in short and long forms'),
	('numeric(10, 2)', 'j % 3000', 'a numeric of one scale'), ('char(9)', '''p'' || j % 3000', 'a char'), ('bpchar', '''p'' || j % 3000 || repeat('' '', j / 3000 % 3)', 'a char without a length, with blanks behind it'),
	('date', 'date ''2000-01-01'' + j % 3000', 'a date'), ('timestamptz', 'timestamptz ''2000-01-01'' + j % 3000 * interval ''1 s''', 'a timestamp'), ('float8', 'CASE j % 2 WHEN 0 THEN -0.0 ELSE 0.0 END + j % 3', 'a float8'), ('bool', 'j % 3 = 0', 'a bool')) v(type, unit, what);

-- One person with half of the rows, all persons with one row, one person with all, in little memory.
SELECT is(compare('int', 'CASE WHEN j % 2 = 0 THEN 1 ELSE j END', sized(120000), '{64kB,4MB}'), NULL, 'one person with half of the rows');
SELECT is(compare('text', 'CASE WHEN j % 2 = 0 THEN ''one'' ELSE j::text END', sized(120000), '{64kB}'), NULL, 'also where that is a text');
SELECT is(compare('int', 'j', sized(120000), '{64kB,4MB}'), NULL, 'all persons with one row');
SELECT is(compare('int', '7', sized(120000), '{64kB,4MB}'), NULL, 'one person with all rows');
SELECT is(compare('int', 'CASE WHEN j % 3 > 0 THEN NULL ELSE j END', sized(120000), '{64kB}'), NULL, 'two thirds of the rows nobody''s');
SELECT is(compare('int', '(hashint4(j) & 2147483647) % 3', sized(120000), '{64kB}'), NULL, 'three persons with a third each');

-- 40 random tables: how many people, how they own, how much memory.
CREATE FUNCTION random_tables(n int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
	people int;
BEGIN
	FOR i IN 1..n LOOP
		people := 1 + (10 ^ (random() * 4.5))::int;
		found := coalesce(found, format('table %s, %s people: ', i, people) ||
			compare((ARRAY['int', 'text', 'int8', 'numeric'])[1 + i % 4], format('floor(%s * ((hashint4(j + %s) & 1048575) / 1048576.0) ^ %s)::int::%s', people, i, 1 + i % 3, (ARRAY['int', 'text', 'int8', 'numeric'])[1 + i % 4]),
				3000 + (random() * 20000)::int, ARRAY[(ARRAY['64kB', '256kB', '1MB', '64MB'])[1 + i / 4 % 4]]));
	END LOOP;
	RETURN found;
END $$;
SELECT setseed(0.5);
SELECT is(random_tables(sized(40)), NULL, sized(40) || ' random tables');

-- The comparison can fail.
CREATE TABLE owned (id int NOT NULL, u int NOT NULL, x int);
INSERT INTO owned SELECT j, j * 7919 % 3000, j % 11 FROM generate_series(1, 30000) j;
SELECT isnt(difference('SELECT u, n FROM (SELECT u, count(*) AS n FROM owned GROUP BY u) s', 'SELECT u, count(*) FROM owned WHERE id < 30000 GROUP BY u', 2), NULL, 'one row less, and the rows differ');

-- Rows of a join, of no table, and of a sub-query; a plan that reads them several times.
CREATE TABLE patient (u int PRIMARY KEY, born int NOT NULL);
INSERT INTO patient SELECT u, 1900 + u % 100 FROM generate_series(0, 2999) u;
SELECT is(difference('SELECT u, n, b FROM (SELECT v.u, count(*) AS n, max(born + x) AS b FROM owned v JOIN patient p USING (u) WHERE born < 1980 GROUP BY v.u) s',
	'SELECT v.u, count(*), max(born + x) FROM owned v JOIN patient p USING (u) WHERE born < 1980 GROUP BY v.u', 3), NULL, 'rows of a join, ' || memory)
FROM unnest(ARRAY['64kB', '64MB']) memory, LATERAL (SELECT set_config('work_mem', memory, true)) m;
SELECT is(difference('SELECT u, n, b FROM (SELECT p.u, count(v.u) AS n, max(x) AS b FROM patient p LEFT JOIN owned v ON v.u = p.u AND x > 8 GROUP BY p.u) s',
	'SELECT p.u, count(v.u), max(x) FROM patient p LEFT JOIN owned v ON v.u = p.u AND x > 8 GROUP BY p.u', 3), NULL, 'of an outer one');
SELECT is(difference('SELECT u, n FROM (SELECT u, count(*) AS n FROM (SELECT u, x, count(*) AS k FROM owned GROUP BY u, x) s GROUP BY u) t', 'SELECT u, count(DISTINCT x) FROM owned GROUP BY u', 2), NULL, 'one sub-query in another');
SELECT set_config('enable_material', 'off', true), set_config('enable_hashjoin', 'off', true), set_config('enable_mergejoin', 'off', true), set_config('enable_memoize', 'off', true) \g /dev/null
SELECT is(difference('SELECT a, u, n FROM generate_series(1, 5) a JOIN (SELECT u, count(*) AS n FROM owned GROUP BY u) s ON n > a', 'SELECT a, u, n FROM generate_series(1, 5) a, (SELECT u, count(*) AS n FROM owned GROUP BY u) s WHERE n > a', 3), NULL, 'read anew for each row of a join, ' || memory)
FROM unnest(ARRAY['64kB', '64MB']) memory, LATERAL (SELECT set_config('work_mem', memory, true)) m;
RESET enable_material; RESET enable_hashjoin; RESET enable_mergejoin; RESET enable_memoize; RESET work_mem;

-- Where it is used, and where not.
RESET enable_hashagg;
SELECT is(test_as_level_nodes('SELECT * FROM (SELECT u, count(*) FROM owned GROUP BY u) s'), 'agg groups scan', 'people are grouped by the node, which reads rows as they are stored');
SELECT is(test_as_level_nodes('SELECT * FROM (SELECT u FROM owned GROUP BY u) s'), 'other groups scan', 'also where nothing is computed of them');
SELECT set_config('min_parallel_table_scan_size', '0', true), set_config('parallel_setup_cost', '0', true), set_config('max_parallel_workers_per_gather', '2', true) \g /dev/null
SELECT is(test_as_level_nodes('SELECT * FROM (SELECT u, count(*) FROM owned GROUP BY u) s'), 'agg groups scan', 'in one process, which is faster than several that hash');
SELECT set_config('parallel_tuple_cost', '0', true) \g /dev/null
SELECT is(difference('SELECT u, n FROM (SELECT u, count(*) AS n FROM owned GROUP BY u) s', 'SELECT u, count(*) FROM owned GROUP BY u', 2), NULL, 'or over what several have read');
RESET min_parallel_table_scan_size; RESET parallel_setup_cost; RESET max_parallel_workers_per_gather; RESET parallel_tuple_cost;
CREATE INDEX owned_u ON owned (u);
SELECT is(test_as_level_nodes('SELECT * FROM (SELECT u, max(x) FROM owned GROUP BY u) s'), 'agg groups scan', 'also where an index has them in the order of their people');
DROP INDEX owned_u;
CREATE TABLE noted AS SELECT u, 'n' || x AS z FROM owned;
SELECT unalike(test_as_level_nodes(query), '%groups%', what) FROM (VALUES ('SELECT * FROM (SELECT u, count(*) FROM (SELECT * FROM owned WHERE u = 7 AND x = 3) o GROUP BY u) s', 'a few rows are not'),
	('SELECT u, count(*) FROM owned GROUP BY u', 'nor are the groups of the level itself'), ('SELECT * FROM (SELECT u, count(DISTINCT x) FROM owned GROUP BY u) s', 'nor rows that are sorted for an aggregate'),
	('SELECT * FROM (SELECT ARRAY[u] AS u, count(*) FROM owned GROUP BY ARRAY[u]) s', 'nor by values that the node does not know'), ('SELECT * FROM (SELECT u, max(z) FROM noted GROUP BY u) s', 'nor a middling number of rows by a text'), ('SELECT * FROM (SELECT u, count(*) FROM owned GROUP BY GROUPING SETS (u, ())) s', 'nor grouping sets')) v(query, what);
CREATE FUNCTION outside(query text) RETURNS text LANGUAGE plpgsql AS $$DECLARE t text; found text := ''; BEGIN FOR t IN EXECUTE 'EXPLAIN ' || query LOOP found := found || t; END LOOP; RETURN found; END $$;
SELECT unalike(outside('SELECT * FROM (SELECT u, count(*) FROM owned GROUP BY u) s'), '%PrivateGroups%', 'nor a query that is no level');

-- The plan of a level is proven: by what the node compares, and that it has all rows of a person.
DO $$BEGIN PERFORM gaussdp.protect('owned', unit => 'u', max_rows => 5); END$$;
\set one '\'SELECT dp_avg(n, 1, 1e-6, 0, 30) FROM (SELECT u, count(*) AS n FROM owned GROUP BY u) s\''
\set many '\'SELECT dp_avg(n, 1, 1e-6, 0, 30) FROM (SELECT u, x, count(*) AS n FROM owned GROUP BY u, x) s\''
SELECT is(test_plan_nodes(:one), 'agg agg groups scan', 'a level over people by the node');
SELECT is(test_plan_nodes(:many), 'agg weights other agg groups scan', 'and one that weighs its rows');
SELECT is(test_grouping_problem(:one, 0, false), NULL, 'its plan is proven');
SELECT is(test_grouping_problem(:many, 0, false), NULL, 'also with weights');
SELECT is(test_grouping_problem(:one, 0, true), 'the plan groups people by a part of their rows', 'not where each process has a part of the rows');
CREATE FUNCTION same(int, int) RETURNS bool LANGUAGE sql AS 'SELECT $1 = $2';
CREATE OPERATOR === (FUNCTION = same, LEFTARG = int, RIGHTARG = int);
SELECT is(test_grouping_problem(:one, '===(int, int)'::regoperator, false), 'the plan calls a function that is not in the verified query', 'nor by an operator of the query''s author');
SELECT * FROM finish();
ROLLBACK;
