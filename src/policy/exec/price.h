/*
 * price.h
 *		What a level releases, and what that costs.
 */
#ifndef GAUSSDP_POLICY_EXEC_PRICE_H
#define GAUSSDP_POLICY_EXEC_PRICE_H

#include "postgres.h"

#include "aggregate/calls.h"
#include "ledger/ledger.h"
#include "policy/proof/proof.h"

/*
 * A release to come: a dp_ call of a level, over all its groups, whose parameters may not be known yet; or the histograms of people
 * by which a level finds as how many rows they count in its calls (find_rows.c), which are one joint release.
 */
typedef struct GaussdpPlannedRelease
{
	const GaussdpLevel *level;
	const Aggref *call; /* NULL for the histograms */
	List *finding;      /* of GaussdpPlannedRelease: the calls that these are for */
	int64 least;        /* of a dp_count that hides groups: the least count shown; else 0 */
} GaussdpPlannedRelease;

/*
 * The calls of verified levels as releases to come, a List of GaussdpPlannedRelease: equal ones of a level are one draw.  Where a level
 * has still to find rows, its histograms are the last.
 */
extern List *gaussdp_level_releases(List *levels);

/* The same of one level before or after it has found rows: all that it releases, its histograms first. */
extern List *gaussdp_all_releases(const GaussdpLevel *level);

/*
 * The release with its price, as it is charged; false where a parameter is no constant yet.  22023 for
 * parameters out of range, 42501 beyond the limit on a single release.
 */
extern bool gaussdp_price(const GaussdpPlannedRelease *planned, GaussdpRelease *release);

/* What a call sets aside for its histogram, mu^2: beside what it costs itself.  All parameters are known. */
extern double gaussdp_finding_mu_squared(const GaussdpPlannedRelease *planned);

/* The mu of the noise that the call itself has. */
extern double gaussdp_call_mu(const GaussdpPlannedRelease *planned);

/* The largest power of two that may be found for it, so that its threshold in HAVING hides one person. */
extern int gaussdp_largest_bin(const GaussdpPlannedRelease *planned);

/* What is released of its states, as it is priced. */
extern GaussdpCallRelease *gaussdp_prepare_planned_release(const GaussdpPlannedRelease *planned);

/* How far off its answers over groups of n rows may be: gaussdp_call_half_width(); of a release that has a price. */
extern double gaussdp_release_half_width(const GaussdpPlannedRelease *planned, double n);

/* All of them that have a price; *n is how many. */
extern GaussdpRelease *gaussdp_priced_releases(List *planned, int *n);

#endif /* GAUSSDP_POLICY_EXEC_PRICE_H */
