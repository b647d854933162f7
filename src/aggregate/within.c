/*
 * within.c
 *		Automatic bounds: exact sums of values that are clamped to bounds found in the data.
 *
 * Reads cells of the states of automatic.c; hands integers to its release.
 *
 * Bounds are edges of cells, and each cell keeps its number of rows and their sum: so the clamped sum is what the cells within the bounds have,
 * and for each row of others a bound.
 *
 * Invariants
 *		A row is in one cell, and moves the total on the release's grid by an integer between low and high: counts times these beyond
 *		the bounds; inside, a sum rounded by floor(x + 1/2), which commutes with shifts by whole steps and moves with others by one of the
 *		two whole numbers next to them.  What is in a cell of folds counts as in the cell of those within the window, wherever it really is: between
 *		the cell's edges, too.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/automatic.h"

#define LEVELS GAUSSDP_AUTO_LEVELS
#define FIRST_EXPONENT GAUSSDP_AUTO_FIRST_EXPONENT

/* Steps of a double, from its exponent on. */
#define LEADING_BITS (GAUSSDP_AUTO_STEP_BITS - 1)

/* Outer and inner edge of a level, without its sign. */
static double
outer_edge(int level)
{
	return ldexp(1, level + FIRST_EXPONENT);
}

static double
inner_edge(int level)
{
	return level == 0 ? 0 : outer_edge(level - 1);
}

/* Bins in the order of the axis: the negative ones first, from the outermost on. */
static int
level_of(int bin)
{
	return bin >= LEVELS ? bin - LEVELS : LEVELS - 1 - bin;
}

double
gaussdp_auto_lower(int bin)
{
	return bin >= LEVELS ? inner_edge(level_of(bin)) : -outer_edge(level_of(bin));
}

double
gaussdp_auto_upper(int bin)
{
	return bin >= LEVELS ? outer_edge(level_of(bin)) : -inner_edge(level_of(bin));
}

static int
bits_of_level(int level)
{
	return GAUSSDP_FOLD_BITS * (level + 1);
}

double
gaussdp_fold_edge(int64 cell, int level)
{
	uint64 bits = (uint64) cell << (52 - bits_of_level(level));
	double edge;

	memcpy(&edge, &bits, sizeof(edge));
	return edge;
}

void
gaussdp_within_bins(const GaussdpCells *cells, int first, int last, GaussdpWithin *within)
{
	int n = gaussdp_auto_ncells(cells->params->key.kind);
	const gdp_int128 *rows = cells->params->key.weighted ? cells->sums + 2 * n : cells->sums;

	within->n = GAUSSDP_AUTO_BINS;
	within->first = first;
	within->last = last;
	within->lower = gaussdp_auto_lower(first);
	within->upper = gaussdp_auto_upper(last);
	for (int bin = 0; bin < GAUSSDP_AUTO_BINS; bin++)
	{
		within->cells[bin].rows = rows[bin];
		within->cells[bin].sum = cells->sums[n + bin];
		within->cells[bin].exponent = level_of(bin) + FIRST_EXPONENT - GAUSSDP_AUTO_STEP_BITS;
	}
}

/* In the order of the axis, which of negative values is that of their sizes from the end on. */
void
gaussdp_within_folds(const GaussdpCells *cells, const GaussdpFolded *folded, GaussdpWithin *within)
{
	int n = gaussdp_auto_ncells(cells->params->key.kind), bits = bits_of_level(folded->level);
	double inner = gaussdp_fold_edge(folded->start + folded->first, folded->level);
	double outer = gaussdp_fold_edge(folded->start + folded->last + 1, folded->level);

	within->n = GAUSSDP_FOLDS;
	within->first = folded->negative ? GAUSSDP_FOLDS - 1 - folded->last : folded->first;
	within->last = folded->negative ? GAUSSDP_FOLDS - 1 - folded->first : folded->last;
	within->lower = folded->negative ? -outer : inner;
	within->upper = folded->negative ? -inner : outer;
	for (int i = 0; i < GAUSSDP_FOLDS; i++)
	{
		int64 cell = folded->start + i;
		int64 leading = (INT64CONST(1) << bits) | (cell & ((INT64CONST(1) << bits) - 1));
		int at = folded->negative ? GAUSSDP_FOLDS - 1 - i : i;
		int fold = GAUSSDP_AUTO_BINS + folded->level * GAUSSDP_FOLDS + (int) (cell % GAUSSDP_FOLDS);
		gdp_int128 sum =
			cells->sums[fold] * (leading << (LEADING_BITS - bits)) + cells->sums[n + fold];

		within->cells[at].rows = cells->sums[fold];
		within->cells[at].sum = folded->negative ? -sum : sum;
		within->cells[at].exponent = (int) (cell >> bits) - 1023 - LEADING_BITS;
	}
}

/* A sum in steps of 2^shift steps of its own: exact, or rounded by floor(x + 1/2). */
static gdp_int128
rounded(gdp_int128 sum, int shift)
{
	if (shift >= 0)
		return sum * ((gdp_int128) 1 << shift);
	/* Below half a step there is nothing left, and shifts end at the width of the type. */
	if (shift < -126)
		return 0;
	return ((sum >> (-shift - 1)) + 1) >> 1;
}

/* The same, downward. */
static gdp_int128
rounded_down(gdp_int128 sum, int shift)
{
	return shift >= 0 ? sum * ((gdp_int128) 1 << shift) : sum >> Min(-shift, 127);
}

/*
 * Weighted, in units of 2^-31 steps: less than one of them is dropped for each cell, far less than a step for all.  In half steps the
 * centre is whole: a row adds at most high - low of them, either way.
 */
gdp_int128
gaussdp_within_total(const GaussdpWithin *within, bool weighted, int exponent, bool centred,
					 int64 *low, int64 *high)
{
	gdp_int128 total = 0, all = 0;

	*low = (int64) floor(ldexp(within->lower, -exponent));
	*high = (int64) ceil(ldexp(within->upper, -exponent));
	for (int i = 0; i < within->n; i++)
	{
		gdp_int128 rows = within->cells[i].rows, sum = within->cells[i].sum;
		int shift = within->cells[i].exponent - exponent;

		all += rows;
		if (i < within->first)
			total += rows * *low;
		else if (i > within->last)
			total += rows * *high;
		else
			total += weighted ? rounded_down(sum, shift) : rounded(sum, shift);
	}
	if (centred)
		total = 2 * total - all * (*low + *high);
	return weighted ? (total + GDP_WEIGHT_ROW / 2) >> 31 : total;
}
