/*
 * window_order.c
 *		An order for rows that a window leaves as equals.
 *
 * What lag, row_number and their like make of equals changes with the plan, and with everybody's rows.  So where that could
 * show, a person's rows are numbered before, in the order of all columns that the query reads, to the bit:
 *
 *		SELECT u, lag(x) OVER (PARTITION BY u ORDER BY day) FROM visits
 *
 * becomes
 *
 *		SELECT u, lag(x) OVER (PARTITION BY u ORDER BY day, number)
 *		FROM (SELECT u, x, day, row_number() OVER (PARTITION BY u ORDER BY x, day) AS number FROM visits) AS below
 *
 * A column whose type takes for equal what looks different is ordered by its bytes (image.c).  Rows that are equals there are
 * the same in all that can be seen of them, whichever has which number.  No two rows are equals in a window then, and all
 * windows of the query agree: were each ordered by the columns, a row could be the first of those that look the same in one
 * window and the last in another.
 */
#include "postgres.h"

#include "catalog/pg_operator.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_clause.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/exec/nested.h"
#include "policy/exec/window_order.h"
#include "policy/proof/proof.h"
#include "query_tree.h"

#define Int8EqualOperator 410

/* A query whose rows are being numbered. */
typedef struct Numbering
{
	const GaussdpLevel *level; /* what is known of the query */
	List *columns;             /* of Var: what is read, the unit first */
} Numbering;

/* Is there a call for which the order of equals matters? */
static bool
needs_order(Node *node, Query *query)
{
	if (node == NULL)
		return false;
	if (IsA(node, WindowFunc))
		return gaussdp_depends_on_equals((WindowFunc *) node, query);
	return expression_tree_walker(node, needs_order, query);
}

/* The column's bytes, or a hash of them: however long it is, what is sorted by is short. */
static Expr *
make_image(Var *column)
{
	return (Expr *) makeFuncExpr(gaussdp_own_function("image", list_make1_oid(ANYOID)), BYTEAOID,
								 list_make1(copyObject(column)), InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

static SortGroupClause *
sort_by(Query *query, TargetEntry *target, Oid equality, Oid less)
{
	SortGroupClause *clause = makeNode(SortGroupClause);

	clause->tleSortGroupRef = assignSortGroupRef(target, query->targetList);
	clause->eqop = equality;
	clause->sortop = less;
	return clause;
}

/* A column that the query sorts by and does not show. */
static TargetEntry *
add_hidden(Query *query, Expr *expr)
{
	TargetEntry *target =
		makeTargetEntry(expr, (AttrNumber) (list_length(query->targetList) + 1), NULL, true);

	query->targetList = lappend(query->targetList, target);
	return target;
}

/* Sorts by a column of the query, so that only what looks the same is equal. */
static SortGroupClause *
sort_by_image(const GaussdpLevel *level, Query *query, int number)
{
	TargetEntry *target = list_nth_node(TargetEntry, query->targetList, number - 1);
	Var *column = (Var *) target->expr;
	TypeCacheEntry *type = lookup_type_cache(column->vartype, TYPECACHE_LT_OPR | TYPECACHE_EQ_OPR);

	if (gaussdp_has_one_image(level, (Node *) column) &&
		gaussdp_operator_is_total(type->lt_opr, column->varcollid) &&
		gaussdp_operator_is_total(type->eq_opr, column->varcollid))
		return sort_by(query, target, type->eq_opr, type->lt_opr);
	return sort_by(query, add_hidden(query, make_image(column)), ByteaEqualOperator,
				   ByteaLessOperator);
}

/* The rows of a person, of which all columns but the unit tell equals apart; and that, where 1.0 and 1.00 are one person. */
static WindowClause *
make_window(const Numbering *n, Query *below)
{
	WindowClause *window = makeNode(WindowClause);
	Var *unit = linitial_node(Var, n->columns);
	TypeCacheEntry *type = lookup_type_cache(unit->vartype, TYPECACHE_LT_OPR | TYPECACHE_EQ_OPR);
	ListCell *lc;

	window->winref = 1;
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->partitionClause = list_make1(
		sort_by(below, linitial_node(TargetEntry, below->targetList), type->eq_opr, type->lt_opr));
	foreach (lc, n->columns)
		if (!gaussdp_is_unit(n->level, lfirst(lc)) || !gaussdp_has_one_image(n->level, lfirst(lc)))
			window->orderClause = lappend(
				window->orderClause, sort_by_image(n->level, below, foreach_current_index(lc) + 1));
	return window;
}

/* FROM and WHERE of the query: the columns that it reads, and behind them the number. */
static Query *
make_numbered(const Numbering *n, const Query *query)
{
	Query *below = makeNode(Query);
	WindowFunc *number = makeNode(WindowFunc);
	ListCell *lc;

	below->commandType = CMD_SELECT;
	below->canSetTag = true;
	below->rtable = query->rtable;
	gaussdp_take_permissions(below, query);
	below->jointree = query->jointree;
	below->hasRowSecurity = query->hasRowSecurity;
	foreach (lc, n->columns)
		(void) gaussdp_add_column(below, (Expr *) copyObject(lfirst(lc)));
	number->winfnoid = F_ROW_NUMBER;
	number->wintype = INT8OID;
	number->winref = 1;
	number->location = -1;
	(void) gaussdp_add_column(below, (Expr *) number);
	below->windowClause = list_make1(make_window(n, below));
	below->hasWindowFuncs = true;
	return below;
}

/* A column that is read is one of the numbered rows. */
static Node *
column_of_numbered(Node *node, void *context)
{
	const Numbering *n = context;
	const Var *var = (const Var *) node;
	ListCell *lc;

	foreach (lc, n->columns)
		if (equal(node, lfirst(lc)))
			return (Node *) makeVar(1, (AttrNumber) (foreach_current_index(lc) + 1), var->vartype,
									var->vartypmod, var->varcollid, 0);
	return NULL;
}

/* The window with the number behind its ORDER BY. */
static WindowClause *
make_ordered(const WindowClause *window, const SortGroupClause *number, int nwindows)
{
	WindowClause *result = copyObject(unconstify(WindowClause *, window));

	/* Without ORDER BY all rows are equals, and a frame that ends with them holds all. */
	if (window->orderClause == NIL && gaussdp_frame_ends_with_equals(window))
	{
		result->frameOptions &= ~FRAMEOPTION_END_CURRENT_ROW;
		result->frameOptions |= FRAMEOPTION_END_UNBOUNDED_FOLLOWING;
	}
	result->name = result->refname = NULL;
	result->orderClause =
		lappend(result->orderClause, copyObject(unconstify(SortGroupClause *, number)));
	result->winref += (Index) nwindows;
	return result;
}

/* Leads calls for which the order matters to the windows that have one. */
static bool
lead_calls(Node *node, Query *query)
{
	if (node == NULL)
		return false;
	if (!IsA(node, WindowFunc))
		return expression_tree_walker(node, lead_calls, query);
	if (gaussdp_depends_on_equals((WindowFunc *) node, query))
		((WindowFunc *) node)->winref += (Index) list_length(query->windowClause);
	return false;
}

static void
order_windows(const GaussdpLevel *level, Query *query)
{
	Numbering n = {level, list_make1(gaussdp_make_owner_var(level))};
	Query *below;
	SortGroupClause *number;
	List *ordered = NIL;
	ListCell *lc;

	foreach (lc, pull_var_clause((Node *) query->targetList, PVC_RECURSE_WINDOWFUNCS))
		n.columns = list_append_unique(n.columns, lfirst(lc));
	below = make_numbered(&n, query);
	query->targetList =
		(List *) gaussdp_over_columns((Node *) query->targetList, column_of_numbered, &n);
	query->hasRowSecurity = false;
	gaussdp_read_from(query, below);
	number = sort_by(
		query,
		add_hidden(query, gaussdp_column_of(below, (AttrNumber) (list_length(n.columns) + 1))),
		Int8EqualOperator, Int8LessOperator);
	foreach (lc, query->windowClause)
		ordered = lappend(ordered, make_ordered(lfirst_node(WindowClause, lc), number,
												list_length(query->windowClause)));
	(void) lead_calls((Node *) query->targetList, query);
	query->windowClause = list_concat(query->windowClause, ordered);
}

void
gaussdp_order_windows(const GaussdpLevel *level, Query *query)
{
	ListCell *lc;

	check_stack_depth();
	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		if (owner->inner != NULL)
			gaussdp_order_windows(owner->inner, rt_fetch(owner->rti, query->rtable)->subquery);
	}
	if (level->has_windows && needs_order((Node *) query->targetList, query))
		order_windows(level, query);
}
