/*
 * coordinator.c
 *		Declarations and budgets are made on the coordinator of a cluster of Citus.
 *
 * Each server has a ledger of its own.  Budgets that a worker kept would be spent beside those of the coordinator, on the
 * same people.  So the functions that declare and grant refuse a worker.  Labels that Citus sends there come as SECURITY
 * LABEL, which is not refused.
 *
 * Nothing here is linked to Citus: its catalog says which group of servers this one is, 0 being the coordinator's.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_namespace.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"

#include "compat.h"
#include "declaration/coordinator.h"

#define LOCAL_GROUP "pg_dist_local_group"
#define GROUP_COLUMN "groupid"
#define COORDINATOR_GROUP 0

PG_FUNCTION_INFO_V1(gaussdp_check_coordinator);

/* The one row of this catalog has the number of the server's group; false where it is not said. */
static bool
read_group(int32 *group)
{
	Oid catalog = get_relname_relid(LOCAL_GROUP, PG_CATALOG_NAMESPACE);
	AttrNumber column = OidIsValid(catalog) ? get_attnum(catalog, GROUP_COLUMN) : 0;
	Relation rel;
	SysScanDesc scan;
	HeapTuple tuple;
	bool isnull = true;

	if (column == InvalidAttrNumber || get_atttype(catalog, column) != INT4OID)
		return false;
	rel = table_open(catalog, AccessShareLock);
	scan = systable_beginscan(rel, InvalidOid, false, NULL, 0, NULL);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		*group = DatumGetInt32(heap_getattr(tuple, column, RelationGetDescr(rel), &isnull));
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return !isnull;
}

bool
gaussdp_is_coordinator(void)
{
	int32 group;

	return read_group(&group) && group == COORDINATOR_GROUP;
}

bool
gaussdp_is_worker(void)
{
	int32 group;

	return read_group(&group) && group != COORDINATOR_GROUP;
}

void
gaussdp_demand_coordinator(void)
{
	if (!gaussdp_is_worker())
		return;
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
			 errmsg("protection and budgets cannot be changed on a worker of Citus"),
			 errdetail(
				 "What is declared and what is spent is kept by the coordinator, for all servers."),
			 errhint("Connect to the coordinator.")));
}

/* gaussdp_internal.check_coordinator() */
Datum
gaussdp_check_coordinator(PG_FUNCTION_ARGS)
{
	gaussdp_demand_coordinator();
	PG_RETURN_VOID();
}
