/*
 * plan_proof.c
 *		Does the finished plan compute what was verified, and nothing else?
 *
 * The verdict is about the query; what runs is the plan, and the planner takes the liberty to write other
 * operators: the negator for NOT, the commutator, members of the same operator family for merging and hashing.
 * So each function of the plan, also behind operators, is one of the verified query, or one of
 * PostgreSQL's own that is total on all values.  A node that is not named here refuses the plan.
 *
 * No plan draws noise: its topmost node adds up the rows of groups and hands up the exact numbers, which nothing in the plan
 * looks at, and no function is volatile.  The program that release_rows.c runs over these rows is proven like the plan.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_language.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "policy/contained/contained.h"
#include "policy/exec/room.h"
#include "policy/people/people.h"
#include "policy/proof/proof.h"

#define UNKNOWN_NODE "the plan has a node of a kind that is not known to be private"
#define UNKNOWN_FUNCTION "the plan calls a function that is not in the verified query"
#define WEIGHED_IN_PARTS "the plan weighs people by a part of their rows"
#define GROUPED_IN_PARTS "the plan groups people by a part of their rows"
#define DRAWS_NOISE "the plan would draw noise"
#define STARTS_BY_ROWS "whether the plan starts processes would depend on rows"
#define READS_BY_ROWS "which pages the plan reads would depend on rows"
#define LATE_INPUT "the plan computes something that is no row and no constant"

typedef struct Proof
{
	List *functions;    /* of Oid: those of the verified query */
	List *contained;    /* of Const: its contained expressions */
	bool adds_rows;     /* has an aggregation been met that adds up rows for calls? */
	int nweighing;      /* nodes that weigh rows */
	const Plan *gather; /* the node that may start processes, if any */
	bool is_parallel;   /* does each process of a parallel plan execute what is looked at? */
	const char *problem;
} Proof;

static bool
fail(Proof *proof, const char *problem)
{
	if (proof->problem == NULL)
		proof->problem = problem;
	return false;
}

static bool collect_functions(Node *node, void *context);

/* What the planner writes for a call of a function of PostgreSQL's own in SQL. */
static Node *
inlined(Oid function)
{
	Oid *types;
	int ntypes;
	Oid result = get_func_signature(function, &types, &ntypes);
	List *args = NIL;

	for (int i = 0; i < ntypes; i++)
	{
		if (IsPolymorphicType(types[i]))
			return NULL;
		args = lappend(
			args, makeVar(1, (AttrNumber) (i + 1), types[i], -1, get_typcollation(types[i]), 0));
	}
	return eval_const_expressions(NULL, (Node *) makeFuncExpr(function, result, args, InvalidOid,
															  InvalidOid, COERCE_EXPLICIT_CALL));
}

static bool
is_in_sql(Oid function)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(function));
	bool result =
		HeapTupleIsValid(tuple) && ((Form_pg_proc) GETSTRUCT(tuple))->prolang == SQLlanguageId;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
	return result;
}

static void
add_function(Proof *proof, Oid function)
{
	if (list_member_oid(proof->functions, function))
		return;
	proof->functions = lappend_oid(proof->functions, function);
	if (function < FirstNormalObjectId && is_in_sql(function))
		(void) collect_functions(inlined(function), proof);
}

/* check_functions_in_node wants true for what it looks for. */
static bool
collect_function(Oid function, void *context)
{
	add_function(context, function);
	return false;
}

static void
collect_operators(Proof *proof, List *clauses)
{
	ListCell *lc;

	foreach (lc, clauses)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);

		add_function(proof, get_opcode(clause->eqop));
		if (OidIsValid(clause->sortop))
			add_function(proof, get_opcode(clause->sortop));
	}
}

static void
collect_query_operators(Proof *proof, const Query *query)
{
	ListCell *lc;

	collect_operators(proof, query->groupClause);
	foreach (lc, query->windowClause)
	{
		collect_operators(proof, lfirst_node(WindowClause, lc)->partitionClause);
		collect_operators(proof, lfirst_node(WindowClause, lc)->orderClause);
	}
}

/* GREATEST and LEAST name no function: they compare by their type's own. */
static Oid
function_of_minmax(const MinMaxExpr *expr)
{
	return lookup_type_cache(expr->minmaxtype, TYPECACHE_CMP_PROC)->cmp_proc;
}

static bool
collect_functions(Node *node, void *context)
{
	Proof *proof = context;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		collect_operators(proof, ((Aggref *) node)->aggdistinct);
		collect_operators(proof, ((Aggref *) node)->aggorder);
	}
	if (IsA(node, MinMaxExpr))
		add_function(proof, function_of_minmax((MinMaxExpr *) node));
	if (IsA(node, Query))
	{
		collect_query_operators(proof, (Query *) node);
		return query_tree_walker((Query *) node, collect_functions, context, 0);
	}
	if (gaussdp_is_contained(node))
		proof->contained = lappend(proof->contained, lsecond(((FuncExpr *) node)->args));
	(void) check_functions_in_node(node, collect_function, context);
	return expression_tree_walker(node, collect_functions, context);
}

/* Is it no function of the verified query, and none that is total on every value either? */
static bool
is_unknown(Oid function, void *context)
{
	Proof *proof = context;

	if (list_member_oid(proof->functions, function))
		return false;
	return function >= FirstNormalObjectId || !gaussdp_function_is_always_total(function);
}

static bool
is_volatile(Oid function, void *context)
{
	return func_volatile(function) == PROVOLATILE_VOLATILE;
}

static bool
is_refused(Node *node, void *context)
{
	Proof *proof = context;

	if (node == NULL)
		return false;
	switch (nodeTag(node))
	{
		case T_Param:
			if (((Param *) node)->paramkind != PARAM_EXEC)
				return !fail(proof, LATE_INPUT);
			return false;
		case T_SubPlan:
		case T_AlternativeSubPlan:
		case T_SubLink:
		case T_Query:
		case T_SQLValueFunction:
		case T_NextValueExpr:
		case T_CoerceToDomain:
		case T_XmlExpr:
			return !fail(proof, LATE_INPUT);
		case T_MinMaxExpr:
			if (is_unknown(function_of_minmax((MinMaxExpr *) node), proof))
				return !fail(proof, UNKNOWN_FUNCTION);
			break;
		case T_FuncExpr:
			if (gaussdp_is_contained(node) &&
				!list_member(proof->contained, lsecond(((FuncExpr *) node)->args)))
				return !fail(proof, UNKNOWN_FUNCTION);
			break;
		default:
			break;
	}
	if (check_functions_in_node(node, is_unknown, proof))
		return !fail(proof, UNKNOWN_FUNCTION);
	if (check_functions_in_node(node, is_volatile, NULL))
		return !fail(proof, DRAWS_NOISE);
	return expression_tree_walker(node, is_refused, context);
}

static bool
prove_expressions(Proof *proof, void *expressions)
{
	return !is_refused(expressions, proof);
}

static bool
prove_operators(Proof *proof, int n, const Oid *operators)
{
	for (int i = 0; i < n; i++)
		if (is_unknown(get_opcode(operators[i]), proof))
			return fail(proof, UNKNOWN_FUNCTION);
	return true;
}

static bool
prove_operator_list(Proof *proof, List *operators)
{
	ListCell *lc;

	foreach (lc, operators)
		if (is_unknown(get_opcode(lfirst_oid(lc)), proof))
			return fail(proof, UNKNOWN_FUNCTION);
	return true;
}

static bool prove_tree(Proof *proof, Plan *plan);

static bool
prove_trees(Proof *proof, List *plans)
{
	ListCell *lc;

	foreach (lc, plans)
		if (!prove_tree(proof, lfirst(lc)))
			return false;
	return true;
}

/* What an Agg node computes. */
typedef struct Aggregates
{
	bool has_calls; /* the level's calls? */
	bool has_exact; /* numbers of one person's rows, for a query in FROM? */
} Aggregates;

static bool
collect_aggregates(Node *node, Aggregates *found)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, collect_aggregates, found);
	if (gaussdp_is_exact(((Aggref *) node)->aggfnoid))
		found->has_exact = true;
	else
		found->has_calls = true;
	return false;
}

/*
 * One aggregation adds up rows for the level's calls, those above it what it has added up, and none has an answer.  Others compute
 * numbers of one person's rows, or group.
 */
static bool
prove_aggregation(Proof *proof, const Agg *agg)
{
	Aggregates found = {false, false};

	if (agg->groupingSets != NIL || agg->chain != NIL)
		return fail(proof, "the plan computes grouping sets");
	collect_aggregates((Node *) agg->plan.targetlist, &found);
	collect_aggregates((Node *) agg->plan.qual, &found);
	if (found.has_calls && found.has_exact)
		return fail(proof, "the plan shows exact numbers beside noisy ones");
	if (found.has_calls && !DO_AGGSPLIT_SKIPFINAL(agg->aggsplit))
		return fail(proof, DRAWS_NOISE);
	if (found.has_calls && proof->adds_rows)
		return fail(proof, "the plan adds up rows more than once");
	if (found.has_calls && !DO_AGGSPLIT_COMBINE(agg->aggsplit))
		proof->adds_rows = true;
	return prove_operators(proof, agg->numCols, agg->grpOperators);
}

static bool
has_aggregates(void *expressions)
{
	Aggregates found = {false, false};

	collect_aggregates(expressions, &found);
	return found.has_calls || found.has_exact;
}

/* Where the program takes a call's state, the topmost aggregation hands one up, as bytes; elsewhere it does not. */
static bool
prove_exact_row(Proof *proof, const Plan *top, const GaussdpProgram *program)
{
	AggSplit split = ((const Agg *) top)->aggsplit;
	ListCell *lc;
	ListCell *lc2;

	if (!IsA(top, Agg) || !DO_AGGSPLIT_SKIPFINAL(split) || !DO_AGGSPLIT_SERIALIZE(split))
		return fail(proof, "the plan does not hand up the exact numbers of groups");
	if (list_length(top->targetlist) != list_length(program->columns) || has_aggregates(top->qual))
		return fail(proof, "the plan shows something else than keys and calls");
	forboth(lc, top->targetlist, lc2, program->columns)
	{
		const Aggref *call = (const Aggref *) lfirst_node(TargetEntry, lc)->expr;
		bool is_state = IsA(call, Aggref) && call->aggtype == BYTEAOID &&
						call->aggtranstype == INTERNALOID && call->aggsplit == split &&
						!gaussdp_is_exact(call->aggfnoid);

		if (IsA(lfirst(lc2), Aggref) ? !is_state : has_aggregates(lfirst(lc)))
			return fail(proof, "the plan shows something else than keys and calls");
	}
	return true;
}

/* The windows of weights.c: whole partitions, or rows so far, without offsets that are computed. */
static bool
prove_window(Proof *proof, const WindowAgg *window)
{
	if (window->startOffset != NULL || window->endOffset != NULL)
		return fail(proof, LATE_INPUT);
	return prove_expressions(proof, window->runCondition) &&
		   prove_operators(proof, window->partNumCols, window->partOperators) &&
		   prove_operators(proof, window->ordNumCols, window->ordOperators);
}

/* A merge compares by its operator families, whose functions no expression names. */
static bool
prove_merge(Proof *proof, const MergeJoin *join)
{
	for (int i = 0; i < list_length(join->mergeclauses); i++)
		if (join->mergeFamilies[i] >= FirstNormalObjectId)
			return fail(proof, UNKNOWN_FUNCTION);
	return prove_expressions(proof, join->mergeclauses);
}

static bool
prove_join(Proof *proof, Plan *plan)
{
	if (!prove_expressions(proof, ((Join *) plan)->joinqual))
		return false;
	if (IsA(plan, MergeJoin))
		return prove_merge(proof, (MergeJoin *) plan);
	if (IsA(plan, HashJoin))
		return prove_expressions(proof, ((HashJoin *) plan)->hashclauses) &&
			   prove_expressions(proof, ((HashJoin *) plan)->hashkeys) &&
			   prove_operator_list(proof, ((HashJoin *) plan)->hashoperators);
	return gaussdp_inner_is_kept((NestLoop *) plan) || fail(proof, READS_BY_ROWS);
}

/*
 * The node that weighs rows, under the aggregation: it compares by operators that no expression names.  In a parallel plan
 * it puts together what all processes have read; otherwise each would weigh people by a part of their rows.
 */
static bool
prove_weighing(Proof *proof, const CustomScan *scan)
{
	List *operators;

	if (!gaussdp_is_partition(scan, &operators))
		return fail(proof, UNKNOWN_NODE);
	if (scan->scan.plan.parallel_aware != proof->is_parallel)
		return fail(proof, WEIGHED_IN_PARTS);
	proof->nweighing++;
	return prove_operator_list(proof, operators) &&
		   prove_expressions(proof, scan->custom_scan_tlist) &&
		   prove_trees(proof, scan->custom_plans);
}

/*
 * The node that brings the rows of each person together, under the aggregation of a sub-query: it compares by operators that no
 * expression names, and each process of a parallel plan would have a part of a person's rows.
 */
static bool
prove_grouping(Proof *proof, const CustomScan *scan)
{
	if (scan->scan.plan.parallel_aware || proof->is_parallel)
		return fail(proof, GROUPED_IN_PARTS);
	return prove_operator_list(proof, gaussdp_grouping_of(scan).operators) &&
		   prove_expressions(proof, scan->custom_scan_tlist) &&
		   prove_trees(proof, scan->custom_plans);
}

/* What a node has beside target list and filter. */
static bool
prove_node(Proof *proof, Plan *plan)
{
	switch (nodeTag(plan))
	{
		case T_SeqScan:
		case T_NamedTuplestoreScan:
		case T_Material:
		case T_ProjectSet: /* elements of arrays (proof/inner.c) */
		case T_Gather:
			return true;
		case T_NestLoop:
		case T_MergeJoin:
		case T_HashJoin:
			return prove_join(proof, plan);
		case T_Result:
			return prove_expressions(proof, ((Result *) plan)->resconstantqual);
		case T_ValuesScan: /* the numbers of grouping sets (sets.c) */
			return prove_expressions(proof, ((ValuesScan *) plan)->values_lists);
		case T_Hash:
			return prove_expressions(proof, ((Hash *) plan)->hashkeys);
		case T_Memoize:
			return prove_expressions(proof, ((Memoize *) plan)->param_exprs) &&
				   prove_operators(proof, ((Memoize *) plan)->numKeys,
								   ((Memoize *) plan)->hashOperators);
		case T_Append:
			return prove_trees(proof, ((Append *) plan)->appendplans);
		case T_MergeAppend:
			return prove_operators(proof, ((MergeAppend *) plan)->numCols,
								   ((MergeAppend *) plan)->sortOperators) &&
				   prove_trees(proof, ((MergeAppend *) plan)->mergeplans);
		case T_Sort:
		case T_IncrementalSort:
			return prove_operators(proof, ((Sort *) plan)->numCols, ((Sort *) plan)->sortOperators);
		case T_SubqueryScan:
			return prove_tree(proof, ((SubqueryScan *) plan)->subplan);
		case T_WindowAgg:
			return prove_window(proof, (WindowAgg *) plan);
		case T_CustomScan:
			return gaussdp_is_grouping((CustomScan *) plan)
					   ? prove_grouping(proof, (CustomScan *) plan)
					   : prove_weighing(proof, (CustomScan *) plan);
		case T_GatherMerge:
			return prove_operators(proof, ((GatherMerge *) plan)->numCols,
								   ((GatherMerge *) plan)->sortOperators);
		case T_Unique:
			return prove_operators(proof, ((Unique *) plan)->numCols,
								   ((Unique *) plan)->uniqOperators);
		case T_Agg:
			return prove_aggregation(proof, (Agg *) plan);
		case T_Group:
			return prove_operators(proof, ((Group *) plan)->numCols,
								   ((Group *) plan)->grpOperators);
		default:
			return fail(proof, UNKNOWN_NODE);
	}
}

/* Does nothing stand over the node that weighs rows but what aggregates them in part, or puts them in order? */
static bool
is_over_weighing(const Plan *plan)
{
	while (plan != NULL)
		switch (nodeTag(plan))
		{
			case T_CustomScan:
				return true;
			case T_Agg:
				if (!DO_AGGSPLIT_SKIPFINAL(((const Agg *) plan)->aggsplit))
					return false;
				plan = plan->lefttree;
				break;
			case T_Sort:
			case T_IncrementalSort:
			case T_Result:
				plan = plan->lefttree;
				break;
			default:
				return false;
		}
	return false;
}

/* What each process of a parallel plan executes, or one alone. */
static bool
prove_gathered(Proof *proof, const Plan *gather)
{
	Plan *plan = gather->lefttree;
	int nweighing = proof->nweighing;
	bool is_proven;

	if (proof->is_parallel)
		return fail(proof, UNKNOWN_NODE);
	if (gather != proof->gather)
		return fail(proof, STARTS_BY_ROWS);
	if (plan != NULL && !gaussdp_leaves_nothing(plan))
		return fail(proof, READS_BY_ROWS);
	proof->is_parallel = !(IsA(gather, Gather) && ((const Gather *) gather)->single_copy);
	is_proven = prove_tree(proof, plan);
	proof->is_parallel = false;
	if (proof->nweighing > nweighing && !is_over_weighing(plan))
		return fail(proof, WEIGHED_IN_PARTS);
	return is_proven;
}

static bool
prove_tree(Proof *proof, Plan *plan)
{
	if (plan == NULL)
		return true;
	if (plan->initPlan != NIL)
		return fail(proof, LATE_INPUT);
	return prove_expressions(proof, plan->targetlist) && prove_expressions(proof, plan->qual) &&
		   prove_node(proof, plan) &&
		   (IsA(plan, Gather) || IsA(plan, GatherMerge)
				? prove_gathered(proof, plan)
				: prove_tree(proof, plan->lefttree) && prove_tree(proof, plan->righttree));
}

const char *
gaussdp_plan_problem(PlannedStmt *plan, const Query *query, const GaussdpProgram *program,
					 const Query *level, bool is_weighed)
{
	Proof proof = {0};

	(void) collect_functions((Node *) unconstify(Query *, query), &proof);
	(void) collect_functions((Node *) level->targetList, &proof);
	(void) collect_functions(level->havingQual, &proof);
	if (plan->subplans != NIL || plan->commandType != CMD_SELECT || plan->hasModifyingCTE)
		return LATE_INPUT;
	proof.gather = gaussdp_gather_asked_first(plan->planTree);
	if (!prove_tree(&proof, plan->planTree) || !prove_exact_row(&proof, plan->planTree, program) ||
		!prove_expressions(&proof, program->having) || !prove_expressions(&proof, program->targets))
		return proof.problem;
	if (!proof.adds_rows)
		return "the plan adds up no rows";
	return proof.nweighing == (is_weighed ? 1 : 0) ? NULL
												   : "the plan does not weigh the rows of people";
}
