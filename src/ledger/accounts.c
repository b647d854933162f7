/*
 * accounts.c
 *		The accounts of a batch: named by its requests, then locked, then written.
 *
 * Runs in the worker's transaction, on gaussdp_internal.ledger_account; used by batch.c.  It remembers where each row
 * was, to find it quickly, and reads anew what is there.
 *
 * Invariants
 *		An account that another transaction has locked is not waited for.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "accounts.h"
#include "rows.h"

/* A column of a row, or the value of otherwise where it is NULL. */
static Datum
column(TupleTableSlot *row, const char *name, Datum otherwise)
{
	bool isnull;
	Datum value = gaussdp_row_value(row, name, &isnull);

	return isnull ? otherwise : value;
}

static int64
amount(TupleTableSlot *row, const char *name, int64 otherwise)
{
	return DatumGetInt64(column(row, name, Int64GetDatum(otherwise)));
}

/* Is that the row of an account? */
static bool
is_row_of(TupleTableSlot *row, const GaussdpAccountKey *key)
{
	GaussdpPopulation population =
		gaussdp_declared_population(TextDatumGetCString(column(row, "people", 0)),
									DatumGetObjectId(column(row, "relation", 0)));
	GaussdpAccountKey found =
		gaussdp_account_key(&population, DatumGetChar(column(row, "holder", 0)),
							DatumGetObjectId(column(row, "role", 0)));

	return memcmp(&found, key, sizeof(found)) == 0;
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

/* Takes over the row that was locked. */
static void
read_account(TupleTableSlot *row, GaussdpAccount *account)
{
	TimestampTz since = DatumGetTimestampTz(column(row, "since", 0));
	Interval *every = DatumGetIntervalP(column(row, "every", 0));
	int64 now = gaussdp_period(since, every);

	account->role_name = TextDatumGetCString(column(row, "role_name", 0));
	account->limit_mu2 = amount(row, "limit_mu2", PG_INT64_MAX);
	account->limit_delta = amount(row, "limit_delta", PG_INT64_MAX);
	account->query_mu2 = amount(row, "query_mu2", PG_INT64_MAX);
	account->period = amount(row, "period", 0);
	account->number = DatumGetInt32(column(row, "number", 0));
	account->term = DatumGetInt32(column(row, "term", 0));
	account->spent_mu2 = amount(row, "spent_mu2", -1);
	account->spent_delta = amount(row, "spent_delta", -1);
	/* Not a CHECK constraint: PostgreSQL would read its expression anew for each charge. */
	if (account->spent_mu2 < 0 || account->spent_delta < 0)
		ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
						errmsg("spent amount in gaussdp_internal.ledger_account is negative")));
	if (now > account->period)
	{
		account->period = now;
		account->term++;
		account->is_new_term = true;
		account->spent_mu2 = account->spent_delta = 0;
	}
	account->delta = DatumGetFloat8(column(row, "delta", Float8GetDatum(0)));
	account->renews_at =
		length_of(every) > 0 ? since + (account->period + 1) * length_of(every) : DT_NOEND;
}

/* Locks an account, if its row is at that place. */
static bool
lock_account(GaussdpRows *rows, GaussdpAccount *account, ItemPointer at)
{
	if (!gaussdp_lock_row(rows, at) || !is_row_of(rows->row, &account->key) ||
		!DatumGetBool(column(rows->row, "granted", BoolGetDatum(false))))
		return false;
	account->locked = true;
	account->at = *place_of(&account->key) = rows->row->tts_tid;
	read_account(rows->row, account);
	return true;
}

/* Where the index says that an account is. */
static ItemPointerData
find_place(GaussdpRows *rows, const GaussdpAccountKey *key)
{
	ItemPointerData at;

	ItemPointerSetInvalid(&at);
	gaussdp_add_key(rows, "people", CStringGetTextDatum(key->population.people));
	gaussdp_add_key(rows, "relation", ObjectIdGetDatum(key->population.relation));
	gaussdp_add_key(rows, "holder", CharGetDatum(key->holder));
	gaussdp_add_key(rows, "role", ObjectIdGetDatum(key->role));
	gaussdp_find_rows(rows, "ledger_account_key");
	while (gaussdp_next_row(rows))
	{
		if (ItemPointerIsValid(&at))
			ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
							errmsg("an account of the ledger is there twice")));
		at = rows->row->tts_tid;
	}
	return at;
}

/* Locks the accounts where they were last, and the others wherever they are. */
void
gaussdp_lock_accounts(List *accounts)
{
	GaussdpRows *rows = gaussdp_open_rows("ledger_account", RowExclusiveLock);
	ListCell *cell;

	foreach (cell, accounts)
	{
		GaussdpAccount *account = lfirst(cell);

		if (!lock_account(rows, account, place_of(&account->key)))
		{
			ItemPointerData at = find_place(rows, &account->key);

			(void) lock_account(rows, account, &at);
		}
	}
	gaussdp_close_rows(rows);
}

static void
write_account(GaussdpRows *rows, GaussdpAccount *account)
{
	char *name = OidIsValid(account->key.role) ? GetUserNameFromId(account->key.role, true) : NULL;

	if (!gaussdp_lock_row(rows, &account->at))
		elog(ERROR, "an account of the ledger is gone");
	gaussdp_begin_change(rows);
	gaussdp_set_value(rows, "period", Int64GetDatum(account->period));
	gaussdp_set_value(rows, "spent_mu2", Int64GetDatum(account->spent_mu2));
	gaussdp_set_value(rows, "spent_delta", Int64GetDatum(account->spent_delta));
	gaussdp_set_value(rows, "term", Int32GetDatum(account->term));
	if (account->is_new_term)
	{
		gaussdp_set_value(rows, "carried_mu2", Int64GetDatum(0));
		gaussdp_set_value(rows, "carried_delta", Int64GetDatum(0));
	}
	/* The role's name as it is now, since views show it after the role is dropped. */
	if (name != NULL && strcmp(name, account->role_name) != 0)
		gaussdp_set_value(rows, "role_name", CStringGetTextDatum(name));
	account->at = *place_of(&account->key) = gaussdp_write_row(rows);
	if (!is_row_of(rows->changed, &account->key))
		elog(ERROR, "an account of the ledger is gone"); /* by a trigger */
}

void
gaussdp_write_accounts(List *accounts)
{
	GaussdpRows *rows = gaussdp_open_rows("ledger_account", RowExclusiveLock);
	ListCell *cell;

	foreach (cell, accounts)
		if (((GaussdpAccount *) lfirst(cell))->changed)
			write_account(rows, lfirst(cell));
	gaussdp_close_rows(rows);
}
