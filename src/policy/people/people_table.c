/*
 * people_table.c
 *		The people of one partition of rows: sizes by group, and weights (people_table.h).
 *
 * The arithmetic is that of core/weight.c, as in the windows of weights.c: S of a cell, the sum of S^2 over the cells of
 * a person, m.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/people/people_table.h"

#define FEWEST_ENTRIES 64

void
gaussdp_make_people(GaussdpPeople *people, MemoryContext parent, const GaussdpMatcher *unit,
					const GaussdpMatcher *keys)
{
	people->persons.matcher = unit;
	people->keys.matcher = people->groups.matcher = keys;
	people->memory = AllocSetContextCreate(parent, "people", ALLOCSET_DEFAULT_SIZES);
	people->copies = AllocSetContextCreate(parent, "copied rows of people", ALLOCSET_DEFAULT_SIZES);
	people->numbered = AllocSetContextCreate(parent, "keys", ALLOCSET_SMALL_SIZES);
}

/* ---------------------------------------------------------------------------
 * Keys, as long as they are few
 * ---------------------------------------------------------------------------
 */

#define KEY_ENTRIES (2 * GAUSSDP_FEW_KEYS)

/* Gives the next number to the keys of a row that stays. */
static uint32
number_keys(GaussdpPeople *people, uint64 print, uint32 of, const char *row)
{
	GaussdpIndex *keys = &people->keys;
	uint64 at = gaussdp_place_in(keys, print, of);

	while (keys->entries[at].number != 0)
		at = (at + 1) & keys->mask;
	keys->rows[keys->n] = row;
	keys->entries[at] = (GaussdpEntry){.print = print, .of = of, .number = ++keys->n};
	return keys->n - 1;
}

/*
 * Takes over the keys that other processes have numbered.  Those that stand there stay: they are hashed without the lock, since
 * that takes long where they are long, and who holds it, or waits for it, cannot be cancelled.
 */
static void
take_shared_keys(GaussdpPeople *people)
{
	GaussdpSharedKeys *shared = people->shared_keys;
	uint32 n;
	bool are_many;

	LWLockAcquire(&shared->lock, LW_SHARED);
	n = shared->n;
	are_many = shared->are_many;
	LWLockRelease(&shared->lock);
	while (people->keys.n < n)
	{
		const char *row = dsa_get_address(people->area, shared->rows[people->keys.n]);
		uint32 of;
		uint64 print;

		CHECK_FOR_INTERRUPTS();
		print = gaussdp_print_of_row(people->keys.matcher, people->layout, row, &of);
		(void) number_keys(people, print, of, row);
	}
	people->has_many_keys = are_many;
}

static bool
is_room_for_keys(uint32 n, Size bytes, uint32 length)
{
	return n < GAUSSDP_FEW_KEYS && bytes + length <= GAUSSDP_BYTES_OF_FEW_KEYS;
}

/* Adds keys behind those that this process knows; false where others have added some in the meantime. */
static bool
share_keys(const GaussdpPeople *people, dsa_pointer row, uint32 length)
{
	GaussdpSharedKeys *shared = people->shared_keys;
	bool is_shared = false;

	LWLockAcquire(&shared->lock, LW_EXCLUSIVE);
	if (!is_room_for_keys(shared->n, shared->bytes, length))
		shared->are_many = true;
	else if (shared->n == people->keys.n)
	{
		shared->rows[shared->n++] = row;
		shared->bytes += length;
		is_shared = true;
	}
	LWLockRelease(&shared->lock);
	return is_shared;
}

static uint32
add_shared_keys(GaussdpPeople *people, uint64 print, uint32 of, const char *row)
{
	uint32 length = gaussdp_kept_length(people->layout, row);
	dsa_pointer copy = dsa_allocate_extended(people->area, length, DSA_ALLOC_HUGE);
	bool is_shared = false;
	uint32 number;

	memcpy(dsa_get_address(people->area, copy), row, length);
	for (;;)
	{
		take_shared_keys(people);
		number = gaussdp_number_in(people->layout, &people->keys, print, of, row);
		if (number != 0 || people->has_many_keys)
			break;
		is_shared = share_keys(people, copy, length);
	}
	if (!is_shared)
		dsa_free(people->area, copy);
	return people->has_many_keys ? 0 : number - 1;
}

uint32
gaussdp_add_keys(GaussdpPeople *people, uint64 print, uint32 of, const char *row)
{
	uint32 length = gaussdp_kept_length(people->layout, row);

	if (people->shared_keys != NULL)
		return add_shared_keys(people, print, of, row);
	if (!is_room_for_keys(people->keys.n, people->bytes_of_keys, length))
	{
		people->has_many_keys = true;
		return 0;
	}
	people->bytes_of_keys += length;
	return number_keys(people, print, of,
					   memcpy(MemoryContextAllocHuge(people->numbered, length), row, length));
}

void
gaussdp_number_keys(GaussdpPeople *people)
{
	GaussdpIndex *keys = &people->keys;

	keys->entries = MemoryContextAllocZero(people->numbered, sizeof(GaussdpEntry) * KEY_ENTRIES);
	keys->mask = KEY_ENTRIES - 1;
	keys->rows = MemoryContextAlloc(people->numbered, sizeof(char *) * GAUSSDP_FEW_KEYS);
}

void
gaussdp_settle_keys(GaussdpPeople *people)
{
	uint32 width = 0;

	if (people->keys.matcher != NULL && people->shared_keys != NULL)
		take_shared_keys(people);
	if (people->keys.matcher == NULL)
		width = 1;
	else if (!people->has_many_keys &&
			 people->keys.n * Max(people->nweights, 1) <= GAUSSDP_MOST_SUMS)
		width = Max(people->keys.n, 1);
	if (width != people->width)
		gaussdp_free_people(people);
	people->width = width;
}

/* ---------------------------------------------------------------------------
 * Tables, within their limit
 * ---------------------------------------------------------------------------
 */

static bool
keeps_rows(const GaussdpPeople *people, const GaussdpIndex *index)
{
	return !index->matcher->is_print || people->places.call != NULL ||
		   (people->is_counted && index == &people->groups);
}

static bool
has_marks(const GaussdpPeople *people)
{
	return people->places.call != NULL || people->is_counted;
}

static Size
bytes_of_cell(const GaussdpPeople *people)
{
	return sizeof(int64) * people->nweights + (has_marks(people) ? sizeof(uint8) : 0);
}

/* What the arrays take for one more number of this index. */
static Size
bytes_of_number(const GaussdpPeople *people, const GaussdpIndex *index)
{
	Size bytes = keeps_rows(people, index) ? sizeof(char *) : 0;

	if (index == &people->groups)
		return bytes + bytes_of_cell(people) + sizeof(uint32) +
			   (people->places.call != NULL ? GAUSSDP_BYTES_OF_PLACE : 0);
	bytes += sizeof(uint32) * people->nweights;
	return bytes + (people->width > 0 ? bytes_of_cell(people) * people->width
									  : sizeof(gdp_int128) * people->nweights);
}

static Size
bytes_of_index(const GaussdpPeople *people, const GaussdpIndex *index)
{
	return sizeof(GaussdpEntry) * index->allocated +
		   bytes_of_number(people, index) * index->capacity;
}

static bool
has_room(const GaussdpPeople *people, Size more)
{
	return people->limit == 0 ||
		   bytes_of_index(people, &people->persons) +
				   (people->width > 0 ? 0 : bytes_of_index(people, &people->groups)) +
				   people->copied + more <=
			   people->limit;
}

static void
clear_index(const GaussdpPeople *people, GaussdpIndex *index)
{
	uint64 wanted = FEWEST_ENTRIES;

	while (wanted < (uint64) index->n * 2 && wanted < index->allocated)
		wanted *= 2;
	if (index->entries == NULL)
	{
		index->entries = MemoryContextAllocHuge(people->memory, sizeof(GaussdpEntry) * wanted);
		index->allocated = wanted;
	}
	memset(index->entries, 0, sizeof(GaussdpEntry) * wanted);
	index->mask = wanted - 1;
	index->n = 0;
}

/* Twice as many entries; false where there is no room for them. */
static bool
grow_entries(const GaussdpPeople *people, GaussdpIndex *index)
{
	uint64 n = index->mask + 1;
	GaussdpEntry *old = index->entries;
	GaussdpEntry *entries;

	if (!has_room(people, sizeof(GaussdpEntry) * n * 2))
		return false;
	entries = MemoryContextAllocExtended(people->memory, sizeof(GaussdpEntry) * n * 2,
										 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	index->entries = entries;
	index->allocated = n * 2;
	index->mask = n * 2 - 1;
	for (uint64 i = 0; i < n; i++)
		if (old[i].number != 0)
		{
			uint64 at = gaussdp_place_in(index, old[i].print, old[i].of);

			CHECK_FOR_INTERRUPTS();
			while (entries[at].number != 0)
				at = (at + 1) & index->mask;
			entries[at] = old[i];
		}
	pfree(old);
	return true;
}

static void *
grow_array(const GaussdpPeople *people, void *array, Size size)
{
	return array == NULL ? MemoryContextAllocHuge(people->memory, size)
						 : repalloc_huge(array, size);
}

static void
grow_cells(GaussdpPeople *people, Size n)
{
	people->sums = grow_array(people, people->sums, sizeof(int64) * people->nweights * n);
	if (has_marks(people))
		people->marks = grow_array(people, people->marks, n);
}

/* Arrays for twice as many numbers; false where there is no room for them. */
static bool
grow_arrays(GaussdpPeople *people, GaussdpIndex *index)
{
	Size n = Max(index->capacity * (Size) 2, FEWEST_ENTRIES);

	if (!has_room(people, bytes_of_number(people, index) * n))
		return false;
	if (n >= PG_INT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there are too many people in one partition of rows")));
	if (keeps_rows(people, index))
		index->rows = grow_array(people, index->rows, sizeof(char *) * n);
	if (index == &people->groups)
	{
		people->person_of = grow_array(people, people->person_of, sizeof(uint32) * n);
		grow_cells(people, n);
	}
	else
	{
		people->weights =
			grow_array(people, people->weights, sizeof(uint32) * people->nweights * n);
		if (people->width > 0)
			grow_cells(people, n * people->width);
	}
	index->capacity = (uint32) n;
	return true;
}

/* The row for a number; NULL where there is no room for a copy of it. */
static const char *
row_to_keep(GaussdpPeople *people, const char *row)
{
	uint32 length = gaussdp_kept_length(people->layout, row);
	char *copy;

	if (!people->copies_rows)
		return row;
	if (!has_room(people, length))
		return NULL;
	copy = MemoryContextAllocHuge(people->copies, length);
	people->copied += GetMemoryChunkSpace(copy);
	return memcpy(copy, row, length);
}

/* The next number; GAUSSDP_NO_SEAT where there is no room for it. */
static uint32
add_entry(GaussdpPeople *people, GaussdpIndex *index, uint64 print, uint32 of, const char *row)
{
	uint64 at;

	if (index->n == index->capacity && !grow_arrays(people, index))
		return GAUSSDP_NO_SEAT;
	if (index->n >= (index->mask + 1) / 8 * 5 && !grow_entries(people, index))
		return GAUSSDP_NO_SEAT;
	if (keeps_rows(people, index) && (index->rows[index->n] = row_to_keep(people, row)) == NULL)
		return GAUSSDP_NO_SEAT;
	at = gaussdp_place_in(index, print, of);
	while (index->entries[at].number != 0)
		at = (at + 1) & index->mask;
	index->entries[at] = (GaussdpEntry){.print = print, .of = of, .number = ++index->n};
	return index->n - 1;
}

/* ---------------------------------------------------------------------------
 * People
 * ---------------------------------------------------------------------------
 */

/* It may leave behind what it was read from. */
int64
gaussdp_compute_size(const GaussdpRowLayout *layout, const GaussdpCounting *counting, Datum value)
{
	MemoryContext old = MemoryContextSwitchTo(layout->scratch);
	int64 size = gaussdp_size_by(counting->sizing, value);

	MemoryContextSwitchTo(old);
	MemoryContextReset(layout->scratch);
	return size;
}

int64
gaussdp_bad_size(void)
{
	elog(ERROR, "the size of a row is out of range");
}

void
gaussdp_forget_people(GaussdpPeople *people)
{
	people->copied = 0;
	if (!has_room(people, 0)) /* the last ones had more */
		gaussdp_free_people(people);
	clear_index(people, &people->persons);
	if (people->width == 0)
		clear_index(people, &people->groups);
	MemoryContextReset(people->copies);
}

static void
free_index(GaussdpIndex *index)
{
	index->entries = NULL;
	index->rows = NULL;
	index->allocated = 0;
	index->n = index->capacity = 0;
}

void
gaussdp_free_people(GaussdpPeople *people)
{
	MemoryContextReset(people->memory);
	MemoryContextReset(people->copies);
	people->copied = 0;
	free_index(&people->persons);
	free_index(&people->groups);
	people->person_of = NULL;
	people->marks = NULL;
	people->sums = NULL;
	people->weights = NULL;
}

static void
start_cells(GaussdpPeople *people, Size first, Size n)
{
	if (n == 0) /* cells are looked up: there may be no array yet */
		return;
	memset(&people->sums[first * people->nweights], 0, sizeof(int64) * people->nweights * n);
	if (people->marks != NULL)
		memset(&people->marks[first], GAUSSDP_EMPTY, n);
}

uint32
gaussdp_add_person(GaussdpPeople *people, uint64 print, uint32 of, const char *row)
{
	uint32 person = add_entry(people, &people->persons, print, of, row);

	if (person != GAUSSDP_NO_SEAT)
		start_cells(people, (Size) person * people->width, people->width);
	return person;
}

uint32
gaussdp_add_group(GaussdpPeople *people, uint64 print, uint32 of, const char *row)
{
	uint32 cell = add_entry(people, &people->groups, print, of, row);

	if (cell == GAUSSDP_NO_SEAT)
		return cell;
	people->person_of[cell] = of >> 1;
	start_cells(people, cell, 1);
	return cell;
}

/* ---------------------------------------------------------------------------
 * Weights
 * ---------------------------------------------------------------------------
 */

/* The sum of squares with that of one cell. */
static gdp_int128
add_cell(const GaussdpPeople *people, gdp_int128 squares, Size cell, int i)
{
	int64 sum = people->sums[cell * people->nweights + i];

	if (sum == 0 || (people->marks != NULL && people->marks[cell] == GAUSSDP_DROPPED))
		return squares;
	if (people->countings[i].of_people)
		sum = GDP_SIZE_ROW;
	return gdp_squares_add(squares, sum, sum);
}

static void
weigh(GaussdpPeople *people, Size person, int i, gdp_int128 squares)
{
	people->weights[person * people->nweights + i] =
		(uint32) gdp_person_weight(squares, people->countings[i].most);
}

/* The cells of each person stand side by side. */
static void
weigh_by_rows_of_cells(GaussdpPeople *people)
{
	for (Size person = 0; person < people->persons.n; person++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < people->nweights; i++)
		{
			gdp_int128 squares = 0;

			for (Size cell = person * people->width; cell < (person + 1) * people->width; cell++)
				squares = add_cell(people, squares, cell, i);
			weigh(people, person, i, squares);
		}
	}
}

static void
weigh_by_cells(GaussdpPeople *people)
{
	int n = people->nweights;
	gdp_int128 *squares =
		MemoryContextAllocExtended(people->copies, sizeof(gdp_int128) * people->persons.n * n,
								   MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);

	for (Size cell = 0; cell < people->groups.n; cell++)
	{
		gdp_int128 *of_person = &squares[(Size) people->person_of[cell] * n];

		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < n; i++)
			of_person[i] = add_cell(people, of_person[i], cell, i);
	}
	for (Size person = 0; person < people->persons.n; person++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < n; i++)
			weigh(people, person, i, squares[person * n + i]);
	}
	pfree(squares);
}

void
gaussdp_weigh_people(GaussdpPeople *people)
{
	if (people->persons.n == 0)
		return;
	if (people->places.call != NULL)
		gaussdp_drop_groups(people);
	if (people->width > 0)
		weigh_by_rows_of_cells(people);
	else
		weigh_by_cells(people);
}

/* ---------------------------------------------------------------------------
 * Cells that are added up
 * ---------------------------------------------------------------------------
 */

Size
gaussdp_number_of_cells(const GaussdpPeople *people)
{
	return people->width > 0 ? (Size) people->persons.n * people->width : people->groups.n;
}

const char *
gaussdp_row_of_cell(const GaussdpPeople *people, Size cell)
{
	if (people->width == 0)
		return people->groups.rows[cell];
	return gaussdp_row_of_keys(people, (uint32) (cell % people->width));
}

const char *
gaussdp_row_of_keys(const GaussdpPeople *people, uint32 number)
{
	return people->keys.n > 0 ? people->keys.rows[number] : NULL;
}

uint32
gaussdp_number_of_cell(const GaussdpPeople *people, Size cell)
{
	return people->width > 0 ? (uint32) (cell % people->width)
							 : gaussdp_kept_number(people->layout, people->groups.rows[cell]);
}

int64
gaussdp_rows_of_cell(const GaussdpPeople *people, Size cell, int i, int64 *weight)
{
	Size person = people->width > 0 ? cell / people->width : people->person_of[cell];
	int64 sum = people->sums[cell * people->nweights + i];

	*weight = people->weights[person * people->nweights + i];
	if (people->countings[i].of_people)
		return sum > 0 ? 1 : 0;
	if (sum % GDP_SIZE_ROW != 0)
		elog(ERROR, "rows that are only counted have sizes of their own");
	return sum / GDP_SIZE_ROW;
}
