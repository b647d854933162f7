/*
 * avg.c
 *		dp_avg: a joint release of the sum of centred values and of their number.
 *
 * Reads parameters from args.c and noise from random.c; the transitions stand in sum.c.
 *
 * With c = (lower + upper) / 2 and w = (upper - lower) / 2 a row adds the vector (x - c, 1), so that
 * noise of sigma_s = k w / (mu sqrt(p)) and sigma_n = k / (mu sqrt(1 - p)) is mu-GDP for k rows of one
 * person (docs/mathematics.md).  p = 3/4 keeps the variance within 4/3 of the best split wherever the
 * average lies between the bounds.  The centre itself needs no grid: whatever x - c rounds to, it is
 * clamped to whole grid steps of at most w.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/state.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_avg_serialize);

/* Shares of mu^2. */
#define SHARE_OF_SUM 0.75
#define SHARE_OF_COUNT 0.25

/* Covers the roundings of a product. */
#define ROUND_UP (1 + 0x1p-50)

void
gaussdp_avg_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	gdp_coordinate coords[2];
	double width;
	gdp_status status;

	params->lower = gaussdp_param(key, GAUSSDP_PARAM_LOWER);
	params->upper = gaussdp_param(key, GAUSSDP_PARAM_UPPER);
	gaussdp_check_bounds(params->lower, params->upper);
	params->rows = gaussdp_rows_or(key, 1);
	gaussdp_check_rows(params->rows);

	/* Halved before they meet: no overflow. */
	params->centre = params->lower / 2 + params->upper / 2;
	width = (params->upper / 2 - params->lower / 2) * ROUND_UP;
	coords[0] = (gdp_coordinate){.l2_sensitivity = params->rows * width * ROUND_UP,
								 .share = SHARE_OF_SUM,
								 .max_exponent = gaussdp_max_exponent(width)};
	coords[1] = (gdp_coordinate){
		.l2_sensitivity = params->rows, .share = SHARE_OF_COUNT, .max_exponent = 0};
	params->ncoords = 2;
	params->sensitivity[0] = coords[0].l2_sensitivity;
	params->sensitivity[1] = coords[1].l2_sensitivity;
	params->share[0] = SHARE_OF_SUM;
	params->share[1] = SHARE_OF_COUNT;
	status = gdp_noise_joint(gaussdp_param(key, GAUSSDP_PARAM_EPSILON),
							 gaussdp_param(key, GAUSSDP_PARAM_DELTA), 2, coords, params->noise);
	/* As in dp_count: a shifted count leaves room for the noise. */
	if (status == GDP_OK && params->noise[1].exponent < GAUSSDP_MIN_COUNT_EXPONENT)
		status = GDP_OUT_OF_RANGE;
	gaussdp_require_noise(status, key, params->sensitivity[0]);
	gaussdp_set_clamp(params, -width, width);
}

gdp_int128
gaussdp_avg_add_squares(const GaussdpParams *params, const GaussdpTotal *own, gdp_int128 squares)
{
	static const int quarters[2] = {(int) (4 * SHARE_OF_SUM), (int) (4 * SHARE_OF_COUNT)};
	int64 sizes[2] = {gdp_size_of_sum(own->sum, params->most),
					  gdp_size_of_sum(own->count, gaussdp_steps_of_one(&params->noise[1]))};

	return gdp_squares_add_joint(squares, 2, sizes, quarters);
}

/* To the first order of the ratio's error: an average on a bound is off by the noise of its count, too. */
double
gaussdp_avg_half_width(const GaussdpParams *params, double n)
{
	double width = params->upper / 2 - params->lower / 2;
	double stddev = hypot(params->noise[0].sigma, width * params->noise[1].sigma) / n;

	return fmin(GAUSSDP_Z95 * stddev, width);
}

Datum
gaussdp_avg_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_serialize(fcinfo, GAUSSDP_AVG);
}

void
gaussdp_draw_ratio(GaussdpState *state)
{
	const gdp_noise *noise = state->params->noise;
	gdp_int128 num, den;

	if (state->n == GAUSSDP_RELEASED)
		return;
	num = gaussdp_add_noise(state->sum, &noise[0]);
	den = gaussdp_add_noise(gaussdp_count_of(state, &noise[1]), &noise[1]);
	state->ratio.num = gdp_grid_value(num, noise[0].exponent);
	state->ratio.den = gdp_grid_value(den, noise[1].exponent);
	state->n = GAUSSDP_RELEASED;
}

static GaussdpRatio
ratio_of(const GaussdpState *state)
{
	const GaussdpParams *params = state->params;

	return (GaussdpRatio){.num = state->ratio.num,
						  .num_sd = params->noise[0].sigma,
						  .den = state->ratio.den,
						  .den_sd = params->noise[1].sigma,
						  .centre = params->centre,
						  .lower = params->lower,
						  .upper = params->upper};
}

double
gaussdp_ratio_value(const GaussdpRatio *ratio)
{
	double value = ratio->centre + ratio->num / fmax(ratio->den, 1);

	return fmin(fmax(value, ratio->lower), ratio->upper);
}

Datum
gaussdp_answer_ratio(const GaussdpRatio *ratio, GaussdpAnswer answer, Oid type)
{
	return answer == GAUSSDP_AS_ESTIMATE ? gaussdp_estimate_ratio(type, ratio)
										 : Float8GetDatum(gaussdp_ratio_value(ratio));
}

Datum
gaussdp_avg_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpState *state = exact;
	GaussdpRatio ratio;

	gaussdp_draw_ratio(state);
	ratio = ratio_of(state);
	return gaussdp_answer_ratio(&ratio, answer, type);
}
