/*
 * transform.c
 *		The GDP transformation: properties, printed numbers and errata of Liu et al., hostile doubles.
 *
 * Numbers of errata are those of docs/mathematics.md.
 */
#include <float.h>
#include <math.h>

#include "gdp/gdp.h"
#include "hostile.h"
#include "unit.h"

/* The examples of the paper, made by main */
static gdp_curve SGD, ICEA;

static gdp_status
measure_curve(const gdp_curve *curve, double end, double gap, gdp_head_measure *measure)
{
	gdp_head head;
	bool done = false;
	gdp_status status = gdp_head_begin(&head, curve, end, gap);

	while (status == GDP_OK && !done)
		status = gdp_head_advance(&head, 100, &done);
	return status == GDP_OK ? gdp_head_result(&head, measure) : status;
}

/* delta of a profile before refinement */
static double
raw_delta(const gdp_curve *curve, double epsilon)
{
	double first = curve->parameter[0], power = curve->parameter[1];

	if (curve->kind == GDP_CURVE_EXPONENTIAL)
		return exp(-pow(epsilon / first, power));
	return fmin(first / pow(epsilon, power), 1);
}

/* The least delta that any of many e0 >= epsilon implies at epsilon, by Theorem 3.1 */
static double
best_implied(const gdp_curve *curve, double epsilon)
{
	double best = 1, delta;

	for (int i = 0; i <= 1000; i++)
	{
		double e0 = epsilon + i * 4e-3, own = raw_delta(curve, e0);

		if (own < 1 && gdp_implied_delta(e0, own, epsilon, &delta) == GDP_OK)
			best = fmin(best, delta);
	}
	return best;
}

/* delta of a curve, by other ways than transform.c goes */
static double
curve_delta(const gdp_curve *curve, double epsilon)
{
	double delta = 0;

	switch (curve->kind)
	{
		case GDP_CURVE_PURE:
			gdp_implied_delta(curve->parameter[0], 0, epsilon, &delta);
			break;
		case GDP_CURVE_LAPLACE:
			gdp_laplace_delta(curve->parameter[0], epsilon, &delta);
			break;
		case GDP_CURVE_GAUSSIAN:
			gdp_profile_delta(curve->parameter[0], epsilon, &delta);
			break;
		case GDP_CURVE_SUBSAMPLED:
			gdp_subsampled_delta(curve->parameter[0], curve->parameter[1], epsilon, &delta);
			break;
		case GDP_CURVE_EXPONENTIAL:
		case GDP_CURVE_POWER:
			gdp_curve_delta(curve, epsilon, &delta); /* which test_refined looks at */
			break;
		case GDP_CURVE_POINTS:
			break;
	}
	return delta;
}

/* lower <= every G in the head <= upper <= lower + gap, where all tells of the rest of the line */
static void
test_head(const char *name, const gdp_curve *curve, double end, double gap, bool everywhere)
{
	gdp_head_measure m = {0, 0, false, 0};
	double sup = 0, beyond = 0;
	bool covered = true;

	ok(measure_curve(curve, end, gap, &m) == GDP_OK && m.upper - m.lower <= gap * (1 + 1e-9),
	   "%s up to %g: between %.7f and %.7f", name, end, m.lower, m.upper);
	for (int i = 0; i <= 2000; i++)
	{
		double x = end * i / 2000, delta = curve_delta(curve, x), mu;

		if (delta > 0 && delta < 1 && gdp_profile_mu(x, delta, &mu) == GDP_OK)
			sup = fmax(sup, mu);
	}
	ok(m.lower <= sup + gap && sup <= m.upper && sup >= m.lower - gap, "%s: sup G seen is %.7f",
	   name, sup);
	ok(m.everywhere == everywhere && (m.residual_delta == 0) == everywhere,
	   "%s: %s, residual delta %.3g", name, everywhere ? "all epsilon" : "head only",
	   m.residual_delta);
	for (int i = 0; i <= 200 && everywhere; i++)
	{
		double x = end * (1 + i / 10.0), delta = curve_delta(curve, x);

		gdp_profile_delta(m.upper, x, &beyond);
		covered = covered && (delta <= beyond || delta == 0);
	}
	ok(covered, "%s: where it says all epsilon, the tail is covered", name);
}

/*
 * Far out, where no double can hold the profile's delta: G of a subsampled Gaussian rises to mu, and is never more.
 * The walk has to find that.
 */
static void
test_far(void)
{
	static const double cases[][3] = {{1, 0.1, 100},  {1, 0.1, 1e4},   {1, 1e-6, 500},
									  {0.1, 0.5, 30}, {10, 1e-3, 1e6}, {0.01, 1, 5}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
	{
		double mu = cases[i][0];
		gdp_curve curve = {.kind = GDP_CURVE_SUBSAMPLED, .parameter = {mu, cases[i][1]}};
		gdp_head_measure m = {0, 0, false, 0};
		gdp_status status = measure_curve(&curve, cases[i][2], 0.01 * mu, &m);

		ok(status == GDP_OK && m.lower <= mu && m.lower > 0.85 * mu && m.upper >= m.lower &&
			   m.upper <= mu * 1.011,
		   "subsampled Gaussian of mu %g at %g up to %g: between %.7f and %.7f", mu, cases[i][1],
		   cases[i][2], m.lower, m.upper);
	}
}

static void
test_points(void)
{
	double eps[] = {0, 0.5, 1}, deltas[] = {0.9, 0.5, 0}, refined[3], mu = 0, one = 0;
	gdp_curve points = {.kind = GDP_CURVE_POINTS, .n = 3, .epsilons = eps, .deltas = refined};
	gdp_head_measure m;

	for (int i = 0; i < 3; i++)
		refined[i] = deltas[i];
	gdp_points_refine(3, eps, refined);
	gdp_implied_delta(1, 0, 0.5, &one);
	ok(refined[2] == 0 && refined[1] == one && refined[0] < 0.47,
	   "points are refined by later ones");
	gdp_pure_to_mu(1, &mu);
	ok(measure_curve(&points, 1, 1e-4, &m) == GDP_OK && m.everywhere && m.upper >= mu &&
		   m.lower <= mu,
	   "points that are 1-DP in the end");
	refined[2] = 0.01;
	ok(measure_curve(&points, 1, 1e-3, &m) == GDP_OK && !m.everywhere && m.residual_delta > 0,
	   "beyond points with delta > 0 nothing is known");
	eps[1] = 0;
	ok(gdp_status_code(gdp_curve_check(&points)) == GDP_BAD_PROFILE, "epsilons must ascend");
	eps[1] = 0.5;
	refined[0] = 0.1;
	ok(gdp_status_code(gdp_curve_check(&points)) == GDP_BAD_PROFILE, "deltas must not");
	refined[0] = NAN;
	ok(gdp_status_code(gdp_curve_check(&points)) == GDP_BAD_PROFILE, "NaN is no delta");
	points.n = 0;
	ok(gdp_status_code(gdp_curve_check(&points)) == GDP_BAD_PROFILE, "there must be a point");
}

static void
test_printed(void)
{
	double value = 0, again = 0, ignored;

	gdp_curve_switch(&SGD, &ignored, &value);
	gdp_curve_switch(&ICEA, &ignored, &again);
	ok(fabs(value - 0.2439) < 5e-5 && fabs(again - 0.4680) < 5e-5,
	   "delta_2 = .2439, delta_3 = .4680");
	gdp_refine_sigma_log(0.2, exp(-2), 1, &value);
	gdp_refine_sigma_log(0.2, exp(-2), 2, &again);
	ok(fabs(value - 0.3339) < 5e-5 && fabs(again - 0.0672) < 5e-5, "refinement .3339, .0672");
	gdp_refine_sigma_log(0.2, exp(-2), 0, &value);
	ok(fabs(value - 8.0857) < 5e-5, "refined sigma 8.0857 C");
	gdp_profile_delta(6, 100, &value);
	gdp_profile_delta(6, 200, &again);
	ok(fabs(value / 2.434e-43 - 1) < 5e-4 && again < 1e-202 && fabs(again / 3.44e-203 - 1) < 5e-3,
	   "delta_6(100) = 2.434e-43, delta_6(200) = 3.44e-203");
	gdp_curve_tail(&SGD, &value);
	ok(fabs(value - 0.7071) < 5e-5, "the tail of SGD is .7071");
}

/* Erratum 22: delta_mu(eps) by the corrected signs of Proof A.5, d delta / d mu integrated */
static double
density(double mu, double epsilon, double sign)
{
	double s = mu * mu - 2 * epsilon;

	return exp(sign * s * s / (8 * mu * mu));
}

static void
test_errata(void)
{
	gdp_head_measure m = {0, 0, false, 0};
	double mu = 0, delta = 0, a, e3 = 0, e2 = 0, sup, G0 = 0, half = 0, step, x1, lemma;

	/* 20: x_i = i D + eps_h looks beyond the head only */
	sup = 0;
	for (int i = 0; i <= 1000; i++)
	{
		double x = 10 + i * 0.01;

		if (gdp_curve_delta(&SGD, x, &delta) == GDP_OK && gdp_profile_mu(x, delta, &mu) == GDP_OK)
			sup = fmax(sup, mu);
	}
	measure_curve(&SGD, 10, 1e-4, &m);
	ok(sup < 0.75 && m.lower > 1.856 && m.upper < 1.857,
	   "erratum 20: printed grid sees %.4f, the head is %.4f", sup, m.upper);
	/* mu- and mu+ as printed are swapped: the "upper" bound of a step is below G */
	gdp_curve_delta(&SGD, 0.5, &delta);
	gdp_profile_mu(0, delta, &mu);
	gdp_curve_delta(&SGD, 0.25, &a);
	gdp_profile_mu(0.25, a, &G0);
	ok(mu < G0, "erratum 20: mu(x-, delta(x+)) is a lower bound, %.4f < %.4f", mu, G0);

	/* 21: the printed number of steps gives a gap of .086 where .01 was asked for */
	step = 10 / (ceil(sqrt(8 * 100 * acos(-1.0) * 10)) + 1);
	ok(step * sqrt(acos(-1.0) / 2) > 0.05, "erratum 21: printed steps leave a gap of up to %.3f",
	   step * sqrt(acos(-1.0) / 2));
	step = 10 / (ceil(sqrt(8 * acos(-1.0)) * 100 * 10) + 1);
	ok(step * sqrt(acos(-1.0) / 2) <= 0.01, "erratum 21: corrected ones keep it");

	/* 22: exponents of Proof A.5 */
	gdp_profile_delta(1, 0.5, &delta);
	a = 0.5 * (erfc((0.5 - 0.5) / sqrt(2)) - exp(0.5) * erfc((0.5 + 0.5) / sqrt(2)));
	ok(fabs(a / delta - 1) < 1e-12 && density(1, 0.5, 1) >= 1 &&
		   density(1, 0.25, 1) > density(1, 0.25, -1),
	   "erratum 22: positive exponents");
	/* d eps -> d mu: the derivative is sqrt(pi/2) erfcx(x2/sqrt2) = .6557 at (.5, 1), printed .2412 */
	gdp_profile_mu(0.5, delta, &mu);
	gdp_profile_mu(0.5001, delta, &a);
	ok(fabs((a - mu) / 1e-4 - 0.6557) < 1e-3, "erratum 22: d mu / d epsilon is .6557");
	a = sqrt(acos(-1.0) / 2) * exp(-0.5) * erfc(sqrt(0.5));
	ok(fabs(a - 0.2412) < 5e-5 && a < 0.6557 / 2,
	   "erratum 22: with the printed signs it would be %.4f, less than half", a);

	/* 24: mu_max must cover the head's delta */
	gdp_curve_delta(&ICEA, 0, &delta);
	gdp_profile_mu(3, delta, &mu);
	measure_curve(&ICEA, 3, 1e-3, &m);
	ok(mu >= m.lower, "erratum 24: mu(eps_h, delta(0)) is above the head");

	/* 25: sqrt(2 pi a^2) for sqrt(2 pi) a^2 in the tail: .9990 against .0010 */
	x1 = 1000.0 - 0.5;
	lemma = -0.5 * x1 * x1 - log(sqrt(2 * acos(-1.0)) * x1 * x1);
	ok(fabs(exp(gdp_profile_log_delta(1, 1000) - lemma) - 0.9990) < 1e-3,
	   "erratum 25: the corrected tail");
	lemma = -0.5 * x1 * x1 - log(sqrt(2 * acos(-1.0) * x1 * x1));
	ok(exp(gdp_profile_log_delta(1, 1000) - lemma) < 0.0011,
	   "erratum 25: the printed one is wrong");

	/* 27: both terms of delta_mu tend to 0 */
	ok(gdp_norm_sf(1000.0 - 0.5) < 1e-300 && exp(700.0) * gdp_norm_sf(700.5) < 1e-300,
	   "erratum 27: both terms tend to 0, not 1");

	/* 28: b = Delta/2 gives 1.8009, no 1-GDP; Delta/b = 1/2 would give .562 */
	gdp_laplace_to_mu(2, &mu);
	gdp_laplace_to_mu(0.5, &half);
	ok(fabs(mu - 1.8009) < 5e-5 && mu > 1 && fabs(half - 0.562) < 5e-4,
	   "erratum 28: Laplace noise of scale Delta/2");

	/* 29: switch points */
	gdp_curve_switch(&ICEA, &e3, &delta);
	gdp_curve_switch(&SGD, &e2, &delta);
	ok(fabs(e3 - 1.1566) < 5e-5 && fabs(e3 - 1.159) > 2e-3,
	   "erratum 29: eps_3 is 1.1566, not 1.159");
	ok(fabs(e2 - 1.18785) < 5e-6, "erratum 29: eps_2 is 1.18785");
	/* Appendix C: the argument of f is what Corollary 3.1 allows, not the forward map */
	gdp_refine_sigma_log(0.2, exp(-2), 1, &e2);
	gdp_implied_delta_max(0.2, exp(-2), e2, &a);
	gdp_implied_delta(e2, a, 0.2, &delta);
	ok(fabs(delta / exp(-2) - 1) < 1e-12, "erratum 29: aiming at d_max gives the delta asked for");
	gdp_implied_delta(0.2, exp(-2), e2, &a);
	gdp_implied_delta(e2, a, 0.2, &delta);
	ok(delta > exp(-2) * 1.1, "erratum 29: aiming at the forward map doesn't");

	/* 30: subsampling with replaced rows costs more: the statement is for adding and removing */
	gdp_subsampled_delta(1, 0.1, 0, &delta);
	gdp_profile_delta(1, 0, &a);
	ok(fabs(delta / (0.1 * a) - 1) < 1e-12,
	   "erratum 30: gamma delta at epsilon 0, to add or remove");
}

/* Never below what any e0 implies, never above the best of many; the switch is where that begins. */
static void
test_refined(const char *name, const gdp_curve *curve)
{
	double switch_epsilon = 0, switch_delta = 0, delta = 0;
	int low = 0, high = 0, raw = 0;

	gdp_curve_switch(curve, &switch_epsilon, &switch_delta);
	for (int i = 0; i <= 30; i++)
	{
		double epsilon = i * 0.1, best = best_implied(curve, epsilon);

		gdp_curve_delta(curve, epsilon, &delta);
		low += delta < best * (1 - 1e-3);
		high += delta > best * (1 + 1e-12);
		raw += epsilon > switch_epsilon && fabs(delta / raw_delta(curve, epsilon) - 1) > 1e-12;
		raw += epsilon < switch_epsilon - 0.01 && delta > raw_delta(curve, epsilon) * (1 - 1e-9);
	}
	ok(low == 0 && high == 0, "%s: what the best e0 implies, %d below, %d above", name, low, high);
	ok(raw == 0 && fabs(switch_delta / raw_delta(curve, switch_epsilon) - 1) < 1e-12,
	   "%s: refined below %.6f, at delta %.6f, and only there", name, switch_epsilon, switch_delta);
}

/* Both rows are laws; the sum of what e^epsilon q doesn't cover of p is what Theorem 3.1 implies, no more and no less. */
static void
test_four_outputs(void)
{
	static const double cases[][2] = {{0, 0.3}, {1, 0}, {1, 1e-6}, {2.5, 0.2}, {30, 1e-12}};
	int wrong = 0, unequal = 0;

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
	{
		double epsilon0 = cases[i][0], delta0 = cases[i][1], p[4], q[4], sum = 0, other = 0;

		ok(gdp_four_outputs(epsilon0, delta0, p, q) == GDP_OK, "(%g, %g) has four outputs",
		   epsilon0, delta0);
		for (int j = 0; j < 4; j++)
		{
			sum += p[j];
			other += q[j];
			unequal += p[j] != q[3 - j] || !(p[j] >= 0);
		}
		unequal += fabs(sum - 1) > 1e-15 || fabs(other - 1) > 1e-15;
		for (int k = 0; k <= 20; k++)
		{
			double epsilon = epsilon0 * k / 20, implied = 0, own = 0;

			for (int j = 0; j < 4; j++)
				own += fmax(p[j] - exp(epsilon) * q[j], 0);
			gdp_implied_delta(epsilon0, delta0, epsilon, &implied);
			wrong += fabs(own - implied) > 1e-14;
		}
	}
	ok(unequal == 0 && wrong == 0, "laws that mirror each other, as little private as allowed");
	ok(gdp_four_outputs(1, 1, (double[4]){0}, (double[4]){0}) ==
		   gdp_blame(GDP_BAD_DELTA_OR_ZERO, 2),
	   "delta0 below 1");
}

static gdp_status
transform(gdp_curve_kind kind, double parameter, double epsilon, double *mu)
{
	gdp_curve curve = {.kind = kind, .parameter = {parameter}};

	return gdp_transform(&curve, epsilon, mu);
}

static gdp_status
exponential_delta(double scale, double power, double epsilon, double *delta)
{
	gdp_curve curve;
	gdp_status status = gdp_curve_exponential(scale, power, &curve);

	return status == GDP_OK ? gdp_curve_delta(&curve, epsilon, delta) : status;
}

static gdp_status
power_delta(double factor, double power, double epsilon, double *delta)
{
	gdp_curve curve;
	gdp_status status = gdp_curve_power(factor, power, &curve);

	return status == GDP_OK ? gdp_curve_delta(&curve, epsilon, delta) : status;
}

static gdp_status
icea_delta(double m, double n, double epsilon, double *delta)
{
	gdp_curve curve;
	gdp_status status = gdp_curve_icea(m, n, &curve);

	return status == GDP_OK ? gdp_curve_delta(&curve, epsilon, delta) : status;
}

static gdp_status
four_output(double epsilon0, double delta0, double *largest)
{
	double p[4], q[4];
	gdp_status status = gdp_four_outputs(epsilon0, delta0, p, q);

	if (status == GDP_OK)
		*largest = fmax(fmax(p[0], p[1]), fmax(p[2], q[0]));
	return status;
}

/* A measurement, for the fuzz: its beginning, with a coarse gap. */
static gdp_status
measure_named(gdp_curve_kind kind, double p, double q, double end, double *r)
{
	gdp_curve curve = {.kind = kind, .parameter = {p, q}};
	gdp_head head;
	gdp_head_measure m;
	bool done = false;
	gdp_status status = GDP_OK;

	if (kind == GDP_CURVE_EXPONENTIAL)
		status = gdp_curve_exponential(p, q, &curve);
	else if (kind == GDP_CURVE_POWER)
		status = gdp_curve_power(p, q, &curve);
	if (status == GDP_OK)
		status = gdp_head_begin(&head, &curve, end, fmax(end / 1000, 0.01));
	if (status == GDP_OK)
		status = gdp_head_advance(&head, 200, &done);
	if (status != GDP_OK)
		return status;
	*r = head.lower;
	if (!done)
		return GDP_OK;
	status = gdp_head_result(&head, &m);
	*r = m.upper - m.lower + m.residual_delta;
	return status;
}

#define MEASURE(kind, n, q, end)                                                                   \
	HOSTILE(measure_named, n, HOSTILE_FEW, measure_named(kind, v[0], q, end, &r), 0, DBL_MAX)

int
main(void)
{
	gdp_curve pure = {.kind = GDP_CURVE_PURE, .parameter = {1}},
			  strong = {.kind = GDP_CURVE_PURE, .parameter = {20}},
			  laplace = {.kind = GDP_CURVE_LAPLACE, .parameter = {2}},
			  gaussian = {.kind = GDP_CURVE_GAUSSIAN, .parameter = {1.5}},
			  sampled = {.kind = GDP_CURVE_SUBSAMPLED, .parameter = {1, 0.1}}, steep, wide, slow;

	ok(gdp_curve_exponential(1, 2, &SGD) == GDP_OK && gdp_curve_icea(20, 4, &ICEA) == GDP_OK &&
		   gdp_curve_exponential(0.5, 3, &steep) == GDP_OK &&
		   gdp_curve_exponential(3, 2, &wide) == GDP_OK && gdp_curve_power(2, 3, &slow) == GDP_OK,
	   "profiles are made");
	test_head("pure DP", &pure, 1, 1e-4, true);
	test_head("pure DP", &strong, 20, 1e-3, true);
	test_head("pure DP", &pure, 0.5, 1e-4, false);
	test_head("Laplace", &laplace, 2, 1e-4, true);
	test_head("Laplace", &laplace, 1, 1e-4, false);
	test_head("Gaussian", &gaussian, 30, 1e-3, true);
	test_head("subsampled Gaussian", &sampled, 10, 1e-3, false);
	test_head("SGD", &SGD, 4, 1e-4, true);
	test_head("SGD", &SGD, 1, 1e-4, false);
	test_head("ICEA", &ICEA, 3, 1e-3, false);
	test_head("e^-(2 epsilon)^3", &steep, 3, 1e-3, true);
	test_head("e^-(epsilon/3)^2", &wide, 12, 1e-3, true);
	test_head("2/epsilon^3", &slow, 5, 1e-3, false);
	test_refined("SGD", &SGD);
	test_refined("ICEA", &ICEA);
	test_refined("e^-(2 epsilon)^3", &steep);
	test_refined("2/epsilon^3", &slow);
	test_four_outputs();
	test_far();
	test_points();
	test_printed();
	test_errata();
	HOSTILE(transform, 2, HOSTILE_VALUES, transform(GDP_CURVE_PURE, v[0], v[1], &r), 0, DBL_MAX);
	HOSTILE(transform, 2, HOSTILE_VALUES, transform(GDP_CURVE_LAPLACE, v[0], v[1], &r), 0, DBL_MAX);
	HOSTILE_3(gdp_refine_sigma_log, 0, DBL_MAX);
	HOSTILE(exponential_delta, 2, HOSTILE_FEW, exponential_delta(v[0], v[1], 0.5, &r), 0, 1);
	HOSTILE(exponential_delta, 1, HOSTILE_VALUES, exponential_delta(2, 3, v[0], &r), 0, 1);
	HOSTILE(power_delta, 2, HOSTILE_FEW, power_delta(v[0], v[1], 0.5, &r), 0, 1);
	HOSTILE(power_delta, 1, HOSTILE_VALUES, power_delta(2, 3, v[0], &r), 0, 1);
	HOSTILE(icea_delta, 2, HOSTILE_FEW, icea_delta(v[0], v[1], 0.5, &r), 0, 1);
	HOSTILE(icea_delta, 1, HOSTILE_VALUES, icea_delta(2, 3, v[0], &r), 0, 1);
	HOSTILE_2(four_output, 0, 1);
	HOSTILE_3(gdp_clip_scale, 0, DBL_MAX);
	MEASURE(GDP_CURVE_PURE, 2, 0, v[1]);
	MEASURE(GDP_CURVE_LAPLACE, 2, 0, v[1]);
	MEASURE(GDP_CURVE_GAUSSIAN, 2, 0, v[1]);
	MEASURE(GDP_CURVE_SUBSAMPLED, 3, v[1], v[2]);
	MEASURE(GDP_CURVE_EXPONENTIAL, 2, v[1], 3);
	MEASURE(GDP_CURVE_POWER, 2, v[1], 3);
	return done();
}
