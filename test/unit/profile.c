/*
 * profile.c
 *		Properties of the privacy profile and its inverses, by themselves and against forms that share no
 *		code with them.
 */
#include <float.h>
#include <math.h>

#include "gdp/gdp.h"
#include "core/place.h"
#include "unit.h"

#define PI 3.14159265358979323846

static const double epsilons[] = {0,   1e-300, 1e-12, 1e-9, 1e-6, 1e-3, 0.01,  0.1,
								  0.5, 1,      2,     5,    10,   30,   100,   709,
								  800, 1e4,    1e6,   1e9,  1e15, 1e30, 1e100, 1e300};
static const double deltas[] = {1e-320,  1e-300,   1e-250,    1e-100,      1e-30,      1e-12,
								1e-9,    1e-6,     1e-5,      1e-3,        0.01,       0.1,
								0.3,     0.49,     0.5,       0.51,        0.7,        0.9,
								0.99999, 1 - 1e-9, 1 - 1e-12, 1 - 0x1p-52, 1 - 0x1p-53};

#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

static double
mu_of(double epsilon, double delta)
{
	double mu = NAN;

	gdp_profile_mu(epsilon, delta, &mu);
	return mu;
}

static double
delta_of(double mu, double epsilon)
{
	double delta = NAN;

	gdp_profile_delta(mu, epsilon, &delta);
	return delta;
}

static double
epsilon_of(double mu, double delta)
{
	double epsilon = NAN;

	gdp_profile_epsilon(mu, delta, &epsilon);
	return epsilon;
}

static double
sigma_of(double epsilon, double delta, double l2_sensitivity)
{
	double sigma = NAN;

	gdp_optimal_sigma(epsilon, delta, l2_sensitivity, &sigma);
	return sigma;
}

/* |x - y| <= tolerance |y| */
static bool
close_to(double x, double y, double tolerance)
{
	return fabs(x - y) <= tolerance * fabs(y);
}

/* delta = int_0^mu phi(epsilon/t - t/2) dt, by Simpson's rule: an exact form without any erfc. */
static double
delta_by_integral(double mu, double epsilon)
{
	const int n = 20000;
	double sum = 0;

	for (int i = 1; i <= n; i++)
	{
		double t = mu * i / n;
		double x = epsilon / t - 0.5 * t;

		sum += (i == n ? 1 : i % 2 ? 4 : 2) * exp(-0.5 * x * x);
	}
	if (epsilon == 0)
		sum += 1;
	return sum * mu / (3 * n) / sqrt(2 * PI);
}

static void
test_other_forms(void)
{
	int integral = 0;
	int zero = 0;
	int duality = 0;
	int count = 0;

	for (double mu = 0.01; mu < 12; mu *= 1.7)
	{
		for (double epsilon = 0; epsilon < 40; epsilon += 0.37 + 0.1 * epsilon)
		{
			double delta;
			double rest;
			double mirrored;

			gdp_profile_tails(mu, epsilon, &delta, &rest);
			count++;
			if (delta > 1e-60 && !close_to(delta_by_integral(mu, epsilon), delta, 1e-9))
				integral++;

			/* delta(-epsilon) = 1 - e^-epsilon + e^-epsilon delta(epsilon), by the definition */
			mirrored = gdp_norm_sf(-epsilon / mu - mu / 2) -
					   exp(-epsilon) * gdp_norm_sf(-epsilon / mu + mu / 2);
			if (!(fabs(mirrored - (1 - exp(-epsilon) + exp(-epsilon) * delta)) < 1e-14))
				duality++;
		}
		if (!close_to(gdp_profile_log_delta(mu, 0), log1p(-erfc(mu / sqrt(8))), 1e-12))
			zero++;
	}
	ok(integral == 0, "delta is the integral of phi(epsilon/t - t/2) (%d points)", count);
	ok(duality == 0, "delta(-epsilon) = 1 - e^-epsilon + e^-epsilon delta(epsilon)");
	ok(zero == 0, "delta(0) = erf(mu / (2 sqrt2))");
}

static void
test_monotone(void)
{
	int in_epsilon = 0;
	int in_mu = 0;
	int convex = 0;
	int slope_epsilon = 0;
	int slope_delta = 0;

	for (double mu = 1e-3; mu < 30; mu *= 1.37)
	{
		double before = 1;

		for (double x = 1; x < 50; x += 0.25)
		{
			/* x = e^epsilon */
			double here = delta_of(mu, log(x));
			double next = delta_of(mu, log(x + 0.25));

			in_epsilon += !(next <= here);
			in_mu += !(delta_of(mu * 1.01, log(x)) > here || here > 1 - 1e-15 || here < 1e-300);
			if (x > 1)
				convex += !(before - here >= (here - next) * (1 - 1e-9) - 1e-13 * here);
			before = here;
		}
	}
	for (double epsilon = 1e-6; epsilon < 100; epsilon *= 3)
	{
		for (double delta = 1e-12; delta < 0.9; delta *= 4)
		{
			double mu = mu_of(epsilon, delta);
			double slope;
			double difference;

			gdp_mu_slope_epsilon(epsilon, mu, &slope);
			difference = (mu_of(epsilon * 1.0001, delta) - mu_of(epsilon * 0.9999, delta)) /
						 (0.0002 * epsilon);
			slope_epsilon +=
				!(slope > 0 && slope <= sqrt(PI / 2) * gdp_erfcx(sqrt(epsilon)) * (1 + 1e-14) &&
				  fabs(difference - slope) <= 1e-4 * slope + 1e-8 * mu / epsilon);
			gdp_mu_slope_delta(epsilon, mu, &slope);
			difference = (mu_of(epsilon, delta * 1.0001) - mu_of(epsilon, delta * 0.9999)) /
						 (0.0002 * delta);
			slope_delta += !(slope >= sqrt(2 * PI) && fabs(difference - slope) <= 1e-4 * slope);
		}
	}
	ok(in_epsilon == 0, "delta decreases in epsilon");
	ok(in_mu == 0, "delta increases in mu");
	ok(convex == 0, "delta is convex in e^epsilon");
	ok(slope_epsilon == 0, "0 < d mu / d epsilon <= sqrt(pi/2) erfcx(sqrt epsilon)");
	ok(slope_delta == 0, "d mu / d delta >= sqrt(2 pi)");
}

/* Over the whole domain and far beyond: every result is on the private side and close to the border. */
static void
test_grid(void)
{
	int private = 0;
	int tight = 0;
	int back = 0;
	int decreasing = 0;
	int linear = 0;
	int limit = 0;
	int defined = 0;

	for (size_t i = 0; i < LENGTH(epsilons); i++)
	{
		for (size_t j = 0; j < LENGTH(deltas); j++)
		{
			double epsilon = epsilons[i];
			double delta = deltas[j];
			double mu = mu_of(epsilon, delta);
			double sigma = sigma_of(epsilon, delta, 1);
			double most = delta < 1e-300 ? nextafter(delta, 1) : delta;
			double reached;

			/* Only where 1/mu overflows there is no sigma. */
			defined += !(mu > 0 && (sigma > 0 || mu < 0x1p-1022));
			/* a subnormal delta of one unit more is what rounding up can tell */
			private += !(delta_of(mu, epsilon) <= most);
			if (sigma <= DBL_MAX)
			private += !(gdp_sigma_delta(sigma, epsilon, 1, &reached) == GDP_OK && reached <= most);
			if (mu > 1e-290 && epsilon < 1e12)
			{
				/* not private any more 1e-12 further on: by the unrounded logarithms */
				double wide = mu * (1 + 1e-12);

				tight += delta <= 0.5 ? !(gdp_profile_log_delta(wide, epsilon) >= log(delta))
									  : !(gdp_profile_log_rest(wide, epsilon) <= log(1 - delta));
				back += !(epsilon_of(mu, delta) <= epsilon);
			}
			limit += !(mu >= mu_of(0, delta) * (1 - 1e-15));
			if (j > 0)
				decreasing += !(mu >= mu_of(epsilon, deltas[j - 1]));
			if (i > 0)
				decreasing += !(mu >= mu_of(epsilons[i - 1], delta) * (1 - 1e-13));
			if (sigma < 1e250 && sigma > 1e-100)
				linear += !close_to(sigma_of(epsilon, delta, 1e-50), 1e-50 * sigma, 1e-15 * 4);
		}
	}
	ok(defined == 0, "mu and sigma exist for epsilon 0..1e300, delta 1e-320..1 - 2^-53");
	ok(private == 0, "mu and sigma are on the private side everywhere");
	ok(tight == 0, "and within 1e-12 of the border");
	ok(back == 0, "epsilon of mu of (epsilon, delta) is at most epsilon");
	ok(limit == 0, "sigma is below its limit at epsilon = 0");
	ok(decreasing == 0, "sigma decreases in epsilon and in delta");
	ok(linear == 0, "sigma is linear in the sensitivity");
	ok(close_to(sigma_of(1e-12, 1e-3, 1), sigma_of(0, 1e-3, 1), 1e-8), "limit for epsilon to 0");
	ok(close_to(sigma_of(1e12, 1e-3, 1) * sqrt(2e12), 1, 1e-5), "limit for epsilon to infinity");
}

static void
test_round_trip(void)
{
	int bad = 0;
	int count = 0;

	/*
	 * delta -> epsilon -> delta, up to the margin of delta; the returned epsilon is at most 1e-12 too
	 * large.
	 */
	for (double mu = 1e-250; mu < 1e9; mu *= 13)
	{
		for (size_t j = 0; j < LENGTH(deltas); j++)
		{
			double epsilon = epsilon_of(mu, deltas[j]);

			if (!(epsilon > 0) || deltas[j] < 1e-300)
				continue;
			count++;
			bad += !(delta_of(mu, epsilon) <= deltas[j] * (1 + 2e-14)) ||
				   !(gdp_profile_log_delta(mu, epsilon * (1 - 1e-12)) >= log(deltas[j]) - 1e-15);
		}
	}
	ok(bad == 0 && count > 500, "epsilon is on the private side, within 1e-12 (%d points)", count);
	ok(epsilon_of(1, 0.5) == 0 && epsilon_of(1, 0.3829249225480263) == 0,
	   "epsilon is 0 where delta alone suffices");
	ok(epsilon_of(1, 0.3829249225480262) > 0 && epsilon_of(1, 0.3829249225480262) < 1e-14,
	   "and positive one unit in the last place before");
}

static void
test_corners(void)
{
	double x = -1;

	ok(delta_of(1e-300, 0) < 4e-301 && delta_of(1e-300, 0) > 3.9e-301, "tiny mu");
	ok(delta_of(DBL_TRUE_MIN, 0) == DBL_TRUE_MIN, "the smallest mu");
	ok(delta_of(DBL_MAX, 1) == 1, "the largest mu has delta 1");
	ok(delta_of(1, DBL_MAX) == DBL_TRUE_MIN, "delta is never 0: rounded up");
	ok(delta_of(1.2e154, DBL_MAX) == DBL_TRUE_MIN && delta_of(1.9e154, DBL_MAX) == 1,
	   "both sides of mu^2/2 = epsilon near the largest double");
	ok(delta_of(0x1p300, 0x1p599) == 0.5 + 0x1p-53 ||
		   close_to(delta_of(0x1p300, 0x1p599), 0.5, 1e-13),
	   "exactly on it");
	ok(sigma_of(1, 1e-5, 1e300) > 3.7e300 && sigma_of(1, 1e-5, 1e-300) < 3.8e-300,
	   "sensitivities 1e300 and 1e-300");
	ok(gdp_optimal_sigma(0, 1e-320, 1, &x) == GDP_OUT_OF_RANGE && x == -1,
	   "a sigma that no double holds is refused");
	ok(gdp_sigma_delta(1e-300, 1, 1e300, &x) == GDP_OK && x == 1, "sensitivity/sigma overflows");
	ok(gdp_sigma_delta(1e300, 1, 1e-300, &x) == GDP_OK && x == DBL_TRUE_MIN, "and underflows");
	ok(gdp_profile_epsilon(1e200, 1e-5, &x) == GDP_OUT_OF_RANGE, "epsilon overflows");
	ok(close_to(mu_of(1, 1e-5), 0.26805112321129422, 1e-13), "mu(1, 1e-5)");
	ok(gdp_profile_log_delta(1, 1e150) < -1e299, "ln delta reaches far below the smallest double");

	ok(gdp_status_code(gdp_profile_mu(-1, 0.1, &x)) == GDP_BAD_EPSILON_OR_ZERO, "epsilon < 0");
	ok(gdp_status_code(gdp_profile_mu(NAN, 0.1, &x)) == GDP_BAD_EPSILON_OR_ZERO, "epsilon NaN");
	ok(gdp_status_code(gdp_profile_mu(INFINITY, 0.1, &x)) == GDP_BAD_EPSILON_OR_ZERO,
	   "epsilon infinite");
	ok(gdp_status_code(gdp_profile_mu(1, 0, &x)) == GDP_BAD_DELTA &&
		   gdp_status_code(gdp_profile_mu(1, 1, &x)) == GDP_BAD_DELTA &&
		   gdp_status_code(gdp_profile_mu(1, NAN, &x)) == GDP_BAD_DELTA,
	   "delta 0, 1 and NaN");
	ok(gdp_status_code(gdp_profile_delta(0, 1, &x)) == GDP_BAD_MU &&
		   gdp_status_code(gdp_profile_delta(NAN, 1, &x)) == GDP_BAD_MU,
	   "mu 0 and NaN");
	ok(gdp_status_code(gdp_optimal_sigma(1, 0.1, 0, &x)) == GDP_BAD_SENSITIVITY, "sensitivity 0");
	ok(isnan(gdp_profile_log_delta(NAN, 1)) && isnan(gdp_profile_log_delta(1, NAN)) &&
		   isnan(gdp_profile_log_rest(NAN, 1)),
	   "the unchecked forms hand NaN on");
	ok(gdp_status_code(gdp_sigma_delta(0, 1, 1, &x)) == GDP_BAD_SIGMA, "sigma 0");
}

static void
test_normal(void)
{
	int back = 0;
	int log_tail = 0;

	for (double q = 1e-307; q < 1; q *= 3)
	{
		double z = gdp_norm_upper_quantile(q);

		back += !close_to(gdp_norm_sf(z), q, 1e-15 * (2 + z * z));
		log_tail += !(fabs(gdp_norm_upper_quantile_log(log(q)) - z) <= 4e-15 * (1 + fabs(z)));
	}
	ok(back == 0, "the upper quantile undoes the upper tail");
	ok(log_tail == 0, "and so does the one from the logarithm");
	ok(close_to(gdp_norm_upper_quantile_log(-1e300), sqrt(2e300), 1e-14), "ln q = -1e300");
	ok(close_to(gdp_erfc_inv_log(-1e20), 1e10, 1e-14), "ln erfc = -1e20");
	ok(gdp_erfc_inv(2) == -HUGE_VAL && gdp_erfc_inv(0) == HUGE_VAL && gdp_erfc_inv(1) == 0,
	   "the borders of erfc^-1");
	ok(isnan(gdp_erfc_inv(-0.1)) && isnan(gdp_erf_inv(1.1)) && isnan(gdp_erfc_inv_log(0.7)) &&
		   isnan(gdp_norm_quantile(NAN)) && isnan(gdp_norm_log_sf(NAN)),
	   "NaN outside the domain and for NaN");
	ok(gdp_norm_log_sf(INFINITY) == -HUGE_VAL && gdp_norm_sf(INFINITY) == 0 &&
		   gdp_norm_cdf(INFINITY) == 1,
	   "the limits at infinity");
}

int
main(void)
{
	test_normal();
	test_other_forms();
	test_monotone();
	test_grid();
	test_round_trip();
	test_corners();
	return done();
}
