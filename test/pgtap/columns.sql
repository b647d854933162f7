\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.columns: what an analyst without SELECT may ask about.
BEGIN;
SELECT plan(9);
CREATE SCHEMA hr;
CREATE TABLE hr.dept (name text PRIMARY KEY);
CREATE TABLE hr.emp (id int PRIMARY KEY, gone int, dept text, salary numeric(10, 2));
ALTER TABLE hr.emp DROP COLUMN gone;
CREATE TABLE hr.leave (person int NOT NULL, day date);
CREATE TABLE hr.secret (id int PRIMARY KEY, v int);
COMMENT ON TABLE hr.emp IS 'Who works here';
COMMENT ON COLUMN hr.emp.salary IS 'Euro a month';
CREATE ROLE columns_ana;
GRANT USAGE ON SCHEMA hr TO columns_ana;
CREATE ROLE columns_other;
DO $$BEGIN PERFORM gaussdp.protect('hr.emp', unit => 'id', people => 'staff'), gaussdp.protect('hr.leave', unit => 'person', max_rows => 5, people => 'staff'),
	gaussdp.protect('hr.secret', unit => 'id'), gaussdp.set_bounds('hr.emp', 'salary', 0, 9000), gaussdp.set_public_keys('hr.emp', 'dept', 'hr.dept', 'name'),
	gaussdp.grant_budget('columns_ana', 'hr.emp', 1, 1e-6), gaussdp.grant_budget('columns_other', 'hr.secret', 1, 1e-6); END$$;
SET LOCAL ROLE columns_ana;
SELECT is(string_agg(format('%s.%s %s', "table", "column", type), ', ' ORDER BY "table"::text, number),
	'hr.emp.id integer, hr.emp.dept text, hr.emp.salary numeric(10,2), hr.leave.person integer, hr.leave.day date', 'tables of its population, all columns, and no others') FROM gaussdp.columns;
SELECT is(string_agg("column", ' ' ORDER BY "table"::text), 'id person', 'the unit') FROM gaussdp.columns WHERE is_unit;
SELECT is(ROW(lower, upper, column_comment, table_comment)::text, '(0,9000,"Euro a month","Who works here")', 'bounds and comments') FROM gaussdp.columns WHERE "column" = 'salary';
SELECT is(ROW(key_table, key_column)::text, '(hr.dept,name)', 'public keys') FROM gaussdp.columns WHERE "column" = 'dept';
SELECT is(ROW(max_rows, people, joined_with, not_null)::text, '(5,staff,{hr.emp},f)', 'rows of a person, population, what it may be joined with') FROM gaussdp.columns WHERE "column" = 'day';
SELECT is(count(*)::int, 3, 'a table is found by its name, as queries write it') FROM gaussdp.columns WHERE "table" = 'hr.emp'::regclass;
SET LOCAL ROLE columns_other;
SELECT is(string_agg("table" || '.' || "column", ' ' ORDER BY number), 'hr.secret.id hr.secret.v', 'a table of its own people') FROM gaussdp.columns;
RESET ROLE;
CREATE ROLE columns_none;
SET LOCAL ROLE columns_none;
SELECT is_empty('SELECT * FROM gaussdp.columns', 'without a budget nothing');
RESET ROLE;
DO $$BEGIN PERFORM gaussdp.revoke_budget('columns_ana', 'hr.emp'); END$$;
SET LOCAL ROLE columns_ana;
SELECT is_empty('SELECT * FROM gaussdp.columns', 'nor after it was taken back');
SELECT * FROM finish();
ROLLBACK;
