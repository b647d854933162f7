\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- CREATE EXTENSION in a database that has objects and event triggers of its own.
BEGIN;
SELECT plan(17);
DROP EXTENSION gaussdp;
CREATE TABLE ddl_log (tag text);
CREATE FUNCTION logged() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO ddl_log VALUES (tg_tag); END';
CREATE EVENT TRIGGER logs ON ddl_command_end EXECUTE FUNCTION logged();
CREATE TABLE first (id int);
SELECT is(count(*), 1::int8, 'an event trigger writes to a table by its name alone') FROM ddl_log;
SELECT lives_ok('CREATE EXTENSION gaussdp', 'it may, while the extension is made');
SELECT ok(count(*) > 400 AND count(*) FILTER (WHERE tag IN ('CREATE VIEW', 'COMMENT', 'CREATE TABLE', 'REVOKE', 'CREATE FUNCTION')) > 300, 'and is told of all') FROM ddl_log;
SELECT is(current_setting('search_path'), '"$user", public', 'the search path is what it was');

-- So may the functions of schema gaussdp, which run under a search path of their own.
SET LOCAL client_min_messages = error;
CREATE SCHEMA hr;
CREATE TABLE hr.emp (id int PRIMARY KEY, note text, salary int);
CREATE TABLE hr.emp_new (LIKE hr.emp INCLUDING ALL);
CREATE TABLE hr.ticket (emp int NOT NULL);
CREATE FUNCTION logged_by(command text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	tags text;
BEGIN
	DELETE FROM ddl_log;
	EXECUTE command;
	SELECT string_agg(DISTINCT tag, ', ' ORDER BY tag) INTO tags FROM ddl_log;
	RETURN tags;
END $$;
SELECT is(logged_by(c), 'SECURITY LABEL', c) FROM unnest(ARRAY[$$SELECT gaussdp.protect('hr.emp', 'id', people => 'staff')$$, $$SELECT gaussdp.protect('hr.ticket', 'emp', via => 'hr.emp')$$,
	$$SELECT gaussdp.set_bounds('hr.emp', 'salary', 0, 9), gaussdp.hide_columns('hr.emp', '{note}')$$, $$SELECT gaussdp.copy_declaration('hr.emp', 'hr.emp_new')$$, $$SELECT gaussdp.unprotect('hr.emp_new')$$]) AS c;
SELECT is(logged_by('SELECT * FROM gaussdp.lock_down()'), 'GRANT, REVOKE', 'lock_down');
SELECT is_empty('SELECT * FROM gaussdp.lock_down()', 'which does it all at once');
SELECT is(logged_by('SELECT * FROM gaussdp.undo_lock_down()'), 'GRANT, REVOKE', 'undo_lock_down');
SELECT is(current_setting('search_path'), '"$user", public', 'the search path is again what it was');
-- A table is declared whatever else has its name
CREATE TABLE emp (id int PRIMARY KEY);
CREATE TEMPORARY TABLE emp (id int PRIMARY KEY);
SELECT throws_ok($$SELECT gaussdp.protect('pg_temp.emp', 'id')$$, '22023', NULL, 'a temporary table is not declared, nor another one in its place');
SELECT throws_ok($$SELECT gaussdp_internal.run_command('SELECT 1')$$, '42501', 'run_command cannot be called', 'nobody else runs commands so');

-- What stands in the extension's schema and fits better than PostgreSQL's own is used by nothing.
DROP EXTENSION gaussdp;
CREATE FUNCTION spied(int, float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT 0::float8';
CREATE OPERATOR * (LEFTARG = int, RIGHTARG = float8, FUNCTION = spied);
SELECT throws_ok('CREATE EXTENSION gaussdp', '55000', 'an object of the extension would use operator public.*(integer,double precision)', 'an operator of somebody else');
DROP EVENT TRIGGER logs;
SELECT lives_ok('CREATE EXTENSION gaussdp', 'where no event trigger needs the search path, it is not found');
SELECT * FROM finish();
ROLLBACK;
