/*
 * state.h
 *		Parameters and states of the aggregates, and what every aggregate is made of.
 *
 * Reads from core/core.h; used by each file of this folder.  The way of a call:
 *
 *		transition	arguments -> parameters, once per query: checked, calibrated, a grid chosen;
 *					per row: clamped, rounded to the grid, added as an integer
 *		combine		integers are added, so that neither the order of rows nor the plan matters
 *		final		noise is drawn as an integer and added; the sum becomes a double, rounded once
 *
 *		release.c		from a state to what is released
 *		kinds.c			what each kind of call is: names, forms, parameters, calibration, cells, thresholds; all others read it there
 *		args.c			arguments -> GaussdpParams: checked and calibrated
 *		intern.c		once per query
 *		count.c, sum.c, avg.c		one number: per row, and from the final state to a number
 *		variance.c, histogram.c, cdf.c, quantile.c, quantiles.c, vector.c, regression.c, automatic.c, bounds_found.c	several numbers
 *		within.c, narrow.c	of automatic bounds: sums of clamped values, and a closer look (automatic.h)
 *		keep.c			may a group be shown?
 *		estimate.c		the released value with its error bars
 *		numeric.c		numerics as doubles
 *		serialize.c		states of one number: combine, serialize, deserialize
 *		cells.c			the same of several numbers
 *		leaves.c		the same of rows in leaves, of which few have any
 *		random.c		random bits
 *		people.c		sizes of rows and weights of people, as SQL functions
 *		weighted.c		rows of people who own many, by these weights (weighted.h)
 *		calls.c			calls and their costs, as the policy reads them
 *		bounds.c		calls without bounds, resolved as a query is planned
 *		pack.c			constant parameters in one array, as a query is planned
 *
 * Other folders include calls.h, bounds.h, pack.h and random.h; citus/, which releases sums of its own, also this header and cells.h.
 *
 * Invariants
 *		The state of a group exists from its first row on, whether that row counts or not, and holds
 *		its parameters by pointer; an empty group has a NULL state.
 *		A value of a row never raises an error and is never part of a message.
 *		After a release the state holds the released numbers in place of the exact ones, so that a second call of the final
 *		function gives the same.  FINALFUNC_MODIFY = READ_WRITE makes PostgreSQL refuse the aggregates as window functions.
 *		The final function of an empty group takes the arguments from the plan, and so does the serialization of a partial
 *		plan: an empty group gets noise like all others.
 */
#ifndef GAUSSDP_AGGREGATE_STATE_H
#define GAUSSDP_AGGREGATE_STATE_H

#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "lib/stringinfo.h"
#include "nodes/primnodes.h"
#include "port/pg_bswap.h"

#include "aggregate/kinds.h"
#include "aggregate/random.h"
#include "compat.h"
#include "core/core.h"
#include "core/grid.h"
#include "core/search.h"

/* Whole numbers up to here, and no further, are all doubles: 2^53. */
#define GAUSSDP_MAX_PACKED_INTEGER 9007199254740992.0

/*
 * Most rows of one person, or groups, that a weighted call covers: 2^32.  And the least, one unit of sizes: what is
 * less has no weight, which would be found out at the first row.
 */
#define GAUSSDP_MAX_WEIGHTED_ROWS 4294967296.0
#define GAUSSDP_MIN_WEIGHTED_ROWS 0x1p-20

/*
 * Checked and calibrated parameters.  A row's contribution to coordinate 0 is
 * rint(clamp((x - centre) * scale, low, high)): an integer, whatever x is, so that the sensitivity
 * holds exactly whatever the rounding of that expression does.
 */
typedef struct GaussdpParams
{
	GaussdpKey key;
	bool shared;   /* owned by the query, not by one group's memory */
	double centre; /* subtracted from each value; 0 for sums */
	double scale;  /* 2^-noise[0].exponent */
	double low;    /* clamp, in grid steps: integers of at most 2^51 */
	double high;
	int64 most;         /* the larger of both without its sign: what one row may add */
	double edge_margin; /* of cells: a value this close to an edge, in cells, is compared with it */
	gdp_bins bins;      /* of cells: where their edges are */
	gdp_leaves leaves;  /* of quantiles */
	double lower;       /* the bounds as given: results of averages stay within */
	double upper;
	double rows;            /* rows of one person that the sensitivities cover */
	gdp_int128 threshold;   /* of a group's noisy rows, in steps of noise[0] */
	double threshold_delta; /* what a decision about a group's presence costs; else 0 */
	int ncoords;            /* coordinates of the release */
	double sensitivity[6];  /* L2 sensitivity of each, rounded up */
	double share[6];        /* of mu^2, where coordinates are clipped together; else 0 */
	gdp_noise noise[6];     /* and its noise */
	int wire_length; /* of what each serialized state with these parameters begins with (serialize.c) */
	char wire[4 + GAUSSDP_MAX_NUMBERS * sizeof(int64)];
} GaussdpParams;

/* State of the scalar aggregates: 32 bytes. */
typedef struct GaussdpState
{
	union
	{
		gdp_int128 sum; /* of the contributions, in grid steps; noisy after a release */
		struct
		{
			double num; /* after the release of an average: noisy sum */
			double den; /* and noisy count */
		} ratio;
	};
	int64 n; /* rows that counted, saturating; GAUSSDP_RELEASED after a release */
	const GaussdpParams *params;
} GaussdpState;

#define GAUSSDP_RELEASED (-1)

StaticAssertDecl(sizeof(GaussdpState) == 32, "SSPACE in the SQL script says 32");

/* The same of a weighted call, where numbers of rows are no whole numbers and n stays 0. */
typedef struct GaussdpWeightedState
{
	GaussdpState state;
	gdp_int128 count; /* in steps of the grid of the count's noise */
} GaussdpWeightedState;

/* What rows of a weighted call add to its state: to the sum, to the count, and to the sum of squares. */
typedef struct GaussdpTotal
{
	gdp_int128 sum;
	gdp_int128 count;
	gdp_int128 squares;
} GaussdpTotal;

/* A total as the transitions take it: a bytea of at most so many bytes. */
#define GAUSSDP_PACKED_TOTAL (VARHDRSZ + sizeof(GaussdpTotal))
extern void gaussdp_pack_total(const GaussdpTotal *total, char packed[GAUSSDP_PACKED_TOTAL]);
extern GaussdpTotal gaussdp_unpack_total(const bytea *packed);

/* Adds a total of this weight, which is truncated toward zero on the grids of the noise. */
extern void gaussdp_add_clipped(const GaussdpTotal *total, int64 weight, GaussdpTotal *sum);

/* ---------------------------------------------------------------------------
 * Parameters (args.c)
 * ---------------------------------------------------------------------------
 */

/*
 * Parameters of the transition call in fcinfo, whose first is argument number first: checked,
 * calibrated and interned.  22023 with the value and the allowed range where one is NULL or out of range.
 */
extern const GaussdpParams *gaussdp_params_from_row(FunctionCallInfo fcinfo, GaussdpKind kind,
													int first);

/*
 * Parameters of a call that saw no row, from the expressions in the plan; fcinfo is that of a final
 * or of a serialization function.  0A000 where the plan no longer has them.
 */
extern const GaussdpParams *gaussdp_params_from_plan(FunctionCallInfo fcinfo, GaussdpKind kind);

/* Whether the arguments first .. end - 1 of a transition stay the same while the query runs. */
extern bool gaussdp_arguments_are_constant(FunctionCallInfo fcinfo, int first, int end);

/* Parameters with this key: checked, calibrated and interned. */
extern const GaussdpParams *gaussdp_params_intern(FunctionCallInfo fcinfo, const GaussdpKey *key);

/* The same parameters, in memory that lives as long as the state of the group. */
extern const GaussdpParams *gaussdp_params_keep(FunctionCallInfo fcinfo,
												const GaussdpParams *params);

/* Calibrates what has a key and nothing else; in kinds.c. */
extern void gaussdp_calibrate(GaussdpParams *params);

/* Checks and calibrates into *params; 22023 as above. */
extern void gaussdp_params_fill(GaussdpParams *params, const GaussdpKey *key);

/* 22023 unless the two are equal; for states that meet in combine. */
extern void gaussdp_params_require_equal(const GaussdpParams *a, const GaussdpParams *b);

/* Raises 22023 unless the arguments of this row equal params, bit by bit or as numbers. */
extern void gaussdp_params_compare(FunctionCallInfo fcinfo, const GaussdpParams *params, int first);

/*
 * The same of a weighted transition (state, m, params [, value]): its parameters are in an array, which is
 * constant in every plan that the policy makes.
 */
extern const GaussdpParams *gaussdp_params_from_weighted_row(FunctionCallInfo fcinfo,
															 GaussdpKind kind);

/* Takes an array of numbers into a key, that of a call or of a weighted one; 22023 where it is no such array. */
extern void gaussdp_key_unpack(GaussdpKey *key, GaussdpKind kind, bool weighted, Datum array,
							   bool isnull);

/* Takes numbers into a key of a weighted call; 22023 where they are none of its parameters. */
extern void gaussdp_weighted_key_fill(GaussdpKey *key, GaussdpKind kind, int n,
									  const double *values);

/* Whether two keys are the same to the bit. */
extern bool gaussdp_same_key(const GaussdpKey *a, const GaussdpKey *b);

/* What the type of a call's value says of its digits, for a key. */
extern void gaussdp_key_set_digits(GaussdpKey *key, const Expr *value);

/* Takes arguments into a key; 22023 where one is NULL. */
extern void gaussdp_key_fill(GaussdpKey *key, GaussdpKind kind, int nparams, const Datum *values,
							 const bool *isnull);

/* Memory that lives as long as the group's state; error outside of an aggregate. */
extern MemoryContext gaussdp_group_context(FunctionCallInfo fcinfo);

/* A call site's memory of its query: hangs on fn_extra and is a cache only. */
typedef struct GaussdpSite
{
	bool constant;              /* the parameters cannot change while the query runs */
	struct GaussdpCache *cache; /* the query's parameters; NULL before the first look-up */
	const GaussdpParams *last;  /* last parameters found here, if shared */
	int nexprs;                 /* parameters of a call without rows, compiled; -1 before */
	struct ExprState *exprs[GAUSSDP_MAX_PARAMS];
	bool weighted;  /* the expressions are those of a weighted call */
	int16 digits;   /* likewise, of its value */
	Oid value_type; /* of a weighted call, which takes values of any type; InvalidOid before */
} GaussdpSite;

/* The call site's block; made in memory that lasts as long as the FmgrInfo does. */
extern GaussdpSite *gaussdp_site_of(FunctionCallInfo fcinfo);

/* Whether this row's parameters are those of the state; constants are not looked at again. */
static inline void
gaussdp_check_row(FunctionCallInfo fcinfo, const GaussdpParams *params, int first)
{
	const GaussdpSite *site = fcinfo->flinfo->fn_extra;
	Datum different = 0;

	if (site != NULL && site->constant)
		return;
	/* Packed calls (pack.c) have one array for all of them. */
	if (unlikely(PG_NARGS() - first != params->key.nparams))
	{
		gaussdp_params_compare(fcinfo, params, first);
		return;
	}
	for (int i = 0; i < params->key.nparams; i++)
		different |= (params->key.raw[i] ^ fcinfo->args[first + i].value) |
					 (Datum) fcinfo->args[first + i].isnull;
	if (unlikely(different != 0))
		gaussdp_params_compare(fcinfo, params, first);
}

/* The integer of these two halves. */
static inline gdp_int128
gaussdp_int128_of(int64 high, int64 low)
{
	return (gdp_int128) ((unsigned __int128) (uint64) high << 64 | (uint64) low);
}

/* ---------------------------------------------------------------------------
 * States (serialize.c)
 * ---------------------------------------------------------------------------
 */

/* A new empty state; of a weighted call it is a GaussdpWeightedState. */
extern GaussdpState *gaussdp_new_state(MemoryContext context, const GaussdpParams *params);

/* The same in the group's memory. */
extern GaussdpState *gaussdp_state_create(FunctionCallInfo fcinfo, GaussdpKind kind, int first);

/* The state to add this row to: argument 0, created at the group's first row. */
static pg_attribute_always_inline GaussdpState *
gaussdp_state_for_row(FunctionCallInfo fcinfo, GaussdpKind kind, int first)
{
	GaussdpState *state;

	if (unlikely(PG_ARGISNULL(0)))
		return gaussdp_state_create(fcinfo, kind, first);
	state = (GaussdpState *) PG_GETARG_POINTER(0);
	gaussdp_check_row(fcinfo, state->params, first);
	return state;
}

/*
 * The state to add this row to where nothing has to be looked at: a later row of a call with constant
 * parameters.  Else NULL.  Nearly all rows go this way, and it makes no call: transitions that return
 * the out-of-line rest of themselves from here keep no registers and no frame.
 */
static pg_attribute_always_inline GaussdpState *
gaussdp_settled_state(FunctionCallInfo fcinfo)
{
	const GaussdpSite *site = fcinfo->flinfo->fn_extra;

	if (likely(site != NULL && site->constant && !PG_ARGISNULL(0)))
		return (GaussdpState *) PG_GETARG_POINTER(0);
	return NULL;
}

/* Defines transition name: COUNTS says whether a row counts, ADD(state) adds it. */
#define GAUSSDP_TRANSITION(name, kind, first, COUNTS, ADD)                                         \
	static pg_noinline Datum name##_checked(FunctionCallInfo fcinfo)                               \
	{                                                                                              \
		GaussdpState *state = gaussdp_state_for_row(fcinfo, kind, first);                          \
                                                                                                   \
		if (COUNTS)                                                                                \
			ADD;                                                                                   \
		PG_RETURN_POINTER(state);                                                                  \
	}                                                                                              \
                                                                                                   \
	Datum name(PG_FUNCTION_ARGS)                                                                   \
	{                                                                                              \
		GaussdpState *state = gaussdp_settled_state(fcinfo);                                       \
                                                                                                   \
		if (unlikely(state == NULL))                                                               \
			return name##_checked(fcinfo);                                                         \
		if (COUNTS)                                                                                \
			ADD;                                                                                   \
		PG_RETURN_POINTER(state);                                                                  \
	}

/* The serialization function of one kind: a NULL state becomes an empty one with its parameters. */
extern Datum gaussdp_serialize(FunctionCallInfo fcinfo, GaussdpKind kind);

/*
 * The state to release: argument 0 of a final function, or an empty one for a group without rows.
 * 22023 where the state is not of this kind.
 */
extern GaussdpState *gaussdp_state_to_release(FunctionCallInfo fcinfo, GaussdpKind kind);

/* Sets the wire form of parameters with a key: version, kind, number, values; in fixed byte order. */
extern void gaussdp_set_wire(GaussdpParams *params);

/* A serialized state with so many bytes behind its parameters, which are to be written from *at on. */
extern bytea *gaussdp_begin_bytes(const GaussdpParams *params, Size length, char **at);

static inline void
gaussdp_write_int64(char **at, int64 value)
{
	uint64 bytes = pg_hton64((uint64) value);

	memcpy(*at, &bytes, sizeof(bytes));
	*at += sizeof(bytes);
}

/* Reads parameters and checks every field: 22P03 or 22023. */
extern const GaussdpParams *gaussdp_recv_params(FunctionCallInfo fcinfo, StringInfo buf);

/* The same without calibration: 22P03. */
extern void gaussdp_recv_key(StringInfo buf, GaussdpKey *key);

/* Bytes as what functions that receive something take. */
extern StringInfoData gaussdp_bytes_to_read(const bytea *bytes);

/* What follows the parameters of a serialized state, in the memory at hand; 22P03 unless rows could have made it. */
extern GaussdpState *gaussdp_recv_state(StringInfo buf, const GaussdpParams *params);

/* The next of as many bytes as the caller knows to be there. */
static inline int64
gaussdp_read_int64(const char **at)
{
	uint64 bytes;

	memcpy(&bytes, *at, sizeof(bytes));
	*at += sizeof(bytes);
	return (int64) pg_ntoh64(bytes);
}

/* Sums: two's complement, high half first. */
static inline void
gaussdp_write_int128(char **at, gdp_int128 value)
{
	gaussdp_write_int64(at, (int64) (value >> 64));
	gaussdp_write_int64(at, (int64) value);
}

static inline gdp_int128
gaussdp_read_int128(const char **at)
{
	int64 high = gaussdp_read_int64(at);
	int64 low = gaussdp_read_int64(at);

	return gaussdp_int128_of(high, low);
}

extern gdp_int128 gaussdp_recv_int128(StringInfo buf);

/* Raises 22P03: these bytes are no state of these aggregates. */
pg_noreturn extern void gaussdp_bad_state(void);

/* ---------------------------------------------------------------------------
 * How far off answers are
 * ---------------------------------------------------------------------------
 */

/* z of a 95 % interval. */
#define GAUSSDP_Z95 1.959963984540054

/* How far off the answers of some kinds may be, for kinds.c. */
extern double gaussdp_avg_half_width(const GaussdpParams *params, double n);
extern double gaussdp_var_half_width(const GaussdpParams *params, double n);
extern double gaussdp_vector_avg_half_width(const GaussdpParams *params, double n);
extern double gaussdp_regression_half_width(const GaussdpParams *params, double n);
extern double gaussdp_cdf_half_width(const GaussdpParams *params, double n);
extern double gaussdp_quantile_half_width(const GaussdpParams *params, double n);
extern double gaussdp_quantiles_half_width(const GaussdpParams *params, double n);

/* The number of rows of a state, in steps of this noise. */
static inline gdp_int128
gaussdp_count_of(const GaussdpState *state, const gdp_noise *noise)
{
	if (state->params->key.weighted)
		return ((const GaussdpWeightedState *) state)->count;
	return gdp_grid_total(state->n, noise->exponent);
}

/* ---------------------------------------------------------------------------
 * Values of a row
 * ---------------------------------------------------------------------------
 */

/* The double nearest to a numeric, or next to that; reads the digits in place (numeric.c). */
extern double gaussdp_numeric_to_double(Datum numeric);

/* Counts and sums saturate: no number of rows is an error. */
static inline int64
gaussdp_count_add(int64 a, int64 b)
{
	int64 sum;

	return __builtin_add_overflow(a, b, &sum) ? PG_INT64_MAX : sum;
}

static inline gdp_int128
gaussdp_sum_add(gdp_int128 a, gdp_int128 b)
{
	const gdp_int128 max = (gdp_int128) (~(unsigned __int128) 0 >> 1);
	gdp_int128 sum;

	if (__builtin_add_overflow(a, b, &sum))
		return a > 0 ? max : -max;
	return sum;
}

/* ---------------------------------------------------------------------------
 * Calibration and release
 * ---------------------------------------------------------------------------
 */

/* Draws the noise of a state of this kind, once, and makes the answer: a Datum in the memory at hand (release.c). */
extern Datum gaussdp_release(GaussdpKind kind, void *state, GaussdpAnswer answer, Oid type);

/* The same as the result of the function that is called. */
extern Datum gaussdp_release_result(FunctionCallInfo fcinfo, GaussdpKind kind, void *state,
									GaussdpAnswer answer);

/* The releases of kinds, for their descriptors. */
extern Datum gaussdp_count_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_sum_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_avg_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_keep_release(void *state, GaussdpAnswer answer, Oid type);

/*
 * Draws for a state of one coordinate: its sum becomes total plus noise.  Once only: drawn again, it keeps what it has.
 */
extern void gaussdp_draw(GaussdpState *state, gdp_int128 total);

/* The same for averages: ratio becomes the noisy sum and count. */
extern void gaussdp_draw_ratio(GaussdpState *state);

/* A released ratio about a centre: sum of centred values / count, with the noise of both. */
typedef struct GaussdpRatio
{
	double num, num_sd;
	double den, den_sd;
	double centre, lower, upper;
	double beyond; /* of bounds that are found in the data: gaussdp_auto_beyond() */
} GaussdpRatio;

/*
 * What part of a released sum or average with automatic bounds may lie outside of them at most, with 95 % confidence, as far as
 * values are up to eight times as large; of released numbers alone (automatic.c).
 */
extern double gaussdp_auto_beyond(const void *state);

/* Its value, within the bounds. */
extern double gaussdp_ratio_value(const GaussdpRatio *ratio);

/*
 * The composite dp_estimate, which type is, of a released total, or of a released ratio (estimate.c).  Without a type, InvalidOid, the
 * half width of its interval beside its value, a float8; less than 0 for a ratio whose count is lost in its noise.
 */
extern Datum gaussdp_estimate_total(Oid type, double value, double stddev);

/* A dp_estimate that says what part of people's rows is cut off, about and at most. */
extern Datum gaussdp_estimate_with_cut(Datum estimate, double cut, double most);
extern Datum gaussdp_estimate_ratio(Oid type, const GaussdpRatio *ratio);

/*
 * A released variance about the middle of bounds: number of rows, sum and sum of squares less half of the most of each, in half
 * widths of the bounds, with the noise of each.
 */
typedef struct GaussdpMoments
{
	double count, count_sd;
	double sum, sum_sd;
	double squares, squares_sd;
	double lower, upper;
} GaussdpMoments;

/* Of that in squared half widths: from 0 to 1. */
extern double gaussdp_moments_variance(const GaussdpMoments *moments);

/* The composite dp_estimate of a variance, or of its root. */
extern Datum gaussdp_estimate_variance(Oid type, const GaussdpMoments *moments, bool root);

/* What a search asked: at which places, in their order, what the answers there add up to, in rows, and within what. */
typedef struct GaussdpAsked
{
	int n;
	double at[GDP_SEARCH_STEPS];
	double answer[GDP_SEARCH_STEPS];
	double sd[GDP_SEARCH_STEPS];
} GaussdpAsked;

/* The composite dp_estimate of a quantile between bounds. */
extern Datum gaussdp_estimate_quantile(Oid type, double value, double lower, double upper,
									   const GaussdpAsked *asked);

/* Plain SQL shows one more number as NULL, since the count below it is lost in noise. */
extern void gaussdp_count_lost_number(void);

/* A ratio as a number or as an estimate. */
extern Datum gaussdp_answer_ratio(const GaussdpRatio *ratio, GaussdpAnswer answer, Oid type);

/* Counts on finer grids would leave no room for the noise; a sensitivity that asks for one is refused. */
#define GAUSSDP_MIN_COUNT_EXPONENT (-62)

/* Checks and calibrations of the kinds, for their descriptors. */
extern void gaussdp_count_calibrate(GaussdpParams *params);
extern void gaussdp_sum_calibrate(GaussdpParams *params);
extern void gaussdp_avg_calibrate(GaussdpParams *params);
extern void gaussdp_keep_calibrate(GaussdpParams *params);

/*
 * With what probability, at most, a dp_keep_group with these parameters shows a group that exists through
 * one person of at most rows rows; rounded up.  It is threshold_delta for the rows it was made for.
 */
extern double gaussdp_keep_delta(const GaussdpParams *params, double rows);

/* The same of showing groups whose dp_count with these parameters is at least `least`. */
extern double gaussdp_count_hiding_delta(const GaussdpParams *params, double rows, double least);

/* The smallest whole number for which that is no more than the call's own delta. */
extern double gaussdp_count_hiding_least(const GaussdpParams *params, double rows);

/*
 * The same two of a weighted count, for one person's groups, at most max_groups of them: of rows that weigh at
 * most params->rows in a group, or of people who weigh min(1, params->rows / sqrt(g)) in each of their g
 * groups.
 */
extern double gaussdp_weighted_hiding_delta(const GaussdpParams *params, bool people,
											double max_groups, double least);
extern double gaussdp_weighted_hiding_least(const GaussdpParams *params, bool people,
											double max_groups);

/* Noise for a count with this sensitivity at (the call's epsilon, delta); 22023 where there is none. */
extern void gaussdp_calibrate_count(GaussdpParams *params, double delta, double sensitivity);

/* Raises 22023 unless status is GDP_OK; sensitivity is what the noise was asked for. */
extern void gaussdp_require_noise(gdp_status status, const GaussdpKey *key, double sensitivity);

/* Shared checks of the calibrations: 22023 unless finite and lower < upper; unless rows >= 1. */
extern void gaussdp_check_bounds(double lower, double upper);
extern void gaussdp_check_rows(double rows);

/*
 * Sets scale, low and high from noise[0]; low and high are in the unit of the value, after centring.
 * 22023 where the grid steps would not be exact doubles.
 */
extern void gaussdp_set_clamp(GaussdpParams *params, double low, double high);

/* The largest grid exponent that leaves a value of this magnitude 2^10 steps. */
extern int gaussdp_max_exponent(double magnitude);

#endif /* GAUSSDP_AGGREGATE_STATE_H */
