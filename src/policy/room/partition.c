/*
 * partition.c
 *		The plan node that weighs the rows of people, partition by partition (partition.h).
 *
 * The first row that is asked for reads all rows below.  They stay in memory as long as they fit there (work_mem times
 * hash_mem_multiplier); then all partitions go to files.  Of each partition in turn all rows are read to be counted, by
 * people, and once more to be handed up.  Where the tables of its people do not fit into memory, it is divided by the next
 * bits of the prints, and where it cannot be divided, being one person's in many groups, they take what they need.
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

/*
 * Partitions at once, as powers of two: so many that what is looked up for the rows of one stays in the processor's
 * second cache, and, beyond that, as few as possible.
 */
#define FEWEST_BITS 2
#define MOST_BITS 8
#define MOST_BITS_OF_LARGE 10
#define ROWS_OF_PARTITION 8192

/* A partition that is loaded has so many bytes at most: reading it is not interrupted. */
#define MOST_BYTES_LOADED ((Size) 16 * 1024 * 1024)

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
	Size held; /* by rows in memory */
	MemoryContext memory;
	MemoryContext loaded; /* a small partition that was in a file */
	bool has_read;
	List *waiting; /* of GaussdpPartition, last first */
	GaussdpPartition *current;
	GaussdpCursor cursor;
	uint32 *seats; /* of the current partition's rows; NULL where they are looked up again */
	uint64 capacity;
	uint64 row;     /* the next one */
	bool had_nulls; /* the row that was handed up last */
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
	gaussdp_make_people(people, state->memory, &state->unit,
						state->keys.n > 0 ? &state->keys : NULL);
	state->layout.has_numbers = state->keys.n > 0;
	if (state->keys.n > 0)
		gaussdp_number_keys(people);
}

/* The call of group_place: its first argument is a constant. */
static FunctionCallInfo
prepare_place(const FuncExpr *place)
{
	int nargs = list_length(place->args);
	const Const *seed = linitial_node(Const, place->args);
	FmgrInfo *function = palloc0(sizeof(FmgrInfo));
	FunctionCallInfo call = palloc0(SizeForFunctionCallInfo(nargs));

	fmgr_info(place->funcid, function);
	fmgr_info_set_expr((Node *) place, function);
	InitFunctionCallInfoData(*call, function, nargs, InvalidOid, NULL, NULL);
	call->args[0] = (NullableDatum){.value = seed->constvalue, .isnull = seed->constisnull};
	return call;
}

/* How a person's groups stand in an order, of which only the first are kept. */
static void
start_places(PartitionState *state, const GaussdpWeighing *weighing, TupleDesc columns)
{
	GaussdpPlaces *places = &state->people.places;
	ListCell *lc;

	if (weighing->place_call == NULL)
		return;
	places->call = prepare_place(weighing->place_call);
	places->max_groups = weighing->max_groups;
	places->order = palloc0(sizeof(SortSupportData) * list_length(weighing->keys));
	foreach (lc, weighing->keys)
	{
		const SortGroupClause *key = lfirst_node(SortGroupClause, lc);
		SortSupport order = &places->order[foreach_current_index(lc)];

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

static TupleTableSlot *hand_on(PlanState *node);

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
	for (int i = 0; i < state->people.nweights; i++)
		if (state->people.countings[i].size >= 0)
			state->people.countings[i].size_at =
				state->layout.kept[state->people.countings[i].size].at;
	state->layout.scratch = state->unit.scratch;
	state->unit.is_kept = !state->layout.is_fixed;
	state->limit = get_hash_memory_limit();
	state->cursor.layout = &state->layout;
	state->cursor.memory = state->memory;
	/* Nothing is computed of the rows that are handed up, unless there is HAVING. */
	if (css->ss.ps.qual == NULL && css->ss.ps.ps_ProjInfo == NULL)
		css->ss.ps.ExecProcNode = hand_on;
}

/* ---------------------------------------------------------------------------
 * Partitions
 * ---------------------------------------------------------------------------
 */

/* How many bits tell partitions apart for so many rows, as far as memory allows files. */
static int
bits_for(const PartitionState *state, double rows)
{
	int most = state->layout.is_fixed && state->keys.n == 0 ? MOST_BITS : MOST_BITS_OF_LARGE;
	int bits = FEWEST_BITS;

	while (bits < most && rows / (1 << bits) > ROWS_OF_PARTITION &&
		   gaussdp_bytes_of_file() << (bits + 1) <= state->limit / 2)
		bits++;
	return bits;
}

static void
take_partitions(PartitionState *state, GaussdpPartitions *partitions, bool to_files)
{
	gaussdp_close_partitions(partitions, to_files);
	for (int i = 0; i < 1 << partitions->bits; i++)
		if (partitions->parts[i].bytes > 0)
			state->waiting = lappend(state->waiting, &partitions->parts[i]);
}

static pg_attribute_always_inline void
take_row(PartitionState *state, GaussdpPartitions *partitions, const TupleTableSlot *slot,
		 const char *stored)
{
	const GaussdpRowLayout *layout = &state->layout;
	uint64 print = gaussdp_print_of_coming(&state->unit, layout, slot, stored);
	uint32 length = layout->is_fixed ? layout->fixed : gaussdp_length_of(layout, slot);
	char *row = gaussdp_add_row(partitions, gaussdp_spread(print ^ state->unit.seed), length);

	gaussdp_keep_row(layout, slot, stored, print, length, row);
	if (layout->has_numbers)
	{
		uint32 number = gaussdp_number_of_keys(&state->people, row);

		memcpy(row + layout->number_at, &number, sizeof(uint32));
	}
}

/* A quarter of the memory stays free for people. */
static void
read_rows(PartitionState *state)
{
	PlanState *below = linitial(state->css.custom_ps);
	GaussdpRowLayout *layout = &state->layout;
	GaussdpPartitions *partitions = gaussdp_make_partitions(bits_for(state, below->plan->plan_rows),
															0, state->limit - state->limit / 4);
	bool is_first = true;
	TupleTableSlot *slot;

	while (slot = ExecProcNode(below), !TupIsNull(slot))
	{
		const char *stored;

		if (is_first)
			gaussdp_lay_out_stored(layout, slot->tts_tupleDescriptor);
		is_first = false;
		stored = gaussdp_stored_row(layout, slot);
		if (stored != NULL)
		{
			take_row(state, partitions, slot, stored);
			continue;
		}
		slot_getsomeattrs(slot, layout->last);
		take_row(state, partitions, slot, NULL);
	}
	take_partitions(state, partitions, false);
	state->held = partitions->used;
	gaussdp_settle_keys(&state->people);
}

/* Puts the rows of the current partition into smaller ones. */
static void
divide(PartitionState *state)
{
	const GaussdpRowLayout *layout = &state->layout;
	GaussdpPartition *partition = state->current;
	GaussdpCursor *cursor = &state->cursor;
	GaussdpPartitions *partitions =
		gaussdp_make_partitions(bits_for(state, (double) (partition->bytes / layout->fixed)),
								partition->skip, state->limit / 2);

	gaussdp_start_reading(cursor, partition);
	while (gaussdp_read_on(cursor))
		while (cursor->at < cursor->end)
		{
			uint32 is_null;
			uint64 print = gaussdp_print_of_row(&state->unit, layout, cursor->at, &is_null);
			uint32 length = gaussdp_kept_length(layout, cursor->at);

			CHECK_FOR_INTERRUPTS();
			memcpy(gaussdp_add_row(partitions, gaussdp_spread(print ^ state->unit.seed), length),
				   cursor->at, length);
			cursor->at += length;
		}
	take_partitions(state, partitions, true);
}

/* ---------------------------------------------------------------------------
 * Counting
 * ---------------------------------------------------------------------------
 */

/* Remembers where each row is counted, if there is room for that. */
static void
prepare_seats(PartitionState *state)
{
	uint64 wanted = state->current->bytes / state->layout.fixed;

	if (wanted <= state->capacity)
		return;
	if (state->seats != NULL)
		pfree(state->seats);
	state->seats = NULL;
	state->capacity = 0;
	if (wanted * sizeof(uint32) > state->limit / 8)
		return;
	state->capacity = Min(wanted + wanted / 4, state->limit / 8 / sizeof(uint32));
	state->seats = MemoryContextAllocHuge(state->memory, sizeof(uint32) * state->capacity);
}

/* Counts the rows of the current partition, as long as the tables of their people take no more than the limit; 0 is none. */
static bool
count_rows(PartitionState *state, Size limit)
{
	GaussdpPeople *people = &state->people;
	GaussdpCursor *cursor = &state->cursor;
	uint32 *seat_of_row = state->seats;

	people->limit = limit;
	people->copies_rows = state->current->file != NULL;
	gaussdp_forget_people(people);
	gaussdp_start_reading(cursor, state->current);
	while (gaussdp_read_on(cursor))
		while (cursor->at < cursor->end)
		{
			const char *row = cursor->at;
			uint32 seat = gaussdp_seat_of(people, row);

			CHECK_FOR_INTERRUPTS();
			if (unlikely(seat == GAUSSDP_NO_SEAT))
				return false;
			gaussdp_count_row(people, seat, row);
			if (seat_of_row != NULL)
				*seat_of_row++ = seat;
			cursor->at += gaussdp_kept_length(&state->layout, row);
		}
	gaussdp_weigh_people(people);
	gaussdp_start_reading(cursor, state->current);
	state->row = 0;
	return true;
}

/* What may be taken, in bytes: by a partition that is loaded, or else by what is known of its people. */
static Size
memory_left(const PartitionState *state)
{
	return state->limit - Min(state->held, state->limit - state->limit / 4);
}

static void
leave_partition(PartitionState *state)
{
	if (state->current != NULL)
		gaussdp_drop_file(state->current);
	state->current = NULL;
	MemoryContextReset(state->loaded);
	if (state->people.limit == 0)
		gaussdp_free_people(&state->people);
}

/* Goes on to the next partition whose rows have been counted; false at the end. */
static bool
next_partition(PartitionState *state)
{
	leave_partition(state);
	while (state->waiting != NIL)
	{
		GaussdpPartition *partition = llast(state->waiting);

		state->current = partition;
		state->waiting = list_delete_last(state->waiting);
		if (partition->file != NULL &&
			partition->bytes <= Min(memory_left(state) / 4, MOST_BYTES_LOADED))
			gaussdp_load_partition(partition, state->loaded);
		prepare_seats(state);
		if (count_rows(state, memory_left(state) / 2))
			return true;
		if (state->people.persons.n <= 1 || partition->skip >= GAUSSDP_MOST_SKIPPED)
			return count_rows(state, 0);
		gaussdp_free_people(&state->people);
		divide(state);
		leave_partition(state);
	}
	return false;
}

/* ---------------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------------
 */

static void
hand_up(PartitionState *state, TupleTableSlot *slot, const char *row, uint32 seat)
{
	const GaussdpRowLayout *layout = &state->layout;
	int n = slot->tts_tupleDescriptor->natts;
	bool has_nulls = gaussdp_may_have_nulls(layout, row);

	if (unlikely(has_nulls || state->had_nulls))
		for (int i = 0; i < n; i++)
			slot->tts_isnull[i] = state->outputs[i].kept >= 0 &&
								  gaussdp_kept_is_null(layout, row, state->outputs[i].kept);
	state->had_nulls = has_nulls;
	for (int i = 0; i < n; i++)
	{
		const Output *output = &state->outputs[i];

		if (output->kept < 0)
			slot->tts_values[i] =
				Int64GetDatum(gaussdp_weight_of(&state->people, seat, row, output->weight));
		else
			slot->tts_values[i] =
				slot->tts_isnull[i] ? 0 : gaussdp_kept_value(layout, row, output->kept);
	}
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_nvalid = (AttrNumber) n;
}

/* Goes on to rows that have been counted; false at the end. */
static pg_noinline bool
go_on(PartitionState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->memory);
	bool has_rows = true;

	if (!state->has_read)
		read_rows(state);
	state->has_read = true;
	while (has_rows && (state->current == NULL || !gaussdp_read_on(&state->cursor)))
		has_rows = next_partition(state);
	MemoryContextSwitchTo(old);
	return has_rows;
}

static TupleTableSlot *
next_row(ScanState *node)
{
	PartitionState *state = (PartitionState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	GaussdpCursor *cursor = &state->cursor;

	/* Virtual slots own nothing, unless somebody above has had one made permanent. */
	if (unlikely(TTS_SHOULDFREE(slot)))
		ExecClearTuple(slot);
	for (;;)
	{
		const char *row;
		uint32 seat;

		if (unlikely(cursor->at == cursor->end) && !go_on(state))
			return ExecClearTuple(slot);
		CHECK_FOR_INTERRUPTS();
		row = cursor->at;
		cursor->at += gaussdp_kept_length(&state->layout, row);
		seat = state->seats != NULL ? state->seats[state->row++]
									: gaussdp_seat_of(&state->people, row);
		if (unlikely(gaussdp_is_dropped(&state->people, seat, row)))
			continue;
		hand_up(state, slot, row, seat);
		return slot;
	}
}

static TupleTableSlot *
hand_on(PlanState *node)
{
	return next_row((ScanState *) node);
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
