\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Calls without bounds: the declared bounds of a bare column, however it is reached; else bounds that
-- are found privately.
BEGIN;
SELECT plan(59);

CREATE TABLE t (k int, x float8, n numeric, i int, plain float8) PARTITION BY RANGE (k);
CREATE TABLE t1 PARTITION OF t FOR VALUES FROM (0) TO (5);
CREATE TABLE t2 PARTITION OF t FOR VALUES FROM (5) TO (10);
INSERT INTO t SELECT g % 10, g, g, g, g FROM generate_series(1, 1000) g;
CREATE VIEW v AS SELECT k, x AS vx, n + 0 AS computed FROM t WHERE k > 0;
CREATE VIEW vv AS SELECT vx AS vvx FROM v;
CREATE TABLE other AS SELECT generate_series(0, 9) AS k;
SELECT gaussdp.set_bounds('t', 'x', 0, 500), gaussdp.set_bounds('t', 'n', -7.5, 250), gaussdp.set_bounds('t', 'i', 0, 100) \g /dev/null

-- The aggregates of the plan, as EXPLAIN writes them
CREATE FUNCTION planned(query text) RETURNS text LANGUAGE plpgsql AS
$$DECLARE line text; found text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS OFF) ' || query LOOP
		found := found || coalesce(substring(line FROM 'Output: .*((?:dp_|gaussdp_internal\.)(?:sum|avg)(?:_auto|_estimate|_packed)*\(.*)'), '');
	END LOOP;
	RETURN found;
END$$;
CREATE FUNCTION declared(query text, lower float8, upper float8, name text) RETURNS text LANGUAGE sql AS
$$SELECT ok(planned(query) LIKE ANY (ARRAY[format('%%, ''%s''::double precision, ''%s''::double precision%%', lower, upper), format('%%_packed(%%,%s,%s}''%%', lower, upper)])
	AND planned(query) NOT LIKE '%\_auto%', name)$$;
CREATE FUNCTION automatic(query text, name text) RETURNS text LANGUAGE sql AS
$$SELECT ok(planned(query) LIKE '%\_auto%', name)$$;

SELECT declared('SELECT dp_sum(x, 1, 1e-6) FROM t', 0, 500, 'a column');
SELECT declared('SELECT dp_avg(x, 1, 1e-6) FROM t', 0, 500, 'an average');
SELECT declared('SELECT dp_sum(n, 1, 1e-6) FROM t', -7.5, 250, 'a numeric column');
SELECT declared('SELECT dp_avg(i, 1, 1e-6) FROM t', 0, 100, 'an integer column');
SELECT declared('SELECT dp_avg(x, 1, 1e-6) FROM t2', 0, 500, 'a column of a partition, declared above it');
SELECT declared('SELECT dp_avg_estimate(x, 1, 1e-6) FROM t', 0, 500, 'an estimate');
SELECT declared('SELECT k, dp_avg(x, 1, 1e-6) FILTER (WHERE k > 3) FROM t GROUP BY k HAVING dp_count(1, 1e-6) > 5', 0, 500, 'with FILTER and groups');
SELECT declared('SELECT dp_sum(DISTINCT x, 1, 1e-6) FROM t', 0, 500, 'with DISTINCT');
SELECT declared('SELECT dp_sum(x, 1, 1e-6) FROM (SELECT x FROM t GROUP BY x) s', 0, 500, 'a group key of a sub-select');
SELECT declared('SELECT dp_sum(x, 1, 1e-6 ORDER BY k, n) FROM t', 0, 500, 'with ORDER BY in the call');
SELECT declared('SELECT dp_avg(vx, 1, 1e-6) FROM v', 0, 500, 'through a view');
SELECT declared('SELECT dp_avg(vvx, 1, 1e-6) FROM vv', 0, 500, 'through a view of a view');
SELECT declared('SELECT dp_avg(s.y, 1, 1e-6) FROM (SELECT x AS y, k FROM t WHERE k > 2) s', 0, 500, 'through a subquery');
SELECT declared('WITH c AS (SELECT x AS y FROM t) SELECT dp_avg(y, 1, 1e-6) FROM c', 0, 500, 'through a CTE');
SELECT declared('WITH c AS (SELECT x AS y FROM t) SELECT v FROM (SELECT dp_avg(y, 1, 1e-6) v FROM c) s', 0, 500, 'through a CTE of the query around');
SELECT declared('SELECT dp_avg(x, 1, 1e-6) FROM other LEFT JOIN t USING (k)', 0, 500, 'through a join');
SELECT declared('SELECT dp_avg(j.x, 1, 1e-6) FROM (other LEFT JOIN t USING (k)) AS j', 0, 500, 'through a join with a name');
SELECT declared('SELECT (SELECT dp_avg(x, 1, 1e-6) FROM t) + 1', 0, 500, 'in a sub-select');
SELECT declared('SELECT 1 UNION ALL SELECT dp_avg(x, 1, 1e-6) FROM t', 0, 500, 'in a set operation');
SELECT declared('WITH c AS (INSERT INTO t (k, x, i) VALUES (1, 2, 3) RETURNING plain, x, i) SELECT dp_avg(x, 1, 1e-6) FROM c', 0, 500, 'through what INSERT returns');
SELECT declared('WITH c AS (UPDATE t SET n = 1, plain = 2 RETURNING k, i, x) SELECT dp_avg(x, 1, 1e-6) FROM c', 0, 500, 'through what UPDATE returns');
SELECT declared('WITH c AS (DELETE FROM t USING other WHERE t.k = other.k RETURNING other.k, x) SELECT dp_avg(x, 1, 1e-6) FROM c', 0, 500, 'through what DELETE returns');
SELECT declared('WITH c AS (DELETE FROM v RETURNING vx) SELECT dp_avg(vx, 1, 1e-6) FROM c', 0, 500, 'through what is deleted from a view');

SELECT automatic('WITH c AS (UPDATE t SET plain = x RETURNING plain) SELECT dp_avg(plain, 1, 1e-6) FROM c', 'a column that is set to one with a declaration');
SELECT CASE WHEN current_setting('server_version_num')::int < 180000 THEN skip('RETURNING old is for PostgreSQL 18') ELSE
	automatic('WITH c AS (UPDATE t SET i = 1 RETURNING old.x) SELECT dp_avg(x, 1, 1e-6) FROM c', 'an old value') END;
SELECT automatic('SELECT dp_avg(plain, 1, 1e-6) FROM t', 'a column without declaration');
SELECT declared('SELECT dp_avg(x + 1, 1, 1e-6) FROM t', 1, 501, 'an expression');
SELECT declared('SELECT dp_avg(x::numeric, 1, 1e-6) FROM t', 0, 500, 'a cast');
SELECT automatic('SELECT dp_avg(computed, 1, 1e-6) FROM v', 'an expression of a view');
SELECT automatic('SELECT dp_avg(y, 1, 1e-6) FROM (SELECT x AS y FROM t UNION ALL SELECT 1) s', 'a set operation');
SELECT automatic('SELECT dp_avg(g, 1, 1e-6) FROM generate_series(1, 3) g', 'a function');
SELECT automatic('WITH RECURSIVE r(y) AS (SELECT 1.5::float8 UNION ALL SELECT y + 1 FROM r WHERE y < 5) SELECT dp_avg(y, 1, 1e-6) FROM r', 'a recursive query');
SELECT automatic('SELECT dp_avg_estimate(plain, 1, 1e-6) FROM t', 'an estimate without declaration');

-- Answers: at epsilon 1e4 the noise of an average is below a thousandth of its bounds.
SELECT ok(abs(dp_sum(x, 1e4, 1e-6) - 375250 + 500) < 1000, 'a sum clamps to the declared bounds') FROM t;
SELECT ok(abs(dp_avg(DISTINCT i, 1e4, 1e-6) - 95.05) < 1, 'an average with DISTINCT') FROM t;
SELECT ok(abs((dp_avg_estimate(x, 1e4, 1e-6)).value - 375.25) < 2, 'an estimate') FROM t;
SELECT ok(abs(dp_sum(x, 1e4, 1e-6 ORDER BY n DESC, i) - 375250) < 1000, 'ORDER BY leaves the arguments in place') FROM t;
SELECT ok(dp_avg(x, 1, 1e-6) BETWEEN 0 AND 500, 'no row') FROM t WHERE false;

-- A prepared statement sees a changed declaration.
SET LOCAL plan_cache_mode = force_generic_plan;
PREPARE p AS SELECT dp_sum(x, 1e4, 1e-6) AS s FROM t;
EXECUTE p \gset
SELECT ok(:s > 300000, 'prepared, first bounds');
SELECT gaussdp.set_bounds('t', 'x', 0, 1) \g /dev/null
EXECUTE p \gset
SELECT ok(abs(:s - 1000) < 50, 'prepared, changed bounds');

-- Automatic bounds
SELECT ok(abs(dp_avg(plain, 1e4, 1e-6) - 500.5) < 5, 'an average of 1 .. 1000') FROM t;
SELECT ok(abs(dp_sum(plain, 1e4, 1e-6) - 500500) < 5000, 'a sum of 1 .. 1000') FROM t;
SELECT ok(abs(dp_avg(-plain, 1e4, 1e-6) + 500.5) < 5, 'negative values') FROM t;
SELECT ok(abs(dp_avg(plain - 500.5, 1e4, 1e-6)) < 5, 'values around zero') FROM t;
SELECT ok(abs(dp_avg(plain * 1e15, 1e4, 1e-6) / 1e15 - 500.5) < 5, 'large values') FROM t;
SELECT ok(abs(dp_avg(plain / 1e15, 1e4, 1e-6) * 1e15 - 500.5) < 5, 'small values') FROM t;
SELECT ok(abs(dp_avg(0 * plain, 1e4, 1e-6)) < 1e-19, 'zeros') FROM t;
SELECT ok(abs(dp_sum(n * 0 + 'Infinity', 1e4, 1e-6) / (1000 * 2 ^ 65) - 1) < 0.01, 'infinities count as 2^65') FROM t;
SELECT ok(bool_and(v IS NOT NULL AND v <> 'NaN' AND abs(v) < 1e25), 'values of every kind: always a number')
FROM (SELECT dp_avg(x, 1, 1e-6) AS v FROM (VALUES ('NaN'::float8), ('Infinity'), ('-Infinity'), (0), ('-0'), (5e-324), (1e308), (-1e308), (NULL)) q(x) GROUP BY x::text) s;
SELECT ok(dp_sum(plain, 1, 1e-6) IS NOT NULL AND dp_avg(plain, 1, 1e-6) IS NOT NULL, 'no row: a number') FROM t WHERE false;
SELECT ok(bool_and((e).ci_low <= (e).value AND (e).value <= (e).ci_high AND (e).den_sd > 0), 'an automatic estimate has its interval')
FROM (SELECT dp_avg_estimate(plain, 1, 1e-6) AS e FROM t GROUP BY k) s;
SELECT throws_ok('SELECT dp_avg(plain, 0, 1e-6) FROM t', '22023', 'epsilon is out of range: 0', 'bad epsilon');
SELECT throws_ok('SELECT dp_avg(plain, 1e30, 1e-6) FROM t', '22023', NULL, 'no grid');
SELECT throws_ok('SELECT dp_sum(plain, k + 1, 1e-6) FROM t', '22023', 'epsilon varies within a group', 'varying epsilon');

-- A call whose bounds nobody resolved, as where the library came after planning
CREATE AGGREGATE unresolved(float8, float8, float8) (SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, FINALFUNC = gaussdp_internal.unplanned_final);
SELECT throws_ok('SELECT unresolved(x, 1, 1e-6) FROM t', '55000', NULL, 'unresolved over rows: 55000');
SELECT throws_ok('SELECT unresolved(x, 1, 1e-6) FROM t WHERE false', '55000', NULL, 'unresolved over no row: 55000');

-- The planner puts a stable set-returning SQL function into the query that calls it, after the bounds are looked up.
CREATE FUNCTION inlined() RETURNS SETOF float8 LANGUAGE sql STABLE AS 'SELECT dp_sum(x, 1e4, 1e-6) FROM t';
CREATE FUNCTION hints(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE detail text; hint text;
BEGIN
	EXECUTE query;
EXCEPTION WHEN object_not_in_prerequisite_state THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN detail || ' / ' || hint;
END $$;
SELECT ok(hints('SELECT * FROM inlined()') ~ 'or the call came out of an SQL function.*/.*session_preload_libraries.*dp_sum_auto.*VOLATILE', 'out of a stable SQL function: 55000 with ways out');
ALTER FUNCTION inlined() VOLATILE;
SELECT ok(abs(inlined - 1000) < 50, 'a volatile SQL function: the declared bounds') FROM inlined();
CREATE OR REPLACE FUNCTION inlined() RETURNS SETOF float8 LANGUAGE sql STABLE AS 'SELECT dp_sum_auto(plain, 1e4, 1e-6) FROM t';
SELECT isnt(inlined, NULL, 'bounds that the call itself finds, out of a stable SQL function') FROM inlined();

SELECT * FROM finish();
ROLLBACK;
