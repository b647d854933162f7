/*
 * public_keys.c
 *		How many of the public rows that were read agree in what is equated to protected ones.
 *
 * Keys whose hashes all differ are all different, which is sooner known than by sorting: a key that stands twice has the
 * same hash twice.  All others are sorted.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "access/transam.h"
#include "catalog/pg_collation.h"
#include "common/hashfn.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "port/pg_bitutils.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"
#include "utils/typcache.h"

#include "policy/exec/public_keys.h"
#include "policy/proof/proof.h"

/* The operator that sorts the column as the equality compares it. */
static Oid
sort_operator(const GaussdpEquality *equality, Oid type)
{
	Oid operands[2];
	ListCell *lc;

	op_input_types(equality->operator, & operands[0], &operands[1]);
	foreach (lc, get_mergejoin_opfamilies(equality->operator))
		for (int i = 0; i < 2; i++)
		{
			Oid less =
				get_opfamily_member(lfirst_oid(lc), operands[i], operands[i], BTLessStrategyNumber);

			if (OidIsValid(less) && IsBinaryCoercible(type, operands[i]))
				return less;
		}
	elog(ERROR, "an equality of a public key has no order");
}

/*
 * The collation to sort by.  Under a deterministic one values are equal when their bytes are, so that any other
 * finds the same twins; this one is the cheapest.
 */
static Oid
sort_collation(Oid collation)
{
	if (OidIsValid(collation) && get_collation_isdeterministic(collation))
		return C_COLLATION_OID;
	return collation;
}

/* How the columns of a key are sorted and compared. */
typedef struct Key
{
	int n;
	AttrNumber *columns;
	Oid *operators;
	Oid *collations;
	bool *nulls_first;
	SortSupport comparisons;
	FmgrInfo **
		hashes; /* 64 bits of a value, the same for what compares as equal; NULL where there is no such function */
} Key;

/*
 * PostgreSQL's own hash function for the type that this operator sorts, if the type's equality is also the operator's.  Under
 * a collation that takes different texts for equal the hash of name differs; arrays, ranges and rows may hold such values.
 */
static FmgrInfo *
hash_beside(Oid less, Oid collation)
{
	Oid left;
	Oid right;
	TypeCacheEntry *type;

	if (OidIsValid(collation) && !get_collation_isdeterministic(collation))
		return NULL;
	op_input_types(less, &left, &right);
	if (get_typtype(left) != TYPTYPE_BASE)
		return NULL;
	type = lookup_type_cache(left, TYPECACHE_LT_OPR | TYPECACHE_EQ_OPR |
									   TYPECACHE_HASH_EXTENDED_PROC_FINFO);
	if (type->lt_opr != less || !OidIsValid(type->hash_extended_proc_finfo.fn_oid) ||
		type->hash_extended_proc_finfo.fn_oid >= FirstNormalObjectId)
		return NULL;
	return &type->hash_extended_proc_finfo;
}

static Key
make_key(List *equalities, TupleDesc desc)
{
	Key key = {.n = list_length(equalities)};
	ListCell *lc;

	key.columns = palloc(sizeof(AttrNumber) * key.n);
	key.operators = palloc(sizeof(Oid) * key.n);
	key.collations = palloc(sizeof(Oid) * key.n);
	key.nulls_first = palloc0(sizeof(bool) * key.n);
	key.comparisons = palloc0(sizeof(SortSupportData) * key.n);
	key.hashes = palloc(sizeof(FmgrInfo *) * key.n);
	foreach (lc, equalities)
	{
		const GaussdpEquality *equality = lfirst(lc);
		int i = foreach_current_index(lc);

		key.columns[i] = equality->column;
		key.collations[i] = sort_collation(equality->collation);
		key.operators[i] =
			sort_operator(equality, TupleDescAttr(desc, equality->column - 1)->atttypid);
		key.comparisons[i].ssup_cxt = CurrentMemoryContext;
		key.comparisons[i].ssup_collation = key.collations[i];
		PrepareSortSupportFromOrderingOp(key.operators[i], &key.comparisons[i]);
		key.hashes[i] = hash_beside(key.operators[i], key.collations[i]);
	}
	return key;
}

/* Do two rows agree in all columns?  A NULL is equal to nothing. */
static bool
rows_agree(const Key *key, TupleTableSlot *a, TupleTableSlot *b)
{
	for (int i = 0; i < key->n; i++)
	{
		bool a_is_null;
		bool b_is_null;
		Datum x = slot_getattr(a, key->columns[i], &a_is_null);
		Datum y = slot_getattr(b, key->columns[i], &b_is_null);

		if (a_is_null || b_is_null ||
			ApplySortComparator(x, false, y, false, &key->comparisons[i]) != 0)
			return false;
	}
	return true;
}

/* Reads sorted rows to the end: the length of the longest run of rows that agree. */
static int64
longest_run(Tuplesortstate *sort, const Key *key, TupleDesc desc)
{
	TupleTableSlot *last = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	TupleTableSlot *slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	int64 longest = 0;
	int64 run = 0;

	while (tuplesort_gettupleslot(sort, true, true, slot, NULL))
	{
		TupleTableSlot *swap = last;

		CHECK_FOR_INTERRUPTS();
		run = !TupIsNull(last) && rows_agree(key, last, slot) ? run + 1 : 1;
		longest = Max(longest, run);
		last = slot;
		slot = swap;
	}
	ExecDropSingleTupleTableSlot(last);
	ExecDropSingleTupleTableSlot(slot);
	return longest;
}

/* Of the rows that agree in the key, by sorting them. */
static int64
most_that_agree(EphemeralNamedRelation rows, Key *key)
{
	TupleTableSlot *slot = MakeSingleTupleTableSlot(rows->md.tupdesc, &TTSOpsMinimalTuple);
	Tuplesortstate *sort =
		tuplesort_begin_heap(rows->md.tupdesc, key->n, key->columns, key->operators,
							 key->collations, key->nulls_first, work_mem, NULL, false);
	int64 longest;

	while (tuplestore_gettupleslot(rows->reldata, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		tuplesort_puttupleslot(sort, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_rescan(rows->reldata);
	tuplesort_performsort(sort);
	longest = longest_run(sort, key, rows->md.tupdesc);
	tuplesort_end(sort);
	return longest;
}

/* ---------------------------------------------------------------------------
 * Hashes
 * ---------------------------------------------------------------------------
 */

struct GaussdpPublicKeys
{
	Key key;
	uint64 *hashes; /* of the keys so far; NULL: they are to be sorted */
	int64 nhashes;
	int64 room_for;
};

/* So many hashes, and a table of four times as many, find room in work_mem. */
static int64
most_hashes(void)
{
	return work_mem * INT64CONST(1024) / (5 * sizeof(uint64));
}

static void
start_hashing(GaussdpPublicKeys *keys)
{
	for (int i = 0; i < keys->key.n; i++)
		if (keys->key.hashes[i] == NULL)
			return;
	if (keys->key.n == 0)
		return;
	keys->room_for = 64;
	keys->hashes = palloc(sizeof(uint64) * keys->room_for);
}

/* Text whose bytes are here is hashed without its function, which does the same under these collations. */
static uint64
hash_value(const Key *key, int i, Datum value, uint64 seed)
{
	const struct varlena *text = (const struct varlena *) DatumGetPointer(value);

	if (key->hashes[i]->fn_oid == F_HASHTEXTEXTENDED && VARATT_IS_SHORT(text) &&
		!VARATT_IS_EXTERNAL(text))
		return DatumGetUInt64(hash_any_extended((const unsigned char *) VARDATA_SHORT(text),
												(int) (VARSIZE_SHORT(text) - VARHDRSZ_SHORT),
												seed));
	return DatumGetUInt64(
		FunctionCall2Coll(key->hashes[i], key->collations[i], value, UInt64GetDatum(seed)));
}

/* A key with a NULL is equal to none. */
void
gaussdp_add_public_key(GaussdpPublicKeys *keys, TupleTableSlot *slot)
{
	uint64 hash = 0;

	if (keys->hashes == NULL)
		return;
	for (int i = 0; i < keys->key.n; i++)
	{
		bool isnull;
		Datum value = slot_getattr(slot, keys->key.columns[i], &isnull);

		if (isnull)
			return;
		hash = hash_value(&keys->key, i, value, hash);
	}
	if (keys->nhashes == keys->room_for)
	{
		if (2 * keys->room_for > most_hashes())
		{
			pfree(keys->hashes);
			keys->hashes = NULL;
			return;
		}
		keys->room_for *= 2;
		keys->hashes = repalloc_huge(keys->hashes, sizeof(uint64) * keys->room_for);
	}
	keys->hashes[keys->nhashes++] = hash;
}

/* False where two are equal: of keys that are, or, seldom, of two others. */
static bool
hashes_differ(const GaussdpPublicKeys *keys)
{
	uint64 size = pg_nextpower2_64((uint64) Max(2 * keys->nhashes, 2));
	uint64 *table = palloc_extended(sizeof(uint64) * size, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	for (int64 i = 0; i < keys->nhashes; i++)
	{
		uint64 hash = Max(keys->hashes[i], 1); /* 0 is a free place */
		uint64 place = hash & (size - 1);

		while (table[place] != 0 && table[place] != hash)
			place = (place + 1) & (size - 1);
		if (table[place] == hash)
		{
			pfree(table);
			return false;
		}
		table[place] = hash;
	}
	pfree(table);
	return true;
}

GaussdpPublicKeys *
gaussdp_start_public_keys(List *equalities, TupleDesc columns)
{
	GaussdpPublicKeys *keys = palloc0(sizeof(GaussdpPublicKeys));

	keys->key = make_key(equalities, columns);
	start_hashing(keys);
	return keys;
}

int64
gaussdp_count_matches(GaussdpPublicKeys *keys, EphemeralNamedRelation rows)
{
	if (keys->key.n == 0)
		return (int64) rows->md.enrtuples;
	if (keys->hashes != NULL && hashes_differ(keys))
		return 1;
	return most_that_agree(rows, &keys->key);
}
