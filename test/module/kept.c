/*
 * kept.c
 *		For tests: rows as the weighing node keeps them.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "executor/executor.h"
#include "fmgr.h"
#include "utils/typcache.h"

#include "compat.h"
#include "policy/people/people_rows.h"

PG_FUNCTION_INFO_V1(test_kept_alike);

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
