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
	const char *name; /* of the aggregate, without "_estimate": dp_var or dp_stddev */
	bool has_value;   /* the first argument is the value, the parameters follow */
	int first;        /* index of the first parameter among the aggregate's arguments */
	int nparams;
	bool lacks_numbers;     /* a short form without epsilon or delta, until it is rewritten */
	bool lacks_bounds;      /* any short form: no parameters to calibrate until rewritten */
	bool finds_bounds;      /* from the data, privately */
	bool is_estimate;       /* returns dp_estimate */
	bool of_pairs;          /* the value is an array of two numbers, each with bounds of its own */
	bool decides_on_groups; /* says whether a group may be shown, and costs a delta for that */
	bool hides_groups;      /* does so when compared with a number: gaussdp_count_hiding */
	bool has_weighted_form; /* may be asked where people own several rows */
	bool sized_by_value;    /* a row counts for as much as its value, not as a whole one */
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

/* The aggregate of this name and these argument types, where the extension has its own. */
extern Oid gaussdp_call_named(const char *name, List *argtypes);

/* A function of gaussdp_internal, by name and types; an error where there is none of the extension's. */
extern Oid gaussdp_own_function(const char *name, List *argtypes);

/*
 * Puts one more argument into a call, at this place among those that it has; columns of an ORDER BY in the call may
 * follow them.  It is another aggregate then, a sibling.
 */
extern void gaussdp_insert_argument(Aggref *call, int place, Expr *value);

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

/*
 * How far off an answer over n rows may be: the half width of a 95 % interval of its noise, for each of its numbers, at
 * most, wherever the values lie between the bounds; of a quantile that of its rank, in rows.  NAN where it depends on bounds
 * that are found in the data.  k is the last parameter of the weighted call; 0: there are no weights.
 */
extern double gaussdp_call_half_width(const GaussdpCall *call, const Datum *values,
									  const bool *isnull, double k, double n);

/*
 * What a private block releases of a call: states with exactly the parameters by which the call is charged, values and
 * isnull being those of gaussdp_call_cost or, weighted, with k of gaussdp_weighted_cost; type is the call's own.
 */
typedef struct GaussdpCallRelease GaussdpCallRelease;
extern GaussdpCallRelease *gaussdp_prepare_call_release(const GaussdpCall *call,
														const Datum *values, const bool *isnull,
														bool weighted, double k, Oid type);

/* If it is an estimate: what part of people's rows is cut off, about and at most, which has been released before. */
extern void gaussdp_say_cut(GaussdpCallRelease *release, double cut, double most);

/*
 * A serialized state of the call, in the memory at hand, and what is released of it, once.  22P03 where the bytes are no state
 * with these parameters; a release never fails by what is in the state.
 */
extern void *gaussdp_read_state(GaussdpCallRelease *release, const bytea *bytes);
extern Datum gaussdp_release_state(const GaussdpCallRelease *release, void *state);

/*
 * Draws, and says by what part of its value the answer may be off: the half width of its 95 % interval, beside the value; 0 of an
 * average that plain SQL shows as NULL.  It is computed of what is released alone.  NAN for answers that are not one number.
 */
extern double gaussdp_release_roughness(const GaussdpCallRelease *release, void *state);

/* Draws, and says what part of the answer may lie beyond bounds that are found in the data: gaussdp_auto_beyond(); else 0. */
extern double gaussdp_release_beyond(const GaussdpCallRelease *release, void *state);

/* Its parameters, checked and calibrated. */
extern void gaussdp_call_params(GaussdpParams *params, const GaussdpCall *call, const Datum *values,
								const bool *isnull, bool weighted, double k);

/* How many numbers plain SQL has shown as NULL, since their counts are lost in noise: sets this, and gives what it was. */
extern int gaussdp_set_lost_numbers(int n);

/* The delta among these parameters; 22023 where one is NULL. */
extern double gaussdp_call_delta(const GaussdpCall *call, const Datum *values, const bool *isnull);

/* Where a short form has epsilon, delta; -1 where it leaves it out. */
extern int gaussdp_short_place(const GaussdpCall *call, GaussdpParamName name);

/* Where a whole form has epsilon, delta; -1 where it has none of that name. */
extern int gaussdp_call_place(const GaussdpCall *call, GaussdpParamName name);

/* The name of parameter i, for messages. */
extern const char *gaussdp_call_parameter(const GaussdpCall *call, int i);

/* ---------------------------------------------------------------------------
 * People who own many rows: weights
 * ---------------------------------------------------------------------------
 * A row of such a level has a size for a call, at least how much it can move the call's exact numbers:
 * in units of 2^-20 of the most that a row may.  A person's weight m for a call is the same for all of
 * their rows; a row adds trunc(c m / 2^31), coordinate by coordinate, where the call without weights
 * adds c.  In SQL:
 *
 *		size		gaussdp_internal.row_size(kind, params, value); 2^20 where every row counts
 *		size_sum	gaussdp_internal.size_sum(size) OVER (PARTITION BY unit, keys)
 *		m			gaussdp_internal.person_weight(size, size_sum, k20) OVER (PARTITION BY unit)
 *		call		gaussdp_internal.NAME_weighted(m, params [, value])
 *
 * Of a histogram each bin of a group, gaussdp_internal.row_bin(kind, params, value), is a group for size_sum.  Sums, averages
 * and variances are clipped as a whole, by what the person's rows in a group add up to, all coordinates together, which is weighed once:
 *
 *		total		gaussdp_internal.person_total(kind, params, value) OVER (PARTITION BY unit, keys)
 *		m			gaussdp_internal.total_weight(total, kind, params, k20) OVER (PARTITION BY unit), of one row of each group
 *		call		gaussdp_internal.NAME_weighted(gaussdp_internal.clip_total(total, m), params), of these rows
 *
 * k20 is 2^20 k as int8, k the sensitivity in rows: a person moves the numbers of all groups together
 * by at most k times what one row may move them by.  m = 2^31 is the whole row, and adds what it adds
 * without weights; NULL is 0.  A row that FILTER leaves out has size 0 for the call.
 *
 * dp_count(DISTINCT unit, epsilon, delta, C) is a count without value whose rows have size 2^20 where
 * they are the first of their person in the group and 0 else, and k = C, which may be a fraction.
 * dp_keep_group is the same with k = 1.  Both add m for every row that reaches them: the caller lets
 * the first of a person in a group through alone, by FILTER or as NULL for m.
 *
 * Where all calls of a level have states that are totals, of counts, sums, averages and variances, the plan node adds people up itself,
 * and hands up totals: NAME_weighted(total, params).
 *
 * Weights must come from the sizes of the very call, or larger ones: each call's sensitivity rests on its
 * rows' contributions within their sizes, that of calls that find their bounds also on whole sizes for
 * all rows that count.
 *
 * The aggregates combine, and are parallel safe: weights are of rows, whoever adds them.  Who weighs must see all rows
 * of a person: window functions do, since no plan above them is partial, and the plan node that stands in their place
 * (policy/people/people.h), which the plan's proof looks at.
 */

/* One whole row in sizes, and in weights, is GDP_SIZE_ROW and GDP_WEIGHT_ROW of core/core.h. */

/*
 * By OID: row_size(kind int4, params float8[], value "any") RETURNS int8, kind being call->kind and
 * params those of gaussdp_weighted_params, constants both; the aggregate size_sum(int8) RETURNS int8;
 * the aggregate person_weight(size int8, size_sum int8, k20 int8) RETURNS int8.
 */
extern Oid gaussdp_row_size_function(void);
extern Oid gaussdp_row_bin_function(void);
extern Oid gaussdp_person_total_aggregate(void);
extern Oid gaussdp_total_weight_aggregate(void);
extern Oid gaussdp_clip_total_function(void);

/* What a person's weight for a call is of. */
typedef enum GaussdpNorm
{
	GAUSSDP_NORM_ROWS, /* the sizes of their rows in each group */
	GAUSSDP_NORM_BINS, /* their rows in each bin of each group */
	GAUSSDP_NORM_JOINT /* what their rows in each group add up to, all coordinates together */
} GaussdpNorm;

extern GaussdpNorm gaussdp_norm_of(GaussdpKind kind);
extern Oid gaussdp_size_sum_aggregate(void);
extern Oid gaussdp_person_weight_aggregate(void);

/*
 * What a call of row_size computes of a value that is not null, its constants checked once; and what such a row adds.  Both may
 * leave something in the memory context at hand where the value is not passed by value.
 */
typedef struct GaussdpSizing
{
	int64 (*size)(const GaussdpParams *params, Datum value, Oid type); /* of the kind (kinds.h) */
	GaussdpWeigh weigh; /* what its rows add, for the plan node; NULL where the state is no total */
	gdp_int128 (*add_squares)(const GaussdpParams *params, const GaussdpTotal *own,
							  gdp_int128 squares);                  /* likewise of the kind */
	int (*bin)(const GaussdpParams *params, Datum value, Oid type); /* likewise */
	const GaussdpParams *params;
	Oid type; /* of the value */
} GaussdpSizing;
extern GaussdpSizing *gaussdp_prepare_sizing(const FuncExpr *call);

static inline int64
gaussdp_size_by(const GaussdpSizing *sizing, Datum value)
{
	return sizing->size(sizing->params, value, sizing->type);
}

/*
 * What equal numerics have in common, whatever their scales: a number, and so many bytes of digits.  Both are the same for
 * equal ones alone.  The digits are the numeric's own, which is fetched where it is stored elsewhere (numeric.c).
 */
extern int64 gaussdp_numeric_image(Datum numeric, const char **digits, Size *length);

/* Has a numeric, which is neither compressed nor stored elsewhere, more digits before the point, or behind it? */
extern bool gaussdp_numeric_is_long(Datum numeric, int digits);

/* How many digits a power of two numerics has before the point, with an error far below 1; NaN where one of them is no number, or the base is next to 1. */
extern double gaussdp_digits_of_power(Datum base, Datum exponent);

/*
 * What takes the place of a call: the aggregate of its kind, which has the call's state, with the arguments (int8, float8[]),
 * or (int8, float8[], "any") where the call has a value, which is passed as it is in the call.  Its answer is that of the kind's
 * first name, whichever name the call has.  Of a joint norm it is the one over totals.  call->lacks_bounds must be false.
 */
extern Oid gaussdp_weighted_aggregate(const GaussdpCall *call);

/* The same over totals, (bytea, float8[]); InvalidOid where the call's state is none. */
extern Oid gaussdp_total_aggregate(const GaussdpCall *call);

/*
 * Its params: a float8[] of the call's own parameters without max_rows (for counts: l2_sensitivity),
 * then k.  k is a whole number from 1 to 2^32; of counts it may be a fraction, from 2^-20 on.  For
 * dp_keep_group its place is that of max_groups, a whole number from 1 to 2^32: k is 1 there.
 * values and isnull as in gaussdp_call_cost; raises 22023 for what the call or the aggregate refuses.
 */
extern Const *gaussdp_weighted_params(const GaussdpCall *call, const Datum *values,
									  const bool *isnull, double k);

/* The parameter that says so, max_rows or the l2_sensitivity of a count; -1 where there is none. */
extern int gaussdp_call_rows_parameter(const GaussdpCall *call);

/* The k that the call itself asks for by max_rows or l2_sensitivity, or otherwise where it has none. */
extern double gaussdp_call_rows(const GaussdpCall *call, const Datum *values, const bool *isnull,
								double otherwise);

/* What the weighted aggregate costs; arguments as for gaussdp_weighted_params. */
extern void gaussdp_weighted_cost(const GaussdpCall *call, const Datum *values, const bool *isnull,
								  double k, GaussdpCost *cost);

/* What a weighted count counts. */
typedef enum GaussdpCounted
{
	GAUSSDP_COUNTED_ROWS,  /* those of one person in a group weigh at most k together */
	GAUSSDP_COUNTED_PEOPLE /* each weighs min(1, k / sqrt(g)) in each of their g groups */
} GaussdpCounted;

/*
 * As gaussdp_count_hiding, for the weighted form of a call that hides groups: the delta of showing only groups whose
 * released count is at least `least`, all groups of one person together, who has at most max_groups
 * of them in the level; 1 where nothing is proven.  *smallest is the smallest whole number for which
 * that is no more than the call's own delta.
 */
extern double gaussdp_weighted_hiding(const GaussdpCall *call, const Datum *values,
									  const bool *isnull, double k, GaussdpCounted counted,
									  double max_groups, double least, double *smallest);

#endif /* GAUSSDP_AGGREGATE_CALLS_H */
