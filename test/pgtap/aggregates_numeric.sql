\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Numeric values are read from their bytes; the server's own conversion is the reference.
\getenv testlib GAUSSDP_TESTLIB
BEGIN;
SELECT plan(6);

CREATE FUNCTION test_numeric_to_double(numeric) RETURNS float8 AS :'testlib' LANGUAGE C STRICT;
SELECT setseed(0.7);

CREATE FUNCTION close(a float8, b float8) RETURNS boolean LANGUAGE sql
	RETURN a = b OR abs(a - b) <= 1.2e-15 * abs(b);

SELECT is_empty($$SELECT n FROM (SELECT (i * 0.01)::numeric(12, 2) AS n FROM generate_series(-100000, 100000, 7) i) s
	WHERE test_numeric_to_double(n) <> n::float8$$, 'two decimals: correctly rounded');
SELECT is_empty($$SELECT n FROM (SELECT i::numeric AS n FROM generate_series(-1000000, 1000000, 77) i) s
	WHERE test_numeric_to_double(n) <> n::float8$$, 'integers: exact');
-- Any number of digits before and after the point, either sign
SELECT is_empty($$SELECT n FROM (
	SELECT (CASE WHEN random() < 0.5 THEN '-' ELSE '' END || ltrim(substr(digits, 1, a), '0') || '0.' || substr(digits, a + 1, b))::numeric AS n
	FROM (SELECT string_agg((random() * 9)::int::text, '') AS digits, (random() * 60)::int AS a, (random() * 60)::int AS b
		FROM generate_series(1, 120) d, generate_series(1, 20000) g GROUP BY g) s) t
	WHERE NOT close(test_numeric_to_double(n), n::float8)$$, 'random digits: within 1.2e-15');
SELECT is_empty($$SELECT n FROM (SELECT ('1.2345678e' || e)::numeric AS n FROM generate_series(-300, 308) e) s
	WHERE NOT close(test_numeric_to_double(n), n::float8)$$, 'every power of ten that a double holds');
SELECT results_eq($$SELECT test_numeric_to_double(n) FROM (VALUES (1, 'NaN'::numeric), (2, 'Infinity'), (3, '-Infinity'), (4, 0), (5, '1e400'), (6, '-1e131000'), (7, '1e-400')) v(i, n) ORDER BY i$$,
	ARRAY['NaN', 'Infinity', '-Infinity', 0, 'Infinity', '-Infinity', 0]::float8[], 'special, huge and tiny values');
SELECT is_empty($$SELECT n FROM (SELECT (random() * 1e12)::numeric * (10::numeric ^ e) AS n FROM generate_series(-400, 400) e) s
	WHERE test_numeric_to_double(n) IS NULL OR test_numeric_to_double(n) < 0$$, 'every weight gives a number');

SELECT * FROM finish();
ROLLBACK;
