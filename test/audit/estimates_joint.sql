\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Error bars of variances, standard deviations and histograms hold: of 600 answers about groups of 0 to 300 rows no more miss the truth than the stated
-- confidence allows.  Each limit is passed with a probability below 1e-8 where exactly that many may miss.
BEGIN;
\ir ../module/probe.sql
SELECT plan(36);
\set repeats 600
CREATE TABLE shape AS SELECT n, kind, CASE kind WHEN 'on a bound' THEN 10 WHEN 'on both' THEN 10 * (j % 2) WHEN 'in the middle' THEN 5 END AS x
FROM unnest(ARRAY[1, 5, 30, 300]) n, unnest(ARRAY['on a bound', 'on both', 'in the middle']) kind, generate_series(1, n) j UNION ALL SELECT 0, 'nothing', NULL;
CREATE TABLE truth AS SELECT n, kind, coalesce(var_pop(x), 12.5)::float8 AS v FROM shape GROUP BY n, kind;
CREATE TABLE answers AS SELECT n, kind, i, dp_var_estimate(x::float8, e, 1e-6, 0, 10) AS v, dp_stddev_estimate(x::float8, e, 1e-6, 0, 10) AS s, e
FROM shape, generate_series(1, :repeats) i, unnest(ARRAY[1, 4]) e GROUP BY n, kind, i, e;
-- Per shape and number of rows: misses at 50, 95 and 99.9 %.
SELECT ok(bool_and(misses <= least), format('%s rows %s: %s', n, kind, string_agg(misses || ' of ' || least, ', ' ORDER BY confidence))) FROM (
	SELECT n, kind, confidence, least, e, count(*) FILTER (WHERE NOT t.v BETWEEN (w).low AND (w).high) AS misses
	FROM answers JOIN truth t USING (n, kind), (VALUES (0.5, 370), (0.95, 65), (0.999, 11)) c(confidence, least), LATERAL (SELECT dp_estimate_interval(answers.v, confidence) AS w) i GROUP BY n, kind, confidence, least, e) q GROUP BY n, kind;
SELECT ok(bool_and(misses <= 65), format('standard deviations of %s rows %s', n, kind)) FROM (
	SELECT n, kind, e, count(*) FILTER (WHERE NOT sqrt(t.v) BETWEEN (s).ci_low AND (s).ci_high) AS misses FROM answers JOIN truth t USING (n, kind) GROUP BY n, kind, e) q GROUP BY n, kind;
SELECT ok(bool_and((v).ci_low >= 0 AND (v).ci_high <= 25.0000001 AND (v).value BETWEEN (v).ci_low AND (v).ci_high AND (s).ci_high <= 5.0000001 AND (s).value BETWEEN (s).ci_low AND (s).ci_high), 'within what the bounds allow') FROM answers;
SELECT ok(bool_and((v).reliable = ((v).den >= 5 * (v).den_sd) AND NOT (v).is_root AND (s).is_root), 'and what they are') FROM answers;
SELECT ok(bool_and(NOT (v).reliable OR n >= 5) AND count(*) FILTER (WHERE n = 300 AND NOT (v).reliable) = 0, 'few rows are not reliable') FROM answers WHERE e = 1;

-- Among many rows the interval is hardly wider than the first order has it: 2.24 of the standard deviation for 1.96, and what the average adds.
SELECT ok(((v).ci_high - (v).ci_low) / (v).stddev BETWEEN 2 * 1.95 AND 2 * 1.95 * most, format('the interval of a variance %s has %s standard deviations', kind, round((((v).ci_high - (v).ci_low) / (v).stddev)::numeric, 2)))
FROM (SELECT 'in the middle of its bounds' AS kind, 1.3 AS most, dp_var_estimate(x, 1, 1e-6, 0, 10) AS v FROM (SELECT j % 101 / 10.0 AS x FROM generate_series(1, 50000) j) r UNION ALL
	SELECT 'far from it', 2.2, dp_var_estimate(x, 1, 1e-6, -10, 10) FROM (SELECT j % 101 / 10.0 AS x FROM generate_series(1, 50000) j) r) s;
SELECT ok(abs((v).value - 8.5) < 0.2 AND (s).stddev * 2 * (s).value / (v).stddev BETWEEN 0.98 AND 1.02 AND abs((s).value ^ 2 - 8.5) < 0.2 AND abs((s).ci_high ^ 2 - (v).ci_high) < 0.2, 'a root has the roots of its interval')
FROM (SELECT dp_var_estimate(x, 4, 1e-6, 0, 10) AS v, dp_stddev_estimate(x, 4, 1e-6, 0, 10) AS s FROM (SELECT j % 101 / 10.0 AS x FROM generate_series(1, 50500) j) r) q;

-- Histograms: the normal law in each bin, empty ones too.
CREATE TABLE bins AS SELECT i, b, e[b] AS h FROM (SELECT i, dp_histogram_estimate(x, 1, 1e-6, 0, 10, 4) AS e FROM generate_series(1, :repeats) i, (SELECT j % 6 AS x FROM generate_series(1, 300) j) r GROUP BY i) q, generate_subscripts(e, 1) b;
SELECT ok(bool_and(misses BETWEEN 5 AND 65) AND count(*) = 4, 'dp_histogram_estimate: ' || string_agg(misses::text, ', ')) FROM (SELECT b, count(*) FILTER (WHERE NOT exact BETWEEN (h).ci_low AND (h).ci_high) AS misses FROM bins JOIN (VALUES (1, 150), (2, 100), (3, 50), (4, 0)) v(b, exact) USING (b) GROUP BY b) q;
SELECT ok(bool_and(abs((h).stddev * gdp.mu(1, 1e-6) - 1) < 1e-6 AND (h).num IS NULL), 'with the deviation of a count') FROM bins;

-- Over a protected table, in each of its forms, and where people own many rows.
CREATE TABLE visit (person int NOT NULL, x numeric);
CREATE TABLE person (id int PRIMARY KEY, x numeric);
INSERT INTO person SELECT j, j % 101 / 10.0 FROM generate_series(1, 5000) j;
INSERT INTO visit SELECT id / 2, x FROM person;
DO $$BEGIN PERFORM gaussdp.protect('person', unit => 'id'), gaussdp.set_bounds('person', 'x', 0, 10), gaussdp.protect('visit', unit => 'person', max_rows => 2), gaussdp.set_bounds('visit', 'x', 0, 10); END$$;
SET LOCAL gaussdp.as_analyst = on;
SET LOCAL gaussdp.epsilon = 8;
SET LOCAL gaussdp.delta = 1e-6;
SELECT ok((dp_var_estimate(x)).reliable AND (dp_stddev_estimate(x, 8)).is_root AND cardinality(dp_histogram_estimate(x, 5)) = 5 AND (dp_stddev_estimate(x, 8, 1e-6)).value BETWEEN 2.7 AND 3.1, 'declared bounds') FROM person;
SELECT ok((dp_var_estimate(x)).reliable AND (dp_stddev_estimate(x, 8)).value BETWEEN 2.5 AND 3.3 AND abs((dp_histogram_estimate(x, 8, 1e-6, 2))[1].value - 2475) < 60, 'and people who own two rows') FROM visit;
SELECT * FROM finish();
ROLLBACK;
