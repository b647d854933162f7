/*
 * equality.c
 *		Which values are equal, and of which rows a unique index proves that there is one at most.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/relation.h"
#include "access/stratnum.h"
#include "access/xact.h"
#include "catalog/pg_am.h"
#include "catalog/pg_index.h"
#include "catalog/pg_proc.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"
#include "utils/typcache.h"

#include "policy/proof/equality.h"

bool
gaussdp_is_equality(Oid opno)
{
	return OidIsValid(opno) && op_volatile(opno) == PROVOLATILE_IMMUTABLE && op_strict(opno) &&
		   get_mergejoin_opfamilies(opno) != NIL;
}

Oid
gaussdp_equality_of_type(Oid type)
{
	Oid opno = lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr;

	return gaussdp_is_equality(opno) ? opno : InvalidOid;
}

bool
gaussdp_equality_of_reference(Oid relation, AttrNumber column, Oid to, AttrNumber to_column,
							  Oid *opno, Oid *collation)
{
	Oid types[2];
	Oid collations[2];
	int32 typmod;
	TypeCacheEntry *from;
	TypeCacheEntry *referred;

	get_atttypetypmodcoll(relation, column, &types[0], &typmod, &collations[0]);
	get_atttypetypmodcoll(to, to_column, &types[1], &typmod, &collations[1]);
	from = lookup_type_cache(types[0], TYPECACHE_BTREE_OPFAMILY);
	referred = lookup_type_cache(types[1], TYPECACHE_BTREE_OPFAMILY);
	*collation = collations[0];
	if (!OidIsValid(from->btree_opf) || collations[0] != collations[1] ||
		(OidIsValid(*collation) && !get_collation_isdeterministic(*collation)))
		return false;
	*opno = get_opfamily_member(from->btree_opf, from->btree_opintype, referred->btree_opintype,
								BTEqualStrategyNumber);
	return gaussdp_is_equality(*opno);
}

/*
 * Was the index made, or made valid, before the snapshot?  It says nothing of rows that were deleted or changed before
 * it was made, and that an older snapshot still sees.
 */
static bool
is_older_than_snapshot(Relation index)
{
	TransactionId made = HeapTupleHeaderGetXmin(index->rd_indextuple->t_data);
	Snapshot snapshot = ActiveSnapshotSet() ? GetActiveSnapshot() : GetTransactionSnapshot();

	return TransactionIdIsCurrentTransactionId(made) || !XidInMVCCSnapshot(made, snapshot);
}

/* A key WITHOUT OVERLAPS is unique by another operator than equality, and no B-tree. */
static bool
is_unique_index(Relation index)
{
	Form_pg_index form = index->rd_index;

	return index->rd_rel->relam == BTREE_AM_OID && form->indisunique && !form->indisexclusion &&
		   form->indimmediate && form->indisvalid && form->indisready && form->indislive &&
		   RelationGetIndexPredicate(index) == NIL && is_older_than_snapshot(index);
}

bool
gaussdp_is_equated(const List *equalities, AttrNumber column, Oid opfamily, Oid collation)
{
	ListCell *lc;

	foreach (lc, equalities)
	{
		const GaussdpEquality *equality = lfirst(lc);

		CHECK_FOR_INTERRUPTS();
		if (equality->column == column && equality->collation == collation &&
			get_op_opfamily_strategy(equality->operator, opfamily) == BTEqualStrategyNumber &&
			gaussdp_is_equality(equality->operator))
			return true;
	}
	return false;
}

/* Columns that are only INCLUDEd are not part of the key; an expression is column 0, which nothing equates. */
static bool
index_is_equated(Relation index, const List *equalities)
{
	for (int i = 0; i < index->rd_index->indnkeyatts; i++)
		if (!gaussdp_is_equated(equalities, index->rd_index->indkey.values[i],
								index->rd_opfamily[i], index->rd_indcollation[i]))
			return false;
	return true;
}

bool
gaussdp_table_is_matched_once(Oid relation, const List *equalities)
{
	Relation rel = relation_open(relation, AccessShareLock);
	bool found = false;
	ListCell *lc;

	foreach (lc, RelationGetIndexList(rel))
	{
		Relation index = index_open(lfirst_oid(lc), AccessShareLock);

		found = found || (is_unique_index(index) && index_is_equated(index, equalities));
		index_close(index, AccessShareLock);
	}
	relation_close(rel, NoLock);
	return found;
}

bool
gaussdp_column_is_unique(Oid relation, AttrNumber column, Oid opno, Oid collation)
{
	GaussdpEquality equality = {column, opno, collation, NULL};

	return gaussdp_table_is_matched_once(relation, list_make1(&equality));
}
