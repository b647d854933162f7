/*
 * owners.c
 *		Who may decide about the budgets of a population: who owns all of its tables.
 *
 * Reads populations and owners from declaration/; used by admin.c and suspension.c before they change a
 * budget, and by closing.c when a table changes its population.
 *
 * Invariants
 *		What was learnt about named people outlives their tables.  So their name belongs to the owner of
 *		the last one: nobody else may take it up and reset the budgets.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "catalog/pg_seclabel.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "declaration/declaration.h"
#include "declaration/owner.h"
#include "journal.h"
#include "owners.h"
#include "rights.h"
#include "version.h"

/*
 * The lock on named people: 79 bits of the SHA-256 of their name, so that nobody finds another name with the same lock to
 * hold their budgets up with.  No catalog has such a class.
 */
static void
lock_name(const char *people, LOCKMODE mode)
{
	Datum name = CStringGetTextDatum(people);
	bytea *digest = DatumGetByteaPP(DirectFunctionCall1(sha256_bytea, name));
	struct
	{
		uint32 class;
		uint32 object;
		uint16 part;
	} key;

	memcpy(&key, VARDATA_ANY(digest), offsetof(typeof(key), part) + sizeof(key.part));
	LockDatabaseObject(key.class | 0x80000000, key.object, key.part, mode);
}

/* A standby is told here, and not by the first query of the ledger that would write. */
void
gaussdp_lock_population(const GaussdpPopulation *population, LOCKMODE mode)
{
	if (RecoveryInProgress())
		ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
						errmsg("cannot change privacy budgets during recovery"),
						errhint("Ask the primary server.")));
	if (OidIsValid(population->relation))
		LockDatabaseObject(SecLabelRelationId, population->relation, 2, mode);
	else
		lock_name(population->people, mode);
}

void
gaussdp_lock_new_account(const GaussdpPopulation *population, char holder, Oid role)
{
	Oid types[] = {TEXTOID, OIDOID, CHAROID, OIDOID};
	Datum values[] = {CStringGetTextDatum(population->people),
					  ObjectIdGetDatum(population->relation), CharGetDatum(holder),
					  ObjectIdGetDatum(role)};

	gaussdp_ledger_run("SELECT FROM gaussdp_internal.ledger_account WHERE people = $1"
					   " AND relation = $2::regclass AND holder = $3 AND role = $4::regrole",
					   4, types, values, NULL, true);
	if (SPI_processed == 0)
		gaussdp_lock_population(population, ShareUpdateExclusiveLock);
}

void
gaussdp_add_population_account(const GaussdpPopulation *population)
{
	Oid types[] = {TEXTOID, OIDOID};
	Datum values[] = {CStringGetTextDatum(population->people),
					  ObjectIdGetDatum(population->relation)};

	gaussdp_lock_new_account(population, 'p', InvalidOid);
	gaussdp_ledger_run(
		"INSERT INTO gaussdp_internal.ledger_account (people, relation, holder, role, role_name, granted)"
		" SELECT $1, $2::regclass, 'p', 0, '', true"
		" WHERE NOT EXISTS (SELECT FROM gaussdp_internal.ledger_account"
		"   WHERE people = $1 AND relation = $2::regclass AND holder = 'p')",
		2, types, values, NULL, false);
}

void
gaussdp_check_ownership(const GaussdpPopulation *population, Oid except)
{
	ListCell *cell;

	foreach (cell, gaussdp_tables_of(population))
		if (lfirst_oid(cell) != except && !gaussdp_owns_table(lfirst_oid(cell), GetUserId()))
			ereport(
				ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table %s", get_rel_name(lfirst_oid(cell))),
				 errdetail(
					 "A budget covers all tables about the same people: only who owns all of them may change it.")));
}

void
gaussdp_open_population(Oid relid, GaussdpLedgerTable *table)
{
	GaussdpPopulation locked = {0};

	gaussdp_check_version("No budget was changed.");
	table->relid = relid;
	/* A label that is being changed or dropped waits for the lock, or this for it: then the table may be another's. */
	for (;;)
	{
		if (get_rel_name(relid) == NULL)
			ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
							errmsg("relation with OID %u does not exist", relid)));
		if (!gaussdp_population(relid, &table->population))
			ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
							errmsg("table %s is not protected", get_rel_name(relid)),
							errhint("Call gaussdp.protect() first.")));
		gaussdp_check_ownership(&table->population, InvalidOid);
		if (gaussdp_same_population(&locked, &table->population))
			return;
		locked = table->population;
		gaussdp_lock_population(&locked, RowExclusiveLock);
	}
}

/* The population's own account holds the name, in role_name. */
void
gaussdp_remember_last_owner(const GaussdpLedgerTable *table)
{
	Oid types[] = {TEXTOID, TEXTOID};
	Datum values[] = {
		CStringGetTextDatum(table->population.people),
		CStringGetTextDatum(GetUserNameFromId(gaussdp_owner_of(table->relid), false))};

	gaussdp_ledger_run("UPDATE gaussdp_internal.ledger_account SET role_name = $2"
					   " WHERE people = $1 AND people <> '' AND holder = 'p'",
					   2, types, values, NULL, false);
}

void
gaussdp_check_last_owner(const GaussdpLedgerTable *table)
{
	Oid types[] = {TEXTOID};
	Datum values[] = {CStringGetTextDatum(table->population.people)};
	char *owner = NULL;
	GaussdpLedgerRights caller;

	if (superuser() || !gaussdp_has_ledger() ||
		list_delete_oid(gaussdp_tables_of(&table->population), table->relid) != NIL)
		return;
	caller = gaussdp_enter_ledger();
	gaussdp_ledger_run("SELECT role_name FROM gaussdp_internal.ledger_account AS p"
					   " WHERE people = $1 AND holder = 'p' AND role_name <> ''"
					   " AND EXISTS (SELECT FROM gaussdp_internal.ledger_account AS q"
					   "   WHERE q.people = p.people AND (q.spent_mu2 > 0 OR q.spent_delta > 0))",
					   1, types, values, NULL, false);
	if (SPI_processed > 0)
		owner = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (owner != NULL && !has_privs_of_role(caller.user, get_role_oid(owner, true)))
		ereport(
			ERROR,
			(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
			 errmsg("the people \"%s\" were those of a table of another owner",
					table->population.people),
			 errdetail(
				 "What was spent on them is remembered: only who owned their last table, or a superuser, may use the name again.")));
	gaussdp_leave_ledger(caller);
}

void
gaussdp_warn_of_other_owners(const GaussdpLedgerTable *table)
{
	Oid owner = gaussdp_owner_of(table->relid);
	ListCell *cell;

	foreach (cell, gaussdp_tables_of(&table->population))
		if (!gaussdp_owns_table(lfirst_oid(cell), owner))
		{
			ereport(WARNING,
					(errmsg("the people %s are those of table %s of another owner, too",
							OidIsValid(table->population.relation)
								? psprintf("of table %s", gaussdp_relation_name(table->relid))
								: psprintf("\"%s\"", table->population.people),
							gaussdp_relation_name(lfirst_oid(cell))),
					 errdetail("Budgets that were granted there hold for this table, too."),
					 errhidecontext(
						 true))); /* it is that of SECURITY LABEL, which nobody has written */
			return;
		}
}

void
gaussdp_warn_of_path(Oid relid)
{
	GaussdpTable table;

	if (gaussdp_table(relid, &table) && table.has_path && !table.usable)
		ereport(WARNING,
				(errmsg("no query over table %s is answered", gaussdp_relation_name(relid)),
				 errdetail("Its declaration does not hold: %s.", table.problem),
				 errhint("Mend it as gaussdp.check_policy('%s') says, and grant again.",
						 gaussdp_relation_name(relid))));
}
