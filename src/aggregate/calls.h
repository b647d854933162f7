/*
 * calls.h
 *		The private aggregates as others see them: which calls there are and what each costs.
 *
 * The policy reads it to recognise a call in a query and to charge it; nothing of it looks at data.
 */
#ifndef GAUSSDP_AGGREGATE_CALLS_H
#define GAUSSDP_AGGREGATE_CALLS_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

#include "aggregate/state.h"

/* One overload of one aggregate. */
typedef struct GaussdpCall
{
	GaussdpKind kind;
	bool has_value; /* the first argument is the value, the parameters follow */
	int first;      /* index of the first parameter among the aggregate's arguments */
	int nparams;
	bool lacks_bounds; /* the three-argument form: no parameters to calibrate until rewritten */
	bool finds_bounds; /* from the data, privately */
	bool is_estimate;  /* returns dp_estimate */
	bool decides_on_groups; /* says whether a group may be shown, and costs a delta for that */
	bool hides_groups;      /* does so when compared with a number: gaussdp_count_hiding */
} GaussdpCall;

/* What one call costs under the policy, over all of its groups. */
typedef struct GaussdpCost
{
	int ncoords;
	struct
	{
		double sensitivity; /* enforced, L2, rounded up */
		double sigma;       /* real standard deviation of the noise */
	} coord[lengthof(((GaussdpParams *) 0)->noise)];
	double mu_squared;      /* sum over the coordinates of (sensitivity / sigma)^2, rounded up */
	double threshold_delta; /* for deciding about a group's presence; 0 for most calls */
} GaussdpCost;

/*
 * Whether aggfnoid is an aggregate of this extension, and which.  By membership in the extension and
 * by name, so that an aggregate of the same name elsewhere is none.
 */
extern bool gaussdp_call_of(Oid aggfnoid, GaussdpCall *call);

/* The aggregate of this name and these argument types, in the schema of aggfnoid; an error where there is none. */
extern Oid gaussdp_call_sibling(Oid aggfnoid, const char *name, List *argtypes);

/* The same in gaussdp_internal, where the aggregates stand that take their parameters packed. */
extern Oid gaussdp_call_packed(const char *name, List *argtypes);

/*
 * The cost of a call with these parameters (values[i], isnull[i]: nparams of them, as the aggregate
 * takes them), where the policy enforces that a unit owns at most rows rows of the level.  What the
 * caller says of rows or sensitivity only scales the noise; a count is never cheaper than rows.
 * Raises 22023 for parameters that the call itself would refuse.
 */
extern void gaussdp_call_cost(const GaussdpCall *call, const Datum *values, const bool *isnull,
							  double rows, GaussdpCost *cost);

/*
 * For calls that hide groups: the delta of showing only groups whose count, with these parameters, is at least
 * `least`: how likely
 * a group of one person's rows is to be shown, at most.  *smallest is the smallest number for which
 * that is no more than the call's own delta.
 */
extern double gaussdp_count_hiding(const GaussdpCall *call, const Datum *values, const bool *isnull,
								   double rows, double least, double *smallest);

/* The delta among these parameters; 22023 where one is NULL. */
extern double gaussdp_call_delta(const GaussdpCall *call, const Datum *values, const bool *isnull);

/* The name of parameter i, for messages. */
extern const char *gaussdp_call_parameter(const GaussdpCall *call, int i);

#endif /* GAUSSDP_AGGREGATE_CALLS_H */
