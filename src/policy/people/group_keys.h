/*
 * group_keys.h
 *		The keys of a level's groups, numbered as rows come for as long as they are few.
 *
 * Where several processes read rows, they number them together, in memory that is there before the first row: who else takes segments of
 * shared memory would see that a row has taken one, and one row more would lack it.
 */
#ifndef GAUSSDP_POLICY_PEOPLE_GROUP_KEYS_H
#define GAUSSDP_POLICY_PEOPLE_GROUP_KEYS_H

#include "postgres.h"

#include "storage/lwlock.h"

#include "policy/people/people_index.h"

/* Keys that are few, in number and in bytes of rows that have them. */
#define GAUSSDP_FEW_KEYS 1024
#define GAUSSDP_BYTES_OF_FEW_KEYS (128 * 1024)

/* Rows that have them, and where each of them stands, by its number, for several processes. */
typedef struct GaussdpSharedKeys
{
	LWLock lock;
	uint32 n;
	bool are_many;
	Size bytes;
	uint32 at[GAUSSDP_FEW_KEYS];
	uint64 rows[GAUSSDP_BYTES_OF_FEW_KEYS / sizeof(uint64)];
} GaussdpSharedKeys;

typedef struct GaussdpKeys
{
	GaussdpIndex index;
	Size bytes;
	bool are_many;
	GaussdpSharedKeys *shared; /* NULL where one process alone numbers them */
} GaussdpKeys;

extern void gaussdp_make_keys(GaussdpKeys *keys, MemoryContext parent,
							  const GaussdpRowLayout *layout, const GaussdpMatcher *matcher);

extern void gaussdp_share_keys(GaussdpKeys *keys, GaussdpSharedKeys *shared);

/* All rows have come: learns of the keys of other processes. */
extern void gaussdp_settle_keys(GaussdpKeys *keys);

extern pg_noinline uint32 gaussdp_add_keys(GaussdpKeys *keys, uint64 print, uint32 is_null,
										   const char *row);

/* The number of the row's keys, from 0 on; without meaning once there are too many. */
static inline uint32
gaussdp_number_of_keys(GaussdpKeys *keys, const char *row)
{
	uint32 is_null;
	uint64 print;
	uint32 number;

	if (keys->are_many)
		return 0;
	print = gaussdp_print_of_row(keys->index.matcher, keys->index.layout, row, &is_null);
	number = gaussdp_find_number(&keys->index, print, is_null, row);
	return number != 0 ? number - 1 : gaussdp_add_keys(keys, print, is_null, row);
}

#endif /* GAUSSDP_POLICY_PEOPLE_GROUP_KEYS_H */
