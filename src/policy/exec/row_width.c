/*
 * row_width.c
 *		What rows are grouped, sorted and joined by is short.
 *
 *		GROUP BY note		GROUP BY at_most(note, 65536)
 *
 *		unnest(tags)		unnest(at_most(tags, 65536))
 *
 * A stored value of any length is a pointer in rows, as long as nothing looks at it.  What compares keys looks at them, in ways of its own
 * and whole.  So values by which rows are compared, and those that a query in FROM computes, are NULL where they are longer than 64 kB; a
 * key is so wherever the query shows it.  Numerics end with their type.  People, and whose rows another table's are, are told
 * apart by whole values.
 *
 * Done to the copy of the verified level that runs, before anything is made of it; to the level's own calls when the program for its
 * rows (exact_level.c) has been made, which knows them as they were verified.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "policy/contained/contained.h"
#include "policy/exec/room.h"
#include "policy/proof/proof.h"
#include "policy/rewrite/rewrite.h"

#define MOST_BYTES ((Size) GAUSSDP_COMPARED_WIDTH)

typedef struct Narrowing
{
	const GaussdpLevel *level;
	Query *query;
	List *keys; /* of Node: what is replaced wherever it is shown */
} Narrowing;

static bool
reads_protected(Node *node, void *context)
{
	const GaussdpLevel *level = context;

	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup == 0 &&
			   bms_is_member(((Var *) node)->varno, level->protected);
	return expression_tree_walker(node, reads_protected, context);
}

/* Does it say whose a row is? */
static bool
is_of_people(const Narrowing *n, const Node *node)
{
	const Var *var = (const Var *) node;
	ListCell *lc;

	if (!IsA(node, Var))
		return false;
	foreach (lc, n->level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		if ((int) owner->rti == (int) var->varno && var->varattno == owner->column)
			return true;
		for (int i = 0; i < owner->nkeys; i++)
			if (((int) owner->rti == (int) var->varno && var->varattno == owner->keys[i].column) ||
				(var->varattno == owner->keys[i].via_column &&
				 rt_fetch(var->varno, n->query->rtable)->relid == owner->via))
				return true;
	}
	return false;
}

static bool
is_wide(const Narrowing *n, Node *node)
{
	return get_typlen(exprType(node)) == -1 && getBaseType(exprType(node)) != NUMERICOID &&
		   reads_protected(node, unconstify(GaussdpLevel *, n->level)) && !is_of_people(n, node) &&
		   !(gaussdp_width_of(node) <= MOST_BYTES);
}

static Expr *
narrow(Expr *value)
{
	return (Expr *) gaussdp_make_at_most((Node *) value, MOST_BYTES);
}

static void
narrow_sorted(const Narrowing *n, List *clauses, List *targets)
{
	ListCell *lc;

	foreach (lc, clauses)
	{
		TargetEntry *target = get_sortgroupclause_tle(lfirst_node(SortGroupClause, lc), targets);

		if (is_wide(n, (Node *) target->expr))
			target->expr = narrow(target->expr);
	}
}

/* Values of a call by which rows are sorted. */
static bool
narrow_calls(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
	{
		narrow_sorted(context, ((Aggref *) node)->aggdistinct, ((Aggref *) node)->args);
		narrow_sorted(context, ((Aggref *) node)->aggorder, ((Aggref *) node)->args);
	}
	return expression_tree_walker(node, narrow_calls, context);
}

/* Are rows of two relations compared?  What is compared within a row is neither sorted nor hashed by. */
static bool
compares_rows(const OpExpr *op)
{
	Relids left;
	Relids right;

	if (list_length(op->args) != 2 || op->opresulttype != BOOLOID)
		return false;
	left = pull_varnos(NULL, linitial(op->args));
	right = pull_varnos(NULL, lsecond(op->args));
	return left != NULL && right != NULL &&
		   !(bms_equal(left, right) && bms_membership(left) == BMS_SINGLETON);
}

static bool
narrow_compared(Node *node, void *context)
{
	const Narrowing *n = context;
	ListCell *lc;

	if (node == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, OpExpr) && compares_rows((OpExpr *) node))
		foreach (lc, ((OpExpr *) node)->args)
			if (is_wide(n, lfirst(lc)))
				lfirst(lc) = narrow(lfirst(lc));
	return expression_tree_walker(node, narrow_compared, context);
}

static Node *
replace_keys(Node *node, void *context)
{
	const Narrowing *n = context;

	if (node == NULL || IsA(node, Aggref))
		return node;
	CHECK_FOR_INTERRUPTS();
	if (list_member(n->keys, node))
		return (Node *) narrow((Expr *) copyObject(node));
	return expression_tree_mutator(node, replace_keys, context);
}

static void
narrow_groups(Narrowing *n)
{
	Query *query = n->query;
	ListCell *lc;

	foreach (lc, query->groupClause)
	{
		Node *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), query->targetList);

		if (is_wide(n, key))
			n->keys = list_append_unique(n->keys, copyObject(key));
	}
	if (n->keys == NIL)
		return;
	gaussdp_mutate_groups(query, replace_keys, n);
	query->targetList = (List *) replace_keys((Node *) query->targetList, n);
	query->havingQual = replace_keys(query->havingQual, n);
}

/* How many elements an array has is limited by at_most(), too: that bounds their memory, and their time. */
static void
narrow_elements(const Narrowing *n)
{
	ListCell *lc;

	foreach (lc, n->query->hasTargetSRFs ? n->query->targetList : NIL)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (gaussdp_unnested((Node *) target->expr) != NULL)
			linitial(((FuncExpr *) target->expr)->args) =
				narrow(linitial(((FuncExpr *) target->expr)->args));
	}
}

/* What a query in FROM computes; a stored value that it shows stays one. */
static void
narrow_columns(const Narrowing *n)
{
	ListCell *lc;

	foreach (lc, n->query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (is_wide(n, (Node *) target->expr) &&
			!(gaussdp_width_in_row((Node *) target->expr, 0) <= MOST_BYTES))
			target->expr = narrow(target->expr);
	}
}

static void
narrow_query(const GaussdpLevel *level, Query *query, bool is_inner)
{
	Narrowing n = {.level = level, .query = query};
	ListCell *lc;

	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		if (owner->inner != NULL)
			narrow_query(owner->inner, rt_fetch(owner->rti, query->rtable)->subquery, true);
	}
	narrow_groups(&n);
	foreach (lc, query->windowClause)
	{
		narrow_sorted(&n, lfirst_node(WindowClause, lc)->partitionClause, query->targetList);
		narrow_sorted(&n, lfirst_node(WindowClause, lc)->orderClause, query->targetList);
	}
	(void) narrow_compared((Node *) query->jointree, &n);
	if (!is_inner)
		return;
	(void) narrow_calls((Node *) query->targetList, &n);
	(void) narrow_calls(query->havingQual, &n);
	narrow_columns(&n);
	narrow_elements(&n);
}

/* Facts about widths are remembered for the time of these. */
static void
with_facts(const GaussdpLevel *level, Query *query, bool of_calls)
{
	Narrowing n = {.level = level, .query = query};
	GaussdpFacts facts;

	gaussdp_open_facts(&facts);
	PG_TRY();
	{
		if (of_calls)
			(void) narrow_calls((Node *) query->targetList, &n);
		else
			narrow_query(level, query, false);
	}
	PG_FINALLY();
	{
		gaussdp_close_facts(&facts);
	}
	PG_END_TRY();
}

void
gaussdp_narrow_rows(const GaussdpLevel *level, Query *query)
{
	with_facts(level, query, false);
}

void
gaussdp_narrow_calls(const GaussdpLevel *level, Query *query)
{
	with_facts(level, query, true);
}
