/*
 * query_tree.c
 *		From a column of a query to the table that it is of; clauses, conditions and joins of a query.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "query_tree.h"

/* A query and those around it, innermost first, as frames of the search that has gone into it: nothing is copied. */
typedef struct Frame
{
	Query *query;
	const struct Frame *outer;
} Frame;

static RangeTblEntry *base_column(Expr *expr, const Frame *frame, AttrNumber *column);

static RangeTblEntry *
column_of_subquery(Query *subquery, AttrNumber attnum, const Frame *around, AttrNumber *column)
{
	Frame inner = {subquery, around};
	/* What INSERT, UPDATE, DELETE and MERGE return is not what they write. */
	List *columns =
		subquery->commandType == CMD_SELECT ? subquery->targetList : subquery->returningList;
	TargetEntry *entry;

	/* The arms of a set operation may be different columns. */
	if (subquery->setOperations != NULL)
		return NULL;
	entry = get_tle_by_resno(columns, attnum);
	return entry == NULL ? NULL : base_column(entry->expr, &inner, column);
}

/* The WITH query of this query that the entry reads. */
static CommonTableExpr *
find_cte(const RangeTblEntry *entry, const Query *query)
{
	ListCell *lc;

	foreach (lc, query->cteList)
		if (strcmp(lfirst_node(CommonTableExpr, lc)->ctename, entry->ctename) == 0)
			return lfirst_node(CommonTableExpr, lc);
	return NULL;
}

CommonTableExpr *
gaussdp_cte_of(const RangeTblEntry *entry, List *queries)
{
	if (entry->rtekind != RTE_CTE || entry->self_reference ||
		entry->ctelevelsup >= (Index) list_length(queries))
		return NULL;
	return find_cte(entry, list_nth_node(Query, queries, (int) entry->ctelevelsup));
}

Query *
gaussdp_with_query(const RangeTblEntry *entry, List *queries, List **around)
{
	CommonTableExpr *cte = gaussdp_cte_of(entry, queries);

	if (cte == NULL || cte->cterecursive)
		return NULL;
	*around = list_copy_tail(queries, (int) entry->ctelevelsup);
	return castNode(Query, cte->ctequery);
}

/* The frame so many queries further out; NULL where there is none. */
static const Frame *
frame_above(const Frame *frame, Index levels)
{
	while (frame != NULL && levels-- > 0)
		frame = frame->outer;
	return frame;
}

static RangeTblEntry *
column_of_cte(const RangeTblEntry *entry, AttrNumber attnum, const Frame *frame, AttrNumber *column)
{
	const Frame *around = frame_above(frame, entry->ctelevelsup);
	CommonTableExpr *cte =
		around == NULL || entry->self_reference ? NULL : find_cte(entry, around->query);

	if (cte == NULL || cte->cterecursive)
		return NULL;
	return column_of_subquery(castNode(Query, cte->ctequery), attnum, around, column);
}

static RangeTblEntry *
base_column(Expr *expr, const Frame *frame, AttrNumber *column)
{
	Var *var = (Var *) expr;
	RangeTblEntry *rte;
	Node *grouped;

	check_stack_depth();
	if (!IsA(expr, Var) || var->varattno <= 0 || !gaussdp_var_is_current(var))
		return NULL;
	frame = frame_above(frame, var->varlevelsup);
	if (frame == NULL)
		return NULL;
	rte = rt_fetch(var->varno, frame->query->rtable);
	grouped = gaussdp_grouped_column(rte, var->varattno);
	if (grouped != NULL)
		return base_column((Expr *) grouped, frame, column);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			*column = var->varattno;
			return rte;
		case RTE_SUBQUERY:
			return column_of_subquery(rte->subquery, var->varattno, frame, column);
		case RTE_CTE:
			return column_of_cte(rte, var->varattno, frame, column);
		case RTE_JOIN:
			return base_column(list_nth(rte->joinaliasvars, var->varattno - 1), frame, column);
		default:
			return NULL;
	}
}

RangeTblEntry *
gaussdp_base_column(Expr *expr, List *queries, AttrNumber *column)
{
	int n = list_length(queries);
	Frame *frames = palloc(sizeof(Frame) * Max(n, 1));
	RangeTblEntry *result;

	for (int i = 0; i < n; i++)
		frames[i] = (Frame){list_nth_node(Query, queries, i), i + 1 < n ? &frames[i + 1] : NULL};
	result = n == 0 ? NULL : base_column(expr, frames, column);
	pfree(frames);
	return result;
}

int
gaussdp_clauses(const Query *q)
{
	const struct
	{
		bool has;
		GaussdpClause clause;
	} clauses[] = {
		{q->commandType != CMD_SELECT || q->utilityStmt != NULL, GAUSSDP_CLAUSE_COMMAND},
		{q->hasModifyingCTE || q->withCheckOptions != NIL || q->returningList != NIL ||
			 q->onConflict != NULL || q->mergeActionList != NIL,
		 GAUSSDP_CLAUSE_CHANGE},
		{q->setOperations != NULL, GAUSSDP_CLAUSE_SET_OPERATION},
		{q->cteList != NIL, GAUSSDP_CLAUSE_WITH},
		{q->groupClause != NIL, GAUSSDP_CLAUSE_GROUP},
		{q->groupingSets != NIL || q->groupDistinct, GAUSSDP_CLAUSE_GROUPING_SETS},
		{q->havingQual != NULL, GAUSSDP_CLAUSE_HAVING},
		{q->hasAggs, GAUSSDP_CLAUSE_AGGREGATE},
		{q->hasWindowFuncs || q->windowClause != NIL, GAUSSDP_CLAUSE_WINDOW},
		{q->distinctClause != NIL, GAUSSDP_CLAUSE_DISTINCT},
		{q->hasDistinctOn, GAUSSDP_CLAUSE_DISTINCT_ON},
		{q->sortClause != NIL, GAUSSDP_CLAUSE_ORDER},
		{q->limitCount != NULL || q->limitOffset != NULL, GAUSSDP_CLAUSE_LIMIT},
		{q->hasForUpdate || q->rowMarks != NIL, GAUSSDP_CLAUSE_LOCK},
		{q->hasTargetSRFs, GAUSSDP_CLAUSE_SERIES},
		{q->hasSubLinks, GAUSSDP_CLAUSE_SUBLINK},
		{q->constraintDeps != NIL, GAUSSDP_CLAUSE_DEPENDENCY},
	};
	int found = 0;

	for (size_t i = 0; i < lengthof(clauses); i++)
		if (clauses[i].has)
			found |= clauses[i].clause;
	return found;
}

const char *
gaussdp_clause_words(int clauses, const GaussdpClauseWords *list)
{
	while (list->words != NULL && (clauses & list->clauses) == 0)
		list++;
	return list->words;
}

static List *
add_conjuncts(List *conjuncts, Node *condition)
{
	List *parts;
	ListCell *lc;

	CHECK_FOR_INTERRUPTS();
	check_stack_depth();
	if (condition == NULL)
		return conjuncts;
	if (IsA(condition, List))
		parts = (List *) condition;
	else if (IsA(condition, BoolExpr) && ((BoolExpr *) condition)->boolop == AND_EXPR)
		parts = ((BoolExpr *) condition)->args;
	else
		return lappend(conjuncts, condition);
	foreach (lc, parts)
		conjuncts = add_conjuncts(conjuncts, lfirst(lc));
	return conjuncts;
}

List *
gaussdp_conjuncts(Node *condition)
{
	return add_conjuncts(NIL, condition);
}

Var *
gaussdp_bare_column(Node *expr, Index levelsup)
{
	while (IsA(expr, RelabelType))
		expr = (Node *) ((RelabelType *) expr)->arg;
	if (!IsA(expr, Var) || ((Var *) expr)->varlevelsup != levelsup || ((Var *) expr)->varattno <= 0)
		return NULL;
	return (Var *) expr;
}

bool
gaussdp_compares_columns(Node *condition, const Var **left, const Var **right)
{
	OpExpr *op = (OpExpr *) condition;

	if (!IsA(condition, OpExpr) || list_length(op->args) != 2)
		return false;
	*left = gaussdp_bare_column(linitial(op->args), 0);
	*right = gaussdp_bare_column(lsecond(op->args), 0);
	return *left != NULL && *right != NULL;
}

List *
gaussdp_joined_trees(Node *tree)
{
	if (IsA(tree, JoinExpr))
		return list_make2(((JoinExpr *) tree)->larg, ((JoinExpr *) tree)->rarg);
	return IsA(tree, FromExpr) ? ((FromExpr *) tree)->fromlist : NIL;
}

Node *
gaussdp_join_condition(Node *tree)
{
	if (IsA(tree, JoinExpr))
		return ((JoinExpr *) tree)->quals;
	return IsA(tree, FromExpr) ? ((FromExpr *) tree)->quals : NULL;
}

Bitmapset *
gaussdp_relations_in(Node *tree)
{
	Bitmapset *relations = NULL;
	ListCell *lc;

	if (IsA(tree, RangeTblRef))
		return bms_make_singleton(((RangeTblRef *) tree)->rtindex);
	foreach (lc, gaussdp_joined_trees(tree))
		relations = bms_join(relations, gaussdp_relations_in(lfirst(lc)));
	return relations;
}

Expr *
gaussdp_make_present(Expr *expr)
{
	NullTest *present = makeNode(NullTest);

	present->arg = expr;
	present->nulltesttype = IS_NOT_NULL;
	present->location = -1;
	return (Expr *) present;
}

typedef struct OverColumns
{
	GaussdpColumnFor column_for;
	void *context;
} OverColumns;

static Node *
over_columns(Node *node, void *context)
{
	const OverColumns *over = context;
	Node *column = node == NULL ? NULL : over->column_for(node, over->context);

	if (node == NULL || column != NULL)
		return column;
	CHECK_FOR_INTERRUPTS();
	if (IsA(node, Aggref) || IsA(node, Var))
		elog(ERROR, "the query below has no column for this expression");
	return expression_tree_mutator(node, over_columns, context);
}

Node *
gaussdp_over_columns(Node *tree, GaussdpColumnFor column_for, void *context)
{
	OverColumns over = {column_for, context};

	return over_columns(tree, &over);
}

typedef struct Keys
{
	List *keys;
	List *by;
} Keys;

static Node *
replace_keys(Node *node, void *context)
{
	const Keys *keys = context;
	ListCell *lc;
	ListCell *lc2;

	if (node == NULL || IsA(node, Aggref) || IsA(node, SubLink))
		return node;
	CHECK_FOR_INTERRUPTS();
	forboth(lc, keys->keys, lc2,
			keys->by) if (lfirst(lc2) != NULL &&
						  equal(node, lfirst(lc))) return copyObject(lfirst(lc2));
	return expression_tree_mutator(node, replace_keys, context);
}

void
gaussdp_replace_keys(Query *query, List *keys, List *by)
{
	Keys all = {keys, by};

	gaussdp_mutate_groups(query, replace_keys, &all);
	query->targetList = (List *) replace_keys((Node *) query->targetList, &all);
	query->havingQual = replace_keys(query->havingQual, &all);
}
