-- The GDP transformation of a privacy profile.

CREATE FUNCTION gdp.implied_delta(epsilon0 float8, delta0 float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_implied_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.implied_delta(float8, float8, float8) IS
'The least delta for which every (epsilon0, delta0)-DP mechanism is (epsilon, delta)-DP, rounded up. Errors: 22023. Theorem 3.1 of Liu et al. 2022.';

CREATE FUNCTION gdp.implied_delta_max(epsilon0 float8, delta0 float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_implied_delta_max' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.implied_delta_max(float8, float8, float8) IS
'The largest delta for which (epsilon, delta)-DP implies (epsilon0, delta0)-DP, rounded down; negative where no delta does. epsilon >= epsilon0. Errors: 22023. Corollary 3.1 of Liu et al. 2022.';

CREATE FUNCTION gdp.four_outputs(epsilon0 float8, delta0 float8, OUT output int4, OUT p float8, OUT q float8)
RETURNS SETOF record AS 'MODULE_PATHNAME', 'gaussdp_calibration_four_outputs' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE ROWS 4;
COMMENT ON FUNCTION gdp.four_outputs(float8, float8) IS
'The mechanism of four outputs that is (epsilon0, delta0)-DP and no more private than that allows: their probabilities p and q for two neighbours. For every epsilon <= epsilon0 the sum of greatest(p - e^epsilon q, 0) is gdp.implied_delta(epsilon0, delta0, epsilon). Nearest values. Errors: 22023. Theorem 3.1 of Liu et al. 2022.';

CREATE FUNCTION gdp.profile_delta(profile text, parameters float8[], epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_profile_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.profile_delta(text, float8[], float8) IS
'delta at epsilon of a named profile (see gdp.head), rounded up; of the kinds from exponential on, refined by the partial order of (epsilon, delta). Errors: 22023. Section 5 of Liu et al. 2022.';

CREATE FUNCTION gdp.profile_delta_points(epsilons float8[], deltas float8[], epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_profile_delta_points' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.profile_delta_points(float8[], float8[], float8) IS
'delta at epsilon of a profile given as points (see gdp.head_points), refined by the partial order of (epsilon, delta), rounded up. Errors: 22023, 22004. Section 5 of Liu et al. 2022.';

CREATE FUNCTION gdp.profile_switch(profile text, parameters float8[], OUT epsilon float8, OUT delta float8)
AS 'MODULE_PATHNAME', 'gaussdp_calibration_profile_switch' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.profile_switch(text, float8[]) IS
'Below which epsilon a named profile (see gdp.head) is refined, and its delta there, from which all smaller epsilon are implied: (0, delta(0)) of one that has nothing to refine. Nearest values. Errors: 22023. Section 5 of Liu et al. 2022.';

CREATE FUNCTION gdp.transform(profile text, parameters float8[], epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_transform' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.transform(text, float8[], float8) IS
'G(epsilon) of a named profile (see gdp.head): the mu for which a Gaussian mechanism has the same delta at epsilon, rounded up. Errors: 22023. Liu et al. 2022.';

CREATE FUNCTION gdp.transform_points(epsilons float8[], deltas float8[], epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_transform_points' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.transform_points(float8[], float8[], float8) IS
'G(epsilon) of a profile given as points (see gdp.head_points), rounded up. Errors: 22023, 22004. Liu et al. 2022.';

CREATE FUNCTION gdp.refine_sigma_log(epsilon float8, delta float8, which float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_refine_sigma_log' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.refine_sigma_log(float8, float8, float8) IS
'The refined sigma for a mechanism that needs sigma = -C ln(delta0) / epsilon0 to be (epsilon0, delta0)-DP, to be (epsilon, delta)-DP: 0 sigma / C, rounded up, 1 the epsilon0 and 2 the delta0 to aim at. Errors: 22023. Section 5 and Appendix C of Liu et al. 2022.';

CREATE FUNCTION gdp.head(profile text, parameters float8[], up_to float8, gap float8 DEFAULT
	0.001, OUT lower float8, OUT upper float8, OUT head_epsilon float8, OUT scope text, OUT
	residual_delta float8)
AS 'MODULE_PATHNAME', 'gaussdp_calibration_head' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.head(text, float8[], float8, float8) IS
'Measures for which mu a mechanism with a named profile is mu-GDP: pure {epsilon0}, laplace {epsilon0}, gaussian {mu}, subsampled_gaussian {mu, gamma}; and refined by the partial order of (epsilon, delta): exponential {scale, power}, delta = e^-((epsilon/scale)^power); power {factor, power}, delta = factor/epsilon^power; and the paper''s examples sgd {scale}, exponential of power 2, and icea {m, n}, delta = n e^(-m/10) / epsilon, or {} for its own parameters, {1} and {20, 4}. lower <= sup G <= upper <= lower + gap over the head, epsilon from 0 to up_to. scope says whether upper is proven for all epsilon or for the head only; then residual_delta is the delta of upper-GDP where the head ends. Errors: 22023, also where the gap needs more than 1000000 steps. Theorem 4.6 of Liu et al. 2022 as corrected in docs/mathematics.md.';

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
