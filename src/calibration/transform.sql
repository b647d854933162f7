-- The GDP transformation of a privacy profile.

CREATE FUNCTION gdp.implied_delta(epsilon0 float8, delta0 float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_implied_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.implied_delta(float8, float8, float8) IS
'The least delta for which every (epsilon0, delta0)-DP mechanism is (epsilon, delta)-DP, rounded up. Errors: 22023. Theorem 3.1 of Liu et al. 2022.';

CREATE FUNCTION gdp.implied_delta_max(epsilon0 float8, delta0 float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_implied_delta_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.implied_delta_max(float8, float8, float8) IS
'The largest delta for which (epsilon, delta)-DP implies (epsilon0, delta0)-DP, rounded down; negative where no delta does. epsilon >= epsilon0. Errors: 22023. Corollary 3.1 of Liu et al. 2022.';

CREATE FUNCTION gdp.transform_pure(epsilon0 float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_transform_pure' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.transform_pure(float8, float8) IS
'G(epsilon) of epsilon0-DP: the mu for which a Gaussian mechanism has the same delta at epsilon as the worst epsilon0-DP mechanism, rounded up. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION gdp.transform_laplace(epsilon0 float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_transform_laplace' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.transform_laplace(float8, float8) IS
'G(epsilon) of Laplace noise of scale l1_sensitivity / epsilon0, rounded up. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION gdp.sgd_switch(which float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_sgd_switch' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.sgd_switch(float8) IS
'Where the refinement of the profile delta = e^(-epsilon^2) begins: 0 epsilon, 1 delta. Nearest value. Errors: 22023. Section 5 of Liu et al. 2022.';

CREATE FUNCTION gdp.icea_switch(which float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_icea_switch' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.icea_switch(float8) IS
'Where the refinement of the profile delta = 4 e^-2 / epsilon begins: 0 epsilon, 1 delta. Nearest value. Errors: 22023. Section 5 of Liu et al. 2022.';

CREATE FUNCTION gdp.sgd_profile(epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_sgd_profile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.sgd_profile(float8) IS
'The profile delta = e^(-epsilon^2), refined by the partial order of (epsilon, delta), rounded up. Errors: 22023. Section 5 of Liu et al. 2022.';

CREATE FUNCTION gdp.icea_profile(epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_icea_profile' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.icea_profile(float8) IS
'The profile delta = 4 e^-2 / epsilon, refined by the partial order of (epsilon, delta), rounded up. Errors: 22023. Section 5 of Liu et al. 2022.';

CREATE FUNCTION gdp.refine_sigma_log(epsilon float8, delta float8, which float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_refine_sigma_log' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.refine_sigma_log(float8, float8, float8) IS
'The refined sigma for a mechanism that needs sigma = -C ln(delta0) / epsilon0 to be (epsilon0, delta0)-DP, to be (epsilon, delta)-DP: 0 sigma / C, rounded up, 1 the epsilon0 and 2 the delta0 to aim at. Errors: 22023. Section 5 and Appendix C of Liu et al. 2022.';

CREATE FUNCTION gdp.head(profile text, parameters float8[], up_to float8, gap float8 DEFAULT
	0.001, OUT lower float8, OUT upper float8, OUT head_epsilon float8, OUT scope text, OUT
	residual_delta float8)
AS 'MODULE_PATHNAME', 'gaussdp_calibration_head' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.head(text, float8[], float8, float8) IS
'Measures for which mu a mechanism with a named profile is mu-GDP: pure {epsilon0}, laplace {epsilon0}, gaussian {mu}, subsampled_gaussian {mu, gamma}, sgd {}, icea {}. lower <= sup G <= upper <= lower + gap over the head, epsilon from 0 to up_to. scope says whether upper is proven for all epsilon or for the head only; then residual_delta is the delta of upper-GDP where the head ends. Errors: 22023, also where the gap needs more than 1000000 steps. Theorem 4.6 of Liu et al. 2022 as corrected in docs/mathematics.md.';

CREATE FUNCTION gdp.head_points(epsilons float8[], deltas float8[], up_to float8, gap float8
	DEFAULT 0.001, OUT lower float8, OUT upper float8, OUT head_epsilon float8, OUT scope text, OUT
	residual_delta float8)
AS 'MODULE_PATHNAME', 'gaussdp_calibration_head_points' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.head_points(float8[], float8[], float8, float8) IS
'The same as gdp.head for a profile given as points: the mechanism is (epsilons[i], deltas[i])-DP, epsilons ascending and deltas not. Between points delta stays what it was, refined by what the next points imply (gdp.implied_delta); beyond the last point nothing is known, unless its delta is 0. Errors: 22023, also where the gap needs more than 1000000 steps. Theorem 4.6 of Liu et al. 2022 as corrected in docs/mathematics.md.';

CREATE FUNCTION gdp.tail(profile text, parameters float8[])
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_tail' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.tail(text, float8[]) IS
'limsup of G for epsilon to infinity of a named profile (see gdp.head): a lower bound of every mu for which the mechanism is mu-GDP; Infinity where there is none. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION gdp.tail_points(epsilons float8[], deltas float8[])
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_tail_points' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.tail_points(float8[], float8[]) IS
'limsup of G for epsilon to infinity of a profile given as points (see gdp.head_points): 0 where the last delta is 0, otherwise Infinity. Errors: 22023.';

CREATE FUNCTION gdp.clip_reify_scale(lower float8, upper float8, head_epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_clip_reify_scale' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.clip_reify_scale(float8, float8, float8) IS
'Scale of the Laplace noise that, after clamping to [lower, upper], makes a mechanism whose head up to head_epsilon is mu-GDP mu-GDP for all epsilon; in the unit of the bounds, rounded up. Errors: 22023. Theorem 4.7 of Liu et al. 2022.';
