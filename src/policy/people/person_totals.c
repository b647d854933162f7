/*
 * person_totals.c
 *		Adds up what people count for, where all calls of a level have totals (person.h): of a cell, and so of no row twice.
 *
 * There is a total of each key for all people, so that the aggregation above gets hardly any rows; where keys take too much memory, those
 * so far are handed up before they do for the next people.  Totals are integers, whatever is added first.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "utils/memutils.h"

#include "policy/people/person.h"

static inline GaussdpTotal *
totals_of(GaussdpTotals *totals, uint32 number)
{
	totals->has_rows[number] = true;
	return &totals->totals[(Size) number * totals->ncalls];
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
		total = totals_of(&person->totals, person->cells[cell].number);
		for (int i = 0; i < person->totals.ncalls; i++, total++)
			add_cell(person, cell, &person->totals.calls[i], weights, total);
	}
}

bool
gaussdp_take_clipped(GaussdpPerson *person, uint32 cell)
{
	if (person->cells[cell].is_taken)
		return false;
	person->cells[cell].is_taken = true;
	for (int i = 0; i < person->totals.ncalls; i++)
	{
		GaussdpTotal total = {0};

		add_cell(person, cell, &person->totals.calls[i], person->weights, &total);
		gaussdp_pack_total(&total, person->totals.packed + GAUSSDP_PACKED_TOTAL * i);
	}
	return true;
}

bool
gaussdp_next_total(GaussdpPerson *person, const GaussdpTotal **total, const char **row)
{
	GaussdpTotals *totals = &person->totals;

	while (totals->next < person->nnumbered)
	{
		uint32 number = totals->next++;

		if (!totals->has_rows[number])
			continue;
		*total = &totals->totals[(Size) number * totals->ncalls];
		*row = person->key == NULL ? NULL : person->keys.rows[number];
		return true;
	}
	return false;
}
