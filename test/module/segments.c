/*
 * segments.c
 *		For tests: segments of dynamic shared memory, of which a server has so many, whoever takes them.
 */
#include "postgres.h"

#include "fmgr.h"
#include "storage/dsm.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(test_take_segments);

#define SIZE ((Size) 4096)
#define MOST 10000

/* Those that this session has taken. */
static dsm_segment *taken[MOST];
static int ntaken = 0;

/* test_take_segments(n): takes all that are free, for as long as the session lasts, but for n of them; gives how many it has now. */
Datum
test_take_segments(PG_FUNCTION_ARGS)
{
	int left = PG_GETARG_INT32(0);

	while (ntaken < MOST &&
		   (taken[ntaken] = dsm_create(SIZE, DSM_CREATE_NULL_IF_MAXSEGMENTS)) != NULL)
		dsm_pin_mapping(taken[ntaken++]);
	for (; left > 0 && ntaken > 0; left--)
		dsm_detach(taken[--ntaken]);
	PG_RETURN_INT32(ntaken);
}
