/*
 * regression.c
 *		dp_regression: covariance, correlation and the line of least squares of two columns, from one joint release.
 *
 * Reads parameters from args.c, pairs of numbers from arrays as vector.c does, and noise from random.c; hands a composite
 * dp_regression to the executor.
 *
 * With u = (y - c) / w in [-1, 1] of the first number of a pair and v likewise of the second, c and w being centre and half the
 * width of its bounds, a row adds (1, u, v, u^2 - 1/2, v^2 - 1/2, u v): at most 1, 1, 1, 1/2, 1/2 and 1 in the six coordinates, for
 * which mu^2 is split 1 : 2 : 2 : 1 : 1 : 5.  Everything in the answer follows from the six noisy sums: means, variances, the
 * covariance, what follows from these, and to the first order the standard deviation of each.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "executor/executor.h"
#include "funcapi.h"
#include "utils/array.h"
#include "utils/typcache.h"

#include "aggregate/cells.h"
#include "aggregate/weighted.h"

PG_FUNCTION_INFO_V1(gaussdp_regression_accum);
PG_FUNCTION_INFO_V1(gaussdp_regression_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_regression_serialize);
PG_FUNCTION_INFO_V1(gaussdp_reliable_statistic);

/* The coordinates; the state itself has the number of rows. */
enum
{
	N,
	U,
	V,
	UU,
	VV,
	UV,
	NSUMS
};

static double
half_width(const GaussdpKey *key, GaussdpParamName lower, GaussdpParamName upper)
{
	return gaussdp_param(key, upper) / 2 - gaussdp_param(key, lower) / 2;
}

static double
centre(const GaussdpKey *key, GaussdpParamName lower, GaussdpParamName upper)
{
	return gaussdp_param(key, lower) / 2 + gaussdp_param(key, upper) / 2;
}

#define HALF_WIDTH_Y(key) half_width(key, GAUSSDP_PARAM_LOWER_Y, GAUSSDP_PARAM_UPPER_Y)
#define HALF_WIDTH_X(key) half_width(key, GAUSSDP_PARAM_LOWER_X, GAUSSDP_PARAM_UPPER_X)
#define CENTRE_Y(key) centre(key, GAUSSDP_PARAM_LOWER_Y, GAUSSDP_PARAM_UPPER_Y)
#define CENTRE_X(key) centre(key, GAUSSDP_PARAM_LOWER_X, GAUSSDP_PARAM_UPPER_X)

void
gaussdp_regression_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	double rows = gaussdp_rows_or(key, 1);
	gdp_coordinate coordinates[NSUMS] = {
		[N] = {.l2_sensitivity = rows, .share = 1.0 / 12, .max_exponent = 0},
		[U] = {.l2_sensitivity = rows, .share = 2.0 / 12, .max_exponent = -10},
		[V] = {.l2_sensitivity = rows, .share = 2.0 / 12, .max_exponent = -10},
		[UU] = {.l2_sensitivity = rows / 2, .share = 1.0 / 12, .max_exponent = -11},
		[VV] = {.l2_sensitivity = rows / 2, .share = 1.0 / 12, .max_exponent = -11},
		[UV] = {.l2_sensitivity = rows, .share = 5.0 / 12, .max_exponent = -10},
	};
	gdp_status status;

	gaussdp_check_bounds(gaussdp_param(key, GAUSSDP_PARAM_LOWER_Y),
						 gaussdp_param(key, GAUSSDP_PARAM_UPPER_Y));
	gaussdp_check_bounds(gaussdp_param(key, GAUSSDP_PARAM_LOWER_X),
						 gaussdp_param(key, GAUSSDP_PARAM_UPPER_X));
	gaussdp_check_rows(rows);
	params->rows = rows;
	status =
		gdp_noise_joint(gaussdp_param(key, GAUSSDP_PARAM_EPSILON),
						gaussdp_param(key, GAUSSDP_PARAM_DELTA), NSUMS, coordinates, params->noise);
	if (status == GDP_OK && (!isfinite(1 / HALF_WIDTH_Y(key)) || !isfinite(1 / HALF_WIDTH_X(key)) ||
							 params->noise[N].exponent < GAUSSDP_MIN_COUNT_EXPONENT))
		status = GDP_OUT_OF_RANGE;
	gaussdp_require_noise(status, key, rows);
	params->ncoords = NSUMS;
	for (int i = 0; i < NSUMS; i++)
		params->sensitivity[i] = coordinates[i].l2_sensitivity;
}

/* Of the covariance, whose answers are the only ones that no row can move far: S5 / N - (S1 / N) (S2 / N). */
double
gaussdp_regression_half_width(const GaussdpParams *params, double n)
{
	const gdp_noise *noise = params->noise;
	double width = HALF_WIDTH_Y(&params->key) * HALF_WIDTH_X(&params->key);
	double stddev =
		hypot(hypot(noise[UV].sigma, noise[N].sigma), hypot(noise[U].sigma, noise[V].sigma)) / n;

	return fmin(GAUSSDP_Z95 * stddev, 1) * width;
}

void
gaussdp_regression_layout(const GaussdpParams *params, GaussdpLayout *layout)
{
	*layout = (GaussdpLayout){.ncells = NSUMS - 1, .wide = true};
}

/* A bounded number in units of half its bounds' width, about their centre. */
static double
unit_of(double x, double middle, double width)
{
	double u = (x - middle) / width;

	u = u > -1 ? u : -1;
	return u < 1 ? u : 1;
}

/* What a pair adds to the five sums, in steps; the scales are powers of two, so that whole steps at the ends are exact. */
static void
points_of(const GaussdpParams *params, const double pair[2], int64 points[NSUMS - 1])
{
	const GaussdpKey *key = &params->key;
	double u = unit_of(pair[0], CENTRE_Y(key), HALF_WIDTH_Y(key));
	double v = unit_of(pair[1], CENTRE_X(key), HALF_WIDTH_X(key));
	double values[NSUMS] = {[U] = u, [V] = v, [UU] = u * u - 0.5, [VV] = v * v - 0.5, [UV] = u * v};

	for (int i = U; i < NSUMS; i++)
		points[i - 1] = (int64) rint(ldexp(values[i], -params->noise[i].exponent));
}

/* regression_accum(internal, number[], float8 ...) */
Datum
gaussdp_regression_accum(PG_FUNCTION_ARGS)
{
	GaussdpCells *cells = gaussdp_cells_for_row(fcinfo, GAUSSDP_REGRESSION);
	int64 points[NSUMS - 1];
	const double *pair = NULL;

	if (!PG_ARGISNULL(1))
		pair = gaussdp_row_vector(PG_GETARG_ARRAYTYPE_P(1), 2);
	if (pair == NULL)
		PG_RETURN_POINTER(cells);
	points_of(cells->params, pair, points);
	cells->n = gaussdp_count_add(cells->n, 1);
	for (int i = 0; i < NSUMS - 1; i++)
		cells->sums[i] += points[i];
	PG_RETURN_POINTER(cells);
}

/* regression_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_regression_weighted_accum(PG_FUNCTION_ARGS)
{
	GaussdpCells *cells = gaussdp_weighted_cells_for_row(fcinfo, GAUSSDP_REGRESSION);
	int64 weight = gaussdp_row_weight(fcinfo);
	int64 points[NSUMS - 1];
	const double *pair = NULL;

	if (!PG_ARGISNULL(GAUSSDP_WEIGHTED_VALUE))
		pair = gaussdp_row_vector(gaussdp_array_of(PG_GETARG_DATUM(GAUSSDP_WEIGHTED_VALUE),
												   gaussdp_row_value_type(fcinfo)),
								  2);
	if (pair == NULL)
		PG_RETURN_POINTER(cells);
	points_of(cells->params, pair, points);
	cells->count =
		gaussdp_sum_add(cells->count, gaussdp_weighted_one(&cells->params->noise[N], weight));
	for (int i = 0; i < NSUMS - 1; i++)
		cells->sums[i] = gaussdp_sum_add(cells->sums[i], gdp_weigh(points[i], weight));
	PG_RETURN_POINTER(cells);
}

int64
gaussdp_regression_size(const GaussdpParams *params, Datum value, Oid type)
{
	return gaussdp_row_vector(gaussdp_array_of(value, type), 2) == NULL ? 0 : GDP_SIZE_ROW;
}

Datum
gaussdp_regression_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_REGRESSION);
}

/* ---------------------------------------------------------------------------
 * Release
 * ---------------------------------------------------------------------------
 */

/* The six noisy sums take the place of the exact ones. */
static const double *
draw(GaussdpCells *cells)
{
	const gdp_noise *noise = cells->params->noise;
	double *sums = (double *) cells->sums;
	double noisy[NSUMS];

	if (cells->released)
		return sums;
	for (int i = 0; i < NSUMS; i++)
	{
		gdp_int128 exact = i == N ? gaussdp_cells_count_of(cells, &noise[N]) : cells->sums[i - 1];

		noisy[i] = gdp_grid_value(gaussdp_add_noise(exact, &noise[i]), noise[i].exponent);
	}
	memset(cells->sums, 0, cells->ncells * sizeof(gdp_int128));
	memcpy(sums, noisy, sizeof(noisy));
	cells->n = 0;
	cells->count = 0;
	cells->released = true;
	return sums;
}

StaticAssertDecl(NSUMS * sizeof(double) <= (NSUMS - 1) * sizeof(gdp_int128),
				 "noisy sums stand in the place of exact ones");

/* A statistic of the noisy sums: its value, and by how much it moves with each of them. */
typedef struct Statistic
{
	double value;
	double slope[NSUMS];
} Statistic;

/* f(a, b) of two statistics, with the derivatives of f by both. */
static Statistic
statistic_of(double value, const Statistic *a, double by_a, const Statistic *b, double by_b)
{
	Statistic result = {.value = value};

	for (int i = 0; i < NSUMS; i++)
		result.slope[i] = by_a * a->slope[i] + by_b * b->slope[i];
	return result;
}

/* Sum i over the number of rows. */
static Statistic
mean_of(const double *sums, int i, double n)
{
	Statistic mean = {.value = sums[i] / n};

	mean.slope[i] = 1 / n;
	mean.slope[N] = -mean.value / n;
	return mean;
}

static Statistic
product_less(const Statistic *mean, const Statistic *a, const Statistic *b)
{
	Statistic product = statistic_of(a->value * b->value, a, b->value, b, a->value);

	return statistic_of(mean->value - product.value, mean, 1, &product, -1);
}

static Statistic
scaled(const Statistic *a, double factor, double shift)
{
	return statistic_of(a->value * factor + shift, a, factor, a, 0);
}

static double
stddev_of(const Statistic *a, const gdp_noise *noise)
{
	double square = 0;

	for (int i = 0; i < NSUMS; i++)
		square += a->slope[i] * a->slope[i] * noise[i].sigma * noise[i].sigma;
	return sqrt(square);
}

/* The fields of dp_regression, in its order; each number is followed by its standard deviation. */
enum
{
	ROWS,
	AVG_Y,
	AVG_X,
	VAR_Y,
	VAR_X,
	COVAR,
	CORR,
	SLOPE,
	INTERCEPT,
	R2,
	NSTATISTICS
};

#define RELIABLE (2 * NSTATISTICS)
#define NCOLUMNS (RELIABLE + 1)

/* Below so many of its standard deviations a number says little of what divides by it. */
#define RELIABLE_DEVIATIONS 5

/* In units of the half widths, but for the intercept, which needs both centres: in those of y. */
static void
compute(const double *sums, double shift_x, Statistic s[NSTATISTICS])
{
	double n = fmax(sums[N], 1);
	Statistic square_y = mean_of(sums, UU, n), square_x = mean_of(sums, VV, n),
			  product = mean_of(sums, UV, n), x;

	s[ROWS] = (Statistic){.value = sums[N], .slope[N] = 1};
	s[AVG_Y] = mean_of(sums, U, n);
	s[AVG_X] = mean_of(sums, V, n);
	square_y.value += 0.5;
	square_x.value += 0.5;
	s[VAR_Y] = product_less(&square_y, &s[AVG_Y], &s[AVG_Y]);
	s[VAR_X] = product_less(&square_x, &s[AVG_X], &s[AVG_X]);
	s[COVAR] = product_less(&product, &s[AVG_Y], &s[AVG_X]);
	for (int i = AVG_Y; i <= COVAR; i++)
		s[i].value = fmin(fmax(s[i].value, i == VAR_Y || i == VAR_X ? 0 : -1), 1);
	{
		double a = s[VAR_Y].value, b = s[VAR_X].value, root = sqrt(a * b);
		double c = fmin(fmax(s[COVAR].value, -root), root);
		double r = root > 0 ? c / root : NAN, slope = b > 0 ? c / b : NAN;
		Statistic by_variances = statistic_of(0, &s[VAR_Y], r / 2 / a, &s[VAR_X], r / 2 / b);

		s[COVAR].value = c;
		s[CORR] = statistic_of(r, &s[COVAR], 1 / root, &by_variances, -1);
		s[R2] = scaled(&s[CORR], 2 * r, 0);
		s[R2].value = r * r;
		s[SLOPE] = statistic_of(slope, &s[COVAR], 1 / b, &s[VAR_X], -slope / b);
	}
	x = scaled(&s[AVG_X], 1, shift_x);
	x = statistic_of(x.value * s[SLOPE].value, &x, s[SLOPE].value, &s[SLOPE], x.value);
	s[INTERCEPT] = statistic_of(s[AVG_Y].value - x.value, &s[AVG_Y], 1, &x, -1);
}

static bool
stands_out(const Statistic *a, const gdp_noise *noise)
{
	return a->value >= RELIABLE_DEVIATIONS * stddev_of(a, noise);
}

Datum
gaussdp_regression_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpCells *cells = exact;
	const GaussdpKey *key = &cells->params->key;
	const gdp_noise *noise = cells->params->noise;
	double wy = HALF_WIDTH_Y(key), wx = HALF_WIDTH_X(key);
	const double factor[NSTATISTICS] = {1, wy, wx, wy * wy, wx * wx, wy * wx, 1, wy / wx, wy, 1};
	const double shift[NSTATISTICS] = {
		[AVG_Y] = CENTRE_Y(key), [AVG_X] = CENTRE_X(key), [INTERCEPT] = CENTRE_Y(key)};
	TupleDesc tupdesc = lookup_rowtype_tupdesc(type, -1);
	Statistic s[NSTATISTICS];
	Datum values[NCOLUMNS], result;
	bool nulls[NCOLUMNS] = {false};

	if (tupdesc->natts != NCOLUMNS)
		elog(ERROR, "type dp_regression has %d fields", tupdesc->natts);
	compute(draw(cells), CENTRE_X(key) / wx, s);
	values[RELIABLE] = BoolGetDatum(stands_out(&s[ROWS], noise) && stands_out(&s[VAR_Y], noise) &&
									stands_out(&s[VAR_X], noise));
	for (int i = 0; i < NSTATISTICS; i++)
	{
		Statistic a = scaled(&s[i], factor[i], shift[i]);
		double stddev = stddev_of(&a, noise);

		nulls[2 * i] = !isfinite(a.value);
		nulls[2 * i + 1] = !isfinite(stddev) || nulls[2 * i];
		values[2 * i] = Float8GetDatum(a.value);
		values[2 * i + 1] = Float8GetDatum(stddev);
	}
	result = HeapTupleGetDatum(heap_form_tuple(tupdesc, values, nulls));
	ReleaseTupleDesc(tupdesc);
	return result;
}

/* reliable_statistic(dp_regression, field int4): that field where the answer is reliable, or is the number of pairs; else NULL */
Datum
gaussdp_reliable_statistic(PG_FUNCTION_ARGS)
{
	HeapTupleHeader tuple = PG_GETARG_HEAPTUPLEHEADER(0);
	int32 field = PG_GETARG_INT32(1);
	bool isnull;
	Datum value = GetAttributeByNum(tuple, RELIABLE + 1, &isnull);

	if (field < 1 || field > RELIABLE)
		PG_RETURN_NULL();
	if (field > 1 && (isnull || !DatumGetBool(value)))
	{
		gaussdp_count_lost_number();
		PG_RETURN_NULL();
	}
	value = GetAttributeByNum(tuple, (AttrNumber) field, &isnull);
	if (isnull)
		PG_RETURN_NULL();
	return value;
}
