/*
 * exact_level.c
 *		A level in two: a query of exact numbers, which PostgreSQL plans and runs, and what is released of its rows.
 *
 *		SELECT region AS place, dp_avg(x, 1, 1e-6, 0, 9) + 1 FROM ... GROUP BY region HAVING dp_keep_group(1, 1e-6)
 *
 * becomes the query
 *
 *		SELECT region, dp_avg(x, 1, 1e-6, 0, 9), dp_keep_group(1, 1e-6) FROM ... GROUP BY region
 *
 * of each key and each call once, whose plan hands up the state of a call, serialized, where its answer would be: no final function
 * is in any plan, and so no noise.  release_rows.c draws it for each row, and computes HAVING and SELECT of what it has drawn.
 *
 * Conditions of HAVING without a call choose groups by their keys, and stay in the query.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/clauses.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"

#include "policy/exec/room.h"
#include "query_tree.h"

typedef struct Exact
{
	GaussdpProgram *program;
	List *targets; /* of TargetEntry: of the query */
	int nkeys;     /* the first of its columns are keys */
} Exact;

/* A column of the exact query as its released row has it. */
static Var *
make_column(const GaussdpProgram *program, int column)
{
	Node *expr = list_nth(program->columns, column);

	return makeVar(1, (AttrNumber) (column + 1), exprType(expr), exprTypmod(expr),
				   exprCollation(expr), 0);
}

/* The key or call as a column, added where there is none yet. */
static Node *
column_of(Exact *exact, Node *expr)
{
	ListCell *lc;
	AttrNumber number = (AttrNumber) (list_length(exact->targets) + 1);

	foreach (lc, exact->program->columns)
		if (equal(lfirst(lc), expr))
			return (Node *) make_column(exact->program, foreach_current_index(lc));
	/* The query's own, which is planned, and what it is of the level. */
	exact->targets =
		lappend(exact->targets, makeTargetEntry((Expr *) copyObject(expr), number, NULL, false));
	exact->program->columns = lappend(exact->program->columns, expr);
	return (Node *) make_column(exact->program, number - 1);
}

/* Keys and calls are columns of the exact query. */
static Node *
column_for(Node *node, void *context)
{
	Exact *exact = context;

	for (int i = 0; i < exact->nkeys; i++)
		if (equal(node, list_nth(exact->program->columns, i)))
			return (Node *) make_column(exact->program, i);
	return IsA(node, Aggref) || IsA(node, GroupingFunc) ? column_of(exact, node) : NULL;
}

/* The columns that the level is grouped by keep their marks. */
static void
take_keys(Exact *exact, const Query *query)
{
	ListCell *lc;

	foreach (lc, query->groupClause)
	{
		TargetEntry *key =
			get_sortgroupclause_tle(lfirst_node(SortGroupClause, lc), query->targetList);
		TargetEntry *column = copyObject(key);

		column->resno = (AttrNumber) (list_length(exact->targets) + 1);
		exact->targets = lappend(exact->targets, column);
		exact->program->columns = lappend(exact->program->columns, key->expr);
	}
	exact->nkeys = list_length(exact->targets);
}

/* As an expression that is not part of a plan is prepared. */
static List *
plan_expressions(List *expressions)
{
	ListCell *lc;

	foreach (lc, expressions)
		if (IsA(lfirst(lc), TargetEntry))
			lfirst_node(TargetEntry, lc)->expr =
				expression_planner(lfirst_node(TargetEntry, lc)->expr);
		else
			lfirst(lc) = expression_planner(lfirst(lc));
	return expressions;
}

void
gaussdp_take_program(GaussdpRoom *room, Query *query)
{
	Exact exact = {.program = &room->program};
	List *on_keys = NIL;
	List *on_calls = NIL;
	ListCell *lc;

	gaussdp_take_order(room, query);
	take_keys(&exact, query);
	foreach (lc, make_ands_implicit((Expr *) query->havingQual))
		if (contain_agg_clause(lfirst(lc)))
			on_calls = lappend(on_calls, lfirst(lc));
		else
			on_keys = lappend(on_keys, lfirst(lc));
	room->targets = (List *) gaussdp_over_columns((Node *) query->targetList, column_for, &exact);
	room->program.having = (List *) gaussdp_over_columns((Node *) on_calls, column_for, &exact);
	query->targetList = exact.targets;
	query->havingQual = on_keys == NIL ? NULL : (Node *) make_ands_explicit(on_keys);
}

/* The number of a grouping set is a further key (sets.c): groups come in its order, too, where the others are equal. */
void
gaussdp_plan_program(GaussdpRoom *room, Query *query)
{
	GaussdpProgram *program = &room->program;

	for (int i = list_length(program->columns); i < list_length(query->targetList); i++)
	{
		TargetEntry *key = list_nth_node(TargetEntry, query->targetList, i);
		TargetEntry *shown;

		key->resjunk = false;
		program->columns = lappend(program->columns, copyObject(key->expr));
		shown = makeTargetEntry((Expr *) make_column(program, i),
								(AttrNumber) (list_length(room->targets) + 1), NULL, false);
		shown->ressortgroupref = key->ressortgroupref;
		room->targets = lappend(room->targets, shown);
	}
	room->order = list_concat(room->order, query->sortClause);
	query->sortClause = NIL;
	program->targets = plan_expressions(room->targets);
	program->having = plan_expressions(program->having);
}

void
gaussdp_hand_up_states(PlannedStmt *stmt)
{
	Agg *agg = (Agg *) stmt->planTree;
	ListCell *lc;

	if (!IsA(agg, Agg))
		return; /* which the plan's proof refuses */
	agg->aggsplit |= AGGSPLITOP_SKIPFINAL | AGGSPLITOP_SERIALIZE;
	foreach (lc, agg->plan.targetlist)
	{
		Aggref *call = (Aggref *) lfirst_node(TargetEntry, lc)->expr;

		if (!IsA(call, Aggref))
			continue;
		call->aggsplit = agg->aggsplit;
		call->aggtype = BYTEAOID;
	}
}
