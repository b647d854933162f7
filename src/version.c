/*
 * version.c
 *		The library and the extension's SQL objects belong together.
 *
 * A package puts a new library on the disk, and the server loads it at its next start; ALTER EXTENSION is somebody else's
 * work, in each database.  In between functions would read tables that are not what they think.  So the library asks for the
 * version of the objects before it charges anything or changes a budget, and the scripts ask for the library's.
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

static uint64 changes = 1; /* of relations and functions, of which this session has heard */
static uint64 checked = 0; /* after so many of them the versions were the same */

static void
count_relation(Datum arg, Oid relid)
{
	changes++;
}

static void
count_function(Datum arg, int cache, uint32 hash)
{
	changes++;
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

/* Are both two numbers with a point between them, and is the first version the older one? */
static bool
is_older(const char *version, const char *other)
{
	int major[2];
	int minor[2];

	return sscanf(version, "%d.%d", &major[0], &minor[0]) == 2 &&
		   sscanf(other, "%d.%d", &major[1], &minor[1]) == 2 &&
		   (major[0] < major[1] || (major[0] == major[1] && minor[0] < minor[1]));
}

/* What is wrong with objects of that version beside this library, and what mends it; NULL: nothing. */
static const char *
difference(const char *version, const char **hint)
{
	if (strcmp(version, GAUSSDP_VERSION) == 0)
		return NULL;
	*hint = is_older(version, GAUSSDP_VERSION)
				? "Call ALTER EXTENSION gaussdp UPDATE in this database."
				: psprintf("Install version %s of gaussdp and restart the server.", version);
	return psprintf("the library gaussdp has version %s, and its SQL objects have version %s",
					GAUSSDP_VERSION, version);
}

const char *
gaussdp_version_problem(const char **hint)
{
	static bool is_registered = false;
	const char *version;
	const char *problem;
	uint64 before;

	if (checked == changes)
		return NULL;
	if (!is_registered)
	{
		gaussdp_on_relation_change(count_relation);
		CacheRegisterSyscacheCallback(PROCOID, count_function, (Datum) 0);
		is_registered = true;
	}
	/* What changes while the catalog is read counts already, and an error leaves the versions unchecked. */
	before = changes;
	version = version_of_objects();
	problem = version == NULL ? NULL : difference(version, hint);
	if (version != NULL && problem == NULL)
		checked = before;
	return problem;
}

static void
refuse(const char *problem, const char *detail, const char *hint)
{
	ereport(ERROR,
			(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE), errmsg_internal("%s", problem),
			 detail == NULL ? 0 : errdetail_internal("%s", detail), errhint("%s", hint)));
}

void
gaussdp_check_version(const char *detail)
{
	const char *hint;
	const char *problem = gaussdp_version_problem(&hint);

	if (problem != NULL)
		refuse(problem, detail, hint);
}

/*
 * gaussdp_internal.check_library(version, or_newer): a script that makes the objects asks for its own version.  One that
 * updates them may be a step on the way to a newer one, to which the library belongs: until the last step is done,
 * nothing is charged.
 */
PG_FUNCTION_INFO_V1(gaussdp_check_library);
Datum
gaussdp_check_library(PG_FUNCTION_ARGS)
{
	const char *version = text_to_cstring(PG_GETARG_TEXT_PP(0));
	bool or_newer = PG_GETARG_BOOL(1);
	const char *hint;
	const char *problem = difference(version, &hint);

	if (problem != NULL && !(or_newer && is_older(version, GAUSSDP_VERSION)))
		refuse(problem, NULL, hint);
	PG_RETURN_VOID();
}
