/*
 * bins.c
 *		Edges of bins of equal width: exact for whole numbers and decimals, ascending everywhere, right at the ends.
 */
#include <float.h>
#include <math.h>

#include "core/core.h"
#include "unit.h"

static double
edge_of(double lower, double upper, double n, double i)
{
	gdp_bins bins;

	gdp_bins_between(lower, upper, n, &bins);
	return gdp_bin_edge(&bins, i);
}

/* x >= edge where whole numbers say that x n >= upper i, for every such case. */
static void
test_whole(void)
{
	int cases = 0, wrong = 0;

	for (int upper = 1; upper <= 200; upper++)
		for (int n = 1; n <= 60; n++)
			for (int i = 0; i <= n; i++)
			{
				double edge = edge_of(0, upper, n, i), shifted = edge_of(-77, upper, n, i);
				int x = upper * i / n;

				cases++;
				wrong += (x >= edge) != (x * n >= upper * i) || (x + 1 >= edge) != true;
				wrong += (edge == x) != (x * n == upper * i);
				x = ((upper + 77) * i) / n - 77;
				wrong += (shifted == x) != ((x + 77) * n == (upper + 77) * i);
			}
	ok(wrong == 0 && cases == 200 * (60 * 61 / 2 + 60), "whole numbers: %d of %d edges wrong",
	   wrong, cases);
}

/* The double nearest to i/n, by the residual of a division. */
static void
test_nearest(void)
{
	int wrong = 0;

	for (int n = 1; n <= 1000; n++)
		for (int i = 0; i <= n; i++)
			wrong += edge_of(0, 1, n, i) != (double) i / n;
	ok(wrong == 0, "parts of (0, 1) are quotients: %d wrong", wrong);
	ok(edge_of(0, 1, 10, 7) == 0.7 && edge_of(0, 20, 100, 37) == 7.4 &&
		   edge_of(0.1, 0.9, 4, 2) == 0.5,
	   "decimals are the doubles nearest to them");
}

/*
 * Decimals of one to six places as bounds: an edge that is a decimal is the double that this decimal reads as; the
 * quotient of whole numbers is rounded once, and no other double lies between.
 */
static void
test_decimals(void)
{
	int wrong = 0, cases = 0, moved = 0;

	for (double places = 10; places <= 1e6; places *= 10)
		for (int lower = -30; lower <= 30; lower += 7)
			for (int upper = lower + 1; upper <= lower + 60; upper += 3)
				for (int n = 1; n <= 30; n++)
					for (int i = 0; i <= n; i++)
					{
						/* places e n = lower (n - i) + upper i, all whole numbers */
						double numerator = lower * (n - i) + upper * i,
							   edge = edge_of(lower / places, upper / places, n, i),
							   nearest = numerator / (n * places);

						cases++;
						wrong += edge != nearest;
						moved +=
							nearest != lower / places + (upper / places - lower / places) * i / n;
					}
	ok(wrong == 0 && cases > 500000, "edges between decimals are decimals: %d of %d wrong", wrong,
	   cases);
	ok(moved > 10000, "which arithmetic of doubles misses %d times", moved);
	ok(edge_of(0, 0.4, 4, 3) == 0.3 && edge_of(0.1, 0.7, 3, 1) == 0.3 &&
		   edge_of(-0.7, -0.1, 6, 4) == -0.3 && edge_of(1.1, 3.3, 2, 1) == 2.2 &&
		   edge_of(0, 1e23, 10, 1) == 1e22 && edge_of(-0.1, 0.2, 3, 1) == 0 &&
		   edge_of(0, 1e30, 10, 3) == 3e29 && edge_of(0, 3e-200, 3, 1) == 1e-200 &&
		   edge_of(0, 0.3333333333333333, 1e4, 1) == 0.00003333333333333333,
	   "0.3 is where (0, 0.4) in four bins has it, whatever the bounds' size");
}

/* Both bounds are edges, and edges ascend, for bounds of every kind. */
static void
test_ends(void)
{
	static const double bounds[][2] = {
		{-DBL_MAX, DBL_MAX}, {0, DBL_MAX},           {-DBL_MAX, 1},        {0, 5e-324},
		{-5e-324, 5e-324},   {DBL_MIN, 2 * DBL_MIN}, {1, 1 + DBL_EPSILON}, {1e15, 1e15 + 1},
		{-0.1, 0.3},         {1e-300, 1e300}};

	for (size_t b = 0; b < sizeof(bounds) / sizeof(*bounds); b++)
	{
		double lower = bounds[b][0], upper = bounds[b][1], before = lower;
		bool ascend = true;

		for (int i = 0; i <= 10000; i++)
		{
			double edge = edge_of(lower, upper, 10000, i);

			ascend = ascend && edge >= before && edge <= upper;
			before = edge;
		}
		ok(ascend && edge_of(lower, upper, 10000, 0) == lower && before == upper,
		   "edges ascend from %g to %g", lower, upper);
	}
}

int
main(void)
{
	test_whole();
	test_nearest();
	test_decimals();
	test_ends();
	return done();
}
