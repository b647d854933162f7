/*
 * row_bytes.c
 *		How many bytes the rows of a level have, at most, where a node of its plan keeps them.
 *
 * Columns of protected tables have as many bytes as these tables have pages, times the public rows that may stand beside each of their rows.  These
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
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "storage/bufpage.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "policy/contained/contained.h"
#include "policy/exec/row_bytes.h"
#include "policy/proof/proof.h"

/* A value that is not longer than this, whatever its row has, has a width of its own. */
#define SHORT 1024

/* Digits and headers that a function adds to what it is given. */
#define ADDED 64

/* Other letters of a text: width.c. */
#define CASE_GROWTH 3

/* No contained function makes more bytes of one: \u001f in a document.  All but jsonb_pretty(), which indents. */
#define CONTAINED_GROWTH 8

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

/* Of a contained expression: its constants, and how often it names a column. */
static bool
add_leaves(Node *node, void *context)
{
	Bound *bound = context;

	if (node == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Const))
		bound->fixed += gaussdp_width_of(node);
	else if (IsA(node, Var))
		bound->growth += CONTAINED_GROWTH;
	return expression_tree_walker(node, add_leaves, context);
}

static Bound
bound_of_contained(Node *call)
{
	Bound bound = {ADDED, 0};

	(void) add_leaves(gaussdp_opened(call), &bound);
	bound.fixed = fmin(bound.fixed, GAUSSDP_CONTAINED_RESULT);
	return bound;
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

/* With what queries in FROM compute, of which it may compute something again. */
static Bound
row_of(const Query *query)
{
	Row row = {{0, 0}, {0, 0}};
	ListCell *lc;

	check_stack_depth();
	foreach (lc, query->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_RELATION)
			row.columns.growth = 1;
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
