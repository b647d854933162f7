\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What may be computed on rows: each legal expression runs over a table that holds the ends of every type, in
-- time zones at both ends, and none of them fails on a row. Those that could fail are refused.
CREATE TABLE r (id int PRIMARY KEY, i2 int2, i4 int, i8 bigint, f4 float4, f8 float8, n numeric, n2 numeric(12, 2), wide numeric(1000, 400), huge numeric(1000, 10),
	t text, v varchar(10), c char(5), b bool, d date, ts timestamp, tz timestamptz, iv interval, a int[], u uuid, tags text[], j jsonb);
INSERT INTO r (id, i2, i4, i8, f4, f8, n, n2, wide, t, v, c, d, ts, tz, iv, a) VALUES
	(1, -32768, -2147483648, -9223372036854775808, '-Infinity', '-Infinity', '-Infinity', 'NaN', 'NaN', '', '', '', '-infinity', '-infinity', '-infinity', '-178000000 years', '{}'),
	(2, 32767, 2147483647, 9223372036854775807, 'Infinity', 'Infinity', 'Infinity', 9999999999.99, 1e-400, repeat('ß%_\', 1000), 'ß\', 'İ', 'infinity', 'infinity', 'infinity', '178000000 years', '{1,2}'),
	(3, 0, 0, 0, 'NaN', 'NaN', 'NaN', -9999999999.99, 1e599, E'\u0130', '%', '_', '4713-01-01 BC', '4714-11-24 BC', '4714-11-24 00:00:00+00 BC', '0', '{{1,2},{3,4}}'),
	(4, -1, -1, -1, 3.4e38, 1.7976931348623157e308, ('9e' || 131071)::numeric, 0, 0, 'a', 'a', 'a', '5874897-12-31', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999+00', '-1 day', '{NULL}'),
	(5, 1, 1, 1, 1e-45, 5e-324, ('1e-' || 16383)::numeric, 0.01, 1, 'd1', 'd1', 'd1', '2020-02-29', '2020-02-29', '2020-02-29', '1 day', '{1}'),
	(6, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);
CREATE ROLE expressions_ana;
DO $$BEGIN PERFORM gaussdp.protect('r', unit => 'id'), gaussdp.grant_budget('expressions_ana', 'r', epsilon => 30, delta => 1e-6); END$$;

UPDATE r SET huge = 1e980;
UPDATE r SET tags = v.tags, j = v.j::jsonb
FROM (VALUES (1, '{}'::text[], '{}'), (2, '{x,NULL}', '{"a": 1, "": null}'), (3, '{{x},{y}}', '{"a": {"b": {"c": null}}, "d1": [1, [2]]}'),
	(4, '[-3:-2]={x,y}', '[1, "x", null, {"a": 1}]'), (5, '{x}', '1'), (6, NULL, NULL)) v(id, tags, j) WHERE r.id = v.id;
UPDATE r SET j = (repeat('{"a":', 5000) || '1' || repeat('}', 5000))::jsonb WHERE id = 5;
-- As text its field is longer than PostgreSQL's 1 GB, as stored 1 MB
UPDATE r SET j = jsonb_build_object('a', (SELECT jsonb_agg(n) FROM (SELECT to_jsonb(('9e' || 131071)::numeric) AS n OFFSET 0) n, generate_series(1, 9000))) WHERE id = 4;
CREATE COLLATION stale (provider = icu, locale = 'de', version = '1.0');
CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE COLLATION own (provider = icu, locale = 'de');
ALTER COLLATION own OWNER TO expressions_ana;

CREATE SEQUENCE s;
GRANT USAGE ON s TO expressions_ana;
CREATE FUNCTION outcome(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	zone text; detail text;
BEGIN
	FOREACH zone IN ARRAY ARRAY['Etc/GMT+12', 'Etc/GMT-14', 'America/New_York', 'UTC'] LOOP
		PERFORM set_config('TimeZone', zone, true);
		EXECUTE 'SELECT dp_count(1e-4, 1e-6) FROM r WHERE ' || condition;
	END LOOP;
	RETURN 'runs';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ' ' || detail;
END$$;
-- A superuser's, all alike but for who chooses what their operator is
CREATE FUNCTION steady(int) RETURNS bool LANGUAGE internal IMMUTABLE LEAKPROOF AS 'int4_bool';
CREATE FUNCTION compiled(int) RETURNS bool LANGUAGE plpgsql IMMUTABLE LEAKPROOF SET search_path = pg_catalog, pg_temp AS 'BEGIN RETURN $1 > 17; END';
CREATE FUNCTION with_setting(int) RETURNS bool LANGUAGE internal IMMUTABLE LEAKPROOF SET work_mem = '1MB' AS 'int4_bool';
CREATE TABLE legal (condition text);
INSERT INTO legal VALUES
	($$n::int > 3$$),
	($$extract(epoch FROM ts)::int > 3$$),
	($$extract(year FROM d)::smallint > 3$$),
	($$d + 30 > d$$),
	($$i4 + 1 > 3$$),
	($$i4 * 2 > 50$$),
	($$i4 - 20 > 3$$),
	($$(i4 - 20) / 10 = 2$$),
	($$-i4 = 3$$),
	($$abs(i4) = 3$$),
	($$abs(i8) = 3$$),
	($$i8 + 0 > 3$$),
	($$i8 / 10 * 10 > 3$$),
	($$i4::bigint * i4 * i4 > 3$$),
	($$i8::int > 3$$),
	($$f8::int > 3$$),
	($$width_bucket(f8, 0, 100, 10) = 3$$),
	($$width_bucket(n2, 0, 100, 10) = 3$$),
	($$d - 5 > '2020-01-01'$$),
	($$ts + interval '30 days' > now()::timestamp$$),
	($$tz - interval '3 months' < now()$$),
	($$d + interval '1 year' > ts$$),
	($$(ts + interval '100 years')::date - 1 > d$$),
	($$ts::time > '12:00'$$),
	($$tz::time > '12:00'$$),
	($$split_part(t, '@', 2) = 'x'$$),
	($$cardinality(tags) > 1$$),
	($$array_length(tags, 1) > 1$$),
	($$i2 * i4 > 3$$),
	($$i8 * i4 * i8 > 3$$),
	($$least(greatest(n, 0), 1000)::int = 3$$),
	($$greatest(n2, 0)::bigint = 3$$),
	($$least(n2, 5)::bigint = 3$$),
	($$floor(n2 / 10)::int * 10 = 30$$),
	($$width_bucket(n, 5, 0, 3) = 0$$),
	($$d - d > 5$$),
	($$d - date '2020-01-01' > 5$$),
	($$(d - '2020-01-01') / 7 = 3$$),
	($$(d - '2020-01-01') * 28 > 0$$),
	($$ts - ts > interval '1 day'$$),
	($$ts - now()::timestamp < interval '1 day'$$),
	($$tz - tz > interval '1 day'$$),
	($$tz - ts > interval '1 day'$$),
	($$d - ts > interval '1 day'$$),
	($$now() - tz > interval '1 day'$$),
	($$age(ts, ts) > interval '1 year'$$),
	($$age(tz, tz) > interval '1 year'$$),
	($$age(d, d) > interval '1 year'$$),
	($$age(current_date, d) > interval '1 year'$$),
	($$extract(year FROM age(current_date, d)) >= 18$$),
	($$extract(epoch FROM tz - tz) / 86400 > 2$$),
	($$extract(epoch FROM ts - ts) / 3600.0 > 2$$),
	($$extract(year FROM d)::int = 2020$$),
	($$extract(year FROM ts)::int = 2020$$),
	($$extract(year FROM tz)::bigint = 2020$$),
	($$extract(millennium FROM d)::smallint = 3$$),
	($$extract(isoyear FROM ts)::int * 7000 > 1$$),
	($$extract(month FROM d)::int = 3$$),
	($$extract(dow FROM ts)::int IN (0, 6)$$),
	($$extract(hour FROM tz)::smallint < 7$$),
	($$extract(doy FROM ts)::int < 7$$),
	($$date_trunc('month', d)::date = '2020-01-01'$$),
	($$date_trunc('millennium', tz)::date = '2020-01-01'$$),
	($$date_trunc('year', date_trunc('month', ts)) = '2020-01-01'$$),
	($$d - current_date > 5$$),
	($$ts AT TIME ZONE 'UTC' > now()$$),
	($$ts AT TIME ZONE 'Europe/Berlin' > now()$$),
	($$tz AT TIME ZONE 'America/New_York' > '2020-01-01'$$),
	($$(tz AT TIME ZONE 'UTC')::date = '2020-01-01'$$),
	($$date_trunc('day', ts AT TIME ZONE 'EST') > now()$$),
	($$d::timestamp - ts > interval '1 s'$$),
	($$steady(i4)$$),
	($$i4::float8 > 3$$),
	($$i4::numeric > 3$$),
	($$i4 > f8$$),
	($$n > i4$$),
	($$f4::float8 > 3$$),
	($$i2 + 1 > 3$$),
	($$i8 > i2$$),
	($$d > '2020-01-01'::timestamp$$),
	($$d::timestamp > now()$$),
	($$d::timestamptz > now()$$),
	($$ts::date > '2020-01-01'$$),
	($$tz::date > '2020-01-01'$$),
	($$ts::timestamptz > now()$$),
	($$tz::timestamp > now()$$),
	($$ts > now()$$),
	($$tz > now() - interval '30 days'$$),
	($$d > current_date - 365$$),
	($$d >= current_date - interval '1 year'$$),
	($$extract(year from d) = 2020$$),
	($$extract(epoch from tz) > 3$$),
	($$extract(year from current_date) - extract(year from d) > 30$$),
	($$date_part('year', ts) = 2020$$),
	($$isfinite(d)$$),
	($$u IS NULL$$),
	($$c = 'a'$$),
	($$v = 'b'$$),
	($$v LIKE 'b%'$$),
	($$t LIKE 'a' || '%'$$),
	($$t ILIKE 'd%'$$),
	($$v IN ('a', 'b')$$),
	($$v = ANY (ARRAY['a', 'b'])$$),
	($$i4 IN (1, 2, 3)$$),
	($$i4 = ANY (ARRAY[1, 2]::bigint[])$$),
	($$i4 = ANY (a)$$),
	($$i4 BETWEEN 3 AND 5$$),
	($$lower(t) = 'b'$$),
	($$upper(v) = 'B'$$),
	($$initcap(t) = 'B'$$),
	($$length(t) = 2$$),
	($$left(t, 1) = 'd'$$),
	($$right(t, i4) = 'd'$$),
	($$substr(t, 1, 1) = 'd'$$),
	($$substr(t, i4) = 'd'$$),
	($$substring(t FROM 1 FOR 2) = 'd1'$$),
	($$position('1' IN t) > 0$$),
	($$strpos(t, v) > 0$$),
	($$starts_with(t, 'd')$$),
	($$trim(t) = 'd1'$$),
	($$t > v$$),
	($$coalesce(i4, 0) > 3$$),
	($$nullif(i4, 3) IS NULL$$),
	($$greatest(i4, 3) = 3$$),
	($$least(n, 3) = 3$$),
	($$i4 IS DISTINCT FROM 3$$),
	($$CASE WHEN i4 > 3 THEN 1 ELSE 0 END = 1$$),
	($$CASE i4 WHEN 3 THEN 1 ELSE 0 END = 1$$),
	($$NOT b$$),
	($$b IS TRUE$$),
	($$i4::text = '3'$$),
	($$i4 % 10 = 3$$),
	($$i4 / 10 = 3$$),
	($$i4 / 10 * 10 = 20$$),
	($$i4 % 10 + 1 = 3$$),
	($$i4::bigint * 12 > 3$$),
	($$(i4::bigint - 20) / 10 = 2$$),
	($$i4::bigint * i4 > 3$$),
	($$abs(i4::bigint) = 3$$),
	($$-(i4::bigint) = 3$$),
	($$i8 % 10 * 10 > 3$$),
	($$coalesce(i2, 0::int2) * 2 > 3$$),
	($$least(greatest(i4, 0), 100) * 2 > 3$$),
	($$least(greatest(f8, 0), 1e6) * 12 > 3$$),
	($$f8 + 1 > 3$$),
	($$f8 - i4 > 3$$),
	($$-f8 = 3$$),
	($$abs(f8) = 3$$),
	($$round(f8) = 3$$),
	($$round(f8::numeric, 2) = 3$$),
	($$round(f8::numeric, -3) = 3$$),
	($$trunc(f4::numeric, 1) = 3$$),
	($$round(f8::numeric, 100) = 3$$),
	($$ceil(f8) = 3$$),
	($$n2 * 12 > 3$$),
	($$n2 / 12 > 3$$),
	($$n2 * n2 - n2 > 3$$),
	($$(n2 + i4) * 2 > 3$$),
	($$n2::float8 > 3$$),
	($$round(n2) > 3$$),
	($$round(n2, 1) > 3$$),
	($$trunc(n2, -2) > 3$$),
	($$i4 * n2 > 3$$),
	($$i4 * 1.5 > 10$$),
	($$width_bucket(i4, 0, 100, 10) = 3$$),
	($$width_bucket(i8, 100, 0, 10) = 3$$),
	($$iv > interval '1 day'$$),
	($$ARRAY[i4, 3] IS NOT NULL$$),
	($$i4 > 1 + 1$$),
	($$ts < date '2020-01-01' + interval '1 month'$$),
	($$d > date '2020-01-01' - 30$$),
	($$f8 > 1e-300$$),
	($$f8 > 0.5$$),
	($$f8 > 0.0$$),
	($$date_trunc('hour', ts) > now()$$),
	($$date_trunc('century', d) = '2020-01-01'$$),
	($$date_trunc('century', ts) = '2020-01-01'$$),
	($$date_trunc('century', tz) = '2020-01-01'$$),
	($$date_trunc('day', d) = '2020-01-01'$$),
	($$date_trunc('day', ts) = '2020-01-01'$$),
	($$date_trunc('day', tz) = '2020-01-01'$$),
	($$date_trunc('decade', d) = '2020-01-01'$$),
	($$date_trunc('decade', ts) = '2020-01-01'$$),
	($$date_trunc('decade', tz) = '2020-01-01'$$),
	($$date_trunc('hour', d) = '2020-01-01'$$),
	($$date_trunc('hour', ts) = '2020-01-01'$$),
	($$date_trunc('hour', tz) = '2020-01-01'$$),
	($$date_trunc('microseconds', d) = '2020-01-01'$$),
	($$date_trunc('microseconds', ts) = '2020-01-01'$$),
	($$date_trunc('microseconds', tz) = '2020-01-01'$$),
	($$date_trunc('millennium', d) = '2020-01-01'$$),
	($$date_trunc('millennium', ts) = '2020-01-01'$$),
	($$date_trunc('millennium', tz) = '2020-01-01'$$),
	($$date_trunc('milliseconds', d) = '2020-01-01'$$),
	($$date_trunc('milliseconds', ts) = '2020-01-01'$$),
	($$date_trunc('milliseconds', tz) = '2020-01-01'$$),
	($$date_trunc('minute', d) = '2020-01-01'$$),
	($$date_trunc('minute', ts) = '2020-01-01'$$),
	($$date_trunc('minute', tz) = '2020-01-01'$$),
	($$date_trunc('month', d) = '2020-01-01'$$),
	($$date_trunc('month', ts) = '2020-01-01'$$),
	($$date_trunc('month', tz) = '2020-01-01'$$),
	($$date_trunc('quarter', d) = '2020-01-01'$$),
	($$date_trunc('quarter', ts) = '2020-01-01'$$),
	($$date_trunc('quarter', tz) = '2020-01-01'$$),
	($$date_trunc('second', d) = '2020-01-01'$$),
	($$date_trunc('second', ts) = '2020-01-01'$$),
	($$date_trunc('second', tz) = '2020-01-01'$$),
	($$date_trunc('week', d) = '2020-01-01'$$),
	($$date_trunc('week', ts) = '2020-01-01'$$),
	($$date_trunc('week', tz) = '2020-01-01'$$),
	($$date_trunc('year', d) = '2020-01-01'$$),
	($$date_trunc('year', ts) = '2020-01-01'$$),
	($$date_trunc('year', tz) = '2020-01-01'$$);
INSERT INTO legal VALUES
	($$date_bin('15 minutes', ts, '2000-01-01') = '2020-02-29'$$),
	($$date_bin('7 days', d, '2000-01-03') = '2020-02-29'$$),
	($$date_bin('36525 days', tz, '2000-01-01') < now()$$),
	($$date_bin('1 microsecond', tz, now()) < now()$$),
	($$date_bin('1 day', ts, 'epoch')::date = '2020-01-01'$$),
	($$to_char(d, 'YYYY') = '2020'$$),
	($$to_char(ts, 'YYYY-MM') = '2020-02'$$),
	($$to_char(ts, 'Y,YYYTH CC J Q WW IYYY-IW IDDD RM Month Day HH24:MI:SS.US SSSS A.D. P.M. FF6') > ''$$),
	($$to_char(tz, 'FXDy DD Mon YYYY OF "of" HH12') > ''$$),
	($$to_char(date_trunc('quarter', tz), 'YYYY"Q"Q') = '2020Q1'$$),
	($$a[1] = 1$$),
	($$a[i4] = 1$$),
	($$a[1][2] = 1$$),
	($$a[i2 % 5] IS NULL$$),
	($$tags[1] = 'x'$$),
	($$j -> 'a' @> '1'$$),
	($$j -> 'a' -> 'b' IS NULL$$),
	($$j -> 0 @> '1'$$),
	($$j -> i4 IS NULL$$),
	($$j -> t IS NULL$$),
	($$j ->> 'a' = '1'$$),
	($$j ->> t = '1'$$),
	($$j ->> 0 = '1'$$),
	($$j -> 'a' ->> 'b' = 'x'$$),
	($$lower(j ->> 'a') LIKE 'x%'$$),
	($$j ? 'a'$$),
	($$j @> '{"a": 1}'$$),
	($$j @> '{"a": {"b": {"c": null}}}'$$),
	($$j @> '[1, "x", null]'$$),
	($$j @> '1'$$),
	($$j @> NULL$$),
	($$jsonb_typeof(j) = 'array'$$),
	($$jsonb_typeof(j -> 'a') = 'array'$$),
	($$v || 'x' = 'd1x'$$),
	($$v || i4 = 'd11'$$),
	($$i4 || v = '1d1'$$),
	($$c || v || i4::text || ' ' || d::text || n::text IS NULL$$),
	($$left(t, 10) || '-' || right(t, 2) = 'd1-d1'$$),
	($$coalesce(upper(v), '') || coalesce(left(t, 1), '?') = 'x'$$),
	($$to_char(d, 'YYYY') || '/' || (extract(month FROM d)::int)::text = '2020/2'$$);
CREATE TABLE illegal (condition text);
INSERT INTO illegal VALUES
	($$to_char(ts, t) = '2020'$$),
	($$to_char(ts, 'TMMonth') = '2020'$$),
	($$to_char(ts, 'tmday') = '2020'$$),
	($$a[1:2] IS NULL$$),
	($$j['a'] IS NULL$$),
	($$j #>> ARRAY[t] = 'x'$$),
	($$to_char(tz, 'HH TZ') = 'x'$$),
	($$to_char(tz, 'TZH:TZM') = 'x'$$);
-- Texts of any length are cut before others are made of them, and can be put together.
INSERT INTO legal VALUES
	($$v || lower(t) = 'x'$$),
	($$left(t, i4) || 'x' = 'x'$$),
	($$left(t, -1) || 'x' = 'x'$$),
	($$left(t, 100000000) || 'x' = 'x'$$),
	($$(j ->> 'a') || 'x' = 'x'$$);
INSERT INTO illegal SELECT format('j @> %L', repeat('{"a":', 101) || '1' || repeat('}', 101));
INSERT INTO legal SELECT format('j @> %L', repeat('{"a":', 100) || '1' || repeat('}', 100));
INSERT INTO legal SELECT 'v' || repeat(' || left(t, 30000)', 10) || $$ = 'x'$$;
INSERT INTO legal SELECT 'v' || repeat(' || v', 40) || $$ = 'x'$$;
INSERT INTO illegal VALUES
	($$ts AT TIME ZONE t > now()$$),
	($$extract(year FROM age(d)) > 18$$),
	($$compiled(i4)$$),
	($$with_setting(i4)$$),
	($$t COLLATE stale < 'x'$$),
	($$t COLLATE own < 'x'$$),
	($$repeat(t, i4) = 'x'$$),
	($$replace(t, 'd', 'dd') = 'x'$$),
	($$t LIKE v$$),
	($$t LIKE 'a\'$$),
	($$t ~ 'a'$$),
	($$t SIMILAR TO 'd%'$$),
	($$age(ts) > interval '1 year'$$),
	($$ARRAY[ARRAY[i4], ARRAY[3]] IS NOT NULL$$),
	($$ARRAY[a, a] IS NOT NULL$$),
	($$a = a$$),
	($$random() < 0.5$$),
	($$pg_sleep(0) IS NULL$$),
	($$nextval('s') > 0$$),
	($$ROW(i4, i2) < ROW(1, 2)$$),
	($$xmlparse(content t) IS NOT NULL$$);
CREATE FUNCTION hint(condition text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	hint text;
BEGIN
	EXECUTE 'SELECT dp_count(1e-4, 1e-6) FROM r WHERE ' || condition;
	RETURN 'runs';
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT;
	RETURN hint;
END$$;
-- What is refused, and the same in the form that its hint shows
CREATE TABLE mended (refused text, hinted text, legal text);
INSERT INTO mended VALUES
	('tags && ARRAY[t, ''b'']', '%''x'' = ANY (tags)%', 't = ANY (tags) OR ''b'' = ANY (tags)'),
	('tags @> ARRAY[''a'', NULL]', '%tags @> ''{x,y}''%', 'tags @> ''{a}'''),
	('replace(t, ''a'', ''b'') = ''b''', 'Write split_part%', 'split_part(t, ''a'', 1) = ''b'''),
	('to_char(ts, ''TMMonth'') = ''x''', '%without TM%', 'to_char(ts, ''Month'') = ''x'''),
	('concat(v, t) = ''x''', 'Write x || y%', 'v || left(t, 100) = ''x'''),
	('j[''a''] IS NULL', '%data -> ''key''.', 'j -> ''a'' IS NULL'),
	('j #>> ARRAY[t] = ''x''', 'Write a constant path%', 'j #>> ''{key,0}'' = ''x'''),
	('j #> ''{0,1,2}'' IS NULL', 'Write a constant path%', 'j -> 0 -> 1 -> 2 IS NULL'),
	('j @@ ''$.a > 5''', 'Take one field after the other%', 'j @> ''{"a": 5}'''),
	('tags = ARRAY[t]', '%tags = ''{x,y}''%', 'tags = ''{x,y}'''),
	('array_position(tags, ''a'') = 1', '%tags[1] = ''x''%', 'tags[1] = ''a'''),
	('age(d) > ''1 year''', 'Name the day that it is reckoned from%', 'age(current_date, d) > ''1 year''');
INSERT INTO illegal SELECT format('t LIKE %L', repeat('%d', 101));
INSERT INTO legal SELECT format('t LIKE %L', repeat('%ß', 100));
-- What fails on some row is NULL there.
INSERT INTO legal VALUES
	($$round(n) = 3$$),
	($$split_part(t, '@', 0) = 'x'$$),
	($$split_part(t, '@', i4) = 'x'$$),
	($$d + 40000 > d$$),
	($$d + i4 > d$$),
	($$ts + interval '1300 months' > ts$$),
	($$ts + (ts - tz::timestamp) > ts$$),
	($$width_bucket(f8, 0, 0, 10) = 3$$),
	($$width_bucket(f8, 0, 10, i4) = 3$$),
	($$f4::int > 3$$),
	($$date_bin(iv, ts, '2000-01-01') = '2020-02-29'$$),
	($$date_bin('1 month', ts, '2000-01-01') = '2020-02-29'$$),
	($$date_bin('0', ts, '2000-01-01') = '2020-02-29'$$),
	($$date_bin('-1 day', ts, '2000-01-01') = '2020-02-29'$$),
	($$date_bin('1 day -1 hour', ts, '2000-01-01') = '2020-02-29'$$),
	($$date_bin('36525 days 1 microsecond', ts, '2000-01-01') = '2020-02-29'$$),
	($$date_bin('1 day', ts, 'infinity') = '2020-02-29'$$),
	($$date_bin('1 day', ts, ts) = '2020-02-29'$$),
	($$to_char(i4, '99') = '2020'$$),
	($$to_char(iv, 'DD') = '2020'$$),
	($$j @> j$$),
	($$j @> '[[1]]'$$),
	($$j @> '[{"a": 1}]'$$),
	($$j @> '{"a": [[]]}'$$),
	($$(j ->> 'a')::int = 1$$),
	($$j::text = 'x'$$),
	($$v || t = 'x'$$),
	($$coalesce(t, v) || 'x' = 'x'$$),
	($$(j -> 'a') IN (j -> 'b', '1')$$),
	($$date_trunc('month', tz)::date - d > 7$$),
	($$d - date 'infinity' > 3$$),
	($$i4 / i2 = 3$$),
	($$i4 / 0 = 3$$),
	($$i4 % -1 = 3$$),
	($$n::float8 > 3$$),
	($$wide::float8 > 3$$),
	($$huge::float8 > 3$$),
	($$starts_with(t COLLATE loose, 'x')$$),
	($$CASE WHEN i4 = 7 THEN circle '<(0,0),1e200>' ELSE circle '<(0,0),1>' END = circle '<(0,0),1>'$$),
	($$CASE WHEN i4 = 7 THEN lseg '[(0,0),(1e308,1e308)]' END < lseg '[(0,0),(1,1)]'$$),
	($$md5(t) = 'x'$$),
	($$f8 * 2 > 50$$),
	($$f8 / 12 > 3$$),
	($$f8 + f8 > 3$$),
	($$f8 * f8 > 3$$),
	($$greatest(f8, 0) * 12 > 3$$),
	($$least(f8, 1e6) * 12 > 3$$),
	($$least(greatest(f8, 0), 1e6) * 0.5 > 3$$),
	($$f8 ^ 2 > 3$$),
	($$sqrt(f8) > 3$$),
	($$ln(f8) > 3$$),
	($$exp(f8) > 3$$),
	($$n * 12 > 3$$),
	($$n + 1 > 3$$),
	($$n2 + n > 3$$),
	($$n2 / n2 > 3$$),
	($$n2 / i4 > 3$$),
	($$round(n2, i4) > 3$$),
	($$round(f8::numeric, i4) > 3$$),
	($$round(f8::numeric, 20000) > 3$$),
	($$round(f8::numeric * f8::numeric, 2) > 3$$),
	($$width_bucket(i4, 0, 0, 10) = 3$$),
	($$width_bucket(i4, 0, 100, 0) = 3$$),
	($$width_bucket(i4, 0, i2, 10) = 3$$),
	($$t::int = 3$$),
	($$t::date > '2020-01-01'$$),
	($$t || 'x' = 'd1x'$$),
	($$substr(t, 1, -1) = 'd'$$),
	($$substr(t, 1, i4) = 'd'$$),
	($$d - i4 > '2020-01-01'$$),
	($$ts + iv > now()$$),
	($$now() - iv > '2020-01-01'$$),
	($$date_trunc('foo', ts) = '2020-01-01'$$),
	($$date_trunc(t, ts) = '2020-01-01'$$),
	($$extract(julian from ts) > 3$$),
	($$iv * 2 > interval '1 day'$$),
	($$f8 * 12 > 3$$),
	($$n + 12 > 3$$),
	($$i4 / i4 > 3$$),
	($$date_bin('1 month', ts, '2000-01-01') > now()$$),
	($$j = '1'$$),
	($$(j ->> 'a')::int > 3$$),
	($$(j -> 'a')::int > 3$$),
	($$j -> 'a' > '5'$$),
	($$j <> '{}'$$),
	($$j::text = '{}'$$),
	($$t::int > 3$$),
	($$j ?| ARRAY['a', 'b']$$),
	($$d <@ daterange('2020-01-01', '2021-01-01')$$),
	($$to_char(i4, '99') = '5'$$),
	($$to_char(n2, '99') = '5'$$),
	($$to_date(v, 'YYYY-MM-DD') > '2020-01-01'$$),
	($$to_timestamp(f8) > now()$$),
	($$justify_days(ts - ts) > '1 month'$$),
	($$(ts - ts) / 2 > '1 day'$$),
	($$extract(days FROM ts - ts) > 3$$),
	($$extract(years FROM ts) > 3$$),
	($$extract(julian FROM d) > 3$$),
	($$(date_trunc('month', d) + interval '1 month -1 day')::date > '2020-01-01'$$),
	($$round(n, 2) > 3$$),
	($$i4 % i2 > 3$$);
-- What could make a row larger than 1 GB
INSERT INTO illegal VALUES ('ARRAY[t, v] IS NOT NULL'), ('t = ANY (ARRAY[v, ''a''])'), (format('t = %L', repeat('x', 200000)));
INSERT INTO legal SELECT format('t IN (%s)', string_agg(format('%L', repeat('x', 100) || i), ', ')) FROM generate_series(1, 3000) i;
GRANT SELECT ON legal, illegal, mended TO expressions_ana;
CREATE TABLE texts (id int PRIMARY KEY, x text);
INSERT INTO texts VALUES (1, 'a'), (2, 'b');
GRANT SELECT ON texts TO expressions_ana;
CREATE FUNCTION with_long(query text, wanted int, value text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	EXECUTE query INTO n USING wanted, value;
	RETURN 'runs';
EXCEPTION WHEN OTHERS THEN
	RETURN SQLSTATE;
END$$;

-- The least depth at which the stack is too full for a query over r, opened above and read down there. LIKE takes more of it
-- on row 2, if that is there; nobody may see it. A call by PERFORM is larger: their number shifts where the stack ends.
CREATE FUNCTION read_deep(depth int, performed int, c refcursor) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	n bigint;
BEGIN
	IF performed > 0 THEN
		PERFORM read_deep(depth, performed - 1, c);
	ELSIF depth > 0 THEN
		RETURN read_deep(depth - 1, 0, c);
	ELSE
		FETCH c INTO n;
	END IF;
	RETURN n;
END$$;
CREATE FUNCTION depth_of_refusal(wanted int, performed int) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
	c refcursor; low int := 0; high int := 10000; middle int;
BEGIN
	WHILE high - low > 1 LOOP
		middle := (low + high) / 2;
		BEGIN
			OPEN c FOR EXECUTE format('SELECT dp_count(1e-4, 1e-6) FROM r WHERE id = %s AND t LIKE %L', wanted, repeat('%ß', 100));
			PERFORM read_deep(middle, performed, c);
			CLOSE c;
			low := middle;
		EXCEPTION WHEN statement_too_complex THEN
			high := middle;
		END;
	END LOOP;
	RETURN high;
END$$;
SET ROLE expressions_ana;
SELECT no_plan();
SELECT is(outcome(condition), 'runs', condition) FROM legal;
SELECT alike(outcome(condition), '42501 Rule _ %', condition || ' is refused') FROM illegal;
-- Without a column it is no matter of rows: it is computed before the first one, and fails whether there is one or not.
SELECT unnest(ARRAY[matches(outcome(condition), '^(22|42704)', condition || ' fails as anywhere else'),
	is(outcome(condition || ' AND id < -5'), outcome(condition), condition || ' fails without rows, too')])
FROM (VALUES ($$i4 > 1 / 0$$),
	($$CASE WHEN i4 = 7 THEN 1 / 0 ELSE 1 END = 1$$),
	($$f8 > 1e400$$),
	($$i4 > 2147483647 + 1$$),
	($$ts > timestamp '294276-12-31' + interval '1 year'$$),
	($$now() - interval '30000000 days' > tz$$),
	($$current_setting('x') = t$$)) constants (condition);
SELECT alike(hint(refused), hinted, 'the hint for ' || refused) FROM mended;
SELECT is(hint(legal), 'runs', 'as a hint shows: ' || legal) FROM mended;

-- As group keys: a guarded one stays equal to its copies
SELECT lives_ok(format('SELECT %1$s, dp_count(1e-4, 1e-6) FROM r GROUP BY %1$s HAVING dp_keep_group(1e-3, 1e-8) ORDER BY %1$s', key), 'grouped by ' || key)
FROM unnest(ARRAY['date_trunc(''month'', d)', 'date_trunc(''year'', ts)', 'extract(year FROM tz)', 'tz::date', 'width_bucket(i4, 0, 100, 10)', 'i4 / 10 * 10', 'lower(t)', 'c',
	'to_char(d, ''YYYY-MM'')', 'date_bin(''7 days'', d, ''2000-01-03'')', 'date_bin(''1 hour'', tz, ''epoch'')::date', 'a[1]', 'tags[1]', 'j ->> ''a''',
	'v || ''/'' || i2::text']) key;

SELECT is(depth_of_refusal(2, performed), depth_of_refusal(7, performed), format('where the stack ends does not depend on a row (%s)', performed))
FROM generate_series(0, 7) performed;
SELECT is(with_long(query, wanted, repeat('x', size)), CASE WHEN size > 128 * 1024 AND query LIKE '%lower%' THEN '42501' ELSE 'runs' END,
	format('a parameter of %s bytes, row %s: %s', size, wanted, query))
FROM unnest(ARRAY['SELECT dp_count(1e-4, 1e-6) FROM r WHERE id = $1 AND CASE WHEN id = $1 THEN lower($2) END IS NOT NULL',
		'SELECT dp_count(1e-4, 1e-6) FROM r WHERE id = $1 AND t IN ($2, $2)']) query,
	unnest(ARRAY[2, 7]) wanted, unnest(ARRAY[130000, 200000]) size;
SELECT is(with_long('SELECT dp_count(1e-4, 1e-6) FROM r WHERE id = $1 AND ARRAY[$2] IS NOT NULL', 2, 'x'), 'runs', 'an array of parameters is a constant');
SELECT is(with_long('SELECT dp_count(1e-4, 1e-6) FROM r JOIN texts USING (id) WHERE r.id = $1 AND CASE WHEN r.id > 0 THEN lower(x) END <> $2', wanted, 'x'), 'runs',
	format('a short public value beside row %s', wanted)) FROM unnest(ARRAY[2, 7]) wanted;
RESET ROLE;
UPDATE texts SET x = repeat('x', 200000) WHERE id = 1;
SET ROLE expressions_ana;
SELECT is(with_long('SELECT dp_count(1e-4, 1e-6) FROM r JOIN texts USING (id) WHERE r.id = $1 AND CASE WHEN r.id > 0 THEN lower(x) END <> $2', wanted, 'x'), '42501',
	format('a long public value beside row %s', wanted)) FROM unnest(ARRAY[1, 2, 7]) wanted;
SELECT * FROM finish();

RESET ROLE;
DROP OWNED BY expressions_ana;
DROP ROLE expressions_ana;
