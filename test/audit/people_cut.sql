\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Black-box audit of gaussdp.cut_share: what is said to be cut off tells of no person more than the share of mu^2 that pays for it, and together with the
-- number itself no more than the whole.
BEGIN;
SET LOCAL client_min_messages = warning;
\ir ../module/probe.sql
SELECT plan(6);
-- At epsilon 2 and a share of 0.16 noise of the histogram is 5.58: 30 people with 16 rows each stand out of it half of the time, or 31 with the one who has 10,000.
CREATE TABLE with_one (customer int NOT NULL);
INSERT INTO with_one SELECT c FROM generate_series(1, 30) c, generate_series(1, 16);
CREATE TABLE without (LIKE with_one);
INSERT INTO without TABLE with_one;
CREATE TABLE same (LIKE with_one);
INSERT INTO same TABLE with_one;
INSERT INTO same SELECT 0 FROM generate_series(1, 16);
INSERT INTO with_one SELECT 0 FROM generate_series(1, 10000);
DO $$BEGIN PERFORM gaussdp.protect(t, unit => 'customer', max_rows => 4) FROM unnest('{with_one, without, same}'::regclass[]) t; END$$;
CREATE FUNCTION said(t regclass, n int) RETURNS TABLE (answer float8, cut float8, most float8) LANGUAGE plpgsql AS $$
BEGIN
	FOR i IN 1 .. n LOOP
		EXECUTE format('SELECT dp_count(2, 1e-6) FROM %s', t) INTO answer;
		SELECT a.cut, a.cut_at_most INTO cut, most FROM gaussdp.last_answer AS a WHERE a.call = 'dp_count' ORDER BY a.at DESC LIMIT 1;
		RETURN NEXT;
	END LOOP;
END $$;
SET LOCAL gaussdp.as_analyst = on;
SET LOCAL gaussdp.cut_share = 0.16;
\set n 400
CREATE TABLE runs AS SELECT t::text, s.* FROM unnest('{with_one, without, same}'::regclass[]) t, said(t, :n) s;
SELECT ok(count(cut) BETWEEN 80 AND 320, 'people at the edge of the noise are seen in some runs, and not in others') FROM runs WHERE t = 'without';
SELECT ok(bounded <= gdp.mu(2, 1e-6) * 0.4, format('one person more in a bin: mu of %s at least, %s paid', round(bounded::numeric, 3), round((gdp.mu(2, 1e-6) * 0.4)::numeric, 3)))
FROM (SELECT test_audit_mu(count(*) FILTER (WHERE t = 'without' AND cut IS NOT NULL), count(*) FILTER (WHERE t = 'same' AND cut IS NULL), :n, 1e-6) AS bounded FROM runs) b;
SELECT ok(bounded <= gdp.mu(2, 1e-6) * 0.4, 'one with 10,000 rows: no more either')
FROM (SELECT test_audit_mu(count(*) FILTER (WHERE t = 'without' AND cut IS NOT NULL), count(*) FILTER (WHERE t = 'with_one' AND cut IS NULL), :n, 1e-6) AS bounded FROM runs) b;
-- 4 rows of each count: half of the answers are above 120 without and above 124 with the one person more.
SELECT ok(bounded <= gdp.mu(2, 1e-6), format('together with the number: mu of %s at least, %s paid', round(bounded::numeric, 3), round(gdp.mu(2, 1e-6)::numeric, 3)))
FROM (SELECT test_audit_mu(count(*) FILTER (WHERE t = 'without' AND tells), count(*) FILTER (WHERE t = 'with_one' AND NOT tells), :n, 1e-6) AS bounded
	FROM (SELECT t, (answer - 122) * gdp.mu(2, 1e-6) / 4 + CASE WHEN cut IS NULL THEN -0.4 ELSE 0.4 END > 0 AS tells FROM runs) r) b;
-- Of 30 people with 16 rows 4 rows cut off three quarters, of whom nothing is known between 8 and 16: 0.64.  With the one who has 10,000 rows it would be 0.99.
-- Noise alone puts people so far up in one run of 900 (simulated 2 million times: 0.0011), and so in eight of these with a probability below 1e-6; one person who was
-- found would do it in half of them.
SELECT ok(count(*) FILTER (WHERE cut > 0.9) <= 7, 'of one person alone it is not said what is cut off') FROM runs WHERE t = 'with_one';
-- The share of runs that see 30 people with noise of 2.5/mu, +-5 standard deviations.
SELECT ok(abs(seen - expected) < 5 * 0.5 / sqrt(:n), format('the noise is that of 0.16 of mu^2: %s seen, %s expected', seen, round(expected::numeric, 3)))
FROM (SELECT count(cut)::float8 / :n AS seen FROM runs WHERE t = 'without') r,
	(SELECT (1 - gdp.delta(2 * (5.5 - 30 / sigma), 0)) / 2 AS expected FROM (SELECT 2.5 / gdp.mu(2, 1e-6) AS sigma) s) e;
SELECT * FROM finish();
ROLLBACK;
