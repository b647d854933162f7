\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Releases of several numbers err by as much as their formulas say (docs/mathematics.md), no more and no less.
-- Fixed sample sizes; each statistic leaves its interval with a probability below 1e-7 when all is well, so that a test of several
-- fails by chance with one below 1e-6.
BEGIN;
SELECT plan(20);
\set z 5.4
CREATE FUNCTION chi_square_ok(x float8, df float8) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN
	x BETWEEN df * (1 - 2 / (9 * df) - 5.4 * sqrt(2 / (9 * df))) ^ 3 AND df * (1 - 2 / (9 * df) + 5.4 * sqrt(2 / (9 * df))) ^ 3;
SELECT gdp.mu(1, 1e-6) AS mu \gset

-- Vectors: the same noise in every coordinate, independent of each other.
CREATE TABLE vectors AS SELECT i, dp_sum(v, 1, 1e-6, 5, 3) AS s, dp_avg(v, 1, 1e-6, 5, 3) AS a
FROM generate_series(1, 2000) i, (SELECT ARRAY[3, 4, 0]::float8[] AS v FROM generate_series(1, 200) UNION ALL SELECT ARRAY[30, 0, 40] FROM generate_series(1, 100)) t GROUP BY i;
SELECT ok(bool_and(good), 'dp_sum of vectors: mean and standard deviation of each coordinate')
FROM (SELECT chi_square_ok(sum((s[c] - exact) ^ 2) / (5 / :mu) ^ 2, 2000) AND abs(sum(s[c] - exact)) < :z * 5 / :mu * sqrt(2000) AS good
	FROM vectors, (VALUES (1, 900), (2, 800), (3, 400)) v(c, exact) GROUP BY c) t;
SELECT ok(abs(sum((s[1] - 900) * (s[2] - 800))) / (5 / :mu) ^ 2 < :z * sqrt(2000) AND abs(sum((s[1] - 900) * (s[3] - 400))) / (5 / :mu) ^ 2 < :z * sqrt(2000), 'and their independence') FROM vectors;
-- First order of the ratio: sd^2 = (C^2/(3/4) + average^2/(1/4)) / (mu n)^2
SELECT ok(bool_and(good), 'dp_avg of vectors: standard deviation of each coordinate')
FROM (SELECT sqrt(avg((a[c] - exact) ^ 2)) / sqrt((25 / 0.75 + exact ^ 2 / 0.25) / (:mu * 300) ^ 2) BETWEEN 0.9 AND 1.11 AS good
	FROM vectors, (VALUES (1, 3.0), (2, 8 / 3.0), (3, 4 / 3.0)) v(c, exact) GROUP BY c, exact) t;

-- Histograms: every bin, empty ones too.
CREATE TABLE histograms AS SELECT i, dp_histogram(x, 1, 1e-6, 0, 10, 5) AS h
FROM generate_series(1, 2000) i, (SELECT j % 4 AS x FROM generate_series(1, 8) j UNION ALL SELECT 9.9) t GROUP BY i;
SELECT ok(chi_square_ok(sum((h[c] - exact) ^ 2) / ((1 / :mu) ^ 2 + 1 / 12.0), 2000) AND abs(sum(h[c] - exact)) < :z * sqrt((1 / :mu ^ 2 + 1 / 12.0) * 2000), 'dp_histogram: bin ' || c)
FROM histograms, (VALUES (1, 4), (2, 4), (3, 0), (4, 0), (5, 1)) v(c, exact) GROUP BY c, exact;

-- Distribution functions: prefix sums and ranges of bins by dp_cdf_stddev.
CREATE TABLE cdfs AS SELECT i, dp_cdf(x, 1, 1e-6, 0, 10, 20) AS c FROM generate_series(1, 2000) i, (SELECT j % 4 AS x FROM generate_series(1, 8) j UNION ALL SELECT 9.9) t GROUP BY i;
SELECT ok(chi_square_ok(sum((c[b] - coalesce(c[a - 1], 0) - exact) ^ 2) / dp_cdf_stddev(1, 1e-6, 20, a, b) ^ 2, 2000) AND abs(sum(c[b] - coalesce(c[a - 1], 0) - exact)) < :z * dp_cdf_stddev(1, 1e-6, 20, a, b) * sqrt(2000),
	format('dp_cdf: bins %s to %s', a, b)) FROM cdfs, (VALUES (1, 1, 2), (1, 11, 8), (1, 20, 9), (5, 13, 4)) v(a, b, exact) GROUP BY a, b, exact;

-- Variance of values uniform between the bounds: u^2 - 1/2 is -1/6 on average, so that
-- sd^2 = w^4 (1/(4 * 1/2) + (1/6)^2 / (1/4)) / (mu n)^2, up to the second order.
CREATE TABLE uniform AS SELECT (j - 0.5) / 50 AS x FROM generate_series(1, 5000) j;
CREATE TABLE variances AS SELECT i, dp_var(x, 1, 1e-6, 0, 100) AS v, dp_stddev(x, 1, 1e-6, 0, 100) AS s FROM generate_series(1, 600) i, uniform GROUP BY i;
SELECT ok(sqrt(avg((v - e) ^ 2)) / (2500 / (:mu * 5000) * sqrt(0.5 + 1 / 9.0)) BETWEEN 0.84 AND 1.17, 'dp_var: standard deviation') FROM variances, (SELECT var_pop(x) AS e FROM uniform) t;
SELECT ok(abs(avg(v) - e) < 5.6 * 2500 / (:mu * 5000) * sqrt(0.5 + 1 / 9.0) / sqrt(600), 'dp_var: mean') FROM variances, (SELECT var_pop(x) AS e FROM uniform) t GROUP BY e;
SELECT ok(sqrt(avg((s - sqrt(e)) ^ 2)) * 2 * sqrt(e) / (2500 / (:mu * 5000) * sqrt(0.5 + 1 / 9.0)) BETWEEN 0.83 AND 1.17, 'dp_stddev: standard deviation') FROM variances, (SELECT var_pop(x) AS e FROM uniform) t GROUP BY e;

-- Regression: each number errs by its standard deviation, to the first order, and without bias.
CREATE TABLE pairs AS SELECT x, 20 + x * 0.6 + j * 7919 % 41 AS y FROM (SELECT j, (j * 6151 % 101)::float8 AS x FROM generate_series(1, 8000) j) s;
CREATE TABLE regressions AS SELECT (dp_regression(ARRAY[y, x], 1, 1e-6, 0, 140, 0, 100)).* FROM generate_series(1, 600) i, pairs GROUP BY i;
SELECT ok(bool_and(rms BETWEEN 0.84 AND 1.17 AND abs(mean) < 5.6 / sqrt(600) + 0.1) AND count(*) = 10, 'dp_regression: errors in standard deviations: ' || string_agg(name || ' ' || round(rms::numeric, 2), ', ')) FROM (
	SELECT name, sqrt(avg(z ^ 2)) AS rms, avg(z) AS mean FROM regressions r, (SELECT count(*) AS n, regr_avgy(y, x) AS avg_y, regr_avgx(y, x) AS avg_x, var_pop(y) AS var_y, var_pop(x) AS var_x, covar_pop(y, x) AS covar, corr(y, x) AS corr,
			regr_slope(y, x) AS slope, regr_intercept(y, x) AS intercept, regr_r2(y, x) AS r2 FROM pairs) t,
		LATERAL (VALUES ('n', (r.n - t.n) / n_stddev), ('avg_y', (r.avg_y - t.avg_y) / avg_y_stddev), ('avg_x', (r.avg_x - t.avg_x) / avg_x_stddev), ('var_y', (r.var_y - t.var_y) / var_y_stddev), ('var_x', (r.var_x - t.var_x) / var_x_stddev),
			('covar', (r.covar - t.covar) / covar_stddev), ('corr', (r.corr - t.corr) / corr_stddev), ('slope', (r.slope - t.slope) / slope_stddev), ('intercept', (r.intercept - t.intercept) / intercept_stddev), ('r2', (r.r2 - t.r2) / r2_stddev)) v(name, z) GROUP BY name) s;
-- A release that is told which combination of the six sums the answer needs, and releases that alone, would err by the largest that a row moves the answer by, over mu:
-- for the covariance the largest of abs((y - avg_y) (x - avg_x) - covar) over the bounds.  Columns in the middle of their bounds are the worst, 1.55 times that at most.
SELECT ok((r).covar_stddev BETWEEN 0.9 * e AND most * e, format('dp_regression: the covariance errs by %s of the bound of a known direction', round(((r).covar_stddev / e)::numeric, 2)))
FROM (VALUES (140, 100, 1.55), (280, 200, 1.3)) v(upper_y, upper_x, most), LATERAL (SELECT dp_regression(ARRAY[y, x], 1, 1e-6, 0, upper_y, 0, upper_x) AS r FROM pairs) s,
	LATERAL (SELECT max(abs((a - avg_y) * (b - avg_x) - c)) / 8000 / :mu AS e FROM (VALUES (0, 0), (0, upper_x), (upper_y, 0), (upper_y, upper_x)) v(a, b), (SELECT regr_avgy(y, x) AS avg_y, regr_avgx(y, x) AS avg_x, covar_pop(y, x) AS c FROM pairs) t) q;

-- Quantiles: where one answer of the noise that is paid for, at the right place, would be off by D/mu ranks, D = max(q, 1 - q), the search is
-- by 1.1 to 1.2 of that (docs/mathematics.md); of 300 with errors of a normal law's tails the root mean square is within 1.0 +- 5.4 / sqrt(600) of its own.
CREATE TABLE quantiles AS SELECT q, i, (SELECT dp_quantile(x, 1, 1e-6, 0, 100, q) FROM uniform WHERE i > 0) AS v FROM unnest(ARRAY[0.1, 0.5, 0.9]) q, generate_series(1, 300) i;
SELECT ok(bool_and(e BETWEEN 0.8 AND 1.6), 'dp_quantile: the error in rank, in D/mu: ' || string_agg(round(e::numeric, 2)::text, ', ' ORDER BY q))
FROM (SELECT q, sqrt(avg((v * 50 - q * 5000) ^ 2)) / (greatest(q, 1 - q) / :mu) AS e FROM quantiles GROUP BY q) t;
SELECT ok(max(abs(v * 50 - q * 5000) / (greatest(q, 1 - q) / :mu)) < 12, 'dp_quantile: the largest error in rank') FROM quantiles;

SELECT * FROM finish();
ROLLBACK;
