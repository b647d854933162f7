/*
 * guarded.c
 *		Functions that fail at the ends of their type's range: what they may be given.
 *
 * date_trunc('month', x) has no answer for the first days that a timestamp can be, and casts between dates
 * and timestamps have none where the other type ends.  Nobody's data is there, but one row could be, and its
 * error would tell.  So what these functions get must be a constant that is near, or
 *
 *		CASE WHEN isfinite(x) AND x < low THEN low WHEN isfinite(x) AND x > high THEN high ELSE x END
 *
 * and without isfinite() where infinite values have no answer either, as in a difference; or made of such.
 *
 * The field of a document, as text, x ->> 'key', may be a document itself, which can be longer as text than PostgreSQL's
 * 1 GB (1e131071 has six bytes in it).  So x must be NULL where it is.
 *
 * Recognized is what is equal() to what the functions here make; policy/rewrite/guard.c puts it in.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "policy/proof/facts.h"
#include "policy/proof/guarded.h"

/* The years between which each of these functions has an answer for every unit and zone. */
#define LOW_YEAR (-3899) /* 3900 BC: where its millennium began, in any zone, is a timestamp */
#define HIGH_YEAR 200000

#define ARG_1 GAUSSDP_GUARDED_ARGUMENT(0)
#define ARG_2 GAUSSDP_GUARDED_ARGUMENT(1)
#define ARGS_1_2 (ARG_1 | ARG_2)

/* The functions, which of their arguments are guarded, and whether infinite ones make them fail, too. */
static const GaussdpGuarded guarded[] = {
	{F_DATE_TRUNC_TEXT_TIMESTAMP, ARG_2, false},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ, ARG_2, false},
	{F_DATE_BIN_INTERVAL_TIMESTAMP_TIMESTAMP, ARG_2, false},
	{F_DATE_BIN_INTERVAL_TIMESTAMPTZ_TIMESTAMPTZ, ARG_2, false},
	{F_TO_CHAR_TIMESTAMP_TEXT, ARG_1, false},
	{F_TO_CHAR_TIMESTAMPTZ_TEXT, ARG_1, false},
	{F_TIMESTAMP_DATE, ARG_1, false},
	{F_TIMESTAMPTZ_DATE, ARG_1, false},
	{F_DATE_TIMESTAMPTZ, ARG_1, false},
	{F_TIMESTAMPTZ_TIMESTAMP, ARG_1, false},
	{F_TIMESTAMP_TIMESTAMPTZ, ARG_1, false},
	{F_TIMEZONE_TEXT_TIMESTAMP, ARG_2, false},
	{F_TIMEZONE_TEXT_TIMESTAMPTZ, ARG_2, false},
	{F_TIME_TIMESTAMP, ARG_1, false},
	{F_TIME_TIMESTAMPTZ, ARG_1, false},
	{F_DATE_PLI, ARG_1, false},
	{F_DATE_MII, ARG_1, false},
	{F_DATE_PL_INTERVAL, ARG_1, false},
	{F_DATE_MI_INTERVAL, ARG_1, false},
	{F_TIMESTAMP_PL_INTERVAL, ARG_1, false},
	{F_TIMESTAMP_MI_INTERVAL, ARG_1, false},
	{F_TIMESTAMPTZ_PL_INTERVAL, ARG_1, false},
	{F_TIMESTAMPTZ_MI_INTERVAL, ARG_1, false},
	{F_DATE_MI, ARGS_1_2, true},
	{F_TIMESTAMP_MI, ARGS_1_2, true},
	{F_TIMESTAMPTZ_MI, ARGS_1_2, true},
	{F_AGE_TIMESTAMP_TIMESTAMP, ARGS_1_2, true},
	{F_AGE_TIMESTAMPTZ_TIMESTAMPTZ, ARGS_1_2, true},
};

/* How a type is compared. */
typedef struct Comparison
{
	Oid isfinite;
	Oid less;
	Oid greater;
} Comparison;

static bool
comparison_of(Oid type, Comparison *comparison)
{
	switch (type)
	{
		case DATEOID:
			*comparison = (Comparison){F_ISFINITE_DATE, F_DATE_LT, F_DATE_GT};
			return true;
		case TIMESTAMPOID:
			*comparison = (Comparison){F_ISFINITE_TIMESTAMP, F_TIMESTAMP_LT, F_TIMESTAMP_GT};
			return true;
		case TIMESTAMPTZOID:
			*comparison = (Comparison){F_ISFINITE_TIMESTAMPTZ, F_TIMESTAMPTZ_LT, F_TIMESTAMPTZ_GT};
			return true;
		default:
			return false;
	}
}

/* The first day of a year, as a constant of a type. */
static Expr *
first_day(int year, Oid type)
{
	DateADT day = date2j(year, 1, 1) - POSTGRES_EPOCH_JDATE;

	if (type == DATEOID)
		return (Expr *) makeConst(DATEOID, -1, InvalidOid, sizeof(DateADT), DateADTGetDatum(day),
								  false, true);
	return (Expr *) makeConst(type, -1, InvalidOid, sizeof(Timestamp),
							  TimestampGetDatum((Timestamp) day * USECS_PER_DAY), false,
							  FLOAT8PASSBYVAL);
}

static bool
date_is_between(const Const *constant, int first_year, int last_year)
{
	int64 first = date2j(first_year, 1, 1) - POSTGRES_EPOCH_JDATE;
	int64 last = date2j(last_year, 1, 1) - POSTGRES_EPOCH_JDATE;

	switch (constant->consttype)
	{
		case DATEOID:
			return DatumGetDateADT(constant->constvalue) >= first &&
				   DatumGetDateADT(constant->constvalue) <= last;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			return DatumGetTimestamp(constant->constvalue) >= first * USECS_PER_DAY &&
				   DatumGetTimestamp(constant->constvalue) <= last * USECS_PER_DAY;
		default:
			return false;
	}
}

static Expr *
call(Oid function, List *args)
{
	return (Expr *) makeFuncExpr(function, BOOLOID, args, InvalidOid, InvalidOid,
								 COERCE_EXPLICIT_CALL);
}

/* WHEN isfinite(x) AND beyond(x, end) THEN end; without the first where infinite values are beyond it, too */
static CaseWhen *
when_beyond(Expr *x, Oid isfinite, Oid beyond, Expr *end)
{
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = call(beyond, list_make2(x, end));
	if (OidIsValid(isfinite))
		when->expr =
			makeBoolExpr(AND_EXPR, list_make2(call(isfinite, list_make1(x)), when->expr), -1);
	when->result = end;
	when->location = -1;
	return when;
}

Expr *
gaussdp_guard(Expr *x, bool finite)
{
	Oid type = getBaseType(exprType((Node *) x));
	Comparison comparison;
	CaseExpr *expr = makeNode(CaseExpr);

	if (!comparison_of(type, &comparison))
		return x;
	if (finite)
		comparison.isfinite = InvalidOid;
	expr->casetype = type;
	expr->args = list_make2(
		when_beyond(x, comparison.isfinite, comparison.less, first_day(LOW_YEAR, type)),
		when_beyond(x, comparison.isfinite, comparison.greater, first_day(HIGH_YEAR, type)));
	expr->defresult = x;
	expr->location = -1;
	return (Expr *) copyObject(expr);
}

const GaussdpGuarded *
gaussdp_guarded_by(Oid function)
{
	for (size_t i = 0; i < lengthof(guarded); i++)
		if (guarded[i].function == function)
			return &guarded[i];
	return NULL;
}

/* Casts, which keep what their argument is. */
static bool
is_cast(const FuncExpr *expr)
{
	const GaussdpGuarded *found = gaussdp_guarded_by(expr->funcid);

	return found != NULL && list_length(expr->args) == 1;
}

/* A constant, where the guard would not change it; a parameter is looked at when it has become one. */
static bool
is_near(Node *node)
{
	const Const *constant = (Const *) node;

	if (IsA(node, Param))
		return true;
	if (constant->constisnull)
		return true;
	switch (constant->consttype)
	{
		case DATEOID:
			if (DATE_NOT_FINITE(DatumGetDateADT(constant->constvalue)))
				return true;
			break;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			if (TIMESTAMP_NOT_FINITE(DatumGetTimestamp(constant->constvalue)))
				return true;
			break;
	}
	return date_is_between(constant, LOW_YEAR, HIGH_YEAR);
}

/* What becomes of a guarded value is not far out either; but truncated twice, it may be. */
static bool
call_is_guarded(FuncExpr *expr)
{
	GaussdpFact *fact = gaussdp_fact_of((Node *) expr);
	bool result;

	if (fact != NULL && fact->knows_guarded)
		return fact->is_guarded;
	check_stack_depth();
	result = is_cast(expr) && gaussdp_is_guarded(linitial(expr->args));
	fact = gaussdp_fact_of((Node *) expr);
	if (fact != NULL)
	{
		fact->knows_guarded = true;
		fact->is_guarded = result;
	}
	return result;
}

bool
gaussdp_is_guarded(Node *node)
{
	if (IsA(node, Const) || IsA(node, Param))
		return is_near(node);
	if (IsA(node, CaseExpr))
		return equal(node, gaussdp_guard(((CaseExpr *) node)->defresult, false)) ||
			   equal(node, gaussdp_guard(((CaseExpr *) node)->defresult, true));
	return IsA(node, FuncExpr) && call_is_guarded((FuncExpr *) node);
}

static bool
is_infinite(const Const *constant)
{
	if (constant->constisnull)
		return false;
	return constant->consttype == DATEOID
			   ? DATE_NOT_FINITE(DatumGetDateADT(constant->constvalue))
			   : TIMESTAMP_NOT_FINITE(DatumGetTimestamp(constant->constvalue));
}

bool
gaussdp_is_finite(Node *node)
{
	check_stack_depth();
	if (IsA(node, Const))
		return is_near(node) && !is_infinite((const Const *) node);
	if (IsA(node, Param))
		return true;
	if (IsA(node, CaseExpr))
		return equal(node, gaussdp_guard(((CaseExpr *) node)->defresult, true));
	return IsA(node, FuncExpr) && is_cast((FuncExpr *) node) &&
		   gaussdp_is_finite(linitial(((FuncExpr *) node)->args));
}

/* jsonb_typeof(x -> key) = type */
static Expr *
field_is(Node *document, Node *key, Oid collation, const char *type)
{
	Oid field = exprType(key) == INT4OID ? F_JSONB_ARRAY_ELEMENT : F_JSONB_OBJECT_FIELD;
	FuncExpr *value = makeFuncExpr(field, JSONBOID, list_make2(document, key), InvalidOid,
								   collation, COERCE_EXPLICIT_CALL);
	FuncExpr *type_of = makeFuncExpr(F_JSONB_TYPEOF, TEXTOID, list_make1(value),
									 DEFAULT_COLLATION_OID, InvalidOid, COERCE_EXPLICIT_CALL);
	Const *name =
		makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(type), false, false);

	return (Expr *) makeFuncExpr(F_TEXTEQ, BOOLOID, list_make2(type_of, name), InvalidOid,
								 C_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

Node *
gaussdp_guard_document(Node *document, Node *key, Oid collation)
{
	CaseExpr *expr = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = makeBoolExpr(OR_EXPR,
							  list_make2(field_is(document, key, collation, "object"),
										 field_is(document, key, collation, "array")),
							  -1);
	when->result = (Expr *) makeNullConst(JSONBOID, -1, InvalidOid);
	when->location = -1;
	expr->casetype = JSONBOID;
	expr->args = list_make1(when);
	expr->defresult = (Expr *) document;
	expr->location = -1;
	return copyObject((Node *) expr);
}

bool
gaussdp_has_plain_field(List *args, Oid collation)
{
	CaseExpr *expr = linitial(args);

	return IsA(expr, CaseExpr) &&
		   equal(expr, gaussdp_guard_document((Node *) expr->defresult, lsecond(args), collation));
}
