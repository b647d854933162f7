/*
 * verify.c
 *		The walk over query levels: what may stand around a level, and where.
 *
 * Around a level everything is post-processing of released numbers, as long as the level is executed
 * once: so no query on the way to it may be correlated, lateral, recursive or a sub-select that is
 * evaluated for rows.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "policy/guard.h"
#include "policy/plan.h"
#include "policy/size.h"
#include "policy/subject.h"
#include "policy/verify.h"

#define ROWS_HINT "Name the protected table itself in FROM of the query that has the dp_ calls."
#define WITH_HINT "Write the level as a WITH query at the top and refer to its result."

static bool verify_query(Verifier *v, Query *query, bool is_top);

bool
refuse(Verifier *v, Rule rule, int location, const char *detail, const char *hint)
{
	if (!v->refused)
	{
		v->refused = true;
		v->rule = rule;
		v->location = location;
		v->detail = detail;
		v->hint = hint;
	}
	return false;
}

bool
is_protected(Verifier *v, const RangeTblEntry *entry)
{
	return gaussdp_is_to_prove(entry);
}

static bool
reads_protected_walker(Node *node, Verifier *v)
{
	if (node == NULL)
		return false;
	if (IsA(node, RangeTblEntry))
		return is_protected(v, (RangeTblEntry *) node);
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, reads_protected_walker, v,
								 QTW_EXAMINE_RTES_BEFORE);
	return expression_tree_walker(node, reads_protected_walker, v);
}

bool
reads_protected(Verifier *v, Node *node)
{
	return reads_protected_walker(node, v);
}

static bool
refers_outwards(Node *node, Index *depth)
{
	if (node == NULL)
		return false;
	if (IsA(node, Var))
		return ((Var *) node)->varlevelsup > *depth;
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup > *depth)
		return true;
	if (IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup > *depth)
		return true;
	if (IsA(node, Query))
	{
		bool found;

		(*depth)++;
		found = query_tree_walker((Query *) node, refers_outwards, depth, 0);
		(*depth)--;
		return found;
	}
	return expression_tree_walker(node, refers_outwards, depth);
}

bool
is_correlated(Query *query)
{
	Index depth = 0;

	return query_tree_walker(query, refers_outwards, &depth, 0);
}

/* Does this query's own FROM name a protected table? */
static bool
is_level(Verifier *v, Query *query)
{
	ListCell *lc;

	foreach (lc, query->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_RELATION &&
			is_protected(v, lfirst_node(RangeTblEntry, lc)))
			return true;
	return false;
}

bool
shows_rows(Verifier *v, Query *query)
{
	return is_level(v, query) && !query->hasAggs;
}

typedef struct SublinkContext
{
	Verifier *v;
	Query *host;
} SublinkContext;

/* Stops, with true, at the first sub-select that is refused. */
static bool
refuses_a_sublink(Node *node, SublinkContext *context)
{
	Verifier *v = context->v;

	if (node == NULL)
		return false;
	if (IsA(node, SubLink))
	{
		SubLink *sublink = (SubLink *) node;
		Query *query = (Query *) sublink->subselect;

		if (refuses_a_sublink(sublink->testexpr, context))
			return true;
		if (!reads_protected(v, (Node *) query))
			return false;
		if (sublink->subLinkType != EXPR_SUBLINK || !is_level(v, query))
			return !refuse(
				v, RULE_PLACE, exprLocation(node),
				"this kind of sub-select over a protected table may be executed for each row",
				WITH_HINT);
		if (!verify_query(v, query, false))
			return true;
		fence_scalar(context->host, sublink);
		v->scalars = lappend(v->scalars, sublink);
		return false;
	}
	return expression_tree_walker(node, refuses_a_sublink, context);
}

static bool
verify_sublinks(Verifier *v, Query *query)
{
	SublinkContext context = {v, query};

	return !query_tree_walker(query, refuses_a_sublink, &context,
							  QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
}

static bool
verify_with(Verifier *v, Query *query)
{
	ListCell *lc;

	foreach (lc, query->cteList)
	{
		CommonTableExpr *cte = lfirst_node(CommonTableExpr, lc);

		if (!reads_protected(v, cte->ctequery))
			continue;
		if (cte->cterecursive)
			return refuse(v, RULE_ONCE, cte->location, "a recursive query is executed many times",
						  "Write the level as a WITH query that the recursive one reads.");
		if (cte->cterefcount == 0)
			return refuse(v, RULE_ONCE, cte->location, "this WITH query is never read",
						  "Leave it out, or read it.");
		if (shows_rows(v, castNode(Query, cte->ctequery)))
			return refuse(v, RULE_LEVEL, cte->location,
						  "a WITH query shows rows to the query around it", ROWS_HINT);
		if (!verify_query(v, castNode(Query, cte->ctequery), false))
			return false;
		cte->ctematerialized = CTEMaterializeAlways;
	}
	return true;
}

static bool
verify_range_table(Verifier *v, Query *query)
{
	ListCell *lc;

	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);
		Query *sub = entry->subquery;

		if (entry->rtekind != RTE_SUBQUERY || !reads_protected(v, (Node *) sub))
			continue;
		if (entry->lateral)
			return refuse(v, RULE_ONCE, -1, "LATERAL executes the level for each row before it",
						  WITH_HINT);
		if (shows_rows(v, sub))
			return refuse(v, RULE_LEVEL, -1,
						  query->setOperations != NULL
							  ? "UNION, INTERSECT or EXCEPT of rows"
							  : "a view or sub-select shows rows to the query around it",
						  ROWS_HINT);
		if (is_level(v, sub))
		{
			if (!verify_query(v, sub, false))
				return false;
			fence_query(sub);
		}
		else if (!verify_query(v, sub, false))
			return false;
	}
	return true;
}

/* A query that reads released values only, from levels below it. */
static bool
verify_surroundings(Verifier *v, Query *query, bool is_top)
{
	if (query->commandType != CMD_SELECT && !(is_top && query->commandType == CMD_INSERT))
		return refuse(
			v, RULE_PLACE, -1, "only SELECT and INSERT ... SELECT may contain a level",
			"Store the result with INSERT ... SELECT or CREATE TABLE AS, and go on from there.");
	if (query->utilityStmt != NULL || query->hasModifyingCTE || query->mergeActionList != NIL)
		return refuse(v, RULE_PLACE, -1, "a WITH query changes data",
					  "Run it as a statement of its own.");
	if (query->hasForUpdate || query->rowMarks != NIL)
		return refuse(v, RULE_PLACE, -1, "FOR UPDATE and its like lock single rows",
					  "Leave out the locking clause.");
	return true;
}

void
flatten_joins(Query *q)
{
	ListCell *lc;

	foreach (lc, q->rtable)
		if (lfirst_node(RangeTblEntry, lc)->rtekind == RTE_JOIN)
			break;
	if (lc == NULL)
		return;
	q->targetList = (List *) gaussdp_flatten_joins(q, (Node *) q->targetList);
	q->havingQual = gaussdp_flatten_joins(q, q->havingQual);
	q->jointree = (FromExpr *) gaussdp_flatten_joins(q, (Node *) q->jointree);
}

static bool
verify_one_query(Verifier *v, Query *query, bool is_top)
{
	if (!is_top && is_correlated(query))
		return refuse(v, RULE_ONCE, -1,
					  "this query refers to one around it, for each row of which it would be "
					  "executed again",
					  WITH_HINT);
	if (is_level(v, query))
	{
		flatten_joins(query);
		gaussdp_guard_level(query);
	}
	if (!verify_with(v, query) || !verify_sublinks(v, query))
		return false;
	if (is_level(v, query))
		return verify_level(v, query);
	return verify_surroundings(v, query, is_top) && verify_range_table(v, query);
}

static bool
verify_query(Verifier *v, Query *query, bool is_top)
{
	bool proven;

	if (!reads_protected(v, (Node *) query))
		return true;
	v->queries = lcons(query, v->queries);
	proven = verify_one_query(v, query, is_top);
	v->queries = list_delete_first(v->queries);
	return proven;
}

/* An entry of a labelled relation needs a proof if the current role may not read it by itself. */
static void
collect_entry(Verifier *v, Query *query, RangeTblEntry *entry)
{
	List *permissions = gaussdp_query_permissions(query);

	if (!gaussdp_is_protected(entry->relid))
		return;
	gaussdp_unmark_entry(entry);
	v->touches = true;
	if (gaussdp_entry_is_allowed(permissions, entry, true))
		return;
	if (!gaussdp_entry_is_allowed(permissions, entry, false))
	{
		v->refused_by_core = bms_add_member(v->refused_by_core, list_length(v->found));
		v->relation = v->relation ? v->relation : entry->relid;
	}
	v->found = lappend(v->found, entry);
}

static void collect_entries(Verifier *v, Query *query);

static bool
collect_from_sublinks(Node *node, Verifier *v)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
	{
		collect_entries(v, (Query *) node);
		return false;
	}
	return expression_tree_walker(node, collect_from_sublinks, v);
}

/* Every query is walked here: without sub-selects its expressions need not be looked at. */
static void
collect_entries(Verifier *v, Query *query)
{
	ListCell *lc;

	check_stack_depth();
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		CHECK_FOR_INTERRUPTS();
		if (entry->rtekind == RTE_RELATION)
			collect_entry(v, query, entry);
		else if (entry->rtekind == RTE_SUBQUERY)
			collect_entries(v, entry->subquery);
		else if (entry->rtekind == RTE_FUNCTION)
			v->calls_in_from = true;
	}
	foreach (lc, query->cteList)
		collect_entries(v, castNode(Query, lfirst_node(CommonTableExpr, lc)->ctequery));
	if (query->hasSubLinks)
		(void) query_tree_walker(query, collect_from_sublinks, v,
								 QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES);
}

/* Verifies the entries chosen; a verified query is fenced and marked. */
static bool
verify(Verifier *v, Query *query)
{
	ListCell *lc;

	if (!flatten_rows(v, query) || !verify_query(v, query, true))
		return false;
	foreach (lc, v->levels)
		gaussdp_mark_entry(((Level *) lfirst(lc))->entry, foreach_current_index(lc));
	return true;
}

/* Verifies a copy of the query as far as these of its entries go; NULL where that is refused. */
static Query *
try_entries(Verifier *v, const Query *query, const Bitmapset *chosen)
{
	Query *copy = copyObject(unconstify(Query *, query));
	int i = -1;

	*v = (Verifier){.source = v->source};
	collect_entries(v, copy);
	while ((i = bms_next_member(chosen, i)) >= 0)
		gaussdp_mark_to_prove(list_nth(v->found, i));
	return verify(v, copy) ? copy : NULL;
}

/* Is there a dp_ call?  Without one no level can be proven. */
static bool
has_private_call(Node *node, void *context)
{
	GaussdpCall call;

	if (node == NULL)
		return false;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call))
		return true;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_private_call, context, 0);
	return expression_tree_walker(node, has_private_call, context);
}

Query *
gaussdp_prove(Verifier *v, Query *query)
{
	Bitmapset *chosen;
	Query *verified = NULL;
	int64 nnodes;
	int nfound;
	ListCell *lc;

	collect_entries(v, query);
	chosen = bms_copy(v->refused_by_core);
	nfound = list_length(v->found);
	if (nfound == 0 || (bms_is_empty(chosen) && !has_private_call((Node *) query, NULL)))
		return NULL;
	nnodes = gaussdp_check_size(query);
	if (bms_num_members(chosen) == nfound)
	{
		foreach (lc, v->found)
			gaussdp_mark_to_prove(lfirst(lc));
		return verify(v, query) ? query : NULL;
	}
	if (!bms_is_empty(chosen) && (verified = try_entries(v, query, chosen)) == NULL)
		return NULL;
	gaussdp_check_limit((nfound - bms_num_members(chosen)) * nnodes, GAUSSDP_MAX_TRIED,
						"nodes in all, counted once for each table that is reached through a view");
	for (int i = 0; i < nfound; i++)
	{
		Verifier attempt = {.source = v->source};
		Bitmapset *more = bms_add_member(bms_copy(chosen), i);
		Query *better;

		if (bms_is_member(i, chosen) || (better = try_entries(&attempt, query, more)) == NULL)
			continue;
		chosen = more;
		verified = better;
		*v = attempt;
	}
	return verified;
}
