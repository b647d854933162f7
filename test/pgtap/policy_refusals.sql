\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Each refusal of the policy that other files do not ask for by its reason: the query nearest to a legal one that
-- is refused for it.  The last ones are queries that no parser makes, but that another library may hand over.
\getenv testlib GAUSSDP_TESTLIB
SET client_min_messages = warning;
CREATE FUNCTION test_plan_twisted(text, text) RETURNS void AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_prove_twisted(text, text) RETURNS text AS :'testlib' LANGUAGE C STRICT;
CREATE ROLE refusals_ana;
CREATE COLLATION odd (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE TABLE emp (id int PRIMARY KEY, dept int, name text, salary float8);
INSERT INTO emp (id, dept, name, salary) SELECT i, i % 3, 'n' || i, i FROM generate_series(1, 9) i;
CREATE TABLE keys (k int PRIMARY KEY, label text);
CREATE TABLE guarded (k int PRIMARY KEY);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON guarded USING (k > 0);
CREATE TABLE parent (k int PRIMARY KEY);
CREATE TABLE child () INHERITS (parent);
CREATE MATERIALIZED VIEW stored AS SELECT k FROM keys;
CREATE UNIQUE INDEX ON stored (k);
CREATE TABLE twins (k int NOT NULL);
INSERT INTO twins VALUES (1), (1), (2);
CREATE INDEX twins_k ON twins (k);
CREATE TABLE computed (k int PRIMARY KEY, v int);
CREATE TABLE mine (k int PRIMARY KEY, v float8);
ALTER TABLE mine OWNER TO refusals_ana;
GRANT SELECT ON keys, guarded, parent, stored, twins, computed TO refusals_ana;
CREATE FUNCTION series(int, int) RETURNS SETOF int LANGUAGE sql IMMUTABLE AS 'SELECT generate_series($1, $2)';
CREATE OPERATOR <-> (FUNCTION = series, LEFTARG = int, RIGHTARG = int);
CREATE FUNCTION inlined() RETURNS SETOF emp LANGUAGE sql STABLE AS 'SELECT * FROM emp';
DO $$BEGIN
	PERFORM gaussdp.protect('emp', 'id'), gaussdp.grant_budget('refusals_ana', 'emp', 1000, 1e-2);
END$$;
-- a broken promise of the catalog, and a column as PostgreSQL 18 has them
UPDATE pg_index SET indisunique = true, indisprimary = true WHERE indexrelid = 'twins_k'::regclass;
UPDATE pg_attribute SET attgenerated = 'v' WHERE attrelid = 'computed'::regclass AND attname = 'v';

-- DETAIL of the error that the query raises, without rule and place.
CREATE FUNCTION refusal(query text, twist text DEFAULT NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	said text;
BEGIN
	IF twist IS NULL THEN
		EXECUTE query;
	ELSE
		PERFORM test_plan_twisted(query, twist);
	END IF;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS said = PG_EXCEPTION_DETAIL;
	RETURN coalesce(substring(said FROM '^Rule .*?: (.*)\.$'), sqlstate || ' ' || sqlerrm || ' ' || said);
END$$;
GRANT EXECUTE ON FUNCTION refusal, test_plan_twisted, test_prove_twisted TO refusals_ana;
CREATE TABLE refusals (number serial, query text, twist text, reason text);
GRANT SELECT ON refusals TO refusals_ana;
INSERT INTO refusals (query, reason) VALUES
('SELECT * FROM inlined()', 'a function in FROM reads the table'),
('SELECT id <-> 2, dp_count(1, 1e-6) FROM emp GROUP BY 1 HAVING dp_keep_group(1, 1e-6)', 'a set is returned here'),
('SELECT dp_count(1, 1e-6) FROM emp WHERE id = ANY (''{' || repeat('1,', 1000000) || '1}'')', 'a list that protected rows are compared with is too long'),
('SELECT dp_count(1, 1e-6) FROM emp WHERE EXISTS (SELECT FROM keys WHERE k = dept)', 'a sub-select would be executed for protected rows'),
('UPDATE mine SET v = (SELECT dp_count(1, 1e-6) FROM emp)', 'only SELECT and INSERT ... SELECT may contain a level'),
('WITH d AS (DELETE FROM mine RETURNING k) SELECT s.v FROM (SELECT dp_count(1, 1e-6) AS v FROM emp) s, d', 'a WITH query changes data'),
('WITH d AS (DELETE FROM mine RETURNING k) SELECT dp_count(1, 1e-6) FROM emp', 'a WITH query changes data'),
('SELECT s.v FROM (SELECT dp_count(1, 1e-6) AS v FROM emp) s, mine FOR UPDATE OF mine', 'FOR UPDATE and its like lock single rows'),
('SELECT id FROM emp FOR UPDATE', 'FOR UPDATE and its like lock single rows'),
('SELECT dp_sum(salary, 1, 1e-6, 0, 1 ORDER BY name::tsvector) FROM emp', 'the operator that orders or compares these values is not known to be total and leakproof'),
('SELECT dp_count(1, 1e-6) FROM emp JOIN stored ON k = dept', 'only plain tables are joined to protected ones'),
('SELECT dp_count(1, 1e-6) FROM emp JOIN guarded ON k = dept', 'the joined table has row security'),
('SELECT dp_count(1, 1e-6) FROM emp JOIN keys TABLESAMPLE system (50) ON k = dept', 'TABLESAMPLE picks rows by their place'),
('SELECT dp_count(1, 1e-6) FROM emp JOIN parent ON k = dept', 'the joined table has inheritance children, whose rows no index covers'),
('SELECT dp_count(1, 1e-6) FROM emp, computed WHERE k = dept', 'the joined table has a virtual column, which is computed when it is read'),
('SELECT dp_sum(v, 1, 1e-6, 0, 1) FROM emp JOIN computed ON k = dept', 'a virtual column is computed when it is read'),
('SELECT dp_count(1, 1e-6) FROM emp JOIN twins ON k = dept', 'a protected row may match several rows of the joined relation: its key stands in two of the rows that were read'),
('SELECT dp_count(1, 1e-6) FROM emp, XMLTABLE(''/a'' PASSING ''<a/>'' COLUMNS k int)', 'this kind of relation is not joined to protected tables'),
('SELECT (SELECT dp_count(emp.id, 1, 1e-6)) FROM emp', 'this call belongs to a query around it'),
('SELECT name, dp_count(1, 1e-6) FROM emp GROUP BY GROUPING SETS ((id), (id, dept))', 'a column is shown that depends on a key of single rows'),
('SELECT dp_count(1, 1e-6) FROM emp JOIN (SELECT dp_count(1, 1e-6) AS c FROM emp) s ON c = dept', 'protected rows are joined to the result of another level'),
('WITH s AS (SELECT dp_count(1, 1e-6) AS c FROM emp) SELECT dp_count(1, 1e-6) FROM emp JOIN s ON c = dept', 'protected rows are joined to the result of another level'),
('WITH RECURSIVE r AS (SELECT 1 AS k UNION SELECT k + 1 FROM r WHERE k < 3) SELECT dp_count(1, 1e-6) FROM emp JOIN r ON k = dept', 'a recursive WITH query is joined to protected rows');
INSERT INTO refusals (query, twist, reason) VALUES
('SELECT dp_sum(salary, 1, 1e-6, 0, 1) FROM emp', 'no column', 'a column is not there any more'),
('SELECT dp_sum(salary, 1, 1e-6, 0, 1) FROM emp', 'other type', 'a column has changed since the query was parsed'),
('SELECT dp_sum(n, 1, 1e-6, 0, 1) FROM (SELECT id, count(*) AS n FROM emp GROUP BY id) s', 'pointer', 'a column has changed since the query was parsed'),
('SELECT dp_sum(n, 1, 1e-6, 0, 1) FROM (SELECT id, count(*) AS n FROM emp GROUP BY id) s', 'no column', 'a column has changed since the query was parsed'),
('SELECT dp_sum(salary, 1, 1e-6, 0, 1) FROM emp', 'outer column', 'this query refers to one around it, for each row of which it would be executed again'),
('SELECT dp_sum(salary, 1, 1e-6, 0, 1) FROM emp', 'variadic', 'this form of call is not known to be private'),
('SELECT dp_sum(salary, 1, 1e-6, 0, 1) FROM emp', 'locking', 'FOR UPDATE and its like lock single rows'),
('SELECT dp_sum(salary, 1, 1e-6, 0, 1) FROM emp', 'set operation', 'a set operation on rows'),
('SELECT dp_sum(salary, 1, 1e-6, 0, 1) FROM emp', 'other kind', 'this kind of relation cannot be read privately'),
('SELECT 1 FROM emp', 'aggregates', 'rows of this table are read one by one'),
('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept', 'not grouped', 'a column of a row would be shown'),
('SELECT dp_count(1, 1e-6) FROM emp WHERE dept > 1', 'WHERE as HAVING', 'a column of a row would be shown'),
('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept HAVING dp_keep_group(1, 1e-6)', 'unsorted', 'a group key has no order'),
('SELECT dp_count(1, 1e-6) FROM emp', 'not in FROM', 'this level does not read a protected table directly'),
('SELECT dp_count(1, 1e-6) FROM emp, keys WHERE k = dept', 'lateral', 'this kind of relation is not joined to protected tables'),
('SELECT dp_count(1, 1e-6) FROM emp, (SELECT k FROM keys WHERE k > 0) s WHERE k = dept', 'outward sub-select', 'this column belongs to a query around it, for each row of which the level would be executed again');
SELECT plan(count(*)::int + 22) FROM refusals;

SET ROLE refusals_ana;
SELECT is(refusal('SELECT dp_count(1, 1e-6) FROM emp JOIN keys ON k = dept'), 'answered', 'a legal query');
SELECT is(refusal(query, twist), reason, concat_ws(': ', twist, left(query, 100))) FROM refusals ORDER BY number;
-- The proof trusts nobody who has looked at the query before: what rewriting could have made of it is refused.
SELECT is(test_prove_twisted('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept HAVING dp_keep_group(1, 1e-6)', twist), said, concat('a level with ', twist))
FROM unnest('{none,LIMIT,OFFSET,DISTINCT ON,locking,sets in its list,row shown}'::text[]) WITH ORDINALITY t (twist, n),
	LATERAL (SELECT CASE WHEN n BETWEEN 2 AND 6 THEN 'a level has a clause of the query around it' WHEN n = 7 THEN 'a column of a row would be shown' END AS said) s ORDER BY n;
SELECT is(test_prove_twisted('SELECT dp_count(1, 1e-6) FROM (SELECT id, count(*) FROM emp GROUP BY id) s', twist), said, concat('a sub-select with ', twist))
FROM (VALUES ('none', NULL), ('LIMIT', 'a view, sub-select or WITH query of people''s rows has LIMIT or OFFSET'), ('DISTINCT ON', 'a view, sub-select or WITH query of people''s rows has DISTINCT'),
	('locking', 'a view, sub-select or WITH query of people''s rows has FOR UPDATE or its like'),
	('sets in its list', 'a view, sub-select or WITH query of people''s rows has a function that returns a set'),
	('set operation', 'protected rows are joined to the result of another level'),
	('dependency', 'a column is shown that is neither grouped by nor aggregated'),
	('lateral', 'a sub-select of rows refers to a query or relation around it')) t (twist, said);
SELECT is(test_prove_twisted('SELECT dp_count(1, 1e-6) FROM ' || q, twist), said, concat('a level with ', twist))
FROM (VALUES ('emp WHERE name = ''x''', 'none', NULL), ('emp WHERE name = ''x''', 'odd collation', 'a value of any length would be compared by a collation that takes different texts for equal'),
	('emp WHERE name = ''x''', 'column of nothing', 'a column belongs to no relation of FROM'), ('emp WHERE length(name) > 1', 'none', NULL), ('emp WHERE length(name) > 1', 'set in WHERE', 'a set is returned here'),
	('emp JOIN keys ON k = dept WHERE label = ''x''', 'typmod', 'a public column is taken to be as large as its type says')) t (q, twist, said);
RESET ROLE;
SELECT * FROM finish();
