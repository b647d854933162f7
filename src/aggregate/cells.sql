-- States of several numbers, which the aggregates below it share.

CREATE FUNCTION gaussdp_internal.cells_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_cells_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.cells_combine(internal, internal) IS
'Adds two states of dp_var, dp_histogram, dp_cdf or a vector sum. Error: 22023 where their parameters differ.';

CREATE FUNCTION gaussdp_internal.cells_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_cells_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.cells_deserialize(bytea, internal) IS
'Reads a serialized state of dp_var, dp_histogram, dp_cdf or a vector sum. Errors: 22P03 and 22023 for bytes that are none.';
