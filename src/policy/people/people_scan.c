/*
 * people_scan.c
 *		The plan node that brings the rows of each person together (people.h).
 *
 * The first row that is asked for reads all rows below, into partitions: in memory as long as they fit there (work_mem times
 * hash_mem_multiplier), or else in files.  Of each partition in turn the rows are put in the order of their people (people_order.c),
 * and then handed up, or, person by person, weighed first (person.h), and handed up with their weights or added up.
 *
 * A partition that does not fit into memory is divided by the next bits of the prints.  One that has the rows of one person alone is
 * in order as it is: it is read where it is, twice where it is weighed, and what is known of the person's groups takes what it needs.
 *
 * The processes of a parallel plan read their parts of the rows into partitions that they share, in files whatever memory there is,
 * and then claim them one by one (shared_partitions.h).
 *
 * The order of rows, and how many partitions there are, change nothing of the weights.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/extensible.h"
#include "utils/memutils.h"

#include "compat.h"
#include "policy/people/people_scan.h"

/* A larger partition is divided: no cache would keep it. */
#define MOST_BYTES_LOADED ((Size) 16 * 1024 * 1024)

/* Rows that are handed up are scattered over a partition: so far ahead they are brought into the nearest cache. */
#define ROWS_AHEAD 6
#define KEYS_AHEAD 3

typedef GaussdpPeopleScan State;

static TupleTableSlot *hand_on(PlanState *node);

/* Nothing has been read. */
static void
start_anew(State *state)
{
	state->loaded = AllocSetContextCreate(state->memory, "loaded rows", ALLOCSET_DEFAULT_SIZES);
	state->order = AllocSetContextCreate(state->memory, "order of people", ALLOCSET_DEFAULT_SIZES);
	state->people = (GaussdpIndex){0};
	gaussdp_make_index(&state->people, state->memory, &state->layout, &state->unit);
	if (state->adds_people)
		state->people.beside = gaussdp_bytes_of_cell(&state->person);
	state->cursor = (GaussdpCursor){.memory = state->memory};
	state->held = 0;
	state->has_read = state->is_streamed = false;
	state->waiting = NIL;
	state->current = NULL;
	state->at_person = state->next = state->end = state->capacity = 0;
}

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	State *state = (State *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	PlanState *below = ExecInitNode(linitial(scan->custom_plans), estate, eflags);
	GaussdpGrouping grouping;

	css->custom_ps = list_make1(below);
	state->memory =
		AllocSetContextCreate(CurrentMemoryContext, "rows of people", ALLOCSET_DEFAULT_SIZES);
	if (gaussdp_is_grouping(scan))
	{
		if (IsParallelWorker())
			elog(ERROR, "a process of a parallel plan would group people by a part of their rows");
		grouping = gaussdp_grouping_of(scan);
		gaussdp_start_grouping(state, &grouping, ExecGetResultType(below));
	}
	else
		gaussdp_start_weighing(state, gaussdp_weighing_of(scan), ExecGetResultType(below));
	start_anew(state);
	/* Nothing is computed of the rows that are handed up, unless there is HAVING. */
	if (css->ss.ps.qual == NULL && css->ss.ps.ps_ProjInfo == NULL)
		css->ss.ps.ExecProcNode = hand_on;
}

/* ---------------------------------------------------------------------------
 * One after the other
 * ---------------------------------------------------------------------------
 */

/* The next rows of one person alone, as they are read, and their cells; false at the end. */
static bool
read_on(State *state)
{
	GaussdpCursor *cursor = &state->cursor;
	Size most;

	state->next = state->end = 0;
	if (!gaussdp_read_on(cursor))
		return state->is_streamed = false;
	most = (Size) (cursor->end - cursor->at) / state->layout.fixed;
	if (most > state->at_once)
	{
		gaussdp_free_order(state);
		state->at_once = (uint32) most;
		state->rows = MemoryContextAllocHuge(state->order, sizeof(char *) * most);
		state->cells = MemoryContextAllocHuge(state->order, sizeof(uint32) * most);
	}
	for (; cursor->at < cursor->end; state->end++)
	{
		state->rows[state->end] = cursor->at;
		if (state->is_weighing)
			state->cells[state->end] = gaussdp_cell_of_row(&state->person, cursor->at);
		cursor->at += gaussdp_kept_length(&state->layout, cursor->at);
	}
	if (state->is_distinct)
	{
		state->end = 1;
		state->is_streamed = false;
	}
	return true;
}

/* The current partition has the rows of one person alone. */
static void
start_streaming(State *state)
{
	GaussdpPerson *person = &state->person;
	GaussdpCursor *cursor = &state->cursor;

	gaussdp_free_order(state);
	state->at_once = 0;
	state->is_streamed = true;
	if (state->is_weighing)
	{
		const char *row = NULL;

		gaussdp_start_person(person);
		gaussdp_start_reading(cursor, state->current);
		while (gaussdp_read_on(cursor))
			while (cursor->at < cursor->end)
			{
				CHECK_FOR_INTERRUPTS();
				row = cursor->at;
				gaussdp_count_row(person, gaussdp_cell_of_row(person, row), row);
				cursor->at += gaussdp_kept_length(&state->layout, cursor->at);
			}
		gaussdp_weigh_person(person, row); /* the last one that was read is still there */
	}
	gaussdp_start_reading(cursor, state->current);
}

/* The rows of the current partition are in order. */
static void
start_people(State *state)
{
	if (state->adds_people)
		gaussdp_weigh_people(&state->person);
	else if (!state->is_weighing)
		state->end = state->nrows;
}

/* Goes on to the next partition; false at the end. */
static bool
next_partition(State *state)
{
	Size left = state->limit - Min(state->held, state->limit - state->limit / 4);

	for (;;)
	{
		GaussdpPartition *partition;
		Size loaded;

		gaussdp_leave_partition(state);
		state->current = partition = gaussdp_take_partition(state);
		if (partition == NULL)
			return false;
		loaded = partition->nfiles > 0 ? partition->bytes : 0;
		if (loaded <= Min(left / 2, MOST_BYTES_LOADED))
		{
			if (loaded > 0)
				gaussdp_load_partition(partition, state->loaded);
			if (gaussdp_order_rows(state, left - loaded))
				break;
		}
		gaussdp_free_index(&state->people);
		gaussdp_free_order(state);
		if (gaussdp_has_one_person(state))
		{
			start_streaming(state);
			return true;
		}
		if (partition->skip >= GAUSSDP_MOST_SKIPPED)
		{
			/* people with the same print, which of many thousands some have: they are told apart in what memory that takes */
			gaussdp_load_partition(partition, state->loaded);
			(void) gaussdp_order_rows(state, 0);
			break;
		}
		gaussdp_divide_people(state);
	}
	start_people(state);
	return true;
}

/* Goes on to the next person of the current partition, and weighs them; false at the end. */
static bool
next_person(State *state)
{
	GaussdpPerson *person = &state->person;

	if (!state->is_weighing || state->adds_people || state->is_streamed || state->current == NULL ||
		state->at_person == state->people.n)
		return false;
	state->next = state->at_person == 0 ? 0 : state->ends[state->at_person - 1];
	state->end = state->ends[state->at_person++];
	gaussdp_start_person(person);
	for (uint32 i = state->next; i < state->end; i++)
	{
		const char *row = state->rows[i];

		CHECK_FOR_INTERRUPTS();
		if (i + ROWS_AHEAD < state->nrows)
			__builtin_prefetch(state->rows[i + ROWS_AHEAD]);
		if (i + KEYS_AHEAD < state->nrows)
			gaussdp_prefetch_number(&person->keys, state->rows[i + KEYS_AHEAD]);
		state->cells[i] = gaussdp_cell_of_row(person, row);
		gaussdp_count_row(person, state->cells[i], row);
	}
	gaussdp_weigh_person(person, state->rows[state->next]);
	return true;
}

/* Goes on to rows that are in order, and weighed; false at the end. */
static pg_noinline bool
go_on(State *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->memory);

	if (!state->has_read)
		gaussdp_read_people(state);
	while (state->next == state->end)
		if (!(state->is_streamed && read_on(state)) && !next_person(state) &&
			!next_partition(state))
			break;
	MemoryContextSwitchTo(old);
	return state->next < state->end;
}

/* ---------------------------------------------------------------------------
 * People who are added up
 * ---------------------------------------------------------------------------
 */

/* Adds up the next person, or all people of the next partition where each is one cell; false where there are none. */
static bool
add_next(State *state)
{
	GaussdpPerson *person = &state->person;

	while (!next_person(state))
	{
		if (!next_partition(state))
			return false;
		if (state->is_streamed || state->adds_people)
			break;
	}
	gaussdp_add_cells(person, state->adds_people && !state->is_streamed);
	state->is_streamed = false;
	return true;
}

/* All people, or so many that their keys take what memory there is for them; false where there are none. */
static pg_noinline bool
add_up(State *state)
{
	MemoryContext old = MemoryContextSwitchTo(state->memory);
	bool has_added = false;

	if (!state->has_read)
		gaussdp_read_people(state);
	gaussdp_forget_keys(&state->person);
	while (add_next(state))
	{
		has_added = true;
		if (gaussdp_has_many_keys(&state->person))
			break;
	}
	MemoryContextSwitchTo(old);
	return has_added;
}

/* ---------------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------------
 */

static inline void
fill(TupleTableSlot *slot)
{
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_nvalid = (AttrNumber) slot->tts_tupleDescriptor->natts;
}

static TupleTableSlot *
next_total(State *state, TupleTableSlot *slot)
{
	const GaussdpRowLayout *layout = &state->layout;
	GaussdpTotals *totals = &state->person.totals;
	const GaussdpTotal *total;
	const char *row;

	while (!gaussdp_next_total(&state->person, &total, &row))
		if (!add_up(state))
			return ExecClearTuple(slot);
	for (int i = 0; i < slot->tts_tupleDescriptor->natts; i++)
	{
		const GaussdpOutput *output = &state->outputs[i];

		slot->tts_isnull[i] = output->kept >= 0 && gaussdp_kept_is_null(layout, row, output->kept);
		if (output->kept < 0)
		{
			char *packed = totals->packed + output->computed * GAUSSDP_PACKED_TOTAL;

			gaussdp_pack_total(&total[output->computed], packed);
			slot->tts_values[i] = PointerGetDatum(packed);
		}
		else
			slot->tts_values[i] =
				slot->tts_isnull[i] ? 0 : gaussdp_kept_value(layout, row, output->kept);
	}
	fill(slot);
	return slot;
}

/* A weight, or what is clipped as a whole of a cell, which its first row hands up. */
static inline void
hand_up_computed(State *state, TupleTableSlot *slot, int i, const char *row, uint32 cell,
				 bool is_first)
{
	const GaussdpOutput *output = &state->outputs[i];
	GaussdpPerson *person = &state->person;

	if (output->is_total)
	{
		slot->tts_isnull[i] = !is_first;
		slot->tts_values[i] =
			PointerGetDatum(person->totals.packed + output->computed * GAUSSDP_PACKED_TOTAL);
	}
	else
		slot->tts_values[i] =
			Int64GetDatum(gaussdp_weight_of(person, person->weights, cell, row, output->computed));
}

static void
hand_up(State *state, TupleTableSlot *slot, const char *row, uint32 cell)
{
	const GaussdpRowLayout *layout = &state->layout;
	GaussdpPerson *person = &state->person;
	int n = slot->tts_tupleDescriptor->natts;
	bool has_nulls = gaussdp_may_have_nulls(layout, row);
	bool is_first = person->totals.ncalls > 0 && gaussdp_take_clipped(person, cell);

	if (unlikely(has_nulls || state->had_nulls))
		for (int i = 0; i < n; i++)
			slot->tts_isnull[i] = state->outputs[i].kept >= 0 &&
								  gaussdp_kept_is_null(layout, row, state->outputs[i].kept);
	state->had_nulls = has_nulls;
	for (int i = 0; i < n; i++)
	{
		const GaussdpOutput *output = &state->outputs[i];

		if (output->kept < 0)
			hand_up_computed(state, slot, i, row, cell, is_first);
		else
			slot->tts_values[i] =
				slot->tts_isnull[i] ? 0 : gaussdp_kept_value(layout, row, output->kept);
	}
	fill(slot);
}

static TupleTableSlot *
next_row(ScanState *node)
{
	State *state = (State *) node;
	TupleTableSlot *slot = node->ss_ScanTupleSlot;

	/* Virtual slots own nothing, unless somebody above has had one made permanent. */
	if (unlikely(TTS_SHOULDFREE(slot)))
		ExecClearTuple(slot);
	if (state->person.totals.adds_up)
		return next_total(state, slot);
	for (;;)
	{
		uint32 at;
		uint32 cell;

		if (unlikely(state->next == state->end) && !go_on(state))
			return ExecClearTuple(slot);
		CHECK_FOR_INTERRUPTS();
		at = state->next++;
		if (at + ROWS_AHEAD < state->end)
			__builtin_prefetch(state->rows[at + ROWS_AHEAD]);
		cell = state->is_weighing ? state->cells[at] : 0;
		if (state->is_weighing && state->person.cells[cell].is_dropped)
			continue;
		hand_up(state, slot, state->rows[at], cell);
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
	elog(ERROR, "a row of a person is to be checked again");
}

static TupleTableSlot *
exec(CustomScanState *css)
{
	return ExecScan(&css->ss, next_row, recheck_row);
}

/* ---------------------------------------------------------------------------
 * Parallel plans
 * ---------------------------------------------------------------------------
 */

/* Both processes of a small table find work; rows of a large one go to no more places than stay near the processor. */
#define FEWEST_SHARED_BITS 4
#define MOST_SHARED_BITS 8

static Size
estimate_shared(CustomScanState *css, ParallelContext *context)
{
	State *state = (State *) css;
	const PlanState *below = linitial(css->custom_ps);
	int nprocesses = context->nworkers + 1;
	int bits = gaussdp_bits_for(gaussdp_rows_expected(below->plan) * nprocesses,
								state->rows_of_partition, state->limit);

	state->shared_bits = Min(Max(bits, FEWEST_SHARED_BITS), MOST_SHARED_BITS);
	return gaussdp_shared_partitions_size(state->shared_bits, nprocesses);
}

/* Where there is no memory to be shared, this process runs alone, and reads all rows. */
static void
init_shared(CustomScanState *css, ParallelContext *context, void *place)
{
	State *state = (State *) css;
	GaussdpAgreement agreement = {.bits = state->shared_bits, .unit_seed = state->unit.seed};

	if (context->seg == NULL)
		return;
	state->shared = place;
	gaussdp_init_shared_partitions(state->shared, context->seg, &agreement, context->nworkers + 1);
}

static void
init_worker(CustomScanState *css, shm_toc *toc, void *place)
{
	State *state = (State *) css;

	state->shared = place;
	gaussdp_attach_shared_partitions(state->shared);
	state->unit.seed = gaussdp_agreement_of(state->shared).unit_seed;
}

static void
restart_shared(CustomScanState *css, ParallelContext *context, void *place)
{
	elog(ERROR, "weighed rows are to be read twice");
}

/* Before the shared files go. */
static void
leave_shared(CustomScanState *css)
{
	State *state = (State *) css;

	gaussdp_drop_all_files(state);
	state->shared = NULL;
}

static void
end(CustomScanState *css)
{
	State *state = (State *) css;

	gaussdp_drop_all_files(state);
	ExecEndNode(linitial(css->custom_ps));
	MemoryContextDelete(state->memory);
}

/* As the inner side of a join may be. */
static void
rescan(CustomScanState *css)
{
	State *state = (State *) css;
	PlanState *below = linitial(css->custom_ps);

	if (state->is_weighing)
		elog(ERROR, "weighed rows are to be read twice");
	gaussdp_drop_all_files(state);
	MemoryContextReset(state->memory);
	start_anew(state);
	if (css->ss.ps.chgParam != NULL)
		UpdateChangedParamSet(below, css->ss.ps.chgParam);
	if (below->chgParam == NULL)
		ExecReScan(below);
}

static const CustomExecMethods exec_methods = {
	.CustomName = "PrivatePeople",
	.BeginCustomScan = begin,
	.ExecCustomScan = exec,
	.EndCustomScan = end,
	.ReScanCustomScan = rescan,
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = init_shared,
	.ReInitializeDSMCustomScan = restart_shared,
	.InitializeWorkerCustomScan = init_worker,
	.ShutdownCustomScan = leave_shared,
};

static bool
count_people(PlanState *node, void *people)
{
	State *state = (State *) node;

	if (IsA(node, CustomScanState) && state->css.methods == &exec_methods && state->is_weighing)
		state->person.people = people;
	return planstate_tree_walker(node, count_people, people);
}

void
gaussdp_count_people(PlanState *plan, int64 *people)
{
	(void) count_people(plan, people);
}

Node *
gaussdp_make_people_scan(CustomScan *scan)
{
	State *state = (State *) newNode(sizeof(State), T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}
