/*
 * compat.h
 *		The only file that names PG_VERSION_NUM: differences between PostgreSQL majors.
 *
 * Written for 15 to 18. A major that is not listed here does not build: whoever adds one has
 * read its release notes for changes in hooks, node types and permission checks first.
 */
#ifndef GAUSSDP_COMPAT_H
#define GAUSSDP_COMPAT_H

#include "postgres.h"

#if PG_VERSION_NUM < 150000 || PG_VERSION_NUM >= 190000
#error "gaussdp supports PostgreSQL 15 to 18"
#endif

/* By it lists that differ from major to major say which of their lines are this one's. */
#define GAUSSDP_MAJOR (PG_VERSION_NUM / 10000)

/* The access to varlena headers left postgres.h in 16. */
#if PG_VERSION_NUM >= 160000
#include "varatt.h"
#endif

/* 18 has the C23 form of the attribute, before the declaration, and that one alone. */
#if PG_VERSION_NUM < 180000
#define pg_noreturn pg_attribute_noreturn()
#endif

/* 15.0 still had the old name. */
#if PG_VERSION_NUM < 150001
#define InitMaterializedSRF SetSingleFuncCall
#endif

#include "fmgr.h"
#include "miscadmin.h"
#if PG_VERSION_NUM >= 180000
#include "commands/explain_format.h"
#include "commands/explain_state.h"
#endif
#include "catalog/pg_class.h"
#include "catalog/pg_collation.h"
#include "catalog/pg_proc.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "storage/proc.h"
#include "utils/acl.h"
#include "utils/catcache.h"
#include "utils/lsyscache.h"
#include "utils/tuplesort.h"
#include "utils/wait_event.h"

/*
 * The library hides its symbols; from 16 on these macros name those that the server looks up.  So every file
 * that has an SQL-callable function includes this header.
 */
#if PG_VERSION_NUM < 160000
#undef PGDLLEXPORT
#define PGDLLEXPORT __attribute__((visibility("default")))
#undef PG_FUNCTION_INFO_V1
#define PG_FUNCTION_INFO_V1(funcname)                                                              \
	extern PGDLLEXPORT Datum funcname(PG_FUNCTION_ARGS);                                           \
	extern PGDLLEXPORT const Pg_finfo_record *CppConcat(pg_finfo_, funcname)(void);                \
	const Pg_finfo_record *CppConcat(pg_finfo_, funcname)(void)                                    \
	{                                                                                              \
		static const Pg_finfo_record my_finfo = {1};                                               \
		return &my_finfo;                                                                          \
	}                                                                                              \
	extern int no_such_variable
#endif

/* Renamed in 16. */
#if PG_VERSION_NUM < 160000
#define gaussdp_debug_parallel force_parallel_mode
#define GAUSSDP_DEBUG_PARALLEL_OFF FORCE_PARALLEL_OFF
#else
#define gaussdp_debug_parallel debug_parallel_query
#define GAUSSDP_DEBUG_PARALLEL_OFF DEBUG_PARALLEL_OFF
#endif

/* As what an operator compares, by the families of operators that it is in.  Renamed in 18. */
#if PG_VERSION_NUM >= 180000
#define gaussdp_comparisons_of(opno) get_op_index_interpretation(opno)
#else
#define gaussdp_comparisons_of(opno) get_op_btree_interpretation(opno)
#endif

/* 18 shows an extension's name and version in pg_get_loaded_modules(). */
#if PG_VERSION_NUM >= 180000
#define GAUSSDP_MODULE_MAGIC PG_MODULE_MAGIC_EXT(.name = "gaussdp", .version = GAUSSDP_VERSION)
#else
#define GAUSSDP_MODULE_MAGIC PG_MODULE_MAGIC
#endif

/* Is the session about to be ended by transaction_timeout, which 17 has brought? */
static inline bool
gaussdp_transaction_is_timed_out(void)
{
#if PG_VERSION_NUM >= 170000
	return TransactionTimeoutPending && TransactionTimeout > 0;
#else
	return false;
#endif
}

/* All settings, a macro: who uses it includes the header that says what one is. */
#if PG_VERSION_NUM >= 160000
#define gaussdp_all_settings(n) get_guc_variables(n)
#else
#define gaussdp_all_settings(n) (*(n) = GetNumConfigOptions(), get_guc_variables())
#endif

/* A wait event of this name, for pg_stat_activity: extensions have had names of their own since 17. */
static inline uint32
gaussdp_new_wait_event(const char *name)
{
#if PG_VERSION_NUM >= 170000
	return WaitEventExtensionNew(name);
#else
	return PG_WAIT_EXTENSION;
#endif
}

/* ---------------------------------------------------------------------------
 * Permissions of range-table entries: in the entry (15), in an RTEPermissionInfo (16 on)
 * ---------------------------------------------------------------------------
 */

/* Is the entry checked at all?  Children of a partitioned table are not. */
static inline bool
gaussdp_entry_is_checked(const RangeTblEntry *entry)
{
#if PG_VERSION_NUM >= 160000
	return entry->perminfoindex != 0;
#else
	return entry->requiredPerms != 0;
#endif
}

#if PG_VERSION_NUM >= 160000
#define gaussdp_query_permissions(query) ((query)->rteperminfos)
#define gaussdp_plan_permissions(plan) ((plan)->permInfos)
#else
#define gaussdp_query_permissions(query) NIL
#define gaussdp_plan_permissions(plan) NIL
#endif

/* What an entry asks for: requiredPerms, checkAsUser, selectedCols, insertedCols, updatedCols of relid. */
#if PG_VERSION_NUM >= 160000
typedef RTEPermissionInfo GaussdpPermissions;
#else
typedef RangeTblEntry GaussdpPermissions;
#endif

/* permissions come from the same query or plan; NULL where the entry is not checked. */
static inline const GaussdpPermissions *
gaussdp_permissions_of(List *permissions, const RangeTblEntry *entry)
{
	if (!gaussdp_entry_is_checked(entry))
		return NULL;
#if PG_VERSION_NUM >= 160000
	return getRTEPermissionInfo(permissions, unconstify(RangeTblEntry *, entry));
#else
	return entry;
#endif
}

/* The entry, of this query, is checked as this role. */
static inline void
gaussdp_check_entry_as(Query *query, RangeTblEntry *entry, Oid role)
{
#if PG_VERSION_NUM >= 160000
	getRTEPermissionInfo(query->rteperminfos, entry)->checkAsUser = role;
#else
	entry->checkAsUser = role;
#endif
}

/* All entries of the query whose permissions would be the current role's, whoever that is when it starts. */
static inline void
gaussdp_check_rest_as(Query *query, Oid role)
{
	ListCell *lc;

#if PG_VERSION_NUM >= 160000
	foreach (lc, query->rteperminfos)
		if (!OidIsValid(lfirst_node(RTEPermissionInfo, lc)->checkAsUser))
			lfirst_node(RTEPermissionInfo, lc)->checkAsUser = role;
#else
	foreach (lc, query->rtable)
		if (!OidIsValid(lfirst_node(RangeTblEntry, lc)->checkAsUser))
			lfirst_node(RangeTblEntry, lc)->checkAsUser = role;
#endif
}

/* The next value of a sort, a copy. */
static inline bool
gaussdp_next_datum(Tuplesortstate *sort, Datum *value, bool *isnull)
{
#if PG_VERSION_NUM >= 160000
	return tuplesort_getdatum(sort, true, true, value, isnull, NULL);
#else
	return tuplesort_getdatum(sort, true, value, isnull, NULL);
#endif
}

static inline bool
gaussdp_may_execute(Oid function, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_aclcheck(ProcedureRelationId, function, role, ACL_EXECUTE) == ACLCHECK_OK;
#else
	return pg_proc_aclcheck(function, role, ACL_EXECUTE) == ACLCHECK_OK;
#endif
}

/* The entry is read by nobody: no permission is asked for. */
static inline void
gaussdp_leave_unchecked(RangeTblEntry *entry)
{
#if PG_VERSION_NUM >= 160000
	entry->perminfoindex = 0;
#else
	entry->requiredPerms = 0;
#endif
}

/* All entries of a query have become another's: so do their permissions; from NULL: there are none. */
static inline void
gaussdp_take_permissions(Query *to, const Query *from)
{
#if PG_VERSION_NUM >= 160000
	to->rteperminfos = from != NULL ? from->rteperminfos : NIL;
#endif
}

/* The entry has moved from one query's range table to another's: so do its permissions. */
static inline void
gaussdp_move_permissions(const Query *from, Query *to, RangeTblEntry *entry)
{
#if PG_VERSION_NUM >= 160000
	RTEPermissionInfo *info;

	if (entry->perminfoindex == 0)
		return;
	info = copyObject(getRTEPermissionInfo(from->rteperminfos, entry));
	to->rteperminfos = list_make1(info);
	entry->perminfoindex = 1;
#endif
}

/*
 * The entries of a query become those of another one, behind its own; numbers are adjusted before.  A macro,
 * like gaussdp_seen_above: who uses it includes rewriteManip.h, whose names not all files can bear.
 */
#if PG_VERSION_NUM >= 160000
#define gaussdp_combine_range_tables(to, from)                                                     \
	CombineRangeTables(&(to)->rtable, &(to)->rteperminfos, (from)->rtable, (from)->rteperminfos)
#else
#define gaussdp_combine_range_tables(to, from)                                                     \
	((to)->rtable = list_concat((to)->rtable, (from)->rtable))
#endif

/* Lets the parser's functions add entries to a query's range table. */
static inline void
gaussdp_lend_entries(ParseState *pstate, const Query *query)
{
	pstate->p_rtable = query->rtable;
#if PG_VERSION_NUM >= 160000
	pstate->p_rteperminfos = query->rteperminfos;
#endif
}

static inline void
gaussdp_return_entries(const ParseState *pstate, Query *query)
{
	query->rtable = pstate->p_rtable;
#if PG_VERSION_NUM >= 160000
	query->rteperminfos = pstate->p_rteperminfos;
#endif
}

#if PG_VERSION_NUM >= 160000
#define gaussdp_parse_permissions(pstate) ((pstate)->p_rteperminfos)
#else
#define gaussdp_parse_permissions(pstate) NIL
#endif

/* ---------------------------------------------------------------------------
 * Joins: from 16 on, a Var says which outer joins may make it NULL
 * ---------------------------------------------------------------------------
 */

/* The tree with the alias columns of joins replaced by what they stand for. */
static inline Node *
gaussdp_flatten_joins(Query *query, Node *node)
{
#if PG_VERSION_NUM >= 160000
	return flatten_join_alias_vars(NULL, query, node);
#else
	return flatten_join_alias_vars(query, node);
#endif
}

/* A column of an entry as it is seen above outer joins, with these indexes, which may make it NULL. */
static inline Var *
gaussdp_make_nullable_var(Index rti, Oid relation, AttrNumber column, const Bitmapset *joins)
{
	Oid type;
	int32 typmod;
	Oid collation;
	Var *var;

	get_atttypetypmodcoll(relation, column, &type, &typmod, &collation);
	var = makeVar(rti, column, type, typmod, collation, 0);
#if PG_VERSION_NUM >= 160000
	var->varnullingrels = bms_copy(joins);
#endif
	return var;
}

/* How an operator orders: a strategy number of B-trees, or since 18 a word for it. */
#if PG_VERSION_NUM >= 180000
typedef CompareType GaussdpOrder;
#else
typedef int16 GaussdpOrder;
#endif

/* The same for a column of a sub-select, which is this expression there. */
static inline Var *
gaussdp_make_nullable_column(Index rti, AttrNumber column, const Node *expr, const Bitmapset *joins)
{
	Var *var = makeVar(rti, column, exprType(expr), exprTypmod(expr), exprCollation(expr), 0);

#if PG_VERSION_NUM >= 160000
	var->varnullingrels = bms_copy(joins);
#endif
	return var;
}

/* A copied expression of entry rti's columns, in the place of a Var that outer joins may make NULL. */
#if PG_VERSION_NUM >= 160000
#define gaussdp_seen_above(expression, rti, var)                                                   \
	(bms_is_empty((var)->varnullingrels)                                                           \
		 ? (expression)                                                                            \
		 : add_nulling_relids(expression, bms_make_singleton(rti), (var)->varnullingrels))
#else
#define gaussdp_seen_above(expression, rti, var) (expression)
#endif

#if PG_VERSION_NUM >= 160000
typedef struct GaussdpNullable
{
	const Bitmapset *relations;
	Index join;
} GaussdpNullable;

static inline bool
gaussdp_make_nullable_walker(Node *node, void *context)
{
	const GaussdpNullable *nullable = context;
	Var *var = (Var *) node;

	if (node == NULL)
		return false;
	if (IsA(node, Var) && var->varlevelsup == 0 && bms_is_member(var->varno, nullable->relations))
		var->varnullingrels = bms_add_member(bms_copy(var->varnullingrels), nullable->join);
	return expression_tree_walker(node, gaussdp_make_nullable_walker, context);
}
#endif

/* Columns of these relations in the tree are now seen above this outer join; in place. */
static inline void
gaussdp_make_nullable(Node *node, const Bitmapset *relations, Index join)
{
#if PG_VERSION_NUM >= 160000
	GaussdpNullable nullable = {relations, join};

	(void) gaussdp_make_nullable_walker(node, &nullable);
#endif
}

/* Columns in the tree are no longer seen above these outer joins, which are inner ones now: a macro, as above. */
#if PG_VERSION_NUM >= 160000
#define gaussdp_remove_nulling(node, joins) remove_nulling_relids(node, joins, NULL)
#else
#define gaussdp_remove_nulling(node, joins) (node)
#endif

/* ---------------------------------------------------------------------------
 * Functions of the executor and the parser that have other arguments in 18
 * ---------------------------------------------------------------------------
 */

/* Runs a query that has been started, to its last row. */
static inline void
gaussdp_run_to_end(QueryDesc *query)
{
#if PG_VERSION_NUM >= 180000
	standard_ExecutorRun(query, ForwardScanDirection, 0);
#else
	standard_ExecutorRun(query, ForwardScanDirection, 0, true);
#endif
}

/* Takes a lock that nobody else can have; false: the lock table is full. */
static inline bool
gaussdp_try_lock(const LOCKTAG *tag, LOCKMODE mode)
{
#if PG_VERSION_NUM >= 180000
	return LockAcquireExtended(tag, mode, false, true, false, NULL, false) != LOCKACQUIRE_NOT_AVAIL;
#else
	return LockAcquireExtended(tag, mode, false, true, false, NULL) != LOCKACQUIRE_NOT_AVAIL;
#endif
}

/* Names and Vars of all columns of an entry that is the first of its query; dropped ones are NULL. */
static inline void
gaussdp_expand_entry(RangeTblEntry *entry, List **names, List **columns)
{
#if PG_VERSION_NUM >= 180000
	expandRTE(entry, 1, 0, VAR_RETURNING_DEFAULT, -1, true, names, columns);
#else
	expandRTE(entry, 1, 0, -1, true, names, columns);
#endif
}

/* ---------------------------------------------------------------------------
 * Group keys: from 18 on, grouped columns are Vars of an entry of their own
 * ---------------------------------------------------------------------------
 */

/* Writes such Vars out as what they stand for, for good. */
static inline void
gaussdp_flatten_groups(Query *query)
{
#if PG_VERSION_NUM >= 180000
	ListCell *lc;

	if (!query->hasGroupRTE)
		return;
	query->targetList = (List *) flatten_group_exprs(NULL, query, (Node *) query->targetList);
	query->havingQual = flatten_group_exprs(NULL, query, query->havingQual);
	query->hasGroupRTE = false;
	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_GROUP)
		{
			entry->rtekind = RTE_RESULT;
			entry->groupexprs = NIL;
		}
	}
#endif
}

/* What column attno of the entry stands for, where it is such an entry; else NULL. */
static inline Node *
gaussdp_grouped_column(const RangeTblEntry *entry, AttrNumber attno)
{
#if PG_VERSION_NUM >= 180000
	if (entry->rtekind == RTE_GROUP)
		return list_nth(entry->groupexprs, attno - 1);
#endif
	return NULL;
}

/* Replaces what such Vars stand for. */
static inline void
gaussdp_mutate_groups(Query *query, Node *(*mutator)(Node *, void *), void *context)
{
#if PG_VERSION_NUM >= 180000
	ListCell *lc;

	foreach (lc, query->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_GROUP)
			entry->groupexprs = (List *) mutator((Node *) entry->groupexprs, context);
	}
#else
	(void) query;
	(void) mutator;
	(void) context;
#endif
}

/* Is there no NULL in any row of this column?  From 18 on, old rows of a NOT VALID constraint may have one. */
static inline bool
gaussdp_column_is_not_null(TupleDesc desc, AttrNumber attno)
{
#if PG_VERSION_NUM >= 180000
	return TupleDescCompactAttr(desc, attno - 1)->attnullability == ATTNULLABLE_VALID;
#else
	return TupleDescAttr(desc, attno - 1)->attnotnull;
#endif
}

/* Does the Var say nothing of old or new rows?  RETURNING can name these from 18 on. */
static inline bool
gaussdp_var_is_current(const Var *var)
{
#if PG_VERSION_NUM >= 180000
	return var->varreturningtype == VAR_RETURNING_DEFAULT;
#else
	return true;
#endif
}

/* Lists of a catalog cache: one of them all, from 17 on in buckets and counted. */
static inline int
gaussdp_count_list_buckets(const CatCache *cache)
{
#if PG_VERSION_NUM >= 170000
	return cache->cc_nlbuckets;
#else
	return 1;
#endif
}

static inline dlist_head *
gaussdp_list_buckets(CatCache *cache)
{
#if PG_VERSION_NUM >= 170000
	return cache->cc_lbucket;
#else
	return &cache->cc_lists;
#endif
}

static inline void
gaussdp_count_list_removed(CatCache *cache)
{
#if PG_VERSION_NUM >= 170000
	cache->cc_nlist--;
#endif
}

static inline void
gaussdp_move_list_buckets(CatCache *cache, dlist_head *(*move)(dlist_head *, int) )
{
#if PG_VERSION_NUM >= 170000
	cache->cc_lbucket = move(cache->cc_lbucket, cache->cc_nlbuckets);
#endif
}

struct pg_locale_struct;

/*
 * Lets the session know all of a collation that it looks up at the first use.  PostgreSQL's header of these functions
 * is not included: where the server is built with ICU it needs ICU's headers, which may not be there.
 */
static inline void
gaussdp_load_collation(Oid collation)
{
	extern struct pg_locale_struct *pg_newlocale_from_collation(Oid collid);
#if PG_VERSION_NUM < 180000
	extern bool lc_collate_is_c(Oid collid);
	extern bool lc_ctype_is_c(Oid collid);

	(void) lc_collate_is_c(collation);
	(void) lc_ctype_is_c(collation);
#endif
	(void) pg_newlocale_from_collation(collation);
}

/* Are letters those of ASCII by this collation, whatever the locale?  18 tells it by structures of that header alone. */
static inline bool
gaussdp_has_c_letters(Oid collation)
{
#if PG_VERSION_NUM < 180000
	extern bool lc_ctype_is_c(Oid collid);

	return OidIsValid(collation) && lc_ctype_is_c(collation);
#else
	/* 951 is POSIX, which has no name in 18's headers. */
	return collation == C_COLLATION_OID || collation == 951;
#endif
}

#endif /* GAUSSDP_COMPAT_H */
