\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
\getenv data GAUSSDP_DATA
-- Queries that must be refused (A, B), and such that were seen to leak (C), as a role without SELECT.  A
-- refusal is the same, word for word, on the full table, on one with a person less, and on an empty one.
SET client_min_messages = warning;
CREATE SCHEMA hr;
CREATE SCHEMA ana;
CREATE TABLE hr.emp (id int PRIMARY KEY, dept text, age int, salary float8, bonus int, dept_id int);
SELECT :'data' <> '' AS has_data \gset
\if :has_data
CREATE TEMP TABLE adult (person_id int, split text, age int, workclass text, fnlwgt int, education text,
    education_num int, marital_status text, occupation text, relationship text, race text, sex text,
    capital_gain int, capital_loss int, hours_per_week int, native_country text, income text);
\copy adult FROM PROGRAM 'gzip -dc "$GAUSSDP_DATA/adult.csv.gz"' (FORMAT csv, HEADER)
INSERT INTO hr.emp SELECT person_id, coalesce(occupation, 'none'), age, capital_gain, capital_loss,
    education_num FROM adult;
\else
INSERT INTO hr.emp SELECT i, 'd' || i % 14, 17 + i % 70, i * 7919 % 99999, i % 4000, 1 + i % 16
FROM generate_series(1, 48842) i;
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
CREATE VIEW hr.vdp AS SELECT dp_avg(salary, 1, 1e-6, 0, 99999) AS v FROM hr.emp;
CREATE FUNCTION hr.definer_raw() RETURNS float8 LANGUAGE sql SECURITY DEFINER
    AS 'SELECT max(salary) FROM hr.emp';
REVOKE EXECUTE ON FUNCTION hr.definer_raw() FROM PUBLIC;

CREATE ROLE attack_ana;
CREATE ROLE attack_poor;
GRANT USAGE ON SCHEMA hr TO attack_ana, attack_poor;
GRANT ALL ON SCHEMA ana TO attack_ana;
GRANT SELECT ON hr.dept, hr.plain, hr.names, hr.vdp TO attack_ana;
SELECT gaussdp.protect('hr.emp', unit => 'id') \g /dev/null
SELECT gaussdp.protect('hr.part', unit => 'id') \g /dev/null
SELECT gaussdp.protect('hr.child', unit => 'id') \g /dev/null
SELECT gaussdp.set_bounds('hr.emp', 'salary', 0, 99999) \g /dev/null
SELECT gaussdp.set_bounds('hr.emp', 'age', 0, 120) \g /dev/null
SELECT gaussdp.set_bounds('hr.part', 'v', 0, 1000) \g /dev/null
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

-- {D} is a legal call, {E} the table; statements of one entry are separated by two semicolons.
CREATE TABLE ana.query (id text, state text, statements text, verdict text);
INSERT INTO ana.query (id, state, statements) VALUES
('A05', '42501', $$SELECT dept, {D} FROM {E} GROUP BY dept ORDER BY 2$$),
('A07', '42501', $$SELECT s.v, d.boss FROM (SELECT dept, {D} v FROM {E} GROUP BY dept) s JOIN hr.dept d ON d.name = s.dept$$),
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
('B14', '42501', $$SELECT {D} FROM {E} WHERE 1 / (age - 30) > 0$$),
('B15', '42501', $$SELECT {D} FROM {E} WHERE (salary::text)::int > 5$$),
('B16 column', '42501', $$SELECT {D} FROM {E} WHERE dept LIKE dept$$),
('B16 escape', '42501', $$SELECT {D} FROM {E} WHERE dept LIKE 'a\'$$),
('B17', '42501', $$SELECT {D} FROM {E} WHERE dept ~ '('$$),
('B18', '42501', $$SELECT {D} FROM {E} WHERE CASE WHEN id = 7 THEN 1 / 0 ELSE 1 END = 1$$),
('B19', '42501', $$SELECT {D} FROM {E} WHERE EXISTS (SELECT 1 FROM {E} e2 WHERE e2.id = 7 AND e2.salary > 5)$$),
('B20', '42501', $$SELECT {D} FROM {E} WHERE set_config('a.b', salary::text, false) IS NOT NULL$$),
('B21', '42501', $$SELECT {D} FROM {E} WHERE ana.leak(salary)$$),
('B22', '42501', $$SELECT {D} FROM {E} WHERE salary OPERATOR(ana.<<<) 5$$),
('B23', '42501', $$EXPLAIN SELECT {D} FROM {E} WHERE age = 30$$),
('B24', '42501', $$EXPLAIN ANALYZE SELECT {D} FROM {E}$$),
('B25', '42501', $$PREPARE b25 AS SELECT {D} FROM {E};; EXPLAIN EXECUTE b25$$),
('B26', '42501', $$SET LOCAL debug_print_plan = on;; SELECT {D} FROM {E}$$),
('B26 messages', '42501', $$SET LOCAL client_min_messages = log;; SELECT {D} FROM {E}$$),
('B27', '42501', $$SET LOCAL trace_sort = on;; SELECT {D} FROM {E}$$),
('B29', '42501', $$SELECT {D} FROM (SELECT * FROM {E} LIMIT 1) s$$),
('B30', '42501', $$WITH x AS MATERIALIZED (SELECT * FROM {E}) SELECT dp_avg(salary, 1, 1e-6, 0, 99999) FROM x$$),
('B31', '42501', $$SELECT l.v FROM hr.dept d, LATERAL (SELECT {D} v FROM {E} WHERE dept = d.name) l$$),
('B31 uncorrelated', '42501', $$SELECT l.v FROM hr.dept d, LATERAL (SELECT {D} v FROM {E}) l$$),
('B32', '42501', $$SELECT dp_avg(e.salary, 1, 1e-6, 0, 99999) FROM {E} e, generate_series(1, 1000)$$),
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
('B46', '42501', $$SELECT reltuples FROM pg_class WHERE relname = 'emp'$$),
('B47', '42501', $$SELECT pg_relation_size('hr.emp')$$),
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
('B66', '42501', $$SELECT dp_avg(salary + id, 1, 1e-6) FROM {E}$$),
('B67', '42501', $$SELECT dp_avg(CASE WHEN id = 7 THEN salary ELSE 0 END, 1, 1e-6) FROM {E}$$),
('B69', '42501', $$SELECT {D} FROM {E} GROUP BY ROLLUP (dept)$$),
('B70', '42501', $$SELECT {D}, generate_series(1, 3) FROM {E}$$),
('B72', '42501', $$SELECT * FROM hr.part1$$),
('B72 level', '42501', $$SELECT dp_avg(v, 1, 1e-6, 0, 1000) FROM hr.part1$$),
('B73', '42501', $$SELECT * FROM hr.par$$),
('B74', '42501', $$CREATE TABLE ana.fk (i int REFERENCES {E});; INSERT INTO ana.fk VALUES (7)$$),
('B75', '42501', $$SECURITY LABEL FOR gaussdp ON TABLE {E} IS NULL$$),
('B78', '42501', $$SET session_preload_libraries = ''$$),
('B79', '42501', $$SET LOCAL ROLE attack_poor;; SELECT {D} FROM {E}$$),
('B80', '42501', $$LOCK TABLE {E} IN ACCESS EXCLUSIVE MODE$$),
('B82', '42501', $$SELECT coalesce({D}, (SELECT salary FROM {E} LIMIT 1)) FROM {E}$$),
('B84', '42501', $$SELECT whole FROM {E} whole$$),
('C04', '42501', $$SELECT v, count(*) FROM (SELECT (SELECT dp_count(1, 1e-6) FROM {E} WHERE id > g) v FROM generate_series(1, 3) g) s GROUP BY v$$),
('C05', '42501', $$SELECT o.i, (SELECT s.v FROM (SELECT dp_count(1, 1e-6) v FROM {E}) s WHERE o.i > 0) FROM generate_series(1, 9) o(i)$$),
('C08', '42501', $$SELECT dept, dp_count(1, 1e-6) FROM {E} GROUP BY dept HAVING dp_keep_group(1, 1e-6) AND ana.leak(dept)$$),
('C09', '42501', $$SELECT dp_count(1, 1e-6) FROM {E} e JOIN (SELECT id FROM hr.dept WHERE ana.leak(id)) p ON p.id = e.dept_id$$),
('C13', '42501', $$SELECT k.id, dp_count(1, 1e-6) FROM hr.dept k LEFT JOIN {E} e ON e.dept_id = k.id WHERE e.age > 5 GROUP BY k.id$$),
('C17', '42501', $$SELECT dp_count(1, 1e-6) FROM {E} e JOIN hr.names n ON n.name COLLATE "C" = e.dept$$),
('C18', '42501', $$SELECT dp_count(1, 1e-6) FROM {E} e JOIN hr.plain p ON p.id = e.dept_id$$),
('C19', '42501', $$SELECT dept, dp_count(1, 1e-6) FROM {E} GROUP BY dept HAVING dp_keep_group(1, 1e-6) OR true$$),
('C20', '42501', $$SELECT dept, dp_count(1, 1e-6) FROM {E} GROUP BY dept HAVING NOT dp_keep_group(1, 1e-6)$$),
('C21', '42501', $$SELECT dept, dp_count(1, 1e-6) FROM {E} GROUP BY dept HAVING dp_keep_group(1, 1e-6) IS NOT NULL$$),
('C23', '42501', $$SELECT dp_count(1000, 1e-6) FROM {E}$$);
UPDATE ana.query SET statements = replace(replace(statements, '{D}', 'dp_avg(salary, 1, 1e-6, 0, 99999)'),
                                          '{E}', 'hr.emp');
GRANT SELECT ON ana.query TO attack_ana;

SELECT plan((SELECT count(*)::int * 2 FROM ana.query) + 2);

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
INSERT INTO hr.emp TABLE kept;
ANALYZE hr.emp;
SELECT is((SELECT is_called FROM ana.seen), false, 'no function of the analyst has seen a row');
SELECT is_empty($$SELECT id, verdict FROM ana.query
                  WHERE verdict LIKE '42501|permission denied for table emp|Rule%' AND verdict NOT LIKE '%|%|%|%'$$,
                'each refusal of the policy says the rule and a way to a legal query');

SELECT * FROM finish();
DROP OWNED BY attack_ana, attack_poor;
DROP ROLE attack_ana, attack_poor;
