/*
 * quantile.c
 *		dp_quantile and dp_median: a noisy bisection on exact counts.
 *
 * Reads parameters from args.c and noise from random.c; hands a float8 to the executor.
 *
 * The rows are counted in 1,024 leaves of equal width between the bounds.  Ten steps ask, each with
 * fresh noise, for the sign of
 *		f(m) = sum over rows of (1 - q if x < m, else -q)
 * at the middle m of what is left, and keep the half in which f changes its sign.  A row moves f(m) by
 * at most max(q, 1 - q) whatever m is, so that steps of sigma = max(q, 1 - q) sqrt(10) / mu compose to
 * mu-GDP, although each m depends on the answers before (docs/mathematics.md).  What is released is
 * the middle of the last leaf.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "aggregate/cells.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_quantile_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_quantile_serialize);

#define STEPS 10
#define LEAVES (1 << STEPS)

/* sqrt(10), rounded up */
#define SQRT_STEPS 3.16227766016838

/* dp_median has no q among its parameters. */
static double
which_quantile(const GaussdpKey *key)
{
	return gaussdp_param_or(key, GAUSSDP_PARAM_Q, 0.5);
}

void
gaussdp_quantile_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	double q = which_quantile(key), most = fmax(q, 1 - q);
	gdp_coordinate all = {.share = 1, .max_exponent = -10};

	params->lower = gaussdp_param(key, GAUSSDP_PARAM_LOWER);
	params->upper = gaussdp_param(key, GAUSSDP_PARAM_UPPER);
	gaussdp_check_bounds(params->lower, params->upper);
	if (!(q >= 0 && q <= 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("q is out of range: %s", float8out_internal(q)),
						errdetail("q must be at least 0 and at most 1.")));
	gaussdp_set_cells(params, LEAVES);

	/* All steps together are one vector with a common sigma. */
	params->rows = gaussdp_rows_or(key, 1);
	gaussdp_check_rows(params->rows);
	all.l2_sensitivity = nextafter(SQRT_STEPS * most, INFINITY);
	if (params->rows > 1)
		all.l2_sensitivity = nextafter(params->rows * all.l2_sensitivity, INFINITY);
	params->ncoords = 1;
	params->sensitivity[0] = all.l2_sensitivity;
	gaussdp_require_noise(gdp_noise_joint(gaussdp_param(key, GAUSSDP_PARAM_EPSILON),
										  gaussdp_param(key, GAUSSDP_PARAM_DELTA), 1, &all,
										  &params->noise[0]),
						  key, all.l2_sensitivity);
}

/*
 * A step goes astray where its noise exceeds |f|, the number of rows that lie between its middle and the quantile; this is
 * z of 5 % over all steps, each of which can go astray to one side.
 */
#define Z_OF_STEPS 2.5758293035489004

double
gaussdp_quantile_half_width(const GaussdpParams *params, double n)
{
	return fmin(Z_OF_STEPS * params->noise[0].sigma, n);
}

/* Numbers of rows; weighted ones by what they add to f above their leaf, then by what they take below. */
void
gaussdp_quantile_layout(const GaussdpParams *params, GaussdpLayout *layout)
{
	*layout = params->key.weighted ? (GaussdpLayout){.ncells = 2 * LEAVES, .wide = true}
								   : (GaussdpLayout){.ncells = LEAVES, .wide = false};
}

/*
 * What a row adds to f(m), in steps, where it is below m, and what it takes where it is not.  Toward zero: it
 * never exceeds what the noise was made for.
 */
static void
steps_of_row(const GaussdpParams *params, int64_t *below, int64_t *above)
{
	double q = which_quantile(&params->key);

	if (gdp_grid_bound(1 - q, params->noise[0].exponent, below) != GDP_OK ||
		gdp_grid_bound(q, params->noise[0].exponent, above) != GDP_OK)
		elog(ERROR, "weights of a quantile do not fit its grid");
}

#define TRANSITION(type, value)                                                                    \
	PG_FUNCTION_INFO_V1(gaussdp_quantile_##type##_accum);                                          \
	Datum gaussdp_quantile_##type##_accum(PG_FUNCTION_ARGS)                                        \
	{                                                                                              \
		GaussdpCells *cells = gaussdp_cells_for_row(fcinfo, GAUSSDP_QUANTILE);                     \
                                                                                                   \
		if (!PG_ARGISNULL(1))                                                                      \
			gaussdp_cells_count(cells, value);                                                     \
		PG_RETURN_POINTER(cells);                                                                  \
	}

GAUSSDP_FOR_EACH_TYPE(TRANSITION)

/* quantile_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_quantile_weighted_accum(PG_FUNCTION_ARGS)
{
	GaussdpCells *cells = gaussdp_weighted_cells_for_row(fcinfo, GAUSSDP_QUANTILE);
	int64 weight = gaussdp_row_weight(fcinfo);
	double x = gaussdp_row_number(fcinfo);
	int64_t below, above;

	if (!isnan(x))
	{
		gdp_int128 *leaf = &cells->sums[gaussdp_cell_of_value(cells->params, x)];

		steps_of_row(cells->params, &below, &above);
		leaf[0] = gaussdp_sum_add(leaf[0], gdp_weigh(below, weight));
		leaf[LEAVES] = gaussdp_sum_add(leaf[LEAVES], gdp_weigh(above, weight));
	}
	PG_RETURN_POINTER(cells);
}

Datum
gaussdp_quantile_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_QUANTILE);
}

/* f at the edges of the leaves, exactly. */
static void
sum_leaves(GaussdpCells *cells, gdp_int128 f[LEAVES + 1])
{
	int64_t below, above;

	steps_of_row(cells->params, &below, &above);
	f[0] = 0;
	for (int i = 0; i < LEAVES; i++)
		f[0] -=
			cells->wide ? cells->sums[LEAVES + i] : (gdp_int128) gaussdp_counts(cells)[i] * above;
	for (int i = 0; i < LEAVES; i++)
		f[i + 1] = f[i] + (cells->wide ? cells->sums[i] + cells->sums[LEAVES + i]
									   : (gdp_int128) gaussdp_counts(cells)[i] * (below + above));
}

/* The leaf in which the bisection ends. */
static int
bisect(GaussdpCells *cells)
{
	const gdp_noise *noise = &cells->params->noise[0];
	gdp_int128 f[LEAVES + 1];
	int low = 0, high = LEAVES;

	sum_leaves(cells, f);
	for (int step = 0; step < STEPS; step++)
	{
		int middle = (low + high) / 2;

		if (gaussdp_add_noise(f[middle], noise) < 0)
			low = middle;
		else
			high = middle;
	}
	return low;
}

Datum
gaussdp_quantile_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpCells *cells = exact;
	const GaussdpParams *params = cells->params;

	if (!cells->released)
	{
		double part = (bisect(cells) + 0.5) / LEAVES;

		cells->result = params->lower * (1 - part) + params->upper * part;
		cells->released = true;
	}
	return Float8GetDatum(cells->result);
}
