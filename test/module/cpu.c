/*
 * cpu.c
 *		For benchmarks: what a session has used of the processor.
 */
#include "postgres.h"

#include <time.h>

#include "fmgr.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(test_cpu_time);

/* Microseconds that this process has run so far.  Waits, and work of other processes, are not in it. */
Datum
test_cpu_time(PG_FUNCTION_ARGS)
{
	struct timespec now;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
		elog(ERROR, "the processor's time cannot be read: %m");
	PG_RETURN_FLOAT8(now.tv_sec * 1e6 + now.tv_nsec / 1e3);
}
