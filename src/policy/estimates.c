/*
 * estimates.c
 *		Plans of verified queries are made without the statistics of protected columns.
 *
 * A histogram or a list of frequent values comes from rows.  A plan that follows it shows something
 * of them by the order in which a query around a level returns its rows, and by its time.  Entries that
 * carry a mark (plan.h) are planned with defaults instead; the number of pages, which is public, stays.
 */
#include "postgres.h"

#include "nodes/pathnodes.h"
#include "optimizer/plancat.h"
#include "parser/parsetree.h"
#include "utils/selfuncs.h"

#include "policy/estimates.h"
#include "policy/plan.h"

/* What a page is taken to hold. */
#define ROWS_OF_A_PAGE 100.0

static get_relation_stats_hook_type prev_relation_stats;
static get_relation_info_hook_type prev_relation_info;

/* true says that there is an answer; the answer is that nothing is known. */
static bool
column_statistics(PlannerInfo *root, RangeTblEntry *entry, AttrNumber column,
				  VariableStatData *statistics)
{
	if (gaussdp_marked_level(entry) >= 0)
	{
		statistics->statsTuple = NULL;
		statistics->freefunc = NULL;
		return true;
	}
	return prev_relation_stats != NULL && prev_relation_stats(root, entry, column, statistics);
}

/*
 * Extended statistics, and those of indexed expressions, leave with what they belong to.  The number of rows
 * is one that ANALYZE has counted: the order of a join above a level would tell it.
 */
static void
relation_statistics(PlannerInfo *root, Oid relation, bool is_parent, RelOptInfo *rel)
{
	ListCell *lc;

	if (gaussdp_marked_level(planner_rt_fetch(rel->relid, root)) >= 0)
	{
		rel->statlist = NIL;
		rel->tuples = rel->pages * ROWS_OF_A_PAGE;
		foreach (lc, rel->indexlist)
		{
			IndexOptInfo *index = lfirst_node(IndexOptInfo, lc);

			if (index->indexprs != NIL || index->indpred != NIL)
				rel->indexlist = foreach_delete_current(rel->indexlist, lc);
			else
				index->tuples = rel->tuples;
		}
	}
	if (prev_relation_info != NULL)
		prev_relation_info(root, relation, is_parent, rel);
}

void
gaussdp_estimates_init(void)
{
	prev_relation_stats = get_relation_stats_hook;
	get_relation_stats_hook = column_statistics;
	prev_relation_info = get_relation_info_hook;
	get_relation_info_hook = relation_statistics;
}
