/*
 * paths.c
 *		Rule 8: rows that are somebody's by way of another table.
 *
 * An item of an order names no person, but its order, and the order names one.  The owner of the item's row is that of
 * the one row of orders with this key, as of the level's snapshot: one, as a unique index proves by the equality of the
 * join (policy/proof/equality.h), and there, as the level itself joins the two tables on exactly these columns.  An item without
 * its order appears in no level.
 *
 * The tie has a direction.  An outer join that keeps orders may add items; one that keeps items may not add orders, or
 * rows of nobody would be kept.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"

#include "policy/proof/internal.h"
#include "query_tree.h"

#define TIE_HINT "Equate the unit columns of the joined tables: ON a.unit = b.unit."

/*
 * Does the equality say that the row of below is one of those that belong to the row of above?  Only the declared columns'
 * own equality does: unique indexes prove something of that one.
 */
static bool
is_step(const GaussdpLevel *level, const OpExpr *op, const Var *below, const Var *above)
{
	const GaussdpOwner *owner = gaussdp_owner_of_entry(level, below->varno);
	const GaussdpOwner *parent = gaussdp_owner_of_entry(level, above->varno);

	return owner != NULL && parent != NULL && OidIsValid(owner->via) &&
		   parent->entry->rtekind == RTE_RELATION && parent->entry->relid == owner->via &&
		   below->varattno == owner->key && above->varattno == owner->via_column &&
		   OidIsValid(owner->key_equality) && op->inputcollid == owner->key_collation &&
		   (op->opno == owner->key_equality || op->opno == get_commutator(owner->key_equality));
}

bool
gaussdp_follows_path(const GaussdpLevel *level, Node *condition, Index *above, Index *below)
{
	OpExpr *op = (OpExpr *) condition;
	const Var *left;
	const Var *right;
	bool found;

	if (!gaussdp_compares_columns(condition, &left, &right))
		return false;
	found = is_step(level, op, left, right);
	if (!found && !is_step(level, op, right, left))
		return false;
	*above = found ? right->varno : left->varno;
	*below = found ? left->varno : right->varno;
	return true;
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
