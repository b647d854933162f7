/*
 * views.c
 *		A view over protected tables that the role may not read: PostgreSQL refuses it, and does not say what to ask in its place.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "policy/hints/hints.h"
#include "policy/proof/proof.h"
#include "query_tree.h"

/* Stops, with true, at an entry of a protected table. */
static bool
finds_protected(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return ((RangeTblEntry *) node)->rtekind == RTE_RELATION &&
			   gaussdp_is_protected(((RangeTblEntry *) node)->relid);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_protected, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, finds_protected, context);
}

/* The view that the entry, a sub-select of this query, has been, where the role may not read it; or InvalidOid.  In 15 it is the first entry there. */
static Oid
denied_view(Query *query, const RangeTblEntry *entry)
{
	const RangeTblEntry *first =
		entry->subquery->rtable != NIL ? linitial(entry->subquery->rtable) : NULL;

	if (OidIsValid(entry->relid) && gaussdp_entry_is_checked(entry))
		return gaussdp_entry_is_allowed(gaussdp_query_permissions(query), entry, false)
				   ? InvalidOid
				   : entry->relid;
	if (first == NULL || first->rtekind != RTE_RELATION || first->relkind != RELKIND_VIEW ||
		gaussdp_entry_is_allowed(gaussdp_query_permissions(entry->subquery), first, false))
		return InvalidOid;
	return first->relid;
}

/* Stops, with true, at a sub-select that has been such a view. */
static bool
finds_view(Node *node, void *context)
{
	ListCell *lc;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, finds_view, context);
	check_stack_depth();
	foreach (lc, ((Query *) node)->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);
		Oid *view = context;

		if (entry->rtekind != RTE_SUBQUERY)
			continue;
		*view = denied_view((Query *) node, entry);
		if (OidIsValid(*view) && finds_protected((Node *) entry->subquery, NULL))
			return true;
		*view = InvalidOid;
	}
	return query_tree_walker((Query *) node, finds_view, context, 0);
}

Oid
gaussdp_denied_view(Query *query)
{
	Oid view = InvalidOid;

	(void) finds_view((Node *) query, &view);
	return view;
}
