/*
 * mechanism.c
 *		The catalogue of mechanisms: one entry for each published sigma formula.
 *
 * Reads from profile.c, pdp.c and normal.c.
 *
 * Each formula is kept as the mu = l2_sensitivity / sigma that it allows, rounded to nearest; most have
 * the form mu = sqrt2 (sqrt(x^2 + epsilon) - x) with an x of their own (gdp_mu_of_a).  A formula
 * gives NaN or 0 where it has no value.  sigma = l2_sensitivity / mu is rounded up.
 *
 * Where a formula was published with a misprint, the corrected form stands here (docs/mathematics.md,
 * errata).  Outside the parameters that its proof covers a mechanism is accepted only where the exact
 * profile shows that it holds.
 *
 * Error bound (measured against mpmath, test/reference.py)
 *		mu: relative 1e-14; mechanism1: 1e-16 / sqrt(epsilon) where its b is next to 0 (delta next to
 *		sqrt(epsilon/pi), epsilon below 1e-6), never under the optimum.
 */
#include <string.h>

#include "core/domain.h"
#include "core/place.h"
#include "gdp/gdp.h"

#define PI 3.14159265358979323846
#define LN2 0.69314718055994530942
#define SQRT_PI 1.77245385090551602730

/* ---------------------------------------------------------------------------
 * The formulas
 * ---------------------------------------------------------------------------
 */

static double
zero_epsilon(double epsilon, double delta)
{
	(void) epsilon;
	return gdp_place_solve_mu(0, delta);
}

static double
dwork2006(double epsilon, double delta)
{
	return epsilon / sqrt(2 * (LN2 - log(delta)));
}

static double
dwork2014(double epsilon, double delta)
{
	return epsilon / gdp_dwork2014_factor(delta);
}

double
gdp_dwork2014_factor(double delta)
{
	return sqrt(2 * (log(1.25) - log(delta)));
}

/* Up to here the series of mechanism1_b_small has converged to the last bit. */
#define SMALL 0.04

/* 1 - erfcx(x), and the same without its first term, GDP_TWO_OVER_SQRT_PI x; |x| <= 2 SMALL. */
static double
one_minus_erfcx(double x)
{
	return exp(x * x) * erf(x) - expm1(x * x);
}

static double
one_minus_erfcx_rest(double x)
{
	double even = 1, odd = 4 / (3 * SQRT_PI), sum_even = 0, sum_odd = 0, power = x * x;

	/* erfcx(x) = sum of (-x)^n / Gamma(n/2 + 1) */
	for (int n = 2; n < 22; n += 2)
	{
		sum_even += even * power;
		sum_odd += odd * power * x;
		power *= x * x;
		even /= n / 2 + 1;
		odd /= n / 2 + 1.5;
	}
	return sum_odd - sum_even;
}

/* 1 - erfcx(sqrt epsilon) - 2 delta, where these may nearly be equal: the first term in two doubles. */
static double
erf_u_small(double epsilon, double delta)
{
	const double low = 1.53354596131658812e-17; /* what GDP_TWO_OVER_SQRT_PI lacks */
	double r = sqrt(epsilon), r_low = fma(-r, r, epsilon) / (2 * r),
		   first = GDP_TWO_OVER_SQRT_PI * r,
		   first_low =
			   fma(GDP_TWO_OVER_SQRT_PI, r, -first) + GDP_TWO_OVER_SQRT_PI * r_low + low * r;

	return (first - 2 * delta) + (first_low + one_minus_erfcx_rest(r));
}

/*
 * b of Mechanism 1 where it may be next to 0, so that 2 delta / (1 - H) is too coarse: from erf(b) =
 * (1 - H - 2 delta) / (1 - H).  With E = 1 - erfcx, r = sqrt epsilon and A = sqrt(u^2 + epsilon) the
 * numerator is (1 - H)(1 + E(u)) - (E(A) - E(u)) taken away and put in again term by term: what is left
 * of the first order is A - r = u^2 / (A + r).  NaN where b is large.
 */
static double
mechanism1_b_small(double epsilon, double u, double one_minus_H)
{
	double r = sqrt(epsilon), A = sqrt(fma(u, u, epsilon)), erf_u_rest, numerator;

	erf_u_rest = -GDP_TWO_OVER_SQRT_PI * u * u * u * (1 / 3.0 - u * u * (0.1 - u * u / 42));
	numerator = GDP_TWO_OVER_SQRT_PI * u * u / (A + r) +
				(one_minus_erfcx_rest(A) - one_minus_erfcx_rest(r)) - one_minus_erfcx_rest(u) +
				one_minus_H * one_minus_erfcx(u) + erf_u_rest;
	return fabs(numerator) <= 0.5 * one_minus_H ? gdp_erf_inv(numerator / one_minus_H) : NAN;
}

/*
 * b of Mechanism 1: with s = erfcx(sqrt epsilon), q = 2 delta + s, erfc(u) = q, H = e^epsilon
 * erfc(sqrt(u^2 + epsilon)) / q it is erfc^-1(2 delta / (1 - H)); 0 where q >= 2.  1 - s and 1 - H are
 * differences D of place.h.
 */
static double
mechanism1_b(double epsilon, double delta)
{
	double s = gdp_erfcx(sqrt(epsilon));
	gdp_place at;
	double erf_u;
	double u;
	double one_minus_H;
	double y;

	gdp_place_of_a(0, epsilon, &at);
	erf_u = epsilon <= SMALL * SMALL ? erf_u_small(epsilon, delta)
									 : gdp_place_difference(&at) - 2 * delta;
	if (!(erf_u > -1))
		return 0;
	if (erf_u > 0.5)
		u = gdp_erfc_inv(2 * delta + s);
	else if (erf_u < -0.5)
		u = -gdp_erfc_inv(2 * (1 - delta) - s);
	else
		u = gdp_erf_inv(erf_u);
	gdp_place_of_a(u, epsilon, &at);
	one_minus_H = gdp_place_difference(&at) / gdp_erfcx(u);
	if (epsilon <= SMALL * SMALL && fabs(u) <= SMALL)
	{
		double b = mechanism1_b_small(epsilon, u, one_minus_H);

		if (!isnan(b))
			return b;
	}
	y = 2 * delta / one_minus_H;
	if (y < 1.5)
		return gdp_erfc_inv(y);
	return -gdp_erfc_inv(2 * ((1 - delta) - gdp_erfcx(at.A) / gdp_erfcx(u)) / one_minus_H);
}

static double
mechanism1(double epsilon, double delta)
{
	double mu = gdp_mu_of_a(mechanism1_b(epsilon, delta), epsilon);

	/* Where b is badly conditioned, its rounding error stays on the private side. */
	return fmin(mu, gdp_place_solve_mu(epsilon, delta));
}

gdp_status
gdp_mechanism1_b(double epsilon, double delta, double *b)
{
	double value;

	GDP_CHECK(1, EPSILON, epsilon);
	GDP_CHECK(2, DELTA, delta);
	value = mechanism1_b(epsilon, delta);
	if (!(fabs(value) <= DBL_MAX))
		return GDP_OUT_OF_RANGE;
	*b = value;
	return GDP_OK;
}

/* x^2 of Mechanism 2 is ln((1 + w)/(8 delta)), w = sqrt(1 + 16 delta); c is 1/2 - delta, exactly. */
static double
mechanism2_x(double delta, double c)
{
	double w = sqrt(1 + 16 * delta);

	if (delta < 1e-300)
		return sqrt(-2 * LN2 - log(delta));
	return sqrt(log1p(c * (w + 1) / ((w + 3) * delta)));
}

static double
mechanism2(double epsilon, double delta)
{
	return delta < 0.5 ? gdp_mu_of_a(mechanism2_x(delta, 0.5 - delta), epsilon) : NAN;
}

static double
pdp_optimal(double epsilon, double delta)
{
	return epsilon > 0 ? gdp_pdp_two_tailed_mu(epsilon, delta) : NAN;
}

static double
mechanism3(double epsilon, double delta)
{
	return gdp_mu_of_a(gdp_erfc_inv(delta), epsilon);
}

static double
mechanism4(double epsilon, double delta)
{
	return gdp_mu_of_a(mechanism2_x(0.5 * delta, 0.5 * (1 - delta)), epsilon);
}

static double
vinterbo8(double epsilon, double delta)
{
	return gdp_mu_of_a(gdp_erfc_inv(2 * delta), epsilon);
}

/* z = -ln(4 delta (1 - delta)), stable near 0, 1/2 and 1. */
double
gdp_vinterbo_z(double delta)
{
	double c = 1 - 2 * delta;

	if (delta > 0.1 && delta < 0.9)
		return -log1p(-c * c);
	return -2 * LN2 - log(delta) - (delta < 0.5 ? log1p(-delta) : log(1 - delta));
}

static double
vinterbo9(double epsilon, double delta)
{
	double z = gdp_vinterbo_z(delta);

	return gdp_mu_of_a(delta <= 0.5 ? sqrt(z) : -sqrt(0.25 * PI * z), epsilon);
}

/* sigma is the sum of a term in 1/epsilon, which vanishes from delta = 1/2 on, and 1/sqrt(2 epsilon). */
static double
vinterbo10(double epsilon, double delta)
{
	double c = delta <= 0.5 ? sqrt(2 * gdp_vinterbo_z(delta)) : 0;

	return epsilon / (c + sqrt(0.5 * epsilon));
}

static double
theorem2_upper(double epsilon, double delta)
{
	if (!(delta < 0.5))
		return NAN;
	return epsilon / (sqrt(2 * (-LN2 - log(delta))) + sqrt(0.5 * epsilon));
}

static double
zcdp(double epsilon, double delta)
{
	return gdp_mu_of_a(sqrt(-log(delta)), epsilon);
}

static double
mcdp(double epsilon, double delta)
{
	return gdp_mu_of_a(sqrt(log1p(exp(-epsilon)) - log(delta)), epsilon);
}

/* ---------------------------------------------------------------------------
 * The catalogue
 * ---------------------------------------------------------------------------
 */

static bool
proven_everywhere(double epsilon, double delta)
{
	(void) epsilon;
	(void) delta;
	return true;
}

static bool
proven_to_one(double epsilon, double delta)
{
	(void) delta;
	return epsilon <= 1;
}

static bool
proven_theorem2(double epsilon, double delta)
{
	return epsilon >= 0.01 && delta <= 0.05;
}

#define ANY "epsilon > 0, 0 < delta < 1"
#define TO_ONE "0 < epsilon <= 1, and beyond as far as the exact privacy profile bears it out"

const gdp_mechanism gdp_mechanisms[GDP_MECHANISMS] = {
	{"optimal", GDP_DP, "epsilon >= 0, 0 < delta < 1", true, gdp_place_solve_mu, proven_everywhere,
	 "Balle and Wang 2018, Theorem 8; Zhao et al. 2019, DP-OPT"},
	{"dwork2006", GDP_DP, TO_ONE, false, dwork2006, proven_to_one,
	 "Dwork, Kenthapadi, McSherry, Mironov and Naor 2006"},
	{"dwork2014", GDP_DP, TO_ONE, false, dwork2014, proven_to_one,
	 "Dwork and Roth 2014, Theorem A.1"},
	{"mechanism1", GDP_DP, ANY, false, mechanism1, proven_everywhere,
	 "Zhao et al. 2019, Mechanism 1"},
	{"mechanism2", GDP_DP, "epsilon > 0, 0 < delta < 1/2", false, mechanism2, proven_everywhere,
	 "Zhao et al. 2019, Mechanism 2"},
	{"pdp_optimal", GDP_PDP_TWO_TAILED, ANY, false, pdp_optimal, proven_everywhere,
	 "Zhao et al. 2019, pDP-OPT"},
	{"mechanism3", GDP_PDP_TWO_TAILED, ANY, false, mechanism3, proven_everywhere,
	 "Zhao et al. 2019, Mechanism 3"},
	{"mechanism4", GDP_PDP_TWO_TAILED, ANY, false, mechanism4, proven_everywhere,
	 "Zhao et al. 2019, Mechanism 4"},
	{"vinterbo8", GDP_DP, ANY, false, vinterbo8, proven_everywhere,
	 "Vinterbo 2022, (8); Zhao et al. 2019, (31b)"},
	{"vinterbo9", GDP_DP, ANY, false, vinterbo9, proven_everywhere,
	 "Vinterbo 2022, (9), corrected"},
	{"vinterbo10", GDP_DP, ANY, false, vinterbo10, proven_everywhere,
	 "Vinterbo 2022, (10), corrected"},
	{"zero_epsilon", GDP_DP, "epsilon >= 0, 0 < delta < 1", true, zero_epsilon, proven_everywhere,
	 "Zhao et al. 2019, Theorem 3"},
	{"theorem2_upper", GDP_DP,
	 "epsilon >= 0.01, delta <= 0.05, and for delta < 1/2 as far as the exact privacy profile "
	 "bears "
	 "it out",
	 false, theorem2_upper, proven_theorem2, "Zhao et al. 2019, Theorem 2 (iii)"},
	{"zcdp", GDP_DP, ANY, false, zcdp, proven_everywhere,
	 "Bun and Steinke 2016, Proposition 1.3 with Lemma 3.5"},
	{"mcdp", GDP_PDP_TWO_TAILED, ANY, false, mcdp, proven_everywhere,
	 "Dwork and Rothblum 2016, in the closed form of docs/mathematics.md"},
	{"pdp_one_tailed", GDP_PDP_ONE_TAILED, ANY, false, vinterbo8, proven_everywhere,
	 "Guingona et al. 2023, Definition 2.2; Zhao et al. 2019, (31b)"},
};

const gdp_mechanism *
gdp_mechanism_find(const char *name)
{
	for (int i = 0; i < GDP_MECHANISMS; i++)
	{
		if (strcmp(gdp_mechanisms[i].name, name) == 0)
			return &gdp_mechanisms[i];
	}
	return NULL;
}

static gdp_status
check_parameters(double epsilon, double delta, double l2_sensitivity)
{
	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA, delta);
	GDP_CHECK(3, SENSITIVITY, l2_sensitivity);
	return GDP_OK;
}

gdp_status
gdp_mechanism_measure(const gdp_mechanism *mechanism, double epsilon, double delta,
					  double l2_sensitivity, gdp_measure *measure)
{
	gdp_measure m;
	double mu;
	bool proven;
	gdp_status status = check_parameters(epsilon, delta, l2_sensitivity);

	if (status != GDP_OK)
		return status;
	if (epsilon == 0 && !mechanism->at_zero)
		return GDP_OUT_OF_DOMAIN;
	mu = mechanism->mu(epsilon, delta);
	if (isnan(mu))
		return GDP_OUT_OF_DOMAIN;
	status = gdp_sigma_of_mu(mu, l2_sensitivity, &m.sigma);
	if (status == GDP_OK)
		status = gdp_sigma_reached(mechanism->guarantee, m.sigma, epsilon, delta, l2_sensitivity,
								   &m.epsilon, &m.delta);
	if (status != GDP_OK)
		return status;
	proven = mechanism->proven(epsilon, delta);
	if (proven)
	{
		/* What a proof says is more than what rounding up can show. */
		m.epsilon = fmin(m.epsilon, epsilon);
		m.delta = fmin(m.delta, delta);
	}
	m.ratio = gdp_place_solve_mu(epsilon, delta) / mu;
	m.valid = proven || m.delta <= delta;
	*measure = m;
	return GDP_OK;
}

gdp_status
gdp_mechanism_sigma(const gdp_mechanism *mechanism, double epsilon, double delta,
					double l2_sensitivity, double *sigma)
{
	gdp_measure measure;
	gdp_status status;

	if (mechanism->mu == gdp_place_solve_mu)
		return gdp_optimal_sigma(epsilon, delta, l2_sensitivity, sigma);
	status = gdp_mechanism_measure(mechanism, epsilon, delta, l2_sensitivity, &measure);
	if (status != GDP_OK)
		return status;
	if (!measure.valid)
		return GDP_OUT_OF_DOMAIN;
	*sigma = measure.sigma;
	return GDP_OK;
}
