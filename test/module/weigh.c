/*
 * weigh.c
 *		For tests: the query that weighs the rows of a level, as SQL that anybody who may read them can run.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "parser/parse_func.h"
#include "parser/parsetree.h"
#include "tcop/tcopprot.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"
#include "utils/ruleutils.h"
#include "utils/snapmgr.h"
#include "utils/tuplestore.h"

#include "compat.h"
#include "core/core.h"
#include "policy/proof/proof.h"
#include "policy/exec/exec.h"
#include "reach.h"
#include "weigh.h"

PG_FUNCTION_INFO_V1(test_proof_time);
PG_FUNCTION_INFO_V1(test_weighed);
PG_FUNCTION_INFO_V1(test_answered);
PG_FUNCTION_INFO_V1(test_weighed_time);
PG_FUNCTION_INFO_V1(test_exact_time);
PG_FUNCTION_INFO_V1(test_is_weighed);
PG_FUNCTION_INFO_V1(test_by_node);
PG_FUNCTION_INFO_V1(test_plan_problem);
PG_FUNCTION_INFO_V1(test_plan_nodes);
PG_FUNCTION_INFO_V1(test_as_level);
PG_FUNCTION_INFO_V1(test_as_level_nodes);
PG_FUNCTION_INFO_V1(test_grouping_problem);
PG_FUNCTION_INFO_V1(test_histograms);

extern Datum test_cpu_time(PG_FUNCTION_ARGS);

static void (*write_out_joins)(Query *);

/* The columns of a relation or join, by their numbers. */
static List *
column_numbers(const List *names)
{
	List *numbers = NIL;

	for (int i = 0; i < list_length(names); i++)
		if (strVal(list_nth(names, i))[0] != '\0')
			numbers = lappend_int(numbers, i + 1);
	return numbers;
}

static List *describe_joins(Query *query, Node *tree);

/* A side of a join that is FROM a, b WHERE c, as joins, which can be printed; c is added to the condition. */
static Node *
as_joins(Query *query, Node *tree, Node **condition)
{
	FromExpr *from = (FromExpr *) tree;
	Node *items;
	ListCell *lc;

	if (!IsA(tree, FromExpr))
		return tree;
	if (from->quals != NULL)
		*condition = make_and_qual(*condition, from->quals);
	items = as_joins(query, linitial(from->fromlist), condition);
	for_each_from(lc, from->fromlist, 1)
	{
		RangeTblEntry *entry = makeNode(RangeTblEntry);
		JoinExpr *join = makeNode(JoinExpr);

		entry->rtekind = RTE_JOIN;
		entry->eref = makeAlias("unnamed_join", NIL);
		query->rtable = lappend(query->rtable, entry);
		join->larg = items;
		join->rarg = as_joins(query, lfirst(lc), condition);
		join->quals = makeBoolConst(true, false);
		join->rtindex = list_length(query->rtable);
		items = (Node *) join;
	}
	return items;
}

/* Conditions of the left side of a join stay in it, and are not printed: there are none but of declared public keys. */
static void
describe_sides(Query *query, JoinExpr *expr)
{
	Node *left = NULL;
	Node *items = as_joins(query, expr->larg, &left);

	if (left == NULL)
		expr->larg = items;
	if (expr->jointype == JOIN_LEFT || expr->jointype == JOIN_INNER)
		expr->rarg = as_joins(query, expr->rarg, &expr->quals);
}

/* All columns of both sides, none merged. */
static List *
describe_join(Query *query, JoinExpr *expr)
{
	List *left;
	List *right;
	RangeTblEntry *join;
	ListCell *lc;

	describe_sides(query, expr);
	left = describe_joins(query, expr->larg);
	right = describe_joins(query, expr->rarg);
	join = copyObject(rt_fetch(expr->rtindex, query->rtable));
	/* behind its sides, where one looks for it */
	rt_fetch(expr->rtindex, query->rtable)->rtekind = RTE_RESULT;
	query->rtable = lappend(query->rtable, join);
	expr->rtindex = list_length(query->rtable);
	expr->usingClause = NIL;
	join->joinmergedcols = 0;
	join->joinleftcols = column_numbers(left);
	join->joinrightcols = column_numbers(right);
	join->eref->colnames = NIL;
	join->joinaliasvars = NIL;
	foreach (lc, join->joinleftcols)
		join->eref->colnames = lappend(join->eref->colnames, list_nth(left, lfirst_int(lc) - 1));
	foreach (lc, join->joinrightcols)
		join->eref->colnames = lappend(join->eref->colnames, list_nth(right, lfirst_int(lc) - 1));
	/* nothing refers to them any more, but they are counted */
	foreach (lc, join->eref->colnames)
		join->joinaliasvars = lappend(join->joinaliasvars, makeNullConst(INT4OID, -1, InvalidOid));
	return join->eref->colnames;
}

/* PostgreSQL knows the columns of joins as they were before sub-selects were written out.  The names of the tree's. */
static List *
describe_joins(Query *query, Node *tree)
{
	ListCell *lc;

	if (IsA(tree, RangeTblRef))
		return rt_fetch(((RangeTblRef *) tree)->rtindex, query->rtable)->eref->colnames;
	if (IsA(tree, JoinExpr))
		return describe_join(query, (JoinExpr *) tree);
	foreach (lc, castNode(FromExpr, tree)->fromlist)
		(void) describe_joins(query, lfirst(lc));
	return NIL;
}

static bool
describe_all_joins(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, describe_all_joins, context);
	write_out_joins((Query *) node);
	(void) describe_joins((Query *) node, (Node *) ((Query *) node)->jointree);
	return query_tree_walker((Query *) node, describe_all_joins, context, 0);
}

/* The query as the verifier gets it. */
static Query *
analyzed(const char *source)
{
	void (*answer_plain)(Query *) = test_reach("gaussdp_answer_plain");
	void (*fill_numbers)(Query *) = test_reach("gaussdp_fill_numbers");
	void (*resolve_bounds)(Query *, void *) = test_reach("gaussdp_resolve_bounds");
	List *queries = pg_analyze_and_rewrite_fixedparams(
		linitial_node(RawStmt, pg_parse_query(source)), source, NULL, 0, NULL);

	answer_plain(linitial_node(Query, queries));
	fill_numbers(linitial_node(Query, queries));
	resolve_bounds(linitial_node(Query, queries), test_reach("gaussdp_derive_bounds"));
	return linitial_node(Query, queries);
}

GaussdpLevel *
test_first_level(const char *source)
{
	bool (*cut_levels)(GaussdpVerifier *, Query *) = test_reach("gaussdp_cut_levels");
	GaussdpVerifier v = {.source = source, .location = -1};

	if (!cut_levels(&v, analyzed(source)))
		elog(ERROR, "the query is not proven: %s", v.detail ? v.detail : "it needs no proof");
	if (v.levels == NIL)
		elog(ERROR, "the query has no level");
	return linitial(v.levels);
}

/* A level with ordered windows, sets and weights, as the room runs it: by window functions where by_node is NULL. */
static Query *
weigh_level(const GaussdpLevel *level, GaussdpWeighing **by_node)
{
	void (*weigh_rows)(const GaussdpLevel *, Query *, const List *, GaussdpWeighing **) =
		test_reach("gaussdp_weigh_rows");
	void (*expand_sets)(const GaussdpLevel *, Query *) = test_reach("gaussdp_expand_sets");
	void (*order_windows)(const GaussdpLevel *, Query *) = test_reach("gaussdp_order_windows");
	Query *query = copyObject(unconstify(Query *, level->query));

	order_windows(level, query);
	expand_sets(level, query);
	if (level->is_weighted)
		weigh_rows(level, query, NIL, by_node);
	/* the room sorts what it receives */
	if (by_node != NULL)
		query->sortClause = NIL;
	return query;
}

/* The same of the first level of a query. */
static Query *
weighed_level(const char *source, GaussdpWeighing **by_node)
{
	return weigh_level(test_first_level(source), by_node);
}

static bool
collect_calls(Node *node, List **calls)
{
	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, collect_calls, calls);
	*calls = lappend(*calls, node);
	return false;
}

/* Calls that have no aggregate of their own when they are weighed take the one of probe.sql, which makes their answers of the same state. */
static void
answer_calls(const GaussdpLevel *level, Query *weighed)
{
	List *calls = NIL;
	List *states = NIL;
	ListCell *lc;
	ListCell *lc2;

	(void) collect_calls((Node *) level->query->targetList, &calls);
	(void) collect_calls(level->query->havingQual, &calls);
	(void) collect_calls((Node *) weighed->targetList, &states);
	(void) collect_calls(weighed->havingQual, &states);
	if (list_length(calls) != list_length(states))
		elog(ERROR, "a weighed level has other calls");
	forboth(lc, calls, lc2, states)
	{
		char *name = get_func_name(lfirst_node(Aggref, lc)->aggfnoid);
		Aggref *state = lfirst_node(Aggref, lc2);
		Oid *types;
		int ntypes;
		Oid answer;

		(void) get_func_signature(state->aggfnoid, &types, &ntypes);
		name = psprintf("%s_weighted", name + strlen("dp_"));
		answer = LookupFuncName(list_make1(makeString(name)), ntypes, types, true);
		if (OidIsValid(answer))
			state->aggfnoid = answer;
	}
}

char *
test_weighed_text(const GaussdpLevel *level, bool answers)
{
	Query *(*with_contained_sql)(Query *) = test_reach("gaussdp_with_contained_sql");
	Query *query = weigh_level(level, NULL);

	if (answers && level->is_weighted)
		answer_calls(level, query);
	query = with_contained_sql(query);
	write_out_joins = test_reach("gaussdp_write_out_joins");
	(void) describe_all_joins((Node *) query, NULL);
	return pg_get_querydef(query, false);
}

TestPlan *
test_level_plan(const char *source, bool by_node)
{
	PlannedStmt *(*plan_level)(Query *, const List *, const GaussdpWeighing *, const char *, bool) =
		test_reach("gaussdp_plan_level");
	void (*weigh_rows)(const GaussdpLevel *, Query *, const List *, GaussdpWeighing **) =
		test_reach("gaussdp_weigh_rows");
	void (*expand_sets)(const GaussdpLevel *, Query *) = test_reach("gaussdp_expand_sets");
	void (*order_windows)(const GaussdpLevel *, Query *) = test_reach("gaussdp_order_windows");
	void (*take_program)(GaussdpRoom *, Query *) = test_reach("gaussdp_take_program");
	void (*plan_program)(GaussdpRoom *, Query *) = test_reach("gaussdp_plan_program");
	void (*hand_up_states)(PlannedStmt *) = test_reach("gaussdp_hand_up_states");
	TestPlan *plan = palloc0(sizeof(TestPlan));
	GaussdpRoom *room = &plan->room;

	room->level = test_first_level(source);
	plan->level = copyObject(unconstify(Query *, room->level->query));
	room->readable = copyObject(plan->level);
	order_windows(room->level, room->readable);
	take_program(room, room->readable);
	expand_sets(room->level, room->readable);
	plan_program(room, room->readable);
	if (room->level->is_weighted)
		weigh_rows(room->level, room->readable, room->program.columns, &room->weighing);
	room->plan = plan_level(room->readable, NIL, by_node ? room->weighing : NULL, "", true);
	hand_up_states(room->plan);
	return plan;
}

const char *
test_plan_refusal(TestPlan *plan)
{
	const char *(*plan_problem)(PlannedStmt *, const Query *, const GaussdpProgram *, const Query *,
								bool) = test_reach("gaussdp_plan_problem");

	return plan_problem(plan->room.plan, plan->room.readable, &plan->room.program, plan->level,
						plan->room.weighing != NULL);
}

static Datum
result_of(const char *problem, FunctionCallInfo fcinfo)
{
	if (problem == NULL)
		PG_RETURN_NULL();
	PG_RETURN_TEXT_P(cstring_to_text(problem));
}

/* test_proof_time(query text): microseconds of CPU for finding, proving and cutting out its levels, once. */
Datum
test_proof_time(PG_FUNCTION_ARGS)
{
	bool (*cut_levels)(GaussdpVerifier *, Query *) = test_reach("gaussdp_cut_levels");
	char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	Query *query = analyzed(source);
	GaussdpVerifier v = {.source = source, .location = -1};
	float8 before = DatumGetFloat8(test_cpu_time(NULL));

	if (!cut_levels(&v, query))
		elog(ERROR, "the query is not proven: %s", v.detail ? v.detail : "it needs no proof");
	PG_RETURN_FLOAT8(DatumGetFloat8(test_cpu_time(NULL)) - before);
}

/* As if so many rows had been found for each call that finds a number: only sums count a part of one. */
static void
take_rows(GaussdpLevel *level, double rows)
{
	bool (*finds_rows)(const GaussdpLevel *, const Aggref *) = test_reach("gaussdp_finds_rows");
	bool (*call_of)(Oid, GaussdpCall *) = test_reach("gaussdp_call_of");
	List *all = NIL;
	ListCell *lc;

	foreach (lc, level->calls)
	{
		GaussdpFoundRows *found = palloc0(sizeof(GaussdpFoundRows));
		GaussdpCall call;

		found->call = lfirst_node(Aggref, lc);
		(void) call_of(found->call->aggfnoid, &call);
		found->rows = call.sized_by_value ? rows : Max(rows, 1);
		found->is_found = true;
		if (finds_rows(level, found->call))
			all = lappend(all, found);
	}
	level->found = all;
}

/*
 * test_weighed(query text [, found float8]): its first level, rewritten; for a role that may not read the table, or as_analyst.  Where
 * max_rows is found it is this number, or 1.
 */
Datum
test_weighed(PG_FUNCTION_ARGS)
{
	GaussdpLevel *level = test_first_level(text_to_cstring(PG_GETARG_TEXT_PP(0)));

	if (PG_NARGS() > 1)
		take_rows(level, PG_GETARG_FLOAT8(1));
	PG_RETURN_TEXT_P(cstring_to_text(test_weighed_text(level, false)));
}

/* test_answered(query text): the same, which answers as the level does; with probe.sql. */
Datum
test_answered(PG_FUNCTION_ARGS)
{
	PG_RETURN_TEXT_P(cstring_to_text(
		test_weighed_text(test_first_level(text_to_cstring(PG_GETARG_TEXT_PP(0))), true)));
}

/* people: where the node that weighs rows counts people by their norms; NULL for nowhere. */
static void
run_plan(PlannedStmt *plan, DestReceiver *receiver, int64 *people)
{
	void (*count_people)(PlanState *, int64 *) = test_reach("gaussdp_count_people");
	QueryDesc *description =
		CreateQueryDesc(plan, "", GetActiveSnapshot(), InvalidSnapshot, receiver, NULL, NULL, 0);

	standard_ExecutorStart(description, 0);
	if (people != NULL)
		count_people(description->planstate, people);
	gaussdp_run_to_end(description);
	standard_ExecutorFinish(description);
	standard_ExecutorEnd(description);
	FreeQueryDesc(description);
}

/* Microseconds of CPU for planning and running a query, as the room plans it. */
static float8
time_blindly(Query *query, const GaussdpWeighing *weighing)
{
	PlannedStmt *(*plan_level)(Query *, const List *, const GaussdpWeighing *, const char *, bool) =
		test_reach("gaussdp_plan_level");
	float8 before = DatumGetFloat8(test_cpu_time(NULL));

	run_plan(plan_level(query, NIL, weighing, "", true), None_Receiver, NULL);
	return DatumGetFloat8(test_cpu_time(NULL)) - before;
}

/* test_weighed_time(query text): of the first level, for its owner, who is asked as_analyst; nothing is charged. */
Datum
test_weighed_time(PG_FUNCTION_ARGS)
{
	GaussdpWeighing *weighing = NULL;
	Query *query = weighed_level(text_to_cstring(PG_GETARG_TEXT_PP(0)), &weighing);

	PG_RETURN_FLOAT8(time_blindly(query, weighing));
}

/* test_is_weighed(query text): whether people may own several rows of the first level. */
Datum
test_is_weighed(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(test_first_level(text_to_cstring(PG_GETARG_TEXT_PP(0)))->is_weighted);
}

/* The query as it stands, for a role that may read all of it. */
static Query *
exact_query(const char *source)
{
	return linitial_node(
		Query, pg_analyze_and_rewrite_fixedparams(linitial_node(RawStmt, pg_parse_query(source)),
												  source, NULL, 0, NULL));
}

/* test_exact_time(query text): of such a query. */
Datum
test_exact_time(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(time_blindly(exact_query(text_to_cstring(PG_GETARG_TEXT_PP(0))), NULL));
}

/* The probe of a weighted aggregate. */
static Oid
probe_of(Oid aggregate)
{
	char *name = psprintf("probe_%s", get_func_name(aggregate));
	Oid *types;
	int ntypes;

	(void) get_func_signature(aggregate, &types, &ntypes);
	return LookupFuncName(list_make1(makeString(name)), ntypes, types, false);
}

/* Shows integers in the place of releases; what is drawn at random is the same each time. */
static bool
show_integers(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, show_integers, context, 0);
	if (IsA(node, Aggref) && strstr(get_func_name(((Aggref *) node)->aggfnoid), "_weighted"))
	{
		Aggref *agg = (Aggref *) node;

		agg->aggfnoid = probe_of(agg->aggfnoid);
		agg->aggtype = get_func_rettype(agg->aggfnoid);
	}
	if (IsA(node, FuncExpr) &&
		strcmp(get_func_name(((FuncExpr *) node)->funcid), "group_place") == 0)
		linitial_node(Const, ((FuncExpr *) node)->args)->constvalue = Int64GetDatum(1);
	return expression_tree_walker(node, show_integers, context);
}

/* Takes rows, columns of which are shown as text where the query that is asked wants that. */
typedef struct Receiver
{
	DestReceiver base;
	ReturnSetInfo *result;
} Receiver;

static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	const ReturnSetInfo *result = ((Receiver *) self)->result;
	TupleDesc columns = slot->tts_tupleDescriptor;

	slot_getallattrs(slot);
	for (int i = 0; i < columns->natts; i++)
	{
		Oid function;
		bool is_varlena;

		if (slot->tts_isnull[i] || TupleDescAttr(result->setDesc, i)->atttypid != TEXTOID)
			continue;
		if (TupleDescAttr(columns, i)->atttypid == BOOLOID)
		{
			slot->tts_values[i] = DirectFunctionCall1(booltext, slot->tts_values[i]);
			continue;
		}
		getTypeOutputInfo(TupleDescAttr(columns, i)->atttypid, &function, &is_varlena);
		slot->tts_values[i] =
			CStringGetTextDatum(OidOutputFunctionCall(function, slot->tts_values[i]));
	}
	tuplestore_putvalues(result->setResult, result->setDesc, slot->tts_values, slot->tts_isnull);
	return true;
}

static void
start_receiving(DestReceiver *self, int operation, TupleDesc columns)
{
}

static void
end_receiving(DestReceiver *self)
{
}

/* Those of HAVING that are on no call. */
static Node *
conditions_on_keys(Node *having)
{
	List *conditions = make_ands_implicit((Expr *) having);
	ListCell *lc;

	foreach (lc, conditions)
		if (contain_agg_clause(lfirst(lc)))
			conditions = foreach_delete_current(conditions, lc);
	return conditions == NIL ? NULL : (Node *) make_ands_explicit(conditions);
}

/* Runs a level, whose rows are the function's. */
static void
run_level(Query *query, const GaussdpWeighing *weighing, FunctionCallInfo fcinfo)
{
	PlannedStmt *(*plan_level)(Query *, const List *, const GaussdpWeighing *, const char *, bool) =
		test_reach("gaussdp_plan_level");
	Receiver receiver = {.base = {.receiveSlot = receive,
								  .rStartup = start_receiving,
								  .rShutdown = end_receiving,
								  .rDestroy = end_receiving,
								  .mydest = DestNone},
						 .result = (ReturnSetInfo *) fcinfo->resultinfo};

	InitMaterializedSRF(fcinfo, MAT_SRF_USE_EXPECTED_DESC);
	run_plan(plan_level(query, NIL, weighing, "", true), &receiver.base, NULL);
}

/* test_as_level(query text) RETURNS SETOF record: its rows, planned as a level is. */
Datum
test_as_level(PG_FUNCTION_ARGS)
{
	run_level(exact_query(text_to_cstring(PG_GETARG_TEXT_PP(0))), NULL, fcinfo);
	return (Datum) 0;
}

/*
 * test_by_node(query text [, found float8]) RETURNS SETOF record: its first level, weighed by the plan node, its integers shown.  Where
 * max_rows is found it is this number, or 1.
 */
Datum
test_by_node(PG_FUNCTION_ARGS)
{
	GaussdpLevel *level = test_first_level(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	GaussdpWeighing *weighing = NULL;
	Query *query;

	if (PG_NARGS() > 1)
		take_rows(level, PG_GETARG_FLOAT8(1));
	query = weigh_level(level, &weighing);
	if (weighing == NULL)
		elog(ERROR, "the level is not weighed by a plan node");
	query->havingQual = conditions_on_keys(query->havingQual);
	query->sortClause = NIL;
	(void) show_integers((Node *) query, NULL);
	(void) show_integers((Node *) weighing->place_call, NULL);
	run_level(query, weighing, fcinfo);
	return (Datum) 0;
}

/*
 * test_histograms(query text): how many people are in each bin of norms, for each size of rows in its first level, as they are counted when
 * max_rows is found; NULL where no call finds a number.
 */
Datum
test_histograms(PG_FUNCTION_ARGS)
{
	PlannedStmt *(*plan_level)(Query *, const List *, const GaussdpWeighing *, const char *, bool) =
		test_reach("gaussdp_plan_level");
	bool (*has_to_find)(const GaussdpLevel *) = test_reach("gaussdp_has_to_find");
	GaussdpLevel *level = test_first_level(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	GaussdpWeighing *weighing = NULL;
	Query *query;
	int64 *people;
	Datum *counts;
	int n;

	if (!has_to_find(level))
		PG_RETURN_NULL();
	query = weigh_level(level, &weighing);
	if (weighing == NULL)
		elog(ERROR, "the level is not weighed by a plan node");
	(void) show_integers((Node *) weighing->place_call, NULL);
	n = GDP_LIMIT_BINS * list_length(weighing->weights);
	people = palloc0(sizeof(int64) * n);
	counts = palloc(sizeof(Datum) * n);
	run_plan(plan_level(query, NIL, weighing, "", false), None_Receiver, people);
	for (int i = 0; i < n; i++)
		counts[i] = Int64GetDatum(people[i]);
	PG_RETURN_ARRAYTYPE_P(construct_array(counts, n, INT8OID, 8, true, TYPALIGN_DOUBLE));
}

static bool
is_grouping(const CustomScan *scan)
{
	bool (*is)(const CustomScan *) = test_reach("gaussdp_is_grouping");

	return is(scan);
}

/* The node that brings the rows of people together, or the one that weighs rows. */
static const char *
name_of(const CustomScan *scan)
{
	return is_grouping(scan) ? "groups" : "weights";
}

/* The nodes of a plan, the topmost first; those of several inputs one after the other. */
static void
list_nodes(Plan *plan, StringInfo names)
{
	ListCell *lc;
	List *others = NIL;

	if (plan == NULL)
		return;
	if (IsA(plan, CustomScan))
		others = ((CustomScan *) plan)->custom_plans;
	if (IsA(plan, Append))
		others = ((Append *) plan)->appendplans;
	if (IsA(plan, MergeAppend))
		others = ((MergeAppend *) plan)->mergeplans;
	if (IsA(plan, SubqueryScan))
		others = list_make1(((SubqueryScan *) plan)->subplan);
	appendStringInfo(names, "%s%s", names->len > 0 ? " " : "",
					 plan->parallel_aware ? "parallel " : "");
	switch (nodeTag(plan))
	{
		case T_Agg:
			appendStringInfoString(
				names, DO_AGGSPLIT_SKIPFINAL(((Agg *) plan)->aggsplit) ? "partial agg" : "agg");
			break;
		case T_Gather:
			appendStringInfoString(names, "gather");
			break;
		case T_GatherMerge:
			appendStringInfoString(names, "gather merge");
			break;
		case T_CustomScan:
			appendStringInfoString(names, name_of((CustomScan *) plan));
			break;
		case T_SeqScan:
			appendStringInfoString(names, "scan");
			break;
		case T_Sort:
			appendStringInfoString(names, "sort");
			break;
		default:
			appendStringInfoString(names, "other");
	}
	foreach (lc, others)
		list_nodes(lfirst(lc), names);
	list_nodes(plan->lefttree, names);
	list_nodes(plan->righttree, names);
}

/* test_plan_nodes(query text) RETURNS text: of its first level's plan, weighed by the node. */
Datum
test_plan_nodes(PG_FUNCTION_ARGS)
{
	PlannedStmt *(*plan_level)(Query *, const List *, const GaussdpWeighing *, const char *, bool) =
		test_reach("gaussdp_plan_level");
	GaussdpWeighing *weighing = NULL;
	Query *query = weighed_level(text_to_cstring(PG_GETARG_TEXT_PP(0)), &weighing);
	StringInfoData names;

	initStringInfo(&names);
	list_nodes(plan_level(query, NIL, weighing, "", true)->planTree, &names);
	PG_RETURN_TEXT_P(cstring_to_text(names.data));
}

/* test_as_level_nodes(query text) RETURNS text: of the query as it stands, planned as a level is. */
Datum
test_as_level_nodes(PG_FUNCTION_ARGS)
{
	PlannedStmt *(*plan_level)(Query *, const List *, const GaussdpWeighing *, const char *, bool) =
		test_reach("gaussdp_plan_level");
	Query *query = exact_query(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	StringInfoData names;

	initStringInfo(&names);
	list_nodes(plan_level(query, NIL, NULL, "", true)->planTree, &names);
	PG_RETURN_TEXT_P(cstring_to_text(names.data));
}

/* The node that weighs rows. */
static Plan *
weighing_node(Plan *plan)
{
	while (plan != NULL && !IsA(plan, CustomScan))
		plan = plan->lefttree;
	if (plan == NULL)
		elog(ERROR, "the plan does not weigh rows");
	return plan;
}

/*
 * test_plan_problem(query text, by_node bool [, twisted bool]): why its first level's plan is refused, made with the node or
 * without; twisted, the node takes what one process has read for all rows, or the other way round.
 */
Datum
test_plan_problem(PG_FUNCTION_ARGS)
{
	TestPlan *plan = test_level_plan(text_to_cstring(PG_GETARG_TEXT_PP(0)), PG_GETARG_BOOL(1));

	if (PG_NARGS() > 2 && PG_GETARG_BOOL(2))
	{
		Plan *node = weighing_node(plan->room.plan->planTree);

		node->parallel_aware = !node->parallel_aware;
	}
	return result_of(test_plan_refusal(plan), fcinfo);
}

/* The node that brings the rows of people together. */
static CustomScan *
grouping_node(Plan *plan)
{
	while (plan != NULL && !(IsA(plan, CustomScan) && is_grouping((CustomScan *) plan)))
		if (IsA(plan, SubqueryScan))
			plan = ((SubqueryScan *) plan)->subplan;
		else if (IsA(plan, CustomScan))
			plan = linitial(((CustomScan *) plan)->custom_plans);
		else
			plan = plan->lefttree;
	if (plan == NULL)
		elog(ERROR, "the plan does not group people");
	return (CustomScan *) plan;
}

/*
 * test_grouping_problem(query text, operator oid, parallel bool): why its first level's plan is refused, whose node that groups people
 * compares by this operator, or by its own, and takes a part of the rows or all.
 */
Datum
test_grouping_problem(PG_FUNCTION_ARGS)
{
	TestPlan *plan = test_level_plan(text_to_cstring(PG_GETARG_TEXT_PP(0)), true);
	CustomScan *node = grouping_node(plan->room.plan->planTree);

	if (OidIsValid(PG_GETARG_OID(1)))
		lsecond(node->custom_private) = list_make1_oid(PG_GETARG_OID(1));
	node->scan.plan.parallel_aware = PG_GETARG_BOOL(2);
	return result_of(test_plan_refusal(plan), fcinfo);
}
