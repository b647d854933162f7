\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Elements of a person's array as rows of that person: unnest() in FROM or as a group key is answered as for who may read the table, and
-- what is not so is refused.  Their exact sensitivity is in attack/people_paths.sql.
SET client_min_messages = warning;
CREATE ROLE elements_ana;
CREATE TABLE word (word text PRIMARY KEY, meaning text);
INSERT INTO word VALUES ('x', 'X'), ('y', 'Y'), ('nobody''s', 'N');
GRANT SELECT ON word TO elements_ana;
CREATE TABLE person (id int PRIMARY KEY, region text NOT NULL, tags text[], sizes int[], born int, secret text[]);
INSERT INTO person SELECT i, 'r' || i % 3, CASE i % 4 WHEN 0 THEN '{x,y}' WHEN 1 THEN '{x,NULL}' WHEN 2 THEN '{}' END::text[], ARRAY[i % 5, 7], 1950 + i % 50, '{z}' FROM generate_series(1, 4000) i;
CREATE TABLE visit (person int NOT NULL, day int, tags text[]);
INSERT INTO visit SELECT i % 1000, i % 7, '{x,y,z}' FROM generate_series(1, 4000) i;
SELECT gaussdp.protect('person', unit => 'id', max_rows => 4, people => 'all'), gaussdp.protect('visit', unit => 'person', max_rows => 16, people => 'all'), gaussdp.hide_columns('person', '{secret}'),
	gaussdp.grant_budget('elements_ana', t, 1000, 1e-2, default_epsilon => 50, default_delta => 1e-8) FROM (VALUES ('person'::regclass), ('visit')) v (t) WHERE t = 'person'::regclass \g /dev/null
SELECT gaussdp.grant_budget('elements_ana', 'visit', 1000, 1e-2, default_epsilon => 50, default_delta => 1e-8), gaussdp.set_bounds('person', 'born', 1950, 2000) \g /dev/null
SELECT no_plan();

-- Numbers in hundreds.
CREATE FUNCTION answers(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE format('SELECT string_agg(s::text, '' '' ORDER BY s::text COLLATE "C") FROM (%s) s', regexp_replace(query, '(count|avg|sum)\(([^()]*)\)', 'round((\1(\2)) / 100.0)::int', 'g')) INTO found;
	RETURN found;
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS found = PG_EXCEPTION_DETAIL;
	RETURN found;
END $$;
CREATE FUNCTION asked(query text) RETURNS text LANGUAGE plpgsql SET gaussdp.answer_plain_sql = on AS $$
DECLARE
	found text;
BEGIN
	SET LOCAL ROLE elements_ana;
	found := answers(query);
	RESET ROLE;
	RETURN found;
END $$;
SELECT is(asked(query), answers(query), query) FROM (VALUES
	('SELECT tag, count(*) FROM person, unnest(person.tags) AS tag GROUP BY tag'),
	('SELECT tag, count(tag) FROM person p CROSS JOIN unnest(tags) AS t(tag) WHERE born < 1975 AND tag <> ''y'' GROUP BY 1'),
	('SELECT tag, count(*) FROM person p JOIN LATERAL unnest(p.tags) AS t(tag) ON tag > ''x'' GROUP BY 1'),
	('SELECT unnest(tags) AS tag, count(*) FROM person GROUP BY 1'),
	('SELECT region, unnest(tags) AS tag, count(*) FROM person WHERE born > 1960 GROUP BY region, tag'),
	('SELECT w.meaning, count(*) FROM person CROSS JOIN unnest(tags) AS t JOIN word w ON w.word = t GROUP BY 1'),
	('SELECT w.meaning, count(t) FROM word w LEFT JOIN (person p CROSS JOIN unnest(p.tags) AS t) ON w.word = t GROUP BY 1'),
	('SELECT sum(size) FROM person, unnest(sizes) AS size WHERE size BETWEEN 0 AND 9'),
	('SELECT size, avg(born) FROM person, unnest(sizes) AS size GROUP BY size'),
	('SELECT tag, count(*) FROM visit v JOIN person p ON p.id = v.person, unnest(v.tags) AS tag WHERE p.born < 1975 GROUP BY tag'),
	('SELECT tag, size, count(*) FROM person p, unnest(p.tags) AS tag, unnest(p.sizes) AS size GROUP BY tag, size'),
	('WITH t AS (SELECT id, unnest(tags) AS tag FROM person) SELECT tag, count(*) FROM t GROUP BY tag'),
	('SELECT tag, count(*) FROM (SELECT unnest(tags) AS tag, born FROM person) s WHERE born > 1970 GROUP BY tag'),
	('SELECT tag, count(*) FROM (SELECT tags FROM person WHERE born > 1970) s, unnest(s.tags) AS tag GROUP BY tag'),
	('SELECT n, count(*) FROM (SELECT id, count(tag) AS n FROM (SELECT id, unnest(tags) AS tag FROM person) t GROUP BY id) s GROUP BY n'),
	('SELECT tag, count(*) FROM person, unnest(tags) AS tag GROUP BY ROLLUP (tag)')) q (query);

-- An array of more than 64 kB has no elements here.
UPDATE person SET sizes = array_fill(8, ARRAY[20000]) WHERE id <= 1000;
UPDATE person SET sizes = array_fill(8, ARRAY[100]) WHERE id > 1000;
SELECT is(asked('SELECT count(DISTINCT id) FROM person, unnest(sizes) AS size WHERE size = 8'), '(30)', 'a long array has no elements');
-- 10,001 times NULL are 1.3 kB.
UPDATE person SET tags = CASE WHEN id <= 1000 THEN array_fill(NULL::text, ARRAY[10001]) ELSE '{x}' END;
SELECT is(asked('SELECT count(DISTINCT id) FROM person, unnest(tags) AS tag'), '(30)', 'nor has one of very many');
SELECT is(cardinality(gaussdp_internal.at_most(array_fill(NULL::text, ARRAY[100, 100]), 65536)), 10000, 'ten thousand are not too many');

SET ROLE elements_ana;
SELECT alike(hint, '%Each element of an array is a row of its person, who counts as 4 rows at most%', 'that elements are rows is told') FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM person, unnest(sizes) AS size');
SELECT ok(coalesce(hint, '') !~ 'element', 'where there are some') FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM visit');
RESET ROLE;
-- A person's elements count as max_rows at most, which explain_privacy says where it is 1.
SELECT gaussdp.protect('person', unit => 'id', max_rows => 1, people => 'all') \g /dev/null
SELECT is(asked('SELECT count(*) FROM person, unnest(sizes) AS size WHERE size = 8'), '(30)', 'a hundred elements count as one row');
SET ROLE elements_ana;
SELECT alike(concat(reason, hint), '%Each element of an array is a row of its person. A person counts as one row at most%', 'which is told') FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM person, unnest(sizes) AS size');
RESET ROLE;

-- Refused.
SELECT alike(asked(query), like_what, query) FROM (VALUES
	('SELECT tag, count(*) FROM person, unnest(secret) AS tag GROUP BY tag', '%hidden%'),
	('SELECT tag, count(*) FROM person LEFT JOIN unnest(tags) AS tag ON true GROUP BY tag', 'Rule 4 %'),
	('SELECT tag, count(*) FROM person, unnest(tags) WITH ORDINALITY AS t(tag, n) GROUP BY tag', 'Rule 4 %'),
	('SELECT tag, count(*) FROM person, unnest(tags, sizes) AS t(tag, n) GROUP BY tag', 'Rule 4 %'),
	('SELECT unnest(tags), unnest(sizes), count(*) FROM person GROUP BY 1, 2', 'Rule 2 %'),
	('SELECT n, count(*) FROM person, generate_series(1, born) AS n GROUP BY n', 'Rule 4 %'),
	('SELECT tag, count(*) FROM person, unnest(string_to_array(region, ''r'')) AS tag GROUP BY tag', 'Rule 2 %'),
	('SELECT tag, count(*) FROM (SELECT unnest(tags) AS tag, max(born) AS m FROM person GROUP BY id, tags) s GROUP BY tag', '%a function that returns a set%'),
	('SELECT tag, count(*) FROM (SELECT unnest(tags) AS tag, row_number() OVER (PARTITION BY id) AS n FROM person) s GROUP BY tag', '%a function that returns a set%'),
	('SELECT unnest(tags) FROM person', 'Rule 0 %')) q (query, like_what);
SELECT is((SELECT sum(errors)::int FROM gaussdp.budget), 0, 'and none has failed');
SELECT * FROM finish();
DROP TABLE person, visit, word;
DROP OWNED BY elements_ana;
DROP ROLE elements_ana;
