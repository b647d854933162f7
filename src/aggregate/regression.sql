-- Covariance, correlation and the line of least squares of two columns: dp_regression. One transition reads the type from the array.

CREATE TYPE dp_regression AS (
	n float8, n_stddev float8, avg_y float8, avg_y_stddev float8, avg_x float8, avg_x_stddev float8, var_y float8, var_y_stddev float8, var_x float8, var_x_stddev float8,
	covar float8, covar_stddev float8, corr float8, corr_stddev float8, slope float8, slope_stddev float8, intercept float8, intercept_stddev float8, r2 float8, r2_stddev float8, reliable bool);
COMMENT ON TYPE dp_regression IS
'What one release says of two columns: how many pairs there are, both averages, variances (as var_pop) and the covariance (as covar_pop), the correlation, slope and intercept of the line of least squares of y by x, and the square of the correlation; each followed by the standard deviation of its noise, to the first order. What divides by a variance is null where that is not above 0. reliable: the number of pairs and both variances are at least 5 of their standard deviations; below that the rest says little.';

CREATE FUNCTION gaussdp_internal.regression_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_regression_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.regression_serialize(internal) IS
'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.regression_final(internal) RETURNS dp_regression
AS 'MODULE_PATHNAME', 'gaussdp_regression_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.regression_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

CREATE FUNCTION gaussdp_internal.reliable_statistic(dp_regression, field int4) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_reliable_statistic' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.reliable_statistic(dp_regression, int4) IS
'Field number field of an answer that is reliable, else NULL; its first field in any case. What gaussdp.answer_plain_sql puts around dp_regression.';

-- for @type@ in int2 int4 int8 float4 float8 numeric

CREATE FUNCTION gaussdp_internal.regression_accum(internal, @type@[], float8, float8, float8, float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_regression_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.regression_accum(internal, @type@[], float8, float8, float8, float8, float8, float8) IS
'Transition of dp_regression(@type@[], float8, float8, float8, float8, float8, float8).';

CREATE AGGREGATE dp_regression(@type@[], float8, float8, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.regression_accum, STYPE = internal, SSPACE = 144,
	FINALFUNC = gaussdp_internal.regression_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.regression_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_regression(@type@[], float8, float8, float8, float8, float8, float8) IS
'Covariance, correlation and the line of least squares of y by x, clamped to [lower_y, upper_y] and [lower_x, upper_x], from a joint noisy release of six sums. A pair with a NULL or NaN in it, or an array of another length, counts for nothing. Differentially private at (epsilon, delta) where a person owns at most one row. dp_regression(ARRAY[y, x], epsilon, delta, lower_y, upper_y, lower_x, upper_x). Errors: 22023.';

CREATE FUNCTION gaussdp_internal.regression_accum(internal, @type@[], float8, float8, float8, float8, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_regression_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.regression_accum(internal, @type@[], float8, float8, float8, float8, float8, float8, int8) IS
'Transition of dp_regression(@type@[], float8, float8, float8, float8, float8, float8, int8).';

CREATE AGGREGATE dp_regression(@type@[], float8, float8, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.regression_accum, STYPE = internal, SSPACE = 144,
	FINALFUNC = gaussdp_internal.regression_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.regression_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_regression(@type@[], float8, float8, float8, float8, float8, float8, int8) IS
'As dp_regression(ARRAY[y, x], epsilon, delta, lower_y, upper_y, lower_x, upper_x), for persons who own at most max_rows rows; the caller vouches for that. Errors: 22023.';

-- end

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.regression_weighted_accum(internal, int8, float8[], "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_regression_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.regression_weighted_accum(internal, int8, float8[], "any") IS
'Transition of gaussdp_internal.regression_weighted.';

CREATE AGGREGATE gaussdp_internal.regression_weighted(m int8, params float8[], value "any") (
	SFUNC = gaussdp_internal.regression_weighted_accum, STYPE = internal, SSPACE = 160,
	FINALFUNC = gaussdp_internal.regression_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.regression_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.regression_weighted(int8, float8[], "any") IS
'What dp_regression is planned as over people who own many rows: each row adds m / 2^31 of what it would add, toward zero on the grid of the noise. params: epsilon, delta, lower_y, upper_y, lower_x, upper_x, k. Errors: 22023, 42804.';
