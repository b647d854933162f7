/*
 * limits.c
 *		The choice of src/core/limit.c on simulated people, against the best power of two in hindsight.
 *
 * usage: build/native/bench/limits; bench/limits builds and runs it.
 *
 * Each population is fixed; 2,000 histograms of it are drawn, with a quarter of mu^2.  The error of a limit is the root mean square, over
 * groups, of what it cuts and of its noise, which has the rest of mu^2.  The best one has all of it.  The populations below the first line
 * were not looked at before the first choice was fixed, those below the second one not before the present one was.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/core.h"

#define RUNS 2000
#define SHARE 0.25
#define UNKNOWN_GROUPS 100

/* What a person has in a group. */
typedef struct Cell
{
	int group;
	double rows;
} Cell;

typedef struct People
{
	const char *name;
	int n;
	int ngroups;
	bool are_known;
	bool by_value; /* or by rows */
	Cell **cells;
	int *ncells;
	double *norm;
} People;

static uint64_t seed;

static double
uniform(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return ((double) (seed >> 11) + 0.5) * 0x1p-53;
}

static double
normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

static double
lognormal(double mean, double deviation)
{
	return ceil(exp(mean + deviation * normal()));
}

static double
geometric(double mean)
{
	return 1 + floor(log(uniform()) / log(1 - 1 / mean));
}

static double
pareto(double power)
{
	return floor(fmin(pow(uniform(), -1 / power), 1e6));
}

/* Which of n groups, where the g-th has 1/g of the first. */
static int
zipf(int n)
{
	double total = 0, x;
	int group = 0;

	for (int i = 1; i <= n; i++)
		total += 1.0 / i;
	x = uniform() * total;
	while (group + 1 < n && (x -= 1.0 / (group + 1)) > 0)
		group++;
	return group;
}

static People
make(const char *name, int n, int ngroups, bool are_known)
{
	seed = 88172645463325252u;
	return (People){name,
					n,
					ngroups,
					are_known,
					false,
					calloc((size_t) n, sizeof(Cell *)),
					calloc((size_t) n, sizeof(int)),
					calloc((size_t) n, sizeof(double))};
}

static void
add(People *people, int person, int group, double rows)
{
	int n = people->ncells[person];

	for (int i = 0; i < n; i++)
		if (people->cells[person][i].group == group)
		{
			people->cells[person][i].rows += rows;
			return;
		}
	people->cells[person] = realloc(people->cells[person], sizeof(Cell) * (size_t) (n + 1));
	people->cells[person][people->ncells[person]++] = (Cell){group, rows};
}

/* Who is in a group at all. */
static People
presence(const People *of, const char *name)
{
	People people = make(name, of->n, of->ngroups, of->are_known);

	for (int u = 0; u < of->n; u++)
		for (int i = 0; i < of->ncells[u]; i++)
			add(&people, u, of->cells[u][i].group, 1);
	return people;
}

static double
error_of(const People *people, int bin, double mu)
{
	double k = gdp_limit_rows(bin), squares = 0;
	double *cut = calloc((size_t) people->ngroups, sizeof(double));

	for (int u = 0; u < people->n; u++)
		for (int i = 0; people->norm[u] > k && i < people->ncells[u]; i++)
			cut[people->cells[u][i].group] += (1 - k / people->norm[u]) * people->cells[u][i].rows;
	for (int g = 0; g < people->ngroups; g++)
		squares += cut[g] * cut[g];
	free(cut);
	return sqrt(squares / people->ngroups + k * k / mu / mu);
}

static int
ascending(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

/* The ratio of errors: its median over histograms, what 95 and 99 of a hundred do not exceed, and how often k is 4 times the best or more. */
static void
try_price(const People *people, double mu)
{
	double counts[GDP_LIMIT_BINS] = {0}, noisy[GDP_LIMIT_BINS], errors[GDP_LIMIT_BINS];
	double sigma = 1 / (sqrt(SHARE) * mu), rest = sqrt(1 - SHARE) * mu, best = INFINITY;
	double groups = people->ngroups == 1 || people->are_known ? people->ngroups : UNKNOWN_GROUPS;
	gdp_limit_range range = {people->by_value ? 0 : GDP_LIMIT_OF_ONE, GDP_LIMIT_BINS - 1,
							 GDP_LIMIT_BINS - 1};
	double ratios[RUNS];
	int best_bin = 0, lost = 0, large = 0;

	for (int u = 0; u < people->n; u++)
	{
		double size = people->norm[u] * (double) GDP_SIZE_ROW;

		counts[gdp_limit_bin((gdp_int128) (size * size))]++;
	}
	for (int bin = range.least; bin < GDP_LIMIT_BINS; bin++)
	{
		errors[bin] = error_of(people, bin, rest);
		if (error_of(people, bin, mu) < best)
		{
			best = error_of(people, bin, mu);
			best_bin = bin;
		}
	}
	for (int run = 0; run < RUNS; run++)
	{
		gdp_limit limit;

		for (int bin = 0; bin < GDP_LIMIT_BINS; bin++)
			noisy[bin] = counts[bin] + sigma * normal();
		limit = gdp_limit_choose(noisy, sigma, groups, rest, range);
		lost += !limit.is_found;
		large += limit.bin >= best_bin + 2;
		ratios[run] = errors[limit.bin] / best;
	}
	qsort(ratios, RUNS, sizeof(double), ascending);
	printf("| %s | %g | %g | %.2f | %.2f | %.2f | %.1f %% | %.1f | %.0f %% |\n", people->name, mu,
		   gdp_limit_rows(best_bin), ratios[RUNS / 2], ratios[RUNS * 95 / 100],
		   ratios[RUNS * 99 / 100], 100.0 * large / RUNS,
		   error_of(people, GDP_LIMIT_OF_ONE, mu) / best, 100.0 * lost / RUNS);
}

static void
try_people(People people)
{
	for (int u = 0; u < people.n; u++)
	{
		double squares = 0;

		for (int i = 0; i < people.ncells[u]; i++)
		{
			double rows = people.cells[u][i].rows;

			people.by_value = people.by_value || rows != floor(rows);
			squares += rows * rows;
		}
		people.norm[u] = sqrt(squares);
	}
	try_price(&people, 0.25);
	try_price(&people, 1);
	try_price(&people, 3);
}

/* People with so many rows each, in all, or each in a group that is drawn for it; home is one group of the person's own. */
#define TOTAL(name, n, rows)                                                                       \
	do                                                                                             \
	{                                                                                              \
		People people = make(name, n, 1, true);                                                    \
		for (int u = 0; u < (n); u++)                                                              \
			add(&people, u, 0, rows);                                                              \
		try_people(people);                                                                        \
	} while (0)

#define GROUPED(name, n, ngroups, known, rows, group, of_people)                                   \
	do                                                                                             \
	{                                                                                              \
		People people = make(name, n, ngroups, known);                                             \
		for (int u = 0; u < (n); u++)                                                              \
		{                                                                                          \
			int home = (int) (uniform() * (ngroups));                                              \
			int nrows = (int) (rows);                                                              \
			for (int i = 0; i < nrows; i++)                                                        \
				add(&people, u, group, 1);                                                         \
			(void) home;                                                                           \
		}                                                                                          \
		try_people(people);                                                                        \
		if ((of_people) != NULL)                                                                   \
			try_people(presence(&people, of_people));                                              \
	} while (0)

static void
tuned(void)
{
	TOTAL("94, log-normal (3.8, 1.3)", 94, lognormal(3.8, 1.3));
	TOTAL("5,000, log-normal (1, 1)", 5000, lognormal(1, 1));
	TOTAL("20,000, Pareto 1.5", 20000, pareto(1.5));
	TOTAL("10,000, Pareto 1.1", 10000, pareto(1.1));
	TOTAL("595 with 7", 595, 7);
	TOTAL("3,000: 90 % one, 10 % a hundred", 3000, uniform() < 0.9 ? 1 : 100);
	TOTAL("2,000 uniform 1..50", 2000, ceil(uniform() * 50));
	TOTAL("50,000 geometric 5", 50000, geometric(5));
	TOTAL("2,000, sums by value", 2000, exp(1 + normal()) * exp(0.8 * normal()) / 20);
	TOTAL("2,000, sums by value, far below the bound", 2000, exp(-4 + normal()));
	GROUPED("1,000 with 1..25, 12 months", 1000, 12, true, ceil(uniform() * 25),
			(int) (uniform() * 12), "people of these by month");
	GROUPED("23,544 geometric 3, 18 months", 23544, 18, true, geometric(3), (int) (uniform() * 18),
			"people of these by month");
	GROUPED("943 log-normal (4.2, 0.9), 8 months, mostly one", 943, 8, true, lognormal(4.2, 0.9),
			uniform() < 0.8 ? home : (int) (uniform() * 8), NULL);
	GROUPED("the same, 1,682 found films, sizes 1/g", 943, 1682, false, lognormal(4.2, 0.9),
			zipf(1682), NULL);
	GROUPED("5,000 geometric 8, 1,000 groups, 1/g", 5000, 1000, true, geometric(8), zipf(1000),
			"people of these by group");
	GROUPED("5,000 log-normal (1, 1), 5 groups", 5000, 5, true, lognormal(1, 1),
			(int) (uniform() * 5), NULL);
	GROUPED("the same, 40 groups, each in one", 5000, 40, true, lognormal(1, 1), home, NULL);
}

static void
fresh(void)
{
	TOTAL("97, Pareto 0.9", 97, pareto(0.9));
	TOTAL("100,100: 0.1 % a thousand, others one", 100100, uniform() < 0.999 ? 1 : 1000);
	TOTAL("300 uniform 1..1000", 300, ceil(uniform() * 1000));
	TOTAL("4,000, sums by value", 4000, -log(uniform()) * geometric(6) / 3);
	TOTAL("3,000, sums by value, one in a hundred at the bound", 3000,
		  uniform() < 0.01 ? 0.99 : -log(uniform()) / 200);
	TOTAL("5,000, sums by value, 2 % 0.3..0.9", 5000,
		  uniform() < 0.02 ? 0.3 + 0.6 * uniform() : -log(uniform()) / 500);
	TOTAL("2,000, sums by value, log-normal (-6, 1.5)", 2000, fmin(exp(-6 + 1.5 * normal()), 0.99));
	TOTAL("10,000, sums by value, uniform 0..0.05", 10000, 0.05 * uniform());
	TOTAL("500, sums by value, Pareto 1.2 of 0.01", 500,
		  fmin(0.01 * pow(uniform(), -1 / 1.2), 0.99));
	TOTAL("20,000, sums by value, 0.2 % at the bound", 20000,
		  uniform() < 0.002 ? 0.99 : 0.002 * geometric(3) + 1e-9);
	TOTAL("1,000, sums by value, 0.08..0.12", 1000, 0.08 + 0.04 * uniform());
	GROUPED("8,000 geometric 3, 52 weeks", 8000, 52, true, geometric(3), (int) (uniform() * 52),
			NULL);
	GROUPED("2,000 geometric 10, 200 found groups, each in one", 2000, 200, false, geometric(10),
			home, NULL);
	GROUPED("700 log-normal (2, 0.8), 24 groups, 1/g", 700, 24, true, lognormal(2, 0.8), zipf(24),
			"people of these by group");
}

static void
fresh_again(void)
{
	TOTAL("1,500, sums by value, log-normal (-5, 1), 1.5 % 0.7..1", 1500,
		  uniform() < 0.015 ? 0.7 + 0.3 * uniform() : fmin(exp(-5 + normal()), 0.99));
	TOTAL("6,000, exponential of log-normal (0.5, 0.8)", 6000,
		  ceil(-log(uniform()) * exp(0.5 + 0.8 * normal())));
	TOTAL("250, log-normal (2.5, 1)", 250, lognormal(2.5, 1));
	TOTAL("15,000, Pareto 2", 15000, pareto(2));
	TOTAL("4,000: 97 % 1..3, 3 % 201..400", 4000,
		  uniform() < 0.97 ? ceil(3 * uniform()) : 200 + ceil(200 * uniform()));
	GROUPED("1,200 geometric 6, 60 found groups, 1/g", 1200, 60, false, geometric(6), zipf(60),
			NULL);
}

int
main(void)
{
	printf(
		"| people | mu | best k | median | 95 %% | 99 %% | k 4 times too large | k = 1 | nothing found |\n"
		"|---|---|---|---|---|---|---|---|---|\n");
	tuned();
	printf("| *no part in fixing the first choice:* | | | | | | | | |\n");
	fresh();
	printf("| *no part in fixing the present one:* | | | | | | | | |\n");
	fresh_again();
	return 0;
}
