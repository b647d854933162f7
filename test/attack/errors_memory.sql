\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Whether there is memory for a row tells of the row, by an error or by the end of the server: what a row can take is limited, however often
-- a query reads the same long value of it.
SET client_min_messages = warning;
\set ana errors_memory_ana
\ir ../module/neighbours.sql
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION leave_memory(megabytes int) RETURNS void LANGUAGE C AS :'testlib', 'test_leave_memory';
CREATE FUNCTION long_text(letters int) RETURNS text LANGUAGE C AS :'testlib', 'test_long_text';
SELECT no_plan();
-- 2 MB in text, document and array.
ALTER TABLE hr.one ADD fixed char(10000), ADD bytes bytea, ADD huge text, ADD blank bpchar;
ALTER TABLE hr.none ADD fixed char(10000), ADD bytes bytea, ADD huge text, ADD blank bpchar;
SET default_toast_compression = lz4;
UPDATE hr.one SET huge = 'y', blank = 'y';
UPDATE hr.none SET huge = 'y', blank = 'y';
INSERT INTO hr.one SELECT 7, 0.5, 0.5, repeat('9', 131071)::numeric, 1, '2020-07-15', repeat('x', 20), text, jsonb_build_object('a', text, 'b', jsonb_build_object('c', text)), array_fill('x'::text, ARRAY[400000]) || text, 'x', text::bytea, long_text(270000000), long_text(270000000)::bpchar
    FROM (SELECT repeat('x', 2000000) AS text OFFSET 0) t;
CREATE FUNCTION many(template text, n int, glue text = ' OR ') RETURNS text LANGUAGE sql AS
    $$ SELECT string_agg(replace(template, '#', i::text), glue) FROM generate_series(1, n) i $$;

-- One use of each is answered in that much memory, and so are 40.  In each place in which a plan computes something of a row.
SET work_mem = '64kB'; -- of which a level asks for several
SELECT leave_memory(75) \g /dev/null
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE %s', many(use, 40)))
FROM unnest(ARRAY['length(note) = #', 'note LIKE ''y%#''', 'note > ''y#''', 'note BETWEEN ''a#'' AND ''b''', 'position(''y#'' IN note) > 0', 'starts_with(note, ''y#'')', 'data ->> ''a'' = ''#''', 'data ->> ''a#'' = ''1''',
    'data -> ''b'' ->> ''c'' = ''#''', 'length(data ->> ''a'') = #', 'jsonb_typeof(data -> ''b'') = ''#''', 'data -> ''b'' ? ''#''', 'data @> ''{"a": "#"}''', 'data -> ''b'' @> ''{"c": "#"}''', 'cardinality(tags) = #', 'tags[#] = ''y''', '''y#'' = ANY (tags)', 'tags[400001] = ''#''',
    'coalesce(note, name) LIKE ''y#''', 'CASE WHEN id > 0 THEN note ELSE name END LIKE ''y#''', 'left(note, -#) = ''y''', 'lower(note) = ''y#''', 'note = repeat(''x'', 100000) || ''#''', 'greatest(note, name) LIKE ''y#''',
    'CASE note WHEN ''#'' THEN true END', 'CASE WHEN data ->> ''a'' LIKE ''y#'' THEN note END LIKE ''y''', '(data -> ''b'') - ''c'' = ''{"#": 1}''', 'sqrt(length(note)) = #', 'nullif(note, ''#'') LIKE ''y''', 'bytes > ''#''', 'fixed LIKE ''#y''', 'note IS DISTINCT FROM ''x'' || length(note)::text']) use;
-- What is longer than may be read is NULL.
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM {T} WHERE ' || use) FROM unnest(ARRAY['length(huge) > 0', 'huge > ''y''', 'huge LIKE ''y''', 'coalesce(huge, note) = coalesce(huge, name)', 'greatest(huge, note) = note', 'left(huge, 3) = ''xxx''',
    'blank = ''y''', 'blank <> ''y''', 'blank IS DISTINCT FROM ''y''', 'nullif(blank, ''y'') IS NULL', 'CASE blank WHEN ''y'' THEN true END', 'blank = huge', 'huge = ''y''', 'huge IN (''a'', ''b'', ''c'', ''d'', ''e'', ''f'', ''g'', ''h'', ''i'', ''j'')']) use;
SELECT is_told_alike('A', 'SELECT dp_count(0.001, 1e-9) FROM (SELECT id, huge, row_number() OVER (PARTITION BY id ORDER BY i) AS r FROM {T}) s WHERE r = 1 AND length(huge) > 0');
-- What rows are grouped, sorted and joined by is read whole: it is NULL from 64 kB on.
SELECT is_told_alike('A', query) FROM unnest(ARRAY['SELECT dp_count(0.001, 1e-9) FROM {T} GROUP BY huge HAVING dp_keep_group(0.01, 1e-8)', 'SELECT dp_count(0.001, 1e-9) FROM {T} GROUP BY coalesce(huge, note), fixed HAVING dp_keep_group(0.01, 1e-8)',
    'SELECT dp_count(DISTINCT huge, 0.001, 1e-9) FROM {T}', 'SELECT dp_count(0.001, 1e-9) FROM {T} a JOIN {T} b ON a.id = b.id AND a.huge = b.huge', 'SELECT dp_count(0.001, 1e-9) FROM {T} JOIN (VALUES (''a''), (''b'')) v (word) ON word = huge',
    'SELECT dp_count(0.001, 1e-9) FROM (SELECT id, huge, count(*) AS c FROM {T} GROUP BY id, huge) s WHERE c > 0',
    'SELECT dp_count(0.001, 1e-9) FROM (SELECT id, rank() OVER (PARTITION BY id ORDER BY huge, note) AS r FROM {T}) s WHERE r = 1', 'SELECT dp_count(0.001, 1e-9) FROM (SELECT id, row_number() OVER (PARTITION BY id, huge ORDER BY bytes) AS r FROM {T}) s WHERE r = 1']) query;
SELECT is_told_alike('A', format('SELECT %s FROM {T}', many('dp_count(0.001, 1e-9) FILTER (WHERE length(note) = #)', 50, ', ')));
SELECT is_told_alike('A', format('SELECT %s FROM {T}', many('dp_sum(length(note) + #, 0.001, 1e-9, 0, 1)', 50, ', ')));
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} GROUP BY %s HAVING dp_keep_group(0.01, 1e-8)', many('length(note) - #', 50, ', ')));
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} a JOIN {T} b ON a.id = b.id AND %s', many('length(a.note) + # = length(b.note) + #', 50, ' AND ')));
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} a JOIN {T} b ON a.id = b.id AND (%s)', many('length(a.note) < length(b.data ->> ''a'') + #', 40)));
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM (SELECT id, %s FROM {T} GROUP BY id) s WHERE greatest(%s) > 0', many('max(length(note) + #) AS c#', 50, ', '), many('c#', 50, ', ')));
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM (SELECT id, %s, row_number() OVER (PARTITION BY id ORDER BY i) AS r FROM {T}) s WHERE r = 1 AND greatest(%s) > 0', many('length(note) + # AS c#', 50, ', '), many('c#', 50, ', ')));
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM (SELECT id, note, data, row_number() OVER (PARTITION BY id ORDER BY note, i) AS r FROM {T}) s WHERE r = 1 AND (%s)', many('length(note) = # OR data ->> ''a'' < ''#''', 40)));
SELECT is_told_alike('A', format('SELECT dp_count(0.001, 1e-9) FROM {T} a WHERE EXISTS (SELECT FROM {T} b WHERE a.id = b.id AND (%s))', many('length(b.note) = #', 40)));
-- Values of one row that are computed have a limit together, too: numbers and texts.
SELECT is_told_alike(verdict, format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE %s', many(use, n)))
FROM (VALUES ('A', 300, 'abs(n) < #'), ('R', 4000, 'abs(n) < #'), ('A', 100, 'lower(note) = ''#'''), ('R', 1500, 'lower(note) = ''#'''), ('A', 4000, 'n < #')) v (verdict, n, use);
SELECT is_told_alike(verdict, format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE %s = ''x''', many('left(note, 30)', n, ' || ')))
FROM (VALUES ('A', 500), ('R', 5000)) v (verdict, n);
SELECT leave_memory(NULL) \g /dev/null
-- How much memory a level takes depends on rows: a role does not choose how much it may be.  The noise has a spread below 1.
CREATE FUNCTION has_memory(int, int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE C AS :'testlib', 'test_has_memory';
SET ROLE :ana;
SET work_mem = '1GB';
SET hash_mem_multiplier = 1000;
SELECT dp_count(20, 1e-3) AS limited FROM hr.one WHERE has_memory(id, 65536) \gset
SET work_mem = '1MB';
SELECT dp_count(20, 1e-3) AS chosen FROM hr.one WHERE has_memory(id, 1024) \gset
RESET ROLE;
SELECT ok(:limited BETWEEN 5 AND 13, 'work_mem is limited in a level');
SELECT ok(:chosen BETWEEN 5 AND 13, 'and may be less');
SELECT is((SELECT sum(errors)::int FROM gaussdp.budget WHERE paid_by = :'ana'), 0, 'and none of them has failed');
SELECT * FROM finish();
DROP OWNED BY :ana;
DROP ROLE :ana;
