/*
 * population.c
 *		Who the people of a table are, who may decide about them, and how the ledger is read and written
 *		on behalf of an owner.
 *
 * Reads labels from declaration/; used by admin.c and batch.c.
 *
 * Invariants
 *		What runs with the ledger's rights finds every name and operator in pg_catalog, whatever the
 *		caller's search_path holds.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/htup_details.h"
#include "access/table.h"
#include "catalog/pg_authid.h"
#include "catalog/pg_class.h"
#include "catalog/pg_seclabel.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "declaration/declaration.h"
#include "population.h"

LedgerRights
gaussdp_enter_ledger(void)
{
	LedgerRights caller;

	GetUserIdAndSecContext(&caller.user, &caller.context);
	SetUserIdAndSecContext(BOOTSTRAP_SUPERUSERID, caller.context | SECURITY_LOCAL_USERID_CHANGE |
													  SECURITY_RESTRICTED_OPERATION);
	caller.nest_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	return caller;
}

void
gaussdp_leave_ledger(LedgerRights caller)
{
	SPI_finish();
	AtEOXact_GUC(false, caller.nest_level);
	SetUserIdAndSecContext(caller.user, caller.context);
}

void
gaussdp_ledger_run(const char *query, int nargs, Oid *types, Datum *values, const char *nulls,
				   bool read_only)
{
	int result = SPI_execute_with_args(query, nargs, types, values, nulls, read_only, 0);

	if (result < 0)
		elog(ERROR, "a query of the ledger failed: %s", SPI_result_code_string(result));
}

bool
gaussdp_population_of(Oid relid, LedgerTable *population)
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
gaussdp_tables_of(const LedgerTable *population)
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
		LedgerTable other;

		if (gaussdp_population_of(lfirst_oid(cell), &other) &&
			strcmp(other.people, population->people) == 0)
			tables = lappend_oid(tables, lfirst_oid(cell));
	}
	return tables;
}

void
gaussdp_check_ownership(const LedgerTable *population, Oid except)
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
gaussdp_open_population(Oid relid, LedgerTable *population)
{
	LockRelationOid(SecLabelRelationId, RowExclusiveLock);
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

void
gaussdp_write_act(const char *event, const LedgerTable *population, const char *role)
{
	Oid types[] = {TEXTOID, TEXTOID, TEXTOID, TEXTOID, OIDOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(event),
					  CStringGetTextDatum(GetUserNameFromId(GetSessionUserId(), true)),
					  CStringGetTextDatum(role ? role : ""),
					  CStringGetTextDatum(population->people),
					  ObjectIdGetDatum(population->relid),
					  CStringGetTextDatum(gaussdp_relation_name(population->relid))};

	gaussdp_ledger_run("INSERT INTO gaussdp.journal_entry (charge, item, at, event, session_role,"
					   " role, people, relation, relation_name)"
					   " SELECT nextval('gaussdp.journal_number'), 1, clock_timestamp(), $1, $2,"
					   " $3, $4, $5::regclass, $6",
					   6, types, values, NULL, false);
}
