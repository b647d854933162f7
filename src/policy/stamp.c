/*
 * stamp.c
 *		The verdict, as it travels in the finished plan, and what it costs.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/executor.h"
#include "nodes/makefuncs.h"
#include "utils/builtins.h"

#include "aggregate/calls.h"
#include "policy/plan.h"

#define MARK "gaussdp level "
#define TO_PROVE "gaussdp entry"
#define STAMP "gaussdp stamp"

/* The cap on a single release: beyond it hardly anything is hidden. */
#define MAX_MU 10.0

/* enrname is unused in entries of relations, survives planning, and cannot be written in SQL. */
void
gaussdp_mark_entry(RangeTblEntry *entry, int level)
{
	entry->enrname = psprintf(MARK "%d", level);
}

void
gaussdp_unmark_entry(RangeTblEntry *entry)
{
	entry->enrname = NULL;
}

void
gaussdp_mark_to_prove(RangeTblEntry *entry)
{
	entry->enrname = pstrdup(TO_PROVE);
}

bool
gaussdp_is_to_prove(const RangeTblEntry *entry)
{
	return entry->rtekind == RTE_RELATION && entry->enrname != NULL &&
		   strcmp(entry->enrname, TO_PROVE) == 0;
}

int
gaussdp_marked_level(const RangeTblEntry *entry)
{
	if (entry->rtekind != RTE_RELATION || entry->enrname == NULL ||
		strncmp(entry->enrname, MARK, strlen(MARK)) != 0)
		return -1;
	return pg_strtoint32(entry->enrname + strlen(MARK));
}

/* The stamp lists one list for each release: aggregate, relation, least count shown, parameters. */
void
gaussdp_stamp_plan(PlannedStmt *plan, List *releases)
{
	RangeTblEntry *stamp = makeNode(RangeTblEntry);
	ListCell *lc;

	stamp->rtekind = RTE_RESULT;
	stamp->eref = makeAlias(STAMP, NIL);
	foreach (lc, releases)
	{
		Release *release = lfirst(lc);
		List *row;

		row = list_make3(makeConst(OIDOID, -1, InvalidOid, sizeof(Oid),
								   ObjectIdGetDatum(release->aggregate), false, true),
						 makeConst(OIDOID, -1, InvalidOid, sizeof(Oid),
								   ObjectIdGetDatum(release->relation), false, true),
						 makeConst(INT8OID, -1, InvalidOid, sizeof(int64),
								   Int64GetDatum(release->least), false, FLOAT8PASSBYVAL));
		stamp->values_lists = lappend(stamp->values_lists, list_concat(row, release->parameters));
	}
	plan->rtable = lappend(plan->rtable, stamp);
}

static const RangeTblEntry *
find_stamp(const PlannedStmt *plan)
{
	const RangeTblEntry *last;

	if (plan->rtable == NIL)
		return NULL;
	last = llast_node(RangeTblEntry, plan->rtable);
	if (last->rtekind != RTE_RESULT || last->eref == NULL ||
		strcmp(last->eref->aliasname, STAMP) != 0)
		return NULL;
	return last;
}

bool
gaussdp_is_stamped(const PlannedStmt *plan)
{
	/* A parallel worker gets an empty one: its leader has paid. */
	return find_stamp(plan) != NULL && find_stamp(plan)->values_lists != NIL;
}

List *
gaussdp_stamped_releases(const PlannedStmt *plan)
{
	List *releases = NIL;
	ListCell *lc;

	foreach (lc, find_stamp(plan)->values_lists)
	{
		List *row = lfirst(lc);
		Release *release = palloc(sizeof(Release));

		release->aggregate = DatumGetObjectId(linitial_node(Const, row)->constvalue);
		release->relation = DatumGetObjectId(lsecond_node(Const, row)->constvalue);
		release->least = DatumGetInt64(lthird_node(Const, row)->constvalue);
		release->parameters = list_copy_tail(row, 3);
		releases = lappend(releases, release);
	}
	return releases;
}

List *
gaussdp_level_releases(List *levels)
{
	List *releases = NIL;
	ListCell *lc;

	foreach (lc, levels)
	{
		Level *level = lfirst(lc);
		ListCell *lc2;

		foreach (lc2, level->calls)
		{
			Aggref *agg = lfirst_node(Aggref, lc2);
			Release *release = palloc(sizeof(Release));
			GaussdpCall call;

			if (!gaussdp_call_of(agg->aggfnoid, &call))
				elog(ERROR, "verified call is not a private aggregate");
			release->aggregate = agg->aggfnoid;
			release->relation = level->entry->relid;
			release->least = agg == level->count_test ? level->count_least : 0;
			release->parameters = NIL;
			for (int i = call.first; i < call.first + call.nparams; i++)
				release->parameters =
					lappend(release->parameters,
							copyObject(list_nth_node(TargetEntry, agg->args, i)->expr));
			releases = lappend(releases, release);
		}
	}
	return releases;
}

/* Evaluates the parameters of a call; false where one is not known yet. */
static bool
evaluate(const Release *release, ParamListInfo params, Datum *values, bool *isnull)
{
	EState *estate = NULL;
	ListCell *lc;

	foreach (lc, release->parameters)
	{
		int i = foreach_current_index(lc);
		Expr *expr = lfirst(lc);

		if (IsA(expr, Const))
		{
			values[i] = ((Const *) expr)->constvalue;
			isnull[i] = ((Const *) expr)->constisnull;
			continue;
		}
		if (params == NULL)
			return false;
		if (estate == NULL)
		{
			estate = CreateExecutorState();
			estate->es_param_list_info = params;
		}
		/* All parameters are passed by value: they outlive the executor state. */
		values[i] = ExecEvalExprSwitchContext(ExecPrepareExpr(expr, estate),
											  GetPerTupleExprContext(estate), &isnull[i]);
	}
	if (estate != NULL)
		FreeExecutorState(estate);
	return true;
}

bool
gaussdp_price(const Release *release, ParamListInfo params, Price *price)
{
	Datum values[GAUSSDP_MAX_PARAMS];
	bool isnull[GAUSSDP_MAX_PARAMS];
	GaussdpCall call;
	GaussdpCost cost;

	if (!gaussdp_call_of(release->aggregate, &call) ||
		list_length(release->parameters) != call.nparams)
		elog(ERROR, "stamped call is not a private aggregate");
	if (!evaluate(release, params, values, isnull))
		return false;
	gaussdp_call_cost(&call, values, isnull, 1, &cost);
	if (!(cost.mu_squared <= MAX_MU * MAX_MU))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("a release of mu %.6g hides hardly anything", sqrt(cost.mu_squared)),
				 errdetail("Rule 9 (caps): a single release may cost mu = %g at most.", MAX_MU),
				 errhint("Use a smaller epsilon.")));
	price->sensitivity = cost.coord[0].sensitivity;
	price->sigma = cost.coord[0].sigma;
	price->ncoords = cost.ncoords;
	/* epsilon and delta are the first two parameters of every call */
	price->delta = DatumGetFloat8(values[1]);
	price->mu_squared = cost.mu_squared;
	price->threshold_delta = cost.threshold_delta;
	if (release->least > 0)
	{
		double smallest;

		price->threshold_delta =
			gaussdp_count_hiding(&call, values, isnull, 1, (double) release->least, &smallest);
	}
	return true;
}
