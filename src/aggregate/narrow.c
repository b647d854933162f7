/*
 * narrow.c
 *		Automatic bounds of an average: a span far narrower than a power of two.
 *
 * Reads the bins that automatic.c has found, and folds; hands cells to its release.
 *
 * Where nearly all values have one sign and a power of two or two, one may ask where in these they are: at level 0 for the rows in each of
 * 64 cells, sixteenths of powers of two.  Their prefix sums, with noise (core/prefix.c), show between which edges nearly all rows are.  If that
 * is four cells or fewer, a sixteenth of a cell is asked for next, down to 2^-16 of a power of two: 1000 +- 1, or the seconds of a
 * day since 1970.  Each level costs a share of mu^2 that follows from the noisy number of rows, between a 128th and an eighth: so much that
 * the noise is far less than all rows.  A level that leaves room for no other, though the rows may well be in two cells, is asked again, and the
 * mean of both counts.  All that is decided here follows from released numbers (docs/mathematics.md).
 *
 * What the noise hides is clamped: about 4 standard deviations of a prefix sum on each side, and the bounds then go outward by
 * what an even spread would have beyond.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/automatic.h"
#include "aggregate/weighted.h"

/* Bins of which no more stand out may have a narrow span; with neighbours, and of cells at all later levels, up to so many. */
#define MOST_STANDING 2
#define MOST_CELLS (GAUSSDP_FOLDS >> GAUSSDP_FOLD_BITS)

/* Shares are multiples of this, and at most so many of them, so that their sums are exact. */
#define SHARE_UNIT 0x1p-7
#define MOST_UNITS 16

/* The share is such that what noise hides on a side is so little of all rows, if it can. */
#define PART_HIDDEN 0x1p-8

/* Rows beyond each end are so many standard deviations of a prefix sum, but not more than a quarter of all. */
#define HIDDEN_ERRORS 4
#define MOST_HIDDEN 0.25

/* Fewer rows than so many standard deviations are not looked for: it would cost more than it gains. */
#define LEAST_ERRORS 8

/*
 * Where a level ends the search, but at most so much of what is hidden is outside of two neighbouring cells, the noise may have ended it: the level is
 * asked once more.  That much of mu^2 is left for the average in any case.
 */
#define HIDDEN_OUTSIDE 1.5
#define LEAST_LEFT 0.25

/*
 * Neighbours of bins that stand out may be empty, or values may be spread over all of these bins.  Of fewer rows than so many standard deviations,
 * and where there are more neighbours than a window has room for, only a span of a few cells is taken then; and of so few rows none is looked for
 * where a neighbour's count is too large for an empty bin.
 */
#define LEAST_ERRORS_WIDE 16
#define EMPTY_QUANTILE 4.0

#define ONE_SIDED_95 1.6449

/* Spans in which rows are, from cell first to last of a level, or of bins at level -1; and the bounds, in sizes. */
typedef struct Span
{
	int level;
	int64 first;
	int64 last;
	double lower;
	double upper;
	double rows;   /* noisy, of the bins */
	double hidden; /* what part of them may be on a side of first .. last */
	bool cut;      /* bins further away are left out */
	bool spread;   /* over more bins than those that stand out */
} Span;

/* Noise for a share of mu^2; false where there is none, which depends on epsilon, delta, k and the share. */
static bool
noise_of(const GaussdpParams *params, double share, gdp_noise *noise)
{
	double rounding = params->key.weighted ? GAUSSDP_WEIGHTED_ROUNDING : 1;
	gdp_coordinate all = {.l2_sensitivity = nextafter(params->rows * rounding, INFINITY),
						  .share = share,
						  .max_exponent =
							  gaussdp_prefix_exponent(GAUSSDP_FOLDS, params->key.weighted)};

	return gdp_noise_joint(gaussdp_param(&params->key, GAUSSDP_PARAM_EPSILON),
						   gaussdp_param(&params->key, GAUSSDP_PARAM_DELTA), 1, &all,
						   noise) == GDP_OK &&
		   noise->exponent >= GAUSSDP_MIN_COUNT_EXPONENT;
}

/* The share of the next level; 0 where it is not to be asked for. */
static double
share_of(const GaussdpParams *params, const Span *span, gdp_noise *noise)
{
	bool is_spread = span->level < 0 && span->spread;
	double worst = gdp_prefix_worst(GAUSSDP_FOLDS), hidden, share;

	if (!noise_of(params, 1, noise) || !(span->rows > 0))
		return 0;
	hidden = HIDDEN_ERRORS * worst * noise->sigma / (PART_HIDDEN * span->rows);
	share = SHARE_UNIT * fmin(fmax(ceil(hidden * hidden / SHARE_UNIT), 1), MOST_UNITS);
	if (!noise_of(params, share, noise) ||
		span->rows < (is_spread ? LEAST_ERRORS_WIDE : LEAST_ERRORS) * worst * noise->sigma)
		return 0;
	return share;
}

/* Rows up to the end of each cell from start on, with noise. */
static void
draw_sums(const GaussdpCells *cells, int level, int64 start, const gdp_noise *noise, double *sums)
{
	gdp_int128 rows[GAUSSDP_FOLDS];

	for (int i = 0; i < GAUSSDP_FOLDS; i++)
		rows[i] = cells->sums[GAUSSDP_AUTO_BINS + level * GAUSSDP_FOLDS +
							  (int) ((start + i) % GAUSSDP_FOLDS)];
	gaussdp_draw_prefixes(rows, GAUSSDP_FOLDS, cells->params->key.weighted, noise, sums);
}

static int
first_reaching(const double *sums, double rows)
{
	int i = 0;

	while (i < GAUSSDP_FOLDS - 1 && sums[i] < rows)
		i++;
	return i;
}

/* By what part of its width a span may go on beyond each end. */
static double
margin_of(const Span *span)
{
	return sqrt(4 * span->hidden) / 2;
}

/*
 * The span between the cells before which, and behind which, the hidden part of all rows is; and the bounds, which go outward from it to an
 * edge, but not beyond the bounds before.  *first and *last are the cells within them.
 */
static void
narrow_span(Span *span, int64 start, const double *sums, int *first, int *last)
{
	int level = span->level;
	double rows = sums[GAUSSDP_FOLDS - 1], lower, upper, margin;

	*first = first_reaching(sums, span->hidden * rows);
	*last = Max(first_reaching(sums, (1 - span->hidden) * rows), *first);
	span->first = start + *first;
	span->last = start + *last;
	lower = gaussdp_fold_edge(span->first, level);
	upper = gaussdp_fold_edge(span->last + 1, level);
	margin = margin_of(span) * (upper - lower);
	lower = fmax(lower - margin, span->lower);
	upper = fmin(upper + margin, span->upper);
	while (*first > 0 && gaussdp_fold_edge(start + *first, level) > lower)
		--*first;
	while (*last < GAUSSDP_FOLDS - 1 && gaussdp_fold_edge(start + *last + 1, level) < upper)
		++*last;
	span->lower = gaussdp_fold_edge(start + *first, level);
	span->upper = gaussdp_fold_edge(start + *last + 1, level);
}

/* What rows beyond the bounds may add: those that sums and their noise hide, half as far away as the bounds before. */
static double
beyond(const Span *before, const Span *span, const double *sums, int first, int last, double error)
{
	double below = (first > 0 ? sums[first - 1] : 0) + ONE_SIDED_95 * error;
	double above = sums[GAUSSDP_FOLDS - 1] - sums[last] + ONE_SIDED_95 * error;

	return below * fmax(span->lower - before->lower, 0) / 2 +
		   above * fmax(before->upper - span->upper, 0) / 2;
}

/*
 * Whether the next level has room for the span and most of what may be beyond its ends: rows outside of its window would count as if they were
 * within.
 */
static bool
fits_window(const Span *span)
{
	int64 cells = span->last - span->first + 1;

	return cells <= MOST_CELLS && cells * (1 + 2 * margin_of(span)) < 1.5 * MOST_CELLS;
}

/* Whether what was found in these bins leaves open that values are spread over all of them. */
static bool
may_be_wide(const Span *bins, const Span *found, double error)
{
	return bins->level < 0 && bins->last - bins->first >= MOST_STANDING &&
		   (bins->cut || bins->rows < LEAST_ERRORS_WIDE * error) &&
		   found->last - found->first >= MOST_CELLS;
}

/* Rows outside of the two neighbouring cells that have most. */
static double
outside_of_two(const double *sums)
{
	double most = sums[1];

	for (int i = 2; i < GAUSSDP_FOLDS; i++)
		most = fmax(most, sums[i] - sums[i - 2]);
	return sums[GAUSSDP_FOLDS - 1] - most;
}

/* What the sums of a level say, which have noise of this deviation: the span within *found, which begins as that before. */
static void
take_sums(const double *noisy, double error, int64 start, Span *found, GaussdpFolded *folded,
		  double *sums)
{
	memcpy(sums, noisy, GAUSSDP_FOLDS * sizeof(double));
	gaussdp_pool_neighbours(sums, GAUSSDP_FOLDS);
	found->level++;
	found->hidden = fmin(HIDDEN_ERRORS * error / fmax(sums[GAUSSDP_FOLDS - 1], 1), MOST_HIDDEN);
	narrow_span(found, start, sums, &folded->first, &folded->last);
}

/* Whether it may be the noise that leaves the next level no room. */
static bool
may_be_noise(const Span *found, const double *noisy, const double *sums)
{
	return found->level < GAUSSDP_FOLD_LEVELS - 1 && !fits_window(found) &&
		   outside_of_two(noisy) <
			   HIDDEN_OUTSIDE * found->hidden * fmax(sums[GAUSSDP_FOLDS - 1], 1);
}

/* One level more; false where the span is not to be narrowed, or not any more. */
static bool
look_closer(const GaussdpCells *cells, Span *span, GaussdpNarrowed *narrowed)
{
	Span before = *span;
	int64 cells_of_next = (span->last - span->first + 1) << GAUSSDP_FOLD_BITS;
	int64 start = (span->first << GAUSSDP_FOLD_BITS) - (GAUSSDP_FOLDS - cells_of_next) / 2;
	double noisy[GAUSSDP_FOLDS], again[GAUSSDP_FOLDS], sums[GAUSSDP_FOLDS], share, error;
	GaussdpFolded *folded = &narrowed->folded;
	gdp_noise noise;

	if (!fits_window(span) || span->level == GAUSSDP_FOLD_LEVELS - 1)
		return false;
	share = share_of(cells->params, span, &noise);
	if (share == 0 || narrowed->left - share < LEAST_LEFT)
		return false;
	narrowed->left -= share;
	folded->level = span->level + 1;
	folded->start = start;
	draw_sums(cells, folded->level, start, &noise, noisy);
	error = gdp_prefix_worst(GAUSSDP_FOLDS) * noise.sigma;
	take_sums(noisy, error, start, span, folded, sums);
	if (may_be_noise(span, noisy, sums) && narrowed->left - share >= LEAST_LEFT)
	{
		narrowed->left -= share;
		draw_sums(cells, folded->level, start, &noise, again);
		for (int i = 0; i < GAUSSDP_FOLDS; i++)
			noisy[i] = (noisy[i] + again[i]) / 2;
		error /= sqrt(2);
		*span = before;
		take_sums(noisy, error, start, span, folded, sums);
	}
	if (may_be_wide(&before, span, error))
		return false;
	narrowed->beyond += beyond(&before, span, sums, folded->first, folded->last, error);
	return true;
}

/* The bins as sizes; of more than a window has room for, those that stand out and one neighbour a side. */
static Span
span_of(const GaussdpBinsFound *bins, double rows, bool *negative)
{
	bool cut = bins->last - bins->first >= MOST_CELLS;
	int first = cut ? Max(bins->low - 1, bins->first) : bins->first;
	int last = cut ? Min(bins->high + 1, bins->last) : bins->last;
	double lower = gaussdp_auto_lower(first), upper = gaussdp_auto_upper(last);
	Span span = {.level = -1, .rows = rows, .cut = cut};

	*negative = upper < 0;
	span.lower = *negative ? -upper : lower;
	span.upper = *negative ? -lower : upper;
	span.first = span.lower > 0 ? ilogb(span.lower) + 1023 : 0;
	span.last = span.first + last - first;
	span.spread = last - first >= MOST_STANDING && bins->neighbour > EMPTY_QUANTILE;
	return span;
}

bool
gaussdp_auto_narrow(const GaussdpCells *cells, const GaussdpBinsFound *bins, double rows,
					GaussdpNarrowed *narrowed)
{
	Span span = span_of(bins, rows, &narrowed->folded.negative);
	bool found = false;

	if (bins->high - bins->low >= MOST_STANDING || !(span.lower > 0))
		return false;
	while (look_closer(cells, &span, narrowed))
		found = true;
	return found;
}
