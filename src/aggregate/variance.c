/*
 * variance.c
 *		dp_var and dp_stddev: a joint release of count, sum and sum of squares.
 *
 * Reads parameters from args.c and noise from random.c; hands a float8 to the executor.
 *
 * With u = (x - c) / w in [-1, 1], where c and w are the centre and half the width of the bounds, a
 * row adds (1, u, u^2 - 1/2): at most 1, 1 and 1/2 in the three coordinates, for which mu^2 is split
 * 1 : 1 : 2.  Then variance / w^2 = (S2 / N + 1/2) - (S1 / N)^2, clamped to [0, 1]: the mean of the
 * squared distances from the mean, as var_pop computes it.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "aggregate/cells.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_var_serialize);

void
gaussdp_var_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	double rows = gaussdp_rows_or(key, 1), half_width;
	gdp_coordinate coordinates[3] = {
		{.l2_sensitivity = rows, .share = 0.25, .max_exponent = 0},
		{.l2_sensitivity = rows, .share = 0.25, .max_exponent = -10},
		{.l2_sensitivity = rows / 2, .share = 0.5, .max_exponent = -11},
	};
	gdp_status status;

	params->lower = gaussdp_param(key, GAUSSDP_PARAM_LOWER);
	params->upper = gaussdp_param(key, GAUSSDP_PARAM_UPPER);
	gaussdp_check_bounds(params->lower, params->upper);
	gaussdp_check_rows(rows);
	params->rows = rows;
	params->centre = params->lower / 2 + params->upper / 2;
	half_width = params->upper / 2 - params->lower / 2;
	params->scale = 1 / half_width;
	status =
		gdp_noise_joint(gaussdp_param(key, GAUSSDP_PARAM_EPSILON),
						gaussdp_param(key, GAUSSDP_PARAM_DELTA), 3, coordinates, params->noise);
	if (status == GDP_OK &&
		(!isfinite(params->scale) || params->noise[0].exponent < GAUSSDP_MIN_COUNT_EXPONENT))
		status = GDP_OUT_OF_RANGE;
	gaussdp_require_noise(status, key, rows);
	params->ncoords = 3;
	for (int i = 0; i < 3; i++)
	{
		params->sensitivity[i] = coordinates[i].l2_sensitivity;
		params->share[i] = coordinates[i].share;
	}
}

/*
 * With s = S1 / N and m = S2 / N the variance is off, to the first order, by the noises of S2, S1 and N times 1, -2 s and
 * 2 s^2 - m, over N: the most where all values are on a bound, s = 1 and m = 1/2.
 */
double
gaussdp_var_half_width(const GaussdpParams *params, double n)
{
	const gdp_noise *noise = params->noise;
	double width = 1 / params->scale;
	double stddev = hypot(hypot(noise[2].sigma, 2 * noise[1].sigma), 1.5 * noise[0].sigma) / n;

	return fmin(GAUSSDP_Z95 * stddev, 1) * width * width;
}

/* The sum and the sum of squares; the state itself has the count. */
void
gaussdp_var_layout(const GaussdpParams *params, GaussdpLayout *layout)
{
	*layout = (GaussdpLayout){.ncells = 2, .wide = true};
}

void
gaussdp_var_points(const GaussdpParams *params, double x, int64 points[2])
{
	double u = (x - params->centre) * params->scale;

	u = u > -1 ? u : -1;
	u = u < 1 ? u : 1;
	/* The scales are powers of two, so that whole steps at the ends are exact. */
	points[0] = (int64) rint(ldexp(u, -params->noise[1].exponent));
	points[1] = (int64) rint(ldexp(u * u - 0.5, -params->noise[2].exponent));
}

/* Adds a value that is not null; NaN is nobody's value. */
static void
add_value(GaussdpCells *cells, double x)
{
	int64 points[2];

	if (isnan(x))
		return;
	gaussdp_var_points(cells->params, x, points);
	cells->n = gaussdp_count_add(cells->n, 1);
	cells->sums[0] += points[0];
	cells->sums[1] += points[1];
}

#define TRANSITION(type, value)                                                                    \
	PG_FUNCTION_INFO_V1(gaussdp_var_##type##_accum);                                               \
	Datum gaussdp_var_##type##_accum(PG_FUNCTION_ARGS)                                             \
	{                                                                                              \
		GaussdpCells *cells = gaussdp_cells_for_row(fcinfo, GAUSSDP_VAR);                          \
                                                                                                   \
		if (!PG_ARGISNULL(1))                                                                      \
			add_value(cells, value);                                                               \
		PG_RETURN_POINTER(cells);                                                                  \
	}

GAUSSDP_FOR_EACH_TYPE(TRANSITION)

void
gaussdp_var_weigh(const GaussdpParams *params, GaussdpTotal *total, Datum value, Oid type,
				  int64 weight, int64 n)
{
	double x = gaussdp_number_of(value, type);
	int64 points[2];

	if (isnan(x))
		return;
	gaussdp_var_points(params, x, points);
	total->sum = gaussdp_sum_add(total->sum, n * gdp_weigh(points[0], weight));
	total->count =
		gaussdp_sum_add(total->count, n * gaussdp_weighted_one(&params->noise[0], weight));
	total->squares = gaussdp_sum_add(total->squares, n * gdp_weigh(points[1], weight));
}

/* The most that a row adds: one row, 1 and 1/2, in steps of each grid. */
gdp_int128
gaussdp_var_add_squares(const GaussdpParams *params, const GaussdpTotal *own, gdp_int128 squares)
{
	static const int quarters[3] = {1, 1, 2};
	const gdp_noise *noise = params->noise;
	int64 sizes[3] = {gdp_size_of_sum(own->count, gaussdp_steps_of_one(&noise[0])),
					  gdp_size_of_sum(own->sum, gaussdp_steps_of_one(&noise[1])),
					  gdp_size_of_sum(own->squares, gaussdp_steps_of_one(&noise[2]) / 2)};

	return gdp_squares_add_joint(squares, 3, sizes, quarters);
}

Datum
gaussdp_var_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_VAR);
}

/* The noisy sums take the place of the exact ones. */
static void
draw(GaussdpCells *cells, GaussdpMoments *moments)
{
	const GaussdpParams *params = cells->params;
	const gdp_noise *noise = params->noise;
	double *noisy = (double *) cells->sums;

	if (!cells->released)
	{
		gdp_int128 exact[3] = {gaussdp_cells_count_of(cells, &noise[0]), cells->sums[0],
							   cells->sums[1]};

		for (int i = 0; i < 3; i++)
			exact[i] = gaussdp_add_noise(exact[i], &noise[i]);
		cells->sums[0] = cells->sums[1] = 0;
		for (int i = 0; i < 3; i++)
			noisy[i] = gdp_grid_value(exact[i], noise[i].exponent);
		cells->n = 0;
		cells->count = 0;
		cells->released = true;
	}
	*moments = (GaussdpMoments){.count = noisy[0],
								.count_sd = noise[0].sigma,
								.sum = noisy[1],
								.sum_sd = noise[1].sigma,
								.squares = noisy[2],
								.squares_sd = noise[2].sigma,
								.lower = params->lower,
								.upper = params->upper};
}

Datum
gaussdp_var_release(void *exact, GaussdpAnswer answer, Oid type)
{
	const GaussdpParams *params = ((GaussdpCells *) exact)->params;
	double half_width = params->upper / 2 - params->lower / 2, part;
	GaussdpMoments moments;

	draw(exact, &moments);
	if (answer >= GAUSSDP_AS_ESTIMATE)
		return gaussdp_estimate_variance(type, &moments, answer == GAUSSDP_AS_ROOT_ESTIMATE);
	part = gaussdp_moments_variance(&moments);
	if (answer == GAUSSDP_AS_ROOT)
		return Float8GetDatum(sqrt(part) * half_width);
	return Float8GetDatum(fmin(part * half_width * half_width, DBL_MAX));
}
