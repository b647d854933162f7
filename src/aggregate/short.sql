-- Calls without epsilon and delta, and those without bounds: the library completes them as a query is planned. They take a
-- value of any type, so that one that is no number is refused in words that help.

CREATE FUNCTION gaussdp_internal.unplanned_accum(internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_accum(internal) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_accum(internal, "any") RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_accum(internal, "any") IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_accum(internal, "any", int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_accum(internal, "any", int8) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8, float8) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8, float8, float8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8, float8, float8) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8, float8, int8) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8, float8, int8) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8[]) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8, float8, float8[]) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_accum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_accum(internal, "any", float8, float8, float8[]) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_count_final(internal) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_count_final(internal) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_keep_group_final(internal) RETURNS bool
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_keep_group_final(internal) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_histogram_final(internal) RETURNS int8[]
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_histogram_final(internal) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_cdf_final(internal) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_cdf_final(internal) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_regression_final(internal) RETURNS dp_regression
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_regression_final(internal) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE FUNCTION gaussdp_internal.unplanned_histogram_estimate_final(internal) RETURNS dp_estimate[]
AS 'MODULE_PATHNAME', 'gaussdp_unplanned_final' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unplanned_histogram_estimate_final(internal) IS
'Of a call that was not completed when the query was planned. Error: 55000.';

CREATE AGGREGATE dp_count(*) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_count_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count(*) IS
'dp_count(epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_count(*). Errors: 22023; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_count("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_count_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count("any") IS
'dp_count(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_count(x). Errors: 22023; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_count_estimate(*) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count_estimate(*) IS
'dp_count_estimate(epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_count_estimate(*). Errors: 22023; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_count_estimate("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_count_estimate("any") IS
'dp_count_estimate(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_count_estimate(x). Errors: 22023; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_keep_group(*) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_keep_group_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_keep_group(*) IS
'dp_keep_group(epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_keep_group(*). Errors: 22023; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_sum("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum("any") IS
'dp_sum(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_sum(x). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_sum("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum("any", float8) IS
'dp_sum(x, epsilon, delta); delta is that of gaussdp.delta, else of the grant that pays. dp_sum(x, epsilon). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_sum("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum("any", float8, float8) IS
'dp_sum(x, epsilon, delta, lower, upper) with the bounds declared for the column, else with bounds found privately. dp_sum(x, epsilon, delta). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_avg("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg("any") IS
'dp_avg(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_avg(x). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_avg("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg("any", float8) IS
'dp_avg(x, epsilon, delta); delta is that of gaussdp.delta, else of the grant that pays. dp_avg(x, epsilon). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_avg("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg("any", float8, float8) IS
'dp_avg(x, epsilon, delta, lower, upper) with the bounds declared for the column, else with bounds found privately. dp_avg(x, epsilon, delta). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_sum_estimate("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum_estimate("any") IS
'dp_sum_estimate(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_sum_estimate(x). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_sum_estimate("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum_estimate("any", float8) IS
'dp_sum_estimate(x, epsilon, delta); delta is that of gaussdp.delta, else of the grant that pays. dp_sum_estimate(x, epsilon). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_sum_estimate("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_sum_estimate("any", float8, float8) IS
'dp_sum_estimate(x, epsilon, delta, lower, upper) with the bounds declared for the column, else with bounds found privately. dp_sum_estimate(x, epsilon, delta). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_avg_estimate("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg_estimate("any") IS
'dp_avg_estimate(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_avg_estimate(x). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_avg_estimate("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg_estimate("any", float8) IS
'dp_avg_estimate(x, epsilon, delta); delta is that of gaussdp.delta, else of the grant that pays. dp_avg_estimate(x, epsilon). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_avg_estimate("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_avg_estimate("any", float8, float8) IS
'dp_avg_estimate(x, epsilon, delta, lower, upper) with the bounds declared for the column, else with bounds found privately. dp_avg_estimate(x, epsilon, delta). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_var("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_var("any") IS
'dp_var(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_var(x). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_var("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_var("any", float8) IS
'dp_var(x, epsilon, delta); delta is that of gaussdp.delta, else of the grant that pays. dp_var(x, epsilon). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_var("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_var("any", float8, float8) IS
'dp_var(x, epsilon, delta, lower, upper) with the bounds declared for the column. dp_var(x, epsilon, delta). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_stddev("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_stddev("any") IS
'dp_stddev(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_stddev(x). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_stddev("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_stddev("any", float8) IS
'dp_stddev(x, epsilon, delta); delta is that of gaussdp.delta, else of the grant that pays. dp_stddev(x, epsilon). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_stddev("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_stddev("any", float8, float8) IS
'dp_stddev(x, epsilon, delta, lower, upper) with the bounds declared for the column. dp_stddev(x, epsilon, delta). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_median("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_median("any") IS
'dp_median(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_median(x). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_median("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_median("any", float8, float8) IS
'dp_median(x, epsilon, delta, lower, upper) with the bounds declared for the column. dp_median(x, epsilon, delta). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_quantile("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_quantile("any", float8) IS
'dp_quantile(x, epsilon, delta, q); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_quantile(x, q). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_quantile("any", float8, float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_quantile("any", float8, float8, float8) IS
'dp_quantile(x, epsilon, delta, lower, upper, q) with the bounds declared for the column. dp_quantile(x, epsilon, delta, q). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_quantiles("any", float8[]) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_cdf_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_quantiles("any", float8[]) IS
'dp_quantiles(x, epsilon, delta, qs); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_quantiles(x, qs). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_quantiles("any", float8, float8, float8[]) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_cdf_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_quantiles("any", float8, float8, float8[]) IS
'dp_quantiles(x, epsilon, delta, lower, upper, qs) with the bounds declared for the column. dp_quantiles(x, epsilon, delta, qs). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_histogram("any", int8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_histogram_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_histogram("any", int8) IS
'dp_histogram(x, epsilon, delta, bins); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_histogram(x, bins). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_histogram("any", float8, float8, int8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_histogram_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_histogram("any", float8, float8, int8) IS
'dp_histogram(x, epsilon, delta, lower, upper, bins) with the bounds declared for the column. dp_histogram(x, epsilon, delta, bins). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_cdf("any", int8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_cdf_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_cdf("any", int8) IS
'dp_cdf(x, epsilon, delta, bins); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_cdf(x, bins). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_cdf("any", float8, float8, int8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_cdf_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_cdf("any", float8, float8, int8) IS
'dp_cdf(x, epsilon, delta, lower, upper, bins) with the bounds declared for the column. dp_cdf(x, epsilon, delta, bins). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_regression("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_regression_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_regression("any") IS
'dp_regression(ARRAY[y, x], epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_regression(ARRAY[y, x]). Errors: 22023; 42804 for a value that is no array of numbers; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_regression("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_regression_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_regression("any", float8) IS
'dp_regression(ARRAY[y, x], epsilon, delta); delta is that of gaussdp.delta, else of the grant that pays. dp_regression(ARRAY[y, x], epsilon). Errors: 22023; 42804 for a value that is no array of numbers; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_regression("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_regression_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_regression("any", float8, float8) IS
'dp_regression(ARRAY[y, x], epsilon, delta, lower_y, upper_y, lower_x, upper_x) with the bounds declared for the columns. dp_regression(ARRAY[y, x], epsilon, delta). Errors: 22023; 42804 for a value that is no array of numbers; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_var_estimate("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_var_estimate("any") IS
'dp_var_estimate(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_var_estimate(x). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_var_estimate("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_var_estimate("any", float8) IS
'dp_var_estimate(x, epsilon, delta); delta is that of gaussdp.delta, else of the grant that pays. dp_var_estimate(x, epsilon). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_var_estimate("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_var_estimate("any", float8, float8) IS
'dp_var_estimate(x, epsilon, delta, lower, upper) with the bounds declared for the column. dp_var_estimate(x, epsilon, delta). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_stddev_estimate("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_stddev_estimate("any") IS
'dp_stddev_estimate(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_stddev_estimate(x). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_stddev_estimate("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_stddev_estimate("any", float8) IS
'dp_stddev_estimate(x, epsilon, delta); delta is that of gaussdp.delta, else of the grant that pays. dp_stddev_estimate(x, epsilon). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_stddev_estimate("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_stddev_estimate("any", float8, float8) IS
'dp_stddev_estimate(x, epsilon, delta, lower, upper) with the bounds declared for the column. dp_stddev_estimate(x, epsilon, delta). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_histogram_estimate("any", int8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_histogram_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_histogram_estimate("any", int8) IS
'dp_histogram_estimate(x, epsilon, delta, bins); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_histogram_estimate(x, bins). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_histogram_estimate("any", float8, float8, int8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_histogram_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_histogram_estimate("any", float8, float8, int8) IS
'dp_histogram_estimate(x, epsilon, delta, lower, upper, bins) with the bounds declared for the column. dp_histogram_estimate(x, epsilon, delta, bins). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_median_estimate("any") (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_median_estimate("any") IS
'dp_median_estimate(x, epsilon, delta); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_median_estimate(x). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_median_estimate("any", float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_median_estimate("any", float8, float8) IS
'dp_median_estimate(x, epsilon, delta, lower, upper) with the bounds declared for the column. dp_median_estimate(x, epsilon, delta). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_quantile_estimate("any", float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_quantile_estimate("any", float8) IS
'dp_quantile_estimate(x, epsilon, delta, q); epsilon and delta are those of gaussdp.epsilon and gaussdp.delta, else of the grant that pays. dp_quantile_estimate(x, q). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';

CREATE AGGREGATE dp_quantile_estimate("any", float8, float8, float8) (
	SFUNC = gaussdp_internal.unplanned_accum, STYPE = internal, SSPACE = 32,
	FINALFUNC = gaussdp_internal.unplanned_estimate_final, FINALFUNC_MODIFY = READ_WRITE,
	COMBINEFUNC = gaussdp_internal.scalar_combine, SERIALFUNC = gaussdp_internal.unplanned_serialize,
	DESERIALFUNC = gaussdp_internal.scalar_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE dp_quantile_estimate("any", float8, float8, float8) IS
'dp_quantile_estimate(x, epsilon, delta, lower, upper, q) with the bounds declared for the column. dp_quantile_estimate(x, epsilon, delta, q). Errors: 22023; 42804 for a value that is no number; 55000 where the library was not loaded when the query was planned.';
