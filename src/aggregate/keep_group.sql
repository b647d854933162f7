-- The threshold that hides groups of one person: dp_keep_group.

CREATE FUNCTION gaussdp_internal.keep_group_accum(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_keep_group_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.keep_group_accum(internal, float8, float8) IS 'Transition of dp_keep_group(epsilon, delta).';

CREATE FUNCTION gaussdp_internal.keep_group_accum(internal, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_keep_group_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.keep_group_accum(internal, float8, float8, int8) IS
'Transition of dp_keep_group(epsilon, delta, max_rows).';

CREATE FUNCTION gaussdp_internal.keep_group_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_keep_group_serialize' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.keep_group_serialize(internal) IS
'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.';

CREATE FUNCTION gaussdp_internal.keep_group_final(internal) RETURNS bool
AS 'MODULE_PATHNAME', 'gaussdp_keep_group_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.keep_group_final(internal) IS
'Draws the noise; called again on the same state, it gives the same result.';

CREATE AGGREGATE dp_keep_group(float8, float8) (
	SFUNC = gaussdp_internal.keep_group_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.keep_group_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.keep_group_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_keep_group(float8, float8) IS
'For HAVING: whether the group''s number of rows plus noise exceeds a threshold that hides any one person: the groups that exist through one person alone appear with a probability of at most delta / 2. Differentially private at (epsilon, delta) where a person owns at most one row. dp_keep_group(epsilon, delta). Errors: 22023.';

CREATE AGGREGATE dp_keep_group(float8, float8, int8) (
	SFUNC = gaussdp_internal.keep_group_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.keep_group_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.keep_group_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_keep_group(float8, float8, int8) IS
'As dp_keep_group(epsilon, delta), for persons who own at most max_rows rows in all groups together; the caller vouches for that. dp_keep_group(epsilon, delta, max_rows). Errors: 22023.';

-- What calls over people who own many rows are planned as.

CREATE FUNCTION gaussdp_internal.keep_group_weighted_accum(internal, int8, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_keep_group_weighted_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.keep_group_weighted_accum(internal, int8, float8[]) IS
'Transition of gaussdp_internal.keep_group_weighted.';

CREATE AGGREGATE gaussdp_internal.keep_group_weighted(m int8, params float8[]) (
	SFUNC = gaussdp_internal.keep_group_weighted_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.keep_group_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.keep_group_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.keep_group_weighted(int8, float8[]) IS
'What dp_keep_group is planned as over people who own many rows: whether the sum of m / 2^31 plus noise exceeds a threshold that hides a person who adds at most 1 / sqrt(g) to each of their g groups, g being at most max_groups. params: epsilon, delta, max_groups. Errors: 22023.';

-- The same of totals of rows that are weighed already.

CREATE FUNCTION gaussdp_internal.keep_group_total_accum(internal, bytea, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_keep_group_total_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.keep_group_total_accum(internal, bytea, float8[]) IS
'Transition of gaussdp_internal.keep_group_weighted(bytea, float8[]).';

CREATE AGGREGATE gaussdp_internal.keep_group_weighted(total bytea, params float8[]) (
	SFUNC = gaussdp_internal.keep_group_total_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.keep_group_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.keep_group_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.keep_group_weighted(bytea, float8[]) IS
'As gaussdp_internal.keep_group_weighted(m, params), of totals of any of its rows, as the plan over people who own many rows makes them: sum and count in steps of the noise''s grids, two integers of 8 or 16 bytes each. Errors: 22023.';
