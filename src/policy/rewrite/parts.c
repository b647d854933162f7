/*
 * parts.c
 *		UNION ALL of rows of people and of public rows: each kind is counted by itself.
 *
 *		SELECT k, count(*), sum(x) FROM (SELECT k, x FROM orders UNION ALL SELECT k, x FROM samples) u GROUP BY k
 *
 * becomes, where plain SQL is answered,
 *
 *		SELECT k, sum(c), sum(s) FROM (
 *			SELECT k, count(*) AS c, sum(x) AS s FROM (SELECT k, x FROM orders) u GROUP BY k UNION ALL
 *			SELECT k, count(*), sum(x) FROM (SELECT k, x FROM samples) u GROUP BY k) p GROUP BY k
 *
 * so that public rows, which are nobody's, are counted without noise, and only their groups are there in any case.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_aggregate.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_coerce.h"
#include "parser/parse_func.h"
#include "parser/parse_oper.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

/* The query, and what each part computes for it. */
typedef struct Parts
{
	Query *query;
	Index rti;     /* of the UNION ALL */
	List *keys;    /* of Node: the grouping expressions, the parts' first columns */
	List *columns; /* of Expr: all columns, calls behind the keys */
	Index parts;   /* index of what stands for the UNION ALL */
} Parts;

/* The number of the column that is this expression; 0 for none. */
static int
column_of(const Parts *p, const void *expr)
{
	ListCell *lc;

	foreach (lc, p->columns)
		if (equal(lfirst(lc), expr))
			return foreach_current_index(lc) + 1;
	return 0;
}

static void
add_column(Parts *p, void *expr)
{
	if (column_of(p, expr) == 0)
		p->columns = lappend(p->columns, copyObject(expr));
}

/* The call as that of another aggregate, over the same values. */
static Aggref *
call_as(const Aggref *agg, const char *name)
{
	Aggref *call = copyObject(unconstify(Aggref *, agg));
	List *qualified = list_make2(makeString("pg_catalog"), makeString(pstrdup(name)));
	Oid type = linitial_oid(agg->aggargtypes);

	if (strcmp(name, "count") == 0)
		type = ANYOID;
	call->aggfnoid = LookupFuncName(qualified, 1, &type, false);
	call->aggtype = get_func_rettype(call->aggfnoid);
	return call;
}

static bool
is_average(const Aggref *agg)
{
	char *name = agg->aggfnoid < FirstGenbkiObjectId ? get_func_name(agg->aggfnoid) : NULL;

	return name != NULL && strcmp(name, "avg") == 0;
}

static bool
is_sum(const Aggref *agg)
{
	char *name = agg->aggfnoid < FirstGenbkiObjectId ? get_func_name(agg->aggfnoid) : NULL;

	return name != NULL && (strcmp(name, "sum") == 0 || strcmp(name, "count") == 0);
}

/* Stops, with true, at a call that is not made of its parts. */
static bool
take_calls(Node *node, Parts *p)
{
	Aggref *agg = (Aggref *) node;

	if (node == NULL)
		return false;
	if (IsA(node, SubLink))
		return true;
	if (!IsA(node, Aggref))
		return expression_tree_walker(node, take_calls, p);
	if (agg->agglevelsup != 0 || agg->aggdistinct != NIL || agg->aggorder != NIL ||
		agg->aggkind != AGGKIND_NORMAL || !(is_sum(agg) || is_average(agg)))
		return true;
	/* an average that is a quotient of sum and count, as of numbers */
	if (is_average(agg) && agg->aggtype != NUMERICOID && agg->aggtype != FLOAT8OID)
		return true;
	if (is_sum(agg))
		add_column(p, agg);
	else
	{
		add_column(p, call_as(agg, "sum"));
		add_column(p, call_as(agg, "count"));
	}
	return false;
}

/* These arms of the tree alone; NULL for none. */
static Node *
only_arms(Node *tree, const Bitmapset *arms)
{
	SetOperationStmt *operation = (SetOperationStmt *) tree;

	check_stack_depth();
	if (IsA(tree, RangeTblRef))
		return bms_is_member(((RangeTblRef *) tree)->rtindex, arms) ? tree : NULL;
	operation->larg = only_arms(operation->larg, arms);
	operation->rarg = only_arms(operation->rarg, arms);
	if (operation->larg == NULL || operation->rarg == NULL)
		return operation->larg != NULL ? operation->larg : operation->rarg;
	return tree;
}

/* The UNION ALL of these arms, or the only one of them. */
static Query *
take_arms(Query *unites, const Bitmapset *arms)
{
	List *all = gaussdp_arms_of_union(unites); /* before the tree is cut */
	Node *tree = only_arms(unites->setOperations, arms);
	ListCell *lc;

	if (IsA(tree, RangeTblRef))
	{
		Query *arm = rt_fetch(((RangeTblRef *) tree)->rtindex, unites->rtable)->subquery;

		IncrementVarSublevelsUp((Node *) arm, -1, 1);
		return arm;
	}
	foreach (lc, all)
		if (!bms_is_member(lfirst_int(lc), arms))
			gaussdp_retire_entry(rt_fetch(lfirst_int(lc), unites->rtable));
	unites->setOperations = tree;
	foreach (lc, unites->targetList)
		((Var *) lfirst_node(TargetEntry, lc)->expr)->varno =
			linitial_int(gaussdp_arms_of_union(unites));
	return unites;
}

/* SELECT keys, calls FROM these arms WHERE ... GROUP BY keys */
static Query *
make_part(const Parts *p, const Bitmapset *arms)
{
	Query *part = makeNode(Query);
	RangeTblEntry *entry = copyObject(rt_fetch(p->rti, p->query->rtable));
	RangeTblRef *ref = makeNode(RangeTblRef);
	ListCell *lc;

	gaussdp_leave_unchecked(entry);
	entry->relid = InvalidOid;
	entry->subquery = take_arms(entry->subquery, arms);
	IncrementVarSublevelsUp((Node *) entry->subquery, 2, 1);
	ref->rtindex = 1;
	part->commandType = CMD_SELECT;
	part->canSetTag = true;
	part->hasAggs = list_length(p->columns) > list_length(p->keys);
	part->rtable = list_make1(entry);
	part->jointree = makeFromExpr(list_make1(ref), copyObject(p->query->jointree->quals));
	foreach (lc, p->columns)
	{
		int number = foreach_current_index(lc) + 1;
		TargetEntry *column = makeTargetEntry(copyObject(lfirst(lc)), (AttrNumber) number,
											  psprintf("column_%d", number), false);

		if (number <= list_length(p->keys))
		{
			SortGroupClause *clause =
				copyObject(list_nth_node(SortGroupClause, p->query->groupClause, number - 1));

			clause->tleSortGroupRef = column->ressortgroupref = (Index) number;
			part->groupClause = lappend(part->groupClause, clause);
		}
		part->targetList = lappend(part->targetList, column);
	}
	ChangeVarNodes((Node *) part->jointree->quals, (int) p->rti, 1, 0);
	ChangeVarNodes((Node *) part->targetList, (int) p->rti, 1, 0);
	return part;
}

static int
add_entry(Query *q, Query *sub, const char *name)
{
	ParseState *pstate = make_parsestate(NULL);
	int rti;

	gaussdp_lend_entries(pstate, q);
	rti = addRangeTableEntryForSubquery(pstate, sub, makeAlias(name, NIL), false, true)->p_rtindex;
	gaussdp_return_entries(pstate, q);
	return rti;
}

/* The parts, put together */
static Query *
unite(const Parts *p, Query *of_people, Query *public)
{
	Query *q = makeNode(Query);
	SetOperationStmt *operation = makeNode(SetOperationStmt);
	RangeTblRef *left = makeNode(RangeTblRef);
	RangeTblRef *right = makeNode(RangeTblRef);
	ListCell *lc;

	q->commandType = CMD_SELECT;
	q->canSetTag = true;
	left->rtindex = add_entry(q, of_people, "people");
	right->rtindex = add_entry(q, public, "public");
	q->jointree = makeFromExpr(NIL, NULL);
	q->setOperations = (Node *) operation;
	operation->op = SETOP_UNION;
	operation->all = true;
	operation->larg = (Node *) left;
	operation->rarg = (Node *) right;
	foreach (lc, of_people->targetList)
	{
		TargetEntry *column = lfirst_node(TargetEntry, lc);
		Var *var = makeVarFromTargetEntry(left->rtindex, column);

		operation->colTypes = lappend_oid(operation->colTypes, var->vartype);
		operation->colTypmods = lappend_int(operation->colTypmods, var->vartypmod);
		operation->colCollations = lappend_oid(operation->colCollations, var->varcollid);
		q->targetList = lappend(q->targetList, makeTargetEntry((Expr *) var, column->resno,
															   pstrdup(column->resname), false));
	}
	return q;
}

static Var *
make_column(const Parts *p, int number)
{
	Node *expr = list_nth(p->columns, number - 1);

	return makeVar((int) p->parts, (AttrNumber) number, exprType(expr), exprTypmod(expr),
				   exprCollation(expr), 0);
}

/* What the call has been in each part, added up, as the call's type */
static Node *
sum_of(const Parts *p, const Aggref *call, Oid type)
{
	Aggref *sum = makeNode(Aggref);
	Var *column = make_column(p, column_of(p, call));

	sum->aggargtypes = list_make1_oid(column->vartype);
	sum->args = list_make1(makeTargetEntry((Expr *) column, 1, NULL, false));
	sum->aggkind = AGGKIND_NORMAL;
	sum->aggsplit = AGGSPLIT_SIMPLE;
	sum->aggno = sum->aggtransno = -1;
	sum->location = -1;
	sum = call_as(sum, "sum");
	return coerce_to_target_type(NULL, (Node *) sum, sum->aggtype, type, -1, COERCION_EXPLICIT,
								 COERCE_IMPLICIT_CAST, -1);
}

/* sum / nullif(count, 0) */
static Node *
average_of(const Parts *p, const Aggref *call)
{
	Node *sum = sum_of(p, call_as(call, "sum"), call->aggtype);
	Node *count = sum_of(p, call_as(call, "count"), call->aggtype);
	Node *zero = coerce_to_target_type(
		NULL,
		(Node *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(0), false, true),
		INT4OID, call->aggtype, -1, COERCION_EXPLICIT, COERCE_IMPLICIT_CAST, -1);
	OpExpr *null_if = (OpExpr *) make_op(
		NULL, list_make2(makeString("pg_catalog"), makeString("=")), count, zero, NULL, -1);

	null_if->opresulttype = call->aggtype;
	NodeSetTag(null_if, T_NullIfExpr);
	return (Node *) make_op(NULL, list_make2(makeString("pg_catalog"), makeString("/")), sum,
							(Node *) null_if, NULL, -1);
}

static Node *
column_for(Node *node, void *context)
{
	const Parts *p = context;
	ListCell *lc;

	foreach (lc, p->keys)
		if (equal(node, lfirst(lc)))
			return (Node *) make_column(p, foreach_current_index(lc) + 1);
	if (!IsA(node, Aggref))
		return NULL;
	return is_sum((Aggref *) node) ? sum_of(p, (Aggref *) node, ((Aggref *) node)->aggtype)
								   : average_of(p, (Aggref *) node);
}

/* Is the query one that groups and counts rows of this entry alone? */
static bool
can_split(const Query *q, Index rti)
{
	const RangeTblRef *ref =
		list_length(q->jointree->fromlist) == 1 ? linitial(q->jointree->fromlist) : NULL;
	int others = GAUSSDP_CLAUSE_COMMAND | GAUSSDP_CLAUSE_CHANGE | GAUSSDP_CLAUSE_SET_OPERATION |
				 GAUSSDP_CLAUSE_GROUPING_SETS | GAUSSDP_CLAUSE_WINDOW | GAUSSDP_CLAUSE_LOCK |
				 GAUSSDP_CLAUSE_SERIES | GAUSSDP_CLAUSE_SUBLINK | GAUSSDP_CLAUSE_DEPENDENCY;

	return (gaussdp_clauses(q) & others) == 0 && (q->hasAggs || q->groupClause != NIL) &&
		   ref != NULL && IsA(ref, RangeTblRef) && ref->rtindex == (int) rti &&
		   !rt_fetch(rti, q->rtable)->lateral;
}

/*
 * In 15 the check of a view stands in the view's own query, of which the parts take arms: it becomes the query's.  All that is read stands in the
 * arms.
 */
static void
keep_permissions(Query *q, Query *unites)
{
	ListCell *lc;

	foreach (lc, unites->rtable)
		gaussdp_retire_entry(lfirst_node(RangeTblEntry, lc));
	gaussdp_combine_range_tables(q, unites);
}

void
gaussdp_add_up_parts(Query *q, Index rti, const Bitmapset *of_people)
{
	Parts p = {.query = q, .rti = rti};
	Query *unites = rt_fetch(rti, q->rtable)->subquery;
	Bitmapset *arms = NULL;
	Bitmapset *public;
	RangeTblRef *ref;
	Query *part;
	ListCell *lc;

	foreach (lc, gaussdp_arms_of_union(unites))
		arms = bms_add_member(arms, lfirst_int(lc));
	public = bms_difference(arms, of_people);
	if (bms_is_empty(public) || !bms_overlap(arms, of_people))
		return;
	gaussdp_group_by_distinct(q);
	if (!can_split(q, rti))
		return;
	gaussdp_flatten_groups(q);
	foreach (lc, q->groupClause)
		p.keys = lappend(p.keys, copyObject(get_sortgroupclause_expr(
									 lfirst_node(SortGroupClause, lc), q->targetList)));
	p.columns = list_copy(p.keys);
	if (take_calls((Node *) q->targetList, &p) || take_calls(q->havingQual, &p))
		return;
	gaussdp_cast_arms(unites);
	part = make_part(&p, bms_intersect(arms, of_people));
	p.parts = (Index) add_entry(q, unite(&p, part, make_part(&p, public)), "parts");
	q->targetList = (List *) gaussdp_over_columns((Node *) q->targetList, column_for, &p);
	q->havingQual = gaussdp_over_columns(q->havingQual, column_for, &p);
	q->hasAggs = q->hasAggs && list_length(p.columns) > list_length(p.keys);
	ref = makeNode(RangeTblRef);
	ref->rtindex = (int) p.parts;
	q->jointree = makeFromExpr(list_make1(ref), NULL);
	keep_permissions(q, unites);
	gaussdp_retire_entry(rt_fetch(rti, q->rtable));
}
