/*
 * enums.c
 *		The enumerations of a level: their labels stay, and leave nothing in caches.
 *
 * Equality compares numbers.  To order or print labels PostgreSQL looks into pg_enum: at the first value that asks, and again at
 * each label that has been added since.  The session keeps the order, which would tell whether a row has asked.  So it is loaded before,
 * always anew, by a look into the catalog that is later than the snapshot: no row has a label that is missing.  The type is locked
 * (named_objects.c).
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "ledger/ledger.h"
#include "policy/exec/enums.h"
#include "policy/exec/named_objects.h"
#include "policy/rewrite/rewrite.h"

static List *
enums_of(Node *computed)
{
	List *types = NIL;
	ListCell *lc;

	foreach (lc, gaussdp_named_objects(computed))
	{
		const ObjectAddress *object = lfirst(lc);

		if (object->classId == TypeRelationId && get_typtype(object->objectId) == TYPTYPE_ENUM)
			types = lappend_oid(types, object->objectId);
	}
	return types;
}

/* What was loaded before may lack labels that rows of the snapshot have. */
static void
load_anew(TypeCacheEntry *type)
{
	List *labels;

	if (type->enumData != NULL)
		pfree(type->enumData);
	type->enumData = NULL;
	labels = gaussdp_labels(type->type_id);
	if (list_length(labels) > 1)
		(void) compare_values_of_enum(type,
									  DatumGetObjectId(linitial_node(Const, labels)->constvalue),
									  DatumGetObjectId(lsecond_node(Const, labels)->constvalue));
}

void
gaussdp_load_enums(Node *computed)
{
	ListCell *lc;

	/* Whoever has committed a label that a row has is seen from here, also where their message has not come. */
	InvalidateCatalogSnapshot();
	foreach (lc, enums_of(computed))
		load_anew(lookup_type_cache(lfirst_oid(lc), TYPECACHE_CMP_PROC));
}
