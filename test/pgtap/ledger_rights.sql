\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What ordinary users cannot do to the ledger, nor with its rights.
BEGIN;
SELECT plan(48);
CREATE ROLE ledger_mallory;
CREATE ROLE ledger_bob;
CREATE TABLE emp (id int PRIMARY KEY);
DO $$BEGIN PERFORM gaussdp.protect('emp', 'id'), gaussdp.grant_budget('public', 'emp', 1, 1e-6); END$$;
CREATE SCHEMA evil AUTHORIZATION ledger_mallory;

-- The ledger's queries run as its owner: no operator or function of the caller's may stand in them.
SET ROLE ledger_mallory;
CREATE TABLE evil.mine (id int PRIMARY KEY);
CREATE FUNCTION evil.eq(text, text) RETURNS bool LANGUAGE plpgsql AS
$$BEGIN RAISE EXCEPTION 'evil, as %', current_user; END$$;
CREATE FUNCTION evil.eq(oid, oid) RETURNS bool LANGUAGE plpgsql AS
$$BEGIN RAISE EXCEPTION 'evil, as %', current_user; END$$;
CREATE FUNCTION evil.eq("char", "char") RETURNS bool LANGUAGE plpgsql AS
$$BEGIN RAISE EXCEPTION 'evil, as %', current_user; END$$;
CREATE FUNCTION evil.nextval(regclass) RETURNS int8 LANGUAGE plpgsql AS
$$BEGIN RAISE EXCEPTION 'evil, as %', current_user; END$$;
CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.eq);
CREATE OPERATOR evil.= (LEFTARG = oid, RIGHTARG = oid, FUNCTION = evil.eq);
CREATE OPERATOR evil.= (LEFTARG = "char", RIGHTARG = "char", FUNCTION = evil.eq);
SELECT gaussdp.protect('evil.mine', 'id', people => 'mine') \g /dev/null
CREATE FUNCTION evil.try(call text) RETURNS void LANGUAGE plpgsql SET search_path = evil, pg_catalog, public AS
$$BEGIN EXECUTE call; END$$;
SELECT throws_ok($$SELECT evil.try('SELECT ''a''::text OPERATOR(=) ''b''::text')$$, 'P0001', NULL, 'a caller finds an operator of its own');
SELECT lives_ok(format('SELECT evil.try(%L)', 'SELECT gaussdp.' || f), f || ' does not')
FROM unnest(ARRAY[$$queries_left('public.emp', 0.1, 1e-6)$$, $$grant_budget('ledger_bob', 'evil.mine', 1, 1e-6)$$,
  $$set_population_budget('mine', 1, 1e-6)$$, $$revoke_budget('ledger_bob', 'evil.mine')$$, $$reset_population_budget('evil.mine')$$, $$resume_budget('ledger_bob', 'evil.mine')$$]) AS f;

-- Nor may anybody write what the ledger has written.
SELECT throws_ok(s, '42501', NULL, s)
FROM unnest(ARRAY['ledger_account', 'journal_entry', 'error_count']) AS t,
  unnest(ARRAY[format('INSERT INTO gaussdp_internal.%s SELECT', t), format('DELETE FROM gaussdp_internal.%s', t), format('TRUNCATE gaussdp_internal.%s', t),
    format('SELECT FROM gaussdp_internal.%s', t), format('LOCK TABLE gaussdp_internal.%s', t), format('ALTER TABLE gaussdp_internal.%s DISABLE TRIGGER ALL', t),
    format('CREATE INDEX ON gaussdp_internal.%s (people)', t), format('DROP TABLE gaussdp_internal.%s', t),
    format('CREATE TRIGGER t BEFORE INSERT ON gaussdp_internal.%s EXECUTE FUNCTION evil.t()', t)]) AS s;
SELECT throws_ok(s, '42501', NULL, s)
FROM unnest(ARRAY['UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 0', 'UPDATE gaussdp_internal.journal_entry SET mu2 = 0',
  $$SELECT nextval('gaussdp_internal.journal_number')$$, $$SELECT setval('gaussdp_internal.journal_number', 1)$$,
  'SELECT FROM gaussdp_internal.ledger_account_now', 'SELECT FROM gaussdp_internal.error_now', 'UPDATE gaussdp_internal.error_count SET suspended = NULL', 'SELECT FROM gaussdp_internal.budget_text', 'CREATE TABLE gaussdp.mine ()']) AS s;
SELECT throws_ok('DELETE FROM gaussdp.journal', '55000', NULL, 'the journal is read, and nothing else');
RESET ROLE;

-- An error of the ledger's own queries does not show them; the caller sees where in its own code it came from.
CREATE FUNCTION ledger_fail() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RAISE 'written to %', TG_RELNAME; END$$;
CREATE FUNCTION evil.error_of(call text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  said text;
  context text;
BEGIN
  EXECUTE call;
  RETURN 'no error';
EXCEPTION WHEN raise_exception THEN
  GET STACKED DIAGNOSTICS said = MESSAGE_TEXT, context = PG_EXCEPTION_CONTEXT;
  RETURN concat_ws(': ', said, context);
END$$;
GRANT EXECUTE ON FUNCTION evil.error_of(text) TO PUBLIC;
CREATE TRIGGER fail BEFORE INSERT ON gaussdp_internal.ledger_account EXECUTE FUNCTION ledger_fail();
SET ROLE ledger_mallory;
SELECT evil.error_of($$SELECT gaussdp.grant_budget('ledger_bob', 'evil.mine', 2, 1e-6)$$) AS error \gset
RESET ROLE;
SELECT matches(:'error'::text, '^written to ledger_account: SQL statement "SELECT gaussdp.grant_budget\([^"]*"\nPL/pgSQL function evil.error_of\(text\) line 6 at EXECUTE$',
  'an error of an account''s query has the context of its caller');
SELECT doesnt_match(:'error'::text, 'INSERT|ledger_fail', 'and nothing of the query');
DROP TRIGGER fail ON gaussdp_internal.ledger_account;
CREATE TRIGGER fail BEFORE INSERT ON gaussdp_internal.journal_entry EXECUTE FUNCTION ledger_fail();
SET ROLE ledger_mallory;
SELECT evil.error_of($$SELECT gaussdp.grant_budget('ledger_bob', 'evil.mine', 2, 1e-6)$$) AS error \gset
RESET ROLE;
SELECT matches(:'error'::text, '^written to journal_entry: SQL statement "SELECT gaussdp.grant_budget\([^"]*"\nPL/pgSQL function evil.error_of\(text\) line 6 at EXECUTE$',
  'so has one of a journal''s query');
SELECT doesnt_match(:'error'::text, 'INSERT|ledger_fail', 'and nothing of that');
SELECT * FROM finish();
ROLLBACK;
