/* gaussdp--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gaussdp" to load this file. \quit

-- ---------------------------------------------------------------------------
-- Calibration: the Gaussian mechanism
-- ---------------------------------------------------------------------------

CREATE FUNCTION dp_gaussian_sigma(epsilon float8, delta float8, l2_sensitivity float8 DEFAULT 1,
	mechanism text DEFAULT 'optimal')
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_gaussian_sigma(float8, float8, float8, text) IS
'The standard deviation of Gaussian noise that makes a value of the given L2 sensitivity private by the named mechanism of dp_gaussian_mechanisms, in the unit of the value, rounded up. "optimal" is the least noise that is (epsilon, delta)-differentially private (Theorem 8 of Balle and Wang 2018), for epsilon >= 0 and 0 < delta < 1. Errors: 22023, also where the mechanism does not guarantee privacy at these parameters.';

CREATE FUNCTION dp_gaussian_mechanisms(epsilon float8, delta float8, l2_sensitivity float8 DEFAULT 1,
	OUT mechanism text, OUT guarantee text, OUT domain text, OUT sigma float8, OUT ratio float8,
	OUT epsilon_reached float8, OUT delta_reached float8, OUT valid boolean, OUT source text)
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 16;
COMMENT ON FUNCTION dp_gaussian_mechanisms(float8, float8, float8) IS
'Every published sigma formula side by side: what it guarantees (DP, one-tailed or two-tailed pDP) and on which domain; its sigma, rounded up, and the ratio of that to the optimal one; the epsilon (for the delta asked for) and the delta (for the epsilon) that this sigma really reaches under the guarantee, rounded up; whether the guarantee holds. Numbers are null where a formula has no value. Errors: 22023 for parameters that no mechanism takes.';

CREATE FUNCTION dp_gaussian_delta(sigma float8, epsilon float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_gaussian_delta(float8, float8, float8) IS
'The least delta for which Gaussian noise of standard deviation sigma on a value of the given L2 sensitivity is (epsilon, delta)-differentially private, rounded up. epsilon >= 0. Errors: 22023. Theorem 8 of Balle and Wang 2018.';

CREATE FUNCTION dp_gaussian_epsilon(sigma float8, delta float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_gaussian_epsilon(float8, float8, float8) IS
'The least epsilon for which Gaussian noise of standard deviation sigma on a value of the given L2 sensitivity is (epsilon, delta)-differentially private, rounded up; 0 where delta alone suffices. Errors: 22023. Theorem 8 of Balle and Wang 2018.';

CREATE FUNCTION gdp_delta(mu float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_delta(float8, float8) IS
'The least delta for which mu-Gaussian differential privacy implies (epsilon, delta)-differential privacy, rounded up. mu > 0, epsilon >= 0. Errors: 22023. Corollary 1 of Dong, Roth and Su 2022.';

CREATE FUNCTION gdp_epsilon(mu float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_epsilon(float8, float8) IS
'The least epsilon for which mu-Gaussian differential privacy implies (epsilon, delta)-differential privacy, rounded up; 0 where delta alone suffices. mu > 0, 0 < delta < 1. Errors: 22023.';

CREATE FUNCTION gdp_mu(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_mu(float8, float8) IS
'The largest mu for which mu-Gaussian differential privacy implies (epsilon, delta)-differential privacy, rounded down. epsilon >= 0, 0 < delta < 1. Errors: 22023.';

CREATE FUNCTION gdp_profile(mu float8, epsilon_max float8, points int4 DEFAULT 101,
	OUT epsilon float8, OUT delta float8, OUT pdp_one_tailed float8, OUT pdp_two_tailed float8)
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 101;
COMMENT ON FUNCTION gdp_profile(float8, float8, int4) IS
'The privacy profile of the Gaussian mechanism with mu = l2_sensitivity / sigma, for plotting: at equally spaced epsilon from 0 to epsilon_max the least delta for (epsilon, delta)-differential privacy and for both notions of probabilistic differential privacy, rounded up. 2 to 1,000,000 points. Errors: 22023.';

CREATE FUNCTION gdp_log_delta(epsilon float8, mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_log_delta(float8, float8) IS
'The natural logarithm of gdp_delta, to nearest, also where delta is too small for a double. epsilon >= 0, mu > 0. Errors: 22023.';

CREATE FUNCTION gdp_one_minus_delta(epsilon float8, mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_one_minus_delta(float8, float8) IS
'1 - delta of mu-Gaussian differential privacy at epsilon, to nearest, without cancellation. epsilon >= 0, mu > 0. Errors: 22023.';

CREATE FUNCTION gdp_tradeoff(alpha float8, mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_tradeoff(float8, float8) IS
'The trade-off function of mu-Gaussian differential privacy: the least probability of the error of the second kind of any test of level alpha between two neighbouring data sets, rounded down. 0 <= alpha <= 1, mu > 0. Dong, Roth and Su 2022, (6). Errors: 22023.';

CREATE FUNCTION gdp_dmu_deps(epsilon float8, mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_dmu_deps(float8, float8) IS
'The derivative of gdp_mu with respect to epsilon, at the place where epsilon meets mu. epsilon >= 0, mu > 0. Errors: 22023.';

CREATE FUNCTION gdp_dmu_ddelta(epsilon float8, mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_dmu_ddelta(float8, float8) IS
'The derivative of gdp_mu with respect to delta, at the place where epsilon meets mu. epsilon >= 0, mu > 0. Errors: 22023.';

CREATE FUNCTION dp_a(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_a(float8, float8) IS
'a = (epsilon/mu - mu/2)/sqrt(2) of the optimal Gaussian mechanism, to nearest. epsilon >= 0, 0 < delta < 1. Zhao et al. 2019, Theorem 2. Errors: 22023.';

CREATE FUNCTION pdp_delta_one(epsilon float8, mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pdp_delta_one(float8, float8) IS
'The probability that the privacy loss of the Gaussian mechanism with mu = l2_sensitivity / sigma exceeds epsilon (one-tailed probabilistic differential privacy), rounded up. epsilon >= 0, mu > 0. Guingona et al. 2023, Definition 2.2. Errors: 22023.';

CREATE FUNCTION pdp_delta_two(epsilon float8, mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pdp_delta_two(float8, float8) IS
'The probability that the absolute privacy loss of the Gaussian mechanism with mu = l2_sensitivity / sigma exceeds epsilon (two-tailed probabilistic differential privacy), rounded up. epsilon >= 0, mu > 0. Zhao et al. 2019, Definition 2. Errors: 22023.';

CREATE FUNCTION pdp_eps_one(delta float8, mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pdp_eps_one(float8, float8) IS
'The least epsilon that the privacy loss exceeds with probability at most delta (one-tailed), rounded up; at least 0. 0 < delta < 1, mu > 0. Errors: 22023.';

CREATE FUNCTION pdp_eps_two(delta float8, mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pdp_eps_two(float8, float8) IS
'The least epsilon that the absolute privacy loss exceeds with probability at most delta (two-tailed), rounded up. 0 < delta < 1, mu > 0. Errors: 22023.';

CREATE FUNCTION pdp_d(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pdp_d(float8, float8) IS
'd of the optimal two-tailed mechanism pdp_optimal, erfc(d) + erfc(sqrt(d^2 + epsilon)) = 2 delta, to nearest. epsilon > 0, 0 < delta < 1. Zhao et al. 2019, Theorem 7. Errors: 22023.';

CREATE FUNCTION mech1_b(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION mech1_b(float8, float8) IS
'b of mechanism1, whose sigma is l2_sensitivity (b + sqrt(b^2 + epsilon)) / (epsilon sqrt(2)), to nearest; may be negative. epsilon > 0, 0 < delta < 1. Zhao et al. 2019, Mechanism 1. Errors: 22023.';

CREATE FUNCTION dwork2006_dp_threshold(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dwork2006_dp_threshold(float8) IS
'The largest epsilon at which the classical sigma = sqrt(2 ln(2/delta)) l2_sensitivity / epsilon still is (epsilon, delta)-differentially private, rounded down. 0 < delta < 1. Zhao et al. 2019, Theorem 1, solved exactly. Errors: 22023.';

CREATE FUNCTION dwork2006_pdp_threshold(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dwork2006_pdp_threshold(float8) IS
'The largest epsilon at which the classical sigma = sqrt(2 ln(2/delta)) l2_sensitivity / epsilon still is two-tailed (epsilon, delta)-probabilistically private, rounded down. 0 < delta < 1. Zhao et al. 2019. Errors: 22023.';

CREATE FUNCTION dwork2014_dp_threshold(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dwork2014_dp_threshold(float8) IS
'The largest epsilon at which the classical sigma = sqrt(2 ln(1.25/delta)) l2_sensitivity / epsilon still is (epsilon, delta)-differentially private, rounded down. 0 < delta < 1. Zhao et al. 2019, Theorem 1, solved exactly. Errors: 22023.';

CREATE FUNCTION dwork2014_pdp_threshold(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dwork2014_pdp_threshold(float8) IS
'The largest epsilon at which the classical sigma = sqrt(2 ln(1.25/delta)) l2_sensitivity / epsilon still is two-tailed (epsilon, delta)-probabilistically private, rounded down. 0 < delta < 1. Zhao et al. 2019. Errors: 22023.';

CREATE FUNCTION eps_star(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION eps_star(float8) IS
'epsilon with erfcx(sqrt(epsilon)) = 1 - 2 delta, to nearest: above it the optimal sigma exceeds l2_sensitivity / sqrt(2 epsilon). 0 < delta < 1/2. Zhao et al. 2019. Errors: 22023.';

CREATE FUNCTION eps_hash(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION eps_hash(float8) IS
'epsilon with erfcx(sqrt(epsilon)) = 1 - delta, to nearest: above it the bound lemma10_lower_33b holds. 0 < delta < 1. Zhao et al. 2019. Errors: 22023.';

CREATE FUNCTION thm2_lower_sigma(epsilon float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION thm2_lower_sigma(float8, float8) IS
'A lower bound of the optimal sigma for epsilon >= eps_star(delta), rounded down. epsilon > 0. Zhao et al. 2019, Theorem 2 (ii). Errors: 22023.';

CREATE FUNCTION lemma10_lower_small_eps(epsilon float8, delta float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lemma10_lower_small_eps(float8, float8, float8) IS
'A lower bound of the optimal sigma for every epsilon >= 0 and 0 < delta < 1, close for small epsilon, rounded down. Zhao et al. 2019, Lemma 10 (32a), (33a). Errors: 22023.';

CREATE FUNCTION lemma10_lower_33b(epsilon float8, delta float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION lemma10_lower_33b(float8, float8, float8) IS
'A lower bound of the optimal sigma for delta >= 1/2 and epsilon > eps_hash(delta), rounded down. Zhao et al. 2019, Lemma 10 (33b). Errors: 22023.';

CREATE FUNCTION vinterbo_g(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION vinterbo_g(float8, float8) IS
'The slack of the textbook proof of mechanism dwork2014: delta less twice the normal tail that the proof bounds, to nearest. Negative means that the proof fails, not the mechanism. epsilon >= 0, 0 < delta < 1. Vinterbo 2022. Errors: 22023.';

CREATE FUNCTION vinterbo_d(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION vinterbo_d(float8, float8) IS
'delta less the delta that mechanism dwork2014 really reaches at epsilon, to nearest. Negative means that it is not private. epsilon > 0, 0 < delta < 1. Vinterbo 2022. Errors: 22023.';

CREATE FUNCTION vinterbo_ratio(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION vinterbo_ratio(float8, float8) IS
'sigma of mechanism dwork2014 over sigma of mechanism vinterbo9, to nearest. epsilon > 0, 0 < delta < 1. Vinterbo 2022. Errors: 22023.';

CREATE FUNCTION vinterbo_rho_plus(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION vinterbo_rho_plus(float8) IS
'The limit of vinterbo_ratio for epsilon towards 0, to nearest. 0 < delta < 1/2. Vinterbo 2022. Errors: 22023.';

CREATE FUNCTION vinterbo_rho_minus(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION vinterbo_rho_minus(float8) IS
'The limit of vinterbo_ratio for epsilon towards 1, to nearest. 0 < delta < 1/2. Vinterbo 2022. Errors: 22023.';

CREATE FUNCTION quantile_upper_bound(p float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION quantile_upper_bound(float8) IS
'An upper bound of norm_quantile(p), rounded up. 0 < p < 1. Vinterbo 2022, Lemma 4. Errors: 22023.';

CREATE FUNCTION norm_cdf(x float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION norm_cdf(float8) IS
'The standard normal distribution function, accurate also in its lower tail. Errors: 22023.';

CREATE FUNCTION norm_sf(x float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION norm_sf(float8) IS
'One minus the standard normal distribution function, accurate also in the upper tail. Errors: 22023.';

CREATE FUNCTION norm_log_sf(x float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION norm_log_sf(float8) IS
'The natural logarithm of norm_sf(x), also where that is too small for a double. Errors: 22023.';

CREATE FUNCTION norm_quantile(p float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION norm_quantile(float8) IS
'The inverse of norm_cdf. 0 < p < 1. Errors: 22023.';

CREATE FUNCTION erfcx(x float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION erfcx(float8) IS
'The scaled complementary error function, exp(x^2) erfc(x). Errors: 22023.';

CREATE FUNCTION erfc_inv(y float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION erfc_inv(float8) IS
'The inverse of the complementary error function. 0 < y < 2. Errors: 22023.';

-- ---------------------------------------------------------------------------
-- Calibration: composition
-- ---------------------------------------------------------------------------

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

-- ---------------------------------------------------------------------------
-- Calibration: conversions
-- ---------------------------------------------------------------------------

CREATE FUNCTION dp_to_pdp_delta_two(epsilon float8, delta float8, epsilon_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_to_pdp_delta_two(float8, float8, float8) IS
'The delta_hat for which every (epsilon, delta)-DP mechanism is (epsilon_hat, delta_hat)-probabilistically DP in both tails, P(|loss| > epsilon_hat) <= delta_hat, rounded up, at most 1. epsilon_hat > epsilon. Errors: 22023. Lemma 4 of Zhao et al. 2019.';

CREATE FUNCTION dp_to_pdp_delta_one(epsilon float8, delta float8, epsilon_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_to_pdp_delta_one(float8, float8, float8) IS
'The delta_hat for which every (epsilon, delta)-DP mechanism is (epsilon_hat, delta_hat)-probabilistically DP in one tail, P(loss > epsilon_hat) <= delta_hat, rounded up, at most 1. epsilon_hat > epsilon. Errors: 22023. Lemma 2.3 of Guingona et al. 2023. The other way round, probabilistic DP of either kind is DP with the same parameters.';

CREATE FUNCTION dp_to_pdp_eps_two(epsilon float8, delta float8, delta_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_to_pdp_eps_two(float8, float8, float8) IS
'The epsilon_hat for which every (epsilon, delta)-DP mechanism is (epsilon_hat, delta_hat)-probabilistically DP in both tails, rounded up. delta < delta_hat <= 1. Errors: 22023. Lemma 4 of Zhao et al. 2019.';

CREATE FUNCTION dp_to_pdp_eps_one(epsilon float8, delta float8, delta_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_to_pdp_eps_one(float8, float8, float8) IS
'The epsilon_hat for which every (epsilon, delta)-DP mechanism is (epsilon_hat, delta_hat)-probabilistically DP in one tail, rounded up. delta < delta_hat <= 1. Errors: 22023. Lemma 2.3 of Guingona et al. 2023.';

CREATE FUNCTION dp_to_pdp_eps_one_lower(epsilon float8, delta float8, delta_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_to_pdp_eps_one_lower(float8, float8, float8) IS
'The impossibility bound beside dp_to_pdp_eps_one: no epsilon_hat below it holds for every (epsilon, delta)-DP mechanism. Rounded down. Errors: 22023. Theorem 3.3 of Guingona et al. 2023.';

CREATE FUNCTION cex_n(epsilon float8, delta float8, epsilon_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cex_n(float8, float8, float8) IS
'The mechanism of Theorem 3.2 of Guingona et al. 2023 that is (epsilon, delta)-DP, but whose privacy loss exceeds epsilon_hat with probability above delta; n: how many outputs one data set gives beside the failure. 0 < delta < 0.5, epsilon_hat > epsilon - ln(1 - delta). Nearest value. Errors: 22023.';

CREATE FUNCTION cex_p(epsilon float8, delta float8, epsilon_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cex_p(float8, float8, float8) IS
'The mechanism of Theorem 3.2 of Guingona et al. 2023 that is (epsilon, delta)-DP, but whose privacy loss exceeds epsilon_hat with probability above delta; p: the probability of the output that leaks. 0 < delta < 0.5, epsilon_hat > epsilon - ln(1 - delta). Nearest value. Errors: 22023.';

CREATE FUNCTION cex_q(epsilon float8, delta float8, epsilon_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION cex_q(float8, float8, float8) IS
'The mechanism of Theorem 3.2 of Guingona et al. 2023 that is (epsilon, delta)-DP, but whose privacy loss exceeds epsilon_hat with probability above delta; q: the probability of each of the other n - 1 outputs. 0 < delta < 0.5, epsilon_hat > epsilon - ln(1 - delta). Nearest value. Errors: 22023.';

CREATE FUNCTION epsdp_to_mu(epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION epsdp_to_mu(float8) IS
'The least mu for which every epsilon-DP mechanism is mu-GDP, rounded up. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION laplace_to_mu(epsilon0 float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION laplace_to_mu(float8) IS
'The least mu for which Laplace noise of scale l1_sensitivity / epsilon0 is mu-GDP, rounded up; less than epsdp_to_mu. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION laplace_delta(epsilon float8, epsilon0 float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION laplace_delta(float8, float8) IS
'delta(epsilon) of Laplace noise of scale l1_sensitivity / epsilon0, rounded up. Errors: 22023.';

CREATE FUNCTION subsample_eps(epsilon float8, gamma float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION subsample_eps(float8, float8) IS
'epsilon of an epsilon-DP mechanism on a Poisson sample of rate gamma, ln(1 + gamma (e^epsilon - 1)), rounded up; delta becomes gamma delta. Neighbours by adding or removing a row. Errors: 22023. Theorem 9 of Balle, Barthe and Gaboardi 2018.';

CREATE FUNCTION subsampled_gauss_delta(epsilon float8, mu float8, gamma float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION subsampled_gauss_delta(float8, float8, float8) IS
'delta(epsilon) of a mu-GDP Gaussian mechanism on a Poisson sample of rate gamma, rounded up. Neighbours by adding or removing a row. Errors: 22023. Theorem 9 of Balle, Barthe and Gaboardi 2018.';

CREATE FUNCTION rdp_gauss(alpha float8, mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rdp_gauss(float8, float8) IS
'Renyi divergence of order alpha of a mu-GDP Gaussian mechanism, alpha mu^2 / 2, rounded up. alpha > 1. Errors: 22023.';

CREATE FUNCTION rdp_to_dp_delta(alpha float8, rdp float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rdp_to_dp_delta(float8, float8, float8) IS
'The delta for which (alpha, rdp)-Renyi DP implies (epsilon, delta)-DP, rounded up; 1 or more says that this order proves nothing. alpha > 1. Errors: 22023. Proposition 12 of Canonne, Kamath and Steinke 2020.';

CREATE FUNCTION rdp_to_dp_eps(alpha float8, rdp float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rdp_to_dp_eps(float8, float8, float8) IS
'The epsilon >= 0 for which (alpha, rdp)-Renyi DP implies (epsilon, delta)-DP, rounded up. alpha > 1. Errors: 22023. Proposition 12 of Canonne, Kamath and Steinke 2020.';

CREATE FUNCTION rdp_to_dp_eps_mironov(alpha float8, rdp float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION rdp_to_dp_eps_mironov(float8, float8, float8) IS
'The same as rdp_to_dp_eps by the looser Proposition 3 of Mironov 2017, rdp + ln(1/delta)/(alpha - 1), rounded up. Errors: 22023.';

CREATE FUNCTION zcdp_rho(sigma float8, l2_sensitivity float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION zcdp_rho(float8, float8) IS
'rho of zero-concentrated DP of Gaussian noise, (l2_sensitivity / sigma)^2 / 2, rounded up. Errors: 22023. Bun and Steinke 2016.';

CREATE FUNCTION gdp_to_zcdp(mu float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_to_zcdp(float8) IS
'rho of zero-concentrated DP of a mu-GDP Gaussian mechanism, mu^2 / 2, rounded up; it is (mu^2 / 2, mu)-mCDP and (mu^2 / 2, omega)-tCDP for every omega, too. Errors: 22023.';

CREATE FUNCTION epsdp_to_zcdp(epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION epsdp_to_zcdp(float8) IS
'rho of zero-concentrated DP of every epsilon-DP mechanism, epsilon^2 / 2, rounded up. Errors: 22023. Proposition 1.4 of Bun and Steinke 2016.';

CREATE FUNCTION zcdp_eps(rho float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION zcdp_eps(float8, float8) IS
'The epsilon for which rho-zCDP implies (epsilon, delta)-DP by the standard conversion, rho + 2 sqrt(rho ln(1/delta)), rounded up. Errors: 22023. Proposition 1.3 of Bun and Steinke 2016.';

CREATE FUNCTION zcdp_delta(rho float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION zcdp_delta(float8, float8) IS
'The delta for which rho-zCDP implies (epsilon, delta)-DP by the standard conversion, rounded up; 1 for epsilon <= rho. Errors: 22023. Proposition 1.3 of Bun and Steinke 2016.';

CREATE FUNCTION zcdp_eps_tight(rho float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION zcdp_eps_tight(float8, float8) IS
'The epsilon for which rho-zCDP implies (epsilon, delta)-DP by the tight conversion at the best order, rounded up. Errors: 22023. Proposition 12 of Canonne, Kamath and Steinke 2020.';

CREATE FUNCTION zcdp_delta_tight(rho float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION zcdp_delta_tight(float8, float8) IS
'The delta for which rho-zCDP implies (epsilon, delta)-DP by the tight conversion at the best order, rounded up, at most 1. Errors: 22023. Proposition 12 of Canonne, Kamath and Steinke 2020.';

CREATE FUNCTION zcdp_max_rho(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION zcdp_max_rho(float8, float8) IS
'The largest rho for which rho-zCDP implies (epsilon, delta)-DP by the tight conversion, rounded down. epsilon > 0. Errors: 22023.';

CREATE FUNCTION tcdp_eps(rho float8, omega float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tcdp_eps(float8, float8, float8) IS
'The epsilon for which (rho, omega)-truncated concentrated DP implies (epsilon, delta)-DP, rounded up. omega > 1. Errors: 22023. Bun, Dwork, Rothblum and Steinke 2018.';

CREATE FUNCTION tcdp_delta(rho float8, omega float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION tcdp_delta(float8, float8, float8) IS
'The delta for which (rho, omega)-truncated concentrated DP implies (epsilon, delta)-DP, rounded up. omega > 1. Errors: 22023. Bun, Dwork, Rothblum and Steinke 2018.';

CREATE FUNCTION mcdp_delta(epsilon float8, mean float8, tau float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION mcdp_delta(float8, float8, float8) IS
'The delta for which (mean, tau)-mean-concentrated DP implies (epsilon, delta)-DP, in both tails, rounded up; 1 for epsilon <= mean. Errors: 22023. Lemma 7 of Zhao et al. 2019.';

CREATE FUNCTION mcdp_eps(mean float8, tau float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION mcdp_eps(float8, float8, float8) IS
'The epsilon for which (mean, tau)-mean-concentrated DP implies (epsilon, delta)-DP, in both tails, rounded up. Errors: 22023. Lemma 7 of Zhao et al. 2019.';

CREATE FUNCTION dp_noise_interval(sigma float8, confidence float8 DEFAULT 0.95)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise_interval(float8, float8) IS
'Half width of the interval that holds Gaussian noise of standard deviation sigma with the given confidence, in the unit of sigma, rounded up. Errors: 22023.';

CREATE FUNCTION ci_halfwidth(sigma float8, beta float8, d float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION ci_halfwidth(float8, float8, float8) IS
'Half width that d independent values of Gaussian noise of standard deviation sigma all keep with probability 1 - beta, rounded up. Errors: 22023.';

CREATE FUNCTION sens_count(k float8, m float8, replace boolean)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sens_count(float8, float8, boolean) IS
'L2 sensitivity of a vector of counts per group, when a person has at most k rows in each of at most m groups; replace: neighbours replace a person instead of adding or removing one. Rounded up. Errors: 22023.';

CREATE FUNCTION sens_sum(lower float8, upper float8, k float8, m float8, replace boolean,
	single_group boolean)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sens_sum(float8, float8, float8, float8, boolean, boolean) IS
'L2 sensitivity of a vector of sums per group of values clipped to [lower, upper], when a person has at most k rows in each of at most m groups; replace: neighbours replace a person, within the same group where single_group. Rounded up. Errors: 22023.';

CREATE FUNCTION sens_vector_l2(norm float8, replace boolean)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sens_vector_l2(float8, boolean) IS
'L2 sensitivity of a sum of vectors that are clipped to the Euclidean norm, at most one for each person. Errors: 22023.';

CREATE FUNCTION sens_vector_box(lower float8, upper float8, d float8, replace boolean)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sens_vector_box(float8, float8, float8, boolean) IS
'L2 sensitivity of a sum of vectors of d coordinates clipped to [lower, upper], at most one for each person. Rounded up. Errors: 22023.';

CREATE FUNCTION avg_sigma_sum(lower float8, upper float8, mu float8, p float8, k float8, m float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION avg_sigma_sum(float8, float8, float8, float8, float8, float8) IS
'Standard deviation of the noise on the centred sum of an average whose sum and count together are mu-GDP, with the share p of mu^2 for the sum; k rows in m groups of one person. Rounded up. Errors: 22023.';

CREATE FUNCTION avg_sigma_count(mu float8, p float8, k float8, m float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION avg_sigma_count(float8, float8, float8, float8) IS
'Standard deviation of the noise on the count of an average, beside avg_sigma_sum. Rounded up. Errors: 22023.';

CREATE FUNCTION avg_std(lower float8, upper float8, average float8, mu float8, p float8, n float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION avg_std(float8, float8, float8, float8, float8, float8) IS
'Standard deviation of a noisy average of n rows, to first order, one row for each person. Rounded up. Errors: 22023.';

CREATE FUNCTION avg_best_p(lower float8, upper float8, average float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION avg_best_p(float8, float8, float8) IS
'The share of mu^2 for the sum that makes the noise of an average least, were the average known; 3/4 is never worse than 4/3 of its variance. Nearest value. Errors: 22023.';

-- ---------------------------------------------------------------------------
-- Calibration: the GDP transformation
-- ---------------------------------------------------------------------------

CREATE FUNCTION implied_delta(epsilon0 float8, delta0 float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION implied_delta(float8, float8, float8) IS
'The least delta for which every (epsilon0, delta0)-DP mechanism is (epsilon, delta)-DP, rounded up. Errors: 22023. Theorem 3.1 of Liu et al. 2022.';

CREATE FUNCTION implied_delta_max(epsilon float8, epsilon0 float8, delta0 float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION implied_delta_max(float8, float8, float8) IS
'The largest delta for which (epsilon, delta)-DP implies (epsilon0, delta0)-DP, rounded down; negative where no delta does. epsilon >= epsilon0. Errors: 22023. Corollary 3.1 of Liu et al. 2022.';

CREATE FUNCTION gdpt_epsdp(epsilon float8, epsilon0 float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdpt_epsdp(float8, float8) IS
'G(epsilon) of epsilon0-DP: the mu for which a Gaussian mechanism has the same delta at epsilon as the worst epsilon0-DP mechanism, rounded up. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION gdpt_laplace(epsilon float8, epsilon0 float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdpt_laplace(float8, float8) IS
'G(epsilon) of Laplace noise of scale l1_sensitivity / epsilon0, rounded up. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION sgd_switch(which float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sgd_switch(float8) IS
'Where the refinement of the profile delta = e^(-epsilon^2) begins: 0 epsilon, 1 delta. Nearest value. Errors: 22023. Section 5 of Liu et al. 2022.';

CREATE FUNCTION icea_switch(which float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION icea_switch(float8) IS
'Where the refinement of the profile delta = 4 e^-2 / epsilon begins: 0 epsilon, 1 delta. Nearest value. Errors: 22023. Section 5 of Liu et al. 2022.';

CREATE FUNCTION sgd_profile(epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION sgd_profile(float8) IS
'The profile delta = e^(-epsilon^2), refined by the partial order of (epsilon, delta), rounded up. Errors: 22023. Section 5 of Liu et al. 2022.';

CREATE FUNCTION icea_profile(epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION icea_profile(float8) IS
'The profile delta = 4 e^-2 / epsilon, refined by the partial order of (epsilon, delta), rounded up. Errors: 22023. Section 5 of Liu et al. 2022.';

CREATE FUNCTION refine_sigma_log(epsilon float8, delta float8, which float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION refine_sigma_log(float8, float8, float8) IS
'The refined sigma for a mechanism that needs sigma = -C ln(delta0) / epsilon0 to be (epsilon0, delta0)-DP, to be (epsilon, delta)-DP: 0 sigma / C, rounded up, 1 the epsilon0 and 2 the delta0 to aim at. Errors: 22023. Section 5 and Appendix C of Liu et al. 2022.';

CREATE FUNCTION gdp_head(profile text, parameters float8[], up_to float8, gap float8 DEFAULT
	0.001, OUT lower float8, OUT upper float8, OUT head_epsilon float8, OUT scope text, OUT
	residual_delta float8)
AS 'MODULE_PATHNAME', 'gdp_head_named' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_head(text, float8[], float8, float8) IS
'Measures for which mu a mechanism with a named profile is mu-GDP: pure {epsilon0}, laplace {epsilon0}, gaussian {mu}, subsampled_gaussian {mu, gamma}, sgd {}, icea {}. lower <= sup G <= upper <= lower + gap over the head, epsilon from 0 to up_to. scope says whether upper is proven for all epsilon or for the head only; then residual_delta is the delta of upper-GDP where the head ends. Errors: 22023, also where the gap needs more than 1000000 steps. Theorem 4.6 of Liu et al. 2022 as corrected in docs/mathematics.md.';

CREATE FUNCTION gdp_head_points(epsilons float8[], deltas float8[], up_to float8, gap float8
	DEFAULT 0.001, OUT lower float8, OUT upper float8, OUT head_epsilon float8, OUT scope text, OUT
	residual_delta float8)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_head_points(float8[], float8[], float8, float8) IS
'The same as gdp_head for a profile given as points: the mechanism is (epsilons[i], deltas[i])-DP, epsilons ascending and deltas not. Between points delta stays what it was, refined by what the next points imply (implied_delta); beyond the last point nothing is known, unless its delta is 0. Errors: 22023, also where the gap needs more than 1000000 steps. Theorem 4.6 of Liu et al. 2022 as corrected in docs/mathematics.md.';

CREATE FUNCTION gdp_tail(profile text, parameters float8[])
RETURNS float8 AS 'MODULE_PATHNAME', 'gdp_tail_named' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_tail(text, float8[]) IS
'limsup of G for epsilon to infinity of a named profile (see gdp_head): a lower bound of every mu for which the mechanism is mu-GDP; Infinity where there is none. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION gdp_tail_points(epsilons float8[], deltas float8[])
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_tail_points(float8[], float8[]) IS
'limsup of G for epsilon to infinity of a profile given as points (see gdp_head_points): 0 where the last delta is 0, otherwise Infinity. Errors: 22023.';

CREATE FUNCTION clip_reify_b(lower float8, upper float8, head_epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION clip_reify_b(float8, float8, float8) IS
'Scale of the Laplace noise that, after clamping to [lower, upper], makes a mechanism whose head up to head_epsilon is mu-GDP mu-GDP for all epsilon; in the unit of the bounds, rounded up. Errors: 22023. Theorem 4.7 of Liu et al. 2022.';

-- ---------------------------------------------------------------------------
-- Aggregates: counts, sums, averages
-- ---------------------------------------------------------------------------

CREATE TYPE dp_estimate AS (
	value float8, stddev float8, ci_low float8, ci_high float8,
	num float8, num_sd float8, den float8, den_sd float8, lower float8, upper float8);
COMMENT ON TYPE dp_estimate IS
'A released value with the standard deviation of its noise and its 95 % interval, all in the unit of the value. For averages, num is the noisy sum of the values less the centre of the bounds, den the noisy count, num_sd and den_sd the standard deviations of their noise, and lower and upper the bounds; else these are null.';

CREATE FUNCTION dp_estimate_interval(estimate dp_estimate, confidence float8, OUT low float8, OUT high float8)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_estimate_interval(dp_estimate, float8) IS
'The interval in which the value without noise lies with the given confidence, from released numbers only: value +- z stddev, for averages Fieller''s interval, as far as it lies within the bounds. 0 < confidence < 1. Error: 22023.';

CREATE FUNCTION dp_scalar_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_scalar_combine(internal, internal) IS
'Adds two states of dp_count, dp_sum or dp_avg. Error: 22023 where their parameters differ.';

CREATE FUNCTION dp_scalar_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_scalar_deserialize(bytea, internal) IS
'Reads a serialized state of dp_count, dp_sum or dp_avg. Errors: 22P03 and 22023 for bytes that are none.';

CREATE FUNCTION dp_count_accum(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_count_accum(internal, float8, float8) IS 'Transition of dp_count(epsilon, delta).';

CREATE FUNCTION dp_count_any_accum(internal, "any", float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_count_any_accum(internal, "any", float8, float8) IS
'Transition of dp_count(x, epsilon, delta).';

CREATE FUNCTION dp_count_any_accum(internal, "any", float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_count_any_accum(internal, "any", float8, float8, float8) IS
'Transition of dp_count(x, epsilon, delta, l2_sensitivity).';

-- One aggregate for each kind, form and type; all alike, hence made in a loop. Functions that a better match in
-- the extension's schema could take the place of say where they are.
DO $script$
DECLARE
	kind text;
	type text;
	form record;
	arguments text;
	accum text;
	variant text;
BEGIN
	FOREACH kind IN ARRAY ARRAY['count', 'sum', 'avg'] LOOP
		EXECUTE pg_catalog.format($$CREATE FUNCTION dp_%s_serialize(internal) RETURNS bytea
			AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$$, kind);
		EXECUTE pg_catalog.format($$COMMENT ON FUNCTION dp_%1$s_serialize(internal) IS
			'Serializes a state of dp_%1$s; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.'$$, kind);
		EXECUTE pg_catalog.format($$CREATE FUNCTION dp_%s_final(internal) RETURNS %s
			AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE$$,
			kind, CASE kind WHEN 'count' THEN 'int8' ELSE 'float8' END);
		EXECUTE pg_catalog.format($$CREATE FUNCTION dp_%s_estimate_final(internal) RETURNS dp_estimate
			AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE$$, kind);
		EXECUTE pg_catalog.format($$COMMENT ON FUNCTION dp_%1$s_final(internal) IS
			'Draws the noise of dp_%1$s; called again on the same state, it gives the same value.'$$, kind);
		EXECUTE pg_catalog.format($$COMMENT ON FUNCTION dp_%1$s_estimate_final(internal) IS
			'Draws the noise of dp_%1$s_estimate; called again on the same state, it gives the same values.'$$, kind);
	END LOOP;

	FOR form IN
		SELECT * FROM (VALUES
			('count', 'float8, float8', false,
			 'Number of rows plus noise, differentially private at (epsilon, delta) where a person owns at most one row; unbiased, hence at times negative, and never null. dp_count(epsilon, delta).'),
			('count', '"any", float8, float8', false,
			 'Number of rows in which x is not null plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_count(x, epsilon, delta).'),
			('count', '"any", float8, float8, float8', false,
			 'As dp_count(x, epsilon, delta), with noise for the L2 sensitivity that the caller vouches for: as many rows as a person may own. dp_count(x, epsilon, delta, l2_sensitivity).'),
			('sum', 'float8, float8, float8', true,
			 'Sum of x clamped to [-l2_sensitivity, l2_sensitivity] plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_sum(x, epsilon, delta, l2_sensitivity).'),
			('sum', 'float8, float8, float8, float8', true,
			 'Sum of x clamped to [lower, upper] plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_sum(x, epsilon, delta, lower, upper).'),
			('sum', 'float8, float8, float8, float8, int8', true,
			 'As dp_sum(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that. dp_sum(x, epsilon, delta, lower, upper, max_rows).'),
			('avg', 'float8, float8, float8, float8', true,
			 'Average of x clamped to [lower, upper], from a joint noisy release of sum and count, differentially private at (epsilon, delta) where a person owns at most one row; within the bounds and never null. dp_avg(x, epsilon, delta, lower, upper).'),
			('avg', 'float8, float8, float8, float8, int8', true,
			 'As dp_avg(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that. dp_avg(x, epsilon, delta, lower, upper, max_rows).')
			) AS t(kind, params, typed, meaning)
	LOOP
		FOREACH type IN ARRAY CASE WHEN form.typed
			THEN ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'] ELSE ARRAY[''] END
		LOOP
			arguments := pg_catalog.concat_ws(', ', nullif(type, ''), form.params);
			accum := CASE WHEN form.typed THEN pg_catalog.format('dp_%s_%s_accum', form.kind, type)
				WHEN arguments LIKE '"any"%' THEN 'dp_count_any_accum' ELSE 'dp_count_accum' END;
			IF form.typed THEN
				EXECUTE pg_catalog.format($$CREATE FUNCTION %1$s(internal, %2$s) RETURNS internal
					AS 'MODULE_PATHNAME', '%1$s' LANGUAGE C IMMUTABLE PARALLEL SAFE$$, accum, arguments);
				EXECUTE pg_catalog.format($$COMMENT ON FUNCTION %s(internal, %s) IS 'Transition of dp_%s(%s).'$$,
					accum, arguments, form.kind, arguments);
			END IF;
			FOREACH variant IN ARRAY ARRAY['', '_estimate'] LOOP
				EXECUTE pg_catalog.format($$CREATE AGGREGATE dp_%1$s%4$s(%2$s) (
					SFUNC = %3$s, STYPE = internal, SSPACE = 32,
					FINALFUNC = dp_%1$s%4$s_final, FINALFUNC_MODIFY = READ_WRITE,
					COMBINEFUNC = dp_scalar_combine, SERIALFUNC = dp_%1$s_serialize,
					DESERIALFUNC = dp_scalar_deserialize, PARALLEL = SAFE)$$,
					form.kind, arguments, accum, variant);
				EXECUTE pg_catalog.format('COMMENT ON AGGREGATE dp_%s%s(%s) IS %L', form.kind, variant, arguments,
					CASE variant WHEN '' THEN '' ELSE 'As a dp_estimate, with standard deviation and interval: ' END
					|| form.meaning || ' Errors: 22023.');
			END LOOP;
		END LOOP;
	END LOOP;
END
$script$;

-- What calls with constant parameters are planned as: the same, with all of them in one constant.
DO $script$
DECLARE
	call record;
BEGIN
	FOR call IN
		SELECT kind, arguments, CASE WHEN type IS NULL THEN 'dp_count_accum' ELSE pg_catalog.format('dp_%s_%s_accum', kind, type) END AS accum
		FROM (VALUES ('count', ARRAY[NULL]), ('sum', ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric']),
			('avg', ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'])) AS k(kind, types),
			pg_catalog.unnest(types) AS type, pg_catalog.concat_ws(', ', type, 'float8[]') AS arguments
	LOOP
		EXECUTE pg_catalog.format($$CREATE FUNCTION %1$s(internal, %2$s) RETURNS internal
			AS 'MODULE_PATHNAME', '%1$s' LANGUAGE C IMMUTABLE PARALLEL SAFE$$, call.accum, call.arguments);
		EXECUTE pg_catalog.format($$COMMENT ON FUNCTION %1$s(internal, %3$s) IS 'Transition of dp_%2$s_packed(%3$s).'$$,
			call.accum, call.kind, call.arguments);
		EXECUTE pg_catalog.format($$CREATE AGGREGATE dp_%1$s_packed(%2$s) (
			SFUNC = %3$s, STYPE = internal, SSPACE = 32,
			FINALFUNC = dp_%1$s_final, FINALFUNC_MODIFY = READ_WRITE,
			COMBINEFUNC = dp_scalar_combine, SERIALFUNC = dp_%1$s_serialize,
			DESERIALFUNC = dp_scalar_deserialize, PARALLEL = SAFE)$$, call.kind, call.arguments, call.accum);
		EXECUTE pg_catalog.format($$COMMENT ON AGGREGATE dp_%1$s_packed(%2$s) IS
			'What dp_%1$s with constant parameters is planned as: the same, with all parameters in one array, epsilon first. For the planner; queries of protected tables that call it are refused. Errors: 22023.'$$,
			call.kind, call.arguments);
	END LOOP;
END
$script$;

-- ---------------------------------------------------------------------------
-- Aggregates: vectors, variance, histogram, quantile, group threshold
-- ---------------------------------------------------------------------------

CREATE FUNCTION dp_cells_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_cells_combine(internal, internal) IS
'Adds two states of dp_var, dp_histogram, dp_quantile or a vector sum. Error: 22023 where their parameters differ.';

CREATE FUNCTION dp_cells_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_cells_deserialize(bytea, internal) IS
'Reads a serialized state of dp_var, dp_histogram, dp_quantile or a vector sum. Errors: 22P03 and 22023 for bytes that are none.';

CREATE FUNCTION dp_keep_group_accum(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_keep_group_accum(internal, float8, float8) IS 'Transition of dp_keep_group(epsilon, delta).';

CREATE FUNCTION dp_keep_group_accum(internal, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_keep_group_accum(internal, float8, float8, int8) IS
'Transition of dp_keep_group(epsilon, delta, max_rows).';

-- As above, one aggregate for each form and type; none of the types for those that take no value. The
-- transition of a vector is one C function, which reads the type from the array.
DO $script$
DECLARE
	family record;
	form record;
	type text;
	arguments text;
	transition text;
BEGIN
	FOR family IN
		SELECT * FROM (VALUES
			('keep_group', ARRAY[NULL], 'dp_scalar', 32, ARRAY['keep_group bool']),
			('var', ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'], 'dp_cells', 64, ARRAY['var float8', 'stddev float8']),
			('histogram', ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'], 'dp_cells', 256, ARRAY['histogram int8[]']),
			('quantile', ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'], 'dp_cells', 8232, ARRAY['quantile float8']),
			('vector_sum', ARRAY['int2[]', 'int4[]', 'int8[]', 'float4[]', 'float8[]', 'numeric[]'], 'dp_cells', 512, ARRAY['vector_sum float8[]']),
			('vector_avg', ARRAY['int2[]', 'int4[]', 'int8[]', 'float4[]', 'float8[]', 'numeric[]'], 'dp_cells', 512, ARRAY['vector_avg float8[]'])
			) AS t(name, types, state, space, finals)
	LOOP
		EXECUTE pg_catalog.format($$CREATE FUNCTION dp_%s_serialize(internal) RETURNS bytea
			AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$$, family.name);
		EXECUTE pg_catalog.format($$COMMENT ON FUNCTION dp_%s_serialize(internal) IS
			'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.'$$, family.name);
		FOR i IN 1 .. pg_catalog.array_length(family.finals, 1) LOOP
			EXECUTE pg_catalog.format($$CREATE FUNCTION dp_%s_final(internal) RETURNS %s
				AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE$$,
				pg_catalog.split_part(family.finals[i], ' ', 1), pg_catalog.split_part(family.finals[i], ' ', 2));
			EXECUTE pg_catalog.format($$COMMENT ON FUNCTION dp_%s_final(internal) IS
				'Draws the noise; called again on the same state, it gives the same result.'$$,
				pg_catalog.split_part(family.finals[i], ' ', 1));
		END LOOP;

		FOR form IN
			SELECT * FROM (VALUES
				('keep_group', 'keep_group', 'keep_group', 'float8, float8',
				 'For HAVING: whether the group''s number of rows plus noise exceeds a threshold that hides any one person: the groups that exist through one person alone appear with a probability of at most delta / 2. Differentially private at (epsilon, delta) where a person owns at most one row. dp_keep_group(epsilon, delta).'),
				('keep_group', 'keep_group', 'keep_group', 'float8, float8, int8',
				 'As dp_keep_group(epsilon, delta), for persons who own at most max_rows rows in all groups together; the caller vouches for that. dp_keep_group(epsilon, delta, max_rows).'),
				('var', 'var', 'var', 'float8, float8, float8, float8',
				 'Variance of x clamped to [lower, upper] (as var_pop), from a joint noisy release of count, sum and sum of squares; between 0 and (upper - lower)^2 / 4, never null. Differentially private at (epsilon, delta) where a person owns at most one row. dp_var(x, epsilon, delta, lower, upper).'),
				('var', 'var', 'var', 'float8, float8, float8, float8, int8',
				 'As dp_var(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that.'),
				('var', 'stddev', 'stddev', 'float8, float8, float8, float8',
				 'Standard deviation of x clamped to [lower, upper]: the square root of dp_var. dp_stddev(x, epsilon, delta, lower, upper).'),
				('var', 'stddev', 'stddev', 'float8, float8, float8, float8, int8',
				 'As dp_stddev(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that.'),
				('histogram', 'histogram', 'histogram', 'float8, float8, float8, float8, int8',
				 'Number of rows in each of bins equal parts of [lower, upper], with noise in every part; the outer ones take what lies beyond the bounds. 1 to 10000 bins. Differentially private at (epsilon, delta) where a person owns at most one row. dp_histogram(x, epsilon, delta, lower, upper, bins).'),
				('quantile', 'quantile', 'quantile', 'float8, float8, float8, float8, float8',
				 'The q-quantile of x clamped to [lower, upper], 0 <= q <= 1, to within one of 1024 equal parts of the bounds, by noisy bisection. Differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_quantile(x, epsilon, delta, lower, upper, q).'),
				('quantile', 'median', 'quantile', 'float8, float8, float8, float8',
				 'The median of x: dp_quantile with q = 0.5. dp_median(x, epsilon, delta, lower, upper).'),
				('vector_sum', 'sum', 'vector_sum', 'float8, float8, float8, int8',
				 'Sum of vectors of the given number of dimensions (1 to 10000), each scaled down to the Euclidean norm l2_norm where it is longer, plus noise in every coordinate. A row of another length, or with a NULL or NaN in it, counts for nothing. Differentially private at (epsilon, delta) where a person owns at most one row. dp_sum(x, epsilon, delta, l2_norm, dimensions).'),
				('vector_avg', 'avg', 'vector_avg', 'float8, float8, float8, int8',
				 'Average of vectors, from a joint noisy release of their sum and number; of norm l2_norm at most. Else as dp_sum(x, epsilon, delta, l2_norm, dimensions).')
				) AS t(family, name, final, params, meaning)
			WHERE t.family = family.name
		LOOP
			FOREACH type IN ARRAY family.types::text[] LOOP
				arguments := pg_catalog.concat_ws(', ', type, form.params);
				transition := pg_catalog.concat_ws('_', family.name, CASE WHEN type NOT LIKE '%[]' THEN type END);
				-- dp_stddev shares the transitions of dp_var; dp_median has its own number of arguments.
				IF type IS NOT NULL AND form.name <> 'stddev' THEN
					EXECUTE pg_catalog.format($$CREATE FUNCTION dp_%1$s_accum(internal, %2$s) RETURNS internal
						AS 'MODULE_PATHNAME', 'dp_%1$s_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE$$,
						transition, arguments);
					EXECUTE pg_catalog.format($$COMMENT ON FUNCTION dp_%s_accum(internal, %s) IS 'Transition of dp_%s(%s).'$$,
						transition, arguments, form.name, arguments);
				END IF;
				EXECUTE pg_catalog.format($$CREATE AGGREGATE dp_%1$s(%2$s) (
					SFUNC = dp_%3$s_accum, STYPE = internal, SSPACE = %4$s,
					FINALFUNC = dp_%5$s_final, FINALFUNC_MODIFY = READ_WRITE,
					COMBINEFUNC = %6$s_combine, SERIALFUNC = dp_%7$s_serialize,
					DESERIALFUNC = %6$s_deserialize, PARALLEL = SAFE)$$,
					form.name, arguments, transition, family.space,
					form.final, family.state, family.name);
				EXECUTE pg_catalog.format('COMMENT ON AGGREGATE dp_%s(%s) IS %L', form.name, arguments,
					form.meaning || ' Errors: 22023.');
			END LOOP;
		END LOOP;
	END LOOP;
END
$script$;


-- ---------------------------------------------------------------------------
-- Aggregates: three arguments, bounds declared or found
-- ---------------------------------------------------------------------------

CREATE FUNCTION dp_unplanned_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_unplanned_serialize(internal) IS
'Of a call whose bounds were not resolved when the query was planned. Error: 55000.';

CREATE FUNCTION dp_unplanned_final(internal) RETURNS float8
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dp_unplanned_final(internal) IS
'Of a call whose bounds were not resolved when the query was planned. Error: 55000.';

CREATE FUNCTION dp_unplanned_estimate_final(internal) RETURNS dp_estimate
AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION dp_unplanned_estimate_final(internal) IS
'Of a call whose bounds were not resolved when the query was planned. Error: 55000.';

DO $script$
DECLARE
	kind text;
	type text;
	variant text;
	meaning text;
BEGIN
	FOREACH kind IN ARRAY ARRAY['sum', 'avg'] LOOP
		EXECUTE pg_catalog.format($$CREATE FUNCTION dp_%s_auto_serialize(internal) RETURNS bytea
			AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$$, kind);
		EXECUTE pg_catalog.format($$COMMENT ON FUNCTION dp_%1$s_auto_serialize(internal) IS
			'Serializes a state of dp_%1$s_auto; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.'$$, kind);
		FOREACH variant IN ARRAY ARRAY['', '_estimate'] LOOP
			EXECUTE pg_catalog.format($$CREATE FUNCTION dp_%s_auto%s_final(internal) RETURNS %s
				AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE$$,
				kind, variant, CASE variant WHEN '' THEN 'float8' ELSE 'dp_estimate' END);
			EXECUTE pg_catalog.format($$COMMENT ON FUNCTION dp_%1$s_auto%2$s_final(internal) IS
				'Finds bounds and draws the noise of dp_%1$s_auto%2$s; called again on the same state, it gives the same.'$$,
				kind, variant);
		END LOOP;
	END LOOP;

	FOREACH type IN ARRAY ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'] LOOP
		EXECUTE pg_catalog.format($$CREATE FUNCTION dp_unplanned_accum(internal, %s, float8, float8) RETURNS internal
			AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$$, type);
		EXECUTE pg_catalog.format($$COMMENT ON FUNCTION dp_unplanned_accum(internal, %s, float8, float8) IS
			'Of a call whose bounds were not resolved when the query was planned. Error: 55000.'$$, type);
		FOREACH kind IN ARRAY ARRAY['sum', 'avg'] LOOP
			EXECUTE pg_catalog.format($$CREATE FUNCTION dp_%1$s_auto_%2$s_accum(internal, %2$s, float8, float8) RETURNS internal
				AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$$, kind, type);
			EXECUTE pg_catalog.format($$COMMENT ON FUNCTION dp_%1$s_auto_%2$s_accum(internal, %2$s, float8, float8) IS
				'Transition of dp_%1$s_auto(%2$s, float8, float8).'$$, kind, type);
			FOREACH variant IN ARRAY ARRAY['', '_estimate'] LOOP
				meaning := CASE variant WHEN '' THEN '' ELSE 'As a dp_estimate, with standard deviation and interval: ' END
					|| CASE kind WHEN 'sum' THEN 'sum' ELSE 'average' END || ' of x, ';
				EXECUTE pg_catalog.format($$CREATE AGGREGATE dp_%1$s%2$s(%3$s, float8, float8) (
					SFUNC = dp_unplanned_accum, STYPE = internal, SSPACE = 32,
					FINALFUNC = dp_unplanned%2$s_final, FINALFUNC_MODIFY = READ_WRITE,
					COMBINEFUNC = dp_scalar_combine, SERIALFUNC = dp_unplanned_serialize,
					DESERIALFUNC = dp_scalar_deserialize, PARALLEL = SAFE)$$, kind, variant, type);
				EXECUTE pg_catalog.format('COMMENT ON AGGREGATE dp_%s%s(%s, float8, float8) IS %L', kind, variant, type,
					meaning || pg_catalog.format('with private automatic bounds: planned as dp_%s_auto%s. dp_%s%s(x, epsilon, delta). Errors: 22023; 55000 where the library was not loaded when the query was planned.',
						kind, variant, kind, variant));
				EXECUTE pg_catalog.format($$CREATE AGGREGATE dp_%1$s_auto%2$s(%3$s, float8, float8) (
					SFUNC = dp_%1$s_auto_%3$s_accum, STYPE = internal, SSPACE = 8384,
					FINALFUNC = dp_%1$s_auto%2$s_final, FINALFUNC_MODIFY = READ_WRITE,
					COMBINEFUNC = dp_cells_combine, SERIALFUNC = dp_%1$s_auto_serialize,
					DESERIALFUNC = dp_cells_deserialize, PARALLEL = SAFE)$$, kind, variant, type);
				EXECUTE pg_catalog.format('COMMENT ON AGGREGATE dp_%s_auto%s(%s, float8, float8) IS %L', kind, variant, type,
					meaning || pg_catalog.format('within bounds that are found privately from the values'' powers of two, with one eighth of mu^2; never null. Differentially private at (epsilon, delta) where a person owns at most one row. dp_%s_auto%s(x, epsilon, delta). Errors: 22023.',
						kind, variant));
			END LOOP;
		END LOOP;
	END LOOP;
END
$script$;

-- ---------------------------------------------------------------------------
-- Declarations (schema gaussdp)
-- ---------------------------------------------------------------------------

-- From here on every name says its schema. Nothing in the extension's own shall be called for a built-in one.
SET LOCAL search_path = pg_catalog, pg_temp;

CREATE SCHEMA gaussdp;
COMMENT ON SCHEMA gaussdp IS 'Administration of gaussdp: declarations, budgets, policy.';
GRANT USAGE ON SCHEMA gaussdp TO PUBLIC;

CREATE FUNCTION gaussdp.label(existing text, item text, text, text, text, int8, float8, float8) RETURNS text
AS 'MODULE_PATHNAME', 'gaussdp_label' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp.label(text, text, text, text, text, int8, float8, float8) IS
'The text of a security label with one item changed; for the functions of this schema. Changes nothing by itself.';

CREATE FUNCTION gaussdp.table_declaration("table" regclass, OUT declared_on regclass, OUT unit text, OUT max_rows int8, OUT people text, OUT problem text)
AS 'MODULE_PATHNAME', 'gaussdp_table_declaration' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp.table_declaration(regclass) IS
'What is declared of a protected table or a partition of one, as it holds now; problem says why nothing can be asked of it. NULL for tables that are not protected.';

CREATE FUNCTION gaussdp.column_declaration("table" regclass, attnum int2, OUT lower float8, OUT upper float8, OUT key_table regclass, OUT key_column text)
AS 'MODULE_PATHNAME', 'gaussdp_column_declaration' LANGUAGE C STABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp.column_declaration(regclass, int2) IS
'What is declared of a column, as it holds now; NULL for columns of which nothing is.';

-- Writes the label of a table (attnum 0) or a column with the rights of the caller: only owners may.
CREATE FUNCTION gaussdp.write_label("table" regclass, "column" name, item text, a text DEFAULT NULL, b text DEFAULT NULL,
  c text DEFAULT NULL, n int8 DEFAULT NULL, lower float8 DEFAULT NULL, upper float8 DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  number int2 := 0;
  existing text;
BEGIN
  IF "table" IS NULL THEN
    RAISE EXCEPTION 'table must not be null' USING ERRCODE = 'null_value_not_allowed';
  END IF;
  IF item <> 'protected' THEN
    SELECT a.attnum INTO number FROM pg_attribute AS a
    WHERE a.attrelid = "table" AND a.attname = "column" AND NOT a.attisdropped;
    IF NOT FOUND THEN
      RAISE EXCEPTION 'column "%" of table % does not exist', "column", "table" USING ERRCODE = 'undefined_column';
    END IF;
  END IF;
  SELECT l.label INTO existing FROM pg_seclabel AS l
  WHERE l.objoid = "table" AND l.classoid = 'pg_class'::regclass AND l.objsubid = number AND l.provider = 'gaussdp';
  EXECUTE format('SECURITY LABEL FOR gaussdp ON %s %s%s IS %L', CASE number WHEN 0 THEN 'TABLE' ELSE 'COLUMN' END,
    "table", CASE number WHEN 0 THEN '' ELSE format('.%I', "column") END,
    gaussdp.label(existing, item, a, b, c, n, lower, upper));
END
$$;
COMMENT ON FUNCTION gaussdp.write_label(regclass, name, text, text, text, text, int8, float8, float8) IS
'Changes one item of a security label, with the rights of the caller; for the functions of this schema.';

CREATE FUNCTION gaussdp.protect("table" regclass, unit name, max_rows int8 DEFAULT 1, people text DEFAULT NULL) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  other name;
BEGIN
  IF max_rows IS NULL OR max_rows < 1 OR max_rows > 999999999999999999 THEN
    RAISE EXCEPTION 'max_rows is out of range: %', coalesce(max_rows::text, 'NULL')
      USING ERRCODE = 'invalid_parameter_value', DETAIL = 'max_rows must be between 1 and 999999999999999999.';
  END IF;
  FOR other IN
    SELECT a.attname FROM pg_attribute AS a
    JOIN pg_seclabel AS l ON l.objoid = a.attrelid AND l.objsubid = a.attnum AND l.classoid = 'pg_class'::regclass
    WHERE a.attrelid = "table" AND a.attname <> unit AND l.provider = 'gaussdp' AND l.label ~ '^unit( |$)'
  LOOP
    PERFORM gaussdp.write_label("table", other, 'no unit');
  END LOOP;
  PERFORM gaussdp.write_label("table", unit, 'unit');
  PERFORM gaussdp.write_label("table", NULL, 'protected', people, n => max_rows);
END
$$;
COMMENT ON FUNCTION gaussdp.protect(regclass, name, int8, text) IS
'Declares a table as protected. unit: the column that says whose row it is, NOT NULL. max_rows: most rows of one unit; with 1 a unique index on the unit column must prove it. people: the population, shared by all tables about the same people; by default the table is one of its own. Only for the owner. Errors: 42501, 42703, 22023.';

CREATE FUNCTION gaussdp.unprotect("table" regclass) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  marked name;
BEGIN
  IF "table" IS NULL THEN
    RAISE EXCEPTION 'table must not be null' USING ERRCODE = 'null_value_not_allowed';
  END IF;
  FOR marked IN
    SELECT a.attname FROM pg_attribute AS a
    JOIN pg_seclabel AS l ON l.objoid = a.attrelid AND l.objsubid = a.attnum AND l.classoid = 'pg_class'::regclass
    WHERE a.attrelid = "table" AND l.provider = 'gaussdp' AND l.label ~ '^unit( |$)'
  LOOP
    PERFORM gaussdp.write_label("table", marked, 'no unit');
  END LOOP;
  EXECUTE format('SECURITY LABEL FOR gaussdp ON TABLE %s IS NULL', "table");
END
$$;
COMMENT ON FUNCTION gaussdp.unprotect(regclass) IS
'Takes the declaration of a protected table back; bounds and public keys of its columns stay. Only for the owner. Error: 42501.';

CREATE FUNCTION gaussdp.set_bounds("table" regclass, "column" name, lower float8, upper float8) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  -- NaN is greater than Infinity here.
  IF lower IS NULL OR upper IS NULL OR NOT (lower > '-Infinity' AND lower < upper AND upper < 'Infinity') THEN
    RAISE EXCEPTION 'bounds are out of range: lower %, upper %', coalesce(lower::text, 'NULL'), coalesce(upper::text, 'NULL')
      USING ERRCODE = 'invalid_parameter_value', DETAIL = 'Bounds must be finite, and lower must be less than upper.';
  END IF;
  PERFORM gaussdp.write_label("table", "column", 'bounds', lower => lower, upper => upper);
END
$$;
COMMENT ON FUNCTION gaussdp.set_bounds(regclass, name, float8, float8) IS
'Declares that values of a column are to be clamped to [lower, upper] where a call gives no bounds. They must come from what is publicly known of the column, never from its data. Only for the owner. Errors: 42501, 42703, 22023.';

CREATE FUNCTION gaussdp.drop_bounds("table" regclass, "column" name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
BEGIN
  PERFORM gaussdp.write_label("table", "column", 'no bounds');
END
$$;
COMMENT ON FUNCTION gaussdp.drop_bounds(regclass, name) IS
'Takes the declared bounds of a column back. Only for the owner. Errors: 42501, 42703.';

CREATE FUNCTION gaussdp.set_public_keys("table" regclass, "column" name, key_table regclass, key_column name) RETURNS void
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
  place record;
BEGIN
  IF key_table IS NULL AND key_column IS NULL THEN
    PERFORM gaussdp.write_label("table", "column", 'no keys');
    RETURN;
  END IF;
  SELECT n.nspname, c.relname, c.relkind, k.atttypid AS type, a.atttypid AS wanted INTO place
  FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_attribute AS k ON k.attrelid = c.oid AND k.attname = key_column AND NOT k.attisdropped AND k.attnum > 0
  LEFT JOIN pg_attribute AS a ON a.attrelid = "table" AND a.attname = "column" AND NOT a.attisdropped
  WHERE c.oid = key_table;
  IF NOT FOUND THEN
    RAISE EXCEPTION 'column "%" of table % does not exist', key_column, key_table USING ERRCODE = 'undefined_column';
  END IF;
  IF place.relkind NOT IN ('r', 'p') THEN
    RAISE EXCEPTION '% is not a table', key_table USING ERRCODE = 'wrong_object_type', DETAIL = 'Public keys stand in a table.';
  END IF;
  IF place.type <> place.wanted THEN
    RAISE EXCEPTION 'column "%" of table % has another type than column "%"', key_column, key_table, "column"
      USING ERRCODE = 'datatype_mismatch', DETAIL = format('It is %s, not %s.', format_type(place.type, NULL), format_type(place.wanted, NULL));
  END IF;
  PERFORM gaussdp.write_label("table", "column", 'keys', place.nspname, place.relname, key_column);
END
$$;
COMMENT ON FUNCTION gaussdp.set_public_keys(regclass, name, regclass, name) IS
'Declares that key_column of key_table holds every public value of a column, and nothing that comes from protected rows; key_table and key_column NULL take it back. The declaration goes by name: a key table that is renamed must be declared again. Only for the owner of table. Errors: 42501, 42703, 42804, 42809.';

CREATE VIEW gaussdp.protected_tables AS
SELECT c.oid::pg_catalog.regclass AS "table", d.unit, d.max_rows, d.people, d.problem IS NULL AS usable, d.problem
FROM pg_catalog.pg_seclabel AS l
JOIN pg_catalog.pg_class AS c ON c.oid = l.objoid
CROSS JOIN LATERAL gaussdp.table_declaration(c.oid::pg_catalog.regclass) AS d
WHERE l.provider = 'gaussdp' AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND l.objsubid = 0;
COMMENT ON VIEW gaussdp.protected_tables IS
'Tables that are declared as protected: unit column, most rows of a unit, population (null: the table''s own), and why a declaration is of no use.';

CREATE VIEW gaussdp.column_bounds AS
SELECT c.oid::pg_catalog.regclass AS "table", a.attname AS "column", d.lower, d.upper, d.key_table, d.key_column, l.label
FROM pg_catalog.pg_seclabel AS l
JOIN pg_catalog.pg_class AS c ON c.oid = l.objoid
JOIN pg_catalog.pg_attribute AS a ON a.attrelid = c.oid AND a.attnum = l.objsubid
LEFT JOIN LATERAL gaussdp.column_declaration(c.oid::pg_catalog.regclass, a.attnum) AS d ON true
WHERE l.provider = 'gaussdp' AND l.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND l.objsubid > 0
  AND l.label <> 'unit';
COMMENT ON VIEW gaussdp.column_bounds IS
'Columns with declared bounds or public keys, as they hold now; what the label says beside it.';

GRANT SELECT ON gaussdp.protected_tables, gaussdp.column_bounds TO PUBLIC;

-- ---------------------------------------------------------------------------
-- Ledger (schema gaussdp)
-- ---------------------------------------------------------------------------

CREATE SEQUENCE gaussdp.journal_number;
COMMENT ON SEQUENCE gaussdp.journal_number IS 'Numbers of gaussdp.journal: one for each charge and each act of an owner.';

-- One row for each pot. people is a population's name, or empty for the people of relation alone.
CREATE TABLE gaussdp.pot (
  people text NOT NULL,
  relation regclass NOT NULL,
  holder "char" NOT NULL,                               -- p, the population itself; r, a role
  role regrole NOT NULL,                                -- '-' is PUBLIC
  role_name text NOT NULL,                              -- as last seen; p: who owned the last table, when it went
  granted boolean NOT NULL,
  epsilon float8,
  delta float8,
  threshold_delta float8,
  max_epsilon_per_query float8,
  limit_mu2 int8,                                       -- 2^-52; NULL: no limit
  limit_delta int8,                                     -- 2^-62
  query_mu2 int8,
  every interval,
  since timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(),
  period int8 NOT NULL DEFAULT 0,
  spent_mu2 int8 NOT NULL DEFAULT 0,
  spent_delta int8 NOT NULL DEFAULT 0,
  PRIMARY KEY (people, relation, holder, role)
) USING heap WITH (fillfactor = 50);
COMMENT ON TABLE gaussdp.pot IS 'Budgets and what is spent of them; written by the ledger alone. See gaussdp.budget.';

CREATE TABLE gaussdp.journal_entry (
  charge int8 NOT NULL,
  item int4 NOT NULL,
  at timestamptz NOT NULL,
  event text NOT NULL,
  session_role text NOT NULL,
  role text NOT NULL,
  people text NOT NULL,
  relation regclass NOT NULL,
  relation_name text NOT NULL,
  kind text,
  l2_sensitivity float8,
  sigma float8,
  mu2 int8,
  threshold_delta int8,
  query_id int8,
  query_text text,
  terms text,                                           -- of a grant or limit
  PRIMARY KEY (charge, item)
);
COMMENT ON TABLE gaussdp.journal_entry IS 'What was charged and what owners did; written by the ledger alone. See gaussdp.journal.';

-- Of a role, whichever pots pay for it. pg_dump writes tables by name: a restored budget finds its suspension there.
CREATE TABLE gaussdp.error_count (
  people text NOT NULL,                                 -- as in gaussdp.pot
  relation regclass NOT NULL,
  role regrole NOT NULL,
  role_name text NOT NULL,                              -- as last seen
  errors int8 NOT NULL,
  clears timestamptz NOT NULL,                          -- when the last period ends of the pots that paid
  suspended timestamptz,                                -- since then; NULL: it is not
  PRIMARY KEY (people, relation, role)
) USING heap;
CREATE INDEX error_count_suspended ON gaussdp.error_count (role) WHERE suspended IS NOT NULL;
COMMENT ON TABLE gaussdp.error_count IS 'Errors inside of private queries, and who is suspended after them; written by the ledger alone. See gaussdp.budget.';

REVOKE ALL ON SEQUENCE gaussdp.journal_number FROM PUBLIC;
REVOKE ALL ON gaussdp.pot, gaussdp.journal_entry, gaussdp.error_count FROM PUBLIC;
SELECT pg_catalog.pg_extension_config_dump('gaussdp.journal_number', '');
SELECT pg_catalog.pg_extension_config_dump('gaussdp.journal_entry',
  'WHERE relation = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation)');
SELECT pg_catalog.pg_extension_config_dump('gaussdp.pot',
  'WHERE (role = 0 OR EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = role)) AND (relation = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation))');
SELECT pg_catalog.pg_extension_config_dump('gaussdp.error_count',
  'WHERE EXISTS (SELECT FROM pg_catalog.pg_roles AS r WHERE r.oid = role) AND (relation = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class AS c WHERE c.oid = relation))');

CREATE FUNCTION gaussdp.period_number(since timestamptz, every interval) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_period_number' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp.period_number(timestamptz, interval) IS
'How many whole periods have passed since then; 0 without a period.';

CREATE FUNCTION gaussdp.mu2_epsilon(mu2 int8, delta float8) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_mu2_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp.mu2_epsilon(int8, float8) IS
'The epsilon at delta of a sum of mu^2 in units of 2^-52, rounded up. Theorem 8, Balle and Wang 2018. Error: 22023.';

CREATE FUNCTION gaussdp.grant_budget("role" text, "table" regclass, epsilon float8, delta float8, every interval DEFAULT NULL,
  max_epsilon_per_query float8 DEFAULT NULL, threshold_delta float8 DEFAULT NULL) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_grant_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.grant_budget(text, regclass, float8, float8, interval, float8, float8) IS
'Lets a role, or public, learn (epsilon, delta) about the people of a table in each period; again, to change it. every: days and hours, for ever by default. threshold_delta: the part of delta for group thresholds, delta/2 by default. What is spent stays spent. Only for the owner of all tables about these people. Errors: 22004, 22023, 42501, 42704, 42P01, 55000.';

CREATE FUNCTION gaussdp.revoke_budget("role" text, "table" regclass) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_revoke_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.revoke_budget(text, regclass) IS
'Takes a role''s budget back; what it has spent is remembered. Only for the owner of all tables about these people. Errors: 22004, 42501, 42704, 42P01, 55000.';

CREATE FUNCTION gaussdp.set_population_budget(people text, epsilon float8, delta float8, every interval DEFAULT NULL,
  max_epsilon_per_query float8 DEFAULT NULL, threshold_delta float8 DEFAULT NULL) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_set_population_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.set_population_budget(text, float8, float8, interval, float8, float8) IS
'Limits what all roles together learn about a population, named by people of gaussdp.protect() or, if there is none, by a table. NULL for epsilon and delta takes the limit away. Only for the owner of all its tables. Errors: 22004, 22023, 42501, 42P01, 42P08, 55000.';

CREATE FUNCTION gaussdp.reset_budget("table" regclass, "role" text DEFAULT NULL) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_reset_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.reset_budget(regclass, text) IS
'Forgets what a role, or public, has spent, or everything spent on the table''s population; the guarantee starts anew. The journal keeps all. Only for the owner of all tables about these people. Errors: 22004, 42501, 42704, 42P01, 55000.';

CREATE FUNCTION gaussdp.resume_budget("role" text, "table" regclass) RETURNS void
AS 'MODULE_PATHNAME', 'gaussdp_resume_budget' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.resume_budget(text, regclass) IS
'Lets a role go on that was suspended for the people of a table after more than gaussdp.max_private_errors errors inside of its private queries, and counts its errors from zero. Only for the owner of all tables about these people. Errors: 22004, 42501, 42704, 42P01, 55000.';

CREATE FUNCTION gaussdp.queries_left("table" regclass, epsilon float8, delta float8, threshold_delta float8 DEFAULT 0) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_queries_left' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.queries_left(regclass, float8, float8, float8) IS
'How many more dp_count(epsilon, delta) the current role can pay for in this period, or as many other releases, give or take the rounding of their noise; with threshold_delta, as many that each hide small groups at that delta. 0 without a budget. Error: 22023.';

-- Every pot as it stands in its current period; gaussdp.my_budget and gaussdp.budget show their part.
CREATE VIEW gaussdp.pot_now WITH (security_barrier) AS
SELECT p.*,
  CASE WHEN n.now_period > p.period THEN 0 ELSE p.spent_mu2 END AS now_mu2,
  CASE WHEN n.now_period > p.period THEN 0 ELSE p.spent_delta END AS now_delta,
  CASE WHEN p.limit_mu2 IS NOT NULL THEN
    greatest(p.limit_mu2 - CASE WHEN n.now_period > p.period THEN 0 ELSE p.spent_mu2 END, 0) END AS left_mu2,
  CASE WHEN p.limit_delta IS NOT NULL THEN
    greatest(p.limit_delta - CASE WHEN n.now_period > p.period THEN 0 ELSE p.spent_delta END, 0) END AS left_delta_units,
  coalesce(p.delta - p.threshold_delta, 1e-6) AS noise_delta,
  p.since + (greatest(n.now_period, p.period) + 1) * extract(epoch FROM p.every)::float8 * interval '1 second' AS renews_at
FROM gaussdp.pot AS p, LATERAL (SELECT gaussdp.period_number(p.since, p.every)) AS n (now_period);
REVOKE ALL ON gaussdp.pot_now FROM PUBLIC;
COMMENT ON VIEW gaussdp.pot_now IS 'gaussdp.pot, each in its current period; for the functions and views of this schema.';

CREATE VIEW gaussdp.budget_text AS
SELECT people, relation, holder, role, granted AND (role = 0 OR r.oid IS NOT NULL) AS granted,
  (CASE WHEN holder = 'p' THEN 'population' WHEN role = 0 THEN 'public' ELSE coalesce(r.rolname::text, role_name) END) COLLATE pg_catalog."default" AS paid_by,
  epsilon, delta, every, renews_at, max_epsilon_per_query,
  gaussdp.mu2_epsilon(now_mu2, noise_delta) AS spent_epsilon,
  CASE WHEN now_mu2 > 0 THEN noise_delta ELSE 0 END + now_delta / 2.0::float8 ^ 62 AS spent_delta,
  gaussdp.mu2_epsilon(left_mu2, noise_delta) AS left_epsilon,
  noise_delta + left_delta_units / 2.0::float8 ^ 62 AS left_delta
FROM gaussdp.pot_now LEFT JOIN pg_roles AS r ON r.oid = role;
REVOKE ALL ON gaussdp.budget_text FROM PUBLIC;
COMMENT ON VIEW gaussdp.budget_text IS 'All pots in (epsilon, delta); for the views of this schema.';

-- Who has errors in the current period or is suspended.
CREATE VIEW gaussdp.error_now WITH (security_barrier) AS
SELECT people, relation, role, coalesce(r.rolname::text, role_name) COLLATE pg_catalog."default" AS role_name, errors,
  suspended IS NOT NULL AS suspended
FROM gaussdp.error_count LEFT JOIN pg_roles AS r ON r.oid = role
WHERE suspended IS NOT NULL OR errors > 0 AND clears > clock_timestamp();
REVOKE ALL ON gaussdp.error_now FROM PUBLIC;
COMMENT ON VIEW gaussdp.error_now IS 'gaussdp.error_count as it counts now; for the views of this schema.';

CREATE VIEW gaussdp.my_budget WITH (security_barrier) AS
SELECT people, relation AS "table", paid_by, epsilon, delta, spent_epsilon, spent_delta, left_epsilon, left_delta, every,
  renews_at, max_epsilon_per_query, coalesce(e.errors, 0) AS errors, coalesce(e.suspended, false) AS suspended
FROM gaussdp.budget_text AS b
LEFT JOIN LATERAL (
  SELECT n.errors, n.suspended FROM gaussdp.error_now AS n JOIN pg_roles AS r ON r.oid = n.role
  WHERE n.people = b.people AND n.relation = b.relation AND r.rolname = current_user) AS e ON true
WHERE granted AND EXISTS (
  SELECT FROM gaussdp.pot AS q
  WHERE q.people = b.people AND q.relation = b.relation AND q.holder = 'r' AND q.granted AND (b.holder = 'p' OR q.role = b.role)
    AND (q.role = 0 OR EXISTS (SELECT FROM pg_roles AS r WHERE r.oid = q.role AND pg_has_role(current_user, r.oid, 'USAGE'))));
GRANT SELECT ON gaussdp.my_budget TO PUBLIC;
COMMENT ON VIEW gaussdp.my_budget IS
'Budgets that the current role may draw on, and those of the populations behind them: granted, spent and left in the current period. A role with a budget of its own pays from that, else from those of roles that it is a member of, else from PUBLIC''s; always from the population''s, too. errors and suspended are the current role''s own, the same in all lines of a population.';

CREATE VIEW gaussdp.budget WITH (security_barrier) AS
SELECT people, relation AS "table", paid_by, granted, epsilon, delta, spent_epsilon, spent_delta, left_epsilon, left_delta,
  every, renews_at, max_epsilon_per_query, errors, suspended
FROM (
  SELECT t.*, coalesce(e.errors, 0) AS errors, coalesce(e.suspended, false) AS suspended
  FROM gaussdp.budget_text AS t LEFT JOIN gaussdp.error_now AS e
    ON t.holder = 'r' AND e.people = t.people AND e.relation = t.relation AND e.role = t.role
  UNION ALL
  SELECT people, relation, 'r', role, false, role_name, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, errors, suspended
  FROM gaussdp.error_now AS e
  WHERE NOT EXISTS (SELECT FROM gaussdp.pot AS p WHERE p.people = e.people AND p.relation = e.relation AND p.role = e.role AND p.holder = 'r')
) AS b
WHERE (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
  OR EXISTS (SELECT FROM pg_class AS c WHERE c.oid = b.relation AND pg_has_role(current_user, c.relowner, 'USAGE'))
  OR b.people <> '' AND EXISTS (
    SELECT FROM gaussdp.protected_tables AS t JOIN pg_class AS c ON c.oid = t."table"
    WHERE t.people = b.people AND pg_has_role(current_user, c.relowner, 'USAGE'));
GRANT SELECT ON gaussdp.budget TO PUBLIC;
COMMENT ON VIEW gaussdp.budget IS
'All budgets on tables that the current role owns: what each role, PUBLIC and all roles together (population) may learn, have learnt and may still learn in the current period. Without a limit, spent_epsilon is that at delta 1e-6. errors and suspended are those of the role in paid_by alone; a role that has no budget of its own has a line as soon as it has errors.';

CREATE VIEW gaussdp.journal WITH (security_barrier) AS
SELECT charge, item, at, event, session_role, role, people, relation AS "table", relation_name, kind, l2_sensitivity, sigma,
  mu2 / 2.0::float8 ^ 52 AS mu2, threshold_delta / 2.0::float8 ^ 62 AS threshold_delta, nullif(query_id, 0) AS query_id, query_text, terms
FROM gaussdp.journal_entry AS j
WHERE (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)
  OR EXISTS (SELECT FROM pg_class AS c WHERE c.oid = j.relation AND pg_has_role(current_user, c.relowner, 'USAGE'));
GRANT SELECT ON gaussdp.journal TO PUBLIC;
COMMENT ON VIEW gaussdp.journal IS
'Every release that was charged and every act of an owner, on tables that the current role owns: when, by which session and role, on which table, with which noise, for how much mu^2; with which terms a budget was granted.';

-- ALTER DEFAULT PRIVILEGES may have given others more: to write the ledger, or to put functions beside these.
DO $script$
DECLARE
	given record;
BEGIN
	FOR given IN
		SELECT a.privilege_type AS privilege, o.object,
			CASE WHEN a.grantee = 0 THEN 'PUBLIC' ELSE a.grantee::regrole::text END AS grantee
		FROM (
			SELECT 'TABLE ' || c.oid::regclass::text, c.relacl, c.relowner, 'SELECT'
			FROM pg_class AS c WHERE c.relnamespace = 'gaussdp'::regnamespace
			UNION ALL
			SELECT 'SCHEMA gaussdp', n.nspacl, n.nspowner, 'USAGE'
			FROM pg_namespace AS n WHERE n.nspname = 'gaussdp'
		) AS o (object, acl, owner, of_public), aclexplode(o.acl) AS a
		WHERE a.grantee <> o.owner AND NOT (a.grantee = 0 AND a.privilege_type = o.of_public)
	LOOP
		EXECUTE format('REVOKE %s ON %s FROM %s', given.privilege, given.object, given.grantee);
	END LOOP;
END
$script$;

-- ---------------------------------------------------------------------------
-- Policy (schema gaussdp)
-- ---------------------------------------------------------------------------

CREATE FUNCTION gaussdp.check_policy("table" regclass) RETURNS TABLE (severity text, what text, remedy text)
LANGUAGE sql STABLE PARALLEL UNSAFE SET search_path = pg_catalog, pg_temp AS $$
WITH RECURSIVE me AS (
  SELECT c.oid, c.relname, c.relowner, c.relkind, d.problem, d.max_rows, d.unit, d.people, d.declared_on
  FROM pg_class AS c LEFT JOIN LATERAL gaussdp.table_declaration(c.oid::regclass) AS d ON true
  WHERE c.oid = "table"
),
-- The table and everything that is stored under it
parts AS (
  SELECT oid FROM me UNION SELECT i.inhrelid FROM pg_inherits AS i JOIN parts AS p ON i.inhparent = p.oid
),
parents AS (
  SELECT i.inhparent AS oid FROM pg_inherits AS i JOIN me ON i.inhrelid = me.oid
  UNION SELECT i.inhparent FROM pg_inherits AS i JOIN parents AS p ON i.inhrelid = p.oid
),
-- Views over it, and views over those
views AS (
  SELECT DISTINCT r.ev_class AS oid FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
  JOIN parts AS p ON d.refobjid = p.oid
  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND r.ev_class <> p.oid
  UNION
  SELECT r.ev_class FROM pg_depend AS d JOIN pg_rewrite AS r ON r.oid = d.objid
  JOIN views AS v ON d.refobjid = v.oid
  WHERE d.classid = 'pg_rewrite'::regclass AND d.refclassid = 'pg_class'::regclass AND r.ev_class <> v.oid
),
-- Whose rights a role has or can take by SET ROLE: its own among them, and also a superuser's
may_be AS (
  SELECT r.oid, r.rolname, g.oid AS other, g.rolname AS other_name, g.rolreplication, g.rolcreaterole
  FROM pg_roles AS r JOIN pg_roles AS g ON pg_has_role(r.oid, g.oid, 'MEMBER')
  WHERE NOT r.rolsuper AND r.rolname !~ '^pg_'
),
findings AS (
  SELECT 1 AS ord, 'error' AS severity, 'the table is not protected' AS what, 'Call gaussdp.protect().' AS remedy
  FROM me WHERE max_rows IS NULL
  UNION ALL
  SELECT 1, 'error', format('no query is answered: %s', problem), 'Mend the table or call gaussdp.protect() again.'
  FROM me WHERE problem IS NOT NULL
  UNION ALL
  SELECT DISTINCT 2, 'error', format('role %I may read %s directly', r.rolname, p.oid::regclass),
    'Revoke SELECT on the table and its columns, and memberships that give it.'
  FROM me, parts AS p, may_be AS r
  WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
    AND (has_table_privilege(r.other, p.oid, 'SELECT') OR has_any_column_privilege(r.other, p.oid, 'SELECT'))
  UNION ALL
  SELECT 2, 'error', format('role %I has the rights of the owner', r.rolname), 'Revoke the membership.'
  FROM me, pg_roles AS r
  WHERE NOT r.rolsuper AND r.oid <> me.relowner AND pg_has_role(r.oid, me.relowner, 'MEMBER')
  UNION ALL
  SELECT 3, 'error', format('PUBLIC may read %s', p.oid::regclass), 'Revoke SELECT from PUBLIC.'
  FROM parts AS p JOIN pg_class AS c ON c.oid = p.oid, aclexplode(c.relacl) AS x
  WHERE x.grantee = 0 AND x.privilege_type = 'SELECT'
  UNION ALL
  SELECT DISTINCT 3, 'error', format('PUBLIC may read columns of %s', p.oid::regclass), 'Revoke SELECT on the columns from PUBLIC.'
  FROM parts AS p JOIN pg_attribute AS a ON a.attrelid = p.oid, aclexplode(a.attacl) AS x
  WHERE x.grantee = 0 AND x.privilege_type = 'SELECT'
  UNION ALL
  SELECT DISTINCT 4, 'warning', format('role %I may change %s: whether a change is accepted tells of rows', r.rolname, p.oid::regclass),
    'Revoke INSERT, UPDATE, DELETE, REFERENCES and TRIGGER.'
  FROM me, parts AS p, may_be AS r
  WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
    AND (has_table_privilege(r.other, p.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
      OR has_any_column_privilege(r.other, p.oid, 'INSERT, UPDATE, REFERENCES'))
  UNION ALL
  SELECT DISTINCT 4, 'warning', format('role %I may maintain %s: ANALYZE VERBOSE counts rows', r.rolname, p.oid::regclass),
    'Revoke MAINTAIN on the table, and the membership in pg_maintain; the owner of the database may always.'
  FROM me, parts AS p, may_be AS r
  WHERE NOT pg_has_role(r.oid, me.relowner, 'MEMBER')
    AND (r.other = (SELECT d.datdba FROM pg_database AS d WHERE d.datname = current_database())
      OR CASE WHEN current_setting('server_version_num')::int >= 170000 THEN has_table_privilege(r.other, p.oid, 'MAINTAIN') ELSE false END)
  UNION ALL
  SELECT 5, 'error', format('%s %s shows rows of the table to those who may read it',
      CASE c.relkind WHEN 'm' THEN 'materialized view' ELSE 'view' END, c.oid::regclass),
    'Drop it, revoke SELECT on it, or make sure that it shows only what may be published.'
  FROM views AS v JOIN pg_class AS c ON c.oid = v.oid
  UNION ALL
  SELECT 6, 'warning', format('foreign key %I of %s refers to the table: whether a row is accepted tells who is in it', k.conname, k.conrelid::regclass),
    'Drop the foreign key, or let nobody but the owner write there.'
  FROM pg_constraint AS k JOIN parts AS p ON k.confrelid = p.oid WHERE k.contype = 'f' AND k.conparentid = 0
  UNION ALL
  SELECT 7, 'warning', format('trigger %I on %s may copy rows', t.tgname, t.tgrelid::regclass),
    'Read its function; drop the trigger unless what it writes is protected too.'
  FROM pg_trigger AS t JOIN parts AS p ON t.tgrelid = p.oid WHERE NOT t.tgisinternal AND t.tgparentid = 0
  UNION ALL
  SELECT 7, 'warning', format('rule %I on %s may copy rows', r.rulename, r.ev_class::regclass),
    'Drop the rule unless what it writes is protected too.'
  FROM pg_rewrite AS r JOIN parts AS p ON r.ev_class = p.oid
  UNION ALL
  SELECT DISTINCT 8, 'warning', format('publication %I sends its rows to subscribers', b.pubname),
    'Take the table out of the publication, or protect it there as well.'
  FROM parts AS p JOIN pg_class AS c ON c.oid = p.oid JOIN pg_namespace AS n ON n.oid = c.relnamespace
  JOIN pg_publication_tables AS b ON b.schemaname = n.nspname AND b.tablename = c.relname
  UNION ALL
  SELECT 9, 'error', format('parent %s is not protected: its rows include those of the table', q.oid::regclass),
    'Protect the parent, or take the table out of the inheritance.'
  FROM parents AS q WHERE gaussdp.table_declaration(q.oid::regclass) IS NULL
  UNION ALL
  SELECT 9, 'warning', format('child %s is not protected by itself', p.oid::regclass), 'Protect the child.'
  FROM parts AS p WHERE p.oid <> "table" AND gaussdp.table_declaration(p.oid::regclass) IS NULL
  UNION ALL
  SELECT 10, 'warning', format('function %s runs with its owner''s rights and names the table', f.oid::regprocedure),
    'Read it; revoke EXECUTE unless it shows only what may be published.'
  FROM me, pg_proc AS f
  WHERE f.prosecdef AND (CASE WHEN me.relname ~ '^[A-Za-z0-9_]+$' THEN f.prosrc ~* ('[[:<:]]' || me.relname || '[[:>:]]')
      ELSE position(me.relname IN f.prosrc) > 0 OR position(replace(me.relname, '"', '""') IN f.prosrc) > 0 END
    OR EXISTS (SELECT FROM pg_depend AS d JOIN parts AS p ON d.refobjid = p.oid
      WHERE d.classid = 'pg_proc'::regclass AND d.objid = f.oid AND d.refclassid = 'pg_class'::regclass))
  UNION ALL
  SELECT 11, 'error', format('the public keys of column %I do not hold any more: %s', a.attname, l.label),
    'Call gaussdp.set_public_keys() again.'
  FROM me JOIN pg_seclabel AS l ON l.objoid = me.oid AND l.classoid = 'pg_class'::regclass AND l.provider = 'gaussdp'
  JOIN pg_attribute AS a ON a.attrelid = me.oid AND a.attnum = l.objsubid
  WHERE l.label ~ '(^| )keys=' AND (gaussdp.column_declaration(me.oid::regclass, a.attnum)).key_table IS NULL
  UNION ALL
  SELECT 11, 'error', format('the declared bounds of column %I do not hold any more: %s', a.attname, l.label),
    'Call gaussdp.set_bounds() again.'
  FROM me JOIN pg_seclabel AS l ON l.objoid = me.oid AND l.classoid = 'pg_class'::regclass AND l.provider = 'gaussdp'
  JOIN pg_attribute AS a ON a.attrelid = me.oid AND a.attnum = l.objsubid
  WHERE l.label ~ '(^| )bounds=' AND (gaussdp.column_declaration(me.oid::regclass, a.attnum)).lower IS NULL
  UNION ALL
  SELECT DISTINCT 12, 'warning', format('key table %s may be filled from the table: %s', k.oid::regclass, k.why),
    'Public keys must not come from protected rows: fill the key table by hand or from a public source.'
  FROM me JOIN pg_attribute AS a ON a.attrelid = me.oid AND a.attnum > 0 AND NOT a.attisdropped
  CROSS JOIN LATERAL gaussdp.column_declaration(me.oid::regclass, a.attnum) AS d
  CROSS JOIN LATERAL (
    SELECT d.key_table AS oid, format('trigger %I on %s', t.tgname, t.tgrelid::regclass) AS why
    FROM pg_trigger AS t JOIN parts AS p ON t.tgrelid = p.oid JOIN pg_proc AS f ON f.oid = t.tgfoid, pg_class AS c
    WHERE NOT t.tgisinternal AND c.oid = d.key_table AND position(c.relname IN f.prosrc) > 0
    UNION ALL
    SELECT d.key_table, 'it inherits from the table' FROM parts AS p WHERE p.oid = d.key_table
    UNION ALL
    SELECT d.key_table, format('foreign key %I refers to the table', x.conname)
    FROM pg_constraint AS x JOIN parts AS p ON x.confrelid = p.oid WHERE x.contype = 'f' AND x.conrelid = d.key_table
    UNION ALL
    SELECT d.key_table, format('function %s names both', f.oid::regprocedure)
    FROM pg_proc AS f, pg_class AS c
    WHERE c.oid = d.key_table AND position(c.relname IN f.prosrc) > 0 AND position(me.relname IN f.prosrc) > 0
      AND f.prosrc ~* 'insert|update|merge|copy'
  ) AS k
  WHERE d.key_table IS NOT NULL
  UNION ALL
  SELECT 13, 'error', format('nothing proves that column %I is unique, but max_rows is 1', me.unit),
    'Create a unique index on the unit column, or declare max_rows.'
  FROM me
  WHERE me.max_rows = 1 AND me.unit IS NOT NULL AND NOT EXISTS (
    SELECT FROM pg_index AS i JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attname = me.unit
    WHERE i.indrelid = me.oid AND i.indisunique AND i.indimmediate AND i.indisvalid AND i.indisready
      AND i.indpred IS NULL AND i.indexprs IS NULL AND i.indnkeyatts = 1 AND i.indkey[0] = a.attnum)
  UNION ALL
  SELECT 14, 'warning', format('statistics of the table are readable by everybody: %s', v.name),
    'Call gaussdp.lock_down(), as a superuser, in each database that analysts may connect to.'
  FROM (SELECT 'pg_class.reltuples and pg_stat views') AS v (name)
  WHERE has_function_privilege('public', 'pg_stat_get_live_tuples(oid)', 'EXECUTE')
  UNION ALL
  SELECT 15, 'warning', format('nothing limits what %s roles with budgets of their own learn together: they could collude', count(b.epsilon)),
    'Call gaussdp.set_population_budget().'
  FROM me JOIN gaussdp.budget AS b
    ON b.granted AND b.people = coalesce(me.people, '') AND (me.people IS NOT NULL OR b."table" = me.declared_on)
  HAVING count(b.epsilon) > 1 AND bool_or(b.epsilon IS NULL) -- only a population can have no limit
  UNION ALL
  SELECT 16, 'warning', format('what is asked of %s alone counts for other people than those of the table', p.oid::regclass),
    'Call gaussdp.protect() with the same people for both.'
  FROM me, parts AS p, gaussdp.table_declaration(p.oid::regclass) AS d
  WHERE d.declared_on <> me.declared_on AND (d.people = me.people) IS NOT TRUE
  UNION ALL
  SELECT DISTINCT 17, 'error', format('role %I may write the ledger: budgets do not bind it', r.rolname),
    'Revoke its rights on the tables of schema gaussdp, and memberships that give them, as that in pg_write_all_data.'
  FROM me, pg_class AS c, may_be AS r
  WHERE c.oid IN ('gaussdp.pot'::regclass, 'gaussdp.journal_entry'::regclass, 'gaussdp.error_count'::regclass) AND r.oid <> c.relowner
    AND (has_table_privilege(r.other, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, TRIGGER')
      OR has_any_column_privilege(r.other, c.oid, 'INSERT, UPDATE'))
  UNION ALL
  SELECT DISTINCT 18, 'warning', format('role %I can get at the rows without a right on the table: %s', r.rolname, k.why),
    'Take the attribute or the membership away, unless the role is trusted with all rows.'
  FROM me, may_be AS r CROSS JOIN LATERAL (
    SELECT 'REPLICATION reads the files and every change' WHERE r.rolreplication
    UNION ALL
    SELECT 'CREATEROLE lets it grant itself any role but a superuser' -- from 16 on, only those that it administers
    WHERE r.rolcreaterole AND current_setting('server_version_num')::int < 160000
    UNION ALL
    SELECT r.other_name || ' works on the files of the server'
    WHERE r.other_name IN ('pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program')
  ) AS k (why)
  WHERE r.oid <> me.relowner
  UNION ALL
  SELECT DISTINCT 19, 'warning', format('role %I may create functions in schema %s: one that fits a call better is called for a dp_ function',
      r.rolname, x.extnamespace::regnamespace),
    'Revoke CREATE on that schema. The owner of the database has it while the schema''s owner is pg_database_owner.'
  FROM me, pg_extension AS x, may_be AS r
  WHERE x.extname = 'gaussdp' AND NOT pg_has_role(r.oid, me.relowner, 'MEMBER') AND has_schema_privilege(r.other, x.extnamespace, 'CREATE')
)
SELECT f.severity, f.what, f.remedy FROM findings AS f ORDER BY f.ord, f.what
$$;
COMMENT ON FUNCTION gaussdp.check_policy(regclass) IS
'What would undo the protection of a table, a row each: severity (error: rows can be seen, or no query is answered; warning: look at it), what, and how to mend it. Changes nothing.';

-- Stands in the plan of a query where a level over protected tables was; the library gives it its plan node.
CREATE FUNCTION gaussdp.private_level(VARIADIC "any")
RETURNS SETOF record AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp.private_level("any") IS
'Stands in plans where a query reads protected tables. Cannot be called. Errors: 42501.';

CREATE FUNCTION gaussdp.explain_privacy(
    query text,
    OUT verdict text, OUT call text, OUT relation regclass, OUT l2_sensitivity float8,
    OUT sigma float8, OUT half_width_95 float8, OUT mu_squared float8, OUT epsilon float8,
    OUT delta float8, OUT threshold_delta float8, OUT epsilon_left_before float8,
    OUT epsilon_left_after float8, OUT reason text, OUT hint text)
RETURNS SETOF record
LANGUAGE C STRICT VOLATILE PARALLEL UNSAFE
AS 'MODULE_PATHNAME', 'explain_privacy';
COMMENT ON FUNCTION gaussdp.explain_privacy(text) IS
'verdict of the policy on a query, for the current role, and one row for each dp_ call: its enforced L2 sensitivity, the standard deviation of its noise and the half width of a 95 % interval (NULL where several numbers are released together), its cost mu^2, the epsilon that this is at the call''s own delta, and what it takes from the budget''s delta for thresholds, and what the role has left before and after it, in epsilon at its budget''s delta; executes and charges nothing. verdict is private, refused (reason and hint say why), published (reached through views that are granted and not proven) or outside the policy. 0A000 unless the text is one SELECT or INSERT';

CREATE FUNCTION gaussdp.lock_down(
    OUT object text, OUT action text)
RETURNS SETOF record
LANGUAGE plpgsql VOLATILE PARALLEL UNSAFE
SET search_path = pg_catalog, pg_temp
AS $$
DECLARE
    f regprocedure;
    v regclass;
    columns text;
BEGIN
    IF NOT (SELECT rolsuper FROM pg_roles WHERE rolname = current_user) THEN
        RAISE EXCEPTION 'only a superuser may lock down the statistics of a database'
            USING ERRCODE = 'insufficient_privilege';
    END IF;
    -- functions that count rows, blocks, locks or bytes of a relation or of the database, or say how far
    -- the WAL has come: a page that is read for the first time may be written there as a whole.  And, from 17
    -- on, which blocks have changed.
    FOR f IN
        SELECT told.oid FROM (
          SELECT p.oid FROM pg_proc p
          WHERE p.pronamespace = 'pg_catalog'::regnamespace AND p.oid < 16384
            AND (p.proname LIKE 'pg\_stat\_get\_%'
                 OR p.proname IN ('pg_relation_size', 'pg_total_relation_size', 'pg_table_size',
                                  'pg_indexes_size', 'pg_database_size', 'pg_tablespace_size',
                                  'pg_lock_status', 'currtid2', 'pg_stat_file', 'pg_ls_dir',
                                  'pg_current_wal_lsn', 'pg_current_wal_insert_lsn', 'pg_current_wal_flush_lsn',
                                  'pg_last_wal_receive_lsn', 'pg_last_wal_replay_lsn', 'pg_logical_emit_message',
                                  'pg_control_checkpoint', 'pg_control_recovery', 'pg_get_replication_slots',
                                  'pg_available_wal_summaries', 'pg_wal_summary_contents', 'pg_get_wal_summarizer_state'))
            AND has_function_privilege('public', p.oid, 'EXECUTE')
          UNION ALL
          -- extensions that show how many rows other roles' queries read and dropped, or how large a table is
          SELECT p.oid FROM pg_proc p
          JOIN pg_depend d ON d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e'
          JOIN pg_extension x ON d.refclassid = 'pg_extension'::regclass AND d.refobjid = x.oid
          WHERE (x.extname IN ('pg_stat_statements', 'pg_stat_kcache', 'pg_qualstats', 'pg_wait_sampling')
                 OR p.proname = 'hypopg_relation_size')
            AND has_function_privilege('public', p.oid, 'EXECUTE')
        ) AS told
        ORDER BY told.oid::regprocedure::text
    LOOP
        EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f);
        EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO pg_monitor', f);
        object := f::text;
        action := 'EXECUTE revoked from PUBLIC, granted to pg_monitor';
        RETURN NEXT;
    END LOOP;
    -- views over them, read with their owner's rights
    FOR v IN
        SELECT c.oid FROM pg_class c
        WHERE c.relnamespace = 'pg_catalog'::regnamespace AND c.relkind = 'v' AND c.oid < 16384
          AND (c.relname LIKE 'pg\_stat\_%' OR c.relname LIKE 'pg\_statio\_%'
               OR c.relname IN ('pg_locks', 'pg_replication_slots'))
          AND has_table_privilege('public', c.oid, 'SELECT')
        ORDER BY c.relname
    LOOP
        EXECUTE format('REVOKE SELECT ON %s FROM PUBLIC', v);
        EXECUTE format('GRANT SELECT ON %s TO pg_monitor', v);
        object := v::text;
        action := 'SELECT revoked from PUBLIC, granted to pg_monitor';
        RETURN NEXT;
    END LOOP;
    -- numbers of rows and pages as of the last VACUUM or ANALYZE
    IF has_column_privilege('public', 'pg_class', 'reltuples', 'SELECT') THEN
        SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
        FROM pg_attribute
        WHERE attrelid = 'pg_class'::regclass AND NOT attisdropped
          AND attname NOT IN ('reltuples', 'relpages', 'relallvisible', 'relallfrozen');
        REVOKE SELECT ON pg_class FROM PUBLIC;
        EXECUTE format('GRANT SELECT (%s) ON pg_class TO PUBLIC', columns);
        GRANT SELECT ON pg_class TO pg_monitor;
        object := 'pg_class';
        action := 'SELECT of reltuples, relpages, relallvisible revoked from PUBLIC, granted to pg_monitor';
        RETURN NEXT;
    END IF;
END
$$;
REVOKE EXECUTE ON FUNCTION gaussdp.lock_down() FROM PUBLIC;
COMMENT ON FUNCTION gaussdp.lock_down() IS
'takes from PUBLIC, in the current database, what tells about rows that a role may not read: pg_stat views and functions, sizes, locks, the position in the WAL, the row counts in pg_class, and the functions of pg_stat_statements, pg_stat_kcache, pg_qualstats, pg_wait_sampling and hypopg that show such numbers; pg_monitor keeps them. Returns what it changed; a second call returns nothing. 42501 unless superuser. docs/threat-model.md says what remains';
