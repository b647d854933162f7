\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A value, an array or a row that is too large for PostgreSQL's 1 GB is an error, and one that tells of a row where that row's values make
-- it: what is computed of a row is bounded, each value and all of them together, whatever the stored values are.
SET client_min_messages = warning;
\set ana errors_widths_ana
\ir ../module/neighbours.sql
SELECT no_plan();
-- The longest numeric, a text of which trim() would need more memory than there is (8 bytes for each letter), and 13 MB in text, document and
-- array, of which 88 would make a row longer than 1 GB.
ALTER TABLE hr.one ADD long text DEFAULT 'x';
ALTER TABLE hr.none ADD long text DEFAULT 'x';
SET default_toast_compression = lz4;
INSERT INTO hr.one SELECT 7, 0.5, 0.5, repeat('9', 131071)::numeric, 1, '2020-07-15', repeat('x', 20), text, jsonb_build_object('a', text), ARRAY[text],
    repeat('x', 12000000) FROM (SELECT repeat('x', 13000000) AS text OFFSET 0) t;

\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION leave_memory(megabytes int) RETURNS void LANGUAGE C AS :'testlib', 'test_leave_memory';
-- One function of a stored text.
SELECT leave_memory(80) \g /dev/null
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM {T} WHERE ' || condition) FROM unnest(ARRAY[
    'trim(long) = ''x''', 'ltrim(long) = ''x''', 'rtrim(long) = ''x''', 'lower(trim(long)) = ''x''', 'trim(coalesce(long, name)) = ''x''', 'left(long, 3) = ''xxx''',
    'trim(CASE WHEN id > 5 THEN long END) = ''x''', 'trim(greatest(long, name)) = ''x''', 'trim(split_part(long, ''y'', 1)) = ''x''', 'substr(long, 5, 2) = ''xx''',
    'lower(note) = ''x''', 'upper(note) = ''X''', 'initcap(note) = ''X''', 'note ILIKE ''x''', 'note NOT ILIKE ''x%y%''', 'lower(substr(note, 3)) = ''x''',
    'trim(left(note, -1)) = ''x''', 'upper(right(note, -1)) = ''X''', 'right(note, 3) = ''xxx''', 'split_part(note, ''y'', 2) = ''''',
    'lower(data ->> ''a'') = ''x''', 'data ->> ''a'' = ''x''', 'lower(tags[1]) = ''x''', 'length(data ->> ''a'') > 1',
    'length(note) > 1', 'note LIKE ''x%y%''', 'note < ''x''', 'note IN (''x'', ''y'')', 'position(''y'' IN note) > 0', 'starts_with(note, ''y'')',
    'data -> ''a'' IS NULL', 'n::text = ''x''', 'lower(n::text) = ''x''', 'lower(name) = ''x''', 'name || left(note, 10) = ''x''']) condition;

SELECT leave_memory(NULL) \g /dev/null
-- Numbers and texts that are put together to one value.
SELECT is_told_alike('R', format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE cardinality(ARRAY[%s]) > 1', (SELECT string_agg('n', ', ') FROM generate_series(1, 15000))));
SELECT is_told_alike('R', format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE 1 = ANY (ARRAY[%s])', (SELECT string_agg('n', ', ') FROM generate_series(1, 15000))));
SELECT is_told_alike('R', 'SELECT dp_count(0.001, 1e-9) FROM {T} WHERE cardinality(ARRAY[note, note, note, note]) > 1');
SELECT is_told_alike('R', 'SELECT dp_count(0.001, 1e-9) FROM {T} WHERE cardinality(ARRAY[data, data]) > 1');
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM {T} WHERE note || note || note || note = ''x''');
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM {T} WHERE 0.5 IN (n, f8::numeric)');
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM {T} WHERE cardinality(ARRAY[n, n]) > 1');
-- By to_char a short constant grows twelvefold.
SELECT is_told_alike(verdict, format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE to_char(at, %L) = ''x''', repeat('Month', n)))
FROM (VALUES ('A', 200), ('R', 201)) f (verdict, n);
SELECT is_told_alike(verdict, format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE trim(%s) = ''x''',
    (SELECT string_agg(format('to_char(at, %L)', repeat('Month', 200)), ' || ') FROM generate_series(1, n))))
FROM (VALUES ('A', 80), ('A', 90)) f (verdict, n);
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE trim(%s) = ''x''',
    (SELECT string_agg('left(note, 32000)', ' || ') FROM generate_series(1, 300))));
-- Other letters may take three times the room.
SELECT is_told_alike(verdict, format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE trim(%s(%s)) = ''x''', f, (SELECT string_agg('left(note, 30000)', ' || ') FROM generate_series(1, n))))
FROM (VALUES ('A', 2), ('R', 3)) v (verdict, n), unnest('{lower,upper,initcap}'::text[]) f;
-- What is known of one part of a large expression is known of no other part.
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE trim(%s) = ''x''',
    (SELECT string_agg('left(note, 100)', ' || ') FROM generate_series(1, n)))) FROM generate_series(80, 120, 5) n;

-- Values of one row together: keys, conditions of a merge join, what sorts a call's values, columns of a sub-select.
CREATE FUNCTION many(template text, n int, glue text = ', ') RETURNS text LANGUAGE sql AS
    $$ SELECT string_agg(replace(template, '#', i::text), glue) FROM generate_series(1, n) i $$;
SELECT is_told_alike(verdict, format('SELECT dp_count(0.001, 1e-9) FROM {T} GROUP BY %s HAVING dp_keep_group(0.01, 1e-8)', many(key, 88)))
FROM (VALUES ('A', 'substr(note, # + 1)'), ('A', 'substr(tags[1], #)'), ('A', 'left(note, -#)'), 
    ('A', 'left(note, 5) || #::text')) k (verdict, key);
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM {T} GROUP BY data ->> ''a'', name, lower(note) HAVING dp_keep_group(0.01, 1e-8)');
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} a JOIN {T} b ON a.id = b.id AND %s', many('substr(a.note, #) = substr(b.note, #)', 88, ' AND ')));
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM (SELECT id, %s FROM {T} GROUP BY id) s', many('max(substr(note, #)) AS c#', 88)));
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM (SELECT id, max(note) AS a, min(note) AS b, max(lower(note)) AS c, min(name || name) AS d FROM {T} GROUP BY id) s WHERE a > b');
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM (SELECT id, %s, row_number() OVER (PARTITION BY id ORDER BY i) AS r FROM {T}) s WHERE r = 1', many('substr(note, #) AS c#', 88)));
-- What one row computes has a limit together: sides of a join's comparisons, columns of a sub-select.
SELECT is_told_alike(verdict, format('SELECT dp_count(0.001, 1e-9) FROM {T} a JOIN {T} b ON a.id = b.id AND %s', many('left(a.note, #) || left(a.note, 50000) = left(b.note, 200000)', n, ' AND ')))
FROM (VALUES ('A', 60), ('R', 150)) n (verdict, n);
SELECT is_told_alike(verdict, format('SELECT dp_count(0.001, 1e-9) FROM (SELECT id, %s FROM {T} GROUP BY id) s', many('max(note) AS c#', n)))
FROM (VALUES ('A', 1000), ('R', 1500)) n (verdict, n);
-- PostgreSQL sorts no row of more than 1,664 columns.
SET enable_hashjoin = off;
SET enable_nestloop = off;
SELECT is_told_alike(verdict, format('SELECT dp_count(0.001, 1e-9) FROM (SELECT id, %s FROM {T} GROUP BY id, i) s JOIN (SELECT id, %s FROM {T} GROUP BY id, i) t USING (id)
    JOIN {T} u ON u.id = s.id AND u.i = s.c1 + t.d1 WHERE greatest(%s, %s, u.i) > 0', many('max(i + #) AS c#', n), many('max(i + #) AS d#', n), many('c#', n), many('d#', n)))
FROM (VALUES ('A', 740), ('R', 835)) n (verdict, n);
RESET enable_hashjoin;
RESET enable_nestloop;
-- A document, or an array, that is computed has no bound.
SELECT is_told_alike('R', format('SELECT dp_count(0.001, 1e-9) FROM (SELECT id, %s, row_number() OVER (PARTITION BY id ORDER BY i) AS r FROM {T}) s WHERE r = 1', many('data -> ''a'' AS c#', 88)));
-- Rows that are equals are told apart by hashes of what the query reads of them, however long that is.
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM (SELECT id, data, tags, row_number() OVER (PARTITION BY id ORDER BY i) AS r FROM {T}) s WHERE r = 1');
SELECT is_told_alike('R', format('SELECT dp_count(0.001, 1e-9) FROM {T} GROUP BY %s HAVING dp_keep_group(0.01, 1e-8)', many('repeat(''#'', 100000) || left(note, 30000)', 88)));
-- A public column is not as short as its type says: a cast of the analyst's own gives char(3) any text, and CREATE TABLE AS keeps it.
CREATE SCHEMA own;
GRANT CREATE, USAGE ON SCHEMA own TO :ana;
SET ROLE :ana;
CREATE TYPE own.letter AS ENUM ('x');
CREATE FUNCTION own.longer(own.letter, int) RETURNS bpchar LANGUAGE plpgsql AS 'BEGIN RETURN repeat(''x'', 131000); END';
CREATE CAST (own.letter AS bpchar) WITH FUNCTION own.longer(own.letter, int);
CREATE TABLE own.words AS SELECT 1 AS i, 'x'::own.letter::char(3) AS word;
ALTER TABLE own.words ADD PRIMARY KEY (i);
RESET ROLE;
SELECT is((SELECT format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'own.words'::regclass AND attname = 'word'), 'character(3)', 'three letters, it says');
SELECT is_told_alike('R', format('SELECT dp_count(0.001, 1e-9) FROM {T} JOIN own.words USING (i) WHERE CASE WHEN id = 7 THEN cardinality(ARRAY[%s]) END > 1', many('word', 8300)));
-- Hashed by a collation that takes different texts for equal, a long text is copied, two bytes a letter and more.
CREATE COLLATION either_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
UPDATE hr.one SET long = repeat('x', 30000000) WHERE id = 7;
SELECT leave_memory(80) \g /dev/null
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM {T}' || rest) FROM unnest(ARRAY[
    ' WHERE long COLLATE either_case IN (''a'', ''b'', ''c'', ''d'', ''e'', ''f'', ''g'', ''h'', ''i'', ''j'')', ' WHERE long COLLATE either_case = ''a''',
    ' JOIN (VALUES (''a'' COLLATE either_case), (''b'')) v (word) ON word = long']) rest;
SELECT leave_memory(NULL) \g /dev/null
-- A column of a sub-select is a value, not a pointer to a stored one: 1,100 times the same 1 MB are no row.
SELECT is_told_alike('R', format('SELECT dp_count(0.001, 1e-9) FILTER (WHERE %s)
    FROM (SELECT id, %s, row_number() OVER (PARTITION BY id ORDER BY r) AS r2
    FROM (SELECT id, %s, row_number() OVER (PARTITION BY id ORDER BY id) AS r
    FROM (SELECT id, max(CASE WHEN id = 7 THEN %s ELSE name END) AS c FROM {T} GROUP BY id) a) b) c',
    many('length(c#) > r2', 1100, ' OR '), many('c#', 1100), many('c AS c#', 1100),
    (SELECT string_agg(quote_literal(repeat('x', 129000)) || ' || name', ' || ') FROM generate_series(1, 8))));
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FILTER (WHERE %s) FROM (SELECT id, %s, row_number() OVER (PARTITION BY id ORDER BY id) AS r
    FROM (SELECT id, max(lower(note)) AS c FROM {T} GROUP BY id) a) b', many('length(c#) > r', 50, ' OR '), many('c AS c#', 50)));
-- What is known of a text is never taken for what is known of another one, wherever they stand in memory: none of many queries passes.
SELECT is((SELECT count(*) FILTER (WHERE told(format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE %s OR cardinality(ARRAY[long, long]) > 2',
    many('name || ''#'' || ''a'' || ''b'' || ''c'' = ''x''', n, ' OR ')), 'hr.none') NOT LIKE '42501%') FROM generate_series(10, 60) n, generate_series(1, 2) try), 0::int8,
    'an array of long texts beside short ones');
SELECT is((SELECT sum(errors)::int FROM gaussdp.budget WHERE paid_by = :'ana'), 0, 'and none of them has failed');
SELECT * FROM finish();
DROP SCHEMA own CASCADE;
DROP OWNED BY :ana;
DROP ROLE :ana;
