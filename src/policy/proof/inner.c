/*
 * inner.c
 *		A query in a level's FROM that makes rows of people out of their rows.
 *
 *		SELECT unit, sum(amount) AS total, count(*) AS n FROM orders WHERE ... GROUP BY unit
 *
 * Each of its rows is computed of the rows of one person, and of public ones, and of nothing else.  So it is a
 * protected relation like a table: its owner is the unit that it groups by, and when a person leaves, that person's
 * rows leave, and all others stay as they are, to the bit.  The latter is why nothing in it may depend on the order
 * in which rows come: that changes with the plan, and with everybody's rows.
 *
 * Its own FROM is verified as a level's is, and may hold such queries again.  Without GROUP BY it has the rows of its
 * FROM, each with its owner, and perhaps with what window functions make of that person's rows (windows.c), or once for each element of
 * an array in it, however many these are.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/proof/internal.h"
#include "query_tree.h"

#define GROUP_HINT "Group by the unit column, and compute one number of each person's rows."

#define SHAPE_HINT                                                                                 \
	"Let it compute what depends on one person's rows alone, and write everything else in the "    \
	"query around the level."

#define COLUMNS                                                                                    \
	"the queries of a UNION ALL do not show the unit in the same column, or columns of the same types"
#define COLUMNS_HINT                                                                               \
	"Show the unit column of each in the same place, with columns of one type and collation."
#define ARMS_HINT "Ask each in a query of its own, and add up or UNION ALL the results."

typedef struct Walk
{
	GaussdpVerifier *v;
	GaussdpLevel *level;
} Walk;

#define GROUPS (GAUSSDP_CLAUSE_GROUP | GAUSSDP_CLAUSE_HAVING | GAUSSDP_CLAUSE_AGGREGATE)

/* What a query of people's rows may have.  Sub-selects, ORDER BY and columns that depend on a key are refused in other words. */
#define CLAUSES                                                                                    \
	(GROUPS | GAUSSDP_CLAUSE_WINDOW | GAUSSDP_CLAUSE_SUBLINK | GAUSSDP_CLAUSE_ORDER |              \
	 GAUSSDP_CLAUSE_DEPENDENCY | GAUSSDP_CLAUSE_SERIES)

/* A clause by which rows are chosen in an order, or that belongs to no query of one person; NULL for none. */
static const char *
clause_of_many(const Query *q)
{
	static const GaussdpClauseWords words[] = {
		{GAUSSDP_CLAUSE_COMMAND | GAUSSDP_CLAUSE_CHANGE, "a change of data"},
		{GAUSSDP_CLAUSE_GROUPING_SETS, "grouping sets"},
		{GAUSSDP_CLAUSE_DISTINCT | GAUSSDP_CLAUSE_DISTINCT_ON, "DISTINCT"},
		{GAUSSDP_CLAUSE_WINDOW, "a window function beside GROUP BY or an aggregate"},
		{GAUSSDP_CLAUSE_LIMIT, "LIMIT or OFFSET"},
		{GAUSSDP_CLAUSE_LOCK, "FOR UPDATE or its like"},
		{GAUSSDP_CLAUSE_SERIES, "a function that returns a set"},
		{GAUSSDP_CLAUSE_WITH, "a WITH query of its own"},
		{GAUSSDP_CLAUSE_ORDER, "ORDER BY"},
		{~0, "another clause"},
		{0, NULL}};
	int clauses = gaussdp_clauses(q);
	int refused =
		clauses & ~(gaussdp_arms_of_union(q) != NIL ? GAUSSDP_CLAUSE_SET_OPERATION : CLAUSES);

	if ((clauses & GAUSSDP_CLAUSE_WINDOW) != 0 && (clauses & GROUPS) != 0)
		refused |= GAUSSDP_CLAUSE_WINDOW;
	if ((clauses & (GROUPS | GAUSSDP_CLAUSE_WINDOW)) != 0)
		refused |= clauses & GAUSSDP_CLAUSE_SERIES;
	return gaussdp_clause_words(refused, words);
}

bool
gaussdp_verify_inner_shapes(GaussdpVerifier *v, Query *level)
{
	ListCell *lc;

	check_stack_depth();
	foreach (lc, level->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);
		Query *q = entry->subquery;
		const char *clause;

		if (entry->rtekind != RTE_SUBQUERY || !gaussdp_reads_protected((Node *) q))
			continue;
		GAUSSDP_REFUSE_IF(
			!gaussdp_shows_people(q), GAUSSDP_RULE_PUBLIC, -1,
			"protected rows are joined to the result of another level",
			"Choose by its one key, x IN (SELECT key ...), or store that result first: CREATE TABLE ... AS SELECT.");
		clause = clause_of_many(q);
		GAUSSDP_REFUSE_IF(
			clause != NULL, GAUSSDP_RULE_LEVEL, -1,
			psprintf("a view, sub-select or WITH query of people's rows has %s", clause),
			SHAPE_HINT);
		GAUSSDP_REFUSE_IF(entry->lateral || gaussdp_is_correlated(q), GAUSSDP_RULE_ONCE, -1,
						  "a sub-select of rows refers to a query or relation around it",
						  "Join it on the unit column.");
		GAUSSDP_REFUSE_IF(q->constraintDeps != NIL, GAUSSDP_RULE_LEVEL, -1,
						  "a column is shown that is neither grouped by nor aggregated",
						  "Leave out the column: its type has no equality to group by.");
		if (!gaussdp_verify_inner_shapes(v, q))
			return false;
	}
	return true;
}

/* One aggregate over a person's rows. */
static bool
verify_aggregate(GaussdpVerifier *v, const GaussdpLevel *level, Aggref *agg)
{
	List *args = get_tlist_exprs(agg->args, true);

	GAUSSDP_REFUSE_IF(agg->agglevelsup != 0, GAUSSDP_RULE_ONCE, agg->location,
					  "this call belongs to a query around it", SHAPE_HINT);
	GAUSSDP_REFUSE_IF(
		agg->aggkind != 'n' || agg->aggvariadic || agg->aggdirectargs != NIL ||
			(agg->aggorder != NIL && gaussdp_is_exact(agg->aggfnoid)),
		GAUSSDP_RULE_FUNCTIONS, agg->location,
		psprintf("the aggregate %s is not known to depend on a person's set of values alone",
				 get_func_name(agg->aggfnoid)),
		GAUSSDP_EXACT_HINT);
	GAUSSDP_REFUSE_IF(agg->aggdistinct != NIL && exprType((const Node *) agg) != INT8OID &&
						  !gaussdp_has_one_image(level, linitial(args)),
					  GAUSSDP_RULE_FUNCTIONS, agg->location,
					  "which of several equal values counts would depend on the order of rows",
					  "Leave out DISTINCT, or cast to an integer.");
	return gaussdp_verify_expression(v, level, (Node *) args, GAUSSDP_ON_ROWS) &&
		   gaussdp_verify_sorting(v, agg->aggdistinct, agg->args) &&
		   gaussdp_verify_expression(v, level, (Node *) agg->aggfilter, GAUSSDP_ON_ROWS) &&
		   gaussdp_verify_exact(v, level, agg->aggfnoid, args, (Node *) agg);
}

/* Stops, with true, at the first aggregate that is refused. */
static bool
refuses_an_aggregate(Node *node, Walk *walk)
{
	if (node == NULL)
		return false;
	if (IsA(node, Aggref))
		return !verify_aggregate(walk->v, walk->level, (Aggref *) node);
	return expression_tree_walker(node, refuses_an_aggregate, walk);
}

/* GROUP BY: the unit, and perhaps more, each key with one image. */
static bool
verify_groups(GaussdpVerifier *v, GaussdpLevel *level)
{
	const Query *q = level->query;
	bool has_unit = false;
	ListCell *lc;

	if (!gaussdp_verify_grouping(v, level) || !gaussdp_verify_images(v, level))
		return false;
	foreach (lc, q->groupClause)
	{
		SortGroupClause *clause = lfirst_node(SortGroupClause, lc);
		Node *key = list_nth(level->keys, foreach_current_index(lc));

		if (gaussdp_is_unit(level, key) && clause->eqop == gaussdp_equality_of_type(exprType(key)))
			has_unit = true;
		else if (contain_var_clause(key)) /* others are the same in all rows */
			level->gives_many = true;
	}
	GAUSSDP_REFUSE_IF(!has_unit, GAUSSDP_RULE_UNIT, -1,
					  "a view, sub-select or WITH query aggregates rows of several people",
					  GROUP_HINT);
	return true;
}

Node *
gaussdp_unnested(const Node *node)
{
	const FuncExpr *call = (const FuncExpr *) node;

	return IsA(node, FuncExpr) && call->funcid == F_UNNEST_ANYARRAY && call->funcretset &&
				   !call->funcvariadic && list_length(call->args) == 1
			   ? linitial(call->args)
			   : NULL;
}

/* What it shows, and HAVING. */
static bool
verify_columns(GaussdpVerifier *v, GaussdpLevel *level)
{
	Walk walk = {v, level};
	const Query *q = level->query;
	/* HAVING by itself makes one row of everybody's. */
	bool is_grouped = q->groupClause != NIL || q->hasAggs || q->havingQual != NULL;
	ListCell *lc;

	if (q->windowClause != NIL && !gaussdp_verify_windows(v, level))
		return false;
	if (is_grouped &&
		(!verify_groups(v, level) || refuses_an_aggregate((Node *) q->targetList, &walk) ||
		 refuses_an_aggregate(q->havingQual, &walk)))
		return false;
	foreach (lc, q->targetList)
	{
		Node *column = (Node *) lfirst_node(TargetEntry, lc)->expr;
		Node *array = gaussdp_unnested(column); /* not beside groups: clause_of_many */

		if (!gaussdp_verify_expression(v, level, array != NULL ? array : column,
									   is_grouped ? GAUSSDP_IN_HAVING : GAUSSDP_ON_ROWS) ||
			!gaussdp_verify_width(v, level, column))
			return false;
	}
	return gaussdp_verify_expression(v, level, q->havingQual, GAUSSDP_IN_HAVING);
}

/* Some column says whose a row is. */
static bool
find_owner_column(GaussdpVerifier *v, GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->query->targetList)
	{
		const TargetEntry *column = lfirst_node(TargetEntry, lc);

		if (column->resjunk || !gaussdp_is_unit(level, (Node *) column->expr))
			continue;
		level->owner_column = column->resno;
		return true;
	}
	return gaussdp_refuse(v, GAUSSDP_RULE_UNIT, -1,
						  "a view, sub-select or WITH query does not show whose its rows are",
						  "Let it show the unit column.");
}

/* Are the arm's columns, by number, those of the whole, of the same types?  So nothing is computed of them, and equal values stay equal. */
static bool
has_columns_of(const Query *arm, const Query *whole)
{
	const SetOperationStmt *top = castNode(SetOperationStmt, whole->setOperations);
	ListCell *lc;

	if (list_length(arm->targetList) != list_length(whole->targetList) ||
		list_length(top->colTypes) != list_length(whole->targetList))
		return false;
	foreach (lc, arm->targetList)
	{
		const TargetEntry *column = lfirst_node(TargetEntry, lc);
		int i = foreach_current_index(lc);
		const TargetEntry *shown = list_nth_node(TargetEntry, whole->targetList, i);
		const Var *var = (const Var *) shown->expr;

		if (column->resjunk || shown->resjunk || column->resno != i + 1 || shown->resno != i + 1 ||
			!IsA(var, Var) || var->varlevelsup != 0 || var->varattno != i + 1 ||
			exprType((Node *) column->expr) != list_nth_oid(top->colTypes, i) ||
			exprCollation((Node *) column->expr) != list_nth_oid(top->colCollations, i) ||
			var->vartype != list_nth_oid(top->colTypes, i) ||
			var->varcollid != list_nth_oid(top->colCollations, i))
			return false;
	}
	return true;
}

/* The column that says in each arm whose a row is; 0 where none does. */
static AttrNumber
common_owner_column(const GaussdpLevel *level)
{
	for (int i = 1; i <= list_length(level->query->targetList); i++)
	{
		bool is_common = true;
		ListCell *lc;

		foreach (lc, level->owners)
		{
			const GaussdpLevel *arm = ((const GaussdpOwner *) lfirst(lc))->inner;
			const TargetEntry *column = list_nth_node(TargetEntry, arm->query->targetList, i - 1);

			is_common = is_common && (arm->query->setOperations != NULL
										  ? arm->owner_column == i
										  : gaussdp_is_unit(arm, (Node *) column->expr));
		}
		if (is_common)
			return (AttrNumber) i;
	}
	return InvalidAttrNumber;
}

/*
 * UNION ALL of people's rows: each row is one of an arm, and whose that says.  The people are the same, and the same column says it,
 * by one equality; so a person may have rows of each arm.
 */
static bool
verify_union(GaussdpVerifier *v, GaussdpLevel *level)
{
	const Query *q = level->query;
	List *arms = gaussdp_arms_of_union(q);
	double width = 0;
	ListCell *lc;

	foreach (lc, arms)
		level->relations = bms_add_member(level->relations, lfirst_int(lc));
	if (!gaussdp_find_owners(v, level))
		return false;
	GAUSSDP_REFUSE_IF(list_length(level->owners) != list_length(arms) ||
						  q->jointree->fromlist != NIL || q->jointree->quals != NULL,
					  GAUSSDP_RULE_LEVEL, -1, "UNION ALL of rows of people and of others",
					  ARMS_HINT);
	level->owner = linitial(level->owners);
	level->gives_many = true;
	level->of_many = 1;
	foreach (lc, level->owners)
	{
		const GaussdpOwner *arm = lfirst(lc);
		const char *why = gaussdp_unit_comparison_problem(arm->relation);

		GAUSSDP_REFUSE_IF(!gaussdp_are_one_population(arm->relation, level->owner->relation),
						  GAUSSDP_RULE_UNIT, -1, "UNION ALL of rows of different people",
						  ARMS_HINT);
		GAUSSDP_REFUSE_IF(!has_columns_of(arm->inner->query, q), GAUSSDP_RULE_UNIT, -1, COLUMNS,
						  COLUMNS_HINT);
		GAUSSDP_REFUSE_IF(why != NULL, GAUSSDP_RULE_UNIT, -1, why,
						  "Ask the owner of the table: gaussdp.protect.");
		level->of_many = Max(level->of_many, arm->inner->of_many);
		width = fmax(width, arm->inner->width);
	}
	level->owner_column = common_owner_column(level);
	GAUSSDP_REFUSE_IF(level->owner_column == InvalidAttrNumber, GAUSSDP_RULE_UNIT, -1, COLUMNS,
					  COLUMNS_HINT);
	level->width = width;
	level->widest = level->column_width;
	return true;
}

GaussdpLevel *
gaussdp_verify_inner(GaussdpVerifier *v, const RangeTblEntry *entry)
{
	GaussdpLevel *level = palloc0(sizeof(GaussdpLevel));
	const Query *query = entry->subquery;

	check_stack_depth();
	level->query = query;
	if (query->sortClause != NIL)
	{
		gaussdp_refuse(v, GAUSSDP_RULE_LEVEL, -1,
					   "a view, sub-select or WITH query of people's rows has ORDER BY",
					   SHAPE_HINT);
		return NULL;
	}
	if (query->setOperations != NULL)
		return verify_union(v, level) ? level : NULL;
	if (!gaussdp_verify_rows(v, level))
		return NULL;
	if (level->extending != NULL)
	{
		gaussdp_refuse(v, GAUSSDP_RULE_LEFT_JOIN, -1,
					   "a sub-select of people's rows keeps public rows that are nobody's",
					   "Join it the other way round: the protected table on the left.");
		return NULL;
	}
	if (!verify_columns(v, level) || !gaussdp_verify_units(v, level) ||
		!gaussdp_verify_many(v, level))
		return NULL;
	/* With GROUP BY it is known whether there are more keys than the unit. */
	level->gives_many = query->hasTargetSRFs || (gaussdp_has_several_rows(level) &&
												 (query->groupClause == NIL || level->gives_many));
	level->of_many += query->hasTargetSRFs ? 1 : 0;
	return find_owner_column(v, level) ? level : NULL;
}
