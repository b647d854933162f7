\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Every hint of a refusal, and the query that follows it to the letter, which is answered.  A guard looks for the hints of the source here.
SET client_min_messages = warning;
CREATE ROLE hints_ana;
CREATE TYPE mood AS ENUM ('low', 'high');
CREATE COLLATION odd (provider = icu, locale = 'und-u-ks-level1', deterministic = false);
CREATE TABLE region (name text PRIMARY KEY, size int);
CREATE TABLE hidden_keys (name text PRIMARY KEY);
CREATE TABLE guarded (name text PRIMARY KEY);
ALTER TABLE guarded ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON guarded USING (name > '');
CREATE TABLE loose (name text);
CREATE TABLE letters (name text NOT NULL);
INSERT INTO letters VALUES ('a'), ('b');
CREATE TABLE twins (k int NOT NULL);
INSERT INTO twins VALUES (1), (1), (2);
CREATE INDEX twins_k ON twins (k);
CREATE TABLE parent (name text PRIMARY KEY);
CREATE TABLE child () INHERITS (parent);
INSERT INTO region VALUES ('a', 1), ('b', 2);
INSERT INTO loose VALUES ('a'), ('a'), ('b');
INSERT INTO parent VALUES ('a'), ('b');
INSERT INTO hidden_keys VALUES ('a'), ('b');
INSERT INTO guarded VALUES ('a'), ('b');
CREATE TABLE own (n float8);
ALTER TABLE own OWNER TO hints_ana;
GRANT SELECT ON region, guarded, loose, letters, twins, parent TO hints_ana;
CREATE FUNCTION series(int, int) RETURNS SETOF int LANGUAGE sql IMMUTABLE AS 'SELECT generate_series($1, $2)';
CREATE OPERATOR <-> (FUNCTION = series, LEFTARG = int, RIGHTARG = int);
CREATE EXTENSION fuzzystrmatch;
CREATE EXTENSION citext;
CREATE TABLE p (id int PRIMARY KEY, i int, n numeric, n2 numeric(10, 2), f float8, t text, v varchar(20), c char(5), odd text COLLATE odd, b bool, d date, ts timestamp, iv interval, j jsonb, tags text[], m mood,
	r daterange, ip inet, js json, pt point, secret text, a text, g text, s text, l text, ci citext);
INSERT INTO p SELECT i, i % 10, i, i % 100, i, 't' || i % 5, 'v' || i % 5, 'c' || i % 5, 'o' || i % 5, i % 2 = 0, '2024-01-01'::date + i % 100, '2024-01-01'::timestamp + interval '1 h' * (i % 100), '1 h', '{"key": 5, "list": [1]}', '{x,y}', 'low',
	daterange('2024-01-01'::date + i % 100, '2024-06-01'), '10.0.0.1', '{"a":1}', '(1,2)', 'z', 'a', 'a', 'a', 'a', CASE i % 2 WHEN 0 THEN 'Anna' ELSE 'ANNA' END FROM generate_series(1, 2000) i;
CREATE TABLE w (visit int PRIMARY KEY, person int NOT NULL, i int, f float8, n numeric, n2 numeric(10, 2), t text, v varchar(9), d date, day timestamp);
INSERT INTO w SELECT i, i % 1000, i % 10, i % 10, i % 10, i % 10, 't' || i % 5, 'v', date '2024-01-01' + i % 100, date '2024-01-01' + i % 100 FROM generate_series(1, 2000) i;
ALTER TABLE w ADD js json;
CREATE TABLE item (visit int NOT NULL, price int);
INSERT INTO item SELECT i, i % 7 FROM generate_series(1, 2000) i;
CREATE TABLE o (id int PRIMARY KEY, i int);
INSERT INTO o SELECT i, i % 10 FROM generate_series(1, 1000) i;
CREATE TABLE parts (id int NOT NULL, i int) PARTITION BY RANGE (id);
CREATE TABLE part1 PARTITION OF parts DEFAULT;
INSERT INTO parts SELECT i, i % 10 FROM generate_series(1, 1000) i;
-- Virtual columns are PostgreSQL 18's; before, the catalog is made to say so.
SELECT current_setting('server_version_num')::int >= 180000 AS has_virtual \gset
\if :has_virtual
CREATE TABLE with_virtual (id int PRIMARY KEY, i int, virt int GENERATED ALWAYS AS (i % 3) VIRTUAL);
\else
CREATE TABLE with_virtual (id int PRIMARY KEY, i int, virt int);
\endif
INSERT INTO with_virtual SELECT i, i % 10 FROM generate_series(1, 1000) i;
CREATE TABLE heir (id int PRIMARY KEY, i int);
CREATE TABLE heir_child () INHERITS (heir);
INSERT INTO heir SELECT i, i % 10 FROM generate_series(1, 1000) i;
CREATE TABLE broken (id int NOT NULL, i int, code text NOT NULL);
INSERT INTO broken SELECT i, i % 10, i FROM generate_series(1, 1000) i;
CREATE TABLE large (id int PRIMARY KEY, filler text);
INSERT INTO large SELECT i, repeat('x', 1000) FROM generate_series(1, 1000) i;
CREATE TABLE wide (name text PRIMARY KEY, note text);
INSERT INTO wide VALUES ('a', repeat('x', 200000));
CREATE TABLE steps AS SELECT generate_series(1, 10001) AS step;
GRANT SELECT ON wide, steps TO hints_ana;
CREATE FUNCTION reader() RETURNS SETOF int LANGUAGE sql STABLE AS 'SELECT i FROM p';
CREATE VIEW counted WITH (security_invoker) AS SELECT count(*) AS n FROM p;
GRANT SELECT ON counted TO hints_ana;
DO $$BEGIN
	PERFORM gaussdp.protect('p', unit => 'id', people => 'all'), gaussdp.protect('w', unit => 'person', max_rows => 5, people => 'all'), gaussdp.protect('item', unit => 'visit', via => 'w'),
		gaussdp.protect('o', unit => 'id', people => 'others'), gaussdp.protect('parts', unit => 'id', people => 'all'), gaussdp.protect('with_virtual', unit => 'id', people => 'all'), gaussdp.protect('heir', unit => 'id', people => 'all'),
		gaussdp.protect('broken', unit => 'code', people => 'all'),
		gaussdp.set_bounds('p', 'i', 0, 10), gaussdp.set_bounds('w', 'i', 0, 10), gaussdp.set_bounds('p', 'n2', 0, 100), gaussdp.hide_columns('p', '{secret}'), gaussdp.set_public_keys('p', 'a', 'region', 'name'),
		gaussdp.set_public_keys('p', 'g', 'guarded', 'name'), gaussdp.set_public_keys('p', 's', 'hidden_keys', 'name'), gaussdp.set_public_keys('p', 'l', 'letters', 'name'),
		gaussdp.protect('large', unit => 'id', people => 'large'), gaussdp.grant_budget('hints_ana', 'large', 10, 1e-6, default_epsilon => 1, default_delta => 1e-8, max_relation_pages => 1),
		gaussdp.grant_budget('hints_ana', 'p', 1000, 1e-2, default_epsilon => 0.1, default_delta => 1e-8), gaussdp.grant_budget('hints_ana', 'o', 1000, 1e-2);
END$$;
ALTER TABLE broken ALTER code TYPE text COLLATE odd;
ALTER TABLE parts ENABLE ROW LEVEL SECURITY;
CREATE POLICY all_rows ON parts USING (id > 0);
UPDATE pg_index SET indisunique = true, indisprimary = true WHERE indexrelid = 'twins_k'::regclass; -- a broken promise
UPDATE pg_attribute SET attgenerated = 'v' WHERE attrelid = 'with_virtual'::regclass AND attname = 'virt';
CREATE TABLE hints (number serial, plain bool, refused text, hint text, followed text[], owner text);

-- The hint of the refusal, or else its message; 'answered' where there is none.
CREATE FUNCTION hint_of(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text; hint text;
BEGIN
	EXECUTE query;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN coalesce(nullif(hint, ''), concat_ws(': ', sqlerrm, detail));
END$$;

-- Aggregates that are not private: followed in plain SQL, which the hint switches on.
INSERT INTO hints (plain, refused, hint, followed) VALUES
(true, 'SELECT t FROM p', 'Ask for aggregates of many people: SELECT count(*), avg(x) FROM ...', '{"SELECT count(*), avg(i) FROM p"}'),
(true, 'SELECT bit_or(i) FROM p', 'Ask for aggregates of many people: SELECT count(*), avg(x) FROM ...', '{"SELECT count(*), avg(i) FROM p"}'),
(false, 'SELECT t FROM p', 'Select dp_ calls, e.g. SELECT dp_count(1, 1e-6) FROM ...', '{"SELECT dp_count(1, 1e-6) FROM p"}'),
(false, 'SELECT avg(i) FROM p', 'SET gaussdp.answer_plain_sql = on answers it as it is written; or use dp_count, dp_sum, dp_avg and their relatives.', '{SELECT avg(i) FROM p,"SELECT dp_avg(i, 0.1, 1e-8) FROM p"}'),
(false, 'SELECT * FROM counted', 'SET gaussdp.answer_plain_sql = on answers it as it is written; or use dp_count, dp_sum, dp_avg and their relatives.', '{SELECT * FROM counted}'),
(true, 'SELECT percentile_cont(50) WITHIN GROUP (ORDER BY i) FROM p', 'Write constant fractions from 0 to 1, 100 at most: percentile_cont(0.5), not percentile_cont(50).', '{SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY i) FROM p}'),
(true, 'SELECT bool_or(b) FROM p', 'Write count(*) FILTER (WHERE ...) or avg((...)::int).', '{SELECT count(*) FILTER (WHERE b) FROM p,SELECT avg((b)::int) FROM p}'),
(true, 'SELECT regr_sxx(i, n2) FROM p', 'Ask for regr_count, var_pop and covar_pop of columns with bounds, and compute it from them.', '{"SELECT a * b, a * c FROM (SELECT regr_count(i, n2) AS a, var_pop(n2) AS b, covar_pop(i, n2) AS c FROM p) s"}'),
(true, 'SELECT array_agg(i) FROM p', 'Single values are never shown: ask for counts by group, or dp_histogram.', '{"SELECT i, count(*) FROM p GROUP BY i","SELECT dp_histogram(i, 0.1, 1e-8, 0, 10, 5) FROM p"}'),
(true, 'SELECT id, count(*) FROM p GROUP BY id', 'Groups of one person are not shown: let a sub-select make them, and aggregate around it, SELECT count(*), avg(n) FROM (SELECT unit, count(*) AS n FROM ... GROUP BY unit) s.', '{"SELECT count(*), avg(n) FROM (SELECT id, count(*) AS n FROM p GROUP BY id) s"}'),
(true, 'SELECT visit, sum(i) FROM w GROUP BY visit', 'Groups of one person are not shown: let a sub-select make them, and aggregate around it, SELECT count(*), avg(n) FROM (SELECT unit, count(*) AS n FROM ... GROUP BY unit) s.', '{"SELECT count(*), avg(n) FROM (SELECT person, count(*) AS n FROM w GROUP BY person) s"}'),
(false, 'SELECT id, count(*) FROM p GROUP BY id', 'SET gaussdp.answer_plain_sql = on. Groups of one person are not shown: let%', '{"SELECT count(*), avg(n) FROM (SELECT id, count(*) AS n FROM p GROUP BY id) s"}'),
(true, 'SELECT min(t) FROM p', 'Single values are never shown: ask for counts by group, or for a number that is computed of it, as length(x).', '{"SELECT t, count(*) FROM p GROUP BY t",SELECT min(length(t)) FROM p}'),
(true, 'SELECT max(ip) FROM p', 'Single values are never shown: ask for counts by group.', '{"SELECT ip, count(*) FROM p GROUP BY ip"}'),
(true, 'SELECT max(m) FROM p', 'Single values are never shown: ask for counts by group.', '{"SELECT m, count(*) FROM p GROUP BY m"}'),
(false, 'SELECT min(t) FROM p', 'SET gaussdp.answer_plain_sql = on. Single values are never shown:%', '{"SELECT t, count(*) FROM p GROUP BY t",SELECT min(length(t)) FROM p}'),
(true, 'SELECT mode() WITHIN GROUP (ORDER BY t) FROM p', 'Ask for counts by group, and take the largest in a query around.', '{"SELECT t FROM (SELECT t, count(*) AS n FROM p GROUP BY t) s ORDER BY n DESC LIMIT 1"}'),
(true, 'SELECT min(secret) FROM p', 'Leave it out; gaussdp.columns shows which columns are hidden.', '{"SELECT \"column\" FROM gaussdp.columns WHERE hidden"}'),
(true, 'SELECT count(*) FROM (SELECT * FROM p) s WHERE secret LIKE t', 'Leave it out; gaussdp.columns shows which columns are hidden.', '{SELECT count(*) FROM (SELECT * FROM p) s}'),
(false, 'WITH x AS (SELECT * FROM p) SELECT dp_count(1, 1e-8) FROM x WHERE secret ~ ''x''', 'Leave it out; gaussdp.columns shows which columns are hidden.', '{"WITH x AS (SELECT * FROM p) SELECT dp_count(1, 1e-8) FROM x"}');
-- Expressions, as conditions.
CREATE TABLE conditions (refused text, hint text, followed text[], owner text);
INSERT INTO conditions VALUES
('t LIKE v', 'Write x COLLATE "C" LIKE ''y%'', with a constant pattern of at most 100 %.', '{"t COLLATE \"C\" LIKE ''y%''"}', NULL),
('odd LIKE ''o%''', 'Write x COLLATE "C" LIKE ''y%'', with a constant pattern of at most 100 %.', '{"odd COLLATE \"C\" LIKE ''y%''"}', NULL),
('odd ILIKE ''o%''', 'Write x COLLATE "C" ILIKE ''y%'', for the letters of ASCII, of a short text and with a constant pattern of at most 100 %: left(x, 1000).', '{"left(odd, 1000) COLLATE \"C\" ILIKE ''y%''"}', NULL),
('to_char(ts, v) = ''x''', 'Give to_char a constant format of at most 1000 bytes without TM and TZ, or group by date_trunc(''month'', x)::date and call to_char in a query around this one (WITH), on the released key.', '{"to_char(ts, ''YYYY-MM'') = ''x''"}', NULL),
('age(ts) > ''1 d''', 'Name the day that it is reckoned from: age(current_date, x).', '{"age(current_date, ts) > ''1 d''"}', NULL),
('t ~ ''x''', 'Write LIKE or ILIKE with a constant pattern, or starts_with().', '{t LIKE ''x%'',t ILIKE ''x%'',"starts_with(t, ''x'')"}', NULL),
('t ~* v', 'Write LIKE or ILIKE with a constant pattern, or starts_with().', '{t LIKE ''x%'',t ILIKE ''x%'',"starts_with(t, ''x'')"}', NULL),
('concat(v, t) = ''x''', 'Write x || y, of short texts: left(x, 100), columns of type varchar(n), constants.', '{"v || left(t, 100) || ''x'' = ''x''"}', NULL),
('format(''%s'', t) = ''x''', 'Write x || y, of short texts: left(x, 100), columns of type varchar(n), constants.', '{"v || left(t, 100) || ''x'' = ''x''"}', NULL),
('(ts, ts) OVERLAPS (ts, ts)', 'Write the condition out: x <= last AND y >= first.', '{ts <= ''2024-03-01'' AND ts >= ''2024-02-01''}', NULL),
('j @? ''$.key''', 'Take one field after the other, data -> ''key'' ->> ''key'', as text, or write data @> ''{"key": 5}''.', '{j -> ''key'' ->> ''key'' = ''5'',"j @> ''{\"key\": 5}''"}', NULL),
('j #>> ARRAY[t] = ''x''', 'Write a constant path with at most two numbers in it, data #>> ''{key,0}'', or take one field after the other: data -> ''key'' ->> ''key''.', '{"j #>> ''{key,0}'' = ''x''",j -> ''key'' ->> ''key'' = ''x''}', NULL),
('js ->> ''a'' = ''1''', 'Ask the owner for a column of type jsonb.', '{doc ->> ''a'' = ''1''}', 'ALTER TABLE p ADD COLUMN IF NOT EXISTS doc jsonb'),
('js::text = ''x''', 'Ask the owner for a column of type text, or jsonb.', '{doc::text = ''x''}', 'ALTER TABLE p ADD COLUMN IF NOT EXISTS doc jsonb'),
('pt::text = ''x''', 'Ask the owner for a column of type text, or jsonb.', '{doc ->> 0 = ''x'',spot = ''x''}', 'ALTER TABLE p ADD COLUMN IF NOT EXISTS doc jsonb, ADD COLUMN IF NOT EXISTS spot text'),
('tags = ARRAY[t]', 'Compare with a constant of at most 20 elements without NULL, tags = ''{x,y}'', or write ''x'' = ANY (tags) or tags[1] = ''x''.', '{"tags = ''{x,y}''",''x'' = ANY (tags),tags[1] = ''x''}', NULL),
('array_position(tags, ''x'') = 1', 'Compare with a constant of at most 20 elements without NULL, tags = ''{x,y}'', or write ''x'' = ANY (tags) or tags[1] = ''x''.', '{"tags = ''{x,y}''",''x'' = ANY (tags),tags[1] = ''x''}', NULL),
('tags && ARRAY[t]', 'Compare with a constant of at most 20 elements without NULL, tags @> ''{x,y}'' or tags && ''{x,y}'', or write ''x'' = ANY (tags), with AND or OR between them.', '{"tags && ''{x,y}''","tags @> ''{x,y}''",''x'' = ANY (tags) OR ''y'' = ANY (tags),''x'' = ANY (tags) AND ''y'' = ANY (tags)}', NULL),
('to_char(i, v) = ''1''', 'Write x::text, or do it on the released value, in a query around this one (WITH).', '{i::text = ''1''}', NULL),
('to_timestamp(v, v) > ''2024-01-01''', 'Compare the text, which sorts as the days do where it is written year first, or ask the owner for a column of the type.', '{v > ''2024-01-01'',ts > ''2024-01-01''}', NULL),
('replace(t, ''a'', ''b'') = ''x''', 'Write split_part(x, ''@'', 2), left(x, 3) or CASE, or do it on the released key, in a query around this one (WITH).', '{"split_part(t, ''@'', 2) = ''x''","left(t, 3) = ''x''",CASE t WHEN ''a'' THEN ''b'' END = ''x''}', NULL),
('regexp_replace(t, ''a'', ''b'') = ''x''', 'Write split_part(x, ''@'', 2), left(x, 3) or CASE, or do it on the released key, in a query around this one (WITH).', '{"split_part(t, ''@'', 2) = ''x''"}', NULL),
('r::text = ''x''', 'Compare the range itself, or cast its ends: lower(x)::text, upper(x)::text.', '{"r = ''[2024-01-01,2024-06-01)''",lower(r)::text = ''x'',upper(r)::text = ''x''}', NULL),
('tags::text = ''x''', 'Compare the array with a constant, tags = ''{x,y}'', or cast an element: tags[1]::text.', '{"tags = ''{x,y}''",tags[1]::text = ''x''}', NULL),
('t::mood = ''low''', 'Compare the text, with = or IN, or ask the owner for a column of the type.', '{t = ''low'',"t IN (''low'', ''high'')",m = ''low''}', NULL),
('t::daterange = ''empty''', 'Compare the text, with = or IN, or ask the owner for a column of the type.', '{t = ''low'',r = ''empty''}', NULL),
('random() < f', 'Use functions that can neither fail nor tell: comparisons, IN, BETWEEN, LIKE with a constant pattern, CASE, coalesce, extract, lower. Other functions may stand in a query around this one (WITH), over released values.',
	'{f < 5,"i IN (1, 2)",i BETWEEN 1 AND 2,t LIKE ''x%'',CASE WHEN b THEN i END = 1,"coalesce(i, 1) = 1",extract(year FROM d) = 2024,lower(t) = ''x''}', NULL),
('t = ANY (ARRAY[v, ''a''])', 'Use functions that can neither fail nor tell: %', '{t = v OR t = ''a''}', NULL),
('soundex(v) = ''x''', 'If it reads nothing but its arguments, a superuser may say so: gaussdp.allow_function().', '{soundex(v) = ''x''}', 'SELECT gaussdp.allow_function(''soundex(text)'')'),
('j[''a''] IS NULL', 'Write tags[1], or data -> ''key''.', '{tags[1] IS NULL,j -> ''key'' IS NULL}', NULL),
('ARRAY[t, v] IS NOT NULL', 'Compare with each column by itself, or take short texts: ARRAY[left(x, 1000), left(y, 1000)].', '{t IS NOT NULL OR v IS NOT NULL,"ARRAY[left(t, 1000), left(v, 1000)] IS NOT NULL"}', NULL),
('replace(odd, ''a'', ''b'') = ''x''', 'Write split_part(x, ''@'', 2), left(x, 3) or CASE, or do it on the released key, in a query around this one (WITH).', '{"split_part(odd, ''@'', 2) = ''x''","left(odd, 3) = ''x''"}', NULL),
('p.ctid IS NOT NULL', 'Name the columns.', '{id IS NOT NULL}', NULL),
(format('t = %L', repeat('x', 200000)), 'Longer values may stand in a query around this one (WITH), over released values.', '{t = ''x''}', NULL),
(format('i = ANY (''{%s1}'')', repeat('1,', 1000000)), 'Join to a table that holds the values.', '{}', NULL),
('EXISTS (SELECT FROM region WHERE size = i)', 'Correlate it with the unit column alone (WHERE d.unit = p.unit AND ...), or join: to a WITH query that groups by the unit, or ON the unit and more conditions.', '{EXISTS (SELECT FROM w WHERE w.person = p.id AND w.i > 3)}', NULL);
INSERT INTO hints (plain, refused, hint, followed, owner)
SELECT true, 'SELECT count(*) FROM p WHERE ' || refused, hint, coalesce(array_agg('SELECT count(*) FROM p WHERE ' || f) FILTER (WHERE f IS NOT NULL), '{}'), owner FROM conditions LEFT JOIN LATERAL unnest(followed) f ON true GROUP BY refused, hint, owner;

-- Joins, sub-selects and groups.
INSERT INTO hints (plain, refused, hint, followed, owner) VALUES
(false, 'SELECT id <-> 2, dp_count(1, 1e-6) FROM p GROUP BY 1 HAVING dp_keep_group(1, 1e-6)', 'Call functions that return sets in FROM of another query.', '{"SELECT n, g FROM (SELECT dp_count(1, 1e-8) AS n FROM p) s, generate_series(1, 2) g"}', NULL),
(true, 'SELECT generate_series(1, i), count(*) FROM p GROUP BY 1', 'For elements of an array of protected rows write FROM t, unnest(t.tags) AS tag.', '{"SELECT tag, count(*) FROM p, unnest(p.tags) AS tag GROUP BY tag"}', NULL),
(true, 'SELECT tag, count(*) FROM p LEFT JOIN unnest(p.tags) AS tag ON true GROUP BY tag', 'Take the elements of an array, in a join that leaves none out: CROSS JOIN unnest(t.tags) AS tag(x).', '{"SELECT tag.x, count(*) FROM p CROSS JOIN unnest(p.tags) AS tag(x) GROUP BY 1"}', NULL),
(true, 'SELECT count(DISTINCT (i, t)) FROM p', 'Count the groups: SELECT count(*) FROM (SELECT DISTINCT a, b FROM ...) s.', '{"SELECT count(*) FROM (SELECT DISTINCT i, t FROM p) s"}', NULL),
(false, 'SELECT dp_count(true, 1, 1e-8, 3) FROM p JOIN steps s ON p.i > s.step', 'Equate more columns of the joined tables, or join to fewer of their rows: (SELECT DISTINCT ... FROM ... WHERE ...), or a shorter series.',
	'{"SELECT dp_count(true, 1, 1e-8, 3) FROM p JOIN steps s ON p.i = s.step","SELECT dp_count(true, 1, 1e-8, 3) FROM p JOIN (SELECT DISTINCT step FROM steps WHERE step < 9) s ON p.i > s.step"}', NULL),
(false, 'SELECT dp_count(true, 1, 1e-8, 3) FROM p CROSS JOIN generate_series(1, 10001) s', 'Equate more columns of the joined tables, or join to fewer of their rows: (SELECT DISTINCT ... FROM ... WHERE ...), or a shorter series.',
	'{"SELECT dp_count(true, 1, 1e-8, 3) FROM p CROSS JOIN generate_series(1, 9999) s"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM p JOIN wide w ON w.name = p.a WHERE w.note <> p.v', 'Join to a query that leaves the column out.', '{"SELECT dp_count(1, 1e-8) FROM p JOIN (SELECT name FROM wide) w ON w.name = p.a"}', NULL),
(false, 'SELECT dp_count(1e6, 1e-8) FROM p', 'Use a smaller epsilon.', '{"SELECT dp_count(1, 1e-8) FROM p"}', NULL),
(true, 'SELECT count(*) FROM reader()', 'Write what the function does in the query itself.', '{SELECT count(*) FROM (SELECT i FROM p) r}', NULL),
(true, 'SELECT ci, count(*) FROM p GROUP BY ci', 'Take the text in one case: lower(x).', '{"SELECT lower(ci), count(*) FROM p GROUP BY 1"}', NULL),
(true, 'SELECT count(DISTINCT ci) FROM p', 'Take the text in one case: lower(x).', '{SELECT count(DISTINCT lower(ci)) FROM p}', NULL),
(true, 'SELECT j, count(*) FROM p GROUP BY j', 'Take a field of the document, as text or as a number: data ->> ''key'', (data ->> ''key'')::numeric.', '{"SELECT j ->> ''key'', count(*) FROM p GROUP BY 1","SELECT (j ->> ''key'')::numeric, count(*) FROM p GROUP BY 1"}', NULL),
(false, 'SELECT t, dp_count(1, 1e-8) FROM p GROUP BY t', 'Either hide small groups: GROUP BY t HAVING dp_keep_group(1, 1e-8). Or name the groups from a public table: FROM keys LEFT JOIN p ON p.t = keys.t GROUP BY keys.t.',
	'{"SELECT t, dp_count(1, 1e-8) FROM p GROUP BY t HAVING dp_keep_group(1, 1e-8)","SELECT region.name, dp_count(1, 1e-8) FROM region LEFT JOIN p ON p.t = region.name GROUP BY region.name"}', NULL),
(false, 'SELECT t, dp_count(1, 1e-8) FROM p GROUP BY t HAVING dp_count(1, 1e-8) > 2', 'The smallest legal numbers for this very call are: dp_count(...) > %, or dp_count(...) >= %.',
	'{"SELECT t, dp_count(1, 1e-8) FROM p GROUP BY t HAVING dp_count(1, 1e-8) > 30"}', NULL),
(false, 'SELECT t, i, dp_count(1, 1e-8) FROM p GROUP BY GROUPING SETS ((t), (i))', 'Hide small groups: HAVING dp_keep_group(1, 1e-8). Or name the groups from public tables.',
	'{"SELECT t, i, dp_count(1, 1e-8) FROM p GROUP BY GROUPING SETS ((t), (i)) HAVING dp_keep_group(1, 1e-8)","SELECT name, size, dp_count(id, 1, 1e-8) FROM region LEFT JOIN p ON t = name GROUP BY ROLLUP (name, size)"}', NULL),
(false, 'SELECT name, dp_avg(f, 1, 1e-8) FROM region LEFT JOIN p ON t = name GROUP BY ROLLUP (name)', 'Give the bounds: dp_avg(x, epsilon, delta, lower, upper).', '{"SELECT name, dp_avg(f, 1, 1e-8, 0, 9) FROM region LEFT JOIN p ON t = name GROUP BY ROLLUP (name)","SELECT name, dp_avg(least(greatest(f, 0), 1000), 1, 1e-8) FROM region LEFT JOIN p ON t = name GROUP BY ROLLUP (name)"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM p GROUP BY GROUPING SETS ((), ())', 'Write one level for each, and combine them with UNION ALL.', '{"SELECT dp_count(1, 1e-8) FROM p UNION ALL SELECT dp_count(1, 1e-8) FROM p"}', NULL),
(false, 'SELECT odd, dp_count(1, 1e-8) FROM p GROUP BY odd HAVING dp_keep_group(1, 1e-8)', 'Group by the text under a deterministic collation: x COLLATE "C".', '{"SELECT odd COLLATE \"C\", dp_count(1, 1e-8) FROM p GROUP BY 1 HAVING dp_keep_group(1, 1e-8)"}', NULL),
(false, 'SELECT j -> ''key'', dp_count(1, 1e-8) FROM p GROUP BY 1 HAVING dp_keep_group(1, 1e-8)', 'Take the beginning of long texts, left(x, 1000), or of a document a field as text, data ->> ''key''.', '{"SELECT j ->> ''key'', dp_count(1, 1e-8) FROM p GROUP BY 1 HAVING dp_keep_group(1, 1e-8)","SELECT left(t, 1000), dp_count(1, 1e-8) FROM p GROUP BY 1 HAVING dp_keep_group(1, 1e-8)"}', NULL),
(false, 'SELECT r, dp_count(1, 1e-8) FROM p GROUP BY r HAVING dp_keep_group(1, 1e-8)', 'Order and group by numbers, dates or text with their own operators.', '{"SELECT lower(r), dp_count(1, 1e-8) FROM p GROUP BY 1 HAVING dp_keep_group(1, 1e-8)"}', NULL),
(false, 'SELECT visit, dp_count(1, 1e-8) FROM w GROUP BY visit', 'Groups of one person are not shown: let a sub-select make them, and aggregate around it, SELECT dp_count(1, 1e-6) FROM (SELECT unit, count(*) AS n FROM ... GROUP BY unit) s.', '{"SELECT dp_count(1, 1e-6) FROM (SELECT person, count(*) AS n FROM w GROUP BY person) s"}', NULL),
(false, 'SELECT g, dp_count(1, 1e-8) FROM p GROUP BY g', 'Hide small groups: HAVING dp_keep_group(1, 1e-8). Or ask the owner to declare another table.', '{"SELECT g, dp_count(1, 1e-8) FROM p GROUP BY g HAVING dp_keep_group(1, 1e-8)","SELECT g, dp_count(1, 1e-8) FROM p GROUP BY g"}', 'SELECT gaussdp.set_public_keys(''p'', ''g'', ''region'', ''name'')'),
(false, 'SELECT s, dp_count(1, 1e-8) FROM p GROUP BY s', 'Hide small groups: HAVING dp_keep_group(1, 1e-8). Or ask for SELECT on that table.', '{"SELECT s, dp_count(1, 1e-8) FROM p GROUP BY s HAVING dp_keep_group(1, 1e-8)","SELECT s, dp_count(1, 1e-8) FROM p GROUP BY s"}', 'GRANT SELECT ON hidden_keys TO hints_ana'),
(false, 'SELECT l, dp_count(1, 1e-8) FROM p GROUP BY l', 'Hide small groups: HAVING dp_keep_group(1, 1e-8). Or ask its owner for a primary key on the keys, of the same collation.', '{"SELECT l, dp_count(1, 1e-8) FROM p GROUP BY l HAVING dp_keep_group(1, 1e-8)","SELECT l, dp_count(1, 1e-8) FROM p GROUP BY l"}', 'ALTER TABLE letters ADD PRIMARY KEY (name)'),
(false, 'SELECT dp_count(1, 1e-8) FROM p JOIN twins ON k = i', 'Equate every column of a primary key of the joined table, in ON or as AND conditions.', '{"SELECT dp_count(1, 1e-8) FROM p JOIN region ON region.name = p.t"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM p JOIN w ON p.i = w.i', 'Equate the unit columns of the joined tables: ON a.unit = b.unit.', '{"SELECT dp_count(true, 1, 1e-8, 5) FROM p JOIN w ON p.id = w.person"}', NULL),
(false, 'SELECT dp_count(true, 1, 1e-8, 5) FROM item JOIN p ON p.id = item.visit', 'Its rows are those of the people of w: JOIN public.w ON item.visit = w.visit.', '{"SELECT dp_count(true, 1, 1e-8, 5) FROM item JOIN public.w ON item.visit = w.visit JOIN p ON p.id = w.person"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM p JOIN o ON o.id = p.id', 'Ask each in a level of its own (WITH), and join the results.', '{"WITH a AS (SELECT dp_count(1, 1e-8) AS n FROM p), b AS (SELECT dp_count(1, 1e-8) AS m FROM o) SELECT n, m FROM a, b"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM p FULL JOIN region ON region.name = p.t', 'Join the protected table to public tables, each on its primary key, or use the results of levels (WITH) in the query around them.',
	'{"SELECT dp_count(1, 1e-8) FROM p JOIN region ON region.name = p.t","WITH l AS (SELECT t, dp_count(1, 1e-8) AS n FROM p GROUP BY t HAVING dp_keep_group(1, 1e-8)) SELECT name, n FROM l FULL JOIN region ON name = t"}', NULL),
(false, 'SELECT name, dp_count(id, 1, 1e-8) FROM region LEFT JOIN p ON p.t = name WHERE p.i > 3 GROUP BY name', 'Write conditions on the protected table in ON or in FILTER.', '{"SELECT name, dp_count(id, 1, 1e-8) FROM region LEFT JOIN p ON p.t = name AND p.i > 3 GROUP BY name","SELECT name, dp_count(id, 1, 1e-8) FILTER (WHERE p.i > 3) FROM region LEFT JOIN p ON p.t = name GROUP BY name"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM p, XMLTABLE(''/a'' PASSING ''<a/>'' COLUMNS k text) x WHERE k = t', 'Join to a table, to VALUES, to generate_series of constants, or to a plain SELECT or SELECT DISTINCT of a table.',
	'{"SELECT dp_count(1, 1e-8) FROM p JOIN region ON name = t","SELECT dp_count(1, 1e-8) FROM p JOIN (VALUES (''a'')) x (k) ON k = t","SELECT dp_count(1, 1e-8) FROM p JOIN generate_series(1, 9) k ON k = i","SELECT dp_count(1, 1e-8) FROM p JOIN (SELECT DISTINCT name FROM loose) l ON name = t","SELECT dp_count(1, 1e-8) FROM p JOIN (SELECT name FROM region) l ON name = t"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM p JOIN parent ON name = t', 'Write FROM ONLY.', '{"SELECT dp_count(1, 1e-8) FROM p JOIN ONLY parent ON name = t"}', NULL),
(false, 'SELECT dp_sum(virt, 1, 1e-8, 0, 9) FROM with_virtual JOIN region ON size = i', 'Ask the owner for a stored column.', '{"SELECT dp_count(1, 1e-8) FROM with_virtual JOIN w ON id = person"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM heir', 'Write FROM ONLY.', '{"SELECT dp_count(1, 1e-8) FROM ONLY heir"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM p TABLESAMPLE system (50)', 'Leave out TABLESAMPLE.', '{"SELECT dp_count(1, 1e-8) FROM p"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM part1', 'Name the partitioned table.', '{"SELECT dp_count(1, 1e-8) FROM parts"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM broken', 'Ask the owner of the table: gaussdp.protect.', '{"SELECT dp_count(1, 1e-8) FROM broken"}', 'SELECT gaussdp.protect(''broken'', unit => ''id'', max_rows => 3, people => ''all'', change_unit => true)'),
(false, 'SELECT dp_count(1, 1e-8) FROM p JOIN (SELECT dp_count(1, 1e-8) AS k FROM p) s ON k = i', 'Choose by its one key, x IN (SELECT key ...), or store that result first: CREATE TABLE ... AS SELECT.', '{"CREATE TABLE stored AS SELECT dp_count(1, 1e-8) AS k FROM p","SELECT dp_count(1, 1e-8) FROM p JOIN (SELECT DISTINCT k FROM stored) s ON k = i"}', 'GRANT CREATE ON SCHEMA public TO hints_ana'),
(false, 'WITH RECURSIVE r AS (SELECT 1 AS k UNION SELECT k + 1 FROM r WHERE k < 3) SELECT dp_count(1, 1e-8) FROM p JOIN r ON k = i', 'Store its result first: CREATE TABLE ... AS SELECT.', '{"CREATE TABLE stored2 AS WITH RECURSIVE r AS (SELECT 1 AS k UNION SELECT k + 1 FROM r WHERE k < 3) SELECT k FROM r","SELECT dp_count(1, 1e-8) FROM p JOIN (SELECT DISTINCT k FROM stored2) s ON k = i"}', NULL),
(false, 'UPDATE own SET n = (SELECT dp_count(1, 1e-8) FROM p)', 'Store the result with INSERT ... SELECT or CREATE TABLE AS, and go on from there.', '{"INSERT INTO own SELECT dp_count(1, 1e-8) FROM p","UPDATE own SET n = n + 1"}', NULL),
(false, 'UPDATE own SET n = 1 FROM p', 'Select with dp_ calls, and use the result in another statement.', '{"INSERT INTO own SELECT dp_count(1, 1e-8) FROM p"}', NULL),
(false, 'WITH d AS (DELETE FROM own RETURNING n) SELECT dp_count(1, 1e-8) FROM p', 'Run it as a statement of its own.', '{"DELETE FROM own","SELECT dp_count(1, 1e-8) FROM p"}', NULL),
(false, 'SELECT i FROM p FOR UPDATE', 'Leave out the locking clause.', '{}', NULL),
(false, 'SELECT n FROM (SELECT dp_count(1, 1e-8) AS c FROM p) s, own FOR UPDATE OF own', 'Leave out the locking clause.', '{"SELECT n FROM (SELECT dp_count(1, 1e-8) AS c FROM p) s, own"}', NULL),
(false, 'SELECT id FROM p UNION SELECT id FROM o', 'For people in both ask of one with IN or EXISTS, for people in either join their conditions by OR, or put UNION ALL between queries that have the calls.',
	'{"SELECT dp_count(1, 1e-8) FROM p WHERE id IN (SELECT person FROM w)","SELECT dp_count(1, 1e-8) FROM p WHERE EXISTS (SELECT FROM w WHERE person = id)","SELECT dp_count(1, 1e-8) FROM p WHERE i = 1 OR i = 2","SELECT dp_count(1, 1e-8) FROM p UNION ALL SELECT dp_count(1, 1e-8) FROM o"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT i FROM p LIMIT 3) s', 'For each person''s first rows let it have row_number() OVER (PARTITION BY unit ORDER BY ...) AS n, and the query around WHERE n = 1.', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY visit) AS n FROM w) s WHERE n = 1"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT i FROM p WHERE random() < 0.5) s', 'Let it name columns and conditions of one table only, and write everything else in the query that has the dp_ calls, or in a query around that.', '{"SELECT dp_count(1, 1e-8) FROM (SELECT i FROM p WHERE i > 3) s"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT i FROM p) s FULL JOIN region ON size = i', 'Use LEFT JOIN from the public relation, or a plain join.', '{"SELECT dp_count(s.id, 1, 1e-8) FROM region LEFT JOIN (SELECT id, t FROM p) s ON t = name","SELECT dp_count(1, 1e-8) FROM (SELECT i, t FROM p) s JOIN region ON t = name"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT id, i FROM p UNION ALL SELECT id, i FROM o) s', 'Ask each in a query of its own, and add up or UNION ALL the results.', '{"SELECT dp_count(1, 1e-8) FROM p UNION ALL SELECT dp_count(1, 1e-8) FROM o","SELECT a + b FROM (SELECT dp_count(1, 1e-8) AS a FROM p) x, (SELECT dp_count(1, 1e-8) AS b FROM o) y"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT id, t FROM p UNION ALL SELECT person, t COLLATE "C" FROM w) s', 'Show the unit column of each in the same place, with columns of one type and collation.', '{"SELECT dp_count(1, 1e-8) FROM (SELECT id, t COLLATE \"C\" FROM p UNION ALL SELECT person, t COLLATE \"C\" FROM w) s"}', NULL),
(false, 'INSERT INTO own SELECT i FROM p', 'Name the protected table itself in FROM of the query that has the dp_ calls.', '{"INSERT INTO own SELECT dp_count(1, 1e-8) FROM p"}', NULL),
(false, 'SELECT size, (SELECT dp_count(1, 1e-8) FROM p WHERE i > size) FROM region', 'Write the level as a WITH query at the top and refer to its result.', '{"WITH l AS (SELECT dp_count(1, 1e-8) AS n FROM p) SELECT size, n FROM region, l"}', NULL),
(false, 'SELECT name, size, dp_count(p.id, 1, 1e-8) FROM region LEFT JOIN p ON t = name GROUP BY GROUPING SETS ((name), (name, b)) HAVING dp_keep_group(1, 1e-8)', 'Leave out the column, or name it in each grouping set, too.', '{"SELECT name, size, dp_count(p.id, 1, 1e-8) FROM region LEFT JOIN p ON t = name GROUP BY GROUPING SETS ((name, size), (name, size, b)) HAVING dp_keep_group(1, 1e-8)"}', NULL),
(false, 'SELECT (SELECT dp_count(p.id, 1, 1e-8)) FROM p', 'Write the level as a WITH query, and this in the query around it.', '{"WITH l AS (SELECT dp_count(p.id, 1, 1e-8) AS n FROM p) SELECT (SELECT n) FROM l"}', NULL),
(false, 'SELECT dp_count(random(), 1e-8) FROM p', 'Write a number, or $1 of a prepared statement.', '{"SELECT dp_count(1, 1e-8) FROM p"}', NULL),
(false, 'SELECT dp_count(true, 1, 1e-8, 2), dp_sum(i, 1, 1e-8, 0, 10, 3) FROM w', 'Give the same max_rows in each call, or leave it out; or write two levels.', '{"SELECT dp_count(true, 1, 1e-8, 2), dp_sum(i, 1, 1e-8, 0, 10, 2) FROM w","SELECT dp_count(1, 1e-8), dp_sum(i, 1, 1e-8, 0, 10) FROM w","SELECT (SELECT dp_count(true, 1, 1e-8, 2) FROM w), (SELECT dp_sum(i, 1, 1e-8, 0, 10, 3) FROM w)"}', NULL),
(true, 'SELECT sum(DISTINCT i) FROM w', 'DISTINCT may count people and values: dp_count(DISTINCT x, epsilon, delta).', '{"SELECT dp_count(DISTINCT person, 1, 1e-8) FROM w","SELECT dp_count(DISTINCT i, 1, 1e-8) FROM w","SELECT count(DISTINCT i) FROM w"}', NULL),
(false, 'SELECT t, dp_count(1, 1e-8) FROM w GROUP BY t HAVING dp_keep_group(1, 1e-8, 3)', 'Write dp_keep_group(epsilon, delta); the owner declares max_groups.', '{"SELECT t, dp_count(1, 1e-8) FROM w GROUP BY t HAVING dp_keep_group(1, 1e-8)"}', NULL),
(false, 'SELECT t, dp_count(1, 1e-8) FROM w GROUP BY t HAVING dp_keep_group(1, 1e-8) FILTER (WHERE i > 1)', 'Write the condition in WHERE.', '{"SELECT t, dp_count(1, 1e-8) FROM w WHERE i > 1 GROUP BY t HAVING dp_keep_group(1, 1e-8)"}', NULL),
(false, 'SELECT dp_bounds(i, 1, 1e-8) FROM w', 'Ask for dp_avg_auto_estimate, which shows the bounds that it finds; or let a sub-select make one row of each person.', '{"SELECT dp_avg_auto_estimate(i, 1, 1e-8) FROM w","SELECT dp_bounds(i, 1, 1e-8) FROM (SELECT person, max(i) AS i FROM w GROUP BY person) s"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM w a JOIN w b ON a.person = b.person JOIN w c ON a.person = c.person JOIN w e ON a.person = e.person', 'Join fewer of them in one level, or ask in several levels (WITH).', '{"SELECT dp_count(1, 1e-8) FROM w a JOIN w b ON a.person = b.person","WITH l AS (SELECT dp_count(1, 1e-8) AS n FROM w), m AS (SELECT dp_count(1, 1e-8) AS n FROM w) SELECT l.n, m.n FROM l, m"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT t, count(*) AS n FROM w GROUP BY t) s', 'Group by the unit column, and compute one number of each person''s rows.', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, count(*) AS n FROM w GROUP BY person) s"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT person, count(*) AS n FROM w GROUP BY person LIMIT 3) s', 'Let it compute what depends on one person''s rows alone, and write everything else in the query around the level.', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, count(*) AS n FROM w GROUP BY person) s"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM p, LATERAL (SELECT person, count(*) AS n FROM w WHERE w.i = p.i GROUP BY person) s WHERE s.person = p.id', 'Join it on the unit column.', '{"SELECT dp_count(1, 1e-8) FROM p JOIN (SELECT person, count(*) AS n FROM w GROUP BY person) s ON s.person = p.id"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT person, visit, js, count(*) AS n FROM w GROUP BY visit) s', 'Leave out the column: its type has no equality to group by.', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, visit, count(*) AS n FROM w GROUP BY visit) s"}', NULL),
(false, 'SELECT dp_sum(x, 1, 1e-8, 0, 9) FROM (SELECT person, sum(DISTINCT n) AS x FROM w GROUP BY person) s', 'Leave out DISTINCT, or cast to an integer.', '{"SELECT dp_sum(x, 1, 1e-8, 0, 9) FROM (SELECT person, sum(DISTINCT n::int) AS x FROM w GROUP BY person) s"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT name, person FROM region LEFT JOIN (SELECT person, t, count(*) AS c FROM w GROUP BY person, t) v ON v.t = name) s', 'Join it the other way round: the protected table on the left.', '{"SELECT dp_count(1, 1e-8) FROM (SELECT name, person FROM (SELECT person, t, count(*) AS c FROM w GROUP BY person, t) v LEFT JOIN region ON v.t = name) s"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT person, sum(f) AS x FROM w GROUP BY person) s WHERE x > 1', 'Write sum(x::numeric) or avg(x::numeric).', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, sum(f::numeric) AS x FROM w GROUP BY person) s WHERE x > 1","SELECT dp_count(1, 1e-8) FROM (SELECT person, avg(f::numeric) AS x FROM w GROUP BY person) s WHERE x > 1"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT person, max(n) AS x FROM w GROUP BY person) s WHERE x > 1', 'Cast to an integer or to text, or take a column of type numeric(p, s).', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, max(n::int) AS x FROM w GROUP BY person) s WHERE x > 1","SELECT dp_count(1, 1e-8) FROM (SELECT person, max(n::text) AS x FROM w GROUP BY person) s WHERE x > ''1''","SELECT dp_count(1, 1e-8) FROM (SELECT person, max(n2) AS x FROM w GROUP BY person) s WHERE x > 1"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT id, max(ip) AS x FROM p GROUP BY id) s WHERE x IS NULL', 'Use count, sum, avg, bool_and, bool_or, or min and max of integers, times, text or enums, without ORDER BY.',
	(SELECT array_agg(format('SELECT dp_count(1, 1e-8) FROM (SELECT id, %s AS x FROM p GROUP BY id) s WHERE x IS NULL', f)) FROM unnest('{count(ip),sum(i),avg(i),bool_and(b),bool_or(b),min(i),min(n2),max(d),max(ts),min(t),max(v),min(m)}'::text[]) f), NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT person, string_agg(t, '','' ORDER BY visit) AS x FROM w GROUP BY person) s', 'Use count, sum, avg, bool_and, bool_or, or min and max of integers, times, text or enums, without ORDER BY.', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, max(t) AS x FROM w GROUP BY person) s"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT person, row_number() OVER (ORDER BY visit) AS n FROM w) s WHERE n = 1', 'Partition it by the unit column: OVER (PARTITION BY unit ORDER BY ...).', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, row_number() OVER (PARTITION BY person ORDER BY visit) AS n FROM w) s WHERE n = 1"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT person, sum(i) OVER (PARTITION BY person ORDER BY visit ROWS 3 PRECEDING) AS n FROM w) s WHERE n = 1', 'Leave the frame out, or write ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW, or UNBOUNDED FOLLOWING.', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, sum(i) OVER (PARTITION BY person ORDER BY visit) AS n FROM w) s WHERE n = 1","SELECT dp_count(1, 1e-8) FROM (SELECT person, sum(i) OVER (PARTITION BY person ORDER BY visit ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS n FROM w) s WHERE n = 1","SELECT dp_count(1, 1e-8) FROM (SELECT person, sum(i) OVER (PARTITION BY person ORDER BY visit ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS n FROM w) s WHERE n = 1"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT person, ntile(4) OVER (PARTITION BY person ORDER BY visit) AS n FROM w) s WHERE n = 1', 'Use lag, lead, first_value, last_value, row_number, rank, dense_rank, count, sum, avg, min, max, bool_and or bool_or.',
	(SELECT array_agg(format('SELECT dp_count(1, 1e-8) FROM (SELECT person, %s OVER (PARTITION BY person ORDER BY visit ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS n FROM w) s WHERE n IS NULL', f)) FROM unnest('{lag(i),lead(i),first_value(i),last_value(i),row_number(),rank(),dense_rank(),count(*),sum(i),avg(i),min(i),max(i),bool_and(i > 1),bool_or(i > 1)}'::text[]) f), NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT person, last_value(i) OVER (PARTITION BY person ORDER BY d) AS n FROM w) s WHERE n = 1', 'Write the frame: ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING.', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, last_value(i) OVER (PARTITION BY person ORDER BY d ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING) AS n FROM w) s WHERE n = 1"}', NULL),
(false, 'SELECT dp_count(1, 1e-8) FROM (SELECT person, lag(i, i) OVER (PARTITION BY person ORDER BY d) AS n FROM w) s WHERE n = 1', 'Give a number: lag(x, 1).', '{"SELECT dp_count(1, 1e-8) FROM (SELECT person, lag(i, 1) OVER (PARTITION BY person ORDER BY d) AS n FROM w) s WHERE n = 1"}', NULL),
(false, 'SELECT dp_sum(i, 1, 1e-8, 0, 1 ORDER BY t::tsvector) FROM p', 'Order and group by numbers, dates or text with their own operators.', '{"SELECT dp_sum(i, 1, 1e-8, 0, 1 ORDER BY t) FROM p"}', NULL),
(true, 'SELECT count(*) FROM p WHERE ' || (SELECT string_agg('i = ' || i, ' OR ') FROM generate_series(1, 20000) i), 'Write it as several queries, or join to a table instead of writing values out.', '{"SELECT count(*) FROM p JOIN generate_series(1, 20000) k ON k = i"}', NULL),
(true, 'SELECT virt + 1, count(*) FROM with_virtual GROUP BY 1', 'Ask the owner for a stored column.', '{"SELECT virt + 1, count(*) FROM with_virtual GROUP BY 1"}', 'UPDATE pg_attribute SET attgenerated = '''' WHERE attrelid = ''with_virtual''::regclass AND attname = ''virt'''),
(false, 'SELECT dp_count(*) FROM o', 'Set them for the session, SET gaussdp.epsilon = 0.5; SET gaussdp.delta = 1e-6, or give them in the call: dp_count(0.5, 1e-6), dp_avg(x, 0.5, 1e-6).', '{"SELECT dp_count(0.5, 1e-6) FROM o","SET gaussdp.epsilon = 0.5","SET gaussdp.delta = 1e-6","SELECT dp_count(*) FROM o","RESET gaussdp.epsilon","RESET gaussdp.delta"}', NULL);
-- A view that the role may not read.
CREATE VIEW closed_view AS SELECT * FROM p WHERE i > 3;
CREATE VIEW around_closed WITH (security_invoker) AS SELECT * FROM closed_view;
GRANT SELECT ON around_closed TO hints_ana;
INSERT INTO hints (plain, refused, hint, followed, owner)
SELECT true, query, 'Ask about the tables that it reads, or ask their owner for a view that is read with your rights: gaussdp.create_tool_schema makes such.', '{SELECT count(*) FROM p,SELECT count(*) FROM hint_tools.p}',
	$$SELECT gaussdp.create_tool_schema('hint_tools', '{p}')$$
FROM unnest('{SELECT count(*) FROM closed_view,SELECT count(*) FROM around_closed,WITH c AS (SELECT * FROM closed_view) SELECT count(*) FROM c}'::text[]) AS q (query);

SELECT plan(count(*)::int + sum(cardinality(followed))::int + 5) FROM hints;
-- A role without a budget hears that first; with one it is answered.
CREATE ROLE hints_poor;
SET ROLE hints_poor;
SELECT is(hint_of('SELECT min(secret) FROM p WHERE t ~ t'), 'Ask the owner of the table: gaussdp.grant_budget.', 'a budget comes first');
RESET ROLE;
SELECT gaussdp.grant_budget('hints_poor', 'p', 1, 1e-6) \g /dev/null
SET ROLE hints_poor;
SELECT is(hint_of('SELECT dp_count(0.5, 1e-8) FROM p'), 'answered', 'with one');
RESET ROLE;
-- Pages that a grant allows.
SET ROLE hints_ana;
SELECT is(hint_of('SELECT dp_count(0.5, 1e-8) FROM large'), 'Join fewer tables, or fewer rows of public ones, or ask the owner of the table for a larger max_relation_pages.', 'a table that is too large');
RESET ROLE;
SELECT gaussdp.grant_budget('hints_ana', 'large', 10, 1e-6, max_relation_pages => 1000) \g /dev/null
SET ROLE hints_ana;
SELECT is(hint_of('SELECT dp_count(0.5, 1e-8) FROM large'), 'answered', 'and where the owner allows it');
RESET ROLE;

-- What the owner has to do is done between the refusal and what follows its hint.
CREATE FUNCTION follow() RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	h hints; query text; said text;
BEGIN
	FOR h IN SELECT * FROM hints ORDER BY number LOOP
		SET ROLE hints_ana;
		PERFORM set_config('gaussdp.answer_plain_sql', h.plain::text, false);
		said := hint_of(h.refused);
		PERFORM set_config('gaussdp.answer_plain_sql', 'on', false);
		RESET ROLE;
		RETURN NEXT alike(said, h.hint, 'refused: ' || left(h.refused, 200));
		IF h.owner IS NOT NULL THEN
			EXECUTE h.owner;
		END IF;
		FOREACH query IN ARRAY h.followed LOOP
			SET ROLE hints_ana;
			said := hint_of(query);
			RESET ROLE;
			RETURN NEXT is(said, 'answered', 'followed: ' || left(query, 200));
		END LOOP;
	END LOOP;
END$$;
SELECT follow();
SELECT is(sum(errors)::int, 0, 'no answer has failed on a row') FROM gaussdp.budget;
SELECT * FROM finish();
DROP OWNED BY hints_ana, hints_poor;
