/*
 * prefix.c
 *		Numbers of rows below the edges of bins: what is released in their place, and how they are found from it.
 *
 * Used by the release of a distribution function.  The n numbers of rows x of bins become y = C x, C a triangle of whole
 * numbers; noise is added to y, and prefix sums follow from C x = y by substitution.
 *
 * Method
 *		C = floor(2^20 T D^-1), T the lower triangle with T[i][j] = c[i - j], sum of c[i] z^i = (1 - z)^(-1/2), and D the norms of
 *		its columns.  T T is the triangle of ones, so that errors of prefix sums are those of a square root of their matrix
 *		(Henzinger, Upadhyay and Upadhyay 2023; Fichtenberger, Henzinger and Upadhyay 2023); scaled columns use all of the
 *		sensitivity, the late ones too.
 *
 * Sensitivity
 *		A row is in one bin and moves y by a column of C, whose 2-norm is at most 2^20: the sum of squares of c[0] .. c[n - 1 - j]
 *		as it is computed is that of these doubles to within n 2^-53 <= 2^-41 of itself, and each entry has three roundings of
 *		2^-53 before it is rounded down; the factor 1 - 2^-30 is less than all of them.
 */
#include <math.h>

#include "domain.h"
#include "core.h"

/* An entry of C, i >= j. */
static inline int64_t
entry(const gdp_prefix *prefix, int i, int j)
{
	return (int64_t) (prefix->coefficient[i - j] * prefix->scale[j]);
}

void
gdp_prefix_begin(gdp_prefix *prefix, int n, double *work)
{
	double squares = 0;

	*prefix = (gdp_prefix){.n = n, .coefficient = work, .scale = work + n};
	for (int i = 0; i < n; i++)
	{
		work[i] = i == 0 ? 1 : work[i - 1] * (2 * i - 1) / (2 * i);
		squares += work[i] * work[i];
		prefix->scale[n - 1 - i] = 0x1p20 * (1 - 0x1p-30) / sqrt(squares);
	}
}

void
gdp_prefix_multiply(const gdp_prefix *prefix, const gdp_int128 *x, gdp_int128 *y)
{
	for (int i = 0; i < prefix->n; i++)
	{
		gdp_int128 sum = 0;

		for (int j = 0; j <= i; j++)
			sum += entry(prefix, i, j) * x[j];
		y[i] = sum;
	}
}

void
gdp_prefix_solve(const gdp_prefix *prefix, double *y)
{
	double sum = 0;

	for (int i = 0; i < prefix->n; i++)
	{
		double rest = y[i] * 0x1p20;

		for (int j = 0; j < i; j++)
			rest -= (double) entry(prefix, i, j) * y[j];
		y[i] = rest / (double) entry(prefix, i, i);
	}
	for (int i = 0; i < prefix->n; i++)
	{
		sum += y[i];
		y[i] = sum;
	}
}

/* w with w C = 2^20 (ones from first to last), from the end on: its norm is that of the noise. */
double
gdp_prefix_spread(const gdp_prefix *prefix, int first, int last, double *work)
{
	double squares = 0;

	for (int j = last; j >= 0; j--)
	{
		double rest = j >= first ? 0x1p20 : 0;

		for (int i = j + 1; i <= last; i++)
			rest -= (double) entry(prefix, i, j) * work[i];
		work[j] = rest / (double) entry(prefix, j, j);
		squares += work[j] * work[j];
	}
	return sqrt(squares);
}

/* Of T itself, without scales: its first column and its last row have this square. */
double
gdp_prefix_worst(int n)
{
	double coefficient = 1, squares = 0;

	for (int i = 0; i < n; i++)
	{
		coefficient = i == 0 ? 1 : coefficient * (2 * i - 1) / (2 * i);
		squares += coefficient * coefficient;
	}
	return squares;
}
