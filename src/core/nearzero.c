/*
 * nearzero.c
 *		epsilon of (mu, delta) where it is next to 0.
 *
 * Reads from dd.h and normal.c; used by profile.c.
 *
 * Method
 *		Where delta is close to delta(0) = erf(y), y = mu/(2 sqrt2), epsilon hangs on the difference of
 *		the two, in which a double would keep a few digits or none.  The difference is computed in
 *		double-double, by erf(y) = 2/sqrt(pi) y e^(-y^2) (1 + t/3 + t^2/15 + ...), t = 2 y^2, all
 *		of whose terms are positive; for y above 2.5 by the difference of 1 - delta to erfc(y), from
 *		Laplace's continued fraction.  It is set against
 *			delta(0) - delta(m) = h int_0^m e^(-(s - h/2)^2) erfcx(s + h/2) ds,
 *		the integral by Gauss and Legendre (eight nodes, m at most 0.1 and h at most 12 where it matters).
 *
 * Error bound (measured against mpmath, test/reference.py)
 *		epsilon: relative 1e-14, as long as delta and delta(0) differ by 1e-14 of a unit in the last
 *		place.
 */
#include "dd.h"
#include "core.h"
#include "place.h"

#define FRACTION_FROM 2.5
#define FRACTION_TERMS 130

static const gdp_dd two_over_sqrt_pi = {GDP_TWO_OVER_SQRT_PI, 1.53354596131658807e-17};
static const gdp_dd half_over_sqrt_2 = {0.5 * GDP_SQRT1_2, -2.41682332836322826e-17};

/* erf(y), 0 <= y <= FRACTION_FROM. */
static gdp_dd
erf_dd(gdp_dd y)
{
	gdp_dd square = gdp_dd_mul(y, y);
	gdp_dd term = gdp_dd_of(1);
	gdp_dd sum = gdp_dd_of(1);

	for (int n = 3; term.hi > sum.hi * 0x1p-110; n += 2)
	{
		term = gdp_dd_div(gdp_dd_mul(term, gdp_dd_scale(square, 1)), gdp_dd_of(n));
		sum = gdp_dd_add(sum, term);
	}
	sum = gdp_dd_mul(sum, gdp_dd_exp(gdp_dd_neg(square)));
	return gdp_dd_mul(gdp_dd_mul(sum, y), two_over_sqrt_pi);
}

/* erfc(y), FRACTION_FROM <= y <= 6.1. */
static gdp_dd
erfc_dd(gdp_dd y)
{
	gdp_dd value = y;

	for (int n = FRACTION_TERMS; n > 0; n--)
		value = gdp_dd_add(y, gdp_dd_div(gdp_dd_of(0.5 * n), value));
	value = gdp_dd_div(gdp_dd_exp(gdp_dd_neg(gdp_dd_mul(y, y))), value);
	return gdp_dd_mul(value, gdp_dd_scale(two_over_sqrt_pi, -1));
}

/* d/dm of -delta at m, over h: e^(-(m - h/2)^2) erfcx(m + h/2) */
static double
density(double m, double h)
{
	double a = m - 0.5 * h;

	return exp(-a * a) * gdp_erfcx(m + 0.5 * h);
}

/* int_0^m density */
static double
mass(double m, double h)
{
	static const double node[8] = {
		0.0198550717512318842, 0.10166676129318663,  0.237233795041835507, 0.408282678752175098,
		0.591717321247824902,  0.762766204958164493, 0.89833323870681337,  0.980144928248768116};
	static const double weight[8] = {
		0.0506142681451881296, 0.111190517226687235, 0.156853322938943644, 0.181341891689180991,
		0.181341891689180991,  0.156853322938943644, 0.111190517226687235, 0.0506142681451881296};
	double sum = 0;

	for (int i = 0; i < 8; i++)
		sum += weight[i] * density(node[i] * m, h);
	return m * sum;
}

double
gdp_epsilon_near_zero(double mu, double mu_error, double delta)
{
	double h = mu * GDP_SQRT1_2;
	gdp_dd y = gdp_dd_mul(half_over_sqrt_2, (gdp_dd){mu, mu * mu_error});
	gdp_dd gap;
	double goal;
	double m;

	if (y.hi <= FRACTION_FROM)
		gap = gdp_dd_sub(erf_dd(y), gdp_dd_of(delta));
	else
		gap = gdp_dd_sub(gdp_dd_of(1 - delta), erfc_dd(y)); /* delta > 1/2 here */
	goal = gap.hi / h;
	if (!(goal > 0))
		return 0;

	/* Newton; the density varies by less than a factor of 2 up to the root */
	m = goal / density(0, h);
	for (int i = 0; i < 6; i++)
		m = fmax(m + (goal - mass(m, h)) / density(m, h), 0);
	return GDP_SQRT2 * mu * m;
}
