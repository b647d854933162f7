-- Sums: dp_sum, dp_sum_estimate.

CREATE FUNCTION gaussdp_internal.sum_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_sum_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_serialize(internal) IS
'Serializes a state of dp_sum; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.sum_final(internal) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_sum_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_final(internal) IS
'Draws the noise of dp_sum; called again on the same state, it gives the same value.';

CREATE FUNCTION gaussdp_internal.sum_estimate_final(internal) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_sum_estimate_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_estimate_final(internal) IS
'Draws the noise of dp_sum_estimate; called again on the same state, it gives the same values.';

-- for @type@ in int2 int4 int8 float4 float8 numeric

CREATE FUNCTION gaussdp_internal.sum_@type@_accum(internal, @type@, float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_sum_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_@type@_accum(internal, @type@, float8, float8, float8) IS
'Transition of dp_sum(@type@, float8, float8, float8).';

CREATE AGGREGATE dp_sum(@type@, float8, float8, float8) (
	SFUNC = gaussdp_internal.sum_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.sum_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.sum_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum(@type@, float8, float8, float8) IS
'Sum of x clamped to [-l2_sensitivity, l2_sensitivity] plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_sum(x, epsilon, delta, l2_sensitivity). Errors: 22023.';

CREATE AGGREGATE dp_sum_estimate(@type@, float8, float8, float8) (
	SFUNC = gaussdp_internal.sum_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.sum_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.sum_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum_estimate(@type@, float8, float8, float8) IS
'As a dp_estimate, with standard deviation and interval: Sum of x clamped to [-l2_sensitivity, l2_sensitivity] plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_sum(x, epsilon, delta, l2_sensitivity). Errors: 22023.';

CREATE FUNCTION gaussdp_internal.sum_@type@_accum(internal, @type@, float8, float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_sum_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_@type@_accum(internal, @type@, float8, float8, float8, float8) IS
'Transition of dp_sum(@type@, float8, float8, float8, float8).';

CREATE AGGREGATE dp_sum(@type@, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.sum_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.sum_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.sum_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum(@type@, float8, float8, float8, float8) IS
'Sum of x clamped to [lower, upper] plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_sum(x, epsilon, delta, lower, upper). Errors: 22023.';

CREATE AGGREGATE dp_sum_estimate(@type@, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.sum_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.sum_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.sum_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum_estimate(@type@, float8, float8, float8, float8) IS
'As a dp_estimate, with standard deviation and interval: Sum of x clamped to [lower, upper] plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_sum(x, epsilon, delta, lower, upper). Errors: 22023.';

CREATE FUNCTION gaussdp_internal.sum_@type@_accum(internal, @type@, float8, float8, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_sum_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_@type@_accum(internal, @type@, float8, float8, float8, float8, int8) IS
'Transition of dp_sum(@type@, float8, float8, float8, float8, int8).';

CREATE AGGREGATE dp_sum(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.sum_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.sum_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.sum_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum(@type@, float8, float8, float8, float8, int8) IS
'As dp_sum(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that. dp_sum(x, epsilon, delta, lower, upper, max_rows). Errors: 22023.';

CREATE AGGREGATE dp_sum_estimate(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.sum_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.sum_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.sum_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum_estimate(@type@, float8, float8, float8, float8, int8) IS
'As a dp_estimate, with standard deviation and interval: As dp_sum(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that. dp_sum(x, epsilon, delta, lower, upper, max_rows). Errors: 22023.';

-- What calls with constant parameters are planned as: the same, with all of them in one constant.

CREATE FUNCTION gaussdp_internal.sum_@type@_accum(internal, @type@, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_sum_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_@type@_accum(internal, @type@, float8[]) IS
'Transition of gaussdp_internal.sum_packed(@type@, float8[]).';

CREATE AGGREGATE gaussdp_internal.sum_packed(@type@, float8[]) (
	SFUNC = gaussdp_internal.sum_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.sum_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.sum_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.sum_packed(@type@, float8[]) IS
'What dp_sum with constant parameters is planned as: the same, with all parameters in one array, epsilon first. For the planner; queries of protected tables that call it are refused. Errors: 22023.';

-- end

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.sum_total_accum(internal, bytea, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_sum_total_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_total_accum(internal, bytea, float8[]) IS
'Transition of gaussdp_internal.sum_weighted(bytea, float8[]).';

CREATE AGGREGATE gaussdp_internal.sum_weighted(total bytea, params float8[]) (
	SFUNC = gaussdp_internal.sum_total_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.sum_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.sum_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.sum_weighted(bytea, float8[]) IS
'What dp_sum is planned as over people who own many rows: adds what each person counts for in a group, in steps of the noise''s grid, or totals of that. params: epsilon, delta, l2_sensitivity or lower and upper, k. Errors: 22023.';
