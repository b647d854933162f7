\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Which groups a level may show, and what it may be joined to: verdicts and prices.
BEGIN;
CREATE TABLE emp (id int PRIMARY KEY, dept text, age int, salary numeric);
CREATE ROLE groups_ana;
DO $$BEGIN PERFORM gaussdp.protect('emp', unit => 'id'), gaussdp.set_bounds('emp', 'age', 0, 120); END$$;
CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(coalesce(substring(reason FROM '^Rule \d+'), verdict), ', ') FROM gaussdp.explain_privacy(query)$$;
CREATE FUNCTION grouped(test text) RETURNS text LANGUAGE sql AS
	$$SELECT verdict('SELECT dept, dp_avg(age, 1, 1e-6) FROM emp GROUP BY dept HAVING ' || test)$$;
CREATE FUNCTION threshold(test text) RETURNS float8 LANGUAGE sql AS
	$$SELECT sum(threshold_delta) FROM gaussdp.explain_privacy('SELECT dept FROM emp GROUP BY dept HAVING ' || test, exact => true)$$;
-- Numerics as keys: 7 and 7.00 are equal
CREATE TABLE bin (id int PRIMARY KEY, a int, f float8, n numeric, n2 numeric(10, 2), h numeric(5, -2));
INSERT INTO bin SELECT i, i, i / 3.0, CASE i % 3 WHEN 0 THEN i WHEN 1 THEN i * 1.10 ELSE i / 7.0 END, i / 8.0, i * 100 FROM generate_series(1, 50) i;
INSERT INTO bin VALUES (0, 0, 0, 'NaN', 0, 0);
CREATE FUNCTION scales(expression text) RETURNS bigint LANGUAGE plpgsql AS $$DECLARE n bigint; BEGIN EXECUTE format('SELECT count(DISTINCT scale(%s)) FROM bin', expression) INTO n; RETURN n; END$$;
CREATE TEMP TABLE scaled AS SELECT e, scales(e) FROM unnest(ARRAY['floor(a / 10.0) * 10.0', 'round(n2, 1)', 'round(n2 / 3, 1)', 'round(a / 3.0)', 'trunc(n2, -1)', 'trunc(n2)', 'ceil(n2) + 0.50', 'ceiling(n2)', '-n2', 'n2', 'n2 * n2 - 3', 'n2 - 0.125', 'a::numeric', 'h']) e;
GRANT SELECT ON scaled TO PUBLIC;
SELECT gaussdp.protect('bin', unit => 'id') \g /dev/null
SELECT plan(60);
-- Columns that depend on a primary key
CREATE TABLE place (name text PRIMARY KEY, head text NOT NULL, plan json);
CREATE TABLE bought (id int PRIMARY KEY, emp int NOT NULL REFERENCES emp, day date, price numeric(8, 2), note json);
CREATE TABLE thing (bought int NOT NULL REFERENCES bought, n int);
SELECT gaussdp.protect('emp', people => 'emps', change_unit => true), gaussdp.protect('bought', unit => 'emp', max_rows => 3, people => 'emps'), gaussdp.protect('thing', unit => 'bought', max_rows => 9, via => 'bought') \g /dev/null
GRANT SELECT ON place TO groups_ana;
SET LOCAL ROLE groups_ana;

SELECT is(verdict(format('SELECT %s, dp_count(1, 1e-6) FROM bin GROUP BY 1 HAVING dp_keep_group(1, 1e-6)', e)), 'private, private', e) FROM scaled;
SELECT is(max(scales), 1::bigint, 'such numbers have one scale, to PostgreSQL') FROM scaled;
SELECT is(verdict(format('SELECT dp_count(1, 1e-6) FROM (SELECT id, %s AS x FROM bin GROUP BY 1, 2) s', e)), 'private', e || ', whose scale depends on the row, without zeros at its end')
FROM unnest(ARRAY['n', 'f::numeric', 'n2 / 3', 'a / 10.0 + 1', 'CASE WHEN a > 3 THEN n2 ELSE n END', 'coalesce(n2, n)', 'greatest(n2, n)', 'f']) AS e;

-- dp_count in HAVING
SELECT is(grouped('dp_count(1, 1e-6) > 21'), 'private, private', 'dp_count above its threshold');
SELECT is(grouped('dp_count(1, 1e-6) >= 22'), 'private, private', 'the same by >=');
SELECT is(grouped('21 < dp_count(1, 1e-6) AND dept ~ ''a'''), 'Rule 2', 'HAVING speaks by listed functions');
SELECT is(grouped('21::bigint < dp_count(1, 1e-6)'), 'private, private', 'the constant on the left');
SELECT is(grouped('22 <= dp_count(age, 1, 1e-6) AND dp_avg(age, 1, 1e-6) > 3'), 'private, private', 'other conjuncts');
SELECT is(grouped('dp_count(1, 1e-6) BETWEEN 30 AND 40'), 'private, private', 'equal calls are one draw, in BETWEEN too');
SELECT is(grouped('dp_count(1, 1e-6) FILTER (WHERE age > 30) > 21'), 'private, private', 'rows that a filter leaves are fewer');
SELECT is(grouped('dp_count(1, 1e-6) > 20'), 'Rule 7', 'one below');
SELECT is(grouped('dp_count(1, 1e-6) >= 21'), 'Rule 7', 'one below by >=');
SELECT is(grouped('NOT dp_count(1, 1e-6) > 30'), 'Rule 7', 'negated');
SELECT is(grouped('dp_count(1, 1e-6) < 30'), 'Rule 7', 'the other way round');
SELECT is(grouped('30 > dp_count(1, 1e-6)'), 'Rule 7', 'and commuted');
SELECT is(grouped('dp_count(1, 1e-6) > 30 OR true'), 'Rule 7', 'OR');
SELECT is(grouped('dp_count(1, 1e-6) > 30 IS NOT NULL'), 'Rule 7', 'inside another expression');
SELECT is(grouped('dp_count(1, 1e-6) <> 30'), 'Rule 7', 'another operator');
SELECT is(grouped('dp_sum(age, 1, 1e-6) > 1e9'), 'Rule 7', 'another aggregate');
SELECT is(grouped('dp_count(1, 1e-6) > $1'), 'Rule 7', 'a parameter');
SELECT is(grouped('dp_count($1, 1e-6) > 30'), 'Rule 7', 'a parameter in the call');
SELECT is(grouped('dp_count(1, 1e-6) > NULL::int'), 'Rule 7', 'NULL');
SELECT is(hint, 'The smallest legal numbers for this very call are: dp_count(...) > 21, or dp_count(...) >= 22.', 'the smallest legal number')
FROM gaussdp.explain_privacy('SELECT dept FROM emp GROUP BY dept HAVING dp_count(1, 1e-6) > 3');
-- Q((23 - 1/2 - 1) / sigma): a count is rounded, and a person has one row.
SELECT ok(threshold('dp_count(1, 1e-6) > 22') BETWEEN 1.79841541e-7 AND 1.79841543e-7, 'its delta is what the normal tail says');
SELECT ok(threshold('dp_count(1, 1e-6) > 30 AND dp_count(1, 1e-6) > 25') = threshold('dp_count(1, 1e-6) > 30'), 'the cheaper of two tests is paid');
SELECT ok(threshold('dp_count(1, 1e-6) > 30 AND dp_keep_group(1, 1e-8)') = threshold('dp_keep_group(1, 1e-8)'), 'or dp_keep_group alone');

-- A column that depends on a primary key need not be grouped by, as in PostgreSQL.
SELECT is(verdict(query), 'private', query) FROM unnest(ARRAY[
	'SELECT dp_avg(total, 1, 1e-6, 0, 9) FROM (SELECT b.id, b.emp, sum(n) AS total FROM bought b JOIN thing t ON t.bought = b.id GROUP BY b.id) s',
	'SELECT dp_avg(total, 1, 1e-6, 0, 9) FROM (SELECT e.id, dept, sum(price) AS total FROM emp e JOIN bought b ON b.emp = e.id GROUP BY e.id) s',
	'SELECT dp_avg(total, 1, 1e-6, 0, 9) FROM (SELECT b.emp, b.day, b.price * 2 AS total FROM bought b JOIN thing t ON t.bought = b.id GROUP BY b.id HAVING count(*) > b.price) s WHERE day > ''2024-01-01''',
	'SELECT dp_count(1, 1e-6) FROM (SELECT e.emp, e.day FROM (SELECT b.emp, b.day FROM bought b JOIN thing t ON t.bought = b.id GROUP BY b.id) e) s',
	'SELECT dp_count(1, 1e-6) FROM (SELECT b.emp, date_trunc(''month'', b.day) AS month FROM bought b GROUP BY date_trunc(''month'', b.day), b.id) s',
	'SELECT p.name, p.head, dp_count(e.id, 1, 1e-6) FROM place p LEFT JOIN emp e ON e.dept = p.name GROUP BY p.name',
	'SELECT p.name || p.head, dp_count(e.id, 1, 1e-6) FROM place p LEFT JOIN emp e ON e.dept = p.name GROUP BY p.name ORDER BY p.head',
	'SELECT (SELECT p.head), dp_count(e.id, 1, 1e-6) FROM place p LEFT JOIN emp e ON e.dept = p.name GROUP BY p.name'
]) AS query;
SELECT is(hint, said, query) FROM (VALUES
	('SELECT p.name, p.head, dp_count(e.id, 1, 1e-6) FROM place p LEFT JOIN emp e ON e.dept = p.name GROUP BY GROUPING SETS ((p.name), (p.name, e.age))', 'Leave out the column, or name it in each grouping set, too.'),
	('SELECT p.name, p.plan, dp_count(e.id, 1, 1e-6) FROM place p LEFT JOIN emp e ON e.dept = p.name GROUP BY p.name', 'Leave out the column, or name it in each grouping set, too.'),
	('SELECT dp_count(1, 1e-6) FROM (SELECT b.id, b.emp, b.note FROM bought b JOIN thing t ON t.bought = b.id GROUP BY b.id) s', 'Leave out the column: its type has no equality to group by.')) AS q (query, said),
	gaussdp.explain_privacy(query);
SELECT is(verdict('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY id'), 'Rule 7', 'of a protected table as group key it is a group of one person');

-- What is known of an aggregate ends with what it was known of.
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM emp'), 'private', 'an aggregate of the extension');
RESET ROLE;
ALTER EXTENSION gaussdp DROP AGGREGATE dp_count(float8, float8);
ALTER AGGREGATE dp_count(float8, float8) OWNER TO groups_ana;
SET LOCAL ROLE groups_ana;
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM emp'), 'Rule 0', 'is none any more once it is somebody else''s');
RESET ROLE;
SELECT * FROM finish();
ROLLBACK;
