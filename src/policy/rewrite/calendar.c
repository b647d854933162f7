/*
 * calendar.c
 *		Sub-selects of one generate_series: days, months, numbers.
 */
#include "postgres.h"

#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"

#include "policy/rewrite/rewrite.h"

/* The calls that return sets, in a SELECT's list. */
static bool
collect_set_calls(Node *node, List **calls)
{
	if (node == NULL)
		return false;
	if ((IsA(node, FuncExpr) && ((FuncExpr *) node)->funcretset) ||
		(IsA(node, OpExpr) && ((OpExpr *) node)->opretset))
		*calls = lappend(*calls, node);
	return expression_tree_walker(node, collect_set_calls, calls);
}

static Node *
column_of_series(Node *node, void *call)
{
	if (node == NULL)
		return NULL;
	if (node == call)
		return (Node *) makeVar(1, 1, exprType(node), -1, exprCollation(node), 0);
	return expression_tree_mutator(node, column_of_series, call);
}

/* SELECT f(generate_series(...)) without FROM becomes SELECT f(g) FROM generate_series(...) g. */
static void
move_series_to_from(Query *q)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List *calls = NIL;

	if (!q->hasTargetSRFs || q->rtable != NIL || q->jointree->fromlist != NIL ||
		collect_set_calls((Node *) q->targetList, &calls) || list_length(calls) != 1 ||
		!gaussdp_is_series(linitial(calls)))
		return;
	function->funcexpr = linitial(calls);
	function->funccolcount = 1;
	entry->rtekind = RTE_FUNCTION;
	entry->functions = list_make1(function);
	entry->eref = makeAlias("generate_series", list_make1(makeString("generate_series")));
	entry->inFromCl = true;
	q->rtable = list_make1(entry);
	ref->rtindex = 1;
	q->jointree->fromlist = list_make1(ref);
	q->targetList = (List *) column_of_series((Node *) q->targetList, linitial(calls));
	q->hasTargetSRFs = false;
}

bool
gaussdp_is_calendar(Query *q)
{
	Node *item;
	Node *call;
	const RangeTblEntry *entry;

	move_series_to_from(q);
	if (list_length(q->jointree->fromlist) != 1)
		return false;
	item = linitial(q->jointree->fromlist);
	if (!IsA(item, RangeTblRef))
		return false;
	entry = rt_fetch(((RangeTblRef *) item)->rtindex, q->rtable);
	if (entry->rtekind != RTE_FUNCTION || list_length(entry->functions) != 1 ||
		entry->funcordinality)
		return false;
	call = linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	return gaussdp_is_series(call) &&
		   !contain_volatile_functions((Node *) ((FuncExpr *) call)->args);
}
