\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A statement of several levels: nothing is charged unless all of it can be paid, and a level is charged when it runs. The
-- worker sees committed tables only: nothing is rolled back here.
\getenv testlib GAUSSDP_TESTLIB
-- A statement of so many levels, the first `runs` of which run; at the first charge the `known` that follow are said to come.
CREATE FUNCTION levels_(tables regclass[], sigmas float8[], deltas float8[], known int, runs int)
  RETURNS int AS :'testlib', 'test_charge_levels' LANGUAGE C VOLATILE;
CREATE FUNCTION levels(tables regclass[], sigmas float8[], known int, runs int, deltas float8[] = '{0,0,0}')
  RETURNS int LANGUAGE sql AS 'SELECT public.levels_(tables, sigmas, deltas[:cardinality(tables)], known, runs)';
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 10, delta float8 = 0, n int = 1)
  RETURNS int AS :'testlib', 'test_charge' LANGUAGE C VOLATILE;
CREATE FUNCTION private_error(tables regclass[], state text) RETURNS void AS :'testlib', 'test_private_error' LANGUAGE C VOLATILE;

SELECT plan(42);
CREATE ROLE ledger_ana;
CREATE TABLE emp (id int PRIMARY KEY);
CREATE TABLE pay (id int PRIMARY KEY);
CREATE TABLE other (id int PRIMARY KEY);
CREATE TABLE closed (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id', people => 'staff'), gaussdp.protect('pay', 'id', people => 'staff'), gaussdp.protect('other', 'id'), gaussdp.protect('closed', 'id') \g /dev/null
SELECT gaussdp.grant_budget('ledger_ana', t, 100, 1e-6) FROM unnest('{emp,other}'::regclass[]) AS t \g /dev/null
-- A level with sigma 10 costs a hundredth: how many of these an account has been charged since the last look
CREATE TABLE looked AS SELECT people, relation, holder, role, spent_mu2 FROM gaussdp_internal.ledger_account;
CREATE FUNCTION paid() RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
  SELECT string_agg(format('%s %s', concat(CASE WHEN p.holder = 'p' THEN 'people of ' END, coalesce(nullif(p.people, ''), p.relation::text)),
    round((p.spent_mu2 - coalesce(l.spent_mu2, 0)) / (2.0 ^ 52 / 100))), ', ' ORDER BY p.holder DESC, p.people DESC)
  INTO result
  FROM gaussdp_internal.ledger_account AS p LEFT JOIN looked AS l USING (people, relation, holder, role)
  WHERE p.spent_mu2 <> coalesce(l.spent_mu2, 0);
  TRUNCATE looked;
  INSERT INTO looked SELECT people, relation, holder, role, spent_mu2 FROM gaussdp_internal.ledger_account;
  RETURN coalesce(result, '');
END$$;
CREATE FUNCTION limit_(mu2 float8, thresholds float8 = 1, query float8 = 1000) RETURNS void LANGUAGE sql AS
  $$UPDATE gaussdp_internal.ledger_account SET limit_mu2 = spent_mu2 + ceil(mu2 * (2.0 ^ 52 / 100))::int8 + 100, limit_delta = spent_delta + ceil(thresholds * 5e17)::int8,
    query_mu2 = ceil(query * (2.0 ^ 52 / 100))::int8 + 100 WHERE holder = 'r'$$;

-- Each level is charged by itself, when it runs
SET ROLE ledger_ana;
SELECT lives_ok($$SELECT levels('{emp,emp,emp}', '{10,10,10}', 2, 3)$$, 'three levels run');
RESET ROLE;
SELECT is(paid(), 'staff 3, people of staff 3', 'and are charged, once each');
SELECT is((SELECT count(DISTINCT charge)::int FROM gaussdp.journal WHERE event = 'charge'), 3, 'in three charges');
SELECT is((SELECT count(*)::int FROM gaussdp.journal WHERE event = 'charge'), 3, 'of one release each');
SET ROLE ledger_ana;
SELECT lives_ok($$SELECT levels('{emp,other,pay}', '{10,10,10}', 2, 1)$$, 'of three levels only the first one runs');
RESET ROLE;
SELECT is(paid(), 'staff 1, people of staff 1', 'the others cost nothing');
SELECT is((SELECT count(*)::int FROM gaussdp.journal WHERE event = 'charge'), 4, 'and leave no line');

-- The sum is looked at before the first charge
SELECT limit_(2) \g /dev/null
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT levels('{emp,pay,emp}', '{10,10,10}', 2, 3)$$, '53400', 'the privacy budget of role "ledger_ana" does not suffice for this query', 'three levels, and a budget for two');
RESET ROLE;
SELECT is(paid(), '', 'nothing is charged');
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT levels('{emp,pay,emp}', '{10,10,10}', 0, 3)$$, '53400', NULL, 'were they not known');
RESET ROLE;
SELECT is(paid(), 'staff 2, people of staff 2', 'two would be charged in vain');
SELECT limit_(2) \g /dev/null
SET ROLE ledger_ana;
SELECT lives_ok($$SELECT levels('{emp,pay}', '{10,10}', 1, 2)$$, 'a budget for two pays two, to the end');
SELECT throws_ok($$SELECT levels('{emp}', '{1000}', 0, 1)$$, '53400', NULL, 'and no more');
RESET ROLE;
SELECT is(paid(), 'staff 2, people of staff 2', 'which are charged');
SELECT limit_(2), paid() \g /dev/null
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT levels('{other,emp,emp}', '{10,10,5}', 2, 3)$$, '53400', NULL, 'the budget for other people of a later level does not suffice');
SELECT throws_ok($$SELECT levels('{emp,closed}', '{10,10}', 1, 2)$$, '42501', 'role "ledger_ana" has no privacy budget for table "closed"', 'there is no budget for a later level');
RESET ROLE;
SELECT is(paid(), '', 'nothing is charged');
SELECT gaussdp.set_population_budget('staff', 1, 1e-6) \g /dev/null
UPDATE gaussdp_internal.ledger_account SET limit_mu2 = spent_mu2 + 2 ^ 52 / 100 * 1.5 WHERE holder = 'p' AND people = 'staff';
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT levels('{emp,pay}', '{10,10}', 1, 2)$$, '53400', 'the privacy budget of the population does not suffice for this query', 'the population could not pay a later level');
RESET ROLE;
SELECT is(paid(), '', 'nothing is charged');
SELECT gaussdp.drop_population_budget('staff') \g /dev/null

-- The same for group thresholds
SELECT limit_(100, 2.5e-7) \g /dev/null
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT levels('{emp,emp,emp}', '{10,10,10}', 2, 3, '{5e-8,5e-8,5e-8}')$$, '53400', NULL, 'three thresholds, and a delta for two');
SELECT lives_ok($$SELECT levels('{emp,emp}', '{10,10}', 1, 2, '{5e-8,5e-8}')$$, 'two can be paid');
RESET ROLE;
SELECT is(paid(), 'staff 2, people of staff 2', 'and are');

-- max_epsilon_per_query is the statement's
SELECT limit_(100, 1, 2) \g /dev/null
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT levels('{emp,pay,emp}', '{10,10,10}', 2, 3)$$, '53400', 'the query costs more than max_epsilon_per_query allows', 'three levels, and a limit on a query for two');
RESET ROLE;
SELECT is(paid(), '', 'nothing is charged');
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT levels('{emp,pay,emp}', '{10,10,10}', 0, 3)$$, '53400', 'the query costs more than max_epsilon_per_query allows', 'a level that was not known counts against what is left of the limit');
RESET ROLE;
SELECT is(paid(), 'staff 2, people of staff 2', 'after two');
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT levels('{emp,pay,other}', '{10,10,7}', 0, 3)$$, '53400', NULL, 'each people has its limit on a query');
RESET ROLE;
SELECT is(paid(), 'staff 2, people of staff 2', 'of its own');
SET ROLE ledger_ana;
SELECT lives_ok($$SELECT levels('{emp,other,pay}', '{10,7.1,10}', 2, 3)$$, 'which is kept exactly');
SELECT lives_ok($$SELECT levels('{emp,pay}', '{10,10}', 1, 2)$$, 'another statement has the whole limit again');
RESET ROLE;
SELECT paid() \g /dev/null

-- Limits on the number of releases and tables hold for the statement
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT levels_(array_fill('emp'::regclass, ARRAY[129]), array_fill(1e6::float8, ARRAY[129]), array_fill(0::float8, ARRAY[129]), 128, 1)$$, '54000', NULL, '129 levels are too many');
RESET ROLE;
SELECT is(paid(), '', 'before the first');
SET ROLE ledger_ana;
SELECT lives_ok($$SELECT levels_(array_fill('emp'::regclass, ARRAY[128]), array_fill(1e3::float8, ARRAY[128]), array_fill(0::float8, ARRAY[128]), 127, 1)$$, '128 are not');
SELECT throws_ok($$SELECT levels_(array_fill('emp'::regclass, ARRAY[129]), array_fill(1e3::float8, ARRAY[129]), array_fill(0::float8, ARRAY[129]), 0, 129)$$, '54000', NULL, 'also where they were not known');
SELECT throws_ok($$SELECT levels('{emp,emp}', '{10,NaN}', 1, 1)$$, '22023', NULL, 'a later level without a cost');
RESET ROLE;
SELECT paid() \g /dev/null

-- A level that costs less than a query has to is charged that much: what is to come is looked at so, too
CREATE FUNCTION left_(queries float8) RETURNS void LANGUAGE sql AS
  $$UPDATE gaussdp_internal.ledger_account SET limit_mu2 = spent_mu2 * 2 + 2 ^ 40, spent_mu2 = spent_mu2 * 2 + 2 ^ 40 - queries * 2.0 ^ -20 * (spent_mu2 * 2 + 2 ^ 40), query_mu2 = 2 ^ 60 WHERE holder = 'r'$$;
SELECT left_(2.5), paid() \g /dev/null
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT levels('{emp,emp,emp}', '{1e6,1e6,1e6}', 2, 3)$$, '53400', 'the privacy budget of role "ledger_ana" does not suffice for this query', 'three levels that cost next to nothing, and a budget for two queries');
RESET ROLE;
SELECT is(paid(), '', 'nothing is charged');
SET ROLE ledger_ana;
SELECT lives_ok($$SELECT levels('{emp,pay}', '{1e6,1e6}', 1, 2)$$, 'two of them run');
RESET ROLE;
SELECT is((SELECT bool_and(spent_mu2 <= limit_mu2 AND limit_mu2 - spent_mu2 < limit_mu2 * 2.0 ^ -20) FROM gaussdp_internal.ledger_account WHERE holder = 'r' AND people = 'staff'), true, 'and leave less than one query costs');
SELECT limit_(2), paid() \g /dev/null

-- Errors inside of a level that was charged first
SET gaussdp.max_private_errors = 0;
SET ROLE ledger_ana;
SELECT throws_ok($$SELECT charge('other'), private_error('{other}', '22012')$$, '42501', NULL, 'an error about other people');
SELECT throws_ok($$SELECT levels('{emp,other}', '{10,10}', 1, 1)$$, '42501', 'the privacy budget of role "ledger_ana" for table "other" is suspended', 'a statement with a later level about them is refused');
RESET ROLE;
SELECT is(paid(), 'other 1, people of other 1', 'before anything but that is charged');
SELECT * FROM finish();
DROP TABLE emp, pay, other, closed;
DROP ROLE ledger_ana;
