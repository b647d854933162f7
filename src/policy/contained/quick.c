/*
 * quick.c
 *		Single calls of common functions, computed without the executor.
 *
 * Most contained expressions are one operation of two numbers.  Here it is done by hand where it has a value; where it has none, or it is not certain
 * that PostgreSQL's function has the same, the caller evaluates the expression.  So an error here is a wrong number, and never a failure.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "compat.h"
#include "policy/contained/contained.h"

/* An overflow, or an underflow. */
static bool
float_result(double value, bool is_infinite, bool is_zero, Datum *result)
{
	*result = Float8GetDatum(value);
	return isfinite(value) ? value != 0 || is_zero : isnan(value) || is_infinite;
}

static bool
add_floats(Datum a, Datum b, Datum *result)
{
	double x = DatumGetFloat8(a);
	double y = DatumGetFloat8(b);

	return float_result(x + y, isinf(x) || isinf(y), true, result);
}

static bool
subtract_floats(Datum a, Datum b, Datum *result)
{
	double x = DatumGetFloat8(a);
	double y = DatumGetFloat8(b);

	return float_result(x - y, isinf(x) || isinf(y), true, result);
}

static bool
multiply_floats(Datum a, Datum b, Datum *result)
{
	double x = DatumGetFloat8(a);
	double y = DatumGetFloat8(b);

	return float_result(x * y, isinf(x) || isinf(y), x == 0 || y == 0, result);
}

static bool
divide_floats(Datum a, Datum b, Datum *result)
{
	double x = DatumGetFloat8(a);
	double y = DatumGetFloat8(b);

	return y != 0 && float_result(x / y, isinf(x), x == 0 || isinf(y), result);
}

static bool
int4_result(bool overflows, int32 value, Datum *result)
{
	*result = Int32GetDatum(value);
	return !overflows;
}

static bool
add_int4(Datum a, Datum b, Datum *result)
{
	int32 value;
	bool overflows = pg_add_s32_overflow(DatumGetInt32(a), DatumGetInt32(b), &value);

	return int4_result(overflows, value, result);
}

static bool
subtract_int4(Datum a, Datum b, Datum *result)
{
	int32 value;
	bool overflows = pg_sub_s32_overflow(DatumGetInt32(a), DatumGetInt32(b), &value);

	return int4_result(overflows, value, result);
}

static bool
multiply_int4(Datum a, Datum b, Datum *result)
{
	int32 value;
	bool overflows = pg_mul_s32_overflow(DatumGetInt32(a), DatumGetInt32(b), &value);

	return int4_result(overflows, value, result);
}

/* The least integer has no opposite. */
static bool
divide_int4(Datum a, Datum b, Datum *result)
{
	int32 by = DatumGetInt32(b);

	return by != 0 && by != -1 && int4_result(false, DatumGetInt32(a) / by, result);
}

/* Digits alone, few enough for the type; what else means a number is for PostgreSQL. */
static bool
digits_of_text(Datum text, Datum unused, Datum *result)
{
	const char *digit = VARDATA_ANY(DatumGetPointer(text));
	int length = (int) VARSIZE_ANY_EXHDR(DatumGetPointer(text));
	int32 value = 0;

	if (length < 1 || length > 9)
		return false;
	for (int i = 0; i < length; i++)
	{
		if (digit[i] < '0' || digit[i] > '9')
			return false;
		value = value * 10 + (digit[i] - '0');
	}
	*result = Int32GetDatum(value);
	return true;
}

static const struct
{
	Oid function;
	GaussdpQuickFunction quick;
} functions[] = {
	{F_FLOAT8PL, add_floats},     {F_FLOAT8MI, subtract_floats}, {F_FLOAT8MUL, multiply_floats},
	{F_FLOAT8DIV, divide_floats}, {F_INT4PL, add_int4},          {F_INT4MI, subtract_int4},
	{F_INT4MUL, multiply_int4},   {F_INT4DIV, divide_int4},
};

/* An argument by value: the constant, or where the parameter has its value. */
static bool
take_operand(Node *node, GaussdpQuick *quick, int i)
{
	if (IsA(node, Const) && !((Const *) node)->constisnull)
		quick->constants[i] = ((Const *) node)->constvalue;
	else if (IsA(node, Param))
		quick->params[i] = ((Param *) node)->paramid;
	else
		return false;
	return true;
}

bool
gaussdp_find_quick(const Node *expression, GaussdpQuick *quick)
{
	const CoerceViaIO *io = (const CoerceViaIO *) expression;
	const OpExpr *op = (const OpExpr *) expression;

	*quick = (GaussdpQuick){0};
	if (IsA(expression, CoerceViaIO) && io->resulttype == INT4OID &&
		exprType((Node *) io->arg) == TEXTOID && IsA(io->arg, Param))
	{
		quick->params[0] = ((Param *) io->arg)->paramid;
		quick->function = digits_of_text;
		return true;
	}
	if (!IsA(expression, OpExpr) || list_length(op->args) != 2 ||
		!take_operand(linitial(op->args), quick, 0) || !take_operand(lsecond(op->args), quick, 1))
		return false;
	for (size_t i = 0; i < lengthof(functions); i++)
		if (functions[i].function == op->opfuncid)
			quick->function = functions[i].quick;
	return quick->function != NULL;
}
