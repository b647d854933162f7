\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- gaussdp.explain_privacy says the verdict of the policy and the price of each call, and executes nothing.
BEGIN;
SELECT plan(28);
CREATE TABLE emp (id int PRIMARY KEY, dept text, age int, salary numeric);
CREATE TABLE dept (name text PRIMARY KEY);
CREATE TABLE own (v float8);
CREATE VIEW published AS SELECT age FROM emp;
CREATE VIEW proven AS SELECT dp_count(1, 1e-6) FROM emp;
CREATE ROLE explain_ana;
GRANT SELECT ON dept, published, proven TO explain_ana;
GRANT INSERT ON own TO explain_ana;
DO $$BEGIN PERFORM gaussdp.protect('emp', unit => 'id'), gaussdp.set_bounds('emp', 'age', 0, 120),
	gaussdp.set_public_keys('emp', 'dept', 'dept', 'name'); END$$;
CREATE FUNCTION verdict(query text) RETURNS text LANGUAGE sql AS
	'SELECT string_agg(verdict || coalesce('' '' || call, ''''), '', '') FROM gaussdp.explain_privacy(query)';

SELECT is(verdict('SELECT * FROM emp'), 'outside the policy', 'the owner is outside');
SET LOCAL ROLE explain_ana;
SELECT is(verdict('SELECT * FROM dept'), 'outside the policy', 'a table that is granted and not protected');
SELECT is(verdict('SELECT dp_count(1, 1e-6), dp_avg(age, 1, 1e-6, 0, 120) FROM emp'), 'private dp_count, private dp_avg',
		  'one row for each call');
SELECT is(verdict('SELECT dp_count(1, 1e-6) FROM emp UNION ALL SELECT dp_count(1, 1e-6) FROM emp'),
		  'private dp_count, private dp_count', 'equal calls are paid one by one');
SELECT is(verdict('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept HAVING dp_keep_group(1, 1e-8)'),
		  'private dp_count, private dp_keep_group', 'calls in HAVING are paid too');
SELECT is(verdict('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept'), 'private dp_count', 'keys from the declared table');
SELECT is(verdict('SELECT age, dp_count(1, 1e-6) FROM emp GROUP BY age'), 'refused', 'a refusal');
-- From 18 on the parser keeps no place of a group key.
SELECT ok(reason LIKE 'Rule 7 (group keys)' || CASE WHEN current_setting('server_version_num')::int < 180000 THEN ', at character 8' ELSE '' END || ': %' AND hint LIKE '%dp_keep_group%LEFT JOIN%'
		  AND relation = 'emp'::regclass, 'its reason and both legal forms')
FROM gaussdp.explain_privacy('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept, age');
SELECT ok(hint LIKE '%FROM dept LEFT JOIN emp ON emp.dept = dept.name GROUP BY dept.name.', 'a declared table of keys is named')
FROM gaussdp.explain_privacy('SELECT dept, dp_count(1, 1e-6) FROM emp GROUP BY dept, age');
SELECT is(verdict('SELECT * FROM proven'), 'private dp_count', 'a view that is proven');
SELECT is(verdict('SELECT * FROM published'), 'published', 'a view that is granted and not proven');
SELECT is(verdict('SELECT * FROM published, proven'), 'private dp_count', 'both: what is proven is paid');
SELECT is(verdict('INSERT INTO own SELECT dp_count(1, 1e-6) FROM emp'), 'private dp_count', 'INSERT ... SELECT');
SELECT ok(verdict = 'private' AND sigma IS NULL AND reason LIKE 'The price depends on parameters%', 'a parameter')
FROM gaussdp.explain_privacy('SELECT dp_count($1, 1e-6) FROM emp');
SELECT ok(l2_sensitivity BETWEEN 1 AND 1 + 1e-12 AND sigma BETWEEN dp_gaussian_sigma(1, 1e-6) AND dp_gaussian_sigma(1, 1e-6) * 1.0001
		  AND abs(half_width_95 / sigma - 1.96) < 1e-4 AND epsilon BETWEEN 0.999 AND 1 + 1e-9 AND delta = 1e-6
		  AND abs(mu_squared * sigma ^ 2 - 1) < 1e-9 AND threshold_delta = 0, 'the price of a count')
FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM emp', exact => true);
SELECT ok(l2_sensitivity BETWEEN 120 AND 120.0001 AND sigma > 0, 'declared bounds')
FROM gaussdp.explain_privacy('SELECT dp_sum(age, 1, 1e-6) FROM emp');
SELECT ok(threshold_delta BETWEEN 1e-9 AND 1e-8, 'what a threshold takes from delta')
FROM gaussdp.explain_privacy('SELECT dept FROM emp GROUP BY dept HAVING dp_keep_group(1, 1e-8)');
SELECT ok(epsilon_left_before IS NULL AND reason LIKE 'No budget%', 'without a budget')
FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6) FROM emp');
RESET ROLE;
DO $$BEGIN PERFORM gaussdp.grant_budget('explain_ana', 'emp', epsilon => 3, delta => 1e-6); END$$;
SET LOCAL ROLE explain_ana;
SELECT ok(array_agg(epsilon_left_after) = array_agg(lead) AND max(epsilon_left_before) BETWEEN 2.99 AND 3.01 AND min(epsilon_left_after) > 2, 'the budget before and after each call')
FROM (SELECT epsilon_left_before, epsilon_left_after, coalesce(lead(epsilon_left_before) OVER (ORDER BY epsilon_left_before DESC), epsilon_left_after) AS lead
	  FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6), dp_sum(age, 1, 1e-6) FROM emp')) e;
-- Three digits, as people read them
SELECT results_eq($$SELECT call, l2_sensitivity, sigma, mu_squared, epsilon FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6), dp_sum(age, 0.5, 1e-6), dp_count(0.3333333, 1e-6) FROM emp') ORDER BY epsilon DESC$$,
	$$SELECT call, l2::float8, to_char(sigma, '9.99EEEE')::float8, gaussdp_internal.three_digits(mu2, true), e::float8
	FROM (VALUES ('dp_count', 1, dp_gaussian_sigma(1, 1e-6), gdp.mu(1, 1e-6) ^ 2, 1), ('dp_sum', 120, 120 * dp_gaussian_sigma(0.5, 1e-6), gdp.mu(0.5, 1e-6) ^ 2, 0.5),
		('dp_count', 1, dp_gaussian_sigma(0.3333333, 1e-6), gdp.mu(0.3333333, 1e-6) ^ 2, 0.334)) v (call, l2, sigma, mu2, e)$$, 'three digits, costs rounded up');
SELECT ok(bool_and(before <= exact_before * (1 + 2e-9) AND after <= exact_after * (1 + 2e-9) AND before > 0.99 * exact_before AND after > 0.99 * exact_after), 'what is left, rounded down')
FROM (SELECT r.epsilon_left_before AS before, r.epsilon_left_after AS after, x.epsilon_left_before AS exact_before, x.epsilon_left_after AS exact_after
	FROM gaussdp.explain_privacy('SELECT dp_count(0.37, 1e-6) FROM emp') r, gaussdp.explain_privacy('SELECT dp_count(0.37, 1e-6) FROM emp', exact => true) x) e;

-- An error bar for each release
SELECT is_empty($$SELECT call FROM gaussdp.explain_privacy('SELECT dp_count(1, 1e-6), dp_sum(age, 1, 1e-6), dp_avg(age, 1, 1e-6), dp_var(age, 1, 1e-6), dp_stddev(age, 1, 1e-6), dp_median(age, 1, 1e-6),
	dp_histogram(age, 1, 1e-6, 0, 100, 5), dp_sum(ARRAY[age, id], 1, 1e-6, 10, 2), dp_avg(ARRAY[age, id], 1, 1e-6, 10, 2) FROM emp') WHERE half_width_95 IS NULL$$, 'each call has an error bar');
SELECT ok(half_width_95 IS NULL AND hint ~ 'found privately', 'but where its bounds are found in the data: ' || call) FROM gaussdp.explain_privacy('SELECT dp_avg(salary, 1, 1e-6) FROM emp');
SELECT ok(hint ~ 'in rows', 'of a median, its rank') FROM gaussdp.explain_privacy('SELECT dp_median(age, 1, 1e-6) FROM emp');
SELECT results_eq($$SELECT n, (SELECT half_width_95 FROM gaussdp.explain_privacy('SELECT dp_avg(age, 1, 1e-6) FROM emp', n, true)) FROM unnest('{1,1000,2000}'::int8[]) n$$,
	$$SELECT n, CASE n WHEN 1 THEN 60 ELSE (SELECT half_width_95 * 1000 / n FROM gaussdp.explain_privacy('SELECT dp_avg(age, 1, 1e-6) FROM emp', exact => true)) END FROM unnest('{1,1000,2000}'::int8[]) n$$,
	'of an average, at a group size, and never wider than its bounds');
SELECT throws_ok($$SELECT * FROM gaussdp.explain_privacy('SELECT 1', 0)$$, '22023', NULL, 'a group has rows');
SELECT throws_ok($$SELECT * FROM gaussdp.explain_privacy('EXPLAIN SELECT * FROM emp')$$, '0A000', NULL, 'no utility statement');
RESET ROLE;
SELECT is_empty('SELECT * FROM own', 'nothing was executed');
SELECT * FROM finish();
ROLLBACK;
