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
 * stand out of the noise, alone or with neighbours, give the bounds; with these the rest of mu^2 pays for a sum, or for an average
 * as in avg.c.  Where none do, the answer is 0.  That the second release depends on the first is adaptive composition: the squares of
 * mu add up.
 *
 * Weighted calls cannot round a row's part to the release's grid, which is not known before the bins are
 * released.  They keep, for each bin, the sums of m and of m times the row's steps, exactly, and round a group's
 * total once.  That moves the total of each group of a person by less than one step more than the person's
 * rows do, for which the sensitivity is raised (weighted.h).
 *
 * Invariants
 *		A row belongs to one bin, and moves the total on the release's grid by an integer between low
 *		and high: counts times these beyond the bounds; inside, a sum rounded by floor(x + 1/2), which
 *		commutes with shifts by whole steps and moves with others by one of the two whole numbers next
 *		to them.
 *		Nothing of the calibration depends on the data but through the released bins, and no bounds
 *		that they can give make it fail.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/cells.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_sum_auto_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_avg_auto_weighted_accum);
PG_FUNCTION_INFO_V1(gaussdp_sum_auto_serialize);
PG_FUNCTION_INFO_V1(gaussdp_avg_auto_serialize);

/* Bins on one side of zero: level 0 is [0, 2^-64), level j is [2^(j-65), 2^(j-64)). */
#define LEVELS (GAUSSDP_AUTO_BINS / 2)
#define FIRST_EXPONENT (-64)

/* Steps of a bin's sum: 2^51 of them to the outer edge, 2^50 and more to the inner one. */
#define STEP_BITS 51

/* Shares of mu^2: the bins; the rest for a sum, or 3 : 1 for the sum and count of an average. */
#define SHARE_OF_BINS 0.125
#define SHARE_OF_TOTAL 0.875
#define SHARE_OF_SUM (0.75 * SHARE_OF_TOTAL)
#define SHARE_OF_COUNT (0.25 * SHARE_OF_TOTAL)

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

/* Noise of the release within bounds; false where there is none, which depends on epsilon and delta. */
static gdp_status
noise_within(const GaussdpKey *key, double lower, double upper, gdp_noise *noise,
			 gdp_coordinate *coords, int *ncoords)
{
	double width = upper / 2 - lower / 2;
	double magnitude = fmax(fabs(lower), fabs(upper));
	double rows = gaussdp_rows_or(key, 1);
	double rounding = key->weighted ? GAUSSDP_WEIGHTED_ROUNDING : 1;

	coords[0] = (gdp_coordinate){.l2_sensitivity = rows, .share = SHARE_OF_BINS, .max_exponent = 0};
	if (key->kind == GAUSSDP_SUM_AUTO)
		coords[1] = (gdp_coordinate){.l2_sensitivity = rows * magnitude * rounding,
									 .share = SHARE_OF_TOTAL,
									 .max_exponent = gaussdp_max_exponent(magnitude)};
	else
	{
		coords[1] = (gdp_coordinate){.l2_sensitivity = rows * width * WIDENED * rounding,
									 .share = SHARE_OF_SUM,
									 .max_exponent = ilogb(width) - WIDENED_BITS};
		coords[2] =
			(gdp_coordinate){.l2_sensitivity = rows, .share = SHARE_OF_COUNT, .max_exponent = 0};
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
	gdp_status status = noise_within(&params->key, -1, 1, params->noise, coords, &params->ncoords);

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
	if (status == GDP_OK && params->noise[1].exponent < -STEP_BITS + 1)
		status = GDP_OUT_OF_RANGE;
	gaussdp_require_noise(status, &params->key, 1);
}

/* The number of rows in each bin, then their sums; then, weighted, the sums of their weights. */
void
gaussdp_auto_layout(const GaussdpParams *params, GaussdpLayout *layout)
{
	*layout = (GaussdpLayout){.ncells = (params->key.weighted ? 3 : 2) * GAUSSDP_AUTO_BINS,
							  .wide = true,
							  .ncounts = GAUSSDP_AUTO_BINS};
}

/* ---------------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------------
 */

/* By the bits of the double: its exponent is the level, its leading bits are the steps. */
static pg_attribute_always_inline int
bin_of(double x, int64 *signed_steps)
{
	double size = fabs(x);
	uint64 bits;
	int level;
	int64 steps;

	memcpy(&bits, &size, sizeof(bits));
	level = (int) (bits >> 52) - 1023 - FIRST_EXPONENT + 1;
	steps = (int64) (((bits & ((UINT64CONST(1) << 52) - 1)) | (UINT64CONST(1) << 52)) >> 2);
	if (unlikely(level <= 0))
	{
		level = 0;
		steps = __builtin_llrint(size * 0x1p115);
	}
	else if (unlikely(level >= LEVELS))
	{
		level = LEVELS - 1;
		steps = INT64CONST(1) << STEP_BITS;
	}
	*signed_steps = x < 0 ? -steps : steps;
	return x < 0 ? LEVELS - 1 - level : LEVELS + level;
}

int
gaussdp_auto_bin(double x, int64 *steps)
{
	return bin_of(x, steps);
}

static pg_attribute_always_inline void
add_value(GaussdpCells *cells, double x)
{
	int64 steps;
	int bin;

	if (unlikely(isnan(x)))
		return;
	bin = bin_of(x, &steps);
	cells->n = gaussdp_count_add(cells->n, 1);
	cells->sums[bin] += 1;
	cells->sums[GAUSSDP_AUTO_BINS + bin] += steps;
}

#define TRANSITION_OF(name, kind, value)                                                           \
	PG_FUNCTION_INFO_V1(name);                                                                     \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		GaussdpCells *cells = gaussdp_cells_for_row(fcinfo, kind);                                 \
                                                                                                   \
		if (!PG_ARGISNULL(1))                                                                      \
			add_value(cells, value);                                                               \
		PG_RETURN_POINTER(cells);                                                                  \
	}
#define TRANSITION(type, value)                                                                    \
	TRANSITION_OF(gaussdp_sum_auto_##type##_accum, GAUSSDP_SUM_AUTO, value)                        \
	TRANSITION_OF(gaussdp_avg_auto_##type##_accum, GAUSSDP_AVG_AUTO, value)

GAUSSDP_FOR_EACH_TYPE(TRANSITION)

static void
add_to(gdp_int128 *sum, gdp_int128 part)
{
	*sum = gaussdp_sum_add(*sum, part);
}

static Datum
accumulate_weighted(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells = gaussdp_weighted_cells_for_row(fcinfo, kind);
	const gdp_noise *noise = cells->params->noise;
	int64 weight = gaussdp_row_weight(fcinfo);
	double x = gaussdp_row_number(fcinfo);
	int64 steps;
	int bin;

	if (isnan(x) || weight < GAUSSDP_LEAST_WEIGHT)
		PG_RETURN_POINTER(cells);
	bin = bin_of(x, &steps);
	add_to(&cells->sums[bin], gaussdp_weighted_one(&noise[0], weight));
	add_to(&cells->sums[GAUSSDP_AUTO_BINS + bin], (gdp_int128) steps * weight);
	add_to(&cells->sums[2 * GAUSSDP_AUTO_BINS + bin], weight);
	if (kind == GAUSSDP_AVG_AUTO)
		add_to(&cells->count, gaussdp_weighted_one(&noise[2], weight));
	PG_RETURN_POINTER(cells);
}

/* sum_auto_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_sum_auto_weighted_accum(PG_FUNCTION_ARGS)
{
	return accumulate_weighted(fcinfo, GAUSSDP_SUM_AUTO);
}

/* avg_auto_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_avg_auto_weighted_accum(PG_FUNCTION_ARGS)
{
	return accumulate_weighted(fcinfo, GAUSSDP_AVG_AUTO);
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
gaussdp_auto_find(const double counts[GAUSSDP_AUTO_BINS], int *first, int *last)
{
	int length = 1;

	while (length <= LARGEST_WINDOW && !find_windows(counts, length, first, last))
		length *= 2;
	if (length > LARGEST_WINDOW)
		return false;
	while (*first < *last && counts[*first] < END_QUANTILE)
		++*first;
	while (*first < *last && counts[*last] < END_QUANTILE)
		--*last;
	while (*first > 0 && counts[*first - 1] > NEIGHBOUR_QUANTILE)
		--*first;
	while (*last < GAUSSDP_AUTO_BINS - 1 && counts[*last + 1] > NEIGHBOUR_QUANTILE)
		++*last;
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

/* Steps of 2^exponent that a bin's step makes, as a shift. */
static int
shift_of_bin(int bin, int exponent)
{
	return level_of(bin) + FIRST_EXPONENT - STEP_BITS - exponent;
}

/* A bin's sum in steps of 2^exponent: exact, or rounded by floor(x + 1/2). */
static gdp_int128
sum_of_bin(const GaussdpCells *cells, int bin, int exponent)
{
	gdp_int128 sum = cells->sums[GAUSSDP_AUTO_BINS + bin];
	int shift = shift_of_bin(bin, exponent);

	if (shift >= 0)
		return sum * ((gdp_int128) 1 << shift);
	/* Below half a step there is nothing left, and shifts end at the width of the type. */
	if (shift < -126)
		return 0;
	return ((sum >> (-shift - 1)) + 1) >> 1;
}

/* The bounds in steps. */
static void
bounds_in_steps(int first, int last, int exponent, int64 *low, int64 *high)
{
	*low = (int64) floor(ldexp(gaussdp_auto_lower(first), -exponent));
	*high = (int64) ceil(ldexp(gaussdp_auto_upper(last), -exponent));
}

gdp_int128
gaussdp_auto_total(const GaussdpCells *cells, int first, int last, int exponent, int64 *low,
				   int64 *high)
{
	gdp_int128 total = 0;

	bounds_in_steps(first, last, exponent, low, high);
	for (int bin = 0; bin < GAUSSDP_AUTO_BINS; bin++)
	{
		if (bin < first)
			total += cells->sums[bin] * *low;
		else if (bin > last)
			total += cells->sums[bin] * *high;
		else
			total += sum_of_bin(cells, bin, exponent);
	}
	return total;
}

/* In units of 2^-31 steps: less than one of them is dropped for each bin, far less than a step for all. */
gdp_int128
gaussdp_auto_weighted_total(const GaussdpCells *cells, int first, int last, int exponent,
							bool centred, int64 *low, int64 *high)
{
	const gdp_int128 *sums = cells->sums + GAUSSDP_AUTO_BINS;
	const gdp_int128 *weights = cells->sums + 2 * GAUSSDP_AUTO_BINS;
	gdp_int128 total = 0, all = 0;

	bounds_in_steps(first, last, exponent, low, high);
	for (int bin = 0; bin < GAUSSDP_AUTO_BINS; bin++)
	{
		int shift = shift_of_bin(bin, exponent);

		all += weights[bin];
		if (bin < first)
			total += weights[bin] * *low;
		else if (bin > last)
			total += weights[bin] * *high;
		else if (shift >= 0)
			total += sums[bin] * ((gdp_int128) 1 << shift);
		else
			total += sums[bin] >> Min(-shift, 127);
	}
	if (centred)
		total = 2 * total - all * (*low + *high);
	return (total + GDP_WEIGHT_ROW / 2) >> 31;
}

/* The release within the bounds found; noise is for these. */
static void
draw_within(const GaussdpCells *cells, int first, int last, const gdp_noise *noise,
			GaussdpRatio *found)
{
	const GaussdpKey *key = &cells->params->key;
	gdp_int128 total;
	int64 low, high;

	if (key->kind == GAUSSDP_SUM_AUTO && key->weighted)
		total =
			gaussdp_auto_weighted_total(cells, first, last, noise[1].exponent, false, &low, &high);
	else if (key->kind == GAUSSDP_SUM_AUTO)
		total = gaussdp_auto_total(cells, first, last, noise[1].exponent, &low, &high);
	else
	{
		/* In half steps the centre is whole: a row adds at most (high - low) of them, either way. */
		if (key->weighted)
			total = gaussdp_auto_weighted_total(cells, first, last, noise[1].exponent + 1, true,
												&low, &high);
		else
			total = 2 * gaussdp_auto_total(cells, first, last, noise[1].exponent + 1, &low, &high) -
					(gdp_int128) cells->n * (low + high);
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

/*
 * What automatic bounds have found takes the place of the cells; of sums there is no count.  Where nothing stands out the answer is 0,
 * anything between the outermost edges is possible, and a count of 0 says that it is not reliable.
 */
static const GaussdpRatio *
draw(GaussdpCells *cells)
{
	const GaussdpKey *key = &cells->params->key;
	GaussdpRatio *result = (GaussdpRatio *) cells->sums;
	GaussdpRatio found = {0};
	gdp_coordinate coords[3];
	gdp_noise noise[3];
	double counts[GAUSSDP_AUTO_BINS]; /* noisy, in standard deviations */
	int ncoords, first, last;
	bool stands_out;

	if (cells->released)
		return result;
	draw_counts(cells, counts);
	stands_out = gaussdp_auto_find(counts, &first, &last);
	if (!stands_out)
	{
		first = 0;
		last = GAUSSDP_AUTO_BINS - 1;
	}
	found.lower = gaussdp_auto_lower(first);
	found.upper = gaussdp_auto_upper(last);
	gaussdp_require_noise(noise_within(key, found.lower, found.upper, noise, coords, &ncoords), key,
						  1);
	found.num_sd = noise[1].sigma;
	if (key->kind == GAUSSDP_AVG_AUTO)
		found.den_sd = noise[2].sigma;
	if (stands_out)
	{
		found.beyond = sum_beyond(counts, cells->params->noise[0].sigma, first, last);
		draw_within(cells, first, last, noise, &found);
	}
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
