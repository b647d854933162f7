/*
 * quantile.c
 *		dp_quantile and dp_median: a noisy search on exact counts.
 *
 * Reads parameters from args.c, leaves from leaves.c and noise from random.c; hands a float8 to the executor.
 *
 * The rows are counted in leaves between the bounds (core/leaves.c).  48 questions ask, each with fresh noise, for
 *		f(m) = sum over rows of (1 - q if x < m, else -q)
 * at an edge m that follows from the answers before (core/search.c).  A row moves f(m) by at most max(q, 1 - q)
 * whatever m is, so that answers of sigma = max(q, 1 - q) sqrt(48) / mu compose to mu-GDP, although each m depends on the
 * answers before (docs/mathematics.md).  Where they are asked, and what is made of them, is post-processing.
 *
 * The smallest and the largest value are one person's.  So q = 0 and q = 1 mean the value beyond which a fixed number of rows lies, which noise
 * hides: 20 k / mu, or half of the rows where there are fewer than twice as many.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "aggregate/cells.h"
#include "aggregate/leaves.h"
#include "aggregate/weighted.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_quantile_weighted_accum);

/* dp_median has no q among its parameters. */
static double
which_quantile(const GaussdpKey *key)
{
	return gaussdp_param_or(key, GAUSSDP_PARAM_Q, 0.5);
}

void
gaussdp_quantile_calibrate(GaussdpParams *params)
{
	const GaussdpKey *key = &params->key;
	double q = which_quantile(key), most = fmax(q, 1 - q);
	gdp_coordinate all = {.share = 1, .max_exponent = -10};

	params->lower = gaussdp_param(key, GAUSSDP_PARAM_LOWER);
	params->upper = gaussdp_param(key, GAUSSDP_PARAM_UPPER);
	gaussdp_check_bounds(params->lower, params->upper);
	if (!(q >= 0 && q <= 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("q is out of range: %s", float8out_internal(q)),
						errdetail("q must be at least 0 and at most 1.")));
	gdp_leaves_between(params->lower, params->upper,
					   key->digits > 0 ? key->digits - 1 : GDP_NO_SCALE, &params->leaves);

	/* All answers together are one vector with a common sigma. */
	params->rows = gaussdp_rows_or(key, 1);
	gaussdp_check_rows(params->rows);
	all.l2_sensitivity = nextafter(GDP_SEARCH_SQRT_STEPS * most, INFINITY);
	if (params->rows > 1)
		all.l2_sensitivity = nextafter(params->rows * all.l2_sensitivity, INFINITY);
	params->ncoords = 1;
	params->sensitivity[0] = all.l2_sensitivity;
	gaussdp_require_noise(gdp_noise_joint(gaussdp_param(key, GAUSSDP_PARAM_EPSILON),
										  gaussdp_param(key, GAUSSDP_PARAM_DELTA), 1, &all,
										  &params->noise[0]),
						  key, all.l2_sensitivity);
}

/*
 * By how many ranks 19 of 20 answers are off at most, in sigmas of one question, in bounds that are far too wide; 0.3 in good
 * ones.  Measured (test/unit/search.c), not proven, of values that few rows share: an answer may lie next to a value that many
 * rows have.
 */
#define RANKS_OF_SEARCH 1.1

double
gaussdp_quantile_half_width(const GaussdpParams *params, double n)
{
	return fmin(RANKS_OF_SEARCH * params->noise[0].sigma, n);
}

/*
 * What a row adds to f(m), in steps, where it is below m, and what it takes where it is not.  Toward zero: it
 * never exceeds what the noise was made for.
 */
static void
steps_of_row(const GaussdpParams *params, int64_t *below, int64_t *above)
{
	double q = which_quantile(&params->key);

	if (gdp_grid_bound(1 - q, params->noise[0].exponent, below) != GDP_OK ||
		gdp_grid_bound(q, params->noise[0].exponent, above) != GDP_OK)
		elog(ERROR, "weights of a quantile do not fit its grid");
}

static void
count_value(GaussdpLeaves *leaves, double x)
{
	if (!isnan(x))
		gaussdp_count_leaf(leaves, gdp_leaf(&leaves->params->leaves, x), 1);
}

#define TRANSITION(type, value)                                                                    \
	PG_FUNCTION_INFO_V1(gaussdp_quantile_##type##_accum);                                          \
	Datum gaussdp_quantile_##type##_accum(PG_FUNCTION_ARGS)                                        \
	{                                                                                              \
		GaussdpLeaves *leaves = gaussdp_leaves_for_row(fcinfo, GAUSSDP_QUANTILE);                  \
                                                                                                   \
		if (!PG_ARGISNULL(1))                                                                      \
			count_value(leaves, value);                                                            \
		PG_RETURN_POINTER(leaves);                                                                 \
	}

GAUSSDP_FOR_EACH_TYPE(TRANSITION)

int
gaussdp_quantile_parts(const GaussdpParams *params, double x, int64 weight,
					   GaussdpPart parts[GAUSSDP_MAX_PARTS])
{
	int32 leaf = gdp_leaf(&params->leaves, x);
	int64_t below, above;

	steps_of_row(params, &below, &above);
	parts[0] = (GaussdpPart){2 * leaf, gdp_weigh(below, weight)};
	parts[1] = (GaussdpPart){2 * leaf + 1, gdp_weigh(above, weight)};
	return 2;
}

/* quantile_weighted_accum(internal, int8, float8[], "any") */
Datum
gaussdp_quantile_weighted_accum(PG_FUNCTION_ARGS)
{
	GaussdpLeaves *leaves = gaussdp_weighted_leaves_for_row(fcinfo, GAUSSDP_QUANTILE);
	int64 weight = gaussdp_row_weight(fcinfo);
	double x = gaussdp_row_number(fcinfo);
	GaussdpPart parts[GAUSSDP_MAX_PARTS];

	if (isnan(x))
		PG_RETURN_POINTER(leaves);
	(void) gaussdp_quantile_parts(leaves->params, x, weight, parts);
	gaussdp_weigh_leaf(leaves, parts[0].cell / 2, parts[0].steps, parts[1].steps);
	PG_RETURN_POINTER(leaves);
}

/* f between occupied leaves: f[i] at all edges above leaf[i - 1] and not above leaf[i]. */
typedef struct Curve
{
	uint32 n;
	int32 *leaf;
	gdp_int128 *f; /* n + 1 of them */
} Curve;

/* So many sigmas of one question are 20 k / mu rows. */
#define SIGMAS_BEYOND (20 / GDP_SEARCH_SQRT_STEPS)

/*
 * By what f is moved, so that its sign changes not at the first row or the last one but where enough rows are beyond: all rows together
 * weigh this total.  A row moves the total by as much as f on one side of it, and half of the total by half of that, in the same
 * direction: f is moved by no more than before.
 */
static gdp_int128
beyond_extreme(const GaussdpParams *params, gdp_int128 total)
{
	const gdp_noise *noise = &params->noise[0];
	int64_t rows;

	if (gdp_grid_bound(SIGMAS_BEYOND * noise->sigma, noise->exponent, &rows) != GDP_OK)
		rows = PG_INT64_MAX;
	return total / 2 < rows ? total / 2 : rows;
}

static void
move_from_extreme(Curve *curve, const GaussdpParams *params)
{
	double q = which_quantile(&params->key);
	gdp_int128 beyond;

	if (q > 0 && q < 1)
		return;
	beyond = beyond_extreme(params, curve->f[curve->n] - curve->f[0]);
	for (uint32 i = 0; i <= curve->n; i++)
		curve->f[i] += q > 0 ? beyond : -beyond;
}

/* f below all leaves is what all rows take; each leaf that is passed no longer takes, and adds. */
static Curve
curve_of(GaussdpLeaves *leaves)
{
	Curve curve = {0};
	GaussdpLeaf leaf;
	int64_t below, above;
	uint32 at = 0;

	steps_of_row(leaves->params, &below, &above);
	gaussdp_sort_leaves(leaves);
	curve.leaf = palloc(sizeof(int32) * (leaves->table.nused + 1));
	curve.f = palloc(sizeof(gdp_int128) * (leaves->table.nused + 1));
	curve.f[0] = 0;
	while (gaussdp_next_leaf(leaves, &at, &leaf))
	{
		if (!leaves->params->key.weighted)
		{
			leaf.below = (gdp_int128) leaf.rows * below;
			leaf.above = (gdp_int128) leaf.rows * above;
		}
		curve.leaf[curve.n++] = leaf.leaf;
		curve.f[curve.n] = gaussdp_sum_add(leaf.below, leaf.above);
		curve.f[0] = gaussdp_sum_add(curve.f[0], -leaf.above);
	}
	for (uint32 i = 1; i <= curve.n; i++)
		curve.f[i] = gaussdp_sum_add(curve.f[i - 1], curve.f[i]);
	move_from_extreme(&curve, leaves->params);
	return curve;
}

/* f at an edge: of the leaves below it. */
static gdp_int128
curve_at(const Curve *curve, int32 edge)
{
	uint32 low = 0, high = curve->n;

	while (low < high)
	{
		uint32 middle = (low + high) / 2;

		if (curve->leaf[middle] < edge)
			low = middle + 1;
		else
			high = middle;
	}
	return curve->f[low];
}

/* All edges but the bounds, which are not asked for. */
static GaussdpAsked
asked_of(const gdp_search *search)
{
	GaussdpAsked asked = {.n = search->n - 2};

	for (int i = 0; i < asked.n; i++)
	{
		const gdp_asked *edge = &search->edges[i + 1];

		asked.at[i] = gdp_leaf_edge(search->leaves, edge->edge) / search->leaves->factor;
		asked.answer[i] = edge->sum;
		asked.sd[i] = search->sigma * sqrt(edge->times);
	}
	return asked;
}

/* The quantile; *asked, where it is wanted, says how it was found. */
static double
search(GaussdpLeaves *leaves, GaussdpAsked *asked)
{
	const GaussdpParams *params = leaves->params;
	const gdp_noise *noise = &params->noise[0];
	Curve curve = curve_of(leaves);
	gdp_search search;
	int32_t edge;

	gdp_search_begin(&search, &params->leaves, which_quantile(&params->key), noise->sigma);
	while (gdp_search_next(&search, &edge))
		gdp_search_answer(
			&search, edge,
			gdp_grid_value(gaussdp_add_noise(curve_at(&curve, edge), noise), noise->exponent));
	pfree(curve.leaf);
	pfree(curve.f);
	if (asked != NULL)
		*asked = asked_of(&search);
	return gdp_search_result(&search);
}

/* The leaves are forgotten. */
Datum
gaussdp_quantile_release(void *exact, GaussdpAnswer answer, Oid type)
{
	GaussdpLeaves *leaves = exact;

	if (!leaves->released)
	{
		if (answer == GAUSSDP_AS_ESTIMATE)
			leaves->asked = MemoryContextAlloc(GetMemoryChunkContext(leaves), sizeof(GaussdpAsked));
		leaves->result = search(leaves, leaves->asked);
		gaussdp_forget_leaves(leaves);
	}
	if (answer == GAUSSDP_AS_ESTIMATE)
		return gaussdp_estimate_quantile(type, leaves->result, leaves->params->lower,
										 leaves->params->upper, leaves->asked);
	return Float8GetDatum(leaves->result);
}
