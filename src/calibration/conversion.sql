-- Conversions between the notions of privacy.

CREATE FUNCTION gdp.dp_to_pdp_delta_two_tailed(epsilon float8, delta float8, epsilon_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_dp_to_pdp_delta_two_tailed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.dp_to_pdp_delta_two_tailed(float8, float8, float8) IS
'The delta_hat for which every (epsilon, delta)-DP mechanism is (epsilon_hat, delta_hat)-probabilistically DP in both tails, P(|loss| > epsilon_hat) <= delta_hat, rounded up, at most 1. epsilon_hat > epsilon. Errors: 22023. Lemma 4 of Zhao et al. 2019.';

CREATE FUNCTION gdp.dp_to_pdp_delta_one_tailed(epsilon float8, delta float8, epsilon_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_dp_to_pdp_delta_one_tailed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.dp_to_pdp_delta_one_tailed(float8, float8, float8) IS
'The delta_hat for which every (epsilon, delta)-DP mechanism is (epsilon_hat, delta_hat)-probabilistically DP in one tail, P(loss > epsilon_hat) <= delta_hat, rounded up, at most 1. epsilon_hat > epsilon. Errors: 22023. Lemma 2.3 of Guingona et al. 2023. The other way round, probabilistic DP of either kind is DP with the same parameters.';

CREATE FUNCTION gdp.dp_to_pdp_epsilon_two_tailed(epsilon float8, delta float8, delta_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_dp_to_pdp_epsilon_two_tailed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.dp_to_pdp_epsilon_two_tailed(float8, float8, float8) IS
'The epsilon_hat for which every (epsilon, delta)-DP mechanism is (epsilon_hat, delta_hat)-probabilistically DP in both tails, rounded up. delta < delta_hat <= 1. Errors: 22023. Lemma 4 of Zhao et al. 2019.';

CREATE FUNCTION gdp.dp_to_pdp_epsilon_one_tailed(epsilon float8, delta float8, delta_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_dp_to_pdp_epsilon_one_tailed' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.dp_to_pdp_epsilon_one_tailed(float8, float8, float8) IS
'The epsilon_hat for which every (epsilon, delta)-DP mechanism is (epsilon_hat, delta_hat)-probabilistically DP in one tail, rounded up. delta < delta_hat <= 1. Errors: 22023. Lemma 2.3 of Guingona et al. 2023.';

CREATE FUNCTION gdp.dp_to_pdp_epsilon_one_tailed_lower(epsilon float8, delta float8, delta_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_dp_to_pdp_epsilon_one_tailed_lower' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.dp_to_pdp_epsilon_one_tailed_lower(float8, float8, float8) IS
'The impossibility bound beside gdp.dp_to_pdp_epsilon_one_tailed: no epsilon_hat below it holds for every (epsilon, delta)-DP mechanism. Rounded down. Errors: 22023. Theorem 3.3 of Guingona et al. 2023.';

CREATE FUNCTION gdp.pdp_lower_tail(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_pdp_lower_tail' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.pdp_lower_tail(float8, float8) IS
'Where the privacy loss of any two neighbours exceeds epsilon with probability at most delta, the loss is below -epsilon with at most this probability, e^-epsilon delta, rounded up: so delta for one tail is delta + gdp.pdp_lower_tail(epsilon, delta) for two. epsilon >= 0, 0 <= delta <= 1. Errors: 22023. Lemma 13 of Zhao et al. 2019.';

CREATE FUNCTION gdp.pdp_counterexample(epsilon float8, delta float8, epsilon_hat float8, delta_hat float8,
	OUT n float8, OUT delta_prime float8, OUT p float8, OUT q float8)
AS 'MODULE_PATHNAME', 'gaussdp_calibration_pdp_counterexample' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.pdp_counterexample(float8, float8, float8, float8) IS
'A mechanism that is (epsilon, delta)-DP, but whose privacy loss exceeds epsilon_hat with probability above delta_hat. Each of n data sets has an output of its own, of probability p; it gives those of the others with probability q, and one common to all with what is left; delta_prime = p - e^epsilon q <= delta is what it needs. There is one for every epsilon < epsilon_hat < epsilon - ln(1 - delta/delta_hat), the bound of gdp.dp_to_pdp_epsilon_one_tailed, while delta_hat < (e^epsilon + delta) / (1 + e^epsilon). Nearest values. Errors: 22023. After Theorem 3.3 of Guingona et al. 2023.';

CREATE FUNCTION gdp.counterexample_n(epsilon float8, delta float8, epsilon_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_counterexample_n' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.counterexample_n(float8, float8, float8) IS
'The mechanism of Theorem 3.2 of Guingona et al. 2023 that is (epsilon, delta)-DP, but whose privacy loss exceeds epsilon_hat with probability above delta; n: how many outputs one data set gives beside the failure. 0 < delta < 0.5, epsilon_hat > epsilon - ln(1 - delta). Nearest value. Errors: 22023.';

CREATE FUNCTION gdp.counterexample_p(epsilon float8, delta float8, epsilon_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_counterexample_p' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.counterexample_p(float8, float8, float8) IS
'The mechanism of Theorem 3.2 of Guingona et al. 2023 that is (epsilon, delta)-DP, but whose privacy loss exceeds epsilon_hat with probability above delta; p: the probability of the output that leaks. 0 < delta < 0.5, epsilon_hat > epsilon - ln(1 - delta). Nearest value. Errors: 22023.';

CREATE FUNCTION gdp.counterexample_q(epsilon float8, delta float8, epsilon_hat float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_counterexample_q' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.counterexample_q(float8, float8, float8) IS
'The mechanism of Theorem 3.2 of Guingona et al. 2023 that is (epsilon, delta)-DP, but whose privacy loss exceeds epsilon_hat with probability above delta; q: the probability of each of the other n - 1 outputs. 0 < delta < 0.5, epsilon_hat > epsilon - ln(1 - delta). Nearest value. Errors: 22023.';

CREATE FUNCTION gdp.pure_to_mu(epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_pure_to_mu' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.pure_to_mu(float8) IS
'The least mu for which every epsilon-DP mechanism is mu-GDP, rounded up. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION gdp.laplace_to_mu(epsilon0 float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_laplace_to_mu' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.laplace_to_mu(float8) IS
'The least mu for which Laplace noise of scale l1_sensitivity / epsilon0 is mu-GDP, rounded up; less than gdp.pure_to_mu. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION gdp.laplace_delta(epsilon0 float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_laplace_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.laplace_delta(float8, float8) IS
'delta(epsilon) of Laplace noise of scale l1_sensitivity / epsilon0, rounded up. Errors: 22023.';

CREATE FUNCTION gdp.subsampled_epsilon(gamma float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_subsampled_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.subsampled_epsilon(float8, float8) IS
'epsilon of an epsilon-DP mechanism on a Poisson sample of rate gamma, ln(1 + gamma (e^epsilon - 1)), rounded up; delta becomes gamma delta. Neighbours by adding or removing a row. Errors: 22023. Theorem 9 of Balle, Barthe and Gaboardi 2018.';

CREATE FUNCTION gdp.subsampled_gaussian_delta(mu float8, gamma float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_subsampled_gaussian_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.subsampled_gaussian_delta(float8, float8, float8) IS
'delta(epsilon) of a mu-GDP Gaussian mechanism on a Poisson sample of rate gamma, rounded up. Neighbours by adding or removing a row. Errors: 22023. Theorem 9 of Balle, Barthe and Gaboardi 2018.';

CREATE FUNCTION gdp.rdp_gaussian(mu float8, alpha float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_rdp_gaussian' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.rdp_gaussian(float8, float8) IS
'Renyi divergence of order alpha of a mu-GDP Gaussian mechanism, alpha mu^2 / 2, rounded up. alpha > 1. Errors: 22023.';

CREATE FUNCTION gdp.rdp_to_dp_delta(alpha float8, rdp float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_rdp_to_dp_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.rdp_to_dp_delta(float8, float8, float8) IS
'The delta for which (alpha, rdp)-Renyi DP implies (epsilon, delta)-DP, rounded up; 1 or more says that this order proves nothing. alpha > 1. Errors: 22023. Proposition 12 of Canonne, Kamath and Steinke 2020.';

CREATE FUNCTION gdp.rdp_to_dp_epsilon(alpha float8, rdp float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_rdp_to_dp_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.rdp_to_dp_epsilon(float8, float8, float8) IS
'The epsilon >= 0 for which (alpha, rdp)-Renyi DP implies (epsilon, delta)-DP, rounded up. alpha > 1. Errors: 22023. Proposition 12 of Canonne, Kamath and Steinke 2020.';

CREATE FUNCTION gdp.rdp_to_dp_epsilon_mironov(alpha float8, rdp float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_rdp_to_dp_epsilon_mironov' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.rdp_to_dp_epsilon_mironov(float8, float8, float8) IS
'The same as gdp.rdp_to_dp_epsilon by the looser Proposition 3 of Mironov 2017, rdp + ln(1/delta)/(alpha - 1), rounded up. Errors: 22023.';

CREATE FUNCTION gdp.zcdp_rho(sigma float8, l2_sensitivity float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_zcdp_rho' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.zcdp_rho(float8, float8) IS
'rho of zero-concentrated DP of Gaussian noise, (l2_sensitivity / sigma)^2 / 2, rounded up. Errors: 22023. Bun and Steinke 2016.';

CREATE FUNCTION gdp.mu_to_zcdp(mu float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_mu_to_zcdp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.mu_to_zcdp(float8) IS
'rho of zero-concentrated DP of a mu-GDP Gaussian mechanism, mu^2 / 2, rounded up; it is (mu^2 / 2, mu)-mCDP and (mu^2 / 2, omega)-tCDP for every omega, too. Errors: 22023.';

CREATE FUNCTION gdp.pure_to_zcdp(epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_pure_to_zcdp' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.pure_to_zcdp(float8) IS
'rho of zero-concentrated DP of every epsilon-DP mechanism, epsilon^2 / 2, rounded up. Errors: 22023. Proposition 1.4 of Bun and Steinke 2016.';

CREATE FUNCTION gdp.zcdp_to_dp_epsilon(rho float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_zcdp_to_dp_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.zcdp_to_dp_epsilon(float8, float8) IS
'The epsilon for which rho-zCDP implies (epsilon, delta)-DP by the standard conversion, rho + 2 sqrt(rho ln(1/delta)), rounded up. Errors: 22023. Proposition 1.3 of Bun and Steinke 2016.';

CREATE FUNCTION gdp.zcdp_to_dp_delta(rho float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_zcdp_to_dp_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.zcdp_to_dp_delta(float8, float8) IS
'The delta for which rho-zCDP implies (epsilon, delta)-DP by the standard conversion, rounded up; 1 for epsilon <= rho. Errors: 22023. Proposition 1.3 of Bun and Steinke 2016.';

CREATE FUNCTION gdp.zcdp_to_dp_epsilon_tight(rho float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_zcdp_to_dp_epsilon_tight' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.zcdp_to_dp_epsilon_tight(float8, float8) IS
'The epsilon for which rho-zCDP implies (epsilon, delta)-DP by the tight conversion at the best order, rounded up. Errors: 22023. Proposition 12 of Canonne, Kamath and Steinke 2020.';

CREATE FUNCTION gdp.zcdp_to_dp_delta_tight(rho float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_zcdp_to_dp_delta_tight' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.zcdp_to_dp_delta_tight(float8, float8) IS
'The delta for which rho-zCDP implies (epsilon, delta)-DP by the tight conversion at the best order, rounded up, at most 1. Errors: 22023. Proposition 12 of Canonne, Kamath and Steinke 2020.';

CREATE FUNCTION gdp.zcdp_max_rho(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_zcdp_max_rho' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.zcdp_max_rho(float8, float8) IS
'The largest rho for which rho-zCDP implies (epsilon, delta)-DP by the tight conversion, rounded down. epsilon > 0. Errors: 22023.';

CREATE FUNCTION gdp.tcdp_to_dp_epsilon(rho float8, omega float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_tcdp_to_dp_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.tcdp_to_dp_epsilon(float8, float8, float8) IS
'The epsilon for which (rho, omega)-truncated concentrated DP implies (epsilon, delta)-DP, rounded up. omega > 1. Errors: 22023. Bun, Dwork, Rothblum and Steinke 2018.';

CREATE FUNCTION gdp.tcdp_to_dp_delta(rho float8, omega float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_tcdp_to_dp_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.tcdp_to_dp_delta(float8, float8, float8) IS
'The delta for which (rho, omega)-truncated concentrated DP implies (epsilon, delta)-DP, rounded up. omega > 1. Errors: 22023. Bun, Dwork, Rothblum and Steinke 2018.';

CREATE FUNCTION gdp.mcdp_to_dp_delta(mean float8, tau float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_mcdp_to_dp_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.mcdp_to_dp_delta(float8, float8, float8) IS
'The delta for which (mean, tau)-mean-concentrated DP implies (epsilon, delta)-DP, in both tails, rounded up; 1 for epsilon <= mean. Errors: 22023. Lemma 7 of Zhao et al. 2019.';

CREATE FUNCTION gdp.mcdp_to_dp_epsilon(mean float8, tau float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_mcdp_to_dp_epsilon' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.mcdp_to_dp_epsilon(float8, float8, float8) IS
'The epsilon for which (mean, tau)-mean-concentrated DP implies (epsilon, delta)-DP, in both tails, rounded up. Errors: 22023. Lemma 7 of Zhao et al. 2019.';
