/*
 * logconcave.c
 *		Noise of even log-concave densities: against sums over the density itself, there and back, hostile doubles.
 */
#include <float.h>
#include <math.h>

#include "gdp/gdp.h"
#include "hostile.h"
#include "unit.h"

static const double straight[][2] = {{0, 1}, {0, 1}};
static const double flat[][4] = {{0, 0.5, 1, 2}, {1, 1, 1.25, 3}};
static const gdp_law laws[] = {
	{.kind = GDP_LAW_GAUSSIAN},
	{.kind = GDP_LAW_LAPLACE},
	{.kind = GDP_LAW_LOGISTIC},
	{GDP_LAW_POINTS, 2, straight[0], straight[1]},
	{GDP_LAW_POINTS, 4, flat[0], flat[1]},
};
static const char *const names[] = {"gaussian", "laplace", "logistic", "straight points",
									"flat points"};

#define LAWS (sizeof(laws) / sizeof(*laws))

/* psi as gdp.h has it, for |x| */
static double
psi(const gdp_law *law, double x)
{
	size_t i = 0;

	x = fabs(x);
	switch (law->kind)
	{
		case GDP_LAW_GAUSSIAN:
			return 0.5 * x * x;
		case GDP_LAW_LAPLACE:
			return x;
		case GDP_LAW_LOGISTIC:
			return x + 2 * log1p(exp(-x));
		case GDP_LAW_POINTS:
			break;
	}
	while (i + 2 < law->n && law->x[i + 1] <= x)
		i++;
	return law->psi[i] +
		   (law->psi[i + 1] - law->psi[i]) / (law->x[i + 1] - law->x[i]) * (x - law->x[i]);
}

/*
 * Of noise of scale 1/t: P(loss > epsilon), and the least delta for DP, by a sum over the density in steps of 1/512, whose
 * error is below 2e-3 where the loss is monotone.
 */
static void
sum_losses(const gdp_law *law, double t, double epsilon, double *above, double *dp)
{
	double total = 0;

	*above = *dp = 0;
	for (int i = -40 * 512; i < 40 * 512; i++)
	{
		double v = (i + 0.5) / 512, density = exp(-psi(law, v)), loss;

		loss = psi(law, v + t) - psi(law, v);
		total += density;
		if (loss > epsilon * (1 + 1e-12))
			*above += density;
		*dp += fmax(density - exp(epsilon) * exp(-psi(law, v + t)), 0);
	}
	*above /= total;
	*dp /= total;
}

static void
test_sums(void)
{
	static const double places[][2] = {{0.5, 0.25}, {1, 0.5}, {1, 1}, {2, 0.5}, {3, 1}, {0.3, 1}};

	for (size_t l = 0; l < LAWS; l++)
	{
		int wrong = 0, no_dp = 0;

		for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++)
		{
			double t = places[i][0], epsilon = places[i][1], above, dp, delta = NAN;

			sum_losses(&laws[l], t, epsilon, &above, &dp);
			wrong += gdp_law_delta(&laws[l], 1 / t, epsilon, 1, &delta) != GDP_OK ||
					 !(fabs(delta - above) < 2e-3);
			no_dp += !(dp <= delta + 1e-4);
		}
		ok(wrong == 0, "%s: P(loss > epsilon) is that of the density, %d wrong", names[l], wrong);
		ok(no_dp == 0, "%s: and is enough for DP", names[l]);
	}
}

/* The least scale keeps delta, and nothing below it does. */
static void
test_back(void)
{
	for (size_t l = 0; l < LAWS; l++)
	{
		int worse = 0, larger = 0, cases = 0;

		for (double epsilon = 0.01; epsilon < 30; epsilon *= 3)
			for (double delta = 1e-20; delta < 1; delta = delta < 1e-3 ? delta * 1e3 : delta + 0.3)
			{
				double scale = NAN, back = NAN, less = NAN;

				cases++;
				gdp_law_scale(&laws[l], epsilon, delta, 3, &scale);
				gdp_law_delta(&laws[l], scale, epsilon, 3, &back);
				gdp_law_delta(&laws[l], scale * (1 - 1e-9), epsilon, 3, &less);
				worse += !(back <= delta * (1 + 1e-12));
				larger += !(less > delta);
			}
		ok(worse == 0 && larger == 0 && cases == 80,
		   "%s: scale of delta and back, %d worse, %d larger than need be", names[l], worse,
		   larger);
	}
}

static void
test_known(void)
{
	double value = 0, other = 0, epsilon = 0.7;

	gdp_law_scale(&laws[0], epsilon, 1e-6, 2, &value);
	gdp_mechanism_sigma(gdp_mechanism_find("vinterbo8"), epsilon, 1e-6, 2, &other);
	ok(value == other, "the Gaussian law is (8) of the paper");
	gdp_law_scale(&laws[1], epsilon, 1e-6, 2, &value);
	ok(value >= 2 / epsilon && value <= 2 / epsilon * (1 + 1e-15), "Laplace's is Delta / epsilon");
	gdp_law_delta(&laws[1], value, epsilon, 2, &other);
	ok(other == 0, "with delta 0");
	gdp_law_delta(&laws[3], value, epsilon, 2, &other);
	ok(other == 0, "by points as well");
	gdp_law_delta(&laws[1], 2, 0.5, 1, &other);
	ok(other == 0, "where the loss is at most epsilon in every digit");
	gdp_law_delta(&laws[3], 2, 0.5, 1, &other);
	ok(other == 0, "by points as well");
	gdp_law_delta(&laws[1], nextafter(2, 0), 0.5, 1, &other);
	ok(other > 0.5, "and half of all losses are above it as soon as the scale is less: %g", other);
}

static void
test_bad(void)
{
	static const double bad[][2][3] = {
		{{0, 1, 2}, {0, 1, 1.5}},         /* concave */
		{{0, 1, 2}, {1, 0, 1}},           /* falls */
		{{0, 1, 2}, {0, 0, 0}},           /* never rises */
		{{0.5, 1, 2}, {0, 1, 2}},         /* does not begin at 0 */
		{{0, 2, 1}, {0, 1, 2}},           /* descends */
		{{0, 1, 1}, {0, 1, 2}},           /* stands still */
		{{0, 1, 2}, {0, 1, 1000}},        /* too steep for doubles */
		{{0, 1, HUGE_VAL}, {0, 1, 2}},    /* no number */
		{{0, NAN, 2}, {0, 1, 2}},         /* neither */
		{{0, 1, 2}, {0, NAN, 2}},         /* neither */
		{{0, 1, 2}, {-HUGE_VAL, 1, 2}},   /* neither */
		{{0, 0x1p-1000, 2}, {0, 0, 2}},   /* too close */
		{{0, 1, 2}, {0, 1e-310, 3e-310}}, /* too flat */
	};
	double r;
	gdp_law law = {.kind = GDP_LAW_POINTS, .n = 3};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
	{
		law.x = bad[i][0];
		law.psi = bad[i][1];
		ok(gdp_law_check(&law) == GDP_BAD_LAW && gdp_law_delta(&law, 1, 1, 1, &r) == GDP_BAD_LAW &&
			   gdp_law_scale(&law, 1, 0.1, 1, &r) == GDP_BAD_LAW,
		   "density %zu is refused", i);
	}
	law.n = 1;
	ok(gdp_law_check(&law) == GDP_BAD_LAW, "a density of one point is refused");
}

int
main(void)
{
	test_sums();
	test_back();
	test_known();
	test_bad();
	for (size_t l = 0; l < LAWS; l++)
	{
		HOSTILE_OF(gdp_law_delta, 3, HOSTILE_FEW, gdp_law_delta(&laws[l], v[0], v[1], v[2], &r), 0,
				   1);
		HOSTILE_OF(gdp_law_scale, 3, HOSTILE_FEW, gdp_law_scale(&laws[l], v[0], v[1], v[2], &r), 0,
				   DBL_MAX);
	}
	return done();
}
