/*
 * accounts.c
 *		The accounts of a batch: named by its requests, then locked, then written.
 *
 * Runs in the worker's transaction, over SPI, on gaussdp_internal.ledger_account; used by batch.c.  All accounts
 * of a batch are locked and read by one query, and written by one.  It remembers where each row was, to find it
 * quickly, and reads anew what is there.
 *
 * Invariants
 *		An account that another transaction has locked is not waited for.
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

#include "accounts.h"
#include "rights.h"

enum
{
	ACCOUNT_PEOPLE = 1,
	ACCOUNT_RELATION,
	ACCOUNT_HOLDER,
	ACCOUNT_ROLE,
	ACCOUNT_AT,
	ACCOUNT_ROLE_NAME,
	ACCOUNT_LIMIT_MU2,
	ACCOUNT_LIMIT_DELTA,
	ACCOUNT_QUERY_MU2,
	ACCOUNT_PERIOD,
	ACCOUNT_SPENT_MU2,
	ACCOUNT_SPENT_DELTA,
	ACCOUNT_SINCE,
	ACCOUNT_EVERY,
	ACCOUNT_NUMBER,
	ACCOUNT_TERM,
	ACCOUNT_DELTA
};

#define ACCOUNT_KEY_COLUMNS "people, relation, holder, role, ctid"
#define ACCOUNT_COLUMNS                                                                            \
	ACCOUNT_KEY_COLUMNS ", role_name, limit_mu2, limit_delta, query_mu2, period, spent_mu2,"       \
						" spent_delta, since, every, number, term, delta"

static const char lock_known_query[] =
	"SELECT " ACCOUNT_COLUMNS " FROM gaussdp_internal.ledger_account"
	" WHERE ctid = ANY ($1) AND granted FOR UPDATE SKIP LOCKED";

static const char lock_query[] =
	"SELECT " ACCOUNT_COLUMNS
	" FROM gaussdp_internal.ledger_account WHERE people = $1 AND relation = $2 AND holder = $3"
	" AND role = $4 AND granted FOR UPDATE SKIP LOCKED";

static const char rename_query[] =
	"UPDATE gaussdp_internal.ledger_account SET role_name = $2 WHERE ctid = $1 RETURNING " ACCOUNT_KEY_COLUMNS;

static const char update_query[] =
	"UPDATE gaussdp_internal.ledger_account SET period = $2[array_position($1, ctid)],"
	" spent_mu2 = $3[array_position($1, ctid)], spent_delta = $4[array_position($1, ctid)],"
	" term = $5[array_position($1, ctid)]::int4,"
	" carried_mu2 = CASE WHEN term = $5[array_position($1, ctid)] THEN carried_mu2 ELSE 0 END,"
	" carried_delta = CASE WHEN term = $5[array_position($1, ctid)] THEN carried_delta ELSE 0 END"
	" WHERE ctid = ANY ($1) RETURNING " ACCOUNT_KEY_COLUMNS;

/* A column of a row that was read, or the value of otherwise where it is NULL. */
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

static GaussdpAccountKey
key_of_row(HeapTuple row)
{
	GaussdpPopulation population =
		gaussdp_declared_population(TextDatumGetCString(column(row, ACCOUNT_PEOPLE, 0)),
									DatumGetObjectId(column(row, ACCOUNT_RELATION, 0)));

	return gaussdp_account_key(&population, DatumGetChar(column(row, ACCOUNT_HOLDER, 0)),
							   DatumGetObjectId(column(row, ACCOUNT_ROLE, 0)));
}

/*
 * Where each account was written last, to find it without looking through all the versions that a snapshot
 * of somebody else keeps.  It may be wrong: what is found there is checked against the key.
 */
typedef struct Place
{
	GaussdpAccountKey key;
	ItemPointerData at;
} Place;

static ItemPointer
place_of(const GaussdpAccountKey *key)
{
	static HTAB *places = NULL;
	bool found;
	Place *place;

	if (places == NULL)
		places =
			gaussdp_account_hash("gaussdp places of accounts", sizeof(Place), TopMemoryContext);
	place = hash_search(places, key, HASH_ENTER, &found);
	if (!found)
		ItemPointerSetInvalid(&place->at);
	return &place->at;
}

/* NULL if no request of the batch has named it. */
static GaussdpAccount *
find_account(List *accounts, const GaussdpAccountKey *key)
{
	ListCell *cell;

	foreach (cell, accounts)
	{
		GaussdpAccount *account = lfirst(cell);

		if (memcmp(&account->key, key, sizeof(GaussdpAccountKey)) == 0)
			return account;
	}
	return NULL;
}

GaussdpAccount *
gaussdp_name_account(List **accounts, const GaussdpPopulation *population, char holder, Oid role)
{
	GaussdpAccountKey key = gaussdp_account_key(population, holder, role);
	GaussdpAccount *account = find_account(*accounts, &key);

	if (account == NULL)
	{
		account = palloc0(sizeof(GaussdpAccount));
		account->key = key;
		*accounts = lappend(*accounts, account);
	}
	return account;
}

static void
move_account(GaussdpAccount *account, HeapTuple row)
{
	account->at = *(ItemPointer) DatumGetPointer(column(row, ACCOUNT_AT, 0));
	*place_of(&account->key) = account->at;
}

/* A period's length, in microseconds; 0: it does not end. */
static int64
length_of(const Interval *every)
{
	return every == NULL ? 0 : every->day * USECS_PER_DAY + every->time;
}

int64
gaussdp_period(TimestampTz since, const Interval *every)
{
	int64 length = length_of(every);

	return length > 0 ? Max(GetCurrentTimestamp() - since, 0) / length : 0;
}

/* Takes over the rows that a query has locked. */
static void
read_accounts(List *accounts)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple row = SPI_tuptable->vals[i];
		GaussdpAccountKey key = key_of_row(row);
		GaussdpAccount *account = find_account(accounts, &key);
		TimestampTz since;
		Interval *every;
		int64 now;

		if (account == NULL)
			continue;
		account->locked = true;
		move_account(account, row);
		account->role_name = TextDatumGetCString(column(row, ACCOUNT_ROLE_NAME, 0));
		account->limit_mu2 = amount(row, ACCOUNT_LIMIT_MU2, PG_INT64_MAX);
		account->limit_delta = amount(row, ACCOUNT_LIMIT_DELTA, PG_INT64_MAX);
		account->query_mu2 = amount(row, ACCOUNT_QUERY_MU2, PG_INT64_MAX);
		account->period = amount(row, ACCOUNT_PERIOD, 0);
		account->number = DatumGetInt32(column(row, ACCOUNT_NUMBER, 0));
		account->term = DatumGetInt32(column(row, ACCOUNT_TERM, 0));
		account->spent_mu2 = amount(row, ACCOUNT_SPENT_MU2, -1);
		account->spent_delta = amount(row, ACCOUNT_SPENT_DELTA, -1);
		/* Not a CHECK constraint: PostgreSQL would read its expression anew for each charge. */
		if (account->spent_mu2 < 0 || account->spent_delta < 0)
			ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
							errmsg("spent amount in gaussdp_internal.ledger_account is negative")));
		every = DatumGetIntervalP(column(row, ACCOUNT_EVERY, 0));
		since = DatumGetTimestampTz(column(row, ACCOUNT_SINCE, 0));
		now = gaussdp_period(since, every);
		if (now > account->period)
		{
			account->period = now;
			account->term++;
			account->spent_mu2 = account->spent_delta = 0;
		}
		account->delta = DatumGetFloat8(column(row, ACCOUNT_DELTA, Float8GetDatum(0)));
		account->renews_at =
			length_of(every) > 0 ? since + (account->period + 1) * length_of(every) : DT_NOEND;
	}
}

/*
 * Removes dead versions of accounts from a page.  A scan does so as it reads, but fetching one row by its place does not:
 * each charge would take fresh space until VACUUM comes, and the next worker would have to read all of it.
 */
static void
prune_page(Relation rel, ItemPointer at)
{
	Buffer buffer;

	/* The table may have been rewritten: it may be shorter, or no heap. */
	if (rel->rd_rel->relam != HEAP_TABLE_AM_OID ||
		ItemPointerGetBlockNumber(at) >= RelationGetNumberOfBlocks(rel))
		return;
	buffer = ReadBuffer(rel, ItemPointerGetBlockNumber(at));
	heap_page_prune_opt(rel, buffer);
	ReleaseBuffer(buffer);
}

/* Locks the accounts where they were last, and the others wherever they are. */
void
gaussdp_lock_accounts(List *accounts)
{
	static SPIPlanPtr plan = NULL;
	static SPIPlanPtr plan_known = NULL;
	Oid types[] = {TEXTOID, REGCLASSOID, CHAROID, REGROLEOID};
	Oid types_known[] = {TIDARRAYOID};
	Datum *known = palloc(list_length(accounts) * sizeof(Datum));
	int nknown = 0;
	Relation rel =
		table_openrv(makeRangeVar("gaussdp_internal", "ledger_account", -1), AccessShareLock);
	ListCell *cell;

	foreach (cell, accounts)
	{
		ItemPointer at = place_of(&((GaussdpAccount *) lfirst(cell))->key);

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
		read_accounts(accounts);
	}
	foreach (cell, accounts)
	{
		GaussdpAccount *account = lfirst(cell);
		Datum values[] = {CStringGetTextDatum(account->key.population.people),
						  ObjectIdGetDatum(account->key.population.relation),
						  CharGetDatum(account->key.holder), ObjectIdGetDatum(account->key.role)};

		if (account->locked)
			continue;
		gaussdp_ledger_run_prepared(&plan, lock_query, 4, types, values, NULL);
		read_accounts(accounts);
	}
}

/* Takes over where the rows are that a query has written, n in all. */
static void
move_accounts(List *accounts, int n)
{
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple row = SPI_tuptable->vals[i];
		GaussdpAccountKey key = key_of_row(row);
		GaussdpAccount *account = find_account(accounts, &key);

		if (account == NULL)
			continue;
		move_account(account, row);
		n--;
	}
	if (n != 0)
		elog(ERROR, "an account of the ledger is gone");
}

/* Keeps the role's name as it is now, since views show it after the role is dropped. */
static void
write_role_name(List *accounts, GaussdpAccount *account)
{
	static SPIPlanPtr plan = NULL;
	Oid types[] = {TIDOID, TEXTOID};
	Datum values[2] = {PointerGetDatum(&account->at)};
	char *name;

	if (!OidIsValid(account->key.role))
		return;
	name = GetUserNameFromId(account->key.role, true);
	if (name == NULL || strcmp(name, account->role_name) == 0)
		return;
	values[1] = CStringGetTextDatum(name);
	gaussdp_ledger_run_prepared(&plan, rename_query, 2, types, values, NULL);
	move_accounts(accounts, 1);
}

static Datum
int8_array(Datum *values, int n)
{
	return PointerGetDatum(
		construct_array(values, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

void
gaussdp_write_accounts(List *accounts)
{
	static SPIPlanPtr plan = NULL;
	Oid types[] = {TIDARRAYOID, INT8ARRAYOID, INT8ARRAYOID, INT8ARRAYOID, INT8ARRAYOID};
	int size = list_length(accounts) * sizeof(Datum);
	Datum *at = palloc(size);
	Datum *period = palloc(size);
	Datum *spent_mu2 = palloc(size);
	Datum *spent_delta = palloc(size);
	Datum *term = palloc(size);
	int n = 0;
	ListCell *cell;

	foreach (cell, accounts)
	{
		GaussdpAccount *account = lfirst(cell);

		if (!account->changed)
			continue;
		write_role_name(accounts, account);
		at[n] = PointerGetDatum(&account->at);
		period[n] = Int64GetDatum(account->period);
		spent_mu2[n] = Int64GetDatum(account->spent_mu2);
		spent_delta[n] = Int64GetDatum(account->spent_delta);
		term[n++] = Int64GetDatum((int64) account->term);
	}
	if (n > 0)
	{
		Datum values[] = {PointerGetDatum(construct_array(at, n, TIDOID, sizeof(ItemPointerData),
														  false, TYPALIGN_SHORT)),
						  int8_array(period, n), int8_array(spent_mu2, n),
						  int8_array(spent_delta, n), int8_array(term, n)};

		gaussdp_ledger_run_prepared(&plan, update_query, 5, types, values, NULL);
		move_accounts(accounts, n);
	}
}
