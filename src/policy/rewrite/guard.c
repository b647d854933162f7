/*
 * guard.c
 *		Puts calls into the form in which they are known to be total, where they have one.
 *
 * Documents are kept from showing documents as text (policy/proof/documents.c), texts are cut (shorten.c), labels written out (labels.c).
 * What has no such form is NULL where it fails (contain.c).
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

/* The document that a field is taken of, guarded unless it is large. */
static void
guard_field(Oid function, List *args, Oid collation)
{
	int count = 0;

	if ((function == F_JSONB_OBJECT_FIELD_TEXT || function == F_JSONB_ARRAY_ELEMENT_TEXT) &&
		!is_large((Node *) args, &count))
		linitial(args) = gaussdp_guard_document(linitial(args), lsecond(args), collation);
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

		guard_field(expr->funcid, expr->args, expr->inputcollid);
	}
	else if (IsA(node, OpExpr))
	{
		OpExpr *expr = (OpExpr *) node;

		guard_field(get_opcode(expr->opno), expr->args, expr->inputcollid);
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
