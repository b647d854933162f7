-- Distribution functions and ranges: dp_cdf.

CREATE FUNCTION gaussdp_internal.cdf_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_cdf_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.cdf_serialize(internal) IS
'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.cdf_final(internal) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gaussdp_cdf_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.cdf_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

-- for @type@ in int2 int4 int8 float4 float8 numeric

CREATE FUNCTION gaussdp_internal.cdf_@type@_accum(internal, @type@, float8, float8, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_cdf_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.cdf_@type@_accum(internal, @type@, float8, float8, float8, float8, int8) IS
'Transition of dp_cdf(@type@, float8, float8, float8, float8, int8).';

CREATE AGGREGATE dp_cdf(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.cdf_@type@_accum, STYPE = internal, SSPACE = 256,
	FINALFUNC = gaussdp_internal.cdf_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.cdf_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_cdf(@type@, float8, float8, float8, float8, int8) IS
'Number of rows below the upper edge of each of bins equal parts of [lower, upper], the last one of all rows, with noise: bins i to j have about cdf[j] - cdf[i - 1] rows, and dp_cdf_stddev says within what. Not rounded, and not always ascending (dp_monotone). 1 to 4096 bins. Differentially private at (epsilon, delta) where a person owns at most one row. dp_cdf(x, epsilon, delta, lower, upper, bins). Errors: 22023.';

-- end

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.cdf_weighted_accum(internal, int8, float8[], "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_cdf_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.cdf_weighted_accum(internal, int8, float8[], "any") IS
'Transition of gaussdp_internal.cdf_weighted.';

CREATE AGGREGATE gaussdp_internal.cdf_weighted(m int8, params float8[], value "any") (
	SFUNC = gaussdp_internal.cdf_weighted_accum, STYPE = internal, SSPACE = 512,
	FINALFUNC = gaussdp_internal.cdf_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.cdf_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.cdf_weighted(int8, float8[], "any") IS
'What dp_cdf is planned as over people who own many rows: each row adds m / 2^31 of what it would add, or nothing where that is below 2^-12. params: epsilon, delta, lower, upper, bins, k. Errors: 22023, 42804.';

CREATE FUNCTION dp_cdf_stddev(epsilon float8, delta float8, bins int8, first int8, last int8) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_cdf_stddev' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_cdf_stddev(float8, float8, int8, int8, int8) IS
'Standard deviation of the noise of a number of rows in bins first to last of dp_cdf(x, epsilon, delta, lower, upper, bins), cdf[last] - cdf[first - 1]. 1 <= first <= last <= bins. Nearest value. Errors: 22023.';

CREATE FUNCTION dp_monotone(cdf float8[]) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gaussdp_monotone' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_monotone(float8[]) IS
'The ascending numbers nearest to these (isotonic regression), none below 0: what a distribution function is, of dp_cdf. Error: 22023.';
