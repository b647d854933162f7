/*
 * release.c
 *		From the exact integers of all servers to what is released: noise is drawn here.
 *
 * Reads sums and counts as PostgreSQL's aggregates hand them up; a group without rows has a null for its sum or its cells,
 * and gets noise like all others.  Hands numbers to the expression that the call stood in.  The functions are VOLATILE:
 * each evaluation is a release of its own.
 */
#include "postgres.h"

#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/numeric.h"

#include "aggregate/automatic.h"
#include "aggregate/leaves.h"
#include "citus/split.h"

PG_FUNCTION_INFO_V1(gaussdp_unbound_params);

/* Sums are smaller: of 2^63 rows with points of 2^51. */
#define MAX_TOTAL ((gdp_int128) 1 << 120)

static void
report_total(void)
{
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("the total of a private aggregate must be a whole number of less than "
						   "2^120")));
}

gdp_int128
gaussdp_split_total(FunctionCallInfo fcinfo, int i)
{
	gdp_int128 total = 0;
	const char *digit;
	char *text;
	bool negative;

	if (PG_ARGISNULL(i))
		return 0;
	text = DatumGetCString(DirectFunctionCall1(numeric_out, PG_GETARG_DATUM(i)));
	negative = text[0] == '-';
	for (digit = text + negative; *digit >= '0' && *digit <= '9'; digit++)
	{
		total = 10 * total + (*digit - '0');
		if (total >= MAX_TOTAL)
			report_total();
	}
	if (*digit != '\0')
		report_total();
	pfree(text);
	return negative ? -total : total;
}

/* The number of rows that argument i says; 0 where it is null. */
static int64
rows_of(FunctionCallInfo fcinfo, int i)
{
	return PG_ARGISNULL(i) ? 0 : Max(PG_GETARG_INT64(i), 0);
}

/* The parameters, argument i, which must be those of this kind. */
static const GaussdpParams *
params_of(FunctionCallInfo fcinfo, int i, GaussdpKind kind)
{
	const GaussdpParams *params = gaussdp_split_params(fcinfo, i);

	if (params->key.kind != (int32) kind || params->key.weighted)
		gaussdp_report_other_kind();
	return params;
}

/* The same of calls with cells, weighted or not. */
static const GaussdpParams *
params_of_cells(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	const GaussdpParams *params = gaussdp_split_params(fcinfo, 1);

	if (params->key.kind != (int32) kind)
		gaussdp_report_other_kind();
	return params;
}

/* (n int8, params) */
static GaussdpState *
counted(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpState *state = gaussdp_new_state(CurrentMemoryContext, params_of(fcinfo, 1, kind));

	state->n = rows_of(fcinfo, 0);
	return state;
}

/* (total numeric, params) */
static GaussdpState *
summed(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpState *state = gaussdp_new_state(CurrentMemoryContext, params_of(fcinfo, 1, kind));

	state->sum = gaussdp_split_total(fcinfo, 0);
	return state;
}

/* (total numeric, n int8, params) */
static GaussdpState *
averaged(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpState *state = gaussdp_new_state(CurrentMemoryContext, params_of(fcinfo, 2, kind));

	state->sum = gaussdp_split_total(fcinfo, 0);
	state->n = rows_of(fcinfo, 1);
	return state;
}

/* ---------------------------------------------------------------------------
 * Kinds with cells
 * ---------------------------------------------------------------------------
 */

/* (n int8, total numeric, squares numeric, params) */
static GaussdpCells *
varied(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells = gaussdp_new_cells(CurrentMemoryContext, params_of(fcinfo, 3, kind));

	cells->n = rows_of(fcinfo, 0);
	cells->sums[0] = gaussdp_split_total(fcinfo, 1);
	cells->sums[1] = gaussdp_split_total(fcinfo, 2);
	return cells;
}

/* The bins that argument 0 is; NULL for a group without rows. */
static const int64 *
numbers_of_argument(FunctionCallInfo fcinfo)
{
	int64 *numbers;

	if (PG_ARGISNULL(0))
		return NULL;
	numbers = gaussdp_numbers_of(PG_GETARG_ARRAYTYPE_P(0), GAUSSDP_AUTO_NUMBERS);
	if (numbers == NULL)
		gaussdp_report_cells();
	return numbers;
}

/* (sums int8[], params) */
static GaussdpCells *
celled(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells = gaussdp_new_cells(CurrentMemoryContext, params_of_cells(fcinfo, kind));
	bool weighted = cells->params->key.weighted;
	int n;
	const GaussdpPart *parts =
		gaussdp_sums_of_cells(fcinfo, weighted ? GAUSSDP_COUNT_CELL : 0, cells->ncells, &n);

	for (int i = 0; i < n; i++)
	{
		if (weighted)
			gaussdp_add_part(cells, parts[i].cell, parts[i].steps);
		else
		{
			int64 *count = &gaussdp_counts(cells)[parts[i].cell];

			*count = (int64) Min(Max(parts[i].steps, 0), PG_INT64_MAX);
			cells->n = gaussdp_count_add(cells->n, *count);
		}
	}
	return cells;
}

/* (sums int8[], params): leaves are two cells each. */
static GaussdpLeaves *
leaved(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	const GaussdpParams *params = params_of_cells(fcinfo, kind);
	GaussdpLeaves *leaves = gaussdp_new_leaves(CurrentMemoryContext, params, GAUSSDP_FIRST_SLOTS);
	int n;
	const GaussdpPart *parts = gaussdp_sums_of_cells(fcinfo, 0, 2 * params->leaves.n, &n);

	for (int i = 0; i < n; i++)
		gaussdp_add_leaf_part(leaves, parts[i].cell, parts[i].steps);
	return leaves;
}

/* (bins int8[], params), of weighted calls (sums int8[], params) */
static GaussdpCells *
found(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells = gaussdp_new_cells(CurrentMemoryContext, params_of_cells(fcinfo, kind));
	const int64 *numbers;
	int n = gaussdp_auto_ncells(kind);

	if (cells->params->key.weighted)
		return celled(fcinfo, kind);
	numbers = numbers_of_argument(fcinfo);
	for (int cell = 0; numbers != NULL && cell < n; cell++)
	{
		const int64 *halves = numbers + GAUSSDP_AUTO_CELLS + 2 * cell;

		cells->sums[cell] = numbers[cell];
		cells->sums[n + cell] = gaussdp_int128_of(halves[0], halves[1]);
		if (cell < GAUSSDP_AUTO_BINS)
			cells->n = gaussdp_count_add(cells->n, numbers[cell]);
	}
	return cells;
}

/* (bins int8[], params): their numbers of rows alone. */
static GaussdpCells *
bounded(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells = gaussdp_new_cells(CurrentMemoryContext, params_of(fcinfo, 1, kind));
	const int64 *numbers = numbers_of_argument(fcinfo);

	for (int bin = 0; numbers != NULL && bin < cells->ncells; bin++)
		gaussdp_counts(cells)[bin] = numbers[bin];
	return cells;
}

GAUSSDP_RELEASE(count, counted, GAUSSDP_COUNT, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(count_estimate, counted, GAUSSDP_COUNT, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(keep_group, counted, GAUSSDP_KEEP_GROUP, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(sum, summed, GAUSSDP_SUM, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(sum_estimate, summed, GAUSSDP_SUM, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(avg, averaged, GAUSSDP_AVG, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(avg_estimate, averaged, GAUSSDP_AVG, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(var, varied, GAUSSDP_VAR, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(stddev, varied, GAUSSDP_VAR, GAUSSDP_AS_ROOT)
GAUSSDP_RELEASE(var_estimate, varied, GAUSSDP_VAR, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(stddev_estimate, varied, GAUSSDP_VAR, GAUSSDP_AS_ROOT_ESTIMATE)
GAUSSDP_RELEASE(histogram, celled, GAUSSDP_HISTOGRAM, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(histogram_estimate, celled, GAUSSDP_HISTOGRAM, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(cdf, celled, GAUSSDP_CDF, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(quantile, leaved, GAUSSDP_QUANTILE, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(quantile_estimate, leaved, GAUSSDP_QUANTILE, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(quantiles, leaved, GAUSSDP_QUANTILES, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(bounds, bounded, GAUSSDP_BOUNDS, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(sum_auto, found, GAUSSDP_SUM_AUTO, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(sum_auto_estimate, found, GAUSSDP_SUM_AUTO, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(avg_auto, found, GAUSSDP_AVG_AUTO, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(avg_auto_estimate, found, GAUSSDP_AVG_AUTO, GAUSSDP_AS_ESTIMATE)

/*
 * unbound_params(): stands in plans that were made without the values of a query's parameters.  Such a plan has a cost that
 * lets PostgreSQL choose another one.
 */
Datum
gaussdp_unbound_params(PG_FUNCTION_ARGS)
{
	ereport(ERROR, (errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
					errmsg("parameters of private aggregates over distributed tables must be known "
						   "when the query is planned"),
					errhint("Set plan_cache_mode to auto or force_custom_plan, and write functions "
							"with query parameters in PL/pgSQL, not in SQL.")));
	PG_RETURN_NULL();
}
