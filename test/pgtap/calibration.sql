\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Compositions, conversions and the GDP transformation: SQLSTATEs, NULL, and that no argument whatever
-- makes NaN or any other error.
BEGIN;
SELECT plan(67);
\ir ../module/calibration.sql

SELECT throws_ok('SELECT ' || call, state, NULL, call || ': ' || state) FROM (VALUES
	('gdp.compose(ARRAY[1, -1])', '22023'), ('gdp.compose(ARRAY[1, NULL])', '22004'),
	('gdp.compose(ARRAY[[1, 2], [3, 4]])', '22023'), ('gdp.compose(''NaN''::float8)', '22023'),
	('gdp.compose(ARRAY[1, ''Infinity''::float8])', '22023'), ('gdp.compose_sigma(1)', '22023'), ('gdp.compose_sigma(1, 0)', '22023'),
	('gaussdp_internal.compose_final(ARRAY[1, 2])', '22023'), ('gaussdp_internal.compose_final(ARRAY[0, ''NaN''::float8, 0])', '22023'),
	('gdp.optimal_sigma(1, 0, 1, 1e-5)', '22023'), ('gdp.optimal_sigma(1, 1.5, 1, 1e-5)', '22023'), ('gdp.optimal_sigma(1, 2e9, 1, 1e-5)', '22023'),
	('gdp.kov_delta(-1, 0, 2, 1)', '22023'), ('gdp.kov_delta(1, 1, 2, 1)', '22023'), ('gdp.kov_epsilon(1, 0, 2, 1)', '22023'),
	('gdp.heterogeneous_delta(array_fill(1::float8, ARRAY[21]), 1)', '22023'), ('gdp.heterogeneous_delta(''{}''::float8[], 1)', '22023'),
	('gdp.compose_dp(ARRAY[1], ARRAY[0], ''kov'')', '22023'), ('gdp.compose_dp(ARRAY[1], ARRAY[1])', '22023'), ('gdp.compose_dp(ARRAY[1], ARRAY[0], ''x'')', '22023'),
	('gdp.query_count(1, 0, 1, 1e-6)', '22023'), ('gdp.query_count(0, 0, 1, 1e-6, ''optimal'')', '22023'),
	('gdp.split(1, ARRAY[1, 0])', '22023'), ('gdp.allocate(1, ARRAY[1], ARRAY[1, 2])', '22023'),
	('gdp.dp_to_pdp_delta_one_tailed(2, 1e-6, 1)', '22023'), ('gdp.counterexample_n(1, 0.6, 3)', '22023'), ('gdp.counterexample_n(1, 0.1, 1000)', '22023'),
	('gdp.rdp_to_dp_delta(0.5, 1, 1)', '22023'), ('gdp.zcdp_to_dp_delta(0, 1)', '22023'), ('gdp.tcdp_to_dp_epsilon(1, 1, 1e-6)', '22023'), ('gdp.mcdp_to_dp_delta(0, 0, 1)', '22023'),
	('gdp.subsampled_epsilon(0, 1)', '22023'), ('gdp.implied_delta(1, 1, 0)', '22023'), ('dp_noise_interval(0)', '22023'), ('gdp.interval_half_width(1, 0.05, 0)', '22023'),
	('gdp.sensitivity_count(1, 0.5, false)', '22023'), ('gdp.average_stddev(0, 1, 2, 1, 0.5, 10)', '22023'), ('gdp.refine_sigma_log(1, 0.1, 3)', '22023'),
	('gdp.head(''laplace'', ''{0}'', 1)', '22023'), ('gdp.head(''sgd'', ''{}'', ''NaN'')', '22023'), ('gdp.head(''gaussian'', ''{1}'', 1, 1e-15)', '22023'),
	('gdp.head_points(''{}'', ''{}'', 1)', '22023'), ('gdp.tail_points(''{1}'', ''{1}'')', '22023'), ('norm_quantile(1)', '22023'),
	('gdp.erfc_inverse_bound(1)', '22023'), ('gdp.erfc_inverse_bound_log(''NaN'')', '22023'), ('gdp.pdp_lower_tail(1, 1.5)', '22023'),
	('gdp.pdp_counterexample(1, 1e-3, 1, 0.1)', '22023'), ('gdp.pdp_counterexample(1, 1e-3, 2, 0.1)', '22023'), ('gdp.pdp_counterexample(1, 1e-3, 2, ''NaN'')', '22023'),
	('gdp.noise_delta(''uniform'', 1, 1)', '22023'), ('gdp.noise_delta(''laplace'', 0, 1)', '22023'), ('gdp.noise_scale(''logistic'', 0, 0.1)', '22023'),
	('gdp.noise_delta_points(''{0, 1}'', ''{1, 0}'', 1, 1)', '22023'), ('gdp.noise_delta_points(''{0, NULL}'', ''{0, 1}'', 1, 1)', '22004'),
	('gdp.noise_scale_points(''{0, 1}'', ''{0, 1, 2}'', 1, 0.1)', '22023'), ('gdp.profile_delta(''exponential'', ''{0, 1}'', 1)', '22023'),
	('gdp.profile_delta(''icea'', ''{20}'', 1)', '22023'), ('gdp.profile_delta(''power'', ''{1, 1e9}'', 1)', '22023'), ('gdp.profile_delta(''sgd'', ''{}'', -1)', '22023'),
	('gdp.profile_switch(''x'', ''{}'')', '22023'), ('gdp.transform(''power'', ''{1, NaN}'', 1)', '22023'), ('gdp.four_outputs(1, 1)', '22023')
) AS c(call, state);

-- A function of NULL is NULL.
SELECT is((SELECT count(*) FROM (VALUES (gdp.kov_delta(NULL, 0, 2, 1)), (dp_noise_interval(NULL)), (gdp.compose(NULL::float8[])),
	(gdp.implied_delta(1, NULL, 0)), (gdp.zcdp_to_dp_epsilon_tight(NULL, 1e-6))) AS v(x) WHERE x IS NULL), 5::bigint, 'NULL gives NULL');

-- Where the classical formula ends, by the slack of the mechanism itself.
SELECT ok(vinterbo_d(gdp.dwork2014_dp_threshold(1e-5), 1e-5) >= 0, 'the textbook mechanism is private at its threshold');
SELECT ok(vinterbo_d(gdp.dwork2014_dp_threshold(1e-5) * 1.000001, 1e-5) < 0, 'and not beyond');

-- A long measurement can be cancelled.
CREATE FUNCTION cancelled(call text) RETURNS boolean LANGUAGE plpgsql AS
$$BEGIN
	EXECUTE call;
	RETURN false;
EXCEPTION WHEN query_canceled THEN
	RETURN true;
END$$;
SET LOCAL statement_timeout = '100ms';
SELECT ok(cancelled('SELECT gdp.head(''gaussian'', ''{1}'', 1000, 1e-6)'), 'a long measurement answers a cancel');
SET LOCAL statement_timeout = 0;

SELECT * FROM finish();
ROLLBACK;
