/*
 * cut.c
 *		A level, cut out of the query around it: what stays there is a stand-in.
 *
 *		SELECT dept, round(dp_avg(pay, $1, 1e-6)) FROM emp WHERE day < now() GROUP BY dept ORDER BY 2
 *
 * becomes
 *
 *		SELECT l.key_1, round(l.release_1) FROM private_level(0, $1, now()) l ORDER BY 2
 *
 * where the entry of private_level carries the level itself, which reads emp and whose $2 and $3 are the
 * stand-in's arguments:
 *
 *		SELECT dept AS key_1, dp_avg(pay, $2, 1e-6) AS release_1 FROM emp WHERE day < $3 GROUP BY dept
 *
 * So all that is computed on released values is ordinary SQL of the query around, and all that a level needs
 * beside its rows is computed there too, before its first row (node.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_agg.h"
#include "parser/parse_func.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"

#include "aggregate/bounds.h"
#include "compat.h"
#include "ledger/ledger.h"
#include "policy/hints/hints.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

#define STAND_IN_SCHEMA "gaussdp_internal"
#define STAND_IN "private_level"

#define AROUND_HINT "Write the level as a WITH query, and this in the query around it."

/* A query on its way to become two. */
typedef struct Cut
{
	GaussdpVerifier *v;
	Query *query;  /* stays, around the level */
	Query *level;  /* what is cut out */
	List *keys;    /* of Node: the grouping expressions, the level's first columns */
	List *columns; /* of TargetEntry: all of its columns */
	List *refs;    /* of int: as the query's clauses name the keys */
	Index depth;   /* sub-selects between the query and the node at hand */
} Cut;

/* The column of the stand-in with this number, as it is seen at the present depth. */
static Node *
column_of_stand_in(const Cut *cut, int number)
{
	Node *expr = (Node *) list_nth_node(TargetEntry, cut->columns, number - 1)->expr;

	return (Node *) makeVar(1, (AttrNumber) number, exprType(expr), exprTypmod(expr),
							exprCollation(expr), cut->depth);
}

/* Is this node, at the present depth, the key? */
static bool
is_key(const Cut *cut, Node *node, Node *key)
{
	if (nodeTag(node) != nodeTag(key))
		return false;
	if (cut->depth == 0)
		return equal(node, key);
	key = copyObject(key);
	IncrementVarSublevelsUp(key, (int) cut->depth, 0);
	return equal(node, key);
}

/* A key by its number among them, from 1 on: as the level's clauses name it. */
static int
key_number(const Cut *cut, int ref)
{
	ListCell *lc;

	foreach (lc, cut->refs)
		if (lfirst_int(lc) == ref)
			return foreach_current_index(lc) + 1;
	elog(ERROR, "a grouping set names something that is no group key");
}

static List *
key_numbers(const Cut *cut, List *refs)
{
	List *numbers = NIL;
	ListCell *lc;

	foreach (lc, refs)
		numbers = lappend_int(numbers, key_number(cut, lfirst_int(lc)));
	return numbers;
}

/* GROUPING(...) of the level's own keys, whose numbers change. */
static Node *
grouping_of_level(Node *node, void *context)
{
	const Cut *cut = context;
	GroupingFunc *grouping;

	if (node == NULL)
		return NULL;
	if (!IsA(node, GroupingFunc) || ((GroupingFunc *) node)->agglevelsup != 0)
		return IsA(node, Query) ? node : expression_tree_mutator(node, grouping_of_level, context);
	grouping = copyObject((GroupingFunc *) node);
	grouping->refs = key_numbers(cut, grouping->refs);
	return (Node *) grouping;
}

/* A dp_ call or GROUPING becomes a column of the level; equal calls are one draw. */
static Node *
release(Cut *cut, Node *call)
{
	int nkeys = list_length(cut->keys);
	int number = nkeys;

	if (cut->depth > 0)
		gaussdp_refuse(cut->v, GAUSSDP_RULE_ONCE, exprLocation(call),
					   "this call belongs to a query around it", AROUND_HINT);
	while (++number <= list_length(cut->columns))
		if (equal(list_nth_node(TargetEntry, cut->columns, number - 1)->expr, call))
			return column_of_stand_in(cut, number);
	if (number - nkeys > GAUSSDP_MAX_RELEASES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a query may contain at most %d private aggregate calls",
							   GAUSSDP_MAX_RELEASES)));
	cut->columns =
		lappend(cut->columns, makeTargetEntry((Expr *) call, (AttrNumber) number,
											  psprintf("release_%d", number - nkeys), false));
	return column_of_stand_in(cut, number);
}

/* An expression of the target list, over columns of the stand-in. */
static Node *
over_stand_in(Node *node, void *context)
{
	Cut *cut = context;
	ListCell *lc;

	if (node == NULL)
		return NULL;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Aggref) && ((Aggref *) node)->agglevelsup == cut->depth)
		return release(cut, node);
	if (IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup == cut->depth &&
		cut->level->groupingSets != NIL)
		return release(cut, cut->depth > 0 ? node : grouping_of_level(node, cut));
	/* Without grouping sets every key is grouped by. */
	if (IsA(node, GroupingFunc) && ((GroupingFunc *) node)->agglevelsup == cut->depth)
		return (Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false,
								  true);
	foreach (lc, cut->keys)
		if (is_key(cut, node, lfirst(lc)))
			return column_of_stand_in(cut, foreach_current_index(lc) + 1);
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == cut->depth)
	{
		gaussdp_refuse(cut->v, GAUSSDP_RULE_LEVEL, ((Var *) node)->location,
					   "a column of a row would be shown",
					   "Only dp_ calls and group keys may stand here.");
		return copyObject(node);
	}
	if (IsA(node, Query))
	{
		Query *result;

		cut->depth++;
		result = query_tree_mutator((Query *) node, over_stand_in, cut, 0);
		cut->depth--;
		return (Node *) result;
	}
	return expression_tree_mutator(node, over_stand_in, cut);
}

/* The grouping expressions, as the level's own columns. */
static void
take_keys(Cut *cut)
{
	List *groups = NIL;
	ListCell *lc;

	foreach (lc, cut->query->groupClause)
	{
		SortGroupClause *clause = copyObject(lfirst_node(SortGroupClause, lc));
		Node *key = get_sortgroupclause_expr(clause, cut->query->targetList);
		int number = foreach_current_index(lc) + 1;
		TargetEntry *column;

		column = makeTargetEntry((Expr *) copyObject(key), (AttrNumber) number,
								 psprintf("key_%d", number), false);
		column->ressortgroupref = clause->tleSortGroupRef = (Index) number;
		cut->refs = lappend_int(
			cut->refs, (int) list_nth_node(SortGroupClause, cut->query->groupClause, number - 1)
						   ->tleSortGroupRef);
		groups = lappend(groups, clause);
		cut->keys = lappend(cut->keys, key);
		cut->columns = lappend(cut->columns, column);
	}
	cut->level->groupClause = groups;
}

/* Grouping sets, written out one by one; a single one is all keys. */
static bool
take_sets(Cut *cut)
{
	Query *query = cut->query;
	List *sets = NIL;
	List *refs;
	ListCell *lc;

	if (query->groupingSets == NIL)
		return true;
	refs = expand_grouping_sets(query->groupingSets, query->groupDistinct, GAUSSDP_MAX_SETS);
	gaussdp_check_limit(refs == NIL ? GAUSSDP_MAX_SETS + 1 : list_length(refs), GAUSSDP_MAX_SETS,
						"grouping sets");
	if (cut->keys == NIL && list_length(refs) > 1)
		return gaussdp_refuse(cut->v, GAUSSDP_RULE_KEYS, -1, "grouping sets without a key",
							  "Write one level for each, and combine them with UNION ALL.");
	if (list_length(refs) == 1)
		return true;
	foreach (lc, refs)
		sets = lappend(sets,
					   makeGroupingSet(lfirst(lc) == NIL ? GROUPING_SET_EMPTY : GROUPING_SET_SIMPLE,
									   key_numbers(cut, lfirst(lc)), -1));
	cut->level->groupingSets = sets;
	cut->level->havingQual = grouping_of_level(cut->level->havingQual, cut);
	return true;
}

/*
 * Clauses that would compute on rows beside the level's own, or that a level's columns have no room for.  What
 * sorts, filters or ranks released values stays in the query around.
 */
static bool
verify_clauses(GaussdpVerifier *v, const Query *q)
{
	int clauses = gaussdp_clauses(q);

	GAUSSDP_REFUSE_IF((clauses & GAUSSDP_CLAUSE_COMMAND) != 0, GAUSSDP_RULE_LEVEL, -1,
					  "only SELECT reads protected rows",
					  "Select with dp_ calls, and use the result in another statement.");
	GAUSSDP_REFUSE_IF((clauses & GAUSSDP_CLAUSE_CHANGE) != 0, GAUSSDP_RULE_LEVEL, -1,
					  "a WITH query changes data", "Run it as a statement of its own.");
	GAUSSDP_REFUSE_IF((clauses & GAUSSDP_CLAUSE_LOCK) != 0, GAUSSDP_RULE_LEVEL, -1,
					  "FOR UPDATE and its like lock single rows", "Leave out the locking clause.");
	GAUSSDP_REFUSE_IF((clauses & GAUSSDP_CLAUSE_SET_OPERATION) != 0, GAUSSDP_RULE_LEVEL, -1,
					  "a set operation on rows", AROUND_HINT);
	GAUSSDP_REFUSE_IF((clauses & GAUSSDP_CLAUSE_DEPENDENCY) != 0, GAUSSDP_RULE_KEYS, -1,
					  "a column is shown that depends on a key of single rows",
					  "Leave out the column, or name it in each grouping set, too.");
	GAUSSDP_REFUSE_IF((clauses & GAUSSDP_CLAUSE_AGGREGATE) == 0, GAUSSDP_RULE_LEVEL, -1,
					  "rows of this table are read one by one", gaussdp_aggregates_hint());
	return true;
}

/*
 * Entries of WITH queries in the level's FROM become sub-selects: whoever else reads these WITH queries does so
 * by itself.  They are public, hence have the same rows each time.
 */
static bool
take_with_queries(GaussdpVerifier *v, Query *query)
{
	ListCell *lc;

	check_stack_depth();
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);
		CommonTableExpr *cte;

		if (entry->rtekind == RTE_SUBQUERY && gaussdp_shows_people(entry->subquery))
		{
			bool taken;

			v->queries = lcons(entry->subquery, v->queries);
			taken = take_with_queries(v, entry->subquery);
			v->queries = list_delete_first(v->queries);
			if (!taken)
				return false;
			continue;
		}
		if (entry->rtekind == RTE_SUBQUERY && gaussdp_reads_protected((Node *) entry->subquery))
			return gaussdp_refuse(
				v, GAUSSDP_RULE_PUBLIC, -1,
				"protected rows are joined to the result of another level",
				"Choose by its one key, x IN (SELECT key ...), or store that result first: CREATE TABLE ... AS SELECT.");
		if (entry->rtekind != RTE_CTE)
			continue;
		cte = gaussdp_cte_of(entry, v->queries);
		if (cte == NULL || cte->cterecursive)
			return gaussdp_refuse(v, GAUSSDP_RULE_PUBLIC, -1,
								  "a recursive WITH query is joined to protected rows",
								  "Store its result first: CREATE TABLE ... AS SELECT.");
		if (gaussdp_reads_protected(cte->ctequery))
			return gaussdp_refuse(
				v, GAUSSDP_RULE_PUBLIC, -1,
				"protected rows are joined to the result of another level",
				"Choose by its one key, x IN (SELECT key ...), or store that result first: CREATE TABLE ... AS SELECT.");
		entry->rtekind = RTE_SUBQUERY;
		entry->subquery = copyObject(castNode(Query, cte->ctequery));
		IncrementVarSublevelsUp((Node *) entry->subquery, (int) entry->ctelevelsup, 1);
		entry->ctename = NULL;
		entry->ctelevelsup = 0;
		entry->coltypes = entry->coltypmods = entry->colcollations = NIL;
		cte->cterefcount--;
	}
	return true;
}

/* The level's part of the query: FROM, WHERE, GROUP BY and HAVING. */
static Query *
make_level(const Query *query)
{
	Query *level = makeNode(Query);

	level->commandType = CMD_SELECT;
	level->querySource = query->querySource;
	level->canSetTag = true;
	level->hasAggs = true;
	level->hasSubLinks = query->hasSubLinks;
	level->hasRowSecurity = query->hasRowSecurity;
	level->rtable = query->rtable;
	gaussdp_take_permissions(level, query);
	level->jointree = query->jointree;
	level->havingQual = query->havingQual;
	level->stmt_location = query->stmt_location;
	level->stmt_len = query->stmt_len;
	return level;
}

/* The stand-in in FROM of the query around, and nothing else. */
static void
put_stand_in(Cut *cut, List *arguments)
{
	Query *query = cut->query;
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblFunction *function = makeNode(RangeTblFunction);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Oid types[] = {ANYOID};
	Oid oid = LookupFuncName(list_make2(makeString(STAND_IN_SCHEMA), makeString(STAND_IN)), 1,
							 types, false);
	FuncExpr *call =
		makeFuncExpr(oid, RECORDOID, arguments, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
	List *names = NIL;
	ListCell *lc;

	foreach (lc, cut->columns)
	{
		TargetEntry *column = lfirst_node(TargetEntry, lc);
		Node *expr = (Node *) column->expr;

		names = lappend(names, makeString(pstrdup(column->resname)));
		function->funccoltypes = lappend_oid(function->funccoltypes, exprType(expr));
		function->funccoltypmods = lappend_int(function->funccoltypmods, exprTypmod(expr));
		function->funccolcollations = lappend_oid(function->funccolcollations, exprCollation(expr));
	}
	call->funcretset = true;
	function->funcexpr = (Node *) call;
	function->funccolcount = list_length(names);
	function->funccolnames = names;
	entry->rtekind = RTE_FUNCTION;
	entry->functions = list_make1(function);
	entry->subquery = cut->level;
	entry->eref = makeAlias(STAND_IN, copyObject(names));
	entry->inFromCl = true;
	ref->rtindex = 1;

	query->rtable = list_make1(entry);
	gaussdp_take_permissions(query, NULL);
	query->jointree = makeFromExpr(list_make1(ref), NULL);
	query->groupClause = NIL;
	query->groupingSets = NIL;
	query->groupDistinct = false;
	query->havingQual = NULL;
	query->hasAggs = false;
	query->hasSubLinks = true; /* some may be arguments now */
}

/* Columns of join and group entries are written out first, so that they compare. */
static void
write_out(Query *query)
{
	gaussdp_write_out_joins(query);
	gaussdp_flatten_groups(query);
}

/* What is computed on released values is in the target list; LIMIT and frames of windows have no columns. */
static void
move_to_stand_in(Cut *cut)
{
	Query *query = cut->query;

	query->targetList = (List *) over_stand_in((Node *) query->targetList, cut);
	/* A level may have calls in HAVING alone. */
	if (cut->columns == NIL)
		cut->columns =
			list_make1(makeTargetEntry((Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
														  Int32GetDatum(1), false, true),
									   1, "is_there", false));
	cut->level->targetList = cut->columns;
}

bool
gaussdp_cut_level(GaussdpVerifier *v, Query *query)
{
	Cut cut = {.v = v, .query = query};
	List *arguments;
	GaussdpVerifier early = {.source = v->source, .relation = v->relation};

	if (!verify_clauses(v, query))
		return false;
	write_out(query);
	cut.level = make_level(query);
	take_keys(&cut);
	if (!take_sets(&cut))
		return false;
	move_to_stand_in(&cut);
	if (v->refused || !take_with_queries(v, cut.level) ||
		!gaussdp_verify_inner_shapes(v, cut.level))
		return false;
	gaussdp_spell_out(cut.level);
	arguments = gaussdp_take_inputs(cut.level);
	if (gaussdp_is_correlated(cut.level))
		return gaussdp_refuse(
			v, GAUSSDP_RULE_ONCE, -1,
			"this query refers to one around it, for each row of which it would be "
			"executed again",
			"Write the level as a WITH query at the top and refer to its result.");
	if (!gaussdp_verify_columns(&early, cut.level) ||
		!gaussdp_complete_level(&early, copyObject(cut.level)))
	{
		v->relation = early.relation;
		return gaussdp_refuse(v, early.rule, early.location, early.detail, early.hint);
	}
	v->levels = list_concat(v->levels, early.levels);
	put_stand_in(&cut, arguments);
	return true;
}
