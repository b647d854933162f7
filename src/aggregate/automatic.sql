-- Sums and averages of three arguments: bounds declared for the column, or found privately.

CREATE FUNCTION gaussdp_internal.unplanned_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_serialize(internal) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_final(internal) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_final(internal) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_estimate_final(internal) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_estimate_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_estimate_final(internal) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.sum_auto_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_sum_auto_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_auto_serialize(internal) IS
'Serializes a state of dp_sum_auto; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.sum_auto_final(internal) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_sum_auto_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_auto_final(internal) IS
'Finds bounds and draws the noise of dp_sum_auto; called again on the same state, it gives the same.';

CREATE FUNCTION gaussdp_internal.sum_auto_estimate_final(internal) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_sum_auto_estimate_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_auto_estimate_final(internal) IS
'Finds bounds and draws the noise of dp_sum_auto_estimate; called again on the same state, it gives the same.';

CREATE FUNCTION gaussdp_internal.avg_auto_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_avg_auto_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_auto_serialize(internal) IS
'Serializes a state of dp_avg_auto; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.avg_auto_final(internal) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_avg_auto_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_auto_final(internal) IS
'Finds bounds and draws the noise of dp_avg_auto; called again on the same state, it gives the same.';

CREATE FUNCTION gaussdp_internal.avg_auto_estimate_final(internal) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_avg_auto_estimate_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_auto_estimate_final(internal) IS
'Finds bounds and draws the noise of dp_avg_auto_estimate; called again on the same state, it gives the same.';

CREATE FUNCTION gaussdp_internal.bounds_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_bounds_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.bounds_serialize(internal) IS
'Serializes a state of dp_bounds; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.bounds_final(internal) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gaussdp_bounds_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.bounds_final(internal) IS
'Draws the noise of dp_bounds; called again on the same state, it gives the same.';

-- for @type@ in int2 int4 int8 float4 float8 numeric

CREATE FUNCTION gaussdp_internal.bounds_@type@_accum(internal, @type@, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_bounds_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.bounds_@type@_accum(internal, @type@, float8, float8) IS
'Transition of dp_bounds(@type@, float8, float8).';

CREATE AGGREGATE dp_bounds(@type@, float8, float8) (
	SFUNC = gaussdp_internal.bounds_@type@_accum, STYPE = internal, SSPACE = 2304,
	FINALFUNC = gaussdp_internal.bounds_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.bounds_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_bounds(@type@, float8, float8) IS
'{lower, upper}: powers of two, or 0, that most values of x are between, found privately as dp_avg_auto does; {-Infinity, Infinity} where none stand out. Differentially private at (epsilon, delta) where a person owns at most one row. dp_bounds(x, epsilon, delta). Errors: 22023.';

CREATE FUNCTION gaussdp_internal.unplanned_accum(internal, @type@, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_accum(internal, @type@, float8, float8) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.sum_auto_@type@_accum(internal, @type@, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_sum_auto_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_auto_@type@_accum(internal, @type@, float8, float8) IS
'Transition of dp_sum_auto(@type@, float8, float8).';

CREATE AGGREGATE dp_sum(@type@, float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum(@type@, float8, float8) IS
'sum of x, with private automatic bounds: planned as dp_sum_auto. dp_sum(x, epsilon, delta). Errors: 22023; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_sum_auto(@type@, float8, float8) (
	SFUNC = gaussdp_internal.sum_auto_@type@_accum, STYPE = internal, SSPACE = 8384,
	FINALFUNC = gaussdp_internal.sum_auto_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.sum_auto_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum_auto(@type@, float8, float8) IS
'sum of x, within bounds that are found privately from the values'' powers of two, with one eighth of mu^2; never null. Differentially private at (epsilon, delta) where a person owns at most one row. dp_sum_auto(x, epsilon, delta). Errors: 22023.';

CREATE AGGREGATE dp_sum_estimate(@type@, float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum_estimate(@type@, float8, float8) IS
'As a dp_estimate, with standard deviation and interval: sum of x, with private automatic bounds: planned as dp_sum_auto_estimate. dp_sum_estimate(x, epsilon, delta). Errors: 22023; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_sum_auto_estimate(@type@, float8, float8) (
	SFUNC = gaussdp_internal.sum_auto_@type@_accum, STYPE = internal, SSPACE = 8384,
	FINALFUNC = gaussdp_internal.sum_auto_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.sum_auto_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum_auto_estimate(@type@, float8, float8) IS
'As a dp_estimate, with standard deviation and interval: sum of x, within bounds that are found privately from the values'' powers of two, with one eighth of mu^2; never null. Differentially private at (epsilon, delta) where a person owns at most one row. dp_sum_auto_estimate(x, epsilon, delta). Errors: 22023.';

CREATE FUNCTION gaussdp_internal.avg_auto_@type@_accum(internal, @type@, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_avg_auto_@type@_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_auto_@type@_accum(internal, @type@, float8, float8) IS
'Transition of dp_avg_auto(@type@, float8, float8).';

CREATE AGGREGATE dp_avg(@type@, float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg(@type@, float8, float8) IS
'average of x, with private automatic bounds: planned as dp_avg_auto. dp_avg(x, epsilon, delta). Errors: 22023; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_avg_auto(@type@, float8, float8) (
	SFUNC = gaussdp_internal.avg_auto_@type@_accum, STYPE = internal, SSPACE = 16576,
	FINALFUNC = gaussdp_internal.avg_auto_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.avg_auto_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg_auto(@type@, float8, float8) IS
'average of x, within bounds that are found privately: from the values'' powers of two, with one eighth of mu^2, and closer where values lie close together; never null. Differentially private at (epsilon, delta) where a person owns at most one row. dp_avg_auto(x, epsilon, delta). Errors: 22023.';

CREATE AGGREGATE dp_avg_estimate(@type@, float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg_estimate(@type@, float8, float8) IS
'As a dp_estimate, with standard deviation and interval: average of x, with private automatic bounds: planned as dp_avg_auto_estimate. dp_avg_estimate(x, epsilon, delta). Errors: 22023; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_avg_auto_estimate(@type@, float8, float8) (
	SFUNC = gaussdp_internal.avg_auto_@type@_accum, STYPE = internal, SSPACE = 16576,
	FINALFUNC = gaussdp_internal.avg_auto_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.avg_auto_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg_auto_estimate(@type@, float8, float8) IS
'As a dp_estimate, with standard deviation and interval: average of x, within bounds that are found privately: from the values'' powers of two, with one eighth of mu^2, and closer where values lie close together; never null. Differentially private at (epsilon, delta) where a person owns at most one row. dp_avg_auto_estimate(x, epsilon, delta). Errors: 22023.';

-- end

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.sum_auto_weighted_accum(internal, int8, float8[], "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_sum_auto_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.sum_auto_weighted_accum(internal, int8, float8[], "any") IS
'Transition of gaussdp_internal.sum_auto_weighted.';

CREATE AGGREGATE gaussdp_internal.sum_auto_weighted(m int8, params float8[], value "any") (
	SFUNC = gaussdp_internal.sum_auto_weighted_accum, STYPE = internal, SSPACE = 12544,
	FINALFUNC = gaussdp_internal.sum_auto_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.sum_auto_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.sum_auto_weighted(int8, float8[], "any") IS
'What dp_sum_auto is planned as over people who own many rows: each row adds m / 2^31 of what it would add, toward zero on the grid of the noise. params: epsilon, delta, k. Errors: 22023, 42804.';

CREATE FUNCTION gaussdp_internal.avg_auto_weighted_accum(internal, int8, float8[], "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_avg_auto_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.avg_auto_weighted_accum(internal, int8, float8[], "any") IS
'Transition of gaussdp_internal.avg_auto_weighted.';

CREATE AGGREGATE gaussdp_internal.avg_auto_weighted(m int8, params float8[], value "any") (
	SFUNC = gaussdp_internal.avg_auto_weighted_accum, STYPE = internal, SSPACE = 20736,
	FINALFUNC = gaussdp_internal.avg_auto_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.avg_auto_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.avg_auto_weighted(int8, float8[], "any") IS
'What dp_avg_auto is planned as over people who own many rows: each row adds m / 2^31 of what it would add, toward zero on the grid of the noise. params: epsilon, delta, k. Errors: 22023, 42804.';
