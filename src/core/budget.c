/*
 * budget.c
 *		Budgets in integers: costs rounded up, limits rounded down.
 *
 * Used by the ledger and by whoever charges it.  Source: the filter of Gaussian differential privacy,
 * sum of mu_i^2 <= mu^2 (Smith and Thakurta 2022, arXiv 2210.17520), which covers mechanisms and mu_i
 * that are chosen in the light of earlier answers: composition as of Dong, Roth and Su 2022 fixes the
 * mu_i in advance.  Kept in units of 2^-52; see core.h for the bounds.
 *
 * Exactness: a * a is hi + lo with lo from fma, both multiples of a common unit; scaling by 2^52 is
 * exact in range, and the rounding to an integer looks at both.
 */
#include "core.h"
#include "domain.h"

#include <math.h>

#define MU2_SCALE 4503599627370496.0      /* 2^52 */
#define DELTA_SCALE 4611686018427387904.0 /* 2^62 */
#define TWO_63 9223372036854775808.0

/* ceil of hi + lo >= 0, where |lo| is at most half a unit in the last place of hi */
static gdp_status
ceil_units(double hi, double lo, int64_t *units)
{
	double whole = ceil(hi);
	int64_t result;

	if (!(whole < TWO_63))
		return GDP_OUT_OF_RANGE;
	result = (int64_t) whole;

	/* Where hi has a fraction, lo cannot carry it past ceil(hi) but may not be below it by 1 either. */
	if (whole == hi && lo > 0.0)
		result += (int64_t) ceil(lo);
	if (result < 1)
		result = 1;
	*units = result;
	return GDP_OK;
}

gdp_status
gdp_mu2_cost(double l2_sensitivity, double sigma, int64_t *mu2)
{
	double mu;
	double square;

	GDP_CHECK(1, SENSITIVITY, l2_sensitivity);
	GDP_CHECK(2, SIGMA, sigma);

	/* The quotient is within half a unit in the last place: exact where its residual is 0, else next up. */
	mu = l2_sensitivity / sigma;
	if (!(mu < 64.0))
		return GDP_OUT_OF_RANGE;
	if (!(mu > 0x1p-200 && l2_sensitivity > 0x1p-800 && fma(mu, sigma, -l2_sensitivity) >= 0.0))
		mu = nextafter(mu, INFINITY);
	square = mu * mu;
	return ceil_units(square * MU2_SCALE, fma(mu, mu, -square) * MU2_SCALE, mu2);
}

gdp_status
gdp_mu2_units(double mu_squared, int64_t *mu2)
{
	GDP_CHECK(1, MU, mu_squared);
	return ceil_units(mu_squared * MU2_SCALE, 0.0, mu2);
}

gdp_status
gdp_mu2_limit(double mu, int64_t *mu2)
{
	double hi;
	double lo;
	double whole;

	GDP_CHECK(1, MU, mu);
	hi = mu * mu;
	lo = fma(mu, mu, -hi) * MU2_SCALE;
	hi *= MU2_SCALE;
	whole = floor(hi);
	if (!(whole < TWO_63))
		return GDP_OUT_OF_RANGE;
	*mu2 = (int64_t) whole;
	if (whole == hi && lo < 0.0 && *mu2 > 0)
		*mu2 += (int64_t) floor(lo);
	return GDP_OK;
}

gdp_status
gdp_delta_cost(double delta, int64_t *units)
{
	GDP_CHECK(1, DELTA_OR_ZERO, delta);
	*units = (int64_t) ceil(delta * DELTA_SCALE);
	return GDP_OK;
}

gdp_status
gdp_delta_limit(double delta, int64_t *units)
{
	GDP_CHECK(1, DELTA_OR_ZERO, delta);
	*units = (int64_t) floor(delta * DELTA_SCALE);
	return GDP_OK;
}

int64_t
gdp_spent_add(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

double
gdp_mu2_mu_up(int64_t mu2)
{
	/* The conversion and the root each round to nearest: two steps up cover both. */
	return mu2 <= 0 ? 0.0
					: nextafter(nextafter(sqrt((double) mu2 / MU2_SCALE), INFINITY), INFINITY);
}

double
gdp_mu2_mu_down(int64_t mu2)
{
	return mu2 <= 0 ? 0.0 : nextafter(nextafter(sqrt((double) mu2 / MU2_SCALE), 0.0), 0.0);
}
