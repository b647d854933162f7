/*
 * inputs.c
 *		What a level needs beside its rows: the arguments of its stand-in, computed before the level reads anything.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/datum.h"
#include "utils/expandeddatum.h"
#include "utils/lsyscache.h"

#include "policy/exec/inputs.h"
#include "valid_text.h"

Query *
gaussdp_level_of(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_FUNCTION ? entry->subquery : NULL;
}

Node *
gaussdp_unknown_input(Node *expr, int i)
{
	Param *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	param->paramid = i;
	param->paramtype = exprType(expr);
	param->paramtypmod = exprTypmod(expr);
	param->paramcollid = exprCollation(expr);
	param->location = exprLocation(expr);
	return (Node *) param;
}

static Node *
fill_parameter(Node *node, void *context)
{
	List *inputs = context;

	if (node == NULL)
		return NULL;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, fill_parameter, context, 0);
	if (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN)
	{
		Node *value = copyObject(list_nth(inputs, ((Param *) node)->paramid - 1));

		if (IsA(value, Const))
			((Const *) value)->location = ((Param *) node)->location;
		return value;
	}
	return expression_tree_mutator(node, fill_parameter, context);
}

Query *
gaussdp_fill_level(const Query *level, List *inputs)
{
	return query_tree_mutator(copyObject(unconstify(Query *, level)), fill_parameter, inputs, 0);
}

/* A value of its own, with nothing behind it that could change or fail. */
static Datum
own_value(Datum value, bool isnull, Oid type, int16 length, bool by_value)
{
	if (isnull)
		return (Datum) 0;
	if (!gaussdp_is_valid_text(value, type))
		ereport(ERROR, (errcode(ERRCODE_CHARACTER_NOT_IN_REPERTOIRE),
						errmsg("a value beside protected rows is no text of the encoding"),
						errhint("Write it as a text, not as \"char\".")));
	if (length == -1 && !VARATT_IS_EXTERNAL_EXPANDED(DatumGetPointer(value)))
		return PointerGetDatum(PG_DETOAST_DATUM_COPY(value));
	return datumCopy(value, by_value, length);
}

List *
gaussdp_evaluate_inputs(List *states, ExprContext *context)
{
	List *values = NIL;
	ListCell *lc;

	foreach (lc, states)
	{
		ExprState *state = lfirst(lc);
		Node *expr = (Node *) state->expr;
		int16 length;
		bool by_value;
		bool isnull;
		Datum value = ExecEvalExprSwitchContext(state, context, &isnull);

		get_typlenbyval(exprType(expr), &length, &by_value);
		values =
			lappend(values, makeConst(exprType(expr), exprTypmod(expr), exprCollation(expr), length,
									  own_value(value, isnull, exprType(expr), length, by_value),
									  isnull, by_value));
		ResetExprContext(context);
	}
	return values;
}

Node *
gaussdp_known_input(Node *expr, ParamListInfo params)
{
	Param *param = (Param *) expr;
	ParamExternData space;
	ParamExternData *value;
	int16 length;
	bool by_value;

	if (IsA(expr, Const))
		return expr;
	if (!IsA(expr, Param) || param->paramkind != PARAM_EXTERN || params == NULL ||
		param->paramid < 1 || param->paramid > params->numParams)
		return NULL;
	value = params->paramFetch != NULL ? params->paramFetch(params, param->paramid, true, &space)
									   : &params->params[param->paramid - 1];
	if (value->ptype != param->paramtype)
		return NULL;
	get_typlenbyval(param->paramtype, &length, &by_value);
	return (Node *) makeConst(
		param->paramtype, param->paramtypmod, param->paramcollid, length,
		own_value(value->value, value->isnull, param->paramtype, length, by_value), value->isnull,
		by_value);
}
