/*
 * share.c
 *		Equal calls are one release.
 *
 * The executor keeps one state for equal aggregates, so that dp_count(*) in the target list and in HAVING is the same
 * number, and is paid once.  Two calls of a volatile function are two.  So a query with equal calls,
 *
 *		SELECT k, dp_count(1, 1e-6) FROM t GROUP BY k HAVING dp_count(1, 1e-6) > 10
 *
 * becomes one over a sub-select that has each of them once:
 *
 *		SELECT k, c FROM (SELECT k, dp_count(1, 1e-6) AS c FROM t GROUP BY k) WHERE c > 10
 *
 * Citus makes a plan of its own for the sub-select.  Other queries stay as they are, which is faster.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "rewrite/rewriteManip.h"

#include "aggregate/calls.h"
#include "citus/split.h"
#include "compat.h"

/* A query on its way to become two. */
typedef struct Share
{
	List *keys;     /* of Node: the grouping expressions, the sub-select's first columns */
	List *columns;  /* of TargetEntry: all columns of the sub-select */
	Index depth;    /* sub-selects between the query and the node at hand */
	bool sublinks;  /* has a sub-select been seen? */
	bool has_equal; /* have two equal calls? */
	List *calls;    /* of Aggref: those that have been seen */
} Share;

/* The node, at the present depth, as it would be written in the query itself. */
static Node *
as_in_query(const Share *share, Node *node)
{
	node = copyObject(node);
	if (share->depth > 0)
		IncrementVarSublevelsUp(node, -(int) share->depth, (int) share->depth);
	return node;
}

/* Looks for two equal private aggregates of the query. */
static bool
find_equal(Node *node, void *context)
{
	Share *share = context;
	GaussdpCall call;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		share->sublinks = true;
		share->depth++;
		(void) query_tree_walker((Query *) node, find_equal, context, 0);
		share->depth--;
		return false;
	}
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == share->depth &&
		gaussdp_call_of(((Aggref *) node)->aggfnoid, &call))
	{
		node = as_in_query(share, node);
		share->has_equal |= list_member(share->calls, node);
		share->calls = lappend(share->calls, node);
		return false;
	}
	return expression_tree_walker(node, find_equal, context);
}

/* The column of the sub-select that is this expression of the query, as it is seen at the present depth. */
static Node *
column_of(Share *share, Node *expr)
{
	TargetEntry *column = NULL;
	ListCell *lc;

	foreach (lc, share->columns)
		if (equal(lfirst_node(TargetEntry, lc)->expr, expr))
			column = lfirst_node(TargetEntry, lc);
	if (column == NULL)
	{
		int number = list_length(share->columns) + 1;

		column =
			makeTargetEntry((Expr *) expr, (AttrNumber) number, psprintf("c%d", number), false);
		share->columns = lappend(share->columns, column);
	}
	return (Node *) makeVar(1, column->resno, exprType(expr), exprTypmod(expr), exprCollation(expr),
							share->depth);
}

/* Is this node, at the present depth, one of the grouping expressions? */
static bool
is_key(const Share *share, Node *node)
{
	ListCell *lc;

	foreach (lc, share->keys)
	{
		Node *key = lfirst(lc);

		if (nodeTag(key) != nodeTag(node))
			continue;
		if (share->depth > 0)
		{
			key = copyObject(key);
			IncrementVarSublevelsUp(key, (int) share->depth, 0);
		}
		if (equal(key, node))
			return true;
	}
	return false;
}

/* An expression of the query, over columns of the sub-select. */
static Node *
over_columns(Node *node, void *context)
{
	Share *share = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Query))
	{
		share->depth++;
		node = (Node *) query_tree_mutator((Query *) node, over_columns, context, 0);
		share->depth--;
		return node;
	}
	if ((IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == share->depth) ||
		(IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup == share->depth) ||
		(IsA(node, Var) && ((Var *) node)->varlevelsup == share->depth) || is_key(share, node))
		return column_of(share, as_in_query(share, node));
	return expression_tree_mutator(node, over_columns, context);
}

/* The grouping expressions become the first columns, with their marks. */
static void
take_keys(Share *share, const Query *query)
{
	ListCell *lc;

	foreach (lc, query->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node *key = copyObject(get_sortgroupclause_expr(clause, query->targetList));
		int number = list_length(share->columns) + 1;
		TargetEntry *column =
			makeTargetEntry((Expr *) key, (AttrNumber) number, psprintf("c%d", number), false);

		column->ressortgroupref = clause->tleSortGroupRef;
		share->columns = lappend(share->columns, column);
		share->keys = lappend(share->keys, key);
	}
}

/* What the query reads and groups, as a query of its own; it leaves the other. */
static Query *
take_inner(Query *query)
{
	Query *inner = makeNode(Query);

	inner->commandType = CMD_SELECT;
	inner->querySource = query->querySource;
	inner->canSetTag = true;
	inner->hasAggs = true;
	inner->hasSubLinks = query->hasSubLinks;
	inner->hasRowSecurity = query->hasRowSecurity;
	inner->hasRecursive = query->hasRecursive;
	inner->rtable = query->rtable;
	gaussdp_take_permissions(inner, query);
	inner->jointree = query->jointree;
	inner->cteList = query->cteList;
	inner->groupClause = query->groupClause;
	inner->groupDistinct = query->groupDistinct;
	inner->groupingSets = query->groupingSets;
	inner->constraintDeps = query->constraintDeps;

	query->rtable = NIL;
	gaussdp_take_permissions(query, NULL);
	query->cteList = NIL;
	query->hasRecursive = false;
	query->groupClause = query->groupingSets = NIL;
	query->groupDistinct = false;
	query->constraintDeps = NIL;
	query->hasAggs = false;
	return inner;
}

static RangeTblEntry *
entry_of(Query *inner)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	ListCell *lc;

	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = inner;
	entry->eref = makeAlias("level", NIL);
	foreach (lc, inner->targetList)
		entry->eref->colnames =
			lappend(entry->eref->colnames, makeString(lfirst_node(TargetEntry, lc)->resname));
	entry->inFromCl = true;
	return entry;
}

void
gaussdp_share_calls(Query *query)
{
	Share share = {0};
	Query *inner;
	RangeTblRef *reference;
	Node *having;

	if (!query->hasAggs)
		return;
	(void) find_equal((Node *) query->targetList, &share);
	(void) find_equal(query->havingQual, &share);
	if (!share.has_equal)
		return;
	/* The sub-selects beside the calls would look for WITH queries where there are none any more. */
	if (share.sublinks && query->cteList != NIL)
		ereport(ERROR,
				(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
				 errmsg("equal private aggregates beside sub-selects and WITH queries are not "
						"supported over distributed tables"),
				 errhint("Write the query with the private aggregates as a WITH query.")));

	gaussdp_flatten_groups(query);
	take_keys(&share, query);
	query->targetList = (List *) over_columns((Node *) query->targetList, &share);
	having = over_columns(query->havingQual, &share);
	inner = take_inner(query);
	inner->targetList = share.columns;
	inner->hasTargetSRFs = expression_returns_set((Node *) inner->targetList);
	IncrementVarSublevelsUp((Node *) inner, 1, 1);

	reference = makeNode(RangeTblRef);
	reference->rtindex = 1;
	query->rtable = list_make1(entry_of(inner));
	query->jointree = makeFromExpr(list_make1(reference), having);
	query->havingQual = NULL;
}
