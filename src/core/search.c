/*
 * search.c
 *		Probabilistic bisection: where to ask for a quantile, and what the answers say.
 *
 * Reads noisy answers, which the caller draws; hands edges and the quantile back.
 *
 * Method
 *		The belief where the quantile is has a mass for each interval between edges asked so far, spread evenly in value.  An
 *		answer y at an edge, z of its standard deviations from 0, multiplies the mass on the left by Phi(z/2) and that on
 *		the right by Phi(-z/2); of several answers at one edge the mean counts, and the earlier factors are taken back.
 *		Next is asked at the belief's median.  z/2 in place of z keeps the belief humble: it is wrong rarely, and 48 answers
 *		suffice to find the place among 10^6 leaves and to ask again there.
 *		Between bounds so far apart that halving the belief would leave few questions, as those of all int4, and where there are no
 *		bounds, it is spread evenly over the leaves instead, and so over powers of two.
 *		What is answered lies where the answers' isotonic regression changes its sign, within the belief's middle 90 %.  Where
 *		several answers are close to the quantile and rise clearly, their straight line says more; but not at the extremes, beyond which
 *		the counts stay what they are.
 *		(Horstein 1963; Waeber, Frazier and Henderson 2013 have the bisection; the rest was found by measuring.)
 *
 * Accuracy
 *		Doubles, unguarded: post-processing of released answers.  Edges are scaled by a power of two, so that no product
 *		of two overflows.
 */
#include <math.h>
#include <string.h>

#include "search.h"

#define LEAST_FACTOR 1e-15 /* no answer rules anything out */

/* A line is trusted when it has so many edges and rises by so many of its standard errors. */
#define LINE_EDGES 4
#define LINE_ERRORS 3

/* A leaf has many rows where answers at its edges differ by so many of their standard deviations. */
#define CLEAR_ERRORS 3

/* Each step halves at best; the rest of them ask again. */
#define MOST_HALVED 0x1p24

static double
place_of(const gdp_search *search, int32_t edge)
{
	return search->by_leaf ? edge : gdp_leaf_edge(search->leaves, edge) * search->unit;
}

void
gdp_search_begin(gdp_search *search, const gdp_leaves *leaves, double q, double sigma)
{
	gdp_search_begin_between(search, leaves, 0, leaves->n, q, sigma);
}

void
gdp_search_begin_between(gdp_search *search, const gdp_leaves *leaves, int32_t low, int32_t high,
						 double q, double sigma)
{
	double first = gdp_leaf_edge(leaves, low), last = gdp_leaf_edge(leaves, high);
	double largest = fmax(fabs(first), fabs(last));
	int exponent;

	(void) frexp(largest, &exponent);
	exponent = exponent > 1000 ? 1000 : exponent < -1000 ? -1000 : exponent;
	*search = (gdp_search){.leaves = leaves, .q = q, .sigma = sigma, .n = 2};
	search->by_leaf = leaves->whole ? last - first > MOST_HALVED
									: fmax(fabs(leaves->first), fabs(leaves->last)) >= GDP_NO_BOUND;
	search->unit = search->by_leaf ? 1 : ldexp(1, -exponent);
	search->steps = high - low > 1 ? GDP_SEARCH_STEPS : 0;
	search->edges[0] = (gdp_asked){.edge = low, .at = place_of(search, low), .mass = 1};
	search->edges[1] = (gdp_asked){.edge = high, .at = place_of(search, high)};
}

/* Where the belief has so much of its mass on the left. */
static double
believed(const gdp_search *search, double share)
{
	double mass = 0;

	for (int i = 0; i + 1 < search->n; i++)
	{
		const gdp_asked *edge = &search->edges[i];

		if (edge->mass > 0 && mass + edge->mass >= share)
			return edge->at + (edge[1].at - edge->at) * fmin((share - mass) / edge->mass, 1);
		mass += edge->mass;
	}
	return search->edges[search->n - 1].at;
}

/*
 * Of the two edges of the leaf at this one, where many rows have that leaf and both of its edges were asked: the one with fewer
 * answers.  Else this edge.
 */
static int32_t
edge_of_leaf(const gdp_search *search, int32_t nearest)
{
	for (int i = 1; i + 2 < search->n; i++)
	{
		const gdp_asked *low = &search->edges[i], *high = low + 1;
		double rise = high->sum / high->times - low->sum / low->times;

		if (high->edge == low->edge + 1 && (low->edge == nearest || high->edge == nearest) &&
			rise > CLEAR_ERRORS * search->sigma * sqrt(1.0 / low->times + 1.0 / high->times))
			return low->times <= high->times ? low->edge : high->edge;
	}
	return nearest;
}

bool
gdp_search_next(const gdp_search *search, int32_t *edge)
{
	int32_t low = search->edges[0].edge, high = search->edges[search->n - 1].edge;

	if (search->steps == 0)
		return false;
	if (search->by_leaf)
		*edge = (int32_t) rint(believed(search, 0.5));
	else
		*edge = gdp_leaf_edge_near(search->leaves, believed(search, 0.5) / search->unit);
	if (search->divides)
		*edge = edge_of_leaf(search, *edge);
	*edge = *edge > low ? *edge : low + 1;
	*edge = *edge < high ? *edge : high - 1;
	return true;
}

/* The place of this edge among those asked; it is put in where it is not yet, and its interval divided. */
static int
find_edge(gdp_search *search, int32_t edge)
{
	int k = 0;
	gdp_asked *before;
	double whole, part;

	while (search->edges[k].edge < edge)
		k++;
	if (search->edges[k].edge == edge)
		return k;
	memmove(&search->edges[k + 1], &search->edges[k],
			(size_t) (search->n - k) * sizeof(search->edges[0]));
	search->n++;
	search->edges[k] =
		(gdp_asked){.edge = edge, .at = place_of(search, edge), .left = 1, .right = 1};
	before = &search->edges[k - 1];
	whole = before[2].at - before->at;
	part = whole > 0 ? (before[1].at - before->at) / whole : 0.5;
	before[1].mass = before->mass * (1 - part);
	before->mass *= part;
	return k;
}

void
gdp_search_answer(gdp_search *search, int32_t edge, double answer)
{
	int k = find_edge(search, edge);
	gdp_asked *asked = &search->edges[k];
	double z, left, right, total = 0;

	asked->sum += answer;
	asked->times++;
	z = asked->sum / (search->sigma * sqrt(asked->times)) / 2;
	left = fmax(gdp_norm_cdf(z), LEAST_FACTOR);
	right = fmax(gdp_norm_cdf(-z), LEAST_FACTOR);
	for (int i = 0; i + 1 < search->n; i++)
	{
		search->edges[i].mass *= i < k ? left / asked->left : right / asked->right;
		total += search->edges[i].mass;
	}
	for (int i = 0; i + 1 < search->n; i++)
		search->edges[i].mass /= total;
	asked->left = left;
	asked->right = right;
	search->steps--;
}

/* ---------------------------------------------------------------------------
 * The answer
 * ---------------------------------------------------------------------------
 */

/* The isotonic regression of the answers at edges 1 .. n - 2, by pooling neighbours. */
static void
regress(const gdp_search *search, double value[])
{
	struct
	{
		double weight, value;
		int last;
	} pools[GDP_SEARCH_STEPS];
	int npools = 0, i = 1;

	for (int k = 1; k + 1 < search->n; k++)
	{
		const gdp_asked *edge = &search->edges[k];

		pools[npools].weight = edge->times;
		pools[npools].value = edge->sum / edge->times;
		pools[npools++].last = k;
		while (npools > 1 && pools[npools - 2].value >= pools[npools - 1].value)
		{
			double weight = pools[npools - 2].weight + pools[npools - 1].weight;

			pools[npools - 2].value = (pools[npools - 2].value * pools[npools - 2].weight +
									   pools[npools - 1].value * pools[npools - 1].weight) /
									  weight;
			pools[npools - 2].weight = weight;
			pools[npools - 2].last = k;
			npools--;
		}
	}
	for (int pool = 0; pool < npools; pool++)
		for (; i <= pools[pool].last; i++)
			value[i] = pools[pool].value;
}

/* Where the regression is 0: straight between two edges; at the bounds f is -q n and (1 - q) n. */
static double
crossing(const gdp_search *search)
{
	double value[GDP_SEARCH_STEPS + 2];
	int last = search->n - 1, k = 1;
	const gdp_asked *edges = search->edges;
	double q = search->q;

	regress(search, value);
	value[0] = q < 1 ? -q / (1 - q) * value[last - 1] : 0;
	value[last] = q > 0 ? -(1 - q) / q * value[1] : 0;
	while (k < last && value[k] < 0)
		k++;
	if (!(value[k] > value[k - 1]))
		return (edges[k - 1].at + edges[k].at) / 2;
	return edges[k - 1].at +
		   (edges[k].at - edges[k - 1].at) * -value[k - 1] / (value[k] - value[k - 1]);
}

static double
within(const gdp_search *search, double x, double share)
{
	return fmin(fmax(x, believed(search, share)), believed(search, 1 - share));
}

/* The zero of the weighted line through the answers in the belief's middle 99.8 %; false where there is none to trust. */
static bool
line_zero(const gdp_search *search, double *zero)
{
	double low = believed(search, 0.001), high = believed(search, 0.999);
	double weight = 0, at = 0, sum = 0, square = 0, slope = 0;
	int n = 0;

	for (int k = 1; k + 1 < search->n; k++)
	{
		const gdp_asked *edge = &search->edges[k];

		if (edge->at < low || edge->at > high)
			continue;
		n++;
		weight += edge->times;
		at += edge->times * edge->at;
		sum += edge->sum;
	}
	if (n < LINE_EDGES)
		return false;
	at /= weight;
	for (int k = 1; k + 1 < search->n; k++)
	{
		const gdp_asked *edge = &search->edges[k];

		if (edge->at < low || edge->at > high)
			continue;
		square += edge->times * (edge->at - at) * (edge->at - at);
		slope += edge->sum * (edge->at - at);
	}
	slope /= square;
	*zero = at - sum / weight / slope;
	return slope > LINE_ERRORS * search->sigma / sqrt(square);
}

/* In units of 1 / factor. */
static double
value_at(const gdp_search *search, double place)
{
	int32_t leaf;
	double low;

	if (!search->by_leaf)
		return place / search->unit;
	leaf = (int32_t) fmin(place, search->leaves->n - 1);
	low = gdp_leaf_edge(search->leaves, leaf);
	return low + (gdp_leaf_edge(search->leaves, leaf + 1) - low) * (place - leaf);
}

double
gdp_search_place(const gdp_search *search)
{
	double x = believed(search, 0.5), zero;

	if (search->n > 2)
		x = within(search, crossing(search), 0.05);
	if (search->n > 2 && search->q > 0 && search->q < 1 && line_zero(search, &zero))
		x = within(search, zero, 0.05);
	return value_at(search, x);
}

double
gdp_leaf_value(const gdp_leaves *leaves, double y)
{
	if (leaves->whole)
		y = fmin(fmax(floor(y), leaves->first), leaves->last) / leaves->factor;
	return fmin(fmax(y, leaves->lower), leaves->upper);
}

double
gdp_search_result(const gdp_search *search)
{
	return gdp_leaf_value(search->leaves, gdp_search_place(search));
}
