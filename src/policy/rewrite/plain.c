/*
 * plain.c
 *		Plain SQL: PostgreSQL's own aggregates over tables that the role may not read become private ones.
 *
 *		SELECT region, avg(amount) FROM orders GROUP BY region ORDER BY 2 LIMIT 100
 *
 * becomes, where gaussdp.answer_plain_sql is on and the role may not read orders,
 *
 *		SELECT region, to_numeric(reliable_value(dp_avg_estimate(amount)))
 *		FROM orders GROUP BY region HAVING dp_keep_group(*) ORDER BY 2 LIMIT 100
 *
 * before all other steps, which see short private calls as if somebody had typed them.  This file answers nothing: what
 * it does not know stays as it is, and the verifier judges what has come out.  It changes nothing in the text of
 * views, and no query whose rows the role may read, which costs no proof.
 */
#include "postgres.h"

#include "access/transam.h"
#include "access/stratnum.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/hsearch.h"
#include "utils/lsyscache.h"

#include "aggregate/bounds.h"
#include "aggregate/calls.h"
#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"
#include "settings.h"

/* ---------------------------------------------------------------------------
 * Which queries read protected rows
 * ---------------------------------------------------------------------------
 */

/* What is known of a query that others read: it is looked at once, however often that is. */
typedef struct Known
{
	Query *query;
	bool shows_rows;
} Known;

typedef struct Around
{
	List *queries; /* around the one at hand, innermost first */
	HTAB *known;   /* of Known */
	GaussdpPlainNotes *notes;
} Around;

static Around
inside_of(Around around, Query *query)
{
	return (Around){lcons(query, list_copy(around.queries)), around.known, around.notes};
}

static bool shows_rows(Query *query, Around around);

/* Does this entry of the first of these queries have protected rows, unaggregated? */
static bool
has_rows(RangeTblEntry *entry, Around around)
{
	Query *inner = NULL;
	Known *known;
	bool is_known;

	if (entry->rtekind == RTE_RELATION)
		return gaussdp_needs_proof(entry);
	if (entry->rtekind == RTE_SUBQUERY)
		inner = entry->subquery;
	else if (entry->rtekind == RTE_CTE)
		inner = gaussdp_with_query(entry, around.queries, &around.queries);
	if (inner == NULL)
		return false;
	known = hash_search(around.known, &inner, HASH_ENTER, &is_known);
	if (!is_known)
		known->shows_rows = shows_rows(inner, around);
	return known->shows_rows;
}

static bool
reads_rows(Query *query, Around around)
{
	ListCell *lc;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	around = inside_of(around, query);
	foreach (lc, query->rtable)
		if (has_rows(lfirst(lc), around))
			return true;
	return false;
}

static bool
is_private_call(Node *node, void *context)
{
	GaussdpCall call;

	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == 0 &&
		gaussdp_call_of(((Aggref *) node)->aggfnoid, &call))
		return true;
	return expression_tree_walker(node, is_private_call, context);
}

/* Does the query show rows that it reads, or what exact aggregates make of them?  With private calls it is a level. */
static bool
shows_rows(Query *query, Around around)
{
	return reads_rows(query, around) &&
		   !(query->hasAggs && (is_private_call((Node *) query->targetList, NULL) ||
								is_private_call(query->havingQual, NULL)));
}

/* ---------------------------------------------------------------------------
 * Groups
 * ---------------------------------------------------------------------------
 */

/* The relations of the query's own FROM that have protected rows. */
static Bitmapset *
protected_relations(Query *query, Around around)
{
	Bitmapset *result = NULL;
	ListCell *lc;

	around = inside_of(around, query);
	foreach (lc, query->rtable)
		if (has_rows(lfirst(lc), around))
			result = bms_add_member(result, foreach_current_index(lc) + 1);
	return result;
}

/* What a key is computed of; from 18 on the target list has a column of the groups instead. */
static Node *
computed_key(const Query *query, Node *key)
{
	const Var *var = (const Var *) key;
	Node *grouped = IsA(var, Var) && var->varlevelsup == 0
						? gaussdp_grouped_column(rt_fetch(var->varno, query->rtable), var->varattno)
						: NULL;

	return grouped != NULL ? grouped : key;
}

/*
 * Are the group keys public: those of other tables that an outer join shows in any case, or else declared so, or
 * labels?  The side that the join keeps decides.
 */
static bool
has_public_keys(Query *query, Around around)
{
	const Bitmapset *kept = gaussdp_kept_relations(query, protected_relations(query, around));
	int64 combinations = 1;
	ListCell *lc;

	around = inside_of(around, query);
	foreach (lc, query->groupClause)
	{
		Node *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), query->targetList);
		GaussdpColumn declared;

		if (kept != NULL ? !gaussdp_is_kept(query, computed_key(query, key), kept)
						 : !(gaussdp_declared_column((Expr *) key, around.queries, &declared) &&
							 OidIsValid(declared.key_table)) &&
							   !(gaussdp_is_never_null(computed_key(query, key), around.queries) &&
								 gaussdp_has_labels(key, &combinations)))
			return false;
	}
	return true;
}

static bool
finds_keep_group(Node *node, void *context)
{
	GaussdpCall call;

	if (node == NULL || IsA(node, Query))
		return false;
	if (IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call) &&
		call.decides_on_groups)
		return true;
	return expression_tree_walker(node, finds_keep_group, context);
}

/* HAVING dp_keep_group(*), beside what HAVING demands already */
static void
hide_small_groups(Query *query)
{
	Aggref *keep = makeNode(Aggref);

	if (finds_keep_group(query->havingQual, NULL))
		return;
	keep->aggfnoid = gaussdp_call_named("dp_keep_group", NIL);
	keep->aggtype = BOOLOID;
	keep->aggstar = true;
	keep->aggkind = AGGKIND_NORMAL;
	keep->aggsplit = AGGSPLIT_SIMPLE;
	keep->aggno = keep->aggtransno = -1;
	keep->location = -1;
	query->havingQual =
		query->havingQual == NULL
			? (Node *) keep
			: (Node *) makeBoolExpr(AND_EXPR, list_make2(query->havingQual, keep), -1);
	query->hasAggs = true;
}

/*
 * A count of a public key that has few rows may come out below 0, which nobody who asks by count(*) expects.  Only where it is shown as it is, before it becomes a
 * private one: what is computed of it stays as little off as it can be.
 */
static void
show_no_negative_counts(Query *query)
{
	ListCell *lc;

	foreach (lc, query->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);
		const Aggref *agg = (const Aggref *) target->expr;
		MinMaxExpr *greatest;

		if (!IsA(agg, Aggref) || target->resjunk ||
			(agg->aggfnoid != F_COUNT_ && agg->aggfnoid != F_COUNT_ANY))
			continue;
		greatest = makeNode(MinMaxExpr);
		greatest->minmaxtype = INT8OID;
		greatest->op = IS_GREATEST;
		greatest->args =
			list_make2(target->expr, makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
											   Int64GetDatum(0), false, FLOAT8PASSBYVAL));
		greatest->location = -1;
		target->expr = (Expr *) greatest;
	}
}

/* ---------------------------------------------------------------------------
 * A query
 * ---------------------------------------------------------------------------
 */

static void
tell_once(void)
{
	static bool told = false;

	if (told)
		return;
	told = true;
	ereport(NOTICE,
			(errmsg("answers over protected tables are noisy, and small groups may be hidden"),
			 errdetail("gaussdp.answer_plain_sql is on: aggregates over tables that this role may "
					   "not read are answered by private ones."),
			 errhint("gaussdp.explain_privacy(query) shows the noise and the price.")));
}

void
gaussdp_tell_of_plain(const GaussdpPlainNotes *notes)
{
	if (notes->has_answers)
		tell_once();
	if (notes->has_extremes)
		ereport(
			NOTICE,
			(errmsg("min and max of a group leave out its outermost rows"),
			 errdetail("The smallest and the largest value are one person's. What is shown is the "
					   "value beyond which about 20 k / mu rows lie, or half of a small group.")));
}

/* Rows of each person, which a query around may aggregate: GROUP BY has the column that says whose they are, or one that names a row. */
static bool
is_by_person(Query *query, Around around)
{
	ListCell *lc;

	around = inside_of(around, query);
	foreach (lc, query->groupClause)
	{
		Node *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), query->targetList);
		AttrNumber column;
		RangeTblEntry *table = gaussdp_base_column((Expr *) key, around.queries, &column);
		GaussdpTable declared;

		/* The unit column of a table that has a path is part of what names a row. */
		if (table != NULL && gaussdp_needs_proof(table) && gaussdp_table(table->relid, &declared) &&
			declared.usable && !declared.has_path && column == declared.unit)
			return true;
	}
	return gaussdp_groups_by_row(query, around.queries);
}

/* Does an outer join keep rows of FROM beside which no row of a person stands? */
static bool
keeps_public_rows(Query *query, Around around)
{
	ListCell *lc;

	around = inside_of(around, query);
	foreach (lc, query->rtable)
		if (has_rows(lfirst(lc), around) &&
			!gaussdp_may_be_missing(query, (Index) (foreach_current_index(lc) + 1)))
			return false;
	return true;
}

/* A query whose own FROM has protected rows. */
static void
answer_query(Query *query, Around around)
{
	bool has_keys;

	if (query->commandType != CMD_SELECT || query->setOperations != NULL)
		return;
	gaussdp_group_by_distinct(query);
	if (is_by_person(query, around))
		return;
	if (!query->hasAggs && query->groupClause == NIL)
		return;
	gaussdp_reduce_outer_joins(query);
	gaussdp_average_quotients(query, inside_of(around, query).queries);
	gaussdp_guard_divisors(query);
	has_keys = query->groupClause != NIL && query->hasAggs && has_public_keys(query, around);
	if (has_keys)
		show_no_negative_counts(query);
	around.notes->has_answers = true;
	/* Rows of people alone can be numbered; else the values are counted. */
	if (!keeps_public_rows(query, around))
		gaussdp_count_rows_once(query, inside_of(around, query).queries);
	gaussdp_write_counterparts(query, inside_of(around, query).queries, around.notes);
	if (query->groupClause != NIL && !has_keys)
		hide_small_groups(query);
}

static bool answer_walker(Node *node, Around *around);

/* Inner queries first, so that it is known of them whether they show rows or released values. */
static void
answer(Query *query, Around around)
{
	Around inside = inside_of(around, query);
	int nentries = list_length(query->rtable);
	ListCell *lc;

	check_stack_depth();
	CHECK_FOR_INTERRUPTS();
	if (query->hasSubLinks && !reads_rows(query, around))
		gaussdp_join_correlated(query);
	for (int i = 1; i <= nentries; i++)
	{
		RangeTblEntry *entry = rt_fetch(i, query->rtable);

		if (entry->rtekind == RTE_SUBQUERY && entry->subquery->setOperations != NULL)
			gaussdp_add_up_parts(query, (Index) i, protected_relations(entry->subquery, inside));
	}
	foreach (lc, query->cteList)
		answer(castNode(Query, lfirst_node(CommonTableExpr, lc)->ctequery), inside);
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_SUBQUERY)
			answer(entry->subquery, inside);
	}
	if (query->hasSubLinks)
		/* Row security stands in the range table, and is its owner's text. */
		(void) query_tree_walker(query, answer_walker, &inside,
								 QTW_IGNORE_RANGE_TABLE | QTW_IGNORE_CTE_SUBQUERIES);
	if (reads_rows(query, around))
		answer_query(query, around);
	/* With private calls it shows no rows any more. */
	(void) hash_search(around.known, &query, HASH_REMOVE, NULL);
}

static bool
answer_walker(Node *node, Around *around)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		/* What is asked of each row is asked of its person: a number that is not shown (sublink.c). */
		if (!gaussdp_is_correlated((Query *) node))
			answer((Query *) node, *around);
		return false;
	}
	return expression_tree_walker(node, answer_walker, around);
}

static bool
count_protected(Node *node, int *n)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
	{
		*n += gaussdp_needs_proof((RangeTblEntry *) node);
		return false;
	}
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, count_protected, n, QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, count_protected, n);
}

/* How many entries need a proof, as the query is now? */
static int
find_protected(Query *query)
{
	GaussdpVerifier v = {.location = -1};
	int n = 0;

	gaussdp_find_protected_entries(&v, query);
	if (v.needs_proof)
		(void) count_protected((Node *) query, &n);
	return n;
}

/*
 * What an owner's view publishes is shown as it is, unless private calls depend on it: of that we know when these are there, and then
 * its aggregates become private, too, as if they were written in the query.
 */
GaussdpPlainNotes
gaussdp_answer_plain(Query *query)
{
	HASHCTL control = {.keysize = sizeof(Query *), .entrysize = sizeof(Known)};
	GaussdpPlainNotes notes = {0};
	Around around = {NIL, NULL, &notes};
	int found = 0;

	if (!gaussdp_answer_plain_sql)
		return notes;
	control.hcxt = CurrentMemoryContext;
	for (int n; (n = find_protected(query)) > found;)
	{
		found = n;
		/* labels outlive DROP EXTENSION */
		if (!OidIsValid(get_extension_oid("gaussdp", true)))
			break;
		around.known = hash_create("queries", 16, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
		answer(query, around);
		hash_destroy(around.known);
	}
	return notes;
}
