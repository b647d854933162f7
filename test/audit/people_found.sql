\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Black-box audit of max_rows that is found: which number comes out tells of no person more than the quarter of mu^2 that pays for it.
BEGIN;
SET LOCAL client_min_messages = warning;
\ir ../module/probe.sql
SELECT plan(5);
-- At epsilon 2 noise of the histogram is 4.46: 24 people with 16 rows each are seen half of the time, or 25 with the one who has 10,000.
CREATE TABLE with_one (customer int NOT NULL);
INSERT INTO with_one SELECT c FROM generate_series(1, 24) c, generate_series(1, 16);
CREATE TABLE without (LIKE with_one);
INSERT INTO without TABLE with_one;
CREATE TABLE same (LIKE with_one);
INSERT INTO same TABLE with_one;
INSERT INTO same SELECT 0 FROM generate_series(1, 16);
INSERT INTO with_one SELECT 0 FROM generate_series(1, 10000);
DO $$BEGIN PERFORM gaussdp.protect(t, unit => 'customer', max_rows => 0) FROM unnest('{with_one, without, same}'::regclass[]) t; END$$;
CREATE FUNCTION found(t regclass, n int) RETURNS TABLE (k float8) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		EXECUTE format('SELECT dp_count(2, 1e-6) FROM %s', t);
		RETURN QUERY SELECT a.max_rows FROM gaussdp.last_answer AS a WHERE a.call = 'dp_count' ORDER BY a.at DESC LIMIT 1;
	END LOOP;
END $$;
SET LOCAL gaussdp.as_analyst = on;
\set n 400
CREATE TABLE runs AS SELECT t::text, f.k FROM unnest('{with_one, without, same}'::regclass[]) t, found(t, :n) f;
SELECT ok(count(*) FILTER (WHERE k > 1) BETWEEN 80 AND 320, 'people at the edge of the noise are seen in some runs, and not in others') FROM runs WHERE t = 'without';
SELECT ok(bounded <= gdp.mu(2, 1e-6) / 2, format('one person more in a bin: mu of %s at least, %s paid', round(bounded::numeric, 3), round((gdp.mu(2, 1e-6) / 2)::numeric, 3)))
FROM (SELECT test_audit_mu(count(*) FILTER (WHERE t = 'without' AND k > 1), count(*) FILTER (WHERE t = 'same' AND k = 1), :n, 1e-6) AS bounded FROM runs) b;
SELECT ok(bounded <= gdp.mu(2, 1e-6) / 2, 'one with 10,000 rows: no more either')
FROM (SELECT test_audit_mu(count(*) FILTER (WHERE t = 'without' AND k > 1), count(*) FILTER (WHERE t = 'with_one' AND k = 1), :n, 1e-6) AS bounded FROM runs) b;
-- Noise alone raises k above 64 in one run of 700 (simulated 2 million times: 0.0014), and so in eight of these with a probability below 1e-6; one person who
-- was found would do it in half of them.
SELECT ok(count(*) FILTER (WHERE k > 64) <= 7, 'whose own number of rows is not found') FROM runs WHERE t = 'with_one';
-- A quarter of mu^2 is half of mu: the share of runs that see 24 people with noise of 2/mu, +-5 standard deviations.
SELECT ok(abs(seen - expected) < 5 * 0.5 / sqrt(:n), format('the noise is that of a quarter of mu^2: %s seen, %s expected', seen, round(expected::numeric, 3)))
FROM (SELECT (count(*) FILTER (WHERE k > 1))::float8 / :n AS seen FROM runs WHERE t = 'without') r,
	(SELECT (1 - gdp.delta(2 * (5.5 - 24 / sigma), 0)) / 2 AS expected FROM (SELECT 2 / gdp.mu(2, 1e-6) AS sigma) s) e;
SELECT * FROM finish();
ROLLBACK;
