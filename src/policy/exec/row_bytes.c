/*
 * row_bytes.c
 *		How many bytes the rows of a level have, at most, where a node of its plan keeps them.
 *
 * Columns of protected tables have as many bytes as these tables have pages, defaults of columns that were added later aside, times the public rows that may stand beside each of their rows.  These
 * public rows, and what is computed, have a width for each row, of which a page holds as many as it can.  A computed value is bounded by
 *
 *		fixed + growth * bytes of its row's columns
 *
 * Values that are compressed count as they are stored.  Pairs of a person's rows in several tables, and more than ten elements of an array, are not
 * counted, as extent.c does not.
 */
#include "postgres.h"

#include <math.h>

#include "access/htup_details.h"
#include "access/relation.h"
#include "access/tupdesc_details.h"
#include "access/tupmacs.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "storage/bufpage.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "policy/contained/contained.h"
#include "policy/exec/row_bytes.h"
#include "policy/proof/proof.h"

/* A value that is not longer than this, whatever its row has, has a width of its own. */
#define SHORT 1024

/* Digits and headers that a function adds to what it is given. */
#define ADDED 64

/* Other letters of a text: width.c. */
#define CASE_GROWTH 3

/* No function of a contained expression that is thrifty makes more bytes of one: bytes as hexadecimal digits, other cases of letters. */
#define CONTAINED_GROWTH 8

/* A numeric in a contained expression, and its text: so many digits before the point and behind it, four in two bytes. */
#define CONTAINED_NUMERIC (GAUSSDP_CONTAINED_DIGITS + ADDED)
#define CONTAINED_NUMERIC_TEXT (2 * GAUSSDP_CONTAINED_DIGITS + ADDED)

/* The text of a value of one length, or a numeric of it; and what a byte of a format becomes. */
#define TEXT_OF_SHORT 320
#define FORMAT_GROWTH 12

/* A row has a value at least, which says whose it is. */
#define ROWS_OF_A_PAGE                                                                             \
	((BLCKSZ - SizeOfPageHeaderData) /                                                             \
	 (MAXALIGN(SizeofHeapTupleHeader) + MAXALIGN(1) + sizeof(ItemIdData)))

/* A state of a call, of a group of few rows, which is what many groups are. */
#define STATE 64

typedef struct Bound
{
	double fixed;
	double growth;
} Bound;

static Bound bound_of(Node *node);

static Bound
sum_of(List *nodes)
{
	Bound sum = {0, 0};
	ListCell *lc;

	foreach (lc, nodes)
	{
		Bound one = bound_of(lfirst(lc));

		sum.fixed += one.fixed;
		sum.growth += one.growth;
	}
	return sum;
}

static Bound
largest_of(List *nodes)
{
	Bound largest = {0, 0};
	ListCell *lc;

	foreach (lc, nodes)
	{
		Bound one = bound_of(lfirst(lc));

		largest.fixed = fmax(largest.fixed, one.fixed);
		largest.growth = fmax(largest.growth, one.growth);
	}
	return largest;
}

static List *
arguments_of(Node *node)
{
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			return ((FuncExpr *) node)->args;
		case T_OpExpr:
			return ((OpExpr *) node)->args;
		case T_CoerceViaIO:
			return list_make1(((CoerceViaIO *) node)->arg);
		case T_ArrayExpr:
			return ((ArrayExpr *) node)->elements;
		case T_SubscriptingRef:
			return list_make1(((SubscriptingRef *) node)->refexpr);
		case T_WindowFunc:
			return ((WindowFunc *) node)->args;
		case T_Aggref:
			return get_tlist_exprs(((Aggref *) node)->args, true);
		default:
			return NIL;
	}
}

/* clang-format off */
/* Functions whose value has no more bytes than their arguments have together, a few or other cases of letters aside. */
static const Oid thrifty[] = {
	F_TEXTCAT, F_LEFT, F_RIGHT, F_SUBSTR_TEXT_INT4, F_SUBSTR_TEXT_INT4_INT4, F_SUBSTRING_TEXT_INT4,
	F_SUBSTRING_TEXT_INT4_INT4, F_SPLIT_PART, F_BTRIM_TEXT, F_BTRIM_TEXT_TEXT, F_LTRIM_TEXT, F_LTRIM_TEXT_TEXT,
	F_RTRIM_TEXT, F_RTRIM_TEXT_TEXT, F_TEXT_BPCHAR, F_VARCHAR_VARCHAR_INT4_BOOL, F_LOWER_TEXT, F_UPPER_TEXT,
	F_INITCAP, F_MD5_TEXT, F_OVERLAY_TEXT_TEXT_INT4, F_OVERLAY_TEXT_TEXT_INT4_INT4, F_NUMERIC_UPLUS,
	F_NUMERIC_UMINUS, F_ABS_NUMERIC, F_NUMERIC_NUMERIC_INT4, F_NUMERIC_MUL, F_TRUNC_NUMERIC_INT4,
	F_JSONB_OBJECT_FIELD, F_JSONB_OBJECT_FIELD_TEXT, F_JSONB_ARRAY_ELEMENT, F_JSONB_ARRAY_ELEMENT_TEXT,
	F_JSONB_CONCAT,
};
/* clang-format on */

static bool
is_thrifty(Oid function)
{
	for (size_t i = 0; i < lengthof(thrifty); i++)
		if (thrifty[i] == function)
			return true;
	return false;
}

/* Of arguments that are of one length, or constants; false where another one is among them. */
static bool
are_short(List *args, Bound *bound)
{
	ListCell *lc;

	*bound = (Bound){TEXT_OF_SHORT, 0};
	foreach (lc, args)
	{
		if (IsA(lfirst(lc), Const))
			bound->fixed += FORMAT_GROWTH * gaussdp_width_of(lfirst(lc));
		else if (get_typlen(exprType(lfirst(lc))) < 0)
			return false;
	}
	return true;
}

static Bound bound_of_part(Node *node);

/* A call: what is not known to be thrifty may be as long as the result of a contained expression. */
static Bound
bound_of_call(Node *call, Oid function, Oid type)
{
	Bound bound;
	ListCell *lc;

	if (type != BITOID && type != VARBITOID && are_short(arguments_of(call), &bound))
		return bound;
	if (OidIsValid(function) && !is_thrifty(function))
		return (Bound){type == NUMERICOID ? CONTAINED_NUMERIC : GAUSSDP_CONTAINED_RESULT, 0};
	bound = (Bound){ADDED, 0};
	foreach (lc, arguments_of(call))
	{
		Bound one = bound_of_part(lfirst(lc));

		bound.fixed += one.fixed;
		bound.growth += one.growth;
	}
	return bound;
}

/* A part of a contained expression, with what it takes of the row. */
static Bound
bound_of_part(Node *node)
{
	Oid type = exprType(node);
	Oid source;
	Bound bound;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (get_typlen(type) > 0)
		return (Bound){MAXALIGN(get_typlen(type)), 0};
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			return bound_of_call(node, ((FuncExpr *) node)->funcid, type);
		case T_OpExpr:
			return bound_of_call(node, get_opcode(((OpExpr *) node)->opno), type);
		case T_CoerceViaIO:
			source = exprType((Node *) ((CoerceViaIO *) node)->arg);
			if (source == NUMERICOID)
				return (Bound){CONTAINED_NUMERIC_TEXT, 0};
			if (source == JSONBOID)
				return (Bound){GAUSSDP_CONTAINED_RESULT, 0};
			return bound_of_call(node, InvalidOid, type);
		default:
			bound = bound_of(node);
			return (Bound){CONTAINED_GROWTH * bound.fixed, CONTAINED_GROWTH * bound.growth};
	}
}

static Bound
bound_of_contained(Node *call)
{
	Bound bound = bound_of_part(gaussdp_opened(call));

	bound.fixed = fmin(bound.fixed + ADDED, GAUSSDP_CONTAINED_RESULT);
	return bound;
}

static bool
changes_case(const Node *node)
{
	Oid function = IsA(node, FuncExpr) ? ((const FuncExpr *) node)->funcid : InvalidOid;

	return function == F_LOWER_TEXT || function == F_UPPER_TEXT || function == F_INITCAP;
}

static Bound
bound_of(Node *node)
{
	Bound bound;
	double width;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Var))
		return (Bound){0, 1};
	width = get_typlen(exprType(node)) > 0 ? MAXALIGN(get_typlen(exprType(node)))
										   : gaussdp_width_of(node);
	if (width <= SHORT || IsA(node, Const) || IsA(node, Param))
		return (Bound){fmin(width, GAUSSDP_MAX_VALUE_SIZE), 0};
	if (gaussdp_choices(node) != NIL)
		return largest_of(gaussdp_choices(node));
	if (gaussdp_is_at_most(node))
	{
		bound = bound_of(linitial(((FuncExpr *) node)->args));
		bound.fixed = fmin(bound.fixed, width);
		return bound;
	}
	if (gaussdp_is_contained(node))
		return bound_of_contained(node);
	/* 1e60000 has ten bytes, and sixty thousand as text */
	if (IsA(node, CoerceViaIO) &&
		getBaseType(exprType((Node *) ((CoerceViaIO *) node)->arg)) == NUMERICOID)
		return (Bound){width, 0};
	bound = sum_of(arguments_of(node));
	if (changes_case(node))
		return (Bound){CASE_GROWTH * bound.fixed, CASE_GROWTH * bound.growth};
	bound.fixed += ADDED;
	return bound;
}

/* ---------------------------------------------------------------------------
 * Rows
 * ---------------------------------------------------------------------------
 */

typedef struct Row
{
	Bound
		columns; /* of tables and of queries in FROM: growth says how often it has those of tables */
	Bound computed;
} Row;

static Bound row_of(const Query *query);

/* What a row has beside its columns: the columns of queries in FROM, keys, and what calls sort by. */
static bool
add_computed(Node *node, void *context)
{
	Row *row = context;
	Bound one;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		one = row_of((Query *) node);
		row->columns.fixed += one.fixed;
		row->columns.growth += one.growth;
		return false;
	}
	if (IsA(node, Aggref) && ((Aggref *) node)->aggorder == NIL &&
		((Aggref *) node)->aggdistinct == NIL)
		return false;
	if (IsA(node, TargetEntry) && !IsA(((TargetEntry *) node)->expr, Var) &&
		!IsA(((TargetEntry *) node)->expr, Const) && !IsA(((TargetEntry *) node)->expr, Aggref))
	{
		one = bound_of((Node *) ((TargetEntry *) node)->expr);
		row->computed.fixed += one.fixed;
		row->computed.growth += one.growth;
		return false;
	}
	return expression_tree_walker(node, add_computed, context);
}

/* Of columns that were added with a default, rows from before have none on their page, and a copy of such a row has it. */
static double
defaults_of(Oid table)
{
	Relation relation = relation_open(table, AccessShareLock);
	TupleDesc row = RelationGetDescr(relation);
	const AttrMissing *missing = row->constr != NULL ? row->constr->missing : NULL;
	double bytes = 0;

	for (int i = 0; missing != NULL && i < row->natts; i++)
	{
		Form_pg_attribute column = TupleDescAttr(row, i);

		if (!column->attisdropped && missing[i].am_present)
			bytes += MAXALIGN(att_addlength_datum(0, column->attlen, missing[i].am_value));
	}
	relation_close(relation, NoLock);
	return bytes;
}

/* The most of a table's, its partitions' and its children's. */
static double
defaults_of_all(Oid table)
{
	double most = 0;
	ListCell *lc;

	foreach (lc, find_all_inheritors(table, AccessShareLock, NULL))
		most = fmax(most, defaults_of(lfirst_oid(lc)));
	return most;
}

/* With what queries in FROM compute, of which it may compute something again. */
static Bound
row_of(const Query *query)
{
	Row row = {{0, 0}, {0, 0}};
	ListCell *lc;

	check_stack_depth();
	foreach (lc, query->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_RELATION)
		{
			row.columns.growth = 1;
			row.columns.fixed += defaults_of_all(lfirst_node(RangeTblEntry, lc)->relid);
		}
	(void) query_tree_walker((Query *) query, add_computed, &row, 0);
	return (Bound){row.computed.fixed + (1 + row.computed.growth) * row.columns.fixed,
				   (1 + row.computed.growth) * row.columns.growth};
}

static Bound
widest_row(const Query *query)
{
	GaussdpFacts facts;
	volatile Bound row = {0, 0};

	gaussdp_open_facts(&facts);
	PG_TRY();
	{
		Bound found = row_of(query);

		row.fixed = found.fixed;
		row.growth = found.growth;
	}
	PG_FINALLY();
	{
		gaussdp_close_facts(&facts);
	}
	PG_END_TRY();
	return (Bound){row.fixed, row.growth};
}

double
gaussdp_bytes_of_rows(const GaussdpRoom *room)
{
	Bound row = widest_row(room->readable);
	double width = row.fixed + row.growth * room->public_width;

	if (room->level->finds_groups)
		width += STATE * (double) list_length(room->level->calls);
	return room->public_bytes + gaussdp_pages_read(room) * (BLCKSZ + ROWS_OF_A_PAGE * width) +
		   fmax(row.growth - 1, 0) * gaussdp_pages_stored(room) * BLCKSZ;
}
