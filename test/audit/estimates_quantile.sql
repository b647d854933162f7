\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The interval of a quantile holds: of 400 answers no more miss the noiseless quantile than the stated confidence allows.  It is one of simulation: nothing proves it.
-- Each limit is passed with a probability below 1e-8 where exactly that many may miss.
BEGIN;
LOAD '$libdir/gaussdp';
SELECT no_plan();
CREATE TABLE shape AS SELECT n, kind, q, CASE kind WHEN 'alike' THEN 3 WHEN 'on a bound' THEN 100 WHEN 'spread' THEN 100 * ((j * 0.6180339887) % 1) ELSE 100 * ((j * 0.6180339887) % 1) ^ 6 END AS x
FROM unnest(ARRAY[1, 5, 30, 300]) n, unnest(ARRAY['alike', 'on a bound', 'spread', 'skewed']) kind, unnest(ARRAY[0.5, 0.1, 0.99]) q, generate_series(1, n) j UNION ALL SELECT 0, 'nothing', 0.5, NULL;
CREATE TABLE answers AS SELECT n, kind, q, i, dp_quantile_estimate(x::float8, 1, 1e-6, 0, 100, q::float8) AS e FROM shape, generate_series(1, 400) i GROUP BY n, kind, q, i;
-- Any number between two neighbours is a quantile where it falls between them; of no rows everything is.
CREATE TABLE truth AS SELECT n, kind, q, percentile_disc(q) WITHIN GROUP (ORDER BY x) AS low, percentile_disc(least(q + 1e-9, 1)) WITHIN GROUP (ORDER BY x) AS high FROM shape WHERE n > 0 GROUP BY n, kind, q;
SELECT ok(bool_and(misses <= least), format('%s rows %s, quantile %s: %s', n, kind, q, string_agg(misses || ' of ' || least, ', ' ORDER BY confidence))) FROM (
	-- a value lies in a leaf of 2^-14 of itself: an edge next to it is as good
	SELECT n, kind, q, confidence, least, count(*) FILTER (WHERE (w).low > t.high * (1 + 2e-4) OR (w).high < t.low * (1 - 2e-4)) AS misses
	FROM answers JOIN truth t USING (n, kind, q), (VALUES (0.5, 257), (0.95, 48), (0.999, 10)) c(confidence, least), LATERAL (SELECT dp_estimate_interval(e, confidence) AS w) i GROUP BY n, kind, q, confidence, least) s GROUP BY n, kind, q;
SELECT ok(bool_and((e).value BETWEEN (e).ci_low AND (e).ci_high AND (e).ci_low >= 0 AND (e).ci_high <= 100 AND (e).stddev IS NULL AND (e).reliable IS NULL AND cardinality((e).asked) BETWEEN 1 AND 48
	AND cardinality((e).asked) = cardinality((e).answers) AND ROW((e).ci_low, (e).ci_high) = dp_estimate_interval(e, 0.95)), 'within the bounds, and made of its answers') FROM answers;
SELECT ok(avg(((e).ci_high - (e).ci_low = 100)::int) > 0.5, 'without rows it is mostly all of the bounds') FROM answers WHERE n = 0;
-- Among 20,000 evenly spread rows it is within 3 % of them.
SELECT ok(avg((e).ci_high - (e).ci_low) BETWEEN 0.3 AND 3 AND avg(((e).ci_low <= 50.1 AND (e).ci_high >= 49.9)::int) > 0.9, 'and narrow where rows are many: ' || round(avg((e).ci_high - (e).ci_low)::numeric, 2))
FROM (SELECT dp_median_estimate(x, 1, 1e-6, 0, 100) AS e FROM generate_series(1, 30) i, (SELECT j / 200.0::float8 AS x FROM generate_series(1, 20000) j) s GROUP BY i) q;
-- Whole numbers, and protected tables in each form.
CREATE TABLE person (id int PRIMARY KEY, x int);
CREATE TABLE visit (person int NOT NULL, x int);
INSERT INTO person SELECT j, j % 101 FROM generate_series(1, 5000) j;
INSERT INTO visit SELECT id / 2, x FROM person;
DO $$BEGIN PERFORM gaussdp.protect('person', unit => 'id'), gaussdp.set_bounds('person', 'x', 0, 100), gaussdp.protect('visit', unit => 'person', max_rows => 2), gaussdp.set_bounds('visit', 'x', 0, 100); END$$;
SET LOCAL gaussdp.as_analyst = on;
SET LOCAL gaussdp.epsilon = 8;
SET LOCAL gaussdp.delta = 1e-6;
SELECT ok((dp_median_estimate(x)).value BETWEEN 47 AND 53 AND (dp_quantile_estimate(x, 0.9)).ci_high BETWEEN 88 AND 95 AND (dp_median_estimate(x, 8, 1e-6)).ci_low BETWEEN 45 AND 51 AND (dp_quantile_estimate(x, 8, 1e-6, 0.1)).value BETWEEN 7 AND 13, 'declared bounds') FROM person;
SELECT ok((dp_median_estimate(x)).value BETWEEN 44 AND 56 AND (dp_median_estimate(x, 8, 1e-6)).ci_low BETWEEN 40 AND 52, 'and people who own two rows') FROM visit;
SELECT * FROM finish();
ROLLBACK;
