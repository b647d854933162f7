/*
 * flatten.c
 *		A view, sub-select or WITH query that only projects and filters one protected table counts as it.
 *
 * Before a query is verified, such items of FROM are written out: the table takes the item's place,
 * the item's expressions that of its columns, and its conditions go to where they mean the same, ON
 * of the join that may miss the item's rows, or WHERE.  The rules then see one flat level, and what
 * they say of conditions and columns holds for those of views too.
 *
 * Conditions may be evaluated in another order than before, also those of a security_barrier view. It
 * cannot be seen: a level has total and leakproof functions only (rule 2), wherever they come from.
 *
 * A public item that is computed of one generate_series is written out likewise, where no join may miss its rows.
 *
 * Items that group a person's rows, or join them, are left as they are (inner.c); a WITH query that does becomes a
 * sub-select wherever it is read.
 *
 * PostgreSQL's permission checks on views stay: their entries remain in the range table, unread.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "aggregate/bounds.h"
#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

#define FIRST_HINT                                                                                 \
	"For each person's first rows let it have row_number() OVER (PARTITION BY unit ORDER BY ...) " \
	"AS n, and the query around WHERE n = 1."

#define FLATTEN_HINT                                                                               \
	"Let it name columns and conditions of one table only, and write everything else in the "      \
	"query "                                                                                       \
	"that has the dp_ calls, or in a query around that."

/* Does the query group rows, join tables, or have windows or elements of arrays?  Then it is no table that is projected and filtered. */
static bool
is_more_than_table(const Query *q)
{
	return q->groupClause != NIL || q->windowClause != NIL || q->hasTargetSRFs ||
		   list_length(q->jointree->fromlist) != 1 ||
		   !IsA(linitial(q->jointree->fromlist), RangeTblRef);
}

/* What a query has beside columns and conditions of one table; NULL for nothing. */
static const char *
more_than_rows(Query *q)
{
	static const GaussdpClauseWords words[] = {
		{GAUSSDP_CLAUSE_COMMAND | GAUSSDP_CLAUSE_CHANGE, "a change of data"},
		{GAUSSDP_CLAUSE_SET_OPERATION, "UNION, INTERSECT or EXCEPT"},
		{GAUSSDP_CLAUSE_GROUPING_SETS | GAUSSDP_CLAUSE_HAVING, "GROUP BY or HAVING"},
		{GAUSSDP_CLAUSE_DISTINCT | GAUSSDP_CLAUSE_DISTINCT_ON, "DISTINCT"},
		{GAUSSDP_CLAUSE_LIMIT, "LIMIT or OFFSET"},
		{GAUSSDP_CLAUSE_ORDER, "ORDER BY"},
		{GAUSSDP_CLAUSE_LOCK, "FOR UPDATE or its like"},
		{GAUSSDP_CLAUSE_SERIES, "a function that returns a set"},
		{GAUSSDP_CLAUSE_SUBLINK, "a sub-select"},
		{GAUSSDP_CLAUSE_WITH, "a WITH query"},
		{0, NULL}};
	const char *clause = gaussdp_clause_words(gaussdp_clauses(q), words);

	if (clause != NULL)
		return clause;
	if (contain_volatile_functions((Node *) q->targetList) ||
		contain_volatile_functions(q->jointree->quals))
		return "a volatile function";
	return NULL;
}

/* Only what is flat and refers to nothing around it can take another place. */
static bool
verify_flat(GaussdpVerifier *v, const RangeTblEntry *item, Query *q)
{
	const char *more = more_than_rows(q);

	if (more != NULL)
		return gaussdp_refuse(
			v, GAUSSDP_RULE_LEVEL, -1,
			psprintf("a view, sub-select or WITH query of rows does more than project and "
					 "filter: it has %s",
					 more),
			q->limitCount != NULL || q->hasDistinctOn ? FIRST_HINT : FLATTEN_HINT);
	if (item->lateral || gaussdp_is_correlated(q))
		return gaussdp_refuse(v, GAUSSDP_RULE_ONCE, -1,
							  "a sub-select of rows refers to a query or relation around it",
							  FLATTEN_HINT);
	return true;
}

/* One item of FROM, on its way out. */
typedef struct Flattened
{
	GaussdpVerifier *v;
	Index rti;       /* its index in the range table */
	Index table;     /* that of the protected table which takes its place */
	List *columns;   /* of TargetEntry: what its columns stand for */
	Node *condition; /* what it demands of the table's rows */
	bool is_missed;  /* may a join leave its rows out? */
	Oid relation;    /* the protected table */
} Flattened;

/* An item's columns are copied to each place where they are named, in several steps perhaps. */
static void
count_written_out(GaussdpVerifier *v, Node *node)
{
	v->written_out += gaussdp_count_nodes(node);
	gaussdp_check_limit(
		v->written_out, GAUSSDP_MAX_NODES,
		"nodes after views, sub-selects and WITH queries of rows have been written out");
}

/* What a column of the item stands for: NULL where a join has made the row up, whatever is computed. */
static Node *
column_of_present_rows(const Flattened *item, const TargetEntry *column)
{
	Expr *expr = copyObject(column->expr);
	AttrNumber unit = gaussdp_unit_column(item->relation);
	CaseWhen *when = makeNode(CaseWhen);
	CaseExpr *result = makeNode(CaseExpr);
	Oid type;
	int32 typmod;
	Oid collation;

	if (!item->is_missed || IsA(expr, Var) || unit == InvalidAttrNumber)
		return (Node *) expr;
	get_atttypetypmodcoll(item->relation, unit, &type, &typmod, &collation);
	when->expr =
		gaussdp_make_present((Expr *) makeVar(item->table, unit, type, typmod, collation, 0));
	when->result = expr;
	when->location = -1;
	result->casetype = exprType((Node *) expr);
	result->casecollid = exprCollation((Node *) expr);
	result->args = list_make1(when);
	result->defresult =
		(Expr *) makeNullConst(result->casetype, exprTypmod((Node *) expr), result->casecollid);
	result->location = -1;
	return (Node *) result;
}

/* The tree with the item's columns replaced by what they stand for. */
static Node *
replace_columns(Node *node, void *context)
{
	Flattened *item = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var))
	{
		Var *var = (Var *) node;
		TargetEntry *column;

		if (var->varno != (int) item->rti || var->varlevelsup > 0)
			return copyObject(node);
		column = var->varattno > 0 ? get_tle_by_resno(item->columns, var->varattno) : NULL;
		if (column != NULL)
			count_written_out(item->v, (Node *) column->expr);
		if (column != NULL)
			return gaussdp_seen_above(column_of_present_rows(item, column), item->table, var);
		gaussdp_refuse(item->v, GAUSSDP_RULE_LEVEL, var->location,
					   "whole rows and system columns tell which row they belong to",
					   "Name the columns.");
		return node;
	}
	/* Sub-selects stay as they are; one that refers to the item is found later. */
	if (IsA(node, Query))
		return node;
	return expression_tree_mutator(node, replace_columns, item);
}

static void
replace_columns_of_query(Query *q, Flattened *item)
{
	ListCell *lc;

	q->targetList = (List *) replace_columns((Node *) q->targetList, item);
	q->havingQual = replace_columns(q->havingQual, item);
	q->jointree = (FromExpr *) replace_columns((Node *) q->jointree, item);
	gaussdp_mutate_groups(q, replace_columns, item);
	foreach (lc, q->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		entry->joinaliasvars = (List *) replace_columns((Node *) entry->joinaliasvars, item);
		entry->functions = (List *) replace_columns((Node *) entry->functions, item);
	}
}

/* Does relation rti stand in this part of FROM where a join may leave its rows out? */
static bool
is_missed(Node *node, Index rti, bool here)
{
	if (IsA(node, RangeTblRef))
		return here && ((RangeTblRef *) node)->rtindex == (int) rti;
	if (IsA(node, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) node;
		bool left = join->jointype == JOIN_RIGHT || join->jointype == JOIN_FULL;
		bool right = join->jointype == JOIN_LEFT || join->jointype == JOIN_FULL;

		return is_missed(join->larg, rti, here || left) ||
			   is_missed(join->rarg, rti, here || right);
	}
	if (IsA(node, FromExpr))
	{
		ListCell *lc;

		foreach (lc, ((FromExpr *) node)->fromlist)
			if (is_missed(lfirst(lc), rti, here))
				return true;
	}
	return false;
}

bool
gaussdp_may_be_missing(const Query *query, Index rti)
{
	return is_missed((Node *) query->jointree, rti, false);
}

/*
 * Puts the table where the item stands in this part of FROM, and the item's condition where it means
 * the same: rows that an outer join preserves are filtered above it, others in its ON.
 */
static bool
replace_source(Node *node, Flattened *item)
{
	if (IsA(node, RangeTblRef))
	{
		RangeTblRef *ref = (RangeTblRef *) node;

		if (ref->rtindex != (int) item->rti)
			return false;
		ref->rtindex = (int) item->table;
		return true;
	}
	if (IsA(node, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) node;
		bool in_left = replace_source(join->larg, item);
		bool in_right = !in_left && replace_source(join->rarg, item);

		if (!in_left && !in_right)
			return false;
		if (join->jointype != JOIN_INNER && join->jointype != JOIN_LEFT &&
			join->jointype != JOIN_RIGHT)
			gaussdp_refuse(item->v, GAUSSDP_RULE_LEFT_JOIN, -1,
						   "this kind of join makes up rows on both sides",
						   "Use LEFT JOIN from the public relation, or a plain join.");
		if (join->jointype == JOIN_INNER || (join->jointype == JOIN_LEFT) == in_right)
		{
			join->quals = make_and_qual(join->quals, item->condition);
			item->condition = NULL;
		}
		return true;
	}
	if (IsA(node, FromExpr))
	{
		FromExpr *from = (FromExpr *) node;
		ListCell *lc;

		foreach (lc, from->fromlist)
		{
			if (!replace_source(lfirst(lc), item))
				continue;
			from->quals = make_and_qual(from->quals, item->condition);
			item->condition = NULL;
			return true;
		}
	}
	return false;
}

void
gaussdp_retire_entry(RangeTblEntry *entry)
{
	/* In 15 another entry is checked for the view, which is now among the query's own. */
	entry->rtekind = gaussdp_entry_is_checked(entry) ? RTE_RELATION : RTE_RESULT;
	entry->subquery = NULL;
	entry->security_barrier = false;
	entry->inh = false;
	entry->ctename = NULL;
	entry->ctelevelsup = 0;
	entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
}

/* Writes item number rti of FROM out, which is sub. */
static bool
flatten_item(GaussdpVerifier *v, Query *q, Index rti, Query *sub)
{
	RangeTblEntry *entry = rt_fetch(rti, q->rtable);
	Flattened item = {.v = v, .rti = rti};

	count_written_out(v, (Node *) sub);
	if (!verify_flat(v, entry, sub))
		return false;
	OffsetVarNodes((Node *) sub, list_length(q->rtable), 0);
	item.table = linitial_node(RangeTblRef, sub->jointree->fromlist)->rtindex;
	item.columns = sub->targetList;
	item.condition = sub->jointree->quals;
	item.is_missed = is_missed((Node *) q->jointree, rti, false);
	gaussdp_combine_range_tables(q, sub);
	item.relation = rt_fetch(item.table, q->rtable)->relid;
	q->hasRowSecurity |= sub->hasRowSecurity;
	replace_columns_of_query(q, &item);
	/* Refused or not: the entries of sub are now this query's, which has their permissions. */
	gaussdp_retire_entry(entry);
	if (!replace_source((Node *) q->jointree, &item) || rangeTableEntry_used((Node *) q, rti, 0))
		return gaussdp_refuse(v, GAUSSDP_RULE_ONCE, -1,
							  "a sub-select or LATERAL item refers to columns of protected rows",
							  FLATTEN_HINT);
	return !v->refused;
}

/* The rows of a WITH query, read where its entry is. */
static void
read_in_place(GaussdpVerifier *v, RangeTblEntry *entry, CommonTableExpr *cte)
{
	count_written_out(v, cte->ctequery);
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = copyObject(castNode(Query, cte->ctequery));
	IncrementVarSublevelsUp((Node *) entry->subquery, (int) entry->ctelevelsup, 1);
	entry->ctename = NULL;
	entry->ctelevelsup = 0;
	entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
}

/* The items of this query's own FROM. */
static bool
flatten_from(GaussdpVerifier *v, Query *q)
{
	int nentries = list_length(q->rtable);
	int nitems = 0;

	for (Index rti = 1; rti <= (Index) nentries; rti++)
	{
		RangeTblEntry *entry = rt_fetch(rti, q->rtable);
		CommonTableExpr *cte = gaussdp_cte_of(entry, v->queries);
		Query *sub = cte != NULL ? castNode(Query, cte->ctequery) : entry->subquery;

		CHECK_FOR_INTERRUPTS();
		if (sub == NULL || (cte != NULL && cte->cterecursive) ||
			(!gaussdp_shows_rows(sub) && !gaussdp_shows_people(sub)))
			continue;
		gaussdp_check_limit(++nitems, GAUSSDP_MAX_RELATIONS,
							"relations in FROM beside one another");
		/* Each reader of a WITH query reads the table by itself, and is a level by itself. */
		if (!gaussdp_shows_rows(sub) || is_more_than_table(sub))
		{
			if (cte == NULL)
				continue;
			read_in_place(v, entry, cte);
		}
		else
		{
			gaussdp_write_out_joins(q);
			if (!flatten_item(v, q, rti, cte != NULL ? copyObject(sub) : sub))
				return false;
		}
		if (cte != NULL && --cte->cterefcount == 0)
			cte->ctequery = NULL;
	}
	return true;
}

/* Does this query's own FROM read protected rows, or what is made of each person's? */
static bool
reads_rows(Query *q)
{
	ListCell *lc;

	foreach (lc, q->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (gaussdp_needs_proof(entry) ||
			(entry->subquery != NULL && gaussdp_shows_people(entry->subquery)))
			return true;
	}
	return false;
}

/* A calendar, WITH c AS (SELECT generate_series(...)::date AS day), as a copy; or NULL. */
static Query *
calendar_of(const RangeTblEntry *entry, const CommonTableExpr *cte)
{
	Query *sub = cte != NULL ? castNode(Query, cte->ctequery) : entry->subquery;

	if (sub == NULL || sub->commandType != CMD_SELECT || entry->lateral ||
		(cte != NULL && cte->cterecursive))
		return NULL;
	sub = copyObject(sub);
	if (!gaussdp_is_calendar(sub) || more_than_rows(sub) != NULL || gaussdp_is_correlated(sub))
		return NULL;
	return sub;
}

/* The calendars in this query's own FROM. */
static bool
flatten_calendars(GaussdpVerifier *v, Query *q)
{
	int nentries = list_length(q->rtable);

	if (!reads_rows(q))
		return true;
	for (Index rti = 1; rti <= (Index) nentries; rti++)
	{
		RangeTblEntry *entry = rt_fetch(rti, q->rtable);
		CommonTableExpr *cte = gaussdp_cte_of(entry, v->queries);
		Query *sub = calendar_of(entry, cte);

		CHECK_FOR_INTERRUPTS();
		if (sub == NULL || is_missed((Node *) q->jointree, rti, false))
			continue;
		gaussdp_write_out_joins(q);
		if (!flatten_item(v, q, rti, sub))
			return false;
		if (cte != NULL && --cte->cterefcount == 0)
			cte->ctequery = NULL;
	}
	return true;
}

/* Stops, with true, at the first sub-select that is refused. */
static bool
fails_to_flatten(Node *node, GaussdpVerifier *v)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return !gaussdp_flatten_rows(v, (Query *) node);
	return expression_tree_walker(node, fails_to_flatten, v);
}

void
gaussdp_group_by_distinct(Query *q)
{
	int others = GAUSSDP_CLAUSE_DISTINCT_ON | GAUSSDP_CLAUSE_AGGREGATE | GAUSSDP_CLAUSE_WINDOW |
				 GAUSSDP_CLAUSE_SERIES | GAUSSDP_CLAUSE_GROUP | GAUSSDP_CLAUSE_GROUPING_SETS |
				 GAUSSDP_CLAUSE_HAVING;

	if ((gaussdp_clauses(q) & (GAUSSDP_CLAUSE_DISTINCT | others)) != GAUSSDP_CLAUSE_DISTINCT)
		return;
	q->groupClause = q->distinctClause;
	q->distinctClause = NIL;
}

/* A query that others have in FROM. */
static bool
flatten_relation(GaussdpVerifier *v, Query *q)
{
	if (!gaussdp_flatten_rows(v, q))
		return false;
	if (q->distinctClause != NIL && gaussdp_shows_people(q))
		gaussdp_group_by_distinct(q);
	return true;
}

/* Inner queries first, so that each item of FROM is flat when its turn comes. */
static bool
flatten_parts(GaussdpVerifier *v, Query *q)
{
	ListCell *lc;

	foreach (lc, q->cteList)
		if (!flatten_relation(v, castNode(Query, lfirst_node(CommonTableExpr, lc)->ctequery)))
			return false;
	foreach (lc, q->rtable)
	{
		Query *sub = lfirst_node(RangeTblEntry, lc)->subquery;

		if (sub != NULL && !flatten_relation(v, sub))
			return false;
	}
	if (q->hasSubLinks && query_tree_walker(q, fails_to_flatten, v,
											QTW_IGNORE_RT_SUBQUERIES | QTW_IGNORE_CTE_SUBQUERIES))
		return false;
	gaussdp_choose_by_lists(v, q);
	gaussdp_write_sublinks_as_joins(v, q);
	if (q->commandType == CMD_SELECT && q->setOperations == NULL &&
		(!flatten_from(v, q) || !flatten_calendars(v, q)))
		return false;
	gaussdp_take_elements(q);
	/* WITH queries that all their readers have taken. */
	foreach (lc, q->cteList)
		if (lfirst_node(CommonTableExpr, lc)->ctequery == NULL)
			q->cteList = foreach_delete_current(q->cteList, lc);
	return true;
}

bool
gaussdp_flatten_rows(GaussdpVerifier *v, Query *q)
{
	bool result;

	check_stack_depth();
	v->queries = lcons(q, v->queries);
	result = flatten_parts(v, q);
	v->queries = list_delete_first(v->queries);
	return result;
}
