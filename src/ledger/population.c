/*
 * population.c
 *		Who the people of a table are, who may decide about them, and how the ledger is read and written
 *		on behalf of an owner.
 *
 * Reads labels from declaration/; used by admin.c and batch.c.
 *
 * Invariants
 *		A budget counts for the people for whom it was granted: when the last table of a population is
 *		dropped or leaves it, the grants are closed, so that the next owner of that name or OID finds
 *		none.  What was spent stays, as long as the population has a name.
 *		What runs with the ledger's rights finds every name and operator in pg_catalog, whatever the
 *		caller's search_path holds.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "catalog/pg_authid.h"
#include "catalog/dependency.h"
#include "catalog/pg_class.h"
#include "catalog/pg_seclabel.h"
#include "catalog/pg_type.h"
#include "commands/extension.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "declaration/declaration.h"
#include "population.h"

void
gaussdp_become_owner(int context)
{
	Oid account = get_relname_relid("ledger_account", get_namespace_oid("gaussdp_internal", false));
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(account));

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("there is no ledger")));
	SetUserIdAndSecContext(((Form_pg_class) GETSTRUCT(tuple))->relowner,
						   context | SECURITY_LOCAL_USERID_CHANGE);
	ReleaseSysCache(tuple);
}

GaussdpLedgerRights
gaussdp_enter_ledger(void)
{
	GaussdpLedgerRights caller;

	GetUserIdAndSecContext(&caller.user, &caller.context);
	gaussdp_become_owner(SECURITY_RESTRICTED_OPERATION);
	caller.nest_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	return caller;
}

void
gaussdp_leave_ledger(GaussdpLedgerRights caller)
{
	SPI_finish();
	AtEOXact_GUC(false, caller.nest_level);
	SetUserIdAndSecContext(caller.user, caller.context);
}

/*
 * The ledger is read and written as of now: a snapshot that the caller took earlier would hide budgets
 * that others have granted since, and a statement that is to close or change them would pass them over.
 */
void
gaussdp_ledger_run(const char *query, int nargs, Oid *types, Datum *values, const char *nulls,
				   bool read_only)
{
	SPIPlanPtr plan = SPI_prepare(query, nargs, types);
	Snapshot now = IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot();
	int result = SPI_result;

	if (plan != NULL)
		result = SPI_execute_snapshot(plan, values, nulls, now, InvalidSnapshot, read_only,
									  !read_only, 0);
	if (result < 0)
		elog(ERROR, "a query of the ledger failed: %s", SPI_result_code_string(result));
}

void
gaussdp_ledger_run_prepared(SPIPlanPtr *plan, const char *query, int nargs, Oid *types,
							Datum *values, const char *nulls)
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

bool
gaussdp_population_of(Oid relid, GaussdpLedgerTable *population)
{
	GaussdpTable declared;

	if (!gaussdp_table(relid, &declared))
		return false;
	population->relid = relid;
	population->relation = declared.people[0] == '\0' ? declared.relid : InvalidOid;
	memcpy(population->people, declared.people, NAMEDATALEN);
	return true;
}

/* Labels of a named population are looked through, as its tables may stand anywhere. */
List *
gaussdp_tables_of(const GaussdpLedgerTable *population)
{
	List *labelled = NIL;
	List *tables = NIL;
	Relation seclabels;
	SysScanDesc scan;
	HeapTuple tuple;
	ListCell *cell;

	if (OidIsValid(population->relation))
		return list_make1_oid(population->relation);
	seclabels = table_open(SecLabelRelationId, AccessShareLock);
	scan = systable_beginscan(seclabels, InvalidOid, false, NULL, 0, NULL);
	while (HeapTupleIsValid(tuple = systable_getnext(scan)))
	{
		FormData_pg_seclabel *label = (FormData_pg_seclabel *) GETSTRUCT(tuple);

		if (label->classoid == RelationRelationId && label->objsubid == 0)
			labelled = list_append_unique_oid(labelled, label->objoid);
	}
	systable_endscan(scan);
	table_close(seclabels, AccessShareLock);
	foreach (cell, labelled)
	{
		GaussdpLedgerTable other;

		if (gaussdp_population_of(lfirst_oid(cell), &other) &&
			strcmp(other.people, population->people) == 0)
			tables = lappend_oid(tables, lfirst_oid(cell));
	}
	return tables;
}

void
gaussdp_check_ownership(const GaussdpLedgerTable *population, Oid except)
{
	ListCell *cell;

	if (superuser())
		return;
	foreach (cell, gaussdp_tables_of(population))
		if (lfirst_oid(cell) != except && !gaussdp_owns_table(lfirst_oid(cell), GetUserId()))
			ereport(
				ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of table %s", get_rel_name(lfirst_oid(cell))),
				 errdetail("A budget covers all tables about the same people: only who owns all "
						   "of them may change it.")));
}

void
gaussdp_open_population(Oid relid, GaussdpLedgerTable *population)
{
	LockRelationOid(SecLabelRelationId, RowExclusiveLock);
	if (get_rel_name(relid) == NULL)
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE),
						errmsg("relation with OID %u does not exist", relid)));
	if (!gaussdp_population_of(relid, population))
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("table %s is not protected", get_rel_name(relid)),
						errhint("Call gaussdp.protect() first.")));
	gaussdp_check_ownership(population, InvalidOid);
}

const char *
gaussdp_relation_name(Oid relid)
{
	char *schema = get_namespace_name(get_rel_namespace(relid));
	char *name = get_rel_name(relid);

	return schema && name ? quote_qualified_identifier(schema, name) : "";
}

int64
gaussdp_period(TimestampTz since, const Interval *every)
{
	int64 length = every == NULL ? 0 : every->day * USECS_PER_DAY + every->time;

	return length > 0 ? Max(GetCurrentTimestamp() - since, 0) / length : 0;
}

void
gaussdp_write_act(const char *event, const GaussdpLedgerTable *population, const char *role,
				  const char *terms)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID, OIDOID, TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(event),
					  CStringGetTextDatum(GetUserNameFromId(GetSessionUserId(), true)),
					  CStringGetTextDatum(role ? role : ""),
					  CStringGetTextDatum(population->people),
					  ObjectIdGetDatum(population->relid),
					  CStringGetTextDatum(gaussdp_relation_name(population->relid)),
					  terms ? CStringGetTextDatum(terms) : (Datum) 0};

	gaussdp_ledger_run(
		"INSERT INTO gaussdp_internal.journal_entry (charge, item, at, event, session_role,"
		" role, people, relation, relation_name, terms)"
		" SELECT nextval('gaussdp_internal.journal_number'), 1, clock_timestamp(), $1, $2,"
		" $3, $4, $5::regclass, $6, $7",
		7, types, values, terms ? NULL : "      n", false);
	CacheInvalidateRelcacheByRelid(
		get_relname_relid("ledger_account", get_namespace_oid("gaussdp_internal", false)));
}

/* ---------------------------------------------------------------------------
 * Tables and roles come and go
 * ---------------------------------------------------------------------------
 */

/* Is the ledger in this database, and the extension's own?  Else nothing may be written as its owner. */
static bool
has_ledger(void)
{
	Oid extension = get_extension_oid("gaussdp", true);
	Oid schema = get_namespace_oid("gaussdp_internal", true);
	const char *const names[] = {"ledger_account", "journal_entry", "journal_number",
								 "error_count"};

	if (!OidIsValid(extension) || !OidIsValid(schema))
		return false;
	for (size_t i = 0; i < lengthof(names); i++)
	{
		Oid relid = get_relname_relid(names[i], schema);

		if (!OidIsValid(relid) || getExtensionOfObject(RelationRelationId, relid) != extension)
			return false;
	}
	return true;
}

/* Closes the grants of a population that loses its last table. */
static void
close_grants(const GaussdpLedgerTable *population)
{
	Oid types[] = {TEXTOID, OIDOID, TEXTOID, OIDOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(population->people),
					  ObjectIdGetDatum(population->relation),
					  CStringGetTextDatum(GetUserNameFromId(GetSessionUserId(), true)),
					  ObjectIdGetDatum(population->relid),
					  CStringGetTextDatum(gaussdp_relation_name(population->relid))};

	gaussdp_ledger_run(
		"WITH closed AS (UPDATE gaussdp_internal.ledger_account SET granted = false"
		"   WHERE people = $1 AND relation = $2::regclass AND holder = 'r'"
		"   AND granted RETURNING role_name)"
		" INSERT INTO gaussdp_internal.journal_entry (charge, item, at, event, session_role,"
		" role, people, relation, relation_name)"
		" SELECT nextval('gaussdp_internal.journal_number'), 1, clock_timestamp(), 'close',"
		" $3, role_name, $1, $4::regclass, $5 FROM closed",
		5, types, values, NULL, false);
}

static Oid
owner_of(Oid relid)
{
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(relid));
	Oid owner = ((Form_pg_class) GETSTRUCT(tuple))->relowner;

	ReleaseSysCache(tuple);
	return owner;
}

/* What was learnt about named people outlives their tables: it belongs to the owner of the last one. */
static void
leave_heir(const GaussdpLedgerTable *population)
{
	Oid types[] = {TEXTOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(population->people),
					  CStringGetTextDatum(GetUserNameFromId(owner_of(population->relid), false))};

	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.ledger_account SET role_name = $2 WHERE people = $1 AND people <> ''"
		" AND holder = 'p'",
		2, types, values, NULL, false);
}

/* Nobody else may take up the name of people of whom something was learnt, and reset their budgets. */
static void
check_heir(const GaussdpLedgerTable *population, Oid except)
{
	Oid types[] = {TEXTOID};
	Datum values[] = {CStringGetTextDatum(population->people)};
	char *heir = NULL;
	GaussdpLedgerRights caller;

	if (superuser() || !has_ledger() ||
		list_delete_oid(gaussdp_tables_of(population), except) != NIL)
		return;
	caller = gaussdp_enter_ledger();
	gaussdp_ledger_run(
		"SELECT role_name FROM gaussdp_internal.ledger_account AS p"
		" WHERE people = $1 AND holder = 'p' AND role_name <> ''"
		" AND EXISTS (SELECT FROM gaussdp_internal.ledger_account AS q WHERE q.people = p.people"
		"   AND (q.spent_mu2 > 0 OR q.spent_delta > 0))",
		1, types, values, NULL, false);
	if (SPI_processed > 0)
		heir = SPI_getvalue(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, 1);
	if (heir != NULL && !has_privs_of_role(caller.user, get_role_oid(heir, true)))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("the people \"%s\" were those of a table of another owner",
							   population->people),
						errdetail("What was spent on them is remembered: only who owned their last "
								  "table, or a superuser, may use the name again.")));
	gaussdp_leave_ledger(caller);
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
	gaussdp_ledger_run("UPDATE gaussdp_internal.journal_entry SET relation = '-' WHERE relation = "
					   "$1::regclass",
					   1, types, values, NULL, false);
}

/* An unprotected table keeps an account of its own: DROP finds by it that the ledger knows the OID. */
static void
remember_oid(Oid relid)
{
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(relid)};
	GaussdpLedgerRights caller;

	if (!has_ledger())
		return;
	caller = gaussdp_enter_ledger();
	gaussdp_ledger_run(
		"INSERT INTO gaussdp_internal.ledger_account (people, relation, holder, role, role_name, granted)"
		" VALUES ('', $1::regclass, 'p', 0, '', true) ON CONFLICT DO NOTHING",
		1, types, values, NULL, false);
	gaussdp_leave_ledger(caller);
}

/* May the ledger know a table that is not protected now?  Not what a rewritten table is dropped with. */
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
		get_rel_namespace(relid) == get_namespace_oid("gaussdp_internal", true) || !has_ledger())
		return false;
	caller = gaussdp_enter_ledger();
	gaussdp_ledger_run(
		"SELECT FROM gaussdp_internal.ledger_account WHERE people = '' AND relation = $1::regclass LIMIT 1",
		1, types, values, NULL, true);
	found = SPI_processed > 0;
	gaussdp_leave_ledger(caller);
	return found;
}

/* A labelled table leaves its population, which is closed if it was the last. */
static void
leave_population(const GaussdpLedgerTable *population)
{
	GaussdpLedgerRights caller;

	LockRelationOid(SecLabelRelationId, ShareRowExclusiveLock);
	if (!has_ledger() || list_delete_oid(gaussdp_tables_of(population), population->relid) != NIL)
		return;
	caller = gaussdp_enter_ledger();
	close_grants(population);
	leave_heir(population);
	gaussdp_leave_ledger(caller);
}

/* A superuser may join tables of several owners, but shall know that each brings its grants along. */
static void
warn_of_strangers(const GaussdpLedgerTable *population)
{
	Oid owner = owner_of(population->relid);
	ListCell *cell;

	foreach (cell, gaussdp_tables_of(population))
		if (!gaussdp_owns_table(lfirst_oid(cell), owner))
		{
			ereport(WARNING,
					(errmsg("the people \"%s\" are those of table %s of another owner, too",
							population->people, gaussdp_relation_name(lfirst_oid(cell))),
					 errdetail("Budgets that were granted there hold for this table, too.")));
			return;
		}
}

/* A table's label changes, see declaration.h.  To join others needs the right to change their budgets. */
static void
change_people(Oid relid, const char *from, const char *to)
{
	GaussdpLedgerTable population = {.relid = relid};

	if (from != NULL && to != NULL && strcmp(from, to) == 0)
		return;
	if (from != NULL)
	{
		gaussdp_population_of(relid, &population);
		leave_population(&population);
		if (to == NULL)
			remember_oid(relid);
	}
	if (to != NULL && to[0] != '\0')
	{
		LockRelationOid(SecLabelRelationId, ShareRowExclusiveLock);
		population.relation = InvalidOid;
		strlcpy(population.people, to, NAMEDATALEN);
		gaussdp_check_ownership(&population, relid);
		check_heir(&population, relid);
		warn_of_strangers(&population);
	}
}

/* Is any budget granted to that role, or to one that is gone?  Quick: the worker's first charge waits for it. */
static bool
has_open_and_gone(Oid dropped)
{
	gaussdp_ledger_run(
		"SELECT role FROM gaussdp_internal.ledger_account WHERE granted AND role <> 0", 0, NULL,
		NULL, NULL, true);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Oid role = DatumGetObjectId(
			SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));

		if (role == dropped || !SearchSysCacheExists1(AUTHOID, ObjectIdGetDatum(role)))
			return true;
	}
	return false;
}

bool
gaussdp_close_roles(Oid dropped)
{
	char *name = OidIsValid(dropped) ? GetUserNameFromId(dropped, true) : NULL;
	Oid types[] = {OIDOID, TEXTOID};
	Datum values[] = {ObjectIdGetDatum(dropped), CStringGetTextDatum(name ? name : "")};

	if (!has_open_and_gone(dropped) && name == NULL)
		return false;
	if (name != NULL)
	{
		gaussdp_ledger_run(
			"UPDATE gaussdp_internal.ledger_account SET role_name = $2 WHERE role = $1::regrole", 2,
			types, values, NULL, false);
		gaussdp_ledger_run(
			"UPDATE gaussdp_internal.error_count SET role_name = $2 WHERE role = $1::regrole", 2,
			types, values, NULL, false);
	}
	values[1] = CStringGetTextDatum(name ? GetUserNameFromId(GetSessionUserId(), true) : "");
	gaussdp_ledger_run(
		"WITH closed AS (UPDATE gaussdp_internal.ledger_account SET granted = false WHERE ctid = ANY (ARRAY("
		"   SELECT ctid FROM gaussdp_internal.ledger_account AS p WHERE granted AND role <> 0 AND (role = "
		"$1::regrole"
		"   OR NOT EXISTS (SELECT FROM pg_roles AS a WHERE a.oid = p.role))"
		"   FOR UPDATE SKIP LOCKED)) RETURNING role_name, people, relation)"
		" INSERT INTO gaussdp_internal.journal_entry (charge, item, at, event, session_role,"
		" role, people, relation, relation_name)"
		" SELECT nextval('gaussdp_internal.journal_number'), 1, clock_timestamp(), 'close',"
		" $2, role_name, people, relation,"
		"   coalesce((SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class AS c"
		"     JOIN pg_namespace AS n ON n.oid = relnamespace WHERE c.oid = relation), '')"
		" FROM closed",
		2, types, values, NULL, false);
	return true;
}

void
gaussdp_object_is_dropped(Oid class_id, Oid object_id, void *arg)
{
	GaussdpLedgerTable population;
	GaussdpLedgerRights caller;
	bool is_table = class_id == RelationRelationId;
	bool is_protected;

	if (!is_table && class_id != AuthIdRelationId)
		return;
	is_protected = is_table && gaussdp_population_of(object_id, &population);
	if (is_table && !is_protected && !was_protected(object_id, arg))
		return;
	if (is_protected && list_member_oid(gaussdp_tables_of(&population), object_id))
		leave_population(&population);
	if (!has_ledger())
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
