-- Counts: dp_count, dp_count_estimate.

CREATE FUNCTION gaussdp_internal.count_accum(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_count_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_accum(internal, float8, float8) IS 'Transition of dp_count(epsilon, delta).';

CREATE FUNCTION gaussdp_internal.count_any_accum(internal, "any", float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_count_any_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_any_accum(internal, "any", float8, float8) IS
'Transition of dp_count(x, epsilon, delta).';

CREATE FUNCTION gaussdp_internal.count_any_accum(internal, "any", float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_count_any_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_any_accum(internal, "any", float8, float8, float8) IS
'Transition of dp_count(x, epsilon, delta, l2_sensitivity).';

CREATE FUNCTION gaussdp_internal.count_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_count_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_serialize(internal) IS
'Serializes a state of dp_count; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.count_final(internal) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_count_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_final(internal) IS
'Draws the noise of dp_count; called again on the same state, it gives the same value.';

CREATE FUNCTION gaussdp_internal.count_estimate_final(internal) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_count_estimate_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_estimate_final(internal) IS
'Draws the noise of dp_count_estimate; called again on the same state, it gives the same values.';

CREATE AGGREGATE dp_count(float8, float8) (
	SFUNC = gaussdp_internal.count_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.count_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.count_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count(float8, float8) IS
'Number of rows plus noise, differentially private at (epsilon, delta) where a person owns at most one row; unbiased, hence at times negative, and never null. dp_count(epsilon, delta). Errors: 22023.';

CREATE AGGREGATE dp_count_estimate(float8, float8) (
	SFUNC = gaussdp_internal.count_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.count_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.count_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count_estimate(float8, float8) IS
'As a dp_estimate, with standard deviation and interval: Number of rows plus noise, differentially private at (epsilon, delta) where a person owns at most one row; unbiased, hence at times negative, and never null. dp_count(epsilon, delta). Errors: 22023.';

CREATE AGGREGATE dp_count("any", float8, float8) (
	SFUNC = gaussdp_internal.count_any_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.count_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.count_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count("any", float8, float8) IS
'Number of rows in which x is not null plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_count(x, epsilon, delta). Errors: 22023.';

CREATE AGGREGATE dp_count_estimate("any", float8, float8) (
	SFUNC = gaussdp_internal.count_any_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.count_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.count_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count_estimate("any", float8, float8) IS
'As a dp_estimate, with standard deviation and interval: Number of rows in which x is not null plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_count(x, epsilon, delta). Errors: 22023.';

CREATE AGGREGATE dp_count("any", float8, float8, float8) (
	SFUNC = gaussdp_internal.count_any_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.count_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.count_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count("any", float8, float8, float8) IS
'As dp_count(x, epsilon, delta), with noise for the L2 sensitivity that the caller vouches for: as many rows as a person may own. dp_count(x, epsilon, delta, l2_sensitivity). Errors: 22023.';

CREATE AGGREGATE dp_count_estimate("any", float8, float8, float8) (
	SFUNC = gaussdp_internal.count_any_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.count_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.count_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count_estimate("any", float8, float8, float8) IS
'As a dp_estimate, with standard deviation and interval: As dp_count(x, epsilon, delta), with noise for the L2 sensitivity that the caller vouches for: as many rows as a person may own. dp_count(x, epsilon, delta, l2_sensitivity). Errors: 22023.';

-- What calls with constant parameters are planned as: the same, with all of them in one constant.

CREATE FUNCTION gaussdp_internal.count_accum(internal, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_count_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_accum(internal, float8[]) IS
'Transition of gaussdp_internal.count_packed(float8[]).';

CREATE AGGREGATE gaussdp_internal.count_packed(float8[]) (
	SFUNC = gaussdp_internal.count_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.count_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.count_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.count_packed(float8[]) IS
'What dp_count with constant parameters is planned as: the same, with all parameters in one array, epsilon first. For the planner; queries of protected tables that call it are refused. Errors: 22023.';

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.count_weighted_accum(internal, int8, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_count_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_weighted_accum(internal, int8, float8[]) IS
'Transition of gaussdp_internal.count_weighted.';

CREATE FUNCTION gaussdp_internal.count_weighted_accum(internal, int8, float8[], "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_count_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_weighted_accum(internal, int8, float8[], "any") IS
'Transition of gaussdp_internal.count_weighted.';

CREATE AGGREGATE gaussdp_internal.count_weighted(m int8, params float8[]) (
	SFUNC = gaussdp_internal.count_weighted_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.count_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.count_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.count_weighted(int8, float8[]) IS
'What dp_count is planned as over people who own many rows: each row adds m / 2^31 of what it would add, toward zero on the grid of the noise. params: epsilon, delta, k. Errors: 22023.';

CREATE AGGREGATE gaussdp_internal.count_weighted(m int8, params float8[], value "any") (
	SFUNC = gaussdp_internal.count_weighted_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.count_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.count_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.count_weighted(int8, float8[], "any") IS
'What dp_count is planned as over people who own many rows: each row adds m / 2^31 of what it would add, toward zero on the grid of the noise. params: epsilon, delta, k. Errors: 22023.';

-- The same of totals of rows that are weighed already.

CREATE FUNCTION gaussdp_internal.count_total_accum(internal, bytea, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_count_total_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_total_accum(internal, bytea, float8[]) IS
'Transition of gaussdp_internal.count_weighted(bytea, float8[]).';

CREATE AGGREGATE gaussdp_internal.count_weighted(total bytea, params float8[]) (
	SFUNC = gaussdp_internal.count_total_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.count_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.count_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.count_weighted(bytea, float8[]) IS
'As gaussdp_internal.count_weighted(m, params), of totals of any of its rows, as the plan over people who own many rows makes them: sum and count in steps of the noise''s grids, two integers of 8 or 16 bytes each. Errors: 22023.';
