/*
 * price.h
 *		What a level releases, and what that costs.
 */
#ifndef GAUSSDP_POLICY_ROOM_PRICE_H
#define GAUSSDP_POLICY_ROOM_PRICE_H

#include "postgres.h"

#include "ledger/ledger.h"
#include "policy/query/query.h"

/* One draw of noise: a dp_ call of a level, over all its groups. */
typedef struct GaussdpPlannedRelease
{
	const GaussdpLevel *level;
	const Aggref *call;
	int64 least; /* of a dp_count that hides groups: the least count shown; else 0 */
} GaussdpPlannedRelease;

/* What a release costs. */
typedef struct GaussdpPrice
{
	double sensitivity;     /* enforced, L2, of the released value's first coordinate */
	double sigma;           /* standard deviation of its noise, in the same unit */
	int ncoords;            /* numbers released together */
	double delta;           /* as the call gives it */
	double mu_squared;      /* of the whole release, rounded up */
	double max_rows;        /* as how many rows a person counts; 0 where one row is all that a person owns */
	double threshold_delta; /* for deciding about a group's presence; 0 for most calls */
} GaussdpPrice;

/* The calls of verified levels as releases, a List of Release: equal ones of a level are one draw. */
extern List *gaussdp_level_releases(List *levels);

/*
 * What the release costs; false where a parameter is no constant yet.  22023 for parameters out of range, 42501
 * beyond the cap on a single release.
 */
extern bool gaussdp_price(const GaussdpPlannedRelease *release, GaussdpPrice *price);

/* The releases, as the ledger takes them; *n is how many have a price, which are first. */
extern GaussdpRelease *gaussdp_priced_releases(List *releases, int *n);

#endif /* GAUSSDP_POLICY_ROOM_PRICE_H */
