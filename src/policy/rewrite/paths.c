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
#include "optimizer/optimizer.h"
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

/*
 * Does the condition equate a column of the entry's path to what it refers to, as it is or shown by a query, of the entry *above, or of any where that
 * is 0?
 */
static bool
is_join_to_above(const Below *below, Node *condition, const GaussdpPathKey *key, int *above)
{
	const Var *left;
	const Var *right;
	const Var *other;
	const RangeTblEntry *entry;
	AttrNumber column;

	if (!gaussdp_compares_columns(condition, &left, &right))
		return false;
	other = left->varno == (int) below->rti ? right : left;
	if (other == right ? left->varattno != key->column
					   : right->varno != (int) below->rti || right->varattno != key->column)
		return false;
	entry = gaussdp_base_column((Expr *) other, list_make1(below->query), &column);
	if (entry == NULL || entry->relid != below->table.via || column != key->via_column ||
		(*above != 0 && *above != (int) other->varno))
		return false;
	*above = (int) other->varno;
	return true;
}

static bool
joins_above(const Below *below, Node *condition)
{
	List *conditions = gaussdp_conjuncts(condition);
	int above = 0;

	for (int i = 0; i < below->table.nkeys; i++)
	{
		bool is_equated = false;
		ListCell *lc;

		foreach (lc, conditions)
			is_equated =
				is_equated || is_join_to_above(below, lfirst(lc), &below->table.keys[i], &above);
		if (!is_equated)
			return false;
	}
	return true;
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

/* key = what it refers to, for each column of the path; NULL where one has no equality. */
static Expr *
make_condition(const Below *below, Index above)
{
	List *conditions = NIL;

	for (int i = 0; i < below->table.nkeys; i++)
	{
		const GaussdpPathKey *key = &below->table.keys[i];
		Oid opno;
		Oid collation;

		if (!gaussdp_equality_of_reference(below->relation, key->column, below->table.via,
										   key->via_column, &opno, &collation))
			return NULL;
		conditions = lappend(
			conditions,
			gaussdp_make_equality(
				opno,
				(Node *) gaussdp_make_nullable_var(below->rti, below->relation, key->column, NULL),
				(Node *) gaussdp_make_nullable_var(above, below->table.via, key->via_column, NULL),
				collation));
	}
	return (Expr *) make_ands_explicit(conditions);
}

/* Joins the entry to the table above, and that to the one above it. */
static void
join_above(const Below *below)
{
	Below next = {.query = below->query, .relation = below->table.via};
	Expr *condition;

	check_stack_depth();
	if (make_condition(below, below->rti) == NULL ||
		!gaussdp_table(below->table.via, &next.table) || !next.table.usable)
		return;
	next.rti = add_above(below, next.table.unit);
	if (next.rti == 0)
		return;
	condition = make_condition(below, next.rti);
	put_join(below, next.rti, condition);
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

/* Do these columns of a table name one row of it, or of one above it, whose key they hold? */
static bool
name_row(Oid relation, const Bitmapset *columns)
{
	GaussdpTable table;
	List *equalities = NIL;
	Bitmapset *above = NULL;
	int column = -1;

	check_stack_depth();
	if (columns == NULL || !gaussdp_table(relation, &table) || !table.usable)
		return false;
	for (int i = 0; i < table.nkeys; i++)
		if (bms_is_member(table.keys[i].column, columns))
			above = bms_add_member(above, table.keys[i].via_column);
	if (table.has_path && name_row(table.via, above))
		return true;
	while ((column = bms_next_member(columns, column)) >= 0)
	{
		GaussdpEquality *equality = palloc0(sizeof(GaussdpEquality));
		Oid type;
		int32 typmod;

		equality->column = (AttrNumber) column;
		get_atttypetypmodcoll(relation, equality->column, &type, &typmod, &equality->collation);
		equality->operator= gaussdp_equality_of_type(type);
		if (OidIsValid(equality->operator))
			equalities = lappend(equalities, equality);
	}
	return gaussdp_table_is_matched_once(relation, equalities);
}

bool
gaussdp_names_row(const RangeTblEntry *entry, const Bitmapset *columns)
{
	return gaussdp_needs_proof(entry) && name_row(entry->relid, columns);
}

/* Do the keys of groups, or of a window, of the first of these queries together name one row? */
static bool
keys_name_row(List *clauses, List *queries)
{
	List *columns = NIL; /* the keys, and of which entry each is */
	List *entries = NIL;
	ListCell *lc;
	ListCell *lc2;

	foreach (lc, clauses)
	{
		Node *key = get_sortgroupclause_expr(lfirst(lc), linitial_node(Query, queries)->targetList);
		AttrNumber column;
		RangeTblEntry *entry = gaussdp_base_column((Expr *) key, queries, &column);

		if (entry != NULL && column > 0)
		{
			entries = lappend(entries, entry);
			columns = lappend_int(columns, column);
		}
	}
	foreach (lc, entries)
	{
		Bitmapset *own = NULL;

		foreach (lc2, entries)
			if (lfirst(lc2) == lfirst(lc))
				own = bms_add_member(own, list_nth_int(columns, foreach_current_index(lc2)));
		if (gaussdp_names_row(lfirst(lc), own))
			return true;
	}
	return false;
}

bool
gaussdp_groups_by_row(Query *q, List *queries)
{
	return keys_name_row(q->groupClause, queries);
}

/* The owner as a key of groups or of a window, and as a column that is not shown. */
static SortGroupClause *
add_owner(Query *q, const Var *owner)
{
	SortGroupClause *clause = makeNode(SortGroupClause);
	TargetEntry *column;
	TypeCacheEntry *type = lookup_type_cache(owner->vartype, TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR |
																 TYPECACHE_HASH_PROC);
	Index ref = 0;
	ListCell *lc;

	foreach (lc, q->targetList)
		ref = Max(ref, lfirst_node(TargetEntry, lc)->ressortgroupref);
	column = makeTargetEntry((Expr *) copyObject(owner),
							 (AttrNumber) (list_length(q->targetList) + 1), "owner", true);
	column->ressortgroupref = clause->tleSortGroupRef = ref + 1;
	clause->eqop = type->eq_opr;
	clause->sortop = type->lt_opr;
	clause->hashable = OidIsValid(type->hash_proc);
	q->targetList = lappend(q->targetList, column);
	return clause;
}

void
gaussdp_group_by_owner(Query *q, const Var *owner)
{
	if (q->groupingSets == NIL && gaussdp_groups_by_row(q, list_make1(q)))
		q->groupClause = lappend(q->groupClause, add_owner(q, owner));
}

void
gaussdp_partition_by_owner(Query *q, const Var *owner)
{
	ListCell *lc;

	foreach (lc, q->windowClause)
	{
		WindowClause *window = lfirst_node(WindowClause, lc);

		if (keys_name_row(window->partitionClause, list_make1(q)))
			window->partitionClause = lappend(window->partitionClause, add_owner(q, owner));
	}
}
