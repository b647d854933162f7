\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Numbers made of rows are PostgreSQL's own where it has one. The month of an infinite date is NULL, also as an integer: it was that of
-- the end of what is guarded, so that everybody whose subscription never ends was counted in January.
BEGIN;
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE TABLE client (u int PRIMARY KEY, d date, ts timestamp, tz timestamptz, m numeric, f float8, b bigint, i int, s smallint);
INSERT INTO client (u, d, ts, tz) SELECT row_number() OVER (), d::date, d, d::timestamptz
	FROM unnest('{2020-02-29 23:59:58.5,infinity,-infinity,0001-01-01,1999-12-31}'::timestamp[]) d;
INSERT INTO client (u, m, f, b, i, s) VALUES (11, 2147483647.4, 2147483646.5, 9223372036854775807, 2147483647, 32767), (12, -2147483648.4, -2147483648.5, -9223372036854775807, -2147483648, -32768),
	(13, -0.5, -0.5, 3037000499, 46340, 181), (14, 0.5, 1.5, -1, -1, -1), (15, 32766.5, 32766.5, 0, 0, 0);
DO $$BEGIN PERFORM gaussdp.protect('client', 'u'); END$$;
CREATE TABLE asked (expr text);
INSERT INTO asked SELECT format('extract(%s FROM %s)::%s', field, source, type) FROM unnest('{smallint,int,bigint}'::text[]) type, unnest('{d,ts,tz}'::text[]) source,
	unnest('{day,dow,doy,isodow,month,quarter,week,year,hour,minute,second,milliseconds,microseconds,epoch,isoyear,century}'::text[]) field
	WHERE NOT (source = 'd' AND field ~ 'hour|minute|second');
INSERT INTO asked VALUES ('extract(month FROM date_trunc(''month'', ts))::int'), ('extract(hour FROM ts)::int - s'), ('coalesce(extract(month FROM d)::int, 13)'),
	('m::int'), ('m::bigint'), ('m::smallint'), ('f::int'), ('f::bigint'), ('f::smallint'), ('b * b'), ('b + b'), ('b - 1::bigint'), ('-b'), ('abs(b)'), ('i * i'), ('i + s'), ('s - i'), ('abs(i)'), ('-i'), ('s * s'), ('-s'), ('@ s'), ('b::int'), ('b::smallint'), ('i::smallint'), ('floor(least(greatest(m, -1e6), 1e6))::int'), ('i % 7'), ('b / 3');
CREATE FUNCTION guarded(expr text) RETURNS text LANGUAGE sql AS $$
	SELECT substring(test_weighed(format('SELECT dp_count(1, 1e-6) FROM client WHERE (%s) IS NULL', expr)) from 'WHERE \((.*) IS NULL\)\s*$') $$;
CREATE FUNCTION of_row(expr text, person int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT (%s)::text FROM client WHERE u = %s', expr, person) INTO result;
	RETURN result;
EXCEPTION WHEN data_exception OR feature_not_supported THEN
	RETURN 'fails';
END $$;
-- Where PostgreSQL has a value, that one; elsewhere any, and never an error.
CREATE FUNCTION differs(expr text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('%s: %s, not %s', u, b, a), '; ') FROM (SELECT u, of_row(expr, u) AS a, of_row(g, u) AS b FROM client, guarded(expr) g) s
	WHERE b = 'fails' OR (a <> 'fails' OR a IS NULL) AND a IS DISTINCT FROM b $$;
SELECT plan(2 + (SELECT count(*) FROM asked)::int);
SELECT ok(of_row('extract(year FROM d)::int', 2) = 'fails' AND guarded('i * i') ~ 'to_int4', 'there is something to compare');
SELECT is(of_row('extract(month FROM d)::int', 2), NULL, 'an infinite date has no month');
SELECT is(differs(expr), NULL, expr) FROM asked;
SELECT * FROM finish();
ROLLBACK;
