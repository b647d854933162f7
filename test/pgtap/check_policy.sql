\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
\set VERBOSITY terse
-- check_policy finds each of the things that would undo a protection, and nothing where there is none.
BEGIN;
SELECT plan(97);
SET LOCAL client_min_messages = error;

CREATE ROLE keeper;
CREATE ROLE reader;
CREATE ROLE member IN ROLE keeper;
CREATE SCHEMA hr AUTHORIZATION keeper;
SET LOCAL ROLE keeper;
CREATE TABLE hr.dept (name text PRIMARY KEY);
CREATE TABLE hr.emp (id int PRIMARY KEY, dept text, salary int4);
RESET ROLE;
REVOKE keeper FROM member;
SELECT gaussdp.lock_down() \g /dev/null

-- Runs a change, looks for the finding, takes the change back. Without the change there is no finding: see is_empty() below.
CREATE FUNCTION finds(change text, severity text, what text) RETURNS SETOF text LANGUAGE plpgsql AS $$
DECLARE
	found boolean; all_of_them text;
BEGIN
	BEGIN
		EXECUTE change;
		SELECT bool_or(c.severity = finds.severity AND c.what LIKE finds.what AND c.remedy <> ''), string_agg(c.severity || ': ' || c.what, '; ')
		INTO found, all_of_them FROM gaussdp.check_policy('hr.emp') AS c;
		RAISE EXCEPTION USING ERRCODE = 'GD001';
	EXCEPTION WHEN SQLSTATE 'GD001' THEN
	END;
	RETURN NEXT ok(found, change);
	IF found IS NOT TRUE THEN
		RETURN NEXT diag(all_of_them);
	END IF;
END $$;

SELECT is((SELECT string_agg(what, '; ') FROM gaussdp.check_policy('hr.emp')), 'the table is not protected', 'a table without declaration');
SELECT gaussdp.protect('hr.emp', 'id');
SELECT gaussdp.set_bounds('hr.emp', 'salary', 0, 1000);
SELECT gaussdp.set_public_keys('hr.emp', 'dept', 'hr.dept', 'name');
GRANT SELECT ON hr.dept TO PUBLIC;
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.emp')$$, 'nothing to say of a well kept table');

SELECT finds('GRANT SELECT ON hr.emp TO reader', 'error', 'role reader may read hr.emp directly');
SELECT finds('GRANT SELECT (salary) ON hr.emp TO reader', 'error', 'role reader may read hr.emp directly');
SELECT finds('GRANT pg_read_all_data TO reader', 'error', 'role reader may read hr.emp directly');
SELECT finds('ALTER ROLE reader NOINHERIT; GRANT pg_read_all_data TO reader', 'error', 'role reader may read hr.emp directly');
SELECT finds('CREATE ROLE boss SUPERUSER; GRANT boss TO reader', 'error', 'role reader may read hr.emp directly');
SELECT finds('CREATE ROLE boss SUPERUSER; GRANT boss TO reader', 'error', 'role reader may write the ledger%');
SELECT finds('ALTER ROLE reader REPLICATION', 'warning', 'role reader can get at the rows without a right on the table: REPLICATION%');
SELECT finds('GRANT pg_execute_server_program TO reader', 'warning', 'role reader can get at the rows%: pg_execute_server_program%');
SELECT finds('GRANT pg_read_server_files TO member; GRANT member TO reader', 'warning', 'role reader can get at the rows%: pg_read_server_files%');
SELECT current_setting('server_version_num')::int < 160000 AS may_grant_itself \gset
\if :may_grant_itself
SELECT finds('ALTER ROLE reader CREATEROLE', 'warning', 'role reader can get at the rows%: CREATEROLE%');
\else
SELECT skip('from 16 on CREATEROLE is for the roles that it administers', 1);
\endif
SELECT finds('GRANT SELECT ON hr.emp TO PUBLIC', 'error', 'PUBLIC may read hr.emp');
SELECT finds('GRANT SELECT (salary) ON hr.emp TO PUBLIC', 'error', 'PUBLIC may read columns of hr.emp');
SELECT finds('GRANT keeper TO member', 'error', 'role member has the rights of the owner');
SELECT finds('GRANT INSERT ON hr.emp TO reader', 'warning', 'role reader may change hr.emp%');
SELECT finds('GRANT REFERENCES (id) ON hr.emp TO reader', 'warning', 'role reader may change hr.emp%');
SELECT current_setting('server_version_num')::int >= 170000 AS has_maintain \gset
\if :has_maintain
SELECT finds('GRANT MAINTAIN ON hr.emp TO reader', 'warning', 'role reader may maintain hr.emp%');
SELECT finds('GRANT pg_maintain TO reader', 'warning', 'role reader may maintain hr.emp%');
\else
SELECT skip('MAINTAIN comes with 17', 2);
\endif
SELECT finds('CREATE VIEW hr.v AS SELECT salary FROM hr.emp; GRANT SELECT ON hr.v TO reader', 'error', 'view hr.v shows rows%');
SELECT finds('CREATE VIEW hr.v AS SELECT salary FROM hr.emp; CREATE VIEW hr.w AS SELECT * FROM hr.v; GRANT SELECT (salary) ON hr.w TO PUBLIC', 'error', 'view hr.w shows rows%');
SELECT finds('CREATE MATERIALIZED VIEW hr.m AS SELECT salary FROM hr.emp; GRANT SELECT ON hr.m TO reader', 'error', 'materialized view hr.m shows rows%');
-- Of rows that reach the reader beside dp_ calls, through stored copies, and without a proof
SELECT finds(format('%s; GRANT SELECT ON hr.v TO reader', v), 'error', 'view hr.v shows rows%') FROM unnest(ARRAY[
	'CREATE VIEW hr.v AS SELECT salary, (SELECT dp_count(1, 1e-6) FROM hr.dept) FROM hr.emp',
	'CREATE VIEW hr.v AS SELECT max(salary), (SELECT dp_count(1, 1e-6) FROM hr.emp) FROM hr.emp',
	'CREATE VIEW hr.v AS SELECT salary FROM hr.emp WHERE salary > (SELECT dp_avg(salary, 1, 1e-6, 0, 1000) FROM hr.emp)',
	'CREATE VIEW hr.v AS SELECT salary FROM hr.emp UNION ALL SELECT dp_count(1, 1e-6) FROM hr.emp',
	'CREATE VIEW hr.v AS WITH n AS (SELECT count(*) FROM hr.emp) SELECT * FROM n, (SELECT dp_count(1, 1e-6) FROM hr.emp) s',
	'CREATE MATERIALIZED VIEW hr.m AS SELECT salary FROM hr.emp; CREATE VIEW hr.w AS SELECT * FROM hr.m; CREATE VIEW hr.v AS SELECT * FROM hr.w',
	'CREATE TABLE hr.below () INHERITS (hr.emp); CREATE VIEW hr.v AS SELECT dp_count(1, 1e-6) FROM hr.below']) v;
SELECT finds('CREATE MATERIALIZED VIEW hr.m AS SELECT id, dp_count(1, 1e-6) FROM hr.emp GROUP BY id; GRANT SELECT ON hr.m TO reader', 'warning', 'materialized view hr.m keeps dp_ answers%');
-- Nothing is shown by views of dp_ results, by those that check their reader's rights, and by what the owner alone may read.
SAVEPOINT views;
CREATE VIEW hr.answers AS SELECT dept, dp_count(1, 1e-6), dp_avg(salary, 1, 1e-6, 0, 1000) FROM hr.emp GROUP BY dept;
CREATE VIEW hr.over_answers AS WITH a AS (SELECT * FROM hr.answers) SELECT max(dp_count), (SELECT dp_count(1, 1e-6) FROM hr.emp WHERE salary > 10) FROM a;
CREATE VIEW hr.as_reader WITH (security_invoker) AS SELECT salary FROM hr.emp;
CREATE VIEW hr.over_as_reader AS SELECT * FROM hr.as_reader;
GRANT SELECT ON hr.answers, hr.over_answers, hr.as_reader, hr.over_as_reader TO reader, PUBLIC;
CREATE VIEW hr.own AS SELECT salary FROM hr.emp;
CREATE MATERIALIZED VIEW hr.own_answers AS SELECT dp_count(1, 1e-6) FROM hr.emp;
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.emp')$$, 'views of dp_ results, of the reader''s rights, and of the owner alone');
GRANT SELECT ON hr.own TO reader;
SELECT isnt_empty($$SELECT * FROM gaussdp.check_policy('hr.emp')$$, 'until others may read it');
REVOKE SELECT ON hr.own FROM reader;
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.emp')$$, 'and the advice to revoke SELECT works');
ROLLBACK TO views;
SELECT finds('CREATE TABLE hr.f (e int REFERENCES hr.emp); GRANT INSERT ON hr.f TO reader', 'warning', 'foreign key f_e_fkey of hr.f%');
SELECT finds('CREATE TABLE hr.f (e int REFERENCES hr.emp); GRANT UPDATE (e) ON hr.f TO PUBLIC', 'warning', 'foreign key f_e_fkey of hr.f%');
SELECT finds('CREATE TABLE hr.f (e int REFERENCES hr.emp); GRANT member TO reader; ALTER TABLE hr.f OWNER TO member', 'warning', 'foreign key f_e_fkey of hr.f%');
SELECT finds('CREATE TABLE hr.f (k int PRIMARY KEY); ALTER TABLE hr.emp ADD FOREIGN KEY (id) REFERENCES hr.f; GRANT DELETE ON hr.f TO reader', 'warning', 'foreign key emp_id_fkey of the table refers to hr.f%');
SELECT finds('CREATE TABLE hr.f (k int PRIMARY KEY, x int); ALTER TABLE hr.emp ADD FOREIGN KEY (id) REFERENCES hr.f; GRANT UPDATE (k) ON hr.f TO PUBLIC', 'warning', 'foreign key emp_id_fkey of the table refers to hr.f%');
SAVEPOINT foreign_key;
SET LOCAL ROLE keeper;
CREATE TABLE hr.f (e int REFERENCES hr.emp);
CREATE TABLE hr.k (k int PRIMARY KEY, x int);
GRANT REFERENCES ON hr.k TO PUBLIC;
ALTER TABLE hr.emp ADD FOREIGN KEY (id) REFERENCES hr.k;
RESET ROLE;
GRANT UPDATE (x) ON hr.k TO reader;
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.emp')$$, 'foreign keys of and to tables that the owner alone can write, where it matters');
ROLLBACK TO foreign_key;
SELECT finds($$CREATE FUNCTION hr.copy() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
	CREATE TRIGGER copies AFTER INSERT ON hr.emp FOR EACH ROW EXECUTE FUNCTION hr.copy()$$, 'warning', 'trigger copies on hr.emp%');
SELECT finds('CREATE TABLE hr.log (id int); CREATE RULE logs AS ON INSERT TO hr.emp DO ALSO INSERT INTO hr.log VALUES (NEW.id)', 'warning', 'rule logs on hr.emp%');
SELECT finds('CREATE PUBLICATION p FOR TABLE hr.emp', 'warning', 'publication p%');
SELECT finds('CREATE PUBLICATION p FOR ALL TABLES', 'warning', 'publication p%');
SELECT finds('CREATE TABLE hr.above (id int NOT NULL, dept text, salary int4); ALTER TABLE hr.emp INHERIT hr.above', 'error', 'parent hr.above is not protected%');
SELECT finds('CREATE TABLE hr.below () INHERITS (hr.emp)', 'warning', 'child hr.below is not protected by itself');
SELECT finds($$CREATE FUNCTION hr.top() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT max(salary) FROM hr.emp'$$, 'warning', 'function hr.top() runs with%');
SELECT finds($$SET LOCAL standard_conforming_strings = off; CREATE FUNCTION hr.top() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT max(salary) FROM hr.emp'$$, 'warning', 'function hr.top() runs with%');
SELECT finds($$CREATE FUNCTION hr.top() RETURNS int LANGUAGE sql SECURITY DEFINER BEGIN ATOMIC SELECT max(salary) FROM hr.emp; END$$, 'warning', 'function hr.top() runs with%');
SELECT finds('DROP TABLE hr.dept', 'error', 'the public keys of column dept do not hold any more%');
SELECT finds('ALTER TABLE hr.emp ALTER salary TYPE text', 'error', 'the declared bounds of column salary do not hold any more%');
SELECT finds($$CREATE FUNCTION hr.fill() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN INSERT INTO hr.dept VALUES (NEW.dept); RETURN NEW; END';
	CREATE TRIGGER fills AFTER INSERT ON hr.emp FOR EACH ROW EXECUTE FUNCTION hr.fill()$$, 'warning', 'key table hr.dept may be filled from the table%');
SELECT finds('ALTER TABLE hr.emp DROP CONSTRAINT emp_pkey', 'notice', 'nothing proves that column id is unique%');
SELECT finds('ALTER TABLE hr.emp DROP CONSTRAINT emp_pkey; CREATE UNIQUE INDEX ON hr.emp (id) WHERE id > 0', 'notice', 'nothing proves that column id is unique%');
SELECT finds('ALTER TABLE hr.emp DROP id', 'error', 'no query is answered: no column is declared as its unit');
SELECT finds('GRANT EXECUTE ON FUNCTION pg_stat_get_live_tuples(oid) TO PUBLIC', 'warning', 'statistics of the table are readable by everybody%');
SELECT finds('GRANT SELECT ON pg_locks TO PUBLIC', 'warning', 'statistics of the table are readable by everybody: pg_locks');
SELECT finds($$CREATE FUNCTION hr.pages(tbl regclass) RETURNS int8 LANGUAGE internal AS 'pg_table_size'$$, 'warning', 'statistics of the table are readable by everybody: hr.pages(regclass)');
SELECT finds('GRANT UPDATE ON gaussdp_internal.ledger_account TO reader', 'error', 'role reader may write the ledger%');
SELECT finds('GRANT INSERT (mu2) ON gaussdp_internal.journal_entry TO reader', 'error', 'role reader may write the ledger%');
SELECT finds('GRANT DELETE ON gaussdp_internal.journal_archive TO reader', 'error', 'role reader may write the ledger%');
SELECT finds('GRANT pg_write_all_data TO reader', 'error', 'role reader may write the ledger%');
SELECT finds('ALTER ROLE reader NOINHERIT; GRANT pg_write_all_data TO reader', 'error', 'role reader may write the ledger%');
SELECT finds('GRANT CREATE ON SCHEMA public TO reader', 'warning', 'role reader may create functions in schema public%');
SELECT finds('GRANT CREATE ON SCHEMA public TO PUBLIC', 'warning', 'role reader may create functions in schema public%');
SELECT finds(format('ALTER DATABASE %I OWNER TO reader', current_database()), 'warning', 'role reader may create functions in schema public%');
SELECT finds(format('ALTER DATABASE %I OWNER TO reader', current_database()), 'warning', 'role reader may maintain hr.emp%');
SELECT ok(NOT EXISTS (SELECT FROM gaussdp.check_policy('hr.emp') AS c WHERE c.what LIKE 'role keeper%'), 'nothing of the owner');

-- Roles that could collude
SELECT gaussdp.grant_budget('reader', 'hr.emp', 1, 1e-6), gaussdp.set_bounds('hr.emp', 'salary', 0, 1000);
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.emp')$$, 'one budget is a limit');
SELECT finds($$SELECT gaussdp.grant_budget('member', 'hr.emp', 1, 1e-6)$$, 'warning', 'nothing limits what 2 roles with budgets of their own learn together%');
SELECT finds($$SELECT gaussdp.grant_budget('public', 'hr.emp', 1, 1e-6)$$, 'warning', 'nothing limits what 2 roles%');
SELECT gaussdp.grant_budget('member', 'hr.emp', 1, 1e-6), gaussdp.set_population_budget('hr.emp', 1.5, 1e-6);
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.emp')$$, 'with a limit of the population there is nothing to say');
SELECT finds($$CREATE TABLE hr.below () INHERITS (hr.emp); SELECT gaussdp.protect('hr.below', 'id', 2)$$, 'warning', 'what is asked of hr.below alone counts for other people%');

CREATE TABLE hr."é ""%" (id int PRIMARY KEY);
SELECT gaussdp.protect('hr."é ""%"', 'id');
CREATE FUNCTION hr.odd() RETURNS bigint LANGUAGE sql SECURITY DEFINER AS 'SELECT count(*) FROM hr."é ""%"';
SELECT ok(EXISTS (SELECT FROM gaussdp.check_policy('hr."é ""%"') AS c WHERE c.what LIKE 'function hr.odd() runs with%'),
	'a function that names a table of an odd name');
CREATE TABLE hr.p (id int PRIMARY KEY);
SELECT gaussdp.protect('hr.p', 'id');
SELECT is_empty($$SELECT * FROM gaussdp.check_policy('hr.p')$$, 'functions of the extension name no table, whatever it is called');
SELECT gaussdp.unprotect('hr.p');
SELECT results_eq('SELECT "table", what FROM gaussdp.check_policy() ORDER BY 1, 2',
	$$SELECT t, c.what FROM unnest(ARRAY['hr.emp'::regclass, 'hr."é ""%"']) t, gaussdp.check_policy(t) c
	UNION ALL SELECT NULL, 'temporary files of private queries share a disk with role member, which may fill it, and with others' ORDER BY 1, 2$$, 'without a table: all that are protected, and the server');
SELECT is(proconfig::text, '{"search_path=pg_catalog, pg_temp",jit=off}', 'jit would take minutes for its many small queries')
FROM pg_proc WHERE oid IN ('gaussdp.check_policy(regclass)'::regprocedure);
-- A partition with people of its own; what is said to do about it does it.
CREATE TABLE hr.visit (id int, day date) PARTITION BY RANGE (day);
CREATE TABLE hr.visit_old PARTITION OF hr.visit FOR VALUES FROM ('2000-01-01') TO ('2020-01-01');
SELECT gaussdp.protect('hr.visit', 'id'), gaussdp.protect('hr.visit_old', 'id') \g /dev/null
CREATE FUNCTION other_people() RETURNS text LANGUAGE sql AS
	$$ SELECT remedy FROM gaussdp.check_policy('hr.visit') WHERE what = 'what is asked of hr.visit_old alone counts for other people than those of the table' $$;
SELECT ok(other_people() IS NOT NULL, 'a partition that counts for other people is found');
DO $$ BEGIN EXECUTE replace(other_people(), 'NAME', quote_literal('visitors')); END $$;
SELECT is(other_people(), NULL, 'and no more once both have a name');
SELECT gaussdp.protect('hr.visit_old', people => 'others', change_unit => true) \g /dev/null
DO $$ BEGIN EXECUTE other_people(); END $$;
SELECT is(other_people(), NULL, 'nor where the partition takes that of the table');
-- Whoever owns another table of the same people, and row security; what is said to do about it does it.
CREATE FUNCTION what(t regclass) RETURNS SETOF text LANGUAGE sql AS $$SELECT what FROM gaussdp.check_policy(t) WHERE what ~ 'same people|row security|no query'$$;
CREATE FUNCTION mend(t regclass, what text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE remedy text := (SELECT substring(c.remedy FROM '[A-Z]+ (?:TABLE|POLICY) [^;]+;') FROM gaussdp.check_policy(t) AS c WHERE c.what ~ mend.what);
BEGIN EXECUTE remedy; RETURN remedy; END$$;
CREATE TABLE hr.badge (id int PRIMARY KEY, door text);
CREATE TABLE hr.entry (badge int NOT NULL);
SELECT gaussdp.protect('hr.badge', 'id', people => 'staff'), gaussdp.protect('hr.entry', 'badge', via => 'hr.badge') \g /dev/null
CREATE TABLE hr.desk (id int PRIMARY KEY);
SELECT gaussdp.protect('hr.desk', 'id', people => 'staff'), gaussdp.grant_budget('reader', 'hr.desk', 1, 1e-6) \g /dev/null
SELECT is_empty($$SELECT what('hr.badge') UNION ALL SELECT what('hr.entry')$$, 'one owner, and no row security');
ALTER TABLE hr.desk OWNER TO keeper;
ALTER TABLE hr.badge OWNER TO keeper;
ALTER TABLE hr.entry OWNER TO member;
SELECT is(mend('hr.entry', 'another owner''s'), 'ALTER TABLE hr.entry OWNER TO keeper;', 'the table of a path has another owner');
SELECT is_empty($$SELECT what('hr.entry')$$, 'which mends it');
ALTER TABLE hr.desk OWNER TO member;
SELECT alike(what('hr.badge'), 'table hr.desk of role member has the same people, staff: budgets%', 'another owner of a table of the same people');
SELECT alike(what('hr.desk'), 'table hr.badge of role keeper has the same people, staff: budgets%', 'and the other way round') LIMIT 1;
SELECT is(mend('hr.badge', 'hr.desk of role member'), 'ALTER TABLE hr.desk OWNER TO keeper;', 'what to do');
SELECT is_empty($$SELECT what('hr.badge') UNION ALL SELECT what('hr.desk')$$, 'does it');
ALTER TABLE hr.badge ENABLE ROW LEVEL SECURITY;
SELECT results_eq($$SELECT what('hr.badge')$$, ARRAY['row security is on, and no policy shows a row: answers are noise around 0'], 'row security without a policy');
SELECT is(mend('hr.badge', 'no policy shows a row'), 'CREATE POLICY analysts ON hr.badge FOR SELECT USING (true);', 'what to do');
SELECT results_eq($$SELECT what('hr.badge')$$, ARRAY['row security is on: answers are about the rows that its policies show to the role that asks'], 'leaves what is to be known');
DROP POLICY analysts ON hr.badge;
CREATE POLICY others ON hr.badge TO keeper USING (door = 'a');
CREATE POLICY added ON hr.badge FOR INSERT WITH CHECK (true);
SELECT set_eq($$SELECT what('hr.badge')$$, ARRAY['row security is on: answers are about the rows that its policies show to the role that asks', 'row security is on, and no policy shows role reader a row: its answers are noise around 0'], 'a policy for another role');
SELECT is(mend('hr.badge', 'role reader'), 'CREATE POLICY rows_for_reader ON hr.badge FOR SELECT TO reader USING (true);', 'what to do');
SELECT results_eq($$SELECT what('hr.badge')$$, ARRAY['row security is on: answers are about the rows that its policies show to the role that asks'], 'lets it see rows');
SELECT is(mend('hr.badge', '^row security is on: answers'), 'ALTER TABLE hr.badge DISABLE ROW LEVEL SECURITY;', 'or without it');
SELECT is_empty($$SELECT what('hr.badge')$$, 'all are seen');
-- A column of a path that may be several people's
ALTER TABLE hr.badge DROP CONSTRAINT badge_pkey;
SELECT is(mend('hr.entry', 'no unique index'), 'ALTER TABLE hr.badge ADD UNIQUE (id);', 'a path needs a unique index');
-- The unit has gone
ALTER TABLE hr.desk DROP id, ADD person int NOT NULL DEFAULT 1;
SELECT is(remedy, 'SELECT gaussdp.protect(''hr.desk'', unit => ...); with the column that says whose a row is.', 'another column') FROM gaussdp.check_policy('hr.desk') WHERE what ~ 'no query';
SELECT gaussdp.protect('hr.desk', unit => 'person') \g /dev/null
SELECT is_empty($$SELECT w FROM what('hr.desk') AS w WHERE w ~ 'no query'$$, 'is one then');
SELECT * FROM finish();
ROLLBACK;
