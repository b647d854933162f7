\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Every function of the extension, called from outside of its use: with NULLs, and with hostile values of
-- the right type. A clean answer or a clean error, never a crash and never an internal error.
BEGIN;
SELECT plan(6);
SET LOCAL client_min_messages = error;

-- How a call ended: its SQLSTATE, 00000 for an answer.
CREATE FUNCTION ends(call text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE call;
	RETURN '00000';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END $$;

CREATE TABLE calls AS
WITH functions AS (
	SELECT p.oid, p.prokind, p.pronargs, p.proargtypes::oid[] AS types, format('%I.%I', n.nspname, p.proname) AS name
	FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid JOIN pg_namespace AS n ON n.oid = p.pronamespace
	WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass
		AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gaussdp')
), hostile (value) AS (
	VALUES (NULL), ('0'), ('-1'), ('1'), ('NaN'), ('Infinity'), ('-Infinity'), ('1e-320'), ('1e308'), ('9223372036854775807'), (''), ('\x0102'), ('{}'), ('pg_class')
)
SELECT f.name, f.prokind, (SELECT bool_or(t = 'internal'::regtype) FROM unnest(f.types) t) AS is_internal, h.value,
	format('SELECT %s(%s)', f.name, (SELECT string_agg(
		CASE WHEN t IN ('"any"'::regtype, 'internal'::regtype) THEN quote_nullable(CASE WHEN t = '"any"'::regtype THEN h.value END)
			ELSE format('%s::%s', quote_nullable(h.value), t::regtype) END, ', ' ORDER BY i)
		FROM unnest(f.types) WITH ORDINALITY AS u(t, i))) AS call
FROM functions AS f CROSS JOIN hostile AS h;

CREATE TABLE ended AS SELECT c.*, ends(c.call) AS state FROM calls AS c;
SELECT cmp_ok((SELECT count(*) FROM ended), '>', 1000::bigint, 'there are calls');
SELECT is_empty($$SELECT state, call FROM ended WHERE state LIKE 'XX%' OR state LIKE '57%' OR state LIKE '58%'$$, 'no internal error');
SELECT is_empty($$SELECT call FROM ended WHERE state = '00000' AND is_internal AND name !~ 'deserialize'$$,
	'transition, combine and final functions work inside aggregates only');

-- The same by somebody without rights, with a hostile value of its own type for each argument: all arguments alike, and mixed, the same mixture in
-- every run. Relations: none, one that does not exist, a table with a rule, an index, a view, a table without protection.
CREATE ROLE every_function;
GRANT SELECT, INSERT ON ALL TABLES IN SCHEMA public TO every_function;
GRANT CREATE, USAGE ON SCHEMA public TO every_function;
CREATE TABLE ruled (id int PRIMARY KEY);
CREATE RULE nothing AS ON INSERT TO ruled DO INSTEAD NOTHING;
CREATE VIEW seen AS SELECT id FROM ruled;
CREATE RULE more AS ON INSERT TO seen DO INSTEAD NOTHING;
CREATE TABLE pool AS
WITH relation (value) AS (
	VALUES ('0'), ('1'), ('4294967295'), ('ruled'::regclass::oid::text), ('ruled_pkey'::regclass::oid::text), ('seen'::regclass::oid::text), ('pg_class'::regclass::oid::text)
), number (value) AS (
	VALUES ('0'), ('-1'), ('1'), ('2147483647'), ('-2147483648')
), wide (value) AS (
	TABLE number UNION ALL VALUES ('9223372036854775807'), ('-9223372036854775808')
), float (value) AS (
	TABLE wide UNION ALL VALUES ('NaN'), ('Infinity'), ('-Infinity'), ('1e-320'), ('1e308')
), word (value) AS (
	VALUES (''), ('0'), ('ruled'), ('public'), ('every_function'), ('SELECT 1'), ('SELECT'), (repeat('x', 3000)), ('gaussdp.'), ('1.0')
), typed (type, value) AS (
	SELECT t, value FROM relation, unnest('{oid,regclass,regproc,regprocedure,regrole,regtype,xid,cid}'::text[]) AS t
	UNION ALL SELECT t, value FROM number, unnest('{integer,smallint}'::text[]) AS t WHERE t = 'integer' OR length(value) < 6
	UNION ALL SELECT 'bigint', value FROM wide
	UNION ALL SELECT t, value FROM float, unnest('{"double precision",real,numeric}'::text[]) AS t WHERE t <> 'real' OR value NOT IN ('1e-320', '1e308')
	UNION ALL SELECT t, value FROM word, unnest('{text,name,"character varying",cstring}'::text[]) AS t
	UNION ALL SELECT 'boolean', v FROM unnest('{t,f}'::text[]) AS v
	UNION ALL SELECT 'bytea', v FROM unnest(ARRAY['', '\x00', '\x0102', '\x' || repeat('ff', 1000)]) AS v
	UNION ALL SELECT 'interval', v FROM unnest('{0,-1 day,1 month,178000000 years}'::text[]) AS v
	UNION ALL SELECT t, v FROM unnest('{infinity,-infinity,epoch,294276-01-01}'::text[]) AS v, unnest('{"timestamp with time zone","timestamp without time zone"}'::text[]) AS t
), every (type, value) AS (
	TABLE typed
	UNION ALL SELECT type || '[]', array_to_string(ARRAY['{"' || CASE WHEN length(value) < 1000 THEN replace(value, '\', '\\') ELSE 'x' END || '"}'], '') FROM typed
	UNION ALL SELECT DISTINCT type || '[]', v FROM typed, unnest('{"{}","{NULL}","{{NULL},{NULL}}"}'::text[]) AS v
)
SELECT type, format('%L::%s', value, type) AS value, row_number() OVER (PARTITION BY type) - 1 AS nr, count(*) OVER (PARTITION BY type) AS n FROM every;

CREATE TABLE mixed AS
WITH argument AS (
	SELECT p.oid, format('%I.%I', n.nspname, p.proname) AS name, a.i, format_type(a.type, NULL) AS type, p.pronargs
	FROM pg_depend AS d JOIN pg_proc AS p ON p.oid = d.objid JOIN pg_namespace AS n ON n.oid = p.pronamespace,
	unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a(type, i)
	WHERE d.classid = 'pg_proc'::regclass AND d.refclassid = 'pg_extension'::regclass
		AND d.refobjid = (SELECT oid FROM pg_extension WHERE extname = 'gaussdp') AND p.prokind IN ('f', 'p')
), chosen AS ( -- turn 0: all NULL; until 8: the value of that number; then mixed, with a NULL now and then
	SELECT a.*, p.value
	FROM (SELECT a.*, turn, CASE WHEN turn < 8 THEN turn - 1 ELSE abs(hashtextextended(name || type || i, turn) % 1000) END AS nr
		FROM argument AS a, generate_series(0, 12) AS turn) AS a
	LEFT JOIN pool AS p ON p.type = a.type AND p.nr = a.nr % p.n AND turn > 0 AND (turn < 8 OR hashtextextended(name || i, turn) % 7 <> 0)
)
SELECT DISTINCT format('SELECT %s(%s)', name, string_agg(coalesce(value, CASE WHEN type IN ('internal', '"any"') THEN 'NULL' ELSE 'NULL::' || type END), ', ' ORDER BY i)) AS call
FROM chosen GROUP BY oid, name, turn;
GRANT SELECT ON mixed TO every_function;
SET LOCAL ROLE every_function;
CREATE TABLE ended_too AS SELECT call, ends(call) AS state FROM mixed;
RESET ROLE;
SELECT cmp_ok((SELECT count(*) FROM ended_too), '>', 1000::bigint, 'there are mixed calls');
SELECT cmp_ok((SELECT count(*) FROM ended_too WHERE state NOT IN ('42501', '42883', '42704')), '>', 500::bigint, 'many of which reach the function');
SELECT is_empty($$SELECT state, left(call, 300) FROM ended_too WHERE state LIKE 'XX%' OR state LIKE '57%' OR state LIKE '58%'$$, 'none is an internal error');
SELECT * FROM finish();
ROLLBACK;
