/*
 * search.c
 *		Leaves keep order and have the edges they say; the search for a quantile finds it, and errs no more than it should.
 */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/search.h"
#include "unit.h"

/* ---------------------------------------------------------------------------
 * Random numbers of a fixed seed
 * ---------------------------------------------------------------------------
 */

static uint64_t seed = 1;

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
 * Leaves
 * ---------------------------------------------------------------------------
 */

static const struct
{
	double lower, upper;
	int scale;
} grids[] = {
	{0, 1, GDP_NO_SCALE},
	{0, 100, GDP_NO_SCALE},
	{-5, 5, GDP_NO_SCALE},
	{-1e-3, 2e8, GDP_NO_SCALE},
	{1000, 5000, GDP_NO_SCALE},
	{-64, -2, GDP_NO_SCALE},
	{-DBL_MAX, DBL_MAX, GDP_NO_SCALE},
	{-0x1p64, 0x1p64, GDP_NO_SCALE},
	{1e-310, 3e-310, GDP_NO_SCALE},
	{0, DBL_TRUE_MIN, GDP_NO_SCALE},
	{1, 1 + DBL_EPSILON, GDP_NO_SCALE},
	{0, 99, 0},
	{-300, 70000, 0},
	{1e6, 3e6, 0},
	{-9.3e18, 9.3e18, 0},
	{-DBL_MAX, DBL_MAX, 0},
	{0, 0.3, 0},
	{0, 250000, 2},
	{0.07, 0.29, 2},
	{-1e15, 1e15, 15},
};
#define NGRIDS ((int) (sizeof(grids) / sizeof(grids[0])))

/* Each edge begins its leaf, and the double before it is in the leaf before. */
static void
test_edges(void)
{
	for (int g = 0; g < NGRIDS; g++)
	{
		gdp_leaves leaves;
		int wrong = 0;

		gdp_leaves_between(grids[g].lower, grids[g].upper, grids[g].scale, &leaves);
		for (int i = 0;
			 i < 20000 && leaves.n > 1 && nextafter(grids[g].lower, 1) < grids[g].upper / 2; i++)
		{
			int32_t edge = 1 + (int32_t) (uniform() * (leaves.n - 1));
			double at = gdp_leaf_edge(&leaves, edge), x = at / leaves.factor;

			wrong += gdp_leaf(&leaves, x) != edge;
			wrong += !leaves.whole && gdp_leaf(&leaves, nextafter(x, -INFINITY)) != edge - 1;
			wrong += leaves.whole && gdp_leaf(&leaves, (at - fmax(1, fabs(at) * DBL_EPSILON)) /
														   leaves.factor) != edge - 1;
			wrong += !(at > gdp_leaf_edge(&leaves, edge - 1)) ||
					 at != nearbyint(at) * leaves.whole + at * !leaves.whole;
			wrong += gdp_leaf_edge_near(&leaves, at) != edge;
		}
		ok(wrong == 0 && leaves.n >= 1 && leaves.n < GDP_MAX_LEAVES,
		   "%g to %g, scale %d: edges of %d leaves, %d wrong", grids[g].lower, grids[g].upper,
		   grids[g].scale, leaves.n, wrong);
		ok(gdp_leaf(&leaves, -INFINITY) == 0 && gdp_leaf(&leaves, grids[g].lower) == 0 &&
			   gdp_leaf(&leaves, INFINITY) == leaves.n - 1 &&
			   gdp_leaf(&leaves, grids[g].upper) == leaves.n - 1,
		   "and its ends take what is beyond them");
	}
}

static double
any_double(double lower, double upper)
{
	double x = ldexp(uniform() - 0.5, (int) (uniform() * 2098) - 1049);

	return uniform() < 0.5 ? x : lower + (upper / 2 - lower / 2) * 2 * uniform();
}

static void
test_order(void)
{
	int wrong = 0;

	for (int g = 0; g < NGRIDS; g++)
	{
		gdp_leaves leaves;

		gdp_leaves_between(grids[g].lower, grids[g].upper, grids[g].scale, &leaves);
		for (int i = 0; i < 20000; i++)
		{
			double x = any_double(grids[g].lower, grids[g].upper);
			double y = uniform() < 0.3 ? nextafter(x, INFINITY)
									   : any_double(grids[g].lower, grids[g].upper);
			int32_t a = gdp_leaf(&leaves, fmin(x, y)), b = gdp_leaf(&leaves, fmax(x, y));

			wrong += a < 0 || a > b || b >= leaves.n;
		}
	}
	ok(wrong == 0, "leaves keep order, and are within their number: %d wrong", wrong);
}

static void
test_fineness(void)
{
	gdp_leaves leaves;
	int wrong = 0;

	gdp_leaves_between(0, 2e8, GDP_NO_SCALE, &leaves);
	for (int i = 1; i < leaves.n - 1; i++)
		wrong += i > 1 && gdp_leaf_edge(&leaves, i + 1) - gdp_leaf_edge(&leaves, i) >
							  0x1p-14 * gdp_leaf_edge(&leaves, i);
	ok(wrong == 0 && gdp_leaf_edge(&leaves, 1) <= 0x1p-39 * 2e8,
	   "a leaf is 2^-14 of its distance from zero");
	gdp_leaves_between(-300, 70000, 0, &leaves);
	for (int i = -300; i <= 16384; i++)
		wrong += gdp_leaf(&leaves, i) != i + 300;
	ok(wrong == 0, "whole numbers have a leaf each");
	gdp_leaves_between(-5, 150, 2, &leaves);
	for (int i = -500; i <= 15000; i++)
		wrong += gdp_leaf(&leaves, i / 100.0) != i + 500;
	ok(wrong == 0, "and so have hundredths");
}

/* ---------------------------------------------------------------------------
 * Columns
 * ---------------------------------------------------------------------------
 */

typedef struct column
{
	const char *name;
	double (*value)(double u); /* of a part of the rows */
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
of_normal(double u)
{
	return gdp_norm_quantile(u);
}
static double
of_exponential(double u)
{
	return -log(u);
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
static double
of_pareto(double u)
{
	return pow(u, -1 / 1.5);
}
static double
of_cauchy(double u)
{
	return tan(3.141592653589793 * (u - 0.5));
}
static double
of_triangle(double u)
{
	return sqrt(u);
}
static double
of_humps(double u)
{
	return u < 0.4 ? 10 + gdp_norm_quantile(u / 0.4) : 30 + 2 * gdp_norm_quantile((u - 0.4) / 0.6);
}
static double
of_zeros(double u)
{
	return u < 0.4 ? 0 : -5 * log(1 - (u - 0.4) / 0.6001);
}
static double
of_far(double u)
{
	return 1000 + gdp_norm_quantile(u);
}
static double
of_seconds(double u)
{
	return 1.6e9 + 3e7 * u;
}
static double
of_cents(double u)
{
	return nearbyint(2000 * exp(gdp_norm_quantile(u))) / 100;
}
static double
of_halves(double u)
{
	return nearbyint(40 + 8 * gdp_norm_quantile(u)) / 2;
}
static double
of_age(double u)
{
	return floor(18 + 60 * u * u);
}
static double
of_visits(double u)
{
	return floor(-4 * log(u));
}
static double
of_grades(double u)
{
	return 1 + floor(5 * u);
}
static double
of_amounts(double u)
{
	return floor(30000 * exp(gdp_norm_quantile(u)));
}
static double
of_heights(double u)
{
	return nearbyint(170 + 9 * gdp_norm_quantile(u));
}

static const column columns[] = {
	{"uniform", of_uniform, 40000, 0, 1, false},
	{"uniform, wide", of_uniform, 40000, 0, 100, false},
	{"uniform, few", of_uniform, 400, 0, 1, false},
	{"normal", of_normal, 20000, -5, 5, false},
	{"normal, wide", of_normal, 20000, -1e6, 1e6, false},
	{"normal, few", of_normal, 150, -10, 10, false},
	{"exponential", of_exponential, 30000, 0, 20, false},
	{"exponential, wide", of_exponential, 2000, 0, 1e4, false},
	{"lognormal", of_lognormal, 50000, 0, 100, false},
	{"lognormal, wide", of_lognormal, 1000, 0, 1e6, false},
	{"salary", of_salary, 5000, 0, 250000, false},
	{"salary, wide", of_salary, 5000, 0, 1e9, false},
	{"salary, few", of_salary, 80, 0, 1e6, false},
	{"pareto", of_pareto, 10000, 0, 1000, false},
	{"pareto, wide", of_pareto, 500, 0, 1e7, false},
	{"cauchy", of_cauchy, 10000, -1e4, 1e4, false},
	{"triangle", of_triangle, 3000, 0, 1, false},
	{"two humps", of_humps, 10000, 0, 100, false},
	{"zeros", of_zeros, 10000, 0, 100, false},
	{"1000 +- 1", of_far, 10000, 0, 5000, false},
	{"seconds", of_seconds, 50000, 1.5e9, 1.8e9, false},
	{"cents", of_cents, 20000, 0, 1000, false},
	{"halves", of_halves, 5000, 0, 100, false},
	{"age", of_age, 20000, 0, 120, true},
	{"age, wide", of_age, 1000, 0, 1e6, true},
	{"visits", of_visits, 5000, 0, 100, true},
	{"grades", of_grades, 500, 1, 6, true},
	{"amounts", of_amounts, 20000, 0, 1e6, true},
	{"heights", of_heights, 300, 0, 300, true},
	{"heights, wide", of_heights, 10000, -1e5, 1e5, true},
};
#define NCOLUMNS ((int) (sizeof(columns) / sizeof(columns[0])))

/* mu of (0.1, 1e-6), (0.5, 1e-6), (1, 1e-6). */
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

static double values[50000];

/* The rows, sorted and within the bounds; returns the quantile as percentile_cont has it. */
static double
fill(const column *c, double q)
{
	double place = q * (c->n - 1);
	int i = (int) place;

	for (int j = 0; j < c->n; j++)
		values[j] = fmin(fmax(c->value((j + 0.5) / c->n), c->lower), c->upper);
	qsort(values, (size_t) c->n, sizeof(values[0]), compare);
	return i + 1 < c->n ? values[i] + (place - i) * (values[i + 1] - values[i]) : values[i];
}

/* Rows below x. */
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

static double
search_once(const column *c, const gdp_leaves *leaves, double q, double mu)
{
	double sigma = fmax(q, 1 - q) * GDP_SEARCH_SQRT_STEPS / mu;
	gdp_search search;
	int32_t edge;

	gdp_search_begin(&search, leaves, q, sigma);
	while (gdp_search_next(&search, &edge))
		gdp_search_answer(&search, edge,
						  rows_below(c->n, gdp_leaf_edge(leaves, edge)) - q * c->n +
							  sigma * normal());
	return gdp_search_result(&search);
}

/* Root mean square error of so many searches. */
static double
error_of_search(const column *c, double truth, double q, double mu, int times)
{
	gdp_leaves leaves;
	double sum = 0;

	gdp_leaves_between(c->lower, c->upper, c->whole ? 0 : GDP_NO_SCALE, &leaves);
	for (int i = 0; i < times; i++)
	{
		double off = search_once(c, &leaves, q, mu) - truth;

		sum += off * off;
	}
	return sqrt(sum / times);
}

/*
 * The same of the exponential mechanism at this mu, exactly: density or probability exp(-epsilon u/(2 D)), u ranks off and D =
 * max(q, 1 - q), is mu-GDP for this epsilon (Dong, Durfee and Rogers 2020, bounded range).
 */
static double
error_of_exponential(const column *c, double truth, double q, double mu)
{
	double rate = log(gdp_norm_sf(-mu / 2) / gdp_norm_sf(mu / 2)) / fmax(q, 1 - q);
	double mass = 0, square = 0;

	if (c->whole)
		for (double x = c->lower; x <= c->upper && c->upper - c->lower < 2e7; x++)
		{
			double u =
				fmax(0, fmax(rows_below(c->n, x) - q * c->n, q * c->n - rows_below(c->n, x + 0.5)));
			double p = exp(-rate * u);

			mass += p;
			square += p * (x - truth) * (x - truth);
		}
	else
		for (int i = 0; i <= c->n; i++)
		{
			double from = (i == 0 ? c->lower : values[i - 1]) - truth,
				   to = (i == c->n ? c->upper : values[i]) - truth;
			double p = (to - from) * exp(-rate * fabs(i - q * c->n));

			mass += p;
			square += p * (from * from + from * to + to * to) / 3;
		}
	return mass > 0 ? sqrt(square / mass) : INFINITY;
}

/* That of a guess between the bounds. */
static double
error_of_guess(const column *c, double truth)
{
	double from = c->lower - truth, to = c->upper - truth;

	return sqrt((from * from + from * to + to * to) / 3);
}

static void
test_columns(void)
{
	static const double epsilons[] = {0.1, 0.5, 1};
	static const double qs[] = {0.5, 0.9};
	int cases = 0, better = 0, twice = 0, guess = 0;

	for (int i = 0; i < NCOLUMNS; i++)
		for (int e = 0; e < 3; e++)
			for (int j = 0; j < 2; j++)
			{
				double truth = fill(&columns[i], qs[j]), mu = mu_of(epsilons[e]);
				double found = error_of_search(&columns[i], truth, qs[j], mu, 150);
				double rival = error_of_exponential(&columns[i], truth, qs[j], mu);

				cases++;
				better += found <= rival * (1 + 1e-9);
				twice += found > 2 * rival;
				guess += found > error_of_guess(&columns[i], truth);
				printf("# %-18s q %.1f epsilon %.1f: %.4g, exponential %.4g%s\n", columns[i].name,
					   qs[j], epsilons[e], found, rival,
					   found <= rival      ? ""
					   : found > 2 * rival ? "  WORSE"
										   : "  worse");
			}
	ok(better >= cases * 4 / 5 && cases == 6 * NCOLUMNS,
	   "better than the exponential mechanism in %d of %d", better, cases);
	ok(twice == 0, "and nowhere twice as bad: %d", twice);
	ok(guess == 0, "never worse than a guess between the bounds: %d", guess);
}

/* Error in rank, in units of one answer at the right place, D/mu: of rows that are evenly spread. */
static void
test_ranks(void)
{
	const column *c = &columns[0];
	double unit = 0.5 / mu_of(1), sum = 0;
	int times = 4000;
	gdp_leaves leaves;

	(void) fill(c, 0.5);
	gdp_leaves_between(c->lower, c->upper, GDP_NO_SCALE, &leaves);
	for (int i = 0; i < times; i++)
	{
		double off = (search_once(c, &leaves, 0.5, mu_of(1)) - 0.5) * c->n / unit;

		sum += off * off;
	}
	ok(sqrt(sum / times) < 1.25, "the error in rank is %.3f D/mu", sqrt(sum / times));
}

/* The ranks that explain_privacy gives, 1.1 sigma of a question, hold 95 % of answers where no value is many rows', also in the widest bounds. */
static void
test_half_width(void)
{
	static const double epsilons[] = {0.1, 0.5, 1};
	int times = 300, worst = 0;

	for (int i = 0; i < NCOLUMNS; i++)
		for (int j = 0; j < 6; j++)
		{
			const column *c = &columns[i];
			double q = j < 3 ? 0.5 : 0.9, mu = mu_of(epsilons[j % 3]);
			double half = 1.1 * GDP_SEARCH_SQRT_STEPS * fmax(q, 1 - q) / mu;
			gdp_leaves leaves;
			int beyond = 0;

			if (c->whole || c->value == of_halves || c->value == of_cents || c->value == of_zeros)
				continue;
			(void) fill(c, q);
			gdp_leaves_between(c->lower, c->upper, GDP_NO_SCALE, &leaves);
			for (int k = 0; k < times; k++)
				beyond += fabs(rows_below(c->n, search_once(c, &leaves, q, mu)) - q * c->n) > half;
			worst = beyond > worst ? beyond : worst;
		}
	ok(worst <= times / 20, "at most %d of %d answers are beyond 1.1 sigma in rank", worst, times);
}

/* With noise of a fraction of a row the quantile is found but for its leaf, at the ends too: not more than two rows lie between. */
static void
test_exact(void)
{
	int wrong = 0;

	for (int i = 0; i < NCOLUMNS; i++)
		for (int j = 0; j <= 10; j++)
		{
			const column *c = &columns[i];
			double q = j / 10.0, rank = q * c->n, x, step;
			gdp_leaves leaves;
			bool found;

			(void) fill(c, q);
			gdp_leaves_between(c->lower, c->upper, c->whole ? 0 : GDP_NO_SCALE, &leaves);
			x = search_once(c, &leaves, q, 300);
			step =
				c->whole ? 1 : 0x1p-13 * fabs(x - leaves.anchor) + 0x1p-39 * (c->upper - c->lower);
			found =
				rows_below(c->n, x - step) <= rank + 2 && rows_below(c->n, x + step) >= rank - 2;
			found = found && x >= c->lower && x <= c->upper && (!c->whole || x == floor(x));
			if (!found)
				printf("# %s, q %.1f: %.9g\n", c->name, q, x);
			wrong += !found;
		}
	ok(wrong == 0, "with little noise every decile is found: %d wrong", wrong);
}

/* Answers that make no sense give a number within the bounds. */
static void
test_nonsense(void)
{
	int wrong = 0;

	for (int g = 0; g < NGRIDS; g++)
		for (int i = 0; i < 40; i++)
		{
			gdp_leaves leaves;
			gdp_search search;
			int32_t edge;
			int asked = 0;
			double x;

			gdp_leaves_between(grids[g].lower, grids[g].upper, grids[g].scale, &leaves);
			gdp_search_begin(&search, &leaves, (i % 5) / 4.0, i % 2 == 0 ? 1 : 1e-300);
			while (gdp_search_next(&search, &edge))
			{
				double size = i % 4 == 0 ? 1e300 : i % 4 == 1 ? 1e-300 : 1;

				wrong += edge < 1 || edge >= leaves.n;
				asked++;
				gdp_search_answer(&search, edge,
								  i < 20   ? size * (uniform() - 0.5)
								  : i < 30 ? -size
										   : size);
			}
			x = gdp_search_result(&search);
			wrong += !(x >= grids[g].lower && x <= grids[g].upper);
			wrong += asked != (leaves.n > 1 ? GDP_SEARCH_STEPS : 0);
		}
	ok(wrong == 0, "any answers give a number within the bounds, after 48 questions: %d wrong",
	   wrong);
}

/* 1 to 1,000 between the bounds of all int8, which 48 halvings of their distance do not tell apart. */
static void
test_far_bounds(void)
{
	gdp_leaves leaves;
	int far = 0;

	gdp_leaves_between(-0x1p62, 0x1p62, 0, &leaves);
	for (int i = 0; i < 200; i++)
	{
		gdp_search search;
		int32_t edge;

		gdp_search_begin(&search, &leaves, 0.5, 5);
		while (gdp_search_next(&search, &edge))
		{
			double below = fmin(fmax(ceil(gdp_leaf_edge(&leaves, edge)) - 1, 0), 1000);

			gdp_search_answer(&search, edge, below - 500 + 5 * normal());
		}
		far += fabs(gdp_search_result(&search) - 500) > 50;
	}
	ok(far == 0, "between all int8, the median of small numbers is found: %d of 200 are far off",
	   far);
}

/* 5,000 whole numbers from 0 to 59 between the bounds of all int4: the value beyond which 444 of them lie, at a sigma of 155. */
static void
test_extremes(void)
{
	const double sigma = 155, beyond = 444;
	gdp_leaves leaves;
	int far = 0;

	gdp_leaves_between(-0x1p31, 0x1p31 - 1, 0, &leaves);
	for (int i = 0; i < 4000; i++)
	{
		double q = i % 2, truth = q == 1 ? 54 : 5;
		gdp_search search;
		int32_t edge;

		gdp_search_begin(&search, &leaves, q, sigma);
		while (gdp_search_next(&search, &edge))
		{
			double below = fmin(fmax(gdp_leaf_edge(&leaves, edge), 0), 60) / 60 * 5000;

			gdp_search_answer(&search, edge,
							  below + (q == 1 ? beyond - 5000 : -beyond) + sigma * normal());
		}
		far += fabs(gdp_search_result(&search) - truth) > 5;
	}
	ok(far == 0, "min and max within bounds that are far too wide: %d of 4000 are far off", far);
}

/* Without bounds the search errs as much as in good ones where there are enough rows, whatever the magnitude. */
static void
test_no_bounds(void)
{
	int poor = 0, cases = 0;

	for (int i = 0; i < NCOLUMNS; i++)
		for (int k = -1; k <= 1; k++)
		{
			const column *c = &columns[i];
			double truth = fill(c, 0.5), factor = exp2(30 * k), good, square = 0;
			int times = 60;
			gdp_leaves leaves;

			if (c->n < 1000)
				continue;
			cases++;
			good = error_of_search(c, truth, 0.5, mu_of(1), times);
			for (int j = 0; j < c->n; j++)
				values[j] *= factor;
			gdp_leaves_between(-GDP_NO_BOUND, GDP_NO_BOUND, c->whole && k == 0 ? 0 : GDP_NO_SCALE,
							   &leaves);
			for (int j = 0; j < times; j++)
				square += pow(search_once(c, &leaves, 0.5, mu_of(1)) / factor - truth, 2);
			printf("# %s, 2^%d: %.3g without bounds, %.3g\n", c->name, 30 * k, sqrt(square / times),
				   good);
			poor += sqrt(square / times) > 1.7 * good + 0x1p-13 * fabs(truth);
		}
	ok(poor == 0 && cases > 60, "without bounds %d of %d columns err more", poor, cases);
}

int
main(void)
{
	test_edges();
	test_order();
	test_fineness();
	test_exact();
	test_nonsense();
	test_no_bounds();
	test_ranks();
	test_half_width();
	test_columns();
	test_far_bounds();
	test_extremes();
	return done();
}
