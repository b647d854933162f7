\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Weighted aggregates, sizes and weights: the integers before the noise against slow arithmetic in numeric;
-- a whole weight adds what the call without weights adds; and no person moves all groups together by more
-- than the sensitivity.
BEGIN;
\ir ../module/probe.sql
SELECT no_plan();

-- Values of every kind, some far outside the bounds, and weights of every size.
SELECT setseed(0.31);
CREATE FUNCTION value(i int) RETURNS float8 LANGUAGE sql IMMUTABLE RETURN
	CASE i % 17 WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' WHEN 4 THEN 5e-324
		WHEN 5 THEN 1e300 WHEN 6 THEN -0.0 ELSE sin(i) * 150 END;
CREATE FUNCTION whole(i int) RETURNS int8 LANGUAGE sql IMMUTABLE RETURN
	CASE i % 17 WHEN 0 THEN NULL WHEN 1 THEN -32768 WHEN 2 THEN 32767 ELSE (sin(i) * 150)::int8 END;
CREATE TABLE r AS
SELECT i AS id, i % 5 AS g, whole(i)::int2 AS i2, whole(i)::int4 AS i4, whole(i) * 100000000000000 AS i8,
	CASE WHEN i % 17 IN (4, 5) THEN NULL ELSE value(i) END::float4 AS f4, value(i) AS f8, value(i)::numeric AS n,
	CASE i % 7 WHEN 0 THEN NULL WHEN 1 THEN ARRAY[1, 2] WHEN 2 THEN ARRAY[1, NULL, 2] WHEN 3 THEN ARRAY[0, 0, 0] ELSE ARRAY[value(i), value(i + 1), sin(i)] END AS v,
	CASE i % 11 WHEN 0 THEN NULL WHEN 1 THEN 0 WHEN 2 THEN 2147483648 WHEN 3 THEN 1 WHEN 4 THEN 2147483647 WHEN 5 THEN (random() * 1000)::int8
		ELSE (random() * 2147483648)::int8 END AS m
FROM generate_series(1, 400) i;

-- Every weighted call: its aggregate, parameters with k last, value, and the call without weights.
CREATE TABLE calls (name text, params float8[], value text, plain text);
INSERT INTO calls VALUES ('count', '{1,1e-6,1}', NULL, 'probe_count(1, 1e-6)'), ('count', '{1,1e-6,3.7}', 'f8', 'probe_count(f8, 1, 1e-6, 3.7)'),
	('count', '{300,1e-6,1}', 'v', 'probe_count(v, 300, 1e-6)'),
	('keep_group', '{1,1e-6,100}', NULL, 'probe_keep_group(1, 1e-6)'),
	('avg', '{1,1e-6,-7,1000,3}', 'n', 'probe_avg(n, 1, 1e-6, -7, 1000, 3)'), ('var', '{1,1e-6,-30,100,1}', 'f8', 'probe_var(f8, 1, 1e-6, -30, 100)'),
	('var', '{1,1e-6,-1,1e18,2}', 'i8', 'probe_var(i8, 1, 1e-6, -1, 1e18, 2)'), ('histogram', '{1,1e-6,-100,100,7,1}', 'n', NULL), ('histogram', '{1,1e-6,-100,100,7,4}', 'i4', NULL),
	('quantile', '{1,1e-6,-100,90,0.3,1}', 'f8', NULL), ('quantile', '{1,1e-6,-100,90,0.9,5}', 'f4', NULL), ('quantile', '{1,1e-6,-100,90,1}', 'i2', NULL),
	('vector_sum', '{1,1e-6,3.3,3,1}', 'v', 'probe_sum(v, 1, 1e-6, 3.3, 3)'), ('vector_avg', '{1,1e-6,100,3,1}', 'v', 'probe_avg(v, 1, 1e-6, 100, 3)');
INSERT INTO calls SELECT 'sum', '{1,1e-6,-30,100,1}', x, format('probe_sum(%s, 1, 1e-6, -30, 100)', x) FROM unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'n']) x;
INSERT INTO calls SELECT 'sum', '{1,1e-6,-0.1,0.3,9}', x, format('probe_sum(%s, 1, 1e-6, -0.1, 0.3, 9)', x) FROM unnest(ARRAY['f8', 'n']) x;
INSERT INTO calls SELECT 'avg', '{1,1e-6,-100,100,1}', x, format('probe_avg(%s, 1, 1e-6, -100, 100)', x) FROM unnest(ARRAY['i2', 'i4', 'i8', 'f4', 'f8', 'n']) x;
INSERT INTO calls VALUES ('sum', '{1,1e-6,3.3,1}', 'f8', 'probe_sum(f8, 1, 1e-6, 3.3)'), ('sum', '{1,1e-6,50,100,2}', 'f8', 'probe_sum(f8, 1, 1e-6, 50, 100, 2)');
CREATE FUNCTION probed(c calls, weight text) RETURNS text LANGUAGE sql RETURN
	CASE WHEN c.name IN ('sum', 'avg', 'var') THEN format('(probe_%s_weighted(row_total(%s, %L, %s, %s), %L::float8[]))', c.name, CASE c.name WHEN 'sum' THEN 2 WHEN 'avg' THEN 3 ELSE 5 END, c.params, c.value, weight, c.params)
	ELSE format('(probe_%s_weighted(%s, %L::float8[]%s))', c.name, weight, c.params, coalesce(', ' || c.value, '')) END;

CREATE FUNCTION holds(query text) RETURNS boolean LANGUAGE plpgsql AS 'DECLARE r boolean; BEGIN EXECUTE query INTO r; RETURN r; END';
SELECT ok(holds(format('SELECT bool_and((w).exact = (p).exact) AND count(*) = 5 FROM (SELECT g, %s AS w, %s AS p FROM r GROUP BY g) t', probed(c, '2147483648'), plain)),
	format('%s %s of %s: whole weights are no weights', name, params, value)) FROM calls c WHERE plain IS NOT NULL;
SELECT ok(bool_and(w.exact = ARRAY(SELECT n * 2.0 ^ -w.exponent[1] FROM unnest((p).exact) WITH ORDINALITY u(n, i) ORDER BY i)), 'a histogram''s rows are whole in steps')
FROM (SELECT g, probe_histogram_weighted(2147483648, '{1,1e-6,-100,100,7,1}', n) AS w, probe_histogram(n, 1, 1e-6, -100, 100, 7) AS p FROM r GROUP BY g) t, LATERAL (SELECT (t.w).*) w;
SELECT ok(bool_and(w.exact[:1024] = ARRAY(SELECT n * trunc((1 - 0.3::numeric) * 2.0 ^ -w.exponent[1]) FROM unnest((p).exact) WITH ORDINALITY u(n, i) ORDER BY i)
	AND w.exact[1025:] = ARRAY(SELECT n * trunc(0.3::numeric * 2.0 ^ -w.exponent[1]) FROM unnest((p).exact) WITH ORDINALITY u(n, i) ORDER BY i)), 'a quantile''s rows are what they add on either side')
FROM (SELECT g, probe_quantile_weighted(2147483648, '{1,1e-6,-100,90,0.3,1}', f8) AS w, probe_quantile(f8, 1, 1e-6, -100, 90, 0.3) AS p FROM r GROUP BY g) t, LATERAL (SELECT (t.w).*) w;

-- Each row by itself in full, weighed and summed in numeric; div truncates toward zero.
SELECT ok(holds(format('WITH one AS MATERIALIZED (SELECT id, g, m, (%s).exact AS c FROM r GROUP BY id, g, m),
	part AS (SELECT g, i, sum(div(p * coalesce(m, 0), 2147483648)) AS s FROM one, unnest(c) WITH ORDINALITY u(p, i) GROUP BY g, i),
	expected AS (SELECT g, array_agg(s ORDER BY i) AS e FROM part GROUP BY g), found AS (SELECT g, (%s).exact AS e FROM r GROUP BY g)
	SELECT bool_and(expected.e = found.e) AND count(*) = 5 FROM expected JOIN found USING (g)', probed(c, '2147483648'), probed(c, 'm'))),
	format('%s %s of %s: the sum of parts that are rounded toward zero', name, params, value)) FROM calls c;
-- A sum's own contribution, too: whole numbers are whole numbers of steps.
SELECT ok(bool_and((c).exact[1] = (SELECT sum(div(least(greatest(i4, -30), 100) * 2.0 ^ -(c).exponent[1] * m, 2147483648)) FROM r WHERE r.g = t.g AND i4 IS NOT NULL)) AND count(*) = 5, 'sums of whole numbers, by arithmetic alone')
FROM (SELECT g, probe_sum_weighted(row_total(2, '{1,1e-6,-30,100,3}', i4, m), '{1,1e-6,-30,100,3}') AS c FROM r GROUP BY g) t;

-- Automatic bounds: rows of little weight count for nothing; counts are rounded by row, sums and weights are not.
SELECT ok(holds(format('WITH one AS MATERIALIZED (SELECT id, g, CASE WHEN m >= 524288 THEN m ELSE 0 END AS m, (%1$s).exact AS c FROM r GROUP BY id, g, m),
	part AS (SELECT g, i, sum(CASE WHEN i <= 260 + %3$s THEN div(p * m, 2147483648) ELSE p / 2147483648 * m END) AS s FROM one, unnest(c) WITH ORDINALITY u(p, i) GROUP BY g, i),
	expected AS (SELECT g, array_agg(s ORDER BY i) AS e FROM part GROUP BY g), found AS (SELECT g, (%2$s).exact AS e FROM r GROUP BY g)
	SELECT bool_and(expected.e = found.e) AND count(*) = 5 FROM expected JOIN found USING (g)', probed(c, '2147483648'), probed(c, 'm'), CASE name WHEN 'sum_auto' THEN 0 ELSE 1 END)),
	format('%s of %s: bins', name, value)) FROM (SELECT (v).name, (v).params, (v).value, v AS c FROM unnest(ARRAY[('sum_auto', '{1,1e-6,1}', 'f8', NULL), ('avg_auto', '{1,1e-6,5}', 'n', NULL)]::calls[]) v) t;
SELECT is((w).exact[:260], ARRAY(SELECT n * 2.0 ^ -(w).exponent[1] FROM unnest((p).exact[:260]) WITH ORDINALITY u(n, i) ORDER BY i), 'whole weights count whole rows in bins')
FROM (SELECT probe_sum_auto_weighted(2147483648, '{1,1e-6,1}', f8) AS w, probe_sum_auto(f8, 1, 1e-6) AS p FROM r) t;
SELECT is((w).exact[261:520], ARRAY(SELECT n * 2147483648 FROM unnest((p).exact[261:]) WITH ORDINALITY u(n, i) ORDER BY i), 'and add their steps')
FROM (SELECT probe_sum_auto_weighted(2147483648, '{1,1e-6,1}', f8) AS w, probe_sum_auto(f8, 1, 1e-6) AS p FROM r) t;

-- Sizes: of vectors the least whole number s with s D >= 2^20 |c|, c being what the row adds and D the most that one may.
CREATE FUNCTION kind(name text) RETURNS int4 LANGUAGE sql RETURN
	array_position(ARRAY['count', 'sum', 'avg', 'keep_group', 'var', 'histogram', 'quantile', 'vector_sum', 'vector_avg', 'sum_auto', 'avg_auto'], name);
SELECT ok(holds(format('SELECT bool_and(s = CASE WHEN %1$s IS NULL OR %1$s::text = ''NaN'' THEN 0 ELSE 1048576 END) AND count(*) = 400 FROM (SELECT *, gaussdp_internal.row_size(kind(%2$L), %3$L, %1$s) AS s FROM r) r', value, name, params)),
	format('%s %s of %s: whole rows or none', name, params, value)) FROM calls WHERE name NOT IN ('vector_sum', 'vector_avg') AND value IS NOT NULL AND (name <> 'count' OR value <> 'f8');
SELECT ok(sum(gaussdp_internal.row_size(1, '{1,1e-6,3.7}', f8)) = 1048576 * count(f8), 'count: NaN is a value') FROM r;
SELECT ok(bool_and(s = CASE WHEN (c).exact[1] > 0 THEN 1048576 ELSE 0 END) AND max(s) > 0, 'vector averages: whole rows or none')
FROM (SELECT s, probe_vector_avg_weighted(2147483648, '{1,1e-6,100,3,1}', v) AS c FROM (SELECT *, gaussdp_internal.row_size(9, '{1,1e-6,100,3,1}', v) AS s FROM r) r GROUP BY id, s) t;
SELECT ok(bool_and(s ^ 2 * most ^ 2 >= 1099511627776 * square AND (s = 0 OR (s - 1) ^ 2 * most ^ 2 < 1099511627776 * square)) AND count(DISTINCT s) > 10, 'vector sums: by length')
FROM (SELECT s::numeric, (SELECT sum(x ^ 2) FROM unnest((probe_vector_sum_weighted(2147483648, '{1,1e-6,140,3,1}', v)).exact) x) AS square,
	(SELECT (probe_vector_sum_weighted(2147483648, '{1,1e-6,140,3,1}', ARRAY[1e308, 0, 0])).exact[1]) AS most
	FROM (SELECT *, gaussdp_internal.row_size(8, '{1,1e-6,140,3,1}', v) AS s FROM r) r GROUP BY id, s) t;
SELECT is(2 * gaussdp_internal.total_number(gaussdp_internal.person_total(2, '{1,1e-6,0,10,1}', 5::int2), 0), gaussdp_internal.total_number(gaussdp_internal.person_total(2, '{1,1e-6,0,10,1}', x), 0), 'a domain is its type')
FROM (SELECT 77::information_schema.cardinal_number AS x) t;

-- Weights: the greatest m <= 2^31 with m^2 N2 <= 2^62 k^2, N2 the sum of squares over groups.
CREATE TABLE p AS SELECT u, (random() * 5 * (u % 4))::int AS g, CASE WHEN random() < 0.1 THEN NULL ELSE (random() * 1048576)::int8 END AS s, NULL::int8 AS k
FROM generate_series(1, 100) u, generate_series(1, 30) i WHERE i <= u;
UPDATE p SET k = u * 104857;
CREATE VIEW weighed AS SELECT *, gaussdp_internal.person_weight(s, sum_s, k) OVER (PARTITION BY u) AS m FROM (SELECT *, gaussdp_internal.size_sum(s) OVER (PARTITION BY u, g) AS sum_s FROM p) x;
SELECT ok(bool_and(m ^ 2 * n2 <= 2.0 ^ 62 * k ^ 2 AND (m = 2147483648 OR (m + 1) ^ 2 * n2 > 2.0 ^ 62 * k ^ 2)) AND count(DISTINCT m) > 50, 'weights of 100 people')
FROM (SELECT u, m::numeric, k::numeric, n2 FROM (SELECT DISTINCT u, m, k FROM weighed) w JOIN (SELECT u, sum(s ^ 2) AS n2 FROM (SELECT u, g, sum(s) AS s FROM p GROUP BY u, g) x GROUP BY u) n USING (u) WHERE n2 > 0) t;
SELECT is((SELECT gaussdp_internal.size_sum(x) FROM unnest(ARRAY[9223372036854775807, NULL, 5]) x), 9223372036854775807, 'sizes saturate');
SELECT is((SELECT gaussdp_internal.size_sum(x) FROM unnest(ARRAY[NULL::int8]) x), 0::int8, 'nothing has no size');
SELECT is((SELECT gaussdp_internal.person_weight(x, x, 4503599627370496) FROM unnest(ARRAY[9223372036854775807, 9223372036854775807]) x), 0::int8, 'squares saturate: no weight');
SELECT is((SELECT gaussdp_internal.person_weight(x, x, 1048576) FROM unnest(ARRAY[NULL, 0]::int8[]) x), 0::int8, 'who has no row that counts has no weight');
SELECT is((SELECT gaussdp_internal.person_weight(1, 1, 1) WHERE false), 0::int8, 'nor has nobody');

-- Sums are clipped by what a person's rows in a group add up to: a million rows at the lower bound add what one does, and who has as much above 0 as below
-- in each group is not cut.
-- A weight of 2,147 is rounded down by a 2,147th of it at most.
SELECT ok(added BETWEEN d * (1 - 1.0 / 2147) AND d AND d > 2 ^ 20, 'a million rows at -D add what one does')
FROM (SELECT -gaussdp_internal.total_number(gaussdp_internal.clip_total(t, gaussdp_internal.total_weight(t, 2, p, 1048576) OVER ()), 0) AS added, -gaussdp_internal.total_number(gaussdp_internal.person_total(2, p, -1) OVER (), 0) AS d
	FROM (SELECT p, gaussdp_internal.person_total(2, p, -1) AS t FROM generate_series(1, 1000000), (VALUES ('{1,1e-6,-1,1,1}'::float8[])) c(p) GROUP BY p) a) t;
SELECT is(array_agg(m ORDER BY n), '{0,1518500249}'::bigint[], 'rows that add up to nothing need no weight, those that add up to one in each of two groups have the root of a half') FROM (SELECT n, gaussdp_internal.total_weight(t, 2, '{1,1e-6,-1,1,1}', 1048576) AS m
FROM (SELECT n, gaussdp_internal.person_total(2, '{1,1e-6,-1,1,1}', CASE WHEN i <= n THEN 1 ELSE (-1) ^ i END) AS t FROM generate_series(0, 1) n, generate_series(1, 2) g, generate_series(1, 100 + n) i GROUP BY n, g) a GROUP BY n) b;
CREATE TABLE summed AS SELECT k, u, g, probe_sum_weighted(part, p) AS c
FROM (SELECT k, u, g, p, gaussdp_internal.clip_total(t, gaussdp_internal.total_weight(t, 2, p, k * 1048576) OVER (PARTITION BY k, u)) AS part
	FROM (SELECT k, u, g, p, gaussdp_internal.person_total(2, p, f8) AS t FROM (SELECT *, (random() * 9)::int AS u FROM r) r, (VALUES (1, '{1,1e-6,-30,100,1}'::float8[]), (3, '{1,1e-6,-30,100,3}')) c(k, p) GROUP BY k, u, g, p) a) b GROUP BY k, u, g, p;
SELECT ok(bool_and(square <= s ^ 2) AND max(square / s ^ 2) > 0.999, format('a sum at k = %s: no person moves all groups by more, and some by nearly that', k))
FROM (SELECT k, u, sum((c).exact[1] ^ 2) AS square, max((c).sensitivity[1]) AS s FROM summed GROUP BY k, u) t GROUP BY k;

-- 40 people with up to 30 rows, each taken away in turn, in 5 groups: the move of all groups together is within the sensitivity
-- of each coordinate.  Weights are those of the whole table: others' do not move.
CREATE TABLE owned AS SELECT *, (random() * 40)::int AS u FROM r UNION ALL SELECT 1000 + i, i % 5, 100, 100, 100, 100, 100, 100, ARRAY[100, 0, 0], NULL, i % 3 - 3 FROM generate_series(1, 90) i;
CREATE FUNCTION moves(c calls, k numeric) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	result boolean;
BEGIN
	EXECUTE format('CREATE TEMP TABLE weighed_rows AS SELECT *, gaussdp_internal.person_weight(s, sum_s, %s) OVER (PARTITION BY u) AS w
		FROM (SELECT *, gaussdp_internal.size_sum(s) OVER (PARTITION BY u, g) AS sum_s FROM (SELECT *, gaussdp_internal.row_size(%s, %L, %s) AS s FROM owned) x) x',
		floor(k * 1048576), kind(c.name), c.params, coalesce(c.value, '1'));
	EXECUTE format('WITH own AS (SELECT u, g, %s AS c FROM weighed_rows GROUP BY u, g),
		by_person AS (SELECT u, i, sum(x ^ 2) AS square FROM own, unnest((own.c).exact) WITH ORDINALITY e(x, i) GROUP BY u, i),
		noise AS (SELECT (own.c).sensitivity AS s FROM own LIMIT 1)
		SELECT bool_and(%s) AND max(square) > 0 FROM by_person, noise', probed(c, 'w'),
		CASE WHEN c.name ~ '^vector' THEN 'true' WHEN c.name IN ('histogram', 'quantile') THEN 'square <= s[1] ^ 2' ELSE 'square <= s[i] ^ 2' END) INTO result;
	IF c.name ~ '^vector|histogram' AND result THEN
		EXECUTE format('SELECT bool_and(square <= s ^ 2) FROM (SELECT u, max((c).sensitivity[1]) AS s, sum(square) AS square FROM (SELECT u, g, c,
			(SELECT sum(x ^ 2) FROM unnest((c).exact[%s:]) x) AS square FROM (SELECT u, g, %s AS c FROM weighed_rows GROUP BY u, g) x) x GROUP BY u) own',
			CASE c.name WHEN 'vector_avg' THEN 2 ELSE 1 END, probed(c, 'w')) INTO result;
	END IF;
	DROP TABLE weighed_rows;
	RETURN result;
END $$;
SELECT ok(moves(c, params[array_length(params, 1)]::numeric), format('%s %s of %s: no person moves more than the sensitivity', name, params, value)) FROM calls c WHERE name <> 'keep_group';
-- A quantile's question at each edge of its 1024 parts, over all groups, a 48th of the square of what its 48 questions are made for
CREATE TABLE quantile_moves AS SELECT u, g, probe_quantile_weighted(w, '{1,1e-6,-100,90,0.9,2}', f8) AS c FROM (SELECT *, gaussdp_internal.person_weight(s, sum_s, 2097152) OVER (PARTITION BY u) AS w
	FROM (SELECT *, gaussdp_internal.size_sum(s) OVER (PARTITION BY u, g) AS sum_s FROM (SELECT *, gaussdp_internal.row_size(7, '{1,1e-6,-100,90,0.9,2}', f8) AS s FROM owned) x) x) x GROUP BY u, g;
SELECT ok(bool_and(moved * 48 <= s ^ 2) AND max(moved) * 48.05 > max(s) ^ 2, 'a quantile: no person moves its questions by more, and some by nearly that')
FROM (SELECT u, edge, sum(f ^ 2) AS moved, max(s) AS s FROM (SELECT u, g, edge, sum(CASE WHEN i <= edge THEN x WHEN i > 1024 + edge THEN -x ELSE 0 END) AS f, max((c).sensitivity[1]) AS s
	FROM quantile_moves, unnest((c).exact) WITH ORDINALITY e(x, i), unnest(ARRAY[0, 512, 600, 1024]) edge WHERE x <> 0 GROUP BY u, g, edge) f GROUP BY u, edge) t;

-- Automatic bounds: whatever bounds and grid a release finds, a person moves a total by D and 2^12 steps, k times.
CREATE FUNCTION probe_auto_final(internal) RETURNS numeric[] AS :'testlib' LANGUAGE C;
CREATE AGGREGATE probe_auto_totals(int8, float8[], "any") (SFUNC = gaussdp_internal.sum_auto_weighted_accum, STYPE = internal, FINALFUNC = probe_auto_final, FINALFUNC_MODIFY = READ_WRITE);
CREATE TABLE wide AS SELECT u, (random() * 3)::int AS g, CASE (random() * 12)::int WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' WHEN 4 THEN 0 WHEN 5 THEN -1e308
	ELSE (random() - 0.5) * 10 ^ (random() * 50 - 25) END::float8 AS x FROM generate_series(1, 30) u, generate_series(1, 20) i WHERE i <= u;
CREATE TABLE wide_weighed AS SELECT *, gaussdp_internal.person_weight(s, sum_s, 3145728) OVER (PARTITION BY u) AS w
	FROM (SELECT *, gaussdp_internal.size_sum(s) OVER (PARTITION BY u, g) AS sum_s FROM (SELECT *, gaussdp_internal.row_size(10, '{1,1e-6,3}', x) AS s FROM wide) x) x;
CREATE TABLE wide_moved AS SELECT l.u, n, sum((a.p[n] - l.p[n]) ^ 2) AS square, max(a.p[n + 1]) AS most FROM (SELECT g, probe_auto_totals(w, '{1,1e-6,3}', x) AS p FROM wide_weighed GROUP BY g) a
	JOIN (SELECT o.u, g, probe_auto_totals(w, '{1,1e-6,3}', x) AS p FROM generate_series(1, 30) o(u) JOIN wide_weighed v ON v.u <> o.u GROUP BY o.u, g) l USING (g), generate_series(1, 120, 2) n GROUP BY l.u, n;
SELECT ok(bool_and(square <= (3 * (most + 4097)) ^ 2) AND max(square / most ^ 2) > 4 AND count(*) = 1800, 'automatic: no person moves more than k (D + 2^12) steps') FROM wide_moved;

-- Totals: sum and count, of 64 or of 128 bits as the machine has them, added to what is there; NULL is nothing, and no number of them is an error.
CREATE FUNCTION native(numeric, bytes int) RETURNS bytea LANGUAGE sql AS $$
	SELECT string_agg(set_byte('\x00', 0, (div($1 + CASE WHEN $1 < 0 THEN 256::numeric ^ bytes ELSE 0 END, 256::numeric ^ i) % 256)::int), ''::bytea ORDER BY CASE WHEN little THEN i ELSE -i END)
	FROM generate_series(0, bytes - 1) i, (SELECT (probe_count_weighted('\x00000000000000000100000000000000'::bytea, '{1,1e-6,1}')).exact[1] = 1 AS little) s $$;
CREATE FUNCTION total(sum numeric, count numeric, bytes int DEFAULT 8) RETURNS bytea LANGUAGE sql RETURN native(sum, bytes) || native(count, bytes);
SELECT is((SELECT (probe_count_weighted(t, '{1,1e-6,1}')).exact FROM unnest(ARRAY[total(9, 5), NULL, total(0, 7), total(-3, 2::numeric ^ 70, 16)]) t), ARRAY[2::numeric ^ 70 + 12], 'a count adds the counts of totals');
SELECT is((SELECT (probe_sum_weighted(t, '{1,1e-6,-9,10,1}')).exact FROM unnest(ARRAY[total(9, 5), NULL, total(-20, 7), total(-(2::numeric ^ 90), 0, 16)]) t), ARRAY[-11 - 2::numeric ^ 90], 'a sum their sums');
SELECT is((SELECT (probe_avg_weighted(t, '{1,1e-6,-9,10,1}')).exact FROM unnest(ARRAY[total(9, 5), total(-2::numeric ^ 63, 2::numeric ^ 62)]) t), ARRAY[9 - 2::numeric ^ 63, 5 + 2::numeric ^ 62], 'an average both');
SELECT is((SELECT (probe_var_weighted(t, '{1,1e-6,-9,10,1}')).exact FROM unnest(ARRAY[total(9, 5), total(1, 2) || native(-3, 8), NULL, total(0, 1, 16) || native(2::numeric ^ 80, 16)]) t), ARRAY[8, 10, 2::numeric ^ 80 - 3], 'a variance all three')
UNION ALL SELECT is((SELECT (probe_keep_group_weighted(t, '{1,1e-6,1}')).exact FROM unnest(ARRAY[total(9, 5), total(1, 6)]) t), ARRAY[11]::numeric[], 'and whether groups are kept their counts');
SELECT is((SELECT (probe_sum_weighted(total(most, 0, 16), '{1,1e-6,-9,10,1}')).exact FROM (SELECT 2::numeric ^ 127 - 1 AS most, generate_series(1, 3)) s), ARRAY[2::numeric ^ 127 - 1], 'sums of totals saturate');
SELECT is(array_agg(DISTINCT released), ARRAY[2::numeric ^ 63 - 1], 'and counts of them stay the largest, whatever the noise is')
FROM generate_series(1, 60) i, LATERAL (SELECT gaussdp_internal.count_weighted(t, '{1,1e-6,1}')::numeric AS released FROM unnest(ARRAY[total(0, 2::numeric ^ 127 - 1 - i % 2, 16)]) t) s;
SELECT throws_ok(format('SELECT gaussdp_internal.%s_weighted(%L::bytea, %L)', kind, bytes, params), '22023', 'invalid total', format('%s of a total of %s bytes', kind, length(bytes)))
FROM (VALUES ('count', '{1,1e-6,1}'), ('sum', '{1,1e-6,-9,10,1}'), ('avg', '{1,1e-6,-9,10,1}'), ('keep_group', '{1,1e-6,1}'), ('var', '{1,1e-6,-9,10,1}')) v(kind, params), unnest(ARRAY['', '\x00', '\x0000000000000000', repeat('a', 33)]::bytea[]) bytes;
SELECT is(array(SELECT gaussdp_internal.total_number(t, n) FROM unnest(ARRAY[total(-9, 5), total(-(2::numeric ^ 90), 2::numeric ^ 94, 16) || native(-7, 16)]) WITH ORDINALITY AS u(t, i), generate_series(0, 2) n ORDER BY i, n), ARRAY[-9, 5, 0, -(2::numeric ^ 90), 2::numeric ^ 94, -7], 'numbers of totals');
SELECT is(array(SELECT gaussdp_internal.total_number(gaussdp_internal.clip_total(total(-9, 2::numeric ^ 94, 16) || native(2::numeric ^ 96, 16), 1073741824), n) FROM generate_series(0, 2) n), ARRAY[-4, 2::numeric ^ 93, 0], 'a part of them is rounded toward zero; of what has no weight there is none');
SELECT is((SELECT (probe_sum_weighted(NULL::bytea, '{1,1e-6,-9,10,1}')).exact), ARRAY[0::numeric], 'no total is 0');
SELECT is((SELECT (probe_sum_weighted(NULL::bytea, '{1,1e-6,-9,10,1}')).exact WHERE false), ARRAY[0::numeric], 'likewise without rows');

SELECT * FROM finish();
ROLLBACK;
