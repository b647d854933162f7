/*
 * rows.c
 *		Rows of the ledger's tables, read and written without queries.
 *
 * Over PostgreSQL's table and index access methods; used by what runs with every charge: accounts.c, journal.c,
 * charged_roles.c, suspension.c.  What happens rarely is done by queries (rights.c).
 *
 * Invariants
 *		A row is changed only while this transaction has it locked, so that no writer is waited for.
 *		What is written passes the table's constraints, indexes and triggers, as a query's rows do; but a trigger with
 *		transition tables finds none, and fails with the charge.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "access/tableam.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "commands/trigger.h"
#include "executor/executor.h"
#include "storage/bufmgr.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/snapmgr.h"

#include "report.h"
#include "rows.h"

static Oid
relation_of(const char *name, bool missing_ok)
{
	Oid relid = get_relname_relid(name, get_namespace_oid("gaussdp_internal", false));

	if (!OidIsValid(relid) && !missing_ok)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("there is no ledger")));
	return relid;
}

GaussdpRows *
gaussdp_open_rows(const char *table, LOCKMODE mode)
{
	GaussdpRows *rows = palloc0(sizeof(GaussdpRows));

	rows->rel = table_open(relation_of(table, false), mode);
	rows->mode = mode;
	rows->npages = RelationGetNumberOfBlocks(rows->rel);
	rows->row = table_slot_create(rows->rel, NULL);
	rows->changed = MakeSingleTupleTableSlot(RelationGetDescr(rows->rel), &TTSOpsVirtual);
	/* A snapshot that the caller took earlier would hide what others have committed since. */
	PushActiveSnapshot(IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot());
	return rows;
}

void
gaussdp_close_rows(GaussdpRows *rows)
{
	PopActiveSnapshot();
	if (rows->target != NULL)
	{
		ExecCloseIndices(rows->target);
		ExecResetTupleTable(rows->estate->es_tupleTable, false); /* slots of triggers */
		FreeExecutorState(rows->estate);
		CommandCounterIncrement();
	}
	ExecDropSingleTupleTableSlot(rows->row);
	ExecDropSingleTupleTableSlot(rows->changed);
	/* Who only reads keeps no lock in an open transaction, behind which a DBA's would hold up all charges. */
	table_close(rows->rel, rows->mode == AccessShareLock ? AccessShareLock : NoLock);
	pfree(rows);
}

/* Columns go by their names, since an upgrade may give them other numbers than an installation. */
static AttrNumber
number_of(TupleDesc desc, const char *column)
{
	for (int i = 0; i < desc->natts; i++)
		if (!TupleDescAttr(desc, i)->attisdropped &&
			strcmp(NameStr(TupleDescAttr(desc, i)->attname), column) == 0)
			return i + 1;
	elog(ERROR, "the ledger has no column \"%s\"", column);
}

Datum
gaussdp_row_value(TupleTableSlot *row, const char *column, bool *isnull)
{
	return slot_getattr(row, number_of(row->tts_tupleDescriptor, column), isnull);
}

/* ---------------------------------------------------------------------------
 * Finding
 * ---------------------------------------------------------------------------
 */

void
gaussdp_add_key(GaussdpRows *rows, const char *column, Datum value)
{
	TupleDesc desc = RelationGetDescr(rows->rel);
	AttrNumber number = number_of(desc, column);
	Form_pg_attribute attribute = TupleDescAttr(desc, number - 1);
	RegProcedure equal = attribute->atttypid == TEXTOID   ? F_TEXTEQ
						 : attribute->atttypid == CHAROID ? F_CHAREQ
														  : F_OIDEQ;

	Assert(rows->nkeys < GAUSSDP_MAX_ROW_KEYS);
	ScanKeyEntryInitialize(&rows->keys[rows->nkeys++], 0, number, BTEqualStrategyNumber, InvalidOid,
						   attribute->attcollation, equal, value);
}

void
gaussdp_find_rows(GaussdpRows *rows, const char *index)
{
	Oid indexid = relation_of(index, true);
	bool is_usable = OidIsValid(indexid) && get_index_isvalid(indexid);

	rows->scan = systable_beginscan(rows->rel, indexid, is_usable, GetActiveSnapshot(), rows->nkeys,
									rows->keys);
	rows->nkeys = 0;
}

bool
gaussdp_next_row(GaussdpRows *rows)
{
	HeapTuple tuple = systable_getnext(rows->scan);

	if (HeapTupleIsValid(tuple))
	{
		ExecForceStoreHeapTuple(tuple, rows->row, false);
		rows->row->tts_tid = tuple->t_self;
		return true;
	}
	systable_endscan(rows->scan);
	rows->scan = NULL;
	return false;
}

/* ---------------------------------------------------------------------------
 * Writing
 * ---------------------------------------------------------------------------
 */

/*
 * Removes dead versions of rows from a page.  A scan does so as it reads, but fetching one row by its place does not:
 * each charge would take fresh space until VACUUM comes, and the next worker would have to read all of it.
 */
static void
prune_page(Relation rel, BlockNumber page)
{
	Buffer buffer;

	if (rel->rd_rel->relam != HEAP_TABLE_AM_OID)
		return;
	buffer = ReadBuffer(rel, page);
	heap_page_prune_opt(rel, buffer);
	ReleaseBuffer(buffer);
}

bool
gaussdp_lock_row(GaussdpRows *rows, ItemPointer at)
{
	ItemPointerData place = *at;
	TM_FailureData failure;

	/* The table may have been rewritten, and be shorter. */
	if (!ItemPointerIsValid(&place) || ItemPointerGetBlockNumber(&place) >= rows->npages)
		return false;
	prune_page(rows->rel, ItemPointerGetBlockNumber(&place));
	if (!table_tuple_fetch_row_version(rows->rel, &place, GetActiveSnapshot(), rows->row))
		return false;
	return table_tuple_lock(rows->rel, &place, GetActiveSnapshot(), rows->row,
							GetCurrentCommandId(false), LockTupleExclusive, LockWaitSkip,
							TUPLE_LOCK_FLAG_LOCK_UPDATE_IN_PROGRESS |
								TUPLE_LOCK_FLAG_FIND_LAST_VERSION,
							&failure) == TM_Ok;
}

/* Makes ready for writing what only writing needs. */
static void
open_target(GaussdpRows *rows)
{
	if (rows->target != NULL)
		return;
	rows->estate = CreateExecutorState();
	rows->target = makeNode(ResultRelInfo);
	InitResultRelInfo(rows->target, rows->rel, 0, NULL, 0); /* 0: of no query */
	ExecOpenIndices(rows->target, false);
}

void
gaussdp_begin_change(GaussdpRows *rows)
{
	rows->is_new = false;
	ExecCopySlot(rows->changed, rows->row);
}

void
gaussdp_begin_insert(GaussdpRows *rows)
{
	TupleTableSlot *slot = rows->changed;

	rows->is_new = true;
	ExecClearTuple(slot);
	memset(slot->tts_isnull, true, slot->tts_tupleDescriptor->natts * sizeof(bool));
	ExecStoreVirtualTuple(slot);
}

void
gaussdp_set_value(GaussdpRows *rows, const char *column, Datum value)
{
	AttrNumber number = number_of(RelationGetDescr(rows->rel), column);

	rows->changed->tts_values[number - 1] = value;
	rows->changed->tts_isnull[number - 1] = false;
}

static void
write_row(GaussdpRows *rows)
{
	EPQState recheck = {0}; /* never needed: the row is locked */

	open_target(rows);
	AfterTriggerBeginQuery();
	if (rows->is_new)
	{
		ExecBSInsertTriggers(rows->estate, rows->target);
		ExecSimpleRelationInsert(rows->target, rows->estate, rows->changed);
		ExecASInsertTriggers(rows->estate, rows->target, NULL);
	}
	else
	{
		ExecBSUpdateTriggers(rows->estate, rows->target);
		ExecSimpleRelationUpdate(rows->target, rows->estate, &recheck, rows->row, rows->changed);
		ExecASUpdateTriggers(rows->estate, rows->target, NULL);
	}
	AfterTriggerEndQuery(rows->estate);
	/* A trigger may have kept it from being written. */
	if (!ItemPointerIsValid(&rows->changed->tts_tid))
		elog(ERROR, "a row of the ledger was not written");
}

ItemPointerData
gaussdp_write_row(GaussdpRows *rows)
{
	MemoryContext context = CurrentMemoryContext;

	PG_TRY();
	{
		write_row(rows);
	}
	PG_CATCH();
	{
		gaussdp_rethrow_without_query(context); /* of a trigger */
	}
	PG_END_TRY();
	return rows->changed->tts_tid;
}
