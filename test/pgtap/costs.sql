\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What the policy is told that a call costs: (sensitivity / real sigma)^2, never below and hardly above
-- what its epsilon and delta buy, times the square of the rows that one person may really own.
BEGIN;
\ir ../module/probe.sql
\ir ../module/calibration.sql

CREATE TABLE calls (call text, params float8[], made_for float8);
INSERT INTO calls VALUES ('dp_count(float8, float8)', '{1, 1e-6}', 1), ('dp_count("any", float8, float8)', '{1, 1e-6}', 1), ('dp_count("any", float8, float8, float8)', '{1, 1e-6, 5}', 5);
INSERT INTO calls SELECT format(c.call, t), c.params, c.made_for
FROM (VALUES ('dp_sum(%s, float8, float8, float8)', '{1, 1e-6, 7}'::float8[], 1), ('dp_sum(%s, float8, float8, float8, float8)', '{1, 1e-6, -3, 7}', 1),
		('dp_sum(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, -3, 7, 4}', 4), ('dp_avg(%s, float8, float8, float8, float8)', '{1, 1e-6, 3, 7}', 1),
		('dp_avg_estimate(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 4}', 4), ('dp_sum_auto(%s, float8, float8)', '{1, 1e-6}', 1),
		('dp_avg_auto(%s, float8, float8)', '{1, 1e-6}', 1), ('dp_var(%s, float8, float8, float8, float8)', '{1, 1e-6, 3, 7}', 1),
		('dp_stddev(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 9}', 9), ('dp_histogram(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 9}', 1),
		('dp_bounds(%s, float8, float8)', '{1, 1e-6}', 1),
		('dp_cdf(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 9}', 1),
		('dp_quantile(%s, float8, float8, float8, float8, float8)', '{1, 1e-6, 3, 7, 0.9}', 1), ('dp_quantiles(%s, float8, float8, float8, float8, float8[])', '{1, 1e-6, 3, 7, 0.9, 0.1, 0.5}', 1), ('dp_median(%s, float8, float8, float8, float8)', '{1, 1e-6, 3, 7}', 1)) c(call, params, made_for),
	unnest(ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']) t;
INSERT INTO calls SELECT format('%s(%s[], float8, float8, float8, int8)', name, t), '{1, 1e-6, 2, 3}', 1
FROM unnest(ARRAY['dp_sum', 'dp_avg']) name, unnest(ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']) t;
INSERT INTO calls VALUES ('dp_regression(float8[], float8, float8, float8, float8, float8, float8)', '{1, 1e-6, 3, 7, 1, 2}', 1), ('dp_regression(numeric[], float8, float8, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 1, 2, 4}', 4);
SELECT plan(count(*)::int + 4) FROM calls;

-- Exactly what (1, 1e-6) buys for the rows that the call was made for; k^2 of that per row for k rows.
SELECT ok(bool_and(abs(cost[1] / (gdp.mu(1, 1e-6) * k / made_for) ^ 2 - 1) < 1e-5 AND cost[1] <= (gdp.mu(1, 1e-6) * k / made_for) ^ 2 * (1 + 1e-14) AND cost[2] = 0), call)
FROM (SELECT call, k, made_for, test_call_cost(call::regprocedure, params, k) AS cost FROM calls, unnest(ARRAY[1, 4, 9]) k OFFSET 0) s GROUP BY call ORDER BY call COLLATE "C";

CREATE FUNCTION keep(k float8, made_for float8) RETURNS float8[] LANGUAGE sql RETURN test_call_cost('dp_keep_group(float8, float8, int8)'::regprocedure, ARRAY[1, 1e-6, made_for], k);
SELECT ok(bool_and(abs((keep(k, 5))[1] / (gdp.mu(1, 5e-7) * k / 5) ^ 2 - 1) < 1e-8), 'dp_keep_group: mu for the half of delta') FROM unnest(ARRAY[1, 5, 20]) k;
SELECT ok(bool_and((keep(k, 5))[2] = 5e-7), 'dp_keep_group: the other half for the threshold') FROM unnest(ARRAY[1, 3, 5]) k;
-- The threshold does not hide more rows than it was made for; delta says so.
SELECT ok(bool_and(abs(delta / exact - 1) < 1e-6), 'dp_keep_group: persons of more rows than it was made for')
FROM (SELECT (keep(k, 5))[2] AS delta, greatest(norm_sf((tau - k) / sigma), k * norm_sf((tau - 1) / sigma)) AS exact
	FROM unnest(ARRAY[6, 8, 20]) k, (SELECT sigma, greatest(5 - sigma * norm_quantile(5e-7), 1 - sigma * norm_quantile(1e-7)) AS tau FROM dp_gaussian_sigma(1, 5e-7, 5) sigma) n) s;
SELECT ok((keep(1000, 1))[2] = 1, 'dp_keep_group: persons who alone pass the threshold');

SELECT * FROM finish();
ROLLBACK;
