\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Tried in vain: queries without rows, unknown sizes, arithmetic that ends with its type, lists of public values
-- and keys of numerics.
\getenv testlib GAUSSDP_TESTLIB
CREATE TABLE person (u int PRIMARY KEY, town text, age int);
CREATE TABLE visit (u int NOT NULL, day int, cost numeric(12, 3));
CREATE TABLE codes (code int);
INSERT INTO codes VALUES (1), (NULL);
INSERT INTO person SELECT u, 't' || u % 3, u FROM generate_series(1, 50) u;
INSERT INTO visit SELECT u, u % 5, u FROM generate_series(1, 20) u;
-- Each row has the ends of all types, or none.
CREATE TABLE extreme (u int PRIMARY KEY, s smallint, i int, b bigint, f float8, m numeric, p numeric(9, 2), q numeric(3, -2), d date, ts timestamp, tz timestamptz);
INSERT INTO extreme SELECT row_number() OVER (), e.* FROM (VALUES
	('-32768'::smallint, '-2147483648'::int, '-9223372036854775808'::bigint, -1.7976931348623157e308::float8, -1e131071::numeric, -9999999.99::numeric, -99900::numeric, '4713-01-01 BC'::date, '4713-01-01 BC'::timestamp, '4714-11-24 00:00+00 BC'::timestamptz),
	(32767, 2147483647, 9223372036854775807, 1.7976931348623157e308, 1e131071, 9999999.99, 99900, '5874897-12-31', '294276-12-31 23:59:59.999999', '294276-12-31 23:59:59.999999+00'),
	(-1, -1, -1, 'NaN', 'NaN', 'NaN', 'NaN', 'infinity', 'infinity', 'infinity'), (0, 0, 0, '-0', 'Infinity', 0, 0, '-infinity', '-infinity', '-infinity'),
	(181, 46341, 3037000500, 'Infinity', '-Infinity', 1.1, 100, '294277-01-01', '2011-12-30', '2011-12-30'), (NULL, NULL, NULL, 5e-324, '1e-16383', NULL, NULL, NULL, NULL, NULL)) e;
CREATE ROLE empty_ana;
CREATE ROLE empty_counts;
CREATE ROLE empty_bob IN ROLE empty_counts;
GRANT SELECT ON codes TO empty_ana;
DO $$BEGIN
	PERFORM gaussdp.protect('person', 'u', people => 'all of us'), gaussdp.protect('visit', 'u', people => 'all of us', max_rows => 1), gaussdp.protect('extreme', 'u', max_rows => 1);
	PERFORM gaussdp.grant_budget('empty_ana', t, 900, 1e-3) FROM unnest('{person,visit,extreme}'::regclass[]) t;
	PERFORM gaussdp.lock_down();
END$$;
CREATE SCHEMA tried AUTHORIZATION empty_ana;
SELECT plan(65);
-- A plan that was made with a privilege on one column, and hides another, is not kept when the privilege goes.
GRANT SELECT (reltuples) ON pg_class TO empty_counts;
SET ROLE empty_bob;
PREPARE sizes AS SELECT reltuples = -1 FROM pg_class WHERE relname = 'pg_type' AND relpages = 0;
SELECT results_eq('EXECUTE sizes', 'VALUES (false)', 'a column that may be read is');
RESET ROLE;
REVOKE empty_counts FROM empty_bob;
SET ROLE empty_bob;
SELECT results_eq('EXECUTE sizes', 'VALUES (true)', 'and no more without the membership');
RESET ROLE;

SET ROLE empty_ana;
SET search_path = tried, public;
CREATE TABLE mine (u int);
CREATE VIEW people AS SELECT * FROM person;
CREATE FUNCTION counts() RETURNS SETOF real LANGUAGE sql STABLE AS 'SELECT reltuples FROM pg_class';
CREATE FUNCTION count_of(c pg_class) RETURNS real LANGUAGE sql STABLE AS 'SELECT c.reltuples';
SELECT throws_ok(q, '42501', NULL, q) FROM unnest(ARRAY[
	-- no row of this, and of what is around it some
	'SELECT (SELECT dp_count(o.u, 1, 1e-6) FROM visit WHERE 1 = 0) FROM person o', 'SELECT (SELECT count(o.u) FROM visit WHERE 1 = 0) FROM person o',
	'SELECT dp_count(1, 1e-6) FROM person p LEFT JOIN (SELECT * FROM visit WHERE 1 = 0) v ON v.u = p.u', 'SELECT count(*) FROM visit WHERE 1 = 0 GROUP BY GROUPING SETS ((u), ())',
	'SELECT * FROM visit LIMIT (SELECT 0)', 'DELETE FROM mine USING (SELECT * FROM visit WHERE false) v, person p WHERE v.u = mine.u',
	'INSERT INTO mine SELECT u FROM visit LIMIT 0 RETURNING (SELECT max(age) FROM person)',
	'INSERT INTO mine SELECT 0 FROM codes JOIN (SELECT ''x''::text AS c FROM people) v ON EXISTS (SELECT FROM pg_class WHERE relname = v.c)',
	-- lists that are not public, and NULLs in them
	'WITH c AS (SELECT max(age) AS m FROM person) SELECT dp_count(1, 1e-6) FROM visit WHERE day IN (SELECT m FROM c)', 'WITH c AS (SELECT age AS m FROM person) SELECT dp_count(1, 1e-6) FROM visit WHERE day IN (SELECT m FROM c)',
	'WITH RECURSIVE c AS (SELECT age AS m FROM person UNION ALL SELECT 1 FROM c WHERE false) SELECT dp_count(1, 1e-6) FROM visit WHERE day IN (SELECT m FROM c)',
	'SELECT dp_count(1, 1e-6) FROM person p WHERE u NOT IN (SELECT v.u FROM person q LEFT JOIN visit v ON v.u = q.u)', 'SELECT dp_count(1, 1e-6) FROM person p WHERE u IN (SELECT DISTINCT v.u FROM visit v LIMIT 3)',
	'SELECT dp_count(1, 1e-6) FROM person p WHERE EXISTS (SELECT FROM visit v WHERE v.u = p.u LIMIT 1 OFFSET 1)', 'SELECT dp_count(1, 1e-6) FROM person p WHERE u IN (SELECT DISTINCT ON (day) v.u FROM visit v ORDER BY day, cost)',
	-- sizes
	'SELECT j FROM (pg_class a JOIN (SELECT ''person''::name AS relname) x USING (relname)) j', 'SELECT (c).reltuples, (c.*)::text FROM pg_class c', 'SELECT reltuples FROM pg_class FOR SHARE', 'SELECT * FROM counts()',
	'SELECT count_of(c) FROM pg_class c', 'SELECT c.count_of FROM pg_class c', 'SELECT c FROM pg_class c TABLESAMPLE system (100) WHERE reltuples > 0',
	'SELECT * FROM gaussdp_internal.charge_outcomes()']) q;
SELECT is_empty(q, q) FROM unnest(ARRAY['SELECT * FROM gaussdp.stat_refusals', 'SELECT relpages FROM pg_class a FULL JOIN pg_class b USING (relpages) WHERE relpages > 0', 'SELECT x.* FROM pg_class c, LATERAL (SELECT c.reltuples AS r) x WHERE r > -1',
	'SELECT g FROM pg_class c, LATERAL generate_series(1, c.reltuples::int) g', 'SELECT * FROM (SELECT max(reltuples) OVER (PARTITION BY relpages ORDER BY reltuples) AS m FROM pg_class) w WHERE m > -1']) q;
SELECT lives_ok(format('SELECT dp_count(1e-3, 1e-9) FROM extreme WHERE (%s) IS NULL OR u < 0', e), e) FROM unnest(ARRAY['i * i - b', '-b', 'abs(b) * b', '@ (- s)', 's * s + s', 'b::smallint', 'f::int', 'f::bigint * 2', 'm::bigint', 'm::smallint', '(q * p)::int',
	'width_bucket(f, 0, 10, 5) * 2147483647', 'width_bucket(m, 10, 0, 5)', 'i % 2147483647', 'b / 2', 'd + 36525', 'd - interval ''100 years''', '(tz + interval ''100 years'') - (tz - interval ''1200 months'')', 'age(ts, ts - interval ''36525 days'')',
	'extract(epoch FROM ts)::int', 'extract(year FROM d + 36525)::smallint * s', 'tz::date - d', 'date_trunc(''millennium'', tz)', 'to_char(tz, ''IYYY-IW'')', 'date_bin(interval ''36525 days'', ts, timestamp ''2000-01-01'')',
	'CASE WHEN m::int = 0 THEN b ELSE b + i END', 'least(b * b, i::bigint) - 1::bigint', '(p * q)::numeric::smallint', 'nullif(i - b, b - i)', 'coalesce(extract(month FROM tz)::int - i, abs(i))', 'round(least(greatest(m, -1e6), 1e6), 2)::smallint',
	'b # (i::bigint * i)', 'right(i::text, abs(i) - 2147483647)']) e;
-- Of a query without rows its range table stays, with those of all that it has inside, which name entries of queries around them: of
-- another one there is none by that number, or no such column.
SELECT lives_ok(q, q) FROM unnest(ARRAY['SELECT dp_count(1, 1e-6) FROM person p JOIN codes ON code = p.u WHERE EXISTS (SELECT (SELECT x FROM (SELECT l.x FROM codes a, codes b, '
	'(SELECT 1, 2, 3, 4, 5, 6, 7, 8 AS z, 9 AS y) d, LATERAL (SELECT d.y AS x UNION ALL SELECT d.z) l) s) FROM visit WHERE false)',
	'SELECT dp_count(1, 1e-6) FROM person p JOIN codes ON code = p.u WHERE EXISTS (WITH w AS (SELECT l.x FROM codes a, LATERAL (SELECT a.code AS x FROM codes TABLESAMPLE bernoulli ((SELECT a.code)) UNION ALL SELECT 2) l) SELECT FROM visit, w LIMIT 0)']) q;
SELECT * FROM finish();
