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
 *		anyone may call these aggregates.
 *		A weight is computed from rows, and no part of a message.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "aggregate/state.h"

int64
gaussdp_unusual_weight(FunctionCallInfo fcinfo)
{
	int64 weight;

	if (PG_ARGISNULL(1))
		return 0;
	weight = PG_GETARG_INT64(1);
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
