/*
 * kept_rows.c
 *		What is kept of a level that has been released, as bytes.
 *
 *		how many KeptFound there are, and these	as how many rows a person counts, where that was found (find_rows.c)
 *		rows										each with its length before it, as a tuple is in memory
 *
 * Bytes between fields and behind them are zero: what is kept depends on nothing but what was released.
 */
#include "postgres.h"

#include "executor/executor.h"
#include "miscadmin.h"

#include "ledger/ledger.h"
#include "policy/exec/find_rows.h"
#include "policy/exec/kept_level.h"

/* What was found for a call. */
typedef struct KeptFound
{
	int32 call; /* of the level */
	int32 is_found;
	double rows;
	double cut;
	double most;
} KeptFound;

static void
raise_damaged(void)
{
	ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED), errmsg("a kept answer is damaged"),
					errhint("TRUNCATE gaussdp_internal.kept_answer.")));
}

static int32
number_of_call(const GaussdpLevel *level, const Aggref *call)
{
	ListCell *lc;

	foreach (lc, level->calls)
		if (equal(lfirst(lc), call))
			return foreach_current_index(lc);
	elog(ERROR, "rows were found for a call that is none of the level's");
}

static void
write_found(const GaussdpLevel *level, StringInfo kept)
{
	int32 n = list_length(level->found);
	ListCell *lc;

	appendBinaryStringInfo(kept, (char *) &n, sizeof(n));
	foreach (lc, level->found)
	{
		const GaussdpFoundRows *found = lfirst(lc);
		KeptFound one = {.call = number_of_call(level, found->call),
						 .is_found = found->is_found,
						 .rows = found->rows,
						 .cut = found->cut,
						 .most = found->most};

		appendBinaryStringInfo(kept, (char *) &one, sizeof(one));
	}
}

bool
gaussdp_pack_kept(const GaussdpRoom *room, StringInfo kept)
{
	TupleTableSlot *slot =
		MakeSingleTupleTableSlot(CreateTupleDescCopy(room->columns), &TTSOpsMinimalTuple);
	bool fits = true;

	write_found(room->level, kept);
	while (fits && gaussdp_next_released(room->released, true, slot))
	{
		bool is_own;
		MinimalTuple row = ExecFetchSlotMinimalTuple(slot, &is_own);

		fits = (Size) kept->len + row->t_len <= (Size) gaussdp_most_kept();
		if (fits)
			appendBinaryStringInfo(kept, (char *) row, row->t_len);
	}
	ExecDropSingleTupleTableSlot(slot);
	gaussdp_rescan_released(room->released);
	return fits;
}

/* Returns where rows begin. */
static const char *
read_found(GaussdpRoom *room, const char *at, const char *end)
{
	List *calls = room->level->calls;
	List *result = NIL;
	int32 n = -1;

	if (end - at >= (ptrdiff_t) sizeof(n))
		memcpy(&n, at, sizeof(n));
	at += sizeof(n);
	if (n < 0 || n > (end - at) / (ptrdiff_t) sizeof(KeptFound))
		raise_damaged();
	for (int i = 0; i < n; i++, at += sizeof(KeptFound))
	{
		GaussdpFoundRows *found = palloc0(sizeof(GaussdpFoundRows));
		KeptFound one;

		memcpy(&one, at, sizeof(one));
		if (one.call < 0 || one.call >= list_length(calls))
			raise_damaged();
		found->call = list_nth(calls, one.call);
		found->is_found = one.is_found != 0;
		found->rows = one.rows;
		found->cut = one.cut;
		found->most = one.most;
		result = lappend(result, found);
	}
	room->level->found = room->found = result;
	if (gaussdp_has_to_find(room->level))
		raise_damaged();
	return at;
}

void
gaussdp_unpack_kept(GaussdpRoom *room, const bytea *rows)
{
	const char *end = VARDATA(rows) + VARSIZE(rows) - VARHDRSZ;
	const char *at = read_found(room, VARDATA(rows), end);
	TupleTableSlot *slot = gaussdp_begin_kept(room);

	while (at < end)
	{
		MinimalTuple row;
		uint32 length = 0;

		if (end - at >= (ptrdiff_t) sizeof(length))
			memcpy(&length, at, sizeof(length));
		if (length < SizeofMinimalTupleHeader || length > (Size) (end - at))
			raise_damaged();
		row = palloc(length);
		memcpy(row, at, length);
		gaussdp_add_kept(room, ExecStoreMinimalTuple(row, slot, true));
		at += length;
	}
	ExecDropSingleTupleTableSlot(slot);
}
