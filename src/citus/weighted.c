/*
 * weighted.c
 *		Weighted calls, which the policy puts in the place of calls over people who own many rows, as sums that Citus can
 *		split, and their releases.
 *
 *		count, keep_group	release(sum(weighted_row(m, P)), P)
 *		sum					release(sum(total_number(T, 0)), P)
 *		avg					release(sum(total_number(T, 0)), sum(total_number(T, 1)), P)
 *		var					release(sum(total_number(T, 1)), sum(total_number(T, 0)), sum(total_number(T, 2)), P)
 *		kinds of cells		release(cell_sums(weighted_cells(m, x, P)), P), the release being that of calls without weights (cell_sums.c)
 *
 * T is the clipped total of a person in a group.  A row that does not count has no weight, and adds what the weighted aggregate's
 * transition adds.  Arrays have no such form.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"

#include "aggregate/calls.h"
#include "aggregate/cells.h"
#include "aggregate/weighted.h"
#include "citus/split.h"

PG_FUNCTION_INFO_V1(gaussdp_split_weighted_row);
PG_FUNCTION_INFO_V1(gaussdp_split_total_number);

/* ---------------------------------------------------------------------------
 * Planning
 * ---------------------------------------------------------------------------
 */

const char *
gaussdp_split_problem(const Aggref *aggref)
{
	GaussdpCall call;

	if (!gaussdp_call_of(aggref->aggfnoid, &call))
		return "a call is not known to Citus";
	if (aggref->aggdistinct != NIL && call.kind != GAUSSDP_COUNT)
		return psprintf("Citus cannot split %s(DISTINCT ...) between its servers", call.name);
	if (call.kind == GAUSSDP_VECTOR_SUM || call.kind == GAUSSDP_VECTOR_AVG ||
		call.kind == GAUSSDP_REGRESSION)
		return "Citus cannot split calls over arrays between its servers";
	return NULL;
}

/* The call's parameters, an array of numbers behind weight or total, as bytes. */
static Expr *
params_of(const Aggref *aggref, GaussdpKind kind)
{
	const Const *given = castNode(Const, lsecond_node(TargetEntry, aggref->args)->expr);
	GaussdpParams params;
	GaussdpKey key;

	gaussdp_key_unpack(&key, kind, true, given->constvalue, given->constisnull);
	if (list_length(aggref->args) >= GAUSSDP_WEIGHTED_VALUE)
		gaussdp_key_set_digits(
			&key, list_nth_node(TargetEntry, aggref->args, GAUSSDP_WEIGHTED_VALUE - 1)->expr);
	gaussdp_params_fill(&params, &key);
	return (Expr *) makeConst(BYTEAOID, -1, InvalidOid, -1,
							  PointerGetDatum(gaussdp_params_to_bytes(&params)), false, false);
}

/* The sum of a function of weight, value, where it has one, and parameters. */
static Expr *
sum_of(const Aggref *aggref, Oid sum, const char *function, Expr *params)
{
	List *arguments = list_make1(copyObject(linitial_node(TargetEntry, aggref->args)->expr));

	if (strcmp(function, "weighted_row") != 0)
		arguments = lappend(arguments, gaussdp_split_value(aggref, GAUSSDP_WEIGHTED_VALUE - 1));
	return gaussdp_split_aggregate(
		aggref, sum, gaussdp_split_function(function, lappend(arguments, copyObject(params))));
}

/* The sum of one number of the call's totals: the sum, the count, or the sum of squares. */
static Expr *
sum_of_totals(const Aggref *aggref, int number)
{
	List *arguments = list_make2(
		copyObject(linitial_node(TargetEntry, aggref->args)->expr),
		makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(number), false, true));

	return gaussdp_split_aggregate(aggref, F_SUM_NUMERIC,
								   gaussdp_split_function("total_number", arguments));
}

GaussdpSplitCall
gaussdp_split_weighted_call(const GaussdpCall *call, const Aggref *aggref)
{
	bool is_of_cells = gaussdp_descriptor(call->kind)->parts != NULL;
	GaussdpSplitCall result = {0};

	result.release = psprintf("release_%s%s%s", call->name + strlen("dp_"),
							  call->is_estimate ? "_estimate" : "", is_of_cells ? "" : "_weighted");
	result.params = params_of(aggref, call->kind);
	switch (call->kind)
	{
		case GAUSSDP_COUNT:
		case GAUSSDP_KEEP_GROUP:
			result.parts = list_make1(sum_of(aggref, F_SUM_INT8, "weighted_row", result.params));
			break;
		case GAUSSDP_SUM:
			result.parts = list_make1(sum_of_totals(aggref, 0));
			break;
		case GAUSSDP_AVG:
			result.parts = list_make2(sum_of_totals(aggref, 0), sum_of_totals(aggref, 1));
			break;
		case GAUSSDP_VAR:
			result.parts = list_make3(sum_of_totals(aggref, 1), sum_of_totals(aggref, 0),
									  sum_of_totals(aggref, 2));
			break;
		default:
			if (!is_of_cells)
				elog(ERROR, "a weighted %s cannot be split", call->name);
			result.parts = list_make1(
				sum_of(aggref, gaussdp_own_function("cell_sums", list_make1_oid(INT8ARRAYOID)),
					   "weighted_cells", result.params));
			break;
	}
	return result;
}

/* ---------------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------------
 */

const GaussdpParams *
gaussdp_weighted_params_of(FunctionCallInfo fcinfo, int argument)
{
	const GaussdpParams *params = gaussdp_split_params(fcinfo, argument);

	if (!params->key.weighted)
		gaussdp_report_other_kind();
	return params;
}

/* weighted_row(int8, bytea): one row, in steps of the grid of the call's count. */
Datum
gaussdp_split_weighted_row(PG_FUNCTION_ARGS)
{
	const GaussdpParams *params = gaussdp_weighted_params_of(fcinfo, 1);

	if (params->key.kind != GAUSSDP_COUNT && params->key.kind != GAUSSDP_KEEP_GROUP)
		gaussdp_report_other_kind();
	PG_RETURN_INT64((int64) gaussdp_weighted_one(&params->noise[0], gaussdp_split_weight(fcinfo)));
}

/* The integer as a numeric. */
static Datum
numeric_of(gdp_int128 value)
{
	char text[48];
	char *at = text + sizeof(text);
	unsigned __int128 rest = value < 0 ? -(unsigned __int128) value : (unsigned __int128) value;

	*--at = '\0';
	do
	{
		*--at = (char) ('0' + (int) (rest % 10));
		rest /= 10;
	} while (rest > 0);
	if (value < 0)
		*--at = '-';
	return DirectFunctionCall3(numeric_in, CStringGetDatum(at), ObjectIdGetDatum(InvalidOid),
							   Int32GetDatum(-1));
}

/* total_number(bytea, int4): the sum of a total, its count, or its sum of squares. */
Datum
gaussdp_split_total_number(PG_FUNCTION_ARGS)
{
	GaussdpTotal total = gaussdp_unpack_total(PG_GETARG_BYTEA_PP(0));

	switch (PG_GETARG_INT32(1))
	{
		case 0:
			return numeric_of(total.sum);
		case 1:
			return numeric_of(total.count);
		case 2:
			return numeric_of(total.squares);
		default:
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("number is out of range: %d", PG_GETARG_INT32(1)),
							errdetail("It must be 0, 1 or 2.")));
	}
}

/* ---------------------------------------------------------------------------
 * Releases
 * ---------------------------------------------------------------------------
 */

/* The parameters, argument i, which must be those of this kind. */
static const GaussdpParams *
params_of_release(FunctionCallInfo fcinfo, int i, GaussdpKind kind)
{
	const GaussdpParams *params = gaussdp_weighted_params_of(fcinfo, i);

	if (params->key.kind != (int32) kind)
		gaussdp_report_other_kind();
	return params;
}

static GaussdpWeightedState *
new_weighted_state(FunctionCallInfo fcinfo, int params, GaussdpKind kind)
{
	return (GaussdpWeightedState *) gaussdp_new_state(CurrentMemoryContext,
													  params_of_release(fcinfo, params, kind));
}

/* (n numeric, params) */
static GaussdpWeightedState *
counted(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpWeightedState *weighted = new_weighted_state(fcinfo, 1, kind);

	weighted->count = gaussdp_split_total(fcinfo, 0);
	return weighted;
}

/* (total numeric, params) */
static GaussdpWeightedState *
summed(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpWeightedState *weighted = new_weighted_state(fcinfo, 1, kind);

	weighted->state.sum = gaussdp_split_total(fcinfo, 0);
	return weighted;
}

/* (total numeric, n numeric, params) */
static GaussdpWeightedState *
averaged(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpWeightedState *weighted = new_weighted_state(fcinfo, 2, kind);

	weighted->state.sum = gaussdp_split_total(fcinfo, 0);
	weighted->count = gaussdp_split_total(fcinfo, 1);
	return weighted;
}

/* (n numeric, total numeric, squares numeric, params) */
static GaussdpCells *
varied(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells =
		gaussdp_new_cells(CurrentMemoryContext, params_of_release(fcinfo, 3, kind));

	cells->count = gaussdp_split_total(fcinfo, 0);
	cells->sums[0] = gaussdp_split_total(fcinfo, 1);
	cells->sums[1] = gaussdp_split_total(fcinfo, 2);
	return cells;
}

GAUSSDP_RELEASE(count_weighted, counted, GAUSSDP_COUNT, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(count_estimate_weighted, counted, GAUSSDP_COUNT, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(keep_group_weighted, counted, GAUSSDP_KEEP_GROUP, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(sum_weighted, summed, GAUSSDP_SUM, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(sum_estimate_weighted, summed, GAUSSDP_SUM, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(avg_weighted, averaged, GAUSSDP_AVG, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(avg_estimate_weighted, averaged, GAUSSDP_AVG, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(var_weighted, varied, GAUSSDP_VAR, GAUSSDP_AS_NUMBER)
GAUSSDP_RELEASE(stddev_weighted, varied, GAUSSDP_VAR, GAUSSDP_AS_ROOT)
GAUSSDP_RELEASE(var_estimate_weighted, varied, GAUSSDP_VAR, GAUSSDP_AS_ESTIMATE)
GAUSSDP_RELEASE(stddev_estimate_weighted, varied, GAUSSDP_VAR, GAUSSDP_AS_ROOT_ESTIMATE)
