/*
 * person_groups.c
 *		Which groups of a person are kept, where groups are found in the data and a person may have more than counts
 *		(person.h).
 *
 * Groups stand in the order of a number that is drawn of a seed, the unit and the keys (group_place.c), and, where that is
 * the same, of their keys: as ranked by the windows of weights.c.  It is computed of people alone who have too many.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/people/person.h"

typedef struct Ranked
{
	uint32 cell;
	int64 place;
} Ranked;

static void
take_argument(const GaussdpPerson *person, int argument, const char *row, int kept)
{
	bool isnull = gaussdp_kept_is_null(person->layout, row, kept);

	person->places.call->args[argument] = (NullableDatum){
		.value = isnull ? 0 : gaussdp_kept_value(person->layout, row, kept), .isnull = isnull};
}

/* A row that has the keys of a cell. */
static const char *
keys_of(const GaussdpPerson *person, uint32 cell)
{
	return person->keys.rows[person->cells[cell].number];
}

static int64
place_of(const GaussdpPerson *person, uint32 cell, const char *row)
{
	FunctionCallInfo call = person->places.call;
	MemoryContext old = MemoryContextSwitchTo(person->layout->scratch);
	int64 place;

	call->isnull = false;
	take_argument(person, 1, row, person->unit->kept[0]);
	for (int i = 2; i < call->nargs; i++)
		take_argument(person, i, keys_of(person, cell), person->key->kept[i - 2]);
	place = DatumGetInt64(FunctionCallInvoke(call));
	MemoryContextSwitchTo(old);
	MemoryContextReset(person->layout->scratch);
	return place;
}

static int
compare_keys(const GaussdpPerson *person, const char *a, const char *b)
{
	const GaussdpMatcher *keys = person->key;

	for (int i = 0; i < keys->n; i++)
	{
		bool a_is_null = gaussdp_kept_is_null(person->layout, a, keys->kept[i]);
		bool b_is_null = gaussdp_kept_is_null(person->layout, b, keys->kept[i]);
		int result = ApplySortComparator(
			a_is_null ? 0 : gaussdp_kept_value(person->layout, a, keys->kept[i]), a_is_null,
			b_is_null ? 0 : gaussdp_kept_value(person->layout, b, keys->kept[i]), b_is_null,
			&person->places.order[i]);

		if (result != 0)
			return result;
	}
	return 0;
}

static int
compare_ranked(const void *x, const void *y, void *context)
{
	const Ranked *a = x;
	const Ranked *b = y;
	const GaussdpPerson *person = context;

	CHECK_FOR_INTERRUPTS();
	if (a->place != b->place)
		return a->place < b->place ? -1 : 1;
	return compare_keys(person, keys_of(person, a->cell), keys_of(person, b->cell));
}

void
gaussdp_drop_groups(GaussdpPerson *person, const char *row)
{
	Ranked *ranked = MemoryContextAllocHuge(person->memory, sizeof(Ranked) * (Size) person->ncells);

	for (uint32 cell = 0; cell < person->ncells; cell++)
	{
		CHECK_FOR_INTERRUPTS();
		ranked[cell] = (Ranked){.cell = cell, .place = place_of(person, cell, row)};
	}
	qsort_arg(ranked, person->ncells, sizeof(Ranked), compare_ranked, person);
	for (Size i = (Size) person->places.max_groups; i < person->ncells; i++)
		person->cells[ranked[i].cell].is_dropped = true;
	pfree(ranked);
}
