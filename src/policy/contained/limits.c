/*
 * limits.c
 *		How large the values are that contained() takes, makes on the way and gives.
 *
 * With these limits no function of the list takes more time or memory than a plan's own steps may: no numeric has more digits than are multiplied
 * in milliseconds, and no document is deeper than the stack.  Of numerics only a power has many more digits than its arguments.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/fmgrprotos.h"
#include "utils/jsonb.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "policy/contained/contained.h"

PG_FUNCTION_INFO_V1(gaussdp_power);

/* Documents with numbers of many digits are wide, too: as text these are a hundred thousand times as long. */
static bool
is_wide_document(Datum value)
{
	JsonbIterator *iterator = JsonbIteratorInit(&DatumGetJsonbP(value)->root);
	JsonbIteratorToken token;
	JsonbValue part;
	int depth = 0;

	while ((token = JsonbIteratorNext(&iterator, &part, false)) != WJB_DONE)
	{
		if (token == WJB_BEGIN_ARRAY || token == WJB_BEGIN_OBJECT)
			depth++;
		if (token == WJB_END_ARRAY || token == WJB_END_OBJECT)
			depth--;
		if (depth > GAUSSDP_CONTAINED_DEPTH)
			return true;
		if ((token == WJB_ELEM || token == WJB_VALUE) && part.type == jbvNumeric &&
			gaussdp_numeric_is_long(NumericGetDatum(part.val.numeric), GAUSSDP_CONTAINED_DIGITS))
			return true;
	}
	return false;
}

bool
gaussdp_is_wide_inside(Datum value, Oid type)
{
	return type == NUMERICOID ? gaussdp_numeric_is_long(value, GAUSSDP_CONTAINED_DIGITS)
							  : is_wide_document(value);
}

/* Times of types whose input reads names of zones: such text must not hold any (contained.c). */
static bool
reads_zones(Oid type)
{
	return type == DATEOID || type == TIMEOID || type == TIMETZOID || type == TIMESTAMPOID ||
		   type == TIMESTAMPTZOID;
}

/* A call of one of our functions that gives its argument or an error. */
static Expr *
checked(const char *name, Oid argument, Expr *value)
{
	Oid type = exprType((Node *) value);
	Oid collation = exprCollation((Node *) value);

	return (Expr *) makeFuncExpr(gaussdp_own_function(name, list_make1_oid(argument)), type,
								 list_make1(value), collation, InvalidOid, COERCE_EXPLICIT_CALL);
}

/*
 * The power of two numerics, which are looked at before it is computed; and a text that is normalized, of half the length: thousands of accents are put
 * in order in time that grows with its square.
 */
static Node *
limited_arguments(Node *node)
{
	Oid function = InvalidOid;
	List *args = NIL;

	if (IsA(node, FuncExpr))
	{
		function = ((FuncExpr *) node)->funcid;
		args = ((FuncExpr *) node)->args;
	}
	else if (IsA(node, OpExpr))
	{
		function = ((OpExpr *) node)->opfuncid;
		args = ((OpExpr *) node)->args;
	}
	if (function == F_NORMALIZE || function == F_IS_NORMALIZED)
		linitial(args) = gaussdp_make_at_most(linitial(args), GAUSSDP_CONTAINED_ARGUMENTS / 2);
	if (function != F_POW_NUMERIC_NUMERIC && function != F_POWER_NUMERIC_NUMERIC &&
		function != F_NUMERIC_POWER)
		return node;
	return (Node *) makeFuncExpr(
		gaussdp_own_function("limited_power", list_make2_oid(NUMERICOID, NUMERICOID)), NUMERICOID,
		args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
}

/* Constants are short (pure.c). */
static bool
varies_in_length(const Node *node)
{
	return !IsA(node, Const) && get_typlen(exprType(node)) == -1;
}

/*
 * Is the node a call that makes or takes values of varying length?  Only such ones take long.  Numbers and texts of values of one length are short,
 * but for formats.
 */
static bool
has_long_values(Node *node)
{
	List *args;
	ListCell *lc;

	if (IsA(node, FuncExpr))
		args = ((FuncExpr *) node)->args;
	else if (IsA(node, OpExpr))
		args = ((OpExpr *) node)->args;
	else if (IsA(node, CoerceViaIO))
		args = list_make1(((CoerceViaIO *) node)->arg);
	else
		return false;
	foreach (lc, args)
		if (varies_in_length(lfirst(lc)))
			return true;
	return varies_in_length(node) && !IsA(node, CoerceViaIO) && exprType(node) != NUMERICOID;
}

/* Around what a function or a cast has made; the arguments and the result are looked at by contained() itself. */
static Node *
limit_node(Node *node, void *top)
{
	Node *limited;

	if (node == NULL)
		return NULL;
	limited = limited_arguments(expression_tree_mutator(node, limit_node, NULL));
	if (IsA(limited, CoerceViaIO) && reads_zones(((CoerceViaIO *) limited)->resulttype))
		((CoerceViaIO *) limited)->arg =
			checked("without_zone", TEXTOID, ((CoerceViaIO *) limited)->arg);
	if (node != top && has_long_values(limited))
		return (Node *) checked("small", ANYELEMENTOID, (Expr *) limited);
	return limited;
}

Expr *
gaussdp_limited(Expr *expression)
{
	return (Expr *) limit_node((Node *) expression, expression);
}

/*
 * numeric_power(), or an error where the result would have more digits before the point than a contained value may.  PostgreSQL computes a whole
 * power of a fraction to its last digit, of up to 131,072 before the point, which takes seconds.  Of a base next to 1 no whole power is that large: an
 * exponent of more than four bytes is none to it.
 */
Datum
gaussdp_power(PG_FUNCTION_ARGS)
{
	Datum base = PG_GETARG_DATUM(0);
	Datum exponent = PG_GETARG_DATUM(1);

	if (gaussdp_digits_of_power(base, exponent) > GAUSSDP_CONTAINED_DIGITS + 1)
		ereport(ERROR,
				(errcode(ERRCODE_NUMERIC_VALUE_OUT_OF_RANGE), errmsg("the power is too large")));
	return DirectFunctionCall2(numeric_power, base, exponent);
}
