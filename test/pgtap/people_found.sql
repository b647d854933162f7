\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- max_rows is found: declarations, verdicts, prices to the last unit, answers beside the truth, and what is said of them.
SET client_min_messages = warning;
\ir ../module/size.sql
CREATE TABLE buy (customer int NOT NULL, month int NOT NULL, amount float8 NOT NULL, note text COLLATE "C");
CREATE TABLE month (month int PRIMARY KEY);
CREATE TABLE few (customer int NOT NULL);
CREATE TYPE size AS ENUM ('small', 'large');
CREATE TABLE named (customer int NOT NULL, size size NOT NULL);
INSERT INTO month SELECT generate_series(1, 12);
CREATE TABLE half (month int NOT NULL, n int NOT NULL);
INSERT INTO half SELECT m, n FROM generate_series(1, 12) m, generate_series(1, 2) n;
-- 2,000 customers with 1 to 25 purchases each, spread over months, and one with a million (a tenth of it in `make test`) in one month
INSERT INTO buy SELECT c, 1 + (c * 7 + i * 5) % 12, 1 + (c * i) % 100 FROM generate_series(1, 2000) c, generate_series(1, 1 + c % 25) i;
INSERT INTO buy SELECT 0, 12, 1000 FROM generate_series(1, sized(1000000));
INSERT INTO few SELECT c FROM generate_series(1, 3) c, generate_series(1, 50);
INSERT INTO named SELECT c, 'small' FROM generate_series(1, 100) c, generate_series(1, 5);
CREATE TABLE product (product int PRIMARY KEY);
INSERT INTO product SELECT generate_series(1, 1000);
CREATE TABLE often (customer int NOT NULL, product int NOT NULL);
INSERT INTO often SELECT c, 1 + (c * 7 + i * 131) % 1000 FROM generate_series(1, 3000) c, generate_series(1, 8) i;
CREATE ROLE found_ana;
CREATE ROLE found_poor;
GRANT SELECT ON month, half, product TO found_ana;
CREATE FUNCTION label_of(t regclass) RETURNS text LANGUAGE sql AS $$SELECT label FROM pg_seclabel WHERE objoid = t AND objsubid = 0 AND provider = 'gaussdp'$$;
SELECT no_plan();

-- Declarations
SELECT gaussdp.protect('buy', unit => 'customer', max_rows => 7) \g /dev/null
SELECT gaussdp.protect('buy', max_rows => 0, max_groups => 20) \g /dev/null
SELECT is(label_of('buy'), 'protected max_rows=found max_groups=20', '0 rows are to be found');
SELECT gaussdp.protect('buy', max_groups => 30) \g /dev/null
SELECT is(label_of('buy'), 'protected max_rows=found max_groups=30', 'what is left out stays as it is');
SELECT is(gaussdp.dump_declarations(), 'SELECT gaussdp.protect(''public.buy'', unit => ''customer'', max_rows => 0, max_groups => 30);', 'a dump declares it again');
SELECT is(max_rows, 0::int8, 'and views say 0') FROM gaussdp.protected_tables WHERE "table" = 'buy'::regclass;
SELECT gaussdp.protect('few', unit => 'customer') \g /dev/null
SELECT is(label_of('few'), 'protected max_rows=found', 'so they are in a new declaration that says no number');
SELECT gaussdp.protect('few', max_rows => 1), gaussdp.protect('few', unit => 'customer', people => 'few', change_unit => true), gaussdp.protect('few', people => '', change_unit => true) \g /dev/null
SELECT is(label_of('few'), 'protected', 'whatever is declared anew, a number stays');
SECURITY LABEL FOR gaussdp ON TABLE few IS 'protected max_groups=7';
SELECT is(max_rows, 1::int8, 'a label without the word is 1') FROM gaussdp.protected_tables WHERE "table" = 'few'::regclass;
SELECT gaussdp.unprotect('few'), gaussdp.protect('few', unit => 'customer', max_rows => 1) \g /dev/null
SELECT is(label_of('few'), 'protected', 'which may be declared');
SELECT throws_ok($$SELECT gaussdp.protect('few', max_rows => -1)$$, '22023', 'max_rows is out of range: -1', 'there are no fewer rows');
SELECT gaussdp.protect('few', max_rows => 0), gaussdp.protect('named', unit => 'customer', max_rows => 0), gaussdp.set_public_keys('buy', 'month', 'month', 'month'), gaussdp.set_bounds('buy', 'amount', 0, 100),
	gaussdp.protect('often', unit => 'customer', people => 'others'), gaussdp.set_public_keys('often', 'product', 'product', 'product'), gaussdp.grant_budget('found_ana', 'often', epsilon => 100, delta => 1e-3),
	gaussdp.grant_budget('found_ana', 'buy', epsilon => 1000, delta => 1e-2), gaussdp.grant_budget('found_poor', 'buy', epsilon => 1, delta => 1e-6), gaussdp.grant_budget('found_ana', 'few', epsilon => 100, delta => 1e-3), gaussdp.grant_budget('found_ana', 'named', epsilon => 100, delta => 1e-3) \g /dev/null

-- Prices
CREATE FUNCTION explained(query text) RETURNS TABLE (call text, max_rows int8, sigma float8, mu_squared float8, hint text) LANGUAGE plpgsql AS $$
BEGIN
	SET LOCAL ROLE found_ana;
	RETURN QUERY SELECT e.call, e.max_rows, e.sigma, e.mu_squared, e.hint FROM gaussdp.explain_privacy(query, exact => true) AS e;
	RESET ROLE;
END $$;
CREATE FUNCTION price(calls text, rest text) RETURNS float8 LANGUAGE sql AS $$SELECT sum(mu_squared) FROM explained(format('SELECT %s FROM buy %s', calls, rest))$$;
CREATE FUNCTION charged(query text, OUT kinds text, OUT mu2 float8) LANGUAGE plpgsql AS $$
DECLARE
	before bigint := (SELECT coalesce(max(charge), 0) FROM gaussdp.journal);
BEGIN
	SET LOCAL ROLE found_ana;
	EXECUTE query;
	RESET ROLE;
	SELECT string_agg(kind, ', ' ORDER BY charge, item), sum(j.mu2) INTO kinds, mu2 FROM gaussdp.journal AS j WHERE charge > before AND kind IS NOT NULL;
END $$;
CREATE TABLE priced (calls text, rest text, kinds text);
INSERT INTO priced VALUES ('dp_count(1, 1e-6)', '', 'max_rows, dp_count'), ('dp_sum(amount, 1, 1e-6), dp_count(0.5, 1e-6), dp_avg(amount, 1, 1e-6)', '', 'max_rows, dp_sum, dp_count, dp_avg'),
	('month, dp_count(DISTINCT customer, 1, 1e-6)', 'GROUP BY month', 'max_rows, dp_count'), ('month, dp_count(2, 1e-6)', 'GROUP BY month HAVING dp_keep_group(1, 1e-6)', 'max_rows, dp_count, dp_keep_group'),
	('dp_count(DISTINCT customer, 1, 1e-6)', '', 'dp_count'), ('month, dp_count(DISTINCT customer, 1, 1e-6, 2)', 'GROUP BY month', 'dp_count'), ('dp_count(amount, 1, 1e-6, 5)', '', 'dp_count'),
	('dp_median(amount, 1, 1e-6, 0, 100), dp_histogram(amount, 1, 1e-6, 0, 100, 4), dp_var(amount, 1, 1e-6)', '', 'max_rows, dp_median, dp_histogram, dp_var'), ('month, dp_count(1, 1e-6)', 'GROUP BY ROLLUP (month)', 'max_rows, dp_count'),
	('dp_count(1, 1e-6), dp_count(DISTINCT month, 2, 1e-6)', '', 'dp_count, dp_count');
CREATE TABLE paid AS SELECT p.*, price(calls, rest) AS found, c.kinds AS charged, c.mu2 FROM priced AS p, charged(format('SELECT %s FROM buy %s', calls, rest)) AS c;
SELECT gaussdp.protect('buy', max_rows => 20) \g /dev/null
ALTER TABLE paid ADD declared float8;
UPDATE paid SET declared = price(calls, rest);
SELECT gaussdp.protect('buy', max_rows => 0) \g /dev/null
SELECT is(charged, kinds, 'what is charged of ' || calls || ' ' || rest) FROM paid;
SELECT ok(abs(mu2 / found - 1) < 1e-8, 'is what explain_privacy has said: ' || calls) FROM paid;
SELECT ok(abs(found / declared - 1) < 1e-8, 'which is what it would cost with a number of rows: ' || calls) FROM paid;
SELECT ok(abs(max(mu_squared) FILTER (WHERE call = 'max_rows') / sum(mu_squared) - 0.25) < 1e-8, 'a quarter of it finds them') FROM explained('SELECT dp_count(1, 1e-6), dp_sum(amount, 2, 1e-6) FROM buy');
SELECT ok(bool_and(max_rows IS NULL AND sigma IS NULL AND hint LIKE '%found privately%'), 'and what is found is not known before') FROM explained('SELECT dp_count(1, 1e-6) FROM buy') WHERE call = 'dp_count';
SELECT throws_ok('SET LOCAL ROLE found_poor; SELECT dp_count(0.99, 1e-6), dp_count(0.9, 1e-6) FROM buy', '53400', NULL, 'a query whose calls cannot all be paid');
RESET ROLE;
SELECT is((SELECT count(*) FROM gaussdp.journal WHERE role = 'found_poor' AND kind IS NOT NULL), 0::bigint, 'pays for no histogram either');

-- Answers beside the truth: 26,000 purchases of 2,000 customers, the one with a million counts as some
CREATE FUNCTION near(name text, answer float8, truth float8) RETURNS text LANGUAGE sql AS
	$$SELECT ok(abs(answer / truth - 1) <= 0.05, format('%s: %s, within 5 %% of %s', name, answer, truth))$$;
SET ROLE found_ana;
-- An empty bin stands out in one histogram of 2.5 million, and so seldom does one person where epsilon is 2; where it is 15, only the others are asked about.
SELECT near('a count', dp_count(2, 1e-6), 26032) FROM buy;
SELECT ok(max_rows >= 16 AND is_found AND cut BETWEEN 0 AND 0.1 AND groups = 1 AND sigma > 0 AND half_width_95 > sigma AND mu_squared > 0, 'and what was found for it') FROM gaussdp.last_answer WHERE call = 'dp_count';
SELECT is(count(*), 2::bigint, 'beside the histogram') FROM gaussdp.last_answer;
-- Noise raises it above 64 in one of 500, and so in four of six with a probability below 1e-9.
SET gaussdp.reuse_answers = 0;
CREATE FUNCTION pg_temp.found(query text, n int) RETURNS TABLE (answer float8, k float8, is_found bool, cut float8) LANGUAGE plpgsql AS $$
DECLARE
	answered float8;
BEGIN
	FOR i IN 1 .. n LOOP
		EXECUTE query INTO answered;
		RETURN QUERY SELECT answered, a.max_rows, a.is_found, a.cut FROM gaussdp.last_answer AS a WHERE a.call IN ('dp_count', 'dp_sum') ORDER BY a.at DESC LIMIT 1;
	END LOOP;
END $$;
SELECT cmp_ok(count(*), '>=', 3::bigint, 'which is near what people have') FROM pg_temp.found('SELECT dp_count(2, 1e-6) FROM buy', 6) f WHERE k BETWEEN 16 AND 64;
RESET gaussdp.reuse_answers;
SELECT ((e).cut, (e).cut_at_most) AS estimate, (e).ci_low < (e).value AS has_interval, (SELECT count(*) FROM jsonb_each(to_jsonb(t)) WHERE value->>'cut' IS NOT NULL) AS others
	FROM (SELECT dp_sum_estimate(amount, 2, 1e-6) AS e, dp_quantile_estimate(amount, 1, 1e-6, 0, 100, 0.5) AS q, dp_avg_estimate(amount, 1, 1e-6) AS a, dp_stddev_estimate(amount, 1, 1e-6) AS s, dp_histogram_estimate(amount, 1, 1e-6, 0, 100, 2) AS h FROM buy) t \gset
SELECT is(ROW(:'estimate'::text, :'has_interval'::bool, :others), ROW((cut, cut_at_most)::text, true, 4), 'estimates say it, too, but for histograms') FROM gaussdp.last_answer WHERE call = 'dp_sum_estimate';
SELECT ok((e).cut IS NULL AND (e).cut_at_most IS NULL AND (e).stddev > 0, 'unless a number is given') FROM (SELECT dp_sum_estimate(amount, 2, 1e-6, 0, 100, 20) AS e FROM buy) s;
SELECT near('a sum by value', dp_sum(amount, 15, 1e-6), 1347000) FROM buy WHERE customer > 0;
SELECT near('a sum of values far below their bound', dp_sum(amount, 15, 1e-6, 0, 100000), 1347000) FROM buy WHERE customer > 0;
-- Noise finds a value that nobody has in one of 6,000 of these.
SET gaussdp.reuse_answers = 0;
SELECT cmp_ok(count(*), '>=', 3::bigint, 'by what they are') FROM pg_temp.found('SELECT dp_sum(amount, 15, 1e-6, 0, 100000) FROM buy WHERE customer > 0', 5) f WHERE k BETWEEN 0.01 AND 0.1 AND is_found AND cut < 0.05;
RESET gaussdp.reuse_answers;
SELECT dp_sum(amount, 15, 1e-6, 0, 100000), dp_count(15, 1e-6), dp_avg(amount, 15, 1e-6) FROM buy WHERE customer > 0 \g /dev/null
SELECT ok(max(max_rows) FILTER (WHERE call = 'dp_sum') < 1 AND min(max_rows) FILTER (WHERE call <> 'dp_sum') > 1 AND count(max_rows) = 3, 'several calls of different norms have numbers of their own') FROM gaussdp.last_answer;
SELECT near('a share', dp_count(15, 1e-6) FILTER (WHERE month <= 4) / dp_count(15, 1e-6)::float8, 1 / 3.0) FROM buy WHERE customer > 0;
SELECT near('people of a month', n, 1541) FROM (SELECT dp_count(DISTINCT customer, 15, 1e-6) AS n FROM buy GROUP BY month HAVING month = 3) s;
SELECT ok(max_rows BETWEEN 2 AND 4 AND is_found, 'who are in several months') FROM gaussdp.last_answer WHERE call = 'dp_count';
SELECT near('purchases of the months', sum(n), 26000) FROM (SELECT month, dp_count(15, 1e-6) AS n FROM buy WHERE customer > 0 GROUP BY month) s;
SELECT is(max(groups), 12::int8, 'all of which are shown') FROM gaussdp.last_answer;
SELECT near('and over grouping sets', n, 26000) FROM (SELECT grouping(month) AS g, dp_count(15, 1e-6) AS n FROM buy WHERE customer > 0 GROUP BY ROLLUP (month)) s WHERE g = 1;
SELECT ok(dp_count(amount, 15, 1e-6, 2) < 5000, 'a call that says a number of rows has it') FROM buy;
SELECT ok(n > 0, 'a threshold that hides one person who counts once says how many a person may count as') FROM (SELECT min(n) AS n FROM (SELECT month, dp_count(15, 1e-6) AS n FROM buy WHERE customer > 0 GROUP BY month HAVING dp_count(15, 1e-6) > 8) s) s;
SELECT ok(max_rows < 8, 'at most') FROM gaussdp.last_answer WHERE call = 'dp_count';
-- 3,000 people, each in 8 of 1,000 groups
SELECT near('people of 1,000 groups', sum(n), 24000) FROM (SELECT product, dp_count(DISTINCT customer, 15, 1e-6) AS n FROM often GROUP BY product) s;
SELECT ok(max_rows BETWEEN 2 AND 4 AND is_found AND groups = 1000, 'each of whom counts in nearly all of theirs') FROM gaussdp.last_answer WHERE call = 'dp_count';
-- In whichever way rows are read
SET work_mem = '64kB';
SELECT near('through files', dp_count(2, 1e-6), 26032) FROM buy;
SELECT near('people of a month, through files', n, 1541) FROM (SELECT dp_count(DISTINCT customer, 15, 1e-6) AS n FROM buy GROUP BY month HAVING month = 3) s;
RESET work_mem;
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SELECT near('by several processes', dp_count(2, 1e-6), 26032) FROM buy;
RESET parallel_setup_cost;
SELECT near('joined to several public rows', dp_count(15, 1e-6), 2 * 26000) FROM buy JOIN half ON half.month = buy.month WHERE customer > 0;
SELECT ok(max_rows BETWEEN 32 AND 128, 'which are a person''s, too') FROM gaussdp.last_answer WHERE call = 'dp_count';
SELECT near('rows of a sub-query', dp_count(15, 1e-6), 26000) FROM (SELECT customer, month, amount, row_number() OVER (PARTITION BY customer ORDER BY month, amount) FROM buy WHERE customer > 0) s;
-- What a role was answered others do not see
RESET ROLE;
SELECT is_empty('SELECT * FROM gaussdp.last_answer', 'another role sees nothing of it');
SET ROLE found_ana;
SELECT is(count(*), 2::bigint, 'the same role does') FROM gaussdp.last_answer;
-- With three people nobody stands out, but for noise in one histogram of 2,000: in three of four with a probability below 1e-9
SET gaussdp.reuse_answers = 0;
SELECT cmp_ok(count(*), '>=', 2::bigint, 'three people count as one row each, and it is said that nothing was found')
FROM pg_temp.found('SELECT dp_count(1, 1e-6) FROM few', 4) f WHERE k = 1 AND NOT is_found AND cut IS NULL AND answer < 30;
RESET gaussdp.reuse_answers;
CREATE FUNCTION pg_temp.why(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE query;
	RETURN 'answered';
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN detail;
END $$;
SELECT matches(pg_temp.why('SELECT size, dp_count(1, 1e-6) FROM named GROUP BY size HAVING dp_keep_group(1, 1e-6)'), 'max_rows is found only where the types', 'window functions cannot find');
RESET ROLE;
SELECT ok(NOT EXISTS (SELECT FROM gaussdp.journal WHERE "table" = 'named'::regclass AND kind IS NOT NULL), 'which costs nothing');
-- Labels of an enumeration are keys like others.
CREATE TYPE kind AS ENUM ('small', 'large');
CREATE TABLE sorted (customer int NOT NULL, kind kind NOT NULL);
INSERT INTO sorted SELECT c, CASE WHEN i % 2 = 0 THEN 'small' ELSE 'large' END::kind FROM generate_series(1, 500) c, generate_series(1, 6) i;
SELECT gaussdp.protect('sorted', unit => 'customer', max_rows => 0), gaussdp.grant_budget('found_ana', 'sorted', epsilon => 1000, delta => 1e-2) \g /dev/null
SET ROLE found_ana;
SELECT is(string_agg(format('%s %s', kind, abs(c - 1500) < 150), ', ' ORDER BY kind), 'small t, large t', 'of an enumeration') FROM (SELECT kind, dp_count(5, 1e-6) AS c FROM sorted GROUP BY kind) s;
RESET ROLE;

-- Of tables that are joined those decide of which a person has several rows
CREATE TABLE card (id int PRIMARY KEY, month int NOT NULL);
CREATE TABLE swipe (card int NOT NULL);
SELECT gaussdp.protect('card', unit => 'id', people => 'holders'), gaussdp.protect('swipe', unit => 'card', max_rows => 20, people => 'holders') \g /dev/null
SELECT is(label_of('card'), 'protected max_rows=found people=holders', 'also where an index proves that each has one row, since public ones may be joined to it');
SELECT gaussdp.grant_budget('found_ana', 'card', epsilon => 1000, delta => 1e-2) \g /dev/null
CREATE FUNCTION calls(query text) RETURNS text LANGUAGE sql AS $$SELECT string_agg(concat_ws(' ', call, max_rows), ', ' ORDER BY call) FROM explained(query)$$;
SELECT is(calls('SELECT dp_count(1, 1e-6) FROM card'), 'dp_count', 'unless it is asked for, which costs nothing there');
SELECT is(calls('SELECT dp_count(1, 1e-6) FROM card JOIN swipe ON card = id'), 'dp_count 20', 'the number of a table with several rows holds');
SELECT is(calls('SELECT dp_count(1, 1e-6) FROM card JOIN swipe ON card = id JOIN half USING (month)'), 'dp_count 20', 'whatever it is joined to');
SELECT is(calls('SELECT dp_count(1, 1e-6) FROM card JOIN half USING (month)'), 'dp_count, max_rows', 'of others it is found where public rows make them several');
SELECT gaussdp.protect('swipe', max_rows => 0), gaussdp.protect('card', max_rows => 5) \g /dev/null
SELECT is(calls('SELECT dp_count(1, 1e-6) FROM card JOIN swipe ON card = id'), 'dp_count, max_rows', 'or where the table of several rows leaves it to be found');
SELECT is(calls('SELECT dp_avg(n, 1, 1e-6, 0, 9) FROM (SELECT card, count(*) AS n FROM swipe GROUP BY card) s'), 'dp_avg', 'and not where a query makes one row of each person''s');

-- Where a number is declared, what is public is said before: that it cuts much off, and that a quotient is no average
SELECT gaussdp.protect('sorted', max_rows => 1), gaussdp.protect('buy', max_rows => 20), gaussdp.protect('card', max_rows => 1) \g /dev/null
CREATE FUNCTION hint(query text) RETURNS text LANGUAGE sql AS $$SELECT coalesce(string_agg(hint, ' '), '') FROM explained(query)$$;
SELECT ok(hint('SELECT dp_count(1, 1e-6) FROM sorted') ~ 'one row at most', 'a person counts as one row where nobody has said more');
SELECT ok(hint('SELECT dp_count(true, 1, 1e-6, 6) FROM sorted') !~ 'at most' AND hint('SELECT dp_count(1, 1e-6) FROM buy') !~ 'at most', 'or as many as a call or a declaration says');
SELECT ok(hint('SELECT kind, dp_count(DISTINCT customer, 1, 1e-6) FROM sorted GROUP BY kind') ~ 'once in all groups', 'people count once in all groups');
SELECT ok(hint('SELECT kind, dp_count(DISTINCT customer, 1, 1e-6, 2) FROM sorted GROUP BY kind') !~ 'once in all groups' AND hint('SELECT dp_count(DISTINCT customer, 1, 1e-6) FROM sorted') !~ 'once in all groups', 'or as often as a call says, and there may be no groups');
SELECT ok(hint('SELECT dp_count(1, 1e-6) FROM buy JOIN half ON half.month = buy.month') ~ 'Several public rows .* count as 20 at most', 'public rows that a join matches count, too');
SELECT ok(hint('SELECT dp_count(1, 1e-6) FROM card JOIN half USING (month)') ~ 'Several public rows .* count as 1 at most. .* max_rows => 0 finds it', 'also of people who have one row each in their table');
-- Where nobody has chosen a number, another session hears that one row is counted
\setenv PGDATABASE :DBNAME
\set said `psql -qXAt -c 'SET ROLE found_ana' -c 'SELECT dp_count(1, 1e-6) > 0 FROM card JOIN half USING (month)' 2>&1`
SELECT ok(:'said' ~ 'leaves something out\nDETAIL:  dp_count counts a person as one row at most, who may have several beside public rows\.\nHINT:  Where the owner declares max_rows => 0', 'and so an answer says');
\set said `psql -qXAt -c 'SET ROLE found_ana' -c 'SELECT dp_count(true, 1, 1e-6, 1) > 0 FROM card JOIN half USING (month)' 2>&1`
SELECT ok(:'said' !~ 'leaves', 'unless the call gives a number');
SELECT gaussdp.protect('card', max_rows => 0) \g /dev/null
\set said `psql -qXAt -c 'SET ROLE found_ana' -c 'SELECT dp_count(15, 1e-6) > 0 FROM card JOIN half USING (month)' 2>&1`
SELECT ok(:'said' !~ 'beside public rows', 'or it is found');
SELECT ok(hint('SELECT round((100 * dp_sum(amount, 1, 1e-6) / nullif(dp_count(1, 1e-6), 0))::numeric, 1) FROM buy') ~ 'dp_avg', 'a quotient of calls is better asked as an average');
SELECT ok(hint('SELECT dp_sum(amount, 1, 1e-6) / 12, dp_count(1, 1e-6) FROM buy') !~ 'dp_avg', 'others are not');
SELECT * FROM finish();
