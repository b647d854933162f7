/*
 * cpu.c
 *		For benchmarks and tests of time and memory: what a session has used of the processor, memory that it keeps, and
 *		may have, and a text that needs much of it.
 */
#include "postgres.h"

#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "access/toast_compression.h"
#include "access/toast_internals.h"
#include "fmgr.h"
#include "nodes/nodes.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(test_cpu_time);
PG_FUNCTION_INFO_V1(test_keep_memory);
PG_FUNCTION_INFO_V1(test_leave_memory);
PG_FUNCTION_INFO_V1(test_long_text);
PG_FUNCTION_INFO_V1(test_touch_memory);
PG_FUNCTION_INFO_V1(test_nodes);

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

/* From here on the process gets so many megabytes more than it has, and no more; any number of them where this is NULL. */
Datum
test_leave_memory(PG_FUNCTION_ARGS)
{
	FILE *statm = fopen("/proc/self/statm", "r");
	unsigned long long pages = 0;
	struct rlimit limit;

	if (statm == NULL || fscanf(statm, "%llu", &pages) != 1 || getrlimit(RLIMIT_AS, &limit) != 0)
		elog(ERROR, "the process's memory cannot be read: %m");
	fclose(statm);
	limit.rlim_cur = PG_ARGISNULL(0)
						 ? limit.rlim_max
						 : pages * sysconf(_SC_PAGESIZE) + ((rlim_t) PG_GETARG_INT32(0) << 20);
	if (setrlimit(RLIMIT_AS, &limit) != 0)
		elog(ERROR, "the process's memory cannot be limited: %m");
	PG_RETURN_VOID();
}

/* A compressed text that says it has so many letters. It has 8,192: nothing that asks its size alone reads them, and what reads them needs room for all. */
Datum
test_long_text(PG_FUNCTION_ARGS)
{
	int32 letters = PG_GETARG_INT32(0);
	text *some = palloc(VARHDRSZ + 8192);
	void *compressed;

	SET_VARSIZE(some, VARHDRSZ + 8192);
	memset(VARDATA(some), 'x', 8192);
	compressed =
		DatumGetPointer(toast_compress_datum(PointerGetDatum(some), TOAST_PGLZ_COMPRESSION));
	TOAST_COMPRESS_SET_SIZE_AND_COMPRESS_METHOD(compressed, letters, TOAST_PGLZ_COMPRESSION_ID);
	PG_RETURN_POINTER(compressed);
}

/*
 * Uses so many megabytes and gives them back.  A virtual machine hands memory that it does not use to its host, and what gets it
 * next waits for the host, many times longer than a machine that owns its memory takes to fill a page with zeros.
 */
Datum
test_touch_memory(PG_FUNCTION_ARGS)
{
	Size bytes = (Size) PG_GETARG_INT32(0) << 20;
	char *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (memory == MAP_FAILED)
		elog(ERROR, "there is no memory to use: %m");
	(void) madvise(memory, bytes, MADV_HUGEPAGE);
	memset(memory, 1, bytes);
	munmap(memory, bytes);
	PG_RETURN_VOID();
}

/* Nodes of the query as PostgreSQL hands it to the planner: each begins with a brace where they are written out. */
Datum
test_nodes(PG_FUNCTION_ARGS)
{
	const char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	List *queries = pg_analyze_and_rewrite_fixedparams(
		linitial_node(RawStmt, pg_parse_query(source)), source, NULL, 0, NULL);
	int64 n = 0;

	for (const char *at = nodeToString(linitial(queries)); (at = strchr(at, '{')) != NULL; at++)
		n++;
	PG_RETURN_INT64(n);
}
