\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Budgets are not dropped while charges of a running period stand; library and SQL objects are of one version. The worker sees
-- committed tables only: nothing is rolled back here.
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 10, delta float8 = 0, n int = 1)
  RETURNS int AS :'testlib', 'test_charge' LANGUAGE C VOLATILE;

SELECT plan(19);
CREATE ROLE drop_ana;
CREATE ROLE drop_owner;
CREATE TABLE emp (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id') \g /dev/null
SELECT gaussdp.grant_budget('drop_ana', 'emp', 3, 1e-6, '1 day') \g /dev/null

-- What nobody has charged may go
SELECT lives_ok('DO $$BEGIN DROP EXTENSION gaussdp CASCADE; RAISE EXCEPTION ''so far''; EXCEPTION WHEN raise_exception THEN END$$', 'without charges the extension may be dropped');

-- Charges of a running period
SET ROLE drop_ana;
SELECT charge('emp') \g /dev/null
RESET ROLE;
SELECT throws_ok(s, '2BP01', 'cannot drop the privacy budgets while charges of a running period stand', s)
FROM unnest('{DROP EXTENSION gaussdp,DROP EXTENSION gaussdp CASCADE}'::text[]) AS s;
CREATE SCHEMA dp;
SELECT lives_ok('SELECT count(*) FROM gaussdp.journal', 'and nothing is gone');
SELECT is((SELECT count(*)::int FROM gaussdp.journal WHERE event = 'charge'), 1, 'no charge either');

-- The owner of the schema of an extension may drop it with the schema
ALTER SCHEMA dp OWNER TO drop_owner;
CREATE TABLE others AS SELECT current_setting('is_superuser') AS superuser;
UPDATE pg_catalog.pg_extension SET extnamespace = 'dp'::regnamespace WHERE extname = 'gaussdp';
INSERT INTO pg_catalog.pg_depend SELECT 'pg_extension'::regclass, oid, 0, 'pg_namespace'::regclass, 'dp'::regnamespace, 0, 'n' FROM pg_extension WHERE extname = 'gaussdp';
SET ROLE drop_owner;
SELECT throws_ok('DROP SCHEMA dp CASCADE', '2BP01', NULL, 'DROP SCHEMA ... CASCADE by who owns the schema');
SELECT throws_ok('SET gaussdp.allow_drop = on', '42501', NULL, 'who may not allow it, either');
RESET ROLE;
DELETE FROM pg_catalog.pg_depend WHERE classid = 'pg_extension'::regclass AND refobjid = 'dp'::regnamespace;
UPDATE pg_catalog.pg_extension SET extnamespace = 'public'::regnamespace WHERE extname = 'gaussdp';
SELECT is((SELECT count(*)::int FROM gaussdp.journal WHERE event = 'charge'), 1, 'no charge is gone');

-- A period that is over, and a setting
UPDATE gaussdp_internal.ledger_account SET since = since - interval '1 day' WHERE holder = 'r';
SELECT lives_ok('DO $$BEGIN DROP EXTENSION gaussdp CASCADE; RAISE EXCEPTION ''so far''; EXCEPTION WHEN raise_exception THEN END$$', 'after the period it may be dropped');
UPDATE gaussdp_internal.ledger_account SET since = since + interval '1 day' WHERE holder = 'r';
SELECT gaussdp.set_population_budget('emp', 3, 1e-6) \g /dev/null
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 0, spent_delta = 0 WHERE holder = 'r';
SELECT throws_ok('DROP EXTENSION gaussdp', '2BP01', NULL, 'the limit of a population counts, too');
SET gaussdp.allow_drop = on;
SELECT lives_ok('DO $$BEGIN DROP EXTENSION gaussdp CASCADE; RAISE EXCEPTION ''so far''; EXCEPTION WHEN raise_exception THEN END$$', 'a superuser may allow it');
RESET gaussdp.allow_drop;

-- Library and SQL objects
SELECT lives_ok(format('SELECT gaussdp_internal.check_library(%L)', extversion), 'the library has the version of the objects') FROM pg_extension WHERE extname = 'gaussdp';
SELECT throws_ok($$SELECT gaussdp_internal.check_library('0.9')$$, '55000', 'the library gaussdp has version 1.0, and its SQL objects have version 0.9', 'a script of another version is refused');
SELECT lives_ok($$SELECT gaussdp_internal.check_library('0.9', or_newer => true)$$, 'but a step of an update to the library''s version may run');
SELECT throws_ok(format('SELECT gaussdp_internal.check_library(%L, or_newer => true)', v), '55000', 'the library gaussdp has version 1.0, and its SQL objects have version ' || v, 'and no step to a newer one: ' || v)
FROM unnest('{1.1,2.0,next}'::text[]) AS v;
UPDATE pg_catalog.pg_extension SET extversion = '0.9' WHERE extname = 'gaussdp';
CREATE TABLE something ();
SET ROLE drop_ana;
SELECT throws_ok($$SELECT charge('emp')$$, '55000', 'the library gaussdp has version 1.0, and its SQL objects have version 0.9', 'and so is a charge beside objects of another version');
RESET ROLE;
UPDATE pg_catalog.pg_extension SET extversion = '1.0' WHERE extname = 'gaussdp';
SET ROLE drop_ana;
SELECT lives_ok($$SELECT charge('emp')$$, 'until they are of one version again');
RESET ROLE;
SELECT * FROM finish();
DROP TABLE emp, others, something;
