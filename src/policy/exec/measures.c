/*
 * measures.c
 *		Dates, times, intervals and money as numbers, and numbers as such values.
 *
 *		date						days since 2000-01-01
 *		timestamp, with time zone	seconds since that day began, in UTC
 *		time						seconds since midnight
 *		interval					seconds; a month has 30 days, as where intervals are compared
 *		money						hundreds of its smallest unit
 *
 * Both ways nothing fails, and nothing is looked up: measure() runs on rows, the others on what has been released, also in HAVING.
 * What has no number in its type becomes the nearest value that has.
 */
#include "postgres.h"

#include <math.h>

#include "fmgr.h"
#include "utils/cash.h"
#include "utils/date.h"
#include "utils/timestamp.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(gaussdp_measure_date);
PG_FUNCTION_INFO_V1(gaussdp_measure_timestamp);
PG_FUNCTION_INFO_V1(gaussdp_measure_time);
PG_FUNCTION_INFO_V1(gaussdp_measure_interval);
PG_FUNCTION_INFO_V1(gaussdp_measure_money);
PG_FUNCTION_INFO_V1(gaussdp_as_date);
PG_FUNCTION_INFO_V1(gaussdp_as_timestamp);
PG_FUNCTION_INFO_V1(gaussdp_as_time);
PG_FUNCTION_INFO_V1(gaussdp_as_interval);
PG_FUNCTION_INFO_V1(gaussdp_as_money);

Datum
gaussdp_measure_date(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(PG_GETARG_DATEADT(0));
}

/* The second in which it lies, also before 2000. */
Datum
gaussdp_measure_timestamp(PG_FUNCTION_ARGS)
{
	Timestamp value = PG_GETARG_TIMESTAMP(0);

	PG_RETURN_INT64(value / USECS_PER_SEC - (value % USECS_PER_SEC < 0));
}

Datum
gaussdp_measure_time(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(PG_GETARG_TIMEADT(0) / USECS_PER_SEC);
}

Datum
gaussdp_measure_interval(PG_FUNCTION_ARGS)
{
	const Interval *value = PG_GETARG_INTERVAL_P(0);

	PG_RETURN_FLOAT8((double) value->time / USECS_PER_SEC +
					 ((double) value->month * DAYS_PER_MONTH + value->day) * SECS_PER_DAY);
}

Datum
gaussdp_measure_money(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8((double) PG_GETARG_CASH(0) / 100);
}

/* Between the two, to the nearest whole number; NaN becomes low. */
static int64
whole_between(double value, double low, double high)
{
	if (!(value > low))
		return (int64) low;
	return (int64) rint(fmin(value, high));
}

/* Days of the dates that there are. */
#define FIRST_DAY ((double) (DATETIME_MIN_JULIAN - POSTGRES_EPOCH_JDATE))
#define LAST_DAY ((double) (DATE_END_JULIAN - POSTGRES_EPOCH_JDATE - 1))

/* And of timestamps. */
#define LAST_DAY_OF_TIMESTAMP ((double) (TIMESTAMP_END_JULIAN - POSTGRES_EPOCH_JDATE - 1))

Datum
gaussdp_as_date(PG_FUNCTION_ARGS)
{
	PG_RETURN_DATEADT((DateADT) whole_between(PG_GETARG_FLOAT8(0), FIRST_DAY, LAST_DAY));
}

Datum
gaussdp_as_timestamp(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMESTAMP(whole_between(PG_GETARG_FLOAT8(0), FIRST_DAY * SECS_PER_DAY,
									  LAST_DAY_OF_TIMESTAMP * SECS_PER_DAY) *
						USECS_PER_SEC);
}

Datum
gaussdp_as_time(PG_FUNCTION_ARGS)
{
	PG_RETURN_TIMEADT(whole_between(PG_GETARG_FLOAT8(0), 0, SECS_PER_DAY) * USECS_PER_SEC);
}

/* Days, and a time of less than one; milliseconds, as a noisy answer has no more to say. */
Datum
gaussdp_as_interval(PG_FUNCTION_ARGS)
{
	const double most = (double) PG_INT32_MAX * SECS_PER_DAY;
	Interval *result = palloc0(sizeof(Interval));
	int64 milliseconds = whole_between(PG_GETARG_FLOAT8(0) * 1000, -most * 1000, most * 1000);
	const int64 day = INT64CONST(1000) * SECS_PER_DAY;

	result->day = (int32) (milliseconds / day);
	result->time = milliseconds % day * 1000;
	PG_RETURN_INTERVAL_P(result);
}

Datum
gaussdp_as_money(PG_FUNCTION_ARGS)
{
	PG_RETURN_CASH(whole_between(PG_GETARG_FLOAT8(0) * 100, -0x1p62, 0x1p62));
}
