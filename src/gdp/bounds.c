/*
 * bounds.c
 *		Limits of the Gaussian mechanism: where classical formulas stop being private, bounds of the
 *		optimal sigma, the trade-off between the two kinds of error, Vinterbo's diagnostics, and bounds
 *		of the inverse of erfc.
 *
 * Reads from place.c, profile.c, pdp.c and mechanism.c.
 *
 * Error bounds (measured against mpmath, test/reference.py)
 *		Relative 1e-14 before rounding, but for differences that vanish (gdp_vinterbo_g, _d: 1e-15 of
 *		delta) and gdp_tradeoff_beta: 1e-13.
 */
#include "core/dd.h"
#include "core/domain.h"
#include "core/place.h"
#include "core/root.h"
#include "gdp/gdp.h"
#include "gdp/pdp.h"

#define SQRT_PI 1.77245385090551602730
#define SQRT_2PI 2.50662827463100050242
#define LN2 0.69314718055994530942

/* ---------------------------------------------------------------------------
 * Thresholds
 * ---------------------------------------------------------------------------
 */

/* delta of a classical formula along its curve epsilon/mu = factor, on which m is a constant */
typedef struct threshold
{
	gdp_goal to; /* its parameter is m */
	bool pdp;
} threshold;

static gdp_newton
threshold_step(void *problem, double h)
{
	const threshold *t = problem;
	double m = t->to.parameter, factor, slope, excess, step;
	gdp_place at;

	gdp_place_of_m(m, h * GDP_SQRT2, &at);
	if (t->pdp)
	{
		factor = t->to.small ? gdp_pdp_two_tails(&at, 2 * h * m)
							 : gdp_pdp_two_tails_rest(&at, 2 * h * m);
		slope = -expm1(-2 * h * m) / SQRT_PI;
	}
	else
	{
		factor = t->to.small ? gdp_place_difference(&at) : gdp_place_complement(&at);
		slope = GDP_TWO_OVER_SQRT_PI * (1 - m * SQRT_PI * gdp_erfcx(at.A));
	}
	excess = gdp_place_excess(&at, factor, t->to.goal);
	step = (t->to.small ? -excess : excess) * factor / slope;
	return (gdp_newton){.next = h + step,
						.root_is_above = t->to.small == (excess < 0),
						.is_last = fabs(step) <= GDP_NEWTON_TOLERANCE * fmin(1, h)};
}

/*
 * The largest h at which sigma = factor * l2_sensitivity / epsilon is private.  delta increases with h =
 * mu/sqrt2 = epsilon/(2m).
 */
static double
threshold_h(double m, bool pdp, double delta)
{
	threshold t = {.to = gdp_goal_of(m, delta), .pdp = pdp};

	/* a = -8 at the upper end: 1 - delta < 2^-90 */
	return gdp_newton_root(threshold_step, &t, 0, 2 * (m + 8), fmin(1, m), GDP_ROOT_LOW);
}

gdp_status
gdp_dwork_threshold(gdp_classic formula, gdp_guarantee kind, double delta, double *epsilon)
{
	double m;

	GDP_CHECK(1, DELTA, delta);
	if (formula == GDP_DWORK2014)
		m = gdp_dwork2014_factor(delta) * GDP_SQRT1_2;
	else
		m = sqrt(LN2 - log(delta));
	*epsilon = gdp_down(2 * m * threshold_h(m, kind != GDP_DP, delta));
	return GDP_OK;
}

typedef struct erfcx_goal
{
	double twice;
	double rest; /* 1 - twice */
} erfcx_goal;

/* ln of 1 - erfcx, or of erfcx, is close to linear in ln s at both ends: Newton goes in ln s. */
static gdp_newton
erfcx_step(void *problem, double s)
{
	const erfcx_goal *goal = problem;
	bool small = goal->twice <= 0.5;
	double erfcx = gdp_erfcx(s), excess, step;
	double slope = 2 * s * (s > 1e3 ? -0.5 * erfcx / s : s * erfcx - 0.5 * GDP_TWO_OVER_SQRT_PI);

	if (small)
	{
		gdp_place at;

		gdp_place_of_m(0.5 * s, s * GDP_SQRT2, &at); /* a = 0, A = s */
		erfcx = gdp_place_difference(&at);
		slope = -slope;
		excess = log(erfcx / goal->twice);
	}
	else
		excess = log(erfcx / goal->rest);
	step = -excess * erfcx / slope;
	return (gdp_newton){.next = s * exp(step),
						.root_is_above = small == (excess < 0),
						.is_last = fabs(step) <= GDP_NEWTON_TOLERANCE};
}

/* The s with erfcx(s) = 1 - twice, 0 < twice < 1; rest is 1 - twice. */
static double
erfcx_root(double twice, double rest)
{
	erfcx_goal goal = {twice, rest};
	double start = twice * (0.5 * SQRT_PI) / rest;

	return gdp_newton_root(erfcx_step, &goal, 0, 2 * start + 1 / (rest * SQRT_PI), start,
						   GDP_ROOT_HIGH);
}

gdp_status
gdp_epsilon_star(double delta, double *epsilon)
{
	double s;

	GDP_CHECK(1, DELTA_HALF, delta);
	s = erfcx_root(2 * delta, 1 - 2 * delta);
	*epsilon = s * s;
	return GDP_OK;
}

gdp_status
gdp_epsilon_hash(double delta, double *epsilon)
{
	double s;

	GDP_CHECK(1, DELTA, delta);
	s = erfcx_root(delta, 1 - delta);
	*epsilon = s * s;
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * Bounds of the optimal sigma from below
 * ---------------------------------------------------------------------------
 */

/* Zhao et al., Theorem 2 (ii), for epsilon >= epsilon_*(delta). */
gdp_status
gdp_lower_sigma_theorem2(double epsilon, double l2_sensitivity, double *sigma)
{
	double value;

	GDP_CHECK(1, EPSILON, epsilon);
	GDP_CHECK(2, SENSITIVITY, l2_sensitivity);
	value = gdp_down(l2_sensitivity / (GDP_SQRT2 * sqrt(epsilon)));
	if (!(value <= DBL_MAX))
		return GDP_OUT_OF_RANGE;
	*sigma = value;
	return GDP_OK;
}

/* l2_sensitivity / (sqrt2 (v + sqrt(v^2 + epsilon))), rounded down */
static gdp_status
lower_sigma(double v, double epsilon, double l2_sensitivity, double *sigma)
{
	double value = gdp_down(l2_sensitivity / (GDP_SQRT2 * (v + gdp_place_radius(v, epsilon))));

	if (!(value <= DBL_MAX))
		return GDP_OUT_OF_RANGE;
	*sigma = value;
	return GDP_OK;
}

static gdp_status
check_three(double epsilon, double delta, double l2_sensitivity)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA, delta);
	GDP_CHECK(3, SENSITIVITY, l2_sensitivity);
	return GDP_OK;
}

/* Zhao et al., Lemma 10, (32a) and (33a): v = erfc^-1((2 - 2 delta)/(e^epsilon + 1)) */
gdp_status
gdp_lower_sigma_lemma10a(double epsilon, double delta, double l2_sensitivity, double *sigma)
{
	gdp_status status = check_three(epsilon, delta, l2_sensitivity);
	double v;

	if (status != GDP_OK)
		return status;
	if (epsilon < 0.25 && delta < 0.1)
		v = gdp_erf_inv((expm1(epsilon) + 2 * delta) / (exp(epsilon) + 1));
	else
		v = gdp_erfc_inv_log(LN2 + (delta < 0.5 ? log1p(-delta) : log(1 - delta)) - epsilon -
							 log1p(exp(-epsilon)));
	return lower_sigma(v, epsilon, l2_sensitivity, sigma);
}

/* Zhao et al., (33b), for delta >= 1/2 and epsilon > epsilon_#(delta): v = erf^-1(delta) */
gdp_status
gdp_lower_sigma_lemma10b(double epsilon, double delta, double l2_sensitivity, double *sigma)
{
	gdp_status status = check_three(epsilon, delta, l2_sensitivity);

	if (status != GDP_OK)
		return status;
	if (!(delta >= 0.5 && gdp_erfcx(sqrt(epsilon)) < 1 - delta))
		return GDP_OUT_OF_DOMAIN;
	return lower_sigma(gdp_erf_inv(delta), epsilon, l2_sensitivity, sigma);
}

gdp_status
gdp_profile_a(double epsilon, double delta, double *a)
{
	gdp_status status = check_three(epsilon, delta, 1);

	if (status != GDP_OK)
		return status;
	*a = epsilon == 0 ? -gdp_erf_inv(delta) : gdp_place_solve_a(epsilon, delta);
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * Trade-off function and derivatives
 * ---------------------------------------------------------------------------
 */

gdp_status
gdp_tradeoff_beta(double mu, double alpha, double *beta)
{
	double value;

	GDP_CHECK(2, PROBABILITY, alpha);
	GDP_CHECK(1, MU, mu);
	value = gdp_norm_sf(mu - gdp_norm_upper_quantile(alpha));

	/* The argument is known to a few ulp of its terms, which the tail magnifies. */
	*beta = fmax(value - value * 0x1p-41, 0);
	return GDP_OK;
}

static gdp_status
check_place(double epsilon, double mu)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, MU, mu);
	return GDP_OK;
}

gdp_status
gdp_mu_slope_epsilon(double epsilon, double mu, double *slope)
{
	gdp_status status = check_place(epsilon, mu);
	gdp_place at;

	if (status != GDP_OK)
		return status;
	gdp_place_of_mu(mu, 0, epsilon, &at);
	*slope = 0.5 * SQRT_2PI * gdp_erfcx(at.A);
	return GDP_OK;
}

gdp_status
gdp_mu_slope_delta(double epsilon, double mu, double *slope)
{
	gdp_status status = check_place(epsilon, mu);
	gdp_place at;

	if (status != GDP_OK)
		return status;
	gdp_place_of_mu(mu, 0, epsilon, &at);
	if (!(at.square < 708))
		return GDP_OUT_OF_RANGE;
	*slope = SQRT_2PI * exp(at.square) * (1 + at.square_low);
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * Vinterbo's diagnostics of the standard bound (Dwork-2014)
 * ---------------------------------------------------------------------------
 */

gdp_status
gdp_vinterbo_g(double epsilon, double delta, double *g)
{
	gdp_status status = check_three(epsilon, delta, 1);
	double factor;

	if (status != GDP_OK)
		return status;
	factor = gdp_dwork2014_factor(delta); /* sqrt(2 L); w = factor - epsilon / (2 factor) */
	*g = delta - 2 * gdp_norm_sf(factor - 0.5 * epsilon / factor);
	return GDP_OK;
}

gdp_status
gdp_vinterbo_d(double epsilon, double delta, double *d)
{
	gdp_status status = check_three(epsilon, delta, 1);
	double reached;
	double rest;
	double h;
	double m;
	gdp_place at;

	if (status != GDP_OK)
		return status;
	GDP_CHECK(1, EPSILON, epsilon);
	m = gdp_dwork2014_factor(delta) * GDP_SQRT1_2;
	h = 0.5 * epsilon / m;
	gdp_place_of_m(m, h * GDP_SQRT2, &at);
	gdp_place_tails(&at, &reached, &rest);
	*d = delta > 0.5 && reached > 0.5 ? rest - (1 - delta) : delta - reached;
	return GDP_OK;
}

gdp_status
gdp_vinterbo_ratio(double epsilon, double delta, double *ratio)
{
	gdp_status status = check_three(epsilon, delta, 1);
	double value;

	if (status != GDP_OK)
		return status;
	GDP_CHECK(1, EPSILON, epsilon);
	value = gdp_mechanism_find("vinterbo9")->mu(epsilon, delta) /
			gdp_mechanism_find("dwork2014")->mu(epsilon, delta);
	if (!(value <= DBL_MAX))
		return GDP_OUT_OF_RANGE;
	*ratio = value;
	return GDP_OK;
}

gdp_status
gdp_vinterbo_rho_plus(double delta, double *rho)
{
	GDP_CHECK(1, DELTA_HALF, delta);
	*rho = gdp_dwork2014_factor(delta) * GDP_SQRT1_2 / sqrt(gdp_vinterbo_z(delta));
	return GDP_OK;
}

gdp_status
gdp_vinterbo_rho_minus(double delta, double *rho)
{
	double z;

	GDP_CHECK(1, DELTA_HALF, delta);
	z = gdp_vinterbo_z(delta);
	*rho = GDP_SQRT2 * gdp_dwork2014_factor(delta) / (sqrt(z + 1) + sqrt(z));
	return GDP_OK;
}

gdp_status
gdp_quantile_bound(double p, double *z)
{
	double root;

	GDP_CHECK(1, DELTA, p);
	root = GDP_SQRT2 * sqrt(gdp_vinterbo_z(p));
	*z = p < 0.5 ? -gdp_down(0.5 * SQRT_PI * root) : root > 0 ? gdp_up(root) : 0;
	return GDP_OK;
}

/* ---------------------------------------------------------------------------
 * Zhao et al., Lemma 8 and Proposition 1
 * ---------------------------------------------------------------------------
 * erfc(x) <= (e^(-x^2) + e^(-2 x^2)) / 2 for x >= 0 (Chiani, Dardari and Simon 2003), which is y where e^(-x^2) = t =
 * 4y / (1 + sqrt(1 + 8y)).  At t = y < 1 it is (y + y^2) / 2 < y, so t > y: the second bound is above the first.
 */
gdp_status
gdp_erfc_inv_bound(double y, double *x)
{
	gdp_dd w, ln;

	GDP_CHECK(1, SHARE, y);
	w = gdp_dd_sqrt(gdp_dd_add(gdp_dd_of(1), gdp_dd_of(8 * y)));
	if (y < 0.5)
		ln = gdp_dd_sub(gdp_dd_log(gdp_dd_scale(gdp_dd_add(gdp_dd_of(1), w), -2)),
						gdp_dd_log(gdp_dd_of(y)));
	else
	{
		/* (1 + w) / (4y) - 1 = (1 - y) (w + 1) / ((w + 3) y) */
		ln = gdp_dd_mul(gdp_dd_two_sum(1, -y), gdp_dd_add(w, gdp_dd_of(1)));
		ln = gdp_dd_div(ln, gdp_dd_times(gdp_dd_add(w, gdp_dd_of(3)), y));
		ln = gdp_dd_log1p(ln);
	}
	return gdp_give(gdp_dd_up(gdp_dd_sqrt(ln)), x);
}

gdp_status
gdp_erfc_inv_bound_log(double y, double *x)
{
	GDP_CHECK(1, SHARE, y);
	return gdp_give(gdp_dd_up(gdp_dd_sqrt(gdp_dd_neg(gdp_dd_log(gdp_dd_of(y))))), x);
}
