\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
SET client_min_messages = warning;
-- Who made the extension may have been a superuser once: what that role hangs on the ledger's tables gets its
-- own rights, in sessions and in the worker.
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION charge(table_ regclass, sensitivity float8 = 1, sigma float8 = 10, delta float8 = 0, n int = 1)
  RETURNS int AS :'testlib', 'test_charge' LANGUAGE C VOLATILE;
SELECT plan(11);
CREATE ROLE ledger_dba SUPERUSER;
CREATE ROLE ledger_ana;
SET gaussdp.allow_drop = on;
DROP EXTENSION gaussdp CASCADE;
SET ROLE ledger_dba;
ALTER DEFAULT PRIVILEGES GRANT ALL ON TABLES TO ledger_ana, PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SEQUENCES TO ledger_ana, PUBLIC;
ALTER DEFAULT PRIVILEGES GRANT ALL ON SCHEMAS TO ledger_ana, PUBLIC;
CREATE EXTENSION gaussdp;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM ledger_ana, PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON SEQUENCES FROM ledger_ana, PUBLIC;
ALTER DEFAULT PRIVILEGES REVOKE ALL ON SCHEMAS FROM ledger_ana, PUBLIC;
RESET ROLE;
ALTER ROLE ledger_dba NOSUPERUSER;
SELECT is((SELECT string_agg(relname, ', ') FROM pg_class WHERE relnamespace = 'gaussdp'::regnamespace AND relname ~ '^stat_' AND has_table_privilege('ledger_ana', oid, 'SELECT')), 'stat_journal, stat_progress, stat_refusals', 'nor on the views of monitors, but for those that show owners theirs');
SELECT is((SELECT string_agg(DISTINCT c.relname, ', ') FROM pg_class AS c, aclexplode(relacl) AS a WHERE relnamespace IN ('gaussdp'::regnamespace, 'gaussdp_internal'::regnamespace)
    AND grantee <> relowner AND (grantee, privilege_type, relname IN ('ledger_account', 'journal_entry', 'journal_number', 'ledger_account_now', 'budget_text', 'budget_line')) <> (0, 'SELECT', false)
    AND (grantee, privilege_type, relname ~ '^stat_') <> ('pg_monitor'::regrole, 'SELECT', true)),
  NULL, 'default privileges of who makes the extension give nobody a right on the ledger');
SELECT is((SELECT string_agg(format('%s %s', grantee, privilege_type), ', ') FROM pg_namespace, aclexplode(nspacl) WHERE nspname IN ('gdp', 'gaussdp', 'gaussdp_internal') AND grantee <> nspowner),
  '0 USAGE, 0 USAGE, 0 USAGE', 'nor one to make objects beside it');
CREATE TABLE emp (id int PRIMARY KEY);
SELECT gaussdp.protect('emp', 'id', people => 'staff') \g /dev/null

CREATE TABLE seen (who text);
GRANT INSERT ON seen TO PUBLIC;
SET ROLE ledger_dba;
CREATE FUNCTION gaussdp.spy() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO public.seen VALUES (current_user);
  BEGIN
    RESET ROLE;
    INSERT INTO public.seen VALUES (current_user);
  EXCEPTION WHEN insufficient_privilege THEN
    NULL;
  END;
  RETURN NEW;
END$$;
CREATE TRIGGER spy BEFORE INSERT OR UPDATE ON gaussdp_internal.ledger_account FOR EACH ROW EXECUTE FUNCTION gaussdp.spy();
RESET ROLE;
CREATE FUNCTION seen() RETURNS text LANGUAGE sql AS $$
  WITH gone AS (DELETE FROM seen RETURNING who) SELECT string_agg(DISTINCT who, ', ') FROM gone$$;

SELECT lives_ok($$SELECT gaussdp.grant_budget('ledger_ana', 'emp', 1, 1e-6)$$, 'a budget is granted');
SELECT is(seen(), 'ledger_dba', 'with the rights of the ledger''s owner');
SET ROLE ledger_ana;
SELECT lives_ok($$SELECT charge('emp')$$, 'a charge is made');
RESET ROLE;
SELECT is(seen(), 'ledger_dba', 'with the same');
SELECT is((SELECT count(*)::int FROM gaussdp.journal WHERE event = 'charge'), 1, 'and is in the journal');
SELECT lives_ok('DROP ROLE ledger_ana', 'a role is dropped');
SELECT is(seen(), 'ledger_dba', 'with the same');
SELECT is((SELECT string_agg(paid_by || ' ' || granted, ', ' ORDER BY paid_by) FROM gaussdp.budget), 'ledger_ana false, population true', 'and closes its budgets');
SELECT * FROM finish();
DROP TABLE emp, seen;
DROP EXTENSION gaussdp CASCADE;
DROP OWNED BY ledger_dba CASCADE;
DROP ROLE ledger_dba;
