\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Errors inside of private queries: what is counted, who is suspended when there are too many, and who ends it. The
-- worker sees committed tables only: nothing is rolled back here, roles are dropped at the end.
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 100, delta float8 = 0, n int = 1)
  RETURNS int AS :'testlib', 'test_charge' LANGUAGE C VOLATILE;
CREATE FUNCTION private_error(tables regclass[], state text) RETURNS void AS :'testlib', 'test_private_error' LANGUAGE C VOLATILE;
-- What stands in the table: each role's errors on staff or other, * where it is suspended.
CREATE FUNCTION counted() RETURNS text LANGUAGE sql SECURITY DEFINER AS $$
  SELECT coalesce(string_agg(format('%s %s%s%s', coalesce(nullif(people, ''), relation::text), role, ' ' || errors, CASE WHEN suspended IS NOT NULL THEN '*' END),
    ', ' ORDER BY people DESC, relation, role::text COLLATE "C"), '') FROM gaussdp_internal.error_count WHERE errors > 0 OR suspended IS NOT NULL$$;
-- Detail and hint of what a statement says.
CREATE FUNCTION diagnosis(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
  EXECUTE statement;
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
  RETURN detail || ' ' || hint;
END$$;

SELECT plan(75);
CREATE ROLE ledger_ana;
CREATE ROLE ledger_ben;
CREATE ROLE ledger_cara;
CREATE ROLE ledger_dan;
CREATE ROLE ledger_group;
CREATE ROLE ledger_owner;
CREATE ROLE ledger_stranger;
GRANT ledger_group TO ledger_cara;
CREATE TABLE emp (id int PRIMARY KEY);
CREATE TABLE pay (id int PRIMARY KEY);
CREATE TABLE other (id int PRIMARY KEY);
-- A private query that ends with an error.
CREATE FUNCTION go_wrong(state text = '22012', tables regclass[] = '{emp}') RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  PERFORM public.charge(t) FROM unnest(tables) AS t;
  PERFORM public.private_error(tables, state);
EXCEPTION WHEN external_routine_exception OR insufficient_privilege THEN
END$$;
SELECT gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.protect('pay', 'id', people => 'staff'), gaussdp.protect('other', 'id') \g /dev/null
SELECT gaussdp.grant_budget(r, t, 100, 1e-6, '30 days') FROM unnest('{ledger_ana,ledger_ben,ledger_group,public}'::text[]) AS r, unnest('{emp,other}'::regclass[]) AS t \g /dev/null
ALTER TABLE emp OWNER TO ledger_owner;
ALTER TABLE pay OWNER TO ledger_owner;

-- The setting
SELECT results_eq($$SELECT name, setting FROM pg_settings WHERE name LIKE 'gaussdp.max_private_%' ORDER BY 1$$,
  $$VALUES ('gaussdp.max_private_cancels', '20'), ('gaussdp.max_private_errors', '0')$$, 'no error is let pass by default, and twenty cancels');
SELECT throws_ok(format('SELECT gaussdp.grant_budget(''ledger_ana'', ''emp'', 1, 1e-6, max_resource_errors => %s)', n), '22023', 'max_resource_errors is out of range: ' || n, 'a grant says so in a range') FROM unnest('{-1,1000001}'::int[]) AS n;
SET gaussdp.max_private_errors = 5;
SET ROLE ledger_ana;
SELECT throws_ok('SET gaussdp.max_private_errors = 1000', '42501', NULL, 'only a superuser says how many');
SELECT throws_ok('SET gaussdp.max_private_cancels = 1000', '42501', NULL, 'of both');
RESET ROLE;

-- What counts
SET ROLE ledger_ana;
SELECT go_wrong('22012') \g /dev/null
SELECT is(counted(), 'staff ledger_ana 1', 'an error counts for its role and the people that were charged');
SELECT go_wrong(c) FROM unnest('{57014,57P01,57P05}'::text[]) AS c \g /dev/null
SELECT is(counted(), 'staff ledger_ana 1', 'class 57 does not');
SELECT is((SELECT DISTINCT cancels FROM gaussdp.my_budget WHERE people = 'staff'), 3::int8, 'but counts as cancels');
SELECT go_wrong('XX000') \g /dev/null
SELECT is(counted(), 'staff ledger_ana 2', 'an internal error does');
SELECT go_wrong('40P01') \g /dev/null
SELECT is(counted(), 'staff ledger_ana 3', 'and so does a deadlock');
SELECT go_wrong('22012', '{emp,pay}') \g /dev/null
SELECT is(counted(), 'staff ledger_ana 4', 'an error over two tables about the same people counts once');
SELECT go_wrong('22012', '{pay,other}') \g /dev/null
SELECT is(counted(), 'staff ledger_ana 5, other ledger_ana 1', 'over tables about different people, for each');
SELECT lives_ok($$SELECT charge('emp')$$, 'after five errors it goes on');
SELECT go_wrong('22012') \g /dev/null
SELECT is(counted(), 'staff ledger_ana 6*, other ledger_ana 1', 'the sixth is one too many');

-- What a suspension does
SELECT throws_ok($$SELECT charge('emp')$$, '42501', 'the privacy budget of role "ledger_ana" for table "emp" is suspended', 'nothing is charged any more');
SELECT throws_ok($$SELECT charge('pay')$$, '42501', 'the privacy budget of role "ledger_ana" for table "pay" is suspended', 'nor for another table about these people');
SELECT matches(diagnosis($$SELECT charge('emp')$$), 'Too many private queries.*Nothing was charged.*gaussdp\.resume_budget', 'the error says why, and what ends it');
SELECT is(counted(), 'staff ledger_ana 6*, other ledger_ana 1', 'a refusal is no error');
SELECT lives_ok($$SELECT charge('other')$$, 'other people are answered for');
SELECT is(gaussdp.queries_left('emp', 0.1, 1e-6), 0::int8, 'nothing is left of the suspended budget');
SELECT cmp_ok(gaussdp.queries_left('other', 0.1, 1e-6), '>', 0::int8, 'but of the other one');
SELECT results_eq($$SELECT DISTINCT people, errors, suspended FROM gaussdp.my_budget ORDER BY people$$, $$VALUES ('other', 1::int8, false), ('staff', 6, true)$$, 'my_budget shows both');
SET ROLE ledger_ben;
SELECT lives_ok($$SELECT charge('emp'), charge('pay')$$, 'another role goes on with its own budget');
SELECT results_eq($$SELECT DISTINCT errors, suspended FROM gaussdp.my_budget$$, $$VALUES (0::int8, false)$$, 'and sees nothing of this');
SET ROLE ledger_dan;
SELECT lives_ok($$SELECT charge('emp')$$, 'and so does PUBLIC');
RESET ROLE;
SELECT results_eq($$SELECT paid_by, errors, suspended FROM gaussdp.budget WHERE people = 'staff' ORDER BY paid_by COLLATE "C"$$,
  $$VALUES ('ledger_ana', 6::int8, true), ('ledger_ben', 0, false), ('ledger_group', 0, false), ('population', 0, false), ('public', 0, false)$$, 'budget shows who is suspended');
SELECT results_eq($$SELECT event, role, people, relation_name, query_id, terms, session_role = session_user::text FROM gaussdp.journal WHERE event = 'suspend'$$,
  $$VALUES ('suspend', 'ledger_ana', 'staff', 'public.emp', 42::int8, 'errors 6, max_private_errors 5', true)$$, 'the journal has one line of it');

-- What does not end it
SELECT gaussdp.reset_population_budget('emp'), gaussdp.revoke_budget('ledger_ana', 'emp'), gaussdp.grant_budget('ledger_ana', 'emp', 100, 1e-6, '30 days') \g /dev/null
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'neither a reset nor another grant ends a suspension');
RESET ROLE;
SELECT gaussdp.revoke_budget('ledger_ana', 'emp') \g /dev/null
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT charge('emp')$$, '42501', 'the privacy budget of role "ledger_ana" for table "emp" is suspended', 'nor does PUBLIC''s budget pay instead');
RESET ROLE;
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 100, 1e-6, '30 days') \g /dev/null
UPDATE gaussdp_internal.ledger_account SET since = since - interval '365 days';
UPDATE gaussdp_internal.error_count SET clears = clears - interval '365 days';
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'nor the end of the period');
RESET ROLE;

-- Who may end it
SELECT throws_ok(s, c, NULL, s) FROM (VALUES
  ($$SELECT gaussdp.resume_budget(NULL, 'emp')$$, '22004'), ($$SELECT gaussdp.resume_budget('ledger_ana', NULL)$$, '22004'),
  ($$SELECT gaussdp.resume_budget('nobody_at_all', 'emp')$$, '42704'), ($$SELECT gaussdp.resume_budget('public', 'emp')$$, '42704'),
  ($$SELECT gaussdp.resume_budget('ledger_ana', 'pg_class')$$, '55000'), ($$SELECT gaussdp.resume_budget('ledger_ana', 4000000000::oid)$$, '42P01')) AS v (s, c);
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT gaussdp.resume_budget('ledger_ana', 'emp')$$, '42501', NULL, 'the role itself may not end it');
SET ROLE ledger_stranger;
SELECT throws_ok($$SELECT gaussdp.resume_budget('ledger_ana', 'emp')$$, '42501', NULL, 'nor may a stranger');
RESET ROLE;
ALTER TABLE pay OWNER TO ledger_stranger;
SET ROLE ledger_owner;
SELECT throws_ok($$SELECT gaussdp.resume_budget('ledger_ana', 'emp')$$, '42501', NULL, 'nor who owns one of two tables about the people');
RESET ROLE;
ALTER TABLE pay OWNER TO ledger_owner;
SELECT is(counted(), 'staff ledger_ana 6*, other ledger_ana 1', 'none of this has changed anything');
BEGIN;
SET LOCAL ROLE ledger_owner;
SELECT gaussdp.resume_budget('ledger_ana', 'emp') \g /dev/null
ROLLBACK;
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'what is rolled back does not count');
SET ROLE ledger_owner;
SELECT lives_ok($$SELECT gaussdp.resume_budget('ledger_ana', 'pay')$$, 'the owner of all may, by any of the tables');
SET ROLE ledger_ana;
SELECT lives_ok($$SELECT charge('emp'), charge('pay')$$, 'and the role goes on');
SELECT results_eq($$SELECT DISTINCT errors, suspended FROM gaussdp.my_budget WHERE people = 'staff'$$, $$VALUES (0::int8, false)$$, 'with no error to its name');
SET ROLE ledger_owner;
SELECT results_eq($$SELECT event, role, people, relation_name, terms, session_role = session_user::text FROM gaussdp.journal WHERE event = 'resume'$$,
  $$VALUES ('resume', 'ledger_ana', 'staff', 'public.pay', NULL, true)$$, 'the journal has a line of that, too');
SELECT gaussdp.resume_budget('ledger_ana', 'emp'), gaussdp.resume_budget('ledger_ben', 'emp') \g /dev/null
SELECT is((SELECT count(*)::int FROM gaussdp.journal WHERE event = 'resume'), 1, 'and none where there was nothing to end');
RESET ROLE;
SELECT is(counted(), 'other ledger_ana 1', 'other people''s count stays as it is');

-- How many
SET ROLE ledger_ana;
SELECT go_wrong() FROM generate_series(1, 5) \g /dev/null
SELECT lives_ok($$SELECT charge('emp')$$, 'five errors are let pass anew');
RESET ROLE;
SELECT gaussdp.resume_budget('ledger_ana', 'emp') \g /dev/null
SELECT is(counted(), 'other ledger_ana 1', 'a count that suspends nobody is forgotten as well');
SET gaussdp.max_private_errors = 0;
SET ROLE ledger_ana;
SELECT go_wrong('57014') \g /dev/null
SELECT lives_ok($$SELECT charge('emp')$$, 'at 0, none was counted');
SELECT go_wrong() \g /dev/null
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'at 0, the first error suspends');
RESET ROLE;
SET gaussdp.max_private_errors = 5;
SELECT gaussdp.resume_budget('ledger_ana', 'emp') \g /dev/null

-- The period is the budget's
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 100, 1e-6, '10 days') \g /dev/null
SET ROLE ledger_ana;
SELECT go_wrong() FROM generate_series(1, 4) \g /dev/null
RESET ROLE;
SELECT is(e.clears, b.renews_at, 'a count ends with the period of the budget') FROM gaussdp_internal.error_count AS e, gaussdp.budget AS b
WHERE e.people = 'staff' AND e.errors > 0 AND b.people = 'staff' AND b.paid_by = 'ledger_ana';
UPDATE gaussdp_internal.error_count SET clears = clears - interval '9 days 23 hours' WHERE people = 'staff';
UPDATE gaussdp_internal.ledger_account SET since = since - interval '9 days 23 hours' WHERE people = 'staff';
SET ROLE ledger_ana;
SELECT go_wrong() \g /dev/null
SELECT is(counted(), 'staff ledger_ana 5, other ledger_ana 1', 'an hour before its end the count goes on');
RESET ROLE;
UPDATE gaussdp_internal.error_count SET clears = clears - interval '1 hour' WHERE people = 'staff';
UPDATE gaussdp_internal.ledger_account SET since = since - interval '1 hour' WHERE people = 'staff';
SELECT is(errors, 0::int8, 'at its end nothing is counted') FROM gaussdp.budget WHERE people = 'staff' AND paid_by = 'ledger_ana';
SET ROLE ledger_ana;
SELECT go_wrong() \g /dev/null
SELECT is(counted(), 'staff ledger_ana 1, other ledger_ana 1', 'and the next error is the first');
RESET ROLE;
SELECT is(e.clears, b.renews_at, 'of the new period') FROM gaussdp_internal.error_count AS e, gaussdp.budget AS b
WHERE e.people = 'staff' AND e.errors > 0 AND b.people = 'staff' AND b.paid_by = 'ledger_ana';
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 100, 1e-6) \g /dev/null
SET ROLE ledger_ana;
SELECT go_wrong() \g /dev/null
RESET ROLE;
SELECT is(clears, 'infinity', 'without a period it does not end') FROM gaussdp_internal.error_count WHERE people = 'staff' AND errors > 0;
SELECT gaussdp.resume_budget('ledger_ana', 'emp'), gaussdp.resume_budget('ledger_ana', 'other') \g /dev/null

-- A role that pays from the budgets of its group, or of PUBLIC, is suspended, not they
SELECT gaussdp.grant_budget('ledger_group', 'emp', 100, 1e-6, '20 days') \g /dev/null
SET ROLE ledger_cara;
SELECT go_wrong() FROM generate_series(1, 6) \g /dev/null
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'a role that pays by its group is suspended');
SELECT results_eq($$SELECT DISTINCT errors, suspended FROM gaussdp.my_budget WHERE people = 'staff'$$, $$VALUES (6::int8, true)$$, 'and sees it');
SET ROLE ledger_group;
SELECT lives_ok($$SELECT charge('emp')$$, 'its group is not');
SET ROLE ledger_dan;
SELECT go_wrong() FROM generate_series(1, 6) \g /dev/null
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'and so is one that pays by PUBLIC');
SET ROLE ledger_stranger;
SELECT lives_ok($$SELECT charge('emp')$$, 'but nobody else');
RESET ROLE;
SELECT results_eq($$SELECT paid_by, granted, epsilon, errors, suspended FROM gaussdp.budget WHERE people = 'staff' AND suspended ORDER BY paid_by COLLATE "C"$$,
  $$VALUES ('ledger_cara', false, NULL::float8, 6::int8, true), ('ledger_dan', false, NULL, 6, true)$$, 'the owner sees them by their names');
SET ROLE ledger_owner;
SELECT is((SELECT count(*)::int FROM gaussdp.budget WHERE suspended), 2, 'without a superuser''s help');
SET ROLE ledger_stranger;
SELECT is((SELECT count(*)::int FROM gaussdp.budget), 0, 'and nobody else');
RESET ROLE;
SELECT is(e.clears, b.renews_at, 'the period is that of whoever pays') FROM gaussdp_internal.error_count AS e, gaussdp.budget AS b
WHERE e.role = 'ledger_cara'::regrole AND b.people = 'staff' AND b.paid_by = 'ledger_group';
SELECT gaussdp.grant_budget('ledger_cara', 'emp', 100, 1e-6) \g /dev/null
SET ROLE ledger_cara;
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'a budget of its own does not end it');
RESET ROLE;
SELECT is((SELECT count(*)::int FROM gaussdp.budget WHERE people = 'staff' AND paid_by = 'ledger_cara'), 1, 'and is its only line then');

-- Roles and tables that come and go
ALTER ROLE ledger_cara RENAME TO ledger_renamed;
SET ROLE ledger_renamed;
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'a role that is renamed stays suspended');
RESET ROLE;
DROP ROLE ledger_renamed;
CREATE ROLE ledger_renamed;
SELECT gaussdp.grant_budget('ledger_renamed', 'emp', 100, 1e-6) \g /dev/null
SET ROLE ledger_renamed;
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'and so does the next of its name, when it is granted a budget');
RESET ROLE;
SELECT lives_ok($$SELECT gaussdp.resume_budget('ledger_renamed', 'emp')$$, 'which can be ended');
SET ROLE ledger_renamed;
SELECT lives_ok($$SELECT charge('emp')$$, 'so that it goes on');
RESET ROLE;
SET gaussdp.max_private_errors = 0;
SET ROLE ledger_ana;
SELECT go_wrong('22012', '{other}') \g /dev/null
RESET ROLE;
SET gaussdp.max_private_errors = 5;
SELECT is(counted(), 'staff ledger_dan 6*, other ledger_ana 1*', 'a table with people of its own');
DROP TABLE other;
SELECT is(counted(), 'staff ledger_dan 6*', 'takes its counts along');
ALTER TABLE emp OWNER TO ledger_owner;
DROP TABLE emp, pay;
CREATE TABLE emp (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.grant_budget('public', 'emp', 100, 1e-6) \g /dev/null
SET ROLE ledger_dan;
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'people with a name remember theirs');
RESET ROLE;
SELECT * FROM finish();
DROP TABLE emp;
DROP FUNCTION go_wrong;
DROP ROLE ledger_ana, ledger_ben, ledger_renamed, ledger_dan, ledger_group, ledger_owner, ledger_stranger;
