-- Noise of any even log-concave density on one number.

CREATE FUNCTION gdp.noise_delta(noise text, scale float8, epsilon float8, sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_noise_delta' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.noise_delta(text, float8, float8, float8) IS
'The probability that the privacy loss exceeds epsilon (one-tailed probabilistic DP), where noise of the given scale is added to one number of the given sensitivity: gaussian (scale is the standard deviation), laplace or logistic. Hence (epsilon, delta)-DP too, though less delta may be enough for that. Rounded up. epsilon >= 0. Errors: 22023. Lemma 2 of Vinterbo 2022.';

CREATE FUNCTION gdp.noise_scale(noise text, epsilon float8, delta float8, sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_noise_scale' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.noise_scale(text, float8, float8, float8) IS
'The least scale of gaussian, laplace or logistic noise on one number of the given sensitivity whose privacy loss exceeds epsilon with probability at most delta, which is (epsilon, delta)-DP; rounded up. epsilon > 0, 0 < delta < 1. Errors: 22023. Lemma 2 of Vinterbo 2022, solved for the scale.';

CREATE FUNCTION gdp.noise_delta_points(x float8[], psi float8[], scale float8, epsilon float8, sensitivity float8
	DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_noise_delta_points' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.noise_delta_points(float8[], float8[], float8, float8, float8) IS
'The same as gdp.noise_delta for any even log-concave density: that of the noise over its scale is proportional to e^-psi(|x|), psi convex and given at points x that ascend from 0, straight between them and beyond the last two. Rounded up. Errors: 22023, 22004. Lemma 2 of Vinterbo 2022.';

CREATE FUNCTION gdp.noise_scale_points(x float8[], psi float8[], epsilon float8, delta float8, sensitivity float8
	DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_noise_scale_points' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.noise_scale_points(float8[], float8[], float8, float8, float8) IS
'The same as gdp.noise_scale for any even log-concave density, given as for gdp.noise_delta_points. Rounded up. Errors: 22023, 22004. Lemma 2 of Vinterbo 2022, solved for the scale.';
