/*
 * estimate.c
 *		The _estimate variants: the released value, its standard deviation and its interval.
 *
 * Reads released states only: everything here is post-processing and costs no privacy.  Hands a
 * composite dp_estimate to the executor.
 *
 * An average is a ratio num / den of released numbers about the centre of its bounds, and its
 * interval is Fieller's: the t with |num - t den| <= z sqrt(num_sd^2 + t^2 den_sd^2), as far as they are
 * within the bounds.  The estimate alone says all of that.
 *
 * Error bounds
 *		The interval of an average is wider by one step of the grid on each side, by which the rounding of
 *		rows may have moved it, and by what the arithmetic here loses.  Its ends never pass the bounds,
 *		which are carried as they were given: an average that lies on one is never cut off.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "utils/float.h"
#include "utils/typcache.h"

#include "aggregate/calls.h"
#include "aggregate/state.h"

PG_FUNCTION_INFO_V1(gaussdp_estimate_interval);
PG_FUNCTION_INFO_V1(gaussdp_reliable_value);

/* The fields of dp_estimate, in its order. */
typedef enum Field
{
	VALUE,
	STDDEV,
	CI_LOW,
	CI_HIGH,
	NUM,
	NUM_SD,
	DEN,
	DEN_SD,
	LOWER,
	UPPER,
	NFIELDS,
	RELIABLE = NFIELDS, /* a truth value, unlike the others */
	NCOLUMNS
} Field;

/* An average is a ratio: below so many standard deviations of its count it says little. */
#define RELIABLE_COUNT 5

/* A grid step is at most this part of the standard deviation of the noise. */
#define STEP 0x1p-30

static void
ratio_interval(const double *estimate, double z, double *low, double *high)
{
	double lower = estimate[LOWER], upper = estimate[UPPER];
	double centre = lower / 2 + upper / 2, width = upper / 2 - lower / 2;

	/* In units of the half width nothing overflows. */
	double num = estimate[NUM] / width, num_sd = estimate[NUM_SD] / width;
	double den = estimate[DEN], den_sd = estimate[DEN_SD];
	double a = (den - z * den_sd) * (den + z * den_sd);
	double b = num * den;
	double c = (num - z * num_sd) * (num + z * num_sd);

	*low = lower;
	*high = upper;
	/* Where the count is lost in its noise every value within the bounds is possible. */
	if (den > 0 && a > 0)
	{
		double root = sqrt(fmax(b * b - a * c, 0));
		double slack = num_sd * STEP + 0x1p-50 * (1 + fmax(fabs(lower), fabs(upper)) / width);

		/* The clamp keeps what is far outside from overflowing; the ends are the bounds themselves. */
		*low = fmax(centre + width * fmin(fmax((b - root) / a - slack, -2), 1), lower);
		*high = fmin(centre + width * fmax(fmin((b + root) / a + slack, 2), -1), upper);
	}
	*low = fmin(*low, estimate[VALUE]);
	*high = fmax(*high, estimate[VALUE]);
}

/* The interval in which the noiseless value lies with the confidence that belongs to z. */
static void
interval(const double *estimate, bool is_ratio, double z, double *low, double *high)
{
	/* One grid step more than the normal law: the noise is discrete. */
	double half = (z + STEP) * estimate[STDDEV];

	if (is_ratio)
		ratio_interval(estimate, z + STEP, low, high);
	else
	{
		*low = estimate[VALUE] - half;
		*high = estimate[VALUE] + half;
	}
}

/* Makes the composite; the interval is filled in here, and the last seven are NULL but for ratios. */
static Datum
make_estimate(Oid type, double *estimate, bool is_ratio)
{
	TupleDesc tupdesc = lookup_rowtype_tupdesc(type, -1);
	Datum values[NCOLUMNS];
	bool nulls[NCOLUMNS];
	Datum result;

	if (tupdesc->natts != NCOLUMNS)
		elog(ERROR, "type dp_estimate has %d fields", tupdesc->natts);
	interval(estimate, is_ratio, GAUSSDP_Z95, &estimate[CI_LOW], &estimate[CI_HIGH]);
	for (int i = 0; i < NFIELDS; i++)
	{
		values[i] = Float8GetDatum(estimate[i]);
		nulls[i] = i >= NUM && !is_ratio;
	}
	values[RELIABLE] = BoolGetDatum(estimate[DEN] >= RELIABLE_COUNT * estimate[DEN_SD]);
	nulls[RELIABLE] = !is_ratio;
	result = HeapTupleGetDatum(heap_form_tuple(tupdesc, values, nulls));
	ReleaseTupleDesc(tupdesc);
	return result;
}

Datum
gaussdp_estimate_total(Oid type, double value, double stddev)
{
	double estimate[NFIELDS] = {0};

	estimate[VALUE] = value;
	estimate[STDDEV] = stddev;
	return make_estimate(type, estimate, false);
}

Datum
gaussdp_estimate_ratio(Oid type, const GaussdpRatio *ratio)
{
	double estimate[NFIELDS];

	estimate[VALUE] = gaussdp_ratio_value(ratio);
	estimate[NUM] = ratio->num;
	estimate[NUM_SD] = ratio->num_sd;
	estimate[DEN] = ratio->den;
	estimate[DEN_SD] = ratio->den_sd;
	estimate[LOWER] = ratio->lower;
	estimate[UPPER] = ratio->upper;
	/* By the first order of the ratio's error; a value between bounds deviates by no more than they. */
	estimate[STDDEV] =
		fmin(hypot(ratio->num_sd, (estimate[VALUE] - ratio->centre) * ratio->den_sd) /
				 fmax(ratio->den, 1),
			 ratio->upper / 2 - ratio->lower / 2);
	return make_estimate(type, estimate, true);
}

/* Values that reliable_value() has shown as NULL. */
static int lost_averages = 0;

int
gaussdp_take_lost_averages(void)
{
	int n = lost_averages;

	lost_averages = 0;
	return n;
}

/* reliable_value(dp_estimate): the value of an average whose count is not lost in its noise; else NULL */
Datum
gaussdp_reliable_value(PG_FUNCTION_ARGS)
{
	HeapTupleHeader tuple = PG_GETARG_HEAPTUPLEHEADER(0);
	bool isnull;
	Datum value = GetAttributeByNum(tuple, RELIABLE + 1, &isnull);

	if (isnull || !DatumGetBool(value))
	{
		lost_averages++;
		PG_RETURN_NULL();
	}
	value = GetAttributeByNum(tuple, VALUE + 1, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	return value;
}

/* dp_estimate_interval(estimate dp_estimate, confidence float8, OUT low float8, OUT high float8) */
Datum
gaussdp_estimate_interval(PG_FUNCTION_ARGS)
{
	HeapTupleHeader tuple = PG_GETARG_HEAPTUPLEHEADER(0);
	double confidence = PG_GETARG_FLOAT8(1);
	double estimate[NFIELDS] = {0};
	bool nulls[NFIELDS];
	bool is_ratio = true;
	double bounds[2];
	Datum values[2];
	bool no_nulls[2] = {false, false};
	TupleDesc tupdesc;

	if (!(confidence > 0 && confidence < 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("confidence is out of range: %s", float8out_internal(confidence)),
						errdetail("confidence must be greater than 0 and less than 1.")));
	for (int i = 0; i < NFIELDS; i++)
	{
		Datum field = GetAttributeByNum(tuple, (AttrNumber) (i + 1), &nulls[i]);

		if (!nulls[i])
			estimate[i] = DatumGetFloat8(field);
		else if (i >= NUM)
			is_ratio = false;
	}
	if (nulls[VALUE] || nulls[STDDEV])
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "dp_estimate_interval must return a row");
	interval(estimate, is_ratio, gdp_norm_upper_quantile((1 - confidence) / 2), &bounds[0],
			 &bounds[1]);
	values[0] = Float8GetDatum(bounds[0]);
	values[1] = Float8GetDatum(bounds[1]);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, no_nulls)));
}
