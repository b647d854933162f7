/*
 * quick.c
 *		Single calls of common functions, computed without the executor.
 *
 * Most contained expressions are one operation of two numbers.  Here it is done by hand where it has a value; where it has none, or it is not certain
 * that PostgreSQL's function has the same, the caller evaluates the expression.  So an error here is a wrong number, and never a failure.
 *
 * No error of theirs would be caught: PostgreSQL's input functions are called for texts that each of them takes.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "common/int.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/numeric.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "policy/contained/contained.h"
#include "valid_text.h"

/* An overflow, or an underflow. */
static bool
float_result(double value, bool is_infinite, bool is_zero, Datum *result)
{
	*result = Float8GetDatum(value);
	return isfinite(value) ? value != 0 || is_zero : isnan(value) || is_infinite;
}

#define OF_FLOATS(name, value, is_infinite, is_zero)                                               \
	static bool name(Datum a, Datum b, Datum *result)                                              \
	{                                                                                              \
		double x = DatumGetFloat8(a);                                                              \
		double y = DatumGetFloat8(b);                                                              \
                                                                                                   \
		return float_result(value, is_infinite, is_zero, result);                                  \
	}

OF_FLOATS(add_floats, x + y, isinf(x) || isinf(y), true)
OF_FLOATS(subtract_floats, x - y, isinf(x) || isinf(y), true)
OF_FLOATS(multiply_floats, x *y, isinf(x) || isinf(y), x == 0 || y == 0)

static bool
divide_floats(Datum a, Datum b, Datum *result)
{
	double x = DatumGetFloat8(a);
	double y = DatumGetFloat8(b);

	return y != 0 && float_result(x / y, isinf(x), x == 0 || isinf(y), result);
}

#define OF_INTEGERS(name, overflows)                                                               \
	static bool name(Datum a, Datum b, Datum *result)                                              \
	{                                                                                              \
		int32 value;                                                                               \
                                                                                                   \
		if (overflows(DatumGetInt32(a), DatumGetInt32(b), &value))                                 \
			return false;                                                                          \
		*result = Int32GetDatum(value);                                                            \
		return true;                                                                               \
	}

OF_INTEGERS(add_int4, pg_add_s32_overflow)
OF_INTEGERS(subtract_int4, pg_sub_s32_overflow)
OF_INTEGERS(multiply_int4, pg_mul_s32_overflow)

/* The least integer has no opposite. */
static bool
divide_int4(Datum a, Datum b, Datum *result)
{
	int32 by = DatumGetInt32(b);

	if (by == 0 || by == -1)
		return false;
	*result = Int32GetDatum(DatumGetInt32(a) / by);
	return true;
}

/* PostgreSQL says by a variable that the one of two numerics of few digits that may fail, a division by zero, has. */
#define OF_NUMERICS(name, operation)                                                               \
	static bool name(Datum a, Datum b, Datum *result)                                              \
	{                                                                                              \
		bool has_failed = false;                                                                   \
                                                                                                   \
		*result = NumericGetDatum(operation(DatumGetNumeric(a), DatumGetNumeric(b), &has_failed)); \
		return !has_failed && !gaussdp_numeric_is_long(*result, GAUSSDP_CONTAINED_DIGITS);         \
	}

OF_NUMERICS(add_numerics, numeric_add_opt_error)
OF_NUMERICS(subtract_numerics, numeric_sub_opt_error)
OF_NUMERICS(multiply_numerics, numeric_mul_opt_error)
OF_NUMERICS(divide_numerics, numeric_div_opt_error)

/* A cast of texts, by the input function of its type. */
typedef struct Cast
{
	Oid type;
	PGFunction input;
	int most; /* digits, and a point, of which the type holds each number */
	bool may_have_point;
} Cast;

static const Cast casts[] = {
	{INT2OID, int2in, 4, false},     {INT4OID, int4in, 9, false},
	{INT8OID, int8in, 18, false},    {FLOAT4OID, float4in, 30, true},
	{FLOAT8OID, float8in, 30, true}, {NUMERICOID, numeric_in, 30, true},
};

#define LONGEST_NUMBER 31 /* with its sign */

/*
 * The text, where it has digits alone, and perhaps a sign and a point between them, so few that the type's input function does not fail: it neither
 * overflows nor underflows.  Other texts are numbers, too, but which ones depends on the major.
 */
static bool
take_number(Datum text, const Cast *cast, char *number)
{
	const char *from = VARDATA_ANY(DatumGetPointer(text));
	int length = (int) VARSIZE_ANY_EXHDR(DatumGetPointer(text));
	int start = length > 0 && (from[0] == '-' || from[0] == '+') ? 1 : 0;
	bool may_have_point = cast->may_have_point;

	if (length - start < 1 || length - start > cast->most)
		return false;
	for (int i = start; i < length; i++)
	{
		if (from[i] == '.' && may_have_point && i > start && i < length - 1)
			may_have_point = false;
		else if (from[i] < '0' || from[i] > '9')
			return false;
	}
	memcpy(number, from, length);
	number[length] = '\0';
	return true;
}

static bool
number_of_text(Datum text, Datum cast, Datum *result)
{
	const Cast *to = (const Cast *) DatumGetPointer(cast);
	char number[LONGEST_NUMBER + 1];

	if (!take_number(text, to, number))
		return false;
	/* the last two are numeric's: a type of elements, and no typmod */
	*result = DirectFunctionCall3(to->input, CStringGetDatum(number), ObjectIdGetDatum(InvalidOid),
								  Int32GetDatum(-1));
	return true;
}

/* Two arguments are far shorter than a result may be.  The function itself never fails; a column may have what is no text. */
static bool
concatenate(Datum a, Datum b, Datum *result)
{
	*result = DirectFunctionCall2(textcat, a, b);
	return gaussdp_is_valid_varlena(*result);
}

static const struct
{
	Oid function;
	GaussdpQuickFunction quick;
} functions[] = {
	{F_FLOAT8PL, add_floats},
	{F_FLOAT8MI, subtract_floats},
	{F_FLOAT8MUL, multiply_floats},
	{F_FLOAT8DIV, divide_floats},
	{F_INT4PL, add_int4},
	{F_INT4MI, subtract_int4},
	{F_INT4MUL, multiply_int4},
	{F_INT4DIV, divide_int4},
	{F_TEXTCAT, concatenate},
	{F_NUMERIC_ADD, add_numerics},
	{F_NUMERIC_SUB, subtract_numerics},
	{F_NUMERIC_MUL, multiply_numerics},
	{F_NUMERIC_DIV, divide_numerics},
};

/* An argument that is not NULL: the constant, or where the parameter has its value. */
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

/* A text, or a varchar, whose values are the same. */
static bool
is_text(const Node *node)
{
	return exprType(node) == TEXTOID || exprType(node) == VARCHAROID;
}

bool
gaussdp_find_quick(const Node *expression, GaussdpQuick *quick)
{
	const CoerceViaIO *io = (const CoerceViaIO *) expression;
	const OpExpr *op = (const OpExpr *) expression;

	*quick = (GaussdpQuick){0};
	if (IsA(expression, CoerceViaIO))
	{
		if (!is_text((Node *) io->arg) || !take_operand((Node *) io->arg, quick, 0))
			return false;
		for (size_t i = 0; i < lengthof(casts); i++)
			if (casts[i].type == io->resulttype)
			{
				quick->function = number_of_text;
				quick->constants[1] = PointerGetDatum(&casts[i]);
			}
		return quick->function != NULL;
	}
	if (!IsA(expression, OpExpr) || list_length(op->args) != 2 ||
		!take_operand(linitial(op->args), quick, 0) || !take_operand(lsecond(op->args), quick, 1))
		return false;
	for (size_t i = 0; i < lengthof(functions); i++)
		if (functions[i].function == op->opfuncid)
			quick->function = functions[i].quick;
	return quick->function != NULL;
}
