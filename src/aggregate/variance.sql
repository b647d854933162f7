-- Variance and standard deviation: dp_var, dp_stddev.

CREATE FUNCTION gaussdp_internal.var_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_var_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.var_serialize(internal) IS
'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.var_final(internal) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_var_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.var_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

CREATE FUNCTION gaussdp_internal.stddev_final(internal) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_stddev_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.stddev_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

CREATE FUNCTION gaussdp_internal.var_estimate_final(internal) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_var_estimate_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.var_estimate_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

CREATE FUNCTION gaussdp_internal.stddev_estimate_final(internal) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_stddev_estimate_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.stddev_estimate_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

-- for @type@ in int2 int4 int8 float4 float8 numeric

CREATE FUNCTION gaussdp_internal.var_@type@_accum(internal, @type@, float8, float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_var_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.var_@type@_accum(internal, @type@, float8, float8, float8, float8) IS
'Transition of dp_var(@type@, float8, float8, float8, float8).';

CREATE AGGREGATE dp_var(@type@, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.var_@type@_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.var_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.var_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_var(@type@, float8, float8, float8, float8) IS
'Variance of x clamped to [lower, upper] (as var_pop), from a joint noisy release of count, sum and sum of squares; between 0 and (upper - lower)^2 / 4, never null. Differentially private at (epsilon, delta) where a person owns at most one row. dp_var(x, epsilon, delta, lower, upper). Errors: 22023.';

CREATE FUNCTION gaussdp_internal.var_@type@_accum(internal, @type@, float8, float8, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_var_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.var_@type@_accum(internal, @type@, float8, float8, float8, float8, int8) IS
'Transition of dp_var(@type@, float8, float8, float8, float8, int8).';

CREATE AGGREGATE dp_var(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.var_@type@_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.var_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.var_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_var(@type@, float8, float8, float8, float8, int8) IS
'As dp_var(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that. Errors: 22023.';

CREATE AGGREGATE dp_stddev(@type@, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.var_@type@_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.stddev_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.var_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_stddev(@type@, float8, float8, float8, float8) IS
'Standard deviation of x clamped to [lower, upper]: the square root of dp_var. dp_stddev(x, epsilon, delta, lower, upper). Errors: 22023.';

CREATE AGGREGATE dp_stddev(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.var_@type@_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.stddev_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.var_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_stddev(@type@, float8, float8, float8, float8, int8) IS
'As dp_stddev(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that. Errors: 22023.';

CREATE AGGREGATE dp_var_estimate(@type@, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.var_@type@_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.var_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.var_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_var_estimate(@type@, float8, float8, float8, float8) IS
'dp_var(x, epsilon, delta, lower, upper) with its error bars: one release, in the fields of dp_estimate. Errors: 22023.';

CREATE AGGREGATE dp_var_estimate(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.var_@type@_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.var_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.var_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_var_estimate(@type@, float8, float8, float8, float8, int8) IS
'dp_var(x, epsilon, delta, lower, upper, max_rows) with its error bars: one release, in the fields of dp_estimate. Errors: 22023.';

CREATE AGGREGATE dp_stddev_estimate(@type@, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.var_@type@_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.stddev_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.var_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_stddev_estimate(@type@, float8, float8, float8, float8) IS
'dp_stddev(x, epsilon, delta, lower, upper) with its error bars: one release, in the fields of dp_estimate. Errors: 22023.';

CREATE AGGREGATE dp_stddev_estimate(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.var_@type@_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.stddev_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.var_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_stddev_estimate(@type@, float8, float8, float8, float8, int8) IS
'dp_stddev(x, epsilon, delta, lower, upper, max_rows) with its error bars: one release, in the fields of dp_estimate. Errors: 22023.';

-- end

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.var_total_accum(internal, bytea, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_var_total_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.var_total_accum(internal, bytea, float8[]) IS
'Transition of gaussdp_internal.var_weighted.';

CREATE AGGREGATE gaussdp_internal.var_weighted(total bytea, params float8[]) (
	SFUNC = gaussdp_internal.var_total_accum, STYPE = internal, SSPACE = 96,
	FINALFUNC = gaussdp_internal.var_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.var_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.var_weighted(bytea, float8[]) IS
'What dp_var and dp_stddev are planned as over people who own many rows: adds what each person counts for in a group, sum, count and sum of squares in steps of the noise''s grids, or totals of that. params: epsilon, delta, lower, upper, k. Errors: 22023.';
