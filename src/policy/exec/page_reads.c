/*
 * page_reads.c
 *		Which pages a level reads depends on no row.
 *
 * Pages that a level reads drive others out of shared buffers, and EXPLAIN (ANALYZE, BUFFERS) of a role's own table counts these, however
 * large shared buffers are.  So a level reads each page of each of its tables (of partitions, those that constants leave), once in each
 * process that scans it, whatever the rows are:
 *
 *		- No index is read: each entry points to a page for a value of a row (estimates.c; the plan's proof knows no node that does).
 *		- A nested loop would read its inner side again for each outer row: it reads rows that are kept.
 *		- A join reads one side no further, or not at all, where the other one has no row (left).  What is left when the last row has
 *		  come is read then.
 *		- Processes of a parallel plan end by themselves, and what they left nobody reads: they run such nodes alone as leave nothing.
 *
 * Invariants
 *		Tables are heaps (proof/storage.c), and all that a plan reads: public relations are tuplestores by now (public_rows.c).
 *		What is stored beside the row (TOAST) is read by its index, when it is looked at (docs/threat-model.md).
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/tableam.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"

#include "policy/exec/room.h"

bool
gaussdp_reads_table(const Plan *plan)
{
	if (plan == NULL)
		return false;
	switch (nodeTag(plan))
	{
		case T_NamedTuplestoreScan:
		case T_ValuesScan:
			return false;
		case T_Hash:
		case T_Material:
		case T_Sort:
		case T_IncrementalSort:
		case T_Memoize:
		case T_Agg:
		case T_Unique:
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			return gaussdp_reads_table(plan->lefttree) || gaussdp_reads_table(plan->righttree);
		case T_Result:
			return gaussdp_reads_table(plan->lefttree);
		default:
			return true;
	}
}

List *
gaussdp_children_of(const Plan *plan)
{
	List *children = NIL;

	if (IsA(plan, Append))
		children = list_copy(((const Append *) plan)->appendplans);
	else if (IsA(plan, MergeAppend))
		children = list_copy(((const MergeAppend *) plan)->mergeplans);
	else if (IsA(plan, CustomScan))
		children = list_copy(((const CustomScan *) plan)->custom_plans);
	else if (IsA(plan, SubqueryScan))
		children = list_make1(((const SubqueryScan *) plan)->subplan);
	if (plan->lefttree != NULL)
		children = lappend(children, plan->lefttree);
	if (plan->righttree != NULL)
		children = lappend(children, plan->righttree);
	return children;
}

/* ---------------------------------------------------------------------------
 * Plans
 * ---------------------------------------------------------------------------
 */

/* A node that keeps all rows of this one; it stands in no process of a parallel plan, which count on a number of its own. */
static Plan *
keep_rows(Plan *plan)
{
	Material *material = makeNode(Material);
	Plan *result = &material->plan;
	ListCell *lc;

	result->startup_cost = plan->startup_cost;
	result->total_cost = plan->total_cost;
	result->plan_rows = plan->plan_rows;
	result->plan_width = plan->plan_width;
	result->plan_node_id = plan->plan_node_id;
	result->extParam = bms_copy(plan->extParam);
	result->allParam = bms_copy(plan->allParam);
	result->lefttree = plan;
	foreach (lc, plan->targetlist)
	{
		TargetEntry *column = flatCopyTargetEntry(lfirst_node(TargetEntry, lc));

		column->expr = (Expr *) makeVarFromTargetEntry(OUTER_VAR, column);
		result->targetlist = lappend(result->targetlist, column);
	}
	return result;
}

void
gaussdp_keep_inner_tables(Plan *plan)
{
	ListCell *lc;

	foreach (lc, gaussdp_children_of(plan))
		gaussdp_keep_inner_tables(lfirst(lc));
	if (IsA(plan, NestLoop) && gaussdp_reads_table(plan->righttree) &&
		!IsA(plan->righttree, Material))
		plan->righttree = keep_rows(plan->righttree);
}

bool
gaussdp_inner_is_kept(const NestLoop *join)
{
	const Plan *inner = join->join.plan.righttree;

	return join->nestParams == NIL && (!gaussdp_reads_table(inner) || IsA(inner, Material));
}

static bool
all_leave_nothing(List *plans)
{
	ListCell *lc;

	foreach (lc, plans)
		if (!gaussdp_leaves_nothing(lfirst(lc)))
			return false;
	return true;
}

bool
gaussdp_leaves_nothing(const Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_NestLoop:
		case T_HashJoin:
			return !gaussdp_reads_table(plan->righttree) && gaussdp_leaves_nothing(plan->lefttree);
		case T_SeqScan:
		case T_ValuesScan:
		case T_Result:
		case T_ProjectSet:
		case T_SubqueryScan:
		case T_Append:
		case T_MergeAppend:
		case T_Material:
		case T_Sort:
		case T_IncrementalSort:
		case T_WindowAgg:
		case T_Agg:
		case T_Group:
		case T_Unique:
		case T_CustomScan:
			return all_leave_nothing(gaussdp_children_of(plan));
		default:
			return false;
	}
}

static bool
processes_leave_nothing(const Plan *plan)
{
	ListCell *lc;

	if (IsA(plan, Gather) || IsA(plan, GatherMerge))
		return gaussdp_leaves_nothing(plan->lefttree);
	foreach (lc, gaussdp_children_of(plan))
		if (!processes_leave_nothing(lfirst(lc)))
			return false;
	return true;
}

bool
gaussdp_processes_leave_nothing(const PlannedStmt *plan)
{
	return !plan->parallelModeNeeded || processes_leave_nothing(plan->planTree);
}

/* ---------------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------------
 */

/* The scan begins where it is first asked for a row, and is "inited" from there to its end. */
static void
read_to_end(ScanState *scan)
{
	if (scan->ss_currentScanDesc == NULL)
		scan->ss_currentScanDesc =
			table_beginscan(scan->ss_currentRelation, scan->ps.state->es_snapshot, 0, NULL);
	else if (!((const HeapScanDescData *) scan->ss_currentScanDesc)->rs_inited)
		return;
	while (table_scan_getnextslot(scan->ss_currentScanDesc, ForwardScanDirection,
								  scan->ss_ScanTupleSlot))
		;
}

static bool
read_left(PlanState *node, void *context)
{
	if (IsA(node, GatherState) || IsA(node, GatherMergeState))
		return false;
	if (IsA(node, SeqScanState))
		read_to_end((ScanState *) node);
	return planstate_tree_walker(node, read_left, context);
}

void
gaussdp_read_left(PlanState *plan)
{
	(void) read_left(plan, NULL);
}
