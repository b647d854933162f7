\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- People who own many rows: what a level computes before the noise, to the last integer, against slow arithmetic
-- in numeric, on 500 random tables (a tenth of them in `make test`) and every kind of call; the level is what the policy makes of a query.
BEGIN;
\ir ../module/size.sql
\ir ../module/probe.sql
\ir ../module/weighed.sql
SELECT plan(18);

-- floor(2^31 min(1, most / sqrt(n2))): the largest m whose square is not too large.
CREATE FUNCTION weight(n2 numeric, most numeric) RETURNS numeric LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
	m numeric;
	room numeric := 4611686018427387904 * most * most;
BEGIN
	IF n2 = 0 THEN
		RETURN 0;
	END IF;
	m := least(floor(sqrt(room / n2)) + 2, 2147483648);
	WHILE m * m * n2 > room LOOP
		m := m - 1;
	END LOOP;
	RETURN m;
END $$;
-- What one row of this value adds, as integers: the aggregate over it alone, in full; of calls that are clipped as a whole the one that analysts write.
CREATE FUNCTION whole(name text, params float8[], value text) RETURNS text LANGUAGE sql RETURN
	CASE WHEN name IN ('avg', 'var') THEN format('(probe_%s(%s, %s)).exact', name, value, (SELECT string_agg(p || CASE WHEN i = 5 THEN '::int8' ELSE '::float8' END, ', ' ORDER BY i) FROM unnest(params) WITH ORDINALITY AS p(p, i)))
	WHEN name = 'sum' THEN format('(probe_sum_weighted(row_total(2, %1$L, %2$s, 2147483648), %1$L::float8[])).exact', params, value)
	ELSE format('(probe_%s_weighted(2147483648, %L::float8[]%s)).exact', name, params, coalesce(', ' || value, '')) END;
-- Sums, averages and variances: a person's rows in a group added up, the norm of all coordinates together, in quarters of mu^2, and one part of each group.
CREATE FUNCTION slow_joint(c calls, k numeric, rows text) RETURNS TABLE (key text, exact numeric[]) LANGUAGE plpgsql AS $$
DECLARE
	params float8[] := c.params || k::float8;
BEGIN
	RETURN QUERY EXECUTE format('WITH chosen AS MATERIALIZED (SELECT u, k, %1$s AS value FROM (%2$s) r WHERE %3$s),
		added AS MATERIALIZED (SELECT value, %4$s AS c FROM (SELECT DISTINCT value FROM chosen) s GROUP BY value),
		most AS MATERIALIZED (SELECT i, max(abs(p)) AS d, (%5$L::numeric[])[i] AS q FROM (SELECT %6$s AS e FROM unnest(%7$L::float8[]) b GROUP BY b) s, unnest(e) WITH ORDINALITY AS e(p, i) GROUP BY i),
		own AS MATERIALIZED (SELECT u, k, i, sum(p) AS v FROM chosen JOIN added a ON a.value IS NOT DISTINCT FROM chosen.value, unnest(c) WITH ORDINALITY AS e(p, i) GROUP BY u, k, i),
		squares AS (SELECT u, ceil(sum(q * ceil(1048576 * abs(v) / d) ^ 2) / 4) AS n2 FROM own JOIN most USING (i) GROUP BY u, k),
		weighed AS MATERIALIZED (SELECT u, weight(sum(n2), floor(1048576 * %8$s::numeric)) AS m FROM squares GROUP BY u),
		parts AS (SELECT k, i, sum(div(v * m, 2147483648)) AS part FROM own JOIN weighed USING (u) GROUP BY k, i)
		SELECT k, array_agg(part ORDER BY i) FROM parts GROUP BY k',
		c.value, rows, c.filter, whole(c.name, params, 'value'), CASE c.name WHEN 'sum' THEN '{4}' WHEN 'avg' THEN '{3,1}' ELSE '{1,1,2}' END, whole(c.name, params, 'b'), c.params[3:4], k);
END $$;
-- The slow way: rows with their contribution c and size s; sizes of groups; weights of persons; parts that are summed.
CREATE FUNCTION slow(c calls, k numeric, rows text) RETURNS TABLE (key text, exact numeric[]) LANGUAGE plpgsql AS $$
DECLARE
	params float8[] := CASE WHEN c.people THEN c.params ELSE c.params || k::float8 END;
	most numeric := floor(1048576 * CASE WHEN c.people THEN c.params[3]::numeric ELSE k END);
	size text := CASE WHEN c.people OR c.name NOT LIKE '%sum' THEN 'CASE WHEN EXISTS (SELECT FROM unnest(c) p WHERE p <> 0) THEN 1048576 ELSE 0 END'
		ELSE format('gaussdp_internal.row_size(8, %L::float8[], a.value)::numeric', params) END;
BEGIN
	IF c.name IN ('sum', 'avg', 'var') THEN
		RETURN QUERY SELECT * FROM slow_joint(c, k, rows);
		RETURN;
	END IF;
	RETURN QUERY EXECUTE format('WITH chosen AS MATERIALIZED (SELECT %1$s FROM (%2$s) r WHERE %3$s),
		added AS MATERIALIZED (SELECT value, %4$s AS c FROM (SELECT DISTINCT value FROM chosen) s GROUP BY value),
		sized AS MATERIALIZED (SELECT u, k, c, %5$s AS s FROM chosen JOIN added a ON a.value IS NOT DISTINCT FROM chosen.value),
		weighed AS MATERIALIZED (SELECT u, weight(sum(total * total), %6$s) AS m FROM (SELECT u, sum(s) AS total FROM sized GROUP BY u, k%8$s) g GROUP BY u),
		parts AS (SELECT k, i, sum(%7$s) AS part FROM sized JOIN weighed USING (u), unnest(c) WITH ORDINALITY AS e(p, i) GROUP BY k, i)
		SELECT k, array_agg(part ORDER BY i) FROM parts GROUP BY k',
		CASE WHEN c.people THEN 'DISTINCT u, k, 1 AS value' ELSE format('u, k, %s AS value', c.value) END, rows, c.filter,
		whole(c.name, params, CASE WHEN c.people OR c.value = '1' THEN NULL ELSE 'value' END), size, most,
		-- with bounds that are found, small weights count for nothing, and the sums behind the 260 bins are not rounded
		CASE WHEN c.name LIKE '%auto' THEN format('CASE WHEN m < 524288 THEN 0 WHEN i <= %s THEN div(p * m, 2147483648) ELSE p / 2147483648 * m END', CASE c.name WHEN 'sum_auto' THEN 260 ELSE 261 END)
			ELSE 'div(p * m, 2147483648)' END,
		-- each bin of a histogram is a group
		CASE c.name WHEN 'histogram' THEN ', c' END);
END $$;

-- The first difference between both ways; NULL where there is none.  A group without a row that counts is 0 everywhere.
CREATE FUNCTION difference(query text, k numeric, rows text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	CREATE TEMP TABLE f AS SELECT * FROM fast(query);
	CREATE TEMP TABLE s AS SELECT calls.no, r.* FROM asked JOIN calls USING (no), slow(calls, k, rows) r;
	SELECT format('%s of %s: %s, not %s', calls.call, coalesce(f.key, s.key), f.exact, s.exact) INTO found
	FROM f FULL JOIN s ON s.no = f.no AND coalesce(s.key, '-') = coalesce(f.key, '-') JOIN calls ON calls.no = coalesce(f.no, s.no)
	WHERE f.exact IS DISTINCT FROM s.exact AND EXISTS (SELECT FROM unnest(coalesce(s.exact, f.exact)) p WHERE p <> 0);
	DROP TABLE f, s;
	RETURN found;
END $$;

CREATE FUNCTION compare(s shape, tables int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	k int;
	found text;
BEGIN
	FOR n IN 1..tables LOOP
		PERFORM fill(), ask(n);
		k := (ARRAY[1, 2, 5, 20, 1000])[1 + n % 5];
		PERFORM gaussdp.protect('t', unit => 'u', max_rows => k, max_groups => s.max_groups, people => 'clinic');
		found := difference(format(s.query, select_list()), k, s.rows);
		IF found IS NOT NULL THEN
			RETURN format('table %s, max_rows %s: %s', n, k, found);
		END IF;
	END LOOP;
	RETURN NULL;
END $$;
SELECT setseed(0.15);
SELECT is(compare(shape, sized(100)), NULL, sized(100) || ' random tables: ' || name) FROM shape;

-- The comparison can fail: one row more, and it does.
SELECT setseed(0.5);
SELECT fill() FROM generate_series(1, 3) \g /dev/null
INSERT INTO t (u, g, h, x, i) SELECT 99, 'g' || j % 3, 0, 10, 7 FROM generate_series(1, 50) j;
DO $$BEGIN PERFORM gaussdp.protect('t', unit => 'u', max_rows => 5, people => 'clinic'), ask(1); END$$;
SELECT isnt(difference('SELECT ' || select_list() || ' FROM t', 6, 'SELECT t.*, ''all'' AS k FROM t'), NULL, 'another max_rows is another answer');

-- The same integers whatever the plan, and in whatever order the rows lie.
CREATE TABLE many AS SELECT (random() ^ 2 * 40)::int AS u, 'g' || (random() ^ 2 * 20)::int AS g, 0 AS h, random() * 10 AS x, (random() * 9)::int AS i, (random() * 9)::numeric AS n, ARRAY[random(), random()] AS v
FROM generate_series(1, 6000);
TRUNCATE t;
INSERT INTO t (u, g, h, x, i, n, v) SELECT * FROM many;
TRUNCATE asked RESTART IDENTITY;
INSERT INTO asked (no) SELECT no FROM calls WHERE no NOT IN (11, 12, 19, 20);
CREATE FUNCTION answers(settings text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE settings;
	SELECT md5(string_agg(format('%s %s %s', no, key, exact), ';' ORDER BY no, key)) INTO found
	FROM fast(format('SELECT g, %s FROM t GROUP BY g HAVING dp_keep_group(1, 1e-6)', select_list()));
	RESET ALL;
	RETURN found;
END $$;
SELECT answers('') AS plain \gset
SELECT is(answers(settings), :'plain', 'the same integers: ' || settings) FROM unnest(ARRAY['SET LOCAL enable_hashagg = off', 'SET LOCAL enable_sort = off; SET LOCAL enable_incremental_sort = off',
	'SET LOCAL work_mem = ''64kB''', 'SET LOCAL jit_above_cost = 0; SET LOCAL jit = on',
	'SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0; SET LOCAL max_parallel_workers_per_gather = 4']) settings;
CREATE TABLE reversed AS SELECT * FROM t ORDER BY x DESC;
TRUNCATE t;
INSERT INTO t (u, g, h, x, i, n, v) SELECT u, g, h, x, i, n, v FROM reversed;
SELECT is(answers(''), :'plain', 'the same integers in another order of rows');

-- Deleting a person: what all groups together move by is within the sensitivity.  Medians, quantiles and bounds that are found: aggregates_weighted.sql.
CREATE FUNCTION parts(query text) RETURNS TABLE (no int, key text, i int, part numeric, most numeric, coordinate int) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT a.no, k, c::int, (a.p).exact[c], (a.p).sensitivity[b], b
		FROM (SELECT %s AS k, %s FROM (%s) s) r CROSS JOIN LATERAL (VALUES %s) AS a(no, p), generate_subscripts((a.p).exact, 1) c,
			LATERAL (SELECT CASE WHEN cardinality((a.p).exact) = cardinality((a.p).sensitivity) THEN c WHEN cardinality((a.p).sensitivity) = 2 AND c = 1 THEN 2 ELSE 1 END) AS l(b)',
		CASE WHEN query ~ 'GROUP BY' THEN 'coalesce(key_1::text, ''-'')' ELSE '''all''' END,
		(SELECT string_agg('release_' || n, ', ') FROM generate_series(1, (SELECT count(*) FROM asked)) n), shown(query),
		(SELECT string_agg(format('(%s, release_%s)', a.no, n), ', ') FROM (SELECT asked.no, row_number() OVER (ORDER BY place) AS n FROM asked) a));
END $$;
-- Of each call, the largest share of its sensitivity by which one person moves it; of averages and variances all coordinates together.
CREATE FUNCTION moved(query text, persons int[]) RETURNS TABLE (no int, share numeric) LANGUAGE plpgsql AS $$
DECLARE
	person int;
BEGIN
	CREATE TEMP TABLE whole_table AS SELECT * FROM parts(query);
	CREATE TEMP TABLE moves (no int, share numeric);
	FOREACH person IN ARRAY persons LOOP
		CREATE TEMP TABLE gone AS SELECT * FROM t WHERE u = person;
		DELETE FROM t WHERE u = person;
		INSERT INTO moves SELECT s.no, sqrt(CASE c.name WHEN 'avg' THEN sum(square * ('{0.75,0.25}'::numeric[])[coordinate]) WHEN 'var' THEN sum(square * ('{0.25,0.25,0.5}'::numeric[])[coordinate]) ELSE max(square) END)
			FROM (SELECT w.no, w.coordinate, sum((w.part - coalesce(o.part, 0)) ^ 2) / max(w.most) ^ 2 AS square FROM whole_table w LEFT JOIN parts(query) o USING (no, key, i) GROUP BY w.no, w.coordinate) s
				JOIN calls c USING (no) GROUP BY s.no, c.name;
		INSERT INTO t (u, g, h, x, i, n, v) SELECT u, g, h, x, i, n, v FROM gone;
		DROP TABLE gone;
	END LOOP;
	RETURN QUERY SELECT m.no, max(m.share) FROM moves m GROUP BY m.no;
	DROP TABLE whole_table, moves;
END $$;
INSERT INTO t (u, g, h, x, i, n, v) SELECT 1000, 'g1', (j % 2) * 2, 10, 7, 9, '{4,0}' FROM generate_series(1, 4000) j;
INSERT INTO t (u, g, h, x, i, n, v) SELECT 1001, 'g' || j % 20, 2, 10, -7, 9, '{0,4}' FROM generate_series(1, 4000) j;
CREATE TABLE shares AS SELECT s.name, m.* FROM shape s, LATERAL moved(format(s.query, select_list()), ARRAY[0, 1, 5, 20, 1000, 1001]) m WHERE s.name IN ('no groups', 'groups found in the data');
SELECT is((SELECT format('%s in %s: %s', call, s.name, share) FROM shares s JOIN calls USING (no) WHERE share > 1 LIMIT 1), NULL, 'no person moves a call by more than its sensitivity');
SELECT is((SELECT string_agg(no::text, ',' ORDER BY no) FROM (SELECT no FROM shares WHERE no IN (1, 2, 3, 4, 5, 6, 10, 13, 14, 16, 17, 18) GROUP BY no HAVING max(share) <= 0.999) s), NULL, 'and a constructed person by more than 0.999 of it');

-- Persons whose units have the same hash are two persons.
CREATE TABLE twins (u text NOT NULL, j int);
INSERT INTO twins SELECT u, j FROM (SELECT (array_agg('p' || i))[1:2] AS us FROM generate_series(1, 300000) i GROUP BY hashtext('p' || i) HAVING count(*) > 1 LIMIT 1) s, unnest(us) u, generate_series(1, 100) j;
DO $$BEGIN PERFORM gaussdp.protect('twins', unit => 'u', max_rows => 7); END$$;
CREATE FUNCTION exactly(query text) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	found numeric;
BEGIN
	EXECUTE format('SELECT round(((release_1).exact[1]) * 2.0 ^ (release_1).exponent[1], 3) FROM (%s) s', shown(query)) INTO found;
	RETURN found;
END $$;
SELECT is(exactly('SELECT dp_count(1, 1e-6) FROM twins'), 14.000, 'two units with one hash are two persons');
SELECT is(exactly('SELECT dp_count(DISTINCT u, 1, 1e-6) FROM twins'), 2.000, 'and counted as two');
SELECT * FROM finish();
ROLLBACK;
