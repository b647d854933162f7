/*
 * find.c
 *		Finds the levels of a query, proves each and cuts it out.
 *
 * A level is a query level whose own FROM reads protected rows.  What stands around it is ordinary SQL over
 * released values: once every level is cut out (policy/rewrite/cut.c), nothing in the query names a protected table.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "aggregate/bounds.h"
#include "aggregate/calls.h"
#include "compat.h"
#include "policy/hints/hints.h"
#include "policy/rewrite/rewrite.h"
#include "settings.h"

#define SETS_HINT                                                                                  \
	"For people in both ask of one with IN or EXISTS, for people in either join their conditions " \
	"by OR, or put UNION ALL between queries that have the calls."

#define ROWS_HINT "Name the protected table itself in FROM of the query that has the dp_ calls."

static bool find_in_query(GaussdpVerifier *v, Query *query, bool is_top);

/* ---------------------------------------------------------------------------
 * Levels, and what stands around them
 * ---------------------------------------------------------------------------
 */

/* Stops, with true, at the first sub-select that is refused. */
static bool
refuses_a_sublink(Node *node, GaussdpVerifier *v)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return gaussdp_reads_protected(node) && !find_in_query(v, (Query *) node, false);
	return expression_tree_walker(node, refuses_a_sublink, v);
}

static bool
find_in_sublinks(GaussdpVerifier *v, Query *query)
{
	return !query->hasSubLinks ||
		   !query_tree_walker(query, refuses_a_sublink, v,
							  QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
}

static bool
find_in_with(GaussdpVerifier *v, Query *query)
{
	ListCell *lc;

	foreach (lc, query->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, lc);

		if (!gaussdp_reads_protected(cte->ctequery))
			continue;
		if (gaussdp_shows_rows(castNode(Query, cte->ctequery)))
			return gaussdp_refuse(v, GAUSSDP_RULE_LEVEL, cte->location,
								  "a WITH query shows rows to the query around it", ROWS_HINT);
		if (!find_in_query(v, castNode(Query, cte->ctequery), false))
			return false;
		/* Several readers shall see the same answer. */
		cte->ctematerialized = CTEMaterializeAlways;
	}
	return true;
}

static bool
find_in_from(GaussdpVerifier *v, Query *query)
{
	ListCell *lc;

	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind != RTE_SUBQUERY || !gaussdp_reads_protected((Node *) entry->subquery))
			continue;
		if (gaussdp_shows_rows(entry->subquery))
			return gaussdp_refuse(v, GAUSSDP_RULE_LEVEL, -1,
								  query->setOperations != NULL
									  ? "UNION, INTERSECT or EXCEPT of rows"
									  : "a view or sub-select shows rows to the query around it",
								  query->setOperations != NULL ? SETS_HINT : ROWS_HINT);
		if (!find_in_query(v, entry->subquery, false))
			return false;
	}
	return true;
}

/* A query that reads released values only, from levels below it. */
static bool
verify_surroundings(GaussdpVerifier *v, Query *query, bool is_top)
{
	if (query->commandType != CMD_SELECT && !(is_top && query->commandType == CMD_INSERT))
		return gaussdp_refuse(
			v, GAUSSDP_RULE_PLACE, -1, "only SELECT and INSERT ... SELECT may contain a level",
			"Store the result with INSERT ... SELECT or CREATE TABLE AS, and go on from there.");
	if (query->utilityStmt != NULL || query->hasModifyingCTE || query->mergeActionList != NIL)
		return gaussdp_refuse(v, GAUSSDP_RULE_PLACE, -1, "a WITH query changes data",
							  "Run it as a statement of its own.");
	if (query->hasForUpdate || query->rowMarks != NIL)
		return gaussdp_refuse(v, GAUSSDP_RULE_PLACE, -1, "FOR UPDATE and its like lock single rows",
							  "Leave out the locking clause.");
	return true;
}

/*
 * The query reads protected rows, which its caller has asked: of n queries inside one another each is walked through.
 * A level is proven and cut out first: what is left of it, sub-selects that were its inputs among it, is a
 * query like any other.
 */
static bool
find_in_query(GaussdpVerifier *v, Query *query, bool is_top)
{
	bool found;

	check_stack_depth();
	v->queries = lcons(query, v->queries);
	found = (!gaussdp_is_level(query) || gaussdp_cut_level(v, query)) &&
			verify_surroundings(v, query, is_top) && find_in_with(v, query) &&
			find_in_from(v, query) && find_in_sublinks(v, query);
	v->queries = list_delete_first(v->queries);
	return found;
}

static bool
cut_levels(GaussdpVerifier *v, Query *query)
{
	gaussdp_empty_probes(query);
	gaussdp_group_by_dependents(query);
	if (!gaussdp_flatten_rows(v, query) ||
		(gaussdp_reads_protected((Node *) query) && !find_in_query(v, query, true)))
		return false;
	if (gaussdp_reads_protected((Node *) query))
		return gaussdp_refuse(
			v, GAUSSDP_RULE_PLACE, -1, "a protected table stands where no level may stand",
			"Write the level as a WITH query at the top and refer to its result.");
	return true;
}

bool
gaussdp_cut_levels(GaussdpVerifier *v, Query *query)
{
	GaussdpHidden hidden;
	bool uses_hidden;

	gaussdp_find_protected_entries(v, query);
	if (!v->needs_proof)
		return false;
	(void) gaussdp_check_size(query);
	uses_hidden = gaussdp_uses_hidden(query, &hidden);
	if (cut_levels(v, query))
		return true;
	if (uses_hidden && v->refused)
	{
		v->refused = false;
		v->relation = hidden.relation;
		(void) gaussdp_refuse_column(v, hidden.relation, hidden.column, hidden.location);
	}
	return false;
}
