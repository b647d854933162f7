-- Composition: what several releases cost together.

CREATE FUNCTION gdp.compose(mus float8[])
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_compose' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.compose(float8[]) IS
'mu of the composition of Gaussian mechanisms, the square root of the sum of squares, exact also for adaptively chosen queries, rounded up; 0 for no mechanism. Each mu >= 0. Errors: 22023, 22004. Corollary 2 of Dong, Roth and Su 2022.';

CREATE FUNCTION gaussdp_internal.compose_transition(state float8[], mu float8)
RETURNS float8[] AS 'MODULE_PATHNAME', 'gaussdp_compose_transition' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.compose_transition(float8[], float8) IS
'Transition function of the aggregate gdp.compose(mu).';

CREATE FUNCTION gaussdp_internal.compose_combine(state float8[], other float8[])
RETURNS float8[] AS 'MODULE_PATHNAME', 'gaussdp_compose_combine' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.compose_combine(float8[], float8[]) IS
'Combine function of the aggregate gdp.compose(mu).';

CREATE FUNCTION gaussdp_internal.compose_final(state float8[])
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_compose_final' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.compose_final(float8[]) IS
'Final function of the aggregate gdp.compose(mu).';

CREATE AGGREGATE gdp.compose(mu float8) (
	SFUNC = gaussdp_internal.compose_transition,
	STYPE = float8[],
	SSPACE = 64,
	INITCOND = '{0,0,0}',
	COMBINEFUNC = gaussdp_internal.compose_combine,
	FINALFUNC = gaussdp_internal.compose_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gdp.compose(float8) IS
'mu of the composition of the Gaussian mechanisms in all rows, the square root of the sum of squares, rounded up; 0 for no row. Rows where mu is NULL count for nothing; mu >= 0. Errors: 22023. Corollary 2 of Dong, Roth and Su 2022.';

CREATE FUNCTION gdp.compose_sigma(VARIADIC pairs float8[])
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_compose_sigma' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.compose_sigma(float8[]) IS
'The standard deviation that, for a value of L2 sensitivity 1, is as private as several releases together; the arguments are pairs of L2 sensitivity and sigma. It is a claim, not noise to add, and rounded down. Errors: 22023, 22004. Lemma 15 of Zhao et al. 2019.';

CREATE FUNCTION gdp.optimal_sigma(l2_sensitivity float8, k float8, epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_optimal_sigma' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.optimal_sigma(float8, float8, float8, float8) IS
'The least standard deviation with which k queries of the given L2 sensitivity are (epsilon, delta)-differentially private all together, sqrt(k) times that of one, rounded up. k is a whole number up to 1e9. Errors: 22023.';

CREATE FUNCTION gdp.query_count(epsilon float8, delta float8, epsilon_total float8, delta_total
	float8, method text DEFAULT 'gaussian')
RETURNS int8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_query_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.query_count(float8, float8, float8, float8, text) IS
'How many queries that are (epsilon, delta)-DP each fit into (epsilon_total, delta_total). Method gaussian: Gaussian mechanisms with the optimal sigma, which compose exactly; method optimal: any mechanisms, by Theorem 3.3 of Kairouz, Oh and Viswanath 2017, at most 1e9. Errors: 22023.';

CREATE FUNCTION gdp.remaining(mu_total float8, mu_spent float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_remaining' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.remaining(float8, float8) IS
'What remains of a budget mu_total when mu_spent is spent, the square root of the difference of squares, rounded down; 0 when it is used up. Errors: 22023.';

CREATE FUNCTION gdp.split(mu float8, shares float8[])
RETURNS float8[] AS 'MODULE_PATHNAME', 'gaussdp_calibration_split' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.split(float8, float8[]) IS
'Divides mu among mechanisms whose mu^2 are in the proportion of shares > 0: together they are mu-GDP. Rounded down. Errors: 22023, 22004.';

CREATE FUNCTION gdp.allocate(mu float8, weights float8[], l2_sensitivities float8[])
RETURNS float8[] AS 'MODULE_PATHNAME', 'gaussdp_calibration_allocate' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.allocate(float8, float8[], float8[]) IS
'The standard deviations that minimise the sum of weights[i] sigma[i]^2 while all releases together are mu-GDP, by the inequality of Cauchy and Schwarz; rounded up. Errors: 22023, 22004.';

CREATE FUNCTION gdp.advanced_epsilon(epsilon float8, k float8, delta_slack float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_advanced_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.advanced_epsilon(float8, float8, float8) IS
'epsilon of advanced composition of k mechanisms that are epsilon-DP each, at the cost of delta_slack, rounded up; gdp.compose_dp takes basic composition where that is less. Errors: 22023. Theorem 3.20 of Dwork and Roth 2014.';

CREATE FUNCTION gdp.kov_simple_epsilon(epsilon float8, k float8, delta_slack float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_kov_simple_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.kov_simple_epsilon(float8, float8, float8) IS
'epsilon of the simple bound of Kairouz, Oh and Viswanath 2017 (Theorem 3.5) for k mechanisms that are epsilon-DP each, at the cost of delta_slack, rounded up. Errors: 22023.';

CREATE FUNCTION gdp.kov_delta(epsilon float8, delta float8, k float8, epsilon_g float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_kov_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.kov_delta(float8, float8, float8, float8) IS
'The least delta such that any k mechanisms that are (epsilon, delta)-DP each are (epsilon_g, delta)-DP together, rounded up. epsilon >= 0, 0 <= delta < 1, k a whole number up to 1e9 (2 ms at 1e6). Errors: 22023. Theorem 3.3 of Kairouz, Oh and Viswanath 2017.';

CREATE FUNCTION gdp.kov_epsilon(epsilon float8, delta float8, k float8, delta_g float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_kov_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.kov_epsilon(float8, float8, float8, float8) IS
'The least epsilon >= 0 such that any k mechanisms that are (epsilon, delta)-DP each are (epsilon, delta_g)-DP together, rounded up; Infinity where their deltas alone exceed delta_g. Errors: 22023. Theorem 3.3 of Kairouz, Oh and Viswanath 2017.';

CREATE FUNCTION gdp.heterogeneous_delta(epsilons float8[], deltas float8[], epsilon_g float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_heterogeneous_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.heterogeneous_delta(float8[], float8[], float8) IS
'The least delta such that any mechanisms that are (epsilons[i], deltas[i])-DP are (epsilon_g, delta)-DP together, rounded up. At most 20 mechanisms. Errors: 22023, 22004. Murtagh and Vadhan 2016.';

CREATE FUNCTION gdp.heterogeneous_delta(epsilons float8[], epsilon_g float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_heterogeneous_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.heterogeneous_delta(float8[], float8) IS
'The least delta such that any mechanisms that are epsilons[i]-DP are (epsilon_g, delta)-DP together, rounded up. At most 20 mechanisms. Errors: 22023, 22004. Murtagh and Vadhan 2016.';

CREATE FUNCTION gdp.compose_dp(epsilons float8[], deltas float8[], method text DEFAULT 'optimal',
	delta_slack float8 DEFAULT 0, OUT epsilon float8, OUT delta float8)
AS 'MODULE_PATHNAME', 'gaussdp_calibration_compose_dp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.compose_dp(float8[], float8[], text, float8) IS
'What mechanisms that are (epsilons[i], deltas[i])-DP cost together, rounded up. Methods: basic (sums); advanced and kov (Theorem 3.5 of Kairouz, Oh and Viswanath 2017), which save epsilon for delta_slack > 0, or basic where that is less; optimal: the least epsilon for delta = 1 - (1 - delta_slack) prod(1 - deltas[i]), for any number of equal mechanisms or at most 20 unequal ones. Gaussian mechanisms compose better by gdp.compose. Errors: 22023, 22004.';
