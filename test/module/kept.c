/*
 * kept.c
 *		For tests: rows as the plan node of people.h keeps them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/people/people_rows.h"

PG_FUNCTION_INFO_V1(test_kept_alike);
PG_FUNCTION_INFO_V1(test_kept_same);

/* test_kept_alike(record) RETURNS bool: is the row kept in the same bytes whatever was in the memory before? */
Datum
test_kept_alike(PG_FUNCTION_ARGS)
{
	HeapTupleHeader header = PG_GETARG_HEAPTUPLEHEADER(0);
	TupleDesc columns = lookup_rowtype_tupdesc_copy(HeapTupleHeaderGetTypeId(header),
													HeapTupleHeaderGetTypMod(header));
	HeapTupleData tuple = {.t_len = HeapTupleHeaderGetDatumLength(header), .t_data = header};
	TupleTableSlot *slot = MakeSingleTupleTableSlot(columns, &TTSOpsHeapTuple);
	GaussdpRowLayout layout = {0};
	uint32 length;
	char *rows[2];

	ExecStoreHeapTuple(&tuple, slot, false);
	slot_getallattrs(slot);
	for (AttrNumber i = 1; i <= columns->natts; i++)
		(void) gaussdp_keep(&layout, columns, i);
	gaussdp_lay_out(&layout);
	length = gaussdp_length_of(&layout, slot);
	for (int i = 0; i < 2; i++)
	{
		rows[i] = palloc(length);
		memset(rows[i], i == 0 ? 0x55 : 0xaa, length);
		gaussdp_keep_row(&layout, slot, NULL, 7, length, rows[i]);
	}
	PG_RETURN_BOOL(memcmp(rows[0], rows[1], length) == 0);
}

static char *
keep_datum(const GaussdpRowLayout *layout, TupleTableSlot *slot, Datum value)
{
	uint32 length;
	char *row;

	ExecClearTuple(slot);
	slot->tts_values[0] = value;
	slot->tts_isnull[0] = false;
	ExecStoreVirtualTuple(slot);
	length = gaussdp_length_of(layout, slot);
	row = palloc(length);
	gaussdp_keep_row(layout, slot, NULL, 7, length, row);
	return row;
}

/* test_kept_same(regtype, int8, int8): are the values of the type that are passed in these bits the same, once they are kept? */
Datum
test_kept_same(PG_FUNCTION_ARGS)
{
	Oid type = PG_GETARG_OID(0);
	TupleDesc columns = CreateTemplateTupleDesc(1);
	GaussdpRowLayout layout = {0};
	GaussdpMatcher matcher = {.seed = 9, .scratch = CurrentMemoryContext};
	TupleTableSlot *slot;
	const char *a;
	const char *b;

	TupleDescInitEntry(columns, 1, "v", type, -1, 0);
	slot = MakeSingleTupleTableSlot(columns, &TTSOpsVirtual);
	(void) gaussdp_keep(&layout, columns, 1);
	gaussdp_lay_out(&layout);
	gaussdp_match(&matcher, columns, &layout, 0, lookup_type_cache(type, TYPECACHE_EQ_OPR)->eq_opr);
	a = keep_datum(&layout, slot, Int64GetDatum(PG_GETARG_INT64(1)));
	b = keep_datum(&layout, slot, Int64GetDatum(PG_GETARG_INT64(2)));
	PG_RETURN_BOOL(gaussdp_same(&matcher, &layout, a, b) &&
				   gaussdp_hash_of_row(&matcher, &layout, a) ==
					   gaussdp_hash_of_row(&matcher, &layout, b));
}
