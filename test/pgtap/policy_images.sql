\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Group keys whose equal values may look different are shown in one form.  Outside of a transaction, since the budget must be
-- committed.  Noise is below 1, and counts of tens are rounded to tens.
SET client_min_messages = warning;
CREATE DOMAIN fee AS numeric;
CREATE TABLE emp (id int PRIMARY KEY, n numeric, f float8, r float4, v interval, c char(4), at timestamp, fee fee);
-- in tens: 40 of each of two
INSERT INTO emp SELECT i, CASE WHEN i % 4 < 2 THEN 1.00 ELSE 1 END + i % 2, CASE WHEN i % 2 = 0 THEN 2.5 WHEN i % 4 = 1 THEN '-0' ELSE 0 END, i % 2,
	CASE i % 4 WHEN 0 THEN '1 mon' WHEN 2 THEN '30 days' WHEN 1 THEN '25 hours' ELSE '1 day 01:00' END::interval, 'x' || i % 2, timestamp '2020-01-01' + i % 2 * interval '1 hour', i % 2
	FROM generate_series(1, 800) i;
CREATE TABLE visit AS SELECT i % 400 AS id, CASE WHEN i <= 400 THEN 1.0 ELSE 1.00 END AS n FROM generate_series(1, 800) i;
ALTER TABLE visit ALTER id SET NOT NULL;
CREATE TABLE numbers (n numeric PRIMARY KEY);
INSERT INTO numbers VALUES (1.0), (2.000), (7);
CREATE TABLE again (n numeric);
INSERT INTO again TABLE numbers;
CREATE TABLE letters (c char(4) PRIMARY KEY);
INSERT INTO letters VALUES ('x0'), ('x9');
CREATE ROLE image_ana;
GRANT SELECT ON numbers, again, letters TO image_ana;
DO $$BEGIN PERFORM gaussdp.protect('emp', unit => 'id', people => 'staff'), gaussdp.protect('visit', unit => 'id', max_rows => 2, people => 'staff'),
	gaussdp.grant_budget('image_ana', 'emp', epsilon => 500, delta => 1e-3); END$$;

-- {C} is a count of tens.
CREATE FUNCTION answers(query text, answer text, name text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE 'SELECT string_agg(s::text, '' '') FROM (' || replace(replace(query, '{K}', 'HAVING dp_keep_group(5, 1e-6)'), '{C}', 'round(dp_count(8, 1e-6) / 10.0)') || ') s' INTO found;
	RETURN NEXT is(found, answer, name);
EXCEPTION WHEN insufficient_privilege THEN
	RETURN NEXT is(SQLERRM, answer, name);
END
$$;
SELECT plan(26);
SET ROLE image_ana;
SELECT answers('SELECT n, {C} FROM emp GROUP BY n {K}', '(1,40) (2,40)', 'numeric, without trailing zeros');
SELECT answers('SELECT n * 1, n + 1 > 2, {C} FROM emp GROUP BY n {K}', '(1,f,40) (2,t,40)', 'and what is computed of it');
SELECT answers('SELECT fee, {C} FROM emp GROUP BY fee {K}', '(0,40) (1,40)', 'a domain');
SELECT answers('SELECT f, {C} FROM emp GROUP BY f {K}', '(0,40) (2.5,40)', 'double precision, 0 for -0');
SELECT answers('SELECT f, {C} FROM emp WHERE id % 4 = 1 GROUP BY f {K}', '(0,20)', 'also where all are -0');
SELECT answers('SELECT -r, {C} FROM emp WHERE r = 0 GROUP BY 1 {K}', '(0,40)', 'and of real');
SELECT answers('SELECT r, f + 1, {C} FROM emp GROUP BY r, f {K}', '(0,3.5,40) (1,1,40)', 'real');
SELECT answers('SELECT v, {C} FROM emp GROUP BY v {K}', '("1 day 01:00:00",40) ("1 mon",40)', 'interval, justified');
SELECT answers('SELECT coalesce(c, ''y''), octet_length(coalesce(c, ''y'')), {C} FROM emp GROUP BY 1 {K}', '(x0,2,40) (x1,2,40)', 'a computed char(n), without blanks at its end');
SELECT answers('SELECT c, {C} FROM emp GROUP BY c {K}', '("x0  ",40) ("x1  ",40)', 'a column of char(n), filled up');
SELECT answers('SELECT date_part(''hour'', at), {C} FROM emp GROUP BY 1 {K}', '(0,40) (1,40)', 'date_part');
SELECT answers('SELECT n, {C} FROM emp GROUP BY n HAVING dp_keep_group(5, 1e-6) AND n > 1', '(2,40)', 'HAVING by the key');
SELECT answers('SELECT n, {C} FROM visit GROUP BY n {K}', '(1,80)', 'a person with two images of a value');
SELECT answers('SELECT k.n, round(dp_count(id, 8, 1e-6) / 10.0) FROM numbers k LEFT JOIN emp ON emp.n = k.n GROUP BY k.n', '(1.0,40) (2.000,40) (7,0)', 'public keys that are unique stay as they are');
SELECT answers('SELECT k.n, round(dp_count(id, 8, 1e-6) / 10.0) FROM again k LEFT JOIN emp ON emp.n = k.n GROUP BY k.n', '(1,40) (2,40) (7,0)', 'others get one form');
SELECT answers('SELECT c, {C} FROM emp GROUP BY c', 'permission denied for table emp', 'without public keys');
RESET ROLE;
DO $$BEGIN PERFORM gaussdp.set_public_keys('emp', 'c', 'letters', 'c'), gaussdp.set_public_keys('emp', 'n', 'numbers', 'n'); END$$;
SET ROLE image_ana;
SELECT answers('SELECT c, {C} FROM emp GROUP BY c', '("x0  ",40) ("x9  ",0)', 'declared public keys of char(n)');
SELECT answers('SELECT n, c, {C} FROM emp GROUP BY n, c', '(1.0,"x0  ",40) (1.0,"x9  ",0) (2.000,"x0  ",0) (2.000,"x9  ",0) (7,"x0  ",0) (7,"x9  ",0)', 'and of numeric');
SELECT answers('SELECT n, {C} FROM emp GROUP BY n {K}', '(1,40) (2,40)', 'with dp_keep_group as before');
RESET ROLE;
SELECT is(string_agg(gaussdp_internal.one_image(v)::text, '; '), '-1 days; -01:00:00; -1 mons -4 days -14:00:00; 1 mon 1 day 01:00:00; 00:00:00', 'intervals')
FROM (VALUES (interval '1 mon -31 days'), ('1 day -25 hours'), ('-35 days 10:00'), ('31 days 1 hour'), ('1 mon -30 days')) x (v);
SELECT ok(bool_and(gaussdp_internal.one_image(v) = v AND gaussdp_internal.one_image(gaussdp_internal.one_image(v))::text = gaussdp_internal.one_image(v)::text), 'and no interval becomes another')
FROM (SELECT make_interval(months => m, days => d, secs => s) AS v FROM unnest(ARRAY[-2147483647, -13, 0, 1, 2147483647]) m, unnest(ARRAY[-2147483648, -31, 0, 30, 2147483647]) d,
	unnest(ARRAY[-9e12, -86400, -1, 0, 0.5, 86401, 9e12]) s) x;
SELECT is(count(DISTINCT gaussdp_internal.one_image(v)::text), count(DISTINCT v), 'equal intervals look the same')
FROM (SELECT make_interval(months => m, days => d, secs => s) AS v FROM unnest(ARRAY[-2147483647, -1, 0, 1, 2147483647]) m, unnest(ARRAY[-2147483648, -30, 0, 30, 2147483647]) d,
	unnest(ARRAY[-2592000, -86400, 0, 86400, 2592000]) s) x;
SELECT is(gaussdp_internal.one_image('-0'::float8)::text || gaussdp_internal.one_image('-0'::float4)::text, '00', 'zeros');
SELECT is(gaussdp_internal.one_image('NaN'::float8)::text || gaussdp_internal.one_image('-Infinity'::float4)::text, 'NaN-Infinity', 'what is no number');
SELECT is(gaussdp_internal.one_image(1.5::float8), 1.5::float8, 'and others');
SELECT is(gaussdp_internal.one_image(NULL::float8), NULL, 'NULL');
SELECT * FROM finish();
