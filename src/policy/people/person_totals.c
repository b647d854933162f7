/*
 * person_totals.c
 *		Adds up weighed rows, where all calls of a level have totals (person.h).
 *
 * Where the keys of the level are few, there is a total of each key for all people, so that the aggregation above gets hardly any
 * rows; where they are many, one of each person and group.  Totals are integers, whatever is added first.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/people/person.h"

static void
make_room(GaussdpPerson *person, uint32 n)
{
	GaussdpTotals *totals = &person->totals;

	if (n <= totals->capacity &&
		sizeof(GaussdpTotal) * totals->ncalls * (Size) totals->capacity <= person->most_kept)
		return;
	if (totals->has_rows != NULL)
	{
		pfree(totals->has_rows);
		pfree(totals->totals);
	}
	totals->capacity = n + n / 2;
	totals->has_rows = MemoryContextAllocHuge(person->lasting, sizeof(bool) * totals->capacity);
	totals->totals = MemoryContextAllocHuge(person->lasting, sizeof(GaussdpTotal) * totals->ncalls *
																 (Size) totals->capacity);
}

/* Before the first person where keys are few; of each person else. */
void
gaussdp_start_totals(GaussdpPerson *person)
{
	GaussdpTotals *totals = &person->totals;
	uint32 n;

	totals->by_key = !person->keys.are_many;
	n = Max(totals->by_key ? person->keys.index.n : person->ncells, 1);
	make_room(person, n);
	memset(totals->has_rows, false, sizeof(bool) * n);
	memset(totals->totals, 0, sizeof(GaussdpTotal) * totals->ncalls * (Size) n);
	totals->n = n;
	totals->next = 0;
}

static inline GaussdpTotal *
totals_of(GaussdpTotals *totals, uint32 number)
{
	totals->has_rows[number] = true;
	return &totals->totals[(Size) number * totals->ncalls];
}

/* It may leave behind what the value was read from. */
static pg_noinline void
add_long_value(const GaussdpRowLayout *layout, const GaussdpSizing *call, GaussdpTotal *total,
			   Datum value, int64 weight)
{
	MemoryContext old = MemoryContextSwitchTo(layout->scratch);

	call->weigh(call->params, total, value, call->type, weight, 1);
	MemoryContextSwitchTo(old);
	MemoryContextReset(layout->scratch);
}

/* Adds a row of this cell, whose person has these weights, to the totals of this number. */
static pg_attribute_always_inline void
add_row(GaussdpPerson *person, const uint32 *weights, uint32 cell, uint32 number, const char *row)
{
	const GaussdpRowLayout *layout = person->layout;
	GaussdpTotals *totals = &person->totals;
	GaussdpTotal *total = totals_of(totals, number);

	for (int i = 0; i < totals->ncalls; i++, total++)
	{
		const GaussdpTotalled *totalled = &totals->calls[i];
		const GaussdpSizing *call = totalled->call;
		int64 weight;

		if (totalled->by_cell || gaussdp_kept_is_null(layout, row, totalled->value))
			continue;
		weight = gaussdp_weight_of(person, weights, cell, row, totalled->weight);
		if (layout->kept[totalled->value].by_value)
			call->weigh(call->params, total, gaussdp_kept_value(layout, row, totalled->value),
						call->type, weight, 1);
		else
			add_long_value(layout, call, total, gaussdp_kept_value(layout, row, totalled->value),
						   weight);
	}
}

void
gaussdp_add_rows(GaussdpPerson *person, const char *const *rows, const uint32 *cells, uint32 n)
{
	for (uint32 i = 0; i < n; i++)
	{
		const GaussdpCell *cell = &person->cells[cells[i]];

		CHECK_FOR_INTERRUPTS();
		if (!cell->is_dropped)
			add_row(person, person->weights, cells[i],
					person->totals.by_key ? cell->number : cells[i], rows[i]);
	}
}

const uint32 *
gaussdp_add_people(GaussdpPerson *person, const char *row, const char *end, const uint32 *cell)
{
	for (; row < end; row += gaussdp_kept_length(person->layout, row), cell++)
	{
		CHECK_FOR_INTERRUPTS();
		add_row(person, &person->weights[(Size) *cell * person->nweights], *cell, 0, row);
	}
	return cell;
}

/* How many rows of a cell count for weight i. */
static int64
rows_of_cell(const GaussdpPerson *person, uint32 cell, int i)
{
	int64 sum = person->sums[(Size) cell * person->nweights + i];

	if (person->countings[i].of_people)
		return sum > 0 ? 1 : 0;
	if (sum % GDP_SIZE_ROW != 0)
		elog(ERROR, "rows that are only counted have sizes of their own");
	return sum / GDP_SIZE_ROW;
}

/* Adds what a cell says of a call. */
static void
add_cell(const GaussdpPerson *person, uint32 cell, const GaussdpTotalled *totalled,
		 const uint32 *weights, GaussdpTotal *total)
{
	const GaussdpCounting *counting = &person->countings[totalled->weight];
	const GaussdpSizing *call = totalled->call;
	int64 weight = weights[totalled->weight];

	if (!totalled->by_cell)
		return;
	if (counting->norm == GAUSSDP_NORM_JOINT)
		gaussdp_add_clipped(&person->own[(Size) cell * person->njoint + counting->total], weight,
							total);
	else
		call->weigh(call->params, total, (Datum) 0, call->type, weight,
					rows_of_cell(person, cell, totalled->weight));
}

void
gaussdp_add_cells(GaussdpPerson *person, bool are_people)
{
	for (uint32 cell = 0; cell < person->ncells; cell++)
	{
		const uint32 *weights = &person->weights[are_people ? (Size) cell * person->nweights : 0];
		GaussdpTotal *total;

		CHECK_FOR_INTERRUPTS();
		if (person->cells[cell].is_dropped)
			continue;
		total =
			totals_of(&person->totals, person->totals.by_key ? person->cells[cell].number : cell);
		for (int i = 0; i < person->totals.ncalls; i++, total++)
			add_cell(person, cell, &person->totals.calls[i], weights, total);
	}
}

bool
gaussdp_take_clipped(GaussdpPerson *person, uint32 cell)
{
	GaussdpTotal *own = &person->own[(Size) cell * person->njoint];
	bool has_rows = false;

	for (int i = 0; i < person->njoint; i++)
		has_rows = has_rows || own[i].count != 0;
	if (!has_rows)
		return false;
	for (int i = 0; i < person->totals.ncalls; i++)
	{
		GaussdpTotal total = {0};

		add_cell(person, cell, &person->totals.calls[i], person->weights, &total);
		gaussdp_pack_total(&total, person->totals.packed + GAUSSDP_PACKED_TOTAL * i);
	}
	memset(own, 0, sizeof(GaussdpTotal) * person->njoint);
	return true;
}

bool
gaussdp_next_total(GaussdpPerson *person, const GaussdpTotal **total, const char **row)
{
	GaussdpTotals *totals = &person->totals;

	while (totals->next < totals->n)
	{
		uint32 number = totals->next++;

		if (!totals->has_rows[number])
			continue;
		*total = &totals->totals[(Size) number * totals->ncalls];
		*row = NULL;
		if (person->key != NULL)
			*row = totals->by_key ? person->keys.index.rows[number] : person->cells[number].row;
		return true;
	}
	return false;
}
