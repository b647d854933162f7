/*
 * pdp.c
 *		Probabilistic differential privacy of the Gaussian mechanism, in both notions.
 *
 * Reads from place.c and normal.c; mechanism.c and bounds.c build on it.
 *
 * The privacy loss of the Gaussian mechanism is normal with mean mu^2/2 and standard deviation mu.
 *		two-tailed (Zhao et al., Definition 2)		delta = P(|loss| > epsilon) = (erfc(a) + erfc(A))/2
 *		one-tailed (Guingona et al., Definition 2.2)	delta = P(loss > epsilon) = erfc(a)/2
 * Both imply (epsilon, delta)-DP.  With e^(-A^2) = e^(-a^2) e^(-epsilon) all is again e^(-a^2)/2 times a
 * sum of positive terms.
 *
 * Error bounds (measured against mpmath, test/reference.py)
 *		Relative 1e-14 before rounding; gdp_pdp_epsilon one-tailed with delta > 1/2: 1e-15 of mu^2/2.
 */
#include "core/domain.h"
#include "core/place.h"
#include "core/root.h"
#include "gdp/gdp.h"
#include "gdp/pdp.h"

double
gdp_pdp_two_tails(const gdp_place *at, double epsilon)
{
	return gdp_erfcx(at->a) + exp(-epsilon) * gdp_erfcx(at->A);
}

double
gdp_pdp_two_tails_rest(const gdp_place *at, double epsilon)
{
	gdp_place mirror;

	if (at->a >= 0)
		return (erf(at->a) + erf(at->A)) * exp(at->square);
	gdp_place_mirror(at, &mirror);
	return gdp_place_difference(&mirror) - expm1(-epsilon) * gdp_erfcx(at->A);
}

static void
pdp_tails(gdp_guarantee kind, const gdp_place *at, double epsilon, double *delta, double *rest)
{
	bool two = kind == GDP_PDP_TWO_TAILED;
	double part;

	if (at->square > GDP_SQUARE_MAX)
		part = 0;
	else if (at->a >= 0)
		part = gdp_place_half(at, two ? gdp_pdp_two_tails(at, epsilon) : gdp_erfcx(at->a));
	else
		part = gdp_place_half(at, two ? gdp_pdp_two_tails_rest(at, epsilon) : gdp_erfcx(-at->a));
	*delta = at->a >= 0 ? part : 1 - part;
	*rest = at->a >= 0 ? 1 - part : part;
	if (two && at->a >= 0 && part > 0.5)
		*rest = 0.5 * (erf(at->a) + erf(at->A));
}

static void
pdp_delta(gdp_guarantee kind, double mu, double mu_error, double epsilon, double *delta)
{
	double scale = mu < GDP_MU_TINY ? GDP_MU_SCALE : 1; /* only epsilon/mu matters there */
	gdp_place at;
	double value;
	double rest;

	gdp_place_of_mu(mu * scale, mu_error, epsilon * scale, &at);
	pdp_tails(kind, &at, epsilon, &value, &rest);
	*delta = gdp_delta_up(value, rest);
}

gdp_status
gdp_pdp_delta(gdp_guarantee kind, double mu, double epsilon, double *delta)
{
	if (kind == GDP_DP)
		return gdp_profile_delta(mu, epsilon, delta);
	GDP_CHECK(1, MU, mu);
	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	pdp_delta(kind, mu, 0, epsilon, delta);
	return GDP_OK;
}

/* What P(|loss| > epsilon), or its rest, exceeds the goal by, as a logarithm; and its factor */
static double
excess_of(const gdp_goal *to, const gdp_place *at, double epsilon, double *factor)
{
	*factor = to->small ? gdp_pdp_two_tails(at, epsilon) : gdp_pdp_two_tails_rest(at, epsilon);
	return gdp_place_excess(at, *factor, to->goal);
}

/* Newton in ln m */
static gdp_newton
step_of_m(void *problem, double m)
{
	const gdp_goal *to = problem;
	double epsilon, factor, excess, step;
	gdp_place at;

	gdp_place_of_m(m, to->parameter, &at);
	epsilon = 2 * at.h * m;
	excess = excess_of(to, &at, epsilon, &factor);
	step =
		(to->small ? excess : -excess) * factor / (GDP_TWO_OVER_SQRT_PI * (1 + exp(-epsilon)) * m);
	return (gdp_newton){.next = m * exp(step),
						.root_is_above = to->small == (excess > 0),
						.is_last = fabs(step) * (1 + m) <= GDP_NEWTON_TOLERANCE};
}

/* The m at which P(|loss| > epsilon) = delta, for a given mu; of the last bracket the larger epsilon. */
static double
solve_m(double mu, double delta)
{
	gdp_goal to = gdp_goal_of(mu, delta);
	double m = gdp_erfc_inv(delta) * (1 + 0x1p-50) + 0.5 * GDP_SQRT1_2 * mu;

	return gdp_newton_root(step_of_m, &to, 0, m, m, GDP_ROOT_HIGH);
}

gdp_status
gdp_pdp_epsilon(gdp_guarantee kind, double mu, double delta, double *epsilon)
{
	double value;
	double scale = mu < GDP_MU_TINY ? GDP_MU_SCALE : 1;

	if (kind == GDP_DP)
		return gdp_profile_epsilon(mu, delta, epsilon);
	GDP_CHECK(1, MU, mu);
	GDP_CHECK(2, DELTA, delta);
	if (kind == GDP_PDP_TWO_TAILED)
		value = GDP_SQRT2 * mu * solve_m(mu * scale, delta);
	else
	{
		double z = gdp_norm_upper_quantile(delta);

		value = mu * (z + 0.5 * mu);
		value = fmax(value + mu * (fabs(z) + 0.5 * mu) * 0x1p-51, 0);
	}
	value = gdp_epsilon_up(value);
	if (!(value <= DBL_MAX))
		return GDP_OUT_OF_RANGE;
	*epsilon = value;
	return GDP_OK;
}

/* Newton in ln mu */
static gdp_newton
step_of_a(void *problem, double a)
{
	const gdp_goal *to = problem;
	double epsilon = to->parameter, factor, excess, slope, step;
	gdp_place at;

	gdp_place_of_a(a, epsilon, &at);
	excess = excess_of(to, &at, epsilon, &factor);

	/* A + a e^(-epsilon), without cancellation for a < 0 */
	slope = a < 0 ? 2 * at.m + a * expm1(-epsilon) : at.A + a * exp(-epsilon);
	step = (to->small ? -excess : excess) * factor / (GDP_TWO_OVER_SQRT_PI * slope);
	return (gdp_newton){.next = gdp_place_step(&at, step),
						.root_is_above = to->small == (excess > 0),
						.is_last = fabs(step) * (1 + at.A) <= GDP_NEWTON_TOLERANCE};
}

/* The a at which P(|loss| > epsilon) = delta, for a given epsilon; of the last bracket the smaller mu. */
static double
solve_a(double epsilon, double delta)
{
	gdp_goal to = gdp_goal_of(epsilon, delta);
	double a = gdp_erfc_inv(delta), low = gdp_erfc_inv(2 * delta);

	low -= fabs(low) * 0x1p-50 + 0x1p-1000;
	return gdp_newton_root(step_of_a, &to, low, a * (1 + 0x1p-50), a, GDP_ROOT_HIGH);
}

double
gdp_pdp_two_tailed_mu(double epsilon, double delta)
{
	return gdp_mu_of_a(solve_a(epsilon, delta), epsilon);
}

gdp_status
gdp_pdp_d(double epsilon, double delta, double *d)
{
	GDP_CHECK(1, EPSILON, epsilon);
	GDP_CHECK(2, DELTA, delta);
	*d = solve_a(epsilon, delta);
	return GDP_OK;
}

gdp_status
gdp_sigma_reached(gdp_guarantee kind, double sigma, double epsilon, double delta,
				  double l2_sensitivity, double *epsilon_reached, double *delta_reached)
{
	double mu;
	double mu_error;
	double reached;
	gdp_status status = GDP_OK;

	GDP_CHECK(1, SIGMA, sigma);
	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(3, DELTA, delta);
	GDP_CHECK(4, SENSITIVITY, l2_sensitivity);
	if (kind == GDP_DP)
	{
		status = gdp_sigma_delta(sigma, epsilon, l2_sensitivity, &reached);
		if (status == GDP_OK)
			status = gdp_sigma_epsilon(sigma, delta, l2_sensitivity, epsilon_reached);
	}
	else
	{
		gdp_mu_of_sigma(sigma, l2_sensitivity, &mu, &mu_error);
		pdp_delta(kind, mu, mu_error, epsilon, &reached);
		status = gdp_pdp_epsilon(kind, nextafter(mu, HUGE_VAL), delta, epsilon_reached);
	}
	if (status == GDP_OK)
		*delta_reached = reached;
	return status;
}
