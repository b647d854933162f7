/*
 * find_rows.c
 *		As how many rows a person counts in each call of a level, found in the rows themselves.
 *
 * Where an owner has declared max_rows as found, the level is read twice.  The first time it is planned and run as if a person counted
 * as one row; nothing of its numbers is released.  The node that weighs rows counts people by the bin of their norm (core/limit.c),
 * one histogram for each size of rows that calls have.  Noise is drawn for these, and what stands out of it decides, for each size,
 * as which power of two of rows a person counts.  The second time is an ordinary run with these numbers.
 *
 * The histograms are released like any answer: charged before the first row, from the part that each call has set aside of its own
 * mu^2 (proof.h), so that a level costs what it does with declared numbers.  Calls of the same size share a histogram, which has
 * the parts of all of them.  What is found is released, and may be shown.
 *
 * Where a number is given, and gaussdp.cut_share is not 0, the same is done to say what it cuts off: nothing is chosen then.
 *
 * How many groups there are is known only where their keys are public, all of which appear whatever the rows are.
 */
#include "postgres.h"

#include <math.h>

#include "aggregate/random.h"
#include "core/grid.h"
#include "policy/exec/find_rows.h"
#include "policy/exec/price.h"
#include "report.h"

/* As if there were so many groups where they are found in the data. */
#define UNKNOWN_GROUPS 100

/* A histogram need not be more exact; and noise is proven up to a mu of 13 (core/grid.c). */
#define MOST_MU 8

struct GaussdpFinding
{
	int64 *people; /* GDP_LIMIT_BINS of each weight */
	int64 groups;
};

typedef struct Counter
{
	DestReceiver base;
	GaussdpFinding *finding;
} Counter;

bool
gaussdp_has_to_find(const GaussdpLevel *level)
{
	ListCell *lc;

	foreach (lc, level->found == NIL ? level->calls : NIL)
		if (gaussdp_histogram_share(level, lfirst_node(Aggref, lc)) > 0)
			return true;
	return false;
}

static bool
count_group(TupleTableSlot *row, DestReceiver *self)
{
	((Counter *) self)->finding->groups++;
	return true;
}

static void
begin_receiving(DestReceiver *self, int operation, TupleDesc columns)
{
}

static void
end_receiving(DestReceiver *self)
{
}

DestReceiver *
gaussdp_receive_groups(GaussdpRoom *room)
{
	Counter *counter = palloc0(sizeof(Counter));

	counter->base = (DestReceiver){
		.receiveSlot = count_group,
		.rStartup = begin_receiving,
		.rShutdown = end_receiving,
		.rDestroy = end_receiving,
		.mydest = DestNone,
	};
	room->finding = counter->finding = palloc0(sizeof(GaussdpFinding));
	return &counter->base;
}

void
gaussdp_prepare_finding(GaussdpRoom *room, const QueryDesc *query)
{
	GaussdpFinding *finding = room->finding;

	finding->people =
		palloc0(sizeof(int64) * GDP_LIMIT_BINS * list_length(room->weighing->weights));
	gaussdp_count_people(query->planstate, finding->people);
}

/* Counts with noise, and their standard deviation. */
static double
release_counts(int64 *people, double mu, double *counts)
{
	gdp_noise noise;

	gaussdp_report(gdp_noise_coordinate(mu, 1 / mu * (1 + 0x1p-50), 1, 0, &noise), "mu", mu);
	for (int bin = 0; bin < GDP_LIMIT_BINS; bin++)
	{
		gdp_int128 steps = gdp_grid_total(people[bin], noise.exponent);

		counts[bin] = gdp_grid_value(gaussdp_add_noise(steps, &noise), noise.exponent);
		people[bin] = 0; /* not needed any more, by anybody */
	}
	return noise.sigma;
}

/* Has this call a share of the histogram of this weight? */
static bool
has_share(const GaussdpLevel *level, const GaussdpWeight *weight, const Aggref *call)
{
	return call != NULL && gaussdp_histogram_share(level, call) > 0 &&
		   list_member(weight->calls, call);
}

static double
groups_of(const GaussdpRoom *room)
{
	return room->level->finds_groups ? UNKNOWN_GROUPS : (double) Max(room->finding->groups, 1);
}

/*
 * One who is counted in each of all groups, where these are known, has the square root of their number.  A row of a sum has the size of its
 * value, all others that of one row.
 */
static gdp_limit_range
range_of(const GaussdpRoom *room, const GaussdpCallParts *parts)
{
	gdp_limit_range range = {GDP_LIMIT_OF_ONE, GDP_LIMIT_BINS - 1, GDP_LIMIT_BINS - 1};

	if (parts->call.sized_by_value)
		range.least = 0;
	if (!room->level->finds_groups && parts->of_people)
		range.possible =
			Min(GDP_LIMIT_OF_ONE + (int) ceil(log2(groups_of(room)) / 2), GDP_LIMIT_BINS - 1);
	return range;
}

/* The number with the least error for those of these calls that find one. */
static gdp_limit
limit_for(const GaussdpRoom *room, List *releases, const double *counts, double sigma,
		  gdp_limit_range range)
{
	double sum = 0;
	int n = 0;
	ListCell *lc;

	foreach (lc, releases)
	{
		const GaussdpPlannedRelease *planned = lfirst(lc);

		if (!gaussdp_finds_rows(room->level, planned->call))
			continue;
		sum += gaussdp_call_mu(planned) * gaussdp_call_mu(planned);
		range.largest = Min(range.largest, gaussdp_largest_bin(planned));
		n++;
	}
	return gdp_limit_choose(counts, sigma, groups_of(room), sqrt(sum / n), range);
}

/* What is found for the calls of one size, by its histogram. */
static List *
find_for(const GaussdpRoom *room, const GaussdpWeight *weight, int64 *people, List *releases)
{
	const GaussdpLevel *level = room->level;
	double counts[GDP_LIMIT_BINS];
	double mu_squared = 0;
	List *sharing = NIL;
	List *result = NIL;
	double sigma;
	ListCell *lc;

	foreach (lc, releases)
	{
		const GaussdpPlannedRelease *planned = lfirst(lc);

		if (!has_share(level, weight, planned->call))
			continue;
		mu_squared += gaussdp_finding_mu_squared(planned);
		sharing = lappend(sharing, lfirst(lc));
	}
	if (sharing == NIL)
		return NIL;
	sigma = release_counts(people, fmin(sqrt(mu_squared), MOST_MU), counts);
	foreach (lc, sharing)
	{
		const GaussdpPlannedRelease *planned = lfirst(lc);
		GaussdpFoundRows *found = palloc0(sizeof(GaussdpFoundRows));
		GaussdpCallParts parts;
		gdp_limit limit;

		if (!gaussdp_call_parts(level, planned->call, &parts))
			elog(ERROR, "a parameter of a private aggregate has no value");
		limit = gaussdp_finds_rows(level, planned->call)
					? limit_for(room, sharing, counts, sigma, range_of(room, &parts))
					: gdp_limit_given(counts, sigma, parts.most, range_of(room, &parts));
		found->call = planned->call;
		/* Over S grouping sets a person has sqrt(S) times the norm, and the call counts as many times as it says: whole rows, if any. */
		found->rows = gdp_limit_rows(limit.bin) / sqrt((double) level->nsets);
		if (found->rows > 1 || !parts.call.sized_by_value)
			found->rows = fmax(1, ceil(found->rows));
		found->cut = limit.cut;
		found->most = limit.most;
		found->is_found = limit.is_found;
		result = lappend(result, found);
	}
	return result;
}

List *
gaussdp_release_found(const GaussdpRoom *room)
{
	List *releases = gaussdp_level_releases(list_make1(room->level));
	List *found = NIL;
	int n = 0;
	ListCell *lc;

	foreach (lc, releases)
		n += list_length(((GaussdpPlannedRelease *) lfirst(lc))->finding);
	foreach (lc, room->weighing->weights)
		found = list_concat(
			found,
			find_for(room, lfirst(lc),
					 room->finding->people + foreach_current_index(lc) * GDP_LIMIT_BINS, releases));
	/* Each has paid for its part of one histogram. */
	if (list_length(found) != n)
		elog(ERROR, "a call has no histogram of its own");
	return found;
}
