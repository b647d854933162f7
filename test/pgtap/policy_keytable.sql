\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Groups that the verifier names from declared tables of public keys.  Outside of a transaction, since
-- the budget must be committed.  Noise is below 1, and counts of tens are rounded to tens.
SET client_min_messages = warning;
CREATE DOMAIN code AS varchar(8);
CREATE TABLE dept (name text PRIMARY KEY, boss text);
CREATE TABLE sexes (s varchar(1) UNIQUE);
CREATE TABLE codes (code code PRIMARY KEY) PARTITION BY LIST (code);
CREATE TABLE codes_1 PARTITION OF codes DEFAULT;
CREATE TABLE years (y int);
CREATE TABLE cities (name text COLLATE "C" PRIMARY KEY);
CREATE TABLE filtered (name text PRIMARY KEY);
CREATE TABLE secret (name text PRIMARY KEY);
CREATE TABLE parents (p int PRIMARY KEY);
CREATE TABLE children () INHERITS (parents);
CREATE TABLE emp (id int PRIMARY KEY, dept text, sex varchar(1), code code, year int, city text, filter text, secret text,
	parent int, own text, age int, region int, k code NOT NULL DEFAULT 'k');
CREATE TABLE region (id int PRIMARY KEY, name text);
INSERT INTO dept VALUES ('a', 'x'), ('b', 'y'), ('empty', 'z');
INSERT INTO sexes VALUES ('f'), ('m'), (NULL), (NULL);
INSERT INTO codes VALUES ('k'), ('l');
INSERT INTO region VALUES (1, 'north');
-- in tens: 40 in a, 20 in b, 10 in a department that is not in the list, 10 in none
INSERT INTO emp (id, dept, sex, code, age, region) SELECT i, CASE WHEN i <= 400 THEN 'a' WHEN i <= 600 THEN 'b' WHEN i <= 700 THEN 'c' END,
	CASE i % 2 WHEN 0 THEN 'f' ELSE 'm' END, 'k', i % 50, 1 + i % 2
FROM generate_series(1, 800) i;
CREATE VIEW seen AS SELECT dept, round(dp_count(8, 1e-6) / 10.0) AS c FROM emp GROUP BY dept;
ALTER TABLE filtered ENABLE ROW LEVEL SECURITY;
CREATE ROLE keys_ana;
GRANT SELECT ON sexes, codes, years, cities, filtered, parents, region, seen TO keys_ana;
GRANT SELECT (name) ON dept TO keys_ana;
DO $$BEGIN PERFORM gaussdp.protect('emp', unit => 'id'), gaussdp.protect('secret', unit => 'name'), gaussdp.set_bounds('emp', 'age', 0, 120),
	gaussdp.grant_budget('keys_ana', 'emp', epsilon => 500, delta => 1e-3),
	gaussdp.set_public_keys('emp', 'dept', 'dept', 'name'), gaussdp.set_public_keys('emp', 'sex', 'sexes', 's'),
	gaussdp.set_public_keys('emp', 'code', 'codes', 'code'), gaussdp.set_public_keys('emp', 'year', 'years', 'y'),
	gaussdp.set_public_keys('emp', 'city', 'cities', 'name'), gaussdp.set_public_keys('emp', 'filter', 'filtered', 'name'),
	gaussdp.set_public_keys('emp', 'secret', 'secret', 'name'), gaussdp.set_public_keys('emp', 'parent', 'parents', 'p'),
	gaussdp.set_public_keys('emp', 'own', 'emp', 'own'), gaussdp.set_public_keys('emp', 'k', 'codes', 'code'); END$$;

-- {C} is a count of tens.
CREATE FUNCTION answers(query text, answer text, name text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE 'SELECT string_agg(s::text, '' '') FROM (' || replace(query, '{C}', 'round(dp_count(8, 1e-6) / 10.0)') || ') s' INTO found;
	RETURN NEXT is(found, answer, name);
EXCEPTION WHEN insufficient_privilege THEN
	RETURN NEXT is(SQLERRM, answer, name);
END
$$;
CREATE FUNCTION refuses(query text, refusal text, name text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT alike(reason, refusal, name) FROM gaussdp.explain_privacy(query) LIMIT 1
$$;
SELECT plan(39);
SET ROLE keys_ana;

SELECT answers('SELECT dept, {C} FROM emp GROUP BY dept', '(a,40) (b,20) (empty,0)', 'every public key, and no other');
SELECT answers('SELECT {C} FROM emp GROUP BY dept', '(40) (20) (0)', 'a key that is not shown');
SELECT answers('SELECT dept, {C} FROM emp WHERE age < 25 AND dept <> ''b'' GROUP BY dept', '(a,20) (empty,0)', 'WHERE drops the keys that it excludes, whoever has them');
SELECT answers('SELECT dept, {C} FROM emp WHERE (dept = ''empty'' OR age < 25) GROUP BY dept', '(a,20) (b,10) (empty,0)', 'and none by a condition that reads more of the row');
SELECT answers('SELECT upper(dept) AS d, dept = ''a'' AS is_a, {C} FROM emp GROUP BY dept ORDER BY dept DESC LIMIT 2', '(EMPTY,f,0) (B,f,20)', 'expressions of the key, order and limit');
SELECT answers('SELECT dept, {C} FROM emp GROUP BY dept HAVING NOT dp_count(8, 1e-6) < 100 AND dept <> ''a''', '(b,20)', 'HAVING by released values and keys');
SELECT answers('SELECT dept, round(dp_count(dept, 8, 1e-6) / 10.0), round(dp_count(8, 1e-6) FILTER (WHERE dept = ''a'') / 10.0) FROM emp GROUP BY dept', '(a,40,40) (b,20,0) (empty,0,0)', 'the column in calls is that of the rows');
SELECT answers('SELECT dept, dp_sum(coalesce(age, 100), 5, 1e-6, 0, 1) > 50 FROM emp GROUP BY dept', '(a,t) (b,t) (empty,f)', 'rows that were made up count for nothing');
SELECT answers('SELECT sex, {C} FROM emp GROUP BY sex', '(f,40) (m,40)', 'NULL is no public key');
SELECT answers('SELECT code, {C} FROM emp GROUP BY code', '(k,80) (l,0)', 'a domain, and a partitioned table of keys');
SELECT answers('SELECT dept, sex, {C} FROM emp GROUP BY dept, sex', '(a,f,20) (a,m,20) (b,f,10) (b,m,10) (empty,f,0) (empty,m,0)', 'several keys: every combination');
SELECT answers('SELECT dept, {C} FROM emp JOIN region ON region.id = emp.region GROUP BY dept', '(a,20) (b,10) (empty,0)', 'beside another join');
SELECT answers('SELECT dept, {C} FROM emp LEFT JOIN region ON region.id = emp.region WHERE region.id IS NULL GROUP BY dept', '(a,20) (b,10) (empty,0)', 'beside an outer join');
SELECT answers('WITH l AS (SELECT dept, {C} AS c FROM emp GROUP BY dept) SELECT l.dept, c FROM l JOIN dept ON dept.name = l.dept WHERE c > 30', '(a,40)', 'in WITH');
SELECT answers('SELECT dept, c FROM (SELECT dept, {C} AS c FROM emp GROUP BY dept) s WHERE dept <> ''a''', '(b,20) (empty,0)', 'in FROM, a condition outside');
SELECT answers('SELECT * FROM seen', '(a,40) (b,20) (empty,0)', 'through a view');
SELECT answers('SELECT dept, {C} FROM emp GROUP BY dept HAVING dp_keep_group(5, 1e-6)', '(a,40) (b,20) (c,10) (,10)', 'a query that hides small groups stays as it is');
SELECT answers('SELECT dept, {C} + (SELECT max(id) FROM region) FROM emp GROUP BY dept', '(a,41) (b,21) (empty,1)', 'beside a sub-select of another table');
SELECT answers('SELECT dept, {C} FROM (SELECT e.dept, f.age FROM emp e JOIN emp f USING (id)) s WHERE age < 25 GROUP BY dept', '(a,20) (b,10) (empty,0)', 'a sub-select of joined rows');
SELECT answers('SELECT d, {C} FROM (SELECT id, dept AS d, count(*) FROM emp GROUP BY id, dept) s GROUP BY d', '(a,40) (b,20) (empty,0)', 'one of a row for each person');
SELECT answers('SELECT d, {C} FROM (SELECT * FROM (SELECT e.id, e.dept AS d FROM emp e JOIN emp f USING (id)) i JOIN emp g USING (id)) s GROUP BY d', '(a,40) (b,20) (empty,0)', 'one inside of another');
SELECT refuses('SELECT d, dp_count(1, 1e-6) FROM (SELECT lower(e.dept) AS d FROM emp e JOIN emp f USING (id)) s GROUP BY d', 'Rule 7 (group keys)%', 'not of an expression in it');
-- Rows that are in no group are named before they are missed.
SELECT is((SELECT string_agg(hint, '|') FROM gaussdp.explain_privacy(query)), answer, name) FROM (VALUES
	('SELECT dept, dp_count(1, 1e-6), dp_avg(age, 1, 1e-6, 0, 120) FROM emp GROUP BY dept', 'Rows whose dept is NULL or not in table dept are in no group: HAVING dp_keep_group(1, 1e-8) shows groups of them, too, where they are large.', 'rows without a public key'),
	('SELECT dept, sex, dp_median(age, 1, 1e-6, 0, 120) FROM emp GROUP BY dept, sex', 'Rows whose dept is NULL or not in table dept, or sex is NULL or not in table sexes are in no group: HAVING dp_keep_group(1, 1e-8) shows groups of them, too, where they are large. half_width_95 is in rows, by which the rank of the answer may be off.', 'two keys, beside another hint'),
	('SELECT k, dp_count(1, 1e-6) FROM emp GROUP BY k', 'Rows whose k is not in table codes are in no group: HAVING dp_keep_group(1, 1e-8) shows groups of them, too, where they are large.', 'a key that is never NULL'),
	('SELECT d, dp_count(1, 1e-6) FROM (SELECT e.dept AS d FROM emp e JOIN emp f USING (id)) s GROUP BY d', 'Rows whose d is NULL or not in table dept are in no group: HAVING dp_keep_group(1, 1e-8) shows groups of them, too, where they are large.', 'a key of a sub-select'),
	('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept HAVING dp_keep_group(1, 1e-8)', NULL, 'groups that are found in the data'),
	('SELECT d.name, dp_count(e.id, 1, 1e-6) FROM dept d LEFT JOIN emp e ON e.dept = d.name GROUP BY d.name', NULL, 'keys that the query names')) v (query, answer, name);
PREPARE again AS SELECT string_agg(dept, ' ') FROM (SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept) s;
SELECT results_eq('EXECUTE again', 'VALUES (''a b empty'')', 'a prepared statement');
RESET ROLE;
INSERT INTO dept VALUES ('new', 'w');
SET ROLE keys_ana;
SELECT results_eq('EXECUTE again', 'VALUES (''a b empty new'')', 'sees new keys');
SELECT refuses('SELECT dept, age, dp_count(1, 1e-6) FROM emp GROUP BY dept, age', 'Rule 7 (group keys)%', 'one of two keys without a table');
SELECT refuses('SELECT lower(dept), dp_count(1, 1e-6) FROM emp GROUP BY lower(dept)', 'Rule 7 (group keys)%', 'a key that is no column');
SELECT refuses('SELECT year, dp_count(1, 1e-6) FROM emp GROUP BY year', 'Rule 5 (each row once): the table that is declared to hold the public keys may hold one of them twice.', 'a table of keys that may repeat');
SELECT refuses('SELECT city, dp_count(1, 1e-6) FROM emp GROUP BY city', 'Rule 5 (each row once)%', 'a key of another collation');
SELECT refuses('SELECT parent, dp_count(1, 1e-6) FROM emp GROUP BY parent', 'Rule 5 (each row once)%', 'a table of keys with children');
SELECT refuses('SELECT filter, dp_count(1, 1e-6) FROM emp GROUP BY filter', 'Rule 4 (public relations)%row security.', 'one with row security');
SELECT refuses('SELECT secret, dp_count(1, 1e-6) FROM emp GROUP BY secret', 'Rule 4 (public relations)%this role may not read secret,%', 'one that the role may not read');
SELECT refuses('SELECT own, dp_count(1, 1e-6) FROM emp GROUP BY own', 'Rule 4 (public relations)%', 'the protected table itself');
RESET ROLE;
GRANT SELECT ON secret TO keys_ana;
SET ROLE keys_ana;
SELECT refuses('SELECT secret, dp_count(1, 1e-6) FROM emp GROUP BY secret', 'Rule 4 (public relations)%two protected tables%', 'a protected one that it may read');
RESET ROLE;
SELECT * FROM finish();
DROP TABLE emp CASCADE;
DROP OWNED BY keys_ana;
DROP ROLE keys_ana;
