\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Numbers made of rows are PostgreSQL's own where it has one, and NULL elsewhere. The month of an infinite date is NULL, also as an integer: not that
-- of the last date, by which everybody whose subscription never ends would be counted in December.
BEGIN;
\getenv testlib GAUSSDP_TESTLIB
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE TABLE client (u int PRIMARY KEY, d date, ts timestamp, tz timestamptz, m numeric, f float8, b bigint, i int, s smallint);
INSERT INTO client (u, d, ts, tz) SELECT row_number() OVER (), d::date, d, d::timestamptz
	FROM unnest('{2020-02-29 23:59:58.5,infinity,-infinity,0001-01-01,1999-12-31}'::timestamp[]) d;
INSERT INTO client (u, m, f, b, i, s) VALUES (11, 2147483647.4, 2147483646.5, 9223372036854775807, 2147483647, 32767), (12, -2147483648.4, -2147483648.5, -9223372036854775807, -2147483648, -32768),
	(13, -0.5, -0.5, 3037000499, 46340, 181), (14, 0.5, 1.5, -1, -1, -1), (15, 32766.5, 32766.5, 0, 0, 0);
DO $$BEGIN PERFORM gaussdp.protect('client', 'u', max_rows => 1); END$$;
CREATE TABLE asked (expr text);
INSERT INTO asked SELECT format('extract(%s FROM %s)::%s', field, source, type) FROM unnest('{smallint,int,bigint}'::text[]) type, unnest('{d,ts,tz}'::text[]) source,
	unnest('{day,dow,doy,isodow,month,quarter,week,year,hour,minute,second,milliseconds,microseconds,epoch,isoyear,century}'::text[]) field
	WHERE NOT (source = 'd' AND field ~ 'hour|minute|second');
INSERT INTO asked VALUES ('extract(month FROM date_trunc(''month'', ts))::int'), ('extract(hour FROM ts)::int - s'), 
	('m::int'), ('m::bigint'), ('m::smallint'), ('f::int'), ('f::bigint'), ('f::smallint'), ('b * b'), ('b + b'), ('b - 1::bigint'), ('-b'), ('abs(b)'), ('i * i'), ('i + s'), ('s - i'), ('abs(i)'), ('-i'), ('s * s'), ('-s'), ('@ s'), ('b::int'), ('b::smallint'), ('i::smallint'), ('i % 7'), ('b / 3');
-- The expression as a level computes it, on each row.
CREATE FUNCTION contained(expr text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	columns text[] := ARRAY(SELECT DISTINCT m[1] FROM regexp_matches(expr, '\m(d|ts|tz|m|f|b|i|s)\M', 'g') m);
	written text := expr;
	type text;
BEGIN
	FOR n IN 1 .. cardinality(columns) LOOP
		written := regexp_replace(written, '\m' || columns[n] || '\M', '$' || n, 'g');
	END LOOP;
	EXECUTE format('CREATE TEMP VIEW typed AS SELECT %s AS x FROM client', expr);
	type := (SELECT format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = 'typed'::regclass AND attnum = 1);
	DROP VIEW typed;
	RETURN format('gaussdp_internal.contained(NULL::%s, %L, %s)', type, written, array_to_string(columns, ', '));
END $$;
CREATE FUNCTION of_row(expr text, person int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT (%s)::text FROM client WHERE u = %s', expr, person) INTO result;
	RETURN result;
EXCEPTION WHEN data_exception OR feature_not_supported THEN
	RETURN 'fails';
END $$;
-- Where PostgreSQL has a value, that one; NULL elsewhere.
CREATE FUNCTION differs(expr text) RETURNS text LANGUAGE sql AS $$
	SELECT string_agg(format('%s: %s, not %s', u, b, a), '; ') FROM (SELECT u, of_row(expr, u) AS a, of_row(g, u) AS b FROM client, contained(expr) g) s
	WHERE nullif(a, 'fails') IS DISTINCT FROM b $$;
SELECT plan(3 + (SELECT count(*) FROM asked)::int);
SELECT ok(of_row('extract(year FROM d)::int', 2) = 'fails' AND of_row('i * i', 11) = 'fails', 'there is something to compare');
SELECT ok(bool_and(level ~ 'WHERE \(gaussdp_internal\.contained\(' AND cardinality(string_to_array(level, 'contained(')) = 2), 'levels compute each so, as one')
FROM asked, test_weighed(format('SELECT dp_count(1, 1e-6) FROM client WHERE (%s) IS NULL', expr)) level;
SELECT is(of_row('extract(month FROM d)::int', 2), NULL, 'an infinite date has no month');
SELECT is(differs(expr), NULL, expr) FROM asked;
SELECT * FROM finish();
ROLLBACK;
