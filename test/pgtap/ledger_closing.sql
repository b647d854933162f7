\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
-- Who joins a population, and what dropped tables and roles leave behind.
BEGIN;
SELECT plan(53);
CREATE ROLE ledger_alice;
CREATE ROLE ledger_mallory;
CREATE ROLE ledger_spy;
CREATE ROLE ledger_ana;
CREATE SCHEMA a AUTHORIZATION ledger_alice;
CREATE SCHEMA m AUTHORIZATION ledger_mallory;
GRANT USAGE ON SCHEMA a, m TO PUBLIC;

-- Budgets that end with this statement, as the journal has them.
CREATE TEMPORARY TABLE marks AS SELECT 0::int8 AS charge;
GRANT ALL ON marks TO PUBLIC;
CREATE FUNCTION closed() RETURNS text LANGUAGE plpgsql SECURITY DEFINER AS $$
DECLARE result text;
BEGIN
  SELECT string_agg(role || ' ' || relation_name || ' by ' || j.session_role, ', ' ORDER BY role)
  INTO result FROM gaussdp_internal.journal_entry AS j WHERE event = 'close' AND charge > (SELECT m.charge FROM marks AS m);
  UPDATE marks SET charge = (SELECT max(j.charge) FROM gaussdp_internal.journal_entry AS j);
  RETURN replace(coalesce(result, ''), session_user, 'us');
END$$;
CREATE FUNCTION granted() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$
  SELECT coalesce(string_agg(paid_by || ' ' || granted, ', ' ORDER BY paid_by), '') FROM gaussdp.budget WHERE paid_by <> 'population'$$;

-- A population whose name was used before
SET ROLE ledger_mallory;
CREATE TABLE m.bait (id int PRIMARY KEY);
SELECT gaussdp.protect('m.bait', 'id', people => 'staff') \g /dev/null
SELECT gaussdp.grant_budget('ledger_spy', 'm.bait', 100, 1e-3) \g /dev/null
SET ROLE ledger_alice;
CREATE TABLE a.emp (id int PRIMARY KEY);
CREATE TABLE a.pay (id int PRIMARY KEY);
SELECT throws_ok($$SELECT gaussdp.protect('a.emp', 'id', people => 'staff')$$, '42501', NULL, 'nobody joins the population of another');
SELECT throws_ok($$SECURITY LABEL FOR gaussdp ON TABLE a.emp IS 'protected people=staff'$$, '42501', NULL, 'by no label either');
SELECT lives_ok($$SELECT gaussdp.protect('a.emp', 'id', people => 'others')$$, 'but makes one');
SELECT throws_ok($$SELECT gaussdp.protect('a.emp', 'id', people => 'staff', change_unit => true)$$, '42501', NULL, 'nor changes over to it');
SET ROLE ledger_mallory;
SELECT gaussdp.unprotect('m.bait') \g /dev/null
SELECT is(closed(), 'ledger_spy m.bait by us', 'a population without tables closes its budgets, and the journal says so');
SET ROLE ledger_alice;
SELECT lives_ok($$SELECT gaussdp.protect('a.emp', 'id', people => 'staff', change_unit => true)$$, 'its name is free then');
SELECT is(granted(), 'ledger_spy false', 'and with it come none of its grants');
SET ROLE ledger_spy;
SELECT is(gaussdp.queries_left('a.emp', 1, 1e-6), 0::int8, 'the role has nothing to spend');
SET ROLE ledger_mallory;
SELECT throws_ok($$SELECT gaussdp.protect('m.bait', 'id', people => 'staff')$$, '42501', NULL, 'whoever left does not come back');
SELECT throws_ok($$SELECT gaussdp.set_population_budget('staff', 1, 1e-6)$$, '42501', NULL, 'nor limits the population');
RESET ROLE;

-- Tables of one population
SET ROLE ledger_alice;
SELECT gaussdp.protect('a.pay', 'id', people => 'staff') \g /dev/null
SELECT gaussdp.grant_budget('ledger_ana', 'a.pay', 1, 1e-6) \g /dev/null
RESET ROLE;
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 1000 WHERE role = 'ledger_ana'::regrole;
SET ROLE ledger_alice;
SELECT gaussdp.protect('a.pay', 'id', 3, people => 'staff') \g /dev/null
SELECT is(closed(), '', 'another max_rows closes nothing');
DROP TABLE a.pay;
SELECT is(closed(), '', 'a dropped table closes nothing while the population has another');
SELECT is(granted(), 'ledger_ana true, ledger_spy false', 'its budgets hold');
SELECT is((SELECT count(*)::int FROM gaussdp.journal WHERE relation_name = 'a.pay'), 0, 'its lines are no owner''s any more');
RESET ROLE;
SELECT is((SELECT string_agg(event || ' ' || relation_name || ' ' || "table"::text, ',' ORDER BY charge) FROM gaussdp.journal WHERE relation_name = 'a.pay'),
  'grant a.pay -', 'an auditor reads its name');
SET ROLE ledger_alice;
DROP TABLE a.emp;
SELECT is(closed(), 'ledger_ana a.emp by us', 'the last one does');
CREATE TABLE a.emp (id int PRIMARY KEY);
SELECT gaussdp.protect('a.emp', 'id', people => 'staff') \g /dev/null
SELECT is(granted(), 'ledger_ana false, ledger_spy false', 'they stay closed when it is made anew');
SELECT gaussdp.grant_budget('ledger_ana', 'a.emp', 1, 1e-6) \g /dev/null
RESET ROLE;
SELECT is((SELECT spent_mu2 FROM gaussdp_internal.ledger_account WHERE role = 'ledger_ana'::regrole), 1000::int8, 'what was spent on these people stays spent');

-- What was spent on a population without tables is its last owner's
SET ROLE ledger_alice;
DROP TABLE a.emp;
SET ROLE ledger_mallory;
SELECT throws_ok($$SELECT gaussdp.protect('m.bait', 'id', people => 'staff')$$, '42501', NULL, 'nobody takes a name in order to reset its budgets');
SELECT throws_ok($$SECURITY LABEL FOR gaussdp ON TABLE m.bait IS 'protected people=staff'$$, '42501', NULL, 'by no label either');
SELECT is((SELECT count(*)::int FROM gaussdp.budget WHERE people = 'staff'), 0, 'or to see them');
RESET ROLE;
ALTER ROLE ledger_alice RENAME TO ledger_alicia;
SET ROLE ledger_mallory;
SELECT throws_ok($$SELECT gaussdp.protect('m.bait', 'id', people => 'staff')$$, '42501', NULL, 'nor when that owner is gone');
RESET ROLE;
SELECT lives_ok($$SELECT gaussdp.protect('m.bait', 'id', people => 'staff'), gaussdp.unprotect('m.bait')$$, 'but for a superuser');
UPDATE gaussdp_internal.ledger_account SET role_name = 'ledger_alice' WHERE people = 'staff' AND holder = 'p';
ALTER ROLE ledger_alicia RENAME TO ledger_alice;
SET ROLE ledger_alice;
CREATE TABLE a.emp (id int PRIMARY KEY);
SELECT lives_ok($$SELECT gaussdp.protect('a.emp', 'id', people => 'staff'), gaussdp.grant_budget('ledger_ana', 'a.emp', 1, 1e-6)$$, 'and for that owner');
SELECT closed() \g /dev/null

-- A table that is a population of its own
SET ROLE ledger_alice;
CREATE TABLE a.alone (id int PRIMARY KEY);
SELECT gaussdp.protect('a.alone', 'id'), gaussdp.grant_budget('public', 'a.alone', 1, 1e-6), gaussdp.grant_budget('ledger_ana', 'a.alone', 1, 1e-6) \g /dev/null
SELECT gaussdp.protect('a.alone', 'id', people => 'staff', change_unit => true) \g /dev/null
SELECT is(closed(), 'ledger_ana a.alone by us, public a.alone by us', 'a table that joins others closes its own budgets');
SELECT gaussdp.protect('a.alone', people => '', change_unit => true), gaussdp.grant_budget('ledger_ana', 'a.alone', 1, 1e-6) \g /dev/null
CREATE TABLE a.fled (id int PRIMARY KEY);
CREATE TABLE a.pay (id int PRIMARY KEY);
SELECT gaussdp.protect('a.fled', 'id'), gaussdp.grant_budget('public', 'a.fled', 1, 1e-6), gaussdp.unprotect('a.fled') \g /dev/null
SELECT gaussdp.protect('a.pay', 'id', people => 'staff'), gaussdp.grant_budget('public', 'a.pay', 1, 1e-6), gaussdp.unprotect('a.pay') \g /dev/null
SELECT is(closed(), 'public a.fled by us', 'a table that is unprotected closes its own budgets');
ALTER TABLE a.fled ADD more int DEFAULT random();
SELECT is((SELECT count(*)::int FROM gaussdp.journal WHERE "table" IN ('a.fled'::regclass, 'a.pay'::regclass)), 3, 'its lines are its owner''s until it is dropped');
SELECT gaussdp.revoke_budget('public', 'a.emp') \g /dev/null
DROP SCHEMA a CASCADE;
SELECT is(closed(), 'ledger_ana a.alone by us, ledger_ana a.emp by us', 'DROP SCHEMA CASCADE closes both');
RESET ROLE;
SELECT is((SELECT count(*)::int FROM gaussdp_internal.ledger_account WHERE relation <> 0 AND relation NOT IN (SELECT oid FROM pg_class)), 0, 'nothing goes by the OID of a dropped table');
SELECT is((SELECT count(*)::int FROM gaussdp_internal.journal_entry WHERE relation <> 0 AND relation NOT IN (SELECT oid FROM pg_class)), 0, 'nor in the journal');
SELECT is((SELECT count(*)::int FROM gaussdp_internal.journal_entry WHERE relation_name NOT IN ('a.pay', 'a.emp', 'a.alone', 'a.fled', 'm.bait')), 0, 'which has all the names');

-- The journal says what was granted, and a limit finds its population
CREATE TABLE emp (id int PRIMARY KEY);
DO $$BEGIN PERFORM gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.grant_budget('public', 'emp', 0.1, 1e-6, '1 day 2 hours', 0.05, 2e-7),
  gaussdp.set_population_budget('staff', 3, 1e-5), gaussdp.drop_population_budget('staff'), gaussdp.revoke_budget('public', 'emp'); END$$;
SELECT is((SELECT string_agg(event || ': ' || coalesce(terms, ''), '; ' ORDER BY charge) FROM (SELECT * FROM gaussdp.journal ORDER BY charge DESC LIMIT 4) AS j),
  'grant: epsilon 0.1, delta 1e-06, threshold_delta 2e-07, max_epsilon_per_query 0.05, every 1 days 7200 s, reuse_answers 3600 s; limit: epsilon 3, delta 1e-05, threshold_delta 1e-05; limit: no limit; revoke: ',
  'the journal keeps the terms of grants and limits');
DO $$BEGIN PERFORM gaussdp.protect('m.bait', 'id', people => 'emp'); END$$;
SELECT throws_ok($$SELECT gaussdp.set_population_budget('emp', 1, 1e-6)$$, '42P08', NULL, 'a population named as a table about other people is not mistaken for it');
SELECT lives_ok($$SELECT gaussdp.set_population_budget('staff', 1, 1e-6)$$, 'a name that means one is taken');
DO $$BEGIN PERFORM gaussdp.protect('m.bait', 'id', people => current_database() || '.public.emp', change_unit => true); END$$;
SELECT throws_ok(format('SELECT gaussdp.set_population_budget(%L, 1, 1e-6)', current_database() || '.public.emp'), '42P08', NULL, 'nor one that names the database, too');
DO $$BEGIN PERFORM gaussdp.protect('m.bait', 'id', people => repeat('q', 63), change_unit => true); END$$;
SELECT throws_ok(format('SELECT gaussdp.set_population_budget(%L, 1, 1e-6)', repeat('q', 64)), '42P01', NULL, 'a name is not cut off to another one');
DO $$BEGIN PERFORM gaussdp.protect('m.bait', 'id', people => ' ', change_unit => true); END$$;
SELECT lives_ok($$SELECT gaussdp.set_population_budget(' ', 1, 1e-6)$$, 'a name may be a space');
DROP TABLE emp, m.bait;
SELECT throws_ok(format($$SELECT gaussdp.queries_left('%s', %s, %s)$$, 'gaussdp_internal.ledger_account', e, d), '22023', NULL, format('epsilon %s, delta %s', e, d))
FROM (VALUES ('0', '1e-6'), ('-1', '1e-6'), ('''NaN''', '1e-6'), ('1', '0'), ('1', '1'), ('1', '''NaN''')) AS v (e, d);
SELECT marks.* FROM marks, LATERAL closed() \g /dev/null

-- Roles
CREATE TABLE emp (id int PRIMARY KEY);
DO $$BEGIN PERFORM gaussdp.protect('emp', 'id'), gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6), gaussdp.grant_budget('ledger_spy', 'emp', 1, 1e-6); END$$;
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 2000 WHERE role = 'ledger_ana'::regrole AND relation = 'emp'::regclass;
ALTER ROLE ledger_ana RENAME TO ledger_anna;
SELECT is((SELECT paid_by || ' ' || granted FROM gaussdp.budget WHERE "table" = 'emp'::regclass AND paid_by IN ('ledger_ana', 'ledger_anna')), 'ledger_anna true', 'a renamed role keeps its budget');
DROP ROLE ledger_anna;
SELECT is(closed(), 'ledger_anna public.emp by us', 'DROP ROLE closes its budgets');
SELECT is((SELECT paid_by || ' ' || granted FROM gaussdp.budget WHERE "table" = 'emp'::regclass AND paid_by = 'ledger_anna'), 'ledger_anna false', 'and the owner sees so');
CREATE ROLE ledger_anna;
DO $$BEGIN PERFORM gaussdp.grant_budget('ledger_anna', 'emp', 1, 1e-6); END$$;
SELECT is((SELECT spent_mu2 FROM gaussdp_internal.ledger_account WHERE role = 'ledger_anna'::regrole AND relation = 'emp'::regclass), 2000::int8,
  'a new role of that name goes on with what was spent');
CREATE ROLE ledger_eve;
DO $$BEGIN PERFORM gaussdp.grant_budget('ledger_eve', 'emp', 1, 1e-6); END$$;
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 3000 WHERE role = 'ledger_eve'::regrole;
DROP ROLE ledger_anna;
ALTER ROLE ledger_eve RENAME TO ledger_anna;
DROP ROLE ledger_anna;
CREATE ROLE ledger_anna;
DO $$BEGIN PERFORM gaussdp.grant_budget('ledger_anna', 'emp', 1, 1e-6); END$$;
SELECT is((SELECT spent_mu2 FROM gaussdp_internal.ledger_account WHERE role = 'ledger_anna'::regrole AND relation = 'emp'::regclass), 3000::int8,
  'of two roles of that name, both gone, with the most');
CREATE ROLE ledger_eve;
DO $$BEGIN PERFORM gaussdp.grant_budget('ledger_eve', 'emp', 1, 1e-6, '1 day'); END$$;
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 4000, spent_delta = 1, since = since - interval '2 days' WHERE role = 'ledger_eve'::regrole;
UPDATE gaussdp_internal.ledger_account SET spent_delta = 2 WHERE role_name = 'ledger_anna' AND spent_mu2 = 2000 AND relation = 'emp'::regclass;
DROP ROLE ledger_anna;
ALTER ROLE ledger_eve RENAME TO ledger_anna;
DROP ROLE ledger_anna;
CREATE ROLE ledger_anna;
DO $$BEGIN PERFORM gaussdp.grant_budget('ledger_anna', 'emp', 1, 1e-6); END$$;
SELECT is((SELECT spent_mu2 || ' ' || spent_delta FROM gaussdp_internal.ledger_account WHERE role = 'ledger_anna'::regrole AND relation = 'emp'::regclass), '3000 2',
  'that is, with the most of each that is not of a past period');
SELECT marks.* FROM marks, LATERAL closed() \g /dev/null

-- Not the ledger's tables: what DROP writes, it writes as superuser
ALTER EXTENSION gaussdp DROP TABLE gaussdp_internal.ledger_account;
CREATE FUNCTION ledger_fail() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'written'; END$$;
CREATE TRIGGER fail BEFORE INSERT OR UPDATE OR DELETE ON gaussdp_internal.ledger_account EXECUTE FUNCTION ledger_fail();
SELECT lives_ok('DROP TABLE emp', 'tables of the ledger''s names that are not the extension''s are left alone');
DROP TRIGGER fail ON gaussdp_internal.ledger_account;
ALTER EXTENSION gaussdp ADD TABLE gaussdp_internal.ledger_account;
CREATE TABLE emp (id int PRIMARY KEY);
DO $$BEGIN PERFORM gaussdp.protect('emp', 'id'), gaussdp.grant_budget('ledger_spy', 'emp', 1, 1e-6); END$$;
CREATE ROLE "PUBLIC";
DO $$BEGIN PERFORM gaussdp.grant_budget('PUBLIC', 'emp', 1, 1e-6), gaussdp.grant_budget('Public', 'emp', 1, 1e-6); END$$;
SELECT results_eq($$SELECT paid_by FROM gaussdp.budget WHERE "table" = 'emp'::regclass AND lower(paid_by) = 'public' ORDER BY paid_by$$, $$VALUES ('PUBLIC'), ('public')$$,
  'a role that is really called PUBLIC is not everybody');
DO $$BEGIN PERFORM gaussdp.revoke_budget('PUBLIC', 'emp'), gaussdp.revoke_budget('public', 'emp'); END$$;
SELECT lives_ok('SECURITY LABEL FOR gaussdp ON TABLE emp IS NULL', 'a label alone closes, too');
SELECT is(closed(), 'ledger_spy public.emp by us', 'and the journal says so');
SELECT * FROM finish();
ROLLBACK;
