\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- An equal query is shown the same numbers, at no cost, where all that its answer depends on is the same and each account has paid for it in
-- its present period; else it is drawn and paid anew. What restarts, crashes and other sessions do to it is in tap/kept_answers.pl.
LOAD '$libdir/gaussdp';
SET client_min_messages = warning;
SET gaussdp.reuse_answers = -1;
SELECT no_plan();
CREATE ROLE kept_ana;
CREATE ROLE kept_bob;
CREATE ROLE kept_group;
CREATE ROLE kept_group2;
CREATE TABLE sale (id int PRIMARY KEY, region text, price int, at timestamptz);
INSERT INTO sale SELECT i, 'r' || i % 5, i % 90, '2026-01-01 12:00+00'::timestamptz + i * interval '1 minute' FROM generate_series(1, 3000) i;
CREATE TABLE visit (id int, person int, region text);
INSERT INTO visit SELECT i, i % 300, 'r' || i % 5 FROM generate_series(1, 3000) i;
CREATE TABLE region (name text PRIMARY KEY, label text);
INSERT INTO region SELECT 'r' || i, 'label ' || i FROM generate_series(0, 4) i;
CREATE TABLE part (id int, price int) PARTITION BY RANGE (id);
CREATE TABLE part1 PARTITION OF part (PRIMARY KEY (id)) FOR VALUES FROM (0) TO (100);
CREATE TABLE part2 PARTITION OF part (PRIMARY KEY (id)) FOR VALUES FROM (100) TO (200);
INSERT INTO part SELECT i, i % 90 FROM generate_series(1, 199) i;
GRANT SELECT ON region TO kept_ana, kept_bob;
DO $$BEGIN
	PERFORM gaussdp.protect('sale', unit => 'id', people => 'buyers'), gaussdp.set_bounds('sale', 'price', 0, 100),
		gaussdp.protect('visit', unit => 'person', max_rows => 12), gaussdp.protect('part', unit => 'id');
	PERFORM gaussdp.grant_budget('kept_ana', t, 100, 1e-6, threshold_delta => 0.1, reuse_answers => '1 hour') FROM unnest('{sale,visit,part}'::regclass[]) t;
END$$;
CREATE TABLE seen (answer text);
GRANT ALL ON seen TO kept_ana, kept_bob;
-- An answer as text, and how many charges there were
CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('SELECT string_agg(s::text, %L ORDER BY s::text) FROM (%s) s', ' ', query) INTO result;
	RETURN result;
END$$;
CREATE FUNCTION spent() RETURNS numeric LANGUAGE sql SECURITY DEFINER AS $$SELECT sum(queries) FROM gaussdp_internal.journal_entry WHERE event = 'charge'$$;
-- Is the query shown again, for nothing; or drawn and paid anew?
CREATE FUNCTION again(query text, OUT shown_again bool) LANGUAGE plpgsql AS $$
DECLARE
	first text := public.answer(query);
	before numeric := public.spent();
	second text := public.answer(query);
BEGIN
	IF first <> second AND public.spent() = before THEN
		RAISE 'other numbers for nothing: % %', first, second;
	END IF;
	shown_again := public.spent() = before;
END$$;
-- What becomes of an answer where something is done between
CREATE FUNCTION after(query text, act text, OUT shown_again bool) LANGUAGE plpgsql AS $$
DECLARE
	first text := public.answer(query);
	before numeric;
	second text;
BEGIN
	EXECUTE act;
	before := public.spent();
	second := public.answer(query);
	shown_again := public.spent() = before;
	IF first <> second AND shown_again THEN
		RAISE 'other numbers for nothing: % %', first, second;
	END IF;
END$$;
\set total '''SELECT dp_count(0.5, 1e-6), dp_sum(price, 0.5, 1e-6) FROM sale'''

SET ROLE kept_ana;
SELECT is(again(:total), true, 'an equal query is shown the same numbers');
SELECT is(again('SELECT region, dp_avg(price, 0.5, 1e-6) FROM sale GROUP BY region HAVING dp_keep_group(0.5, 1e-6)'), true, 'groups too');
SELECT is(again('SELECT dp_count(0.5, 1e-6) FROM visit'), true, 'of people with many rows');
SELECT is(again('SELECT region, dp_count(0.5, 1e-6) FROM visit GROUP BY region HAVING dp_keep_group(0.5, 1e-6)'), true, 'whose groups are found');
SELECT is(again('SELECT r.label, dp_count(0.5, 1e-6) FROM region r LEFT JOIN sale s ON s.region = r.name GROUP BY r.label'), true, 'beside public rows');
SELECT is(again('SELECT (SELECT dp_count(0.5, 1e-6) FROM sale WHERE price > 5) - (SELECT dp_count(0.5, 1e-6) FROM visit)'), true, 'of two levels');
SELECT is(again('SELECT dp_histogram(price, 0.5, 1e-6, 0, 90, 9), dp_quantile(price, 0.5, 1e-6, 0, 90, 0.5) FROM sale'), true, 'arrays and quantiles');
SELECT is(again('SELECT dp_avg_estimate(price, 0.5, 1e-6) FROM sale'), true, 'estimates');
SELECT is(again('SELECT dp_count(0.5, 1e-6) FROM sale WHERE price > 1000'), true, 'of no row');
SELECT is(again('SELECT region FROM sale WHERE id < 3 GROUP BY region HAVING dp_keep_group(0.5, 1e-6)'), true, 'no group at all');
SELECT is(again('SELECT dp_count(0.5, 1e-6) + random() * 0 FROM sale'), true, 'what stands around a level is computed anew');
SELECT is(again('SELECT dp_count(0.5, 1e-6) FROM sale WHERE price < (SELECT random() * 90)'), false, 'an input that differs');
SELECT is(answer(:total) = answer('SELECT  dp_count(0.5, 1e-6),
	dp_sum(price, 0.5, 1e-6) FROM sale'), true, 'white space and lines are no difference');
SET gaussdp.answer_plain_sql = on;
SET gaussdp.epsilon = 0.5;
SET gaussdp.delta = 1e-6;
SELECT is(again('SELECT region, count(*), avg(price) FROM sale GROUP BY region'), true, 'plain SQL');
SET gaussdp.epsilon = 0.25;
SELECT is(after('SELECT count(*) FROM sale', 'SET gaussdp.epsilon = 0.3'), false, 'at another epsilon it is another question');
RESET gaussdp.answer_plain_sql;
RESET gaussdp.epsilon;
RESET gaussdp.delta;

-- Parameters, cursors, prepared statements
PREPARE above(int) AS SELECT dp_count(0.5, 1e-6) AS n FROM sale WHERE price > $1;
EXECUTE above(10) \gset one_
EXECUTE above(10) \gset two_
EXECUTE above(11) \gset other_
SELECT spent() AS before \gset
EXECUTE above(10) \gset three_
SELECT is(:two_n = :one_n AND :three_n = :one_n, true, 'a prepared statement');
SELECT is(:other_n <> :one_n, true, 'with another parameter is another one');
SELECT is((SELECT dp_count(0.5, 1e-6) AS n FROM sale WHERE price > 10) = :one_n, true, 'with a parameter as without');
SELECT is(spent(), :before::numeric, 'all for nothing');
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT region, dp_count(0.5, 1e-6) AS n FROM sale WHERE price > 3 GROUP BY region HAVING dp_keep_group(0.5, 1e-6) ORDER BY 1;
FETCH ABSOLUTE 3 c \gset c1_
FETCH FIRST c \gset c2_
COMMIT;
BEGIN READ ONLY;
DECLARE c SCROLL CURSOR FOR SELECT region, dp_count(0.5, 1e-6) AS n FROM sale WHERE price > 3 GROUP BY region HAVING dp_keep_group(0.5, 1e-6) ORDER BY 1;
FETCH ABSOLUTE 3 c \gset c3_
FETCH FIRST c \gset c4_
COMMIT;
SELECT is(ROW(:c3_n, :c4_n), ROW(:c1_n, :c2_n), 'a cursor, there and back, in a read-only transaction too');
BEGIN;
SELECT answer('SELECT dp_count(0.5, 1e-6) FROM sale WHERE price > 4') AS rolled \gset
ROLLBACK;
SELECT is(answer('SELECT dp_count(0.5, 1e-6) FROM sale WHERE price > 4'), :'rolled', 'what was drawn in a transaction that was rolled back is kept');

-- Asked anew
SELECT is(after(:total, 'SET gaussdp.reuse_answers = 0'), false, 'gaussdp.reuse_answers = 0 draws anew');
SELECT is(again(:total), false, 'each time');
SET gaussdp.reuse_answers = 7200;
SELECT is(again(:total), true, 'it cannot be longer than the grant''s, and can be as long');
SET gaussdp.reuse_answers = -1;

SELECT results_eq(format('SELECT hint FROM gaussdp.explain_privacy(%L)', :total), $$VALUES ('Asked again within 1 h it gives the same numbers, at no cost.'), (NULL)$$, 'explain_privacy says so before');

-- What answers depend on
SELECT is(after($$SELECT date_trunc('day', at) AS d, dp_count(0.5, 1e-6) FROM sale GROUP BY 1 HAVING dp_keep_group(0.5, 1e-6)$$, $$SET TimeZone = 'Asia/Tokyo'$$), false, 'the time zone');
SELECT is(after(:total, $$SET DateStyle = 'German'$$), false, 'the style of dates');
RESET TimeZone;
RESET DateStyle;
SELECT is(after(:total, 'SET search_path = pg_temp, public'), true, 'the search path is none of it, where names mean the same');
RESET search_path;
RESET ROLE;
SELECT is(after('SELECT 1', 'SELECT 1'), true, 'the functions of this test agree');
CREATE FUNCTION as_ana(query text, act text) RETURNS bool LANGUAGE plpgsql AS $$
DECLARE
	first text;
	before numeric;
	second text;
BEGIN
	SET LOCAL ROLE kept_ana;
	first := public.answer(query);
	RESET ROLE;
	EXECUTE act;
	before := public.spent();
	SET LOCAL ROLE kept_ana;
	second := public.answer(query);
	RESET ROLE;
	IF first <> second AND public.spent() = before THEN
		RAISE 'other numbers for nothing: % %', first, second;
	END IF;
	RETURN public.spent() = before;
END$$;
\set joined '''SELECT r.label, dp_count(0.5, 1e-6) FROM region r LEFT JOIN sale s ON s.region = r.name GROUP BY r.label'''
SELECT is(as_ana(:total, 'INSERT INTO sale VALUES (5000, ''r1'', 3, now())'), true, 'rows of the protected table may change: the numbers are of the time that the notice tells');
SELECT is(as_ana(:total, $$SELECT gaussdp.set_data_version('sale', 'load 2026-11')$$), false, 'unless the owner says that they are another version');
SELECT is(as_ana(:total, $$SELECT gaussdp.set_data_version('sale', 'load 2026-11')$$), true, 'the same one is none');
SELECT is(as_ana(:total, $$SELECT gaussdp.set_data_version('sale', 'load 2026-12')$$), false, 'the next one is');
SELECT is(as_ana(:joined, $$UPDATE region SET label = 'other' WHERE name = 'r1'$$), false, 'public rows');
SELECT is(as_ana(:joined, $$UPDATE region SET name = 'r9' WHERE name = 'r2'$$), false, 'their keys');
SELECT is(as_ana(:joined, $$DELETE FROM region WHERE name = 'r3'$$), false, 'and whether they are there');
SELECT is(as_ana('SELECT dp_count(0.5, 1e-6) FROM part', 'TRUNCATE part1'), false, 'a partition that was emptied');
SELECT is(as_ana('SELECT dp_count(0.5, 1e-6) FROM part', 'ALTER TABLE part DETACH PARTITION part2'), false, 'or taken away');
SELECT is(as_ana('SELECT dp_count(0.5, 1e-6) FROM part', $$SELECT gaussdp.set_data_version('part1', 'load 2')$$), false, 'another version of a partition');
SELECT is(as_ana('SELECT dp_count(0.5, 1e-6) FROM part1', $$SELECT gaussdp.set_data_version('part', 'load 2')$$), false, 'and of the table that it is a part of');
SELECT is(as_ana('SELECT dp_count(0.5, 1e-6) FROM visit', $$SELECT gaussdp.protect('visit', unit => 'person', max_rows => 10)$$), false, 'a declaration');
SELECT is(as_ana('SELECT dp_sum(price, 0.5, 1e-6) FROM sale', $$SELECT gaussdp.set_bounds('sale', 'price', 0, 90)$$), false, 'bounds');
CREATE VIEW cheap AS SELECT * FROM sale WHERE price < 30;
GRANT SELECT ON cheap TO kept_ana;
ALTER VIEW cheap SET (security_invoker = true);
SELECT is(as_ana('SELECT dp_count(0.5, 1e-6) FROM cheap', 'CREATE OR REPLACE VIEW cheap WITH (security_invoker = true) AS SELECT * FROM sale WHERE price < 40'), false, 'a view');
CREATE FUNCTION upper_half(int) RETURNS bool IMMUTABLE LEAKPROOF PARALLEL SAFE LANGUAGE internal AS 'int4_bool';
SELECT is(as_ana('SELECT dp_count(0.5, 1e-6) FROM sale WHERE upper_half(price)', 'SELECT 1'), true, 'a function');
SELECT is(as_ana('SELECT dp_count(0.5, 1e-6) FROM sale WHERE upper_half(price)', 'CREATE OR REPLACE FUNCTION upper_half(int) RETURNS bool IMMUTABLE LEAKPROOF PARALLEL SAFE COST 2 LANGUAGE internal AS ''int4_bool'''), false, 'that was replaced');

-- Accounts: who has paid, in this period, since the last reset. What is done between is committed: a charge waits for no lock.
CREATE PROCEDURE committed(query text, act text, INOUT shown_again bool) LANGUAGE plpgsql AS $$
DECLARE
	first text;
	before numeric;
	second text;
BEGIN
	SET ROLE kept_ana;
	first := public.answer(query);
	RESET ROLE;
	EXECUTE act;
	COMMIT;
	before := public.spent();
	SET ROLE kept_ana;
	second := public.answer(query);
	RESET ROLE;
	shown_again := public.spent() = before;
	IF first <> second AND shown_again THEN
		RAISE 'other numbers for nothing: % %', first, second;
	END IF;
END$$;
CALL committed(:total, $$SELECT gaussdp.reset_budget('kept_ana', 'sale')$$, NULL) \gset
SELECT is(:'shown_again'::bool, false, 'a reset of the role''s budget');
CALL committed(:total, $$SELECT gaussdp.reset_population_budget('buyers')$$, NULL) \gset
SELECT is(:'shown_again'::bool, false, 'of the population''s');
CALL committed(:total, $$SELECT gaussdp.grant_budget('kept_ana', 'sale', 90, 1e-6, threshold_delta => 0.1, reuse_answers => '1 hour')$$, NULL) \gset
SELECT is(:'shown_again'::bool, true, 'another limit is the same account');
CALL committed(:total, $$SELECT gaussdp.revoke_budget('kept_ana', 'sale'), gaussdp.grant_budget('kept_group', 'sale', 90, 1e-6, threshold_delta => 0.1, reuse_answers => '1 hour'), gaussdp.grant_budget('kept_group2', 'sale', 90, 1e-6, threshold_delta => 0.1, reuse_answers => '1 hour');
	GRANT kept_group TO kept_ana$$, NULL) \gset
SELECT is(:'shown_again'::bool, false, 'another account that pays');
CALL committed(:total, 'SELECT 1', NULL) \gset
SELECT is(:'shown_again'::bool, true, 'which has paid then');
CALL committed(:total, 'GRANT kept_group2 TO kept_ana', NULL) \gset
SELECT is(:'shown_again'::bool, false, 'one more');
DELETE FROM gaussdp_internal.kept_answer WHERE cardinality(paid) < 3; -- only what all three have paid for
CALL committed(:total, 'REVOKE kept_group2 FROM kept_ana', NULL) \gset
SELECT is(:'shown_again'::bool, true, 'one less: that which is left has paid');
CALL committed(:total, $$SELECT gaussdp.grant_budget('kept_group', 'sale', 90, 1e-6, reuse_answers => NULL)$$, NULL) \gset
SELECT is(:'shown_again'::bool, false, 'a grant that shows nothing again');
SELECT gaussdp.revoke_budget('kept_group', 'sale'), gaussdp.grant_budget('kept_ana', 'sale', 100, 1e-6, every => '1 day', threshold_delta => 0.1, reuse_answers => '1 hour') \g /dev/null
CALL committed(:total, 'UPDATE gaussdp_internal.ledger_account SET since = since - interval ''1 day'' WHERE role = ''kept_ana''::regrole AND people = ''buyers''', NULL) \gset
SELECT is(:'shown_again'::bool, false, 'a new period');
SELECT is((SELECT count(DISTINCT p >> 32) FROM unnest(paid) AS p), cardinality(paid)::int8, 'of the periods in which an account has paid the last one is known') FROM gaussdp_internal.kept_answer WHERE cardinality(paid) = (SELECT max(cardinality(paid)) FROM gaussdp_internal.kept_answer) LIMIT 1;
CALL committed(:total, 'UPDATE gaussdp_internal.kept_answer SET drawn = drawn - interval ''1 hour''', NULL) \gset
SELECT is(:'shown_again'::bool, false, 'an answer that is too old');
SELECT gaussdp.grant_budget('kept_bob', 'sale', 100, 1e-6, threshold_delta => 0.1, reuse_answers => '1 hour') \g /dev/null
SELECT is(as_ana(:total, 'SELECT 1'), true, 'what one role has paid for');
SET ROLE kept_ana;
SELECT answer(:total) AS of_ana \gset
SET ROLE kept_bob;
SELECT spent() AS before \gset
SELECT is(answer(:total), :'of_ana', 'is shown to another one');
SELECT is(spent() - :before, 1::numeric, 'that pays for it (kept_shared.sql)');
SELECT throws_ok('TABLE gaussdp_internal.kept_answer', '42501', NULL, 'and reads no kept answer otherwise');
RESET ROLE;

-- Of two answers the older one is shown while it is young enough, so that nobody asks anew until a number suits and leaves it to others.
SET ROLE kept_ana;
SELECT answer(:total) AS old \gset
RESET ROLE;
UPDATE gaussdp_internal.kept_answer SET drawn = drawn - interval '30 minutes';
SET ROLE kept_ana;
SET gaussdp.reuse_answers = 60;
SELECT answer(:total) AS new \gset
SELECT isnt(:'new'::text, :'old', 'one that is older than gaussdp.reuse_answers is not shown');
SELECT is(answer(:total), :'new', 'the new one is');
SET gaussdp.reuse_answers = -1;
SELECT is(answer(:total), :'old', 'to the others it is still the older one');
RESET ROLE;

-- Refused as any query is
SELECT gaussdp.pause_answers() \g /dev/null
SET ROLE kept_ana;
SELECT throws_ok(format('SELECT answer(%L)', :total), '42501', 'private answers of this database are paused', 'nothing is shown again while answers are paused');
RESET ROLE;
SELECT gaussdp.resume_answers() \g /dev/null
UPDATE gaussdp_internal.error_count SET suspended = now() WHERE false;
INSERT INTO gaussdp_internal.error_count (people, relation, role, role_name, errors, clears, suspended) VALUES ('buyers', 0, 'kept_ana'::regrole, 'kept_ana', 1, 'infinity', now());
SET ROLE kept_ana;
SELECT throws_ok(format('SELECT answer(%L)', :total), '42501', NULL, 'nor to a role that is suspended');
RESET ROLE;
DELETE FROM gaussdp_internal.error_count;
SELECT gaussdp.revoke_budget('kept_ana', 'sale') \g /dev/null
SET ROLE kept_ana;
SELECT throws_ok(format('SELECT answer(%L)', :total), '42501', NULL, 'nor without a budget');
RESET ROLE;
SELECT gaussdp.grant_budget('kept_ana', 'sale', 100, 1e-6, threshold_delta => 0.1, reuse_answers => '1 hour') \g /dev/null
SELECT is(as_ana(:total, 'SELECT 1'), true, 'with one it is again');
SELECT gaussdp.hide_columns('sale', '{price}') \g /dev/null
SET ROLE kept_ana;
SELECT throws_ok(format('SELECT answer(%L)', :total), '42501', NULL, 'a column that was hidden meanwhile');
RESET ROLE;

-- What is paid, and what is asked twice, is counted once: before a statement is charged, and by explain_privacy.
CREATE TABLE small (id int PRIMARY KEY, price int);
INSERT INTO small SELECT i, i FROM generate_series(1, 100) i;
SELECT gaussdp.protect('small', unit => 'id', people => 'few'), gaussdp.grant_budget('kept_ana', 'small', 1, 1e-6, threshold_delta => 0, reuse_answers => '1 hour') \g /dev/null
\set one '(SELECT dp_count(0.9, 1e-6) FROM small)'
\set two '(SELECT dp_count(0.35, 1e-6) FROM small WHERE price > 5)'
\set both 'SELECT ' :one ' - (SELECT dp_count(0.9, 1e-6) FROM small WHERE price > 3)'
\set twice 'SELECT ' :one ' - ' :one
\set after 'SELECT ' :two ' - ' :one
\set one 'SELECT ' :one
CREATE FUNCTION verdicts(query text) RETURNS text LANGUAGE sql AS $$SELECT string_agg(concat_ws(': ', verdict, regexp_replace(reason, ' at .* and', ' and')), E'\n') FROM gaussdp.explain_privacy(query)$$;
SET ROLE kept_ana;
SELECT is(verdicts(:'both'), E'too expensive\ntoo expensive: The budget does not suffice.', 'two parts that do not fit together');
SELECT throws_ok(:'both', '53400', NULL, 'are not answered');
SELECT is(verdicts(:'twice'), E'private\nprivate: The numbers of an equal part of the query are shown: nothing is charged.', 'two equal ones are one');
SELECT is(answer(:'twice'), '(0)', 'and answered');
SELECT is(verdicts(:'one'), 'private: These numbers were drawn and are paid: nothing is charged.', 'what is paid costs nothing, though the budget does not suffice for it once more');
SELECT is(verdicts($$SELECT dp_count(0.9, 1e-6) FROM small WHERE price > 3$$), 'too expensive: The budget does not suffice.', 'as for another one');
SELECT is(verdicts(:'after'), E'private\nprivate: These numbers were drawn and are paid: nothing is charged.', 'nor beside what is not');
SELECT lives_ok(:'after', 'which is answered then');
SET gaussdp.reuse_answers = 0;
SELECT is(verdicts(:'one'), 'too expensive: The budget does not suffice.', 'drawn anew it does not fit');
SELECT throws_ok(:'one', '53400', NULL, 'nor is it answered');
SET gaussdp.reuse_answers = -1;
PREPARE twice(int, int) AS SELECT (SELECT dp_count(0.05, 1e-6) FROM small WHERE price > $1), (SELECT dp_count(0.05, 1e-6) FROM small WHERE price > $2);
SELECT spent() AS before \gset
EXECUTE twice(7, 7) \g /dev/null
SELECT is(spent() - :before, 1::numeric, 'equal parameters too');
EXECUTE twice(7, 8) \g /dev/null
SELECT is(spent() - :before, 2::numeric, 'but no others');
RESET ROLE;

-- Where max_rows or C is found: the numbers, what was found, what is said of it and the price are those of the first time.
CREATE TABLE buy (customer int, month int, amount int);
INSERT INTO buy SELECT c, 1 + (c * 7 + i * 5) % 12, c * i % 90 FROM generate_series(1, 1500) c, generate_series(1, 1 + c % 25) i;
SELECT gaussdp.protect('buy', unit => 'customer', max_rows => 0, people => 'customers'), gaussdp.set_bounds('buy', 'amount', 0, 100) \g /dev/null
SELECT gaussdp.grant_budget(r, 'buy', 1000, 1e-2, threshold_delta => 0.1, reuse_answers => '1 hour') FROM unnest('{kept_ana,kept_bob}'::text[]) r \g /dev/null
CREATE TABLE finding (n int, query text);
INSERT INTO finding VALUES (1, 'SELECT dp_count(5, 1e-6), dp_sum(amount, 5, 1e-6), dp_avg(amount, 2, 1e-6), dp_count(5, 1e-6) + 1 FROM buy'),
	(2, 'SELECT month, dp_count(DISTINCT customer, 5, 1e-6), dp_count(5, 1e-6) FROM buy GROUP BY month HAVING dp_keep_group(2, 1e-6)'), (3, 'SELECT dp_count(5, 1e-6) FROM buy WHERE amount > 1000'),
	(4, 'SELECT month, dp_count(5, 1e-6) FROM buy GROUP BY month HAVING dp_count(5, 1e-6) > 40');
CREATE TABLE said AS SELECT 0 AS n, ''::text AS turn, ''::text AS answer, 0::numeric AS spent, l.* FROM gaussdp.last_answer AS l LIMIT 0;
GRANT ALL ON said, finding TO kept_ana, kept_bob;
-- Each in a statement of its own, of which gaussdp.last_answer is
CREATE FUNCTION told(n int, turn text, query text) RETURNS void LANGUAGE plpgsql AS $$
DECLARE answer text := public.answer(query);
BEGIN
	INSERT INTO public.said SELECT n, turn, answer, public.spent(), l.* FROM gaussdp.last_answer AS l;
END$$;
SET ROLE kept_ana;
SELECT format('SELECT told(%s, %L, %L)', n, turn, query) FROM finding, unnest('{drawn,shown}'::text[]) turn ORDER BY n, turn \gexec
SELECT matches(verdicts(query), '^(private: These numbers were drawn and are paid: nothing is charged.\n?)+$', 'explain_privacy knows that it is paid') FROM finding WHERE n = 1;
SET ROLE kept_bob;
SELECT told(n, 'shared', query) FROM finding WHERE n = 2 \g /dev/null
SELECT told(n, 'shared again', query) FROM finding WHERE n = 2 \g /dev/null
RESET ROLE;
CREATE VIEW saying AS SELECT n, turn, max(answer) AS answer, max(spent) AS spent, sum(mu_squared)::numeric(20, 9) AS price, min(at) AS at,
	string_agg(concat_ws(' ', call, relation, max_rows, is_found, cut, cut_at_most, sigma, half_width_95, delta), E'\n') AS said FROM said GROUP BY n, turn;
SELECT is(ROW(shown.answer, shown.spent, shown.said, shown.at, shown.price), ROW(drawn.answer, drawn.spent, drawn.said, drawn.at, 0::numeric(20, 9)), 'what was found is shown again, and said, for nothing: ' || n)
FROM saying AS drawn JOIN saying AS shown USING (n) WHERE drawn.turn = 'drawn' AND shown.turn = 'shown' ORDER BY n;
SELECT matches(said, '^max_rows .*\ndp_.* [tf] ', 'which was found: ' || n) FROM saying WHERE turn = 'drawn' ORDER BY n;
SELECT is(bool_and(is_found), n <> 3, 'where nobody stands out, that too: ' || n) FROM said WHERE is_found IS NOT NULL AND turn = 'shown' GROUP BY n ORDER BY n;
SELECT is(ROW(shared.answer, shared.said, shared.price), ROW(drawn.answer, drawn.said, drawn.price), 'another role is shown them for the price of all, the histogram too')
FROM saying AS drawn JOIN saying AS shared USING (n) WHERE drawn.turn = 'drawn' AND shared.turn = 'shared';
SELECT is(string_agg(kind, ' ' ORDER BY item), 'max_rows dp_count dp_count dp_keep_group', 'which is what is charged') FROM gaussdp.journal WHERE role = 'kept_bob' AND "table" = 'buy'::regclass AND kind IS NOT NULL;
SELECT is(ROW(again.answer, again.spent, again.price), ROW(shared.answer, shared.spent, 0::numeric(20, 9)), 'once') FROM saying AS shared JOIN saying AS again USING (n) WHERE shared.turn = 'shared' AND again.turn = 'shared again';
SELECT is(as_ana(query, $$SELECT gaussdp.protect('buy', max_rows => 32)$$), false, 'a number that is declared is another question') FROM finding WHERE n = 1;
SELECT gaussdp.protect('buy', max_rows => 0) \g /dev/null
SET ROLE kept_ana;
SELECT is(answer(query), (SELECT max(answer) FROM said WHERE said.n = 1), 'found again, whatever it is, it is the first one') FROM finding WHERE n = 1;
SELECT is(answer('SELECT (SELECT dp_count(3, 1e-6) FROM buy) - (SELECT dp_count(3, 1e-6) FROM buy)'), '(0)', 'two equal ones are one draw');
SELECT is(after(query, 'SET gaussdp.reuse_answers = 0'), false, 'unless each is drawn anew') FROM finding WHERE n = 1;
RESET ROLE;
RESET gaussdp.reuse_answers;

SELECT * FROM finish();
