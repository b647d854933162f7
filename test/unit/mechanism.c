/*
 * mechanism.c
 *		The catalogue: order, domains, what the papers print, and where what they print is wrong.
 *
 * [000] Zhao et al. (arXiv 1911.12060), [001] Vinterbo, [002] Dwork and Roth, appendix A.  Each erratum
 * whose printed form is a number or a formula has a test that shows it failing; they are listed in
 * docs/mathematics.md.
 */
#include <float.h>
#include <math.h>

#include "gdp/gdp.h"
#include "core/place.h"
#include "unit.h"

#define PI 3.14159265358979323846
#define LENGTH(array) (sizeof(array) / sizeof((array)[0]))

/* sigma of a mechanism for sensitivity 1, whether or not it is private; NaN without a value. */
static double
sigma(const char *name, double epsilon, double delta)
{
	gdp_measure measure;

	return gdp_mechanism_measure(gdp_mechanism_find(name), epsilon, delta, 1, &measure) == GDP_OK
			   ? measure.sigma
			   : NAN;
}

static double
delta_reached(double sigma, double epsilon)
{
	double delta = NAN;

	gdp_sigma_delta(sigma, epsilon, 1, &delta);
	return delta;
}

static gdp_status
status_of(const char *name, double epsilon, double delta)
{
	double x;

	return gdp_mechanism_sigma(gdp_mechanism_find(name), epsilon, delta, 1, &x);
}

/* Rounds to the printed number of decimals. */
static bool
prints(double value, double printed, int decimals)
{
	return fabs(value - printed) <= 0.5000001 * pow(10, -decimals);
}

static void
test_catalogue(void)
{
	int private = 0;
	int measured = 0;
	int best = 0;
	int count = 0;

	for (double epsilon = 1e-9; epsilon < 1e5; epsilon *= 4.7)
	{
		for (double x = -290; x < 15; x += 3.7)
		{
			double delta = x < 0 ? pow(10, x) : 1 - pow(10, -x - 1e-3);

			for (int i = 0; i < GDP_MECHANISMS; i++)
			{
				const gdp_mechanism *m = &gdp_mechanisms[i];
				gdp_measure measure;
				double s;
				gdp_status status = gdp_mechanism_sigma(m, epsilon, delta, 1, &s);

				if (status == GDP_OUT_OF_DOMAIN)
					continue;
				count++;

				/* every guarantee implies DP, and nothing is below the optimum */
				best += !(s >= sigma("optimal", epsilon, delta) * (1 - 1e-13));
				private += !(delta_reached(s, epsilon) <= delta * (1 + 2e-14));
				if (gdp_mechanism_measure(m, epsilon, delta, 1, &measure) == GDP_OK)
					measured += !(measure.valid && measure.delta <= delta &&
								  measure.sigma >= s * (1 - 1e-13) && measure.ratio >= 1 - 1e-13 &&
								  measure.epsilon >= 0);
				else
					measured++;
			}
		}
	}
	ok(private == 0, "every sigma that is given out is private (%d of them)", count);
	ok(best == 0, "none is below the optimum");
	ok(measured == 0, "what they measure agrees");
	ok(gdp_mechanism_find("nosuch") == NULL, "an unknown name");
}

static void
test_order(void)
{
	static const char *const chain[] = {"optimal", "mechanism1", "vinterbo8", "vinterbo9",
										"mechanism2"};
	static const char *const pdp[] = {"optimal",    "pdp_one_tailed", "pdp_optimal", "mechanism3",
									  "mechanism4", "zcdp",           "mcdp"};
	int wrong = 0;
	int wrong_pdp = 0;

	for (double epsilon = 1e-6; epsilon < 1e5; epsilon *= 3.1)
	{
		for (double delta = 1e-250; delta < 1; delta *= delta < 1e-3 ? 317 : 1.13)
		{
			if (delta < 0.5)
			{
				for (size_t i = 1; i < LENGTH(chain); i++)
					wrong += !(sigma(chain[i - 1], epsilon, delta) <=
							   sigma(chain[i], epsilon, delta) * (1 + 1e-13));
			}
			for (size_t i = 1; i < LENGTH(pdp); i++)
				wrong_pdp += !(sigma(pdp[i - 1], epsilon, delta) <=
							   sigma(pdp[i], epsilon, delta) * (1 + 1e-13));
		}
	}
	ok(wrong == 0, "optimal <= mechanism1 <= vinterbo8 <= vinterbo9 <= mechanism2");
	ok(wrong_pdp == 0,
	   "optimal < pdp_one_tailed < pdp_optimal < mechanism3 < mechanism4 < zcdp < mcdp");
}

static void
test_domains(void)
{
	ok(status_of("dwork2014", 1, 0.999) == GDP_OK, "dwork2014 is proven up to epsilon = 1");
	ok(status_of("dwork2014", 8.4, 1e-5) == GDP_OK &&
		   status_of("dwork2014", 8.42, 1e-5) == GDP_OUT_OF_DOMAIN,
	   "and accepted up to its exact threshold, 8.4197713 at delta = 1e-5");
	ok(status_of("dwork2006", 9.391, 1e-5) == GDP_OK &&
		   status_of("dwork2006", 9.392, 1e-5) == GDP_OUT_OF_DOMAIN,
	   "dwork2006 up to 9.3913215");
	ok(status_of("mechanism2", 1, 0.5) == GDP_OUT_OF_DOMAIN, "mechanism2 needs delta < 1/2");
	ok(status_of("theorem2_upper", 1, 0.6) == GDP_OUT_OF_DOMAIN, "so does theorem2_upper");
	ok(status_of("theorem2_upper", 1e-4, 0.4) == GDP_OK, "which is measured outside its proof");
	ok(status_of("optimal", 0, 0.1) == GDP_OK && status_of("zero_epsilon", 0, 0.1) == GDP_OK,
	   "two mechanisms cover epsilon = 0");
	for (int i = 0; i < GDP_MECHANISMS; i++)
	{
		const char *name = gdp_mechanisms[i].name;

		ok(gdp_mechanisms[i].at_zero || status_of(name, 0, 0.9) == GDP_OUT_OF_DOMAIN,
		   "%s at epsilon = 0", name);
		ok(gdp_status_code(status_of(name, NAN, 0.1)) == GDP_BAD_EPSILON_OR_ZERO &&
			   gdp_status_code(status_of(name, 1, NAN)) == GDP_BAD_DELTA &&
			   gdp_status_code(status_of(name, -1, 0.1)) == GDP_BAD_EPSILON_OR_ZERO &&
			   gdp_status_code(status_of(name, 1, 1)) == GDP_BAD_DELTA,
		   "%s refuses NaN, epsilon < 0 and delta = 1", name);
	}
}

/* Table I of [000], with the errata: mechanism, epsilon, delta, its noise, the least noise. */
static void
test_table_one(void)
{
	static const struct
	{
		const char *paper;
		const char *mechanism;
		double epsilon;
		double delta;
		double noise;
		double least;
	} rows[] = {
		{"[12]", "dwork2014", 10, 0.01, 0.3108, 0.3501},
		{"[13]", "dwork2014", 6, 0.1, 0.3746, 0.3813},
		{"[13]", "dwork2014", 10, 0.1, 0.2248, 0.2818},
		{"[14]", "dwork2014", 8.87, 1e-5, 0.5462, 0.5513},
		{"[14]", "dwork2014", 9.59, 1e-5, 0.5052, 0.5172},
		{"[15]", "dwork2014", 10, 1e-2, 0.3108, 0.3501},
		{"[15]", "dwork2014", 10, 1e-5, 0.4845, 0.4999},
		{"[16]", "dwork2014", 8, 0.1, 0.2809, 0.3215},
		{"[17]", "dwork2014", 10, 1e-2, 0.3108, 0.3501},
		{"[7]", "dwork2014", 10, 1e-3, 0.3776, 0.4061},
		{"[8]", "dwork2014", 10, 1e-4, 0.4344, 0.4553},
		{"[8]", "dwork2014", 31.62, 1e-4, 0.1374, 0.1944},
		{"[18]", "dwork2006", 10, 1e-2, 0.3255, 0.3501},
		{"[19], [21]", "dwork2006", 10, 0.1, 0.2448, 0.2818},
		{"[20]", "dwork2006", 10, 1e-3, 0.3899, 0.4061},
	};

	for (size_t i = 0; i < LENGTH(rows); i++)
		ok(prints(sigma(rows[i].mechanism, rows[i].epsilon, rows[i].delta), rows[i].noise, 4) &&
			   prints(sigma("optimal", rows[i].epsilon, rows[i].delta), rows[i].least, 4) &&
			   status_of(rows[i].mechanism, rows[i].epsilon, rows[i].delta) == GDP_OUT_OF_DOMAIN,
		   "Table I, %s at (%g, %g): %g is less than the least noise, %g", rows[i].paper,
		   rows[i].epsilon, rows[i].delta, rows[i].noise, rows[i].least);

	ok(!prints(sigma("optimal", 8.87, 1e-5), 0.5172, 4) &&
		   !prints(sigma("optimal", 9.59, 1e-5), 0.5513, 4),
	   "Table I: the values printed for [14] are swapped");
	ok(!prints(sigma("optimal", 31.62, 1e-4), 0.1976, 4) &&
		   prints(sigma("vinterbo8", 31.62, 1e-4), 0.1976, 4),
	   "Table I: 0.1976 printed for [8] is the one-tailed bound (31b)");
	ok(!prints(sigma("dwork2006", 10, 1e-2), 0.3325, 4),
	   "Table I: 0.3325 printed for [18] is transposed");
	ok(!prints(sigma("dwork2006", 10, 1e-3), 0.3898, 4),
	   "Table I: 0.3898 printed for [20] is cut off");
}

static void
test_thresholds(void)
{
	static const struct
	{
		double delta;
		double star;         /* G*: dwork2014, exact */
		double printed_star; /* and as printed: too large */
		double sharp;        /* G#: dwork2006 */
		double printed_sharp;
		double pdp2014;
		double pdp2006;
	} rows[] = {
		{1e-3, 7.4634744, 7.47, 8.5124412, 8.51, 5.1740524, 6.3033838},
		{1e-4, 7.9909926, 8.00, 8.9926636, 8.99, 5.4185445, 6.5084906},
		{1e-5, 8.4197713, 8.43, 9.3913215, 9.39, 5.6128347, 6.6776435},
		{1e-6, 8.7820918, 8.79, 9.7327507, 9.73, 5.7742281, 6.8215023},
	};
	double star;
	double sharp;
	double least_star = 100;
	double least_sharp = 100;

	for (size_t i = 0; i < LENGTH(rows); i++)
	{
		double delta = rows[i].delta;
		double pdp2014;
		double pdp2006;

		gdp_dwork_threshold(GDP_DWORK2014, GDP_DP, delta, &star);
		gdp_dwork_threshold(GDP_DWORK2006, GDP_DP, delta, &sharp);
		gdp_dwork_threshold(GDP_DWORK2014, GDP_PDP_TWO_TAILED, delta, &pdp2014);
		gdp_dwork_threshold(GDP_DWORK2006, GDP_PDP_TWO_TAILED, delta, &pdp2006);
		ok(prints(star, rows[i].star, 7) && prints(sharp, rows[i].sharp, 7) &&
			   prints(pdp2014, rows[i].pdp2014, 7) && prints(pdp2006, rows[i].pdp2006, 7),
		   "thresholds at delta = %g", delta);
		ok(prints(sharp, rows[i].printed_sharp, 2), "G# = %g as printed", rows[i].printed_sharp);
		ok(star < rows[i].printed_star &&
			   delta_reached(sigma("dwork2014", rows[i].printed_star, delta),
							 rows[i].printed_star) > delta,
		   "G* = %g as printed is not private", rows[i].printed_star);
	}
	for (double delta = 1e-6; delta < 0.9998; delta += delta < 0.1 ? delta / 4 : 0.005)
	{
		gdp_dwork_threshold(GDP_DWORK2014, GDP_DP, delta, &star);
		gdp_dwork_threshold(GDP_DWORK2006, GDP_DP, delta, &sharp);
		least_star = fmin(least_star, star);
		least_sharp = fmin(least_sharp, sharp);
	}
	ok(least_star >= 3.7869 && least_star < 3.787, "G* is at least 3.7869 (at delta = .894)");
	ok(least_sharp >= 6.3676 && least_sharp < 6.3678, "G# is at least 6.3676 (at delta = .600)");
}

static void
test_bounds(void)
{
	int below = 0;
	int above = 0;
	int refused = 0;

	for (double epsilon = 1e-9; epsilon < 1e5; epsilon *= 2.3)
	{
		for (double x = -30; x < 15; x += 0.6)
		{
			double delta = x < 0 ? pow(10, x) : 1 - pow(10, -x - 1e-3);
			double best = sigma("optimal", epsilon, delta);
			double bound = 0;
			double a;
			double star = 0;

			gdp_profile_a(epsilon, delta, &a);
			if (delta < 0.5)
			{
				gdp_epsilon_star(delta, &star);
				above += (a > 0) != (epsilon > star) && fabs(epsilon / star - 1) > 1e-9;
				if (epsilon > star)
				{
					gdp_lower_sigma_theorem2(epsilon, 1, &bound);
					below += !(bound <= best);
				}
			}
			gdp_lower_sigma_lemma10a(epsilon, delta, 1, &bound);
			below += !(bound <= best);
			gdp_epsilon_hash(delta, &star);
			if (gdp_lower_sigma_lemma10b(epsilon, delta, 1, &bound) == GDP_OK)
				below += !(bound <= best);
			else
				refused += !(delta < 0.5 || epsilon <= star * (1 + 1e-9));
		}
	}
	ok(below == 0, "lower bounds are below the optimum");
	ok(above == 0, "a > 0 from epsilon_* on");
	ok(refused == 0, "(33b) holds from epsilon_# on");
}

static void
test_printed(void)
{
	double x;

	gdp_vinterbo_g(0.97, 0.97, &x);
	ok(prints(x, -0.0051264, 7) && x < -0.005, "[001] G(.97, .97) < -.005");
	gdp_vinterbo_rho_plus(1e-16, &x);
	ok(prints(x, 1.022445, 6) && x < 1.023, "[001] rho_+(1e-16) < 1.023");
	ok(prints(gdp_dwork2014_factor(0.1), 2.2475, 4), "[001] epsilon(.1, 1, 1) = 2.2475 > 2.24");
	gdp_profile_delta(6, 100, &x);
	ok(prints(x * 1e43, 2.434, 3), "[003] delta_6(100) = 2.434e-43");
	gdp_profile_delta(6, 200, &x);
	ok(prints(x * 1e203, 3.44, 2) && x < 1e-202, "[003] delta_6(200) = 3.44e-203 < 1e-202");
}

static void
test_errata_000(void)
{
	gdp_place at;
	double x;
	double least = 100;
	double most = 0;

	ok(sigma("dwork2014", 7.467, 1e-3) < sigma("optimal", 7.467, 1e-3) &&
		   sigma("dwork2014", 8.425, 1e-5) < sigma("optimal", 8.425, 1e-5),
	   "erratum 2: below the printed G* dwork2014 already is below the optimum");
	for (double epsilon = 0.01; epsilon < 10; epsilon *= 1.1)
	{
		for (double delta = 1e-10; delta <= 0.0501; delta *= 1.5)
			most =
				fmax(most, sigma("mechanism1", epsilon, delta) / sigma("optimal", epsilon, delta));
	}
	ok(most > 2.5 && sigma("mechanism1", 1e-9, 0.2) > 1e8 * sigma("optimal", 1e-9, 0.2) &&
		   sigma("mechanism2", 0.01, 0.05) > 25 * sigma("optimal", 0.01, 0.05),
	   "erratum 3: Mechanism 1 is not 'slightly greater' than the optimum (%.3g times)", most);
	gdp_place_of_a(1e6, 1, &at);
	x = gdp_place_difference(&at) / gdp_erfcx(1e6);
	ok(x < 1e-11 && -expm1(-1) > 0.6,
	   "erratum 4: kappa(u)/erfc(u) tends to 0, not to 1 - e^-epsilon");
	ok(sigma("mechanism1", 1, 0.985) > sigma("dwork2014", 1, 0.985),
	   "erratum 5: at epsilon = 1 Mechanism 1 is not always below dwork2014");
	ok(sigma("mechanism1", 7.55, 1e-12) > sigma("dwork2014", 7.55, 1e-12) &&
		   status_of("dwork2014", 7.55, 1e-12) == GDP_OK,
	   "erratum 5: nor between epsilon = 1 and G*");
	gdp_profile_a(1e-6, 1e-5, &x);
	ok(1 / gdp_mu_of_a(x + 1e-6, 1e-6) - 1 / gdp_mu_of_a(x, 1e-6) > 1,
	   "erratum 6: a tolerance of 1e-6 on a leaves an error above 1 in sigma at (1e-6, 1e-5)");
	ok(1e-5 / -expm1(1 - 0.5) < 0, "erratum 7: Lemma 12 gives a negative bound for t < epsilon");
	for (double delta = 1e-3; delta > 1e-250; delta *= 1e-10)
	{
		/* d of the optimal pDP mechanism at a huge epsilon */
		double mu = gdp_pdp_two_tailed_mu(1e12, delta);
		double d = (1e12 / mu - 0.5 * mu) / sqrt(2);

		least = fmin(least, d);
		x = d / sqrt(-log(delta));
	}
	ok(least > 1 && fabs(x - 1) < 0.01, "erratum 8: d tends to erfc^-1(2 delta), not to 0, and "
										"d/sqrt(ln 1/delta) to 1, not d sqrt(ln 1/delta)");
	ok(fabs(delta_reached(1 / sqrt(2), 1) - gdp_norm_sf((1 - 1.0) / sqrt(2)) +
			exp(1) * gdp_norm_sf((1 + 1.0) / sqrt(2))) < 1e-13,
	   "erratum 9: two releases of mu = 1 have loss of mean A = 1 and variance 2A, sigma* = "
	   "1/sqrt2");
	ok(!(fabs(delta_reached(1, 1) - delta_reached(1 / sqrt(2), 1)) < 0.1),
	   "erratum 9: not sigma* = 1/sqrt A = 1");
	ok(prints(sigma("mcdp", 1, 1e-5), 4.9641, 4) &&
		   prints(sigma("pdp_optimal", 1, 1e-5), 4.4441, 4),
	   "erratum 10: mCDP does not give pDP-OPT");
	x = INFINITY;
	for (double alpha = 1.001; alpha < 1000; alpha *= 1.001)
	{
		double rho = 0.5 / (4.0452 * 4.0452);

		x = fmin(x, (alpha - 1) * (alpha * rho - 1) + alpha * log1p(-1 / alpha) - log(alpha - 1));
	}
	ok(x < log(1e-5) && sigma("mechanism1", 1, 1e-5) > 4.13,
	   "erratum 11: the tight conversion of zCDP (4.0452) beats Mechanism 1 (4.1336) at (1, 1e-5)");
	gdp_lower_sigma_theorem2(1e-9, 1, &x);
	ok(x > sigma("optimal", 1e-9, 2.9e-5) && status_of("optimal", 1e-9, 2.9e-5) == GDP_OK,
	   "erratum 12: Theorem 2 (ii) fails where a < 0");
	ok(prints(sigma("optimal", 1, 1e-300), 36.8655, 4),
	   "erratum 13: sigma(1, 1e-300) = 36.8655, below the bound (47), 37.016");
	gdp_pdp_delta(GDP_PDP_ONE_TAILED, 1, 0.5, &x);
	gdp_pdp_delta(GDP_PDP_TWO_TAILED, 1, 0.5, &least);
	ok(least > 1.2 * x, "erratum 15: one-tailed and two-tailed pDP are two notions");
}

static void
test_errata_001_002(void)
{
	double delta = 0.5;
	double z = gdp_vinterbo_z(1e-3);
	double x;
	double most = 100;

	ok(0.01 / (0.01 * sqrt(2)) < sigma("optimal", 0.01, delta) &&
		   delta_reached(0.7072, 0.01) > delta,
	   "erratum 16: (9) with epsilon outside the root is not private");
	x = sqrt(2 * z) / 20 + 1 / (sqrt(2) * 20);
	ok(prints(x, 0.2015, 4) && x < sigma("optimal", 20, 1e-3) && delta_reached(x, 20) > 1e-3,
	   "erratum 16: (10) with 1/(sqrt2 epsilon) is not private");
	gdp_vinterbo_rho_minus(1e-6, &x);
	z = gdp_vinterbo_z(1e-6);
	ok(fabs(x - 2 * sqrt(log(1.25e6)) / (sqrt(z + 1) + sqrt(z))) < 1e-14 &&
		   fabs(x - sigma("dwork2014", 1, 1e-6) / sigma("vinterbo9", 1, 1e-6)) < 1e-13 &&
		   fabs(x - 2 * sqrt(log(1.25e6)) / (sqrt(z) + 1 + sqrt(z))) > 0.1,
	   "erratum 16: rho_- has its + 1 inside the root");
	for (double epsilon = 1e-6; epsilon <= 1; epsilon *= 1.5)
	{
		for (double d = 1e-15; d < 0.5; d *= 2)
		{
			gdp_vinterbo_ratio(epsilon, d, &x);
			most = fmin(most, x);
		}
	}
	ok(most > 1.01, "[001] (9) is below the standard bound for epsilon in (0, 1]");
	ok(sigma("dwork2014", 0.56, 2.5e-9) / sigma("vinterbo10", 0.56, 2.5e-9) < 0.96,
	   "erratum 17: (10) is not");
	ok(gdp_vinterbo_z(0.5) == 0 && sigma("vinterbo9", 1, 0.5) == sigma("vinterbo8", 1, 0.5),
	   "erratum 18: both branches of (9) meet at delta = 1/2");
	ok(25 - 1 + 1 / 100.0 < 25 - 8 / 9.0,
	   "erratum 19: c^2 - epsilon + epsilon^2/(4 c^2) >= c^2 - 8/9 fails at c = 5");
	ok(gdp_dwork2014_factor(0.407) < 1.5 && gdp_dwork2014_factor(0.405) > 1.5 &&
		   status_of("dwork2014", 1, 0.9) == GDP_OK,
	   "erratum 19: c >= 3/2 needs delta <= .406, but the theorem holds beyond");
	x = 1;
	for (double epsilon = 0.001; epsilon <= 1; epsilon += 0.009)
	{
		for (double d = 1e-9; d < 1; d += d < 0.01 ? d : 0.01)
			x = fmin(x, d - delta_reached(sigma("dwork2014", epsilon, d), epsilon));
	}
	ok(x >= 0, "[002] dwork2014 is private for every epsilon <= 1 and delta");
}

int
main(void)
{
	test_catalogue();
	test_order();
	test_domains();
	test_table_one();
	test_thresholds();
	test_bounds();
	test_printed();
	test_errata_000();
	test_errata_001_002();
	return done();
}
