/*
 * bins.c
 *		Edges of bins of equal width: exact for whole numbers, ascending everywhere, right at the ends.
 */
#include <float.h>
#include <math.h>

#include "core/core.h"
#include "unit.h"

/* x >= edge where whole numbers say that x n >= upper i, for every such case. */
static void
test_whole(void)
{
	int cases = 0, wrong = 0;

	for (int upper = 1; upper <= 200; upper++)
		for (int n = 1; n <= 60; n++)
			for (int i = 0; i <= n; i++)
			{
				double edge = gdp_bin_edge(0, upper, n, i),
					   shifted = gdp_bin_edge(-77, upper, n, i);
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
			wrong += gdp_bin_edge(0, 1, n, i) != (double) i / n;
	ok(wrong == 0, "parts of (0, 1) are quotients: %d wrong", wrong);
	ok(gdp_bin_edge(0, 1, 10, 7) == 0.7 && gdp_bin_edge(0, 20, 100, 37) == 7.4 &&
		   gdp_bin_edge(0.1, 0.9, 4, 2) == 0.5,
	   "decimals are the doubles nearest to them");
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
			double edge = gdp_bin_edge(lower, upper, 10000, i);

			ascend = ascend && edge >= before && edge <= upper;
			before = edge;
		}
		ok(ascend && gdp_bin_edge(lower, upper, 10000, 0) == lower && before == upper,
		   "edges ascend from %g to %g", lower, upper);
	}
}

int
main(void)
{
	test_whole();
	test_nearest();
	test_ends();
	return done();
}
