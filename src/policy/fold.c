/*
 * fold.c
 *		Constants in other words: what planning will make of an expression in which no row is.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "policy/caps.h"
#include "policy/facts.h"
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

/*
 * Constants are short, and two put together still are; but a long one would be copied by each || around it.
 */
static bool
are_short(List *nodes)
{
	ListCell *lc;

	foreach (lc, nodes)
	{
		Const *constant = (Const *) gaussdp_fold(lfirst(lc));

		if (IsA(constant, Const) && !constant->constisnull &&
			gaussdp_is_long(constant->constvalue, constant->constlen))
			return false;
	}
	return true;
}

static bool
compute_is_computable(Node *node)
{
	switch (nodeTag(node))
	{
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

			return are_computable(expr->args) &&
				   (get_opcode(expr->opno) == F_TEXTCAT
						? are_short(expr->args)
						: gaussdp_function_is_total(get_opcode(expr->opno), expr->args,
													expr->inputcollid));
		}
		default:
			return false;
	}
}

/* Is there no column, call or parameter in it, and nothing that fails? */
static bool
is_computable(Node *node)
{
	GaussdpFact *fact;
	bool result;

	switch (nodeTag(node))
	{
		case T_Const:
		case T_CaseTestExpr:
			return true;
		case T_List:
			return are_computable((List *) node);
		case T_RelabelType:
		case T_ArrayExpr:
		case T_ArrayCoerceExpr:
		case T_FuncExpr:
		case T_OpExpr:
			break;
		default:
			return false;
	}
	fact = gaussdp_fact_of(node);
	if (fact != NULL && fact->knows_computable)
		return fact->is_computable;
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	result = compute_is_computable(node);
	fact = gaussdp_fact_of(node);
	if (fact != NULL)
	{
		fact->knows_computable = true;
		fact->is_computable = result;
	}
	return result;
}

/* A copy whose arguments are folded already, so that folding it is one step. */
static Node *
with_folded_arguments(Node *node)
{
	switch (nodeTag(node))
	{
		case T_RelabelType:
		{
			RelabelType *copy = makeNode(RelabelType);

			*copy = *(RelabelType *) node;
			copy->arg = (Expr *) gaussdp_fold((Node *) copy->arg);
			return (Node *) copy;
		}
		case T_ArrayExpr:
		{
			ArrayExpr *copy = makeNode(ArrayExpr);

			*copy = *(ArrayExpr *) node;
			copy->elements = gaussdp_fold_list(copy->elements);
			return (Node *) copy;
		}
		case T_ArrayCoerceExpr:
		{
			ArrayCoerceExpr *copy = makeNode(ArrayCoerceExpr);

			*copy = *(ArrayCoerceExpr *) node;
			copy->arg = (Expr *) gaussdp_fold((Node *) copy->arg);
			return (Node *) copy;
		}
		case T_FuncExpr:
		{
			FuncExpr *copy = makeNode(FuncExpr);

			*copy = *(FuncExpr *) node;
			copy->args = gaussdp_fold_list(copy->args);
			return (Node *) copy;
		}
		case T_OpExpr:
		{
			OpExpr *copy = makeNode(OpExpr);

			*copy = *(OpExpr *) node;
			copy->args = gaussdp_fold_list(copy->args);
			return (Node *) copy;
		}
		default:
			return node;
	}
}

Node *
gaussdp_fold(Node *node)
{
	GaussdpFact *fact;
	Node *folded;

	/* Of a list each item is folded when its turn comes. */
	if (node == NULL || IsA(node, Const) || IsA(node, List) || !is_computable(node))
		return node;
	fact = gaussdp_fact_of(node);
	if (fact != NULL && fact->folded != NULL)
		return fact->folded;
	check_stack_depth();
	folded = eval_const_expressions(NULL, with_folded_arguments(node));
	fact = gaussdp_fact_of(node);
	if (fact != NULL)
		fact->folded = folded;
	return folded;
}

List *
gaussdp_fold_list(List *nodes)
{
	List *folded = NIL;
	ListCell *lc;

	foreach (lc, nodes)
		folded = lappend(folded, gaussdp_fold(lfirst(lc)));
	return folded;
}
