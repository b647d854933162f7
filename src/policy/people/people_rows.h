/*
 * people_rows.h
 *		Rows as the plan node of people.h keeps them.
 *
 * A kept row has numbers at fixed places, in as few bytes as they take and aligned to none, NULLs as bits, and all else behind
 * them.  Its print is a number that is the same for equal people: their number itself, where it is one, or else a hash of 32 bits,
 * keyed by a random seed of the execution.
 */
#ifndef GAUSSDP_POLICY_PEOPLE_PEOPLE_ROWS_H
#define GAUSSDP_POLICY_PEOPLE_PEOPLE_ROWS_H

#include "postgres.h"

#include "access/htup_details.h"
#include "access/tupmacs.h"
#include "executor/tuptable.h"
#include "fmgr.h"
#include "nodes/primnodes.h"

/* Where rows of different lengths have the print of their person, behind the length. */
#define GAUSSDP_PRINT_AT 4

/* The longest row, in bytes: with what a file has before it, the system writes it at once. */
#define GAUSSDP_LONGEST_ROW (PG_INT32_MAX - 8192)

/* A column that is kept. */
typedef struct GaussdpKept
{
	AttrNumber column; /* of the rows below */
	int16 length;      /* of its type */
	char align;        /* likewise */
	uint8
		width; /* bytes in the fixed part: 4 or 8; 0 where it holds the place of a value behind it */
	bool is_first; /* of the values behind it: nothing needs to say where it is */
	bool by_value;
	bool is_size;     /* of a row: a number of 64 bits that needs 32 */
	uint32 at;        /* where it stands */
	uint32 stored_at; /* where tuples without NULLs have the column */
} GaussdpKept;

typedef struct GaussdpRowLayout
{
	int n;
	GaussdpKept *kept;
	AttrNumber last;   /* of the columns of the rows below that are kept */
	bool is_fixed;     /* have all rows the same length?  If not, it stands at their beginning. */
	bool is_stored;    /* have tuples without NULLs all columns at known places? */
	uint32 nulls;      /* where the bits are */
	uint32 null_bytes; /* how many */
	uint32 fixed;      /* length of the fixed part */
	uint32 alignment;  /* of rows that have something behind it, which must be found aligned */
	MemoryContext scratch; /* what functions leave behind */
} GaussdpRowLayout;

/* How values are told apart that may be in several columns. */
typedef struct GaussdpMatcher
{
	int n;
	int *kept; /* numbers of the columns among those kept */
	struct GaussdpComparison *comparisons;
	bool is_print; /* is a print the value itself, so that equal ones are equal values? */
	bool is_kept;  /* are prints in the rows, so that each is computed once? */
	uint64 mask;   /* the bits of such a value */
	uint64 seed;
	MemoryContext scratch; /* what functions leave behind */
} GaussdpMatcher;

/* Columns are added one by one; the number of each among those kept.  One that is there already is not kept twice. */
extern int gaussdp_keep(GaussdpRowLayout *layout, TupleDesc columns, AttrNumber column);

/* The size of a row, in a column. */
extern int gaussdp_keep_size(GaussdpRowLayout *layout, TupleDesc columns, AttrNumber column);

/* When all are known. */
extern void gaussdp_lay_out(GaussdpRowLayout *layout);

/* Where tuples of this kind have the columns. */
extern void gaussdp_lay_out_stored(GaussdpRowLayout *layout, TupleDesc stored);

/* Adds a column, which is compared by this operator. */
extern void gaussdp_match(GaussdpMatcher *matcher, TupleDesc columns,
						  const GaussdpRowLayout *layout, int kept, Oid equality);

/* A hash of what a row has in the columns of the matcher, one that comes or is kept. */
extern uint32 gaussdp_hash_of_coming(const GaussdpMatcher *matcher, const GaussdpRowLayout *layout,
									 const TupleTableSlot *slot, const char *stored);
extern uint32 gaussdp_hash_of_row(const GaussdpMatcher *matcher, const GaussdpRowLayout *layout,
								  const char *row);

/* Do both rows have the same values? */
extern bool gaussdp_same(const GaussdpMatcher *matcher, const GaussdpRowLayout *layout,
						 const char *a, const char *b);

/* Both halves of a product. */
static inline uint64
gaussdp_multiply(uint64 a, uint64 b)
{
	__extension__ typedef unsigned __int128 uint128;
	uint128 product = (uint128) a * b;

	return (uint64) product ^ (uint64) (product >> 64);
}

/* Spreads prints over all bits. */
static inline uint64
gaussdp_spread(uint64 print)
{
	return gaussdp_multiply(print ^ UINT64CONST(0xa0761d6478bd642f),
							UINT64CONST(0xe7037ed1a0b428db));
}

/* ---------------------------------------------------------------------------
 * Kept rows
 * ---------------------------------------------------------------------------
 */

static inline bool
gaussdp_kept_is_null(const GaussdpRowLayout *layout, const char *row, int kept)
{
	return ((const uint8 *) row)[layout->nulls + kept / 8] >> kept % 8 & 1;
}

/* May any column of the row be NULL? */
static inline bool
gaussdp_may_have_nulls(const GaussdpRowLayout *layout, const char *row)
{
	return row[layout->nulls] != 0 || layout->null_bytes > 1;
}

static inline uint32
gaussdp_number_at(const char *row, uint32 at)
{
	uint32 number;

	memcpy(&number, row + at, sizeof(uint32));
	return number;
}

/* Of a column that is not NULL; what is no number lies within the row. */
static inline Datum
gaussdp_kept_value(const GaussdpRowLayout *layout, const char *row, int kept)
{
	const GaussdpKept *column = &layout->kept[kept];
	int32 narrow;
	Datum wide;

	if (column->width == 8)
	{
		memcpy(&wide, row + column->at, 8);
		return wide;
	}
	if (column->is_first) /* as in a tuple: at once, or behind zeros */
		return (Datum) att_align_pointer(PointerGetDatum(row + layout->fixed), column->align,
										 column->length, row + layout->fixed);
	memcpy(&narrow, row + column->at, 4);
	return column->width == 4 ? Int32GetDatum(narrow) : PointerGetDatum(row + narrow);
}

static inline uint32
gaussdp_kept_length(const GaussdpRowLayout *layout, const char *row)
{
	return layout->is_fixed ? layout->fixed : gaussdp_number_at(row, 0);
}

/* The print of a row; where that is a value, and NULL, it is 0, and *is_null is 1 to tell it from the value. */
static inline uint64
gaussdp_print_of_row(const GaussdpMatcher *matcher, const GaussdpRowLayout *layout, const char *row,
					 uint32 *is_null)
{
	*is_null = 0;
	if (matcher->is_print)
	{
		*is_null = gaussdp_kept_is_null(layout, row, matcher->kept[0]);
		return gaussdp_kept_value(layout, row, matcher->kept[0]) & matcher->mask;
	}
	if (!matcher->is_kept)
		return gaussdp_hash_of_row(matcher, layout, row);
	return gaussdp_number_at(row, GAUSSDP_PRINT_AT);
}

/* ---------------------------------------------------------------------------
 * Rows that come: in a slot, or where their columns stand at known places in a stored tuple
 * ---------------------------------------------------------------------------
 */

/*
 * Where the columns of the slot's tuple begin; NULL where they must be taken from the slot.  All slots of a plan node have
 * columns of the same types, so that what was laid out by one of them holds for all.
 */
static inline const char *
gaussdp_stored_row(const GaussdpRowLayout *layout, const TupleTableSlot *slot)
{
	const HeapTupleData *stored;
	const HeapTupleHeaderData *tuple;

	if (!layout->is_stored || !TTS_IS_BUFFERTUPLE(slot))
		return NULL;
	stored = ((const BufferHeapTupleTableSlot *) slot)->base.tuple;
	tuple = stored == NULL ? NULL : stored->t_data;
	if (tuple == NULL || (tuple->t_infomask & HEAP_HASNULL) != 0 ||
		HeapTupleHeaderGetNatts(tuple) < layout->last)
		return NULL;
	return (const char *) tuple + tuple->t_hoff;
}

static inline bool
gaussdp_coming_is_null(const GaussdpKept *kept, const TupleTableSlot *slot, const char *stored)
{
	return stored == NULL && slot->tts_isnull[kept->column - 1];
}

static inline Datum
gaussdp_coming_value(const GaussdpKept *kept, const TupleTableSlot *slot, const char *stored)
{
	return stored == NULL ? slot->tts_values[kept->column - 1]
						  : fetch_att(stored + kept->stored_at, true, kept->length);
}

static inline uint64
gaussdp_print_of_coming(const GaussdpMatcher *matcher, const GaussdpRowLayout *layout,
						const TupleTableSlot *slot, const char *stored)
{
	const GaussdpKept *kept = &layout->kept[matcher->kept[0]];

	if (!matcher->is_print)
		return gaussdp_hash_of_coming(matcher, layout, slot, stored);
	return gaussdp_coming_is_null(kept, slot, stored)
			   ? 0
			   : gaussdp_coming_value(kept, slot, stored) & matcher->mask;
}

/* How long the row in a slot will be; its columns are deformed. */
extern uint32 gaussdp_length_of(const GaussdpRowLayout *layout, const TupleTableSlot *slot);

/* Writes there what is no number, behind the fixed part, and what such rows begin with. */
extern void gaussdp_keep_behind(const GaussdpRowLayout *layout, const TupleTableSlot *slot,
								uint32 print, uint32 length, char *row);

/* A size in 32 bits. */
extern int32 gaussdp_narrow_size(Datum value);

/* Writes the numbers of the row that comes there, its person's print, and what is behind. */
static pg_attribute_always_inline void
gaussdp_keep_row(const GaussdpRowLayout *layout, const TupleTableSlot *slot, const char *stored,
				 uint64 print, uint32 length, char *row)
{
	char *nulls = row + layout->nulls;

	nulls[0] = 0;
	if (layout->null_bytes > 1)
		memset(nulls + 1, 0, layout->null_bytes - 1);
	for (int i = 0; i < layout->n; i++)
	{
		const GaussdpKept *kept = &layout->kept[i];
		bool isnull = gaussdp_coming_is_null(kept, slot, stored);
		Datum value = isnull ? 0 : gaussdp_coming_value(kept, slot, stored);
		int32 narrow = (int32) value;

		if (unlikely(isnull))
			nulls[i / 8] |= (char) (1 << i % 8);
		if (kept->width == 8)
			memcpy(row + kept->at, &value, 8);
		else if (kept->width == 4)
		{
			if (kept->is_size && !isnull)
				narrow = gaussdp_narrow_size(value);
			memcpy(row + kept->at, &narrow, 4);
		}
	}
	if (!layout->is_fixed)
		gaussdp_keep_behind(layout, slot, (uint32) print, length, row);
}

#endif /* GAUSSDP_POLICY_PEOPLE_PEOPLE_ROWS_H */
