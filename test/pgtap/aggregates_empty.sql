\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Groups without a row give noise around zero, never NULL, whatever the plan: the parameters come
-- from the plan where no row brings them.
BEGIN;
SELECT plan(26);

CREATE TABLE t (k int, x float8) PARTITION BY RANGE (k);
CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (100);
CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (100) TO (200);
INSERT INTO t SELECT i % 200, i FROM generate_series(1, 20000) i;
CREATE TABLE plain AS SELECT * FROM t;
ANALYZE t, plain;

-- At epsilon 1 the noise of a count is below 40 at ten standard deviations, that of these sums below 400.
CREATE FUNCTION near_zero(c bigint, s float8, a float8) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
	RETURN abs(c) < 40 AND abs(s) < 400 AND a BETWEEN 0 AND 10;

SELECT ok(near_zero(dp_count(1, 1e-6), dp_sum(x, 1, 1e-6, 0, 10), dp_avg(x, 1, 1e-6, 0, 10)), 'no row in the table')
FROM plain WHERE false;
SELECT ok(near_zero(dp_count(x, 1, 1e-6), dp_sum(x, 1, 1e-6, 10), dp_avg(x, 1, 1e-6, 0, 10, 3)), 'other overloads, condition on a row')
FROM plain WHERE k < 0;
SELECT ok(near_zero(dp_count(1, 1e-6) FILTER (WHERE k < 0), dp_sum(x, 1, 1e-6, 0, 10) FILTER (WHERE k < 0),
	dp_avg(x, 1, 1e-6, 0, 10) FILTER (WHERE k < 0)), 'all rows filtered out') FROM plain;
SELECT ok(bool_and(near_zero(c, s, a)) AND count(*) = 201, 'grouping sets with all rows filtered out')
FROM (SELECT dp_count(1, 1e-6) FILTER (WHERE x < 0) c, dp_sum(x, 1, 1e-6, 0, 10) FILTER (WHERE x < 0) s,
	dp_avg(x, 1, 1e-6, 0, 10) FILTER (WHERE x < 0) a FROM plain GROUP BY GROUPING SETS ((k), ())) g;
SELECT ok(near_zero(dp_count(1, 1e-6), dp_sum(x, 1, 1e-6, 0, 10), dp_avg(x, 1, 1e-6, 0, 10)), 'GROUP BY () over nothing')
FROM plain WHERE false GROUP BY ();
SELECT ok(near_zero(dp_count((SELECT 1), (SELECT 1e-6)), dp_sum(x, (SELECT 1), 1e-6, 0, 10), dp_avg(x, 1, 1e-6, (SELECT 0), 10)),
	'sub-selects as parameters') FROM plain WHERE false;
SELECT ok(near_zero(dp_count(x, 1, 1e-6), dp_sum(NULL::float8, 1, 1e-6, 0, 10), dp_avg('NaN'::float8, 1, 1e-6, 0, 10)), 'values that do not count')
FROM plain WHERE k < 0;
-- At epsilon 1e-9 the standard deviation is 400,000: each of 20 is small with a probability of 0.2 %, half of them never.
SELECT ok(bool_and(e < 1 OR abs(v) < 40) AND count(*) FILTER (WHERE abs(v) > 1000) > 10 AND count(*) = 60, 'parameters from an outer query change between scans')
FROM (SELECT e FROM (VALUES (1e-9), (1.0), (2.0)) v(e), generate_series(1, 20)) o,
	LATERAL (SELECT dp_count(x, o.e, 1e-6) AS v FROM plain WHERE x < 0) s;
SELECT ok(near_zero(dp_count(DISTINCT x, 1, 1e-6), dp_sum(DISTINCT x, 1, 1e-6, 0, 10), dp_avg(x, 1, 1e-6, 0, 10 ORDER BY k)),
	'DISTINCT and ORDER BY inside the call') FROM plain WHERE x < 0;

-- Two calls of different epsilon: the wide one shows that neither takes the other's parameters.
SELECT ok(bool_and(abs(narrow) < 40) AND bool_or(abs(wide) > 1000), 'two calls of different epsilon')
FROM generate_series(1, 20) i, LATERAL (SELECT dp_count(1, 1e-6) AS narrow, dp_count(1e-7, 1e-6) AS wide FROM plain WHERE x < 0 OFFSET i * 0) s;

-- Prepared, generic
SET LOCAL plan_cache_mode = force_generic_plan;
PREPARE p(float8, float8, float8) AS
SELECT near_zero(dp_count($1, $2), dp_sum(x, $1, $2, 0, $3), dp_avg(x, $1, $2, 0, $3)) AS ok FROM plain WHERE x < $3 - 10;
CREATE FUNCTION run(query text) RETURNS boolean LANGUAGE plpgsql AS 'DECLARE r boolean; BEGIN EXECUTE query INTO STRICT r; RETURN r; END';
SELECT ok(run('EXECUTE p(1, 1e-6, 10)'), 'generic plan, first execution');
SELECT ok(run('EXECUTE p(1, 1e-6, 10)'), 'generic plan, again');
SELECT throws_ok('EXECUTE p(1, NULL, 10)', '22023', 'delta must not be null', 'generic plan, NULL parameter, no row');
SELECT throws_ok('EXECUTE p(-1, 1e-6, 10)', '22023', 'epsilon is out of range: -1', 'generic plan, bad parameter, no row');

-- Parallel: workers without a row send an empty state with the parameters.
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SET LOCAL max_parallel_workers_per_gather = 4;
ALTER TABLE plain SET (parallel_workers = 4);
CREATE FUNCTION plan_has(query text, node text) RETURNS boolean LANGUAGE plpgsql AS
'DECLARE line text; BEGIN FOR line IN EXECUTE ''EXPLAIN '' || query LOOP IF line LIKE ''%'' || node || ''%'' THEN RETURN true; END IF; END LOOP; RETURN false; END';
-- Run by psql itself: a function that fetches a few rows would not run them in parallel.  The planner
-- must not guess that x + 0 < 0 leaves few rows, or it would aggregate above the Gather.
\set query 'SELECT near_zero(dp_count(1, 1e-6), dp_sum(x, 1, 1e-6, 0, 10), dp_avg(x, 1, 1e-6, 0, 10)) AS r FROM plain WHERE x + 0 < 0'
:query \gset
SELECT ok(:'r' AND plan_has(:'query', 'Partial Aggregate'), 'parallel, no row');
\set query 'SELECT near_zero(dp_count(1, 1e-6) FILTER (WHERE x + 0 < 0), dp_sum(x, 1, 1e-6, 0, 10) FILTER (WHERE x + 0 < 0), dp_avg(x, 1, 1e-6, 0, 10) FILTER (WHERE x + 0 < 0)) AS r FROM plain'
:query \gset
SELECT ok(:'r' AND plan_has(:'query', 'Partial Aggregate'), 'parallel, filtered out');
\set query 'SELECT bool_and(near_zero(c, 0, 0)) AS r FROM (SELECT k, dp_count(1, 1e-6) FILTER (WHERE x + 0 < 0) c FROM plain GROUP BY k) s'
:query \gset
SELECT ok(:'r' AND plan_has(:'query', 'Partial'), 'parallel, groups filtered out');
\set query 'SELECT near_zero(dp_count((SELECT 1), 1e-6), dp_sum(x, (SELECT 1), 1e-6, 0, 10), 0) AS r FROM plain WHERE x + 0 < 0'
:query \gset
SELECT ok(:'r' AND plan_has(:'query', 'Partial Aggregate'), 'parallel, sub-select');
\set query 'SELECT abs(dp_count(1, 1e-6)) < 40 AND abs(dp_count(5, 1e-6)) < 12 AS r FROM plain WHERE x + 0 < 0'
:query \gset
SELECT ok(:'r' AND plan_has(:'query', 'Partial Aggregate'), 'parallel, two epsilons');
PREPARE pp(float8, float8) AS SELECT near_zero(dp_count($1, $2), dp_sum(x, $1, $2, 0, 10), 0) AS r FROM plain WHERE x + 0 < 0;
EXECUTE pp(1, 1e-6) \gset
SELECT ok(:'r' AND plan_has('EXECUTE pp(1, 1e-6)', 'Partial Aggregate'), 'parallel, generic plan');

-- Partition-wise
SET LOCAL enable_partitionwise_aggregate = on;
\set query 'SELECT near_zero(dp_count(1, 1e-6), dp_sum(x, 1, 1e-6, 0, 10), dp_avg(x, 1, 1e-6, 0, 10)) AS r FROM t WHERE x + 0 < 0'
:query \gset
SELECT ok(:'r' AND plan_has(:'query', 'Partial Aggregate'), 'partition-wise, no row');
\set query 'SELECT near_zero(dp_count(1, 1e-6), dp_sum(x, 1, 1e-6, 0, 10), dp_avg(x, 1, 1e-6, 0, 10)) AS r FROM t WHERE k = 500'
:query \gset
SELECT ok(:'r' AND plan_has(:'query', 'Result'), 'all partitions pruned while planning');
SET LOCAL max_parallel_workers_per_gather = 0;
\set query 'SELECT near_zero(dp_count(1, 1e-6), dp_sum(x, 1, 1e-6, 0, 10), dp_avg(x, 1, 1e-6, 0, 10)) AS r FROM t WHERE x + 0 < 0'
:query \gset
SELECT ok(:'r' AND plan_has(:'query', 'Partial Aggregate'), 'partition-wise, one process');
PREPARE pruned(int, float8) AS SELECT near_zero(dp_count($2, 1e-6), dp_sum(x, $2, 1e-6, 0, 10), dp_avg(x, 1, 1e-6, 0, 10)) AS r FROM t WHERE k >= $1;
EXECUTE pruned(500, 1) \gset
SELECT ok(:'r' AND plan_has('EXECUTE pruned(500, 1)', 'Partial Aggregate'), 'no partition with a row, generic plan');
SET LOCAL enable_partitionwise_aggregate = off;
PREPARE pruned_all(int, float8) AS SELECT near_zero(dp_count($2, 1e-6), dp_sum(x, $2, 1e-6, 0, 10), dp_avg(x, 1, 1e-6, 0, 10)) AS r FROM t WHERE k = $1;
EXECUTE pruned_all(500, 1) \gset
SELECT ok(:'r' AND plan_has('EXECUTE pruned_all(500, 1)', 'Subplans Removed'), 'all partitions pruned at run time');

-- Neither a row nor a plan that says it
SELECT throws_ok('SELECT dp_count(x, 1e-6) FROM plain WHERE x < 0', '0A000', NULL, 'parameters that only a row could tell');

SELECT * FROM finish();
ROLLBACK;
