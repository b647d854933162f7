/*
 * spelled.c
 *		Operators of arrays and documents that are not known to be total, written out by those that are.
 *
 *		tags @> '{a,b}'			CASE WHEN tags IS NOT NULL THEN ('a' = ANY (tags)) IS TRUE AND ('b' = ANY (tags)) IS TRUE END
 *		tags && '{a,b}'			likewise, with OR
 *		tags = '{a,b}'			likewise, array_length(tags, 1) = 2, tags[1] = 'a', tags[2] = 'b'
 *		data #>> '{a,b}'		data -> 'a' ->> 'b'
 *		data #> '{a,0}'			CASE jsonb_typeof(data -> 'a') WHEN 'array' THEN data -> 'a' -> 0 ELSE data -> 'a' -> '0' END
 *
 * Of a column, which is copied, where the other side is a constant without NULL, of one dimension, and PostgreSQL's own type: then both say
 * the same of every value.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "common/string.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_oper.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"

/* Elements that are written out, and their bytes: what is longer stays as it is. */
#define MOST_ELEMENTS 20
#define MOST_BYTES 1000

/* It is copied for each element and key: what is computed would be copied with all that is in it, and that again. */
static bool
is_column(Node *node)
{
	return IsA(strip_implicit_coercions(node), Var);
}

/* The elements of a constant array; false where it has none of this kind. */
static bool
elements_of(Node *array, List **elements)
{
	const Const *constant = (const Const *) eval_const_expressions(NULL, array);
	Oid type = get_element_type(getBaseType(exprType(array)));
	ArrayType *value;
	int16 length;
	bool by_value;
	char alignment;
	Datum *datums;
	bool *isnull;
	int n;

	*elements = NIL;
	/* Types of others have equalities of others. */
	if (!IsA(constant, Const) || constant->constisnull || !OidIsValid(type) ||
		type >= FirstNormalObjectId)
		return false;
	value = DatumGetArrayTypeP(constant->constvalue);
	if (ARR_NDIM(value) > 1 || array_contains_nulls(value) || VARSIZE(value) > MOST_BYTES ||
		(ARR_NDIM(value) == 1 && ARR_LBOUND(value)[0] != 1))
		return false;
	get_typlenbyvalalign(type, &length, &by_value, &alignment);
	deconstruct_array(value, type, length, by_value, alignment, &datums, &isnull, &n);
	for (int i = 0; i < n; i++)
		*elements = lappend(*elements, makeConst(type, -1, exprCollation(array), length, datums[i],
												 false, by_value));
	return n <= MOST_ELEMENTS;
}

static Node *
operation(const char *name, Node *left, Node *right)
{
	OpExpr *op = (OpExpr *) make_op(make_parsestate(NULL),
									list_make2(makeString("pg_catalog"), makeString(pstrdup(name))),
									left, right, NULL, -1);

	op->inputcollid = exprCollation(right);
	op->opcollid = type_is_collatable(op->opresulttype) ? DEFAULT_COLLATION_OID : InvalidOid;
	return (Node *) op;
}

static Node *
integer(int value)
{
	return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false,
							  true);
}

static Node *
words(const char *value)
{
	return (Node *) makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(value),
							  false, false);
}

/* ---------------------------------------------------------------------------
 * Arrays
 * ---------------------------------------------------------------------------
 */

static Node *
is_true(Node *condition)
{
	BooleanTest *test = makeNode(BooleanTest);

	test->arg = (Expr *) condition;
	test->booltesttype = IS_TRUE;
	test->location = -1;
	return (Node *) test;
}

/* element = ANY (array) */
static Node *
is_in(Node *element, Node *array, Oid collation)
{
	ScalarArrayOpExpr *result = (ScalarArrayOpExpr *) make_scalar_array_op(
		make_parsestate(NULL), list_make2(makeString("pg_catalog"), makeString("=")), true, element,
		copyObject(array), -1);

	result->inputcollid = collation;
	return is_true((Node *) result);
}

/* array[number] = element */
static Node *
is_at(Node *element, int number, Node *array, Oid collation)
{
	SubscriptingRef *place = makeNode(SubscriptingRef);
	OpExpr *result;

	place->refcontainertype = getBaseType(exprType(array));
	place->refelemtype = place->refrestype = exprType(element);
	place->reftypmod = -1;
	place->refcollid = exprCollation(array);
	place->refupperindexpr = list_make1(integer(number));
	place->refexpr = (Expr *) copyObject(array);
	result = (OpExpr *) operation("=", (Node *) place, element);
	result->inputcollid = collation;
	return is_true((Node *) result);
}

/* Has the array so many elements, in one dimension? */
static Node *
has_length(Node *array, int n)
{
	List *args = list_make1(copyObject(array));
	Oid function = n == 0 ? F_CARDINALITY : F_ARRAY_LENGTH;

	if (n > 0)
		args = lappend(args, integer(1));
	return is_true(operation("=",
							 (Node *) makeFuncExpr(function, INT4OID, args, InvalidOid,
												   exprCollation(array), COERCE_EXPLICIT_CALL),
							 integer(n)));
}

/* CASE WHEN array IS NOT NULL THEN ... END, of all parts or any of them */
static Node *
unless_null(Node *array, BoolExprType type, List *parts)
{
	NullTest *present = makeNode(NullTest);
	CaseExpr *result = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);

	present->arg = (Expr *) copyObject(array);
	present->nulltesttype = IS_NOT_NULL;
	present->location = when->location = result->location = -1;
	when->expr = (Expr *) present;
	when->result = list_length(parts) > 1 ? makeBoolExpr(type, parts, -1)
				   : parts != NIL         ? linitial(parts)
										  : (Expr *) makeBoolConst(type == AND_EXPR, false);
	result->casetype = BOOLOID;
	result->args = list_make1(when);
	result->defresult = (Expr *) makeBoolConst(false, true);
	return (Node *) result;
}

/* array OPERATOR elements; NULL for other operators. */
static Node *
spell_array(Oid function, Node *array, List *elements, Oid collation)
{
	List *parts = NIL;
	ListCell *lc;

	foreach (lc, elements)
		parts =
			lappend(parts, function == F_ARRAY_EQ || function == F_ARRAY_NE
							   ? is_at(lfirst(lc), foreach_current_index(lc) + 1, array, collation)
							   : is_in(lfirst(lc), array, collation));
	switch (function)
	{
		case F_ARRAYCONTAINS:
			return unless_null(array, AND_EXPR, parts);
		case F_ARRAYOVERLAP:
			return unless_null(array, OR_EXPR, parts);
		case F_ARRAY_EQ:
		case F_ARRAY_NE:
			parts = lcons(has_length(array, list_length(elements)), parts);
			array = unless_null(array, AND_EXPR, parts);
			return function == F_ARRAY_EQ ? array
										  : (Node *) makeBoolExpr(NOT_EXPR, list_make1(array), -1);
		default:
			return NULL;
	}
}

/* The array may stand on either side of what does not know sides. */
static Node *
spell_array_operator(OpExpr *op)
{
	Oid function = get_opcode(op->opno);
	List *elements;

	if (is_column(linitial(op->args)) && elements_of(lsecond(op->args), &elements))
		return spell_array(function, linitial(op->args), elements, op->inputcollid);
	if (function != F_ARRAYCONTAINS && is_column(lsecond(op->args)) &&
		elements_of(linitial(op->args), &elements))
		return spell_array(function, lsecond(op->args), elements, op->inputcollid);
	return NULL;
}

/* ---------------------------------------------------------------------------
 * Documents
 * ---------------------------------------------------------------------------
 */

/* As PostgreSQL takes one for the place of an element. */
static bool
is_number(const char *key, int *number)
{
	char *end;

	errno = 0;
	*number = strtoint(key, &end, 10);
	return end != key && *end == '\0' && errno == 0;
}

/* Each makes three copies of what is before it. */
static bool
has_many_numbers(List *keys)
{
	int number;
	int n = 0;
	ListCell *lc;

	foreach (lc, keys)
		n += is_number(TextDatumGetCString(lfirst_node(Const, lc)->constvalue), &number);
	return n > 2;
}

/* document -> key, or ->> for the last one; where the key is a number, of an array the element. */
static Node *
step(Node *document, const char *key, const char *operator)
{
	Node *field = operation(operator, document, words(key));
	CaseExpr *result = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);
	int number;

	if (!is_number(key, &number))
		return field;
	result->casetype = exprType(field);
	result->casecollid = exprCollation(field);
	when->expr = (Expr *) operation(
		"=",
		(Node *) makeFuncExpr(F_JSONB_TYPEOF, TEXTOID, list_make1(copyObject(document)),
							  DEFAULT_COLLATION_OID, InvalidOid, COERCE_EXPLICIT_CALL),
		words("array"));
	when->result = (Expr *) operation(operator, copyObject(document), integer(number));
	when->location = result->location = -1;
	result->args = list_make1(when);
	result->defresult = (Expr *) field;
	return (Node *) result;
}

/* data #>> path, jsonb_extract_path_text(data, ...) */
static Node *
spell_path(Oid function, List *args)
{
	List *keys;
	ListCell *lc;
	Node *result = linitial(args);

	if (!is_column(result) || !elements_of(lsecond(args), &keys) || keys == NIL ||
		has_many_numbers(keys))
		return NULL;
	foreach (lc, keys)
	{
		bool is_text = lnext(keys, lc) == NULL && function == F_JSONB_EXTRACT_PATH_TEXT;

		result = step(result, TextDatumGetCString(lfirst_node(Const, lc)->constvalue),
					  is_text ? "->>" : "->");
	}
	return result;
}

static Node *
spelled(Node *node)
{
	Oid function = IsA(node, OpExpr)     ? get_opcode(((OpExpr *) node)->opno)
				   : IsA(node, FuncExpr) ? ((FuncExpr *) node)->funcid
										 : InvalidOid;
	Node *result = NULL;

	switch (function)
	{
		case F_ARRAYCONTAINS:
		case F_ARRAYOVERLAP:
		case F_ARRAY_EQ:
		case F_ARRAY_NE:
			if (IsA(node, OpExpr))
				result = spell_array_operator((OpExpr *) node);
			break;
		case F_JSONB_EXTRACT_PATH:
		case F_JSONB_EXTRACT_PATH_TEXT:
			result = spell_path(function, IsA(node, OpExpr) ? ((OpExpr *) node)->args
															: ((FuncExpr *) node)->args);
			break;
		default:
			break;
	}
	return result != NULL ? result : node;
}

static Node *
spell_mutator(Node *node, void *context)
{
	if (node == NULL)
		return NULL;
	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (IsA(node, Query))
		return (Node *) query_tree_mutator((Query *) node, spell_mutator, context, 0);
	return expression_tree_mutator(spelled(node), spell_mutator, context);
}

void
gaussdp_spell_out(Query *level)
{
	*level = *query_tree_mutator(level, spell_mutator, NULL, 0);
}
