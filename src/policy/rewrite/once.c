/*
 * once.c
 *		count(DISTINCT order_id) over rows that name an order more than once.
 *
 *		SELECT product, count(DISTINCT order_id), sum(quantity) FROM items WHERE quantity > 0 GROUP BY product
 *
 * An order is one person's, so of the rows that name it, all one person's, one is counted:
 *
 *		SELECT product, count(order_id) FILTER (WHERE first_1 = 1), sum(quantity)
 *		FROM (SELECT product, order_id, quantity, row_number() OVER (PARTITION BY order_id, product) AS first_1 FROM items WHERE quantity > 0) rows
 *		GROUP BY product
 *
 * A person counts as many orders as rows otherwise, max_rows at most.  Which row is the first changes nothing that is shown.  The window is
 * partitioned by the order's owner, too, which makes the same parts (gaussdp_partition_by_owner), and proof/windows.c asks for it.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "declaration/declaration.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

typedef struct Once
{
	Query *query;
	List *queries; /* the query, and those around it */
	Query *rows;   /* the sub-select that its FROM becomes */
} Once;

/* What is counted: a column, or several, count(DISTINCT (order_id, line)). */
static List *
counted_columns(const Aggref *agg)
{
	Expr *value = linitial_node(TargetEntry, agg->args)->expr;

	return IsA(value, RowExpr) ? ((RowExpr *) value)->args : list_make1(value);
}

/* By default of a type. */
static SortGroupClause
key_of_type(Oid type)
{
	TypeCacheEntry *cached =
		lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_HASH_PROC);

	return (SortGroupClause){.type = T_SortGroupClause,
							 .eqop = cached->eq_opr,
							 .sortop = cached->lt_opr,
							 .hashable = OidIsValid(cached->hash_proc)};
}

/* Is it a count of different values of columns that name rows? */
static bool
counts_rows_once(const Once *o, const Node *node)
{
	const Aggref *agg = (const Aggref *) node;
	const RangeTblEntry *entry = NULL;
	Bitmapset *columns = NULL;
	AttrNumber column = InvalidAttrNumber;
	GaussdpTable table;
	ListCell *lc;

	if (!IsA(node, Aggref) || agg->agglevelsup != 0 || agg->aggfnoid != F_COUNT_ANY ||
		list_length(agg->aggdistinct) != 1 || list_length(agg->args) != 1)
		return false;
	foreach (lc, counted_columns(agg))
	{
		const RangeTblEntry *of =
			IsA(lfirst(lc), Var) ? gaussdp_base_column(lfirst(lc), o->queries, &column) : NULL;

		if (of == NULL || column <= 0 || (entry != NULL && of != entry) ||
			!OidIsValid(key_of_type(exprType(lfirst(lc))).eqop))
			return false;
		entry = of;
		columns = bms_add_member(columns, column);
	}
	if (entry == NULL || !gaussdp_names_row(entry, columns) || !gaussdp_table(entry->relid, &table))
		return false;
	/* People are counted as people. */
	return bms_num_members(columns) > 1 ||
		   ((table.has_path || column != table.unit) &&
			!gaussdp_is_key_of_rows(linitial(counted_columns(agg)),
									linitial_node(SortGroupClause, agg->aggdistinct)->eqop,
									o->queries));
}

/* Stops, with true, at such a count. */
static bool
finds_count(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return counts_rows_once(context, node) || expression_tree_walker(node, finds_count, context);
}

/* Does the tree count different values?  Where it does by CASE, by a condition from now on. */
static bool
counts_distinct(Node *node, bool *found)
{
	Aggref *agg = (Aggref *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && agg->agglevelsup == 0 && agg->aggfnoid == F_COUNT_ANY &&
		list_length(agg->aggdistinct) == 1 && list_length(agg->args) == 1)
	{
		*found = true;
		gaussdp_filter_by_case(agg);
	}
	return expression_tree_walker(node, counts_distinct, found);
}

/* Stops, with true, at a whole row, or at a sub-select that reads columns around it. */
static bool
finds_other_columns(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return gaussdp_is_correlated((Query *) node);
	if (IsA(node, Var) && ((Var *) node)->varattno <= 0)
		return true;
	return expression_tree_walker(node, finds_other_columns, context);
}

/* WITH queries of the query itself are one level further out for its FROM, and for what is in there. */
static bool
move_with(Node *node, void *context)
{
	Index *depth = context;
	bool stop;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *entry = (RangeTblEntry *) node;

		if (entry->rtekind == RTE_CTE && entry->ctelevelsup == *depth)
			entry->ctelevelsup++;
		return false;
	}
	if (!IsA(node, Query))
		return expression_tree_walker(node, move_with, context);
	(*depth)++;
	stop = query_tree_walker((Query *) node, move_with, context, QTW_EXAMINE_RTES_BEFORE);
	(*depth)--;
	return stop;
}

static Var *
add_column(Query *rows, const void *expr, Index ref)
{
	AttrNumber number = (AttrNumber) (list_length(rows->targetList) + 1);
	TargetEntry *column =
		makeTargetEntry((Expr *) copyObject(expr), number, psprintf("column_%d", number), false);

	column->ressortgroupref = ref;
	rows->targetList = lappend(rows->targetList, column);
	return makeVarFromTargetEntry(1, column);
}

/* The column of the sub-select that shows this one of FROM. */
static Node *
column_of(Query *rows, const Var *var)
{
	ListCell *lc;

	foreach (lc, rows->targetList)
		if (lfirst_node(TargetEntry, lc)->ressortgroupref == 0 &&
			equal(lfirst_node(TargetEntry, lc)->expr, var))
			return (Node *) makeVarFromTargetEntry(1, lfirst(lc));
	return (Node *) add_column(rows, var, 0);
}

/* A key of a window, as it groups. */
static void
add_key(Query *rows, WindowClause *window, const void *key, const SortGroupClause *grouped)
{
	SortGroupClause *clause = copyObject(unconstify(SortGroupClause *, grouped));

	clause->tleSortGroupRef = (Index) (list_length(rows->targetList) + 1);
	(void) add_column(rows, key, clause->tleSortGroupRef);
	window->partitionClause = lappend(window->partitionClause, clause);
}

/* row_number() OVER (PARTITION BY values, keys of the groups, the count's own condition), as a column of the sub-select. */
static Expr *
number_rows(const Once *o, const Aggref *agg)
{
	WindowClause *window = makeNode(WindowClause);
	WindowFunc *number = makeNode(WindowFunc);
	SortGroupClause of_condition = key_of_type(BOOLOID);
	ListCell *lc;

	foreach (lc, counted_columns(agg))
	{
		SortGroupClause of_column = key_of_type(exprType(lfirst(lc)));

		add_key(o->rows, window, lfirst(lc), &of_column);
	}
	foreach (lc, o->query->groupClause)
		add_key(o->rows, window, get_sortgroupclause_expr(lfirst(lc), o->query->targetList),
				lfirst(lc));
	if (agg->aggfilter != NULL)
		add_key(o->rows, window, agg->aggfilter, &of_condition);
	window->frameOptions = FRAMEOPTION_DEFAULTS;
	window->winref = (Index) (list_length(o->rows->windowClause) + 1);
	o->rows->windowClause = lappend(o->rows->windowClause, window);
	o->rows->hasWindowFuncs = true;
	number->winfnoid = F_ROW_NUMBER;
	number->wintype = INT8OID;
	number->winref = window->winref;
	number->location = -1;
	return (Expr *) add_column(o->rows, number, 0);
}

/* The tree over columns of the sub-select; count(DISTINCT x) FILTER (WHERE p) as count(x) FILTER (WHERE p AND first = 1). */
static Node *
over_rows(Node *node, void *context)
{
	const Once *o = context;
	Aggref *agg;
	Expr *first;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup == 0 ? column_of(o->rows, (Var *) node) : node;
	if (!counts_rows_once(o, node))
		return expression_tree_mutator(node, over_rows, context);
	agg = castNode(Aggref, expression_tree_mutator(node, over_rows, context));
	first = gaussdp_make_equality(gaussdp_equality_of_type(INT8OID),
								  (Node *) number_rows(o, (Aggref *) node),
								  (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
													 Int64GetDatum(1), false, FLOAT8PASSBYVAL),
								  InvalidOid);
	agg->aggdistinct = NIL;
	/* A row of several columns is never NULL. */
	if (IsA(linitial_node(TargetEntry, agg->args)->expr, RowExpr))
	{
		agg->aggfnoid = F_COUNT_;
		agg->aggstar = true;
		agg->args = agg->aggargtypes = NIL;
	}
	agg->aggfilter = agg->aggfilter == NULL
						 ? first
						 : makeBoolExpr(AND_EXPR, list_make2(agg->aggfilter, first), -1);
	return (Node *) agg;
}

/* FROM and WHERE of the query, as a sub-select that shows nothing yet. */
static Query *
take_rows(const Query *q)
{
	Query *rows = makeNode(Query);

	rows->commandType = CMD_SELECT;
	rows->canSetTag = true;
	rows->rtable = q->rtable;
	gaussdp_take_permissions(rows, q);
	rows->jointree = q->jointree;
	rows->hasSubLinks = q->hasSubLinks;
	rows->hasRowSecurity = q->hasRowSecurity;
	return rows;
}

/* The sub-select takes the place of FROM and WHERE, and all that is around it is one level further out. */
static void
put_rows(Query *q, Query *rows)
{
	ParseState *pstate = make_parsestate(NULL);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Index depth = 0;

	IncrementVarSublevelsUp((Node *) rows, 1, 1);
	(void) query_tree_walker(rows, move_with, &depth, QTW_EXAMINE_RTES_BEFORE);
	q->rtable = NIL;
	q->hasRowSecurity = false;
	q->hasSubLinks =
		checkExprHasSubLink((Node *) q->targetList) || checkExprHasSubLink(q->havingQual);
	gaussdp_take_permissions(q, NULL);
	gaussdp_lend_entries(pstate, q);
	ref->rtindex =
		addRangeTableEntryForSubquery(pstate, rows, makeAlias("rows", NIL), false, true)->p_rtindex;
	gaussdp_return_entries(pstate, q);
	q->jointree = makeFromExpr(list_make1(ref), NULL);
}

void
gaussdp_count_rows_once(Query *q, List *queries)
{
	Once o = {.query = q, .queries = queries};
	int others = ~(GAUSSDP_CLAUSE_WITH | GAUSSDP_CLAUSE_GROUP | GAUSSDP_CLAUSE_HAVING |
				   GAUSSDP_CLAUSE_AGGREGATE | GAUSSDP_CLAUSE_DISTINCT | GAUSSDP_CLAUSE_ORDER |
				   GAUSSDP_CLAUSE_LIMIT | GAUSSDP_CLAUSE_SUBLINK);
	bool has_distinct = false;
	List *shown;
	Node *having;

	if ((gaussdp_clauses(q) & others) != 0)
		return;
	(void) counts_distinct((Node *) q->targetList, &has_distinct);
	(void) counts_distinct(q->havingQual, &has_distinct);
	if (!has_distinct)
		return;
	gaussdp_flatten_groups(q);
	gaussdp_write_out_joins(q);
	if (finds_other_columns((Node *) q->targetList, NULL) ||
		finds_other_columns(q->havingQual, NULL) ||
		(!finds_count((Node *) q->targetList, &o) && !finds_count(q->havingQual, &o)))
		return;
	o.rows = take_rows(q);
	shown = (List *) over_rows((Node *) q->targetList, &o);
	having = over_rows(q->havingQual, &o);
	q->targetList = shown;
	q->havingQual = having;
	put_rows(q, o.rows);
}
