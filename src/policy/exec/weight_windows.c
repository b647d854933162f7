/*
 * weight_windows.c
 *		Weighs the rows of people with window functions.
 *
 * What the plan node of people.h computes by partitions of people, for all that it does not cover.  The rows of the level
 * (weights.c) become a pile of queries:
 *
 *		ranked     and the place of each group among its person's, in an order drawn at random
 *		summed     and size_sum, over rows whose group is among the first max_groups; or the total and a number from 1 on of each row
 *		           in its group, where coordinates are clipped together
 *		weighed    and the weight for each call; or the clipped total, in the first row of each person in each group
 *		numbered   where different values are counted: numbers of people and of values in their groups, and a random place for each
 *		matched    and the weight, which one row has for each value that a person takes, in the order of these
 *
 * Nothing here depends on the order of rows.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"

#include "aggregate/calls.h"
#include "policy/exec/nested.h"
#include "policy/exec/weight_windows.h"

/* The rows of a window up to the one at hand. */
#define FRAME_SO_FAR                                                                               \
	(FRAMEOPTION_NONDEFAULT | FRAMEOPTION_ROWS | FRAMEOPTION_BETWEEN |                             \
	 FRAMEOPTION_START_UNBOUNDED_PRECEDING | FRAMEOPTION_END_CURRENT_ROW)

#define Int8LessEqualOperator 414

/* What the windows read of the rows where norms are not of sizes. */
static void
add_norm_columns(const GaussdpWeighing *by, Query *rows)
{
	ListCell *lc;

	foreach (lc, by->weights)
	{
		GaussdpWeight *weight = lfirst(lc);

		if (weight->norm != GAUSSDP_NORM_BINS)
			continue;
		weight->size = gaussdp_add_column(rows, (Expr *) copyObject(weight->call));
		weight->bin = gaussdp_add_column(
			rows, (Expr *) makeFuncExpr(gaussdp_row_bin_function(), INT4OID,
										copyObject(weight->call->args), InvalidOid, InvalidOid,
										COERCE_EXPLICIT_CALL));
	}
}

/* A window of the rows of one person, or of one person in one group. */
static Index
add_window(const GaussdpWeighing *by, Query *query, bool of_group, int frame)
{
	WindowClause *window = makeNode(WindowClause);
	ListCell *lc;

	window->winref = (Index) (list_length(query->windowClause) + 1);
	window->frameOptions = frame;
	window->partitionClause =
		list_make1(gaussdp_compare(query, by->unit, gaussdp_comparison_of(query, by->unit)));
	/* Equal keys have equal places: named here, too, the rows are sorted only once. */
	if (of_group && by->place != 0)
		window->partitionClause =
			lappend(window->partitionClause,
					gaussdp_compare(query, by->place, gaussdp_comparison_of(query, by->place)));
	if (of_group)
		foreach (lc, by->keys)
			window->partitionClause =
				lappend(window->partitionClause,
						gaussdp_compare(query, (AttrNumber) (foreach_current_index(lc) + 1),
										lfirst_node(SortGroupClause, lc)));
	query->windowClause = lappend(query->windowClause, window);
	query->hasWindowFuncs = true;
	return window->winref;
}

static Expr *
make_window_call(Oid function, bool is_aggregate, Oid result, List *args, Index window)
{
	WindowFunc *call = makeNode(WindowFunc);

	call->winfnoid = function;
	call->wintype = result;
	call->args = args;
	call->winref = window;
	call->winagg = is_aggregate;
	call->location = -1;
	return (Expr *) call;
}

static Expr *
make_comparison(Oid operator, Expr * left, Expr *right)
{
	Expr *expr = make_opclause(operator, BOOLOID, false, left, right, InvalidOid, InvalidOid);

	set_opfuncid((OpExpr *) expr);
	return expr;
}

/* Adds the place of each group among its person's, from 1 on; ties are told apart by the keys. */
static Query *
rank_groups(const GaussdpWeighing *by, Query *rows, AttrNumber *rank)
{
	Query *ranked = gaussdp_make_query_over(rows);
	Index window = add_window(by, ranked, false, FRAMEOPTION_DEFAULTS);
	WindowClause *clause = llast_node(WindowClause, ranked->windowClause);
	ListCell *lc;

	clause->orderClause =
		list_make1(gaussdp_compare(ranked, by->place, gaussdp_comparison_of(ranked, by->place)));
	foreach (lc, by->keys)
		clause->orderClause =
			lappend(clause->orderClause,
					gaussdp_compare(ranked, (AttrNumber) (foreach_current_index(lc) + 1),
									lfirst_node(SortGroupClause, lc)));
	*rank =
		gaussdp_add_column(ranked, make_window_call(F_DENSE_RANK_, false, INT8OID, NIL, window));
	return ranked;
}

/* The window of the rows of one person in one group whose sizes this weight sums. */
static Index
window_of(const GaussdpWeighing *by, Query *summed, const GaussdpWeight *weight)
{
	Index window =
		add_window(by, summed, true, weight->of_people ? FRAME_SO_FAR : FRAMEOPTION_DEFAULTS);
	WindowClause *clause = llast_node(WindowClause, summed->windowClause);

	if (weight->norm == GAUSSDP_NORM_BINS)
		clause->partitionClause = lappend(
			clause->partitionClause,
			gaussdp_compare(summed, weight->bin, gaussdp_comparison_of(summed, weight->bin)));
	return window;
}

/* Adds what the rows of each person in each group add up to, and numbers them. */
static void
sum_together(GaussdpWeight *weight, Query *summed, const Query *below, Index window)
{
	List *args = list_make3(copyObject(linitial(weight->call->args)),
							copyObject(lsecond(weight->call->args)),
							gaussdp_column_of(below, weight->value));

	weight->sum = gaussdp_add_column(
		summed, make_window_call(gaussdp_person_total_aggregate(), true, BYTEAOID, args, window));
	weight->number =
		gaussdp_add_column(summed, make_window_call(F_ROW_NUMBER, false, INT8OID, NIL, window));
}

/* Adds the sizes of each person in each group. */
static Query *
sum_sizes(const GaussdpWeighing *by, Query *rows)
{
	Oid size_sum = gaussdp_size_sum_aggregate();
	Index whole = 0;
	Index so_far = 0;
	AttrNumber rank = 0;
	Query *below = by->place != 0 ? rank_groups(by, rows, &rank) : rows;
	Query *summed = gaussdp_make_query_over(below);
	ListCell *lc;

	if (rank != 0)
		summed->jointree->quals =
			(Node *) make_comparison(Int8LessEqualOperator, gaussdp_column_of(below, rank),
									 gaussdp_make_int8(by->max_groups));
	foreach (lc, by->weights)
	{
		GaussdpWeight *weight = lfirst(lc);
		Index own = 0;
		Index *window = weight->norm == GAUSSDP_NORM_BINS ? &own
						: weight->of_people               ? &so_far
														  : &whole;

		if (weight->distinct != 0)
			continue;
		if (*window == 0)
			*window = window_of(by, summed, weight);
		if (weight->norm == GAUSSDP_NORM_JOINT)
			sum_together(weight, summed, below, *window);
		else
			weight->sum = gaussdp_add_column(
				summed,
				make_window_call(size_sum, true, INT8OID,
								 list_make1(gaussdp_column_of(below, weight->size)), *window));
	}
	return summed;
}

/* Does the row count, and is it, where people are counted, the first that does of its person in its group? */
static Expr *
make_counts(const GaussdpWeight *weight, const Query *below)
{
	Expr *counts = make_comparison(Int8LessOperator, gaussdp_make_int8(0),
								   gaussdp_column_of(below, weight->size));

	if (!weight->of_people)
		return counts;
	return makeBoolExpr(AND_EXPR,
						list_make2(counts, make_comparison(Int8LessEqualOperator,
														   gaussdp_column_of(below, weight->sum),
														   gaussdp_make_int8(GDP_SIZE_ROW))),
						-1);
}

/* The clipped total of the person in the group, in one row. */
static Expr *
clip_together(const GaussdpWeight *weight, const Query *below, Index window)
{
	Expr *first = make_comparison(Int8LessEqualOperator, gaussdp_column_of(below, weight->number),
								  gaussdp_make_int8(1));
	Expr *total = gaussdp_column_of(below, weight->sum);
	List *args =
		list_make4(gaussdp_make_value_if(first, total), copyObject(linitial(weight->call->args)),
				   copyObject(lsecond(weight->call->args)), gaussdp_make_int8(weight->most));
	Expr *m = make_window_call(gaussdp_total_weight_aggregate(), true, INT8OID, args, window);

	return gaussdp_make_value_if(copyObject(first),
								 (Expr *) makeFuncExpr(gaussdp_clip_total_function(), BYTEAOID,
													   list_make2(copyObject(total), m), InvalidOid,
													   InvalidOid, COERCE_EXPLICIT_CALL));
}

/* Adds the weights.  A row that does not count has none. */
static Query *
weigh(const GaussdpWeighing *by, Query *summed)
{
	Oid person_weight = gaussdp_person_weight_aggregate();
	Query *weighed = gaussdp_make_query_over(summed);
	Index window = add_window(by, weighed, false, FRAMEOPTION_DEFAULTS);
	ListCell *lc;

	foreach (lc, by->weights)
	{
		GaussdpWeight *weight = lfirst(lc);
		Expr *size;
		Expr *sum;

		if (weight->distinct != 0)
			continue;
		if (weight->norm == GAUSSDP_NORM_JOINT)
		{
			weight->weight = gaussdp_add_column(weighed, clip_together(weight, summed, window));
			continue;
		}
		size = gaussdp_column_of(summed, weight->size);
		sum = gaussdp_column_of(summed, weight->sum);
		/* of each group once */
		if (weight->of_people)
		{
			size =
				gaussdp_make_size_if(make_counts(weight, summed), gaussdp_make_int8(GDP_SIZE_ROW));
			sum = gaussdp_make_int8(GDP_SIZE_ROW);
		}
		weight->weight = gaussdp_add_column(
			weighed,
			gaussdp_make_size_if(
				make_counts(weight, summed),
				make_window_call(person_weight, true, INT8OID,
								 list_make3(size, sum, gaussdp_make_int8(weight->most)), window)));
	}
	return weighed;
}

/* ---------------------------------------------------------------------------
 * Different values
 * ---------------------------------------------------------------------------
 */

/* A window of all rows, without an order yet. */
static WindowClause *
add_window_of_all(Query *query)
{
	WindowClause *window = makeNode(WindowClause);

	window->winref = (Index) (list_length(query->windowClause) + 1);
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	query->windowClause = lappend(query->windowClause, window);
	query->hasWindowFuncs = true;
	return window;
}

static void
order_by(Query *query, WindowClause *window, AttrNumber column, const SortGroupClause *how)
{
	window->orderClause = lappend(window->orderClause, gaussdp_compare(query, column, how));
}

/* The same for equal values of a group, in any order, and anew in each execution; as in weights.c, of many keys the first ones do. */
static Expr *
make_value_place(const GaussdpWeighing *by, const GaussdpWeight *weight, const Query *below)
{
	List *args = list_make2(gaussdp_make_int8(gaussdp_random_seed()),
							gaussdp_column_of(below, weight->distinct));
	int nkeys = Min(list_length(by->keys), FUNC_MAX_ARGS - 2);

	for (int i = 1; i <= nkeys; i++)
		args = lappend(args, gaussdp_column_of(below, (AttrNumber) i));
	return (Expr *) makeFuncExpr(
		gaussdp_call_packed("group_place", list_make2_oid(INT8OID, ANYOID)), INT8OID, args,
		InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Numbers people, and for each weight of values these in their groups: equal ones alone have one number. */
static Query *
number_values(const GaussdpWeighing *by, Query *weighed, AttrNumber *person)
{
	Query *numbered = gaussdp_make_query_over(weighed);
	Index own = add_window(by, numbered, false, FRAMEOPTION_DEFAULTS);
	WindowClause *of_people = add_window_of_all(numbered);
	Oid size_sum = gaussdp_size_sum_aggregate();
	ListCell *lc;
	ListCell *lc2;

	order_by(numbered, of_people, by->unit, gaussdp_comparison_of(numbered, by->unit));
	*person = gaussdp_add_column(
		numbered, make_window_call(F_DENSE_RANK_, false, INT8OID, NIL, of_people->winref));
	foreach (lc, by->weights)
	{
		GaussdpWeight *weight = lfirst(lc);
		WindowClause *window;

		if (weight->distinct == 0)
			continue;
		window = add_window_of_all(numbered);
		foreach (lc2, by->keys)
			order_by(numbered, window, (AttrNumber) (foreach_current_index(lc2) + 1),
					 lfirst_node(SortGroupClause, lc2));
		order_by(numbered, window, weight->distinct, weight->compared);
		weight->number = gaussdp_add_column(
			numbered, make_window_call(F_DENSE_RANK_, false, INT8OID, NIL, window->winref));
		weight->rows = gaussdp_add_column(
			numbered, make_window_call(size_sum, true, INT8OID,
									   list_make1(gaussdp_column_of(weighed, weight->size)), own));
		weight->value_place = gaussdp_add_column(numbered, make_value_place(by, weight, weighed));
	}
	return numbered;
}

/*
 * Adds the weights of values.  The order of people, and of the values of each, is the same whoever else is there: those with fewer rows
 * that count come first, who have less of a choice, then it is that of units; that of values is random, ties by their order.
 */
static Query *
match_values(const GaussdpWeighing *by, Query *numbered, AttrNumber person)
{
	Query *matched = gaussdp_make_query_over(numbered);
	Oid takes =
		gaussdp_call_packed("takes_value", list_make4_oid(INT8OID, INT8OID, INT8OID, INT8OID));
	ListCell *lc;

	foreach (lc, by->weights)
	{
		GaussdpWeight *weight = lfirst(lc);
		WindowClause *window;
		List *args;

		if (weight->distinct == 0)
			continue;
		window = add_window_of_all(matched);
		order_by(matched, window, weight->rows, gaussdp_comparison_of(matched, weight->rows));
		order_by(matched, window, person, gaussdp_comparison_of(matched, person));
		order_by(matched, window, weight->value_place,
				 gaussdp_comparison_of(matched, weight->value_place));
		order_by(matched, window, weight->number, gaussdp_comparison_of(matched, weight->number));
		args = list_make4(
			gaussdp_column_of(numbered, person), gaussdp_column_of(numbered, weight->number),
			gaussdp_column_of(numbered, weight->size), gaussdp_make_int8(weight->most));
		weight->weight = gaussdp_add_column(
			matched, make_window_call(takes, false, INT8OID, args, window->winref));
	}
	return matched;
}

Query *
gaussdp_weigh_by_windows(const GaussdpWeighing *by, Query *rows)
{
	Query *weighed;
	AttrNumber person;
	ListCell *lc;

	add_norm_columns(by, rows);
	weighed = weigh(by, sum_sizes(by, rows));
	foreach (lc, by->weights)
		if (((const GaussdpWeight *) lfirst(lc))->distinct != 0)
		{
			weighed = number_values(by, weighed, &person);
			return match_values(by, weighed, person);
		}
	return weighed;
}
