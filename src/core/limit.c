/*
 * limit.c
 *		As how many rows a person should count: chosen from a noisy histogram of people by norm.
 *
 * Reads squares of people (weight.c) and noisy counts; hands bins to the plan node of people/, and the choice to exec/.
 *
 * Each person is in one bin, by their own squares alone, so that adding or removing one moves the histogram by 1 in the 2-norm.
 * The choice sees released counts only: whatever it does, nothing of it costs privacy.
 *
 * It is a matter of accuracy.  A limit k cuts n - k of each person with norm n above it, and has noise of k/mu:
 *
 *		B = sum over bins of more than k of max(count, 0) (0.7 end - k)		what is cut off, over all groups
 *		error^2 = (B / G^(3/4))^2 + (k / mu)^2								in one of G groups
 *
 * A person's norm n is spread over the groups: what is cut moves one of them, in the root mean square, by B/G where each
 * person is in one group, by B/sqrt(G) where all are in all.  The power between is off by G^(1/4) at most.
 *
 * Bins are empty as far as is known up to the highest that stands out of the noise: a false alarm at 2^20 would be worse than any
 * cut.  bench/limits tries the choice on simulated people.
 */
#include <math.h>

#include "core.h"

/* A bin stands out above so many standard deviations: falsely in one histogram of 2.5 million. */
#define STANDS_OUT 5.5

/* One that follows on it is believed above so many. */
#define FOLLOWS 2.0

/* People may be hidden in so many bins above the highest that stands out. */
#define HIDDEN_BINS 4

/* Above so many standard deviations one of twenty is. */
#define ONE_SIDED_95 1.6449

/* A person of a bin up to 2^i has so much of that. */
#define OF_A_BIN 0.7

int
gdp_limit_bin(gdp_int128 n2)
{
	int bin = 0;

	while (bin < GDP_LIMIT_BINS - 1 &&
		   n2 > (gdp_int128) GDP_SIZE_ROW * GDP_SIZE_ROW >> 2 * GDP_LIMIT_OF_ONE << 2 * bin)
		bin++;
	return bin;
}

double
gdp_limit_rows(int bin)
{
	return ldexp(1, bin - GDP_LIMIT_OF_ONE);
}

/* The highest bin that people are seen in, -1 for none. */
static int
highest_seen(const double *counts, double sigma, int least)
{
	int bin = GDP_LIMIT_BINS - 1;

	while (bin >= least && !(counts[bin] > STANDS_OUT * sigma))
		bin--;
	if (bin < least)
		return -1;
	while (bin + 1 < GDP_LIMIT_BINS && counts[bin + 1] > FOLLOWS * sigma)
		bin++;
	return bin;
}

/* What a limit of k cuts off of a person in this bin; all that they have with 0.  Those in the least one have no less than its end. */
static double
cut_of_one(int bin, int least, double k)
{
	double end = gdp_limit_rows(bin);

	if (!(k < end))
		return 0;
	if (bin == least)
		return end - k;
	/* Few of the bin that it ends in reach beyond it: what is cut falls to nothing where the bin ends. */
	return 2 * k > end ? 4 * (OF_A_BIN - 0.5) * (end - k) * (end - k) / end : OF_A_BIN * end - k;
}

/* And of all up to that bin. */
static double
cut_off(const double *counts, double k, int least, int highest)
{
	double cut = 0;

	for (int i = least; i <= highest; i++)
		cut += fmax(counts[i], 0) * cut_of_one(i, least, k);
	return cut;
}

/*
 * What a limit of k may cut off at most: of those that stand out, and of as many in the next bins as the noise may hide.  Further
 * up it may hide more than all others have.
 */
static double
cut_at_most(const double *counts, double sigma, double k, int least, int highest)
{
	double cut = 0, square = 0;

	for (int i = least; i <= highest; i++)
	{
		double off = fmax(gdp_limit_rows(i) - k, 0);

		cut += off * counts[i];
		square += off * off;
	}
	return cut + ONE_SIDED_95 * sigma * sqrt(square);
}

/* What part of all that people have a limit of k cuts off, if any of them are seen up to that bin. */
static void
set_cut(gdp_limit *limit, const double *counts, double sigma, double k, int highest,
		gdp_limit_range range)
{
	double cut = cut_off(counts, k, range.least, highest);
	double all = cut_off(counts, 0, range.least, highest);
	int hidden = highest + HIDDEN_BINS;
	double most;

	/* One value may be as large as its bound. */
	if (hidden < GDP_LIMIT_OF_ONE)
		hidden = GDP_LIMIT_OF_ONE;
	if (hidden > range.possible)
		hidden = range.possible;
	most = fmax(cut_at_most(counts, sigma, k, range.least, hidden), cut);

	limit->is_found = highest >= 0;
	if (!limit->is_found)
		return;
	limit->cut = cut / all;
	limit->most = fmax(limit->cut, most / (all - cut + most));
}

gdp_limit
gdp_limit_choose(const double *counts, double sigma, double groups, double mu,
				 gdp_limit_range range)
{
	int highest = highest_seen(counts, sigma, range.least);
	double least = INFINITY;
	gdp_limit limit = {.bin = GDP_LIMIT_OF_ONE};

	for (int j = range.least; j <= highest && j <= range.largest; j++)
	{
		double k = gdp_limit_rows(j);
		double bias = cut_off(counts, k, range.least, highest) / pow(groups, 0.75);
		double noise = k / mu;
		double square = bias * bias + noise * noise;

		if (square < least)
		{
			least = square;
			limit.bin = j;
		}
	}
	set_cut(&limit, counts, sigma, gdp_limit_rows(limit.bin), highest, range);
	return limit;
}

gdp_limit
gdp_limit_given(const double *counts, double sigma, double k, gdp_limit_range range)
{
	gdp_limit limit = {.bin = GDP_LIMIT_OF_ONE};

	set_cut(&limit, counts, sigma, k, highest_seen(counts, sigma, range.least), range);
	return limit;
}
