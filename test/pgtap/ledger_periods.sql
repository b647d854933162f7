\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Periods renew by themselves, a clock that goes back renews nothing; what is left is what can be spent.
-- Time is moved by moving the beginning of a budget, as superuser. Nothing is rolled back here, since the
-- worker sees committed tables only.
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 10, delta float8 = 0, n int = 1)
  RETURNS int AS :'testlib', 'test_charge' LANGUAGE C VOLATILE;

-- How many charges of mu^2 = 1/100 go through before one is refused for lack of budget, 1,000 at most.
CREATE FUNCTION charges(regclass, sigma float8 = 10, delta float8 = 0) RETURNS int LANGUAGE plpgsql AS $$
BEGIN
  FOR i IN 0..999 LOOP
    BEGIN
      PERFORM public.charge($1, 1, sigma, delta);
    EXCEPTION WHEN configuration_limit_exceeded THEN
      RETURN i;
    END;
  END LOOP;
  RETURN 1000;
END$$;

SELECT plan(54);
CREATE ROLE ledger_ana;
CREATE ROLE ledger_ben;
CREATE ROLE ledger_owner;
CREATE TABLE emp (id int PRIMARY KEY);
CREATE TABLE pay (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.protect('pay', 'id') \g /dev/null
ALTER TABLE emp OWNER TO ledger_owner;
CREATE FUNCTION elapse(length interval, who text = 'ledger_ana') RETURNS void LANGUAGE sql AS
  $$UPDATE gaussdp_internal.ledger_account SET since = since - length WHERE CASE WHEN who = 'population' THEN holder = 'p' ELSE role = who::regrole AND holder = 'r' END$$;
CREATE FUNCTION spent(who text = 'ledger_ana') RETURNS numeric LANGUAGE sql SECURITY DEFINER AS
  $$SELECT round(100 * (gdp.mu(spent_epsilon, 5e-7) ^ 2)::numeric, 4) FROM gaussdp.budget WHERE paid_by = who AND people = 'staff' AND spent_epsilon > 0 UNION ALL SELECT 0 LIMIT 1$$;

-- mu^2 of (1, 5e-7) is worth 5 charges
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 5e-7, '30 days') \g /dev/null
SELECT floor(gdp.mu(1, 5e-7) ^ 2 * 100)::int AS fit \gset
SELECT ok(:fit BETWEEN 3 AND 10, 'a few charges fit');
SET ROLE ledger_ana;
SELECT is(charges('emp'), :fit, 'that many are answered');
SELECT is(spent(), :fit::numeric, 'the view says so');
SELECT is(gaussdp.queries_left('emp', 0.001, 5e-7) > 0, gdp.mu(0.001, 5e-7) ^ 2 < gdp.mu(1, 5e-7) ^ 2 - :fit / 100.0, 'and what is left');
RESET ROLE;
SELECT elapse('29 days 23:00:00') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), 0, 'an hour before the period ends nothing has been renewed');
SELECT is(spent(), :fit::numeric, 'nor in the view');
SELECT cmp_ok(min(renews_at), '<=', now() + interval '1 hour', 'which says when it will be') FROM gaussdp.my_budget;
RESET ROLE;
SELECT elapse('1 hour') \g /dev/null
SET ROLE ledger_ana;
SELECT is(spent(), 0::numeric, 'when it ends, the view shows a new one, without any job');
SELECT is(gaussdp.queries_left('emp', 1, 5e-7), 1::int8, 'all of it is left');
SELECT is(charges('emp'), :fit, 'the whole budget again, and no more: nothing is carried over');
RESET ROLE;
SELECT elapse('10 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), 0, 'periods count in whole lengths from the grant, not from the last charge');
RESET ROLE;
SELECT elapse('20 days') \g /dev/null
SET ROLE ledger_ana;
SELECT charge('emp') \g /dev/null
RESET ROLE;
SELECT elapse('150 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), :fit, 'what was left in a period, or in periods without a charge, is not carried over');
RESET ROLE;
SELECT is((SELECT period FROM gaussdp_internal.ledger_account WHERE role = 'ledger_ana'::regrole), 7::int8, 'seven periods have passed');
SELECT is((SELECT round(sum(mu2)::numeric * 100, 6) FROM gaussdp.journal WHERE event = 'charge' AND role = 'ledger_ana'), (3 * :fit + 1)::numeric, 'the journal has all of them');

-- Clocks that go back
SELECT elapse('-31 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), 0, 'a clock that goes back renews nothing');
SELECT is(spent(), :fit::numeric, 'nor does the view');
RESET ROLE;
SELECT elapse('-1000 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), 0, 'however far, also to before the grant');
RESET ROLE;
SELECT elapse('1031 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), 0, 'and when it is right again, the period goes on');
RESET ROLE;
SELECT elapse('30 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), :fit, 'until it ends');
RESET ROLE;

SELECT gaussdp.reset_population_budget('emp') \g /dev/null
SET ROLE ledger_ana;
SELECT charge('emp') \g /dev/null
RESET ROLE;
SELECT elapse('-61 days') \g /dev/null
SET ROLE ledger_ana;
SELECT charge('emp') \g /dev/null
RESET ROLE;
SELECT elapse('61 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), :fit - 2, 'nor does it renew anything when it is right again, after charges meanwhile');
RESET ROLE;
SELECT gaussdp.reset_population_budget('emp') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp', 1e6, 1.01e-7), 4, 'four thresholds fit into a delta of 5e-7');
RESET ROLE;
SELECT elapse('30 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp', 1e6, 1.01e-7), 4, 'and four again in the next period');
RESET ROLE;
SELECT gaussdp.reset_population_budget('emp') \g /dev/null
SET ROLE ledger_ana;
SELECT charges('emp') \g /dev/null
RESET ROLE;

-- Changes by the owner
SET ROLE ledger_owner;
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6, '30 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), 0, 'to grant the same again renews nothing');
RESET ROLE;
SELECT is((SELECT period FROM gaussdp_internal.ledger_account WHERE role = 'ledger_ana'::regrole), 9::int8, 'nor does it begin another period');
SET ROLE ledger_owner;
SELECT gaussdp.revoke_budget('ledger_ana', 'emp') \g /dev/null
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6, '1 day') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), 0, 'with another length it begins anew, with what is spent');
RESET ROLE;
SELECT elapse('1 day') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), :fit, 'and renews after that');
RESET ROLE;
SELECT elapse('1 day') \g /dev/null
SET ROLE ledger_owner;
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6, '2 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(spent(), 0::numeric, 'what was spent in a period that is over does not come back with another length');
SELECT is(charges('emp'), :fit, 'also for charges');
SET ROLE ledger_owner;
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6) \g /dev/null
RESET ROLE;
SELECT elapse('10000 days') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), 0, 'without a length it never does');

-- The population's period is its own
SET ROLE ledger_owner;
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 100, 1e-6, '1 day'), gaussdp.set_population_budget('staff', 1, 1e-6, '2 days'), gaussdp.reset_population_budget('emp') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), :fit, 'the population''s limit ends it');
RESET ROLE;
SELECT elapse('1 day'), elapse('1 day', 'population') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), 0, 'although the role''s own period is new');
SELECT is(spent(), 0::numeric, 'and nothing of it spent by what was refused');
RESET ROLE;
SELECT elapse('1 day', 'population') \g /dev/null
SET ROLE ledger_ana;
SELECT is(charges('emp'), :fit, 'until the population''s is');
RESET ROLE;

-- Days are of 24 hours, wherever the reader lives.  The periods are in the future: of those that are over another one would be shown.
SET timezone = 'Europe/Berlin';
UPDATE gaussdp_internal.ledger_account SET since = '2127-01-01 12:00+01', period = 5 WHERE role = 'ledger_ana'::regrole;
SELECT is(renews_at, '2127-01-07 11:00+00'::timestamptz, 'a period ends after whole days') FROM gaussdp.budget WHERE paid_by = 'ledger_ana';
UPDATE gaussdp_internal.ledger_account SET period = 179 WHERE role = 'ledger_ana'::regrole;
SELECT is(renews_at, '2127-06-30 11:00+00'::timestamptz, 'also when clocks have been changed since') FROM gaussdp.budget WHERE paid_by = 'ledger_ana';
RESET timezone;

-- How many more fit: as many as are answered, by charges and by queries
SELECT gaussdp.grant_budget('ledger_ben', 'pay', 3, 1e-6) \g /dev/null
SELECT public.dp_gaussian_sigma(0.5, 1e-6) AS sigma \gset
SET ROLE ledger_ben;
SELECT gaussdp.queries_left('pay', 0.5, 1e-6) AS left \gset
SELECT cmp_ok(:left, '>', 10, 'some fit');
SELECT is(charges('pay', :sigma), :left, 'as many charges are made, then one is refused');
SELECT is(gaussdp.queries_left('pay', 0.5, 1e-6), 0::int8, 'none is left');
RESET ROLE;
SELECT is((SELECT sum(spent_mu2) FROM gaussdp_internal.ledger_account WHERE relation = 'pay'::regclass AND holder = 'r'), (SELECT sum(mu2) FROM gaussdp_internal.journal_entry WHERE relation = 'pay'::regclass), 'and the journal adds up to it');
SELECT gaussdp.reset_budget('ledger_ben', 'pay') \g /dev/null
SELECT results_eq($$SELECT holder::text, spent_mu2 > 0 FROM gaussdp_internal.ledger_account WHERE relation = 'pay'::regclass ORDER BY 1$$, $$VALUES ('p', true), ('r', false)$$, 'a reset of a role clears its account alone');
SELECT results_eq($$SELECT event, session_role = session_user::text, role, relation_name FROM gaussdp.journal ORDER BY charge DESC LIMIT 1$$,
  $$VALUES ('reset', true, 'ledger_ben', 'public.pay')$$, 'and is in the journal');
SELECT sum(queries) AS before FROM gaussdp.journal WHERE event = 'charge' AND "table" = 'pay'::regclass \gset
SET ROLE ledger_ben;
SELECT is(gaussdp.queries_left('pay', 0.5, 1e-6), :left::int8, 'all is left again');
\o /dev/null
SELECT 'SELECT pg_catalog.count(*) FROM (SELECT public.dp_count(0.5, 1e-6) FROM pay) AS answer' FROM generate_series(1, :left) \gexec
\o
SELECT throws_ok('SELECT public.dp_count(0.5, 1e-6) FROM pay', '53400', NULL, 'as many queries are answered, then one is refused');
RESET ROLE;
SELECT is((SELECT sum(queries) FROM gaussdp.journal WHERE event = 'charge' AND "table" = 'pay'::regclass) - :before, :left::int8, 'by the journal, too');

-- 100 queries at (0.1, 1e-6) cost epsilon 0.863 at delta 1e-4, not 10
SELECT gaussdp.grant_budget('ledger_ben', 'pay', 5, 1e-4), gaussdp.reset_population_budget('pay') \g /dev/null
SELECT public.dp_gaussian_sigma(0.1, 1e-6) AS sigma \gset
SET ROLE ledger_ben;
SELECT count(charge('pay', 1, :sigma)) FROM generate_series(1, 100) \g /dev/null
SELECT results_eq($$SELECT spent_epsilon, spent_threshold_delta, epsilon, delta, threshold_delta FROM gaussdp.my_budget WHERE paid_by = 'ledger_ben'$$,
  $$VALUES (0.863::float8, 0::float8, 5::float8, 1e-4::float8, 1e-4::float8)$$, '100 queries at (0.1, 1e-6) cost epsilon 0.863 at delta 1e-4');

-- Who sees what
SELECT ok((array_agg(left_percent ORDER BY n))[1] = min(left_percent) AND bool_and(left_percent BETWEEN 0 AND 100 AND left_percent = trunc(left_percent::numeric, 1)), 'the row that runs out first comes first, in per cent')
FROM (SELECT left_percent, row_number() OVER () AS n FROM gaussdp.my_budget WHERE left_percent IS NOT NULL) AS b;
SELECT results_eq('SELECT paid_by FROM gaussdp.my_budget', $$VALUES ('ledger_ben')$$, 'a role sees its own budget');
RESET ROLE;
SELECT gaussdp.set_population_budget('pay', 6, 1e-4) \g /dev/null
SET ROLE ledger_ben;
SELECT results_eq('SELECT paid_by, epsilon FROM gaussdp.my_budget', $$VALUES ('ledger_ben', 5::float8), ('population', 6)$$, 'and its population''s, where that has a limit');
SELECT is_empty($$SELECT people, j.key, j.value FROM gaussdp.my_budget AS b, jsonb_each_text(to_jsonb(b)) AS j WHERE nullif(j.value, '') IS NULL OR j.value = '-'$$, 'no column is empty');
SELECT results_eq('SELECT people, tables::text FROM gaussdp.my_budget', $$VALUES ('pay', '{pay}'), ('pay', '{pay}')$$, 'whose budget it is, by people or table');
SELECT is((SELECT count(*)::int FROM gaussdp.budget) + (SELECT count(*)::int FROM gaussdp.journal), 0, 'and no owner''s view');
SET ROLE ledger_owner;
SELECT is((SELECT string_agg(paid_by, ',' ORDER BY paid_by) FROM gaussdp.budget), 'ledger_ana,population', 'an owner sees those of the own table');
SELECT is((SELECT string_agg(DISTINCT relation_name, ',') FROM gaussdp.journal), 'public.emp', 'and its journal');
SELECT is((SELECT count(*)::int FROM gaussdp.my_budget), 0, 'and draws on none');
RESET ROLE;
SELECT * FROM finish();
DROP TABLE emp, pay;
DROP ROLE ledger_ana, ledger_ben, ledger_owner;
