/*
 * people_table.h
 *		The people of one partition of rows: sizes by group, and weights.
 */
#ifndef GAUSSDP_POLICY_ROOM_PEOPLE_TABLE_H
#define GAUSSDP_POLICY_ROOM_PEOPLE_TABLE_H

#include "postgres.h"

#include "utils/sortsupport.h"

#include "core/core.h"
#include "policy/room/people_rows.h"

/* Numbers for distinct rows, from 0 on, by open addressing. */
typedef struct GaussdpEntry
{
	uint64 print;
	uint32 of;     /* only entries of the same are compared */
	uint32 number; /* from 1 on; 0 where there is none */
} GaussdpEntry;

typedef struct GaussdpIndex
{
	const GaussdpMatcher *matcher;
	GaussdpEntry *entries;
	uint64 mask;
	uint64 allocated; /* entries */
	uint32 n;
	uint32 capacity;
	const char **rows; /* one that each number stands for */
} GaussdpIndex;

/* How rows count for a call. */
typedef struct GaussdpCounting
{
	int size; /* the kept column; -1 where each row is whole */
	bool of_people;
	int64 most;
} GaussdpCounting;

/* A person in a group. */
typedef struct GaussdpCell
{
	uint32 person;
	bool is_dropped; /* beyond the groups that are kept of a person */
} GaussdpCell;

typedef struct GaussdpPeople
{
	const GaussdpRowLayout *layout;
	MemoryContext memory;
	int nweights;
	GaussdpCounting *countings;
	GaussdpIndex persons;
	GaussdpIndex groups; /* of persons; none where keys is NULL: then a cell is a person */
	GaussdpCell *cells;
	int64 *sums;         /* of sizes: nweights of each cell */
	gdp_int128 *squares; /* nweights of each person */
	uint32 *weights;     /* likewise */
	int place; /* kept column with a group's place among those of its person; -1 where all groups are kept */
	int64
		max_groups; /* that are kept of a person else: those with the lowest places, and of equal ones keys */
	SortSupportData *order; /* of the keys */
	bool copies_rows;       /* rows do not stay where they are while they are counted */
	MemoryContext copies;
} GaussdpPeople;

extern void gaussdp_make_people(GaussdpPeople *people, const GaussdpMatcher *unit,
								const GaussdpMatcher *keys);

/* Forgets all people; so many rows will come, or fewer. */
extern void gaussdp_forget_people(GaussdpPeople *people, uint64 nrows);

extern pg_noinline uint32 gaussdp_add_person(GaussdpPeople *people, uint64 print, const char *row);
extern pg_noinline uint32 gaussdp_add_cell(GaussdpPeople *people, uint64 print, uint32 person,
										   const char *row);

static inline uint64
gaussdp_place_in(const GaussdpIndex *index, uint64 print, uint32 of)
{
	return gaussdp_spread(print ^ index->matcher->seed ^ (uint64) of << 32) & index->mask;
}

/* The number, from 1 on, of what the row has in the matcher's columns; 0 where no row had it before. */
static inline uint32
gaussdp_number_in(const GaussdpPeople *people, const GaussdpIndex *index, uint64 print, uint32 of,
				  const char *row)
{
	const GaussdpMatcher *matcher = index->matcher;
	uint64 at = gaussdp_place_in(index, print, of);

	for (; index->entries[at].number != 0; at = (at + 1) & index->mask)
	{
		const GaussdpEntry *entry = &index->entries[at];

		if (entry->print == print && entry->of == of &&
			(matcher->is_print ||
			 gaussdp_same(matcher, people->layout, index->rows[entry->number - 1], row)))
			return entry->number;
	}
	return 0;
}

/* The cell of a row; a new one where there is none yet. */
static inline uint32
gaussdp_people_cell(GaussdpPeople *people, const char *row)
{
	uint64 print = gaussdp_print_of_row(people->persons.matcher, people->layout, row);
	uint32 person = gaussdp_number_in(people, &people->persons, print, 0, row);
	uint32 cell;

	person = person != 0 ? person - 1 : gaussdp_add_person(people, print, row);
	if (people->groups.matcher == NULL)
		return person;
	print = gaussdp_print_of_row(people->groups.matcher, people->layout, row);
	cell = gaussdp_number_in(people, &people->groups, print, person, row);
	return cell != 0 ? cell - 1 : gaussdp_add_cell(people, print, person, row);
}

static inline int64
gaussdp_size_of(const GaussdpPeople *people, const GaussdpCounting *counting, const char *row)
{
	if (counting->size < 0)
		return GDP_SIZE_ROW;
	if (gaussdp_kept_is_null(people->layout, row, counting->size))
		return 0;
	return DatumGetInt32(gaussdp_kept_value(people->layout, row, counting->size));
}

/* Adds the sizes of a row to its cell. */
static inline void
gaussdp_count_row(GaussdpPeople *people, uint32 cell, const char *row)
{
	int64 *sums = &people->sums[(Size) cell * people->nweights];

	for (int i = 0; i < people->nweights; i++)
		sums[i] = gdp_size_add(sums[i], gaussdp_size_of(people, &people->countings[i], row));
}

/* All rows have been counted: weighs the people. */
extern void gaussdp_weigh_people(GaussdpPeople *people);

/* What weight i is for a row of this cell.  Of a person in a group one row alone is counted as a person: the first that asks. */
static inline int64
gaussdp_weight_of(GaussdpPeople *people, uint32 cell, const char *row, int i)
{
	const GaussdpCounting *counting = &people->countings[i];
	int64 *sum = &people->sums[(Size) cell * people->nweights + i];

	if (gaussdp_size_of(people, counting, row) == 0)
		return 0;
	if (counting->of_people)
	{
		if (*sum == 0)
			return 0;
		*sum = 0;
	}
	return people->weights[(Size) people->cells[cell].person * people->nweights + i];
}

#endif /* GAUSSDP_POLICY_ROOM_PEOPLE_TABLE_H */
