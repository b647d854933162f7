\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A value of a row never makes an error: it is skipped or clamped, whatever it is.  At epsilon 1e6
-- the noise of a sum is below 1/100 of its bound, so that sums tell what each value counted for.
BEGIN;
SELECT plan(45);

CREATE FUNCTION sum_of(type text, value text, lower float8, upper float8) RETURNS float8 LANGUAGE plpgsql AS
$$DECLARE r float8; BEGIN EXECUTE format('SELECT dp_sum(%L::%s, 1e6, 1e-6, %s, %s)', value, type, lower, upper) INTO r; RETURN r; END$$;

CREATE TABLE v (type text, value text, counts_for float8);
INSERT INTO v VALUES
('int2', '-32768', -10), ('int2', '32767', 10), ('int2', '7', 7), ('int2', NULL, 0),
('int4', '-2147483648', -10), ('int4', '2147483647', 10), ('int4', '-7', -7), ('int4', NULL, 0),
('int8', '-9223372036854775808', -10), ('int8', '9223372036854775807', 10), ('int8', '3', 3), ('int8', NULL, 0),
('float4', 'NaN', 0), ('float4', 'Infinity', 10), ('float4', '-Infinity', -10), ('float4', '1e-45', 0), ('float4', '3e38', 10),
('float8', 'NaN', 0), ('float8', 'Infinity', 10), ('float8', '-Infinity', -10), ('float8', '-0', 0), ('float8', '5e-324', 0),
('float8', '1.7976931348623157e308', 10), ('float8', '-1.7976931348623157e308', -10), ('float8', '9.999', 9.999), ('float8', NULL, 0),
('numeric', 'NaN', 0), ('numeric', 'Infinity', 10), ('numeric', '-Infinity', -10), ('numeric', '1e131071', 10), ('numeric', '-1e131071', -10),
('numeric', '1e-16383', 0), ('numeric', '0', 0), ('numeric', '-0.00', 0), ('numeric', '2.5', 2.5), ('numeric', NULL, 0);
SELECT ok(abs(sum_of(type, value, -10, 10) - counts_for) < 0.1, format('%s %s counts for %s', type, value, counts_for)) FROM v;

SELECT ok(abs(sum_of('int8', '9223372036854775807', 0, 1e19) - 9223372036854775807) < 1e17, 'the largest int8 within wide bounds');
SELECT ok(abs(sum_of('float8', '0.55', 0.5, 0.6) - 0.55) < 0.006, 'bounds between two integers');
SELECT ok(abs(sum_of('int4', '0', 0.5, 0.6) - 0.5) < 0.006, 'an integer below such bounds counts for the bound');
SELECT ok(abs(dp_sum(x, 1e6, 1e-6, -10, 10) - 1500) < 1, 'sums of equal values, NULL and NaN among them')
FROM (SELECT 1.5::float8 AS x FROM generate_series(1, 1000) UNION ALL SELECT unnest(ARRAY[NULL, 'NaN']::float8[])) s;
SELECT ok(abs(dp_avg(x, 1e6, 1e-6, 0, 10) - 1.5) < 0.1 AND dp_count(x, 1e6, 1e-6) = 1001, 'NaN is no value of an average, but counted, as count does')
FROM (SELECT 1.5::float8 AS x FROM generate_series(1, 1000) UNION ALL SELECT unnest(ARRAY[NULL, 'NaN']::float8[])) s;
SELECT ok(bool_and(a BETWEEN -1 AND 1), 'an average stays within its bounds')
FROM (SELECT dp_avg(1::float8, 0.1, 1e-6, -1, 1) AS a FROM generate_series(1, 1000) g GROUP BY g) s;

-- Whoever lays out the values on disk: compressed, external, short header
CREATE TABLE toasted (n numeric);
ALTER TABLE toasted ALTER n SET STORAGE EXTERNAL;
INSERT INTO toasted SELECT repeat('9', 100000)::numeric FROM generate_series(1, 3);
SELECT ok(abs(dp_sum(n, 1e6, 1e-6, 0, 10) - 30) < 0.5, 'numeric stored out of line') FROM toasted;
CREATE TABLE compressed (n numeric);
ALTER TABLE compressed ALTER n SET STORAGE MAIN;
INSERT INTO compressed SELECT -repeat('7', 20000)::numeric FROM generate_series(1, 3);
SELECT ok(abs(dp_sum(n, 1e6, 1e-6, -10, 10) + 30) < 0.5 AND bool_and(pg_column_size(n) < 9000), 'numeric compressed') FROM compressed;

-- The same value when PostgreSQL runs the final function again
SET LOCAL enable_material = off;
SET LOCAL enable_memoize = off;
CREATE TABLE o AS SELECT generate_series(1, 5) AS i;
SELECT is(count(DISTINCT (k, c, s, a))::int, 3, 'a rescanned hash aggregate keeps what it released')
FROM o LEFT JOIN (SELECT g % 3 AS k, dp_count(1, 1e-6) c, dp_sum(g, 1, 1e-6, 0, 10) s, dp_avg(g, 1, 1e-6, 0, 10) a
	FROM generate_series(1, 100) g GROUP BY 1 OFFSET 0) q ON i > k - 10;

SELECT * FROM finish();
ROLLBACK;
