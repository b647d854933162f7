/*
 * enums.c
 *		The enumerations of a level: their labels stay, and leave nothing in caches.
 *
 * Equality compares numbers.  To order or print labels PostgreSQL looks into pg_enum: at the first value that asks, and again at
 * each label that has been added since.
 *
 *	- If the type were dropped meanwhile, as its owner may do who need not own the table, that would fail at the rows
 *	  that ask.  So the type is locked.
 *	- The session keeps the order, which would tell whether a row has asked.  So it is loaded before, always anew, by a
 *	  look into the catalog that is later than the snapshot: no row has a label that is missing.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "nodes/nodeFuncs.h"
#include "storage/lmgr.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "policy/contained/contained.h"
#include "ledger/ledger.h"
#include "policy/exec/enums.h"
#include "policy/rewrite/rewrite.h"

static void
check_exists(Oid type)
{
	if (!SearchSysCacheExists1(TYPEOID, ObjectIdGetDatum(type)))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_OBJECT),
						errmsg("a type of the query has been dropped meanwhile"),
						errdetail_internal("%s", gaussdp_nothing_charged())));
}

/* The enumeration itself, of a domain or an array too. */
static void
add_type(List **types, Oid type)
{
	Oid element;

	check_exists(type);
	element = get_base_element_type(type);
	type = getBaseType(OidIsValid(element) ? element : type);
	if (get_typtype(type) == TYPTYPE_ENUM)
		*types = list_append_unique_oid(*types, type);
}

/* All values come from columns, constants and functions. */
static bool
collect_types(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, collect_types, context, 0);
	/* what a contained call computes is in its expression; its arguments are walked below */
	if (gaussdp_is_contained(node))
		(void) collect_types((Node *) gaussdp_contained_expression((FuncExpr *) node), context);
	if (IsA(node, Var) || IsA(node, Const) || IsA(node, FuncExpr) || IsA(node, OpExpr) ||
		IsA(node, CoerceViaIO) || IsA(node, Aggref) || IsA(node, WindowFunc))
		add_type(context, exprType(node));
	return expression_tree_walker(node, collect_types, context);
}

static List *
enums_of(Node *computed)
{
	List *types = NIL;

	(void) collect_types(computed, &types);
	return types;
}

void
gaussdp_lock_enums(Node *computed)
{
	ListCell *lc;

	foreach (lc, enums_of(computed))
	{
		LockDatabaseObject(TypeRelationId, lfirst_oid(lc), 0, AccessShareLock);
		check_exists(lfirst_oid(lc));
	}
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
