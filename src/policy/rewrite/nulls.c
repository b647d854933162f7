/*
 * nulls.c
 *		Which expressions of a query are never NULL, whatever the rows are; and a question whether one is.
 *
 * Asked before a query is proven, to choose between two forms of an answer: whoever is told "may be NULL" loses nothing but accuracy.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"

#include "aggregate/bounds.h"
#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

/* A column of the first of these queries, which no outer join may leave out. */
static bool
is_column_never_null(const Var *var, List *queries)
{
	Query *query = linitial_node(Query, queries);
	RangeTblEntry *entry;
	Query *inner = NULL;
	List *around = queries;
	Node *grouped;
	TargetEntry *column;

	if (var->varlevelsup > 0 || var->varattno <= 0 || gaussdp_may_be_missing(query, var->varno))
		return false;
	entry = rt_fetch(var->varno, query->rtable);
	grouped = gaussdp_grouped_column(entry, var->varattno);
	if (grouped != NULL)
		return gaussdp_is_never_null(grouped, queries);
	switch (entry->rtekind)
	{
		case RTE_RELATION:
			return gaussdp_is_not_null(entry->relid, var->varattno);
		case RTE_JOIN:
			return gaussdp_is_never_null(list_nth(entry->joinaliasvars, var->varattno - 1),
										 queries);
		case RTE_SUBQUERY:
			inner = entry->subquery;
			break;
		case RTE_CTE:
			inner = gaussdp_with_query(entry, queries, &around);
			break;
		default:
			return false;
	}
	if (inner == NULL || inner->setOperations != NULL || inner->groupingSets != NIL)
		return false;
	column = get_tle_by_resno(inner->targetList, var->varattno);
	return column != NULL &&
		   gaussdp_is_never_null((Node *) column->expr, lcons(inner, list_copy(around)));
}

static bool
are_all_never_null(List *expressions, List *queries)
{
	ListCell *lc;

	foreach (lc, expressions)
		if (!gaussdp_is_never_null(lfirst(lc), queries))
			return false;
	return expressions != NIL;
}

/* Each branch of it, and what stands where none is taken. */
static bool
is_case_never_null(const CaseExpr *expr, List *queries)
{
	ListCell *lc;

	foreach (lc, expr->args)
		if (!gaussdp_is_never_null((Node *) lfirst_node(CaseWhen, lc)->result, queries))
			return false;
	return expr->defresult != NULL && gaussdp_is_never_null((Node *) expr->defresult, queries);
}

bool
gaussdp_is_never_null(Node *node, List *queries)
{
	ListCell *lc;

	check_stack_depth();
	switch (nodeTag(node))
	{
		case T_NullTest:
		case T_BooleanTest:
			return true;
		case T_Const:
			return !((Const *) node)->constisnull;
		case T_RelabelType:
			return gaussdp_is_never_null((Node *) ((RelabelType *) node)->arg, queries);
		case T_BoolExpr:
			return are_all_never_null(((BoolExpr *) node)->args, queries);
		case T_OpExpr:
			return gaussdp_comparisons_of(((OpExpr *) node)->opno) != NIL &&
				   are_all_never_null(((OpExpr *) node)->args, queries);
		case T_CaseExpr:
			return is_case_never_null((CaseExpr *) node, queries);
		case T_CoalesceExpr:
			foreach (lc, ((CoalesceExpr *) node)->args)
				if (gaussdp_is_never_null(lfirst(lc), queries))
					return true;
			return false;
		case T_Var:
			return is_column_never_null((Var *) node, queries);
		default:
			return false;
	}
}

/* Is it this number, a constant? */
static bool
is_number_of(const Expr *expr, int64 number)
{
	const Const *value = (const Const *) expr;

	return value != NULL && IsA(value, Const) && !value->constisnull &&
		   ((value->consttype == INT4OID && DatumGetInt32(value->constvalue) == number) ||
			(value->consttype == INT8OID && DatumGetInt64(value->constvalue) == number));
}

bool
gaussdp_is_one_for_null(Node *node)
{
	const FuncExpr *cast = (const FuncExpr *) node;
	const Aggref *agg = IsA(cast, FuncExpr) && cast->funcid == F_INT8_INT4 ? linitial(cast->args)
																		   : (const void *) node;
	const CaseExpr *expr;
	const CaseWhen *when;

	if (!IsA(agg, Aggref) || agg->agglevelsup != 0 || list_length(agg->args) != 1 ||
		agg->aggfilter != NULL || (agg->aggfnoid != F_MAX_INT4 && agg->aggfnoid != F_MAX_INT8))
		return false;
	expr = (const CaseExpr *) linitial_node(TargetEntry, agg->args)->expr;
	if (!IsA(expr, CaseExpr) || expr->arg != NULL || list_length(expr->args) != 1)
		return false;
	when = linitial_node(CaseWhen, expr->args);
	return IsA(when->expr, NullTest) && ((const NullTest *) when->expr)->nulltesttype == IS_NULL &&
		   is_number_of(when->result, 1) && is_number_of(expr->defresult, 0);
}
