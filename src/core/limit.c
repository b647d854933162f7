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
 * Noise in one of many empty bins must not raise the limit: a false alarm at 2^20 would be worse than any cut.  So bins are taken for
 * empty but for those that stand out alone, those that follow on them, and higher ones by a threshold that rises with the distance.  A
 * limit that is more than four times too large for that comes out once in a thousand histograms at most.  bench/limits tries the choice on
 * simulated people, and its tails.
 */
#include <math.h>

#include "core.h"

/* A bin stands out above so many standard deviations: falsely in one histogram of 2.5 million. */
#define STANDS_OUT 5.5

/*
 * Where none does, up to six neighbours together do above so many of theirs, if all but the one with the most people are above fewer, and the
 * last is above one of its own.
 */
#define TOGETHER 4.3
#define ALL_BUT_ONE 3.0
#define MOST_NEIGHBOURS 6

/* Bins that follow on one that stands out are believed: one above so many standard deviations, or two together above so many of theirs. */
#define FOLLOWS 2.0
#define TWO_FOLLOW 3.0

/*
 * Where counts fall off slowly, they go on beyond the noise: the highest bin has between these parts of the people of the next lower one.
 * Two more bins are believed then above so many standard deviations, each with a part of the next lower one at most.
 */
#define FALLS_FROM 0.2
#define FALLS_TO 0.7
#define GOES_ON 0.7
#define GOES_ON_WITH 0.6
#define TAIL_BINS 2

/* One that is three bins above the others is believed above so many, and for each further bin above so many more. */
#define APART 4.6
#define APART_MORE 0.2

/* That of one value as large as its bound above fewer: values that are cut at their bounds are there. */
#define AT_BOUND 3.2

/* In all of these so few people are believed only where they stand out: noise is small there, and a limit they raise would follow them. */
#define FEW 6

/* People may be hidden in so many bins above the highest that is believed. */
#define HIDDEN_BINS 4

/* Above so many standard deviations one of twenty is. */
#define ONE_SIDED_95 1.6449

/* A person of a bin up to 2^i has so much of that; less where so few people of the next lower bin are in it that they are near its start. */
#define OF_A_BIN 0.7
#define STEEP 0.35

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

/* Is a count, or a sum of several, of this standard deviation believed above so many of it? */
static bool
is_believed(double count, double deviation, double threshold)
{
	return count > fmin(STANDS_OUT * deviation, fmax(threshold * deviation, FEW));
}

/* The last of the neighbours that stand out most together, -1 where none do. */
static int
last_together(const double *counts, double sigma, int least)
{
	double most = TOGETHER;
	int last = -1;

	for (int first = least; first < GDP_LIMIT_BINS; first++)
	{
		double sum = counts[first], largest = sum;

		for (int i = first + 1; i < GDP_LIMIT_BINS && i < first + MOST_NEIGHBOURS; i++)
		{
			double deviation = sigma * sqrt(i - first + 1);

			sum += counts[i];
			largest = fmax(largest, counts[i]);
			if (counts[i] > sigma && sum - largest > ALL_BUT_ONE * sigma * sqrt(i - first) &&
				sum > most * deviation && is_believed(sum, deviation, most))
			{
				most = sum / deviation;
				last = i;
			}
		}
	}
	return last;
}

/* The highest bin that people are seen in without a gap, -1 for none. */
static int
highest_seen(const double *counts, double sigma, int least)
{
	int bin = GDP_LIMIT_BINS - 1;

	while (bin >= least && !(counts[bin] > STANDS_OUT * sigma))
		bin--;
	if (bin < least)
		bin = last_together(counts, sigma, least);
	while (bin >= least)
		if (bin + 1 < GDP_LIMIT_BINS && counts[bin + 1] > FOLLOWS * sigma)
			bin++;
		else if (bin + 2 < GDP_LIMIT_BINS && counts[bin + 2] > 0 &&
				 is_believed(counts[bin + 1] + counts[bin + 2], sqrt(2) * sigma, TWO_FOLLOW))
			bin += 2;
		else
			break;
	return bin;
}

/* Above how many standard deviations a bin is believed that is so far above the highest seen. */
static double
threshold_apart(int bin, int seen, int least)
{
	if (bin == GDP_LIMIT_OF_ONE && least < bin)
		return AT_BOUND;
	return APART + APART_MORE * (bin - seen - 3);
}

/* How many people are believed to be in each bin; the highest that has any, -1 for none. */
static int
believe(const double *counts, double sigma, int least, double *people)
{
	int seen = highest_seen(counts, sigma, least), highest = seen;
	bool goes_on;

	for (int i = 0; i < GDP_LIMIT_BINS; i++)
		people[i] = i >= least && i <= seen ? fmax(counts[i], 0) : 0;
	if (seen < least)
		return -1;
	goes_on = seen > least && people[seen] > FALLS_FROM * people[seen - 1] &&
			  people[seen] < FALLS_TO * people[seen - 1];
	for (int i = seen + 1; i < GDP_LIMIT_BINS; i++)
	{
		if (goes_on && i <= seen + TAIL_BINS && counts[i] > GOES_ON * sigma)
			people[i] = fmin(counts[i], GOES_ON_WITH * people[i - 1] + sigma);
		if (is_believed(counts[i], sigma, threshold_apart(i, seen, least)))
			people[i] = counts[i];
		if (people[i] > 0)
			highest = i;
	}
	return highest;
}

/* How much of its end a person of a bin has, whose lower neighbour has more people. */
static double
part_of_end(const double *people, int bin, int least)
{
	double steep = bin > least ? STEEP * people[bin - 1] : 0;

	if (!(people[bin] < steep))
		return OF_A_BIN;
	return 0.5 + (OF_A_BIN - 0.5) * sqrt(sqrt(people[bin] / steep));
}

/* What a limit of k cuts off of a person in this bin; all that they have with 0.  Those in the least one have no less than its end. */
static double
cut_of_one(const double *people, int bin, int least, double k)
{
	double end = gdp_limit_rows(bin), part = part_of_end(people, bin, least);

	if (!(k < end))
		return 0;
	if (bin == least)
		return end - k;
	/* Few of the bin that it ends in reach beyond it: what is cut falls to nothing where the bin ends. */
	return 2 * k > end ? 4 * (part - 0.5) * (end - k) * (end - k) / end : part * end - k;
}

/* And of all. */
static double
cut_off(const double *people, double k, int least)
{
	double cut = 0;

	for (int i = least; i < GDP_LIMIT_BINS; i++)
		cut += people[i] * cut_of_one(people, i, least, k);
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

/* What part of all that people have a limit of k cuts off, if any of them are believed up to that bin. */
static void
set_cut(gdp_limit *limit, const double *counts, double sigma, const double *people, double k,
		int highest, gdp_limit_range range)
{
	double cut = cut_off(people, k, range.least);
	double all = cut_off(people, 0, range.least);
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
	double people[GDP_LIMIT_BINS];
	int highest = believe(counts, sigma, range.least, people);
	double least = INFINITY;
	gdp_limit limit = {.bin = GDP_LIMIT_OF_ONE};

	for (int j = range.least; j <= highest && j <= range.largest; j++)
	{
		double k = gdp_limit_rows(j);
		double bias = cut_off(people, k, range.least) / pow(groups, 0.75);
		double noise = k / mu;
		double square = bias * bias + noise * noise;

		if (square < least)
		{
			least = square;
			limit.bin = j;
		}
	}
	set_cut(&limit, counts, sigma, people, gdp_limit_rows(limit.bin), highest, range);
	return limit;
}

gdp_limit
gdp_limit_given(const double *counts, double sigma, double k, gdp_limit_range range)
{
	double people[GDP_LIMIT_BINS];
	int highest = believe(counts, sigma, range.least, people);
	gdp_limit limit = {.bin = GDP_LIMIT_OF_ONE};

	set_cut(&limit, counts, sigma, people, k, highest, range);
	return limit;
}
