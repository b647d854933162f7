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
 */
#include "postgres.h"

#include "catalog/objectaccess.h"
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
#include "policy/people/people.h"
#include "policy/policy.h"
#include "policy/rewrite/rewrite.h"
#include "settings.h"

static planner_hook_type prev_planner;
static set_rel_pathlist_hook_type prev_set_rel_pathlist;
static get_relation_stats_hook_type prev_get_relation_stats;
static get_relation_info_hook_type prev_get_relation_info;
static object_access_hook_type prev_object_access;
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
	bool unbound = false;

	gaussdp_watch_cancels();
	gaussdp_answer_plain(query);
	if (has_calls)
	{
		gaussdp_fill_numbers(query);
		gaussdp_resolve_bounds(query, gaussdp_derive_bounds);
	}
	findings = gaussdp_prove_query(query, source);
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

/* This library's own steps, without anybody's before them. */
static void
set_rel_pathlist_alone(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *entry)
{
	gaussdp_add_level_path(root, rel, entry);
	gaussdp_add_partition_path(root, rel, rti);
}

static bool
relation_stats_alone(PlannerInfo *root, RangeTblEntry *entry, AttrNumber column,
					 VariableStatData *statistics)
{
	return gaussdp_hide_column_statistics(entry, column, statistics);
}

static void
relation_info_alone(PlannerInfo *root, Oid relation, bool is_parent, RelOptInfo *rel)
{
	gaussdp_hide_relation_statistics(rel);
}

/* Only where a query is planned alone. */
static void
upper_paths_alone(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output,
				  void *extra)
{
	gaussdp_leave_unsorted(root, stage, input, output);
	gaussdp_add_grouped_path(root, stage, input, output);
}

static void
set_rel_pathlist(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *entry)
{
	if (prev_set_rel_pathlist != NULL)
		prev_set_rel_pathlist(root, rel, rti, entry);
	set_rel_pathlist_alone(root, rel, rti, entry);
}

static bool
relation_stats(PlannerInfo *root, RangeTblEntry *entry, AttrNumber column,
			   VariableStatData *statistics)
{
	if (relation_stats_alone(root, entry, column, statistics))
		return true;
	return prev_get_relation_stats != NULL &&
		   prev_get_relation_stats(root, entry, column, statistics);
}

static void
relation_info(PlannerInfo *root, Oid relation, bool is_parent, RelOptInfo *rel)
{
	if (prev_get_relation_info != NULL)
		prev_get_relation_info(root, relation, is_parent, rel);
	relation_info_alone(root, relation, is_parent, rel);
}

/* The hooks of the planner, all of them: those that this library does not take, too. */
typedef struct PlannerHooks
{
	planner_hook_type planner;
	set_rel_pathlist_hook_type set_rel_pathlist;
	set_join_pathlist_hook_type set_join_pathlist;
	join_search_hook_type join_search;
	create_upper_paths_hook_type create_upper_paths;
	get_relation_stats_hook_type get_relation_stats;
	get_relation_info_hook_type get_relation_info;
} PlannerHooks;

/*
 * Those that were there before a query was planned alone, and whether one is.  What a function that planning calls
 * executes may have levels of its own: planned alone within, these leave both as they were.
 */
static PlannerHooks others;
static bool is_alone = false;

static pg_noinline PlannerHooks
exchange_hooks(const PlannerHooks *hooks)
{
	PlannerHooks before = {planner_hook,          set_rel_pathlist_hook,   set_join_pathlist_hook,
						   join_search_hook,      create_upper_paths_hook, get_relation_stats_hook,
						   get_relation_info_hook};

	planner_hook = hooks->planner;
	set_rel_pathlist_hook = hooks->set_rel_pathlist;
	set_join_pathlist_hook = hooks->set_join_pathlist;
	join_search_hook = hooks->join_search;
	create_upper_paths_hook = hooks->create_upper_paths;
	get_relation_stats_hook = hooks->get_relation_stats;
	get_relation_info_hook = hooks->get_relation_info;
	return before;
}

/* A query that is planned while another one is planned alone. */
static PlannedStmt *
plan_meanwhile(Query *query, const char *source, int cursor_options, ParamListInfo params)
{
	PlannerHooks back = others;
	PlannerHooks alone = exchange_hooks(&back);
	PlannedStmt *volatile result = NULL;

	is_alone = false;
	PG_TRY();
	{
		result = planner(query, source, cursor_options, params);
	}
	PG_FINALLY();
	{
		(void) exchange_hooks(&alone);
		is_alone = true;
	}
	PG_END_TRY();
	return result;
}

/* By this planner, under these hooks; what is planned meanwhile finds those that are there now. */
static PlannedStmt *
plan_under(const PlannerHooks *hooks, planner_hook_type plan_it, Query *query, const char *source,
		   int cursor_options)
{
	PlannedStmt *volatile result = NULL;
	PlannerHooks before = exchange_hooks(hooks);
	PlannerHooks others_before = others;
	bool was_alone = is_alone;

	if (!was_alone)
		others = before;
	is_alone = true;
	PG_TRY();
	{
		result = plan_it(query, source, cursor_options, NULL);
	}
	PG_FINALLY();
	{
		(void) exchange_hooks(&before);
		others = others_before;
		is_alone = was_alone;
	}
	PG_END_TRY();
	return result;
}

PlannedStmt *
gaussdp_plan_alone(Query *query, const char *source, int cursor_options)
{
	PlannerHooks alone = {.planner = plan_meanwhile,
						  .set_rel_pathlist = set_rel_pathlist_alone,
						  .create_upper_paths = upper_paths_alone,
						  .get_relation_stats = relation_stats_alone,
						  .get_relation_info = relation_info_alone};

	return plan_under(&alone, standard_planner, query, source, cursor_options);
}

/* The hooks of libraries that were loaded before this one, which Citus must be, but for the planner's. */
static PlannerHooks below = {.planner = plan_meanwhile};

PlannedStmt *
gaussdp_plan_below(Query *query, const char *source)
{
	return plan_under(&below, plan_by_next, query, source, 0);
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
shmem_request(void)
{
	if (prev_shmem_request != NULL)
		prev_shmem_request();
	gaussdp_request_ledger_memory();
}

static void
shmem_startup(void)
{
	if (prev_shmem_startup != NULL)
		prev_shmem_startup();
	gaussdp_start_ledger_memory();
}

void
gaussdp_hooks_init(void)
{
	below.set_rel_pathlist = set_rel_pathlist_hook;
	below.set_join_pathlist = set_join_pathlist_hook;
	below.join_search = join_search_hook;
	below.create_upper_paths = create_upper_paths_hook;
	below.get_relation_stats = get_relation_stats_hook;
	below.get_relation_info = get_relation_info_hook;
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
	/* Shared memory is there for libraries that are loaded with the server. */
	if (!process_shared_preload_libraries_in_progress)
		return;
	prev_shmem_request = shmem_request_hook;
	shmem_request_hook = shmem_request;
	prev_shmem_startup = shmem_startup_hook;
	shmem_startup_hook = shmem_startup;
}
