/*
 * labels.c
 *		Values that the catalog lists of a type: an enumeration's labels, and the two of a boolean.
 *
 * They are public keys without a table.  As text they are named in the query: PostgreSQL looks a name up at the first row that asks for it,
 * so that a row would decide which name others have that are read after the owner of the type has changed it.  A label that is added later is not among them; nor is one that the own transaction has added to
 * an older type, which PostgreSQL lets nobody use before it is committed.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/table.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/rewrite/rewrite.h"

/* More groups than these, most of them empty, are sooner found in the data. */
#define MOST_COMBINATIONS 10000

/* More names are not written out. */
#define MOST_NAMES 1000

/* Of an enumeration, in its order, and their names. */
static List *
labels_of(Oid type, List **names)
{
	Relation catalog = table_open(EnumRelationId, AccessShareLock);
	Relation index = index_open(EnumTypIdSortOrderIndexId, AccessShareLock);
	List *labels = NIL;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	ScanKeyInit(&key, Anum_pg_enum_enumtypid, BTEqualStrategyNumber, F_OIDEQ,
				ObjectIdGetDatum(type));
	scan = systable_beginscan_ordered(catalog, index, NULL, 1, &key);
	while (HeapTupleIsValid(tuple = systable_getnext_ordered(scan, ForwardScanDirection)))
	{
		Oid label = ((Form_pg_enum) GETSTRUCT(tuple))->oid;

		if (EnumUncommitted(label))
			continue;
		if (names != NULL)
			*names =
				lappend(*names, pstrdup(NameStr(((Form_pg_enum) GETSTRUCT(tuple))->enumlabel)));
		labels = lappend(labels, makeConst(type, -1, InvalidOid, sizeof(Oid),
										   ObjectIdGetDatum(label), false, true));
	}
	systable_endscan_ordered(scan);
	index_close(index, AccessShareLock);
	table_close(catalog, AccessShareLock);
	return labels;
}

List *
gaussdp_labels(Oid type)
{
	Oid base = getBaseType(type);

	/* A domain may refuse some of them. */
	if (base != type && DomainHasConstraints(type))
		return NIL;
	if (base == BOOLOID)
		return list_make2(makeBoolConst(false, false), makeBoolConst(true, false));
	return get_typtype(base) == TYPTYPE_ENUM ? labels_of(base, NULL) : NIL;
}

Node *
gaussdp_label_as_text(CoerceViaIO *io)
{
	Oid type = getBaseType(exprType((Node *) io->arg));
	CaseExpr *name = makeNode(CaseExpr);
	List *names = NIL;
	List *labels;
	ListCell *lc;
	ListCell *lc2;

	if (get_typtype(type) != TYPTYPE_ENUM || io->resulttype != TEXTOID)
		return (Node *) io;
	labels = labels_of(type, &names);
	if (list_length(labels) > MOST_NAMES)
		return (Node *) io;
	forboth(lc, labels, lc2, names)
	{
		CaseTestExpr *value = makeNode(CaseTestExpr);
		CaseWhen *when = makeNode(CaseWhen);

		value->typeId = type;
		value->typeMod = -1;
		when->expr = make_opclause(gaussdp_equality_of_type(type), BOOLOID, false, (Expr *) value,
								   lfirst(lc), InvalidOid, InvalidOid);
		set_opfuncid((OpExpr *) when->expr);
		when->result = (Expr *) makeConst(TEXTOID, -1, io->resultcollid, -1,
										  CStringGetTextDatum(lfirst(lc2)), false, false);
		when->location = -1;
		name->args = lappend(name->args, when);
	}
	name->casetype = TEXTOID;
	name->casecollid = io->resultcollid;
	name->arg = (Expr *) makeRelabelType(io->arg, type, -1, InvalidOid, COERCE_IMPLICIT_CAST);
	if (exprType((Node *) io->arg) == type)
		name->arg = io->arg;
	name->defresult = (Expr *) makeNullConst(TEXTOID, -1, io->resultcollid);
	name->location = io->location;
	return (Node *) name;
}

bool
gaussdp_is_not_null(Oid relation, AttrNumber column)
{
	Relation rel = relation_open(relation, AccessShareLock);
	bool result = column > 0 && gaussdp_column_is_not_null(RelationGetDescr(rel), column);

	relation_close(rel, NoLock);
	return result;
}

bool
gaussdp_has_labels(Node *key, int64 *combinations)
{
	/* Of a constant the query means one. */
	if (!contain_vars_of_level(key, 0))
		return false;
	*combinations *= list_length(gaussdp_labels(exprType(key)));
	return *combinations > 0 && *combinations <= MOST_COMBINATIONS;
}
