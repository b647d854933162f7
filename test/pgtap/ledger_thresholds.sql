\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Thresholds take of a budget's delta what their mu^2 is of the budget's: delta does not end a budget before epsilon does.
LOAD '$libdir/gaussdp';
SELECT plan(24);
CREATE ROLE thresholds_ana;
CREATE ROLE thresholds_group;
CREATE ROLE thresholds_member IN ROLE thresholds_group, thresholds_ana;
CREATE TABLE sale (id int PRIMARY KEY, region text, price int);
INSERT INTO sale SELECT i, 'r' || i % 5, i % 90 FROM generate_series(1, 5000) i;
DO $$BEGIN PERFORM gaussdp.protect('sale', unit => 'id'), gaussdp.set_bounds('sale', 'price', 0, 100); END$$;
CREATE FUNCTION refusal(query text, OUT state text, OUT detail text, OUT hint text) LANGUAGE plpgsql AS $$
BEGIN
	EXECUTE query;
	state := 'answered';
EXCEPTION WHEN OTHERS THEN
	GET STACKED DIAGNOSTICS state = RETURNED_SQLSTATE, detail = PG_EXCEPTION_DETAIL, hint = PG_EXCEPTION_HINT;
END$$;
-- How often a query is answered until it is refused
CREATE FUNCTION answers(query text) RETURNS int LANGUAGE plpgsql AS $$
DECLARE n int := 0;
BEGIN
	WHILE (public.refusal(query)).state = 'answered' LOOP n := n + 1; END LOOP;
	RETURN n;
END$$;
CREATE FUNCTION granted(who text, epsilon float8, delta float8, threshold float8 = NULL) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
	PERFORM gaussdp.reset_budget(who, 'sale'), gaussdp.grant_budget(who, 'sale', epsilon, delta, threshold_delta => threshold, default_epsilon => 0.2, default_delta => delta / 10);
END$$;
CREATE FUNCTION units(who text) RETURNS SETOF int8[] LANGUAGE sql AS
  $$SELECT ARRAY[spent_mu2, limit_mu2, spent_delta, limit_delta] FROM gaussdp_internal.ledger_account WHERE relation = 'sale'::regclass AND role_name = $1$$;
CREATE FUNCTION threshold(query text) RETURNS float8 LANGUAGE sql AS
  $$SELECT sum(threshold_delta) FROM gaussdp.explain_privacy($1, exact => true)$$;
\set grouped '''SELECT region, dp_count(*) FROM sale GROUP BY region HAVING dp_keep_group(*)'''

-- Decimals
SELECT granted('thresholds_ana', 100, 1e-6, 1e-7) \g /dev/null
SET ROLE thresholds_ana;
SELECT is(answers('SELECT region FROM sale GROUP BY region HAVING dp_keep_group(0.1, 1e-8)'), 20, '20 thresholds of 5e-9 are a budget of 1e-7');
SELECT is((SELECT left_threshold_delta FROM gaussdp.my_budget WHERE paid_by = 'thresholds_ana'), 0::float8, 'and all of it');
SELECT results_eq($$SELECT * FROM refusal('SELECT region FROM sale GROUP BY region HAVING dp_keep_group(0.1, 1e-8)')$$,
	$$VALUES ('53400', 'The group thresholds of the query cost a delta of 5e-09, and 0 is left. Nothing was charged and nothing was released.',
		'Public group keys need no threshold: gaussdp.column_bounds shows key tables.')$$, 'after that, groups that need no threshold');
RESET ROLE;

-- The hint fits
SELECT granted('thresholds_ana', 100, 1e-6, 1e-7) \g /dev/null
SET ROLE thresholds_ana;
SELECT refusal('SELECT region FROM sale GROUP BY region HAVING dp_keep_group(0.1, 1.97e-7)') \g /dev/null
SELECT results_eq($$SELECT state, hint FROM refusal('SELECT region FROM sale GROUP BY region HAVING dp_keep_group(0.1, 1e-8)')$$,
	$$VALUES ('53400', 'A delta of 3e-09 in dp_keep_group fits, or SET gaussdp.delta = 3e-09.')$$, 'the hint of a spent delta');
SELECT results_eq($$SELECT verdict, reason FROM gaussdp.explain_privacy('SELECT region FROM sale GROUP BY region HAVING dp_keep_group(0.1, 1e-8)')$$,
	$$VALUES ('too expensive', 'The threshold needs more than the delta of 1.5e-09 that is left for thresholds.')$$, 'explain_privacy says so before');
SELECT is((refusal('SELECT region FROM sale GROUP BY region HAVING dp_keep_group(0.1, 1.5e-9)')).state, 'answered', 'half of what it says is answered');
SET gaussdp.delta = 1.5e-9;
SELECT is((refusal(:grouped)).state, 'answered', 'and by the setting the rest');
RESET gaussdp.delta;
RESET ROLE;

-- Epsilon ends a budget
SELECT granted('thresholds_ana', 1, 1e-6) \g /dev/null
SET ROLE thresholds_ana;
SELECT thresholds AS told FROM gaussdp.queries_left() \gset
SELECT cmp_ok(:told, '>', 20, 'queries_left() counts thresholds without numbers');
SELECT is(answers('SELECT region FROM sale GROUP BY region HAVING dp_keep_group(*)'), :told, 'and so many there are');
SELECT results_eq('SELECT queries, thresholds FROM gaussdp.queries_left()', 'VALUES (0::int8, 0::int8)', 'then none');
RESET ROLE;
SELECT ok(u[1]::numeric / u[2] > 0.95 AND u[3]::numeric / u[4] BETWEEN 0.95 AND u[1]::numeric / u[2], 'delta is spent as mu^2 is, and not more') FROM units('thresholds_ana') u;
SELECT granted('thresholds_ana', 10, 1e-6) \g /dev/null
SET ROLE thresholds_ana;
SELECT cmp_ok(answers(:grouped), '>', 700, 'grouped questions to epsilon 10');
RESET ROLE;
SELECT ok(u[1]::numeric / u[2] > 0.99 AND u[3] < u[4], 'end with epsilon') FROM units('thresholds_ana') u;

-- What is explained is charged; the noise is the same
SELECT granted('thresholds_ana', 1, 1e-6) \g /dev/null
SET ROLE thresholds_ana;
CREATE TEMP TABLE told AS SELECT * FROM gaussdp.explain_privacy(:grouped, exact => true) WHERE call = 'dp_keep_group';
CREATE TEMP TABLE whole AS SELECT * FROM gaussdp.explain_privacy('SELECT region, dp_count(*) FROM sale GROUP BY region HAVING dp_keep_group(0.2, 1e-7)', exact => true) WHERE call = 'dp_keep_group';
SELECT ok(abs(t.sigma / w.sigma - 1) < 1e-6, 'with the noise of its epsilon and delta') FROM told t, whole w;
SELECT ok(t.threshold_delta < w.threshold_delta AND w.threshold_delta = 5e-8, 'a delta that is given stays as it is') FROM told t, whole w;
SELECT refusal(:grouped) \g /dev/null
SELECT is((SELECT j.threshold_delta FROM gaussdp.my_journal j WHERE kind = 'dp_keep_group' ORDER BY charge DESC LIMIT 1), (SELECT threshold_delta FROM told), 'explain_privacy has told what was charged');
RESET ROLE;

-- The least of all accounts that pay
SET ROLE thresholds_ana;
SELECT threshold(:grouped) AS own \gset
PREPARE grouped AS SELECT region FROM sale GROUP BY region HAVING dp_keep_group(*);
EXECUTE grouped \g /dev/null
RESET ROLE;
SELECT gaussdp.reset_population_budget('sale'), gaussdp.set_population_budget('sale', 2, 1e-6, threshold_delta => 1e-8) \g /dev/null
SET ROLE thresholds_ana;
SELECT ok(threshold(:grouped) < :own / 3, 'the population''s is less');
EXECUTE grouped \g /dev/null
SELECT is((SELECT threshold_delta FROM gaussdp.my_journal ORDER BY charge DESC LIMIT 1), threshold(:grouped), 'which a prepared statement follows');
RESET ROLE;
SELECT gaussdp.drop_population_budget('sale') \g /dev/null
SELECT granted('thresholds_group', 1, 1e-6, 2e-8) \g /dev/null
SET ROLE thresholds_member;
SELECT ok(threshold(:grouped) < :own / 3, 'of two groups that pay, the one with the least delta for its mu^2');
RESET ROLE;

-- Without any delta for thresholds
SELECT granted('thresholds_ana', 1, 1e-6, 0) \g /dev/null
SET ROLE thresholds_ana;
SELECT results_eq(format('SELECT state, hint FROM refusal(%L)', :grouped), $$VALUES ('53400', 'Public group keys need no threshold: gaussdp.column_bounds shows key tables.')$$, 'no threshold is paid');
SELECT results_eq('SELECT queries > 20, thresholds FROM gaussdp.queries_left()', 'VALUES (true, 0::int8)', 'as queries_left() says');
RESET ROLE;

-- A query that costs most of a budget takes no more than half of its delta
SELECT granted('thresholds_ana', 0.25, 1e-7, 1e-2) \g /dev/null
SET ROLE thresholds_ana;
SELECT is(threshold(:grouped), 5e-9::float8, 'never more than half of its own delta');
RESET ROLE;

-- A count that decides itself
SELECT granted('thresholds_ana', 10, 1e-6, 1e-12) \g /dev/null
SET ROLE thresholds_ana;
SELECT results_eq($$SELECT state, hint FROM refusal('SELECT region, dp_count(0.2, 1e-7) FROM sale GROUP BY region HAVING dp_count(0.2, 1e-7) > 120')$$,
	$$VALUES ('53400', 'A dp_count that is compared with a larger number costs less.')$$, 'the hint for a count in HAVING');
SELECT is((refusal('SELECT region, dp_count(0.2, 1e-7) FROM sale GROUP BY region HAVING dp_count(0.2, 1e-7) > 300')).state, 'answered', 'which fits');
RESET ROLE;
SELECT * FROM finish();
