/*
 * solver.c
 *		The solver for the optimal sigma against plain bisection of the same form, in the same run.
 *
 * usage: make bench-solver
 *
 * Both work through the same points, log-uniform over epsilon 1e-8..1e4 and delta 1e-300..1-1e-12, in turns;
 * each is given by the median of its rounds. Bisection starts from the same bracket and ends when
 * mu is known to 1e-15. The target for the ratio is 8 (status 1 below it).
 */
#define _POSIX_C_SOURCE 199309L
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/core.h"
#include "core/place.h"

#define POINTS 2000
#define ROUNDS 9
#define TARGET 8

static double epsilons[POINTS];
static double deltas[POINTS];
static long evaluations;

static double
uniform(void)
{
	static uint64_t state = 1;

	state = state * 6364136223846793005 + 1442695040888963407;
	return (double) (state >> 11) * 0x1p-53;
}

/* delta for half of the points small, for a quarter near 1 */
static void
make_points(void)
{
	for (int i = 0; i < POINTS; i++)
	{
		epsilons[i] = pow(10, -8 + 12 * uniform());
		if (i % 4 < 2)
			deltas[i] = pow(10, -300 * uniform());
		else if (i % 4 == 2)
			deltas[i] = pow(10, -12 * uniform());
		else
			deltas[i] = 1 - pow(10, -12 * uniform());
		deltas[i] = fmin(fmax(deltas[i], 1e-300), 1 - 1e-12);
	}
}

static double
by_newton(double epsilon, double delta)
{
	double sigma = NAN;

	gdp_optimal_sigma(epsilon, delta, 1, &sigma);
	return sigma;
}

/* The same residual, the same bracket as in gdp_place_solve_a, and nothing but halving. */
static double
by_bisection(double epsilon, double delta)
{
	int small = delta <= 0.5;
	double goal = small ? delta : 1 - delta;
	double low = -sqrt(-log1p(-delta)) * (1 + 0x1p-50);
	double high = 0x1p-1000;

	if (small)
	{
		double mu = delta * sqrt(2 * 3.14159265358979323846);

		high = sqrt(fmax(log(0.25 * (1 + sqrt(1 + 16 * delta))) - log(2 * delta), 0));
		high = fmin(high, (epsilon / mu - 0.5 * mu) * GDP_SQRT1_2);
		high += fabs(high) * 0x1p-50 + 0x1p-1000;
	}
	for (;;)
	{
		gdp_place at;
		double factor;
		double middle = low + 0.5 * (high - low);

		gdp_place_of_a(middle, epsilon, &at);
		if (!(high - low > 1e-15 * at.A))
			return 1 / gdp_mu_of_a(high, epsilon);
		evaluations++;
		factor = small ? gdp_place_difference(&at) : gdp_place_complement(&at);
		if (small == (gdp_place_excess(&at, factor, goal) > 0))
			low = middle;
		else
			high = middle;
	}
}

static double
microseconds(double (*solver)(double, double), double *sum)
{
	struct timespec begin;
	struct timespec end;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &begin);
	for (int i = 0; i < POINTS; i++)
		*sum += solver(epsilons[i], deltas[i]);
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &end);
	return ((double) (end.tv_sec - begin.tv_sec) * 1e6 +
			(double) (end.tv_nsec - begin.tv_nsec) / 1e3) /
		   POINTS;
}

static int
ascending(const void *x, const void *y)
{
	double a = *(const double *) x;
	double b = *(const double *) y;

	return (a > b) - (a < b);
}

int
main(void)
{
	double newton[ROUNDS];
	double bisection[ROUNDS];
	double ratio[ROUNDS];
	double sums[2] = {0};
	double worst = 0;

	make_points();
	for (int i = 0; i < POINTS; i++)
		worst = fmax(
			worst,
			fabs(by_newton(epsilons[i], deltas[i]) / by_bisection(epsilons[i], deltas[i]) - 1));
	evaluations = 0;
	for (int round = 0; round < ROUNDS; round++)
	{
		newton[round] = microseconds(by_newton, &sums[0]);
		bisection[round] = microseconds(by_bisection, &sums[1]);
		ratio[round] = bisection[round] / newton[round];
	}
	qsort(newton, ROUNDS, sizeof(double), ascending);
	qsort(bisection, ROUNDS, sizeof(double), ascending);
	qsort(ratio, ROUNDS, sizeof(double), ascending);
	printf("| points | bisection, %ld steps | optimal sigma | ratio (target %d) | largest "
		   "difference |\n",
		   evaluations / ROUNDS / POINTS, TARGET);
	printf("|---|---|---|---|---|\n");
	printf("| %d | %.2f us | %.2f us | %.1f | %.2g (margin 5.7e-14) |\n", POINTS,
		   bisection[ROUNDS / 2], newton[ROUNDS / 2], ratio[ROUNDS / 2], worst);
	return !(ratio[ROUNDS / 2] >= TARGET && isfinite(sums[0] + sums[1]));
}
