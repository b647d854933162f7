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
 *
 * Deltas are decimals: people type 1e-7 for a budget and expect it to hold 20 times 5e-9.  No binary unit has
 * these, and the double nearest to a decimal lies on either side of it.  So they count in units of 10^-18, and
 * a double within 2^-52 of itself of a whole number of units is read as that number.  What is no such decimal,
 * a tail of the normal law for example, is rounded.
 */
#include "core.h"
#include "domain.h"

#include <math.h>

#define MU2_SCALE 4503599627370496.0 /* 2^52 */
#define DELTA_SCALE 1e18             /* exact */
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

/*
 * A delta in units, and what that is off by: *units + *rest is delta * 10^18, but for the last bits of *rest; a
 * rest that the nearest decimal's double may have is 0.
 */
static void
delta_units(double delta, double *units, double *rest)
{
	double hi = delta * DELTA_SCALE;
	double lo = fma(delta, DELTA_SCALE, -hi);

	*units = nearbyint(hi);
	*rest = (hi - *units) + lo;
	if (fabs(*rest) <= hi * 0x1p-52)
		*rest = 0.0;
}

gdp_status
gdp_delta_cost(double delta, int64_t *units)
{
	double whole;
	double rest;

	GDP_CHECK(1, DELTA_OR_ZERO, delta);
	delta_units(delta, &whole, &rest);
	*units = (int64_t) whole + (rest > 0.0 ? 1 : 0);
	if (*units < 1 && delta > 0.0)
		*units = 1;
	return GDP_OK;
}

gdp_status
gdp_delta_limit(double delta, int64_t *units)
{
	double whole;
	double rest;

	GDP_CHECK(1, DELTA_OR_ZERO, delta);
	delta_units(delta, &whole, &rest);
	*units = (int64_t) whole - (rest < 0.0 ? 1 : 0);
	return GDP_OK;
}

double
gdp_delta_of(int64_t units)
{
	return (double) units / DELTA_SCALE;
}

int64_t
gdp_delta_part(int64_t units, int64_t mu2, int64_t limit_mu2)
{
	return mu2 >= limit_mu2 ? units : (int64_t) ((gdp_int128) units * mu2 / limit_mu2);
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
