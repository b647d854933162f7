/*
 * limit.c
 *		Bins of people by their squares, and the limit that is chosen from counts of people.
 */
#include <math.h>

#include "core/core.h"
#include "unit.h"

static gdp_int128
squares_of(double rows)
{
	gdp_int128 size = (gdp_int128) ldexp(rows, 20);

	return size * size;
}

static void
test_bins(void)
{
	int wrong = 0;

	for (int bin = 0; bin < GDP_LIMIT_BINS - 1; bin++)
	{
		double k = gdp_limit_rows(bin);
		int64_t size = (int64_t) (k * GDP_SIZE_ROW);
		gdp_int128 most = squares_of(k);

		wrong += gdp_limit_bin(most) != bin || gdp_limit_bin(most + 1) != bin + 1;
		wrong += gdp_person_weight(most, size) != GDP_WEIGHT_ROW;
		wrong += gdp_person_weight(squares_of(1.001 * k), size) == GDP_WEIGHT_ROW;
	}
	ok(wrong == 0, "a limit leaves whole who is in its bin, and nobody in the next one");
	ok(gdp_limit_rows(GDP_LIMIT_OF_ONE) == 1 && gdp_limit_bin(squares_of(1)) == GDP_LIMIT_OF_ONE,
	   "one row is in a bin by itself");
	ok(gdp_limit_bin(1) == 0 && gdp_limit_bin(squares_of(0x1p-10) + 1) == 1,
	   "what is less than a thousandth of a row is in the first one");
	ok(gdp_limit_bin(GDP_SQUARES_MAX + 1) == GDP_LIMIT_BINS - 1 &&
		   gdp_limit_bin(squares_of(1e9)) == GDP_LIMIT_BINS - 1,
	   "whoever is larger is in the last one");
}

/* Where people have whole rows: up to 2^largest may be chosen, and nobody has more than 2^possible. */
static gdp_limit_range
rows_up_to(int largest, int possible)
{
	return (gdp_limit_range){GDP_LIMIT_OF_ONE, GDP_LIMIT_OF_ONE + largest,
							 GDP_LIMIT_OF_ONE + possible};
}

/* 1,000 people with one row, and so many with 2^bin, by counts that have no noise; bins of it and of what is chosen begin with one row. */
static gdp_limit
choose(int bin, double people, double sigma, double groups, int largest)
{
	double counts[GDP_LIMIT_BINS] = {0};
	gdp_limit limit;

	counts[GDP_LIMIT_OF_ONE] = 1000;
	counts[GDP_LIMIT_OF_ONE + bin] = people;
	limit = gdp_limit_choose(counts, sigma, groups, 1, rows_up_to(largest, 20));
	limit.bin -= GDP_LIMIT_OF_ONE;
	return limit;
}

static void
test_choice(void)
{
	int wrong = 0;

	ok(choose(6, 1000, 2, 1, 20).bin == 6 && choose(6, 1000, 2, 1, 20).cut == 0,
	   "many people with up to 64 rows are counted in full");
	/* of 1,000 + 44,800 rows 36,800 are cut: a bin of up to 64 is taken for 44.8, which count as 8 */
	ok(choose(6, 1000, 2, 1, 3).bin == 3 &&
		   fabs(choose(6, 1000, 2, 1, 3).cut - 36.8 / 45.8) < 1e-12,
	   "no more than a threshold allows, and it is said what that cuts");
	for (int bin = 1; bin <= 20; bin++)
		wrong += choose(bin, 1, 2, 1, 20).bin != 0;
	ok(wrong == 0, "one person raises nothing, however many rows they have");
	ok(choose(20, 12, 2, 1, 20).bin > 15 && choose(20, 11, 2, 1, 20).bin == 0,
	   "people stand out above 5.5 standard deviations");
	ok(choose(6, 20, 2, 1, 20).bin > choose(6, 20, 2, 1e4, 20).bin,
	   "what is cut is less in each of many groups");
	ok(!choose(1, 0, 200, 1, 20).is_found && choose(1, 0, 200, 1, 20).bin == 0 &&
		   choose(1, 0, 200, 1, 20).cut == 0,
	   "where nobody stands out nothing is found, and it is 1");
}

/* 2,000 people with up to 4 rows; 40 with up to 32, who do not stand out above 5.5 times 10. */
static gdp_limit
hide(double sigma, int possible)
{
	double counts[GDP_LIMIT_BINS] = {[GDP_LIMIT_OF_ONE + 2] = 2000, [GDP_LIMIT_OF_ONE + 5] = 40};

	return gdp_limit_choose(counts, sigma, 1, 1, rows_up_to(20, possible));
}

static void
test_hidden(void)
{
	double most = 40 * 28 + 1.6449 * 10 * sqrt(4 * 4 + 12 * 12 + 28 * 28 + 60 * 60);

	ok(hide(10, 20).bin == GDP_LIMIT_OF_ONE + 2 && hide(10, 20).cut == 0 &&
		   fabs(hide(10, 20).most - most / (2000 * 2.8 + most)) < 1e-12,
	   "what noise hides is said, as far as people have up to 16 times as much");
	ok(hide(1, 20).bin == GDP_LIMIT_OF_ONE + 5 && hide(1, 20).most < 0.15,
	   "which is less with less noise");
	ok(hide(10, 4).most < hide(10, 20).most && hide(10, 2).most == 0,
	   "and no more than is possible");
}

/* 1,000 people with one row and 500 with 33 to 64. */
static gdp_limit
give(double k)
{
	double counts[GDP_LIMIT_BINS] = {[GDP_LIMIT_OF_ONE] = 1000, [GDP_LIMIT_OF_ONE + 6] = 500};

	return gdp_limit_given(counts, 2, k, rows_up_to(20, 20));
}

static void
test_given(void)
{
	double none[GDP_LIMIT_BINS] = {0};
	int wrong = 0;

	/* of 1,000 + 500 44.8 rows, 500 (44.8 - 10) are cut */
	ok(give(10).is_found && fabs(give(10).cut - 17400 / 23400.0) < 1e-12,
	   "of a number that is given it is said what it cuts off");
	ok(give(64).cut == 0 && give(60).cut < 0.01 && give(60).cut > 0,
	   "nothing where it is as large as what anybody has, little where it is nearly that");
	for (double k = 1; k < 80; k += 0.25)
		wrong += give(k + 0.25).cut > give(k).cut || give(k).cut > give(k).most;
	ok(wrong == 0, "less the larger it is");
	for (int bin = 0; bin < 7; bin++)
		wrong += fabs(give(ldexp(1, bin)).cut - choose(6, 500, 2, 1, bin).cut) > 1e-12 &&
				 choose(6, 500, 2, 1, bin).bin == bin;
	ok(wrong == 0, "the same as of a number that is found");
	ok(!gdp_limit_given(none, 2, 5, rows_up_to(20, 20)).is_found,
	   "where nobody stands out it is not known");
}

/* A sum, 2,000 people of which have up to 1/64 of a row in it; counts of rows look no further down than one. */
static void
test_values(void)
{
	double counts[GDP_LIMIT_BINS] = {[GDP_LIMIT_OF_ONE - 6] = 2000};
	gdp_limit_range by_value = {0, GDP_LIMIT_BINS - 1, GDP_LIMIT_BINS - 1};
	gdp_limit limit = gdp_limit_choose(counts, 2, 1, 1, by_value);

	ok(gdp_limit_rows(limit.bin) == 0x1p-6 && limit.is_found && limit.cut == 0,
	   "values far below their bound are measured by what they are");
	ok(limit.most > 0.05 && limit.most < 0.2,
	   "and it is said how much values near the bound may have, which the noise hides");
	limit = gdp_limit_given(counts, 2, 0x1p-8, by_value);
	ok(fabs(limit.cut - (0.7 * 4 - 1) / (0.7 * 4)) < 1e-12,
	   "and so is what a part of a row cuts off");
	ok(!gdp_limit_choose(counts, 2, 1, 1, rows_up_to(20, 20)).is_found,
	   "nobody has less than one row");
	counts[GDP_LIMIT_OF_ONE - 6] = 8;
	ok(gdp_limit_rows(gdp_limit_choose(counts, 2, 1, 1, by_value).bin) == 1,
	   "where nobody stands out it is one row");
}

/* Of 20,000 histograms with such noise, always the same ones: how many give that bin, or a higher one. */
#define RUNS 20000

static double
normal(uint64_t *state)
{
	double uniform[2];

	for (int i = 0; i < 2; i++)
	{
		*state ^= *state << 13;
		*state ^= *state >> 7;
		*state ^= *state << 17;
		uniform[i] = ((double) (*state >> 11) + 0.5) * 0x1p-53;
	}
	return sqrt(-2 * log(uniform[0])) * cos(6.283185307179586 * uniform[1]);
}

static int
reach(const double *counts, double sigma, bool by_value, int bin)
{
	gdp_limit_range range = {by_value ? 0 : GDP_LIMIT_OF_ONE, GDP_LIMIT_BINS - 1,
							 GDP_LIMIT_BINS - 1};
	uint64_t state = UINT64_C(88172645463325252);
	double noisy[GDP_LIMIT_BINS];
	int reached = 0;

	for (int run = 0; run < RUNS; run++)
	{
		for (int i = 0; i < GDP_LIMIT_BINS; i++)
			noisy[i] = counts[i] + sigma * normal(&state);
		/* a quarter of mu^2 is the histogram's */
		reached += gdp_limit_choose(noisy, sigma, 1, sqrt(3) / sigma, range).bin >= bin;
	}
	return reached;
}

static void
test_tails(void)
{
	static const double sigmas[] = {8, 2, 2 / 3.0};
	double far_below[GDP_LIMIT_BINS] = {[2] = 300, [3] = 600, [4] = 1100};
	double alike[GDP_LIMIT_BINS] = {[GDP_LIMIT_OF_ONE + 3] = 595};
	double one_row[GDP_LIMIT_BINS] = {[GDP_LIMIT_OF_ONE] = 40};
	double nobody[GDP_LIMIT_BINS] = {0};

	/* One in a thousand, and 5 standard deviations of what that is of 20,000. */
	for (int i = 0; i < 3; i++)
	{
		ok(reach(far_below, sigmas[i], true, 7) <= 42,
		   "noise of %g seldom raises the limit of values far below their bound eightfold",
		   sigmas[i]);
		ok(reach(alike, sigmas[i], false, GDP_LIMIT_OF_ONE + 6) <= 42, "nor that of people alike");
		ok(reach(one_row, sigmas[i], false, GDP_LIMIT_OF_ONE + 3) <= 42, "nor that of few people");
		ok(reach(nobody, sigmas[i], false, GDP_LIMIT_OF_ONE + 1) <= 42,
		   "nor finds people where nobody is");
	}
}

/* 1,000 people with one row, and so many with 17 to 32. */
static int
bin_apart(double people, double sigma)
{
	return choose(5, people, sigma, 1, 20).bin;
}

static void
test_gains(void)
{
	double steep[GDP_LIMIT_BINS] = {[GDP_LIMIT_OF_ONE + 3] = 1000, [GDP_LIMIT_OF_ONE + 4] = 10};
	double part = 0.5 + 0.2 * pow(10 / 350.0, 0.25);

	ok(bin_apart(20.2, 4) > 3 && bin_apart(19.8, 4) == 0,
	   "a bin five above the others is believed above 5 standard deviations");
	ok(bin_apart(5.4, 1) == 0 && bin_apart(5.6, 1) > 3, "above 5.5 where that is few people");
	/* of 1,000 5.6 + 10 part 16 rows */
	ok(fabs(gdp_limit_given(steep, 2, 8, rows_up_to(20, 20)).cut -
			10 * 4 * (part - 0.5) * 64 / 16 / (5600 + 160 * part)) < 1e-12,
	   "few people of many reach beyond a limit, and not by much");
	/* What bench/limits has of 3,000 values one in a hundred of which is at the bound, and of 94 people with 1 to 800 rows. */
	double at_bound[GDP_LIMIT_BINS] = {526, 424, 639, 760, 511, 111, 3, [GDP_LIMIT_OF_ONE] = 26};
	double spread[GDP_LIMIT_BINS] = {[GDP_LIMIT_OF_ONE] = 1, 0, 2, 4, 12, 18, 21, 15, 10, 10, 1};
	double falling[GDP_LIMIT_BINS] = {
		[GDP_LIMIT_OF_ONE] = 12914, 3260, 2040, 1074, 438, 171, 72, 17, 8, 5, 1};

	ok(reach(at_bound, 8, true, GDP_LIMIT_OF_ONE) > RUNS / 2,
	   "a few values at the bound are not cut, though they hardly stand out");
	ok(reach(spread, 8, false, GDP_LIMIT_OF_ONE + 7) > RUNS / 2,
	   "people stand out together where none of their bins does");
	ok(reach(falling, 8, false, GDP_LIMIT_OF_ONE + 7) > RUNS / 2,
	   "numbers of rows that fall off slowly go on beyond the noise");
}

static void
test_any_counts(void)
{
	double counts[GDP_LIMIT_BINS];
	int wrong = 0;

	for (int i = 0; i < 10000; i++)
	{
		gdp_limit limit;

		for (int bin = 0; bin < GDP_LIMIT_BINS; bin++)
			counts[bin] = ldexp((i * 7919 + bin * 104729) % 2001 - 1000, i % 90 - 20);
		limit = gdp_limit_choose(
			counts, 3, 1 + i, 0.01,
			(gdp_limit_range){i % 2 * GDP_LIMIT_OF_ONE, GDP_LIMIT_BINS - 1, GDP_LIMIT_BINS - 1});
		wrong += limit.bin < i % 2 * GDP_LIMIT_OF_ONE || limit.bin >= GDP_LIMIT_BINS ||
				 !(limit.cut >= 0 && limit.cut <= limit.most && limit.most <= 1);
	}
	ok(wrong == 0, "whatever the noise is, a limit and a part come out");
}

int
main(void)
{
	test_bins();
	test_choice();
	test_hidden();
	test_given();
	test_values();
	test_tails();
	test_gains();
	test_any_counts();
	return done();
}
