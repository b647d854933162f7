/*
 * hidden.c
 *		Columns that an owner has hidden from private queries.
 *
 * Called with a level as it will run: views and sub-selects of rows have been merged into it, so that outputs which nobody
 * uses are gone.  Columns of join entries are looked at where they are used, since the entry itself lists all.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "declaration/declaration.h"
#include "policy/proof/internal.h"

/* The queries around the node at hand, innermost first. */
typedef struct Walk
{
	GaussdpVerifier *v;
	List *queries;
} Walk;

static bool uses_hidden(Node *node, Walk *walk);

bool
gaussdp_refuse_column(GaussdpVerifier *v, Oid relation, AttrNumber column, int location)
{
	return gaussdp_refuse(
		v, GAUSSDP_RULE_LEVEL, location,
		psprintf("the owner of the table has hidden column \"%s\" from private queries",
				 get_attname(relation, column, false)),
		"Leave it out; gaussdp.columns shows which columns are hidden.");
}

static bool
is_refused(const Var *var, Walk *walk)
{
	RangeTblEntry *entry;
	GaussdpColumn column;

	if (var->varattno <= 0 || var->varlevelsup >= (Index) list_length(walk->queries))
		return false;
	entry = rt_fetch(var->varno, ((Query *) list_nth(walk->queries, var->varlevelsup))->rtable);
	if (entry->rtekind == RTE_JOIN)
		return uses_hidden(list_nth(entry->joinaliasvars, var->varattno - 1), walk);
	if (entry->rtekind != RTE_RELATION || !gaussdp_column(entry->relid, var->varattno, &column) ||
		!column.is_hidden || !gaussdp_table(entry->relid, NULL))
		return false;
	return !gaussdp_refuse_column(walk->v, entry->relid, var->varattno, var->location);
}

/* Stops, with true, at the first column that is hidden. */
static bool
uses_hidden(Node *node, Walk *walk)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return is_refused((Var *) node, walk);
	if (IsA(node, Query))
	{
		bool found;

		walk->queries = lcons(node, walk->queries);
		found = query_tree_walker((Query *) node, uses_hidden, walk, QTW_IGNORE_JOINALIASES);
		walk->queries = list_delete_first(walk->queries);
		return found;
	}
	return expression_tree_walker(node, uses_hidden, walk);
}

bool
gaussdp_verify_hidden(GaussdpVerifier *v, const Query *query)
{
	Walk walk = {v, NIL};

	return !uses_hidden((Node *) query, &walk);
}
