\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Queries in FROM that make rows of people out of their rows: what they may be, what they count as, and their answers.
CREATE ROLE queries_ana;
CREATE TABLE patient (id int PRIMARY KEY, region text NOT NULL, born date);
CREATE TABLE visit (patient int NOT NULL, at date, dept int, cost numeric(10, 2), any_cost numeric, score float8, code text, mark char(3), note text COLLATE "C");
CREATE TABLE dept (dept int PRIMARY KEY, name text);
CREATE TABLE region (region text PRIMARY KEY);
CREATE TABLE other (unit int PRIMARY KEY, x int);
-- made by another version of its library
SET client_min_messages = error;
CREATE COLLATION queries_stale (provider = icu, locale = 'en', version = '1.0');
ALTER TABLE visit ADD old text COLLATE queries_stale;
INSERT INTO patient SELECT i, 'r' || i % 2, '1960-01-01'::date + i FROM generate_series(1, 600) i;
INSERT INTO visit SELECT i, '2020-01-01'::date + i % 100 + j * 10, j % 5, 10 * j, j, j, 'c' || i % 3 FROM generate_series(1, 600) i, generate_series(1, i % 4) j;
INSERT INTO visit (patient, at) VALUES (4, 'infinity'), (4, '-infinity');
INSERT INTO dept SELECT i, 'd' || i FROM generate_series(0, 4) i;
INSERT INTO region VALUES ('r0'), ('r1'), ('r2');
GRANT SELECT ON dept, region TO queries_ana;
DO $$BEGIN
	PERFORM gaussdp.protect('patient', 'id', max_rows => 1, people => 'clinic'), gaussdp.protect('visit', 'patient', max_rows => 7, max_groups => 5, people => 'clinic'), gaussdp.protect('other', 'unit');
	PERFORM gaussdp.grant_budget('queries_ana', 'patient', 1000, 1e-3);
END$$;
CREATE VIEW spent AS SELECT patient, count(*) AS n, sum(cost) AS total FROM visit GROUP BY patient;
CREATE VIEW owned AS SELECT v.patient, d.name FROM visit v JOIN dept d USING (dept);
GRANT SELECT ON spent, owned TO queries_ana;
CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(coalesce(substring(reason FROM '^Rule \d+'), verdict || coalesce(' ' || max_rows, '')), ', ') FROM gaussdp.explain_privacy(query)$$;
CREATE FUNCTION reason(query text) RETURNS text LANGUAGE sql AS $$SELECT reason FROM gaussdp.explain_privacy(query)$$;
CREATE FUNCTION truth(query text) RETURNS bigint LANGUAGE plpgsql SECURITY DEFINER AS $$DECLARE n bigint; BEGIN EXECUTE 'SELECT count(*) FROM ' || query INTO n; RETURN n; END$$;
CREATE FUNCTION answer(query text) RETURNS bigint LANGUAGE plpgsql AS $$DECLARE n bigint; BEGIN EXECUTE 'SELECT dp_count(dept, 5, 1e-6, 4) FROM ' || query INTO n; RETURN n; END$$;
SELECT plan(170);
SET ROLE queries_ana;

-- One row a person counts as one, several rows as max_rows.
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM ' || query), verdict, query) FROM (VALUES
	('private', '(SELECT patient, count(*) AS n FROM visit GROUP BY patient) s WHERE n > 3'),
	('private', '(SELECT count(*) AS n FROM visit GROUP BY patient) s'),
	('private', '(SELECT patient FROM visit GROUP BY patient HAVING count(*) FILTER (WHERE dept = 3) > 2 AND max(at) > ''2020-02-01'') s'),
	('private', '(SELECT patient, min(at), max(code), max(cost), min(note), bool_and(dept > 1), bool_or(cost > 3), every(true), count(DISTINCT code) FROM visit GROUP BY 1) s'),
	('private', '(SELECT patient, max(cost + 1), sum(DISTINCT cost + 1) FROM visit GROUP BY 1) s'),
	('private', '(SELECT patient, sum(dept), avg(dept), sum(dept::bigint), sum(cost), avg(cost), sum(score::numeric), sum(DISTINCT dept) FROM visit GROUP BY 1) s'),
	('private', '(SELECT patient, sum(least(greatest(any_cost, 0), 100)) FROM visit GROUP BY 1) s'),
	('private', '(SELECT id, count(v.patient) AS n FROM patient LEFT JOIN visit v ON v.patient = id GROUP BY id) s'),
	('private', '(SELECT id, region FROM patient GROUP BY id, region) s'),
	('private', '(SELECT patient, count(*) AS n FROM visit GROUP BY patient ORDER BY n) s'),
	('private', 'spent'),
	('private', 'patient JOIN spent ON spent.patient = id JOIN region USING (region)'),
	('private', 'patient LEFT JOIN (SELECT n, patient FROM spent WHERE total > 9) s ON s.patient = id'),
	('private', '(SELECT patient, avg(n) FROM (SELECT patient, dept, count(*) AS n FROM visit GROUP BY patient, dept) s GROUP BY patient) t'),
	('private 7', '(SELECT patient, dept, count(*) AS n FROM visit GROUP BY patient, dept) s'),
	('private 7', 'owned'),
	('private 7', '(SELECT v.at - born AS age FROM patient JOIN visit v ON patient = id) s'),
	('private 7', 'visit JOIN spent USING (patient)'),
	('private 7', 'visit WHERE at - ''2020-01-01'' > 3 AND at::timestamp::date - at < 3 AND current_date - at > 3 AND (at - at) * 10 < 3'),
	('private 7', 'visit a JOIN visit b USING (patient) WHERE b.at - a.at BETWEEN 1 AND 30'),
	('private 7', 'visit WHERE (at - ''2020-01-01'') * 1000 > 3'),
	('private 7', 'visit WHERE at - coalesce(at, at) > 3'),
	('Rule 8', '(SELECT count(*) AS n FROM visit) s'),
	('Rule 8', '(SELECT dept, count(*) AS n FROM visit GROUP BY dept) s'),
	('Rule 8', '(SELECT max(patient) AS patient, count(*) AS n FROM visit GROUP BY dept) s'),
	('Rule 8', '(SELECT patient::bigint AS patient, count(*) AS n FROM visit GROUP BY 1) s'),
	('Rule 8', '(SELECT v.patient FROM patient LEFT JOIN visit v ON v.patient = id GROUP BY v.patient) s'),
	('Rule 8', 'spent JOIN visit ON visit.dept = spent.n'),
	('Rule 8', 'spent a JOIN spent b ON a.n = b.n'),
	('Rule 8', 'spent a JOIN visit b ON a.n = b.patient'),
	('Rule 8', 'spent a JOIN other ON unit = patient'),
	('Rule 8', '(SELECT a.patient FROM visit a, visit b GROUP BY 1) s'),
	('Rule 8', '(SELECT a.patient, max(b.dept) FROM visit a JOIN visit b USING (dept) GROUP BY 1) s'),
	('Rule 8', '(SELECT a.patient FROM visit a JOIN visit b USING (patient) JOIN visit c USING (patient) JOIN visit d USING (patient) GROUP BY 1) s'),
	('Rule 8', '(SELECT a.patient FROM visit a JOIN visit b USING (patient)) s JOIN (SELECT a.patient FROM visit a JOIN visit b USING (patient)) t USING (patient)'),
	('Rule 2', '(SELECT patient, sum(score) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, avg(score::float4) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, max(score) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, max(old) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, max(any_cost) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, max(cost / 3) FROM visit GROUP BY 1) s'),
	('private', '(SELECT patient, sum(any_cost) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, sum(DISTINCT cost / 3) FROM visit GROUP BY 1) s'),
	('private 7', '(SELECT patient, any_cost FROM visit GROUP BY 1, 2) s'),
	('private 7', '(SELECT patient, score FROM visit GROUP BY 1, 2) s'),
	('Rule 2', '(SELECT patient, array_agg(dept) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, string_agg(code, '','' ORDER BY code) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, count(dept ORDER BY at) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, stddev(dept) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, percentile_cont(0.5) WITHIN GROUP (ORDER BY dept) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, factorial(count(*)) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient FROM visit GROUP BY 1 HAVING factorial(count(*)) = 0) s'),
	('Rule 2', '(SELECT patient, count(*) FILTER (WHERE factorial(dept) = 0) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, sum(factorial(dept)) FROM visit GROUP BY 1) s'),
	('Rule 2', '(SELECT patient, count(*) FROM visit WHERE factorial(dept) = 0 GROUP BY 1) s'),
	('Rule 0', '(SELECT patient, count(*) FROM visit GROUP BY 1 ORDER BY 2 LIMIT 3) s'),
	('Rule 0', '(SELECT patient, count(*) FROM visit GROUP BY 1 OFFSET 3) s'),
	('Rule 0', '(SELECT DISTINCT patient, count(*) FROM visit GROUP BY 1) s'),
	('Rule 0', '(SELECT DISTINCT ON (patient) patient, at FROM visit GROUP BY 1, 2) s'),
	('Rule 0', '(SELECT patient, dept, count(*) FROM visit GROUP BY GROUPING SETS ((patient, dept), (patient))) s'),
	('Rule 0', '(SELECT patient, count(*), row_number() OVER (ORDER BY patient) FROM visit GROUP BY 1) s'),
	('Rule 0', '(SELECT patient, generate_series(1, count(*)) FROM visit GROUP BY 1) s'),
	('private', '(SELECT id, region, count(*) FROM patient GROUP BY id) s'),
	('Rule 0', '(WITH v AS (SELECT 1) SELECT patient, count(*) FROM visit GROUP BY 1) s'),
	('Rule 0', '(SELECT patient, count(*) FROM visit GROUP BY 1 UNION ALL SELECT 1, 2) s'),
	('Rule 1', 'patient, LATERAL (SELECT visit.patient, count(*) FROM visit WHERE visit.patient = id GROUP BY 1) s'),
	('private', '(SELECT patient, count(*) FROM visit, dept GROUP BY 1) s'),
	('private 1', '(SELECT id, dept FROM patient, dept) s'),
	('Rule 6', '(SELECT dept.dept, patient, count(*) FROM dept LEFT JOIN visit USING (dept) GROUP BY 1, 2) s'),
	-- What is known of a number inside is known outside.
	('private', '(SELECT patient, count(*) AS n FROM visit GROUP BY 1) s WHERE n * 100 + 1 > 201 AND 1000 - n > 3'),
	('private', '(SELECT n * 100 AS n FROM (SELECT patient, greatest(least(sum(dept), 9), 0) + count(*) AS n FROM visit GROUP BY 1) s WHERE n + 1 > 3) s WHERE n + 1 > 3'),
	('private', 'patient LEFT JOIN spent ON patient = id WHERE coalesce(n, 0) * 7 < 30'),
	('private', '(SELECT patient, sum(dept) AS n FROM visit GROUP BY 1) s WHERE n * 100 > 3'),
	('private', '(SELECT patient, max(dept) AS n FROM visit GROUP BY 1) s WHERE n * 100 > 3'),
	-- Windows of one person's rows.
	('private 7', '(SELECT patient, at - lag(at) OVER (PARTITION BY patient ORDER BY at) AS days FROM visit) s'),
	('private 7', '(SELECT patient, row_number() OVER w, rank() OVER w, dense_rank() OVER w, lead(dept, 2, 0) OVER w FROM visit WINDOW w AS (PARTITION BY patient ORDER BY at, cost)) s'),
	('private 7', '(SELECT patient, first_value(score) OVER (PARTITION BY patient ORDER BY at), sum(cost) OVER (PARTITION BY patient ORDER BY at), count(*) OVER (PARTITION BY patient, dept) FROM visit) s'),
	('private 7', '(SELECT patient, last_value(dept) OVER (PARTITION BY patient ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING), last_value(dept) OVER (PARTITION BY patient) FROM visit) s'),
	('private 7', '(SELECT patient, n, 2 * row_number() OVER (PARTITION BY patient ORDER BY n) FROM (SELECT patient, dept, count(*) - 1 AS n FROM visit GROUP BY 1, 2) v) s'),
	('private 7', '(SELECT patient, row_number() OVER (PARTITION BY patient ORDER BY at) AS n FROM visit) s WHERE 2 * n - 1 > 3'),
	('private', '(SELECT patient, max(days) FROM (SELECT patient, at - lag(at) OVER (PARTITION BY patient ORDER BY at) AS days FROM visit) v GROUP BY patient) s'),
	('private', '(SELECT patient, count(*) FILTER (WHERE k = 1) FROM (SELECT patient, row_number() OVER (PARTITION BY patient ORDER BY at) AS k FROM visit) v GROUP BY patient) s'),
	('Rule 8', '(SELECT patient, row_number() OVER (ORDER BY at) FROM visit) s'),
	('Rule 8', '(SELECT patient, count(*) OVER () FROM visit) s'),
	('Rule 8', '(SELECT patient, rank() OVER (PARTITION BY dept ORDER BY at) FROM visit) s'),
	('Rule 8', '(SELECT patient, rank() OVER (PARTITION BY patient::bigint ORDER BY at) FROM visit) s'),
	('Rule 8', '(SELECT v.patient, count(*) OVER (PARTITION BY v.patient) FROM patient LEFT JOIN visit v ON v.patient = id) s'),
	('Rule 8', '(SELECT patient, count(*) OVER (PARTITION BY patient), count(*) OVER w FROM visit WINDOW w AS (PARTITION BY dept)) s'),
	('Rule 2', '(SELECT patient, ntile(4) OVER (PARTITION BY patient ORDER BY at) FROM visit) s'),
	('Rule 2', '(SELECT patient, nth_value(dept, 0) OVER (PARTITION BY patient ORDER BY at) FROM visit) s'),
	('Rule 2', '(SELECT patient, percent_rank() OVER (PARTITION BY patient ORDER BY at) FROM visit) s'),
	('Rule 2', '(SELECT patient, last_value(dept) OVER (PARTITION BY patient ORDER BY at) FROM visit) s'),
	('Rule 2', '(SELECT patient, sum(score) OVER (PARTITION BY patient) FROM visit) s'),
	('private 7', '(SELECT patient, sum(any_cost) OVER (PARTITION BY patient) FROM visit) s'),
	('Rule 2', '(SELECT patient, max(score) OVER (PARTITION BY patient) FROM visit) s'),
	('Rule 2', '(SELECT patient, string_agg(code, '','') OVER (PARTITION BY patient) FROM visit) s'),
	('Rule 2', '(SELECT patient, count(*) OVER (PARTITION BY patient ORDER BY at ROWS 3 PRECEDING) FROM visit) s'),
	('Rule 2', '(SELECT patient, count(*) OVER (PARTITION BY patient ORDER BY at RANGE BETWEEN UNBOUNDED PRECEDING AND ''1 day'' FOLLOWING) FROM visit) s'),
	('Rule 2', '(SELECT patient, count(*) OVER (PARTITION BY patient ORDER BY at ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES) FROM visit) s'),
	('Rule 2', '(SELECT patient, count(*) OVER (PARTITION BY patient ORDER BY factorial(dept)) FROM visit) s'),
	('Rule 2', '(SELECT patient, count(*) OVER (PARTITION BY patient ORDER BY old) FROM visit) s'),
	('Rule 2', '(SELECT patient, count(*) OVER (PARTITION BY patient, old) FROM visit) s'),
	('Rule 2', '(SELECT patient, lag(factorial(dept)) OVER (PARTITION BY patient ORDER BY at) FROM visit) s'),
	('Rule 2', '(SELECT patient, count(*) FILTER (WHERE factorial(dept) = 0) OVER (PARTITION BY patient) FROM visit) s'),
	('Rule 0', '(SELECT patient, count(*) OVER (PARTITION BY patient) FROM visit GROUP BY patient) s'),
	('Rule 4', '(SELECT patient, count(*) FROM visit JOIN (SELECT dp_count(1, 1e-6) AS n FROM patient) p ON p.n = dept GROUP BY 1) s')) q (verdict, query);
SELECT is(verdict('SELECT dp_count(dept, 1, 1e-6, 3) FROM (SELECT patient, dept FROM visit GROUP BY 1, 2) s'), 'private 3', 'max_rows is asked for as elsewhere');
SELECT is(verdict('WITH s AS (SELECT patient, count(*) AS n FROM visit GROUP BY 1) SELECT dp_count(1, 1e-6) FROM s UNION ALL SELECT dp_sum(n, 1, 1e-6, 0, 9) FROM s WHERE n > 1'), 'private, private', 'each reader of a WITH query is a level');
SELECT is(verdict('SELECT n, dp_count(1, 1e-6) FROM spent GROUP BY n'), 'Rule 7', 'a number of people is no public key');
SELECT is(verdict('SELECT total, dp_count(1, 1e-6) FROM spent GROUP BY 1 HAVING dp_keep_group(1, 1e-6)'), 'private, private', 'a sum is shown in one form');
SELECT is(verdict('SELECT max(n) FROM (SELECT patient, count(*) AS n FROM visit GROUP BY 1) s'), 'Rule 0', 'exact aggregates around one');
SELECT is(verdict('SELECT * FROM (SELECT patient, count(*) FROM visit GROUP BY 1) s'), 'Rule 0', 'rows of one');
SELECT is(reason('SELECT dp_avg(t, 1, 1e-6, 0, 9) FROM (SELECT patient, sum(score) AS t FROM visit GROUP BY 1) s'),
	'Rule 2 (functions on rows), at character 55: sums of floating-point numbers depend on the order of rows, in their last bits.', 'the reason is named');
SELECT is((SELECT round(l2_sensitivity::numeric, 6) FROM gaussdp.explain_privacy('SELECT dp_sum(n, 1, 1e-6, 0, 9) FROM spent', exact => true)), 9.000000, 'the sensitivity is that of one row');

-- Answers
SELECT ok(abs(answer - truth) < room, what || ': ' || answer) FROM (
	SELECT 'people' AS what, (SELECT dp_count(5, 1e-6) FROM spent) AS answer, 450 AS truth, 20 AS room
	UNION ALL SELECT 'with at least three', (SELECT dp_count(5, 1e-6) FROM spent WHERE n >= 3), 150, 20
	UNION ALL SELECT 'their sum', (SELECT dp_sum(n, 5, 1e-6, 0, 5) FROM spent), 902, 100
	UNION ALL SELECT 'without', (SELECT dp_count(5, 1e-6) FROM patient LEFT JOIN spent ON patient = id WHERE n IS NULL), 150, 20
	UNION ALL SELECT 'departments of people', (SELECT dp_count(dept, 5, 1e-6, 3) FROM (SELECT patient, dept FROM visit WHERE dept IN (1, 2) GROUP BY 1, 2) s), 750, 60
	UNION ALL SELECT 'days between first and last', (SELECT dp_sum(days, 5, 1e-6, 0, 30) FROM (SELECT max(at) - min(at) AS days FROM visit WHERE patient <> 4 GROUP BY patient) s), 4500, 400) s;
SELECT ok(abs(answer - truth) < room, what || ': ' || answer) FROM (
	SELECT 'days since the last visit' AS what, (SELECT dp_sum(days, 5, 1e-6, 0, 30, 7) FROM (SELECT at - lag(at) OVER (PARTITION BY patient ORDER BY at) AS days FROM visit WHERE patient <> 4) s) AS answer, 4500 AS truth, 700 AS room
	UNION ALL SELECT 'first visits', (SELECT dp_count(dept, 5, 1e-6, 1) FROM (SELECT dept, row_number() OVER (PARTITION BY patient ORDER BY at) AS k FROM visit WHERE patient <> 4) s WHERE k = 1), 450, 30) s;
SELECT ok((SELECT dp_avg(days, 5, 1e-6, 0, 30) FROM (SELECT max(at) - min(at) AS days FROM visit GROUP BY patient) s) BETWEEN 8 AND 12, 'infinite dates fail nowhere');
SELECT is((SELECT string_agg(region, ',' ORDER BY region) FROM (SELECT region, dp_avg(total, 5, 1e-6, 0, 100) FROM region LEFT JOIN (patient JOIN spent ON patient = id) USING (region) GROUP BY region) s), 'r0,r1,r2', 'public groups of people');
-- Sub-selects in expressions about the person mean what they say.
SELECT ok(abs(answer - truth(query)) < 20, format('%s: %s, %s', query, answer, truth(query))) FROM (
	SELECT query, CASE weighed WHEN true THEN answer(query) ELSE (SELECT answer(replace(query, 'patient p', '(SELECT *, 1 AS dept FROM patient) p'))) END AS answer FROM (VALUES
	(false, 'patient p WHERE EXISTS (SELECT FROM visit v WHERE v.patient = p.id AND dept = 2)'),
	(false, 'patient p WHERE EXISTS (SELECT DISTINCT 1 AS a FROM visit v WHERE v.patient = p.id AND dept = 2 LIMIT 1)'),
	(false, 'patient p WHERE id IN (SELECT DISTINCT patient FROM visit WHERE dept = 3)'),
	(false, 'patient p WHERE NOT EXISTS (SELECT FROM visit v WHERE p.id = v.patient AND dept = 2)'),
	(false, 'patient p WHERE EXISTS (SELECT FROM visit v WHERE v.patient = p.id AND dept = 1 AND code = ''c1'') AND EXISTS (SELECT 1 / 0 FROM visit v WHERE v.patient = p.id AND dept = 2)'),
	(false, 'patient p WHERE id IN (SELECT patient FROM visit WHERE dept = 3)'),
	(false, 'patient p WHERE id NOT IN (SELECT patient FROM visit WHERE dept = 3)'),
	(false, 'patient p WHERE region = ''r1'' OR NOT id IN (SELECT patient FROM visit JOIN dept USING (dept) WHERE name = ''d1'')'),
	(false, 'patient p WHERE (SELECT count(*) FROM visit v WHERE v.patient = p.id) = 0'),
	(false, 'patient p WHERE (SELECT count(*)::numeric + coalesce(max(dept), 7) FROM visit v WHERE v.patient = p.id) = 7'),
	(false, 'patient p WHERE (SELECT sum(cost) FROM visit v WHERE v.patient = p.id) > 30'),
	(false, 'patient p WHERE coalesce((SELECT bool_and(dept < 3) FROM visit v WHERE v.patient = p.id), region = ''r0'')'),
	(false, 'patient p WHERE CASE WHEN EXISTS (SELECT FROM visit v WHERE v.patient = p.id AND EXISTS (SELECT FROM visit w WHERE w.patient = v.patient AND w.dept = 3)) THEN region = ''r1'' ELSE false END'),
	(false, '(SELECT *, 1 AS dept FROM patient WHERE id IN (SELECT patient FROM owned WHERE name = ''d2'')) q'),
	(true, 'visit v WHERE patient IN (SELECT id FROM patient WHERE region = ''r1'')'),
	(true, 'visit v WHERE EXISTS (SELECT FROM visit w WHERE w.patient = v.patient AND w.dept = v.dept AND w.cost > 15)'),
	(true, 'visit v WHERE (SELECT max(dept) FROM visit w WHERE w.patient = v.patient) = dept')) q (weighed, query)) s;
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM ' || query), verdict, query) FROM (VALUES
	('Rule 8', 'patient p WHERE EXISTS (SELECT FROM visit v WHERE v.dept = p.id)'),
	('Rule 8', 'patient p WHERE id IN (SELECT dept FROM visit)'),
	('Rule 8', 'patient p WHERE EXISTS (SELECT FROM visit v, visit w WHERE v.patient = p.id AND v.dept = w.dept)'),
	('Rule 8', 'patient p WHERE EXISTS (SELECT FROM other WHERE unit = p.id)'),
	('Rule 11', 'patient p WHERE EXISTS (SELECT FROM visit v WHERE v.patient <> p.id)'),
	('Rule 11', 'patient p WHERE EXISTS (SELECT FROM visit v WHERE v.patient = p.id LIMIT 1 OFFSET 1)'),
	('Rule 11', 'patient p WHERE EXISTS (SELECT FROM visit v WHERE v.patient = p.id LIMIT (p.id - 1))'),
	('Rule 11', 'patient p WHERE EXISTS (SELECT DISTINCT ON (dept) 1 FROM visit v WHERE v.patient = p.id)'),
	('Rule 11', 'patient p WHERE id IN (SELECT patient FROM visit LIMIT 1)'),
	('Rule 11', 'patient p WHERE EXISTS (SELECT FROM visit v WHERE v.patient = p.id OR v.dept = 3)'),
	('Rule 11', 'visit a WHERE EXISTS (SELECT FROM visit b WHERE b.patient = a.patient AND b.at > a.at)'),
	('Rule 11', 'patient p WHERE id IN (SELECT max(patient) FROM visit)'),
	('Rule 11', 'patient p WHERE id IN (SELECT patient FROM visit LIMIT 3)'),
	('Rule 0', 'patient p WHERE id IN (SELECT patient FROM visit UNION SELECT 3)'),
	('Rule 11', 'patient p WHERE id > ALL (SELECT patient FROM visit)'),
	('Rule 11', 'patient p LEFT JOIN visit v ON v.patient = p.id WHERE v.patient NOT IN (SELECT patient FROM visit)'),
	('Rule 11', 'patient p WHERE (SELECT cost FROM visit v WHERE v.patient = p.id LIMIT 1) > 3'),
	('Rule 2', 'patient p WHERE (SELECT sum(score) FROM visit v WHERE v.patient = p.id) > 3'),
	('Rule 2', 'patient p WHERE EXISTS (SELECT FROM visit v WHERE v.patient = p.id AND factorial(dept) = 1)')) q (verdict, query);
PREPARE asked(int, date) AS SELECT dp_count(5, 1e-6) FROM (SELECT patient, count(*) AS n FROM visit v JOIN (SELECT dept FROM dept WHERE dept < 5) d USING (dept)
	WHERE dept < $1 AND at >= $2 AND at < now() GROUP BY patient HAVING count(*) >= (SELECT count(*) - 4 FROM dept)) s WHERE n < $1 + 5;
CREATE TEMP TABLE taken AS EXECUTE asked(5, '2019-01-01');
SELECT ok(dp_count BETWEEN 390 AND 510, 'parameters, clocks and sub-selects are inputs') FROM taken;
SELECT throws_ok('SELECT dp_count(5, 1e-6) FROM (SELECT patient, count(*) AS n FROM visit WHERE dept < 1 / (SELECT min(dept) FROM dept) GROUP BY 1) s', '22012', 'division by zero', 'and fail before anything is read');
RESET ROLE;
-- Values that are equal and look different have an order, too: their bytes, or a hash of them.
SELECT isnt(gaussdp_internal.image(x), gaussdp_internal.image(y), format('%s and %s', x, y)) FROM (VALUES (1.0, 1.00)) n (x, y);
SELECT isnt(gaussdp_internal.image(x), gaussdp_internal.image(y), format('%s and %s', x, y)) FROM (VALUES (interval '1 day', interval '24 hours')) n (x, y);
SELECT isnt(gaussdp_internal.image(x), gaussdp_internal.image(y), format('%s and %s', x, y)) FROM (VALUES (0::float8, '-0'::float8)) n (x, y);
SELECT is(gaussdp_internal.image(convert_from(long, 'UTF8')), image, format('%s bytes', length(long)))
FROM (SELECT long, CASE WHEN length(long) < 32 THEN long ELSE sha256(long) END AS image FROM (SELECT repeat('x', n)::bytea AS long FROM unnest(ARRAY[0, 1, 31, 32, 100000]) n) l) i;
RESET ROLE;
SELECT * FROM finish();
RESET ROLE;
DROP OWNED BY queries_ana;
DROP ROLE queries_ana;
