/*
 * partition_count.c
 *		Counts the rows of one partition by people, for the node that weighs them (partition.c).
 */
#include "postgres.h"

#include "miscadmin.h"

#include "policy/people/partition_state.h"

Size
gaussdp_bytes_of_seats(const GaussdpPartitionState *state)
{
	return state->limit / 8;
}

/* Remembers where each row is counted, if there is room for that. */
static void
prepare_seats(GaussdpPartitionState *state)
{
	uint64 wanted = state->current->bytes / state->layout.fixed;
	Size most = gaussdp_bytes_of_seats(state);

	if (wanted <= state->capacity || state->people.is_counted)
		return;
	if (state->seats != NULL)
		pfree(state->seats);
	state->seats = NULL;
	state->capacity = 0;
	if (wanted * sizeof(uint32) > most)
		return;
	state->capacity = Min(wanted + wanted / 4, most / sizeof(uint32));
	state->seats = MemoryContextAllocHuge(state->memory, sizeof(uint32) * state->capacity);
}

bool
gaussdp_count_rows(GaussdpPartitionState *state, Size limit)
{
	GaussdpPeople *people = &state->people;
	GaussdpCursor *cursor = &state->cursor;
	uint32 *seat_of_row;

	prepare_seats(state);
	seat_of_row = state->seats;
	people->limit = limit;
	people->copies_rows = state->current->nfiles > 0;
	gaussdp_forget_people(people);
	gaussdp_start_reading(cursor, state->current);
	while (gaussdp_read_on(cursor))
		while (cursor->at < cursor->end)
		{
			const char *row = cursor->at;
			uint32 seat = gaussdp_seat_of(people, row);

			CHECK_FOR_INTERRUPTS();
			if (unlikely(seat == GAUSSDP_NO_SEAT))
				return false;
			gaussdp_count_row(people, seat, row);
			if (seat_of_row != NULL)
				*seat_of_row++ = seat;
			cursor->at += gaussdp_kept_length(&state->layout, row);
		}
	gaussdp_weigh_people(people);
	gaussdp_start_reading(cursor, state->current);
	state->row = 0;
	state->cell = 0;
	state->ncells = gaussdp_number_of_cells(people);
	return true;
}
