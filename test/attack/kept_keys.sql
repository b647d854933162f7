\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Answers that are shown again: whether one is, and for whom, must not depend on any person's rows; and no two questions may have one key. Each query
-- here is asked, something is done, and it is asked again: either with the same numbers and for nothing, or drawn and charged.
LOAD '$libdir/gaussdp';
SET client_min_messages = warning;
SET gaussdp.reuse_answers = -1;
SELECT no_plan();
CREATE ROLE kept_keys_ana;
CREATE ROLE kept_keys_bob;
CREATE SCHEMA mine;
GRANT ALL ON SCHEMA mine TO kept_keys_ana;
CREATE TABLE person (id int PRIMARY KEY, city text, born timestamptz, pay numeric);
INSERT INTO person SELECT i, 'c' || i % 4, '1990-01-01 12:00+00'::timestamptz + i * interval '1 day', i % 70 FROM generate_series(1, 400) i;
CREATE TABLE visit (person int, city text, cost int);
INSERT INTO visit SELECT i % 400 + 1, 'c' || i % 4, i % 60 FROM generate_series(1, 1600) i;
CREATE TABLE city (name text PRIMARY KEY, seen_by text);
INSERT INTO city SELECT 'c' || i, CASE WHEN i < 3 THEN 'kept_keys_ana' ELSE 'kept_keys_bob' END FROM generate_series(0, 3) i;
CREATE TABLE ride AS SELECT i % 400 + 1 AS person, 'c' || i % 4 AS city, i % 60 AS cost FROM generate_series(1, 4800) i WHERE i % 7 < 5;
GRANT SELECT ON city TO kept_keys_ana, kept_keys_bob;
DO $$BEGIN
	PERFORM gaussdp.protect('person', unit => 'id', people => 'folk'), gaussdp.set_bounds('person', 'pay', 0, 100),
		gaussdp.protect('visit', unit => 'person', max_rows => 5, max_groups => 4, people => 'folk'), gaussdp.protect('ride', unit => 'person', max_rows => 0, people => 'folk');
	PERFORM gaussdp.grant_budget(r, 'person', 1000, 1e-6, threshold_delta => 0.1) FROM unnest('{kept_keys_ana,kept_keys_bob}'::text[]) r;
END$$;

CREATE FUNCTION answer(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE result text;
BEGIN
	EXECUTE format('SELECT string_agg(s::text, %L ORDER BY s::text) FROM (%s) s', ' ', query) INTO result;
	RETURN coalesce(result, '');
END$$;
CREATE FUNCTION charges() RETURNS numeric LANGUAGE sql SECURITY DEFINER AS $$SELECT coalesce(sum(queries), 0) FROM gaussdp_internal.journal_entry WHERE event = 'charge'$$;
-- Of kept_keys_ana's query and the same or another one after some act: shown again, or drawn and charged; "mixed" is what must never be, other numbers for nothing.
CREATE FUNCTION then_asked(query text, act text, other text = NULL) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	first text;
	before numeric;
	second text;
BEGIN
	SET LOCAL ROLE kept_keys_ana;
	first := public.answer(query);
	RESET ROLE;
	EXECUTE act;
	before := public.charges();
	SET LOCAL ROLE kept_keys_ana;
	second := public.answer(coalesce(other, query));
	RESET ROLE;
	RETURN CASE WHEN public.charges() > before THEN 'drawn' WHEN first = second THEN 'again' ELSE 'mixed' END;
END$$;

-- 1. What is kept does not depend on rows: of all forms of levels, whoever leaves meanwhile, whatever PostgreSQL notes of the tables
CREATE TABLE form (n int PRIMARY KEY, query text);
INSERT INTO form VALUES
	(1, 'SELECT dp_count(0.5, 1e-6) FROM person'),
	(2, 'SELECT dp_avg(pay, 0.5, 1e-6) FROM person WHERE born > ''1990-03-01 00:00+00'''),
	(3, 'SELECT city, dp_count(0.5, 1e-6) FROM person GROUP BY city HAVING dp_keep_group(0.5, 1e-6)'),
	(4, 'SELECT dp_sum(cost, 0.5, 1e-6, 0, 60) FROM visit'),
	(5, 'SELECT city, dp_count(0.5, 1e-6) FROM visit GROUP BY city HAVING dp_keep_group(0.5, 1e-6)'),
	(6, 'SELECT c.name, dp_count(0.5, 1e-6) FROM city c LEFT JOIN visit v ON v.city = c.name GROUP BY c.name'),
	(7, 'SELECT dp_sum(v.cost, 0.5, 1e-6, 0, 60) FROM visit v JOIN person p ON p.id = v.person WHERE p.pay > 10'),
	(8, 'SELECT dp_avg(n, 0.5, 1e-6, 0, 10) FROM (SELECT person, count(*) AS n FROM visit GROUP BY person) s'),
	(9, 'SELECT dp_count(0.5, 1e-6) FROM person p WHERE EXISTS (SELECT FROM visit v WHERE v.person = p.id AND v.cost > 30)'),
	(10, 'SELECT dp_quantile(pay, 0.5, 1e-6, 0, 70, 0.5), dp_histogram(pay, 0.5, 1e-6, 0, 70, 7) FROM person'),
	(11, 'SELECT dp_avg_estimate(pay, 0.5, 1e-6) FROM person'),
	(12, 'SELECT dp_sum(sqrt(pay), 0.5, 1e-6, 0, 10) FROM person'),
	(14, 'SELECT dp_count(5, 1e-6), dp_sum(cost, 5, 1e-6, 0, 60) FROM ride'),
	(15, 'SELECT city, dp_count(DISTINCT person, 5, 1e-6) FROM ride GROUP BY city HAVING dp_keep_group(0.5, 1e-6)');
-- each in a transaction of its own: what one has changed is not kept
SELECT format($$SELECT is(then_asked(%L, 'DELETE FROM person WHERE id = %s; DELETE FROM visit WHERE person = %2$s; DELETE FROM ride WHERE person = %2$s'), 'again', 'a person who has left is not noticed: %2$s')$$, query, n) FROM form ORDER BY n \gexec
SELECT format($$SELECT is(then_asked(%L, 'INSERT INTO person VALUES (%s, ''c9'', now(), -1e6); INSERT INTO visit SELECT %2$s, ''c9'', 1000000 FROM generate_series(1, 3000); INSERT INTO ride SELECT %2$s, ''c9'', 1000000 FROM generate_series(1, 3000)'), 'again', 'nor one who comes: %s')$$, query, 1000 + n, n) FROM form ORDER BY n \gexec
SELECT format($$SELECT is(then_asked(%L, 'ANALYZE person; ANALYZE visit; CREATE INDEX ON visit (cost)'), 'again', 'nor how PostgreSQL would read them: %s')$$, query, n) FROM form WHERE n IN (3, 5, 7) \gexec

GRANT SELECT ON form TO kept_keys_ana;

-- 2. Questions that look alike
CREATE TABLE alike (n int PRIMARY KEY, one text, other text);
INSERT INTO alike VALUES
	(1, 'SELECT dp_count(0.5, 1e-6) FROM person WHERE city <> '' :location 1''', 'SELECT dp_count(0.5, 1e-6) FROM person WHERE city <> '' :location 2'''),
	(2, 'SELECT dp_count(0.5, 1e-6) FROM person WHERE city = ''c1''', 'SELECT dp_count(0.5, 1e-6) FROM person WHERE city = ''c1 '''),
	(3, 'SELECT dp_count(0.5, 1e-6) FROM person WHERE pay > 1', 'SELECT dp_count(0.5, 1e-6) FROM person WHERE pay > 1.0'),
	(4, 'SELECT dp_count(0.5, 1e-6) FROM person WHERE pay > 1', 'SELECT dp_count(0.5, 1e-6) FROM person WHERE pay >= 1'),
	(5, 'SELECT dp_count(0.5, 1e-6) FROM person', 'SELECT dp_count(0.5, 1.0000001e-6) FROM person'),
	(6, 'SELECT dp_sum(cost, 0.5, 1e-6, 0, 60) FROM visit', 'SELECT dp_sum(cost, 0.5, 1e-6, 0, 61) FROM visit'),
	(7, 'SELECT dp_count(0.53, 1e-6) FROM visit', 'SELECT dp_count(0.53, 1e-6) FROM person'),
	(8, 'SELECT dp_count(0.5, 1e-6) FROM person WHERE city = ''c1'' COLLATE "C"', 'SELECT dp_count(0.5, 1e-6) FROM person WHERE city = ''c1'' COLLATE "POSIX"'),
	(9, 'SELECT dp_sum(v.cost, 0.5, 1e-6, 0, 60) FROM visit v JOIN person p ON p.id = v.person WHERE p.city = ''c1''', 'SELECT dp_sum(v.cost, 0.5, 1e-6, 0, 60) FROM visit v JOIN person p ON p.id = v.person WHERE v.city = ''c1'''),
	(10, 'SELECT dp_count(0.5, 1e-6) FROM person " :location 1"', 'SELECT dp_count(0.5, 1e-6) FROM person " :location 2"');
SELECT isnt(then_asked(one, 'SELECT 1', other), 'mixed', 'numbers and price agree, whatever names are') FROM alike WHERE n = 10;
SELECT is(then_asked(one, 'SELECT 1', other), 'drawn', 'another question: ' || n) FROM alike WHERE n < 10 ORDER BY n;

-- 3. What names and values mean
CREATE TABLE setting (n int PRIMARY KEY, name text, value text);
INSERT INTO setting VALUES (1, 'TimeZone', 'America/New_York'), (2, 'DateStyle', 'SQL, DMY'), (3, 'IntervalStyle', 'iso_8601'), (4, 'extra_float_digits', '-3'), (5, 'lc_time', 'POSIX'),
	(6, 'lc_monetary', 'POSIX'), (7, 'lc_numeric', 'POSIX'), (8, 'bytea_output', 'escape'), (9, 'timezone_abbreviations', 'India');
SELECT is(then_asked('SELECT dp_count(0.5, 1e-6) FROM person', format('SET LOCAL %I = %L', name, value)), 'drawn', name || ' is part of a question') FROM setting ORDER BY n;
SELECT is(then_asked('SELECT dp_count(0.5, 1e-6) FROM person', format('SET LOCAL %s = %s', s, v)), 'again', s || ' is not')
	FROM (VALUES ('work_mem', '''5MB'''), ('application_name', 'x'), ('enable_hashagg', 'off'), ('statement_timeout', '''1h'''), ('search_path', 'pg_temp, public')) x (s, v);
-- quote_ident() depends on a setting, which is off while a level runs: the same question has the same rows.
BEGIN;
SET LOCAL quote_all_identifiers = on;
SET LOCAL gaussdp.reuse_answers = 0;
SET LOCAL ROLE kept_keys_ana;
SELECT cmp_ok((SELECT dp_count(9, 1e-6) FROM person WHERE quote_ident(city) = city), '>', 10::bigint, 'what a function makes of a row depends on no setting');
COMMIT;
-- The parser finds other tables by another path.
CREATE TABLE mine.city (name text PRIMARY KEY);
INSERT INTO mine.city VALUES ('c1'), ('c2');
GRANT SELECT ON mine.city TO kept_keys_ana;
SELECT is(then_asked((SELECT query FROM form WHERE n = 6), 'SET LOCAL search_path = mine, public'), 'drawn', 'the same name of another table');
-- Rows of a public relation, by what a session has set, or by who it is
INSERT INTO form VALUES (13, $$SELECT c.name, dp_count(0.5, 1e-6) FROM city c LEFT JOIN visit v ON v.city = c.name WHERE c.seen_by = (SELECT coalesce(nullif(current_setting('mine.who', true), ''), current_user)) GROUP BY c.name$$);
SELECT is(then_asked((SELECT query FROM form WHERE n = 13), $$SET LOCAL mine.who = 'kept_keys_bob'$$), 'drawn', 'other rows of a public relation');
SELECT is(then_asked((SELECT query FROM form WHERE n = 13), $$SET LOCAL mine.who = 'kept_keys_ana'$$), 'again', 'the same ones');
-- Tables and views that are made anew
CREATE TABLE thing (id int PRIMARY KEY, x int);
INSERT INTO thing SELECT i, i FROM generate_series(1, 100) i;
DO $$BEGIN PERFORM gaussdp.protect('thing', unit => 'id', people => 'folk'); END$$;
\set things '''SELECT dp_count(0.5, 1e-6) FROM thing WHERE x > 3'''
SELECT is(then_asked(:things, 'TRUNCATE thing'), 'drawn', 'a table that was emptied');
SELECT is(then_asked(:things, 'ALTER TABLE thing ALTER x TYPE int8'), 'drawn', 'a column of another type');
SELECT is(then_asked(:things, 'ALTER TABLE thing RENAME x TO y; ALTER TABLE thing ADD x int8'), 'drawn', 'a column of the same name');
SELECT is(then_asked(:things, $$DROP TABLE thing; CREATE TABLE thing (id int PRIMARY KEY, x int8); SELECT gaussdp.protect('thing', unit => 'id', people => 'folk')$$), 'drawn', 'a table of the same name');
SELECT is(then_asked(:things, 'SELECT 1'), 'again', 'people of one population');
SELECT gaussdp.protect('thing', unit => 'id', people => 'others', change_unit => true), gaussdp.grant_budget('kept_keys_ana', 'thing', 1000, 1e-6) \g /dev/null
SET ROLE kept_keys_ana;
SELECT charges() AS before, answer(:things) AS x \gset
SELECT is(charges() - :before, 1::numeric, 'are not those of another one');
RESET ROLE;
CREATE VIEW rich WITH (security_invoker) AS SELECT id, pay FROM person WHERE pay > 50;
GRANT SELECT ON rich TO kept_keys_ana;
\set riches '''SELECT dp_count(0.5, 1e-6) FROM rich'''
SELECT is(then_asked(:riches, 'ALTER VIEW rich RENAME TO poor; CREATE VIEW rich WITH (security_invoker) AS SELECT id, pay FROM person WHERE pay > 60; GRANT SELECT ON rich TO kept_keys_ana'), 'drawn', 'another view of that name');

-- A function that may read more than its arguments
CREATE FUNCTION settled(int) RETURNS bool IMMUTABLE LEAKPROOF LANGUAGE internal AS 'int4_bool';
CREATE FUNCTION unsettled(int) RETURNS bool STABLE LEAKPROOF LANGUAGE internal AS 'int4_bool';
SELECT is(then_asked('SELECT dp_count(0.5, 1e-6) FROM person WHERE settled(id)', 'SELECT 1'), 'again', 'an immutable function');
SELECT is(then_asked('SELECT dp_count(0.5, 1e-6) FROM person WHERE unsettled(id)', 'SELECT 1'), 'drawn', 'one that is not: nobody knows what it depends on');

-- Row security of a public relation, groups that an enumeration gets, labels that it renames
SELECT throws_ok($q$SELECT then_asked((SELECT query FROM form WHERE n = 6), 'ALTER TABLE city ENABLE ROW LEVEL SECURITY; CREATE POLICY own ON city USING (seen_by = current_user)')$q$, '42501', NULL, 'row security of a public relation');
SELECT is(then_asked((SELECT query FROM form WHERE n = 6), 'SELECT 1'), 'again', 'once it is gone');
CREATE TYPE mood AS ENUM ('good', 'bad');
CREATE TABLE feels (id int PRIMARY KEY, mood mood);
INSERT INTO feels SELECT i, CASE WHEN i < 300 THEN 'good'::mood ELSE 'bad' END FROM generate_series(1, 400) i;
DO $$BEGIN PERFORM gaussdp.protect('feels', unit => 'id', people => 'folk'); END$$;
\set moods '''SELECT mood, dp_count(0.5, 1e-6) FROM feels GROUP BY mood'''
SET ROLE kept_keys_ana;
SELECT answer(:moods) AS first, charges() AS before \gset
RESET ROLE;
ALTER TYPE mood RENAME VALUE 'bad' TO 'bat';
SET ROLE kept_keys_ana;
SELECT is(answer(:moods), replace(:'first', 'bad', 'bat'), 'a label that is renamed stays the group that it is');
SELECT is(charges(), :before::numeric, 'at no cost');
RESET ROLE;
ALTER TYPE mood ADD VALUE 'none';
SET ROLE kept_keys_ana;
SELECT matches(answer(:moods), 'none', 'one more label is one more group');
SELECT is(charges() - :before, 1::numeric, 'and another question');
RESET ROLE;
-- A plan that is kept, by another role of the session: what it may not read it is not shown.
CREATE ROLE kept_keys_eve;
PREPARE as_whoever AS SELECT dp_count(0.5, 1e-6) FROM person WHERE pay > 12;
SET ROLE kept_keys_ana;
EXECUTE as_whoever \g /dev/null
SET ROLE kept_keys_eve;
SELECT throws_ok('EXECUTE as_whoever', '42501', NULL, 'a role without a budget is shown nothing by a plan that another one has made');
RESET ROLE;
-- A flood of what costs nothing leaves nothing.
SET ROLE kept_keys_ana;
SELECT answer('SELECT dp_count(0.5, 1e-6) FROM person WHERE pay > 13') AS first \gset
RESET ROLE;
SELECT count(*) AS rows, sum(queries) AS charged, (SELECT count(*) FROM gaussdp_internal.kept_answer) AS kept FROM gaussdp_internal.journal_entry \gset
SET ROLE kept_keys_ana;
SELECT is(count(DISTINCT answer('SELECT dp_count(0.5, 1e-6) FROM person WHERE pay > ' || 13 + n * 0)), 1::bigint, 'a hundred equal questions have one answer') FROM generate_series(1, 100) n;
RESET ROLE;
SELECT results_eq('SELECT count(*), sum(queries), (SELECT count(*) FROM gaussdp_internal.kept_answer) FROM gaussdp_internal.journal_entry', format('VALUES (%s::bigint, %s::bigint, %s::bigint)', :rows, :charged, :kept), 'and leave nothing in the ledger');

-- 4. Two equal levels of a statement are one draw, charged once; where answers are not shown again each is drawn and charged.
\set twice '''SELECT (SELECT dp_count(0.5, 1e-6) FROM person WHERE pay <> 17) AS a, (SELECT dp_count(0.5, 1e-6) FROM person WHERE pay <> 17) AS b'''
SET ROLE kept_keys_ana;
SELECT charges() AS before \gset
SELECT a = b AS same FROM (SELECT (SELECT dp_count(0.5, 1e-6) FROM person WHERE pay <> 17) AS a, (SELECT dp_count(0.5, 1e-6) FROM person WHERE pay <> 17) AS b) s \gset
SELECT is(ROW(:'same'::bool, charges() - :before), ROW(true, 1::numeric), 'equal levels of a statement are one draw and one charge');
SELECT charges() AS before \gset
SET gaussdp.reuse_answers = 0;
SELECT count(DISTINCT n) AS draws FROM (SELECT dp_count(0.001, 1e-6) AS n FROM person UNION ALL SELECT dp_count(0.001, 1e-6) FROM person UNION ALL SELECT dp_count(0.001, 1e-6) FROM person) s \gset
SELECT is(ROW(:draws > 1, charges() - :before), ROW(true, 3::numeric), 'or as many draws as charges');
SET gaussdp.reuse_answers = -1;

-- 5. Who may not
SELECT answer(query) AS of_ana FROM form WHERE n = 6 \gset
RESET ROLE;
REVOKE SELECT ON city FROM kept_keys_ana;
SET ROLE kept_keys_ana;
SELECT throws_ok((SELECT query FROM form WHERE n = 6), '42501', NULL, 'who may not read a public relation any more is shown nothing that was made of it');
RESET ROLE;
GRANT SELECT ON city TO kept_keys_ana;
SET ROLE kept_keys_ana;
SELECT is(answer(query), :'of_ana', 'who may again is') FROM form WHERE n = 6;
SELECT throws_ok('SELECT gaussdp.set_data_version(''person'', ''1'')', '42501', NULL, 'an analyst declares no version');
SELECT throws_ok(format('%s FROM gaussdp_internal.kept_answer', verb), '42501', NULL, 'nor sees what is kept: ' || verb) FROM unnest('{SELECT key,SELECT 1,DELETE}'::text[]) verb;
SELECT throws_ok('SELECT * FROM gaussdp_internal.data_version', '42501', NULL, 'nor versions');
RESET ROLE;

\set total '''SELECT dp_count(0.5, 1e-6), dp_sum(pay, 0.5, 1e-6) FROM person'''
-- 6. Where answers are not shared a role of the same name is another one; the account goes with the name.
SELECT gaussdp.share_answers('folk', false) \g /dev/null
SET ROLE kept_keys_bob;
SELECT answer(:total) AS of_bob \gset
RESET ROLE;
ALTER ROLE kept_keys_bob RENAME TO keys_rob;
SET ROLE keys_rob;
SELECT is(answer(:total), :'of_bob', 'a role that is renamed stays who it is');
RESET ROLE;
REVOKE ALL ON city FROM keys_rob;
DROP ROLE keys_rob;
CREATE ROLE keys_rob;
SELECT gaussdp.grant_budget('keys_rob', 'person', 1000, 1e-6, threshold_delta => 0.1) \g /dev/null
SET ROLE keys_rob;
SELECT charges() AS before \gset
SELECT isnt(answer(:total), :'of_bob', 'a new role of the name is shown nothing of the old one''s');
SELECT is(charges() - :before, 1::numeric, 'and pays');
RESET ROLE;

-- 8. Who may not execute a function is shown nothing that was computed by it, and no row decides whether that is an error.
SELECT gaussdp.share_answers('folk', true) \g /dev/null
GRANT SELECT ON form TO keys_rob;
REVOKE EXECUTE ON FUNCTION sqrt(numeric), sqrt(float8) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION sqrt(numeric), sqrt(float8) TO kept_keys_ana;
SET ROLE kept_keys_ana;
SELECT isnt(answer(query), NULL, 'who may execute a function is answered') FROM form WHERE n = 12;
SET ROLE keys_rob;
SELECT throws_like(query, 'permission denied for table person', 'who may not is refused: ' || query)
FROM (SELECT query FROM form WHERE n = 12 UNION ALL SELECT format('SELECT dp_count(0.001, 1e-6) FROM person WHERE CASE WHEN id = 42 AND pay > %s THEN sqrt(pay) > 3 END', 41 + i) FROM generate_series(0, 1) i) q;
RESET ROLE;
GRANT EXECUTE ON FUNCTION sqrt(numeric), sqrt(float8) TO PUBLIC;
SELECT is((SELECT sum(errors)::int FROM gaussdp.budget), 0, 'before any row');

-- 9. What only a transaction sees that never was is shown to nobody else.
GRANT INSERT ON person TO kept_keys_ana;
BEGIN;
SET LOCAL ROLE kept_keys_ana;
INSERT INTO person SELECT i, 'c1', now(), 1 FROM generate_series(10001, 60000) i;
SELECT dp_count(0.5, 1e-6) AS seen FROM person WHERE pay > -17 \gset
ROLLBACK;
BEGIN;
SELECT gaussdp.set_data_version('person', 'tomorrow') \g /dev/null
DELETE FROM person;
SET LOCAL ROLE kept_keys_ana;
SELECT dp_count(0.5, 1e-6) AS seen_empty FROM person WHERE pay > -17 \gset
ROLLBACK;
SET ROLE keys_rob;
SELECT is(ROW(:seen > 40000, :seen_empty < 300, dp_count(0.5, 1e-6) BETWEEN 300 AND 1000), ROW(true, true, true), 'rows that were never committed') FROM person WHERE pay > -17;
RESET ROLE;
SELECT gaussdp.set_data_version('person', 'tomorrow') \g /dev/null
SET ROLE keys_rob;
SELECT cmp_ok(dp_count(0.5, 1e-6), '>', 300::int8, 'nor under a version that is declared later') FROM person WHERE pay > -17;
RESET ROLE;
SELECT gaussdp.set_data_version('person', NULL) \g /dev/null

-- 10. What asks the same is the same question.
SELECT is(then_asked('SELECT dp_sum(sqrt(pay), 0.5, 1e-6, 0, 11) FROM person', 'SELECT 1', 'SELECT   dp_sum(sqrt(  pay ),  0.5, 1e-6, 0, 11)  FROM person'), 'again', 'white space is none');
SELECT is(then_asked('SELECT c.name, dp_count(0.5, 1e-6) FROM city c LEFT JOIN visit v ON v.city = c.name GROUP BY c.name', 'UPDATE city SET seen_by = seen_by WHERE name < ''c3'''), 'again', 'nor is the order in which public rows are read');

-- 11. A ledger that is restored over this one has not been paid what is kept here.
SELECT is(then_asked('SELECT dp_count(0.5, 1e-6) FROM person', 'SELECT 1'), 'again', 'what is paid for');
CREATE TEMP TABLE dumped AS TABLE gaussdp_internal.ledger_account;
TRUNCATE gaussdp_internal.ledger_account, gaussdp_internal.error_count, gaussdp_internal.journal_entry, gaussdp_internal.journal_checkpoint, gaussdp_internal.journal_sum, gaussdp_internal.journal_archive, gaussdp_internal.kept_archive;
SELECT count(*) > 20 AS many FROM gaussdp_internal.kept_answer \gset
ALTER SEQUENCE gaussdp_internal.account_number RESTART;
INSERT INTO gaussdp_internal.ledger_account TABLE dumped;
SELECT is(ROW(:'many'::bool, (SELECT count(*) FROM gaussdp_internal.kept_answer)), ROW(true, 0::bigint), 'is forgotten where its accounts are restored');
SELECT cmp_ok((SELECT last_value FROM gaussdp_internal.account_number), '>=', (SELECT max(number)::int8 FROM gaussdp_internal.ledger_account), 'an account that comes later has another number than those restored');
UPDATE dumped SET role = 'pg_monitor'::regrole;
SELECT throws_ok('INSERT INTO gaussdp_internal.ledger_account SELECT * FROM dumped WHERE holder = ''r'' LIMIT 1', '23505', 'the ledger has an account of this number already', 'and none gets one of these');
SELECT * FROM finish();
