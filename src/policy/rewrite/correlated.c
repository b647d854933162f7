/*
 * correlated.c
 *		A count of protected rows for each row of a public table, as the outer join that it is.
 *
 *		SELECT code, (SELECT count(*) FROM customers WHERE customers.country = countries.code AND age > 30) FROM countries
 *
 * becomes, where plain SQL is answered,
 *
 *		SELECT code, CASE WHEN s.key_1 IS NOT NULL THEN s.value ELSE 0 END
 *		FROM countries LEFT JOIN (
 *			SELECT k.code AS key_1, count(*) AS value
 *			FROM (SELECT DISTINCT code FROM countries WHERE code IS NOT NULL) k LEFT JOIN customers ON customers.country = k.code AND age > 30
 *			GROUP BY k.code) s ON s.key_1 = countries.code
 *
 * so that it is one level, executed and paid once, whose groups the public table names.  What comes out is proven like any other query.
 */
#include "postgres.h"

#include "catalog/pg_class.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

/* What has been written as a join, and what stands for it. */
typedef struct Written
{
	SubLink *sublink;
	Expr *expr;
} Written;

typedef struct Correlated
{
	Query *query;
	List *written; /* of Written */
} Correlated;

/* The column of the query around that correlates a sub-select, by whatever conditions: fact.code = dim.code, or a range of a series. */
typedef struct Tie
{
	Var *outer;
	Oid opno; /* the default equality of its type */
} Tie;

static SortGroupClause *
make_clause(Oid type, Index ref)
{
	SortGroupClause *clause = makeNode(SortGroupClause);
	TypeCacheEntry *entry =
		lookup_type_cache(type, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_HASH_PROC);

	clause->tleSortGroupRef = ref;
	clause->eqop = entry->eq_opr;
	clause->sortop = entry->lt_opr;
	clause->hashable = OidIsValid(entry->hash_proc);
	return clause;
}

/* A table, or a series that depends on nothing around it. */
static bool
can_be_copied(const RangeTblEntry *entry)
{
	const Node *call;

	if (entry->rtekind != RTE_FUNCTION || list_length(entry->functions) != 1 ||
		entry->funcordinality)
		return entry->rtekind == RTE_RELATION;
	call = linitial_node(RangeTblFunction, entry->functions)->funcexpr;
	return gaussdp_is_series(unconstify(Node *, call)) &&
		   !contain_var_clause(unconstify(Node *, call)) &&
		   !contain_volatile_functions((Node *) ((const FuncExpr *) call)->args);
}

/* Does the condition speak of this one column of a table around, and of nothing else of there?  The first that does says which. */
static bool
is_tie(const Correlated *c, Node *condition, Tie *tie)
{
	List *vars = pull_vars_of_level(condition, 1);
	ListCell *lc;

	if (vars == NIL || checkExprHasSubLink(condition))
		return false;
	if (tie->outer == NULL)
		tie->outer = linitial_node(Var, vars);
	foreach (lc, vars)
		if (lfirst_node(Var, lc)->varno != tie->outer->varno ||
			lfirst_node(Var, lc)->varattno != tie->outer->varattno)
			return false;
	tie->opno = gaussdp_equality_of_type(tie->outer->vartype);
	return tie->outer->varattno > 0 && OidIsValid(tie->opno) &&
		   can_be_copied(rt_fetch(tie->outer->varno, c->query->rtable));
}

/* Takes all such conditions out of WHERE; false where there is none, or another one. */
static bool
take_tie(const Correlated *c, Query *sub, Tie *tie, Node **tied)
{
	List *ties = NIL;
	List *left = NIL;
	ListCell *lc;

	foreach (lc, gaussdp_conjuncts(sub->jointree->quals))
	{
		if (is_tie(c, lfirst(lc), tie))
			ties = lappend(ties, lfirst(lc));
		else
			left = lappend(left, lfirst(lc));
	}
	sub->jointree->quals = left != NIL ? (Node *) make_ands_explicit(left) : NULL;
	*tied = ties != NIL ? (Node *) make_ands_explicit(ties) : NULL;
	return *tied != NULL && !gaussdp_is_correlated(sub);
}

/* SELECT DISTINCT code FROM countries WHERE code IS NOT NULL */
static Query *
make_keys(const Query *around, const Tie *tie)
{
	Query *keys = makeNode(Query);
	RangeTblEntry *entry = copyObject(rt_fetch(tie->outer->varno, around->rtable));
	RangeTblRef *ref = makeNode(RangeTblRef);
	Var *column = copyObject(tie->outer);
	TargetEntry *target;

	column->varno = 1;
	column->varlevelsup = 0;
	column = castNode(Var, gaussdp_remove_nulling((Node *) column, column->varnullingrels));
	ref->rtindex = 1;
	keys->commandType = CMD_SELECT;
	keys->canSetTag = true;
	keys->rtable = list_make1(entry);
	gaussdp_move_permissions(around, keys, entry);
	keys->jointree =
		makeFromExpr(list_make1(ref), (Node *) gaussdp_make_present((Expr *) copyObject(column)));
	target = makeTargetEntry((Expr *) column, 1, "key_1", false);
	target->ressortgroupref = 1;
	keys->targetList = list_make1(target);
	keys->distinctClause = list_make1(make_clause(column->vartype, 1));
	return keys;
}

/* The outer column, in the condition, is now the key. */
typedef struct Replacement
{
	const Var *outer;
	Var *key;
} Replacement;

static Node *
put_key(Node *node, void *context)
{
	const Replacement *replacement = context;

	if (node == NULL)
		return NULL;
	if (IsA(node, Var) && ((Var *) node)->varlevelsup == 1)
		return (Node *) copyObject(replacement->key);
	return expression_tree_mutator(node, put_key, context);
}

/* The keys as an entry of the sub-select: those of a table by DISTINCT; a series has each value once.  Its index; the keys are its first column. */
static Index
add_keys(const Query *around, Query *sub, const Tie *tie)
{
	RangeTblEntry *entry = rt_fetch(tie->outer->varno, around->rtable);
	ParseState *pstate = make_parsestate(NULL);
	Index rti;

	if (entry->rtekind == RTE_FUNCTION)
	{
		sub->rtable = lappend(sub->rtable, copyObject(entry));
		llast_node(RangeTblEntry, sub->rtable)->lateral = false;
		return (Index) list_length(sub->rtable);
	}
	gaussdp_lend_entries(pstate, sub);
	rti = (Index) addRangeTableEntryForSubquery(pstate, make_keys(around, tie),
												makeAlias("keys", NIL), false, true)
			  ->p_rtindex;
	gaussdp_return_entries(pstate, sub);
	return rti;
}

/* FROM keys LEFT JOIN (FROM and WHERE of the sub-select) ON what tied it, GROUP BY key */
static void
group_by_key(const Query *around, Query *sub, const Tie *tie, Node *tied)
{
	Bitmapset *relations = gaussdp_relations_in((Node *) sub->jointree);
	Expr *value = linitial_node(TargetEntry, sub->targetList)->expr;
	ParseState *pstate = make_parsestate(NULL);
	JoinExpr *join = makeNode(JoinExpr);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Replacement replacement = {tie->outer, NULL};
	TargetEntry *key;

	ref->rtindex = (int) add_keys(around, sub, tie);
	gaussdp_lend_entries(pstate, sub);
	join->rtindex =
		addRangeTableEntryForJoin(pstate, NIL, NULL, JOIN_LEFT, 0, NIL, NIL, NIL, NULL, NULL, false)
			->p_rtindex;
	gaussdp_return_entries(pstate, sub);
	replacement.key = makeVar(ref->rtindex, 1, tie->outer->vartype, tie->outer->vartypmod,
							  tie->outer->varcollid, 0);
	join->jointype = JOIN_LEFT;
	join->larg = (Node *) ref;
	join->rarg = (Node *) sub->jointree;
	join->quals = put_key(tied, &replacement);
	gaussdp_make_nullable((Node *) value, relations, (Index) join->rtindex);
	sub->jointree = makeFromExpr(list_make1(join), NULL);
	key = makeTargetEntry((Expr *) replacement.key, 1, "key_1", false);
	key->ressortgroupref = 1;
	sub->targetList = list_make2(key, makeTargetEntry(value, 2, "value", false));
	sub->groupClause = list_make1(make_clause(tie->outer->vartype, 1));
	sub->sortClause = NIL;
}

/* LEFT JOIN sub ON key = column; what stands for the sub-select above it. */
static Expr *
join_values(Query *q, Query *sub, const Tie *tie, Expr *without_rows)
{
	Index join;
	JoinExpr *expr;
	Index rti = gaussdp_join_left(q, sub, &expr, &join);
	Var *key =
		makeVar(rti, 1, tie->outer->vartype, tie->outer->vartypmod, tie->outer->varcollid, 0);
	Var *outer = copyObject(tie->outer);

	outer->varlevelsup = 0;
	expr->quals = (Node *) gaussdp_make_equality(tie->opno, (Node *) outer, (Node *) key,
												 tie->outer->varcollid);
	return gaussdp_column_or(sub, rti, join, without_rows);
}

/* The sub-select as a join, if it is a number that is computed of protected rows for each row around; or NULL. */
static Expr *
write_as_join(const Correlated *c, const SubLink *sublink)
{
	Query *sub = castNode(Query, copyObject(sublink->subselect));
	int others = ~(GAUSSDP_CLAUSE_AGGREGATE | GAUSSDP_CLAUSE_ORDER | GAUSSDP_CLAUSE_SUBLINK);
	Expr *without_rows;
	Tie tie = {0};
	Node *tied;

	if (sublink->subLinkType != EXPR_SUBLINK || !sub->hasAggs ||
		(gaussdp_clauses(sub) & others) != 0 || list_length(sub->targetList) != 1 ||
		!gaussdp_shows_people(sub) || sub->jointree->fromlist == NIL)
		return NULL;
	gaussdp_write_out_joins(sub);
	if (!take_tie(c, sub, &tie, &tied))
		return NULL;
	without_rows = gaussdp_value_without_rows(linitial_node(TargetEntry, sub->targetList)->expr);
	if (contain_vars_of_level((Node *) without_rows, 0))
		return NULL;
	group_by_key(c->query, sub, &tie, tied);
	if (gaussdp_is_correlated(sub))
		return NULL;
	return join_values(c->query, sub, &tie, without_rows);
}

static Node *
rewrite(Node *node, void *context)
{
	Correlated *c = context;
	Written *written;
	Expr *expr;
	ListCell *lc;

	if (node == NULL || IsA(node, Query))
		return node;
	CHECK_FOR_INTERRUPTS();
	if (!IsA(node, SubLink))
		return expression_tree_mutator(node, rewrite, context);
	foreach (lc, c->written)
		if (equal(((Written *) lfirst(lc))->sublink, node))
			return (Node *) copyObject(((Written *) lfirst(lc))->expr);
	expr =
		list_length(c->written) < GAUSSDP_MAX_RELATIONS ? write_as_join(c, (SubLink *) node) : NULL;
	if (expr == NULL)
		return node;
	written = palloc(sizeof(Written));
	*written = (Written){(SubLink *) node, expr};
	c->written = lappend(c->written, written);
	return (Node *) copyObject(expr);
}

void
gaussdp_join_correlated(Query *query)
{
	Correlated c = {.query = query};
	int refused = ~(GAUSSDP_CLAUSE_SUBLINK | GAUSSDP_CLAUSE_ORDER | GAUSSDP_CLAUSE_LIMIT |
					GAUSSDP_CLAUSE_WITH | GAUSSDP_CLAUSE_DISTINCT);

	if (!query->hasSubLinks || (gaussdp_clauses(query) & refused) != 0 ||
		query->jointree->fromlist == NIL)
		return;
	gaussdp_write_out_joins(query);
	query->jointree->quals = rewrite(query->jointree->quals, &c);
	query->targetList = (List *) rewrite((Node *) query->targetList, &c);
	query->hasSubLinks = checkExprHasSubLink((Node *) query);
}
