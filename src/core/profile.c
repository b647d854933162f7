/*
 * profile.c
 *		The privacy profile delta(epsilon) of the Gaussian mechanism, and its two inverses.
 *
 * Reads from normal.c; mechanism.c, compose.c, convert.c and transform.c build on it.
 *
 * Theorem
 *		Balle and Wang 2018, Theorem 8: with mu = l2_sensitivity / sigma the mechanism is
 *		(epsilon, delta)-DP if and only if delta >= Phi(-x1) - e^epsilon Phi(-x2), where
 *		x1 = epsilon/mu - mu/2 and x2 = x1 + mu.
 *
 * Method
 *		With a = x1/sqrt2, A = x2/sqrt2, h = A - a = mu/sqrt2 and the midpoint m = (a + A)/2 >= 0
 *			delta     = 1/2 e^(-a^2) D,  D = erfcx(a) - erfcx(A)
 *			1 - delta = 1/2 e^(-a^2) C,  C = erfcx(-a) + erfcx(A)
 *		a^2 is carried in two doubles.  D would cancel for small h; it is summed then as
 *		D = 2 (I_1 h + I_3 h^3 + I_5 h^5 + ...), where I_n = e^(m^2) i^n erfc(m) are the scaled repeated
 *		integrals of erfc: Taylor's series around m, in which every term is positive.
 *		C is a sum of positive terms by nature.  The one of delta and 1 - delta that is at most 1/2
 *		is computed, in log space where that helps, and the other follows.
 *
 * Inverses
 *		Newton on ln delta (ln(1 - delta) for delta > 1/2) inside a bracket; the iterate is a, which
 *		stays well scaled for every epsilon and mu.  ln delta is concave in ln mu and in epsilon, so
 *		that from the side of the starting points Newton doesn't overshoot; should rounding or the
 *		other branch make it leave the bracket, bisection takes over, and after NEWTON_STEPS steps
 *		altogether.  Bisection ends when no double is left in between.
 *
 * Error bounds (measured against mpmath, test/reference.py)
 *		delta, 1 - delta, mu: relative 4e-15 before rounding, over epsilon 0..1e6 and
 *		delta 1e-300..1-1e-16; the margins below cover that several times over.
 */
#include <float.h>
#include <math.h>

#include "gdp.h"

#define SQRT2 1.41421356237309504880
#define SQRT1_2 0.70710678118654752440
#define TWO_OVER_SQRT_PI 1.12837916709551257390
#define INV_SQRT_PI 0.56418958354775628695
#define INV_SQRT_PI_LOW 7.66772980658294062e-18

/* What is added to a result before it is handed out, always to the private side. */
#define DELTA_MARGIN 0x1p-46 /* 1.4e-14 of delta and of 1 - delta */
#define MU_MARGIN 0x1p-44    /* 5.7e-14 of mu, sigma and epsilon */

/* Below, doubles get too coarse for mu; the profile is linear in mu there, at equal epsilon/mu. */
#define MU_TINY 0x1p-900
#define MU_SCALE 0x1p300

#define NEWTON_STEPS 64
#define NEWTON_TOLERANCE 1e-9 /* its square is what a last step leaves over */

/* Where on the profile we are: a, A, m and h as above, and a^2 = square + square_low. */
typedef struct place
{
	double a;
	double A;
	double m;
	double h;
	double square;
	double square_low;
} place;

/*
 * The place of (mu (1 + mu_error), epsilon), where |mu_error| is a few units in the last place: what
 * the division that gave mu has lost.
 */
static void
place_of_mu(double mu, double mu_error, double epsilon, place *at)
{
	double scale = mu < 0x1p-400 ? 0x1p600 : 1, ratio = epsilon * scale / (mu * scale), ratio_low,
		   x1, x1_low, t;

	at->h = mu * SQRT1_2;
	at->m = ratio * SQRT1_2;
	at->A = at->m + 0.5 * at->h;
	if (at->A > 0x1p500)
		ratio_low = 0; /* x1^2 is far beyond what exp can tell from 0, or exactly balanced */
	else
		ratio_low = fma(-ratio, mu * scale, epsilon * scale) / (mu * scale);

	/* x1 = ratio - mu/2 as a sum of two doubles (Knuth's two-sum). */
	x1 = ratio - 0.5 * mu;
	t = x1 - ratio;
	x1_low = (ratio - (x1 - t)) + (-0.5 * mu - t);
	x1_low += ratio_low - (ratio + 0.5 * mu) * mu_error;
	at->a = (x1 + x1_low) * SQRT1_2;
	if (fabs(x1) > 0x1p500)
	{
		at->square = HUGE_VAL;
		at->square_low = 0;
		return;
	}
	at->square = 0.5 * x1 * x1;
	at->square_low = fma(0.5 * x1, x1, -at->square) + x1 * x1_low;
}

/* The place with the given a on the profile of epsilon > 0. */
static void
place_of_a(double a, double epsilon, place *at)
{
	at->a = a;
	at->A = sqrt(fma(a, a, epsilon));
	if (a < 0)
	{
		at->h = at->A - a;
		at->m = 0.5 * epsilon / at->h;
	}
	else
	{
		at->h = epsilon / (at->A + a);
		at->m = 0.5 * (at->A + a);
	}
	at->square = a * a;
	at->square_low = fma(a, a, -at->square);
}

/*
 * D for m >= 3/2, h <= m/2.  The ratios r_n = I_n / I_(n-1) obey r_n = 1/(2m + 2(n + 1) r_(n+1)),
 * which is stable backwards (Miller); the sum is gathered on the way down, by Horner's rule.
 */
static double
difference_series_far(double m, double h)
{
	double inverse = m < 100 ? 130 / (m * m) : 0, h2 = h * h, r, sum = 1;
	int n = (int) inverse + (h < m * 0x1p-9 ? 9 : 31);

	n |= 1;
	r = 1 / (m + sqrt(m * m + 2.0 * n + 3));
	if (m > 1e100)
		return TWO_OVER_SQRT_PI * (0.5 * h / m) / (m - 0.25 * h * (h / m));
	for (; n > 1; n -= 2)
	{
		double odd = 1 / (2 * m + 2.0 * (n + 1) * r), even = 1 / (2 * m + 2.0 * n * odd);

		sum = 1 + odd * even * h2 * sum;
		r = even;
	}
	r = 1 / (2 * m + 4 * r);
	return 2 * h * r * gdp_erfcx(m) * sum;
}

/*
 * D for m < 3/2, h <= 3/4: the same series forwards.  I_n for growing n loses digits, but no faster
 * than h^n makes them unimportant.
 */
static double
difference_series_near(double m, double h)
{
	double before = gdp_erfcx(m), now = fma(-m, before, INV_SQRT_PI) + INV_SQRT_PI_LOW, h2 = h * h,
		   power = 1, sum = now;

	for (int n = 2; n < 28; n += 2)
	{
		before = (before - 2 * m * now) / (2.0 * n);
		now = (now - 2 * m * before) / (2.0 * (n + 1));
		power *= h2;
		if (!(power * now > sum * 0x1p-56))
			break;
		sum += power * now;
	}
	return 2 * h * sum;
}

/* D = erfcx(a) - erfcx(A), for a > -26. */
static double
difference(const place *at)
{
	if (at->m >= 1.5)
	{
		if (at->h <= 0.5 * at->m)
			return difference_series_far(at->m, at->h);
	}
	else if (at->h <= 0.75)
		return difference_series_near(at->m, at->h);
	return gdp_erfcx(at->a) - gdp_erfcx(at->A);
}

/* C = erfcx(-a) + erfcx(A), for a < 26. */
static double
complement(const place *at)
{
	return gdp_erfcx(-at->a) + gdp_erfcx(at->A);
}

/* e^(-a^2) factor / 2 */
static double
half_scaled(const place *at, double factor)
{
	return 0.5 * exp(-at->square) * (factor - factor * at->square_low);
}

/* Both tails, unrounded; the smaller one is accurate to the last digits, and so is the other. */
static void
tails(const place *at, double *delta, double *rest)
{
	if (at->a >= 0)
	{
		*delta = at->square > 800 ? 0 : half_scaled(at, difference(at));
		*rest = 1 - *delta;
		return;
	}
	*rest = at->square > 800 ? 0 : half_scaled(at, complement(at));
	if (*rest <= 0.5)
		*delta = 1 - *rest;
	else
		*delta = half_scaled(at, difference(at));
}

static double
log_delta(const place *at)
{
	double rest;

	if (at->a < 0)
	{
		rest = at->square > 800 ? 0 : half_scaled(at, complement(at));
		if (rest <= 0.5)
			return log1p(-rest);
	}
	else if (at->square > DBL_MAX)
		return -HUGE_VAL;
	return log(0.5 * difference(at)) - at->square - at->square_low;
}

static double
log_rest(const place *at)
{
	double delta, rest;

	if (at->a < 0 && at->square > 1)
		return at->square > DBL_MAX ? -HUGE_VAL
									: log(0.5 * complement(at)) - at->square - at->square_low;
	tails(at, &delta, &rest);
	return delta <= 0.5 ? log1p(-delta) : log(rest);
}

/* The double at or above 1 - rest. */
static double
one_minus_up(double rest)
{
	double delta = 1 - rest;

	return 1 - delta <= rest ? delta
							 : nextafter(delta, 1); /* the difference is exact from 1/2 up */
}

/* delta, rounded up: never 0 and never more than 1. */
static double
delta_up(const place *at)
{
	double delta, rest;

	tails(at, &delta, &rest);
	if (delta <= 0.5)
		return nextafter(delta + delta * DELTA_MARGIN, 1);
	return one_minus_up(rest - rest * DELTA_MARGIN);
}

double
gdp_profile_log_delta(double mu, double epsilon)
{
	place at;

	place_of_mu(mu, 0, epsilon, &at);
	return log_delta(&at);
}

double
gdp_profile_log_rest(double mu, double epsilon)
{
	place at;

	place_of_mu(mu, 0, epsilon, &at);
	return log_rest(&at);
}

void
gdp_profile_tails(double mu, double epsilon, double *delta, double *rest)
{
	place at;

	place_of_mu(mu, 0, epsilon, &at);
	tails(&at, delta, rest);
}

static gdp_status
profile_delta(double mu, double mu_error, double epsilon, double *delta)
{
	place at;
	double scale = mu < MU_TINY ? MU_SCALE : 1;

	place_of_mu(mu * scale, mu_error, epsilon * scale, &at);
	*delta = delta_up(&at);
	if (scale > 1)
		*delta = nextafter(*delta / scale, 1);
	return GDP_OK;
}

gdp_status
gdp_profile_delta(double mu, double epsilon, double *delta)
{
	if (!(mu > 0 && mu <= DBL_MAX))
		return GDP_BAD_MU;
	if (!(epsilon >= 0 && epsilon <= DBL_MAX))
		return GDP_BAD_EPSILON_OR_ZERO;
	return profile_delta(mu, 0, epsilon, delta);
}

/* mu = l2_sensitivity / sigma within the range of double, and what the division lost. */
static gdp_status
mu_of_sigma(double sigma, double l2_sensitivity, double *mu, double *mu_error)
{
	if (!(sigma > 0 && sigma <= DBL_MAX))
		return GDP_BAD_SIGMA;
	if (!(l2_sensitivity > 0 && l2_sensitivity <= DBL_MAX))
		return GDP_BAD_SENSITIVITY;
	*mu = l2_sensitivity / sigma;
	*mu_error = 0;
	if (*mu > DBL_MAX || *mu < DBL_MIN)
		*mu = nextafter(fmin(*mu, DBL_MAX), DBL_MAX);
	else if (l2_sensitivity > 0x1p-900 && l2_sensitivity < 0x1p900)
		*mu_error = fma(-*mu, sigma, l2_sensitivity) / l2_sensitivity;
	else /* the same, away from where the product loses digits */
		*mu_error = fma(-*mu, ldexp(sigma, l2_sensitivity < 1 ? 200 : -200),
						ldexp(l2_sensitivity, l2_sensitivity < 1 ? 200 : -200)) /
					ldexp(l2_sensitivity, l2_sensitivity < 1 ? 200 : -200);
	return GDP_OK;
}

gdp_status
gdp_sigma_delta(double sigma, double epsilon, double l2_sensitivity, double *delta)
{
	double mu, mu_error;
	gdp_status status = mu_of_sigma(sigma, l2_sensitivity, &mu, &mu_error);

	if (status != GDP_OK)
		return status;
	if (!(epsilon >= 0 && epsilon <= DBL_MAX))
		return GDP_BAD_EPSILON_OR_ZERO;
	return profile_delta(mu, mu_error, epsilon, delta);
}

/* ---------------------------------------------------------------------------
 * Inverses
 * ---------------------------------------------------------------------------
 */

/* An interval that holds the root, and how often it has been narrowed. */
typedef struct bracket
{
	double low;
	double high;
	int steps;
} bracket;

/*
 * Narrows the bracket by what was learnt at x and returns where to look next: Newton's proposal
 * while that is of use, the middle otherwise.  Returns x itself when no double is left to try.
 */
static double
bracket_next(bracket *in, double x, bool root_is_above, double proposal)
{
	double middle;

	if (root_is_above)
		in->low = x;
	else
		in->high = x;
	if (in->steps++ < NEWTON_STEPS && proposal > in->low && proposal < in->high)
		return proposal;
	middle = in->low + 0.5 * (in->high - in->low);
	return middle > in->low && middle < in->high ? middle : x;
}

/* ln(e^(-a^2) factor / 2) - ln(goal); accurate where the two are close, however small they are. */
static double
log_excess(const place *at, double factor, double goal)
{
	double ratio = goal < 0x1p-900 ? log(0.5 * factor) - log(goal) : log(0.5 * factor / goal);

	return ratio - at->square - at->square_low;
}

/* An upper bound of erfc^-1(y), 0 < y <= 1 (Zhao et al., Lemma 8), given ln y. */
static double
erfc_inv_bound(double y, double ln_y)
{
	return sqrt(fmax(log(0.25 * (1 + sqrt(1 + 8 * y))) - ln_y, 0));
}

/*
 * The a at which the profile of epsilon > 0 passes through delta.  For delta <= 1/2 it starts at an
 * upper bound (the larger mu of Mechanism 2 and of the limit at epsilon = 0), otherwise at a lower one
 * (1 - delta <= erfc(-a)).
 */
static double
solve_a(double epsilon, double delta)
{
	double rest = 1 - delta, /* exact for delta >= 1/2, the only case that reads it */
		a;
	bracket in = {.low = -sqrt(-log1p(-delta)) * (1 + 0x1p-50), .steps = 0};
	bool small = delta <= 0.5;
	place at;

	if (small)
	{
		double mu = delta * 2.5066282746310002; /* sqrt(2 pi) */

		a = erfc_inv_bound(2 * delta, log(2 * delta));
		a = fmin(a, (epsilon / mu - 0.5 * mu) * SQRT1_2);
		in.high = a + fabs(a) * 0x1p-50 + 0x1p-1000;
	}
	else
	{
		a = -erfc_inv_bound(rest, log(rest));
		in.low = a * (1 + 0x1p-50);
		in.high = 0x1p-1000;
	}
	for (;;)
	{
		double factor, excess, step, next;

		place_of_a(a, epsilon, &at);
		factor = small ? difference(&at) : complement(&at);
		excess = log_excess(&at, factor, small ? delta : rest);

		/* A step of ln mu; d delta / d mu = phi(x1). */
		step = (small ? -excess : excess) * factor / (TWO_OVER_SQRT_PI * at.h);
		next = a + at.m * expm1(-step) - 0.5 * at.h * expm1(step);
		if (fabs(step) * (1 + at.A) <= NEWTON_TOLERANCE)
			return next;
		next = bracket_next(&in, a, small == (excess > 0), next);
		if (next == a)
			return in.high; /* the smaller mu */
		a = next;
	}
}

/* The largest mu, unrounded. */
static double
solve_mu(double epsilon, double delta)
{
	double a;

	if (epsilon == 0)
		return 2 * SQRT2 * (delta <= 0.5 ? gdp_erf_inv(delta) : gdp_erfc_inv(1 - delta));
	a = solve_a(epsilon, delta);
	return a < 0 ? SQRT2 * (sqrt(fma(a, a, epsilon)) - a)
				 : SQRT2 * epsilon / (sqrt(fma(a, a, epsilon)) + a);
}

gdp_status
gdp_profile_mu(double epsilon, double delta, double *mu)
{
	double value;

	if (!(epsilon >= 0 && epsilon <= DBL_MAX))
		return GDP_BAD_EPSILON_OR_ZERO;
	if (!(delta > 0 && delta < 1))
		return GDP_BAD_DELTA;
	value = solve_mu(epsilon, delta);
	*mu = nextafter(value - value * MU_MARGIN, 0);
	return *mu > 0 ? GDP_OK : GDP_OUT_OF_RANGE;
}

/*
 * The epsilon > 0 at which the profile of mu passes through delta, given that it does; rounded up.  It
 * starts at the upper bound that probabilistic privacy gives: delta <= erfc(a)/2.
 */
static double
solve_epsilon(double mu, double delta)
{
	double rest = 1 - delta, h = mu * SQRT1_2, a = gdp_erfc_inv(2 * delta);
	bracket in = {.low = -0.5 * h, .steps = 0};
	bool small = delta <= 0.5;
	double slack, epsilon;

	a = fmax(a + fabs(a) * 0x1p-50 + 0x1p-1000, in.low);
	in.high = a;
	for (;;)
	{
		place at = {.a = a, .A = a + h, .m = a + 0.5 * h, .h = h};
		double factor, excess, step, next;

		at.square = a * a;
		at.square_low = fma(a, a, -at.square);
		factor = small ? difference(&at) : complement(&at);
		excess = log_excess(&at, factor, small ? delta : rest);

		/* d delta / d epsilon = -e^epsilon Phi(-x2) */
		step = (small ? excess : -excess) * factor / (2 * h * gdp_erfcx(at.A));
		next = a + step;
		slack = 0x1p-47 * factor / gdp_erfcx(at.A);
		if (fabs(step) <= NEWTON_TOLERANCE * fmin(1, at.m))
		{
			a = next;
			break;
		}
		next = bracket_next(&in, a, small == (excess > 0), next);
		if (next == a)
		{
			a = in.high;
			break;
		}
		a = next;
	}
	/* Near epsilon = 0 the root moves by d epsilon / d ln delta times the error of ln delta. */
	epsilon = mu * fmax(SQRT2 * a + 0.5 * mu, 0);
	return epsilon + epsilon * MU_MARGIN + slack;
}

gdp_status
gdp_profile_epsilon(double mu, double delta, double *epsilon)
{
	double scale = mu < MU_TINY ? MU_SCALE : 1, value;

	if (!(mu > 0 && mu <= DBL_MAX))
		return GDP_BAD_MU;
	if (!(delta > 0 && delta < 1))
		return GDP_BAD_DELTA;
	if (delta <= 0.5 ? erf(0.5 * SQRT1_2 * mu) * (1 + 0x1p-50) <= delta
					 : erfc(0.5 * SQRT1_2 * mu) * (1 - 0x1p-50) >= 1 - delta)
	{
		*epsilon = 0;
		return GDP_OK;
	}
	value = nextafter(solve_epsilon(mu * scale, delta * scale) / scale, HUGE_VAL);
	if (!(value <= DBL_MAX))
		return GDP_OUT_OF_RANGE;
	*epsilon = value;
	return GDP_OK;
}

gdp_status
gdp_sigma_epsilon(double sigma, double delta, double l2_sensitivity, double *epsilon)
{
	double mu, mu_error;
	gdp_status status = mu_of_sigma(sigma, l2_sensitivity, &mu, &mu_error);

	if (status != GDP_OK)
		return status;
	return gdp_profile_epsilon(mu_error > 0 ? nextafter(mu, HUGE_VAL) : mu, delta, epsilon);
}
