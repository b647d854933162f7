\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.cut_share: where max_rows or C is given, a part of the price of each call says what that cuts off, and the whole price is the same.
SET client_min_messages = warning;
CREATE TABLE buy (customer int NOT NULL, month int NOT NULL, amount float8 NOT NULL);
-- 2,000 customers with 1 to 25 purchases each, in up to 12 months
INSERT INTO buy SELECT c, 1 + (c * 7 + i * 5) % 12, 1 + (c * i) % 100 FROM generate_series(1, 2000) c, generate_series(1, 1 + c % 25) i;
CREATE TABLE month (month int PRIMARY KEY);
INSERT INTO month SELECT generate_series(1, 12);
CREATE TABLE once (customer int PRIMARY KEY);
INSERT INTO once SELECT generate_series(1, 500);
CREATE TYPE kind AS ENUM ('small', 'large');
CREATE TABLE named (customer int NOT NULL, kind kind NOT NULL);
INSERT INTO named SELECT c, 'small' FROM generate_series(1, 100) c, generate_series(1, 5);
CREATE ROLE cut_ana;
GRANT SELECT ON month TO cut_ana;
SELECT gaussdp.protect('buy', unit => 'customer', max_rows => 5), gaussdp.protect('once', unit => 'customer'), gaussdp.protect('named', unit => 'customer', max_rows => 5),
	gaussdp.set_public_keys('buy', 'month', 'month', 'month'), gaussdp.set_bounds('buy', 'amount', 0, 100) \g /dev/null
SELECT gaussdp.grant_budget('cut_ana', t, epsilon => 1000, delta => 1e-2, reuse_answers => '1 hour') FROM unnest('{buy, once, named}'::regclass[]) t \g /dev/null
SELECT no_plan();
SELECT is(current_setting('gaussdp.cut_share'), '0', 'nothing is bought unless it is asked for');
SELECT throws_ok(format('SET gaussdp.cut_share = %s', share), '22023', NULL, 'from nothing to a quarter, and not ' || share) FROM unnest('{-0.01, 0.26, NaN}'::text[]) share;

-- Prices, to the last unit
CREATE FUNCTION explained(share float8, query text) RETURNS TABLE (call text, sigma float8, mu_squared float8, hint text) LANGUAGE plpgsql AS $$
BEGIN
	PERFORM set_config('gaussdp.cut_share', share::text, true);
	SET LOCAL ROLE cut_ana;
	RETURN QUERY SELECT e.call, e.sigma, e.mu_squared, e.hint FROM gaussdp.explain_privacy(query, exact => true) AS e;
	RESET ROLE;
END $$;
CREATE FUNCTION charged(share float8, query text, OUT kinds text, OUT mu2 float8, OUT of_histograms float8) LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT coalesce(max(charge), 0) FROM gaussdp.journal);
BEGIN
	PERFORM set_config('gaussdp.cut_share', share::text, true);
	SET LOCAL ROLE cut_ana;
	EXECUTE query;
	RESET ROLE;
	SELECT string_agg(kind, ', ' ORDER BY charge, item), sum(j.mu2), coalesce(sum(j.mu2) FILTER (WHERE kind = 'max_rows'), 0) INTO kinds, mu2, of_histograms FROM gaussdp.journal AS j WHERE charge > before AND kind IS NOT NULL;
END $$;
-- of_histograms: what part of the whole price they have where the setting is 0.1
CREATE TABLE asked (query text, kinds text, of_histograms float8);
INSERT INTO asked VALUES
	('SELECT dp_count(1, 1e-6) FROM buy', 'max_rows, dp_count', 0.1),
	('SELECT dp_sum(amount, 1, 1e-6), dp_count(0.5, 1e-6), dp_avg(amount, 1, 1e-6) FROM buy', 'max_rows, dp_sum, dp_count, dp_avg', 0.1),
	('SELECT dp_count(true, 1, 1e-6, 7) FROM buy', 'max_rows, dp_count', 0.1),
	('SELECT month, dp_count(DISTINCT customer, 1, 1e-6, 2) FROM buy GROUP BY month', 'max_rows, dp_count', 0.1),
	('SELECT month, dp_count(1, 1e-6) FROM buy GROUP BY ROLLUP (month)', 'max_rows, dp_count', 0.1),
	('SELECT month, dp_count(1, 1e-6) FROM buy GROUP BY month HAVING dp_count(1, 1e-6) > 400', 'max_rows, dp_count', 0.1),
	('SELECT dp_count(DISTINCT customer, 1, 1e-6) FROM buy', 'dp_count', 0),
	('SELECT dp_count(DISTINCT month, 1, 1e-6) FROM buy', 'dp_count', 0),
	('SELECT dp_count(1, 1e-6) FROM once', 'dp_count', 0);
CREATE TABLE paid AS SELECT a.*, c.kinds AS charged, c.mu2, c.of_histograms AS for_histograms, (SELECT sum(mu_squared) FROM explained(0.1, query)) AS told, (charged(0, query)).mu2 AS without FROM asked AS a, charged(0.1, query) AS c;
SELECT is(charged, kinds, 'histograms are bought where something may be cut off: ' || query) FROM paid;
SELECT ok(abs(mu2 / without - 1) < 1e-8 AND abs(mu2 / told - 1) < 1e-8, 'at the price without them, as explain_privacy says: ' || query) FROM paid;
SELECT ok(abs(for_histograms / mu2 - of_histograms) < 1e-8, 'of which they have their share: ' || query) FROM paid;
SELECT ok(abs(w.sigma / o.sigma - 1 / sqrt(0.84)) < 1e-8, 'each call keeps the rest') FROM explained(0.16, 'SELECT dp_count(1, 1e-6) FROM buy') w JOIN explained(0, 'SELECT dp_count(1, 1e-6) FROM buy') o USING (call) WHERE call = 'dp_count';
SELECT ok(hint ~ 'what the max_rows of the calls cuts off: gaussdp.cut_share', 'and it is said what they are for') FROM explained(0.16, 'SELECT dp_count(1, 1e-6) FROM buy') WHERE call = 'max_rows';

-- What is cut off, beside the truth, by everything that says it.  At epsilon 15 noise of the histogram is about 1.2: four empty bins in a row above
-- two standard deviations, which would be off by 5 percent, are seen once in 3 million.
CREATE TABLE truths AS SELECT 5 AS k, sum(greatest(n - 5, 0)) / sum(n) AS of_rows, sum(greatest(v - 5, 0)) / sum(v) AS of_values, sum(sqrt(m) - 1) / sum(sqrt(m)) AS of_people
FROM (SELECT count(*)::float8 AS n, sum(amount) / 100 AS v, count(DISTINCT month)::float8 AS m FROM buy GROUP BY customer) p;
GRANT SELECT ON truths TO cut_ana;
SET ROLE cut_ana;
SET gaussdp.cut_share = 0.1;
SELECT ok(dp_count(15, 1e-6) < 15000, 'five rows are counted of each') FROM buy;
SELECT ok(abs(cut - of_rows) < 0.05 AND cut_at_most BETWEEN cut AND 1 AND max_rows = 5 AND is_found IS NULL, format('which cuts off %s, and %s is said', round(of_rows::numeric, 2), round(cut::numeric, 2)))
FROM gaussdp.last_answer, truths WHERE call = 'dp_count';
SELECT (e).cut AS cut, (e).cut_at_most AS most FROM (SELECT dp_sum_estimate(amount, 15, 1e-6) AS e FROM buy) s \gset
SELECT ok(abs(:cut - of_values) < 0.07, format('of a sum by its values: %s, and %s is said', round(of_values::numeric, 2), round(:cut, 2))) FROM truths;
SELECT is(ROW(:cut::float8, :most::float8), ROW(cut, cut_at_most), 'by its estimate, too') FROM gaussdp.last_answer WHERE call = 'dp_sum_estimate';
SELECT month, dp_count(DISTINCT customer, 15, 1e-6, 1) FROM buy GROUP BY month \g /dev/null
SELECT ok(abs(cut - of_people) < 0.1, format('of people by groups: %s, and %s is said', round(of_people::numeric, 2), round(cut::numeric, 2))) FROM gaussdp.last_answer, truths WHERE call = 'dp_count';
SELECT ok(dp_count(true, 15, 1e-6, 40) > 25000, 'with 40 rows nearly all of them count') FROM buy;
SELECT ok(cut < 0.05, 'and it is said that nothing is cut off') FROM gaussdp.last_answer WHERE call = 'dp_count';
-- As it is found beside it
RESET ROLE;
SELECT gaussdp.protect('buy', max_rows => 0) \g /dev/null
SELECT ok(abs(mu2 / (SELECT sum(mu_squared) FROM explained(0, 'SELECT dp_count(1, 1e-6) FROM buy')) - 2) < 1e-8 AND abs(of_histograms / mu2 - (0.1 + 0.25) / 2) < 1e-8, 'where rows are found, a C that is given pays for its own')
FROM charged(0.1, 'SELECT month, dp_count(1, 1e-6), dp_count(DISTINCT customer, 1, 1e-6, 2) FROM buy GROUP BY month');
SELECT gaussdp.protect('buy', max_rows => 5) \g /dev/null

-- An answer that is shown again says the same, and one without histograms is another
SET gaussdp.reuse_answers = -1;
SET ROLE cut_ana;
CREATE TEMP TABLE said AS SELECT 0 AS turn, 0::float8 AS answer, l.* FROM gaussdp.last_answer l LIMIT 0;
CREATE FUNCTION pg_temp.ask(turn int, share float8) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	answer float8;
BEGIN
	PERFORM set_config('gaussdp.cut_share', share::text, true);
	SELECT dp_count(3, 1e-6) INTO answer FROM buy;
	INSERT INTO said SELECT turn, answer, l.* FROM gaussdp.last_answer l;
END $$;
SELECT pg_temp.ask(1, 0.1) \g /dev/null
SELECT pg_temp.ask(2, 0.1) \g /dev/null
SELECT pg_temp.ask(3, 0) \g /dev/null
SELECT pg_temp.ask(4, 0.2) \g /dev/null
CREATE TEMP VIEW turns AS SELECT turn, min(answer) AS answer, min(cut) AS cut, min(at) AS at, sum(mu_squared) AS paid FROM said GROUP BY turn;
SELECT is(ROW(b.answer, b.cut, b.paid), ROW(a.answer, a.cut, 0::float8), 'an answer that is shown again says what it cuts off, for nothing') FROM turns a, turns b WHERE a.turn = 1 AND b.turn = 2;
SELECT ok(bool_and(paid > 0) AND count(DISTINCT at) = 3, 'with another share it is another question') FROM turns WHERE turn <> 2;
SELECT is(cut, NULL, 'and without one nothing is known') FROM turns WHERE turn = 3;
RESET gaussdp.reuse_answers;
RESET ROLE;

-- One notice a statement; another session hears it
\setenv PGDATABASE :DBNAME
\setenv PGUSER :USER
\set notice `psql -qXAt -c 'SET ROLE cut_ana' -c 'SET gaussdp.cut_share = 0.1' -c 'SELECT dp_count(15, 1e-6) > 0 FROM buy' 2>&1`
SELECT ok(:'notice' ~ 'the answer leaves something out\nDETAIL:  dp_count counts a person as 5 rows at most, which leaves out about 6[0-9] percent', 'a notice says how much');
\set notice `psql -qXAt -c 'SET ROLE cut_ana' -c 'SET gaussdp.cut_share = 0.1' -c 'SELECT dp_count(0.1, 1e-6) IS NOT NULL FROM buy WHERE customer < 50' 2>&1`
SELECT ok(:'notice' ~ 'dp_count counts a person as 5 rows at most, and too few people stand out of the noise to say what that leaves out', 'or that it is not known');
\set notice `psql -qXAt -c 'SET ROLE cut_ana' -c 'SET gaussdp.cut_share = 0.25' -c 'SELECT dp_count(true, 15, 1e-6, 40) > 0 FROM buy' 2>&1`
SELECT ok(:'notice' !~ 'leaves', 'and nothing where nothing is cut off');

-- Where nothing can be known the query is refused
SET ROLE cut_ana;
SET gaussdp.cut_share = 0.1;
\set query 'SELECT kind, dp_count(1, 1e-6) FROM named GROUP BY kind HAVING dp_keep_group(1, 1e-6)'
CREATE FUNCTION pg_temp.refusal(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE query;
	RETURN 'answered';
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN detail || ' ' || hint;
END $$;
SELECT matches(pg_temp.refusal(:'query'), 'what max_rows cuts off is known only where the types .* SET gaussdp.cut_share = 0.', 'window functions say nothing of norms');
SET gaussdp.cut_share = 0;
SELECT is(pg_temp.refusal(:'query'), 'answered', 'and answer without');
RESET ROLE;
SELECT is(string_agg(kind, ', ' ORDER BY charge, item), 'dp_count, dp_keep_group', 'which alone is charged') FROM gaussdp.journal WHERE "table" = 'named'::regclass AND kind IS NOT NULL;
SELECT * FROM finish();
