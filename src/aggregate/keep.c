/*
 * keep.c
 *		dp_keep_group: may this group be shown at all?
 *
 * Reads parameters from args.c and noise from random.c; hands a boolean to the executor, for HAVING.
 *
 * The presence of a group in an answer tells that somebody is in it.  A group is kept if its noisy
 * number of rows exceeds a threshold that the groups of one person alone exceed with a probability of at most
 * delta_T, all of them together.  One person's k rows make one group of k rows, k groups of one row, or
 * something in between; a normal tail is convex where it matters, so that one of the two extremes is the
 * worst, and the threshold is
 *		max(k + sigma z(delta_T), 1 + sigma z(delta_T / k)) + one grid step,
 * z(p) being the upper-tail quantile; the step is what the discrete Gaussian's tail may exceed the
 * normal one by.  delta is split in halves: one for the noise, one for delta_T.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "aggregate/state.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_keep_group_accum);
PG_FUNCTION_INFO_V1(gaussdp_keep_group_serialize);
PG_FUNCTION_INFO_V1(gaussdp_keep_group_final);

/* More than the quantiles and the roundings here err by. */
#define ROUND_UP (1 + 1e-12)

void
gaussdp_keep_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	double delta = gaussdp_param(key, GAUSSDP_PARAM_DELTA) / 2, sigma, row, most;

	params->rows = gaussdp_param_or(key, GAUSSDP_PARAM_MAX_ROWS, 1);
	gaussdp_check_rows(params->rows);
	params->threshold_delta = delta;
	gaussdp_calibrate_count(params, delta, params->rows);

	sigma = (double) params->noise[0].sigma_int;
	row = ldexp(1, -params->noise[0].exponent);
	most = fmax(params->rows * row + sigma * gdp_norm_upper_quantile(delta) * ROUND_UP,
				row + sigma * gdp_norm_upper_quantile(delta / params->rows) * ROUND_UP);
	params->threshold = (gdp_int128) ceil(most * ROUND_UP) + 1;
}

/*
 * With what probability, at most, the noisy rows of some group of one person reach one step more than
 * `above` steps, whatever groups the person's `rows` rows make; rounded up.
 */
static double
delta_above(const GaussdpParams *params, double above, double rows)
{
	double sigma = (double) params->noise[0].sigma_int, row = ldexp(1, -params->noise[0].exponent),
		   together = (above - rows * row) / sigma, apart = (above - row) / sigma;

	if (!(together > 0))
		return 1; /* where the normal tail is not convex nothing is proven */
	return fmin(fmax(gdp_norm_sf(together), rows * gdp_norm_sf(apart)) * ROUND_UP + DBL_MIN, 1);
}

double
gaussdp_keep_delta(const GaussdpParams *params, double rows)
{
	if (rows <= params->rows)
		return params->threshold_delta;
	return delta_above(params, (double) params->threshold - 1, rows);
}

/* A count is rounded: it is `least` already half a row below that.  Two steps as in the threshold. */
double
gaussdp_count_hiding_delta(const GaussdpParams *params, double rows, double least)
{
	return delta_above(params, (least - 0.5) * ldexp(1, -params->noise[0].exponent) - 2, rows);
}

double
gaussdp_count_hiding_least(const GaussdpParams *params, double rows)
{
	double delta = gaussdp_param(&params->key, GAUSSDP_PARAM_DELTA), sigma = params->noise[0].sigma,
		   least;

	least = fmax(rows + sigma * gdp_norm_upper_quantile(delta),
				 1 + sigma * gdp_norm_upper_quantile(delta / rows));
	least = fmax(floor(least), 1);
	while (least < GAUSSDP_MAX_PACKED_INTEGER &&
		   !(gaussdp_count_hiding_delta(params, rows, least) <= delta))
		least = ceil(least * ROUND_UP + 0.5);
	return least;
}

Datum
gaussdp_keep_group_accum(PG_FUNCTION_ARGS)
{
	GaussdpState *state = gaussdp_state_for_row(fcinfo, GAUSSDP_KEEP_GROUP, 1);

	state->n = gaussdp_count_add(state->n, 1);
	PG_RETURN_POINTER(state);
}

Datum
gaussdp_keep_group_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_serialize(fcinfo, GAUSSDP_KEEP_GROUP);
}

Datum
gaussdp_keep_group_final(PG_FUNCTION_ARGS)
{
	GaussdpState *state = gaussdp_state_to_release(fcinfo, GAUSSDP_KEEP_GROUP);

	gaussdp_release(state, gdp_grid_total(state->n, state->params->noise[0].exponent));
	PG_RETURN_BOOL(state->sum > state->params->threshold);
}
