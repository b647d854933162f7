/*
 * batch.c
 *		Which pots pay for a request, whether they can, and what is written.
 *
 * Runs in the worker's transaction, over SPI, on gaussdp.pot and gaussdp.journal_entry.  Each pot is
 * locked and read once a batch, and written once.
 *
 * Invariants
 *		A request is taken from all its pots or from none.  Sums are compared with limits as integers.
 *		A pot that another transaction has locked is not waited for: its requests are tried again.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_type.h"
#include "commands/sequence.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/hsearch.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "batch.h"
#include "core/gdp.h"
#include "population.h"

typedef struct PotKey
{
	char people[NAMEDATALEN];
	Oid relation;
	Oid role;    /* InvalidOid: PUBLIC */
	char holder; /* 'p': the population's own, 'r': a role's */
} PotKey;

typedef struct Pot
{
	PotKey key;
	bool locked;        /* by us; else somebody else has it, or it is not there */
	ItemPointerData at; /* if locked */
	bool has_limit;
	int64 limit_mu2;
	int64 limit_delta;
	int64 query_mu2;
	int64 period;
	int64 spent_mu2;
	int64 spent_delta;
	bool changed;
	List *payers; /* the roles whose pots pay instead of this one, once known in this batch */
} Pot;

/* What a request takes from a pot. */
typedef struct Share
{
	Pot *pot;
	int64 mu2;
	int64 delta;
} Share;

static const char roles_query[] =
	"SELECT role::oid FROM gaussdp.pot"
	" WHERE people = $1 AND relation = $2::regclass AND holder = 'r' AND granted";

#define LOCK_QUERY                                                                                 \
	"SELECT limit_mu2, limit_delta, query_mu2, now_period,"                                        \
	" CASE WHEN now_period > period THEN 0 ELSE spent_mu2 END,"                                    \
	" CASE WHEN now_period > period THEN 0 ELSE spent_delta END, pot.ctid"                         \
	" FROM gaussdp.pot, LATERAL (SELECT greatest(period, gaussdp.period_number(since, every)))"    \
	"   AS n (now_period)"                                                                         \
	" WHERE people = $1 AND relation = $2::regclass AND holder = $3 AND role = $4::regrole"        \
	" AND granted"
#define SKIP_LOCKED " FOR UPDATE OF pot SKIP LOCKED"

static const char lock_query[] = LOCK_QUERY SKIP_LOCKED;
static const char lock_at_query[] = LOCK_QUERY " AND pot.ctid = $5" SKIP_LOCKED;

static const char update_query[] =
	"UPDATE gaussdp.pot SET period = $2, spent_mu2 = $3, spent_delta = $4,"
	" role_name = coalesce($5, role_name) WHERE ctid = $1 RETURNING ctid";

static const char journal_query[] =
	"INSERT INTO gaussdp.journal_entry (charge, item, at, event, session_role, role, people, "
	"relation,"
	" relation_name, kind, l2_sensitivity, sigma, mu2, threshold_delta, query_id, query_text)"
	" VALUES ($1, $2, pg_catalog.clock_timestamp(), 'charge', $3, $4, $5, $6::regclass, $7, $8, "
	"$9, $10,"
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

static bool
column_is_null(int number)
{
	bool isnull;

	(void) SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, number, &isnull);
	return isnull;
}

static int64
column(int number, int64 otherwise)
{
	bool isnull;
	Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, number, &isnull);

	return isnull ? otherwise : DatumGetInt64(value);
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

static Place *
place_of(const PotKey *key)
{
	static HTAB *places = NULL;
	bool found;
	Place *place;

	if (places == NULL)
	{
		HASHCTL control = {.keysize = sizeof(PotKey), .entrysize = sizeof(Place)};

		places = hash_create("gaussdp pots", 64, &control, HASH_ELEM | HASH_BLOBS);
	}
	place = hash_search(places, key, HASH_ENTER, &found);
	if (!found)
		ItemPointerSetInvalid(&place->at);
	return place;
}

/* Locks a pot where it was last, or wherever it is. */
static void
lock_pot(const PotKey *key, Place *place)
{
	static SPIPlanPtr plan = NULL;
	static SPIPlanPtr plan_at = NULL;
	Oid types[] = {TEXTOID, OIDOID, CHAROID, OIDOID, TIDOID};
	Datum values[] = {CStringGetTextDatum(key->people), ObjectIdGetDatum(key->relation),
					  CharGetDatum(key->holder), ObjectIdGetDatum(key->role),
					  PointerGetDatum(&place->at)};

	if (ItemPointerIsValid(&place->at))
	{
		run(&plan_at, lock_at_query, 5, types, values, NULL);
		if (SPI_processed == 1)
			return;
	}
	run(&plan, lock_query, 4, types, values, NULL);
}

/* The ctid in that column of the only row. */
static ItemPointerData
ctid_column(int number)
{
	bool isnull;

	return *(ItemPointer) DatumGetPointer(
		SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, number, &isnull));
}

/* Finds or locks a pot. */
static Pot *
get_pot(List **pots, const LedgerTable *table, char holder, Oid role)
{
	PotKey key;
	ListCell *cell;
	Pot *pot;

	memset(&key, 0, sizeof(key));
	strlcpy(key.people, table->people, NAMEDATALEN);
	key.relation = table->relation;
	key.role = role;
	key.holder = holder;
	foreach (cell, *pots)
	{
		pot = lfirst(cell);
		if (memcmp(&pot->key, &key, sizeof(key)) == 0)
			return pot;
	}
	pot = palloc0(sizeof(Pot));
	pot->key = key;
	lock_pot(&key, place_of(&key));
	if (SPI_processed == 1)
	{
		pot->locked = true;
		pot->has_limit = !column_is_null(1);
		pot->limit_mu2 = column(1, PG_INT64_MAX);
		pot->limit_delta = column(2, PG_INT64_MAX);
		pot->query_mu2 = column(3, PG_INT64_MAX);
		pot->period = column(4, 0);
		pot->spent_mu2 = column(5, 0);
		pot->spent_delta = column(6, 0);
		/* The worker looks at it here, once: a CHECK constraint would be read anew for each charge. */
		if (pot->spent_mu2 < 0 || pot->spent_delta < 0)
			ereport(ERROR, (errcode(ERRCODE_DATA_CORRUPTED),
							errmsg("the ledger says that less than nothing was spent")));
		pot->at = ctid_column(7);
		place_of(&key)->at = pot->at;
	}
	*pots = lappend(*pots, pot);
	return pot;
}

/* The roles whose pots pay: the role itself, else those whose privileges it has, else PUBLIC. */
static List *
paying_roles(List **pots, const LedgerTable *table, Oid role)
{
	static SPIPlanPtr plan = NULL;
	Oid types[] = {TEXTOID, OIDOID};
	Datum values[] = {CStringGetTextDatum(table->people), ObjectIdGetDatum(table->relation)};
	Pot *own = get_pot(pots, table, 'r', role);
	List *groups = NIL;
	bool is_public = false;

	if (own->locked)
		return list_make1_oid(role);
	if (own->payers != NIL)
		return own->payers;
	run(&plan, roles_query, 2, types, values, NULL);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Oid holder = DatumGetObjectId(
			SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));

		if (holder == role)
			return list_make1_oid(role);
		if (holder == InvalidOid)
			is_public = true;
		else if (has_privs_of_role(role, holder))
			groups = lappend_oid(groups, holder);
	}
	if (groups == NIL && is_public)
		groups = list_make1_oid(InvalidOid);
	own->payers = groups;
	return groups;
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
		List *roles = paying_roles(pots, table, request->role);
		int64 mu2 = 0;
		int64 delta = 0;
		ListCell *cell;

		if (roles == NIL)
		{
			refuse(ticket, ERRCODE_INSUFFICIENT_PRIVILEGE,
				   psprintf("role \"%s\" has no privacy budget for table \"%s\"",
							GetUserNameFromId(request->role, true), get_rel_name(table->relid)));
			return NIL;
		}
		for (int i = 0; i < request->nreleases; i++)
			if (request->releases[i].table == t)
			{
				mu2 = gdp_spent_add(mu2, request->releases[i].mu2);
				delta = gdp_spent_add(delta, request->releases[i].threshold_delta);
			}
		foreach (cell, roles)
			add_share(&shares, get_pot(pots, table, 'r', lfirst_oid(cell)), mu2, delta);
		add_share(&shares, get_pot(pots, table, 'p', InvalidOid), mu2, delta);
	}
	return shares;
}

static void
decide(List **pots, Ticket *ticket)
{
	List *shares = find_shares(pots, ticket);
	ListCell *cell;

	if (shares == NIL)
		return;
	foreach (cell, shares)
	{
		Share *share = lfirst(cell);
		Pot *pot = share->pot;

		if (!pot->locked)
		{
			ticket->verdict = VERDICT_RETRY;
			return;
		}
		if (share->mu2 > pot->query_mu2)
		{
			refuse(ticket, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
				   "the query costs more than max_epsilon_per_query allows");
			return;
		}
		if (pot->has_limit && (gdp_spent_add(pot->spent_mu2, share->mu2) > pot->limit_mu2 ||
							   gdp_spent_add(pot->spent_delta, share->delta) > pot->limit_delta))
		{
			refuse(ticket, ERRCODE_CONFIGURATION_LIMIT_EXCEEDED,
				   psprintf("the privacy budget of %s does not suffice for this query",
							pot->key.holder == 'p' ? "the population"
							: pot->key.role == InvalidOid
								? "PUBLIC"
								: GetUserNameFromId(pot->key.role, true)));
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

static void
write_pot(const Pot *pot)
{
	static SPIPlanPtr plan = NULL;
	Oid types[] = {TIDOID, INT8OID, INT8OID, INT8OID, TEXTOID};
	Oid role = pot->key.role;
	char *name = OidIsValid(role) ? GetUserNameFromId(role, true) : NULL;
	Datum values[] = {PointerGetDatum(&pot->at), Int64GetDatum(pot->period),
					  Int64GetDatum(pot->spent_mu2), Int64GetDatum(pot->spent_delta),
					  name ? CStringGetTextDatum(name) : (Datum) 0};

	run(&plan, update_query, 5, types, values, name ? NULL : "    n");
	if (SPI_processed != 1)
		elog(ERROR, "a pot of the ledger is gone");
	place_of(&pot->key)->at = ctid_column(1);
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
	Oid types[] = {INT8OID, INT4OID,   TEXTOID,   TEXTOID, TEXTOID, OIDOID,  TEXTOID,
				   TEXTOID, FLOAT8OID, FLOAT8OID, INT8OID, INT8OID, INT8OID, TEXTOID};
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
	if (roles_changed)
		gaussdp_close_roles(InvalidOid);
	roles_changed = false;
}

int
gaussdp_ledger_decide(Ticket *tickets, int ntickets)
{
	List *pots = NIL;
	int charged = 0;
	ListCell *cell;

	close_roles();
	for (int i = 0; i < ntickets; i++)
		decide(&pots, &tickets[i]);
	foreach (cell, pots)
		if (((Pot *) lfirst(cell))->changed)
			write_pot(lfirst(cell));
	for (int i = 0; i < ntickets; i++)
		if (tickets[i].verdict == VERDICT_CHARGED)
		{
			write_journal(tickets[i].request);
			charged++;
		}
	return charged;
}
