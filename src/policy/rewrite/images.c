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
#include "query_tree.h"

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

bool
gaussdp_show_one_image(const GaussdpLevel *level, Query *query)
{
	List *keys = copyObject(level->keys);
	List *images = NIL;
	ListCell *lc;

	foreach (lc, level->keys)
	{
		Node *key = lfirst(lc);
		Expr *image = gaussdp_has_one_image(level, key) ? NULL : image_of(key);

		if (image == NULL && !gaussdp_has_one_image(level, key))
			return false;
		images = lappend(images, image != NULL ? as_type(image, exprType(key)) : NULL);
	}
	gaussdp_replace_keys(query, keys, images);
	return true;
}
