\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- CREATE EXTENSION in a database that has objects and event triggers of its own.
BEGIN;
SELECT plan(6);
DROP EXTENSION gaussdp;
CREATE TABLE ddl_log (tag text);
CREATE FUNCTION logged() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO ddl_log VALUES (tg_tag); END';
CREATE EVENT TRIGGER logs ON ddl_command_end EXECUTE FUNCTION logged();
CREATE TABLE first (id int);
SELECT is(count(*), 1::int8, 'an event trigger writes to a table by its name alone') FROM ddl_log;
SELECT lives_ok('CREATE EXTENSION gaussdp', 'it may, while the extension is made');
SELECT ok(count(*) > 400 AND count(*) FILTER (WHERE tag IN ('CREATE VIEW', 'COMMENT', 'CREATE TABLE', 'REVOKE', 'CREATE FUNCTION')) > 300, 'and is told of all') FROM ddl_log;
SELECT is(current_setting('search_path'), '"$user", public', 'the search path is what it was');

-- What stands in the extension's schema and fits better than PostgreSQL's own is used by nothing.
DROP EXTENSION gaussdp;
CREATE FUNCTION spied(int, float8) RETURNS float8 LANGUAGE sql IMMUTABLE AS 'SELECT 0::float8';
CREATE OPERATOR * (LEFTARG = int, RIGHTARG = float8, FUNCTION = spied);
SELECT throws_ok('CREATE EXTENSION gaussdp', '55000', 'an object of the extension would use operator public.*(integer,double precision)', 'an operator of somebody else');
DROP EVENT TRIGGER logs;
SELECT lives_ok('CREATE EXTENSION gaussdp', 'where no event trigger needs the search path, it is not found');
SELECT * FROM finish();
ROLLBACK;
