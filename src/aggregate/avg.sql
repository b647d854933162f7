-- Averages: dp_avg, dp_avg_estimate.

CREATE FUNCTION gaussdp_internal.avg_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_avg_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_serialize(internal) IS
'Serializes a state of dp_avg; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.avg_final(internal) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_avg_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_final(internal) IS
'Draws the noise of dp_avg; called again on the same state, it gives the same value.';

CREATE FUNCTION gaussdp_internal.avg_estimate_final(internal) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_avg_estimate_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_estimate_final(internal) IS
'Draws the noise of dp_avg_estimate; called again on the same state, it gives the same values.';

-- for @type@ in int2 int4 int8 float4 float8 numeric

CREATE FUNCTION gaussdp_internal.avg_@type@_accum(internal, @type@, float8, float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_avg_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_@type@_accum(internal, @type@, float8, float8, float8, float8) IS
'Transition of dp_avg(@type@, float8, float8, float8, float8).';

CREATE AGGREGATE dp_avg(@type@, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.avg_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.avg_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.avg_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg(@type@, float8, float8, float8, float8) IS
'Average of x clamped to [lower, upper], from a joint noisy release of sum and count, differentially private at (epsilon, delta) where a person owns at most one row; within the bounds and never null. dp_avg(x, epsilon, delta, lower, upper). Errors: 22023.';

CREATE AGGREGATE dp_avg_estimate(@type@, float8, float8, float8, float8) (
	SFUNC = gaussdp_internal.avg_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.avg_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.avg_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg_estimate(@type@, float8, float8, float8, float8) IS
'As a dp_estimate, with standard deviation and interval: Average of x clamped to [lower, upper], from a joint noisy release of sum and count, differentially private at (epsilon, delta) where a person owns at most one row; within the bounds and never null. dp_avg(x, epsilon, delta, lower, upper). Errors: 22023.';

CREATE FUNCTION gaussdp_internal.avg_@type@_accum(internal, @type@, float8, float8, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_avg_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_@type@_accum(internal, @type@, float8, float8, float8, float8, int8) IS
'Transition of dp_avg(@type@, float8, float8, float8, float8, int8).';

CREATE AGGREGATE dp_avg(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.avg_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.avg_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.avg_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg(@type@, float8, float8, float8, float8, int8) IS
'As dp_avg(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that. dp_avg(x, epsilon, delta, lower, upper, max_rows). Errors: 22023.';

CREATE AGGREGATE dp_avg_estimate(@type@, float8, float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.avg_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.avg_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.avg_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg_estimate(@type@, float8, float8, float8, float8, int8) IS
'As a dp_estimate, with standard deviation and interval: As dp_avg(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that. dp_avg(x, epsilon, delta, lower, upper, max_rows). Errors: 22023.';

-- What calls with constant parameters are planned as: the same, with all of them in one constant.

CREATE FUNCTION gaussdp_internal.avg_@type@_accum(internal, @type@, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_avg_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_@type@_accum(internal, @type@, float8[]) IS
'Transition of gaussdp_internal.avg_packed(@type@, float8[]).';

CREATE AGGREGATE gaussdp_internal.avg_packed(@type@, float8[]) (
	SFUNC = gaussdp_internal.avg_@type@_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.avg_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.avg_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.avg_packed(@type@, float8[]) IS
'What dp_avg with constant parameters is planned as: the same, with all parameters in one array, epsilon first. For the planner; queries of protected tables that call it are refused. Errors: 22023.';

-- end

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.avg_total_accum(internal, bytea, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_avg_total_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_total_accum(internal, bytea, float8[]) IS
'Transition of gaussdp_internal.avg_weighted(bytea, float8[]).';

CREATE AGGREGATE gaussdp_internal.avg_weighted(total bytea, params float8[]) (
	SFUNC = gaussdp_internal.avg_total_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.avg_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.avg_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.avg_weighted(bytea, float8[]) IS
'What dp_avg is planned as over people who own many rows: adds what each person counts for in a group, sum and count in steps of the noise''s grids, or totals of that. params: epsilon, delta, lower, upper, k. Errors: 22023.';
