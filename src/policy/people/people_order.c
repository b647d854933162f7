/*
 * people_order.c
 *		Puts the rows of a partition into the order of their people, for the node of people_scan.c.
 *
 * Its people are numbered and their rows counted, and then these are put in order, by where each is.  Within a person rows stay in the
 * order in which they came, so that what is seen of a person does not depend on anybody else's rows.  Where rows have no groups and
 * are only added up, nothing needs that order: each counts as its person is numbered.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/people/people_scan.h"

void
gaussdp_free_order(GaussdpPeopleScan *state)
{
	MemoryContextReset(state->order);
	state->capacity = 0;
	state->rows = NULL;
	state->cells = state->ends = NULL;
}

bool
gaussdp_has_one_person(GaussdpPeopleScan *state)
{
	const GaussdpRowLayout *layout = &state->layout;
	GaussdpCursor *cursor = &state->cursor;
	char *first = NULL;
	bool is_same = true;

	gaussdp_start_reading(cursor, state->current);
	while (is_same && gaussdp_read_on(cursor))
		while (is_same && cursor->at < cursor->end)
		{
			uint32 length = gaussdp_kept_length(layout, cursor->at);

			CHECK_FOR_INTERRUPTS();
			if (first == NULL)
				first = memcpy(MemoryContextAllocHuge(state->order, length), cursor->at, length);
			is_same = gaussdp_same(&state->unit, layout, first, cursor->at);
			cursor->at += length;
		}
	gaussdp_free_order(state);
	return is_same;
}

/* A row of this person has been seen: the first one where they were not known. */
static pg_attribute_always_inline void
count_row(GaussdpPeopleScan *state, uint32 row, uint32 person, bool is_new, const char *at)
{
	if (state->adds_people)
	{
		if (is_new)
			(void) gaussdp_add_cell(&state->person, 0);
		gaussdp_count_row(&state->person, person, at);
		return;
	}
	state->cells[row] = person;
	if (is_new)
		state->ends[person] = 0;
	state->ends[person]++;
}

/* Numbers the people; counts their rows, or keeps the first of each. */
static pg_attribute_always_inline bool
number_people(GaussdpPeopleScan *state, bool is_distinct)
{
	GaussdpCursor *cursor = &state->cursor;
	uint32 row = 0;

	gaussdp_start_reading(cursor, state->current);
	while (gaussdp_read_on(cursor))
		while (cursor->at < cursor->end)
		{
			uint32 known = state->people.n;
			uint32 person = gaussdp_number_of_row(&state->people, cursor->at);

			CHECK_FOR_INTERRUPTS();
			if (unlikely(person == GAUSSDP_NO_NUMBER))
				return false;
			if (!is_distinct)
				count_row(state, row++, person, person == known, cursor->at);
			else if (person == known)
				state->rows[person] = cursor->at;
			cursor->at += gaussdp_kept_length(&state->layout, cursor->at);
		}
	state->nrows = is_distinct ? state->people.n : row;
	return true;
}

/* Afterwards each end is that of the person's rows. */
static void
sort_rows(GaussdpPeopleScan *state)
{
	GaussdpCursor *cursor = &state->cursor;
	const uint32 *person = state->cells;
	uint32 place = 0;

	for (uint32 i = 0; i < state->people.n; i++)
	{
		uint32 n = state->ends[i];

		CHECK_FOR_INTERRUPTS();
		state->ends[i] = place;
		place += n;
	}
	gaussdp_start_reading(cursor, state->current);
	while (gaussdp_read_on(cursor))
		while (cursor->at < cursor->end)
		{
			CHECK_FOR_INTERRUPTS();
			state->rows[state->ends[*person++]++] = cursor->at;
			cursor->at += gaussdp_kept_length(&state->layout, cursor->at);
		}
}

/* What the order of so many rows takes, beside the people. */
static Size
bytes_of_order(const GaussdpPeopleScan *state, uint64 rows)
{
	if (state->adds_people)
		return 0;
	return rows * (sizeof(char *) + (state->is_distinct ? 0 : 2 * sizeof(uint32)));
}

/* Those of the last partition serve again where they are long enough. */
static void
make_arrays(GaussdpPeopleScan *state, uint64 rows)
{
	Size n = rows + rows / 8;

	if (rows <= state->capacity || state->adds_people)
		return;
	gaussdp_free_order(state);
	state->capacity = (uint32) Min(n, PG_UINT32_MAX);
	state->rows = MemoryContextAllocHuge(state->order, sizeof(char *) * n);
	if (state->is_distinct)
		return;
	state->ends = MemoryContextAllocHuge(state->order, sizeof(uint32) * n);
	state->cells = MemoryContextAllocHuge(state->order, sizeof(uint32) * n);
}

bool
gaussdp_order_rows(GaussdpPeopleScan *state, Size limit)
{
	uint64 most = state->current->bytes / state->layout.fixed;
	Size bytes;

	if (limit > 0 && bytes_of_order(state, state->capacity) >= limit / 2)
		gaussdp_free_order(state);
	bytes = bytes_of_order(state, Max(most + most / 8, state->capacity));
	if (most >= PG_UINT32_MAX || (limit > 0 && bytes >= limit))
		return false;
	make_arrays(state, most);
	state->people.limit = limit == 0 ? 0 : limit - bytes;
	gaussdp_clear_index(&state->people, false);
	if (state->adds_people)
		gaussdp_start_person(&state->person);
	if (!(state->is_distinct ? number_people(state, true) : number_people(state, false)))
		return false;
	if (state->ends != NULL)
		sort_rows(state);
	return true;
}
