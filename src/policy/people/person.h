/*
 * person.h
 *		What is known of a person whose rows are weighed: sizes by group, which groups are kept, weights.
 *
 * A person in a group is a cell.  All rows of a person come one after the other, so that there are cells of one person at a time; but
 * where there are no groups, each person is one cell, and those of all people of a partition are counted at once.
 */
#ifndef GAUSSDP_POLICY_PEOPLE_PERSON_H
#define GAUSSDP_POLICY_PEOPLE_PERSON_H

#include "postgres.h"

#include "fmgr.h"
#include "utils/sortsupport.h"

#include "aggregate/calls.h"
#include "core/core.h"
#include "policy/people/people_index.h"

/* How rows count for a call. */
typedef struct GaussdpCounting
{
	GaussdpNorm norm;
	int total; /* of a joint norm, its number among those of a cell; else -1 */
	int size; /* the kept column, of other norms than sizes' that of the value; -1 where each row is whole */
	uint32 size_at;              /* where rows have it */
	const GaussdpSizing *sizing; /* computes it of the column; NULL where that has it */
	int unit; /* the kept column that has the person, where rows without one have no size; or -1 */
	bool of_people;
	int64 most;
} GaussdpCounting;

/* How a person's groups stand in an order, of which only the first are kept: by number, then by keys. */
typedef struct GaussdpPlaces
{
	FunctionCallInfo call; /* of a seed, the unit and the keys; NULL where all groups are kept */
	int64 max_groups;
	SortSupportData *order; /* of the keys */
} GaussdpPlaces;

/* What is added up for calls that take the same. */
typedef struct GaussdpTotalled
{
	int weight;                /* its number */
	const GaussdpSizing *call; /* what a row adds */
} GaussdpTotalled;

/* What people count for, added up by key. */
typedef struct GaussdpTotals
{
	int ncalls;
	bool
		adds_up; /* are they all that is handed up?  Else rows are themselves, the first of each cell with what is clipped as a whole */
	GaussdpTotalled *calls;
	bool *has_rows;       /* by the number of the keys */
	GaussdpTotal *totals; /* ncalls of each */
	uint32 next;          /* number of which they are to be handed up */
	char *packed;         /* as they are then */
} GaussdpTotals;

/* Of keys to which something is added soon: there may be too many for all of them to stay near the processor. */
static inline void
gaussdp_prefetch_totals(const GaussdpTotals *totals, uint32 number)
{
	const char *total = (const char *) &totals->totals[(Size) number * totals->ncalls];

	__builtin_prefetch(&totals->has_rows[number], 1);
	for (Size at = 0; at < sizeof(GaussdpTotal) * (Size) totals->ncalls;
		 at += PG_CACHE_LINE_SIZE / 2)
		__builtin_prefetch(total + at, 1);
}

typedef struct GaussdpCell
{
	uint32 number;   /* of its keys; 0 without keys */
	bool is_dropped; /* beyond the groups that are kept of a person */
	bool is_taken;   /* has a row handed up what is clipped as a whole? */
} GaussdpCell;

/* The rows of a cell in a bin, for the weights that count them. */
typedef struct GaussdpBinned
{
	uint64 key; /* cell, weight and bin */
	char status;
	int64 rows;
} GaussdpBinned;

struct bins_hash;

typedef struct GaussdpPerson
{
	const GaussdpRowLayout *layout;
	GaussdpMatcher *unit;
	GaussdpMatcher *key; /* NULL without keys */
	int nweights;
	GaussdpCounting *countings;
	GaussdpPlaces places;
	GaussdpTotals totals;
	MemoryContext lasting;
	Size most_kept; /* bytes from one person to the next; more is given back */
	/* keys that have come, numbered until they are forgotten */
	GaussdpIndex keys;
	Size most_numbered;     /* bytes from one person to the next */
	MemoryContext numbered; /* what is known of each: totals, and the next ones */
	uint32 nnumbered;
	uint32 *by_keys; /* cells of the person at hand, from 1 on; 0 for none */
	/* of the person at hand, or without keys, of all people of a partition */
	MemoryContext memory;
	uint32 ncells;
	uint32 capacity;
	GaussdpCell *cells;
	int64 *sums; /* of sizes: nweights of each cell */
	int njoint;
	GaussdpTotal *own;      /* njoint of each cell: what its rows add up to */
	struct bins_hash *bins; /* NULL where no weight counts them, or no row has come */
	gdp_int128 *squares;    /* of each weight that does */
	uint32 *weights;        /* nweights of each person */
	int64 *
		people; /* GDP_LIMIT_BINS of each weight: how many persons so far; NULL where nobody asks */
} GaussdpPerson;

extern void gaussdp_make_person(GaussdpPerson *person, MemoryContext parent);

/* Forgets the one before, and keys, unless they have totals, once they take too much. */
extern void gaussdp_start_person(GaussdpPerson *person);

/* Forgets all keys, with their totals, and the person at hand. */
extern void gaussdp_forget_keys(GaussdpPerson *person);

/* Do they take too much to be kept for the next person? */
static inline bool
gaussdp_has_many_keys(const GaussdpPerson *person)
{
	return person->key != NULL && gaussdp_bytes_of_numbers(&person->keys) > person->most_numbered;
}

extern pg_noinline uint32 gaussdp_add_cell(GaussdpPerson *person, uint32 number);

/* What each cell takes, in bytes. */
static inline Size
gaussdp_bytes_of_cell(const GaussdpPerson *person)
{
	return sizeof(GaussdpCell) + (sizeof(int64) + sizeof(uint32)) * (Size) person->nweights +
		   sizeof(GaussdpTotal) * (Size) person->njoint;
}

/* The cell of the row: a new one where there is none yet. */
static inline uint32
gaussdp_cell_of_row(GaussdpPerson *person, const char *row)
{
	uint32 number = person->key == NULL ? 0 : gaussdp_number_of_row(&person->keys, row);
	uint32 cell = number < person->nnumbered ? person->by_keys[number] : 0;

	return cell != 0 ? cell - 1 : gaussdp_add_cell(person, number);
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

/* Adds the value of a row, which is not NULL, to what weight i has of its cell: one of bins, or one that is not passed by value. */
extern void gaussdp_count_value(GaussdpPerson *person, uint32 cell, int i, const char *row);

/* The same of a weight whose norm is not one of sizes. */
static inline void
gaussdp_count_part(GaussdpPerson *person, uint32 cell, int i, const char *row)
{
	const GaussdpRowLayout *layout = person->layout;
	const GaussdpCounting *counting = &person->countings[i];
	const GaussdpSizing *sizing = counting->sizing;

	if (gaussdp_skips_row(layout, counting, row) ||
		gaussdp_kept_is_null(layout, row, counting->size))
		return;
	if (likely(counting->norm == GAUSSDP_NORM_JOINT && layout->kept[counting->size].by_value))
		sizing->weigh(sizing->params, &person->own[(Size) cell * person->njoint + counting->total],
					  gaussdp_kept_value(layout, row, counting->size), sizing->type, GDP_WEIGHT_ROW,
					  1);
	else
		gaussdp_count_value(person, cell, i, row);
}

/* Adds the sizes of a row to its cell: of 31 bits each, so that no sum of fewer than 2^32 rows overflows. */
static inline void
gaussdp_count_row(GaussdpPerson *person, uint32 cell, const char *row)
{
	int64 *sums = &person->sums[(Size) cell * person->nweights];

	for (int i = 0; i < person->nweights; i++)
		if (person->countings[i].norm == GAUSSDP_NORM_ROWS)
			sums[i] += gaussdp_size_of(person->layout, &person->countings[i], row);
		else
			gaussdp_count_part(person, cell, i, row);
}

/* All rows have been counted: weighs the person at hand, one of whose rows this is; or people each of whom is one cell. */
extern void gaussdp_weigh_person(GaussdpPerson *person, const char *row);
extern void gaussdp_weigh_people(GaussdpPerson *person);

/* person_groups.c: drops cells beyond those that are kept of the person who has this row. */
extern void gaussdp_drop_groups(GaussdpPerson *person, const char *row);

/*
 * What weight i is for a row of this cell, whose person has these weights.  A row whose size is 0 has none; where sizes are computed, the
 * call itself adds nothing for such a row, whatever its weight is.  Of a person in a group one row alone is counted as a person: the
 * first that asks.
 */
static inline int64
gaussdp_weight_of(GaussdpPerson *person, const uint32 *weights, uint32 cell, const char *row, int i)
{
	const GaussdpCounting *counting = &person->countings[i];

	if (gaussdp_skips_row(person->layout, counting, row))
		return 0;
	if (counting->sizing == NULL && gaussdp_size_of(person->layout, counting, row) == 0)
		return 0;
	if (counting->of_people)
	{
		int64 *sum = &person->sums[(Size) cell * person->nweights + i];

		if (*sum == 0)
			return 0;
		*sum = 0;
	}
	return weights[i];
}

/* person_totals.c: adds what the person at hand counts for, or people each of whom is one cell. */
extern void gaussdp_add_cells(GaussdpPerson *person, bool are_people);

/* What is clipped as a whole of this cell of the person at hand, by call, for the first row that asks: true for that one. */
extern bool gaussdp_take_clipped(GaussdpPerson *person, uint32 cell);

/* The next total that is to be handed up, and the row that has its keys, NULL without keys; false where there is none. */
extern bool gaussdp_next_total(GaussdpPerson *person, const GaussdpTotal **total, const char **row);

#endif /* GAUSSDP_POLICY_PEOPLE_PERSON_H */
