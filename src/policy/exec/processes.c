/*
 * processes.c
 *		The processes of a parallel plan start once, whatever the rows are, and look up nothing late.
 *
 * A Gather starts its processes when it is asked for its first row, and again at each rescan.  Under the inner side of a join that is when
 * there is an outer row, or at each of them: and processes that start are counted by the server, and seen by everybody.  So a
 * Gather stands where every node above it asks for a first row without having read one.
 *
 * A process has locks and caches of its own.  What it would lock and look up at some row (tables of long values, types, collations)
 * it locks and looks up before it reads the first one; and its files go where those of levels do.  It knows by the
 * last entry of the plan's range table that it takes part in a level: no query has an entry like that.
 *
 * None reads a row before all are ready, the leader included: what one of them lacks until then (another role's locks may fill the lock
 * table) tells of no row, and the level runs again without processes (reading.c).
 */
#include "postgres.h"

#include "access/parallel.h"
#include "executor/execParallel.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/guc.h"

#include "ledger/ledger.h"
#include "policy/exec/caches.h"
#include "policy/exec/processes.h"
#include "policy/exec/room.h"
#include "policy/exec/side_channels.h"
#include "policy/exec/temp_files.h"

#define MARK "*private level*"

/* Its only or outer child, where the node always asks that for a first row, before all others; else NULL. */
static const Plan *
child_asked_first(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_Agg:
		case T_Group:
		case T_Unique:
		case T_Sort:
		case T_IncrementalSort:
		case T_WindowAgg:
		case T_Material:
		case T_Result:
		case T_NestLoop:
		case T_MergeJoin:
			return plan->lefttree;
		case T_HashJoin:
			/* An empty inner side spares the outer one. */
			return gaussdp_reads_table(plan->righttree) ? NULL : plan->lefttree;
		case T_SubqueryScan:
			return ((const SubqueryScan *) plan)->subplan;
		case T_CustomScan: /* weighs or groups all rows below it */
			return list_length(((const CustomScan *) plan)->custom_plans) == 1
					   ? linitial(((const CustomScan *) plan)->custom_plans)
					   : NULL;
		default:
			return NULL;
	}
}

const Plan *
gaussdp_gather_asked_first(const Plan *plan)
{
	while (plan != NULL && !IsA(plan, Gather) && !IsA(plan, GatherMerge))
		plan = child_asked_first(plan);
	return plan;
}

static bool
has_other_gather(const Plan *plan, const Plan *first)
{
	ListCell *lc;

	if (IsA(plan, Gather) || IsA(plan, GatherMerge))
		return plan != first;
	foreach (lc, gaussdp_children_of(plan))
		if (has_other_gather(lfirst(lc), first))
			return true;
	return false;
}

bool
gaussdp_starts_processes_once(const PlannedStmt *plan)
{
	return !plan->parallelModeNeeded ||
		   !has_other_gather(plan->planTree, gaussdp_gather_asked_first(plan->planTree));
}

void
gaussdp_mark_plan(PlannedStmt *plan)
{
	RangeTblEntry *mark = makeNode(RangeTblEntry);

	mark->rtekind = RTE_RESULT;
	mark->eref = makeAlias(MARK, NIL);
	plan->rtable = lappend(plan->rtable, mark);
}

static bool
takes_part(const QueryDesc *query)
{
	const RangeTblEntry *last;

	if (!IsParallelWorker() || query->plannedstmt->rtable == NIL)
		return false;
	last = llast_node(RangeTblEntry, query->plannedstmt->rtable);
	return last->rtekind == RTE_RESULT && strcmp(last->eref->aliasname, MARK) == 0;
}

void
gaussdp_begin_process(const QueryDesc *query)
{
	if (!takes_part(query))
		return;
	gaussdp_choose_temp_tablespaces();
	gaussdp_enter_temp_tablespaces();
	gaussdp_lock_all(query->plannedstmt);
}

void
gaussdp_prepare_process(const QueryDesc *query)
{
	if (!takes_part(query))
		return;
	gaussdp_fill_caches(query);
	gaussdp_tell_nobody(); /* to its end */
	gaussdp_await_leader();
}

/* The leader's part of the plan, which is asked for its first row when the processes have been started, and who waits there. */
static struct
{
	PlanState *gather;
	ExecProcNodeMtd read;
	bool *is_starting;
	bool reads; /* does the leader read rows, where there are processes? */
} start;

static TupleTableSlot *
begin_part(PlanState *part)
{
	const ParallelExecutorInfo *processes = IsA(start.gather, GatherState)
												? ((GatherState *) start.gather)->pei
												: ((GatherMergeState *) start.gather)->pei;
	int n = processes == NULL ? 0 : processes->pcxt->nworkers_launched;

	part->ExecProcNode = start.read;
	if (n > 0)
	{
		WaitForParallelWorkersToAttach(processes->pcxt);
		gaussdp_await_processes(n);
	}
	*start.is_starting = false;
	return n > 0 && !start.reads ? NULL : part->ExecProcNode(part);
}

static bool
find_gather(PlanState *node, void *found)
{
	if (IsA(node, GatherState) || IsA(node, GatherMergeState))
	{
		*(PlanState **) found = node;
		return true;
	}
	return planstate_tree_walker(node, find_gather, found);
}

void
gaussdp_start_together(const QueryDesc *query, bool *is_starting)
{
	PlanState *gather = NULL;

	if (!query->plannedstmt->parallelModeNeeded || !find_gather(query->planstate, &gather) ||
		!gaussdp_hold_processes())
		return;
	start.gather = gather;
	start.read = outerPlanState(gather)->ExecProcNode;
	start.is_starting = is_starting;
	start.reads = parallel_leader_participation;
	outerPlanState(gather)->ExecProcNode = begin_part;
	*is_starting = true;
	/* Else nothing would ask the leader's part for a row. */
	if (!parallel_leader_participation)
		(void) set_config_option("parallel_leader_participation", "on", PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
}
