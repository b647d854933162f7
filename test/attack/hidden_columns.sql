\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- A hidden column by ways around its name: none is answered. The plain ways are in pgtap/hidden_columns.sql. EXPLAIN is the verdict, without a charge.
BEGIN;
SELECT no_plan();
SET LOCAL client_min_messages = error;
CREATE ROLE hidden_owner;
CREATE ROLE hidden_ana;
CREATE SCHEMA firm AUTHORIZATION hidden_owner;
GRANT USAGE ON SCHEMA firm TO hidden_ana;
GRANT ALL ON SCHEMA public TO hidden_ana;
SET LOCAL ROLE hidden_owner;
CREATE TABLE firm.emp (gone int, id int PRIMARY KEY, x int, mail text, boss int, long int GENERATED ALWAYS AS (length(mail)) STORED, twice int GENERATED ALWAYS AS (x * 2) STORED);
ALTER TABLE firm.emp DROP gone;
CREATE TABLE firm.hours (emp int NOT NULL, x int, mail text, day int) PARTITION BY RANGE (day);
CREATE TABLE firm.hours_old (day int, filler int, mail text, x int, emp int NOT NULL);
ALTER TABLE firm.hours_old DROP filler;
ALTER TABLE firm.hours ATTACH PARTITION firm.hours_old DEFAULT;
CREATE TABLE firm.code (x int PRIMARY KEY, mail text UNIQUE);
INSERT INTO firm.emp SELECT i, i % 5, 'm' || i, i FROM generate_series(1, 50) i;
CREATE VIEW firm.over WITH (security_invoker) AS SELECT id, x, upper(mail) AS shout FROM firm.emp;
CREATE VIEW firm.sought WITH (security_invoker) AS SELECT id, (SELECT c.x FROM firm.code c WHERE c.mail = e.mail) AS found FROM firm.emp e;
GRANT SELECT ON firm.over, firm.sought, firm.code TO hidden_ana;
SELECT gaussdp.protect('firm.emp', 'id', people => 'hidden folk'), gaussdp.protect('firm.hours', 'emp', 3, people => 'hidden folk'), gaussdp.hide_columns('firm.emp', '{mail,boss}'), gaussdp.hide_columns('firm.hours', '{mail}'),
	gaussdp.grant_budget('hidden_ana', 'firm.emp', 100, 1e-3) \g /dev/null
RESET ROLE;
SET LOCAL ROLE hidden_ana;
SET LOCAL gaussdp.answer_plain_sql = on;
SET LOCAL gaussdp.epsilon = 0.5;
SET LOCAL gaussdp.delta = 1e-6;
CREATE VIEW public.mine WITH (security_invoker) AS SELECT id, boss AS innocent FROM firm.emp;
CREATE FUNCTION pg_temp.verdict(q text) RETURNS text LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE 'EXPLAIN ' || q;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	RETURN 'refused';
END$$;
SELECT is(pg_temp.verdict(q), 'answered', q) FROM unnest(ARRAY['SELECT count(*) FROM firm.emp', 'SELECT count(*) FROM firm.hours WHERE x > 1', 'SELECT avg(x) FROM firm.over', 'SELECT count(*) FROM public.mine', 'SELECT sum(twice) FROM firm.emp',
	'SELECT x, count(*) FROM firm.emp JOIN (SELECT emp, mail FROM firm.hours) h ON id = emp GROUP BY x']) q;
CREATE TEMP TABLE around AS SELECT q FROM unnest(ARRAY[
	'SELECT sum(long) FROM firm.emp', 'SELECT count(*) FROM firm.emp WHERE long > 2', -- generated of a hidden column
	'SELECT count(*) FROM firm.over WHERE shout = ''M1''', 'SELECT count(*) FROM firm.sought WHERE found = 1', 'SELECT sum(innocent) FROM public.mine', 'SELECT count(innocent) FROM public.mine', 'SELECT count(boss) FROM firm.emp',
	'SELECT count(*) FROM firm.emp NATURAL JOIN firm.code', 'SELECT count(*) FROM firm.emp JOIN firm.code USING (mail)', 'SELECT count(*) FROM firm.emp, firm.code WHERE (firm.emp.x, firm.emp.mail) = (firm.code.x, firm.code.mail)',
	'SELECT count(*) FROM firm.emp e JOIN firm.hours h ON e.id = h.emp AND e.mail = h.mail', 'SELECT count(*) FROM firm.hours h(a, b, c, d) WHERE c = ''m''', 'SELECT count(*) FROM firm.emp AS e(i, j, k, l) WHERE l > 3',
	'SELECT count(*) FROM firm.hours_old WHERE mail = ''m''', 'SELECT count(*) FROM (SELECT id, row_number() OVER (PARTITION BY id ORDER BY mail) AS n FROM firm.emp) s WHERE n = 1',
	'SELECT count(*) FROM (SELECT emp, lag(mail) OVER (PARTITION BY emp ORDER BY day) AS m FROM firm.hours) s WHERE m IS NULL', 'SELECT count(*) FROM (SELECT id, mail FROM firm.emp UNION ALL SELECT emp, mail FROM firm.hours) s WHERE mail = ''m''',
	'SELECT count(*) FROM firm.emp e, LATERAL (VALUES (e.mail)) v (m) WHERE m = ''x''', 'SELECT count(*) FROM firm.emp WHERE id IN (SELECT emp FROM firm.hours WHERE mail = ''m'')',
	'SELECT count(*) FROM firm.emp WHERE mail IN (SELECT mail FROM firm.code)', 'SELECT count(*) FROM firm.emp WHERE ARRAY[mail] && ARRAY[''m1'']', 'SELECT count(*) FROM firm.emp WHERE (emp).mail = ''m''', 'SELECT count(*) FROM firm.emp WHERE to_jsonb(emp) ->> ''mail'' = ''m''',
	'SELECT count(*) FROM firm.emp WHERE emp::text LIKE ''%m1%''', 'SELECT count(*) FROM firm.emp a JOIN firm.emp b ON a.id = b.id AND a.boss = b.boss', 'SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY boss) FROM firm.emp', 'SELECT corr(x, boss) FROM firm.emp',
	'SELECT coalesce(mail, ''-''), count(*) FROM firm.emp GROUP BY 1', 'SELECT count(*) FROM firm.emp GROUP BY GROUPING SETS ((), (boss))', 'SELECT max(boss) FROM firm.emp', 'SELECT id IS NULL, count(*) FROM firm.emp GROUP BY 1, mail',
	'SELECT count(*) FILTER (WHERE mail IS NULL) FROM firm.emp', 'SELECT dp_count(mail, 0.5, 1e-6) FROM firm.emp', 'WITH RECURSIVE w AS (SELECT id, boss FROM firm.emp) SELECT count(*) FROM w WHERE boss > 1']) q;
SELECT is(pg_temp.verdict(q), 'refused', q) FROM around;
-- That they are hidden is what refuses most of these; others are refused in any case.
RESET ROLE;
SET LOCAL ROLE hidden_owner;
SELECT gaussdp.show_columns('firm.emp', '{mail,boss}'), gaussdp.show_columns('firm.hours', '{mail}') \g /dev/null
RESET ROLE;
SET LOCAL ROLE hidden_ana;
SELECT cmp_ok(count(*) FILTER (WHERE pg_temp.verdict(q) = 'answered'), '>=', 24::bigint, 'the same columns, shown, answer many of these') FROM around;
RESET ROLE;
SET LOCAL ROLE hidden_owner;
SELECT gaussdp.hide_columns('firm.emp', '{mail}') \g /dev/null
-- Renamed, it is hidden on; a column that comes in its place is another one.
ALTER TABLE firm.emp RENAME mail TO address;
ALTER TABLE firm.emp ADD mail text;
RESET ROLE;
SET LOCAL ROLE hidden_ana;
SELECT is(pg_temp.verdict('SELECT count(*) FROM firm.emp WHERE address = ''m'''), 'refused', 'by its new name');
SELECT is(pg_temp.verdict('SELECT count(*) FROM firm.emp WHERE mail = ''m'''), 'answered', 'and the old name is that of a new column');
SELECT * FROM finish();
ROLLBACK;
