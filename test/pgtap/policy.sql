\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Each rule of the policy refuses what breaks it, under PostgreSQL's own SQLSTATE and message, and says
-- which rule it was, where, and what would be legal.
BEGIN;
CREATE TABLE emp (id int PRIMARY KEY, dept text, age int, salary numeric);
CREATE TABLE many (id int NOT NULL, v int);
CREATE TABLE dept (id int PRIMARY KEY, name text UNIQUE);
CREATE TABLE plain (id int, name text);
CREATE TABLE own (v float8);
CREATE ROLE policy_ana;
CREATE ROLE policy_ben; -- without a budget
GRANT SELECT ON dept, plain TO policy_ana, policy_ben;
GRANT INSERT ON own TO policy_ana;
DO $$BEGIN PERFORM gaussdp.protect('emp', unit => 'id'), gaussdp.protect('many', unit => 'id'), gaussdp.grant_budget('policy_ana', 'emp', 1, 1e-6), gaussdp.grant_budget('policy_ana', 'many', 1, 1e-6); END$$;

CREATE FUNCTION refusal(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	message text; detail text; hint text;
BEGIN
	EXECUTE query;
	RETURN 'answered';
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS message = MESSAGE_TEXT, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws('|', message, substring(detail FROM '^Rule \d+'), (hint ~ '\.$')::text,
					 'character ' || substring(detail FROM 'at character (\d+)'));
END
$$;
CREATE FUNCTION refuses(name text, rule int, query text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT alike(refusal(query), 'permission denied for table %|Rule ' || rule || '|true%', name) FROM set_config('role', CASE rule WHEN 9 THEN 'policy_ben' ELSE 'policy_ana' END, true)
$$;
SELECT plan(43);
SET LOCAL ROLE policy_ana;

SELECT refuses('who has no budget learns that first, whatever else is wrong', 9, q) FROM unnest(ARRAY['SELECT * FROM emp', 'SELECT dp_count(*) FROM emp', 'SELECT max(dept), sum(age) FROM (SELECT e.* FROM emp e JOIN plain p ON p.name > e.dept) s']) q;
SELECT refuses('rows', 0, 'SELECT * FROM emp');
SELECT refuses('another aggregate', 0, 'SELECT sum(age) FROM emp');
SELECT refuses('what the planner makes of a call', 0, 'SELECT gaussdp_internal.sum_packed(age, ''{1,1e-6,0,100}'') FROM emp');
SELECT refuses('another aggregate beside', 0, 'SELECT dp_count(1, 1e-6), max(age) FROM emp');
SELECT refuses('proven, and no budget: a window over a level', 9, 'SELECT dp_count(1, 1e-6), rank() OVER () FROM emp');
SELECT refuses('proven, and no budget: a set in the target list', 9, 'SELECT dp_count(1, 1e-6), generate_series(1, 3) FROM emp');
SELECT refuses('system column', 0, $$SELECT dp_count(1, 1e-6) FROM emp WHERE ctid = '(0,1)'$$);
SELECT refuses('whole row', 0, 'SELECT dp_count(emp, 1, 1e-6) FROM emp');
SELECT refuses('a sub-select of rows', 0, 'SELECT age FROM (SELECT age FROM emp) s');
SELECT refuses('WITH rows', 0, 'WITH s AS (SELECT age FROM emp) SELECT max(age) FROM s');
SELECT refuses('UPDATE', 0, 'UPDATE emp SET age = 1');
SELECT refuses('a correlated level', 1, 'SELECT (SELECT dp_count(1, 1e-6) FROM emp WHERE emp.id > d.id) FROM dept d');
SELECT refuses('proven, and no budget: a lateral level that refers to nothing', 9, 'SELECT * FROM (VALUES (1)) d, LATERAL (SELECT dp_count(1, 1e-6) FROM emp) s');
SELECT refuses('a lateral level that does', 1, 'SELECT * FROM dept d, LATERAL (SELECT dp_count(1, 1e-6) FROM emp WHERE emp.id > d.id) s');
SELECT refuses('proven, and no budget: in a recursive query', 9, 'WITH RECURSIVE r AS (SELECT dp_count(1, 1e-6) c FROM emp UNION ALL SELECT c FROM r WHERE c < 0) SELECT * FROM r');
SELECT is(refusal('WITH l AS (SELECT dp_count(1, 1e-6) c FROM emp) SELECT 1'), 'answered', 'a level that is never read is never run, and needs no budget');
SELECT refuses('a function that fails', 2, 'SELECT dp_count(1, 1e-6) FROM emp WHERE factorial(age) > 0');
SELECT refuses('a cast that fails', 2, 'SELECT dp_count(1, 1e-6) FROM emp WHERE dept::xml IS NOT NULL');
SELECT refuses('a text of any length', 2, 'SELECT dp_count(1, 1e-6) FROM emp WHERE repeat(dept, age) = dept');
SELECT refuses('a regular expression', 2, $$SELECT dp_count(1, 1e-6) FROM emp WHERE dept ~ 'a'$$);
SELECT refuses('FILTER', 2, 'SELECT dp_count(1, 1e-6) FILTER (WHERE factorial(age) > 3) FROM emp');
SELECT refuses('a function in ON', 2, 'SELECT d.name, dp_count(1, 1e-6) FROM dept d LEFT JOIN emp ON dept = d.name AND factorial(age) > 3 GROUP BY d.name');
SELECT refuses('epsilon from a column', 3, 'SELECT dp_count(age, 1e-6) FROM emp');
SELECT refuses('epsilon drawn anew', 3, 'SELECT dp_count(random(), 1e-6) FROM emp');
SELECT refuses('proven, and no budget: bounds of an expression', 9, 'SELECT dp_sum(age % 10, 1, 1e-6) FROM emp');
SELECT refuses('a sub-select that is no key list', 4, 'SELECT dp_count(1, 1e-6) FROM emp JOIN (SELECT id FROM dept OFFSET 0) d USING (id)');
SELECT refuses('proven, and no budget: no key on the other side', 9, 'SELECT dp_count(1, 1e-6) FROM emp JOIN plain USING (id)');
SELECT refuses('proven, and no budget: a key that is not equated', 9, 'SELECT dp_count(1, 1e-6) FROM emp JOIN dept ON dept.id > emp.age');
SELECT refuses('rows of two people', 8, 'SELECT dp_count(1, 1e-6) FROM emp a JOIN emp b USING (age)');
SELECT refuses('proven, and no budget: a series that is not equated', 9, 'SELECT dp_count(1, 1e-6) FROM emp, generate_series(1, 3) g');
SELECT refuses('WHERE undoes a LEFT JOIN', 6, 'SELECT d.name, dp_count(1, 1e-6) FROM dept d LEFT JOIN emp ON dept = d.name WHERE age > 3 GROUP BY d.name');
SELECT refuses('FULL JOIN', 6, 'SELECT dp_count(1, 1e-6) FROM dept d FULL JOIN emp ON dept = d.name');
SELECT refuses('group keys', 7, 'SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept');
SELECT refuses('grouping sets', 7, 'SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY CUBE (dept)');
SELECT refuses('a table of people with many rows, of another population', 9, 'SELECT dp_count(1, 1e-6) FROM many');
SELECT refuses('proven, and no budget: EXISTS', 9, 'SELECT 1 WHERE EXISTS (SELECT dp_count(1, 1e-6) FROM emp)');
SELECT refuses('a function in FROM', 0, 'INSERT INTO own SELECT age FROM emp');

SELECT is(refusal('SELECT dp_count(1, 1e-6) FROM emp WHERE age > 3 AND factorial(age) > 3'),
		  'permission denied for table emp|Rule 2|true|character 53', 'the position is that of the function');
SELECT is(refusal('SELECT 1 FROM dept'), 'answered', 'what the role may read is untouched');
RESET ROLE;
SELECT is(refusal('SELECT dept, avg(age) FROM emp GROUP BY dept'), 'answered', 'the owner is outside of the policy');
SELECT * FROM finish();
ROLLBACK;
