/*
 * level_facts.c
 *		What is known of a level whose FROM has been verified: owners of its entries, relations and people of an expression.
 *
 * Looked up in what owners.c and join.c have recorded; nothing is proven here.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "optimizer/optimizer.h"
#include "optimizer/tlist.h"
#include "parser/parsetree.h"

#include "compat.h"
#include "policy/proof/internal.h"
#include "query_tree.h"

const GaussdpOwner *
gaussdp_owner_of_entry(const GaussdpLevel *level, Index rti)
{
	ListCell *lc;

	foreach (lc, level->owners)
		if (((const GaussdpOwner *) lfirst(lc))->rti == rti)
			return lfirst(lc);
	return NULL;
}

bool
gaussdp_is_owner_column(const GaussdpLevel *level, const Var *var)
{
	const GaussdpOwner *owner =
		var->varlevelsup == 0 ? gaussdp_owner_of_entry(level, var->varno) : NULL;

	return owner != NULL && var->varattno > 0 && var->varattno == owner->column;
}

bool
gaussdp_is_unit(const GaussdpLevel *level, const Node *node)
{
	const Var *var = (const Var *) node;

	return IsA(var, Var) && gaussdp_is_owner_column(level, var) &&
		   !bms_is_member(var->varno, level->missing);
}

bool
gaussdp_is_column_of_table(const GaussdpLevel *level, const Node *node)
{
	const Var *var = (const Var *) node;
	const GaussdpOwner *owner =
		IsA(var, Var) && var->varlevelsup == 0 ? gaussdp_owner_of_entry(level, var->varno) : NULL;

	return owner != NULL && owner->inner == NULL;
}

Var *
gaussdp_make_owner_var(const GaussdpLevel *level)
{
	const GaussdpOwner *owner = level->owner;
	Node *column;

	if (owner->inner == NULL)
		return gaussdp_make_nullable_var(owner->rti, owner->entry->relid, owner->column,
										 level->extending);
	column = (Node *) get_tle_by_resno(owner->entry->subquery->targetList, owner->column)->expr;
	return gaussdp_make_nullable_column(owner->rti, owner->column, column, level->extending);
}

Bitmapset *
gaussdp_relations_of(const GaussdpLevel *level, Node *node)
{
	/* From 16 on Vars also name the outer joins above them. */
	return bms_int_members(pull_varnos(NULL, node), level->relations);
}

/* The condition that a row is a person's: the unit column, which is never NULL there, is not. */
static Node *
presence(const GaussdpLevel *level)
{
	return (Node *) gaussdp_make_present((Expr *) gaussdp_make_owner_var(level));
}

/* What a call that counts present rows only has in its FILTER beside that: NULL for nothing. */
static Node *
rest_of_filter(const Aggref *agg)
{
	const BoolExpr *both = (const BoolExpr *) agg->aggfilter;

	if (both == NULL || !IsA(both, BoolExpr) || list_length(both->args) != 2)
		return NULL;
	return lsecond(both->args);
}

bool
gaussdp_counts_present_rows_only(const GaussdpLevel *level, const Aggref *agg)
{
	Node *present = presence(level);
	Node *rest = rest_of_filter(agg);

	return equal(agg->aggfilter, present) ||
		   (rest != NULL &&
			equal(agg->aggfilter, makeBoolExpr(AND_EXPR, list_make2(present, rest), -1)));
}

bool
gaussdp_has_filter(const GaussdpLevel *level, const Aggref *agg)
{
	if (agg->aggfilter == NULL)
		return false;
	return level->extending == NULL || !equal(agg->aggfilter, presence(level));
}

int
gaussdp_arrays_of(const GaussdpLevel *level)
{
	int n = 0;
	ListCell *lc;

	check_stack_depth();
	foreach (lc, level->owners)
	{
		const GaussdpLevel *inner = ((const GaussdpOwner *) lfirst(lc))->inner;
		int below = inner != NULL ? gaussdp_arrays_of(inner) : 0;

		/* Rows of a UNION ALL stand one after the other, others beside one another. */
		n = level->query->setOperations != NULL ? Max(n, below) : n + below;
	}
	return n + (level->query->hasTargetSRFs ? 1 : 0);
}
