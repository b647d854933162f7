/*
 * sublink.c
 *		Sub-selects in expressions that ask for a person's other rows, written as joins.
 *
 *		EXISTS (SELECT FROM visits v WHERE v.patient = p.id AND ...)
 *		p.id IN (SELECT v.patient FROM visits v WHERE ...)
 *		p.id IN (SELECT v.patient FROM visits v GROUP BY v.patient HAVING count(*) > 2)
 *		(SELECT count(*) FROM visits v WHERE v.patient = p.id AND ...)
 *
 * mean the same as a join with one row for each person,
 *
 *		LEFT JOIN (SELECT v.patient, count(*) AS n FROM visits v WHERE ... GROUP BY v.patient) s ON s.patient = p.id
 *
 * and s.patient IS NOT NULL, or n where there is one.  So they are written like that before anything is verified, and
 * need no rule of their own: that the join ties the person, and what may be computed inside, is verified as if the
 * analyst had written it (owners.c, inner.c).  What is correlated by anything else than such equalities stays a
 * sub-select, and is refused as one.
 *
 *		p.code IN (SELECT c.code FROM codes c WHERE ...)
 *
 * of other relations, or of what another level shows, correlated with nothing, is p.code = ANY (ARRAY(SELECT ...)): a list that is made before the
 * first row is looked at (inputs.c).
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "rewrite/rewriteManip.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "aggregate/bounds.h"
#include "compat.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

/* A sub-select that has become a join, and what it was. */
typedef struct Written
{
	SubLink *sublink;
	Expr *expr;
} Written;

typedef struct Rewriting
{
	GaussdpVerifier *v;
	Query *query;
	List *written; /* of Written */
} Rewriting;

/* One equality by which a sub-select is correlated. */
typedef struct Correlation
{
	OpExpr *equality; /* as in the sub-select; for IN its test */
	Var *inner;
	bool inner_is_left;
} Correlation;

/* Does this entry of the query show rows of people?  Before its items are written out, WITH queries among them. */
static bool
is_of_people(const Rewriting *r, const RangeTblEntry *entry)
{
	CommonTableExpr *cte = gaussdp_cte_of(entry, r->v->queries);
	Query *sub = cte != NULL ? castNode(Query, cte->ctequery) : entry->subquery;

	return gaussdp_needs_proof(entry) || (sub != NULL && gaussdp_shows_people(sub));
}

/* Do two values that the operator takes for equal fall into one group of this column, and others not? */
static bool
groups_alike(const OpExpr *op, const Var *column)
{
	return op->inputcollid == column->varcollid &&
		   op->opno == gaussdp_equality_of_type(column->vartype);
}

/* An equality of one type's values, as the type compares them. */
static bool
is_equality(const OpExpr *op)
{
	Node *operand = linitial(op->args);

	return list_length(op->args) == 2 && !op->opretset &&
		   exprType(operand) == exprType(lsecond(op->args)) &&
		   op->opno == gaussdp_equality_of_type(exprType(operand)) &&
		   op->inputcollid == exprCollation(operand);
}

/* inner column = column of people around it */
static bool
is_correlation(const Rewriting *r, Node *condition, Correlation *found)
{
	OpExpr *op = (OpExpr *) condition;
	Var *outer;

	if (!IsA(condition, OpExpr) || !is_equality(op))
		return false;
	found->equality = op;
	found->inner = gaussdp_bare_column(linitial(op->args), 0);
	found->inner_is_left = found->inner != NULL;
	if (found->inner == NULL)
		found->inner = gaussdp_bare_column(lsecond(op->args), 0);
	outer = gaussdp_bare_column(found->inner_is_left ? lsecond(op->args) : linitial(op->args), 1);
	return found->inner != NULL && outer != NULL && groups_alike(op, found->inner) &&
		   is_of_people(r, rt_fetch(outer->varno, r->query->rtable));
}

/* Takes the correlations out of the AND conjuncts of a condition; what is left. */
static List *
take_correlations(const Rewriting *r, Node *condition, List **correlations)
{
	List *left = NIL;
	ListCell *lc;

	foreach (lc, gaussdp_conjuncts(condition))
	{
		Correlation found;

		if (is_correlation(r, lfirst(lc), &found))
			*correlations =
				lappend(*correlations, memcpy(palloc(sizeof(found)), &found, sizeof(found)));
		else
			left = lappend(left, lfirst(lc));
	}
	return left;
}

/* Nothing but FROM, WHERE and columns: or other rows than those that match would be shown. */
static bool
is_plain(const Query *q)
{
	return (gaussdp_clauses(q) &
			~(GAUSSDP_CLAUSE_ORDER | GAUSSDP_CLAUSE_AGGREGATE | GAUSSDP_CLAUSE_SUBLINK)) == 0;
}

/*
 * EXISTS asks for one row, and neither it nor IN for how many are equal: LIMIT 1 and DISTINCT, which query builders write
 * there, mean nothing.
 */
static void
drop_idle_clauses(Query *sub, SubLinkType type)
{
	Const *limit;

	if (type != EXISTS_SUBLINK && type != ANY_SUBLINK)
		return;
	if (!sub->hasDistinctOn)
		sub->distinctClause = NIL;
	limit = (Const *) eval_const_expressions(NULL, sub->limitCount);
	if (type == EXISTS_SUBLINK && limit != NULL && IsA(limit, Const) && !limit->constisnull &&
		DatumGetInt64(limit->constvalue) > 0)
		sub->limitCount = NULL;
}

/* Groups of rows, which a query around may take for its rows. */
static bool
is_grouped(Query *q)
{
	Query *plain = copyObject(q);

	plain->groupClause = NIL;
	plain->havingQual = NULL;
	return q->groupClause != NIL && is_plain(plain) && !gaussdp_is_correlated(q);
}

/* SELECT u ... GROUP BY u HAVING ... -> SELECT g.u FROM (that) g */
static Query *
select_around(Query *grouped)
{
	ParseState *pstate = make_parsestate(NULL);
	Query *around = makeNode(Query);
	RangeTblRef *ref = makeNode(RangeTblRef);
	Node *shown = (Node *) linitial_node(TargetEntry, grouped->targetList)->expr;

	IncrementVarSublevelsUp((Node *) grouped, 1, 1);
	around->commandType = CMD_SELECT;
	gaussdp_lend_entries(pstate, around);
	ref->rtindex =
		addRangeTableEntryForSubquery(pstate, grouped, makeAlias("grouped", NIL), false, true)
			->p_rtindex;
	gaussdp_return_entries(pstate, around);
	around->jointree = makeFromExpr(list_make1(ref), NULL);
	around->targetList =
		list_make1(makeTargetEntry((Expr *) makeVar(ref->rtindex, 1, exprType(shown),
													exprTypmod(shown), exprCollation(shown), 0),
								   1, "unit", false));
	return around;
}

/* The operand is now this column, behind the casts that it has. */
static void
put_column(ListCell *operand, Var *column)
{
	RelabelType *cast = lfirst(operand);

	if (!IsA(cast, RelabelType))
	{
		lfirst(operand) = copyObject(column);
		return;
	}
	while (IsA(cast->arg, RelabelType))
		cast = (RelabelType *) cast->arg;
	cast->arg = (Expr *) copyObject(column);
}

/* p.id IN (SELECT v.patient ...), as v.patient = p.id */
static bool
take_test(const Rewriting *r, const SubLink *sublink, Query *sub, List **correlations)
{
	OpExpr *test = (OpExpr *) sublink->testexpr;
	Correlation *found = palloc0(sizeof(Correlation));
	TargetEntry *target = linitial_node(TargetEntry, sub->targetList);
	Var *outer;

	if (!IsA(test, OpExpr) || !is_equality(test) || list_length(sub->targetList) != 1)
		return false;
	outer = gaussdp_bare_column(linitial(test->args), 0);
	found->inner = gaussdp_bare_column((Node *) target->expr, 0);
	/* Where it may be NULL, IN is neither true nor false. */
	if (outer == NULL || found->inner == NULL || !groups_alike(test, found->inner) ||
		!is_of_people(r, rt_fetch(outer->varno, r->query->rtable)) ||
		gaussdp_may_be_missing(r->query, outer->varno))
		return false;
	found->equality = copyObject(test);
	IncrementVarSublevelsUp((Node *) linitial(found->equality->args), 1, 0);
	put_column(list_nth_cell(found->equality->args, 1), found->inner);
	*correlations = list_make1(found);
	return true;
}

static Node *
value_without_rows(Node *node, void *context)
{
	Aggref *agg = (Aggref *) node;

	if (node == NULL || !IsA(node, Aggref))
		return node == NULL ? NULL : expression_tree_mutator(node, value_without_rows, context);
	if (agg->aggfnoid == F_COUNT_ || agg->aggfnoid == F_COUNT_ANY)
		return (Node *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(0), false,
								  FLOAT8PASSBYVAL);
	return (Node *) makeNullConst(agg->aggtype, -1, agg->aggcollid);
}

Expr *
gaussdp_value_without_rows(Expr *value)
{
	return (Expr *) value_without_rows((Node *) value, NULL);
}

/* Groups the sub-select by the columns that correlate it, which become its first ones. */
static void
group_by_person(Query *sub, List *correlations, Expr *value)
{
	ListCell *lc;

	sub->targetList = NIL;
	sub->sortClause = NIL;
	foreach (lc, correlations)
	{
		const Correlation *correlation = lfirst(lc);
		AttrNumber number = (AttrNumber) (foreach_current_index(lc) + 1);
		TargetEntry *key = makeTargetEntry(copyObject((Expr *) correlation->inner), number,
										   psprintf("key_%d", number), false);
		SortGroupClause *clause = makeNode(SortGroupClause);
		TypeCacheEntry *type =
			lookup_type_cache(exprType((Node *) key->expr),
							  TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_HASH_PROC);

		key->ressortgroupref = clause->tleSortGroupRef = number;
		clause->eqop = type->eq_opr;
		clause->sortop = type->lt_opr;
		clause->hashable = OidIsValid(type->hash_proc);
		sub->targetList = lappend(sub->targetList, key);
		sub->groupClause = lappend(sub->groupClause, clause);
	}
	if (value != NULL)
		sub->targetList = lappend(
			sub->targetList, makeTargetEntry(value, (AttrNumber) (list_length(sub->targetList) + 1),
											 "value", false));
}

/* The equality, of the query around and the joined row. */
static Node *
join_condition(const Correlation *correlation, Index rti, AttrNumber key)
{
	OpExpr *op = copyObject(correlation->equality);
	ListCell *own = list_nth_cell(op->args, correlation->inner_is_left ? 0 : 1);
	ListCell *other = list_nth_cell(op->args, correlation->inner_is_left ? 1 : 0);
	Var *column = makeVar(rti, key, correlation->inner->vartype, correlation->inner->vartypmod,
						  correlation->inner->varcollid, 0);

	IncrementVarSublevelsUp(lfirst(other), -1, 1);
	put_column(own, column);
	return (Node *) op;
}

Index
gaussdp_join_left(Query *q, Query *sub, JoinExpr **expr, Index *join)
{
	ParseState *pstate = make_parsestate(NULL);
	RangeTblRef *ref = makeNode(RangeTblRef);

	*expr = makeNode(JoinExpr);
	gaussdp_lend_entries(pstate, q);
	ref->rtindex = addRangeTableEntryForSubquery(pstate, sub, makeAlias("person", NIL), false, true)
					   ->p_rtindex;
	(*expr)->jointype = JOIN_LEFT;
	(*expr)->larg = list_length(q->jointree->fromlist) == 1
						? linitial(q->jointree->fromlist)
						: (Node *) makeFromExpr(q->jointree->fromlist, NULL);
	(*expr)->rarg = (Node *) ref;
	(*expr)->rtindex =
		addRangeTableEntryForJoin(pstate, NIL, NULL, JOIN_LEFT, 0, NIL, NIL, NIL, NULL, NULL, false)
			->p_rtindex;
	gaussdp_return_entries(pstate, q);
	q->jointree->fromlist = list_make1(*expr);
	*join = (Index) (*expr)->rtindex;
	return (Index) ref->rtindex;
}

/* LEFT JOIN sub ON what correlates it; *join is the join's index. */
static Index
join_left(Query *q, Query *sub, List *correlations, Index *join)
{
	JoinExpr *expr;
	Index rti = gaussdp_join_left(q, sub, &expr, join);
	List *conditions = NIL;
	ListCell *lc;

	foreach (lc, correlations)
		conditions =
			lappend(conditions,
					join_condition(lfirst(lc), rti, (AttrNumber) (foreach_current_index(lc) + 1)));
	expr->quals = (Node *) make_ands_explicit(conditions);
	return rti;
}

/* A column of the joined row, seen above the join. */
static Expr *
column_above(const Query *sub, Index rti, AttrNumber column, Index join)
{
	Node *expr = (Node *) list_nth_node(TargetEntry, sub->targetList, column - 1)->expr;

	return (Expr *) gaussdp_make_nullable_column(rti, column, expr, bms_make_singleton((int) join));
}

/* What the sub-select is above the join: is there a row, or the value in it. */
static Expr *
expression_above(const Query *sub, Index rti, Index join, Expr *without_rows)
{
	if (without_rows == NULL)
		return gaussdp_make_present(column_above(sub, rti, 1, join));
	return gaussdp_column_or(sub, rti, join, without_rows);
}

Expr *
gaussdp_column_or(const Query *sub, Index rti, Index join, Expr *without_rows)
{
	CaseWhen *when = makeNode(CaseWhen);
	CaseExpr *choice = makeNode(CaseExpr);

	when->expr = gaussdp_make_present(column_above(sub, rti, 1, join));
	when->result = column_above(sub, rti, (AttrNumber) list_length(sub->targetList), join);
	when->location = -1;
	choice->casetype = exprType((Node *) without_rows);
	choice->casecollid = exprCollation((Node *) without_rows);
	choice->args = list_make1(when);
	choice->defresult = without_rows;
	choice->location = -1;
	return (Expr *) choice;
}

/* The sub-select as a join, if it is one of the forms above; or NULL. */
static Expr *
write_as_join(Rewriting *r, const SubLink *sublink)
{
	Query *sub = castNode(Query, copyObject(sublink->subselect));
	List *correlations = NIL;
	List *conditions;
	Expr *value = NULL;
	Expr *without_rows = NULL;
	Index join;
	Index rti;

	drop_idle_clauses(sub, sublink->subLinkType);
	if (!gaussdp_shows_people(sub))
		return NULL;
	gaussdp_write_out_joins(sub);
	if (sublink->subLinkType == ANY_SUBLINK && is_grouped(sub))
		sub = select_around(sub);
	if (!is_plain(sub))
		return NULL;
	if (sublink->subLinkType == EXPR_SUBLINK && sub->hasAggs && list_length(sub->targetList) == 1)
	{
		value = linitial_node(TargetEntry, sub->targetList)->expr;
		without_rows = gaussdp_value_without_rows(value);
		if (contain_vars_of_level((Node *) without_rows, 0))
			return NULL;
	}
	else if ((sublink->subLinkType != EXISTS_SUBLINK && sublink->subLinkType != ANY_SUBLINK) ||
			 sub->hasAggs)
		return NULL;
	if (sublink->subLinkType == ANY_SUBLINK)
	{
		if (!take_test(r, sublink, sub, &correlations))
			return NULL;
	}
	else
	{
		conditions = take_correlations(r, sub->jointree->quals, &correlations);
		sub->jointree->quals = conditions != NIL ? (Node *) make_ands_explicit(conditions) : NULL;
	}
	if (correlations == NIL)
		return NULL;
	group_by_person(sub, correlations, value);
	if (gaussdp_is_correlated(sub))
		return NULL;
	rti = join_left(r->query, sub, correlations, &join);
	return expression_above(sub, rti, join, without_rows);
}

/* Does the query's own FROM have rows of people? */
static bool
reads_people(const Rewriting *r)
{
	ListCell *lc;

	foreach (lc, r->query->rtable)
		if (is_of_people(r, lfirst_node(RangeTblEntry, lc)))
			return true;
	return false;
}

/* x IN (SELECT y ...) -> x = ANY (ARRAY(SELECT y ...)), of values that are there without any row; or NULL. */
static Expr *
write_as_list(const Rewriting *r, const SubLink *sublink)
{
	const OpExpr *test = (const OpExpr *) sublink->testexpr;
	Query *sub = castNode(Query, sublink->subselect);
	ScalarArrayOpExpr *comparison = makeNode(ScalarArrayOpExpr);
	SubLink *list = makeNode(SubLink);
	Oid type;

	if ((sublink->subLinkType != ANY_SUBLINK && sublink->subLinkType != ALL_SUBLINK) ||
		!IsA(test, OpExpr) || !IsA(lsecond(test->args), Param) || gaussdp_shows_people(sub) ||
		gaussdp_is_correlated(sub) || !reads_people(r))
		return NULL;
	type = exprType(lsecond(test->args));
	if (!OidIsValid(get_array_type(type)) || OidIsValid(get_element_type(type)))
		return NULL;
	list->subLinkType = ARRAY_SUBLINK;
	list->subselect = copyObject(sublink->subselect);
	list->location = sublink->location;
	comparison->opno = test->opno;
	comparison->opfuncid = get_opcode(test->opno);
	comparison->useOr = sublink->subLinkType == ANY_SUBLINK;
	comparison->inputcollid = test->inputcollid;
	comparison->args = list_make2(copyObject(linitial(test->args)), list);
	comparison->location = test->location;
	return (Expr *) comparison;
}

static Node *
rewrite(Node *node, void *context)
{
	Rewriting *r = context;
	Written *written;
	Expr *expr;
	ListCell *lc;

	if (node == NULL || IsA(node, Query))
		return node;
	CHECK_FOR_INTERRUPTS();
	if (!IsA(node, SubLink))
		return expression_tree_mutator(node, rewrite, context);
	foreach (lc, r->written)
		if (equal(((Written *) lfirst(lc))->sublink, node))
			return (Node *) copyObject(((Written *) lfirst(lc))->expr);
	if (list_length(r->written) >= GAUSSDP_MAX_RELATIONS)
		return node;
	expr = write_as_list(r, (SubLink *) node);
	if (expr == NULL)
		expr = write_as_join(r, (SubLink *) node);
	if (expr == NULL)
		return node;
	written = palloc(sizeof(Written));
	*written = (Written){(SubLink *) node, expr};
	r->written = lappend(r->written, written);
	return (Node *) copyObject(expr);
}

void
gaussdp_write_sublinks_as_joins(GaussdpVerifier *v, Query *query)
{
	Rewriting r = {.v = v, .query = query};

	if (!query->hasSubLinks || query->commandType != CMD_SELECT || query->setOperations != NULL ||
		query->jointree->fromlist == NIL)
		return;
	gaussdp_write_out_joins(query);
	query->jointree->quals = rewrite(query->jointree->quals, &r);
	query->targetList = (List *) rewrite((Node *) query->targetList, &r);
	gaussdp_mutate_groups(query, rewrite, &r);
	query->hasSubLinks = r.written == NIL || checkExprHasSubLink((Node *) query);
}
