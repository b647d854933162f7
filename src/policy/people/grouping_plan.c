/*
 * grouping_plan.c
 *		Planning of the node that brings the rows of each person together (people.h).
 *
 * The planner knows nothing of how many people there are (estimates.c), and its costs know nothing of the processor's caches: it
 * would take the hash aggregate always.  So from some number of rows on, which follows from the number of pages and is public, the
 * hash aggregate is taken for as costly as it is where the people do not fit into these caches.  Rows that come in the order of
 * their people, by an index, are PostgreSQL's to group wherever that costs least.
 */
#include "postgres.h"

#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/pathnode.h"
#include "optimizer/prep.h"
#include "optimizer/tlist.h"
#include "utils/lsyscache.h"
#include "utils/selfuncs.h"

#include "policy/exec/exec.h"
#include "policy/people/people.h"

/* A row is taken in, looked up and handed on; or it is looked up where each look waits for memory. */
#define OPERATIONS_OF_A_ROW 8
#define OPERATIONS_OF_A_LOOK_UP 30

/*
 * Fewer rows are not worth the partitions.  Where rows have texts or the like, which are copied, so many are not whose people a hash
 * table finds in the processor's caches.
 */
#define FEWEST_LONG_ROWS 200000.0
#define FEWEST_ROWS 1000.0

static const CustomScanMethods scan_methods = {
	.CustomName = "PrivateGroups",
	.CreateCustomScanState = gaussdp_make_people_scan,
};

/* ---------------------------------------------------------------------------
 * What a plan keeps of it: lists of nodes
 * ---------------------------------------------------------------------------
 */

static List *
pack_grouping(const GaussdpGrouping *grouping)
{
	return list_make4(grouping->keys, grouping->operators, grouping->below,
					  list_make1_int(grouping->is_distinct));
}

GaussdpGrouping
gaussdp_grouping_of(const CustomScan *scan)
{
	return (GaussdpGrouping){.keys = linitial(scan->custom_private),
							 .operators = lsecond(scan->custom_private),
							 .below = lthird(scan->custom_private),
							 .is_distinct = linitial_int(lfourth(scan->custom_private)) != 0};
}

bool
gaussdp_is_grouping(const CustomScan *scan)
{
	return scan->methods == &scan_methods;
}

/* ---------------------------------------------------------------------------
 * Plan
 * ---------------------------------------------------------------------------
 */

static List *
places_in_order(const List *columns)
{
	List *places = NIL;

	for (int i = 1; i <= list_length(columns); i++)
		places = lappend_int(places, i);
	return places;
}

static Plan *
plan_path(PlannerInfo *root, RelOptInfo *rel, CustomPath *path, List *targets, List *clauses,
		  List *custom_plans)
{
	CustomScan *scan = makeNode(CustomScan);
	Plan *rows = linitial(custom_plans);
	GaussdpGrouping grouping = {.keys = linitial(path->custom_private),
								.operators = lsecond(path->custom_private),
								.is_distinct = !root->parse->hasAggs};
	List *columns = rows->targetlist;
	ListCell *lc;

	if (clauses != NIL)
		elog(ERROR, "rows would be filtered after they are grouped");
	scan->flags = path->flags;
	scan->methods = &scan_methods;
	scan->scan.scanrelid = 0;
	scan->scan.plan.targetlist = targets;
	scan->custom_plans = custom_plans;
	foreach (lc, columns)
		scan->custom_scan_tlist =
			lappend(scan->custom_scan_tlist, flatCopyTargetEntry(lfirst_node(TargetEntry, lc)));
	grouping.below = gaussdp_read_as_stored(root, rows, NULL);
	if (grouping.below == NIL)
		grouping.below = places_in_order(columns);
	scan->custom_private = pack_grouping(&grouping);
	return (Plan *) scan;
}

static const CustomPathMethods path_methods = {
	.CustomName = "PrivateGroups",
	.PlanCustomPath = plan_path,
};

/* ---------------------------------------------------------------------------
 * Path
 * ---------------------------------------------------------------------------
 */

/* Which column of the rows this key is; 0 where it is none, or values of its type are not told apart by the node. */
static int
column_of_key(const PlannerInfo *root, const PathTarget *columns, const SortGroupClause *key)
{
	const Node *value;

	for (int i = 0; i < list_length(columns->exprs) && columns->sortgrouprefs != NULL; i++)
	{
		if (columns->sortgrouprefs[i] != key->tleSortGroupRef)
			continue;
		value = list_nth(columns->exprs, i);
		return gaussdp_can_compare(exprType(value), exprCollation(value), key->eqop) ? i + 1 : 0;
	}
	return 0;
}

/* The keys as columns of the rows, and their operators; NIL where the node does not know them. */
static List *
keys_of(const PlannerInfo *root, const PathTarget *columns)
{
	List *keys = NIL;
	List *operators = NIL;
	ListCell *lc;

	foreach (lc, root->parse->groupClause)
	{
		const SortGroupClause *key = lfirst_node(SortGroupClause, lc);
		int column = column_of_key(root, columns, key);

		if (column == 0)
			return NIL;
		keys = lappend_int(keys, column);
		operators = lappend_oid(operators, key->eqop);
	}
	return keys == NIL ? NIL : list_make2(keys, operators);
}

/* Is the hash aggregate slower for so many rows? */
static bool
is_hashing_slower(const Path *rows)
{
	ListCell *lc;

	foreach (lc, rows->pathtarget->exprs)
		if (!get_typbyval(exprType(lfirst(lc))))
			return rows->rows >= FEWEST_LONG_ROWS;
	return true;
}

/* The node over all rows, in one process. */
static Path *
make_path(RelOptInfo *rel, Path *rows, List *keys)
{
	CustomPath *path = makeNode(CustomPath);

	path->path.pathtype = T_CustomScan;
	path->path.parent = rel;
	path->path.pathtarget = rows->pathtarget;
	path->path.rows = rows->rows;
	path->path.startup_cost = rows->total_cost;
	path->path.total_cost = rows->total_cost + rows->rows * OPERATIONS_OF_A_ROW * cpu_operator_cost;
	path->flags = CUSTOMPATH_SUPPORT_PROJECTION;
	path->methods = &path_methods;
	path->custom_paths = list_make1(rows);
	path->custom_private = keys;
	return (Path *) path;
}

/* PostgreSQL's aggregation over it. */
static Path *
aggregate(PlannerInfo *root, RelOptInfo *rel, Path *rows)
{
	Query *query = root->parse;
	AggClauseCosts costs;
	double ngroups;

	ngroups = estimate_num_groups(
		root, get_sortgrouplist_exprs(query->groupClause, root->processed_tlist), rows->rows, NULL,
		NULL);
	if (!query->hasAggs)
		return (Path *) create_group_path(root, rel, rows, query->groupClause,
										  (List *) query->havingQual, ngroups);
	MemSet(&costs, 0, sizeof(costs));
	get_agg_clause_costs(root, AGGSPLIT_SIMPLE, &costs);
	return (Path *) create_agg_path(root, rel, rows, rel->reltarget, AGG_SORTED, AGGSPLIT_SIMPLE,
									query->groupClause, (List *) query->havingQual, &costs,
									ngroups);
}

/* Is each row looked up in a hash table, by one process or by several? */
static bool
hashes_rows(const Path *path)
{
	for (;;)
		switch (nodeTag(path))
		{
			case T_AggPath:
				if (!DO_AGGSPLIT_COMBINE(((const AggPath *) path)->aggsplit))
					return ((const AggPath *) path)->aggstrategy == AGG_HASHED;
				path = ((const AggPath *) path)->subpath;
				break;
			case T_SortPath:
				path = ((const SortPath *) path)->subpath;
				break;
			case T_GatherPath:
				path = ((const GatherPath *) path)->subpath;
				break;
			case T_GatherMergePath:
				path = ((const GatherMergePath *) path)->subpath;
				break;
			default:
				return false;
		}
}

/* What several processes look up at once, they hand on to one that looks it up again: that is no faster. */
static void
raise_costs_of_hashing(RelOptInfo *rel, double rows)
{
	List *paths = rel->pathlist;
	ListCell *lc;

	rel->pathlist = NIL;
	foreach (lc, paths)
	{
		Path *path = lfirst(lc);

		if (hashes_rows(path))
		{
			path->startup_cost += rows * OPERATIONS_OF_A_LOOK_UP * cpu_operator_cost;
			path->total_cost += rows * OPERATIONS_OF_A_LOOK_UP * cpu_operator_cost;
		}
		add_path(rel, path);
	}
}

/*
 * From 16 on the planner marks aggregates with DISTINCT or ORDER BY as if their rows came sorted by it: they stay where they
 * are.
 */
void
gaussdp_add_grouped_path(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input,
						 RelOptInfo *output)
{
	Path *rows = input->cheapest_total_path;
	List *keys;

	if (stage != UPPERREL_GROUP_AGG || !gaussdp_is_planning_level() || root->parent_root == NULL ||
		IS_OTHER_REL(input) || root->parse->groupingSets != NIL || root->numOrderedAggs > 0 ||
		rows->rows < FEWEST_ROWS)
		return;
	keys = keys_of(root, rows->pathtarget);
	if (keys == NIL)
		return;
	if (is_hashing_slower(rows))
		raise_costs_of_hashing(output, rows->rows);
	add_path(output, aggregate(root, output, make_path(output, rows, keys)));
}

void
gaussdp_grouping_init(void)
{
	RegisterCustomScanMethods(&scan_methods);
}
