/*
 * query_tree.c
 *		From a column of a query to the table that it is of.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "query_tree.h"

/* A query and those around it, innermost first, as frames of the search that has gone into it: nothing is copied. */
typedef struct Frame
{
	Query *query;
	const struct Frame *outer;
} Frame;

static RangeTblEntry *base_column(Expr *expr, const Frame *frame, AttrNumber *column);

static RangeTblEntry *
column_of_subquery(Query *subquery, AttrNumber attnum, const Frame *around, AttrNumber *column)
{
	Frame inner = {subquery, around};
	/* What INSERT, UPDATE, DELETE and MERGE return is not what they write. */
	List *columns =
		subquery->commandType == CMD_SELECT ? subquery->targetList : subquery->returningList;
	TargetEntry *entry;

	/* The arms of a set operation may be different columns. */
	if (subquery->setOperations != NULL)
		return NULL;
	entry = get_tle_by_resno(columns, attnum);
	return entry == NULL ? NULL : base_column(entry->expr, &inner, column);
}

/* The WITH query of this query that the entry reads. */
static CommonTableExpr *
find_cte(const RangeTblEntry *entry, const Query *query)
{
	ListCell *lc;

	foreach (lc, query->cteList)
		if (strcmp(lfirst_node(CommonTableExpr, lc)->ctename, entry->ctename) == 0)
			return lfirst_node(CommonTableExpr, lc);
	return NULL;
}

CommonTableExpr *
gaussdp_cte_of(const RangeTblEntry *entry, List *queries)
{
	if (entry->rtekind != RTE_CTE || entry->self_reference ||
		entry->ctelevelsup >= (Index) list_length(queries))
		return NULL;
	return find_cte(entry, list_nth_node(Query, queries, (int) entry->ctelevelsup));
}

Query *
gaussdp_with_query(const RangeTblEntry *entry, List *queries, List **around)
{
	CommonTableExpr *cte = gaussdp_cte_of(entry, queries);

	if (cte == NULL || cte->cterecursive)
		return NULL;
	*around = list_copy_tail(queries, (int) entry->ctelevelsup);
	return castNode(Query, cte->ctequery);
}

/* The frame so many queries further out; NULL where there is none. */
static const Frame *
frame_above(const Frame *frame, Index levels)
{
	while (frame != NULL && levels-- > 0)
		frame = frame->outer;
	return frame;
}

static RangeTblEntry *
column_of_cte(const RangeTblEntry *entry, AttrNumber attnum, const Frame *frame, AttrNumber *column)
{
	const Frame *around = frame_above(frame, entry->ctelevelsup);
	CommonTableExpr *cte =
		around == NULL || entry->self_reference ? NULL : find_cte(entry, around->query);

	if (cte == NULL || cte->cterecursive)
		return NULL;
	return column_of_subquery(castNode(Query, cte->ctequery), attnum, around, column);
}

static RangeTblEntry *
base_column(Expr *expr, const Frame *frame, AttrNumber *column)
{
	Var *var = (Var *) expr;
	RangeTblEntry *rte;
	Node *grouped;

	check_stack_depth();
	if (!IsA(expr, Var) || var->varattno <= 0 || !gaussdp_var_is_current(var))
		return NULL;
	frame = frame_above(frame, var->varlevelsup);
	if (frame == NULL)
		return NULL;
	rte = rt_fetch(var->varno, frame->query->rtable);
	grouped = gaussdp_grouped_column(rte, var->varattno);
	if (grouped != NULL)
		return base_column((Expr *) grouped, frame, column);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			*column = var->varattno;
			return rte;
		case RTE_SUBQUERY:
			return column_of_subquery(rte->subquery, var->varattno, frame, column);
		case RTE_CTE:
			return column_of_cte(rte, var->varattno, frame, column);
		case RTE_JOIN:
			return base_column(list_nth(rte->joinaliasvars, var->varattno - 1), frame, column);
		default:
			return NULL;
	}
}

RangeTblEntry *
gaussdp_base_column(Expr *expr, List *queries, AttrNumber *column)
{
	int n = list_length(queries);
	Frame *frames = palloc(sizeof(Frame) * Max(n, 1));
	RangeTblEntry *result;

	for (int i = 0; i < n; i++)
		frames[i] = (Frame){list_nth_node(Query, queries, i), i + 1 < n ? &frames[i + 1] : NULL};
	result = n == 0 ? NULL : base_column(expr, frames, column);
	pfree(frames);
	return result;
}
