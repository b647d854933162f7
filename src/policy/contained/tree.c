/*
 * tree.c
 *		How calls of contained() and alone() are made, and what they compute.
 *
 * The expression is a constant of type pg_node_tree.  The type has no input, but the catalogs have values of it that somebody may have
 * written, the default of a column: so both functions check what they are given.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/params.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "aggregate/calls.h"
#include "policy/contained/contained.h"

static Oid
contained_function(void)
{
	return gaussdp_own_function("contained",
								list_make3_oid(ANYELEMENTOID, PG_NODE_TREEOID, ANYOID));
}

Param *
gaussdp_parameter_for(List **args, Node *arg)
{
	Param *param = makeNode(Param);
	ListCell *lc;

	param->paramkind = PARAM_EXTERN;
	param->paramtype = exprType(arg);
	param->paramtypmod = -1;
	param->paramcollid = exprCollation(arg);
	param->location = -1;
	foreach (lc, *args)
		if (equal(lfirst(lc), arg))
			param->paramid = foreach_current_index(lc) + 1;
	if (param->paramid == 0)
	{
		*args = lappend(*args, arg);
		param->paramid = list_length(*args);
	}
	return param;
}

/* A call of contained() or alone(). */
static FuncExpr *
make_call(Oid function, Node *expression, Const *written, List *args)
{
	Oid type = exprType(expression);
	FuncExpr *call = makeFuncExpr(
		function, type, list_concat(list_make2(makeNullConst(type, -1, InvalidOid), written), args),
		exprCollation(expression), InvalidOid, COERCE_EXPLICIT_CALL);

	call->location = exprLocation(expression);
	return call;
}

static Const *
as_tree(Node *expression)
{
	return makeConst(PG_NODE_TREEOID, -1, InvalidOid, -1,
					 CStringGetTextDatum(nodeToString(expression)), false, false);
}

FuncExpr *
gaussdp_make_contained(Expr *expression, List *args)
{
	return make_call(contained_function(), (Node *) expression, as_tree((Node *) expression), args);
}

FuncExpr *
gaussdp_make_contained_sql(Node *expression, const char *sql, List *args)
{
	return make_call(
		gaussdp_own_function("contained", list_make3_oid(ANYELEMENTOID, TEXTOID, ANYOID)),
		expression,
		makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(sql), false, false),
		args);
}

static Oid
alone_function(void)
{
	return gaussdp_own_function("alone", list_make3_oid(ANYELEMENTOID, PG_NODE_TREEOID, ANYOID));
}

FuncExpr *
gaussdp_make_alone(Node *expression, List *args)
{
	return make_call(alone_function(), expression, as_tree(expression), args);
}

bool
gaussdp_is_alone(const Node *node)
{
	return node != NULL && IsA(node, FuncExpr) &&
		   ((const FuncExpr *) node)->funcid >= FirstNormalObjectId &&
		   ((const FuncExpr *) node)->funcid == alone_function();
}

static Oid
at_most_function(void)
{
	return gaussdp_own_function("at_most", list_make2_oid(ANYELEMENTOID, INT4OID));
}

FuncExpr *
gaussdp_make_at_most(Node *value, Size bytes)
{
	Const *limit = makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum((int32) bytes),
							 false, true);

	return makeFuncExpr(at_most_function(), exprType(value), list_make2(value, limit),
						exprCollation(value), InvalidOid, COERCE_EXPLICIT_CALL);
}

bool
gaussdp_is_at_most(const Node *node)
{
	return node != NULL && IsA(node, FuncExpr) &&
		   ((const FuncExpr *) node)->funcid >= FirstNormalObjectId &&
		   ((const FuncExpr *) node)->funcid == at_most_function();
}

bool
gaussdp_is_contained(const Node *node)
{
	return node != NULL && IsA(node, FuncExpr) &&
		   ((const FuncExpr *) node)->funcid >= FirstNormalObjectId &&
		   ((const FuncExpr *) node)->funcid == contained_function();
}

Node *
gaussdp_tree_of(Node *constant)
{
	const Const *tree = (const Const *) constant;

	if (!IsA(tree, Const) || tree->consttype != PG_NODE_TREEOID || tree->constisnull)
		return NULL;
	return stringToNode(TextDatumGetCString(tree->constvalue));
}

FuncExpr *
gaussdp_call_in_query(const FmgrInfo *function)
{
	Node *call = function->fn_expr;

	return call != NULL && IsA(call, FuncExpr) ? (FuncExpr *) call : NULL;
}

/* What the second argument says, a tree or SQL. */
static Node *
expression_of(const FuncExpr *call)
{
	const Const *written = list_length(call->args) >= 2 ? lsecond(call->args) : NULL;

	if (written != NULL && IsA(written, Const) && written->consttype == TEXTOID &&
		!written->constisnull)
		return gaussdp_read_sql(TextDatumGetCString(written->constvalue),
								gaussdp_contained_arguments(call));
	return written != NULL ? gaussdp_tree_of((Node *) written) : NULL;
}

Expr *
gaussdp_contained_expression(const FuncExpr *call)
{
	Node *expression = expression_of(call);

	/* Trees of the catalogs are of other nodes, too. */
	return expression != NULL && (IsA(expression, FuncExpr) || IsA(expression, OpExpr) ||
								  IsA(expression, CoerceViaIO))
			   ? (Expr *) expression
			   : NULL;
}

List *
gaussdp_contained_arguments(const FuncExpr *call)
{
	return list_copy_tail(call->args, 2);
}

static bool
find_mismatch(Node *node, void *context)
{
	List *args = context;
	const Param *param = (const Param *) node;

	if (node == NULL)
		return false;
	if (!IsA(node, Param))
		return expression_tree_walker(node, find_mismatch, context);
	return param->paramid < 1 || param->paramid > list_length(args) ||
		   param->paramtype != exprType(list_nth(args, param->paramid - 1));
}

bool
gaussdp_parameters_match(Node *expression, List *args)
{
	return !find_mismatch(expression, args);
}

void
gaussdp_load_expression(Expr *expression, List *args)
{
	MemoryContext context =
		AllocSetContextCreate(CurrentMemoryContext, "gaussdp contained", ALLOCSET_SMALL_SIZES);
	MemoryContext before = MemoryContextSwitchTo(context);
	ParamListInfo params = makeParamList(list_length(args));

	for (int i = 0; i < params->numParams; i++)
		params->params[i] = (ParamExternData){.ptype = exprType(list_nth(args, i))};
	(void) ExecInitExprWithParams(expression, params);
	MemoryContextSwitchTo(before);
	MemoryContextDelete(context);
}

void
gaussdp_load_contained(const FuncExpr *call)
{
	Expr *expression = gaussdp_contained_expression(call);

	(void) gaussdp_may_be_contained((Node *) expression);
	gaussdp_load_expression(gaussdp_limited(expression), gaussdp_contained_arguments(call));
}

void
gaussdp_load_alone(const FuncExpr *call)
{
	gaussdp_load_expression((Expr *) gaussdp_tree_of(lsecond(call->args)),
							gaussdp_contained_arguments(call));
}

List *
gaussdp_contained_parts(const FuncExpr *call)
{
	return lcons(gaussdp_contained_expression(call), list_copy(gaussdp_contained_arguments(call)));
}

static Node *
put_argument(Node *node, void *context)
{
	List *args = context;
	int n;

	if (node == NULL)
		return NULL;
	if (!IsA(node, Param))
		return expression_tree_mutator(node, put_argument, context);
	n = ((Param *) node)->paramid;
	return n >= 1 && n <= list_length(args) ? copyObject(list_nth(args, n - 1)) : node;
}

Node *
gaussdp_opened(Node *node)
{
	Expr *expression =
		gaussdp_is_contained(node) ? gaussdp_contained_expression((FuncExpr *) node) : NULL;

	if (expression == NULL)
		return node;
	return put_argument((Node *) expression, gaussdp_contained_arguments((FuncExpr *) node));
}
