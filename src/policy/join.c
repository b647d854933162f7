/*
 * join.c
 *		A level's FROM: one protected relation, alone or joined to one public relation.
 *
 * Two things are proven of a join: each protected row appears in it at most once, because the other
 * side is matched on a key that is unique there; and nothing of a protected row reaches the other
 * side, because that is materialized by itself, before it is joined.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_proc.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/subject.h"
#include "policy/verify.h"

#define JOIN_HINT                                                                                  \
	"Join the protected table to one public table on that table's primary key, or use the "        \
	"results of "                                                                                  \
	"levels (WITH) in the query around them."

#define PUBLIC_HINT                                                                                \
	"Join to a table, to VALUES, to generate_series of constants, or to SELECT DISTINCT of a "     \
	"table."

/* A public column that is equated to something of the other side. */
typedef struct Equality
{
	AttrNumber column;
	Oid operator;
	Oid collation;
} Equality;

/* The public relation's column behind an argument, or 0. */
static AttrNumber
public_column(const Level *level, Node *arg)
{
	while (IsA(arg, RelabelType))
		arg = (Node *) ((RelabelType *) arg)->arg;
	if (IsA(arg, Var) && ((Var *) arg)->varno == (int) level->public_rti &&
		((Var *) arg)->varlevelsup == 0)
		return ((Var *) arg)->varattno;
	return InvalidAttrNumber;
}

static void
add_equality(const Level *level, OpExpr *op, Node *column, Node *other, List **equalities)
{
	AttrNumber attno = public_column(level, column);
	Equality *equality;

	if (attno <= 0 || bms_is_member(level->public_rti, pull_varnos(NULL, other)))
		return;
	equality = palloc(sizeof(Equality));
	*equality = (Equality){attno, op->opno, op->inputcollid};
	*equalities = lappend(*equalities, equality);
}

/* The equalities among the AND conjuncts of a condition. */
static void
collect_equalities(const Level *level, Node *condition, List **equalities)
{
	ListCell *lc;

	if (condition == NULL)
		return;
	if (IsA(condition, BoolExpr) && ((BoolExpr *) condition)->boolop == AND_EXPR)
	{
		foreach (lc, ((BoolExpr *) condition)->args)
			collect_equalities(level, lfirst(lc), equalities);
	}
	else if (IsA(condition, OpExpr) && list_length(((OpExpr *) condition)->args) == 2)
	{
		OpExpr *op = (OpExpr *) condition;

		add_equality(level, op, linitial(op->args), lsecond(op->args), equalities);
		add_equality(level, op, lsecond(op->args), linitial(op->args), equalities);
	}
}

/* Is this column equated by an operator that means what the index means by equal? */
static bool
is_equated(List *equalities, AttrNumber column, Oid opfamily, Oid collation)
{
	ListCell *lc;

	foreach (lc, equalities)
	{
		Equality *equality = lfirst(lc);

		if (equality->column == column && equality->collation == collation &&
			get_op_opfamily_strategy(equality->operator, opfamily) == BTEqualStrategyNumber)
			return true;
	}
	return false;
}

static bool
index_is_equated(Relation index, List *equalities)
{
	for (int i = 0; i < index->rd_index->indnkeyatts; i++)
		if (!is_equated(equalities, index->rd_index->indkey.values[i], index->rd_opfamily[i],
						index->rd_indcollation[i]))
			return false;
	return true;
}

/* A unique index of the table has all its key columns equated. */
static bool
table_is_matched_once(Oid relation, List *equalities)
{
	Relation rel = relation_open(relation, AccessShareLock);
	bool found = false;
	ListCell *lc;

	foreach (lc, RelationGetIndexList(rel))
	{
		Relation index = index_open(lfirst_oid(lc), AccessShareLock);

		found = found ||
				(gaussdp_index_proves_uniqueness(index) && index_is_equated(index, equalities));
		index_close(index, AccessShareLock);
	}
	relation_close(rel, NoLock);
	return found;
}

/* The constants of a one-column VALUES list differ, as their type's own equality sees it. */
static bool
values_differ(RangeTblEntry *entry, TypeCacheEntry *type, Oid collation)
{
	List *seen = NIL;
	ListCell *lc;

	foreach (lc, entry->values_lists)
	{
		Node *value = eval_const_expressions(NULL, linitial((List *) lfirst(lc)));
		ListCell *lc2;

		if (!IsA(value, Const) || ((Const *) value)->constisnull)
			return false;
		foreach (lc2, seen)
			if (DatumGetBool(FunctionCall2Coll(&type->eq_opr_finfo, collation,
											   ((Const *) lfirst(lc2))->constvalue,
											   ((Const *) value)->constvalue)))
				return false;
		seen = lappend(seen, value);
	}
	return true;
}

/* VALUES of one column without repeats, that column equated. */
static bool
values_are_matched_once(RangeTblEntry *entry, List *equalities)
{
	TypeCacheEntry *type;
	Oid collation;

	if (list_length(entry->coltypes) != 1)
		return false;
	type = lookup_type_cache(linitial_oid(entry->coltypes),
							 TYPECACHE_EQ_OPR_FINFO | TYPECACHE_BTREE_OPFAMILY);
	collation = linitial_oid(entry->colcollations);
	return OidIsValid(type->eq_opr) && OidIsValid(type->btree_opf) &&
		   is_equated(equalities, 1, type->btree_opf, collation) &&
		   values_differ(entry, type, collation);
}

/* generate_series of constants, its column equated. */
static bool
series_is_matched_once(RangeTblEntry *entry, List *equalities)
{
	RangeTblFunction *function;
	FuncExpr *call;
	ListCell *lc;
	TypeCacheEntry *type;

	if (list_length(entry->functions) != 1 || entry->funcordinality)
		return false;
	function = linitial_node(RangeTblFunction, entry->functions);
	if (!IsA(function->funcexpr, FuncExpr))
		return false;
	call = (FuncExpr *) function->funcexpr;
	if (call->funcid != F_GENERATE_SERIES_INT4_INT4 &&
		call->funcid != F_GENERATE_SERIES_INT4_INT4_INT4 &&
		call->funcid != F_GENERATE_SERIES_INT8_INT8 &&
		call->funcid != F_GENERATE_SERIES_INT8_INT8_INT8)
		return false;
	foreach (lc, call->args)
		if (!IsA(eval_const_expressions(NULL, lfirst(lc)), Const))
			return false;
	type = lookup_type_cache(call->funcresulttype, TYPECACHE_BTREE_OPFAMILY);
	return is_equated(equalities, 1, type->btree_opf, InvalidOid);
}

/* What a plain SELECT without grouping, sub-selects or WITH reads from, if that is one item; or NULL. */
static RangeTblEntry *
only_source(Query *q)
{
	Node *item;

	if (q->commandType != CMD_SELECT || q->hasAggs || q->hasWindowFuncs || q->hasTargetSRFs ||
		q->hasSubLinks || q->hasDistinctOn || q->hasModifyingCTE || q->hasForUpdate ||
		q->rowMarks != NIL || q->cteList != NIL || q->setOperations != NULL ||
		q->groupClause != NIL || q->groupingSets != NIL || q->havingQual != NULL ||
		q->limitCount != NULL || q->limitOffset != NULL || list_length(q->jointree->fromlist) != 1)
		return NULL;
	item = linitial(q->jointree->fromlist);
	return IsA(item, RangeTblRef) ? rt_fetch(((RangeTblRef *) item)->rtindex, q->rtable) : NULL;
}

/* SELECT * FROM (VALUES ...): the list itself, or NULL. */
static RangeTblEntry *
plain_values(Query *q)
{
	RangeTblEntry *source = only_source(q);
	ListCell *lc;

	if (source == NULL || source->rtekind != RTE_VALUES || q->jointree->quals != NULL ||
		q->distinctClause != NIL)
		return NULL;
	foreach (lc, q->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);

		if (tle->resjunk || !IsA(tle->expr, Var) ||
			((Var *) tle->expr)->varattno != foreach_current_index(lc) + 1)
			return NULL;
	}
	return source;
}

/* Are all columns of a SELECT DISTINCT equated? */
static bool
distinct_is_matched_once(Query *q, List *equalities)
{
	ListCell *lc;

	if (q->distinctClause == NIL)
		return false;
	foreach (lc, q->targetList)
	{
		TargetEntry *tle = lfirst_node(TargetEntry, lc);
		TypeCacheEntry *type =
			lookup_type_cache(exprType((Node *) tle->expr), TYPECACHE_BTREE_OPFAMILY);

		if (tle->resjunk || !OidIsValid(type->btree_opf) ||
			!is_equated(equalities, tle->resno, type->btree_opf, exprCollation((Node *) tle->expr)))
			return false;
	}
	return true;
}

/* May this table of the database be joined? */
static bool
verify_public_table(Verifier *v, const RangeTblEntry *entry)
{
	if (entry->relkind != RELKIND_RELATION && entry->relkind != RELKIND_PARTITIONED_TABLE)
		return refuse(v, RULE_PUBLIC, -1, "only plain tables are joined to protected ones",
					  JOIN_HINT);
	if (gaussdp_is_protected(entry->relid) || list_member_ptr(v->found, entry))
		return refuse(v, RULE_PUBLIC, -1, "two protected tables are joined", JOIN_HINT);
	if (entry->securityQuals != NIL)
		return refuse(v, RULE_PUBLIC, -1, "the joined table has row security", JOIN_HINT);
	if (entry->tablesample != NULL)
		return refuse(v, RULE_PUBLIC, -1, "TABLESAMPLE picks rows by their place", JOIN_HINT);
	if (entry->relkind == RELKIND_RELATION && entry->inh && has_subclass(entry->relid))
		return refuse(v, RULE_UNIQUE, -1,
					  "the joined table has inheritance children, whose rows no index covers",
					  "Write FROM ONLY.");
	if (gaussdp_has_foreign_part(entry))
		return refuse(v, RULE_PUBLIC, -1, "a partition of the joined table is on a foreign server",
					  JOIN_HINT);
	return true;
}

/*
 * SELECT DISTINCT of a public table, by silent functions: how far it is read depends on the protected
 * side, so that nobody must see it being read.
 */
static bool
verify_public_query(Verifier *v, Query *q)
{
	RangeTblEntry *source = only_source(q);
	ListCell *lc;

	if (source == NULL || source->rtekind != RTE_RELATION)
		return refuse(v, RULE_PUBLIC, -1,
					  "this kind of sub-select is not joined to protected tables", PUBLIC_HINT);
	if (!verify_public_table(v, source) || !verify_expression(v, NULL, q->jointree->quals, ON_ROWS))
		return false;
	foreach (lc, q->targetList)
		if (!verify_expression(v, NULL, (Node *) lfirst_node(TargetEntry, lc)->expr, ON_ROWS))
			return false;
	return true;
}

/* The WITH query of this level that the entry reads, or NULL. */
static CommonTableExpr *
own_cte(Query *q, const RangeTblEntry *entry)
{
	ListCell *lc;

	if (entry->ctelevelsup > 0 || entry->self_reference)
		return NULL;
	foreach (lc, q->cteList)
		if (strcmp(lfirst_node(CommonTableExpr, lc)->ctename, entry->ctename) == 0)
			return lfirst_node(CommonTableExpr, lc);
	return NULL;
}

/* The public side is a query: a list of VALUES, or a unit of its own. */
static bool
verify_public_subquery(Verifier *v, Level *level, List *equalities, bool *once)
{
	RangeTblEntry *entry = level->public_entry;
	CommonTableExpr *cte = entry->rtekind == RTE_CTE ? own_cte(level->query, entry) : NULL;
	Query *q = cte != NULL ? (Query *) cte->ctequery : entry->subquery;
	RangeTblEntry *values;

	if (q == NULL || entry->lateral || (cte != NULL && cte->cterecursive))
		return refuse(v, RULE_PUBLIC, -1, "this kind of relation is not joined to protected tables",
					  PUBLIC_HINT);
	if ((values = plain_values(q)) != NULL)
	{
		*once = values_are_matched_once(values, equalities);
		return true;
	}
	if (!verify_public_query(v, q))
		return false;
	*once = distinct_is_matched_once(q, equalities);
	if (cte != NULL)
		cte->ctematerialized = CTEMaterializeAlways;
	else
		fence_query(q);
	return true;
}

static bool
verify_public_entry(Verifier *v, Level *level, List *equalities)
{
	RangeTblEntry *entry = level->public_entry;
	bool once = false;

	switch (entry->rtekind)
	{
		case RTE_RELATION:
			if (!verify_public_table(v, entry))
				return false;
			once = table_is_matched_once(entry->relid, equalities);
			break;
		case RTE_VALUES:
			once = !entry->lateral && values_are_matched_once(entry, equalities);
			break;
		case RTE_FUNCTION:
			once = !entry->lateral && series_is_matched_once(entry, equalities);
			break;
		case RTE_CTE:
		case RTE_SUBQUERY:
			if (!verify_public_subquery(v, level, equalities, &once))
				return false;
			break;
		default:
			return refuse(v, RULE_PUBLIC, -1,
						  "this kind of relation is not joined to protected tables", PUBLIC_HINT);
	}
	if (!once)
		return refuse(v, RULE_UNIQUE, -1,
					  "a protected row may match several rows of the joined relation",
					  "Equate every column of a primary key of the joined table, in ON or as AND "
					  "conditions.");
	return true;
}

/* The two sides of FROM, and the condition that joins them. */
static bool
find_sides(Verifier *v, Level *level, Node **left, Node **right)
{
	List *from = level->query->jointree->fromlist;

	*left = linitial(from);
	*right = NULL;
	level->jointype = JOIN_INNER;
	if (list_length(from) == 2)
		*right = lsecond(from);
	else if (list_length(from) == 1 && IsA(*left, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) *left;

		level->join = join;
		level->jointype = join->jointype;
		*left = join->larg;
		*right = join->rarg;
	}
	if (list_length(from) > 2 || !IsA(*left, RangeTblRef) ||
		(*right != NULL && !IsA(*right, RangeTblRef)))
		return refuse(v, RULE_UNIQUE, -1, "more than two relations are joined", JOIN_HINT);
	if (level->jointype != JOIN_INNER && level->jointype != JOIN_LEFT &&
		level->jointype != JOIN_RIGHT)
		return refuse(v, RULE_LEFT_JOIN, -1, "this kind of join makes up rows on both sides",
					  JOIN_HINT);
	return true;
}

static Index
index_of(Node *side)
{
	return ((RangeTblRef *) side)->rtindex;
}

bool
verify_join(Verifier *v, Level *level)
{
	Query *q = level->query;
	Node *left;
	Node *right;
	bool left_is_protected;
	bool right_is_protected;
	List *equalities = NIL;

	if (!find_sides(v, level, &left, &right))
		return false;
	left_is_protected = is_protected(v, rt_fetch(index_of(left), q->rtable));
	right_is_protected = right != NULL && is_protected(v, rt_fetch(index_of(right), q->rtable));
	if (left_is_protected && right_is_protected)
		return refuse(v, RULE_UNIQUE, -1, "two protected tables are joined", JOIN_HINT);
	if (!left_is_protected && !right_is_protected)
		return refuse(v, RULE_LEVEL, -1, "this level does not read a protected table directly",
					  "Name the protected table in FROM.");
	level->rti = index_of(left_is_protected ? left : right);
	level->entry = rt_fetch(level->rti, q->rtable);
	if (right == NULL)
		return true;
	level->public_rti = index_of(left_is_protected ? right : left);
	level->public_entry = rt_fetch(level->public_rti, q->rtable);
	level->null_extends =
		level->jointype != JOIN_INNER && (level->jointype == JOIN_LEFT) != left_is_protected;
	if (level->join != NULL)
		collect_equalities(level, level->join->quals, &equalities);
	if (level->jointype == JOIN_INNER)
		collect_equalities(level, q->jointree->quals, &equalities);
	return verify_public_entry(v, level, equalities);
}

/* Adds the protected side's presence to a call's FILTER: its unit column, which is never NULL there. */
static void
filter_on_presence(Level *level, Aggref *agg, AttrNumber unit)
{
	NullTest *present = makeNode(NullTest);
	Var *var =
		gaussdp_make_nullable_var(level->rti, level->entry->relid, unit, level->join->rtindex);

	present->arg = (Expr *) var;
	present->nulltesttype = IS_NOT_NULL;
	present->location = -1;
	if (agg->aggfilter == NULL)
		agg->aggfilter = (Expr *) present;
	else
		agg->aggfilter = makeBoolExpr(AND_EXPR, list_make2(present, agg->aggfilter), -1);
}

void
count_present_rows_only(Level *level)
{
	AttrNumber unit = gaussdp_unit_column(level->entry->relid);
	ListCell *lc;

	if (!level->null_extends)
		return;
	foreach (lc, level->calls)
		filter_on_presence(level, lfirst_node(Aggref, lc), unit);
}
