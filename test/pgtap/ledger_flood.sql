\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Who asks a lot for very little: the journal stays small, and no charge is lost of it. The worker sees committed tables only:
-- nothing is rolled back here.
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 10, delta float8 = 0, n int = 1)
  RETURNS int AS :'testlib', 'test_charge' LANGUAGE C VOLATILE;

-- Whoever makes up a packed value gets no text out of it that is invalid in the encoding of the database, as functions on rows count on valid ones.
SELECT current_database() AS here, current_database() || '_euc' AS euc \gset
CREATE DATABASE :"euc" TEMPLATE template0 ENCODING 'EUC_JP' LOCALE 'C';
\connect :euc
SET client_min_messages = warning;
CREATE EXTENSION gaussdp;
CREATE FUNCTION state() RETURNS text LANGUAGE plpgsql AS $$BEGIN
	PERFORM kind FROM gaussdp_internal.releases(('\x0103e381820001' || repeat('00', 24))::bytea);
	RETURN 'a text';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END$$;
SELECT state() \gset
\connect :here
DROP DATABASE :"euc";

SELECT plan(28);
CREATE ROLE flood_ana;
CREATE TABLE emp (id int PRIMARY KEY);
INSERT INTO emp SELECT generate_series(1, 10);
CREATE TABLE pay (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.protect('pay', 'id') \g /dev/null
SELECT gaussdp.grant_budget('flood_ana', t, 3, 1e-6) FROM unnest('{emp,pay}'::regclass[]) AS t \g /dev/null
SELECT limit_mu2, ceil(limit_mu2 / 2.0 ^ 20)::int8 AS least FROM gaussdp_internal.ledger_account WHERE people = 'staff' AND holder = 'r' \gset
CREATE VIEW rows AS SELECT * FROM gaussdp_internal.journal_entry WHERE event = 'charge';
CREATE FUNCTION spent(table_ regclass) RETURNS int8 LANGUAGE sql AS $$SELECT spent_mu2 FROM gaussdp_internal.ledger_account
  WHERE CASE table_ WHEN 'emp'::regclass THEN people = 'staff' ELSE relation = table_ END AND holder = 'r'$$;

-- A level is a row, equal releases are counted in it
SET ROLE flood_ana;
SELECT charge('emp', 1e-5, 1, 0, 128) \g /dev/null
RESET ROLE;
SELECT is((SELECT count(*)::int FROM rows), 1, '128 releases of a query are one row');
SELECT results_eq('SELECT kind, times, queries, mu2 FROM gaussdp.journal WHERE sigma IS NOT NULL', format('VALUES (%L, 128, 1, %s / 2.0::float8 ^ 52)', 'dp_test', :least), 'and one line, that says how many');
SELECT is(spent('emp'), :least::int8, 'they cost the least price of a query, 2^-20 of the grant');
SET ROLE flood_ana;
SELECT public.dp_count(1e-3, 1e-6), dp_sum(id, 1e-3, 1e-6, 0, 10), dp_sum(id::int8, 1e-3, 1e-6, 0, 10) FROM emp \g /dev/null
RESET ROLE;
SELECT results_eq('SELECT item, kind, times FROM gaussdp.journal WHERE charge = (SELECT max(charge) FROM rows) ORDER BY item', $$VALUES (1, 'dp_count', 1), (2, 'dp_sum', 2)$$, 'releases of several kinds are lines of one row');
SELECT is((SELECT sum(mu2) FROM gaussdp.journal WHERE event = 'charge') * 2.0::float8 ^ 52, spent('emp')::float8, 'whose costs add up to the budget''s');

-- What the least price is, and what is left, is told before
SELECT (:limit_mu2 - spent('emp')) / :least AS left \gset
SET ROLE flood_ana;
CREATE TEMPORARY TABLE told AS SELECT epsilon_left_before - epsilon_left_after AS price, reason FROM gaussdp.explain_privacy('SELECT dp_count(1e-5, 1e-9) FROM emp', exact => true);
SELECT matches(reason, '^A query costs at least 2\^-20 of the budget, here a mu\^2 of [0-9.e-]+\.$', 'explain_privacy tells the least price') FROM told;
SELECT ok(price > 0, 'and takes it from what is left') FROM told;
SELECT is((SELECT reason FROM gaussdp.explain_privacy('SELECT dp_count(0.5, 1e-6) FROM emp')), NULL, 'and has nothing to tell of an ordinary query');
SELECT is(gaussdp.queries_left('emp', 1e-5, 1e-9), :left::int8, 'queries_left counts by it, too');
RESET ROLE;

-- So the number of rows in a period has a bound
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = limit_mu2 - 40 * :least::int8 - :least / 2, carried_mu2 = carried_mu2 + limit_mu2 - 40 * :least::int8 - :least / 2 - spent_mu2 WHERE people = 'staff' AND holder = 'r';
SET ROLE flood_ana;
SELECT lives_ok($$SELECT charge('emp', 1e-300, i) FROM generate_series(1, 40) AS i$$, 'a budget pays for 40 times its least price');
SELECT throws_ok($$SELECT charge('emp', 1e-300, 1)$$, '53400', NULL, 'and not for the 41st');
RESET ROLE;

-- Equal queries of a second share a row, after the first few
SELECT clock_timestamp() AS before \gset
SELECT count(*) AS n FROM rows \gset
SET ROLE flood_ana;
SELECT count(charge('pay', 1e-9, 1)) FROM generate_series(1, 2000) \g /dev/null
RESET ROLE;
SELECT cmp_ok((SELECT count(*) FROM rows) - :n, '<=', (17 * (extract(epoch FROM clock_timestamp() - :'before') + 2))::int8, '2,000 equal queries are few rows');
SELECT is((SELECT sum(queries) FROM rows WHERE relation = 'pay'::regclass), 2000::int8, 'that count each of them');
SELECT is((SELECT sum(mu2) FROM rows WHERE relation = 'pay'::regclass), spent('pay')::numeric, 'and add up to the budget');
SELECT is((SELECT sum(times) FROM gaussdp.journal WHERE "table" = 'pay'::regclass AND sigma = 1), 2000::int8, 'as lines do');

-- A row of an ordinary query is small, its part of the indexes included
TRUNCATE gaussdp_internal.journal_entry;
SET ROLE flood_ana;
SELECT count(charge('pay', 1e-9, 1 + i)) FROM generate_series(1, 3000) AS i \g /dev/null
RESET ROLE;
SELECT is((SELECT count(*)::int FROM rows), 3000, '3,000 queries that differ are 3,000 rows');
SELECT cmp_ok(pg_total_relation_size('gaussdp_internal.journal_entry') / 3000.0, '<=', 250.0, 'of 250 bytes at most');

-- What owners do is kept for ever, so a role has a number of acts a day
CREATE ROLE flood_owner;
CREATE TABLE flat (id int PRIMARY KEY);
ALTER TABLE flat OWNER TO flood_owner;
SELECT current_user AS me \gset
SET SESSION AUTHORIZATION flood_owner;
SELECT gaussdp.protect('flat', 'id') \g /dev/null
SELECT gaussdp.grant_budget('flood_ana', 'flat', 3, 1e-6), gaussdp.revoke_budget('flood_ana', 'flat'), gaussdp.revoke_budget('flood_ana', 'flat') \g /dev/null
RESET SESSION AUTHORIZATION;
SELECT is((SELECT string_agg(event, ' ' ORDER BY charge) FROM gaussdp_internal.journal_entry WHERE session_role = 'flood_owner'), 'grant revoke', 'a grant that is revoked already is not revoked again');
INSERT INTO gaussdp_internal.journal_entry (charge, at, relation, event, session_role, role, people, relation_name)
  SELECT -i, now() - interval '1 hour', 'flat', 'grant', 'flood_owner', '', '', '' FROM generate_series(1, 9997) AS i;
INSERT INTO gaussdp_internal.journal_entry (charge, at, relation, event, session_role, role, people, relation_name)
  SELECT -10000 - i, now() - i * interval '25 hours', 'flat', 'grant', 'flood_owner', '', '', '' FROM generate_series(1, 9) AS i;
SET SESSION AUTHORIZATION flood_owner;
SELECT lives_ok($$SELECT gaussdp.grant_budget('flood_ana', 'flat', 3, 1e-6)$$, 'the 10,000th act of a day');
SELECT throws_ok($$SELECT gaussdp.grant_budget('flood_ana', 'flat', 3, 1e-6)$$, '53400', 'role "flood_owner" has changed budgets too often', 'and not the next');
SELECT throws_ok($$SELECT gaussdp.set_population_budget('flat', 3, 1e-6)$$, '53400', NULL, 'nor a limit');
SELECT throws_ok($$SELECT gaussdp.drop_population_budget('flat')$$, '53400', NULL, 'nor none');
SELECT lives_ok($$SELECT gaussdp.revoke_budget('flood_ana', 'flat')$$, 'revoking is never refused');
RESET SESSION AUTHORIZATION;
SELECT is((SELECT granted FROM gaussdp_internal.ledger_account WHERE relation = 'flat'::regclass AND holder = 'r'), false, 'and has happened');
SELECT lives_ok($$SELECT gaussdp.grant_budget('flood_ana', 'flat', 3, 1e-6)$$, 'a superuser may');
UPDATE gaussdp_internal.journal_entry SET at = at - interval '23 hours' WHERE session_role = 'flood_owner';
SET SESSION AUTHORIZATION flood_owner;
SELECT lives_ok($$SELECT gaussdp.grant_budget('flood_ana', 'flat', 3, 1e-6)$$, 'and the owner a day later');
RESET SESSION AUTHORIZATION;
TRUNCATE gaussdp_internal.journal_entry;

-- The packed form is checked by who reads it
SELECT throws_ok($$SELECT * FROM gaussdp_internal.releases('\x01ff')$$, '08P01', NULL, 'a value that is cut off is an error');
SELECT is(:'state'::text, '22021', 'and so are letters that are none in the encoding of the database');
SELECT * FROM finish();
DROP TABLE emp, pay, told, flat;
DROP ROLE flood_ana, flood_owner;
