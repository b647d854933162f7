/*
 * compose.c
 *		Composition: properties, and every function under hostile doubles.
 */
#include <float.h>
#include <math.h>
#include <string.h>

#include "gdp/gdp.h"
#include "hostile.h"
#include "unit.h"

static void
test_gaussian(void)
{
	double mus[1000], mu = 0, part = 0, rest = 0, total;
	gdp_mu_sum sum = {0, 0, 0}, left = {0, 0, 0}, right = {0, 0, 0};

	ok(gdp_compose_mu(2, (double[]){3, 4}, &mu) == GDP_OK && mu == 5, "3 and 4 are 5");
	ok(gdp_compose_mu(0, NULL, &mu) == GDP_OK && mu == 0, "no release costs nothing");
	ok(gdp_compose_mu(1, (double[]){0x1p-1074}, &mu) == GDP_OK && mu == 0x1p-1074,
	   "the smallest mu is kept");
	ok(gdp_compose_mu(2, (double[]){DBL_MAX, DBL_MAX}, &mu) == GDP_OUT_OF_RANGE,
	   "a sum beyond the largest double is out of range");
	for (int i = 0; i < 1000; i++)
	{
		mus[i] = 1.0 / (i + 1);
		gdp_mu_sum_add(&sum, mus[i]);
		gdp_mu_sum_add(i % 3 ? &left : &right, mus[i]);
	}
	gdp_mu_sum_merge(&left, &right);
	gdp_compose_mu(1000, mus, &mu);
	ok(gdp_mu_sum_total(&sum, &total) == GDP_OK && total == mu, "row by row as all at once");
	ok(gdp_mu_sum_total(&left, &total) == GDP_OK && fabs(total / mu - 1) < 1e-15,
	   "two parts merged as all at once");
	ok(fabs(mu * mu - 1.6439345666815598) < 1e-14, "the sum of the first thousand 1/n^2");

	ok(gdp_mu_remaining(5, 3, &rest) == GDP_OK && rest <= 4 && rest > 4 - 1e-14,
	   "of 5 remain 4 after 3, rounded down");
	ok(gdp_mu_remaining(1, nextafter(1, 0), &rest) == GDP_OK &&
		   fabs(rest / 1.4901161193847655e-08 - 1) < 1e-12,
	   "the last bit of a budget is not lost");
	ok(gdp_mu_remaining(1, 2, &rest) == GDP_OK && rest == 0,
	   "nothing remains of an overdrawn budget");
	gdp_compose_mu(2, (double[]){3, rest}, &mu);
	gdp_optimal_sigma_k(1, 4, 1, 1e-5, &mu);
	gdp_optimal_sigma(1, 1e-5, 1, &part);
	ok(mu == 2 * part, "four queries need twice the noise");
	ok(gdp_mu_queries(0.25, 1, &part) == GDP_OK && part == 16, "sixteen quarters of mu fit");
	ok(gdp_mu_queries(nextafter(0.25, 1), 1, &part) == GDP_OK && part == 15, "no more than fit");
}

static void
test_sharing(void)
{
	double shares[] = {1, 2, 5}, weights[] = {1, 4, 9}, sensitivities[] = {1, 2, 3}, mus[3],
		   sigmas[3], mu = 0, cost, best = 0;
	bool least = true;

	ok(gdp_mu_split(2, 3, shares, mus) == GDP_OK && gdp_compose_mu(3, mus, &mu) == GDP_OK &&
		   mu <= 2 && mu > 2 - 1e-14,
	   "shares of mu^2 compose to no more than mu");
	ok(fabs(mus[2] * mus[2] / (mus[0] * mus[0]) - 5) < 1e-13, "in the proportion asked for");
	/* 0.0225396985145506311, by 50 digits; the double next to it is above */
	ok(gdp_mu_split(0.06331402090283172, 2, (double[]){0.05522226002525924, 0.38050804050330755},
					mus) == GDP_OK &&
		   mus[0] < 0.02253969851455063,
	   "a part is rounded down, not to nearest");
	gdp_mu_allocate(1, 3, weights, sensitivities, sigmas);
	for (int i = 0; i < 3; i++)
		best += weights[i] * sigmas[i] * sigmas[i];
	/* any other division of mu^2 costs more */
	for (int i = 1; i < 20; i++)
	{
		for (int j = 1; j < 20 - i; j++)
		{
			double other[] = {i / 20.0, j / 20.0, (20 - i - j) / 20.0};

			if (i + j >= 20)
				continue;
			cost = 0;
			for (int q = 0; q < 3; q++)
				cost += weights[q] * sensitivities[q] * sensitivities[q] / other[q];
			least = least && cost >= best * (1 - 1e-12);
		}
	}
	ok(least && fabs(best - 196) < 1e-10, "the allocation is the best of all");
}

static void
test_optimal(void)
{
	double previous = 1, delta = 0, epsilon = 0, simple = 0, ignored, equal[12], zeros[12] = {0};
	bool falls = true, inverse = true, below_simple = true;

	for (double g = 0; g < 6; g += 0.37)
	{
		gdp_kov_delta(0.1, 1e-9, 100, g, &delta);
		falls = falls && delta < previous;
		previous = delta;
		if (gdp_kov_epsilon(0.1, 1e-9, 100, delta, &epsilon) == GDP_OK)
			inverse = inverse && epsilon <= g * (1 + 1e-12) && epsilon >= g - 1e-9;
	}
	ok(falls, "delta falls as epsilon grows");
	ok(inverse, "the least epsilon is the one that gave delta");
	for (double d = 1e-12; d < 0.1; d *= 10)
	{
		gdp_kov_epsilon(0.1, 0, 100, d, &epsilon);
		gdp_kov_simple_epsilon(0.1, 100, d, &simple);
		below_simple = below_simple && epsilon <= simple;
	}
	ok(below_simple, "the optimum is never above the simple bound");
	ok(gdp_kov_epsilon(0.1, 0, 100, 0, &epsilon) == GDP_OK && epsilon >= 10 && epsilon < 10.0001,
	   "without delta nothing beats the sum");
	ok(gdp_kov_epsilon(0.1, 0.5, 2, 0.75, &epsilon) == GDP_OK && epsilon == 0.2,
	   "delta_g that is just what the deltas lose");
	ok(gdp_kov_epsilon(0.1, 0.5, 2, 0.7, &epsilon) == GDP_OK && epsilon > DBL_MAX,
	   "infinite where the deltas alone are more");
	ok(gdp_kov_epsilon(0.1, 1 - 0x1p-53, 30, 0.5, &epsilon) == GDP_OK && epsilon > DBL_MAX,
	   "also where together they round to 1");
	ok(gdp_kov_delta(0.5, 0, 1, 0.2, &delta) == GDP_OK &&
		   gdp_implied_delta(0.5, 0, 0.2, &ignored) == GDP_OK && fabs(delta / ignored - 1) < 1e-15,
	   "one mechanism is the partial order");
	inverse = true;
	for (double k = 2; k <= 30; k += 7)
	{
		gdp_kov_delta(0.03, 1e-9, k, 0, &previous);
		for (double g = DBL_TRUE_MIN; g < 1e-17; g *= 1e9)
			inverse = inverse && gdp_kov_delta(0.03, 1e-9, k, g, &delta) == GDP_OK &&
					  fabs(delta / previous - 1) < 1e-14;
	}
	ok(inverse, "an epsilon_g next to 0 is no farther from delta(0)");
	for (int i = 0; i < 12; i++)
		equal[i] = 0.25;
	gdp_kov_delta(0.25, 0, 12, 1, &delta);
	gdp_kov_hetero_delta(12, equal, zeros, 1, &ignored);
	ok(fabs(ignored / delta - 1) < 1e-13, "equal parts as unequal ones");
	equal[3] = 0.75;
	gdp_kov_hetero_delta(12, equal, zeros, 1.5, &delta);
	gdp_kov_hetero_epsilon(12, equal, zeros, delta, &epsilon);
	ok(fabs(epsilon / 1.5 - 1) < 1e-12, "the inverse for unequal parts");
	ok(gdp_status_code(gdp_kov_hetero_delta(21, equal, zeros, 1, &delta)) == GDP_BAD_PART_COUNT,
	   "more than twenty unequal parts are refused");

	/* The composition of Gaussian-like mechanisms tends to a Gaussian: sqrt(k) epsilon = mu. */
	gdp_kov_delta(1e-3, 0, 1e6, 2, &delta);
	gdp_profile_delta(1, 2, &ignored);
	ok(fabs(delta / ignored - 1) < 1e-3, "a million small mechanisms are a Gaussian one");
}

static void
test_methods(void)
{
	double epsilons[100], deltas[100], basic, advanced, simple, delta[3];
	double unequal[] = {0.1, 0.2, 0.3};

	for (int i = 0; i < 100; i++)
	{
		epsilons[i] = 0.1;
		deltas[i] = 1e-9;
	}
	gdp_compose_basic(100, epsilons, deltas, &basic, &delta[0]);
	gdp_compose_advanced(100, epsilons, deltas, 1e-6, &advanced, &delta[1]);
	gdp_kov_simple(100, epsilons, deltas, 1e-6, &simple, &delta[2]);
	ok(basic > advanced && advanced > simple, "basic, advanced and simple in this order");
	ok(delta[0] < delta[2] && delta[2] <= delta[1], "and their deltas");
	gdp_compose_advanced(3, (double[]){1, 1, 1}, (double[]){0, 0, 0.5}, 1e-6, &advanced, &delta[0]);
	ok(advanced == 3 && delta[0] == 0.5,
	   "basic composition where advanced is worse, without slack");
	gdp_compose_basic(3, unequal, (double[]){0.5, 0.4, 0.3}, &basic, &delta[0]);
	ok(delta[0] == 1 && basic >= 0.6 && basic < 0.6 + 1e-15, "delta is capped at 1");
}

/* Every function of doubles, with the results it may give. */
static gdp_status
hetero_two(double a, double b, double g, double *r)
{
	return gdp_kov_hetero_delta(2, (double[]){a, b}, (double[]){0, 0.1}, g, r);
}

static gdp_status
hetero_two_inverse(double a, double b, double d, double *r)
{
	return gdp_kov_hetero_epsilon(2, (double[]){a, b}, (double[]){0, 0}, d, r);
}

static gdp_status
advanced_two(double a, double b, double slack, double *r)
{
	double delta;

	return gdp_compose_advanced(2, (double[]){a, b}, (double[]){0, 0}, slack, r, &delta);
}

static gdp_status
simple_two(double a, double b, double slack, double *r)
{
	double delta;

	return gdp_kov_simple(2, (double[]){a, b}, (double[]){0, 0.5}, slack, r, &delta);
}

static gdp_status
compose_three(double a, double b, double c, double *r)
{
	return gdp_compose_mu(3, (double[]){a, b, c}, r);
}

static gdp_status
sigma_two(double a, double b, double c, double *r)
{
	return gdp_compose_sigma(2, (double[]){a, 1}, (double[]){b, c}, r);
}

static gdp_status
split_two(double a, double b, double c, double *r)
{
	double mus[2];
	gdp_status status = gdp_mu_split(a, 2, (double[]){b, c}, mus);

	*r = mus[0];
	return status;
}

static gdp_status
allocate_two(double a, double b, double c, double *r)
{
	double sigmas[2];
	gdp_status status = gdp_mu_allocate(a, 2, (double[]){b, c}, (double[]){c, b}, sigmas);

	*r = sigmas[1];
	return status;
}

/* k beyond 1e4 takes its time: it is tested once, not with every combination */
static gdp_status
kov_delta(double epsilon, double delta, double k, double g, double *r)
{
	return gdp_kov_delta(epsilon, delta, k > 1e4 && k <= GDP_MAX_COUNT ? 1e4 : k, g, r);
}

static gdp_status
kov_epsilon(double epsilon, double delta, double k, double d, double *r)
{
	return gdp_kov_epsilon(epsilon, delta, k > 1e4 && k <= GDP_MAX_COUNT ? 1e4 : k, d, r);
}

/* Those whose arguments are arrays: a place among v says nothing of the argument to blame. */
#define HOSTILE_ARRAYS(f, least, most)                                                             \
	HOSTILE(f, 3, HOSTILE_VALUES, f(v[0], v[1], v[2], &r), least, most)

/* Is it this element of this argument that a status blames? */
static bool
blames(gdp_status status, gdp_status code, int argument, size_t element)
{
	return status == gdp_blame_element(code, argument, element);
}

static void
test_blamed(void)
{
	double ones[] = {1, 1, 1}, bad[] = {1, 1, -1}, halves[] = {0.5, 0.5, 0.5}, two[] = {0.5, 2, 0},
		   x, y, out[3];

	ok(blames(gdp_compose_mu(3, bad, &x), GDP_BAD_MU_OR_ZERO, 1, 2) &&
		   blames(gdp_compose_sigma(3, bad, ones, &x), GDP_BAD_SENSITIVITY, 1, 2) &&
		   blames(gdp_compose_sigma(3, ones, bad, &x), GDP_BAD_SIGMA, 2, 2) &&
		   blames(gdp_mu_split(1, 3, bad, out), GDP_BAD_POSITIVE, 2, 2) &&
		   blames(gdp_mu_split(0, 3, bad, out), GDP_BAD_MU, 1, 0) &&
		   blames(gdp_mu_allocate(1, 3, bad, ones, out), GDP_BAD_POSITIVE, 2, 2) &&
		   blames(gdp_mu_allocate(1, 3, ones, bad, out), GDP_BAD_SENSITIVITY, 3, 2),
	   "elements of arrays are blamed by their places: Gaussian releases");
	ok(blames(gdp_compose_basic(3, bad, halves, &x, &y), GDP_BAD_EPSILON_OR_ZERO, 1, 2) &&
		   blames(gdp_compose_advanced(3, ones, two, 0.1, &x, &y), GDP_BAD_DELTA_OR_ZERO, 2, 1) &&
		   blames(gdp_compose_advanced(3, ones, halves, 2, &x, &y), GDP_BAD_DELTA, 3, 0) &&
		   blames(gdp_kov_simple(3, ones, halves, 2, &x, &y), GDP_BAD_DELTA, 3, 0) &&
		   blames(gdp_kov_total_delta(3, two, 0, &x), GDP_BAD_DELTA_OR_ZERO, 1, 1) &&
		   blames(gdp_kov_total_delta(3, halves, 1, &x), GDP_BAD_DELTA_OR_ZERO, 2, 0) &&
		   blames(gdp_kov_hetero_delta(3, ones, two, 1, &x), GDP_BAD_DELTA_OR_ZERO, 2, 1) &&
		   blames(gdp_kov_hetero_delta(3, ones, halves, -1, &x), GDP_BAD_EPSILON_OR_ZERO, 3, 0) &&
		   blames(gdp_kov_hetero_epsilon(3, bad, halves, 0, &x), GDP_BAD_EPSILON_OR_ZERO, 1, 2) &&
		   blames(gdp_kov_hetero_epsilon(0, bad, halves, 0, &x), GDP_BAD_PART_COUNT, 1, 0),
	   "elements of arrays are blamed by their places: parts of (epsilon, delta)");
}

int
main(void)
{
	test_gaussian();
	test_sharing();
	test_optimal();
	test_methods();
	test_blamed();
	HOSTILE_2(gdp_mu_remaining, 0, DBL_MAX);
	HOSTILE_2(gdp_mu_queries, 0, DBL_MAX);
	HOSTILE_3(gdp_advanced_epsilon, 0, DBL_MAX);
	HOSTILE_3(gdp_kov_simple_epsilon, 0, DBL_MAX);
	HOSTILE_4(kov_delta, 0, 1);
	HOSTILE_4(kov_epsilon, 0, HUGE_VAL);
	HOSTILE_4(gdp_optimal_sigma_k, 0, DBL_MAX);
	HOSTILE_ARRAYS(hetero_two, 0, 1);
	HOSTILE_ARRAYS(hetero_two_inverse, 0, HUGE_VAL);
	HOSTILE_ARRAYS(advanced_two, 0, DBL_MAX);
	HOSTILE_ARRAYS(simple_two, 0, DBL_MAX);
	HOSTILE_ARRAYS(compose_three, 0, DBL_MAX);
	HOSTILE_ARRAYS(sigma_two, 0, DBL_MAX);
	HOSTILE_ARRAYS(split_two, 0, DBL_MAX);
	HOSTILE_ARRAYS(allocate_two, 0, DBL_MAX);
	return done();
}
