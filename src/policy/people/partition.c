/*
 * partition.c
 *		The plan node that weighs the rows of people, partition by partition (partition.h).
 *
 * The first row that is asked for reads all rows below.  They stay in memory as long as they fit there (work_mem times
 * hash_mem_multiplier); then all partitions go to files.  Of each partition in turn all rows are read to be counted, by
 * people, and once more to be handed up.  Where the tables of its people do not fit into memory, it is divided by the next
 * bits of the prints, and where it cannot be divided, being of one person in many groups, or of people with one print, they take
 * what they need.
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

#include "compat.h"
#include "ledger/ledger.h"
#include "policy/people/partition_state.h"

/*
 * Rows of a partition: as many as are looked up in the processor's second cache.  Those of people alone are small, and few are what
 * is known of each person, so that fewer partitions, to which rows go faster, take less than they save.
 */
#define ROWS_OF_PARTITION 8192
#define SMALL_ROWS_OF_PARTITION (10 * ROWS_OF_PARTITION)

/* In the order of people: so many rows are a partition. */
#define ROWS_AT_A_TIME 8192

/* A larger partition stays in its file, and is read where it is needed: no cache would keep it. */
#define MOST_BYTES_LOADED ((Size) 16 * 1024 * 1024)

typedef GaussdpPartitionState PartitionState;
typedef GaussdpOutput Output;

static TupleTableSlot *hand_on(PlanState *node);

static void
begin(CustomScanState *css, EState *estate, int eflags)
{
	PartitionState *state = (PartitionState *) css;
	CustomScan *scan = (CustomScan *) css->ss.ps.plan;
	PlanState *below = ExecInitNode(linitial(scan->custom_plans), estate, eflags);

	css->custom_ps = list_make1(below);
	gaussdp_start_partition_state(state, gaussdp_weighing_of(scan), ExecGetResultType(below));
	/* Nothing is computed of the rows that are handed up, unless there is HAVING. */
	if (css->ss.ps.qual == NULL && css->ss.ps.ps_ProjInfo == NULL)
		css->ss.ps.ExecProcNode = hand_on;
}

/* ---------------------------------------------------------------------------
 * Partitions
 * ---------------------------------------------------------------------------
 */

double
gaussdp_rows_expected(const Plan *plan)
{
	double rows;

	if (plan == NULL)
		return 0;
	rows = Max(gaussdp_rows_expected(outerPlan(plan)), gaussdp_rows_expected(innerPlan(plan)));
	if (IsA(plan, SubqueryScan))
		rows = Max(rows, gaussdp_rows_expected(((const SubqueryScan *) plan)->subplan));
	return Max(rows, plan->plan_rows);
}

static double
rows_of_partition(const PartitionState *state)
{
	return state->layout.is_fixed && state->keys.n == 0 ? SMALL_ROWS_OF_PARTITION
														: ROWS_OF_PARTITION;
}

/* As powers of two. */
static int
bits_for(const PartitionState *state, double rows)
{
	return gaussdp_bits_for(rows, rows_of_partition(state), state->limit);
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
		 const char *stored, uint64 print)
{
	const GaussdpRowLayout *layout = &state->layout;
	uint32 length = layout->is_fixed ? layout->fixed : gaussdp_length_of(layout, slot);
	char *row = gaussdp_add_row(partitions, gaussdp_spread(print ^ state->unit.seed), length);

	gaussdp_keep_row(layout, slot, stored, print, length, row);
	if (layout->has_numbers)
	{
		uint32 number = gaussdp_number_of_keys(&state->people, row);

		memcpy(row + layout->number_at, &number, sizeof(uint32));
	}
}

/* What is below keeps rows in the memory that is current, until after this node has gone: that must be the query's. */
static void
read_all_rows(PartitionState *state, GaussdpPartitions *partitions)
{
	PlanState *below = linitial(state->css.custom_ps);
	GaussdpRowLayout *layout = &state->layout;
	MemoryContext old = MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
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
			take_row(state, partitions, slot, stored,
					 gaussdp_print_of_coming(&state->unit, layout, slot, stored));
			continue;
		}
		slot_getsomeattrs(slot, layout->last);
		take_row(state, partitions, slot, NULL,
				 gaussdp_print_of_coming(&state->unit, layout, slot, NULL));
	}
	MemoryContextSwitchTo(old);
}

/* The next people, where rows come in their order: some thousand rows, and all others of the last of these people. */
static void
read_next_people(PartitionState *state)
{
	PlanState *below = linitial(state->css.custom_ps);
	GaussdpRowLayout *layout = &state->layout;
	GaussdpPartitions *partitions;
	MemoryContext old;
	TupleTableSlot *slot;
	uint64 n = 0;

	MemoryContextReset(state->batch);
	old = MemoryContextSwitchTo(state->batch);
	partitions = gaussdp_make_partitions(0, 0, state->limit - state->limit / 4);
	MemoryContextSwitchTo(state->css.ss.ps.state->es_query_cxt);
	slot = state->pending != NULL ? state->pending : ExecProcNode(below);
	if (state->pending == NULL && !TupIsNull(slot))
		gaussdp_lay_out_stored(layout, slot->tts_tupleDescriptor);
	for (; !TupIsNull(slot); slot = ExecProcNode(below), n++)
	{
		const char *stored = gaussdp_stored_row(layout, slot);
		uint64 print;

		if (stored == NULL)
			slot_getsomeattrs(slot, layout->last);
		print = gaussdp_print_of_coming(&state->unit, layout, slot, stored);
		if (gaussdp_is_next_person(&state->order, slot, stored, print) && n >= ROWS_AT_A_TIME)
			break;
		take_row(state, partitions, slot, stored, print);
	}
	MemoryContextSwitchTo(old);
	state->pending = slot;
	state->has_read = TupIsNull(slot);
	take_partitions(state, partitions, false);
	state->held = partitions->used;
	gaussdp_settle_keys(&state->people);
}

/* Do rows go to partitions of several processes?  False where others have read them all already. */
static bool
share_with_others(PartitionState *state, GaussdpPartitions *partitions)
{
	dsa_area *area = state->css.ss.ps.state->es_query_dsa;

	if (area == NULL)
		elog(ERROR, "a parallel plan has no memory to share");
	state->people.area = area;
	state->people.shared_keys = gaussdp_shared_keys(state->shared);
	return gaussdp_begin_filling(state->shared, partitions);
}

/* A quarter of the memory stays free for people. */
static void
read_rows(PartitionState *state)
{
	const PlanState *below = linitial(state->css.custom_ps);
	int bits = state->shared != NULL ? gaussdp_agreement_of(state->shared).bits
									 : bits_for(state, gaussdp_rows_expected(below->plan));
	GaussdpPartitions *partitions =
		gaussdp_make_partitions(bits, 0, state->limit - state->limit / 4);

	if (state->shared == NULL && IsParallelWorker())
		elog(ERROR, "a process of a parallel plan would weigh people by a part of their rows");
	if (state->shared == NULL)
	{
		read_all_rows(state, partitions);
		take_partitions(state, partitions, false);
	}
	else if (share_with_others(state, partitions))
	{
		read_all_rows(state, partitions);
		gaussdp_close_partitions(partitions, false);
		gaussdp_end_filling(state->shared, partitions);
	}
	if (state->shared != NULL)
		state->shared_files =
			palloc0(sizeof(GaussdpRowFile) * (Size) gaussdp_most_processes(state->shared));
	state->held = partitions->used;
	state->has_read = true;
	gaussdp_settle_keys(&state->people);
	gaussdp_show_phase(GAUSSDP_PHASE_PEOPLE);
}

/* Puts the rows of the current partition into smaller ones, of this process alone. */
static void
divide(PartitionState *state)
{
	take_partitions(state,
					gaussdp_divide_partition(&state->cursor, state->current, &state->layout,
											 &state->unit, rows_of_partition(state), state->limit),
					true);
}

/* ---------------------------------------------------------------------------
 * One after the other
 * ---------------------------------------------------------------------------
 */

/* What may be taken, in bytes: by a partition that is loaded, or else by what is known of its people. */
static Size
memory_left(const PartitionState *state)
{
	return state->limit - Min(state->held, state->limit - state->limit / 4);
}

static void
drop_all_files(PartitionState *state)
{
	ListCell *lc;

	if (state->current != NULL)
		gaussdp_drop_files(state->current);
	foreach (lc, state->waiting)
		gaussdp_drop_files(lfirst(lc));
	state->current = NULL;
	state->waiting = NIL;
	for (int i = 0; state->shared_files != NULL && i < gaussdp_most_processes(state->shared); i++)
		if (state->shared_files[i].file != 0)
			gaussdp_leave_file(&state->shared_files[i]);
	state->shared_files = NULL;
}

static void
leave_partition(PartitionState *state)
{
	if (state->current != NULL)
		gaussdp_drop_files(state->current);
	state->current = NULL;
	MemoryContextReset(state->loaded);
	if (state->people.limit == 0)
		gaussdp_free_people(&state->people);
}

/* One that has been divided, or else one that nobody has claimed yet; NULL at the end. */
static GaussdpPartition *
take_partition(PartitionState *state)
{
	GaussdpPartition *partition;

	if (state->waiting == NIL && state->is_sorted && !state->has_read)
		read_next_people(state);
	if (state->waiting == NIL)
		return state->shared == NULL ? NULL
									 : gaussdp_claim_partition(state->shared, state->shared_files);
	partition = llast(state->waiting);
	state->waiting = list_delete_last(state->waiting);
	return partition;
}

/* Goes on to the next partition whose rows have been counted; false at the end. */
static bool
next_partition(PartitionState *state)
{
	GaussdpPartition *partition;

	leave_partition(state);
	while ((partition = take_partition(state)) != NULL)
	{
		Size left = memory_left(state) - gaussdp_bytes_of_seats(state);

		state->current = partition;
		if (partition->nfiles > 0 && partition->bytes <= Min(left / 2, MOST_BYTES_LOADED))
		{
			gaussdp_load_partition(partition, state->loaded);
			left -= partition->bytes;
		}
		if (gaussdp_count_rows(state, left))
			return true;
		if (state->people.persons.n <= 1 || partition->skip >= GAUSSDP_MOST_SKIPPED)
			return gaussdp_count_rows(state, 0);
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
				Int64GetDatum(gaussdp_weight_of(&state->people, seat, row, output->computed));
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

	if (!state->has_read && !state->is_sorted)
		read_rows(state);
	if (state->totals.ncalls > 0)
		has_rows = next_partition(state);
	else
		while (has_rows && (state->current == NULL || !gaussdp_read_on(&state->cursor)))
			has_rows = next_partition(state);
	MemoryContextSwitchTo(old);
	return has_rows;
}

/* Where rows are added up. */
static TupleTableSlot *
next_total(PartitionState *state, TupleTableSlot *slot)
{
	while (!gaussdp_hand_up_total(state, slot))
		if ((state->current == NULL || !gaussdp_add_up(state)) && !go_on(state))
			return ExecClearTuple(slot);
	return slot;
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
	if (state->totals.ncalls > 0)
		return next_total(state, slot);
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
	PartitionState *state = (PartitionState *) css;
	const PlanState *below = linitial(css->custom_ps);
	int nprocesses = context->nworkers + 1;
	int bits = bits_for(state, gaussdp_rows_expected(below->plan) * nprocesses);

	state->shared_bits = Min(Max(bits, FEWEST_SHARED_BITS), MOST_SHARED_BITS);
	return gaussdp_shared_partitions_size(state->shared_bits, nprocesses);
}

/* Where there is no memory to be shared, this process runs alone, and reads all rows. */
static void
init_shared(CustomScanState *css, ParallelContext *context, void *place)
{
	PartitionState *state = (PartitionState *) css;
	GaussdpAgreement agreement = {.bits = state->shared_bits, .unit_seed = state->unit.seed};

	if (context->seg == NULL)
		return;
	state->shared = place;
	gaussdp_init_shared_partitions(state->shared, context->seg, &agreement, context->nworkers + 1);
}

static void
init_worker(CustomScanState *css, shm_toc *toc, void *place)
{
	PartitionState *state = (PartitionState *) css;

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
	PartitionState *state = (PartitionState *) css;

	drop_all_files(state);
	state->shared = NULL;
}

static void
end(CustomScanState *css)
{
	PartitionState *state = (PartitionState *) css;

	drop_all_files(state);
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
	.EstimateDSMCustomScan = estimate_shared,
	.InitializeDSMCustomScan = init_shared,
	.ReInitializeDSMCustomScan = restart_shared,
	.InitializeWorkerCustomScan = init_worker,
	.ShutdownCustomScan = leave_shared,
};

Node *
gaussdp_make_partition_state(CustomScan *scan)
{
	PartitionState *state = (PartitionState *) newNode(sizeof(PartitionState), T_CustomScanState);

	state->css.methods = &exec_methods;
	return (Node *) state;
}
