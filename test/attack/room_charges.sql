\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- What a query costs is what it draws; and parameters are written in whatever type a client has.
SET client_min_messages = warning;
CREATE SCHEMA ana;
CREATE TABLE emp (id int PRIMARY KEY, age int, salary float8);
INSERT INTO emp SELECT i, i, i FROM generate_series(1, 100) i;
CREATE ROLE room_ana;
GRANT ALL ON SCHEMA ana TO room_ana;
SELECT gaussdp.protect('emp', unit => 'id') \g /dev/null
SELECT gaussdp.grant_budget('room_ana', 'emp', epsilon => 500, delta => 1e-3) \g /dev/null
SELECT no_plan();

-- How many releases a statement is charged; the journal keeps them when the rest is rolled back.
CREATE FUNCTION ana.charged(statements text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
    before bigint := (SELECT count(kind) FROM gaussdp.journal);
    statement text;
    state text := '';
BEGIN
    DEALLOCATE ALL;
    BEGIN
        EXECUTE 'SET LOCAL ROLE room_ana';
        FOREACH statement IN ARRAY string_to_array(statements, ';') LOOP
            EXECUTE statement;
        END LOOP;
        RAISE EXCEPTION USING ERRCODE = 'ZZ000';
    EXCEPTION WHEN OTHERS THEN
        state := SQLSTATE;
    END;
    RETURN concat(CASE state WHEN 'ZZ000' THEN 'answered' ELSE state END, ', ', (SELECT count(kind) FROM gaussdp.journal) - before, ' charged');
END
$$;

-- Equal calls of a level are one draw.
SELECT is(ana.charged('SELECT dp_count(0.1, 1e-6), dp_count(0.1, 1e-6) FROM emp'), 'answered, 1 charged', 'equal calls are charged once (R7)');
SELECT is(ana.charged('SELECT dp_count(0.1, 1e-6), dp_count(0.2, 1e-6) FROM emp'), 'answered, 2 charged', 'others are charged each');
SELECT is(ana.charged('SELECT dp_count(0.1, 1e-6) FROM emp HAVING dp_count(0.1, 1e-6) > -1e9'), 'answered, 1 charged', 'also where one stands in HAVING (R7)');
SELECT is(ana.charged('SELECT dp_count(0.1, 1e-6) + 1, dp_count(0.1, 1e-6) FROM emp'), 'answered, 1 charged', 'or in an expression (R7)');
SELECT is(ana.charged('SELECT dp_count(0.1, 1e-6) FILTER (WHERE age > 3), dp_count(0.1, 1e-6) FILTER (WHERE age > 3) FROM emp'),
          'answered, 1 charged', 'or with equal filters (R7)');
SELECT is(ana.charged('SELECT (SELECT dp_count(0.1, 1e-6) FROM emp), (SELECT dp_count(0.1, 1e-6) FROM emp)'), 'answered, 2 charged', 'two levels draw twice');

-- Parameters, as JDBC's setBigDecimal and Python's Decimal send them.
SELECT is(ana.charged('PREPARE p (numeric) AS SELECT dp_count($1, 1e-6) FROM emp; EXECUTE p(0.1)'), 'answered, 1 charged', 'epsilon is a numeric parameter (R3)');
SELECT is(ana.charged('PREPARE p (numeric, numeric) AS SELECT dp_sum(age, $1, $2, 0, 100) FROM emp; EXECUTE p(0.1, 0.000001)'),
          'answered, 1 charged', 'and so is delta (R3)');
SELECT is(ana.charged('PREPARE p (numeric, numeric) AS SELECT dp_sum(age, 0.1, 1e-6, $1, $2) FROM emp; EXECUTE p(0, 100)'),
          'answered, 1 charged', 'and bounds (R3)');
SELECT is(ana.charged('PREPARE p (numeric) AS SELECT dp_count(0.1, 1e-6) FROM emp WHERE salary > $1; EXECUTE p(3.5)'),
          'answered, 1 charged', 'and what a column is compared with (R3)');
SELECT is(ana.charged('SET LOCAL plan_cache_mode = force_generic_plan; PREPARE p (numeric) AS SELECT dp_count($1, 1e-6) FROM emp; EXECUTE p(0.1)'),
          'answered, 1 charged', 'also in a generic plan (R3)');
SELECT is(ana.charged('PREPARE p (float8) AS SELECT dp_count($1, 1e-6) FROM emp; EXECUTE p(0.1)'), 'answered, 1 charged', 'as one of type float8 is');
CREATE FUNCTION ana.variable(e numeric) RETURNS void LANGUAGE plpgsql AS $$BEGIN PERFORM dp_count(e, 1e-6) FROM emp; END$$;
CREATE FUNCTION ana.using(e numeric) RETURNS void LANGUAGE plpgsql AS $$BEGIN EXECUTE 'SELECT dp_count($1, 1e-6) FROM emp' USING e; END$$;
SELECT is(ana.charged('SELECT ana.variable(0.1)'), 'answered, 1 charged', 'and a numeric variable of PL/pgSQL (R3)');
SELECT is(ana.charged('SELECT ana.using(0.1)'), 'answered, 1 charged', 'also by EXECUTE ... USING (R3)');
SELECT * FROM finish();
