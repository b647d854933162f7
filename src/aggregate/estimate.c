/*
 * estimate.c
 *		The _estimate variants: the released value, its standard deviation and its interval.
 *
 * Reads released states only: everything here is post-processing and costs no privacy.  Hands a
 * composite dp_estimate to the executor.
 *
 * An average is a ratio num / den of released numbers about the centre of its bounds, and its
 * interval is Fieller's: the t with |num - t den| <= z sqrt(num_sd^2 + t^2 den_sd^2), as far as they are
 * within the bounds.  A variance is squares / den less (num / den)^2, of which Fieller's intervals of both ratios, each with half
 * of what the interval may miss, give one; its root has the roots of the ends.  The estimate alone says all of that.
 *
 * Error bounds
 *		The interval of an average is wider by one step of the grid on each side, by which the rounding of
 *		rows may have moved it, and by what the arithmetic here loses.  Its ends never pass the bounds,
 *		which are carried as they were given: an average that lies on one is never cut off.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "access/htup_details.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "utils/array.h"
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
	SQUARES,
	SQUARES_SD,
	NFIELDS,
	RELIABLE = NFIELDS, /* truth values, unlike the others */
	IS_ROOT,
	ASKED, /* arrays */
	ANSWERS,
	ANSWERS_SD,
	CUT, /* numbers again */
	CUT_AT_MOST,
	NCOLUMNS
} Field;

/*
 * What an estimate is of: its fields from NUM on are NULL but for ratios, squares but for variances and their roots, arrays but for quantiles,
 * and what is cut off but where that was released before.
 */
typedef enum Kind
{
	OF_TOTAL,
	OF_RATIO,
	OF_VARIANCE,
	OF_ROOT,
	OF_QUANTILE
} Kind;

/* An average is a ratio: below so many standard deviations of its count it says little. */
#define RELIABLE_COUNT 5

/* A grid step is at most this part of the standard deviation of the noise. */
#define STEP 0x1p-30

/* Fieller's interval of num / den, of no number beyond +-most; false where the count is lost in its noise: every one is possible. */
static bool
fieller(const double *estimate, double num, double num_sd, double z, double slack, double most,
		double *low, double *high)
{
	double den = estimate[DEN], den_sd = estimate[DEN_SD];
	double a = (den - z * den_sd) * (den + z * den_sd);
	double b = num * den;
	double c = (num - z * num_sd) * (num + z * num_sd);
	double root = sqrt(fmax(b * b - a * c, 0));

	*low = -most;
	*high = most;
	if (!(den > 0 && a > 0))
		return false;
	/* The clamp keeps what is far outside from overflowing. */
	*low = fmin(fmax((b - root) / a - slack, -2), most);
	*high = fmax(fmin((b + root) / a + slack, 2), -most);
	return true;
}

static void
ratio_interval(const double *estimate, double z, double *low, double *high)
{
	double lower = estimate[LOWER], upper = estimate[UPPER];
	double centre = lower / 2 + upper / 2, width = upper / 2 - lower / 2;

	/* In units of the half width nothing overflows; the ends are the bounds themselves. */
	double num_sd = estimate[NUM_SD] / width;
	double slack = num_sd * STEP + 0x1p-50 * (1 + fmax(fabs(lower), fabs(upper)) / width);

	if (fieller(estimate, estimate[NUM] / width, num_sd, z, slack, 1, low, high))
	{
		*low = fmax(centre + width * *low, lower);
		*high = fmin(centre + width * *high, upper);
	}
	else
	{
		*low = lower;
		*high = upper;
	}
	*low = fmin(*low, estimate[VALUE]);
	*high = fmax(*high, estimate[VALUE]);
}

/* From the intervals of the mean square, which is about a half of the most, and of the mean. */
static void
variance_interval(const double *estimate, bool is_root, double z, double *low, double *high)
{
	double width = estimate[UPPER] / 2 - estimate[LOWER] / 2;
	double both = gdp_norm_upper_quantile(gdp_norm_sf(z) / 2) + STEP, mean_low, mean_high, near,
		   far;
	double slack = (estimate[NUM_SD] / width + 1) * STEP;

	(void) fieller(estimate, estimate[SQUARES] / width / width,
				   estimate[SQUARES_SD] / width / width, both, slack, 0.5, low, high);
	(void) fieller(estimate, estimate[NUM] / width, estimate[NUM_SD] / width, both, slack, 1,
				   &mean_low, &mean_high);
	far = fmin(fmax(fabs(mean_low), fabs(mean_high)), 1);
	near = mean_low > 0 ? mean_low : mean_high < 0 ? -mean_high : 0;
	*low = fmin(fmax(*low + 0.5 - far * far, 0), 1);
	*high = fmin(fmax(*high + 0.5 - near * near, 0), 1);
	*low = is_root ? sqrt(*low) * width : fmin(*low * width * width, DBL_MAX);
	*high = is_root ? sqrt(*high) * width : fmin(*high * width * width, DBL_MAX);
	*low = fmin(*low, estimate[VALUE]);
	*high = fmax(*high, estimate[VALUE]);
}

/* The interval in which the noiseless value lies with the confidence that belongs to z. */
static void
interval(const double *estimate, Kind kind, double z, double *low, double *high)
{
	/* One grid step more than the normal law: the noise is discrete. */
	double half = (z + STEP) * estimate[STDDEV];

	if (kind == OF_RATIO)
		ratio_interval(estimate, z + STEP, low, high);
	else if (kind != OF_TOTAL)
		variance_interval(estimate, kind == OF_ROOT, z, low, high);
	else
	{
		*low = estimate[VALUE] - half;
		*high = estimate[VALUE] + half;
	}
}

/* Of 48 edges in a row, from each to each. */
#define WINDOWS (GDP_SEARCH_STEPS * (GDP_SEARCH_STEPS + 1) / 2)

/*
 * The numbers below an edge only grow from edge to edge.  So an edge is below the quantile where the answers from it on to some
 * edge on its right add up to clearly less than 0, and above it where those from some edge on its left do to more.  How clearly:
 * as if all windows of edges were given beforehand (Bonferroni).  They follow from answers, so that this is not proven; simulation
 * says that it is enough (test/audit/estimates_quantile.sql).
 */
static void
quantile_interval(const double *estimate, const GaussdpAsked *asked, double z, double *low,
				  double *high)
{
	double clearly = gdp_norm_upper_quantile(gdp_norm_sf(z) / WINDOWS);
	bool found = false;

	*low = estimate[LOWER];
	*high = estimate[UPPER];
	for (int i = asked->n - 1; i >= 0 && !found; i--)
	{
		double sum = 0, square = 0;

		for (int j = i; j < asked->n && !found; j++)
		{
			sum += asked->answer[j];
			square += asked->sd[j] * asked->sd[j];
			found = sum < -clearly * sqrt(square);
		}
		if (found)
			*low = asked->at[i];
	}
	found = false;
	for (int i = 0; i < asked->n && !found; i++)
	{
		double sum = 0, square = 0;

		for (int j = i; j >= 0 && !found; j--)
		{
			sum += asked->answer[j];
			square += asked->sd[j] * asked->sd[j];
			found = sum > clearly * sqrt(square);
		}
		if (found)
			*high = asked->at[i];
	}
	*low = fmin(*low, estimate[VALUE]);
	*high = fmax(*high, estimate[VALUE]);
}

static Datum
array_of(const double *values, int n)
{
	Datum datums[GDP_SEARCH_STEPS];

	for (int i = 0; i < n; i++)
		datums[i] = Float8GetDatum(values[i]);
	return PointerGetDatum(
		construct_array(datums, n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

/* The numbers of such an array; -1 where it is none. */
static int
read_array(HeapTupleHeader tuple, Field field, double values[GDP_SEARCH_STEPS])
{
	bool isnull;
	Datum datum = GetAttributeByNum(tuple, (AttrNumber) (field + 1), &isnull);
	ArrayType *array = isnull ? NULL : DatumGetArrayTypeP(datum);
	int n = array == NULL ? -1 : ArrayGetNItems(ARR_NDIM(array), ARR_DIMS(array));

	if (n < 0 || n > GDP_SEARCH_STEPS || ARR_NDIM(array) > 1 || array_contains_nulls(array))
		return -1;
	memcpy(values, ARR_DATA_PTR(array), n * sizeof(double));
	return n;
}

/* What the search of a quantile asked; false where the estimate is of something else. */
static bool
read_asked(HeapTupleHeader tuple, GaussdpAsked *asked)
{
	asked->n = read_array(tuple, ASKED, asked->at);
	return asked->n >= 0 && read_array(tuple, ANSWERS, asked->answer) == asked->n &&
		   read_array(tuple, ANSWERS_SD, asked->sd) == asked->n;
}

static bool
is_reliable(const double *estimate)
{
	return estimate[DEN] >= RELIABLE_COUNT * estimate[DEN_SD];
}

/* How large the half width of the interval is beside the value, infinite beside 0; of an average that is not reliable, less than 0. */
static double
roughness(const double *estimate, Kind kind)
{
	double part = (estimate[CI_HIGH] / 2 - estimate[CI_LOW] / 2) / fabs(estimate[VALUE]);

	return kind == OF_RATIO && !is_reliable(estimate) ? -part : part;
}

/* Makes the composite, or, without a type, its roughness; the interval is filled in here. */
static Datum
make_estimate(Oid type, double *estimate, Kind kind, const GaussdpAsked *asked)
{
	TupleDesc tupdesc;
	Datum values[NCOLUMNS];
	bool nulls[NCOLUMNS];
	Datum result;

	if (kind == OF_QUANTILE)
		quantile_interval(estimate, asked, GAUSSDP_Z95, &estimate[CI_LOW], &estimate[CI_HIGH]);
	else
		interval(estimate, kind, GAUSSDP_Z95, &estimate[CI_LOW], &estimate[CI_HIGH]);
	if (!OidIsValid(type))
		return Float8GetDatum(roughness(estimate, kind));
	tupdesc = lookup_rowtype_tupdesc(type, -1);
	if (tupdesc->natts != NCOLUMNS)
		elog(ERROR, "type dp_estimate has %d fields", tupdesc->natts);
	for (int i = 0; i < NFIELDS; i++)
	{
		values[i] = Float8GetDatum(estimate[i]);
		nulls[i] = kind == OF_TOTAL      ? i >= NUM
				   : kind == OF_QUANTILE ? i >= NUM && i != LOWER && i != UPPER
										 : kind == OF_RATIO && i >= SQUARES;
	}
	values[RELIABLE] = BoolGetDatum(is_reliable(estimate));
	nulls[STDDEV] = kind == OF_QUANTILE;
	nulls[RELIABLE] = kind == OF_TOTAL || kind == OF_QUANTILE;
	values[IS_ROOT] = BoolGetDatum(kind == OF_ROOT);
	nulls[IS_ROOT] = kind != OF_VARIANCE && kind != OF_ROOT;
	nulls[ASKED] = nulls[ANSWERS] = nulls[ANSWERS_SD] = kind != OF_QUANTILE;
	nulls[CUT] = nulls[CUT_AT_MOST] = true;
	if (kind == OF_QUANTILE)
	{
		values[ASKED] = array_of(asked->at, asked->n);
		values[ANSWERS] = array_of(asked->answer, asked->n);
		values[ANSWERS_SD] = array_of(asked->sd, asked->n);
	}
	result = HeapTupleGetDatum(heap_form_tuple(tupdesc, values, nulls));
	ReleaseTupleDesc(tupdesc);
	return result;
}

Datum
gaussdp_estimate_with_cut(Datum estimate, double cut, double most)
{
	HeapTupleHeader header = DatumGetHeapTupleHeader(estimate);
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};
	TupleDesc tupdesc = lookup_rowtype_tupdesc(HeapTupleHeaderGetTypeId(header), -1);
	Datum values[NCOLUMNS];
	bool nulls[NCOLUMNS];
	Datum result;

	heap_deform_tuple(&tuple, tupdesc, values, nulls);
	values[CUT] = Float8GetDatum(cut);
	values[CUT_AT_MOST] = Float8GetDatum(most);
	nulls[CUT] = nulls[CUT_AT_MOST] = false;
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
	return make_estimate(type, estimate, OF_TOTAL, NULL);
}

Datum
gaussdp_estimate_ratio(Oid type, const GaussdpRatio *ratio)
{
	double estimate[NFIELDS] = {0};

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
	return make_estimate(type, estimate, OF_RATIO, NULL);
}

Datum
gaussdp_estimate_quantile(Oid type, double value, double lower, double upper,
						  const GaussdpAsked *asked)
{
	double estimate[NFIELDS] = {[VALUE] = value, [LOWER] = lower, [UPPER] = upper};

	return make_estimate(type, estimate, OF_QUANTILE, asked);
}

double
gaussdp_moments_variance(const GaussdpMoments *moments)
{
	double count = fmax(moments->count, 1), mean = moments->sum / count;

	return fmin(fmax(moments->squares / count + 0.5 - mean * mean, 0), 1);
}

/*
 * With m = sum / count and q = squares / count the variance is off, to the first order, by the noises of squares, sum and count
 * times 1, -2 m and 2 m^2 - q, over count.
 */
Datum
gaussdp_estimate_variance(Oid type, const GaussdpMoments *moments, bool root)
{
	double width = moments->upper / 2 - moments->lower / 2, unit = root ? width : width * width;
	double part = gaussdp_moments_variance(moments);
	double count = fmax(moments->count, 1), m = moments->sum / count, q = moments->squares / count;
	double stddev = hypot(hypot(moments->squares_sd, 2 * m * moments->sum_sd),
						  (2 * m * m - q) * moments->count_sd) /
					count;
	double estimate[NFIELDS] = {[NUM] = moments->sum * width,
								[NUM_SD] = moments->sum_sd * width,
								[DEN] = moments->count,
								[DEN_SD] = moments->count_sd,
								[LOWER] = moments->lower,
								[UPPER] = moments->upper,
								[SQUARES] = moments->squares * width * width,
								[SQUARES_SD] = moments->squares_sd * width * width};

	if (root)
		stddev = part > 0 ? stddev / (2 * sqrt(part)) : 1;
	estimate[VALUE] = fmin((root ? sqrt(part) : part) * unit, DBL_MAX);
	estimate[STDDEV] = fmin(fmin(stddev, 1) * unit, DBL_MAX);
	return make_estimate(type, estimate, root ? OF_ROOT : OF_VARIANCE, NULL);
}

/* Numbers that have been shown as NULL. */
static int lost_numbers = 0;

void
gaussdp_count_lost_number(void)
{
	lost_numbers++;
}

int
gaussdp_set_lost_numbers(int n)
{
	int before = lost_numbers;

	lost_numbers = n;
	return before;
}

/* Is the 99.9 % interval of a quantile less than all that is possible? */
static bool
tells_something(HeapTupleHeader tuple)
{
	static const Field fields[] = {VALUE, LOWER, UPPER};
	double estimate[NFIELDS] = {0};
	GaussdpAsked asked;
	double low;
	double high;
	bool isnull;

	for (size_t i = 0; i < lengthof(fields); i++)
	{
		Datum value = GetAttributeByNum(tuple, (AttrNumber) (fields[i] + 1), &isnull);

		if (isnull)
			return false;
		estimate[fields[i]] = DatumGetFloat8(value);
	}
	if (!read_asked(tuple, &asked))
		return false;
	quantile_interval(estimate, &asked, gdp_norm_upper_quantile(0.0005), &low, &high);
	return low > estimate[LOWER] || high < estimate[UPPER];
}

/*
 * reliable_value(dp_estimate): the value of an average whose count is not lost in its noise, or of a quantile of which something can be
 * told; else NULL
 */
Datum
gaussdp_reliable_value(PG_FUNCTION_ARGS)
{
	HeapTupleHeader tuple = PG_GETARG_HEAPTUPLEHEADER(0);
	bool isnull;
	Datum value = GetAttributeByNum(tuple, RELIABLE + 1, &isnull);

	if (isnull ? !tells_something(tuple) : !DatumGetBool(value))
	{
		gaussdp_count_lost_number();
		PG_RETURN_NULL();
	}
	value = GetAttributeByNum(tuple, VALUE + 1, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	return value;
}

/* What an estimate with a count is of. */
static Kind
kind_of(HeapTupleHeader tuple, const bool nulls[NFIELDS])
{
	bool isnull;
	Datum is_root = GetAttributeByNum(tuple, IS_ROOT + 1, &isnull);

	if (nulls[SQUARES] || nulls[SQUARES_SD] || isnull)
		return OF_RATIO;
	return DatumGetBool(is_root) ? OF_ROOT : OF_VARIANCE;
}

/* dp_estimate_interval(estimate dp_estimate, confidence float8, OUT low float8, OUT high float8) */
Datum
gaussdp_estimate_interval(PG_FUNCTION_ARGS)
{
	HeapTupleHeader tuple = PG_GETARG_HEAPTUPLEHEADER(0);
	double confidence = PG_GETARG_FLOAT8(1);
	double estimate[NFIELDS] = {0};
	bool nulls[NFIELDS];
	Kind kind = OF_TOTAL;
	GaussdpAsked asked;
	bool is_quantile;
	double bounds[2], z;
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
	}
	if (!nulls[NUM] && !nulls[NUM_SD] && !nulls[DEN] && !nulls[DEN_SD] && !nulls[LOWER] &&
		!nulls[UPPER])
		kind = kind_of(tuple, nulls);
	is_quantile = !nulls[VALUE] && !nulls[LOWER] && !nulls[UPPER] && read_asked(tuple, &asked);
	if (nulls[VALUE] || (nulls[STDDEV] && !is_quantile))
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "dp_estimate_interval must return a row");
	z = gdp_norm_upper_quantile((1 - confidence) / 2);
	if (is_quantile)
		quantile_interval(estimate, &asked, z, &bounds[0], &bounds[1]);
	else
		interval(estimate, kind, z, &bounds[0], &bounds[1]);
	values[0] = Float8GetDatum(bounds[0]);
	values[1] = Float8GetDatum(bounds[1]);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), values, no_nulls)));
}
