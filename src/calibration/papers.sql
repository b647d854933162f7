-- Quantities of published proofs and bounds, and the normal law.

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

CREATE FUNCTION pdp_d(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION pdp_d(float8, float8) IS
'd of the optimal two-tailed mechanism pdp_optimal, erfc(d) + erfc(sqrt(d^2 + epsilon)) = 2 delta, to nearest. epsilon > 0, 0 < delta < 1. Zhao et al. 2019, Theorem 7. Errors: 22023.';

CREATE FUNCTION mech1_b(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION mech1_b(float8, float8) IS
'b of mechanism1, whose sigma is l2_sensitivity (b + sqrt(b^2 + epsilon)) / (epsilon sqrt(2)), to nearest; may be negative. epsilon > 0, 0 < delta < 1. Zhao et al. 2019, Mechanism 1. Errors: 22023.';

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
