\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Each pure function over values at which types end, and at the limits of what is contained: nothing escapes, and no call takes much time
-- or memory.  A part of it; all where GAUSSDP_FULL is set (make fuzz-contained: 10^6 calls in each of four encodings).
SET client_min_messages = warning;
SET jit = off;
\ir ../module/contained.sql
CREATE FUNCTION test_cpu_time() RETURNS float8 AS :'testlib' LANGUAGE C;
\getenv full GAUSSDP_FULL
\if :{?full}
SELECT 1000 AS rounds \gset
\else
SELECT 8 AS rounds \gset
\endif
SELECT no_plan();
SELECT setseed(0.5);
SELECT pg_encoding_max_length(encoding) > 1 AS is_wide, getdatabaseencoding() = 'UTF8' AS is_utf8, getdatabaseencoding() AS encoding FROM pg_database WHERE datname = current_database() \gset

-- Values of each type, as text
CREATE TABLE pool (type regtype, value text);
CREATE FUNCTION put(types text, variadic vals text[]) RETURNS void LANGUAGE sql AS $$ INSERT INTO pool SELECT t::regtype, v FROM unnest(string_to_array(types, ' ')) t, unnest(vals) v $$;
SELECT put('bool', 't', 'f') \g /dev/null
SELECT put('int2 int4 int8 float4 float8 numeric money', '0', '1', '-1', '2', '7', '10', '100', '1000', '32767', '-32768') \g /dev/null
SELECT put('int4 int8 float4 float8 numeric', '2147483647', '-2147483648', '65536', '10000000') \g /dev/null
SELECT put('int8 float8 numeric', '9223372036854775807', '-9223372036854775808', '4294967296') \g /dev/null
SELECT put('float4 float8 numeric', 'NaN', 'Infinity', '-Infinity', '0.5', '-2.5', '1e-30', '3e38') \g /dev/null
SELECT put('float8', '1.7976931348623157e308', '-1.7e308', '5e-324', '1e15', '2147483648', '0.9999999999999999', '-0') \g /dev/null
SELECT put('numeric', '1e999', '-1e999', repeat('9', 1000), '0.' || repeat('3', 1000), repeat('7', 1000) || '.' || repeat('1', 1000), '1.0000000001', '1e-1000', '1e1000', '1e131071', '0.0000', '999.' || repeat('7', 1000)) \g /dev/null
SELECT put('money', '92233720368547758.07', '-92233720368547758.08') \g /dev/null
SELECT put('text varchar bpchar', '', 'a', 'A\', '\', '%', ' ', '1', '-1', '1e10', '1e131071', 'NaN', 'infinity', '2020-02-30', '2020-01-01 10:11:12.123456', '0001-01-01 BC', '294277-01-01', '24:00:00', 'P1Y', '99999999 years', 'true',
	'month', 'century', 'timezone', 'julian', 'epoch', '{', '{1,2}', '192.168.1.1/24', '::1/200', '08:00:2b:01:02:03', '[1,5)', 'empty', '0x1F', '01890a5d-ac96-774b-bcce-b302099a8057', 'hex', 'base64', 'escape', 'NFC', 'NFKD', '\0041', '\+010FFFF', '\uD800', E'\x01', repeat('a', 1000),
	repeat('9', 8000), repeat('[', 4000), repeat(' ', 4000), repeat('a b', 2000), repeat('-', 8000), repeat('0', 4000)) \g /dev/null
\if :is_wide
SELECT put('text varchar bpchar', U&'\00e9', repeat(U&'\00e4', 3900)) WHERE :'encoding' = 'UTF8' \g /dev/null
\endif
\if :is_utf8
-- many accents, from above to below
SELECT put('text', string_agg(repeat(c, 180), '')) FROM regexp_split_to_table(U&'\0360\0345\035D\0301\031A\0316\0327\0334\05b0\05b1\064b', '') c \g /dev/null
\endif
-- Letters beyond ASCII, of which not all have another case, and bytes that are no letters
SELECT put('text varchar bpchar', convert_from(bytes, :'encoding')) FROM (VALUES ('EUC_JP', '\x8fabce8fa9a1a4a2a3c1'::bytea), ('LATIN1', '\xe4dfffb5'), ('SQL_ASCII', '\xfffe80c3')) v (encoding, bytes) WHERE encoding = :'encoding' \g /dev/null
SELECT put('"char"', '', 'A', '\') \g /dev/null
SELECT put('bytea', '', '\x00', '\xff', '\x616263', '\x' || repeat('00ff', 2000), '\x' || repeat('61', 7000)) \g /dev/null
SELECT put('bit varbit', '0', '1') \g /dev/null
SELECT put('varbit', '', '10101010', repeat('1', 64), repeat('01', 30000), repeat('0', 60000)) \g /dev/null
SELECT put('uuid', '00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', '01890a5d-ac96-774b-bcce-b302099a8057', 'c232ab00-9414-11ec-b3c8-9f6bdeced846') \g /dev/null
SELECT put('date timestamp timestamptz', 'infinity', '-infinity', '4713-01-02 BC', '2000-01-01', '2020-02-29', '0001-01-01', '0001-12-31 BC', '294276-12-30') \g /dev/null
SELECT put('date', '5874897-12-31', '294277-01-01') \g /dev/null
SELECT put('timestamp timestamptz', '2020-02-29 12:34:56.789', '294276-12-30 23:59:59.999999') \g /dev/null
SELECT put('time timetz', '00:00', '24:00', '12:34:56.789', '23:59:59.999999') \g /dev/null
SELECT put('timetz', '24:00-15:59', '00:00+15:59') \g /dev/null
SELECT put('interval', '0', '1 day', '-1 day', '1 month', '178000000 years', '-178000000 years', '2147483647 days', '-2147483648 days', '2147483647 hours', '1 microsecond', '1 year 2 mons -3 days 04:05:06.789') \g /dev/null
SELECT put('inet cidr', '0.0.0.0/0', '255.255.255.255', '192.168.1.0/24', '::/0', 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff') \g /dev/null
SELECT put('inet', '192.168.1.1/24') \g /dev/null
SELECT put('macaddr macaddr8', '00:00:00:00:00:00', 'ff:ff:ff:ff:ff:ff', '08:00:2b:01:02:03') \g /dev/null
SELECT put('point', '(0,0)', '(1e308,-1e308)', '(NaN,Infinity)', '(1,2)', '(5e-324,0)') \g /dev/null
SELECT put('lseg', '[(0,0),(1,1)]', '[(0,0),(0,0)]', '[(1e308,-1e308),(-1e308,1e308)]', '[(NaN,1),(1,Infinity)]') \g /dev/null
SELECT put('box', '(0,0),(1,1)', '(0,0),(0,0)', '(1e308,-1e308),(-1e308,1e308)', '(NaN,1),(1,Infinity)') \g /dev/null
SELECT put('line', '{1,0,0}', '{0,1,0}', '{1e308,1e308,1e308}', '{NaN,1,1}', '{5e-324,1,0}') \g /dev/null
SELECT put('circle', '<(0,0),1>', '<(0,0),0>', '<(1e308,1e308),1e308>', '<(NaN,0),NaN>', '<(0,0),Infinity>') \g /dev/null
SELECT put('jsonb', '{}', '[]', '1', '"a"', 'null', 'true', '{"a": 1, "b": 2}', '{"a": {"b": [1, 2, {"c": null}]}}', '[1, 2, 3, [4, [5]]]', '1e999', '1e1000', '1e131071', '["a", "b"]', '99999999999999999999', '-0.5',
	repeat('[', 100) || repeat(']', 100), repeat('[', 101) || repeat(']', 101), '[' || repeat('1e999,', 700) || '1]', '[' || repeat('1e131071,', 200) || '1]', '{"a": "' || repeat('x', 8000) || '"}', '[' || repeat('1,', 700) || '1]') \g /dev/null
SELECT put('text[]', '{}', '{a}', '{a,b,NULL}', '{0,-1,x}', '{{a,b},{c,d}}', '{' || repeat('a,', 300) || 'b}', '[-2147483648:-2147483647]={a,b}') \g /dev/null
SELECT put('int4range numrange', 'empty', '(,)', '[1,2)', '[5,5]', '[1,)', '[-2147483648,2147483647)') \g /dev/null
SELECT put('numrange', '[-Infinity,Infinity]', '[1e131071,)', '[0.1,0.2]') \g /dev/null
SELECT put('tstzrange', 'empty', '(,)', '[2000-01-01,2000-02-01)', '[-infinity,infinity]', '[2000-01-01,)') \g /dev/null
-- What must be a constant: the argument's number, and some, as SQL
CREATE TABLE constants AS SELECT to_regprocedure(function)::oid AS function, n, constant FROM (VALUES
	('to_char(timestamp,text) to_char(timestamptz,text) to_char(interval,text)', 2, ARRAY['''YYYY-MM-DD HH24:MI:SS.US''::text', '''J RM Q IYYY IW''::text']),
	('to_char(int4,text) to_char(int8,text) to_char(float4,text) to_char(float8,text) to_char(numeric,text) to_number(text,text)', 2,
		ARRAY['''FM9999999999.99''::text', '''RN''::text', '''9.9EEEE''::text', '''S9G999''::text', format('%L::text', repeat('9', 900))]),
	('to_date(text,text) to_timestamp(text,text)', 2, ARRAY['''YYYY-MM-DD HH24:MI:SS''::text', '''J''::text', '''SSSSS''::text']),
	('timezone(text,timestamp) timezone(text,timestamptz)', 1, ARRAY['''UTC''::text', '''Europe/Berlin''::text', '''ABC-3:30''::text']),
	('date_trunc(text,timestamptz,text) date_add(timestamptz,interval,text) date_subtract(timestamptz,interval,text)', 3, ARRAY['''Pacific/Apia''::text']),
	('bpchar(bpchar,int4,bool) "bit"(bit,int4,bool) "bit"(int4,int4) "bit"(int8,int4)', 2, ARRAY['1', '0', '-1', '8192']),
	('normalize(text,text) is_normalized(text,text)', 2, ARRAY['''NFC''::text', '''NFKD''::text']), ('normalize(text,text) is_normalized(text,text)', NULL, ARRAY[NULL]),
	('ltrim(text,text) rtrim(text,text)', 2, ARRAY['''a1 ''::text']), ('ltrim(bytea,bytea) rtrim(bytea,bytea)', 2, ARRAY['''\x6100''::bytea'])) v (functions, n, constants),
	string_to_table(functions, ' ') function, unnest(constants) constant;

CREATE TABLE calls (function oid, name text, called bigint, gave bigint, slowest float8, failed text, peak bigint);
-- One call of a function, or a cast, over random values: a query of many rows.  How an error that escapes is found.  What it gives is counted:
-- PostgreSQL computes no column that nobody reads.
CREATE FUNCTION fuzz(function oid, name text, expression text, types regtype[], result regtype, rounds int) RETURNS void LANGUAGE plpgsql AS $$
DECLARE
	base bigint;
	called bigint;
	gave bigint;
	slowest float8;
	failed text;
	columns text := (SELECT string_agg(format('(SELECT value FROM pool WHERE type = %L::regtype ORDER BY random() * i LIMIT 1)::%s AS a%s', t, t, n), ', ') FROM unnest(types) WITH ORDINALITY u (t, n));
	query text := format('SELECT count(*), count(value), max(stop - start) FROM (SELECT test_cpu_time() AS start, gaussdp_internal.contained(NULL::%s, test_tree(%L, %L)%s) AS value, test_cpu_time() AS stop FROM (SELECT %s FROM generate_series(1, %s) i OFFSET 0) s OFFSET 0) t', result, expression, types,
		(SELECT string_agg(format(', a%s', n), '' ORDER BY n) FROM generate_series(1, cardinality(types)) n), columns, rounds);
BEGIN
	base := test_peak();
	BEGIN
		EXECUTE query INTO called, gave, slowest;
	EXCEPTION WHEN OTHERS THEN
		failed := SQLSTATE || ' ' || SQLERRM || ' ' || expression;
	END;
	INSERT INTO calls VALUES (function, name, called, gave, slowest, failed, test_peak());
END $$;

-- Functions: polymorphic ones of ranges by three types
SELECT count(fuzz(p.oid, p.proname || coalesce(' ' || left(constant, 30), ''), format('pg_catalog.%I(%s)', p.proname, (SELECT string_agg(CASE WHEN k = n THEN constant ELSE '$' || k - (k > coalesce(n, k))::int END, ', ' ORDER BY k) FROM generate_series(1, p.pronargs) k)),
	(SELECT array_agg(CASE t WHEN 'anyrange'::regtype THEN r.range::regtype WHEN 'anyelement'::regtype THEN r.element::regtype ELSE t::regtype END ORDER BY k) FROM unnest(p.proargtypes) WITH ORDINALITY u (t, k) WHERE k IS DISTINCT FROM n),
	CASE p.prorettype WHEN 'anyrange'::regtype THEN r.range::regtype WHEN 'anyelement'::regtype THEN r.element::regtype ELSE p.prorettype::regtype END, :rounds))
FROM pg_proc p JOIN (VALUES ('int4range', 'int4'), ('numrange', 'numeric'), ('tstzrange', 'timestamptz')) r (range, element) ON r.range = 'int4range' OR 'anyrange'::regtype = ANY (p.proargtypes)
	LEFT JOIN constants c ON c.function = p.oid
WHERE gaussdp_internal.is_pure(p.oid) \g /dev/null
-- Casts by way of text, both ways
SELECT count(fuzz(0, 'text to ' || t, format('$1::text::%s', t), '{text}', t, :rounds * 5)) FROM unnest(ARRAY['bool', 'int2', 'int4', 'int8', 'float4', 'float8', 'numeric', 'money', 'uuid', 'bytea', 'date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval',
	'inet', 'cidr', 'macaddr', 'macaddr8']::regtype[]) t WHERE t::text <> 'text' \g /dev/null
SELECT count(fuzz(0, t || ' to text', '$1::text', ARRAY[t], 'text', :rounds * 5)) FROM unnest(ARRAY['int2', 'float4', 'float8', 'numeric', 'money', 'uuid', 'bytea', 'date', 'time', 'timetz', 'timestamp', 'timestamptz', 'interval',
	'macaddr', 'macaddr8', 'jsonb', 'varbit']::regtype[]) t \g /dev/null

SELECT cmp_ok((SELECT count(DISTINCT function) FROM calls WHERE function > 0), '=', (SELECT count(*) FROM pg_proc WHERE gaussdp_internal.is_pure(oid)), 'each pure function is called');
SELECT cmp_ok((SELECT sum(called) FROM calls), '>', 900::numeric * :rounds, 'many times');
SELECT cmp_ok((SELECT sum(gave) FROM calls), '>', (SELECT sum(called) / 2 FROM calls), 'most with a value');
SELECT is_empty($$SELECT name, failed FROM calls WHERE failed IS NOT NULL$$, 'no error escapes');
\if :{?full}
-- some know UTF8 alone
SELECT is_empty(format($$SELECT min(name), sum(called) FROM calls WHERE %L OR name !~ '^(normalize|is_normalized|unicode_assigned|casefold)' GROUP BY function, CASE WHEN function = 0 THEN name END HAVING sum(gave) = 0$$, :'is_utf8'), 'each gives a value');
SELECT is_empty($$SELECT name, slowest FROM calls WHERE slowest > 100000$$, 'no call takes a tenth of a second of the processor');
\endif
-- the first call of a process may look many things up
SELECT is_empty($$SELECT name, peak - least FROM (SELECT name, peak, min(peak) OVER () AS least FROM calls) c WHERE peak - least > 64 * 1024 * 1024$$, 'no call takes much memory');
SELECT diag(format('%s calls of %s, %s with a value; the slowest %s ms (%s)', sum(called), count(*), sum(gave), round(max(slowest)::numeric / 1000), (array_agg(name ORDER BY slowest DESC NULLS LAST))[1])) FROM calls;

SELECT * FROM finish();
