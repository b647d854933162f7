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

/* The query at hand and those around it, innermost first; and what was found. */
typedef struct Walk
{
	List *queries;
	GaussdpHidden *found;
} Walk;

static bool uses_hidden(Node *node, Walk *walk);
static bool query_uses_hidden(Query *query, List *around, Walk *walk, bool is_shown);

/* What a column of a sub-select or WITH query stands for. */
static bool
column_uses_hidden(Query *query, AttrNumber number, List *around, Walk *walk)
{
	const TargetEntry *column = get_tle_by_resno(query->targetList, number);
	Walk inside = {lcons(query, list_copy(around)), walk->found};

	return column != NULL && uses_hidden((Node *) column->expr, &inside);
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
		Walk outside = {around, walk->found};

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
	Walk inside = {lcons(query, list_copy(around)), walk->found};
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
	Walk walk = {NIL, found};

	return query_uses_hidden(query, NIL, &walk, query->hasAggs || query->groupClause != NIL);
}
