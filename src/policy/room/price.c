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

/* The cap on a single release: beyond it hardly anything is hidden. */
#define MAX_MU 10.0

static GaussdpPlannedRelease *
release_of(const GaussdpLevel *level, const Aggref *call)
{
	GaussdpPlannedRelease *release = palloc0(sizeof(GaussdpPlannedRelease));

	release->level = level;
	release->call = call;
	return release;
}

/* Appends what the level draws.  PostgreSQL computes equal calls of a query once. */
static List *
add_level(List *releases, const GaussdpLevel *level)
{
	List *drawn = NIL; /* of Aggref */
	List *own = NIL;   /* of Release, beside them */
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

/* What the call costs, and the delta by which its count hides groups, where one row is all that a person owns. */
static bool
cost_of(const GaussdpPlannedRelease *release, GaussdpCost *cost, GaussdpPrice *price)
{
	const Aggref *agg = release->call;
	Datum values[GAUSSDP_MAX_PARAMS];
	bool isnull[GAUSSDP_MAX_PARAMS];
	GaussdpCall call;
	double smallest;

	if (!gaussdp_call_of(agg->aggfnoid, &call) ||
		list_length(agg->args) < call.first + call.nparams)
		elog(ERROR, "verified call is not a private aggregate");
	for (int i = 0; i < call.nparams; i++)
	{
		Const *value = (Const *) list_nth_node(TargetEntry, agg->args, call.first + i)->expr;

		if (!IsA(value, Const))
			return false;
		values[i] = value->constvalue;
		isnull[i] = value->constisnull;
	}
	gaussdp_call_cost(&call, values, isnull, 1, cost);
	price->delta = gaussdp_call_delta(&call, values, isnull);
	if (release->least > 0)
		cost->threshold_delta =
			gaussdp_count_hiding(&call, values, isnull, 1, (double) release->least, &smallest);
	return true;
}

/* The same where the rows of a person are weighed. */
static bool
weighted_cost_of(const GaussdpPlannedRelease *release, GaussdpCost *cost, GaussdpPrice *price)
{
	const GaussdpLevel *level = release->level;
	GaussdpWeightedCall weighted;
	double smallest;

	if (!gaussdp_weighted_call(level, release->call, &weighted))
		return false;
	gaussdp_weighted_cost(&weighted.call, weighted.values, weighted.isnull, weighted.k, cost);
	price->delta = gaussdp_call_delta(&weighted.call, weighted.values, weighted.isnull);
	if (!weighted.of_people)
		price->max_rows = weighted.k;
	if (release->least > 0)
		cost->threshold_delta = gaussdp_weighted_hiding(
			&weighted.call, weighted.values, weighted.isnull, weighted.k,
			weighted.of_people ? GAUSSDP_COUNTED_PEOPLE : GAUSSDP_COUNTED_ROWS,
			(double) level->max_groups, (double) release->least, &smallest);
	return true;
}

bool
gaussdp_price(const GaussdpPlannedRelease *release, GaussdpPrice *price)
{
	GaussdpCost cost;

	memset(price, 0, sizeof(*price));
	if (!(release->level->is_weighted ? weighted_cost_of : cost_of)(release, &cost, price))
		return false;
	if (!(cost.mu_squared <= MAX_MU * MAX_MU))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("a release of mu %.6g hides hardly anything", sqrt(cost.mu_squared)),
				 errdetail("Rule 9 (budget): a single release may cost mu = %g at most.", MAX_MU),
				 errhint("Use a smaller epsilon.")));
	price->sensitivity = cost.coord[0].sensitivity;
	price->sigma = cost.coord[0].sigma;
	price->ncoords = cost.ncoords;
	price->mu_squared = cost.mu_squared;
	price->threshold_delta = cost.threshold_delta;
	return true;
}

/* A price as the ledger takes it: in its integer units, rounded up. */
static GaussdpRelease
to_ledger(const GaussdpPlannedRelease *release, const GaussdpPrice *price)
{
	GaussdpRelease result = {
		.kind = get_func_name(release->call->aggfnoid),
		.relid = release->level->entry->relid,
		.l2_sensitivity = price->sensitivity,
		.sigma = price->sigma,
	};

	gaussdp_report(gdp_mu2_units(price->mu_squared, &result.mu2), "mu", sqrt(price->mu_squared));
	if (price->threshold_delta > 0)
		gaussdp_report(gdp_delta_cost(price->threshold_delta, &result.threshold_delta), "delta",
					   price->threshold_delta);
	return result;
}

GaussdpRelease *
gaussdp_priced_releases(List *releases, int *n)
{
	GaussdpRelease *result = palloc0(sizeof(GaussdpRelease) * Max(list_length(releases), 1));
	ListCell *lc;

	*n = 0;
	foreach (lc, releases)
	{
		GaussdpPrice price;

		if (gaussdp_price(lfirst(lc), &price))
			result[(*n)++] = to_ledger(lfirst(lc), &price);
	}
	return result;
}
