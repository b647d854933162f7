\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A "char" is any byte: a text made of it may be none of the encoding, on which functions fail that fail on no text, or have a zero byte, by which
-- texts are equal in one way and different in another.  No such text is computed of a row, nor stands beside one.
SET client_min_messages = warning;
\set ana errors_encoding_ana
\ir ../module/neighbours.sql
SELECT no_plan();
INSERT INTO hr.one SELECT 7, f8, f4, n, i, at, name, note, data, tags FROM hr.one WHERE id = 1;
GRANT CREATE ON SCHEMA hr TO :ana;
SET ROLE :ana;
CREATE TABLE hr.bad AS SELECT k, "char"(-61)::bpchar AS c, "char"(-61)::text || 'x' AS t, ARRAY['x', "char"(0)::bpchar::text || k] AS a, to_jsonb("char"(-61)::text) AS j,
	"char"(0)::bpchar::text || chr(96 + k) AS nul FROM generate_series(1, 2) AS k;
ALTER TABLE hr.bad ADD PRIMARY KEY (k);
RESET ROLE;

-- The same is told of both tables, an answer or a refusal before any row.
CREATE FUNCTION tells_nothing(query text) RETURNS SETOF text LANGUAGE sql AS $$
	SELECT is(told(query, 'hr.one'), told(query, 'hr.none'), query) || E'\n' || matches(told(query, 'hr.one'), '^(answered|42501|22021)', '... before any row') $$;
SELECT tells_nothing(format('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE CASE WHEN id = 7 THEN %s END', condition)) FROM unnest(ARRAY[
	'length("char"(-61 + 0 * i)::bpchar::text) > 0', 'lower("char"(-61 + 0 * i)::text) = ''x''', 'left("char"(-61 + 0 * i)::bpchar || name, 1) = ''x''',
	'length(("char"(-61 + 0 * i))::varchar) > 0', 'length(CASE WHEN i > 0 THEN "char"(-61)::bpchar ELSE ''a'' END) > 0', 'length(CASE WHEN i > 0 THEN "char"(-61)::text ELSE ''a'' END) > 0',
	'upper((ARRAY["char"(-61)::text])[i]) = ''X''', 'length(to_jsonb("char"(-61)::text) #>> ''{}'') > i', 'name || "char"(-61)::text LIKE ''_x''']) AS condition;
SELECT tells_nothing(format('SELECT dp_count(0.001, 1e-9) FROM {T} JOIN hr.bad ON k = i WHERE CASE WHEN id = 7 THEN %s END', condition)) FROM unnest(ARRAY[
	'length(c) > 0', 'lower(t) = ''x''', 'length(a[2]) > 0', 'length(j #>> ''{}'') > 0', 'left(nul, 1) = ''x''']) AS condition;
-- How many groups are shown: two of the public rows, and one that is found however small the noise.
CREATE FUNCTION groups(query text, relation text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n int;
BEGIN
	EXECUTE format('SET LOCAL ROLE %I', current_setting('test.ana'));
	SET LOCAL enable_hashagg = off;
	EXECUTE replace(query, '{T}', relation);
	GET DIAGNOSTICS n = ROW_COUNT;
	RETURN n;
EXCEPTION WHEN insufficient_privilege OR character_not_in_repertoire THEN
	RETURN 'refused';
END $$;
SELECT is(groups(query, 'hr.one'), groups(query, 'hr.none'), query) FROM unnest(ARRAY[
	'SELECT nul, dp_count(id, 0.001, 1e-9) FROM hr.bad LEFT JOIN {T} ON k = CASE WHEN id = 4 THEN 2 WHEN id = 7 THEN 2 ELSE 1 END GROUP BY 1',
	'SELECT "char"(0 * i)::bpchar::text || CASE WHEN id = 7 THEN ''b'' ELSE ''a'' END AS k, dp_count(40, 1e-3) FROM {T} GROUP BY 1 HAVING dp_keep_group(40, 1e-3)',
	'SELECT CASE WHEN id = 7 THEN "char"(0)::bpchar::text || ''b'' ELSE "char"(0)::bpchar::text || ''a'' END AS k, dp_count(40, 1e-3) FROM {T} GROUP BY 1 HAVING dp_keep_group(40, 1e-3)']) AS query;

-- Of inputs, too, that come as values.
SELECT tells_nothing('SELECT dp_count(0.001, 1e-9) FROM {T} WHERE CASE WHEN id = 7 THEN length((SELECT t FROM hr.bad WHERE k = 1)) > 0 END');
CREATE FUNCTION by_parameter(relation text, value text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE format('SELECT dp_count(0.001, 1e-9) FROM %s WHERE CASE WHEN id = 7 THEN lower(name || $1) > name END', relation) USING value;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;
SET ROLE :ana;
SELECT is(by_parameter('hr.one', value), by_parameter('hr.none', value), 'a parameter: ' || what) FROM (VALUES ("char"(-61)::text, 'a byte'), (U&'\00DF', 'a letter')) AS v (value, what);
SELECT is(by_parameter('hr.one', U&'\00DF'), 'answered', 'which is a text otherwise');
SELECT is(by_parameter('hr.one', "char"(0)::bpchar::text), '22021', 'and a zero byte is none');

-- What evaluates expressions of a level takes no tree that the planner would have to complete.
CREATE TABLE hr.defaults (a interval DEFAULT make_interval(1), b text DEFAULT format('x'));
CREATE FUNCTION hr.tree(name) RETURNS pg_node_tree IMMUTABLE LANGUAGE sql AS $$SELECT adbin FROM pg_attrdef JOIN pg_attribute ON attrelid = adrelid AND attnum = adnum WHERE attrelid = 'hr.defaults'::regclass AND attname = $1$$;
SELECT throws_ok($$SELECT gaussdp_internal.alone(NULL::interval, hr.tree('a'), 1)$$, '22023', 'the expression is none that may be evaluated alone', 'a call whose other arguments are defaults');
SELECT throws_ok($$SELECT gaussdp_internal.contained(NULL::interval, hr.tree('a'), 1)$$, '22023', 'the expression is none that may be contained', 'nor contained');
RESET ROLE;
SELECT is((SELECT sum(errors)::int FROM gaussdp.budget WHERE paid_by = :'ana'), 0, 'and no query has failed on a row');
SELECT * FROM finish();
DROP OWNED BY :ana CASCADE;
DROP SCHEMA hr CASCADE;
DROP ROLE :ana;
