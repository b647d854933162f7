/*
 * people_reading.c
 *		The rows below the node of people_scan.c as they go to partitions, and these as they are taken from there.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/executor.h"
#include "utils/memutils.h"

#include "compat.h"
#include "ledger/ledger.h"
#include "policy/people/people_scan.h"

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

static void
wait_for_partitions(GaussdpPeopleScan *state, GaussdpPartitions *partitions, bool to_files)
{
	gaussdp_close_partitions(partitions, to_files);
	for (int i = 0; i < 1 << partitions->bits; i++)
		if (partitions->parts[i].bytes > 0)
			state->waiting = lappend(state->waiting, &partitions->parts[i]);
}

static pg_attribute_always_inline void
take_row(GaussdpPeopleScan *state, GaussdpPartitions *partitions, const TupleTableSlot *slot,
		 const char *stored)
{
	const GaussdpRowLayout *layout = &state->layout;
	uint32 length = layout->is_fixed ? layout->fixed : gaussdp_length_of(layout, slot);
	uint64 print = gaussdp_print_of_coming(&state->unit, layout, slot, stored);
	char *row = gaussdp_add_row(partitions, gaussdp_spread(print ^ state->unit.seed), length);

	gaussdp_keep_row(layout, slot, stored, print, length, row);
}

/* What is below keeps rows in the memory that is current, until after this node has gone: that must be the query's. */
static void
read_all_rows(GaussdpPeopleScan *state, GaussdpPartitions *partitions)
{
	PlanState *below = linitial(state->css.custom_ps);
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
}

/* A quarter of the memory stays free for people. */
void
gaussdp_read_people(GaussdpPeopleScan *state)
{
	const PlanState *below = linitial(state->css.custom_ps);
	int bits = state->shared != NULL ? gaussdp_agreement_of(state->shared).bits
									 : gaussdp_bits_for(gaussdp_rows_expected(below->plan),
														state->rows_of_partition, state->limit);
	GaussdpPartitions *partitions =
		gaussdp_make_partitions(bits, 0, state->limit - state->limit / 4);

	if (state->shared == NULL && IsParallelWorker())
		elog(ERROR, "a process of a parallel plan would weigh people by a part of their rows");
	if (state->shared == NULL)
	{
		read_all_rows(state, partitions);
		wait_for_partitions(state, partitions, false);
	}
	else if (gaussdp_begin_filling(state->shared, partitions))
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
	gaussdp_show_phase(GAUSSDP_PHASE_PEOPLE);
}

void
gaussdp_divide_people(GaussdpPeopleScan *state)
{
	wait_for_partitions(state,
						gaussdp_divide_partition(&state->cursor, state->current, &state->layout,
												 &state->unit, state->rows_of_partition,
												 state->limit),
						true);
}

void
gaussdp_leave_partition(GaussdpPeopleScan *state)
{
	if (state->current != NULL)
		gaussdp_drop_files(state->current);
	state->current = NULL;
	MemoryContextReset(state->loaded);
	state->at_person = state->next = state->end = 0;
	state->is_streamed = false;
}

void
gaussdp_drop_all_files(GaussdpPeopleScan *state)
{
	ListCell *lc;

	gaussdp_leave_partition(state);
	foreach (lc, state->waiting)
		gaussdp_drop_files(lfirst(lc));
	state->waiting = NIL;
	for (int i = 0; state->shared_files != NULL && i < gaussdp_most_processes(state->shared); i++)
		if (state->shared_files[i].file != 0)
			gaussdp_leave_file(&state->shared_files[i]);
	state->shared_files = NULL;
}

GaussdpPartition *
gaussdp_take_partition(GaussdpPeopleScan *state)
{
	GaussdpPartition *partition;

	if (state->waiting == NIL)
		return state->shared == NULL ? NULL
									 : gaussdp_claim_partition(state->shared, state->shared_files);
	partition = llast(state->waiting);
	state->waiting = list_delete_last(state->waiting);
	return partition;
}
