-- The Gaussian mechanism: sigma, epsilon, delta and mu of each other, and where published formulas end.

CREATE FUNCTION dp_gaussian_sigma(epsilon float8, delta float8, l2_sensitivity float8 DEFAULT 1,
	mechanism text DEFAULT 'optimal')
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_gaussian_sigma' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_gaussian_sigma(float8, float8, float8, text) IS
'The standard deviation of Gaussian noise that makes a value of the given L2 sensitivity private by the named mechanism of dp_gaussian_mechanisms, in the unit of the value, rounded up. "optimal" is the least noise that is (epsilon, delta)-differentially private (Theorem 8 of Balle and Wang 2018), for epsilon >= 0 and 0 < delta < 1. Errors: 22023, also where the mechanism does not guarantee privacy at these parameters.';

CREATE FUNCTION dp_gaussian_mechanisms(epsilon float8, delta float8, l2_sensitivity float8 DEFAULT 1,
	OUT mechanism text, OUT guarantee text, OUT domain text, OUT sigma float8, OUT ratio float8,
	OUT epsilon_reached float8, OUT delta_reached float8, OUT valid boolean, OUT source text)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'gaussdp_calibration_gaussian_mechanisms' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 16;
COMMENT ON FUNCTION dp_gaussian_mechanisms(float8, float8, float8) IS
'Every published sigma formula side by side: what it guarantees (DP, one-tailed or two-tailed pDP) and on which domain; its sigma, rounded up, and the ratio of that to the optimal one; the epsilon (for the delta asked for) and the delta (for the epsilon) that this sigma really reaches under the guarantee, rounded up; whether the guarantee holds. Numbers are null where a formula has no value. Errors: 22023 for parameters that no mechanism takes.';

CREATE FUNCTION dp_gaussian_delta(sigma float8, epsilon float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_gaussian_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_gaussian_delta(float8, float8, float8) IS
'The least delta for which Gaussian noise of standard deviation sigma on a value of the given L2 sensitivity is (epsilon, delta)-differentially private, rounded up. epsilon >= 0. Errors: 22023. Theorem 8 of Balle and Wang 2018.';

CREATE FUNCTION dp_gaussian_epsilon(sigma float8, delta float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_gaussian_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_gaussian_epsilon(float8, float8, float8) IS
'The least epsilon for which Gaussian noise of standard deviation sigma on a value of the given L2 sensitivity is (epsilon, delta)-differentially private, rounded up; 0 where delta alone suffices. Errors: 22023. Theorem 8 of Balle and Wang 2018.';

CREATE FUNCTION gdp.delta(mu float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.delta(float8, float8) IS
'The least delta for which mu-Gaussian differential privacy implies (epsilon, delta)-differential privacy, rounded up. mu > 0, epsilon >= 0. Errors: 22023. Corollary 1 of Dong, Roth and Su 2022.';

CREATE FUNCTION gdp.epsilon(mu float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.epsilon(float8, float8) IS
'The least epsilon for which mu-Gaussian differential privacy implies (epsilon, delta)-differential privacy, rounded up; 0 where delta alone suffices. mu > 0, 0 < delta < 1. Errors: 22023.';

CREATE FUNCTION gdp.mu(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_mu' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.mu(float8, float8) IS
'The largest mu for which mu-Gaussian differential privacy implies (epsilon, delta)-differential privacy, rounded down. epsilon >= 0, 0 < delta < 1. Errors: 22023.';

CREATE FUNCTION gdp.profile(mu float8, epsilon_max float8, points int4 DEFAULT 101,
	OUT epsilon float8, OUT delta float8, OUT pdp_one_tailed float8, OUT pdp_two_tailed float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'gaussdp_calibration_profile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 101;
COMMENT ON FUNCTION gdp.profile(float8, float8, int4) IS
'The privacy profile of the Gaussian mechanism with mu = l2_sensitivity / sigma, for plotting: at equally spaced epsilon from 0 to epsilon_max the least delta for (epsilon, delta)-differential privacy and for both notions of probabilistic differential privacy, rounded up. 2 to 1,000,000 points. Errors: 22023.';

CREATE FUNCTION gdp.log_delta(mu float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_log_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.log_delta(float8, float8) IS
'The natural logarithm of gdp.delta, to nearest, also where delta is too small for a double. epsilon >= 0, mu > 0. Errors: 22023.';

CREATE FUNCTION gdp.one_minus_delta(mu float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_one_minus_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.one_minus_delta(float8, float8) IS
'1 - delta of mu-Gaussian differential privacy at epsilon, to nearest, without cancellation. epsilon >= 0, mu > 0. Errors: 22023.';

CREATE FUNCTION gdp.tradeoff(mu float8, alpha float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_tradeoff' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.tradeoff(float8, float8) IS
'The trade-off function of mu-Gaussian differential privacy: the least probability of the error of the second kind of any test of level alpha between two neighbouring data sets, rounded down. 0 <= alpha <= 1, mu > 0. Dong, Roth and Su 2022, (6). Errors: 22023.';

CREATE FUNCTION gdp.pdp_delta_one_tailed(mu float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_pdp_delta_one_tailed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.pdp_delta_one_tailed(float8, float8) IS
'The probability that the privacy loss of the Gaussian mechanism with mu = l2_sensitivity / sigma exceeds epsilon (one-tailed probabilistic differential privacy), rounded up. epsilon >= 0, mu > 0. Guingona et al. 2023, Definition 2.2. Errors: 22023.';

CREATE FUNCTION gdp.pdp_delta_two_tailed(mu float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_pdp_delta_two_tailed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.pdp_delta_two_tailed(float8, float8) IS
'The probability that the absolute privacy loss of the Gaussian mechanism with mu = l2_sensitivity / sigma exceeds epsilon (two-tailed probabilistic differential privacy), rounded up. epsilon >= 0, mu > 0. Zhao et al. 2019, Definition 2. Errors: 22023.';

CREATE FUNCTION gdp.pdp_epsilon_one_tailed(mu float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_pdp_epsilon_one_tailed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.pdp_epsilon_one_tailed(float8, float8) IS
'The least epsilon that the privacy loss exceeds with probability at most delta (one-tailed), rounded up; at least 0. 0 < delta < 1, mu > 0. Errors: 22023.';

CREATE FUNCTION gdp.pdp_epsilon_two_tailed(mu float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_pdp_epsilon_two_tailed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.pdp_epsilon_two_tailed(float8, float8) IS
'The least epsilon that the absolute privacy loss exceeds with probability at most delta (two-tailed), rounded up. 0 < delta < 1, mu > 0. Errors: 22023.';

CREATE FUNCTION gdp.dwork2006_dp_threshold(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_dwork2006_dp_threshold' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.dwork2006_dp_threshold(float8) IS
'The largest epsilon at which the classical sigma = sqrt(2 ln(2/delta)) l2_sensitivity / epsilon still is (epsilon, delta)-differentially private, rounded down. 0 < delta < 1. Zhao et al. 2019, Theorem 1, solved exactly. Errors: 22023.';

CREATE FUNCTION gdp.dwork2006_pdp_threshold(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_dwork2006_pdp_threshold' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.dwork2006_pdp_threshold(float8) IS
'The largest epsilon at which the classical sigma = sqrt(2 ln(2/delta)) l2_sensitivity / epsilon still is two-tailed (epsilon, delta)-probabilistically private, rounded down. 0 < delta < 1. Zhao et al. 2019. Errors: 22023.';

CREATE FUNCTION gdp.dwork2014_dp_threshold(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_dwork2014_dp_threshold' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.dwork2014_dp_threshold(float8) IS
'The largest epsilon at which the classical sigma = sqrt(2 ln(1.25/delta)) l2_sensitivity / epsilon still is (epsilon, delta)-differentially private, rounded down. 0 < delta < 1. Zhao et al. 2019, Theorem 1, solved exactly. Errors: 22023.';

CREATE FUNCTION gdp.dwork2014_pdp_threshold(delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_dwork2014_pdp_threshold' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.dwork2014_pdp_threshold(float8) IS
'The largest epsilon at which the classical sigma = sqrt(2 ln(1.25/delta)) l2_sensitivity / epsilon still is two-tailed (epsilon, delta)-probabilistically private, rounded down. 0 < delta < 1. Zhao et al. 2019. Errors: 22023.';

CREATE FUNCTION gdp.erfc_inverse_bound(y float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_erfc_inverse_bound' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.erfc_inverse_bound(float8) IS
'sqrt(ln((1 + sqrt(1 + 8y)) / (4y))), an upper bound of the inverse of erfc, which mechanisms 2 and 4 are made of; rounded up. 0 < y < 1. Errors: 22023. Lemma 8 and Proposition 1 of Zhao et al. 2019.';

CREATE FUNCTION gdp.erfc_inverse_bound_log(y float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_erfc_inverse_bound_log' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.erfc_inverse_bound_log(float8) IS
'sqrt(ln(1/y)), an upper bound of gdp.erfc_inverse_bound, which mechanism zcdp is made of; rounded up. 0 < y < 1. Errors: 22023. Lemma 8 and Proposition 1 of Zhao et al. 2019.';
