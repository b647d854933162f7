\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Accuracy: intervals cover at their stated rate, and dp_avg beats the split of (epsilon, delta) in
-- halves. 6,000 releases each.
BEGIN;
SELECT plan(21);

-- Covered at the stated rate: two-sided, or at least, where clamping makes intervals only better.  Chernoff's bound of a binomial tail
-- is e^-17 = 4.1e-8 at the ends, also where few misses are expected, of which the normal law says too little.
CREATE FUNCTION covers(hits bigint, n bigint, rate float8, at_most boolean DEFAULT true) RETURNS boolean LANGUAGE sql
	RETURN CASE WHEN hits > n * rate AND NOT at_most THEN true
		ELSE CASE hits WHEN 0 THEN 0 ELSE hits * ln(hits / (n * rate)) END + CASE hits WHEN n THEN 0 ELSE (n - hits) * ln((n - hits) / (n * (1 - rate))) END < 17 END;

CREATE TABLE x AS SELECT g, i % 100 AS v FROM generate_series(1, 6000) g, generate_series(1, 200) i;	-- average 49.5, sum 9900

CREATE TABLE e AS SELECT dp_count_estimate(1, 1e-6) AS c, dp_sum_estimate(v, 1, 1e-6, 0, 100) AS s, dp_avg_estimate(v, 1, 1e-6, 0, 100) AS a,
	dp_avg_estimate(v, 0.02, 1e-6, 0, 100) AS noisy, dp_avg_estimate(64 + v % 60, 1, 1e-6) AS auto
FROM x GROUP BY g;

SELECT is(count(*)::int, 6000, '6,000 releases') FROM e;
SELECT ok(covers(count(*) FILTER (WHERE 200 BETWEEN (c).ci_low AND (c).ci_high), count(*), 0.95), 'counts: 95 %') FROM e;
SELECT ok(covers(count(*) FILTER (WHERE 9900 BETWEEN (s).ci_low AND (s).ci_high), count(*), 0.95), 'sums: 95 %') FROM e;
SELECT ok(covers(count(*) FILTER (WHERE 49.5 BETWEEN (a).ci_low AND (a).ci_high), count(*), 0.95), 'averages: 95 %') FROM e;
SELECT ok(covers(count(*) FILTER (WHERE 9900 BETWEEN low AND high), count(*), 0.5), 'sums re-read at 50 %') FROM e, dp_estimate_interval(s, 0.5);
SELECT ok(covers(count(*) FILTER (WHERE 49.5 BETWEEN low AND high), count(*), 0.5), 'averages re-read at 50 %') FROM e, dp_estimate_interval(a, 0.5);
SELECT ok(covers(count(*) FILTER (WHERE 49.5 BETWEEN low AND high), count(*), 0.99), 'averages re-read at 99 %') FROM e, dp_estimate_interval(a, 0.99);
SELECT ok(covers(count(*) FILTER (WHERE 49.5 BETWEEN (noisy).ci_low AND (noisy).ci_high), count(*), 0.95, false), 'averages whose count is lost in noise: at least 95 %') FROM e;
SELECT ok(bool_and((noisy).value BETWEEN 0 AND 100 AND (noisy).ci_low >= 0 AND (noisy).ci_high <= 100), 'and within the bounds') FROM e;
SELECT ok(bool_and(abs(low - (a).ci_low) < 1e-9 AND abs(high - (a).ci_high) < 1e-9), 'the interval of the estimate is the one re-read at 95 %') FROM e, dp_estimate_interval(a, 0.95);
SELECT ok(bool_and(abs(low - (s).ci_low) < 1e-6 AND abs(high - (s).ci_high) < 1e-6), 'of sums too') FROM e, dp_estimate_interval(s, 0.95);
-- All values lie between 64 and 128, and 200 rows stand out: those bounds are found nearly always.
SELECT ok(covers(count(*) FILTER (WHERE 89.5 BETWEEN (auto).ci_low AND (auto).ci_high), count(*), 0.95), 'averages within automatic bounds: 95 %') FROM e;
-- All rows on a bound: the bound is the average, and belongs to the interval, which never goes beyond it.
CREATE TABLE edge AS SELECT dp_avg_estimate(0.3::float8, 1, 1e-6, -0.1, 0.3) AS up, dp_avg_estimate(0::float8, 1, 1e-6, 0, 1) AS down, dp_avg_estimate(64, 1, 1e-6) AS auto
FROM x GROUP BY g;
SELECT ok(bool_and(covers(hits, n, rate, false)), 'averages of rows that are all on a bound: at least the stated rate')
FROM (SELECT rate, which, count(*) AS n, count(*) FILTER (WHERE true_average BETWEEN low AND high) AS hits
	FROM edge, LATERAL (VALUES ('up', up, 0.3), ('down', down, 0), ('auto', auto, 64)) v(which, estimate, true_average),
		(VALUES (0.5), (0.95), (0.999)) r(rate), LATERAL dp_estimate_interval(estimate, rate) GROUP BY rate, which) h;
SELECT ok(bool_and((up).ci_low >= -0.1 AND (up).ci_high <= 0.3 AND (down).ci_low >= 0 AND (down).ci_high <= 1 AND (auto).ci_low >= (auto).lower_bound AND (auto).ci_high <= (auto).upper_bound),
	'and none beyond the bounds') FROM edge;
SELECT ok(bool_and(low >= -0.1 AND high <= 0.3), 'nor when re-read at a confidence that takes all of them') FROM edge, dp_estimate_interval(up, 1 - 1e-15);
SELECT throws_ok('SELECT dp_estimate_interval(a, 1) FROM e LIMIT 1', '22023', 'confidence is out of range: 1', 'confidence below 1');

-- Automatic bounds: no empty bin far away passes for values. The noise of 260 bins passes the threshold in one of 1e9 calls, and two
-- of 40,000 calls would have a probability below 1e-9; at a threshold of 4.47 standard deviations there are 17 of them. 30 rows stand
-- out at this epsilon. The noise grows with the bin's edge, 2^8 times only if eight empty neighbours in a row had passed at 2.3 % each.
CREATE TABLE fives AS SELECT 5 AS x FROM generate_series(1, 30);
CREATE TABLE five AS SELECT (dp_sum_estimate(x, 8, 1e-6)).stddev FROM generate_series(1, 40000) g, fives GROUP BY g;
SELECT is(count(*)::int, 40000, 'all calls') FROM five;
SELECT cmp_ok(count(*) FILTER (WHERE stddev > 200 * least)::int, '<=', 1, 'no empty bin far away is taken for values')
FROM five, (SELECT min(stddev) AS least FROM five) l;
SELECT ok(covers(count(*) FILTER (WHERE stddev > 1.5 * least), count(*), 0.02275), 'an empty neighbour at its stated rate')
FROM five, (SELECT min(stddev) AS least FROM five) l;

-- The tail of a distribution is not clamped off: 5,000 values of a Pareto law of index 3, most below 2, a few up to 21. In truth
-- the middle errors differ by a factor of 1.06, give or take 0.06; by one above 3 if the threshold were 6.84 for every bin, since 78 values
-- were clamped then.  Mean squares would be ruled by the rare calls in which several empty neighbours pass.
CREATE TABLE tail AS SELECT (1 - (i - 0.5) / 5000) ^ (-1 / 3.0)::float8 AS x FROM generate_series(1, 5000) i;
SELECT ok(found < 1.5 * given, 'the middle error with automatic bounds is below one and a half times that with the best given bounds')
FROM (SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(found - total)) AS found, percentile_cont(0.5) WITHIN GROUP (ORDER BY abs(given - total)) AS given
	FROM (SELECT dp_sum(x, 1, 1e-6) AS found, dp_sum(x, 1, 1e-6, 0, 8) AS given, sum(x) AS total
		FROM tail, generate_series(1, 1000) g GROUP BY g) r) q;

-- One joint release of mu against two of (epsilon / 2, delta / 2): both are (epsilon, delta)-DP. The other
-- side gets the best centre too. In truth the mean squares differ by a factor of 0.35.
SELECT ok(joint < 0.5 * halves, 'mean square error of dp_avg below half of that of the split')
FROM (SELECT avg((dp_avg - 49.5) ^ 2) AS joint, avg((50 + s / greatest(c, 1) - 49.5) ^ 2) AS halves
	FROM (SELECT dp_avg(v, 1, 1e-6, 0, 100), dp_sum(v - 50, 0.5, 5e-7, -50, 50) AS s, dp_count(0.5, 5e-7) AS c FROM x GROUP BY g) r) q;

SELECT * FROM finish();
ROLLBACK;
