\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- dp_bounds: bounds of a column as an answer.  At (1, 1e-6) sigma is 4.23 rows, so that 30 rows of a bin stand out by 7.1 sigma; here each bin has 200 or none.
SET client_min_messages = warning;
-- An empty neighbour gets in with a probability of 2.3 %: what most of 25 answers are is no chance.
CREATE FUNCTION often(call text, rows text DEFAULT 't') RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	answer float8[]; answers text[];
BEGIN
	FOR i IN 1..25 LOOP
		EXECUTE format('SELECT %s FROM %s', call, rows) INTO answer;
		answers := answers || answer::text;
	END LOOP;
	RETURN (SELECT a FROM unnest(answers) a GROUP BY a ORDER BY count(*) DESC LIMIT 1);
END $$;
GRANT EXECUTE ON FUNCTION often TO PUBLIC;
SELECT plan(14);
CREATE TABLE t AS SELECT (1 + i % 7)::float8 AS x FROM generate_series(0, 6999) i;
SELECT is(often('dp_bounds(x, 1, 1e-6)'), '{1,8}'::float8[], 'values from 1 to 7');
SELECT is(often('dp_bounds(-x, 1, 1e-6)'), '{-8,-1}'::float8[], 'below 0');
SELECT is(often('dp_bounds(x * 1e-30, 1, 1e-6)'), '{0,5.421010862427522e-20}'::float8[], 'nearer to 0 than 2^-64 is one bin');
SELECT is(often('dp_bounds(x * 1e30, 1, 1e-6)'), '{18446744073709551616,36893488147419103232}'::float8[], 'and so is what is beyond 2^64');
SELECT is(often('dp_bounds(CASE WHEN x < 4 THEN -x ELSE x END, 1, 1e-6)'), '{-4,8}'::float8[], 'both sides');
SELECT is(often(format('dp_bounds(x::%s, 1, 1e-6)', type)), '{1,8}'::float8[], type) FROM unnest('{int2,int8,numeric}'::text[]) type;
SELECT is(dp_bounds(x, 1, 1e-6), '{-Infinity,Infinity}'::float8[], 'no rows: nothing is known') FROM t WHERE x > 9;
SELECT is(dp_bounds(CASE WHEN x = 7 THEN 'NaN'::float8 END, 1, 1e-6), '{-Infinity,Infinity}'::float8[], 'NaN and NULL count for nothing') FROM t;
SELECT is(often('dp_bounds(CASE WHEN i < 4 THEN 1e9 ELSE 3 END, 1, 1e-6)', 'generate_series(1, 1000) i'), '{2,4}'::float8[], 'few rows far away are not seen');
-- Partial states are added.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT is(often('dp_bounds(x, 1, 1e-6)'), '{1,8}'::float8[], 'in parallel');
-- Over protected tables: one row each, and its price; where people own many rows it is refused by name.
CREATE TABLE visit (person int NOT NULL, minutes int);
CREATE TABLE person (id int PRIMARY KEY, born int);
INSERT INTO person SELECT i, 1940 + i % 60 FROM generate_series(1, 5000) i;
CREATE ROLE bounds_ana;
DO $$BEGIN PERFORM gaussdp.protect('person', unit => 'id', people => 'all'), gaussdp.protect('visit', unit => 'person', people => 'all'), gaussdp.grant_budget('bounds_ana', 'person', 100, 1e-3); END$$;
SET ROLE bounds_ana;
SELECT is(often('dp_bounds(born, 1, 1e-6)', 'person'), '{1024,2048}'::float8[], 'years of birth');
SELECT is((SELECT format('%s %s', verdict, hint) FROM gaussdp.explain_privacy('SELECT dp_bounds(minutes, 1, 1e-6) FROM visit')),
	'refused Ask for dp_avg_auto_estimate, which shows the bounds that it finds; or let a sub-select make one row of each person.', 'where people own many rows another call shows them');
SELECT * FROM finish();
