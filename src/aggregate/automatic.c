/*
 * automatic.c
 *		dp_sum and dp_avg over values of unknown magnitude: bounds found privately, in the same pass.
 *
 * Reads parameters from args.c and noise from random.c; hands a float8 to the executor.
 *
 * Each value falls into one of 260 public bins: by sign, and by its power of two from 2^-64 to 2^64
 * (what is nearer to zero has a bin of its own on each side, what is farther away counts as 2^65).
 * The state holds each bin's count, and its sum in steps of 2^-51 of the bin's outer edge.  At the end
 * one eighth of mu^2 pays for noise in every bin's count, empty bins too.  The outermost bins that
 * stand out of the noise, alone or with neighbours, give the bounds, within which narrow.c looks closer for an average; with these the rest of
 * mu^2 pays for a sum, or for an average as in avg.c (within.c).  Where none do, the answer is 0.  That a release depends on those before is
 * adaptive composition: the squares of mu add up.
 *
 * Weighted calls cannot round a row's part to the release's grid, which is not known before the bins are
 * released.  They keep, for each bin, the sums of m and of m times the row's steps, exactly, and round a group's
 * total once.  That moves the total of each group of a person by less than one step more than the person's
 * rows do, for which the sensitivity is raised (weighted.h).
 *
 * Invariants
 *		A row belongs to one bin, and to one fold of each level (automatic.h).
 *		Nothing of the calibration depends on the data but through the released bins, and no bounds
 *		that they can give make it fail.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/automatic.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_sum_auto_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_avg_auto_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_sum_auto_serialize);
PG_FUNCTION_INFO_V1(gaussdp_avg_auto_serialize);

#define LEVELS GAUSSDP_AUTO_LEVELS

/* Shares of mu^2: the bins; the rest for a sum, or 3 : 1 for the sum and count of an average. */
#define SHARE_OF_BINS 0.125
#define SHARE_OF_TOTAL 0.875
#define PART_OF_SUM 0.75
#define PART_OF_COUNT 0.25

/*
 * Not used by what is drawn, for what is charged is the noise that a call is calibrated with, in steps that are not those of what is found: the noise
 * of either is wider than it has to be by a 2^28th at most.
 */
#define SHARE_KEPT 0x1p-20

/*
 * Noisy counts of a window of 1, 2, 4, 8 or 16 neighbouring bins stand out together where their sum is above this many of its
 * standard deviations: the upper quantile of the normal law at 1e-9 / 1,274, the number of such windows, 7.0662, and more.  By the
 * union bound some window of empty bins is taken for values in one of 1e9 calls at most, whatever the data.  The discrete noise, whose
 * tail is longer by no more than one step of 2^-30 standard deviations, is within the rounding.
 */
#define WINDOW_QUANTILE 7.1
#define LARGEST_WINDOW 16

/* Where several bins together stand out, those at the ends have values above so many standard deviations. */
#define END_QUANTILE 1.0

/*
 * The same for the neighbour of a bin that has been taken, so that the thin tail of a distribution is not
 * clamped off.  An empty neighbour gets in with a probability of 2.3 %, and costs one more power of two.
 */
#define NEIGHBOUR_QUANTILE 2.0

/* So many bins beyond the bounds may hold values that the noise of their counts hides; a count is above so many sigmas in one of twenty. */
#define HIDDEN_BINS 3
#define ONE_SIDED_95 1.6449

/* An average's bounds are widened to whole grid steps: by less than this, for grids so fine. */
#define WIDENED (1 + 0x1p-18)
#define WIDENED_BITS 20

/* Noise of the bins, and of the release within bounds for this share of mu^2; a status where there is none, which depends on epsilon and delta. */
static gdp_status
noise_within(const GaussdpKey *key, double lower, double upper, double share, gdp_noise *noise,
			 gdp_coordinate *coords, int *ncoords)
{
	double width = upper / 2 - lower / 2;
	double magnitude = fmax(fabs(lower), fabs(upper));
	double rows = gaussdp_rows_or(key, 1);
	double rounding = key->weighted ? GAUSSDP_WEIGHTED_ROUNDING : 1;

	coords[0] = (gdp_coordinate){.l2_sensitivity = rows, .share = SHARE_OF_BINS, .max_exponent = 0};
	if (key->kind == GAUSSDP_SUM_AUTO)
		coords[1] = (gdp_coordinate){.l2_sensitivity = rows * magnitude * rounding,
									 .share = share,
									 .max_exponent = gaussdp_max_exponent(magnitude)};
	else
	{
		coords[1] = (gdp_coordinate){.l2_sensitivity = rows * width * WIDENED * rounding,
									 .share = PART_OF_SUM * share,
									 .max_exponent = ilogb(width) - WIDENED_BITS};
		coords[2] = (gdp_coordinate){
			.l2_sensitivity = rows, .share = PART_OF_COUNT * share, .max_exponent = 0};
	}
	if (key->weighted)
		coords[1].max_exponent =
			ilogb(key->kind == GAUSSDP_SUM_AUTO ? magnitude : width) - GAUSSDP_WEIGHTED_GRID_BITS;
	*ncoords = key->kind == GAUSSDP_SUM_AUTO ? 2 : 3;
	return gdp_noise_joint(gaussdp_param(key, GAUSSDP_PARAM_EPSILON),
						   gaussdp_param(key, GAUSSDP_PARAM_DELTA), *ncoords, coords, noise);
}

/*
 * With bounds of [-1, 1]: other bounds give the same noise in their own unit, but for an average's
 * grid, whose steps are at most twice as many.  What holds here with that to spare holds for all.
 */
void
gaussdp_auto_calibrate(GaussdpParams *params)
{
	gdp_coordinate coords[3];
	gdp_status status =
		noise_within(&params->key, -1, 1, SHARE_OF_TOTAL, params->noise, coords, &params->ncoords);

	params->rows = gaussdp_rows_or(&params->key, 1);
	gaussdp_check_rows(params->rows);
	for (int i = 0; i < params->ncoords; i++)
	{
		params->sensitivity[i] = coords[i].l2_sensitivity;
		if (status == GDP_OK && (params->noise[i].exponent < GAUSSDP_MIN_COUNT_EXPONENT ||
								 params->noise[i].sigma_int >= GDP_SIGMA_INT_LIMIT / 4))
			status = GDP_OUT_OF_RANGE;
	}
	/* Edges must stay exact as whole numbers of steps. */
	if (status == GDP_OK && params->noise[1].exponent < -GAUSSDP_AUTO_STEP_BITS + 1)
		status = GDP_OUT_OF_RANGE;
	gaussdp_require_noise(status, &params->key, 1);
}

/* The number of rows in each cell, then their sums; then, weighted, the sums of weights in bins. */
void
gaussdp_auto_layout(const GaussdpParams *params, GaussdpLayout *layout)
{
	int n = gaussdp_auto_ncells(params->key.kind);

	*layout = (GaussdpLayout){.ncells = 2 * n + (params->key.weighted ? GAUSSDP_AUTO_BINS : 0),
							  .wide = true,
							  .ncounts = n};
}

/* ---------------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------------
 */

static pg_attribute_always_inline void
add_value(GaussdpCells *cells, GaussdpKind kind, double x)
{
	int64 steps;
	int cell;

	if (unlikely(isnan(x)))
		return;
	cell = gaussdp_auto_bin(x, &steps);
	cells->n = gaussdp_count_add(cells->n, 1);
	cells->sums[cell] += 1;
	cells->sums[gaussdp_auto_ncells(kind) + cell] += steps;
	for (int level = 0; level < GAUSSDP_FOLD_LEVELS && kind == GAUSSDP_AVG_AUTO; level++)
	{
		cell = gaussdp_auto_fold(x, level, &steps);
		cells->sums[cell] += 1;
		cells->sums[GAUSSDP_AUTO_CELLS + cell] += steps;
	}
}

#define TRANSITION_OF(name, kind, value)                                                           \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		GaussdpCells *cells = gaussdp_cells_for_row(fcinfo, kind);                                 \
                                                                                                   \
		if (!PG_ARGISNULL(1))                                                                      \
			add_value(cells, kind, value);                                                         \
		PG_RETURN_POINTER(cells);                                                                  \
	}
#define TRANSITION(type, value)                                                                    \
	TRANSITION_OF(gaussdp_sum_auto_##type##_accum, GAUSSDP_SUM_AUTO, value)                        \
	TRANSITION_OF(gaussdp_avg_auto_##type##_accum, GAUSSDP_AVG_AUTO, value)

GAUSSDP_FOR_EACH_TYPE(TRANSITION)

int
gaussdp_auto_parts(const GaussdpParams *params, double x, int64 weight,
				   GaussdpPart parts[GAUSSDP_MAX_PARTS])
{
	GaussdpKind kind = params->key.kind;
	int n = gaussdp_auto_ncells(kind), nparts = 0, cell;
	int64 steps;

	if (weight < GAUSSDP_LEAST_WEIGHT)
		return 0;
	cell = gaussdp_auto_bin(x, &steps);
	parts[nparts++] = (GaussdpPart){cell, gaussdp_weighted_one(&params->noise[0], weight)};
	parts[nparts++] = (GaussdpPart){n + cell, (gdp_int128) steps * weight};
	parts[nparts++] = (GaussdpPart){2 * n + cell, weight};
	if (kind != GAUSSDP_AVG_AUTO)
		return nparts;
	parts[nparts++] =
		(GaussdpPart){GAUSSDP_COUNT_CELL, gaussdp_weighted_one(&params->noise[2], weight)};
	/* folds keep the weights in full */
	for (int level = 0; level < GAUSSDP_FOLD_LEVELS; level++)
	{
		cell = gaussdp_auto_fold(x, level, &steps);
		parts[nparts++] = (GaussdpPart){cell, weight};
		parts[nparts++] = (GaussdpPart){n + cell, (gdp_int128) steps * weight};
	}
	return nparts;
}

/* sum_auto_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_sum_auto_weighted_accum(PG_FUNCTION_ARGS)
{
	return gaussdp_weigh_cells(fcinfo, GAUSSDP_SUM_AUTO);
}

/* avg_auto_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_avg_auto_weighted_accum(PG_FUNCTION_ARGS)
{
	return gaussdp_weigh_cells(fcinfo, GAUSSDP_AVG_AUTO);
}

Datum
gaussdp_sum_auto_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_SUM_AUTO);
}

Datum
gaussdp_avg_auto_serialize(PG_FUNCTION_ARGS)
{
	return gaussdp_cells_serialize(fcinfo, GAUSSDP_AVG_AUTO);
}

/* ---------------------------------------------------------------------------
 * Release
 * ---------------------------------------------------------------------------
 */

static void
draw_counts(const GaussdpCells *cells, double counts[GAUSSDP_AUTO_BINS])
{
	const gdp_noise *noise = &cells->params->noise[0];

	for (int bin = 0; bin < GAUSSDP_AUTO_BINS; bin++)
	{
		gdp_int128 steps = cells->params->key.weighted
							   ? cells->sums[bin]
							   : gdp_grid_total(cells->sums[bin], noise->exponent);

		counts[bin] =
			gdp_grid_value(gaussdp_add_noise(steps, noise), noise->exponent) / noise->sigma;
	}
}

/* The outermost bins of windows of this length that stand out; false where none does. */
static bool
find_windows(const double counts[GAUSSDP_AUTO_BINS], int length, int *first, int *last)
{
	bool found = false;
	double sum = 0;

	for (int bin = 0; bin < GAUSSDP_AUTO_BINS; bin++)
	{
		sum += counts[bin] - (bin >= length ? counts[bin - length] : 0);
		if (bin < length - 1 || !(sum > WINDOW_QUANTILE * sqrt(length)))
			continue;
		if (!found)
			*first = bin - length + 1;
		*last = bin;
		found = true;
	}
	return found;
}

/*
 * The outermost bins of the shortest windows that stand out, without bins at the ends that show nothing; and on from there as far as
 * neighbours have values, too.  False where nothing stands out.
 */
bool
gaussdp_auto_find(const double counts[GAUSSDP_AUTO_BINS], GaussdpBinsFound *found)
{
	int length = 1;

	while (length <= LARGEST_WINDOW && !find_windows(counts, length, &found->low, &found->high))
		length *= 2;
	if (length > LARGEST_WINDOW)
		return false;
	while (found->low < found->high && counts[found->low] < END_QUANTILE)
		found->low++;
	while (found->low < found->high && counts[found->high] < END_QUANTILE)
		found->high--;
	found->neighbour = 0;
	found->first = found->low;
	while (found->first > 0 && counts[found->first - 1] > NEIGHBOUR_QUANTILE)
		found->neighbour = fmax(found->neighbour, counts[--found->first]);
	found->last = found->high;
	while (found->last < GAUSSDP_AUTO_BINS - 1 && counts[found->last + 1] > NEIGHBOUR_QUANTILE)
		found->neighbour = fmax(found->neighbour, counts[++found->last]);
	return true;
}

/* How far beyond the bounds values of a bin are that is so many bins outside of them; in the middle of it. */
static double
distance_beyond(int bin, int first, int last)
{
	double middle = gaussdp_auto_lower(bin) / 2 + gaussdp_auto_upper(bin) / 2;

	return bin > last ? middle - gaussdp_auto_upper(last) : gaussdp_auto_lower(first) - middle;
}

/*
 * What values beyond the bounds may add at most, away from zero, by the bins next to these, whose noise hides them.  Further away
 * it hides more than all others have.
 */
static double
sum_beyond(const double counts[GAUSSDP_AUTO_BINS], double sigma, int first, int last)
{
	double sum = 0, square = 0;

	for (int i = 1; i <= HIDDEN_BINS; i++)
	{
		int bins[] = {last >= LEVELS ? last + i : -1, first < LEVELS ? first - i : -1};

		for (int side = 0; side < 2; side++)
		{
			double distance;

			if (bins[side] < 0 || bins[side] >= GAUSSDP_AUTO_BINS)
				continue;
			distance = distance_beyond(bins[side], first, last);
			sum += distance * counts[bins[side]] * sigma;
			square += distance * distance;
		}
	}
	return fmax(sum + ONE_SIDED_95 * sigma * sqrt(square), 0);
}

/* The release within the bounds found; noise is for these. */
static void
draw_within(const GaussdpCells *cells, const GaussdpWithin *within, const gdp_noise *noise,
			GaussdpRatio *found)
{
	const GaussdpKey *key = &cells->params->key;
	bool centred = key->kind == GAUSSDP_AVG_AUTO;
	int64 low, high;
	/* In half steps the centre is whole: a row adds at most (high - low) of them, either way. */
	gdp_int128 total = gaussdp_within_total(
		within, key->weighted, noise[1].exponent + (centred ? 1 : 0), centred, &low, &high);

	if (centred)
	{
		found->centre = gdp_grid_value(low + high, noise[1].exponent);
		/* The bounds in whole steps, wider than the edges by less than one: the centre is their middle. */
		found->lower = gdp_grid_value(low, noise[1].exponent + 1);
		found->upper = gdp_grid_value(high, noise[1].exponent + 1);
		found->den =
			gdp_grid_value(gaussdp_add_noise(gaussdp_cells_count_of(cells, &noise[2]), &noise[2]),
						   noise[2].exponent);
	}
	found->num = gdp_grid_value(gaussdp_add_noise(total, &noise[1]), noise[1].exponent);
}

/* The bounds: bins that stand out, or what an average has of them; what may be beyond; and what share is left. */
static double
find_bounds(const GaussdpCells *cells, GaussdpWithin *within, GaussdpRatio *found)
{
	double counts[GAUSSDP_AUTO_BINS]; /* noisy, in standard deviations */
	double sigma = cells->params->noise[0].sigma, rows = 0;
	GaussdpNarrowed narrowed = {.left = SHARE_OF_TOTAL};
	GaussdpBinsFound bins;

	draw_counts(cells, counts);
	if (!gaussdp_auto_find(counts, &bins))
	{
		gaussdp_within_bins(cells, 0, GAUSSDP_AUTO_BINS - 1, within);
		return 0;
	}
	for (int bin = bins.first; bin <= bins.last; bin++)
		rows += counts[bin] * sigma;
	if (cells->params->key.kind == GAUSSDP_AVG_AUTO &&
		gaussdp_auto_narrow(cells, &bins, rows, &narrowed))
		gaussdp_within_folds(cells, &narrowed.folded, within);
	else
		gaussdp_within_bins(cells, bins.first, bins.last, within);
	found->beyond = sum_beyond(counts, sigma, bins.first, bins.last) + narrowed.beyond;
	return narrowed.left;
}

/*
 * What automatic bounds have found takes the place of the cells; of sums there is no count.  Where nothing stands out the answer is 0,
 * anything between the outermost edges is possible, and a count of 0 says that it is not reliable.
 */
static const GaussdpRatio *
draw(GaussdpCells *cells)
{
	const GaussdpKey *key = &cells->params->key;
	GaussdpRatio *result = (GaussdpRatio *) cells->sums;
	GaussdpWithin *within;
	GaussdpRatio found = {0};
	gdp_coordinate coords[3];
	gdp_noise noise[3];
	double left;
	int ncoords;

	if (cells->released)
		return result;
	within = palloc(sizeof(GaussdpWithin));
	left = find_bounds(cells, within, &found);
	found.lower = within->lower;
	found.upper = within->upper;
	gaussdp_require_noise(noise_within(key, found.lower, found.upper,
									   (left > 0 ? left : SHARE_OF_TOTAL) - SHARE_KEPT, noise,
									   coords, &ncoords),
						  key, 1);
	found.num_sd = noise[1].sigma;
	if (key->kind == GAUSSDP_AVG_AUTO)
		found.den_sd = noise[2].sigma;
	if (left > 0)
		draw_within(cells, within, noise, &found);
	pfree(within);
	memset(cells->sums, 0, cells->ncells * sizeof(gdp_int128));
	*result = found;
	cells->n = 0;
	cells->count = 0;
	cells->released = true;
	return result;
}

double
gaussdp_auto_beyond(const void *state)
{
	const GaussdpCells *cells = state;
	const GaussdpRatio *found = (const GaussdpRatio *) cells->sums;
	double value = fabs(found->num);

	if (cells->params->key.kind == GAUSSDP_AVG_AUTO)
		value = fabs(gaussdp_ratio_value(found)) * fmax(found->den, 1);
	return found->beyond > 0 ? found->beyond / (value + found->beyond) : 0;
}

Datum
gaussdp_sum_auto_release(void *exact, GaussdpAnswer answer, Oid type)
{
	const GaussdpRatio *found = draw(exact);

	return answer == GAUSSDP_AS_ESTIMATE ? gaussdp_estimate_total(type, found->num, found->num_sd)
										 : Float8GetDatum(found->num);
}

Datum
gaussdp_avg_auto_release(void *exact, GaussdpAnswer answer, Oid type)
{
	return gaussdp_answer_ratio(draw(exact), answer, type);
}
