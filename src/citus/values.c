/*
 * values.c
 *		What a row adds, as integers that PostgreSQL's own sum and count take, and the aggregate of automatic
 *		bounds.
 *
 * Runs on the servers that hold the rows.  No value of a row makes an error: NaN is nobody's value and becomes null, and
 * points are at most 2^51 from 0, of which a sum of int8 takes 2^75.
 *
 * An aggregate of cells has one argument, and all that a row says is in it: Citus calls transitions with an FmgrInfo of its
 * own for each row, so that nothing can be remembered, and would wrap several arguments in a composite.  Its state is
 * what its result is, an array of int8.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "aggregate/automatic.h"
#include "aggregate/leaves.h"
#include "citus/split.h"

PG_FUNCTION_INFO_V1(gaussdp_split_number);
PG_FUNCTION_INFO_V1(gaussdp_split_point);
PG_FUNCTION_INFO_V1(gaussdp_split_square);
PG_FUNCTION_INFO_V1(gaussdp_split_cell);
PG_FUNCTION_INFO_V1(gaussdp_split_count_bin);
PG_FUNCTION_INFO_V1(gaussdp_split_add_bins);

/* number(numeric): the double next to it; unlike a cast it has one for every numeric. */
Datum
gaussdp_split_number(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(gaussdp_numeric_to_double(PG_GETARG_DATUM(0)));
}

/* grid_point(float8, bytea): the point of a sum, an average, or the first of a variance. */
Datum
gaussdp_split_point(PG_FUNCTION_ARGS)
{
	const GaussdpParams *params = gaussdp_split_params(fcinfo, 1);
	double x = PG_GETARG_FLOAT8(0);
	int64 points[2];

	if (unlikely(isnan(x)))
		PG_RETURN_NULL();
	if (params->key.weighted)
		gaussdp_report_other_kind();
	switch ((GaussdpKind) params->key.kind)
	{
		case GAUSSDP_SUM:
		case GAUSSDP_AVG:
			PG_RETURN_INT64(
				gdp_grid_point(x, params->centre, params->scale, params->low, params->high));
		case GAUSSDP_VAR:
			gaussdp_var_points(params, x, points);
			PG_RETURN_INT64(points[0]);
		default:
			gaussdp_report_other_kind();
	}
}

/* square_point(float8, bytea): the second of a variance. */
Datum
gaussdp_split_square(PG_FUNCTION_ARGS)
{
	const GaussdpParams *params = gaussdp_split_params(fcinfo, 1);
	double x = PG_GETARG_FLOAT8(0);
	int64 points[2];

	if (params->key.kind != GAUSSDP_VAR || params->key.weighted)
		gaussdp_report_other_kind();
	if (isnan(x))
		PG_RETURN_NULL();
	gaussdp_var_points(params, x, points);
	PG_RETURN_INT64(points[1]);
}

/* cell(float8, bytea): the cell of a histogram or a distribution function; of a quantile the first of the two that a leaf is. */
Datum
gaussdp_split_cell(PG_FUNCTION_ARGS)
{
	const GaussdpParams *params = gaussdp_split_params(fcinfo, 1);
	double x = PG_GETARG_FLOAT8(0);

	if (unlikely(isnan(x)))
		PG_RETURN_NULL();
	if (params->key.weighted)
		gaussdp_report_other_kind();
	switch ((GaussdpKind) params->key.kind)
	{
		case GAUSSDP_HISTOGRAM:
		case GAUSSDP_CDF:
			PG_RETURN_INT64(gaussdp_cell_of_value(params, x));
		case GAUSSDP_QUANTILE:
		case GAUSSDP_QUANTILES:
			PG_RETURN_INT64(2 * (int64) gdp_leaf(&params->leaves, x));
		default:
			gaussdp_report_other_kind();
	}
}

/* ---------------------------------------------------------------------------
 * The aggregate of automatic bounds
 * ---------------------------------------------------------------------------
 */

int64 *
gaussdp_numbers_of(ArrayType *array, int n)
{
	if (ARR_NDIM(array) != 1 || ARR_DIMS(array)[0] != n || ARR_HASNULL(array) ||
		ARR_ELEMTYPE(array) != INT8OID)
		return NULL;
	return (int64 *) ARR_DATA_PTR(array);
}

void
gaussdp_report_cells(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("cells of different private aggregates cannot be added")));
}

ArrayType *
gaussdp_new_numbers(MemoryContext context, int n)
{
	Size size = ARR_OVERHEAD_NONULLS(1) + n * sizeof(int64);
	ArrayType *array = MemoryContextAllocZero(context, size);

	SET_VARSIZE(array, size);
	array->ndim = 1;
	array->elemtype = INT8OID;
	ARR_DIMS(array)[0] = n;
	ARR_LBOUND(array)[0] = 1;
	return array;
}

/* The state, which is the group's own and may be written on; made at the first row. */
static ArrayType *
state_of(FunctionCallInfo fcinfo, int n)
{
	ArrayType *state;

	if (PG_ARGISNULL(0))
		return gaussdp_new_numbers(gaussdp_group_context(fcinfo), n);
	(void) gaussdp_group_context(fcinfo);
	state = PG_GETARG_ARRAYTYPE_P(0);
	if (gaussdp_numbers_of(state, n) == NULL)
		gaussdp_report_cells();
	return state;
}

/* Adds rows to a cell of automatic bounds, whose sum stands in two halves. */
static void
add_to_cell(int64 *numbers, int cell, int64 rows, gdp_int128 steps)
{
	int64 *halves = numbers + GAUSSDP_AUTO_CELLS + 2 * cell;
	gdp_int128 sum = gaussdp_int128_of(halves[0], halves[1]);

	numbers[cell] = gaussdp_count_add(numbers[cell], rows);
	sum = gaussdp_sum_add(sum, steps);
	halves[0] = (int64) (sum >> 64);
	halves[1] = (int64) sum;
}

/* count_bin(int8[], float8): the cells of automatic bounds are the same for all calls. */
Datum
gaussdp_split_count_bin(PG_FUNCTION_ARGS)
{
	ArrayType *state;
	int64 *numbers;
	int64 steps;
	int cell;

	if (PG_ARGISNULL(1) || isnan(PG_GETARG_FLOAT8(1)))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	state = state_of(fcinfo, GAUSSDP_AUTO_NUMBERS);
	numbers = gaussdp_numbers_of(state, GAUSSDP_AUTO_NUMBERS);
	cell = gaussdp_auto_bin(PG_GETARG_FLOAT8(1), &steps);
	add_to_cell(numbers, cell, 1, steps);
	for (int level = 0; level < GAUSSDP_FOLD_LEVELS; level++)
	{
		cell = gaussdp_auto_fold(PG_GETARG_FLOAT8(1), level, &steps);
		add_to_cell(numbers, cell, 1, steps);
	}
	PG_RETURN_ARRAYTYPE_P(state);
}

/* add_bins(int8[], int8[]): either may be null. */
Datum
gaussdp_split_add_bins(PG_FUNCTION_ARGS)
{
	ArrayType *other = PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1);
	ArrayType *state;
	int64 *numbers, *more;

	if (other == NULL && PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (other == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	more = gaussdp_numbers_of(other, GAUSSDP_AUTO_NUMBERS);
	if (more == NULL)
		gaussdp_report_cells();
	state = state_of(fcinfo, GAUSSDP_AUTO_NUMBERS);
	numbers = gaussdp_numbers_of(state, GAUSSDP_AUTO_NUMBERS);
	for (int cell = 0; cell < GAUSSDP_AUTO_CELLS; cell++)
	{
		const int64 *halves = more + GAUSSDP_AUTO_CELLS + 2 * cell;

		add_to_cell(numbers, cell, more[cell], gaussdp_int128_of(halves[0], halves[1]));
	}
	PG_RETURN_ARRAYTYPE_P(state);
}
