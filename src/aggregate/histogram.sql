-- Histograms: dp_histogram.

CREATE FUNCTION gaussdp_internal.histogram_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_histogram_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.histogram_serialize(internal) IS
'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.histogram_final(internal) RETURNS int8[]
AS 'MODULE_PATHNAME', 'gaussdp_histogram_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.histogram_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

CREATE FUNCTION gaussdp_internal.histogram_estimate_final(internal) RETURNS dp_estimate[]
AS 'MODULE_PATHNAME', 'gaussdp_histogram_estimate_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.histogram_estimate_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

-- for @type@ in int2 int4 int8 float4 float8 numeric

CREATE FUNCTION gaussdp_internal.histogram_@type@_accum(internal, @type@, float8, float8, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_histogram_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.histogram_@type@_accum(internal, @type@, float8, float8, float8, float8, int8) IS
'Transition of dp_histogram(@type@, float8, float8, float8, float8, int8).';

CREATE AGGREGATE dp_histogram(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.histogram_@type@_accum, STYPE = internal, SSPACE = 256,
	FINALFUNC = gaussdp_internal.histogram_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.histogram_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_histogram(@type@, float8, float8, float8, float8, int8) IS
'Number of rows in each of bins equal parts of [lower, upper], with noise in every part; the outer ones take what lies beyond the bounds. 1 to 10000 bins. Differentially private at (epsilon, delta) where a person owns at most one row. dp_histogram(x, epsilon, delta, lower, upper, bins). Errors: 22023.';

CREATE AGGREGATE dp_histogram_estimate(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.histogram_@type@_accum, STYPE = internal, SSPACE = 256,
	FINALFUNC = gaussdp_internal.histogram_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.histogram_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_histogram_estimate(@type@, float8, float8, float8, float8, int8) IS
'dp_histogram(x, epsilon, delta, lower, upper, bins) with error bars: of each bin a dp_estimate, whose value is not rounded. One release. Errors: 22023.';

-- end

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.histogram_weighted_accum(internal, int8, float8[], "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_histogram_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.histogram_weighted_accum(internal, int8, float8[], "any") IS
'Transition of gaussdp_internal.histogram_weighted.';

CREATE AGGREGATE gaussdp_internal.histogram_weighted(m int8, params float8[], value "any") (
	SFUNC = gaussdp_internal.histogram_weighted_accum, STYPE = internal, SSPACE = 512,
	FINALFUNC = gaussdp_internal.histogram_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.histogram_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.histogram_weighted(int8, float8[], "any") IS
'What dp_histogram is planned as over people who own many rows: each row adds m / 2^31 of what it would add, toward zero on the grid of the noise. params: epsilon, delta, lower, upper, bins, k. Errors: 22023, 42804.';
