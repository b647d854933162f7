/*
 * shown_plan.c
 *		EXPLAIN of a level, for who may read its rows anyhow: an owner who asks as an analyst (gaussdp.as_analyst).
 *
 * The level is planned as it would be, but over the public relations themselves, which nothing has read yet, and with
 * parameters where an input would have to be computed.  Nothing runs.  Analysts see nothing below the node: what a plan says
 * of a table is for those who may read it.
 */
#include "postgres.h"

#include "commands/explain.h"
#include "executor/executor.h"
#include "tcop/dest.h"
#include "utils/snapmgr.h"

#include "compat.h"
#include "policy/exec/estimates.h"
#include "policy/exec/sets.h"
#include "policy/exec/shown_plan.h"
#include "policy/exec/weights.h"
#include "policy/exec/window_order.h"
#include "policy/rewrite/rewrite.h"

/* The level as proven for the current role; NULL where that may not read all of it, or it would be refused. */
static GaussdpLevel *
prove_readable(Query *query)
{
	GaussdpVerifier v = {.location = -1};
	GaussdpLevel *level;

	gaussdp_find_protected_entries(&v, query);
	if (!gaussdp_complete_level(&v, query))
		return NULL;
	level = llast(v.levels);
	return level->is_free && !level->is_distributed && (!level->is_weighted || level->max_rows > 0)
			   ? level
			   : NULL;
}

static PlannedStmt *
plan_of(const GaussdpLevel *level, const char *source)
{
	Query *readable = copyObject(unconstify(Query *, level->query));
	GaussdpWeighing *weighing = NULL;

	gaussdp_check_as_owners(level, readable);
	gaussdp_order_windows(level, readable);
	gaussdp_expand_sets(level, readable);
	if (level->is_weighted)
		gaussdp_weigh_rows(level, readable, NIL, &weighing);
	readable->sortClause = NIL; /* released rows are sorted outside of the plan */
	return gaussdp_plan_level(readable, NIL, weighing, source, true);
}

/* The lines of a plan, in text format below their node. */
static void
add_lines(char *plan, ExplainState *es)
{
	StringInfoData lines;

	initStringInfo(&lines);
	for (char *line = strtok(plan, "\n"); line != NULL; line = strtok(NULL, "\n"))
	{
		appendStringInfoChar(&lines, '\n');
		if (es->format == EXPLAIN_FORMAT_TEXT)
			appendStringInfoSpaces(&lines, 2 * es->indent + 2);
		appendStringInfoString(&lines, line);
	}
	ExplainPropertyText("Plan of the level", lines.data, es);
}

void
gaussdp_show_plan(Query *query, const char *source, ExplainState *es)
{
	ExplainState *inner = NewExplainState();
	const GaussdpLevel *level = prove_readable(query);
	QueryDesc *desc;

	if (level == NULL)
		return;
	desc = CreateQueryDesc(plan_of(level, source), source, GetActiveSnapshot(), InvalidSnapshot,
						   None_Receiver, NULL, NULL, 0);
	standard_ExecutorStart(desc, EXEC_FLAG_EXPLAIN_ONLY);
	inner->verbose = es->verbose;
	inner->costs = es->costs;
	inner->format = EXPLAIN_FORMAT_TEXT;
	ExplainPrintPlan(inner, desc);
	standard_ExecutorEnd(desc);
	FreeQueryDesc(desc);
	add_lines(inner->str->data, es);
}
