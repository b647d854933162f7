/*
 * exact.c
 *		PostgreSQL's own aggregates that may compute a number of one person's rows.
 *
 * What is computed of a person's rows must depend on these rows alone.  Rows come in an order that depends on
 * everybody's, so an aggregate is listed only if its result is the same in every order, to the bit, however the plan
 * combines it, and if no value makes it fail.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "policy/contained/contained.h"
#include "policy/proof/internal.h"

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
	{F_SUM_NUMERIC, GAUSSDP_EXACT_IF_SHORT}, {F_AVG_NUMERIC, GAUSSDP_EXACT_IF_SHORT},
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

/* A column's typmod is the owner's own (expression.c). */
bool
gaussdp_has_few_digits(Node *value)
{
	List *choices = gaussdp_choices(value);
	ListCell *lc;

	check_stack_depth();
	switch (nodeTag(value))
	{
		case T_Var:
			return ((Var *) value)->vartypmod >= (int32) VARHDRSZ;
		case T_Const:
			return ((Const *) value)->constisnull ||
				   !gaussdp_numeric_is_long(((Const *) value)->constvalue,
											GAUSSDP_CONTAINED_DIGITS);
		case T_FuncExpr:
			switch (((FuncExpr *) value)->funcid)
			{
				case F_NUMERIC_INT2:
				case F_NUMERIC_INT4:
				case F_NUMERIC_INT8:
				case F_NUMERIC_FLOAT4:
				case F_NUMERIC_FLOAT8:
					return true;
				default:
					return gaussdp_is_contained(value);
			}
		default:
			break;
	}
	foreach (lc, choices)
		if (!gaussdp_has_few_digits(lfirst(lc)))
			return false;
	return choices != NIL;
}

bool
gaussdp_verify_exact(GaussdpVerifier *v, const GaussdpLevel *level, Oid aggregate, List *args,
					 Node *call)
{
	GaussdpExactKind kind = gaussdp_exact_kind(aggregate);
	Node *value = args != NIL ? linitial(args) : NULL;

	GAUSSDP_REFUSE_IF(
		kind == GAUSSDP_EXACT_AS_NUMERIC, GAUSSDP_RULE_FUNCTIONS, exprLocation(call),
		"sums of floating-point numbers depend on the order of rows, in their last bits",
		"Write sum(x::numeric) or avg(x::numeric).");
	GAUSSDP_REFUSE_IF(
		kind == GAUSSDP_NOT_EXACT, GAUSSDP_RULE_FUNCTIONS, exprLocation(call),
		psprintf("the aggregate %s is not known to depend on a person's set of values alone",
				 get_func_name(aggregate)),
		GAUSSDP_EXACT_HINT);
	GAUSSDP_REFUSE_IF(
		kind == GAUSSDP_EXACT_OF_IMAGES &&
			!gaussdp_operator_is_total(lookup_type_cache(exprType(call), TYPECACHE_LT_OPR)->lt_opr,
									   exprInputCollation(call)),
		GAUSSDP_RULE_FUNCTIONS, exprLocation(call),
		"the operator that compares these values is not known to be total and leakproof",
		"Compare numbers, dates or text with their own operators.");
	GAUSSDP_REFUSE_IF(
		kind == GAUSSDP_EXACT_OF_IMAGES && !gaussdp_has_one_image(level, value),
		GAUSSDP_RULE_FUNCTIONS, exprLocation(call),
		"which of several equal values is the first would depend on the order of rows: here equal "
		"values may look different",
		"Cast to an integer or to text, or take a column of type numeric(p, s).");
	GAUSSDP_REFUSE_IF(kind == GAUSSDP_EXACT_OF_IMAGES &&
						  !(gaussdp_width_of(value) <= GAUSSDP_SHORT_WIDTH),
					  GAUSSDP_RULE_FUNCTIONS, exprLocation(call),
					  "the value that is kept of a person's rows could be too large for one row",
					  "Cast to text and take its beginning: left(x, 1000).");
	GAUSSDP_REFUSE_IF(kind == GAUSSDP_EXACT_IF_SHORT && !gaussdp_has_few_digits(value),
					  GAUSSDP_RULE_FUNCTIONS, exprLocation(call),
					  "a sum of numbers of any size can overflow on a value", GAUSSDP_EXACT_HINT);
	return true;
}
