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
 * the noise is far less than all rows.  All that is decided here follows from released numbers (docs/mathematics.md).
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
#define PART_HIDDEN 0x1p-7

/* Rows beyond each end are so many standard deviations of a prefix sum, but not more than a quarter of all. */
#define HIDDEN_ERRORS 4
#define MOST_HIDDEN 0.25

/*
 * Fewer rows than so many standard deviations are not looked for: it would cost more than it gains.  Where neighbours have been taken in
 * beside bins that stand out, values may well be spread over all of them.
 */
#define LEAST_ERRORS 8
#define LEAST_ERRORS_WIDE 16

#define ONE_SIDED_95 1.6449

/* Spans in which rows are, from cell first to last of a level, or of bins at level -1; and the bounds, in sizes. */
typedef struct Span
{
	int level;
	int64 first;
	int64 last;
	double lower;
	double upper;
	double rows;
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
	bool is_wide = span->level < 0 && span->last - span->first >= MOST_STANDING;
	double worst = gdp_prefix_worst(GAUSSDP_FOLDS), hidden, share;

	if (!noise_of(params, 1, noise) || !(span->rows > 0))
		return 0;
	hidden = HIDDEN_ERRORS * worst * noise->sigma / (PART_HIDDEN * span->rows);
	share = SHARE_UNIT * fmin(fmax(ceil(hidden * hidden / SHARE_UNIT), 1), MOST_UNITS);
	if (!noise_of(params, share, noise) ||
		span->rows < (is_wide ? LEAST_ERRORS_WIDE : LEAST_ERRORS) * worst * noise->sigma)
		return 0;
	return share;
}

/* Rows up to the end of each cell from start on, with noise; they do not fall. */
static void
draw_sums(const GaussdpCells *cells, int level, int64 start, const gdp_noise *noise, double *sums)
{
	gdp_int128 rows[GAUSSDP_FOLDS];

	for (int i = 0; i < GAUSSDP_FOLDS; i++)
		rows[i] = cells->sums[GAUSSDP_AUTO_BINS + level * GAUSSDP_FOLDS +
							  (int) ((start + i) % GAUSSDP_FOLDS)];
	gaussdp_draw_prefixes(rows, GAUSSDP_FOLDS, cells->params->key.weighted, noise, sums);
	gaussdp_pool_neighbours(sums, GAUSSDP_FOLDS);
}

static int
first_reaching(const double *sums, double rows)
{
	int i = 0;

	while (i < GAUSSDP_FOLDS - 1 && sums[i] < rows)
		i++;
	return i;
}

/*
 * The span between the cells before which, and behind which, so many rows lie; and the bounds, which go outward from it by sqrt(4 hidden /
 * rows) / 2 of its width, to an edge, but not beyond the bounds before.  *first and *last are the cells within them.
 */
static void
narrow_span(Span *span, int64 start, const double *sums, double hidden, int *first, int *last)
{
	int level = span->level;
	double lower, upper, margin;

	*first = first_reaching(sums, hidden);
	*last = Max(first_reaching(sums, span->rows - hidden), *first);
	span->first = start + *first;
	span->last = start + *last;
	lower = gaussdp_fold_edge(span->first, level);
	upper = gaussdp_fold_edge(span->last + 1, level);
	margin = sqrt(4 * hidden / span->rows) / 2 * (upper - lower);
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

/* One level more; false where the span is not to be narrowed, or not any more. */
static bool
look_closer(const GaussdpCells *cells, Span *span, GaussdpNarrowed *narrowed)
{
	Span before = *span;
	int64 cells_of_next = (span->last - span->first + 1) << GAUSSDP_FOLD_BITS;
	int64 start = (span->first << GAUSSDP_FOLD_BITS) - (GAUSSDP_FOLDS - cells_of_next) / 2;
	double sums[GAUSSDP_FOLDS], share, error;
	GaussdpFolded *folded = &narrowed->folded;
	gdp_noise noise;

	if (span->last - span->first >= MOST_CELLS || span->level == GAUSSDP_FOLD_LEVELS - 1)
		return false;
	share = share_of(cells->params, span, &noise);
	if (share == 0)
		return false;
	narrowed->left -= share;
	span->level++;
	draw_sums(cells, span->level, start, &noise, sums);
	error = gdp_prefix_worst(GAUSSDP_FOLDS) * noise.sigma;
	span->rows = fmax(sums[GAUSSDP_FOLDS - 1], 1);
	folded->level = span->level;
	folded->start = start;
	narrow_span(span, start, sums, fmin(HIDDEN_ERRORS * error, MOST_HIDDEN * span->rows),
				&folded->first, &folded->last);
	narrowed->beyond += beyond(&before, span, sums, folded->first, folded->last, error);
	return true;
}

bool
gaussdp_auto_narrow(const GaussdpCells *cells, int first, int last, int standing, double rows,
					GaussdpNarrowed *narrowed)
{
	double lower = gaussdp_auto_lower(first), upper = gaussdp_auto_upper(last);
	bool negative = upper < 0, found = false;
	Span span = {.level = -1,
				 .lower = negative ? -upper : lower,
				 .upper = negative ? -lower : upper,
				 .rows = rows};

	if (standing > MOST_STANDING || !(span.lower > 0))
		return false;
	narrowed->folded.negative = negative;
	span.first = ilogb(span.lower) + 1023;
	span.last = span.first + last - first;
	while (look_closer(cells, &span, narrowed))
		found = true;
	return found;
}
