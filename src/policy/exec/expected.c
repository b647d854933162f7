/*
 * expected.c
 *		Answers of plain SQL in the type that the query expects.
 *
 * PostgreSQL's own casts fail where a number is too large for the type.  These give the nearest value that the type
 * has: they stand around private calls, and in HAVING within a level, where nothing may fail, and look nothing up.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "fmgr.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(gaussdp_to_int2);
PG_FUNCTION_INFO_V1(gaussdp_to_int4);
PG_FUNCTION_INFO_V1(gaussdp_to_int8);
PG_FUNCTION_INFO_V1(gaussdp_to_float4);
PG_FUNCTION_INFO_V1(gaussdp_to_numeric);

/* Between the two, to the nearest whole number; NaN, which no release is, becomes low. */
static double
whole(double value, double low, double high)
{
	if (!(value > low))
		return low;
	return value < high ? rint(value) : high;
}

Datum
gaussdp_to_int2(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT16((int16) whole(PG_GETARG_FLOAT8(0), PG_INT16_MIN, PG_INT16_MAX));
}

Datum
gaussdp_to_int4(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT32((int32) whole(PG_GETARG_FLOAT8(0), PG_INT32_MIN, PG_INT32_MAX));
}

/* 2^63 is no int8, and the largest one is no double. */
Datum
gaussdp_to_int8(PG_FUNCTION_ARGS)
{
	double value = whole(PG_GETARG_FLOAT8(0), -0x1p63, 0x1p63);

	PG_RETURN_INT64(value < 0x1p63 ? (int64) value : PG_INT64_MAX);
}

Datum
gaussdp_to_float4(PG_FUNCTION_ARGS)
{
	double value = PG_GETARG_FLOAT8(0);

	if (!(value > -FLT_MAX))
		value = -FLT_MAX;
	PG_RETURN_FLOAT4(value < FLT_MAX ? (float4) value : FLT_MAX);
}

Datum
gaussdp_to_numeric(PG_FUNCTION_ARGS)
{
	double value = PG_GETARG_FLOAT8(0);

	if (!(value > -DBL_MAX))
		value = -DBL_MAX;
	return DirectFunctionCall1(float8_numeric, Float8GetDatum(fmin(value, DBL_MAX)));
}
