/*
 * several.c
 *		Several quantiles of one column: the middle one divides the rows, and the parts are searched by themselves.
 *
 * Reads noisy answers through search.c; hands parts and quantiles back.
 *
 * Method
 *		A search among all leaves finds the middle quantile.  The leaves below it and those above it hold the other quantiles, each
 *		a quantile of the part's own rows: (q - a)/(b - a) of a part with the shares a to b of all rows.  A row is in one part of a
 *		level, so that all searches of a level cost what one does (Kaplan, Schnapp and Stemmer 2022; docs/mathematics.md).
 *		A part is divided at the quantile, and its shares follow from q, unless answers say otherwise: where the mean of those at
 *		the nearest edge is several of its standard deviations from 0, many rows have one value, and the shares are taken from
 *		the mean.  Where the leaf of the quantile has many rows itself, it is left out of both parts, and every other
 *		quantile whose share is between those at its edges is in that leaf, too.
 *
 * Invariants
 *		A part of a level is divided into two of the next that share no leaf.  Quantiles only leave a part's half, so that
 *		levels never run out.
 */
#include <math.h>

#include "search.h"

/*
 * Answers at an edge say something of its share from so many of their standard deviations on.  Of the edges of all searches some are off by
 * three by chance, and would move all quantiles of a part.
 */
#define CLEAR 5

/* No part is searched for its outermost rows. */
#define LEAST_SHARE 0.001

int
gdp_several_levels(int n)
{
	int levels = 0;

	while (n >> levels != 0)
		levels++;
	return levels;
}

/* In ascending order; there are few. */
static void
sort(double *numbers, int n)
{
	for (int i = 1; i < n; i++)
	{
		double number = numbers[i];
		int j = i;

		for (; j > 0 && numbers[j - 1] > number; j--)
			numbers[j] = numbers[j - 1];
		numbers[j] = number;
	}
}

/* Where quantile q is: 0 and 1 are no one's value. */
static double
share_of(double q, double outer)
{
	return q <= 0 ? outer : q >= 1 ? 1 - outer : q;
}

void
gdp_several_begin(gdp_several *several, const gdp_leaves *leaves, const double *q, int n,
				  double sigma, double rows, double beyond)
{
	*several = (gdp_several){
		.leaves = leaves, .sigma = sigma, .levels = gdp_several_levels(n), .n = n, .nparts = 1};
	several->rows = fmax(rows, 1);
	for (int i = 0; i < n; i++)
		several->share[i] = share_of(q[i], fmin(beyond / several->rows, 0.5));
	sort(several->share, n);
	several->parts[0] = (gdp_part){.high = leaves->n, .upto = 1, .last = n};
}

static int
middle_of(const gdp_part *part)
{
	return part->first + (part->last - part->first) / 2;
}

/* Which quantile of the part's rows its middle one is. */
static double
share_within(const gdp_several *several, const gdp_part *part)
{
	double width = fmax(part->upto - part->below, 1e-9);
	double share = (several->share[middle_of(part)] - part->below) / width;

	return fmin(fmax(share, LEAST_SHARE), 1 - LEAST_SHARE);
}

bool
gdp_several_next(gdp_several *several, gdp_part *part, gdp_search *search)
{
	if (several->nparts == 0)
		return false;
	*part = several->parts[--several->nparts];
	gdp_search_begin_between(search, several->leaves, part->low, part->high,
							 share_within(several, part), several->sigma);
	search->divides = true;
	return true;
}

/* Rows of the part below this edge less those that the quantile wants there, as a share of all; and is it clear of 0? */
static double
excess_at(const gdp_several *several, const gdp_search *search, const gdp_asked *edge, bool *clear)
{
	double mean = edge->sum / edge->times;

	*clear = fabs(mean) > CLEAR * search->sigma / sqrt(edge->times);
	return mean * fmax(search->q, 1 - search->q) / several->rows;
}

/* Quantiles first .. last - 1 of a part, among the leaves low .. high - 1 of it; or they are its outermost value. */
static void
add_part(gdp_several *several, const gdp_part *of, gdp_part part)
{
	part.level = of->level + 1;
	if (part.first >= part.last)
		return;
	if (part.low < part.high && part.level < several->levels)
		several->parts[several->nparts++] = part;
	else
		for (int i = part.first; i < part.last; i++)
			several->value[i] =
				gdp_leaf_value(several->leaves, gdp_leaf_edge(several->leaves, part.low));
}

/* What share of all rows is below an edge of the search: of the part's ends, what was known before. */
static double
share_below(const gdp_several *several, const gdp_part *part, const gdp_search *search, int k)
{
	double share = several->share[middle_of(part)];
	bool clear;

	if (k == 0)
		return part->below;
	if (k == search->n - 1)
		return part->upto;
	share += excess_at(several, search, &search->edges[k], &clear);
	return fmin(fmax(share, part->below), part->upto);
}

/* The variance of that. */
static double
variance_below(const gdp_several *several, const gdp_search *search, int k)
{
	double sd = search->sigma * fmax(search->q, 1 - search->q) / several->rows;

	return k == 0 || k == search->n - 1 ? 0 : sd * sd / search->edges[k].times;
}

/* The leaf at this place begins at edges[k], and the next one ends it, and many rows have it; -1 where answers do not say so. */
static int
heavy_leaf(const gdp_several *several, const gdp_part *part, const gdp_search *search, double place)
{
	int k = 0;
	double rows, sd;

	while (k + 2 < search->n && gdp_leaf_edge(several->leaves, search->edges[k + 1].edge) <= place)
		k++;
	if (search->edges[k + 1].edge != search->edges[k].edge + 1)
		return -1;
	rows = share_below(several, part, search, k + 1) - share_below(several, part, search, k);
	sd = sqrt(variance_below(several, search, k) + variance_below(several, search, k + 1));
	return rows > CLEAR * sd ? k : -1;
}

/* One leaf has the quantile, and all others up to the shares at its edges. */
static void
divide_at_leaf(gdp_several *several, const gdp_part *part, const gdp_search *search, int k,
			   double place)
{
	int middle = middle_of(part), first = middle, last = middle + 1;
	double below = share_below(several, part, search, k);
	double upto = share_below(several, part, search, k + 1);
	int32_t leaf = search->edges[k].edge;
	double value;

	place = fmin(fmax(place, gdp_leaf_edge(several->leaves, leaf)),
				 gdp_leaf_edge(several->leaves, leaf + 1));
	if (several->leaves->whole)
		place = gdp_leaf_edge(several->leaves, leaf);
	value = gdp_leaf_value(several->leaves, place);
	while (first > part->first && several->share[first - 1] > below)
		first--;
	while (last < part->last && several->share[last] < upto)
		last++;
	for (int i = first; i < last; i++)
		several->value[i] = value;
	add_part(several, part,
			 (gdp_part){.low = part->low,
						.high = leaf,
						.below = part->below,
						.upto = below,
						.first = part->first,
						.last = first});
	add_part(several, part,
			 (gdp_part){.low = leaf + 1,
						.high = part->high,
						.below = upto,
						.upto = part->upto,
						.first = last,
						.last = part->last});
}

/* The edge next to a place, among those asked; 0 where none was. */
static int
nearest_asked(const gdp_several *several, const gdp_search *search, double place)
{
	int nearest = 0;
	double least = INFINITY;

	for (int k = 1; k + 1 < search->n; k++)
	{
		double distance = fabs(gdp_leaf_edge(several->leaves, search->edges[k].edge) - place);

		if (distance < least)
		{
			least = distance;
			nearest = k;
		}
	}
	return nearest;
}

/* The quantile is an edge. */
static void
divide_at(gdp_several *several, const gdp_part *part, const gdp_search *search, double place)
{
	int middle = middle_of(part), k = nearest_asked(several, search, place);
	int32_t cut = gdp_leaf_edge_near(several->leaves, place);
	double share = several->share[middle];
	bool clear = false;

	if (k > 0)
		(void) excess_at(several, search, &search->edges[k], &clear);
	if (clear)
	{
		cut = search->edges[k].edge;
		share = share_below(several, part, search, k);
	}
	cut = cut > part->low ? cut : part->low;
	cut = cut < part->high ? cut : part->high;
	several->value[middle] = gdp_leaf_value(several->leaves, place);
	add_part(several, part,
			 (gdp_part){.low = part->low,
						.high = cut,
						.below = part->below,
						.upto = share,
						.first = part->first,
						.last = middle});
	add_part(several, part,
			 (gdp_part){.low = cut,
						.high = part->high,
						.below = share,
						.upto = part->upto,
						.first = middle + 1,
						.last = part->last});
}

void
gdp_several_found(gdp_several *several, const gdp_part *part, const gdp_search *search)
{
	double place = gdp_search_place(search);
	int leaf = heavy_leaf(several, part, search, place);

	if (leaf >= 0)
		divide_at_leaf(several, part, search, leaf, place);
	else
		divide_at(several, part, search, place);
}

/* The i-th smallest q has the i-th smallest value. */
void
gdp_several_results(gdp_several *several, const double *q, double *value)
{
	sort(several->value, several->n);
	for (int i = 0; i < several->n; i++)
	{
		int place = 0;

		for (int j = 0; j < several->n; j++)
			place += q[j] < q[i] || (q[j] == q[i] && j < i);
		value[i] = several->value[place];
	}
}
