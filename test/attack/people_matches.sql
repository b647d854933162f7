\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Public relations of which several rows stand beside a protected one: when a person leaves, the exact numbers of no call move by
-- more than its sensitivity, over all groups together, and what is left is what it was, to the last bit.  How many rows match has
-- a limit that the rows of the public relations decide, whatever the protected ones are.
BEGIN;
\ir ../module/probe.sql
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;

CREATE TABLE person (u int PRIMARY KEY, town int, age int);
CREATE TABLE buy (u int NOT NULL, item int, day int, x float8);
CREATE TABLE area (town int, area text);
CREATE TABLE tag (item int, tag text, grade int);
CREATE TABLE item (item int PRIMARY KEY, price float8);
CREATE TABLE span (from_day int, to_day int, name text);
INSERT INTO area SELECT t, 'area ' || a FROM generate_series(0, 4) t, generate_series(0, t) a;
INSERT INTO area VALUES (NULL, 'nowhere'), (9, 'area 9'), (2, 'area 0'), (2, NULL);
INSERT INTO tag SELECT i, 'tag ' || t, t % 3 FROM generate_series(0, 5) i, generate_series(1, 1 + i * i) t;
INSERT INTO item SELECT i, i * 1.5 FROM generate_series(0, 4) i;
INSERT INTO span SELECT d, d + d % 3, 'span ' || d FROM generate_series(0, 5) d;
SELECT setseed(0.7);
INSERT INTO person SELECT u, (random() * 5)::int, (random() * 90)::int FROM generate_series(1, 10) u;
INSERT INTO buy SELECT u, (random() * 5)::int, (random() * 5)::int, random() * 10 - 2 FROM generate_series(1, 12) u, generate_series(1, 1 + u * u / 12) WHERE u <> 5;
DO $$BEGIN
	PERFORM gaussdp.protect('person', 'u', max_groups => 3, people => 'all of us'), gaussdp.protect('buy', 'u', max_rows => 3, max_groups => 2, people => 'all of us');
END$$;

CREATE TABLE asked (no serial, source text, query text);
INSERT INTO asked (source, query) VALUES
	('ungrouped', '%s FROM person p JOIN area ON area.town = p.town'),
	('ungrouped', '%s FROM person p CROSS JOIN generate_series(1, 7) n'),
	('ungrouped', '%s FROM person p LEFT JOIN (area JOIN tag ON tag.grade < area.town) ON area.town = p.town'),
	('ungrouped', '%s FROM (VALUES (1, 2), (1, 3), (2, 4)) v(a, b) JOIN person p ON p.town = v.a OR p.age < v.b'),
	('ungrouped', '%s FROM person p JOIN buy b ON b.u = p.u LEFT JOIN tag ON tag.item = b.item AND tag.grade > 0'),
	('ungrouped', '%s FROM buy b JOIN item ON item.item = b.item JOIN tag ON tag.item = item.item AND tag.grade = 1'),
	('ungrouped', '%s FROM person p LEFT JOIN (buy b JOIN span ON b.day BETWEEN span.from_day AND span.to_day) ON b.u = p.u'),
	('grouped', 'a.area AS k, %s FROM area a LEFT JOIN person p ON p.town = a.town GROUP BY a.area'),
	('grouped', 'a.area AS k, %s FROM area a LEFT JOIN (person p JOIN buy b ON b.u = p.u) ON p.town = a.town GROUP BY a.area'),
	('grouped', 's.name AS k, %s FROM span s LEFT JOIN buy p ON p.day BETWEEN s.from_day AND s.to_day AND p.x > 0 LEFT JOIN tag ON tag.item = p.item GROUP BY s.name'),
	('grouped', 'd.d AS k, %s FROM generate_series(timestamp ''2020-01-01'', ''2020-01-06'', ''1 day'') d LEFT JOIN buy p ON p.day >= extract(day FROM d.d) JOIN (VALUES (1), (1), (2)) v(n) ON v.n <= extract(day FROM d.d) GROUP BY d.d'),
	('grouped', 'tag.tag AS k, %s FROM buy p JOIN tag ON tag.item = p.item GROUP BY tag.tag HAVING dp_keep_group(1, 1e-6)'),
	('grouped', 'area.area AS k, %s FROM person p, area, item WHERE area.town = p.town AND item.price > 1 GROUP BY area.area HAVING dp_count(DISTINCT p.u, 1, 1e-8) > 1000'),
	('grouped', 'p.day AS k, %s FROM buy p JOIN (SELECT DISTINCT grade FROM tag) g ON g.grade < p.item GROUP BY p.day HAVING dp_count(1, 1e-8) > 100000');
CREATE TABLE calls (no serial, call text);
INSERT INTO calls (call) VALUES ('dp_count(1, 1e-6)'), ('dp_sum({x}, 1, 1e-6, -3, 8)'), ('dp_avg({x}, 1, 1e-6, 0, 50)'), ('dp_count(DISTINCT {p}.u, 1, 1e-6)'), ('dp_count({p}.u, 1, 1e-6) FILTER (WHERE {x} > 3)');

-- What the policy makes of the query, with its integers shown instead of released, and the same groups each time.
CREATE FUNCTION shown(query text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(test_weighed('SELECT ' || format(query, (SELECT
			replace(replace(string_agg(call, ', ' ORDER BY no), '{p}', CASE WHEN query ~ '(person|buy) p' THEN 'p' ELSE 'b' END), '{x}', CASE WHEN query ~ 'buy b' THEN 'b.x' WHEN query ~ 'buy p' THEN 'p.x' ELSE 'p.age' END) FROM calls))),
		'gaussdp_internal\.(\w+)_weighted', 'probe_\1_weighted', 'g'), 'group_place\(''-?\d+''', 'group_place(''1''', 'g'), 'HAVING [^\n]*', '', 'g') $$;
CREATE FUNCTION parts(a asked, query text) RETURNS TABLE (key text, place int, i int, part numeric, most numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT k, a.place, c::int, (a.p).exact[c], (a.p).sensitivity[CASE WHEN cardinality((a.p).exact) = cardinality((a.p).sensitivity) THEN c WHEN c = 1 THEN 2 ELSE 1 END]
		FROM (SELECT %s AS k, * FROM (%s) s) r CROSS JOIN LATERAL (VALUES %s) AS a(place, p), generate_subscripts((a.p).exact, 1) c',
		CASE a.source WHEN 'grouped' THEN 'coalesce(key_1::text, ''-'')' ELSE '''all''' END, query, (SELECT string_agg(format('(%1$s, release_%1$s)', no), ', ') FROM calls));
END $$;
-- What the query counts without a person, or of them alone.
CREATE FUNCTION parts_of(a asked, query text, person_gone int, alone bool) RETURNS TABLE (key text, place int, i int, part numeric, most numeric) LANGUAGE plpgsql AS $$
BEGIN
	BEGIN
		DELETE FROM person WHERE (u = person_gone) <> alone;
		DELETE FROM buy WHERE (u = person_gone) <> alone;
		RETURN QUERY SELECT * FROM parts(a, query);
		RAISE EXCEPTION 'undo' USING ERRCODE = 'ZZ001';
	EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
	END;
END $$;
-- The largest share of a call's sensitivity by which a person moves it; and how many numbers are not the sum of the two.
CREATE FUNCTION moved(a asked, OUT largest numeric, OUT others bigint) LANGUAGE plpgsql AS $$
DECLARE
	query text := shown(a.query);
BEGIN
	CREATE TEMP TABLE before AS SELECT * FROM parts(a, query);
	CREATE TEMP TABLE without AS SELECT u, p.* FROM generate_series(1, 12) u, parts_of(a, query, u, false) p;
	CREATE TEMP TABLE alone AS SELECT u, p.* FROM generate_series(1, 12) u, parts_of(a, query, u, true) p;
	-- both numbers of an average together
	SELECT max(s), sum(o)::bigint INTO largest, others FROM (SELECT CASE count(*) WHEN 2 THEN sqrt(sum(s ^ 2 * (ARRAY[0.75, 0.25])[i])) ELSE max(s) END AS s, sum(o) AS o FROM (
		SELECT p, b.place, b.i, sqrt(sum((b.part - coalesce(w.part, 0)) ^ 2)) / max(b.most) AS s,
			count(*) FILTER (WHERE b.part <> coalesce(w.part, 0) + coalesce(alone.part, 0)) AS o
		FROM generate_series(1, 12) p CROSS JOIN before b
			LEFT JOIN without w ON (w.u, w.key, w.place, w.i) = (p, b.key, b.place, b.i) LEFT JOIN alone ON (alone.u, alone.key, alone.place, alone.i) = (p, b.key, b.place, b.i)
		GROUP BY p, b.place, b.i) c GROUP BY p, place) t;
	DROP TABLE before, without, alone;
END $$;
SELECT plan(3 * (SELECT count(*) FROM asked)::int + 23);
CREATE TABLE shares AS SELECT a.query, (moved(a)).* FROM asked a;
SELECT ok(largest <= 1, format('no person moves more: %s (%s)', query, round(largest, 6))) FROM shares;
SELECT ok(largest > 0.3, format('and somebody moves much: %s (%s)', query, round(largest, 6))) FROM shares;
SELECT is(others, 0::bigint, 'and nobody anything of others: ' || query) FROM shares;

-- How many rows may match.
CREATE TABLE wide (k int, n int);
INSERT INTO wide SELECT 1, n FROM generate_series(1, 10000) n UNION ALL SELECT 2, n FROM generate_series(1, 100) n;
CREATE FUNCTION verdict(source text) RETURNS text LANGUAGE plpgsql SET gaussdp.as_analyst = on AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE 'SELECT dp_count(1, 1e-6) FROM ' || source;
	RETURN 'answered';
EXCEPTION WHEN insufficient_privilege OR invalid_parameter_value THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN coalesce(nullif(detail, ''), SQLERRM);
END $$;
\set many '''Rule 5 (each row once): more than 10000 rows of public relations would stand beside one protected row.'''
SELECT is(verdict('person p JOIN wide w ON w.k = p.town'), 'answered', '10,000 matches by key');
SELECT is(verdict('person p JOIN generate_series(1, 10000) n ON true'), 'answered', '10,000 rows without a key');
SELECT is(verdict('person p JOIN generate_series(1, 10001) n ON n > p.age'), :many, 'one row more');
SELECT is(verdict('person p JOIN wide w ON w.k > p.town'), :many, 'a relation that is compared and not equated counts with all of its rows');
SELECT is(verdict('person p JOIN wide w ON w.k = p.town AND w.n = p.age JOIN generate_series(1, 10000) n ON true'), 'answered', 'a product of 10,000');
SELECT is(verdict('person p JOIN wide w ON w.k = p.town JOIN (VALUES (1), (2)) v(n) ON true'), :many, 'one of twice as many');
SELECT is(verdict('person p LEFT JOIN (wide w JOIN generate_series(1, 2) n ON true) ON w.k = p.town'), :many, 'in a LEFT JOIN, too');
SELECT is(verdict('person p JOIN wide w ON w.n = 5 JOIN wide v ON v.k = w.k'), :many, 'and behind a public relation');
-- Keys that differ are told apart by their hashes, others are counted: values that are equal count together, whatever they look like.
CREATE TABLE images (n numeric, f float8, nothing int);
INSERT INTO images SELECT CASE WHEN i % 2 = 0 THEN 1.0 ELSE 1.00 END, CASE WHEN i % 2 = 0 THEN 0 ELSE '-0' END, NULL FROM generate_series(1, 10001) i;
SELECT is(verdict('person p JOIN images i ON i.n = p.town'), :many, 'equal numerics of two scales');
SELECT is(verdict('person p JOIN images i ON i.f = p.town'), :many, 'both zeros');
SELECT is(verdict('person p JOIN images i ON i.n = p.town AND i.f = p.age'), :many, 'both together');
SELECT is(verdict('person p JOIN images i ON i.nothing = p.town'), 'answered', 'NULL is equal to nothing');
SELECT is(verdict('person p JOIN images i ON i.n = p.town AND i.nothing = p.age'), 'answered', 'nor is a key with a NULL in it');
SET LOCAL work_mem = '64kB';
SELECT is(verdict('person p JOIN wide w ON w.n = p.town AND w.k = p.age'), 'answered', 'more keys than memory has room for');
SELECT is(verdict('person p JOIN images i ON i.n = p.town'), :many, 'and more equal ones');
RESET work_mem;
INSERT INTO wide VALUES (1, 0);
SELECT is(verdict('person p JOIN wide w ON w.k = p.town'), :many, '10,001 matches');
TRUNCATE person;
SELECT is(verdict('person p JOIN wide w ON w.k = p.town'), :many, 'also where there is no person');
SELECT is(verdict('person p JOIN generate_series(1, 3, 0) n ON n = p.town'), 'step size cannot equal zero', 'a series that fails does so before there is a row');
-- PostgreSQL's hash of a name looks at its bytes, whatever its collation takes for equal: what stands twice is not told by it.
CREATE COLLATION either_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE called (id int PRIMARY KEY, n name COLLATE either_case);
CREATE TABLE listed (n name COLLATE either_case);
INSERT INTO called VALUES (1, 'a');
INSERT INTO listed VALUES ('a'), ('A');
DO $$BEGIN PERFORM gaussdp.protect('called', 'id', people => 'called'); END$$;
SELECT matches(verdict(format('called c JOIN %s v(n) ON v.n = c.n JOIN generate_series(1, 5001) i ON true', q)), '^Rule 5 ', 'names that are equal but for their case are seen to match: ' || q)
FROM (VALUES ($$(VALUES ('a'::name COLLATE either_case), ('A'::name))$$), ('(SELECT DISTINCT n FROM listed)'), ('listed')) q(q);
-- A unit that is unique is compared, where its rows are weighed.
CREATE COLLATION any_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE named (u text COLLATE any_case PRIMARY KEY, town int);
DO $$BEGIN PERFORM gaussdp.protect('named', 'u', people => 'named', max_rows => 1), gaussdp.grant_budget(current_user::text, 'named', 10, 1e-5); END$$;
SELECT is(verdict('named'), 'answered', 'a unit whose collation takes different names for equal is unique');
SELECT is(verdict('named JOIN tag ON tag.item = named.town'), 'Rule 8 (unit and rows): rows of a person cannot be found: the collation of the unit column takes different texts for equal.', 'and does not tell people apart where they may own several rows');
SELECT * FROM finish();
ROLLBACK;
