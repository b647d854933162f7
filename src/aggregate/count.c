/*
 * count.c
 *		dp_count: rows, or rows whose value is not null, with noise.
 *
 * Reads parameters from args.c and noise from random.c; hands a bigint to the executor.  The
 * sensitivity is 1, or what the caller gives who knows how many rows a person owns.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/state.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_count_accum);
PG_FUNCTION_INFO_V1(gaussdp_count_any_accum);
PG_FUNCTION_INFO_V1(gaussdp_count_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_count_serialize);

void
gaussdp_calibrate_count(GaussdpParams *params, double delta, double sensitivity)
{
	gdp_status status;

	status = gdp_noise_calibrate(gaussdp_param(&params->key, GAUSSDP_PARAM_EPSILON), delta,
								 sensitivity, 0, &params->noise[0]);
	if (status == GDP_OK && params->noise[0].exponent < GAUSSDP_MIN_COUNT_EXPONENT)
		status = GDP_OUT_OF_RANGE;
	gaussdp_require_noise(status, &params->key, sensitivity);
	params->ncoords = 1;
	params->sensitivity[0] = sensitivity;
}

void
gaussdp_count_calibrate(GaussdpParams *params)
{
	double sensitivity = gaussdp_rows_or(&params->key, 1);

	if (!(sensitivity > 0 && isfinite(sensitivity)))
		gaussdp_report(GDP_BAD_SENSITIVITY, "l2_sensitivity", sensitivity);
	gaussdp_calibrate_count(params, gaussdp_param(&params->key, GAUSSDP_PARAM_DELTA), sensitivity);
	params->rows = sensitivity;
}

#define ADD_ROW state->n = gaussdp_count_add(state->n, 1)

GAUSSDP_TRANSITION(gaussdp_count_accum, GAUSSDP_COUNT, 1, true, ADD_ROW)
GAUSSDP_TRANSITION(gaussdp_count_any_accum, GAUSSDP_COUNT, 2, !PG_ARGISNULL(1), ADD_ROW)

void
gaussdp_count_weigh(const GaussdpParams *params, GaussdpTotal *total, Datum value, Oid type,
					int64 weight, int64 n)
{
	total->count =
		gaussdp_sum_add(total->count, n * gaussdp_weighted_one(&params->noise[0], weight));
}

/* count_weighted_accum(internal, int8, float8[] [, "any"]) */
Datum
gaussdp_count_weighted_accum(PG_FUNCTION_ARGS)
{
	return gaussdp_weigh_row(fcinfo, GAUSSDP_COUNT, gaussdp_count_weigh);
}

Datum
gaussdp_count_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_serialize(fcinfo, GAUSSDP_COUNT);
}

/* A noisy count in steps of 2^exponent <= 1 -> the nearest integer; saturates.  Half a unit up, then down: the same for every grid. */
static int64
round_count(gdp_int128 total, int exponent)
{
	if (exponent < 0)
		total = gaussdp_sum_add(total, (gdp_int128) 1 << (-exponent - 1)) >> -exponent;
	if (total > PG_INT64_MAX)
		return PG_INT64_MAX;
	return total < PG_INT64_MIN ? PG_INT64_MIN : (int64) total;
}

/* An estimate is not rounded. */
Datum
gaussdp_count_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpState *state = exact;
	const gdp_noise *noise = &state->params->noise[0];

	gaussdp_draw(state, gaussdp_count_of(state, noise));
	if (answer == GAUSSDP_AS_ESTIMATE)
		return gaussdp_estimate_total(type, gdp_grid_value(state->sum, noise->exponent),
									  noise->sigma);
	return Int64GetDatum(round_count(state->sum, noise->exponent));
}
