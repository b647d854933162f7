\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Joins of a protected table to public relations: which are private, and that they count what they say.
-- Outside of a transaction, since the budget must be committed.  Noise is below 1, and counts of tens
-- are rounded to tens.
SET client_min_messages = warning;
CREATE TABLE region (id int PRIMARY KEY, name text NOT NULL UNIQUE);
CREATE TABLE dept (id int PRIMARY KEY, name text UNIQUE, region int, boss int);
CREATE TABLE title (code text COLLATE "C" PRIMARY KEY, grade int);
CREATE TABLE period (dept int, year int, label text, PRIMARY KEY (dept, year));
CREATE TABLE twice (region int, name text);
CREATE TABLE later (id int UNIQUE DEFERRABLE);
CREATE TABLE part (id int);
CREATE UNIQUE INDEX ON part (id) WHERE id > 0;
CREATE TABLE days (day date PRIMARY KEY);
INSERT INTO days VALUES ('2011-12-30'), ('2011-12-31');
CREATE TABLE emp (id int PRIMARY KEY, dept int, year int, title text COLLATE "C", age int);
INSERT INTO region VALUES (1, 'north'), (2, 'south'), (3, 'empty');
INSERT INTO dept VALUES (1, 'a', 1, 7), (2, 'b', 1, 7), (3, 'c', 2, NULL), (4, 'd', NULL, NULL);
INSERT INTO title VALUES ('x', 1), ('y', 2);
INSERT INTO period VALUES (1, 2020, 'p'), (1, 2021, 'q'), (2, 2020, 'r');
INSERT INTO twice VALUES (1, 'l'), (1, 'm');
INSERT INTO later SELECT id FROM dept;
INSERT INTO part SELECT id FROM dept;
-- in tens: 40 in a, 30 in b, 20 in c, 10 in d, 10 in no department that exists, 10 in none
INSERT INTO emp SELECT i, CASE WHEN i <= 400 THEN 1 WHEN i <= 700 THEN 2 WHEN i <= 900 THEN 3 WHEN i <= 1000 THEN 4 WHEN i <= 1100 THEN 9 END,
	2020 + i % 2, CASE i / 2 % 5 WHEN 0 THEN 'x' WHEN 1 THEN 'y' END, i FROM generate_series(1, 1200) i;
CREATE ROLE joins_ana;
GRANT SELECT ON region, dept, title, period, twice, later, part, days TO joins_ana;
DO $$BEGIN PERFORM gaussdp.protect('emp', unit => 'id', max_rows => 1), gaussdp.grant_budget('joins_ana', 'emp', epsilon => 500, delta => 1e-3); END$$;

-- {C} is a count of tens.
CREATE FUNCTION answers(query text, answer text, name text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE 'SELECT string_agg(s::text, '' '' ORDER BY s::text) FROM (' || replace(query, '{C}', 'round(dp_count(8, 1e-6) / 10.0)') || ') s' INTO found;
	RETURN NEXT is(found, answer, name);
EXCEPTION WHEN insufficient_privilege THEN
	RETURN NEXT is(SQLERRM, answer, name);
END
$$;
CREATE FUNCTION refuses(query text, rule int, name text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT alike(reason, 'Rule ' || rule || ' %', name) FROM gaussdp.explain_privacy(replace(query, '{C}', 'dp_count(1, 1e-6)')) LIMIT 1
$$;
CREATE FUNCTION weighs(query text, name text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT is(format('%s %s', verdict, max_rows), 'private 1', name) FROM gaussdp.explain_privacy(replace(query, '{C}', 'dp_count(1, 1e-6)')) LIMIT 1
$$;
SELECT plan(61);
SET ROLE joins_ana;

-- inner joins
SELECT answers('SELECT {C} FROM emp e JOIN dept d ON d.id = e.dept JOIN region r ON r.id = d.region', '(90)', 'a chain of keys');
SELECT answers('SELECT {C} FROM emp e, dept d, region r WHERE d.id = e.dept AND d.region = r.id AND r.name = ''north''', '(70)', 'a chain in WHERE');
SELECT answers('SELECT {C} FROM region r JOIN dept d ON d.region = r.id JOIN emp e ON e.dept = d.id', '(90)', 'whatever the order');
SELECT answers('SELECT {C} FROM (region r JOIN dept d ON d.region = r.id) JOIN (title t JOIN emp e ON e.title = t.code) ON e.dept = d.id', '(36)', 'a tree');
SELECT answers('SELECT {C} FROM emp e JOIN dept d ON d.id = e.dept JOIN period p ON p.dept = d.id AND p.year = e.year', '(55)', 'a key of two columns, from two relations');
SELECT answers('SELECT {C} FROM emp e JOIN dept d ON d.id = e.dept JOIN period p ON p.dept = d.id AND p.year = 2020', '(70)', 'one of them a constant');
SELECT answers('SELECT {C} FROM emp e JOIN (SELECT id AS dept, region FROM dept) d USING (dept) JOIN region r ON r.id = d.region', '(90)', 'USING');
SELECT answers('SELECT {C} FROM emp e JOIN dept d ON d.id = e.dept JOIN (VALUES (7)) b(id) ON b.id = d.boss', '(70)', 'VALUES behind a table');
-- LEFT JOIN from the protected side
SELECT answers('SELECT {C} FROM emp e LEFT JOIN dept d ON d.id = e.dept LEFT JOIN region r ON r.id = d.region', '(120)', 'no row is lost');
SELECT answers('SELECT {C} FROM emp e LEFT JOIN dept d ON d.id = e.dept LEFT JOIN region r ON r.id = d.region WHERE r.id IS NULL', '(30)', 'those without a region');
SELECT answers('SELECT {C} FROM emp e LEFT JOIN (dept d JOIN region r ON r.id = d.region) ON d.id = e.dept', '(120)', 'a join that may be missing');
SELECT answers('SELECT {C} FROM emp e LEFT JOIN (dept d LEFT JOIN region r ON r.id = d.region) ON d.id = e.dept WHERE d.id IS NOT NULL', '(100)', 'and one within it');
SELECT answers('SELECT r.name, {C} FROM emp e JOIN dept d ON d.id = e.dept LEFT JOIN region r ON r.id = d.region GROUP BY r.name HAVING dp_keep_group(5, 1e-6)', '(,10) (north,70) (south,20)', 'groups of its columns');
-- LEFT JOIN from the public side
SELECT answers('SELECT r.name, {C} FROM region r LEFT JOIN dept d ON d.region = r.id LEFT JOIN emp e ON e.dept = d.id GROUP BY r.name', '(empty,0) (north,70) (south,20)', 'keys behind two outer joins');
SELECT answers('SELECT d.name, r.name, {C} FROM dept d JOIN region r ON r.id = d.region LEFT JOIN emp e ON e.dept = d.id GROUP BY d.name, r.name', '(a,north,40) (b,north,30) (c,south,20)', 'keys of two relations');
SELECT answers('SELECT d.name, r.name, {C} FROM dept d LEFT JOIN emp e ON e.dept = d.id JOIN region r ON r.id = d.region GROUP BY d.name, r.name', '(a,north,40) (b,north,30) (c,south,20)', 'one of them joined above');
SELECT answers('SELECT d.name, r.name, {C} FROM dept d LEFT JOIN emp e ON e.dept = d.id LEFT JOIN region r ON r.id = d.region GROUP BY d.name, r.name', '(a,north,40) (b,north,30) (c,south,20) (d,,10)', 'or left joined above');
SELECT answers('SELECT d.name, r.name, {C} FROM dept d LEFT JOIN emp e ON e.dept = d.id, region r WHERE r.id = d.region GROUP BY d.name, r.name', '(a,north,40) (b,north,30) (c,south,20)', 'or listed in FROM');
SELECT answers('SELECT y.y, d.name, {C} FROM dept d CROSS JOIN generate_series(2020, 2021) y(y) LEFT JOIN emp e ON e.dept = d.id AND e.year = y.y WHERE d.region = 1 GROUP BY y.y, d.name', '(2020,a,20) (2020,b,15) (2021,a,20) (2021,b,15)', 'a cross join of keys');
SELECT answers('SELECT d.name, {C} FROM dept d LEFT JOIN (emp e JOIN title t ON t.code = e.title) ON e.dept = d.id GROUP BY d.name', '(a,16) (b,12) (c,8) (d,4)', 'an inner join on the protected side');
-- a thousand of them in each group: they would be seen through the noise
SELECT answers('SELECT d.name, dp_sum(coalesce(e.age, 1000), 5, 1e-6, 0, 1) > 20 FROM dept d CROSS JOIN generate_series(1, 1000) y(y) LEFT JOIN emp e ON e.dept = d.id AND e.year = y.y GROUP BY d.name', '(a,f) (b,f) (c,f) (d,f)', 'rows that were made up count for nothing');
-- WITH outside of the level
SELECT answers('WITH k AS (SELECT name, id FROM dept) SELECT * FROM (SELECT k.name, {C} FROM k LEFT JOIN emp e ON e.dept = k.id GROUP BY k.name) s', '(a,40) (b,30) (c,20) (d,10)', 'a WITH query around the level');
SELECT answers('WITH k AS (SELECT DISTINCT region FROM dept WHERE region IS NOT NULL), l AS (SELECT k.region, {C} FROM k LEFT JOIN dept d ON d.region = k.region LEFT JOIN emp e ON e.dept = d.id GROUP BY k.region) SELECT * FROM l, (SELECT count(*) FROM k) c', '(1,70,2) (2,20,2)', 'read by others too');
SELECT answers('WITH k(x) AS (VALUES (1), (2)), l AS (SELECT k.x, {C} FROM k LEFT JOIN emp e ON e.dept = k.x GROUP BY k.x) SELECT * FROM l', '(1,40) (2,30)', 'VALUES in WITH');
-- several rows may match: rows are weighed, as 1 for a person, where they are not when every key is equated
SELECT weighs('SELECT {C} FROM emp e JOIN dept d ON d.id = e.dept JOIN twice t ON t.region = d.region', 'a second relation without a key');
SELECT weighs('SELECT {C} FROM emp e JOIN dept d ON d.id = e.dept JOIN region r ON r.id > d.region', 'a second relation that is not equated');
SELECT weighs('SELECT {C} FROM emp e JOIN dept d ON d.boss = e.dept JOIN region r ON r.id = d.id', 'a key in a circle');
SELECT weighs('SELECT {C} FROM emp e JOIN region r ON true JOIN dept d ON d.id = r.id', 'keys that only know each other');
SELECT weighs('SELECT {C} FROM emp e JOIN dept d ON d.id = e.dept JOIN period p ON p.dept = d.id', 'half of a key');
SELECT weighs('SELECT {C} FROM (emp e JOIN dept d ON true) LEFT JOIN region r ON r.id = d.region AND d.id = e.dept', 'ON of an outer join chooses nothing on the side that it keeps');
SELECT weighs('SELECT {C} FROM emp e JOIN (dept d LEFT JOIN region r ON r.id = d.region AND d.id = 1) ON e.age > 3', 'nor inside of a part');
SELECT weighs('SELECT {C} FROM emp e JOIN later d ON d.id = e.dept', 'a deferrable key');
SELECT weighs('SELECT {C} FROM emp e JOIN part d ON d.id = e.dept', 'a partial key');
SELECT weighs('SELECT {C} FROM emp e JOIN title t ON t.code = e.title COLLATE "POSIX"', 'a key by another collation');
SELECT weighs('WITH k AS (SELECT region FROM dept) SELECT * FROM (SELECT {C} FROM k LEFT JOIN emp e ON e.dept = k.region) s', 'a WITH query that repeats');
SELECT weighs('SELECT {C} FROM emp e JOIN generate_series(1, 3, 0) g ON g = e.dept', 'a series that fails when it is read, before any protected row');
SELECT weighs('SELECT {C} FROM emp e JOIN (SELECT DISTINCT day FROM days) d ON d.day = CASE WHEN e.age > 30 THEN timestamptz ''2011-12-31 00:00+14'' END', 'dates that are the same instant');
SELECT is(max_rows, NULL, 'what is matched once is not weighed') FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM emp e JOIN dept d ON d.id = e.dept JOIN region r ON r.id = d.region');
-- refused
SELECT refuses('SELECT {C} FROM emp e LEFT JOIN (dept d FULL JOIN region r ON r.id = d.region) ON d.id = e.dept', 6, 'FULL JOIN inside a part');
SELECT refuses('SELECT r.name, {C} FROM dept d LEFT JOIN emp e ON e.dept = d.id JOIN region r ON r.id = e.year GROUP BY r.name', 6, 'an inner join above that speaks of protected rows');
SELECT refuses('SELECT r.name, {C} FROM dept d LEFT JOIN emp e ON e.dept = d.id LEFT JOIN region r ON r.id = e.year GROUP BY r.name', 7, 'keys that depend on protected rows');
SELECT refuses('SELECT r.name, {C} FROM dept d LEFT JOIN emp e ON e.dept = d.id LEFT JOIN region r ON r.id = e.year WHERE r.id = 1 GROUP BY r.name', 6, 'a condition on them');
SELECT refuses('SELECT t.code, {C} FROM dept d LEFT JOIN (emp e JOIN title t ON t.code = e.title) ON e.dept = d.id GROUP BY t.code', 7, 'keys from inside the protected side');
SELECT refuses('SELECT {C} FROM emp a JOIN dept d ON d.id = a.dept JOIN emp b ON b.id = d.boss', 8, 'rows of different people');
SELECT refuses('WITH k AS (SELECT id + (random() * 0)::int AS id FROM dept) SELECT * FROM (SELECT {C} FROM k LEFT JOIN emp e ON e.dept = k.id) s', 2, 'a WITH query of functions that tell');
SELECT answers('SELECT {C} FROM emp e JOIN days d ON d.day = CASE WHEN e.age > 600 THEN timestamp ''2011-12-31 00:00'' END', '(60)', 'without a time zone they never are');
-- Calendars in sub-selects and WITH queries count as generate_series in FROM.
SELECT answers('SELECT y, {C} FROM (SELECT generate_series(2019, 2021) AS y) c LEFT JOIN emp ON emp.year = c.y GROUP BY y', '(2019,0) (2020,60) (2021,60)', 'generate_series in the list of a sub-select');
SELECT answers('WITH c AS (SELECT extract(year FROM g)::int AS y FROM generate_series(date ''2019-01-01'', ''2021-12-31'', ''1 year'') g) SELECT y, {C} FROM c LEFT JOIN emp ON emp.year = c.y GROUP BY y', '(2019,0) (2020,60) (2021,60)', 'computed in a WITH query');
SELECT answers('WITH c AS (SELECT generate_series(date ''2020-01-01'', ''2020-01-03'', ''1 day'')::date AS day) SELECT day, {C} FROM c LEFT JOIN emp ON date ''2019-12-31'' + length(repeat(''x'', emp.id::int % 4)) = c.day GROUP BY day', 'permission denied for table emp', 'what is refused on rows is refused beside a calendar');
SELECT answers('WITH c AS (SELECT generate_series(1, 4) AS n) SELECT to_char(day, ''DD'') AS d, {C} FROM (SELECT date ''2020-01-01'' + interval ''1 day'' * 0 + interval ''1 day'' AS day) x, c JOIN emp ON emp.dept = c.n GROUP BY 1', 'permission denied for table emp', 'other sub-selects without FROM stay what they were');
SELECT answers('WITH c AS (SELECT generate_series(1, 4) AS n) SELECT c.n, s.c FROM c JOIN (SELECT c.n, {C} AS c FROM c LEFT JOIN emp ON emp.dept = c.n GROUP BY c.n) s ON s.n = c.n', '(1,40) (2,30) (3,20) (4,10)', 'one that a query around the level reads, too');
SELECT answers('SELECT n, {C} FROM (SELECT g AS n FROM generate_series(1, 9) g WHERE g < 3) c LEFT JOIN emp ON emp.dept = c.n GROUP BY n', '(1,40) (2,30)', 'a condition of its own');
SELECT answers('SELECT {C} FROM emp JOIN (SELECT generate_series(1, 2) AS n) c ON emp.dept = c.n', '(70)', 'in an inner join');
SELECT weighs('SELECT {C} FROM emp JOIN (SELECT generate_series(1, 2) AS n) c ON emp.dept >= c.n', 'where several days match, rows are weighed');
SELECT refuses('SELECT {C} FROM emp LEFT JOIN (SELECT coalesce(g, 0) AS n FROM generate_series(1, 2) g) c ON emp.dept = c.n', 4, 'one that a join may miss');
SELECT refuses('SELECT {C} FROM emp JOIN (SELECT generate_series(1, (random() * 9)::int) AS n) c ON emp.dept = c.n', 4, 'one of random length');
SELECT refuses('SELECT {C} FROM emp JOIN (SELECT generate_series(1, 2) AS n, generate_series(1, 3) AS m) c ON emp.dept = c.n', 4, 'two series side by side');
SELECT refuses('SELECT {C} FROM emp JOIN (SELECT generate_series(1, 9) AS n LIMIT 3) c ON emp.dept = c.n', 4, 'one with LIMIT');
SELECT refuses('SELECT {C} FROM emp, LATERAL (SELECT generate_series(1, emp.dept) AS n) c', 4, 'one that looks at rows');
SELECT answers('SELECT max(n) FROM (SELECT generate_series(1, 9) AS n) c WHERE n < (SELECT {C} FROM emp)', '(9)', 'none where nothing of rows is read');
RESET ROLE;
-- Each of 3,000 groups of a made-up row would be shown with a chance of 1 in 12.
DO $$BEGIN PERFORM gaussdp.grant_budget('joins_ana', 'emp', epsilon => 500, delta => 0.5); END$$;
SET ROLE joins_ana;
SELECT answers('SELECT count(*) FROM (SELECT y.y, e.dept, dp_count(1, 1e-6) FROM generate_series(1000001, 1003000) y(y) LEFT JOIN emp e ON e.id = y.y GROUP BY 1, 2 HAVING dp_keep_group(1, 0.2)) g', '(0)', 'no group is shown that is nobody''s');
RESET ROLE;
SELECT * FROM finish();
DROP TABLE emp;
DROP OWNED BY joins_ana;
DROP ROLE joins_ana;
