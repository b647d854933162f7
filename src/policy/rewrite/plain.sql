-- Answers of plain SQL in the type that the query expects.

-- for @type@ in int2 int4 int8 float4 numeric
CREATE FUNCTION gaussdp_internal.to_@type@(float8) RETURNS @type@
AS 'MODULE_PATHNAME', 'gaussdp_to_@type@' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_@type@(float8) IS
'The nearest value of the type; never fails. What gaussdp.answer_plain_sql puts around private calls.';
-- end

CREATE FUNCTION gaussdp_internal.preview(regclass) RETURNS bool
AS 'MODULE_PATHNAME', 'gaussdp_preview' LANGUAGE C VOLATILE STRICT PARALLEL UNSAFE;
COMMENT ON FUNCTION gaussdp_internal.preview(regclass) IS
'False, with a notice that rows of the table are not shown: what stands in place of a query of rows with LIMIT. Errors: 42501 where no client would see the notice.';
