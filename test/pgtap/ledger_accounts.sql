\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Which accounts pay, all or none; limits on a query, thresholds and what the journal keeps. The worker that commits charges
-- sees committed tables only: nothing is rolled back here, roles are dropped at the end.
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 10, delta float8 = 0, n int = 1)
  RETURNS int AS :'testlib', 'test_charge' LANGUAGE C VOLATILE;
CREATE FUNCTION grant_(text, regclass, float8, float8 = 1e-6, interval = NULL, float8 = NULL, float8 = NULL) RETURNS void
  LANGUAGE sql AS 'SELECT gaussdp.grant_budget($1, $2, $3, $4, $5, $6, $7)';

SELECT plan(77);
CREATE ROLE ledger_ana;
CREATE ROLE ledger_ben NOINHERIT;
CREATE ROLE ledger_cara;
CREATE ROLE ledger_one;
CREATE ROLE ledger_two;
GRANT ledger_one, ledger_two TO ledger_ana;
GRANT ledger_one TO ledger_ben;
CREATE TABLE emp (id int PRIMARY KEY);
CREATE TABLE pay (id int PRIMARY KEY);
CREATE TABLE other (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.protect('pay', 'id', people => 'staff'), gaussdp.protect('other', 'id') \g /dev/null

-- What has been spent since the last look, in charges of mu^2 = 1/100, on emp and pay (staff) or other
CREATE TABLE looked AS SELECT people, relation, holder, role, spent_mu2 FROM gaussdp_internal.ledger_account;
CREATE FUNCTION paid() RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
  SELECT string_agg(format('%s %s', CASE WHEN p.holder = 'p' THEN coalesce(nullif(p.people, ''), p.relation::text) WHEN p.role = 0 THEN 'public' ELSE p.role::text END,
    round((p.spent_mu2 - coalesce(l.spent_mu2, 0)) / (2.0 ^ 52 / 100))), ', ' ORDER BY p.people DESC, p.holder, p.role::text COLLATE "C")
  INTO result
  FROM gaussdp_internal.ledger_account AS p LEFT JOIN looked AS l USING (people, relation, holder, role)
  WHERE p.spent_mu2 <> coalesce(l.spent_mu2, 0);
  TRUNCATE looked;
  INSERT INTO looked SELECT people, relation, holder, role, spent_mu2 FROM gaussdp_internal.ledger_account;
  RETURN coalesce(result, '');
END$$;

-- Nobody has a budget
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT charge('emp')$$, '42501', NULL, 'without a budget nothing is charged');
RESET ROLE;
SELECT is(paid(), '', 'to nobody');

-- PUBLIC is one account for all
SELECT grant_('public', 'emp', 2) \g /dev/null
SET ROLE ledger_ana;
SELECT charge('emp') \g /dev/null
SET ROLE ledger_cara;
SELECT charge('emp'), charge('pay') \g /dev/null
RESET ROLE;
SELECT is(paid(), 'staff 3, public 3', 'all roles draw on PUBLIC''s account, from all tables about the people, and the population pays the same');

-- Group roles before PUBLIC
SELECT grant_('ledger_one', 'emp', 1), grant_('ledger_two', 'pay', 1) \g /dev/null
SET ROLE ledger_ana;
SELECT charge('emp') \g /dev/null
RESET ROLE;
SELECT is(paid(), 'staff 1, ledger_one 1, ledger_two 1', 'all groups whose privileges it has pay, PUBLIC does not');
SET ROLE ledger_ben;
SELECT charge('emp') \g /dev/null
RESET ROLE;
SELECT is(paid(), 'staff 1, public 1', 'a NOINHERIT member has not the group''s privileges: PUBLIC pays');
SET SESSION AUTHORIZATION ledger_ben;
SET ROLE ledger_one;
SELECT charge('emp') \g /dev/null
RESET SESSION AUTHORIZATION;
SELECT is(paid(), 'staff 1, ledger_one 1', 'after SET ROLE the group itself does');
SELECT is((SELECT format('%s %s', session_role, role) FROM gaussdp.journal ORDER BY charge DESC LIMIT 1), 'ledger_ben ledger_one', 'the journal knows session and current role');
SET ROLE ledger_cara;
SELECT charge('emp') \g /dev/null
RESET ROLE;
SELECT is(paid(), 'staff 1, public 1', 'who is in no group pays from PUBLIC''s');

-- A role's own account comes before all others
SELECT grant_('ledger_ana', 'emp', 1) \g /dev/null
SET ROLE ledger_ana;
SELECT charge('pay') \g /dev/null
RESET ROLE;
SELECT is(paid(), 'staff 1, ledger_ana 1', 'the role''s own account alone, and the population''s');
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT charge('other')$$, '42501', NULL, 'no budget covers other people');
SELECT throws_ok($$SELECT charge('emp', 10, 10, 0, 30)$$, '53400', 'the privacy budget of role "ledger_ana" does not suffice for this query',
  'a role that has spent its own does not go on with its groups''');
RESET ROLE;
SELECT is(paid(), '', 'and nobody pays');
SELECT gaussdp.revoke_budget('ledger_ana', 'emp') \g /dev/null
SET ROLE ledger_ana;
SELECT charge('emp') \g /dev/null
RESET ROLE;
SELECT is(paid(), 'staff 1, ledger_one 1, ledger_two 1', 'after a revoke the groups pay again');

-- What the worker remembers of who pays ends with a grant or a membership, and with a look that finds nothing. Here nothing else
-- changes, no relation above all, and no test is run between the charges.
CREATE TABLE quiet (id int PRIMARY KEY);
SELECT gaussdp.protect('quiet', 'id'), grant_('public', 'quiet', 2), grant_('ledger_two', 'quiet', 2) \g /dev/null
SET ROLE ledger_ana;
SELECT charge('quiet') \g /dev/null
RESET ROLE;
REVOKE ledger_two FROM ledger_ana;
SET ROLE ledger_ana;
SELECT charge('quiet'), charge('quiet') \g /dev/null
RESET ROLE;
GRANT ledger_two TO ledger_ana;
SET ROLE ledger_ana;
SELECT charge('quiet') \g /dev/null
RESET ROLE;
CREATE TEMPORARY TABLE after_memberships AS SELECT role::text, round(spent_mu2 / (2.0 ^ 52 / 100))::int FROM gaussdp_internal.ledger_account WHERE relation = 'quiet'::regclass AND holder = 'r';
SET ROLE ledger_ana;
SELECT charge('quiet') \g /dev/null
RESET ROLE;
SELECT grant_('ledger_ana', 'quiet', 2) \g /dev/null
SET ROLE ledger_ana;
SELECT charge('quiet'), charge('quiet'), charge('quiet') \g /dev/null
RESET ROLE;
CREATE TEMPORARY TABLE after_grant AS SELECT role::text, round(spent_mu2 / (2.0 ^ 52 / 100))::int FROM gaussdp_internal.ledger_account WHERE relation = 'quiet'::regclass AND holder = 'r';
SET ROLE ledger_ana;
SELECT charge('quiet') \g /dev/null
RESET ROLE;
UPDATE gaussdp_internal.ledger_account SET granted = false WHERE role = 'ledger_ana'::regrole AND relation = 'quiet'::regclass;
SET ROLE ledger_ana;
SELECT charge('quiet') \g /dev/null
RESET ROLE;
SELECT results_eq('SELECT * FROM after_memberships ORDER BY role COLLATE "C"', $$VALUES ('-', 2), ('ledger_two', 2)$$, 'who leaves a group spends PUBLIC''s budget with the next charge, who joins it, the group''s');
SELECT results_eq('SELECT * FROM after_grant ORDER BY role COLLATE "C"', $$VALUES ('-', 2), ('ledger_ana', 3), ('ledger_two', 3)$$, 'a budget of one''s own pays from the next charge on');
SELECT results_eq($$SELECT role::text, round(spent_mu2 / (2.0 ^ 52 / 100))::int FROM gaussdp_internal.ledger_account WHERE relation = 'quiet'::regclass AND holder = 'r' ORDER BY role::text COLLATE "C"$$,
  $$VALUES ('-', 2), ('ledger_ana', 4), ('ledger_two', 4)$$, 'and not after it is taken away, even without a word');
SELECT paid() \g /dev/null

-- All or none
SELECT gaussdp.set_population_budget('staff', 0.5, 1e-6) \g /dev/null
SELECT ok(left_epsilon < 0.3, 'the population has little left, after the fact') FROM gaussdp.budget WHERE paid_by = 'population' AND people = 'staff';
SET ROLE ledger_cara;
SELECT throws_ok($$SELECT charge('emp', 1, 10)$$, '53400', 'the privacy budget of the population does not suffice for this query', 'the population''s limit refuses');
RESET ROLE;
SELECT is(paid(), '', 'and leaves the role''s account as it was');
SELECT gaussdp.drop_population_budget('staff') \g /dev/null
SET ROLE ledger_cara;
SELECT lives_ok($$SELECT charge('emp', 1, 10)$$, 'without the limit it goes');
SELECT throws_ok($$SELECT charge('emp', 1, 10, 0, 30)$$, '53400', 'the privacy budget of PUBLIC does not suffice for this query', 'PUBLIC''s limit refuses');
RESET ROLE;
SELECT is(paid(), 'staff 1, public 1', 'and leaves the population''s account as it was');
SELECT grant_('ledger_two', 'emp', 0.001) \g /dev/null
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT charge('emp')$$, '53400', 'the privacy budget of role "ledger_two" does not suffice for this query', 'one of two groups has not enough');
RESET ROLE;
SELECT is(paid(), '', 'and none pays');

-- A limit on one execution: gdp.epsilon(mu of the execution, delta)
SELECT grant_('ledger_cara', 'other', 100, 5e-7, NULL, 0.5) \g /dev/null
SELECT gdp.mu(0.5, 5e-7) AS mu \gset
SET ROLE ledger_cara;
SELECT throws_ok(format($$SELECT charge('other', %s, 1)$$, :mu * (1 + 1e-12)), '53400', 'the query costs more than max_epsilon_per_query allows', 'just above max_epsilon_per_query');
SELECT lives_ok(format($$SELECT charge('other', %s, 1)$$, :mu * (1 - 1e-12)), 'just below');
SELECT lives_ok(format($$SELECT charge('other', %s, 1, 0, 4)$$, :mu / 2 * (1 - 1e-12)), 'four releases in one execution that together are just below');
SELECT throws_ok(format($$SELECT charge('other', %s, 1, 0, 4)$$, :mu / 2 * (1 + 1e-12)), '53400', NULL, 'and just above');
SELECT is(gaussdp.queries_left('other', 0.51, 5e-7), 0::int8, 'queries_left knows the limit on a query');
SELECT cmp_ok(gaussdp.queries_left('other', 0.49, 5e-7), '>', 100::int8, 'and what it lets pass');
RESET ROLE;
SELECT is((SELECT abs(spent_epsilon / gdp.epsilon(:mu * sqrt(2), 5e-7) - 1) < 1e-9 FROM gaussdp.budget WHERE "table" = 'other'::regclass AND paid_by = 'ledger_cara'), true,
  'what is spent is shown as epsilon at delta');
SELECT gaussdp.set_population_budget('other', 100, 1e-6, NULL, 0.2) \g /dev/null
SET ROLE ledger_cara;
SELECT throws_ok(format($$SELECT charge('other', %s, 1)$$, :mu / 2), '53400', NULL, 'a population may have a limit on a query, too');
RESET ROLE;
SELECT gaussdp.drop_population_budget('other') \g /dev/null

-- Group thresholds: their deltas add up, and both limits are looked at together
SELECT grant_('ledger_cara', 'other', 100, 1e-6, NULL, NULL, 3e-7), gaussdp.reset_population_budget('other') \g /dev/null
SET ROLE ledger_cara;
SELECT lives_ok($$SELECT charge('other', 1, 10, 1e-7)$$, 'a threshold delta of 1e-7');
SELECT lives_ok($$SELECT charge('other', 1, 10, 1e-7)$$, 'and again');
SELECT throws_ok($$SELECT charge('other', 1, 10, 1.0001e-7)$$, '53400', NULL, 'more than the third that is left');
SELECT is(gaussdp.queries_left('other', 0.01, 1e-7, 0.3333e-7), 3::int8, 'queries_left counts thresholds as well');
SELECT is(gaussdp.queries_left('other', 99, 1e-7, 1e-12), 1::int8, 'and noise where it is that which runs out');
SELECT throws_ok(format($$SELECT gaussdp.queries_left('other', 1, 1e-7, '%s')$$, d), '22023', NULL, 'threshold_delta ' || d) FROM unnest('{-1e-9,1,NaN}'::text[]) AS d;
RESET ROLE;
SELECT results_eq($$SELECT round(spent_threshold_delta::numeric, 12), round(left_threshold_delta::numeric, 12) FROM gaussdp.budget WHERE "table" = 'other'::regclass AND paid_by = 'ledger_cara'$$,
  'VALUES (0.0000002, 0.0000001)', 'what is spent and left of the delta of thresholds');
SELECT is((SELECT round((spent_mu2 / 2.0 ^ 52)::numeric, 12) FROM gaussdp_internal.ledger_account WHERE relation = 'other'::regclass AND role = 'ledger_cara'::regrole),
  0.02, 'the refused one has cost no mu^2');
SET ROLE ledger_cara;
SELECT throws_ok($$SELECT charge('other', 1000, 10, 1e-8)$$, '22023', NULL, 'a release beyond any budget') ;
SELECT throws_ok($$SELECT charge('other', 300, 10, 1e-8)$$, '53400', NULL, 'too much mu^2');
RESET ROLE;
SELECT is((SELECT spent_delta FROM gaussdp_internal.ledger_account WHERE role = 'ledger_cara'::regrole AND relation = 'other'::regclass), 200000000000::int8, 'costs no delta');
SET ROLE ledger_cara;
SELECT lives_ok($$SELECT charge('other', 1, 10, 0.99999e-7)$$, 'what is left is there');
SELECT throws_ok($$SELECT charge('other', 1, 10, 1e-11)$$, '53400', NULL, 'and then nothing is');
SELECT lives_ok($$SELECT charge('other', 1, 10, 0)$$, 'but for releases without a threshold');
RESET ROLE;

-- To the last unit: a sensitivity of sigma / 16 costs 2^44 units of mu^2
UPDATE gaussdp_internal.ledger_account SET limit_mu2 = spent_mu2 + 2::int8 ^ 44, limit_delta = spent_delta + 1000000000, query_mu2 = 2 ^ 44
WHERE role = 'ledger_cara'::regrole AND relation = 'other'::regclass;
SET ROLE ledger_cara;
SELECT throws_ok($$SELECT charge('other', 1 + 1e-15, 16, 1e-9)$$, '53400', NULL, 'a unit more than the limits, and that on a query');
SELECT lives_ok($$SELECT charge('other', 1, 16, 1e-9)$$, 'a charge that uses up a limit, its threshold''s share and that on a query to the last unit');
SELECT throws_ok($$SELECT charge('other', 1e-9, 16)$$, '53400', 'the privacy budget of role "ledger_cara" does not suffice for this query', 'after it nothing is left');
RESET ROLE;
SELECT results_eq($$SELECT spent_mu2 = limit_mu2, spent_delta = limit_delta FROM gaussdp_internal.ledger_account WHERE role = 'ledger_cara'::regrole AND relation = 'other'::regclass$$, 'VALUES (true, true)', 'all is spent');
SELECT gaussdp.reset_population_budget('other') \g /dev/null
SELECT grant_('ledger_cara', 'other', 100, 1e-6) \g /dev/null

-- What never reaches the ledger, and what tiny costs cost
SELECT paid() \g /dev/null
SET ROLE ledger_cara;
SELECT throws_ok(format($$SELECT charge('other', %s, %s, %s)$$, s, g, d), '22023', NULL, format('sensitivity %s, sigma %s, delta %s', s, g, d))
FROM (VALUES ('0', '1', '0'), ('-1', '1', '0'), ('''NaN''', '1', '0'), ('''Infinity''', '1', '0'), ('1', '0', '0'), ('1', '-1', '0'),
  ('1', '''NaN''', '0'), ('1', '''Infinity''', '0'), ('1', '1', '-1e-9'), ('1', '1', '''NaN'''), ('1', '1', '1')) AS v (s, g, d);
RESET ROLE;
SELECT is(paid(), '', 'none of these was charged');
SELECT sum(spent_mu2) AS before FROM gaussdp_internal.ledger_account WHERE role = 'ledger_cara'::regrole \gset
SET ROLE ledger_cara;
SELECT count(charge('other', 1e-300, 1)) FROM generate_series(1, 50) \g /dev/null
SELECT charge('other', 1e-9, 1, 0, 100) \g /dev/null
RESET ROLE;
SELECT is((SELECT sum(spent_mu2) FROM gaussdp_internal.ledger_account WHERE role = 'ledger_cara'::regrole) - :before, 51 * ceil(limit_mu2 / 2.0 ^ 20), 'tiny queries cost the least price, each')
FROM gaussdp_internal.ledger_account WHERE role = 'ledger_cara'::regrole AND relation = 'other'::regclass;

-- The journal
SELECT results_eq($$SELECT item, session_role = session_user::text, role, people, "table", relation_name, kind, times, l2_sensitivity, sigma, mu2, threshold_delta, query_id, query_text
  FROM gaussdp.journal WHERE charge = (SELECT max(charge) FROM gaussdp.journal)$$,
  $$SELECT 1, true, 'ledger_cara', '', 'other'::regclass, 'public.other', 'dp_test', 100, 1e-9::float8, 1::float8, ceil(limit_mu2 / 2.0 ^ 20)::float8 / 2.0::float8 ^ 52, 0::float8, 42::int8, NULL::text
    FROM gaussdp_internal.ledger_account WHERE role = 'ledger_cara'::regrole AND relation = 'other'::regclass$$,
  'a line for equal releases: roles, table, how many, sensitivity, sigma, mu^2, query id, no text');
SELECT results_eq($$SELECT (r).times, (r).mu2 FROM (SELECT gaussdp_internal.releases(releases) AS r FROM gaussdp_internal.journal_entry ORDER BY charge DESC LIMIT 1) AS j$$, 'VALUES (100, 1::int8)',
  'whose tiny costs are rounded up, each');
SELECT is((SELECT count(*)::int FROM gaussdp.journal WHERE query_text IS NOT NULL), 0, 'no text is kept');
SET gaussdp.journal_query_text = on;
SET ROLE ledger_cara;
SELECT throws_ok('SET gaussdp.journal_query_text = off', '42501', NULL, 'only a superuser says whether');
SELECT charge('other') \g /dev/null
RESET ROLE;
RESET gaussdp.journal_query_text;
SELECT is((SELECT query_text FROM gaussdp.journal ORDER BY charge DESC LIMIT 1), 'a text', 'unless it is asked for');
SELECT is((SELECT sum(mu2) FROM gaussdp_internal.journal_entry WHERE event = 'charge' AND people = 'staff'), (SELECT spent_mu2 FROM gaussdp_internal.ledger_account WHERE people = 'staff' AND holder = 'p')::numeric,
  'the journal adds up to what the population has paid');

-- A role that is dropped in another database
CREATE ROLE ledger_gone;
SELECT grant_('ledger_gone', 'emp', 1) \g /dev/null
\! psql -qXd postgres -c 'DROP ROLE ledger_gone'
SELECT is((SELECT granted FROM gaussdp.budget WHERE paid_by = 'ledger_gone'), false, 'the owner sees that a role is gone');
SET ROLE ledger_cara;
SELECT charge('other', 0.001) \g /dev/null
RESET ROLE;
SELECT is((SELECT granted FROM gaussdp_internal.ledger_account WHERE role_name = 'ledger_gone'), false, 'with the next charge its budget is closed for good, whoever gets its OID');
SELECT is((SELECT format('%s %s', event, role) FROM gaussdp.journal WHERE event <> 'charge' ORDER BY charge DESC LIMIT 1), 'close ledger_gone', 'and the journal says so');
CREATE ROLE ledger_gone;
SET ROLE ledger_gone;
\! psql -qXd postgres -c 'DROP ROLE ledger_gone'
SELECT throws_matching($$SELECT charge('other')$$, '^role "[0-9]+" has no privacy budget', 'a session goes on as a role that is gone, with no budget');
RESET ROLE;

-- A table of the session's own transaction, which the worker does not see
CREATE FUNCTION error_of(statement text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  RETURN NULL;
EXCEPTION WHEN OTHERS THEN
  RETURN SQLERRM;
END$$;
BEGIN;
CREATE TABLE fresh (id int PRIMARY KEY);
SELECT gaussdp.protect('fresh', 'id'), grant_('ledger_cara', 'fresh', 1) \g /dev/null
SET LOCAL ROLE ledger_cara;
SELECT error_of($$SELECT charge('fresh')$$) AS message \gset
ROLLBACK;
SELECT matches(:'message'::text, '^role "ledger_cara" has no privacy budget for table "[0-9]+"$', 'a table of an open transaction goes by its number');

-- A table and a role that went while the library was not loaded
INSERT INTO gaussdp_internal.ledger_account (people, relation, holder, role, role_name, granted) VALUES ('', 4000000000::oid, 'r', 4000000001::oid, 'ledger_lost', true);
CREATE ROLE ledger_new;
SET ROLE ledger_cara;
SELECT lives_ok($$SELECT charge('other', 0.001)$$, 'what is left of a table and a role that are both gone stops no charge');
RESET ROLE;
SELECT * FROM finish();
DROP TABLE emp, pay, other, quiet;
DROP ROLE ledger_new, ledger_ana, ledger_ben, ledger_cara, ledger_one, ledger_two;
