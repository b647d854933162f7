/* gaussdp--1.0.sql */

-- complain if script is sourced in psql, rather than via CREATE EXTENSION
\echo Use "CREATE EXTENSION gaussdp" to load this file. \quit

-- ---------------------------------------------------------------------------
-- Calibration: the Gaussian mechanism
-- ---------------------------------------------------------------------------

CREATE FUNCTION dp_gaussian_sigma(epsilon float8, delta float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_gaussian_sigma(float8, float8, float8) IS
'The least standard deviation of Gaussian noise that makes a value of the given L2 sensitivity (epsilon, delta)-differentially private, in the unit of the value, rounded up. epsilon >= 0, 0 < delta < 1. Errors: 22023. Theorem 8 of Balle and Wang 2018.';

CREATE FUNCTION dp_gaussian_delta(sigma float8, epsilon float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_gaussian_delta(float8, float8, float8) IS
'The least delta for which Gaussian noise of standard deviation sigma on a value of the given L2 sensitivity is (epsilon, delta)-differentially private, rounded up. epsilon >= 0. Errors: 22023. Theorem 8 of Balle and Wang 2018.';

CREATE FUNCTION dp_gaussian_epsilon(sigma float8, delta float8, l2_sensitivity float8 DEFAULT 1)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_gaussian_epsilon(float8, float8, float8) IS
'The least epsilon for which Gaussian noise of standard deviation sigma on a value of the given L2 sensitivity is (epsilon, delta)-differentially private, rounded up; 0 where delta alone suffices. Errors: 22023. Theorem 8 of Balle and Wang 2018.';

CREATE FUNCTION gdp_delta(mu float8, epsilon float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_delta(float8, float8) IS
'The least delta for which mu-Gaussian differential privacy implies (epsilon, delta)-differential privacy, rounded up. mu > 0, epsilon >= 0. Errors: 22023. Corollary 1 of Dong, Roth and Su 2022.';

CREATE FUNCTION gdp_epsilon(mu float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_epsilon(float8, float8) IS
'The least epsilon for which mu-Gaussian differential privacy implies (epsilon, delta)-differential privacy, rounded up; 0 where delta alone suffices. mu > 0, 0 < delta < 1. Errors: 22023.';

CREATE FUNCTION gdp_mu(epsilon float8, delta float8)
RETURNS float8 AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gdp_mu(float8, float8) IS
'The largest mu for which mu-Gaussian differential privacy implies (epsilon, delta)-differential privacy, rounded down. epsilon >= 0, 0 < delta < 1. Errors: 22023.';

-- ---------------------------------------------------------------------------
-- Calibration: composition
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Calibration: conversions
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Calibration: the GDP transformation
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Aggregates: counts, sums, averages
-- ---------------------------------------------------------------------------

CREATE TYPE dp_estimate AS (
	value float8, stddev float8, ci_low float8, ci_high float8,
	num float8, num_sd float8, den float8, den_sd float8);
COMMENT ON TYPE dp_estimate IS
'A released value with the standard deviation of its noise and its 95 % interval, all in the unit of the value. For averages, num is the noisy sum of the values less the centre of the bounds, den the noisy count, and num_sd and den_sd the standard deviations of their noise; else these are null.';

CREATE FUNCTION dp_estimate_interval(estimate dp_estimate, confidence float8, OUT low float8, OUT high float8)
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_estimate_interval(dp_estimate, float8) IS
'The interval in which the value without noise lies with the given confidence, from released numbers only: value +- z stddev, for averages Fieller''s interval. 0 < confidence < 1. Error: 22023.';

CREATE FUNCTION dp_scalar_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_scalar_combine(internal, internal) IS
'Adds two states of dp_count, dp_sum or dp_avg. Error: 22023 where their parameters differ.';

CREATE FUNCTION dp_scalar_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_scalar_deserialize(bytea, internal) IS
'Reads a serialized state of dp_count, dp_sum or dp_avg. Errors: 22P03 and 22023 for bytes that are none.';

CREATE FUNCTION dp_count_accum(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_count_accum(internal, float8, float8) IS 'Transition of dp_count(epsilon, delta).';

CREATE FUNCTION dp_count_any_accum(internal, "any", float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_count_any_accum(internal, "any", float8, float8) IS
'Transition of dp_count(x, epsilon, delta).';

CREATE FUNCTION dp_count_any_accum(internal, "any", float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_count_any_accum(internal, "any", float8, float8, float8) IS
'Transition of dp_count(x, epsilon, delta, l2_sensitivity).';

-- One aggregate for each kind, form and type; all alike, hence made in a loop.
DO $script$
DECLARE
	kind text;
	type text;
	form record;
	arguments text;
	accum text;
	variant text;
BEGIN
	FOREACH kind IN ARRAY ARRAY['count', 'sum', 'avg'] LOOP
		EXECUTE format($$CREATE FUNCTION dp_%s_serialize(internal) RETURNS bytea
			AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$$, kind);
		EXECUTE format($$COMMENT ON FUNCTION dp_%1$s_serialize(internal) IS
			'Serializes a state of dp_%1$s; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.'$$, kind);
		EXECUTE format($$CREATE FUNCTION dp_%s_final(internal) RETURNS %s
			AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE$$,
			kind, CASE kind WHEN 'count' THEN 'int8' ELSE 'float8' END);
		EXECUTE format($$CREATE FUNCTION dp_%s_estimate_final(internal) RETURNS dp_estimate
			AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE$$, kind);
		EXECUTE format($$COMMENT ON FUNCTION dp_%1$s_final(internal) IS
			'Draws the noise of dp_%1$s; called again on the same state, it gives the same value.'$$, kind);
		EXECUTE format($$COMMENT ON FUNCTION dp_%1$s_estimate_final(internal) IS
			'Draws the noise of dp_%1$s_estimate; called again on the same state, it gives the same values.'$$, kind);
	END LOOP;

	FOR form IN
		SELECT * FROM (VALUES
			('count', 'float8, float8', false,
			 'Number of rows plus noise, differentially private at (epsilon, delta) where a person owns at most one row; unbiased, hence at times negative, and never null. dp_count(epsilon, delta).'),
			('count', '"any", float8, float8', false,
			 'Number of rows in which x is not null plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_count(x, epsilon, delta).'),
			('count', '"any", float8, float8, float8', false,
			 'As dp_count(x, epsilon, delta), with noise for the L2 sensitivity that the caller vouches for: as many rows as a person may own. dp_count(x, epsilon, delta, l2_sensitivity).'),
			('sum', 'float8, float8, float8', true,
			 'Sum of x clamped to [-l2_sensitivity, l2_sensitivity] plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_sum(x, epsilon, delta, l2_sensitivity).'),
			('sum', 'float8, float8, float8, float8', true,
			 'Sum of x clamped to [lower, upper] plus noise, differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_sum(x, epsilon, delta, lower, upper).'),
			('sum', 'float8, float8, float8, float8, int8', true,
			 'As dp_sum(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that. dp_sum(x, epsilon, delta, lower, upper, max_rows).'),
			('avg', 'float8, float8, float8, float8', true,
			 'Average of x clamped to [lower, upper], from a joint noisy release of sum and count, differentially private at (epsilon, delta) where a person owns at most one row; within the bounds and never null. dp_avg(x, epsilon, delta, lower, upper).'),
			('avg', 'float8, float8, float8, float8, int8', true,
			 'As dp_avg(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that. dp_avg(x, epsilon, delta, lower, upper, max_rows).')
			) AS t(kind, params, typed, meaning)
	LOOP
		FOREACH type IN ARRAY CASE WHEN form.typed
			THEN ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'] ELSE ARRAY[''] END
		LOOP
			arguments := concat_ws(', ', nullif(type, ''), form.params);
			accum := CASE WHEN form.typed THEN format('dp_%s_%s_accum', form.kind, type)
				WHEN arguments LIKE '"any"%' THEN 'dp_count_any_accum' ELSE 'dp_count_accum' END;
			IF form.typed THEN
				EXECUTE format($$CREATE FUNCTION %1$s(internal, %2$s) RETURNS internal
					AS 'MODULE_PATHNAME', '%1$s' LANGUAGE C IMMUTABLE PARALLEL SAFE$$, accum, arguments);
				EXECUTE format($$COMMENT ON FUNCTION %s(internal, %s) IS 'Transition of dp_%s(%s).'$$,
					accum, arguments, form.kind, arguments);
			END IF;
			FOREACH variant IN ARRAY ARRAY['', '_estimate'] LOOP
				EXECUTE format($$CREATE AGGREGATE dp_%1$s%4$s(%2$s) (
					SFUNC = %3$s, STYPE = internal, SSPACE = 32,
					FINALFUNC = dp_%1$s%4$s_final, FINALFUNC_MODIFY = READ_WRITE,
					COMBINEFUNC = dp_scalar_combine, SERIALFUNC = dp_%1$s_serialize,
					DESERIALFUNC = dp_scalar_deserialize, PARALLEL = SAFE)$$,
					form.kind, arguments, accum, variant);
				EXECUTE format('COMMENT ON AGGREGATE dp_%s%s(%s) IS %L', form.kind, variant, arguments,
					CASE variant WHEN '' THEN '' ELSE 'As a dp_estimate, with standard deviation and interval: ' END
					|| form.meaning || ' Errors: 22023.');
			END LOOP;
		END LOOP;
	END LOOP;
END
$script$;

-- ---------------------------------------------------------------------------
-- Aggregates: vectors, variance, histogram, quantile, group threshold
-- ---------------------------------------------------------------------------

CREATE FUNCTION dp_cells_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_cells_combine(internal, internal) IS
'Adds two states of dp_var, dp_histogram, dp_quantile or a vector sum. Error: 22023 where their parameters differ.';

CREATE FUNCTION dp_cells_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION dp_cells_deserialize(bytea, internal) IS
'Reads a serialized state of dp_var, dp_histogram, dp_quantile or a vector sum. Errors: 22P03 and 22023 for bytes that are none.';

CREATE FUNCTION dp_keep_group_accum(internal, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_keep_group_accum(internal, float8, float8) IS 'Transition of dp_keep_group(epsilon, delta).';

CREATE FUNCTION dp_keep_group_accum(internal, float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION dp_keep_group_accum(internal, float8, float8, int8) IS
'Transition of dp_keep_group(epsilon, delta, max_rows).';

-- As above, one aggregate for each form and type. Of the types, none for those that take no value, one for vectors.
DO $script$
DECLARE
	family record;
	form record;
	type text;
	arguments text;
BEGIN
	FOR family IN
		SELECT * FROM (VALUES
			('keep_group', ARRAY[NULL], 'dp_scalar', 32, ARRAY['keep_group bool']),
			('var', ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'], 'dp_cells', 64, ARRAY['var float8', 'stddev float8']),
			('histogram', ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'], 'dp_cells', 256, ARRAY['histogram int8[]']),
			('quantile', ARRAY['int2', 'int4', 'int8', 'float4', 'float8', 'numeric'], 'dp_cells', 8232, ARRAY['quantile float8']),
			('vector_sum', ARRAY['float8[]'], 'dp_cells', 512, ARRAY['vector_sum float8[]']),
			('vector_avg', ARRAY['float8[]'], 'dp_cells', 512, ARRAY['vector_avg float8[]'])
			) AS t(name, types, state, space, finals)
	LOOP
		EXECUTE format($$CREATE FUNCTION dp_%s_serialize(internal) RETURNS bytea
			AS 'MODULE_PATHNAME' LANGUAGE C IMMUTABLE PARALLEL SAFE$$, family.name);
		EXECUTE format($$COMMENT ON FUNCTION dp_%s_serialize(internal) IS
			'Serializes a state; one without rows gets its parameters from the plan. Error: 0A000 where the plan does not have them.'$$, family.name);
		FOR i IN 1 .. array_length(family.finals, 1) LOOP
			EXECUTE format($$CREATE FUNCTION dp_%s_final(internal) RETURNS %s
				AS 'MODULE_PATHNAME' LANGUAGE C VOLATILE PARALLEL SAFE$$,
				split_part(family.finals[i], ' ', 1), split_part(family.finals[i], ' ', 2));
			EXECUTE format($$COMMENT ON FUNCTION dp_%s_final(internal) IS
				'Draws the noise; called again on the same state, it gives the same result.'$$,
				split_part(family.finals[i], ' ', 1));
		END LOOP;

		FOR form IN
			SELECT * FROM (VALUES
				('keep_group', 'keep_group', 'keep_group', 'float8, float8',
				 'For HAVING: whether the group''s number of rows plus noise exceeds a threshold that hides any one person: the groups that exist through one person alone appear with a probability of at most delta / 2. Differentially private at (epsilon, delta) where a person owns at most one row. dp_keep_group(epsilon, delta).'),
				('keep_group', 'keep_group', 'keep_group', 'float8, float8, int8',
				 'As dp_keep_group(epsilon, delta), for persons who own at most max_rows rows in all groups together; the caller vouches for that. dp_keep_group(epsilon, delta, max_rows).'),
				('var', 'var', 'var', 'float8, float8, float8, float8',
				 'Variance of x clamped to [lower, upper] (as var_pop), from a joint noisy release of count, sum and sum of squares; between 0 and (upper - lower)^2 / 4, never null. Differentially private at (epsilon, delta) where a person owns at most one row. dp_var(x, epsilon, delta, lower, upper).'),
				('var', 'var', 'var', 'float8, float8, float8, float8, int8',
				 'As dp_var(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that.'),
				('var', 'stddev', 'stddev', 'float8, float8, float8, float8',
				 'Standard deviation of x clamped to [lower, upper]: the square root of dp_var. dp_stddev(x, epsilon, delta, lower, upper).'),
				('var', 'stddev', 'stddev', 'float8, float8, float8, float8, int8',
				 'As dp_stddev(x, epsilon, delta, lower, upper), for persons who own at most max_rows rows; the caller vouches for that.'),
				('histogram', 'histogram', 'histogram', 'float8, float8, float8, float8, int8',
				 'Number of rows in each of bins equal parts of [lower, upper], with noise in every part; the outer ones take what lies beyond the bounds. 1 to 10000 bins. Differentially private at (epsilon, delta) where a person owns at most one row. dp_histogram(x, epsilon, delta, lower, upper, bins).'),
				('quantile', 'quantile', 'quantile', 'float8, float8, float8, float8, float8',
				 'The q-quantile of x clamped to [lower, upper], 0 <= q <= 1, to within one of 1024 equal parts of the bounds, by noisy bisection. Differentially private at (epsilon, delta) where a person owns at most one row; never null. dp_quantile(x, epsilon, delta, lower, upper, q).'),
				('quantile', 'median', 'quantile', 'float8, float8, float8, float8',
				 'The median of x: dp_quantile with q = 0.5. dp_median(x, epsilon, delta, lower, upper).'),
				('vector_sum', 'sum', 'vector_sum', 'float8, float8, float8, int8',
				 'Sum of vectors of the given number of dimensions (1 to 10000), each scaled down to the Euclidean norm l2_norm where it is longer, plus noise in every coordinate. A row of another length, or with a NULL or NaN in it, counts for nothing. Differentially private at (epsilon, delta) where a person owns at most one row. dp_sum(x, epsilon, delta, l2_norm, dimensions).'),
				('vector_avg', 'avg', 'vector_avg', 'float8, float8, float8, int8',
				 'Average of vectors, from a joint noisy release of their sum and number; of norm l2_norm at most. Else as dp_sum(x, epsilon, delta, l2_norm, dimensions).')
				) AS t(family, name, final, params, meaning)
			WHERE t.family = family.name
		LOOP
			FOREACH type IN ARRAY family.types::text[] LOOP
				arguments := concat_ws(', ', type, form.params);
				-- dp_stddev shares the transitions of dp_var; dp_median has its own number of arguments.
				IF type IS NOT NULL AND form.name <> 'stddev' THEN
					EXECUTE format($$CREATE FUNCTION dp_%1$s_accum(internal, %2$s) RETURNS internal
						AS 'MODULE_PATHNAME', 'dp_%1$s_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE$$,
						concat_ws('_', family.name, nullif(type, 'float8[]')), arguments);
					EXECUTE format($$COMMENT ON FUNCTION dp_%s_accum(internal, %s) IS 'Transition of dp_%s(%s).'$$,
						concat_ws('_', family.name, nullif(type, 'float8[]')), arguments, form.name, arguments);
				END IF;
				EXECUTE format($$CREATE AGGREGATE dp_%1$s(%2$s) (
					SFUNC = dp_%3$s_accum, STYPE = internal, SSPACE = %4$s,
					FINALFUNC = dp_%5$s_final, FINALFUNC_MODIFY = READ_WRITE,
					COMBINEFUNC = %6$s_combine, SERIALFUNC = dp_%7$s_serialize,
					DESERIALFUNC = %6$s_deserialize, PARALLEL = SAFE)$$,
					form.name, arguments, concat_ws('_', family.name, nullif(type, 'float8[]')), family.space,
					form.final, family.state, family.name);
				EXECUTE format('COMMENT ON AGGREGATE dp_%s(%s) IS %L', form.name, arguments,
					form.meaning || ' Errors: 22023.');
			END LOOP;
		END LOOP;
	END LOOP;
END
$script$;


-- ---------------------------------------------------------------------------
-- Declarations (schema gaussdp)
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Ledger (schema gaussdp)
-- ---------------------------------------------------------------------------

-- ---------------------------------------------------------------------------
-- Policy (schema gaussdp)
-- ---------------------------------------------------------------------------
