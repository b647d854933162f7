/*
 * public.c
 *		Public relations beside a protected one: what they may be, and on what they are unique.
 *
 * Nothing of a protected row reaches them: the room reads each to its end before the first protected row, and
 * asks the rows that it has read whether the key is one.
 */
#include "postgres.h"

#include "access/relation.h"
#include "catalog/pg_class.h"
#include "catalog/pg_inherits.h"
#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/sortsupport.h"
#include "utils/typcache.h"

#include "policy/proof/internal.h"
#include "query_tree.h"

#define ELEMENTS_HINT                                                                              \
	"Take the elements of an array, in a join that leaves none out: CROSS JOIN unnest(t.tags) AS " \
	"tag(x)."

#define PUBLIC_HINT                                                                                \
	"Join to a table, to VALUES, to generate_series of constants, or to a plain SELECT or SELECT " \
	"DISTINCT of a table."

/* What one condition equates of each relation. */
typedef struct Equated
{
	Node *condition;
	List **equalities; /* of GaussdpEquality, by index in the range table */
} Equated;

static void
add_equality(const GaussdpLevel *level, OpExpr *op, Node *arg, Node *other, Equated *equated)
{
	const Var *column = gaussdp_bare_column(arg, 0);
	GaussdpEquality *equality;

	if (column == NULL || !bms_is_member(column->varno, level->relations) ||
		!gaussdp_is_equality(op->opno) || contain_volatile_functions(other))
		return;
	equality = palloc(sizeof(GaussdpEquality));
	*equality = (GaussdpEquality){column->varattno, op->opno, op->inputcollid,
								  gaussdp_relations_of(level, other)};
	equated->equalities[column->varno] = lappend(equated->equalities[column->varno], equality);
}

/* What the AND conjuncts of a condition equate. */
static void
collect_equalities(const GaussdpLevel *level, Node *condition, Equated *equated)
{
	ListCell *lc;

	foreach (lc, gaussdp_conjuncts(condition))
	{
		OpExpr *op = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (!IsA(op, OpExpr) || list_length(op->args) != 2)
			continue;
		add_equality(level, op, linitial(op->args), lsecond(op->args), equated);
		add_equality(level, op, lsecond(op->args), linitial(op->args), equated);
	}
}

/*
 * Each condition is taken apart once, however often it is asked which relations it makes known.  That is asked of all
 * conditions in turn: the next one stands behind the last.
 */
static const Equated *
equated_by(GaussdpLevel *level, Node *condition)
{
	int n = list_length(level->equated);
	Equated *equated;

	for (int i = 1; i <= n; i++)
	{
		int place = (level->last_equated + i) % n;

		equated = list_nth(level->equated, place);
		if (equated->condition != condition)
			continue;
		level->last_equated = place;
		return equated;
	}
	equated = palloc(sizeof(Equated));
	equated->condition = condition;
	equated->equalities = palloc0(sizeof(List *) * (list_length(level->query->rtable) + 1));
	collect_equalities(level, condition, equated);
	level->equated = lappend(level->equated, equated);
	level->last_equated = n;
	return equated;
}

/* Columns of the relation that these conditions equate to known ones; a List of GaussdpEquality. */
static List *
known_equalities(GaussdpLevel *level, Index rti, List *conditions, const Bitmapset *known)
{
	List *equalities = NIL;
	ListCell *lc;
	ListCell *lc2;

	foreach (lc, conditions)
	{
		if (lfirst(lc) == NULL)
			continue;
		foreach (lc2, equated_by(level, lfirst(lc))->equalities[rti])
		{
			CHECK_FOR_INTERRUPTS();
			if (bms_is_subset(((GaussdpEquality *) lfirst(lc2))->needed, known))
				equalities = lappend(equalities, lfirst(lc2));
		}
	}
	return equalities;
}

/* A constant of a VALUES list, and its hash; 0 where all are compared. */
typedef struct ListedValue
{
	uint32 hash;
	Datum value;
} ListedValue;

/* By their hashes first: these lie side by side, texts anywhere in memory. */
static int
compare_values(const void *a, const void *b, void *order)
{
	const ListedValue *first = a;
	const ListedValue *second = b;

	CHECK_FOR_INTERRUPTS();
	if (first->hash != second->hash)
		return first->hash < second->hash ? -1 : 1;
	return ApplySortComparator(first->value, false, second->value, false, order);
}

/*
 * Are equal values sure to have the same hash?  That of name looks at bytes, whatever the collation takes for equal, and
 * what is made of other types hashes these.
 */
static bool
has_hash_of_equality(const TypeCacheEntry *type, Oid collation)
{
	return type->typtype == TYPTYPE_BASE && !OidIsValid(get_element_type(type->type_id)) &&
		   OidIsValid(type->hash_proc) && type->hash_proc < FirstNormalObjectId &&
		   (!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

/* The constants of a one-column VALUES list differ, as the order of their type sees it. */
static bool
values_differ(RangeTblEntry *entry, TypeCacheEntry *type, Oid collation)
{
	int n = list_length(entry->values_lists);
	bool is_hashed = !type->typbyval && has_hash_of_equality(type, collation);
	ListedValue *values = palloc_extended(sizeof(ListedValue) * n, MCXT_ALLOC_HUGE);
	SortSupportData order = {.ssup_cxt = CurrentMemoryContext, .ssup_collation = collation};
	ListCell *lc;

	foreach (lc, entry->values_lists)
	{
		Node *node = linitial((List *) lfirst(lc));
		ListedValue *value = &values[foreach_current_index(lc)];

		CHECK_FOR_INTERRUPTS();
		if (!IsA(node, Const))
			node = eval_const_expressions(NULL, node);
		if (!IsA(node, Const) || ((Const *) node)->constisnull)
			return false;
		value->value = ((Const *) node)->constvalue;
		value->hash =
			is_hashed
				? DatumGetUInt32(FunctionCall1Coll(&type->hash_proc_finfo, collation, value->value))
				: 0;
	}
	PrepareSortSupportFromOrderingOp(type->lt_opr, &order);
	qsort_arg(values, n, sizeof(ListedValue), compare_values, &order);
	for (int i = 1; i < n; i++)
		if (compare_values(&values[i - 1], &values[i], &order) == 0)
			return false;
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
	type = lookup_type_cache(linitial_oid(entry->coltypes), TYPECACHE_LT_OPR | TYPECACHE_EQ_OPR |
																TYPECACHE_BTREE_OPFAMILY |
																TYPECACHE_HASH_PROC_FINFO);
	collation = linitial_oid(entry->colcollations);
	return OidIsValid(type->lt_opr) && OidIsValid(type->btree_opf) &&
		   gaussdp_is_equated(equalities, 1, type->btree_opf, collation) &&
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
	{
		Node *arg = eval_const_expressions(NULL, lfirst(lc));

		/* A step of 0 fails when the first protected row asks for a number. */
		if (!IsA(arg, Const) || ((Const *) arg)->constisnull ||
			(foreach_current_index(lc) == 2 &&
			 (exprType(arg) == INT8OID ? DatumGetInt64(((Const *) arg)->constvalue)
									   : DatumGetInt32(((Const *) arg)->constvalue)) == 0))
			return false;
	}
	type = lookup_type_cache(call->funcresulttype, TYPECACHE_BTREE_OPFAMILY);
	return gaussdp_is_equated(equalities, 1, type->btree_opf, InvalidOid);
}

/* What a plain SELECT without grouping, sub-selects or WITH reads from, if that is one item; or NULL. */
static RangeTblEntry *
only_source(Query *q)
{
	Node *item;

	if ((gaussdp_clauses(q) & ~(GAUSSDP_CLAUSE_DISTINCT | GAUSSDP_CLAUSE_ORDER)) != 0 ||
		list_length(q->jointree->fromlist) != 1)
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
			!gaussdp_is_equated(equalities, tle->resno, type->btree_opf,
								exprCollation((Node *) tle->expr)))
			return false;
	}
	return true;
}

/* What is equated of the source's columns, seen through a query that only projects it. */
static List *
equalities_of_source(Query *q, List *equalities)
{
	List *result = NIL;
	ListCell *lc;

	foreach (lc, equalities)
	{
		GaussdpEquality *inner = palloc(sizeof(GaussdpEquality));
		TargetEntry *tle;

		*inner = *(GaussdpEquality *) lfirst(lc);
		tle = get_tle_by_resno(q->targetList, inner->column);
		if (tle == NULL || tle->resjunk || !IsA(tle->expr, Var) ||
			((Var *) tle->expr)->varattno <= 0)
			continue;
		inner->column = ((Var *) tle->expr)->varattno;
		result = lappend(result, inner);
	}
	return result;
}

static bool
query_is_matched_once(Query *q, List *equalities)
{
	RangeTblEntry *values = plain_values(q);
	RangeTblEntry *source = only_source(q);

	if (values != NULL)
		return values_are_matched_once(values, equalities);
	return distinct_is_matched_once(q, equalities) ||
		   (source != NULL && source->rtekind == RTE_RELATION &&
			gaussdp_table_is_matched_once(source->relid, equalities_of_source(q, equalities)));
}

bool
gaussdp_is_matched_once(GaussdpLevel *level, Index rti, List *conditions, const Bitmapset *known,
						List **keys)
{
	RangeTblEntry *entry = rt_fetch(rti, level->query->rtable);
	List *equalities = known_equalities(level, rti, conditions, known);

	*keys = equalities;
	switch (entry->rtekind)
	{
		case RTE_RELATION:
			return gaussdp_table_is_matched_once(entry->relid, equalities);
		case RTE_VALUES:
			return values_are_matched_once(entry, equalities);
		case RTE_FUNCTION:
			return series_is_matched_once(entry, equalities);
		case RTE_SUBQUERY:
			return query_is_matched_once(entry->subquery, equalities);
		default:
			return false;
	}
}

/* Virtual columns (from 18 on) are expressions that nobody has looked at. */
static bool
has_virtual_column(Oid relation)
{
	Relation rel = relation_open(relation, AccessShareLock);
	TupleDesc desc = RelationGetDescr(rel);
	bool found = false;

	for (int i = 0; i < desc->natts; i++)
		found = found || TupleDescAttr(desc, i)->attgenerated == 'v';
	relation_close(rel, NoLock);
	return found;
}

/* May this table of the database be joined? */
static bool
verify_public_table(GaussdpVerifier *v, const RangeTblEntry *entry)
{
	const char *why;

	if (entry->relkind != RELKIND_RELATION && entry->relkind != RELKIND_PARTITIONED_TABLE)
		return gaussdp_refuse(v, GAUSSDP_RULE_PUBLIC, -1,
							  "only plain tables are joined to protected ones", PUBLIC_HINT);
	if (gaussdp_is_protected(entry->relid))
		return gaussdp_refuse(v, GAUSSDP_RULE_PUBLIC, -1, "two protected tables are joined",
							  PUBLIC_HINT);
	if (entry->securityQuals != NIL)
		return gaussdp_refuse(v, GAUSSDP_RULE_PUBLIC, -1, "the joined table has row security",
							  PUBLIC_HINT);
	if (entry->tablesample != NULL)
		return gaussdp_refuse(v, GAUSSDP_RULE_PUBLIC, -1, "TABLESAMPLE picks rows by their place",
							  PUBLIC_HINT);
	if (entry->relkind == RELKIND_RELATION && entry->inh && has_subclass(entry->relid))
		return gaussdp_refuse(
			v, GAUSSDP_RULE_UNIQUE, -1,
			"the joined table has inheritance children, whose rows no index covers",
			"Write FROM ONLY.");
	if (has_virtual_column(entry->relid))
		return gaussdp_refuse(
			v, GAUSSDP_RULE_PUBLIC, -1,
			"the joined table has a virtual column, which is computed when it is read",
			PUBLIC_HINT);
	why = gaussdp_storage_problem(entry->relid, true);
	if (why != NULL)
		return gaussdp_refuse(
			v, GAUSSDP_RULE_PUBLIC, -1,
			psprintf("rows of the joined table are not in a heap of this server: %s", why),
			PUBLIC_HINT);
	return true;
}

/* A list of VALUES, or SELECT of a public table by leakproof functions. */
static bool
verify_public_query(GaussdpVerifier *v, Query *q)
{
	RangeTblEntry *source = only_source(q);
	ListCell *lc;

	if (plain_values(q) != NULL && gaussdp_rows_are_constant(plain_values(q)))
		return true;
	if (source == NULL || source->rtekind != RTE_RELATION)
		return gaussdp_refuse(v, GAUSSDP_RULE_PUBLIC, -1,
							  "this kind of sub-select is not joined to protected tables",
							  PUBLIC_HINT);
	if (!verify_public_table(v, source) ||
		!gaussdp_verify_expression(v, NULL, q->jointree->quals, GAUSSDP_ON_ROWS))
		return false;
	foreach (lc, q->targetList)
		if (!gaussdp_verify_expression(v, NULL, (Node *) lfirst_node(TargetEntry, lc)->expr,
									   GAUSSDP_ON_ROWS))
			return false;
	return gaussdp_verify_sorting(v, q->distinctClause, q->targetList) &&
		   gaussdp_verify_sorting(v, q->sortClause, q->targetList);
}

bool
gaussdp_verify_public_entry(GaussdpVerifier *v, const GaussdpLevel *level, Index rti)
{
	RangeTblEntry *entry = rt_fetch(rti, level->query->rtable);

	if (!entry->lateral)
		switch (entry->rtekind)
		{
			case RTE_RELATION:
				return verify_public_table(v, entry);
			case RTE_VALUES:
			case RTE_FUNCTION:
				if (gaussdp_rows_are_constant(entry))
					return true;
				break;
			case RTE_SUBQUERY:
				return verify_public_query(v, entry->subquery);
			default:
				break;
		}
	return gaussdp_refuse(
		v, GAUSSDP_RULE_PUBLIC, -1, "this kind of relation is not joined to protected tables",
		entry->rtekind == RTE_FUNCTION && entry->lateral ? ELEMENTS_HINT : PUBLIC_HINT);
}
