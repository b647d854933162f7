/*
 * cell_sums.c
 *		The aggregates of what rows add to cells and leaves, weighted or not.
 *
 * Runs on the servers that hold the rows, as values.c does.  Few cells are in a row, and of leaves few in a group: so they travel
 * with their numbers, as an array of int8, which has how many of its slots are used, then for each slot a tag and the two halves of the
 * sum.  The slots of a row of a weighted call, to whose cells it adds what the weighted aggregate adds (parts in aggregate/kinds.h), are
 * in any order; those of a sum are a hash table (aggregate/leaves.h).
 */
#include "postgres.h"

#include <math.h>

#include "utils/array.h"

#include "aggregate/leaves.h"
#include "aggregate/weighted.h"
#include "citus/split.h"

PG_FUNCTION_INFO_V1(gaussdp_split_weighted_cells);
PG_FUNCTION_INFO_V1(gaussdp_split_count_cell);
PG_FUNCTION_INFO_V1(gaussdp_split_add_cells);

/* A slot as it is in an array; a free one is zeros. */
typedef struct Slot
{
	int64 tag; /* in its upper half the cell, from 1 on: the number of rows comes first */
	int64 high;
	int64 low;
} Slot;

#define SLOT_NUMBERS ((int) (sizeof(Slot) / sizeof(int64)))

static Slot
make_slot(int32 cell, gdp_int128 steps)
{
	return (Slot){(int64) (cell - GAUSSDP_COUNT_CELL + 1) << 32, (int64) (steps >> 64),
				  (int64) steps};
}

static ArrayType *
new_slots(uint32 nslots)
{
	return gaussdp_new_numbers(CurrentMemoryContext, 1 + SLOT_NUMBERS * (int) nslots);
}

static Slot *
slots_of(const GaussdpLeafTable *table)
{
	return (Slot *) table->slots;
}

/* The slots in an array; 22023 where there are none. */
static GaussdpLeafTable
table_of(ArrayType *array)
{
	int n = ARR_NDIM(array) == 1 ? (ARR_DIMS(array)[0] - 1) / SLOT_NUMBERS : 0;
	int64 *numbers = n > 0 ? gaussdp_numbers_of(array, 1 + SLOT_NUMBERS * n) : NULL;

	if (numbers == NULL || numbers[0] < 0 || numbers[0] > n)
		gaussdp_report_cells();
	return (GaussdpLeafTable){.nused = (uint32) numbers[0],
							  .nslots = (uint32) n,
							  .size = sizeof(Slot),
							  .slots = (char *) (numbers + 1)};
}

/* weighted_cells(int8, float8, bytea): strict; NULL where the row adds nothing. */
Datum
gaussdp_split_weighted_cells(PG_FUNCTION_ARGS)
{
	const GaussdpParams *params = gaussdp_weighted_params_of(fcinfo, 2);
	const GaussdpDescriptor *descriptor = gaussdp_descriptor(params->key.kind);
	double x = PG_GETARG_FLOAT8(1);
	GaussdpPart parts[GAUSSDP_MAX_PARTS];
	GaussdpLeafTable table;
	ArrayType *array;
	int n;

	if (descriptor->parts == NULL)
		gaussdp_report_other_kind();
	n = isnan(x) ? 0 : descriptor->parts(params, x, gaussdp_split_weight(fcinfo), parts);
	if (n == 0)
		PG_RETURN_NULL();
	array = new_slots((uint32) n);
	table = table_of(array);
	*(int64 *) ARR_DATA_PTR(array) = n;
	for (int i = 0; i < n; i++)
		slots_of(&table)[i] = make_slot(parts[i].cell, parts[i].steps);
	PG_RETURN_ARRAYTYPE_P(array);
}

/* Adds to a cell of a sum; the array is another one where it had to grow, which the executor copies into the group's memory. */
static ArrayType *
add_slot(ArrayType *sum, const Slot *more)
{
	GaussdpLeafTable table = table_of(sum);
	Slot *slot;
	gdp_int128 steps;

	if ((table.nslots & (table.nslots - 1)) != 0)
		gaussdp_report_cells();
	if (gaussdp_leaf_table_is_full(&table))
	{
		GaussdpLeafTable larger;

		sum = new_slots(2 * table.nslots);
		larger = table_of(sum);
		gaussdp_move_leaves(&table, &larger);
		table = larger;
	}
	slot = (Slot *) gaussdp_leaf_slot(&table, gaussdp_slot_tag(more));
	if (slot == NULL)
		gaussdp_report_cells();
	table.nused += gaussdp_slot_tag(slot) == 0;
	*(int64 *) ARR_DATA_PTR(sum) = table.nused;
	steps = gaussdp_sum_add(gaussdp_int128_of(slot->high, slot->low),
							gaussdp_int128_of(more->high, more->low));
	*slot = (Slot){more->tag, (int64) (steps >> 64), (int64) steps};
	return sum;
}

/* The state, which is the group's own and may be written on; made at the first row. */
static ArrayType *
state_of(FunctionCallInfo fcinfo)
{
	(void) gaussdp_group_context(fcinfo);
	return PG_ARGISNULL(0) ? new_slots(GAUSSDP_FIRST_SLOTS) : PG_GETARG_ARRAYTYPE_P(0);
}

/* A transition that adds nothing. */
static Datum
state_as_it_is(FunctionCallInfo fcinfo)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* count_cell(int8[], int8): one row. */
Datum
gaussdp_split_count_cell(PG_FUNCTION_ARGS)
{
	Slot row;

	if (PG_ARGISNULL(1))
		return state_as_it_is(fcinfo);
	if (PG_GETARG_INT64(1) < 0 || PG_GETARG_INT64(1) >= 2 * GDP_MAX_LEAVES)
		gaussdp_report_cells();
	row = make_slot((int32) PG_GETARG_INT64(1), 1);
	PG_RETURN_ARRAYTYPE_P(add_slot(state_of(fcinfo), &row));
}

/* add_cells(int8[], int8[]): the cells of a row, or those of a sum; either may be null. */
Datum
gaussdp_split_add_cells(PG_FUNCTION_ARGS)
{
	GaussdpLeafTable more;
	ArrayType *sum;

	if (PG_ARGISNULL(1))
		return state_as_it_is(fcinfo);
	sum = state_of(fcinfo);
	more = table_of(PG_GETARG_ARRAYTYPE_P(1));
	for (uint32 i = 0; i < more.nslots; i++)
		if (gaussdp_slot_tag(&slots_of(&more)[i]) != 0)
			sum = add_slot(sum, &slots_of(&more)[i]);
	PG_RETURN_ARRAYTYPE_P(sum);
}

GaussdpPart *
gaussdp_sums_of_cells(FunctionCallInfo fcinfo, int32 first, int32 ncells, int *n)
{
	GaussdpLeafTable table;
	GaussdpPart *parts;

	*n = 0;
	if (PG_ARGISNULL(0))
		return NULL;
	table = table_of(PG_GETARG_ARRAYTYPE_P(0));
	parts = palloc(table.nslots * sizeof(GaussdpPart));
	for (uint32 i = 0; i < table.nslots; i++)
	{
		const Slot *slot = &slots_of(&table)[i];
		int32 cell = (int32) gaussdp_slot_tag(slot) - 1 + GAUSSDP_COUNT_CELL;

		if (gaussdp_slot_tag(slot) == 0)
			continue;
		if (cell < first || cell >= ncells)
			gaussdp_report_other_kind();
		parts[(*n)++] = (GaussdpPart){cell, gaussdp_int128_of(slot->high, slot->low)};
	}
	return parts;
}
