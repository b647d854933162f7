/*
 * documents.c
 *		Fields of documents, as text: those that are documents themselves are NULL.
 *
 * The field of a document, as text, x ->> 'key', may be a document itself, which can be longer as text than PostgreSQL's
 * 1 GB (1e131071 has six bytes in it).  So x must be
 *
 *		CASE WHEN jsonb_typeof(x -> 'key') = 'object' OR jsonb_typeof(x -> 'key') = 'array' THEN NULL ELSE x END
 *
 * Recognized is what is equal() to what is made here; policy/rewrite/guard.c puts it in.
 */
#include "postgres.h"

#include "catalog/pg_collation.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"

#include "policy/proof/documents.h"

/* jsonb_typeof(x -> key) = type */
static Expr *
field_is(Node *document, Node *key, Oid collation, const char *type)
{
	Oid field = exprType(key) == INT4OID ? F_JSONB_ARRAY_ELEMENT : F_JSONB_OBJECT_FIELD;
	FuncExpr *value = makeFuncExpr(field, JSONBOID, list_make2(document, key), InvalidOid,
								   collation, COERCE_EXPLICIT_CALL);
	FuncExpr *type_of = makeFuncExpr(F_JSONB_TYPEOF, TEXTOID, list_make1(value),
									 DEFAULT_COLLATION_OID, InvalidOid, COERCE_EXPLICIT_CALL);
	Const *name =
		makeConst(TEXTOID, -1, DEFAULT_COLLATION_OID, -1, CStringGetTextDatum(type), false, false);

	return (Expr *) makeFuncExpr(F_TEXTEQ, BOOLOID, list_make2(type_of, name), InvalidOid,
								 C_COLLATION_OID, COERCE_EXPLICIT_CALL);
}

Node *
gaussdp_guard_document(Node *document, Node *key, Oid collation)
{
	CaseExpr *expr = makeNode(CaseExpr);
	CaseWhen *when = makeNode(CaseWhen);

	when->expr = makeBoolExpr(OR_EXPR,
							  list_make2(field_is(document, key, collation, "object"),
										 field_is(document, key, collation, "array")),
							  -1);
	when->result = (Expr *) makeNullConst(JSONBOID, -1, InvalidOid);
	when->location = -1;
	expr->casetype = JSONBOID;
	expr->args = list_make1(when);
	expr->defresult = (Expr *) document;
	expr->location = -1;
	return copyObject((Node *) expr);
}

bool
gaussdp_has_plain_field(List *args, Oid collation)
{
	CaseExpr *expr = linitial(args);

	return IsA(expr, CaseExpr) &&
		   equal(expr, gaussdp_guard_document((Node *) expr->defresult, lsecond(args), collation));
}
