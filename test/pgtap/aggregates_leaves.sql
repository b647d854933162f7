\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The leaves of quantiles: which one a row counts in, by type and bounds alone; the answer on the type's own step; states of any
-- number of groups within work_mem, of more than 2^32 rows, and as bytes.
BEGIN;
SELECT no_plan();
\ir ../module/probe.sql
\ir ../module/wrapper.sql

CREATE DOMAIN years AS int;
CREATE DOMAIN cents AS numeric(8, 2);
CREATE TABLE t AS SELECT i AS id, (i % 100)::int2 AS i2, i % 100 AS i4, (i % 100)::int8 AS i8, (i % 100)::float4 AS f4, (i % 100)::float8 AS f8, (i % 100)::numeric AS n,
	(i % 100 / 100.0)::numeric(8, 2) AS n2, (i % 100)::numeric(9, 0) AS n0, (i % 100)::years AS y, (i % 100 / 100.0)::cents AS c FROM generate_series(1, 2000) i;

-- Leaves and rows of a probe, as text.
CREATE FUNCTION leaves(call text, rest text DEFAULT '') RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	r numeric[];
BEGIN
	EXECUTE format('SELECT (probe_%s).noisy FROM t %s', call, rest) INTO r;
	RETURN r::text;
END $$;
SELECT is(leaves(format('median(%s, 1, 1e-6, 0, 200)', x), 'WHERE i4 IN (0, 7, 99)'), '{0,20,7,20,99,20}', x || ': whole numbers have a leaf each') FROM unnest('{i2,i4,i8,n0,y,i4 + 0}'::text[]) x;
SELECT is(leaves(format('median(%s, 1, 1e-6, 0, 2)', x), 'WHERE i4 IN (0, 7, 29, 99)'), '{0,20,7,20,29,20,99,20}', x || ': hundredths have a leaf each') FROM unnest('{n2,c,n2::numeric(6\,2)}'::text[]) x;
SELECT is(leaves('median(n2, 1, 1e-6, 0.05, 0.5)', 'WHERE i4 IN (0, 7, 29, 99)'), '{0,20,2,20,24,20,45,20}', 'what is beyond the bounds is on them');
SELECT isnt(leaves(format('median(%s, 1, 1e-6, 0, 200)', x), 'WHERE i4 = 7'), '{7,20}', x || ': others have finer ones') FROM unnest('{f4,f8,n,n0 / 1}'::text[]) x;
SELECT is(leaves('median(f8, 1, 1e-6, 0, 200)'), leaves(format('median(%s, 1, 1e-6, 0, 200)', x)), x || ': by value alone') FROM unnest('{f4,n}'::text[]) x;
SELECT is(leaves('quantile(f8, 1, 1e-6, 0, 8, 0.1)', 'WHERE i4 = 1'), format('{%s,20}', 37 * 16384 + 1), 'one is 37 powers of two above the smallest leaf of eight');
SELECT is(leaves(format('median(%s, 1, 1e-6, 0, 200)', x)), leaves(format('median(%s, 1, 1e-6, 0, 200)', x), 'JOIN generate_series(1, 1) ON true'), x || ': other plans') FROM unnest('{i4,n2}'::text[]) x;
SELECT is(leaves(format('quantile_weighted(2147483648, ''{1,1e-6,0,200,1}'', %s)', x), 'WHERE i4 = 7'), format('{7,%s,%1$s}', 20 * (0.5 * 2.0 ^ -(SELECT (probe_median(i4, 1, 1e-6, 0, 200)).exponent[1] FROM t))::int8), x || ': weighted ones likewise')
FROM unnest('{i2,i4,i8,n0,y}'::text[]) x;
SELECT is(leaves('quantile_weighted(m, ''{1,1e-6,0,1,1}'', n2)', 'CROSS JOIN LATERAL (SELECT 2147483648 AS m) w WHERE i4 = 29') ~ '^.29,', true, 'and hundredths');

-- Answers on the step
SELECT ok(bool_and(a = floor(a) AND a BETWEEN 0 AND 200), 'a quantile of whole numbers is one, noise or not')
FROM (SELECT dp_quantile(i4, 0.5, 1e-6, 0, 200, q) AS a FROM t, unnest(ARRAY[0, 0.1, 0.5, 0.9, 1]) q GROUP BY q UNION ALL SELECT dp_median(y, 0.5, 1e-6, 0, 200) FROM t
	UNION ALL SELECT dp_median(i8, 0.5, 1e-6, 0, 200) FROM t WHERE false UNION ALL SELECT gaussdp_internal.quantile_weighted(2147483648, '{0.5,1e-6,0,200,1}', i2) FROM t WHERE id < 9) s;
SELECT ok(bool_and(a = round(a::numeric, 2)::float8), 'and of hundredths, hundredths') FROM (SELECT dp_median(n2, 0.5, 1e-6, 0, 3) AS a FROM t, generate_series(1, 20) i GROUP BY i) s;
SELECT ok(count(DISTINCT a) = 20 AND bool_and(a BETWEEN 0 AND 200), 'others have answers anywhere') FROM (SELECT dp_median(f8, 0.5, 1e-6, 0, 200) AS a FROM t, generate_series(1, 20) i GROUP BY i) s;
SELECT is(dp_median(i4, 50, 1e-6, 0, 200), 50::float8, 'the median of whole numbers, exactly') FROM t WHERE i4 BETWEEN 1 AND 99;
SELECT is(dp_median(n2, 50, 1e-6, 0, 200), 0.50::float8, 'of hundredths, exactly') FROM t WHERE i4 BETWEEN 1 AND 99;
SELECT is(dp_median(i4, 1, 1e-6, 5.2, 5.4), 5.2::float8, 'bounds without a whole number between them') FROM t;


-- Extremes: beyond them are 20 / mu rows, here 3, or half of all.
SELECT is(ARRAY[dp_quantile(i4, 50, 1e-6, -1000, 1000, 0), dp_quantile(i4, 50, 1e-6, -1000, 1000, 1)], '{0,99}', 'what twenty rows have') FROM t;
SELECT is(dp_quantile(CASE WHEN id = 7 THEN 900 ELSE i4 END, 50, 1e-6, -1000, 1000, 1), 99::float8, 'and not what one has') FROM t;
SELECT is(dp_quantile(CASE WHEN id = 7 THEN -900 ELSE i4 END, 50, 1e-6, -1000, 1000, 0), 0::float8, 'nor of the smallest') FROM t;
SELECT ok(near - far BETWEEN 1 AND 250, format('at epsilon 1, 83 rows beyond: %s, %s', near, far)) FROM (SELECT dp_quantile(i, 1, 1e-6, 0, 10000, 1) AS far, 10000 AS near FROM generate_series(1, 10000) i) s;

-- Bounds ten thousand times too wide: ten steps of halving had an error of 45 % and more at every epsilon.
SELECT ok(max(abs(a - 50000)) < 2500, 'bounds that are far too wide') FROM (SELECT dp_median(x, 1, 1e-6, 0, 1e9) AS a FROM (SELECT i * 10 + 0.5 AS x FROM generate_series(1, 10000) i) s, generate_series(1, 20) g GROUP BY g) s;
SELECT ok(max(abs(a - 5e-7)) < 2e-8, 'or a column that is all but zero') FROM (SELECT dp_median(i * 1e-10, 1, 1e-6, 0, 1) AS a FROM generate_series(1, 10000) i, generate_series(1, 20) g GROUP BY g) s;

-- Many groups: hashed ones spill instead of growing beyond what they may have.
CREATE FUNCTION peak(query text, OUT kb numeric, OUT batches int) LANGUAGE plpgsql SET enable_sort = off SET work_mem = '4MB' SET hash_mem_multiplier = 1 SET max_parallel_workers_per_gather = 0 AS $$
DECLARE
	plan jsonb;
BEGIN
	EXECUTE 'EXPLAIN (ANALYZE, TIMING OFF, FORMAT JSON) ' || query INTO plan;
	SELECT p ->> 'Peak Memory Usage', p ->> 'HashAgg Batches' INTO kb, batches FROM jsonb_path_query(plan, 'strict $.**?(@."Node Type" == "Aggregate")') p LIMIT 1;
END $$;
SELECT ok(kb < 2 * 4096 AND batches > 1, format('100,000 groups within work_mem, in %s batches: %s kB', batches, kb)) FROM peak('SELECT i % 100000, dp_median(sin(i), 1, 1e-6, -1, 1) FROM generate_series(1, 500000) i GROUP BY 1');

-- Bytes
CREATE TABLE bytes AS SELECT worker_quantile(x, 50, 1e-6, 0, 8, 0.5) AS b FROM unnest(ARRAY[1, 1, 2, NULL, 'NaN', 9]::float8[]) x;
CREATE FUNCTION leaf(number int, n int8) RETURNS bytea LANGUAGE sql RETURN int4send(number) || int8send(n);
SELECT is((SELECT substr(b, 44) FROM bytes), '\x00'::bytea || leaf(37 * 16384 + 1, 2) || leaf(38 * 16384 + 1, 1) || leaf(40 * 16384, 1), 'leaves in order, each with its number of rows');
CREATE FUNCTION of(rest bytea) RETURNS float8 LANGUAGE sql AS $$SELECT coordinator_quantile(substr(b, 1, 43) || rest) FROM bytes$$;
SELECT throws_ok(format('SELECT of(%L)', rest), '22P03', NULL, what) FROM (VALUES ('\x11'::bytea || leaf(1, 1), 'more digits than a type has'), ('\x00'::bytea || leaf(1, 1) || leaf(1, 1), 'a leaf twice'),
	('\x00'::bytea || leaf(2, 1) || leaf(1, 1), 'leaves out of order'), ('\x00'::bytea || leaf(40 * 16384 + 1, 1), 'a leaf too many'), ('\x00'::bytea || leaf(-1, 1), 'a negative one'), ('\x00'::bytea || leaf(5, 0), 'no rows'),
	('\x00'::bytea || leaf(5, -1), 'less than none'), ('\x00'::bytea || substr(leaf(5, 1), 1, 11), 'a byte too few'), ('', 'nothing')) v(rest, what);
SELECT throws_ok($$SELECT coordinator_quantile(b) FROM (SELECT b FROM bytes UNION ALL SELECT substr(b, 1, 43) || '\x01' FROM bytes) s$$, '22023', 'states of different private aggregates cannot be combined', 'leaves of other steps');
-- 2^33 rows at one value, in three states, and 6e9 at the other; a count of 32 bits, or one that forgets what it passes, would be fewer.
SELECT ok(a BETWEEN 0.99 AND 1.01, 'more rows than 32 bits count, below: ' || a) FROM (SELECT coordinator_quantile(substr(b, 1, 43) || '\x00'::bytea || more) AS a FROM bytes,
	(VALUES (leaf(37 * 16384 + 1, 4294967295)), (leaf(37 * 16384 + 1, 1)), (leaf(37 * 16384 + 1, 4294967296)), (leaf(38 * 16384 + 1, 6000000000))) v(more)) s;
SELECT ok(a BETWEEN 1.99 AND 2.01, 'and above: ' || a) FROM (SELECT coordinator_quantile(substr(b, 1, 43) || '\x00'::bytea || more) AS a FROM bytes,
	(VALUES (leaf(38 * 16384 + 1, 4294967295)), (leaf(38 * 16384 + 1, 1)), (leaf(38 * 16384 + 1, 4294967296)), (leaf(37 * 16384 + 1, 6000000000))) v(more)) s;
SELECT * FROM finish();
ROLLBACK;
