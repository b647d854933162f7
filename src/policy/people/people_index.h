/*
 * people_index.h
 *		Numbers for rows that differ in what a matcher compares: for people, and for groups.
 *
 * By open addressing, from 0 on, in the order in which rows come.
 */
#ifndef GAUSSDP_POLICY_PEOPLE_PEOPLE_INDEX_H
#define GAUSSDP_POLICY_PEOPLE_PEOPLE_INDEX_H

#include "postgres.h"

#include "policy/people/people_rows.h"

/* There is no memory left for another number. */
#define GAUSSDP_NO_NUMBER PG_UINT32_MAX

/* So many entries are not all in the processor's first cache. */
#define GAUSSDP_FAR_ENTRIES 4096

typedef struct GaussdpEntry
{
	uint64 print;
	uint32 is_null; /* only entries of the same are compared */
	uint32 number;  /* from 1 on; 0 where there is none */
} GaussdpEntry;

typedef struct GaussdpIndex
{
	const GaussdpRowLayout *layout;
	const GaussdpMatcher *matcher;
	MemoryContext memory;
	MemoryContext copies; /* of rows that would not stay; NULL where all do */
	bool keeps_rows;      /* also where prints alone tell rows apart */
	Size limit;           /* of what it takes, in bytes; 0 for none */
	Size beside;          /* what each number takes elsewhere */
	Size copied;
	GaussdpEntry *entries;
	uint64 mask;
	uint64 allocated; /* entries */
	uint32 n;
	uint32 capacity;
	const char **rows; /* the first of each number; NULL where nobody asks */
} GaussdpIndex;

extern void gaussdp_make_index(GaussdpIndex *index, MemoryContext parent,
							   const GaussdpRowLayout *layout, const GaussdpMatcher *matcher);

/* Forgets all numbers.  Are rows to be copied from now on? */
extern void gaussdp_clear_index(GaussdpIndex *index, bool copies_rows);

/* What it takes, in bytes; what its numbers take of that. */
extern Size gaussdp_bytes_of_index(const GaussdpIndex *index);
extern Size gaussdp_bytes_of_numbers(const GaussdpIndex *index);

/* Gives the memory back as well. */
extern void gaussdp_free_index(GaussdpIndex *index);

extern pg_noinline uint32 gaussdp_add_number(GaussdpIndex *index, uint64 print, uint32 is_null,
											 const char *row);

static inline uint64
gaussdp_entry_at(const GaussdpIndex *index, uint64 print, uint32 is_null)
{
	return gaussdp_spread(print ^ index->matcher->seed ^ (uint64) is_null << 32) & index->mask;
}

/* This row's number is asked for soon: brings its entry near the processor, where that does not take as long as to find it. */
static inline void
gaussdp_prefetch_number(const GaussdpIndex *index, const char *row)
{
	uint32 is_null;
	uint64 print;

	if (index->mask < GAUSSDP_FAR_ENTRIES || !index->matcher->is_print)
		return;
	print = gaussdp_print_of_row(index->matcher, index->layout, row, &is_null);
	__builtin_prefetch(&index->entries[gaussdp_entry_at(index, print, is_null)]);
}

/* The number, from 1 on, of the row; 0 where no such row has come. */
static inline uint32
gaussdp_find_number(const GaussdpIndex *index, uint64 print, uint32 is_null, const char *row)
{
	const GaussdpMatcher *matcher = index->matcher;
	uint64 at = gaussdp_entry_at(index, print, is_null);

	for (; index->entries[at].number != 0; at = (at + 1) & index->mask)
	{
		const GaussdpEntry *entry = &index->entries[at];

		if (entry->print == print && entry->is_null == is_null &&
			(matcher->is_print ||
			 gaussdp_same(matcher, index->layout, index->rows[entry->number - 1], row)))
			return entry->number;
	}
	return 0;
}

/* The number of the row, from 0 on, a new one where there is none yet; GAUSSDP_NO_NUMBER where there is no memory for it. */
static inline uint32
gaussdp_number_of_row(GaussdpIndex *index, const char *row)
{
	uint32 is_null;
	uint64 print = gaussdp_print_of_row(index->matcher, index->layout, row, &is_null);
	uint32 number = gaussdp_find_number(index, print, is_null, row);

	return number != 0 ? number - 1 : gaussdp_add_number(index, print, is_null, row);
}

#endif /* GAUSSDP_POLICY_PEOPLE_PEOPLE_INDEX_H */
