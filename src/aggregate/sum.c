/*
 * sum.c
 *		dp_sum: the sum of values clamped to bounds, with noise; and the transitions that averages
 *		share with it.
 *
 * Reads parameters from args.c and noise from random.c; hands a float8 to the executor.  Each value
 * is clamped, put on the grid and added as an integer, so that the sum is exact: it depends on
 * neither the order of the rows nor the plan, and one row moves it by at most its own clamp.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/state.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_sum_int2_accum);
PG_FUNCTION_INFO_V1(gaussdp_sum_int4_accum);
PG_FUNCTION_INFO_V1(gaussdp_sum_int8_accum);
PG_FUNCTION_INFO_V1(gaussdp_sum_float4_accum);
PG_FUNCTION_INFO_V1(gaussdp_sum_float8_accum);
PG_FUNCTION_INFO_V1(gaussdp_sum_numeric_accum);
PG_FUNCTION_INFO_V1(gaussdp_avg_int2_accum);
PG_FUNCTION_INFO_V1(gaussdp_avg_int4_accum);
PG_FUNCTION_INFO_V1(gaussdp_avg_int8_accum);
PG_FUNCTION_INFO_V1(gaussdp_avg_float4_accum);
PG_FUNCTION_INFO_V1(gaussdp_avg_float8_accum);
PG_FUNCTION_INFO_V1(gaussdp_avg_numeric_accum);
PG_FUNCTION_INFO_V1(gaussdp_sum_serialize);

void
gaussdp_sum_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	double low, high, magnitude;
	gdp_status status;

	params->rows = gaussdp_rows_or(key, 1);
	if (!key->weighted)
		gaussdp_check_rows(params->rows);
	if (gaussdp_has_param(key, GAUSSDP_PARAM_L2_SENSITIVITY))
	{
		high = gaussdp_param(key, GAUSSDP_PARAM_L2_SENSITIVITY);
		low = -high;
		if (!(high > 0 && isfinite(high)))
			gaussdp_report(GDP_BAD_SENSITIVITY, "l2_sensitivity", high);
	}
	else
	{
		low = gaussdp_param(key, GAUSSDP_PARAM_LOWER);
		high = gaussdp_param(key, GAUSSDP_PARAM_UPPER);
		gaussdp_check_bounds(low, high);
	}
	magnitude = fmax(fabs(low), fabs(high));
	params->ncoords = 1;
	params->share[0] = 1;
	params->sensitivity[0] =
		params->rows == 1 ? magnitude : nextafter(params->rows * magnitude, INFINITY);
	status = gdp_noise_calibrate(gaussdp_param(key, GAUSSDP_PARAM_EPSILON),
								 gaussdp_param(key, GAUSSDP_PARAM_DELTA), params->sensitivity[0],
								 gaussdp_max_exponent(magnitude), &params->noise[0]);
	gaussdp_require_noise(status, key, params->sensitivity[0]);
	gaussdp_set_clamp(params, low, high);
}

/* Adds a number. */
static pg_attribute_always_inline void
add_number(GaussdpState *state, double x, double centre)
{
	const GaussdpParams *p = state->params;

	state->sum += gdp_grid_point(x, centre, p->scale, p->low, p->high);
	state->n = gaussdp_count_add(state->n, 1);
}

/* NaN is nobody's value and counts for nothing. */
static pg_attribute_always_inline void
add_value(GaussdpState *state, double x, double centre)
{
	if (likely(!isnan(x)))
		add_number(state, x, centre);
}

/* One transition for each kind and type; a centre of 0 is left out by the compiler. */
#define SUM(type, ADD, value)                                                                      \
	GAUSSDP_TRANSITION(gaussdp_sum_##type##_accum, GAUSSDP_SUM, 2, !PG_ARGISNULL(1),               \
					   ADD(state, value, 0))
#define AVG(type, ADD, value)                                                                      \
	GAUSSDP_TRANSITION(gaussdp_avg_##type##_accum, GAUSSDP_AVG, 2, !PG_ARGISNULL(1),               \
					   ADD(state, value, state->params->centre))

SUM(int2, add_number, PG_GETARG_INT16(1))
SUM(int4, add_number, PG_GETARG_INT32(1))
SUM(int8, add_number, (double) PG_GETARG_INT64(1))
SUM(float4, add_value, PG_GETARG_FLOAT4(1))
SUM(float8, add_value, PG_GETARG_FLOAT8(1))
SUM(numeric, add_value, gaussdp_numeric_to_double(PG_GETARG_DATUM(1)))
AVG(int2, add_number, PG_GETARG_INT16(1))
AVG(int4, add_number, PG_GETARG_INT32(1))
AVG(int8, add_number, (double) PG_GETARG_INT64(1))
AVG(float4, add_value, PG_GETARG_FLOAT4(1))
AVG(float8, add_value, PG_GETARG_FLOAT8(1))
AVG(numeric, add_value, gaussdp_numeric_to_double(PG_GETARG_DATUM(1)))

/* The grid point of a number; the centre of a sum is 0. */
static inline int64
point_of(const GaussdpParams *p, double x)
{
	return gdp_grid_point(x, p->centre, p->scale, p->low, p->high);
}

void
gaussdp_sum_weigh(const GaussdpParams *params, GaussdpTotal *total, Datum value, Oid type,
				  int64 weight, int64 n)
{
	double x = gaussdp_number_of(value, type);

	if (!isnan(x))
		total->sum = gaussdp_sum_add(total->sum, n * gdp_weigh(point_of(params, x), weight));
}

void
gaussdp_avg_weigh(const GaussdpParams *params, GaussdpTotal *total, Datum value, Oid type,
				  int64 weight, int64 n)
{
	double x = gaussdp_number_of(value, type);

	if (isnan(x))
		return;
	total->sum = gaussdp_sum_add(total->sum, n * gdp_weigh(point_of(params, x), weight));
	total->count =
		gaussdp_sum_add(total->count, n * gaussdp_weighted_one(&params->noise[1], weight));
}

gdp_int128
gaussdp_sum_add_squares(const GaussdpParams *params, const GaussdpTotal *own, gdp_int128 squares)
{
	int64 size = gdp_size_of_sum(own->sum, params->most);

	return gdp_squares_add(squares, size, size);
}

Datum
gaussdp_sum_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_serialize(fcinfo, GAUSSDP_SUM);
}

Datum
gaussdp_sum_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpState *state = exact;
	const gdp_noise *noise = &state->params->noise[0];
	double value;

	gaussdp_draw(state, state->sum);
	value = gdp_grid_value(state->sum, noise->exponent);
	return answer == GAUSSDP_AS_ESTIMATE ? gaussdp_estimate_total(type, value, noise->sigma)
										 : Float8GetDatum(value);
}
