/*
 * leaves.c
 *		States that are the occupied leaves of a quantile, from their creation to their release, and between
 *		processes: combine, serialize, deserialize.
 *
 * Wire format, all integers big-endian: the parameters as in serialize.c, then for each leaf that has rows, in ascending
 * order, its number (4 bytes) and how many they are (8; the sum of their weights), or of a weighted quantile what they add below and above (16 each).
 * deserialize gets bytes from anyone and checks every field.
 */
#include "postgres.h"

#include "libpq/pqformat.h"
#include "port/pg_bitutils.h"
#include "utils/memutils.h"

#include "aggregate/leaves.h"
#include "aggregate/weighted.h"

PG_FUNCTION_INFO_V1(gaussdp_leaves_combine);
PG_FUNCTION_INFO_V1(gaussdp_leaves_deserialize);
PG_FUNCTION_INFO_V1(gaussdp_quantile_serialize);
PG_FUNCTION_INFO_V1(gaussdp_quantiles_serialize);

/* ---------------------------------------------------------------------------
 * Tables
 * ---------------------------------------------------------------------------
 */

static uint64 *
slot_at(const GaussdpLeafTable *table, uint32 i)
{
	return (uint64 *) (table->slots + (Size) i * table->size);
}

/* Multiplication spreads neighbouring leaves, whose numbers differ in their last bits. */
uint64 *
gaussdp_leaf_slot(const GaussdpLeafTable *table, uint32 tag)
{
	uint32 mask = table->nslots - 1;
	uint32 i = (uint32) (((uint64) tag * UINT64CONST(0x9E3779B97F4A7C15)) >> 40) & mask;

	for (uint32 tried = 0; tried < table->nslots; tried++)
	{
		uint64 *slot = slot_at(table, i);
		uint32 found = gaussdp_slot_tag(slot);

		if (found == tag || found == 0)
			return slot;
		i = (i + 1) & mask;
	}
	return NULL;
}

void
gaussdp_move_leaves(const GaussdpLeafTable *from, GaussdpLeafTable *to)
{
	for (uint32 i = 0; i < from->nslots; i++)
	{
		const uint64 *slot = slot_at(from, i);
		uint64 *free;

		if (gaussdp_slot_tag(slot) == 0)
			continue;
		free = gaussdp_leaf_slot(to, gaussdp_slot_tag(slot));
		memcpy(free, slot, from->size);
		to->nused++;
	}
}

static GaussdpLeafTable
new_table(MemoryContext context, uint32 nslots, uint32 size)
{
	return (GaussdpLeafTable){.nslots = nslots,
							  .size = size,
							  .slots = MemoryContextAllocZero(context, (Size) nslots * size)};
}

/* ---------------------------------------------------------------------------
 * States
 * ---------------------------------------------------------------------------
 */

GaussdpLeaves *
gaussdp_new_leaves(MemoryContext context, const GaussdpParams *params, uint32 nslots)
{
	GaussdpLeaves *leaves = MemoryContextAllocZero(context, sizeof(GaussdpLeaves));

	leaves->params = params;
	leaves->table =
		new_table(context, nslots,
				  gaussdp_leaves_have_sums(params) ? sizeof(GaussdpWeightedLeaf) : sizeof(uint64));
	return leaves;
}

GaussdpLeaves *
gaussdp_leaves_create(FunctionCallInfo fcinfo, GaussdpKind kind, int first)
{
	MemoryContext group = gaussdp_group_context(fcinfo);

	return gaussdp_new_leaves(group, gaussdp_params_from_row(fcinfo, kind, first),
							  GAUSSDP_FIRST_SLOTS);
}

GaussdpLeaves *
gaussdp_weighted_leaves_for_row(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpLeaves *leaves;

	if (PG_ARGISNULL(0))
	{
		MemoryContext group = gaussdp_group_context(fcinfo);

		return gaussdp_new_leaves(group, gaussdp_params_from_weighted_row(fcinfo, kind),
								  GAUSSDP_FIRST_SLOTS);
	}
	leaves = (GaussdpLeaves *) PG_GETARG_POINTER(0);
	gaussdp_check_weighted_row(fcinfo, leaves->params);
	return leaves;
}

GaussdpLeaves *
gaussdp_leaves_to_release(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpLeaves *leaves;

	(void) gaussdp_group_context(fcinfo);
	if (PG_ARGISNULL(0))
		return gaussdp_new_leaves(CurrentMemoryContext, gaussdp_params_from_plan(fcinfo, kind),
								  GAUSSDP_FIRST_SLOTS);
	leaves = (GaussdpLeaves *) PG_GETARG_POINTER(0);
	if (leaves->params->key.kind != (int32) kind)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("the state belongs to another private aggregate")));
	return leaves;
}

/* The slot of a leaf, put in where it is not yet.  The table stands in the state's own memory. */
static uint64 *
take_leaf(GaussdpLeaves *leaves, uint32 tag)
{
	GaussdpLeafTable *table = &leaves->table;
	uint64 *slot;

	if (leaves->sorted || leaves->released)
		elog(ERROR, "rows come after the end of a group");
	slot = gaussdp_leaf_slot(table, tag);
	if (likely(slot != NULL && gaussdp_slot_tag(slot) == tag))
		return slot;
	if (gaussdp_leaf_table_is_full(table))
	{
		GaussdpLeafTable larger =
			new_table(GetMemoryChunkContext(leaves), 2 * table->nslots, table->size);

		gaussdp_move_leaves(table, &larger);
		pfree(table->slots);
		*table = larger;
		slot = gaussdp_leaf_slot(table, tag);
	}
	*slot = (uint64) tag << 32;
	table->nused++;
	return slot;
}

static void
add_rows(GaussdpLeaves *leaves, uint32 tag, uint32 rows)
{
	if (gaussdp_add_to_slot(take_leaf(leaves, tag), tag, rows))
		add_rows(leaves, tag | GAUSSDP_CARRY, 1);
}

void
gaussdp_count_leaf(GaussdpLeaves *leaves, int32 leaf, uint64 rows)
{
	uint32 tag = (uint32) leaf + 1;

	add_rows(leaves, tag, (uint32) rows);
	if (rows >> 32 != 0)
		add_rows(leaves, tag | GAUSSDP_CARRY, (uint32) (rows >> 32));
}

void
gaussdp_weigh_leaf(GaussdpLeaves *leaves, int32 leaf, gdp_int128 below, gdp_int128 above)
{
	GaussdpWeightedLeaf *slot = (GaussdpWeightedLeaf *) take_leaf(leaves, (uint32) leaf + 1);

	slot->below = gaussdp_sum_add(slot->below, below);
	slot->above = gaussdp_sum_add(slot->above, above);
}

void
gaussdp_add_leaf_part(GaussdpLeaves *leaves, int32 cell, gdp_int128 steps)
{
	bool is_above = cell % 2 != 0;

	if (!gaussdp_leaves_have_sums(leaves->params))
		gaussdp_count_leaf(leaves, cell / 2, (uint64) Min(Max(steps, 0), PG_INT64_MAX));
	else
		gaussdp_weigh_leaf(leaves, cell / 2, is_above ? 0 : steps, is_above ? steps : 0);
}

/* ---------------------------------------------------------------------------
 * In order
 * ---------------------------------------------------------------------------
 */

/* By leaf; a carry follows its leaf. */
static int
compare_slots(const void *a, const void *b)
{
	uint32 x = gaussdp_slot_tag(a), y = gaussdp_slot_tag(b);

	x = x << 1 | x >> 31;
	y = y << 1 | y >> 31;
	return x < y ? -1 : x > y;
}

void
gaussdp_sort_leaves(GaussdpLeaves *leaves)
{
	GaussdpLeafTable *table = &leaves->table;
	uint32 n = 0;

	if (leaves->sorted)
		return;
	for (uint32 i = 0; i < table->nslots; i++)
		if (gaussdp_slot_tag(slot_at(table, i)) != 0)
			memmove(slot_at(table, n++), slot_at(table, i), table->size);
	qsort(table->slots, n, table->size, compare_slots);
	leaves->sorted = true;
}

void
gaussdp_forget_leaves(GaussdpLeaves *leaves)
{
	memset(leaves->table.slots, 0, (Size) leaves->table.nslots * leaves->table.size);
	leaves->table.nused = 0;
	leaves->released = true;
}

bool
gaussdp_next_leaf(const GaussdpLeaves *leaves, uint32 *at, GaussdpLeaf *leaf)
{
	const GaussdpLeafTable *table = &leaves->table;
	const uint64 *slot, *next;

	if (*at >= table->nused)
		return false;
	slot = slot_at(table, (*at)++);
	*leaf = (GaussdpLeaf){.leaf = (int32) (gaussdp_slot_tag(slot) - 1)};
	if (gaussdp_leaves_have_sums(leaves->params))
	{
		leaf->below = ((const GaussdpWeightedLeaf *) slot)->below;
		leaf->above = ((const GaussdpWeightedLeaf *) slot)->above;
		return true;
	}
	leaf->rows = (uint32) *slot;
	next = slot_at(table, *at);
	if (*at < table->nused && gaussdp_slot_tag(next) == (gaussdp_slot_tag(slot) | GAUSSDP_CARRY))
	{
		(*at)++;
		leaf->rows |= Min((uint64) (uint32) *next, PG_INT32_MAX) << 32;
	}
	return true;
}

/* ---------------------------------------------------------------------------
 * Between processes
 * ---------------------------------------------------------------------------
 */

static void
add_leaves(GaussdpLeaves *to, GaussdpLeaves *from)
{
	GaussdpLeaf leaf;
	uint32 at = 0;

	gaussdp_sort_leaves(from);
	while (gaussdp_next_leaf(from, &at, &leaf))
	{
		if (gaussdp_leaves_have_sums(to->params))
			gaussdp_weigh_leaf(to, leaf.leaf, leaf.below, leaf.above);
		else
			gaussdp_count_leaf(to, leaf.leaf, leaf.rows);
	}
}

/* Adds the second state to the first; either may be NULL, and the second does not last. */
Datum
gaussdp_leaves_combine(PG_FUNCTION_ARGS)
{
	MemoryContext group = gaussdp_group_context(fcinfo);
	GaussdpLeaves *leaves = PG_ARGISNULL(0) ? NULL : (GaussdpLeaves *) PG_GETARG_POINTER(0);
	GaussdpLeaves *other = PG_ARGISNULL(1) ? NULL : (GaussdpLeaves *) PG_GETARG_POINTER(1);

	if (other == NULL && leaves == NULL)
		PG_RETURN_NULL();
	if (other == NULL)
		PG_RETURN_POINTER(leaves);
	if (leaves == NULL)
		leaves = gaussdp_new_leaves(group, gaussdp_params_keep(fcinfo, other->params),
									GAUSSDP_FIRST_SLOTS);
	else
		gaussdp_params_require_equal(leaves->params, other->params);
	add_leaves(leaves, other);
	PG_RETURN_POINTER(leaves);
}

static Size
length_of_leaf(const GaussdpParams *params)
{
	return gaussdp_leaves_have_sums(params) ? 36 : 12;
}

static void
write_int32(char **at, int32 value)
{
	uint32 bytes = pg_hton32((uint32) value);

	memcpy(*at, &bytes, sizeof(bytes));
	*at += sizeof(bytes);
}

static int
count_leaves(const GaussdpLeaves *leaves)
{
	GaussdpLeaf leaf;
	uint32 at = 0;
	int n = 0;

	while (gaussdp_next_leaf(leaves, &at, &leaf))
		n++;
	return n;
}

static Datum
serialize(FunctionCallInfo fcinfo, GaussdpKind kind)
{
	GaussdpLeaves *leaves = gaussdp_leaves_to_release(fcinfo, kind);
	const GaussdpParams *params = leaves->params;
	GaussdpLeaf leaf;
	uint32 slot = 0;
	bytea *bytes;
	char *at;

	if (leaves->released)
		elog(ERROR, "a released state cannot be serialized");
	gaussdp_sort_leaves(leaves);
	bytes = gaussdp_begin_bytes(params, count_leaves(leaves) * length_of_leaf(params), &at);
	while (gaussdp_next_leaf(leaves, &slot, &leaf))
	{
		write_int32(&at, leaf.leaf);
		if (gaussdp_leaves_have_sums(params))
		{
			gaussdp_write_int128(&at, leaf.below);
			gaussdp_write_int128(&at, leaf.above);
		}
		else
			gaussdp_write_int64(&at, (int64) leaf.rows);
	}
	PG_RETURN_BYTEA_P(bytes);
}

Datum
gaussdp_quantile_serialize(PG_FUNCTION_ARGS)
{
	return serialize(fcinfo, GAUSSDP_QUANTILE);
}

Datum
gaussdp_quantiles_serialize(PG_FUNCTION_ARGS)
{
	return serialize(fcinfo, GAUSSDP_QUANTILES);
}

/* One leaf, which must come after the one before; false where it cannot be rows'. */
static bool
recv_leaf(StringInfo buf, const GaussdpParams *params, int32 before, GaussdpLeaf *leaf)
{
	*leaf = (GaussdpLeaf){.leaf = (int32) pq_getmsgint(buf, 4)};
	if (leaf->leaf <= before || leaf->leaf >= params->leaves.n)
		return false;
	if (!gaussdp_leaves_have_sums(params))
	{
		leaf->rows = (uint64) pq_getmsgint64(buf);
		return leaf->rows > 0 && leaf->rows <= (uint64) PG_INT64_MAX;
	}
	leaf->below = gaussdp_recv_int128(buf);
	leaf->above = gaussdp_recv_int128(buf);
	return leaf->below >= 0 && leaf->above >= 0;
}

GaussdpLeaves *
gaussdp_recv_leaves(StringInfo buf, const GaussdpParams *params)
{
	int length = buf->len - buf->cursor, each = (int) length_of_leaf(params);
	int n = length / each, before = -1;
	GaussdpLeaves *leaves;
	GaussdpLeaf leaf;

	if (length % each != 0 || n > params->leaves.n)
		gaussdp_bad_state();
	leaves = gaussdp_new_leaves(CurrentMemoryContext, params,
								pg_nextpower2_32(Max(n / 3 * 4 + 4, GAUSSDP_FIRST_SLOTS)));
	for (int i = 0; i < n; i++)
	{
		if (!recv_leaf(buf, params, before, &leaf))
			gaussdp_bad_state();
		before = leaf.leaf;
		if (gaussdp_leaves_have_sums(params))
			gaussdp_weigh_leaf(leaves, leaf.leaf, leaf.below, leaf.above);
		else
			gaussdp_count_leaf(leaves, leaf.leaf, leaf.rows);
	}
	return leaves;
}

Datum
gaussdp_leaves_deserialize(PG_FUNCTION_ARGS)
{
	StringInfoData buf = gaussdp_bytes_to_read(PG_GETARG_BYTEA_PP(0));
	GaussdpKey key;

	(void) gaussdp_group_context(fcinfo);
	gaussdp_recv_key(&buf, &key);
	if (key.kind != GAUSSDP_QUANTILE && key.kind != GAUSSDP_QUANTILES)
		gaussdp_bad_state();
	PG_RETURN_POINTER(gaussdp_recv_leaves(&buf, gaussdp_params_intern(fcinfo, &key)));
}
