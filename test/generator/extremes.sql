-- Rows at which types end, for judge.sql: each person has some, and no expression over them may fail.
CREATE FUNCTION any_of(anyarray) RETURNS anyelement LANGUAGE sql VOLATILE AS $$ SELECT $1[1 + floor(random() * array_length($1, 1))::int] $$;

-- A letter of the database's encoding, of any that PostgreSQL stores: rare ones and others' case included.
CREATE FUNCTION odd_letter(encoding text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	code int := (random() * 65535)::int;
BEGIN
	IF encoding = 'UTF8' THEN
		RETURN chr(CASE WHEN random() < 0.6 THEN any_of('{304,305,223,329,64256,912,8490,453,1114111,65533,768,8203,127,1,31,9,55203,120016,66560,7838,1017,11390,42891}'::int[])
			WHEN code BETWEEN 55296 AND 57343 THEN 97 ELSE greatest(code, 1) END);
	END IF;
	RETURN convert_from(CASE encoding WHEN 'EUC_JP' THEN set_byte(set_byte(substring('\x8f0000'::bytea FROM 1 + (random() < 0.7)::int), 0 + (random() < 0)::int, 128 + code % 128), 1, 128 + code / 256 % 128)
		ELSE set_byte('\x00', 0, 1 + code % 255) END, encoding);
EXCEPTION WHEN OTHERS THEN
	RETURN odd_letter(encoding);
END $$;

CREATE FUNCTION odd_word() RETURNS text LANGUAGE sql AS $$
	SELECT CASE WHEN random() < 0.3 THEN any_of(ARRAY['', ' ', 'a', 'A', 'ab ', 'x y', repeat('ab ', 400), '-', 'NaN', '%', '\', '1e5', NULL])
		ELSE (SELECT string_agg(odd_letter(getdatabaseencoding()), any_of('{"",a," "}'::text[])) FROM generate_series(1, 1 + (random() * 20)::int)) END $$;

CREATE TABLE extreme (id int NOT NULL, n int, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, near float8, num numeric, money numeric(14, 2), day date, moment timestamp, instant timestamptz,
	span interval, hour time, flag bool, word text, code varchar(20), fixed char(30), wide varchar(30000), long text, nd text COLLATE odd, doc jsonb, list int[], nums numeric[]);
INSERT INTO extreme
SELECT 1 + n % 8, n, any_of('{-32768,32767,0,1,-1,NULL,181,182}'::int2[]), any_of('{-2147483648,2147483647,0,1,-1,NULL,46341,1000000007}'::int4[]),
	any_of('{-9223372036854775808,9223372036854775807,0,1,-1,NULL,3037000500,9007199254740993,9223372036854774784}'::int8[]),
	any_of('{-3.4028235e38,3.4028235e38,1e-45,-1e-45,0,-0,NaN,Infinity,-Infinity,NULL,0.1,16777217,2147483648,9.223372e18}'::float4[]),
	any_of('{-1.7976931348623157e308,1.7976931348623157e308,5e-324,2.2250738585072014e-308,0,-0,NaN,Infinity,-Infinity,NULL,0.1,9007199254740993,9223372036854774784,9223372036854775808,2147483647.5,32767.5,1e300}'::float8[]),
	-- with more digits than numeric takes of a double
	(random() + 1) * 10 ^ floor(random() * 20) * any_of('{1,-1}'::float8[]),
	CASE WHEN n = 10 THEN (repeat('9', 131072) || '.' || repeat('9', 16383))::numeric WHEN n = 11 THEN ('-1e131071')::numeric WHEN n = 12 THEN ('0.' || repeat('9', 16383))::numeric
		ELSE any_of('{1e-16383,NaN,Infinity,-Infinity,0,0.00,NULL,2147483647.5,9223372036854775807.5,-9223372036854775808.5,1.7976931348623159e308,1e400,1e-400,0.5,99999999999999.995}'::numeric[]) END,
	any_of('{999999999999.99,-999999999999.99,0,0.01,NULL,12.50,NaN}'::numeric[]),
	any_of('{4713-01-01 BC,5874897-12-31,infinity,-infinity,2021-03-28,1582-10-15,0001-01-01,0001-12-31 BC,200000-01-01,NULL,2000-02-29,294277-01-01,3900-01-01 BC}'::date[]),
	CASE WHEN n = 10 THEN '2021-07-01' ELSE any_of('{4713-01-01 00:00:00 BC,294276-12-31 23:59:59.999999,infinity,-infinity,2021-03-28 02:30:00,2021-07-01,2021-01-01,0001-01-01,200000-01-01,3900-01-01 BC,NULL,2011-12-30 12:00}'::timestamp[]) END,
	CASE WHEN n = 10 THEN '2021-07-01' ELSE any_of('{4713-01-02 00:00:00+00 BC,294276-12-30 23:59:59.999999+00,infinity,-infinity,2021-03-28 01:30:00+00,2021-07-01+00,2021-01-01+00,0001-01-01+00,200000-01-01+00,3900-01-01+00 BC,NULL,2011-12-30 12:00+00,1883-11-18 17:00+00}'::timestamptz[]) END,
	any_of('{178956970 years,-178956970 years,2147483647 days,-2147483648 days,0,1 month -30 days,NULL,2562047788:00:54.775807,-2562047788:00:54.775807}'::interval[]),
	any_of('{00:00,24:00,23:59:59.999999,12:00,NULL}'::time[]), any_of('{true,false,NULL}'::bool[]), odd_word(), left(odd_word(), 20), left(odd_word(), 30),
	left(repeat(coalesce(nullif(odd_word(), ''), 'x'), 30000), 30000), CASE WHEN n < 3 THEN repeat(coalesce(nullif(odd_word(), ''), 'y'), 1000000 / (1 + (random() * 40)::int)) ELSE odd_word() END, odd_word(),
	any_of(ARRAY['{}', '{"a": 1, "b": {"n": [1, 2]}}', '{"a": 1e131071}', '[1, [2, {"a": 3}]]', '"a"', 'null', '{"a": null, "n": "x"}', '[]', '{"": "", "b": 1e-16000}', NULL]::jsonb[]),
	any_of(ARRAY['{}', '{1,2,3}', '{NULL}', '{2147483647,-2147483648}', NULL, '[5:6]={1,2}']::text[])::int[], any_of(ARRAY['{}', '{NaN,1e1000}', '{1.50,1.5}', NULL]::text[])::numeric[]
FROM generate_series(0, 47) n;
