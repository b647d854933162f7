/*
 * weights.c
 *		Weighs each row of a level by the other rows of its person.
 *
 * Where a person may own several rows, a dp_ call counts a row of person u, in group g, for m/2^31 of what it is:
 *
 *		size       s, in units of 2^-20: how much the row would count for this call; 0 where it does not count
 *		size_sum   S = sum of s over the rows of u in g
 *		weight     m = floor(2^31 min(1, 2^20 k / sqrt(sum over g of S^2)))
 *
 * Of a histogram g is a bin of a group; and sums, averages and variances have one norm of all their coordinates, that of what the rows of u
 * add up to, which is weighed once in each group (calls.h).
 *
 * so that all that the call counts of a person over all groups has the 2-norm k at most, in units of one row, for
 * max_rows = k (docs/mathematics.md).  A call that counts people takes one row of each person in each group; one that counts different
 * values counts each in full, for one person, and k of each person at most (people/value_matching.c).
 * Where the groups are found in the data, rows outside of max_groups groups of a person (for each grouping set as many) are dropped
 * before.
 *
 * The verified level becomes queries, each in FROM of the next:
 *
 *		rows       keys, unit, arguments of calls and sizes, over FROM and WHERE of the level
 *		weighed    and the weight for each call: by a plan node (people.h), or by window functions (weight_windows.h)
 *		level      keys and weighted calls (gaussdp_internal.*_weighted), HAVING and order as they were; where all of them are
 *		           counts, sums, averages and variances, the node hands up totals, and they add these
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "policy/exec/nested.h"
#include "policy/exec/weight_windows.h"
#include "policy/exec/weights.h"
#include "policy/people/people.h"
#include "query_tree.h"

/* A column of the rows, by its number in each query of the pile. */
typedef AttrNumber Column;
typedef GaussdpWeight Weight;

typedef struct Weighing
{
	const GaussdpLevel *level;
	Query *rows;
	Bitmapset *sizes;   /* columns of rows that are sizes */
	GaussdpWeighing by; /* what they are weighed by */
} Weighing;

/* ---------------------------------------------------------------------------
 * Rows: what the calls need of them
 * ---------------------------------------------------------------------------
 */

/*
 * The rows' column that holds this; 0 where none does.  Sizes are apart: the node may empty their columns, which must not be those of a
 * value, or of a key, that is the same number.
 */
static Column
find_column(const Weighing *w, const void *expr, bool is_size)
{
	ListCell *lc;

	foreach (lc, w->rows->targetList)
	{
		const TargetEntry *column = lfirst_node(TargetEntry, lc);

		if (bms_is_member(column->resno, w->sizes) == is_size && equal(column->expr, expr))
			return column->resno;
	}
	return 0;
}

/* The same, added where there is none yet. */
static Column
column_with(Weighing *w, Expr *expr, bool is_size)
{
	Column column = find_column(w, expr, is_size);

	if (column != 0)
		return column;
	column = gaussdp_add_column(w->rows, copyObject(expr));
	if (is_size)
		w->sizes = bms_add_member(w->sizes, column);
	return column;
}

/* The weight that is like this one; added where there is none yet. */
static Weight *
weight_with(Weighing *w, const Weight *like)
{
	Weight *weight;
	ListCell *lc;

	foreach (lc, w->by.weights)
	{
		weight = lfirst(lc);
		if (weight->norm == like->norm && weight->size == like->size &&
			weight->value == like->value && weight->of_people == like->of_people &&
			weight->most == like->most && weight->distinct == like->distinct &&
			equal(weight->compared, like->compared) && equal(weight->call, like->call))
			return weight;
	}
	weight = palloc(sizeof(Weight));
	*weight = *like;
	w->by.weights = lappend(w->by.weights, weight);
	return weight;
}

/* The parameters of the weighted call. */
static Expr *
make_params(const GaussdpCallParts *call)
{
	return (Expr *) gaussdp_weighted_params(&call->call, call->values, call->isnull, call->k);
}

/* The call of row_size with these parameters; its value, or a NULL of that type. */
static FuncExpr *
make_row_size(const GaussdpCallParts *call, Expr *value)
{
	return (FuncExpr *) makeFuncExpr(
		gaussdp_row_size_function(), INT8OID,
		list_make3(gaussdp_make_int4(call->call.kind), make_params(call), value), InvalidOid,
		InvalidOid, COERCE_EXPLICIT_CALL);
}

/* What the call counts of a row, and the weight that it takes: FILTER makes a row count nothing. */
static Weight *
weight_of(Weighing *w, const Aggref *agg, const GaussdpCallParts *call)
{
	Weight weight = {.norm = gaussdp_norm_of(call->call.kind),
					 .of_people = call->of_people,
					 .most = (int64) floor(call->most * GDP_SIZE_ROW)};
	Expr *size = gaussdp_make_int8(GDP_SIZE_ROW);

	if (weight.norm != GAUSSDP_NORM_ROWS)
	{
		Expr *value = copyObject(call->value);

		if (agg->aggfilter != NULL)
			value = gaussdp_make_value_if(copyObject(agg->aggfilter), value);
		weight.value = column_with(w, value, false);
		weight.call = make_row_size(call, value);
		return weight_with(w, &weight);
	}
	if (call->value != NULL)
		size = (Expr *) make_row_size(call, copyObject(call->value));
	if (agg->aggfilter != NULL)
		size = gaussdp_make_size_if(copyObject(agg->aggfilter), size);
	weight.size = column_with(w, size, true);
	if (call->of_values)
	{
		weight.distinct = column_with(w, call->value, false);
		weight.compared = get_sortgroupref_clause(
			linitial_node(TargetEntry, agg->args)->ressortgroupref, agg->aggdistinct);
	}
	return weight_with(w, &weight);
}

/*
 * Where the group stands among its person's groups: anywhere, and anew in each execution.  A function has 100
 * arguments at most: of many keys the first ones do, since the keys themselves tell apart what they do not.
 */
static Expr *
make_place(const Weighing *w)
{
	List *args = list_make2(gaussdp_make_int8(gaussdp_random_seed()),
							copyObject(gaussdp_expression_of(w->rows, w->by.unit)));
	int nkeys = Min(list_length(w->by.keys), FUNC_MAX_ARGS - 2);

	for (int i = 1; i <= nkeys; i++)
		args = lappend(args, copyObject(gaussdp_expression_of(w->rows, (Column) i)));
	return (Expr *) makeFuncExpr(
		gaussdp_call_packed("group_place", list_make2_oid(INT8OID, ANYOID)), INT8OID, args,
		InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* A key that stands in several columns is one: of equal keys the level is grouped by the first. */
static void
group_once(Query *level)
{
	List *keys = NIL;
	ListCell *lc;

	foreach (lc, level->groupClause)
	{
		Node *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), level->targetList);

		if (list_member(keys, key))
			level->groupClause = foreach_delete_current(level->groupClause, lc);
		keys = lappend(keys, key);
	}
}

/* The level's FROM and WHERE, and the columns that it is grouped by. */
static void
make_rows(Weighing *w, const Query *level)
{
	Query *rows = makeNode(Query);
	Expr *owner = (Expr *) gaussdp_make_owner_var(w->level);
	ListCell *lc;

	rows->commandType = CMD_SELECT;
	rows->canSetTag = true;
	rows->rtable = level->rtable;
	gaussdp_take_permissions(rows, level);
	rows->jointree = level->jointree;
	rows->hasRowSecurity = level->hasRowSecurity;
	w->rows = rows;
	foreach (lc, level->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);

		gaussdp_add_column(
			rows, (Expr *) copyObject(get_sortgroupclause_expr(clause, level->targetList)));
		w->by.keys = lappend(w->by.keys, clause);
	}
	w->by.unit = gaussdp_add_column(rows, owner);
	w->by.max_groups = w->level->max_groups * w->level->nsets; /* those of all grouping sets */
	if (w->level->finds_groups)
		w->by.place = gaussdp_add_column(rows, make_place(w));
}

/* ---------------------------------------------------------------------------
 * The same by a plan node
 * ---------------------------------------------------------------------------
 */

/* Nobody above names it, and the planner would leave it out. */
static void
keep_column(Query *rows, Column column)
{
	(void) assignSortGroupRef(list_nth_node(TargetEntry, rows->targetList, column - 1),
							  rows->targetList);
}

/* What rows have that have a unit, where it is that of the others that only these have it. */
static Expr *
value_with_unit(const Weighing *w, Expr *value, Expr *(*make)(Expr *condition, Expr *value))
{
	Expr *unit = gaussdp_expression_of(w->rows, w->by.unit);
	const CaseExpr *choice = (const CaseExpr *) value;
	const CaseWhen *when;
	const NullTest *test;

	if (!IsA(choice, CaseExpr) || list_length(choice->args) != 1)
		return NULL;
	when = linitial_node(CaseWhen, choice->args);
	test = (const NullTest *) when->expr;
	if (!IsA(test, NullTest) || test->nulltesttype != IS_NOT_NULL || test->argisrow ||
		!equal(test->arg, unit) || !equal(choice, make(when->expr, when->result)))
		return NULL;
	return when->result;
}

/* The node computes a norm of the value itself; whether there is a unit it sees. */
static void
take_value(Weighing *w, Weight *weight)
{
	Expr *value = gaussdp_expression_of(w->rows, weight->value);
	Expr *with_unit = value_with_unit(w, value, gaussdp_make_value_if);

	weight->skips_null_unit = with_unit != NULL;
	if (with_unit != NULL)
		weight->value = column_with(w, with_unit, false);
	keep_column(w->rows, weight->value);
}

/* How the node knows the size of a row: it is always the same, or it computes it of a column. */
static void
take_size(Weighing *w, Weight *weight)
{
	Expr *size = gaussdp_expression_of(w->rows, weight->size);
	Expr *with_unit = value_with_unit(w, size, gaussdp_make_size_if);
	FuncExpr *call = (FuncExpr *) (with_unit != NULL ? with_unit : size);
	Column value;

	keep_column(w->rows, weight->size);
	weight->is_whole = equal(call, gaussdp_make_int8(GDP_SIZE_ROW));
	weight->skips_null_unit = with_unit != NULL;
	if (IsA(call, FuncExpr) && call->funcid == gaussdp_row_size_function())
	{
		value = find_column(w, lthird(call->args), false);
		if (value == 0)
			return;
		weight->call = call;
		weight->value = value;
		keep_column(w->rows, value);
	}
}

/* The node computes it of the people alone who have too many groups. */
static void
take_place(Weighing *w)
{
	TargetEntry *place = list_nth_node(TargetEntry, w->rows->targetList, w->by.place - 1);

	w->by.place_call = castNode(FuncExpr, place->expr);
	place->expr = (Expr *) makeNullConst(INT8OID, -1, InvalidOid);
}

/* A column that the node fills in. */
static Column
add_empty_column(Query *rows, Oid type)
{
	return gaussdp_add_column(rows, (Expr *) makeNullConst(type, -1, InvalidOid));
}

/*
 * The rows with columns for the weights, or for the totals, which the node fills in.  OFFSET 0 keeps the planner from writing the
 * query into the level, and the level's conditions into the query.
 */
static Query *
make_weighable(Weighing *w)
{
	ListCell *lc;

	keep_column(w->rows, w->by.unit);
	for (Column i = 1; i <= list_length(w->by.keys); i++)
		keep_column(w->rows, i);
	if (w->by.place != 0)
		take_place(w);
	foreach (lc, w->by.weights)
	{
		Weight *weight = lfirst(lc);

		if (weight->norm == GAUSSDP_NORM_ROWS)
			take_size(w, weight);
		else
			take_value(w, weight);
		if (!w->by.adds_up && weight->norm != GAUSSDP_NORM_JOINT)
			weight->weight = add_empty_column(w->rows, INT8OID);
	}
	/* not before all weights have seen the sizes that they share */
	foreach (lc, w->by.weights)
	{
		const Weight *weight = lfirst(lc);
		bool is_computed = weight->call != NULL || weight->is_whole;

		if (weight->norm == GAUSSDP_NORM_ROWS && is_computed)
			list_nth_node(TargetEntry, w->rows->targetList, weight->size - 1)->expr =
				(Expr *) makeNullConst(INT8OID, -1, InvalidOid);
	}
	foreach (lc, w->by.totals)
	{
		GaussdpTotalColumn *total = lfirst(lc);

		total->column = add_empty_column(w->rows, BYTEAOID);
	}
	w->rows->limitOffset = (Node *) gaussdp_make_int8(0);
	return w->rows;
}

/* ---------------------------------------------------------------------------
 * The level over weighed rows
 * ---------------------------------------------------------------------------
 */

/* What a call of the level has become; equal calls have become the same. */
typedef struct Replacement
{
	const Aggref *agg;
	GaussdpCallParts call;
	const Weight *weight;
	Column value;                    /* 0 without, or where the weight has it */
	const GaussdpTotalColumn *total; /* NULL where nothing is added up by the node */
} Replacement;

typedef struct Replacing
{
	Weighing *w;
	List *replacements; /* of Replacement */
	const Query *weighed;
	const Aggref *written; /* the level's own call, where it is known */
} Replacing;

static bool
take_calls(Node *node, Replacing *replacing)
{
	Replacement *replacement;
	Weighing *w = replacing->w;
	const Aggref *agg;
	const Aggref *written;
	Weight *weight;

	if (node == NULL)
		return false;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, take_calls, replacing);
	agg = (Aggref *) node;
	written = replacing->written != NULL ? replacing->written : agg;
	replacement = palloc0(sizeof(Replacement));
	replacement->agg = agg;
	if (!gaussdp_call_parts(w->level, written, &replacement->call))
		elog(ERROR, "a parameter of a private aggregate has no value");
	if (replacement->call.value != NULL)
		replacement->call.value = linitial_node(TargetEntry, agg->args)->expr;
	weight = weight_of(w, agg, &replacement->call);
	weight->calls = lappend(weight->calls, unconstify(Aggref *, written));
	replacement->weight = weight;
	if (replacement->call.value != NULL && weight->norm == GAUSSDP_NORM_ROWS)
		replacement->value = column_with(w, replacement->call.value, false);
	replacing->replacements = lappend(replacing->replacements, replacement);
	return false;
}

static void
add_argument(Aggref *agg, Expr *expr)
{
	agg->args = lappend(
		agg->args, makeTargetEntry(expr, (AttrNumber) (list_length(agg->args) + 1), NULL, false));
	agg->aggargtypes = lappend_oid(agg->aggargtypes, exprType((Node *) expr));
}

static Aggref *
make_weighted(const Replacing *replacing, const Replacement *replacement)
{
	const Weight *weight = replacement->weight;
	bool is_total = replacement->total != NULL || weight->norm == GAUSSDP_NORM_JOINT;
	Column value = weight->norm == GAUSSDP_NORM_ROWS ? replacement->value : weight->value;
	Aggref *agg = makeNode(Aggref);

	/* Calls that Citus runs are taken apart, and known by their own names; of all others states are handed up, and no answers. */
	agg->aggfnoid = replacing->w->level->is_distributed ? replacement->agg->aggfnoid
					: is_total ? gaussdp_total_aggregate(&replacement->call.call)
							   : gaussdp_weighted_aggregate(&replacement->call.call);
	agg->aggtype = replacement->agg->aggtype;
	agg->aggcollid = replacement->agg->aggcollid;
	agg->aggkind = AGGKIND_NORMAL;
	agg->aggsplit = AGGSPLIT_SIMPLE;
	agg->aggno = agg->aggtransno = -1;
	agg->location = -1;
	add_argument(agg, gaussdp_column_of(replacing->weighed, replacement->total != NULL
																? replacement->total->column
																: weight->weight));
	add_argument(agg, make_params(&replacement->call));
	if (!is_total && value != 0)
		add_argument(agg, gaussdp_column_of(replacing->weighed, value));
	return agg;
}

/* Keys are columns of the weighed rows, and calls are made over others. */
static Node *
column_for(Node *node, void *context)
{
	const Replacing *replacing = context;
	ListCell *lc;

	if (IsA(node, Aggref))
		foreach (lc, replacing->replacements)
			if (((Replacement *) lfirst(lc))->agg == (Aggref *) node)
				return (Node *) make_weighted(replacing, lfirst(lc));
	for (Column i = 1; i <= list_length(replacing->w->by.keys); i++)
		if (equal(node, gaussdp_expression_of(replacing->w->rows, i)))
			return (Node *) gaussdp_column_of(replacing->weighed, i);
	return NULL;
}

/* What the node adds up for this call; equal ones are one. */
static const GaussdpTotalColumn *
total_of(Weighing *w, const Replacement *replacement)
{
	const GaussdpCallParts *call = &replacement->call;
	Oid type = call->value == NULL ? INT8OID : exprType((Node *) call->value);
	GaussdpTotalColumn *total = palloc0(sizeof(GaussdpTotalColumn));
	ListCell *lc;

	total->call = make_row_size(call, (Expr *) makeNullConst(type, -1, InvalidOid));
	foreach (lc, w->by.weights)
		if (lfirst(lc) == replacement->weight)
			total->weight = foreach_current_index(lc);
	foreach (lc, w->by.totals)
	{
		const GaussdpTotalColumn *other = lfirst(lc);

		if (other->weight == total->weight && equal(other->call, total->call))
			return other;
	}
	w->by.totals = lappend(w->by.totals, total);
	return total;
}

/* The node adds up what is clipped as a whole, and all people where all calls have totals. */
static void
add_up(Replacing *replacing)
{
	Weighing *w = replacing->w;
	ListCell *lc;

	w->by.adds_up = replacing->replacements != NIL;
	foreach (lc, replacing->replacements)
		if (!OidIsValid(gaussdp_total_aggregate(&((Replacement *) lfirst(lc))->call.call)))
			w->by.adds_up = false;
	foreach (lc, replacing->replacements)
	{
		Replacement *replacement = lfirst(lc);

		if (w->by.adds_up || replacement->weight->norm == GAUSSDP_NORM_JOINT)
			replacement->total = total_of(w, replacement);
	}
}

void
gaussdp_drop_rows_of_nobody(const GaussdpLevel *level, Query *query)
{
	Node *present;

	if (!level->finds_groups || level->extending == NULL)
		return;
	present = (Node *) gaussdp_make_present((Expr *) gaussdp_make_owner_var(level));
	query->jointree =
		makeFromExpr(query->jointree->fromlist, make_and_qual(query->jointree->quals, present));
}

void
gaussdp_weigh_rows(const GaussdpLevel *level, Query *query, const List *written,
				   GaussdpWeighing **by_node)
{
	Weighing w = {.level = level};
	Replacing replacing = {.w = &w};
	Query *weighed;
	ListCell *lc;

	group_once(query);
	make_rows(&w, query);
	foreach (lc, query->targetList)
	{
		Node *call = written == NIL ? NULL : list_nth(written, foreach_current_index(lc));

		replacing.written = call != NULL && IsA(call, Aggref) ? (Aggref *) call : NULL;
		(void) take_calls(lfirst(lc), &replacing);
	}
	replacing.written = NULL;
	(void) take_calls(query->havingQual, &replacing);
	if (by_node != NULL && gaussdp_can_partition(w.rows, &w.by))
	{
		add_up(&replacing);
		weighed = make_weighable(&w);
		*by_node = palloc(sizeof(GaussdpWeighing));
		**by_node = w.by;
	}
	else
		weighed = gaussdp_weigh_by_windows(&w.by, w.rows);
	replacing.weighed = weighed;
	query->targetList =
		(List *) gaussdp_over_columns((Node *) query->targetList, column_for, &replacing);
	query->havingQual = gaussdp_over_columns(query->havingQual, column_for, &replacing);
	query->hasRowSecurity = false;
	gaussdp_read_from(query, weighed);
}
