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
	int64 reuse;      /* the least time in seconds for which they show answers again; 0: none */
	int lacks;        /* the least max_resource_errors; INT_MAX without */
} Remembered;

/* What grants say beside who pays. */
typedef struct Terms
{
	int64 most_pages;
	int64 reuse;
	int lacks;
} Terms;

static const Terms no_terms = {PG_INT64_MAX, PG_INT64_MAX, INT_MAX};

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

/* The narrower of these and of those of the grant that was read last. */
static Terms
narrowed(Terms terms, GaussdpRows *rows)
{
	bool isnull;
	Datum value = gaussdp_row_value(rows->row, "max_relation_pages", &isnull);

	if (!isnull)
		terms.most_pages = Min(terms.most_pages, DatumGetInt64(value));
	value = gaussdp_row_value(rows->row, "reuse_answers", &isnull);
	terms.reuse = Min(terms.reuse, isnull ? 0 : DatumGetInt64(value));
	value = gaussdp_row_value(rows->row, "max_resource_errors", &isnull);
	if (!isnull)
		terms.lacks = Min(terms.lacks, DatumGetInt32(value));
	return terms;
}

/* Reads the grants, and *terms, the narrowest of those that pay; within the ledger's rights. */
static List *
look_up(const GaussdpPopulation *population, Oid role, Terms *terms)
{
	GaussdpRows *rows = gaussdp_open_rows("ledger_account", AccessShareLock);
	List *groups = NIL;
	Terms of_groups = no_terms;
	Terms of_public = no_terms;
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
			*terms = narrowed(no_terms, rows);
		}
		else if (holder == InvalidOid)
		{
			is_public = true;
			of_public = narrowed(no_terms, rows);
		}
		else if (has_privs_of_role(role, holder))
		{
			groups = lappend_oid(groups, holder);
			of_groups = narrowed(of_groups, rows);
		}
	}
	gaussdp_close_rows(rows);
	if (is_own)
		return list_make1_oid(role);
	*terms = groups != NIL ? of_groups : of_public;
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
look_up_in_time(const GaussdpPopulation *population, Oid role, Terms *terms)
{
	int64 start = gaussdp_ledger_clock();
	int left = time_left();
	List *roles;

	if (MyBackendType != B_BG_WORKER && (LockTimeout == 0 || LockTimeout > left))
		(void) set_config_option("lock_timeout", psprintf("%d", left), PGC_USERSET, PGC_S_SESSION,
								 GUC_ACTION_SAVE, true, 0, false);
	roles = look_up(population, role, terms);
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
	Terms terms = no_terms;
	GaussdpLedgerRights caller;
	MemoryContext within;

	follow_changes();
	entry = hash_search(remembered, &key, HASH_FIND, NULL);
	if (entry != NULL)
		return entry;
	/* labels outlive DROP EXTENSION */
	if (!gaussdp_has_ledger())
		return NULL;
	caller = gaussdp_enter_ledger();
	roles = look_up_in_time(population, role, &terms);
	within = MemoryContextSwitchTo(remembered_context);
	roles = list_copy(roles);
	MemoryContextSwitchTo(within);
	gaussdp_leave_ledger(caller);
	if (roles == NIL)
		return NULL;
	entry = hash_search(remembered, &key, HASH_ENTER, NULL);
	entry->roles = roles;
	entry->most_pages = terms.most_pages;
	entry->reuse = terms.reuse;
	entry->lacks = terms.lacks;
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

int
gaussdp_granted_resource_errors(Oid role, const GaussdpPopulation *population)
{
	const Remembered *entry = remember(population, role);

	return entry == NULL ? INT_MAX : entry->lacks;
}

int64
gaussdp_granted_reuse(Oid role, const GaussdpPopulation *population)
{
	const Remembered *entry = remember(population, role);

	return entry == NULL ? 0 : entry->reuse;
}

int64
gaussdp_reuse_time(Oid role, const GaussdpPopulation *population)
{
	int64 granted = gaussdp_reuse_answers == 0 ? 0 : gaussdp_granted_reuse(role, population);

	return gaussdp_reuse_answers > 0 ? Min(granted, gaussdp_reuse_answers) : granted;
}

bool
gaussdp_has_budget(Oid role, Oid relid)
{
	GaussdpPopulation population;

	return gaussdp_population(relid, &population) &&
		   gaussdp_charged_roles(&population, role) != NIL;
}
