/*
 * person.c
 *		What is known of a person whose rows are weighed (person.h).
 *
 * The arithmetic is that of core/weight.c, as in the windows of weights.c: S of a cell, the sum of S^2 over the cells of
 * a person, m.
 */
#include "postgres.h"

#include "common/hashfn.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/people/person.h"

#define FEWEST_CELLS 64

#define SH_PREFIX bins
#define SH_ELEMENT_TYPE GaussdpBinned
#define SH_KEY_TYPE uint64
#define SH_KEY key
#define SH_HASH_KEY(table, key) murmurhash32((uint32) (key) ^ (uint32) ((key) >> 29))
#define SH_EQUAL(table, a, b) ((a) == (b))
#define SH_SCOPE static inline
#define SH_DECLARE
#define SH_DEFINE
#include "lib/simplehash.h"

#define BIN_BITS 16
#define WEIGHT_BITS 16

void
gaussdp_make_person(GaussdpPerson *person, MemoryContext parent)
{
	person->lasting = parent;
	person->memory = AllocSetContextCreate(parent, "groups of a person", ALLOCSET_DEFAULT_SIZES);
	person->numbered = AllocSetContextCreate(parent, "totals by key", ALLOCSET_DEFAULT_SIZES);
	person->squares = MemoryContextAllocZero(parent, sizeof(gdp_int128) * (person->nweights + 1));
	if (person->key == NULL)
		return;
	gaussdp_make_index(&person->keys, parent, person->layout, person->key);
	person->keys.keeps_rows = true;
	person->keys.beside = sizeof(uint32);
	if (person->totals.adds_up)
		person->keys.beside += sizeof(bool) + sizeof(GaussdpTotal) * (Size) person->totals.ncalls;
	gaussdp_clear_index(&person->keys, true);
}

static void *
grow_zeroed(MemoryContext context, void *array, Size from, Size to)
{
	array = array == NULL ? MemoryContextAllocHuge(context, to) : repalloc_huge(array, to);
	memset((char *) array + from, 0, to - from);
	return array;
}

/* For the number of new keys. */
static void
grow_numbered(GaussdpPerson *person)
{
	GaussdpTotals *totals = &person->totals;
	Size from = person->nnumbered;
	Size to = Max(from * 2, FEWEST_CELLS);
	Size bytes = sizeof(GaussdpTotal) * (Size) totals->ncalls;

	person->by_keys =
		grow_zeroed(person->numbered, person->by_keys, sizeof(uint32) * from, sizeof(uint32) * to);
	person->nnumbered = (uint32) to;
	if (!totals->adds_up)
		return;
	totals->has_rows = grow_zeroed(person->numbered, totals->has_rows, from, to);
	totals->totals = grow_zeroed(person->numbered, totals->totals, bytes * from, bytes * to);
}

/* The memory serves again, but for that of a person with many. */
void
gaussdp_forget_keys(GaussdpPerson *person)
{
	GaussdpTotals *totals = &person->totals;
	Size n = person->nnumbered;

	person->ncells = 0;
	totals->next = 0;
	if (person->key != NULL && gaussdp_bytes_of_index(&person->keys) > person->most_numbered * 2)
	{
		MemoryContextReset(person->numbered);
		person->nnumbered = 0;
		person->by_keys = NULL;
		totals->has_rows = NULL;
		totals->totals = NULL;
		gaussdp_free_index(&person->keys);
	}
	else if (n > 0)
	{
		memset(person->by_keys, 0, sizeof(uint32) * n);
		if (totals->adds_up)
		{
			memset(totals->has_rows, 0, n);
			memset(totals->totals, 0, sizeof(GaussdpTotal) * (Size) totals->ncalls * n);
		}
	}
	if (person->key != NULL)
		gaussdp_clear_index(&person->keys, true);
}

/* Those of a person with many are given back. */
static void
forget_bins(GaussdpPerson *person)
{
	if (person->bins == NULL)
		return;
	if (person->bins->size * sizeof(GaussdpBinned) > person->most_kept)
	{
		bins_destroy(person->bins);
		person->bins = NULL;
	}
	else
		bins_reset(person->bins);
}

void
gaussdp_start_person(GaussdpPerson *person)
{
	for (uint32 cell = 0; cell < person->ncells; cell++)
		person->by_keys[person->cells[cell].number] = 0;
	if (person->capacity * gaussdp_bytes_of_cell(person) > person->most_kept)
	{
		MemoryContextReset(person->memory);
		person->cells = NULL;
		person->own = NULL;
		person->sums = NULL;
		person->weights = NULL;
		person->capacity = 0;
	}
	forget_bins(person);
	person->ncells = 0;
	if (!person->totals.adds_up && gaussdp_has_many_keys(person))
		gaussdp_forget_keys(person);
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
	if (person->njoint > 0)
		person->own = grow(person, person->own, sizeof(GaussdpTotal) * (Size) person->njoint * n);
	person->capacity = (uint32) n;
}

uint32
gaussdp_add_cell(GaussdpPerson *person, uint32 number)
{
	uint32 cell = person->ncells;

	if (cell == person->capacity)
		grow_cells(person);
	if (number >= person->nnumbered)
		grow_numbered(person);
	person->cells[cell] = (GaussdpCell){.number = number};
	memset(&person->sums[(Size) cell * person->nweights], 0, sizeof(int64) * person->nweights);
	if (person->njoint > 0)
		memset(&person->own[(Size) cell * person->njoint], 0,
			   sizeof(GaussdpTotal) * person->njoint);
	person->by_keys[number] = cell + 1;
	person->ncells++;
	if (person->totals.adds_up)
		gaussdp_prefetch_totals(&person->totals, number);
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

static void
count_bin(GaussdpPerson *person, uint32 cell, int i, int bin)
{
	GaussdpBinned *binned;
	bool is_known;

	if (bin < 0)
		return;
	if (person->bins == NULL)
		person->bins = bins_create(person->lasting, FEWEST_CELLS, NULL);
	binned = bins_insert(person->bins,
						 (uint64) cell << (WEIGHT_BITS + BIN_BITS) | (uint64) i << BIN_BITS |
							 (uint64) bin,
						 &is_known);
	if (!is_known)
		binned->rows = 0;
	binned->rows++;
}

/* It may leave behind what the value was read from. */
void
gaussdp_count_value(GaussdpPerson *person, uint32 cell, int i, const char *row)
{
	const GaussdpRowLayout *layout = person->layout;
	const GaussdpCounting *counting = &person->countings[i];
	const GaussdpSizing *sizing = counting->sizing;
	bool by_value = layout->kept[counting->size].by_value;
	MemoryContext old = CurrentMemoryContext;
	Datum value;

	value = gaussdp_kept_value(layout, row, counting->size);
	if (!by_value)
		MemoryContextSwitchTo(layout->scratch);
	if (counting->norm == GAUSSDP_NORM_JOINT)
		sizing->weigh(sizing->params, &person->own[(Size) cell * person->njoint + counting->total],
					  value, sizing->type, GDP_WEIGHT_ROW, 1);
	else
		count_bin(person, cell, i, sizing->bin(sizing->params, value, sizing->type));
	if (!by_value)
	{
		MemoryContextSwitchTo(old);
		MemoryContextReset(layout->scratch);
	}
}

/* The squares of a cell's part. */
static gdp_int128
add_squares(const GaussdpPerson *person, uint32 cell, int i, gdp_int128 squares)
{
	const GaussdpCounting *counting = &person->countings[i];
	int64 sum;

	if (counting->norm == GAUSSDP_NORM_JOINT)
		return counting->sizing->add_squares(
			counting->sizing->params, &person->own[(Size) cell * person->njoint + counting->total],
			squares);
	sum = person->sums[(Size) cell * person->nweights + i];
	if (counting->of_people && sum > 0)
		sum = GDP_SIZE_ROW;
	return gdp_squares_add(squares, sum, sum);
}

/* Those of all weights that count bins, each bin of a cell by itself. */
static void
add_squares_of_bins(GaussdpPerson *person)
{
	bins_iterator iterator;
	GaussdpBinned *binned;

	memset(person->squares, 0, sizeof(gdp_int128) * person->nweights);
	if (person->bins == NULL)
		return;
	bins_start_iterate(person->bins, &iterator);
	while ((binned = bins_iterate(person->bins, &iterator)) != NULL)
	{
		int i = (int) (binned->key >> BIN_BITS & ((1 << WEIGHT_BITS) - 1));
		int64 size = Min(binned->rows, PG_UINT32_MAX) * GDP_SIZE_ROW;

		CHECK_FOR_INTERRUPTS();
		if (!person->cells[binned->key >> (WEIGHT_BITS + BIN_BITS)].is_dropped)
			person->squares[i] = gdp_squares_add(person->squares[i], size, size);
	}
}

/* The weight of one who has the cells from this one on, up to that; asked for once for each person. */
static uint32
weigh(const GaussdpPerson *person, uint32 from, uint32 to, int i)
{
	const GaussdpCounting *counting = &person->countings[i];
	gdp_int128 squares = person->squares[i];

	for (uint32 cell = from; cell < to && counting->norm != GAUSSDP_NORM_BINS; cell++)
		if (!person->cells[cell].is_dropped)
			squares = add_squares(person, cell, i, squares);
	if (person->people != NULL && squares > 0)
		person->people[i * GDP_LIMIT_BINS + gdp_limit_bin(squares)]++;
	return (uint32) gdp_person_weight(squares, counting->most);
}

void
gaussdp_weigh_person(GaussdpPerson *person, const char *row)
{
	if (person->places.call != NULL && person->ncells > person->places.max_groups)
		gaussdp_drop_groups(person, row);
	add_squares_of_bins(person);
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
