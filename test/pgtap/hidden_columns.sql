\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.hide_columns(): no private query uses such a column, by whichever way it comes; what does not use it is answered.
BEGIN;
SELECT plan(44);
SET LOCAL client_min_messages = error;
CREATE ROLE hider;
CREATE ROLE ana;
CREATE SCHEMA hr AUTHORIZATION hider;
GRANT USAGE ON SCHEMA hr TO ana;
SET LOCAL ROLE hider;
CREATE TABLE hr.emp (id int PRIMARY KEY, boss int REFERENCES hr.emp, note text, x int);
CREATE TABLE hr.leave (emp int NOT NULL, v int);
CREATE TABLE hr.part (emp int NOT NULL, note text, day int) PARTITION BY RANGE (day);
CREATE TABLE hr.part1 PARTITION OF hr.part DEFAULT;
CREATE TABLE hr.pub (boss int PRIMARY KEY);
CREATE TABLE hr.trip (id int PRIMARY KEY, emp int NOT NULL);
CREATE TABLE hr.ticket (trip int NOT NULL);
INSERT INTO hr.emp SELECT i, i, 'n', i FROM generate_series(1, 50) i;
CREATE VIEW hr.whole AS SELECT * FROM hr.emp;
CREATE VIEW hr.named AS SELECT id, boss AS chief, x FROM hr.emp;
GRANT SELECT ON hr.whole, hr.named, hr.pub TO ana;
SELECT gaussdp.protect('hr.emp', 'id', people => 'staff'), gaussdp.protect('hr.leave', 'emp', 3, people => 'staff'), gaussdp.protect('hr.part', 'emp', 3, people => 'staff'),
	gaussdp.protect('hr.trip', 'emp', people => 'staff'), gaussdp.protect('hr.ticket', 'trip', via => 'hr.trip'),
	gaussdp.set_public_keys('hr.emp', 'boss', 'hr.pub', 'boss'), gaussdp.grant_budget('ana', 'hr.emp', 100, 1e-3) \g /dev/null
SELECT isnt_empty($$SELECT * FROM gaussdp.check_policy('hr.emp') WHERE what ~ 'column boss names a second person'$$, 'a second person is warned of');
SELECT gaussdp.hide_columns('hr.emp', '{boss,note}'), gaussdp.hide_columns('hr.part', '{note}') \g /dev/null
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.emp') WHERE what ~ 'second person'$$, 'and not when it is hidden');
SELECT is(l.label, 'keys=hr.pub(boss) hidden', 'a label beside others') FROM pg_seclabel AS l WHERE l.objoid = 'hr.emp'::regclass AND l.objsubid = 2;
SELECT is(string_agg(format('%s.%s', "table", "column"), ' ' ORDER BY "table"::text, "column"), 'hr.emp.boss hr.emp.note hr.part.note', 'column_bounds shows them') FROM gaussdp.column_bounds WHERE hidden;
SELECT throws_ok($$SELECT gaussdp.hide_columns('hr.emp', '{id}')$$, '22023', NULL, 'not the unit');
SELECT throws_ok($$SELECT gaussdp.hide_columns('hr.trip', '{id}')$$, '22023', 'column "id" of table hr.trip cannot be hidden', 'nor where a path leads');
SELECT throws_ok($$SELECT gaussdp.hide_columns('hr.emp', '{nope}')$$, '42703', NULL, 'nor what is not there');
SELECT is(sql, $$SELECT gaussdp.hide_columns('hr.part', '{note}');$$, 'declarations that are dumped have it') FROM gaussdp.dump_declarations() WHERE sql ~ 'hide_columns.*part';
SELECT lives_ok($$SELECT count(boss) FROM hr.emp$$, 'the owner reads as ever');
RESET ROLE;
SET LOCAL ROLE ana;
SELECT throws_ok($$SELECT gaussdp.show_columns('hr.emp', '{boss}')$$, '42501', NULL, 'an analyst shows nothing');
SELECT is(string_agg("column", ' ' ORDER BY number), 'boss note', 'columns says what is hidden') FROM gaussdp.columns WHERE "table"::text = 'hr.emp' AND hidden;

-- EXPLAIN is the verdict, without a charge: the worker sees committed tables only.
SELECT lives_ok('EXPLAIN ' || q, q) FROM unnest(ARRAY['SELECT dp_count(1, 1e-6) FROM hr.emp', 'SELECT dp_sum(x, 1, 1e-6, 0, 9) FROM (SELECT * FROM hr.emp) s', 'SELECT dp_count(1, 1e-6) FROM hr.whole WHERE x > 3',
	'SELECT dp_sum(x, 1, 1e-6, 0, 9) FROM hr.named', 'SELECT dp_count(1, 1e-6) FROM hr.emp JOIN hr.leave ON id = emp', 'WITH e AS (SELECT * FROM hr.emp) SELECT dp_count(1, 1e-6) FROM e',
	'SELECT dp_count(1, 1e-6) FROM hr.part', 'SELECT dp_count(1, 1e-6) FROM hr.trip t JOIN hr.ticket k ON k.trip = t.id']) AS q;

CREATE FUNCTION pg_temp.why(q text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
BEGIN
	EXECUTE 'EXPLAIN ' || q;
	RETURN 'answered';
EXCEPTION WHEN insufficient_privilege THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL;
	RETURN CASE WHEN detail ~ 'has hidden column "(boss|note)" from private queries' THEN 'hidden' ELSE detail END;
END$$;
SELECT is(pg_temp.why(q), 'hidden', q) FROM unnest(ARRAY['SELECT dp_count(1, 1e-6) FROM hr.emp WHERE boss = 1', 'SELECT dp_count(1, 1e-6) FROM hr.whole WHERE note LIKE ''x%''',
	'SELECT dp_sum(chief, 1, 1e-6, 0, 9) FROM hr.named', 'SELECT boss, dp_count(1, 1e-6) FROM hr.emp GROUP BY boss', 'SELECT boss, dp_count(1, 1e-6) FROM hr.emp GROUP BY boss HAVING dp_keep_group(1, 1e-6)',
	'SELECT p.boss, dp_count(id, 1, 1e-6) FROM hr.pub p LEFT JOIN hr.emp e ON e.boss = p.boss GROUP BY p.boss', 'SELECT boss, dp_count(id, 1, 1e-6) FROM hr.pub LEFT JOIN hr.emp USING (boss) GROUP BY boss',
	'SELECT dp_count(1, 1e-6) FILTER (WHERE boss > 1) FROM hr.emp', 'SELECT dp_count(1, 1e-6) FROM hr.emp JOIN hr.leave ON id = emp AND boss = v', 'SELECT dp_count(1, 1e-6) FROM hr.part WHERE note = ''n''',
	'SELECT dp_sum(m, 1, 1e-6, 0, 9) FROM (SELECT id, max(boss) AS m FROM hr.emp GROUP BY id) s', 'WITH e AS (SELECT id, boss + 1 AS b FROM hr.emp) SELECT dp_count(1, 1e-6) FROM e WHERE b = 2',
	'SELECT dp_count(DISTINCT boss, 1, 1e-6) FROM hr.emp', 'SELECT dp_sum(CASE WHEN note = ''n'' THEN 1 ELSE 0 END, 1, 1e-6, 0, 1) FROM hr.emp',
	'SELECT dp_count(1, 1e-6) FROM hr.emp WHERE EXISTS (SELECT FROM hr.leave WHERE emp = id AND v = boss)', 'SELECT dp_count(1, 1e-6) FROM hr.emp WHERE x > 1 ORDER BY dp_sum(boss, 1, 1e-6, 0, 9)',
	'SELECT dp_count(1, 1e-6) FROM hr.emp HAVING dp_sum(boss, 1, 1e-6, 0, 9) > 1', 'SELECT dp_count(1, 1e-6) FROM (SELECT DISTINCT id, boss FROM hr.emp) s',
	'SELECT dp_count(1, 1e-6) FROM hr.emp WHERE (SELECT 1) > 0 AND (SELECT 2) > 1 AND EXISTS (SELECT FROM hr.leave WHERE emp = id AND v = boss)']) AS q;
SELECT isnt(pg_temp.why(q), 'answered', q) FROM unnest(ARRAY['SELECT dp_count(1, 1e-6) FROM hr.emp e WHERE e IS NOT NULL', 'SELECT dp_count(e, 1, 1e-6) FROM hr.emp e',
	'SELECT dp_count(1, 1e-6) FROM hr.part1 WHERE note = ''n''']) AS q;
RESET ROLE;
SET LOCAL ROLE hider;
SELECT throws_ok($$SET LOCAL gaussdp.as_analyst = on; SELECT dp_count(1, 1e-6) FROM hr.emp WHERE boss = 1$$, '42501', NULL, 'an owner who asks as an analyst is refused, too');
RESET gaussdp.as_analyst;
SELECT gaussdp.show_columns('hr.emp', '{boss}') \g /dev/null
RESET ROLE;
SET LOCAL ROLE ana;
SELECT is(pg_temp.why('SELECT dp_count(1, 1e-6) FROM hr.emp WHERE boss = 1'), 'answered', 'what is shown again is answered');
SELECT is(pg_temp.why('SELECT dp_count(1, 1e-6) FROM hr.emp WHERE note = ''n'''), 'hidden', 'and nothing else');
SELECT * FROM finish();
ROLLBACK;
