/*
 * entries.c
 *		Which entries of a query need a proof: protected tables that the role may not read by itself.
 *
 * The mark of such an entry is all that anything in this folder writes into a query: gaussdp_find_protected_entries() sets it, on
 * the tree that is to be proven, and forgets older ones.  Copies of an entry keep it.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "policy/proof/internal.h"
#include "query_tree.h"
#include "settings.h"

/* enrname is unused in entries of relations, copied with them, and cannot be written in SQL. */
#define PROTECTED "gaussdp: protected"

bool
gaussdp_needs_proof(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_RELATION && entry->enrname != NULL &&
		   strcmp(entry->enrname, PROTECTED) == 0;
}

static bool
reads_protected_walker(Node *node, void *context)
{
	CHECK_FOR_INTERRUPTS();
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return gaussdp_needs_proof((RangeTblEntry *) node);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reads_protected_walker, context,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, reads_protected_walker, context);
}

bool
gaussdp_reads_protected(Node *node)
{
	return reads_protected_walker(node, NULL);
}

static bool
refers_outwards(Node *node, Index *depth)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup > *depth;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup > *depth)
		return true;
	if (IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup > *depth)
		return true;
	if (IsA(node, Query))
	{
		bool found;

		(*depth)++;
		found = query_tree_walker((Query *) node, refers_outwards, depth, 0);
		(*depth)--;
		return found;
	}
	return expression_tree_walker(node, refers_outwards, depth);
}

bool
gaussdp_is_correlated(Query *query)
{
	Index depth = 0;

	return query_tree_walker(query, refers_outwards, &depth, 0);
}

/* Does this query's own FROM name a protected table? */
static bool
names_protected(Query *query)
{
	ListCell *lc;

	foreach (lc, query->rtable)
		if (gaussdp_needs_proof(lfirst_node(RangeTblEntry, lc)))
			return true;
	return false;
}

bool
gaussdp_shows_rows(Query *query)
{
	return names_protected(query) && !query->hasAggs;
}

/* ---------------------------------------------------------------------------
 * Which entries need a proof
 * ---------------------------------------------------------------------------
 */

/* What the walk over the entries carries down. */
typedef struct Collection
{
	GaussdpVerifier *v;
	bool under_calls;    /* would what this query tells reach dp_ calls of a query around it? */
	GaussdpShown *shown; /* not NULL: what a view shows is asked for, and nothing is proven */
} Collection;

static void collect_entries(Collection *c, Query *query);

/* Stops, with true, at a dp_ call of the query that the walk began with; depth counts the sub-selects around it. */
static bool
finds_dp_call(Node *node, Index *depth)
{
	GaussdpCall call;
	bool found;

	if (node == NULL)
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == *depth &&
		gaussdp_call_of(((Aggref *) node)->aggfnoid, &call))
		return true;
	if (!IsA(node, Query))
		return expression_tree_walker(node, finds_dp_call, depth);
	(*depth)++;
	found = query_tree_walker((Query *) node, finds_dp_call, depth, 0);
	(*depth)--;
	return found;
}

static bool
has_dp_calls(Query *query)
{
	Index depth = 0;

	return query->hasAggs && (finds_dp_call((Node *) query->targetList, &depth) ||
							  finds_dp_call(query->havingQual, &depth));
}

/* UNION ALL of nothing but rows of people. */
static bool
unites_people(const Query *query)
{
	List *arms = gaussdp_arms_of_union(query);
	ListCell *lc;

	foreach (lc, arms)
		if (!gaussdp_shows_people(rt_fetch(lfirst_int(lc), query->rtable)->subquery))
			return false;
	return arms != NIL;
}

bool
gaussdp_shows_people(Query *query)
{
	ListCell *lc;

	check_stack_depth();
	if (query->commandType != CMD_SELECT || has_dp_calls(query))
		return false;
	if (query->setOperations != NULL)
		return unites_people(query);
	if (names_protected(query))
		return true;
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_SUBQUERY && gaussdp_shows_people(entry->subquery))
			return true;
	}
	return false;
}

bool
gaussdp_is_level(Query *query)
{
	ListCell *lc;

	if (names_protected(query))
		return true;
	if (query->setOperations != NULL || !has_dp_calls(query))
		return false;
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_SUBQUERY && gaussdp_shows_people(entry->subquery))
			return true;
	}
	return false;
}

/*
 * Shall the table, which the role may read, be read as if it might not?  All of it: what a level answers may
 * depend on more columns than the query names.
 */
static bool
reads_as_analyst(const GaussdpPermissions *asked)
{
	return gaussdp_as_analyst && asked != NULL && asked->requiredPerms == ACL_SELECT &&
		   gaussdp_may_read_all(asked->relid);
}

/*
 * May PostgreSQL let the entry pass for a role that may not read the table: behind a view whose owner may?
 */
static bool
is_shown_by_view(List *permissions, const RangeTblEntry *entry, bool as_analyst)
{
	if (as_analyst && !OidIsValid(gaussdp_permissions_of(permissions, entry)->checkAsUser))
		return false;
	return gaussdp_entry_is_allowed(permissions, entry, false);
}

/*
 * What a view that may be read shows of one of the tables that are asked for.  An entry that PostgreSQL checks as the
 * reader's (security_invoker) shows nothing to who may not read it.  dp_ calls are proven where the table is labelled.
 */
static void
note_shown(const Collection *c, Query *query, const RangeTblEntry *entry)
{
	List *permissions = gaussdp_query_permissions(query);
	const GaussdpPermissions *asked = gaussdp_permissions_of(permissions, entry);

	if (!list_member_oid(c->shown->relations, entry->relid) || asked == NULL ||
		!OidIsValid(asked->checkAsUser) || !gaussdp_entry_is_allowed(permissions, entry, false))
		return;
	if (c->under_calls && gaussdp_is_protected(entry->relid))
		c->shown->answers = true;
	else
		c->shown->rows = true;
}

/*
 * Is the entry a view that PostgreSQL checks as the reader's, in a query that is asked what it shows?  Then who reads what it shows may
 * read that view, which is asked by itself.  In 15 the view's own entry is the first of the sub-select's.
 */
static bool
is_view_of_reader(const Collection *c, Query *query, const RangeTblEntry *entry)
{
	const GaussdpPermissions *asked;
	const RangeTblEntry *first;

	if (c->shown == NULL || entry->subquery->rtable == NIL)
		return false;
	asked = gaussdp_permissions_of(gaussdp_query_permissions(query), entry);
	first = linitial_node(RangeTblEntry, entry->subquery->rtable);
	if (asked == NULL && first->rtekind == RTE_RELATION && first->relkind == RELKIND_VIEW)
		asked = gaussdp_permissions_of(gaussdp_query_permissions(entry->subquery), first);
	return asked != NULL && !OidIsValid(asked->checkAsUser);
}

/*
 * An entry of a labelled relation needs a proof where the role may not read it by itself, and either PostgreSQL
 * would refuse it, or it stands behind a view and its rows reach dp_ calls: what those show is drawn anew by
 * each reader, so the reader pays.  A view without dp_ calls is what its owner has published.
 */
static void
collect_entry(Collection *c, Query *query, RangeTblEntry *entry)
{
	GaussdpVerifier *v = c->v;
	List *permissions = gaussdp_query_permissions(query);
	bool as_analyst;

	if (c->shown != NULL)
	{
		note_shown(c, query, entry);
		return;
	}
	if (gaussdp_needs_proof(entry) || !gaussdp_is_protected(entry->relid))
		return;
	v->touches = true;
	as_analyst = reads_as_analyst(gaussdp_permissions_of(permissions, entry));
	if (!as_analyst && gaussdp_entry_is_allowed(permissions, entry, true) &&
		!gaussdp_entry_shows_hidden_rows(permissions, entry))
		return;
	v->is_published = true;
	v->relation = v->relation ? v->relation : entry->relid;
	if (!c->under_calls && is_shown_by_view(permissions, entry, as_analyst))
		return;
	entry->enrname = PROTECTED;
	v->needs_proof = true;
}

static bool
collect_from_sublinks(Node *node, Collection *c)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		collect_entries(c, (Query *) node);
		return false;
	}
	return expression_tree_walker(node, collect_from_sublinks, c);
}

/*
 * A WITH query is walked where it is defined, and once more where dp_ calls read it: the first reader of that
 * kind marks its entries, and further ones find them marked.
 */
static void
collect_cte(Collection *c, const RangeTblEntry *entry)
{
	CommonTableExpr *cte = gaussdp_cte_of(entry, c->v->queries);
	List *queries = c->v->queries;

	if (cte == NULL || list_member_ptr(c->v->read_by_calls, cte))
		return;
	c->v->read_by_calls = lappend(c->v->read_by_calls, cte);
	c->v->queries = list_copy_tail(queries, entry->ctelevelsup);
	collect_entries(c, castNode(Query, cte->ctequery));
	c->v->queries = queries;
}

/*
 * Every query is walked here: without sub-selects its expressions need not be looked at.  What exact aggregates and
 * sub-selects in expressions make of rows reaches dp_ calls as the rows do.
 */
static void
collect_entries(Collection *c, Query *query)
{
	Collection inner = {c->v, c->under_calls || has_dp_calls(query), c->shown};
	Collection with = {c->v, false, c->shown};
	ListCell *lc;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	c->v->queries = lcons(query, c->v->queries);
	foreach (lc, query->cteList)
		collect_entries(&with, castNode(Query, lfirst_node(CommonTableExpr, lc)->ctequery));
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_RELATION)
			collect_entry(&inner, query, entry);
		else if (entry->rtekind == RTE_SUBQUERY)
		{
			if (!is_view_of_reader(c, query, entry))
				collect_entries(&inner, entry->subquery);
		}
		else if (entry->rtekind == RTE_CTE && inner.under_calls)
			collect_cte(&inner, entry);
		else if (entry->rtekind == RTE_FUNCTION)
			c->v->calls_in_from = true;
	}
	if (query->hasSubLinks)
		(void) query_tree_walker(query, collect_from_sublinks, &inner,
								 QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
	c->v->queries = list_delete_first(c->v->queries);
}

static bool
forget_entries(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		if (gaussdp_needs_proof((RangeTblEntry *) node))
			((RangeTblEntry *) node)->enrname = NULL;
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, forget_entries, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, forget_entries, context);
}

void
gaussdp_find_protected_entries(GaussdpVerifier *v, Query *query)
{
	Collection c = {v, false, NULL};

	/* The tree may come from a plan that was made for another role. */
	(void) forget_entries((Node *) query, NULL);
	collect_entries(&c, query);
}

void
gaussdp_find_shown(GaussdpShown *shown, Query *query)
{
	GaussdpVerifier v = {.location = -1};
	Collection c = {&v, false, shown};

	collect_entries(&c, query);
}
