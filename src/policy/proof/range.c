/*
 * range.c
 *		The range of a number that an expression computes.
 */
#include "postgres.h"

#include <float.h>
#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/numeric.h"

#include "policy/proof/arithmetic.h"
#include "policy/proof/facts.h"
#include "policy/proof/range.h"

/* No query counts more rows than this: it would run for years. */
#define MANY_ROWS 0x1p50

GaussdpRange
gaussdp_outwards(double low, double high, bool special)
{
	return (GaussdpRange){nextafter(low, -INFINITY), nextafter(high, INFINITY), special};
}

GaussdpRange
gaussdp_range_of_type(Oid type)
{
	switch (type)
	{
		case INT2OID:
			return (GaussdpRange){PG_INT16_MIN, PG_INT16_MAX, false};
		case INT4OID:
			return (GaussdpRange){PG_INT32_MIN, PG_INT32_MAX, false};
		case INT8OID:
			return (GaussdpRange){-0x1p63, 0x1p63, false};
		case FLOAT4OID:
			return (GaussdpRange){-FLT_MAX, FLT_MAX, true};
		case FLOAT8OID:
			return (GaussdpRange){-DBL_MAX, DBL_MAX, true};
		default:
			return (GaussdpRange){-INFINITY, INFINITY, true};
	}
}

bool
gaussdp_numeric_typmod(const Var *var, int *precision, int *scale)
{
	if (!IsA(var, Var) || getBaseType(var->vartype) != NUMERICOID ||
		var->vartypmod < (int32) VARHDRSZ)
		return false;
	*precision = ((var->vartypmod - VARHDRSZ) >> 16) & 0xffff;
	*scale = (((var->vartypmod - VARHDRSZ) & 0x7ff) ^ 1024) - 1024;
	return true;
}

static GaussdpRange
range_of_var(const Var *var)
{
	const GaussdpRange *known = gaussdp_known_range(var);
	int precision;
	int scale;

	if (known != NULL)
		return *known;
	if (gaussdp_numeric_typmod(var, &precision, &scale))
	{
		double limit = pow(10, precision - scale);

		return gaussdp_outwards(-limit, limit, true);
	}
	return gaussdp_range_of_type(getBaseType(var->vartype));
}

static GaussdpRange
range_of_const(const Const *constant)
{
	double value;

	if (constant->constisnull)
		return (GaussdpRange){0, 0, false};
	switch (constant->consttype)
	{
		case INT2OID:
			value = DatumGetInt16(constant->constvalue);
			return (GaussdpRange){value, value, false};
		case INT4OID:
			value = DatumGetInt32(constant->constvalue);
			return (GaussdpRange){value, value, false};
		case INT8OID:
			value = (double) DatumGetInt64(constant->constvalue);
			/* 2^53 may be 2^53 + 1, rounded */
			if (fabs(value) < 0x1p53)
				return (GaussdpRange){value, value, false};
			break;
		case FLOAT8OID:
			value = DatumGetFloat8(constant->constvalue);
			break;
		case NUMERICOID:
			value = DatumGetFloat8(
				DirectFunctionCall1(numeric_float8_no_overflow, constant->constvalue));
			break;
		default:
			return gaussdp_range_of_type(constant->consttype);
	}
	if (!isfinite(value))
		return gaussdp_range_of_type(constant->consttype);
	return gaussdp_outwards(value, value, false);
}

GaussdpRange
gaussdp_enclose(GaussdpRange a, GaussdpRange b)
{
	return (GaussdpRange){fmin(a.low, b.low), fmax(a.high, b.high), a.special || b.special};
}

static GaussdpRange
range_of_any(List *nodes)
{
	GaussdpRange range = gaussdp_range_of(linitial(nodes));
	ListCell *lc;

	for_each_from(lc, nodes, 1) range = gaussdp_enclose(range, gaussdp_range_of(lfirst(lc)));
	return range;
}

/* Is it a constant, neither NULL nor NaN nor infinite? */
static bool
is_number(Node *node)
{
	return IsA(node, Const) && !((Const *) node)->constisnull && !gaussdp_range_of(node).special;
}

/* NaN counts as larger than all numbers: greatest() leaves it and infinity, least() minus infinity. */
static bool
is_bounded_by(Node *node, MinMaxOp op)
{
	const MinMaxExpr *expr = (const MinMaxExpr *) node;
	ListCell *lc;

	if (!IsA(node, MinMaxExpr) || expr->op != op)
		return false;
	foreach (lc, expr->args)
		if (is_number(lfirst(lc)))
			return true;
	return false;
}

/* least(greatest(x, low), high) is a number, whatever x is. */
static bool
may_be_special(const MinMaxExpr *expr)
{
	MinMaxOp other = expr->op == IS_LEAST ? IS_GREATEST : IS_LEAST;
	ListCell *lc;

	foreach (lc, expr->args)
		if (gaussdp_range_of(lfirst(lc)).special && !is_bounded_by(lfirst(lc), other))
			return true;
	return !is_bounded_by((Node *) unconstify(MinMaxExpr *, expr), expr->op) &&
		   range_of_any(expr->args).special;
}

/* NULLs are skipped, so that only constants are sure to bound the result. */
static GaussdpRange
range_of_minmax(const MinMaxExpr *expr)
{
	GaussdpRange range = range_of_any(expr->args);
	ListCell *lc;

	range.special = may_be_special(expr);

	foreach (lc, expr->args)
	{
		Const *constant = (Const *) lfirst(lc);
		GaussdpRange bound = gaussdp_range_of((Node *) constant);

		if (!IsA(constant, Const) || constant->constisnull || bound.special)
			continue;
		if (expr->op == IS_GREATEST)
			range.low = fmax(range.low, bound.low);
		else
			range.high = fmin(range.high, bound.high);
	}
	return range;
}

static GaussdpRange
range_of_case(const CaseExpr *expr)
{
	GaussdpRange range =
		expr->defresult ? gaussdp_range_of((Node *) expr->defresult) : (GaussdpRange){0, 0, false};
	ListCell *lc;

	foreach (lc, expr->args)
		range =
			gaussdp_enclose(range, gaussdp_range_of((Node *) lfirst_node(CaseWhen, lc)->result));
	return range;
}

/* A number of rows, or one of the values, which are verified too. */
static GaussdpRange
range_of_aggregate(Oid function, List *args, Node *call)
{
	switch (function)
	{
		case F_COUNT_:
		case F_COUNT_ANY:
		case F_ROW_NUMBER:
		case F_RANK_:
		case F_DENSE_RANK_:
			return (GaussdpRange){0, MANY_ROWS, false};
		case F_LAG_ANYELEMENT:
		case F_LEAD_ANYELEMENT:
		case F_FIRST_VALUE:
		case F_LAST_VALUE:
			return gaussdp_range_of(linitial(args));
		default:
			return gaussdp_range_of_type(getBaseType(exprType(call)));
	}
}

static GaussdpRange
compute_range(Node *node)
{
	switch (nodeTag(node))
	{
		case T_Var:
			return range_of_var((Var *) node);
		case T_Const:
			return range_of_const((Const *) node);
		case T_Param:
			/* Before planning any value will do; the room looks at the one it has. */
			return (GaussdpRange){0, 0, false};
		case T_RelabelType:
			return gaussdp_range_of((Node *) ((RelabelType *) node)->arg);
		case T_MinMaxExpr:
			return range_of_minmax((MinMaxExpr *) node);
		case T_CoalesceExpr:
			return range_of_any(((CoalesceExpr *) node)->args);
		case T_CaseExpr:
			return range_of_case((CaseExpr *) node);
		case T_FuncExpr:
			return gaussdp_range_of_call(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args);
		case T_OpExpr:
			return gaussdp_range_of_call(get_opcode(((OpExpr *) node)->opno),
										 ((OpExpr *) node)->args);
		case T_Aggref:
			return range_of_aggregate(((Aggref *) node)->aggfnoid, NIL, node);
		case T_WindowFunc:
			return range_of_aggregate(((WindowFunc *) node)->winfnoid, ((WindowFunc *) node)->args,
									  node);
		default:
			return gaussdp_range_of_type(getBaseType(exprType(node)));
	}
}

/* Each part is asked for by every call around it. */
GaussdpRange
gaussdp_range_of(Node *node)
{
	GaussdpFact *fact;
	GaussdpRange *range;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Const) || IsA(node, Param) || IsA(node, Var))
		return compute_range(node);
	fact = gaussdp_fact_of(node);
	if (fact != NULL && fact->range != NULL)
		return *fact->range;
	range = palloc(sizeof(GaussdpRange));
	*range = compute_range(node);
	fact = gaussdp_fact_of(node);
	if (fact != NULL)
		fact->range = range;
	return *range;
}

GaussdpRange
gaussdp_range_alone(Node *node)
{
	GaussdpFacts facts;
	volatile GaussdpRange range = {0};

	gaussdp_open_facts(&facts, NIL);
	PG_TRY();
	{
		range = gaussdp_range_of(node);
	}
	PG_FINALLY();
	{
		gaussdp_close_facts(&facts);
	}
	PG_END_TRY();
	return range;
}

List *
gaussdp_ranges_of(List *targets)
{
	List *ranges = NIL;
	ListCell *lc;

	foreach (lc, targets)
	{
		GaussdpRange *range = palloc(sizeof(GaussdpRange));

		*range = gaussdp_range_of((Node *) lfirst_node(TargetEntry, lc)->expr);
		ranges = lappend(ranges, range);
	}
	return ranges;
}
