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
	const GaussdpLayout *layout;
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

/* The cell of a row; a new one where there is none yet. */
extern uint32 gaussdp_people_cell(GaussdpPeople *people, const char *row);

/* Adds the sizes of a row to its cell. */
extern void gaussdp_count_row(GaussdpPeople *people, uint32 cell, const char *row);

/* All rows have been counted: weighs the people. */
extern void gaussdp_weigh_people(GaussdpPeople *people);

/* What weight i is for a row of this cell.  Of a person in a group one row alone is counted as a person: the first that asks. */
extern int64 gaussdp_weight_of(GaussdpPeople *people, uint32 cell, const char *row, int i);

#endif /* GAUSSDP_POLICY_ROOM_PEOPLE_TABLE_H */
