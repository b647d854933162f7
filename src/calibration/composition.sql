-- Composition: what several releases cost together.

CREATE FUNCTION compose_mu(VARIADIC mus float8[])
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION compose_mu(float8[]) IS
'mu of the composition of Gaussian mechanisms, the square root of the sum of squares, exact also for adaptively chosen queries, rounded up. Each mu >= 0. Errors: 22023, 22004. Corollary 2 of Dong, Roth and Su 2022.';

CREATE FUNCTION gdp_compose(mus float8[])
RETURNS float8 AS 'MODULE_PATHNAME', 'compose_mu' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_compose(float8[]) IS
'mu of the composition of Gaussian mechanisms, as compose_mu; 0 for no mechanism. Errors: 22023, 22004. Corollary 2 of Dong, Roth and Su 2022.';

CREATE FUNCTION gdp_compose_transition(state float8[], mu float8)
RETURNS float8[] AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_compose_transition(float8[], float8) IS
'Transition function of the aggregate gdp_compose(mu).';

CREATE FUNCTION gdp_compose_combine(state float8[], other float8[])
RETURNS float8[] AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_compose_combine(float8[], float8[]) IS
'Combine function of the aggregate gdp_compose(mu).';

CREATE FUNCTION gdp_compose_final(state float8[])
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_compose_final(float8[]) IS
'Final function of the aggregate gdp_compose(mu).';

CREATE AGGREGATE gdp_compose(mu float8) (
	SFUNC = gdp_compose_transition,
	STYPE = float8[],
	SSPACE = 64,
	INITCOND = '{0,0,0}',
	COMBINEFUNC = gdp_compose_combine,
	FINALFUNC = gdp_compose_final,
	PARALLEL = SAFE
);
COMMENT ON AGGREGATE gdp_compose(float8) IS
'mu of the composition of the Gaussian mechanisms in all rows, the square root of the sum of squares, rounded up; 0 for no row. Rows where mu is NULL count for nothing; mu >= 0. Errors: 22023. Corollary 2 of Dong, Roth and Su 2022.';

CREATE FUNCTION compose_sigma_star(VARIADIC pairs float8[])
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION compose_sigma_star(float8[]) IS
'The standard deviation that, for a value of L2 sensitivity 1, is as private as several releases together; the arguments are pairs of L2 sensitivity and sigma. It is a claim, not noise to add, and rounded down. Errors: 22023, 22004. Lemma 15 of Zhao et al. 2019.';

CREATE FUNCTION dp_opt_sigma_k(epsilon float8, delta float8, l2_sensitivity float8, k float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_opt_sigma_k(float8, float8, float8, float8) IS
'The least standard deviation with which k queries of the given L2 sensitivity are (epsilon, delta)-differentially private all together, sqrt(k) times that of one, rounded up. k is a whole number up to 1e9. Errors: 22023.';

CREATE FUNCTION dp_query_count(epsilon float8, delta float8, epsilon_total float8, delta_total
	float8, method text DEFAULT 'gaussian')
RETURNS int8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_query_count(float8, float8, float8, float8, text) IS
'How many queries that are (epsilon, delta)-DP each fit into (epsilon_total, delta_total). Method gaussian: Gaussian mechanisms with the optimal sigma, which compose exactly; method optimal: any mechanisms, by Theorem 3.3 of Kairouz, Oh and Viswanath 2017, at most 1e9. Errors: 22023.';

CREATE FUNCTION gdp_remaining(mu_total float8, mu_spent float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_remaining(float8, float8) IS
'What remains of a budget mu_total when mu_spent is spent, the square root of the difference of squares, rounded down; 0 when it is used up. Errors: 22023.';

CREATE FUNCTION gdp_split(mu float8, shares float8[])
RETURNS float8[] AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_split(float8, float8[]) IS
'Divides mu among mechanisms whose mu^2 are in the proportion of shares > 0: together they are mu-GDP. Rounded down. Errors: 22023, 22004.';

CREATE FUNCTION gdp_allocate(mu float8, weights float8[], l2_sensitivities float8[])
RETURNS float8[] AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_allocate(float8, float8[], float8[]) IS
'The standard deviations that minimise the sum of weights[i] sigma[i]^2 while all releases together are mu-GDP, by the inequality of Cauchy and Schwarz; rounded up. Errors: 22023, 22004.';

CREATE FUNCTION advanced_comp_eps(epsilon float8, k float8, delta_slack float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION advanced_comp_eps(float8, float8, float8) IS
'epsilon of advanced composition of k mechanisms that are epsilon-DP each, at the cost of delta_slack, rounded up; dp_compose takes basic composition where that is less. Errors: 22023. Theorem 3.20 of Dwork and Roth 2014.';

CREATE FUNCTION kov_simple_eps(epsilon float8, k float8, delta_slack float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kov_simple_eps(float8, float8, float8) IS
'epsilon of the simple bound of Kairouz, Oh and Viswanath 2017 (Theorem 3.5) for k mechanisms that are epsilon-DP each, at the cost of delta_slack, rounded up. Errors: 22023.';

CREATE FUNCTION kov_delta(epsilon float8, delta float8, k float8, epsilon_g float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kov_delta(float8, float8, float8, float8) IS
'The least delta such that any k mechanisms that are (epsilon, delta)-DP each are (epsilon_g, delta)-DP together, rounded up. epsilon >= 0, 0 <= delta < 1, k a whole number up to 1e9 (2 ms at 1e6). Errors: 22023. Theorem 3.3 of Kairouz, Oh and Viswanath 2017.';

CREATE FUNCTION kov_eps(epsilon float8, delta float8, k float8, delta_g float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION kov_eps(float8, float8, float8, float8) IS
'The least epsilon >= 0 such that any k mechanisms that are (epsilon, delta)-DP each are (epsilon, delta_g)-DP together, rounded up; Infinity where their deltas alone exceed delta_g. Errors: 22023. Theorem 3.3 of Kairouz, Oh and Viswanath 2017.';

CREATE FUNCTION opt_hetero_delta(epsilons float8[], deltas float8[], epsilon_g float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION opt_hetero_delta(float8[], float8[], float8) IS
'The least delta such that any mechanisms that are (epsilons[i], deltas[i])-DP are (epsilon_g, delta)-DP together, rounded up. At most 20 mechanisms. Errors: 22023, 22004. Murtagh and Vadhan 2016.';

CREATE FUNCTION opt_hetero_delta(epsilons float8[], epsilon_g float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION opt_hetero_delta(float8[], float8) IS
'The least delta such that any mechanisms that are epsilons[i]-DP are (epsilon_g, delta)-DP together, rounded up. At most 20 mechanisms. Errors: 22023, 22004. Murtagh and Vadhan 2016.';

CREATE FUNCTION opt_hetero_delta(epsilon1 float8, epsilon2 float8, epsilon3 float8, epsilon_g
	float8)
RETURNS float8 LANGUAGE SQL IMMUTABLE STRICT PARALLEL SAFE
RETURN @extschema@.opt_hetero_delta(ARRAY[epsilon1, epsilon2, epsilon3], epsilon_g);
COMMENT ON FUNCTION opt_hetero_delta(float8, float8, float8, float8) IS
'The least delta such that any three mechanisms that are epsilon1-, epsilon2- and epsilon3-DP are (epsilon_g, delta)-DP together, rounded up. Errors: 22023. Murtagh and Vadhan 2016.';

CREATE FUNCTION dp_compose(epsilons float8[], deltas float8[], method text DEFAULT 'optimal',
	delta_slack float8 DEFAULT 0, OUT epsilon float8, OUT delta float8)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_compose(float8[], float8[], text, float8) IS
'What mechanisms that are (epsilons[i], deltas[i])-DP cost together, rounded up. Methods: basic (sums); advanced and kov (Theorem 3.5 of Kairouz, Oh and Viswanath 2017), which save epsilon for delta_slack > 0, or basic where that is less; optimal: the least epsilon for delta = 1 - (1 - delta_slack) prod(1 - deltas[i]), for any number of equal mechanisms or at most 20 unequal ones. Gaussian mechanisms compose better by gdp_compose. Errors: 22023, 22004.';
