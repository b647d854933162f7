/*
 * cells.h
 *		States of the aggregates that release several numbers at once: a row of integer cells.
 *
 * Reads from state.h; used by histogram.c, cdf.c, variance.c, vector.c, regression.c, automatic.c, bounds_found.c and kinds.c.
 * cells.c creates, combines, serializes and deserializes such states; what the cells mean is the kind's affair.
 *
 * Invariants
 *		The number of cells follows from the parameters alone, never from a row.
 *		Cells that count rows (wide false) take 8 bytes each and saturate; cells that add contributions
 *		in grid steps take 16.
 *		After a release the results stand in the cells, or in result, in place of the exact numbers.
 */
#ifndef GAUSSDP_AGGREGATE_CELLS_H
#define GAUSSDP_AGGREGATE_CELLS_H

#include "utils/array.h"

#include "aggregate/state.h"

/* Most cells of a histogram and most dimensions of a vector. */
#define GAUSSDP_MAX_CELLS 10000

typedef struct GaussdpCells
{
	int64 n;          /* rows that counted, saturating; 0 of weighted calls */
	gdp_int128 count; /* of weighted calls: the same in steps of the grid of the count's noise */
	const GaussdpParams *params;
	double result; /* released value, where it is one number or the noisy count */
	int32 ncells;
	bool wide;
	bool released;
	gdp_int128 sums[FLEXIBLE_ARRAY_MEMBER]; /* if wide; else gaussdp_counts() is the same memory */
} GaussdpCells;

static inline int64 *
gaussdp_counts(GaussdpCells *cells)
{
	return (int64 *) cells->sums;
}

/* Checks, calibrations and cells of the kinds that have such states, for their descriptors. */
extern void gaussdp_var_calibrate(GaussdpParams *params);
extern void gaussdp_var_layout(const GaussdpParams *params, GaussdpLayout *layout);
extern void gaussdp_histogram_calibrate(GaussdpParams *params);
extern void gaussdp_cdf_calibrate(GaussdpParams *params);
extern void gaussdp_vector_calibrate(GaussdpParams *params);
extern void gaussdp_vector_layout(const GaussdpParams *params, GaussdpLayout *layout);
extern void gaussdp_regression_calibrate(GaussdpParams *params);
extern void gaussdp_regression_layout(const GaussdpParams *params, GaussdpLayout *layout);
extern int64 gaussdp_regression_size(const GaussdpParams *params, Datum value, Oid type);
extern void gaussdp_auto_calibrate(GaussdpParams *params);
extern void gaussdp_auto_layout(const GaussdpParams *params, GaussdpLayout *layout);
extern void gaussdp_bounds_calibrate(GaussdpParams *params);
extern void gaussdp_bounds_layout(const GaussdpParams *params, GaussdpLayout *layout);

extern void gaussdp_histogram_layout(const GaussdpParams *params, GaussdpLayout *layout);
extern int64 gaussdp_vector_size(const GaussdpParams *params, Datum value, Oid type);

/* The cell of x among ncells of equal width between the bounds, of which the outer ones are open; x is a number. */
extern int gaussdp_cell_of_value(const GaussdpParams *params, double x);

/* The exact numbers that dp_cdf releases, in steps of its noise. */
extern gdp_int128 *gaussdp_cdf_steps(GaussdpCells *cells);

/*
 * Prefix sums of n numbers of rows, or of 2^-31 of them where they are weighted, with noise; and the coarsest grid for that noise.  A row's
 * L2 sensitivity is 1 (core/prefix.c).
 */
extern void gaussdp_draw_prefixes(const gdp_int128 *rows, int n, bool weighted,
								  const gdp_noise *noise, double *sums);
extern int gaussdp_prefix_exponent(double n, bool weighted);

/* Replaces neighbours that fall by their mean, until none do; nothing is below 0. */
extern void gaussdp_pool_neighbours(double *values, int n);

/* Adds one row to the cell of x; NaN counts for nothing. */
extern void gaussdp_cells_count(GaussdpCells *cells, double x);

/* Sets centre, scale and high for gaussdp_cell_of_value; 22023 where the bounds are too close for that. */
extern void gaussdp_set_cells(GaussdpParams *params, double ncells);

/* A new empty state. */
extern GaussdpCells *gaussdp_new_cells(MemoryContext context, const GaussdpParams *params);

/* The same in the group's memory. */
extern GaussdpCells *gaussdp_cells_create(FunctionCallInfo fcinfo, GaussdpKind kind, int first);

/* The state to add this row to: argument 0, created at the group's first row. */
static pg_attribute_always_inline GaussdpCells *
gaussdp_cells_for_row(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpCells *cells;

	if (unlikely(PG_ARGISNULL(0)))
		return gaussdp_cells_create(fcinfo, kind, 2);
	cells = (GaussdpCells *) PG_GETARG_POINTER(0);
	gaussdp_check_row(fcinfo, cells->params, 2);
	return cells;
}

/* The same of a weighted transition. */
extern GaussdpCells *gaussdp_weighted_cells_for_row(FunctionCallInfo fcinfo, GaussdpKind kind);

/* The weighted transition of a kind that has parts. */
extern Datum gaussdp_weigh_cells(FunctionCallInfo fcinfo, GaussdpKind kind);

/* Adds to a cell that is there, or to the number of rows, of a weighted state. */
static inline void
gaussdp_add_part(GaussdpCells *cells, int32 cell, gdp_int128 steps)
{
	gdp_int128 *sum = cell == GAUSSDP_COUNT_CELL ? &cells->count : &cells->sums[cell];

	*sum = gaussdp_sum_add(*sum, steps);
}

/* The number of rows of a state, in steps of this noise. */
static inline gdp_int128
gaussdp_cells_count_of(const GaussdpCells *cells, const gdp_noise *noise)
{
	return cells->params->key.weighted ? cells->count : gdp_grid_total(cells->n, noise->exponent);
}

/*
 * The state to release: argument 0 of a final function, or an empty one for a group without rows.
 * 22023 where the state is not of this kind.
 */
extern GaussdpCells *gaussdp_cells_to_release(FunctionCallInfo fcinfo, GaussdpKind kind);

/* What follows the parameters of a serialized state, in the memory at hand; 22P03 unless rows could have made it. */
extern GaussdpCells *gaussdp_recv_cells(StringInfo buf, const GaussdpParams *params);

/* The serialization function of one kind: a NULL state becomes an empty one with its parameters. */
extern Datum gaussdp_cells_serialize(FunctionCallInfo fcinfo, GaussdpKind kind);

/* What rows of weighted calls add, for descriptors. */
extern int gaussdp_histogram_parts(const GaussdpParams *params, double x, int64 weight,
								   GaussdpPart parts[GAUSSDP_MAX_PARTS]);
extern int gaussdp_cdf_parts(const GaussdpParams *params, double x, int64 weight,
							 GaussdpPart parts[GAUSSDP_MAX_PARTS]);
extern int gaussdp_auto_parts(const GaussdpParams *params, double x, int64 weight,
							  GaussdpPart parts[GAUSSDP_MAX_PARTS]);

/* The releases of kinds, for their descriptors. */
extern Datum gaussdp_var_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_histogram_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_cdf_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_vector_sum_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_vector_avg_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_regression_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_bounds_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_sum_auto_release(void *state, GaussdpAnswer answer, Oid type);
extern Datum gaussdp_avg_auto_release(void *state, GaussdpAnswer answer, Oid type);

/* The numbers of a row, or NULL where it is no vector of ndims numbers. */
extern const double *gaussdp_row_vector(ArrayType *array, int ndims);

/* The array behind a value of any type; 42804 where the type is none of arrays of numbers. */
extern ArrayType *gaussdp_array_of(Datum value, Oid type);

/* What a number adds to the sum and to the sum of squares of a variance, in steps. */
extern void gaussdp_var_points(const GaussdpParams *params, double x, int64 points[2]);

/*
 * One transition for each type of column, TRANSITION(type, value): the same but for the way to a
 * double.  None of these ways can fail.
 */
#define GAUSSDP_FOR_EACH_TYPE(TRANSITION)                                                          \
	TRANSITION(int2, PG_GETARG_INT16(1))                                                           \
	TRANSITION(int4, PG_GETARG_INT32(1))                                                           \
	TRANSITION(int8, (double) PG_GETARG_INT64(1))                                                  \
	TRANSITION(float4, PG_GETARG_FLOAT4(1))                                                        \
	TRANSITION(float8, PG_GETARG_FLOAT8(1))                                                        \
	TRANSITION(numeric, gaussdp_numeric_to_double(PG_GETARG_DATUM(1)))

#endif /* GAUSSDP_AGGREGATE_CELLS_H */
