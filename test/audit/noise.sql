\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The noise of released numbers: its scale, mean, shape, grid and independence.  Fixed sample sizes;
-- each statistic leaves its interval with a probability below 1e-7 when all is well, so that a test of
-- several fails by chance with one below 1e-6.
BEGIN;
\ir ../module/probe.sql
SELECT plan(31);

-- z of a tail of 3.3e-8, and the interval of chi-square with df degrees of freedom (Wilson and Hilferty).
\set z 5.4
CREATE FUNCTION chi_square_ok(x float8, df float8) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN
	x BETWEEN df * (1 - 2 / (9 * df) - 5.4 * sqrt(2 / (9 * df))) ^ 3 AND df * (1 - 2 / (9 * df) + 5.4 * sqrt(2 / (9 * df))) ^ 3;
-- The interval of a count that expects np: Chernoff's bound of a Poisson tail is e^-17 = 4.1e-8 at its ends.
CREATE FUNCTION count_ok(k float8, np float8) RETURNS boolean LANGUAGE sql IMMUTABLE RETURN
	CASE WHEN k = 0 THEN np < 17 ELSE np - k + k * ln(k / np) < 17 END;

-- Exact integers and released ones at n = 6,000 (attacks 4.1), groups of 0 to 6 rows.
CREATE TABLE few AS SELECT i, j FROM generate_series(1, 6000) i, LATERAL generate_series(1, i % 7) j;
CREATE TABLE calls (name text, call text, k float8);
INSERT INTO calls VALUES
	('count', 'probe_count(1, 1e-6) FILTER (WHERE j > 0)', 1), ('count(x)', 'probe_count(j, 0.1, 1e-3)', 1),
	('count(x, 5)', 'probe_count(j, 8, 1e-6, 5)', 5), ('sum of int4', 'probe_sum(j, 1, 1e-6, 0, 10)', 10),
	('sum of float8', 'probe_sum(j / 3.0::float8, 2, 1e-9, 0.7)', 0.7), ('sum of numeric', 'probe_sum(j::numeric, 1, 1e-6, -3, 2, 4)', 12),
	('avg of int8', 'probe_avg(j::int8, 1, 1e-6, 0, 10)', NULL), ('avg of float8', 'probe_avg(j::float8, 4, 1e-6, 1e3, 1e4, 2)', NULL);
CREATE FUNCTION draws(call text) RETURNS TABLE (i int, coordinate bigint, exact numeric, noisy numeric, sigma numeric, exponent int) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT s.i, u.o, u.e, u.n, u.s, u.x::int FROM
		(SELECT n.i, %s AS p FROM generate_series(1, 6000) n(i) LEFT JOIN few USING (i) GROUP BY n.i OFFSET 0) s,
		unnest((p).exact, (p).noisy, (p).sigma_int, (p).exponent) WITH ORDINALITY u(e, n, s, x, o)', call);
END $$;
CREATE TABLE drawn AS SELECT c.name, c.k, d.* FROM calls c, draws(c.call) d;
SELECT ok(good, label) FROM (SELECT count(*) = 6000 AND chi_square_ok(sum(((noisy - exact) / sigma)::float8 ^ 2), 6000) AND abs(sum(((noisy - exact) / sigma)::float8)) < :z * sqrt(6000)
		AND count_ok(count(*) FILTER (WHERE abs(noisy - exact) > 3 * sigma), 6000 * 0.0026998) AND count(*) FILTER (WHERE abs(noisy - exact) > 7 * sigma) = 0 AS good,
	name || ', coordinate ' || coordinate || ': standard deviation, mean and tails' AS label
FROM drawn GROUP BY name, coordinate ORDER BY label) s;
SELECT ok(good, label) FROM (SELECT abs(sum(((a.noisy - a.exact) / a.sigma * (b.noisy - b.exact) / b.sigma)::float8)) < :z * sqrt(6000) AS good, a.name || ': the coordinates are independent' AS label
FROM drawn a JOIN drawn b USING (name, i) WHERE a.coordinate = 1 AND b.coordinate = 2 GROUP BY a.name ORDER BY label) s;
SELECT ok(bool_and(abs(sigma::float8 * 2::float8 ^ exponent / s - 1) < 1e-8), 'sigma is the calibrated one')
FROM (SELECT *, CASE name WHEN 'count' THEN dp_gaussian_sigma(1, 1e-6, k) WHEN 'count(x)' THEN dp_gaussian_sigma(0.1, 1e-3, k)
	WHEN 'count(x, 5)' THEN dp_gaussian_sigma(8, 1e-6, k) WHEN 'sum of float8' THEN dp_gaussian_sigma(2, 1e-9, k)
	ELSE dp_gaussian_sigma(1, 1e-6, k) END AS s FROM drawn WHERE k IS NOT NULL) d;

-- What users see: dp_count rounds to a whole number, which adds 1/12 to the variance; dp_sum stays on the grid.  A count is more
-- than 13 off where the noise is beyond 13.5, 3.1955 standard deviations.
SELECT ok(chi_square_ok(sum((c - i % 7) ^ 2) / (dp_gaussian_sigma(1, 1e-6) ^ 2 + 1 / 12.0), 6000) AND abs(sum(c - i % 7)) < :z * sqrt((dp_gaussian_sigma(1, 1e-6) ^ 2 + 1 / 12.0) * 6000)
		AND count_ok(count(*) FILTER (WHERE abs(c - i % 7) > 13), 6000 * 0.0013958),
	'dp_count: standard deviation, mean and tails of 6,000 released counts')
FROM (SELECT n.i, dp_count(j, 1, 1e-6) AS c FROM generate_series(1, 6000) n(i) LEFT JOIN few USING (i) GROUP BY n.i) s;
SELECT ok(bool_and(v / 2::float8 ^ e = trunc(v / 2::float8 ^ e)) AND count(DISTINCT e) = 1, 'every dp_sum is a whole number of grid steps: ' || label)
FROM (SELECT label, dp_sum(x, 1, 1e-6, 2e6) AS v, (probe_sum(x, 1, 1e-6, 2e6)).exponent[1]::int AS e
	FROM (VALUES ('nothing', 0.0::float8), ('a third', 1 / 3.0::float8), ('a million and a tenth', 1e6 + 0.1)) t(label, x), generate_series(1, 20000) i GROUP BY label, i) s
GROUP BY label;

-- The trailing bits say nothing of the total (attacks 1.3): out/g mod 8 at a total of 0 and of 2^40 steps.
CREATE TABLE bits AS SELECT label, mod(mod((p).noisy[1], 8) + 8, 8) AS bit, count(*) AS n
FROM (SELECT label, probe_sum(x, 1, 1e-6, 1024) AS p FROM (VALUES ('zero', 0.0::float8, 1), ('large', 1024, 64)) v(label, x, m),
	LATERAL generate_series(1, 40000) i, LATERAL generate_series(1, m) j GROUP BY label, i) s GROUP BY 1, 2;
SELECT ok(count(*) = 8 AND sum((n - 5000) ^ 2 / 5000) < 43.9, 'the last three bits are uniform: ' || label) FROM bits GROUP BY label;
SELECT ok(sum((a.n - b.n) ^ 2 / (a.n + b.n)) < 43.9, 'and alike for both totals') FROM bits a JOIN bits b USING (bit) WHERE a.label = 'zero' AND b.label = 'large';

-- The server's source through the sampler: exact law at sigma 2 and 37, and 330,000 draws at 2^30.
SELECT ok(chi < cells * (1 - 2 / (9.0 * cells) + 5.4 * sqrt(2 / (9.0 * cells))) ^ 3, 'chi-square at sigma ' || s || ' over ' || cells || ' cells')
FROM (VALUES (2), (37)) v(s), LATERAL (SELECT sum((coalesce(seen, 0) - expected) ^ 2 / expected) AS chi, count(*)::int - 1 AS cells FROM
	(SELECT y, 100000 * exp(-y * y / (2.0 * s * s)) / sum(exp(-y * y / (2.0 * s * s))) OVER () AS expected FROM generate_series(-20 * s, 20 * s) y) law
	LEFT JOIN (SELECT y, count(*) AS seen FROM unnest(test_noise(s, 100000)) y GROUP BY y) d USING (y) WHERE expected >= 10) c;
CREATE TABLE many AS SELECT o, y / 1073741824.0::float8 AS z, y FROM unnest(test_noise(1073741824, 330000)) WITH ORDINALITY u(y, o);
SELECT ok(chi_square_ok(sum(z * z), 330000) AND abs(sum(z)) < :z * sqrt(330000), 'sigma to one per cent, and the mean') FROM many;
SELECT ok(count_ok(count(*) FILTER (WHERE abs(z) > 3), 330000 * 2.6998e-3) AND count_ok(count(*) FILTER (WHERE abs(z) > 4), 330000 * 6.3342e-5)
	AND count_ok(count(*) FILTER (WHERE abs(z) > 4.5), 330000 * 6.7953e-6), 'the tails beyond 3, 4 and 4.5 sigma') FROM many;
SELECT ok(abs(sum(a.z * b.z)) < :z * sqrt(329999), 'draws that follow each other are uncorrelated') FROM many a JOIN many b ON b.o = a.o + 1;

-- The random source (attacks 1.9).
SELECT ok(count(DISTINCT y) >= count(*) - 1, 'no value twice among 1,024 draws, but for chance') FROM (SELECT y FROM many LIMIT 1024) t;
\set draws `for i in $(seq 64); do printf '%s\n' '\connect' "SELECT string_agg(x::text, ' ') FROM (SELECT dp_sum(0.0::float8, 1, 1e-6, 1) AS x FROM generate_series(1, 16) i GROUP BY i) s;"; done | psql -qXAt -d :'DBNAME' | tr '\n' ' '`
SELECT ok(count(*) = 1024 AND count(DISTINCT x) >= 1023, '64 connections never repeat each other') FROM regexp_split_to_table(trim(:'draws'), ' ') x;
SELECT setseed(0.5);
SELECT dp_sum(0.0::float8, 1, 1e-6, 1) AS first \gset
SELECT setseed(0.5);
SELECT ok(:first <> dp_sum(0.0::float8, 1, 1e-6, 1), 'setseed has no say');
PREPARE again AS SELECT dp_sum(0.0::float8, 1, 1e-6, 1) AS x;
EXECUTE again \gset a_
EXECUTE again \gset b_
SELECT ok(:a_x <> :b_x, 'a prepared statement draws anew each time');
-- One draw from a buffer that was empty leaves some: where earlier draws end in it is left to chance.
SELECT test_entropy_fails(false) \g /dev/null
SELECT dp_sum(0.0::float8, 1, 1e-6, 1) IS NULL \g /dev/null
SELECT ok((test_entropy())[1] BETWEEN 1 AND 1023 AND (test_entropy())[2] = 0, 'used random words are zeroed');
SELECT ok(test_entropy_other_process() = 0, 'a child process would find no random word of its parent');
SELECT * FROM finish();
ROLLBACK;
