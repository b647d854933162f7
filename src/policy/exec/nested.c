/*
 * nested.c
 *		Queries of a level, each in FROM of the next.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parse_clause.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/exec/nested.h"
#include "policy/proof/proof.h"

Expr *
gaussdp_expression_of(const Query *query, AttrNumber number)
{
	return list_nth_node(TargetEntry, query->targetList, number - 1)->expr;
}

Expr *
gaussdp_column_of(const Query *below, AttrNumber number)
{
	Expr *expr = gaussdp_expression_of(below, number);

	return (Expr *) makeVar(1, number, exprType((Node *) expr), exprTypmod((Node *) expr),
							exprCollation((Node *) expr), 0);
}

AttrNumber
gaussdp_add_column(Query *query, Expr *expr)
{
	AttrNumber number = (AttrNumber) (list_length(query->targetList) + 1);

	query->targetList = lappend(
		query->targetList, makeTargetEntry(expr, number, psprintf("column_%d", number), false));
	return number;
}

void
gaussdp_read_from(Query *query, Query *below)
{
	RangeTblEntry *entry = makeNode(RangeTblEntry);
	RangeTblRef *ref = makeNode(RangeTblRef);
	List *names = NIL;
	ListCell *lc;

	foreach (lc, below->targetList)
		if (!lfirst_node(TargetEntry, lc)->resjunk)
			names = lappend(names, makeString(lfirst_node(TargetEntry, lc)->resname));
	entry->rtekind = RTE_SUBQUERY;
	entry->subquery = below;
	entry->eref = makeAlias("below", names);
	entry->inFromCl = true;
	ref->rtindex = 1;
	query->rtable = list_make1(entry);
	gaussdp_take_permissions(query, NULL);
	query->jointree = makeFromExpr(list_make1(ref), NULL);
}

Query *
gaussdp_make_query_over(Query *below)
{
	Query *query = makeNode(Query);

	query->commandType = CMD_SELECT;
	query->canSetTag = true;
	gaussdp_read_from(query, below);
	for (int i = 1; i <= list_length(below->targetList); i++)
		(void) gaussdp_add_column(query, gaussdp_column_of(below, (AttrNumber) i));
	return query;
}

SortGroupClause *
gaussdp_comparison_of(const Query *query, AttrNumber column)
{
	TypeCacheEntry *type =
		lookup_type_cache(exprType((Node *) gaussdp_expression_of(query, column)),
						  TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR);
	SortGroupClause *clause = makeNode(SortGroupClause);

	clause->eqop = type->eq_opr;
	clause->sortop = type->lt_opr;
	return clause;
}

SortGroupClause *
gaussdp_compare(Query *query, AttrNumber column, const SortGroupClause *how)
{
	SortGroupClause *clause = copyObject(unconstify(SortGroupClause *, how));

	clause->tleSortGroupRef = assignSortGroupRef(
		list_nth_node(TargetEntry, query->targetList, column - 1), query->targetList);
	return clause;
}

Expr *
gaussdp_make_int8(int64 value)
{
	return (Expr *) makeConst(INT8OID, -1, InvalidOid, sizeof(int64), Int64GetDatum(value), false,
							  FLOAT8PASSBYVAL);
}

Expr *
gaussdp_make_int4(int32 value)
{
	return (Expr *) makeConst(INT4OID, -1, InvalidOid, sizeof(int32), Int32GetDatum(value), false,
							  true);
}

static Expr *
make_choice(Expr *condition, Expr *value, Expr *otherwise)
{
	CaseExpr *choice = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = condition;
	when->result = value;
	when->location = -1;
	choice->casetype = exprType((Node *) value);
	choice->casecollid = exprCollation((Node *) value);
	choice->args = list_make1(when);
	choice->defresult = otherwise;
	choice->location = -1;
	return (Expr *) choice;
}

Expr *
gaussdp_make_size_if(Expr *condition, Expr *size)
{
	return make_choice(condition, size, gaussdp_make_int8(0));
}

Expr *
gaussdp_make_value_if(Expr *condition, Expr *value)
{
	Oid type = exprType((Node *) value);

	return make_choice(
		condition, value,
		(Expr *) makeNullConst(type, exprTypmod((Node *) value), exprCollation((Node *) value)));
}
