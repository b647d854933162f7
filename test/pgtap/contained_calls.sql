\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- contained(): a value where the expression has one, NULL where it fails; limits; what it does not evaluate; nothing is left behind.
SET client_min_messages = warning;
\ir ../module/contained.sql
SELECT no_plan();
\getenv full GAUSSDP_FULL
\if :{?full}
SELECT 200000 AS errors, 10000 AS texts, 4 AS around \gset
\else
SELECT 10000 AS errors, 100 AS texts, 1 AS around \gset
\endif

-- Values and errors, row by row
SELECT results_eq($$SELECT gaussdp_internal.contained(NULL::int, test_tree('$1 / $2', '{int,int}'), x, y) FROM (VALUES (6, 2), (1, 0), (NULL, 1), (-2147483648, -1), (8, 2)) v (x, y)$$,
	$$VALUES (3), (NULL), (NULL), (NULL), (4)$$, 'integers divided');
SELECT results_eq($$SELECT gaussdp_internal.contained(NULL::int, test_tree('$1::int', '{text}'), x) FROM (VALUES ('1'), ('x'), (NULL), ('99999999999'), (' 7 ')) v (x)$$,
	$$VALUES (1), (NULL), (NULL), (NULL), (7)$$, 'text to integer');
SELECT results_eq($$SELECT gaussdp_internal.contained(NULL::float8, test_tree('sqrt($1 / $2) + ln($3)', '{float8,float8,float8}'), x, y, z) FROM (VALUES (8::float8, 2::float8, 1::float8), (8, 0, 1), (8, 2, 0), (-8, 2, 1)) v (x, y, z)$$,
	$$VALUES (2::float8), (NULL), (NULL), (NULL)$$, 'a tree');
SELECT format('SELECT is(gaussdp_internal.contained(NULL::text, %L, text ''abcdef'', %s), %L, %L)', e, i, r, 'a function of arguments and constants, in any order: ' || e)
FROM (VALUES ('substr($1, 2, 3)', 1, 'bcd'), ('substr($1, $2, $2)', 3, 'cde'), ('substr(''xyz'', $2)', 2, 'yz'), ('substr($1, $2, -1)', 2, NULL), ('substr($1, NULL, $2)', 2, NULL), ('overlay($1, ''xyz'', $2)', 2, 'axyzef')) v (e, i, r) \gexec
SELECT results_eq($$SELECT gaussdp_internal.contained(NULL::numeric, test_tree('$1 * $2', '{numeric,numeric}'), x, x) FROM (VALUES (2.5), (1e131071), (1e499), (1e500), (1e-501), ('NaN')) v (x)$$,
	$$VALUES (6.25), (NULL), (1e998), (NULL), (NULL), ('NaN'::numeric)$$, 'numerics');
SELECT results_eq($$SELECT gaussdp_internal.contained(NULL::int, test_tree('upper($1) - $2', '{int4range,int}'), r, 1) FROM (VALUES ('[1,5)'::int4range), ('empty'), ('[1,)')) v (r)$$,
	$$VALUES (4), (NULL), (NULL)$$, 'ranges');
SELECT results_eq($$SELECT gaussdp_internal.contained(NULL::date, test_tree('$1::date', '{text}'), x) FROM (VALUES ('2020-02-29'), ('2020-02-30'), ('2020-01-01T10:00:00Z'), ('0044-03-15 BC'), ('now'), ('today'), ('epoch'),
	('infinity'), ('2020-01-01 10:00 Europe/Berlin'), ('2020-01-01 10:00 ZZZ5'), ('2020-01-01 10:00 T/Z'), ('2020-01-01 10:00 <ZZZ>5'), ('1 Jan 2020'), ('')) v (x)$$,
	$$VALUES (date '2020-02-29'), (NULL), ('2020-01-01'), ('0044-03-15 BC'), (NULL), (NULL), (NULL), (NULL), (NULL), (NULL), (NULL), (NULL), (NULL), (NULL)$$,
	'the text of a time names no zone, and is no present time');
SELECT results_eq($$SELECT gaussdp_internal.contained(NULL::timestamptz, test_tree('timezone(''UTC'', $1::timestamp)', '{text}'), x) FROM (VALUES ('2020-02-29 10:00'), ('2020-02-29 10:00 UTC')) v (x)$$,
	$$VALUES (timestamptz '2020-02-29 10:00 UTC'), (NULL)$$, 'nor where another function takes it');

-- What is computed without the executor is what PostgreSQL computes
CREATE FUNCTION of_postgres(e text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE 'SELECT (' || e || ')::text' INTO result;
	RETURN result;
EXCEPTION WHEN data_exception THEN
	RETURN NULL;
END $$;
CREATE FUNCTION quickly(type text, e text, x text, y text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	result text;
BEGIN
	EXECUTE format('SELECT gaussdp_internal.contained(NULL::%1$s, %2$L, %3$L::%1$s, %4$L::%1$s)::text', type, e, x, y) INTO result;
	RETURN result;
END $$;
SELECT is(string_agg(format('%s %s %s: %s, not %s', x, o, y, c, p), '; ') FILTER (WHERE c IS DISTINCT FROM p), NULL, format('%s of %s', o, t))
FROM (VALUES ('int', '{0,1,-1,2,7,46341,-46341,65536,2147483647,-2147483648,1073741824}'::text[]),
		('numeric', '{0,0.00,1,-1,3,-2.50,0.1,12345678901234567890,1e400,1e-400,-1e400,NaN,Infinity,-Infinity}'), ('float8', '{0,-0,1,-1,3,1e-300,-1e-300,5e-324,1e300,-1e300,1.7976931348623157e308,Infinity,-Infinity,NaN,0.1}')) v (t, pool), unnest('{+,-,*,/}'::text[]) o, unnest(pool) x, unnest(pool) y,
	LATERAL (SELECT quickly(t, format('$1 %s $2', o), x, y), of_postgres(format('%L::%s %s %L::%2$s', x, t, o, y))) s (c, p)
GROUP BY o, t
UNION ALL SELECT is(string_agg(format('%s %s: %s, not %s', x, y, c, x || y), '; ') FILTER (WHERE c IS DISTINCT FROM x || y), NULL, 'texts side by side')
FROM unnest(ARRAY['', 'a', 'é', repeat('b', 200), repeat('c', 4000), NULL]) x, unnest(ARRAY['', 'd', 'ß', repeat('e', 200), repeat('f', 4000)]) y, LATERAL gaussdp_internal.contained(NULL::text, '$1 || $2', x, y) c;
SELECT is(string_agg(format('%s ^ %s: %s, not %s', x, y, left(c, 40), left(p, 40)), '; ') FILTER (WHERE c IS DISTINCT FROM p), NULL, 'powers of numerics, of up to 1,000 digits')
FROM (VALUES ('10', '999'), ('0.1', '-999'), ('-2.5', '2501'), ('9.99', '1000'), ('2', '3321.5'), ('2', '-9999.5'), ('1e999', '1'), ('1e-999', '-0.5'), ('1', '1e999'), ('0.5', '1e999'), ('1.0000000001', '99999999999'), ('0', '0'), ('0', '-1'), ('-1', '2147483647'), ('-1', '0.5'),
	('Infinity', '2'), ('2', 'Infinity'), ('-Infinity', '-3'), ('NaN', '1')) v (x, y), LATERAL (SELECT quickly('numeric', '$1 ^ $2', x, y), of_postgres(format('%L::numeric ^ %L::numeric', x, y))) s (c, p);
SELECT is(quickly('numeric', e, x, y), NULL, format('%s ^ %s is too large: %s', left(x, 10), y, e)) FROM unnest('{$1 ^ $2,"power($1, $2)","pow($1, $2)",sqrt($1 ^ $2)}'::text[]) e, (VALUES ('10', '1002'), ('999.' || repeat('7', 1000), '2147483'), ('1e-999', '-2')) v (x, y);
CREATE TABLE bytes AS SELECT concat("char"(-61)::bpchar) AS byte;
SELECT is(gaussdp_internal.contained(NULL::text, '$1 || $2', byte, text 'x') IS NULL, true, 'nor a text of bytes that are no letters') FROM bytes;
-- Texts as numbers: ends of each type, and beside them; more digits than any has, before and behind the point; what a major takes and another one does not; and at random.
CREATE TABLE written AS
SELECT DISTINCT before || sign || body || after AS x FROM unnest('{"","-","+","--","- "}'::text[]) sign, unnest(ARRAY['', ' ', E'\t']) before, unnest(ARRAY['', ' ', E'\n', '.', '_', 'x']) after,
	(SELECT unnest(ARRAY['', '0', '00', '7', '007', '7.0', '.5', '5.', '.', '1..2', '1.2.3', '1 2', '32767', '32768', '2147483647', '2147483648', '9223372036854775807', '9223372036854775808', '1e3', '1E-3', '1e', '1e400', '1e-400', '5e-324', '2e-324', '1.7976931348623159e308',
		'3.4028235e38', '3.4028236e38', '1e-45', '1e-46', '0x10', '0X1F', '0b1', '0o7', '1_000', '1__0', '_1', '1_', '1_0.5', 'NaN', 'inf', 'Infinity', 'infinit', 'x', '٣', '７', '1e1000', '1e131071', '1e131072'])
	UNION ALL SELECT f FROM generate_series(1, 45) n, LATERAL unnest(ARRAY[repeat('9', n), '1' || repeat('0', n), repeat('0', n) || '1', '0.' || repeat('0', n) || '1', '0.' || repeat('9', n), repeat('8', n) || '.5']) f
	UNION ALL SELECT f FROM unnest('{999,1000,1001,7000}'::int[]) n, LATERAL unnest(ARRAY[repeat('9', n), '0.' || repeat('9', n)]) f) b (body)
WHERE length(sign) + length(before) + length(after) <= :around;
SELECT setseed(0.25);
INSERT INTO written SELECT (SELECT string_agg(substr('0123456789012345678901234567890123456789.-+ eE_x', 1 + floor(random() * length)::int, 1), '') FILTER (WHERE k > 0) FROM generate_series(1, i % 40) k) FROM generate_series(1, 20 * :texts) i, LATERAL (SELECT CASE i % 3 WHEN 0 THEN 10 WHEN 1 THEN 41 ELSE 48 END) l (length);
SELECT format($$
CREATE FUNCTION plain_%1$s(text) RETURNS text LANGUAGE plpgsql AS 'BEGIN RETURN $1::%1$s; EXCEPTION WHEN data_exception THEN RETURN NULL; END';
SELECT is(string_agg(format('%%L: %%s, not %%s', left(x, 60), left(c, 60), left(p, 60)), '; ') FILTER (WHERE c IS DISTINCT FROM p AND NOT (c IS NULL AND length(p) > 1000) OR v IS DISTINCT FROM c), NULL, format('%%s texts, of which %%s are numbers, as %1$s', count(*), count(p)))
FROM written, LATERAL (SELECT gaussdp_internal.contained(NULL::%1$s, '$1::%1$s', x)::text, gaussdp_internal.contained(NULL::%1$s, '$1::%1$s', x::varchar)::text, plain_%1$s(x)) s (c, v, p)$$, t)
FROM unnest('{int2,int4,int8,float4,float8,numeric}'::text[]) t \gexec

-- Limits
SELECT is(gaussdp_internal.contained(NULL::int, test_tree('length($1 || $2)', '{text,text}'), repeat('x', n), repeat('y', 100)), r, format('arguments of %s bytes', n))
FROM (VALUES (8000, 8100), (8100, NULL), (1000000, NULL)) v (n, r);
SELECT is(gaussdp_internal.contained(NULL::int, test_tree('length(($1 * $1)::text)', '{numeric}'), x), r, format('numerics of %s digits', length(x::text)))
FROM (VALUES (1e499, 999), (1e500, NULL), (1e999, NULL)) v (x, r);
SELECT is(gaussdp_internal.contained(NULL::int, test_tree('length(($1)::text)', '{numeric}'), x), r, format('numerics of %s digits', length(x::text)))
FROM (VALUES (1e999, 1000), (1e1000, NULL), ('1e-1000', 1002), ('1e-1001', NULL)) v (x, r);
SELECT is(gaussdp_internal.contained(NULL::text, test_tree('$1::text', '{jsonb}'), d::jsonb) IS NULL, r, left(d, 30))
FROM (VALUES (repeat('[', 100) || repeat(']', 100), false), (repeat('[', 101) || repeat(']', 101), true), ('[1e999]', false), ('[1e1000]', true), ('{"a": [[1e131071]]}', true), ('1e131071', true)) v (d, r);
SELECT is(gaussdp_internal.contained(NULL::int, test_tree('length($1 || $1 || $1 || $1 || $1 || $1 || $1 || $1)', '{text}'), repeat('x', n)), r, format('what lies between: %s bytes', 8 * n))
FROM (VALUES (500, 4000), (1000, 8000)) v (n, r);
SELECT is(gaussdp_internal.contained(NULL::int, test_tree('length($1 || $1 || $1 || $1 || $1 || $1 || $1 || $1 || $1)', '{text}'), repeat('x', 1000)), NULL, 'and 9000: functions whose time grows with the square of it are among them');
SELECT is(gaussdp_internal.contained(NULL::int, test_tree('length(pg_catalog.normalize($1, ''NFC''))', '{text}'), repeat('x', n)), r, format('normalized: %s bytes', n))
FROM (VALUES (4000, 4000), (4100, NULL)) v (n, r);
-- stored elsewhere, and compressed
CREATE TABLE stored (x text, y text);
ALTER TABLE stored ALTER y SET STORAGE EXTERNAL;
INSERT INTO stored VALUES (repeat('x', 8000), repeat('y', 8000)), (repeat('x', 9000), repeat('y', 9000)), ('x', 'y');
SELECT results_eq($$SELECT gaussdp_internal.contained(NULL::int, test_tree('length(reverse($1))', '{text}'), x), gaussdp_internal.contained(NULL::int, test_tree('length(reverse($1))', '{text}'), y) FROM stored$$,
	$$VALUES (8000, 8000), (NULL, NULL), (1, 1)$$, 'stored texts');

-- What is not evaluated
SELECT throws_ok(format($$SELECT gaussdp_internal.contained(NULL::%s, test_tree(%L, %L), NULL::%s)$$, r, e, ARRAY[a], a), '22023', 'the expression is none that may be contained', e)
FROM (VALUES ('repeat($1, 10)', 'text', 'text'), ('normalize($1)', 'text', 'text'), ('make_interval(days => $1)', 'int', 'interval'), ('round($1)', 'numeric', 'numeric'), ('random() + $1', 'float8', 'float8'), ('$1 ~ ''x''', 'text', 'bool'), ('now() + $1', 'interval', 'timestamptz'), ('nextval($1)', 'regclass', 'int8'),
	('$1::regclass', 'text', 'regclass'), ('$1::jsonb', 'text', 'jsonb'), ('coalesce($1, 1)', 'int', 'int'), ('(SELECT $1)', 'int', 'int'), ('array_append(''{1}'', $1)', 'int', 'int[]'),
	('timezone($1, timestamp ''2020-01-01'')', 'text', 'timestamptz'), ('ltrim($1, $1)', 'text', 'text'), ('to_char(1, $1)', 'text', 'text'), ('pg_sleep($1)', 'float8', 'void'), ('concat($1, 1)', 'text', 'text'),
	('$1 || repeat(''x'', 2000)', 'text', 'text'), ('$1 + 1e131071', 'numeric', 'numeric'), ('$1 LIKE $1', 'text', 'bool'), ('CASE WHEN $1 > 1 THEN 1 END', 'int', 'int'),
	('$1 + 1', 'int', 'int8'), ('to_date(''1'', ''TMMonth'') + $1', 'int', 'date')) v (e, a, r);
SELECT throws_ok($$SELECT gaussdp_internal.contained(NULL::int, test_tree('$1 + $2', '{int,int}'), 1)$$, '22023', NULL, 'a parameter without an argument');
SELECT throws_ok($$SELECT gaussdp_internal.contained(NULL::int, test_tree('$1 + 1', '{int}'), 1::bigint)$$, '22023', NULL, 'an argument of another type');
SELECT throws_ok($$SELECT gaussdp_internal.contained(NULL::int, t, 1) FROM (SELECT test_tree('$1 + 1', '{int}') AS t OFFSET 0) s$$, '22023', NULL, 'an expression that is no constant');
CREATE TABLE indexed (x int, y int);
CREATE INDEX ON indexed ((x / y));
SELECT throws_ok($$SELECT gaussdp_internal.contained(NULL::int, indexprs, 1) FROM pg_index WHERE indrelid = 'indexed'::regclass$$, '22023', NULL, 'a tree of the catalog');
SELECT throws_ok($$SELECT gaussdp_internal.contained(NULL::int, '{CONST}'::pg_node_tree, 1)$$, '0A000', NULL, 'nobody can write a tree');

-- As SQL, which servers of Citus are sent
CREATE FUNCTION pg_temp.sqrt(float8) RETURNS float8 LANGUAGE sql AS 'SELECT -1::float8';
CREATE FUNCTION public.one() RETURNS int LANGUAGE sql IMMUTABLE STRICT AS 'SELECT 1';
SET search_path = pg_temp, public, pg_catalog;
SELECT results_eq($$SELECT gaussdp_internal.contained(NULL::float8, 'sqrt($1 / $2) + $1::text::int4', x, y) FROM (VALUES (8::float8, 2::float8), (8, 0), (-8, 2), (NULL, 2)) v (x, y)$$,
	$$VALUES (10::float8), (NULL), (NULL), (NULL)$$, 'an expression in SQL, by the names of pg_catalog');
RESET search_path;
SELECT throws_ok(format($$SELECT gaussdp_internal.contained(NULL::int, %L, 1, 'a'::text)$$, e), s, NULL, 'not in SQL: ' || e)
FROM (VALUES ('$1 + (SELECT 1)', '0A000'), ('sum($1)::int', '42803'), ('generate_series(1, $1)', '0A000'), ('$1 + x', '42703'), ('$3', '42P02'), ('$1, $2', '22023'), ('public.one() + $1', '22023'), ('one() + $1', '42883'), ('random()::int + $1', '22023'),
	('$1 + 1::bigint', '22023'), ('$1', '22023'), ('$2::regclass::oid::int', '22023'), ('repeat($2, $1)', '22023'), ('$1 +', '42601'), ('', '22023'), ('*', '22023'), ('CASE WHEN $1 > 0 THEN 1 END', '22023'), ('CAST($1 AS public.nothing)', '42704')) v (e, s);
SELECT throws_ok($$SELECT gaussdp_internal.contained(NULL::int, e, 1) FROM (SELECT '$1 + 1' || '' AS e OFFSET 0) s$$, '22023', NULL, 'SQL that is no constant');

SELECT is(gaussdp_internal.small(7), 7, 'a value of one length is small');
SELECT is(gaussdp_internal.small(now()), now(), 'another one');
SELECT throws_ok('SELECT gaussdp_internal.small(repeat(''x'', 70000))', '54000', NULL, 'a long text is not');
SELECT is(gaussdp_internal.is_pure(0), false, 'no function is not pure');

-- One call after the other of an expression may take long: a cancel comes between two.
CREATE FUNCTION cancelled(query text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	RETURN 'answered';
EXCEPTION WHEN query_canceled THEN
	RETURN SQLERRM;
END $$;
CREATE SEQUENCE goes_on;
SELECT is(cancelled(format($$SELECT gaussdp_internal.contained(NULL::int, %L, test_then_cancelled('a')), nextval('goes_on')$$, e)), 'canceling statement due to user request', 'cancelled: ' || e)
FROM unnest('{"length($1 || $1)","length($1) + 1"}'::text[]) e;
SELECT is(is_called, false, 'before it has a value') FROM goes_on;

-- Nothing is left behind: errors, one after the other
CREATE FUNCTION growth(of text, n int) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
	before bigint;
	within bigint;
	query text := format('SELECT max(memory) - min(memory) FROM (SELECT %s AS value, CASE WHEN i IN (%s / 10, %2$s) THEN test_memory() END AS memory FROM generate_series(1, %2$s) i OFFSET 0) s HAVING count(value) >= 0', of, n);
BEGIN
	EXECUTE query;
	before := test_memory();
	EXECUTE query INTO within;
	RETURN greatest(within, test_memory() - before);
END $$;
SELECT cmp_ok(growth(e, :errors), '<', 100000::bigint, format('%s errors of %s leave no memory, neither in the query nor behind it', :errors, left(e, 60)))
FROM (VALUES ($$gaussdp_internal.contained(NULL::int, test_tree('1 / $1', '{int}'), i - i)$$), ($$gaussdp_internal.contained(NULL::numeric, test_tree('$1::numeric', '{text}'), i || 'x')$$),
	($$gaussdp_internal.contained(NULL::timestamptz, test_tree('$1::timestamptz', '{text}'), i || ' Europe/Berlin')$$), ($$gaussdp_internal.contained(NULL::int4range, test_tree('$1 - $2', '{int4range,int4range}'), int4range(i, i + 9), int4range(i + 3, i + 4))$$),
	($$gaussdp_internal.contained(NULL::text, test_tree('decode($1, ''base64'')::text', '{text}'), i::text || '!')$$)) v (e);
-- in a savepoint, a cursor, and beside an error that is none of its own
BEGIN;
SAVEPOINT s;
SELECT is(gaussdp_internal.contained(NULL::int, test_tree('1 / $1', '{int}'), 0), NULL, 'within a savepoint');
ROLLBACK TO s;
DECLARE c CURSOR FOR SELECT gaussdp_internal.contained(NULL::int, test_tree('1 / $1', '{int}'), i) FROM generate_series(0, 1) i;
FETCH 1 FROM c;
SELECT is(gaussdp_internal.contained(NULL::int, test_tree('1 / $1', '{int}'), 1), 1, 'between the rows of a cursor');
FETCH 1 FROM c;
COMMIT;
-- What an analyst has made is not looked up when the first row comes, where it may be gone.
BEGIN;
CREATE OPERATOR public./// (leftarg = int, rightarg = int, function = int4div);
DECLARE d CURSOR FOR SELECT gaussdp_internal.contained(NULL::int, test_tree('($1 OPERATOR(public.///) $2) + 1', '{int,int}'), 6, i) FROM generate_series(1, 3) i;
DROP OPERATOR public./// (int, int);
SELECT results_eq('d'::refcursor, 'VALUES (7), (4), (3)', 'an operator that is dropped before the first row');
COMMIT;
SELECT throws_ok($$SELECT gaussdp_internal.contained(NULL::int, test_tree('1 / $1', '{int}'), i), 1 / i FROM generate_series(-1, 0) i$$, '22012', NULL, 'errors outside are errors');
SELECT * FROM finish();
