\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- dp_bounds: bounds of a column as an answer.  At (1, 1e-6) sigma is 4.23 rows, so that 30 rows of a bin stand out by 7.1 sigma; here each bin has 200 or none.
SET client_min_messages = warning;
-- An empty neighbour gets in with a probability of 2.3 %, four in a row with less than 1e-6.
CREATE FUNCTION about(b float8[], lower1 float8, lower2 float8, upper1 float8, upper2 float8, name text) RETURNS text LANGUAGE sql RETURN ok(b[1] BETWEEN lower1 AND lower2 AND b[2] BETWEEN upper1 AND upper2, format('%s: %s', name, b));
GRANT EXECUTE ON FUNCTION about TO PUBLIC;
SELECT plan(14);
CREATE TABLE t AS SELECT (1 + i % 7)::float8 AS x FROM generate_series(0, 6999) i;
SELECT about(dp_bounds(x, 1, 1e-6), 0.0625, 1, 8, 128, 'values from 1 to 7') FROM t;
SELECT about(dp_bounds(-x, 1, 1e-6), -128, -8, -1, -0.0625, 'below 0') FROM t;
SELECT about(dp_bounds(x * 1e-30, 1, 1e-6), -5e-19, 0, 5.4e-20, 1e-18, 'nearer to 0 than 2^-64 is one bin') FROM t;
SELECT about(dp_bounds(x * 1e30, 1, 1e-6), 1.1e18, 2e19, 3.6e19, 3.7e19, 'and so is what is beyond 2^64') FROM t;
SELECT about(dp_bounds(CASE WHEN x < 4 THEN -x ELSE x END, 1, 1e-6), -64, -4, 8, 128, 'both sides') FROM t;
SELECT about(b, 0.0625, 1, 8, 128, 'of each type') FROM (SELECT dp_bounds(x::int2, 1, 1e-6) FROM t UNION ALL SELECT dp_bounds(x::int8, 1, 1e-6) FROM t UNION ALL SELECT dp_bounds(x::numeric, 1, 1e-6) FROM t) s (b);
SELECT is(dp_bounds(x, 1, 1e-6), '{-Infinity,Infinity}'::float8[], 'no rows: nothing is known') FROM t WHERE x > 9;
SELECT is(dp_bounds(CASE WHEN x = 7 THEN 'NaN'::float8 END, 1, 1e-6), '{-Infinity,Infinity}'::float8[], 'NaN and NULL count for nothing') FROM t;
SELECT ok((dp_bounds(CASE WHEN i < 4 THEN 1e9 ELSE 3 END, 1, 1e-6))[2] BETWEEN 4 AND 64, 'few rows far away are not seen') FROM generate_series(1, 1000) i;
-- Partial states are added.
SET parallel_setup_cost = 0;
SET parallel_tuple_cost = 0;
SET min_parallel_table_scan_size = 0;
SET max_parallel_workers_per_gather = 2;
SELECT about(dp_bounds(x, 1, 1e-6), 0.0625, 1, 8, 128, 'in parallel') FROM t;
-- Over protected tables: one row each, and its price; where people own many rows it is refused by name.
CREATE TABLE visit (person int NOT NULL, minutes int);
CREATE TABLE person (id int PRIMARY KEY, born int);
INSERT INTO person SELECT i, 1940 + i % 60 FROM generate_series(1, 5000) i;
CREATE ROLE bounds_ana;
DO $$BEGIN PERFORM gaussdp.protect('person', unit => 'id', people => 'all'), gaussdp.protect('visit', unit => 'person', people => 'all'), gaussdp.grant_budget('bounds_ana', 'person', 10, 1e-3); END$$;
SET ROLE bounds_ana;
SELECT about(dp_bounds(born, 1, 1e-6), 64, 1024, 2048, 32768, 'years of birth') FROM person;
SELECT is((SELECT format('%s %s', verdict, hint) FROM gaussdp.explain_privacy('SELECT dp_bounds(minutes, 1, 1e-6) FROM visit')),
	'refused Ask for dp_avg_auto_estimate, which shows the bounds that it finds; or let a sub-select make one row of each person.', 'where people own many rows another call shows them');
SELECT * FROM finish();
