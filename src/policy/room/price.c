/*
 * price.c
 *		What a level releases, and what that costs.
 */
#include "postgres.h"

#include <math.h>

#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "core/core.h"
#include "policy/room/price.h"
#include "report.h"

/* The limit on a single release: beyond it hardly anything is hidden. */
#define MAX_MU 10.0

static GaussdpPlannedRelease *
release_of(const GaussdpLevel *level, const Aggref *call)
{
	GaussdpPlannedRelease *release = palloc0(sizeof(GaussdpPlannedRelease));
	GaussdpCall kind;

	if (!gaussdp_call_of(call->aggfnoid, &kind))
		elog(ERROR, "verified call is not a private aggregate");
	release->aggregate = call->aggfnoid;
	release->relation = level->entry->relid;
	for (int i = kind.first; i < kind.first + kind.nparams; i++)
		release->parameters =
			lappend(release->parameters, list_nth_node(TargetEntry, call->args, i)->expr);
	return release;
}

/* Appends what the level draws.  PostgreSQL computes equal calls of a query once. */
static List *
add_level(List *releases, const GaussdpLevel *level)
{
	List *drawn = NIL; /* of Aggref */
	List *own = NIL;   /* of GaussdpPlannedRelease, beside them */
	ListCell *lc;

	foreach (lc, level->calls)
	{
		Aggref *call = lfirst_node(Aggref, lc);
		GaussdpPlannedRelease *release = NULL;
		ListCell *lc2;

		foreach (lc2, drawn)
			if (equal(lfirst(lc2), call))
				release = list_nth(own, foreach_current_index(lc2));
		if (release == NULL)
		{
			release = release_of(level, call);
			drawn = lappend(drawn, call);
			own = lappend(own, release);
		}
		if (call == level->count_test)
			release->least = level->count_least;
	}
	return list_concat(releases, own);
}

List *
gaussdp_level_releases(List *levels)
{
	List *releases = NIL;
	ListCell *lc;

	foreach (lc, levels)
		releases = add_level(releases, lfirst(lc));
	return releases;
}

/* In the ledger's integer units, rounded up. */
static void
set_costs(GaussdpRelease *release, double mu_squared, double threshold_delta)
{
	gaussdp_report(gdp_mu2_units(mu_squared, &release->mu2), "mu", sqrt(mu_squared));
	release->threshold_delta = 0;
	if (threshold_delta > 0)
		gaussdp_report(gdp_delta_cost(threshold_delta, &release->threshold_delta), "delta",
					   threshold_delta);
}

bool
gaussdp_price(const GaussdpPlannedRelease *planned, GaussdpRelease *release)
{
	Datum values[GAUSSDP_MAX_PARAMS];
	bool isnull[GAUSSDP_MAX_PARAMS];
	GaussdpCall call;
	GaussdpCost cost;
	ListCell *lc;

	if (!gaussdp_call_of(planned->aggregate, &call) ||
		list_length(planned->parameters) != call.nparams)
		elog(ERROR, "verified call is not a private aggregate");
	foreach (lc, planned->parameters)
	{
		Const *value = (Const *) lfirst(lc);

		if (!IsA(value, Const))
			return false;
		values[foreach_current_index(lc)] = value->constvalue;
		isnull[foreach_current_index(lc)] = value->constisnull;
	}
	gaussdp_call_cost(&call, values, isnull, 1, &cost);
	if (!(cost.mu_squared <= MAX_MU * MAX_MU))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("a release of mu %.6g hides hardly anything", sqrt(cost.mu_squared)),
				 errdetail("Rule 9 (budget): a single release may cost mu = %g at most.", MAX_MU),
				 errhint("Use a smaller epsilon.")));
	if (planned->least > 0)
	{
		double smallest;

		cost.threshold_delta =
			gaussdp_count_hiding(&call, values, isnull, 1, (double) planned->least, &smallest);
	}
	strlcpy(release->kind, get_func_name(planned->aggregate), NAMEDATALEN);
	release->relid = planned->relation;
	release->l2_sensitivity = cost.coord[0].sensitivity;
	release->sigma = cost.coord[0].sigma;
	release->numbers = cost.ncoords;
	/* epsilon and delta are the first two parameters of every call */
	release->delta = DatumGetFloat8(values[1]);
	set_costs(release, cost.mu_squared, cost.threshold_delta);
	return true;
}

GaussdpRelease *
gaussdp_priced_releases(List *planned, int *n)
{
	GaussdpRelease *result = palloc0(sizeof(GaussdpRelease) * Max(list_length(planned), 1));
	ListCell *lc;

	*n = 0;
	foreach (lc, planned)
		if (gaussdp_price(lfirst(lc), &result[*n]))
			(*n)++;
	return result;
}
