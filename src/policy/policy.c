/*
 * policy.c
 *		Before planning: prove or refuse.
 *
 * The one planner hook of the policy.  A query that touches no protected relation passes untouched;
 * one whose role may read what it names passes too, for it is outside of the policy.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"

#include "compat.h"
#include "policy/caps.h"
#include "policy/estimates.h"
#include "policy/lift.h"
#include "policy/plan.h"
#include "policy/policy.h"
#include "policy/subject.h"
#include "policy/verify.h"

static planner_hook_type prev_planner;

static PlannedStmt *
plan_query(Query *query, const char *source, int cursor_options, ParamListInfo params)
{
	if (prev_planner != NULL)
		return prev_planner(query, source, cursor_options, params);
	return standard_planner(query, source, cursor_options, params);
}

/* A function in FROM that was inlined may have brought a protected table with it. */
static void
refuse_unverified_entries(const PlannedStmt *plan, const char *source)
{
	ListCell *lc;

	foreach (lc, plan->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);
		Verifier v = {.source = source, .relation = entry->relid};

		if (entry->rtekind != RTE_RELATION || !gaussdp_entry_is_checked(entry) ||
			!gaussdp_is_protected(entry->relid) || gaussdp_marked_level(entry) >= 0 ||
			gaussdp_entry_is_allowed(gaussdp_plan_permissions(plan), entry, false))
			continue;
		refuse(&v, RULE_PLACE, -1, "a function in FROM reads the table",
			   "Write what the function does in the query itself.");
		gaussdp_refuse(&v);
	}
}

/* Plans a verified query, and makes sure that the plan does what was verified. */
static PlannedStmt *
plan_verified(Verifier *v, Query *query, int cursor_options, ParamListInfo params)
{
	PlannedStmt *plan;
	List *releases;
	const char *problem;
	ListCell *lc;

	/* Before planning: what plans may write on the calls. */
	releases = gaussdp_level_releases(v->levels);
	foreach (lc, releases)
	{
		Price price;

		/* Parameters out of range, and releases beyond the cap, fail here already. */
		(void) gaussdp_price(lfirst(lc), NULL, &price);
	}
	plan = plan_query(query, v->source, cursor_options, params);
	problem = gaussdp_plan_problem(plan, v->levels);
	if (problem != NULL)
	{
		refuse(v, RULE_ONCE, -1, problem, "Write each level as a WITH query at the top.");
		gaussdp_refuse(v);
	}
	gaussdp_stamp_plan(plan, releases);
	return plan;
}

static PlannedStmt *
policy_planner(Query *query, const char *source, int cursor_options, ParamListInfo params)
{
	Verifier v = {.source = source};
	Query *verified;
	PlannedStmt *plan;

	verified = gaussdp_prove(&v, query);
	if (verified == NULL && !bms_is_empty(v.refused_by_core))
		gaussdp_refuse(&v);
	if (verified != NULL && !gaussdp_verify_caps(&v, cursor_options))
		gaussdp_refuse(&v);
	if (verified != NULL)
		plan = plan_verified(&v, verified, cursor_options, params);
	else
		plan = plan_query(query, source, cursor_options, params);
	if (v.calls_in_from)
		refuse_unverified_entries(plan, source);
	/* Another role has other rights: a cached plan is made anew for it. */
	if (v.touches)
		plan->dependsOnRole = true;
	return plan;
}

void
gaussdp_policy_init(void)
{
	prev_planner = planner_hook;
	planner_hook = policy_planner;
	gaussdp_estimates_init();
	gaussdp_lift_init();
}
