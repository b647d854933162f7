/*
 * caches.c
 *		What a level leaves in the session's caches of the catalogs: nothing.
 *
 * What a level has looked up for the first time (how a type is sorted, an index of a TOAST table) the session would have
 * afterwards, and the pages that it reads for its next query would tell what it had.  To forget all caches closes that,
 * and the next query then reads a millisecond's worth of catalogs.  So a level gives back what it has loaded, and
 * leaves the rest:
 *
 *	- Relations, and what the access methods keep of indexes, are loaded before the first protected row: the
 *	  level's own with their TOAST tables, and all that the catalog caches are filled from.  While it runs none is new.
 *	- Entries of the catalog caches that are made while it runs are made in memory of their own, by which they are
 *	  known, and are removed.  That memory must be empty then.
 *	- Of types, the operators and functions of all that the level computes with are looked up before, where these
 *	  are simple ones.  Of others (a range, a record), what is kept of types is invalid after the level.  What is kept
 *	  of the order of enumerations is loaded anew before every level.
 *	- What is kept elsewhere of tablespaces and constraints is invalid after every level.
 *	- Messages of other sessions take entries away.  They are waited for before and after; if one has come, all
 *	  caches are forgotten.
 *
 * All caches are forgotten, too, where the level calls functions that are not PostgreSQL's own, since these may look up
 * anything, and where something is left in the memory.  The latter is not known to happen: it would tell one bit.
 */
#include "postgres.h"

#include "access/amapi.h"
#include "access/genam.h"
#include "access/nbtree.h"
#include "access/relation.h"
#include "access/table.h"
#include "access/transam.h"
#include "catalog/pg_am.h"
#include "catalog/pg_type.h"
#include "executor/nodeAgg.h"
#include "nodes/nodeFuncs.h"
#include "storage/sinval.h"
#include "utils/catcache.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/snapmgr.h"
#include "utils/sortsupport.h"
#include "utils/syscache.h"
#include "utils/typcache.h"

#include "compat.h"
#include "invalidation.h"
#include "policy/contained/contained.h"
#include "policy/exec/caches.h"
#include "policy/exec/enums.h"

/* Takes the place of CacheMemoryContext during a run; kept for the next one, unless something is left in it. */
static MemoryContext scratch = NULL;

/* Grows with each relation that changes. */
static uint64 relation_changes = 0;

/* Are all relations of the catalog caches loaded? */
static bool has_catalogs = false;

static void
note_change(Datum arg, Oid relation)
{
	relation_changes++;
	if (relation < FirstNormalObjectId)
		has_catalogs = false;
}

void
gaussdp_caches_init(void)
{
	gaussdp_on_relation_change(note_change);
}

/* ---------------------------------------------------------------------------
 * Before the first row
 * ---------------------------------------------------------------------------
 */

/* The catalog caches are linked, from the last one to the first; PostgreSQL shows the list by an entry alone. */
static slist_node *
first_cache(void)
{
	static slist_node *first = NULL;

	if (first == NULL)
	{
		CatCList *list = SearchSysCacheList1(USERMAPPINGUSERSERVER, ObjectIdGetDatum(InvalidOid));

		first = &list->my_cache->cc_next;
		ReleaseSysCacheList(list);
	}
	return first;
}

/* An index, and what its access method would look up at the first use. */
static void
load_index(Oid oid, LOCKMODE lock)
{
	Relation index = index_open(oid, lock);

	if (index->rd_rel->relkind == RELKIND_INDEX)
	{
		(void) RelationGetIndexAttOptions(index, false);
		for (AttrNumber key = 1; key <= IndexRelationGetNumberOfKeyAttributes(index); key++)
			for (uint16 n = 1; n <= index->rd_indam->amsupport; n++)
				if (n != index->rd_indam->amoptsprocnum &&
					OidIsValid(index_getprocid(index, key, n)))
					(void) index_getprocinfo(index, key, n);
		/* where its root is, which the first search of a B-tree keeps */
		if (index->rd_rel->relam == BTREE_AM_OID)
			(void) _bt_getrootheight(index);
	}
	index_close(index, lock);
}

static void
load_catalogs(void)
{
	if (has_catalogs)
		return;
	has_catalogs = true; /* until one of them changes, be it meanwhile */
	for (slist_node *node = first_cache(); node != NULL; node = node->next)
	{
		CatCache *cache = slist_container(CatCache, cc_next, node);

		InitCatCachePhase2(cache, false);
		table_close(table_open(cache->cc_reloid, AccessShareLock), AccessShareLock);
		load_index(cache->cc_indexoid, AccessShareLock);
	}
}

/* A relation that is locked, with its indexes and its TOAST table. */
static void
load_relation(Oid oid)
{
	Relation rel = relation_open(oid, NoLock);
	Oid toast = rel->rd_rel->reltoastrelid;
	List *indexes = RelationGetIndexList(rel);
	ListCell *lc;

	relation_close(rel, NoLock);
	foreach (lc, indexes)
		load_index(lfirst_oid(lc), NoLock);
	list_free(indexes);
	if (OidIsValid(toast))
		load_relation(toast);
}

static void
load_relations(const PlannedStmt *plan)
{
	ListCell *lc;

	foreach (lc, plan->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_RELATION && entry->relkind != RELKIND_VIEW)
			load_relation(entry->relid);
	}
}

static bool
is_foreign(Oid function, void *context)
{
	return function >= FirstNormalObjectId;
}

static bool
is_foreign_operator(Oid operator)
{
	return OidIsValid(operator) && is_foreign(get_opcode(operator), NULL);
}

/*
 * Does the level call a function that is neither PostgreSQL's own nor one of our aggregates?  Aggregates of
 * others are no part of a level.
 */
static bool
calls_foreign(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (gaussdp_is_contained(node))
		return calls_foreign((Node *) gaussdp_contained_parts((FuncExpr *) node), context);
	switch (nodeTag(node))
	{
		case T_Aggref:
			break;
		case T_SortGroupClause:
			if (is_foreign_operator(((SortGroupClause *) node)->eqop) ||
				is_foreign_operator(((SortGroupClause *) node)->sortop))
				return true;
			break;
		case T_MinMaxExpr:
			if (((MinMaxExpr *) node)->minmaxtype >= FirstNormalObjectId)
				return true;
			break;
		case T_Query:
			return query_tree_walker((Query *) node, calls_foreign, context, QTW_EXAMINE_SORTGROUP);
		case T_FuncExpr:
			if (is_foreign(((FuncExpr *) node)->funcid, NULL) && !gaussdp_is_at_most(node))
				return true;
			break;
		default:
			if (check_functions_in_node(node, is_foreign, NULL))
				return true;
	}
	return expression_tree_walker(node, calls_foreign, context);
}

/* Types of PostgreSQL's own whose functions look up no more of types than these and their arrays. */
static bool
is_simple_type(Oid type)
{
	switch (type)
	{
		case BOOLOID:
		case INT2OID:
		case INT4OID:
		case INT8OID:
		case OIDOID:
		case FLOAT4OID:
		case FLOAT8OID:
		case NUMERICOID:
		case TEXTOID:
		case VARCHAROID:
		case BPCHAROID:
		case BYTEAOID:
		case UUIDOID:
		case DATEOID:
		case TIMEOID:
		case TIMESTAMPOID:
		case TIMESTAMPTZOID:
		case INTERVALOID:
			return true;
		default:
			return false;
	}
}

/* All that the type's cache may be asked for.  Once it is there, this is a look at some flags. */
#define EVERYTHING                                                                                 \
	(TYPECACHE_EQ_OPR | TYPECACHE_LT_OPR | TYPECACHE_GT_OPR | TYPECACHE_CMP_PROC |                 \
	 TYPECACHE_HASH_PROC | TYPECACHE_HASH_EXTENDED_PROC | TYPECACHE_EQ_OPR_FINFO |                 \
	 TYPECACHE_CMP_PROC_FINFO | TYPECACHE_HASH_PROC_FINFO | TYPECACHE_HASH_EXTENDED_PROC_FINFO |   \
	 TYPECACHE_BTREE_OPFAMILY | TYPECACHE_HASH_OPFAMILY)

static bool load_type(Oid type);

/*
 * What a type is made of stays in its cache, whatever is forgotten afterwards: all of it is loaded, or the next one to ask would tell
 * whether a row did.
 */
static void
load_parts(Oid type)
{
	const TypeCacheEntry *cache;

	switch (get_typtype(type))
	{
		case TYPTYPE_RANGE:
			cache = lookup_type_cache(type, TYPECACHE_RANGE_INFO);
			(void) load_type(cache->rngelemtype->type_id);
			break;
		case TYPTYPE_MULTIRANGE:
			cache = lookup_type_cache(type, TYPECACHE_MULTIRANGE_INFO);
			(void) load_type(cache->rngtype->type_id);
			break;
		case TYPTYPE_DOMAIN:
			(void) lookup_type_cache(type,
									 TYPECACHE_DOMAIN_BASE_INFO | TYPECACHE_DOMAIN_CONSTR_INFO);
			(void) load_type(getBaseType(type));
			break;
		case TYPTYPE_COMPOSITE:
			(void) lookup_type_cache(type, TYPECACHE_TUPDESC);
			break;
		default:
			break;
	}
}

/* False where more may be looked up of the type, by some value of it, than is forgotten afterwards one by one. */
static bool
load_type(Oid type)
{
	Oid element = get_element_type(type);
	Oid single = OidIsValid(element) ? element : type;

	if (OidIsValid(element))
	{
		(void) lookup_type_cache(element, EVERYTHING);
		load_parts(element);
	}
	(void) lookup_type_cache(type, EVERYTHING);
	load_parts(type);
	return is_simple_type(single) || get_typtype(type) == TYPTYPE_ENUM;
}

/* A row type of our own aggregates' is looked up for the first row that is made of it; nothing compares its rows. */
static bool
load_row_type(Oid type)
{
	TupleDesc columns = lookup_rowtype_tupdesc(type, -1);

	ReleaseTupleDesc(columns);
	return true;
}

/* Loads the types of all values in the level; are there others, of which more may be looked up, or nodes that are not known here? */
static bool
load_types(Node *node, void *context)
{
	bool *others = context;

	if (node == NULL)
		return false;
	if (gaussdp_is_contained(node))
	{
		gaussdp_load_contained((FuncExpr *) node);
		return load_types((Node *) gaussdp_contained_parts((FuncExpr *) node), context);
	}
	if (gaussdp_is_alone(node))
	{
		gaussdp_load_alone((FuncExpr *) node);
		(void) load_types(gaussdp_tree_of(lsecond(((FuncExpr *) node)->args)), context);
	}
	switch (nodeTag(node))
	{
		case T_Aggref:
			*others |= !(type_is_rowtype(exprType(node)) ? load_row_type(exprType(node))
														 : load_type(exprType(node)));
			break;
		case T_Var:
		case T_Const:
		case T_Param: /* of a contained call */
		case T_WindowFunc:
		case T_FuncExpr:
		case T_OpExpr:
		case T_DistinctExpr:
		case T_NullIfExpr:
		case T_ScalarArrayOpExpr:
		case T_RelabelType:
		case T_CollateExpr:
		case T_CoerceViaIO:
		case T_CaseExpr:
		case T_CaseTestExpr:
		case T_CoalesceExpr:
		case T_MinMaxExpr:
		case T_ArrayExpr:
		case T_SubscriptingRef:
			*others |= !load_type(exprType(node));
			break;
		case T_Query:
			return query_tree_walker((Query *) node, load_types, context, 0);
		/* made of these, or of no values */
		case T_List:
		case T_TargetEntry:
		case T_FromExpr:
		case T_JoinExpr:
		case T_RangeTblRef:
		case T_RangeTblFunction:
		case T_BoolExpr:
		case T_NullTest:
		case T_BooleanTest:
		case T_CaseWhen:
		case T_GroupingFunc:
		case T_FieldSelect: /* of a row of our own aggregates' */
		case T_WindowClause:
		case T_SortGroupClause:
			break;
		default:
			*others = true;
	}
	return expression_tree_walker(node, load_types, context);
}

/* What an expression is compared by is looked up when it is first compared by it. */
static bool
load_collations(Node *node, void *context)
{
	if (node == NULL)
		return false;
	if (gaussdp_is_alone(node))
		(void) load_collations(gaussdp_tree_of(lsecond(((FuncExpr *) node)->args)), context);
	if (OidIsValid(exprInputCollation(node)))
		gaussdp_load_collation(exprInputCollation(node));
	return expression_tree_walker(node, load_collations, context);
}

/* What a plan's node computes and joins by. */
static List *
computed_by(const Plan *plan)
{
	List *computed = list_make2(plan->targetlist, plan->qual);

	if (IsA(plan, NestLoop) || IsA(plan, MergeJoin) || IsA(plan, HashJoin))
		computed = lappend(computed, ((const Join *) plan)->joinqual);
	if (IsA(plan, MergeJoin))
		computed = lappend(computed, ((const MergeJoin *) plan)->mergeclauses);
	else if (IsA(plan, HashJoin))
		computed = lappend(computed, ((const HashJoin *) plan)->hashclauses);
	else if (IsA(plan, CustomScan))
		computed = lappend(computed, ((const CustomScan *) plan)->custom_exprs);
	return computed;
}

static bool
load_node(PlanState *node, void *context)
{
	List *computed = computed_by(node->plan);
	bool others = false;

	(void) load_types((Node *) computed, &others);
	(void) load_collations((Node *) computed, NULL);
	return planstate_tree_walker(node, load_node, context);
}

static void
load_order(int n, const Oid *operators, const Oid *collations)
{
	for (int i = 0; i < n; i++)
	{
		SortSupportData comparison = {.ssup_cxt = CurrentMemoryContext,
									  .ssup_collation = collations[i]};

		PrepareSortSupportFromOrderingOp(operators[i], &comparison);
		/* by which rows are told apart that are in order already */
		(void) get_opcode(get_equality_op_for_ordering_op(operators[i], NULL));
	}
}

/* A sort looks up how it compares when it is first asked, that of a call with DISTINCT or ORDER BY when it gets its first row. */
static bool
load_sorts(PlanState *node, void *context)
{
	const Sort *sort = (const Sort *) node->plan;

	if (IsA(sort, Sort) || IsA(sort, IncrementalSort))
		load_order(sort->numCols, sort->sortOperators, sort->collations);
	else if (IsA(node, AggState))
		for (int i = 0; i < ((const AggState *) node)->numtrans; i++)
		{
			const AggStatePerTransData *call = &((const AggState *) node)->pertrans[i];

			load_order(call->numSortCols, call->sortOperators, call->sortCollations);
		}
	return planstate_tree_walker(node, load_sorts, context);
}

void
gaussdp_prepare_caches(GaussdpCaches *caches, List *computed, const QueryDesc *run)
{
	bool others = false;

	*caches = (GaussdpCaches){0};
	gaussdp_load_enums((Node *) computed);
	caches->is_watched = !calls_foreign((Node *) computed, NULL);
	if (caches->is_watched)
	{
		load_catalogs();
		/* What changes from here on may be what has been loaded: it is noticed in the end. */
		AcceptInvalidationMessages();
		caches->messages = SharedInvalidMessageCounter;
		caches->changes = relation_changes;
		caches->is_watched = has_catalogs;
	}
	/* What is looked up at a row may lack locks, buffers or memory there: all caches have it, also those that are forgotten afterwards. */
	load_relations(run->plannedstmt);
	(void) load_types((Node *) computed, &others);
	caches->has_types = !others;
	(void) load_sorts(run->planstate, NULL);
}

void
gaussdp_fill_caches(const QueryDesc *run)
{
	load_relations(run->plannedstmt);
	(void) load_node(run->planstate, NULL);
	(void) load_sorts(run->planstate, NULL);
}

void
gaussdp_watch_caches(GaussdpCaches *caches)
{
	if (!caches->is_watched)
		return;
	if (scratch != NULL && !MemoryContextIsEmpty(scratch))
		scratch = NULL; /* something keeps what is in it */
	if (scratch == NULL)
		scratch =
			GenerationContextCreate(CacheMemoryContext, "gaussdp caches", ALLOCSET_DEFAULT_SIZES);
	caches->usual = CacheMemoryContext;
	CacheMemoryContext = scratch;
}

/* ---------------------------------------------------------------------------
 * After the last row
 * ---------------------------------------------------------------------------
 */

static bool
is_new(void *chunk)
{
	return GetMemoryChunkContext(chunk) == scratch;
}

/* As CatCacheFreeKeys of PostgreSQL. */
static void
free_keys(const CatCache *cache, int nkeys, const Datum *keys)
{
	for (int i = 0; i < nkeys; i++)
		if (!TupleDescAttr(cache->cc_tupdesc, cache->cc_keyno[i] - 1)->attbyval)
			pfree(DatumGetPointer(keys[i]));
}

/* As CatCacheRemoveCList, but for members that are dead: then a message has come. */
static void
remove_lists(CatCache *cache, dlist_head *lists)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, lists)
	{
		CatCList *list = dlist_container(CatCList, cache_elem, iter.cur);

		if (!is_new(list) || list->refcount > 0)
			continue;
		for (int i = 0; i < list->n_members; i++)
			list->members[i]->c_list = NULL;
		dlist_delete(&list->cache_elem);
		free_keys(cache, list->nkeys, list->keys);
		pfree(list);
		gaussdp_count_list_removed(cache);
	}
}

/* As CatCacheRemoveCTup. */
static void
remove_tuples(CatCache *cache, dlist_head *bucket)
{
	dlist_mutable_iter iter;

	dlist_foreach_modify(iter, bucket)
	{
		CatCTup *tuple = dlist_container(CatCTup, cache_elem, iter.cur);

		if (!is_new(tuple) || tuple->refcount > 0 || tuple->c_list != NULL)
			continue;
		dlist_delete(&tuple->cache_elem);
		if (tuple->negative)
			free_keys(cache, cache->cc_nkeys, tuple->keys);
		pfree(tuple);
		cache->cc_ntup--;
	}
}

/* A cache that has grown meanwhile keeps its size, which only time can tell; its buckets move to memory that stays. */
static dlist_head *
move_buckets(dlist_head *buckets, int n)
{
	dlist_head *moved;

	if (buckets == NULL || !is_new(buckets))
		return buckets;
	moved = MemoryContextAllocZero(CacheMemoryContext, n * sizeof(dlist_head));
	for (int i = 0; i < n; i++)
		while (!dlist_is_empty(&buckets[i]))
		{
			dlist_node *last = dlist_tail_node(&buckets[i]);

			dlist_delete(last);
			dlist_push_head(&moved[i], last);
		}
	pfree(buckets);
	return moved;
}

/* Takes out of the catalog caches what is in the memory of the run.  Was nothing else in it? */
static bool
remove_new_entries(void)
{
	if (MemoryContextIsEmpty(scratch))
		return true;
	for (slist_node *node = first_cache(); node != NULL; node = node->next)
	{
		CatCache *cache = slist_container(CatCache, cc_next, node);

		for (int i = 0; i < gaussdp_count_list_buckets(cache); i++)
			remove_lists(cache, &gaussdp_list_buckets(cache)[i]);
		for (int i = 0; i < cache->cc_nbuckets; i++)
			remove_tuples(cache, &cache->cc_bucket[i]);
		cache->cc_bucket = move_buckets(cache->cc_bucket, cache->cc_nbuckets);
		gaussdp_move_list_buckets(cache, move_buckets);
	}
	return MemoryContextIsEmpty(scratch);
}

/* Have these caches been watched, from the first row to the last, and are they as they were? */
static bool
are_as_before(const GaussdpCaches *caches)
{
	return caches->is_watched && remove_new_entries() &&
		   caches->messages == SharedInvalidMessageCounter && caches->changes == relation_changes;
}

/* What is made of entries of the catalog caches: operators of types, constraints of domains, tablespaces. */
static void
invalidate_derived(const GaussdpCaches *caches)
{
	if (!caches->has_types)
		CallSyscacheCallbacks(CLAOID, 0);
	CallSyscacheCallbacks(CONSTROID, 0);
	CallSyscacheCallbacks(TABLESPACEOID, 0);
}

void
gaussdp_unwatch_caches(GaussdpCaches *caches)
{
	if (caches->usual != NULL)
		CacheMemoryContext = caches->usual;
	caches->usual = NULL;
}

bool
gaussdp_restore_caches(GaussdpCaches *caches)
{
	gaussdp_unwatch_caches(caches);
	AcceptInvalidationMessages();
	InvalidateCatalogSnapshot();
	if (!are_as_before(caches))
		return false;
	invalidate_derived(caches);
	return true;
}
