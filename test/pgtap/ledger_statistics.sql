\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What an administrator sees of charges, refusals and budgets, by plain SELECT, and that none of it tells of rows. The worker sees
-- committed tables only: nothing is rolled back here, roles are dropped at the end.
LOAD '$libdir/gaussdp';
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 100, delta float8 = 0, n int = 1)
  RETURNS int AS :'testlib', 'test_charge' LANGUAGE C VOLATILE;
CREATE FUNCTION private_error(tables regclass[], state text = '22012') RETURNS void AS :'testlib', 'test_private_error' LANGUAGE C VOLATILE;
CREATE FUNCTION attempt(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN 'done';
EXCEPTION WHEN OTHERS THEN
  RETURN SQLSTATE;
END$$;
SET gaussdp.max_private_errors = 5;
SELECT plan(33);
CREATE ROLE stat_ana;
CREATE ROLE stat_ben;
CREATE ROLE stat_owner;
CREATE ROLE stat_monitor;
GRANT pg_monitor TO stat_monitor;
CREATE TABLE patient (id int PRIMARY KEY, age int);
INSERT INTO patient SELECT i, i % 90 FROM generate_series(1, 500) i;
CREATE TABLE other (id int PRIMARY KEY);
SELECT gaussdp.protect('patient', unit => 'id', people => 'patients'), gaussdp.protect('other', 'id'), gaussdp.set_bounds('patient', 'age', 0, 100) \g /dev/null
SELECT gaussdp.grant_budget('stat_ana', 'patient', 3, 1e-6, every => '30 days', max_epsilon_per_query => 2.5, threshold_delta => 1e-8) \g /dev/null
ALTER TABLE patient OWNER TO stat_owner;
CREATE VIEW outcomes AS SELECT string_agg(role || ' ' || outcome || ' ' || charges, ', ' ORDER BY role, outcome) FROM gaussdp.stat_charges WHERE charges > 0 AND role ~ '^stat_';
CREATE VIEW refused AS SELECT string_agg(role || ' ' || rule || ' ' || name || ' ' || refusals, ', ' ORDER BY role, rule) FROM gaussdp.stat_refusals WHERE role ~ '^stat_';

-- Who may look
SELECT bag_eq($$SELECT c.relname::text FROM pg_class c WHERE c.relnamespace = 'gaussdp'::regnamespace AND c.relkind = 'v' AND has_table_privilege('stat_monitor', c.oid, 'SELECT') AND NOT has_table_privilege('stat_ana', c.oid, 'SELECT')$$,
	$$VALUES ('stat_budgets'), ('stat_charges'), ('stat_latency'), ('stat_policy'), ('stat_queue'), ('stat_sessions')$$, 'pg_monitor reads what analysts do not');
SET ROLE stat_monitor;
SELECT lives_ok(format('SELECT * FROM gaussdp.%I', v), v || ' is read by a plain SELECT') FROM unnest('{stat_budgets,stat_charges,stat_latency,stat_policy,stat_queue,stat_refusals,stat_sessions,stat_journal}'::text[]) v;
SET ROLE stat_ana;
SELECT throws_ok(format('SELECT * FROM gaussdp_internal.%I()', f), '42501', NULL, 'nor ' || f) FROM unnest('{charge_outcomes,charge_latency,ledger_sessions,ledger_worker}'::text[]) f;
RESET ROLE;
SELECT is_empty($$SELECT relname, attname FROM pg_attribute JOIN pg_class c ON c.oid = attrelid WHERE c.relnamespace = 'gaussdp'::regnamespace AND relname ~ '^stat_' AND attname ~ '(query|text|error)' AND attname NOT IN ('queries', 'policy_errors')$$,
	'none has a text or a number of errors');

-- Outcomes
SET ROLE stat_ana;
SELECT attempt('SELECT dp_count(0.5, 1e-6), dp_avg(age, 0.5, 1e-6) FROM patient'), attempt('SELECT dp_count(0.5, 1e-6) FROM patient') \g /dev/null
SELECT attempt('SELECT dp_count(2.6, 1e-6) FROM patient'), attempt('SELECT age, dp_count(0.1, 1e-6) FROM patient GROUP BY age HAVING dp_keep_group(0.1, 4e-8)'),
	attempt($$SELECT charge('other')$$) FROM generate_series(1, 2) \g /dev/null
SELECT attempt('SELECT dp_count(2.4, 1e-6) FROM patient') FROM generate_series(1, 4) \g /dev/null
RESET ROLE;
SELECT is((TABLE outcomes), 'stat_ana budget exhausted 3, stat_ana charged 3, stat_ana max_epsilon_per_query 2, stat_ana no budget 2, stat_ana threshold_delta exhausted 2', 'each charge is counted by what its session was told');
SELECT bag_eq($$SELECT outcome FROM gaussdp.stat_charges WHERE role = 'stat_ana'$$,
	$$VALUES ('charged'), ('no budget'), ('suspended'), ('paused'), ('budget exhausted'), ('threshold_delta exhausted'), ('max_epsilon_per_query'), ('timed out'), ('cancelled'), ('failed'), ('unknown')$$, 'a role that was seen has a line for each outcome, so that rates begin at zero');

-- Latency
SELECT ok((SELECT max(charges) FROM gaussdp.stat_latency) = 3 AND (SELECT charges FROM gaussdp.stat_latency WHERE within = 'infinity') = 3, 'the last bucket has all charges');
SELECT ok(bool_and(charges >= before) AND min(seconds) > 0 AND min(seconds) = max(seconds), 'buckets are cumulative, and the sum is beside them')
FROM (SELECT charges, seconds, lag(charges, 1, 0::int8) OVER (ORDER BY within) AS before FROM gaussdp.stat_latency) b;

-- Refusals
SET ROLE stat_ana;
SELECT attempt('SELECT * FROM patient WHERE age = 17'), attempt('SELECT age FROM patient') \g /dev/null
SELECT attempt('SELECT age, dp_count(0.1, 1e-6) FROM patient GROUP BY age') FROM generate_series(1, 3) \g /dev/null
SELECT count(*) FROM gaussdp.explain_privacy('SELECT age, dp_count(0.1, 1e-6) FROM patient GROUP BY age') \g /dev/null
SELECT is(attempt('SELECT dp_count(100, 1e-6) FROM patient'), '42501', 'a release that hides hardly anything');
SET ROLE stat_ben;
SELECT attempt('SELECT dp_count(0.1, 1e-6) FROM patient') \g /dev/null
RESET ROLE;
SELECT is((TABLE refused), 'stat_ana 0 level 2, stat_ana 7 group keys 3, stat_ana 9 budget 1, stat_ben 9 budget 1', 'refusals are counted by role and rule, verdicts of explain_privacy are not');

-- Errors inside of a level are counted by the ledger alone
SELECT coalesce(string_agg(v::text, E'\n'), '') AS before FROM (SELECT * FROM gaussdp.stat_refusals ORDER BY 1, 2) v \gset
SET ROLE stat_ana;
SELECT attempt($$SELECT private_error('{patient}')$$) \g /dev/null
RESET ROLE;
SELECT is((SELECT errors FROM gaussdp.budget WHERE paid_by = 'stat_ana'), 1::int8, 'an error of a level');
SELECT is((SELECT string_agg(v::text, E'\n') FROM (SELECT * FROM gaussdp.stat_refusals ORDER BY 1, 2) v), :'before', 'is no refusal');
SELECT is((TABLE outcomes), 'stat_ana budget exhausted 3, stat_ana charged 3, stat_ana max_epsilon_per_query 2, stat_ana no budget 2, stat_ana threshold_delta exhausted 2', 'and no charge');

-- Budgets that run out, and suspensions
SELECT results_eq($$SELECT people, paid_by, left_part < 0.3, left_threshold_part, every, suspended FROM gaussdp.stat_budgets WHERE paid_by = 'stat_ana'$$,
	$$VALUES ('patients', 'stat_ana', true, 1::float8, '30 days'::interval, false)$$, 'which budget is about to run out');
SELECT is((SELECT abs(left_part - (1 - (gdp.mu(spent_epsilon, 1e-6) / gdp.mu(epsilon, 1e-6)) ^ 2)) < 1e-6 FROM gaussdp.stat_budgets WHERE paid_by = 'stat_ana'), true, 'by the part of its mu^2');
SET ROLE stat_ana;
SELECT attempt($$SELECT private_error('{patient}')$$) FROM generate_series(1, 5) \g /dev/null
SELECT attempt('SELECT dp_count(0.1, 1e-6) FROM patient') \g /dev/null
RESET ROLE;
SET ROLE stat_monitor;
SELECT is((SELECT string_agg(paid_by, ', ') FROM gaussdp.stat_budgets WHERE suspended), 'stat_ana', 'who is suspended');
SELECT is((SELECT charges FROM gaussdp.stat_charges WHERE role = 'stat_ana' AND outcome = 'suspended'), 1::int8, 'and what it has asked since');

-- The journal by day and role
SELECT results_eq($$SELECT day, role, people, "table", queries FROM gaussdp.stat_journal$$, $$VALUES (current_date, 'stat_ana', 'patients', 'public.patient', 3::int8)$$, 'a line for each day, role and table');
RESET ROLE;
SELECT is((SELECT abs(s.mu2 - j.mu2) < 1e-12 AND abs(s.epsilon - gdp.epsilon(sqrt(j.mu2), 1e-6)) < 0.01 * s.epsilon FROM gaussdp.stat_journal s, (SELECT sum(mu2) AS mu2 FROM gaussdp.journal WHERE event = 'charge') j), true, 'has what the journal has');
SET ROLE stat_owner;
SELECT is((SELECT count(*) FROM gaussdp.stat_journal), 1::bigint, 'the owner of the table sees it');
SELECT is_empty('SELECT * FROM gaussdp.stat_refusals', 'of refusals he sees what the server lacked alone');
SET ROLE stat_ana;
SELECT is_empty('SELECT * FROM gaussdp_internal.refusals()', 'and an analyst none');
SELECT is_empty('SELECT * FROM gaussdp.stat_journal', 'an analyst does not');
RESET ROLE;
SELECT * FROM finish();
DROP OWNED BY stat_ana, stat_ben, stat_owner, stat_monitor;
DROP ROLE stat_ana, stat_ben, stat_owner, stat_monitor;
