-- Calls with constant parameters are planned with all of them in one constant (src/aggregate/pack.c): nothing but their speed may change.
\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only true
\pset pager off
\set ON_ERROR_ROLLBACK 1
\set ON_ERROR_STOP true

BEGIN;
SELECT plan(41);

CREATE TABLE t AS SELECT i % 10 AS g, i % 100 AS v FROM generate_series(1, 10000) i;
ANALYZE t;
CREATE FUNCTION plan_of(query text) RETURNS text LANGUAGE plpgsql AS
$$DECLARE line text; plan text := '';
BEGIN
	FOR line IN EXECUTE 'EXPLAIN (VERBOSE, COSTS off) ' || query LOOP
		plan := plan || line || E'\n';
	END LOOP;
	RETURN plan;
END$$;

-- Which calls
SELECT matches(plan_of(format('SELECT %s FROM t', call)), 'gaussdp_internal\.[a-z]+_packed\(', call || ' is packed')
FROM unnest(ARRAY['dp_count(1, 1e-6)', 'dp_sum(v, 1, 1e-6, 50)', 'dp_sum(v, 1, 1e-6, 0, 100)', 'dp_sum(v, 1, 1e-6, 0, 100, 3)',
	'dp_avg(v, 1, 1e-6, 0, 100)', 'dp_avg(v, 0.5 + 0.5, 1e-6, -1, 2 * 50)', 'dp_avg(v::numeric, 1, 1e-6, 0, 100, 3)',
	'dp_sum(v, 1, 1e-6, 0, 100) FILTER (WHERE v > 3)']) call;
SELECT doesnt_match(plan_of(format('SELECT %s FROM t', call)), '_packed\(', call || ' is left as it is')
FROM unnest(ARRAY['dp_sum(v, 1 + random(), 1e-6, 0, 100)', 'dp_sum(DISTINCT v, 1, 1e-6, 0, 100)', 'dp_avg(v, 1, 1e-6, 0, 100 ORDER BY g)',
	'dp_sum(v, 1, 1e-6, 0, 100, 9007199254740993)', 'dp_sum(v, NULL, 1e-6, 0, 100)', 'dp_sum_estimate(v, 1, 1e-6, 0, 100)', 'dp_count(v, 1, 1e-6)']) call;
SELECT is((SELECT count(DISTINCT name) FROM regexp_matches(plan_of('WITH w AS MATERIALIZED (SELECT g, dp_count(1, 1e-6) n FROM t GROUP BY g HAVING dp_sum(v, 1, 1e-6, 0, 100) > (SELECT dp_avg(v, 1, 1e-6, 0, 100) FROM t)) SELECT * FROM w'),
	'gaussdp_internal\.(count|sum|avg)_packed\(', 'g') name), 3::bigint, 'calls in CTEs, sub-selects and HAVING are packed');

-- The same answers: at epsilon 1e9 the noise is far below what is compared. Under a generic plan the parameters are none of the planner's business.
SET LOCAL plan_cache_mode = force_generic_plan;
PREPARE written(float8) AS SELECT g, dp_count($1, 1e-6) n, dp_sum(v, $1, 1e-6, 10, 90) s, dp_avg(v, $1, 1e-6, 10, 90) a, dp_sum(v, $1, 1e-6, 10, 90, 2) FILTER (WHERE v < 5) f FROM t GROUP BY g;
CREATE TEMP TABLE written_answers AS EXECUTE written(1e9);
CREATE TEMP TABLE packed_answers AS SELECT g, dp_count(1e9, 1e-6) n, dp_sum(v, 1e9, 1e-6, 10, 90) s, dp_avg(v, 1e9, 1e-6, 10, 90) a, dp_sum(v, 1e9, 1e-6, 10, 90, 2) FILTER (WHERE v < 5) f FROM t GROUP BY g;
SELECT is((SELECT count(*) FROM written_answers w JOIN packed_answers p USING (g)
	WHERE w.n = p.n AND abs(w.s - p.s) < 0.1 AND abs(w.a - p.a) < 0.01 AND abs(w.f - p.f) < 0.1), 10::bigint, 'packed calls answer what written calls answer');
SELECT is((SELECT count(*) FROM packed_answers p JOIN (SELECT g, count(*) n, sum(least(greatest(v, 10), 90)) s FROM t GROUP BY g) x USING (g)
	WHERE p.n = x.n AND abs(p.s - x.s) < 0.1), 10::bigint, 'and that is the truth');

-- Without rows
SELECT cmp_ok(abs(dp_sum(v, 1e9, 1e-6, 10, 90)), '<', 0.1::float8, 'no row: noise about zero') FROM t WHERE v < 0;
SELECT is(dp_count(1e9, 1e-6), 0::bigint, 'no row: a count') FROM t WHERE v < 0;
SELECT cmp_ok(dp_avg(v, 1e9, 1e-6, 10, 90), '>=', 10::float8, 'no row: an average within the bounds') FROM t WHERE v < 0;
SELECT cmp_ok(abs(dp_sum(v, 1e9, 1e-6, 10, 90) FILTER (WHERE v < 0)), '<', 0.1::float8, 'no row passes the filter: noise about zero') FROM t;
SELECT is((SELECT count(*) FROM (SELECT g, dp_sum(v, 1e9, 1e-6, 10, 90) FILTER (WHERE g > 100) s FROM t GROUP BY ROLLUP (g)) q WHERE abs(s) < 0.1), 11::bigint, 'empty groups of grouping sets');
SELECT throws_ok($$SELECT dp_sum(v, -1, 1e-6, 10, 90) FROM t WHERE v < 0$$, '22023', 'epsilon is out of range: -1', 'bad parameters are refused over no rows');
SELECT throws_ok($$SELECT dp_sum(v, -1, 1e-6, 10, 90) FROM t$$, '22023', 'epsilon is out of range: -1', 'and over rows, in the same words');

-- In parallel
SET LOCAL parallel_setup_cost = 0;
SET LOCAL parallel_tuple_cost = 0;
SET LOCAL min_parallel_table_scan_size = 0;
SELECT matches(plan_of('SELECT dp_sum(v, 1e9, 1e-6, 10, 90) FROM t'), 'PARTIAL gaussdp_internal.sum_packed', 'parallel plans are packed too');
CREATE TEMP TABLE parallel AS SELECT dp_sum(v, 1e9, 1e-6, 10, 90) s, dp_sum(v, 1e9, 1e-6, 10, 90) FILTER (WHERE v < 0) e FROM t;
SELECT ok(abs(s - (SELECT sum(least(greatest(v, 10), 90)) FROM t)) < 0.1 AND abs(e) < 0.1, 'and answer the same, over rows and none') FROM parallel;

-- Written by hand: anyone may, outside the policy
SELECT ok(abs(gaussdp_internal.sum_packed(v, '{1e9,1e-6,10,90}') - sum(least(greatest(v, 10), 90))) < 0.1, 'written by hand it is the same call') FROM t;
SELECT throws_ok(format('SELECT gaussdp_internal.sum_packed(v, %s) FROM t', parameters), '22023', NULL, parameters || ' is refused')
FROM unnest(ARRAY['NULL', $$'{}'$$, $$'{1}'$$, $$'{1,1e-6}'$$, $$'{1,1e-6,NULL,90}'$$, $$'{{1,1e-6},{10,90}}'$$, $$'{1,1e-6,10,90,1,1}'$$,
	$$'{1,1e-6,10,90,1.5}'$$, $$'{1,1e-6,10,90,NaN}'$$, $$'{1,1e-6,10,90,1e300}'$$, $$'{NaN,1e-6,10,90}'$$]) parameters;
SELECT throws_ok($$SELECT gaussdp_internal.sum_packed(v, ARRAY[1, 1e-6, 0, 10 + v]) FROM t$$, '22023', 'upper varies within a group', 'parameters that vary are refused');
SELECT throws_ok($$SELECT gaussdp_internal.sum_packed(v, CASE WHEN v < 50 THEN '{1,1e-6,9}'::float8[] ELSE '{1,1e-6,0,9}' END) FROM t$$, '22023', NULL, 'and forms that vary');

SELECT * FROM finish();
ROLLBACK;
