/*
 * alone.c
 *		The function alone(): evaluates an expression in memory of its own, which is given back at once.
 *
 * A plan frees what an expression has taken when it goes on to the next row.  Each function that looks at a long stored value makes a
 * copy of it, so a row of such values would take as much memory as there are calls: whether there is so much would depend on the row.  Here
 * each value is read once, before, and what is left of an evaluation is its result.
 *
 * The expression is one that has been proven: no error is caught.  What it would take is limited by the sizes of its arguments; where
 * that is too much the result is NULL.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "nodes/params.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/datum.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"

#include "compat.h"
#include "policy/contained/contained.h"

PG_FUNCTION_INFO_V1(gaussdp_alone);
PG_FUNCTION_INFO_V1(gaussdp_at_most);

/* The first argument is a NULL of the result's type, the second one the expression. */
#define FIRST_ARGUMENT 2

/* A call in a plan. */
typedef struct Alone
{
	ExprState *state;
	ExprContext *econtext; /* its memory is reset for each row */
	ParamListInfo params;  /* the arguments */
	int16 *lengths;        /* of their types */
	Size copies;  /* how many values may be there that are as long as all arguments together */
	int16 length; /* of the result */
	bool by_value;
} Alone;

/* Those that have defaults are filled in by the planner, which does not see the expression. */
static bool
has_all_arguments(const FuncExpr *call)
{
	int declared = get_func_nargs(call->funcid);

	return list_length(call->args) == declared ||
		   (list_length(call->args) > declared && get_func_variadictype(call->funcid) == ANYOID);
}

/* Whoever calls the function gets no more than what a query may say: no column, no sub-select, no aggregate. */
static bool
is_strange(Node *node, void *copies)
{
	if (node == NULL)
		return false;
	check_stack_depth();
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			if (((FuncExpr *) node)->funcretset || !has_all_arguments((FuncExpr *) node))
				return true;
			*(Size *) copies += get_typlen(exprType(node)) == -1;
			break;
		case T_OpExpr:
		case T_CoerceViaIO:
		case T_SubscriptingRef:
		case T_ArrayExpr:
			*(Size *) copies += get_typlen(exprType(node)) == -1;
			break;
		case T_Param:
			return ((Param *) node)->paramkind != PARAM_EXTERN;
		case T_List:
		case T_Const:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_BoolExpr:
		case T_RelabelType:
		case T_CollateExpr:
		case T_CaseExpr:
		case T_CaseWhen:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_NullTest:
		case T_BooleanTest:
			break;
		default:
			return true;
	}
	return expression_tree_walker(node, is_strange, copies);
}

static Alone *
begin(FunctionCallInfo fcinfo)
{
	FmgrInfo *flinfo = fcinfo->flinfo;
	MemoryContext before = MemoryContextSwitchTo(flinfo->fn_mcxt);
	Alone *a = palloc0(sizeof(Alone));
	const FuncExpr *call = gaussdp_call_in_query(flinfo);
	Node *expression =
		call != NULL ? gaussdp_tree_of(list_nth(call->args, FIRST_ARGUMENT - 1)) : NULL;

	if (expression == NULL || is_strange(expression, &a->copies) ||
		exprType(expression) != get_fn_expr_rettype(flinfo) ||
		!gaussdp_parameters_match(expression, list_copy_tail(call->args, FIRST_ARGUMENT)))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the expression is none that may be evaluated alone")));
	get_typlenbyval(exprType(expression), &a->length, &a->by_value);
	a->params = makeParamList(PG_NARGS() - FIRST_ARGUMENT);
	a->lengths = palloc(Max(a->params->numParams, 1) * sizeof(int16));
	for (int i = 0; i < a->params->numParams; i++)
	{
		a->params->params[i].ptype = get_fn_expr_argtype(flinfo, FIRST_ARGUMENT + i);
		a->lengths[i] = get_typlen(a->params->params[i].ptype);
	}
	a->econtext = makeNode(ExprContext);
	a->econtext->ecxt_per_query_memory = flinfo->fn_mcxt;
	a->econtext->ecxt_per_tuple_memory =
		AllocSetContextCreate(flinfo->fn_mcxt, "gaussdp alone", ALLOCSET_DEFAULT_SIZES);
	a->econtext->ecxt_param_list_info = a->params;
	a->state = ExecInitExprWithParams((Expr *) expression, a->params);
	MemoryContextSwitchTo(before);
	flinfo->fn_extra = a;
	return a;
}

/* Takes the arguments; false where too much memory could be needed for them. */
static bool
take_arguments(Alone *a, FunctionCallInfo fcinfo)
{
	Size total = 0;

	for (int i = 0; i < a->params->numParams; i++)
	{
		ParamExternData *param = &a->params->params[i];

		param->value = PG_GETARG_DATUM(FIRST_ARGUMENT + i);
		param->isnull = PG_ARGISNULL(FIRST_ARGUMENT + i);
		if (a->lengths[i] == -1 && !param->isnull)
			total += toast_raw_datum_size(param->value);
	}
	return total <= GAUSSDP_ALONE_MEMORY / (a->copies + 1);
}

/* As they are in memory, each once. */
static void
read_arguments(Alone *a)
{
	for (int i = 0; i < a->params->numParams; i++)
		if (a->lengths[i] == -1 && !a->params->params[i].isnull)
			a->params->params[i].value = gaussdp_plain_value(a->params->params[i].value);
}

Datum
gaussdp_alone(PG_FUNCTION_ARGS)
{
	Alone *a = fcinfo->flinfo->fn_extra;
	MemoryContext before = CurrentMemoryContext;
	Datum result;
	bool isnull;

	if (a == NULL)
		a = begin(fcinfo);
	if (!take_arguments(a, fcinfo))
		PG_RETURN_NULL();
	MemoryContextSwitchTo(a->econtext->ecxt_per_tuple_memory);
	read_arguments(a);
	result = ExecEvalExpr(a->state, a->econtext, &isnull);
	MemoryContextSwitchTo(before);
	if (!isnull && !a->by_value)
		result = datumCopy(result, false, a->length);
	MemoryContextReset(a->econtext->ecxt_per_tuple_memory);
	if (isnull)
		PG_RETURN_NULL();
	return result;
}

typedef struct Limited
{
	int16 length; /* of the type */
	bool is_array;
} Limited;

/* NULLs take a bit each: 64 kB have half a million. */
static bool
has_many_elements(Datum array)
{
	const ArrayType *head =
		(ArrayType *) PG_DETOAST_DATUM_SLICE(array, 0, ARR_OVERHEAD_NONULLS(MAXDIM) - VARHDRSZ);

	return ArrayGetNItems(ARR_NDIM(head), ARR_DIMS(head)) > GAUSSDP_MOST_ELEMENTS;
}

/* gaussdp_internal.at_most(anyelement, int) */
Datum
gaussdp_at_most(PG_FUNCTION_ARGS)
{
	Limited *type = fcinfo->flinfo->fn_extra;

	if (type == NULL)
	{
		Oid result = getBaseType(get_fn_expr_rettype(fcinfo->flinfo));

		type = MemoryContextAlloc(fcinfo->flinfo->fn_mcxt, sizeof(Limited));
		type->length = get_typlen(result);
		type->is_array = OidIsValid(get_element_type(result));
		fcinfo->flinfo->fn_extra = type;
	}
	if (type->length == -1 && toast_raw_datum_size(PG_GETARG_DATUM(0)) > (Size) PG_GETARG_INT32(1))
		PG_RETURN_NULL();
	if (type->is_array && has_many_elements(PG_GETARG_DATUM(0)))
		PG_RETURN_NULL();
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
