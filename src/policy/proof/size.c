/*
 * size.c
 *		How large a query over protected tables may be.
 *
 * One walk before any other of the policy, so that none of them meets a query that would keep it for
 * hours.  The limits are constants and the query's text is the role's own: the error tells nothing.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "policy/proof/size.h"

typedef struct Count
{
	int64 nodes;
	int64 values; /* rows of VALUES lists */
	int depth;    /* of the query that is being walked */
	bool has_limits;
} Count;

void
gaussdp_check_limit(int64 count, int64 limit, const char *what)
{
	if (count > limit)
		ereport(ERROR,
				(errcode(ERRCODE_STATEMENT_TOO_COMPLEX),
				 errmsg("the query over a protected table is too complex"),
				 errdetail("It has more than " INT64_FORMAT " %s.", limit, what),
				 errhint("Write it as several queries, or join to a table instead of writing "
						 "values out.")));
}

/* A constant in VALUES is part of its row, which is counted; everything else in there is a node. */
static void
count_values(const RangeTblEntry *entry, Count *count)
{
	ListCell *row;
	ListCell *value;

	count->values += list_length(entry->values_lists);
	foreach (row, entry->values_lists)
	{
		CHECK_FOR_INTERRUPTS();
		foreach (value, lfirst_node(List, row))
			if (IsA(lfirst(value), Const))
				count->nodes--;
	}
}

static bool
count_walker(Node *node, Count *count)
{
	bool stopped;

	if (node == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	if (!IsA(node, List))
		count->nodes++;
	if (count->has_limits)
		gaussdp_check_limit(count->nodes, GAUSSDP_MAX_NODES, "nodes");
	if (IsA(node, RangeTblEntry))
	{
		/* What is in it follows by itself: a walk over a query visits its entries before. */
		if (((RangeTblEntry *) node)->rtekind == RTE_VALUES)
			count_values((RangeTblEntry *) node, count);
		if (count->has_limits)
			gaussdp_check_limit(count->values, GAUSSDP_MAX_VALUES, "rows in VALUES");
		return false;
	}
	if (!IsA(node, Query))
		return expression_tree_walker(node, count_walker, count);
	count->depth++;
	if (count->has_limits)
		gaussdp_check_limit(count->depth, GAUSSDP_MAX_DEPTH, "queries inside of one another");
	stopped = query_tree_walker((Query *) node, count_walker, count, QTW_EXAMINE_RTES_BEFORE);
	count->depth--;
	return stopped;
}

int64
gaussdp_check_size(Query *query)
{
	Count count = {.has_limits = true};

	(void) count_walker((Node *) query, &count);
	return count.nodes;
}

int64
gaussdp_count_nodes(Node *node)
{
	Count count = {0};

	(void) count_walker(node, &count);
	return count.nodes;
}
