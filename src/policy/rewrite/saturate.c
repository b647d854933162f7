/*
 * saturate.c
 *		Arithmetic and casts of numbers on rows that end where their type ends, where they would fail.
 *
 *		age * 12				gaussdp_internal.to_int4(age::bigint * 12)
 *		n * 12::bigint			gaussdp_internal.to_int8(n::numeric * 12)
 *		floor(x / 100)::int		gaussdp_internal.to_int4(floor(x / 100))
 *
 * A value that would be an error, which tells of a row, is the type's end instead.  All others stay what they are.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "policy/rewrite/rewrite.h"

/* What is done in a type that has room for it: bigint, or for bigint numeric. */
typedef struct Wide
{
	Oid in_int8;
	Oid in_numeric;
} Wide;

static const Wide add = {F_INT8PL, F_NUMERIC_ADD};
static const Wide subtract = {F_INT8MI, F_NUMERIC_SUB};
static const Wide multiply = {F_INT8MUL, F_NUMERIC_MUL};
static const Wide negate = {F_INT8UM, F_NUMERIC_UMINUS};
static const Wide absolute = {F_INT8ABS, F_NUMERIC_ABS};

/* clang-format off */
static const struct
{
	Oid function;
	const Wide *wide;
} narrow[] = {
	{F_INT2PL, &add}, {F_INT24PL, &add}, {F_INT28PL, &add}, {F_INT42PL, &add}, {F_INT4PL, &add},
	{F_INT48PL, &add}, {F_INT82PL, &add}, {F_INT84PL, &add}, {F_INT8PL, &add},
	{F_INT2MI, &subtract}, {F_INT24MI, &subtract}, {F_INT28MI, &subtract}, {F_INT42MI, &subtract}, {F_INT4MI, &subtract},
	{F_INT48MI, &subtract}, {F_INT82MI, &subtract}, {F_INT84MI, &subtract}, {F_INT8MI, &subtract},
	{F_INT2MUL, &multiply}, {F_INT24MUL, &multiply}, {F_INT28MUL, &multiply}, {F_INT42MUL, &multiply}, {F_INT4MUL, &multiply},
	{F_INT48MUL, &multiply}, {F_INT82MUL, &multiply}, {F_INT84MUL, &multiply}, {F_INT8MUL, &multiply},
	{F_INT2UM, &negate}, {F_INT4UM, &negate}, {F_INT8UM, &negate},
	{F_INT2ABS, &absolute}, {F_INT4ABS, &absolute}, {F_INT8ABS, &absolute},
	{F_ABS_INT2, &absolute}, {F_ABS_INT4, &absolute}, {F_ABS_INT8, &absolute},
};
/* clang-format on */

/* From a wide type to a narrower one. */
static const Oid casts[] = {F_INT2_NUMERIC, F_INT4_NUMERIC, F_INT8_NUMERIC,
							F_INT2_INT4,    F_INT2_INT8,    F_INT4_INT8,
							F_INT2_FLOAT8,  F_INT4_FLOAT8,  F_INT8_FLOAT8};

/* Larger expressions stay as they are: their ranges would be computed at each of the calls in them. */
#define MOST_NODES 80

static bool
is_large(Node *node, int *count)
{
	if (node == NULL)
		return false;
	return ++*count > MOST_NODES || expression_tree_walker(node, is_large, count);
}

static Expr *
call(Oid function, List *args)
{
	return (Expr *) makeFuncExpr(function, get_func_rettype(function), args, InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* The nearest value of an integer type; NULL stays NULL. */
static Node *
nearest(Expr *value, Oid type)
{
	const char *name = type == INT2OID ? "to_int2" : type == INT4OID ? "to_int4" : "to_int8";

	Oid given = getBaseType(exprType((Node *) value));

	if (given == INT4OID)
	{
		value = call(F_INT8_INT4, list_make1(value));
		given = INT8OID;
	}
	return (Node *) call(gaussdp_own_function(name, list_make1_oid(given)), list_make1(value));
}

static Expr *
widened(Expr *value, bool to_numeric)
{
	switch (getBaseType(exprType((Node *) value)))
	{
		case INT2OID:
			return call(to_numeric ? F_NUMERIC_INT2 : F_INT8_INT2, list_make1(value));
		case INT4OID:
			return call(to_numeric ? F_NUMERIC_INT4 : F_INT8_INT4, list_make1(value));
		default:
			return to_numeric ? call(F_NUMERIC_INT8, list_make1(value)) : value;
	}
}

/* A constant that is far from all ends of double precision and numeric. */
static Expr *
far(double value, Oid type)
{
	Expr *constant = (Expr *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8),
										Float8GetDatum(value), false, FLOAT8PASSBYVAL);

	if (type == NUMERICOID)
		constant = (Expr *) makeConst(NUMERICOID, -1, InvalidOid, -1,
									  DirectFunctionCall1(float8_numeric, Float8GetDatum(value)),
									  false, false);
	return constant;
}

static Expr *
minmax(MinMaxOp op, Expr *value, Expr *bound)
{
	MinMaxExpr *expr = makeNode(MinMaxExpr);

	expr->minmaxtype = getBaseType(exprType((Node *) value));
	expr->op = op;
	expr->args = list_make2(value, bound);
	expr->location = -1;
	return (Expr *) expr;
}

/* CASE WHEN x IS NULL THEN NULL ELSE least(greatest(x, -1e18), 1e18) END: width_bucket has no bucket for NaN. */
static Expr *
finite_operand(Expr *value)
{
	Oid type = getBaseType(exprType((Node *) value));
	NullTest *test = makeNode(NullTest);
	CaseWhen *when = makeNode(CaseWhen);
	CaseExpr *expr = makeNode(CaseExpr);

	test->arg = value;
	test->nulltesttype = IS_NULL;
	test->location = when->location = expr->location = -1;
	when->expr = (Expr *) test;
	when->result = (Expr *) makeNullConst(type, -1, InvalidOid);
	expr->casetype = type;
	expr->args = list_make1(when);
	expr->defresult =
		minmax(IS_LEAST, minmax(IS_GREATEST, copyObject(value), far(-1e18, type)), far(1e18, type));
	return (Expr *) expr;
}

/* Nothing is known of columns yet: these are facts of the call alone, which is changed next. */
static bool
is_total(Oid function, List *args)
{
	GaussdpFacts facts;
	volatile bool result = false;

	gaussdp_open_facts(&facts, NIL);
	PG_TRY();
	{
		result = gaussdp_arithmetic_is_total(function, args);
	}
	PG_FINALLY();
	{
		gaussdp_close_facts(&facts);
	}
	PG_END_TRY();
	return result;
}

Node *
gaussdp_saturate(Node *node, Oid function, List *args)
{
	const Wide *wide = NULL;
	Oid type = get_func_rettype(function);
	int count = 0;
	List *operands = NIL;
	ListCell *lc;

	if (is_large((Node *) args, &count) || is_total(function, args))
		return node;
	for (size_t i = 0; i < lengthof(casts); i++)
		if (casts[i] == function)
			return nearest(linitial(args), type);
	if (function == F_WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4 ||
		function == F_WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4)
	{
		linitial(args) = finite_operand(linitial(args));
		return node;
	}
	for (size_t i = 0; i < lengthof(narrow); i++)
		if (narrow[i].function == function)
			wide = narrow[i].wide;
	if (wide == NULL)
		return node;
	foreach (lc, args)
		operands = lappend(operands, widened(lfirst(lc), type == INT8OID));
	return nearest(call(type == INT8OID ? wide->in_numeric : wide->in_int8, operands), type);
}
