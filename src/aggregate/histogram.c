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

#include "catalog/pg_type.h"
#include "utils/array.h"

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

/* Numbers of rows; weighted ones in steps of the noise's grid. */
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

/* histogram_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_histogram_weighted_accum(PG_FUNCTION_ARGS)
{
	GaussdpCells *cells = gaussdp_weighted_cells_for_row(fcinfo, GAUSSDP_HISTOGRAM);
	int64 weight = gaussdp_row_weight(fcinfo);
	double x = gaussdp_row_number(fcinfo);

	if (!isnan(x))
	{
		gdp_int128 *sum = &cells->sums[gaussdp_cell_of_value(cells->params, x)];

		*sum = gaussdp_sum_add(*sum, gaussdp_weighted_one(&cells->params->noise[0], weight));
	}
	PG_RETURN_POINTER(cells);
}

Datum
gaussdp_histogram_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_HISTOGRAM);
}

Datum
gaussdp_histogram_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpCells *cells = exact;
	const gdp_noise *noise = &cells->params->noise[0];
	Datum *values = palloc(cells->ncells * sizeof(Datum));

	for (int i = 0; i < cells->ncells; i++)
	{
		if (!cells->released && cells->wide)
			cells->sums[i] =
				gaussdp_round_count(gaussdp_add_noise(cells->sums[i], noise), noise->exponent);
		else if (!cells->released)
			gaussdp_counts(cells)[i] = gaussdp_round_count(
				gaussdp_add_noise(gdp_grid_total(gaussdp_counts(cells)[i], noise->exponent), noise),
				noise->exponent);
		values[i] = Int64GetDatum(cells->wide ? (int64) cells->sums[i] : gaussdp_counts(cells)[i]);
	}
	cells->released = true;
	PG_RETURN_ARRAYTYPE_P(construct_array(values, cells->ncells, INT8OID, sizeof(int64),
										  FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
