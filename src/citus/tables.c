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
#include "nodes/nodes.h"
#include "nodes/primnodes.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/varlena.h"

#include "citus/citus.h"
#include "citus/split.h"
#include "compat.h"

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

/* A column of the catalog's row; 0 where there is no such column, or it is null. */
static Datum
column_of(Relation rel, HeapTuple tuple, const char *name)
{
	AttrNumber column = get_attnum(RelationGetRelid(rel), name);
	bool isnull;
	Datum value;

	if (column == InvalidAttrNumber)
		return (Datum) 0;
	value = heap_getattr(tuple, column, RelationGetDescr(rel), &isnull);
	return isnull ? (Datum) 0 : value;
}

/* The distribution column stands there as an expression. */
static AttrNumber
key_of(Relation rel, HeapTuple tuple)
{
	Datum printed = column_of(rel, tuple, "partkey");
	Var *key = printed == (Datum) 0 ? NULL : (Var *) stringToNode(TextDatumGetCString(printed));

	return key != NULL && IsA(key, Var) ? key->varattno : InvalidAttrNumber;
}

/* Letters of Citus' catalog. */
static GaussdpDistribution
distribution_in(Relation rel, HeapTuple tuple, AttrNumber *column, int32 *group)
{
	char method = DatumGetChar(column_of(rel, tuple, "partmethod"));
	char model = DatumGetChar(column_of(rel, tuple, "repmodel"));

	*group = DatumGetInt32(column_of(rel, tuple, "colocationid"));
	*column = key_of(rel, tuple);
	if (method == 'h' && *column > 0 && *group != 0)
		return GAUSSDP_BY_HASH;
	if (method == 'n' && model == 't' && *column == 0)
		return GAUSSDP_REFERENCE;
	if (method == 'n' && model == 's' && *column == 0 && *group == 0)
		return GAUSSDP_CITUS_LOCAL;
	return GAUSSDP_OTHERWISE;
}

GaussdpDistribution
gaussdp_distribution_of(Oid relation, AttrNumber *column, int32 *group)
{
	Oid catalog = catalog_of_distributed();
	AttrNumber relid = OidIsValid(catalog) ? get_attnum(catalog, DISTRIBUTED_COLUMN) : 0;
	GaussdpDistribution result = GAUSSDP_NOT_DISTRIBUTED;
	Oid index;
	Relation rel;
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple tuple;

	*column = InvalidAttrNumber;
	*group = 0;
	if (!OidIsValid(catalog))
		return GAUSSDP_NOT_DISTRIBUTED;
	if (relid == InvalidAttrNumber)
		return GAUSSDP_OTHERWISE; /* some other catalog of that name: nothing is known of it */
	index = get_relname_relid(DISTRIBUTED_INDEX, PG_CATALOG_NAMESPACE);
	rel = table_open(catalog, AccessShareLock);
	ScanKeyInit(&key, relid, BTEqualStrategyNumber, F_OIDEQ, ObjectIdGetDatum(relation));
	scan = systable_beginscan(rel, index, OidIsValid(index), NULL, 1, &key);
	tuple = systable_getnext(scan);
	if (HeapTupleIsValid(tuple))
		result = distribution_in(rel, tuple, column, group);
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return result;
}

bool
gaussdp_is_distributed(Oid relation)
{
	AttrNumber column;
	int32 group;

	return gaussdp_distribution_of(relation, &column, &group) != GAUSSDP_NOT_DISTRIBUTED;
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
