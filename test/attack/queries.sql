\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
\getenv data GAUSSDP_DATA
-- Queries that must be answered (A), refused (B), or that were seen to leak (C): each with its verdict,
-- as a role that holds a budget and no SELECT.  A refusal is the same, word for word, on the full table,
-- on one with a person less, and on an empty one.  The table has 48,842 people, a tenth of them in `make test`.
SET client_min_messages = warning;
\ir ../module/size.sql
CREATE SCHEMA hr;
CREATE SCHEMA ana;
CREATE TABLE hr.emp (id int PRIMARY KEY, dept text, age int, salary float8, bonus int, dept_id int) WITH (autovacuum_enabled = off);
SELECT :'data' <> '' AS has_data \gset
\if :has_data
CREATE TEMP TABLE adult (person_id int, split text, age int, workclass text, fnlwgt int, education text,
    education_num int, marital_status text, occupation text, relationship text, race text, sex text,
    capital_gain int, capital_loss int, hours_per_week int, native_country text, income text);
\copy adult FROM PROGRAM 'gzip -dc "$GAUSSDP_DATA/adult.csv.gz"' (FORMAT csv, HEADER)
INSERT INTO hr.emp SELECT person_id, coalesce(occupation, 'none'), age, capital_gain, capital_loss,
    education_num FROM adult WHERE person_id <= sized(48842);
\else
INSERT INTO hr.emp SELECT i, 'd' || i % 14, 17 + i % 70, i * 7919 % 99999, i % 4000, 1 + i % 16
FROM generate_series(1, sized(48842)) i;
\endif
ANALYZE hr.emp;

CREATE TABLE hr.part (id int PRIMARY KEY, v float8) PARTITION BY RANGE (id);
CREATE TABLE hr.part1 PARTITION OF hr.part FOR VALUES FROM (0) TO (100);
CREATE TABLE hr.part2 PARTITION OF hr.part FOR VALUES FROM (100) TO (1000);
INSERT INTO hr.part SELECT i, i FROM generate_series(1, 999) i;
CREATE TABLE hr.par (id int);
CREATE TABLE hr.child (PRIMARY KEY (id)) INHERITS (hr.par);
CREATE TABLE hr.dept (id int PRIMARY KEY, name text UNIQUE, boss text);
INSERT INTO hr.dept VALUES (1, 'Sales', 'x'), (2, 'Tech-support', 'y'), (77, 'nobody', 'z');
CREATE TABLE hr.plain (id int, name text);
CREATE COLLATION hr.nocase (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE hr.names (id int PRIMARY KEY, name text COLLATE hr.nocase, UNIQUE (name));
CREATE TABLE hr.visit (person int NOT NULL, cost float8);
INSERT INTO hr.visit SELECT i / 3, i FROM generate_series(3, 302) i;
CREATE EXTENSION file_fdw;
CREATE SERVER attack_files FOREIGN DATA WRAPPER file_fdw;
CREATE FOREIGN TABLE hr.elsewhere (id int) SERVER attack_files OPTIONS (program 'seq 16');
CREATE VIEW hr.vdp AS SELECT dp_avg(salary, 1, 1e-6, 0, 99999) AS v FROM hr.emp;
CREATE FUNCTION hr.definer_raw() RETURNS float8 LANGUAGE sql SECURITY DEFINER
    AS 'SELECT max(salary) FROM hr.emp';
REVOKE EXECUTE ON FUNCTION hr.definer_raw() FROM PUBLIC;

CREATE ROLE attack_ana;
CREATE ROLE attack_poor;
GRANT USAGE ON SCHEMA hr TO attack_ana, attack_poor;
GRANT ALL ON SCHEMA ana TO attack_ana;
GRANT SELECT ON hr.dept, hr.plain, hr.names, hr.elsewhere, hr.vdp TO attack_ana;
SELECT gaussdp.protect('hr.emp', unit => 'id') \g /dev/null
SELECT gaussdp.protect('hr.part', unit => 'id') \g /dev/null
SELECT gaussdp.protect('hr.child', unit => 'id') \g /dev/null
SELECT gaussdp.protect('hr.visit', unit => 'person', max_rows => 3) \g /dev/null
SELECT gaussdp.set_bounds('hr.emp', 'salary', 0, 99999) \g /dev/null
SELECT gaussdp.set_bounds('hr.emp', 'age', 0, 120) \g /dev/null
SELECT gaussdp.set_bounds('hr.part', 'v', 0, 1000) \g /dev/null
SELECT gaussdp.grant_budget('attack_ana', 'hr.emp', epsilon => 500, delta => 1e-3) \g /dev/null
SELECT gaussdp.grant_budget('attack_ana', 'hr.part', epsilon => 500, delta => 1e-3) \g /dev/null
SELECT gaussdp.grant_budget('attack_ana', 'hr.visit', epsilon => 500, delta => 1e-3) \g /dev/null
SELECT * FROM gaussdp.lock_down() \g /dev/null

-- What the analyst owns.  A sequence remembers a call even where its transaction is rolled back.
SET ROLE attack_ana;
CREATE SEQUENCE ana.seen;
CREATE FUNCTION ana.leak(anyelement) RETURNS bool LANGUAGE plpgsql COST 0.0001
    AS $$BEGIN PERFORM nextval('ana.seen'); RAISE NOTICE '%', $1; RETURN true; END$$;
CREATE FUNCTION ana.less(float8, float8) RETURNS bool LANGUAGE plpgsql COST 0.0001
    AS $$BEGIN PERFORM nextval('ana.seen'); RETURN $1 < $2; END$$;
CREATE OPERATOR ana.<<< (LEFTARG = float8, RIGHTARG = float8, FUNCTION = ana.less, RESTRICT = scalarltsel);
CREATE FUNCTION ana.equal(int, int) RETURNS bool LANGUAGE plpgsql
    AS $$BEGIN PERFORM nextval('ana.seen'); RETURN true; END$$;
CREATE OPERATOR ana.= (LEFTARG = int, RIGHTARG = int, FUNCTION = ana.equal);
CREATE FUNCTION ana.inl() RETURNS SETOF float8 LANGUAGE sql STABLE AS 'SELECT salary FROM hr.emp';
CREATE FUNCTION ana.inl4() RETURNS SETOF float8 LANGUAGE sql STABLE
    AS 'SELECT salary FROM hr.emp WHERE salary OPERATOR(ana.<<<) 5';
CREATE FUNCTION ana.sc() RETURNS float8 LANGUAGE sql STABLE AS 'SELECT max(salary) FROM hr.emp';
CREATE FUNCTION ana.take(float8[], float8, float8, float8, float8, float8) RETURNS float8[] LANGUAGE sql
    AS 'SELECT array_append($1, $2)';
CREATE AGGREGATE ana.dp_avg(float8, float8, float8, float8, float8) (SFUNC = ana.take, STYPE = float8[]);
CREATE TABLE ana.r (v float8);
CREATE TABLE ana.m (id int);
RESET ROLE;

-- What becomes of a query: "answered", or everything that its error says.  Nothing of it stays.
CREATE FUNCTION ana.try(statements text) RETURNS text LANGUAGE plpgsql AS $try$
DECLARE
    statement text;
    state text; message text; detail text; hint text;
BEGIN
    BEGIN
        DEALLOCATE ALL;
        EXECUTE 'SET LOCAL ROLE attack_ana';
        FOREACH statement IN ARRAY string_to_array(statements, ';;') LOOP
            EXECUTE statement;
        END LOOP;
        RAISE EXCEPTION USING ERRCODE = 'ZZ000';
    EXCEPTION
        WHEN SQLSTATE 'ZZ000' THEN
            RETURN 'answered';
        WHEN OTHERS THEN
            GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, message = MESSAGE_TEXT,
                detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
            RETURN concat_ws('|', state, message, detail, hint);
    END;
END
$try$;

-- {D} is a legal call, {E} the table; statements of one entry are separated by two semicolons.  Of B and C those
-- that show released values alone are answered: a level runs in a room of its own, whatever stands around it.
CREATE TABLE ana.query (id text, state text, statements text, verdict text);
INSERT INTO ana.query (id, state, statements) VALUES
('A01', 'answered', $$SELECT {D} FROM {E}$$),
('A02', 'answered', $$SELECT dp_count(1, 1e-6), dp_sum(age, 1, 1e-6, 0, 120) FROM {E} WHERE dept = 'Sales' AND age BETWEEN 20 AND 40$$),
('A03', 'answered', $$SELECT {D} FROM {E} WHERE dept IN ('Sales', 'b') AND salary IS NOT NULL OR NOT (age <> 30)$$),
('A04', 'answered', $$SELECT round({D}::numeric, 1), {D} * 12 FROM {E}$$),
('A05', '42501', $$SELECT dept, {D} FROM {E} GROUP BY dept ORDER BY 2$$),
('A05 kept', 'answered', $$SELECT dept, {D} FROM {E} GROUP BY dept HAVING dp_keep_group(1, 1e-8) ORDER BY 2$$),
('A05 joined', 'answered', $$SELECT d.name, {D} FROM hr.dept d LEFT JOIN {E} ON dept = d.name GROUP BY d.name ORDER BY 2$$),
('A06', 'answered', $$WITH x AS (SELECT {D} v FROM {E}) SELECT v FROM x WHERE v > 0 LIMIT 1$$),
('A07', '42501', $$SELECT s.v, d.boss FROM (SELECT dept, {D} v FROM {E} GROUP BY dept) s JOIN hr.dept d ON d.name = s.dept$$),
('A07 kept', 'answered', $$SELECT s.v, d.boss FROM (SELECT dept, {D} v FROM {E} GROUP BY dept HAVING dp_keep_group(1, 1e-8)) s JOIN hr.dept d ON d.name = s.dept$$),
('A08', 'answered', $$SELECT {D} FILTER (WHERE age > 30) FROM {E}$$),
('A11', 'answered', $$DO $do$DECLARE x float8; BEGIN SELECT {D} INTO x FROM {E}; END$do$ $$),
('A12', 'answered', $$CREATE TEMP TABLE r AS SELECT {D} v FROM {E}$$),
('A14', 'answered', $$INSERT INTO ana.r SELECT {D} FROM {E} RETURNING v$$),
('A15', 'answered', $$SELECT {D} FROM {E} UNION ALL SELECT {D} FROM {E} WHERE age > 30$$),
('A16', 'answered', $$SELECT dp_avg(v, 1, 1e-6, 0, 1000) FROM hr.part$$),
('A17', 'answered', $$SELECT (SELECT {D} FROM {E}) + 1$$),
('A18', 'answered', $$SELECT * FROM generate_series(1, 2) g, (SELECT {D} v FROM {E}) s$$),
('A19', 'answered', $$SELECT * FROM hr.vdp$$),
('A20', 'answered', $$SELECT {D} FROM {E} WHERE id < 0$$),
('A nested', 'answered', $$SELECT dp_count(1, 1e-6) FROM {E} WHERE salary > (SELECT {D} FROM {E})$$),
('A window', 'answered', $$WITH s AS MATERIALIZED (SELECT dept, {D} v FROM {E} GROUP BY dept HAVING dp_keep_group(1, 1e-8)) SELECT dept, rank() OVER (ORDER BY v) FROM s$$),
('A view', 'answered', $$CREATE VIEW ana.v AS SELECT {D} v FROM {E};; SELECT * FROM ana.v$$),
('A insert', 'answered', $$INSERT INTO ana.r VALUES ((SELECT {D} FROM {E}))$$),
('A rows', 'answered', $$SELECT dp_avg(pay, 1, 1e-6) FROM (SELECT salary AS pay, age FROM {E} WHERE age > 30) x WHERE age < 60$$),
('A rows view', 'answered', $$CREATE VIEW ana.v AS SELECT age a FROM {E} WHERE dept <> 'b';; CREATE VIEW ana.w AS SELECT a FROM ana.v;; SELECT dp_count(1, 1e-6) FROM ana.w WHERE a > 30$$),
('A rows twice', 'answered', $$WITH x AS (SELECT * FROM {E}) SELECT a.v - b.v FROM (SELECT {D} v FROM x WHERE age > 30) a, (SELECT {D} v FROM x) b$$),
('A rows joined', 'answered', $$SELECT d.name, dp_count(1, 1e-6) FROM hr.dept d LEFT JOIN (SELECT * FROM {E} WHERE age > 30) x ON x.dept = d.name GROUP BY d.name$$),
('B01', '42501', $$SELECT * FROM {E}$$),
('B02', '42501', $$SELECT sum(salary) FROM {E}$$),
('B03', '42501', $$SELECT count(*) FROM {E}$$),
('B04', '42501', $$SELECT 1 FROM {E} LIMIT 1$$),
('B07', '42501', $$CREATE TEMP TABLE x AS SELECT * FROM {E}$$),
('B08', '42501', $$PREPARE b08 AS SELECT salary FROM {E};; CREATE TEMP TABLE x AS EXECUTE b08$$),
('B10', '42501', $$DO $do$DECLARE r record; BEGIN FOR r IN EXECUTE 'SELECT * FROM {E}' LOOP RAISE NOTICE '%', r; END LOOP; END$do$ $$),
('B11', '42501', $$SELECT {D}, max(salary) FROM {E}$$),
('B12', '42501', $$SELECT id, {D} FROM {E} GROUP BY id$$),
('B13', '42501', $$SELECT {D} FROM {E} GROUP BY age / (age - 30)$$),
('B14', 'answered', $$SELECT {D} FROM {E} WHERE 1 / (age - 30) > 0$$),
('B15', 'answered', $$SELECT {D} FROM {E} WHERE (salary::text)::int > 5$$),
-- design.md lists LIKE with a constant pattern among the total functions
('B16', 'answered', $$SELECT {D} FROM {E} WHERE dept LIKE 'a%'$$),
('B16 column', '42501', $$SELECT {D} FROM {E} WHERE dept LIKE dept$$),
('B16 escape', '42501', $$SELECT {D} FROM {E} WHERE dept LIKE 'a\'$$),
('B17', '42501', $$SELECT {D} FROM {E} WHERE dept ~ '('$$),
('B18', '22012', $$SELECT {D} FROM {E} WHERE CASE WHEN id = 7 THEN 1 / 0 ELSE 1 END = 1$$),
('B19', '42501', $$SELECT {D} FROM {E} WHERE EXISTS (SELECT 1 FROM {E} e2 WHERE e2.id = 7 AND e2.salary > 5)$$),
('B20', '42501', $$SELECT {D} FROM {E} WHERE set_config('a.b', salary::text, false) IS NOT NULL$$),
('B21', '42501', $$SELECT {D} FROM {E} WHERE ana.leak(salary)$$),
('B22', '42501', $$SELECT {D} FROM {E} WHERE salary OPERATOR(ana.<<<) 5$$),
('B23', 'answered', $$EXPLAIN SELECT {D} FROM {E} WHERE age = 30$$),
('B24', 'answered', $$EXPLAIN ANALYZE SELECT {D} FROM {E}$$),
('B25', 'answered', $$PREPARE b25 AS SELECT {D} FROM {E};; EXPLAIN EXECUTE b25$$),
('B26', 'answered', $$SET LOCAL debug_print_plan = on;; SELECT {D} FROM {E}$$),
('B26 messages', 'answered', $$SET LOCAL client_min_messages = log;; SELECT {D} FROM {E}$$),
('B27', 'answered', $$SET LOCAL trace_sort = on;; SELECT {D} FROM {E}$$),
('B29', '42501', $$SELECT {D} FROM (SELECT * FROM {E} LIMIT 1) s$$),
-- nothing is materialized: the WITH query counts as its table
('B30', 'answered', $$WITH x AS MATERIALIZED (SELECT * FROM {E}) SELECT dp_avg(salary, 1, 1e-6, 0, 99999) FROM x$$),
('B30 rows', '42501', $$WITH x AS MATERIALIZED (SELECT * FROM {E}) SELECT * FROM x$$),
('B30 self', '42501', $$WITH x AS (SELECT * FROM {E}) SELECT dp_count(1, 1e-6) FROM x a, x b WHERE a.dept = b.dept$$),
('B30 leak', '42501', $$SELECT dp_count(1, 1e-6) FROM (SELECT * FROM {E} WHERE ana.leak(age)) x$$),
('B30 column', '42501', $$SELECT dp_count(1, 1e-6) FROM (SELECT ana.leak(age) l FROM {E}) x WHERE l$$),
('B30 unread', '42501', $$SELECT dp_count(1, 1e-6) FROM (SELECT age, ana.leak(age) FROM {E}) x$$),
('B30 order', 'answered', $$SELECT dp_count(1, 1e-6) FROM (SELECT * FROM {E} WHERE age <> 30) x WHERE 1 / (age - 30) > 0$$),
('B30 barrier', '42501', $$CREATE VIEW ana.v WITH (security_barrier) AS SELECT * FROM {E};; SELECT dp_count(1, 1e-6) FROM ana.v WHERE ana.leak(age)$$),
('B30 lateral', '42501', $$SELECT dp_count(1, 1e-6) FROM (SELECT * FROM {E}) x, LATERAL (SELECT ana.leak(x.age)) y$$),
('B30 sub-select', '42501', $$SELECT dp_count(1, 1e-6) FROM (SELECT (SELECT ana.leak(age)) l FROM {E}) x$$),
('B31', '42501', $$SELECT l.v FROM hr.dept d, LATERAL (SELECT {D} v FROM {E} WHERE dept = d.name) l$$),
('B31 uncorrelated', 'answered', $$SELECT l.v FROM hr.dept d, LATERAL (SELECT {D} v FROM {E}) l$$),
('B32', '42501', $$SELECT dp_avg(e.salary, 1, 1e-6, 0, 99999) FROM {E} e, generate_series(1, 10001)$$),
('B32 weighed', 'answered', $$SELECT dp_avg(e.salary, 1, 1e-6, 0, 99999) FROM {E} e, generate_series(1, 1000)$$),
('B33', '42501', $$SELECT dp_avg(e.salary, 1, 1e-6, 0, 99999) FROM {E} e, {E} f$$),
('B34', '42501', $$SELECT {D} FROM {E} TABLESAMPLE system (1)$$),
('B35', '42501', $$SELECT {D} OVER () FROM {E}$$),
('B36', '42501', $$SELECT row_number() OVER () FROM {E}$$),
('B37', '42501', $$SELECT {D} FROM {E} GROUP BY dept HAVING max(salary) > 5$$),
('B38', '42501', $$SELECT salary FROM {E} UNION SELECT 1$$),
('B39', '42501', $$SELECT 1000::float8 EXCEPT SELECT salary FROM {E}$$),
('B40', '42501', $$SELECT ctid FROM {E}$$),
('B41', '42501', $$SELECT xmin, tableoid FROM {E}$$),
('B42', '42501', $$SELECT {D} FROM {E} WHERE ctid = '(0,1)'$$),
('B44', '42501', $$SELECT n_live_tup FROM pg_stat_user_tables$$),
('B45', '42501', $$SELECT seq_tup_read FROM pg_stat_xact_user_tables$$),
-- under lock_down these are constants, or the division fails
('B46', 'answered', $$SELECT 1 / (reltuples = -1)::int FROM pg_class WHERE relname = 'emp'$$),
('B46 pages', 'answered', $$SELECT 1 / (relpages = 0 AND relallvisible = 0)::int FROM pg_class WHERE relname = 'emp'$$),
('B46 row', '42501', $$SELECT c FROM pg_class c WHERE relname = 'emp'$$),
('B47', 'answered', $$SELECT 1 / (pg_relation_size('hr.emp') IS NULL)::int$$),
('B48', '42501', $$SELECT pg_stat_get_live_tuples('hr.emp'::regclass)$$),
('B49', '42501', $$SELECT * FROM {E} FOR UPDATE$$),
('B49 level', '0A000', $$SELECT s.v FROM (SELECT {D} v FROM {E}) s FOR UPDATE$$),
('B50', '42501', $$UPDATE {E} SET bonus = 1 WHERE salary > 5000 RETURNING *$$),
('B51', '42501', $$INSERT INTO {E} (id) VALUES (7) ON CONFLICT DO NOTHING$$),
('B52', '42501', $$MERGE INTO ana.m USING {E} e ON false WHEN NOT MATCHED THEN INSERT VALUES (e.id)$$),
('B52 level', '42501', $$MERGE INTO ana.m USING (SELECT dp_count(1, 1e-6) c FROM {E}) s ON false WHEN NOT MATCHED THEN INSERT VALUES (1)$$),
('B53', '42501', $$INSERT INTO ana.r SELECT salary FROM {E}$$),
('B54', '42501', $$SET LOCAL search_path = ana, public;; SELECT {D} FROM {E}$$),
('B55', '42501', $$SET LOCAL search_path = ana, pg_catalog, public;; SELECT {D} FROM {E} WHERE age = 3$$),
('B56', '42501', $$SELECT * FROM ana.inl()$$),
('B57', '42501', $$WITH a AS (SELECT {D} v FROM {E}) SELECT * FROM a, ana.inl()$$),
('B58', '42501', $$EXPLAIN SELECT * FROM ana.inl4()$$),
('B59', '42501', $$SELECT ana.sc()$$),
('B60', '42501', $$CREATE VIEW ana.v AS SELECT * FROM {E};; SELECT * FROM ana.v$$),
('B61', '42501', $$SELECT hr.definer_raw()$$),
('B62', '42501', $$SELECT query_to_xml('SELECT * FROM {E}', true, true, '')$$),
('B63', '42501', $$SELECT table_to_xml('hr.emp', true, true, '')$$),
('B64', '42501', $$SELECT * FROM ts_stat('SELECT to_tsvector(dept) FROM {E}')$$),
('B65', '42501', $$SELECT dp_avg(salary, age, 1e-6, 0, 99999) FROM {E}$$),
-- Bounds of an expression are found with noise, like those of a column: what is computed of a row is one person's, too.
('B66', 'answered', $$SELECT dp_avg(salary + id, 1, 1e-6) FROM {E}$$),
('B67', 'answered', $$SELECT dp_avg(CASE WHEN id = 7 THEN salary ELSE 0 END, 1, 1e-6) FROM {E}$$),
('B68', 'answered', $$SELECT dp_avg(DISTINCT salary, 1, 1e-6, 0, 99999) FROM {E}$$),
('B69', '42501', $$SELECT {D} FROM {E} GROUP BY ROLLUP (dept)$$),
('B70', 'answered', $$SELECT {D}, generate_series(1, 3) FROM {E}$$),
('B71', 'answered', $$SELECT {D}, random() FROM {E}$$),
('B72', '42501', $$SELECT * FROM hr.part1$$),
('B72 level', 'answered', $$SELECT dp_avg(v, 1, 1e-6, 0, 1000) FROM hr.part1$$),
('B73', '42501', $$SELECT * FROM hr.par$$),
('B74', '42501', $$CREATE TABLE ana.fk (i int REFERENCES {E});; INSERT INTO ana.fk VALUES (7)$$),
('B75', '42501', $$SECURITY LABEL FOR gaussdp ON TABLE {E} IS NULL$$),
('B78', '42501', $$SET session_preload_libraries = ''$$),
('B79', '42501', $$SET LOCAL ROLE attack_poor;; SELECT {D} FROM {E}$$),
('B80', '42501', $$LOCK TABLE {E} IN ACCESS EXCLUSIVE MODE$$),
-- as a role without MAINTAIN it is a warning, and nothing is analyzed
('B81', 'answered', $$ANALYZE (VERBOSE) {E}$$),
('B82', '42501', $$SELECT coalesce({D}, (SELECT salary FROM {E} LIMIT 1)) FROM {E}$$),
('B83', 'answered', $$SELECT DISTINCT {D} FROM {E}$$),
('B84', '42501', $$SELECT whole FROM {E} whole$$),
('C01', 'answered', $$SELECT v, v, v FROM (SELECT (SELECT dp_count(1, 1e-6) FROM {E}) v) s$$),
('C02', 'answered', $$VALUES ((SELECT dp_count(1, 1e-6) FROM {E})), ((SELECT dp_count(1, 1e-6) FROM {E}))$$),
('C03', 'answered', $$WITH c AS (SELECT dp_count(1, 1e-6) v FROM {E}) SELECT v FROM c WHERE v > 5$$),
('C04', 'answered', $$SELECT v, count(*) FROM (SELECT (SELECT dp_count(1, 1e-6) FROM {E}) v FROM generate_series(1, 3)) s GROUP BY v$$),
('C04 correlated', '42501', $$SELECT v, count(*) FROM (SELECT (SELECT dp_count(1, 1e-6) FROM {E} WHERE id > g) v FROM generate_series(1, 3) g) s GROUP BY v$$),
('C05', 'answered', $$SELECT o.i, (SELECT s.v FROM (SELECT dp_count(1, 1e-6) v FROM {E}) s WHERE o.i > 0) FROM generate_series(1, 9) o(i)$$),
('C08', '42501', $$SELECT dept, dp_count(1, 1e-6) FROM {E} GROUP BY dept HAVING dp_keep_group(1, 1e-6) AND ana.leak(dept)$$),
('C09', '42501', $$SELECT dp_count(1, 1e-6) FROM {E} e JOIN (SELECT id FROM hr.dept WHERE ana.leak(id)) p ON p.id = e.dept_id$$),
('C10', '42501', $$SELECT dp_count(1, 1e-6) FROM {E} e JOIN hr.elsewhere f ON f.id = e.dept_id$$),
('C10 distinct', '42501', $$SELECT dp_count(1, 1e-6) FROM {E} e JOIN (SELECT DISTINCT id FROM hr.elsewhere) f ON f.id = e.dept_id$$),
('C11', 'answered', $$SELECT k.name, dp_sum(coalesce(e.age, -10), 1, 1e-6, -10, 10) FROM hr.dept k LEFT JOIN {E} e ON e.dept_id = k.id GROUP BY k.name$$),
('C12', 'answered', $$SELECT k.id, dp_count(1, 1e-6), dp_count(k.id, 1, 1e-6) FROM hr.dept k LEFT JOIN {E} e ON e.dept_id = k.id GROUP BY k.id$$),
('C13', '42501', $$SELECT k.id, dp_count(1, 1e-6) FROM hr.dept k LEFT JOIN {E} e ON e.dept_id = k.id WHERE e.age > 5 GROUP BY k.id$$),
('C14', 'answered', $$SELECT dp_count(1, 1e-6, 0.001) FROM {E}$$),
-- several rows per person are weighed
('C15', 'answered', $$SELECT dp_sum(cost, 1, 1e-6, 10) FROM hr.visit$$),
('C15 count', 'answered', $$SELECT dp_count(true, 1, 1e-6, 3) FROM hr.visit$$),
('C16', 'answered', $$SELECT setseed(0.5);; SELECT {D} FROM {E}$$),
-- these two counted a person several times once; now the rows are weighed
('C17', 'answered', $$SELECT dp_count(1, 1e-6) FROM {E} e JOIN hr.names n ON n.name COLLATE "C" = e.dept$$),
('C18', 'answered', $$SELECT dp_count(1, 1e-6) FROM {E} e JOIN hr.plain p ON p.id = e.dept_id$$),
('C19', '42501', $$SELECT dept, dp_count(1, 1e-6) FROM {E} GROUP BY dept HAVING dp_keep_group(1, 1e-6) OR true$$),
('C20', '42501', $$SELECT dept, dp_count(1, 1e-6) FROM {E} GROUP BY dept HAVING NOT dp_keep_group(1, 1e-6)$$),
('C21', '42501', $$SELECT dept, dp_count(1, 1e-6) FROM {E} GROUP BY dept HAVING dp_keep_group(1, 1e-6) IS NOT NULL$$),
('C23', '42501', $$SELECT dp_count(1000, 1e-6) FROM {E}$$);
UPDATE ana.query SET statements = replace(replace(statements, '{D}', 'dp_avg(salary, 1, 1e-6, 0, 99999)'),
                                          '{E}', 'hr.emp');
GRANT SELECT ON ana.query TO attack_ana;

SELECT no_plan();

SELECT array_agg(xmin) AS statistics FROM pg_statistic WHERE starelid = 'hr.emp'::regclass \gset
UPDATE ana.query SET verdict = ana.try(statements);
SELECT is(split_part(verdict, '|', 1), state, id || ': ' || statements) FROM ana.query ORDER BY id;

-- The same on a neighbour, where somebody is gone, and on an empty table: word for word.
CREATE TABLE ana.twin AS SELECT * FROM hr.emp WHERE id = 7;
DELETE FROM hr.emp WHERE id = 7;
CREATE TEMP TABLE neighbour AS SELECT id, ana.try(statements) AS verdict FROM ana.query;
CREATE TEMP TABLE kept AS TABLE hr.emp;
TRUNCATE hr.emp;
CREATE TEMP TABLE empty AS SELECT id, ana.try(statements) AS verdict FROM ana.query;
SELECT ok(q.verdict = n.verdict AND q.verdict = e.verdict,
          q.id || ': the same word for word on a neighbouring and on an empty table')
FROM ana.query q JOIN neighbour n USING (id) JOIN empty e USING (id) ORDER BY id;
SELECT is((SELECT array_agg(xmin) FROM pg_statistic WHERE starelid = 'hr.emp'::regclass), :'statistics', 'B81: nothing was analyzed');
INSERT INTO hr.emp TABLE kept;
ANALYZE hr.emp;
SELECT is((SELECT is_called FROM ana.seen), false, 'no function of the analyst has seen a row');
SELECT is_empty($$SELECT id, verdict FROM ana.query
                  WHERE verdict LIKE '42501|permission denied for table emp|Rule%' AND verdict NOT LIKE '%|%|%|%'$$,
                'each refusal of the policy says the rule and a way to a legal query');

-- A client gets nothing beside the error: no row, no notice.
\setenv PGDATABASE :DBNAME
\setenv said `mktemp`
SELECT format(E'BEGIN;\nSET ROLE attack_ana;\n%s;\nROLLBACK;\nDEALLOCATE ALL;', replace(statements, ';;', ';'))
FROM ana.query WHERE state = '42501' \g | psql -qAtX > "$said" 2>&1
\set refused `grep '^ERROR: ' "$said" | grep -cv 'transaction is aborted'`
\set beside `grep -E '^(NOTICE|WARNING|INFO|LOG|DEBUG[1-5]?): |^[^ A-Z]' "$said"; rm "$said"`
SELECT is(:refused, (SELECT count(*)::int FROM ana.query WHERE state = '42501'), 'each refused query ends in one error,');
SELECT is(:'beside'::text, '', 'and says nothing else');

-- Conditions from outside run on released values only, above the level.
SET ROLE attack_ana;
SELECT count(*) FROM (SELECT dept, dp_count(1, 1e-6) FROM hr.emp GROUP BY dept HAVING dp_keep_group(1, 1e-6)) s
WHERE nextval('ana.seen') > 0 AND s.dept IS NOT NULL \gset c06_
RESET ROLE;
SELECT is((SELECT last_value FROM ana.seen), :c06_count::bigint, 'C06: a condition from outside is called once for each group shown');
SELECT is(ana.try($$SELECT * FROM (SELECT dept_id, dp_count(1, 1e-6) c FROM hr.emp GROUP BY dept_id
    HAVING dp_keep_group(1, 1e-6)) s WHERE 1 / (dept_id - 77) > 0$$), 'answered', 'C07: it fails for no group that is not shown');

-- Statements that a function cannot execute; psql keeps the SQLSTATE.
\set ON_ERROR_STOP 0
\set QUIET 1
\o /dev/null
SET ROLE attack_ana;
PREPARE p (float8) AS SELECT dp_avg(salary, $1, 1e-6, 0, 99999) FROM hr.emp;
EXECUTE p(0.5);
\set a09 :SQLSTATE
BEGIN; DECLARE c CURSOR FOR SELECT dp_avg(salary, 1, 1e-6, 0, 99999) FROM hr.emp; FETCH 1 FROM c;
\set a10 :SQLSTATE
COMMIT;
COPY (SELECT dp_avg(salary, 1, 1e-6, 0, 99999) FROM hr.emp) TO STDOUT;
\set a13 :SQLSTATE
COPY hr.emp TO STDOUT;
\set b05 :SQLSTATE
COPY (SELECT salary FROM hr.emp) TO STDOUT;
\set b06 :SQLSTATE
BEGIN; DECLARE c CURSOR FOR SELECT salary FROM hr.emp;
\set b09 :SQLSTATE
ROLLBACK;
BEGIN; DECLARE c SCROLL CURSOR FOR SELECT dp_avg(salary, 1, 1e-6, 0, 99999) FROM hr.emp;
\set scroll :SQLSTATE
ROLLBACK;
BEGIN; DECLARE c CURSOR WITH HOLD FOR SELECT dp_avg(salary, 1, 1e-6, 0, 99999) FROM hr.emp;
\set hold :SQLSTATE
ROLLBACK;
BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT dp_avg(salary, 1, 1e-6, 0, 99999) FROM hr.emp WHERE id = 5;
\set b28 :SQLSTATE
ROLLBACK;
SELECT most_common_vals FROM pg_stats WHERE tablename = 'emp';
\set b43 :ROW_COUNT
RESET ROLE;
-- a plan that a superuser made
PREPARE q AS SELECT dp_avg(salary, 1, 1e-6, 0, 99999) FROM hr.emp;
EXECUTE q;
SET ROLE attack_ana;
EXECUTE q;
\set a21 :SQLSTATE
RESET ROLE;
PREPARE m AS SELECT max(salary) FROM hr.emp;
EXECUTE m;
\set a22 :SQLSTATE
SET ROLE attack_ana;
EXECUTE m;
\set b76 :SQLSTATE
SELECT dp_avg(salary, 1, 1e-6, 0, 99999) FROM hr.emp;
PREPARE l AS SELECT dp_avg(salary, 1, 1e-6, 0, 99999) FROM hr.emp;
EXECUTE l;
RESET ROLE;
SET ROLE attack_poor;
EXECUTE l;
\set b77 :SQLSTATE
RESET ROLE;
-- labels and keys that have gone since
SET ROLE attack_ana;
PREPARE k AS SELECT dp_count(1, 1e-6) FROM hr.emp;
EXECUTE k;
RESET ROLE;
ALTER TABLE hr.emp DROP CONSTRAINT emp_pkey;
SET ROLE attack_ana;
EXECUTE k;
\set nokey :SQLSTATE
RESET ROLE;
ALTER TABLE hr.emp ADD PRIMARY KEY (id);
SECURITY LABEL FOR gaussdp ON TABLE hr.emp IS NULL;
SET ROLE attack_ana;
EXECUTE k;
\set nolabel :SQLSTATE
RESET ROLE;
SELECT gaussdp.protect('hr.emp', unit => 'id');
SELECT gaussdp.grant_budget('attack_ana', 'hr.emp', epsilon => 500, delta => 1e-3);
SET ROLE attack_ana;
EXECUTE k;
\set labelled :SQLSTATE
RESET ROLE;
\o
\set ON_ERROR_STOP 1
SELECT is(:'a09'::text, '00000', 'A09: a prepared statement with a parameter');
SELECT is(:'a10'::text, '00000', 'A10: a plain cursor');
SELECT is(:'a13'::text, '00000', 'A13: COPY of an answer');
SELECT is(:'a21'::text, '00000', 'A21: a plan that a superuser made, executed as the analyst');
SELECT is(:'a22'::text, '00000', 'A22: the owner reads');
SELECT is(:'b05'::text, '42501', 'B05: COPY of the table');
SELECT is(:'b06'::text, '42501', 'B06: COPY of rows');
SELECT is(:'b09'::text, '42501', 'B09: a cursor over rows');
SELECT is(:'scroll'::text, '00000', 'a cursor with SCROLL');
SELECT is(:'hold'::text, '00000', 'a cursor WITH HOLD');
SELECT is(:'b28'::text, '42501', 'B28: SERIALIZABLE');
SELECT is(:'b43'::text, '0', 'B43: pg_stats shows nothing of the table');
SELECT is(:'b76'::text, '42501', 'B76: a plan that a superuser made for rows');
SELECT is(:'b77'::text, '42501', 'B77: a proven plan, executed as a role without a budget');
SELECT is(:'nokey'::text, '00000', 'a plan from before the unit column lost its key: rows are weighed');
SELECT is(:'nolabel'::text, '42501', 'a plan from before the table lost its label');
SELECT is(:'labelled'::text, '00000', 'and with label and budget again');

-- The order of what comes out, on both neighbours and by every kind of plan, is that of the keys.
CREATE FUNCTION ana.shown() RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    key text; keys text := '';
BEGIN
    FOR key IN SELECT d.name FROM hr.dept d LEFT JOIN hr.emp e ON e.dept = d.name GROUP BY d.name HAVING dp_count(1, 1e-6) < 1e9
    LOOP
        keys := keys || ' ' || key;
    END LOOP;
    FOR key IN SELECT dept_id FROM hr.emp WHERE dept_id BETWEEN 7 AND 10 GROUP BY dept_id HAVING dp_keep_group(5, 1e-4)
    LOOP
        keys := keys || ' ' || key;
    END LOOP;
    RETURN keys;
END
$$;
CREATE TEMP TABLE orders (keys text);
GRANT INSERT ON orders TO attack_ana;
SET ROLE attack_ana;
INSERT INTO orders SELECT ana.shown();
SET enable_hashagg = off;
INSERT INTO orders SELECT ana.shown();
RESET ROLE;
DELETE FROM hr.emp WHERE id = 8;
SET ROLE attack_ana;
INSERT INTO orders SELECT ana.shown();
SET enable_hashagg = on;
SET enable_sort = off;
INSERT INTO orders SELECT ana.shown();
RESET enable_sort;
RESET enable_hashagg;
RESET ROLE;
SELECT is((SELECT string_agg(DISTINCT keys, ';') FROM orders), ' Sales Tech-support nobody 7 8 9 10',
          'C22: groups come in the order of their keys');

-- Counters that everybody may see unless they are locked down: an analyst's own query leaves none.
SELECT coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0) AS counted FROM pg_stat_xact_user_tables
WHERE relid = 'hr.emp'::regclass \gset before_
BEGIN;
SET LOCAL ROLE attack_ana;
SELECT dp_count(1, 1e-6), dp_sum(age, 1, 1e-6, 0, 120) FROM hr.emp \g /dev/null
SELECT dp_count(1, 1e-6) FROM hr.emp WHERE id = 5 \g /dev/null
RESET ROLE;
SELECT is((SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0))::bigint FROM pg_stat_xact_user_tables
           WHERE relid = 'hr.emp'::regclass), :before_counted::bigint, 'no row that a private query reads is counted');
COMMIT;

-- Nor does EXPLAIN of a query around show how many pages it has read: one more, where the row is.
SET ROLE attack_ana;
CREATE FUNCTION ana.peek(i int) RETURNS bigint LANGUAGE plpgsql
    AS $$BEGIN RETURN (SELECT dp_count(0.01, 1e-6) FROM hr.emp WHERE id = i); END$$;
CREATE FUNCTION ana.pages(i int) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    plan json;
BEGIN
    EXECUTE 'EXPLAIN (ANALYZE, BUFFERS, WAL, FORMAT json) SELECT ana.peek($1)' INTO plan USING i;
    RETURN plan -> 0 -> 'Plan' ->> 'Shared Hit Blocks';
END
$$;
SELECT ana.peek(i) FROM unnest('{7,-7,8,-8}'::int[]) i \g /dev/null
-- Each leaves the session without caches, so that the next begins as it did.
SELECT ana.pages(9) \g /dev/null
SELECT ana.pages(7) AS there, ana.pages(-7) AS nowhere, ana.pages(8) AS there_too, ana.pages(-8) AS not_there \gset page_
-- The order of a join above a level follows how many rows the planner expects of it, but not how many there are.
RESET ROLE;
CREATE TABLE ana.outside AS SELECT DISTINCT dept FROM hr.emp ORDER BY dept DESC;
GRANT SELECT ON ana.outside TO attack_ana;
ANALYZE ana.outside;
CREATE FUNCTION ana.order_above(n real) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    answer text;
BEGIN
    UPDATE pg_class SET reltuples = n WHERE oid = 'hr.emp'::regclass;
    SET LOCAL enable_nestloop = off;
    SET LOCAL enable_mergejoin = off;
    SET LOCAL ROLE attack_ana;
    WITH l AS (SELECT dept FROM hr.emp GROUP BY dept HAVING dp_keep_group(1, 1e-6)), pairs AS (SELECT array_agg(dept) AS p FROM ana.outside JOIN l USING (dept))
    SELECT p[1] < p[2] INTO answer FROM pairs;
    RESET ROLE;
    RETURN answer;
END
$$;
SELECT ana.order_above(1) AS few, ana.order_above(1e7) AS many \gset order_
ANALYZE hr.emp;
SET ROLE attack_ana;
-- A WITH query cannot take the place of a level.
SELECT dp_count(1, 1e-6) AS distance FROM hr.emp \gset clash_
WITH "gaussdp scalar 2" AS MATERIALIZED (SELECT -1::bigint AS v)
SELECT (SELECT dp_count(1, 1e-6) FROM hr.emp) AS count FROM "gaussdp scalar 2" \gset clash_
RESET ROLE;
SELECT is(ARRAY[:page_there, :page_there_too], ARRAY[:page_nowhere, :page_not_there], 'the pages that a private query reads are not shown around it');
SELECT is(:'order_few'::text, :'order_many'::text, 'a plan does not follow how many rows ANALYZE has counted');
SELECT ok(abs(:clash_count - :clash_distance) < 100, 'a WITH query cannot take the place of a scalar level');

-- Every call that is written is paid, once, whatever becomes of the transaction; a refusal costs nothing.
CREATE FUNCTION ana.paid(statements text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE
    before bigint := (SELECT coalesce(sum(times), 0) FROM gaussdp.journal WHERE kind IS NOT NULL);
BEGIN
    PERFORM ana.try(statements);
    RETURN (SELECT coalesce(sum(times), 0) FROM gaussdp.journal WHERE kind IS NOT NULL) - before;
END
$$;
SELECT is(ana.paid($$SELECT v, v, v FROM (SELECT (SELECT dp_count(1, 1e-6) FROM hr.emp) v) s$$), 1, 'C01: one draw, one charge, and no ROLLBACK gives it back');
SELECT is(ana.paid($$SELECT v, count(*) FROM (SELECT (SELECT dp_count(1, 1e-6) FROM hr.emp) v FROM generate_series(1, 3)) s GROUP BY v$$), 1, 'C04: one charge');
SELECT is(ana.paid($$VALUES ((SELECT dp_count(1, 1e-6) FROM hr.emp)), ((SELECT dp_count(1, 1e-6) FROM hr.emp))$$), 2, 'C02: two charges');
SELECT is(ana.paid($$SELECT dp_count(1, 1e-6), dp_count(1, 1e-6) FROM hr.emp$$), 1, 'R7: equal calls are one draw and one charge');
SELECT is(ana.paid($$SELECT * FROM hr.vdp$$), 1, 'A19: a proven view is paid by who reads it');
SELECT is(ana.paid($$DO $do$BEGIN FOR i IN 1 .. 5 LOOP PERFORM dp_count(1, 1e-6) FROM hr.emp; END LOOP; END$do$ $$), 5, 'a loop is paid for each execution');
SELECT is(ana.paid($$SELECT dept, dp_count(1, 1e-6) FROM hr.emp GROUP BY dept$$), 0, 'a refusal costs nothing');
SELECT is(ana.paid($$EXPLAIN SELECT dp_count(1, 1e-6) FROM hr.emp$$), 0, 'nor does EXPLAIN');
SELECT is(ana.paid($$SELECT * FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM hr.emp')$$), 0, 'nor explain_privacy');

-- One draw: what is read twice is equal; what is written twice is not.
SET ROLE attack_ana;
CREATE TEMP TABLE once AS SELECT a.v = b.v AND b.v = c.v AS same
FROM (SELECT v, v AS w FROM (SELECT (SELECT dp_sum(salary, 0.1, 1e-6, 0, 99999) FROM hr.emp) v) s) a,
     LATERAL (SELECT a.v) b, LATERAL (SELECT a.w AS v) c;
CREATE TEMP TABLE joined AS WITH l AS (SELECT dp_sum(salary, 0.1, 1e-6, 0, 99999) v FROM hr.emp)
    SELECT count(DISTINCT l.v) AS n FROM generate_series(1, 20) g, l, l AS l2 WHERE l.v = l2.v;
CREATE TEMP TABLE grouped AS SELECT count(*) AS n
    FROM (SELECT (SELECT dp_sum(salary, 0.1, 1e-6, 0, 99999) FROM hr.emp) v FROM generate_series(1, 3)) s GROUP BY v;
CREATE TEMP TABLE twice AS
    VALUES ((SELECT dp_sum(salary, 0.1, 1e-6, 0, 99999) FROM hr.emp)), ((SELECT dp_sum(salary, 0.1, 1e-6, 0, 99999) FROM hr.emp));
CREATE TEMP TABLE made_up AS SELECT k.id, dp_sum(coalesce(e.age, -10), 1, 1e-6, -10, 10) AS s, dp_count(k.id, 1, 1e-6) AS c
    FROM hr.dept k LEFT JOIN hr.emp e ON e.dept_id = k.id GROUP BY k.id;
RESET ROLE;
SELECT results_eq('TABLE grouped', 'VALUES (3::bigint)', 'C04: a level is drawn once, not for each row around it');
SELECT ok(bool_and(same), 'C01: a scalar level is drawn once, however often its column is read') FROM once;
SELECT is(n, 1::bigint, 'C03: a level in WITH is drawn once, however often it is read') FROM joined;
SELECT is((SELECT count(DISTINCT column1) FROM twice), 2::bigint, 'C02: two levels are drawn twice');
-- ten standard deviations
SELECT ok(abs(c) < 45 AND abs(s) < 450, 'C11, C12: a row that a join made up counts for nothing') FROM made_up WHERE id = 77;
SELECT * FROM finish();
DROP OWNED BY attack_ana, attack_poor;
DROP ROLE attack_ana, attack_poor;
