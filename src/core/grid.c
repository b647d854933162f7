/*
 * grid.c
 *		Grid, noise parameters and the way back from exact sums to doubles.
 *
 * Reads from mechanism.c and profile.c; hands integers to dgauss.c and to the aggregates.
 *
 * The grid
 *		2^exponent is the largest power of two with sigma >= 2^30 and l2_sensitivity >= 2^10 steps,
 *		and no larger than the caller allows.  It depends on public parameters only.
 *
 * The padding
 *		With s = sigma_int, mu = D/s and x2 = epsilon/mu + mu/2, where D is the sensitivity in steps, the
 *		discrete profile is at most delta_mu(epsilon) (1 + eta), eta = 0.182 (x2^2 + 3)/s^2, and the
 *		discrete mechanism is mu (1 + kappa)-GDP with
 *			kappa = 0.2 (mu^2/4 + 3) erf(mu/(2 sqrt2)) / (mu phi(mu/2) s^2)	while that is at most 0.01
 *		(docs/mathematics.md has the proof).  So s is raised by kappa and one step more; the step is
 *		2^-41 or more of s and covers the rounding of everything computed here in doubles.  Beyond
 *		mu = 13 kappa begins to cost noise; there a single release is calibrated for
 *		delta/(1 + eta) instead, and a joint one by zero-concentrated privacy, which holds for the
 *		discrete Gaussian without any excess.
 */
#include <float.h>
#include <math.h>

#include "core.h"
#include "domain.h"

#define SQRT1_2 0.70710678118654752440
#define SQRT_2PI 2.50662827463100050242

#define MU_PADDED 13.0     /* up to here kappa is below 3e-9 */
#define KAPPA_LIMIT 0.01   /* the bound on kappa is proven below this */
#define EXPONENT_MIN -1022 /* so that 2^-exponent is finite, and 2^exponent normal */

/* log2 of s's least value, and of the least sensitivity in steps. */
#define SIGMA_BITS 30
#define SENSITIVITY_BITS 10

/* The largest e with 2^e <= x, for x > 0. */
static int
floor_log2(double x)
{
	int exponent;

	frexp(x, &exponent);
	return exponent - 1;
}

/* The relative excess of a discrete coordinate's mu over the continuous one's; infinite for large mu. */
static double
gdp_excess(double mu, double s)
{
	double density = exp(-mu * mu / 8) / SQRT_2PI;

	return 0.2 * (mu * mu / 4 + 3) * erf(0.5 * SQRT1_2 * mu) / (mu * density) / s / s;
}

/* Puts a continuous sigma on the grid and raises it by a part `excess` of itself and one step. */
static gdp_status
put_on_grid(double sigma, double l2_sensitivity, int max_exponent, double excess, gdp_noise *noise)
{
	int exponent = floor_log2(sigma) - SIGMA_BITS,
		sensitivity_exponent = floor_log2(l2_sensitivity) - SENSITIVITY_BITS;
	double s;

	if (exponent > sensitivity_exponent)
		exponent = sensitivity_exponent;
	if (exponent > max_exponent)
		exponent = max_exponent;
	if (exponent < EXPONENT_MIN)
		return GDP_OUT_OF_RANGE;
	if (!(ldexp(l2_sensitivity, -exponent) <= (double) GDP_GRID_POINT_MAX))
		return GDP_OUT_OF_RANGE;

	s = ldexp(sigma, -exponent);
	s = ceil(s * (1 + excess)) + 1;
	if (!(s < (double) GDP_SIGMA_INT_LIMIT))
		return GDP_OUT_OF_RANGE;
	noise->sigma_int = (int64_t) s;
	noise->exponent = exponent;
	noise->sigma = ldexp(s, exponent);
	return noise->sigma <= DBL_MAX ? GDP_OK : GDP_OUT_OF_RANGE;
}

gdp_status
gdp_noise_calibrate(double epsilon, double delta, double l2_sensitivity, int max_exponent,
					gdp_noise *noise)
{
	gdp_noise result;
	double sigma, mu;
	gdp_status status;

	GDP_CHECK(1, EPSILON, epsilon);
	status = gdp_optimal_sigma(epsilon, delta, l2_sensitivity, &sigma);
	if (status != GDP_OK)
		return status;
	mu = l2_sensitivity / sigma;
	if (mu <= MU_PADDED)
		status = put_on_grid(sigma, l2_sensitivity, max_exponent,
							 gdp_excess(mu, (double) GDP_SIGMA_INT_MIN), &result);
	else
	{
		double x2 = epsilon / mu + mu / 2, s = (double) GDP_SIGMA_INT_MIN,
			   eta = 0.2 * (x2 * x2 + 3) / s / s;

		/* 0.2 instead of 0.182 covers what the smaller delta changes in mu. */
		delta = nextafter(delta - delta * eta, 0);
		if (!(eta <= KAPPA_LIMIT) || !(delta > 0))
			return GDP_OUT_OF_RANGE;
		status = gdp_optimal_sigma(epsilon, delta, l2_sensitivity, &sigma);
		if (status == GDP_OK)
			status = put_on_grid(sigma, l2_sensitivity, max_exponent, 0, &result);
	}
	if (status == GDP_OK)
		*noise = result;
	return status;
}

gdp_status
gdp_noise_coordinate(double mu_total, double sigma, double l2_sensitivity, int max_exponent,
					 gdp_noise *noise)
{
	gdp_noise result;
	gdp_status status;
	double excess;

	GDP_CHECK(1, MU, mu_total);
	GDP_CHECK(2, SIGMA, sigma);
	GDP_CHECK(3, SENSITIVITY, l2_sensitivity);
	if (!(l2_sensitivity / sigma <= mu_total * (1 + 0x1p-44)))
		return gdp_blame(GDP_BAD_MU, 1);
	excess = gdp_excess(mu_total, (double) GDP_SIGMA_INT_MIN);
	if (!(excess <= KAPPA_LIMIT))
		return GDP_OUT_OF_RANGE;
	status = put_on_grid(sigma, l2_sensitivity, max_exponent, excess, &result);
	if (status == GDP_OK)
		*noise = result;
	return status;
}

gdp_status
gdp_joint_mu(double epsilon, double delta, double *mu, bool *by_gdp)
{
	gdp_status status;
	double value, log_term;

	GDP_CHECK(1, EPSILON, epsilon);
	status = gdp_profile_mu(epsilon, delta, &value);
	if (status != GDP_OK)
		return status;
	*by_gdp = value <= MU_PADDED;
	if (!*by_gdp)
	{
		/* epsilon = rho + 2 sqrt(rho ln(1/delta)), solved for mu = sqrt(2 rho) */
		log_term = sqrt(-log(delta));
		value = 2 * SQRT1_2 * epsilon / (sqrt(log_term * log_term + epsilon) + log_term);
		value -= value * 0x1p-48;
	}
	*mu = value;
	return GDP_OK;
}

gdp_status
gdp_noise_joint(double epsilon, double delta, int n, const gdp_coordinate *coordinates,
				gdp_noise *noise)
{
	double mu;
	bool by_gdp;
	gdp_noise scratch;
	gdp_status status = gdp_joint_mu(epsilon, delta, &mu, &by_gdp);

	/* The first round only looks. */
	for (int i = 0; i < 2 * n && status == GDP_OK; i++)
	{
		const gdp_coordinate *at = &coordinates[i % n];
		gdp_noise *result = i < n ? &scratch : &noise[i - n];
		double sigma;

		GDP_REQUIRE(gdp_in_domain(GDP_BAD_SENSITIVITY, at->l2_sensitivity),
					gdp_blame_element(GDP_BAD_SENSITIVITY, 3, (size_t) (i % n)));
		sigma = at->l2_sensitivity / (mu * sqrt(at->share));
		if (!(sigma > 0 && sigma <= DBL_MAX))
			return GDP_OUT_OF_RANGE;
		if (by_gdp)
			status = gdp_noise_coordinate(mu, sigma, at->l2_sensitivity, at->max_exponent, result);
		else
			status = put_on_grid(sigma, at->l2_sensitivity, at->max_exponent, 0, result);
	}
	return status;
}

gdp_status
gdp_grid_bound(double bound, int exponent, int64_t *point)
{
	double steps = ldexp(bound, -exponent);

	if (!(fabs(steps) <= (double) GDP_GRID_POINT_MAX))
		return GDP_OUT_OF_RANGE;
	*point = (int64_t) steps;
	return GDP_OK;
}

double
gdp_grid_value(gdp_int128 total, int exponent)
{
	__extension__ typedef unsigned __int128 uint128;
	bool negative = total < 0;
	uint128 magnitude = negative ? -(uint128) total : (uint128) total, kept, rest;
	uint64_t high = (uint64_t) (magnitude >> 64);
	int bits, drop;
	double value;

	if (magnitude == 0)
		return 0;
	bits = high ? 128 - __builtin_clzll(high) : 64 - __builtin_clzll((uint64_t) magnitude);

	/* Bits below the last one that the result has room for, be it normal or subnormal. */
	drop = bits - DBL_MANT_DIG;
	if (drop < DBL_MIN_EXP - DBL_MANT_DIG - exponent)
		drop = DBL_MIN_EXP - DBL_MANT_DIG - exponent;
	if (drop > bits)
		return negative ? -0.0 : 0;
	if (drop <= 0)
		value = ldexp((double) magnitude, exponent);
	else
	{
		kept = drop < 128 ? magnitude >> drop : 0;
		rest = magnitude - (drop < 128 ? kept << drop : 0);
		if (rest > (uint128) 1 << (drop - 1) ||
			(rest == (uint128) 1 << (drop - 1) && (kept & 1) == 1))
			kept++;
		value = ldexp((double) kept, exponent + drop);
	}
	if (value > DBL_MAX)
		value = DBL_MAX;
	return negative ? -value : value;
}
