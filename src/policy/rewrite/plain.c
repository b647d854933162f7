/*
 * plain.c
 *		Plain SQL: PostgreSQL's own aggregates over tables that the role may not read become private ones.
 *
 *		SELECT region, avg(amount) FROM orders GROUP BY region ORDER BY 2 LIMIT 100
 *
 * becomes, where gaussdp.answer_plain_sql is on and the role may not read orders,
 *
 *		SELECT region, to_numeric(reliable_value(dp_avg_estimate(amount)))
 *		FROM orders GROUP BY region HAVING dp_keep_group(*) ORDER BY 2 LIMIT 100
 *
 * before all other steps, which see short private calls as if somebody had typed them.  This file answers nothing: what
 * it does not know stays as it is, and the verifier judges what has come out.  It changes nothing in the text of
 * views, and no query whose rows the role may read, which costs no proof.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/stratnum.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"

#include "aggregate/bounds.h"
#include "aggregate/calls.h"
#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"
#include "settings.h"

/* What is written for one of PostgreSQL's aggregates. */
typedef struct Counterpart
{
	const char *name;
	const char *private_name;
	int field; /* of dp_regression, from 1 */
} Counterpart;

#define MEAN "dp_avg_estimate"
#define SUM "dp_sum"
#define STDDEV "dp_stddev"
#define VAR "dp_var"
#define QUANTILE "dp_quantile"
#define REGRESSION "dp_regression"

static const Counterpart counterparts[] = {
	{"count", "dp_count", 0},
	{"sum", SUM, 0},
	{"avg", MEAN, 0},
	{"stddev", STDDEV, 0},
	{"stddev_pop", STDDEV, 0},
	{"stddev_samp", STDDEV, 0},
	{"variance", VAR, 0},
	{"var_pop", VAR, 0},
	{"var_samp", VAR, 0},
	{"percentile_cont", QUANTILE, 0},
	{"percentile_disc", QUANTILE, 0},
	{"regr_count", REGRESSION, 1},
	{"regr_avgy", REGRESSION, 3},
	{"regr_avgx", REGRESSION, 5},
	{"covar_pop", REGRESSION, 11},
	{"covar_samp", REGRESSION, 11},
	{"corr", REGRESSION, 13},
	{"regr_slope", REGRESSION, 15},
	{"regr_intercept", REGRESSION, 17},
	{"regr_r2", REGRESSION, 19},
};

/* Types in which an answer may be expected. */
static bool
is_number(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID ||
		   type == FLOAT8OID || type == NUMERICOID;
}

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
 * One aggregate
 * ---------------------------------------------------------------------------
 */

/* The fraction of percentile_cont and its like, from the smallest value on; false where it is no constant. */
static bool
fraction_of(const Aggref *agg, double *fraction)
{
	Const *given = (Const *) eval_const_expressions(NULL, linitial(agg->aggdirectargs));
	SortGroupClause *order = linitial_node(SortGroupClause, agg->aggorder);
	Oid family;
	Oid type;
	GaussdpOrder strategy;

	if (!IsA(given, Const) || given->constisnull || given->consttype != FLOAT8OID ||
		!get_ordering_op_properties(order->sortop, &family, &type, &strategy))
		return false;
	*fraction = DatumGetFloat8(given->constvalue);
	if (!(*fraction >= 0 && *fraction <= 1))
		return false;
	if (strategy == BTGreaterStrategyNumber)
		*fraction = 1 - *fraction;
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

/* percentile_cont(q) WITHIN GROUP (ORDER BY x) -> dp_quantile(x, q); false where the fraction is not known. */
static bool
make_quantile(Aggref *agg)
{
	double fraction;
	Expr *value;

	if (list_length(agg->args) != 1 || list_length(agg->aggdirectargs) != 1 ||
		list_length(agg->aggorder) != 1 || !fraction_of(agg, &fraction))
		return false;
	value = without_cast(linitial_node(TargetEntry, agg->args)->expr);
	agg->aggkind = AGGKIND_NORMAL;
	agg->aggdirectargs = agg->aggorder = NIL;
	agg->args = list_make1(makeTargetEntry(value, 1, NULL, false));
	agg->aggargtypes = list_make1_oid(exprType((Node *) value));
	gaussdp_insert_argument(agg, 1,
							(Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
											   Float8GetDatum(fraction), false, FLOAT8PASSBYVAL));
	return true;
}

/* A number as the type that the query expects: to the nearest, and no further than its ends. */
static Node *
as_type(Node *value, Oid type)
{
	const char *name = type == INT2OID     ? "to_int2"
					   : type == INT4OID   ? "to_int4"
					   : type == INT8OID   ? "to_int8"
					   : type == FLOAT4OID ? "to_float4"
										   : "to_numeric";

	if (exprType(value) == type)
		return value;
	return (Node *) makeFuncExpr(gaussdp_own_function(name, list_make1_oid(FLOAT8OID)), type,
								 list_make1(value), InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* An average whose count is lost in its noise is NULL. */
static Node *
if_reliable(Aggref *average)
{
	Oid function = gaussdp_own_function("reliable_value", list_make1_oid(average->aggtype));

	return (Node *) makeFuncExpr(function, FLOAT8OID, list_make1(average), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* corr(y, x) -> dp_regression(ARRAY[y, x]); false where the order of rows or DISTINCT is asked for. */
static bool
make_pair(Aggref *agg)
{
	ArrayExpr *pair = makeNode(ArrayExpr);

	if (list_length(agg->args) != 2 || agg->aggorder != NIL || agg->aggdistinct != NIL)
		return false;
	pair->array_typeid = FLOAT8ARRAYOID;
	pair->element_typeid = FLOAT8OID;
	pair->elements = list_make2(linitial_node(TargetEntry, agg->args)->expr,
								lsecond_node(TargetEntry, agg->args)->expr);
	pair->location = -1;
	agg->args = list_make1(makeTargetEntry((Expr *) pair, 1, NULL, false));
	agg->aggargtypes = list_make1_oid(FLOAT8ARRAYOID);
	return true;
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

/* The aggregate's private counterpart; itself where it has none. */
static Node *
privately(Aggref *agg)
{
	const Counterpart *found = counterpart_of(agg->aggfnoid);
	Oid type = agg->aggtype;
	Aggref *call;
	List *argtypes;

	if (found == NULL || found->private_name == NULL || !is_number(type) || agg->aggvariadic)
		return (Node *) agg;
	call = copyObject(agg);
	if (agg->aggkind != AGGKIND_NORMAL && !make_quantile(call))
		return (Node *) agg;
	if (found->field > 0 && !make_pair(call))
		return (Node *) agg;
	argtypes = list_copy(call->aggargtypes);
	if (argtypes != NIL)
		linitial_oid(argtypes) = ANYOID;
	call->aggfnoid = gaussdp_call_named(found->private_name, argtypes);
	call->aggtype = get_func_rettype(call->aggfnoid);
	call->aggcollid = InvalidOid;
	if (found->field > 0)
		return as_type(statistic_of(call, found->field), type);
	return as_type(strcmp(found->private_name, MEAN) == 0 ? if_reliable(call) : (Node *) call,
				   type);
}

/* Of the level's own; those of other levels in sub-selects are looked at with these. */
static Node *
answer_privately(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Aggref))
		return ((Aggref *) node)->agglevelsup == 0 ? privately((Aggref *) node) : node;
	if (IsA(node, OpExpr) &&
		(((OpExpr *) node)->opfuncid == F_INT8PL || ((OpExpr *) node)->opfuncid == F_INT84PL) &&
		gaussdp_is_one_for_null(lsecond(((OpExpr *) node)->args)))
		return answer_privately(linitial(((OpExpr *) node)->args), context);
	return expression_tree_mutator(node, answer_privately, context);
}

/* ---------------------------------------------------------------------------
 * Which queries read protected rows
 * ---------------------------------------------------------------------------
 */

/* What is known of a query that others read: it is looked at once, however often that is. */
typedef struct Known
{
	Query *query;
	bool shows_rows;
} Known;

typedef struct Around
{
	List *queries; /* around the one at hand, innermost first */
	HTAB *known;   /* of Known */
} Around;

static Around
inside_of(Around around, Query *query)
{
	return (Around){lcons(query, list_copy(around.queries)), around.known};
}

static bool shows_rows(Query *query, Around around);

/* Does this entry of the first of these queries have protected rows, unaggregated? */
static bool
has_rows(RangeTblEntry *entry, Around around)
{
	Query *inner = NULL;
	Known *known;
	bool is_known;

	if (entry->rtekind == RTE_RELATION)
		return gaussdp_needs_proof(entry);
	if (entry->rtekind == RTE_SUBQUERY)
		inner = entry->subquery;
	else if (entry->rtekind == RTE_CTE)
		inner = gaussdp_with_query(entry, around.queries, &around.queries);
	if (inner == NULL)
		return false;
	known = hash_search(around.known, &inner, HASH_ENTER, &is_known);
	if (!is_known)
		known->shows_rows = shows_rows(inner, around);
	return known->shows_rows;
}

static bool
reads_rows(Query *query, Around around)
{
	ListCell *lc;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	around = inside_of(around, query);
	foreach (lc, query->rtable)
		if (has_rows(lfirst(lc), around))
			return true;
	return false;
}

static bool
is_private_call(Node *node, void *context)
{
	GaussdpCall call;

	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0 &&
		gaussdp_call_of(((Aggref *) node)->aggfnoid, &call))
		return true;
	return expression_tree_walker(node, is_private_call, context);
}

/* Does the query show rows that it reads, or what exact aggregates make of them?  With private calls it is a level. */
static bool
shows_rows(Query *query, Around around)
{
	return reads_rows(query, around) &&
		   !(query->hasAggs && (is_private_call((Node *) query->targetList, NULL) ||
								is_private_call(query->havingQual, NULL)));
}

/* ---------------------------------------------------------------------------
 * Groups
 * ---------------------------------------------------------------------------
 */

/* The relations of the query's own FROM that have protected rows. */
static Bitmapset *
protected_relations(Query *query, Around around)
{
	Bitmapset *result = NULL;
	ListCell *lc;

	around = inside_of(around, query);
	foreach (lc, query->rtable)
		if (has_rows(lfirst(lc), around))
			result = bms_add_member(result, foreach_current_index(lc) + 1);
	return result;
}

/* What a key is computed of; from 18 on the target list has a column of the groups instead. */
static Node *
computed_key(const Query *query, Node *key)
{
	const Var *var = (const Var *) key;
	Node *grouped = IsA(var, Var) && var->varlevelsup == 0
						? gaussdp_grouped_column(rt_fetch(var->varno, query->rtable), var->varattno)
						: NULL;

	return grouped != NULL ? grouped : key;
}

/*
 * Are the group keys public: those of other tables that an outer join shows in any case, or else declared so, or
 * labels?  The side that the join keeps decides.
 */
static bool
has_public_keys(Query *query, Around around)
{
	const Bitmapset *kept = gaussdp_kept_relations(query, protected_relations(query, around));
	int64 combinations = 1;
	ListCell *lc;

	around = inside_of(around, query);
	foreach (lc, query->groupClause)
	{
		Node *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), query->targetList);
		GaussdpColumn declared;

		if (kept != NULL ? !gaussdp_is_kept(query, computed_key(query, key), kept)
						 : !(gaussdp_declared_column((Expr *) key, around.queries, &declared) &&
							 OidIsValid(declared.key_table)) &&
							   !(gaussdp_is_never_null(computed_key(query, key), around.queries) &&
								 gaussdp_has_labels(key, &combinations)))
			return false;
	}
	return true;
}

static bool
finds_keep_group(Node *node, void *context)
{
	GaussdpCall call;

	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call) &&
		call.decides_on_groups)
		return true;
	return expression_tree_walker(node, finds_keep_group, context);
}

/* HAVING dp_keep_group(*), beside what HAVING demands already */
static void
hide_small_groups(Query *query)
{
	Aggref *keep = makeNode(Aggref);

	if (finds_keep_group(query->havingQual, NULL))
		return;
	keep->aggfnoid = gaussdp_call_named("dp_keep_group", NIL);
	keep->aggtype = BOOLOID;
	keep->aggstar = true;
	keep->aggkind = AGGKIND_NORMAL;
	keep->aggsplit = AGGSPLIT_SIMPLE;
	keep->aggno = keep->aggtransno = -1;
	keep->location = -1;
	query->havingQual =
		query->havingQual == NULL
			? (Node *) keep
			: (Node *) makeBoolExpr(AND_EXPR, list_make2(query->havingQual, keep), -1);
	query->hasAggs = true;
}

/*
 * A count of a public key that has few rows may come out below 0, which nobody who asks by count(*) expects.  Only where it is shown as it is, before it becomes a
 * private one: what is computed of it stays as little off as it can be.
 */
static void
show_no_negative_counts(Query *query)
{
	ListCell *lc;

	foreach (lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		const Aggref *agg = (const Aggref *) target->expr;
		MinMaxExpr *greatest;

		if (!IsA(agg, Aggref) || target->resjunk ||
			(agg->aggfnoid != F_COUNT_ && agg->aggfnoid != F_COUNT_ANY))
			continue;
		greatest = makeNode(MinMaxExpr);
		greatest->minmaxtype = INT8OID;
		greatest->op = IS_GREATEST;
		greatest->args =
			list_make2(target->expr, makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
											   Int64GetDatum(0), false, FLOAT8PASSBYVAL));
		greatest->location = -1;
		target->expr = (Expr *) greatest;
	}
}

/* ---------------------------------------------------------------------------
 * A query
 * ---------------------------------------------------------------------------
 */

static void
tell_once(void)
{
	static bool told = false;

	if (told)
		return;
	told = true;
	ereport(NOTICE,
			(errmsg("answers over protected tables are noisy, and small groups may be hidden"),
			 errdetail("gaussdp.answer_plain_sql is on: aggregates over tables that this role may "
					   "not read are answered by private ones."),
			 errhint("gaussdp.explain_privacy(query) shows the noise and the price.")));
}

/*
 * Rows of each person, which a query around may aggregate: GROUP BY has the column that says whose they are, or, with
 * such a query around, one that names a row.
 */
static bool
is_by_person(Query *query, Around around)
{
	bool is_inner = around.queries != NIL;
	ListCell *lc;

	around = inside_of(around, query);
	foreach (lc, query->groupClause)
	{
		Node *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), query->targetList);
		AttrNumber column;
		RangeTblEntry *table = gaussdp_base_column((Expr *) key, around.queries, &column);

		if (table != NULL && gaussdp_needs_proof(table) &&
			(is_inner
				 ? gaussdp_names_row(table, column) || column == gaussdp_unit_column(table->relid)
				 : column == gaussdp_unit_column(table->relid)))
			return true;
	}
	return false;
}

/* A query whose own FROM has protected rows. */
static void
answer_query(Query *query, Around around)
{
	bool is_grouped;
	bool has_keys;

	if (query->commandType != CMD_SELECT || query->setOperations != NULL)
		return;
	gaussdp_group_by_distinct(query);
	if (is_by_person(query, around))
		return;
	if (!query->hasAggs && query->groupClause == NIL)
		return;
	tell_once();
	gaussdp_reduce_outer_joins(query);
	gaussdp_average_quotients(query, inside_of(around, query).queries);
	is_grouped = query->groupClause != NIL && query->groupingSets == NIL;
	has_keys = is_grouped && query->hasAggs && has_public_keys(query, around);
	if (has_keys)
		show_no_negative_counts(query);
	query->targetList = castNode(List, answer_privately((Node *) query->targetList, NULL));
	query->havingQual = answer_privately(query->havingQual, NULL);
	if (is_grouped && !has_keys)
		hide_small_groups(query);
}

/* Does the query read, for somebody who may, what the current role may not: behind a view whose owner has published that? */
static bool
reads_published(Query *query)
{
	ListCell *lc;

	check_stack_depth();
	foreach (lc, query->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_SUBQUERY
				? reads_published(entry->subquery)
				: gaussdp_needs_proof(entry) &&
					  gaussdp_entry_is_allowed(gaussdp_query_permissions(query), entry, false))
			return true;
	}
	return false;
}

/*
 * A view whose owner may read what it shows: its text is the owner's, and what that computes is published.  Any other view is read as
 * if it were written in the query.  In 15 the view's own entry, which is kept for its permissions, is the first of the
 * sub-select's; later the sub-select's entry has the view's OID.
 */
static bool
is_published_view(const RangeTblEntry *entry)
{
	bool is_view =
		OidIsValid(entry->relid) ||
		(entry->subquery->rtable != NIL &&
		 linitial_node(RangeTblEntry, entry->subquery->rtable)->rtekind == RTE_RELATION &&
		 linitial_node(RangeTblEntry, entry->subquery->rtable)->relkind == RELKIND_VIEW);

	return is_view && reads_published(entry->subquery);
}

static bool answer_walker(Node *node, Around *around);

/* Inner queries first, so that it is known of them whether they show rows or released values. */
static void
answer(Query *query, Around around)
{
	Around inside = inside_of(around, query);
	ListCell *lc;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (query->hasSubLinks && !reads_rows(query, around))
		gaussdp_join_correlated(query);
	foreach (lc, query->cteList)
		answer(castNode(Query, lfirst_node(CommonTableExpr, lc)->ctequery), inside);
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_SUBQUERY && !is_published_view(entry))
			answer(entry->subquery, inside);
	}
	if (query->hasSubLinks)
		/* Row security stands in the range table, and is its owner's text. */
		(void) query_tree_walker(query, answer_walker, &inside,
								 QTW_IGNORE_RANGE_TABLE | QTW_IGNORE_CTE_SUBQUERIES);
	if (reads_rows(query, around))
		answer_query(query, around);
	/* With private calls it shows no rows any more. */
	(void) hash_search(around.known, &query, HASH_REMOVE, NULL);
}

static bool
answer_walker(Node *node, Around *around)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		/* What is asked of each row is asked of its person: a number that is not shown (sublink.c). */
		if (!gaussdp_is_correlated((Query *) node))
			answer((Query *) node, *around);
		return false;
	}
	return expression_tree_walker(node, answer_walker, around);
}

void
gaussdp_answer_plain(Query *query)
{
	GaussdpVerifier v = {.location = -1};
	HASHCTL control = {.keysize = sizeof(Query *), .entrysize = sizeof(Known)};
	Around around = {NIL, NULL};

	if (!gaussdp_answer_plain_sql)
		return;
	gaussdp_find_protected_entries(&v, query);
	if (!v.needs_proof)
		return;
	control.hcxt = CurrentMemoryContext;
	around.known = hash_create("queries", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	answer(query, around);
	hash_destroy(around.known);
}
