/*
 * twist_random.c
 *		For tests: levels that were proven, changed at random, and what the proof says then.
 *
 * A twist is what a mistake of rewrite/ could do: another column, operator, constant or kind of join, a condition, key or
 * FILTER less, a clause more.  The same seed gives the same twists.  Those of `forbidden` make no private level of any, so that the proof
 * has to refuse them; of all others test/generator/judge.sql finds out what they add up.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_type.h"
#include "common/pg_prng.h"
#include "fmgr.h"
#include "funcapi.h"
#include "lib/stringinfo.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_clause.h"
#include "parser/parse_func.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "ledger/ledger.h"
#include "policy/exec/exec.h"
#include "policy/proof/proof.h"
#include "reach.h"
#include "weigh.h"

PG_FUNCTION_INFO_V1(test_twisted_level);

/* A node, and the query that it stands in. */
typedef struct Place
{
	Node *node;
	Query *query;
} Place;

typedef struct Twister
{
	pg_prng_state random;
	Query *query; /* that is walked */
	List *places; /* of Place */
	bool is_forbidden;
} Twister;

static int
any(Twister *t, int n)
{
	return (int) pg_prng_uint64_range(&t->random, 0, (uint64) n - 1);
}

static bool
collect(Node *node, void *context)
{
	Twister *t = context;
	Query *around = t->query;
	Place *place;
	bool result;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		t->query = (Query *) node;
	place = palloc(sizeof(Place));
	*place = (Place){node, t->query};
	t->places = lappend(t->places, place);
	result = IsA(node, Query) ? query_tree_walker(t->query, collect, t, QTW_IGNORE_JOINALIASES)
							  : expression_tree_walker(node, collect, t);
	t->query = around;
	return result;
}

/* A node of this kind, anywhere in the level, and its query; NULL where there is none. */
static void *
pick(Twister *t, NodeTag tag, Query **query)
{
	List *found = NIL;
	Place *place;
	ListCell *lc;

	foreach (lc, t->places)
		if (nodeTag(((Place *) lfirst(lc))->node) == tag)
			found = lappend(found, lfirst(lc));
	if (found == NIL)
		return NULL;
	place = list_nth(found, any(t, list_length(found)));
	if (query != NULL)
		*query = place->query;
	return place->node;
}

static void *
any_of(Twister *t, List *list)
{
	return list == NIL ? NULL : list_nth(list, any(t, list_length(list)));
}

static List *
without_one(Twister *t, List *list)
{
	return list == NIL ? NIL : list_delete_nth_cell(list, any(t, list_length(list)));
}

/* A column of this entry of the type, or of any type where that is InvalidOid; NULL where it has none. */
static Var *
column_of(Twister *t, Query *query, Index rti, Oid type)
{
	RangeTblEntry *entry = rt_fetch(rti, query->rtable);
	List *found = NIL;
	int n = entry->rtekind == RTE_RELATION   ? list_length(entry->eref->colnames)
			: entry->rtekind == RTE_SUBQUERY ? list_length(entry->subquery->targetList)
											 : 0;

	for (AttrNumber i = 1; i <= n; i++)
	{
		Oid is = InvalidOid;
		int32 typmod = -1;
		Oid collation = InvalidOid;

		if (entry->rtekind == RTE_RELATION)
			get_atttypetypmodcoll(entry->relid, i, &is, &typmod, &collation);
		else
		{
			Node *shown =
				(Node *) list_nth_node(TargetEntry, entry->subquery->targetList, i - 1)->expr;

			is = exprType(shown);
			typmod = exprTypmod(shown);
			collation = exprCollation(shown);
		}
		if (OidIsValid(is) && (!OidIsValid(type) || is == type))
			found = lappend(found, makeVar((int) rti, i, is, typmod, collation, 0));
	}
	return any_of(t, found);
}

/* A column of any relation of the query. */
static Var *
column_of_query(Twister *t, Query *query, Oid type)
{
	for (int i = 0; i < 5 && query->rtable != NIL; i++)
	{
		Var *var = column_of(t, query, (Index) any(t, list_length(query->rtable)) + 1, type);

		if (var != NULL)
			return var;
	}
	return NULL;
}

/* ---------------------------------------------------------------------------
 * Expressions
 * ---------------------------------------------------------------------------
 */

static bool
other_column(Twister *t)
{
	Query *query;
	Var *var = pick(t, T_Var, &query);
	Var *other;

	if (var == NULL || var->varlevelsup > 0 || var->varno <= 0)
		return false;
	other = any(t, 2) == 0 ? column_of(t, query, var->varno, var->vartype)
						   : column_of_query(t, query, var->vartype);
	if (other == NULL || equal(other, var))
		return false;
	*var = *other;
	return true;
}

static bool
column_around(Twister *t)
{
	Var *var = pick(t, T_Var, NULL);

	if (var == NULL)
		return false;
	var->varlevelsup++;
	return true;
}

static bool
whole_row(Twister *t)
{
	Var *var = pick(t, T_Var, NULL);

	if (var == NULL)
		return false;
	var->varattno = (AttrNumber) (any(t, 2) == 0 ? 0 : SelfItemPointerAttributeNumber);
	return true;
}

static bool
other_operator(Twister *t)
{
	static const char *const names[] = {"=", "<>", "<", "<=", ">", ">=", "+", "-", "*", "/", "%"};
	OpExpr *op = pick(t, any(t, 8) == 0 ? T_DistinctExpr : T_OpExpr, NULL);
	Oid other;

	if (op == NULL || list_length(op->args) != 2)
		return false;
	other = OpernameGetOprid(list_make1(makeString(pstrdup(names[any(t, lengthof(names))]))),
							 exprType(linitial(op->args)), exprType(lsecond(op->args)));
	if (!OidIsValid(other) || other == op->opno || get_op_rettype(other) != op->opresulttype)
		return false;
	op->opno = other;
	op->opfuncid = get_opcode(other);
	return true;
}

static bool
swapped_sides(Twister *t)
{
	OpExpr *op = pick(t, T_OpExpr, NULL);

	if (op == NULL || list_length(op->args) != 2 ||
		exprType(linitial(op->args)) != exprType(lsecond(op->args)))
		return false;
	op->args = list_make2(lsecond(op->args), linitial(op->args));
	return true;
}

static bool
other_bool(Twister *t)
{
	BoolExpr *expr = pick(t, T_BoolExpr, NULL);

	if (expr == NULL)
		return false;
	if (any(t, 2) == 0 && list_length(expr->args) > 1)
		expr->args = without_one(t, expr->args);
	else
		expr->boolop = expr->boolop == AND_EXPR ? OR_EXPR : AND_EXPR;
	return true;
}

static bool
other_constant(Twister *t)
{
	Const *value = pick(t, T_Const, NULL);

	if (value == NULL)
		return false;
	if (any(t, 6) == 0)
	{
		value->constisnull = true;
		return true;
	}
	if (value->constisnull)
		return false;
	if (value->consttype == INT4OID)
		value->constvalue = Int32GetDatum(any(t, 10) - 2);
	else if (value->consttype == INT8OID)
		value->constvalue = Int64GetDatum(any(t, 10) - 2);
	else if (value->consttype == FLOAT8OID)
		value->constvalue = Float8GetDatum(DatumGetFloat8(value->constvalue) * (any(t, 5) - 1));
	else if (value->consttype == BOOLOID)
		value->constvalue = BoolGetDatum(!DatumGetBool(value->constvalue));
	else
		return false;
	return true;
}

static bool
other_test(Twister *t)
{
	NullTest *test = pick(t, T_NullTest, NULL);
	ScalarArrayOpExpr *list = pick(t, T_ScalarArrayOpExpr, NULL);
	CaseExpr *choice = pick(t, T_CaseExpr, NULL);

	if (test != NULL && any(t, 3) == 0)
		test->nulltesttype = test->nulltesttype == IS_NULL ? IS_NOT_NULL : IS_NULL;
	else if (list != NULL && any(t, 2) == 0)
		list->useOr = !list->useOr;
	else if (choice != NULL && list_length(choice->args) > 1)
		choice->args = without_one(t, choice->args);
	else if (choice != NULL)
		choice->defresult = (Expr *) makeNullConst(choice->casetype, -1, choice->casecollid);
	else
		return false;
	return true;
}

/* ---------------------------------------------------------------------------
 * Calls
 * ---------------------------------------------------------------------------
 */

static bool
other_aggregate(Twister *t, Aggref *agg)
{
	static const char *const names[] = {"dp_count",      "dp_sum", "dp_avg", "dp_var",
										"dp_keep_group", "count",  "sum",    "min",
										"array_agg",     "avg",    "bit_or", "max"};
	int n = list_length(agg->aggargtypes);
	Oid types[FUNC_MAX_ARGS];
	Oid other;
	ListCell *lc;

	foreach (lc, agg->aggargtypes)
		types[foreach_current_index(lc)] = lfirst_oid(lc);
	other = LookupFuncName(list_make1(makeString(pstrdup(names[any(t, lengthof(names))]))), n,
						   types, true);
	if (!OidIsValid(other) || other == agg->aggfnoid ||
		get_func_prokind(other) != PROKIND_AGGREGATE || get_func_rettype(other) != agg->aggtype)
		return false;
	agg->aggfnoid = other;
	return true;
}

static bool
other_call(Twister *t)
{
	Query *query;
	Aggref *agg = pick(t, T_Aggref, &query);
	TargetEntry *arg = agg == NULL ? NULL : any_of(t, agg->args);
	Var *column;

	if (agg == NULL)
		return false;
	switch (any(t, 5))
	{
		case 0:
			if (agg->aggfilter == NULL)
				return false;
			agg->aggfilter = NULL;
			return true;
		case 1:
			if (agg->aggdistinct == NIL)
				return false;
			agg->aggdistinct = NIL;
			return true;
		case 2:
			return other_aggregate(t, agg);
		case 3:
			agg->agglevelsup++;
			return true;
		default:
			column = arg == NULL ? NULL : column_of_query(t, query, exprType((Node *) arg->expr));
			if (column == NULL || equal(column, arg->expr))
				return false;
			arg->expr = (Expr *) column;
			return true;
	}
}

static bool
other_window(Twister *t)
{
	static const int options[] = {
		FRAMEOPTION_DEFAULTS,
		FRAMEOPTION_NONDEFAULT | FRAMEOPTION_ROWS | FRAMEOPTION_BETWEEN |
			FRAMEOPTION_START_UNBOUNDED_PRECEDING | FRAMEOPTION_END_CURRENT_ROW,
		FRAMEOPTION_NONDEFAULT | FRAMEOPTION_ROWS | FRAMEOPTION_BETWEEN |
			FRAMEOPTION_START_CURRENT_ROW | FRAMEOPTION_END_UNBOUNDED_FOLLOWING,
		FRAMEOPTION_NONDEFAULT | FRAMEOPTION_GROUPS | FRAMEOPTION_BETWEEN |
			FRAMEOPTION_START_UNBOUNDED_PRECEDING | FRAMEOPTION_END_UNBOUNDED_FOLLOWING |
			FRAMEOPTION_EXCLUDE_CURRENT_ROW};
	WindowClause *window = pick(t, T_WindowClause, NULL);

	if (window == NULL)
		return false;
	switch (any(t, 4))
	{
		case 0:
			window->orderClause = NIL;
			return true;
		case 1:
			window->frameOptions = options[any(t, lengthof(options))];
			return true;
		default:
			window->partitionClause = without_one(t, window->partitionClause);
			return true;
	}
}

/* ---------------------------------------------------------------------------
 * FROM and WHERE
 * ---------------------------------------------------------------------------
 */

static bool
other_join(Twister *t)
{
	static const JoinType kinds[] = {JOIN_INNER, JOIN_LEFT, JOIN_RIGHT,
									 JOIN_FULL,  JOIN_SEMI, JOIN_ANTI};
	JoinExpr *join = pick(t, T_JoinExpr, NULL);
	Node *left;

	if (join == NULL)
		return false;
	switch (any(t, 3))
	{
		case 0:
			left = join->larg;
			join->larg = join->rarg;
			join->rarg = left;
			return true;
		case 1:
			join->quals = NULL;
			return true;
		default:
			join->jointype = kinds[any(t, lengthof(kinds))];
			return true;
	}
}

static bool
less_from(Twister *t)
{
	FromExpr *from = pick(t, T_FromExpr, NULL);

	if (from == NULL)
		return false;
	if (any(t, 4) == 0)
		from->fromlist = without_one(t, from->fromlist);
	else if (from->quals != NULL && IsA(from->quals, List) && any(t, 2) == 0)
		from->quals = (Node *) without_one(t, (List *) from->quals);
	else
		from->quals = NULL;
	return true;
}

static bool
other_entry(Twister *t)
{
	Query *query = pick(t, T_Query, NULL);
	RangeTblEntry *entry = any_of(t, query->rtable);
	RangeTblEntry *other = any_of(t, query->rtable);

	switch (any(t, 5))
	{
		case 0:
			if (entry->rtekind != RTE_SUBQUERY)
				return false;
			entry->lateral = !entry->lateral;
			return true;
		case 1:
			entry->inh = !entry->inh;
			return true;
		case 2:
			entry->securityQuals = NIL;
			entry->security_barrier = false;
			return true;
		case 3:
			entry->relkind = RELKIND_MATVIEW;
			return true;
		default:
			if (entry->rtekind != RTE_RELATION || other->rtekind != RTE_RELATION ||
				entry->relid == other->relid)
				return false;
			entry->relid = other->relid;
			return true;
	}
}

/* ---------------------------------------------------------------------------
 * Clauses
 * ---------------------------------------------------------------------------
 */

static bool
fewer_keys(Twister *t)
{
	Query *query = pick(t, T_Query, NULL);

	if (any(t, 4) == 0 && query->groupingSets != NIL)
		query->groupingSets = NIL;
	else if (query->groupClause != NIL)
		query->groupClause = without_one(t, query->groupClause);
	else
		return false;
	if (query->sortClause != NIL)
		query->sortClause = copyObject(query->groupClause);
	return true;
}

static bool
more_keys(Twister *t)
{
	Query *query = pick(t, T_Query, NULL);
	Var *column = column_of_query(t, query, InvalidOid);
	SortGroupClause *key = makeNode(SortGroupClause);
	TargetEntry *shown;

	if (column == NULL || (query->groupClause == NIL && !query->hasAggs))
		return false;
	get_sort_group_operators(column->vartype, false, false, false, &key->sortop, &key->eqop, NULL,
							 &key->hashable);
	if (!OidIsValid(key->sortop))
		return false;
	shown = makeTargetEntry((Expr *) column, (AttrNumber) (list_length(query->targetList) + 1),
							psprintf("key_%d", 90 + list_length(query->targetList)), false);
	query->targetList = lappend(query->targetList, shown);
	key->tleSortGroupRef = assignSortGroupRef(shown, query->targetList);
	query->groupClause = lappend(query->groupClause, key);
	if (query->sortClause != NIL || list_length(query->groupClause) == 1)
		query->sortClause = copyObject(query->groupClause);
	return true;
}

static bool
other_having(Twister *t)
{
	Query *query = pick(t, T_Query, NULL);

	switch (any(t, 3))
	{
		case 0:
			if (query->havingQual == NULL)
				return false;
			query->havingQual = NULL;
			return true;
		case 1:
			if (query->jointree->quals == NULL || !query->hasAggs)
				return false;
			query->havingQual = query->jointree->quals;
			query->jointree->quals = NULL;
			return true;
		default:
			if (query->havingQual == NULL || contain_agg_clause(query->havingQual))
				return false;
			query->jointree->quals = query->havingQual;
			query->havingQual = NULL;
			return true;
	}
}

static bool
other_target(Twister *t)
{
	Query *query = pick(t, T_Query, NULL);
	TargetEntry *shown = any_of(t, query->targetList);
	Var *column = shown == NULL ? NULL : column_of_query(t, query, exprType((Node *) shown->expr));

	if (any(t, 3) == 0)
	{
		column = column_of_query(t, query, InvalidOid);
		if (column == NULL)
			return false;
		query->targetList = lappend(
			query->targetList,
			makeTargetEntry((Expr *) column, (AttrNumber) (list_length(query->targetList) + 1),
							psprintf("key_%d", 90 + list_length(query->targetList)), false));
		return true;
	}
	if (column == NULL || equal(column, shown->expr))
		return false;
	shown->expr = (Expr *) column;
	return true;
}

/* Clauses that no level has, and no sub-select in it. */
static bool
forbidden(Twister *t)
{
	Query *query = pick(t, T_Query, NULL);
	Node *one = (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(1), false,
								   FLOAT8PASSBYVAL);

	t->is_forbidden = ((bool (*)(Node *)) test_reach("gaussdp_reads_protected"))((Node *) query);
	switch (any(t, 8))
	{
		case 0:
			query->limitCount = one;
			return true;
		case 1:
			query->limitOffset = one;
			return true;
		case 2:
			query->hasDistinctOn = true;
			return true;
		case 3:
			query->hasForUpdate = true;
			query->rowMarks = list_make1(makeNode(RowMarkClause));
			return true;
		case 4:
			query->hasTargetSRFs = true;
			/* elements of a person's array are legal, in a sub-select; where there are none, this changes nothing */
			t->is_forbidden = t->is_forbidden && query == t->query;
			return true;
		case 5:
			query->setOperations = (Node *) makeNode(SetOperationStmt);
			return true;
		case 6:
			query->hasModifyingCTE = true;
			query->cteList = list_make1(makeNode(CommonTableExpr));
			return true;
		default:
			query->commandType = CMD_DELETE;
			return true;
	}
}

static bool
unsorted(Twister *t, Query *level)
{
	if (level->sortClause == NIL)
		return false;
	level->sortClause = without_one(t, level->sortClause);
	return true;
}

static const struct
{
	const char *name;
	bool (*twist)(Twister *);
} twists[] = {
	{"column", other_column},     {"column", other_column},      {"column around", column_around},
	{"whole row", whole_row},     {"operator", other_operator},  {"operator", other_operator},
	{"sides", swapped_sides},     {"AND and OR", other_bool},    {"constant", other_constant},
	{"constant", other_constant}, {"test", other_test},          {"call", other_call},
	{"call", other_call},         {"window", other_window},      {"join", other_join},
	{"join", other_join},         {"FROM and WHERE", less_from}, {"entry", other_entry},
	{"fewer keys", fewer_keys},   {"more keys", more_keys},      {"HAVING", other_having},
	{"target", other_target},     {"forbidden", forbidden}};

/* Changes the level; returns the twists' names. */
static char *
twist_level(Twister *t, Query *level)
{
	StringInfoData names;
	int wanted = 1 + any(t, 5) / 2;

	initStringInfo(&names);
	for (int done = 0, tried = 0; done < wanted && tried < 200; tried++)
	{
		int i = any(t, lengthof(twists) + 1);
		bool is_order = i == lengthof(twists);

		t->places = NIL;
		(void) collect((Node *) level, t);
		if (is_order ? !unsorted(t, level) : !twists[i].twist(t))
			continue;
		appendStringInfo(&names, "%s%s", done++ > 0 ? ", " : "",
						 is_order ? "order" : twists[i].name);
	}
	if (!equal(level->sortClause, level->groupClause))
		t->is_forbidden = true;
	return names.data;
}

/* Does HAVING demand a dp_keep_group, or that a dp_count is larger than something? */
static bool
hides_groups(Node *having)
{
	const char *name;

	if (having == NULL)
		return false;
	if (IsA(having, List) || (IsA(having, BoolExpr) && ((BoolExpr *) having)->boolop == AND_EXPR))
	{
		List *parts = IsA(having, List) ? (List *) having : ((BoolExpr *) having)->args;
		ListCell *lc;

		foreach (lc, parts)
			if (hides_groups(lfirst(lc)))
				return true;
		return false;
	}
	if (IsA(having, OpExpr) && list_length(((OpExpr *) having)->args) == 2)
	{
		name = get_opname(((OpExpr *) having)->opno);
		having = linitial(((OpExpr *) having)->args);
		return name[0] == '>' && IsA(having, Aggref) &&
			   strcmp(get_func_name(((Aggref *) having)->aggfnoid), "dp_count") == 0;
	}
	return IsA(having, Aggref) &&
		   strcmp(get_func_name(((Aggref *) having)->aggfnoid), "dp_keep_group") == 0;
}

/* mu^2 of all that the level is charged for. */
static double
price_of(GaussdpLevel *level)
{
	List *(*planned)(List *) = test_reach("gaussdp_level_releases");
	GaussdpRelease *(*priced)(List *, int *) = test_reach("gaussdp_priced_releases");
	int n;
	GaussdpRelease *releases = priced(planned(list_make1(level)), &n);
	double sum = 0;

	for (int i = 0; i < n; i++)
		sum += (double) releases[i].mu2;
	return sum / 0x1p52;
}

/*
 * test_twisted_level(query, seed) RETURNS (twists, refused, forbidden, shown, hides, told): the query's first level, changed by the
 * seed: why the proof refuses it, or else as SQL, weighed.
 */
Datum
test_twisted_level(PG_FUNCTION_ARGS)
{
	bool (*verify_level)(GaussdpVerifier *, const Query *) = test_reach("gaussdp_verify_level");
	GaussdpLevel *level = test_first_level(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	Query *query = copyObject(unconstify(Query *, level->query));
	Twister t = {.query = query};
	GaussdpVerifier v = {.location = -1};
	TupleDesc columns;
	Datum values[6] = {0};
	bool isnull[6] = {false, false, false, true, true, true};

	if (get_call_result_type(fcinfo, NULL, &columns) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "the result has columns");
	pg_prng_seed(&t.random, (uint64) PG_GETARG_INT32(1));
	values[0] = CStringGetTextDatum(twist_level(&t, query));
	values[2] = BoolGetDatum(t.is_forbidden);
	if (!verify_level(&v, query))
		values[1] = CStringGetTextDatum(v.detail == NULL ? "it lacks something" : v.detail);
	else
	{
		level = linitial(v.levels);
		isnull[1] = true;
		isnull[4] = isnull[5] = false;
		values[4] = BoolGetDatum(hides_groups(query->havingQual));
		values[5] = Float8GetDatum(price_of(level));
		if (!t.is_forbidden)
		{
			isnull[3] = false;
			values[3] = CStringGetTextDatum(test_weighed_text(level, false));
		}
	}
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(columns, values, isnull)));
}
