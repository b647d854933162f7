\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Operators of arrays and documents that are written out by others (policy/rewrite/spelled.c): of each kind of value the analyst counts as many rows
-- as PostgreSQL does.  Outside of a transaction, since the budget must be committed.  There are 100 rows of each value, and noise is below 10.
SET client_min_messages = warning;
CREATE TABLE basket (id serial PRIMARY KEY, tags text[], numbers int[], data jsonb);
INSERT INTO basket (tags, numbers, data)
SELECT tags::text[], replace(replace(replace(tags, 'a', '1'), 'b', '2'), 'c', '3')::int[], data::jsonb
FROM (VALUES (NULL, NULL), ('{}', '{}'), ('{a}', '{"a": {"b": "x", "0": "key"}}'), ('{a,b}', '{"a": ["x", "y"]}'), ('{b,a}', '{"a": {"b": null}, "0": 5}'), ('{a,b,c}', '["x", ["y", {"b": "x"}]]'),
	('{NULL}', '"x"'), ('{a,NULL}', 'null'), ('[0:1]={a,b}', '{"a": "x"}'), ('{{a,b}}', '{"a": {"b": {"b": "x"}}}'), ('{{a},{b}}', '{"a": {"b": ["x"]}}'), ('{a,a}', '5')) v (tags, data), generate_series(1, 100);
CREATE ROLE spelled_ana;
DO $$BEGIN PERFORM gaussdp.protect('basket', unit => 'id'), gaussdp.grant_budget('spelled_ana', 'basket', epsilon => 500, delta => 1e-3); END$$;
CREATE FUNCTION counts(condition text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	truly int;
	answer int;
BEGIN
	EXECUTE format('SELECT count(*) / 100 FROM basket WHERE %s', condition) INTO truly;
	PERFORM set_config('role', 'spelled_ana', true);
	EXECUTE format('SELECT round(dp_count(5, 1e-6) / 100.0) FROM basket WHERE %s', condition) INTO answer;
	PERFORM set_config('role', 'none', true);
	RETURN NEXT is(answer, truly, condition);
END $$;
SELECT no_plan();
SELECT counts(format(f, format('%s %s %L', c, o, v))) FROM (VALUES ('tags', 'a', 'b'), ('numbers', '1', '2')) k (c, a, b), unnest('{@>,&&,=,<>}'::text[]) o, unnest(ARRAY['{}', format('{%s}', a), format('{%s,%s}', a, b), format('{%s,%s}', b, a)]) v,
	unnest('{%s,NOT %s,(%s) IS NULL}'::text[]) f;
SELECT counts(c) FROM unnest(ARRAY['ARRAY[''a'', ''b''] && tags', 'ARRAY[''a'', ''b'']::text[] = tags', 'tags @> ARRAY[''b''] AND NOT numbers @> ARRAY[3]', 'CASE WHEN tags && ''{c}'' THEN data IS NOT NULL ELSE tags = ''{a}'' END']) c;
SELECT counts(format('data #>> %L = %L', p, v)) FROM unnest('{"{a}","{a,b}","{a,b,b}","{0}","{a,0}","{a,1}","{1,1,b}","{a,-1}","{1,0}"}'::text[]) p, unnest('{x,key}'::text[]) v;
SELECT counts(format('(data #> %L) IS NOT NULL', p)) FROM unnest('{"{a}","{a,b}","{0}","{a,0}","{00}","{1,1,b}","{a,-1}","{-1,-1}","{a,b,0}"}'::text[]) p;
SELECT counts(c) FROM unnest(ARRAY['jsonb_extract_path_text(data, ''a'', ''b'') = ''x''', 'jsonb_extract_path(data, ''a'', ''b'') IS NOT NULL', 'data #> ''{a,b}'' = ''"x"''']) c;
-- As keys and values, and within a query of people.
SET ROLE spelled_ana;
SELECT ok(n BETWEEN 90 AND 110, 'of a person''s rows') FROM (SELECT dp_count(5, 1e-6) AS n FROM (SELECT id, count(*) AS m FROM basket WHERE tags = '{a,a}' GROUP BY id) s WHERE m = 1) t;
-- What is not written out keeps its refusal.
SELECT throws_ok(format('SELECT dp_count(5, 1e-6) FROM basket WHERE %s', c), '42501', NULL, c)
FROM unnest(ARRAY['tags @> ARRAY[''a'', NULL]', 'tags <@ ''{a}''', 'tags = ''{{a,b}}''', 'tags @> tags', 'tags = ''[0:1]={a,b}''', 'data #>> ARRAY[tags[1]] = ''x''', 'data #>> ''{1,1,1}'' = ''x''', 'CASE WHEN tags @> ''{a}'' THEN tags END @> ''{b}''',
	'(data #> ''{a}'') #> ''{0}'' #>> ''{b}'' = ''x''']) c; -- what is computed would be copied, again and again
RESET ROLE;
SELECT is((SELECT sum(errors)::int FROM gaussdp.budget WHERE paid_by = 'spelled_ana'), 0, 'and none of them has failed');
SELECT * FROM finish();
DROP OWNED BY spelled_ana;
DROP ROLE spelled_ana;
