\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Rows whose unit is NULL: the owner is told how many there are, and nobody else is.  That no answer counts them is for attack/people_nobody.sql.
BEGIN;
SELECT plan(15);
CREATE ROLE keeper;
CREATE ROLE ana;
CREATE SCHEMA hr AUTHORIZATION keeper;
GRANT USAGE ON SCHEMA hr TO ana;
CREATE FUNCTION said(command text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE command;
	RETURN 'nothing';
END $$;
SET ROLE keeper;
CREATE TABLE hr.person (id int PRIMARY KEY);
CREATE TABLE hr.visit (person int REFERENCES hr.person ON DELETE SET NULL, cost int) PARTITION BY LIST (cost);
CREATE TABLE hr.visit_1 PARTITION OF hr.visit DEFAULT;
INSERT INTO hr.person SELECT generate_series(1, 5);
INSERT INTO hr.visit SELECT p, 1 FROM generate_series(1, 5) p, generate_series(1, 3);
SELECT lives_ok($$SELECT gaussdp.protect('hr.person', 'id', people => 'staff'), gaussdp.protect('hr.visit', 'person', 3, people => 'staff')$$, 'a unit that may be NULL is declared');
SELECT results_eq($$SELECT "table"::text, usable, problem FROM gaussdp.protected_tables ORDER BY 1$$, $$VALUES ('hr.person', true, NULL), ('hr.visit', true, NULL)$$, 'and can be asked for');
SELECT is(gaussdp_internal.rows_of_nobody('hr.visit'), 0::int8, 'no rows of nobody yet');
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.visit') WHERE severity = 'notice'$$, 'nothing is said of none');
DELETE FROM hr.person WHERE id = 2;
SELECT results_eq($$SELECT what FROM gaussdp.check_policy('hr.visit') WHERE severity = 'notice'$$, $$VALUES ('rows that belong to nobody, since person is NULL there: 3. No answer counts them')$$, 'rows of a person who was erased are counted for the owner');
SELECT is(gaussdp_internal.rows_of_nobody('hr.visit_1'), 3::int8, 'those of a partition by itself');
SELECT is(gaussdp_internal.rows_of_nobody('hr.person'), NULL, 'a column that is NOT NULL is not counted');
SELECT is_empty($$SELECT * FROM gaussdp.check_policy() WHERE severity = 'notice'$$, 'what watches the server reads no table');
SET gaussdp.as_analyst = on;
SELECT is(gaussdp_internal.rows_of_nobody('hr.visit'), 3::int8, 'the owner is told as an analyst, too');
RESET gaussdp.as_analyst;
SET client_min_messages = warning;
SELECT gaussdp.unprotect('hr.visit') \g /dev/null
RESET client_min_messages;
RESET ROLE;
GRANT SELECT ON hr.visit TO ana;
SET ROLE keeper;
CREATE TABLE hr.child () INHERITS (hr.person);
SELECT gaussdp.protect('hr.visit', 'person', 3, people => 'staff') \g /dev/null
SET ROLE ana;
SELECT is(gaussdp_internal.rows_of_nobody('hr.visit'), NULL, 'who may read the table and does not own it is told nothing');
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.visit') WHERE severity = 'notice'$$, 'by check_policy neither');
RESET ROLE;
SELECT is(gaussdp_internal.rows_of_nobody('hr.visit'), 3::int8, 'a superuser is');
SELECT is(gaussdp_internal.rows_of_nobody('pg_class'), NULL, 'a table that is not protected');
CREATE TABLE hr.loose (u int);
INSERT INTO hr.loose VALUES (NULL);
SELECT gaussdp.protect('hr.loose', 'u') \g /dev/null
CREATE TABLE hr.looser () INHERITS (hr.loose);
INSERT INTO hr.looser VALUES (NULL), (NULL);
SELECT is(gaussdp_internal.rows_of_nobody('hr.loose'), 1::int8, 'rows of children are no rows of the table');
SELECT is(gaussdp_internal.rows_of_nobody(NULL), NULL, 'no table');
SELECT * FROM finish();
ROLLBACK;
