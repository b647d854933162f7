\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What is charged, to the unit: limits rounded down, costs rounded up, lists of charges as numeric adds them up,
-- each table of a query to its own people, and what a query leaves in the journal. The worker sees committed
-- tables only: nothing is rolled back here.
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 10, delta float8 = 0, n int = 1)
  RETURNS int AS :'testlib', 'test_charge' LANGUAGE C VOLATILE;
CREATE ROLE ledger_ana;
CREATE TABLE emp (id int PRIMARY KEY, dept text);
CREATE TABLE pay (id int PRIMARY KEY, dept text);
CREATE TABLE other (id int PRIMARY KEY, dept text);
SELECT gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.protect('pay', 'id', people => 'staff'), gaussdp.protect('other', 'id') \g /dev/null
SELECT gaussdp.grant_budget('ledger_ana', 'emp', 500, 1e-6, threshold_delta => 3e-7), gaussdp.grant_budget('ledger_ana', 'other', 500, 1e-6) \g /dev/null
-- What is spent by a query, table by table, in units of 2^-52 and 10^-18
CREATE FUNCTION spent(relation regclass, holder "char" = 'r') RETURNS int8[] LANGUAGE sql AS
  $$SELECT ARRAY[spent_mu2, spent_delta] FROM gaussdp_internal.ledger_account AS p WHERE p.relation = $1 AND p.holder = $2 AND role_name IN ('', 'ledger_ana', 'ledger_gone') ORDER BY role DESC LIMIT 1$$;
-- What has been charged since mark() was called. Each level of a query is a charge of its own.
CREATE TABLE mark AS SELECT 0::int8 AS charge;
CREATE VIEW entries AS SELECT * FROM gaussdp_internal.journal_entry WHERE event = 'charge' AND charge > (SELECT charge FROM mark);
CREATE FUNCTION mark() RETURNS void LANGUAGE sql AS 'UPDATE mark SET charge = (SELECT max(charge) FROM gaussdp_internal.journal_entry)';

SELECT plan(51);

-- Limits are rounded down, by less than 1e-12
SELECT ok(limit_mu2 / 2.0 ^ 52 <= gdp.mu(500, 1e-6) ^ 2 AND limit_mu2 / 2.0 ^ 52 > gdp.mu(500, 1e-6) ^ 2 * (1 - 1e-12), 'a limit is kept as mu^2, rounded down')
FROM gaussdp_internal.ledger_account WHERE people = 'staff' AND holder = 'r';
SELECT is(limit_delta, 300000000000::int8, 'and a delta for thresholds, as the decimal that was typed') FROM gaussdp_internal.ledger_account WHERE people = 'staff' AND holder = 'r';
SELECT is(limit_delta, 1000000000000::int8, 'by default as much as delta') FROM gaussdp_internal.ledger_account WHERE relation = 'other'::regclass AND holder = 'r';

-- 1,000 random lists of charges, by the ledger and by numeric: never less, and at most 1e-12 more
CREATE TABLE lists (list int, spent int8, exact numeric);
CREATE FUNCTION random_lists() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
  least numeric := (SELECT ceil(limit_mu2 / 2 ^ 20::numeric) / 2 ^ 52::numeric FROM gaussdp_internal.ledger_account WHERE relation = 'public.other'::regclass AND holder = 'r');
  before int8;
  exact numeric;
  s int8;
  g int8;
  times int;
BEGIN
  FOR list IN 1 .. 1000 LOOP
    before := (public.spent('public.other'))[1];
    exact := 0;
    FOR i IN 0 .. list % 3 LOOP
      s := 1 + floor(random() * 1e6);
      g := 1e6 + floor(random() * 1e8);
      times := 1 + floor(random() * 20);
      SET LOCAL ROLE ledger_ana;
      PERFORM public.charge('public.other', s / 2.0 ^ 20, g / 2.0 ^ 20, 0, times);
      RESET ROLE;
      exact := exact + greatest(times * (s * s)::numeric(60, 40) / (g * g), least);
    END LOOP;
    INSERT INTO public.lists VALUES (list, (public.spent('public.other'))[1] - before, exact);
  END LOOP;
END$$;
SELECT setseed(0.6) \g /dev/null
SELECT random_lists() \g /dev/null
SELECT is((SELECT count(*)::int FROM lists WHERE spent > 0 AND spent >= exact * 2 ^ 52::numeric - 0.001), 1000, '1,000 random lists never cost less than what numeric makes of them');
SELECT is((SELECT count(*)::int FROM lists WHERE spent / 2 ^ 52::numeric > exact + 1e-12), 0, 'nor 1e-12 more');

-- Tables of one query: each to its own people, two about the same people to one budget
SELECT gaussdp.reset_population_budget('emp'), gaussdp.reset_population_budget('other'), mark() \g /dev/null
SET ROLE ledger_ana;
SELECT (SELECT public.dp_count(0.5, 1e-6) FROM emp), (SELECT public.dp_count(0.25, 1e-6) FROM other), (SELECT public.dp_count(0.125, 1e-6) FROM pay) \g /dev/null
RESET ROLE;
SELECT set_eq('SELECT relation_name, people FROM entries',
  $$VALUES ('public.emp', 'staff'), ('public.other', ''), ('public.pay', 'staff')$$, 'a query of three levels is three charges');
SELECT is((SELECT count(DISTINCT charge)::int FROM entries), 3, 'each by itself');
SELECT is(spent('other'), (SELECT ARRAY[sum(mu2), 0]::int8[] FROM entries WHERE people = ''), 'a table pays for its own');
SELECT is(spent('-'), (SELECT ARRAY[sum(mu2), 0]::int8[] FROM entries WHERE people = 'staff'), 'two tables about the same people add up');
SELECT results_eq($$SELECT spent('-', 'p'), spent('other', 'p')$$, $$SELECT spent('-'), spent('other')$$, 'for both populations, too');
SELECT gaussdp.reset_population_budget('emp'), mark() \g /dev/null
SET ROLE ledger_ana;
WITH e AS (SELECT dept FROM emp GROUP BY dept HAVING public.dp_keep_group(1, 1e-8)), p AS (SELECT dept FROM pay GROUP BY dept HAVING public.dp_keep_group(1, 3e-8))
SELECT (SELECT count(*) FROM e), (SELECT count(*) FROM p) \g /dev/null
RESET ROLE;
SELECT is((SELECT count(*)::int FROM entries WHERE threshold_delta > 0), 2, 'two tables whose groups are hidden');
SELECT is((spent('-'))[2], (SELECT sum(threshold_delta)::int8 FROM entries), 'their thresholds add up');
SELECT is(spent('-', 'p'), spent('-'), 'for the population, too');
SELECT gaussdp.reset_population_budget('emp') \g /dev/null
SET ROLE ledger_ana;
SELECT charge('emp', 1, 10, 1e-8, 3) \g /dev/null
RESET ROLE;
SELECT is((spent('-'))[2], 30000000000::int8, 'those of one table in one query as well');
-- Groups of three grouping sets that are found in the data
SELECT gaussdp.reset_population_budget('emp'), mark() \g /dev/null
SET ROLE ledger_ana;
SELECT dept FROM emp GROUP BY dept HAVING public.dp_keep_group(1, 1e-8) \g /dev/null
SELECT dept FROM emp GROUP BY ROLLUP (dept, id % 2) HAVING public.dp_keep_group(1, 1e-8) \g /dev/null
RESET ROLE;
SELECT is(array_agg(threshold_delta), '{5000000000,5000000000}'::int8[], 'grouping sets take the delta of one, for all their thresholds') FROM entries;
SELECT ok(max(mu2) BETWEEN 1 AND min(mu2) * (1 + 1e-6), 'and its mu^2') FROM entries;

-- What is spent of both stays
SELECT spent('-') AS spent \gset
SELECT gaussdp.revoke_budget('ledger_ana', 'emp'), gaussdp.grant_budget('ledger_ana', 'emp', 500, 1e-6, '1 day') \g /dev/null
SELECT is(spent('-'), :'spent', 'after a revoke and another grant');
SELECT is(spent('-', 'p'), :'spent', 'of the population''s, too');
ALTER ROLE ledger_ana RENAME TO ledger_gone;
DROP ROLE ledger_gone;
CREATE ROLE ledger_gone;
SELECT gaussdp.grant_budget('ledger_gone', 'emp', 500, 1e-6, '1 day') \g /dev/null
SELECT is(spent('-'), :'spent', 'and after DROP ROLE');

-- What a query leaves in the journal
SELECT gaussdp.grant_budget('ledger_gone', 'other', 500, 1e-6) \g /dev/null
SET gaussdp.journal_query_text = on;
SELECT clock_timestamp() AS before, mark() \gset
SET ROLE ledger_gone;
SELECT public.dp_count(0.5, 1e-6) FROM other \g /dev/null
RESET ROLE;
RESET gaussdp.journal_query_text;
SELECT ok(at BETWEEN :'before' AND clock_timestamp(), 'when it was charged') FROM entries;
SELECT is(query_text, 'SELECT public.dp_count(0.5, 1e-6) FROM other ', 'its text, if it is asked for') FROM entries;
CREATE FUNCTION query_id(query text) RETURNS int8 LANGUAGE plpgsql AS $$
DECLARE
  plan json;
BEGIN
  EXECUTE 'EXPLAIN (VERBOSE, FORMAT json) ' || query INTO plan;
  RETURN plan -> 0 ->> 'Query Identifier';
END$$;
SELECT is(query_id('SELECT 1'), NULL::int8, 'the library does not turn query ids on for the server');
SELECT is(query_id, NULL::int8, 'and the journal leaves them out where nobody computes them') FROM gaussdp.journal ORDER BY charge DESC LIMIT 1;
SET compute_query_id = on;
SET ROLE ledger_gone;
SELECT public.dp_count(0.5, 1e-6) FROM other \g /dev/null
RESET ROLE;
SELECT is(query_id, query_id('SELECT public.dp_count(0.5, 1e-6) FROM other'), 'else it has the id, as PostgreSQL counts it') FROM gaussdp.journal ORDER BY charge DESC LIMIT 1;
SELECT isnt(query_id('SELECT public.dp_count(0.5, 1e-6) FROM other'), NULL::int8, 'which is there');
RESET compute_query_id;

-- Limits to the unit: what costs all that is left is charged, and not where one unit is missing
SELECT gaussdp.reset_population_budget('other'), mark() \g /dev/null
SET ROLE ledger_gone;
SELECT charge('other', 1, 10, 1e-8) \g /dev/null
RESET ROLE;
SELECT mu2, threshold_delta FROM entries \gset
CREATE FUNCTION leave("char", int8, int8) RETURNS void LANGUAGE sql AS
  $$UPDATE gaussdp_internal.ledger_account SET spent_mu2 = CASE WHEN holder = $1 THEN limit_mu2 - $2 ELSE 0 END,
    spent_delta = CASE WHEN holder = $1 THEN limit_delta - $3 ELSE 0 END WHERE relation = 'other'::regclass$$;
CREATE FUNCTION left_of("char") RETURNS int8[] LANGUAGE sql AS
  $$SELECT ARRAY[limit_mu2 - spent_mu2, limit_delta - spent_delta] FROM gaussdp_internal.ledger_account WHERE relation = 'other'::regclass AND holder = $1 AND (holder = 'p' OR role = 'ledger_gone'::regrole)$$;
CREATE FUNCTION charge_as_analyst() RETURNS text LANGUAGE plpgsql SET role = 'ledger_gone' AS
  $$BEGIN PERFORM charge('other', 1, 10, 1e-8); RETURN 'charged'; EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE; END$$;
SELECT gaussdp.set_population_budget('other', 500, 1e-6) \g /dev/null
SELECT unnest(ARRAY[format('SELECT leave(%L, %s, %s)', holder, mu2, delta),
  format('SELECT is(charge_as_analyst(), %L, %L)', outcome, holder::text || ': ' || what),
  format('SELECT is(left_of(%L), %L::int8[], %L)', holder, CASE outcome WHEN 'charged' THEN '{0,0}' ELSE ARRAY[mu2, delta]::int8[] END, holder::text || ': what is left then')])
FROM unnest('{r,p}'::"char"[]) AS holder, (VALUES (:mu2 - 1, :threshold_delta, '53400', 'one unit of mu^2 is missing'),
  (:mu2, :threshold_delta - 1, '53400', 'one unit of delta is missing'), (:mu2, :threshold_delta, 'charged', 'all is there')) AS v (mu2, delta, outcome, what) \gexec

-- PUBLIC's reset is not the population's, and a grant that is repeated keeps the period's end
SELECT gaussdp.grant_budget('public', 'other', 500, 1e-6), gaussdp.grant_budget('public', 'emp', 1, 1e-6, '30 days') \g /dev/null
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 1000, spent_delta = 10, since = since - interval '45 days', period = 1 WHERE role = 0 AND holder = 'r';
SELECT spent('other', 'p') AS spent, renews_at AS renews FROM gaussdp.budget WHERE paid_by = 'public' AND people = 'staff' \gset
SELECT gaussdp.reset_budget('public', 'other'), gaussdp.grant_budget('public', 'emp', 2, 1e-6, '30 days') \g /dev/null
SELECT is(spent, '{0,0}'::int8[], 'a reset of PUBLIC''s budget') FROM (SELECT ARRAY[spent_mu2, spent_delta] AS spent FROM gaussdp_internal.ledger_account WHERE relation = 'other'::regclass AND holder = 'r' AND role = 0) AS p;
SELECT is(spent('other', 'p'), :'spent', 'leaves the population''s as it is');
SELECT is(renews_at, :'renews', 'to grant again moves no end of a period') FROM gaussdp.budget WHERE paid_by = 'public' AND people = 'staff';

-- What cannot be
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = -1 WHERE relation = 'other'::regclass AND holder = 'p';
SET ROLE ledger_gone;
SELECT throws_ok($$SELECT charge('other')$$, 'XX001', NULL, 'a ledger with less than nothing spent charges nothing');
RESET ROLE;
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 0, spent_delta = -1 WHERE relation = 'other'::regclass AND holder = 'p';
SET ROLE ledger_gone;
SELECT throws_ok($$SELECT charge('other')$$, 'XX001', NULL, 'nor with less than no delta');
RESET ROLE;
UPDATE gaussdp_internal.ledger_account SET spent_delta = 0 WHERE relation = 'other'::regclass AND holder = 'p';
CREATE FUNCTION broken() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'no'; END$$;
CREATE CONSTRAINT TRIGGER broken AFTER INSERT ON gaussdp_internal.journal_entry DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION broken();
SET ROLE ledger_gone;
SELECT throws_ok($$SELECT charge('other')$$, '08007', NULL, 'an error in the commit itself: unknown, which counts as spent');
RESET ROLE;
DROP TRIGGER broken ON gaussdp_internal.journal_entry;

-- Where it stands, and who may change it
SELECT is((SELECT count(*)::int FROM pg_depend WHERE refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gaussdp') AND deptype = 'e'
  AND objid IN (SELECT oid FROM pg_class WHERE relkind = 'r' AND relpersistence = 'p' AND relnamespace = 'gaussdp_internal'::regnamespace)
  AND classid = 'pg_class'::regclass), 13, 'budgets, journal, its archive and that of answers, counts of errors, pauses, allowed functions, kept answers, versions of data and publications are ordinary tables of the extension');
SELECT is(setting || unit, '5000ms', 'a charge waits 5 s by default') FROM pg_settings WHERE name = 'gaussdp.charge_timeout';
SET ROLE ledger_gone;
SELECT throws_ok('SELECT gaussdp.' || f, '42501', NULL, 'who does not own the table: ' || f)
FROM unnest(ARRAY[$$grant_budget('ledger_gone', 'other', 900, 1e-6)$$, $$grant_budget('public', 'emp', 900, 1e-6)$$,
  $$revoke_budget('ledger_gone', 'other')$$, $$reset_population_budget('other')$$, $$drop_population_budget('other')$$,
  $$drop_population_budget('staff')$$]) AS f;
RESET ROLE;
SELECT * FROM finish();
DROP VIEW entries;
DROP TABLE emp, pay, other, lists;
DROP ROLE ledger_gone;
