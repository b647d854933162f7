\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Automatic bounds: whatever bounds a release finds, one row moves the exact total by no more whole
-- steps than the noise is made for, for sums and for centred sums; and the order of rows is nothing to it.
\getenv testlib GAUSSDP_TESTLIB
BEGIN;
SELECT plan(12);
LOAD '$libdir/gaussdp';
CREATE FUNCTION probe_auto_final(internal) RETURNS numeric[] AS :'testlib' LANGUAGE C;
CREATE AGGREGATE probe_auto(float8, float8, float8) (SFUNC = gaussdp_internal.sum_auto_float8_accum, STYPE = internal,
	FINALFUNC = probe_auto_final, FINALFUNC_MODIFY = READ_WRITE);

-- 200 tables of values from 1e-25 to 1e25 of both signs, NULL, NaN, infinities, equal ones among them
SELECT setseed(0.4);
CREATE TABLE v AS
SELECT t, i, CASE (random() * 20)::int WHEN 0 THEN NULL WHEN 1 THEN 'NaN' WHEN 2 THEN 'Infinity' WHEN 3 THEN '-Infinity' WHEN 4 THEN 0
	WHEN 5 THEN 2 ^ (random() * 100 - 50)::int WHEN 6 THEN 5e-324 WHEN 7 THEN 1e308
	ELSE (random() - 0.5) * 10 ^ (random() * 50 - 25) END::float8 AS x
FROM generate_series(1, 200) t, generate_series(1, 30) i;
CREATE TABLE whole AS SELECT t, probe_auto(x, 1, 1e-6) AS p FROM v GROUP BY t;
CREATE TABLE less AS SELECT o.t, o.i, probe_auto(v.x, 1, 1e-6) AS p FROM v o JOIN v ON v.t = o.t AND v.i <> o.i GROUP BY o.t, o.i;
CREATE TABLE moved AS
SELECT w.t, l.i, n % 4 = 1 AS is_sum, abs(w.p[n] - l.p[n]) AS by, w.p[n + 1] AS most
FROM whole w JOIN less l USING (t), generate_series(1, 120, 2) n;
SELECT is((SELECT count(*) FROM moved)::int, 200 * 30 * 60, '6,000 removals, 30 bounds and grids, sums and centred sums');
SELECT is_empty('SELECT * FROM moved WHERE is_sum AND by > most', 'a row moves no sum by more than declared');
SELECT is_empty('SELECT * FROM moved WHERE NOT is_sum AND by > most', 'nor a centred sum');
SELECT ok(bool_or(is_sum AND by = most) AND bool_or(NOT is_sum AND by = most), 'and extreme values by just that') FROM moved;
SELECT is_empty($$SELECT w.t FROM whole w JOIN (SELECT t, probe_auto(x, 1, 1e-6 ORDER BY x) AS p FROM v GROUP BY t) o USING (t) WHERE w.p <> o.p$$,
	'the same in another order');
-- Two rows of one person, wherever they fall
SELECT is_empty($$SELECT 1 FROM whole w JOIN (SELECT o.t, o.i, probe_auto(v.x, 1, 1e-6) AS p FROM v o JOIN v ON v.t = o.t AND v.i NOT IN (o.i, o.i + 1)
	WHERE o.i < 30 GROUP BY o.t, o.i) l USING (t), generate_series(1, 120, 2) n WHERE abs(w.p[n] - l.p[n]) > 2 * w.p[n + 1]$$, 'two rows by no more than twice that');

-- Groups of so few rows that nothing stands out: 0, in which nobody is told to trust, and any average may be the true one.
CREATE TABLE small AS SELECT g, dp_avg_auto_estimate(5.0::float8, 1, 1e-6) AS e, dp_avg_auto(5.0::float8, 1, 1e-6) AS a, dp_sum_auto(5.0::float8, 1, 1e-6) AS s, dp_sum_auto_estimate(5.0::float8, 1, 1e-6) AS t
FROM generate_series(1, 100) g, generate_series(1, 10) GROUP BY g;
SELECT is(count(*) FILTER (WHERE (e).reliable OR (e).value <> 0 OR a <> 0 OR s <> 0 OR (t).value <> 0), 0::bigint, 'ten rows: 0, and not reliable') FROM small;
SELECT ok(bool_and((e).ci_low = -2.0 ^ 65 AND (e).ci_high = 2.0 ^ 65 AND (e).lower_bound = -2.0 ^ 65), 'the interval is all that is possible') FROM small;
SELECT ok(bool_and((t).ci_low < -2.0 ^ 65 AND (t).ci_high > 2.0 ^ 65), 'of sums, too') FROM small;
SELECT ok(bool_and((e).value = 0 AND NOT (e).reliable), 'no rows') FROM (SELECT dp_avg_auto_estimate(x, 1, 1e-6) AS e FROM generate_series(1, 3) g LEFT JOIN unnest('{}'::float8[]) x ON true GROUP BY g) s;
-- At 70 rows a bin stands out by chance: then the answer is near, and else it says that it is none.
SELECT ok(bool_and(NOT (e).reliable OR abs((e).value - 5) < 300) AND count(*) FILTER (WHERE (e).value = 0 AND (e).den = 0) BETWEEN 1 AND 499, 'seventy rows: reliable ones are near') FROM
	(SELECT dp_avg_auto_estimate(5.0::float8, 1, 1e-6) AS e FROM generate_series(1, 500) g, generate_series(1, 70) GROUP BY g) s;
-- 1,000 rows over sixteen powers of two, of which no bin stands out by itself as often as it should
SELECT ok(bool_and((e).den <> 0) AND count(*) FILTER (WHERE (e).upper_bound >= 2 ^ 14) > 10, 'bins that stand out together: ' || count(*) FILTER (WHERE (e).upper_bound >= 2 ^ 14)) FROM
	(SELECT dp_avg_auto_estimate(2.0 ^ (i % 16) * 1.1, 0.7, 1e-6) AS e FROM generate_series(1, 50) g, generate_series(1, 1000) i GROUP BY g) s;
SELECT * FROM finish();
ROLLBACK;
