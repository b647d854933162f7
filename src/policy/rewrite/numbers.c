/*
 * numbers.c
 *		Calls without epsilon and delta: dp_count(*), dp_avg(x).
 *
 * A short call is completed as a query is planned, before everything else looks at it: what is proven, priced,
 * charged and executed is a call with numbers.  A plan holds the numbers that it was made with.  Plans are made
 * anew when a setting changes (settings.c) or a grant does (ledger/defaults.c), so that a cached one follows.
 *
 * dp_keep_group(*) spends of a budget's threshold_delta no greater part than its mu^2 is of the budget's, or else some
 * twenty groupings would end a budget that has mu^2 for hundreds: the noise stays, and the threshold rises.
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
#include "core/core.h"
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
	List *tables; /* of Oid: whose grants pay */
	GaussdpDefaults defaults;
} KnownDefaults;

/*
 * Collects the protected tables that the first of these queries reads, in its FROM and in the queries there.  A WITH
 * query is looked into once, however many read it: *read are those that have been.
 */
static void
collect_tables(List *queries, List **read, List **tables)
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
			*tables = list_append_unique_oid(*tables, entry->relid);
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
			collect_tables(lcons(inner, list_copy(around)), read, tables);
	}
}

/* Of the settings, and what they lack of the grants: of several tables of the first whose grant says something. */
static KnownDefaults *
defaults_of(Filling *filling, int level)
{
	HASHCTL control = {.keysize = sizeof(Query *), .entrysize = sizeof(KnownDefaults)};
	Query *query = list_nth_node(Query, filling->queries, level);
	KnownDefaults *known;
	List *read = NIL;
	ListCell *lc;
	bool found;

	control.hcxt = CurrentMemoryContext;
	if (filling->defaults == NULL)
		filling->defaults =
			hash_create("defaults", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
	known = hash_search(filling->defaults, &query, HASH_ENTER, &found);
	if (found)
		return known;
	known->defaults = (GaussdpDefaults){gaussdp_epsilon, gaussdp_delta};
	known->tables = NIL;
	collect_tables(list_copy_tail(filling->queries, level), &read, &known->tables);
	foreach (lc, known->tables)
		if (!(known->defaults.epsilon > 0 && known->defaults.delta > 0))
			gaussdp_take_defaults(GetUserId(), lfirst_oid(lc), &known->defaults);
	return known;
}

/* Of dp_keep_group(*): the same noise, and a threshold that takes no more of a budget's delta than its part. */
static GaussdpDefaults
in_proportion(GaussdpDefaults numbers, const List *tables)
{
	GaussdpDefaults result = numbers;
	const ListCell *lc;

	foreach (lc, tables)
	{
		GaussdpDefaults narrowed = numbers;

		gaussdp_narrow_threshold(GetUserId(), lfirst_oid(lc), &narrowed);
		if (narrowed.delta < result.delta)
			result = narrowed;
	}
	return result;
}

/* Numbers would not help a role that may not ask at all. */
static void
refuse_without_budget(Query *query)
{
	GaussdpVerifier v = {.location = -1};

	gaussdp_find_protected_entries(&v, query);
	if (v.needs_proof && gaussdp_refuse_without_budget(&v))
		gaussdp_raise_refusal(&v);
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
	const KnownDefaults *known = NULL;
	List *argtypes;

	if (aggref->agglevelsup < (Index) list_length(filling->queries) &&
		(call->decides_on_groups || !((gives_epsilon || numbers.epsilon > 0) && numbers.delta > 0)))
		known = defaults_of(filling, (int) aggref->agglevelsup);
	if (known != NULL)
		numbers = known->defaults;
	if (!(gives_epsilon || numbers.epsilon > 0) || !(numbers.delta > 0))
		refuse_without_budget(llast(filling->queries));
	if (!(gives_epsilon || numbers.epsilon > 0) || !(numbers.delta > 0))
		report_no_numbers(call, gives_epsilon || numbers.epsilon > 0, numbers.delta > 0);
	if (call->decides_on_groups && known != NULL)
		numbers = in_proportion(numbers, known->tables);
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
