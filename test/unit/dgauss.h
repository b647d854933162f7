/*
 * dgauss.h
 *		The exact law of the discrete Gaussian, by direct summation, and tests against it.
 */
#ifndef GAUSSDP_TEST_DGAUSS_H
#define GAUSSDP_TEST_DGAUSS_H

#include <math.h>
#include <stdlib.h>

#include "core/core.h"
#include "recorded.h"
#include "unit.h"

#define ALPHA 1e-6

/* Sum of exp(-x^2/(2 sigma^2)) over all x, and over x >= m. */
static inline long double
dgauss_tail_sum(long m, double sigma)
{
	long double sum = 0;

	for (long x = m + (long) (40 * sigma) + 40 + labs(m); x >= m; x--)
		sum += expl(-(long double) x * x / (2 * (long double) sigma * sigma));
	return sum;
}

static inline long double
dgauss_norm(double sigma)
{
	return 1 + 2 * dgauss_tail_sum(1, sigma);
}

/* P(Y >= m) */
static inline long double
dgauss_tail(long m, double sigma)
{
	return dgauss_tail_sum(m, sigma) / dgauss_norm(sigma);
}

/* Canonne, Kamath and Steinke 2020, Theorem 7: the exact delta of a shift. */
static inline long double
dgauss_delta(double epsilon, double sigma, long shift)
{
	long double center = (long double) epsilon * sigma * sigma / shift, half = shift / 2.0L,
				sum = 0;

	for (long x = (long) floorl(center + half) + 1; x < center + half + 40 * sigma + 40; x++)
		sum += expl(-(long double) (x - shift) * (x - shift) / (2 * (long double) sigma * sigma)) *
			   -expm1l(epsilon - (2.0L * shift * x - (long double) shift * shift) /
									 (2 * (long double) sigma * sigma));
	return sum / dgauss_norm(sigma);
}

/* The value that chi-square with df degrees of freedom exceeds with probability ALPHA. */
static inline double
chi_square_limit(double df)
{
	double v = 2 / (9 * df), root = 1 - v + gdp_norm_upper_quantile(ALPHA) * sqrt(v);

	return df * root * root * root; /* Wilson and Hilferty 1931 */
}

/* Draws n times at a small sigma and compares all cells that expect 10 or more with the exact law. */
static inline void
test_law(gdp_entropy *entropy, int sigma, int n)
{
	enum
	{
		REACH = 400
	};
	static long seen[2 * REACH + 1];
	long double norm = dgauss_norm(sigma), chi_square = 0, tail;
	int cells = 0, edge = 0, failures = 0;
	long outside = 0;

	memset(seen, 0, sizeof(seen));
	for (int i = 0; i < n; i++)
	{
		int64_t y = INT64_MAX;

		if (gdp_dgauss_sample(entropy, sigma, &y) != GDP_OK || y < -REACH || y > REACH)
			failures++;
		else
			seen[y + REACH]++;
	}
	ok(failures == 0, "sigma %d: every draw succeeds and none is beyond 10 sigma", sigma);

	while (edge < REACH &&
		   n * expl(-(long double) (edge + 1) * (edge + 1) / (2.0L * sigma * sigma)) / norm >= 10)
		edge++;
	for (int y = -REACH; y <= REACH; y++)
	{
		long double expected = n * expl(-(long double) y * y / (2.0L * sigma * sigma)) / norm,
					excess = seen[y + REACH] - expected;

		if (abs(y) > edge)
			outside += seen[y + REACH];
		else
		{
			chi_square += excess * excess / expected;
			cells++;
		}
	}
	tail = 2 * n * dgauss_tail(edge + 1, sigma);
	chi_square += (outside - tail) * (outside - tail) / tail;
	ok((double) chi_square < chi_square_limit(cells),
	   "sigma %d: chi-square %.1f of %d cells over %d draws is below %.1f", sigma,
	   (double) chi_square, cells + 1, n, chi_square_limit(cells));
}

#endif /* GAUSSDP_TEST_DGAUSS_H */
