CREATE FUNCTION gaussdp_internal.image("any") RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_image' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.image("any") IS
'The bytes of a value: themselves where there are fewer than 32, else their SHA-256. Values that are equal and look different (1.0 and 1.00, documents) have different images. For the rewriting of queries over protected tables.';
