\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- The order in which groups come tells nothing: it is that of the bytes of their keys, whatever the plan, the memory and
-- the order of the public rows.  Released rows can be read again, and backwards.  Outside of a transaction, since the budget
-- must be committed.
SET client_min_messages = warning;
CREATE TABLE word (no int, name text COLLATE "en-x-icu" PRIMARY KEY, kind int);
CREATE TABLE emp (id int PRIMARY KEY, word text COLLATE "en-x-icu", kind int);
INSERT INTO word SELECT row_number() OVER (), name, row_number() OVER () % 3 FROM unnest(
	ARRAY['abcdefgh', 'abcdefghi', 'abcdefg', 'abcdefghB', 'abcdefgha', 'ABCDEFGH', '', 'Z', 'z', 'é', 'zebra', 'ÿÿÿÿ', 'a b', 'a-b', 'ab', 'ab ',
		'longer than eight bytes, 2', 'longer than eight bytes, 10', U&'\+01F600', U&'\FFFD']) name;
INSERT INTO word SELECT 100 + i, 'key ' || (i * 7919) % 5000, i % 3 FROM generate_series(1, 4999) i;
INSERT INTO emp SELECT i, 'abcdefgh', i % 3 FROM generate_series(1, 50) i;
-- public rows that are not stored as they are: a value elsewhere, columns that their rows do not have yet or no longer
CREATE TABLE kinds (kind int PRIMARY KEY, dropped int, page text);
ALTER TABLE kinds ALTER page SET STORAGE EXTERNAL;
INSERT INTO kinds SELECT i, -i, repeat('page ' || i, 5000) FROM generate_series(0, 2) i;
ALTER TABLE kinds DROP COLUMN dropped, ADD COLUMN added text DEFAULT 'as before';
CREATE ROLE order_ana;
GRANT SELECT ON word, kinds TO order_ana;
SELECT gaussdp.protect('emp', unit => 'id'), gaussdp.grant_budget('order_ana', 'emp', epsilon => 500, delta => 1e-3) \g /dev/null
SET client_min_messages = notice;
SELECT plan(14);

CREATE TEMP TABLE got (what text, keys text[]);
GRANT INSERT ON got TO order_ana;
SET ROLE order_ana;
INSERT INTO got SELECT 'few', array_agg(name) FROM
	(SELECT name, dp_count(1, 1e-6) FROM (SELECT name FROM word WHERE no <= 20) w LEFT JOIN emp ON word = name GROUP BY name) s;
INSERT INTO got SELECT 'many', array_agg(name) FROM (SELECT name, dp_count(1, 1e-6) FROM word LEFT JOIN emp ON word = name GROUP BY name) s;
SET work_mem = '64kB';
INSERT INTO got SELECT 'little memory', array_agg(name) FROM (SELECT name, dp_count(1, 1e-6) FROM word LEFT JOIN emp ON word = name GROUP BY name) s;
RESET work_mem;
SET enable_hashagg = off;
INSERT INTO got SELECT 'sorted groups', array_agg(name) FROM (SELECT name, dp_count(1, 1e-6) FROM word LEFT JOIN emp ON word = name GROUP BY name) s;
RESET enable_hashagg;
INSERT INTO got SELECT 'number, text', array_agg(k || ' ' || name) FROM
	(SELECT dp_count(1, 1e-6), w.kind AS k, name FROM word w LEFT JOIN emp ON word = name GROUP BY w.kind, name) s;
INSERT INTO got SELECT 'text, number', array_agg(k || ' ' || name) FROM
	(SELECT dp_count(1, 1e-6), w.kind AS k, name FROM word w LEFT JOIN emp ON word = name GROUP BY name, w.kind) s;
-- a key that is not shown, of which one is NULL
SELECT array_agg(c > 25) AS hidden FROM (SELECT dp_count(8, 1e-6) AS c FROM (VALUES ('b'), ('abcdefgh'), (NULL), ('a')) v (name)
	LEFT JOIN emp ON word = name GROUP BY name) s \gset
-- read again for each row of another relation
SET enable_hashjoin = off;
SET enable_mergejoin = off;
SET enable_material = off;
SELECT count(*) AS again, count(DISTINCT c) AS numbers FROM generate_series(1, 3) g LEFT JOIN
	(SELECT name, dp_count(8, 1e-6) AS c FROM (SELECT name FROM word WHERE no <= 20) w LEFT JOIN emp ON word = name GROUP BY name) s
	ON name = 'abcdefgh' OR g = 0 \gset
RESET enable_hashjoin;
RESET enable_mergejoin;
RESET enable_material;
BEGIN;
DECLARE c SCROLL CURSOR FOR SELECT name FROM
	(SELECT name, dp_count(8, 1e-6) AS c FROM (SELECT name FROM word WHERE no <= 3) w LEFT JOIN emp ON word = name GROUP BY name) s;
FETCH 1 FROM c \gset first_
FETCH 1 FROM c \gset second_
FETCH BACKWARD 1 FROM c \gset back_
FETCH LAST FROM c \gset last_
FETCH FIRST FROM c \gset again_
COMMIT;
SELECT dp_count(8, 1e-6) AS c FROM emp \gset alone_
SELECT string_agg(kind || ' ' || length(page) || ' ' || right(page, 6) || ' ' || added, ', ') AS pages FROM
	(SELECT k.kind, page, added, dp_count(8, 1e-6) FROM kinds k LEFT JOIN emp ON emp.kind = k.kind GROUP BY k.kind, page, added) s \gset
RESET ROLE;

SELECT is((SELECT keys FROM got WHERE what = 'few'), (SELECT array_agg(name ORDER BY name COLLATE "C") FROM word WHERE no <= 20), 'texts come in the order of their bytes');
SELECT is(keys, (SELECT array_agg(name ORDER BY name COLLATE "C") FROM word), what) FROM got WHERE what IN ('many', 'little memory', 'sorted groups') ORDER BY what;
SELECT is((SELECT keys FROM got WHERE what = 'number, text'), (SELECT array_agg(kind || ' ' || name ORDER BY kind, name COLLATE "C") FROM word), 'a number, then a text');
SELECT is((SELECT keys FROM got WHERE what = 'text, number'), (SELECT array_agg(kind || ' ' || name ORDER BY name COLLATE "C") FROM word), 'a text, then a number');
SELECT is(:'hidden'::text, '{f,t,f,f}', 'groups come in the order of a key that is not shown, NULL last');
SELECT is(:again, 3, 'a level is read once for each row of another relation');
SELECT is(:numbers, 1, 'and draws its noise once');
SELECT is(:'first_name'::text, 'abcdefg', 'a cursor begins with the first group');
SELECT is(:'back_name' || ' ' || :'second_name', 'abcdefg abcdefgh', 'goes back from the second to it');
SELECT is(:'last_name' || ' ' || :'again_name', 'abcdefghi abcdefg', 'to the last, and to the first again');
SELECT ok(:alone_c BETWEEN 25 AND 75, 'one row without a key');
SELECT is(:'pages'::text, '0 30000 page 0 as before, 1 30000 page 1 as before, 2 30000 page 2 as before', 'public values that do not stand in their rows');
SELECT finish();
