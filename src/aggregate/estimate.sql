-- What every count, sum and average shares: estimates, and functions of their states.

CREATE TYPE dp_estimate AS (
	value float8, stddev float8, ci_low float8, ci_high float8,
	num float8, num_sd float8, den float8, den_sd float8, lower_bound float8, upper_bound float8, squares float8, squares_sd float8, reliable bool, is_root bool, asked float8[], answers float8[], answers_sd float8[], cut float8, cut_at_most float8);
COMMENT ON TYPE dp_estimate IS
'A released value with the standard deviation of its noise and its 95 % interval, all in the unit of the value. For averages, num is the noisy sum of the values less the centre of the bounds, den the noisy count, num_sd and den_sd the standard deviations of their noise, lower_bound and upper_bound the bounds, and reliable says whether den is at least 5 den_sd: below that the average says little; else these are null. Variances and standard deviations have all of these, and squares, the noisy sum of the squared distances from the centre, each less half of the most that it may be, with squares_sd; is_root tells a standard deviation from a variance. Quantiles have no stddev, the bounds, and what was asked: at each place (asked) how many rows are below it, less what the quantile makes that (answers), with answers_sd. Where max_rows was found for the call, cut and cut_at_most say what part of what people have it leaves out, about and at most, as gaussdp.last_answer does: the interval is of the noise alone.';

CREATE FUNCTION dp_estimate_interval(estimate dp_estimate, confidence float8, OUT low float8, OUT high float8)
AS 'MODULE_PATHNAME', 'gaussdp_estimate_interval' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_estimate_interval(dp_estimate, float8) IS
'The interval in which the value without noise lies with the given confidence, from released numbers only: value +- z stddev, for averages Fieller''s interval, as far as it lies within the bounds, for variances what two of these leave (at least that confidence), for quantiles what the answers show, which was simulated and is not proven. 0 < confidence < 1. Error: 22023.';

CREATE FUNCTION gaussdp_internal.scalar_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_scalar_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.scalar_combine(internal, internal) IS
'Adds two states of dp_count, dp_sum or dp_avg. Error: 22023 where their parameters differ.';

CREATE FUNCTION gaussdp_internal.scalar_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_scalar_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.scalar_deserialize(bytea, internal) IS
'Reads a serialized state of dp_count, dp_sum or dp_avg. Errors: 22P03 and 22023 for bytes that are none.';

CREATE FUNCTION gaussdp_internal.reliable_value(dp_estimate) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_reliable_value' LANGUAGE C IMMUTABLE STRICT LEAKPROOF PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.reliable_value(dp_estimate) IS
'The value of an average that is reliable, or of a quantile whose interval is less than all that is possible; else NULL. What gaussdp.answer_plain_sql puts around dp_avg_estimate, and for min and max around dp_quantile_estimate.';
