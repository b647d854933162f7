-- Dates, times, intervals and money as numbers on rows, and released numbers as such values.

CREATE FUNCTION gaussdp_internal.measure(date) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_measure_date' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.measure(date) IS 'Days since 2000-01-01; never fails. What plain SQL puts around values that are no numbers.';

-- for @type@ in timestamp timestamptz
CREATE FUNCTION gaussdp_internal.measure(@type@) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_measure_timestamp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.measure(@type@) IS 'Seconds since 2000-01-01 00:00 (UTC); never fails. What plain SQL puts around values that are no numbers.';
-- end

CREATE FUNCTION gaussdp_internal.measure(time) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_measure_time' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.measure(time) IS 'Seconds since midnight; never fails. What plain SQL puts around values that are no numbers.';

CREATE FUNCTION gaussdp_internal.measure(interval) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_measure_interval' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.measure(interval) IS 'Seconds, 30 days in a month; never fails. What plain SQL puts around values that are no numbers.';

CREATE FUNCTION gaussdp_internal.measure(money) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_measure_money' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.measure(money) IS 'Hundreds of the smallest unit; never fails. What plain SQL puts around values that are no numbers.';

-- for @type@ in date time interval money timestamp
CREATE FUNCTION gaussdp_internal.as_@type@(float8) RETURNS @type@
AS 'MODULE_PATHNAME', 'gaussdp_as_@type@' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.as_@type@(float8) IS 'The nearest value that measure() has this number for; never fails. What plain SQL puts around private calls.';
-- end

CREATE FUNCTION gaussdp_internal.as_timestamptz(float8) RETURNS timestamptz
AS 'MODULE_PATHNAME', 'gaussdp_as_timestamp' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.as_timestamptz(float8) IS 'The nearest value that measure() has this number for; never fails. What plain SQL puts around private calls.';
