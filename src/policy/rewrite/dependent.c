/*
 * dependent.c
 *		Columns that depend on a primary key which is grouped by become group keys, too.
 *
 *		SELECT o.id, o.customer, sum(i.price) FROM orders o JOIN items i ON ... GROUP BY o.id
 *		SELECT o.id, o.customer, sum(i.price) FROM orders o JOIN items i ON ... GROUP BY o.id, o.customer
 *
 * The groups stay the same, as all rows of one have these columns of one row.  A query stays as it is where such a
 * column has no equality, or is one of a table with inheritance children, whose rows the primary key does not cover; and in grouping
 * sets, where a set may lack the primary key.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_clause.h"
#include "parser/parse_oper.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

typedef struct Dependents
{
	const Query *query;
	List *columns; /* of Var */
	Index depth;
} Dependents;

static bool
is_key(const Query *q, const Node *node)
{
	ListCell *lc;

	foreach (lc, q->groupClause)
		if (equal(node, get_sortgroupclause_expr(lfirst(lc), q->targetList)))
			return true;
	return false;
}

/* Columns outside of aggregates that are no keys: PostgreSQL has found that they depend on one. */
static bool
collect_dependents(Node *node, Dependents *d)
{
	CHECK_FOR_INTERRUPTS();
	if (node == NULL || (d->depth == 0 && is_key(d->query, node)) ||
		(IsA(node, Aggref) && ((Aggref *) node)->agglevelsup >= d->depth))
		return false;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == d->depth)
	{
		Var *column = copyObject((Var *) node);

		column->varlevelsup = 0;
		if (!is_key(d->query, (Node *) column))
			d->columns = list_append_unique(d->columns, column);
		return false;
	}
	if (IsA(node, Query))
	{
		d->depth++;
		(void) query_tree_walker((Query *) node, collect_dependents, d, 0);
		d->depth--;
		return false;
	}
	return expression_tree_walker(node, collect_dependents, d);
}

static bool
can_be_key(const Query *q, const Var *column)
{
	const RangeTblEntry *entry = rt_fetch(column->varno, q->rtable);
	Oid equality;

	if (entry->inh && entry->relkind == RELKIND_RELATION && has_subclass(entry->relid))
		return false;
	get_sort_group_operators(column->vartype, false, false, false, NULL, &equality, NULL, NULL);
	return OidIsValid(equality);
}

static SortGroupClause *
make_key(Query *q, Var *column)
{
	SortGroupClause *clause = makeNode(SortGroupClause);
	TargetEntry *target = tlist_member((Expr *) column, q->targetList);

	if (target == NULL)
	{
		target = makeTargetEntry((Expr *) column, (AttrNumber) (list_length(q->targetList) + 1),
								 NULL, true);
		q->targetList = lappend(q->targetList, target);
	}
	clause->tleSortGroupRef = assignSortGroupRef(target, q->targetList);
	get_sort_group_operators(column->vartype, false, false, false, &clause->sortop, &clause->eqop,
							 NULL, &clause->hashable);
	return clause;
}

static void
group_by_dependents(Query *q)
{
	Dependents d = {.query = q};
	ListCell *lc;

	gaussdp_flatten_groups(q);
	(void) collect_dependents((Node *) q->targetList, &d);
	(void) collect_dependents(q->havingQual, &d);
	foreach (lc, d.columns)
		if (!can_be_key(q, lfirst(lc)))
			return;
	foreach (lc, d.columns)
		q->groupClause = lappend(q->groupClause, make_key(q, lfirst(lc)));
	q->constraintDeps = NIL;
}

static bool
dependents_walker(Node *node, void *context)
{
	Query *q = (Query *) node;

	if (node == NULL)
		return false;
	check_stack_depth();
	if (!IsA(node, Query))
		return expression_tree_walker(node, dependents_walker, context);
	if (q->constraintDeps != NIL && q->groupClause != NIL && q->groupingSets == NIL)
		group_by_dependents(q);
	return query_tree_walker(q, dependents_walker, context, 0);
}

void
gaussdp_group_by_dependents(Query *query)
{
	(void) dependents_walker((Node *) query, NULL);
}
