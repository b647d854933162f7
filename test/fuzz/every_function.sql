\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Every function of the extension, called from outside of its use: with NULLs, and with hostile values of
-- the right type. A clean answer or a clean error, never a crash and never an internal error.
BEGIN;
SELECT plan(3);
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
SELECT * FROM finish();
ROLLBACK;
