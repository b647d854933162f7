/*
 * contents.c
 *		What is in a query that steps of its planning are about.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "aggregate/calls.h"
#include "policy/rewrite/rewrite.h"

/* Stops, with true, when everything has been found: a call is an aggregate. */
static bool
find_contents(Node *node, GaussdpContents *contents)
{
	GaussdpCall call;

	CHECK_FOR_INTERRUPTS();
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		contents->has_aggregates = true;
		contents->has_calls |= gaussdp_call_of(((Aggref *) node)->aggfnoid, &call);
	}
	else if (gaussdp_may_be_unknown(node))
		contents->has_catalog = true;
	if (contents->has_calls && contents->has_catalog)
		return true;
	if (IsA(node, RangeTblEntry))
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, find_contents, contents, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, find_contents, contents);
}

GaussdpContents
gaussdp_contents(Query *query)
{
	GaussdpContents contents = {0};

	(void) find_contents((Node *) query, &contents);
	return contents;
}
