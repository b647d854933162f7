/*
 * exact.c
 *		PostgreSQL's own aggregates that may compute a number of one person's rows.
 *
 * What is computed of a person's rows must depend on these rows alone.  Rows come in an order that depends on
 * everybody's, so an aggregate is listed only if its result is the same in every order, to the bit, however the plan
 * combines it, and if no value makes it fail.
 */
#include "postgres.h"

#include "utils/fmgroids.h"

#include "policy/proof/exact.h"

/* clang-format off */
static const struct
{
	Oid aggregate;
	GaussdpExactKind kind;
} reviewed[] = {
	{F_COUNT_, GAUSSDP_EXACT}, {F_COUNT_ANY, GAUSSDP_EXACT},
	{F_BOOL_AND, GAUSSDP_EXACT}, {F_BOOL_OR, GAUSSDP_EXACT}, {F_EVERY, GAUSSDP_EXACT},
	/* sums of int2 and int4 are int8: more rows than a level can read would not fill it; of int8 they are numeric */
	{F_SUM_INT2, GAUSSDP_EXACT}, {F_SUM_INT4, GAUSSDP_EXACT}, {F_SUM_INT8, GAUSSDP_EXACT},
	{F_AVG_INT2, GAUSSDP_EXACT}, {F_AVG_INT4, GAUSSDP_EXACT}, {F_AVG_INT8, GAUSSDP_EXACT},
	/* exact; the digits that are shown are those of the value with the most of them */
	{F_SUM_NUMERIC, GAUSSDP_EXACT_IF_BOUNDED}, {F_AVG_NUMERIC, GAUSSDP_EXACT_IF_BOUNDED},
	{F_SUM_FLOAT4, GAUSSDP_EXACT_AS_NUMERIC}, {F_SUM_FLOAT8, GAUSSDP_EXACT_AS_NUMERIC},
	{F_AVG_FLOAT4, GAUSSDP_EXACT_AS_NUMERIC}, {F_AVG_FLOAT8, GAUSSDP_EXACT_AS_NUMERIC},
	{F_MIN_INT2, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_INT2, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_INT4, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_INT4, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_INT8, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_INT8, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_OID, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_OID, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_NUMERIC, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_NUMERIC, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_FLOAT4, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_FLOAT4, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_FLOAT8, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_FLOAT8, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_DATE, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_DATE, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_TIME, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_TIME, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_TIMESTAMP, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_TIMESTAMP, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_TIMESTAMPTZ, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_TIMESTAMPTZ, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_TEXT, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_TEXT, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_BPCHAR, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_BPCHAR, GAUSSDP_EXACT_OF_IMAGES},
	{F_MIN_ANYENUM, GAUSSDP_EXACT_OF_IMAGES}, {F_MAX_ANYENUM, GAUSSDP_EXACT_OF_IMAGES},
};
/* clang-format on */

GaussdpExactKind
gaussdp_exact_kind(Oid aggregate)
{
	for (size_t i = 0; i < lengthof(reviewed); i++)
		if (reviewed[i].aggregate == aggregate)
			return reviewed[i].kind;
	return GAUSSDP_NOT_EXACT;
}

bool
gaussdp_is_exact(Oid aggregate)
{
	GaussdpExactKind kind = gaussdp_exact_kind(aggregate);

	return kind != GAUSSDP_NOT_EXACT && kind != GAUSSDP_EXACT_AS_NUMERIC;
}
