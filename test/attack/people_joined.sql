\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Joins of tables about the same people: when a person leaves all of them, the exact numbers of no call move by more than its
-- sensitivity, over all groups together, however the tables are joined and whatever else stands beside them.
BEGIN;
\ir ../module/probe.sql
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;

CREATE TABLE person (u int PRIMARY KEY, town text, age int);
CREATE TABLE buy (u int NOT NULL, item text, day int, x float8);
CREATE TABLE visit (u int NOT NULL, day int, cost numeric) PARTITION BY LIST (day);
CREATE TABLE visit_early PARTITION OF visit FOR VALUES IN (0, 1, 2);
CREATE TABLE visit_late (cost numeric, dropped int, day int, u int NOT NULL);
ALTER TABLE visit_late DROP COLUMN dropped;
ALTER TABLE visit ATTACH PARTITION visit_late FOR VALUES IN (3, 4, 5);
CREATE TABLE days (day int PRIMARY KEY, weekend bool);
INSERT INTO days SELECT d, d > 3 FROM generate_series(0, 5) d;
SELECT setseed(0.3);
INSERT INTO person SELECT u, 't' || u % 4, (random() * 90)::int FROM generate_series(1, 12) u;
INSERT INTO buy SELECT u, 'i' || (random() * 5)::int, (random() * 5)::int, random() * 10 - 2 FROM generate_series(1, 14) u, generate_series(1, 1 + u * u / 8) WHERE u <> 5;
INSERT INTO visit SELECT u, (random() * 5)::int, random() * 100 FROM generate_series(1, 14) u, generate_series(1, 1 + 60 / u) WHERE u <> 6;
DO $$BEGIN
	PERFORM gaussdp.protect('person', 'u', people => 'all of us'), gaussdp.protect('buy', 'u', max_rows => 3, max_groups => 2, people => 'all of us'),
		gaussdp.protect('visit', 'u', max_rows => 2, max_groups => 3, people => 'all of us');
END$$;

CREATE TABLE asked (no serial, source text, query text);
INSERT INTO asked (source, query) VALUES
	('ungrouped', '%s FROM buy b JOIN visit v ON b.u = v.u'),
	('ungrouped', '%s FROM buy b JOIN buy AS v (u, item, day, cost) ON b.u = v.u'),
	('ungrouped', '%s FROM person p LEFT JOIN buy b ON b.u = p.u AND b.x > 0 LEFT JOIN visit v ON v.u = p.u AND v.day = b.day'),
	('ungrouped', '%s FROM (buy b RIGHT JOIN person p ON b.u = p.u) LEFT JOIN (visit v JOIN person q ON q.u = v.u) ON v.u = b.u'),
	('ungrouped', '%s FROM visit_late v LEFT JOIN buy b ON b.u = v.u AND b.x > 2 LEFT JOIN visit_early e ON e.u = b.u'),
	('grouped', 'days.day AS k, %s FROM days LEFT JOIN (buy b JOIN visit v ON b.u = v.u AND b.day = v.day) ON days.day = b.day GROUP BY days.day'),
	('grouped', 'days.day AS k, %s FROM days LEFT JOIN (person p LEFT JOIN buy b ON b.u = p.u LEFT JOIN visit v ON v.u = p.u) ON days.day = v.day AND b.x > 0 GROUP BY days.day'),
	('grouped', 'b.item AS k, %s FROM buy b JOIN visit v ON b.u = v.u JOIN days ON days.day = v.day WHERE weekend GROUP BY b.item HAVING dp_keep_group(1, 1e-6)'),
	('grouped', 'v.day AS k, %s FROM buy b LEFT JOIN visit v ON v.u = b.u AND v.day > 1 GROUP BY v.day HAVING dp_count(DISTINCT b.u, 1, 1e-8) > 1000'),
	('grouped', 'p.town AS k, %s FROM person p JOIN buy b ON b.u = p.u LEFT JOIN visit v ON v.u = b.u AND v.day = b.day GROUP BY p.town HAVING dp_keep_group(1, 1e-6)'),
	('grouped', 'b.day AS k, %s FROM buy b, visit v, person p WHERE v.cost > 10 AND v.u = p.u AND p.u = b.u GROUP BY b.day HAVING dp_keep_group(1, 1e-6)');
CREATE TABLE calls (no serial, call text);
INSERT INTO calls (call) VALUES ('dp_count(1, 1e-6)'), ('dp_sum(b.x, 1, 1e-6, -3, 8)'), ('dp_avg(v.cost, 1, 1e-6, 0, 50)'), ('dp_count(v.u, 1, 1e-6) FILTER (WHERE b.x > 3)');

-- What the policy makes of the query, with its integers shown instead of released, and the same groups each time.
CREATE FUNCTION shown(query text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(test_weighed('SELECT ' || format(query, (SELECT string_agg(call, ', ' ORDER BY no) FROM calls))),
		'gaussdp_internal\.(\w+)_weighted', 'probe_\1_weighted', 'g'), 'group_place\(''-?\d+''', 'group_place(''1''', 'g'), 'HAVING [^\n]*', '', 'g') $$;
CREATE FUNCTION parts(a asked, query text) RETURNS TABLE (key text, place int, i int, part numeric, most numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT k, a.place, c::int, (a.p).exact[c], (a.p).sensitivity[CASE WHEN cardinality((a.p).exact) = cardinality((a.p).sensitivity) THEN c WHEN c = 1 THEN 2 ELSE 1 END]
		FROM (SELECT %s AS k, * FROM (%s) s) r CROSS JOIN LATERAL (VALUES %s) AS a(place, p), generate_subscripts((a.p).exact, 1) c',
		CASE a.source WHEN 'grouped' THEN 'coalesce(key_1::text, ''-'')' ELSE '''all''' END, query, (SELECT string_agg(format('(%1$s, release_%1$s)', no), ', ') FROM calls));
END $$;
-- The largest share of a call's sensitivity by which a person moves it; and whether any does.
CREATE FUNCTION moved(a asked) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	query text := shown(a.query);
	person_gone int;
	largest numeric := 0;
	share numeric;
BEGIN
	CREATE TEMP TABLE before AS SELECT * FROM parts(a, query);
	FOR person_gone IN 1 .. 14 LOOP
		BEGIN
			DELETE FROM person WHERE u = person_gone;
			DELETE FROM buy WHERE u = person_gone;
			DELETE FROM visit WHERE u = person_gone;
			-- both numbers of an average together
			SELECT max(s) INTO share FROM (SELECT CASE count(*) WHEN 2 THEN sqrt(sum(s ^ 2 * (ARRAY[0.75, 0.25])[i])) ELSE max(s) END AS s FROM (
				SELECT place, i, sqrt(sum((coalesce(o.part, 0) - coalesce(n.part, 0)) ^ 2)) / max(coalesce(o.most, n.most)) AS s
				FROM before o FULL JOIN parts(a, query) n USING (key, place, i) GROUP BY place, i) c GROUP BY place) t;
			RAISE EXCEPTION 'undo' USING ERRCODE = 'ZZ001';
		EXCEPTION WHEN SQLSTATE 'ZZ001' THEN largest := greatest(largest, share);
		END;
	END LOOP;
	DROP TABLE before;
	RETURN largest;
END $$;
SELECT plan(2 * (SELECT count(*) FROM asked)::int);
CREATE TABLE shares AS SELECT a.query, moved(a) AS share FROM asked a;
SELECT ok(share <= 1, format('no person moves more: %s (%s)', query, round(share, 6))) FROM shares;
SELECT ok(share > 0.3, format('and somebody moves much: %s (%s)', query, round(share, 6))) FROM shares;
SELECT * FROM finish();
ROLLBACK;
