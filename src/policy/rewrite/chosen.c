/*
 * chosen.c
 *		Joins that only choose rows by the groups that another level shows, as the lists that they are.
 *
 *		SELECT day, status, count(*) FROM orders
 *		JOIN (SELECT status AS s, count(*) AS n FROM orders GROUP BY status ORDER BY n DESC LIMIT 5) top ON status = s GROUP BY day, status
 *
 * becomes
 *
 *		SELECT day, status, count(*) FROM orders WHERE status = ANY (ARRAY(SELECT status AS s ... LIMIT 5)) GROUP BY day, status
 *
 * which is how Superset limits its series.  The list is released before the first row is looked at (inputs.c), and paid as a level by itself.  A join
 * multiplies no row, since each group is there once, and nothing else of it is named.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

/* The one other query in FROM that this one reads; NULL where it reads something else. */
static Query *
only_query_in_from(const Query *q)
{
	const RangeTblRef *ref =
		list_length(q->jointree->fromlist) == 1 ? linitial(q->jointree->fromlist) : NULL;

	return ref != NULL && IsA(ref, RangeTblRef) ? rt_fetch(ref->rtindex, q->rtable)->subquery
												: NULL;
}

/* Does each row of the query have another value in this column: the one key that it groups by? */
static bool
is_only_key(const Query *q, AttrNumber column)
{
	const TargetEntry *target = get_tle_by_resno(q->targetList, column);
	Query *below;

	check_stack_depth();
	if (target == NULL || target->resjunk || q->setOperations != NULL || q->groupingSets != NIL ||
		q->hasTargetSRFs)
		return false;
	if (list_length(q->groupClause) == 1)
		return equal(get_sortgroupclause_expr(linitial(q->groupClause), q->targetList),
					 target->expr);
	below = only_query_in_from(q);
	return below != NULL && q->groupClause == NIL && !q->hasAggs && IsA(target->expr, Var) &&
		   ((Var *) target->expr)->varlevelsup == 0 &&
		   is_only_key(below, ((Var *) target->expr)->varattno);
}

/*
 * The tree without the relation, or NULL where that is all of it; *conditions are those of the join that it leaves.  An outer join stays as it is, with
 * what is in it.
 */
static Node *
without(Node *tree, Index rti, List **conditions)
{
	ListCell *lc;

	check_stack_depth();
	if (IsA(tree, RangeTblRef))
		return ((RangeTblRef *) tree)->rtindex == (int) rti ? NULL : tree;
	if (!bms_is_member((int) rti, gaussdp_relations_in(tree)))
		return tree;
	if (IsA(tree, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) tree;
		Node *left;
		Node *right;

		if (join->jointype != JOIN_INNER)
			return tree;
		left = without(join->larg, rti, conditions);
		right = without(join->rarg, rti, conditions);
		if (left != NULL && right != NULL)
		{
			join->larg = left;
			join->rarg = right;
			return tree;
		}
		*conditions = list_concat(*conditions, gaussdp_conjuncts(join->quals));
		return left != NULL ? left : right;
	}
	foreach (lc, ((FromExpr *) tree)->fromlist)
	{
		lfirst(lc) = without(lfirst(lc), rti, conditions);
		if (lfirst(lc) == NULL)
			((FromExpr *) tree)->fromlist =
				foreach_delete_current(((FromExpr *) tree)->fromlist, lc);
	}
	return tree;
}

/* x = column of this relation: which side that column is, or -1. */
static int
side_of_column(const Node *condition, Index rti)
{
	const OpExpr *op = (const OpExpr *) condition;

	if (!IsA(op, OpExpr) || list_length(op->args) != 2 || !gaussdp_is_equality(op->opno) ||
		!OidIsValid(get_commutator(op->opno)))
		return -1;
	for (int side = 0; side < 2; side++)
	{
		const Var *var = gaussdp_bare_column(list_nth(op->args, side), 0);

		if (var != NULL && var->varno == (int) rti &&
			!bms_is_member((int) rti, pull_varnos(NULL, list_nth(op->args, 1 - side))))
			return side;
	}
	return -1;
}

/* ARRAY(query), of this column alone, as the operand that it was. */
static Node *
make_list(Query *q, AttrNumber column, const Node *operand)
{
	SubLink *list = makeNode(SubLink);
	TargetEntry *shown = copyObject(get_tle_by_resno(q->targetList, column));
	List *columns = list_make1(shown);
	Oid type = get_array_type(exprType(operand));
	ListCell *lc;

	foreach (lc, q->targetList)
	{
		TargetEntry *other = lfirst_node(TargetEntry, lc);

		if (other->resno == column)
			continue;
		columns = lappend(columns, other);
		other->resno = (AttrNumber) list_length(columns);
		other->resjunk = true;
	}
	shown->resno = 1;
	q->targetList = columns;
	list->subLinkType = ARRAY_SUBLINK;
	list->subselect = (Node *) q;
	list->location = -1;
	if (exprType((Node *) list) == type)
		return (Node *) list;
	return (Node *) makeRelabelType((Expr *) list, type, -1, exprCollation(operand),
									COERCE_IMPLICIT_CAST);
}

/* SELECT ... FROM the WITH query that the entry reads, inside of its query */
static Query *
select_from(RangeTblEntry *entry, const Query *with)
{
	Query *q = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);
	ListCell *lc;

	ref->rtindex = 1;
	q->commandType = CMD_SELECT;
	q->rtable = list_make1(copyObject(entry));
	q->jointree = makeFromExpr(list_make1(ref), NULL);
	linitial_node(RangeTblEntry, q->rtable)->ctelevelsup++;
	foreach (lc, with->targetList)
	{
		TargetEntry *target = lfirst_node(TargetEntry, lc);

		if (!target->resjunk)
			q->targetList =
				lappend(q->targetList, makeTargetEntry((Expr *) makeVarFromTargetEntry(1, target),
													   target->resno, target->resname, false));
	}
	return q;
}

typedef struct Use
{
	Index rti;
	bool is_used;
} Use;

static Node *
note_use(Node *node, void *context)
{
	Use *use = context;

	use->is_used |= rangeTableEntry_used(node, (int) use->rti, 0);
	return node;
}

/* Does the query name columns of the relation anywhere but in this tree of FROM? */
static bool
is_named_elsewhere(Query *q, Index rti)
{
	Use use = {rti, false};
	ListCell *lc;

	(void) note_use((Node *) q->targetList, &use);
	(void) note_use(q->havingQual, &use);
	gaussdp_mutate_groups(q, note_use, &use);
	foreach (lc, q->rtable)
		use.is_used |= lfirst_node(RangeTblEntry, lc)->lateral;
	return use.is_used;
}

/* Writes the join to this entry as a list, if it only chooses rows. */
static void
choose_by_list(Query *q, Index rti, Query *sub)
{
	RangeTblEntry *entry = rt_fetch(rti, q->rtable);
	FromExpr *from = copyObject(q->jointree);
	ScalarArrayOpExpr *choice = makeNode(ScalarArrayOpExpr);
	const OpExpr *found = NULL;
	List *conditions = NIL;
	List *left = NIL;
	const Node *operand;
	AttrNumber column;
	int side = -1;
	ListCell *lc;

	(void) without((Node *) from, rti, &conditions);
	foreach (lc, list_concat(conditions, gaussdp_conjuncts(from->quals)))
		if (found == NULL && (side = side_of_column(lfirst(lc), rti)) >= 0)
			found = lfirst(lc);
		else
			left = lappend(left, lfirst(lc));
	from->quals = (Node *) left;
	if (found == NULL || is_named_elsewhere(q, rti) ||
		bms_is_member((int) rti, gaussdp_relations_in((Node *) from)) ||
		rangeTableEntry_used((Node *) from, (int) rti, 0))
		return;
	operand = list_nth(found->args, side);
	column = gaussdp_bare_column(unconstify(Node *, operand), 0)->varattno;
	if (!is_only_key(sub, column) || !OidIsValid(get_array_type(exprType(operand))))
		return;
	if (entry->rtekind == RTE_CTE)
		sub = select_from(entry, sub);
	else
		IncrementVarSublevelsUp((Node *) sub, 1, 1);
	choice->opno = side == 1 ? found->opno : get_commutator(found->opno);
	choice->opfuncid = get_opcode(choice->opno);
	choice->useOr = true;
	choice->inputcollid = found->inputcollid;
	choice->args = list_make2(list_nth(found->args, 1 - side), make_list(sub, column, operand));
	choice->location = found->location;
	from->quals = (Node *) make_ands_explicit(lappend(left, choice));
	q->jointree = from;
	q->hasSubLinks = true;
	gaussdp_retire_entry(entry);
}

/* What the entry reads, if that is another level's result, which is there once; or NULL. */
static Query *
released_by(GaussdpVerifier *v, const RangeTblEntry *entry)
{
	CommonTableExpr *cte = gaussdp_cte_of(entry, v->queries);
	Query *sub = cte != NULL ? castNode(Query, cte->ctequery) : entry->subquery;

	if (sub == NULL || (cte != NULL && cte->cterecursive) || entry->lateral ||
		!gaussdp_reads_protected((Node *) sub) || gaussdp_shows_people(sub) ||
		(cte == NULL && gaussdp_is_correlated(sub)))
		return NULL;
	return sub;
}

void
gaussdp_choose_by_lists(GaussdpVerifier *v, Query *q)
{
	bool reads_people = false;
	ListCell *lc;

	foreach (lc, q->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		reads_people |= gaussdp_needs_proof(entry) ||
						(entry->subquery != NULL && gaussdp_shows_people(entry->subquery));
	}
	if (!reads_people || q->commandType != CMD_SELECT || q->setOperations != NULL)
		return;
	foreach (lc, q->rtable)
	{
		Query *sub = released_by(v, lfirst_node(RangeTblEntry, lc));

		CHECK_FOR_INTERRUPTS();
		if (sub == NULL)
			continue;
		gaussdp_write_out_joins(q);
		choose_by_list(q, (Index) foreach_current_index(lc) + 1, sub);
	}
}
