/*
 * twist_plan.c
 *		For tests: plans that no planner makes of a verified query, each of which the plan's proof must refuse.
 */
#include "postgres.h"

#include "fmgr.h"
#include "funcapi.h"
#include "nodes/extensible.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "reach.h"
#include "weigh.h"

PG_FUNCTION_INFO_V1(test_plan_twists);
PG_FUNCTION_INFO_V1(test_twisted_plan);

/* What a field of a node gets. */
typedef enum Filling
{
	CALL,      /* an expression that calls the function of the foreign operator */
	OPERATORS, /* an array of the foreign operator, whose length another field has */
	OPERATOR,  /* a list of it */
	PLANS,     /* a list of plans that call it */
	PLAN,      /* such a plan */
	NOTHING
} Filling;

/* A node that is put under the topmost one, with something foreign in one field. */
typedef struct Above
{
	const char *name;
	NodeTag tag;
	Size size;
	Filling filling;
	Size field;
	Size length;
} Above;

#define FIELD(node, filling, field)                                                                \
	{                                                                                              \
#node "." #field, T_##node, sizeof(node), filling, offsetof(node, field), 0                \
	}
#define SEVERAL(node, field, length)                                                               \
	{                                                                                              \
#node "." #field, T_##node, sizeof(node), OPERATORS, offsetof(node, field),                \
			offsetof(node, length)                                                                 \
	}
#define UNKNOWN(node)                                                                              \
	{                                                                                              \
#node, T_##node, sizeof(node), NOTHING, 0, 0                                               \
	}

static const Above above[] = {FIELD(Result, CALL, resconstantqual),
							  FIELD(Result, CALL, plan.qual),
							  FIELD(NestLoop, CALL, join.joinqual),
							  FIELD(HashJoin, CALL, join.joinqual),
							  FIELD(HashJoin, CALL, hashclauses),
							  FIELD(HashJoin, CALL, hashkeys),
							  FIELD(HashJoin, OPERATOR, hashoperators),
							  FIELD(MergeJoin, CALL, join.joinqual),
							  FIELD(Hash, CALL, hashkeys),
							  FIELD(ValuesScan, CALL, values_lists),
							  FIELD(Memoize, CALL, param_exprs),
							  SEVERAL(Memoize, hashOperators, numKeys),
							  FIELD(Append, PLANS, appendplans),
							  FIELD(MergeAppend, PLANS, mergeplans),
							  SEVERAL(MergeAppend, sortOperators, numCols),
							  FIELD(SubqueryScan, PLAN, subplan),
							  FIELD(Material, PLAN, plan.righttree),
							  SEVERAL(Sort, sortOperators, numCols),
							  SEVERAL(IncrementalSort, sort.sortOperators, sort.numCols),
							  SEVERAL(GatherMerge, sortOperators, numCols),
							  SEVERAL(Unique, uniqOperators, numCols),
							  SEVERAL(Group, grpOperators, numCols),
							  SEVERAL(Agg, grpOperators, numCols),
							  SEVERAL(WindowAgg, partOperators, partNumCols),
							  SEVERAL(WindowAgg, ordOperators, ordNumCols),
							  FIELD(WindowAgg, CALL, runCondition),
							  UNKNOWN(ModifyTable),
							  UNKNOWN(RecursiveUnion),
							  UNKNOWN(SampleScan),
							  UNKNOWN(TidScan),
							  UNKNOWN(IndexScan),
							  UNKNOWN(IndexOnlyScan),
							  UNKNOWN(BitmapHeapScan),
							  UNKNOWN(FunctionScan),
							  UNKNOWN(TableFuncScan),
							  UNKNOWN(CteScan),
							  UNKNOWN(WorkTableScan),
							  UNKNOWN(ForeignScan),
							  UNKNOWN(CustomScan),
							  UNKNOWN(SetOp),
							  UNKNOWN(LockRows),
							  UNKNOWN(Limit)};

static List *
foreign_call(Oid operator)
{
	return list_make1(makeFuncExpr(
		get_opcode(operator), BOOLOID,
		list_make2(makeNullConst(INT4OID, -1, InvalidOid), makeNullConst(INT4OID, -1, InvalidOid)),
		InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL));
}

static Plan *
foreign_plan(Oid operator)
{
	Result *result = makeNode(Result);

	result->plan.targetlist = foreign_call(operator);
	return &result->plan;
}

static Plan *
put_over(PlannedStmt *stmt, Plan *plan)
{
	plan->lefttree = stmt->planTree;
	return stmt->planTree = plan;
}

static Plan *
put_under(PlannedStmt *stmt, Plan *plan)
{
	plan->lefttree = stmt->planTree->lefttree;
	return stmt->planTree->lefttree = plan;
}

static void
fill(const Above *twist, Plan *plan, Oid operator)
{
	char *field = (char *) plan + twist->field;

	switch (twist->filling)
	{
		case CALL:
			*(List **) field = foreign_call(operator);
			break;
		case OPERATOR:
			*(List **) field = list_make1_oid(operator);
			break;
		case OPERATORS:
			*(int *) ((char *) plan + twist->length) = 1;
			*(Oid **) field = palloc(sizeof(Oid));
			**(Oid **) field = operator;
			break;
		case PLANS:
			*(List **) field = list_make1(foreign_plan(operator));
			break;
		case PLAN:
			*(Plan **) field = foreign_plan(operator);
			break;
		case NOTHING:
			break;
	}
}

static void *
is_null(void *expr)
{
	NullTest *test = makeNode(NullTest);

	test->arg = expr;
	return test;
}

/* A filter of its rows, on whether this is NULL. */
static void
filter(PlannedStmt *stmt, void *expr)
{
	put_under(stmt, (Plan *) makeNode(Result))->qual = list_make1(is_null(expr));
}

static Agg *
topmost(PlannedStmt *stmt)
{
	return castNode(Agg, stmt->planTree);
}

static void
add_exact_call(Agg *agg)
{
	Aggref *count = makeNode(Aggref);

	count->aggfnoid = F_COUNT_; /* which the query that is tested calls in a sub-query */
	agg->plan.targetlist =
		lappend(agg->plan.targetlist, makeTargetEntry((Expr *) count, 99, NULL, false));
}

static Aggref *
first_call(PlannedStmt *stmt)
{
	return castNode(Aggref, linitial_node(TargetEntry, topmost(stmt)->plan.targetlist)->expr);
}

static void
merge_by_foreign_family(PlannedStmt *stmt)
{
	MergeJoin *join = makeNode(MergeJoin);

	join->mergeclauses = list_make1(makeBoolConst(true, false));
	join->mergeFamilies = palloc(sizeof(Oid));
	join->mergeFamilies[0] = PG_UINT32_MAX;
	put_under(stmt, &join->join.plan);
}

static NestLoop *
loop(PlannedStmt *stmt, Plan *inner)
{
	NestLoop *loop = makeNode(NestLoop);

	loop->join.plan.righttree = inner;
	put_under(stmt, &loop->join.plan);
	return loop;
}

/* Processes would end a scan where the other side of the join has ended. */
static void
gather_merged(PlannedStmt *stmt)
{
	put_under(stmt, (Plan *) makeNode(MergeJoin));
	put_under(stmt, (Plan *) makeNode(Gather));
}

static void
compare_by_records(PlannedStmt *stmt)
{
	MinMaxExpr *least = makeNode(MinMaxExpr);

	least->minmaxtype = RECORDOID;
	filter(stmt, least);
}

static void
take_parameter(PlannedStmt *stmt)
{
	Param *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	filter(stmt, param);
}

/* Expressions that are refused whatever they are of. */
static bool
twist_expression(PlannedStmt *stmt, const char *twist)
{
	if (strcmp(twist, "a parameter of the statement") == 0)
		take_parameter(stmt);
	else if (strcmp(twist, "a sub-plan") == 0)
		filter(stmt, makeNode(SubPlan));
	else if (strcmp(twist, "a sub-plan of two") == 0)
		filter(stmt, makeNode(AlternativeSubPlan));
	else if (strcmp(twist, "a sub-select") == 0)
		filter(stmt, makeNode(SubLink));
	else if (strcmp(twist, "a query") == 0)
		filter(stmt, makeNode(Query));
	else if (strcmp(twist, "a value of the session") == 0)
		filter(stmt, makeNode(SQLValueFunction));
	else if (strcmp(twist, "a sequence") == 0)
		filter(stmt, makeNode(NextValueExpr));
	else if (strcmp(twist, "a domain") == 0)
		filter(stmt, makeNode(CoerceToDomain));
	else if (strcmp(twist, "xml") == 0)
		filter(stmt, makeNode(XmlExpr));
	else if (strcmp(twist, "least of records") == 0)
		compare_by_records(stmt);
	else
		return false;
	return true;
}

/* What is added up, and what becomes of that. */
static bool
twist_aggregation(PlannedStmt *stmt, const char *twist)
{
	Agg *agg = topmost(stmt);

	if (strcmp(twist, "adds up twice") == 0)
		put_under(stmt, copyObject(&agg->plan));
	else if (strcmp(twist, "adds up nothing") == 0)
		first_call(stmt)->aggsplit = agg->aggsplit |= AGGSPLITOP_COMBINE;
	else if (strcmp(twist, "an answer") == 0)
		agg->aggsplit = AGGSPLIT_SIMPLE;
	else if (strcmp(twist, "an answer below") == 0)
		((Agg *) put_under(stmt, copyObject(&agg->plan)))->aggsplit = AGGSPLIT_SIMPLE;
	else if (strcmp(twist, "grouping sets") == 0)
		agg->groupingSets = list_make1(NIL);
	else if (strcmp(twist, "a chain of aggregations") == 0)
		agg->chain = list_make1(makeNode(Agg));
	else if (strcmp(twist, "an exact number") == 0)
		add_exact_call(agg);
	else
		return false;
	return true;
}

/* Another node with all that the topmost one has. */
static void
put_over_alike(PlannedStmt *stmt)
{
	Agg *material = (Agg *) newNode(sizeof(Agg), T_Material);

	material->plan.targetlist = topmost(stmt)->plan.targetlist;
	material->aggsplit = topmost(stmt)->aggsplit;
	put_over(stmt, &material->plan);
}

/* What is handed up. */
static bool
twist_states(PlannedStmt *stmt, const char *twist)
{
	Agg *agg = topmost(stmt);
	TargetEntry *column = linitial_node(TargetEntry, agg->plan.targetlist);

	if (strcmp(twist, "a node over it") == 0)
		put_over_alike(stmt);
	else if (strcmp(twist, "gathered") == 0)
		put_over(stmt, (Plan *) makeNode(Gather));
	else if (strcmp(twist, "not as bytes") == 0)
		first_call(stmt)->aggsplit = agg->aggsplit &= ~AGGSPLITOP_SERIALIZE;
	else if (strcmp(twist, "a filter of states") == 0)
		agg->plan.qual = list_make1(is_null(copyObject(column->expr)));
	else if (strcmp(twist, "computed of a state") == 0)
		column->expr = is_null(column->expr);
	else if (strcmp(twist, "a state of another type") == 0)
		first_call(stmt)->aggtype = INT8OID;
	else if (strcmp(twist, "a call without a state") == 0)
		first_call(stmt)->aggtranstype = INT8OID;
	else if (strcmp(twist, "a column more") == 0)
		agg->plan.targetlist =
			lappend(agg->plan.targetlist,
					makeTargetEntry((Expr *) makeBoolConst(true, false), 99, NULL, false));
	else
		return false;
	return true;
}

/* What is computed of released values. */
static bool
twist_program(TestPlan *plan, const char *twist, Oid operator)
{
	GaussdpProgram *program = &plan->room.program;

	if (strcmp(twist, "HAVING") == 0)
		program->having = foreign_call(operator);
	else if (strcmp(twist, "SELECT") == 0)
		program->targets = foreign_call(operator);
	else if (strcmp(twist, "a state for a key") == 0)
		program->columns = list_make1(makeBoolConst(true, false));
	else if (strcmp(twist, "a volatile function") == 0)
	{
		Expr *call = (Expr *) makeFuncExpr(F_CLOCK_TIMESTAMP, TIMESTAMPTZOID, NIL, InvalidOid,
										   InvalidOid, COERCE_EXPLICIT_CALL);

		plan->level->havingQual = is_null(call);
		filter(plan->room.plan, call);
	}
	else
		return false;
	return true;
}

/* What else the plan has. */
static bool
twist_plan(PlannedStmt *stmt, const char *twist, Oid operator)
{
	if (strcmp(twist, "a sub-plan before it") == 0)
		stmt->planTree->initPlan = list_make1(makeNode(SubPlan));
	else if (strcmp(twist, "plans beside it") == 0)
		stmt->subplans = list_make1(foreign_plan(operator));
	else if (strcmp(twist, "an update") == 0)
		stmt->commandType = CMD_UPDATE;
	else if (strcmp(twist, "an update inside") == 0)
		stmt->hasModifyingCTE = true;
	else if (strcmp(twist, "a target that calls") == 0)
		put_under(stmt, foreign_plan(operator));
	else if (strcmp(twist, "a window's start") == 0)
		((WindowAgg *) put_under(stmt, (Plan *) makeNode(WindowAgg)))->startOffset =
			(Node *) makeBoolConst(true, false);
	else if (strcmp(twist, "a window's end") == 0)
		((WindowAgg *) put_under(stmt, (Plan *) makeNode(WindowAgg)))->endOffset =
			(Node *) makeBoolConst(true, false);
	else if (strcmp(twist, "a merge by another family") == 0)
		merge_by_foreign_family(stmt);
	else if (strcmp(twist, "a loop's parameter") == 0)
		loop(stmt, NULL)->nestParams = list_make1(makeNode(NestLoopParam));
	else if (strcmp(twist, "a table read in a loop") == 0)
		(void) loop(stmt, (Plan *) makeNode(SeqScan));
	else if (strcmp(twist, "processes that leave rows") == 0)
		gather_merged(stmt);
	else
		return false;
	return true;
}

static const char *const others[] = {"a parameter of the statement",
									 "a sub-plan",
									 "a sub-plan of two",
									 "a sub-select",
									 "a query",
									 "a value of the session",
									 "a sequence",
									 "a domain",
									 "xml",
									 "least of records",
									 "adds up twice",
									 "adds up nothing",
									 "an answer",
									 "an answer below",
									 "grouping sets",
									 "a chain of aggregations",
									 "an exact number",
									 "a sub-plan before it",
									 "plans beside it",
									 "an update",
									 "an update inside",
									 "a target that calls",
									 "a window's start",
									 "a window's end",
									 "a merge by another family",
									 "a loop's parameter",
									 "a table read in a loop",
									 "processes that leave rows",
									 "a node over it",
									 "gathered",
									 "not as bytes",
									 "a filter of states",
									 "computed of a state",
									 "a state of another type",
									 "a call without a state",
									 "a column more",
									 "HAVING",
									 "SELECT",
									 "a state for a key",
									 "a volatile function"};

/* test_plan_twists() RETURNS SETOF text: the names of all. */
Datum
test_plan_twists(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	bool is_null = false;

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	for (int i = 0; i < (int) (lengthof(above) + lengthof(others)); i++)
	{
		Datum name = CStringGetTextDatum(i < (int) lengthof(above) ? above[i].name
																   : others[i - lengthof(above)]);

		tuplestore_putvalues(result->setResult, result->setDesc, &name, &is_null);
	}
	return (Datum) 0;
}

static void
twist(TestPlan *plan, const char *name, Oid operator)
{
	PlannedStmt *stmt = plan->room.plan;
	static const CustomScanMethods methods = {"foreign", NULL};

	for (int i = 0; i < (int) lengthof(above); i++)
		if (strcmp(name, above[i].name) == 0)
		{
			Plan *node = (Plan *) newNode(above[i].size, above[i].tag);

			if (IsA(node, CustomScan))
				((CustomScan *) node)->methods = &methods;
			fill(&above[i], put_under(stmt, node), operator);
			return;
		}
	if (!twist_expression(stmt, name) && !twist_aggregation(stmt, name) &&
		!twist_states(stmt, name) && !twist_program(plan, name, operator) &&
		!twist_plan(stmt, name, operator) && strcmp(name, "none") != 0)
		elog(ERROR, "there is no twist \"%s\"", name);
}

/* test_twisted_plan(query text, twist text, operator oid): why the plan of its first level is refused, twisted by a foreign operator. */
Datum
test_twisted_plan(PG_FUNCTION_ARGS)
{
	TestPlan *plan = test_level_plan(text_to_cstring(PG_GETARG_TEXT_PP(0)), true);
	const char *problem;

	twist(plan, text_to_cstring(PG_GETARG_TEXT_PP(1)), PG_GETARG_OID(2));
	problem = test_plan_refusal(plan);
	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}
