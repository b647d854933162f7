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
 *
 * Weighted, where people own many rows, a person of g groups adds at most 1/sqrt(g) to each of them, g being at
 * most max_groups, G; the groups are as many as they are.  Some of g groups passes tau with a probability
 * of at most g Q((tau - 1/sqrt(g)) / sigma), and 1/sqrt(g) + sigma z(delta_T / g) first falls and then rises
 * in g while delta_T is at most 1/4 (its derivative has the sign of sigma sqrt(g) Q(z)/phi(z) - 1/2, and the
 * logarithm of that product grows where z Q(z)/phi(z) >= 1/2, so from z(1/4) on).  Its largest value is at an
 * end, and the threshold is
 *		max(1 + sigma z(delta_T), 1/sqrt(G) + sigma z(delta_T / G)) + one grid step.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "aggregate/state.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_keep_group_accum);
PG_FUNCTION_INFO_V1(gaussdp_keep_group_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_keep_group_serialize);

/* More than the quantiles and the roundings here err by. */
#define ROUND_UP (1 + 1e-12)

/* What is proven of weighted groups is proven up to here. */
#define MAX_WEIGHTED_DELTA 0.25

/* One row in grid steps. */
static double
row_in_steps(const GaussdpParams *params)
{
	return ldexp(1, -params->noise[0].exponent);
}

/* The threshold: above `most` steps by one, which the discrete Gaussian may exceed the normal law by. */
static void
set_threshold(GaussdpParams *params, double most)
{
	gaussdp_require_noise(most < 0x1p100 ? GDP_OK : GDP_OUT_OF_RANGE, &params->key,
						  params->sensitivity[0]);
	params->threshold = (gdp_int128) ceil(most * ROUND_UP) + 1;
}

static void
calibrate_weighted(GaussdpParams *params)
{
	double groups = gaussdp_param(&params->key, GAUSSDP_PARAM_MAX_GROUPS);
	double half = gaussdp_param(&params->key, GAUSSDP_PARAM_DELTA) / 2, sigma, row;
	double delta = fmin(half, MAX_WEIGHTED_DELTA);

	params->rows = 1;
	params->threshold_delta = delta;
	gaussdp_calibrate_count(params, half, 1);
	sigma = (double) params->noise[0].sigma_int;
	row = row_in_steps(params);
	set_threshold(params, fmax(row + sigma * gdp_norm_upper_quantile(delta) * ROUND_UP,
							   row / sqrt(groups) +
								   sigma * gdp_norm_upper_quantile(delta / groups) * ROUND_UP));
}

void
gaussdp_keep_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	double delta = gaussdp_param(key, GAUSSDP_PARAM_DELTA) / 2, sigma, row;

	if (key->weighted)
	{
		calibrate_weighted(params);
		return;
	}
	params->rows = gaussdp_rows_or(key, 1);
	gaussdp_check_rows(params->rows);
	params->threshold_delta = delta;
	gaussdp_calibrate_count(params, delta, params->rows);

	sigma = (double) params->noise[0].sigma_int;
	row = row_in_steps(params);
	set_threshold(params,
				  fmax(params->rows * row + sigma * gdp_norm_upper_quantile(delta) * ROUND_UP,
					   row + sigma * gdp_norm_upper_quantile(delta / params->rows) * ROUND_UP));
}

/*
 * With what probability, at most, the noisy rows of some group of one person reach one step more than
 * `above` steps, whatever groups the person's `rows` rows make; rounded up.
 */
static double
delta_above(const GaussdpParams *params, double above, double rows)
{
	double sigma = (double) params->noise[0].sigma_int, row = row_in_steps(params),
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

/*
 * The extreme cases of one person's weighted groups: how many they are, and how much of a row weighs in each.
 *
 * Rows weigh at most k in a group, in however many.  People weigh min(1, k / sqrt(g)) in each of their g groups:
 * up to g = k^2 as much in each, so that more groups are worse; from there on the worst is at an end, as for
 * the threshold above.
 */
typedef struct Extremes
{
	double groups[2];
	double weight[2];
} Extremes;

static Extremes
extremes_of(double k, bool people, double max_groups)
{
	double whole = fmin(fmax(k * k * ROUND_UP, 1), max_groups);

	if (!people)
		return (Extremes){{max_groups, max_groups}, {k, k}};
	return (Extremes){{whole, max_groups}, {fmin(1, k), fmin(1, k / sqrt(max_groups) * ROUND_UP)}};
}

double
gaussdp_weighted_hiding_delta(const GaussdpParams *params, bool people, double max_groups,
							  double least)
{
	Extremes at = extremes_of(params->rows, people, max_groups);
	double sigma = (double) params->noise[0].sigma_int, row = row_in_steps(params), delta = 0;

	/* Rounding and steps as in gaussdp_count_hiding_delta. */
	for (int i = 0; i < 2; i++)
		delta = fmax(delta,
					 at.groups[i] * gdp_norm_sf(((least - 0.5 - at.weight[i]) * row - 2) / sigma));
	delta = delta * ROUND_UP + DBL_MIN;
	return delta <= (people ? MAX_WEIGHTED_DELTA : 1) ? delta : 1;
}

double
gaussdp_weighted_hiding_least(const GaussdpParams *params, bool people, double max_groups)
{
	Extremes at = extremes_of(params->rows, people, max_groups);
	double delta = gaussdp_param(&params->key, GAUSSDP_PARAM_DELTA);
	double sigma = params->noise[0].sigma, least = 1;

	for (int i = 0; i < 2; i++)
		least = fmax(least,
					 at.weight[i] + sigma * gdp_norm_upper_quantile(
												(people ? fmin(delta, MAX_WEIGHTED_DELTA) : delta) /
												at.groups[i]));
	least = floor(least);
	while (least > 1 &&
		   gaussdp_weighted_hiding_delta(params, people, max_groups, least - 1) <= delta)
		least--;
	while (least < GAUSSDP_MAX_PACKED_INTEGER &&
		   !(gaussdp_weighted_hiding_delta(params, people, max_groups, least) <= delta))
		least = ceil(least * ROUND_UP + 0.5);
	return least;
}

/* keep_group_weighted_accum(internal, int8, float8[]) */
Datum
gaussdp_keep_group_weighted_accum(PG_FUNCTION_ARGS)
{
	return gaussdp_weigh_row(fcinfo, GAUSSDP_KEEP_GROUP, gaussdp_count_weigh);
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
gaussdp_keep_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpState *state = exact;

	gaussdp_draw(state, gaussdp_count_of(state, &state->params->noise[0]));
	return BoolGetDatum(state->sum > state->params->threshold);
}
