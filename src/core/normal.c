/*
 * normal.c
 *		Tails and quantiles of the normal law, in log space.
 *
 * Used by every other file of the core and by the calibration functions; knows none of them.
 *
 * Method
 *		Everything goes through the scaled complementary error function erfcx(x) = e^(x^2) erfc(x),
 *		which neither over- nor underflows on the right.  x^2 is carried in two doubles, so that the
 *		tails keep their relative accuracy down to the smallest double.
 *
 * Error bounds (measured against 60 digits, test/golden.tsv by test/unit/golden.c)
 *		gdp_erfcx, gdp_norm_cdf, gdp_norm_sf, gdp_norm_log_sf and the inverses: relative 2e-15, except
 *		where the result is subnormal.  They round to nearest, not to a side.
 *
 * Special cases
 *		NaN gives NaN.  An argument outside the domain of an inverse gives NaN, its border the infinity
 *		or the zero that is the limit.
 */
#include <float.h>
#include <math.h>

#include "core.h"
#include "domain.h"

#define SQRT1_2 0.70710678118654752440
#define SQRT2 1.41421356237309504880
#define SQRT_PI 1.77245385090551602730
#define LN2 0.69314718055994530942

/* From here on the asymptotic series below has converged to the last bit. */
#define ERFCX_ASYMPTOTIC 25.0

double
gdp_erfcx(double x)
{
	double t, square, low;

	if (x >= ERFCX_ASYMPTOTIC)
	{
		t = 0.5 / x / x;
		return (1 - t * (1 - 3 * t * (1 - 5 * t * (1 - 7 * t * (1 - 9 * t * (1 - 11 * t)))))) /
			   (x * SQRT_PI);
	}
	square = x * x;
	if (square > 800)
		return HUGE_VAL; /* x < -28 */
	low = fma(x, x, -square);
	return exp(square) * erfc(x) * (1 + low);
}

double
gdp_norm_sf(double x)
{
	double square, low;

	if (!(x > 1))
		return 0.5 * erfc(x * SQRT1_2);
	square = x * x;
	if (square > 1600)
		return 0;
	low = fma(x, x, -square);
	return 0.5 * exp(-0.5 * square) * (gdp_erfcx(x * SQRT1_2) * (1 - 0.5 * low));
}

double
gdp_norm_cdf(double x)
{
	return gdp_norm_sf(-x);
}

double
gdp_norm_log_sf(double x)
{
	if (!(x > 0))
		return log1p(-gdp_norm_sf(-x));
	if (x > DBL_MAX)
		return -HUGE_VAL;
	return -0.5 * x * x + log(0.5 * gdp_erfcx(x * SQRT1_2));
}

/* erf^-1(w) for |w| <= 1/2: a short series, then two steps of third order. */
static double
erf_inv_centre(double w)
{
	double c = w * (0.5 * SQRT_PI), s = c * c,
		   x = c * (1 + s * (1 / 3.0 + s * (7 / 30.0 + s * (127 / 630.0))));

	for (int i = 0; i < 2; i++)
	{
		double step = (erf(x) - w) * exp(x * x) * (0.5 * SQRT_PI);

		x -= step / (1 + x * step);
	}
	return x;
}

/*
 * erfc^-1(e^L) for L < ln(1/2), by Halley's method on ln erfc, which is concave.  The start is the
 * upper bound of Zhao et al., Lemma 8; four steps reach the last bit from there for every L (the
 * number is fixed, so the loop ends).
 */
static double
erfc_inv_tail(double L)
{
	double x = sqrt(log((1 + sqrt(1 + 8 * exp(L))) / 4) - L);

	for (int i = 0; i < 4; i++)
	{
		double e = gdp_erfcx(x), square = x * x, slope = -2 / (SQRT_PI * e),
			   step = (log(e) - L - square - fma(x, x, -square)) / slope;

		x -= step / (1 + step * (x + 0.5 * slope));
	}
	return x;
}

double
gdp_erf_inv(double w)
{
	if (!(fabs(w) <= 1))
		return NAN;
	if (fabs(w) <= 0.5)
		return erf_inv_centre(w);
	return copysign(gdp_erfc_inv(1 - fabs(w)), w);
}

double
gdp_erfc_inv(double y)
{
	if (!(y >= 0 && y <= 2))
		return NAN;
	if (y == 0)
		return HUGE_VAL;
	if (y < 0.5)
		return erfc_inv_tail(log(y));
	if (y <= 1.5)
		return erf_inv_centre(1 - y); /* exact differences, here and below */
	return -gdp_erfc_inv(2 - y);
}

double
gdp_erfc_inv_log(double ln_y)
{
	if (!(ln_y <= LN2))
		return NAN;
	if (ln_y < -DBL_MAX)
		return HUGE_VAL;
	if (ln_y < -LN2)
		return ln_y < -1e30 ? sqrt(-ln_y) : erfc_inv_tail(ln_y);
	return gdp_erf_inv(fmax(-expm1(ln_y), -1));
}

double
gdp_norm_quantile(double p)
{
	return -gdp_norm_upper_quantile(p);
}

double
gdp_norm_upper_quantile(double q)
{
	return SQRT2 * gdp_erfc_inv(2 * q);
}

double
gdp_norm_upper_quantile_log(double ln_q)
{
	if (ln_q > -LN2) /* the lower tail is the small one */
		return -SQRT2 * gdp_erfc_inv(-2 * expm1(ln_q));
	return SQRT2 * gdp_erfc_inv_log(ln_q + LN2);
}

gdp_status
gdp_normal(gdp_normal_function function, double x, double *result)
{
	double value = NAN;

	switch (function)
	{
		case GDP_ERFCX:
			value = gdp_erfcx(x);
			break;
		case GDP_ERFC_INV:
			value = gdp_erfc_inv(x);
			break;
		case GDP_NORM_CDF:
			value = gdp_norm_cdf(x);
			break;
		case GDP_NORM_SF:
			value = gdp_norm_sf(x);
			break;
		case GDP_NORM_LOG_SF:
			value = gdp_norm_log_sf(x);
			break;
		case GDP_NORM_QUANTILE:
			value = gdp_norm_quantile(x);
			break;
	}
	GDP_CHECK(1, NUMBER, x);
	if (!(fabs(value) <= DBL_MAX))
	{
		if (function == GDP_ERFC_INV)
			return gdp_blame(GDP_BAD_ERFC, 1);
		return function == GDP_NORM_QUANTILE ? gdp_blame(GDP_BAD_DELTA, 1) : GDP_OUT_OF_RANGE;
	}
	*result = value;
	return GDP_OK;
}
