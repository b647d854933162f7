/*
 * people_table.h
 *		The people of one partition of rows: sizes by group, and weights.
 *
 * A person in a group is a cell.  Where a level has few keys, these are numbered as rows come, and each person has a row of
 * cells, one for each number; otherwise cells are looked up by person and keys, as people are by their units.
 */
#ifndef GAUSSDP_POLICY_PEOPLE_PEOPLE_TABLE_H
#define GAUSSDP_POLICY_PEOPLE_PEOPLE_TABLE_H

#include "postgres.h"

#include "storage/lwlock.h"
#include "utils/dsa.h"
#include "utils/sortsupport.h"

#include "aggregate/calls.h"
#include "core/core.h"
#include "policy/people/people_rows.h"

/* Keys that are few, in number and in bytes of rows that have them. */
#define GAUSSDP_FEW_KEYS 1024
#define GAUSSDP_BYTES_OF_FEW_KEYS (128 * 1024)

/* As many sums as a person has side by side: two lines of memory for each call over a dozen keys. */
#define GAUSSDP_MOST_SUMS 64

/* A person without a seat: their tables have reached the limit. */
#define GAUSSDP_NO_SEAT PG_UINT32_MAX

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
	const char **rows; /* one that each number stands for; NULL where nobody asks */
} GaussdpIndex;

/* Where several processes number keys together: rows that have them, by their numbers. */
typedef struct GaussdpSharedKeys
{
	LWLock lock;
	uint32 n;
	Size bytes;
	bool are_many;
	dsa_pointer rows[GAUSSDP_FEW_KEYS];
} GaussdpSharedKeys;

/* How rows count for a call. */
typedef struct GaussdpCounting
{
	int size;                    /* the kept column; -1 where each row is whole */
	uint32 size_at;              /* where rows have it */
	const GaussdpSizing *sizing; /* computes it of the column; NULL where that has it */
	int unit; /* the kept column that has the person, where rows without one have no size; or -1 */
	bool of_people;
	int64 most;
} GaussdpCounting;

/* What choosing among the groups of a person takes for each, in bytes. */
#define GAUSSDP_BYTES_OF_PLACE 32

/* How a person's groups stand in an order, of which only the first are kept: by number, then by keys. */
typedef struct GaussdpPlaces
{
	FunctionCallInfo call; /* of a seed, the unit and the keys; NULL where all groups are kept */
	int64 max_groups;
	SortSupportData *order; /* of the keys */
} GaussdpPlaces;

/* What is known of a cell where not all are kept, or cells are added up. */
typedef enum GaussdpMark
{
	GAUSSDP_EMPTY,
	GAUSSDP_HAS_ROWS,
	GAUSSDP_DROPPED /* beyond the groups that are kept of a person */
} GaussdpMark;

typedef struct GaussdpPeople
{
	const GaussdpRowLayout *layout;
	MemoryContext memory; /* tables */
	MemoryContext copies; /* rows that would not stay */
	MemoryContext numbered;
	Size limit; /* of both; 0 for none */
	Size copied;
	int nweights;
	GaussdpCounting *countings;
	GaussdpPlaces places;
	GaussdpIndex persons;
	GaussdpIndex keys;   /* of all rows, as long as they are few */
	GaussdpIndex groups; /* of persons, where keys are many */
	Size bytes_of_keys;
	bool has_many_keys;
	GaussdpSharedKeys *shared_keys; /* NULL where one process alone numbers them */
	dsa_area *area;                 /* where they are */
	bool is_counted;                /* are cells added up, and not their rows? */
	bool copies_rows;               /* rows do not stay where they are while they are counted */
	uint32
		width; /* cells of each person, where keys are numbered, or there are none; 0 where they are looked up */
	uint32 *person_of; /* a cell, where they are looked up */
	uint8 *marks;      /* of cells, as far as there are any */
	int64 *sums;       /* of sizes: nweights of each cell */
	uint32 *weights;   /* nweights of each person */
} GaussdpPeople;

extern void gaussdp_make_people(GaussdpPeople *people, MemoryContext parent,
								const GaussdpMatcher *unit, const GaussdpMatcher *keys);

/* Keys of rows that come are to be numbered. */
extern void gaussdp_number_keys(GaussdpPeople *people);

/* All rows that are to be counted next have come, and their keys have been numbered, or are too many. */
extern void gaussdp_settle_keys(GaussdpPeople *people);

/* Forgets all people; rows of another partition come, whose tables have the limit that is set. */
extern void gaussdp_forget_people(GaussdpPeople *people);

/* Gives the memory back as well. */
extern void gaussdp_free_people(GaussdpPeople *people);

extern pg_noinline uint32 gaussdp_add_person(GaussdpPeople *people, uint64 print, uint32 of,
											 const char *row);
extern pg_noinline uint32 gaussdp_add_group(GaussdpPeople *people, uint64 print, uint32 of,
											const char *row);
extern pg_noinline uint32 gaussdp_add_keys(GaussdpPeople *people, uint64 print, uint32 of,
										   const char *row);

static inline uint64
gaussdp_place_in(const GaussdpIndex *index, uint64 print, uint32 of)
{
	return gaussdp_spread(print ^ index->matcher->seed ^ (uint64) of << 32) & index->mask;
}

/* The number, from 1 on, of what the row has in the matcher's columns; 0 where no row had it before. */
static inline uint32
gaussdp_number_in(const GaussdpRowLayout *layout, const GaussdpIndex *index, uint64 print,
				  uint32 of, const char *row)
{
	const GaussdpMatcher *matcher = index->matcher;
	uint64 at = gaussdp_place_in(index, print, of);

	for (; index->entries[at].number != 0; at = (at + 1) & index->mask)
	{
		const GaussdpEntry *entry = &index->entries[at];

		if (entry->print == print && entry->of == of &&
			(matcher->is_print ||
			 gaussdp_same(matcher, layout, index->rows[entry->number - 1], row)))
			return entry->number;
	}
	return 0;
}

/* The number of the row's keys, from 0 on; without meaning once there are too many. */
static inline uint32
gaussdp_number_of_keys(GaussdpPeople *people, const char *row)
{
	uint32 is_null;
	uint64 print;
	uint32 number;

	if (people->has_many_keys)
		return 0;
	print = gaussdp_print_of_row(people->keys.matcher, people->layout, row, &is_null);
	number = gaussdp_number_in(people->layout, &people->keys, print, is_null, row);
	return number != 0 ? number - 1 : gaussdp_add_keys(people, print, is_null, row);
}

/* Where a row is counted: its person, or the cell where cells are looked up.  A new one where there is none yet. */
static inline uint32
gaussdp_seat_of(GaussdpPeople *people, const char *row)
{
	uint32 of;
	uint64 print = gaussdp_print_of_row(people->persons.matcher, people->layout, row, &of);
	uint32 person = gaussdp_number_in(people->layout, &people->persons, print, of, row);
	uint32 cell;

	person = person != 0 ? person - 1 : gaussdp_add_person(people, print, of, row);
	if (people->width > 0 || person == GAUSSDP_NO_SEAT)
		return person;
	print = gaussdp_print_of_row(people->groups.matcher, people->layout, row, &of);
	of |= person << 1;
	cell = gaussdp_number_in(people->layout, &people->groups, print, of, row);
	return cell != 0 ? cell - 1 : gaussdp_add_group(people, print, of, row);
}

static inline uint32
gaussdp_person_of(const GaussdpPeople *people, uint32 seat)
{
	return people->width > 0 ? seat : people->person_of[seat];
}

static inline Size
gaussdp_cell_of_row(const GaussdpPeople *people, uint32 seat, const char *row)
{
	if (people->width <= 1)
		return seat;
	return (Size) seat * people->width + gaussdp_number_at(row, people->layout->number_at);
}

/* What is computed of a value that is not passed by value. */
extern int64 gaussdp_compute_size(const GaussdpRowLayout *layout, const GaussdpCounting *counting,
								  Datum value);

/* Where it is no size, which no kind of call computes. */
extern pg_noinline int64 gaussdp_bad_size(void);

/* What is computed of the row's value. */
static inline int64
gaussdp_size_of_value(const GaussdpRowLayout *layout, const GaussdpCounting *counting,
					  const char *row)
{
	const GaussdpKept *kept = &layout->kept[counting->size];
	int64 size;

	if (gaussdp_kept_is_null(layout, row, counting->size))
		return 0;
	size = kept->by_value
			   ? gaussdp_size_by(counting->sizing, gaussdp_kept_value(layout, row, counting->size))
			   : gaussdp_compute_size(layout, counting,
									  gaussdp_kept_value(layout, row, counting->size));
	return likely(size >= 0 && size <= PG_INT32_MAX) ? size : gaussdp_bad_size();
}

static inline bool
gaussdp_skips_row(const GaussdpRowLayout *layout, const GaussdpCounting *counting, const char *row)
{
	return counting->unit >= 0 && gaussdp_kept_is_null(layout, row, counting->unit);
}

/* That of NULL is kept as 0. */
static inline int64
gaussdp_size_of(const GaussdpRowLayout *layout, const GaussdpCounting *counting, const char *row)
{
	if (gaussdp_skips_row(layout, counting, row))
		return 0;
	if (counting->sizing != NULL)
		return gaussdp_size_of_value(layout, counting, row);
	return counting->size < 0 ? GDP_SIZE_ROW : gaussdp_number_at(row, counting->size_at);
}

/* Adds the sizes of a row to its cell: of 31 bits each, so that no sum of fewer than 2^32 rows overflows. */
static inline void
gaussdp_count_row(GaussdpPeople *people, uint32 seat, const char *row)
{
	Size cell = gaussdp_cell_of_row(people, seat, row);
	int64 *sums = &people->sums[cell * people->nweights];

	for (int i = 0; i < people->nweights; i++)
		sums[i] += gaussdp_size_of(people->layout, &people->countings[i], row);
	if (people->marks != NULL)
		people->marks[cell] = GAUSSDP_HAS_ROWS;
}

/* All rows have been counted: weighs the people. */
extern void gaussdp_weigh_people(GaussdpPeople *people);

/* people_groups.c: marks the groups of each person beyond those that are kept. */
extern void gaussdp_drop_groups(GaussdpPeople *people);

static inline bool
gaussdp_is_dropped(const GaussdpPeople *people, uint32 seat, const char *row)
{
	return people->marks != NULL &&
		   people->marks[gaussdp_cell_of_row(people, seat, row)] == GAUSSDP_DROPPED;
}

/*
 * What weight i is for a row of this seat.  A row whose size is 0 has none; where sizes are computed, the call itself adds
 * nothing for such a row, whatever its weight is.  Of a person in a group one row alone is counted as a person: the first that asks.
 */
static inline int64
gaussdp_weight_of(GaussdpPeople *people, uint32 seat, const char *row, int i)
{
	const GaussdpCounting *counting = &people->countings[i];

	if (gaussdp_skips_row(people->layout, counting, row))
		return 0;
	if (counting->sizing == NULL && gaussdp_size_of(people->layout, counting, row) == 0)
		return 0;
	if (counting->of_people)
	{
		int64 *sum = &people->sums[gaussdp_cell_of_row(people, seat, row) * people->nweights + i];

		if (*sum == 0)
			return 0;
		*sum = 0;
	}
	return people->weights[(Size) gaussdp_person_of(people, seat) * people->nweights + i];
}

/*
 * How many cells there are; and of each a row, which has its keys, the number of these as long as they are few, how many rows count for
 * weight i, and what each weighs.
 */
extern Size gaussdp_number_of_cells(const GaussdpPeople *people);
extern const char *gaussdp_row_of_cell(const GaussdpPeople *people, Size cell);
extern uint32 gaussdp_number_of_cell(const GaussdpPeople *people, Size cell);
extern int64 gaussdp_rows_of_cell(const GaussdpPeople *people, Size cell, int i, int64 *weight);

/* A row that has the keys of this number; NULL where there are no keys. */
extern const char *gaussdp_row_of_keys(const GaussdpPeople *people, uint32 number);

#endif /* GAUSSDP_POLICY_PEOPLE_PEOPLE_TABLE_H */
