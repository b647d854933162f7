/*
 * hidden.c
 *		Whether a refused query computes with a column that its owner has hidden.
 *
 * That is what its analyst should hear first: any other form of the query would be refused for the column, too.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"

#include "declaration/declaration.h"
#include "policy/hints/hints.h"
#include "policy/proof/proof.h"
#include "query_tree.h"

/* Columns of a query below that have been looked at: each is once, however often it is used. */
typedef struct Seen
{
	const Query *query;
	Bitmapset *columns;
} Seen;

/* The query at hand and those around it, innermost first; what was seen, and what was found. */
typedef struct Walk
{
	List *queries;
	List **seen;
	GaussdpHidden *found;
} Walk;

static bool uses_hidden(Node *node, Walk *walk);
static bool query_uses_hidden(Query *query, List *around, Walk *walk, bool is_shown);

static bool
is_seen_again(const Walk *walk, const Query *query, AttrNumber number)
{
	Seen *seen = NULL;
	bool again;
	ListCell *lc;

	foreach (lc, *walk->seen)
		if (((Seen *) lfirst(lc))->query == query)
			seen = lfirst(lc);
	if (seen == NULL)
	{
		seen = palloc0(sizeof(Seen));
		seen->query = query;
		*walk->seen = lappend(*walk->seen, seen);
	}
	again = bms_is_member(number, seen->columns);
	seen->columns = bms_add_member(seen->columns, number);
	return again;
}

static Walk
walk_inside(Query *query, List *around, const Walk *walk)
{
	return (Walk){lcons(query, list_copy(around)), walk->seen, walk->found};
}

/* What a column of a sub-select or WITH query stands for. */
static bool
column_uses_hidden(Query *query, AttrNumber number, List *around, Walk *walk)
{
	const TargetEntry *column = get_tle_by_resno(query->targetList, number);
	Walk inside = walk_inside(query, around, walk);

	return column != NULL && !is_seen_again(walk, query, number) &&
		   uses_hidden((Node *) column->expr, &inside);
}

static bool
var_uses_hidden(const Var *var, Walk *walk)
{
	List *around = list_copy_tail(walk->queries, (int) var->varlevelsup);
	const RangeTblEntry *entry;
	GaussdpColumn column;
	Query *query;

	if (var->varattno <= 0 || around == NIL)
		return false;
	entry = rt_fetch(var->varno, linitial_node(Query, around)->rtable);
	if (entry->rtekind == RTE_SUBQUERY)
		return column_uses_hidden(entry->subquery, var->varattno, around, walk);
	if (entry->rtekind == RTE_CTE)
	{
		query = gaussdp_with_query(entry, around, &around);
		return query != NULL && column_uses_hidden(query, var->varattno, around, walk);
	}
	if (entry->rtekind == RTE_JOIN)
	{
		Walk outside = {around, walk->seen, walk->found};

		return var->varattno <= list_length(entry->joinaliasvars) &&
			   uses_hidden(list_nth(entry->joinaliasvars, var->varattno - 1), &outside);
	}
	if (entry->rtekind != RTE_RELATION || !gaussdp_needs_proof(entry) ||
		!gaussdp_column(entry->relid, var->varattno, &column) || !column.is_hidden)
		return false;
	*walk->found = (GaussdpHidden){entry->relid, var->varattno, var->location};
	return true;
}

static bool
uses_hidden(Node *node, Walk *walk)
{
	check_stack_depth();
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return var_uses_hidden((Var *) node, walk);
	if (IsA(node, Query))
		return query_uses_hidden((Query *) node, walk->queries, walk, true);
	return expression_tree_walker(node, uses_hidden, walk);
}

/* Columns that a query in FROM shows count where they are used around it, but those that it groups or sorts by here. */
static bool
query_uses_hidden(Query *query, List *around, Walk *walk, bool is_shown)
{
	Walk inside = walk_inside(query, around, walk);
	ListCell *lc;

	foreach (lc, query->targetList)
		if ((is_shown || lfirst_node(TargetEntry, lc)->ressortgroupref != 0) &&
			uses_hidden((Node *) lfirst_node(TargetEntry, lc)->expr, &inside))
			return true;
	if (uses_hidden((Node *) query->jointree, &inside) || uses_hidden(query->havingQual, &inside))
		return true;
	foreach (lc, query->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_SUBQUERY &&
			query_uses_hidden(entry->subquery, inside.queries, walk,
							  is_shown && query->setOperations != NULL))
			return true;
	}
	foreach (lc, query->cteList)
		if (query_uses_hidden(castNode(Query, lfirst_node(CommonTableExpr, lc)->ctequery),
							  inside.queries, walk, false))
			return true;
	return false;
}

bool
gaussdp_uses_hidden(Query *query, GaussdpHidden *found)
{
	List *seen = NIL;
	Walk walk = {NIL, &seen, found};

	return query_uses_hidden(query, NIL, &walk, query->hasAggs || query->groupClause != NIL);
}
