/*
 * scale.c
 *		Numerics that all have the same number of digits behind the point, whatever the rows are.
 *
 * 2 and 2.0 are equal and look different, so a numeric is no group key: the one that is shown would be some row's.  With the
 * digits given by the query, as in floor(age / 10.0) * 10.0 or round(price, 1), equal numbers look the same.  The
 * scales of results are those of PostgreSQL's numeric.c: the larger one for sums, both together for products.  A
 * quotient's depends on its operands' values.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "policy/contained/contained.h"
#include "policy/proof/internal.h"

#define NOT_FIXED (-1)

/* NaN and the infinities have one image each. */
static int
scale_of_constant(const Const *constant)
{
	const char *point;

	if (constant->constisnull)
		return 0;
	point = strchr(DatumGetCString(DirectFunctionCall1(numeric_out, constant->constvalue)), '.');
	return point != NULL ? (int) strlen(point + 1) : 0;
}

/* As round(x, digits) leaves behind the point. */
static int
scale_given_by(Node *digits)
{
	const Const *constant = (const Const *) digits;

	if (!IsA(digits, Const) || constant->constisnull || constant->consttype != INT4OID)
		return NOT_FIXED;
	return Max(DatumGetInt32(constant->constvalue), 0);
}

static int
scale_of_typmod(int32 typmod)
{
	if (typmod < (int32) VARHDRSZ)
		return NOT_FIXED;
	return Max((((typmod - (int32) VARHDRSZ) & 0x7ff) ^ 1024) - 1024, 0);
}

/* Of a cast, x::numeric(10, 2). */
static int32
typmod_given_by(Node *typmod)
{
	const Const *constant = (const Const *) typmod;

	return IsA(typmod, Const) && !constant->constisnull ? DatumGetInt32(constant->constvalue) : -1;
}

static int
scale_of_call(const GaussdpLevel *level, Oid function, List *args)
{
	int left = list_length(args) > 0 ? gaussdp_fixed_scale(level, linitial(args)) : NOT_FIXED;
	int right = list_length(args) > 1 ? gaussdp_fixed_scale(level, lsecond(args)) : NOT_FIXED;

	switch (function)
	{
		case F_NUMERIC_INT2:
		case F_NUMERIC_INT4:
		case F_NUMERIC_INT8:
		case F_FLOOR_NUMERIC:
		case F_CEIL_NUMERIC:
		case F_CEILING_NUMERIC:
		case F_ROUND_NUMERIC:
		case F_TRUNC_NUMERIC:
			return 0;
		case F_ROUND_NUMERIC_INT4:
		case F_TRUNC_NUMERIC_INT4:
			return scale_given_by(lsecond(args));
		case F_NUMERIC_NUMERIC_INT4:
			return scale_of_typmod(typmod_given_by(lsecond(args)));
		case F_NUMERIC_UMINUS:
			return left;
		case F_NUMERIC_ADD:
		case F_NUMERIC_SUB:
			return left >= 0 && right >= 0 ? Max(left, right) : NOT_FIXED;
		case F_NUMERIC_MUL:
			return left >= 0 && right >= 0 ? left + right : NOT_FIXED;
		default:
			return NOT_FIXED;
	}
}

int
gaussdp_fixed_scale(const GaussdpLevel *level, Node *node)
{
	check_stack_depth();
	node = gaussdp_opened(node);
	if (getBaseType(exprType(node)) != NUMERICOID)
		return NOT_FIXED;
	node = gaussdp_without_domain(node);
	if (IsA(node, Const))
		return scale_of_constant((Const *) node);
	if (IsA(node, FuncExpr))
		return scale_of_call(level, ((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args);
	if (IsA(node, OpExpr))
		return scale_of_call(level, get_opcode(((OpExpr *) node)->opno), ((OpExpr *) node)->args);
	/* the owner's own numeric(p, s) */
	return gaussdp_is_column_of_table(level, node) ? scale_of_typmod(exprTypmod(node)) : NOT_FIXED;
}
