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

#if PG_VERSION_NUM >= 160000
#include "nodes/queryjumble.h"
#else
#include "utils/queryjumble.h"
#endif

#include "fmgr.h"
#include "catalog/pg_class.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "nodes/nodeFuncs.h"
#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"
#include "optimizer/optimizer.h"
#include "parser/parse_node.h"
#include "parser/parse_relation.h"
#include "utils/acl.h"
#include "utils/guc_tables.h"
#include "utils/lsyscache.h"

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

/* One of PostgreSQL's own settings. */
static inline struct config_generic *
gaussdp_find_setting(const char *name)
{
#if PG_VERSION_NUM >= 160000
	return find_option(name, false, false, ERROR);
#else
	struct config_generic **settings = get_guc_variables();
	int i = 0;

	while (strcmp(settings[i]->name, name) != 0)
		i++;
	return settings[i];
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

/*
 * Would PostgreSQL let this entry pass?  permissions come from the same query or plan.  With
 * as_current_user a view on the way to the entry is left out: may the current role itself read it?
 */
static inline bool
gaussdp_entry_is_allowed(List *permissions, const RangeTblEntry *entry, bool as_current_user)
{
#if PG_VERSION_NUM >= 160000
	RTEPermissionInfo copy;

	if (entry->perminfoindex == 0)
		return true;
	copy = *getRTEPermissionInfo(permissions, unconstify(RangeTblEntry *, entry));
	if (as_current_user)
		copy.checkAsUser = InvalidOid;
	return ExecCheckPermissions(list_make1(unconstify(RangeTblEntry *, entry)), list_make1(&copy),
								false);
#else
	RangeTblEntry copy = *entry;

	if (as_current_user)
		copy.checkAsUser = InvalidOid;
	return ExecCheckRTPerms(list_make1(&copy), false);
#endif
}

/* In a shallow copy of a plan: entry number index (from 0) is checked as this role. */
static inline void
gaussdp_check_entry_as(PlannedStmt *copy, int index, Oid role)
{
	ListCell *cell = list_nth_cell(copy->rtable, index);
#if PG_VERSION_NUM >= 160000
	ListCell *info =
		list_nth_cell(copy->permInfos, lfirst_node(RangeTblEntry, cell)->perminfoindex - 1);
	RTEPermissionInfo *lifted = copyObject(lfirst_node(RTEPermissionInfo, info));

	lifted->checkAsUser = role;
	lfirst(info) = lifted;
#else
	RangeTblEntry *lifted = makeNode(RangeTblEntry);

	*lifted = *lfirst_node(RangeTblEntry, cell);
	lifted->checkAsUser = role;
	lfirst(cell) = lifted;
#endif
}

/* A copy whose range table and permissions can be changed entry by entry. */
static inline PlannedStmt *
gaussdp_shallow_copy(const PlannedStmt *plan)
{
	PlannedStmt *copy = makeNode(PlannedStmt);

	*copy = *plan;
	copy->rtable = list_copy(plan->rtable);
#if PG_VERSION_NUM >= 160000
	copy->permInfos = list_copy(plan->permInfos);
#endif
	return copy;
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

/* ---------------------------------------------------------------------------
 * ExecutorRun lost an argument in 18
 * ---------------------------------------------------------------------------
 */
#if PG_VERSION_NUM >= 180000
#define GAUSSDP_RUN_PARAMETERS QueryDesc *query, ScanDirection direction, uint64 count
#define GAUSSDP_RUN_ARGUMENTS query, direction, count
#else
#define GAUSSDP_RUN_PARAMETERS                                                                     \
	QueryDesc *query, ScanDirection direction, uint64 count, bool execute_once
#define GAUSSDP_RUN_ARGUMENTS query, direction, count, execute_once
#endif

/* ---------------------------------------------------------------------------
 * Group keys: from 18 on, grouped columns are Vars of an entry of their own
 * ---------------------------------------------------------------------------
 */

/* The expression with such Vars replaced by what they stand for. */
static inline Node *
gaussdp_group_expression(Query *query, Node *node)
{
#if PG_VERSION_NUM >= 180000
	if (query->hasGroupRTE)
		return flatten_group_exprs(NULL, query, node);
#endif
	return node;
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

/* Does the role own the table? */
static inline bool
gaussdp_owns_table(Oid table, Oid role)
{
#if PG_VERSION_NUM >= 160000
	return object_ownercheck(RelationRelationId, table, role);
#else
	return pg_class_ownercheck(table, role);
#endif
}

#endif /* GAUSSDP_COMPAT_H */
