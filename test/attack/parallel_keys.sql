\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- People whose rows several processes read: in partitions of tables, in joins, by keys that are equal and do not look
-- alike, that are stored elsewhere, more of them than are kept at once, with fewer groups of each than there are.
BEGIN;
\ir ../module/size.sql
\ir ../module/probe.sql
\ir ../module/weighed.sql
CREATE FUNCTION test_by_node(text) RETURNS SETOF record AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE FUNCTION test_plan_nodes(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE FUNCTION test_plan_problem(text, bool) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
SELECT plan(21);
CREATE FUNCTION by_node(query text) RETURNS TABLE (no int, exact numeric[]) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT a.no, e FROM test_by_node(%L) AS n(%s%s) CROSS JOIN LATERAL (VALUES %s) AS a(no, e)', query,
		CASE WHEN query ~ 'GROUP BY' THEN 'key_1 text, ' END,
		(SELECT string_agg(format('release_%s probe', n), ', ') FROM generate_series(1, (SELECT count(*) FROM asked)) n),
		(SELECT string_agg(format('(%s, (release_%s).exact)', a.no, n), ', ') FROM (SELECT asked.no, row_number() OVER (ORDER BY place) AS n FROM asked) a));
END $$;
CREATE FUNCTION parallel(workers int, leader bool, memory text) RETURNS void LANGUAGE sql AS $$
	SELECT set_config('min_parallel_table_scan_size', '0', true), set_config('min_parallel_index_scan_size', '0', true), set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
		set_config('max_parallel_workers_per_gather', workers::text, true), set_config('parallel_leader_participation', leader::text, true), set_config('work_mem', memory, true) $$;
CREATE SEQUENCE turns;
-- In how many ways several processes give other integers than windows do, and what was asked of how many.
CREATE FUNCTION differences(query text, calls int[], shape text DEFAULT 'parallel weights') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	memory text;
	workers int;
	found text;
	asked_of text;
	turn int := nextval('turns') % 2;
BEGIN
	TRUNCATE asked RESTART IDENTITY;
	INSERT INTO asked (no) SELECT unnest(calls);
	query := format(query, select_list());
	CREATE TEMP TABLE expected AS SELECT f.no, f.exact FROM fast(query) f;
	FOREACH memory IN ARRAY ARRAY['64kB', '2MB', '64MB'] LOOP
		FOREACH workers IN ARRAY ARRAY[1, 2, 4] LOOP
			-- a test has two ways of the nine, by files and in memory, and the next test others
			CONTINUE WHEN sized(3) < 3 AND CASE turn WHEN 1 THEN (memory, workers) NOT IN (('64kB', 2), ('64MB', 4)) ELSE (memory, workers) NOT IN (('64kB', 4), ('2MB', 1)) END;
			PERFORM parallel(workers, workers <> 2, memory);
			asked_of := test_plan_nodes(query);
			-- one worker may as well hand up all rows
			IF (asked_of !~ CASE WHEN workers = 1 AND shape ~ '^gather' THEN 'parallel weights' ELSE shape END) THEN
				found := concat_ws(E'\n', found, format('%s, %s: %s', memory, workers, asked_of));
			END IF;
			IF test_plan_problem(query, true) IS NOT NULL THEN
				found := concat_ws(E'\n', found, test_plan_problem(query, true));
			END IF;
			CREATE TEMP TABLE seen AS SELECT * FROM by_node(query);
			IF EXISTS (SELECT * FROM seen EXCEPT ALL SELECT * FROM expected) OR EXISTS (SELECT * FROM expected EXCEPT ALL SELECT * FROM seen) THEN
				found := concat_ws(E'\n', found, format('%s, %s: other integers', memory, workers));
			END IF;
			DROP TABLE seen;
		END LOOP;
	END LOOP;
	DROP TABLE expected;
	PERFORM parallel(0, true, '4MB');
	RETURN found;
END $$;

-- A person's rows are in all partitions, of which each process may have others.
INSERT INTO t (u, g, h, x, i, n, v) SELECT (j * 7919::int8) % 900, 'g' || j % 23, j % 4, j % 12 - 1, j % 9, j % 10, ARRAY[j % 3, 1] FROM generate_series(1, 30000) j;
TRUNCATE person;
INSERT INTO person SELECT u, 1900 + u % 50 FROM generate_series(0, 899) u;
DO $$BEGIN PERFORM gaussdp.protect('t', unit => 'u', max_rows => 5, max_groups => 4, people => 'clinic'); END$$;
SELECT is(differences('SELECT %s FROM t', '{1,3,6,8,14,16,20}'), NULL, 'a partitioned table');
SELECT is(differences('SELECT g, %s FROM t GROUP BY g HAVING dp_keep_group(1, 1e-6)', '{1,3,13,16,18,19}'), NULL, 'its groups, of which some of each person count');
SELECT set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'off', true) \g /dev/null
SELECT is(differences('SELECT born, %s FROM t JOIN person p USING (u) GROUP BY born HAVING dp_keep_group(1, 1e-6)', '{1,3,10,16}', 'weights'), NULL, 'a hash join');
SELECT set_config('enable_parallel_hash', 'off', true) \g /dev/null
SELECT is(differences('SELECT born, %s FROM t JOIN person p USING (u) GROUP BY born HAVING dp_keep_group(1, 1e-6)', '{1,3,10,16}', 'weights'), NULL, 'a hash join where each process has the whole table of hashes');
SELECT set_config('enable_parallel_hash', 'on', true), set_config('enable_nestloop', 'on', true), set_config('enable_hashjoin', 'off', true) \g /dev/null
SELECT is(differences('SELECT born, %s FROM t JOIN person p USING (u) GROUP BY born HAVING dp_keep_group(1, 1e-6)', '{1,3,10,16}', 'weights'), NULL, 'a nested loop with or without a cache');
SELECT set_config('enable_nestloop', 'off', true), set_config('enable_mergejoin', 'on', true) \g /dev/null
SELECT is(differences('SELECT born, %s FROM t JOIN person p USING (u) GROUP BY born HAVING dp_keep_group(1, 1e-6)', '{1,3,10,16}', 'weights'), NULL, 'a merge');
SELECT set_config('enable_nestloop', 'on', true), set_config('enable_hashjoin', 'on', true) \g /dev/null
SELECT is(differences('SELECT %s FROM person p LEFT JOIN t USING (u)', '{1,3,16}', 'weights'), NULL, 'persons with and without rows');
SELECT is(differences('SELECT g, %s FROM (SELECT DISTINCT u, g, i FROM t) s GROUP BY g HAVING dp_keep_group(1, 1e-6)', '{1,4,16}', 'weights'), NULL, 'rows that are distinct');

SELECT set_config('enable_hashagg', 'off', true) \g /dev/null
SELECT is(differences('SELECT g, %s FROM t GROUP BY g HAVING dp_keep_group(1, 1e-6)', '{1,3,16,18}', 'gather merge (sort )?partial agg .*parallel weights'), NULL, 'groups that are merged');
SELECT set_config('enable_hashagg', 'on', true), set_config('enable_partitionwise_aggregate', 'on', true), set_config('enable_partitionwise_join', 'on', true), set_config('enable_parallel_append', 'off', true) \g /dev/null
SELECT is(differences('SELECT h, %s FROM t GROUP BY h HAVING dp_keep_group(1, 1e-6)', '{1,3,16}'), NULL, 'groups that are partitions');
SELECT set_config('enable_parallel_append', 'on', true), set_config('enable_seqscan', 'off', true) \g /dev/null
CREATE INDEX ON t (u);
CREATE INDEX ON t (i);
SELECT is(differences('SELECT g, %s FROM t WHERE u < 400 GROUP BY g HAVING dp_keep_group(1, 1e-6)', '{1,3,16}'), NULL, 'rows that an index finds');
SELECT set_config('enable_indexscan', 'off', true), set_config('enable_indexonlyscan', 'off', true) \g /dev/null
SELECT is(differences('SELECT g, %s FROM t WHERE u < 400 GROUP BY g HAVING dp_keep_group(1, 1e-6)', '{1,3,16}'), NULL, 'rows that a bitmap finds');
SELECT is(differences('SELECT g, %s FROM t WHERE u < 400 AND i > 5 OR i = 1 GROUP BY g HAVING dp_keep_group(1, 1e-6)', '{1,3,16}'), NULL, 'rows that several find');
SELECT set_config('enable_seqscan', 'on', true), set_config('enable_indexscan', 'on', true), set_config('enable_indexonlyscan', 'on', true) \g /dev/null

-- Keys and units in all forms.
CREATE FUNCTION keys(unit text, unit_value text, key text, key_value text, max_groups int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE format('CREATE TABLE owned (u %s NOT NULL, g %s, x float8)', unit, key);
	EXECUTE 'ALTER TABLE owned ALTER g SET STORAGE ' || CASE key WHEN 'text' THEN 'EXTERNAL' ELSE 'PLAIN' END;
	EXECUTE format('INSERT INTO owned SELECT %s, %s, j %% 11 FROM generate_series(1, 9000) j', unit_value, key_value);
	PERFORM gaussdp.protect('owned', unit => 'u', max_rows => 7, max_groups => max_groups);
	found := differences('SELECT g, %s FROM owned GROUP BY g HAVING dp_keep_group(1, 1e-6)', '{1,3,16}');
	DROP TABLE owned;
	RETURN found;
END $$;
SELECT is(keys(unit, unit_value, key, key_value, max_groups), NULL, what) FROM (VALUES
	('numeric', 'round(j % 100, j % 5)', 'int', 'j % 20', 3, 'units that are equal and do not look alike, three groups of each'),
	('numeric', 'round(j % 100, j % 5)', 'int', 'j % 64', 7, 'keys that are short'),
	('numeric', 'round(j % 100, j % 5)', 'int', 'j % 2000', 7, 'more of them than are kept at once'),
	('text', 'md5((j % 100)::text)', 'int', 'nullif(j % 65, 7)', 7, 'NULL is one of them'),
	('text', 'md5((j % 100)::text)', 'int', 'nullif(j % 3001, 7)', 7, 'and of more'),
	('text', 'repeat(md5((j % 10)::text), 100)', 'text', 'repeat(md5((j % 40)::text), 90)', 5, 'keys stored elsewhere'),
	('text', 'repeat(md5((j % 10)::text), 100)', 'text', 'repeat(md5((j % 400)::text), 90)', 5, 'many of them'),
	('float8', 'CASE j % 2 WHEN 0 THEN -0.0 ELSE 0.0 END + j % 50', 'date', 'date ''2000-01-01'' + j % 9', 2, 'zeros of both signs')) v(unit, unit_value, key, key_value, max_groups, what);
SELECT * FROM finish();
ROLLBACK;
