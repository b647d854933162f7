/*
 * counterparts.c
 *		What is written in place of one of PostgreSQL's own aggregates.
 *
 *		sum(x), avg(x), ...							dp_sum(x), dp_avg(x), ...
 *		percentile_cont(q) WITHIN GROUP (ORDER BY x)	dp_quantile(x, q), and dp_quantiles(x, q) for an array of them
 *		min(x), max(x)								dp_quantile(x, 0), dp_quantile(x, 1): without the outermost rows (aggregate/quantile.c)
 *		corr(y, x), ...								a number of dp_regression(ARRAY[y, x])
 *		count(DISTINCT CASE WHEN p THEN x END)		count(DISTINCT x) FILTER (WHERE p)
 *		count(DISTINCT x), of a key of the rows		count(x)
 *
 * Dates, times, intervals and money are measured as numbers, and the answer is made one of them again (policy/exec/measures.c).
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "aggregate/bounds.h"
#include "aggregate/calls.h"
#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

/* What is written for one of PostgreSQL's aggregates. */
typedef struct Counterpart
{
	const char *name;
	const char *private_name;
	double fraction; /* of a quantile that needs none */
	int field;       /* of dp_regression, from 1 */
} Counterpart;

#define COUNT "dp_count"
#define MEAN "dp_avg_estimate"
#define SUM "dp_sum"
#define STDDEV "dp_stddev"
#define VAR "dp_var"
#define QUANTILE "dp_quantile"
#define QUANTILES "dp_quantiles"
#define REGRESSION "dp_regression"

static const Counterpart counterparts[] = {
	{"count", COUNT, 0, 0},
	{"sum", SUM, 0, 0},
	{"avg", MEAN, 0, 0},
	{"stddev", STDDEV, 0, 0},
	{"stddev_pop", STDDEV, 0, 0},
	{"stddev_samp", STDDEV, 0, 0},
	{"variance", VAR, 0, 0},
	{"var_pop", VAR, 0, 0},
	{"var_samp", VAR, 0, 0},
	{"min", QUANTILE, 0, 0},
	{"max", QUANTILE, 1, 0},
	{"percentile_cont", QUANTILE, 0, 0},
	{"percentile_disc", QUANTILE, 0, 0},
	{"regr_count", REGRESSION, 0, 1},
	{"regr_avgy", REGRESSION, 0, 3},
	{"regr_avgx", REGRESSION, 0, 5},
	{"covar_pop", REGRESSION, 0, 11},
	{"covar_samp", REGRESSION, 0, 11},
	{"corr", REGRESSION, 0, 13},
	{"regr_slope", REGRESSION, 0, 15},
	{"regr_intercept", REGRESSION, 0, 17},
	{"regr_r2", REGRESSION, 0, 19},
};

/* What the walk over a query carries. */
typedef struct Answering
{
	List *queries; /* the query, and those around it */
	GaussdpPlainNotes *notes;
	bool is_shown; /* not in HAVING */
} Answering;

/* PostgreSQL's own alone: what others call sum is theirs. */
static const Counterpart *
counterpart_of(Oid aggfnoid)
{
	const char *name;

	if (aggfnoid >= FirstNormalObjectId || get_func_namespace(aggfnoid) != PG_CATALOG_NAMESPACE)
		return NULL;
	name = get_func_name(aggfnoid);
	for (size_t i = 0; name != NULL && i < lengthof(counterparts); i++)
		if (strcmp(counterparts[i].name, name) == 0)
			return &counterparts[i];
	return NULL;
}

/* ---------------------------------------------------------------------------
 * Numbers, and what is measured as one
 * ---------------------------------------------------------------------------
 */

bool
gaussdp_is_number(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID ||
		   type == FLOAT8OID || type == NUMERICOID;
}

/* The function that makes such a value of a number; NULL for other types. */
static const char *
maker_of(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return "to_int2";
		case INT4OID:
			return "to_int4";
		case INT8OID:
			return "to_int8";
		case FLOAT4OID:
			return "to_float4";
		case NUMERICOID:
			return "to_numeric";
		case DATEOID:
			return "as_date";
		case TIMEOID:
			return "as_time";
		case TIMESTAMPOID:
			return "as_timestamp";
		case TIMESTAMPTZOID:
			return "as_timestamptz";
		case INTERVALOID:
			return "as_interval";
		case CASHOID:
			return "as_money";
		default:
			return NULL;
	}
}

/* Types in which an answer may be expected. */
static bool
is_answerable(Oid type)
{
	if (get_typtype(type) == TYPTYPE_DOMAIN)
		return !DomainHasConstraints(type) && is_answerable(getBaseType(type));
	return type == FLOAT8OID || maker_of(type) != NULL;
}

/* A number as the type that the query expects: to the nearest, and no further than its ends. */
static Node *
as_type(Node *value, Oid type)
{
	Oid base = getBaseType(type);

	if (exprType(value) == type)
		return value;
	if (base != type)
		return (Node *) makeRelabelType((Expr *) as_type(value, base), type, -1, InvalidOid,
										COERCE_IMPLICIT_CAST);
	return (Node *) makeFuncExpr(gaussdp_own_function(maker_of(type), list_make1_oid(FLOAT8OID)),
								 type, list_make1(value), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* The value as a number. */
static Expr *
measured(Expr *value)
{
	Oid type = getBaseType(exprType((Node *) value));
	Oid function;

	if (gaussdp_is_number(type) || maker_of(type) == NULL)
		return value;
	function = gaussdp_own_function("measure", list_make1_oid(type));
	if (exprType((Node *) value) != type)
		value = (Expr *) makeRelabelType(value, type, -1, InvalidOid, COERCE_IMPLICIT_CAST);
	return (Expr *) makeFuncExpr(function, get_func_rettype(function), list_make1(value),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

bool
gaussdp_is_measure(const Node *node)
{
	const FuncExpr *call = (const FuncExpr *) node;
	Oid type;

	if (!IsA(node, FuncExpr) || call->funcid < FirstNormalObjectId || list_length(call->args) != 1)
		return false;
	type = exprType(linitial(call->args));
	return !gaussdp_is_number(type) && maker_of(type) != NULL &&
		   call->funcid == gaussdp_own_function("measure", list_make1_oid(type));
}

/* ---------------------------------------------------------------------------
 * Quantiles
 * ---------------------------------------------------------------------------
 */

/* Does the aggregate order its values from the largest on? */
static bool
is_descending(const Aggref *agg, bool *descending)
{
	SortGroupClause *order = linitial_node(SortGroupClause, agg->aggorder);
	Oid family;
	Oid type;
	GaussdpOrder strategy;

	if (!get_ordering_op_properties(order->sortop, &family, &type, &strategy))
		return false;
	*descending = strategy == BTGreaterStrategyNumber;
	return true;
}

/* A column without the cast to double precision that the parser has put around it: its bounds are declared. */
static Expr *
without_cast(Expr *value)
{
	FuncExpr *call = (FuncExpr *) value;

	if (IsA(value, FuncExpr) && call->funcformat == COERCE_IMPLICIT_CAST &&
		list_length(call->args) == 1)
		return linitial(call->args);
	return value;
}

/* The aggregate as a call of this aggregate over its value, measured as a number. */
static Aggref *
make_call(const Aggref *agg, const char *name)
{
	Aggref *call = (Aggref *) copyObject(agg);
	List *argtypes;

	if (call->args != NIL && strcmp(name, COUNT) != 0)
	{
		TargetEntry *value = linitial_node(TargetEntry, call->args);

		value->expr = measured(value->expr);
		linitial_oid(call->aggargtypes) = exprType((Node *) value->expr);
	}
	argtypes = list_copy(call->aggargtypes);
	if (argtypes != NIL)
		linitial_oid(argtypes) = ANYOID;
	call->aggfnoid = gaussdp_call_named(name, argtypes);
	call->aggtype = get_func_rettype(call->aggfnoid);
	call->aggcollid = InvalidOid;
	return call;
}

/* The aggregate with its value alone for an argument, and this one. */
static Aggref *
without_order(const Aggref *agg, Const *argument)
{
	Aggref *call = (Aggref *) copyObject(agg);
	Expr *value = without_cast(linitial_node(TargetEntry, agg->args)->expr);

	call->aggkind = AGGKIND_NORMAL;
	call->aggdirectargs = call->aggorder = call->aggdistinct = NIL;
	call->args = list_make1(makeTargetEntry(measured(value), 1, NULL, false));
	call->aggargtypes =
		list_make1_oid(exprType((Node *) linitial_node(TargetEntry, call->args)->expr));
	gaussdp_insert_argument(call, 1, (Expr *) argument);
	return call;
}

static Const *
make_fraction(double fraction)
{
	return makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(fraction), false,
					 FLOAT8PASSBYVAL);
}

/* dp_quantile(x, q), of the type that is expected */
static Node *
make_quantile(const Aggref *agg, double fraction, Oid type)
{
	return as_type((Node *) make_call(without_order(agg, make_fraction(fraction)), QUANTILE), type);
}

/* The fraction from the smallest value on; percentiles of 0 and 1 are those beyond which no row is. */
static bool
is_fraction(double fraction)
{
	return fraction >= 0 && fraction <= 1;
}

/* Element i of an array of numbers, of the type that is expected. */
static Node *
make_element(const Aggref *call, int i, Oid type)
{
	SubscriptingRef *element = makeNode(SubscriptingRef);
	Const *index = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(i), false, true);

	element->refcontainertype = call->aggtype;
	element->refelemtype = element->refrestype = FLOAT8OID;
	element->reftypmod = -1;
	element->refupperindexpr = list_make1(index);
	element->refexpr = (Expr *) copyObject(call);
	return as_type((Node *) element, type);
}

/* dp_quantiles(x, q); of another type ARRAY[dp_quantiles(x, q)[1], ...]: equal calls are one. */
static Node *
make_quantiles(const Aggref *agg, const Const *given, bool descending)
{
	ArrayType *array = DatumGetArrayTypeP(given->constvalue);
	Oid element = get_element_type(agg->aggtype);
	ArrayExpr *result = makeNode(ArrayExpr);
	Datum *fractions;
	bool *isnull;
	Aggref *call;
	int n;

	deconstruct_array(array, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE,
					  &fractions, &isnull, &n);
	if (!is_answerable(element) || n == 0 || n > GAUSSDP_MAX_QS || ARR_NDIM(array) != 1)
		return NULL;
	for (int i = 0; i < n; i++)
	{
		double fraction = isnull[i] ? -1 : DatumGetFloat8(fractions[i]);

		if (!is_fraction(fraction))
			return NULL;
		fractions[i] = Float8GetDatum(descending ? 1 - fraction : fraction);
	}
	array =
		construct_array(fractions, n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE);
	call = make_call(without_order(agg, makeConst(FLOAT8ARRAYOID, -1, InvalidOid, -1,
												  PointerGetDatum(array), false, false)),
					 QUANTILES);
	if (agg->aggtype == call->aggtype)
		return (Node *) call;
	for (int i = 1; i <= n; i++)
		result->elements = lappend(result->elements, make_element(call, i, element));
	result->array_typeid = agg->aggtype;
	result->element_typeid = element;
	result->location = agg->location;
	return (Node *) result;
}

/* percentile_cont(q) WITHIN GROUP (ORDER BY x); NULL where q is no constant. */
static Node *
percentile(const Aggref *agg)
{
	Const *given;
	bool descending;

	if (list_length(agg->args) != 1 || list_length(agg->aggdirectargs) != 1 ||
		list_length(agg->aggorder) != 1 || !is_descending(agg, &descending))
		return NULL;
	given = (Const *) eval_const_expressions(NULL, linitial(agg->aggdirectargs));
	if (!IsA(given, Const) || given->constisnull)
		return NULL;
	if (given->consttype == FLOAT8ARRAYOID)
		return make_quantiles(agg, given, descending);
	if (given->consttype != FLOAT8OID || !is_answerable(agg->aggtype) ||
		!is_fraction(DatumGetFloat8(given->constvalue)))
		return NULL;
	return make_quantile(
		agg, descending ? 1 - DatumGetFloat8(given->constvalue) : DatumGetFloat8(given->constvalue),
		agg->aggtype);
}

/* ---------------------------------------------------------------------------
 * DISTINCT
 * ---------------------------------------------------------------------------
 */

static bool
is_null_constant(const Node *node)
{
	return node == NULL || (IsA(node, Const) && ((const Const *) node)->constisnull);
}

/* A branch is counted where it has the value; false where it has another one. */
static bool
take_branch(Expr **branch, Expr **value)
{
	bool counts = !is_null_constant((Node *) *branch);

	if (counts && *value != NULL && !equal(*branch, *value))
		return false;
	if (counts)
		*value = *branch;
	*branch = (Expr *) makeBoolConst(counts, false);
	return true;
}

void
gaussdp_filter_by_case(Aggref *agg)
{
	TargetEntry *target = linitial_node(TargetEntry, agg->args);
	CaseExpr *condition = (CaseExpr *) copyObject(target->expr);
	Expr *value = NULL;
	ListCell *lc;

	if (!IsA(condition, CaseExpr))
		return;
	foreach (lc, condition->args)
		if (!take_branch(&lfirst_node(CaseWhen, lc)->result, &value))
			return;
	if (!take_branch(&condition->defresult, &value) || value == NULL)
		return;
	condition->casetype = BOOLOID;
	condition->casecollid = InvalidOid;
	target->expr = value;
	agg->aggfilter = agg->aggfilter == NULL
						 ? (Expr *) condition
						 : makeBoolExpr(AND_EXPR, list_make2(agg->aggfilter, condition), -1);
}

/* What a query may have that shows each row of its FROM once, or not at all. */
#define CLAUSES_OF_ROWS (GAUSSDP_CLAUSE_WITH | GAUSSDP_CLAUSE_ORDER | GAUSSDP_CLAUSE_SUBLINK)

bool
gaussdp_is_key_of_rows(const Node *expr, Oid eqop, List *queries)
{
	const Query *query = linitial_node(Query, queries);
	const Var *var = (const Var *) expr;
	RangeTblEntry *entry;
	Query *inner = NULL;
	TargetEntry *column;

	check_stack_depth();
	/* Elements of an array, beside it, repeat a key. */
	if (!IsA(var, Var) || var->varlevelsup > 0 || var->varattno <= 0 || query->hasTargetSRFs ||
		list_length(query->jointree->fromlist) != 1 ||
		!IsA(linitial(query->jointree->fromlist), RangeTblRef))
		return false;
	entry = rt_fetch(var->varno, query->rtable);
	if (entry->rtekind == RTE_RELATION)
		return gaussdp_column_is_unique(entry->relid, var->varattno, eqop, var->varcollid);
	if (entry->rtekind == RTE_SUBQUERY)
		inner = entry->subquery;
	else if (entry->rtekind == RTE_CTE)
		inner = gaussdp_with_query(entry, queries, &queries);
	if (inner == NULL || (gaussdp_clauses(inner) & ~CLAUSES_OF_ROWS) != 0)
		return false;
	column = get_tle_by_resno(inner->targetList, var->varattno);
	return column != NULL &&
		   gaussdp_is_key_of_rows((Node *) column->expr, eqop, lcons(inner, list_copy(queries)));
}

static void
simplify_distinct(Aggref *agg, List *queries)
{
	if (agg->aggfnoid != F_COUNT_ANY || list_length(agg->aggdistinct) != 1 ||
		list_length(agg->args) != 1)
		return;
	gaussdp_filter_by_case(agg);
	if (gaussdp_is_key_of_rows((Node *) linitial_node(TargetEntry, agg->args)->expr,
							   linitial_node(SortGroupClause, agg->aggdistinct)->eqop, queries))
		agg->aggdistinct = NIL;
}

/* ---------------------------------------------------------------------------
 * One aggregate, and all of a query
 * ---------------------------------------------------------------------------
 */

/* An average whose count is lost in its noise is NULL; so is an extreme of which nothing can be told. */
static Node *
if_reliable(Aggref *estimate)
{
	Oid function = gaussdp_own_function("reliable_value", list_make1_oid(estimate->aggtype));

	return (Node *) makeFuncExpr(function, FLOAT8OID, list_make1(estimate), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* corr(y, x) -> dp_regression(ARRAY[y, x]); NULL where the order of rows or DISTINCT is asked for. */
static Aggref *
make_pair(const Aggref *agg)
{
	Aggref *call = (Aggref *) copyObject(agg);
	ArrayExpr *pair = makeNode(ArrayExpr);

	if (list_length(agg->args) != 2 || agg->aggorder != NIL || agg->aggdistinct != NIL)
		return NULL;
	pair->array_typeid = FLOAT8ARRAYOID;
	pair->element_typeid = FLOAT8OID;
	pair->elements = list_make2(linitial_node(TargetEntry, call->args)->expr,
								lsecond_node(TargetEntry, call->args)->expr);
	pair->location = -1;
	call->args = list_make1(makeTargetEntry((Expr *) pair, 1, NULL, false));
	call->aggargtypes = list_make1_oid(FLOAT8ARRAYOID);
	return make_call(call, REGRESSION);
}

/* One number of dp_regression; NULL where that is not reliable. */
static Node *
statistic_of(Aggref *call, int field)
{
	Oid function =
		gaussdp_own_function("reliable_statistic", list_make2_oid(call->aggtype, INT4OID));
	Const *number =
		makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(field), false, true);

	return (Node *) makeFuncExpr(function, FLOAT8OID, list_make2(call, number), InvalidOid,
								 InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The smallest or largest value, without the outermost rows; NULL where any value between the bounds could be it. */
static Node *
extreme(const Aggref *agg, double fraction, GaussdpPlainNotes *notes)
{
	Aggref *call = make_call(without_order(agg, make_fraction(fraction)), QUANTILE "_estimate");

	notes->has_extremes = true;
	return as_type(if_reliable(call), agg->aggtype);
}

/* A sum of numerics that all have so many digits behind the point has no more: its noise would show others. */
static Node *
as_rounded(Node *sum, const Aggref *agg)
{
	int32 typmod =
		agg->args == NIL ? -1 : exprTypmod((Node *) linitial_node(TargetEntry, agg->args)->expr);
	int scale = (((typmod - (int32) VARHDRSZ) & 0x7ff) ^ 1024) - 1024;

	if (agg->aggtype != NUMERICOID || typmod < (int32) VARHDRSZ)
		return sum;
	return (Node *) makeFuncExpr(F_ROUND_NUMERIC_INT4, NUMERICOID,
								 list_make2(sum, makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
														   Int32GetDatum(scale), false, true)),
								 InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* The aggregate's private counterpart; itself where it has none. */
static Node *
privately(Aggref *agg, const Answering *answering)
{
	const Counterpart *found = counterpart_of(agg->aggfnoid);
	Node *result = NULL;

	if (found == NULL || agg->aggvariadic)
		return (Node *) agg;
	if (agg->aggkind != AGGKIND_NORMAL)
		result = percentile(agg);
	else if (!is_answerable(agg->aggtype))
		result = NULL;
	else if (strcmp(found->private_name, QUANTILE) == 0)
		result = extreme(agg, found->fraction, answering->notes);
	else if (found->field > 0)
	{
		Aggref *pair = make_pair(agg);

		result = pair == NULL ? NULL : as_type(statistic_of(pair, found->field), agg->aggtype);
	}
	else if (strcmp(found->private_name, MEAN) == 0)
		result = as_type(if_reliable(make_call(agg, MEAN)), agg->aggtype);
	else
	{
		agg = copyObject(agg);
		simplify_distinct(agg, answering->queries);
		result = as_type((Node *) make_call(agg, found->private_name), agg->aggtype);
		if (strcmp(found->private_name, SUM) == 0 && answering->is_shown)
			result = as_rounded(result, agg);
	}
	return result != NULL ? result : (Node *) agg;
}

/* Of the level's own; those of other levels in sub-selects are looked at with these. */
static Node *
answer_privately(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Aggref))
		return ((Aggref *) node)->agglevelsup == 0 ? privately((Aggref *) node, context) : node;
	if (IsA(node, OpExpr) &&
		(((OpExpr *) node)->opfuncid == F_INT8PL || ((OpExpr *) node)->opfuncid == F_INT84PL) &&
		gaussdp_is_one_for_null(lsecond(((OpExpr *) node)->args)))
		return answer_privately(linitial(((OpExpr *) node)->args), context);
	return expression_tree_mutator(node, answer_privately, context);
}

void
gaussdp_write_counterparts(Query *query, List *queries, GaussdpPlainNotes *notes)
{
	Answering answering = {queries, notes, true};

	query->targetList = castNode(List, answer_privately((Node *) query->targetList, &answering));
	answering.is_shown = false;
	query->havingQual = answer_privately(query->havingQual, &answering);
}
