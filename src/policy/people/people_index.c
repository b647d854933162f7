/*
 * people_index.c
 *		Numbers for rows that differ in what a matcher compares (people_index.h).
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/people/people_index.h"

#define FEWEST_ENTRIES 32

void
gaussdp_make_index(GaussdpIndex *index, MemoryContext parent, const GaussdpRowLayout *layout,
				   const GaussdpMatcher *matcher)
{
	index->layout = layout;
	index->matcher = matcher;
	index->memory = AllocSetContextCreate(parent, "numbers of rows", ALLOCSET_DEFAULT_SIZES);
	index->copies = NULL;
}

static bool
keeps_rows(const GaussdpIndex *index)
{
	return index->keeps_rows || !index->matcher->is_print;
}

static Size
bytes_of_number(const GaussdpIndex *index)
{
	return index->beside + (keeps_rows(index) ? sizeof(char *) : 0);
}

Size
gaussdp_bytes_of_index(const GaussdpIndex *index)
{
	return sizeof(GaussdpEntry) * index->allocated + bytes_of_number(index) * index->capacity +
		   index->copied;
}

Size
gaussdp_bytes_of_numbers(const GaussdpIndex *index)
{
	return sizeof(GaussdpEntry) * (index->mask + 1) + bytes_of_number(index) * index->n +
		   index->copied;
}

static bool
has_room(const GaussdpIndex *index, Size more)
{
	return index->limit == 0 || gaussdp_bytes_of_index(index) + more <= index->limit;
}

/* As many entries as the last rows needed are cleared. */
void
gaussdp_clear_index(GaussdpIndex *index, bool copies_rows)
{
	uint64 wanted = FEWEST_ENTRIES;

	if (index->copies != NULL)
		MemoryContextReset(index->copies);
	index->copied = 0;
	if (!has_room(index, 0)) /* the last ones had more */
		gaussdp_free_index(index);
	if (copies_rows && index->copies == NULL)
		index->copies = AllocSetContextCreate(index->memory, "copied rows", ALLOCSET_DEFAULT_SIZES);
	else if (!copies_rows && index->copies != NULL)
	{
		MemoryContextDelete(index->copies);
		index->copies = NULL;
	}
	while (wanted < (uint64) index->n * 2 && wanted < index->allocated)
		wanted *= 2;
	if (index->entries == NULL)
	{
		index->entries = MemoryContextAllocHuge(index->memory, sizeof(GaussdpEntry) * wanted);
		index->allocated = wanted;
	}
	memset(index->entries, 0, sizeof(GaussdpEntry) * wanted);
	index->mask = wanted - 1;
	index->n = 0;
}

void
gaussdp_free_index(GaussdpIndex *index)
{
	MemoryContextReset(index->memory); /* and what is within it */
	index->copies = NULL;
	index->copied = 0;
	index->entries = NULL;
	index->rows = NULL;
	index->allocated = 0;
	index->n = index->capacity = 0;
}

/* Twice as many entries; false where there is no room for them. */
static bool
grow_entries(GaussdpIndex *index)
{
	uint64 n = index->mask + 1;
	GaussdpEntry *old = index->entries;
	GaussdpEntry *entries;

	if (!has_room(index, sizeof(GaussdpEntry) * n * 2))
		return false;
	entries = MemoryContextAllocExtended(index->memory, sizeof(GaussdpEntry) * n * 2,
										 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	index->entries = entries;
	index->allocated = n * 2;
	index->mask = n * 2 - 1;
	for (uint64 i = 0; i < n; i++)
		if (old[i].number != 0)
		{
			uint64 at = gaussdp_entry_at(index, old[i].print, old[i].is_null);

			CHECK_FOR_INTERRUPTS();
			while (entries[at].number != 0)
				at = (at + 1) & index->mask;
			entries[at] = old[i];
		}
	pfree(old);
	return true;
}

/* For twice as many numbers; false where there is no room for them. */
static bool
grow_rows(GaussdpIndex *index)
{
	Size n = Max(index->capacity * (Size) 2, FEWEST_ENTRIES);

	if (!has_room(index, bytes_of_number(index) * n))
		return false;
	if (n >= PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there are too many people in one partition of rows")));
	if (keeps_rows(index))
		index->rows = index->rows == NULL
						  ? MemoryContextAllocHuge(index->memory, sizeof(char *) * n)
						  : repalloc_huge(index->rows, sizeof(char *) * n);
	index->capacity = (uint32) n;
	return true;
}

/* The row for a number; NULL where there is no room for a copy of it. */
static const char *
row_to_keep(GaussdpIndex *index, const char *row)
{
	uint32 length = gaussdp_kept_length(index->layout, row);
	char *copy;

	if (index->copies == NULL)
		return row;
	if (!has_room(index, length))
		return NULL;
	copy = MemoryContextAllocHuge(index->copies, length);
	index->copied += GetMemoryChunkSpace(copy);
	return memcpy(copy, row, length);
}

uint32
gaussdp_add_number(GaussdpIndex *index, uint64 print, uint32 is_null, const char *row)
{
	uint64 at;

	if (index->n == index->capacity && !grow_rows(index))
		return GAUSSDP_NO_NUMBER;
	if (index->n >= (index->mask + 1) / 8 * 5 && !grow_entries(index))
		return GAUSSDP_NO_NUMBER;
	if (keeps_rows(index) && (index->rows[index->n] = row_to_keep(index, row)) == NULL)
		return GAUSSDP_NO_NUMBER;
	at = gaussdp_entry_at(index, print, is_null);
	while (index->entries[at].number != 0)
		at = (at + 1) & index->mask;
	index->entries[at] = (GaussdpEntry){.print = print, .is_null = is_null, .number = ++index->n};
	return index->n - 1;
}
