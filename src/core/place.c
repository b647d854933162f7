/*
 * place.c
 *		A place on the privacy profile of a Gaussian mechanism: both tails of the privacy loss.
 *
 * Reads from normal.c; profile.c, pdp.c and mechanism.c build on it.
 *
 * Theorem
 *		Balle and Wang 2018, Theorem 8: with mu = l2_sensitivity / sigma the mechanism is
 *		(epsilon, delta)-DP if and only if delta >= Phi(-x1) - e^epsilon Phi(-x2).
 *
 * Method
 *		The form of place.h.  x1 and a^2 are carried in two doubles, so that delta keeps its relative
 *		accuracy down to the smallest double.  D would cancel for small h; it is summed then as
 *		D = 2 (I_1 h + I_3 h^3 + I_5 h^5 + ...), where I_n = e^(m^2) i^n erfc(m) are the scaled repeated
 *		integrals of erfc: Taylor's series around m, in which every term is positive.
 *		C is a sum of positive terms by nature.  The one of delta and 1 - delta that is at most 1/2
 *		is computed, and the other follows.
 *
 * Error bound (measured against mpmath, test/reference.py)
 *		Both tails: relative 4e-15, unless subnormal.
 */
#include "core.h"
#include "place.h"

#define INV_SQRT_PI 0.56418958354775628695
#define INV_SQRT_PI_LOW 7.66772980658294062e-18

/* Beyond this magnitude of x1 only its sign matters. */
#define X1_MAX 0x1p500

void
gdp_place_of_mu(double mu, double mu_error, double epsilon, gdp_place *at)
{
	double half = 0.5 * mu;
	double product = mu * half;
	double product_low = fma(mu, half, -product);
	double sum = epsilon - product;
	double part = sum - epsilon;
	double sum_low = (epsilon - (sum - part)) + (-product - part) - product_low;
	double x1 = sum / mu;
	double x1_low;

	at->h = mu * GDP_SQRT1_2;
	at->m = epsilon / mu * GDP_SQRT1_2;
	at->A = at->m + 0.5 * at->h;
	if (fabs(x1) > X1_MAX)
	{
		at->a = copysign(X1_MAX, x1);
		at->square = HUGE_VAL;
		at->square_low = 0;
		return;
	}
	x1_low = (fma(-x1, mu, sum) + sum_low) / mu;
	x1_low -= (epsilon / mu + half) * mu_error;
	part = x1 + x1_low; /* after cancellation the low part isn't low yet */
	x1_low -= part - x1;
	x1 = part;
	at->a = x1 * GDP_SQRT1_2;
	at->square = 0.5 * x1 * x1;
	at->square_low = fma(0.5 * x1, x1, -at->square) + x1 * x1_low;
}

static void
place_square(gdp_place *at)
{
	at->square = at->a * at->a;
	at->square_low = fma(at->a, at->a, -at->square);
}

void
gdp_place_of_a(double a, double epsilon, gdp_place *at)
{
	at->a = a;
	at->A = gdp_place_radius(a, epsilon);
	if (a < 0)
	{
		at->h = at->A - a;
		at->m = 0.5 * (epsilon / at->h);
	}
	else
	{
		at->h = epsilon / (at->A + a);
		at->m = 0.5 * (at->A + a);
	}
	place_square(at);
}

void
gdp_place_of_m(double m, double mu, gdp_place *at)
{
	at->h = mu * GDP_SQRT1_2;
	at->m = m;
	at->a = m - 0.5 * at->h;
	at->A = m + 0.5 * at->h;
	place_square(at);
}

void
gdp_place_mirror(const gdp_place *at, gdp_place *mirror)
{
	*mirror = *at;
	mirror->a = -at->a;
	mirror->m = 0.5 * at->h;
	mirror->h = 2 * at->m;
}

double
gdp_mu_of_a(double a, double epsilon)
{
	double A = gdp_place_radius(a, epsilon);

	return GDP_SQRT2 * (a < 0 ? A - a : epsilon / (A + a));
}

/*
 * D for m >= 3/2, h <= m/2.  The ratios r_n = I_n / I_(n-1) obey r_n = 1/(2m + 2(n + 1) r_(n+1)),
 * which is stable backwards (Miller); the sum is gathered on the way down, by Horner's rule.
 */
static double
difference_far(double m, double h)
{
	double square = h * h;
	double sum = 1;
	double ratio;
	int n = h < m * 0x1p-9 ? 9 : 31;

	if (m > 1e8) /* 1/a - 1/A up to the factor 1 + O(1/m^2) */
		return 0.5 * GDP_TWO_OVER_SQRT_PI * (h / m) / (m - 0.25 * h * (h / m));
	n += 2 * (int) (65 / (m * m));
	ratio = 1 / (m + sqrt(m * m + 2.0 * n + 3));
	for (; n > 1; n -= 2)
	{
		double odd = 1 / (2 * m + 2.0 * (n + 1) * ratio);
		double even = 1 / (2 * m + 2.0 * n * odd);

		sum = 1 + odd * even * square * sum;
		ratio = even;
	}
	ratio = 1 / (2 * m + 4 * ratio);
	return 2 * h * ratio * gdp_erfcx(m) * sum;
}

/*
 * D for m < 3/2, h <= 3/4: the same series forwards.  I_n for growing n loses digits, but no faster
 * than h^n makes them unimportant.
 */
static double
difference_near(double m, double h)
{
	double before = gdp_erfcx(m);
	double now = fma(-m, before, INV_SQRT_PI) + INV_SQRT_PI_LOW;
	double square = h * h;
	double power = 1;
	double sum = now;

	for (int n = 2; n < 28; n += 2)
	{
		before = (before - 2 * m * now) / (2.0 * n);
		now = (now - 2 * m * before) / (2.0 * (n + 1));
		power *= square;
		if (!(power * now > sum * 0x1p-56))
			break;
		sum += power * now;
	}
	return 2 * h * sum;
}

double
gdp_place_difference(const gdp_place *at)
{
	if (at->m >= 1.5)
	{
		if (at->h <= 0.5 * at->m)
			return difference_far(at->m, at->h);
	}
	else if (at->h <= 0.75)
		return difference_near(at->m, at->h);
	return gdp_erfcx(at->a) - gdp_erfcx(at->A);
}

double
gdp_place_complement(const gdp_place *at)
{
	return gdp_erfcx(-at->a) + gdp_erfcx(at->A);
}

double
gdp_place_half(const gdp_place *at, double factor)
{
	if (at->square > GDP_SQUARE_MAX)
		return 0;
	return 0.5 * exp(-at->square) * (factor - factor * at->square_low);
}

double
gdp_place_excess(const gdp_place *at, double factor, double goal)
{
	double ratio = 0.5 * (factor / goal);

	/* one logarithm, since the difference of two large ones would lose digits */
	ratio = ratio <= DBL_MAX ? log(ratio) : log(0.5 * factor) - log(goal);
	return ratio - at->square - at->square_low;
}

void
gdp_place_tails(const gdp_place *at, double *delta, double *rest)
{
	if (at->a >= 0)
	{
		*delta = at->square > GDP_SQUARE_MAX ? 0 : gdp_place_half(at, gdp_place_difference(at));
		*rest = 1 - *delta;
		return;
	}
	*rest = at->square > GDP_SQUARE_MAX ? 0 : gdp_place_half(at, gdp_place_complement(at));
	if (*rest <= 0.5)
		*delta = 1 - *rest;
	else
		*delta = gdp_place_half(at, gdp_place_difference(at));
}

double
gdp_place_log_delta(const gdp_place *at)
{
	if (at->square > DBL_MAX)
		return at->a < 0 ? 0 : -HUGE_VAL;
	if (at->a < 0)
	{
		double rest = gdp_place_half(at, gdp_place_complement(at));

		if (rest <= 0.5)
			return log1p(-rest);
	}
	return log(0.5 * gdp_place_difference(at)) - at->square - at->square_low;
}

/* The double at or above 1 - rest. */
static double
one_minus_up(double rest)
{
	double delta = 1 - rest;

	return 1 - delta <= rest ? delta : nextafter(delta, 1); /* 1 - delta is exact from 1/2 up */
}

double
gdp_delta_up(double delta, double rest)
{
	if (delta <= 0.5)
		return nextafter(delta + delta * GDP_DELTA_MARGIN, 1);
	return one_minus_up(rest - rest * GDP_DELTA_MARGIN);
}

void
gdp_mu_of_sigma(double sigma, double l2_sensitivity, double *mu, double *mu_error)
{
	int scale = 0;

	*mu = l2_sensitivity / sigma;
	*mu_error = 0;
	if (*mu > DBL_MAX || *mu < DBL_MIN)
	{
		*mu = nextafter(fmin(*mu, DBL_MAX), DBL_MAX);
		return;
	}

	/* The remainder, away from where the product would lose digits. */
	if (l2_sensitivity < 0x1p-800)
		scale = 200;
	l2_sensitivity = ldexp(l2_sensitivity, scale);
	*mu_error = fma(-*mu, ldexp(sigma, scale), l2_sensitivity) / l2_sensitivity;
}
