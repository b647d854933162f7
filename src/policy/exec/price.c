/*
 * price.c
 *		What a level releases, and what that costs.
 */
#include "postgres.h"

#include <math.h>

#include "utils/lsyscache.h"

#include "aggregate/calls.h"
#include "core/core.h"
#include "policy/exec/price.h"
#include "report.h"

/* The limit on a single release: beyond it hardly anything is hidden. */
#define MAX_MU 10.0

static GaussdpPlannedRelease *
release_of(const GaussdpLevel *level, const Aggref *call)
{
	GaussdpPlannedRelease *release = palloc0(sizeof(GaussdpPlannedRelease));

	release->level = level;
	release->call = call;
	return release;
}

/* The histograms by which a level finds as how many rows a person counts, and what that cuts off, as a List; NIL where it has none. */
static List *
finding_of(const GaussdpLevel *level, const List *own)
{
	GaussdpPlannedRelease *finding = release_of(level, NULL);
	ListCell *lc;

	foreach (lc, own)
		if (gaussdp_histogram_share(level, ((GaussdpPlannedRelease *) lfirst(lc))->call) > 0)
			finding->finding = lappend(finding->finding, lfirst(lc));
	return finding->finding == NIL ? NIL : list_make1(finding);
}

/* The calls of a level.  PostgreSQL computes equal ones of a query once. */
static List *
own_releases(const GaussdpLevel *level)
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
	return own;
}

List *
gaussdp_level_releases(List *levels)
{
	List *releases = NIL;
	ListCell *lc;

	foreach (lc, levels)
	{
		const GaussdpLevel *level = lfirst(lc);
		List *own = own_releases(level);

		releases = list_concat(releases, own);
		if (level->found == NIL)
			releases = list_concat(releases, finding_of(level, own));
	}
	return releases;
}

List *
gaussdp_all_releases(const GaussdpLevel *level)
{
	GaussdpLevel *before = palloc(sizeof(GaussdpLevel));

	/* The histograms cost what they did before anything was found. */
	*before = *level;
	before->found = NIL;
	return list_concat(finding_of(before, own_releases(before)), own_releases(level));
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

/* A person who is in a group of each of several grouping sets moves the numbers of all by so much more, and may be alone in each. */
static void
scale_to_sets(GaussdpCost *cost, int nsets)
{
	if (nsets == 1)
		return;
	for (int i = 0; i < cost->ncoords; i++)
		cost->coord[i].sensitivity *= sqrt((double) nsets) * (1 + 0x1p-50);
	cost->mu_squared *= (double) nsets * (1 + 0x1p-49);
	cost->threshold_delta *= nsets;
}

/* What the call costs, and the delta by which its count hides groups; false where a parameter is no constant yet. */
static bool
cost_of(const GaussdpPlannedRelease *planned, GaussdpCost *cost, GaussdpRelease *release)
{
	const GaussdpLevel *level = planned->level;
	GaussdpCallParts parts;
	double smallest;

	if (!gaussdp_call_parts(level, planned->call, &parts))
		return false;
	if (level->is_weighted)
		gaussdp_weighted_cost(&parts.call, parts.values, parts.isnull, parts.k, cost);
	else
		gaussdp_call_cost(&parts.call, parts.values, parts.isnull, 1, cost);
	scale_to_sets(cost, level->nsets);
	release->delta = gaussdp_call_delta(&parts.call, parts.values, parts.isnull);
	if (parts.call.decides_on_groups)
		release->delta *= level->nsets;
	if (level->is_weighted && !parts.of_people)
		release->max_rows = (int64) ceil(parts.k);
	/* While k is not known, its delta is; k will be such that it suffices. */
	if (planned->least > 0 && level->found == NIL && gaussdp_finds_rows(level, planned->call))
		cost->threshold_delta = release->delta;
	else if (planned->least > 0)
		cost->threshold_delta =
			gaussdp_hiding_delta(level, &parts, (double) planned->least, &smallest);
	return true;
}

static void
take_name(const GaussdpPlannedRelease *planned, const char *kind, GaussdpRelease *release)
{
	strlcpy(release->kind, kind, NAMEDATALEN);
	release->relid = planned->level->owner->relation;
}

double
gaussdp_finding_mu_squared(const GaussdpPlannedRelease *planned)
{
	double share = gaussdp_histogram_share(planned->level, planned->call);
	GaussdpCost cost;
	GaussdpRelease release;

	if (!cost_of(planned, &cost, &release))
		elog(ERROR, "a parameter of a private aggregate has no value");
	return cost.mu_squared * (share / (1 - share));
}

double
gaussdp_call_mu(const GaussdpPlannedRelease *planned)
{
	GaussdpCost cost;
	GaussdpRelease release;

	if (!cost_of(planned, &cost, &release))
		elog(ERROR, "a parameter of a private aggregate has no value");
	return sqrt(cost.mu_squared);
}

int
gaussdp_largest_bin(const GaussdpPlannedRelease *planned)
{
	GaussdpCallParts parts;
	double smallest;
	int bin = GDP_LIMIT_OF_ONE;

	if (planned->least <= 0)
		return GDP_LIMIT_BINS - 1;
	if (!gaussdp_call_parts(planned->level, planned->call, &parts))
		elog(ERROR, "a parameter of a private aggregate has no value");
	while (bin + 1 < GDP_LIMIT_BINS)
	{
		parts.k = gdp_limit_rows(bin + 1);
		if (!(gaussdp_hiding_delta(planned->level, &parts, (double) planned->least, &smallest) <=
			  gaussdp_call_delta(&parts.call, parts.values, parts.isnull)))
			break;
		bin++;
	}
	return bin;
}

/* The histograms: a person is in one bin of each, so that together they move by what all calls have set aside for them. */
static bool
price_finding(const GaussdpPlannedRelease *planned, GaussdpRelease *release)
{
	double mu_squared = 0;
	GaussdpRelease one;
	ListCell *lc;

	foreach (lc, planned->finding)
	{
		if (!gaussdp_price(lfirst(lc), &one))
			return false;
		mu_squared += gaussdp_finding_mu_squared(lfirst(lc)) * (1 + 0x1p-40);
		release->delta = one.delta;
	}
	take_name(planned, "max_rows", release);
	release->l2_sensitivity = 1;
	release->sigma = 1 / sqrt(mu_squared) * (1 + 0x1p-40);
	release->numbers = GDP_LIMIT_BINS;
	set_costs(release, mu_squared, 0);
	return true;
}

bool
gaussdp_price(const GaussdpPlannedRelease *planned, GaussdpRelease *release)
{
	GaussdpCost cost;

	memset(release, 0, sizeof(*release));
	if (planned->call == NULL)
		return price_finding(planned, release);
	if (!cost_of(planned, &cost, release))
		return false;
	if (!(cost.mu_squared <= MAX_MU * MAX_MU))
	{
		gaussdp_count_refusal(GAUSSDP_RULE_BUDGET);
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("a release of mu %.6g hides hardly anything", sqrt(cost.mu_squared)),
				 errdetail("Rule 9 (budget): a single release may cost mu = %g at most.", MAX_MU),
				 errhint("Use a smaller epsilon.")));
	}
	take_name(planned, get_func_name(planned->call->aggfnoid), release);
	release->l2_sensitivity = cost.coord[0].sensitivity;
	release->sigma = cost.coord[0].sigma;
	release->numbers = cost.ncoords;
	set_costs(release, cost.mu_squared, cost.threshold_delta);
	return true;
}

GaussdpCallRelease *
gaussdp_prepare_planned_release(const GaussdpPlannedRelease *planned)
{
	const GaussdpLevel *level = planned->level;
	const GaussdpFoundRows *found = gaussdp_found_rows(level, planned->call);
	GaussdpCallParts parts;
	GaussdpCallRelease *release;

	if (!gaussdp_call_parts(level, planned->call, &parts))
		elog(ERROR, "a parameter of a private aggregate has no value");
	release = gaussdp_prepare_call_release(&parts.call, parts.values, parts.isnull,
										   level->is_weighted, parts.k, planned->call->aggtype);
	if (found != NULL && found->is_found)
		gaussdp_say_cut(release, found->cut, found->most);
	return release;
}

double
gaussdp_release_half_width(const GaussdpPlannedRelease *planned, double n)
{
	GaussdpCallParts parts;

	if (!gaussdp_call_parts(planned->level, planned->call, &parts))
		elog(ERROR, "a parameter of a private aggregate has no value");
	return gaussdp_call_half_width(&parts.call, parts.values, parts.isnull,
								   planned->level->is_weighted ? parts.k : 0, n);
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
