/*
 * arithmetic.c
 *		Arithmetic on columns that no value can make fail.
 *
 * An overflow is an error, and an error that depends on a row is a leak.  So arithmetic passes only where
 * the ranges of its operands (range.h) leave no room for one.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "policy/proof/arithmetic.h"
#include "policy/proof/guarded.h"

/* numeric holds 131,072 digits before the point: anything below this leaves it all the room it needs. */
#define NUMERIC_LIMIT 1e300

/* The digits before the point, and behind it, that a double has room for. */
#define DOUBLE_SCALE 300

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
	DAYS,          /* between two dates, both guarded (guard.c) */
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

/* The same for float8 is what its own arithmetic does: rounding keeps the order. */
static GaussdpRange
step(Oid type, double low, double high, bool special)
{
	return type == FLOAT8OID ? (GaussdpRange){low, high, special}
							 : gaussdp_outwards(low, high, special);
}

static GaussdpRange
product(GaussdpRange a, GaussdpRange b)
{
	double corners[] = {a.low * b.low, a.low * b.high, a.high * b.low, a.high * b.high};
	GaussdpRange range = {corners[0], corners[0], a.special || b.special};

	for (size_t i = 0; i < lengthof(corners); i++)
	{
		/* an infinite end times 0: nothing is known */
		if (isnan(corners[i]))
			return gaussdp_range_of_type(InvalidOid);
		range = gaussdp_enclose(range, (GaussdpRange){corners[i], corners[i], false});
	}
	return gaussdp_outwards(range.low, range.high, range.special);
}

/* Numbers of that many digits: the nearest one is at most half a unit of the last digit away, here it is two. */
static GaussdpRange
rounded(GaussdpRange range, int digits)
{
	double part = pow(10, 1 - digits);

	return gaussdp_outwards(range.low - part * fabs(range.low),
							range.high + part * fabs(range.high), range.special);
}

static GaussdpRange
quotient(GaussdpRange a, GaussdpRange divisor)
{
	double least = fmin(fabs(divisor.low), fabs(divisor.high));
	double most = fmax(fabs(a.low), fabs(a.high)) / least;

	/* not a constant other than 0 */
	if (divisor.special || divisor.low * divisor.high <= 0)
		return gaussdp_range_of_type(InvalidOid);
	/* numeric's quotients have 16 digits */
	return rounded((GaussdpRange){-most, most, a.special}, DBL_DIG);
}

/* Fields of dates and times, and what they may be; but for the first group they are NULL of infinite ones. */
static const struct
{
	const char *name;
	double low;
	double high;
	bool of_infinite;
} fields[] = {
	{"millennium", -5, 295, true},
	{"century", -48, 2943, true},
	{"decade", -472, 29428, true},
	{"year", -4714, 294277, true},
	{"isoyear", -4715, 294277, true},
	{"quarter", 1, 4, false},
	{"month", 1, 12, false},
	{"week", 1, 53, false},
	{"day", 1, 31, false},
	{"doy", 1, 366, false},
	{"dow", 0, 6, false},
	{"isodow", 1, 7, false},
	{"hour", 0, 23, false},
	{"minute", 0, 59, false},
};

static GaussdpRange
range_of_field(Node *field, Node *source)
{
	const Const *constant = (const Const *) field;
	const char *name;

	if (IsA(field, Const) && !constant->constisnull && constant->consttype == TEXTOID)
	{
		name = TextDatumGetCString(constant->constvalue);
		for (size_t i = 0; i < lengthof(fields); i++)
			if (strcmp(fields[i].name, name) == 0)
				return (GaussdpRange){fields[i].low, fields[i].high,
									  fields[i].of_infinite && !gaussdp_is_finite(source)};
	}
	/* epoch, seconds and smaller */
	return (GaussdpRange){-1e14, 1e14, true};
}

/* What the operation makes of numbers, whether its type can hold it or not. */
static GaussdpRange
range_of_operation(Operation operation, Oid type, List *args)
{
	GaussdpRange a = gaussdp_range_of(
		operation == EXTRACT || operation == EXTRACT_INTERVAL ? lsecond(args) : linitial(args));
	GaussdpRange b = list_length(args) > 1 ? gaussdp_range_of(lsecond(args)) : a;
	double most;

	switch (operation)
	{
		case ADD:
			return step(type, a.low + b.low, a.high + b.high, a.special || b.special);
		case SUBTRACT:
			return step(type, a.low - b.high, a.high - b.low, a.special || b.special);
		case MULTIPLY:
			return product(a, b);
		case DIVIDE:
			return quotient(a, b);
		case DIVIDE_WHOLE:
			a = quotient(a, b);
			return (GaussdpRange){ceil(a.low), floor(a.high), false};
		case MODULO:
			most = fmax(fabs(b.low), fabs(b.high)) - 1;
			return (GaussdpRange){a.low >= 0 ? 0 : -most, most, false};
		case NEGATE:
			return (GaussdpRange){-a.high, -a.low, a.special};
		case ABSOLUTE:
			return (GaussdpRange){0, fmax(fabs(a.low), fabs(a.high)), a.special};
		case CAST:
			return (GaussdpRange){floor(a.low), ceil(a.high), a.special};
		case DECIMAL:
			/*
			 * The largest doubles round up to numbers beyond all doubles.  The range ends at the largest one all the same, so that
			 * it is finite: numeric has room for more, and a cast back to a double asks for more than a range (becomes_double).
			 */
			a = rounded(a, DBL_DIG);
			return (GaussdpRange){fmax(a.low, -DBL_MAX), fmin(a.high, DBL_MAX), a.special};
		case SHORT_DECIMAL:
			return rounded(a, FLT_DIG);
		case ROUND:
			if (!IsA(lsecond(args), Const) || b.low < -ROUND_DIGITS || b.high > ROUND_DIGITS)
				return gaussdp_range_of_type(InvalidOid);
			return gaussdp_outwards(a.low - pow(10, ROUND_DIGITS), a.high + pow(10, ROUND_DIGITS),
									a.special);
		case DAYS:
			return (GaussdpRange){-7.5e7, 7.5e7, false};
		case EXTRACT:
			return range_of_field(linitial(args), lsecond(args));
		case EXTRACT_INTERVAL:
			return (GaussdpRange){-1e17, 1e17, true};
		case BUCKET:
			return (GaussdpRange){0, gaussdp_range_of(llast(args)).high + 1, false};
	}
	return gaussdp_range_of_type(InvalidOid);
}

static const Arithmetic *
find_arithmetic(Oid function)
{
	for (size_t i = 0; i < lengthof(arithmetic); i++)
		if (arithmetic[i].function == function)
			return &arithmetic[i];
	return NULL;
}

GaussdpRange
gaussdp_range_of_call(Oid function, List *args)
{
	const Arithmetic *found = find_arithmetic(function);
	Oid type = get_func_rettype(function);
	GaussdpRange limit = gaussdp_range_of_type(type);
	GaussdpRange range;

	/* A truth value as a number. */
	if (function == F_INT4_BOOL)
		return (GaussdpRange){0, 1, false};
	if (found == NULL)
		return limit;
	range = range_of_operation(found->operation, type, args);
	return (GaussdpRange){fmax(range.low, limit.low), fmin(range.high, limit.high), range.special};
}

/* A product that is not 0 but too small for a double is an error too. */
static bool
cannot_underflow(List *args)
{
	ListCell *lc;

	foreach (lc, args)
	{
		GaussdpRange range = gaussdp_range_of(lfirst(lc));

		if (IsA(lfirst(lc), Const) && !range.special && (range.low >= 1 || range.high <= -1))
			return true;
	}
	return false;
}

/* A numeric becomes a double where its type, or its value, leaves it no digit too large or too small. */
static bool
becomes_double(Node *node)
{
	int precision;
	int scale;
	double value;

	if (gaussdp_numeric_typmod((Var *) node, &precision, &scale))
		return scale <= DOUBLE_SCALE && precision - scale <= DOUBLE_SCALE;
	if (!IsA(node, Const) || ((Const *) node)->consttype != NUMERICOID)
		return false;
	if (((Const *) node)->constisnull)
		return true;
	value = fabs(DatumGetFloat8(
		DirectFunctionCall1(numeric_float8_no_overflow, ((Const *) node)->constvalue)));
	return (value >= 1 / NUMERIC_LIMIT && value <= NUMERIC_LIMIT) ||
		   DatumGetBool(DirectFunctionCall2(numeric_eq, ((Const *) node)->constvalue,
											NumericGetDatum(int64_to_numeric(0))));
}

/* width_bucket fails for NaN, for bounds that are equal or not finite, and for no buckets. */
static bool
bucket_is_total(List *args)
{
	GaussdpRange low = gaussdp_range_of(lsecond(args));
	GaussdpRange high = gaussdp_range_of(lthird(args));
	GaussdpRange count = gaussdp_range_of(lfourth(args));
	ListCell *lc;

	if (gaussdp_range_of(linitial(args)).special)
		return false;
	for_each_from(lc, args, 1)
	{
		/* Any value will do, as elsewhere. */
		if (IsA(lfirst(lc), Param))
			return true;
		if (!IsA(lfirst(lc), Const))
			return false;
	}
	return !low.special && !high.special && (low.high < high.low || high.high < low.low) &&
		   fabs(low.low) < NUMERIC_LIMIT && fabs(high.high) < NUMERIC_LIMIT && count.low >= 1 &&
		   count.high <= 1e6;
}

/* round(x::numeric, 2) of a float: a double has at most 309 digits before the point, far from numeric's end. */
static bool
rounds_double(Node *value, Node *digits)
{
	const FuncExpr *cast = (const FuncExpr *) value;
	GaussdpRange range = gaussdp_range_of(digits);

	return IsA(value, FuncExpr) &&
		   (cast->funcid == F_NUMERIC_FLOAT8 || cast->funcid == F_NUMERIC_FLOAT4) &&
		   IsA(digits, Const) && range.low >= -ROUND_DIGITS && range.high <= ROUND_DIGITS;
}

bool
gaussdp_arithmetic_is_total(Oid function, List *args)
{
	const Arithmetic *found = find_arithmetic(function);
	Oid type;
	GaussdpRange range;
	GaussdpRange limit;

	if (found == NULL || found->operation == EXTRACT || found->operation == EXTRACT_INTERVAL ||
		found->operation == DAYS)
		return false;
	if (found->operation == BUCKET)
		return bucket_is_total(args);
	if (function == F_FLOAT8_NUMERIC)
		return becomes_double(linitial(args));
	if (function == F_FLOAT8MUL && !cannot_underflow(args))
		return false;
	if (found->operation == ROUND && rounds_double(linitial(args), lsecond(args)))
		return true;
	type = get_func_rettype(function);
	range = range_of_operation(found->operation, type, args);
	/* NaN and the infinities of a numeric are no integers. */
	if (found->operation == CAST && range.special && gaussdp_range_of_type(type).special == false)
		return false;
	limit = type == NUMERICOID ? (GaussdpRange){-NUMERIC_LIMIT, NUMERIC_LIMIT, true}
							   : gaussdp_range_of_type(type);
	/* The ends of int8 are not doubles: at 2^63 is already too far. */
	if (type == INT8OID)
		return range.low > limit.low && range.high < limit.high;
	return range.low >= limit.low && range.high <= limit.high;
}
