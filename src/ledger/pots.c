/*
 * pots.c
 *		The pots of a batch: named by its requests, then locked, then written.
 *
 * Runs in the worker's transaction, over SPI, on gaussdp_internal.pot; used by batch.c.  All pots of a batch are
 * locked and read by one query, and written by one.  Where a pot was says only where to look: what is
 * there is read anew.
 *
 * Invariants
 *		A pot that another transaction has locked is not waited for.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/timestamp.h"

#include "population.h"
#include "pots.h"

enum
{
	POT_PEOPLE = 1,
	POT_RELATION,
	POT_HOLDER,
	POT_ROLE,
	POT_AT,
	POT_ROLE_NAME,
	POT_LIMIT_MU2,
	POT_LIMIT_DELTA,
	POT_QUERY_MU2,
	POT_PERIOD,
	POT_SPENT_MU2,
	POT_SPENT_DELTA,
	POT_SINCE,
	POT_EVERY
};

#define POT_KEY_COLUMNS "people, relation, holder, role, ctid"
#define POT_COLUMNS                                                                                \
	POT_KEY_COLUMNS ", role_name, limit_mu2, limit_delta, query_mu2, period, spent_mu2,"           \
					" spent_delta, since, every"

static const char lock_known_query[] = "SELECT " POT_COLUMNS " FROM gaussdp_internal.pot"
									   " WHERE ctid = ANY ($1) AND granted FOR UPDATE SKIP LOCKED";

static const char lock_query[] =
	"SELECT " POT_COLUMNS
	" FROM gaussdp_internal.pot WHERE people = $1 AND relation = $2 AND holder = $3"
	" AND role = $4 AND granted FOR UPDATE SKIP LOCKED";

static const char rename_query[] =
	"UPDATE gaussdp_internal.pot SET role_name = $2 WHERE ctid = $1 RETURNING " POT_KEY_COLUMNS;

static const char update_query[] =
	"UPDATE gaussdp_internal.pot SET period = $2[array_position($1, ctid)],"
	" spent_mu2 = $3[array_position($1, ctid)], spent_delta = $4[array_position($1, ctid)]"
	" WHERE ctid = ANY ($1) RETURNING " POT_KEY_COLUMNS;

/* A column of a row that was read; otherwise if NULL. */
static Datum
column(HeapTuple row, int number, Datum otherwise)
{
	bool isnull;
	Datum value = SPI_getbinval(row, SPI_tuptable->tupdesc, number, &isnull);

	return isnull ? otherwise : value;
}

static int64
amount(HeapTuple row, int number, int64 otherwise)
{
	return DatumGetInt64(column(row, number, Int64GetDatum(otherwise)));
}

static GaussdpPotKey
key_of_row(HeapTuple row)
{
	return gaussdp_pot_key(TextDatumGetCString(column(row, POT_PEOPLE, 0)),
						   DatumGetObjectId(column(row, POT_RELATION, 0)),
						   DatumGetChar(column(row, POT_HOLDER, 0)),
						   DatumGetObjectId(column(row, POT_ROLE, 0)));
}

/*
 * Where each pot was written last, to find it without looking through all the versions that a snapshot
 * of somebody else keeps.  A hint only: what is found there is checked against the key.
 */
typedef struct Place
{
	GaussdpPotKey key;
	ItemPointerData at;
} Place;

static ItemPointer
place_of(const GaussdpPotKey *key)
{
	static HTAB *places = NULL;
	bool found;
	Place *place;

	if (places == NULL)
		places = gaussdp_pot_memory("gaussdp places of pots", sizeof(Place), TopMemoryContext);
	place = hash_search(places, key, HASH_ENTER, &found);
	if (!found)
		ItemPointerSetInvalid(&place->at);
	return &place->at;
}

/* NULL if no request of the batch has named it. */
static GaussdpPot *
find_pot(List *pots, const GaussdpPotKey *key)
{
	ListCell *cell;

	foreach (cell, pots)
	{
		GaussdpPot *pot = lfirst(cell);

		if (memcmp(&pot->key, key, sizeof(GaussdpPotKey)) == 0)
			return pot;
	}
	return NULL;
}

GaussdpPot *
gaussdp_name_pot(List **pots, const GaussdpLedgerTable *table, char holder, Oid role)
{
	GaussdpPotKey key = gaussdp_pot_key(table->people, table->relation, holder, role);
	GaussdpPot *pot = find_pot(*pots, &key);

	if (pot == NULL)
	{
		pot = palloc0(sizeof(GaussdpPot));
		pot->key = key;
		*pots = lappend(*pots, pot);
	}
	return pot;
}

static void
move_pot(GaussdpPot *pot, HeapTuple row)
{
	pot->at = *(ItemPointer) DatumGetPointer(column(row, POT_AT, 0));
	*place_of(&pot->key) = pot->at;
}

/* Takes over the rows that a query has locked. */
static void
read_pots(List *pots)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple row = SPI_tuptable->vals[i];
		GaussdpPotKey key = key_of_row(row);
		GaussdpPot *pot = find_pot(pots, &key);
		Interval *every;
		int64 now;

		if (pot == NULL)
			continue;
		pot->locked = true;
		move_pot(pot, row);
		pot->role_name = TextDatumGetCString(column(row, POT_ROLE_NAME, 0));
		pot->limit_mu2 = amount(row, POT_LIMIT_MU2, PG_INT64_MAX);
		pot->limit_delta = amount(row, POT_LIMIT_DELTA, PG_INT64_MAX);
		pot->query_mu2 = amount(row, POT_QUERY_MU2, PG_INT64_MAX);
		pot->period = amount(row, POT_PERIOD, 0);
		pot->spent_mu2 = amount(row, POT_SPENT_MU2, -1);
		pot->spent_delta = amount(row, POT_SPENT_DELTA, -1);
		/* The worker looks at it here, once: a CHECK constraint would be read anew for each charge. */
		if (pot->spent_mu2 < 0 || pot->spent_delta < 0)
			ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
							errmsg("the ledger says that less than nothing was spent")));
		every = DatumGetIntervalP(column(row, POT_EVERY, 0));
		now = gaussdp_period(DatumGetTimestampTz(column(row, POT_SINCE, 0)), every);
		if (now > pot->period)
		{
			pot->period = now;
			pot->spent_mu2 = pot->spent_delta = 0;
		}
	}
}

/*
 * Makes room in a page that is filling up with old versions of its pots.  A scan would, but not a look at
 * one tuple: each charge would go on to fresh space, until VACUUM comes, and the next worker to wade through it.
 */
static void
prune_page(Relation rel, ItemPointer at)
{
	Buffer buffer;

	/* A DBA may have rewritten the table, shorter or for another access method. */
	if (rel->rd_rel->relam != HEAP_TABLE_AM_OID ||
		ItemPointerGetBlockNumber(at) >= RelationGetNumberOfBlocks(rel))
		return;
	buffer = ReadBuffer(rel, ItemPointerGetBlockNumber(at));
	heap_page_prune_opt(rel, buffer);
	ReleaseBuffer(buffer);
}

/* Locks the pots where they were last, and the others wherever they are. */
void
gaussdp_lock_pots(List *pots)
{
	static SPIPlanPtr plan = NULL;
	static SPIPlanPtr plan_known = NULL;
	Oid types[] = {TEXTOID, REGCLASSOID, CHAROID, REGROLEOID};
	Oid types_known[] = {TIDARRAYOID};
	Datum *known = palloc(list_length(pots) * sizeof(Datum));
	int nknown = 0;
	Relation rel = table_openrv(makeRangeVar("gaussdp_internal", "pot", -1), AccessShareLock);
	ListCell *cell;

	foreach (cell, pots)
	{
		ItemPointer at = place_of(&((GaussdpPot *) lfirst(cell))->key);

		if (!ItemPointerIsValid(at))
			continue;
		prune_page(rel, at);
		known[nknown++] = PointerGetDatum(at);
	}
	table_close(rel, NoLock);
	if (nknown > 0)
	{
		Datum values[] = {PointerGetDatum(construct_array(
			known, nknown, TIDOID, sizeof(ItemPointerData), false, TYPALIGN_SHORT))};

		gaussdp_ledger_run_prepared(&plan_known, lock_known_query, 1, types_known, values, NULL);
		read_pots(pots);
	}
	foreach (cell, pots)
	{
		GaussdpPot *pot = lfirst(cell);
		Datum values[] = {CStringGetTextDatum(pot->key.people), ObjectIdGetDatum(pot->key.relation),
						  CharGetDatum(pot->key.holder), ObjectIdGetDatum(pot->key.role)};

		if (pot->locked)
			continue;
		gaussdp_ledger_run_prepared(&plan, lock_query, 4, types, values, NULL);
		read_pots(pots);
	}
}

/* Takes over where the rows are that a query has written, n in all. */
static void
move_pots(List *pots, int n)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple row = SPI_tuptable->vals[i];
		GaussdpPotKey key = key_of_row(row);
		GaussdpPot *pot = find_pot(pots, &key);

		if (pot == NULL)
			continue;
		move_pot(pot, row);
		n--;
	}
	if (n != 0)
		elog(ERROR, "a pot of the ledger is gone");
}

/* A role's name is kept for the time when the role is gone. */
static void
write_role_name(List *pots, GaussdpPot *pot)
{
	static SPIPlanPtr plan = NULL;
	Oid types[] = {TIDOID, TEXTOID};
	Datum values[2] = {PointerGetDatum(&pot->at)};
	char *name;

	if (!OidIsValid(pot->key.role))
		return;
	name = GetUserNameFromId(pot->key.role, true);
	if (name == NULL || strcmp(name, pot->role_name) == 0)
		return;
	values[1] = CStringGetTextDatum(name);
	gaussdp_ledger_run_prepared(&plan, rename_query, 2, types, values, NULL);
	move_pots(pots, 1);
}

static Datum
int8_array(Datum *values, int n)
{
	return PointerGetDatum(
		construct_array(values, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

void
gaussdp_write_pots(List *pots)
{
	static SPIPlanPtr plan = NULL;
	Oid types[] = {TIDARRAYOID, INT8ARRAYOID, INT8ARRAYOID, INT8ARRAYOID};
	int size = list_length(pots) * sizeof(Datum);
	Datum *at = palloc(size);
	Datum *period = palloc(size);
	Datum *spent_mu2 = palloc(size);
	Datum *spent_delta = palloc(size);
	int n = 0;
	ListCell *cell;

	foreach (cell, pots)
	{
		GaussdpPot *pot = lfirst(cell);

		if (!pot->changed)
			continue;
		write_role_name(pots, pot);
		at[n] = PointerGetDatum(&pot->at);
		period[n] = Int64GetDatum(pot->period);
		spent_mu2[n] = Int64GetDatum(pot->spent_mu2);
		spent_delta[n++] = Int64GetDatum(pot->spent_delta);
	}
	if (n > 0)
	{
		Datum values[] = {PointerGetDatum(construct_array(at, n, TIDOID, sizeof(ItemPointerData),
														  false, TYPALIGN_SHORT)),
						  int8_array(period, n), int8_array(spent_mu2, n),
						  int8_array(spent_delta, n)};

		gaussdp_ledger_run_prepared(&plan, update_query, 4, types, values, NULL);
		move_pots(pots, n);
	}
}
