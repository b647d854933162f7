/*
 * version.c
 *		The library and the extension's SQL objects belong together.
 *
 * A package puts a new library on the disk, and the server loads it at its next start; ALTER EXTENSION is somebody else's
 * work, in each database.  In between functions would read tables that are not what they think.  So the library asks for the
 * version of the objects before it charges anything, and the scripts ask for the library's.
 */
#include "postgres.h"

#include "access/genam.h"
#include "access/table.h"
#include "catalog/indexing.h"
#include "catalog/pg_extension.h"
#include "utils/builtins.h"
#include "utils/fmgroids.h"
#include "utils/inval.h"
#include "utils/rel.h"
#include "utils/syscache.h"

#include "compat.h"
#include "invalidation.h"
#include "version.h"

static bool is_checked = false;

static void
forget_relation(Datum arg, Oid relid)
{
	is_checked = false;
}

static void
forget_function(Datum arg, int cache, uint32 hash)
{
	is_checked = false;
}

/* The version of the SQL objects in this database; NULL: there are none. */
static char *
version_of_objects(void)
{
	Relation rel = table_open(ExtensionRelationId, AccessShareLock);
	ScanKeyData key;
	SysScanDesc scan;
	HeapTuple row;
	char *version = NULL;

	ScanKeyInit(&key, Anum_pg_extension_extname, BTEqualStrategyNumber, F_NAMEEQ,
				CStringGetDatum("gaussdp"));
	scan = systable_beginscan(rel, ExtensionNameIndexId, true, NULL, 1, &key);
	row = systable_getnext(scan);
	if (HeapTupleIsValid(row))
	{
		bool isnull;
		Datum value =
			heap_getattr(row, Anum_pg_extension_extversion, RelationGetDescr(rel), &isnull);

		version = TextDatumGetCString(value);
	}
	systable_endscan(scan);
	table_close(rel, AccessShareLock);
	return version;
}

static void
compare(const char *version)
{
	if (strcmp(version, GAUSSDP_VERSION) == 0)
		return;
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("the library gaussdp has version %s, and its SQL objects have version %s",
				GAUSSDP_VERSION, version),
		 errdetail("Nothing was charged and nothing was released."),
		 errhint(
			 "Restart the server where the library is new, and call ALTER EXTENSION gaussdp UPDATE.")));
}

void
gaussdp_check_version(void)
{
	static bool is_registered = false;
	char *version;

	if (is_checked)
		return;
	if (!is_registered)
	{
		gaussdp_on_relation_change(forget_relation);
		CacheRegisterSyscacheCallback(PROCOID, forget_function, (Datum) 0);
		is_registered = true;
	}
	/* What comes while the catalog is read counts already. */
	is_checked = true;
	version = version_of_objects();
	if (version == NULL || strcmp(version, GAUSSDP_VERSION) != 0)
		is_checked = false;
	if (version != NULL)
		compare(version);
}

/* gaussdp_internal.check_library(version) */
PG_FUNCTION_INFO_V1(gaussdp_check_library);
Datum
gaussdp_check_library(PG_FUNCTION_ARGS)
{
	compare(text_to_cstring(PG_GETARG_TEXT_PP(0)));
	PG_RETURN_VOID();
}
