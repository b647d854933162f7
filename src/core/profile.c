/*
 * profile.c
 *		The privacy profile delta(epsilon) of the Gaussian mechanism, and its two inverses.
 *
 * Reads from place.c and normal.c; mechanism.c, compose.c, convert.c and transform.c build on it.
 *
 * Inverses
 *		Newton on ln delta (ln(1 - delta) for delta > 1/2) inside a bracket.  The iterates are a and m
 *		of place.h, which stay well scaled for every epsilon and mu.  ln delta is concave in ln mu and
 *		in epsilon, so that from the side of the starting points Newton doesn't overshoot; should
 *		rounding or the other branch make it leave the bracket, bisection takes over.
 *
 * Error bounds (measured against mpmath, test/reference.py)
 *		delta, 1 - delta: relative 4e-15 before rounding.  mu and epsilon: 1e-14 over epsilon
 *		0..1e6 and delta 1e-300..1-1e-16.  The margins of place.h cover both several times over.
 */
#include "core.h"
#include "domain.h"
#include "place.h"
#include "root.h"

#define SQRT_2PI 2.5066282746310002

/* Below this m (estimated) epsilon is taken from its distance to 0, not from delta itself. */
#define M_NEAR_ZERO 0.05

double
gdp_profile_log_delta(double mu, double epsilon)
{
	gdp_place at;

	gdp_place_of_mu(mu, 0, epsilon, &at);
	return gdp_place_log_delta(&at);
}

double
gdp_profile_log_rest(double mu, double epsilon)
{
	gdp_place at;
	double delta;
	double rest;

	gdp_place_of_mu(mu, 0, epsilon, &at);
	if (at.a < -1)
		return at.square > DBL_MAX ? -HUGE_VAL
								   : gdp_place_excess(&at, gdp_place_complement(&at), 1);
	gdp_place_tails(&at, &delta, &rest);
	return delta <= 0.5 ? log1p(-delta) : log(rest);
}

void
gdp_profile_tails(double mu, double epsilon, double *delta, double *rest)
{
	gdp_place at;

	gdp_place_of_mu(mu, 0, epsilon, &at);
	gdp_place_tails(&at, delta, rest);
}

gdp_status
gdp_profile_log_delta_checked(double mu, double epsilon, double *ln_delta)
{
	double value;

	GDP_CHECK(1, MU, mu);
	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	value = gdp_profile_log_delta(mu, epsilon);
	if (!(value >= -DBL_MAX))
		return GDP_OUT_OF_RANGE;
	*ln_delta = value;
	return GDP_OK;
}

gdp_status
gdp_profile_rest_checked(double mu, double epsilon, double *rest)
{
	double delta;

	GDP_CHECK(1, MU, mu);
	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	gdp_profile_tails(mu, epsilon, &delta, rest);
	return GDP_OK;
}

static void
profile_delta(double mu, double mu_error, double epsilon, double *delta)
{
	double scale = mu < GDP_MU_TINY ? GDP_MU_SCALE : 1;
	gdp_place at;
	double value;
	double rest;

	gdp_place_of_mu(mu * scale, mu_error, epsilon * scale, &at);
	gdp_place_tails(&at, &value, &rest);
	value = gdp_delta_up(value, rest);
	*delta = scale > 1 ? nextafter(value / scale, 1) : value;
}

gdp_status
gdp_profile_delta(double mu, double epsilon, double *delta)
{
	GDP_CHECK(1, MU, mu);
	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	profile_delta(mu, 0, epsilon, delta);
	return GDP_OK;
}

gdp_status
gdp_sigma_delta(double sigma, double epsilon, double l2_sensitivity, double *delta)
{
	double mu;
	double mu_error;

	GDP_CHECK(1, SIGMA, sigma);
	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(3, SENSITIVITY, l2_sensitivity);
	gdp_mu_of_sigma(sigma, l2_sensitivity, &mu, &mu_error);
	profile_delta(mu, mu_error, epsilon, delta);
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * mu of (epsilon, delta)
 * ---------------------------------------------------------------------------
 */

/* An upper bound of erfc^-1(y), 0 < y <= 1 (Zhao et al., Lemma 8), given ln y. */
static double
erfc_inv_bound(double y, double ln_y)
{
	return sqrt(fmax(log(0.25 * (1 + sqrt(1 + 8 * y))) - ln_y, 0));
}

/*
 * Newton's step of ln mu, by d delta / d mu = phi(x1), made third order (Halley) where that is a small
 * correction; and what it does to a.
 */
static gdp_newton
step_of_a(void *problem, double a)
{
	const gdp_goal *to = problem;
	double factor, excess, slope, bend, step;
	gdp_place at;

	gdp_place_of_a(a, to->parameter, &at);
	factor = to->small ? gdp_place_difference(&at) : gdp_place_complement(&at);
	excess = gdp_place_excess(&at, factor, to->goal);
	slope = GDP_TWO_OVER_SQRT_PI * at.h / factor;
	step = (to->small ? -excess : excess) / slope;
	bend = 0.5 * step * (1 + 2 * a * at.A + (to->small ? -slope : slope));
	if (fabs(bend) < 0.5)
		step /= 1 + bend;
	return (gdp_newton){.next = gdp_place_step(&at, step),
						.root_is_above = to->small == (excess > 0),
						.is_last = fabs(step) * (1 + at.A) <= GDP_HALLEY_TOLERANCE};
}

/*
 * The a at which the profile of epsilon > 0 passes through delta.  For delta <= 1/2 the start is an
 * upper bound of it (the larger mu of Mechanism 2 and of the limit at epsilon = 0), otherwise a lower
 * one (1 - delta <= erfc(-a)).  Of the last bracket the larger a, which is the smaller mu.
 */
double
gdp_place_solve_a(double epsilon, double delta)
{
	gdp_goal to = gdp_goal_of(epsilon, delta);
	double low, high, a;

	if (to.small)
	{
		double mu = delta * SQRT_2PI;

		a = erfc_inv_bound(2 * delta, log(2 * delta));
		a = fmin(a, (epsilon / mu - 0.5 * mu) * GDP_SQRT1_2);
		low = -sqrt(-log1p(-delta)) * (1 + 0x1p-50);
		high = a + fabs(a) * 0x1p-50 + 0x1p-1000;
	}
	else
	{
		a = -erfc_inv_bound(to.goal, log(to.goal));
		low = a * (1 + 0x1p-50);
		high = 0x1p-1000;
	}
	return gdp_newton_root(step_of_a, &to, low, high, a, GDP_ROOT_HIGH);
}

double
gdp_place_solve_mu(double epsilon, double delta)
{
	if (epsilon == 0)
		return 2 * GDP_SQRT2 * gdp_erf_inv(delta);
	return gdp_mu_of_a(gdp_place_solve_a(epsilon, delta), epsilon);
}

gdp_status
gdp_profile_mu(double epsilon, double delta, double *mu)
{
	double value;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA, delta);
	value = gdp_down(gdp_place_solve_mu(epsilon, delta));
	if (!(value > 0))
		return GDP_OUT_OF_RANGE;
	*mu = value;
	return GDP_OK;
}

gdp_status
gdp_sigma_of_mu(double mu, double l2_sensitivity, double *sigma)
{
	double value = gdp_up(l2_sensitivity / mu);

	if (!(mu >= DBL_MIN && value <= DBL_MAX)) /* a subnormal mu isn't known well enough */
		return GDP_OUT_OF_RANGE;
	*sigma = value;
	return GDP_OK;
}

gdp_status
gdp_optimal_sigma(double epsilon, double delta, double l2_sensitivity, double *sigma)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA, delta);
	GDP_CHECK(3, SENSITIVITY, l2_sensitivity);
	return gdp_sigma_of_mu(gdp_place_solve_mu(epsilon, delta), l2_sensitivity, sigma);
}

/* ---------------------------------------------------------------------------
 * epsilon of (mu, delta)
 * ---------------------------------------------------------------------------
 */

/* d delta / d epsilon = -e^epsilon Phi(-x2), epsilon = 2 h m */
static double
slope_of_m(const gdp_place *at)
{
	return 2 * at->h * gdp_erfcx(at->A);
}

static gdp_newton
step_of_m(void *problem, double m)
{
	const gdp_goal *to = problem;
	double factor, excess, step;
	gdp_place at;

	gdp_place_of_m(m, to->parameter, &at);
	factor = to->small ? gdp_place_difference(&at) : gdp_place_complement(&at);
	excess = gdp_place_excess(&at, factor, to->goal);
	step = (to->small ? excess : -excess) * factor / slope_of_m(&at);
	return (gdp_newton){.next = m + step,
						.root_is_above = to->small == (excess > 0),
						.is_last = fabs(step) <= GDP_NEWTON_TOLERANCE * fmin(1, m)};
}

/*
 * The epsilon at which the profile of mu (1 + mu_error) passes through delta, not near 0.  The start is
 * the upper bound that probabilistic privacy gives: delta <= erfc(a)/2.  Of the last bracket the larger m,
 * which is the larger epsilon.
 */
static double
solve_epsilon(double mu, double mu_error, double delta)
{
	gdp_goal to = gdp_goal_of(mu, delta);
	double m = fmax(gdp_erfc_inv(2 * delta) * (1 + 0x1p-50) + 0.5 * GDP_SQRT1_2 * mu, 0);
	gdp_place at;

	m = gdp_newton_root(step_of_m, &to, 0, m, m, GDP_ROOT_HIGH);
	gdp_place_of_m(m, mu, &at);

	/* d epsilon / d ln mu = mu / R(x2), with Mills's ratio R */
	return GDP_SQRT2 * mu * m + GDP_TWO_OVER_SQRT_PI * mu * mu_error * (mu / slope_of_m(&at));
}

/* The smallest epsilon >= 0, unrounded. */
static double
epsilon_of_mu(double mu, double mu_error, double delta)
{
	double h = mu * GDP_SQRT1_2;
	double distance;

	/* How far delta is below the profile at epsilon = 0, and the slope of delta over m there. */
	distance = delta <= 0.5 ? erf(0.5 * h) - delta : (1 - delta) - erfc(0.5 * h);
	if (distance < M_NEAR_ZERO * h * erfc(0.5 * h))
		return gdp_epsilon_near_zero(mu, mu_error, delta);
	return solve_epsilon(mu, mu_error, delta);
}

static gdp_status
profile_epsilon(double mu, double mu_error, double delta, double *epsilon)
{
	double scale = mu < GDP_MU_TINY ? GDP_MU_SCALE : 1;
	double value = 0;

	if (delta * scale < 1)
		value = epsilon_of_mu(mu * scale, mu_error, delta * scale) / scale;
	value = gdp_epsilon_up(value);
	if (!(value <= DBL_MAX))
		return GDP_OUT_OF_RANGE;
	*epsilon = value;
	return GDP_OK;
}

gdp_status
gdp_profile_epsilon(double mu, double delta, double *epsilon)
{
	GDP_CHECK(1, MU, mu);
	GDP_CHECK(2, DELTA, delta);
	return profile_epsilon(mu, 0, delta, epsilon);
}

gdp_status
gdp_sigma_epsilon(double sigma, double delta, double l2_sensitivity, double *epsilon)
{
	double mu;
	double mu_error;

	GDP_CHECK(1, SIGMA, sigma);
	GDP_CHECK(2, DELTA, delta);
	GDP_CHECK(3, SENSITIVITY, l2_sensitivity);
	gdp_mu_of_sigma(sigma, l2_sensitivity, &mu, &mu_error);
	return profile_epsilon(mu, mu_error, delta, epsilon);
}
