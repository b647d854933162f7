\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Rows of people, grouped by keys that are the same column by different names, also by more of these than their table has columns.
SET client_min_messages = warning;
CREATE TABLE visit (u int NOT NULL, a int);
INSERT INTO visit SELECT i % 200, i % 2 FROM generate_series(1, 2000) i;
CREATE ROLE keys_ana;
SELECT gaussdp.protect('visit', unit => 'u', max_rows => 5, max_groups => 3) \g /dev/null
SELECT gaussdp.grant_budget('keys_ana', 'visit', epsilon => 500, delta => 1e-3) \g /dev/null
SELECT plan(4);

SET ROLE keys_ana;
SELECT is(string_agg(concat_ws(' ', a, b), ', '), '0 0, 1 1', 'two names of one column')
	FROM (SELECT a, b FROM (SELECT a, a AS b FROM visit) s GROUP BY a, b HAVING dp_keep_group(10, 1e-6)) r;
SELECT is(string_agg(concat_ws(' ', a, b, c, d, n > 0), ', '), '1 1 1 1 t', 'four names of one column, in HAVING and ORDER BY')
	FROM (SELECT a, b, c, d, dp_count(10, 1e-6) AS n FROM (SELECT a, a AS b, a AS c, a AS d FROM visit) s GROUP BY a, b, c, d
	HAVING dp_keep_group(10, 1e-6) AND c > 0 ORDER BY b DESC) r;
SELECT is(string_agg(concat_ws(' ', a, b), ', '), '1 1, 2 2', 'two names of one expression')
	FROM (SELECT a, b FROM (SELECT abs(a) + 1 AS a, abs(a) + 1 AS b FROM visit) s GROUP BY a, b HAVING dp_keep_group(10, 1e-6)) r;
SELECT is(count(*)::int, 2, 'names of it that are not shown')
	FROM (SELECT dp_count(10, 1e-6) FROM (SELECT a, a AS b FROM visit) s GROUP BY a, b HAVING dp_keep_group(10, 1e-6)) r;
RESET ROLE;
SELECT * FROM finish();
