/*
 * bounds_found.c
 *		dp_bounds: the bounds that automatic.c finds, as an answer.
 *
 * Reads parameters from args.c, bins and the search for bounds from automatic.c; hands a float8[] to the executor.
 *
 * The state is a histogram over the 260 bins of automatic bounds.  All of mu^2 pays for noise in their counts, where dp_avg_auto has an
 * eighth for them: about a third of the rows are enough to stand out.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/float.h"

#include "aggregate/automatic.h"
#include "compat.h"

PG_FUNCTION_INFO_V1(gaussdp_bounds_serialize);

void
gaussdp_bounds_calibrate(GaussdpParams *params)
{
	params->rows = gaussdp_rows_or(&params->key, 1);
	gaussdp_check_rows(params->rows);
	gaussdp_calibrate_count(params, gaussdp_param(&params->key, GAUSSDP_PARAM_DELTA), params->rows);
}

void
gaussdp_bounds_layout(const GaussdpParams *params, GaussdpLayout *layout)
{
	*layout = (GaussdpLayout){.ncells = GAUSSDP_AUTO_BINS};
}

static void
add_value(GaussdpCells *cells, double x)
{
	int64 steps;
	int64 *count;

	if (isnan(x))
		return;
	count = &gaussdp_counts(cells)[gaussdp_auto_bin(x, &steps)];
	cells->n = gaussdp_count_add(cells->n, 1);
	*count = gaussdp_count_add(*count, 1);
}

#define TRANSITION(type, value)                                                                    \
	PG_FUNCTION_INFO_V1(gaussdp_bounds_##type##_accum);                                            \
	Datum gaussdp_bounds_##type##_accum(PG_FUNCTION_ARGS)                                          \
	{                                                                                              \
		GaussdpCells *cells = gaussdp_cells_for_row(fcinfo, GAUSSDP_BOUNDS);                       \
                                                                                                   \
		if (!PG_ARGISNULL(1))                                                                      \
			add_value(cells, value);                                                               \
		PG_RETURN_POINTER(cells);                                                                  \
	}

GAUSSDP_FOR_EACH_TYPE(TRANSITION)

Datum
gaussdp_bounds_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_BOUNDS);
}

/* Noisy counts, in standard deviations, take the place of the exact ones. */
static const double *
draw(GaussdpCells *cells)
{
	const gdp_noise *noise = &cells->params->noise[0];
	double *counts = (double *) cells->sums;

	for (int bin = 0; bin < GAUSSDP_AUTO_BINS && !cells->released; bin++)
	{
		gdp_int128 steps = gdp_grid_total(gaussdp_counts(cells)[bin], noise->exponent);

		counts[bin] =
			gdp_grid_value(gaussdp_add_noise(steps, noise), noise->exponent) / noise->sigma;
	}
	cells->released = true;
	return counts;
}

/* {lower, upper}; where no values stand out they may be anywhere. */
Datum
gaussdp_bounds_release(void *exact, GaussdpAnswer answer, Oid type)
{
	Datum bounds[2] = {Float8GetDatum(-get_float8_infinity()),
					   Float8GetDatum(get_float8_infinity())};
	GaussdpBinsFound found;

	if (gaussdp_auto_find(draw(exact), &found))
	{
		bounds[0] = Float8GetDatum(gaussdp_auto_lower(found.first));
		bounds[1] = Float8GetDatum(gaussdp_auto_upper(found.last));
	}
	return PointerGetDatum(
		construct_array(bounds, 2, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
