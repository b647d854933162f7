/*
 * paths.c
 *		Rule 8: columns that name a row, whose owner is that of the row they stand in.
 *
 * An item of an order names no person, but its order, and the order names one.  The owner of the item's row is that of
 * the one row of orders with this key, as of the level's snapshot: one, as a unique index proves by the equality of the
 * join (policy/proof/equality.h), and there, as the level itself joins the two tables on these columns.  An item without
 * its order appears in no level.
 *
 * Columns of a protected entry name a row of a table's columns if wherever none is NULL a row of this table with these values belongs to the
 * owner of the entry's row, if that has one: columns of the table itself; the key of a path, at the table that it leads to; and what
 * a query in FROM shows of such columns as they are, if all are of the same entry in it, and so of one row.  Where the columns
 * are unique in the table, two entries that name the same row are of one owner.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "policy/proof/internal.h"
#include "query_tree.h"

#define TIE_HINT "Equate the unit columns of the joined tables: ON a.unit = b.unit."

/* A column of a table: of the row that an entry's row is, or is somebody's by way of. */
typedef struct Named
{
	Oid relation;
	AttrNumber column;
	const GaussdpOwner *by; /* the table's entry in whose row the value stands */
	bool is_itself;         /* is the entry's row the one that is named? */
} Named;

/* Of two entries, a column of the same table, and the equality that a condition says of both. */
typedef struct Match
{
	GaussdpSameRow same;
	Named left;
	Named right;
	GaussdpEquality equality;
} Match;

/* The default family of operators of the column's type, and the column's collation. */
static Oid
family_of(const Named *named, Oid *collation)
{
	Oid type;
	int32 typmod;

	get_atttypetypmodcoll(named->relation, named->column, &type, &typmod, collation);
	return lookup_type_cache(type, TYPECACHE_BTREE_OPFAMILY)->btree_opf;
}

/* Is it an equality of the column's family, by which equal values of other types are equal to the same rows? */
static bool
is_equality_of(Oid opno, const Named *named)
{
	Oid collation;
	Oid family = family_of(named, &collation);

	return OidIsValid(family) && gaussdp_is_equality(opno) &&
		   get_op_opfamily_strategy(opno, family) == BTEqualStrategyNumber;
}

static List *
add_named(List *list, Oid relation, AttrNumber column, const GaussdpOwner *by, bool is_itself)
{
	Named *named = palloc(sizeof(Named));

	*named = (Named){relation, column, by, is_itself};
	return lappend(list, named);
}

/*
 * Of a table's column, in the row that a path leads to, the column of the next row that it equals, and so on: a key
 * may hold columns of the key above it.
 */
static List *
add_above(List *list, const GaussdpTable *table, Oid relation, AttrNumber column,
		  const GaussdpOwner *by)
{
	for (int i = 0; i < table->nkeys; i++)
	{
		Named named = {table->via, table->keys[i].via_column, by, false};
		GaussdpTable above;
		Oid equality;
		Oid collation;

		if (column != table->keys[i].column ||
			!gaussdp_path_equality(relation, table, i, &equality, &collation) ||
			!is_equality_of(equality, &named))
			continue;
		list = add_named(list, named.relation, named.column, by, false);
		if (gaussdp_table(table->via, &above) && above.usable && above.has_path)
			list = add_above(list, &above, table->via, named.column, by);
	}
	return list;
}

/* What the column names: its entry's own row, and those that its path leads to; a List of Named. */
static List *
named_by(const GaussdpLevel *level, const Var *var)
{
	const GaussdpOwner *owner =
		var->varlevelsup == 0 ? gaussdp_owner_of_entry(level, var->varno) : NULL;
	const TargetEntry *shown;
	GaussdpTable table;
	List *result;
	ListCell *lc;

	check_stack_depth();
	if (owner == NULL || var->varattno <= 0)
		return NIL;
	if (owner->inner != NULL && owner->inner->query->setOperations != NULL)
		return NIL;
	if (owner->inner != NULL)
	{
		shown = get_tle_by_resno(owner->inner->query->targetList, var->varattno);
		if (shown == NULL || !IsA(shown->expr, Var))
			return NIL;
		result = named_by(owner->inner, (const Var *) shown->expr);
		foreach (lc, result)
			((Named *) lfirst(lc))->is_itself = false;
		return result;
	}
	result = add_named(NIL, owner->relation, var->varattno, owner, true);
	if (OidIsValid(owner->via) && gaussdp_table(owner->relation, &table) && table.usable)
		result = add_above(result, &table, owner->relation, var->varattno, owner);
	return result;
}

/* Does this equality say that both name rows with the same value? */
static bool
says_equal(const OpExpr *op, const Named *left, const Named *right)
{
	Oid collation;

	if (left->relation != right->relation || left->column != right->column ||
		!is_equality_of(op->opno, left))
		return false;
	(void) family_of(left, &collation);
	return op->inputcollid == collation &&
		   (!OidIsValid(collation) || get_collation_isdeterministic(collation));
}

/* Appends what the condition says of two columns that name rows of one table; the entry of the lower index on the left. */
static List *
add_matches(List *matches, const GaussdpLevel *level, Node *condition)
{
	const OpExpr *op = (const OpExpr *) condition;
	const Var *left;
	const Var *right;
	ListCell *lc;
	ListCell *lc2;

	if (!gaussdp_compares_columns(condition, &left, &right) || left->varno == right->varno)
		return matches;
	if (left->varno > right->varno)
	{
		const Var *swapped = left;

		left = right;
		right = swapped;
	}
	foreach (lc, named_by(level, left))
		foreach (lc2, named_by(level, right))
		{
			const Named *of_left = lfirst(lc);
			const Named *of_right = lfirst(lc2);
			Match *match;

			if (!says_equal(op, of_left, of_right))
				continue;
			match = palloc(sizeof(Match));
			match->same = (GaussdpSameRow){left->varno, right->varno,
										   of_left->is_itself    ? (Index) left->varno
										   : of_right->is_itself ? (Index) right->varno
																 : 0};
			match->left = *of_left;
			match->right = *of_right;
			match->equality = (GaussdpEquality){of_left->column, op->opno, op->inputcollid, NULL};
			matches = lappend(matches, match);
		}
	return matches;
}

/* Do both speak of the same two rows?  A path leads to each of its tables once, and to one row of it. */
static bool
is_of_same_rows(const Match *a, const Match *b)
{
	return a->same.a == b->same.a && a->same.b == b->same.b &&
		   a->left.relation == b->left.relation && a->left.by == b->left.by &&
		   a->right.by == b->right.by;
}

List *
gaussdp_same_rows(const GaussdpLevel *level, List *conditions)
{
	List *matches = NIL;
	List *result = NIL;
	ListCell *lc;
	ListCell *lc2;

	foreach (lc, conditions)
	{
		CHECK_FOR_INTERRUPTS();
		matches = add_matches(matches, level, lfirst(lc));
	}
	foreach (lc, matches)
	{
		Match *match = lfirst(lc);
		List *equalities = NIL;
		bool is_first = true;

		foreach (lc2, matches)
		{
			Match *other = lfirst(lc2);

			if (!is_of_same_rows(match, other))
				continue;
			is_first = is_first && (equalities != NIL || other == match);
			equalities = lappend(equalities, &other->equality);
		}
		if (is_first && gaussdp_table_is_matched_once(match->left.relation, equalities))
			result = lappend(result, &match->same);
	}
	return result;
}

/* The join that says whose the entry's rows are. */
static char *
join_hint(const GaussdpOwner *owner)
{
	const char *above = quote_identifier(get_rel_name(owner->via));
	const char *below = quote_identifier(get_rel_name(owner->relation));
	StringInfoData hint;

	initStringInfo(&hint);
	appendStringInfo(&hint, "Its rows are those of the people of %s: JOIN %s.%s ON ", above,
					 quote_identifier(get_namespace_name(get_rel_namespace(owner->via))), above);
	for (int i = 0; i < owner->nkeys; i++)
		appendStringInfo(
			&hint, "%s%s.%s = %s.%s", i > 0 ? " AND " : "", below,
			quote_identifier(get_attname(owner->relation, owner->keys[i].column, false)), above,
			quote_identifier(get_attname(owner->via, owner->keys[i].via_column, false)));
	appendStringInfoChar(&hint, '.');
	return hint.data;
}

bool
gaussdp_refuse_untied(GaussdpVerifier *v, const GaussdpOwner *owner, int location,
					  const char *detail)
{
	/* The join may be there, and not say whose the rows are. */
	const char *why =
		owner->column == InvalidAttrNumber ? gaussdp_unit_problem(owner->relation) : NULL;

	if (owner->column != InvalidAttrNumber)
		return gaussdp_refuse(v, GAUSSDP_RULE_UNIT, location, detail, TIE_HINT);
	if (why != NULL)
		return gaussdp_refuse(v, GAUSSDP_RULE_UNIT, location, why,
							  "Ask the owner of the table: gaussdp.protect.");
	return gaussdp_refuse(v, GAUSSDP_RULE_UNIT, location,
						  psprintf("rows of %s are read without the row that says whose they are",
								   get_rel_name(owner->relation)),
						  join_hint(owner));
}
