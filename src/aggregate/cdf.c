/*
 * cdf.c
 *		dp_cdf: the numbers of rows below the edges of a fixed number of bins, which answers for every range of bins.
 *
 * Reads parameters from args.c, the bins' numbers of rows from histogram.c's states and noise from random.c; hands a float8[] to
 * the executor.
 *
 * Released is C x + noise, x being the exact numbers of rows of the bins (core/prefix.c): a row moves that by 1 in 2-norm.  The
 * answer is what follows from it for the prefix sums of x.  A sum of many bins of a histogram has the noise of all of them: the
 * prefix sums of 1,024 bins err here by a tenth of that.
 *
 * Where people own many rows these are weighed by their number, never by a norm over bins: columns of C are not orthogonal, but none is
 * longer than a row's, so that rows which weigh a together move C x by a at most.  A bin keeps the sum of its weights, in full, and each
 * number of C x is rounded once, downward.  Rows of weights below GAUSSDP_LEAST_WEIGHT count for nothing; with more, a person has rows
 * in at most (2^12 k)^2 groups, of n numbers each, and the sensitivity is raised by what rounding adds (weighted.h).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "aggregate/cells.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_cdf_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_cdf_serialize);
PG_FUNCTION_INFO_V1(gaussdp_cdf_stddev);
PG_FUNCTION_INFO_V1(gaussdp_monotone);

static void
check_bins(double bins)
{
	if (!(bins >= 1 && bins <= GDP_MAX_PREFIXES))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("bins is out of range: %.0f", bins),
						errdetail("bins must be between 1 and %d.", GDP_MAX_PREFIXES)));
}

/* All coordinates are one vector with a common sigma, on a grid that has the units of C. */
#define CDF_EXPONENT (-20)

/* Of a weighted row, which is 2^31 of them. */
#define WEIGHTED_CDF_EXPONENT (CDF_EXPONENT - 31)

/* More rows than so many count as so many in a bin. */
#define MOST_ROWS (INT64CONST(1) << 48)

/* Rounding n numbers of a group adds sqrt(n) steps at most, which are no more of a row on a grid that is finer by as much. */
int
gaussdp_prefix_exponent(double n, bool weighted)
{
	int bits = 0;

	while (ldexp(1, 2 * bits) < n)
		bits++;
	return weighted ? -(GAUSSDP_WEIGHTED_GRID_BITS + bits) : CDF_EXPONENT;
}

void
gaussdp_cdf_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	double bins = gaussdp_param(key, GAUSSDP_PARAM_BINS);
	gdp_coordinate all = {.l2_sensitivity = 1, .share = 1};
	gdp_status status;

	params->lower = gaussdp_param(key, GAUSSDP_PARAM_LOWER);
	params->upper = gaussdp_param(key, GAUSSDP_PARAM_UPPER);
	gaussdp_check_bounds(params->lower, params->upper);
	check_bins(bins);
	gaussdp_set_cells(params, bins);
	params->rows = gaussdp_rows_or(key, 1);
	gaussdp_check_rows(params->rows);
	all.max_exponent = gaussdp_prefix_exponent(bins, key->weighted);
	if (key->weighted)
		all.l2_sensitivity = nextafter(params->rows * GAUSSDP_WEIGHTED_ROUNDING, INFINITY);
	status = gdp_noise_joint(gaussdp_param(key, GAUSSDP_PARAM_EPSILON),
							 gaussdp_param(key, GAUSSDP_PARAM_DELTA), 1, &all, &params->noise[0]);
	if (status == GDP_OK && params->noise[0].exponent < GAUSSDP_MIN_COUNT_EXPONENT)
		status = GDP_OUT_OF_RANGE;
	gaussdp_require_noise(status, key, all.l2_sensitivity);
	params->ncoords = 1;
	params->sensitivity[0] = all.l2_sensitivity;
}

double
gaussdp_cdf_half_width(const GaussdpParams *params, double n)
{
	return GAUSSDP_Z95 * params->noise[0].sigma * gdp_prefix_worst((int) params->high + 1);
}

#define TRANSITION(type, value)                                                                    \
	PG_FUNCTION_INFO_V1(gaussdp_cdf_##type##_accum);                                               \
	Datum gaussdp_cdf_##type##_accum(PG_FUNCTION_ARGS)                                             \
	{                                                                                              \
		GaussdpCells *cells = gaussdp_cells_for_row(fcinfo, GAUSSDP_CDF);                          \
                                                                                                   \
		if (!PG_ARGISNULL(1))                                                                      \
			gaussdp_cells_count(cells, value);                                                     \
		PG_RETURN_POINTER(cells);                                                                  \
	}

GAUSSDP_FOR_EACH_TYPE(TRANSITION)

int
gaussdp_cdf_parts(const GaussdpParams *params, double x, int64 weight,
				  GaussdpPart parts[GAUSSDP_MAX_PARTS])
{
	if (weight < GAUSSDP_LEAST_WEIGHT)
		return 0;
	parts[0] = (GaussdpPart){.cell = gaussdp_cell_of_value(params, x), .steps = weight};
	return 1;
}

/* cdf_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_cdf_weighted_accum(PG_FUNCTION_ARGS)
{
	return gaussdp_weigh_cells(fcinfo, GAUSSDP_CDF);
}

Datum
gaussdp_cdf_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_CDF);
}

static gdp_prefix
prefix_of(int bins)
{
	gdp_prefix prefix;

	gdp_prefix_begin(&prefix, bins, palloc(2 * bins * sizeof(double)));
	return prefix;
}

/* What is released in the place of these numbers, in steps of the noise. */
static gdp_int128 *
steps_of(const gdp_prefix *prefix, const gdp_int128 *rows, bool weighted, const gdp_noise *noise)
{
	int shift = (weighted ? WEIGHTED_CDF_EXPONENT : CDF_EXPONENT) - noise->exponent;
	gdp_int128 most = weighted ? GDP_PREFIX_MOST : MOST_ROWS;
	gdp_int128 *x = palloc(prefix->n * sizeof(gdp_int128));
	gdp_int128 *y = palloc(prefix->n * sizeof(gdp_int128));

	for (int i = 0; i < prefix->n; i++)
		x[i] = rows[i] < 0 ? 0 : Min(rows[i], most);
	gdp_prefix_multiply(prefix, x, y);
	for (int i = 0; i < prefix->n; i++)
		y[i] = shift >= 0 ? y[i] * ((gdp_int128) 1 << shift) : y[i] >> -shift;
	pfree(x);
	return y;
}

void
gaussdp_draw_prefixes(const gdp_int128 *rows, int n, bool weighted, const gdp_noise *noise,
					  double *sums)
{
	gdp_prefix prefix = prefix_of(n);
	gdp_int128 *y = steps_of(&prefix, rows, weighted, noise);

	for (int i = 0; i < n; i++)
		sums[i] = gdp_grid_value(gaussdp_add_noise(y[i], noise), noise->exponent);
	gdp_prefix_solve(&prefix, sums);
	pfree(y);
	pfree(prefix.coefficient);
}

/* What the bins have, in rows or, weighted, in 2^-31 of them. */
static gdp_int128 *
rows_of_bins(GaussdpCells *cells)
{
	gdp_int128 *rows = palloc(cells->ncells * sizeof(gdp_int128));

	for (int i = 0; i < cells->ncells; i++)
		rows[i] = cells->wide ? cells->sums[i] : gaussdp_counts(cells)[i];
	return rows;
}

gdp_int128 *
gaussdp_cdf_steps(GaussdpCells *cells)
{
	gdp_prefix prefix = prefix_of(cells->ncells);

	return steps_of(&prefix, rows_of_bins(cells), cells->wide, &cells->params->noise[0]);
}

/* The prefix sums take the place of the cells. */
static const double *
draw(GaussdpCells *cells)
{
	double *sums = (double *) gaussdp_counts(cells);
	gdp_int128 *rows;

	if (cells->released)
		return sums;
	rows = rows_of_bins(cells);
	gaussdp_draw_prefixes(rows, cells->ncells, cells->wide, &cells->params->noise[0], sums);
	pfree(rows);
	cells->released = true;
	return sums;
}

static Datum
array_of(const double *values, int n)
{
	Datum *datums = palloc(n * sizeof(Datum));

	for (int i = 0; i < n; i++)
		datums[i] = Float8GetDatum(values[i]);
	return PointerGetDatum(
		construct_array(datums, n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

Datum
gaussdp_cdf_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpCells *cells = exact;

	return array_of(draw(cells), cells->ncells);
}

/* ---------------------------------------------------------------------------
 * What is made of released numbers
 * ---------------------------------------------------------------------------
 */

/* dp_cdf_stddev(epsilon float8, delta float8, bins int8, first int8, last int8) */
Datum
gaussdp_cdf_stddev(PG_FUNCTION_ARGS)
{
	GaussdpParams params;
	GaussdpKey key;
	Datum values[5] = {PG_GETARG_DATUM(0), PG_GETARG_DATUM(1), Float8GetDatum(0), Float8GetDatum(1),
					   PG_GETARG_DATUM(2)};
	bool nulls[5] = {false};
	int64 first = PG_GETARG_INT64(3), last = PG_GETARG_INT64(4);
	gdp_prefix prefix;
	int bins;

	gaussdp_key_fill(&key, GAUSSDP_CDF, 5, values, nulls);
	gaussdp_params_fill(&params, &key);
	bins = (int) params.high + 1;
	if (!(first >= 1 && first <= last && last <= bins))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("range of bins is out of range: " INT64_FORMAT " to " INT64_FORMAT, first,
						last),
				 errdetail("They must be between 1 and %d, and first not above last.", bins)));
	prefix = prefix_of(bins);
	PG_RETURN_FLOAT8(params.noise[0].sigma * gdp_prefix_spread(&prefix, (int) first - 1,
															   (int) last - 1,
															   palloc(bins * sizeof(double))));
}

void
gaussdp_pool_neighbours(double *values, int n)
{
	double *mean = palloc((n + 1) * sizeof(double));
	int *length = palloc((n + 1) * sizeof(int));
	int npools = 0, at = 0;

	for (int i = 0; i < n; i++)
	{
		mean[npools] = values[i];
		length[npools++] = 1;
		while (npools > 1 && mean[npools - 2] > mean[npools - 1])
		{
			int both = length[npools - 2] + length[npools - 1];

			mean[npools - 2] +=
				(mean[npools - 1] - mean[npools - 2]) * ((double) length[npools - 1] / both);
			length[npools - 2] = both;
			npools--;
		}
	}
	for (int pool = 0; pool < npools; pool++)
		for (int i = 0; i < length[pool]; i++)
			values[at++] = fmax(mean[pool], 0);
}

/* dp_monotone(cdf float8[]) */
Datum
gaussdp_monotone(PG_FUNCTION_ARGS)
{
	ArrayType *array = PG_GETARG_ARRAYTYPE_P(0);
	int n = ARR_NDIM(array) == 1 ? ARR_DIMS(array)[0] : 0;
	double *values;

	if (ARR_NDIM(array) > 1 || array_contains_nulls(array))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("cdf must be an array of one dimension, without nulls")));
	values = palloc((n + 1) * sizeof(double));
	if (n > 0)
		memcpy(values, ARR_DATA_PTR(array), n * sizeof(double));
	gaussdp_pool_neighbours(values, n);
	PG_RETURN_DATUM(array_of(values, n));
}
