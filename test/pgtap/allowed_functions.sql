\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Functions of extensions that a superuser declares pure: who may declare which, what is answered then, and what ends the declaration.
SET client_min_messages = warning;
\getenv testlib GAUSSDP_TESTLIB
CREATE EXTENSION citext;
CREATE EXTENSION hstore;
CREATE EXTENSION ltree;
CREATE EXTENSION pg_trgm;
SELECT no_plan();
\getenv testlib GAUSSDP_TESTLIB
CREATE TABLE shop (id int PRIMARY KEY, name citext NOT NULL, facts hstore, path ltree, note text);
INSERT INTO shop SELECT g, CASE g % 2 WHEN 0 THEN 'Anna' ELSE 'ben' END, CASE g % 2 WHEN 0 THEN 'size=>3' ELSE 'size=>x' END::hstore, CASE g % 4 WHEN 0 THEN 'a.b' ELSE 'a' END::ltree, 'word' || g FROM generate_series(1, 4000) g;
CREATE ROLE allowed_ana;
SELECT gaussdp.protect('shop', unit => 'id') \g /dev/null
SELECT gaussdp.grant_budget('allowed_ana', 'shop', epsilon => 500, delta => 1e-3) \g /dev/null
CREATE FUNCTION asked(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n float8; detail text;
BEGIN
	SET LOCAL ROLE allowed_ana;
	EXECUTE format('SELECT dp_count(5, 1e-7) FROM shop WHERE %s', condition) INTO n;
	RESET ROLE;
	RETURN (round(n / 100) * 100)::int;
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN substring(detail FROM '^Rule \d');
END $$;
CREATE TABLE uses (condition text, functions regprocedure[], answer text);
INSERT INTO uses VALUES
	('name = ''ANNA''', '{"citext_eq(citext,citext)"}', '2000'),
	('(facts -> ''size'')::int = 3', '{"fetchval(hstore,text)"}', '2000'),
	('facts ? ''size''', '{"exist(hstore,text)"}', '4000'),
	('path <@ ''a.b''', '{"ltree_risparent(ltree,ltree)"}', '1000'),
	('nlevel(path) = 2', '{"nlevel(ltree)"}', '1000'),
	('subpath(path, 1, 1) = ''b''', '{"subpath(ltree,integer,integer)","ltree_eq(ltree,ltree)"}', '1000'),
	('similarity(note, ''word'') > 0.99 OR word_similarity(''word'', note) > 2', '{"similarity(text,text)","word_similarity(text,text)"}', '0');
SELECT is(asked(condition), 'Rule 2', condition || ' is refused') FROM uses;
SELECT lives_ok(format('SELECT gaussdp.allow_function(%L)', f::text), f::text) FROM (SELECT DISTINCT unnest(functions) FROM uses) f (f);
SELECT is(asked(condition), answer, condition || ' is answered') FROM uses;
-- What fails is NULL, here an offset behind the end of a path.
SELECT is(asked('subpath(path, 2, 1) IS NULL'), '4000', 'where it fails it is NULL');
SELECT is((SELECT count(*) FROM gaussdp.check_policy() WHERE severity = 'notice' AND what ~ 'promises that function'), (SELECT count(DISTINCT f) FROM uses, unnest(functions) f), 'check_policy lists them');

-- Only superusers declare, whoever owns what.
CREATE ROLE allowed_owner;
GRANT CREATE ON SCHEMA public TO allowed_owner;
SET ROLE allowed_owner;
SELECT throws_ok('SELECT gaussdp.allow_function(''nlevel(ltree)'')', '42501', NULL, 'an analyst may not');
SELECT throws_ok('SELECT gaussdp.disallow_function(''nlevel(ltree)'')', '42501', NULL, 'nor take it back');
CREATE FUNCTION own(int) RETURNS int LANGUAGE sql IMMUTABLE STRICT AS 'SELECT 1';
SELECT throws_ok('INSERT INTO gaussdp_internal.allowed_function VALUES (''public.own(integer)'', '''')', '42501', NULL, 'nor write into the table');
RESET ROLE;
-- Which functions.
CREATE FUNCTION owned(ltree) RETURNS int AS '$libdir/ltree', 'nlevel' LANGUAGE C IMMUTABLE STRICT;
CREATE FUNCTION not_strict(ltree) RETURNS int AS '$libdir/ltree', 'nlevel' LANGUAGE C IMMUTABLE;
CREATE FUNCTION stable_one(ltree) RETURNS int AS '$libdir/ltree', 'nlevel' LANGUAGE C STABLE STRICT;
CREATE FUNCTION set_one(ltree) RETURNS int AS '$libdir/ltree', 'nlevel' LANGUAGE C IMMUTABLE STRICT SET work_mem = '1MB';
CREATE FUNCTION definer(ltree) RETURNS int AS '$libdir/ltree', 'nlevel' LANGUAGE C IMMUTABLE STRICT SECURITY DEFINER;
CREATE FUNCTION of_any(anyelement) RETURNS int AS '$libdir/ltree', 'nlevel' LANGUAGE C IMMUTABLE STRICT;
CREATE FUNCTION of_row(shop) RETURNS int AS '$libdir/ltree', 'nlevel' LANGUAGE C IMMUTABLE STRICT;
ALTER FUNCTION owned OWNER TO allowed_owner;
SELECT throws_ok(format('SELECT gaussdp.allow_function(%L)', f), '22023', NULL, f) FROM unnest('{own(int),owned(ltree),not_strict(ltree),stable_one(ltree),set_one(ltree),definer(ltree),of_any(anyelement),of_row(shop),each(hstore),sqrt(float8),max(citext)}'::text[]) f;
SELECT throws_ok('SELECT gaussdp.allow_function(NULL)', '22004', NULL, 'NULL is no function');
-- It may call no other than what has been declared, by its signature.
SELECT is(asked('name < ''b'''), 'Rule 2', 'another function of the extension');
SELECT is(asked('array_append(ARRAY[name], name) IS NULL'), 'Rule 2', 'a type of an extension in a function for any type');

-- What has been replaced is what nobody has declared; so is what has changed its owner or its volatility.
CREATE FUNCTION mine(ltree) RETURNS int AS '$libdir/ltree', 'nlevel' LANGUAGE C IMMUTABLE STRICT;
SELECT gaussdp.allow_function('mine(ltree)') \g /dev/null
SELECT is(asked('mine(path) = 2'), '1000', 'a function of nobody''s extension');
CREATE FUNCTION traps(ltree) RETURNS int AS :'testlib', 'test_traps' LANGUAGE C IMMUTABLE STRICT;
SELECT gaussdp.allow_function('traps(ltree)') \g /dev/null
SELECT is(asked('traps(path) IS NULL'), '4000', 'an error that the processor traps is NULL for each row');
PREPARE again AS SELECT dp_count(5, 1e-7) FROM shop WHERE mine(path) = 2;
GRANT SELECT ON uses TO allowed_ana;
SET ROLE allowed_ana;
SELECT lives_ok('EXECUTE again', 'prepared');
RESET ROLE;
CREATE OR REPLACE FUNCTION mine(ltree) RETURNS int AS '$libdir/citext', 'citext_hash' LANGUAGE C IMMUTABLE STRICT;
SELECT is(asked('mine(path) = 2'), 'Rule 2', 'replaced');
SET ROLE allowed_ana;
SELECT throws_ok('EXECUTE again', '42501', NULL, 'replaced, behind a prepared statement');
RESET ROLE;
SELECT ok(EXISTS (SELECT FROM gaussdp.check_policy() WHERE severity = 'warning' AND what = 'function public.mine(public.ltree) is declared pure, and not used: it has been replaced since it was declared'), 'check_policy says so');
SELECT gaussdp.allow_function('mine(ltree)') \g /dev/null
SELECT isnt(asked('mine(path) = 2'), 'Rule 2', 'declared again');
ALTER FUNCTION mine OWNER TO allowed_owner;
SELECT is(asked('mine(path) = 2'), 'Rule 2', 'of another owner');
ALTER FUNCTION mine OWNER TO CURRENT_USER;
ALTER FUNCTION mine STABLE;
SELECT is(asked('mine(path) = 2'), 'Rule 2', 'not IMMUTABLE');
ALTER FUNCTION mine IMMUTABLE;
SELECT gaussdp.disallow_function('mine(ltree)') \g /dev/null
SELECT is(asked('mine(path) = 2'), 'Rule 2', 'taken back');
SELECT gaussdp.disallow_function('nlevel(ltree)') \g /dev/null
SELECT is(asked('nlevel(path) = 2'), 'Rule 2', 'taken back of a function of an extension');
DROP EXTENSION citext CASCADE;
SELECT ok(EXISTS (SELECT FROM gaussdp.check_policy() WHERE severity = 'warning' AND what = 'function public.citext_eq(public.citext,public.citext) is declared pure, and not used: it does not exist'), 'one that has been dropped');
SELECT * FROM finish();
DROP OWNED BY allowed_ana, allowed_owner;
DROP ROLE allowed_ana, allowed_owner;
