\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The plan node that weighs people's rows by partitions: the same integers, to the last, as the window functions in whose
-- place it stands, on 700 random tables (a tenth of them in `make test`), in memory and in files, whoever owns how much, in one process and in several.
BEGIN;
\ir ../module/size.sql
\ir ../module/probe.sql
\ir ../module/weighed.sql
CREATE FUNCTION test_by_node(text) RETURNS SETOF record AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE FUNCTION test_plan_problem(text, bool) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE FUNCTION test_plan_problem(text, bool, bool) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE FUNCTION test_plan_nodes(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE FUNCTION test_kept_alike(record) RETURNS bool AS :'testlib' LANGUAGE C STRICT;
SELECT plan(89);

-- What is asked, by the node: as fast(query) shows it by windows.
CREATE FUNCTION by_node(query text) RETURNS TABLE (no int, key text, exact numeric[]) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT a.no, k, e FROM (SELECT %s AS k, * FROM test_by_node(%L) AS n(%s%s)) r CROSS JOIN LATERAL (VALUES %s) AS a(no, e)',
		CASE WHEN query ~ 'GROUP BY' THEN 'key_1' ELSE '''all''' END, query, CASE WHEN query ~ 'GROUP BY' THEN 'key_1 text, ' END,
		(SELECT string_agg(format('release_%s probe', n), ', ') FROM generate_series(1, (SELECT count(*) FROM asked)) n),
		(SELECT string_agg(format('(%s, (release_%s).exact)', a.no, n), ', ') FROM (SELECT asked.no, row_number() OVER (ORDER BY place) AS n FROM asked) a));
END $$;
-- What windows show: kept for the ways in which the node then reads the same rows.
CREATE TEMP TABLE reference (no int, key text, exact numeric[]);
CREATE FUNCTION refer(query text) RETURNS void LANGUAGE plpgsql AS $$BEGIN
	TRUNCATE reference;
	INSERT INTO reference SELECT w.no, w.key, w.exact FROM fast(query) w;
END $$;
CREATE FUNCTION difference(query text, referred bool DEFAULT false) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	IF NOT referred THEN
		PERFORM refer(query);
	END IF;
	RETURN (SELECT format('%s of %s: %s, not %s', calls.call, coalesce(n.key, w.key), n.exact, w.exact)
		FROM by_node(query) n FULL JOIN reference w ON w.no = n.no AND quote_nullable(w.key) = quote_nullable(n.key) JOIN calls ON calls.no = coalesce(n.no, w.no)
		WHERE n.exact IS DISTINCT FROM w.exact LIMIT 1);
END $$;
-- All plans are parallel that can be: none where there are no workers.
CREATE FUNCTION parallel(workers int, leader bool DEFAULT true) RETURNS void LANGUAGE sql AS $$
	SELECT set_config('min_parallel_table_scan_size', '0', true), set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true),
		set_config('max_parallel_workers_per_gather', workers::text, true), set_config('parallel_leader_participation', leader::text, true) $$;
-- Rows come in the order of their people where they stand in it.
CREATE FUNCTION sort(name text) RETURNS void LANGUAGE plpgsql AS $$BEGIN
	EXECUTE format('CREATE TEMP TABLE in_order AS SELECT * FROM %I ORDER BY u', name);
	EXECUTE format('TRUNCATE %I', name);
	EXECUTE format('INSERT INTO %I SELECT * FROM in_order ORDER BY u', name);
	DROP TABLE in_order;
END $$;
CREATE FUNCTION compare(s shape, tables int, sort text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	k int;
	memory text;
	found text;
BEGIN
	FOR n IN 1..tables LOOP
		PERFORM fill(), ask(n);
		IF sort <> 'any' THEN
			TRUNCATE asked RESTART IDENTITY;
		END IF;
		IF sort = 'counts' THEN
			INSERT INTO asked (no) SELECT no FROM calls WHERE no IN (1, 16, 17, 18) AND (no = 1 + n % 2 * 15 OR n % 3 > 0);
		ELSIF sort = 'totals' THEN
			INSERT INTO asked (no) SELECT no FROM calls WHERE no IN (1, 2, 3, 4, 5, 6, 7, 8, 9, 15, 16, 17, 18) AND (no % 5 = n % 5 OR no = 3 OR n % 7 = 0);
		END IF;
		k := (ARRAY[1, 2, 5, 20, 1000])[1 + n % 5];
		memory := (ARRAY['64kB', '4MB', '64kB', '256kB'])[1 + n % 4];
		PERFORM gaussdp.protect('t', unit => 'u', max_rows => k, max_groups => s.max_groups, people => 'clinic'), set_config('work_mem', memory, true),
			parallel(CASE WHEN sized(3) = 3 THEN (ARRAY[0, 1, 4, 0, 2])[1 + n % 5] WHEN n % 5 = 2 THEN 2 ELSE 0 END, n % 3 > 0);
		IF n % 5 = 3 THEN
			PERFORM sort('t');
		END IF;
		found := difference(format(s.query, select_list()));
		IF found IS NOT NULL THEN
			RETURN format('table %s, max_rows %s, work_mem %s: %s', n, k, memory, found);
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
SELECT setseed(0.25);
SELECT is(compare(shape, sized(40), 'any'), NULL, sized(40) || ' random tables: ' || name) FROM shape;
-- Counts, sums, averages and variances are added up by the node; where calls only count, by people and groups.
SELECT is(compare(shape, sized(40), 'totals'), NULL, sized(40) || ' random tables of which there are totals: ' || name) FROM shape;
SELECT is(compare(shape, sized(20), 'counts'), NULL, sized(20) || ' random tables of which rows and people are counted alone: ' || name) FROM shape;
SELECT ask(1), parallel(2) \g /dev/null
SELECT is((SELECT count(*) FROM shape WHERE test_plan_nodes(format(query, select_list())) ~ 'gather .*parallel weights'), 4::bigint, 'plans for several processes were parallel, but for joins of two tables (attack/buffers.pl)');
SELECT parallel(0), sort('t') \g /dev/null
SELECT is((SELECT array_agg(u ORDER BY tableoid, ctid) FROM t), (SELECT array_agg(u ORDER BY tableoid, u) FROM t), 'and others took rows in the order of their people');
RESET work_mem;

-- The comparison can fail.
SELECT fill() FROM generate_series(1, 3) \g /dev/null
INSERT INTO t (u, g, h, x, i) SELECT 99, 'g' || j % 3, 0, 10, 7 FROM generate_series(1, 50) j;
DO $$BEGIN PERFORM gaussdp.protect('t', unit => 'u', max_rows => 5, people => 'clinic'), ask(1); END$$;
CREATE TABLE before AS SELECT * FROM by_node('SELECT ' || select_list() || ' FROM t');
INSERT INTO t (u, g, h, x, i) VALUES (100, 'g1', 0, 10, 7);
SELECT isnt_empty('SELECT * FROM by_node(''SELECT '' || select_list() || '' FROM t'') EXCEPT SELECT * FROM before', 'one row more, and the integers differ');

-- Every type of unit, in memory and in files, with values that are equal and do not look alike, and long ones.
CREATE FUNCTION units(type text, expression text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
	memory text;
	query text := 'SELECT g, dp_sum(x, 1, 1e-6, 0, 10), dp_count(DISTINCT u, 1, 1e-6), dp_count(1, 1e-6) FILTER (WHERE x > 3) FROM owned GROUP BY g HAVING dp_keep_group(1, 1e-6)';
BEGIN
	EXECUTE format('CREATE TABLE owned (u %s NOT NULL, g text, x float8)', type);
	EXECUTE format('INSERT INTO owned SELECT %s, CASE WHEN j %% 7 > 0 THEN ''g'' || j %% 30 END, j %% 11 FROM generate_series(1, sized(20000)) j', replace(expression, '3000', sized(3000)::text));
	PERFORM gaussdp.protect('owned', unit => 'u', max_rows => 7, max_groups => 4);
	TRUNCATE asked RESTART IDENTITY;
	INSERT INTO asked (no) VALUES (3), (16), (1);
	PERFORM refer(query);
	FOR workers IN REVERSE 1..-1 LOOP
		IF workers < 0 THEN
			PERFORM sort('owned');
		END IF;
		FOREACH memory IN ARRAY ARRAY['64kB', '1MB', '64MB'] LOOP
			-- each way once, unless GAUSSDP_FULL is set: several processes, in memory and in a file, and in order
			CONTINUE WHEN sized(3) < 3 AND CASE workers WHEN 1 THEN memory <> '1MB' WHEN 0 THEN memory = '1MB' ELSE memory <> '64kB' END;
			PERFORM set_config('work_mem', memory, true), parallel(2 * greatest(workers, 0));
			found := coalesce(found, format('%s, %s workers: ', memory, 2 * workers) || difference(query, true));
		END LOOP;
	END LOOP;
	PERFORM parallel(0);
	DROP TABLE owned;
	RETURN found;
END $$;
SELECT is(units(type, expression), NULL, 'the same integers where the unit is ' || what) FROM (VALUES ('smallint', 'j % 3000', 'a smallint'), ('int', 'j % 3000 - 1500', 'an int'), ('bigint', '(j % 3000) * 1e15::int8', 'a bigint'),
	('uuid', 'md5((j % 3000)::text)::uuid', 'a uuid'), ('text', '''p'' || j % 3000', 'a text'), ('varchar(20)', '''p'' || j % 3000', 'a varchar'), ('text', 'repeat(md5((j % 30)::text), 200)', 'a long text'),
	('numeric', 'round(j % 3000, j % 4)', 'a numeric of several scales'), ('numeric', 'CASE j % 300 WHEN 7 THEN ''NaN'' WHEN 8 THEN ''Infinity'' ELSE round((j % 300) * 10::numeric ^ (j % 300 % 90 - 40), 50 + j % 40) END', 'a numeric in short and long forms'),
	('char(9)', '''p'' || j % 3000', 'a char'), ('bpchar', '''p'' || j % 3000 || repeat('' '', j / 3000 % 3)', 'a char without a length, with blanks behind it'), ('date', 'date ''2000-01-01'' + j % 3000', 'a date'), ('float8', 'CASE j % 2 WHEN 0 THEN -0.0 ELSE 0.0 END + j % 3', 'a float8')) v(type, expression, what);

-- One person with half of the rows, all persons with one row, one person with all, in many groups, in little memory.
CREATE FUNCTION owners(expression text, groups int, which int[] DEFAULT '{1,3,5,6,13,16,18}', key text DEFAULT 'g') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
	query text;
BEGIN
	TRUNCATE t;
	EXECUTE format('INSERT INTO t (u, g, h, x, i, n, v) SELECT %s, %L || j %% %s, j %% 4, j %% 12 - 1, j %% 9, j %% 10, ARRAY[j %% 3, 1] FROM generate_series(1, %s) j', expression, key, groups, CASE length(key) WHEN 1 THEN sized(60000) ELSE 3000 END);
	TRUNCATE asked RESTART IDENTITY;
	INSERT INTO asked (no) SELECT unnest(which);
	PERFORM gaussdp.protect('t', unit => 'u', max_rows => 5, max_groups => 50, people => 'clinic'), set_config('work_mem', '64kB', true);
	query := format('SELECT g, %s FROM t GROUP BY g HAVING dp_keep_group(1, 1e-6)', select_list());
	PERFORM refer(query);
	FOR workers IN REVERSE 1..-1 LOOP
		IF workers < 0 THEN
			PERFORM sort('t');
		END IF;
		PERFORM parallel(sized(3) * greatest(workers, 0));
		found := coalesce(found, difference(query, true));
	END LOOP;
	PERFORM parallel(0);
	RETURN found;
END $$;
SELECT is(owners('CASE WHEN j % 2 = 0 THEN 1 ELSE j END', 20), NULL, 'one person with half of the rows');
SELECT is(owners('j', 20), NULL, 'all persons with one row');
-- Keys that fit into a quarter of the memory have a total each; those of more are handed up by and by.
SELECT is(owners('CASE WHEN j % 2 = 0 THEN 1 ELSE j END', groups, '{1,3,5,7,16,18}'), NULL, format('totals of %s groups, one person with half of the rows', groups)) FROM unnest(ARRAY[1, 65, 1024, 1025]) groups;
SELECT is(owners('j % 70', groups, '{1,3,7}', (SELECT string_agg(md5(i::text), '') FROM generate_series(1, 47) i)), NULL, format('totals of %s keys of 1,500 bytes', groups)) FROM unnest(ARRAY[50, 120]) groups;
SELECT is(owners('j % 700', groups, which), NULL, format('totals of %s groups by %s calls', groups, cardinality(which))) FROM (VALUES (12, '{4,6}'::int[]), (50, '{3}'), (3000, '{2,3}')) v(groups, which);
-- Where a total does not fit into 64 bits, it takes 128.
INSERT INTO calls VALUES (21, 'dp_sum(x, 1e12, 1e-6, -3, 10)', 'sum', '{1e12,1e-6,-3,10}', 'x'), (22, 'dp_avg(x, 1e12, 1e-6, 0, 10)', 'avg', '{1e12,1e-6,0,10}', 'x');
TRUNCATE t, asked RESTART IDENTITY;
INSERT INTO t (u, h, x) SELECT j, 0, 10 FROM generate_series(1, 300000) j;
INSERT INTO asked (no) VALUES (21), (22), (1);
SELECT set_config('work_mem', '64MB', true) \g /dev/null
SELECT is(difference('SELECT ' || select_list() || ' FROM t'), NULL, 'totals beyond 64 bits');
CREATE FUNCTION counted_owners(expression text, groups int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text := owners(expression, groups);
	query text;
BEGIN
	TRUNCATE asked RESTART IDENTITY;
	INSERT INTO asked (no) VALUES (1), (16);
	PERFORM set_config('work_mem', '64kB', true);
	query := format('SELECT g, %s FROM t GROUP BY g HAVING dp_keep_group(1, 1e-6)', select_list());
	PERFORM refer(query);
	FOR workers IN 0..1 LOOP
		PERFORM parallel(2 * workers);
		found := coalesce(found, difference(query, true));
	END LOOP;
	PERFORM parallel(0);
	RETURN found;
END $$;
SELECT is(counted_owners('CASE WHEN j % 2 = 0 THEN 1 ELSE j % 50 END', 20), NULL, 'many rows of a person in few groups, counted alone');
SELECT is(counted_owners('j % 10', 3000), NULL, 'and in many groups');
SELECT is(owners('7', 20000), NULL, 'one person with all rows, in more groups than are kept');
-- The plan is proven: it has the node, and nothing chooses among the rows before they are weighed.
SELECT is(test_plan_problem('SELECT dp_count(1, 1e-6) FROM t', true), NULL, 'a plan with the node is proven');
SELECT is(test_plan_problem('SELECT dp_count(1, 1e-6) FROM t', false), 'the plan does not weigh the rows of people', 'and one without is refused');
SELECT is(test_plan_problem('SELECT dp_count(1, 1e-6) FROM t WHERE false', true), NULL, 'also where the planner sees that there are no rows');

-- A parallel plan: every process reads a part of the rows, and aggregates whole people.
CREATE TABLE visit (u int NOT NULL, g text, x float8);
INSERT INTO visit SELECT j * 7919 % 3000, 'g' || j % 30, j % 11 FROM generate_series(1, 60000) j;
DO $$BEGIN PERFORM gaussdp.protect('visit', unit => 'u', max_rows => 5, max_groups => 4); END$$;
\set plain '\'SELECT dp_sum(x, 1, 1e-6, 0, 10), dp_count(1, 1e-6), dp_count(DISTINCT u, 1, 1e-6) FROM visit\''
\set grouped '\'SELECT g, dp_sum(x, 1, 1e-6, 0, 10), dp_count(DISTINCT u, 1, 1e-6) FROM visit GROUP BY g HAVING dp_keep_group(1, 1e-6)\''
TRUNCATE asked RESTART IDENTITY;
INSERT INTO asked (no) VALUES (3), (1), (16);
CREATE TABLE alone AS SELECT * FROM by_node(:plain);
SELECT is(test_plan_nodes(:plain), 'agg weights scan', 'a plan for one process');
SELECT parallel(3) \g /dev/null
SELECT is(test_plan_nodes(:plain), 'agg gather partial agg parallel weights parallel scan', 'a plan for several');
SELECT matches(test_plan_nodes(:grouped), '^(sort )?agg (sort )?gather( merge)? (sort )?partial agg parallel weights parallel scan$', 'also of groups');
SELECT is(test_plan_problem(:plain, true), NULL, 'it is proven');
SELECT is(test_plan_problem(:grouped, true), NULL, 'that of groups, too');
SELECT is(test_plan_problem(:plain, true, true), 'the plan weighs people by a part of their rows', 'a node that weighs what one process has read is refused');
SELECT is(test_plan_problem(:grouped, true, true), 'the plan weighs people by a part of their rows', 'also of groups');
SELECT is(format('%s workers, %s: %s', workers, memory, (SELECT string_agg(format('%s %s', no, exact), ', ' ORDER BY no) FROM by_node(:plain))),
	format('%s workers, %s: %s', workers, memory, (SELECT string_agg(format('%s %s', no, exact), ', ' ORDER BY no) FROM alone)), 'the same integers as alone')
FROM unnest(ARRAY[1, 2, 4]) workers, unnest(ARRAY['64kB', '1MB', '1GB']) memory, LATERAL (SELECT set_config('work_mem', memory, true), parallel(workers, workers < 4)) s;
-- Rows that a join brings in the order of their people are weighed as others are; no index does (attack/buffers.pl).
CREATE INDEX ON visit (u);
CREATE TABLE patient (u int PRIMARY KEY, born int NOT NULL);
INSERT INTO patient SELECT u, 1900 + u % 100 FROM generate_series(0, 2999) u;
DO $$BEGIN PERFORM gaussdp.protect('visit', unit => 'u', max_rows => 5, max_groups => 4, people => 'clinic', change_unit => true), gaussdp.protect('patient', unit => 'u', people => 'clinic'); END$$;
SELECT parallel(0), set_config('enable_bitmapscan', 'off', true) \g /dev/null
SELECT is(test_plan_nodes('SELECT dp_count(1, 1e-6) FROM visit WHERE u BETWEEN 5 AND 20'), 'agg weights scan', 'rows do not come by an index');
SELECT set_config('enable_hashjoin', 'off', true), set_config('enable_nestloop', 'off', true) \g /dev/null
\set joined '\'SELECT dp_sum(x, 1, 1e-6, 0, 10), dp_count(1, 1e-6), dp_count(DISTINCT v.u, 1, 1e-6) FROM visit v JOIN patient p USING (u) WHERE born < 1950\''
SELECT matches(test_plan_nodes(:joined), 'agg weights other', 'but by a merge of two tables');
CREATE TABLE merged AS SELECT * FROM by_node(:joined);
SELECT set_config('enable_mergejoin', 'off', true), set_config('enable_hashjoin', 'on', true) \g /dev/null
SELECT matches(test_plan_nodes(:joined), 'agg weights other', 'or by a join that hashes them');
SELECT results_eq(format('SELECT no, exact FROM by_node(%L) ORDER BY no', :joined), 'SELECT no, exact FROM merged ORDER BY no', 'the same integers');
RESET enable_mergejoin; RESET enable_nestloop; RESET enable_bitmapscan;
SELECT is(test_plan_problem('SELECT dp_count(1, 1e-6) FROM visit WHERE u BETWEEN 5 AND 20', true), NULL, 'such a plan is proven');
SELECT parallel(3) \g /dev/null
SELECT is(test_plan_nodes(:plain), 'agg gather partial agg parallel weights parallel scan', 'also by several processes');
-- Workers that are planned, and do not start: whoever is there reads all rows.
SELECT parallel(2), set_config('max_parallel_workers', '0', true) \g /dev/null
SELECT results_eq(format('SELECT no, exact FROM by_node(%L) ORDER BY no', :plain), 'SELECT no, exact FROM alone ORDER BY no', 'no worker starts: the same integers');
SELECT parallel(2, false) \g /dev/null
SELECT results_eq(format('SELECT no, exact FROM by_node(%L) ORDER BY no', :plain), 'SELECT no, exact FROM alone ORDER BY no', 'also where the leader was not to take part');
RESET max_parallel_workers;
SELECT parallel(0) \g /dev/null
SELECT is(test_plan_problem(:plain, true, true), 'the plan weighs people by a part of their rows', 'a node that shares rows outside of a parallel plan is refused');

-- What goes to a file is the row, and nothing of what was in the server's memory before: also between values that must be aligned.
SELECT is((SELECT string_agg(r::text, ' ') FROM (SELECT CASE WHEN a > 0 THEN repeat('a', a) END AS a, b, CASE WHEN c > 0 THEN repeat('c', c) END AS c, interval '1 s' AS d, NULLIF(a, 1) AS e
	FROM generate_series(0, 8) a, (VALUES (NULL), ('b'), (repeat('b', 200))) v(b), unnest(ARRAY[0, 1, 2, 3, 200]) c) r WHERE NOT test_kept_alike(r)), NULL, 'all bytes of rows that are kept are theirs');

-- A unit that is told apart by a hash, of rows that are taken as they are stored, and some that have NULLs are not.
CREATE TABLE floating (u float8 NOT NULL, x float8);
INSERT INTO floating SELECT j % 50, NULLIF(j % 11, 7) FROM generate_series(1, 20000) j;
DO $$BEGIN PERFORM gaussdp.protect('floating', unit => 'u', max_rows => 5); END$$;
TRUNCATE asked RESTART IDENTITY;
INSERT INTO asked (no) VALUES (3), (1);
SELECT is(difference('SELECT dp_sum(x, 1, 1e-6, 0, 10), dp_count(1, 1e-6) FROM floating'), NULL, 'a unit of floating-point numbers, beside NULLs');

-- What is below keeps rows until after the node has gone: a hash aggregate one that was in a file.
CREATE TABLE many (u int NOT NULL, h int);
INSERT INTO many SELECT (hashint4(j) & 2147483647) % 1000000, j % 1000 FROM generate_series(1, 200000) j;
DO $$BEGIN PERFORM gaussdp.protect('many', unit => 'u', max_rows => 5), set_config('work_mem', '256kB', true), set_config('gaussdp.as_analyst', 'on', true); END$$;
SELECT isnt(dp_avg(n, 1, 1e-6, 0, 10), NULL, 'rows of groups that were in files are weighed') FROM (SELECT u, h, count(*) AS n FROM many GROUP BY u, h) s;
SELECT set_config('gaussdp.as_analyst', 'off', true) \g /dev/null

-- A way to the rows that the planner has found twice, and freed once: sorted by several processes, where all of it seems to cost too much.
SELECT parallel(2), set_config('enable_seqscan', 'off', true), set_config('gaussdp.as_analyst', 'on', true) \g /dev/null
SELECT isnt(dp_sum(x, 1, 1e-6, 0, 10), NULL, 'rows that several processes could sort are weighed') FROM floating WHERE CASE WHEN x < x THEN x END = 100;
SELECT parallel(0), set_config('enable_seqscan', 'on', true), set_config('gaussdp.as_analyst', 'off', true) \g /dev/null

TRUNCATE t;
INSERT INTO t (u, g, h, x) SELECT j % 5, 'g' || j % 4, 1, 9 FROM generate_series(1, 400) j;
CREATE FUNCTION counted(condition text) RETURNS numeric[] LANGUAGE sql AS $$
	SELECT (release_1).exact FROM test_by_node(format('SELECT g, dp_count(1, 1e-6) FROM t GROUP BY g HAVING dp_keep_group(1, 1e-6) AND %s', condition)) AS n(key_1 text, release_1 probe)
	WHERE key_1 = 'g1' $$;
SELECT is(counted($$g = 'g1'$$), counted($$g >= 'g'$$), 'HAVING on a key leaves the weights as they are');

-- A value, or a key, that is the number by which whole rows are counted is one like any other.
CREATE FUNCTION integers(source text, keys text, calls int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE format('SELECT string_agg(n::text, '' '' ORDER BY n::text) FROM (SELECT %s%s FROM %s) n', regexp_replace(keys, ' \w+,', ',', 'g'),
		(SELECT string_agg(format('(release_%s).exact', i), ', ' ORDER BY i) FROM generate_series(1, calls) i), source) INTO found;
	RETURN found;
END $$;
CREATE TABLE other (h int PRIMARY KEY);
INSERT INTO other SELECT generate_series(0, 3);
SELECT is(integers(format('test_by_node(%L) AS n(%s%s)', query, keys, (SELECT string_agg(format('release_%s probe', i), ', ' ORDER BY i) FROM generate_series(1, calls) i)), keys, calls),
	integers(format('(%s) w', shown(query)), keys, calls), name) FROM (VALUES
	('the sum of a number that is also the size of a row', 'SELECT dp_count(1, 1e-6), dp_sum(''1048576''::int8, 1, 1e-6, 0, 2e6), dp_count(''1048576''::int8, 1, 1e-6) FROM t', '', 3),
	('in one query with kinds that have no totals', 'SELECT dp_median(x, 1, 1e-6, 0, 9), dp_count(1, 1e-6), dp_avg(''1048576''::int8, 1, 1e-6, 0, 2e6), dp_stddev(x, 1, 1e-6, 0, 9), dp_sum(x, 1, 1e-6, 0, 9) FROM t', '', 5),
	('groups of it', 'SELECT ''1048576''::int8, h, dp_count(1, 1e-6) FROM t GROUP BY 1, 2 HAVING dp_keep_group(1, 1e-6)', 'key_1 int8, key_2 int, ', 1),
	-- The planner asks the node for other columns than the path's, where sets of keys are of several public relations.
	('grouping sets over two public relations', 'SELECT key.g, other.h, dp_count(1, 1e-6), dp_sum(x, 1, 1e-6, 0, 9) FROM key CROSS JOIN other LEFT JOIN t ON t.g = key.g AND t.h = other.h GROUP BY CUBE (key.g, other.h)', 'key_1 text, key_2 int, ', 2))
	v(name, query, keys, calls);
SELECT * FROM finish();
ROLLBACK;
