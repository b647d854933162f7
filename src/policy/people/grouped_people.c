/*
 * grouped_people.c
 *		The plan node that brings the rows of each person together (grouped_people.h).
 *
 * The first row that is asked for reads all rows below, into partitions: in memory as long as they fit there (work_mem times
 * hash_mem_multiplier), or else in files.  Of each partition in turn the people are found and counted, and then its rows put in the
 * order of the people, by where each row is.  Within a person rows stay in the order in which they came, so that what is seen of a
 * person does not depend on anybody else's rows.
 *
 * A partition that does not fit into memory is divided by the next bits of the prints.  One that has the rows of one person alone is
 * in order as it is, and handed up as it is read.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "executor/nodeHash.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "utils/memutils.h"

#include "aggregate/random.h"
#include "compat.h"
#include "ledger/ledger.h"
#include "policy/people/grouped_people.h"
#include "policy/people/partition.h"
#include "policy/people/people_table.h"
#include "policy/people/row_partitions.h"

/* As many rows of a partition as are looked up in the processor's second cache. */
#define ROWS_OF_PARTITION (4 * 8192)

/* A larger partition stays in its file, and is read where it is needed: no cache would keep it. */
#define MOST_BYTES_LOADED ((Size) 16 * 1024 * 1024)

/* Rows that are handed up are scattered over a partition: so far ahead they are brought into the nearest cache. */
#define ROWS_AHEAD 6

typedef struct GroupingState
{
	CustomScanState css;
	GaussdpGrouping by;
	GaussdpRowLayout layout;
	GaussdpMatcher matcher;
	int *outputs; /* the kept column of each that is handed up */
	Size limit;
	/* from the first row that is asked for on */
	MemoryContext memory;
	GaussdpPeople people; /* of the current partition */
	Size held;            /* by rows in memory */
	MemoryContext loaded; /* a partition that was in a file */
	MemoryContext order;  /* the arrays below */
	bool has_read;
	List *waiting; /* of GaussdpPartition, last first */
	GaussdpPartition *current;
	GaussdpCursor cursor;
	const char **rows; /* of the current partition, in the order of their people */
	uint64 nrows;
	uint64 next;
	bool is_one_person; /* are its rows handed up as they are read? */
	bool had_nulls;     /* the row that was handed up last */
} GroupingState;

static TupleTableSlot *hand_on(PlanState *node);

/* ---------------------------------------------------------------------------
 * Before the first row
 * ---------------------------------------------------------------------------
 */

static void
start_layout(GroupingState *state, TupleDesc columns)
{
	ListCell *lc;
	ListCell *other;

	state->outputs = palloc(sizeof(int) * list_length(state->by.below));
	foreach (lc, state->by.below)
		state->outputs[foreach_current_index(lc)] =
			gaussdp_keep(&state->layout, columns, (AttrNumber) lfirst_int(lc));
	state->matcher.seed = (uint64) gaussdp_random_seed();
	state->matcher.scratch =
		AllocSetContextCreate(CurrentMemoryContext, "hashing of people", ALLOCSET_SMALL_SIZES);
	forboth(lc, state->by.keys, other, state->by.operators)
		gaussdp_match(&state->matcher, columns, &state->layout, state->outputs[lfirst_int(lc) - 1],
					  lfirst_oid(other));
	gaussdp_lay_out(&state->layout);
	state->layout.scratch = state->matcher.scratch;
	state->matcher.is_kept = !state->layout.is_fixed;
}

/* Nothing has been read. */
static void
start_anew(GroupingState *state)
{
	MemoryContextReset(state->memory);
	state->loaded = AllocSetContextCreate(state->memory, "loaded rows", ALLOCSET_DEFAULT_SIZES);
	state->order = AllocSetContextCreate(state->memory, "order of people", ALLOCSET_DEFAULT_SIZES);
	state->people = (GaussdpPeople){.layout = &state->layout};
	gaussdp_make_people(&state->people, state->memory, &state->matcher, NULL);
	gaussdp_settle_keys(&state->people);
	state->cursor = (GaussdpCursor){.memory = state->memory};
	state->held = 0;
	state->has_read = state->is_one_person = false;
	state->waiting = NIL;
	state->current = NULL;
	state->nrows = state->next = 0;
}

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	GroupingState *state = (GroupingState *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	PlanState *below = ExecInitNode(linitial(scan->custom_plans), estate, eflags);

	css->custom_ps = list_make1(below);
	if (IsParallelWorker())
		elog(ERROR, "a process of a parallel plan would group people by a part of their rows");
	state->by = gaussdp_grouping_of(scan);
	state->limit = get_hash_memory_limit();
	start_layout(state, ExecGetResultType(below));
	state->memory =
		AllocSetContextCreate(CurrentMemoryContext, "groups of people", ALLOCSET_DEFAULT_SIZES);
	start_anew(state);
	if (css->ss.ps.qual == NULL && css->ss.ps.ps_ProjInfo == NULL)
		css->ss.ps.ExecProcNode = hand_on;
}

/* ---------------------------------------------------------------------------
 * Partitions
 * ---------------------------------------------------------------------------
 */

static void
wait_for_partitions(GroupingState *state, GaussdpPartitions *partitions, bool to_files)
{
	gaussdp_close_partitions(partitions, to_files);
	for (int i = 0; i < 1 << partitions->bits; i++)
		if (partitions->parts[i].bytes > 0)
			state->waiting = lappend(state->waiting, &partitions->parts[i]);
}

static pg_attribute_always_inline void
take_row(const GroupingState *state, GaussdpPartitions *partitions, const TupleTableSlot *slot,
		 const char *stored)
{
	const GaussdpRowLayout *layout = &state->layout;
	uint32 length = layout->is_fixed ? layout->fixed : gaussdp_length_of(layout, slot);
	uint64 print = gaussdp_print_of_coming(&state->matcher, layout, slot, stored);
	char *row = gaussdp_add_row(partitions, gaussdp_spread(print ^ state->matcher.seed), length);

	gaussdp_keep_row(layout, slot, stored, print, length, row);
}

/*
 * A quarter of the memory stays free for people.  What is below keeps rows in the memory that is current, until after this node has
 * gone: that is the query's.
 */
static void
read_rows(GroupingState *state)
{
	PlanState *below = linitial(state->css.custom_ps);
	int bits =
		gaussdp_bits_for(gaussdp_rows_expected(below->plan), ROWS_OF_PARTITION, state->limit);
	GaussdpPartitions *partitions =
		gaussdp_make_partitions(bits, 0, state->limit - state->limit / 4);
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	TupleTableSlot *slot = ExecProcNode(below);

	if (!TupIsNull(slot))
		gaussdp_lay_out_stored(&state->layout, slot->tts_tupleDescriptor);
	for (; !TupIsNull(slot); slot = ExecProcNode(below))
	{
		const char *stored = gaussdp_stored_row(&state->layout, slot);

		if (stored != NULL)
			take_row(state, partitions, slot, stored);
		else
		{
			slot_getsomeattrs(slot, state->layout.last);
			take_row(state, partitions, slot, NULL);
		}
	}
	MemoryContextSwitchTo(old);
	wait_for_partitions(state, partitions, false);
	state->held = partitions->used;
	state->has_read = true;
	gaussdp_show_phase(GAUSSDP_PHASE_PEOPLE);
}

/* Puts the rows of the current partition into smaller ones, in files. */
static void
divide(GroupingState *state)
{
	wait_for_partitions(state,
						gaussdp_divide_partition(&state->cursor, state->current, &state->layout,
												 &state->matcher, ROWS_OF_PARTITION, state->limit),
						true);
}

static void
leave_partition(GroupingState *state)
{
	if (state->current != NULL)
		gaussdp_drop_files(state->current);
	state->current = NULL;
	MemoryContextReset(state->loaded);
	state->nrows = state->next = 0;
	state->is_one_person = false;
}

static void
drop_all_files(GroupingState *state)
{
	ListCell *lc;

	leave_partition(state);
	foreach (lc, state->waiting)
		gaussdp_drop_files(lfirst(lc));
	state->waiting = NIL;
}

/* ---------------------------------------------------------------------------
 * The rows of one partition
 * ---------------------------------------------------------------------------
 */

/* Has the current partition the rows of one person alone?  It is read until there is another one. */
static bool
has_one_person(GroupingState *state)
{
	const GaussdpRowLayout *layout = &state->layout;
	GaussdpCursor *cursor = &state->cursor;
	char *first = NULL;
	bool is_same = true;

	gaussdp_start_reading(cursor, state->current);
	while (is_same && gaussdp_read_on(cursor))
		while (is_same && cursor->at < cursor->end)
		{
			uint32 length = gaussdp_kept_length(layout, cursor->at);

			CHECK_FOR_INTERRUPTS();
			if (first == NULL)
				first = memcpy(MemoryContextAllocHuge(state->order, length), cursor->at, length);
			is_same = gaussdp_same(&state->matcher, layout, first, cursor->at);
			cursor->at += length;
		}
	MemoryContextReset(state->order);
	return is_same;
}

/* Where the rows go; where a group is one row, that one alone is kept, and nothing of this. */
typedef struct Order
{
	uint32 *seats;  /* the person of each row */
	uint32 *places; /* of each person: how many rows, then where the next one goes */
} Order;

static bool
count_rows(GroupingState *state, Order *order)
{
	GaussdpCursor *cursor = &state->cursor;
	uint64 row = 0;

	gaussdp_start_reading(cursor, state->current);
	while (gaussdp_read_on(cursor))
		while (cursor->at < cursor->end)
		{
			uint32 known = state->people.persons.n;
			uint32 seat = gaussdp_seat_of(&state->people, cursor->at);

			CHECK_FOR_INTERRUPTS();
			if (unlikely(seat == GAUSSDP_NO_SEAT))
				return false;
			if (state->by.is_distinct)
			{
				if (seat == known)
					state->rows[seat] = cursor->at;
			}
			else
			{
				if (seat == known)
					order->places[seat] = 0;
				order->places[seat]++;
				order->seats[row++] = seat;
			}
			cursor->at += gaussdp_kept_length(&state->layout, cursor->at);
		}
	state->nrows = state->by.is_distinct ? state->people.persons.n : row;
	return true;
}

static void
sort_rows(GroupingState *state, const Order *order)
{
	GaussdpCursor *cursor = &state->cursor;
	const uint32 *seat = order->seats;
	uint32 place = 0;

	for (uint32 i = 0; i < state->people.persons.n; i++)
	{
		uint32 n = order->places[i];

		CHECK_FOR_INTERRUPTS();
		order->places[i] = place;
		place += n;
	}
	gaussdp_start_reading(cursor, state->current);
	while (gaussdp_read_on(cursor))
		while (cursor->at < cursor->end)
		{
			CHECK_FOR_INTERRUPTS();
			state->rows[order->places[*seat++]++] = cursor->at;
			cursor->at += gaussdp_kept_length(&state->layout, cursor->at);
		}
}

/* What the order of so many rows takes, beside the people. */
static Size
bytes_of_order(const GroupingState *state, uint64 rows)
{
	return rows * (sizeof(char *) + (state->by.is_distinct ? 0 : 2 * sizeof(uint32)));
}

/* Puts the rows of the current partition, which is in memory, in order; false where that takes more than so many bytes. */
static bool
order_rows(GroupingState *state, Size limit)
{
	uint64 most = state->current->bytes / state->layout.fixed;
	Size bytes = bytes_of_order(state, most);
	Order order = {0};

	if (most >= PG_UINT32_MAX || (limit > 0 && bytes >= limit))
		return false;
	MemoryContextReset(state->order);
	state->rows = MemoryContextAllocHuge(state->order, sizeof(char *) * most);
	if (!state->by.is_distinct)
	{
		order.seats = MemoryContextAllocHuge(state->order, sizeof(uint32) * most);
		order.places = MemoryContextAllocHuge(state->order, sizeof(uint32) * most);
	}
	state->people.limit = limit == 0 ? 0 : limit - bytes;
	gaussdp_forget_people(&state->people);
	if (!count_rows(state, &order))
		return false;
	if (!state->by.is_distinct)
		sort_rows(state, &order);
	return true;
}

/* Goes on to the next partition that has rows in order; false at the end. */
static bool
next_partition(GroupingState *state)
{
	Size left = state->limit - Min(state->held, state->limit - state->limit / 4);

	for (;;)
	{
		GaussdpPartition *partition;
		Size loaded;

		leave_partition(state);
		if (state->waiting == NIL)
			return false;
		state->current = partition = llast(state->waiting);
		state->waiting = list_delete_last(state->waiting);
		loaded = partition->nfiles > 0 ? partition->bytes : 0;
		if (loaded <= Min(left / 2, MOST_BYTES_LOADED))
		{
			if (loaded > 0)
				gaussdp_load_partition(partition, state->loaded);
			if (order_rows(state, left - loaded))
				return true;
		}
		gaussdp_free_people(&state->people);
		MemoryContextReset(state->order);
		if (has_one_person(state))
		{
			gaussdp_start_reading(&state->cursor, partition);
			return state->is_one_person = true;
		}
		if (partition->skip >= GAUSSDP_MOST_SKIPPED)
		{
			/* people with the same print, which of many thousands some have: they are told apart in what memory that takes */
			gaussdp_load_partition(partition, state->loaded);
			return order_rows(state, 0);
		}
		divide(state);
	}
}

/* ---------------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------------
 */

static pg_noinline bool
go_on(GroupingState *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->memory);
	bool has_rows;

	if (!state->has_read)
		read_rows(state);
	has_rows = next_partition(state);
	MemoryContextSwitchTo(old);
	return has_rows;
}

/* The next row of one person, as they are read; NULL at the end. */
static const char *
next_read(GroupingState *state)
{
	GaussdpCursor *cursor = &state->cursor;
	const char *row;

	if (cursor->at == cursor->end && !gaussdp_read_on(cursor))
	{
		state->is_one_person = false;
		return NULL;
	}
	row = cursor->at;
	cursor->at += gaussdp_kept_length(&state->layout, row);
	state->is_one_person = !state->by.is_distinct;
	return row;
}

static void
hand_up(GroupingState *state, TupleTableSlot *slot, const char *row)
{
	const GaussdpRowLayout *layout = &state->layout;
	int n = slot->tts_tupleDescriptor->natts;
	bool has_nulls = gaussdp_may_have_nulls(layout, row);

	if (unlikely(has_nulls || state->had_nulls))
		for (int i = 0; i < n; i++)
			slot->tts_isnull[i] = gaussdp_kept_is_null(layout, row, state->outputs[i]);
	state->had_nulls = has_nulls;
	for (int i = 0; i < n; i++)
		slot->tts_values[i] =
			slot->tts_isnull[i] ? 0 : gaussdp_kept_value(layout, row, state->outputs[i]);
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_nvalid = (AttrNumber) n;
}

static TupleTableSlot *
next_row(ScanState *node)
{
	GroupingState *state = (GroupingState *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;
	const char *row = NULL;

	/* Virtual slots own nothing, unless somebody above has had one made permanent. */
	if (unlikely(TTS_SHOULDFREE(slot)))
		ExecClearTuple(slot);
	CHECK_FOR_INTERRUPTS();
	while (unlikely(state->next == state->nrows))
	{
		if (state->is_one_person)
			row = next_read(state);
		if (row != NULL)
		{
			hand_up(state, slot, row);
			return slot;
		}
		if (!go_on(state))
			return ExecClearTuple(slot);
	}
	if (state->next + ROWS_AHEAD < state->nrows)
		__builtin_prefetch(state->rows[state->next + ROWS_AHEAD]);
	hand_up(state, slot, state->rows[state->next++]);
	return slot;
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
	elog(ERROR, "a row of a group is to be checked again");
}

static TupleTableSlot *
exec(CustomScanState *css)
{
	return ExecScan(&css->ss, next_row, recheck_row);
}

static void
end(CustomScanState *css)
{
	GroupingState *state = (GroupingState *) css;

	drop_all_files(state);
	ExecEndNode(linitial(css->custom_ps));
	MemoryContextDelete(state->memory);
}

/* As the inner side of a join may be. */
static void
rescan(CustomScanState *css)
{
	GroupingState *state = (GroupingState *) css;
	PlanState *below = linitial(css->custom_ps);

	drop_all_files(state);
	start_anew(state);
	if (css->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(below, css->ss.ps.chgParam);
	if (below->chgParam == NULL)
		ExecReScan(below);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "PrivateGroups",
	.BeginCustomScan = begin,
	.ExecCustomScan = exec,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
};

Node *
gaussdp_make_grouping_state(CustomScan *scan)
{
	GroupingState *state = (GroupingState *) newNode(sizeof(GroupingState), T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}
