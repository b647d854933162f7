/*
 * partition.c
 *		The plan node that weighs the rows of people, partition by partition (partition.h).
 *
 * The first row that is asked for reads all rows below.  They stay in memory as long as they fit there (work_mem times
 * hash_mem_multiplier); then all partitions go to files.  Of each partition in turn
 *
 *		one that fits into memory is loaded, its rows are counted, and handed up
 *		one that does not is divided once more, by the next bits of the prints
 *		one that cannot be divided, being one person's, is read twice: to be counted, and to be handed up
 *
 * The order of rows, and how many partitions there are, change nothing of the weights.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "utils/memutils.h"
#include "utils/typcache.h"

#include "aggregate/random.h"
#include "compat.h"
#include "policy/room/partition.h"
#include "policy/room/people_table.h"
#include "policy/room/row_partitions.h"

/* Partitions at once, as powers of two: so many that the tables of one stay in the processor's caches, and files small. */
#define FEWEST_BITS 2
#define MOST_BITS 8
#define ROWS_OF_PARTITION 8192

/* What an open file takes, and what counting a row takes at most, beside the row. */
#define BYTES_OF_FILE ((Size) 2 * BLCKSZ)
#define BYTES_OF_COUNTED_ROW ((Size) 128)

/* Where a column that is handed up comes from. */
typedef struct Output
{
	int kept;   /* column of kept rows, or -1 */
	int weight; /* the number of a weight */
} Output;

typedef struct PartitionState
{
	CustomScanState css;
	GaussdpRowLayout layout;
	GaussdpMatcher unit;
	GaussdpMatcher keys;
	GaussdpPeople people;
	Output *outputs;
	Size limit;
	MemoryContext memory;
	MemoryContext loaded; /* a partition that was in a file */
	bool has_read;
	List *waiting; /* of GaussdpPartition, last first */
	GaussdpPartition *current;
	GaussdpCursor cursor;
	uint32 *cells; /* of the current partition's rows; NULL where they are looked up again */
	uint64 capacity;
	uint64 row; /* the next one */
} PartitionState;

/* ---------------------------------------------------------------------------
 * Start
 * ---------------------------------------------------------------------------
 */

static void
start_matcher(PartitionState *state, GaussdpMatcher *matcher)
{
	matcher->seed = (uint64) gaussdp_random_seed();
	matcher->scratch =
		AllocSetContextCreate(state->memory, "hashing of people", ALLOCSET_SMALL_SIZES);
}

/* The kept column of this column of the rows. */
static int
keep(PartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns, AttrNumber column)
{
	return gaussdp_keep(&state->layout, columns, gaussdp_column_below(weighing, column));
}

/* That of the size of a row; none where all rows are whole. */
static int
keep_size(PartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns,
		  const GaussdpWeight *weight)
{
	if (weight->is_whole)
		return -1;
	return gaussdp_keep_size(
		&state->layout, columns,
		gaussdp_column_below(weighing, weight->call != NULL ? weight->value : weight->size),
		weight->call);
}

static void
start_counting(PartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	GaussdpPeople *people = &state->people;
	ListCell *lc;

	people->layout = &state->layout;
	people->memory = state->memory;
	people->nweights = list_length(weighing->weights);
	people->countings = palloc0(sizeof(GaussdpCounting) * Max(people->nweights, 1));
	foreach (lc, weighing->weights)
	{
		const GaussdpWeight *weight = lfirst(lc);
		GaussdpCounting *counting = &people->countings[foreach_current_index(lc)];

		counting->of_people = weight->of_people;
		counting->most = weight->most;
		counting->size = keep_size(state, weighing, columns, weight);
	}
	gaussdp_make_people(people, &state->unit, state->keys.n > 0 ? &state->keys : NULL);
}

/* How a person's groups stand in an order, of which only the first are kept. */
static void
start_places(PartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	GaussdpPeople *people = &state->people;
	ListCell *lc;

	people->place = -1;
	if (weighing->place == 0)
		return;
	people->place = keep(state, weighing, columns, weighing->place);
	people->max_groups = weighing->max_groups;
	people->order = palloc0(sizeof(SortSupportData) * list_length(weighing->keys));
	foreach (lc, weighing->keys)
	{
		const SortGroupClause *key = lfirst_node(SortGroupClause, lc);
		SortSupport order = &people->order[foreach_current_index(lc)];

		order->ssup_cxt = CurrentMemoryContext;
		order->ssup_collation =
			TupleDescAttr(
				columns, state->layout.kept[state->keys.kept[foreach_current_index(lc)]].column - 1)
				->attcollation;
		order->ssup_nulls_first = key->nulls_first;
		PrepareSortSupportFromOrderingOp(key->sortop, order);
	}
}

/* What is handed up: columns of the rows, and weights. */
static void
start_outputs(PartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	const CustomScan *scan = (const CustomScan *) state->css.ss.ps.plan;
	ListCell *lc;
	ListCell *other;

	state->outputs = palloc0(sizeof(Output) * Max(list_length(scan->custom_scan_tlist), 1));
	foreach (lc, scan->custom_scan_tlist)
	{
		const Var *column = castNode(Var, lfirst_node(TargetEntry, lc)->expr);
		Output *output = &state->outputs[foreach_current_index(lc)];

		output->kept = -1;
		output->weight = -1;
		foreach (other, weighing->weights)
			if (((const GaussdpWeight *) lfirst(other))->weight == column->varattno)
				output->weight = foreach_current_index(other);
		if (output->weight < 0)
			output->kept = keep(state, weighing, columns, column->varattno);
	}
}

/* How people and groups are told apart. */
static void
start_matchers(PartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	int unit = keep(state, weighing, columns, weighing->unit);
	Oid type = TupleDescAttr(columns, state->layout.kept[unit].column - 1)->atttypid;
	ListCell *lc;

	start_matcher(state, &state->unit);
	start_matcher(state, &state->keys);
	gaussdp_match(&state->unit, columns, &state->layout, unit,
				  lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr);
	foreach (lc, weighing->keys)
		gaussdp_match(&state->keys, columns, &state->layout,
					  keep(state, weighing, columns, (AttrNumber) (foreach_current_index(lc) + 1)),
					  lfirst_node(SortGroupClause, lc)->eqop);
}

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	PartitionState *state = (PartitionState *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	PlanState *below = ExecInitNode(linitial(scan->custom_plans), estate, eflags);
	TupleDesc columns = ExecGetResultType(below);
	GaussdpWeighing *weighing = gaussdp_weighing_of(scan);

	css->custom_ps = list_make1(below);
	state->memory =
		AllocSetContextCreate(CurrentMemoryContext, "weights of people", ALLOCSET_DEFAULT_SIZES);
	state->loaded = AllocSetContextCreate(state->memory, "loaded rows", ALLOCSET_DEFAULT_SIZES);
	start_matchers(state, weighing, columns);
	start_counting(state, weighing, columns);
	start_places(state, weighing, columns);
	start_outputs(state, weighing, columns);
	gaussdp_lay_out(&state->layout);
	state->layout.scratch = state->unit.scratch;
	state->unit.is_kept = !state->layout.is_fixed;
	state->limit = get_hash_memory_limit();
	state->cursor.layout = &state->layout;
	state->cursor.memory = state->memory;
}

/* ---------------------------------------------------------------------------
 * Partitions
 * ---------------------------------------------------------------------------
 */

/* How many bits tell partitions apart for so many rows, as far as memory allows files. */
static int
bits_for(const PartitionState *state, double rows)
{
	int bits = FEWEST_BITS;

	while (bits < MOST_BITS && rows / (1 << bits) > ROWS_OF_PARTITION &&
		   BYTES_OF_FILE << (bits + 1) <= state->limit / 2)
		bits++;
	return bits;
}

static void
take_partitions(PartitionState *state, GaussdpPartitions *partitions, bool to_files)
{
	gaussdp_close_partitions(partitions, to_files);
	for (int i = 0; i < 1 << partitions->bits; i++)
		if (partitions->parts[i].nrows > 0)
			state->waiting = lappend(state->waiting, &partitions->parts[i]);
}

static void
read_rows(PartitionState *state)
{
	PlanState *below = linitial(state->css.custom_ps);
	const GaussdpRowLayout *layout = &state->layout;
	GaussdpPartitions *partitions =
		gaussdp_make_partitions(layout, bits_for(state, below->plan->plan_rows), 0, state->limit);
	TupleTableSlot *slot;

	while (slot = ExecProcNode(below), !TupIsNull(slot))
	{
		uint64 print;
		uint32 length;
		char *row;

		slot_getsomeattrs(slot, layout->last);
		print = gaussdp_print_of_slot(&state->unit, layout, slot);
		length = gaussdp_length_of(layout, slot);
		row = gaussdp_add_row(partitions, gaussdp_spread(print ^ state->unit.seed), length);
		gaussdp_keep_row(layout, slot, print, length, row);
	}
	take_partitions(state, partitions, false);
}

/* Puts the rows of a partition into smaller ones. */
static void
divide(PartitionState *state, GaussdpPartition *partition)
{
	const GaussdpRowLayout *layout = &state->layout;
	int bits = bits_for(state, (double) partition->nrows);
	GaussdpPartitions *partitions =
		gaussdp_make_partitions(layout, bits, partition->skip, state->limit);
	const char *row;

	gaussdp_start_reading(&state->cursor, partition);
	while ((row = gaussdp_next_kept(&state->cursor)) != NULL)
	{
		uint64 print = gaussdp_print_of_row(&state->unit, layout, row);
		uint32 length = gaussdp_kept_length(layout, row);

		memcpy(gaussdp_add_row(partitions, gaussdp_spread(print ^ state->unit.seed), length), row,
			   length);
	}
	gaussdp_drop_file(partition);
	take_partitions(state, partitions, true);
}

/* Remembers where each row is counted, if there is room for that. */
static void
prepare_cells(PartitionState *state, uint64 nrows)
{
	if (nrows <= state->capacity)
		return;
	if (state->cells != NULL)
		pfree(state->cells);
	state->capacity = nrows + nrows / 4;
	state->cells = MemoryContextAllocHuge(state->memory, sizeof(uint32) * state->capacity);
}

static void
count_rows(PartitionState *state)
{
	GaussdpPeople *people = &state->people;
	uint64 n = 0;
	const char *row;

	people->copies_rows = state->current->file != NULL;
	if (!people->copies_rows)
		prepare_cells(state, state->current->nrows);
	gaussdp_forget_people(people, state->current->nrows);
	gaussdp_start_reading(&state->cursor, state->current);
	while ((row = gaussdp_next_kept(&state->cursor)) != NULL)
	{
		uint32 cell = gaussdp_people_cell(people, row);

		CHECK_FOR_INTERRUPTS();
		gaussdp_count_row(people, cell, row);
		if (!people->copies_rows)
			state->cells[n++] = cell;
	}
	gaussdp_weigh_people(people);
	gaussdp_start_reading(&state->cursor, state->current);
	state->row = 0;
}

/* Goes on to the next partition whose rows have been counted; false at the end. */
static bool
next_partition(PartitionState *state)
{
	if (state->current != NULL)
		gaussdp_drop_file(state->current);
	state->current = NULL;
	MemoryContextReset(state->loaded);
	while (state->waiting != NIL)
	{
		GaussdpPartition *partition = llast(state->waiting);

		state->waiting = list_delete_last(state->waiting);
		if (partition->file != NULL &&
			partition->bytes + partition->nrows * BYTES_OF_COUNTED_ROW > state->limit)
		{
			if (!gaussdp_is_indivisible(partition))
			{
				divide(state, partition);
				continue;
			}
		}
		else if (partition->file != NULL)
			gaussdp_load_partition(partition, state->loaded);
		state->current = partition;
		count_rows(state);
		return true;
	}
	return false;
}

/* ---------------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------------
 */

static void
hand_up(PartitionState *state, TupleTableSlot *slot, const char *row, uint32 cell)
{
	const GaussdpRowLayout *layout = &state->layout;

	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		const Output *output = &state->outputs[i];

		slot->tts_isnull[i] = output->kept >= 0 && gaussdp_kept_is_null(layout, row, output->kept);
		if (output->kept < 0)
			slot->tts_values[i] =
				Int64GetDatum(gaussdp_weight_of(&state->people, cell, row, output->weight));
		else if (!slot->tts_isnull[i])
			slot->tts_values[i] = gaussdp_kept_value(layout, row, output->kept);
	}
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_nvalid = slot->tts_tupleDescriptor->natts;
}

/* The next row, and the cell that it is counted in; NULL at the end. */
static pg_noinline const char *
row_of_next_partition(PartitionState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->memory);
	const char *row = NULL;

	if (!state->has_read)
		read_rows(state);
	state->has_read = true;
	while (row == NULL && next_partition(state))
		row = gaussdp_next_kept(&state->cursor);
	MemoryContextSwitchTo(old);
	return row;
}

static TupleTableSlot *
next_row(ScanState *node)
{
	PartitionState *state = (PartitionState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;

	/* Virtual slots own nothing, unless somebody above has had one made permanent. */
	if (unlikely(TTS_SHOULDFREE(slot)))
		ExecClearTuple(slot);
	CHECK_FOR_INTERRUPTS();
	for (;;)
	{
		const char *row = state->current != NULL ? gaussdp_next_kept(&state->cursor) : NULL;
		uint32 cell;

		if (unlikely(row == NULL) && (row = row_of_next_partition(state)) == NULL)
			return ExecClearTuple(slot);
		cell = state->people.copies_rows ? gaussdp_people_cell(&state->people, row)
										 : state->cells[state->row++];
		if (state->people.cells[cell].is_dropped)
			continue;
		hand_up(state, slot, row, cell);
		return slot;
	}
}

/* Rows are checked again where others are locked, which no level does. */
static bool
recheck_row(ScanState *node, TupleTableSlot *slot)
{
	elog(ERROR, "a weighed row is to be checked again");
}

static TupleTableSlot *
exec(CustomScanState *css)
{
	if (css->ss.ps.qual == NULL && css->ss.ps.ps_ProjInfo == NULL)
		return next_row(&css->ss);
	return ExecScan(&css->ss, next_row, recheck_row);
}

static void
end(CustomScanState *css)
{
	PartitionState *state = (PartitionState *) css;
	ListCell *lc;

	if (state->current != NULL)
		gaussdp_drop_file(state->current);
	foreach (lc, state->waiting)
		gaussdp_drop_file(lfirst(lc));
	ExecEndNode(linitial(css->custom_ps));
	MemoryContextDelete(state->memory);
}

static void
rescan(CustomScanState *css)
{
	elog(ERROR, "weighed rows are to be read twice");
}

static const CustomExecMethods exec_methods = {
	.CustomName = "PrivateWeights",
	.BeginCustomScan = begin,
	.ExecCustomScan = exec,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
};

Node *
gaussdp_make_partition_state(CustomScan *scan)
{
	PartitionState *state = (PartitionState *) newNode(sizeof(PartitionState), T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}
