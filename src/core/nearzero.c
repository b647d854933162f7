/*
 * nearzero.c
 *		epsilon of (mu, delta) where it is next to 0.
 *
 * Used by profile.c.
 *
 * Method
 *		Where delta is close to delta(0) = erf(y), y = mu/(2 sqrt2), epsilon hangs on the difference of
 *		the two, in which a double would keep a few digits or none.  The difference is computed in
 *		pairs of doubles, by erf(y) = 2/sqrt(pi) y e^(-y^2) (1 + t/3 + t^2/15 + ...), t = 2 y^2, all
 *		of whose terms are positive; for y above 2.5 by the difference of 1 - delta to erfc(y), from
 *		Laplace's continued fraction.  It is set against
 *			delta(0) - delta(m) = h int_0^m e^(-(s - h/2)^2) erfcx(s + h/2) ds,
 *		the integral by Gauss and Legendre (eight nodes, m at most 0.1 and h at most 12 where it matters).
 *
 * Error bound (measured against mpmath, test/reference.py)
 *		epsilon: relative 1e-14, as long as delta and delta(0) differ by 1e-14 of a unit in the last
 *		place.
 */
#include "gdp.h"
#include "place.h"

#define FRACTION_FROM 2.5
#define FRACTION_TERMS 130

/* An unevaluated sum of two doubles, |low| <= ulp(high)/2. */
typedef struct pair
{
	double high;
	double low;
} pair;

static pair
pair_sum(double a, double b)
{
	double sum = a + b;
	double part = sum - a;

	return (pair){sum, (a - (sum - part)) + (b - part)};
}

static pair
pair_add(pair a, pair b)
{
	pair sum = pair_sum(a.high, b.high);

	return pair_sum(sum.high, sum.low + a.low + b.low);
}

static pair
pair_multiply(pair a, pair b)
{
	double product = a.high * b.high;

	return pair_sum(product, fma(a.high, b.high, -product) + (a.high * b.low + a.low * b.high));
}

static pair
pair_divide(pair a, pair b)
{
	double quotient = a.high / b.high;
	double rest = fma(-quotient, b.high, a.high) + a.low - quotient * b.low;

	return pair_sum(quotient, rest / b.high);
}

/* e^(-x), 0 <= x <= 40: Taylor's series for x/256, squared eight times. */
static pair
pair_exp_minus(pair x)
{
	pair t = {-x.high / 256, -x.low / 256};
	pair term = {1, 0};
	pair sum = {1, 0};

	for (int n = 1; n <= 20; n++)
	{
		term = pair_divide(pair_multiply(term, t), (pair){n, 0});
		sum = pair_add(sum, term);
	}
	for (int i = 0; i < 8; i++)
		sum = pair_multiply(sum, sum);
	return sum;
}

static const pair two_over_sqrt_pi = {TWO_OVER_SQRT_PI, 1.53354596131658807e-17};

/* erf(y), 0 <= y <= FRACTION_FROM. */
static pair
pair_erf(pair y)
{
	pair square = pair_multiply(y, y);
	pair doubled = {2 * square.high, 2 * square.low};
	pair term = {1, 0};
	pair sum = {1, 0};

	for (int n = 3; term.high > sum.high * 0x1p-110; n += 2)
	{
		term = pair_divide(pair_multiply(term, doubled), (pair){n, 0});
		sum = pair_add(sum, term);
	}
	sum = pair_multiply(sum, pair_exp_minus(square));
	return pair_multiply(pair_multiply(sum, y), two_over_sqrt_pi);
}

/* erfc(y), FRACTION_FROM <= y <= 6.1. */
static pair
pair_erfc(pair y)
{
	pair value = y;

	for (int n = FRACTION_TERMS; n > 0; n--)
		value = pair_add(y, pair_divide((pair){0.5 * n, 0}, value));
	value = pair_divide(pair_exp_minus(pair_multiply(y, y)), value);
	return pair_multiply(value, (pair){0.5 * two_over_sqrt_pi.high, 0.5 * two_over_sqrt_pi.low});
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
	const pair inverse = {0.5 * SQRT1_2, -2.41682332836322826e-17}; /* 1/(2 sqrt2) */
	double h = mu * SQRT1_2;
	pair y;
	pair gap;
	double goal;
	double m;

	y = pair_multiply(inverse, (pair){mu, mu * mu_error});
	if (y.high <= FRACTION_FROM)
		gap = pair_add(pair_erf(y), (pair){-delta, 0});
	else
	{
		gap = pair_erfc(y); /* delta > 1/2 here */
		gap = pair_add((pair){1 - delta, 0}, (pair){-gap.high, -gap.low});
	}
	goal = (gap.high + gap.low) / h;
	if (!(goal > 0))
		return 0;

	/* Newton; the density varies by less than a factor of 2 up to the root */
	m = goal / density(0, h);
	for (int i = 0; i < 6; i++)
		m = fmax(m + (goal - mass(m, h)) / density(m, h), 0);
	return SQRT2 * mu * m;
}
