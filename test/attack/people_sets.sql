\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Grouping sets over keys that are public, or found: when a person leaves, the exact numbers of all groups of all S sets move by no more than sqrt(S)
-- times the sensitivity that a call has alone, and noise and price say so.
BEGIN;
SET LOCAL client_min_messages = error;
\ir ../module/probe.sql
CREATE FUNCTION test_weighed(text) RETURNS text AS :'testlib' LANGUAGE C STRICT SET gaussdp.as_analyst = on;
CREATE TABLE town (town int PRIMARY KEY);
CREATE TABLE kind (kind text PRIMARY KEY);
CREATE TABLE area (town int, area text);
INSERT INTO town VALUES (0), (1), (2), (7);
INSERT INTO kind VALUES ('a'), ('b'), ('z');
INSERT INTO area SELECT t, 'area ' || a FROM generate_series(0, 3) t, generate_series(0, t) a;
CREATE TABLE person (u int PRIMARY KEY, town int, kind text, x float8);
CREATE TABLE buy (u int NOT NULL, town int, kind text, x float8);
SELECT setseed(0.4);
-- tens of each
INSERT INTO person SELECT u, u / 10 % 4, CASE WHEN u % 40 < 20 THEN 'a' ELSE 'b' END, u % 10 - 2 + 0 * random() FROM generate_series(0, 399) u;
INSERT INTO buy SELECT u, (random() * 4)::int, CASE WHEN random() < 0.5 THEN 'a' WHEN random() < 0.9 THEN 'b' END, random() * 10 - 2 FROM generate_series(1, 10) u, generate_series(1, 1 + u * u / 9);
CREATE TABLE stay (u int NOT NULL, town int NOT NULL, kind text NOT NULL, x float8);
INSERT INTO stay SELECT u, (random() * 20)::int, 'k' || (random() * 6)::int, random() * 10 - 2 FROM generate_series(1, 10) u, generate_series(1, 4 * u) g;
DO $$BEGIN
	PERFORM gaussdp.protect('stay', 'u', max_rows => 3, max_groups => 2, people => 'us');
	PERFORM gaussdp.protect('person', 'u', people => 'us'), gaussdp.protect('buy', 'u', max_rows => 3, people => 'us'), gaussdp.set_public_keys('person', 'town', 'town', 'town'),
		gaussdp.set_public_keys('person', 'kind', 'kind', 'kind'), gaussdp.set_public_keys('buy', 'town', 'town', 'town'), gaussdp.set_public_keys('buy', 'kind', 'kind', 'kind');
END$$;
SELECT no_plan();

-- What PostgreSQL answers, in tens and with little noise.
CREATE FUNCTION answers(query text, counted text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	found text;
BEGIN
	EXECUTE format('SELECT string_agg(s::text, '' '' ORDER BY s::text) FROM (%s) s', replace(query, '{C}', 'round(' || counted || ' / 10.0)')) INTO found;
	RETURN found;
END $$;
CREATE FUNCTION private_answers(query text) RETURNS text LANGUAGE sql SET gaussdp.as_analyst = on AS $$SELECT answers(query, 'dp_count(30, 1e-6)')$$;
SELECT is(private_answers(query), answers(query, 'count(p.u)'), query) FROM (VALUES
	('SELECT t.town, k.kind, {C} FROM town t CROSS JOIN kind k LEFT JOIN person p ON p.town = t.town AND p.kind = k.kind GROUP BY ROLLUP (t.town, k.kind)'),
	('SELECT t.town, k.kind, {C}, GROUPING(k.kind, t.town) AS g, GROUPING(k.kind) + 1 FROM town t CROSS JOIN kind k LEFT JOIN person p ON p.town = t.town AND p.kind = k.kind GROUP BY CUBE (t.town, k.kind) ORDER BY g'),
	('SELECT upper(k.kind), {C} FROM town t CROSS JOIN kind k LEFT JOIN person p ON p.town = t.town AND p.kind = k.kind GROUP BY GROUPING SETS ((k.kind), (), (k.kind, t.town), (k.kind)) HAVING GROUPING(t.town) = 1'),
	('SELECT k.kind, t.town > 0, {C} FROM town t CROSS JOIN kind k LEFT JOIN person p ON p.town = t.town AND p.kind = k.kind GROUP BY DISTINCT ROLLUP (k.kind, t.town > 0), ROLLUP (k.kind) HAVING k.kind IS NULL OR k.kind > ''a'''),
	('SELECT t.town, {C} FROM town t LEFT JOIN person p ON p.town = t.town GROUP BY GROUPING SETS ((t.town))')) q (query);

SELECT is(private_answers('SELECT town, kind, {C}, GROUPING(town, kind) FROM person GROUP BY CUBE (town, kind)'),
	private_answers('SELECT t.town, k.kind, {C}, GROUPING(t.town, k.kind) FROM town t CROSS JOIN kind k LEFT JOIN person p ON p.town = t.town AND p.kind = k.kind GROUP BY CUBE (t.town, k.kind)'), 'declared keys');
SELECT is(private_answers(query), answers(regexp_replace(query, 'HAVING.*', ''), 'count(*)'), query) FROM (VALUES
	('SELECT town, kind, {C} FROM person GROUP BY ROLLUP (town, kind) HAVING dp_keep_group(30, 1e-6)'), ('SELECT kind, x > 3 AS y, {C}, GROUPING(kind) FROM person GROUP BY CUBE (kind, x > 3) HAVING dp_keep_group(30, 1e-6)'),
	('SELECT kind, {C} FROM person GROUP BY GROUPING SETS ((kind), (kind), ()) HAVING dp_keep_group(30, 1e-6)')) q (query);
CREATE TABLE asked (no serial, sets int, query text);
INSERT INTO asked (sets, query) VALUES
	(3, '%s FROM town t CROSS JOIN kind k LEFT JOIN buy p ON p.town = t.town AND p.kind = k.kind GROUP BY ROLLUP (t.town, k.kind)'),
	(4, '%s FROM town t CROSS JOIN kind k LEFT JOIN (buy p JOIN person q ON q.u = p.u) ON p.town = t.town AND p.kind = k.kind GROUP BY CUBE (k.kind, t.town)'),
	(3, '%s FROM town t LEFT JOIN buy p ON p.town = t.town GROUP BY GROUPING SETS ((t.town), (t.town), ())'),
	(2, '%s FROM area a LEFT JOIN person p ON p.town = a.town AND p.u < 11 GROUP BY ROLLUP (a.area)'),
	(4, '%s FROM town t CROSS JOIN kind k LEFT JOIN person p ON p.town = t.town AND p.kind = k.kind AND p.u < 11 GROUP BY CUBE (t.town, k.kind)'),
	(3, '%s FROM town t LEFT JOIN person p ON p.town = t.town AND p.u < 11 GROUP BY ROLLUP (t.town, t.town > 1)'),
	(3, '%s FROM buy p WHERE p.kind IS NOT NULL GROUP BY ROLLUP (p.town, p.kind) HAVING dp_keep_group(1, 1e-6)'),
	(4, '%s FROM stay p GROUP BY CUBE (p.town, p.kind) HAVING dp_keep_group(1, 1e-6)'),
	(2, '%s FROM stay p GROUP BY GROUPING SETS ((p.town), (p.kind)) HAVING dp_keep_group(1, 1e-6)'),
	(3, '%s FROM town t LEFT JOIN stay p ON p.town = t.town GROUP BY ROLLUP (t.town, p.kind) HAVING dp_keep_group(1, 1e-6)'),
	(3, '%s FROM person p WHERE p.u < 11 GROUP BY ROLLUP (p.town, p.kind) HAVING dp_keep_group(1, 1e-6)');
CREATE TABLE calls (no serial, call text);
INSERT INTO calls (call) VALUES ('dp_count(1, 1e-6)'), ('dp_sum(p.x, 1, 1e-6, -3, 8)'), ('dp_avg(p.x, 1, 1e-6, 0, 50)'), ('dp_count(DISTINCT p.u, 1, 1e-6)'), ('dp_count(p.u, 1, 1e-6) FILTER (WHERE p.x > 3)'), ('dp_keep_group(1, 1e-6)');
-- The integers before the noise; where rows are not weighed, as a weighted call of whole rows has them.
CREATE FUNCTION shown(query text) RETURNS text LANGUAGE sql AS $$
	SELECT regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(regexp_replace(test_weighed('SELECT ' || format(query, (SELECT string_agg(call, ', ' ORDER BY no) FROM calls))),
		'gaussdp_internal\.(\w+)_weighted', 'probe_\1_weighted', 'g'), '(public\.)?dp_count\(((DISTINCT )?p\.u, )?''?([0-9.]+)''?[^,]*, ''?1e-0?6''?[^),]*\)', 'probe_count_weighted(2147483648, ARRAY[\4, 1e-6, 1]::float8[])', 'g'),
		'(public\.)?dp_(sum|avg)\(p\.x, ''?([0-9.]+)''?[^,]*, ''?1e-0?6''?[^,]*, ''?(-?[0-9]+)''?[^,]*, ''?([0-9]+)''?[^)]*\)', 'probe_\2_weighted(2147483648, ARRAY[\3, 1e-6, \4, \5, 1]::float8[], p.x)', 'g'),
		'probe_avg_weighted\(2147483648, (ARRAY\[[^]]*\]::float8\[\]), p.x\)', 'probe_avg_weighted(row_total(3, \1, p.x, 2147483648), \1)', 'g'), 'probe_sum_weighted\(2147483648, (ARRAY\[[^]]*\]::float8\[\]), p.x\)', 'probe_sum_weighted(row_total(2, \1, p.x, 2147483648), \1)', 'g'), 'HAVING [^\n]*', '', 'g'),
		'(public\.)?dp_keep_group\(''?([0-9.e-]+)''?[^,]*, ''?([0-9.e-]+)''?[^)]*\)', 'probe_keep_group_weighted(2147483648, ARRAY[\2, \3, 1]::float8[])', 'g') $$;
CREATE FUNCTION parts(a asked, query text) RETURNS TABLE (key text, place int, i int, part numeric, most numeric) LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY EXECUTE format('SELECT k, a.place, c::int, (a.p).exact[c], (a.p).sensitivity[CASE WHEN cardinality((a.p).exact) = cardinality((a.p).sensitivity) THEN c WHEN c = 1 THEN 2 ELSE 1 END]
		FROM (SELECT format(''%%s %%s'', keys, row_number() OVER (PARTITION BY keys)) AS k, * FROM (SELECT concat_ws('' '', %s) AS keys, * FROM (%s) q) s) r CROSS JOIN LATERAL (VALUES %s) AS a(place, p), generate_subscripts((a.p).exact, 1) c',
		CASE WHEN query ~ 'key_2' THEN 'coalesce(key_1::text, ''-''), coalesce(key_2::text, ''-'')' ELSE 'coalesce(key_1::text, ''-'')' END, query, (SELECT string_agg(format('(%1$s, release_%1$s)', no), ', ') FROM calls));
END $$;
CREATE FUNCTION moved(a asked) RETURNS numeric LANGUAGE plpgsql AS $$
DECLARE
	query text := shown(a.query);
	person_gone int;
	largest numeric := 0;
	share numeric;
BEGIN
	CREATE TEMP TABLE before AS SELECT * FROM parts(a, query);
	FOR person_gone IN 1 .. 10 LOOP
		BEGIN
			DELETE FROM person WHERE u = person_gone;
			DELETE FROM buy WHERE u = person_gone;
			DELETE FROM stay WHERE u = person_gone;
			-- both numbers of an average together
			SELECT max(s) INTO share FROM (SELECT CASE count(*) WHEN 2 THEN sqrt(sum(s ^ 2 * (ARRAY[0.75, 0.25])[i])) ELSE max(s) END AS s FROM (SELECT place, i, sqrt(sum((o.part - coalesce(n.part, 0)) ^ 2)) / max(o.most) AS s
				FROM before o LEFT JOIN parts(a, query) n USING (key, place, i) GROUP BY place, i) c GROUP BY place) t;
			RAISE EXCEPTION 'undo' USING ERRCODE = 'ZZ001';
		EXCEPTION WHEN SQLSTATE 'ZZ001' THEN largest := greatest(largest, share);
		END;
	END LOOP;
	DROP TABLE before;
	RETURN largest;
END $$;
CREATE TABLE shares AS SELECT a.sets, a.query, moved(a) AS share FROM asked a;
SELECT ok(share <= sqrt(sets::numeric) * (1 + 1e-12), format('no person moves more: %s (%s)', query, round(share, 6))) FROM shares;
SELECT ok(share > 0.7 * sqrt(sets::numeric), format('and somebody moves nearly as much: %s (%s)', query, round(share, 6))) FROM shares;

-- Of one person's groups that are found, max_groups for each set are left.
SELECT is((SELECT count(*) FROM parts(a, shown((a).query)) WHERE place = 1), 2 * sets::bigint, format('%s groups of one person', 2 * sets)) FROM (SELECT (0, 4, '%s FROM stay p WHERE p.u = 10 GROUP BY CUBE (p.town, p.kind) HAVING dp_keep_group(1, 1e-6)')::asked AS a) q, LATERAL (SELECT (a).sets) s;

-- The price is that of one release; the noise is sqrt(S) times as large, and so is the sensitivity.
CREATE FUNCTION price(query text) RETURNS SETOF float8[] LANGUAGE sql SET gaussdp.as_analyst = on AS $$
	SELECT ARRAY[l2_sensitivity, sigma, mu_squared] FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6), dp_sum(p.x, 1, 1e-6, 0, 9), dp_avg(p.x, 1, 1e-6, 0, 9) FROM town t CROSS JOIN kind k LEFT JOIN ' || query, exact => true) $$;
SELECT is(array(SELECT round((s[1] / o[1])::numeric, 6) || ' ' || round((s[2] / o[2])::numeric, 4) || ' ' || round((s[3] / o[3])::numeric, 4)
	FROM ROWS FROM (price(source || ' p USING (town, kind) GROUP BY t.town, k.kind'), price(source || ' p USING (town, kind) GROUP BY CUBE (t.town, k.kind)')) r (o, s)), array_fill('2.000000 2.0000 1.0000'::text, ARRAY[3]), source || ': four sets')
FROM (VALUES ('person'), ('buy')) v (source);
-- And the noise is what the price says: the sum of squares of 1,001 draws, alpha < 1e-6.
CREATE FUNCTION noise(source text) RETURNS float8 LANGUAGE plpgsql SET gaussdp.as_analyst = on AS $$
DECLARE
	found float8; s float8;
BEGIN
	SELECT sigma INTO s FROM gaussdp.explain_privacy(format('SELECT dp_count(0.01, 1e-6) FROM generate_series(1001, 2000) n LEFT JOIN %s p ON p.town = n GROUP BY ROLLUP (n)', source), exact => true);
	EXECUTE format('SELECT sum((c / %s) ^ 2) FROM (SELECT dp_count_estimate(0.01, 1e-6) AS e FROM generate_series(1001, 2000) n LEFT JOIN %s p ON p.town = n GROUP BY ROLLUP (n)) r, LATERAL (SELECT (e).value AS c) v', s, source) INTO found;
	RETURN found;
END $$;
SELECT ok(abs(noise(source) - 1001) < 6 * sqrt(2 * 1001), source || ': noise of this size') FROM (VALUES ('person'), ('buy')) v (source);

-- Groups that are found cost what they do without sets, mu^2 and delta, whose threshold each set has a part of.
CREATE FUNCTION keep_price(query text) RETURNS text LANGUAGE sql SET gaussdp.as_analyst = on AS $$
	SELECT round(l2_sensitivity::numeric, 6) || ' ' || round(sigma::numeric, 3) || ' ' || round(mu_squared::numeric, 4) || ' ' || threshold_delta || ' ' || delta FROM gaussdp.explain_privacy('SELECT dp_keep_group(1, 1e-6) FROM ' || query, exact => true) $$;
SELECT is(keep_price(source || ' GROUP BY CUBE (town, kind)'), '2.000000 ' || round(2 * dp_gaussian_sigma(1, 5e-7)::numeric, 3) || ' ' || round((gdp.mu(1, 5e-7) ^ 2)::numeric, 4) || ' 5e-07 1e-06', source || ': dp_keep_group over four sets')
FROM (VALUES ('person'), ('buy')) v (source);

-- Refused.
CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE sql SET gaussdp.as_analyst = on AS $$SELECT reason || ' ' || hint FROM gaussdp.explain_privacy(query) LIMIT 1$$;
SELECT alike(verdict('SELECT (x > 3)::int, dp_count(1, 1e-6) FROM person GROUP BY ROLLUP ((x > 3)::int) HAVING dp_count(1, 1e-6) > 1000'), 'Rule 7 %found in the data%dp_keep_group%', 'groups that are found, by a count');
SELECT alike(verdict('SELECT t.town, x > 3, dp_count(1, 1e-6) FROM town t LEFT JOIN person p ON p.town = t.town GROUP BY GROUPING SETS ((t.town), (x > 3))'), 'Rule 7 %found in the data%', 'in one of the sets');
SELECT alike(verdict('SELECT t.town, dp_sum(x, 1, 1e-6) FROM town t LEFT JOIN person p ON p.town = t.town GROUP BY ROLLUP (t.town)'), 'Rule 3 %bounds would be found in several grouping sets%', 'bounds that are found');
SELECT alike(verdict('SELECT dp_count(1, 1e-6) FROM person GROUP BY GROUPING SETS ((), ())'), 'Rule 7 %without a key%', 'sets without a key');
SELECT throws_ok('SET LOCAL gaussdp.as_analyst = on; SELECT dp_count(1, 1e-6) FROM generate_series(1, 2) n LEFT JOIN person p ON p.town = n GROUP BY CUBE (n, n + 1, n + 2, n + 3, n + 4, n + 5, n + 6)', '54001', NULL, '128 sets');
SELECT * FROM finish();
ROLLBACK;
