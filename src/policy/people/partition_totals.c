/*
 * partition_totals.c
 *		Adds up weighed rows, for the node that weighs them (partition.h), where all calls have totals.
 *
 * Where the keys of the level are few, there is a total of each key for all rows of a partition, so that the aggregation above gets
 * hardly any rows; where they are many, each row is one.  Totals are integers, whatever is added first.
 */
#include "postgres.h"

#include "miscadmin.h"

#include "policy/people/partition_state.h"

/* For twice as many keys. */
static void
grow_totals(GaussdpPartitionState *state)
{
	GaussdpTotals *totals = &state->totals;

	totals->capacity = totals->n * 2;
	if (totals->has_rows != NULL)
	{
		pfree(totals->has_rows);
		pfree(totals->totals);
	}
	totals->has_rows = MemoryContextAlloc(state->memory, sizeof(bool) * totals->capacity);
	totals->totals = MemoryContextAllocHuge(state->memory, sizeof(GaussdpTotal) * totals->capacity *
															   totals->ncalls);
}

static void
clear_totals(GaussdpPartitionState *state)
{
	GaussdpTotals *totals = &state->totals;

	totals->by_key = !state->people.has_many_keys;
	totals->n = totals->by_key ? Max(state->people.keys.n, 1) : 1;
	totals->next = 0;
	if (totals->n > totals->capacity)
		grow_totals(state);
	memset(totals->has_rows, false, sizeof(bool) * totals->n);
	memset(totals->totals, 0, sizeof(GaussdpTotal) * totals->n * totals->ncalls);
}

/* What the keys of this number are added to; of a row, or of a cell, that is alone it is the first. */
static inline GaussdpTotal *
totals_of(GaussdpTotals *totals, uint32 number, const char *row)
{
	if (!totals->by_key)
		number = 0;
	totals->row = row;
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

static inline void
add_row(GaussdpPartitionState *state, const char *row, uint32 seat)
{
	const GaussdpRowLayout *layout = &state->layout;
	GaussdpTotals *totals = &state->totals;
	GaussdpTotal *total = totals_of(totals, gaussdp_kept_number(layout, row), row);

	for (int i = 0; i < state->people.nweights; i++)
		totals->weights[i] = gaussdp_weight_of(&state->people, seat, row, i);
	for (int i = 0; i < totals->ncalls; i++, total++)
	{
		const GaussdpTotalled *totalled = &totals->calls[i];
		const GaussdpSizing *call = totalled->call;
		int64 weight = totals->weights[totalled->weight];

		if (totalled->value < 0)
			call->weigh(call->params, total, (Datum) 0, call->type, weight, 1);
		else if (gaussdp_kept_is_null(layout, row, totalled->value))
			continue;
		else if (layout->kept[totalled->value].by_value)
			call->weigh(call->params, total, gaussdp_kept_value(layout, row, totalled->value),
						call->type, weight, 1);
		else
			add_long_value(layout, call, total, gaussdp_kept_value(layout, row, totalled->value),
						   weight);
	}
}

static bool
add_rows(GaussdpPartitionState *state)
{
	GaussdpCursor *cursor = &state->cursor;
	bool has_rows = false;

	while (cursor->at != cursor->end || gaussdp_read_on(cursor))
	{
		const char *row = cursor->at;
		uint32 seat;

		CHECK_FOR_INTERRUPTS();
		cursor->at += gaussdp_kept_length(&state->layout, row);
		seat = state->seats != NULL ? state->seats[state->row++]
									: gaussdp_seat_of(&state->people, row);
		if (unlikely(gaussdp_is_dropped(&state->people, seat, row)))
			continue;
		add_row(state, row, seat);
		has_rows = true;
		if (!state->totals.by_key)
			break;
	}
	return has_rows;
}

static bool
add_cells(GaussdpPartitionState *state)
{
	GaussdpPeople *people = &state->people;
	bool has_rows = false;

	while (state->cell < state->ncells && (state->totals.by_key || !has_rows))
	{
		Size cell = state->cell++;
		const char *row = gaussdp_row_of_cell(people, cell);
		GaussdpTotal *total;

		CHECK_FOR_INTERRUPTS();
		if (people->marks[cell] != GAUSSDP_HAS_ROWS)
			continue;
		total = totals_of(&state->totals, gaussdp_number_of_cell(people, cell), row);
		for (int i = 0; i < state->totals.ncalls; i++, total++)
		{
			const GaussdpTotalled *totalled = &state->totals.calls[i];
			const GaussdpSizing *call = totalled->call;
			int64 weight;
			int64 n = gaussdp_rows_of_cell(people, cell, totalled->weight, &weight);

			call->weigh(call->params, total, (Datum) 0, call->type, weight, n);
		}
		has_rows = true;
	}
	return has_rows;
}

bool
gaussdp_add_up(GaussdpPartitionState *state)
{
	clear_totals(state);
	return state->people.is_counted ? add_cells(state) : add_rows(state);
}

static void
hand_up(GaussdpPartitionState *state, TupleTableSlot *slot, uint32 number)
{
	const GaussdpRowLayout *layout = &state->layout;
	GaussdpTotals *totals = &state->totals;
	const char *row = totals->by_key ? gaussdp_row_of_keys(&state->people, number) : totals->row;
	int n = slot->tts_tupleDescriptor->natts;

	for (int i = 0; i < n; i++)
	{
		const GaussdpOutput *output = &state->outputs[i];

		slot->tts_isnull[i] = output->kept >= 0 && gaussdp_kept_is_null(layout, row, output->kept);
		if (output->kept < 0)
		{
			char *packed = totals->packed + output->computed * GAUSSDP_PACKED_TOTAL;

			gaussdp_pack_total(&totals->totals[(Size) number * totals->ncalls + output->computed],
							   packed);
			slot->tts_values[i] = PointerGetDatum(packed);
		}
		else
			slot->tts_values[i] =
				slot->tts_isnull[i] ? 0 : gaussdp_kept_value(layout, row, output->kept);
	}
	slot->tts_flags &= ~TTS_FLAG_EMPTY;
	slot->tts_nvalid = (AttrNumber) n;
}

bool
gaussdp_hand_up_total(GaussdpPartitionState *state, TupleTableSlot *slot)
{
	GaussdpTotals *totals = &state->totals;

	while (totals->next < totals->n)
	{
		uint32 number = totals->next++;

		if (!totals->has_rows[number])
			continue;
		hand_up(state, slot, number);
		return true;
	}
	return false;
}
