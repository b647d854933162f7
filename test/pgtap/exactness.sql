\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The numbers to which noise is added are exact: the same bits whatever the order of the rows, the
-- plan and the workers; and one person moves them by the declared sensitivity and no more.
BEGIN;
\ir ../module/size.sql
\ir ../module/probe.sql
SELECT plan(49);

-- Values of every kind, some far outside the bounds, and none of them a whole number of grid steps.
CREATE FUNCTION value(i int) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
	CASE i % 23 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' WHEN 4 THEN 5e-324
		WHEN 5 THEN 1e300 WHEN 6 THEN -0.0 ELSE sin(i) * 150 END;
CREATE FUNCTION whole(i int) RETURNS int8 LANGUAGE sql IMMUTABLE PARALLEL SAFE RETURN
	CASE i % 23 WHEN 0 THEN NULL WHEN 1 THEN -32768 WHEN 2 THEN 32767 ELSE (sin(i) * 150)::int8 END;
CREATE TABLE rows_in_order AS
SELECT i AS id, i % 7 AS g, whole(i)::int2 AS i2, whole(i)::int4 AS i4, whole(i) * 100000000000000 AS i8,
	CASE WHEN i % 23 IN (4, 5) THEN NULL ELSE value(i) END::float4 AS f4, value(i) AS f8, value(i)::numeric AS n,
	ARRAY[value(i), value(i + 1), sin(i)] AS v
FROM generate_series(1, 20000) i;

-- All probes in one string.
\set columns ROW((probe_count(1, 1e-6)).exact, (probe_count(f8, 1, 1e-6)).exact, (probe_sum(i2, 1, 1e-6, -10, 100)).exact, (probe_sum(i4, 1, 1e-6, 100)).exact, (probe_sum(i8, 1, 1e-6, 0, 1e16, 3)).exact, (probe_sum(f4, 1, 1e-6, -100, 3.3)).exact, (probe_sum(f8, 1, 1e-6, -0.1, 0.3)).exact, (probe_sum(n, 1, 1e-6, 1e-9)).exact, (probe_avg(i2, 1, 1e-6, -10, 100)).exact, (probe_avg(i4, 1, 1e-6, 0, 1)).exact, (probe_avg(i8, 1, 1e-6, -1e15, 1e16, 3)).exact, (probe_avg(f4, 1, 1e-6, -100, 3.3)).exact, (probe_avg(f8, 1, 1e-6, 1e6, 1.1e6)).exact, (probe_avg(n, 1, 1e-6, -7, 1e3)).exact, (probe_var(f8, 1, 1e-6, -30, 100)).exact, (probe_var(i8, 1, 1e-6, -1, 1e18, 2)).exact, (probe_histogram(n, 1, 1e-6, -100, 100, 7)).exact, md5((probe_quantile(f8, 1, 1e-6, -100, 90, 0.3)).exact::text), (probe_sum(v, 1, 1e-6, 3.3, 3)).exact, (probe_avg(v, 1, 1e-6, 100, 3)).exact, (probe_keep_group(1, 1e-6)).exact)
-- Materialized: from 16 on the order of string_agg would else have a say in how the groups are formed.
\set grouped 'WITH t AS MATERIALIZED (SELECT g, ' :columns ' AS s FROM rows_now GROUP BY g) SELECT string_agg(s::text, chr(10) ORDER BY g) AS now FROM t'
\set all_rows 'SELECT (' :columns ')::text AS now FROM rows_now'
CREATE VIEW rows_now AS TABLE rows_in_order;
CREATE FUNCTION plan_has(query text, VARIADIC nodes text[]) RETURNS boolean LANGUAGE plpgsql AS
'DECLARE line text; found text[] = ''{}''; node text; BEGIN FOR line IN EXECUTE ''EXPLAIN '' || query LOOP FOREACH node IN ARRAY nodes LOOP IF position(node IN line) > 0 THEN found = found || node; END IF; END LOOP; END LOOP; RETURN found @> nodes; END';
SET LOCAL max_parallel_workers_per_gather = 0;
SET LOCAL enable_hashagg = off;
:grouped \gset g_
:all_rows \gset a_
SELECT ok(length(:'g_now') > 1000 AND :'g_now' NOT LIKE '%NULL%', 'there is something to compare');
SELECT ok(plan_has(:'grouped', 'GroupAggregate', 'Sort'), 'grouped by sorting first');
SET LOCAL enable_hashagg = on;
SET LOCAL enable_sort = off;
:grouped \gset
SELECT ok(:'now' = :'g_now' AND plan_has(:'grouped', 'HashAggregate'), 'the same by hashing');
SET LOCAL work_mem = '64kB';
:grouped \gset
SELECT ok(:'now' = :'g_now', 'and with little memory');
SET LOCAL work_mem = '4MB';
SET LOCAL enable_sort = on;

CREATE TABLE rows_shuffled (LIKE rows_in_order);
CREATE OR REPLACE VIEW rows_now AS TABLE rows_shuffled;
CREATE FUNCTION shuffled(seed float8) RETURNS void LANGUAGE plpgsql AS
'BEGIN PERFORM setseed(seed); TRUNCATE rows_shuffled; INSERT INTO rows_shuffled SELECT * FROM rows_in_order ORDER BY random(); END';
CREATE FUNCTION run(query text) RETURNS text LANGUAGE plpgsql AS 'DECLARE r text; BEGIN EXECUTE query INTO r; RETURN r; END';
SELECT ok(bool_and(run(:'grouped') = :'g_now' AND run(:'all_rows') = :'a_now'), 'the same over 20 shuffles of the rows')
FROM (SELECT shuffled(i / 32.0) FROM generate_series(1, 20) i OFFSET 0) s;

CREATE INDEX ON rows_shuffled (f8);
SET LOCAL enable_seqscan = off;
SET LOCAL enable_bitmapscan = off;
\set indexed 'SELECT (' :columns ')::text AS now FROM (SELECT * FROM rows_shuffled ORDER BY f8) t'
:indexed \gset
SELECT ok(:'now' = :'a_now' AND plan_has(:'indexed', 'Index Scan'), 'the same by an index');
RESET enable_seqscan;
RESET enable_bitmapscan;

SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL parallel_leader_participation = off;
SET LOCAL max_parallel_workers_per_gather = 2;
ALTER TABLE rows_shuffled SET (parallel_workers = 2);
:all_rows \gset
SELECT ok(:'now' = :'a_now' AND plan_has(:'all_rows', 'Workers Planned: 2', 'Partial Aggregate'), 'the same with two workers');
:grouped \gset
SELECT ok(:'now' = :'g_now' AND plan_has(:'grouped', 'Workers Planned: 2', 'Partial'), 'in groups as well');
SET LOCAL max_parallel_workers_per_gather = 4;
SET LOCAL parallel_leader_participation = on;
ALTER TABLE rows_shuffled SET (parallel_workers = 4);
:all_rows \gset
SELECT ok(:'now' = :'a_now' AND plan_has(:'all_rows', 'Workers Planned: 4', 'Partial Aggregate'), 'the same with four workers');
:grouped \gset
SELECT ok(:'now' = :'g_now' AND plan_has(:'grouped', 'Workers Planned: 4', 'Partial'), 'in groups as well');
SET LOCAL max_parallel_workers_per_gather = 0;

-- Cancellation that a float sum would lose (attacks 1.7b).
SELECT is((c).exact[1] * 2.0::numeric ^ (c).exponent[1], 6400000.0, 'small values between large ones are kept')
FROM (SELECT probe_sum(x, 1, 1e-6, 2::float8 ^ 33) AS c FROM (SELECT 2::float8 ^ 33 AS x UNION ALL SELECT 64 FROM generate_series(1, 100000) UNION ALL SELECT -(2::float8 ^ 33)) t) s;

-- Sensitivity: each of 1,000 rows (100 in `make test`) taken away, one at a time, and with it the bounds' extremes.
SELECT sized(1000) AS n \gset
CREATE TABLE thousand AS SELECT * FROM rows_in_order WHERE id <= :n - 2
UNION ALL SELECT :n - 1, 0, 100, 100, 100, 100, 100, 100, ARRAY[3, -4, 12]
UNION ALL SELECT :n, 0, -100, -100, -100, -100, -100, -100, ARRAY['Infinity', 0, 0]::float8[];
-- Of row i and released number c: how far the row moves it, and what that coordinate may be moved.
CREATE FUNCTION moves(call text) RETURNS TABLE (i int, c bigint, move numeric, s numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH w AS MATERIALIZED (SELECT %1$s AS p FROM thousand), o AS MATERIALIZED
		(SELECT n.i, %1$s AS p FROM generate_series(1, (SELECT count(*)::int FROM thousand)) n(i), thousand t WHERE t.id <> n.i GROUP BY n.i)
		SELECT o.i, u.c, abs(u.w - u.o), u.s FROM w, o, unnest((w.p).exact, (o.p).exact, (w.p).sensitivity) WITH ORDINALITY u(w, o, s, c)', call);
END $$;
SELECT ok(max(move - s) = 0 AND count(*) = :n, 'count: at most and exactly the sensitivity') FROM moves('probe_count(1, 1e-6)') m;
SELECT ok(max(move - s) = 0 AND count(*) = :n, 'keep_group: at most and exactly the sensitivity') FROM moves('probe_keep_group(1, 1e-6)') m;
SELECT ok(max(move - s) = 0 AND count(*) = :n, 'sum(' || x || '): at most and exactly the sensitivity')
FROM unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'n']) x, moves(format('probe_sum(%s, 1, 1e-6, -30, 100)', x)) m GROUP BY x;
SELECT ok(bool_and(most = 0) AND sum(n) = 2 * :n, 'avg(' || x || '): at most and exactly the sensitivities')
FROM unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'n']) x,
	LATERAL (SELECT max(move - s) AS most, count(*) AS n FROM moves(format('probe_avg(%s, 1, 1e-6, -100, 100)', x)) GROUP BY c) m GROUP BY x;
SELECT ok(bool_and(most = 0) AND sum(n) = 3 * :n, 'var(' || x || '): at most and exactly the sensitivities')
FROM unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'n']) x,
	LATERAL (SELECT max(move - s) AS most, count(*) AS n FROM moves(format('probe_var(%s, 1, 1e-6, -100, 100)', x)) GROUP BY c) m GROUP BY x;
-- A row of a joint variance release takes no more than its share of each coordinate's square, whatever its value.
SELECT ok(max(part) = 1, 'var: the squares of a row sum to those of the sensitivity and no more')
FROM (SELECT sum(CASE c WHEN 3 THEN 0.5 ELSE 0.25 END * (move / s) ^ 2) AS part FROM moves('probe_var(f8, 1, 1e-6, -130, 77)') GROUP BY i) m;
SELECT ok(max(cells) = 1 AND min(cells) = 0 AND count(*) = :n, call || ': one cell by one row')
FROM (SELECT call, i, sum(move) AS cells FROM unnest(ARRAY['probe_histogram(f8, 1, 1e-6, -100, 90, 7)', 'probe_quantile(f8, 1, 1e-6, -100, 90, 0.3)']) call,
	moves(call) GROUP BY call, i) m GROUP BY call;
SELECT ok(max(squares) = 0 AND count(*) = :n, 'vector sum, norm ' || norm || ': at most and exactly the norm')
FROM (SELECT norm, i, sum(move ^ 2) - max(s) ^ 2 AS squares FROM unnest(ARRAY[0.7, 13, 1e6]) norm, moves(format('probe_sum(v, 1, 1e-6, %s, 3)', norm)) GROUP BY norm, i) m GROUP BY norm;
-- The count comes first, the vector behind it.
SELECT ok(max(vector) = 0 AND max(count) = 0, 'vector avg: at most and exactly the sensitivities')
FROM (SELECT i, sum(move ^ 2) FILTER (WHERE c > 1) - max(s) FILTER (WHERE c = 1) ^ 2 AS vector, max(move) FILTER (WHERE c = 1) - max(s) FILTER (WHERE c = 2) AS count
	FROM moves('probe_avg(v, 1, 1e-6, 13, 3)') GROUP BY i) m;
-- Values that every type holds
CREATE TABLE vectors AS SELECT ARRAY[i, -i * i, NULLIF(i, 7), 3] AS v FROM generate_series(-100, 100) i;
SELECT is(run(format(call, type)), run(format(call, 'float8')), format('vectors of %s: as those of float8', type))
FROM unnest(ARRAY['int2', 'int4', 'int8', 'float4', 'numeric']) type,
	(VALUES ('SELECT ((probe_sum(v::%1$s[], 1, 1e-6, 300, 4)).exact || (probe_avg(v::%1$s[], 1, 1e-6, 300, 4)).exact) FROM vectors')) c(call);

-- 200 random tables, up to five rows a person; each person taken away in turn.  Bounds that are no
-- grid points are rounded toward zero, so that the sensitivity is never passed.
SELECT setseed(0.25);
CREATE TABLE people AS
SELECT t, p, value((random() * 1e6)::int) AS x, whole((random() * 1e6)::int) AS w
FROM generate_series(1, 200) t, generate_series(1, 8) p, generate_series(1, 1 + (t + p) % 5) r;
INSERT INTO people SELECT t, 9, 100, 100 FROM generate_series(1, 200) t, generate_series(1, 5);
-- whole - without <= sensitivity in every coordinate; equal for person 9, whose rows all lie at the bound
CREATE FUNCTION persons(call text) RETURNS TABLE (bounded boolean, reached boolean) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT bool_and(abs(e - w) <= s), bool_and(abs(e - w) = s OR p <> 9)
		FROM (SELECT t, %1$s AS c FROM people GROUP BY t) o
		JOIN (SELECT q.t, n.p, %1$s AS c FROM people q JOIN generate_series(1, 9) n(p) ON q.p <> n.p GROUP BY q.t, n.p) r USING (t),
		unnest((o.c).exact, (r.c).exact, (o.c).sensitivity) u(e, w, s)', call);
END $$;
SELECT ok(bounded AND reached, 'persons with five rows, 200 tables: count') FROM persons('probe_count(true, 1, 1e-6, 5)');
SELECT ok(bounded AND reached, 'persons with five rows, 200 tables: ' || c)
FROM unnest(ARRAY['probe_sum(x, 1, 1e-6, -30, 100, 5)', 'probe_sum(w, 1, 1e-6, -30, 100, 5)', 'probe_avg(x, 1, 1e-6, -100, 100, 5)', 'probe_var(w, 1, 1e-6, -100, 100, 5)', 'probe_keep_group(1, 1e-6, 5)']) c, persons(c);

SELECT * FROM finish();
ROLLBACK;
