/*
 * empty.c
 *		Queries that show no row, whatever the tables hold: tools ask them to learn of columns.
 *
 *		SELECT * FROM orders WHERE 1 = 0		SELECT region, count(*) FROM orders GROUP BY region LIMIT 0
 *
 * become
 *
 *		SELECT NULL::int AS id, NULL::text AS region ... WHERE false
 *
 * as do previews of rows, SELECT * FROM orders LIMIT 100 (preview.c),
 * before the search for levels, so that no table in them is read and nothing is charged.  What such a query
 * tells, names and types of columns, the catalog shows to everybody; still, a role without a budget for a table is
 * refused as ever.  Permissions for all other relations that the query names stay to be checked.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "rewrite/rewriteManip.h"
#include "tcop/pquery.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "ledger/ledger.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"
#include "settings.h"

/* Is this, without the value of any column, never true?  An aggregate by itself may be. */
static bool
is_never_true(Node *condition)
{
	Const *value;

	if (condition == NULL || IsA(condition, Aggref))
		return false;
	value = (Const *) eval_const_expressions(NULL, condition);
	return value != NULL && IsA(value, Const) &&
		   (value->constisnull || !DatumGetBool(value->constvalue));
}

/* LIMIT NULL is no limit; a negative one is an error, not ours. */
static bool
is_zero(Node *limit)
{
	Const *value = (Const *) eval_const_expressions(NULL, limit);

	return value != NULL && IsA(value, Const) && !value->constisnull &&
		   DatumGetInt64(value->constvalue) == 0;
}

/*
 * Is it done when it shows nothing?  WITH queries that change data run all the same, and could read in passing what is
 * left unchecked here.
 */
bool
gaussdp_only_shows(const Query *query)
{
	return query->commandType == CMD_SELECT && !query->hasModifyingCTE && query->rowMarks == NIL;
}

/*
 * An aggregate or HAVING without GROUP BY, and the empty grouping set, make a row of no rows: there WHERE decides
 * nothing, HAVING and LIMIT do.
 */
static bool
shows_no_row(Query *query)
{
	if (is_zero(query->limitCount) || is_never_true(query->havingQual))
		return true;
	if (query->groupingSets != NIL || query->setOperations != NULL)
		return false;
	return (query->groupClause != NIL || (!query->hasAggs && query->havingQual == NULL)) &&
		   is_never_true(query->jointree->quals);
}

/* Stops, with true, at a protected table for which the role has no budget. */
static bool
finds_unpaid(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return gaussdp_needs_proof((RangeTblEntry *) node) &&
			   !gaussdp_has_budget(GetUserId(), ((RangeTblEntry *) node)->relid);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, finds_unpaid, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, finds_unpaid, context);
}

/* Protected tables in it are not read: nothing is left to prove of them. */
static bool
let_pass(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		RangeTblEntry *entry = (RangeTblEntry *) node;

		if (gaussdp_needs_proof(entry))
		{
			entry->enrname = NULL;
			gaussdp_leave_unchecked(entry);
		}
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, let_pass, context, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, let_pass, context);
}

/*
 * WITH queries of the queries around are read here no more.  The planner would write one that is read once into its one place, and what
 * it reads would stay unchecked: it becomes a part of the plan that is never run.
 */
static bool
keep_with_queries(Node *node, void *context)
{
	List **queries = context;

	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		CommonTableExpr *cte = gaussdp_cte_of((RangeTblEntry *) node, *queries);

		if (cte != NULL)
			cte->ctematerialized = CTEMaterializeAlways;
		return false;
	}
	if (IsA(node, Query))
	{
		*queries = lcons(node, *queries);
		(void) query_tree_walker((Query *) node, keep_with_queries, context,
								 QTW_EXAMINE_RTES_BEFORE);
		*queries = list_delete_first(*queries);
		return false;
	}
	return expression_tree_walker(node, keep_with_queries, context);
}

/* The columns stay, with their names and the columns of tables that clients are told they come from. */
static List *
empty_columns(List *targets)
{
	List *columns = NIL;
	ListCell *lc;

	foreach (lc, targets)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		Node *expr = (Node *) target->expr;

		if (target->resjunk)
			continue;
		target->expr =
			(Expr *) makeNullConst(exprType(expr), exprTypmod(expr), exprCollation(expr));
		target->ressortgroupref = 0;
		columns = lappend(columns, target);
	}
	return columns;
}

/*
 * Nothing refers to these.  What they have inside names entries of the queries around the place where they stood, which are others
 * here: to walk into it would crash.  What is checked for permissions stays, without it.
 */
static void
keep_permissions_alone(Query *query)
{
	ListCell *lc;

	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind != RTE_RELATION && !gaussdp_entry_is_checked(entry))
		{
			lfirst(lc) = makeNode(RangeTblEntry);
			lfirst_node(RangeTblEntry, lc)->rtekind = RTE_RESULT;
			lfirst_node(RangeTblEntry, lc)->eref = entry->eref;
			continue;
		}
		if (entry->rtekind != RTE_RELATION)
			gaussdp_retire_entry(entry);
		entry->tablesample = NULL;
		entry->securityQuals = NIL;
	}
}

/* The queries inside of another. */
static bool
collect_queries(Node *node, void *context)
{
	List **queries = context;

	if (node == NULL)
		return false;
	if (!IsA(node, Query))
		return expression_tree_walker(node, collect_queries, context);
	*queries = lappend(*queries, node);
	return query_tree_walker((Query *) node, collect_queries, context, 0);
}

/* The range table stays, with those of all queries inside, for its permissions, and nothing refers to it. */
static void
make_empty(Query *query)
{
	List *inside = NIL;
	ListCell *lc;

	(void) let_pass((Node *) query, NULL);
	(void) query_tree_walker(query, collect_queries, &inside, 0);
	foreach (lc, inside)
		gaussdp_combine_range_tables(query, lfirst_node(Query, lc));
	keep_permissions_alone(query);
	gaussdp_flatten_groups(query);
	query->targetList = empty_columns(query->targetList);
	query->jointree = makeFromExpr(NIL, makeBoolConst(false, false));
	query->groupClause = query->groupingSets = query->windowClause = query->distinctClause =
		query->sortClause = NIL;
	query->havingQual = query->limitOffset = query->limitCount = query->setOperations = NULL;
	query->hasAggs = query->hasWindowFuncs = query->hasTargetSRFs = query->hasDistinctOn = false;
	query->cteList = NIL; /* their entries are among these */
	query->hasRecursive = false;
}

/* Most queries have nothing that could; whether they read protected rows, a walk down to their ends, is not asked then. */
static bool
may_show_no_row(const Query *query)
{
	return gaussdp_only_shows(query) && (query->limitCount != NULL || query->havingQual != NULL ||
										 query->jointree->quals != NULL);
}

/* In what is in these queries, innermost first. */
static bool
empty_walker(Node *node, void *context)
{
	List **queries = context;
	bool result;

	if (node == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	if (!IsA(node, Query))
		return expression_tree_walker(node, empty_walker, context);
	if (may_show_no_row((Query *) node) && gaussdp_reads_protected(node) &&
		shows_no_row((Query *) node) && !finds_unpaid(node, NULL))
	{
		(void) keep_with_queries(node, context);
		make_empty((Query *) node);
		return false;
	}
	*queries = lcons(node, *queries);
	result = query_tree_walker((Query *) node, empty_walker, context, 0);
	*queries = list_delete_first(*queries);
	return result;
}

void
gaussdp_empty_probes(Query *query)
{
	List *queries = NIL;

	if (gaussdp_is_preview(query) && !finds_unpaid((Node *) query, NULL))
	{
		Node *told = gaussdp_make_told(query);

		make_empty(query);
		query->jointree->quals = told;
		return;
	}
	(void) empty_walker((Node *) query, &queries);
}
