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
#include "utils/lsyscache.h"

#include "aggregate/bounds.h"
#include "aggregate/calls.h"
#include "ledger/ledger.h"
#include "policy/numbers.h"
#include "policy/subject.h"
#include "settings.h"

/*
 * What the grants say that pay for the protected tables which the first of these queries reads, in its FROM and in
 * the queries there: of several tables the first whose grant says something.
 */
static void
take_defaults(List *queries, GaussdpDefaults *defaults)
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
			inner = gaussdp_with_query(entry, queries, &around);
		if (inner != NULL)
			take_defaults(lcons(inner, list_copy(around)), defaults);
		if (defaults->epsilon > 0 && defaults->delta > 0)
			return;
	}
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

/* dp_avg(x) -> dp_avg(x, e, d); queries: those around the call, innermost first */
static void
fill(Aggref *aggref, const GaussdpCall *call, List *queries)
{
	bool gives_epsilon = gaussdp_short_place(call, GAUSSDP_PARAM_EPSILON) >= 0;
	GaussdpDefaults numbers = {gaussdp_epsilon, gaussdp_delta};
	List *argtypes;

	if (aggref->agglevelsup < (Index) list_length(queries) &&
		!((gives_epsilon || numbers.epsilon > 0) && numbers.delta > 0))
		take_defaults(list_copy_tail(queries, (int) aggref->agglevelsup), &numbers);
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
fill_walker(Node *node, List *queries)
{
	GaussdpCall call;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, fill_walker, lcons(node, list_copy(queries)), 0);
	if (IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call) &&
		call.lacks_numbers)
		fill((Aggref *) node, &call, queries);
	return expression_tree_walker(node, fill_walker, queries);
}

void
gaussdp_fill_numbers(Query *query)
{
	(void) fill_walker((Node *) query, NIL);
}
