/*
 * plancheck.c
 *		Is the finished plan what was verified?
 *
 * The verifier speaks of the query; what draws noise is the plan.  Here each level must be found at
 * most once, as one final Agg node that stands where nothing can execute it a second time: at the top
 * of the plan, or at the top of a CTE that depends on no parameter which changes while the plan runs.
 * A node that is not known refuses the plan.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"

#include "policy/plan.h"

#define UNKNOWN_NODE "the plan has a node of a kind that is not known to be private"

typedef struct Check
{
	PlannedStmt *plan;
	int nlevels;
	List *levels;
	int *draws;          /* by level: Agg nodes found above its scans */
	Bitmapset *constant; /* parameters that are set at most once in an execution */
	Bitmapset *public;   /* CTEs that are joined to protected rows */
	const char *problem;
} Check;

static bool
fail(Check *check, const char *problem)
{
	if (check->problem == NULL)
		check->problem = problem;
	return false;
}

/* The plan's inputs; false for a node that is not known. */
static bool
children_of(Plan *plan, List **children)
{
	*children = NIL;
	switch (nodeTag(plan))
	{
		case T_Append:
			*children = list_copy(((Append *) plan)->appendplans);
			return true;
		case T_MergeAppend:
			*children = list_copy(((MergeAppend *) plan)->mergeplans);
			return true;
		case T_BitmapAnd:
			*children = list_copy(((BitmapAnd *) plan)->bitmapplans);
			return true;
		case T_BitmapOr:
			*children = list_copy(((BitmapOr *) plan)->bitmapplans);
			return true;
		case T_SubqueryScan:
			*children = list_make1(((SubqueryScan *) plan)->subplan);
			return true;
		case T_Result:
		case T_ProjectSet:
		case T_ModifyTable:
		case T_RecursiveUnion:
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapIndexScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
		case T_FunctionScan:
		case T_ValuesScan:
		case T_TableFuncScan:
		case T_CteScan:
		case T_NamedTuplestoreScan:
		case T_WorkTableScan:
		case T_ForeignScan:
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
		case T_Material:
		case T_Memoize:
		case T_Sort:
		case T_IncrementalSort:
		case T_Group:
		case T_Agg:
		case T_WindowAgg:
		case T_Unique:
		case T_Gather:
		case T_GatherMerge:
		case T_Hash:
		case T_SetOp:
		case T_LockRows:
		case T_Limit:
			if (plan->lefttree != NULL)
				*children = lappend(*children, plan->lefttree);
			if (plan->righttree != NULL)
				*children = lappend(*children, plan->righttree);
			return true;
		default:
			return false;
	}
}

/* The relation that a scan node reads, or 0. */
static Index
scanned_relation(Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_SampleScan:
		case T_IndexScan:
		case T_IndexOnlyScan:
		case T_BitmapIndexScan:
		case T_BitmapHeapScan:
		case T_TidScan:
		case T_TidRangeScan:
		case T_ForeignScan:
			return ((Scan *) plan)->scanrelid;
		default:
			return 0;
	}
}

/* Adds to *levels the levels whose rows come up through this plan. */
static bool
levels_below(Check *check, Plan *plan, Bitmapset **levels)
{
	List *children;
	ListCell *lc;
	Index rti = scanned_relation(plan);

	if (rti > 0)
	{
		int level = gaussdp_marked_level(list_nth(check->plan->rtable, rti - 1));

		if (level >= check->nlevels)
			return fail(check, "the plan carries a mark that is not of this query");
		if (level >= 0)
			*levels = bms_add_member(*levels, level);
	}
	if (!children_of(plan, &children))
		return fail(check, UNKNOWN_NODE);
	foreach (lc, children)
		if (!levels_below(check, lfirst(lc), levels))
			return false;
	return true;
}

/* Collects the numbers of the aggregates that an Agg node computes. */
static bool
collect_aggregates(Node *node, Bitmapset **numbers)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		*numbers = bms_add_member(*numbers, ((Aggref *) node)->aggno);
		return false;
	}
	return expression_tree_walker(node, collect_aggregates, numbers);
}

/* A public relation that has been read by itself, or consists of constants: nothing is looked up there. */
static bool
is_materialized(const Plan *plan)
{
	return IsA(plan, CteScan) || IsA(plan, ValuesScan) || IsA(plan, FunctionScan) ||
		   IsA(plan, Result);
}

/*
 * Nothing below an Agg node of a level is looked up by the values of protected rows: what a nested loop
 * passes down reaches scans of the protected table alone, and of what is materialized.
 */
static bool
check_inputs(Check *check, Plan *plan, bool is_looked_up)
{
	List *children;
	ListCell *lc;
	bool looks_up = IsA(plan, NestLoop) && ((NestLoop *) plan)->nestParams != NIL;

	if (!children_of(plan, &children))
		return fail(check, UNKNOWN_NODE);
	if (is_looked_up && children == NIL && !is_materialized(plan))
	{
		Index rti = scanned_relation(plan);

		if (rti == 0 || gaussdp_marked_level(list_nth(check->plan->rtable, rti - 1)) < 0)
			return fail(check, "a public relation would be looked up for protected rows");
	}
	foreach (lc, children)
		if (!check_inputs(check, lfirst(lc),
						  is_looked_up || (looks_up && lfirst(lc) == plan->righttree)))
			return false;
	return true;
}

/* The node that draws a level's noise: it is the only one, and draws no more than was written. */
static bool
check_draw(Check *check, Agg *agg, const Bitmapset *levels)
{
	int level;
	Bitmapset *numbers = NULL;

	if (!bms_get_singleton_member(levels, &level))
		return fail(check, "the plan reads several protected tables together");
	if (agg->groupingSets != NIL || agg->chain != NIL)
		return fail(check, "the plan computes grouping sets");
	if (++check->draws[level] > 1)
		return fail(check, "the plan would draw noise for the same level more than once");
	collect_aggregates((Node *) agg->plan.targetlist, &numbers);
	collect_aggregates((Node *) agg->plan.qual, &numbers);
	if (bms_num_members(numbers) > list_length(((Level *) list_nth(check->levels, level))->calls))
		return fail(check, "the plan computes more aggregates than were written");
	return check_inputs(check, agg->plan.lefttree, false);
}

/*
 * The plan of a level from its top down to the Agg node.  Above that node only what reads its input
 * once; below it are protected rows, and no second final aggregation.
 */
static bool
check_unit(Check *check, Plan *plan, const Bitmapset *levels)
{
	switch (nodeTag(plan))
	{
		case T_Agg:
			if (!DO_AGGSPLIT_SKIPFINAL(((Agg *) plan)->aggsplit) &&
				((Agg *) plan)->aggstrategy != AGG_MIXED)
			{
				Bitmapset *numbers = NULL;

				collect_aggregates((Node *) plan->targetlist, &numbers);
				collect_aggregates((Node *) plan->qual, &numbers);
				if (!bms_is_empty(numbers))
					return check_draw(check, (Agg *) plan, levels);
				/* DISTINCT over released values */
				return check_unit(check, plan->lefttree, levels);
			}
			break;
		case T_Gather:
			/* debug_parallel_query: the whole plan in one worker */
			if (((Gather *) plan)->single_copy && ((Gather *) plan)->num_workers == 1)
				return check_unit(check, plan->lefttree, levels);
			break;
		case T_Sort:
		case T_IncrementalSort:
		case T_Limit:
		case T_Unique:
		case T_Result:
		case T_Material:
			if (plan->lefttree != NULL)
				return check_unit(check, plan->lefttree, levels);
			break;
		case T_SubqueryScan:
			return check_unit(check, ((SubqueryScan *) plan)->subplan, levels);
		default:
			break;
	}
	return fail(check, "a level stands in the plan where it may be executed more than once");
}

/* Calls visit for each plan node of the statement's trees. */
static bool
visit_plans(Check *check, Plan *plan, bool (*visit)(Check *, Plan *))
{
	List *children;
	ListCell *lc;

	if (!children_of(plan, &children))
		return fail(check, UNKNOWN_NODE);
	foreach (lc, children)
		if (!visit_plans(check, lfirst(lc), visit))
			return false;
	return visit(check, plan);
}

static bool
visit_all(Check *check, bool (*visit)(Check *, Plan *))
{
	ListCell *lc;

	if (!visit_plans(check, check->plan->planTree, visit))
		return false;
	foreach (lc, check->plan->subplans)
		if (lfirst(lc) != NULL && !visit_plans(check, lfirst(lc), visit))
			return false;
	return true;
}

/* Parameters that an init plan of this node sets once: it depends on nothing that changes. */
static bool
learn_constants(Check *check, Plan *plan)
{
	ListCell *lc;

	foreach (lc, plan->initPlan)
	{
		SubPlan *init = lfirst_node(SubPlan, lc);
		Plan *sub = exec_subplan_get_plan(check->plan, init);
		ListCell *param;

		if (init->parParam != NIL || !bms_is_subset(sub->extParam, check->constant))
			continue;
		foreach (param, init->setParam)
			check->constant = bms_add_member(check->constant, lfirst_int(param));
	}
	return true;
}

/* The init plans of this node: a level may be one, as a CTE without parameters. */
static bool
check_init_plans(Check *check, Plan *plan)
{
	ListCell *lc;

	foreach (lc, plan->initPlan)
	{
		SubPlan *init = lfirst_node(SubPlan, lc);
		Plan *sub = exec_subplan_get_plan(check->plan, init);
		Bitmapset *levels = NULL;

		if (!levels_below(check, sub, &levels))
			return false;
		if (bms_is_empty(levels))
			continue;
		if (init->subLinkType != CTE_SUBLINK || init->parParam != NIL || init->args != NIL ||
			!bms_is_subset(sub->extParam, check->constant))
			return fail(check, "a level is not a materialized unit in the plan");
		if (!check_unit(check, sub, levels))
			return false;
	}
	return true;
}

/* Every level that is scanned at all must have been met by check_init_plans or at the top. */
static bool
check_all_met(Check *check)
{
	ListCell *lc;
	Bitmapset *levels = NULL;
	int level = -1;

	foreach (lc, check->plan->subplans)
		if (lfirst(lc) != NULL && !levels_below(check, lfirst(lc), &levels))
			return false;
	if (!levels_below(check, check->plan->planTree, &levels))
		return false;
	while ((level = bms_next_member(levels, level)) >= 0)
		if (check->draws[level] != 1)
			return fail(check,
						"a level stands in the plan where it may be executed more than once");
	return true;
}

const char *
gaussdp_plan_problem(PlannedStmt *plan, List *levels)
{
	Check check = {.plan = plan, .levels = levels, .nlevels = list_length(levels)};
	Bitmapset *top = NULL;
	int known;

	check.draws = palloc0(sizeof(int) * Max(check.nlevels, 1));
	/* Init plans may depend on each other: until nothing new is learnt. */
	do
	{
		known = bms_num_members(check.constant);
		if (!visit_all(&check, learn_constants))
			return check.problem;
	} while (bms_num_members(check.constant) > known);

	if (!levels_below(&check, plan->planTree, &top))
		return check.problem;
	if (!bms_is_empty(top) && !check_unit(&check, plan->planTree, top))
		return check.problem;
	if (visit_all(&check, check_init_plans))
		check_all_met(&check);
	return check.problem;
}

/* Adds the CTEs that are joined to protected rows below this Agg node. */
static bool
collect_public(Check *check, Plan *plan, Bitmapset **ctes)
{
	List *children;
	ListCell *lc;

	if (IsA(plan, CteScan))
		*ctes = bms_add_member(*ctes, ((CteScan *) plan)->ctePlanId);
	if (!children_of(plan, &children))
		return fail(check, UNKNOWN_NODE);
	foreach (lc, children)
		if (!collect_public(check, lfirst(lc), ctes))
			return false;
	return true;
}

static bool
visit_public(Check *check, Plan *plan)
{
	Bitmapset *levels = NULL;

	if (!IsA(plan, Agg))
		return true;
	return levels_below(check, plan, &levels) &&
		   (bms_is_empty(levels) || collect_public(check, plan, &check->public));
}

Bitmapset *
gaussdp_public_ctes(PlannedStmt *plan)
{
	Check check = {.plan = plan, .nlevels = INT_MAX};

	if (!visit_all(&check, visit_public))
		elog(ERROR, "%s", check.problem);
	return check.public;
}
