\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Calls over a table that Citus distributes, without Citus: the catalog by which it says so is made up here, and the sums that it
-- would split are added on one server.  Each call adds up the integers that it adds up over a table of this server.
BEGIN;
SET LOCAL client_min_messages = warning;
\ir ../module/probe.sql
CREATE TABLE near (id int PRIMARY KEY, k int, i2 int2, i4 int4, i8 int8, f4 float4, f8 float8, n numeric, a float8[]);
INSERT INTO near SELECT g, g % 7, g % 200, g * 7919 % 1000 - 300, g::int8 * 7919 * 1000003 % 1000000, g / 7.0, -50 + g * 0.37, g / 3.0, ARRAY[g, 1]
FROM generate_series(1, 500) g;
INSERT INTO near (id, k, f4, f8, n) VALUES (501, 1, 'NaN', 'NaN', 'NaN'), (502, 2, 'infinity', 'infinity', 'infinity'), (503, 3, '-infinity', '-infinity', '-infinity'),
	(504, 4, -0.0, -0.0, 1e400), (505, 5, 1e-40, 1e-310, 1e-400), (506, 6, 3e38, 1.7e308, -1e400), (507, 0, NULL, NULL, NULL);
INSERT INTO near (id, k, i8, f8) VALUES (508, 1, 9223372036854775807, 2 ^ 53 + 1), (509, 1, -9223372036854775808, 0.5);
CREATE TABLE far (LIKE near INCLUDING ALL);
INSERT INTO far SELECT * FROM near;
CREATE TABLE nothing (LIKE near);
CREATE TABLE far_nothing (LIKE near);
CREATE TABLE kinds (k int, name text);
INSERT INTO kinds SELECT g, 'kind ' || g FROM generate_series(0, 9) g;
SET LOCAL allow_system_table_mods = on;
CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass);
INSERT INTO pg_catalog.pg_dist_partition VALUES ('far'), ('far_nothing');
SELECT plan(98);

-- What is released is like what is released of a table of this server
CREATE FUNCTION one(query text) RETURNS float8 LANGUAGE plpgsql AS $$DECLARE r float8; BEGIN EXECUTE query INTO r; RETURN r; END$$;
SELECT cmp_ok(abs(one('SELECT dp_sum(i4, 50, 1e-2, -300, 700) FROM far') - sum(i4)), '<', 3000::float8, 'a sum') FROM near;
SELECT cmp_ok(abs(one('SELECT dp_count(50, 1e-2) FROM far') - 509), '<=', 2::float8, 'a count');
SELECT cmp_ok(abs(one('SELECT dp_avg(i2, 50, 1e-2, 0, 200) FROM far') - avg(i2)), '<', 5::float8, 'an average') FROM near;
SELECT cmp_ok(abs(one('SELECT dp_stddev(i2, 50, 1e-2, 0, 200) FROM far') - stddev_pop(i2)), '<', 10::float8, 'a standard deviation') FROM near;
SELECT cmp_ok(abs(one('SELECT dp_median(i2, 50, 1e-2, 0, 200) FROM far') - percentile_cont(0.5) WITHIN GROUP (ORDER BY i2)), '<', 15::float8, 'a median') FROM near;
SELECT cmp_ok(abs(one('SELECT (dp_histogram(i2, 50, 1e-2, 0, 200, 2))[1] FROM far') - 300), '<=', 20::float8, 'a histogram');
SELECT cmp_ok(abs(one('SELECT dp_avg_auto(i2, 50, 1e-2) FROM far') - avg(i2)), '<', 25::float8, 'automatic bounds') FROM near;
SELECT ok((e).value BETWEEN -999 AND 999 AND (e).stddev > 0 AND (e).ci_low < (e).ci_high, 'an estimate') FROM (SELECT dp_avg_estimate(i4, 1, 1e-6, -999, 999) e FROM far) s;
SELECT is(one('SELECT dp_keep_group(50, 1e-2)::int FROM far'), 1::float8, 'a group that is kept');
SELECT is((SELECT count(*) FROM (SELECT k FROM far GROUP BY k HAVING dp_keep_group(50, 1e-2)) s), 7::int8, 'and each of several');
SELECT isnt((SELECT dp_sum(f8, 1, 1e-6, 0, 100) FROM far), (SELECT dp_sum(f8, 1, 1e-6, 0, 100) FROM far), 'noise is drawn anew by each query');

-- Over no rows: noise like all others
SELECT isnt_empty('SELECT 1 FROM (SELECT dp_sum(i4, 1, 1e-6, 0, 100) s, dp_avg(i4, 1, 1e-6, 0, 100) a, dp_count(1, 1e-6) c, dp_median(i4, 1, 1e-6, 0, 100) m, dp_histogram(i4, 1, 1e-6, 0, 100, 3) h,
	dp_var(i4, 1, 1e-6, 0, 100) v, dp_sum_auto(i4, 1, 1e-6) u FROM far_nothing) q WHERE num_nonnulls(s, a, c, m, h, v, u) = 7', 'an empty table');
SELECT is_empty('SELECT k, dp_count(1, 1e-6) FROM far_nothing GROUP BY k', 'no groups of an empty table');
SELECT throws_ok('SELECT dp_sum(i4, 0, 1e-6, 0, 100) FROM far_nothing', '22023', NULL, 'bad parameters are refused whatever the rows');
SELECT throws_ok('SELECT dp_sum(i4, NULL, 1e-6, 0, 100) FROM far', '22023', 'epsilon must not be null', 'and null ones');

-- Equal calls are one release
SELECT is_empty('SELECT * FROM (SELECT dp_sum(i4, 1, 1e-6, 0, 100) a, dp_sum(i4, 1, 1e-6, 0, 100) b, dp_count(1, 1e-6) c, dp_count(1, 1e-6) + 0 d FROM far) s WHERE a <> b OR c <> d', 'in the target list');
SELECT is_empty('SELECT * FROM (SELECT id, dp_count(1, 1e-6) c FROM far GROUP BY id HAVING dp_count(1, 1e-6) > 3) s WHERE c <= 3', 'in HAVING');
SELECT is_empty('SELECT * FROM (SELECT k + 1 AS k, dp_count(id, 1, 1e-6) c, (SELECT dp_count(far.id, 1, 1e-6) + (SELECT far.k + 1 WHERE true)) d FROM far GROUP BY k + 1, k) s WHERE c + k <> d',
	'in a sub-select');
SELECT is_empty('SELECT * FROM (SELECT id, lag(dp_count(1, 1e-6)) OVER (ORDER BY dp_count(1, 1e-6)) - dp_count(1, 1e-6) d FROM far GROUP BY id ORDER BY dp_count(1, 1e-6)) s WHERE d > 0', 'in window functions and ORDER BY');
SELECT is((SELECT count(*) FROM (SELECT i4 + 1 AS v, name, grouping(name), dp_count(1, 1e-6), dp_count(1, 1e-6) FROM far JOIN kinds USING (k) GROUP BY GROUPING SETS ((i4 + 1, name), (i4 + 1))) s),
	(SELECT count(*) FROM (SELECT i4 + 1, name FROM far JOIN kinds USING (k) GROUP BY GROUPING SETS ((i4 + 1, name), (i4 + 1))) s), 'with grouping sets');
SELECT is((SELECT sum(id) FROM (SELECT id, i4, dp_count(1, 1e-6), dp_count(1, 1e-6) FROM far GROUP BY id) s), (SELECT sum(id) FROM near), 'with columns that hang on the key');
SELECT is_empty('WITH f AS (SELECT * FROM far) SELECT * FROM (WITH g AS (SELECT * FROM f) SELECT dp_count(1, 1e-6) a, dp_count(1, 1e-6) b FROM g, f WHERE f.id = g.id) s WHERE a <> b', 'over WITH queries');
SELECT throws_ok('WITH f AS (SELECT * FROM far) SELECT dp_count(1, 1e-6), (SELECT count(*) FROM f) + dp_count(1, 1e-6) FROM f', '0A000', NULL, 'but not beside both WITH and sub-selects');
SELECT is_empty('SELECT * FROM kinds o WHERE EXISTS (SELECT dp_count(1, 1e-6) FROM far i WHERE i.k = o.k HAVING dp_count(1, 1e-6) - dp_count(1, 1e-6) <> 0)', 'in a query that looks at the one around it');
SELECT isnt_empty('SELECT 1 FROM (SELECT dp_count(1, 1e-6) a, dp_count(1, 2e-6) b FROM far) s', 'calls that are not equal are two');

-- What cannot be split is refused by its name
SELECT throws_ok('SELECT dp_sum(DISTINCT i4, 1, 1e-6, 0, 100) FROM far', '0A000', 'dp_sum(DISTINCT ...) over table far is not supported', 'DISTINCT values');
SELECT throws_ok('SELECT dp_median(DISTINCT i4, 1, 1e-6, 0, 100) FROM far', '0A000', 'dp_median(DISTINCT ...) over table far is not supported', 'of a median');
SELECT throws_ok('SELECT dp_sum(a, 1, 1e-6, 100, 2) FROM far', '0A000', 'dp_sum of arrays over table far is not supported', 'sums of vectors');
SELECT throws_ok('SELECT dp_avg(a, 1, 1e-6, 100, 2) FROM far', '0A000', 'dp_avg of arrays over table far is not supported', 'averages of vectors');
SELECT throws_ok('SELECT dp_sum(i4, k, 1e-6, 0, 100) FROM far GROUP BY k', '0A000', 'dp_sum whose epsilon is not a constant over table far is not supported', 'parameters from rows');
SELECT throws_ok('SELECT dp_sum(i4, 1, (SELECT 1e-6), 0, 100) FROM far', '0A000', 'dp_sum whose delta is not a constant over table far is not supported', 'from sub-selects');
SELECT throws_ok('SELECT dp_avg(i4, 1, 1e-6, random(), 100) FROM far', '0A000', 'dp_avg whose lower is not a constant over table far is not supported', 'from functions that are not immutable');
SELECT lives_ok('SELECT dp_sum(i4, sqrt(4), 1e-6, 0, 10 ^ 2) FROM far', 'but not from those that are');
SELECT throws_ok('SELECT dp_sum(i4, 1, 1e-6, 0, 100) OVER () FROM far', '0A000', NULL, 'window functions');
SET LOCAL citus.count_distinct_error_rate = 0.1;
SELECT throws_ok('SELECT dp_regression(a, 1, 1e-6, 0, 9, 0, 9) FROM far', '0A000', 'dp_regression of arrays over table far is not supported', 'regression');
SELECT throws_ok('SELECT dp_count(DISTINCT k, 1, 1e-6) FROM far', '0A000', 'dp_count(DISTINCT ...) over table far is not supported', 'a count of values that Citus would estimate');
SET LOCAL citus.count_distinct_error_rate = 0;

-- Parameters of the query: known when a plan is made, or the plan is not used
PREPARE q(float8, float8) AS SELECT dp_sum(i4, $1, 1e-6, 0, $2) IS NOT NULL FROM far;
DO $$BEGIN FOR i IN 1 .. 8 LOOP EXECUTE 'EXECUTE q(1, 100)'; END LOOP; END$$;
SELECT is(generic_plans::int * 100 + custom_plans::int, 8, 'plans are made with the values of parameters') FROM pg_prepared_statements WHERE name = 'q';
SET LOCAL plan_cache_mode = force_generic_plan;
SELECT throws_ok('EXECUTE q(1, 100)', '0A000', 'parameters of private aggregates over distributed tables must be known when the query is planned', 'or there is an error');
RESET plan_cache_mode;
PREPARE w(int) AS SELECT dp_sum(i4, 1, 1e-6, 0, 100) IS NOT NULL FROM far WHERE id < $1;
SET LOCAL plan_cache_mode = force_generic_plan;
SELECT lives_ok('EXECUTE w(10)', 'other parameters may be found later');
RESET plan_cache_mode;
CREATE FUNCTION in_plpgsql(epsilon float8) RETURNS float8 LANGUAGE plpgsql AS $$BEGIN RETURN (SELECT dp_sum(i4, epsilon, 1e-6, 0, 100) FROM far); END$$;
SELECT lives_ok('SELECT in_plpgsql(g) FROM generate_series(1, 8) g', 'variables of PL/pgSQL');

-- The integers
\ir ../module/released.sql
CREATE FUNCTION alike_of(dp text, probe text, rest text, name text) RETURNS SETOF text LANGUAGE plpgsql AS $$
BEGIN
	RETURN QUERY SELECT is(array(SELECT released(format('SELECT dp_%s FROM %s', dp, rest))), array(SELECT probed(format('SELECT (probe_%s).* FROM %s', probe, replace(rest, 'far', 'near')))), name);
END $$;
CREATE FUNCTION same(call text, rest text DEFAULT 'far', name text DEFAULT NULL) RETURNS SETOF text LANGUAGE sql AS
$$SELECT alike_of(call, regexp_replace(regexp_replace(call, '_estimate', ''), '^stddev', 'var'), rest, coalesce(name, call || ' from ' || rest))$$;
SELECT is(string_agg(t || ' ' || call, ', '), NULL, 'the same integers for every type and every form')
FROM unnest('{i2,i4,i8,f4,f8,n}'::text[]) t, unnest(ARRAY['sum(%s, 1, 1e-6, 100)', 'sum(%s, 1, 1e-6, -20, 100)', 'sum(%s, 1, 1e-6, -20, 100, 3)', 'avg(%s, 1, 1e-6, -20, 100)', 'avg(%s, 1, 1e-6, -20, 100, 3)',
	'var(%s, 1, 1e-6, -20, 100)', 'var(%s, 1, 1e-6, -20, 100, 2)', 'histogram(%s, 1, 1e-6, -20, 100, 7)', 'cdf(%s, 1, 1e-6, -20, 100, 7)', 'median(%s, 1, 1e-6, -20, 100)', 'quantile(%s, 1, 1e-6, -20, 100, 0.9)', 'quantiles(%s, 1, 1e-6, -20, 100, ''{0.9,0.1}'')',
	'sum_auto(%s, 1, 1e-6)', 'avg_auto(%s, 1, 1e-6)', 'bounds(%s, 1, 1e-6)', 'count(%s, 1, 1e-6)', 'count(%s, 1, 1e-6, 2.5)']) form, format(form, t) call
WHERE array(SELECT released(format('SELECT dp_%s FROM far', call))) <> array(SELECT probed(format('SELECT (probe_%s).* FROM near', call)));
SELECT same(call) FROM unnest(ARRAY['count(1, 1e-6)', 'count(id, 1, 1e-6, 3)', 'keep_group(1, 1e-6)', 'keep_group(1, 1e-6, 3)', 'count(DISTINCT i2, 1, 1e-6)', 'stddev(f8, 1, 1e-6, 0, 1)',
	'count_estimate(1, 1e-6)', 'count_estimate(f8, 1, 1e-6)', 'sum_estimate(f8, 1, 1e-6, 0, 9)', 'avg_estimate(n, 1, 1e-6, 0, 9)', 'sum_auto_estimate(f8, 1, 1e-6)', 'avg_auto_estimate(n, 1, 1e-6)',
	'var_estimate(f8, 1, 1e-6, 0, 9)', 'stddev_estimate(n, 1, 1e-6, 0, 9)', 'histogram_estimate(f8, 1, 1e-6, 0, 9, 4)', 'median_estimate(f8, 1, 1e-6, 0, 9)']) call;
SELECT is(array(SELECT released('SELECT dp_sum(f8, 1, 1e-6) FROM far')), array(SELECT probed('SELECT (probe_sum_auto(f8, 1, 1e-6)).* FROM near')), 'calls without bounds find them');
SELECT same('sum(f8, 1, 1e-6, 0, 9 ORDER BY id DESC, k)', 'far', 'ORDER BY in a call');
SELECT same('avg(f8, 1, 1e-6, 0, 9) FILTER (WHERE k > 2 AND f8 <> ''NaN'')', 'far', 'FILTER');
SELECT same('count(DISTINCT k, 1, 1e-6) FILTER (WHERE i2 > 9)', 'far', 'FILTER and DISTINCT');
SELECT same('var(i4, 1, 1e-6, 0, 9)', 'far WHERE id < 0', 'no match');
SELECT same('sum(i4, 1, 1e-6, 0, 9)', 'kinds LEFT JOIN far ON far.k = kinds.k AND far.i4 > 0', 'LEFT JOIN');
SELECT same('sum(i4, 1, 1e-6, 0, 9)', '(SELECT i4 FROM far WHERE k = 1 UNION ALL SELECT k FROM kinds) s', 'a sub-select');
SELECT same('histogram(i4, 1, 1e-6, 0, 9, 3)', 'far GROUP BY k ORDER BY k', 'groups');
SELECT same('histogram(i2 / 10.0, 1, 1e-6, 0, 0.4, 4)', 'far', 'edges that are decimals');
SELECT is((released('SELECT dp_histogram(i2 / 10.0, 1, 1e-6, 0, 0.4, 4) FROM far WHERE i2 = 3 AND id < 200'))::text, (probed('SELECT (probe_histogram(0.3, 1, 1e-6, 0, 0.4, 4)).*'))::text,
	'0.3 is in the fourth of them');
SELECT same('median(i4 + f8, 1, 1e-6, 0, 9)', 'far GROUP BY k HAVING count(*) > 73 ORDER BY k', 'HAVING');
SELECT same('sum((SELECT count(*) FROM kinds WHERE kinds.k < i4), 1, 1e-6, 0, 9)', 'far', 'a sub-select as the value');

-- Functions of the rewritten form, as somebody might call them
SELECT throws_ok($$SELECT gaussdp_internal.grid_point(1, '\x01')$$, '22P03', NULL, 'parameters that are none');
SELECT throws_ok($$SELECT gaussdp_internal.grid_point(1, '\x0101023ff00000000000003eb0c6f7a0b5ed8d00000000439848e6ffffffe4')$$, '22023', 'the parameters belong to another private aggregate', 'of another call');
SELECT throws_ok(format('SELECT gaussdp_internal.cell_counts(%s)', cell), '22023', NULL, 'cell ' || cell) FROM unnest('{-1,16777216,9223372036854775807}'::int8[]) cell;
CREATE FUNCTION histogram_of(sums int8[], params bytea) RETURNS int8[] AS '$libdir/gaussdp', 'gaussdp_release_histogram' LANGUAGE C;
CREATE OR REPLACE FUNCTION gaussdp_internal.release_histogram(sums int8[], params bytea) RETURNS int8[] LANGUAGE sql VOLATILE AS
'SELECT public.histogram_of(ARRAY[1, (current_setting(''test.cell'')::int8 + 2) << 32, 0, 1], params)';
CREATE FUNCTION histogram_with(cell text) RETURNS int8[] LANGUAGE plpgsql AS $$BEGIN PERFORM set_config('test.cell', cell, true); RETURN (SELECT dp_histogram(f8, 1, 1e-6, 0, 9, 7) FROM far); END$$;
SELECT throws_ok(format('SELECT histogram_with(%L)', cell), '22023', 'the parameters belong to another private aggregate', 'a histogram has no cell ' || cell) FROM unnest('{-1,7}'::text[]) cell;
SELECT is(cardinality(histogram_with('6')), 7, 'but this one');
SELECT throws_ok(format('SELECT gaussdp_internal.weighted_cells(1, 1, %L)', params), state, NULL, 'no parameters of a weighted call: ' || state)
FROM (VALUES ('22P03', '\x81'::bytea), ('22023', '\x0102043ff00000000000003eb0c6f7a0b5ed8d0000000000000000405900000000000000000000699df1e6ffffffea')) p (state, params);
SELECT throws_ok(format('SELECT gaussdp_internal.cell_sums(c) FROM (VALUES (%L::int8[])) v(c)', cells), '22023', 'cells of different private aggregates cannot be added', 'no cells: ' || cells)
FROM unnest(ARRAY['{}', '{1}', '{1,2}', '{2,4294967296,0,1}', '{-1,4294967296,0,1}', '{1,4294967296,0,NULL}', '{{1,4294967296,0,1}}']) cells;
SELECT is(array(SELECT v FROM unnest((SELECT gaussdp_internal.cell_sums(c) FROM (SELECT ARRAY[2, (j % 40 + 1) << 32, 0, j, 41::int8 << 32, -1, -j] AS c FROM generate_series(1::int8, 100) j UNION ALL SELECT NULL) s)) WITH ORDINALITY AS u (v, i) WHERE v <> 0 AND i % 3 = 2 ORDER BY v),
	array(SELECT j << 32 FROM generate_series(1::int8, 41) j), 'a cell of a sum has one slot');
SELECT throws_ok('SELECT gaussdp_internal.add_cells(NULL, ''{1,4294967296,0,1}'')', '0A000', NULL, 'outside of an aggregate');
SELECT throws_ok($$SELECT gaussdp_internal.grid_point(1, '\x0102043ff00000000000003eb0c6f7a0b5ed8d0000000000000000405900000000000000000000699df1e7ffffffea')$$, '55000', 'servers have different versions of gaussdp',
	'noise that this library would not make');
SELECT is(gaussdp_internal.grid_point(200, '\x0102043ff00000000000003eb0c6f7a0b5ed8d0000000000000000405900000000000000000000699df1e6ffffffea'), (100 * 2 ^ 22)::int8, 'a point is within its bounds');

-- As how many rows a person counts cannot be found there, nor what a number cuts off: the proof says so before anything is charged
ALTER TABLE pg_catalog.pg_dist_partition ADD partmethod "char", ADD partkey text, ADD colocationid int, ADD repmodel "char";
CREATE TABLE pg_catalog.pg_dist_local_group AS SELECT 0 AS groupid;
CREATE TABLE visit (person int NOT NULL, k int NOT NULL);
INSERT INTO visit SELECT g % 50, g % 3 FROM generate_series(1, 200) g;
INSERT INTO pg_catalog.pg_dist_partition VALUES ('visit', 'n', NULL, 0, 's');
CREATE ROLE far_ana;
SELECT gaussdp.protect('visit', unit => 'person', max_rows => 0), gaussdp.grant_budget('far_ana', 'visit', 10, 1e-3) \g /dev/null
CREATE FUNCTION outcome(query text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
	detail text;
	hint text;
BEGIN
	EXECUTE query;
	RETURN 'answered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
	RETURN concat_ws(' ', SQLSTATE, SQLERRM, detail, hint);
END $$;
-- What this transaction has set of Citus is no analyst's
RESET citus.count_distinct_error_rate;
RESET citus.enable_ddl_propagation;
SET LOCAL ROLE far_ana;
SELECT matches(outcome(query), '^42501 .*max_rows is found, which is not supported where Citus distributes the table\. Ask the owner of the table to declare max_rows\.$', 'what would have to be found is refused: ' || query)
FROM unnest(ARRAY['SELECT dp_count(1, 1e-6) FROM visit', 'SELECT k, dp_count(DISTINCT person, 1, 1e-6) FROM visit GROUP BY k HAVING dp_keep_group(1, 1e-6)']) AS query;
SELECT matches(outcome(query), 'the plan of Citus has a node', 'but not, until there is no Citus to plan it, what is given, or where a person counts once: ' || query)
FROM unnest(ARRAY['SELECT dp_count(true, 1, 1e-6, 3) FROM visit', 'SELECT dp_count(DISTINCT person, 1, 1e-6) FROM visit']) AS query;
SET LOCAL gaussdp.cut_share = 0.1;
SELECT matches(outcome('SELECT dp_count(true, 1, 1e-6, 3) FROM visit'), '^42501 .*what max_rows cuts off is not known where Citus distributes the table\. SET gaussdp\.cut_share = 0\.$', 'nor is it said what is cut off');
SET LOCAL gaussdp.cut_share = 0;
SELECT matches(outcome('SELECT dp_count(true, 1, 1e-6, 3) FROM visit'), 'the plan of Citus has a node', 'and without it is no reason to refuse');
RESET ROLE;
SELECT gaussdp.protect('visit', max_rows => 5) \g /dev/null
RESET citus.enable_ddl_propagation;
SET LOCAL ROLE far_ana;
SELECT matches(outcome('SELECT dp_count(1, 1e-6) FROM visit'), 'the plan of Citus has a node', 'nor is a number that the owner has declared');
RESET ROLE;
SELECT is((SELECT count(*) FROM gaussdp.journal WHERE "table" = 'visit'::regclass AND event = 'charge' AND kind = 'max_rows'), 0::bigint, 'nothing was paid for what cannot be found');
SELECT * FROM finish();
ROLLBACK;
