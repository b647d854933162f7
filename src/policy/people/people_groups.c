/*
 * people_groups.c
 *		Which groups of a person are kept, where groups are found in the data and a person may have more than counts
 *		(people_table.h).
 *
 * Groups stand in the order of a number that is drawn of a seed, the unit and the keys (group_place.c), and, where that is
 * the same, of their keys: as ranked by the windows of weights.c.  It is computed of people alone who have too many.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/people/people_table.h"

/* A cell of a person who has too many. */
typedef struct Ranked
{
	Size cell;
	const char *row; /* with its keys */
	int64 place;
	uint32 person;
} Ranked;

StaticAssertDecl(sizeof(Ranked) == GAUSSDP_BYTES_OF_PLACE, "tables reckon with its size");

static void
take_argument(const GaussdpPeople *people, int argument, const char *row, int kept)
{
	bool isnull = gaussdp_kept_is_null(people->layout, row, kept);

	people->places.call->args[argument] = (NullableDatum){
		.value = isnull ? 0 : gaussdp_kept_value(people->layout, row, kept), .isnull = isnull};
}

static int64
place_of(const GaussdpPeople *people, const char *row_of_person, const char *row)
{
	FunctionCallInfo call = people->places.call;
	MemoryContext old = MemoryContextSwitchTo(people->layout->scratch);
	int64 place;

	call->isnull = false;
	take_argument(people, 1, row_of_person, people->persons.matcher->kept[0]);
	for (int i = 2; i < call->nargs; i++)
		take_argument(people, i, row, people->groups.matcher->kept[i - 2]);
	place = DatumGetInt64(FunctionCallInvoke(call));
	MemoryContextSwitchTo(old);
	MemoryContextReset(people->layout->scratch);
	return place;
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
			&people->places.order[i]);

		if (result != 0)
			return result;
	}
	return 0;
}

/* By person, then by place, then by keys. */
static int
compare_ranked(const void *x, const void *y, void *context)
{
	const Ranked *a = x;
	const Ranked *b = y;

	CHECK_FOR_INTERRUPTS();
	if (a->person != b->person)
		return a->person < b->person ? -1 : 1;
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return compare_keys(context, a->row, b->row);
}

/* Drops the last ones of each person. */
static void
drop_last(GaussdpPeople *people, Ranked *cells, Size n)
{
	int64 rank = 0;

	qsort_arg(cells, n, sizeof(Ranked), compare_ranked, people);
	for (Size i = 0; i < n; i++)
	{
		CHECK_FOR_INTERRUPTS();
		if (i > 0 && cells[i].person != cells[i - 1].person)
			rank = 0;
		if (++rank > people->places.max_groups)
			people->marks[cells[i].cell] = GAUSSDP_DROPPED;
	}
}

static Ranked
rank(const GaussdpPeople *people, uint32 person, Size cell, const char *row)
{
	return (Ranked){.cell = cell,
					.row = row,
					.place = place_of(people, people->persons.rows[person], row),
					.person = person};
}

/* The cells of each person stand side by side. */
static void
drop_in_rows_of_cells(GaussdpPeople *people)
{
	Ranked cells[GAUSSDP_MOST_SUMS];

	if (people->width <= people->places.max_groups)
		return;
	for (uint32 person = 0; person < people->persons.n; person++)
	{
		Size first = (Size) person * people->width;
		Size n = 0;

		CHECK_FOR_INTERRUPTS();
		for (uint32 key = 0; key < people->width; key++)
			n += people->marks[first + key];
		if (n <= (Size) people->places.max_groups)
			continue;
		n = 0;
		for (uint32 key = 0; key < people->width; key++)
			if (people->marks[first + key] == GAUSSDP_HAS_ROWS)
				cells[n++] = rank(people, person, first + key, people->keys.rows[key]);
		drop_last(people, cells, n);
	}
}

static void
drop_cells(GaussdpPeople *people)
{
	uint32 *ngroups = MemoryContextAllocExtended(people->copies, sizeof(uint32) * people->persons.n,
												 MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	Ranked *cells =
		MemoryContextAllocHuge(people->copies, sizeof(Ranked) * Max(people->groups.n, 1));
	Size n = 0;

	for (uint32 cell = 0; cell < people->groups.n; cell++)
	{
		CHECK_FOR_INTERRUPTS();
		ngroups[people->person_of[cell]]++;
	}
	for (uint32 cell = 0; cell < people->groups.n; cell++)
	{
		CHECK_FOR_INTERRUPTS();
		if (ngroups[people->person_of[cell]] > people->places.max_groups)
			cells[n++] = rank(people, people->person_of[cell], cell, people->groups.rows[cell]);
	}
	drop_last(people, cells, n);
	pfree(cells);
	pfree(ngroups);
}

void
gaussdp_drop_groups(GaussdpPeople *people)
{
	if (people->width > 0)
		drop_in_rows_of_cells(people);
	else
		drop_cells(people);
}
