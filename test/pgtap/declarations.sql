\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What owners say of tables and columns: grammar, rights, and that it stays true or fails closed.
BEGIN;
SELECT plan(101);

CREATE ROLE declarer;
CREATE ROLE stranger;
CREATE SCHEMA hr AUTHORIZATION declarer;
GRANT USAGE ON SCHEMA hr TO PUBLIC;
CREATE FUNCTION refuses(object text, label text, detail text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	found text; state text;
BEGIN
	BEGIN
		EXECUTE format('SECURITY LABEL FOR gaussdp ON %s IS %L', object, label);
	EXCEPTION WHEN OTHERS THEN
		GET STACKED DIAGNOSTICS found = PG_EXCEPTION_DETAIL, state = RETURNED_SQLSTATE;
	END;
	RETURN NEXT is(state || ': ' || found, detail, object || ': ' || label);
END $$;
CREATE FUNCTION state() RETURNS text LANGUAGE sql AS
$$SELECT string_agg(format('%s %s %s %s', "table", unit, max_rows, coalesce(problem, 'ok')), '; ') FROM gaussdp.protected_tables$$;
CREATE FUNCTION labels(regclass) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(label, '; ' ORDER BY objsubid) FROM pg_seclabel WHERE provider = 'gaussdp' AND objoid = $1$$;
CREATE FUNCTION versions() RETURNS text LANGUAGE sql AS $$SELECT string_agg(ctid::text, ' ' ORDER BY ctid) FROM pg_seclabel$$;
SET LOCAL ROLE declarer;
CREATE TABLE hr.dept (name text PRIMARY KEY);
CREATE TABLE hr.emp (person_id int PRIMARY KEY, dept text, salary numeric, age int2, nullable int);

-- Three lines of SQL say what is private.
SELECT lives_ok($$SELECT gaussdp.protect('hr.emp', unit => 'person_id', max_rows => 3, people => 'staff')$$, 'protect');
SELECT lives_ok($$SELECT gaussdp.set_bounds('hr.emp', 'salary', 0, 250000.5)$$, 'set_bounds');
SELECT lives_ok($$SELECT gaussdp.set_public_keys('hr.emp', 'dept', 'hr.dept', 'name')$$, 'set_public_keys');
SELECT results_eq($$SELECT "table"::text, unit, max_rows, people, usable FROM gaussdp.protected_tables$$,
	$$VALUES ('hr.emp', 'person_id', 3::int8, 'staff', true)$$, 'protected_tables shows it');
SELECT is((SELECT string_agg(concat_ws(' ', "column", lower, upper, key_table, key_column), '; ' ORDER BY "column") FROM gaussdp.column_bounds),
	'dept hr.dept name; salary 0 250000.5', 'column_bounds shows them');
SELECT is(bounds, '0 to 250000.5', 'also as text') FROM gaussdp.column_bounds WHERE "column" = 'salary';
SELECT is((SELECT string_agg(objsubid || ' ' || label, '; ' ORDER BY objsubid) FROM pg_seclabel
	WHERE provider = 'gaussdp' AND objoid = 'hr.emp'::regclass),
	'0 protected max_rows=3 people=staff; 1 unit; 2 keys=hr.dept(name); 3 bounds=[0,250000.5]',
	'the labels are short and plain');
SELECT lives_ok($$SELECT gaussdp.set_bounds('hr.emp', 'person_id', 0, 10)$$, 'a unit column may have bounds');
SELECT is((SELECT label FROM pg_seclabel WHERE objoid = 'hr.emp'::regclass AND objsubid = 1), 'unit bounds=[0,10]', 'both in one label');
SELECT lives_ok($$SELECT gaussdp.drop_bounds('hr.emp', 'person_id')$$, 'drop_bounds');
SELECT is((SELECT label FROM pg_seclabel WHERE objoid = 'hr.emp'::regclass AND objsubid = 1), 'unit', 'drop_bounds leaves the rest');

-- The session's settings change nothing of what is stored.
SAVEPOINT settings;
SET LOCAL extra_float_digits = -12;
SET LOCAL "IntervalStyle" = sql_standard;
SET LOCAL quote_all_identifiers = on;
SELECT gaussdp.protect('hr.emp', 'person_id', 3, people => 'staff'), gaussdp.set_bounds('hr.emp', 'salary', 0.123456789, 250000.123456789),
	gaussdp.set_public_keys('hr.emp', 'dept', 'hr.dept', 'name') \g /dev/null
SELECT is((SELECT string_agg(objsubid || ' ' || label, '; ' ORDER BY objsubid) FROM pg_seclabel
	WHERE provider = 'gaussdp' AND objoid = 'hr.emp'::regclass),
	'0 protected max_rows=3 people=staff; 1 unit; 2 keys=hr.dept(name); 3 bounds=[0.123456789,250000.123456789]',
	'labels are the same under all settings');
SELECT is(array[lower, upper], array[0.123456789, 250000.123456789]::float8[], 'bounds are those that were given')
FROM gaussdp.column_bounds WHERE "column" = 'salary';
SELECT throws_ok($$SELECT gaussdp.set_bounds('hr.emp', 'salary', 250000.5, 0)$$, '22023', 'bounds are out of range: lower 250000.5, upper 0', 'messages have all digits');
SELECT gaussdp.grant_budget('stranger', 'hr.emp', 0.123456789, 1.23456789e-6, every => '1 day 12:00:00.5', max_epsilon_per_query => 0.0123456789) \g /dev/null
SELECT is(terms, 'epsilon 0.123456789, delta 1.23456789e-06, threshold_delta 1.23456789e-06, max_epsilon_per_query 0.0123456789, every 1 days 43200 s, reuse_answers 3600 s', 'so are terms in the journal')
FROM gaussdp.journal WHERE event = 'grant';
ROLLBACK TO settings;

-- Declared again: what is not said stays; whose rows it has is changed on purpose.
SAVEPOINT again;
CREATE TABLE hr.trip (id int PRIMARY KEY, person_id int NOT NULL);
CREATE TABLE hr.ticket (trip_id int NOT NULL, other_id int NOT NULL, person_id int NOT NULL);
SELECT gaussdp.protect('hr.trip', 'person_id', 7, people => 'staff'), gaussdp.protect('hr.ticket', 'trip_id', max_groups => 5, via => 'hr.trip') \g /dev/null
SELECT versions() AS before \gset
SELECT gaussdp.protect('hr.emp', 'person_id', 3, people => 'staff'), gaussdp.protect('hr.emp'), gaussdp.protect('hr.ticket'), gaussdp.protect('hr.ticket', 'trip_id', via => 'hr.trip'),
	gaussdp.set_bounds('hr.emp', 'salary', 0, 250000.5), gaussdp.set_public_keys('hr.emp', 'dept', 'hr.dept', 'name'), gaussdp.drop_bounds('hr.emp', 'age') \g /dev/null
SELECT is(versions(), :'before', 'nothing is written where nothing changes');
RESET ROLE;
SET LOCAL ROLE stranger;
SELECT throws_ok($$SELECT gaussdp.protect('hr.emp')$$, '42501', 'must be owner of table emp', 'nor may a stranger change nothing');
SELECT throws_ok($$SELECT gaussdp.set_bounds('hr.emp', 'salary', 0, 250000.5)$$, '42501', 'must be owner of table emp', 'of columns, too');
RESET ROLE;
SET LOCAL ROLE declarer;
SELECT gaussdp.protect('hr.emp', max_rows => 5), gaussdp.protect('hr.ticket', max_rows => 9) \g /dev/null
SELECT is(labels('hr.emp'), 'protected max_rows=5 people=staff; unit; keys=hr.dept(name); bounds=[0,250000.5]', 'another max_rows keeps the people');
SELECT is(labels('hr.ticket'), 'protected max_rows=9 max_groups=5 via=hr.trip(id); unit', 'and a path, and max_groups');
SELECT gaussdp.protect('hr.emp', max_rows => 1, max_groups => 100) \g /dev/null
SELECT is(labels('hr.emp'), 'protected people=staff; unit; keys=hr.dept(name); bounds=[0,250000.5]', 'what holds where nothing is said can be said');
SELECT throws_ok(format('SELECT gaussdp.protect(%s)', args), '55000', 'table hr.' || substring(args FROM $$hr\.(\w+)$$) || ' is protected otherwise', args)
FROM unnest(ARRAY[$$'hr.trip', 'id'$$, $$'hr.trip', people => 'stafff'$$, $$'hr.trip', people => ''$$, $$'hr.ticket', 'other_id', via => 'hr.trip'$$, $$'hr.ticket', 'person_id', people => 'staff'$$,
	$$'hr.ticket', via => 'hr.emp'$$, $$'hr.ticket', via => 'hr.trip', via_column => 'person_id'$$, $$'hr.emp', via => 'hr.trip'$$]) AS args;
SELECT throws_ok($$SELECT gaussdp.protect('hr.ticket', 'other_id', change_unit => true)$$, '22023', 'a new unit of table hr.ticket needs people or via', 'a path is not kept for another unit');
SELECT gaussdp.protect('hr.trip', people => 'travellers', change_unit => true) \g /dev/null
SELECT is(labels('hr.trip'), 'protected max_rows=7 people=travellers; unit', 'another population, on purpose');
SELECT gaussdp.protect('hr.trip', people => '', change_unit => true) \g /dev/null
SELECT is(labels('hr.trip'), 'protected max_rows=7; unit', 'one of its own');
SELECT gaussdp.protect('hr.ticket', 'person_id', people => 'staff', change_unit => true) \g /dev/null
SELECT is(labels('hr.ticket'), 'protected max_rows=9 max_groups=5 people=staff; unit', 'people in place of a path');
SELECT gaussdp.protect('hr.ticket', 'trip_id', via => 'hr.trip', change_unit => true) \g /dev/null
SELECT is(labels('hr.ticket'), 'protected max_rows=9 max_groups=5 via=hr.trip(id); unit', 'and back');
ALTER TABLE hr.trip RENAME TO trips;
SELECT lives_ok($$SELECT gaussdp.protect('hr.ticket', via => 'hr.trips')$$, 'a path that leads nowhere is mended without more words');
ALTER TABLE hr.ticket DROP trip_id;
SELECT lives_ok($$SELECT gaussdp.protect('hr.ticket', 'other_id', via => 'hr.trips')$$, 'and so is a unit that is gone');
CREATE TEMPORARY TABLE passing (id int PRIMARY KEY);
SELECT refuses('TABLE passing', 'protected', '22023: Temporary tables cannot be declared: what is declared must outlive the session.');
ROLLBACK TO again;

-- Grammar
SELECT refuses('TABLE hr.emp', '', '42601: Expected "protected" at character 1.');
SELECT refuses('TABLE hr.emp', 'protected ', '42601: Expected "max_rows=", "max_groups=", "people=" or "via=" at character 11.');
SELECT refuses('TABLE hr.emp', 'protectedx', '42601: Expected "protected" at character 1.');
SELECT refuses('TABLE hr.emp', 'protected  people=a', '42601: Expected "max_rows=", "max_groups=", "people=" or "via=" at character 11.');
SELECT refuses('TABLE hr.emp', 'protected max_rows=0', '42601: Expected a whole number from 1 to 4294967296, or "found" at character 20.');
SELECT refuses('TABLE hr.emp', 'protected max_rows=4294967297', '42601: Expected a whole number from 1 to 4294967296, or "found" at character 20.');
SELECT refuses('TABLE hr.emp', 'protected max_rows=-1', '42601: Expected a whole number from 1 to 4294967296, or "found" at character 20.');
SELECT refuses('TABLE hr.emp', 'protected people=a max_rows=1', '42601: Expected the end of the label at character 19.');
SELECT refuses('TABLE hr.emp', 'protected people=', '42601: Expected a name at character 18.');
SELECT refuses('TABLE hr.emp', 'protected people="a', '42601: Expected a closing quote at character 20.');
SELECT refuses('TABLE hr.emp', 'protected people=' || repeat('a', 64), '42601: Expected a name of at most 63 bytes at character 81.');
SELECT refuses('TABLE hr.emp', 'unit', '42601: Expected "protected" at character 1.');
SELECT refuses('COLUMN hr.emp.age', 'protected', '42601: Expected "unit", "references=", "bounds=", "keys=" or "hidden" at character 1.');
SELECT refuses('COLUMN hr.emp.age', 'bounds=[1,2', '42601: Expected "]" at character 12.');
SELECT refuses('COLUMN hr.emp.age', 'bounds=[2,2]', '42601: Expected a lower bound that is less than the upper one at character 8.');
SELECT refuses('COLUMN hr.emp.age', 'bounds=[nan,2]', '42601: Expected a number at character 9.');
SELECT refuses('COLUMN hr.emp.age', 'bounds=[0x1,2]', '42601: Expected a number at character 9.');
SELECT refuses('COLUMN hr.emp.age', 'bounds=[-1e999,2]', '42601: Expected a finite number at character 9.');
SELECT refuses('COLUMN hr.emp.age', 'keys=dept(name)', '42601: Expected "." at character 10.');
SELECT refuses('COLUMN hr.emp.age', 'bounds=[0,1] unit', '42601: Expected "unit", "references=", "bounds=", "keys=" or "hidden" at character 14.');
SELECT refuses('COLUMN hr.emp.age', 'references=', '42601: Expected a name at character 12.');
SELECT refuses('COLUMN hr.emp.age', 'unit references=a', '22023: What the unit column refers to is said of the table.');
SELECT refuses('COLUMN hr.emp.age', 'references=a hidden', '22023: The unit column cannot be hidden: queries join by it.');

-- Against the catalog
SELECT refuses('COLUMN hr.emp.age', 'bounds=[0,40000]', '22023: The bounds lie beyond the range of the column''s type.');
SELECT refuses('COLUMN hr.emp.dept', 'bounds=[0,1]', '22023: Only columns of numbers, dates, times, timestamps, intervals and money can have bounds.');
SELECT refuses('SCHEMA hr', 'protected', '22023: Only tables and their columns can be declared.');
CREATE VIEW hr.v AS SELECT * FROM hr.emp;
SELECT refuses('VIEW hr.v', 'protected', '22023: Only tables and their columns can be declared.');
DROP VIEW hr.v;
SELECT throws_ok($$SELECT gaussdp.protect('hr.emp', 'nobody')$$, '42703', 'column "nobody" of table hr.emp does not exist', 'unit that is not there');
SELECT throws_ok($$SELECT gaussdp.protect('hr.dept', NULL)$$, '22004', 'unit must not be null', 'no unit');
SELECT throws_ok($$SELECT gaussdp.set_bounds('hr.emp', NULL, 0, 1)$$, '22004', 'column must not be null', 'bounds of no column');
SELECT throws_ok($$SELECT gaussdp.protect('hr.emp', 'person_id', -1)$$, '22023', 'max_rows is out of range: -1', 'max_rows below 0');
SELECT throws_ok($$SELECT gaussdp.set_bounds('hr.emp', 'age', 5, 'NaN')$$, '22023', 'bounds are out of range: lower 5, upper NaN', 'bound NaN');
SELECT throws_ok($$SELECT gaussdp.set_bounds('hr.emp', 'age', '-Infinity', 1)$$, '22023', 'bounds are out of range: lower -Infinity, upper 1', 'infinite bound');
SELECT throws_ok($$SELECT gaussdp.set_public_keys('hr.emp', 'age', 'hr.dept', 'name')$$, '42804',
	'column "name" of table hr.dept has another type than column "age"', 'keys of another type');
SELECT throws_ok($$SELECT gaussdp.set_public_keys('hr.emp', 'dept', 'gaussdp.protected_tables', 'unit')$$, '42809', NULL, 'keys in a view');
SELECT throws_ok($$SELECT gaussdp.set_public_keys('hr.emp', 'dept', NULL, NULL)$$, '22004', NULL, 'no keys are no keys');
SAVEPOINT with_keys;
SELECT gaussdp.set_public_keys('hr.emp', 'dept', 'hr.dept', 'name') \g /dev/null
SELECT is((SELECT key_column FROM gaussdp.column_bounds WHERE "table" = 'hr.emp'::regclass AND "column" = 'dept'), 'name', 'keys are declared');
SELECT gaussdp.drop_public_keys('hr.emp', 'dept') \g /dev/null
SELECT is((SELECT key_column FROM gaussdp.column_bounds WHERE "table" = 'hr.emp'::regclass AND "column" = 'dept'), NULL, 'and taken back');
ROLLBACK TO with_keys;

-- Rights: only the owner
SET LOCAL ROLE stranger;
SELECT throws_ok($$SELECT gaussdp.protect('hr.emp', 'person_id')$$, '42501', NULL, 'a stranger cannot protect');
SELECT throws_ok($$SELECT gaussdp.unprotect('hr.emp')$$, '42501', NULL, 'a stranger cannot unprotect');
SELECT throws_ok($$SELECT gaussdp.set_bounds('hr.emp', 'age', 0, 1)$$, '42501', NULL, 'a stranger cannot set bounds');
SELECT throws_ok($$SECURITY LABEL FOR gaussdp ON TABLE hr.emp IS NULL$$, '42501', NULL, 'nor label directly');
SET LOCAL ROLE declarer;

-- They last, or fail closed
ALTER TABLE hr.emp RENAME TO workers;
ALTER TABLE hr.workers RENAME person_id TO badge;
SELECT is(state(), 'hr.workers badge 3 ok', 'labels follow renames');
RESET ROLE;
CREATE SCHEMA hr2 AUTHORIZATION declarer;
SET LOCAL ROLE declarer;
ALTER TABLE hr.workers SET SCHEMA hr2;
SELECT is(state(), 'hr2.workers badge 3 ok', 'and changes of schema');
ALTER TABLE hr2.workers ALTER badge TYPE int8;
SELECT is(state(), 'hr2.workers badge 3 ok', 'and of a column''s type');
ALTER TABLE hr2.workers ALTER salary TYPE text;
SELECT is((SELECT lower FROM gaussdp.column_bounds WHERE "column" = 'salary'), NULL, 'bounds of a column that became text do not hold');
ALTER TABLE hr2.workers ALTER salary TYPE numeric USING salary::numeric;
SELECT is((SELECT lower FROM gaussdp.column_bounds WHERE "column" = 'salary'), 0::float8, 'but do again as the type fits again');
ALTER TABLE hr.dept RENAME TO departments;
SELECT is((SELECT key_table FROM gaussdp.column_bounds WHERE "column" = 'dept'), NULL, 'a renamed key table must be declared again');
SELECT ok(EXISTS (SELECT FROM gaussdp.check_policy('hr2.workers') WHERE what LIKE 'the public keys of column dept%'), 'check_policy says so');
ALTER TABLE hr2.workers DROP CONSTRAINT emp_pkey;
ALTER TABLE hr2.workers ALTER badge DROP NOT NULL;
SELECT is(state(), 'hr2.workers badge 3 ok', 'without NOT NULL the table is protected');
ALTER TABLE hr2.workers DROP badge;
SELECT is(state(), 'hr2.workers  3 no column is declared as its unit', 'without its unit as well');
DROP TABLE hr2.workers;
SELECT is(state(), NULL, 'a dropped table takes its labels along');

-- Partitions
CREATE TABLE hr.root (id int NOT NULL, x float8) PARTITION BY RANGE (id);
CREATE TABLE hr.part (x float8, extra int, id int NOT NULL);
ALTER TABLE hr.part DROP extra;
SELECT gaussdp.protect('hr.root', 'id');
SELECT gaussdp.set_bounds('hr.root', 'x', 0, 1);
SELECT is((gaussdp_internal.table_declaration('hr.part')).unit, NULL, 'a table that is no partition yet is not protected');
ALTER TABLE hr.root ATTACH PARTITION hr.part FOR VALUES FROM (0) TO (10);
SELECT is((gaussdp_internal.table_declaration('hr.part')).declared_on, 'hr.root'::regclass, 'a partition is protected by the table above it');
SELECT is((gaussdp_internal.column_declaration('hr.part', 1::int2)).upper, 1::float8, 'and finds its columns by name');
SELECT gaussdp.unprotect('hr.root');
SELECT gaussdp.set_bounds('hr.root', 'x', 0, 2);
SELECT is((gaussdp_internal.column_declaration('hr.part', 1::int2)).upper, 2::float8, 'its bounds are those of the table above it, protected or not');
SELECT gaussdp.set_bounds('hr.part', 'x', 0, 3);
SELECT is((gaussdp_internal.column_declaration('hr.part', 1::int2)).upper, 3::float8, 'its own come first where nothing is protected');
SELECT gaussdp.protect('hr.root', 'id');
SELECT is((gaussdp_internal.column_declaration('hr.part', 1::int2)).upper, 2::float8, 'and count for nothing below a protected table');
SELECT gaussdp.drop_bounds('hr.part', 'x');
ALTER TABLE hr.root DETACH PARTITION hr.part;
SELECT is((gaussdp_internal.table_declaration('hr.part')).declared_on, NULL, 'until it is detached');

-- A second unit column
CREATE TABLE hr.two (a int NOT NULL, b int NOT NULL);
SELECT gaussdp.protect('hr.two', 'a');
SELECT gaussdp.protect('hr.two', 'b', change_unit => true);
SELECT is((gaussdp_internal.table_declaration('hr.two')).unit, 'b', 'protect moves the unit');
SECURITY LABEL FOR gaussdp ON COLUMN hr.two.a IS 'unit';
SELECT is((gaussdp_internal.table_declaration('hr.two')).problem, 'two columns are declared as its unit', 'two units make a table useless');
SELECT gaussdp.unprotect('hr.two');
SELECT is((gaussdp_internal.table_declaration('hr.two')).declared_on, NULL, 'unprotect takes it all back');

-- Names that need quotes
CREATE TABLE hr."a ""b""" ("x y" int PRIMARY KEY);
CREATE TABLE hr.quoted (id int PRIMARY KEY, k int);
SELECT gaussdp.protect('hr.quoted', 'id', people => 'Alle "Leute"');
SELECT gaussdp.set_public_keys('hr.quoted', 'k', 'hr."a ""b"""', 'x y');
SELECT is((gaussdp_internal.table_declaration('hr.quoted')).people, 'Alle "Leute"', 'a population with quotes and spaces');
SELECT is((gaussdp_internal.column_declaration('hr.quoted', 2::int2)).key_column, 'x y', 'and a key table');
SELECT * FROM finish();
ROLLBACK;
