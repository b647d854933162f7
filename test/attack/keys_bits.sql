\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Groups of people that the plan node brings together: values of a key that are equal, of which PostgreSQL passes some
-- with other bits than others beyond those of their type, as those that were computed beside those that were read.
\getenv testlib GAUSSDP_TESTLIB
BEGIN;
CREATE FUNCTION test_as_level(text) RETURNS SETOF record AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_kept_same(regtype, int8, int8) RETURNS bool AS :'testlib' LANGUAGE C STRICT;
CREATE FUNCTION test_as_level_nodes(text) RETURNS text AS :'testlib' LANGUAGE C STRICT;
SELECT plan(12);
CREATE FUNCTION groups(query text, OUT nodes text, OUT n bigint, OUT different bigint) LANGUAGE plpgsql AS $$
BEGIN
	nodes := test_as_level_nodes(query);
	EXECUTE format('SELECT count(*), count(DISTINCT s) FROM test_as_level(%L) AS s(u text, k text)', query) INTO n, different;
END $$;

CREATE TABLE owned (u int NOT NULL, o oid, h int, i int, t text);
INSERT INTO owned SELECT j % 3000, 4000000000, hashtext('negative 3'), j / 3000 % 5 - 2, repeat('t', j % 50) FROM generate_series(1, 60000) j;
CREATE TEMP TABLE asked (what text, query text);
INSERT INTO asked VALUES ('an oid', $$SELECT u::text, k::text FROM (SELECT u, CASE WHEN i < 0 THEN o ELSE '4000000000' END AS k, count(*) FROM owned GROUP BY 1, 2) s$$),
	('an oid beside longer values', $$SELECT u::text, k::text FROM (SELECT u, CASE WHEN i < 0 THEN o ELSE '4000000000' END AS k, max(t) FROM owned GROUP BY 1, 2) s$$),
	('a hash', $$SELECT u::text, k::text FROM (SELECT u, CASE WHEN i < 0 THEN h ELSE hashtext('negative 3' || left(t, 0)) END AS k, count(*) FROM owned GROUP BY 1, 2) s$$);
SET LOCAL enable_hashagg = off;
SELECT unnest(ARRAY[ok(nodes ~ 'groups', what || ': by the node'),
	is(n || ' ' || different, '3000 3000', what || ': a person comes once with each key')]) FROM asked, groups(query);

-- Types of one and two bytes, of which a kept row has four
SELECT unnest(ARRAY[ok(test_kept_same(type, 1, 1 + (x'7ffe'::int8 << 16) + (x'7f00'::int8 << 8 & ~mask)), type || ': bits beyond the type tell no kept values apart'),
	ok(NOT test_kept_same(type, 1, 2), type || ': those of the type do')]) FROM (VALUES ('"char"'::regtype, 255), ('bool', 255), ('int2', 65535)) AS v (type, mask);
SELECT * FROM finish();
ROLLBACK;
