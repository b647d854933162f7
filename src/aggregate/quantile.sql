-- Quantiles: dp_quantile, dp_median, dp_quantiles.

CREATE FUNCTION gaussdp_internal.leaves_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_leaves_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.leaves_combine(internal, internal) IS
'Adds two states of dp_quantile or dp_quantiles. Error: 22023 where their parameters differ.';

CREATE FUNCTION gaussdp_internal.leaves_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_leaves_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.leaves_deserialize(bytea, internal) IS
'Reads a serialized state of dp_quantile or dp_quantiles. Errors: 22P03 and 22023 for bytes that are none.';

CREATE FUNCTION gaussdp_internal.quantile_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_quantile_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.quantile_serialize(internal) IS
'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.quantile_final(internal) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_quantile_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.quantile_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

CREATE FUNCTION gaussdp_internal.quantile_estimate_final(internal) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_quantile_estimate_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.quantile_estimate_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

CREATE FUNCTION gaussdp_internal.quantiles_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_quantiles_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.quantiles_serialize(internal) IS
'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.quantiles_final(internal) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gaussdp_quantiles_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.quantiles_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

-- for @type@ in int2 int4 int8 float4 float8 numeric

CREATE FUNCTION gaussdp_internal.quantile_@type@_accum(internal, @type@, float8, float8, float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_quantile_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.quantile_@type@_accum(internal, @type@, float8, float8, float8, float8, float8) IS
'Transition of dp_quantile(@type@, float8, float8, float8, float8, float8).';

CREATE AGGREGATE dp_quantile(@type@, float8, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.quantile_@type@_accum, STYPE = internal, SSPACE = 8232,
	FINALFUNC = gaussdp_internal.quantile_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.leaves_combine, SERIALFUNC = gaussdp_internal.quantile_serialize,
	DESERIALFUNC = gaussdp_internal.leaves_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_quantile(@type@, float8, float8, float8, float8, float8) IS
'The q-quantile of x clamped to [lower, upper], 0 <= q <= 1, by a noisy search among leaves that are 2^-14 of their distance from zero, or from the bound next to it; of whole numbers and numerics with a scale, one of their steps. Differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_quantile(x, epsilon, delta, lower, upper, q). Errors: 22023.';

CREATE FUNCTION gaussdp_internal.quantile_@type@_accum(internal, @type@, float8, float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_quantile_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.quantile_@type@_accum(internal, @type@, float8, float8, float8, float8) IS
'Transition of dp_median(@type@, float8, float8, float8, float8).';

CREATE AGGREGATE dp_median(@type@, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.quantile_@type@_accum, STYPE = internal, SSPACE = 8232,
	FINALFUNC = gaussdp_internal.quantile_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.leaves_combine, SERIALFUNC = gaussdp_internal.quantile_serialize,
	DESERIALFUNC = gaussdp_internal.leaves_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_median(@type@, float8, float8, float8, float8) IS
'The median of x: dp_quantile with q = 0.5. dp_median(x, epsilon, delta, lower, upper). Errors: 22023.';

CREATE AGGREGATE dp_quantile_estimate(@type@, float8, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.quantile_@type@_accum, STYPE = internal, SSPACE = 8232,
	FINALFUNC = gaussdp_internal.quantile_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.leaves_combine, SERIALFUNC = gaussdp_internal.quantile_serialize,
	DESERIALFUNC = gaussdp_internal.leaves_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_quantile_estimate(@type@, float8, float8, float8, float8, float8) IS
'dp_quantile(x, epsilon, delta, lower, upper, q) with an interval: one release, in the fields of dp_estimate. Errors: 22023.';

CREATE AGGREGATE dp_median_estimate(@type@, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.quantile_@type@_accum, STYPE = internal, SSPACE = 8232,
	FINALFUNC = gaussdp_internal.quantile_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.leaves_combine, SERIALFUNC = gaussdp_internal.quantile_serialize,
	DESERIALFUNC = gaussdp_internal.leaves_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_median_estimate(@type@, float8, float8, float8, float8) IS
'dp_median(x, epsilon, delta, lower, upper) with an interval: one release, in the fields of dp_estimate. Errors: 22023.';

CREATE FUNCTION gaussdp_internal.quantiles_@type@_accum(internal, @type@, float8, float8, float8, float8, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_quantiles_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.quantiles_@type@_accum(internal, @type@, float8, float8, float8, float8, float8[]) IS
'Transition of dp_quantiles(@type@, float8, float8, float8, float8, float8[]).';

CREATE AGGREGATE dp_quantiles(@type@, float8, float8, float8, float8, float8[]) (
	SFUNC = gaussdp_internal.quantiles_@type@_accum, STYPE = internal, SSPACE = 8232,
	FINALFUNC = gaussdp_internal.quantiles_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.leaves_combine, SERIALFUNC = gaussdp_internal.quantiles_serialize,
	DESERIALFUNC = gaussdp_internal.leaves_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_quantiles(@type@, float8, float8, float8, float8, float8[]) IS
'The quantiles of x clamped to [lower, upper] for each element of qs, in its order: as dp_quantile, at the price of one call, which errs less than a call for each at the same price together; larger elements have no smaller quantiles. Differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_quantiles(x, epsilon, delta, lower, upper, qs). Errors: 22023.';

-- end

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.quantile_weighted_accum(internal, int8, float8[], "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_quantile_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.quantile_weighted_accum(internal, int8, float8[], "any") IS
'Transition of gaussdp_internal.quantile_weighted.';

CREATE AGGREGATE gaussdp_internal.quantile_weighted(m int8, params float8[], value "any") (
	SFUNC = gaussdp_internal.quantile_weighted_accum, STYPE = internal, SSPACE = 32832,
	FINALFUNC = gaussdp_internal.quantile_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.leaves_combine, SERIALFUNC = gaussdp_internal.quantile_serialize,
	DESERIALFUNC = gaussdp_internal.leaves_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.quantile_weighted(int8, float8[], "any") IS
'What dp_quantile and dp_median are planned as over people who own many rows: each row adds m / 2^31 of what it would add, toward zero on the grid of the noise. params: epsilon, delta, lower, upper, q, which dp_median has not, k. Errors: 22023, 42804.';

CREATE FUNCTION gaussdp_internal.quantiles_weighted_accum(internal, int8, float8[], "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_quantiles_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.quantiles_weighted_accum(internal, int8, float8[], "any") IS
'Transition of gaussdp_internal.quantiles_weighted.';

CREATE AGGREGATE gaussdp_internal.quantiles_weighted(m int8, params float8[], value "any") (
	SFUNC = gaussdp_internal.quantiles_weighted_accum, STYPE = internal, SSPACE = 8232,
	FINALFUNC = gaussdp_internal.quantiles_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.leaves_combine, SERIALFUNC = gaussdp_internal.quantiles_serialize,
	DESERIALFUNC = gaussdp_internal.leaves_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.quantiles_weighted(int8, float8[], "any") IS
'What dp_quantiles is planned as over people who own many rows: each row adds m / 2^31 of what it would add, or nothing where that is below 2^-12. params: epsilon, delta, lower, upper, the number of elements of qs, k, qs. Errors: 22023, 42804.';
