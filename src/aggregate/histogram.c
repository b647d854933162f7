/*
 * histogram.c
 *		dp_histogram: the number of rows in each of a fixed number of bins, with noise in every bin.
 *
 * Reads parameters from args.c and noise from random.c; hands a bigint[] to the executor.  The bins
 * are public: equal parts between the bounds, of which the first and the last take what lies beyond.
 * A row falls into one bin, so the vector of counts moves by 1 in one coordinate, and every coordinate
 * gets the noise of a single count.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"
#include "utils/lsyscache.h"

#include "aggregate/cells.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_histogram_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_histogram_serialize);

void
gaussdp_histogram_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	double bins = gaussdp_param(key, GAUSSDP_PARAM_BINS);

	params->lower = gaussdp_param(key, GAUSSDP_PARAM_LOWER);
	params->upper = gaussdp_param(key, GAUSSDP_PARAM_UPPER);
	gaussdp_check_bounds(params->lower, params->upper);
	if (!(bins >= 1 && bins <= GAUSSDP_MAX_CELLS))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("bins is out of range: %.0f", bins),
						errdetail("bins must be between 1 and %d.", GAUSSDP_MAX_CELLS)));
	gaussdp_set_cells(params, bins);
	params->rows = gaussdp_rows_or(key, 1);
	gaussdp_check_rows(params->rows);
	gaussdp_calibrate_count(params, gaussdp_param(key, GAUSSDP_PARAM_DELTA), params->rows);
}

/* Numbers of rows; weighted ones in steps of the noise's grid, of dp_cdf in 2^-31 of a row. */
void
gaussdp_histogram_layout(const GaussdpParams *params, GaussdpLayout *layout)
{
	*layout =
		(GaussdpLayout){.ncells = (int32) params->high + 1, .wide = params->key.weighted != 0};
}

#define TRANSITION(type, value)                                                                    \
	PG_FUNCTION_INFO_V1(gaussdp_histogram_##type##_accum);                                         \
	Datum gaussdp_histogram_##type##_accum(PG_FUNCTION_ARGS)                                       \
	{                                                                                              \
		GaussdpCells *cells = gaussdp_cells_for_row(fcinfo, GAUSSDP_HISTOGRAM);                    \
                                                                                                   \
		if (!PG_ARGISNULL(1))                                                                      \
			gaussdp_cells_count(cells, value);                                                     \
		PG_RETURN_POINTER(cells);                                                                  \
	}

GAUSSDP_FOR_EACH_TYPE(TRANSITION)

int
gaussdp_histogram_parts(const GaussdpParams *params, double x, int64 weight,
						GaussdpPart parts[GAUSSDP_MAX_PARTS])
{
	parts[0] = (GaussdpPart){.cell = gaussdp_cell_of_value(params, x),
							 .steps = gaussdp_weighted_one(&params->noise[0], weight)};
	return 1;
}

/* histogram_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_histogram_weighted_accum(PG_FUNCTION_ARGS)
{
	return gaussdp_weigh_cells(fcinfo, GAUSSDP_HISTOGRAM);
}

int
gaussdp_histogram_bin(const GaussdpParams *params, Datum value, Oid type)
{
	double x = gaussdp_number_of(value, type);

	return isnan(x) ? -1 : gaussdp_cell_of_value(params, x);
}

Datum
gaussdp_histogram_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_HISTOGRAM);
}

/* Noisy numbers of rows, not rounded, take the place of the exact ones: whole steps in wide cells, else doubles. */
static void
draw(GaussdpCells *cells)
{
	const gdp_noise *noise = &cells->params->noise[0];

	for (int i = 0; i < cells->ncells && !cells->released; i++)
	{
		if (cells->wide)
			cells->sums[i] = gaussdp_add_noise(cells->sums[i], noise);
		else
			((double *) cells->sums)[i] = gdp_grid_value(
				gaussdp_add_noise(gdp_grid_total(gaussdp_counts(cells)[i], noise->exponent), noise),
				noise->exponent);
	}
	cells->released = true;
}

static double
noisy_rows(const GaussdpCells *cells, int i)
{
	return cells->wide ? gdp_grid_value(cells->sums[i], cells->params->noise[0].exponent)
					   : ((const double *) cells->sums)[i];
}

/* Of whole numbers that no double passes, but for the ends of int8. */
static int64
rounded_rows(const GaussdpCells *cells, int i)
{
	double rows = floor(noisy_rows(cells, i) + 0.5);

	if (rows >= 0x1p63)
		return PG_INT64_MAX;
	return rows < -0x1p63 ? PG_INT64_MIN : (int64) rows;
}

/* bigint[], or dp_estimate[]: of estimates the numbers are not rounded. */
Datum
gaussdp_histogram_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpCells *cells = exact;
	bool is_estimate = answer == GAUSSDP_AS_ESTIMATE;
	Oid element = is_estimate ? get_element_type(type) : INT8OID;
	Datum *values = palloc(cells->ncells * sizeof(Datum));
	int16 length;
	bool by_value;
	char align;

	draw(cells);
	for (int i = 0; i < cells->ncells; i++)
		values[i] = is_estimate ? gaussdp_estimate_total(element, noisy_rows(cells, i),
														 cells->params->noise[0].sigma)
								: Int64GetDatum(rounded_rows(cells, i));
	get_typlenbyvalalign(element, &length, &by_value, &align);
	return PointerGetDatum(
		construct_array(values, cells->ncells, element, length, by_value, align));
}
