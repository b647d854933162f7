/*
 * closing.c
 *		Budgets end with the tables and roles that they are for.
 *
 * Called by declaration/ when a label changes, by object_access_hook when a table or a role is dropped, and by
 * the worker, which looks for roles that were dropped in other databases.
 *
 * Invariants
 *		A budget counts for the people for whom it was granted: when the last table of a population is
 *		dropped or leaves it, the grants are closed, so that the next owner of that name or OID finds
 *		none.  What was spent stays, as long as the population has a name.
 */
#include "postgres.h"

#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_seclabel.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "accounts.h"
#include "closing.h"
#include "declaration/declaration.h"
#include "declaration/population.h"
#include "journal.h"
#include "owners.h"
#include "publication.h"
#include "rights.h"
#include "rows.h"
#include "settings.h"
#include "version.h"

/* ---------------------------------------------------------------------------
 * Tables
 * ---------------------------------------------------------------------------
 */

/* A value of the query that has run last, row i, column number n. */
static Datum
value(const SPITupleTable *rows, uint64 i, int n)
{
	bool isnull;

	return SPI_getbinval(rows->vals[i], rows->tupdesc, n, &isnull);
}

/* Closes the grants of a population that loses its last table. */
static void
close_grants(const GaussdpLedgerTable *table)
{
	Oid types[] = {TEXTOID, OIDOID};
	Datum values[] = {CStringGetTextDatum(table->population.people),
					  ObjectIdGetDatum(table->population.relation)};
	SPITupleTable *closed;
	uint64 n;

	gaussdp_ledger_run("UPDATE gaussdp_internal.ledger_account SET granted = false"
					   " WHERE people = $1 AND relation = $2::regclass AND holder = 'r' AND granted"
					   " RETURNING role_name",
					   2, types, values, NULL, false);
	closed = SPI_tuptable;
	n = SPI_processed;
	for (uint64 i = 0; i < n; i++)
	{
		GaussdpJournalEntry entry = {
			.event = "close",
			.session_role = gaussdp_role_name(GetSessionUserId()),
			.role = TextDatumGetCString(value(closed, i, 1)),
			.table = table,
		};

		gaussdp_journal(&entry);
	}
}

/* The OID of a dropped table may come again: nothing in the ledger goes by it any more. */
static void
forget_oid(Oid relid)
{
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(relid)};

	gaussdp_ledger_run("DELETE FROM gaussdp_internal.ledger_account WHERE relation = $1::regclass",
					   1, types, values, NULL, false);
	gaussdp_ledger_run("DELETE FROM gaussdp_internal.error_count WHERE relation = $1::regclass", 1,
					   types, values, NULL, false);
	gaussdp_ledger_run("UPDATE gaussdp_internal.journal_entry SET relation = '-'"
					   " WHERE relation = $1::regclass",
					   1, types, values, NULL, false);
}

/* An unprotected table keeps an account of its own: DROP finds by it that the ledger knows the OID. */
static void
remember_oid(Oid relid)
{
	GaussdpPopulation population = gaussdp_declared_population("", relid);
	GaussdpLedgerRights caller;

	if (!gaussdp_has_ledger())
		return;
	caller = gaussdp_enter_ledger();
	gaussdp_add_population_account(&population);
	gaussdp_leave_ledger(caller);
}

/*
 * May the ledger know a table that is not protected now?  Not what a rewritten table is dropped with.  One in which something was
 * published is forgotten at once.
 */
static bool
was_protected(Oid relid, const ObjectAccessDrop *drop)
{
	char relkind = get_rel_relkind(relid);
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(relid)};
	GaussdpLedgerRights caller;
	bool found;

	if ((relkind != RELKIND_RELATION && relkind != RELKIND_PARTITIONED_TABLE) ||
		(drop->dropflags & PERFORM_DELETION_INTERNAL) != 0 ||
		get_rel_persistence(relid) == RELPERSISTENCE_TEMP ||
		get_rel_namespace(relid) == get_namespace_oid("gaussdp_internal", true) ||
		!gaussdp_has_ledger())
		return false;
	caller = gaussdp_enter_ledger();
	gaussdp_ledger_run("SELECT FROM gaussdp_internal.ledger_account"
					   " WHERE people = '' AND relation = $1::regclass LIMIT 1",
					   1, types, values, NULL, true);
	found = SPI_processed > 0;
	gaussdp_forget_publication(relid);
	gaussdp_leave_ledger(caller);
	return found;
}

/* A labelled table leaves its population, which is closed if it was the last. */
static void
leave_population(const GaussdpLedgerTable *table)
{
	GaussdpLedgerRights caller;

	gaussdp_check_version("No budget was changed.");
	/* Two tables that leave at once must not each take the other for the last one. */
	gaussdp_lock_population(&table->population, ShareRowExclusiveLock);
	if (!gaussdp_has_ledger() ||
		list_delete_oid(gaussdp_tables_of(&table->population), table->relid) != NIL)
		return;
	caller = gaussdp_enter_ledger();
	close_grants(table);
	gaussdp_remember_last_owner(table);
	gaussdp_leave_ledger(caller);
}

/* A table's label changes, see declaration.h.  To join others needs the right to change their budgets. */
static void
change_people(Oid relid, const char *from, const char *to)
{
	GaussdpLedgerTable table = {.relid = relid};

	if (from != NULL && to != NULL && strcmp(from, to) == 0)
		return;
	if (from != NULL)
	{
		table.population = gaussdp_declared_population(from, relid);
		leave_population(&table);
		if (to == NULL)
			remember_oid(relid);
	}
	if (to != NULL && to[0] != '\0')
	{
		table.population = gaussdp_declared_population(to, relid);
		/* Before the lock, too: nobody waits for who may not join. */
		gaussdp_check_ownership(&table.population, relid);
		gaussdp_lock_population(&table.population, ShareRowExclusiveLock);
		gaussdp_check_ownership(&table.population, relid);
		gaussdp_check_last_owner(&table);
		gaussdp_warn_of_other_owners(&table);
	}
}

/* ---------------------------------------------------------------------------
 * Roles
 * ---------------------------------------------------------------------------
 */

/* Is any budget granted to that role, or to one that is gone?  Quick: the worker's first charge waits for it. */
static bool
has_open_and_gone(Oid dropped)
{
	GaussdpRows *rows = gaussdp_open_rows("ledger_account", AccessShareLock);
	bool found = false;

	gaussdp_find_rows(rows, "ledger_account_key");
	while (gaussdp_next_row(rows))
	{
		bool isnull;
		Oid role = DatumGetObjectId(gaussdp_row_value(rows->row, "role", &isnull));

		found |= OidIsValid(role) &&
				 DatumGetBool(gaussdp_row_value(rows->row, "granted", &isnull)) &&
				 (role == dropped || !SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)));
	}
	gaussdp_close_rows(rows);
	return found;
}

/* The last name of a role that is being dropped, for the one who looks at its budget later. */
static void
write_last_name(Oid role, const char *name)
{
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(role), CStringGetTextDatum(name)};

	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.ledger_account SET role_name = $2 WHERE role = $1::regrole", 2,
		types, values, NULL, false);
	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.error_count SET role_name = $2 WHERE role = $1::regrole", 2, types,
		values, NULL, false);
}

bool
gaussdp_close_roles(Oid dropped)
{
	char *name = OidIsValid(dropped) ? GetUserNameFromId(dropped, true) : NULL;
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(dropped)};
	SPITupleTable *closed;
	uint64 n;

	if (!has_open_and_gone(dropped) && name == NULL)
		return false;
	if (name != NULL)
		write_last_name(dropped, name);
	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.ledger_account SET granted = false WHERE ctid = ANY (ARRAY("
		"   SELECT ctid FROM gaussdp_internal.ledger_account AS p"
		"   WHERE granted AND role <> 0 AND (role = $1::regrole"
		"     OR NOT EXISTS (SELECT FROM pg_roles AS a WHERE a.oid = p.role))"
		"   FOR UPDATE SKIP LOCKED))"
		" RETURNING role_name, people, relation",
		1, types, values, NULL, false);
	closed = SPI_tuptable;
	n = SPI_processed;
	for (uint64 i = 0; i < n; i++)
	{
		Oid relation = DatumGetObjectId(value(closed, i, 3));
		GaussdpLedgerTable table = {.relid = relation,
									.population = gaussdp_declared_population(
										TextDatumGetCString(value(closed, i, 2)), relation)};
		GaussdpJournalEntry entry = {
			.event = "close",
			.session_role = name ? gaussdp_role_name(GetSessionUserId()) : "",
			.role = TextDatumGetCString(value(closed, i, 1)),
			.table = &table,
		};

		gaussdp_journal(&entry);
	}
	return true;
}

/* ---------------------------------------------------------------------------
 * Hooks
 * ---------------------------------------------------------------------------
 */

/* Is that relation the table of budgets, which only goes with the extension? */
static bool
is_ledger(Oid relid)
{
	Oid schema = get_namespace_oid("gaussdp_internal", true);

	return OidIsValid(schema) && relid == get_relname_relid("ledger_account", schema) &&
		   getExtensionOfObject(RelationRelationId, relid) == get_extension_oid("gaussdp", true);
}

/*
 * What is spent in a period that goes on would be forgotten, and could be spent again.  Views and functions of the
 * extension, and the table's indexes, may be gone already.
 */
static void
refuse_to_drop_charges(void)
{
	GaussdpLedgerRights caller = gaussdp_enter_ledger();
	bool stand = false;

	gaussdp_ledger_run(
		"SELECT since, every, period FROM gaussdp_internal.ledger_account"
		" WHERE (spent_mu2 > 0 OR spent_delta > 0) AND (holder = 'r' OR limit_mu2 IS NOT NULL)",
		0, NULL, NULL, NULL, true);
	for (uint64 i = 0; i < SPI_processed && !stand; i++)
	{
		Interval *every = DatumGetIntervalP(value(SPI_tuptable, i, 2));

		stand = gaussdp_period(DatumGetTimestampTz(value(SPI_tuptable, i, 1)), every) <=
				DatumGetInt64(value(SPI_tuptable, i, 3));
	}
	gaussdp_leave_ledger(caller);
	if (stand)
		ereport(ERROR,
				(errcode(ERRCODE_DEPENDENT_OBJECTS_STILL_EXIST),
				 errmsg("cannot drop the privacy budgets while charges of a running period stand"),
				 errdetail("What was spent would be forgotten, and could be spent again."),
				 errhint("A superuser may set gaussdp.allow_drop.")));
}

void
gaussdp_object_is_dropped(Oid class_id, Oid object_id, void *arg)
{
	GaussdpLedgerTable table = {.relid = object_id};
	GaussdpLedgerRights caller;
	bool is_table = class_id == RelationRelationId;
	bool is_protected;

	if (!is_table && class_id != AuthIdRelationId)
		return;
	if (is_table && !gaussdp_allow_drop && is_ledger(object_id))
		refuse_to_drop_charges();
	is_protected = is_table && gaussdp_population(object_id, &table.population);
	if (is_table && !is_protected && !was_protected(object_id, arg))
		return;
	if (is_protected && list_member_oid(gaussdp_tables_of(&table.population), object_id))
		leave_population(&table);
	if (!gaussdp_has_ledger())
		return;
	caller = gaussdp_enter_ledger();
	if (is_table)
		forget_oid(object_id);
	else
		(void) gaussdp_close_roles(object_id);
	gaussdp_leave_ledger(caller);
}

void
gaussdp_ledger_init(void)
{
	gaussdp_people_hook = change_people;
}
