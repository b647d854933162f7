/*
 * plan.h
 *		The finished plan: checked against the verdict, stamped, and lifted when it is executed.
 *
 * The verdict travels in the plan itself, so that it lives in plan caches as long as the plan does:
 * each approved range-table entry carries a mark, and one entry more at the end of the range table,
 * the stamp, lists the releases to pay for.  Neither reaches parallel workers or storage, and no SQL
 * can write them.
 */
#ifndef GAUSSDP_POLICY_PLAN_H
#define GAUSSDP_POLICY_PLAN_H

#include "postgres.h"

#include "nodes/params.h"
#include "nodes/plannodes.h"

#include "policy/verify.h"

/* Marks the entry as number level (from 0), or removes a mark; the mark survives planning. */
extern void gaussdp_mark_entry(RangeTblEntry *entry, int level);
extern void gaussdp_unmark_entry(RangeTblEntry *entry);

/* The level of a marked entry, or -1. */
extern int gaussdp_marked_level(const RangeTblEntry *entry);

/* Before that, the mark of an entry that is to be proven; copies of the entry have it too. */
extern void gaussdp_mark_to_prove(RangeTblEntry *entry);
extern bool gaussdp_is_to_prove(const RangeTblEntry *entry);

/* A reason why the finished plan is not what was verified, or NULL (a full sentence as in a DETAIL). */
extern const char *gaussdp_plan_problem(PlannedStmt *plan, List *levels);

/* The CTEs of public rows that levels of the plan read: numbers of subplans, from 1. */
extern Bitmapset *gaussdp_public_ctes(PlannedStmt *plan);

/* One dp_ call as written. */
typedef struct Release
{
	Oid aggregate;
	Oid relation;
	int64 least;      /* of a dp_count that hides groups: the least count shown; else 0 */
	List *parameters; /* expressions over constants and external parameters */
} Release;

/* Appends the stamp: what gaussdp_level_releases found before the query was planned. */
extern void gaussdp_stamp_plan(PlannedStmt *plan, List *releases);

/* Does the plan carry a stamp? */
extern bool gaussdp_is_stamped(const PlannedStmt *plan);

/* The releases of a stamped plan, or of verified levels: lists of Release. */
extern List *gaussdp_stamped_releases(const PlannedStmt *plan);
extern List *gaussdp_level_releases(List *levels);

/* What a release costs. */
typedef struct Price
{
	double sensitivity;     /* enforced, L2, of the released value's first coordinate */
	double sigma;           /* standard deviation of its noise, in the same unit */
	int ncoords;            /* numbers released together */
	double delta;           /* as the call gives it */
	double mu_squared;      /* of the whole release, rounded up */
	double threshold_delta; /* for deciding about a group's presence; 0 for most calls */
} Price;

/*
 * What the release costs with these parameters; false where one has no value yet (params is NULL).
 * 22023 for parameters out of range, 42501 beyond the cap on a single release.
 */
extern bool gaussdp_price(const Release *release, ParamListInfo params, Price *price);

#endif /* GAUSSDP_POLICY_PLAN_H */
