/*
 * derived.c
 *		Bounds of expressions, derived from those that are declared for their columns.
 *
 * sum(price * 12) has the bounds of price, times 12; sum(CASE WHEN vip THEN 1 ELSE 0 END) lies between 0 and 1.  What
 * is found here clamps values, as bounds that somebody has typed: it depends on declarations and on the query alone,
 * and nothing rests on its being true.
 *
 * Quantiles hardly lose by bounds that are far too wide: where nothing is declared they search in all that the type may hold.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "datatype/timestamp.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/lsyscache.h"

#include "aggregate/bounds.h"
#include "policy/rewrite/rewrite.h"

/* Ranges of types begin here: beyond it nothing was learnt from declarations. */
#define MOST 2147483647.0

/* So large is what constants and fields of dates alone may reach: beyond it bounds are looked for in the data. */
#define MOST_UNDECLARED 1000.0

/* Numerics of more digits have no wider bounds than others. */
#define MOST_DIGITS 15

/* What stands for columns while a range is computed. */
typedef struct Substitution
{
	List *queries;
	bool is_unknown_zero; /* else a column without bounds has the range of its type */
	bool is_declared;     /* has there been a column with bounds? */
} Substitution;

/* A whole number as one, so that its range is not rounded outwards. */
static Node *
make_number(double value)
{
	if (value == rint(value) && fabs(value) >= MOST && fabs(value) < 0x1p53)
		return (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
								  Int64GetDatum((int64) value), false, FLOAT8PASSBYVAL);
	if (value == rint(value) && fabs(value) < MOST)
		return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
								  Int32GetDatum((int32) value), false, true);
	return (Node *) makeConst(FLOAT8OID, -1, InvalidOid, sizeof(float8), Float8GetDatum(value),
							  false, FLOAT8PASSBYVAL);
}

static MinMaxExpr *
make_minmax(MinMaxOp op, Node *value, double bound)
{
	MinMaxExpr *expr = makeNode(MinMaxExpr);

	expr->minmaxtype = getBaseType(exprType(value));
	expr->op = op;
	expr->args = list_make2(value, make_number(bound));
	expr->location = -1;
	return expr;
}

/* Of a parameter 0 is assumed; a constant would bound least() and greatest(). */
static Node *
make_zero(Node *column)
{
	Param *param = makeNode(Param);

	param->paramkind = PARAM_EXTERN;
	param->paramid = 1;
	param->paramtype = getBaseType(exprType(column));
	param->paramtypmod = -1;
	param->location = -1;
	return (Node *) param;
}

/* Do bounds of the type's columns mean what its ranges do (range.c)? */
static bool
has_range(Oid type)
{
	return gaussdp_is_number(type) || type == DATEOID || type == TIMESTAMPOID ||
		   type == TIMESTAMPTZOID;
}

/* A column with declared bounds becomes least(greatest(column, lower), upper), which has them; only to look at. */
static Node *
substitute(Node *node, void *context)
{
	Substitution *s = context;
	GaussdpColumn column;

	if (node == NULL)
		return NULL;
	CHECK_FOR_INTERRUPTS();
	if (!IsA(node, Var))
		return expression_tree_mutator(node, substitute, context);
	/* Bounds of times, intervals and money are those of what they are measured as, of which expressions are not computed. */
	if (has_range(getBaseType(exprType(node))) &&
		gaussdp_declared_column((Expr *) node, s->queries, &column) && column.has_bounds)
	{
		s->is_declared = true;
		return (Node *) make_minmax(IS_LEAST, (Node *) make_minmax(IS_GREATEST, node, column.lower),
									column.upper);
	}
	return s->is_unknown_zero ? make_zero(node) : node;
}

/* Ranges are rounded outwards at each step; twelve digits of them are what somebody would have typed. */
static double
rounded(double bound, double other)
{
	char digits[32];

	if (fabs(bound) < fabs(other) * 1e-12)
		return 0;
	snprintf(digits, sizeof(digits), "%.12g", bound);
	return strtod(digits, NULL);
}

/* Of a parameter nothing is known as a query is planned. */
static bool
has_parameter(Node *node, void *context)
{
	if (node == NULL)
		return false;
	return IsA(node, Param) || expression_tree_walker(node, has_parameter, context);
}

static bool
is_value(const Node *node)
{
	return IsA(node, Const) && !((const Const *) node)->constisnull;
}

/* least(greatest(x, 1900), 2100), also cast: both ends stand in the query, and hold however large they are. */
static bool
is_clamped(Node *value)
{
	bool has[] = {false, false};

	for (;;)
	{
		MinMaxExpr *expr = (MinMaxExpr *) value;
		bool is_first;

		if (IsA(value, RelabelType))
			value = (Node *) ((RelabelType *) value)->arg;
		else if (IsA(value, FuncExpr) && list_length(((FuncExpr *) value)->args) == 1 &&
				 ((FuncExpr *) value)->funcformat != COERCE_EXPLICIT_CALL)
			value = linitial(((FuncExpr *) value)->args);
		else if (IsA(value, MinMaxExpr) && list_length(expr->args) == 2)
		{
			is_first = is_value(linitial(expr->args));
			if (!is_first && !is_value(lsecond(expr->args)))
				break;
			has[expr->op == IS_LEAST] = true;
			value = is_first ? lsecond(expr->args) : linitial(expr->args);
		}
		else
			break;
	}
	return has[0] && has[1];
}

/* By ranges of what the value is computed of. */
static bool
derive(Node *value, List *queries, double *lower, double *upper)
{
	Substitution unknown = {queries, false, false};
	Substitution zero = {queries, true, false};
	GaussdpRange any;
	GaussdpRange range;

	if (IsA(value, Var) || has_parameter(value, NULL))
		return false;
	value = eval_const_expressions(NULL, value);
	any = gaussdp_range_of(substitute(value, &unknown));
	range = gaussdp_range_of(substitute(value, &zero));
	/* It must be the same whatever stands in columns of which nothing is declared. */
	if (any.low != range.low || any.high != range.high || !(any.low > -MOST && any.high < MOST))
		return false;
	if (!zero.is_declared && fmax(-range.low, range.high) > MOST_UNDECLARED && !is_clamped(value))
		return false;
	*lower = rounded(range.low, range.high);
	*upper = rounded(range.high, range.low);
	if (!(*lower < *upper))
		*upper = *lower + fmax(1, fabs(*lower));
	return true;
}

/* Those that are declared for a column whose values are measured as numbers. */
static bool
take_declared(Node *value, List *queries, double *lower, double *upper)
{
	GaussdpColumn column;

	if (!gaussdp_is_measure(value) ||
		!gaussdp_declared_column(linitial(((FuncExpr *) value)->args), queries, &column) ||
		!column.has_bounds)
		return false;
	*lower = column.lower;
	*upper = column.upper;
	return true;
}

/* Numerics of so many digits before the point; others, and doubles, are as good as unbounded. */
static double
largest_numeric(int32 typmod)
{
	int32 digits = typmod < (int32) VARHDRSZ ? 0 : ((typmod - VARHDRSZ) >> 16) & 0xFFFF;
	int32 scale = ((typmod - VARHDRSZ) & 0x7FF) ^ 1024;

	scale -= 1024;
	return digits > 0 && scale >= 0 && digits <= MOST_DIGITS ? pow(10, digits - scale)
															 : GDP_NO_BOUND;
}

/* Days and seconds of the years from 1 to 9999, where somebody's dates are. */
#define FIRST_DATE (-730119.0)
#define LAST_DATE 2921939.0

static void
take_widest(Node *value, double *lower, double *upper)
{
	bool is_measured = gaussdp_is_measure(value);
	Oid type = getBaseType(exprType(is_measured ? linitial(((FuncExpr *) value)->args) : value));

	*upper = GDP_NO_BOUND;
	switch (type)
	{
		case INT2OID:
			*upper = PG_INT16_MAX;
			break;
		case INT4OID:
			*upper = PG_INT32_MAX;
			break;
		case INT8OID:
			*upper = 0x1p62;
			break;
		case NUMERICOID:
			*upper = largest_numeric(exprTypmod(value));
			break;
		case DATEOID:
			*lower = FIRST_DATE;
			*upper = LAST_DATE;
			return;
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
			*lower = FIRST_DATE * SECS_PER_DAY;
			*upper = LAST_DATE * SECS_PER_DAY;
			return;
		case TIMEOID:
			*lower = 0;
			*upper = SECS_PER_DAY;
			return;
		default:
			break;
	}
	*lower = -*upper;
}

bool
gaussdp_derive_bounds(Node *value, List *queries, bool widest, double *lower, double *upper)
{
	if (take_declared(value, queries, lower, upper) || derive(value, queries, lower, upper))
		return true;
	if (widest)
		take_widest(value, lower, upper);
	return widest;
}
