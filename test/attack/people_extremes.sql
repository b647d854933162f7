\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Sums, averages, variances and counts over people who own many rows, of values at and beyond all ends of their types: a person who leaves moves
-- what the plan node adds up by no more than the mu that is charged allows, in steps of the noise that is drawn, with max_rows given or found, and
-- no value is an error.  What a call may have of mu is computed here, from its epsilon and delta alone.
BEGIN;
SET LOCAL client_min_messages = error;
\ir ../module/size.sql
\ir ../module/probe.sql
CREATE FUNCTION test_by_node(text, float8) RETURNS SETOF record AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
SELECT plan(5);
CREATE TABLE t (u int NOT NULL, g text, h int NOT NULL, x float8, n numeric, b int8, f float4) PARTITION BY LIST (h);
CREATE TABLE t0 PARTITION OF t FOR VALUES IN (0, 1);
CREATE TABLE t1 (f float4, b int8, n numeric, x float8, h int NOT NULL, g text, u int NOT NULL);
ALTER TABLE t ATTACH PARTITION t1 FOR VALUES IN (2, 3);
CREATE TABLE key (g text PRIMARY KEY);
INSERT INTO key SELECT 'g' || j FROM generate_series(0, 5) j;

CREATE TABLE calls (no serial, call text, epsilon float8, delta float8);
INSERT INTO calls (call, epsilon, delta) VALUES ('dp_sum(x, 1, 1e-6, -3, 10)', 1, 1e-6), ('dp_sum(x, 8, 1e-2, -1e300, 1e300)', 8, 1e-2), ('dp_sum(n, 0.1, 1e-9, -7, -2)', 0.1, 1e-9), ('dp_sum(b, 1, 1e-6, -1e9, 2)', 1, 1e-6),
	('dp_sum(f, 3, 1e-6, 1e-5)', 3, 1e-6), ('dp_sum(x, 1, 1e-6, -10, 10) FILTER (WHERE h > 1)', 1, 1e-6), ('dp_avg(n, 1, 1e-6, -10, 10)', 1, 1e-6), ('dp_avg(b, 3, 1e-9, 0, 0.3)', 3, 1e-9), ('dp_var(x, 1, 1e-6, -3, 10)', 1, 1e-6),
	('dp_stddev(n, 0.5, 1e-2, -1e200, 1e200)', 0.5, 1e-2), ('dp_count(x, 1, 1e-6)', 1, 1e-6), ('dp_count(8, 1e-2) FILTER (WHERE h = 0)', 8, 1e-2);
CREATE TABLE shape (query text, keys text);
INSERT INTO shape VALUES ('SELECT %s FROM t', ''), ('SELECT key.g, %s FROM key LEFT JOIN t USING (g) GROUP BY key.g', 'key_1 text, '), ('SELECT g, h, %s FROM t GROUP BY g, h HAVING dp_keep_group(1, 1e-6)', 'key_1 text, key_2 text, ');

-- What a person has: of each kind of value any, or the lowest and the highest in turn, or one of these.
CREATE FUNCTION fill(u int, rows int, kind int) RETURNS void LANGUAGE sql AS $$
	INSERT INTO t SELECT u, CASE WHEN random() < 0.1 THEN NULL ELSE 'g' || (random() * 5)::int END, (random() * 3)::int,
		CASE kind WHEN 0 THEN ('{NULL,NaN,Infinity,-Infinity,0,-0.0,5e-324,-5e-324,1e300,-1.7976931348623157e308,-3,10,2.5,1e-310}'::float8[])[1 + (random() * 13)::int] ELSE ('{-Infinity,1.7e308,-1e300}'::float8[])[1 + j % kind] END,
		CASE kind WHEN 0 THEN ('{NULL,NaN,Infinity,-Infinity,9,-2,1e-20,1e130000,-1e130000,1e-16000,0.5}'::numeric[])[1 + (random() * 10)::int] ELSE ('{-1e200,Infinity,-Infinity}'::numeric[])[1 + j % kind] END,
		CASE kind WHEN 0 THEN ('{NULL,9223372036854775807,-9223372036854775808,0,1,-5}'::int8[])[1 + (random() * 5)::int] ELSE ('{-9223372036854775808,9223372036854775807,-1}'::int8[])[1 + j % kind] END,
		CASE kind WHEN 0 THEN ('{NULL,NaN,Infinity,-Infinity,3.4e38,1e-45,0,-1.5}'::float4[])[1 + (random() * 7)::int] ELSE ('{-Infinity,3.4e38,-1}'::float4[])[1 + j % kind] END
	FROM generate_series(1, rows) j $$;

-- The integers of each call and group, and the standard deviations of their noise.
CREATE FUNCTION parts(s shape, asked int[], k float8) RETURNS TABLE (no int, key text, i int, part numeric, sigma numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT a.no, r.k, c::int, (a.p).exact[c], (a.p).sigma_int[c] FROM (SELECT concat_ws('' '', %s''-'') AS k, * FROM test_by_node(%L, %s) AS n(%s%s)) r CROSS JOIN LATERAL (VALUES %s) AS a(no, p), generate_subscripts((a.p).exact, 1) c',
		regexp_replace(s.keys, '(key_\d) text', 'coalesce(\1, ''-'')', 'g'), format(s.query, (SELECT string_agg(call, ', ' ORDER BY c.no) FROM calls c WHERE c.no = ANY (asked))), k, s.keys,
		(SELECT string_agg(format('release_%s probe', n), ', ') FROM generate_series(1, cardinality(asked)) n), (SELECT string_agg(format('(%s, release_%s)', c, n), ', ') FROM unnest(asked) WITH ORDINALITY u(c, n)));
END $$;

CREATE TABLE shares (no int, k float8, share float8);
CREATE FUNCTION try(n int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	s shape;
	asked int[] := ARRAY(SELECT no FROM calls WHERE no % 4 = n % 4 ORDER BY no);
	k float8 := (ARRAY[NULL, 0.5, NULL, 0.0009765625, 2])[1 + n % 5];
BEGIN
	TRUNCATE t;
	SELECT * INTO s FROM shape ORDER BY random() LIMIT 1;
	PERFORM gaussdp.protect('t', unit => 'u', max_rows => CASE WHEN k IS NULL THEN (ARRAY[1, 3, 1000])[1 + n % 3] ELSE 0 END, max_groups => (ARRAY[100, 2])[1 + n % 2]);
	PERFORM fill(u, (random() ^ 2 * 30)::int, 0) FROM generate_series(1, 5) u;
	PERFORM fill(7, (ARRAY[1, 2, 30, 400])[1 + n % 4], (ARRAY[0, 1, 2, 3, 0, 2])[1 + (random() * 5)::int]), fill(7, 3, 1 + (random() * 2)::int);
	PERFORM set_config('work_mem', (ARRAY['4MB', '64kB'])[1 + n % 2], true), set_config('max_parallel_workers_per_gather', (ARRAY['0', '2'])[1 + n / 2 % 2], true);
	CREATE TEMP TABLE before AS SELECT * FROM parts(s, asked, coalesce(k, 1));
	DELETE FROM t WHERE u = 7;
	INSERT INTO shares SELECT m.no, k, sqrt(sum(m.moved)) / gdp.mu(c.epsilon, c.delta) / CASE WHEN k IS NULL THEN 1 ELSE sqrt(0.75) END
		FROM (SELECT no, ((coalesce(b.part, 0) - coalesce(a.part, 0)) / coalesce(b.sigma, a.sigma)) ^ 2 AS moved FROM before b FULL JOIN parts(s, asked, coalesce(k, 1)) a USING (no, key, i)) m JOIN calls c USING (no) GROUP BY m.no, c.epsilon, c.delta;
	DROP TABLE before;
END $$;
SELECT set_config('min_parallel_table_scan_size', '0', true), set_config('parallel_setup_cost', '0', true), set_config('parallel_tuple_cost', '0', true), setseed(0.28) \g /dev/null
SELECT lives_ok(format('SELECT try(n) FROM generate_series(1, %s) n', sized(250)), 'no value is an error');
SELECT is((SELECT format('%s: %s', call, share) FROM shares JOIN calls USING (no) WHERE share > 1 ORDER BY share DESC LIMIT 1), NULL, 'no person moves a call by more than is charged');
SELECT cmp_ok(count(DISTINCT no), '=', 12::bigint, 'of all calls') FROM shares WHERE share > 0.1;
SELECT cmp_ok(max(share), '>', 0.999::float8, CASE WHEN number THEN 'and some by nearly as much, where max_rows is found' ELSE 'and where it is given' END) FROM (SELECT share, k IS NOT NULL AS number FROM shares) s GROUP BY number ORDER BY number DESC;
SELECT * FROM finish();
ROLLBACK;
