/*
 * several.c
 *		Several quantiles: a row is in one part of a level, levels do not run out, and the errors are those of fewer searches.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "unit.h"

static uint64_t seed = 7;

static double
uniform(void)
{
	seed += UINT64_C(0x9E3779B97F4A7C15);
	uint64_t z = seed;

	z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
	return ((double) ((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double
normal(void)
{
	return gdp_norm_quantile(uniform());
}

/* ---------------------------------------------------------------------------
 * Columns
 * ---------------------------------------------------------------------------
 */

typedef struct column
{
	const char *name;
	double (*value)(double u);
	int n;
	double lower, upper;
	bool whole;
} column;

static double
of_uniform(double u)
{
	return u;
}
static double
of_lognormal(double u)
{
	return exp(gdp_norm_quantile(u));
}
static double
of_salary(double u)
{
	return 40000 * exp(0.6 * gdp_norm_quantile(u));
}
/* Two fifths of people work 40 hours, and many others multiples of 5. */
static double
of_hours(double u)
{
	double hours = 40 + 12 * gdp_norm_quantile(u < 0.3   ? u / 0.6
											   : u > 0.7 ? 0.5 + (u - 0.7) / 0.6
														 : 0.5);

	return fabs(hours - 5 * nearbyint(hours / 5)) < 2 ? 5 * nearbyint(hours / 5) : nearbyint(hours);
}
static double
of_visits(double u)
{
	return floor(-4 * log(u));
}
static double
of_grades(double u)
{
	return 1 + floor(5.7 * u);
}

static const column columns[] = {
	{"uniform", of_uniform, 40000, 0, 1, false},
	{"uniform, wide", of_uniform, 40000, 0, 100, false},
	{"lognormal", of_lognormal, 10000, 0, 100, false},
	{"salary", of_salary, 50000, 0, 1e6, false},
	{"hours", of_hours, 40000, 0, 99, true},
	{"visits", of_visits, 20000, 0, 1000, true},
	{"grades", of_grades, 5000, 1, 6, true},
};
#define NCOLUMNS ((int) (sizeof(columns) / sizeof(columns[0])))

static double values[50000];
static double deciles[9];

static double
mu_of(double epsilon)
{
	double mu = 0;

	return gdp_profile_mu(epsilon, 1e-6, &mu) == GDP_OK ? mu : NAN;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return x < y ? -1 : x > y;
}

static void
fill(const column *c)
{
	for (int j = 0; j < c->n; j++)
		values[j] = fmin(fmax(c->value((j + 0.5) / c->n), c->lower), c->upper);
	qsort(values, (size_t) c->n, sizeof(values[0]), compare);
	for (int i = 0; i < 9; i++)
		deciles[i] = (i + 1) / 10.0;
}

static double
truth(const column *c, double q)
{
	double place = q * (c->n - 1);
	int i = (int) place;

	return i + 1 < c->n ? values[i] + (place - i) * (values[i + 1] - values[i]) : values[i];
}

static int
rows_below(int n, double x)
{
	int low = 0, high = n;

	while (low < high)
	{
		int middle = (low + high) / 2;

		if (values[middle] < x)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static int
rows_before(const column *c, const gdp_leaves *leaves, int32_t edge)
{
	return edge == leaves->n ? c->n : rows_below(c->n, gdp_leaf_edge(leaves, edge));
}

/* All quantiles at the price of mu; a 64th of it counts the rows.  Returns the noise of an answer. */
static double
ask(const column *c, const gdp_leaves *leaves, const double *q, int n, double mu, double *answers)
{
	double sigma = GDP_SEARCH_SQRT_STEPS * sqrt(gdp_several_levels(n)) / (mu * sqrt(63.0 / 64));
	static gdp_several several;
	gdp_search search;
	gdp_part part;
	int32_t edge;

	gdp_several_begin(&several, leaves, q, n, sigma, c->n + 8 / mu * normal(), 20 / mu);
	while (gdp_several_next(&several, &part, &search))
	{
		int first = rows_before(c, leaves, part.low), last = rows_before(c, leaves, part.high);
		double most = fmax(search.q, 1 - search.q);

		while (gdp_search_next(&search, &edge))
		{
			int rank = rows_before(c, leaves, edge);

			gdp_search_answer(&search, edge,
							  ((1 - search.q) * (rank - first) - search.q * (last - rank)) / most +
								  sigma * normal());
		}
		gdp_several_found(&several, &part, &search);
	}
	gdp_several_results(&several, q, answers);
	return sigma;
}

/* One of them, by a call of its own. */
static double
ask_alone(const column *c, const gdp_leaves *leaves, double q, double mu)
{
	double sigma = fmax(q, 1 - q) * GDP_SEARCH_SQRT_STEPS / mu;
	gdp_search search;
	int32_t edge;

	gdp_search_begin(&search, leaves, q, sigma);
	while (gdp_search_next(&search, &edge))
		gdp_search_answer(&search, edge,
						  rows_before(c, leaves, edge) - q * c->n + sigma * normal());
	return gdp_search_result(&search);
}

/* ---------------------------------------------------------------------------
 * What privacy rests on
 * ---------------------------------------------------------------------------
 */

static void
test_levels(void)
{
	static const int known[][2] = {{1, 1}, {2, 2}, {3, 2},  {4, 3},
								   {7, 3}, {8, 4}, {99, 7}, {100, 7}};
	int wrong = 0;

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		wrong += gdp_several_levels(known[i][0]) != known[i][1];
	ok(wrong == 0, "the levels of a binary tree: %d wrong", wrong);
}

/* Which level has searched each leaf, as bits. */
static unsigned char searched[4096];

/* Answers of any size and sign: no leaf is searched twice in a level, none after the last level, and all quantiles have values. */
static void
test_parts(void)
{
	int twice = 0, late = 0, wrong = 0, scaled = 0, parts = 0;

	for (int i = 0; i < 3000; i++)
	{
		static gdp_several several;
		double q[GDP_MAX_QUANTILES], value[GDP_MAX_QUANTILES];
		int n = 1 + i % GDP_MAX_QUANTILES, kind = i % 7;
		gdp_leaves leaves;
		gdp_search search;
		gdp_part part;
		int32_t edge;

		gdp_leaves_between(0, i % 3 == 0 ? 3 : 3000, 0, &leaves);
		memset(searched, 0, sizeof(searched));
		for (int j = 0; j < n; j++)
			q[j] = i % 2 == 0 ? uniform() : (double) ((j * 7) % n) / n;
		gdp_several_begin(&several, &leaves, q, n, 1, kind == 0 ? -5 : 1e3 * uniform(), 20);
		while (gdp_several_next(&several, &part, &search))
		{
			parts++;
			late += part.level >= gdp_several_levels(n) || part.level > 7;
			scaled += !(search.q > 0 && search.q < 1) || search.sigma != 1;
			for (int leaf = part.low; leaf < part.high; leaf++)
			{
				twice += (searched[leaf] >> part.level & 1) != 0;
				searched[leaf] |= (unsigned char) (1 << part.level);
			}
			while (gdp_search_next(&search, &edge))
			{
				wrong += edge <= part.low || edge >= part.high;
				gdp_search_answer(&search, edge,
								  kind < 2   ? normal()
								  : kind < 4 ? 100 * (uniform() - 0.5)
								  : kind < 5 ? -1e6
								  : kind < 6 ? 1e6
											 : edge - leaves.n * uniform());
			}
			gdp_several_found(&several, &part, &search);
		}
		gdp_several_results(&several, q, value);
		for (int j = 0; j < n; j++)
		{
			wrong += !(value[j] >= 0 && value[j] <= leaves.upper && value[j] == floor(value[j]));
			for (int k = 0; k < n; k++)
				wrong += q[j] < q[k] && value[j] > value[k];
		}
	}
	ok(twice == 0 && parts > 20000, "no leaf is in two of %d parts of a level: %d are", parts,
	   twice);
	ok(late == 0 && scaled == 0, "no part comes after the last level, or has other noise");
	ok(wrong == 0,
	   "values are within the bounds, whole, and in the order of the quantiles: %d are not", wrong);
}

/* ---------------------------------------------------------------------------
 * Accuracy
 * ---------------------------------------------------------------------------
 */

static void
test_exact(void)
{
	int wrong = 0;

	for (int i = 0; i < NCOLUMNS; i++)
	{
		const column *c = &columns[i];
		double answers[9];
		gdp_leaves leaves;

		fill(c);
		gdp_leaves_between(c->lower, c->upper, c->whole ? 0 : GDP_NO_SCALE, &leaves);
		(void) ask(c, &leaves, deciles, 9, 300, answers);
		for (int j = 0; j < 9; j++)
		{
			double x = answers[j], step = c->whole ? 1 : 0x1p-13 * x + 0x1p-38 * c->upper;
			double rank = deciles[j] * c->n;

			wrong += rows_below(c->n, x - step) > rank + 2 || rows_below(c->n, x + step) < rank - 2;
		}
	}
	ok(wrong == 0, "with little noise every decile is found: %d wrong", wrong);
}

/* Deciles against nine calls at the same price together: never much worse, of real numbers better; with many ties, too. */
static void
test_errors(void)
{
	static const double epsilons[] = {0.1, 1};
	int times = 60, worse = 0, beyond = 0, answered = 0;
	double together = 0;

	for (int i = 0; i < NCOLUMNS; i++)
		for (int e = 0; e < 2; e++)
		{
			const column *c = &columns[i];
			double mu = mu_of(epsilons[e]), ours = 0, alone = 0, answers[9];
			gdp_leaves leaves;

			fill(c);
			gdp_leaves_between(c->lower, c->upper, c->whole ? 0 : GDP_NO_SCALE, &leaves);
			for (int t = 0; t < times; t++)
			{
				double half = 0.6 * ask(c, &leaves, deciles, 9, mu, answers);

				for (int j = 0; j < 9; j++)
				{
					double apart = ask_alone(c, &leaves, deciles[j], mu / 3);

					ours += pow(answers[j] - truth(c, deciles[j]), 2);
					alone += pow(apart - truth(c, deciles[j]), 2);
					if (!c->whole)
					{
						answered++;
						beyond += fabs(rows_below(c->n, answers[j]) - deciles[j] * c->n) > half;
					}
				}
			}
			printf("# %-14s epsilon %.1f: %.4g, nine calls %.4g\n", c->name, epsilons[e],
				   sqrt(ours / times / 9), sqrt(alone / times / 9));
			worse += sqrt(ours) > 1.1 * sqrt(alone) + 0.02 * sqrt(9.0 * times);
			if (!c->whole)
				together += log(ours / alone) / 2 / 8;
		}
	ok(worse == 0, "deciles err no more than nine calls at the same price: %d do", worse);
	ok(exp(together) < 0.6, "of real numbers less: %.2f of it", exp(together));
	ok(beyond <= answered / 20, "%d of %d ranks are beyond 0.6 sigma of an answer", beyond,
	   answered);
}

/* 0 and 1 are no one's value, and beside others they are the outermost. */
static void
test_extremes(void)
{
	const column *c = &columns[0];
	double q[] = {1, 0, 0.5, 0.25, 0.75}, answers[5];
	gdp_leaves leaves;
	int wrong = 0;

	fill(c);
	gdp_leaves_between(c->lower, c->upper, GDP_NO_SCALE, &leaves);
	for (int i = 0; i < 40; i++)
	{
		(void) ask(c, &leaves, q, 5, mu_of(1), answers);
		wrong += !(answers[0] > 0.99 && answers[0] < 1 && answers[1] < 0.01 && answers[1] > 0 &&
				   fabs(answers[3] - 0.25) < 0.01);
	}
	ok(wrong == 0, "the smallest and the largest without their outermost rows: %d wrong", wrong);
}

int
main(void)
{
	test_levels();
	test_parts();
	test_exact();
	test_errors();
	test_extremes();
	return done();
}
