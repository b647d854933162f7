/*
 * leaves.h
 *		States of quantiles: the rows of each leaf that has any (core/search.h).
 *
 * Reads from state.h; used by quantile.c, quantiles.c, release.c, kinds.c and citus/.  leaves.c creates, combines, serializes and
 * deserializes such states.
 *
 * Invariants
 *		A leaf is a fixed map of the row's value.  Leaves that have rows are kept in a hash table, whose size is data, as the
 *		number of groups is; it grows with the number of different leaves, and never beyond that of all leaves.
 *		Numbers of rows are exact up to 2^63, and sums saturate.
 *		After a release the quantile stands in result, in place of the leaves.
 */
#ifndef GAUSSDP_AGGREGATE_LEAVES_H
#define GAUSSDP_AGGREGATE_LEAVES_H

#include "aggregate/state.h"

/*
 * A hash table of slots.  The first 8 bytes of a slot are its tag, in the upper half, which is 0 where the slot is free, and in
 * the lower half the number of rows modulo 2^32; weighted ones have sums behind that.
 */
typedef struct GaussdpLeafTable
{
	uint32 nused;
	uint32 nslots; /* a power of two */
	uint32 size;   /* of a slot, in bytes */
	char *slots;
} GaussdpLeafTable;

#define GAUSSDP_FIRST_SLOTS 8

/* A leaf is tagged by one more than its number; the higher half of its number of rows stands under another tag. */
#define GAUSSDP_CARRY (UINT32_C(1) << 31)

static inline uint32
gaussdp_slot_tag(const void *slot)
{
	return (uint32) (*(const uint64 *) slot >> 32);
}

typedef struct GaussdpWeightedLeaf
{
	uint64 tag;
	gdp_int128 below; /* what its rows add to f above it, and what they take below it, in steps */
	gdp_int128 above;
} GaussdpWeightedLeaf;

typedef struct GaussdpLeaves
{
	const GaussdpParams *params;
	double result;       /* released */
	double *several;     /* likewise, of several quantiles */
	GaussdpAsked *asked; /* of estimates, once released: how it was found */
	bool released;
	bool
		sorted; /* no table any more: nused slots in the order of leaves, a leaf's carry behind it */
	GaussdpLeafTable table;
} GaussdpLeaves;

/* The slot of this tag, or a free one to put it in; NULL where there is neither. */
extern uint64 *gaussdp_leaf_slot(const GaussdpLeafTable *table, uint32 tag);

/* Is it to be made larger before another leaf is put in? */
static inline bool
gaussdp_leaf_table_is_full(const GaussdpLeafTable *table)
{
	return table->nused >= table->nslots / 4 * 3;
}

/* Puts all slots of a table into another one, which has room for them. */
extern void gaussdp_move_leaves(const GaussdpLeafTable *from, GaussdpLeafTable *to);

/* Adds so many rows to a slot's; true where that passed 2^32, and one has to be added under the carry's tag. */
static inline bool
gaussdp_add_to_slot(uint64 *slot, uint32 tag, uint32 rows)
{
	uint32 before = (uint32) *slot, sum = before + rows;

	if (sum < before && (tag & GAUSSDP_CARRY) != 0)
		sum = PG_UINT32_MAX;
	*slot = (uint64) tag << 32 | sum;
	return sum < before;
}

/* A new empty state, with room for so many leaves. */
extern GaussdpLeaves *gaussdp_new_leaves(MemoryContext context, const GaussdpParams *params,
										 uint32 nslots);

/* As gaussdp_cells_create, gaussdp_weighted_cells_for_row and gaussdp_cells_to_release. */
extern GaussdpLeaves *gaussdp_leaves_create(FunctionCallInfo fcinfo, GaussdpKind kind, int first);
extern GaussdpLeaves *gaussdp_weighted_leaves_for_row(FunctionCallInfo fcinfo, GaussdpKind kind);
extern GaussdpLeaves *gaussdp_leaves_to_release(FunctionCallInfo fcinfo, GaussdpKind kind);

static pg_attribute_always_inline GaussdpLeaves *
gaussdp_leaves_for_row(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpLeaves *leaves;

	if (unlikely(PG_ARGISNULL(0)))
		return gaussdp_leaves_create(fcinfo, kind, 2);
	leaves = (GaussdpLeaves *) PG_GETARG_POINTER(0);
	gaussdp_check_row(fcinfo, leaves->params, 2);
	return leaves;
}

/*
 * Do leaves have what their rows add and take, not a number?  A weighted quantile's do; several quantiles, whose q depend on answers,
 * keep the sum of the weights, as a number of rows.
 */
static inline bool
gaussdp_leaves_have_sums(const GaussdpParams *params)
{
	return params->key.weighted && params->key.kind == GAUSSDP_QUANTILE;
}

/* Adds so many rows, or sums of weighted ones, to a leaf. */
extern void gaussdp_count_leaf(GaussdpLeaves *leaves, int32 leaf, uint64 rows);
extern void gaussdp_weigh_leaf(GaussdpLeaves *leaves, int32 leaf, gdp_int128 below,
							   gdp_int128 above);

/* Adds to one of the two cells that a leaf of a weighted state is (kinds.h). */
extern void gaussdp_add_leaf_part(GaussdpLeaves *leaves, int32 cell, gdp_int128 steps);

/* Puts the slots in order. */
extern void gaussdp_sort_leaves(GaussdpLeaves *leaves);

/* One leaf of a sorted state. */
typedef struct GaussdpLeaf
{
	int32 leaf;
	uint64 rows; /* 0 where they have sums */
	gdp_int128 below;
	gdp_int128 above;
} GaussdpLeaf;

/* The next one from slot *at on, which moves on; false at the end. */
extern bool gaussdp_next_leaf(const GaussdpLeaves *leaves, uint32 *at, GaussdpLeaf *leaf);

/* What follows the parameters of a serialized state, in the memory at hand; 22P03 unless rows could have made it. */
extern GaussdpLeaves *gaussdp_recv_leaves(StringInfo buf, const GaussdpParams *params);

/* For descriptors. */
extern int gaussdp_quantile_parts(const GaussdpParams *params, double x, int64 weight,
								  GaussdpPart parts[GAUSSDP_MAX_PARTS]);
extern int gaussdp_quantiles_parts(const GaussdpParams *params, double x, int64 weight,
								   GaussdpPart parts[GAUSSDP_MAX_PARTS]);
extern void gaussdp_quantile_calibrate(GaussdpParams *params);
extern Datum gaussdp_quantile_release(void *state, GaussdpAnswer answer, Oid type);
extern void gaussdp_quantiles_calibrate(GaussdpParams *params);
extern Datum gaussdp_quantiles_release(void *state, GaussdpAnswer answer, Oid type);

/* Occupied leaves, and how many rows are in those before: n + 1 of these numbers, in rows or, weighted, in 2^-31 of them. */
typedef struct GaussdpRanks
{
	uint32 n;
	int32 *leaf;
	gdp_int128 *before;
} GaussdpRanks;

extern GaussdpRanks gaussdp_ranks_of(GaussdpLeaves *leaves);

/* The exact answer at an edge to the search for quantile q of the rows of leaves low .. high - 1, in steps (core/search.h). */
extern gdp_int128 gaussdp_part_answer(const GaussdpParams *params, const GaussdpRanks *ranks,
									  int32 low, int32 high, double q, int32 edge);

/* Forgets the leaves of a state that has been released. */
extern void gaussdp_forget_leaves(GaussdpLeaves *leaves);

#endif /* GAUSSDP_AGGREGATE_LEAVES_H */
