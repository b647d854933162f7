/*
 * values.c
 *		What a row adds, as integers that PostgreSQL's own sum and count take, and aggregates for kinds that count in
 *		cells and leaves.
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
PG_FUNCTION_INFO_V1(gaussdp_split_leaf);
PG_FUNCTION_INFO_V1(gaussdp_split_count_leaf);
PG_FUNCTION_INFO_V1(gaussdp_split_add_leaves);
PG_FUNCTION_INFO_V1(gaussdp_split_count_cell);
PG_FUNCTION_INFO_V1(gaussdp_split_add_counts);
PG_FUNCTION_INFO_V1(gaussdp_split_count_bin);
PG_FUNCTION_INFO_V1(gaussdp_split_add_bins);

/* Which cell, and of how many, in one int8. */
#define CELL_BITS 32

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

/* cell(float8, bytea): the cell of a histogram or a distribution function. */
Datum
gaussdp_split_cell(PG_FUNCTION_ARGS)
{
	const GaussdpParams *params = gaussdp_split_params(fcinfo, 1);
	double x = PG_GETARG_FLOAT8(0);

	if ((params->key.kind != GAUSSDP_HISTOGRAM && params->key.kind != GAUSSDP_CDF) ||
		params->key.weighted)
		gaussdp_report_other_kind();
	if (isnan(x))
		PG_RETURN_NULL();
	PG_RETURN_INT64(((int64) params->high + 1) << CELL_BITS | gaussdp_cell_of_value(params, x));
}

/* leaf(float8, bytea): the leaf of a quantile. */
Datum
gaussdp_split_leaf(PG_FUNCTION_ARGS)
{
	const GaussdpParams *params = gaussdp_split_params(fcinfo, 1);
	double x = PG_GETARG_FLOAT8(0);

	if ((params->key.kind != GAUSSDP_QUANTILE && params->key.kind != GAUSSDP_QUANTILES) ||
		params->key.weighted)
		gaussdp_report_other_kind();
	if (isnan(x))
		PG_RETURN_NULL();
	PG_RETURN_INT64(gdp_leaf(&params->leaves, x));
}

/* ---------------------------------------------------------------------------
 * Aggregates of cells
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

/* count_cell(int8[], int8) */
Datum
gaussdp_split_count_cell(PG_FUNCTION_ARGS)
{
	int64 given = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT64(1);
	int64 ncells = given >> CELL_BITS;
	int64 cell = given & PG_UINT32_MAX;
	ArrayType *state;
	int64 *counts;

	if (PG_ARGISNULL(1))
	{
		if (PG_ARGISNULL(0))
			PG_RETURN_NULL();
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	}
	if (ncells < 1 || ncells > GAUSSDP_MAX_CELLS || cell >= ncells)
		gaussdp_report_cells();
	state = state_of(fcinfo, (int) ncells);
	counts = gaussdp_numbers_of(state, (int) ncells);
	counts[cell] = gaussdp_count_add(counts[cell], 1);
	PG_RETURN_ARRAYTYPE_P(state);
}

/* add_counts(int8[], int8[]): either may be null. */
Datum
gaussdp_split_add_counts(PG_FUNCTION_ARGS)
{
	ArrayType *other = PG_ARGISNULL(1) ? NULL : PG_GETARG_ARRAYTYPE_P(1);
	int n = other != NULL && ARR_NDIM(other) == 1 ? ARR_DIMS(other)[0] : 0;
	ArrayType *state;
	int64 *counts, *more;

	if (other == NULL && PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (other == NULL)
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	more = gaussdp_numbers_of(other, n);
	if (more == NULL || n < 1 || n > GAUSSDP_MAX_CELLS)
		gaussdp_report_cells();
	state = state_of(fcinfo, n);
	counts = gaussdp_numbers_of(state, n);
	for (int i = 0; i < n; i++)
		counts[i] = gaussdp_count_add(counts[i], more[i]);
	PG_RETURN_ARRAYTYPE_P(state);
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

/* ---------------------------------------------------------------------------
 * Leaves
 * ---------------------------------------------------------------------------
 * A hash table as an array: how many of its slots are used, then the slots.
 */

/* The table in such an array; 22023 where it is none. */
GaussdpLeafTable
gaussdp_table_of(ArrayType *array)
{
	int n = ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] - 1 : 0;
	int64 *numbers = n > 0 ? gaussdp_numbers_of(array, n + 1) : NULL;

	if (numbers == NULL || n < GAUSSDP_FIRST_SLOTS || (n & (n - 1)) != 0 || numbers[0] < 0 ||
		numbers[0] > n)
		gaussdp_report_cells();
	return (GaussdpLeafTable){.nused = (uint32) numbers[0],
							  .nslots = (uint32) n,
							  .size = sizeof(uint64),
							  .slots = (char *) (numbers + 1)};
}

/* An empty one.  The executor copies what a transition returns into the group's memory. */
static ArrayType *
new_leaves(uint32 nslots)
{
	return gaussdp_new_numbers(CurrentMemoryContext, (int) nslots + 1);
}

/* Adds rows to a leaf, or to its carry; the array is another one where it had to grow. */
static ArrayType *
add_to_leaf(ArrayType *state, uint32 tag, uint32 rows)
{
	GaussdpLeafTable table = gaussdp_table_of(state);
	uint64 *slot;

	if (gaussdp_leaf_table_is_full(&table))
	{
		ArrayType *larger = new_leaves(2 * table.nslots);
		GaussdpLeafTable to = gaussdp_table_of(larger);

		gaussdp_move_leaves(&table, &to);
		table = to;
		state = larger;
	}
	slot = gaussdp_leaf_slot(&table, tag);
	if (slot == NULL)
		gaussdp_report_cells();
	table.nused += gaussdp_slot_tag(slot) == 0;
	((int64 *) ARR_DATA_PTR(state))[0] = table.nused;
	if (gaussdp_add_to_slot(slot, tag, rows) && (tag & GAUSSDP_CARRY) == 0)
		return add_to_leaf(state, tag | GAUSSDP_CARRY, 1);
	return state;
}

/* The state, which is the group's own and may be written on. */
static ArrayType *
leaves_of(FunctionCallInfo fcinfo)
{
	(void) gaussdp_group_context(fcinfo);
	return PG_ARGISNULL(0) ? new_leaves(GAUSSDP_FIRST_SLOTS) : PG_GETARG_ARRAYTYPE_P(0);
}

/* count_leaf(int8[], int8) */
Datum
gaussdp_split_count_leaf(PG_FUNCTION_ARGS)
{
	int64 leaf = PG_ARGISNULL(1) ? 0 : PG_GETARG_INT64(1);

	if (PG_ARGISNULL(1) && PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	if (leaf < 0 || leaf >= GDP_MAX_LEAVES)
		gaussdp_report_cells();
	PG_RETURN_ARRAYTYPE_P(add_to_leaf(leaves_of(fcinfo), (uint32) leaf + 1, 1));
}

/* add_leaves(int8[], int8[]): either may be null. */
Datum
gaussdp_split_add_leaves(PG_FUNCTION_ARGS)
{
	ArrayType *state;
	GaussdpLeafTable other;

	if (PG_ARGISNULL(1) && PG_ARGISNULL(0))
		PG_RETURN_NULL();
	if (PG_ARGISNULL(1))
		PG_RETURN_DATUM(PG_GETARG_DATUM(0));
	other = gaussdp_table_of(PG_GETARG_ARRAYTYPE_P(1));
	state = leaves_of(fcinfo);
	for (uint32 i = 0; i < other.nslots; i++)
	{
		uint64 slot = ((uint64 *) other.slots)[i];

		if (gaussdp_slot_tag(&slot) != 0)
			state = add_to_leaf(state, gaussdp_slot_tag(&slot), (uint32) slot);
	}
	PG_RETURN_ARRAYTYPE_P(state);
}
