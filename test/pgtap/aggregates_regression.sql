\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- dp_regression: what PostgreSQL's aggregates of pairs say where noise is small, the integers before the noise, and corr() and its like in plain SQL.
\ir ../module/probe.sql
BEGIN;
SELECT plan(34);
CREATE TABLE t AS SELECT i, y, x, y::int AS yi, x::int2 AS xi, y::numeric AS yn, x::float4 AS xf FROM (SELECT i, (20 + x * 0.6 + i * 7919 % 41) AS y, x FROM (SELECT i, (i * 6151 % 101)::float8 AS x FROM generate_series(1, 20000) i) s) s;
ANALYZE t;

CREATE FUNCTION close(r dp_regression, what float8[]) RETURNS bool LANGUAGE sql AS $$
SELECT bool_and(abs(a - b) <= 0.01 + 0.004 * abs(b)) AND count(*) = 10
FROM unnest(ARRAY[r.n, r.avg_y, r.avg_x, r.var_y, r.var_x, r.covar, r.corr, r.slope, r.intercept, r.r2], what) AS u(a, b)$$;
\set truth 'ARRAY[count(*), regr_avgy(y, x), regr_avgx(y, x), var_pop(y), var_pop(x), covar_pop(y, x), corr(y, x), regr_slope(y, x), regr_intercept(y, x), regr_r2(y, x)]'
SELECT ok(close(dp_regression(ARRAY[y, x], 200, 1e-6, 0, 140, 0, 100), :truth), 'float8') FROM t;
SELECT ok(close(dp_regression(ARRAY[y, x], 200, 1e-6, 0, 140, 0, 100, 1), :truth), 'with max_rows') FROM t;
SELECT ok(close(dp_regression(ARRAY[yi, xi], 200, 1e-6, 0, 140, 0, 100), ARRAY[count(*), regr_avgy(yi, xi), regr_avgx(yi, xi), var_pop(yi), var_pop(xi), covar_pop(yi, xi), corr(yi, xi), regr_slope(yi, xi), regr_intercept(yi, xi), regr_r2(yi, xi)]), 'integers') FROM t;
SELECT ok(close(dp_regression(ARRAY[yn, xi], 200, 1e-6, 0, 140, 0, 100), :truth) AND close(dp_regression(ARRAY[y::float4, xf], 200, 1e-6, 0, 140, 0, 100), :truth)
	AND close(dp_regression(ARRAY[yi, xi]::int8[], 200, 1e-6, 0, 140, 0, 100), ARRAY[count(*), regr_avgy(yi, xi), regr_avgx(yi, xi), var_pop(yi), var_pop(xi), covar_pop(yi, xi), corr(yi, xi), regr_slope(yi, xi), regr_intercept(yi, xi), regr_r2(yi, xi)]), 'numeric, float4 and int8') FROM t;
SELECT ok(close(dp_regression(ARRAY[-y, x], 200, 1e-6, -140, 0, -50, 150), ARRAY[count(*), regr_avgy(-y, x), regr_avgx(-y, x), var_pop(y), var_pop(x), covar_pop(-y, x), corr(-y, x), regr_slope(-y, x), regr_intercept(-y, x), regr_r2(-y, x)]), 'a line that falls, and bounds that are wide') FROM t;
SELECT ok(close(dp_regression(ARRAY[y, x], 200, 1e-6, 0, 60, 30, 70), (SELECT :truth FROM (SELECT least(y, 60) AS y, least(greatest(x, 30), 70) AS x FROM t) s)), 'values are clamped') FROM t;
-- Deviations grow with the noise and fall with the rows.
SELECT ok(bool_and(b / a BETWEEN 9 AND 11 AND c / a BETWEEN 90 AND 110), 'standard deviations')
FROM (SELECT dp_regression(ARRAY[y, x], 8, 1e-6, 0, 140, 0, 100) AS r, dp_regression(ARRAY[y, x], 8, 1e-6, 0, 140, 0, 100) FILTER (WHERE i <= 2000) AS s, dp_regression(ARRAY[y, x], 8, 1e-6, 0, 140, 0, 100, 100) AS u FROM t) q,
	LATERAL (VALUES ((r).covar_stddev, (s).covar_stddev, (u).covar_stddev), ((r).avg_y_stddev, (s).avg_y_stddev, (u).avg_y_stddev)) v(a, b, c);

-- Exact integers: one row at each corner, and in the middle.  The steps of the count are 2^exponent, those of the others too.
SELECT is(ARRAY(SELECT e::float8 * 2 ^ x::float8 FROM unnest((p).exact, (p).exponent) WITH ORDINALITY u(e, x, i) ORDER BY i), expected::float8[], format('a row (%s, %s)', y, x))
FROM (VALUES (140, 100, '{1,1,1,0.5,0.5,1}'), (0, 100, '{1,-1,1,0.5,0.5,-1}'), (70, 50, '{1,0,0,-0.5,-0.5,0}'), (500, -7, '{1,1,-1,0.5,0.5,-1}'), (105, 75, '{1,0.5,0.5,-0.25,-0.25,0.25}')) v(y, x, expected),
	LATERAL (SELECT probe_regression(ARRAY[y + z, x], 1, 1e-6, 0, 140, 0, 100) AS p FROM (VALUES (0)) w(z)) s;
SELECT is((SELECT (probe_regression(a, 1, 1e-6, 0, 140, 0, 100)).exact FROM unnest(ARRAY['{NULL,1}', '{1,NULL}', '{NaN,1}', '{1}', '{1,2,3}', '{{1,2}}', NULL]) s, LATERAL (SELECT s::float8[] AS a) q), '{0,0,0,0,0,0}', 'no pair of numbers is nobody''s pair');
-- Whatever the pair is, each coordinate is within its sensitivity: the squares with shares 1, 2, 2, 1, 1, 5 twelfths sum to 1 at most.
SELECT ok(bool_and(abs(e) <= s) AND count(*) = 3000, 'no row moves a sum by more than is paid for')
FROM (SELECT probe_regression(ARRAY[140 * sin(i) + 70, 140 * cos(3.7 * i) + 20], 1, 1e-6, 0, 140, 0, 100) AS p FROM generate_series(1, 500) i GROUP BY i) q, unnest((p).exact, (p).sensitivity) u(e, s);
SELECT ok(abs(sum((s / g) ^ 2) / gdp.mu(1, 1e-6)::numeric ^ 2 - 1) < 1e-6 AND sum((s / g) ^ 2) <= gdp.mu(1, 1e-6)::numeric ^ 2, 'the noise of all together is that of (1, 1e-6)')
FROM (SELECT probe_regression(ARRAY[y, x], 1, 1e-6, 0, 140, 0, 100) AS p FROM t) q, unnest((p).sensitivity, (p).sigma_int) u(s, g);

-- The weighted form: whole rows as without weights, half of one toward zero.
SELECT ok(bool_and((w).exact = (p).exact) AND count(*) = 7, 'whole weights') FROM (SELECT probe_regression_weighted(2147483648, '{1,1e-6,0,140,0,100,1}', ARRAY[y, x]) AS w, probe_regression(ARRAY[y, x], 1, 1e-6, 0, 140, 0, 100) AS p FROM t GROUP BY i % 7) s;
SELECT ok(bool_and(h = trunc(e / 2)) AND count(*) = 1200, 'half of a row') FROM (SELECT probe_regression_weighted(1073741824, '{1,1e-6,0,140,0,100,1}', ARRAY[y, x]) AS w, probe_regression(ARRAY[y, x], 1, 1e-6, 0, 140, 0, 100) AS p FROM t WHERE i <= 200 GROUP BY i) s,
	unnest((w).exact, (p).exact) u(h, e);
SELECT ok((r).n IS NOT NULL AND NOT (r).reliable AND ((r).corr IS NULL OR abs((r).corr) <= 1), 'no rows, not reliable') FROM (SELECT dp_regression(ARRAY[y, x], 1, 1e-6, 0, 140, 0, 100) AS r FROM t WHERE i < 0) s;
SELECT ok(NOT (r).reliable, 'nor is a line through values that do not differ') FROM (SELECT dp_regression(ARRAY[y, 30], 1, 1e-6, 0, 140, 0, 100) AS r FROM t) s;
SELECT throws_ok(format('SELECT dp_regression(ARRAY[y, x], 1, 1e-6, %s) FROM t', bounds), '22023', message, message)
FROM (VALUES ('1, 1, 0, 1', 'bounds are out of range: lower 1, upper 1'), ('0, 1, 2, 1', 'bounds are out of range: lower 2, upper 1'), ('0, 1, 0, 1, 0', 'max_rows is out of range: 0')) v(bounds, message);

-- Over protected tables: declared bounds, one charge for all that is asked of one pair, also in plain SQL and where people own many rows.
CREATE TABLE person (id int PRIMARY KEY, age int, hours numeric, g text);
INSERT INTO person SELECT i, (x * 1.2)::int, y, 'g' || i % 2 FROM t;
CREATE TABLE visit (person int NOT NULL, y float8, x float8);
INSERT INTO visit SELECT i / 2, y, x FROM t;
DO $$BEGIN PERFORM gaussdp.protect('person', unit => 'id'), gaussdp.set_bounds('person', 'age', 0, 120), gaussdp.set_bounds('person', 'hours', 0, 140),
	gaussdp.protect('visit', unit => 'person', max_rows => 2), gaussdp.set_bounds('visit', 'y', 0, 140), gaussdp.set_bounds('visit', 'x', 0, 100); END$$;
SET LOCAL gaussdp.as_analyst = on;
SET LOCAL gaussdp.epsilon = 8;
SET LOCAL gaussdp.delta = 1e-6;
SET LOCAL client_min_messages = warning;
SELECT ok(abs((dp_regression(ARRAY[hours, age])).slope - 0.5) < 0.05, 'dp_regression(ARRAY[y, x]) with declared bounds') FROM person;
SELECT ok(abs((dp_regression(ARRAY[hours, age], 8)).slope - 0.5) < 0.05 AND abs((dp_regression(ARRAY[hours, age * 2], 8, 1e-6)).slope - 0.25) < 0.025, 'with epsilon, and of an expression') FROM person;
SELECT throws_ok('SELECT dp_regression(hours) FROM person', '42804', 'dp_regression takes arrays of two numbers, not values of type numeric', 'a number');
SELECT throws_ok('SELECT dp_regression(ARRAY[hours, id]) FROM person', '22023', 'dp_regression needs bounds, and none are declared for its value', 'a column without bounds');
SELECT throws_ok('SELECT dp_regression(ARRAY[hours, age, age]) FROM person', '22023', 'dp_regression needs bounds, and none are declared for its value', 'three numbers');
SELECT is((SELECT count(*) || ' ' || round(sum(mu_squared)::numeric / gdp.mu(8, 1e-6)::numeric ^ 2, 4) FROM gaussdp.explain_privacy('SELECT (dp_regression(ARRAY[hours, age])).corr, (dp_regression(ARRAY[hours, age])).slope FROM person', exact => true)), '1 1.0000', 'two fields, one charge');
SELECT ok(abs((dp_regression(ARRAY[y, x])).slope - 0.6) < 0.05, 'people who own two rows') FROM visit;
SET LOCAL gaussdp.answer_plain_sql = on;
SELECT ok(abs(corr(hours, age) - 0.825) < 0.03 AND abs(regr_slope(hours, age) - 0.5) < 0.03 AND abs(regr_intercept(hours, age) - 40) < 3 AND abs(regr_r2(hours, age) - 0.68) < 0.05
	AND abs(covar_pop(hours, age) - 612) < 30 AND abs(covar_samp(hours, age) - 612) < 30 AND abs(regr_count(hours, age) - 20000) < 100 AND abs(regr_avgx(hours, age) - 60) < 2 AND abs(regr_avgy(hours, age) - 70) < 2, 'plain SQL') FROM person;
SELECT is((SELECT count(*) || ' ' || round(sum(mu_squared)::numeric / gdp.mu(8, 1e-6)::numeric ^ 2, 4) FROM gaussdp.explain_privacy('SELECT corr(hours, age), regr_slope(hours, age), regr_r2(hours, age) FROM person', exact => true)), '1 1.0000', 'is one charge for one pair, too');
SELECT ok(bool_and(abs(c - 0.825) < 0.05) AND count(*) = 2, 'in groups') FROM (SELECT g, corr(hours, age) AS c FROM person GROUP BY g) s;
SELECT ok(corr(hours, age) IS NULL AND regr_count(hours, age) < 100, 'NULL where it says nothing') FROM person WHERE id < 0;
SELECT ok(abs(regr_slope(y, x) - 0.6) < 0.05, 'and of people who own many rows') FROM visit;
SELECT * FROM finish();
ROLLBACK;
