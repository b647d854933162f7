\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Weighted aggregates as the policy and as strangers call them: what takes a call's place and what it costs,
-- the thresholds of one person's weighted groups, releases, groups without rows, and arguments of every kind.
BEGIN;
\ir ../module/probe.sql
\ir ../module/calibration.sql
SELECT no_plan();

-- The call, its parameters, k, and a public call whose noise is for k rows; NULL where there is none.
CREATE TABLE calls (call regprocedure, params float8[], k float8, of_k regprocedure, of_k_params float8[], weighted float8[]);
INSERT INTO calls VALUES ('dp_count(float8, float8)', '{1, 1e-6}', 3, 'dp_count("any", float8, float8, float8)', '{1, 1e-6, 3}', '{1, 1e-6, 3}'),
	('dp_count("any", float8, float8)', '{1, 1e-6}', 0.7, 'dp_count("any", float8, float8, float8)', '{1, 1e-6, 0.7}', '{1, 1e-6, 0.7}'),
	('dp_count_estimate("any", float8, float8, float8)', '{1, 1e-6, 9}', 4294967296, 'dp_count("any", float8, float8, float8)', '{1, 1e-6, 4294967296}', '{1, 1e-6, 4294967296}'),
	('dp_keep_group(float8, float8, int8)', '{1, 1e-6, 9}', 100, NULL, NULL, '{1, 1e-6, 100}'), ('dp_keep_group(float8, float8)', '{1, 1e-6}', 1, 'dp_keep_group(float8, float8)', '{1, 1e-6}', '{1, 1e-6, 1}');
INSERT INTO calls SELECT format(c.call, t)::regprocedure, c.params, c.k, format(c.of_k, t)::regprocedure, c.of_k_params, c.weighted
FROM (VALUES ('dp_sum(%s, float8, float8, float8)', '{1, 1e-6, 7}'::float8[], 5, 'dp_sum(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, -7, 7, 5}'::float8[], '{1, 1e-6, 7, 5}'::float8[]),
		('dp_sum_estimate(%s, float8, float8, float8, float8)', '{1, 1e-6, -3, 7}', 5, 'dp_sum(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, -3, 7, 5}', '{1, 1e-6, -3, 7, 5}'),
		('dp_sum(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, -3, 7, 4}', 5, 'dp_sum(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, -3, 7, 5}', '{1, 1e-6, -3, 7, 5}'),
		('dp_avg(%s, float8, float8, float8, float8)', '{1, 1e-6, 3, 7}', 5, 'dp_avg(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 5}', '{1, 1e-6, 3, 7, 5}'),
		('dp_avg_estimate(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 9}', 5, 'dp_avg(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 5}', '{1, 1e-6, 3, 7, 5}'),
		('dp_stddev(%s, float8, float8, float8, float8)', '{1, 1e-6, 3, 7}', 5, 'dp_var(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 5}', '{1, 1e-6, 3, 7, 5}'),
		('dp_var(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 2}', 1, 'dp_var(%s, float8, float8, float8, float8)', '{1, 1e-6, 3, 7}', '{1, 1e-6, 3, 7, 1}'),
		('dp_histogram(%s, float8, float8, float8, float8, int8)', '{1, 1e-6, 3, 7, 9}', 5, NULL, NULL, '{1, 1e-6, 3, 7, 9, 5}'),
		('dp_quantile(%s, float8, float8, float8, float8, float8)', '{1, 1e-6, 3, 7, 0.9}', 5, NULL, NULL, '{1, 1e-6, 3, 7, 0.9, 5}'),
		('dp_quantiles(%s, float8, float8, float8, float8, float8[])', '{1, 1e-6, 3, 7, 0.9, 0.1, 0.5}', 5, NULL, NULL, '{1, 1e-6, 3, 7, 3, 5, 0.9, 0.1, 0.5}'),
		('dp_median(%s, float8, float8, float8, float8)', '{1, 1e-6, 3, 7}', 5, NULL, NULL, '{1, 1e-6, 3, 7, 5}'),
		('dp_sum_auto(%s, float8, float8)', '{1, 1e-6}', 5, NULL, NULL, '{1, 1e-6, 5}'), ('dp_avg_auto_estimate(%s, float8, float8)', '{1, 1e-6}', 5, NULL, NULL, '{1, 1e-6, 5}'),
		('dp_sum(%s[], float8, float8, float8, int8)', '{1, 1e-6, 2, 3}', 5, NULL, NULL, '{1, 1e-6, 2, 3, 5}'), ('dp_avg(%s[], float8, float8, float8, int8)', '{1, 1e-6, 2, 3}', 5, NULL, NULL, '{1, 1e-6, 2, 3, 5}')) c(call, params, k, of_k, of_k_params, weighted),
	unnest(ARRAY['int2', 'numeric']) t;
CREATE TABLE told AS SELECT c.*, t.kind, t.aggregate, t.params AS found, t.cost, t.own_k, t.by_value FROM calls c, LATERAL test_weighted(call, c.params, k, 100, 10) t;
SELECT ok(found = weighted, call || ': k is last of the parameters') FROM told;
SELECT ok((SELECT count(DISTINCT (aggcombinefn, aggserialfn, aggdeserialfn)) FROM pg_aggregate WHERE aggfnoid IN (a.oid, p.oid)) = 1 AND a.pronamespace = 'gaussdp_internal'::regnamespace AND a.prokind = 'a'
	AND CASE WHEN kind IN (2, 3, 5) THEN a.proargtypes = '17 1022' ELSE a.proargtypes::text LIKE '20 1022%' AND a.pronargs = CASE WHEN p.proname ~ 'keep|count' AND p.proargtypes[0] = 'float8'::regtype THEN 2 ELSE 3 END END, call || ' is planned as ' || aggregate)
FROM told JOIN pg_proc p ON p.oid = call JOIN pg_proc a ON a.oid = aggregate;
SELECT is((SELECT count(DISTINCT aggregate) FROM told), 13::bigint, 'thirteen of them: estimates, roots and medians have no others, since no plan makes answers');
SELECT set_eq('SELECT call::text FROM told WHERE by_value', 'SELECT call::text FROM calls WHERE call::text ~ ''^dp_sum(_estimate)?\(''', 'sums have sizes by value');
SELECT set_eq('SELECT own_k::int FROM told WHERE own_k > 0', ARRAY[9, 4, 2], 'what calls themselves say of rows');
-- A person whose coordinates are clipped together may move any one of them by all of mu, and the padding of the noise differs.
SELECT ok(cost[1] / own[1] BETWEEN 1 - 1e-14 AND 1 + CASE WHEN kind IN (3, 5) THEN 1e-8 ELSE 1e-14 END, call || ': costs what the call with max_rows costs')
FROM (SELECT *, test_call_cost(of_k, of_k_params, k) AS own FROM told WHERE of_k IS NOT NULL) t;
SELECT ok(cost[1] >= dearest AND cost[1] < dearest * (1 + 2.0 ^ -38), call || ': its price is that of the coordinate that costs the most, whose noise is padded the least')
FROM (SELECT 'dp_avg' AS call, (test_weighted('dp_avg(float8, float8, float8, float8, float8)', '{1, 1e-6, -1, 1}', 3, 100, 10)).cost, probe_avg_weighted(NULL::bytea, '{1,1e-6,-1,1,3}') AS p, '{0.75,0.25}'::float8[] AS share, '{1,1}'::float8[] AS most
	UNION ALL SELECT 'dp_var', (test_weighted('dp_var(float8, float8, float8, float8, float8)', '{1, 1e-6, -1, 1}', 3, 100, 10)).cost, probe_var_weighted(NULL::bytea, '{1,1e-6,-1,1,3}'), '{0.25,0.25,0.5}', '{1,1,0.5}') c,
	LATERAL (SELECT max((3 * most[i] / ((p).sigma_int[i]::float8 * 2::float8 ^ (p).exponent[i]::float8)) ^ 2 / share[i]) AS dearest FROM generate_subscripts(share, 1) i) d;
SELECT ok(sqrt(cost[1]) / gdp.mu(1, 1e-6) BETWEEN 1 - 1e-5 AND 1 + 1e-14 AND cost[2] = 0, call || ': costs what epsilon and delta buy') FROM told WHERE call::text !~ 'keep';
SELECT ok(abs(sqrt(cost[1]) / gdp.mu(1, 5e-7) - 1) < 1e-8 AND cost[2] = 5e-7, call || ': half of delta for the threshold') FROM told WHERE call::text ~ 'keep';

-- The threshold: nobody's groups, however many up to the cap, pass it with more than delta / 2; and they nearly do.
CREATE FUNCTION threshold(epsilon float8, delta float8, groups float8) RETURNS probe LANGUAGE sql RETURN (SELECT probe_keep_group_weighted(0, ARRAY[epsilon, delta, groups]));
SELECT ok(worst BETWEEN delta / 2 * 0.999 AND delta / 2 * (1 + 1e-12), format('(%s, %s), %s groups: %s', epsilon, delta, groups, worst))
FROM (SELECT epsilon, delta, groups, max(t * norm_sf(((c).noisy[1] - 1 - (2.0 ^ -(c).exponent[1]) / sqrt(t)::numeric)::float8 / (c).sigma_int[1]::float8)) AS worst
	FROM unnest(ARRAY[0.1, 1, 10]) epsilon, unnest(ARRAY[1e-9, 1e-6, 0.3]) delta, unnest(ARRAY[1, 3, 1000]) groups,
	LATERAL (SELECT threshold(epsilon, delta, groups) AS c OFFSET 0) p, generate_series(1, groups) t GROUP BY epsilon, delta, groups) x;
SELECT is((SELECT (probe_keep_group_weighted(0, '{1,0.9,10}')).noisy), (SELECT (probe_keep_group_weighted(0, '{1,0.9,10}')).noisy), 'thresholds are public');
SELECT is((SELECT cost[2] FROM test_weighted('dp_keep_group(float8, float8)', '{1, 0.9}', 10, 1, 1)), 0.25::float8, 'a threshold is proven up to 1/4');

-- HAVING dp_count(...) >= least
CREATE TABLE hidden AS SELECT k, groups, people, s.sigma, CASE WHEN people THEN (t).counted_people[2] ELSE (t).counted_rows[2] END AS smallest FROM unnest(ARRAY[0.5, 1, 1.7, 3, 10]) k, unnest(ARRAY[1, 2, 5, 100, 1000]) groups, unnest(ARRAY[true, false]) people,
	LATERAL (SELECT test_weighted('dp_count(float8, float8)', '{1, 1e-6}', k::float8, groups, 10) AS t) w, LATERAL (SELECT dp_gaussian_sigma(1, 1e-6, k) AS sigma) s;
CREATE FUNCTION worst(k float8, groups int, people boolean, sigma float8, number float8) RETURNS float8 LANGUAGE sql RETURN
	(SELECT max(t * norm_sf((number - 0.5 - CASE WHEN people THEN least(1, k / sqrt(t)) ELSE k END) / sigma)) FROM generate_series(1, groups) t);
SELECT ok(worst(k, groups, people, sigma, smallest) <= 1e-6 AND worst(k, groups, people, sigma, smallest - 1) > 1e-6 * 0.99, format('k %s, %s groups, people: %s: at least %s', k, groups, people, smallest)) FROM hidden;
SELECT ok(abs((t).counted_people[1] / worst(2, 50, true, sigma, 40) - 1) < 1e-5 AND abs((t).counted_rows[1] / worst(2, 50, false, sigma, 40) - 1) < 1e-5, 'the delta of a given number')
FROM (SELECT test_weighted('dp_count(float8, float8)', '{1, 1e-6}', 2, 50, 40) AS t, dp_gaussian_sigma(1, 1e-6, 2) AS sigma) x;
SELECT ok((t).counted_people[1] = 1 AND (t).counted_rows[1] = 1, 'nothing is proven of small ones') FROM (SELECT test_weighted('dp_count(float8, float8)', '{1, 1e-6}', 2, 50, 1) AS t) x;
-- Of people the worst case is proven while delta is at most 1/4, whatever the call's own delta is.
CREATE TABLE many AS SELECT number, worst(10, 1000, true, sigma, number) AS worst, (t).counted_people, (t).counted_rows
FROM generate_series(1, 60) number, dp_gaussian_sigma(0.1, 0.9, 10) sigma, LATERAL (SELECT test_weighted('dp_count(float8, float8)', '{0.1, 0.9}', 10, 1000, number) AS t OFFSET 0) x;
SELECT ok(count(*) > 0 AND bool_and(counted_people[1] = 1), format('delta between 1/4 and 1 is not proven of people: %s numbers', count(*))) FROM many WHERE worst BETWEEN 0.2501 AND 0.9;
SELECT ok(count(*) > 0 AND bool_and(counted_people[1] < 0.25), 'less is') FROM many WHERE worst BETWEEN 0.01 AND 0.2499;
SELECT ok(worst <= 0.25 AND previous > 0.25, format('%s is the least number, with %s, and not %s', number, worst, previous)) FROM (SELECT *, lag(worst) OVER (ORDER BY number) AS previous FROM many) m WHERE number = counted_people[2];
SELECT ok((test_weighted('dp_sum_auto(int4, float8, float8)', '{1, 1e-6}', 2, 50, 1)).counted_rows IS NULL, 'sums hide no groups');

-- Releases with hardly any noise: half weights are halves.
CREATE FUNCTION near(a float8, b float8) RETURNS boolean LANGUAGE sql RETURN abs(a - b) <= 1 + abs(b) * 0.05;
CREATE TABLE t AS SELECT i, (i % 100)::numeric AS n, ARRAY[i % 10, 3] AS v FROM generate_series(1, 10000) i;
SELECT ok(near(gaussdp_internal.count_weighted(m, '{200,1e-6,1}'), 10000 * p) AND near(gaussdp_internal.count_weighted(m, '{200,1e-6,1}', nullif(n, 0)), 9900 * p)
	AND near((count_estimate_weighted(m, '{200,1e-6,1}')).value, 10000 * p) AND near((count_estimate_weighted(m, '{200,1e-6,1}', v)).value, 10000 * p), 'counts') FROM t, (VALUES (2147483648, 1), (1073741824, 0.5)) w(m, p) GROUP BY p;
SELECT ok(near(gaussdp_internal.sum_weighted(row_total(2, '{200,1e-6,0,99,1}', n, m), '{200,1e-6,0,99,1}'), 495000 * p) AND near((sum_estimate_weighted(row_total(2, '{200,1e-6,99,1}', n, m), '{200,1e-6,99,1}')).value, 495000 * p)
	AND near(gaussdp_internal.sum_auto_weighted(m, '{200,1e-6,1}', n), 495000 * p) AND near((sum_auto_estimate_weighted(m, '{200,1e-6,1}', n)).value, 495000 * p), 'sums') FROM t, (VALUES (2147483648, 1), (1073741824, 0.5)) w(m, p) GROUP BY p;
SELECT ok(near(gaussdp_internal.avg_weighted(row_total(3, '{200,1e-6,0,99,1}', n, m), '{200,1e-6,0,99,1}'), 49.5) AND near((avg_estimate_weighted(row_total(3, '{200,1e-6,0,99,1}', n, m), '{200,1e-6,0,99,1}')).value, 49.5) AND near((avg_estimate_weighted(row_total(3, '{200,1e-6,0,99,1}', n, m), '{200,1e-6,0,99,1}')).den, 10000 * p)
	AND near(gaussdp_internal.avg_auto_weighted(m, '{200,1e-6,1}', n), 49.5) AND near((avg_auto_estimate_weighted(m, '{200,1e-6,1}', n)).value, 49.5) AND near((avg_auto_estimate_weighted(m, '{200,1e-6,1}', n)).den, 10000 * p)
	AND near(gaussdp_internal.var_weighted(row_total(5, '{200,1e-6,0,99,1}', n, m), '{200,1e-6,0,99,1}'), 833) AND near(stddev_weighted(row_total(5, '{200,1e-6,0,99,1}', n, m), '{200,1e-6,0,99,1}'), 28.9) AND near(gaussdp_internal.quantile_weighted(m, '{200,1e-6,0,99,1}', n), 49.5)
	AND near(gaussdp_internal.quantile_weighted(m, '{200,1e-6,0,99,0.9,1}', n), 89.5), 'averages, variances, quantiles') FROM t, (VALUES (2147483648, 1), (1073741824, 0.5)) w(m, p) GROUP BY p;
SELECT ok((SELECT bool_and(near(x, 1000 * p)) AND count(*) = 10 FROM unnest(h) x) AND near(s[1], 45000 * p) AND near(s[2], 30000 * p) AND near(a[1], 4.5) AND near(a[2], 3), 'histograms, vectors')
FROM (SELECT p, gaussdp_internal.histogram_weighted(m, '{200,1e-6,0,100,10,1}', n) AS h, gaussdp_internal.vector_sum_weighted(m, '{200,1e-6,20,2,1}', v) AS s, gaussdp_internal.vector_avg_weighted(m, '{200,1e-6,20,2,1}', v) AS a
	FROM t, (VALUES (2147483648, 1), (1073741824, 0.5)) w(m, p) GROUP BY p) x;
SELECT ok(NOT bool_or(kept AND n = 1) AND bool_and(kept OR n = 1), 'groups of one person are not kept, others are')
FROM (SELECT n, gaussdp_internal.keep_group_weighted(2147483648, '{10,1e-9,30}') AS kept FROM generate_series(1, 200) g, unnest(ARRAY[1, 40]) n, generate_series(1, n) i GROUP BY g, n) x;

-- No rows at all, and none that counts: noise all the same.
CREATE TABLE weighted AS SELECT DISTINCT ON (aggregate) replace(replace(aggregate::text, '(bigint,double precision[]', format('(0, %L::float8[]', weighted)), '(bytea,double precision[]', format('(row_total(%s, %2$L, i, 0), %2$L::float8[]', kind, weighted)) AS call, aggregate::text ~ '"any"' AS has_value,
	CASE WHEN aggregate::text ~ 'vector' THEN 'ARRAY[1, 2, 3]' ELSE '1' END AS value FROM
	(SELECT kind, weighted, aggregate::text FROM told UNION ALL SELECT kind, weighted, regexp_replace(aggregate::text, '^gaussdp_internal.\w+', substring(call::text, '^dp_(\w+)\(') || '_weighted') FROM told WHERE call::text ~ '_estimate|stddev') told;
CREATE FUNCTION ends(query text) RETURNS text LANGUAGE plpgsql AS 'DECLARE r text; BEGIN EXECUTE query INTO r; RETURN coalesce(nullif(r, ''''), ''null''); EXCEPTION WHEN OTHERS THEN RETURN SQLSTATE || '' '' || SQLERRM; END';
SELECT ok(ends(format('SELECT %s FROM generate_series(1, %s) i', replace(call, ',"any"', ', ' || v), n)) !~ '^([0-9A-Z]{5} |null)', format('%s of %s over %s rows', call, v, n))
FROM weighted, unnest(ARRAY[value, 'NULL::' || CASE value WHEN '1' THEN 'int' ELSE 'int[]' END]) v, generate_series(0, 1) n;
SELECT is(ends(format('SELECT %s FROM generate_series(1, 0) i', replace(call, ',"any"', ', i'))) ~ '^[0-9A-Z]{5} ', false, call || ' without rows, in a plan') FROM weighted WHERE value = '1';

-- Arguments of every kind
SELECT is(left(ends('SELECT gaussdp_internal.' || call), 5), state, call) FROM (VALUES
	('quantile_weighted(-1, ''{1,1e-6,0,1,1}'', 1)', '22023'), ('quantile_weighted(2147483649, ''{1,1e-6,0,1,1}'', 1)', '22023'), ('quantile_weighted(-9223372036854775808, ''{1,1e-6,0,1,1}'', 1)', '22023'),
	('sum_weighted(NULL::bytea, NULL)', '22023'), ('sum_weighted(NULL::bytea, ''{}'')', '22023'), ('sum_weighted(NULL::bytea, ''{1,1e-6,0,1,NULL}'')', '22023'), ('sum_weighted(NULL::bytea, ''{{1,1e-6,0,1,1}}'')', '22023'),
	('sum_weighted(NULL::bytea, ''{1,1e-6,0}'')', '22023'), ('sum_weighted(NULL::bytea, ''{1,1e-6,0,1,1,1,1,1}'')', '22023'), ('sum_weighted(NULL::bytea, ''{1,1e-6,0,1,0}'')', '22023'), ('sum_weighted(NULL::bytea, ''{1,1e-6,0,1,1e-7}'')', '22023'),
	('sum_weighted(NULL::bytea, ''{1,1e-6,0,1,-0.5}'')', '22023'), ('sum_weighted(NULL::bytea, ''{1,1e-6,0,1,NaN}'')', '22023'), ('sum_weighted(NULL::bytea, ''{1,1e-6,0,1,4294967297}'')', '22023'), ('sum_weighted(NULL::bytea, ''{1,1e-6,0,1,Infinity}'')', '22023'),
	('sum_weighted(NULL::bytea, ''{1,1e-6,1,0,1}'')', '22023'), ('sum_weighted(NULL::bytea, ''{0,1e-6,0,1,1}'')', '22023'), ('sum_weighted(NULL::bytea, ''{1,1,0,1,1}'')', '22023'), ('quantile_weighted(1, ''{1,1e-6,0,1,1}'', ''a''::text)', '42804'),
	('quantile_weighted(1, ''{1,1e-6,0,1,1}'', ''5'')', '42804'), ('quantile_weighted(1, ''{1,1e-6,0,1,1}'', ARRAY[1])', '42804'), ('quantile_weighted(1, ''{1,1e-6,0,1,1}'', now())', '42804'), ('vector_sum_weighted(1, ''{1,1e-6,1,2,1}'', 1)', '42804'),
	('vector_avg_weighted(1, ''{1,1e-6,1,2,1}'', ''{1,2}''::text)', '42804'), ('vector_sum_weighted(1, ''{1,1e-6,1,2,1}'', ARRAY[''a''])', '42804'), ('vector_sum_weighted(1, ''{1,1e-6,1,0,1}'', ARRAY[1])', '22023'), ('vector_sum_weighted(1, ''{1,1e-6,1,2,1}'', ''1 2''::int2vector)', '42804'),
	('count_weighted(1, ''{1,1e-6,0}'')', '22023'), ('count_weighted(1, ''{1,1e-6,-1}'')', '22023'), ('count_weighted(1, ''{1,1e-6}'')', '22023'), ('count_weighted(1, ''{1,1e-6,NaN}'', 1)', '22023'), ('count_weighted(1, ''{1,1e-6,1e10}'', 1)', '22023'),
	('keep_group_weighted(1, ''{1,1e-6,0}'')', '22023'), ('keep_group_weighted(1, ''{1,1e-6,1.5}'')', '22023'), ('keep_group_weighted(1, ''{1,1e-6}'')', '22023'), ('keep_group_weighted(1, ''{1e-300,1e-300,4294967296}'')', '22023'),
	('keep_group_weighted(1, ''{1,1e-320,4294967296}'')', '22023'), ('histogram_weighted(1, ''{1,1e-6,0,1,0,1}'', 1)', '22023'), ('quantile_weighted(1, ''{1,1e-6,0,1,2,1}'', 1)', '22023'), ('quantiles_weighted(1, ''{1,1e-6,0,1,2,1,0.5}'', 1)', '22023'), ('quantiles_weighted(1, ''{1,1e-6,0,1,0,1}'', 1)', '22023'),
	('quantiles_weighted(1, ''{1,1e-6,0,1,1,1,2}'', 1)', '22023'), ('quantiles_weighted(1, ''{1,1e-6,0,1,1,1,NaN}'', 1)', '22023'), ('sum_auto_weighted(1, ''{1,1e-6}'', 1)', '22023'),
	('quantile_weighted(1, ''{1,1e-6,0,1,1}'', 1) OVER ()', '0A000'), ('sum_weighted(NULL::bytea, ARRAY[1, 1e-6, 0, i, 1]) FROM generate_series(1, 2) i', '22023'),
	('row_size(NULL, ''{1,1e-6,0,1,1}'', 1)', '22023'), ('row_size(0, ''{1,1e-6,0,1,1}'', 1)', '22023'), ('row_size(-1, ''{1,1e-6,0,1,1}'', 1)', '22023'), ('row_size(12, ''{1,1e-6,0,1,1}'', 1)', '22023'), ('row_size(2147483647, ''{1,1e-6,0,1,1}'', 1)', '22023'),
	('row_size(2, NULL, 1)', '22023'), ('row_size(2, ''{1,1e-6,0,1}'', 1)', '22023'), ('row_size(2, ''{1,1e-6,0,1,1}'', true)', '42804'), ('row_size(8, ''{1,1e-6,1,2,1}'', 1)', '42804'), ('row_size(3, ''{1,1e-6,0,1,1}'', ARRAY[1])', '42804'),
	('size_add(-1, 1)', '22023'), ('size_add(1, -1)', '22023'), ('size_sum(-1)', '22023'), ('person_weight(-1, 1, 1)', '22023'), ('person_weight(1, -1, 1)', '22023'), ('person_weight(1, 1, NULL)', '22023'), ('person_weight(1, 1, 0)', '22023'),
	('person_weight(1, 1, -1)', '22023'), ('person_weight(1, 1, 4503599627370497)', '22023'), ('person_weight(1, 1, i) FROM generate_series(1, 2) i', '22023'),
	('row_bin(3, ''{1,1e-6,0,1,1}'', 1)', '22023'), ('row_bin(6, ''{1,1e-6,0,1,3,1}'', true)', '42804'), ('row_bin(6, ''{1,1e-6,0,1,0,1}'', 1)', '22023'), ('person_total(1, ''{1,1e-6,1}'', 1)', '22023'), ('person_total(3, ''{1,1e-6,0,1,1}'', true)', '42804'),
	('person_total(NULL, ''{1,1e-6,0,1,1}'', 1)', '22023'), ('total_weight(NULL, 3, ''{1,1e-6,0,1,1}'', 0)', '22023'), ('total_weight(NULL, 6, ''{1,1e-6,0,1,3,1}'', 1)', '22023'), ('total_weight(''a'', 3, ''{1,1e-6,0,1,1}'', 1)', '22023'),
	('total_weight(NULL, 3, ''{1,1e-6,0,1,1}'', i) FROM generate_series(1, 2) i', '22023'), ('clip_total(''a'', 1)', '22023'), ('clip_total(''0123456789abcdef'', -1)', '22023'), ('clip_total(''0123456789abcdef'', 2147483649)', '22023'),
	('total_number(''a'', 1)', '22023'), ('total_number(''0123456789abcdef'', 3)', '22023')) c(call, state);
-- Whatever a total says, it has a weight, and what is too large for any has none.
SELECT ok(bool_and(w BETWEEN 0 AND 2147483648) AND count(*) = 32, 'totals of any bytes have weights') FROM (SELECT gaussdp_internal.total_weight(t, k, p, 4503599627370496) AS w
	FROM (VALUES (3, '{1,1e-6,0,1,1}'::float8[]), (5, '{1,1e-6,0,1,1}')) c(k, p), (SELECT decode(repeat(a, 2) || b, 'hex') AS t FROM unnest(ARRAY['80000000000000000000000000000000', 'ffffffffffffffffffffffffffffffff', '7fffffffffffffffffffffffffffffff', repeat('0', 32)]) a, unnest(ARRAY['', '80000000000000000000000000000000', repeat('ff', 16), '0000000000000000ffffffffffffffff']) b) s GROUP BY k, p, t) x;
SELECT is(ends('SELECT gaussdp_internal.quantile_weighted(w, ''{1,1e-6,0,1,1}'', 7) FROM unnest(ARRAY[5000000000]) w'), '22023 the weight of a row is out of range', 'messages show no weight');
SELECT is(gaussdp_internal.row_size(k, p, NULL::text), 0::int8, 'kind ' || k || ': null has no size') FROM (VALUES (1, '{1,1e-6,1}'::float8[]), (2, '{1,1e-6,0,1,1}'), (8, '{1,1e-6,1,2,1}')) c(k, p);
SELECT is((SELECT array_agg(gaussdp_internal.row_size(k, p, '{1,0}'::numeric[])) FROM (VALUES (8, '{1,1e-6,1,2,1}'::float8[]), (8, '{1,1e-6,4,2,1}'), (9, '{1,1e-6,1,2,1}'), (8, '{1,1e-6,2,2,1}')) c(k, p)), '{1048576,262144,1048576,524288}'::int8[], 'kind and parameters may vary from row to row');
SELECT ok(bool_and(added = CASE WHEN n = 'NaN' THEN 0 WHEN n < -1e-100 THEN -most WHEN n > 9 THEN most ELSE 0 END) AND bool_and(most > 0), 'numerics of every size')
FROM (SELECT n, gaussdp_internal.total_number(gaussdp_internal.person_total(2, p, n), 0) AS added, gaussdp_internal.total_number(gaussdp_internal.person_total(2, p, 3), 0) AS most
	FROM unnest(ARRAY['NaN', 'Infinity', '-Infinity', 1e-1000, -10.0 ^ 1000, 10.0 ^ 131000, 0]::numeric[]) n, (VALUES ('{1,1e-6,-3,3,1}'::float8[])) c(p) GROUP BY n, p) t;
SELECT ok(gaussdp_internal.sum_weighted(row_total(2, '{1,1e-6,-3,3,1}', n, 2147483648), '{1,1e-6,-3,3,1}') IS NOT NULL AND gaussdp_internal.avg_auto_weighted(2147483648, '{1,1e-6,1}', n) IS NOT NULL, 'and aggregates take them') FROM unnest(ARRAY['NaN', 'Infinity', '-Infinity', 1e-1000, -10.0 ^ 1000, 10.0 ^ 131000, 0, NULL]::numeric[]) n;

SELECT * FROM finish();
ROLLBACK;
