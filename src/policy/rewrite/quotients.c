/*
 * quotients.c
 *		Quotients that mean an average, in plain SQL, become one.
 *
 *		sum(x) / count(x)							avg(x)
 *		sum(x) / nullif(count(*), 0)				avg(coalesce(x, 0)), or avg(x) where x is never NULL
 *		100.0 * count(*) FILTER (WHERE p) / count(*)	avg(CASE WHEN p THEN 1 ELSE 0 END) * 100.0
 *
 * A sum and a count are two releases, each with noise of its own, and where people own many rows each is weighed by a measure of its
 * own, so that their quotient is off by a factor.  An average is one release, of numbers and rows weighed together.
 *
 * Only where the result is no integer: a quotient of integers is truncated, and stays as it is.  So does one whose parts are both
 * selected as well: it is that of the numbers that are shown.  An empty group is NULL, as a group is whose count is lost in its noise.
 *
 * Of all other quotients of aggregates those by 0 are NULL, as of a public group in which nobody is: an error would come when all has been paid.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/namespace.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "parser/parse_coerce.h"
#include "parser/parse_oper.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"

/* What the walk over a query carries. */
typedef struct Quotients
{
	List *queries; /* the query, and those around it */
	List *shown;   /* of Aggref: selected outside of quotients */
} Quotients;

/* One side of a quotient: an aggregate by constant factors. */
typedef struct Side
{
	Aggref *agg;
	List *factors; /* of Const */
} Side;

static bool
is_division(Oid function)
{
	return function == F_NUMERIC_DIV || function == F_FLOAT8DIV || function == F_FLOAT48DIV ||
		   function == F_FLOAT84DIV || function == F_FLOAT4DIV;
}

static bool
is_multiplication(Oid function)
{
	switch (function)
	{
		case F_NUMERIC_MUL:
		case F_FLOAT8MUL:
		case F_FLOAT48MUL:
		case F_FLOAT84MUL:
		case F_INT8MUL:
		case F_INT84MUL:
		case F_INT48MUL:
			return true;
		default:
			return false;
	}
}

/* From one type of number to another that holds it. */
static bool
is_widening(Oid function)
{
	switch (function)
	{
		case F_NUMERIC_INT8:
		case F_FLOAT8_INT8:
		case F_FLOAT8_NUMERIC:
		case F_FLOAT8_FLOAT4:
		case F_NUMERIC_FLOAT8:
			return true;
		default:
			return false;
	}
}

/* Takes a side apart; false where it is something else. */
static bool
take_side(Node *node, Side *side)
{
	for (;;)
	{
		if (IsA(node, FuncExpr) && is_widening(((FuncExpr *) node)->funcid))
			node = linitial(((FuncExpr *) node)->args);
		else if (IsA(node, OpExpr) && is_multiplication(get_opcode(((OpExpr *) node)->opno)))
		{
			Node *left = eval_const_expressions(NULL, linitial(((OpExpr *) node)->args));
			Node *right = eval_const_expressions(NULL, lsecond(((OpExpr *) node)->args));
			bool is_left = IsA(left, Const);
			Const *factor = (Const *) (is_left ? left : right);

			if (!IsA(factor, Const) || factor->constisnull)
				return false;
			side->factors = lappend(side->factors, factor);
			node = is_left ? right : left;
		}
		else
			break;
	}
	side->agg = (Aggref *) node;
	return IsA(node, Aggref) && side->agg->agglevelsup == 0 && side->agg->aggorder == NIL;
}

/* A count, perhaps as nullif(count(*), 0). */
static bool
take_count(Node *node, Side *side)
{
	while (IsA(node, FuncExpr) && is_widening(((FuncExpr *) node)->funcid))
		node = linitial(((FuncExpr *) node)->args);
	if (IsA(node, NullIfExpr))
	{
		Node *zero = eval_const_expressions(NULL, lsecond(((NullIfExpr *) node)->args));

		if (!IsA(zero, Const) || ((Const *) zero)->constisnull ||
			(((Const *) zero)->consttype != INT4OID && ((Const *) zero)->consttype != INT8OID) ||
			((Const *) zero)->constvalue != 0)
			return false;
		node = linitial(((NullIfExpr *) node)->args);
	}
	return take_side(node, side) && side->factors == NIL &&
		   (side->agg->aggfnoid == F_COUNT_ || side->agg->aggfnoid == F_COUNT_ANY);
}

static bool
is_sum(Oid function)
{
	switch (function)
	{
		case F_SUM_INT2:
		case F_SUM_INT4:
		case F_SUM_INT8:
		case F_SUM_FLOAT4:
		case F_SUM_FLOAT8:
		case F_SUM_NUMERIC:
			return true;
		default:
			return false;
	}
}

static Node *
value_of(const Aggref *agg)
{
	return agg->args == NIL ? NULL : (Node *) linitial_node(TargetEntry, agg->args)->expr;
}

static Node *
make_int(int value)
{
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false,
							  true);
}

/* 1 where the condition holds, else 0. */
static Node *
make_share(Node *condition)
{
	CaseExpr *expr = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = (Expr *) condition;
	when->result = (Expr *) make_int(1);
	when->location = -1;
	expr->casetype = INT4OID;
	expr->args = list_make1(when);
	expr->defresult = (Expr *) make_int(0);
	expr->location = -1;
	return (Node *) expr;
}

static Node *
make_coalesce(Node *value)
{
	CoalesceExpr *expr = makeNode(CoalesceExpr);
	Node *zero = coerce_to_target_type(NULL, make_int(0), INT4OID, exprType(value), -1,
									   COERCION_EXPLICIT, COERCE_IMPLICIT_CAST, -1);

	if (zero == NULL)
		return NULL;
	expr->coalescetype = exprType(value);
	expr->coalescecollid = exprCollation(value);
	expr->args = list_make2(value, eval_const_expressions(NULL, zero));
	expr->location = -1;
	return (Node *) expr;
}

/* What a row adds to the numerator, over the rows that the denominator counts; NULL where the quotient is no average. */
static Node *
averaged(const Quotients *q, const Aggref *top, const Aggref *count)
{
	Node *value = value_of(top);
	bool is_counted = top->aggfnoid == F_COUNT_ || top->aggfnoid == F_COUNT_ANY;
	Node *condition = is_counted ? (Node *) top->aggfilter : NULL;

	if (count->aggfnoid == F_COUNT_ANY && value != NULL && is_sum(top->aggfnoid))
		return equal(top->args, count->args) && equal(top->aggfilter, count->aggfilter) &&
					   equal(top->aggdistinct, count->aggdistinct)
				   ? value
				   : NULL;
	if (top->aggdistinct != NIL || count->aggdistinct != NIL ||
		(count->aggfnoid == F_COUNT_ANY && !gaussdp_is_never_null(value_of(count), q->queries)))
		return NULL;
	if (is_sum(top->aggfnoid))
	{
		if (!equal(top->aggfilter, count->aggfilter))
			return NULL;
		return gaussdp_is_never_null(value, q->queries) ? value : make_coalesce(value);
	}
	if (!is_counted)
		return NULL;
	/* A share: of all that the denominator counts. */
	if (equal(top->aggfilter, count->aggfilter))
		condition = NULL;
	else if (count->aggfilter != NULL)
		return NULL;
	if (value != NULL && !gaussdp_is_never_null(value, q->queries))
	{
		NullTest *there = makeNode(NullTest);

		there->arg = (Expr *) value;
		there->nulltesttype = IS_NOT_NULL;
		there->location = -1;
		condition = condition == NULL
						? (Node *) there
						: (Node *) makeBoolExpr(AND_EXPR, list_make2(condition, there), -1);
	}
	return condition == NULL ? NULL : make_share(condition);
}

/* avg of it, as a number of the quotient's type. */
static Node *
make_average(const Aggref *count, Node *value, Oid type, int location)
{
	Aggref *average = makeNode(Aggref);

	average->aggfnoid = F_AVG_FLOAT8; /* any average will do: plain.c goes by its name */
	average->aggtype = type;
	average->aggargtypes = list_make1_oid(exprType(value));
	average->args = list_make1(makeTargetEntry((Expr *) copyObject(value), 1, NULL, false));
	average->aggdistinct = copyObject(count->aggdistinct);
	average->aggfilter = copyObject(count->aggfilter);
	average->aggkind = AGGKIND_NORMAL;
	average->aggsplit = AGGSPLIT_SIMPLE;
	average->aggno = average->aggtransno = -1;
	average->location = location;
	return (Node *) average;
}

/* The average in place of the quotient; NULL where it means none. */
static Node *
as_average(const Quotients *q, const OpExpr *quotient)
{
	Side top = {0};
	Side count = {0};
	Node *value;
	Node *result;
	ListCell *lc;

	if (!take_side(linitial(quotient->args), &top) || !take_count(lsecond(quotient->args), &count))
		return NULL;
	if (list_member(q->shown, top.agg) && list_member(q->shown, count.agg))
		return NULL;
	value = averaged(q, top.agg, count.agg);
	if (value == NULL)
		return NULL;
	result = make_average(count.agg, value, quotient->opresulttype, top.agg->location);
	foreach (lc, top.factors)
	{
		Node *factor = coerce_to_target_type(NULL, copyObject(lfirst(lc)), exprType(lfirst(lc)),
											 quotient->opresulttype, -1, COERCION_EXPLICIT,
											 COERCE_IMPLICIT_CAST, -1);

		if (factor == NULL)
			return NULL;
		result = (Node *) make_op(make_parsestate(NULL),
								  list_make2(makeString("pg_catalog"), makeString("*")), result,
								  eval_const_expressions(NULL, factor), NULL, -1);
	}
	return result;
}

static Node *
replace(Node *node, void *context)
{
	const Quotients *q = context;
	Node *average = NULL;

	if (node == NULL || IsA(node, SubLink))
		return node;
	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (IsA(node, OpExpr) && is_division(get_opcode(((OpExpr *) node)->opno)))
		average = as_average(q, (OpExpr *) node);
	return average != NULL ? average : expression_tree_mutator(node, replace, context);
}

/* Aggregates that are selected outside of what will be averages. */
static bool
collect_shown(Node *node, void *context)
{
	Quotients *q = context;
	const Quotients all = {.queries = q->queries};

	if (node == NULL || IsA(node, SubLink))
		return false;
	if (IsA(node, Aggref))
	{
		q->shown = lappend(q->shown, node);
		return false;
	}
	if (IsA(node, OpExpr) && is_division(get_opcode(((OpExpr *) node)->opno)) &&
		as_average(&all, (OpExpr *) node) != NULL)
		return false;
	return expression_tree_walker(node, collect_shown, context);
}

void
gaussdp_average_quotients(Query *query, List *queries)
{
	Quotients q = {.queries = queries};
	Quotients selected = {.queries = queries};
	ListCell *lc;

	foreach (lc, query->targetList)
		if (!lfirst_node(TargetEntry, lc)->resjunk)
			(void) collect_shown((Node *) lfirst_node(TargetEntry, lc)->expr, &selected);
	q.shown = selected.shown;
	query->targetList = castNode(List, replace((Node *) query->targetList, &q));
	query->havingQual = replace(query->havingQual, &q);
}

/* ---------------------------------------------------------------------------
 * Divisors
 * ---------------------------------------------------------------------------
 */

/* A number that may be 0, as NULL where it is. */
static Expr *
null_if_zero(Node *number)
{
	NullIfExpr *result = makeNode(NullIfExpr);
	Oid type = exprType(number);
	Node *zero =
		(Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true);

	zero = coerce_to_target_type(NULL, zero, INT4OID, type, -1, COERCION_EXPLICIT,
								 COERCE_IMPLICIT_CAST, -1);
	result->opno =
		OpernameGetOprid(list_make2(makeString("pg_catalog"), makeString("=")), type, type);
	result->opfuncid = get_opcode(result->opno);
	result->opresulttype = type;
	result->args = list_make2(number, eval_const_expressions(NULL, zero));
	result->location = -1;
	return (Expr *) result;
}

static bool
divides_numbers(const OpExpr *expr)
{
	const char *name = expr->opno < FirstNormalObjectId ? get_opname(expr->opno) : NULL;

	return name != NULL && (strcmp(name, "/") == 0 || strcmp(name, "%") == 0) &&
		   list_length(expr->args) == 2 && gaussdp_is_number(exprType(lsecond(expr->args)));
}

static Node *
guard(Node *node, void *context)
{
	OpExpr *quotient;

	if (node == NULL || IsA(node, SubLink) || IsA(node, Aggref))
		return node;
	check_stack_depth();
	node = expression_tree_mutator(node, guard, context);
	quotient = (OpExpr *) node;
	if (IsA(node, OpExpr) && divides_numbers(quotient) &&
		contain_agg_clause(lsecond(quotient->args)) && !IsA(lsecond(quotient->args), NullIfExpr))
		lsecond(quotient->args) = null_if_zero(lsecond(quotient->args));
	return node;
}

void
gaussdp_guard_divisors(Query *query)
{
	query->targetList = castNode(List, guard((Node *) query->targetList, NULL));
	query->havingQual = guard(query->havingQual, NULL);
}
