/*
 * range.c
 *		The range of a number that an expression computes.
 *
 * Ranges are doubles, rounded outwards at each step.  They come from types, constants and what is done to the operands; what is
 * not known has the range of its type.  They clamp values, as bounds that somebody has typed: an error costs accuracy, and nothing else.
 *
 * A date is a number of days since 2000, a timestamp and what lies between two of them one of seconds.  Between a date
 * or timestamp and one with a time zone lie two days at most, but in zones that a session makes up: SET timezone = 'ABC+160'.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/fmgrprotos.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "policy/rewrite/rewrite.h"

/* Most digits, before the point or behind it, to which a numeric may be rounded. */
#define ROUND_DIGITS 100

#define ZONES (2.0 * SECS_PER_DAY)

/* Seconds since 2000 of the years from 1 to 9999, of which fields are looked at. */
#define FIRST_MOMENT -63e9
#define LAST_MOMENT 252e9

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
	SECONDS,       /* between two timestamps */
	NOW,           /* the start of the transaction */
	CAST_TIME,     /* of a date or timestamp to another type of these */
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
	{F_DATE_MI, DAYS}, {F_DATE_PLI, ADD}, {F_DATE_MII, SUBTRACT}, {F_TIMESTAMP_MI, SECONDS}, {F_TIMESTAMPTZ_MI, SECONDS}, {F_NOW, NOW},
	{F_TIMESTAMP_DATE, CAST_TIME}, {F_TIMESTAMPTZ_DATE, CAST_TIME}, {F_DATE_TIMESTAMP, CAST_TIME}, {F_DATE_TIMESTAMPTZ, CAST_TIME},
	{F_TIMESTAMPTZ_TIMESTAMP, CAST_TIME}, {F_TIMESTAMP_TIMESTAMPTZ, CAST_TIME},
	{F_EXTRACT_TEXT_INTERVAL, EXTRACT_INTERVAL}, {F_DATE_PART_TEXT_INTERVAL, EXTRACT_INTERVAL},
	{F_EXTRACT_TEXT_DATE, EXTRACT}, {F_EXTRACT_TEXT_TIMESTAMP, EXTRACT}, {F_EXTRACT_TEXT_TIMESTAMPTZ, EXTRACT},
	{F_DATE_PART_TEXT_TIMESTAMP, EXTRACT}, {F_DATE_PART_TEXT_TIMESTAMPTZ, EXTRACT},
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
	return type == FLOAT8OID || type == DATEOID ? (GaussdpRange){low, high} : outwards(low, high);
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

/* The name of a field; NULL where it is no constant. */
static const char *
name_of_field(Node *field)
{
	const Const *constant = (const Const *) field;

	return IsA(field, Const) && !constant->constisnull && constant->consttype == TEXTOID
			   ? TextDatumGetCString(constant->constvalue)
			   : NULL;
}

static GaussdpRange
range_of_field(const char *name)
{
	for (size_t i = 0; name != NULL && i < lengthof(fields); i++)
		if (strcmp(fields[i].name, name) == 0)
			return (GaussdpRange){fields[i].low, fields[i].high};
	/* epoch, seconds and smaller */
	return (GaussdpRange){-1e14, 1e14};
}

/* The whole seconds around a date or timestamp in local time; false where they are not known. */
static bool
moments_of(Node *node, Timestamp *low, Timestamp *high)
{
	Oid type = getBaseType(exprType(node));
	GaussdpRange range = gaussdp_range_of(node);
	double unit = type == DATEOID ? SECS_PER_DAY : 1;
	double zones = type == TIMESTAMPTZOID ? ZONES : 0;

	range = (GaussdpRange){floor(range.low * unit - zones), ceil(range.high * unit + zones)};
	if (!(range.low >= FIRST_MOMENT && range.high <= LAST_MOMENT))
		return false;
	*low = (Timestamp) range.low * USECS_PER_SEC;
	*high = (Timestamp) range.high * USECS_PER_SEC;
	return true;
}

static double
field_of(const char *name, Timestamp moment)
{
	return DatumGetFloat8(
		DirectFunctionCall2(timestamp_part, CStringGetTextDatum(name), TimestampGetDatum(moment)));
}

/* Fields that rise with time are those of the first and the last moment. */
static GaussdpRange
range_of_time_field(Node *field, Node *time)
{
	static const char *const rising[] = {"year", "isoyear", "decade", "century", "epoch"};
	const char *name = name_of_field(field);
	Timestamp low;
	Timestamp high;

	for (size_t i = 0; name != NULL && i < lengthof(rising); i++)
		if (strcmp(name, rising[i]) == 0 && moments_of(time, &low, &high))
			return (GaussdpRange){field_of(name, low), field_of(name, high)};
	return range_of_field(name);
}

static double
full_years(Timestamp later, Timestamp earlier)
{
	const Interval *age = DatumGetIntervalP(
		DirectFunctionCall2(timestamp_age, TimestampGetDatum(later), TimestampGetDatum(earlier)));

	return age->month / MONTHS_PER_YEAR;
}

/* age(x, y) */
static bool
years_of_age(Node *interval, GaussdpRange *years)
{
	const FuncExpr *age = (const FuncExpr *) interval;
	Timestamp moments[4];

	if (!IsA(interval, FuncExpr) ||
		(age->funcid != F_AGE_TIMESTAMP_TIMESTAMP &&
		 age->funcid != F_AGE_TIMESTAMPTZ_TIMESTAMPTZ) ||
		!moments_of(linitial(age->args), &moments[0], &moments[1]) ||
		!moments_of(lsecond(age->args), &moments[2], &moments[3]))
		return false;
	*years = (GaussdpRange){full_years(moments[0], moments[3]), full_years(moments[1], moments[2])};
	return true;
}

/* The years of an age, the seconds between two timestamps, and the months that are no years. */
static GaussdpRange
range_of_interval_field(Node *field, Node *interval)
{
	const char *name = name_of_field(field);
	GaussdpRange seconds = gaussdp_range_of(interval);
	GaussdpRange years;

	if (name != NULL && strcmp(name, "month") == 0)
		return (GaussdpRange){1 - MONTHS_PER_YEAR, MONTHS_PER_YEAR - 1};
	if (name != NULL && strcmp(name, "epoch") == 0 && isfinite(seconds.low) &&
		isfinite(seconds.high))
		return seconds;
	if (name != NULL && strcmp(name, "year") == 0 && years_of_age(interval, &years))
		return years;
	return (GaussdpRange){-1e17, 1e17};
}

/* From a date or timestamp to another type of these. */
static GaussdpRange
range_of_time(Oid type, Node *time)
{
	Oid from = getBaseType(exprType(time));
	GaussdpRange range = gaussdp_range_of(time);
	double unit = from == DATEOID ? SECS_PER_DAY : 1;
	double zones = (from == TIMESTAMPTZOID) != (type == TIMESTAMPTZOID) ? ZONES : 0;

	range = (GaussdpRange){range.low * unit - zones, range.high * unit + zones};
	return type == DATEOID
			   ? (GaussdpRange){floor(range.low / SECS_PER_DAY), floor(range.high / SECS_PER_DAY)}
			   : range;
}

/* Where a plan is made once for many days its bounds are those of the first. */
static GaussdpRange
range_of_now(void)
{
	double now = (double) GetCurrentTransactionStartTimestamp() / USECS_PER_SEC;

	return (GaussdpRange){now, now};
}

static GaussdpRange
range_of_sql_value(const SQLValueFunction *value)
{
	double today;

	switch (value->op)
	{
		case SVFOP_CURRENT_DATE:
			today = GetSQLCurrentDate();
			return (GaussdpRange){today, today};
		case SVFOP_CURRENT_TIMESTAMP:
		case SVFOP_CURRENT_TIMESTAMP_N:
			return range_of_now();
		case SVFOP_LOCALTIMESTAMP:
		case SVFOP_LOCALTIMESTAMP_N:
			return (GaussdpRange){range_of_now().low - ZONES, range_of_now().high + ZONES};
		default:
			return range_of_type(value->type);
	}
}

/* What the operation makes of numbers, whether its type can hold it or not. */
static GaussdpRange
range_of_operation(Operation operation, Oid type, List *args)
{
	GaussdpRange a = args == NIL ? range_of_now() : gaussdp_range_of(linitial(args));
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
			return (GaussdpRange){fmax(a.low - b.high, -7.5e7), fmin(a.high - b.low, 7.5e7)};
		case SECONDS:
			return outwards(a.low - b.high, a.high - b.low);
		case NOW:
			return a;
		case CAST_TIME:
			return range_of_time(type, linitial(args));
		case EXTRACT:
			return range_of_time_field(linitial(args), lsecond(args));
		case EXTRACT_INTERVAL:
			return range_of_interval_field(linitial(args), lsecond(args));
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
	double value = INFINITY;

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
		case DATEOID:
			if (DATE_NOT_FINITE(DatumGetDateADT(constant->constvalue)))
				break;
			value = DatumGetDateADT(constant->constvalue);
			return (GaussdpRange){value, value};
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			if (TIMESTAMP_NOT_FINITE(DatumGetTimestamp(constant->constvalue)))
				break;
			value = (double) DatumGetTimestamp(constant->constvalue) / USECS_PER_SEC;
			return (GaussdpRange){value, value};
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
		case T_SQLValueFunction:
			return range_of_sql_value((SQLValueFunction *) node);
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
