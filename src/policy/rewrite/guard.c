/*
 * guard.c
 *		Puts guards around what makes functions fail at the ends of their type's range.
 *
 * What they are is in policy/proof/guarded.c, which says what they may be given, and why; here that is given to them.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"

/*
 * A guard looks at what it guards three times.  Larger expressions than this get none, so that guards around guards
 * do not make a query grow without end.
 */
#define MOST_GUARDED_NODES 80

/* Stops, with true, beyond the most nodes that are guarded together. */
static bool
is_large(Node *node, int *count)
{
	if (node == NULL)
		return false;
	return ++*count > MOST_GUARDED_NODES || expression_tree_walker(node, is_large, count);
}

/* The argument, guarded where it may be far out. */
static Node *
guard_argument(Node *argument, bool finite)
{
	int count = 0;

	/* Its size comes first: what follows looks at all of it, at each of the calls around it. */
	if (IsA(argument, Const) || IsA(argument, Param) || is_large(argument, &count) ||
		(finite ? gaussdp_is_finite(argument) : gaussdp_is_guarded(argument)))
		return argument;
	return (Node *) gaussdp_guard((Expr *) argument, finite);
}

static bool
is_extract(Node *node)
{
	FuncExpr *expr = (FuncExpr *) node;

	return IsA(node, FuncExpr) &&
		   (expr->funcid == F_EXTRACT_TEXT_DATE || expr->funcid == F_EXTRACT_TEXT_TIMESTAMP ||
			expr->funcid == F_EXTRACT_TEXT_TIMESTAMPTZ);
}

/*
 * The year of an infinite date is infinite, which no integer is: in extract(year FROM x)::int x is finite.  Its month is
 * NULL, and stays that.
 */
static void
guard_extracted(FuncExpr *cast)
{
	FuncExpr *extract;

	if (cast->funcid != F_INT2_NUMERIC && cast->funcid != F_INT4_NUMERIC &&
		cast->funcid != F_INT8_NUMERIC)
		return;
	extract = linitial(cast->args);
	if (is_extract((Node *) extract) &&
		!gaussdp_is_field_of_finite(gaussdp_constant_argument(extract->args, 0)))
		lsecond(extract->args) = guard_argument(lsecond(extract->args), true);
}

/* The document that a field is taken of, guarded unless it is large. */
static void
guard_field(Oid function, List *args, Oid collation)
{
	int count = 0;

	if ((function == F_JSONB_OBJECT_FIELD_TEXT || function == F_JSONB_ARRAY_ELEMENT_TEXT) &&
		!is_large((Node *) args, &count))
		linitial(args) = gaussdp_guard_document(linitial(args), lsecond(args), collation);
}

/* A call of this function, with its arguments guarded. */
static Node *
guard_call(Node *node, Oid function, List *args, Oid collation)
{
	const GaussdpGuarded *found = gaussdp_guarded_by(function);
	ListCell *lc;

	guard_field(function, args, collation);
	foreach (lc, args)
		if (found != NULL &&
			(found->arguments & GAUSSDP_GUARDED_ARGUMENT(foreach_current_index(lc))) != 0)
			lfirst(lc) = guard_argument(lfirst(lc), found->finite);
	return gaussdp_saturate(node, function, args);
}

/* A cast to a domain that refuses nothing is one to its base type, which stands in it. */
static Node *
without_checks(CoerceToDomain *cast)
{
	if (DomainHasConstraints(cast->resulttype))
		return (Node *) cast;
	return (Node *) makeRelabelType(cast->arg, cast->resulttype, -1, cast->resultcollid,
									cast->coercionformat);
}

static Node *
guard_mutator(Node *node, void *query)
{
	CHECK_FOR_INTERRUPTS();
	/* A sub-select is a level of its own, or none. */
	if (node == NULL || IsA(node, Query))
		return node;
	node = expression_tree_mutator(node, guard_mutator, query);
	if (IsA(node, FuncExpr))
	{
		FuncExpr *expr = (FuncExpr *) node;

		guard_extracted(expr);
		node = guard_call(node, expr->funcid, expr->args, expr->inputcollid);
	}
	else if (IsA(node, OpExpr))
	{
		OpExpr *expr = (OpExpr *) node;

		node = guard_call(node, get_opcode(expr->opno), expr->args, expr->inputcollid);
	}
	else if (IsA(node, CoerceViaIO))
		node = gaussdp_label_as_text((CoerceViaIO *) node);
	else if (IsA(node, CoerceToDomain))
		node = without_checks((CoerceToDomain *) node);
	return gaussdp_shorten(node, query);
}

void
gaussdp_guard_level(Query *query)
{
	ListCell *lc;

	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		entry->securityQuals = (List *) guard_mutator((Node *) entry->securityQuals, query);
	}
	query->targetList = (List *) guard_mutator((Node *) query->targetList, query);
	query->havingQual = guard_mutator(query->havingQual, query);
	query->jointree = (FromExpr *) guard_mutator((Node *) query->jointree, query);
	gaussdp_mutate_groups(query, guard_mutator, query);
}
