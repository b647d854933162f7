/*
 * concentrated.c
 *		Renyi, zero-concentrated, truncated and mean-concentrated DP, and (epsilon, delta)-DP.
 *
 * Reads from dd.h.  For a Gaussian mechanism the exact profile (profile.c) is never worse.
 *
 * Theorems
 *		zCDP: Bun and Steinke 2016.  tCDP: Bun, Dwork, Rothblum and Steinke 2018.  mCDP: Dwork and
 *		Rothblum 2016, Lemma 7 of Zhao et al. 2019.  RDP: Proposition 3 of Mironov 2017, and the tight
 *		conversion of Proposition 12 of Canonne, Kamath and Steinke 2020, which holds for each order
 *		alpha; the best order solves
 *			(2 alpha - 1) rho - epsilon + ln(1 - 1/alpha) = 0       for delta(epsilon)
 *			rho (alpha - 1)^2 + ln(alpha) = ln(1/delta)             for epsilon(delta)
 *		where the left sides rise in alpha.  Any order is safe, so that alpha = 1 + x is found in double
 *		and the bound, which is flat there, evaluated at it in double-double.
 *
 * Error bounds
 *		The last bit; rounded up, a budget down.
 */
#include "core/dd.h"
#include "core/domain.h"
#include "gdp/gdp.h"

/* ln(1/delta) */
static gdp_dd
log_inverse(double delta)
{
	return gdp_dd_neg(gdp_dd_log(gdp_dd_of(delta)));
}

/* At least 0, up: what an epsilon may be. */
static gdp_status
give_epsilon(gdp_dd value, double *epsilon)
{
	return gdp_give(value.hi > 0 ? gdp_dd_up(value) : 0, epsilon);
}

static gdp_status
give_delta(gdp_dd ln_delta, double *delta)
{
	return gdp_give(ln_delta.hi < 0 ? fmin(gdp_dd_up(gdp_dd_exp(ln_delta)), 1) : 1, delta);
}

/* ---------------------------------------------------------------------------
 * Renyi DP of one order
 * ---------------------------------------------------------------------------
 */

/* ln(1 - 1/alpha) for alpha = 1 + x */
static gdp_dd
log_order(gdp_dd x)
{
	gdp_dd alpha = gdp_dd_add(gdp_dd_of(1), x);

	return x.hi < 1 ? gdp_dd_log(gdp_dd_div(x, alpha))
					: gdp_dd_log1p(gdp_dd_neg(gdp_dd_div(gdp_dd_of(1), alpha)));
}

/* ln delta of the tight conversion at order 1 + x, x (tau - epsilon) + alpha ln(1 - 1/alpha) - ln x */
static gdp_dd
order_log_delta(gdp_dd x, gdp_dd tau, double epsilon)
{
	gdp_dd value = gdp_dd_mul(x, gdp_dd_sub(tau, gdp_dd_of(epsilon)));

	if (x.hi < 0x1p-60) /* the logarithms of x all but cancel */
		return gdp_dd_add(value, gdp_dd_sub(gdp_dd_mul(x, gdp_dd_log(x)), x));
	value = gdp_dd_add(value, gdp_dd_mul(gdp_dd_add(gdp_dd_of(1), x), log_order(x)));
	return gdp_dd_sub(value, gdp_dd_log(x));
}

/* epsilon of the tight conversion at order 1 + x: tau + ln(1 - 1/alpha) - ln(delta alpha) / x */
static gdp_dd
order_epsilon(gdp_dd x, gdp_dd tau, double delta)
{
	gdp_dd rest = gdp_dd_sub(log_inverse(delta), gdp_dd_log1p(x));

	return gdp_dd_add(gdp_dd_add(tau, log_order(x)), gdp_dd_div(rest, x));
}

gdp_status
gdp_rdp_delta(double alpha, double tau, double epsilon, double *delta)
{
	gdp_dd value;

	GDP_CHECK(1, ORDER, alpha);
	GDP_CHECK(2, NOT_NEGATIVE, tau);
	GDP_CHECK(3, EPSILON_OR_ZERO, epsilon);
	value = gdp_dd_exp(order_log_delta(gdp_dd_two_sum(alpha, -1), gdp_dd_of(tau), epsilon));
	return gdp_give(gdp_dd_up(value), delta);
}

gdp_status
gdp_rdp_epsilon(double alpha, double tau, double delta, double *epsilon)
{
	GDP_CHECK(1, ORDER, alpha);
	GDP_CHECK(2, NOT_NEGATIVE, tau);
	GDP_CHECK(3, DELTA, delta);
	return give_epsilon(order_epsilon(gdp_dd_two_sum(alpha, -1), gdp_dd_of(tau), delta), epsilon);
}

gdp_status
gdp_rdp_epsilon_mironov(double alpha, double tau, double delta, double *epsilon)
{
	GDP_CHECK(1, ORDER, alpha);
	GDP_CHECK(2, NOT_NEGATIVE, tau);
	GDP_CHECK(3, DELTA, delta);
	return give_epsilon(
		gdp_dd_add(gdp_dd_of(tau), gdp_dd_div(log_inverse(delta), gdp_dd_two_sum(alpha, -1))),
		epsilon);
}

/* half factor x^2, rounded up, for x that carries an error or not */
static gdp_status
half_square(gdp_dd x, double factor, double *result)
{
	gdp_dd value = gdp_dd_scale(gdp_dd_times(gdp_dd_mul(x, x), factor), -1);

	return gdp_give(x.hi == 0             ? 0
					: value.hi < 0x1p-960 ? gdp_dd_up(value)
										  : gdp_dd_up_exact(value),
					result);
}

gdp_status
gdp_rdp_gauss(double mu, double alpha, double *tau)
{
	GDP_CHECK(2, ORDER, alpha);
	GDP_CHECK(1, MU_OR_ZERO, mu);
	return half_square(gdp_dd_of(mu), alpha, tau);
}

/* ---------------------------------------------------------------------------
 * Zero-concentrated DP
 * ---------------------------------------------------------------------------
 */

gdp_status
gdp_zcdp_rho(double sigma, double l2_sensitivity, double *rho)
{
	GDP_CHECK(1, SIGMA, sigma);
	GDP_CHECK(2, SENSITIVITY, l2_sensitivity);
	GDP_REQUIRE(l2_sensitivity / sigma < 0x1p510, GDP_OUT_OF_RANGE);
	if (l2_sensitivity / sigma == 0)
		return gdp_give(DBL_TRUE_MIN, rho); /* above 0, even if too small */
	return half_square(gdp_dd_div(gdp_dd_of(l2_sensitivity), gdp_dd_of(sigma)), 1, rho);
}

gdp_status
gdp_zcdp_from_mu(double mu, double *rho)
{
	GDP_CHECK(1, MU_OR_ZERO, mu);
	return half_square(gdp_dd_of(mu), 1, rho);
}

gdp_status
gdp_zcdp_from_pure(double epsilon, double *rho)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	return half_square(gdp_dd_of(epsilon), 1, rho);
}

gdp_status
gdp_zcdp_epsilon(double rho, double delta, double *epsilon)
{
	gdp_dd root;

	GDP_CHECK(1, NOT_NEGATIVE, rho);
	GDP_CHECK(2, DELTA, delta);
	if (rho == 0)
		return gdp_give(0, epsilon);
	root = gdp_dd_mul(gdp_dd_sqrt(gdp_dd_of(rho)), gdp_dd_sqrt(log_inverse(delta)));
	return gdp_give(gdp_dd_up(gdp_dd_add(gdp_dd_of(rho), gdp_dd_scale(root, 1))), epsilon);
}

gdp_status
gdp_zcdp_delta(double rho, double epsilon, double *delta)
{
	gdp_dd over, root;

	GDP_CHECK(1, POSITIVE, rho);
	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	if (!(epsilon > rho))
		return gdp_give(1, delta);
	over = gdp_dd_two_sum(epsilon, -rho);
	root = gdp_dd_div(over, gdp_dd_scale(gdp_dd_sqrt(gdp_dd_of(rho)), 1));
	return give_delta(root.hi < 100 ? gdp_dd_neg(gdp_dd_mul(root, root)) : gdp_dd_of(-1e4), delta);
}

/*
 * The x > 0 at which a rising function of x changes its sign, to about the last bit: bisection of
 * ln x, which takes 70 steps.  a and b are the function's parameters.
 */
static double
rising_root(double (*rising)(double x, double a, double b), double a, double b)
{
	double low = -740, high = 720;

	for (int i = 0; i < 70; i++)
	{
		double middle = 0.5 * (low + high);

		if (rising(exp(middle), a, b) < 0)
			low = middle;
		else
			high = middle;
	}
	return exp(low);
}

static double
delta_order(double x, double rho, double epsilon)
{
	return (2 * x + 1) * rho - epsilon + log(x) - log1p(x);
}

static double
epsilon_order(double x, double rho, double log_inverse_delta)
{
	return rho * x * x + log1p(x) - log_inverse_delta;
}

/* Both stationary: rho = (L - ln alpha) / x^2, and that in the first, which falls in x. */
static double
rho_order(double x, double epsilon, double log_inverse_delta)
{
	double rho = (log_inverse_delta - log1p(x)) / x / x;

	return rho <= 0 ? HUGE_VAL : epsilon - (2 * x + 1) * rho - log(x) + log1p(x);
}

/* (1 + x) rho */
static gdp_dd
zcdp_tau(double x, double rho)
{
	return gdp_dd_times(gdp_dd_two_sum(1, x), rho);
}

gdp_status
gdp_zcdp_delta_tight(double rho, double epsilon, double *delta)
{
	double x;

	GDP_CHECK(1, POSITIVE, rho);
	GDP_CHECK(2, EPSILON_OR_ZERO, epsilon);
	x = rising_root(delta_order, rho, epsilon);
	if (!(x < 0x1p500)) /* delta is far below what a double can hold, or rho is */
		x = 0x1p500;
	return give_delta(order_log_delta(gdp_dd_of(x), zcdp_tau(x, rho), epsilon), delta);
}

gdp_status
gdp_zcdp_epsilon_tight(double rho, double delta, double *epsilon)
{
	double x;

	GDP_CHECK(1, POSITIVE, rho);
	GDP_CHECK(2, DELTA, delta);
	x = rising_root(epsilon_order, rho, -log(delta));
	return give_epsilon(order_epsilon(gdp_dd_of(x), zcdp_tau(x, rho), delta), epsilon);
}

gdp_status
gdp_zcdp_max_rho(double epsilon, double delta, double *rho)
{
	double x;
	gdp_dd L, value;

	GDP_CHECK(1, EPSILON, epsilon);
	GDP_CHECK(2, DELTA, delta);
	x = rising_root(rho_order, epsilon, -log(delta));
	L = gdp_dd_sub(log_inverse(delta), gdp_dd_log1p(gdp_dd_of(x)));

	/* epsilon = (1 + x) rho + ln(1 - 1/alpha) + L / x */
	value = gdp_dd_sub(gdp_dd_of(epsilon),
					   gdp_dd_add(log_order(gdp_dd_of(x)), gdp_dd_div(L, gdp_dd_of(x))));
	value = gdp_dd_div(value, gdp_dd_two_sum(1, x));
	GDP_REQUIRE(value.hi > 0, GDP_OUT_OF_RANGE);
	return gdp_give(gdp_dd_down(value), rho);
}

/* ---------------------------------------------------------------------------
 * Truncated and mean-concentrated DP
 * ---------------------------------------------------------------------------
 */

gdp_status
gdp_tcdp_epsilon(double rho, double omega, double delta, double *epsilon)
{
	gdp_dd L, order;

	GDP_CHECK(1, POSITIVE, rho);
	GDP_CHECK(2, ORDER, omega);
	GDP_CHECK(3, DELTA, delta);
	L = log_inverse(delta);
	order = gdp_dd_two_sum(omega, -1);
	if (gdp_dd_sub(gdp_dd_sqrt(gdp_dd_div(L, gdp_dd_of(rho))), order).hi <= 0)
		return gdp_zcdp_epsilon(rho, delta, epsilon);
	return give_epsilon(gdp_dd_add(gdp_dd_two_product(rho, omega), gdp_dd_div(L, order)), epsilon);
}

gdp_status
gdp_tcdp_delta(double rho, double omega, double epsilon, double *delta)
{
	gdp_dd order;

	GDP_CHECK(1, POSITIVE, rho);
	GDP_CHECK(2, ORDER, omega);
	GDP_CHECK(3, EPSILON_OR_ZERO, epsilon);
	order = gdp_dd_two_sum(omega, -1);
	if (epsilon <= rho || epsilon / rho - 1 <= 2 * (omega - 1))
		return gdp_zcdp_delta(rho, epsilon, delta);
	return give_delta(
		gdp_dd_mul(order, gdp_dd_sub(gdp_dd_two_product(rho, omega), gdp_dd_of(epsilon))), delta);
}

gdp_status
gdp_mcdp_delta(double mean, double tau, double epsilon, double *delta)
{
	gdp_dd y, c, first;

	GDP_CHECK(3, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(1, NOT_NEGATIVE, mean);
	GDP_CHECK(2, POSITIVE, tau);
	if (!(epsilon > mean))
		return gdp_give(1, delta);
	y = gdp_dd_div(gdp_dd_two_sum(epsilon, -mean), gdp_dd_of(tau));
	c = gdp_dd_div(gdp_dd_two_sum(epsilon, mean), gdp_dd_of(tau));
	if (y.hi > 100)
		return gdp_give(DBL_TRUE_MIN, delta);
	first = gdp_dd_exp(gdp_dd_neg(gdp_dd_scale(gdp_dd_mul(y, y), -1)));
	if (c.hi < 100)
		first = gdp_dd_add(first, gdp_dd_exp(gdp_dd_neg(gdp_dd_scale(gdp_dd_mul(c, c), -1))));
	return gdp_give(fmin(gdp_dd_up(first), 1), delta);
}

gdp_status
gdp_mcdp_epsilon(double mean, double tau, double delta, double *epsilon)
{
	gdp_dd L, c, y, e, g, slope;
	double low, high, ratio = mean / tau;

	GDP_CHECK(1, NOT_NEGATIVE, mean);
	GDP_CHECK(2, POSITIVE, tau);
	GDP_CHECK(3, DELTA, delta);

	/* y = (epsilon - mean) / tau, c = mean / tau: y^2 / 2 = ln(1/delta) + ln(1 + e^(-2 c (y + c))) */
	L = log_inverse(delta);
	low = sqrt(2 * L.hi) * (1 - 0x1p-50);
	high = sqrt(2 * (L.hi + 0.69314718055994531)) * (1 + 0x1p-50);
	for (int i = 0; i < 60; i++)
	{
		double middle = 0.5 * (low + high);

		if (0.5 * middle * middle < L.hi + log1p(exp(-2 * ratio * (middle + ratio))))
			low = middle;
		else
			high = middle;
	}

	/* and a step of Newton's in double-double */
	y = gdp_dd_of(high);
	c = gdp_dd_div(gdp_dd_of(mean), gdp_dd_of(tau));
	e = ratio < 100 ? gdp_dd_exp(gdp_dd_neg(gdp_dd_scale(gdp_dd_mul(c, gdp_dd_add(c, y)), 1)))
					: gdp_dd_of(0);
	g = gdp_dd_sub(gdp_dd_sub(gdp_dd_scale(gdp_dd_mul(y, y), -1), L), gdp_dd_log1p(e));
	slope = gdp_dd_add(y, gdp_dd_div(gdp_dd_scale(ratio < 100 ? gdp_dd_mul(c, e) : e, 1),
									 gdp_dd_add(gdp_dd_of(1), e)));
	y = gdp_dd_sub(y, gdp_dd_div(g, slope));
	return gdp_give(gdp_dd_up(gdp_dd_add(gdp_dd_of(mean), gdp_dd_times(y, tau))), epsilon);
}
