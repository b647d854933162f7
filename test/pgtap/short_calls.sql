\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Calls without epsilon and delta: from the settings, else from the grant; and every kind with declared bounds.
BEGIN;
SELECT plan(51);
CREATE TABLE emp (id int PRIMARY KEY, dept text, age int, bonus float8);
CREATE TABLE dept (name text PRIMARY KEY);
CREATE DOMAIN years AS smallint;
CREATE TABLE public_emp (age int, days years, text text, flag bool, day date, long interval);
INSERT INTO dept VALUES ('a'), ('b');
INSERT INTO emp SELECT i, CASE i % 2 WHEN 0 THEN 'a' ELSE 'b' END, i % 100, i % 10 FROM generate_series(1, 10000) i;
INSERT INTO public_emp SELECT age, age FROM emp;
CREATE ROLE short_ana;
CREATE ROLE short_group;
GRANT SELECT ON dept, public_emp TO short_ana;
DO $$BEGIN PERFORM gaussdp.protect('emp', unit => 'id'), gaussdp.set_bounds('emp', 'age', 0, 120),
	gaussdp.set_public_keys('emp', 'dept', 'dept', 'name'); END$$;
-- What a call would be charged as.
CREATE FUNCTION price(query text) RETURNS text LANGUAGE sql AS
	$$SELECT string_agg(call || ' ' || round(epsilon::numeric, 4)::float8 || ' ' || delta, ', ') FROM gaussdp.explain_privacy(query, exact => true)$$;
-- What was charged last, as an epsilon at this delta.
CREATE FUNCTION charged(delta float8) RETURNS numeric LANGUAGE sql SECURITY DEFINER AS
	$$SELECT round(gdp.epsilon(sqrt(mu2), delta)::numeric, 4) FROM gaussdp.journal WHERE kind IS NOT NULL ORDER BY charge DESC LIMIT 1$$;

CREATE FUNCTION hint_of(query text) RETURNS text LANGUAGE plpgsql AS
	$$DECLARE hint text; BEGIN EXECUTE query; EXCEPTION WHEN others THEN GET STACKED DIAGNOSTICS hint = PG_EXCEPTION_HINT; RETURN hint; END$$;

-- With none of the three.
SELECT throws_ok('SELECT dp_count(*) FROM public_emp', '22023', 'dp_count has no epsilon and delta', 'nothing is set');
SELECT throws_ok('SELECT dp_avg(age, 0.5) FROM public_emp', '22023', 'dp_avg has no delta', 'one of them is given');
SET LOCAL gaussdp.epsilon = 10;
SELECT throws_ok('SELECT dp_count(*) FROM public_emp', '22023', 'dp_count has no delta', 'one of them is set');
SELECT ok(hint_of('SELECT dp_count(*) FROM public_emp') LIKE '%SET gaussdp.epsilon = 0.5; SET gaussdp.delta = 1e-6%', 'the error says what to set');
SELECT throws_ok('SET LOCAL gaussdp.delta = 1', '22023', NULL, 'a delta that promises nothing');
SELECT throws_ok('SET LOCAL gaussdp.epsilon = -1', '22023', NULL, 'a negative epsilon');
SELECT throws_ok($$SET LOCAL gaussdp.epsilon = 'NaN'$$, '22023', NULL, 'an epsilon that is no number');

-- Settings, over any table: 1e-5 at epsilon 10 is 40 standard deviations for a count.
SET LOCAL gaussdp.delta = 1e-5;
SELECT ok(dp_count(*) BETWEEN 9970 AND 10030, 'dp_count(*)') FROM public_emp;
SELECT ok(dp_count(age) BETWEEN 9970 AND 10030, 'dp_count(x)') FROM public_emp;
SELECT ok(dp_count(DISTINCT age) BETWEEN 70 AND 130, 'dp_count(DISTINCT x)') FROM public_emp;
SELECT ok(dp_count(*) FILTER (WHERE age < 50) BETWEEN 4970 AND 5030, 'FILTER') FROM public_emp;
SELECT ok(dp_avg(age) BETWEEN 40 AND 60, 'dp_avg(x) finds bounds') FROM public_emp;
SELECT ok(dp_avg(days) BETWEEN 40 AND 60, 'a domain is taken for what it is over') FROM public_emp;
SELECT ok(dp_avg(DISTINCT age) BETWEEN 20 AND 80, 'dp_avg(DISTINCT x)') FROM public_emp;
SELECT ok(abs((dp_count_estimate(*)).value - 10000) < 30, 'dp_count_estimate(*)') FROM public_emp;
SELECT ok(dp_sum(age, 5, 1e-6, 0, 100) BETWEEN 480000 AND 510000, 'explicit numbers need no setting') FROM public_emp;
SELECT throws_ok('SELECT dp_stddev(age) FROM public_emp', '22023', 'dp_stddev needs bounds, and none are declared for its value', 'bounds that nobody declared');
SELECT throws_ok('SELECT dp_avg(text) FROM public_emp', '42804', 'dp_avg takes numbers, not values of type text', 'a text');
SELECT throws_ok('SELECT dp_avg(text, 0.5, 1e-6) FROM public_emp', '42804', 'dp_avg takes numbers, not values of type text', 'a text, with numbers');
SELECT throws_ok('SELECT dp_sum(flag) FROM public_emp', '42804', 'dp_sum takes numbers, not values of type boolean', 'a boolean');
SELECT throws_ok('SELECT dp_avg(day) FROM public_emp', '42804', 'dp_avg takes numbers, not values of type date', 'a date');
SELECT throws_ok('SELECT dp_avg(long) FROM public_emp', '42804', 'dp_avg takes numbers, not values of type interval', 'an interval');
SELECT throws_ok('SELECT dp_count(*) OVER () FROM public_emp', '0A000', NULL, 'no window function');

-- Every kind takes declared bounds, with settings and with numbers.
SELECT ok(dp_sum(age) BETWEEN 480000 AND 510000 AND dp_avg(age) BETWEEN 48 AND 51 AND dp_stddev(age) BETWEEN 26 AND 32 AND dp_var(age) BETWEEN 700 AND 1000
	AND dp_median(age) BETWEEN 45 AND 55 AND dp_quantile(age, 0.9) BETWEEN 85 AND 95, 'declared bounds, numbers from the settings') FROM emp;
SELECT ok(dp_stddev(age, 10, 1e-5) BETWEEN 26 AND 32 AND dp_var(age, 10, 1e-5) BETWEEN 700 AND 1000
	AND dp_median(age, 10, 1e-5) BETWEEN 45 AND 55 AND dp_quantile(age, 10, 1e-5, 0.9) BETWEEN 85 AND 95, 'declared bounds, explicit numbers') FROM emp;
SELECT is(cardinality(dp_histogram(age, 12)), 12, 'dp_histogram(x, bins)') FROM emp;
SELECT ok(cardinality(dp_cdf(age, 12)) = 12 AND cardinality(dp_cdf(age, 10, 1e-5, 12)) = 12, 'dp_cdf(x, bins), dp_cdf(x, epsilon, delta, bins)') FROM emp;
SELECT ok(array_agg(dp_between) = '{t,t}', 'dp_quantiles(x, qs), dp_quantiles(x, epsilon, delta, qs)') FROM (SELECT a[1] BETWEEN 80 AND 98 AND a[2] BETWEEN 20 AND 30 AS dp_between FROM (SELECT dp_quantiles(age, '{0.9,0.25}') AS a FROM emp UNION ALL SELECT dp_quantiles(age, 10, 1e-5, '{0.9,0.25}') FROM emp) s) b;
SELECT is(cardinality(dp_histogram(age, 10, 1e-5, 12)), 12, 'dp_histogram(x, epsilon, delta, bins)') FROM emp;
SELECT ok(upper_bound = 120, 'an estimate') FROM (SELECT (dp_avg_estimate(age)).* FROM emp) e;
SELECT ok(dp_avg(v) BETWEEN 48 AND 51, 'through a WITH query') FROM (WITH w AS (SELECT age AS v FROM emp) SELECT * FROM w) s;

-- Over a protected table: the price is that of what executes.
SET LOCAL gaussdp.epsilon = 0.5;
SET LOCAL ROLE short_ana;
SELECT is(price('SELECT dp_count(*), dp_avg(age), dp_median(age) FROM emp'), 'dp_count 0.5 1e-05, dp_avg 0.5 1e-05, dp_median 0.5 1e-05', 'settings');
SELECT is(price('SELECT dp_count(2, 1e-6), dp_avg(age, 0.25) FROM emp'), 'dp_count 2 1e-06, dp_avg 0.25 1e-05', 'what the call gives comes first');
SELECT is(price('SELECT dept, dp_count(*) FROM emp GROUP BY dept, age HAVING dp_keep_group(*)'), 'dp_count 0.5 1e-05, dp_keep_group 0.4764 1e-05', 'in HAVING');
RESET gaussdp.epsilon;
RESET gaussdp.delta;
SELECT throws_ok('SELECT dp_count(*) FROM emp', '42501', 'permission denied for table emp', 'a role without a grant');
RESET ROLE;
DO $$BEGIN PERFORM gaussdp.grant_budget('short_ana', 'emp', epsilon => 50, delta => 1e-3, default_epsilon => 0.25, default_delta => 1e-7); END$$;
SELECT throws_ok($$SELECT gaussdp.grant_budget('short_ana', 'emp', 50, 1e-3, default_epsilon => 0)$$, '22023', NULL, 'a default of 0');
SELECT throws_ok($$SELECT gaussdp.grant_budget('short_ana', 'emp', 50, 1e-3, default_delta => 1)$$, '22023', NULL, 'a default delta of 1');
SET LOCAL ROLE short_ana;
SELECT is(price('SELECT dp_count(*) FROM emp'), 'dp_count 0.25 1e-07', 'the grant''s defaults');
SELECT is(price('WITH w AS (SELECT * FROM emp) SELECT dp_count(*) FROM (SELECT * FROM w) s'), 'dp_count 0.25 1e-07', 'of a table behind queries');
SELECT is(terms, '{"default_delta": 1e-7, "default_epsilon": 0.25, "reuse_answers": "01:00:00"}', 'my_budget shows them') FROM gaussdp.my_budget WHERE paid_by = 'short_ana';
SET LOCAL gaussdp.epsilon = 0.75;
SELECT is(price('SELECT dp_count(*) FROM emp'), 'dp_count 0.75 1e-07', 'a setting comes before the grant, each number by itself');
RESET gaussdp.epsilon;
SELECT throws_ok('SELECT dp_count(*) FROM public_emp', '22023', 'dp_count has no epsilon and delta', 'a grant says nothing of other tables');
RESET ROLE;
DO $$BEGIN PERFORM gaussdp.revoke_budget('short_ana', 'emp'), gaussdp.grant_budget('public', 'emp', 50, 1e-3, default_epsilon => 0.125, default_delta => 1e-8); END$$;
SET LOCAL ROLE short_ana;
SELECT is(price('SELECT dp_count(*) FROM emp'), 'dp_count 0.125 1e-08', 'of whichever grant pays');
RESET ROLE;
DO $$BEGIN PERFORM gaussdp.grant_budget('short_group', 'emp', 50, 1e-3, default_epsilon => 0.5, default_delta => 1e-6); END$$;
GRANT short_group TO short_ana;
SET LOCAL ROLE short_ana;
SELECT is(price('SELECT dp_count(*) FROM emp'), 'dp_count 0.5 1e-06', 'of a group');
RESET ROLE;
COMMIT;

-- A cached plan follows: another setting, another grant.
SET ROLE short_ana;
PREPARE counted AS SELECT dp_count(*) IS NOT NULL FROM emp;
SET gaussdp.epsilon = 1;
SET gaussdp.delta = 1e-6;
EXECUTE counted \g /dev/null
SELECT is(charged(1e-6), 1.0000, 'charged as set');
EXECUTE counted \g /dev/null
SET gaussdp.epsilon = 2;
EXECUTE counted \g /dev/null
SELECT is(charged(1e-6), 2.0000, 'a cached plan follows the setting');
BEGIN;
SET LOCAL gaussdp.epsilon = 3;
EXECUTE counted \g /dev/null
SELECT is(charged(1e-6), 3.0000, 'that of a transaction');
ROLLBACK;
EXECUTE counted \g /dev/null
SELECT is(charged(1e-6), 2.0000, 'and its end');
RESET gaussdp.epsilon;
RESET gaussdp.delta;
EXECUTE counted \g /dev/null
SELECT is(charged(1e-6), 0.5000, 'back to the grant');
RESET ROLE;
SELECT gaussdp.grant_budget('short_group', 'emp', 50, 1e-3, default_epsilon => 0.25, default_delta => 1e-6) \g /dev/null
SET ROLE short_ana;
EXECUTE counted \g /dev/null
SELECT is(charged(1e-6), 0.2500, 'a cached plan follows the grant');
CREATE TEMP TABLE kept AS SELECT NULL::bigint AS n;
DO $$BEGIN FOR i IN 1..7 LOOP
	PERFORM set_config('gaussdp.epsilon', (i / 10.0)::text, false);
	INSERT INTO kept SELECT dp_count(*) FROM emp;
END LOOP; END$$;
SELECT is(charged(1e-6), 0.7000, 'so does one inside of a function');
RESET ROLE;
SELECT * FROM finish();
DROP OWNED BY short_ana, short_group;
DROP TABLE emp, dept, public_emp;
DROP DOMAIN years;
DROP ROLE short_ana, short_group;
