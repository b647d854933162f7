/*
 * numbers.c
 *		Calls without epsilon and delta: dp_count(*), dp_avg(x).
 *
 * A short call is completed as a query is planned, before everything else looks at it: what is proven, priced,
 * charged and executed is a call with numbers.  A plan holds the numbers that it was made with.  Plans are made
 * anew when a setting changes (settings.c) or a grant does (ledger/defaults.c), so that a cached one follows.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"

#include "aggregate/bounds.h"
#include "aggregate/calls.h"
#include "ledger/ledger.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"
#include "settings.h"

/* What the walk over a query carries. */
typedef struct Filling
{
	List *queries;  /* those around the node, innermost first */
	HTAB *defaults; /* of KnownDefaults; NULL before the first */
} Filling;

typedef struct KnownDefaults
{
	Query *query;
	GaussdpDefaults defaults;
} KnownDefaults;

/*
 * What the grants say that pay for the protected tables which the first of these queries reads, in its FROM and in
 * the queries there: of several tables the first whose grant says something.  A WITH query is looked into once,
 * however many read it: *read are those that have been.
 */
static void
take_defaults(List *queries, List **read, GaussdpDefaults *defaults)
{
	ListCell *lc;

	check_stack_depth();
	foreach (lc, linitial_node(Query, queries)->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);
		Query *inner = NULL;
		List *around = queries;

		CHECK_FOR_INTERRUPTS();
		if (entry->rtekind == RTE_RELATION && gaussdp_is_protected(entry->relid))
			gaussdp_take_defaults(GetUserId(), entry->relid, defaults);
		else if (entry->rtekind == RTE_SUBQUERY)
			inner = entry->subquery;
		else if (entry->rtekind == RTE_CTE)
		{
			inner = gaussdp_with_query(entry, queries, &around);
			if (inner == NULL || list_member_ptr(*read, inner))
				continue;
			*read = lappend(*read, inner);
		}
		if (inner != NULL)
			take_defaults(lcons(inner, list_copy(around)), read, defaults);
		if (defaults->epsilon > 0 && defaults->delta > 0)
			return;
	}
}

/* Of the settings, and what they lack of the grants, for calls of the query so many levels up. */
static GaussdpDefaults
defaults_of(Filling *filling, int level)
{
	HASHCTL control = {.keysize = sizeof(Query *), .entrysize = sizeof(KnownDefaults)};
	Query *query = list_nth_node(Query, filling->queries, level);
	KnownDefaults *known;
	List *read = NIL;
	bool found;

	control.hcxt = CurrentMemoryContext;
	if (filling->defaults == NULL)
		filling->defaults =
			hash_create("defaults", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	known = hash_search(filling->defaults, &query, HASH_ENTER, &found);
	if (!found)
	{
		known->defaults = (GaussdpDefaults){gaussdp_epsilon, gaussdp_delta};
		take_defaults(list_copy_tail(filling->queries, level), &read, &known->defaults);
	}
	return known->defaults;
}

static void
report_no_numbers(const GaussdpCall *call, bool has_epsilon, bool has_delta)
{
	const char *lacking = has_epsilon ? "delta" : has_delta ? "epsilon" : "epsilon and delta";

	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("%s has no %s", call->name, lacking),
		 errdetail(
			 "The call does not give %s, gaussdp.epsilon and gaussdp.delta do not both have a "
			 "value, and no grant that pays for this query has a default.",
			 has_epsilon || has_delta ? "it" : "them"),
		 errhint(
			 "Set them for the session, SET gaussdp.epsilon = 0.5; SET gaussdp.delta = 1e-6, or "
			 "give them in the call: dp_count(0.5, 1e-6), dp_avg(x, 0.5, 1e-6).")));
}

static Expr *
number(double value)
{
	return (Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(value),
							  false, FLOAT8PASSBYVAL);
}

/* dp_avg(x) -> dp_avg(x, e, d) */
static void
fill(Aggref *aggref, const GaussdpCall *call, Filling *filling)
{
	bool gives_epsilon = gaussdp_short_place(call, GAUSSDP_PARAM_EPSILON) >= 0;
	GaussdpDefaults numbers = {gaussdp_epsilon, gaussdp_delta};
	List *argtypes;

	if (aggref->agglevelsup < (Index) list_length(filling->queries) &&
		!((gives_epsilon || numbers.epsilon > 0) && numbers.delta > 0))
		numbers = defaults_of(filling, (int) aggref->agglevelsup);
	if (!(gives_epsilon || numbers.epsilon > 0) || !(numbers.delta > 0))
		report_no_numbers(call, gives_epsilon || numbers.epsilon > 0, numbers.delta > 0);
	if (!gives_epsilon)
		gaussdp_insert_argument(aggref, call->first, number(numbers.epsilon));
	gaussdp_insert_argument(aggref, call->first + 1, number(numbers.delta));
	argtypes = list_copy(aggref->aggargtypes);
	if (call->has_value)
		linitial_oid(argtypes) = ANYOID;
	aggref->aggfnoid =
		gaussdp_call_sibling(aggref->aggfnoid, get_func_name(aggref->aggfnoid), argtypes);
}

static bool
fill_walker(Node *node, Filling *filling)
{
	GaussdpCall call;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		filling->queries = lcons(node, filling->queries);
		(void) query_tree_walker((Query *) node, fill_walker, filling, 0);
		filling->queries = list_delete_first(filling->queries);
		return false;
	}
	if (IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call) &&
		call.lacks_numbers)
		fill((Aggref *) node, &call, filling);
	return expression_tree_walker(node, fill_walker, filling);
}

void
gaussdp_fill_numbers(Query *query)
{
	Filling filling = {NIL, NULL};

	(void) fill_walker((Node *) query, &filling);
	if (filling.defaults != NULL)
		hash_destroy(filling.defaults);
}
