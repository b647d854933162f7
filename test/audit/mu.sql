\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Black-box audit (attacks 4.2): outputs on neighbouring tables, told apart by a threshold, give a lower
-- bound of mu that holds with confidence 1 - 1e-6 whatever the mechanism.  It must not pass what is paid.
-- 2,000 outputs a side at epsilon 8 show a sensitivity that is too small by half.  So do 500 where a simple statistic tells
-- (nearly) all of mu = 1.53: at twice that, one in 16 outputs of a side falls on the wrong side of the threshold, and the bound is 2.25, or
-- 1.69 where 5 standard deviations more of both sides do; the shift, of which 0.42 are allowed, is 1.2 off, with a standard deviation of .08.  Where no bounds are
-- found all answers are 0: 500 a side notice a row that shows in half of its side's, by a bound of 1.64.
BEGIN;
\ir ../module/probe.sql
\ir ../module/size.sql
\set n 2000

-- Aggregates, each with what its last person adds: rows of x at an extreme, and the statistic of the
-- released value that tells best (direction -1 where it falls).  reach is the part of mu by which that
-- statistic shifts; NULL where nothing simple is known of it.  Answers that are whole numbers are rounded
-- after the noise, which adds the variance of a rounding, 1/12.
CREATE TABLE calls (call text, type text, x text, rows int, h text, direction int, reach float8);
CREATE FUNCTION rounded(part float8, sensitivity float8) RETURNS float8 LANGUAGE sql AS 'SELECT part / sqrt(1 + (gdp.mu(8, 1e-6) / sensitivity)^2 / 12)';
INSERT INTO calls
SELECT c.call, t.type, e.x, c.rows, c.h, CASE WHEN e.x::float8 < c.centre THEN -1 ELSE 1 END,
	CASE WHEN c.call LIKE 'dp_sum(%, -100, 10%' AND e.x::float8 > 0 THEN 0.1 ELSE 1 END
FROM (VALUES ('dp_sum(x, 8, 1e-6, 100)', 1, 'a', 0), ('dp_sum(x, 8, 1e-6, -100, 10)', 1, 'a', 0), ('dp_sum(x, 8, 1e-6, -100, 10, 5)', 5, 'a', 0),
		-- noise is split 3 : 1, so num/num_sd and den/den_sd shift by sqrt(3)/2 and 1/2 of mu
		('dp_avg_estimate(x, 8, 1e-6, -100, 10)', 1, '(a).num / (a).num_sd * sqrt(3) + direction * (a).den / (a).den_sd', -45),
		('dp_avg_estimate(x, 8, 1e-6, -100, 100, 5)', 5, '(a).num / (a).num_sd * sqrt(3) + direction * (a).den / (a).den_sd', 0)) c(call, rows, h, centre),
	unnest(ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']) t(type), (VALUES ('-32768'), ('32767')) e(x);
INSERT INTO calls
SELECT c.call, t.type, e.x, 1, c.h, CASE WHEN e.x::float8 < 0 THEN -1 ELSE 1 END, CASE WHEN e.x = 'NaN' THEN 0 ELSE c.reach END
FROM (VALUES ('dp_sum(x, 8, 1e-6, -100, 100)', 'a', 1), ('dp_avg_estimate(x, 8, 1e-6, -100, 100)', '(a).num / (a).num_sd', sqrt(3) / 2)) c(call, h, reach),
	unnest(ARRAY['float4', 'float8', 'numeric']) t(type), (VALUES ('Infinity'), ('-Infinity'), ('NaN'), ('1e30')) e(x);
INSERT INTO calls VALUES ('dp_count(8, 1e-6)', 'int', '1', 1, 'a', 1, rounded(1, 1)), ('dp_count(x, 8, 1e-6)', 'text', 'a', 1, 'a', 1, rounded(1, 1)),
	('dp_count(x, 8, 1e-6, 5)', 'jsonb', '1', 5, 'a', 1, rounded(1, 5)), ('dp_count(true, 8, 1e-6, 7.5)', 'int', NULL, 7, 'a', 1, rounded(7 / 7.5, 7.5)),
	('dp_count(DISTINCT x, 8, 1e-6)', 'int', '9', 1, 'a', 1, rounded(1, 1));
INSERT INTO calls
SELECT c.call, t.type, e.x, c.rows, c.h, CASE WHEN e.x::float8 < 0 THEN -1 ELSE 1 END, c.reach
FROM (VALUES ('dp_var(x, 8, 1e-6, -100, 100)', 1, 'direction * a', NULL), ('dp_stddev(x, 8, 1e-6, -100, 100, 5)', 5, 'direction * a', NULL), ('dp_median(x, 8, 1e-6, -100, 100)', 1, 'a', NULL),
		('dp_quantile(x, 8, 1e-6, -100, 100, 0.9)', 1, 'a', NULL), ('dp_quantile(x, 8, 1e-6, -100, 100, 1)', 1, 'a', NULL), ('dp_sum(x, 8, 1e-6)', 1, 'a', NULL), ('dp_avg(x, 8, 1e-6)', 1, 'a', NULL),
		('dp_histogram(x, 8, 1e-6, -100, 100, 4)', 1, 'a[2.5 + direction * 1.5] * direction', rounded(1, 1))) c(call, rows, h, reach),
	unnest(ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']) t(type), (VALUES ('-32768'), ('32767')) e(x);
INSERT INTO calls VALUES
	-- two bins: C is (.894, 0; .447, 1), and what tells best of a row is its column times C x
	('dp_cdf(x, 8, 1e-6, -100, 100, 2)', 'float8', '-300', 1, '(1 - sqrt(0.2)) * a[1] + sqrt(0.2) * a[2]', 1, 1), ('dp_cdf(x, 8, 1e-6, -100, 100, 2)', 'numeric', '300', 1, 'a[2] - (1 - sqrt(0.2)) * a[1]', 1, 1),
	('dp_quantiles(x, 8, 1e-6, -100, 100, ''{0.2,0.5,0.8}'')', 'float8', '-300', 1, 'a[1] + a[2]', -1, NULL), ('dp_quantiles(x, 8, 1e-6, -100, 100, ''{0.2,0.5,0.8}'')', 'int4', '300', 1, 'a[2] + a[3]', 1, NULL),
	('dp_regression(x, 8, 1e-6, -100, 100, -50, 50)', 'float8[]', '{300,-300}', 1, '(a).n', 1, sqrt(1 / 12.0)),
	('dp_median(x, 8, 1e-6, 3, 4)', 'int4', '-9', 1, 'a', -1, NULL), ('dp_median(x, 8, 1e-6, 3, 4)', 'float8', '-9', 1, 'a', -1, NULL),
	('dp_sum(x, 8, 1e-6, 7, 4)', 'float8[]', '{300,-400,0,0}', 1, '0.6 * a[1] - 0.8 * a[2]', 1, 1), ('dp_sum(x, 8, 1e-6, 7, 4)', 'float8[]', '{1,1,1,1}', 1, 'a[1] + a[2] + a[3] + a[4]', 1, 2 / 7.0),
	('dp_sum(x, 8, 1e-6, 1e9, 2)', 'float8[]', '{Infinity,-Infinity}', 1, 'a[1] - a[2]', 1, 1), ('dp_avg(x, 8, 1e-6, 7, 4)', 'float8[]', '{0,0,0,-1e300}', 1, 'a[4]', -1, NULL);
-- Each call of each type with one of both ends, by turns; in the long form with both.
DELETE FROM calls WHERE sized(10) = 1 AND x IN ('-32768', '32767')
	AND (array_position(ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'], type) + (x = '32767')::int + length(call)) % 2 = 0;
SELECT plan((count(*) * 2)::int + 7) FROM calls;

-- Both sides interleaved, half of them as a pilot that finds the threshold.  Where no bounds are found the answer is always 0, and nothing is told.
CREATE FUNCTION audit(call text, type text, x text, copies int, h text, direction int, n int) RETURNS TABLE (bounded float8, tight float8) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('WITH outputs AS (
			SELECT i, side, (%5$s * (%4$s))::float8 AS h FROM (SELECT i, side, %1$s AS a FROM generate_series(1, %6$s * 2) i,
				(SELECT side, %8$s::%7$s AS x FROM generate_series(0, 1) side, generate_series(1, 3) j UNION ALL SELECT 1, %2$L::%7$s FROM generate_series(1, %3$s)) t
				GROUP BY i, side) s),
			threshold AS (SELECT avg(h) AS t, abs(avg(h) FILTER (WHERE side = 1) - avg(h) FILTER (WHERE side = 0)) / NULLIF(sqrt((var_samp(h) FILTER (WHERE side = 1) + var_samp(h) FILTER (WHERE side = 0)) / 2), 0) AS shift
				FROM outputs WHERE i <= %6$s)
		SELECT test_audit_mu(count(*) FILTER (WHERE side = 0 AND h > t), count(*) FILTER (WHERE side = 1 AND h <= t), %6$s, 1e-6), max(shift)
		FROM outputs, threshold WHERE i > %6$s', call, x, copies, replace(h, 'direction', direction::text), direction, n, type,
		CASE WHEN type LIKE '%[]' THEN 'ARRAY[0, 0, 0, 0]' ELSE '(j * 2)::text' END);
END $$;
SELECT unnest(ARRAY[ok(bounded <= gdp.mu(8, 1e-6), call || ', ' || coalesce(x, 'NULL') || '::' || type || ': no more is told than is paid for'),
	-- the shift is a difference of two means of n outputs over their standard deviation: 6 of its own are allowed
	ok(reach IS NULL OR abs(tight - reach * gdp.mu(8, 1e-6)) < 6 * sqrt((2 + (reach * gdp.mu(8, 1e-6))^2 / 4) / n),
		format('and as much as should be: %s', tight))])
FROM (SELECT *, CASE WHEN reach >= 0.8 OR call ~ '^dp_(sum|avg)[(]x, 8, 1e-6[)]$' THEN 500 ELSE :n END AS n FROM calls) c, audit(call, type, x, rows, h, direction, n);
-- Two leaves, 3 and 4, have one edge between them, which all questions of a quantile ask for: rows 2, 4 and 6 are half a row off there, and
-- one more below makes it none.  Then which of both is answered tells all that is paid for.
SELECT cmp_ok(bounded, '>', 0.7 * gdp.mu(8, 1e-6), 'a quantile spends what it is charged') FROM audit('dp_median(x, 8, 1e-6, 3, 4)', 'int4', '-9', 1, 'a', -1, :n);
SELECT cmp_ok(bounded, '>', 0.5 * gdp.mu(8, 1e-6), 'and several') FROM audit('dp_quantiles(x, 8, 1e-6, 3, 4, ''{0.5}'')', 'int4', '-9', 1, 'a[1]', -1, :n);
-- Whether bounds are found at all, where five rows are as many as stand out in every second answer, and six in nine of ten.
SELECT unnest(ARRAY[cmp_ok(bounded, '<=', gdp.mu(8, 1e-6), 'bounds as an answer: no more is told than is paid for'), cmp_ok(bounded, '>', 0.6 * gdp.mu(8, 1e-6), 'and what is charged is spent')])
FROM (SELECT test_audit_mu(count(*) FILTER (WHERE side = 0 AND b[2] < 1e300), count(*) FILTER (WHERE side = 1 AND NOT b[2] < 1e300), :n, 1e-6) AS bounded
	FROM (SELECT side, dp_bounds(300, 8, 1e-6) AS b FROM generate_series(1, :n) i, generate_series(0, 1) side, generate_series(1, 5 + side) GROUP BY i, side) s) t;
-- An average whose values lie close together: 60 rows of 1000, in whose narrow bounds one of 1e6 is at the upper end; and whether it looks closer at all, where
-- 38 rows are as many as decide that.  All four levels are asked, which leaves 3/8 of mu^2 to tell the row by, 0.61 of mu: at a large epsilon so many outputs show
-- .52 of it, with a standard deviation of .014 (.41 and .03 at epsilon 8).
SELECT unnest(ARRAY[cmp_ok(bounded, '<=', gdp.mu(30, 1e-6), 'narrow bounds: no more is told than is paid for'), cmp_ok(bounded, '>', 0.4 * gdp.mu(30, 1e-6), 'and much of it is')])
FROM (SELECT test_audit_mu(count(*) FILTER (WHERE side = 0 AND h > t), count(*) FILTER (WHERE side = 1 AND NOT h > t), :n, 1e-6) AS bounded
	FROM (SELECT side, h, avg(h) FILTER (WHERE i > :n) OVER () AS t, i FROM (SELECT i, side, (a).num / (a).num_sd * sqrt(3) + (a).den / (a).den_sd AS h
		FROM (SELECT i, side, dp_avg_auto_estimate(CASE j WHEN 0 THEN 1e6 ELSE 1000 END, 30, 1e-6) AS a FROM generate_series(1, :n * 2) i, generate_series(0, 1) side, generate_series(1 - side, 60) j GROUP BY i, side) s) s) s WHERE i <= :n) t;
SELECT cmp_ok(bounded, '<=', gdp.mu(8, 1e-6), 'and by whether they are looked for')
FROM (SELECT test_audit_mu(count(*) FILTER (WHERE side = 0 AND narrow), count(*) FILTER (WHERE side = 1 AND NOT narrow), :n, 1e-6) AS bounded
	FROM (SELECT side, (a).upper_bound - (a).lower_bound < 400 AS narrow FROM (SELECT side, dp_avg_auto_estimate(1000, 8, 1e-6) AS a FROM generate_series(1, :n) i, generate_series(0, 1) side, generate_series(1, 38 + side) GROUP BY i, side) s) s) t;
SELECT * FROM finish();
ROLLBACK;
