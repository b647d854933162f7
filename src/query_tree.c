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

/* Adds the arms below this node of UNION ALL; false for any other set operation. */
static bool
add_arms(Node *node, List **arms)
{
	const SetOperationStmt *operation = (const SetOperationStmt *) node;

	check_stack_depth();
	if (IsA(node, RangeTblRef))
		*arms = lappend_int(*arms, ((RangeTblRef *) node)->rtindex);
	return IsA(node, RangeTblRef) ||
		   (operation->op == SETOP_UNION && operation->all && add_arms(operation->larg, arms) &&
			add_arms(operation->rarg, arms));
}

List *
gaussdp_arms_of_union(const Query *query)
{
	List *arms = NIL;

	return query->setOperations != NULL && add_arms(query->setOperations, &arms) ? arms : NIL;
}

/* Adds the columns that the expression is, of UNION ALL one of each arm; false where it is something else. */
static bool add_base_columns(Expr *expr, const Frame *frame, List **columns);

static bool
add_columns_of_arms(Query *subquery, AttrNumber attnum, const Frame *around, List **columns)
{
	Frame inner = {subquery, around};
	List *arms = gaussdp_arms_of_union(subquery);
	ListCell *lc;

	foreach (lc, arms)
	{
		Var arm = {.xpr.type = T_Var, .varno = lfirst_int(lc), .varattno = attnum};

		if (!add_base_columns((Expr *) &arm, &inner, columns))
			return false;
	}
	return arms != NIL;
}

static bool
add_columns_of_subquery(Query *subquery, AttrNumber attnum, const Frame *around, List **columns)
{
	Frame inner = {subquery, around};
	/* What INSERT, UPDATE, DELETE and MERGE return is not what they write. */
	List *targets =
		subquery->commandType == CMD_SELECT ? subquery->targetList : subquery->returningList;
	TargetEntry *entry;

	if (subquery->setOperations != NULL)
		return add_columns_of_arms(subquery, attnum, around, columns);
	entry = get_tle_by_resno(targets, attnum);
	return entry != NULL && add_base_columns(entry->expr, &inner, columns);
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

static bool
add_columns_of_cte(const RangeTblEntry *entry, AttrNumber attnum, const Frame *frame,
				   List **columns)
{
	const Frame *around = frame_above(frame, entry->ctelevelsup);
	CommonTableExpr *cte =
		around == NULL || entry->self_reference ? NULL : find_cte(entry, around->query);

	return cte != NULL && !cte->cterecursive &&
		   add_columns_of_subquery(castNode(Query, cte->ctequery), attnum, around, columns);
}

static bool
add_column(RangeTblEntry *table, AttrNumber number, List **columns)
{
	GaussdpBaseColumn *column = palloc(sizeof(GaussdpBaseColumn));

	*column = (GaussdpBaseColumn){table, number};
	*columns = lappend(*columns, column);
	return true;
}

static bool
add_base_columns(Expr *expr, const Frame *frame, List **columns)
{
	Var *var = (Var *) expr;
	RangeTblEntry *rte;
	Node *grouped;

	check_stack_depth();
	if (!IsA(expr, Var) || var->varattno <= 0 || !gaussdp_var_is_current(var))
		return false;
	frame = frame_above(frame, var->varlevelsup);
	if (frame == NULL)
		return false;
	rte = rt_fetch(var->varno, frame->query->rtable);
	grouped = gaussdp_grouped_column(rte, var->varattno);
	if (grouped != NULL)
		return add_base_columns((Expr *) grouped, frame, columns);
	switch (rte->rtekind)
	{
		case RTE_RELATION:
			return add_column(rte, var->varattno, columns);
		case RTE_SUBQUERY:
			return add_columns_of_subquery(rte->subquery, var->varattno, frame, columns);
		case RTE_CTE:
			return add_columns_of_cte(rte, var->varattno, frame, columns);
		case RTE_JOIN:
			return add_base_columns(list_nth(rte->joinaliasvars, var->varattno - 1), frame,
									columns);
		default:
			return false;
	}
}

List *
gaussdp_base_columns(Expr *expr, List *queries)
{
	int n = list_length(queries);
	Frame *frames = palloc(sizeof(Frame) * Max(n, 1));
	List *columns = NIL;
	bool found;

	for (int i = 0; i < n; i++)
		frames[i] = (Frame){list_nth_node(Query, queries, i), i + 1 < n ? &frames[i + 1] : NULL};
	found = n > 0 && add_base_columns(expr, frames, &columns);
	pfree(frames);
	return found ? columns : NIL;
}

RangeTblEntry *
gaussdp_base_column(Expr *expr, List *queries, AttrNumber *column)
{
	List *columns = gaussdp_base_columns(expr, queries);
	const GaussdpBaseColumn *only = list_length(columns) == 1 ? linitial(columns) : NULL;

	if (only != NULL)
		*column = only->column;
	return only != NULL ? only->table : NULL;
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
