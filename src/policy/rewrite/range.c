/*
 * range.c
 *		The range of a number that an expression computes.
 *
 * Ranges are doubles, rounded outwards at each step.  They come from types, constants and what is done to the operands; what is
 * not known has the range of its type.  They clamp values, as bounds that somebody has typed: an error costs accuracy, and nothing else.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "policy/rewrite/rewrite.h"

/* Most digits, before the point or behind it, to which a numeric may be rounded. */
#define ROUND_DIGITS 100

typedef enum Operation
{
	ADD,
	SUBTRACT,
	MULTIPLY,
	DIVIDE, /* by a constant other than 0 */
	DIVIDE_WHOLE,
	MODULO, /* by a constant other than 0 */
	NEGATE,
	ABSOLUTE,
	CAST,          /* keeps the number, or an integer next to it */
	DECIMAL,       /* keeps the number to 15 digits */
	SHORT_DECIMAL, /* to 6 digits */
	ROUND,         /* to a constant number of digits */
	DAYS,          /* between two dates */
	EXTRACT,       /* a field of a date or time */
	EXTRACT_INTERVAL,
	BUCKET /* width_bucket */
} Operation;

typedef struct Arithmetic
{
	Oid function;
	Operation operation;
} Arithmetic;

/* clang-format off */
static const Arithmetic arithmetic[] = {
	{F_INT2PL, ADD}, {F_INT24PL, ADD}, {F_INT28PL, ADD}, {F_INT42PL, ADD}, {F_INT4PL, ADD},
	{F_INT48PL, ADD}, {F_INT82PL, ADD}, {F_INT84PL, ADD}, {F_INT8PL, ADD}, {F_FLOAT8PL, ADD}, {F_NUMERIC_ADD, ADD},
	{F_INT2MI, SUBTRACT}, {F_INT24MI, SUBTRACT}, {F_INT28MI, SUBTRACT}, {F_INT42MI, SUBTRACT}, {F_INT4MI, SUBTRACT},
	{F_INT48MI, SUBTRACT}, {F_INT82MI, SUBTRACT}, {F_INT84MI, SUBTRACT}, {F_INT8MI, SUBTRACT},
	{F_FLOAT8MI, SUBTRACT}, {F_NUMERIC_SUB, SUBTRACT},
	{F_INT2MUL, MULTIPLY}, {F_INT24MUL, MULTIPLY}, {F_INT28MUL, MULTIPLY}, {F_INT42MUL, MULTIPLY},
	{F_INT4MUL, MULTIPLY}, {F_INT48MUL, MULTIPLY}, {F_INT82MUL, MULTIPLY}, {F_INT84MUL, MULTIPLY},
	{F_INT8MUL, MULTIPLY}, {F_FLOAT8MUL, MULTIPLY}, {F_NUMERIC_MUL, MULTIPLY},
	{F_INT2DIV, DIVIDE_WHOLE}, {F_INT24DIV, DIVIDE_WHOLE}, {F_INT28DIV, DIVIDE_WHOLE}, {F_INT42DIV, DIVIDE_WHOLE}, {F_INT4DIV, DIVIDE_WHOLE},
	{F_INT48DIV, DIVIDE_WHOLE}, {F_INT82DIV, DIVIDE_WHOLE}, {F_INT84DIV, DIVIDE_WHOLE}, {F_INT8DIV, DIVIDE_WHOLE}, {F_NUMERIC_DIV, DIVIDE},
	{F_INT2MOD, MODULO}, {F_INT4MOD, MODULO}, {F_INT8MOD, MODULO}, {F_MOD_INT2_INT2, MODULO},
	{F_MOD_INT4_INT4, MODULO}, {F_MOD_INT8_INT8, MODULO},
	{F_INT2UM, NEGATE}, {F_INT4UM, NEGATE}, {F_INT8UM, NEGATE},
	{F_INT2ABS, ABSOLUTE}, {F_INT4ABS, ABSOLUTE}, {F_INT8ABS, ABSOLUTE},
	{F_ABS_INT2, ABSOLUTE}, {F_ABS_INT4, ABSOLUTE}, {F_ABS_INT8, ABSOLUTE},
	{F_INT4_INT2, CAST}, {F_INT8_INT2, CAST}, {F_INT8_INT4, CAST}, {F_INT2_INT4, CAST}, {F_INT2_INT8, CAST},
	{F_INT4_INT8, CAST}, {F_FLOAT8_INT2, CAST}, {F_FLOAT8_INT4, CAST}, {F_FLOAT8_INT8, CAST},
	{F_NUMERIC_INT2, CAST}, {F_NUMERIC_INT4, CAST}, {F_NUMERIC_INT8, CAST}, {F_FLOAT8_NUMERIC, CAST},
	{F_NUMERIC_FLOAT4, SHORT_DECIMAL}, {F_NUMERIC_FLOAT8, DECIMAL},
	{F_ROUND_NUMERIC, CAST}, {F_FLOOR_NUMERIC, CAST}, {F_CEIL_NUMERIC, CAST}, {F_CEILING_NUMERIC, CAST},
	{F_TRUNC_NUMERIC, CAST}, {F_ROUND_NUMERIC_INT4, ROUND}, {F_TRUNC_NUMERIC_INT4, ROUND},
	{F_INT2_NUMERIC, CAST}, {F_INT4_NUMERIC, CAST}, {F_INT8_NUMERIC, CAST},
	{F_INT2_FLOAT8, CAST}, {F_INT4_FLOAT8, CAST}, {F_INT8_FLOAT8, CAST},
	{F_DATE_MI, DAYS}, {F_EXTRACT_TEXT_INTERVAL, EXTRACT_INTERVAL},
	{F_EXTRACT_TEXT_DATE, EXTRACT}, {F_EXTRACT_TEXT_TIMESTAMP, EXTRACT}, {F_EXTRACT_TEXT_TIMESTAMPTZ, EXTRACT},
	{F_WIDTH_BUCKET_FLOAT8_FLOAT8_FLOAT8_INT4, BUCKET}, {F_WIDTH_BUCKET_NUMERIC_NUMERIC_NUMERIC_INT4, BUCKET},
};
/* clang-format on */

static GaussdpRange
outwards(double low, double high)
{
	return (GaussdpRange){nextafter(low, -INFINITY), nextafter(high, INFINITY)};
}

/* All finite values of a type; infinite for a type that has no ends, or is no number. */
static GaussdpRange
range_of_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return (GaussdpRange){PG_INT16_MIN, PG_INT16_MAX};
		case INT4OID:
			return (GaussdpRange){PG_INT32_MIN, PG_INT32_MAX};
		case INT8OID:
			return (GaussdpRange){-0x1p63, 0x1p63};
		case FLOAT4OID:
			return (GaussdpRange){-FLT_MAX, FLT_MAX};
		case FLOAT8OID:
			return (GaussdpRange){-DBL_MAX, DBL_MAX};
		default:
			return (GaussdpRange){-INFINITY, INFINITY};
	}
}

static GaussdpRange
enclose(GaussdpRange a, GaussdpRange b)
{
	return (GaussdpRange){fmin(a.low, b.low), fmax(a.high, b.high)};
}

/* The same for float8 is what its own arithmetic does: rounding keeps the order. */
static GaussdpRange
step(Oid type, double low, double high)
{
	return type == FLOAT8OID ? (GaussdpRange){low, high} : outwards(low, high);
}

static GaussdpRange
product(GaussdpRange a, GaussdpRange b)
{
	double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
	GaussdpRange range = {corners[0], corners[0]};

	for (size_t i = 0; i < lengthof(corners); i++)
	{
		/* an infinite end times 0: nothing is known */
		if (isnan(corners[i]))
			return range_of_type(InvalidOid);
		range = enclose(range, (GaussdpRange){corners[i], corners[i]});
	}
	return outwards(range.low, range.high);
}

/* Numbers of that many digits: the nearest one is at most half a unit of the last digit away, here it is two. */
static GaussdpRange
rounded(GaussdpRange range, int digits)
{
	double part = pow(10, 1 - digits);

	return outwards(range.low - part * fabs(range.low), range.high + part * fabs(range.high));
}

static GaussdpRange
quotient(GaussdpRange a, GaussdpRange divisor)
{
	double least = fmin(fabs(divisor.low), fabs(divisor.high));
	double most = fmax(fabs(a.low), fabs(a.high)) / least;

	/* not a constant other than 0 */
	if (!(divisor.low * divisor.high > 0))
		return range_of_type(InvalidOid);
	/* numeric's quotients have 16 digits */
	return rounded((GaussdpRange){-most, most}, DBL_DIG);
}

/* Fields of dates and times, and what they may be. */
static const struct
{
	const char *name;
	double low;
	double high;
} fields[] = {
	{"millennium", -5, 295},
	{"century", -48, 2943},
	{"decade", -472, 29428},
	{"year", -4714, 294277},
	{"isoyear", -4715, 294277},
	{"quarter", 1, 4},
	{"month", 1, 12},
	{"week", 1, 53},
	{"day", 1, 31},
	{"doy", 1, 366},
	{"dow", 0, 6},
	{"isodow", 1, 7},
	{"hour", 0, 23},
	{"minute", 0, 59},
};

static GaussdpRange
range_of_field(Node *field)
{
	const Const *constant = (const Const *) field;
	const char *name;

	if (IsA(field, Const) && !constant->constisnull && constant->consttype == TEXTOID)
	{
		name = TextDatumGetCString(constant->constvalue);
		for (size_t i = 0; i < lengthof(fields); i++)
			if (strcmp(fields[i].name, name) == 0)
				return (GaussdpRange){fields[i].low, fields[i].high};
	}
	/* epoch, seconds and smaller */
	return (GaussdpRange){-1e14, 1e14};
}

/* What the operation makes of numbers, whether its type can hold it or not. */
static GaussdpRange
range_of_operation(Operation operation, Oid type, List *args)
{
	GaussdpRange a = gaussdp_range_of(linitial(args));
	GaussdpRange b = list_length(args) > 1 ? gaussdp_range_of(lsecond(args)) : a;
	double most;

	switch (operation)
	{
		case ADD:
			return step(type, a.low + b.low, a.high + b.high);
		case SUBTRACT:
			return step(type, a.low - b.high, a.high - b.low);
		case MULTIPLY:
			return product(a, b);
		case DIVIDE:
			return quotient(a, b);
		case DIVIDE_WHOLE:
			a = quotient(a, b);
			return (GaussdpRange){ceil(a.low), floor(a.high)};
		case MODULO:
			most = fmax(fabs(b.low), fabs(b.high)) - 1;
			return (GaussdpRange){a.low >= 0 ? 0 : -most, most};
		case NEGATE:
			return (GaussdpRange){-a.high, -a.low};
		case ABSOLUTE:
			return (GaussdpRange){0, fmax(fabs(a.low), fabs(a.high))};
		case CAST:
			return (GaussdpRange){floor(a.low), ceil(a.high)};
		case DECIMAL:
			a = rounded(a, DBL_DIG);
			return (GaussdpRange){fmax(a.low, -DBL_MAX), fmin(a.high, DBL_MAX)};
		case SHORT_DECIMAL:
			return rounded(a, FLT_DIG);
		case ROUND:
			if (!IsA(lsecond(args), Const) || b.low < -ROUND_DIGITS || b.high > ROUND_DIGITS)
				return range_of_type(InvalidOid);
			return outwards(a.low - pow(10, ROUND_DIGITS), a.high + pow(10, ROUND_DIGITS));
		case DAYS:
			return (GaussdpRange){-7.5e7, 7.5e7};
		case EXTRACT:
			return range_of_field(linitial(args));
		case EXTRACT_INTERVAL:
			return (GaussdpRange){-1e17, 1e17};
		case BUCKET:
			return (GaussdpRange){0, gaussdp_range_of(llast(args)).high + 1};
	}
	return range_of_type(InvalidOid);
}

/* A call that does not fail: its type bounds it, too. */
static GaussdpRange
range_of_call(Oid function, List *args)
{
	Oid type = get_func_rettype(function);
	GaussdpRange limit = range_of_type(type);
	GaussdpRange range;

	/* A truth value as a number. */
	if (function == F_INT4_BOOL)
		return (GaussdpRange){0, 1};
	for (size_t i = 0; i < lengthof(arithmetic); i++)
	{
		if (arithmetic[i].function != function)
			continue;
		range = range_of_operation(arithmetic[i].operation, type, args);
		return (GaussdpRange){fmax(range.low, limit.low), fmin(range.high, limit.high)};
	}
	return limit;
}

static GaussdpRange
range_of_var(const Var *var)
{
	Oid type = getBaseType(var->vartype);
	int precision = (var->vartypmod - (int) VARHDRSZ) >> 16 & 0xffff;
	int scale = (((var->vartypmod - (int) VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	double limit;

	if (type != NUMERICOID || var->vartypmod < (int32) VARHDRSZ)
		return range_of_type(type);
	limit = pow(10, precision - scale);
	return outwards(-limit, limit);
}

static GaussdpRange
range_of_const(const Const *constant)
{
	double value;

	if (constant->constisnull)
		return (GaussdpRange){0, 0};
	switch (constant->consttype)
	{
		case INT2OID:
			value = DatumGetInt16(constant->constvalue);
			return (GaussdpRange){value, value};
		case INT4OID:
			value = DatumGetInt32(constant->constvalue);
			return (GaussdpRange){value, value};
		case INT8OID:
			value = (double) DatumGetInt64(constant->constvalue);
			/* 2^53 may be 2^53 + 1, rounded */
			if (fabs(value) < 0x1p53)
				return (GaussdpRange){value, value};
			break;
		case FLOAT8OID:
			value = DatumGetFloat8(constant->constvalue);
			break;
		case NUMERICOID:
			value = DatumGetFloat8(
				DirectFunctionCall1(numeric_float8_no_overflow, constant->constvalue));
			break;
		default:
			return range_of_type(constant->consttype);
	}
	return isfinite(value) ? outwards(value, value) : range_of_type(constant->consttype);
}

static GaussdpRange
range_of_any(List *nodes)
{
	GaussdpRange range = gaussdp_range_of(linitial(nodes));
	ListCell *lc;

	for_each_from(lc, nodes, 1) range = enclose(range, gaussdp_range_of(lfirst(lc)));
	return range;
}

/* NULLs are skipped, so that only constants are sure to bound the result. */
static GaussdpRange
range_of_minmax(const MinMaxExpr *expr)
{
	GaussdpRange range = range_of_any(expr->args);
	ListCell *lc;

	foreach (lc, expr->args)
	{
		Const *constant = (Const *) lfirst(lc);
		GaussdpRange bound;

		if (!IsA(constant, Const) || constant->constisnull)
			continue;
		bound = range_of_const(constant);
		if (expr->op == IS_GREATEST)
			range.low = fmax(range.low, bound.low);
		else
			range.high = fmin(range.high, bound.high);
	}
	return range;
}

static GaussdpRange
range_of_case(const CaseExpr *expr)
{
	GaussdpRange range =
		expr->defresult ? gaussdp_range_of((Node *) expr->defresult) : (GaussdpRange){0, 0};
	ListCell *lc;

	foreach (lc, expr->args)
		range = enclose(range, gaussdp_range_of((Node *) lfirst_node(CaseWhen, lc)->result));
	return range;
}

GaussdpRange
gaussdp_range_of(Node *node)
{
	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	switch (nodeTag(node))
	{
		case T_Var:
			return range_of_var((Var *) node);
		case T_Const:
			return range_of_const((Const *) node);
		case T_Param: /* derived.c */
			return (GaussdpRange){0, 0};
		case T_RelabelType:
			return gaussdp_range_of((Node *) ((RelabelType *) node)->arg);
		case T_MinMaxExpr:
			return range_of_minmax((MinMaxExpr *) node);
		case T_CoalesceExpr:
			return range_of_any(((CoalesceExpr *) node)->args);
		case T_CaseExpr:
			return range_of_case((CaseExpr *) node);
		case T_FuncExpr:
			return range_of_call(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args);
		case T_OpExpr:
			return range_of_call(get_opcode(((OpExpr *) node)->opno), ((OpExpr *) node)->args);
		default:
			return range_of_type(getBaseType(exprType(node)));
	}
}
