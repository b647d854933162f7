/*
 * executed.c
 *		Whoever asks may execute all functions of a level.
 *
 * PostgreSQL looks at this right when it makes an expression ready to run.  Within an expression that is evaluated by itself (contained/)
 * that is at its first row, where the error would tell of the row; and an answer that is kept would be shown without a look.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "policy/contained/contained.h"
#include "policy/proof/internal.h"

static bool
is_closed(Oid function, void *v)
{
	if (gaussdp_may_execute(function, GetUserId()))
		return false;
	return !gaussdp_refuse(
		v, GAUSSDP_RULE_FUNCTIONS, -1,
		psprintf("this role may not execute the function %s", get_func_name(function)),
		"Leave it out, or ask its owner: GRANT EXECUTE.");
}

/* Stops, with true, at the first function that the role may not execute. */
static bool
calls_closed(Node *node, void *v)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, calls_closed, v, 0);
	if (gaussdp_is_contained(node))
		return calls_closed((Node *) gaussdp_contained_parts((FuncExpr *) node), v);
	return check_functions_in_node(node, is_closed, v) ||
		   expression_tree_walker(node, calls_closed, v);
}

bool
gaussdp_verify_executed(GaussdpVerifier *v, const Query *query)
{
	return !calls_closed((Node *) query, v);
}
