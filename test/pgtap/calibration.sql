\set ECHO none
\set QUIET 1
\pset format unaligned
\pset tuples_only on
\set ON_ERROR_STOP 1
-- Compositions, conversions and the GDP transformation: SQLSTATEs, NULL, and that no argument whatever
-- makes NaN or any other error.
BEGIN;
SELECT plan(45);

SELECT throws_ok('SELECT ' || call, state, NULL, call || ': ' || state) FROM (VALUES
	('gdp_compose(ARRAY[1, -1])', '22023'), ('gdp_compose(ARRAY[1, NULL])', '22004'),
	('gdp_compose(ARRAY[[1, 2], [3, 4]])', '22023'), ('gdp_compose(''NaN''::float8)', '22023'),
	('gdp_compose(ARRAY[1, ''Infinity''::float8])', '22023'), ('compose_sigma_star(1)', '22023'), ('compose_sigma_star(1, 0)', '22023'),
	('gdp_compose_final(ARRAY[1, 2])', '22023'), ('gdp_compose_final(ARRAY[0, ''NaN''::float8, 0])', '22023'),
	('dp_opt_sigma_k(1, 1e-5, 1, 0)', '22023'), ('dp_opt_sigma_k(1, 1e-5, 1, 1.5)', '22023'), ('dp_opt_sigma_k(1, 1e-5, 1, 2e9)', '22023'),
	('kov_delta(-1, 0, 2, 1)', '22023'), ('kov_delta(1, 1, 2, 1)', '22023'), ('kov_eps(1, 0, 2, 1)', '22023'),
	('opt_hetero_delta(array_fill(1::float8, ARRAY[21]), 1)', '22023'), ('opt_hetero_delta(''{}''::float8[], 1)', '22023'),
	('dp_compose(ARRAY[1], ARRAY[0], ''kov'')', '22023'), ('dp_compose(ARRAY[1], ARRAY[1])', '22023'), ('dp_compose(ARRAY[1], ARRAY[0], ''x'')', '22023'),
	('dp_query_count(1, 0, 1, 1e-6)', '22023'), ('dp_query_count(0, 0, 1, 1e-6, ''optimal'')', '22023'),
	('gdp_split(1, ARRAY[1, 0])', '22023'), ('gdp_allocate(1, ARRAY[1], ARRAY[1, 2])', '22023'),
	('dp_to_pdp_delta_one(2, 1e-6, 1)', '22023'), ('cex_n(1, 0.6, 3)', '22023'), ('cex_n(1, 0.1, 1000)', '22023'),
	('rdp_to_dp_delta(0.5, 1, 1)', '22023'), ('zcdp_delta(0, 1)', '22023'), ('tcdp_eps(1, 1, 1e-6)', '22023'), ('mcdp_delta(1, 0, 0)', '22023'),
	('subsample_eps(1, 0)', '22023'), ('implied_delta(1, 1, 0)', '22023'), ('dp_noise_interval(0)', '22023'), ('ci_halfwidth(1, 0.05, 0)', '22023'),
	('sens_count(1, 0.5, false)', '22023'), ('avg_std(0, 1, 2, 1, 0.5, 10)', '22023'), ('refine_sigma_log(1, 0.1, 3)', '22023'),
	('gdp_head(''laplace'', ''{0}'', 1)', '22023'), ('gdp_head(''sgd'', ''{}'', ''NaN'')', '22023'), ('gdp_head(''gaussian'', ''{1}'', 1, 1e-15)', '22023'),
	('gdp_head_points(''{}'', ''{}'', 1)', '22023'), ('gdp_tail_points(''{1}'', ''{1}'')', '22023')
) AS c(call, state);

-- A function of NULL is NULL.
SELECT is((SELECT count(*) FROM (VALUES (kov_delta(NULL, 0, 2, 1)), (dp_noise_interval(NULL)), (gdp_compose(NULL::float8[])),
	(implied_delta(1, NULL, 0)), (zcdp_eps_tight(NULL, 1e-6))) AS v(x) WHERE x IS NULL), 5::bigint, 'NULL gives NULL');

-- A long measurement can be cancelled.
CREATE FUNCTION cancelled(call text) RETURNS boolean LANGUAGE plpgsql AS
$$BEGIN
	EXECUTE call;
	RETURN false;
EXCEPTION WHEN query_canceled THEN
	RETURN true;
END$$;
SET LOCAL statement_timeout = '100ms';
SELECT ok(cancelled('SELECT gdp_head(''gaussian'', ''{1}'', 1000, 1e-6)'), 'a long measurement answers a cancel');
SET LOCAL statement_timeout = 0;

SELECT * FROM finish();
ROLLBACK;
