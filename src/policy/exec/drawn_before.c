/*
 * drawn_before.c
 *		Will a level that has not run yet be shown numbers that are there already?
 *
 * For prices alone: what a statement needs before its first level is charged (node.c), and what explain_privacy says.  A level that is
 * taken for free here and is not is charged when it runs; nothing is shown by what is found here.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "nodes/nodeFuncs.h"

#include "policy/exec/kept_level.h"

static bool
has_parameters(Node *node, void *context)
{
	if (node == NULL || IsA(node, Param))
		return node != NULL;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, has_parameters, context, 0);
	return expression_tree_walker(node, has_parameters, context);
}

bool
gaussdp_may_be_shown_again(const GaussdpLevel *level)
{
	return !level->is_free && !level->is_distributed &&
		   gaussdp_reuse_seconds(GetUserId(), level->owner->relation) > 0 &&
		   !has_parameters((Node *) unconstify(Query *, level->query), NULL);
}

/* Has the query anything in FROM that is read before its key is known? */
static bool
reads_public_rows(const Query *query)
{
	ListCell *lc;

	foreach (lc, query->rtable)
	{
		const RangeTblEntry *entry = lfirst_node(RangeTblEntry, lc);

		if (entry->rtekind == RTE_SUBQUERY
				? !gaussdp_reads_protected((Node *) entry->subquery) ||
					  reads_public_rows(entry->subquery)
				: entry->rtekind != RTE_JOIN && entry->rtekind != RTE_RESULT &&
					  !gaussdp_needs_proof(entry))
			return true;
	}
	return query->hasSubLinks;
}

TimestampTz
gaussdp_drawn_before(const GaussdpLevel *level)
{
	GaussdpRoom room = {.level = unconstify(GaussdpLevel *, level)};
	GaussdpReused kept;

	if (!gaussdp_may_be_shown_again(level) || reads_public_rows(level->query))
		return 0;
	room.program.targets = level->query->targetList;
	gaussdp_take_key(&room);
	return room.has_key &&
				   gaussdp_find_answer(GetUserId(), level->owner->relation, &room.key, &kept) &&
				   kept.is_paid
			   ? kept.drawn
			   : 0;
}
