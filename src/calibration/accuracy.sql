-- Sensitivities, and the accuracy of noisy answers.

CREATE FUNCTION dp_noise_interval(sigma float8, confidence float8 DEFAULT 0.95)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_noise_interval' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_noise_interval(float8, float8) IS
'Half width of the interval that holds Gaussian noise of standard deviation sigma with the given confidence, in the unit of sigma, rounded up. Errors: 22023.';

CREATE FUNCTION gdp.interval_half_width(sigma float8, beta float8, d float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_interval_half_width' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.interval_half_width(float8, float8, float8) IS
'Half width that d independent values of Gaussian noise of standard deviation sigma all keep with probability 1 - beta, rounded up. Errors: 22023.';

CREATE FUNCTION gdp.sensitivity_count(k float8, m float8, replace boolean)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_sensitivity_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.sensitivity_count(float8, float8, boolean) IS
'L2 sensitivity of a vector of counts per group, when a person has at most k rows in each of at most m groups; replace: neighbours replace a person instead of adding or removing one. Rounded up. Errors: 22023.';

CREATE FUNCTION gdp.sensitivity_sum(lower float8, upper float8, k float8, m float8, replace boolean,
	single_group boolean)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_sensitivity_sum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.sensitivity_sum(float8, float8, float8, float8, boolean, boolean) IS
'L2 sensitivity of a vector of sums per group of values clipped to [lower, upper], when a person has at most k rows in each of at most m groups; replace: neighbours replace a person, within the same group where single_group. Rounded up. Errors: 22023.';

CREATE FUNCTION gdp.sensitivity_vector_l2(norm float8, replace boolean)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_sensitivity_vector_l2' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.sensitivity_vector_l2(float8, boolean) IS
'L2 sensitivity of a sum of vectors that are clipped to the Euclidean norm, at most one for each person. Errors: 22023.';

CREATE FUNCTION gdp.sensitivity_vector_box(lower float8, upper float8, d float8, replace boolean)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_sensitivity_vector_box' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.sensitivity_vector_box(float8, float8, float8, boolean) IS
'L2 sensitivity of a sum of vectors of d coordinates clipped to [lower, upper], at most one for each person. Rounded up. Errors: 22023.';

CREATE FUNCTION gdp.average_sigma_sum(lower float8, upper float8, mu float8, p float8, k float8, m float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_average_sigma_sum' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.average_sigma_sum(float8, float8, float8, float8, float8, float8) IS
'Standard deviation of the noise on the centred sum of an average whose sum and count together are mu-GDP, with the share p of mu^2 for the sum; k rows in m groups of one person. Rounded up. Errors: 22023.';

CREATE FUNCTION gdp.average_sigma_count(mu float8, p float8, k float8, m float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_average_sigma_count' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.average_sigma_count(float8, float8, float8, float8) IS
'Standard deviation of the noise on the count of an average, beside gdp.average_sigma_sum. Rounded up. Errors: 22023.';

CREATE FUNCTION gdp.average_stddev(lower float8, upper float8, average float8, mu float8, p float8, n float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_average_stddev' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.average_stddev(float8, float8, float8, float8, float8, float8) IS
'Standard deviation of a noisy average of n rows, to first order, one row for each person. Rounded up. Errors: 22023.';

CREATE FUNCTION gdp.average_best_share(lower float8, upper float8, average float8)
RETURNS float8 AS 'MODULE_PATHNAME', 'gaussdp_calibration_average_best_share' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp.average_best_share(float8, float8, float8) IS
'The share of mu^2 for the sum that makes the noise of an average least, were the average known; 3/4 is never worse than 4/3 of its variance. Nearest value. Errors: 22023.';
