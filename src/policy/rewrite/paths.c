/*
 * paths.c
 *		Rule 8: joins what names no person to the table that does, as the owner has declared.
 *
 *		SELECT product, sum(quantity) FROM items GROUP BY product
 *
 * becomes, where items is declared to be somebody's by way of orders,
 *
 *		SELECT product, sum(quantity) FROM (items JOIN orders ON orders.id = items.order_id) GROUP BY product
 *
 * and likewise further up, where orders is somebody's by way of another table.  The join takes the place of the table, so that an outer join
 * that adds items adds them with their order.  It loses no item that is somebody's, since one without its order is
 * nobody's.  Where the query has that join already, nothing is added.
 *
 * A query of people's rows that groups by what names one row,
 *
 *		SELECT order_id, sum(quantity) FROM items GROUP BY order_id
 *
 * groups by whose that row is, too: it makes the same groups, and each says whose it is.
 */
#include "postgres.h"

#include "access/table.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/typcache.h"

#include "compat.h"
#include "declaration/declaration.h"
#include "policy/rewrite/rewrite.h"
#include "query_tree.h"

/* An entry whose rows are somebody's by way of another table. */
typedef struct Below
{
	Query *query;
	Index rti;
	Oid relation;
	GaussdpTable table;
} Below;

/* Is one of these columns the entry's key, and the other one that of the table above, as it is or shown by a query? */
static bool
is_join_to_above(const Below *below, Node *condition)
{
	const Var *left;
	const Var *right;
	const Var *above;
	const RangeTblEntry *entry;
	AttrNumber column;

	if (!gaussdp_compares_columns(condition, &left, &right))
		return false;
	above = left->varno == (int) below->rti ? right : left;
	if (above == right ? left->varattno != below->table.unit
					   : right->varno != (int) below->rti || right->varattno != below->table.unit)
		return false;
	entry = gaussdp_base_column((Expr *) above, list_make1(below->query), &column);
	return entry != NULL && entry->relid == below->table.via && column == below->table.via_column;
}

static bool
joins_above(const Below *below, Node *condition)
{
	ListCell *lc;

	foreach (lc, gaussdp_conjuncts(condition))
		if (is_join_to_above(below, lfirst(lc)))
			return true;
	return false;
}

/* Is the row above there, in this tree of joins, wherever the entry's row is? */
static bool
is_joined(const Below *below, Node *tree)
{
	const JoinExpr *join = (const JoinExpr *) tree;
	bool is_added;
	ListCell *lc;

	check_stack_depth();
	if (!bms_is_member((int) below->rti, gaussdp_relations_in(tree)))
		return false;
	is_added = !IsA(tree, JoinExpr) || join->jointype == JOIN_INNER ||
			   (join->jointype == JOIN_LEFT &&
				bms_is_member((int) below->rti, gaussdp_relations_in(join->rarg))) ||
			   (join->jointype == JOIN_RIGHT &&
				bms_is_member((int) below->rti, gaussdp_relations_in(join->larg)));
	if (is_added && joins_above(below, gaussdp_join_condition(tree)))
		return true;
	foreach (lc, gaussdp_joined_trees(tree))
		if (is_joined(below, lfirst(lc)))
			return true;
	return false;
}

/* Adds the table above to the range table, marked as the entry is; 0 where row security would choose among its rows. */
static Index
add_above(const Below *below, AttrNumber column)
{
	Query *q = below->query;
	ParseState *pstate;
	ParseNamespaceItem *item;
	Relation rel = table_open(below->table.via, AccessShareLock);
	bool is_filtered = rel->rd_rel->relrowsecurity;

	if (is_filtered)
	{
		table_close(rel, NoLock);
		return 0;
	}
	pstate = make_parsestate(NULL);
	gaussdp_lend_entries(pstate, q);
	item = addRangeTableEntryForRelation(pstate, rel, AccessShareLock, NULL, true, true);
	table_close(rel, NoLock);
	item->p_rte->enrname = pstrdup(rt_fetch(below->rti, q->rtable)->enrname);
	markVarForSelectPriv(
		pstate, gaussdp_make_nullable_var(item->p_rtindex, below->table.via, column, NULL));
	gaussdp_return_entries(pstate, q);
	return (Index) item->p_rtindex;
}

/* Puts this tree in place of the entry. */
static bool
put_tree(Node *tree, Index rti, Node *by)
{
	ListCell *lc;

	if (IsA(tree, JoinExpr))
	{
		JoinExpr *join = (JoinExpr *) tree;
		Node **sides[] = {&join->larg, &join->rarg};

		for (int i = 0; i < 2; i++)
			if (!IsA(*sides[i], RangeTblRef))
			{
				if (put_tree(*sides[i], rti, by))
					return true;
			}
			else if (((RangeTblRef *) *sides[i])->rtindex == (int) rti)
			{
				*sides[i] = by;
				return true;
			}
		return false;
	}
	foreach (lc, ((FromExpr *) tree)->fromlist)
	{
		Node *item = lfirst(lc);

		if (!IsA(item, RangeTblRef) ? put_tree(item, rti, by)
									: ((RangeTblRef *) item)->rtindex == (int) rti)
		{
			if (IsA(item, RangeTblRef))
				lfirst(lc) = by;
			return true;
		}
	}
	return false;
}

static Node *
make_ref(Index rti)
{
	RangeTblRef *ref = makeNode(RangeTblRef);

	ref->rtindex = (int) rti;
	return (Node *) ref;
}

/* The join of both, in place of the entry below. */
static void
put_join(const Below *below, Index above, Expr *condition)
{
	JoinExpr *join = makeNode(JoinExpr);
	ParseState *pstate = make_parsestate(NULL);

	gaussdp_lend_entries(pstate, below->query);
	join->jointype = JOIN_INNER;
	join->larg = make_ref(below->rti);
	join->rarg = make_ref(above);
	join->quals = (Node *) condition;
	join->rtindex = addRangeTableEntryForJoin(pstate, NIL, NULL, JOIN_INNER, 0, NIL, NIL, NIL, NULL,
											  NULL, false)
						->p_rtindex;
	gaussdp_return_entries(pstate, below->query);
	(void) put_tree((Node *) below->query->jointree, below->rti, (Node *) join);
}

/* Joins the entry to the table above, and that to the one above it. */
static void
join_above(const Below *below)
{
	Oid operator;
	Oid collation;
	Below next = {.query = below->query, .relation = below->table.via};

	check_stack_depth();
	if (!gaussdp_equality_of_reference(below->relation, below->table.unit, below->table.via,
									   below->table.via_column, &operator, & collation) ||
		!gaussdp_table(below->table.via, &next.table) || !next.table.usable)
		return;
	next.rti = add_above(below, next.table.unit);
	if (next.rti == 0)
		return;
	put_join(below, next.rti,
			 gaussdp_make_equality(operator,(Node *) gaussdp_make_nullable_var(
									   below->rti, below->relation, below->table.unit, NULL),
								   (Node *) gaussdp_make_nullable_var(
									   next.rti, next.relation, below->table.via_column, NULL),
								   collation));
	if (next.table.has_path)
		join_above(&next);
}

void
gaussdp_join_paths(Query *q)
{
	Bitmapset *relations = gaussdp_relations_in((Node *) q->jointree);
	int rti = -1;

	while ((rti = bms_next_member(relations, rti)) >= 0)
	{
		const RangeTblEntry *entry = rt_fetch(rti, q->rtable);
		Below below = {.query = q, .rti = (Index) rti, .relation = entry->relid};

		CHECK_FOR_INTERRUPTS();
		if (gaussdp_needs_proof(entry) && gaussdp_table(entry->relid, &below.table) &&
			below.table.usable && below.table.has_path && !is_joined(&below, (Node *) q->jointree))
			join_above(&below);
	}
}

bool
gaussdp_names_row(const RangeTblEntry *entry, AttrNumber column)
{
	GaussdpTable table;
	Oid type;
	int32 typmod;
	Oid collation;

	if (!gaussdp_needs_proof(entry) || !gaussdp_table(entry->relid, &table) || !table.usable ||
		column <= 0)
		return false;
	if (table.has_path && column == table.unit)
		return true;
	get_atttypetypmodcoll(entry->relid, column, &type, &typmod, &collation);
	return OidIsValid(gaussdp_equality_of_type(type)) &&
		   gaussdp_column_is_unique(entry->relid, column, gaussdp_equality_of_type(type),
									collation);
}

/* Does the query group by what names a row of a protected table? */
static bool
groups_by_row(Query *q)
{
	ListCell *lc;

	foreach (lc, q->groupClause)
	{
		Node *key = get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc), q->targetList);
		AttrNumber column;
		const RangeTblEntry *entry = gaussdp_base_column((Expr *) key, list_make1(q), &column);

		if (entry != NULL && gaussdp_names_row(entry, column))
			return true;
	}
	return false;
}

void
gaussdp_group_by_owner(Query *q, const Var *owner)
{
	SortGroupClause *clause = makeNode(SortGroupClause);
	TargetEntry *column;
	TypeCacheEntry *type;
	Index ref = 0;
	ListCell *lc;

	if (q->groupingSets != NIL || !groups_by_row(q))
		return;
	foreach (lc, q->targetList)
		ref = Max(ref, lfirst_node(TargetEntry, lc)->ressortgroupref);
	type = lookup_type_cache(owner->vartype,
							 TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_HASH_PROC);
	column = makeTargetEntry((Expr *) copyObject(owner),
							 (AttrNumber) (list_length(q->targetList) + 1), "owner", true);
	column->ressortgroupref = clause->tleSortGroupRef = ref + 1;
	clause->eqop = type->eq_opr;
	clause->sortop = type->lt_opr;
	clause->hashable = OidIsValid(type->hash_proc);
	q->targetList = lappend(q->targetList, column);
	q->groupClause = lappend(q->groupClause, clause);
}
