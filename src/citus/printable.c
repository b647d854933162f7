/*
 * printable.c
 *		A query that has been rewritten, as one that Citus can print for its servers.
 *
 * Planning does not look at what a join's entry says of its columns once nobody names them, and rewriting does not keep it; printing
 * does, and wants arms to stand before their join among the entries.  So each such entry gets the columns of its arms, and stands behind
 * them, and each VALUES gets the names of its own.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "citus/citus.h"
#include "compat.h"

/* Columns of an arm of a join. */
typedef struct Columns
{
	List *names;
	List *vars;
} Columns;

static Columns columns_of(Query *query, Node *arm);

static int
index_of(Node *arm)
{
	return IsA(arm, JoinExpr) ? ((JoinExpr *) arm)->rtindex : ((RangeTblRef *) arm)->rtindex;
}

/* Appends an arm's columns to those of the join, and their numbers to *numbers. */
static void
add_arm(RangeTblEntry *entry, List **names, List **numbers, Columns arm)
{
	ListCell *lc;

	foreach (lc, arm.vars)
		*numbers = lappend_int(*numbers, lfirst_node(Var, lc)->varattno);
	entry->joinaliasvars = list_concat(entry->joinaliasvars, arm.vars);
	*names = list_concat(*names, arm.names);
}

/* A new entry for the join, behind all others. */
static RangeTblEntry *
move_to_end(Query *query, JoinExpr *join)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	int old = join->rtindex;

	entry->rtekind = RTE_JOIN;
	entry->jointype = join->jointype;
	entry->inFromCl = true;
	query->rtable = lappend(query->rtable, entry);
	ChangeVarNodes((Node *) query, old, list_length(query->rtable), 0);
	return entry;
}

static Columns
columns_of_join(Query *query, JoinExpr *join)
{
	RangeTblEntry *entry = rt_fetch(join->rtindex, query->rtable);
	Columns result = {NIL, NIL};
	List *names = NIL;
	Columns left, right;
	ListCell *lc;

	check_stack_depth();
	entry->joinaliasvars = entry->joinleftcols = entry->joinrightcols = NIL;
	entry->joinmergedcols = 0;
	entry->alias = NULL;
	left = columns_of(query, join->larg);
	right = columns_of(query, join->rarg);
	if (index_of(join->larg) > join->rtindex || index_of(join->rarg) > join->rtindex)
		entry = move_to_end(query, join);
	entry->jointype = join->jointype;
	add_arm(entry, &names, &entry->joinleftcols, left);
	add_arm(entry, &names, &entry->joinrightcols, right);
	entry->eref = makeAlias("unnamed_join", names);
	join->alias = NULL;
	join->usingClause = NIL;
	join->isNatural = false;
	foreach (lc, entry->joinaliasvars)
	{
		Var *var = lfirst_node(Var, lc);

		result.vars = lappend(result.vars,
							  makeVar(join->rtindex, (AttrNumber) (foreach_current_index(lc) + 1),
									  var->vartype, var->vartypmod, var->varcollid, 0));
	}
	result.names = copyObject(names);
	return result;
}

static Columns
columns_of(Query *query, Node *arm)
{
	Columns result = {NIL, NIL};
	List *names;
	List *columns;
	ListCell *name;
	ListCell *column;

	if (IsA(arm, JoinExpr))
		return columns_of_join(query, (JoinExpr *) arm);
	if (!IsA(arm, RangeTblRef))
		elog(ERROR, "an arm of a join is of an unknown kind");
	gaussdp_expand_entry(rt_fetch(((RangeTblRef *) arm)->rtindex, query->rtable), &names, &columns);
	forboth(name, names, column, columns)
	{
		if (!IsA(lfirst(column), Var)) /* a column that has been dropped */
			continue;
		((Var *) lfirst(column))->varno = ((RangeTblRef *) arm)->rtindex;
		result.names = lappend(result.names, lfirst(name));
		result.vars = lappend(result.vars, lfirst(column));
	}
	return result;
}

static bool
collect_joins(Node *node, void *context)
{
	Bitmapset **joins = context;

	if (node == NULL)
		return false;
	if (IsA(node, JoinExpr))
		*joins = bms_add_member(*joins, ((JoinExpr *) node)->rtindex);
	return expression_tree_walker(node, collect_joins, context);
}

/* An entry of a join that is none any more. */
static void
leave_out_joins(Query *query)
{
	Bitmapset *joins = NULL;
	ListCell *lc;

	(void) collect_joins((Node *) query->jointree, &joins);
	foreach (lc, query->rtable)
	{
		RangeTblEntry *nothing = makeNode(RangeTblEntry);

		if (lfirst_node(RangeTblEntry, lc)->rtekind != RTE_JOIN ||
			bms_is_member(foreach_current_index(lc) + 1, joins))
			continue;
		nothing->rtekind = RTE_RESULT;
		nothing->eref = makeAlias("nothing", NIL);
		lfirst(lc) = nothing;
	}
}

void
gaussdp_make_printable(Query *query)
{
	ListCell *lc;

	check_stack_depth();
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_SUBQUERY)
			gaussdp_make_printable(entry->subquery);
		else if (entry->rtekind == RTE_VALUES)
			entry->alias = copyObject(entry->eref);
	}
	foreach (lc, query->jointree->fromlist)
		if (IsA(lfirst(lc), JoinExpr))
			(void) columns_of_join(query, lfirst_node(JoinExpr, lc));
	leave_out_joins(query);
}
