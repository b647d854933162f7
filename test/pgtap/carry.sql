\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Declarations carried over: to a table that is swapped in, and to another database.
BEGIN;
SELECT plan(22);
SET LOCAL client_min_messages = error;
CREATE ROLE carrier;
CREATE ROLE ana;
CREATE ROLE stranger;
CREATE SCHEMA hr AUTHORIZATION carrier;
CREATE FUNCTION labels(t regclass) RETURNS text LANGUAGE sql AS
$$SELECT string_agg(format('%s %s', a.attname, l.label), '; ' ORDER BY l.objsubid) FROM pg_seclabel l LEFT JOIN pg_attribute a ON a.attrelid = l.objoid AND a.attnum = l.objsubid AND l.objsubid > 0
  WHERE l.provider = 'gaussdp' AND l.objoid = t$$;
CREATE FUNCTION all_labels() RETURNS text LANGUAGE sql AS
$$SELECT string_agg(format('%s: %s', t."table", labels(t."table")), E'\n' ORDER BY t."table"::text) FROM gaussdp.protected_tables t$$;
SET LOCAL ROLE carrier;
CREATE TABLE hr.dept (name text PRIMARY KEY);
CREATE TABLE hr.emp (id int PRIMARY KEY, dept text, salary numeric, "Bonus %" float8);
CREATE TABLE hr.trip (id int PRIMARY KEY, person int NOT NULL);
CREATE TABLE hr.ticket (id int PRIMARY KEY, trip int NOT NULL);
CREATE TABLE hr.stamp (ticket int NOT NULL);
CREATE TABLE hr.alone (id int PRIMARY KEY);
SELECT gaussdp.protect('hr.emp', 'id', 3, people => 'the ''staff'''), gaussdp.set_bounds('hr.emp', 'salary', 0.123456789, 1e6), gaussdp.set_bounds('hr.emp', 'Bonus %', -1, 1),
	gaussdp.set_public_keys('hr.emp', 'dept', 'hr.dept', 'name'), gaussdp.protect('hr.trip', 'person', 9, people => 'the ''staff'''), gaussdp.protect('hr.ticket', 'trip', max_groups => 7, via => 'hr.trip'),
	gaussdp.protect('hr.stamp', 'ticket', via => 'hr.ticket'), gaussdp.protect('hr.alone', 'id'), gaussdp.grant_budget('ana', 'hr.emp', 1, 1e-6) \g /dev/null

-- A swap by renames, as dbt makes it: the declaration goes over before the old table goes
CREATE TABLE hr.emp_new (salary numeric, dept text, extra int, id int PRIMARY KEY, "Bonus %" float8);
SELECT gaussdp.copy_declaration('hr.emp', 'hr.emp_new') \g /dev/null
SELECT is(labels('hr.emp_new'), ' protected max_rows=3 people="the ''staff''"; salary bounds=[0.123456789,1000000]; dept keys=hr.dept(name); id unit; Bonus % bounds=[-1,1]', 'columns go by their names');
ALTER TABLE hr.emp RENAME TO emp_old;
ALTER TABLE hr.emp_new RENAME TO emp;
DROP TABLE hr.emp_old;
SELECT is((SELECT count(*)::int FROM gaussdp.budget WHERE granted AND paid_by = 'ana' AND people = 'the ''staff'''), 1, 'and budgets hold on');
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.emp') WHERE severity = 'error' OR what ~ 'same columns'$$, 'nothing is open');
SELECT is((SELECT string_agg("table"::text, ' ' ORDER BY "table"::text) FROM gaussdp.protected_tables WHERE usable), 'hr.alone hr.emp hr.stamp hr.ticket hr.trip', 'all answer');

-- Paths
CREATE TABLE hr.ticket2 (LIKE hr.ticket INCLUDING ALL);
SELECT gaussdp.copy_declaration('hr.ticket', 'hr.ticket2') \g /dev/null
SELECT is(labels('hr.ticket2'), labels('hr.ticket'), 'a path goes along');
SELECT lives_ok($$SELECT gaussdp.copy_declaration('hr.ticket', 'hr.ticket2')$$, 'again, nothing changes');
SELECT throws_ok($$SELECT gaussdp.copy_declaration('hr.trip', 'hr.dept')$$, '42703', NULL, 'a unit that is not there');
SELECT gaussdp.protect('hr.ticket2', 'id', people => '', change_unit => true) \g /dev/null
SELECT throws_ok($$SELECT gaussdp.copy_declaration('hr.ticket', 'hr.ticket2')$$, '55000', 'table hr.ticket2 is protected otherwise', 'a table that is declared otherwise is not changed');
DROP TABLE hr.ticket2;

-- What cannot be copied
SELECT throws_ok($$SELECT gaussdp.copy_declaration('hr.dept', 'hr.emp')$$, '55000', 'table hr.dept has no declaration of its own', 'nothing');
SELECT throws_ok($$SELECT gaussdp.copy_declaration('hr.emp', NULL)$$, '22004', NULL, 'to nothing');
SELECT lives_ok($$SELECT gaussdp.copy_declaration(to_regclass('hr.emp__dbt_backup'), 'hr.emp')$$, 'from a table that is not there: as it is');
SELECT ok(labels('hr.emp') ~ 'protected', 'as it was');
CREATE TABLE hr.less (id int PRIMARY KEY, dept text);
SELECT gaussdp.copy_declaration('hr.emp', 'hr.less') \g /dev/null
SELECT is(labels('hr.less'), ' protected max_rows=3 people="the ''staff''"; id unit; dept keys=hr.dept(name)', 'columns that are not there are left out');
DROP TABLE hr.less;
RESET ROLE;
GRANT USAGE ON SCHEMA hr TO stranger;
CREATE TABLE hr.other (id int PRIMARY KEY);
SET LOCAL ROLE stranger;
SELECT throws_ok($$SELECT gaussdp.copy_declaration('hr.alone', 'hr.other')$$, '42501', NULL, 'only an owner declares');
SELECT is_empty('SELECT * FROM gaussdp.dump_declarations()', 'and dumps what is theirs');
RESET ROLE;
SET LOCAL ROLE carrier;

-- Dumped, under settings that print otherwise, and run where nothing is declared
SET LOCAL extra_float_digits = -12;
SET LOCAL quote_all_identifiers = on;
CREATE TEMPORARY TABLE dumped AS SELECT row_number() OVER () AS n, sql FROM gaussdp.dump_declarations();
RESET extra_float_digits;
RESET quote_all_identifiers;
SELECT is(sql, $$SELECT gaussdp.protect('hr.alone', unit => 'id', max_rows => 0, max_groups => 100);$$, 'a statement each') FROM dumped WHERE n = 1;
SELECT is(count(*)::int, 8, 'as many as there are declarations') FROM dumped;
SELECT is(string_agg(substring(sql FROM 'protect\(''hr\.(\w+)'), ' ' ORDER BY n), 'alone emp trip ticket stamp', 'tables before those that go by way of them') FROM dumped;
SELECT all_labels() AS before \gset
DO $$BEGIN PERFORM gaussdp.unprotect("table") FROM gaussdp.protected_tables;
	PERFORM gaussdp.drop_bounds('hr.emp', 'salary'), gaussdp.drop_bounds('hr.emp', 'Bonus %'), gaussdp.drop_public_keys('hr.emp', 'dept'); END$$;
SELECT is(all_labels(), NULL, 'nothing is declared any more');
DO $$DECLARE line text; BEGIN FOR line IN SELECT sql FROM dumped ORDER BY n LOOP EXECUTE line; END LOOP; END$$;
SELECT is(all_labels(), :'before', 'and all is again');
DO $$DECLARE line text; BEGIN FOR line IN SELECT sql FROM dumped ORDER BY n LOOP EXECUTE line; END LOOP; END$$;
SELECT is(all_labels(), :'before', 'as often as it is run');
ALTER TABLE hr.trip RENAME TO trips;
SELECT ok(bool_or(sql = '-- table hr.ticket: its declaration does not hold any more'), 'what does not hold is said') FROM gaussdp.dump_declarations();
SELECT * FROM finish();
ROLLBACK;
