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

#include "policy/room/people_table.h"

#define FEWEST_ENTRIES 256

void
gaussdp_make_people(GaussdpPeople *people, const GaussdpMatcher *unit, const GaussdpMatcher *keys)
{
	people->persons.matcher = unit;
	people->groups.matcher = keys;
	people->copies =
		AllocSetContextCreate(people->memory, "copied rows of people", ALLOCSET_DEFAULT_SIZES);
}

/* ---------------------------------------------------------------------------
 * Indexes
 * ---------------------------------------------------------------------------
 */

static void
clear_index(const GaussdpPeople *people, GaussdpIndex *index, uint64 n)
{
	uint64 wanted = FEWEST_ENTRIES;

	while (wanted < n * 2)
		wanted *= 2;
	if (wanted > index->allocated)
	{
		if (index->entries != NULL)
			pfree(index->entries);
		index->entries = MemoryContextAllocHuge(people->memory, sizeof(GaussdpEntry) * wanted);
		index->allocated = wanted;
	}
	memset(index->entries, 0, sizeof(GaussdpEntry) * wanted);
	index->mask = wanted - 1;
	index->n = 0;
}

static pg_noinline void
grow_index(const GaussdpPeople *people, GaussdpIndex *index)
{
	uint64 wanted = (index->mask + 1) * 2;
	GaussdpEntry *old = index->entries;
	uint64 n = index->mask + 1;

	index->entries = MemoryContextAllocExtended(people->memory, sizeof(GaussdpEntry) * wanted,
												MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	index->allocated = wanted;
	index->mask = wanted - 1;
	for (uint64 i = 0; i < n; i++)
		if (old[i].number != 0)
		{
			uint64 at = gaussdp_place_in(index, old[i].print, old[i].of);

			while (index->entries[at].number != 0)
				at = (at + 1) & index->mask;
			index->entries[at] = old[i];
		}
	pfree(old);
}

static void *
grow_array(const GaussdpPeople *people, void *array, Size size)
{
	return array == NULL ? MemoryContextAllocHuge(people->memory, size)
						 : repalloc_huge(array, size);
}

static pg_noinline void
grow_rows(GaussdpPeople *people, GaussdpIndex *index)
{
	Size n = Max(index->capacity * (Size) 2, FEWEST_ENTRIES);
	bool of_cells = index == &people->groups || people->groups.matcher == NULL;

	if (n >= PG_UINT32_MAX)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("there are too many people in one partition of rows")));
	index->rows = grow_array(people, index->rows, sizeof(char *) * n);
	index->capacity = (uint32) n;
	if (index == &people->persons)
	{
		people->squares =
			grow_array(people, people->squares, sizeof(gdp_int128) * people->nweights * n);
		people->weights =
			grow_array(people, people->weights, sizeof(uint32) * people->nweights * n);
	}
	if (of_cells)
	{
		people->cells = grow_array(people, people->cells, sizeof(GaussdpCell) * n);
		people->sums = grow_array(people, people->sums, sizeof(int64) * people->nweights * n);
	}
}

static uint32
add_entry(GaussdpPeople *people, GaussdpIndex *index, uint64 print, uint32 of, const char *row)
{
	uint64 at;

	if (index->n == index->capacity)
		grow_rows(people, index);
	if (index->n >= (index->mask + 1) / 8 * 5)
		grow_index(people, index);
	at = gaussdp_place_in(index, print, of);
	while (index->entries[at].number != 0)
		at = (at + 1) & index->mask;
	if (people->copies_rows)
	{
		uint32 length = gaussdp_kept_length(people->layout, row);

		row = memcpy(MemoryContextAllocHuge(people->copies, length), row, length);
	}
	index->rows[index->n] = row;
	index->entries[at] = (GaussdpEntry){.print = print, .of = of, .number = ++index->n};
	return index->n - 1;
}

/* ---------------------------------------------------------------------------
 * People
 * ---------------------------------------------------------------------------
 */

void
gaussdp_forget_people(GaussdpPeople *people, uint64 nrows)
{
	uint64 expected = Min(nrows, people->persons.n);

	clear_index(people, &people->persons, expected);
	if (people->groups.matcher != NULL)
		clear_index(people, &people->groups, Min(nrows, people->groups.n));
	MemoryContextReset(people->copies);
}

static void
start_cell(GaussdpPeople *people, uint32 cell, uint32 person)
{
	people->cells[cell] = (GaussdpCell){.person = person};
	memset(&people->sums[(Size) cell * people->nweights], 0, sizeof(int64) * people->nweights);
}

uint32
gaussdp_add_person(GaussdpPeople *people, uint64 print, const char *row)
{
	uint32 person = add_entry(people, &people->persons, print, 0, row);

	memset(&people->squares[(Size) person * people->nweights], 0,
		   sizeof(gdp_int128) * people->nweights);
	if (people->groups.matcher == NULL)
		start_cell(people, person, person);
	return person;
}

uint32
gaussdp_add_cell(GaussdpPeople *people, uint64 print, uint32 person, const char *row)
{
	uint32 cell = add_entry(people, &people->groups, print, person, row);

	start_cell(people, cell, person);
	return cell;
}

static int
compare_keys(const GaussdpPeople *people, const char *a, const char *b)
{
	const GaussdpMatcher *keys = people->groups.matcher;

	for (int i = 0; i < keys->n; i++)
	{
		bool a_is_null = gaussdp_kept_is_null(people->layout, a, keys->kept[i]);
		bool b_is_null = gaussdp_kept_is_null(people->layout, b, keys->kept[i]);
		int result = ApplySortComparator(
			a_is_null ? 0 : gaussdp_kept_value(people->layout, a, keys->kept[i]), a_is_null,
			b_is_null ? 0 : gaussdp_kept_value(people->layout, b, keys->kept[i]), b_is_null,
			&people->order[i]);

		if (result != 0)
			return result;
	}
	return 0;
}

/* By person, then by place, then by keys. */
static int
compare_cells(const void *x, const void *y, void *context)
{
	const GaussdpPeople *people = context;
	uint32 a = *(const uint32 *) x;
	uint32 b = *(const uint32 *) y;
	const char *row_a = people->groups.rows[a];
	const char *row_b = people->groups.rows[b];
	int64 place_a;
	int64 place_b;

	CHECK_FOR_INTERRUPTS();
	if (people->cells[a].person != people->cells[b].person)
		return people->cells[a].person < people->cells[b].person ? -1 : 1;
	place_a = DatumGetInt64(gaussdp_kept_value(people->layout, row_a, people->place));
	place_b = DatumGetInt64(gaussdp_kept_value(people->layout, row_b, people->place));
	if (place_a != place_b)
		return place_a < place_b ? -1 : 1;
	return compare_keys(people, row_a, row_b);
}

/* Collects the cells of people who are in more groups than are kept; how many there are. */
static uint32
cells_of_many(const GaussdpPeople *people, uint32 *cells)
{
	uint32 *ngroups = MemoryContextAllocExtended(people->copies, sizeof(uint32) * people->persons.n,
												 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	uint32 n = 0;

	for (uint32 cell = 0; cell < people->groups.n; cell++)
		ngroups[people->cells[cell].person]++;
	for (uint32 cell = 0; cell < people->groups.n; cell++)
		if (ngroups[people->cells[cell].person] > people->max_groups)
			cells[n++] = cell;
	pfree(ngroups);
	return n;
}

/* Drops the groups of each person beyond those that are kept. */
static void
drop_groups(GaussdpPeople *people)
{
	uint32 *cells;
	uint32 n;
	int64 place = 0;

	if (people->place < 0 || people->groups.n <= people->max_groups)
		return;
	cells = MemoryContextAllocHuge(people->copies, sizeof(uint32) * people->groups.n);
	n = cells_of_many(people, cells);
	qsort_arg(cells, n, sizeof(uint32), compare_cells, people);
	for (uint32 i = 0; i < n; i++)
	{
		if (i > 0 && people->cells[cells[i]].person != people->cells[cells[i - 1]].person)
			place = 0;
		people->cells[cells[i]].is_dropped = ++place > people->max_groups;
	}
	pfree(cells);
}

void
gaussdp_weigh_people(GaussdpPeople *people)
{
	int n = people->nweights;
	uint32 ncells = people->groups.matcher != NULL ? people->groups.n : people->persons.n;

	drop_groups(people);
	for (uint32 cell = 0; cell < ncells; cell++)
		for (int i = 0; i < n; i++)
		{
			gdp_int128 *squares = &people->squares[(Size) people->cells[cell].person * n + i];
			int64 sum = people->sums[(Size) cell * n + i];

			CHECK_FOR_INTERRUPTS();
			if (people->countings[i].of_people && sum > 0)
				sum = GDP_SIZE_ROW;
			if (!people->cells[cell].is_dropped)
				*squares = gdp_squares_add(*squares, sum, sum);
		}
	for (uint32 person = 0; person < people->persons.n; person++)
		for (int i = 0; i < n; i++)
		{
			Size at = (Size) person * n + i;

			CHECK_FOR_INTERRUPTS();
			people->weights[at] =
				(uint32) gdp_person_weight(people->squares[at], people->countings[i].most);
		}
}
