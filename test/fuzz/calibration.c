/*
 * calibration.c
 *		Hostile doubles for every function of the core behind the calibration functions of SQL.
 *
 * A fixed seed and a fixed number of calls. With GDP_OK the result is a finite number, and a bound
 * that is claimed holds; without, the result is left alone. That the program ends is the test for hangs.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "gdp/gdp.h"
#include "../unit/unit.h"

#define ROUNDS 30000
#define UNTOUCHED -12345.678

static uint64_t state = 20261121;

/* splitmix64 */
static uint64_t
random_bits(void)
{
	uint64_t z = (state += 0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
	return z ^ (z >> 31);
}

static double
uniform(void)
{
	return (double) (random_bits() >> 11) * 0x1p-53;
}

/* Any double at all, a special one, or one of a likely size. */
static double
hostile(void)
{
	static const double special[] = {
		0.0,         -0.0,         1,          -1,        0.5,   2,       DBL_MAX, DBL_MIN,
		-DBL_MAX,    DBL_TRUE_MIN, INFINITY,   -INFINITY, NAN,   1e-300,  1e300,   1 - 0x1p-53,
		1 + 0x1p-52, 0x1p-53,      0.49999999, 709.78,    1e154, 1.9e154, 1e-154,  745.2};
	uint64_t bits = random_bits();
	double any;

	switch (bits % 8)
	{
		case 0:
			return special[random_bits() % (sizeof(special) / sizeof(special[0]))];
		case 1:
			bits = random_bits();
			memcpy(&any, &bits, sizeof(any));
			return any;
		case 2:
			return uniform();
		case 3:
			return 1 - exp2(-60 * uniform());
		case 4:
			return exp2(-1074 + 2098 * uniform());
		case 5:
			return exp2(-40 + 60 * uniform());
		default:
			return 20 * uniform();
	}
}

typedef struct target
{
	const char *name;
	gdp_status (*call)(const double *x, double *result);
	int bad;
	int fine;
	double where[4];
} target;

#define TARGET(name, expression)                                                                   \
	static gdp_status call_##name(const double *x, double *r)                                      \
	{                                                                                              \
		return (expression);                                                                       \
	}
#include "calibration_targets.h"
#undef TARGET

#define TARGET(name, expression) {#name, call_##name, 0, 0, {0}},
static target targets[] = {
#include "calibration_targets.h"
};
#undef TARGET

static void
fuzz(target *t)
{
	for (int i = 0; i < ROUNDS; i++)
	{
		double x[4] = {hostile(), hostile(), hostile(), hostile()};
		double result = UNTOUCHED;
		gdp_status status = t->call(x, &result);
		bool good = status == GDP_OK ? fabs(result) <= DBL_MAX : result == UNTOUCHED;

		t->fine += status == GDP_OK;
		if (!good && t->bad++ == 0)
			memcpy(t->where, x, sizeof(x));
	}
	if (!ok(t->bad == 0 && t->fine > ROUNDS / 100, "%s: %d results, all numbers", t->name, t->fine))
		printf("# %d bad, first at %.17g, %.17g, %.17g, %.17g\n", t->bad, t->where[0], t->where[1],
			   t->where[2], t->where[3]);
}

/* NaN in place of one argument of a legal call is blamed on that argument, by its place among them. */
static void
fuzz_blame(target *t)
{
	int wrong = 0, blamed = 0;

	for (int i = 0; i < ROUNDS && blamed < 1000; i++)
	{
		double x[4] = {hostile(), hostile(), hostile(), hostile()}, result;

		if (t->call(x, &result) != GDP_OK)
			continue;
		for (int j = 0; j < 4; j++)
		{
			double legal = x[j];
			gdp_status status;

			x[j] = NAN;
			status = t->call(x, &result);
			x[j] = legal;
			blamed += status != GDP_OK;
			wrong += status != GDP_OK && gdp_status_argument(status) != j + 1;
		}
	}
	ok(wrong == 0 && blamed > 0, "%s: %d of %d NaNs blamed on another argument", t->name, wrong,
	   blamed);
}

/* What comes out must be on the private side, whatever went in. */
static void
fuzz_privacy(void)
{
	int unsafe = 0;
	int count = 0;

	for (int i = 0; i < ROUNDS; i++)
	{
		double epsilon = hostile();
		double delta = hostile();
		double sensitivity = hostile();
		double sigma;
		double reached;

		if (gdp_optimal_sigma(epsilon, delta, sensitivity, &sigma) != GDP_OK)
			continue;
		count++;
		if (gdp_sigma_delta(sigma, epsilon, sensitivity, &reached) != GDP_OK ||
			!(reached <= (delta < 1e-300 ? delta + 2 * DBL_TRUE_MIN : delta)))
		{
			if (unsafe++ == 0)
				printf("# sigma(%.17g, %.17g, %.17g) = %.17g reaches %.17g\n", epsilon, delta,
					   sensitivity, sigma, reached);
		}
	}
	ok(unsafe == 0 && count > ROUNDS / 20, "no sigma of %d misses its delta", count);
}

int
main(void)
{
	for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++)
	{
		fuzz(&targets[i]);
		fuzz_blame(&targets[i]);
	}
	fuzz_privacy();
	return done();
}
