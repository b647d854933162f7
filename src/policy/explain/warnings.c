/*
 * warnings.c
 *		What gaussdp.explain_privacy() says, beside prices, of a query that will leave something out, or be less exact than need be.
 *
 * By the query, the catalog and declarations alone.
 */
#include "postgres.h"

#include "access/transam.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "policy/explain/warnings.h"

/* ---------------------------------------------------------------------------
 * Quotients
 * ---------------------------------------------------------------------------
 */

static bool
is_operator(const Node *node, const char *name)
{
	return IsA(node, OpExpr) && ((const OpExpr *) node)->opno < FirstNormalObjectId &&
		   list_length(((const OpExpr *) node)->args) == 2 &&
		   strcmp(get_opname(((const OpExpr *) node)->opno), name) == 0;
}

/* The call that is one side of a quotient, behind casts, factors and nullif(..., 0); else NULL. */
static const Aggref *
call_of_side(const Node *node)
{
	while (IsA(node, FuncExpr) || IsA(node, NullIfExpr))
	{
		const List *args = IsA(node, FuncExpr) ? ((const FuncExpr *) node)->args
											   : ((const NullIfExpr *) node)->args;

		if (args == NIL)
			return NULL;
		node = linitial(args);
	}
	if (is_operator(node, "*"))
	{
		const List *args = ((const OpExpr *) node)->args;
		const Aggref *left = call_of_side(linitial(args));

		return left != NULL ? left : call_of_side(lsecond(args));
	}
	return IsA(node, Aggref) ? (const Aggref *) node : NULL;
}

static bool
is_total(const Node *node, bool is_count)
{
	const Aggref *agg = call_of_side(node);
	GaussdpCall call;

	return agg != NULL && gaussdp_call_of(agg->aggfnoid, &call) && !call.is_estimate &&
		   (call.kind == GAUSSDP_COUNT ||
			(!is_count && (call.kind == GAUSSDP_SUM || call.kind == GAUSSDP_SUM_AUTO)));
}

/* Is a sum or a count divided by a count? */
static bool
has_quotient(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_quotient, context, 0);
	if (is_operator(node, "/") && is_total(linitial(((OpExpr *) node)->args), false) &&
		is_total(lsecond(((OpExpr *) node)->args), true))
		return true;
	return expression_tree_walker(node, has_quotient, context);
}

const char *
gaussdp_warn_of_query(Query *query)
{
	if (!has_quotient((Node *) query, NULL))
		return NULL;
	return "A quotient of two calls has the noise of both, and is off where either is cut off: "
		   "dp_avg(x), or of a share dp_avg(CASE WHEN condition THEN 1 ELSE 0 END), is one release.";
}

/* ---------------------------------------------------------------------------
 * People
 * ---------------------------------------------------------------------------
 */

const char *
gaussdp_warn_of_call(const GaussdpPlannedRelease *planned)
{
	const GaussdpLevel *level = planned->level;
	GaussdpCallParts parts;
	bool has_elements;

	if (planned->call == NULL || !level->is_weighted || gaussdp_finds_rows(level, planned->call) ||
		!gaussdp_call_parts(level, planned->call, &parts) || parts.call.decides_on_groups)
		return NULL;
	if (parts.of_people)
		return parts.k == 1 && gaussdp_call_rows_parameter(&parts.call) < 0 && level->keys != NIL
				   ? "Each person counts once in all groups together: who is in several is missing in part. "
					 "dp_count(DISTINCT person, epsilon, delta, C) counts people in up to C^2 groups in full."
				   : NULL;
	if (level->counts_one)
		return "One row or value of each person counts, since no number is found where different "
			   "values are counted. dp_count(DISTINCT x, epsilon, delta, k) counts k values of each; "
			   "ask for rows in a query of their own.";
	if (level->is_multiplied)
		return psprintf(
			"Several public rows may stand beside one of a person's: together they count as %g at "
			"most.%s",
			parts.k,
			parts.k == 1 ? " Give max_rows in the call, or let the owner declare it; max_rows => 0 "
						   "finds it."
						 : "");
	has_elements = gaussdp_arrays_of(level) > 0;
	if (parts.k != 1)
		return has_elements ? psprintf("Each element of an array is a row of its person, who "
									   "counts as %g rows at most, in all groups together.",
									   parts.k)
							: NULL;
	return psprintf(
		"%sA person counts as one row at most, in all groups together: where people have more, "
		"most is left out. Give max_rows in the call, or let the owner declare it; "
		"max_rows => 0 finds it.",
		has_elements ? "Each element of an array is a row of its person. " : "");
}
