CREATE FUNCTION gaussdp_internal.image("any") RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_image' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.image("any") IS
'The bytes of a value: themselves where there are fewer than 32, else their SHA-256. Values that are equal and look different (1.0 and 1.00, documents) have different images. For the rewriting of queries over protected tables.';

CREATE FUNCTION gaussdp_internal.one_image(float4) RETURNS float4
AS 'MODULE_PATHNAME', 'gaussdp_float4_one_image' LANGUAGE C IMMUTABLE LEAKPROOF STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.one_image(float4) IS
'The value, 0 for -0. For the rewriting of queries over protected tables.';

CREATE FUNCTION gaussdp_internal.one_image(float8) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_float8_one_image' LANGUAGE C IMMUTABLE LEAKPROOF STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.one_image(float8) IS
'The value, 0 for -0. For the rewriting of queries over protected tables.';

CREATE FUNCTION gaussdp_internal.one_image(interval) RETURNS interval
AS 'MODULE_PATHNAME', 'gaussdp_interval_one_image' LANGUAGE C IMMUTABLE LEAKPROOF STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.one_image(interval) IS
'The interval in months of 30 days, days of 24 hours and time, all of one sign, as justify_interval() has it. For the rewriting of queries over protected tables.';
