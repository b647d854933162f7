/*
 * batch.c
 *		Which pots pay for a request, whether they can, and what is written.
 *
 * Runs in the worker's transaction, over SPI, on gaussdp.pot and gaussdp.journal_entry.  The pots of a
 * whole batch are locked and read by one query, and written by one.  What the worker remembers from one
 * batch to the next, who pays (payers.c) and where a pot was, says only where to look: what is there is
 * read anew.
 *
 * Invariants
 *		A request is taken from all its pots or from none.  Sums are compared with limits as integers.
 *		A pot that another transaction has locked is not waited for: its requests are tried again.
 */
#include "postgres.h"

#include "access/heapam.h"
#include "access/table.h"
#include "catalog/namespace.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "storage/bufmgr.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "batch.h"
#include "core/gdp.h"
#include "payers.h"
#include "population.h"

typedef struct Pot
{
	PotKey key;
	bool locked;        /* by us; else somebody else has it, or it is not there */
	ItemPointerData at; /* if locked */
	const char *role_name;
	int64 limit_mu2; /* PG_INT64_MAX, which no sum exceeds: no limit */
	int64 limit_delta;
	int64 query_mu2;
	int64 period;
	int64 spent_mu2;
	int64 spent_delta;
	bool changed;
} Pot;

/* What a request takes from a pot. */
typedef struct Share
{
	Pot *pot;
	int64 mu2;
	int64 delta;
} Share;

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

static const char lock_known_query[] = "SELECT " POT_COLUMNS " FROM gaussdp.pot"
									   " WHERE ctid = ANY ($1) AND granted FOR UPDATE SKIP LOCKED";

static const char lock_query[] =
	"SELECT " POT_COLUMNS " FROM gaussdp.pot WHERE people = $1 AND relation = $2 AND holder = $3"
	" AND role = $4 AND granted FOR UPDATE SKIP LOCKED";

static const char rename_query[] =
	"UPDATE gaussdp.pot SET role_name = $2 WHERE ctid = $1 RETURNING " POT_KEY_COLUMNS;

static const char update_query[] =
	"UPDATE gaussdp.pot SET period = $2[array_position($1, ctid)],"
	" spent_mu2 = $3[array_position($1, ctid)], spent_delta = $4[array_position($1, ctid)]"
	" WHERE ctid = ANY ($1) RETURNING " POT_KEY_COLUMNS;

static const char journal_query[] =
	"INSERT INTO gaussdp.journal_entry (charge, item, at, event, session_role, role, people,"
	" relation, relation_name, kind, l2_sensitivity, sigma, mu2, threshold_delta, query_id,"
	" query_text) VALUES ($1, $2, clock_timestamp(), 'charge', $3, $4, $5, $6, $7, $8, $9, $10,"
	" $11, $12, $13, $14)";

/* Runs one of the queries above, prepared at first use; a NULL Datum pointer stands for NULL. */
static void
run(SPIPlanPtr *plan, const char *query, int nargs, Oid *types, Datum *values, const char *nulls)
{
	int result;

	if (*plan == NULL)
	{
		SPIPlanPtr made = SPI_prepare(query, nargs, types);

		if (made == NULL || SPI_keepplan(made) != 0)
			elog(ERROR, "could not prepare a query of the ledger");
		*plan = made;
	}
	result = SPI_execute_plan(*plan, values, nulls, false, 0);
	if (result < 0)
		elog(ERROR, "a query of the ledger failed: %s", SPI_result_code_string(result));
}

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

static PotKey
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
	PotKey key;
	ItemPointerData at;
} Place;

static ItemPointer
place_of(const PotKey *key)
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

/* ---------------------------------------------------------------------------
 * Pots: named by the requests, then locked, then written, each for all requests
 * ---------------------------------------------------------------------------
 */

/* NULL if no request of the batch has named it. */
static Pot *
find_pot(List *pots, const PotKey *key)
{
	ListCell *cell;

	foreach (cell, pots)
	{
		Pot *pot = lfirst(cell);

		if (memcmp(&pot->key, key, sizeof(PotKey)) == 0)
			return pot;
	}
	return NULL;
}

static Pot *
name_pot(List **pots, const LedgerTable *table, char holder, Oid role)
{
	PotKey key = gaussdp_pot_key(table->people, table->relation, holder, role);
	Pot *pot = find_pot(*pots, &key);

	if (pot == NULL)
	{
		pot = palloc0(sizeof(Pot));
		pot->key = key;
		*pots = lappend(*pots, pot);
	}
	return pot;
}

static void
move_pot(Pot *pot, HeapTuple row)
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
		PotKey key = key_of_row(row);
		Pot *pot = find_pot(pots, &key);
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
static void
lock_pots(List *pots)
{
	static SPIPlanPtr plan = NULL;
	static SPIPlanPtr plan_known = NULL;
	Oid types[] = {TEXTOID, REGCLASSOID, CHAROID, REGROLEOID};
	Oid types_known[] = {TIDARRAYOID};
	Datum *known = palloc(list_length(pots) * sizeof(Datum));
	int nknown = 0;
	Relation rel = table_openrv(makeRangeVar("gaussdp", "pot", -1), AccessShareLock);
	ListCell *cell;

	foreach (cell, pots)
	{
		ItemPointer at = place_of(&((Pot *) lfirst(cell))->key);

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

		run(&plan_known, lock_known_query, 1, types_known, values, NULL);
		read_pots(pots);
	}
	foreach (cell, pots)
	{
		Pot *pot = lfirst(cell);
		Datum values[] = {CStringGetTextDatum(pot->key.people), ObjectIdGetDatum(pot->key.relation),
						  CharGetDatum(pot->key.holder), ObjectIdGetDatum(pot->key.role)};

		if (pot->locked)
			continue;
		run(&plan, lock_query, 4, types, values, NULL);
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
		PotKey key = key_of_row(row);
		Pot *pot = find_pot(pots, &key);

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
write_role_name(List *pots, Pot *pot)
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
	run(&plan, rename_query, 2, types, values, NULL);
	move_pots(pots, 1);
}

static Datum
int8_array(Datum *values, int n)
{
	return PointerGetDatum(
		construct_array(values, n, INT8OID, sizeof(int64), FLOAT8PASSBYVAL, TYPALIGN_DOUBLE));
}

static void
write_pots(List *pots)
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
		Pot *pot = lfirst(cell);

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

		run(&plan, update_query, 4, types, values, NULL);
		move_pots(pots, n);
	}
}

/* ---------------------------------------------------------------------------
 * Requests
 * ---------------------------------------------------------------------------
 */

/* A role's name for a message; sessions of a dropped role may live on. */
static const char *
name_of(Oid role)
{
	char *name = GetUserNameFromId(role, true);

	return name ? name : psprintf("%u", role);
}

/* The worker does not see one that the session's open transaction has made. */
static const char *
name_of_table(Oid relid)
{
	char *name = get_rel_name(relid);

	return name ? name : psprintf("%u", relid);
}

static void
refuse(Ticket *ticket, int sqlstate, const char *message)
{
	ticket->verdict = VERDICT_REFUSED;
	ticket->sqlstate = sqlstate;
	strlcpy(ticket->message, message, sizeof(ticket->message));
}

static void
add_share(List **shares, Pot *pot, int64 mu2, int64 delta)
{
	ListCell *cell;
	Share *share;

	foreach (cell, *shares)
	{
		share = lfirst(cell);
		if (share->pot == pot)
		{
			share->mu2 = gdp_spent_add(share->mu2, mu2);
			share->delta = gdp_spent_add(share->delta, delta);
			return;
		}
	}
	share = palloc(sizeof(Share));
	share->pot = pot;
	share->mu2 = mu2;
	share->delta = delta;
	*shares = lappend(*shares, share);
}

/* What the request takes, pot by pot; NIL with the verdict set where no pot applies. */
static List *
find_shares(List **pots, Ticket *ticket)
{
	LedgerRequest *request = ticket->request;
	List *shares = NIL;

	for (int t = 0; t < request->ntables; t++)
	{
		LedgerTable *table = &request->tables[t];
		List *roles = gaussdp_payers(table, request->role);
		int64 mu2 = 0;
		int64 delta = 0;
		ListCell *cell;

		if (roles == NIL)
		{
			refuse(ticket, ERRCODE_INSUFFICIENT_PRIVILEGE,
				   psprintf("role \"%s\" has no privacy budget for table \"%s\"",
							name_of(request->role), name_of_table(table->relid)));
			return NIL;
		}
		for (int i = 0; i < request->nreleases; i++)
			if (request->releases[i].table == t)
			{
				mu2 = gdp_spent_add(mu2, request->releases[i].mu2);
				delta = gdp_spent_add(delta, request->releases[i].threshold_delta);
			}
		foreach (cell, roles)
			add_share(&shares, name_pot(pots, table, 'r', lfirst_oid(cell)), mu2, delta);
		add_share(&shares, name_pot(pots, table, 'p', InvalidOid), mu2, delta);
	}
	return shares;
}

static void
decide(Ticket *ticket, List *shares)
{
	ListCell *cell;

	foreach (cell, shares)
	{
		Share *share = lfirst(cell);
		Pot *pot = share->pot;

		if (!pot->locked)
		{
			ticket->verdict = VERDICT_RETRY;
			gaussdp_forget_payers(); /* or does another pot pay now? */
			return;
		}
		if (share->mu2 > pot->query_mu2)
		{
			refuse(ticket, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
				   "the query costs more than max_epsilon_per_query allows");
			return;
		}
		if (gdp_spent_add(pot->spent_mu2, share->mu2) > pot->limit_mu2 ||
			gdp_spent_add(pot->spent_delta, share->delta) > pot->limit_delta)
		{
			refuse(ticket, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
				   psprintf("the privacy budget of %s does not suffice for this query",
							pot->key.holder == 'p'        ? "the population"
							: pot->key.role == InvalidOid ? "PUBLIC"
														  : name_of(pot->key.role)));
			return;
		}
	}
	foreach (cell, shares)
	{
		Share *share = lfirst(cell);

		share->pot->spent_mu2 = gdp_spent_add(share->pot->spent_mu2, share->mu2);
		share->pot->spent_delta = gdp_spent_add(share->pot->spent_delta, share->delta);
		share->pot->changed = true;
	}
	ticket->verdict = VERDICT_CHARGED;
}

static Datum
role_name(Oid role)
{
	char *name = GetUserNameFromId(role, true);

	return CStringGetTextDatum(name ? name : "");
}

static void
write_journal(const LedgerRequest *request)
{
	static SPIPlanPtr plan = NULL;
	Oid types[] = {INT8OID, INT4OID,   TEXTOID,   TEXTOID, TEXTOID, REGCLASSOID, TEXTOID,
				   TEXTOID, FLOAT8OID, FLOAT8OID, INT8OID, INT8OID, INT8OID,     TEXTOID};
	Oid sequence = get_relname_relid("journal_number", get_namespace_oid("gaussdp", false));
	int64 charge = nextval_internal(sequence, false);
	bool has_text = request->text[0] != '\0';

	for (int i = 0; i < request->nreleases; i++)
	{
		const LedgerRelease *release = &request->releases[i];
		const LedgerTable *table = &request->tables[release->table];
		Datum values[] = {Int64GetDatum(charge),
						  Int32GetDatum(i + 1),
						  role_name(request->session_role),
						  role_name(request->role),
						  CStringGetTextDatum(table->people),
						  ObjectIdGetDatum(table->relid),
						  CStringGetTextDatum(gaussdp_relation_name(table->relid)),
						  CStringGetTextDatum(release->kind),
						  Float8GetDatum(release->l2_sensitivity),
						  Float8GetDatum(release->sigma),
						  Int64GetDatum(release->mu2),
						  Int64GetDatum(release->threshold_delta),
						  Int64GetDatum((int64) request->query_id),
						  has_text ? CStringGetTextDatum(request->text) : (Datum) 0};

		run(&plan, journal_query, 14, types, values, has_text ? NULL : "             n");
	}
}

static bool roles_changed = true;
static bool some_unclosed = false; /* until a batch finds none: the last may not have committed */

static void
note_role_change(Datum arg, int cache, uint32 hash)
{
	roles_changed = true;
}

/* Roles may be dropped in another database: whoever gets such an OID again shall find no budget. */
static void
close_roles(void)
{
	static bool is_registered = false;

	if (!is_registered)
		CacheRegisterSyscacheCallback(AUTHOID, note_role_change, (Datum) 0);
	is_registered = true;
	some_unclosed |= roles_changed;
	roles_changed = false;
	if (some_unclosed)
		some_unclosed = gaussdp_close_roles(InvalidOid);
}

int
gaussdp_ledger_decide(Ticket *tickets, int ntickets)
{
	List *pots = NIL;
	List **shares = palloc(ntickets * sizeof(List *));
	int charged = 0;

	close_roles();
	for (int i = 0; i < ntickets; i++)
		shares[i] = find_shares(&pots, &tickets[i]);
	lock_pots(pots);
	for (int i = 0; i < ntickets; i++)
		if (shares[i] != NIL)
			decide(&tickets[i], shares[i]);
	write_pots(pots);
	for (int i = 0; i < ntickets; i++)
		if (tickets[i].verdict == VERDICT_CHARGED)
		{
			write_journal(tickets[i].request);
			charged++;
		}
	return charged;
}
