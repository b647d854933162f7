/*
 * payers.c
 *		Which pots pay for a role.
 *
 * Reads grants from gaussdp_internal.pot; used by the worker for each charge and by sessions for each query.  What
 * was found is remembered until a budget, a role, a membership or any relation changes: a row of a pot is
 * written with every charge, and a snapshot of somebody else may keep all its versions.
 *
 * Invariants
 *		An answer may be late by what commits while it is given, but not more: whoever grants or takes
 *		away a budget sends an invalidation (gaussdp_write_act()).  A charge locks the pots that are named
 *		here only if they are still granted, and asks again if they are not.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/syscache.h"

#include "ledger.h"
#include "payers.h"
#include "population.h"

/* Who pays for a role. */
typedef struct Payers
{
	GaussdpPotKey key; /* of the role's own pot */
	List *roles;
} Payers;

static MemoryContext payers_context = NULL;
static HTAB *payers = NULL; /* in payers_context, as are the lists */
static bool payers_changed = true;

GaussdpPotKey
gaussdp_pot_key(const char *people, Oid relation, char holder, Oid role)
{
	GaussdpPotKey key;

	memset(&key, 0, sizeof(key));
	strlcpy(key.people, people, NAMEDATALEN);
	key.relation = relation;
	key.holder = holder;
	key.role = role;
	return key;
}

HTAB *
gaussdp_pot_memory(const char *name, Size entry_size, MemoryContext context)
{
	HASHCTL control = {.keysize = sizeof(GaussdpPotKey), .entrysize = entry_size, .hcxt = context};

	return hash_create(name, 64, &control, HASH_ELEM | HASH_BLOBS | HASH_CONTEXT);
}

static void
note_relation_change(Datum arg, Oid relid)
{
	payers_changed = true;
}

static void
note_role_change(Datum arg, int cache, uint32 hash)
{
	payers_changed = true;
}

void
gaussdp_forget_payers(void)
{
	payers_changed = true;
}

static void
follow_changes(void)
{
	if (!payers_changed)
		return;
	if (payers_context == NULL)
	{
		payers_context =
			AllocSetContextCreate(TopMemoryContext, "gaussdp payers", ALLOCSET_SMALL_SIZES);
		CacheRegisterRelcacheCallback(note_relation_change, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHOID, note_role_change, (Datum) 0);
		CacheRegisterSyscacheCallback(AUTHMEMROLEMEM, note_role_change, (Datum) 0);
		CacheRegisterSyscacheCallback(DATABASEOID, note_role_change, (Datum) 0);
	}
	payers = NULL;
	MemoryContextReset(payers_context);
	payers = gaussdp_pot_memory("gaussdp payers", sizeof(Payers), payers_context);
	payers_changed = false;
}

/* Within the ledger's rights. */
static List *
look_up(const GaussdpLedgerTable *table, Oid role)
{
	Oid types[] = {TEXTOID, REGCLASSOID};
	Datum values[] = {CStringGetTextDatum(table->people), ObjectIdGetDatum(table->relation)};
	List *groups = NIL;
	bool is_public = false;

	gaussdp_ledger_run("SELECT role FROM gaussdp_internal.pot"
					   " WHERE people = $1 AND relation = $2 AND holder = 'r' AND granted",
					   2, types, values, NULL, true);
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
	return groups == NIL && is_public ? list_make1_oid(InvalidOid) : groups;
}

List *
gaussdp_payers(const GaussdpLedgerTable *table, Oid role)
{
	GaussdpPotKey key = gaussdp_pot_key(table->people, table->relation, 'r', role);
	Payers *entry;
	List *roles;
	GaussdpLedgerRights caller;
	MemoryContext within;

	follow_changes();
	entry = hash_search(payers, &key, HASH_FIND, NULL);
	if (entry != NULL)
		return entry->roles;
	caller = gaussdp_enter_ledger();
	roles = look_up(table, role);
	within = MemoryContextSwitchTo(payers_context);
	roles = list_copy(roles);
	MemoryContextSwitchTo(within);
	gaussdp_leave_ledger(caller);
	if (roles == NIL)
		return NIL;
	entry = hash_search(payers, &key, HASH_ENTER, NULL);
	entry->roles = roles;
	return roles;
}

bool
gaussdp_has_budget(Oid role, Oid relid)
{
	GaussdpLedgerTable population;

	return gaussdp_population_of(relid, &population) && gaussdp_payers(&population, role) != NIL;
}
