-- Answers of plain SQL in the type that the query expects.

CREATE FUNCTION gaussdp_internal.to_int2(float8) RETURNS int2
AS 'MODULE_PATHNAME', 'gaussdp_to_int2' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_int2(float8) IS
'The nearest value of the type; never fails. What gaussdp.answer_plain_sql puts around private calls.';

CREATE FUNCTION gaussdp_internal.to_int4(float8) RETURNS int4
AS 'MODULE_PATHNAME', 'gaussdp_to_int4' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_int4(float8) IS
'The nearest value of the type; never fails. What gaussdp.answer_plain_sql puts around private calls.';

CREATE FUNCTION gaussdp_internal.to_int8(float8) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_to_int8' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_int8(float8) IS
'The nearest value of the type; never fails. What gaussdp.answer_plain_sql puts around private calls.';

CREATE FUNCTION gaussdp_internal.to_float4(float8) RETURNS float4
AS 'MODULE_PATHNAME', 'gaussdp_to_float4' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_float4(float8) IS
'The nearest value of the type; never fails. What gaussdp.answer_plain_sql puts around private calls.';

CREATE FUNCTION gaussdp_internal.to_numeric(float8) RETURNS numeric
AS 'MODULE_PATHNAME', 'gaussdp_to_numeric' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_numeric(float8) IS
'The nearest value of the type; never fails. What gaussdp.answer_plain_sql puts around private calls.';

CREATE FUNCTION gaussdp_internal.to_int2(int8) RETURNS int2
AS 'MODULE_PATHNAME', 'gaussdp_int8_to_int2' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_int2(int8) IS
'The nearest value of the type; never fails. What stands for casts and arithmetic on protected rows that could overflow.';

CREATE FUNCTION gaussdp_internal.to_int4(int8) RETURNS int4
AS 'MODULE_PATHNAME', 'gaussdp_int8_to_int4' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_int4(int8) IS
'The nearest value of the type; never fails. What stands for casts and arithmetic on protected rows that could overflow.';

CREATE FUNCTION gaussdp_internal.to_int2(numeric) RETURNS int2
AS 'MODULE_PATHNAME', 'gaussdp_numeric_to_int2' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_int2(numeric) IS
'The nearest value of the type; never fails. What stands for casts and arithmetic on protected rows that could overflow.';

CREATE FUNCTION gaussdp_internal.to_int4(numeric) RETURNS int4
AS 'MODULE_PATHNAME', 'gaussdp_numeric_to_int4' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_int4(numeric) IS
'The nearest value of the type; never fails. What stands for casts and arithmetic on protected rows that could overflow.';

CREATE FUNCTION gaussdp_internal.to_int8(numeric) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_numeric_to_int8' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.to_int8(numeric) IS
'The nearest value of the type; never fails. What stands for casts and arithmetic on protected rows that could overflow.';
