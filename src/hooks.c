/*
 * hooks.c
 *		Every hook of PostgreSQL that the library takes: saved, chained and ordered here alone.
 *
 * Planning a query, in this order:
 *
 *		unknown		what lock_down has closed is shown as unknown						(policy/rewrite/unknown.c)
 *		plain		own aggregates over protected tables become private calls		(policy/rewrite/plain.c)
 *		numbers		calls without epsilon and delta get those of settings or grants	(policy/rewrite/numbers.c)
 *		bounds		calls without bounds get those declared, or find them privately	(aggregate/bounds.c)
 *		prove		levels over protected tables are proven and cut out				(policy/policy.c)
 *		split		calls over tables that Citus distributes become sums that it can split	(citus/split.c)
 *		fuse		sums and counts of a shard's points become aggregates of one state		(citus/fuse.c)
 *		pack		constant parameters of the calls that are left become one		(aggregate/pack.c)
 *		plan		the next library's hook, or PostgreSQL; parts of a level without statistics	(citus/gate.c)
 *		finish		what planning has put in is looked at							(policy/policy.c)
 *
 * Levels are planned without other libraries' hooks (policy/exec/plan_alone.c).
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
#include "executor/executor.h"
#include "miscadmin.h"
#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "storage/ipc.h"
#include "utils/guc.h"
#include "utils/selfuncs.h"

#include "aggregate/bounds.h"
#include "aggregate/pack.h"
#include "citus/citus.h"
#include "hooks.h"
#include "ledger/ledger.h"
#include "policy/exec/exec.h"
#include "policy/policy.h"
#include "policy/rewrite/rewrite.h"
#include "settings.h"

static planner_hook_type prev_planner;
static set_rel_pathlist_hook_type prev_set_rel_pathlist;
static get_relation_stats_hook_type prev_get_relation_stats;
static get_relation_info_hook_type prev_get_relation_info;
static object_access_hook_type prev_object_access;
static ExecutorStart_hook_type prev_executor_start;
static shmem_request_hook_type prev_shmem_request;
static shmem_startup_hook_type prev_shmem_startup;

static PlannedStmt *
plan_by_next(Query *query, const char *source, int cursor_options, ParamListInfo params)
{
	if (prev_planner != NULL)
		return prev_planner(query, source, cursor_options, params);
	return standard_planner(query, source, cursor_options, params);
}

/* Planning writes what foreign servers are sent, numbers as the session shows them: here with all their digits. */
static PlannedStmt *
plan_with_all_digits(Query *query, const char *source, int cursor_options, ParamListInfo params)
{
	PlannedStmt *result;
	int nest = NewGUCNestLevel();

	(void) set_config_option("extra_float_digits", "3", PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE,
							 true, 0, false);
	result = plan_by_next(query, source, cursor_options, params);
	AtEOXact_GUC(true, nest);
	return result;
}

/* A part of a level, which another server of the cluster has sent. */
static PlannedStmt *
plan_part(Query *query, const char *source, int cursor_options, ParamListInfo params)
{
	PlannedStmt *volatile result = NULL;
	bool before;

	gaussdp_begin_part(query);
	query->queryId = 0; /* libraries that count rows of queries count those that have one */
	before = gaussdp_hide_statistics(true);
	PG_TRY();
	{
		result = plan_by_next(query, source, cursor_options, params);
	}
	PG_FINALLY();
	{
		(void) gaussdp_hide_statistics(before);
	}
	PG_END_TRY();
	return result;
}

/* The planner may write on the query it is given, and so may these steps. */
static PlannedStmt *
plan(Query *query, const char *source, int cursor_options, ParamListInfo params)
{
	PlannedStmt *result;
	GaussdpFindings findings;
	GaussdpContents contents = gaussdp_contents(query);
	bool has_calls = contents.has_calls || gaussdp_answer_plain_sql;
	bool hides = contents.has_catalog && gaussdp_show_unknown(query);
	GaussdpPlainNotes notes;
	bool unbound = false;

	gaussdp_watch_cancels();
	notes = gaussdp_answer_plain(query);
	if (has_calls)
	{
		gaussdp_fill_numbers(query);
		gaussdp_resolve_bounds(query, gaussdp_derive_bounds);
	}
	findings = gaussdp_prove_query(query, source);
	gaussdp_tell_of_plain(&notes);
	/* a level may be without calls: a probe for its columns */
	if (has_calls || findings.touches)
		query = gaussdp_split_calls(query, params, &unbound);
	if (contents.has_aggregates)
		gaussdp_fuse_points(query);
	if (has_calls && gaussdp_pack_calls(query))
		result = plan_with_all_digits(query, source, cursor_options, params);
	else if (gaussdp_has_gate(query))
		result = plan_part(query, source, cursor_options, params);
	else
		result = plan_by_next(query, source, cursor_options, params);
	gaussdp_finish_plan(result, source, &findings);
	if (unbound)
		gaussdp_avoid_plan(result);
	/* Another role may see more. */
	if (hides)
		result->dependsOnRole = true;
	return result;
}

static void
set_rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *entry)
{
	if (prev_set_rel_pathlist != NULL)
		prev_set_rel_pathlist(root, rel, rti, entry);
	gaussdp_add_paths(root, rel, rti, entry);
}

static bool
relation_stats(PlannerInfo *root, RangeTblEntry *entry, AttrNumber column,
			   VariableStatData *statistics)
{
	if (gaussdp_hide_column_statistics(entry, column, statistics))
		return true;
	return prev_get_relation_stats != NULL &&
		   prev_get_relation_stats(root, entry, column, statistics);
}

static void
relation_info(PlannerInfo *root, Oid relation, bool is_parent, RelOptInfo *rel)
{
	if (prev_get_relation_info != NULL)
		prev_get_relation_info(root, relation, is_parent, rel);
	gaussdp_hide_relation_statistics(rel);
}

static void
object_access(ObjectAccessType access, Oid class, Oid object, int sub, void *arg)
{
	if (prev_object_access != NULL)
		prev_object_access(access, class, object, sub, arg);
	if (access == OAT_DROP && sub == 0)
		gaussdp_object_is_dropped(class, object, arg);
}

static void
executor_start(QueryDesc *query, int flags)
{
	gaussdp_check_published(query);
	gaussdp_begin_process(query);
	if (prev_executor_start != NULL)
		prev_executor_start(query, flags);
	else
		standard_ExecutorStart(query, flags);
	gaussdp_prepare_process(query);
}

static void
shmem_request(void)
{
	if (prev_shmem_request != NULL)
		prev_shmem_request();
	gaussdp_request_ledger_memory();
	gaussdp_request_temp_space();
}

static void
shmem_startup(void)
{
	if (prev_shmem_startup != NULL)
		prev_shmem_startup();
	gaussdp_start_ledger_memory();
	gaussdp_start_temp_space();
}

void
gaussdp_hooks_init(void)
{
	gaussdp_remember_hooks_below();
	prev_planner = planner_hook;
	planner_hook = plan;
	prev_set_rel_pathlist = set_rel_pathlist_hook;
	set_rel_pathlist_hook = set_rel_pathlist;
	prev_get_relation_stats = get_relation_stats_hook;
	get_relation_stats_hook = relation_stats;
	prev_get_relation_info = get_relation_info_hook;
	get_relation_info_hook = relation_info;
	prev_object_access = object_access_hook;
	object_access_hook = object_access;
	prev_executor_start = ExecutorStart_hook;
	ExecutorStart_hook = executor_start;
	/* Shared memory is there for libraries that are loaded with the server. */
	if (!process_shared_preload_libraries_in_progress)
		return;
	prev_shmem_request = shmem_request_hook;
	shmem_request_hook = shmem_request;
	prev_shmem_startup = shmem_startup_hook;
	shmem_startup_hook = shmem_startup;
	gaussdp_register_reserve();
}
