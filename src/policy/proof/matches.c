/*
 * matches.c
 *		Public relations of which several rows may stand beside a protected one.
 *
 * Weights count joined rows, so that a person counts for the same whatever their rows are joined to.  Only how many
 * matches there may be has a limit, which is asked of the rows that have been read (policy/exec/public_rows.c).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"

#include "policy/proof/internal.h"

/* Functions whose rows are joined; constants and parameters alone say what these are. */
static const Oid series[] = {F_GENERATE_SERIES_INT4_INT4,
							 F_GENERATE_SERIES_INT4_INT4_INT4,
							 F_GENERATE_SERIES_INT8_INT8,
							 F_GENERATE_SERIES_INT8_INT8_INT8,
							 F_GENERATE_SERIES_TIMESTAMP_TIMESTAMP_INTERVAL,
							 F_GENERATE_SERIES_TIMESTAMPTZ_TIMESTAMPTZ_INTERVAL};

/* A constant, or a parameter that is one when the rows are read. */
static bool
is_constant(Node *node)
{
	node = eval_const_expressions(NULL, node);
	return IsA(node, Const) || (IsA(node, Param) && ((Param *) node)->paramkind == PARAM_EXTERN);
}

static bool
are_constant(List *expressions)
{
	ListCell *lc;

	foreach (lc, expressions)
	{
		CHECK_FOR_INTERRUPTS();
		if (!is_constant(lfirst(lc)))
			return false;
	}
	return true;
}

static bool
is_series_call(Node *call)
{
	if (IsA(call, FuncExpr))
		for (size_t i = 0; i < lengthof(series); i++)
			if (((FuncExpr *) call)->funcid == series[i])
				return true;
	return false;
}

/* The one call of generate_series that the entry is; or NULL. */
static FuncExpr *
series_of(const RangeTblEntry *entry)
{
	Node *call;

	if (entry->rtekind != RTE_FUNCTION || list_length(entry->functions) != 1 ||
		entry->funcordinality)
		return NULL;
	call = linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	return is_series_call(call) ? (FuncExpr *) call : NULL;
}

static bool
is_series(const RangeTblEntry *entry)
{
	const FuncExpr *call = series_of(entry);

	return call != NULL && are_constant(call->args);
}

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
		!is_series_call(linitial(calls)))
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
	FuncExpr *call;

	move_series_to_from(q);
	if (list_length(q->jointree->fromlist) != 1)
		return false;
	item = linitial(q->jointree->fromlist);
	if (!IsA(item, RangeTblRef))
		return false;
	call = series_of(rt_fetch(((RangeTblRef *) item)->rtindex, q->rtable));
	return call != NULL && !contain_volatile_functions((Node *) call->args);
}

bool
gaussdp_rows_are_constant(const RangeTblEntry *entry)
{
	ListCell *lc;

	if (entry->rtekind == RTE_FUNCTION)
		return is_series(entry);
	foreach (lc, entry->values_lists)
		if (!are_constant(lfirst(lc)))
			return false;
	return true;
}
