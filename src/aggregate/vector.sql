-- Sums and averages of vectors: dp_sum, dp_avg. One transition reads the type from the array.

CREATE FUNCTION gaussdp_internal.vector_sum_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_vector_sum_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.vector_sum_serialize(internal) IS
'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.vector_sum_final(internal) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gaussdp_vector_sum_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.vector_sum_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

-- for @type@ in int2 int4 int8 float4 float8 numeric

CREATE FUNCTION gaussdp_internal.vector_sum_accum(internal, @type@[], float8, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_vector_sum_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.vector_sum_accum(internal, @type@[], float8, float8, float8, int8) IS
'Transition of dp_sum(@type@[], float8, float8, float8, int8).';

CREATE AGGREGATE dp_sum(@type@[], float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.vector_sum_accum, STYPE = internal, SSPACE = 512,
	FINALFUNC = gaussdp_internal.vector_sum_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.vector_sum_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum(@type@[], float8, float8, float8, int8) IS
'Sum of vectors of the given number of dimensions (1 to 10000), each scaled down to the Euclidean norm l2_norm where it is longer, plus noise in every coordinate. A row of another length, or with a NULL or NaN in it, counts for nothing. Differentially private at (epsilon, delta) where a person owns at most one row. dp_sum(x, epsilon, delta, l2_norm, dimensions). Errors: 22023.';

-- end

CREATE FUNCTION gaussdp_internal.vector_avg_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_vector_avg_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.vector_avg_serialize(internal) IS
'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.vector_avg_final(internal) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gaussdp_vector_avg_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.vector_avg_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

-- for @type@ in int2 int4 int8 float4 float8 numeric

CREATE FUNCTION gaussdp_internal.vector_avg_accum(internal, @type@[], float8, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_vector_avg_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.vector_avg_accum(internal, @type@[], float8, float8, float8, int8) IS
'Transition of dp_avg(@type@[], float8, float8, float8, int8).';

CREATE AGGREGATE dp_avg(@type@[], float8, float8, float8, int8) (
	SFUNC = gaussdp_internal.vector_avg_accum, STYPE = internal, SSPACE = 512,
	FINALFUNC = gaussdp_internal.vector_avg_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.vector_avg_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg(@type@[], float8, float8, float8, int8) IS
'Average of vectors, from a joint noisy release of their sum and number; of norm l2_norm at most. Else as dp_sum(x, epsilon, delta, l2_norm, dimensions). Errors: 22023.';

-- end

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.vector_sum_weighted_accum(internal, int8, float8[], "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_vector_sum_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.vector_sum_weighted_accum(internal, int8, float8[], "any") IS
'Transition of gaussdp_internal.vector_sum_weighted.';

CREATE AGGREGATE gaussdp_internal.vector_sum_weighted(m int8, params float8[], value "any") (
	SFUNC = gaussdp_internal.vector_sum_weighted_accum, STYPE = internal, SSPACE = 512,
	FINALFUNC = gaussdp_internal.vector_sum_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.vector_sum_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.vector_sum_weighted(int8, float8[], "any") IS
'What dp_sum of arrays is planned as over people who own many rows: each row adds m / 2^31 of what it would add, toward zero on the grid of the noise. params: epsilon, delta, l2_norm, dimensions, k. Errors: 22023, 42804.';

CREATE FUNCTION gaussdp_internal.vector_avg_weighted_accum(internal, int8, float8[], "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_vector_avg_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.vector_avg_weighted_accum(internal, int8, float8[], "any") IS
'Transition of gaussdp_internal.vector_avg_weighted.';

CREATE AGGREGATE gaussdp_internal.vector_avg_weighted(m int8, params float8[], value "any") (
	SFUNC = gaussdp_internal.vector_avg_weighted_accum, STYPE = internal, SSPACE = 512,
	FINALFUNC = gaussdp_internal.vector_avg_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.cells_combine, SERIALFUNC = gaussdp_internal.vector_avg_serialize,
	DESERIALFUNC = gaussdp_internal.cells_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.vector_avg_weighted(int8, float8[], "any") IS
'What dp_avg of arrays is planned as over people who own many rows: each row adds m / 2^31 of what it would add, toward zero on the grid of the noise. params: epsilon, delta, l2_norm, dimensions, k. Errors: 22023, 42804.';
