/* gaussdp--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gaussdp" to load this file. \quit

-- ---------------------------------------------------------------------------
-- Calibration: the Gaussian mechanism
-- ---------------------------------------------------------------------------

CREATE FUNCTION dp_gaussian_sigma(epsilon float8, delta float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_gaussian_sigma(float8, float8, float8) IS
'The least standard deviation of Gaussian noise that makes a value of the given L2 sensitivity (epsilon, delta)-differentially private, in the unit of the value, rounded up. epsilon >= 0, 0 < delta < 1. Errors: 22023. Theorem 8 of Balle and Wang 2018.';

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

-- ---------------------------------------------------------------------------
-- Calibration: composition
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Calibration: conversions
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Calibration: the GDP transformation
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Aggregates: counts, sums, averages
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Aggregates: vectors, variance, histogram, quantile, group threshold
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Declarations (schema gaussdp)
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Ledger (schema gaussdp)
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Policy (schema gaussdp)
-- ---------------------------------------------------------------------------
