/*
 * quantiles.c
 *		dp_quantiles: several quantiles of one column, by noisy searches among fewer and fewer rows.
 *
 * Reads parameters from args.c, leaves from leaves.c and noise from random.c; hands a float8[] to the executor.
 *
 * The middle quantile is searched for as in quantile.c and divides the rows; the parts are searched by themselves
 * (core/several.c).  A row is in one part of a level, so that the searches of a level cost as much as one, and L levels
 * are L of them: answers are scaled to move by at most 1 for a row, whatever q the part is searched for, and have noise of
 * sqrt(48 L)/mu.  Where parts end depends on answers before.  A 64th of mu^2 counts the rows (docs/mathematics.md).
 *
 * Weighted calls cannot round a row's part to the release's grid, for its factor follows from answers.  A leaf keeps the sum of its
 * weights, and an answer is rounded once, downward: it moves by less than one step more than the rows of a person do.  Rows of
 * weights below GAUSSDP_LEAST_WEIGHT count for nothing; with more, a person has rows in at most (2^12 k)^2 parts of a level
 * over all groups, and the sensitivity is raised by what rounding adds to that (weighted.h).
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/array.h"

#include "aggregate/cells.h"
#include "aggregate/leaves.h"
#include "aggregate/weighted.h"

PG_FUNCTION_INFO_V1(gaussdp_quantiles_weighted_accum);

StaticAssertDecl(GAUSSDP_MAX_QS == GDP_MAX_QUANTILES, "arrays of quantiles have one length");

/* The coordinates of the release. */
#define ANSWERS 0
#define ROWS 1

#define SHARE_OF_ROWS (1.0 / 64)

/* A row of an unweighted call is at least so many steps, 2^10 and more. */
#define GRID_BITS 10

void
gaussdp_quantiles_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	int bits = key->weighted ? GAUSSDP_WEIGHTED_GRID_BITS : GRID_BITS;
	double rounding = key->weighted ? GAUSSDP_WEIGHTED_ROUNDING : 1;
	gdp_coordinate coords[2] = {{.share = 1 - SHARE_OF_ROWS, .max_exponent = -bits},
								{.share = SHARE_OF_ROWS, .max_exponent = -bits}};
	gdp_status status;

	params->lower = gaussdp_param(key, GAUSSDP_PARAM_LOWER);
	params->upper = gaussdp_param(key, GAUSSDP_PARAM_UPPER);
	gaussdp_check_bounds(params->lower, params->upper);
	gdp_leaves_between(params->lower, params->upper,
					   key->digits > 0 ? key->digits - 1 : GDP_NO_SCALE, &params->leaves);
	params->rows = gaussdp_rows_or(key, 1);
	gaussdp_check_rows(params->rows);
	coords[ROWS].l2_sensitivity = params->rows * rounding;
	coords[ANSWERS].l2_sensitivity =
		coords[ROWS].l2_sensitivity *
		nextafter(sqrt((double) GDP_SEARCH_STEPS * gdp_several_levels(gaussdp_key_nqs(key))),
				  INFINITY);
	params->ncoords = lengthof(coords);
	for (int i = 0; i < params->ncoords; i++)
	{
		coords[i].l2_sensitivity = nextafter(coords[i].l2_sensitivity, INFINITY);
		params->sensitivity[i] = coords[i].l2_sensitivity;
	}
	status = gdp_noise_joint(gaussdp_param(key, GAUSSDP_PARAM_EPSILON),
							 gaussdp_param(key, GAUSSDP_PARAM_DELTA), params->ncoords, coords,
							 params->noise);
	for (int i = 0; i < params->ncoords; i++)
		/* One row is a point of the grid. */
		if (status == GDP_OK && ldexp(1, -params->noise[i].exponent) > GDP_GRID_POINT_MAX)
			status = GDP_OUT_OF_RANGE;
	gaussdp_require_noise(status, key, params->sensitivity[ANSWERS]);
}

/*
 * By how many ranks 19 of 20 answers are off at most, in sigmas of one question.  Measured (test/unit/several.c), not proven, of values
 * that few rows share, in bounds that are far too wide.
 */
#define RANKS_OF_SEARCH 0.6

double
gaussdp_quantiles_half_width(const GaussdpParams *params, double n)
{
	return fmin(RANKS_OF_SEARCH * params->noise[ANSWERS].sigma, n);
}

/* ---------------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------------
 */

static void
count_value(GaussdpLeaves *leaves, double x)
{
	if (!isnan(x))
		gaussdp_count_leaf(leaves, gdp_leaf(&leaves->params->leaves, x), 1);
}

#define TRANSITION(type, value)                                                                    \
	PG_FUNCTION_INFO_V1(gaussdp_quantiles_##type##_accum);                                         \
	Datum gaussdp_quantiles_##type##_accum(PG_FUNCTION_ARGS)                                       \
	{                                                                                              \
		GaussdpLeaves *leaves = gaussdp_leaves_for_row(fcinfo, GAUSSDP_QUANTILES);                 \
                                                                                                   \
		if (!PG_ARGISNULL(1))                                                                      \
			count_value(leaves, value);                                                            \
		PG_RETURN_POINTER(leaves);                                                                 \
	}

GAUSSDP_FOR_EACH_TYPE(TRANSITION)

int
gaussdp_quantiles_parts(const GaussdpParams *params, double x, int64 weight,
						GaussdpPart parts[GAUSSDP_MAX_PARTS])
{
	if (weight < GAUSSDP_LEAST_WEIGHT)
		return 0;
	parts[0] = (GaussdpPart){2 * gdp_leaf(&params->leaves, x), weight};
	return 1;
}

/* quantiles_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_quantiles_weighted_accum(PG_FUNCTION_ARGS)
{
	GaussdpLeaves *leaves = gaussdp_weighted_leaves_for_row(fcinfo, GAUSSDP_QUANTILES);
	int64 weight = gaussdp_row_weight(fcinfo);
	double x = gaussdp_row_number(fcinfo);
	GaussdpPart parts[GAUSSDP_MAX_PARTS];

	if (!isnan(x) && gaussdp_quantiles_parts(leaves->params, x, weight, parts) == 1)
		gaussdp_add_leaf_part(leaves, parts[0].cell, parts[0].steps);
	PG_RETURN_POINTER(leaves);
}

/* ---------------------------------------------------------------------------
 * Release
 * ---------------------------------------------------------------------------
 */

GaussdpRanks
gaussdp_ranks_of(GaussdpLeaves *leaves)
{
	GaussdpRanks ranks = {0};
	GaussdpLeaf leaf;
	uint32 at = 0;

	gaussdp_sort_leaves(leaves);
	ranks.leaf = palloc(sizeof(int32) * (leaves->table.nused + 1));
	ranks.before = palloc(sizeof(gdp_int128) * (leaves->table.nused + 1));
	ranks.before[0] = 0;
	while (gaussdp_next_leaf(leaves, &at, &leaf))
	{
		ranks.leaf[ranks.n++] = leaf.leaf;
		ranks.before[ranks.n] = ranks.before[ranks.n - 1] + leaf.rows;
	}
	return ranks;
}

static gdp_int128
rows_before(const GaussdpRanks *ranks, int32 edge)
{
	uint32 low = 0, high = ranks->n;

	while (low < high)
	{
		uint32 middle = (low + high) / 2;

		if (ranks->leaf[middle] < edge)
			low = middle + 1;
		else
			high = middle;
	}
	return ranks->before[low];
}

/* So many steps of a row for each of some rows, rounded once where they are weighted. */
static gdp_int128
steps_of(const GaussdpParams *params, gdp_int128 steps)
{
	return params->key.weighted ? steps >> 31 : steps;
}

/* A row adds the first below an edge, and takes the second above it: one of them is one row, and none is more. */
static void
steps_of_row(double q, int exponent, int64_t *below, int64_t *above)
{
	double most = fmax(q, 1 - q);

	if (gdp_grid_bound((1 - q) / most, exponent, below) != GDP_OK ||
		gdp_grid_bound(q / most, exponent, above) != GDP_OK)
		elog(ERROR, "weights of a quantile do not fit its grid");
}

gdp_int128
gaussdp_part_answer(const GaussdpParams *params, const GaussdpRanks *ranks, int32 low, int32 high,
					double q, int32 edge)
{
	gdp_int128 rank = rows_before(ranks, edge);
	int64_t below, above;

	steps_of_row(q, params->noise[ANSWERS].exponent, &below, &above);
	return steps_of(params, (rank - rows_before(ranks, low)) * below -
								(rows_before(ranks, high) - rank) * above);
}

static void
search_part(const GaussdpParams *params, const GaussdpRanks *ranks, const gdp_part *part,
			gdp_search *search)
{
	const gdp_noise *noise = &params->noise[ANSWERS];
	int32_t edge;

	while (gdp_search_next(search, &edge))
	{
		gdp_int128 answer =
			gaussdp_part_answer(params, ranks, part->low, part->high, search->q, edge);

		gdp_search_answer(search, edge,
						  gdp_grid_value(gaussdp_add_noise(answer, noise), noise->exponent));
	}
}

/* How many rows there are, with noise. */
static double
draw_rows(const GaussdpParams *params, const GaussdpRanks *ranks)
{
	const gdp_noise *noise = &params->noise[ROWS];
	gdp_int128 row = (gdp_int128) 1 << -noise->exponent;
	gdp_int128 rows = steps_of(params, ranks->before[ranks->n] * row);

	return gdp_grid_value(gaussdp_add_noise(rows, noise), noise->exponent);
}

/* Quantiles 0 and 1 are those beyond which as many rows lie as beyond that of dp_quantile: 20 k / mu. */
#define ROWS_BEYOND 20

static void
search_all(GaussdpLeaves *leaves, double *results)
{
	const GaussdpParams *params = leaves->params;
	const GaussdpKey *key = &params->key;
	double sigma = params->noise[ANSWERS].sigma;
	int n = gaussdp_key_nqs(key);
	gdp_several *several = palloc(sizeof(gdp_several));
	gdp_search *search = palloc(sizeof(gdp_search));
	GaussdpRanks ranks = gaussdp_ranks_of(leaves);
	gdp_part part;

	gdp_several_begin(several, &params->leaves, key->qs, n, sigma, draw_rows(params, &ranks),
					  ROWS_BEYOND * sigma / params->sensitivity[ANSWERS] * params->rows);
	while (gdp_several_next(several, &part, search))
	{
		search_part(params, &ranks, &part, search);
		gdp_several_found(several, &part, search);
	}
	gdp_several_results(several, key->qs, results);
	pfree(ranks.leaf);
	pfree(ranks.before);
	pfree(search);
	pfree(several);
}

/* The leaves are forgotten. */
Datum
gaussdp_quantiles_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpLeaves *leaves = exact;
	int n = gaussdp_key_nqs(&leaves->params->key);
	Datum values[GAUSSDP_MAX_QS];

	if (!leaves->released)
	{
		leaves->several = MemoryContextAlloc(GetMemoryChunkContext(leaves), n * sizeof(double));
		search_all(leaves, leaves->several);
		gaussdp_forget_leaves(leaves);
	}
	for (int i = 0; i < n; i++)
		values[i] = Float8GetDatum(leaves->several[i]);
	return PointerGetDatum(
		construct_array(values, n, FLOAT8OID, sizeof(float8), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}
