/*
 * policy.c
 *		Before planning: prove or refuse.
 *
 * A query that touches no protected relation passes untouched; one whose role may read what it names passes
 * too, for it is outside of the policy.
 */
#include "postgres.h"

#include "nodes/nodeFuncs.h"

#include "compat.h"
#include "policy/exec/exec.h"
#include "policy/hints/hints.h"
#include "policy/policy.h"
#include "policy/proof/proof.h"
#include "policy/rewrite/rewrite.h"
#include "settings.h"

/* Said before anything is charged: whether a group is of one person is no matter of rows. */
static void
tell_of_groups_of_one(const List *levels)
{
	const ListCell *lc;

	foreach (lc, levels)
	{
		const GaussdpLevel *level = lfirst(lc);

		if (level->finds_groups && gaussdp_groups_by_person(level->query))
			ereport(NOTICE, (errmsg("no group of this query is shown"),
							 errdetail("Its groups have rows of one person each."),
							 errhint(GAUSSDP_ONE_PERSON_HINT)));
	}
}

/* Plain SQL has a group of NULL, and counts its rows in totals. */
static void
tell_of_left_out(const List *levels)
{
	const ListCell *lc;

	foreach (lc, levels)
	{
		const GaussdpLevel *level = lfirst(lc);

		if (!gaussdp_answer_plain_sql || !level->leaves_out_nulls)
			continue;
		ereport(
			NOTICE,
			(errmsg("rows without a public key are left out"),
			 errdetail(
				 "Rows whose %s are in no group, and in no total; HAVING dp_keep_group(*) shows "
				 "all groups that are large, theirs too.",
				 level->left_out)));
		return;
	}
}

/* PostgreSQL would refuse it when it runs, without a hint. */
static void
refuse_denied_view(Oid view)
{
	if (OidIsValid(view))
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
						errmsg("permission denied for view %s", get_rel_name(view)),
						errhint(GAUSSDP_VIEW_HINT)));
}

GaussdpFindings
gaussdp_prove_query(Query *query, const char *source)
{
	GaussdpVerifier v = {.source = source, .location = -1};
	ListCell *lc;

	if (!gaussdp_cut_levels(&v, query))
	{
		if (v.is_published)
			refuse_denied_view(gaussdp_denied_view(query));
		if (v.needs_proof)
		{
			(void) gaussdp_refuse_without_budget(&v);
			gaussdp_raise_refusal(&v);
		}
	}
	tell_of_groups_of_one(v.levels);
	tell_of_left_out(v.levels);
	/* Parameters out of range, and releases beyond the limit, fail here already. */
	foreach (lc, gaussdp_level_releases(v.levels))
	{
		GaussdpRelease release;

		(void) gaussdp_price(lfirst(lc), &release);
	}
	return (GaussdpFindings){v.touches, v.calls_in_from};
}

/* A function in FROM that was inlined may have brought a protected table with it. */
static void
refuse_unverified_entries(const PlannedStmt *plan, const char *source)
{
	ListCell *lc;

	foreach (lc, plan->rtable)
	{
		RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);
		GaussdpVerifier v = {.source = source, .relation = entry->relid};

		if (entry->rtekind != RTE_RELATION || !gaussdp_entry_is_checked(entry) ||
			!gaussdp_is_protected(entry->relid) ||
			gaussdp_entry_is_allowed(gaussdp_plan_permissions(plan), entry, false))
			continue;
		gaussdp_refuse(&v, GAUSSDP_RULE_PLACE, -1, "a function in FROM reads the table",
					   "Write what the function does in the query itself.");
		gaussdp_raise_refusal(&v);
	}
}

void
gaussdp_finish_plan(PlannedStmt *plan, const char *source, const GaussdpFindings *findings)
{
	if (findings->calls_in_from)
		refuse_unverified_entries(plan, source);
	/* Another role has other rights: a cached plan is made anew for it. */
	if (findings->touches)
		plan->dependsOnRole = true;
}
