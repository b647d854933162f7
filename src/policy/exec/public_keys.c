/*
 * public_keys.c
 *		How many of the public rows that were read agree in what is equated to protected ones.
 *		They are sorted, and counted in runs.
 */
#include "postgres.h"

#include "access/stratnum.h"
#include "catalog/pg_collation.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "parser/parse_coerce.h"
#include "utils/lsyscache.h"
#include "utils/sortsupport.h"
#include "utils/tuplesort.h"

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
} Key;

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

int64
gaussdp_count_matches(List *equalities, EphemeralNamedRelation rows)
{
	TupleDesc desc = rows->md.tupdesc;
	TupleTableSlot *slot;
	Tuplesortstate *sort;
	int64 longest;
	Key key;

	if (equalities == NIL)
		return (int64) rows->md.enrtuples;
	key = make_key(equalities, desc);
	slot = MakeSingleTupleTableSlot(desc, &TTSOpsMinimalTuple);
	sort = tuplesort_begin_heap(desc, key.n, key.columns, key.operators, key.collations,
								key.nulls_first, work_mem, NULL, false);
	while (tuplestore_gettupleslot(rows->reldata, true, false, slot))
	{
		CHECK_FOR_INTERRUPTS();
		tuplesort_puttupleslot(sort, slot);
	}
	ExecDropSingleTupleTableSlot(slot);
	tuplestore_rescan(rows->reldata);
	tuplesort_performsort(sort);
	longest = longest_run(sort, &key, desc);
	tuplesort_end(sort);
	return longest;
}
