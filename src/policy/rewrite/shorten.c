/*
 * shorten.c
 *		Texts of any length, cut before functions make other texts of them.
 *
 *		lower(note)			lower(left(note, 30000))
 *		data ->> 'city'		left(data ->> 'city', 30000)
 *		note = 'x'			left(note, 30000) = 'x', under a collation that takes different texts for equal
 *
 * A stored text may have up to 1 GB, where functions that need a multiple of its memory, and rows of several such texts, fail.
 * No function that only looks at a text is cut, nor what takes a constant number of letters, as substr(note, 50000, 10).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "parser/parsetree.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"

#include "policy/rewrite/rewrite.h"

/* Of these functions the first argument is cut, unless the result is short anyway. */
static const Oid of_short[] = {F_LOWER_TEXT,
							   F_UPPER_TEXT,
							   F_INITCAP,
							   F_BTRIM_TEXT,
							   F_LTRIM_TEXT,
							   F_RTRIM_TEXT,
							   F_LEFT,
							   F_RIGHT,
							   F_SUBSTR_TEXT_INT4,
							   F_SUBSTRING_TEXT_INT4,
							   F_SUBSTR_TEXT_INT4_INT4,
							   F_SUBSTRING_TEXT_INT4_INT4,
							   F_SPLIT_PART,
							   F_TEXTICLIKE,
							   F_TEXTICNLIKE,
							   F_MIN_TEXT,
							   F_MAX_TEXT};

/* Of these the result is. */
static const Oid of_any[] = {F_JSONB_OBJECT_FIELD_TEXT, F_JSONB_ARRAY_ELEMENT_TEXT, F_TEXT_BPCHAR};

static bool
is_one_of(Oid function, const Oid *functions, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (functions[i] == function)
			return true;
	return false;
}

/* varchar(10) of a protected table: other tables' typmods prove nothing (complete.c). */
static bool
has_limit(const Var *column, const Query *query)
{
	RangeTblEntry *entry;

	if (column->varlevelsup > 0 || !gaussdp_has_limit(column->vartype, column->vartypmod))
		return false;
	entry = rt_fetch(column->varno, query->rtable);
	return entry->rtekind == RTE_RELATION && gaussdp_needs_proof(entry);
}

static bool is_stored(Node *node, const Query *query);

static bool
any_is_stored(List *nodes, const Query *query)
{
	ListCell *lc;

	foreach (lc, nodes)
		if (is_stored(lfirst(lc), query))
			return true;
	return false;
}

/* May the text be one of any length, as it is stored?  Calls in it have been cut before. */
static bool
is_stored(Node *node, const Query *query)
{
	check_stack_depth();
	if (IsA(node, Var))
		return !has_limit((const Var *) node, query);
	return any_is_stored(gaussdp_choices(node), query);
}

static Node *
cut(Node *text)
{
	Oid collation = exprCollation(text);
	Const *length = makeConst(INT4OID, -1, InvalidOid, sizeof(int32),
							  Int32GetDatum(GAUSSDP_LONGEST_TEXT), false, true);

	return (Node *) makeFuncExpr(F_LEFT, TEXTOID, list_make2(text, length), collation, collation,
								 COERCE_EXPLICIT_CALL);
}

/* The function and arguments of a call; InvalidOid for all else. */
static Oid
call_of(Node *node, List **args)
{
	switch (nodeTag(node))
	{
		case T_FuncExpr:
			*args = ((FuncExpr *) node)->args;
			return ((FuncExpr *) node)->funcid;
		case T_OpExpr:
			*args = ((OpExpr *) node)->args;
			return get_opcode(((OpExpr *) node)->opno);
		case T_WindowFunc:
			*args = ((WindowFunc *) node)->args;
			return ((WindowFunc *) node)->winfnoid;
		default:
			return InvalidOid;
	}
}

static bool
is_short(Oid function, List *args, Oid type)
{
	return type == TEXTOID && gaussdp_width_of_call(function, args, type) <= GAUSSDP_SHORT_WIDTH;
}

/* Is it a column, stored or not, of a relation that is not protected? */
static bool
is_public_column(Node *node, const Query *query)
{
	RangeTblEntry *entry;

	while (IsA(node, RelabelType) || IsA(node, CollateExpr))
		node = linitial(gaussdp_choices(node));
	if (!IsA(node, Var) || ((Var *) node)->varlevelsup > 0 || ((Var *) node)->varno <= 0)
		return false;
	entry = rt_fetch(((Var *) node)->varno, query->rtable);
	return !gaussdp_needs_proof(entry) &&
		   (entry->rtekind != RTE_SUBQUERY || !gaussdp_reads_protected((Node *) entry->subquery));
}

/* What is compared by a collation that takes different texts for equal, and may be hashed for that. */
static void
cut_compared(Node *node, const Query *query)
{
	Oid collation = exprInputCollation(node);
	List *args =
		IsA(node, ScalarArrayOpExpr) ? ((ScalarArrayOpExpr *) node)->args : ((OpExpr *) node)->args;
	ListCell *lc;

	if (!OidIsValid(collation) || gaussdp_is_deterministic(collation))
		return;
	foreach (lc, args)
		if (getBaseType(exprType(lfirst(lc))) == TEXTOID && is_stored(lfirst(lc), query) &&
			!is_public_column(lfirst(lc), query))
			lfirst(lc) = cut(lfirst(lc));
}

Node *
gaussdp_shorten(Node *node, const Query *query)
{
	List *args = NIL;
	Oid function = call_of(node, &args);

	if (IsA(node, ScalarArrayOpExpr) || IsA(node, DistinctExpr) || IsA(node, NullIfExpr) ||
		(IsA(node, OpExpr) && ((OpExpr *) node)->opresulttype == BOOLOID))
		cut_compared(node, query);
	if (IsA(node, SubscriptingRef) && getBaseType(exprType(node)) == TEXTOID)
		return cut(node);
	if (IsA(node, Aggref) && ((Aggref *) node)->args != NIL &&
		is_one_of(((Aggref *) node)->aggfnoid, of_short, lengthof(of_short)))
	{
		TargetEntry *value = linitial_node(TargetEntry, ((Aggref *) node)->args);

		if (is_stored((Node *) value->expr, query))
			value->expr = (Expr *) cut((Node *) value->expr);
		return node;
	}
	if (is_one_of(function, of_any, lengthof(of_any)))
		return function == F_TEXT_BPCHAR && !is_stored(linitial(args), query) ? node : cut(node);
	if (is_one_of(function, of_short, lengthof(of_short)) && is_stored(linitial(args), query) &&
		!is_short(function, args, exprType(node)))
		linitial(args) = cut(linitial(args));
	return node;
}
