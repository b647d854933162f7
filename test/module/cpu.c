/*
 * cpu.c
 *		For benchmarks and tests of time: what a session has used of the processor, and memory that it keeps.
 */
#include "postgres.h"

#include <malloc.h>
#include <time.h>

#include "fmgr.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(test_cpu_time);
PG_FUNCTION_INFO_V1(test_keep_memory);

/* Microseconds that this process has run so far.  Waits, and work of other processes, are not in it. */
Datum
test_cpu_time(PG_FUNCTION_ARGS)
{
	struct timespec now;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now) != 0)
		elog(ERROR, "the processor's time cannot be read: %m");
	PG_RETURN_FLOAT8(now.tv_sec * 1e6 + now.tv_nsec / 1e3);
}

/*
 * From here on the process keeps the memory that it has freed.  Else a query of some megabytes gives it back to the
 * system and the next one fetches it anew, page by page, which on some machines takes longer than the query.
 */
Datum
test_keep_memory(PG_FUNCTION_ARGS)
{
	if (mallopt(M_TRIM_THRESHOLD, -1) == 0 || mallopt(M_MMAP_THRESHOLD, 1 << 30) == 0)
		elog(ERROR, "the allocator takes no other thresholds");
	PG_RETURN_VOID();
}
