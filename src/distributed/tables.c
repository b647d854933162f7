/*
 * tables.c
 *		Which tables Citus distributes, and whether it is loaded in the right order.
 *
 * Reads Citus' catalog by its name, in each database anew: Citus may be there in one and not in another.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/pg_namespace.h"
#include "miscadmin.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/varlena.h"

#include "compat.h"
#include "distributed/distributed.h"
#include "distributed/split.h"

/* Citus has a row here for each table that it distributes, and keeps the catalog in PostgreSQL's own schema. */
#define DISTRIBUTED "pg_dist_partition"
#define DISTRIBUTED_INDEX "pg_dist_partition_logical_relid_index"
#define DISTRIBUTED_COLUMN "logicalrelid"

static Oid
catalog_of_distributed(void)
{
	return get_relname_relid(DISTRIBUTED, PG_CATALOG_NAMESPACE);
}

bool
gaussdp_has_distributed(void)
{
	return OidIsValid(catalog_of_distributed());
}

bool
gaussdp_is_distributed(Oid relation)
{
	Oid catalog = catalog_of_distributed();
	AttrNumber column = OidIsValid(catalog) ? get_attnum(catalog, DISTRIBUTED_COLUMN) : 0;
	Oid index;
	Relation rel;
	ScanKeyData key;
	SysScanDesc scan;
	bool found;

	if (!OidIsValid(catalog))
		return false;
	if (column == InvalidAttrNumber)
		return true; /* some other catalog of that name: nothing is known of it */
	index = get_relname_relid(DISTRIBUTED_INDEX, PG_CATALOG_NAMESPACE);
	rel = table_open(catalog, AccessShareLock);
	ScanKeyInit(&key, column, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(rel, index, OidIsValid(index), NULL, 1, &key);
	found = HeapTupleIsValid(systable_getnext(scan));
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return found;
}

/* Whether a library of a list, which may be named by a path, is this one. */
static bool
is_library(const char *entry, const char *name)
{
	const char *slash = strrchr(entry, '/');
	const char *file = slash == NULL ? entry : slash + 1;
	size_t len = strlen(name);

	return strncmp(file, name, len) == 0 && (file[len] == '\0' || strcmp(file + len, ".so") == 0);
}

/*
 * Citus plans its queries without the hooks of libraries that were loaded before it, so that no call would be split.  Nor
 * would the calls of the first query of a session that loads this library by calling one of its functions.
 */
void
gaussdp_check_load_order(void)
{
	List *libraries = NIL;
	bool seen = false;
	ListCell *lc;

	if (shared_preload_libraries_string == NULL ||
		!SplitDirectoriesString(pstrdup(shared_preload_libraries_string), ',', &libraries))
		return;
	foreach (lc, libraries)
	{
		if (is_library(lfirst(lc), "citus") &&
			(seen || !process_shared_preload_libraries_in_progress))
			ereport(ERROR,
					(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
					 errmsg("gaussdp must be loaded with the server, after citus"),
					 errdetail("Private aggregates over distributed tables are made ready before "
							   "Citus plans a query."),
					 errhint("Set shared_preload_libraries = 'citus,gaussdp' on every server.")));
		seen |= is_library(lfirst(lc), "gaussdp");
	}
}
