/*
 * person.c
 *		What is known of a person whose rows are weighed (person.h).
 *
 * The arithmetic is that of core/weight.c, as in the windows of weights.c: S of a cell, the sum of S^2 over the cells of
 * a person, m.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/people/person.h"

#define FEWEST_CELLS 64

void
gaussdp_make_person(GaussdpPerson *person, MemoryContext parent)
{
	person->lasting = parent;
	person->memory = AllocSetContextCreate(parent, "groups of a person", ALLOCSET_DEFAULT_SIZES);
	person->copies = AllocSetContextCreate(parent, "rows of a person", ALLOCSET_DEFAULT_SIZES);
	person->by_keys = MemoryContextAllocZero(parent, sizeof(uint32) * GAUSSDP_FEW_KEYS);
	if (person->key == NULL)
		return;
	gaussdp_make_keys(&person->keys, parent, person->layout, person->key);
	gaussdp_make_index(&person->groups, parent, person->layout, person->key);
	person->groups.keeps_rows = true;
}

void
gaussdp_start_person(GaussdpPerson *person, bool copies_rows)
{
	for (uint32 cell = 0; cell < person->ncells && !person->keys.are_many; cell++)
		person->by_keys[person->cells[cell].number] = 0;
	if (person->capacity * gaussdp_bytes_of_cell(person) > person->most_kept)
	{
		MemoryContextReset(person->memory);
		person->cells = NULL;
		person->sums = NULL;
		person->weights = NULL;
		person->capacity = 0;
		if (person->key != NULL)
			gaussdp_free_index(&person->groups);
	}
	if (copies_rows || person->copies_rows)
		MemoryContextReset(person->copies);
	person->copies_rows = copies_rows;
	person->ncells = 0;
	if (person->keys.are_many)
		gaussdp_clear_index(&person->groups, copies_rows);
}

static void *
grow(const GaussdpPerson *person, void *array, Size size)
{
	return array == NULL ? MemoryContextAllocHuge(person->memory, size)
						 : repalloc_huge(array, size);
}

static void
grow_cells(GaussdpPerson *person)
{
	Size n = Max((Size) person->capacity * 2, FEWEST_CELLS);
	Size nweights = (Size) Max(person->nweights, 1) * n;

	person->cells = grow(person, person->cells, sizeof(GaussdpCell) * n);
	person->sums = grow(person, person->sums, sizeof(int64) * nweights);
	person->weights = grow(person, person->weights, sizeof(uint32) * nweights);
	person->capacity = (uint32) n;
}

/* A row that stays. */
static const char *
row_to_keep(const GaussdpPerson *person, const char *row)
{
	uint32 length;

	if (person->keys.are_many)
		return person->groups.rows[person->ncells];
	if (!person->copies_rows)
		return row;
	length = gaussdp_kept_length(person->layout, row);
	return memcpy(MemoryContextAllocHuge(person->copies, length), row, length);
}

uint32
gaussdp_add_cell(GaussdpPerson *person, uint32 number, const char *row)
{
	uint32 cell = person->ncells;

	if (cell == person->capacity)
		grow_cells(person);
	person->cells[cell] = (GaussdpCell){.number = number};
	if (person->key != NULL)
		person->cells[cell].row = row_to_keep(person, row);
	memset(&person->sums[(Size) cell * person->nweights], 0, sizeof(int64) * person->nweights);
	if (!person->keys.are_many)
		person->by_keys[number] = cell + 1;
	person->ncells++;
	return cell;
}

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

/* The weight of one who has the cells from this one on, up to that; asked for once for each person. */
static uint32
weigh(const GaussdpPerson *person, uint32 from, uint32 to, int i)
{
	const GaussdpCounting *counting = &person->countings[i];
	gdp_int128 squares = 0;

	for (uint32 cell = from; cell < to; cell++)
	{
		int64 sum = person->sums[(Size) cell * person->nweights + i];

		if (sum == 0 || person->cells[cell].is_dropped)
			continue;
		if (counting->of_people)
			sum = GDP_SIZE_ROW;
		squares = gdp_squares_add(squares, sum, sum);
	}
	if (person->people != NULL && squares > 0)
		person->people[i * GDP_LIMIT_BINS + gdp_limit_bin(squares)]++;
	return (uint32) gdp_person_weight(squares, counting->most);
}

void
gaussdp_weigh_person(GaussdpPerson *person)
{
	if (person->places.call != NULL && person->ncells > person->places.max_groups)
		gaussdp_drop_groups(person);
	for (int i = 0; i < person->nweights; i++)
		person->weights[i] = weigh(person, 0, person->ncells, i);
}

void
gaussdp_weigh_people(GaussdpPerson *person)
{
	for (uint32 cell = 0; cell < person->ncells; cell++)
	{
		CHECK_FOR_INTERRUPTS();
		for (int i = 0; i < person->nweights; i++)
			person->weights[(Size) cell * person->nweights + i] = weigh(person, cell, cell + 1, i);
	}
}
