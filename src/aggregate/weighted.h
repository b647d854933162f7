/*
 * weighted.h
 *		Weighted calls: what their transitions are made of (weighted.c).
 *
 * Transitions take (state, m int8, params float8[] [, value "any"]); of calls whose states are totals also
 * (state, total bytea, params float8[]), for the total of any rows.  Calls whose coordinates are clipped together have this form alone.
 */
#ifndef GAUSSDP_AGGREGATE_WEIGHTED_H
#define GAUSSDP_AGGREGATE_WEIGHTED_H

#include "postgres.h"

#include "aggregate/state.h"

#define GAUSSDP_WEIGHTED_VALUE 3 /* number of the argument that is the value */

/*
 * Of calls that round a sum of weighted rows once, not each row: the least weight that counts, a 2^12th of a row.  Who has more
 * weight has rows in at most (2^12 k)^2 groups, or parts of them (core/weight.c: m^2 times their number is at most 2^62 k^2),
 * so that rounding adds less than 2^12 k steps in 2-norm.  Grids are so fine that what a row may add is 2^22 steps or more:
 * that is 2^-10 of it, and a little more, which covers bits that are dropped below a step.
 */
#define GAUSSDP_LEAST_WEIGHT (GDP_WEIGHT_ROW >> 12)
#define GAUSSDP_WEIGHTED_GRID_BITS 22
#define GAUSSDP_WEIGHTED_ROUNDING (1 + 0x1p-10 + 0x1p-20)

/* The state to add this row to: argument 0, created at the group's first row. */
extern GaussdpWeightedState *gaussdp_weighted_state_checked(FunctionCallInfo fcinfo,
															GaussdpKind kind);

static inline GaussdpWeightedState *
gaussdp_weighted_state_for_row(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpState *settled = gaussdp_settled_state(fcinfo);

	return settled != NULL ? (GaussdpWeightedState *) settled
						   : gaussdp_weighted_state_checked(fcinfo, kind);
}

/* Raises 22023 unless the parameters of this row are these. */
extern void gaussdp_check_weighted_row(FunctionCallInfo fcinfo, const GaussdpParams *params);

/* The weight of this row, 0 where it is null; 22023 unless it is from 0 to 2^31. */
extern int64 gaussdp_unusual_weight(FunctionCallInfo fcinfo);
extern int64 gaussdp_checked_weight(int64 weight);

static inline int64
gaussdp_row_weight(FunctionCallInfo fcinfo)
{
	uint64 weight = (uint64) PG_GETARG_INT64(1);

	return likely(!PG_ARGISNULL(1) && weight <= (uint64) GDP_WEIGHT_ROW)
			   ? (int64) weight
			   : gaussdp_unusual_weight(fcinfo);
}

/* One row in steps of this noise, weighted. */
static inline gdp_int128
gaussdp_weighted_one(const gdp_noise *noise, int64 weight)
{
	return gdp_weigh_one(noise->exponent, weight);
}

/* The same of a whole row; a grid is no finer than 2^-62 (GAUSSDP_MIN_COUNT_EXPONENT). */
static inline int64
gaussdp_steps_of_one(const gdp_noise *noise)
{
	return (int64) gdp_weigh_one(noise->exponent, GDP_WEIGHT_ROW);
}

/* The type of an argument that may be of any, domains aside; the elements' of an array of numbers, else InvalidOid. */
extern Oid gaussdp_value_type(FunctionCallInfo fcinfo, int argument);
extern Oid gaussdp_array_element_type(Oid type);

/* The type of a weighted row's value, looked up once for each call. */
extern Oid gaussdp_look_up_row_value_type(FunctionCallInfo fcinfo);

static inline Oid
gaussdp_row_value_type(FunctionCallInfo fcinfo)
{
	const GaussdpSite *site = fcinfo->flinfo->fn_extra;

	return site != NULL && OidIsValid(site->value_type) ? site->value_type
														: gaussdp_look_up_row_value_type(fcinfo);
}

/* The number that a value of this type is, or NaN.  42804 where the type is none of numbers. */
extern double gaussdp_other_number_of(Datum value, Oid type);

static inline double
gaussdp_number_of(Datum value, Oid type)
{
	return type == FLOAT8OID ? DatumGetFloat8(value) : gaussdp_other_number_of(value, type);
}

/* The same of this row's value; NaN where it is null, too. */
static inline double
gaussdp_row_number(FunctionCallInfo fcinfo)
{
	return PG_ARGISNULL(GAUSSDP_WEIGHTED_VALUE)
			   ? NAN
			   : gaussdp_number_of(PG_GETARG_DATUM(GAUSSDP_WEIGHTED_VALUE),
								   gaussdp_row_value_type(fcinfo));
}

/* The transition of a row, for kinds whose states are totals. */
static pg_attribute_always_inline Datum
gaussdp_weigh_row(FunctionCallInfo fcinfo, GaussdpKind kind, GaussdpWeigh weigh)
{
	GaussdpWeightedState *state = gaussdp_weighted_state_for_row(fcinfo, kind);
	GaussdpTotal total = {.sum = state->state.sum, .count = state->count};
	int64 weight = gaussdp_row_weight(fcinfo);

	if (PG_NARGS() <= GAUSSDP_WEIGHTED_VALUE)
		weigh(state->state.params, &total, (Datum) 0, InvalidOid, weight, 1);
	else if (!PG_ARGISNULL(GAUSSDP_WEIGHTED_VALUE))
		weigh(state->state.params, &total, PG_GETARG_DATUM(GAUSSDP_WEIGHTED_VALUE),
			  gaussdp_row_value_type(fcinfo), weight, 1);
	state->state.sum = total.sum;
	state->count = total.count;
	PG_RETURN_POINTER(state);
}

/* What rows add to totals, for descriptors. */
extern void gaussdp_count_weigh(const GaussdpParams *params, GaussdpTotal *total, Datum value,
								Oid type, int64 weight, int64 n);
extern void gaussdp_sum_weigh(const GaussdpParams *params, GaussdpTotal *total, Datum value,
							  Oid type, int64 weight, int64 n);
extern void gaussdp_avg_weigh(const GaussdpParams *params, GaussdpTotal *total, Datum value,
							  Oid type, int64 weight, int64 n);
extern void gaussdp_var_weigh(const GaussdpParams *params, GaussdpTotal *total, Datum value,
							  Oid type, int64 weight, int64 n);

/* The squares of what is clipped together, and the bin of a value, for descriptors. */
extern gdp_int128 gaussdp_sum_add_squares(const GaussdpParams *params, const GaussdpTotal *own,
										  gdp_int128 squares);
extern gdp_int128 gaussdp_avg_add_squares(const GaussdpParams *params, const GaussdpTotal *own,
										  gdp_int128 squares);
extern gdp_int128 gaussdp_var_add_squares(const GaussdpParams *params, const GaussdpTotal *own,
										  gdp_int128 squares);
extern int gaussdp_histogram_bin(const GaussdpParams *params, Datum value, Oid type);

/* Sizes of rows, for descriptors: whatever the value is, and where it is a number. */
extern int64 gaussdp_size_of_row(const GaussdpParams *params, Datum value, Oid type);
extern int64 gaussdp_size_of_number_row(const GaussdpParams *params, Datum value, Oid type);

#endif /* GAUSSDP_AGGREGATE_WEIGHTED_H */
