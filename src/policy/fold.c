/*
 * fold.c
 *		Constants in other words: what planning will make of an expression in which no row is.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "policy/fold.h"
#include "policy/functions.h"

static bool is_computable(Node *node);

static bool
are_computable(List *nodes)
{
	ListCell *lc;

	foreach (lc, nodes)
		if (!is_computable(lfirst(lc)))
			return false;
	return true;
}

/* Is there no column, call or parameter in it, and nothing that fails? */
static bool
is_computable(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Const:
		case T_CaseTestExpr:
			return true;
		case T_List:
			return are_computable((List *) node);
		case T_RelabelType:
			return is_computable((Node *) ((RelabelType *) node)->arg);
		case T_ArrayExpr:
			return !((ArrayExpr *) node)->multidims &&
				   are_computable(((ArrayExpr *) node)->elements);
		case T_ArrayCoerceExpr:
			return is_computable((Node *) ((ArrayCoerceExpr *) node)->arg) &&
				   is_computable((Node *) ((ArrayCoerceExpr *) node)->elemexpr);
		case T_FuncExpr:
		{
			FuncExpr *expr = (FuncExpr *) node;

			return are_computable(expr->args) &&
				   gaussdp_function_is_total(expr->funcid, expr->args, expr->inputcollid);
		}
		case T_OpExpr:
		{
			OpExpr *expr = (OpExpr *) node;

			/* Constants are short, and put together still are. */
			return are_computable(expr->args) &&
				   (get_opcode(expr->opno) == F_TEXTCAT ||
					gaussdp_function_is_total(get_opcode(expr->opno), expr->args,
											  expr->inputcollid));
		}
		default:
			return false;
	}
}

Node *
gaussdp_fold(Node *node)
{
	if (node == NULL || IsA(node, Const) || !is_computable(node))
		return node;
	return eval_const_expressions(NULL, node);
}
