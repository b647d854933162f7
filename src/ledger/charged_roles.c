/*
 * charged_roles.c
 *		Which accounts pay for a role.
 *
 * Reads grants from gaussdp_internal.ledger_account; used by the worker for each charge and by sessions for each
 * query.  What was found is remembered until a budget, a role, a membership or any relation changes, since looking
 * it up is slow where somebody's snapshot keeps many versions of the rows, which every charge writes.
 *
 * Invariants
 *		An answer may be late by what commits while it is given, but not more: whoever grants or takes
 *		away a budget sends an invalidation (gaussdp_journal_act()).  A charge locks the accounts that are named
 *		here only if they are still granted, and asks again if they are not.
 */
#include "postgres.h"

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "charged_roles.h"
#include "invalidation.h"
#include "ledger.h"
#include "rights.h"
#include "rows.h"
#include "settings.h"

/* Whose accounts pay for a role. */
typedef struct Remembered
{
	GaussdpAccountKey key; /* of the role's own account */
	List *roles;
	int64 most_pages; /* the least limit of their grants; PG_INT64_MAX without */
} Remembered;

static MemoryContext remembered_context = NULL;
static HTAB *remembered = NULL; /* in remembered_context, as are the lists */
static bool is_stale = true;

GaussdpAccountKey
gaussdp_account_key(const GaussdpPopulation *population, char holder, Oid role)
{
	GaussdpAccountKey key;

	memset(&key, 0, sizeof(key));
	key.population = *population;
	key.role = role;
	key.holder = holder;
	return key;
}

HTAB *
gaussdp_account_hash(const char *name, Size entry_size, MemoryContext context)
{
	HASHCTL control = {
		.keysize = sizeof(GaussdpAccountKey), .entrysize = entry_size, .hcxt = context};

	return hash_create(name, 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
note_relation_change(Datum arg, Oid relid)
{
	is_stale = true;
}

static void
note_role_change(Datum arg, int cache, uint32 hash)
{
	is_stale = true;
}

void
gaussdp_forget_charged_roles(void)
{
	is_stale = true;
}

static void
follow_changes(void)
{
	if (!is_stale)
		return;
	if (remembered_context == NULL)
	{
		remembered_context =
			AllocSetContextCreate(TopMemoryContext, "gaussdp charged roles", ALLOCSET_SMALL_SIZES);
		gaussdp_on_relation_change(note_relation_change);
		CacheRegisterSyscacheCallback(AUTHOID, note_role_change, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, note_role_change, (Datum) 0);
		CacheRegisterSyscacheCallback(DATABASEOID, note_role_change, (Datum) 0);
	}
	remembered = NULL;
	MemoryContextReset(remembered_context);
	remembered =
		gaussdp_account_hash("gaussdp charged roles", sizeof(Remembered), remembered_context);
	is_stale = false;
}

/* The limit of the grant that was read last. */
static int64
most_pages_of(GaussdpRows *rows)
{
	bool isnull;
	Datum pages = gaussdp_row_value(rows->row, "max_relation_pages", &isnull);

	return isnull ? PG_INT64_MAX : DatumGetInt64(pages);
}

/* Reads the grants, and *most_pages, the least limit of those that pay; within the ledger's rights. */
static List *
look_up(const GaussdpPopulation *population, Oid role, int64 *most_pages)
{
	GaussdpRows *rows = gaussdp_open_rows("ledger_account", AccessShareLock);
	List *groups = NIL;
	int64 most_of_groups = PG_INT64_MAX;
	int64 most_of_public = PG_INT64_MAX;
	bool is_own = false;
	bool is_public = false;

	gaussdp_add_key(rows, "people", CStringGetTextDatum(population->people));
	gaussdp_add_key(rows, "relation", ObjectIdGetDatum(population->relation));
	gaussdp_add_key(rows, "holder", CharGetDatum('r'));
	gaussdp_find_rows(rows, "ledger_account_key");
	while (gaussdp_next_row(rows))
	{
		bool isnull;
		Oid holder = DatumGetObjectId(gaussdp_row_value(rows->row, "role", &isnull));

		if (!DatumGetBool(gaussdp_row_value(rows->row, "granted", &isnull)))
			continue;
		if (holder == role)
		{
			is_own = true;
			*most_pages = most_pages_of(rows);
		}
		else if (holder == InvalidOid)
		{
			is_public = true;
			most_of_public = most_pages_of(rows);
		}
		else if (has_privs_of_role(role, holder))
		{
			groups = lappend_oid(groups, holder);
			most_of_groups = Min(most_of_groups, most_pages_of(rows));
		}
	}
	gaussdp_close_rows(rows);
	if (is_own)
		return list_make1_oid(role);
	*most_pages = groups != NIL ? most_of_groups : most_of_public;
	return groups == NIL && is_public ? list_make1_oid(InvalidOid) : groups;
}

static int64 waited = 0;          /* milliseconds, for grants to be read */
static TimestampTz waited_in = 0; /* the start of that statement */

static int
time_left(void)
{
	if (waited_in != GetCurrentStatementStartTimestamp())
		waited = 0;
	return (int) Max(gaussdp_charge_timeout - waited, 1);
}

int
gaussdp_take_time_left(void)
{
	int left = time_left();

	waited = 0;
	return left;
}

/* As look_up.  Somebody may hold a lock on the whole table: a session waits for it as for a charge, and no longer. */
static List *
look_up_in_time(const GaussdpPopulation *population, Oid role, int64 *most_pages)
{
	int64 start = gaussdp_ledger_clock();
	int left = time_left();
	List *roles;

	if (MyBackendType != B_BG_WORKER && (LockTimeout == 0 || LockTimeout > left))
		(void) set_config_option("lock_timeout", psprintf("%d", left), PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	roles = look_up(population, role, most_pages);
	waited_in = GetCurrentStatementStartTimestamp();
	waited = gaussdp_charge_timeout - left + gaussdp_ledger_clock() - start;
	return roles;
}

/* NULL: the role has no budget. */
static const Remembered *
remember(const GaussdpPopulation *population, Oid role)
{
	GaussdpAccountKey key = gaussdp_account_key(population, 'r', role);
	Remembered *entry;
	List *roles;
	int64 most_pages;
	GaussdpLedgerRights caller;
	MemoryContext within;

	follow_changes();
	entry = hash_search(remembered, &key, HASH_FIND, NULL);
	if (entry != NULL)
		return entry;
	caller = gaussdp_enter_ledger();
	roles = look_up_in_time(population, role, &most_pages);
	within = MemoryContextSwitchTo(remembered_context);
	roles = list_copy(roles);
	MemoryContextSwitchTo(within);
	gaussdp_leave_ledger(caller);
	if (roles == NIL)
		return NULL;
	entry = hash_search(remembered, &key, HASH_ENTER, NULL);
	entry->roles = roles;
	entry->most_pages = most_pages;
	return entry;
}

List *
gaussdp_charged_roles(const GaussdpPopulation *population, Oid role)
{
	const Remembered *entry = remember(population, role);

	return entry == NULL ? NIL : entry->roles;
}

int64
gaussdp_page_limit(Oid role, Oid relid)
{
	GaussdpPopulation population;
	const Remembered *entry = NULL;
	int64 most = gaussdp_max_relation_pages > 0 ? gaussdp_max_relation_pages : PG_INT64_MAX;

	if (gaussdp_population(relid, &population))
		entry = remember(&population, role);
	return entry == NULL ? most : Min(most, entry->most_pages);
}

bool
gaussdp_has_budget(Oid role, Oid relid)
{
	GaussdpPopulation population;

	return gaussdp_population(relid, &population) &&
		   gaussdp_charged_roles(&population, role) != NIL;
}
