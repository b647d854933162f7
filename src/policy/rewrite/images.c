/*
 * images.c
 *		Group keys whose equal values may look different, in one form.
 *
 *		GROUP BY price			GROUP BY trim_scale(price)
 *		GROUP BY floor(x / 10)		GROUP BY gaussdp_internal.one_image(floor(x / 10))
 *
 * 2.0 and 2.00, 0 and -0, a month and 30 days are equal, so that the one that is shown would be some row's.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "compat.h"
#include "policy/rewrite/rewrite.h"

typedef struct Images
{
	List *keys;   /* of Node: the grouping expressions */
	List *images; /* of Node: what takes their places; NULL where nothing does */
} Images;

/* The key in its one form; NULL where there is none for its type. */
static Expr *
image_of(Node *key)
{
	Oid type = getBaseType(exprType(key));
	Oid collation = exprCollation(key);
	List *args = list_make1(copyObject(key));

	switch (type)
	{
		case NUMERICOID:
			return (Expr *) makeFuncExpr(F_TRIM_SCALE, type, args, InvalidOid, InvalidOid,
										 COERCE_EXPLICIT_CALL);
		case FLOAT4OID:
		case FLOAT8OID:
		case INTERVALOID:
			return (Expr *) makeFuncExpr(gaussdp_own_function("one_image", list_make1_oid(type)),
										 type, args, InvalidOid, InvalidOid, COERCE_EXPLICIT_CALL);
		case BPCHAROID: /* without the blanks at its end */
			return (Expr *) makeRelabelType((Expr *) makeFuncExpr(F_TEXT_BPCHAR, TEXTOID, args,
																  collation, collation,
																  COERCE_EXPLICIT_CALL),
											type, -1, collation, COERCE_IMPLICIT_CAST);
		default:
			return NULL;
	}
}

/* A domain's values stay these. */
static Node *
as_type(Expr *image, Oid type)
{
	if (exprType((Node *) image) == type)
		return (Node *) image;
	return (Node *) makeRelabelType(image, type, -1, exprCollation((Node *) image),
									COERCE_IMPLICIT_CAST);
}

/* What is inside of calls stays. */
static Node *
replace(Node *node, void *context)
{
	const Images *images = context;
	ListCell *lc;

	if (node == NULL || IsA(node, Aggref) || IsA(node, SubLink))
		return node;
	CHECK_FOR_INTERRUPTS();
	foreach (lc, images->keys)
	{
		Node *image = list_nth(images->images, foreach_current_index(lc));

		if (image != NULL && equal(node, lfirst(lc)))
			return copyObject(image);
	}
	return expression_tree_mutator(node, replace, context);
}

bool
gaussdp_show_one_image(const GaussdpLevel *level, Query *query)
{
	Images images = {.keys = copyObject(level->keys)};
	ListCell *lc;

	foreach (lc, level->keys)
	{
		Node *key = lfirst(lc);
		Expr *image = gaussdp_has_one_image(level, key) ? NULL : image_of(key);

		if (image == NULL && !gaussdp_has_one_image(level, key))
			return false;
		images.images =
			lappend(images.images, image != NULL ? as_type(image, exprType(key)) : NULL);
	}
	gaussdp_mutate_groups(query, replace, &images);
	query->targetList = (List *) replace((Node *) query->targetList, &images);
	query->havingQual = replace(query->havingQual, &images);
	return true;
}
