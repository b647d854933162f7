-- People who own many rows: sizes of rows and weights of people, for the window functions that the policy writes.

CREATE FUNCTION gaussdp_internal.row_size(kind int4, params float8[], value "any") RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_row_size' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.row_size(int4, float8[], "any") IS
'Size of a row for a weighted call with these parameters: in units of 2^-20, rounded up, what part of the most that a row may add it adds; of all but sums 2^20 where the row counts; 0 where it does not. Errors: 22023, 42804.';

CREATE FUNCTION gaussdp_internal.size_add(int8, int8) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_size_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.size_add(int8, int8) IS 'Transition of gaussdp_internal.size_sum. Error: 22023.';

CREATE AGGREGATE gaussdp_internal.size_sum(int8) (SFUNC = gaussdp_internal.size_add, STYPE = int8, INITCOND = '0');
COMMENT ON AGGREGATE gaussdp_internal.size_sum(int8) IS
'Sum of sizes, at most 2^63 - 1; NULL counts as 0. For OVER (PARTITION BY unit, keys). Error: 22023 where a size is negative.';

CREATE FUNCTION gaussdp_internal.person_weight_accum(internal, size int8, size_sum int8, k20 int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_person_weight_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.person_weight_accum(internal, int8, int8, int8) IS
'Transition of gaussdp_internal.person_weight. Error: 22023.';

CREATE FUNCTION gaussdp_internal.person_weight_final(internal) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_person_weight_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.person_weight_final(internal) IS 'Weight of a person from the squares of their sizes.';

CREATE AGGREGATE gaussdp_internal.person_weight(size int8, size_sum int8, k20 int8) (
	SFUNC = gaussdp_internal.person_weight_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.person_weight_final
);
COMMENT ON AGGREGATE gaussdp_internal.person_weight(int8, int8, int8) IS
'Weight of a person: the greatest m <= 2^31 with m^2 times the sum of size * size_sum at most 2^62 k20^2; 0 where no row counts, and where that sum is above 2^102. k20 is 2^20 times the sensitivity in rows. For OVER (PARTITION BY unit). Error: 22023.';

CREATE FUNCTION gaussdp_internal.row_bin(kind int4, params float8[], value "any") RETURNS int4
AS 'MODULE_PATHNAME', 'gaussdp_row_bin' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.row_bin(int4, float8[], "any") IS
'Bin of a row of a weighted histogram with these parameters, from 0 on; -1 where the row does not count. Errors: 22023, 42804.';

CREATE FUNCTION gaussdp_internal.person_total_accum(internal, kind int4, params float8[], value "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_person_total_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.person_total_accum(internal, int4, float8[], "any") IS
'Transition of gaussdp_internal.person_total. Errors: 22023, 42804.';

CREATE FUNCTION gaussdp_internal.person_total_final(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_person_total_final' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.person_total_final(internal) IS 'Total of the rows of a person in a group.';

CREATE AGGREGATE gaussdp_internal.person_total(kind int4, params float8[], value "any") (
	SFUNC = gaussdp_internal.person_total_accum, STYPE = internal, SSPACE = 64,
	FINALFUNC = gaussdp_internal.person_total_final
);
COMMENT ON AGGREGATE gaussdp_internal.person_total(int4, float8[], "any") IS
'What rows add to a weighted average or variance with these parameters where they count in full: sum, count and sum of squares in steps of the noise''s grids. For OVER (PARTITION BY unit, keys). Errors: 22023, 42804.';

CREATE FUNCTION gaussdp_internal.total_weight_accum(internal, total bytea, kind int4, params float8[], k20 int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_total_weight_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.total_weight_accum(internal, bytea, int4, float8[], int8) IS
'Transition of gaussdp_internal.total_weight. Error: 22023.';

CREATE AGGREGATE gaussdp_internal.total_weight(total bytea, kind int4, params float8[], k20 int8) (
	SFUNC = gaussdp_internal.total_weight_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.person_weight_final
);
COMMENT ON AGGREGATE gaussdp_internal.total_weight(bytea, int4, float8[], int8) IS
'Weight of a person by the totals of their groups, each once, all coordinates of a call together: the greatest m <= 2^31 for which m / 2^31 of these totals moves its release by no more than k rows do; NULL counts for nothing. k20 is 2^20 times the sensitivity in rows. For OVER (PARTITION BY unit). Error: 22023.';

CREATE FUNCTION gaussdp_internal.clip_total(total bytea, m int8) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_clip_total' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.clip_total(bytea, int8) IS
'm / 2^31 of a total of gaussdp_internal.person_total, toward zero. Error: 22023.';
