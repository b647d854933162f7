/*
 * owners.c
 *		Rule 8: whose row is a row of a level's FROM?
 *
 * Each protected table says whose its rows are, by its unit column, or by way of another one (paths.c).  A joined row must be one person's: so the
 * protected relations of a level are of one population, and connected by conditions that equate their unit columns.
 * The owner of a joined row is then the unit of the relation that is in every row.  What a protected entry says of
 * its rows is in one record, GaussdpOwner, which is made here and asked everywhere else.
 *
 * What connects relations must hold wherever both have a row.  WHERE and inner joins do, for all relations below
 * them.  ON of an outer join holds only where what it adds is there: it ties what is added to what is kept, once for
 * each, and never two relations that are kept.  Each of them is strict: where it holds, both are there.  So the relations
 * of a group that are there, in any row of the tree, are one person's.
 */
#include "postgres.h"

#include <math.h>

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "parser/parse_relation.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "declaration/declaration.h"
#include "declaration/population.h"
#include "policy/proof/internal.h"
#include "query_tree.h"

typedef struct Owners
{
	GaussdpVerifier *v;
	GaussdpLevel *level;
	int *group; /* by index in the range table: relations of one group have one owner in each row */
} Owners;

/*
 * Whether and where a condition may tie two relations.  named: that of the two of which one row at most stands beside a
 * row of the other one, or 0.
 */
typedef void (*Tie)(Owners *o, Index a, Index b, Index named, const Bitmapset *left,
					const Bitmapset *right);

static Bitmapset *
protected_in(const Owners *o, Node *tree)
{
	return bms_int_members(gaussdp_relations_in(tree), o->level->protected);
}

/* A tree of ties: each names one relation of the two that it connects, so that one at least is named by no other. */
static void
join_groups(Owners *o, Index a, Index b, Index named)
{
	int from = o->group[b];
	int to = o->group[a];
	ListCell *lc;

	if (from == to)
		return;
	foreach (lc, o->level->owners)
	{
		GaussdpOwner *owner = lfirst(lc);

		if (o->group[owner->rti] == from)
			o->group[owner->rti] = to;
		if (owner->rti == named)
			owner->is_named = true;
	}
}

/* Does the condition say that two unit columns are equal, as their type compares? */
static bool
equates_units(const Owners *o, Node *condition, Index *a, Index *b)
{
	OpExpr *op = (OpExpr *) condition;
	const Var *left;
	const Var *right;

	if (!gaussdp_compares_columns(condition, &left, &right) ||
		!gaussdp_is_owner_column(o->level, left) || !gaussdp_is_owner_column(o->level, right) ||
		left->vartype != right->vartype || left->varcollid != right->varcollid ||
		op->inputcollid != left->varcollid || op->opno != gaussdp_equality_of_type(left->vartype) ||
		(OidIsValid(op->inputcollid) && !get_collation_isdeterministic(op->inputcollid)))
		return false;
	*a = left->varno;
	*b = right->varno;
	return true;
}

/* A condition that holds for all of these relations. */
static void
tie_all(Owners *o, Index a, Index b, Index named, const Bitmapset *left, const Bitmapset *right)
{
	if (bms_is_member(a, left) && bms_is_member(b, left))
		join_groups(o, a, b, named);
}

/* A condition that ties a relation on the right, which may be missing, to one on the left. */
static void
tie_added(Owners *o, Index a, Index b, Index named, const Bitmapset *left, const Bitmapset *right)
{
	Index kept = bms_is_member(a, left) ? a : b;
	Index added = kept == a ? b : a;
	int rti = -1;

	if (!bms_is_member(kept, left) || !bms_is_member(added, right))
		return;
	/* Once: a second tie would connect two relations that are kept. */
	while ((rti = bms_next_member(left, rti)) >= 0)
		if (o->group[rti] == o->group[added])
			return;
	join_groups(o, kept, added, named);
}

/* Applies the tie to each two entries whose rows are the same by these conditions, and to those whose unit columns they equate. */
static void
for_each_tie(Owners *o, List *conditions, Tie tie, const Bitmapset *left, const Bitmapset *right)
{
	ListCell *lc;
	Index a;
	Index b;

	foreach (lc, gaussdp_same_rows(o->level, conditions))
	{
		const GaussdpSameRow *same = lfirst(lc);

		tie(o, same->a, same->b, same->named, left, right);
	}
	foreach (lc, conditions)
	{
		CHECK_FOR_INTERRUPTS();
		if (equates_units(o, lfirst(lc), &a, &b))
			tie(o, a, b, 0, left, right);
	}
}

static bool connect(Owners *o, Node *tree);

/* Which owner is not known where this one is tied to none that is kept: perhaps that of kept rows, to which it leads. */
static const GaussdpOwner *
untied_owner(const Owners *o, const Bitmapset *kept, Index added)
{
	int rti = -1;

	while ((rti = bms_next_member(kept, rti)) >= 0)
	{
		const GaussdpOwner *owner = gaussdp_owner_of_entry(o->level, (Index) rti);

		if (owner->column == InvalidAttrNumber)
			return owner;
	}
	return gaussdp_owner_of_entry(o->level, added);
}

/* An outer join: what it adds beside a person's row is that person's, or it is nobody's. */
static bool
connect_outer(Owners *o, JoinExpr *join)
{
	Node *kept_tree = join->jointype == JOIN_LEFT ? join->larg : join->rarg;
	Node *added_tree = join->jointype == JOIN_LEFT ? join->rarg : join->larg;
	Bitmapset *kept = protected_in(o, kept_tree);
	Bitmapset *added = protected_in(o, added_tree);
	List *conditions = gaussdp_conjuncts(join->quals);
	int rti = -1;

	if (!connect(o, kept_tree) || !connect(o, added_tree))
		return false;
	for_each_tie(o, conditions, tie_all, added, NULL);
	if (bms_is_empty(kept))
		return true;
	for_each_tie(o, conditions, tie_added, kept, added);
	o->level->missing = bms_add_members(o->level->missing, added);
	while ((rti = bms_next_member(added, rti)) >= 0)
	{
		bool is_tied = false;
		int other = -1;

		while ((other = bms_next_member(kept, other)) >= 0)
			is_tied = is_tied || o->group[other] == o->group[rti];
		if (!is_tied)
			return gaussdp_refuse_untied(o->v, untied_owner(o, kept, rti),
										 exprLocation(join->quals),
										 "an outer join adds rows that may be another person's");
	}
	return true;
}

/* The outer joins below inner ones, and the conditions of these, which hold together for all that is below. */
static bool
connect_inner(Owners *o, Node *tree, List **conditions)
{
	ListCell *lc;

	check_stack_depth();
	if (IsA(tree, JoinExpr) && ((JoinExpr *) tree)->jointype != JOIN_INNER)
		return connect_outer(o, (JoinExpr *) tree);
	foreach (lc, gaussdp_joined_trees(tree))
		if (!connect_inner(o, lfirst(lc), conditions))
			return false;
	*conditions = list_concat(*conditions, gaussdp_conjuncts(gaussdp_join_condition(tree)));
	return true;
}

static bool
connect(Owners *o, Node *tree)
{
	List *conditions = NIL;

	if (!connect_inner(o, tree, &conditions))
		return false;
	for_each_tie(o, conditions, tie_all, protected_in(o, tree), NULL);
	return true;
}

/* Whose the rows of a declared table are. */
static GaussdpOwner *
owner_of_table(Index rti, RangeTblEntry *entry)
{
	GaussdpOwner *owner = palloc0(sizeof(GaussdpOwner));
	GaussdpTable table;

	owner->rti = rti;
	owner->entry = entry;
	owner->relation = entry->relid;
	if (!gaussdp_table(entry->relid, &table) || !table.usable)
		return owner;
	if (table.has_path)
	{
		owner->via = table.via;
		owner->nkeys = table.nkeys;
		for (int i = 0; i < table.nkeys; i++)
		{
			GaussdpOwnerKey *key = &owner->keys[i];

			key->column = table.keys[i].column;
			key->via_column = table.keys[i].via_column;
			if (!gaussdp_path_equality(entry->relid, &table, i, &key->equality, &key->collation))
				key->equality = InvalidOid;
		}
	}
	else
		owner->column = table.unit;
	owner->is_many = !gaussdp_unit_is_unique(entry->relid);
	return owner;
}

/* Whose the rows of a verified query are. */
static GaussdpOwner *
owner_of_query(Index rti, RangeTblEntry *entry, GaussdpLevel *inner)
{
	GaussdpOwner *owner = palloc0(sizeof(GaussdpOwner));

	owner->rti = rti;
	owner->entry = entry;
	owner->column = inner->owner_column;
	owner->relation = inner->owner->relation;
	owner->is_many = inner->gives_many;
	owner->inner = inner;
	return owner;
}

/* The record of an entry, where it needs one; false where v holds a refusal. */
static bool
find_owner(GaussdpVerifier *v, GaussdpLevel *level, Index rti)
{
	RangeTblEntry *entry = rt_fetch(rti, level->query->rtable);
	GaussdpOwner *owner;

	if (gaussdp_needs_proof(entry))
		owner = owner_of_table(rti, entry);
	else if (entry->rtekind == RTE_SUBQUERY && gaussdp_reads_protected((Node *) entry->subquery))
	{
		GaussdpLevel *inner = gaussdp_verify_inner(v, entry);

		if (inner == NULL)
			return false;
		owner = owner_of_query(rti, entry, inner);
		level->width += inner->width; /* its columns are in the rows of this one */
		level->column_width = fmax(level->column_width, inner->widest);
	}
	else
		return true;
	level->protected = bms_add_member(level->protected, (int) rti);
	level->owners = lappend(level->owners, owner);
	return true;
}

bool
gaussdp_find_owners(GaussdpVerifier *v, GaussdpLevel *level)
{
	int rti = -1;

	while ((rti = bms_next_member(level->relations, rti)) >= 0)
		if (!find_owner(v, level, rti))
			return false;
	GAUSSDP_REFUSE_IF(level->protected == NULL, GAUSSDP_RULE_LEVEL, -1,
					  "this level does not read a protected table directly",
					  "Name the protected table in FROM.");
	return true;
}

bool
gaussdp_are_one_population(Oid a, Oid b)
{
	GaussdpPopulation of_a;
	GaussdpPopulation of_b;

	return gaussdp_population(a, &of_a) && gaussdp_population(b, &of_b) &&
		   gaussdp_same_population(&of_a, &of_b);
}

/* All that is in each row is somebody's by way of what may be missing. */
static bool
refuse_without_owner(Owners *o)
{
	ListCell *lc;

	foreach (lc, o->level->owners)
		if (!bms_is_member(((const GaussdpOwner *) lfirst(lc))->rti, o->level->missing))
			return gaussdp_refuse_untied(o->v, lfirst(lc), -1, "rows of nobody are read");
	elog(ERROR, "a level has no protected relation that is in each row");
}

bool
gaussdp_verify_owners(GaussdpVerifier *v, GaussdpLevel *level)
{
	Owners o = {.v = v, .level = level};
	int nentries = list_length(level->query->rtable) + 1;
	ListCell *lc;

	o.group = palloc(sizeof(int) * nentries);
	for (int i = 0; i < nentries; i++)
		o.group[i] = i;
	if (!connect(&o, (Node *) level->query->jointree))
		return false;
	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		if (level->owner == NULL && !bms_is_member(owner->rti, level->missing) &&
			!OidIsValid(owner->via))
			level->owner = owner;
	}
	if (level->owner == NULL)
		return refuse_without_owner(&o);
	foreach (lc, level->owners)
	{
		const GaussdpOwner *owner = lfirst(lc);

		/* Joined to others, a table without a usable unit is refused for that: it is tied to nothing. */
		if (list_length(level->owners) > 1 && owner->column == InvalidAttrNumber &&
			owner->inner == NULL && !OidIsValid(owner->via))
			return gaussdp_refuse_untied(v, owner, -1, "rows of nobody are read");
		GAUSSDP_REFUSE_IF(!gaussdp_are_one_population(owner->relation, level->owner->relation),
						  GAUSSDP_RULE_UNIT, -1, "tables about different people are joined",
						  "Ask each in a level of its own (WITH), and join the results.");
		if (o.group[owner->rti] != o.group[level->owner->rti])
			return gaussdp_refuse_untied(v, owner, -1, "rows of different people are joined");
	}
	return true;
}
