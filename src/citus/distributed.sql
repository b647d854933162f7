-- Private aggregates over tables that Citus distributes: what calls are planned as. Rows become integers, which PostgreSQL's own
-- sum and count add on all servers; a release draws the noise. For the planner alone.

CREATE FUNCTION gaussdp_internal.number(x numeric) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_split_number' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.number(numeric) IS
'The double next to a numeric: infinite where there is none, unlike a cast, which fails then.';

CREATE FUNCTION gaussdp_internal.grid_point(x float8, params bytea) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_split_point' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.grid_point(float8, bytea) IS
'What a row adds to the sum of dp_sum, dp_avg or dp_var, in steps of the grid of its noise; null for NaN. Errors: 22P03, 22023, 55000 for parameters that no call of this library has.';

CREATE FUNCTION gaussdp_internal.square_point(x float8, params bytea) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_split_square' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.square_point(float8, bytea) IS
'What a row adds to the sum of squares of dp_var; null for NaN. Errors: 22P03, 22023, 55000 for parameters that no call of this library has.';

-- What a server plans sums and counts of the points of a shard as: aggregates that share one state.

CREATE FUNCTION gaussdp_internal.add_point(internal, x float8, params bytea) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_points_add' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.add_point(internal, float8, bytea) IS
'Transition of gaussdp_internal.sum_points, count_points and sum_squares.';

CREATE FUNCTION gaussdp_internal.points_combine(internal, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_points_combine' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.points_combine(internal, internal) IS
'Adds two states of gaussdp_internal.sum_points and its like.';

CREATE FUNCTION gaussdp_internal.points_serialize(internal) RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_points_serialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.points_serialize(internal) IS
'Serializes a state of gaussdp_internal.sum_points and its like.';

CREATE FUNCTION gaussdp_internal.points_deserialize(bytea, internal) RETURNS internal
AS 'MODULE_PATHNAME', 'gaussdp_points_deserialize' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.points_deserialize(bytea, internal) IS
'Reads what points_serialize wrote. Error: 22P03.';

CREATE FUNCTION gaussdp_internal.points_sum(internal) RETURNS numeric
AS 'MODULE_PATHNAME', 'gaussdp_points_sum' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.points_sum(internal) IS
'Result of gaussdp_internal.sum_points.';

CREATE FUNCTION gaussdp_internal.points_squares(internal) RETURNS numeric
AS 'MODULE_PATHNAME', 'gaussdp_points_squares' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.points_squares(internal) IS
'Result of gaussdp_internal.sum_squares.';

CREATE FUNCTION gaussdp_internal.points_count(internal) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_points_count' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.points_count(internal) IS
'Result of gaussdp_internal.count_points.';

CREATE AGGREGATE gaussdp_internal.sum_points(x float8, params bytea) (
	SFUNC = gaussdp_internal.add_point, STYPE = internal, SSPACE = 40, FINALFUNC = gaussdp_internal.points_sum,
	COMBINEFUNC = gaussdp_internal.points_combine, SERIALFUNC = gaussdp_internal.points_serialize,
	DESERIALFUNC = gaussdp_internal.points_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.sum_points(float8, bytea) IS
'sum(gaussdp_internal.grid_point(x, params)); null without points. Errors: 22004, 22P03, 22023, 55000.';

CREATE AGGREGATE gaussdp_internal.count_points(x float8, params bytea) (
	SFUNC = gaussdp_internal.add_point, STYPE = internal, SSPACE = 40, FINALFUNC = gaussdp_internal.points_count,
	COMBINEFUNC = gaussdp_internal.points_combine, SERIALFUNC = gaussdp_internal.points_serialize,
	DESERIALFUNC = gaussdp_internal.points_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.count_points(float8, bytea) IS
'count(gaussdp_internal.grid_point(x, params)). Errors: 22004, 22P03, 22023, 55000.';

CREATE AGGREGATE gaussdp_internal.sum_squares(x float8, params bytea) (
	SFUNC = gaussdp_internal.add_point, STYPE = internal, SSPACE = 40, FINALFUNC = gaussdp_internal.points_squares,
	COMBINEFUNC = gaussdp_internal.points_combine, SERIALFUNC = gaussdp_internal.points_serialize,
	DESERIALFUNC = gaussdp_internal.points_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.sum_squares(float8, bytea) IS
'sum(gaussdp_internal.square_point(x, params)) of a variance; null without points. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.cell(x float8, params bytea) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_split_cell' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.cell(float8, bytea) IS
'The cell of dp_histogram or dp_cdf that a row counts in, from 0 on, or two times its leaf of dp_quantile or dp_quantiles; null for NaN. Errors: 22P03, 22023, 55000 for parameters that no call of this library has.';

CREATE FUNCTION gaussdp_internal.count_cell(sums int8[], cell int8) RETURNS int8[]
AS 'MODULE_PATHNAME', 'gaussdp_split_count_cell' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_cell(int8[], int8) IS
'Transition of gaussdp_internal.cell_counts.';

CREATE FUNCTION gaussdp_internal.add_cells(sums int8[], more int8[]) RETURNS int8[]
AS 'MODULE_PATHNAME', 'gaussdp_split_add_cells' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.add_cells(int8[], int8[]) IS
'Transition of gaussdp_internal.cell_sums, and the sum of two of its results.';

CREATE AGGREGATE gaussdp_internal.cell_counts(cell int8) (
	SFUNC = gaussdp_internal.count_cell, STYPE = int8[], SSPACE = 8216,
	COMBINEFUNC = gaussdp_internal.add_cells, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.cell_counts(int8) IS
'How many rows each cell has that has any, as gaussdp_internal.cell_sums says it; null without rows. Error: 22023.';

CREATE FUNCTION gaussdp_internal.count_bin(bins int8[], x float8) RETURNS int8[]
AS 'MODULE_PATHNAME', 'gaussdp_split_count_bin' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.count_bin(int8[], float8) IS
'Transition of gaussdp_internal.bin_sums.';

CREATE FUNCTION gaussdp_internal.add_bins(bins int8[], more int8[]) RETURNS int8[]
AS 'MODULE_PATHNAME', 'gaussdp_split_add_bins' LANGUAGE C IMMUTABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.add_bins(int8[], int8[]) IS
'Adds two results of gaussdp_internal.bin_sums.';

CREATE AGGREGATE gaussdp_internal.bin_sums(x float8) (
	SFUNC = gaussdp_internal.count_bin, STYPE = int8[], SSPACE = 12408,
	COMBINEFUNC = gaussdp_internal.add_bins, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.bin_sums(float8) IS
'How many rows each of the bins has that bounds are found from, then the high and the low half of its sum in steps; null without rows.';

CREATE FUNCTION gaussdp_internal.release_count(n int8, params bytea) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_release_count' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_count(int8, bytea) IS
'What dp_count answers over n rows, with noise. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_count_estimate(n int8, params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_count_estimate' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_count_estimate(int8, bytea) IS
'What dp_count_estimate answers over n rows, with noise. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_keep_group(n int8, params bytea) RETURNS bool
AS 'MODULE_PATHNAME', 'gaussdp_release_keep_group' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_keep_group(int8, bytea) IS
'What dp_keep_group answers over n rows, with noise. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_sum(total numeric, params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_sum' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_sum(numeric, bytea) IS
'What dp_sum answers where the points sum to total, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_avg(total numeric, n int8, params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_avg' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_avg(numeric, int8, bytea) IS
'What dp_avg answers where n points sum to total, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_sum_estimate(total numeric, params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_sum_estimate' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_sum_estimate(numeric, bytea) IS
'What dp_sum_estimate answers where the points sum to total, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_avg_estimate(total numeric, n int8, params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_avg_estimate' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_avg_estimate(numeric, int8, bytea) IS
'What dp_avg_estimate answers where n points sum to total, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_var(n int8, total numeric, squares numeric, params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_var' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_var(int8, numeric, numeric, bytea) IS
'What dp_var answers where n points and their squares sum to these, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_var_estimate(n int8, total numeric, squares numeric, params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_var_estimate' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_var_estimate(int8, numeric, numeric, bytea) IS
'What dp_var_estimate answers where n points and their squares sum to these, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_stddev(n int8, total numeric, squares numeric, params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_stddev' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_stddev(int8, numeric, numeric, bytea) IS
'What dp_stddev answers where n points and their squares sum to these, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_stddev_estimate(n int8, total numeric, squares numeric, params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_stddev_estimate' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_stddev_estimate(int8, numeric, numeric, bytea) IS
'What dp_stddev_estimate answers where n points and their squares sum to these, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_histogram(sums int8[], params bytea) RETURNS int8[]
AS 'MODULE_PATHNAME', 'gaussdp_release_histogram' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_histogram(int8[], bytea) IS
'What dp_histogram answers over cells with these sums, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_histogram_estimate(sums int8[], params bytea) RETURNS dp_estimate[]
AS 'MODULE_PATHNAME', 'gaussdp_release_histogram_estimate' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_histogram_estimate(int8[], bytea) IS
'What dp_histogram_estimate answers over cells with these sums, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_cdf(sums int8[], params bytea) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gaussdp_release_cdf' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_cdf(int8[], bytea) IS
'What dp_cdf answers over cells with these sums, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_quantile(sums int8[], params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_quantile' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_quantile(int8[], bytea) IS
'What dp_quantile answers over leaves with these sums, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_quantiles(sums int8[], params bytea) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gaussdp_release_quantiles' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_quantiles(int8[], bytea) IS
'What dp_quantiles answers over leaves with these sums, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_quantile_estimate(sums int8[], params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_quantile_estimate' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_quantile_estimate(int8[], bytea) IS
'What dp_quantile_estimate answers over leaves with these sums, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_median(sums int8[], params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_quantile' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_median(int8[], bytea) IS
'What dp_median answers over leaves with these sums, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_median_estimate(sums int8[], params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_quantile_estimate' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_median_estimate(int8[], bytea) IS
'What dp_median_estimate answers over leaves with these sums, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_bounds(bins int8[], params bytea) RETURNS float8[]
AS 'MODULE_PATHNAME', 'gaussdp_release_bounds' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_bounds(int8[], bytea) IS
'What dp_bounds answers over these bins, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_sum_auto(bins int8[], params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_sum_auto' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_sum_auto(int8[], bytea) IS
'What dp_sum_auto answers over these bins, or sums of weighted cells, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_sum_auto_estimate(bins int8[], params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_sum_auto_estimate' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_sum_auto_estimate(int8[], bytea) IS
'What dp_sum_auto_estimate answers over these bins, or sums of weighted cells, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_avg_auto(bins int8[], params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_avg_auto' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_avg_auto(int8[], bytea) IS
'What dp_avg_auto answers over these bins, or sums of weighted cells, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_avg_auto_estimate(bins int8[], params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_avg_auto_estimate' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_avg_auto_estimate(int8[], bytea) IS
'What dp_avg_auto_estimate answers over these bins, or sums of weighted cells, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.weighted_row(m int8, params bytea) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_split_weighted_row' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.weighted_row(int8, bytea) IS
'What a row of weight m, 2^31 being a whole one, adds to the number of rows of a weighted call, in steps of the grid of its noise. Errors: 22P03, 22023, 55000 for parameters that no call of this library has.';

CREATE FUNCTION gaussdp_internal.total_number(total bytea, number int4) RETURNS numeric
AS 'MODULE_PATHNAME', 'gaussdp_split_total_number' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.total_number(bytea, int4) IS
'A number of a total of gaussdp_internal.clip_total: 0 the sum, 1 the count, 2 the sum of squares. Error: 22023.';

CREATE FUNCTION gaussdp_internal.weighted_cells(m int8, x float8, params bytea) RETURNS int8[]
AS 'MODULE_PATHNAME', 'gaussdp_split_weighted_cells' LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.weighted_cells(int8, float8, bytea) IS
'What a row of weight m, 2^31 being a whole one, adds to cells: how many they are, then for each its number plus 2, times 2^32, and both halves of what is added. A leaf has two cells, and cell -1 is the number of rows. Null for nothing. Errors: 22P03, 22023, 55000 for parameters that no call of this library has.';

CREATE AGGREGATE gaussdp_internal.cell_sums(cells int8[]) (
	SFUNC = gaussdp_internal.add_cells, STYPE = int8[], SSPACE = 8216,
	COMBINEFUNC = gaussdp_internal.add_cells, PARALLEL = SAFE
);
COMMENT ON AGGREGATE gaussdp_internal.cell_sums(int8[]) IS
'The sums of gaussdp_internal.weighted_cells, as a hash table: how many slots are used, then the slots; null without rows. Error: 22023.';

CREATE FUNCTION gaussdp_internal.release_count_weighted(n numeric, params bytea) RETURNS int8
AS 'MODULE_PATHNAME', 'gaussdp_release_count_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_count_weighted(numeric, bytea) IS
'What dp_count answers over rows whose weights sum to n, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_count_estimate_weighted(n numeric, params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_count_estimate_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_count_estimate_weighted(numeric, bytea) IS
'What dp_count_estimate answers over rows whose weights sum to n, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_keep_group_weighted(n numeric, params bytea) RETURNS bool
AS 'MODULE_PATHNAME', 'gaussdp_release_keep_group_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_keep_group_weighted(numeric, bytea) IS
'What dp_keep_group answers over rows whose weights sum to n, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_sum_weighted(total numeric, params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_sum_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_sum_weighted(numeric, bytea) IS
'What dp_sum answers over weighted points that sum to total, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_sum_estimate_weighted(total numeric, params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_sum_estimate_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_sum_estimate_weighted(numeric, bytea) IS
'What dp_sum_estimate answers over weighted points that sum to total, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_avg_weighted(total numeric, n numeric, params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_avg_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_avg_weighted(numeric, numeric, bytea) IS
'What dp_avg answers over weighted points that sum to total, and weights to n, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_avg_estimate_weighted(total numeric, n numeric, params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_avg_estimate_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_avg_estimate_weighted(numeric, numeric, bytea) IS
'What dp_avg_estimate answers over weighted points that sum to total, and weights to n, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_var_weighted(n numeric, total numeric, squares numeric, params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_var_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_var_weighted(numeric, numeric, numeric, bytea) IS
'What dp_var answers over weighted points and squares that sum to these, and weights to n, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_var_estimate_weighted(n numeric, total numeric, squares numeric, params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_var_estimate_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_var_estimate_weighted(numeric, numeric, numeric, bytea) IS
'What dp_var_estimate answers over weighted points and squares that sum to these, and weights to n, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_stddev_weighted(n numeric, total numeric, squares numeric, params bytea) RETURNS float8
AS 'MODULE_PATHNAME', 'gaussdp_release_stddev_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_stddev_weighted(numeric, numeric, numeric, bytea) IS
'What dp_stddev answers over weighted points and squares that sum to these, and weights to n, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.release_stddev_estimate_weighted(n numeric, total numeric, squares numeric, params bytea) RETURNS dp_estimate
AS 'MODULE_PATHNAME', 'gaussdp_release_stddev_estimate_weighted' LANGUAGE C VOLATILE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.release_stddev_estimate_weighted(numeric, numeric, numeric, bytea) IS
'What dp_stddev_estimate answers over weighted points and squares that sum to these, and weights to n, in steps of its grids, with noise; null is no rows. Errors: 22004, 22P03, 22023, 55000.';

CREATE FUNCTION gaussdp_internal.unbound_params() RETURNS bytea
AS 'MODULE_PATHNAME', 'gaussdp_unbound_params' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.unbound_params() IS
'Stands for parameters in a plan that was made without their values, and must not be executed. Error: 0A000.';

CREATE FUNCTION gaussdp_internal.level_part(reads boolean) RETURNS boolean
AS 'MODULE_PATHNAME', 'gaussdp_level_part' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.level_part(boolean) IS
'Its argument. As a condition it says that a query is a part of one over protected tables: it is planned without statistics of rows, and its rows are not counted in those of the server.';

CREATE FUNCTION gaussdp_internal.level_part(reads boolean, "any") RETURNS boolean
AS 'MODULE_PATHNAME', 'gaussdp_level_part' LANGUAGE C STABLE PARALLEL SAFE;
COMMENT ON FUNCTION gaussdp_internal.level_part(boolean, "any") IS
'The same, where a query has outer joins; the second argument says nothing.';
