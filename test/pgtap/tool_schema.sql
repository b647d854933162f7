\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Views over protected tables whose owner may not read these: a schema for tools, and what analysts make for themselves.
SELECT plan(23);
CREATE ROLE tool_own;
CREATE ROLE tool_ana;
CREATE ROLE tool_dbt;
CREATE DOMAIN tool_text AS text;
CREATE TYPE tool_mood AS ENUM ('calm', 'wild');
CREATE SCHEMA raw AUTHORIZATION tool_own;
CREATE SCHEMA models AUTHORIZATION tool_dbt;
GRANT USAGE ON SCHEMA raw, models TO tool_ana, tool_dbt;
SELECT format('GRANT CREATE ON DATABASE %I TO tool_own', current_database()) \gexec
SET ROLE tool_own;
CREATE TABLE raw.person (id int PRIMARY KEY, town tool_text, mood tool_mood, born date, profile jsonb, tags text[], place point, key uuid, secret int);
INSERT INTO raw.person SELECT i, CASE i % 3 WHEN 0 THEN 'A' ELSE 'B' END, 'calm', '2000-01-01', '{"a": 1}', '{x,y}' FROM generate_series(1, 3000) i;
CREATE TABLE raw.trip (no int PRIMARY KEY, person int NOT NULL, km int);
INSERT INTO raw.trip SELECT i, 1 + i % 3000, i % 10 FROM generate_series(1, 6000) i;
CREATE TABLE raw.ticket (trip int NOT NULL, price int);
INSERT INTO raw.ticket SELECT no, km FROM raw.trip;
DO $$BEGIN PERFORM gaussdp.protect('raw.person', 'id', people => 'people'), gaussdp.protect('raw.trip', 'person', max_rows => 2, people => 'people'), gaussdp.protect('raw.ticket', 'trip', via => 'raw.trip', max_rows => 2),
	gaussdp.set_bounds('raw.trip', 'km', 0, 10), gaussdp.set_bounds('raw.ticket', 'price', 0, 10), gaussdp.hide_columns('raw.person', '{secret}'),
	gaussdp.grant_budget('tool_ana', 'raw.person', 1000, 1e-3, default_epsilon => 5, default_delta => 1e-6); END$$;
SELECT results_eq($$SELECT v::text FROM gaussdp.create_tool_schema('tool', '{raw.person,raw.trip,raw.ticket}') v$$, $$VALUES ('tool.person'), ('tool.trip'), ('tool.ticket')$$, 'one view of each table');
SELECT is(string_agg(attname || ' ' || format_type(atttypid, atttypmod), ', ' ORDER BY attnum), 'id integer, town tool_text, mood tool_mood, born date, profile text, tags text, place text, key uuid',
	'types that tools do not know are text; hidden columns are left out') FROM pg_attribute WHERE attrelid = 'tool.person'::regclass AND attnum > 0;
SELECT is(count(*), 3::bigint, 'called again it changes nothing') FROM gaussdp.create_tool_schema('tool', '{raw.person,raw.trip,raw.ticket}');
SELECT throws_ok($$SELECT gaussdp.create_tool_schema('tool', '{raw.person_pkey}')$$, '42809', 'raw.person_pkey is no table or view', 'of an index there is none');
CREATE TEMP TABLE trip (id int);
SELECT throws_ok($$SELECT gaussdp.create_tool_schema('tool', '{pg_temp.trip}')$$, '42P07', 'schema tool has another trip already', 'a view of one table does not become that of another');
DROP TABLE pg_temp.trip;
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('raw.person') WHERE what ~ 'view'$$, 'check_policy has nothing against these views');
SET ROLE tool_dbt;
SELECT throws_ok($$SELECT gaussdp.create_tool_schema('tool', '{raw.person}')$$, '42501', NULL, 'a schema is its owner''s');
CREATE VIEW models.person AS SELECT id, town, date_part('year', born) AS year FROM raw.person;
CREATE VIEW models.towns AS SELECT town, count(*) AS n FROM models.person GROUP BY town;
CREATE VIEW models.spent AS SELECT t.person, sum(k.price) AS price FROM raw.ticket k JOIN raw.trip t ON t.no = k.trip GROUP BY t.person;
GRANT SELECT ON models.person, models.towns, models.spent TO tool_ana;

SET ROLE tool_ana;
SET client_min_messages = warning;
SELECT is(count(*), 3::bigint, 'information_schema lists the views') FROM information_schema.tables WHERE table_schema = 'tool';
SELECT throws_ok('SELECT id, town FROM tool.person', '42501', 'permission denied for table person', 'no view shows rows');
SELECT throws_ok('SELECT count(*) FROM tool.person', '42501', 'permission denied for table person', 'nor an exact number');
SET gaussdp.answer_plain_sql = on;
SELECT ok(count(*) BETWEEN 2970 AND 3030, 'a count by such a view') FROM tool.person;
SELECT is(string_agg(town, ' ' ORDER BY town), 'A B', 'groups') FROM (SELECT p.town FROM tool.person p JOIN tool.trip t ON t.person = p.id JOIN tool.ticket k ON k.trip = t.no GROUP BY p.town) s;
SELECT ok(sum(price) BETWEEN 26000 AND 28000, 'rows by way of others') FROM tool.ticket;
SELECT ok(count(*) BETWEEN 5900 AND 6100, 'a trip joined to itself is the person''s') FROM tool.trip a JOIN tool.trip b ON a.no = b.no;
SELECT ok(count(profile) BETWEEN 2970 AND 3030, 'a column that is cast') FROM tool.person;
-- Views of a role without SELECT are read as if they were written in the query, and paid by who reads.
SELECT results_eq('SELECT town::text, n BETWEEN 970 AND 2030 FROM models.towns ORDER BY town', $$VALUES ('A', true), ('B', true)$$, 'groups of another role''s view');
SELECT ok(avg(price) BETWEEN 8 AND 10, 'what it computes of each person') FROM models.spent;
SELECT ok(count(*) BETWEEN 2970 AND 3030, 'rows of it') FROM models.person WHERE year = 2000;
CREATE TEMP VIEW mine AS SELECT p.town, avg(t.km) AS km FROM raw.person p JOIN raw.trip t ON t.person = p.id GROUP BY p.town;
SELECT results_eq('SELECT town::text, km BETWEEN 4 AND 5 FROM mine ORDER BY town', $$VALUES ('A', true), ('B', true)$$, 'one''s own, and temporary');
RESET ROLE;
SELECT is(array_agg(DISTINCT role), '{tool_ana}', 'who reads has paid') FROM gaussdp.journal WHERE role ~ 'tool';
-- When their owner may read the table, they become what is published; so check_policy says.
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('raw.person') WHERE what ~ 'view'$$, 'check_policy has nothing against views that show nothing');
CREATE VIEW raw.of_a AS SELECT * FROM raw.person WHERE town = 'A';
CREATE VIEW raw.over WITH (security_invoker) AS SELECT count(*) AS n FROM raw.of_a;
GRANT SELECT ON raw.over TO tool_ana;
ALTER VIEW raw.of_a OWNER TO tool_own;
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('raw.person') WHERE what ~ 'view'$$, 'nor against one that reads, as its reader, a view that the reader may not read');
GRANT SELECT ON raw.person TO tool_dbt;
SELECT set_eq($$SELECT what FROM gaussdp.check_policy('raw.person') WHERE what ~ 'view'$$, $$VALUES ('view models.person shows rows of the table to those who may read it'), ('view models.towns shows rows of the table to those who may read it')$$,
	'with SELECT for their owner they would show rows');
SELECT * FROM finish();
SET client_min_messages = error;
DROP OWNED BY tool_ana, tool_dbt, tool_own CASCADE;
DROP ROLE tool_ana, tool_dbt, tool_own;
