/*
 * weighted.c
 *		Rows of the weighted aggregates, which the policy puts in the place of calls over people who own many
 *		rows: their weights and values.
 *
 * Reads arguments of transitions; used by the kinds' own files, whose transitions add
 * trunc(c m / 2^31) where the call as analysts write it adds c (core/weight.c has the theorem).
 *
 * Invariants
 *		Whatever the arguments are, a row adds at most what m allows; they are looked at for each row, since
 *		anyone may call these aggregates.  A total adds what it says: the policy makes totals of rows that it has weighed.
 *		A weight is computed from rows, and no part of a message.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "aggregate/cells.h"
#include "aggregate/weighted.h"

PG_FUNCTION_INFO_V1(gaussdp_count_total_accum);
PG_FUNCTION_INFO_V1(gaussdp_sum_total_accum);
PG_FUNCTION_INFO_V1(gaussdp_avg_total_accum);
PG_FUNCTION_INFO_V1(gaussdp_var_total_accum);
PG_FUNCTION_INFO_V1(gaussdp_keep_group_total_accum);

int64
gaussdp_unusual_weight(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(1) ? 0 : gaussdp_checked_weight(PG_GETARG_INT64(1));
}

int64
gaussdp_checked_weight(int64 weight)
{
	if (weight < 0 || weight > GDP_WEIGHT_ROW)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the weight of a row is out of range"),
						errdetail("Weights must be from 0 to " INT64_FORMAT ".", GDP_WEIGHT_ROW)));
	return weight;
}

Oid
gaussdp_value_type(FunctionCallInfo fcinfo, int argument)
{
	Oid type = get_fn_expr_argtype(fcinfo->flinfo, argument);

	return OidIsValid(type) ? getBaseType(type) : InvalidOid;
}

Oid
gaussdp_look_up_row_value_type(FunctionCallInfo fcinfo)
{
	GaussdpSite *site = fcinfo->flinfo->fn_extra;
	Oid type = gaussdp_value_type(fcinfo, GAUSSDP_WEIGHTED_VALUE);

	if (site != NULL)
		site->value_type = type;
	return type;
}

double
gaussdp_other_number_of(Datum value, Oid type)
{
	switch (type)
	{
		case INT2OID:
			return DatumGetInt16(value);
		case INT4OID:
			return DatumGetInt32(value);
		case INT8OID:
			return (double) DatumGetInt64(value);
		case FLOAT4OID:
			return DatumGetFloat4(value);
		case NUMERICOID:
			return gaussdp_numeric_to_double(value);
		default:
			ereport(ERROR,
					(errcode(ERRCODE_DATATYPE_MISMATCH), errmsg("the value must be a number")));
	}
}

Oid
gaussdp_array_element_type(Oid type)
{
	switch (type)
	{
		case INT2ARRAYOID:
			return INT2OID;
		case INT4ARRAYOID:
			return INT4OID;
		case INT8ARRAYOID:
			return INT8OID;
		case FLOAT4ARRAYOID:
			return FLOAT4OID;
		case FLOAT8ARRAYOID:
			return FLOAT8OID;
		case NUMERICARRAYOID:
			return NUMERICOID;
		default:
			return InvalidOid;
	}
}

/* ---------------------------------------------------------------------------
 * Totals
 * ---------------------------------------------------------------------------
 * Sum, count and, where it is not 0, the sum of squares, as integers of 64 bits, or of 128, as this machine has them: they do not leave the
 * query.
 */

#define MOST_NUMBERS 3

void
gaussdp_pack_total(const GaussdpTotal *total, char packed[GAUSSDP_PACKED_TOTAL])
{
	gdp_int128 wide[MOST_NUMBERS] = {total->sum, total->count, total->squares};
	int64 narrow[MOST_NUMBERS];
	int n = total->squares != 0 ? MOST_NUMBERS : MOST_NUMBERS - 1;
	bool is_narrow = true;
	Size length;

	for (int i = 0; i < n; i++)
	{
		narrow[i] = (int64) wide[i];
		is_narrow = is_narrow && narrow[i] == wide[i];
	}
	length = (Size) n * (is_narrow ? sizeof(narrow[0]) : sizeof(wide[0]));
	SET_VARSIZE(packed, VARHDRSZ + length);
	memcpy(packed + VARHDRSZ, is_narrow ? (const void *) narrow : (const void *) wide, length);
}

GaussdpTotal
gaussdp_unpack_total(const bytea *packed)
{
	gdp_int128 wide[MOST_NUMBERS] = {0};
	int64 narrow[MOST_NUMBERS] = {0};
	Size length = VARSIZE_ANY_EXHDR(packed);

	if (length == 2 * sizeof(narrow[0]) || length == 3 * sizeof(narrow[0]))
	{
		memcpy(narrow, VARDATA_ANY(packed), length);
		return (GaussdpTotal){.sum = narrow[0], .count = narrow[1], .squares = narrow[2]};
	}
	if (length != 2 * sizeof(wide[0]) && length != 3 * sizeof(wide[0]))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("invalid total"),
						errdetail("A total must have two or three numbers of 8 or 16 bytes.")));
	memcpy(wide, VARDATA_ANY(packed), length);
	return (GaussdpTotal){.sum = wide[0], .count = wide[1], .squares = wide[2]};
}

/* Nobody who has as much has any weight: such numbers come from callers that are none of ours. */
static gdp_int128
clip(gdp_int128 steps, int64 weight)
{
	const gdp_int128 most = (gdp_int128) 1 << 95;

	return steps >= -most && steps <= most ? gdp_weigh(steps, weight) : 0;
}

void
gaussdp_add_clipped(const GaussdpTotal *total, int64 weight, GaussdpTotal *sum)
{
	sum->sum = gaussdp_sum_add(sum->sum, clip(total->sum, weight));
	sum->count = gaussdp_sum_add(sum->count, clip(total->count, weight));
	sum->squares = gaussdp_sum_add(sum->squares, clip(total->squares, weight));
}

/* The transition of a total.  NULL is nothing. */
static Datum
add_total(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpWeightedState *state = gaussdp_weighted_state_for_row(fcinfo, kind);

	if (!PG_ARGISNULL(1))
	{
		GaussdpTotal total = gaussdp_unpack_total(PG_GETARG_BYTEA_PP(1));

		state->state.sum = gaussdp_sum_add(state->state.sum, total.sum);
		state->count = gaussdp_sum_add(state->count, total.count);
	}
	PG_RETURN_POINTER(state);
}

/* count_total_accum(internal, bytea, float8[]) */
Datum
gaussdp_count_total_accum(PG_FUNCTION_ARGS)
{
	return add_total(fcinfo, GAUSSDP_COUNT);
}

/* sum_total_accum(internal, bytea, float8[]) */
Datum
gaussdp_sum_total_accum(PG_FUNCTION_ARGS)
{
	return add_total(fcinfo, GAUSSDP_SUM);
}

/* avg_total_accum(internal, bytea, float8[]) */
Datum
gaussdp_avg_total_accum(PG_FUNCTION_ARGS)
{
	return add_total(fcinfo, GAUSSDP_AVG);
}

/* var_total_accum(internal, bytea, float8[]) */
Datum
gaussdp_var_total_accum(PG_FUNCTION_ARGS)
{
	GaussdpCells *cells = gaussdp_weighted_cells_for_row(fcinfo, GAUSSDP_VAR);

	if (!PG_ARGISNULL(1))
	{
		GaussdpTotal total = gaussdp_unpack_total(PG_GETARG_BYTEA_PP(1));

		cells->count = gaussdp_sum_add(cells->count, total.count);
		cells->sums[0] = gaussdp_sum_add(cells->sums[0], total.sum);
		cells->sums[1] = gaussdp_sum_add(cells->sums[1], total.squares);
	}
	PG_RETURN_POINTER(cells);
}

/* keep_group_total_accum(internal, bytea, float8[]) */
Datum
gaussdp_keep_group_total_accum(PG_FUNCTION_ARGS)
{
	return add_total(fcinfo, GAUSSDP_KEEP_GROUP);
}

/* ---------------------------------------------------------------------------
 * Sizes that only say whether a row counts
 * ---------------------------------------------------------------------------
 */

int64
gaussdp_size_of_row(const GaussdpParams *params, Datum value, Oid type)
{
	return GDP_SIZE_ROW;
}

int64
gaussdp_size_of_number_row(const GaussdpParams *params, Datum value, Oid type)
{
	return isnan(gaussdp_number_of(value, type)) ? 0 : GDP_SIZE_ROW;
}
