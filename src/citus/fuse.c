/*
 * fuse.c
 *		A shard's sum and count of the same points become aggregates of one state.
 *
 * The executor evaluates the argument of each aggregate by itself, so that
 *
 *		SELECT sum(grid_point(x, P)), count(grid_point(x, P)) FROM shard
 *
 * as Citus sends it for dp_avg, finds every point twice, and hands it to two more functions.  Here, on the server that has
 * the shard, it is planned as
 *
 *		SELECT sum_points(x, P), count_points(x, P) FROM shard
 *
 * whose state is one, with one call a row (points.c).  The results are the same; only speed depends on it.
 *
 * A query of a table that Citus distributes is left alone: Citus knows how to split sum and count, and no others.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "citus/citus.h"
#include "citus/split.h"

#define POINTS_SCHEMA "gaussdp_internal"

/* The aggregate that does the same in one step; NULL where the node is no aggregate of points with constant parameters. */
static const char *
fused_name(const Aggref *aggref)
{
	const FuncExpr *point;
	const Const *params;
	const char *name, *schema;

	if (aggref->aggfnoid != F_SUM_INT8 && aggref->aggfnoid != F_COUNT_ANY)
		return NULL;
	if (aggref->aggdistinct != NIL || aggref->aggorder != NIL || list_length(aggref->args) != 1)
		return NULL;
	point = (const FuncExpr *) linitial_node(TargetEntry, aggref->args)->expr;
	if (!IsA(point, FuncExpr) || list_length(point->args) != 2)
		return NULL;
	params = lsecond(point->args);
	if (!IsA(params, Const) || params->constisnull)
		return NULL;
	name = get_func_name(point->funcid);
	schema = get_namespace_name(get_func_namespace(point->funcid));
	if (name == NULL || schema == NULL || strcmp(schema, POINTS_SCHEMA) != 0)
		return NULL;
	if (strcmp(name, "grid_point") == 0)
		return aggref->aggfnoid == F_SUM_INT8 ? "sum_points" : "count_points";
	if (strcmp(name, "square_point") == 0 && aggref->aggfnoid == F_SUM_INT8)
		return "sum_squares";
	return NULL;
}

/* Stops, with true, at an aggregate of points. */
static bool
finds_points(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_points, context, 0);
	if (IsA(node, Aggref) && fused_name((Aggref *) node) != NULL)
		return true;
	return expression_tree_walker(node, finds_points, context);
}

static void
fuse(Aggref *aggref, const char *name)
{
	List *arguments = ((FuncExpr *) linitial_node(TargetEntry, aggref->args)->expr)->args;
	ListCell *lc;

	aggref->args = aggref->aggargtypes = NIL;
	foreach (lc, arguments)
	{
		Expr *argument = lfirst(lc);
		AttrNumber number = (AttrNumber) (list_length(aggref->args) + 1);

		aggref->args = lappend(aggref->args, makeTargetEntry(argument, number, NULL, false));
		aggref->aggargtypes = lappend_oid(aggref->aggargtypes, exprType((Node *) argument));
	}
	aggref->aggfnoid = gaussdp_own_function(name, aggref->aggargtypes);
}

static bool
fuse_walker(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, fuse_walker, context, 0);
	if (IsA(node, Aggref))
	{
		const char *name = fused_name((Aggref *) node);

		if (name != NULL)
			fuse((Aggref *) node, name);
	}
	return expression_tree_walker(node, fuse_walker, context);
}

void
gaussdp_fuse_points(Query *query)
{
	Oid distributed;

	if (gaussdp_has_distributed() && finds_points((Node *) query, NULL) &&
		!gaussdp_finds_distributed((Node *) query, &distributed))
		(void) fuse_walker((Node *) query, NULL);
}
