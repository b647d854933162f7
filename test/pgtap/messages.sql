\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- No error shows a statement that its reader has not written: whatever the library runs to do its work, the context is the caller's.
-- The worker sees committed tables only: nothing is rolled back here, roles are dropped at the end.
LOAD '$libdir/gaussdp';
SELECT no_plan();
CREATE ROLE messages_ana;
CREATE ROLE messages_owner;
CREATE TABLE patient (id int PRIMARY KEY, age int, name text);
CREATE TABLE own (id int PRIMARY KEY);
CREATE TABLE nokey (n int);
CREATE TABLE key (name text PRIMARY KEY, n int);
SELECT gaussdp.protect('patient', 'id', people => 'patients'), gaussdp.grant_budget('messages_ana', 'patient', 1, 1e-6, max_epsilon_per_query => 0.9, threshold_delta => 1e-9) \g /dev/null
-- What a statement fails with: the message, and what the context says beyond the statement itself.
CREATE FUNCTION said(statement text, OUT message text, OUT context text) LANGUAGE plpgsql AS $$
BEGIN
  EXECUTE statement;
  message := 'no error';
EXCEPTION WHEN OTHERS THEN
  GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, context = PG_EXCEPTION_CONTEXT;
  -- that the function which the reader has called raised the error is no statement
  context := rtrim(regexp_replace(regexp_replace(replace(context, format('SQL statement "%s"', statement), ''), 'PL/pgSQL function (public\.)?said\(text\) line .*', ''),
    '^PL/pgSQL function gaussdp(_internal)?\.\w+\([^)]*\) line \d+ at RAISE(\nSQL function "\w+" statement 1)?', ''), E'\n');
END$$;

-- The test would see them
CREATE FUNCTION inner_raise() RETURNS void LANGUAGE plpgsql AS $$BEGIN PERFORM 1 / 0; END$$;
SELECT matches((said('SELECT inner_raise()')).context, '^SQL statement "SELECT 1 / 0"\nPL/pgSQL function inner_raise\(\) line 1 at PERFORM$', 'a function in PL/pgSQL shows what it runs');

-- Every function of the schema, without its arguments: what it says to NULLs
SELECT is(context, '', call || ': ' || message)
FROM (SELECT format('SELECT gaussdp.%I(%s)', proname, string_agg(format('%s => NULL::%s', quote_ident(name), format_type(type, NULL)), ', ' ORDER BY i)) AS call
	FROM pg_proc, unnest(proargnames, proargtypes::oid[]) WITH ORDINALITY AS a (name, type, i)
	WHERE pronamespace = 'gaussdp'::regnamespace AND NOT proisstrict AND type IS NOT NULL GROUP BY oid) f, said(call)
WHERE message <> 'no error';

-- Mistakes of owners
SELECT is(CASE message WHEN 'no error' THEN message ELSE context END, '', call || ': ' || message)
FROM unnest(ARRAY[$$SELECT gaussdp.protect('own', 'nope')$$, $$SELECT gaussdp.protect('own', 'id', max_rows => -1)$$, $$SELECT gaussdp.protect('own', 'id', via => 'nokey')$$,
	$$SELECT gaussdp.set_bounds('patient', 'age', 5, 1)$$, $$SELECT gaussdp.set_bounds('patient', 'name', 0, 1)$$,
	$$SELECT gaussdp.set_bounds('patient', 'nope', 0, 1)$$, $$SELECT gaussdp.set_public_keys('patient', 'name', 'key', 'nope')$$, $$SELECT gaussdp.set_public_keys('patient', 'name', 'key', 'n')$$,
	$$SELECT gaussdp.archive_journal(now())$$, $$SELECT gaussdp.archive_journal('yesterday', 0)$$,
	$$SELECT gaussdp.grant_budget('nobody', 'patient', 1, 1e-6)$$, $$SELECT gaussdp.grant_budget('messages_ana', 'own', 1, 1e-6)$$, $$SELECT gaussdp.grant_budget('messages_ana', 'patient', -1, 1e-6)$$,
	$$SELECT gaussdp.grant_budget('messages_ana', 'patient', 1, 1e-6, every => '1 month')$$, $$SELECT gaussdp.set_population_budget('nobody', 1, 1e-6)$$,
	$$SELECT gaussdp.reset_budget('messages_ana', 'own')$$, $$SELECT gaussdp.resume_budget('messages_ana', 'own')$$,
	$$SELECT gaussdp.queries_left('patient', -1, 1e-6)$$, $$SELECT * FROM gaussdp.explain_privacy('SELECT 1; SELECT 2')$$, $$SELECT * FROM gaussdp.explain_privacy('SELEC 1')$$]) AS call, said(call);
-- Who may not
SET ROLE messages_ana;
SELECT is(CASE message WHEN 'no error' THEN message ELSE context END, '', call || ': ' || message)
FROM unnest(ARRAY[$$SELECT gaussdp.protect('own', 'id')$$, $$SELECT gaussdp.unprotect('patient')$$, $$SELECT gaussdp.set_bounds('patient', 'age', 0, 1)$$, $$SELECT gaussdp.drop_bounds('patient', 'age')$$,
	$$SELECT gaussdp.drop_public_keys('patient', 'name')$$, $$SELECT gaussdp.grant_budget('messages_ana', 'patient', 9, 1e-6)$$, $$SELECT gaussdp.revoke_budget('messages_ana', 'patient')$$,
	$$SELECT gaussdp.reset_population_budget('patients')$$, $$SELECT gaussdp.archive_journal('yesterday')$$, $$SELECT gaussdp.lock_down()$$]) AS call, said(call);
-- What analysts are told of their budget
SELECT is(CASE message WHEN 'no error' THEN message ELSE context END, '', call || ': ' || message)
FROM unnest(ARRAY['SELECT dp_count(30, 1e-6) FROM patient', 'SELECT dp_count(2, 1e-6) FROM patient', 'SELECT age FROM patient', 'SELECT dp_count(*) FROM patient', 'SELECT dp_count(0.1, 1e-6) FROM own',
	'SELECT age, dp_count(0.1, 1e-6) FROM patient GROUP BY age HAVING dp_keep_group(0.1, 1e-7)', 'SELECT dp_avg(age, 0.1, 1e-6, 9, 1) FROM patient']) AS call, said(call);
RESET ROLE;

-- What fails inside of the ledger
CREATE FUNCTION say_no() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN PERFORM 'a secret of the ledger'; RAISE 'written to %', TG_RELNAME; END$$;
UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 1 WHERE people = 'patients'; -- so that there is something to reset
CREATE TRIGGER say_no BEFORE INSERT ON gaussdp_internal.journal_entry EXECUTE FUNCTION say_no();
SET ROLE messages_ana;
SELECT results_eq($$SELECT * FROM said('SELECT dp_count(0.1, 1e-6) FROM patient')$$, $$VALUES ('could not charge the privacy budget: written to journal_entry', '')$$, 'a charge');
RESET ROLE;
SELECT results_eq(format('SELECT * FROM said(%L)', call), $$VALUES ('written to journal_entry', '')$$, call)
FROM unnest(ARRAY[$$SELECT gaussdp.grant_budget('messages_ana', 'patient', 2, 1e-6)$$, $$SELECT gaussdp.revoke_budget('messages_ana', 'patient')$$, $$SELECT gaussdp.reset_population_budget('patients')$$,
	$$SELECT gaussdp.set_population_budget('patients', 2, 1e-6)$$, $$SELECT gaussdp.unprotect('patient')$$, $$SELECT gaussdp.protect('patient', people => '', change_unit => true)$$, 'DROP TABLE patient']) AS call;
DROP TRIGGER say_no ON gaussdp_internal.journal_entry;
CREATE TRIGGER say_no BEFORE INSERT ON gaussdp_internal.journal_checkpoint EXECUTE FUNCTION say_no();
SELECT results_eq($$SELECT * FROM said('SELECT gaussdp.archive_journal(''yesterday'')')$$, $$VALUES ('written to journal_checkpoint', '')$$, 'an archive');
DROP TRIGGER say_no ON gaussdp_internal.journal_checkpoint;

-- A caller of one's own is shown
CREATE FUNCTION mine() RETURNS void LANGUAGE plpgsql AS $$BEGIN PERFORM gaussdp.protect('own', 'nope'); END$$;
SELECT is((said('SELECT mine()')).context, E'SQL statement "SELECT gaussdp.protect(''own'', ''nope'')"\nPL/pgSQL function mine() line 1 at PERFORM', 'functions of users show what they run');
SELECT * FROM finish();
DROP OWNED BY messages_ana, messages_owner;
DROP ROLE messages_ana, messages_owner;
