\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Queries in FROM that make rows of people out of their rows: when a person leaves all tables, the rows of all others are the same to
-- the last digit, whatever the plan is and in whatever order rows are stored, and no exact number moves by more than its sensitivity.
BEGIN;
\ir ../module/size.sql
\ir ../module/probe.sql
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;

CREATE TABLE person (u int PRIMARY KEY, town text, age int);
CREATE TABLE buy (u int NOT NULL, item text, day int, at date, x numeric(9, 2), f float8, g float4);
CREATE TABLE visit (u int NOT NULL, day int, cost numeric(12, 3)) PARTITION BY LIST (day);
CREATE TABLE visit_early PARTITION OF visit FOR VALUES IN (0, 1, 2);
CREATE TABLE visit_late (cost numeric(12, 3), dropped int, day int, u int NOT NULL);
ALTER TABLE visit_late DROP COLUMN dropped;
ALTER TABLE visit ATTACH PARTITION visit_late FOR VALUES IN (3, 4, 5);
CREATE TABLE days (day int PRIMARY KEY, weekend bool);
INSERT INTO days SELECT d, d > 3 FROM generate_series(0, 5) d;
SELECT setseed(0.4);
INSERT INTO person SELECT u, 't' || u % 4, (random() * 90)::int FROM generate_series(1, 12) u;
INSERT INTO buy SELECT u, 'i' || (random() * 5)::int, (random() * 5)::int, '2020-01-01'::date + (random() * 60)::int,
	(ARRAY[NULL, 'NaN', random() * 10 - 2, 1e5 * random(), 2])[1 + (random() * 4)::int], 10 ^ (random() * 30 - 15), random()
	FROM generate_series(1, 14) u, generate_series(1, 1 + u * u / 8) WHERE u <> 5;
INSERT INTO visit SELECT u, (random() * 5)::int, random() * 100 FROM generate_series(1, 14) u, generate_series(1, 1 + 60 / u) WHERE u <> 6;
CREATE TABLE tagged (u int NOT NULL, j json, day int, x numeric);
INSERT INTO tagged SELECT u, (ARRAY['{"a": 1}', '{"a":1}', '{"a": "1"}', NULL])[1 + (random() * 3)::int]::json, day,
	(ARRAY[x, 1.0, 1.00, '-0'])[1 + (random() * 3)::int] FROM buy;
CREATE VIEW spent AS SELECT count(*) AS n, sum(x) AS m, u FROM buy GROUP BY u;
DO $$BEGIN
	PERFORM gaussdp.protect('person', 'u', people => 'all of us'), gaussdp.protect('buy', 'u', max_rows => 3, max_groups => 2, people => 'all of us'),
		gaussdp.protect('visit', 'u', max_rows => 2, max_groups => 3, people => 'all of us'),
		gaussdp.protect('tagged', 'u', max_rows => 4, people => 'all of us');
END$$;

-- FROM of a level with rows s(u, n, m), and its keys, if any.
CREATE TABLE asked (no serial, weighed bool, keys text, query text);
INSERT INTO asked (weighed, keys, query) VALUES
	(false, NULL, '(SELECT u, count(*) AS n, sum(x) AS m FROM buy GROUP BY u) s'),
	(false, NULL, '(SELECT u, count(DISTINCT item) AS n, avg(f::numeric) FILTER (WHERE day > 1) AS m FROM buy WHERE item <> ''i3'' GROUP BY u HAVING count(*) > 2) s'),
	(false, NULL, '(SELECT u, max(at) - min(at) AS n, sum(g::numeric) AS m FROM buy GROUP BY u) s'),
	(false, NULL, '(SELECT u, sum(day) AS n, max(x) AS m, bool_and(day > 0), bool_or(weekend), every(day < 5) FROM buy JOIN days USING (day) GROUP BY u) s'),
	(false, NULL, '(SELECT p.u, count(v.u) AS n, avg(cost) AS m FROM person p LEFT JOIN visit v ON v.u = p.u AND v.day > 1 GROUP BY p.u) s'),
	(false, NULL, 'spent s'),
	(false, NULL, '(SELECT u, avg(c) AS n, max(c) AS m FROM (SELECT u, day, count(*) AS c FROM buy GROUP BY u, day) d GROUP BY u) s'),
	(false, NULL, '(SELECT u, n, CASE WHEN n > 3 THEN m ELSE 1 END AS m FROM spent WHERE m > 0 ORDER BY n) s JOIN person p ON p.u = s.u'),
	(false, 'p.town', '(SELECT u, count(*) AS n, sum(cost) AS m FROM visit GROUP BY u) s JOIN person p ON p.u = s.u JOIN (SELECT u FROM buy GROUP BY u) b ON b.u = s.u'),
	(false, 'days.day', 'days LEFT JOIN (SELECT u, min(day) AS n, avg(x) AS m FROM buy GROUP BY u) s ON s.n = days.day'),
	(false, NULL, '(SELECT u, (SELECT count(*) FROM buy b WHERE b.u = p.u AND day > 1) AS n, (SELECT max(cost) FROM visit v WHERE v.u = p.u) AS m FROM person p
		WHERE EXISTS (SELECT FROM visit v JOIN days USING (day) WHERE v.u = p.u AND weekend)) s'),
	(false, NULL, '(SELECT u, count(*) AS n, sum(x) AS m FROM buy b WHERE NOT EXISTS (SELECT FROM visit v WHERE v.u = b.u AND v.day = b.day) AND u IN (SELECT u FROM person WHERE age > 20) GROUP BY u) s'),
	(true, 's.town', '(SELECT p.u, p.town, CASE WHEN p.u NOT IN (SELECT u FROM buy WHERE day = 3) THEN 5 ELSE 7 END AS n, v.cost AS m FROM person p JOIN visit v ON v.u = p.u) s'),
	(false, NULL, '(SELECT DISTINCT u, 4 AS n, 5 AS m FROM buy WHERE day > 1) s'),
	(true, 's.item', '(SELECT DISTINCT u, item, day AS n, 3 AS m FROM (SELECT * FROM buy WHERE day < 4) b) s'),
	(false, NULL, '(SELECT u, age AS n, 7 AS m FROM person WHERE u IN (SELECT u FROM buy GROUP BY u HAVING count(*) > 2)
		AND u NOT IN (SELECT u FROM visit GROUP BY u, day HAVING max(cost) > 90)) s'),
	(true, 's.item', '(SELECT u, item, day AS n, x AS m FROM buy WHERE day < 2 OR u IN (SELECT DISTINCT u FROM visit WHERE day = 2)) s'),
	(false, NULL, '(SELECT u, count(*) AS n, sum(cost) AS m FROM visit v JOIN days d ON d.day >= v.day GROUP BY u) s'),
	(true, NULL, '(SELECT p.u, d.day AS n, p.age AS m FROM person p, days d) s'),
	(true, NULL, '(SELECT u, day, count(*) AS n, sum(x) AS m FROM buy GROUP BY u, day) s'),
	(true, 's.item', '(SELECT u, item, count(*) AS n, sum(f::numeric) AS m FROM buy GROUP BY u, item HAVING max(day) > 1) s'),
	(true, 'days.day', 'days LEFT JOIN (SELECT b.u, v.day, count(*) AS n, sum(v.cost) AS m FROM buy b JOIN visit v ON v.u = b.u GROUP BY b.u, v.day) s ON s.day = days.day'),
	(false, 'days.day', '(SELECT generate_series(0, 5) AS day) days LEFT JOIN (SELECT u, min(day) AS n, avg(x) AS m FROM buy GROUP BY u) s ON s.n = days.day'),
	(true, 'days.day', '(SELECT g::date AS day FROM generate_series(timestamp ''2020-01-01'', ''2020-03-05'', ''1 week'') g WHERE g <> ''2020-01-15'') days
		LEFT JOIN (SELECT u, day AS n, x AS m, at FROM buy) s ON s.at BETWEEN days.day AND days.day + 13'),
	(true, NULL, '(SELECT b.u, b.day AS n, b.x AS m FROM buy b JOIN visit v ON v.u = b.u AND v.day = b.day) s'),
	(true, 's.day', '(SELECT u, count(*) AS n, sum(x) AS m FROM buy GROUP BY u) t JOIN (SELECT day, u, avg(day) AS n, min(cost) AS m FROM visit GROUP BY 1, 2) s ON s.u = t.u');
-- Where the order of equals could show, the policy orders a window further: its text is what is run.
INSERT INTO asked (weighed, keys, query) VALUES
	(true, NULL, '(SELECT u, at - lag(at) OVER (PARTITION BY u ORDER BY at) AS n, f AS m FROM buy) s'),
	(true, NULL, '(SELECT u, day * least(row_number() OVER (PARTITION BY u ORDER BY day) - 1, 99) AS n, lead(x, 2, 7.5) OVER (PARTITION BY u ORDER BY day DESC) AS m FROM buy) s'),
	(true, NULL, '(SELECT u, day AS n, x AS m FROM (SELECT *, row_number() OVER (PARTITION BY u ORDER BY item) AS k FROM buy) b WHERE k = 1) s'),
	(true, NULL, '(SELECT u, lag(day, 1, -1) OVER (PARTITION BY u ORDER BY x) AS n, first_value(x) OVER (PARTITION BY u ORDER BY day) AS m, first_value(j) OVER (PARTITION BY u) FROM tagged) s'),
	(true, 's.item', '(SELECT u, item, rank() OVER w + dense_rank() OVER (w ORDER BY day DESC) AS n, sum(x) OVER (w ORDER BY day ROWS UNBOUNDED PRECEDING) AS m FROM buy WINDOW w AS (PARTITION BY u)) s'),
	(true, NULL, '(SELECT u, count(*) OVER w AS n, max(x) FILTER (WHERE day > 1) OVER w AS m FROM buy WINDOW w AS (PARTITION BY u ORDER BY day GROUPS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW)) s'),
	(true, NULL, '(SELECT u, last_value(day) OVER (PARTITION BY u ORDER BY item ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS n, last_value(x) OVER (PARTITION BY u ORDER BY item ROWS UNBOUNDED PRECEDING) AS m FROM buy) s'),
	(true, NULL, '(SELECT v.u, count(*) OVER (PARTITION BY v.u, v.day) AS n, lag(cost) OVER (PARTITION BY v.u ORDER BY d.weekend) AS m FROM visit v JOIN days d ON d.day >= v.day) s'),
	(true, NULL, '(SELECT u, least(greatest(c, 0), 99) + 2 * row_number() OVER (PARTITION BY u ORDER BY c) AS n, day AS m FROM (SELECT u, day, count(*) AS c FROM buy GROUP BY u, day) d) s'),
	(false, NULL, '(SELECT u, max(gap) AS n, sum(least(greatest(k, 0), 99) * day) AS m FROM (SELECT u, day, at - lag(at) OVER (PARTITION BY u ORDER BY at) AS gap, row_number() OVER (PARTITION BY u ORDER BY at) AS k FROM buy) g GROUP BY u) s'),
	(true, NULL, '(SELECT p.u, least(row_number() OVER (PARTITION BY p.u ORDER BY p.town), 99) * v.day AS n, v.cost AS m FROM person p LEFT JOIN visit v ON v.u = p.u) s');
CREATE TABLE calls (no serial, call text);
INSERT INTO calls (call) VALUES ('dp_count(1, 1e-6)'), ('dp_sum(s.n, 1, 1e-6, -3, 8)'), ('dp_avg(s.m, 1, 1e-6, 0, 50)'), ('dp_count(s.n, 1, 1e-6) FILTER (WHERE s.m > 3)');
CREATE FUNCTION level(a asked) RETURNS text LANGUAGE sql AS $$
	SELECT format('SELECT %s%s FROM %s%s%s', a.keys || ' AS k, ', string_agg(call, ', ' ORDER BY no), a.query, ' GROUP BY ' || a.keys,
		CASE WHEN a.keys <> 'days.day' THEN ' HAVING dp_keep_group(1, 1e-6)' END) FROM calls $$;

CREATE TABLE settings (no serial, name text, value text);
INSERT INTO settings (no, name, value) VALUES (1, 'work_mem', '64kB'), (2, 'enable_hashagg', 'off'), (2, 'enable_hashjoin', 'off'), (3, 'enable_sort', 'off'), (3, 'enable_nestloop', 'off'),
	(4, 'enable_hashjoin', 'off'), (4, 'enable_mergejoin', 'off'), (4, 'work_mem', '64kB'), (5, 'min_parallel_table_scan_size', '0'), (5, 'parallel_setup_cost', '0'), (5, 'parallel_tuple_cost', '0'),
	(5, 'max_parallel_workers_per_gather', '2'), (5, 'enable_hashagg', 'off'), (6, 'enable_mergejoin', 'off'), (6, 'enable_hashagg', 'off');
CREATE FUNCTION set_plan(plan int) RETURNS void LANGUAGE sql AS $$
	SELECT set_config(name, (SELECT reset_val FROM pg_settings WHERE pg_settings.name = settings.name), true) FROM settings;
	SELECT set_config(name, value, true) FROM settings WHERE no = plan $$;
CREATE FUNCTION store_in_any_order() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	CREATE TABLE b AS SELECT * FROM buy;
	CREATE TABLE v AS SELECT * FROM visit;
	CREATE TABLE t AS SELECT * FROM tagged;
	TRUNCATE buy, visit, tagged;
	INSERT INTO buy SELECT * FROM b ORDER BY random();
	INSERT INTO visit SELECT * FROM v ORDER BY random();
	INSERT INTO tagged SELECT * FROM t ORDER BY random();
	DROP TABLE b, v, t;
END $$;
CREATE FUNCTION remove(gone int) RETURNS void LANGUAGE sql AS $$
	DELETE FROM person WHERE u = gone; DELETE FROM buy WHERE u = gone; DELETE FROM visit WHERE u = gone;
	DELETE FROM tagged WHERE u = gone $$;

-- A level's FROM as the policy runs it.
CREATE FUNCTION verified(a asked) RETURNS text LANGUAGE sql AS $$
	SELECT coalesce(substring(query, 'column_2\s+FROM (\( SELECT.*\) s)\) below'), substring(query, '^.*?FROM (\( SELECT.*\) s)$'))
	FROM test_weighed('SELECT dp_count(1, 1e-6) FROM ' || a.query) query $$;

-- Who leaves: somebody with one row and somebody with most, people whom one of the tables lacks; all where GAUSSDP_FULL is set.
CREATE FUNCTION leavers() RETURNS SETOF int LANGUAGE sql AS $$
	SELECT u FROM generate_series(1, 14) u WHERE sized(3) = 3 OR u IN (1, 5, 6, 13, 14) $$;
-- To start processes takes longest: one person leaves such plans, unless GAUSSDP_FULL is set.
CREATE FUNCTION plans(gone int) RETURNS SETOF int LANGUAGE sql AS $$
	SELECT p FROM generate_series(0, 6) p WHERE sized(3) = 3 OR p <> 5 OR gone = 14 $$;

-- The rows of people, as text: all digits are seen.
ALTER TABLE asked ADD runs text;
UPDATE asked AS a SET runs = CASE WHEN a.query ~ ' OVER ' THEN verified(a) ELSE a.query END;
CREATE FUNCTION rows(a asked, gone int) RETURNS TABLE (seen text) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT string_agg(s::text, '','' ORDER BY s::text COLLATE "C") FROM %s WHERE s.u <> %s', a.runs, gone);
END $$;
-- By the number of the query: where rows are others. A person leaves once, and all queries are asked then.
CREATE FUNCTION changed() RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
	a asked;
	first text[];
	person_gone int;
	plan int;
	result text[] := array_fill(NULL::text, ARRAY[(SELECT max(no) FROM asked)]);
BEGIN
	FOR person_gone IN SELECT leavers() LOOP
		BEGIN
			PERFORM set_plan(0);
			FOR a IN SELECT * FROM asked LOOP
				first[a.no] := (SELECT seen FROM rows(a, person_gone));
			END LOOP;
			PERFORM remove(person_gone), store_in_any_order();
			FOR plan IN SELECT plans(person_gone) LOOP
				PERFORM set_plan(plan);
				FOR a IN SELECT * FROM asked LOOP
					IF (SELECT seen FROM rows(a, person_gone)) IS DISTINCT FROM first[a.no] THEN
						result[a.no] := format('without %s, plan %s', person_gone, plan);
					END IF;
				END LOOP;
			END LOOP;
			PERFORM set_plan(0);
			RAISE EXCEPTION 'undo' USING ERRCODE = 'ZZ001';
		EXCEPTION WHEN SQLSTATE 'ZZ001' THEN NULL;
		END;
	END LOOP;
	RETURN result;
END $$;

-- What the policy makes of the query, with its integers shown instead of released, and the same groups each time.
CREATE FUNCTION shown(query text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(test_weighed(query),
		'gaussdp_internal\.(\w+)_weighted', 'probe_\1_weighted', 'g'), 'group_place\(''-?\d+''', 'group_place(''1''', 'g'), 'HAVING [^\n]*probe_keep_group[^\n]*|HAVING dp_keep_group[^\n]*', '', 'g'),
		'\mdp_(count|sum|avg)\(', 'probe_\1(', 'g') $$;
CREATE FUNCTION parts(a asked, query text) RETURNS TABLE (key text, place int, i int, part numeric, most numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT k, a.place, c::int, (a.p).exact[c], (a.p).sensitivity[CASE WHEN cardinality((a.p).exact) = cardinality((a.p).sensitivity) THEN c WHEN c = 1 THEN 2 ELSE 1 END]
		FROM (SELECT %s AS k, * FROM (%s) s) r CROSS JOIN LATERAL (VALUES %s) AS a(place, p), generate_subscripts((a.p).exact, 1) c',
		CASE WHEN a.keys IS NULL THEN '''all''' ELSE 'coalesce(key_1::text, ''-'')' END, query, (SELECT string_agg(format('(%1$s, release_%1$s)', no), ', ') FROM calls));
END $$;
ALTER TABLE asked ADD shown text;
UPDATE asked AS a SET shown = shown(level(a));
CREATE TABLE before AS SELECT a.no, p.* FROM asked a, parts(a, a.shown) p;
CREATE FUNCTION moved() RETURNS TABLE (number int, share numeric) LANGUAGE plpgsql AS $$
DECLARE
	largest numeric[] := array_fill(0::numeric, ARRAY[(SELECT max(a.no) FROM asked a)]);
	shares numeric[];
BEGIN
	FOR person_gone IN 1 .. 14 LOOP
		BEGIN
			PERFORM remove(person_gone);
			-- both numbers of an average together
			shares := ARRAY(SELECT max(t.s) FROM (SELECT c.no, CASE count(*) WHEN 2 THEN sqrt(sum(s ^ 2 * (ARRAY[0.75, 0.25])[i])) ELSE max(s) END AS s FROM (
					SELECT no, place, i, sqrt(sum((coalesce(o.part, 0) - coalesce(n.part, 0)) ^ 2)) / max(coalesce(o.most, n.most)) AS s
					FROM before o FULL JOIN (SELECT a.no, p.* FROM asked a, parts(a, a.shown) p) n USING (no, key, place, i) GROUP BY no, place, i) c GROUP BY c.no, place) t
				GROUP BY t.no ORDER BY t.no);
			RAISE EXCEPTION 'undo' USING ERRCODE = 'ZZ001';
		EXCEPTION WHEN SQLSTATE 'ZZ001' THEN
			FOR i IN 1 .. cardinality(largest) LOOP
				largest[i] := greatest(largest[i], shares[i]);
			END LOOP;
		END;
	END LOOP;
	RETURN QUERY SELECT n::int, l FROM unnest(largest) WITH ORDINALITY AS u(l, n);
END $$;
SELECT plan(4 * (SELECT count(*) FROM asked)::int);
SELECT is(c[a.no], NULL, 'rows of others stay: ' || query) FROM asked a, changed() c ORDER BY a.no;
CREATE TABLE shares AS SELECT a.no, a.query, m.share FROM asked a JOIN moved() m ON m.number = a.no;
SELECT ok(share <= 1, format('no person moves more: %s (%s)', query, round(share, 6))) FROM shares ORDER BY no;
SELECT ok(share > 0.3, format('and somebody moves much: %s (%s)', query, round(share, 6))) FROM shares ORDER BY no;
SELECT is(test_weighed(level(a)) ~ '_weighted', weighed, 'weighed where a person may have several rows: ' || query) FROM asked a;
SELECT * FROM finish();
ROLLBACK;
