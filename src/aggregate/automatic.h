/*
 * automatic.h
 *		Automatic bounds: the cells that values fall into, and what is found and summed in them.
 *
 * Reads from cells.h; used by automatic.c, narrow.c, within.c, bounds_found.c and citus/.
 *
 * A value is in one of 260 bins, by its sign and its power of two.  For averages it is also in one of 64 folds of each of four levels:
 * of level b = 4, 8, 12, 16 by the last six of its exponent's bits and the first b of its mantissa's, whatever the bits before them and the sign
 * are.  So values that all lie within 64 neighbouring cells of 2^-b of a power of two, of which that is known, are each in a fold of
 * their own cell; others count as if they lay there, too.
 *
 * Invariants
 *		A cell is a fixed map of the row's value; a row is in one bin, and in one fold of each level.
 *		A state has n cells: a number of rows for each, then a sum for each; weighted, the numbers of bins are in steps of noise[0], those of
 *		folds in 2^-31 of rows, and behind the sums there are those of the bins in 2^-31 of rows.
 */
#ifndef GAUSSDP_AGGREGATE_AUTOMATIC_H
#define GAUSSDP_AGGREGATE_AUTOMATIC_H

#include "aggregate/cells.h"

/* Level 0 of the bins is [0, 2^-64), level j is [2^(j-65), 2^(j-64)); what is farther away counts as 2^65. */
#define GAUSSDP_AUTO_LEVELS 130
#define GAUSSDP_AUTO_BINS (2 * GAUSSDP_AUTO_LEVELS)
#define GAUSSDP_AUTO_FIRST_EXPONENT (-64)

/* Steps of a sum: 2^51 of them to a bin's outer edge, 2^50 and more to the inner one. */
#define GAUSSDP_AUTO_STEP_BITS 51

#define GAUSSDP_FOLD_LEVELS 4
#define GAUSSDP_FOLD_BITS 4 /* of the mantissa, more at each level */
#define GAUSSDP_FOLDS 64    /* of a level */
#define GAUSSDP_AUTO_CELLS (GAUSSDP_AUTO_BINS + GAUSSDP_FOLD_LEVELS * GAUSSDP_FOLDS)

/* How many cells a state has. */
static inline int
gaussdp_auto_ncells(GaussdpKind kind)
{
	return kind == GAUSSDP_AVG_AUTO ? GAUSSDP_AUTO_CELLS : GAUSSDP_AUTO_BINS;
}

/* The bin of a number, and the number in the bin's steps: its exponent is the level, its leading bits are the steps. */
static pg_attribute_always_inline int
gaussdp_auto_bin(double x, int64 *signed_steps)
{
	double size = fabs(x);
	uint64 bits;
	int level;
	int64 steps;

	memcpy(&bits, &size, sizeof(bits));
	level = (int) (bits >> 52) - 1023 - GAUSSDP_AUTO_FIRST_EXPONENT + 1;
	steps = (int64) (((bits & ((UINT64CONST(1) << 52) - 1)) | (UINT64CONST(1) << 52)) >> 2);
	if (unlikely(level <= 0))
	{
		level = 0;
		steps = __builtin_llrint(size * 0x1p115);
	}
	else if (unlikely(level >= GAUSSDP_AUTO_LEVELS))
	{
		level = GAUSSDP_AUTO_LEVELS - 1;
		steps = INT64CONST(1) << GAUSSDP_AUTO_STEP_BITS;
	}
	*signed_steps = x < 0 ? -steps : steps;
	return x < 0 ? GAUSSDP_AUTO_LEVELS - 1 - level : GAUSSDP_AUTO_LEVELS + level;
}

/*
 * The fold of a number's size at a level, 0 .. 3, as a cell; and how far it is from the beginning of that cell, in the steps of its bin: less than
 * the cell is wide, whatever the bits are.
 */
static pg_attribute_always_inline int
gaussdp_auto_fold(double x, int level, int64 *steps)
{
	double size = fabs(x);
	int rest = 52 - GAUSSDP_FOLD_BITS * (level + 1);
	uint64 bits;

	memcpy(&bits, &size, sizeof(bits));
	*steps = (int64) ((bits & ((UINT64CONST(1) << rest) - 1)) >> (53 - GAUSSDP_AUTO_STEP_BITS));
	return GAUSSDP_AUTO_BINS + level * GAUSSDP_FOLDS + (int) ((bits >> rest) % GAUSSDP_FOLDS);
}

/* Edges of a bin. */
extern double gaussdp_auto_lower(int bin);
extern double gaussdp_auto_upper(int bin);

/* Neighbouring bins first .. last, of which low .. high stand out; of the others, the largest noisy count, in standard deviations. */
typedef struct GaussdpBinsFound
{
	int first;
	int last;
	int low;
	int high;
	double neighbour;
} GaussdpBinsFound;

/* The outermost bins whose noisy counts, in standard deviations, stand out, and their neighbours; false where none do. */
extern bool gaussdp_auto_find(const double counts[GAUSSDP_AUTO_BINS], GaussdpBinsFound *found);

/* Neighbouring cells, in the order of the axis: those within the bounds, and the others. */
typedef struct GaussdpWithin
{
	int n;
	int first; /* those first .. last are within the bounds */
	int last;
	double lower; /* the bounds: edges of these */
	double upper;
	struct
	{
		gdp_int128 rows; /* weighted, in 2^-31 of rows */
		gdp_int128 sum;  /* of their values, times weights if weighted, in steps of 2^exponent */
		int exponent;
	} cells[GAUSSDP_AUTO_BINS];
} GaussdpWithin;

/* Cells of 2^-(4 (level + 1)) of a power of two, 64 from start on, and those of them within the bounds. */
typedef struct GaussdpFolded
{
	bool negative; /* of sizes of negative values */
	int level;
	int64
		start; /* a double's exponent, as it is in its bits, and the leading bits of its mantissa */
	int first;
	int last;
} GaussdpFolded;

/* Where such a cell begins. */
extern double gaussdp_fold_edge(int64 cell, int level);

/* All bins, of which first .. last are within the bounds; or 64 folds.  within.c */
extern void gaussdp_within_bins(const GaussdpCells *cells, int first, int last,
								GaussdpWithin *within);
extern void gaussdp_within_folds(const GaussdpCells *cells, const GaussdpFolded *folded,
								 GaussdpWithin *within);

/*
 * The values clamped to the bounds and summed in steps of 2^exponent, each less the middle of *low and *high and twice that if
 * centred; weighted sums are rounded once.  Each row adds a whole number of steps from *low to *high.
 */
extern gdp_int128 gaussdp_within_total(const GaussdpWithin *within, bool weighted, int exponent,
									   bool centred, int64 *low, int64 *high);

/* What may lie beyond bounds, and what is left of mu^2, as a share. */
typedef struct GaussdpNarrowed
{
	GaussdpFolded folded;
	double left;
	double beyond;
} GaussdpNarrowed;

/*
 * Looks within the bins that were found for a narrower span; false where it finds none, and left may still be less than it was.
 * rows is the noisy number of rows in these bins.
 */
extern bool gaussdp_auto_narrow(const GaussdpCells *cells, const GaussdpBinsFound *bins,
								double rows, GaussdpNarrowed *narrowed);

#endif /* GAUSSDP_AGGREGATE_AUTOMATIC_H */
