/*
 * width.c
 *		How long the values are that an expression computes.
 *
 * Found from types, constants and what is done to the operands.  What is not named here has no limit, unless its type
 * has one.
 */
#include "postgres.h"

#include <math.h>

#include "access/detoast.h"
#include "catalog/pg_type.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "utils/array.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "policy/contained/contained.h"
#include "policy/proof/arguments.h"
#include "policy/proof/facts.h"
#include "policy/proof/functions.h"
#include "policy/proof/width.h"

/* The longest numeric has 131,072 digits before the point and 16,383 behind it, four of them in two bytes. */
#define NUMERIC_WIDTH 75000
#define NUMERIC_TEXT_WIDTH 150000

/* Text of all other types whose output is total (functions.c), and of jsonb_typeof(). */
#define SMALL_TEXT_WIDTH 128

/* An item of a format of to_char() becomes at most 12 bytes for each of its own: DCH_MAX_ITEM_SIZ. */
#define FORMAT_GROWTH 12

/* Other letters of a text take at most three times the room: ICU's full mappings. */
#define CASE_GROWTH 3

static double
width_of_letters(double letters)
{
	return letters * pg_database_encoding_max_length() + VARHDRSZ;
}

bool
gaussdp_has_limit(Oid type, int32 typmod)
{
	type = getBaseType(type);
	return (type == VARCHAROID || type == BPCHAROID) && typmod >= (int32) VARHDRSZ;
}

static double
width_of_type(Oid type, int32 typmod)
{
	int16 length;

	if (gaussdp_has_limit(type, typmod))
		return width_of_letters(typmod - VARHDRSZ);
	type = getBaseType(type);
	if (type == NUMERICOID)
		return NUMERIC_WIDTH;
	length = get_typlen(type);
	return length > 0 ? length : INFINITY;
}

static double
widest(List *nodes)
{
	double width = 0;
	ListCell *lc;

	foreach (lc, nodes)
		width = fmax(width, gaussdp_width_of(lfirst(lc)));
	return width;
}

static double
sum_of_widths(List *nodes)
{
	double width = 0;
	ListCell *lc;

	foreach (lc, nodes)
		width += gaussdp_width_of(lfirst(lc));
	return width;
}

/* left(x, 3), right(x, 3), substr(x, 2, 3); left(x, -3) is all but three letters. */
static double
width_of_part(List *args, int i)
{
	const Const *count = gaussdp_constant_argument(args, i);
	double width = gaussdp_width_of(linitial(args));

	if (count == NULL || count->constisnull || DatumGetInt32(count->constvalue) < 0)
		return width;
	return fmin(width, width_of_letters(DatumGetInt32(count->constvalue)));
}

static double
width_of_format(List *args)
{
	const Const *format = gaussdp_constant_argument(args, 1);

	if (format == NULL || format->constisnull)
		return width_of_letters(FORMAT_GROWTH * GAUSSDP_LONGEST_FORMAT);
	return FORMAT_GROWTH * (double) toast_raw_datum_size(format->constvalue);
}

double
gaussdp_width_of_call(Oid function, List *args, Oid type)
{
	switch (function)
	{
		case F_TEXTCAT:
			return sum_of_widths(args);
		case F_LOWER_TEXT:
		case F_UPPER_TEXT:
		case F_INITCAP:
			return CASE_GROWTH * gaussdp_width_of(linitial(args));
		case F_BTRIM_TEXT:
		case F_LTRIM_TEXT:
		case F_RTRIM_TEXT:
		case F_TEXT_BPCHAR:
		case F_SUBSTR_TEXT_INT4:
		case F_SUBSTRING_TEXT_INT4:
		case F_SPLIT_PART:
		case F_MIN_TEXT:
		case F_MAX_TEXT:
		case F_MIN_BPCHAR:
		case F_MAX_BPCHAR:
			return gaussdp_width_of(linitial(args));
		case F_LEFT:
		case F_RIGHT:
			return width_of_part(args, 1);
		case F_SUBSTR_TEXT_INT4_INT4:
		case F_SUBSTRING_TEXT_INT4_INT4:
			return width_of_part(args, 2);
		case F_TO_CHAR_TIMESTAMP_TEXT:
		case F_TO_CHAR_TIMESTAMPTZ_TEXT:
			return width_of_format(args);
		case F_UNNEST_ANYARRAY:
			return fmin(width_of_type(type, -1), GAUSSDP_COMPARED_WIDTH);
		case F_TEXT_BOOL:
		case F_TEXT_NAME:
		case F_JSONB_TYPEOF:
			return SMALL_TEXT_WIDTH;
		default:
			return width_of_type(type, -1);
	}
}

static double
width_of_const(const Const *constant)
{
	if (constant->constisnull)
		return 0;
	return constant->constlen == -1 ? (double) toast_raw_datum_size(constant->constvalue)
									: width_of_type(constant->consttype, -1);
}

static List *
results_of_case(const CaseExpr *expr)
{
	List *results = expr->defresult ? list_make1(expr->defresult) : NIL;
	ListCell *lc;

	foreach (lc, expr->args)
		results = lappend(results, lfirst_node(CaseWhen, lc)->result);
	return results;
}

List *
gaussdp_choices(Node *node)
{
	switch (nodeTag(node))
	{
		case T_RelabelType:
			return list_make1(((RelabelType *) node)->arg);
		case T_CollateExpr:
			return list_make1(((CollateExpr *) node)->arg);
		case T_NullIfExpr:
			return list_make1(linitial(((NullIfExpr *) node)->args));
		case T_CoalesceExpr:
			return ((CoalesceExpr *) node)->args;
		case T_MinMaxExpr:
			return ((MinMaxExpr *) node)->args;
		case T_CaseExpr:
			return results_of_case((CaseExpr *) node);
		default:
			return NIL;
	}
}

static double
width_of_array(const ArrayExpr *array)
{
	return ARR_OVERHEAD_NONULLS(1) + (sizeof(Datum) + 1) * (double) list_length(array->elements) +
		   sum_of_widths(array->elements);
}

static double
compute_width(Node *node)
{
	Oid type = exprType(node);
	List *list = gaussdp_choices(node);

	if (list != NIL)
		return widest(list);
	switch (nodeTag(node))
	{
		case T_Const:
			return width_of_const((Const *) node);
		case T_Param:
			if (((Param *) node)->paramkind == PARAM_EXTERN)
				return GAUSSDP_MAX_VALUE_SIZE;
			return width_of_type(type, -1);
		case T_Var:
			return width_of_type(type, ((Var *) node)->vartypmod);
		case T_CoerceViaIO:
			return getBaseType(exprType((Node *) ((CoerceViaIO *) node)->arg)) == NUMERICOID
					   ? NUMERIC_TEXT_WIDTH
					   : SMALL_TEXT_WIDTH;
		case T_FuncExpr:
			if (gaussdp_is_contained(node))
				return fmin(width_of_type(type, -1), GAUSSDP_CONTAINED_RESULT);
			if (gaussdp_is_at_most(node) && IsA(lsecond(((FuncExpr *) node)->args), Const))
				return fmin(
					gaussdp_width_of(linitial(((FuncExpr *) node)->args)),
					DatumGetInt32(lsecond_node(Const, ((FuncExpr *) node)->args)->constvalue));
			return gaussdp_width_of_call(((FuncExpr *) node)->funcid, ((FuncExpr *) node)->args,
										 type);
		case T_OpExpr:
			return gaussdp_width_of_call(get_opcode(((OpExpr *) node)->opno),
										 ((OpExpr *) node)->args, type);
		case T_Aggref:
			return gaussdp_width_of_call(((Aggref *) node)->aggfnoid,
										 get_tlist_exprs(((Aggref *) node)->args, true), type);
		case T_WindowFunc:
			return gaussdp_width_of_call(((WindowFunc *) node)->winfnoid,
										 ((WindowFunc *) node)->args, type);
		case T_ArrayExpr:
			return width_of_array((ArrayExpr *) node);
		default:
			return width_of_type(type, -1);
	}
}

/* Each part is asked for by every call around it. */
double
gaussdp_width_of(Node *node)
{
	GaussdpFact *fact;
	double width;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Const) || IsA(node, Param) || IsA(node, Var))
		return compute_width(node);
	fact = gaussdp_fact_of(node);
	if (fact != NULL && fact->knows_width)
		return fact->width;
	width = compute_width(node);
	fact = gaussdp_fact_of(node);
	if (fact != NULL)
	{
		fact->knows_width = true;
		fact->width = width;
	}
	return width;
}

double
gaussdp_width_in_row(Node *node, double column_width)
{
	List *list = gaussdp_choices(node);
	double width = 0;
	ListCell *lc;

	check_stack_depth();
	if (IsA(node, Var))
		return column_width;
	/* lag(x), first_value(x): a row's value, as it is */
	if (IsA(node, WindowFunc) && !((WindowFunc *) node)->winagg)
		list = ((WindowFunc *) node)->args;
	if (list == NIL)
		return gaussdp_width_of(node);
	foreach (lc, list)
		width = fmax(width, gaussdp_width_in_row(lfirst(lc), column_width));
	return width;
}

/* What is of any length is looked at alone, and given back at once (exec/row_memory.c). */
static double
width_if_known(Node *node)
{
	double width = get_typlen(exprType(node)) == -1 ? gaussdp_width_of(node) : 0;

	return isinf(width) ? 0 : width;
}

/* Bytes that a node leaves behind until its row is done: its result, twice where that is made of another text, and copies of stored values. */
static double
memory_of_node(Node *node)
{
	Oid function = InvalidOid;
	List *args = NIL;
	double memory = 0;
	ListCell *lc;

	switch (nodeTag(node))
	{
		case T_FuncExpr:
			args = ((FuncExpr *) node)->args;
			break;
		case T_OpExpr:
			function = get_opcode(((OpExpr *) node)->opno);
			args = ((OpExpr *) node)->args;
			break;
		case T_CoerceViaIO:
			args = list_make1(((CoerceViaIO *) node)->arg);
			memory = width_if_known(node);
			break;
		case T_ArrayExpr:
			break;
		default:
			return 0;
	}
	if (gaussdp_is_contained(node))
		args = NIL;
	memory += width_if_known(node);
	if (function == F_TEXTICLIKE || function == F_TEXTICNLIKE)
		memory = CASE_GROWTH * width_if_known(linitial(args));
	else if (IsA(node, OpExpr) && exprType(node) == BOOLOID)
		return 0; /* comparisons give back what they read */
	foreach (lc, args)
		if (IsA(lfirst(lc), Var))
			memory += width_if_known(lfirst(lc));
	return memory;
}

static bool
add_memory(Node *node, void *context)
{
	if (node == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, add_memory, context, 0);
	*(double *) context += memory_of_node(node);
	return expression_tree_walker(node, add_memory, context);
}

double
gaussdp_memory_of(Node *tree)
{
	GaussdpFacts facts;
	double memory = 0;

	gaussdp_open_facts(&facts);
	PG_TRY();
	{
		(void) add_memory(tree, &memory);
	}
	PG_FINALLY();
	{
		gaussdp_close_facts(&facts);
	}
	PG_END_TRY();
	return memory;
}
