/*
 * estimates.c
 *		A level is planned without the statistics of its rows.
 *
 * A histogram or a list of frequent values comes from rows.  A plan that follows it shows something of them by
 * its time.  All relations of a level that are planned are protected ones, since the public ones are
 * tuplestores by then; they are planned with defaults, and the number of pages, which is public, stays.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/cost.h"
#include "optimizer/optimizer.h"

#include "aggregate/pack.h"
#include "compat.h"
#include "policy/exec/estimates.h"
#include "policy/exec/plan_alone.h"
#include "policy/exec/room.h"

/* Is a level being planned at this moment? */
static bool is_planning = false;

/* Of GaussdpUniqueColumn: what is known of the public rows of this level. */
static const List *unique_columns = NIL;

/* The plan of a copy: the planner writes into its query, and the plan is proven by what the query was. */
static PlannedStmt *
plan_copy(const Query *level, const GaussdpWeighing *weighing, const char *source, int options)
{
	Query *planned = copyObject(unconstify(Query *, level));
	PlannedStmt *plan;

	(void) gaussdp_plan_partitions((GaussdpPlannedLevel){planned, weighing});
	plan = gaussdp_plan_alone(planned, source, options);
	gaussdp_keep_inner_tables(plan->planTree);
	return plan;
}

PlannedStmt *
gaussdp_plan_level(Query *level, const List *unique, const GaussdpWeighing *weighing,
				   const char *source, bool may_be_parallel)
{
	PlannedStmt *volatile plan = NULL;
	bool was_planning = is_planning;
	const List *were_unique = unique_columns;
	int was_debugging = gaussdp_debug_parallel;
	bool was_partitionwise = enable_partitionwise_aggregate;
	GaussdpPlannedLevel before = gaussdp_plan_partitions((GaussdpPlannedLevel){NULL, NULL});

	gaussdp_pack_calls(level);
	is_planning = true;
	unique_columns = unique;
	/* Either would put a node over the aggregation of groups, which hands up exact numbers (exact_level.c). */
	gaussdp_debug_parallel = GAUSSDP_DEBUG_PARALLEL_OFF;
	enable_partitionwise_aggregate = false;
	PG_TRY();
	{
		plan = plan_copy(level, weighing, source, may_be_parallel ? CURSOR_OPT_PARALLEL_OK : 0);
		if (!gaussdp_starts_processes_once(plan) || !gaussdp_processes_leave_nothing(plan))
			plan = plan_copy(level, weighing, source, 0);
	}
	PG_FINALLY();
	{
		(void) gaussdp_plan_partitions(before);
		is_planning = was_planning;
		unique_columns = were_unique;
		gaussdp_debug_parallel = was_debugging;
		enable_partitionwise_aggregate = was_partitionwise;
	}
	PG_END_TRY();
	return plan;
}

bool
gaussdp_hide_statistics(bool hide)
{
	bool before = is_planning;

	is_planning = hide;
	return before;
}

static bool
is_unique(const RangeTblEntry *entry, AttrNumber column)
{
	ListCell *lc;

	if (entry->rtekind != RTE_NAMEDTUPLESTORE)
		return false;
	foreach (lc, unique_columns)
	{
		const GaussdpUniqueColumn *known = lfirst(lc);

		if (known->column == column && strcmp(known->rows, entry->enrname) == 0)
			return true;
	}
	return false;
}

bool
gaussdp_is_planning_level(void)
{
	return is_planning;
}

bool
gaussdp_hide_column_statistics(const RangeTblEntry *entry, AttrNumber column,
							   VariableStatData *statistics)
{
	if (!is_planning)
		return false;
	statistics->statsTuple = NULL;
	statistics->freefunc = NULL;
	statistics->isunique = is_unique(entry, column);
	return true;
}

/* Such an index compares by functions that no condition of the query names. */
static bool
has_foreign_comparison(const IndexOptInfo *index)
{
	for (int i = 0; i < index->nkeycolumns; i++)
		if (index->opfamily[i] >= FirstNormalObjectId)
			return true;
	return false;
}

/*
 * Extended statistics, and those of indexed expressions, leave with what they belong to.  An index is not read: which pages it leads to
 * would depend on rows (page_reads.c).  One whose operator class is PostgreSQL's own still proves that rows are unique.
 */
void
gaussdp_hide_relation_statistics(RelOptInfo *rel)
{
	ListCell *lc;

	if (!is_planning)
		return;
	rel->statlist = NIL;
	rel->tuples = rel->pages * GAUSSDP_ROWS_OF_A_PAGE;
	foreach (lc, rel->indexlist)
	{
		IndexOptInfo *index = lfirst_node(IndexOptInfo, lc);

		if (!index->unique || index->indexprs != NIL || index->indpred != NIL ||
			has_foreign_comparison(index))
			rel->indexlist = foreach_delete_current(rel->indexlist, lc);
		else
			index->amhasgettuple = index->amhasgetbitmap = index->amcanparallel = false;
	}
}

/* A hash join looks at its outer column's most frequent values when it is executed. */
bool
gaussdp_hide_frequent_values(PlanState *node, void *context)
{
	if (IsA(node->plan, Hash))
		((Hash *) node->plan)->skewTable = InvalidOid;
	return planstate_tree_walker(node, gaussdp_hide_frequent_values, context);
}
