/*
 * probe.c
 *		For tests: what the released library never shows. Final functions over the library's own
 *		transition functions that return the exact integers besides the noisy ones, and the noise,
 *		the buffer of random bits and the auditor's statistics as functions.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/syscache.h"

#include "aggregate/calls.h"
#include "aggregate/automatic.h"
#include "aggregate/leaves.h"
#include "aggregate/random.h"
#include "aggregate/state.h"
#include "reach.h"

PG_FUNCTION_INFO_V1(probe_count_final);
PG_FUNCTION_INFO_V1(probe_sum_final);
PG_FUNCTION_INFO_V1(probe_avg_final);
PG_FUNCTION_INFO_V1(probe_keep_group_final);
PG_FUNCTION_INFO_V1(probe_var_final);
PG_FUNCTION_INFO_V1(probe_histogram_final);
PG_FUNCTION_INFO_V1(probe_cdf_final);
PG_FUNCTION_INFO_V1(probe_quantile_final);
PG_FUNCTION_INFO_V1(probe_quantiles_final);
PG_FUNCTION_INFO_V1(probe_parts_final);
PG_FUNCTION_INFO_V1(probe_vector_sum_final);
PG_FUNCTION_INFO_V1(probe_vector_avg_final);
PG_FUNCTION_INFO_V1(probe_regression_final);
PG_FUNCTION_INFO_V1(probe_bounds_final);
PG_FUNCTION_INFO_V1(probe_sum_auto_final);
PG_FUNCTION_INFO_V1(probe_avg_auto_final);
PG_FUNCTION_INFO_V1(probe_auto_final);
PG_FUNCTION_INFO_V1(probe_narrow_final);
PG_FUNCTION_INFO_V1(test_noise);
PG_FUNCTION_INFO_V1(test_entropy);
PG_FUNCTION_INFO_V1(test_entropy_other_process);
PG_FUNCTION_INFO_V1(test_entropy_fails);
PG_FUNCTION_INFO_V1(test_entropy_repeats);
PG_FUNCTION_INFO_V1(test_audit_mu);
PG_FUNCTION_INFO_V1(test_call_cost);
PG_FUNCTION_INFO_V1(test_weighted);
PG_FUNCTION_INFO_V1(test_read_state);

/* Appends an integer of 128 bits in decimal, as an element of an array. */
static void
append_int128(StringInfo buf, gdp_int128 value)
{
	unsigned __int128 rest = value < 0 ? -(unsigned __int128) value : (unsigned __int128) value;
	char digits[48];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do
	{
		*--at = '0' + (char) (rest % 10);
		rest /= 10;
	} while (rest > 0);
	if (value < 0)
		*--at = '-';
	appendStringInfo(buf, "%s%s", buf->len > 1 ? "," : "", at);
}

/*
 * (exact numeric[], noisy numeric[], sensitivity numeric[], sigma_int numeric[], exponent numeric[]): the
 * first two have an element for each released number (a quantile's are explained there), the others one for each coordinate that is
 * calibrated on its own; all but the exponent in grid steps, sensitivities rounded down.
 */
static Datum
make_probe_of(FunctionCallInfo fcinfo, const GaussdpParams *params, int n, const gdp_int128 *exact,
			  int nnoisy, const gdp_int128 *noisy)
{
	StringInfoData column[5];
	char *values[5];
	TupleDesc tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "a probe returns a row");
	for (int i = 0; i < 5; i++)
	{
		initStringInfo(&column[i]);
		appendStringInfoChar(&column[i], '{');
	}
	for (int i = 0; i < n; i++)
		append_int128(&column[0], exact[i]);
	for (int i = 0; i < nnoisy; i++)
		append_int128(&column[1], noisy[i]);
	for (int i = 0; i < params->ncoords; i++)
	{
		append_int128(&column[2],
					  (gdp_int128) ldexp(params->sensitivity[i], -params->noise[i].exponent));
		append_int128(&column[3], params->noise[i].sigma_int);
		append_int128(&column[4], params->noise[i].exponent);
	}
	for (int i = 0; i < 5; i++)
	{
		appendStringInfoChar(&column[i], '}');
		values[i] = column[i].data;
	}
	return HeapTupleGetDatum(BuildTupleFromCStrings(TupleDescGetAttInMetadata(tupdesc), values));
}

static Datum
make_probe(FunctionCallInfo fcinfo, const GaussdpParams *params, int n, const gdp_int128 *exact,
		   const gdp_int128 *noisy)
{
	return make_probe_of(fcinfo, params, n, exact, noisy == NULL ? 0 : n, noisy);
}

Datum
probe_count_final(PG_FUNCTION_ARGS)
{
	GaussdpState *state = gaussdp_state_to_release(fcinfo, GAUSSDP_COUNT);
	gdp_int128 exact = gaussdp_count_of(state, &state->params->noise[0]);

	gaussdp_draw(state, exact);
	return make_probe(fcinfo, state->params, 1, &exact, &state->sum);
}

Datum
probe_sum_final(PG_FUNCTION_ARGS)
{
	GaussdpState *state = gaussdp_state_to_release(fcinfo, GAUSSDP_SUM);
	gdp_int128 exact = state->sum;

	gaussdp_draw(state, state->sum);
	return make_probe(fcinfo, state->params, 1, &exact, &state->sum);
}

/* The noisy numbers of an average are doubles, whole numbers of steps as long as 53 bits hold them. */
Datum
probe_avg_final(PG_FUNCTION_ARGS)
{
	GaussdpState *state = gaussdp_state_to_release(fcinfo, GAUSSDP_AVG);
	const gdp_noise *noise = state->params->noise;
	gdp_int128 exact[2] = {state->sum, gaussdp_count_of(state, &noise[1])};
	gdp_int128 noisy[2];

	gaussdp_draw_ratio(state);
	noisy[0] = (gdp_int128) ldexp(state->ratio.num, -noise[0].exponent);
	noisy[1] = (gdp_int128) ldexp(state->ratio.den, -noise[1].exponent);
	if (ldexp((double) noisy[0], noise[0].exponent) != state->ratio.num ||
		ldexp((double) noisy[1], noise[1].exponent) != state->ratio.den)
		elog(ERROR, "a released number is off the grid");
	return make_probe(fcinfo, state->params, 2, exact, noisy);
}

Datum
probe_keep_group_final(PG_FUNCTION_ARGS)
{
	GaussdpState *state = gaussdp_state_to_release(fcinfo, GAUSSDP_KEEP_GROUP);
	gdp_int128 exact = gaussdp_count_of(state, &state->params->noise[0]);

	return make_probe(fcinfo, state->params, 1, &exact, &state->params->threshold);
}

/* The exact cells of a state that releases several numbers, behind the number of rows if first. */
static Datum
probe_cells(FunctionCallInfo fcinfo, GaussdpKind kind, int count_coordinate, bool first)
{
	GaussdpCells *cells = gaussdp_cells_to_release(fcinfo, kind);
	gdp_int128 *exact = palloc((cells->ncells + 1) * sizeof(gdp_int128));
	int n = 0;

	if (first)
		exact[n++] = gaussdp_cells_count_of(cells, &cells->params->noise[count_coordinate]);
	for (int i = 0; i < cells->ncells; i++)
		exact[n++] = cells->wide ? cells->sums[i] : gaussdp_counts(cells)[i];
	return make_probe(fcinfo, cells->params, n, exact, NULL);
}

#define PROBE_CELLS(name, kind, count_coordinate, first)                                           \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		return probe_cells(fcinfo, kind, count_coordinate, first);                                 \
	}

PROBE_CELLS(probe_var_final, GAUSSDP_VAR, 0, true)
PROBE_CELLS(probe_histogram_final, GAUSSDP_HISTOGRAM, 0, false)
PROBE_CELLS(probe_vector_sum_final, GAUSSDP_VECTOR_SUM, 0, false)
PROBE_CELLS(probe_vector_avg_final, GAUSSDP_VECTOR_AVG, 1, true)
PROBE_CELLS(probe_regression_final, GAUSSDP_REGRESSION, 0, true)
PROBE_CELLS(probe_bounds_final, GAUSSDP_BOUNDS, 0, false)
PROBE_CELLS(probe_sum_auto_final, GAUSSDP_SUM_AUTO, 0, false)
PROBE_CELLS(probe_avg_auto_final, GAUSSDP_AVG_AUTO, 2, true)

/* The numbers of rows of the bins; where they are weighted, what is released, before noise, and, in the place of noisy numbers, the bins. */
Datum
probe_cdf_final(PG_FUNCTION_ARGS)
{
	GaussdpCells *cells = gaussdp_cells_to_release(fcinfo, GAUSSDP_CDF);

	if (!cells->wide)
		return probe_cells(fcinfo, GAUSSDP_CDF, 0, false);
	return make_probe(fcinfo, cells->params, cells->ncells, gaussdp_cdf_steps(cells), cells->sums);
}

#define QUANTILE_PARTS 1024

/*
 * The rows of a quantile in 1024 parts of its leaves, of weighted calls what they add below, then what they take above; and, in
 * the place of noisy numbers, each leaf that has rows and how many, or what they add and take.
 */
static Datum
probe_leaves(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpLeaves *leaves = gaussdp_leaves_to_release(fcinfo, kind);
	bool weighted = gaussdp_leaves_have_sums(leaves->params);
	gdp_int128 parts[2 * QUANTILE_PARTS] = {0};
	gdp_int128 *each = palloc((3 * leaves->table.nused + 1) * sizeof(gdp_int128));
	GaussdpLeaf leaf;
	uint32 at = 0;
	int n = 0;

	gaussdp_sort_leaves(leaves);
	while (gaussdp_next_leaf(leaves, &at, &leaf))
	{
		int part = (int) ((int64) leaf.leaf * QUANTILE_PARTS / leaves->params->leaves.n);

		parts[part] += weighted ? leaf.below : (gdp_int128) leaf.rows;
		parts[QUANTILE_PARTS + part] += leaf.above;
		each[n++] = leaf.leaf;
		each[n++] = weighted ? leaf.below : (gdp_int128) leaf.rows;
		if (weighted)
			each[n++] = leaf.above;
	}
	return make_probe_of(fcinfo, leaves->params, (weighted ? 2 : 1) * QUANTILE_PARTS, parts, n,
						 each);
}

Datum
probe_quantile_final(PG_FUNCTION_ARGS)
{
	return probe_leaves(fcinfo, GAUSSDP_QUANTILE);
}

Datum
probe_quantiles_final(PG_FUNCTION_ARGS)
{
	return probe_leaves(fcinfo, GAUSSDP_QUANTILES);
}

/*
 * probe_parts_final(internal) numeric[]: the exact answer to a question in each of five parts that leaves are divided into, and what
 * one row may move it by.
 */
Datum
probe_parts_final(PG_FUNCTION_ARGS)
{
	static const double cuts[] = {0, 0.2, 0.45, 0.46, 0.47, 1}, q[] = {0.3, 0.5, 0.001, 0.999, 0.9};
	GaussdpLeaves *leaves = gaussdp_leaves_to_release(fcinfo, GAUSSDP_QUANTILES);
	const GaussdpParams *params = leaves->params;
	GaussdpRanks ranks = gaussdp_ranks_of(leaves);
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfoChar(&buf, '{');
	for (size_t i = 0; i < lengthof(q); i++)
	{
		int32 low = (int32) (cuts[i] * params->leaves.n);
		int32 high = (int32) (cuts[i + 1] * params->leaves.n);

		append_int128(&buf, gaussdp_part_answer(params, &ranks, low, high, q[i], (low + high) / 2));
	}
	append_int128(&buf, (gdp_int128) ldexp(1, -params->noise[0].exponent));
	appendStringInfoChar(&buf, '}');
	PG_RETURN_DATUM(OidInputFunctionCall(F_ARRAY_IN, buf.data, NUMERICOID, -1));
}

/* The exact total of a sum, the most that a row may move it by, and the same two of an average's centred total. */
static void
append_totals(StringInfo buf, const GaussdpWithin *within, bool weighted, int exponent)
{
	int64 low, high;

	append_int128(buf, gaussdp_within_total(within, weighted, exponent, false, &low, &high));
	append_int128(buf, Max(-low, high));
	append_int128(buf, gaussdp_within_total(within, weighted, exponent, true, &low, &high));
	append_int128(buf, high - low);
}

/* probe_auto_final(internal) numeric[]: totals for several bounds and grids that a release of a sum could find */
Datum
probe_auto_final(PG_FUNCTION_ARGS)
{
	static const int bins[][2] = {{0, 259},   {130, 259}, {0, 129},   {129, 130}, {110, 150},
								  {190, 200}, {60, 70},   {195, 195}, {90, 158},  {101, 170}};
	GaussdpCells *cells = gaussdp_cells_to_release(fcinfo, GAUSSDP_SUM_AUTO);
	GaussdpWithin *within = palloc(sizeof(GaussdpWithin));
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfoChar(&buf, '{');
	for (size_t i = 0; i < lengthof(bins) * 3; i++)
	{
		const int *at = bins[i / 3];
		/* the larger outer edge: 2^(level - 64); 2^10, 2^20 or 2^30 steps of it */
		int level = Max(at[1] - 130, 129 - at[0]);

		gaussdp_within_bins(cells, at[0], at[1], within);
		append_totals(&buf, within, cells->params->key.weighted,
					  level - 64 - 10 * (int) (i % 3 + 1));
	}
	appendStringInfoChar(&buf, '}');
	return OidInputFunctionCall(F_ARRAY_IN, buf.data, NUMERICOID, -1);
}

/*
 * probe_narrow_final(internal) numeric[]: of an average, the same where a narrow span is found: 64 cells of each level next to 1000, 1.5 or
 * 2^-64, of either sign; and the grid that a release has
 */
Datum
probe_narrow_final(PG_FUNCTION_ARGS)
{
	static const double places[] = {1000, 1.5, 0x1p-64};
	static const int ends[][2] = {{0, 63}, {31, 32}, {40, 40}, {5, 50}};
	GaussdpCells *cells = gaussdp_cells_to_release(fcinfo, GAUSSDP_AVG_AUTO);
	GaussdpWithin *within = palloc(sizeof(GaussdpWithin));
	StringInfoData buf;

	initStringInfo(&buf);
	appendStringInfoChar(&buf, '{');
	for (int i = 0; i < 3 * 4 * 4 * 2; i++)
	{
		GaussdpFolded folded = {.negative = i % 2 == 1,
								.level = i / 2 % 4,
								.first = ends[i / 8 % 4][0],
								.last = ends[i / 8 % 4][1]};
		double place = places[i / 32];
		uint64 bits;

		memcpy(&bits, &place, sizeof(bits));
		folded.start = (int64) (bits >> (48 - GAUSSDP_FOLD_BITS * folded.level)) - 32;
		gaussdp_within_folds(cells, &folded, within);
		append_totals(&buf, within, cells->params->key.weighted,
					  ilogb(within->upper - within->lower) - (i % 3 == 0 ? 21 : 30));
	}
	appendStringInfoChar(&buf, '}');
	return OidInputFunctionCall(F_ARRAY_IN, buf.data, NUMERICOID, -1);
}

/* test_noise(sigma_int int8, n int4) int8[]: draws from the server's source */
Datum
test_noise(PG_FUNCTION_ARGS)
{
	gdp_noise noise = {.sigma_int = PG_GETARG_INT64(0)};
	int n = PG_GETARG_INT32(1);
	Datum *drawn = palloc(n * sizeof(Datum));

	for (int i = 0; i < n; i++)
		drawn[i] = Int64GetDatum((int64) gaussdp_add_noise(0, &noise));
	PG_RETURN_ARRAYTYPE_P(construct_array(drawn, n, INT8OID, sizeof(int64), true, 'd'));
}

/* The library's own buffer: what its aggregates draw from. */
static gdp_entropy *
library_entropy(void)
{
	static gdp_entropy *(*entropy)(void) = NULL;

	if (entropy == NULL)
		entropy = (gdp_entropy * (*) (void) ) test_reach("gaussdp_entropy");
	return entropy();
}

static int
used_words_left(const gdp_entropy *entropy)
{
	int found = 0;

	for (uint32 i = entropy->left; i < GDP_ENTROPY_WORDS; i++)
		found += entropy->words[i] != 0;
	return found;
}

/* test_entropy() int4[]: random words that wait in this process, and used ones that are not zero */
Datum
test_entropy(PG_FUNCTION_ARGS)
{
	gdp_entropy *entropy = library_entropy();
	Datum values[2] = {Int32GetDatum((int32) entropy->left),
					   Int32GetDatum(used_words_left(entropy))};

	PG_RETURN_ARRAYTYPE_P(construct_array(values, 2, INT4OID, sizeof(int32), true, 'i'));
}

/* test_entropy_other_process() int4: the words that a child with this memory would find */
Datum
test_entropy_other_process(PG_FUNCTION_ARGS)
{
	int pid = MyProcPid;
	gdp_entropy *entropy;
	int left;

	MyProcPid = -pid;
	entropy = library_entropy();
	left = (int) entropy->left + used_words_left(entropy);
	MyProcPid = pid;
	(void) library_entropy();
	PG_RETURN_INT32(left);
}

static bool
fill_fails(void *context, void *out, size_t len)
{
	memset(out, 1, len / 2);
	return false;
}

/* Marsaglia's xorshift: bits that are the same each time. */
static bool
fill_alike(void *context, void *out, size_t len)
{
	static uint32 state;
	uint32 *words = out;

	if (context != NULL)
		state = *(uint32 *) context;
	library_entropy()->context = NULL;
	for (size_t i = 0; i < len / sizeof(uint32); i++)
	{
		state ^= state << 13;
		state ^= state >> 17;
		state ^= state << 5;
		words[i] = state;
	}
	return true;
}

/* test_entropy_repeats(seed int4): the server's random bits are those that follow this number; a session of its own ends it */
Datum
test_entropy_repeats(PG_FUNCTION_ARGS)
{
	static uint32 seed;
	gdp_entropy *entropy = library_entropy();

	seed = (uint32) PG_GETARG_INT32(0);
	gdp_entropy_wipe(entropy);
	entropy->fill = fill_alike;
	entropy->context = &seed;
	PG_RETURN_VOID();
}

/* test_entropy_fails(fails bool): the server's source of random bits fails from now on, or no longer */
Datum
test_entropy_fails(PG_FUNCTION_ARGS)
{
	static bool (*strong)(void *context, void *out, size_t len) = NULL;
	gdp_entropy *entropy = library_entropy();

	if (strong == NULL)
		strong = entropy->fill;
	entropy->fill = PG_GETARG_BOOL(0) ? fill_fails : strong;
	gdp_entropy_wipe(entropy);
	PG_RETURN_VOID();
}

/* P(B <= k), B binomial(n, p) */
static double
binomial_cdf(int64 k, int64 n, double p)
{
	double sum = 0;

	for (int64 i = 0; i <= k; i++)
		sum += exp(lgamma(n + 1.0) - lgamma(i + 1.0) - lgamma(n - i + 1.0) + i * log(p) +
				   (n - i) * log1p(-p));
	return sum;
}

/* Clopper and Pearson's upper limit of a probability seen k times in n. */
static double
upper_limit(int64 k, int64 n, double alpha)
{
	double low = (double) k / n, high = 1;

	for (int i = 0; i < 60 && k < n; i++)
	{
		double middle = (low + high) / 2;

		if (binomial_cdf(k, n, middle) > alpha)
			low = middle;
		else
			high = middle;
	}
	return high;
}

/*
 * test_audit_mu(false_positives int8, false_negatives int8, n int8, alpha float8) float8: a lower bound,
 * with confidence 1 - alpha, of the mu of any mechanism whose outputs on two neighbours a test told
 * apart with these errors in n trials on each side
 */
Datum
test_audit_mu(PG_FUNCTION_ARGS)
{
	int64 n = PG_GETARG_INT64(2);
	double alpha = PG_GETARG_FLOAT8(3);
	double a = upper_limit(PG_GETARG_INT64(0), n, alpha / 2);
	double b = upper_limit(PG_GETARG_INT64(1), n, alpha / 2);

	PG_RETURN_FLOAT8(gdp_norm_upper_quantile(a) - gdp_norm_quantile(b));
}

/* A call, and its parameters from an array of numbers. */
static void
read_call(Oid aggregate, ArrayType *array, GaussdpCall *call, Datum *values)
{
	const double *given = (const double *) ARR_DATA_PTR(array);
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(aggregate));
	const oidvector *types = &((Form_pg_proc) GETSTRUCT(tuple))->proargtypes;

	if (!gaussdp_call_of(aggregate, call) || ARR_DIMS(array)[0] < call->nparams)
		elog(ERROR, "no such call");
	for (int i = 0; i < call->nparams; i++)
		values[i] = types->values[call->first + i] == INT8OID ? Int64GetDatum((int64) given[i])
															  : Float8GetDatum(given[i]);
	/* All that is left is an array's. */
	if (types->values[call->first + call->nparams - 1] == FLOAT8ARRAYOID)
	{
		int before = call->nparams - 1, n = ARR_DIMS(array)[0] - before;
		Datum *elements = palloc(n * sizeof(Datum));

		for (int i = 0; i < n; i++)
			elements[i] = Float8GetDatum(given[before + i]);
		values[before] = PointerGetDatum(construct_array(elements, n, FLOAT8OID, 8, true, 'd'));
	}
	ReleaseSysCache(tuple);
}

static const bool no_nulls[GAUSSDP_MAX_PARAMS] = {false};

/*
 * test_call_cost(call regprocedure, params float8[], rows float8) float8[]: mu^2 and the threshold's delta, as
 * the policy is told
 */
Datum
test_call_cost(PG_FUNCTION_ARGS)
{
	Datum values[GAUSSDP_MAX_PARAMS];
	GaussdpCall call;
	GaussdpCost cost;
	Datum result[2];

	read_call(PG_GETARG_OID(0), PG_GETARG_ARRAYTYPE_P(1), &call, values);
	gaussdp_call_cost(&call, values, no_nulls, PG_GETARG_FLOAT8(2), &cost);
	result[0] = Float8GetDatum(cost.mu_squared);
	result[1] = Float8GetDatum(cost.threshold_delta);
	PG_RETURN_ARRAYTYPE_P(construct_array(result, 2, FLOAT8OID, 8, true, 'd'));
}

/*
 * test_weighted(call regprocedure, params float8[], k float8, max_groups float8, smallest float8, OUT kind int4, OUT aggregate regprocedure,
 * OUT params float8[], OUT cost float8[], OUT own_k float8, OUT by_value bool, OUT counted_rows float8[], OUT counted_people float8[]): what the
 * policy is told of a call's weighted form; the last two are the delta of showing groups, and the smallest number
 */
Datum
test_weighted(PG_FUNCTION_ARGS)
{
	Datum values[GAUSSDP_MAX_PARAMS], result[8], pair[2];
	bool nulls[8] = {false};
	double k = PG_GETARG_FLOAT8(2), smallest;
	GaussdpCall call;
	GaussdpCost cost;
	TupleDesc tupdesc;

	if (get_call_result_type(fcinfo, NULL, &tupdesc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "test_weighted returns a row");
	read_call(PG_GETARG_OID(0), PG_GETARG_ARRAYTYPE_P(1), &call, values);
	gaussdp_weighted_cost(&call, values, no_nulls, k, &cost);
	result[0] = Int32GetDatum(call.kind);
	result[1] = ObjectIdGetDatum(gaussdp_weighted_aggregate(&call));
	result[2] = gaussdp_weighted_params(&call, values, no_nulls, k)->constvalue;
	pair[0] = Float8GetDatum(cost.mu_squared);
	pair[1] = Float8GetDatum(cost.threshold_delta);
	result[3] = PointerGetDatum(construct_array(pair, 2, FLOAT8OID, 8, true, 'd'));
	result[4] = Float8GetDatum(gaussdp_call_rows(&call, values, no_nulls, -1));
	result[5] = BoolGetDatum(call.sized_by_value);
	for (int i = 0; i < 2; i++)
	{
		nulls[6 + i] = !call.hides_groups;
		if (!call.hides_groups)
			continue;
		pair[0] = Float8GetDatum(gaussdp_weighted_hiding(
			&call, values, no_nulls, k, i == 0 ? GAUSSDP_COUNTED_ROWS : GAUSSDP_COUNTED_PEOPLE,
			PG_GETARG_FLOAT8(3), PG_GETARG_FLOAT8(4), &smallest));
		pair[1] = Float8GetDatum(smallest);
		result[6 + i] = PointerGetDatum(construct_array(pair, 2, FLOAT8OID, 8, true, 'd'));
	}
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(tupdesc), result, nulls));
}

/* test_read_state(call regprocedure, params float8[], k float8, state bytea): what is released takes the state; weighted by k, unless it is 0 */
Datum
test_read_state(PG_FUNCTION_ARGS)
{
	double k = PG_GETARG_FLOAT8(2);
	Datum values[GAUSSDP_MAX_PARAMS];
	GaussdpCall call;

	read_call(PG_GETARG_OID(0), PG_GETARG_ARRAYTYPE_P(1), &call, values);
	(void) gaussdp_read_state(
		gaussdp_prepare_call_release(&call, values, no_nulls, k > 0, k, FLOAT8OID),
		PG_GETARG_BYTEA_PP(3));
	PG_RETURN_VOID();
}
