\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Groups whose keys the catalog lists: labels of enumerations, and the two values of a boolean.  Outside of a transaction,
-- since the budget must be committed.  Noise is below 1, and counts of tens are rounded to tens.
SET client_min_messages = warning;
CREATE TYPE mood AS ENUM ('low', 'high');
ALTER TYPE mood ADD VALUE 'mid' BEFORE 'high';
CREATE TYPE many AS ENUM ();
DO $$BEGIN FOR i IN 1 .. 150 LOOP EXECUTE format('ALTER TYPE many ADD VALUE %L', 'v' || i); END LOOP; END$$;
CREATE DOMAIN feeling AS mood;
CREATE DOMAIN good AS mood CHECK (VALUE <> 'low');
CREATE TABLE dept (name text PRIMARY KEY);
INSERT INTO dept VALUES ('a'), ('b');
CREATE TABLE emp (id int PRIMARY KEY, mood mood, sure boolean NOT NULL, age int, dept text, feels feeling, good good, one many, two many, tags mood[]);
-- in tens: 40 low, 20 mid, 20 of none; 10 of the low ones and 10 of the mid ones are sure
INSERT INTO emp SELECT i, CASE WHEN i <= 400 THEN 'low' WHEN i <= 600 THEN 'mid' END::mood, i <= 100 OR i BETWEEN 501 AND 600, i % 50, 'a',
	CASE WHEN i <= 400 THEN 'low' END::mood, 'mid', 'v1', 'v2', '{low,high}' FROM generate_series(1, 800) i;
CREATE TABLE visit (id int NOT NULL, mood mood);
INSERT INTO visit SELECT i, CASE WHEN i <= 400 THEN 'high' ELSE 'mid' END::mood FROM generate_series(1, 800) i UNION ALL SELECT i, 'low' FROM generate_series(1, 800) i;
CREATE ROLE label_ana;
GRANT SELECT ON dept TO label_ana;
DO $$BEGIN PERFORM gaussdp.protect('emp', unit => 'id', people => 'staff'), gaussdp.protect('visit', unit => 'id', max_rows => 2, people => 'staff'),
	gaussdp.grant_budget('label_ana', 'emp', epsilon => 500, delta => 1e-3), gaussdp.set_public_keys('emp', 'dept', 'dept', 'name'); END$$;

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
SELECT plan(39);
SET ROLE label_ana;
-- Conditions on keys alone leave groups out that they exclude; others do not, and a label that nobody has is shown where they do not exclude it.
SELECT answers('SELECT mood, {C} AS n FROM emp WHERE mood IN (''low'', ''high'') GROUP BY mood', '(low,40) (high,0)', 'IN');
SELECT answers('SELECT mood, {C} AS n FROM emp WHERE mood > ''low'' AND id <= 500 GROUP BY mood', '(mid,10) (high,0)', 'an order, beside a condition on rows');
SELECT answers('SELECT mood, sure, {C} AS n FROM emp WHERE sure AND mood <> ''mid'' GROUP BY 1, 2', '(low,t,10) (high,t,0)', 'of two keys');
SELECT answers('SELECT mood, {C} AS n FROM emp WHERE mood = ''low'' OR id > 790 GROUP BY mood', '(low,40) (mid,0) (high,0)', 'not where a row decides, too');
SELECT answers('SELECT dept, {C} AS n FROM emp WHERE dept = ''b'' GROUP BY dept', '(b,0)', 'keys of a table');


SELECT answers('SELECT mood, {C} FROM emp GROUP BY mood', '(low,40) (mid,20) (high,0)', 'every label, in the order of the type; no NULL');
SELECT answers('SELECT mood, {C} FROM emp GROUP BY mood HAVING dp_keep_group(5, 1e-6)', '(low,40) (mid,20) (,20)', 'with dp_keep_group NULL is a group, and empty ones are not shown');
SELECT answers('SELECT sure, {C} FROM emp GROUP BY sure', '(f,60) (t,20)', 'a boolean');
SELECT answers('SELECT age < 25 AS young, {C} FROM emp WHERE mood IS NULL GROUP BY 1', '(f,10) (t,10)', 'a condition');
SELECT answers('SELECT mood IS NULL, NOT sure, {C} FROM emp GROUP BY 1, 2', '(f,f,20) (f,t,40) (t,f,0) (t,t,20)', 'several');
SELECT answers('SELECT sure, mood, {C} FROM emp GROUP BY mood, sure', '(f,low,30) (t,low,10) (f,mid,10) (t,mid,10) (f,high,0) (t,high,0)', 'every combination');
SELECT answers('SELECT dept, sure, {C} FROM emp GROUP BY dept, sure', '(a,f,60) (a,t,20) (b,f,0) (b,t,0)', 'beside a declared table of keys');
SELECT answers('SELECT mood, {C} FROM emp GROUP BY mood HAVING mood > ''low''', '(mid,20) (high,0)', 'HAVING by the key');
SELECT answers('SELECT {C} FROM emp GROUP BY mood', '(40) (20) (0)', 'a key that is not shown');
SELECT answers('SELECT mood::text || ''!'' AS m, sure AND mood = ''mid'', {C} FROM emp GROUP BY mood, sure ORDER BY mood DESC, sure LIMIT 3', '(high!,f,0) (high!,f,0) (mid!,f,10)', 'expressions of keys');
SELECT answers('SELECT CASE WHEN age < 25 THEN 1 ELSE 2 END + (age < 25)::int, {C} FROM emp GROUP BY age < 25, CASE WHEN age < 25 THEN 1 ELSE 2 END HAVING dp_keep_group(5, 1e-6)', '(2,40) (2,40)', 'a key that is a part of another');
SELECT answers('SELECT mood, sure, GROUPING(mood), {C} FROM emp GROUP BY ROLLUP (mood, sure)', '(low,f,0,30) (low,t,0,10) (low,,0,40) (mid,f,0,10) (mid,t,0,10) (mid,,0,20) (high,f,0,0) (high,t,0,0) (high,,0,0) (,,1,60)', 'grouping sets');
SELECT answers('SELECT feels, {C} FROM emp GROUP BY feels', '(low,40) (mid,0) (high,0)', 'a domain');
SELECT answers('SELECT good, {C} FROM emp GROUP BY good HAVING dp_keep_group(5, 1e-6)', '(mid,80)', 'a domain that refuses labels, found');
SELECT answers('SELECT good, {C} FROM emp GROUP BY good', 'permission denied for table emp', 'of which no labels are shown');
SELECT answers('SELECT one, count(*) > 0 FROM (SELECT one, {C} FROM emp GROUP BY one) s GROUP BY one ORDER BY one DESC LIMIT 1', '(v150,t)', '150 labels');
SELECT answers('SELECT one, two, {C} FROM emp GROUP BY one, two', 'permission denied for table emp', 'more than 10,000 combinations are not public');
SELECT answers('SELECT one, two, {C} FROM emp GROUP BY one, two HAVING dp_keep_group(5, 1e-6)', '(v1,v2,80)', 'but found');
SELECT answers('SELECT m, {C} FROM (SELECT id, max(mood) AS m FROM visit GROUP BY id) v GROUP BY m', '(low,0) (mid,40) (high,40)', 'the maximum of a person''s labels');
SELECT answers('SELECT m, {C} FROM (SELECT id, min(mood) AS m FROM visit WHERE mood >= ''mid'' GROUP BY id) v GROUP BY m', '(low,0) (mid,40) (high,40)', 'and the minimum');
SELECT answers('SELECT v.mood, {C} FROM emp JOIN visit v USING (id) WHERE v.mood <> ''low'' GROUP BY v.mood', '(mid,40) (high,40)', 'a person with several rows');
SELECT answers('SELECT {C} FROM emp WHERE mood < ''high'' AND mood BETWEEN ''mid'' AND ''high'' AND mood IN (''mid'', ''high'')', '(20)', 'comparisons');
SELECT answers('SELECT {C} FROM emp WHERE greatest(mood, ''mid'') = ''mid'' AND least(mood, feels) = ''low''', '(40)', 'greatest and least');
SELECT answers('SELECT mood::text, {C} FROM emp WHERE mood::text LIKE ''%i%'' GROUP BY 1 HAVING dp_keep_group(5, 1e-6)', '(mid,20)', 'a label as text');
SELECT answers('SELECT {C} FROM emp WHERE tags[2] > mood AND ''low'' = ANY (tags)', '(60)', 'an element of an array of labels');
SELECT answers('SELECT CASE WHEN sure THEN ''low''::mood ELSE ''mid'' END AS m, {C} FROM emp GROUP BY 1', '(low,20) (mid,60) (high,0)', 'a computed label');
SELECT answers('SELECT true AS t, {C} FROM emp GROUP BY t HAVING dp_keep_group(5, 1e-6)', '(t,80)', 'a constant');
SELECT is(hint, 'Rows whose mood is NULL are in no group: HAVING dp_keep_group(1, 1e-8) shows groups of them, too, where they are large.', 'which rows are left out')
FROM gaussdp.explain_privacy('SELECT mood, sure, dp_count(1, 1e-6) FROM emp GROUP BY mood, sure');
SELECT is(count(hint), 0::bigint, 'none of a column that is NOT NULL') FROM gaussdp.explain_privacy('SELECT sure, dp_count(1, 1e-6) FROM emp GROUP BY sure');

-- plain SQL, without a threshold
SET gaussdp.answer_plain_sql = on;
SET gaussdp.epsilon = 8;
SET gaussdp.delta = 1e-6;
SELECT answers('SELECT mood, round(count(*) / 10.0) FROM emp GROUP BY mood ORDER BY 1 DESC', '(,20) (mid,20) (low,40)', 'plain SQL: where a key may be NULL groups are found, NULL too');
SELECT answers('SELECT sure, id < 401, round(count(*) / 10.0) FROM emp WHERE id > 100 GROUP BY 1, 2 ORDER BY 1, 2', '(f,f,30) (f,t,30) (t,f,10) (t,t,0)', 'plain SQL: else every combination is shown');
SELECT is(string_agg(call, ' '), 'dp_count', 'plain SQL: no price for groups') FROM gaussdp.explain_privacy('SELECT sure, id < 401, count(*) FROM emp GROUP BY 1, 2');
SELECT answers('SELECT one, two, round(count(*) / 10.0) FROM emp GROUP BY one, two', '(v1,v2,80)', 'plain SQL: more than 10,000 are found');
SELECT answers('SELECT DISTINCT mood FROM emp ORDER BY 1', '(low) (mid) ()', 'plain SQL: distinct values are found, NULL too');

RESET ROLE;
SELECT * FROM finish();
