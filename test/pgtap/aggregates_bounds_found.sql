\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- dp_bounds: bounds of a column as an answer.  At (1, 1e-6) sigma is 4.23 rows, so that 30 rows of a bin stand out by 7.1 sigma; here each bin has 200 or none.
SET client_min_messages = warning;
SELECT plan(14);
CREATE TABLE t AS SELECT (1 + i % 7)::float8 AS x FROM generate_series(0, 6999) i;
SELECT is(dp_bounds(x, 1, 1e-6), '{1,8}'::float8[], 'values from 1 to 7') FROM t;
SELECT is(dp_bounds(-x, 1, 1e-6), '{-8,-1}'::float8[], 'below 0') FROM t;
SELECT is(dp_bounds(x * 1e-30, 1, 1e-6), '{0,5.421010862427522e-20}'::float8[], 'nearer to 0 than 2^-64 is one bin') FROM t;
SELECT is(dp_bounds(x * 1e30, 1, 1e-6), '{18446744073709551616,36893488147419103232}'::float8[], 'and so is what is beyond 2^64') FROM t;
SELECT is(dp_bounds(CASE WHEN x < 4 THEN -x ELSE x END, 1, 1e-6), '{-4,8}'::float8[], 'both sides') FROM t;
SELECT ok((b)[1] IN (0.5, 1) AND (b)[2] IN (8, 16), format('of each type: %s', b)) FROM (SELECT dp_bounds(x::int2, 1, 1e-6) FROM t UNION ALL SELECT dp_bounds(x::int8, 1, 1e-6) FROM t UNION ALL SELECT dp_bounds(x::numeric, 1, 1e-6) FROM t) s (b);
SELECT is(dp_bounds(x, 1, 1e-6), '{-Infinity,Infinity}'::float8[], 'no rows: nothing is known') FROM t WHERE x > 9;
SELECT is(dp_bounds(CASE WHEN x = 7 THEN 'NaN'::float8 END, 1, 1e-6), '{-Infinity,Infinity}'::float8[], 'NaN and NULL count for nothing') FROM t;
SELECT ok((dp_bounds(CASE WHEN i < 4 THEN 1e9 ELSE 3 END, 1, 1e-6))[2] IN (4, 8), 'few rows far away are not seen') FROM generate_series(1, 1000) i;
-- Partial states are added.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT is(dp_bounds(x, 1, 1e-6), '{1,8}'::float8[], 'in parallel') FROM t;
-- Over protected tables: one row each, and its price; where people own many rows it is refused by name.
CREATE TABLE visit (person int NOT NULL, minutes int);
CREATE TABLE person (id int PRIMARY KEY, born int);
INSERT INTO person SELECT i, 1940 + i % 60 FROM generate_series(1, 5000) i;
CREATE ROLE bounds_ana;
DO $$BEGIN PERFORM gaussdp.protect('person', unit => 'id', people => 'all'), gaussdp.protect('visit', unit => 'person', people => 'all'), gaussdp.grant_budget('bounds_ana', 'person', 10, 1e-3); END$$;
SET ROLE bounds_ana;
SELECT is(dp_bounds(born, 1, 1e-6), '{1024,2048}'::float8[], 'years of birth') FROM person;
SELECT is((SELECT format('%s %s', verdict, hint) FROM gaussdp.explain_privacy('SELECT dp_bounds(minutes, 1, 1e-6) FROM visit')),
	'refused Ask for dp_avg_auto_estimate, which shows the bounds that it finds; or let a sub-select make one row of each person.', 'where people own many rows another call shows them');
SELECT * FROM finish();
