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
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

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

/* ---------------------------------------------------------------------------
 * Columns of a row
 * ---------------------------------------------------------------------------
 */

/* What rows of a query are made of, below and above its aggregates. */
typedef struct Columns
{
	Bitmapset **used; /* columns of each relation of FROM, by its number */
	int nrelations;
	int64 aggregates;
	int64 arguments; /* of aggregates, computed */
	int64 others;    /* computed values */
} Columns;

static int64 columns_of(const Query *query);

static bool
is_computed(const Node *node)
{
	return !IsA(node, Var) && !IsA(node, Const) && !IsA(node, Aggref);
}

/* No join sorts by a comparison with a constant. */
static bool
is_side(const Node *node)
{
	return !IsA(node, Const) && !IsA(node, Param) && !IsA(node, CaseTestExpr);
}

/* A join may sort by both sides of a comparison. */
static int
count_sides(const OpExpr *op)
{
	Node *left = linitial(op->args);
	Node *right = llast(op->args);

	if (list_length(op->args) != 2 || !is_side(left) || !is_side(right) ||
		!op_mergejoinable(op->opno, exprType(left)))
		return 0;
	return is_computed(left) + is_computed(right);
}

static int
count_computed(List *targets)
{
	int n = 0;
	ListCell *lc;

	foreach (lc, targets)
		n += is_computed((Node *) lfirst_node(TargetEntry, lc)->expr);
	return n;
}

static bool
columns_walker(Node *node, Columns *columns)
{
	if (node == NULL)
		return false;
	check_stack_depth();
	if (IsA(node, Query))
	{
		columns->others += columns_of((Query *) node);
		return false;
	}
	if (IsA(node, Var))
	{
		const Var *var = (const Var *) node;

		if (var->varlevelsup == 0 && var->varno > 0 && var->varno <= columns->nrelations &&
			var->varattno > 0)
			columns->used[var->varno] = bms_add_member(columns->used[var->varno], var->varattno);
		else
			columns->others++;
		return false;
	}
	if (IsA(node, Aggref))
	{
		columns->aggregates++;
		columns->arguments += count_computed(((Aggref *) node)->args);
	}
	else if (IsA(node, WindowFunc))
		columns->others++;
	else if (IsA(node, OpExpr))
		columns->others += count_sides((OpExpr *) node);
	return expression_tree_walker(node, columns_walker, columns);
}

/*
 * No row in a plan of the query has more columns.  Of a query in FROM it has those that are used or, where the planner
 * pulls it up, those that it is made of.
 */
static int64
columns_of(const Query *query)
{
	Columns columns = {.nrelations = list_length(query->rtable),
					   .others = count_computed(query->targetList)};
	int64 below;
	int64 above;

	columns.used = palloc0((columns.nrelations + 1) * sizeof(Bitmapset *));
	(void) query_tree_walker(unconstify(Query *, query), columns_walker, &columns,
							 QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_JOINALIASES);
	below = columns.arguments;
	for (int i = 1; i <= columns.nrelations; i++)
	{
		const RangeTblEntry *entry = rt_fetch(i, query->rtable);
		int64 inside = entry->rtekind == RTE_SUBQUERY ? columns_of(entry->subquery) : 0;

		below += Max(inside, bms_num_members(columns.used[i]));
	}
	above = columns.aggregates + list_length(query->groupClause);
	return Max(columns.others + Max(below, above), list_length(query->targetList));
}

void
gaussdp_check_columns(const Query *level)
{
	gaussdp_check_limit(columns_of(level), GAUSSDP_MAX_COLUMNS, "columns in one row");
}
