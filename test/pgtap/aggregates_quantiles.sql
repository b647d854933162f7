\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- dp_quantiles: the leaves of dp_quantile, answers in the order of qs, arguments, people who own many rows, and the price.
\ir ../module/probe.sql
\ir ../module/wrapper.sql
BEGIN;
SELECT no_plan();
CREATE TABLE t AS SELECT i, (i * 7919 % 10000) / 100.0::float8 AS f8, i % 100 AS i4, (i % 100)::int2 AS i2, (i % 100)::int8 AS i8, (i % 100)::float4 AS f4, (i % 100)::numeric AS n, (i % 100 / 100.0)::numeric(8, 2) AS n2,
	CASE WHEN i % 10 < 6 THEN 40 ELSE i % 100 END AS hours FROM generate_series(1, 20000) i;
ANALYZE t;

-- The same exact integers as one quantile has.
CREATE FUNCTION leaves(call text, rest text DEFAULT '') RETURNS text LANGUAGE plpgsql AS 'DECLARE r text; BEGIN EXECUTE format(''SELECT (probe_%s).noisy::text FROM t %s'', call, rest) INTO r; RETURN r; END';
SELECT is(leaves(format('quantiles(%s, 1, 1e-6, 3, 90, ''{0.1,0.9}'')', x)), leaves(format('quantile(%s, 1, 1e-6, 3, 90, 0.1)', x)), x || ': the leaves of dp_quantile') FROM unnest('{i2,i4,i8,f4,f8,n,n2}'::text[]) x;
SELECT is(leaves('quantiles_weighted(2147483648, ''{1,1e-6,0,99,1,1,0.5}'', i4)', 'WHERE i4 IN (3, 5) AND i <= 200'), format('{3,%s,5,%1$s}', 2 * 2147483648), 'of weighted rows the sum of weights');
SELECT is(leaves('quantiles_weighted(m, ''{1,1e-6,0,99,1,1,0.5}'', i4)', 'CROSS JOIN LATERAL (SELECT CASE WHEN i <= 100 THEN 524287 ELSE 524288 END::int8 AS m) w WHERE i4 = 3 AND i <= 200'), '{3,524288}', 'of which less than 2^-12 of a row is none');
SELECT is(leaves('quantiles_weighted(2147483648, ''{1,1e-6,0,99,1,1,0.5}'', i4)', 'CROSS JOIN generate_series(1, 2147) WHERE i4 = 3 AND i <= 100'), format('{3,%s}', 2147 * 2147483648), 'beyond 32 bits, too');

SELECT is(dp_quantiles(i4, 50, 1e-6, 0, 99, '{0.905,0.255,0.505,0.505}'), '{90,25,50,50}', 'in the order of qs, also twice') FROM t WHERE i4 < 100;
SELECT is(dp_quantiles(n2, 50, 1e-6, 0, 99, '{0.905,0.255}'), '{0.9,0.25}', 'on the step of a numeric') FROM t;
SELECT is(dp_quantiles(hours, 50, 1e-6, 0, 99, '{0.102,0.3,0.4,0.5,0.6,0.7,0.97}'), '{25,40,40,40,40,40,92}', 'three fifths of rows have one value') FROM (SELECT CASE WHEN i % 10 < 6 THEN 40 ELSE i / 10 % 100 END AS hours FROM t) s;
SELECT ok(abs(5.25 - (dp_quantiles(x, 50, 1e-6, 5.25, 7, '{0.1,0.5,0.9}'))[3]) < 1e-9, 'all rows on a bound') FROM (SELECT 5::float8 AS x FROM t) s;
SELECT is(dp_quantiles(i4, 50, 1e-6, 5.2, 5.4, '{0.1,0.5,0.9}'), '{5.2,5.2,5.2}', 'bounds without a whole number between them') FROM t;
SELECT is(dp_quantiles(CASE i WHEN 7 THEN 900 WHEN 8 THEN -900 ELSE i4 END, 50, 1e-6, -1000, 1000, '{0,1,0.495}'), '{0,99,49}', '0 and 1 are not the value that one row has') FROM t;
SELECT ok(cardinality(a) = 100 AND a = ARRAY(SELECT unnest(a) ORDER BY 1) AND max(abs(v - k)) < 1, 'percentiles ascend') FROM (SELECT dp_quantiles(f8, 50, 1e-6, 0, 100, ARRAY(SELECT k / 101.0 FROM generate_series(1, 100) k)) AS a FROM t) s, unnest(a) WITH ORDINALITY u(v, k) GROUP BY a;
SELECT ok(bool_and(v BETWEEN 0 AND 90) AND count(DISTINCT v) = 5, 'no rows: any numbers within the bounds') FROM (SELECT dp_quantiles(f8, 1, 1e-6, 0, 90, '{0.2,0.5,0.8,0,1}') AS a FROM t WHERE false) s, unnest(a) v;
SELECT ok(bool_and(abs(a[1] - 25) <= 4 AND abs(a[2] - 75) <= 4) AND count(*) = 4, 'groups') FROM (SELECT dp_quantiles(i4, 50, 1e-6, 0, 99, '{0.25,0.75}') AS a FROM t GROUP BY i % 4) s;
SET LOCAL parallel_setup_cost = 0; SET LOCAL parallel_tuple_cost = 0; SET LOCAL min_parallel_table_scan_size = 0; SET LOCAL max_parallel_workers_per_gather = 2;
SELECT is(dp_quantiles(i4, 50, 1e-6, 0, 99, '{0.905,0.255}'), '{90,25}', 'by several processes') FROM t;
SELECT is(leaves('quantiles(i4, 1, 1e-6, 0, 99, ''{0.1,0.9}'')'), leaves('quantile(i4, 1, 1e-6, 0, 99, 0.1)'), 'the same leaves');
RESET max_parallel_workers_per_gather;

-- Errors less than calls for each at the same price together: half of the mean square here.
CREATE TEMP TABLE part AS SELECT f8 FROM t WHERE i % 4 = 0;
SELECT ok(ours < apart, format('deciles: off by %s, nine calls by %s', round(sqrt(ours)::numeric, 3), round(sqrt(apart)::numeric, 3))) FROM
	(SELECT avg((v - k * 10) ^ 2) AS ours FROM (SELECT dp_quantiles(f8, 2, 1e-6, 0, 100, '{0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9}') AS a FROM part, generate_series(1, 100) g GROUP BY g) s, unnest(a) WITH ORDINALITY u(v, k)) o,
	(SELECT avg((v - k * 10) ^ 2) AS apart FROM (SELECT k, dp_quantile(f8, gdp.epsilon(gdp.mu(2, 1e-6) / 3, 1e-6), 1e-6, 0, 100, k / 10.0::float8) AS v FROM part, generate_series(1, 100) g, generate_series(1, 9) k GROUP BY g, k) s) a;

-- Arguments
SELECT throws_ok(format('SELECT dp_quantiles(f8, 1, 1e-6, 0, 1, %s) FROM t', qs), '22023', message, qs) FROM (VALUES
	('''{}''', 'the number of elements of qs is out of range: 0'), ('ARRAY(SELECT 0.5::float8 FROM generate_series(1, 101))', 'the number of elements of qs is out of range: 101'),
	('''{0.5,NULL}''', 'qs must be an array of one dimension, without nulls'), ('''{{0.5},{0.1}}''', 'qs must be an array of one dimension, without nulls'), ('NULL', 'qs must not be null'),
	('''{0.5,1.1}''', 'an element of qs is out of range: 1.1'), ('''{NaN}''', 'an element of qs is out of range: NaN'), ('ARRAY[i / 30000.0]', 'qs varies within a group')) v(qs, message);
SELECT throws_ok($$SELECT dp_quantiles(f8, 1, 1e-6, 1, 1, '{0.5}') FROM t$$, '22023', 'bounds are out of range: lower 1, upper 1', 'bounds');
SELECT throws_ok($$SELECT dp_quantiles(f8, 1e18, 1e-6, 0, 1, '{0.5}') FROM t$$, '22023', NULL, 'noise that is none');
CREATE TABLE bytes AS SELECT worker_quantiles(x, 50, 1e-6, 0, 8, '{0.25,0.75}') AS b FROM unnest(ARRAY[1, 1, 2, NULL, 'NaN', 9]::float8[]) x;
SELECT is(substr(b, 44), float8send(0.25) || float8send(0.75) || '\x00' || int4send(37 * 16384 + 1) || int8send(2) || int4send(38 * 16384 + 1) || int8send(1) || int4send(40 * 16384) || int8send(1), 'bytes: the elements, the digits, the leaves') FROM bytes;
SELECT throws_ok(format('SELECT coordinator_quantiles(%L)', broken), '22P03', NULL, what) FROM bytes, LATERAL (VALUES (overlay(b PLACING int8send(0) FROM 36), 'no elements'), (overlay(b PLACING int8send(101) FROM 36), 'too many'),
	(overlay(b PLACING int8send(1) FROM 36), 'fewer than there are'), (overlay(b PLACING float8send('NaN') FROM 44), 'one that is no number'), (substr(b, 1, 50), 'half of one'), (substr(b, 1, 59), 'no digits')) v(broken, what);
SELECT throws_ok($$SELECT coordinator_quantiles(b) FROM (SELECT b FROM bytes UNION ALL SELECT overlay(b PLACING float8send(0.5) FROM 44) FROM bytes) s$$, '22023', 'qs varies within a group', 'states of other quantiles');

-- 30 people with up to 20 rows in three groups: the answers of all parts and groups move by k rows at most, and what rounding adds.
CREATE FUNCTION probe_parts_final(internal) RETURNS numeric[] AS :'testlib' LANGUAGE C;
CREATE AGGREGATE probe_parts(int8, float8[], "any") (SFUNC = gaussdp_internal.quantiles_weighted_accum, STYPE = internal, FINALFUNC = probe_parts_final, FINALFUNC_MODIFY = READ_WRITE);
CREATE TABLE wide AS SELECT u, u * i % 3 AS g, u * u * i * 7 % 101 AS x FROM generate_series(1, 30) u, generate_series(1, 20) i WHERE i <= u;
CREATE TABLE weighed AS SELECT *, gaussdp_internal.person_weight(s, sum_s, 3145728) OVER (PARTITION BY u) AS w
	FROM (SELECT *, gaussdp_internal.size_sum(s) OVER (PARTITION BY u, g) AS sum_s FROM (SELECT *, gaussdp_internal.row_size(14, '{1,1e-6,0,100,2,3,0.2,0.8}', x) AS s FROM wide) x) x;
SELECT ok(bool_and(square <= (3 * (one + 4096)) ^ 2) AND max(square / one ^ 2) BETWEEN 2.5 AND 9.1 AND count(*) = 30, 'no person moves more than k (1 row + 2^12 steps): ' || round(max(square / one ^ 2), 3))
FROM (SELECT l.u, max(a.p[6]) AS one, sum((a.p[n] - l.p[n]) ^ 2) AS square FROM (SELECT g, probe_parts(w, '{1,1e-6,0,100,2,3,0.2,0.8}', x) AS p FROM weighed GROUP BY g) a
	JOIN (SELECT o.u, g, probe_parts(w, '{1,1e-6,0,100,2,3,0.2,0.8}', x) AS p FROM generate_series(1, 30) o(u) JOIN weighed v ON v.u <> o.u GROUP BY o.u, g) l USING (g), generate_series(1, 5) n GROUP BY l.u) m;
SELECT ok(sensitivity[1] ^ 2 / (48 * 2 * 9) BETWEEN (2 ^ -exponent[1] * 1.0009765) ^ 2 AND (2 ^ -exponent[1] * 1.000978) ^ 2 AND exponent[1] <= -22, 'for which the sensitivity of two levels is made')
FROM (SELECT (probe_quantiles_weighted(0, '{1,1e-6,0,100,2,3,0.2,0.8}', 1)).*) p;

-- The policy: one price for all, over people who own one row and many.
CREATE TABLE visit (person int NOT NULL, cost float8, length numeric(6, 1), seen date);
CREATE TABLE patient (person int PRIMARY KEY, cost float8);
INSERT INTO visit SELECT i % 1000, i % 500 / 100.0, i % 300 / 10.0, date '2026-01-01' + i % 100 FROM generate_series(1, 4000) i;
INSERT INTO patient SELECT i, i % 500 / 100.0 FROM generate_series(1, 4000) i;
DO $$BEGIN PERFORM gaussdp.protect('visit', unit => 'person', max_rows => 4), gaussdp.set_bounds('visit', 'cost', 0, 10), gaussdp.protect('patient', unit => 'person'), gaussdp.set_bounds('patient', 'cost', 0, 10); END$$;
SET LOCAL gaussdp.as_analyst = on;
SET LOCAL client_min_messages = warning;
SET LOCAL gaussdp.epsilon = 5; SET LOCAL gaussdp.delta = 1e-6;
SELECT ok(bool_and(abs(mu_squared / gdp.mu(1, 1e-6) ^ 2 - 1) < 1e-5 AND hint ~ 'in rows' AND half_width_95 BETWEEN 1 AND 500) AND count(*) = 1, 'the price of one call over ' || t)
FROM unnest(ARRAY['patient', 'visit']) t, gaussdp.explain_privacy(format('SELECT dp_quantiles(cost, 1, 1e-6, ''{0.1,0.5,0.9}'') FROM %s', t), 1000, exact => true) GROUP BY t;
SELECT ok(abs(a[1] - 1.25) < 0.3 AND abs(a[2] - 3.75) < 0.3, 'one row each') FROM (SELECT dp_quantiles(cost, '{0.25,0.75}') AS a FROM patient) s;
SELECT ok(abs(a[1] - 1.25) < 0.6 AND abs(a[2] - 3.75) < 0.6, 'many rows each') FROM (SELECT dp_quantiles(cost, '{0.25,0.75}') AS a FROM visit) s;
SELECT throws_ok($$SELECT dp_quantiles(cost, ARRAY[cost]) FROM visit$$, '42501', NULL, 'quantiles that rows say');
SET LOCAL gaussdp.answer_plain_sql = on;
SELECT is(count(*), 1::bigint, 'percentile_cont of an array is one call') FROM gaussdp.explain_privacy('SELECT percentile_cont(ARRAY[0.25, 0.5, 0.75]) WITHIN GROUP (ORDER BY cost) FROM visit') WHERE call ~ 'dp_quantiles';
SELECT ok(pg_typeof(a) = 'float8[]'::regtype AND a[1] > a[2] AND abs(a[1] - 4.5) < 0.6, 'in descending order') FROM (SELECT percentile_cont(ARRAY[0.1, 0.75]) WITHIN GROUP (ORDER BY cost DESC) AS a FROM visit) s;
SELECT ok(pg_typeof(a) = 'date[]'::regtype AND abs(a[1] - date '2026-02-20') < 12 AND a[2] > a[1], 'dates') FROM (SELECT percentile_disc(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY seen) AS a FROM visit) s;
SELECT ok(pg_typeof(a) = 'numeric[]'::regtype AND abs(a[1] - 15) < 4 AND cardinality(a) = 2, 'numerics') FROM (SELECT percentile_disc(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY length) AS a FROM visit) s;
SELECT is(calls, 1::bigint, 'of which all elements are one draw') FROM (SELECT count(*) AS calls FROM gaussdp.explain_privacy('SELECT percentile_disc(ARRAY[0.5, 0.9]) WITHIN GROUP (ORDER BY length) FROM visit') WHERE call ~ 'dp_quantiles') s;
SELECT * FROM finish();
ROLLBACK;
