\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Who may change and see budgets, what they refuse, and what they become.
BEGIN;
SELECT plan(35);
CREATE ROLE ledger_owner;
CREATE ROLE ledger_other;
CREATE ROLE ledger_ana;
CREATE ROLE ledger_group;
CREATE TABLE emp (id int PRIMARY KEY);
CREATE TABLE pay (id int PRIMARY KEY);
DO $$BEGIN PERFORM gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.protect('pay', 'id', people => 'staff'); END$$;
ALTER TABLE emp OWNER TO ledger_owner;
ALTER TABLE pay OWNER TO ledger_owner;

SET ROLE ledger_owner;
SELECT lives_ok($$SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6)$$, 'an owner grants');
SELECT lives_ok($$SELECT gaussdp.set_population_budget('staff', 3, 1e-6, '30 days')$$, 'and limits the population');
SELECT is((SELECT count(*)::int FROM gaussdp.budget), 2, 'an owner sees the budgets');
SELECT is((SELECT string_agg(event, ',' ORDER BY charge) FROM gaussdp.journal), 'grant,limit', 'and the journal');
SELECT throws_ok('UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 0', '42501', NULL, 'but writes neither');
SELECT throws_ok('DELETE FROM gaussdp_internal.journal_entry', '42501', NULL, 'nor clears the journal');
SELECT throws_ok($$SELECT gaussdp.grant_budget('ledger_ana', 'emp', $$ || e || ', 1e-6)', '22023', NULL, 'epsilon ' || e)
FROM unnest(ARRAY['0', '-1', '''NaN''', '''Infinity''']) AS e;
SELECT throws_ok($$SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, $$ || d || ')', '22023', NULL, 'delta ' || d)
FROM unnest(ARRAY['0', '1', '''NaN''']) AS d;
SELECT throws_ok($$SELECT gaussdp.grant_budget('ledger_ana', 'emp', 5000, 1e-6)$$, '22023', 'epsilon is out of range: 5000', 'more than the ledger counts');
SELECT throws_ok($$SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6, '1 month')$$, '22023', NULL, 'months differ in length');
SELECT throws_ok($$SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6, threshold_delta => 1)$$, '22023', 'threshold_delta is out of range: 1', 'threshold_delta below 1');
CREATE FUNCTION pg_temp.detail_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  detail text;
BEGIN
  EXECUTE statement;
  RETURN NULL;
EXCEPTION WHEN invalid_parameter_value THEN
  GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
  RETURN detail;
END$$;
SELECT matches(pg_temp.detail_of($$SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6, '1000001 days')$$), 'at least 1 second and at most 1000000 days', 'how long a period may be');
SELECT is(pg_temp.detail_of($$SELECT gaussdp.queries_left('emp', 1, 1e-6, 1)$$), 'threshold_delta must be at least 0 and less than 1.', 'a threshold''s delta may be 0');
SELECT throws_ok($$SELECT gaussdp.grant_budget('ledger_ana', 0, 1, 1e-6)$$, '42P01', 'relation with OID 0 does not exist', 'no table');
SELECT throws_ok($$SELECT gaussdp.grant_budget('nobody_here', 'emp', 1, 1e-6)$$, '42704', NULL, 'a role that is not there');
RESET ROLE;

SELECT is((SELECT spent_mu2 FROM gaussdp_internal.ledger_account WHERE holder = 'r'), 0::int8, 'nothing is spent');
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 17592186044416;
SET ROLE ledger_owner;
SELECT gaussdp.revoke_budget('ledger_ana', 'pay') \g /dev/null
SELECT gaussdp.grant_budget('ledger_ana', 'pay', 2, 1e-6) \g /dev/null
RESET ROLE;
SELECT is((SELECT spent_mu2 FROM gaussdp_internal.ledger_account WHERE holder = 'r' AND granted), 17592186044416::int8, 'spent survives revoke and re-grant');
ALTER ROLE ledger_ana RENAME TO ledger_gone;
ALTER ROLE ledger_gone RENAME TO ledger_ana;
DROP ROLE ledger_ana;
CREATE ROLE ledger_ana;
SET ROLE ledger_ana;
SELECT is((SELECT count(*)::int FROM gaussdp.my_budget), 0, 'a new role of that name has no budget');
RESET ROLE;
SET ROLE ledger_owner;
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6) \g /dev/null
SET ROLE ledger_ana;
SELECT is((SELECT count(*)::int FROM gaussdp.my_budget WHERE spent_epsilon > 0), 2, 'and with one, what it had spent before DROP ROLE');
SELECT ok(gaussdp.queries_left('emp', 0.1, 1e-6) BETWEEN 10 AND 200, 'how many more queries fit');
SELECT throws_ok($$SELECT gaussdp.reset_population_budget('emp')$$, '42501', NULL, 'an analyst resets nothing');
SELECT throws_ok($$SELECT gaussdp.reset_budget('ledger_ana', 'emp')$$, '42501', NULL, 'of its own neither');
SELECT is((SELECT count(*)::int FROM gaussdp.journal), 0, 'and sees no journal');
RESET ROLE;

ALTER TABLE pay OWNER TO ledger_other;
SET ROLE ledger_owner;
SELECT throws_ok($$SELECT gaussdp.grant_budget('ledger_ana', 'emp', 9, 1e-6)$$, '42501', NULL,
  'who owns only one table about these people changes no budget');
RESET ROLE;
SELECT throws_ok($$SELECT gaussdp.reset_budget(NULL, 'emp')$$, '22004', NULL, 'no role is not all roles');
SELECT throws_ok($$SELECT gaussdp.set_population_budget('staff', NULL, NULL)$$, '22004', NULL, 'a limit needs numbers');
SELECT throws_ok($$SELECT gaussdp.drop_population_budget(NULL)$$, '22004', NULL, 'and a population');
SELECT gaussdp.reset_budget('ledger_ana', 'emp') \g /dev/null
SELECT is((SELECT array_agg(spent_mu2 ORDER BY holder) FROM gaussdp_internal.ledger_account), ARRAY[17592186044416, 0]::int8[], 'a reset of one role clears its account');
SELECT is((SELECT event || ' ' || role FROM gaussdp.journal ORDER BY charge DESC LIMIT 1), 'reset ledger_ana', 'and stands in the journal');
SELECT count(*) AS written FROM gaussdp_internal.journal_entry \gset
SELECT gaussdp.reset_budget('ledger_ana', 'emp'), gaussdp.reset_budget('public', 'emp') \g /dev/null
SELECT is((SELECT count(*) FROM gaussdp_internal.journal_entry), :written::int8, 'nothing is written where nothing was spent, or there is no account');
SELECT * FROM finish();
ROLLBACK;
