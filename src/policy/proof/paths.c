/*
 * paths.c
 *		Rule 8: columns that name a row, whose owner is that of the row they stand in.
 *
 * An item of an order names no person, but its order, and the order names one.  The owner of the item's row is that of
 * the one row of orders with this key, as of the level's snapshot: one, as a unique index proves by the equality of the
 * join (policy/proof/equality.h), and there, as the level itself joins the two tables on exactly these columns.  An item without
 * its order appears in no level.
 *
 * A column of a protected entry names a row of (table, column) if wherever it is not NULL a row of this table with this value belongs to the
 * owner of the entry's row, if that has one: a column of the table itself; the key of a path, at the table that it leads to; and what
 * a query in FROM shows of such a column as it is.  Where the column is unique in the table, two entries that name the
 * same row are of one owner.
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

/* A column of a table, of which a row is named. */
typedef struct Named
{
	Oid relation;
	AttrNumber column;
	bool is_itself; /* is the entry's row the one that is named? */
} Named;

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

/* Which row the column names; false where it names none. */
static bool
named_by(const GaussdpLevel *level, const Var *var, Named *named)
{
	const GaussdpOwner *owner =
		var->varlevelsup == 0 ? gaussdp_owner_of_entry(level, var->varno) : NULL;
	const TargetEntry *shown;

	check_stack_depth();
	if (owner == NULL || var->varattno <= 0)
		return false;
	if (owner->inner != NULL && owner->inner->query->setOperations != NULL)
		return false;
	if (owner->inner != NULL)
	{
		shown = get_tle_by_resno(owner->inner->query->targetList, var->varattno);
		if (shown == NULL || !IsA(shown->expr, Var) ||
			!named_by(owner->inner, (const Var *) shown->expr, named))
			return false;
		named->is_itself = false;
		return true;
	}
	if (OidIsValid(owner->via) && var->varattno == owner->key)
	{
		*named = (Named){owner->via, owner->via_column, false};
		return is_equality_of(owner->key_equality, named);
	}
	*named = (Named){owner->relation, var->varattno, true};
	return true;
}

bool
gaussdp_name_one_row(const GaussdpLevel *level, Node *condition, Index *a, Index *b, Index *named)
{
	const OpExpr *op = (const OpExpr *) condition;
	const Var *left;
	const Var *right;
	Named of_left;
	Named of_right;
	Oid collation;

	if (!gaussdp_compares_columns(condition, &left, &right) || left->varno == right->varno ||
		!named_by(level, left, &of_left) || !named_by(level, right, &of_right) ||
		of_left.relation != of_right.relation || of_left.column != of_right.column ||
		!is_equality_of(op->opno, &of_left))
		return false;
	(void) family_of(&of_left, &collation);
	if (op->inputcollid != collation ||
		(OidIsValid(collation) && !get_collation_isdeterministic(collation)) ||
		!gaussdp_column_is_unique(of_left.relation, of_left.column, op->opno, collation))
		return false;
	*a = left->varno;
	*b = right->varno;
	*named = of_left.is_itself ? *a : of_right.is_itself ? *b : 0;
	return true;
}

bool
gaussdp_equate_rows(const GaussdpOwner *a, const GaussdpOwner *b, List *conditions)
{
	List *equalities = NIL;
	ListCell *lc;

	foreach (lc, conditions)
	{
		const OpExpr *op = lfirst(lc);
		GaussdpEquality *equality;
		const Var *left;
		const Var *right;

		CHECK_FOR_INTERRUPTS();
		if (!gaussdp_compares_columns(lfirst(lc), &left, &right) ||
			left->varattno != right->varattno ||
			Min(left->varno, right->varno) != (int) Min(a->rti, b->rti) ||
			Max(left->varno, right->varno) != (int) Max(a->rti, b->rti))
			continue;
		equality = palloc0(sizeof(GaussdpEquality));
		*equality = (GaussdpEquality){left->varattno, op->opno, op->inputcollid, NULL};
		equalities = lappend(equalities, equality);
	}
	return equalities != NIL && gaussdp_table_is_matched_once(a->entry->relid, equalities);
}

/* The join that says whose the entry's rows are. */
static char *
join_hint(const GaussdpOwner *owner)
{
	const char *above = quote_identifier(get_rel_name(owner->via));
	const char *below = quote_identifier(get_rel_name(owner->relation));

	return psprintf("Its rows are those of the people of %s: JOIN %s.%s ON %s.%s = %s.%s.", above,
					quote_identifier(get_namespace_name(get_rel_namespace(owner->via))), above,
					below, quote_identifier(get_attname(owner->relation, owner->key, false)), above,
					quote_identifier(get_attname(owner->via, owner->via_column, false)));
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
