/*
 * convert.c
 *		Conversions: properties, errata of the papers, and every function under hostile doubles.
 *
 * Numbers of errata are those of docs/mathematics.md.
 */
#include <float.h>
#include <math.h>

#include "gdp/gdp.h"
#include "hostile.h"
#include "unit.h"

static double
pdp_one(double epsilon, double mu)
{
	return gdp_norm_sf(epsilon / mu - mu / 2);
}

static double
pdp_two(double epsilon, double mu)
{
	return pdp_one(epsilon, mu) + gdp_norm_sf(epsilon / mu + mu / 2);
}

static void
test_pdp(void)
{
	double one = 0, two = 0, back = 0, lower = 0, delta = 0, n = 0, p = 0, q = 0;
	bool gaussians = true, round_trip = true, ordered = true, leaks = true;

	for (double eps = 0.1; eps < 5; eps *= 2)
	{
		for (double mu = 0.2; mu < 4; mu *= 2)
		{
			for (double more = 0.01; more < 3; more *= 4)
			{
				gdp_profile_delta(mu, eps, &delta);
				gdp_dp_to_pdp_delta_one(eps, delta, eps + more, &one);
				gdp_dp_to_pdp_delta_two(eps, delta, eps + more, &two);
				gaussians =
					gaussians && pdp_one(eps + more, mu) <= one && pdp_two(eps + more, mu) <= two;
				if (two < 1)
				{
					gdp_dp_to_pdp_epsilon_two(eps, delta, two, &back);
					round_trip = round_trip && fabs(back - eps - more) < 1e-9;
				}
				if (one < 1)
				{
					gdp_dp_to_pdp_epsilon_one(eps, delta, one, &back);
					gdp_dp_to_pdp_epsilon_one_lower(eps, delta, one, &lower);
					round_trip = round_trip && fabs(back - eps - more) < 1e-9;
					ordered = ordered && lower <= back;
				}
			}
		}
	}
	ok(gaussians, "Gaussian mechanisms keep what the conversions to probabilistic DP promise");
	ok(round_trip, "delta_hat and epsilon_hat are inverses");
	ok(ordered, "the impossibility bound is below what is possible");

	for (double eps = 0.1; eps < 3; eps *= 2)
	{
		for (double d = 1e-6; d < 0.4; d *= 9)
		{
			double hat = eps - log1p(-d) + 0.3;

			if (gdp_counterexample(eps, d, hat, &n, &p, &q) != GDP_OK)
				leaks = false;
			/* (eps, d)-DP, yet the loss exceeds hat with probability p > d */
			leaks = leaks && exp(hat) * q < p && p <= (exp(eps) * q + d) * (1 + 1e-12) && p > d &&
					fabs(p + (n - 1) * q - 1) < 1e-9;
		}
	}
	ok(leaks, "the counterexample of Guingona et al. is one");
}

/*
 * Lemma 13 of Zhao et al.: the lower tail of the Gaussian's loss keeps it, and with the upper one it is Lemma 4's; bounds
 * of erfc^-1 (Lemma 8 and Proposition 1) are in order.
 */
static void
test_lemmas(void)
{
	bool kept = true, sums = true, ordered = true;
	double lower = 0, upper = 0, one = 0, two = 0, bound = 0, plain = 0;

	for (double mu = 0.1; mu < 5; mu *= 1.7)
		for (double eps = 0; eps < 9; eps = 2 * eps + 0.25)
		{
			gdp_pdp_delta(GDP_PDP_ONE_TAILED, mu, eps, &upper);
			gdp_pdp_lower_tail(eps, upper, &lower);
			kept = kept && gdp_norm_sf(eps / mu + mu / 2) <= lower;
			gdp_dp_to_pdp_delta_one(eps, 1e-3, eps + 1, &one);
			gdp_dp_to_pdp_delta_two(eps, 1e-3, eps + 1, &two);
			gdp_pdp_lower_tail(eps + 1, one, &lower);
			sums = sums && fabs((one + lower) / two - 1) < 1e-14;
		}
	ok(kept, "Lemma 13: the lower tail of a Gaussian mechanism is what the upper one allows");
	ok(sums, "Lemma 13: one tail and its lower tail are Lemma 4's two");
	gdp_pdp_lower_tail(800, 1, &lower);
	ok(lower > 0, "a lower tail too small for a double is not called impossible");
	ok(gdp_pdp_lower_tail(3, 0, &lower) == GDP_OK && lower == 0,
	   "without an upper tail there is none");

	for (double y = 1e-300; y < 1; y = y < 0.4 ? y * 7 : 1 - (1 - y) / 7 - 1e-16)
	{
		ordered = ordered && gdp_erfc_inv_bound(y, &bound) == GDP_OK &&
				  gdp_erfc_inv_bound_log(y, &plain) == GDP_OK && gdp_erfc_inv(y) < bound &&
				  bound < plain;
		/* Mechanism 4 is made of the first, zCDP's sigma of the second */
		ordered = ordered && fabs(gdp_mechanism_find("mechanism4")->mu(1, y) *
									  (bound + sqrt(bound * bound + 1)) / sqrt(2) -
								  1) < 1e-13;
	}
	ok(ordered, "Lemma 8, Proposition 1: erfc^-1 and its bounds are in order");
}

/*
 * The mechanism needs no more than delta, in every set of outputs and for both of two data sets, and leaks more than
 * delta_hat beyond epsilon_hat: up to the very bound of Lemma 2.3, so that this is the least.
 */
static void
test_leaks(void)
{
	static const double shares[] = {0.01, 0.5, 0.999999};
	int wrong = 0, cases = 0;
	gdp_leak leak;

	for (double eps = 0; eps < 6; eps = 3 * eps + 0.1)
		for (double d = 1e-9; d < 0.2; d *= 13)
			for (double hat_delta = d * 1.0001; hat_delta < 0.45; hat_delta *= 5)
				for (int i = 0; i < 3; i++)
				{
					double most = 0, hat, more, less, rest;

					gdp_dp_to_pdp_epsilon_one(eps, d, hat_delta, &most);
					hat = eps + (most - eps) * shares[i];
					cases++;
					if (gdp_pdp_counterexample(eps, d, hat, hat_delta, &leak) != GDP_OK)
					{
						wrong++;
						continue;
					}
					more = leak.p - exp(eps) * leak.q;
					less = leak.q - exp(eps) * leak.p;
					rest = 1 - leak.p - (leak.n - 1) * leak.q;
					wrong += !(leak.delta_prime <= d && more <= d * (1 + 1e-12) &&
							   fabs(more - leak.delta_prime) <= 1e-15 + 1e-12 * d && less <= 0 &&
							   rest >= -1e-9 && rest < leak.q * (1 + 1e-6) && leak.n >= 2 &&
							   leak.p > hat_delta && leak.p > exp(hat) * leak.q * (1 - 1e-12));
					wrong += gdp_pdp_counterexample(eps, d, most * (1 + 1e-9), hat_delta, &leak) !=
							 GDP_OUT_OF_DOMAIN;
				}
	ok(wrong == 0 && cases > 200,
	   "(epsilon, delta)-DP leaks up to the bound of Lemma 2.3: %d of %d wrong", wrong, cases);
	ok(gdp_pdp_counterexample(1, 1e-3, 5, 1e-4, &leak) == GDP_OK && leak.p > 1e-3 / 2,
	   "to leak less than delta there is no limit");
	ok(gdp_pdp_counterexample(1, 1e-3, 1.0001, 0.74, &leak) == GDP_OUT_OF_DOMAIN,
	   "beyond (e^epsilon + delta) / (1 + e^epsilon) there is none of this kind");
}

static gdp_status
leak_p(double epsilon, double delta, double epsilon_hat, double delta_hat, double *p)
{
	gdp_leak leak;
	gdp_status status = gdp_pdp_counterexample(epsilon, delta, epsilon_hat, delta_hat, &leak);

	if (status == GDP_OK)
		*p = leak.p;
	return status;
}

static void
test_errata(void)
{
	double mu = 1.3, eps = 4, delta, x, sigma = 0, rho = 0;
	gdp_leak leak;

	/* 7: "for any real t" */
	ok(1e-6 / -expm1(2.0 - 1.0) < 0 &&
		   gdp_status_code(gdp_dp_to_pdp_delta_one(2, 1e-6, 1, &x)) == GDP_BAD_EPSILON_HAT,
	   "erratum 7: printed for any t, below epsilon the bound is negative");

	/* 8: lim d for epsilon to infinity: d = 0 would mean delta = 1/2, whatever delta is */
	x = gdp_erfc_inv(2 * 1e-5);
	ok(fabs(0.5 * (erfc(x) + erfc(sqrt(x * x + 1e4))) / 1e-5 - 1) < 1e-12 && 0.5 * erfc(0) > 0.49,
	   "erratum 8: the limit of d is erfc^-1(2 delta), not 0");

	/* 9: the loss of a composition has mean mu^2/2 and variance mu^2, not a quarter of it */
	gdp_profile_delta(mu, eps, &delta);
	ok(pdp_one(eps, mu) > delta && gdp_norm_sf((eps - mu * mu / 2) / (mu / 2)) < delta,
	   "erratum 9: the printed variance A/2 claims less than what is lost");

	/* 10: mCDP does not give back the optimal probabilistic sigma */
	x = sqrt(log((1 + exp(-1.0)) / 1e-5));
	sigma = (x + sqrt(x * x + 1)) / sqrt(2);
	ok(fabs(sigma - 4.9641) < 5e-5 && pdp_two(1, 1 / 4.4441) < 1e-5 * 1.001 &&
		   pdp_two(1, 1 / sigma) < 1e-5 / 5,
	   "erratum 10: mCDP needs 4.9641 where 4.4441 is the optimum");

	/* 11: the tight zCDP conversion beats Mechanism 1 (4.1336), never the optimum */
	gdp_zcdp_max_rho(1, 1e-5, &rho);
	gdp_optimal_sigma(1, 1e-5, 1, &sigma);
	ok(fabs(1 / sqrt(2 * rho) - 4.0451) < 5e-5 && 1 / sqrt(2 * rho) < 4.1336 &&
		   1 / sqrt(2 * rho) > sigma,
	   "erratum 11: the tight conversion gives 4.0451");

	/* 14: the mean of n points of a unit box moves by sqrt(d)/n; printed for a ball of radius 1: twice that */
	ok(gdp_sensitivity_vector_box(-0.5, 0.5, 9, true, &x) == GDP_OK && fabs(x - 3) < 1e-12 &&
		   x < 2 * sqrt(9.0),
	   "erratum 14: replacing a point of a unit box in 9 dimensions moves the sum by 3, not by 6");
	/* 15: two tails need the factor 1 + e^-t, or the lower tail is forgotten */
	{
		/* randomised response is (eps', 0)-DP and loses exactly +-eps': one tail each */
		double e = 0.5, t = 0.4999, p = 1 / (1 + exp(-e)), d;

		gdp_implied_delta(e, 0, 0.2, &d);
		gdp_dp_to_pdp_delta_one(0.2, d, t, &x);
		ok(x >= p && x < 1 && gdp_dp_to_pdp_delta_two(0.2, d, t, &sigma) == GDP_OK && sigma == 1,
		   "erratum 15: one tail %.4f of randomised response, two tails 1", x);
	}
	{
		/* eps_3: both outputs lose more than t in absolute value, so that two tails are needed */
		double e = 0.5, t = 0.4999, d;

		gdp_implied_delta(e, 0, 0.2, &d);
		ok(d / -expm1(0.2 - t) < 1 && d / -expm1(0.2 - t) * (1 + exp(-t)) >= 1,
		   "erratum 15: without the factor the bound is below the truth, 1");
	}

	/* 31: g(delta) > delta is needed */
	ok(gdp_status_code(gdp_dp_to_pdp_epsilon_one(1, 1e-3, 1e-3, &x)) == GDP_BAD_DELTA_HAT &&
		   gdp_status_code(gdp_dp_to_pdp_epsilon_one(1, 1e-3, 1e-4, &x)) == GDP_BAD_DELTA_HAT,
	   "erratum 31: delta_hat must exceed delta");

	/* 32: between the necessary and the sufficient epsilon_hat there is a mechanism that leaks, just below the latter */
	gdp_dp_to_pdp_epsilon_one(1, 1e-3, 2e-3, &x);
	gdp_dp_to_pdp_epsilon_one_lower(1, 1e-3, 2e-3, &sigma);
	ok(x - sigma > 0.28 && gdp_pdp_counterexample(1, 1e-3, x - 1e-6, 2e-3, &leak) == GDP_OK &&
		   leak.p > 2e-3 && leak.p > exp(x - 1e-6) * leak.q && leak.delta_prime <= 1e-3,
	   "erratum 32: the gap between %.4f and %.4f is closed from above", sigma, x);
}

static void
test_concentrated(void)
{
	bool exact = true, tight = true, orders = true, inverse = true, tcdp = true, mcdp = true;

	for (double mu = 0.01; mu < 20; mu *= 3)
	{
		double rho = mu * mu / 2;

		for (double d = 1e-12; d < 0.5; d *= 50)
		{
			double e[3], back = 0, best = 0, other = 0;

			gdp_profile_epsilon(mu, d, &e[0]);
			gdp_zcdp_epsilon_tight(rho, d, &e[1]);
			gdp_zcdp_epsilon(rho, d, &e[2]);
			exact = exact && e[0] <= e[1];
			tight = tight && e[1] <= e[2];
			for (double a = 1.01; a < 1000; a *= 1.5)
			{
				gdp_rdp_epsilon(a, a * rho, d, &best);
				gdp_rdp_epsilon_mironov(a, a * rho, d, &other);
				orders = orders && best >= e[1] * (1 - 1e-15) && other >= best;
			}
			if (e[1] > 0)
			{
				gdp_zcdp_max_rho(e[1], d, &back);
				inverse = inverse && back <= rho * (1 + 1e-9) && fabs(back / rho - 1) < 1e-8;
				gdp_zcdp_delta_tight(rho, e[1], &back);
				inverse = inverse && fabs(back / d - 1) < 1e-9;
			}
			gdp_tcdp_epsilon(rho, 1e7, d, &other);
			tcdp = tcdp && other == e[2];
			gdp_tcdp_epsilon(rho, 1 + sqrt(-log(d) / rho), d, &other);
			tcdp = tcdp && fabs(other / e[2] - 1) < 1e-12; /* continuous at the border */
			gdp_tcdp_epsilon(rho, 1.5, d, &other);
			gdp_tcdp_delta(rho, 1.5, other, &back);
			tcdp = tcdp && fabs(back / d - 1) < 1e-9;
			gdp_mcdp_epsilon(rho, mu, d, &other);
			gdp_mcdp_delta(rho, mu, other, &back);
			mcdp = mcdp && fabs(back / d - 1) < 1e-9 && other >= e[0];
		}
	}
	ok(exact, "the Gaussian's profile is never above the tight conversion of zCDP");
	ok(tight, "nor that above the standard one");
	ok(orders, "every order is safe, and tighter than Mironov's");
	ok(inverse, "inverses of the tight conversion");
	ok(tcdp, "truncated CDP joins zCDP where it should");
	ok(mcdp, "mean-concentrated DP there and back");
}

static void
test_underflow(void)
{
	double x = 0;

	ok(gdp_subsampled_delta(3e-9, 2e-130, 9e-7, &x) == GDP_OK && x == DBL_TRUE_MIN,
	   "delta of a sample is rounded up where it underflows, never to pure DP");
	ok(gdp_zcdp_rho(DBL_MAX, DBL_TRUE_MIN, &x) == GDP_OK && x == DBL_TRUE_MIN &&
		   gdp_zcdp_from_mu(1e-200, &x) == GDP_OK && x == DBL_TRUE_MIN,
	   "and so is rho");
}

/* A vector of one coordinate is a value: a replaced row moves both by as much. */
static void
test_replaced(void)
{
	static const double bounds[][2] = {{5, 6}, {-6, -5}, {-1, 3}, {0, 1}, {0.1, 0.7}};
	bool agree = true;

	for (size_t i = 0; i < sizeof(bounds) / sizeof(*bounds); i++)
	{
		double lower = bounds[i][0], upper = bounds[i][1], sum = 0, box = 0;

		for (int replace = 0; replace <= 1; replace++)
			agree =
				agree && gdp_sensitivity_sum(lower, upper, 1, 1, replace, true, &sum) == GDP_OK &&
				gdp_sensitivity_vector_box(lower, upper, 1, replace, &box) == GDP_OK && sum == box;
	}
	ok(agree, "sums and vectors in a box agree about a row");
}

static void
test_sensitivities(void)
{
	double s = 0, sums[2], p = 0, regret = 0;

	ok(gdp_sensitivity_sum(-1, 1, 1, 1, true, false, &s) == GDP_OK && s == 2 &&
		   gdp_sensitivity_sum(2, 3, 1, 4, true, false, &s) == GDP_OK &&
		   fabs(s - 6 * sqrt(2)) < 1e-14,
	   "replacing: the wider of moving within groups and between them");
	gdp_average_sigma_sum(0, 10, 0.5, 0.75, 2, 3, &sums[0]);
	gdp_average_sigma_count(0.5, 0.75, 2, 3, &sums[1]);
	/* k rows in each of m groups move (sum, count) by k sqrt(m) (5, 1) at most */
	s = 4 * 3 * (25 / (sums[0] * sums[0]) + 1 / (sums[1] * sums[1]));
	ok(s <= 0.25 && s > 0.25 - 1e-12, "sum and count of an average together are mu-GDP");
	for (double t = 0; t <= 50; t += 0.5)
	{
		double best, three;

		gdp_average_best_share(0, 100, 50 + t, &p);
		gdp_average_stddev(0, 100, 50 + t, 1, 0.75, 1000, &three);
		gdp_average_stddev(0, 100, 50 + t, 1, fmin(p, 1 - 1e-12), 1000, &best);
		regret = fmax(regret, three * three / best / best);
	}
	ok(regret < 4 / 3.0 + 1e-6 && regret > 4 / 3.0 - 1e-6, "3/4 is the split of least regret, 4/3");
	gdp_noise_interval(1, 0.95, &s);
	ok(s >= 1.9599639845400543 && s < 1.9599639845401, "1.96");
	gdp_interval_halfwidth(1, 1 - 1e-15, 1, &s);
	ok(fabs(s / (1.1102230246251565e-15 * 1.2533141373155003) - 1) < 0.2, "almost no confidence");
}

int
main(void)
{
	test_pdp();
	test_lemmas();
	test_leaks();
	test_errata();
	test_concentrated();
	test_underflow();
	test_replaced();
	test_sensitivities();
	HOSTILE_3(gdp_dp_to_pdp_delta_one, 0, 1);
	HOSTILE_3(gdp_dp_to_pdp_delta_two, 0, 1);
	HOSTILE_3(gdp_dp_to_pdp_epsilon_one, 0, DBL_MAX);
	HOSTILE_3(gdp_dp_to_pdp_epsilon_two, 0, DBL_MAX);
	HOSTILE_3(gdp_dp_to_pdp_epsilon_one_lower, 0, DBL_MAX);
	HOSTILE_2(gdp_pdp_lower_tail, 0, 1);
	HOSTILE_4(leak_p, 0, 1);
	HOSTILE_1(gdp_erfc_inv_bound, 0, DBL_MAX);
	HOSTILE_1(gdp_erfc_inv_bound_log, 0, DBL_MAX);
	HOSTILE_1(gdp_pure_to_mu, 0, DBL_MAX);
	HOSTILE_1(gdp_laplace_to_mu, 0, DBL_MAX);
	HOSTILE_2(gdp_laplace_delta, 0, 1);
	HOSTILE_3(gdp_implied_delta, 0, 1);
	HOSTILE_3(gdp_implied_delta_max, -DBL_MAX, 1);
	HOSTILE_2(gdp_subsample_epsilon, 0, DBL_MAX);
	HOSTILE_3(gdp_subsampled_delta, 0, 1);
	HOSTILE_2(gdp_rdp_gauss, 0, DBL_MAX);
	HOSTILE_3(gdp_rdp_delta, 0, DBL_MAX);
	HOSTILE_3(gdp_rdp_epsilon, 0, DBL_MAX);
	HOSTILE_3(gdp_rdp_epsilon_mironov, 0, DBL_MAX);
	HOSTILE_2(gdp_zcdp_rho, 0, DBL_MAX);
	HOSTILE_1(gdp_zcdp_from_mu, 0, DBL_MAX);
	HOSTILE_1(gdp_zcdp_from_pure, 0, DBL_MAX);
	HOSTILE_2(gdp_zcdp_epsilon, 0, DBL_MAX);
	HOSTILE_2(gdp_zcdp_delta, 0, 1);
	HOSTILE_2(gdp_zcdp_epsilon_tight, 0, DBL_MAX);
	HOSTILE_2(gdp_zcdp_delta_tight, 0, 1);
	HOSTILE_2(gdp_zcdp_max_rho, 0, DBL_MAX);
	HOSTILE_3(gdp_tcdp_epsilon, 0, DBL_MAX);
	HOSTILE_3(gdp_tcdp_delta, 0, 1);
	HOSTILE_3(gdp_mcdp_epsilon, 0, DBL_MAX);
	HOSTILE_3(gdp_mcdp_delta, 0, 1);
	HOSTILE_3(gdp_interval_halfwidth, 0, DBL_MAX);
	HOSTILE_2(gdp_noise_interval, 0, DBL_MAX);
	HOSTILE_4(gdp_average_sigma_count, 0, DBL_MAX);
	HOSTILE_3(gdp_average_best_share, 0.5, 1);
	return done();
}
