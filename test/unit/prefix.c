/*
 * prefix.c
 *		Prefix sums of bins: a row moves what is released by no more than is paid for, the sums come back, and their errors are
 *		those of the best published matrices.
 */
#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "unit.h"

static double work[2 * GDP_MAX_PREFIXES], other[GDP_MAX_PREFIXES];
static gdp_int128 x[GDP_MAX_PREFIXES], y[GDP_MAX_PREFIXES];

/* The square of what one row of bin j moves y by. */
static gdp_int128
square_of_column(const gdp_prefix *prefix, int j)
{
	gdp_int128 square = 0;

	for (int i = 0; i < prefix->n; i++)
		x[i] = i == j;
	gdp_prefix_multiply(prefix, x, y);
	for (int i = 0; i < prefix->n; i++)
		square += y[i] * y[i];
	return square;
}

static void
test_sensitivity(void)
{
	const gdp_int128 most = (gdp_int128) 1 << 40;
	int columns = 0, wrong = 0, poor = 0;

	for (int n = 1; n <= GDP_MAX_PREFIXES; n = n < 70 ? n + 1 : n * 4)
	{
		gdp_prefix prefix;

		gdp_prefix_begin(&prefix, n, work);
		for (int j = 0; j < n; j += n < 70 ? 1 : n / 16)
		{
			gdp_int128 square = square_of_column(&prefix, j);

			columns++;
			wrong += square > most;
			poor += square < most - most / 500;
		}
		wrong += square_of_column(&prefix, n - 1) > most;
	}
	ok(wrong == 0 && columns > 2400, "no row of %d bins moves y by more than 2^20", columns);
	ok(poor == 0, "nor by less than .999 of that");
}

/* Whole rows, more than a bin can have, and back. */
static void
test_return(void)
{
	int wrong = 0;

	srand(7);
	for (int n = 1; n <= 700; n = n * 3 + 1)
	{
		double sum = 0;
		gdp_prefix prefix;

		gdp_prefix_begin(&prefix, n, work);
		for (int i = 0; i < n; i++)
			x[i] = i % 7 == 3 ? 0 : rand() % (i % 5 == 0 ? 1000000 : 9);
		gdp_prefix_multiply(&prefix, x, y);
		for (int i = 0; i < n; i++)
			other[i] = ldexp((double) y[i], -20);
		gdp_prefix_solve(&prefix, other);
		for (int i = 0; i < n; i++)
		{
			sum += (double) x[i];
			wrong += fabs(other[i] - sum) > 1e-9 * (1 + sum);
		}
	}
	ok(wrong == 0, "without noise prefix sums are what they are");

	{
		gdp_prefix prefix;
		gdp_int128 most = 0;

		gdp_prefix_begin(&prefix, GDP_MAX_PREFIXES, work);
		for (int i = 0; i < GDP_MAX_PREFIXES; i++)
			x[i] = GDP_PREFIX_MOST;
		gdp_prefix_multiply(&prefix, x, y);
		for (int i = 0; i < GDP_MAX_PREFIXES; i++)
			most = y[i] > most ? y[i] : most;
		ok(y[0] > 0 && y[GDP_MAX_PREFIXES - 1] == most && most < (gdp_int128) 1 << 112,
		   "there is room for as many rows as bins may have");
	}
}

/* The standard deviation of a range, from what each y adds to it. */
static double
spread_by_parts(const gdp_prefix *prefix, int first, int last)
{
	double squares = 0;

	for (int k = 0; k < prefix->n; k++)
	{
		for (int i = 0; i < prefix->n; i++)
			other[i] = i == k;
		gdp_prefix_solve(prefix, other);
		squares += pow(other[last] - (first > 0 ? other[first - 1] : 0), 2);
	}
	return sqrt(squares);
}

/* Worst prefix sums, in units of the noise of one count: 1.85, 2.35 and 3.08 at 20, 100 and 1024 bins (design), by 3 % at most. */
static void
test_errors(void)
{
	static const struct
	{
		int n;
		double worst;
	} known[] = {{20, 1.85}, {100, 2.35}, {1024, 3.08}};
	static double spread_work[GDP_MAX_PREFIXES];
	gdp_prefix prefix;
	int wrong = 0;

	for (size_t k = 0; k < sizeof(known) / sizeof(*known); k++)
	{
		double worst = 0;

		gdp_prefix_begin(&prefix, known[k].n, work);
		for (int i = known[k].n % 9; i < known[k].n; i += 1 + known[k].n / 100)
			worst = fmax(worst, gdp_prefix_spread(&prefix, 0, i, spread_work));
		ok(worst <= 1.03 * known[k].worst && worst >= 0.97 * known[k].worst &&
			   worst <= gdp_prefix_worst(known[k].n),
		   "%d bins: the worst prefix sum errs by %.3f", known[k].n, worst);
	}
	gdp_prefix_begin(&prefix, 60, work);
	for (int first = 0; first < 60; first += 7)
		for (int last = first; last < 60; last += 11)
			wrong += fabs(gdp_prefix_spread(&prefix, first, last, spread_work) /
							  spread_by_parts(&prefix, first, last) -
						  1) > 1e-12;
	ok(wrong == 0, "the spread of a range is what its parts have");
	for (int n = 1; n <= 200; n++)
	{
		gdp_prefix_begin(&prefix, n, work);
		for (int i = 0; i < n; i++)
			wrong +=
				gdp_prefix_spread(&prefix, 0, i, spread_work) > gdp_prefix_worst(n) * (1 + 1e-5);
	}
	ok(wrong == 0, "and no prefix sum of up to 200 bins passes the bound");
}

int
main(void)
{
	test_sensitivity();
	test_return();
	test_errors();
	return done();
}
