\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- dp_cdf: the bins of dp_histogram, their prefix sums, what is made of them, and who may not ask.
\ir ../module/probe.sql
BEGIN;
SELECT plan(30);
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

-- 30 people with up to 20 rows in three groups: all numbers of all groups move by k rows at most, and what rounding adds.
CREATE TABLE wide AS SELECT u, u * i % 3 AS g, u * u * i * 7 % 101 AS x FROM generate_series(1, 30) u, generate_series(1, 20) i WHERE i <= u;
CREATE TABLE weighed AS SELECT *, gaussdp_internal.person_weight(s, sum_s, 3145728) OVER (PARTITION BY u) AS w
	FROM (SELECT *, gaussdp_internal.size_sum(s) OVER (PARTITION BY u, g) AS sum_s FROM (SELECT *, gaussdp_internal.row_size(12, '{1,1e-6,0,100,16,3}', x) AS s FROM wide) x) x;
CREATE TABLE whole AS SELECT g, (probe_cdf_weighted(w, '{1,1e-6,0,100,16,3}', x)).* FROM weighed GROUP BY g;
SELECT ok(bool_and(square <= (3 * (one + 2 ^ 14)) ^ 2) AND max(square / one ^ 2) BETWEEN 5 AND 9.1 AND count(*) = 30, 'no person moves more than k (1 row + 2^12 steps of 16 numbers): ' || round(max(square / one ^ 2)::numeric, 3))
FROM (SELECT l.u, max(2 ^ -a.exponent[1]) AS one, sum((a.exact[n] - l.exact[n]) ^ 2) AS square FROM whole a
	JOIN (SELECT o.u, g, (probe_cdf_weighted(w, '{1,1e-6,0,100,16,3}', x)).exact FROM generate_series(1, 30) o(u) JOIN weighed v ON v.u <> o.u GROUP BY o.u, g) l USING (g), generate_series(1, 16) n GROUP BY l.u) m;
SELECT ok(sensitivity[1] * 2 ^ exponent[1] / 3 BETWEEN 1.0009765 AND 1.000978 AND exponent[1] = -steps AND sigma_int[1] * gdp.mu(1, 1e-6) / sensitivity[1] BETWEEN 1 AND 1.000001, 'for which noise is made: ' || bins || ' bins')
FROM (VALUES (1, 27), (1024, 27), (1025, 28), (4096, 28)) v(bins, steps), LATERAL (SELECT (probe_cdf_weighted(0 * i, ARRAY[1, 1e-6, 0, 100, bins, 3]::float8[], 1)).* FROM generate_series(1, 1) i) p;
-- Weights: in full from 2^19 on, below that nothing; of one bin 2^31 are a row, rounded down once.
SELECT is(exact[1], trunc(m::numeric * n * 1048575 / 2 ^ (31 + 20 + exponent[1])::numeric), format('%s rows of weight %s', n, m))
FROM (VALUES (2147483648, 3), (524288, 1000), (524287, 0), (1717986919, 77)) v(m, n), LATERAL (SELECT (probe_cdf_weighted(v.m + 0 * i, '{1,1e-6,0,1,1,1}', 0.5)).* FROM generate_series(1, greatest(v.n, 1)) i) p;

-- The policy.  A clip by a norm over bins would not do: C has columns that are not orthogonal.
CREATE TABLE visit (person int NOT NULL, cost float8);
CREATE TABLE patient (person int PRIMARY KEY, cost float8);
INSERT INTO visit SELECT i % 500, i % 100 / 10.0 FROM generate_series(1, 2000) i;
DO $$BEGIN PERFORM gaussdp.protect('visit', unit => 'person', max_rows => 4), gaussdp.set_bounds('visit', 'cost', 0, 10), gaussdp.protect('patient', unit => 'person'), gaussdp.set_bounds('patient', 'cost', 0, 10); END$$;
SET LOCAL gaussdp.as_analyst = on;
SELECT ok(abs(c[5] - 1000) < 60 AND abs(c[10] - 2000) < 60, 'people who own many rows') FROM (SELECT dp_cdf(cost, 20, 1e-6, 10) AS c FROM visit) s;
SELECT ok(abs(mu_squared / gdp.mu(1, 1e-6) ^ 2 - 1) < 1e-5 AND l2_sensitivity BETWEEN 4 AND 4.01 AND half_width_95 / sigma BETWEEN 1.96 * 1.6 AND 1.96 * 1.85, 'at the price of one call, with the noise of four rows')
FROM gaussdp.explain_privacy('SELECT dp_cdf(cost, 1, 1e-6, 10) FROM visit', 1000, exact => true);
SELECT ok(abs(mu_squared / gdp.mu(1, 1e-6) ^ 2 - 1) < 1e-6 AND half_width_95 / sigma BETWEEN 1.96 * 1.6 AND 1.96 * 1.85, 'the price of one call, and what its worst number errs by')
FROM gaussdp.explain_privacy('SELECT dp_cdf(cost, 1, 1e-6, 10) FROM patient', 1000, exact => true);
SELECT * FROM finish();
ROLLBACK;
