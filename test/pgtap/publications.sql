\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.publish(): released numbers in a plain table. Its owner alone pays, each refresh is all or nothing, and nobody publishes exact numbers by mistake.
-- Dumps, pg_cron and two refreshes at once are in tap/publications.pl and neighbours/publications.pl.
LOAD '$libdir/gaussdp';
SET client_min_messages = error;
SET gaussdp.reuse_answers = -1;
SELECT no_plan();
CREATE ROLE pub_press;
CREATE ROLE pub_member IN ROLE pub_press;
CREATE ROLE pub_reader;
CREATE ROLE pub_keeper;
CREATE SCHEMA news AUTHORIZATION pub_press;
GRANT USAGE ON SCHEMA news TO PUBLIC;
CREATE TABLE sale (id int PRIMARY KEY, region text, price int, at timestamptz);
INSERT INTO sale SELECT i, 'r' || i % 3, i % 90, '2026-01-01 00:30+00' FROM generate_series(1, 3000) i;
CREATE TABLE open_data (x int);
GRANT SELECT ON open_data TO PUBLIC;
INSERT INTO open_data VALUES (0);
DO $$BEGIN
	PERFORM gaussdp.protect('sale', unit => 'id', people => 'pub buyers'), gaussdp.set_bounds('sale', 'price', 0, 100);
	PERFORM gaussdp.grant_budget('pub_press', 'sale', 500, 1e-6, default_epsilon => 5, default_delta => 1e-7, threshold_delta => 0.1);
END$$;
CREATE FUNCTION charges() RETURNS int8 LANGUAGE sql SECURITY DEFINER AS $$SELECT coalesce(sum(queries), 0)::int8 FROM gaussdp_internal.journal_entry WHERE event = 'charge'$$;
CREATE FUNCTION numbers(publication text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('SELECT string_agg(t::text, %L ORDER BY t::text) FROM %s t', E'\n', publication) INTO result;
	RETURN result;
END$$;
-- The numbers become so much older.
CREATE FUNCTION age_by(by interval) RETURNS void LANGUAGE sql SECURITY DEFINER AS $$
	UPDATE gaussdp_internal.publication SET drawn_at = drawn_at - by, charged_at = charged_at - by, failed_at = failed_at - by; UPDATE gaussdp_internal.kept_answer SET drawn = drawn - by$$;

-- A publication: plain SQL, whatever the session says, numbers with their time, price and half widths
SET search_path = news, public;
SET ROLE pub_press;
SELECT is(gaussdp.publish('by_region', 'SELECT region, count(*) AS sales, sum(price) AS price FROM sale GROUP BY region;', every => '1 day')::text, 'by_region', 'publish returns the table');
SELECT results_eq('SELECT region, sales BETWEEN 980 AND 1020, price BETWEEN 40000 AND 49000 FROM by_region ORDER BY 1', $$VALUES ('r0', true, true), ('r1', true, true), ('r2', true, true)$$, 'which has the query''s columns, privately');
SELECT ok(bool_and(half_widths -> 'dp_count' IS NOT NULL AND half_widths -> 'dp_sum' IS NOT NULL AND (half_widths ->> 'dp_count')::float8 < 10), 'half widths of its calls') FROM by_region;
SELECT ok(bool_and(price_epsilon BETWEEN 7 AND 13 AND price_delta BETWEEN 1e-7 AND 2e-6 AND drawn_at BETWEEN now() - interval '1 min' AND clock_timestamp()), 'their price, and when they were drawn') FROM by_region;
SELECT is((SELECT min(price_epsilon) FROM by_region), gaussdp_internal.three_digits((SELECT gdp.epsilon(sqrt(sum(mu_squared)), 1e-7) FROM gaussdp.explain_privacy('SELECT region, dp_count(5, 1e-7), dp_sum(price, 5, 1e-7) FROM sale GROUP BY region HAVING dp_keep_group(*)', exact => true)), true),
	'the price is that of all calls together');
SELECT results_eq('SELECT publication::text, publisher = ''pub_press'', every, due_at - drawn_at, price_epsilon, problem FROM gaussdp.publications', $$SELECT 'by_region', true, interval '1 day', interval '1 day', max(price_epsilon), NULL FROM by_region$$, 'publications lists it');
SELECT is(current_setting('gaussdp.answer_plain_sql') || current_setting('gaussdp.as_analyst') || current_setting('gaussdp.epsilon') || current_setting('search_path'), 'offoff0news, public', 'the session''s settings stay');

-- Readers need SELECT, and no budget
GRANT SELECT ON by_region TO pub_reader;
SELECT numbers('by_region') AS first, charges() AS paid \gset
SET ROLE pub_reader;
SELECT is(numbers('by_region'), :'first', 'a reader with SELECT needs no budget');
SELECT is((SELECT count(*) FROM gaussdp.publications), 1::int8, 'and sees the publication');
SELECT throws_ok('SELECT gaussdp.refresh(''by_region'')', '42501', 'must be owner of publication news.by_region to refresh it', 'but does not make its owner pay');
SELECT is_empty('SELECT gaussdp.refresh_due()', 'nor by those that are due');
SELECT throws_ok($$SELECT gaussdp_internal.write_publication('by_region', 'SELECT 1', NULL, '{}')$$, '42501', NULL, 'and does not change what it asks');
SELECT throws_ok('TABLE gaussdp_internal.publication', '42501', NULL, 'nor reads what is stored');
SELECT throws_ok($$SELECT gaussdp.publish('by_region', 'SELECT count(*) FROM sale')$$, '42P07', NULL, 'nor publishes in that name');
SET ROLE pub_member;
SELECT throws_ok('SELECT gaussdp.refresh(''by_region'')', '42501', NULL, 'a member of the owner''s role has to become the owner');
RESET ROLE;
SELECT throws_ok('SELECT gaussdp.refresh(''by_region'')', '42501', NULL, 'so has a superuser, whose numbers would be exact');
CREATE FUNCTION by_definer() RETURNS timestamptz LANGUAGE sql SECURITY DEFINER AS 'SELECT gaussdp.refresh(''news.by_region'')';
SET ROLE pub_press;
SELECT throws_ok('SELECT by_definer()', '42501', NULL, 'a function of a superuser asks as a superuser');
RESET ROLE;
CREATE ROLE pub_stranger;
SET ROLE pub_stranger;
SELECT is((SELECT count(*) FROM gaussdp.publications), 0::int8, 'who may not read the table does not see what was asked');
SET ROLE pub_press;
SELECT is(charges(), :paid::int8, 'nothing of this was charged');

-- Refreshing
SELECT gaussdp.refresh('by_region') AS drawn \gset
SELECT is(numbers('by_region'), :'first', 'while the grant shows answers again, a refresh costs nothing');
SELECT is(charges(), :paid::int8, 'and is not charged');
SELECT is_empty('SELECT gaussdp.refresh_due()', 'nothing is due');
SELECT age_by('50 min');
SELECT is_empty('SELECT gaussdp.refresh_due()', 'nor is it by and by');
SELECT age_by('23 hours 11 min');
SELECT results_eq('SELECT gaussdp.refresh_due()::text', $$VALUES ('by_region')$$, 'numbers as old as every says are drawn anew');
SELECT isnt(numbers('by_region'), :'first', 'others');
SELECT is(charges() - :paid, 1::int8, 'for which one release was charged');
SELECT is((SELECT count(*) FROM by_region), 3::int8, 'and the old ones are gone');
SELECT numbers('by_region') AS first, charges() AS paid \gset
SET gaussdp.reuse_answers = 0;
SELECT gaussdp.refresh('by_region') AS drawn \gset
SELECT is(charges() - :paid, 1::int8, 'gaussdp.reuse_answers = 0 draws anew');
SET gaussdp.reuse_answers = -1;
-- Younger than the grant, older than every
SELECT gaussdp.publish('total', 'SELECT count(*) FROM sale', every => '10 min') \g /dev/null
SELECT age_by('11 min'), charges() AS paid \gset
SELECT is((SELECT count(*) FROM gaussdp.refresh_due()), 1::int8, 'every counts, if the grant would show older numbers');
SELECT is(charges() - :paid, 1::int8, 'and they are drawn and charged');

-- A refresh that fails keeps the numbers, and says so; it is not tried before the next ones are due, since it may have been charged.
SELECT gaussdp.publish('fails', 'SELECT count(*) / (SELECT 1 - x FROM public.open_data) AS n FROM sale', every => '1 hour') \g /dev/null
RESET ROLE;
UPDATE open_data SET x = 1;
SET ROLE pub_press;
SELECT numbers('fails') AS kept, age_by('2 hours') \gset
SELECT throws_ok('SELECT gaussdp.refresh(''fails'')', '22012', NULL, 'a refresh by hand fails with the error of the query');
SELECT is(array_agg(r::text ORDER BY r::text), '{total}', 'one that fails holds up no other one') FROM gaussdp.refresh_due() AS r;
SELECT is(regexp_replace(numbers('fails'), '"[^"]*"', ''), regexp_replace(:'kept', '"[^"]*"', ''), 'the old numbers stay');
SELECT results_eq('SELECT problem, failed_at IS NOT NULL, due_at > clock_timestamp() FROM gaussdp.publications WHERE publication = ''fails''::regclass', $$VALUES ('division by zero', true, true)$$, 'publications says what happened');
GRANT SELECT ON fails TO pub_reader;
SET ROLE pub_reader;
SELECT is((SELECT problem FROM gaussdp.publications WHERE publication = 'fails'::regclass), NULL, 'to its owner');
SET ROLE pub_press;
SELECT charges() AS paid \gset
SELECT is_empty('SELECT gaussdp.refresh_due()', 'it is not tried again at once');
SELECT is(charges(), :paid::int8, 'nor charged');
RESET ROLE;
UPDATE open_data SET x = 0;
SET ROLE pub_press;
SELECT age_by('2 hours') \g /dev/null
SELECT is((SELECT array_agg(r::text ORDER BY r::text) FROM gaussdp.refresh_due() AS r), '{fails,total}', 'but when the next ones are due');
SELECT is((SELECT problem FROM gaussdp.publications WHERE publication = 'fails'::regclass), NULL, 'and the problem is gone');

-- What a publication means does not change with the session that refreshes it.
SET TimeZone = 'America/New_York';
SET gaussdp.epsilon = 7;
SELECT gaussdp.publish('news.kept', $$SELECT EXTRACT(day FROM at) AS day, count(*) AS n FROM sale GROUP BY 1$$) \g /dev/null
SELECT numbers('kept') AS first, min(price_epsilon) AS price FROM kept \gset
SET search_path = pg_catalog;
SET TimeZone = 'UTC';
RESET gaussdp.epsilon;
SET gaussdp.reuse_answers = 0;
SELECT gaussdp.refresh('news.kept') \g /dev/null
SET search_path = news, public;
SET gaussdp.reuse_answers = -1;
SELECT results_eq('SELECT day, price_epsilon FROM kept', format('VALUES (31::numeric, %s::float8)', :'price'), 'names, time zone and epsilon are those of the session that has published');
SELECT is_empty('SELECT FROM gaussdp.publications WHERE publication = ''kept''::regclass AND due_at IS NOT NULL', 'without every it is never due');

-- Published anew
SELECT gaussdp.publish('total', 'SELECT count(*) FROM sale WHERE price < 45', every => '2 days') \g /dev/null
SELECT ok((SELECT count BETWEEN 1400 AND 1620 FROM total), 'a publication of that name takes over another query');
SELECT is((SELECT every FROM gaussdp.publications WHERE publication = 'total'::regclass), '2 days', 'and every');
SELECT throws_ok($$SELECT gaussdp.publish('total', 'SELECT region FROM sale GROUP BY region')$$, '42804', NULL, 'of the same columns');
SELECT ok((SELECT count BETWEEN 1400 AND 1620 FROM total), 'else all stays');
CREATE TABLE taken (x int);
SELECT throws_ok($$SELECT gaussdp.publish('taken', 'SELECT count(*) FROM sale')$$, '42P07', NULL, 'another table of that name is left alone');

-- What is no publication
SELECT throws_ok($$SELECT gaussdp.publish('x', 'SELECT x FROM open_data')$$, '22023', 'the query releases nothing about a protected table', 'public rows');
SELECT throws_ok($$SELECT gaussdp.publish('x', 'SELECT region FROM sale')$$, '42501', NULL, 'rows of people');
SELECT throws_ok($$SELECT gaussdp.publish('pg_temp.x', 'SELECT count(*) FROM sale')$$, '42P16', NULL, 'a temporary table');
SELECT throws_ok(format($$SELECT gaussdp.publish('x', 'SELECT count(*) FROM sale', every => %L)$$, every), '22023', 'every must be from 1 second to 10 years, not ' || every, 'every') FROM unnest('{00:00:00,11 years}'::interval[]) every;
SELECT throws_ok($$SELECT gaussdp.publish('x', NULL)$$, '22004', 'name, query and path must not be null', 'no query');
SELECT throws_ok($$SELECT gaussdp.publish('x', 'SELECT count(*) FROM sale; DROP TABLE news.total')$$, '42601', NULL, 'two statements');
SELECT throws_ok($$SELECT gaussdp.refresh('sale')$$, '55000', 'public.sale is no publication of this role', 'a table that is none');
SELECT is(to_regclass('x'), NULL, 'leave nothing behind');
RESET ROLE;
GRANT SELECT ON sale TO pub_keeper;
GRANT CREATE ON SCHEMA news TO pub_keeper;
SELECT gaussdp.grant_budget('pub_keeper', 'sale', 5, 1e-6) \g /dev/null
SET ROLE pub_keeper;
SELECT throws_ok($$SELECT gaussdp.publish('x', 'SELECT dp_count(1, 1e-6) FROM sale')$$, '42501', 'role "pub_keeper" may read table "sale", so that no budget pays for these numbers', 'who may read the table publishes nothing of it, neither exactly nor unpaid');

-- Renamed, given away, dropped
RESET ROLE;
ALTER ROLE pub_press RENAME TO pub_paper;
ALTER TABLE news.kept RENAME TO "Kept";
SET ROLE pub_paper;
SELECT isnt(gaussdp.refresh('"Kept"'), NULL, 'role and table may have other names');
RESET ROLE;
ALTER TABLE news."Kept" OWNER TO pub_reader;
SET ROLE pub_paper;
SELECT throws_ok($$SELECT gaussdp.refresh('"Kept"')$$, '55000', NULL, 'a publication that was given away is no longer one');
SET ROLE pub_reader;
SELECT throws_ok($$SELECT gaussdp.refresh('"Kept"')$$, '55000', NULL, 'what one role has written does not run in the name of another');
SELECT is(count(*), 0::int8, 'nor when it is due') FROM gaussdp.refresh_due();
CREATE VIEW pg_temp.seen AS SELECT 1 AS n;
SELECT throws_ok($$SELECT gaussdp_internal.write_publication('pg_temp.seen', 'SELECT 1', '1 day', '{}')$$, '42501', NULL, 'a view is no publication, nor what is temporary');
RESET ROLE;
DROP TABLE news."Kept";
SELECT is((SELECT count(*) FROM gaussdp_internal.publication), 3::int8, 'DROP TABLE ends it');
DROP SCHEMA news CASCADE;
SELECT is((SELECT count(*) FROM gaussdp_internal.publication), 0::int8, 'so does DROP SCHEMA');
SELECT * FROM finish();
