/*
 * labels.c
 *		Values that the catalog lists of a type: an enumeration's labels, and the two of a boolean.
 *
 * They are public keys without a table.  A label that is added later is not among them; nor is one that the own transaction has added to
 * an older type, which PostgreSQL lets nobody use before it is committed.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_attribute.h"
#include "catalog/pg_enum.h"
#include "catalog/pg_type.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/optimizer.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "policy/rewrite/rewrite.h"

/* More groups than these, most of them empty, are sooner found in the data. */
#define MOST_COMBINATIONS 10000

/* Of an enumeration, in its order. */
static List *
labels_of(Oid type)
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

		if (!EnumUncommitted(label))
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
	return get_typtype(base) == TYPTYPE_ENUM ? labels_of(base) : NIL;
}

bool
gaussdp_is_not_null(Oid relation, AttrNumber column)
{
	HeapTuple tuple = SearchSysCache2(ATTNUM, ObjectIdGetDatum(relation), Int16GetDatum(column));
	bool result = HeapTupleIsValid(tuple) && ((Form_pg_attribute) GETSTRUCT(tuple))->attnotnull;

	if (HeapTupleIsValid(tuple))
		ReleaseSysCache(tuple);
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
