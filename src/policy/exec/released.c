/*
 * released.c
 *		The rows that a level has released: a store of them, in the order of their keys.
 *
 * Whichever way groups were found, the order of rows then tells nothing.  The level's plan does not sort them: it would
 * carry each key twice, once for its bytes, and copy each row twice more than is done here.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/htup_details.h"
#include "catalog/pg_collation.h"
#include "executor/executor.h"
#include "executor/tuptable.h"
#include "miscadmin.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/tlist.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/tuplesort.h"

#include "policy/exec/room.h"
#include "policy/exec/temp_files.h"

/* How rows are sorted. */
typedef struct Order
{
	int nkeys;
	AttrNumber *columns;
	Oid *operators;
	Oid *collations;
	bool *nulls_first;
} Order;

/* One of the two is there. */
struct GaussdpReleased
{
	Tuplesortstate *sort;   /* of groups that fit into memory */
	Tuplestorestate *store; /* of more groups, or of one row without a key */
	TupleDesc columns;
	Size most_memory; /* what sorting the rows takes at most, in whichever order they came */
	bool has_rows;
};

/* Takes the released rows. */
typedef struct Receiver
{
	DestReceiver base;
	GaussdpRoom *room;
	MemoryContext row;      /* holds what is made of one */
	TupleTableSlot *sorted; /* a row to be sorted; NULL where rows are not */
} Receiver;

/* What a sort takes beside the values of its rows. */
#define MEMORY_OF_SORT ((Size) 32 * 1024)
#define MEMORY_OF_SORTED_ROW 192

/* Columns that the level is only grouped by come after those of its result.  They stay in the released rows, where nothing reads them. */
void
gaussdp_take_order(GaussdpRoom *room, Query *query)
{
	ListCell *lc;
	bool is_behind = false;

	foreach (lc, query->targetList)
	{
		TargetEntry *column = lfirst_node(TargetEntry, lc);

		if (is_behind && !column->resjunk)
			elog(ERROR, "a column of a level stands behind one of its keys");
		is_behind = column->resjunk;
		column->resjunk = false;
	}
	room->order = query->sortClause;
	room->targets = copyObject(query->targetList);
	query->sortClause = NIL;
}

/* ---------------------------------------------------------------------------
 * Sorting
 * ---------------------------------------------------------------------------
 */

/* Text is sorted by its bytes, which is quicker than a collation's rules and as good an order. */
static Order
make_order(const GaussdpRoom *room, TupleDesc columns)
{
	int n = list_length(room->order);
	Order order = {.columns = palloc(sizeof(AttrNumber) * n),
				   .operators = palloc(sizeof(Oid) * n),
				   .collations = palloc(sizeof(Oid) * n),
				   .nulls_first = palloc(sizeof(bool) * n)};
	ListCell *lc;

	foreach (lc, room->order)
	{
		const SortGroupClause *key = lfirst_node(SortGroupClause, lc);
		AttrNumber column = get_sortgroupref_tle(key->tleSortGroupRef, room->targets)->resno;
		Oid collation = TupleDescAttr(columns, column - 1)->attcollation;

		order.columns[order.nkeys] = column;
		order.operators[order.nkeys] = key->sortop;
		order.collations[order.nkeys] = OidIsValid(collation) ? C_COLLATION_OID : InvalidOid;
		order.nulls_first[order.nkeys++] = key->nulls_first;
	}
	return order;
}

static void
start_sorting(Receiver *receiver, TupleDesc columns)
{
	Order order = make_order(receiver->room, columns);

	columns = CreateTupleDescCopy(columns);
	receiver->sorted = MakeSingleTupleTableSlot(columns, &TTSOpsVirtual);
	receiver->room->released->sort =
		tuplesort_begin_heap(columns, order.nkeys, order.columns, order.operators, order.collations,
							 order.nulls_first, work_mem, NULL, TUPLESORT_RANDOMACCESS);
}

static void
sort_row(Receiver *receiver, const Datum *values, const bool *isnull, int n)
{
	TupleTableSlot *row = receiver->sorted;

	ExecClearTuple(row);
	memcpy(row->tts_values, values, sizeof(Datum) * n);
	memcpy(row->tts_isnull, isnull, sizeof(bool) * n);
	receiver->room->released->most_memory +=
		MEMORY_OF_SORTED_ROW +
		2 * heap_compute_data_size(row->tts_tupleDescriptor, row->tts_values, row->tts_isnull);
	tuplesort_puttupleslot(receiver->room->released->sort, ExecStoreVirtualTuple(row));
}

/* Its files are the query's around. */
static Tuplestorestate *
begin_store(const GaussdpRoom *room)
{
	ResourceOwner owner = CurrentResourceOwner;
	Tuplestorestate *store;

	CurrentResourceOwner = room->owner;
	store = tuplestore_begin_heap(true, false, work_mem);
	CurrentResourceOwner = owner;

	(void) tuplestore_alloc_read_pointer(store, EXEC_FLAG_REWIND | EXEC_FLAG_BACKWARD);
	return store;
}

/* ---------------------------------------------------------------------------
 * Receiving
 * ---------------------------------------------------------------------------
 */

/* Is the value neither compressed nor stored elsewhere?  Whether its header is short, the store decides by its length. */
static bool
is_plain(const TupleTableSlot *slot, int i)
{
	const struct varlena *value = (const struct varlena *) DatumGetPointer(slot->tts_values[i]);

	return slot->tts_isnull[i] || TupleDescAttr(slot->tts_tupleDescriptor, i)->attlen != -1 ||
		   !(VARATT_IS_EXTERNAL(value) || VARATT_IS_COMPRESSED(value));
}

Datum *
gaussdp_plain_values(TupleTableSlot *slot)
{
	TupleDesc columns = slot->tts_tupleDescriptor;
	Datum *values = slot->tts_values;

	slot_getallattrs(slot);
	for (int i = 0; i < columns->natts; i++)
	{
		if (is_plain(slot, i))
			continue;
		if (values == slot->tts_values)
			values = memcpy(palloc(sizeof(Datum) * columns->natts), slot->tts_values,
							sizeof(Datum) * columns->natts);
		values[i] = PointerGetDatum(PG_DETOAST_DATUM_COPY(slot->tts_values[i]));
	}
	return values;
}

/* Values are stored plain: a group's key is that of one of its rows, and whether it is compressed there, or stored elsewhere, would tell of which. */
static bool
receive(TupleTableSlot *slot, DestReceiver *self)
{
	Receiver *receiver = (Receiver *) self;
	TupleDesc columns = slot->tts_tupleDescriptor;
	MemoryContext old = MemoryContextSwitchTo(receiver->row);
	Datum *values = gaussdp_plain_values(slot);

	receiver->room->released->has_rows = true;
	if (receiver->sorted != NULL)
		sort_row(receiver, values, slot->tts_isnull, columns->natts);
	else
		tuplestore_putvalues(receiver->room->released->store, columns, values, slot->tts_isnull);
	MemoryContextSwitchTo(old);
	MemoryContextReset(receiver->row);
	return true;
}

static void
begin_receiving(DestReceiver *self, int operation, TupleDesc columns)
{
}

static void
end_receiving(DestReceiver *self)
{
	Receiver *receiver = (Receiver *) self;

	if (receiver->sorted != NULL)
		tuplesort_performsort(receiver->room->released->sort);
}

DestReceiver *
gaussdp_receive_released(GaussdpRoom *room)
{
	Receiver *receiver = palloc0(sizeof(Receiver));

	receiver->base.receiveSlot = receive;
	receiver->base.rStartup = begin_receiving;
	receiver->base.rShutdown = end_receiving;
	receiver->base.mydest = DestNone;
	receiver->room = room;
	receiver->row =
		AllocSetContextCreate(CurrentMemoryContext, "released row", ALLOCSET_SMALL_SIZES);
	return &receiver->base;
}

static void
check_columns(const GaussdpRoom *room, TupleDesc columns)
{
	if (columns->natts < room->columns->natts)
		elog(ERROR, "a level has other columns than planned");
	for (int i = 0; i < room->columns->natts; i++)
		if (TupleDescAttr(columns, i)->atttypid != TupleDescAttr(room->columns, i)->atttypid)
			elog(ERROR, "a column of a level has another type than planned");
}

/* Not when the rows come: what sorting looks up in the catalogs then would be looked up in each run. */
void
gaussdp_prepare_released(GaussdpRoom *room, DestReceiver *receiver, TupleDesc columns)
{
	MemoryContext old;

	check_columns(room, columns);
	old = MemoryContextSwitchTo(room->around->es_query_cxt);
	room->released = palloc0(sizeof(GaussdpReleased));
	room->released->columns = CreateTupleDescCopy(columns);
	if (room->order != NIL)
		start_sorting((Receiver *) receiver, columns);
	else
		room->released->store = begin_store(room);
	MemoryContextSwitchTo(old);
}

TupleTableSlot *
gaussdp_begin_kept(GaussdpRoom *room)
{
	MemoryContext old = MemoryContextSwitchTo(room->around->es_query_cxt);

	if (room->released != NULL)
		gaussdp_end_released(room->released);
	room->released = palloc0(sizeof(GaussdpReleased));
	room->released->columns = ExecTypeFromTL(room->program.targets);
	check_columns(room, room->released->columns);
	room->released->store = begin_store(room);
	MemoryContextSwitchTo(old);
	return MakeSingleTupleTableSlot(room->released->columns, &TTSOpsMinimalTuple);
}

void
gaussdp_add_kept(GaussdpRoom *room, TupleTableSlot *row)
{
	MemoryContext old = MemoryContextSwitchTo(room->around->es_query_cxt);

	tuplestore_puttupleslot(room->released->store, row);
	room->released->has_rows = true;
	MemoryContextSwitchTo(old);
}

/* ---------------------------------------------------------------------------
 * When the level is over
 * ---------------------------------------------------------------------------
 */

static bool
is_in_memory(const GaussdpReleased *released)
{
	if (released->sort != NULL)
		return released->most_memory + MEMORY_OF_SORT <= work_mem * (Size) 1024;
	return tuplestore_in_memory(released->store);
}

/* Whether a sort has written a file hangs on the order of its rows.  So it takes as many numbers as it may need: for its rows, twice, in files of 1 GB. */
static void
settle_sort(const GaussdpReleased *released)
{
	TuplesortInstrumentation had;
	Size n = 0;

	tuplesort_get_stats(released->sort, &had);
	if (had.spaceType == SORT_SPACE_TYPE_DISK)
		n = 1 + ((Size) (had.spaceUsed - 1) >> 20);
	for (; n < 2 + 2 * (released->most_memory >> 30); n++)
		(void) gaussdp_take_number();
}

/*
 * Files of a sort are as long as the order in which rows came makes them, which groups that are not shown have a part in; those
 * of a store only depend on its rows.  A server's counters and log tell of files when they are closed: those of the sort are closed here,
 * where nothing does.
 */
void
gaussdp_move_released(GaussdpRoom *room)
{
	MemoryContext old = MemoryContextSwitchTo(room->around->es_query_cxt);
	GaussdpReleased *released = room->released;
	GaussdpReleased moved = *released;
	TupleTableSlot *row;

	if (!is_in_memory(released))
	{
		if (released->sort != NULL && !room->level->is_distributed)
			settle_sort(released);
		row = MakeSingleTupleTableSlot(released->columns, &TTSOpsMinimalTuple);
		moved.sort = NULL;
		moved.store = begin_store(room);
		while (gaussdp_next_released(released, true, row))
		{
			CHECK_FOR_INTERRUPTS();
			tuplestore_puttupleslot(moved.store, row);
		}
		ExecDropSingleTupleTableSlot(row);
		gaussdp_end_released(released);
		*released = moved;
	}
	MemoryContextSwitchTo(old);
}

/* ---------------------------------------------------------------------------
 * Reading
 * ---------------------------------------------------------------------------
 */

bool
gaussdp_next_released(GaussdpReleased *released, bool forward, TupleTableSlot *slot)
{
	if (released->sort != NULL)
		return tuplesort_gettupleslot(released->sort, forward, false, slot, NULL);
	return tuplestore_gettupleslot(released->store, forward, false, slot);
}

bool
gaussdp_has_released(const GaussdpReleased *released)
{
	return released->has_rows;
}

void
gaussdp_rescan_released(GaussdpReleased *released)
{
	if (released->sort != NULL)
		tuplesort_rescan(released->sort);
	else
		tuplestore_rescan(released->store);
}

/* Read pointer 0 of a store is the scan's, 1 the place that a merge join goes back to. */
void
gaussdp_mark_released(GaussdpReleased *released)
{
	if (released->sort != NULL)
		tuplesort_markpos(released->sort);
	else
		tuplestore_copy_read_pointer(released->store, 0, 1);
}

void
gaussdp_return_to_mark(GaussdpReleased *released)
{
	if (released->sort != NULL)
		tuplesort_restorepos(released->sort);
	else
		tuplestore_copy_read_pointer(released->store, 1, 0);
}

/* Under trace_sort the end of a sort would tell how much processor time has passed since its begin, which the level took. */
void
gaussdp_end_released(GaussdpReleased *released)
{
	bool traced = trace_sort;

	if (released->sort == NULL)
	{
		tuplestore_end(released->store);
		return;
	}
	trace_sort = false;
	tuplesort_end(released->sort);
	trace_sort = traced;
}
