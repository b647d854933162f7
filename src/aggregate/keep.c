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

#include <math.h>

#include "aggregate/state.h"
#include "report.h"

PG_FUNCTION_INFO_V1(dp_keep_group_accum);
PG_FUNCTION_INFO_V1(dp_keep_group_serialize);
PG_FUNCTION_INFO_V1(dp_keep_group_final);

/* More than the quantiles and the roundings here err by. */
#define ROUND_UP (1 + 1e-12)

void
gaussdp_keep_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	double delta = gaussdp_param_value(key, 1) / 2, sigma, row, most;

	params->rows = key->nparams == 3 ? gaussdp_param_value(key, 2) : 1;
	gaussdp_check_rows(params->rows);
	params->threshold_delta = delta;
	gaussdp_calibrate_count(params, delta, params->rows);

	sigma = (double) params->noise[0].sigma_int;
	row = ldexp(1, -params->noise[0].exponent);
	most = fmax(params->rows * row + sigma * gdp_norm_upper_quantile(delta) * ROUND_UP,
				row + sigma * gdp_norm_upper_quantile(delta / params->rows) * ROUND_UP);
	params->threshold = (gdp_int128) ceil(most * ROUND_UP) + 1;
}

double
gaussdp_keep_delta(const GaussdpParams *params, double rows)
{
	double sigma = (double) params->noise[0].sigma_int, row = ldexp(1, -params->noise[0].exponent),
		   above = (double) params->threshold - 1, together = (above - rows * row) / sigma,
		   apart = (above - row) / sigma;

	if (rows <= params->rows)
		return params->threshold_delta;
	if (!(together > 0))
		return 1; /* where the normal tail is not convex nothing is proven */
	return fmin(fmax(gdp_norm_sf(together), rows * gdp_norm_sf(apart)) * ROUND_UP, 1);
}

Datum
dp_keep_group_accum(PG_FUNCTION_ARGS)
{
	GaussdpState *state = gaussdp_state_for_row(fcinfo, GAUSSDP_KEEP_GROUP, 1);

	state->n = gaussdp_count_add(state->n, 1);
	PG_RETURN_POINTER(state);
}

Datum
dp_keep_group_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_serialize(fcinfo, GAUSSDP_KEEP_GROUP);
}

Datum
dp_keep_group_final(PG_FUNCTION_ARGS)
{
	GaussdpState *state = gaussdp_state_to_release(fcinfo, GAUSSDP_KEEP_GROUP);

	gaussdp_release(state, gdp_grid_total(state->n, state->params->noise[0].exponent));
	PG_RETURN_BOOL(state->sum > state->params->threshold);
}
