\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What is NULL where it fails, over protected tables: the answers, where the calls stand, what proves them, what is still refused.
SET client_min_messages = warning;
\ir ../module/contained.sql
SELECT no_plan();
CREATE TABLE emp (id int PRIMARY KEY, x float8, y float8, i int, s text, n numeric, d jsonb, at timestamptz, opens time, ip inet, price money, r int4range, big bigint);
INSERT INTO emp SELECT g, g, g % 4, g, CASE g % 2 WHEN 0 THEN g::text ELSE 'x' END, g, jsonb_build_object('a', g, 'b', g || 'x'), '2020-01-01'::timestamptz + g * interval '1 hour', '10:00', '10.0.0.1', g::money, int4range(g, g + 9), g * 1000
FROM generate_series(1, 20000) g;
CREATE TABLE visit (id int NOT NULL, x float8, y float8);
INSERT INTO visit SELECT g % 5000, g, g % 4 FROM generate_series(1, 20000) g;
CREATE TABLE doc (id int PRIMARY KEY, note text, word text);
INSERT INTO doc SELECT g, repeat(CASE g % 2 WHEN 0 THEN 'x' ELSE 'y' END, CASE g % 4 WHEN 0 THEN 65000 WHEN 1 THEN 65532 ELSE 65533 END), 'x' FROM generate_series(1, 400) g;
CREATE TABLE bin (bin int PRIMARY KEY);
INSERT INTO bin SELECT generate_series(0, 9);
CREATE TABLE indexed (a int, b int);
CREATE INDEX ON indexed ((a / b));
CREATE ROLE levels_ana;
GRANT SELECT ON bin, indexed TO levels_ana;
SELECT gaussdp.protect('emp', unit => 'id'), gaussdp.protect('doc', unit => 'id', people => 'writers'), gaussdp.protect('visit', unit => 'id', max_rows => 4, people => 'visitors') \g /dev/null
SELECT gaussdp.grant_budget('levels_ana', t, epsilon => 500, delta => 1e-3) FROM unnest('{emp,visit,doc}'::regclass[]) t \g /dev/null
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE query;
	RETURN 'runs';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN SQLSTATE || ' ' || detail;
END $$;
-- The answer is that of the table's owner, who writes out when the value is NULL; the noise stays far below a hundredth of it.
CREATE FUNCTION near(query text, wanted float8) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	got float8;
BEGIN
	EXECUTE query INTO got;
	RETURN ok(abs(got - wanted) < 0.01 * abs(wanted) + 5, query) || CASE WHEN abs(got - wanted) < 0.01 * abs(wanted) + 5 THEN '' ELSE E'\n' || diag(format('%s is not near %s', got, wanted)) END;
END $$;
SELECT sum(x / nullif(y, 0)) AS quotients, count(nullif(y, 0)) AS quotient_rows, sum(sqrt(x)) AS roots, sum(CASE WHEN i % 2 = 0 THEN i END) AS texts, sum(i) AS sum_i,
	count(*) FILTER (WHERE i >= 50 AND i % 4 <> 0) AS large FROM emp \gset
SET ROLE levels_ana;
SELECT near('SELECT dp_sum(x / y, 5, 1e-7, 0, 20000) FROM emp', :quotients);
SELECT near('SELECT dp_count(x / y, 5, 1e-7) FROM emp', :quotient_rows);
SELECT near('SELECT dp_avg(x / y, 5, 1e-7, 0, 20000) FROM emp', :quotients::float8 / :quotient_rows);
SELECT near('SELECT dp_sum(coalesce(x / y, 0), 5, 1e-7, 0, 20000) FROM emp', :quotients);
SELECT near('SELECT dp_sum(sqrt(x), 5, 1e-7, 0, 200) FROM emp', :roots);
SELECT near('SELECT dp_sum(s::int, 5, 1e-7, 0, 20000) FROM emp', :texts);
SELECT near('SELECT dp_sum((d ->> ''a'')::int, 5, 1e-7, 0, 20000) FROM emp', :sum_i);
SELECT near('SELECT dp_sum((d -> ''a'')::numeric, 5, 1e-7, 0, 20000) FROM emp', :sum_i);
SELECT near('SELECT dp_count((d ->> ''b'')::numeric, 5, 1e-7) FROM emp', 0);
SELECT near('SELECT dp_sum(price::numeric, 5, 1e-7, 0, 20000) FROM emp', :sum_i);
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE x / y >= 0 AND i >= 50', :large);
-- an arm of OR that fails is NULL, and no more
-- defaults, named arguments, functions in SQL, operators of these
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE normalize(s) = s AND make_interval(days => i) > ''0'' AND log(n) >= 0 AND s || i > '''' AND date_part(''hour'', opens) = 10', 20000);
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE y = 0 OR x / y < 0', 5000);
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE NOT (x / y >= 0)', 0);
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE x / y IS NULL', 5000);
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE i / (i % 2) NOT IN (1, 2)', 9999);
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE CASE WHEN y > 0 THEN 1 / y ELSE 2 END = 2', 5000);
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE opens + interval ''1 hour'' = ''11:00''', 20000);
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE ip << ''10.0.0.0/8'' AND i <@ r', 20000);
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE to_timestamp(big) >= ''1970-01-02 00:00+00''', 20000 - 86);
SELECT near('SELECT dp_count(5, 1e-7) FROM emp WHERE date_trunc(''MONTH'', at) = date_trunc(''month'', at)', 20000);
-- in a join, and as keys
SELECT near('SELECT dp_count(5, 1e-7) FROM emp JOIN bin ON bin = i / (i % 4) % 10', 15000);
SELECT near('SELECT max(c) FROM (SELECT (x / y)::int % 2 AS k, dp_count(5, 1e-7) AS c FROM emp GROUP BY 1 HAVING dp_keep_group(1, 1e-8)) s WHERE k IS NULL', 5000);
SELECT near('SELECT count(*) FROM (SELECT extract(hour FROM opens), dp_count(5, 1e-7) FROM emp GROUP BY 1 HAVING dp_keep_group(1, 1e-8)) s', 1);
SELECT near('SELECT count(*) FROM (SELECT (x / 10000)::numeric(10, 0), dp_count(5, 1e-7) FROM emp GROUP BY 1 HAVING dp_keep_group(1, 1e-8)) s', 3);
-- What rows are grouped, sorted and joined by has 64 kB at most, with its header, and is NULL beyond; what is only looked at is seen whole.
SELECT near('SELECT dp_count(5, 1e-7) FROM doc WHERE length(note) = 65533 AND note LIKE ''x%'' AND note > ''x''', 100);
SELECT near(format('SELECT c FROM (SELECT note, dp_count(5, 1e-7) AS c FROM doc GROUP BY note HAVING dp_keep_group(1, 1e-8)) s WHERE %s', condition), n) FROM (VALUES ('note IS NULL', 200), ('length(note) = 65000', 100), ('length(note) = 65532', 100)) v (condition, n);
SELECT near('SELECT dp_count(5, 1e-7) FROM doc a JOIN doc b ON a.id = b.id AND a.note = b.note', 200);
SELECT near('SELECT dp_count(5, 1e-7) FROM (SELECT id, note, rank() OVER (PARTITION BY id ORDER BY note) AS r FROM doc) s WHERE note IS NULL', 200);
SELECT near('SELECT dp_count(5, 1e-7) FROM (SELECT id, max(lower(note) || lower(note)) AS m FROM doc GROUP BY id) s WHERE length(m) = 60000', 400);
-- of people's rows, computed once for all that reads it
SELECT is(outcome(query), 'runs', query) FROM unnest(ARRAY[
	'SELECT dp_sum(v, 5, 1e-7, 0, 40000) FROM (SELECT id, max((x / y)::int) AS v FROM visit GROUP BY id) s',
	'SELECT dp_count(5, 1e-7) FROM (SELECT id, x / y AS q, rank() OVER (PARTITION BY id ORDER BY x / y) AS r FROM visit) s WHERE r = 1 AND q > 1',
	'SELECT dp_sum(q, 5, 1e-7, 0, 100) FROM (SELECT id, x / y AS q FROM visit) s WHERE q > 1',
	'SELECT dp_sum(x / y, 5, 1e-7, 0, 100) FILTER (WHERE ln(x) > 1) FROM visit',
	'SELECT dp_count(5, 1e-7) FROM emp a JOIN emp b USING (id) WHERE a.x / b.y > 3']) query;

-- As it is proven, so it says
SELECT is((SELECT verdict FROM gaussdp.explain_privacy('SELECT dp_sum(sqrt(x / y) + s::int, 1, 1e-7, 0, 100) FROM emp')), 'private', 'explained');
SELECT alike((SELECT hint FROM gaussdp.explain_privacy('SELECT dp_sum(sqrt(x / y) + s::int, 1, 1e-7, 0, 100) FROM emp')), '%NULL on rows where they fail, without an error: +, sqrt, /, a cast to integer.', 'which functions are NULL where they fail');
SELECT is((SELECT hint FROM gaussdp.explain_privacy('SELECT dp_sum(x, 1, 1e-7, 0, 100) FROM emp')), NULL, 'and where there are none, nothing');

-- What is refused: impure or costly functions, values where constants are needed, formats that are none, keys of many images, trees of one's own
SELECT matches(outcome(format('SELECT dp_count(1, 1e-7) FROM emp WHERE %s', c)), '^42501 Rule 2', c) FROM unnest(ARRAY['factorial(i) > 1', 'repeat(s, i) = s', 's ~ s', 's ~ ''(a*)*\1''', 'replace(s, s, s) = s', 'lpad(s, i) = s',
	's::jsonb = ''1''', 's::json IS NULL', 's::xml IS NULL', 's::regclass IS NULL', 's::int4range IS NULL', 'to_char(n, s) = ''1''', 'at AT TIME ZONE s IS NULL', 'translate(s, ''a'', ''b'') = s', 'random() * x > 1', 
	'to_char(at, ''TMMonth'') || n::text = s', 'array_append(ARRAY[i], 1) IS NULL', 'concat(s, i) = s', 's || repeat(''x'', 2000) = s', 'gaussdp_internal.small(s) = s',
	'gaussdp_internal.contained(NULL::int, (SELECT indexprs FROM pg_index WHERE indrelid = ''indexed''::regclass), i) = 1', 'gaussdp_internal.contained(NULL::int, NULL, i) = 1']) c;
SELECT matches(outcome('SELECT x / y, dp_count(1, 1e-7) FROM emp GROUP BY 1 HAVING dp_keep_group(1, 1e-8)'), '^runs', 'a number of many images is a key in one form');
SELECT matches(outcome('SELECT i / n, dp_count(1, 1e-7) FROM emp GROUP BY 1 HAVING dp_keep_group(1, 1e-8)'), '^runs', 'so is one of many scales');
SELECT matches(outcome('SELECT extract(CASE WHEN i > 9 THEN ''hour'' ELSE ''second'' END FROM opens), dp_count(1, 1e-7) FROM emp GROUP BY 1 HAVING dp_keep_group(1, 1e-8)') , '^(42501 Rule 7|42601)', 'a field that is an expression');
SELECT matches(outcome('SELECT "extract"(s, opens), dp_count(1, 1e-7) FROM emp GROUP BY 1 HAVING dp_keep_group(1, 1e-8)') , '^runs', 'and one of a field that a row names');
-- A unit that is computed is none, contained or not
SELECT matches(outcome('SELECT dp_count(1, 1e-7) FROM emp a JOIN emp b ON a.id / 1 = b.id / b.i'), '^42501 Rule', 'people are told apart by the unit alone');
-- parameters: known when it runs
PREPARE by_parameter(text, float8) AS SELECT dp_count(to_char(n, $1), 5, 1e-7) FROM emp WHERE x / $2 > 0;
SELECT is(outcome($$EXECUTE by_parameter('999', 2)$$), 'runs', 'a format that is a parameter');
SELECT is(outcome($$EXECUTE by_parameter('999', 0)$$), 'runs', 'a divisor that is a parameter');
RESET ROLE;
-- As long as an argument says: that is a constant, and a small one.
SET ROLE levels_ana;
SELECT is(outcome('SELECT dp_count(0.001, 1e-9) FROM emp WHERE ' || c), 'runs', c) FROM unnest(ARRAY['s::char(5) = ''x''', 'i::bit(8) = B''1''', 'big::bit(64) = B''1''', 'i::bit(8)::bit(4) = B''1''']) c;
SELECT alike(outcome('SELECT dp_count(0.001, 1e-9) FROM emp WHERE ' || c), '42501 Rule 2%', c) FROM unnest(ARRAY['bpchar(s::char(5), i, true) = ''x''', 'bpchar(s::char(5), 10000, true) = ''x''', '"bit"(i, i) = B''1''', '"bit"(i, 10000) = B''1''',
	'"bit"(big, i) = B''1''', '"bit"(i::bit(8), i, true) = B''1''']) c;
RESET ROLE;
SELECT * FROM finish();
