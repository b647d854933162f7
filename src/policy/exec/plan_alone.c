/*
 * plan_alone.c
 *		Plans a level without other libraries: none of their hooks sees it (plan_alone.h).
 *
 * The hooks are global variables of PostgreSQL: they are exchanged for the time of planning, and put back whatever happens.
 */
#include "postgres.h"

#include "optimizer/paths.h"
#include "optimizer/plancat.h"
#include "optimizer/planner.h"
#include "utils/selfuncs.h"

#include "policy/exec/estimates.h"
#include "policy/exec/plan_alone.h"
#include "policy/exec/room.h"
#include "policy/people/people.h"

void
gaussdp_add_paths(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *entry)
{
	gaussdp_add_level_path(root, rel, entry);
	gaussdp_add_partition_path(root, rel, rti);
}

static bool
relation_stats(PlannerInfo *root, RangeTblEntry *entry, AttrNumber column,
			   VariableStatData *statistics)
{
	return gaussdp_hide_column_statistics(entry, column, statistics);
}

static void
relation_info(PlannerInfo *root, Oid relation, bool is_parent, RelOptInfo *rel)
{
	gaussdp_hide_relation_statistics(rel);
}

static void
upper_paths(PlannerInfo *root, UpperRelationKind stage, RelOptInfo *input, RelOptInfo *output,
			void *extra)
{
	gaussdp_add_grouped_path(root, stage, input, output);
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
						  .set_rel_pathlist = gaussdp_add_paths,
						  .create_upper_paths = upper_paths,
						  .get_relation_stats = relation_stats,
						  .get_relation_info = relation_info};

	return plan_under(&alone, standard_planner, query, source, cursor_options);
}

/* The hooks of libraries that were loaded before this one, which Citus must be, but for the planner's. */
static PlannerHooks below = {.planner = plan_meanwhile};
static planner_hook_type planner_below;

void
gaussdp_remember_hooks_below(void)
{
	below.set_rel_pathlist = set_rel_pathlist_hook;
	below.set_join_pathlist = set_join_pathlist_hook;
	below.join_search = join_search_hook;
	below.create_upper_paths = create_upper_paths_hook;
	below.get_relation_stats = get_relation_stats_hook;
	below.get_relation_info = get_relation_info_hook;
	planner_below = planner_hook != NULL ? planner_hook : standard_planner;
}

PlannedStmt *
gaussdp_plan_below(Query *query, const char *source)
{
	return plan_under(&below, planner_below, query, source, 0);
}
