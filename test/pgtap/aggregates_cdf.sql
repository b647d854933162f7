\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- dp_cdf: the bins of dp_histogram, their prefix sums, what is made of them, and who may not ask.
\ir ../module/probe.sql
BEGIN;
SELECT plan(20);
CREATE TABLE t AS SELECT i, (i * 7919 % 1000) / 10.0 - 3 AS num, (i * 7919 % 1000) / 10.0::float8 - 3 AS f8, (i % 100)::int2 AS i2, i % 100 AS i4, (i % 100)::int8 AS i8, (i % 100)::float4 AS f4 FROM generate_series(1, 20000) i;
ANALYZE t;

SELECT is((SELECT array_agg(exact) FROM (SELECT (probe_cdf(num, 1, 1e-6, 0, 90, 37)).exact FROM t GROUP BY i % 5 ORDER BY i % 5) s),
	(SELECT array_agg(exact) FROM (SELECT (probe_histogram(num, 1, 1e-6, 0, 90, 37)).exact FROM t GROUP BY i % 5 ORDER BY i % 5) s), 'the bins are those of dp_histogram');
-- Epsilon 50 leaves noise of a fraction of a row.
SELECT ok(bool_and(abs(c - (SELECT count(*) FROM t WHERE f8 < b * 9 OR b = 10)) < 12) AND count(*) = 10, 'prefix sums')
FROM (SELECT dp_cdf(f8, 50, 1e-6, 0, 90, 10) AS cdf FROM t) s, unnest(cdf) WITH ORDINALITY u(c, b);
SELECT ok((SELECT bool_and(abs(c - b * 2000) < 12) FROM unnest(cdf) WITH ORDINALITY u(c, b)), type) FROM (
	SELECT 'int2' AS type, dp_cdf(i2, 50, 1e-6, 0, 100, 10) AS cdf FROM t UNION ALL SELECT 'int4', dp_cdf(i4, 50, 1e-6, 0, 100, 10) FROM t UNION ALL
	SELECT 'int8', dp_cdf(i8, 50, 1e-6, 0, 100, 10) FROM t UNION ALL SELECT 'float4', dp_cdf(f4, 50, 1e-6, 0, 100, 10) FROM t) s;
SELECT ok(abs(c[1] - 3) < 5 AND abs(c[2] - 3) < 5 AND abs(c[3] - 5) < 5, 'what lies beyond the bounds is in the outer bins; NULL and NaN nowhere')
FROM (SELECT dp_cdf(x, 50, 1e-6, 0, 3, 3) AS c FROM unnest('{-Infinity,-5,0.5,2.5,Infinity,NaN,NULL}'::float8[]) x) s;
SELECT ok(cardinality(c) = 4096 AND abs(c[4096]) < 3000 AND c[1] <> 0, 'no rows, and as many bins as there may be') FROM (SELECT dp_cdf(f8, 1, 1e-6, 0, 90, 4096) AS c FROM t WHERE false) s;

-- The spread: of all bins together it is more than of a count, of few less than of their histogram; 1/mu for one bin.
SELECT ok(abs(dp_cdf_stddev(1, 1e-6, 1, 1, 1) * gdp.mu(1, 1e-6) - 1) < 1e-6, 'one bin is a count');
SELECT ok(dp_cdf_stddev(1, 1e-6, 1024, 1, 512) * gdp.mu(1, 1e-6) BETWEEN 2.9 AND 3.1, 'half of 1,024 bins, where a histogram has 22.6');
SELECT throws_ok(format('SELECT dp_cdf_stddev(1, 1e-6, 10, %s, %s)', a, b), '22023', format('range of bins is out of range: %s to %s', a, b), 'a range') FROM (VALUES (0, 3), (4, 3), (4, 11)) v(a, b);

SELECT is(dp_monotone('{3,1,2,8,7.5,-4}'), '{2,2,2,3.8333333333333335,3.8333333333333335,3.8333333333333335}', 'the nearest that ascends');
SELECT is(dp_monotone('{-3,-1,2}'), '{0,0,2}', 'and is not below 0');
SELECT is(dp_monotone('{}'), '{}', 'of nothing');
SELECT throws_ok($$SELECT dp_monotone('{1,NULL}')$$, '22023', 'cdf must be an array of one dimension, without nulls', 'nulls');
SELECT throws_ok('SELECT dp_cdf(f8, 1, 1e-6, 0, 1, 4097) FROM t', '22023', 'bins is out of range: 4097', 'too many bins');

-- Where people own many rows the joint norm over bins would not do: C has columns that are not orthogonal.
CREATE TABLE visit (person int NOT NULL, cost float8);
CREATE TABLE patient (person int PRIMARY KEY, cost float8);
DO $$BEGIN PERFORM gaussdp.protect('visit', unit => 'person'), gaussdp.set_bounds('visit', 'cost', 0, 10), gaussdp.protect('patient', unit => 'person'), gaussdp.set_bounds('patient', 'cost', 0, 10); END$$;
SET LOCAL gaussdp.as_analyst = on;
SELECT matches((SELECT reason FROM gaussdp.explain_privacy('SELECT dp_cdf(cost, 1, 1e-6, 10) FROM visit')), 'dp_cdf is not answered where a person may own several rows', 'people who own many rows');
SELECT ok(abs(mu_squared / gdp.mu(1, 1e-6) ^ 2 - 1) < 1e-6 AND half_width_95 / sigma BETWEEN 1.96 * 1.6 AND 1.96 * 1.85, 'the price of one call, and what its worst number errs by')
FROM gaussdp.explain_privacy('SELECT dp_cdf(cost, 1, 1e-6, 10) FROM patient', 1000, exact => true);
SELECT * FROM finish();
ROLLBACK;
