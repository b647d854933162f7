\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Values that break arithmetic elsewhere (attacks 1.8, 1.10): no error, no NaN, Infinity or NULL, and
-- nothing beyond what any other value within the bounds would do.
BEGIN;
SELECT plan(76);

CREATE TABLE special (type text, x text, stands_for float8);
INSERT INTO special VALUES
	('float8', 'NaN', NULL), ('float8', 'Infinity', 100), ('float8', '-Infinity', -100), ('float8', '-0', 0), ('float8', '5e-324', 0),
	('float8', '1e308', 100), ('float8', '-1e308', -100), ('float8', NULL, NULL), ('float4', 'NaN', NULL), ('float4', '-Infinity', -100), ('float4', '1e-45', 0),
	('float4', '3e38', 100), ('numeric', 'NaN', NULL), ('numeric', 'Infinity', 100), ('numeric', '-Infinity', -100), ('numeric', '-1e1000', -100),
	('numeric', '1e-1000', 0), ('numeric', NULL, NULL), ('int8', '9223372036854775807', 100), ('int8', '-9223372036854775808', -100),
	('int4', '-2147483648', -100), ('int4', '2147483647', 100), ('int2', '-32768', -100), ('int2', NULL, NULL);
-- 2,000 draws over a group of that value alone
CREATE FUNCTION draws(call text, type text, x text) RETURNS SETOF float8 LANGUAGE plpgsql AS
'BEGIN RETURN QUERY EXECUTE format(''SELECT %s::float8 FROM generate_series(1, 2000) i, (SELECT %L::%s AS x) v GROUP BY i'', call, x, type); END';
SELECT ok(good, label) FROM (SELECT count(d) = 2000 AND bool_and(d BETWEEN -1e6 AND 1e6) AND abs(avg(d) - coalesce(stands_for, 0)) < 6 * dp_gaussian_sigma(1, 1e-6, 100) / sqrt(2000) AS good,
	format('dp_sum of %s::%s', coalesce(x, 'NULL'), type) AS label
FROM special, draws('dp_sum(x, 1, 1e-6, -100, 100)', type, x) d GROUP BY type, x, stands_for ORDER BY label) s;
-- The same number of rows with a value of every size: the average stays within the bounds.
SELECT ok(good, label) FROM (SELECT count(d) = 2000 AND bool_and(d BETWEEN -100 AND 100) AND abs(avg(d) - coalesce(stands_for, 0)) < 110 AND stddev(d) > 0 AS good,
	format('dp_avg of %s::%s', coalesce(x, 'NULL'), type) AS label
FROM special, draws('dp_avg(x, 1, 1e-6, -100, 100)', type, x) d GROUP BY type, x, stands_for ORDER BY label) s;
SELECT ok(good, label) FROM (SELECT abs(avg(d) - CASE WHEN x IS NULL THEN 0 ELSE 1 END) < 6 * sqrt(dp_gaussian_sigma(1, 1e-6, 1) ^ 2 + 1 / 12.0) / sqrt(2000) AS good,
	format('dp_count of %s::%s', coalesce(x, 'NULL'), type) AS label
FROM special, draws('dp_count(x, 1, 1e-6)', type, x) d GROUP BY type, x, stands_for ORDER BY label) s;
SELECT ok(bool_and(a BETWEEN 5 AND 7) AND count(a) = 10000, format('dp_avg over %s rows stays within its bounds', n))
FROM (SELECT n, dp_avg(x, 0.1, 1e-6, 5, 7) FILTER (WHERE x > 0) AS a FROM (VALUES (0), (1), (2)) v(n), generate_series(1, 10000) i,
	LATERAL (SELECT 6.5::float8 AS x FROM generate_series(1, n) UNION ALL SELECT -1) t GROUP BY n, i) s GROUP BY n;
-- Four rows at the end of int8 are more than an int8 holds (attacks 1.7c).
SELECT ok(abs(avg(d) / 2::float8 ^ 64 - 1) < 6 * dp_gaussian_sigma(8, 1e-6, 0.25) / sqrt(200) AND min(d) > 0, 'four rows of 2^62')
FROM (SELECT dp_sum(x, 8, 1e-6, 0, 2::float8 ^ 62) AS d FROM generate_series(1, 200) i, (SELECT 4611686018427387904 AS x FROM generate_series(1, 4)) t GROUP BY i) s;

SELECT * FROM finish();
ROLLBACK;
