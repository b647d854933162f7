\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Variance, quantiles, histograms, vectors and the group threshold: right answers where noise is
-- small, noise where there is no row, the same over any plan, and 22023 for bad parameters.
BEGIN;
SELECT plan(47);

CREATE TABLE t AS
SELECT i, (i % 100) AS i4, (i % 100)::int2 AS i2, (i % 100)::int8 AS i8, (i % 100)::float4 AS f4,
	(i % 100)::float8 AS f8, (i % 100)::numeric AS num, ARRAY[(i % 3)::float8, 1, -1] AS v
FROM generate_series(1, 20000) i;
ANALYZE t;

-- Epsilon 50 leaves noise of a few rows among 20,000.
SELECT ok(abs(dp_var(i2, 50, 1e-6, 0, 100) - var_pop(i2)) < 5 AND abs(dp_var(i4, 50, 1e-6, 0, 100) - var_pop(i4)) < 5
	AND abs(dp_var(i8, 50, 1e-6, 0, 100) - var_pop(i8)) < 5 AND abs(dp_var(f4, 50, 1e-6, 0, 100) - var_pop(f4)) < 5
	AND abs(dp_var(f8, 50, 1e-6, 0, 100) - var_pop(f8)) < 5 AND abs(dp_var(num, 50, 1e-6, 0, 100) - var_pop(num)::float8) < 5,
	'dp_var is close to var_pop for every type') FROM t;
SELECT ok(abs(dp_stddev(f8, 50, 1e-6, 0, 100) - stddev_pop(f8)) < 0.1 AND abs(dp_stddev(f8, 50, 1e-6, -1000, 1000, 2) - stddev_pop(f8)) < 2,
	'dp_stddev is close to stddev_pop, with wide bounds and several rows too') FROM t;
SELECT ok(bool_and(abs(dp_quantile - 100 * q) < 1.5), 'dp_quantile finds every decile')
FROM (SELECT q, (SELECT dp_quantile(f8, 50, 1e-6, 0, 100, q) FROM t) FROM (SELECT i / 10.0 AS q FROM generate_series(0, 10) i) s) s;
SELECT ok(abs(dp_median(i2, 50, 1e-6, 0, 100) - 50) < 1.5 AND abs(dp_median(i4, 50, 1e-6, 0, 100) - 50) < 1.5
	AND abs(dp_median(i8, 50, 1e-6, 0, 100) - 50) < 1.5 AND abs(dp_median(f4, 50, 1e-6, 0, 100) - 50) < 1.5
	AND abs(dp_median(num, 50, 1e-6, 0, 100) - 50) < 1.5, 'dp_median is in the middle for every type') FROM t;
SELECT ok(array_length(h, 1) = 10 AND (SELECT bool_and(abs(c - 2000) < 50) FROM unnest(h) c), 'dp_histogram counts each bin')
FROM (SELECT dp_histogram(num, 50, 1e-6, 0, 100, 10) h FROM t) s;
SELECT ok(abs(h[1] - 10000) < 50 AND abs(h[2]) < 50 AND abs(h[3] - 10000) < 50, 'the outer bins take what lies beyond the bounds, infinities too')
FROM (SELECT dp_histogram(CASE WHEN i % 2 = 0 THEN '-Infinity' ELSE 'Infinity' END::float8, 50, 1e-6, 0, 3, 3) h FROM t) s;
SELECT ok(abs(s[1] - 19999) < 300 AND abs(s[2] - 20000) < 300 AND abs(s[3] + 20000) < 300 AND array_length(s, 1) = 3, 'dp_sum adds vectors')
FROM (SELECT dp_sum(v, 50, 1e-6, 3, 3) s FROM t) s;
SELECT ok(abs(a[1] - 1) < 0.05 AND abs(a[2] - 1) < 0.05 AND abs(a[3] + 1) < 0.05, 'dp_avg averages vectors')
FROM (SELECT dp_avg(v, 50, 1e-6, 3, 3) a FROM t) s;
SELECT ok(abs(s[1] - 20000 * 0.6) < 100 AND abs(s[2] - 20000 * 0.8) < 100, 'a vector longer than the norm keeps its direction')
FROM (SELECT dp_sum(ARRAY[3e200, 4e200]::float8[], 50, 1e-6, 1, 2) s FROM t) s;
SELECT ok(abs(s[1]) < 100 AND abs(s[2] - 20000) < 100, 'an infinite coordinate takes the whole norm')
FROM (SELECT dp_sum(ARRAY[5, 'Infinity']::float8[], 50, 1e-6, 1, 2) s FROM t) s;
SELECT ok(abs(s[1]) < 100 AND abs(s[2]) < 100, 'rows of another length, with NULL or with NaN count for nothing')
FROM (SELECT dp_sum(CASE i % 4 WHEN 0 THEN ARRAY[1]::float8[] WHEN 1 THEN ARRAY[1, NULL]::float8[] WHEN 2 THEN ARRAY[[1, 1]]::float8[]
	ELSE ARRAY['NaN', 1]::float8[] END, 50, 1e-6, 1, 2) s FROM t) s;
SELECT ok(abs(s[1] - 20000) < 100 AND abs(s[2]) < 100 AND abs(s[3]) < 100, 'no numeric is too large or too small for a vector, nor an error')
FROM (SELECT dp_sum(ARRAY[CASE i % 3 WHEN 0 THEN '1e400' WHEN 1 THEN '1e131000' ELSE 'Infinity' END, '-1e-400', '1e-16000']::numeric[], 50, 1e-6, 1, 3) s FROM t) s;
SELECT ok(abs(s[1] + 5000) < 100 AND abs(a[1] + 1) < 0.05, 'nor does one hurt an average')
FROM (SELECT dp_sum(x, 50, 1e-6, 1, 1) s, dp_avg(x, 50, 1e-6, 1, 1) a FROM (SELECT ARRAY[CASE WHEN i % 2 = 0 THEN '-1e400' ELSE '-3' END]::numeric[] AS x FROM t WHERE i <= 5000) t) s;
SELECT ok(abs(s[1] - 4000) < 100 AND abs(s[2] - 8000) < 100, 'numeric vectors of another length, with NULL or with NaN count for nothing')
FROM (SELECT dp_sum(CASE i % 5 WHEN 0 THEN ARRAY[1]::numeric[] WHEN 1 THEN ARRAY[1, NULL]::numeric[] WHEN 2 THEN ARRAY[[1, 1]]::numeric[]
	WHEN 3 THEN ARRAY['NaN', 1]::numeric[] ELSE ARRAY[1, 2]::numeric[] END, 50, 1e-6, 3, 2) s FROM t) s;
SELECT ok(sqrt(a[1] ^ 2 + a[2] ^ 2) <= 1 + 1e-12, 'an average of vectors stays within the norm')
FROM (SELECT dp_avg(ARRAY[1, 1]::float8[], 0.01, 1e-6, 1, 2) a FROM t WHERE i < 3) s;
SELECT ok(dp_var(f8, 50, 1e-6, 7, 7.5) BETWEEN 0 AND 0.0625, 'a variance stays within what the bounds allow') FROM t;
SELECT ok(dp_var(CASE WHEN i % 2 = 0 THEN 1e308 ELSE -1e308 END, 50, 1e-6, -1.7e308, 1.7e308) = 1.7976931348623157e308
	AND dp_stddev(CASE WHEN i % 2 = 0 THEN 1e308 ELSE -1e308 END, 50, 1e-6, -1.7e308, 1.7e308) BETWEEN 0.9e308 AND 1.1e308,
	'a variance beyond double precision saturates; its root does not') FROM t;

-- No row, whatever the plan
CREATE FUNCTION all_of_nothing(query text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE r record;
BEGIN
	EXECUTE 'SELECT dp_var(f8, 1, 1e-6, 0, 100) a, dp_stddev(num, 1, 1e-6, 0, 100, 3) b, dp_quantile(i4, 1, 1e-6, 0, 100, 0.1) c,
		dp_median(i2, 1, 1e-6, 0, 100) d, dp_histogram(f4, 1, 1e-6, 0, 100, 4) e, dp_sum(v, 1, 1e-6, 3, 3) f, dp_avg(v, 1, 1e-6, 3, 3) g,
		dp_keep_group(1, 1e-6) h, dp_keep_group(1, 1e-6, 5) i ' || query INTO STRICT r;
	RETURN r.a BETWEEN 0 AND 2500 AND r.b BETWEEN 0 AND 50 AND r.c BETWEEN 0 AND 100 AND r.d BETWEEN 0 AND 100
		AND array_length(r.e, 1) = 4 AND (SELECT bool_and(abs(x) < 100) FROM unnest(r.e) x)
		AND array_length(r.f, 1) = 3 AND (SELECT bool_and(abs(x) < 300) FROM unnest(r.f) x)
		AND array_length(r.g, 1) = 3 AND NOT r.h AND NOT r.i;
END $$;
SELECT ok(all_of_nothing('FROM t WHERE false'), 'no row, proven by the planner');
SELECT ok(all_of_nothing('FROM t WHERE i < 0'), 'no row');
SELECT ok(all_of_nothing('FROM t WHERE i < 0 GROUP BY ()'), 'no row, empty grouping set');
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 2;
SELECT ok(all_of_nothing('FROM t WHERE i < 0'), 'no row, parallel plan');
SELECT ok(abs(dp_var(f8, 50, 1e-6, 0, 100) - 833.25) < 5 AND abs(dp_median(f8, 50, 1e-6, 0, 100) - 50) < 1.5 AND dp_keep_group(50, 1e-6, 100)
	AND abs((dp_histogram(f8, 50, 1e-6, 0, 100, 2))[1] - 10000) < 50 AND abs((dp_sum(v, 50, 1e-6, 3, 3))[2] - 20000) < 300
	AND abs((dp_avg(v, 50, 1e-6, 3, 3))[3] + 1) < 0.05, 'states travel between workers') FROM t;
SET LOCAL max_parallel_workers_per_gather = 0;

-- Groups.  20,000 of them, or 100, at a delta at which any one is kept by chance with a probability below 1e-8.
SELECT ok(count(*) = 100, 'groups of 200 rows are kept') FROM (SELECT i4 FROM t GROUP BY i4 HAVING dp_keep_group(1, 1e-6)) s;
SELECT ok(count(*) = 0, 'groups of one row are not') FROM (SELECT i FROM t GROUP BY i HAVING dp_keep_group(1, 1e-12)) s;
SELECT ok(count(*) = 0, 'where persons own 300 rows, groups of 200 are not') FROM (SELECT i4 FROM t GROUP BY i4 HAVING dp_keep_group(1, 1e-12, 300)) s;

-- Bad parameters, on an empty table as well
CREATE FUNCTION refuses(call text, message text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN NEXT throws_ok('SELECT ' || call || ' FROM t', '22023', message, call);
	RETURN NEXT throws_ok('SELECT ' || call || ' FROM t WHERE false', '22023', message, call || ', no row');
END $$;
SELECT refuses('dp_var(f8, 1, 1e-6, 1, 1)', 'bounds are out of range: lower 1, upper 1');
SELECT refuses('dp_var(f8, 1, 1e-6, 0, 1, 0)', 'max_rows is out of range: 0');
SELECT refuses('dp_stddev(f8, 0, 1e-6, 0, 1)', 'epsilon is out of range: 0');
SELECT refuses('dp_quantile(f8, 1, 1e-6, 0, 1, -0.1)', 'q is out of range: -0.1');
SELECT refuses('dp_quantile(f8, 1, 1e-6, 0, 1, ''NaN'')', 'q is out of range: NaN');
SELECT refuses('dp_median(f8, 1, 1, 0, 1)', 'delta is out of range: 1');
SELECT refuses('dp_histogram(f8, 1, 1e-6, 0, 1, 0)', 'bins is out of range: 0');
SELECT refuses('dp_histogram(f8, 1, 1e-6, 0, 1, 10001)', 'bins is out of range: 10001');
SELECT refuses('dp_histogram(f8, 1, 1e-6, 0, 5e-324, 10000)', 'bounds are out of range: lower 0, upper 5e-324');
SELECT refuses('dp_sum(v, 1, 1e-6, 0, 3)', 'l2_norm is out of range: 0');
SELECT refuses('dp_avg(v, 1, 1e-6, 1, 0)', 'dimensions is out of range: 0');
SELECT * FROM finish();
ROLLBACK;
