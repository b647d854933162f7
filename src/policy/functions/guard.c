/*
 * guard.c
 *		Functions of dates and times that fail at the ends of their type's range, made total.
 *
 * date_trunc('month', x) has no answer for the first days that a timestamp can be, and casts between dates
 * and timestamps have none where the other type ends.  Nobody's data is there, but one row could be, and its
 * error would tell.  So what these functions get is
 *
 *		CASE WHEN isfinite(x) AND x < low THEN low WHEN isfinite(x) AND x > high THEN high ELSE x END
 *
 * The days between two dates have no number where one is infinite, so that its operands are guarded without the
 * exception for infinities.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/date.h"
#include "utils/datetime.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "policy/functions/facts.h"
#include "policy/functions/guard.h"

/* The years between which each of these functions has an answer for every unit and zone. */
#define LOW_YEAR (-3899) /* 3900 BC: where its millennium began, in any zone, is a timestamp */
#define HIGH_YEAR 200000

/* The functions, and which of their arguments is guarded. */
static const struct
{
	Oid function;
	int argument;
} guarded[] = {
	{F_DATE_TRUNC_TEXT_TIMESTAMP, 1},
	{F_DATE_TRUNC_TEXT_TIMESTAMPTZ, 1},
	{F_TIMESTAMP_DATE, 0},
	{F_TIMESTAMPTZ_DATE, 0},
	{F_DATE_TIMESTAMPTZ, 0},
	{F_TIMESTAMPTZ_TIMESTAMP, 0},
	{F_TIMESTAMP_TIMESTAMPTZ, 0},
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

/* WHEN isfinite(x) AND beyond(x, end) THEN end */
static CaseWhen *
when_beyond(Expr *x, Oid isfinite, Oid beyond, Expr *end)
{
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = makeBoolExpr(
		AND_EXPR, list_make2(call(isfinite, list_make1(x)), call(beyond, list_make2(x, end))), -1);
	when->result = end;
	when->location = -1;
	return when;
}

static Expr *
guard(Expr *x)
{
	Oid type = exprType((Node *) x);
	Comparison comparison;
	CaseExpr *expr = makeNode(CaseExpr);

	if (!comparison_of(type, &comparison))
		return x;
	expr->casetype = type;
	expr->args = list_make2(
		when_beyond(x, comparison.isfinite, comparison.less, first_day(LOW_YEAR, type)),
		when_beyond(x, comparison.isfinite, comparison.greater, first_day(HIGH_YEAR, type)));
	expr->defresult = x;
	expr->location = -1;
	return (Expr *) copyObject(expr);
}

/* CASE WHEN x < low THEN low WHEN x > high THEN high ELSE x END */
static Expr *
guard_finite(Expr *x)
{
	CaseExpr *expr = makeNode(CaseExpr);
	Expr *ends[] = {first_day(LOW_YEAR, DATEOID), first_day(HIGH_YEAR, DATEOID)};
	Oid beyond[] = {F_DATE_LT, F_DATE_GT};

	for (int i = 0; i < 2; i++)
	{
		CaseWhen *when = makeNode(CaseWhen);

		when->expr = call(beyond[i], list_make2(x, ends[i]));
		when->result = ends[i];
		when->location = -1;
		expr->args = lappend(expr->args, when);
	}
	expr->casetype = DATEOID;
	expr->defresult = x;
	expr->location = -1;
	return (Expr *) copyObject(expr);
}

bool
gaussdp_is_guarded_finite(Node *node)
{
	const Const *constant = (const Const *) node;

	if (IsA(node, Param))
		return true;
	if (IsA(node, Const))
		return constant->constisnull ||
			   (constant->consttype == DATEOID && date_is_between(constant, LOW_YEAR, HIGH_YEAR));
	return IsA(node, CaseExpr) && ((CaseExpr *) node)->defresult != NULL &&
		   equal(node, guard_finite(((CaseExpr *) node)->defresult));
}

/* A column, an aggregate of one, or the day of a time: what is small, since a guard repeats it. */
static bool
is_operand(Node *node)
{
	Oid function = IsA(node, FuncExpr) ? ((FuncExpr *) node)->funcid : InvalidOid;

	return exprType(node) == DATEOID &&
		   (IsA(node, Var) || IsA(node, Aggref) ||
			((function == F_DATE_TIMESTAMP || function == F_DATE_TIMESTAMPTZ) &&
			 (IsA(linitial(((FuncExpr *) node)->args), Var) ||
			  gaussdp_is_guarded(linitial(((FuncExpr *) node)->args)))));
}

/* The operands of a difference of dates. */
static void
guard_difference(OpExpr *expr)
{
	ListCell *lc;

	foreach (lc, expr->args)
		if (is_operand(lfirst(lc)))
			lfirst(lc) = guard_finite(lfirst(lc));
}

/* Which argument of the call is to be guarded; -1 where none is. */
static int
guarded_argument(const FuncExpr *expr)
{
	for (size_t i = 0; i < lengthof(guarded); i++)
		if (guarded[i].function == expr->funcid)
			return guarded[i].argument;
	return -1;
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
	result = guarded_argument(expr) == 0 && gaussdp_is_guarded(linitial(expr->args));
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
		return equal(node, guard(((CaseExpr *) node)->defresult));
	return IsA(node, FuncExpr) && call_is_guarded((FuncExpr *) node);
}

static Node *
guard_mutator(Node *node, void *context)
{
	FuncExpr *expr;
	int argument;

	CHECK_FOR_INTERRUPTS();
	/* A sub-select is a level of its own, or none. */
	if (node == NULL || IsA(node, Query))
		return node;
	node = expression_tree_mutator(node, guard_mutator, context);
	if (IsA(node, OpExpr) && get_opcode(((OpExpr *) node)->opno) == F_DATE_MI)
		guard_difference((OpExpr *) node);
	if (!IsA(node, FuncExpr))
		return node;
	expr = (FuncExpr *) node;
	argument = guarded_argument(expr);
	if (argument >= 0 &&
		(IsA(list_nth(expr->args, argument), Var) || IsA(list_nth(expr->args, argument), Aggref)))
		lfirst(list_nth_cell(expr->args, argument)) = guard(list_nth(expr->args, argument));
	return node;
}

void
gaussdp_guard_level(Query *query)
{
	query->targetList = (List *) guard_mutator((Node *) query->targetList, NULL);
	query->havingQual = guard_mutator(query->havingQual, NULL);
	query->jointree = (FromExpr *) guard_mutator((Node *) query->jointree, NULL);
	gaussdp_mutate_groups(query, guard_mutator, NULL);
}
