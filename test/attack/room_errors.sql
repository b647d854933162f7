\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Whatever goes wrong inside of a level, and whatever is said there, the analyst hears one fixed message, or a fixed one
-- with the SQLSTATE of the server's trouble.  Nothing of it tells the row, the value or the function.
SET client_min_messages = warning;
SET gaussdp.max_private_errors = 1000;
SET gaussdp.max_private_cancels = 1000;
SET gaussdp.max_resource_errors = 1000;
CREATE TABLE emp (id int PRIMARY KEY, age int);
INSERT INTO emp SELECT i, i FROM generate_series(1, 100) i;
CREATE ROLE room_errors_ana;
SELECT gaussdp.protect('emp', unit => 'id') \g /dev/null
SELECT gaussdp.grant_budget('room_errors_ana', 'emp', epsilon => 500, delta => 1e-3) \g /dev/null
-- A superuser has promised too much: these fail, with a row's value in the message.
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION divides(int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS :'testlib', 'test_divides';
CREATE FUNCTION tells(int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS :'testlib', 'test_tells';
SELECT set_config('gaussdp_test.lib', :'testlib', false) \g /dev/null
DO $do$
DECLARE
    state text;
BEGIN
    FOREACH state IN ARRAY '{22003,XX000,P0001,42501,40P01,53100,53200,57P01,58030}'::text[] LOOP
        EXECUTE format('CREATE FUNCTION fails_%s(int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS %L, ''test_fails''', lower(state),
            current_setting('gaussdp_test.lib'));
    END LOOP;
END
$do$;
SELECT no_plan();

-- All that an error says; nothing of the transaction stays but charges and counts.
CREATE FUNCTION hears(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    state text; message text; detail text; hint text; relation text; context text;
BEGIN
    EXECUTE 'SET LOCAL ROLE room_errors_ana';
    EXECUTE 'SELECT dp_count(0.01, 1e-6) FROM emp WHERE ' || condition;
    RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
    GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL,
        hint = PG_EXCEPTION_HINT, relation = TABLE_NAME, context = PG_EXCEPTION_CONTEXT;
    RETURN concat_ws('|', state, message, detail, hint, relation,
        substring(replace(context, condition, '') FROM 'secret|divides.*|fails_.*'));
END
$$;
SELECT is(hears('divides(age)'), '38000|the query over protected tables has failed|What it costs has been charged. The reason is not told, '
    'since it may depend on a row.||', 'an error of a row leaves as the fixed message');
SELECT is(hears(format('fails_%s(age)', state)), hears('divides(age)'), 'so does one of SQLSTATE ' || state)
FROM unnest('{22003,xx000,p0001,42501}'::text[]) state;
SELECT is(hears(format('fails_%s(age)', lower(state))), state || '|the query over protected tables could not be finished|What it costs has been charged.||',
    'of the server''s own trouble the SQLSTATE is kept, and nothing else: ' || state)
FROM unnest('{40P01,53100,53200,57P01,58030}'::text[]) state;
SELECT is(hears('id < 7 AND divides(age)'), 'answered', 'where no row fails there is an answer');

-- The worker counts class 57 as cancels, all else as errors: a deadlock, too, since a level has its locks before its first row.
SELECT is((SELECT errors::int FROM gaussdp.budget WHERE paid_by = 'room_errors_ana'), 11, 'what may depend on a row is counted');
SELECT is((SELECT resource_errors::int FROM gaussdp.budget WHERE paid_by = 'room_errors_ana'), 2, 'what was lacking, and waited for, apart');
SELECT is((SELECT cancels::int FROM gaussdp.budget WHERE paid_by = 'room_errors_ana'), 1, 'and so are cancels');
SELECT is((SELECT count(kind)::int FROM gaussdp.journal WHERE event = 'charge'), 15, 'and each of them was charged');

-- Messages below an error stay inside, too.
\setenv PGDATABASE :DBNAME
\set said `psql -qAtX -c 'SET client_min_messages = debug1' -c 'SET ROLE room_errors_ana' -c 'SELECT dp_count(0.01, 1e-6) IS NULL FROM emp WHERE tells(age)' 2>&1 | grep -v 'DEBUG: '`
SELECT is(:'said'::text, 'f', 'a warning about a row does not leave the level');

-- Who may read the rows and asks as an analyst pays nothing, and learns nothing by an error.
CREATE ROLE room_errors_reader;
GRANT SELECT ON emp TO room_errors_reader;
SELECT gaussdp.grant_budget('room_errors_reader', 'emp', epsilon => 1, delta => 1e-6) \g /dev/null
SET ROLE room_errors_reader;
SET gaussdp.as_analyst = on;
SELECT throws_ok('SELECT dp_count(0.01, 1e-6) FROM emp WHERE divides(age)', '38000', NULL, 'an error of a query that costs nothing');
RESET ROLE;
REVOKE SELECT ON emp FROM room_errors_reader;
SET ROLE room_errors_reader;
SELECT lives_ok('SELECT dp_count(0.01, 1e-6) FROM emp', 'keeps the role from nothing');
RESET ROLE;
SELECT is((SELECT errors::int FROM gaussdp.budget WHERE paid_by = 'room_errors_reader'), 0, 'and is not counted');
SELECT * FROM finish();
DROP OWNED BY room_errors_reader;
DROP ROLE room_errors_reader;
DROP OWNED BY room_errors_ana;
DROP ROLE room_errors_ana;
