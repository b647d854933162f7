/*
 * value_matching.c
 *		Which values a person is counted for, where different values are counted and people own many rows.
 *
 * Called by the queries that weight_windows.c makes.  Rows come person by person.  Each person in turn takes the first k of their values
 * that nobody before has taken: a maximal matching of people and values.  Without one person every other one finds at most k more of
 * them free, and what others have taken is among what was taken with that person (docs/mathematics.md), so that the number of values
 * taken is at most k less, and never more.
 *
 * Invariants
 *		The order of people, and of the values of each, depends on themselves alone, not on who else is there.
 *		What has been taken is a bit for each value, in memory up to work_mem and in a temporary file beyond that: less memory is never
 *		another answer.
 */
#include "postgres.h"

#include "commands/tablespace.h"
#include "fmgr.h"
#include "lib/ilist.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "port/pg_bitutils.h"
#include "storage/fd.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "windowapi.h"

#include "compat.h"
#include "core/core.h"

PG_FUNCTION_INFO_V1(gaussdp_takes_value);

#define LEAST_BYTES ((Size) 8192)

/* More than any query has rows, and a file may have bits. */
#define MOST (INT64_C(1) << 43)

/* Of the rows so far; all 0 before the first. */
typedef struct Matching
{
	int64 person; /* the one at hand */
	int64 taken;  /* by that person */
	uint8 *bits;  /* of values that have been taken */
	Size nbytes;
	File file; /* of those beyond work_mem; 0: none yet, or closed */
	ResourceOwner owner;
	dlist_node node; /* in open_files */
	MemoryContextCallback at_end;
} Matching;

/* Whoever has a file.  Where a subtransaction fails, its files are closed, but the memory of a cursor that it has used stays. */
static dlist_head open_files = DLIST_STATIC_INIT(open_files);
static bool is_watching = false;

static int64
argument(WindowObject window, int number)
{
	bool isnull;
	int64 value = DatumGetInt64(WinGetFuncArgCurrent(window, number, &isnull));

	if (isnull || value < 0 || value > MOST)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("an argument of takes_value must be a number from 0 to 2^43")));
	return value;
}

/* The byte of memory, which is made where there is none yet. */
static uint8 *
byte_in_memory(Matching *matching, Size at)
{
	MemoryContext context = GetMemoryChunkContext(matching);
	Size nbytes = Max(LEAST_BYTES, pg_nextpower2_size_t(at + 1));
	uint8 *bits;

	if (at < matching->nbytes)
		return &matching->bits[at];
	bits = MemoryContextAllocExtended(context, nbytes, MCXT_ALLOC_HUGE | MCXT_ALLOC_ZERO);
	if (matching->bits != NULL)
	{
		memcpy(bits, matching->bits, matching->nbytes);
		pfree(matching->bits);
	}
	matching->bits = bits;
	matching->nbytes = nbytes;
	return &bits[at];
}

static uint8
read_byte(File file, off_t at)
{
	uint8 byte = 0;

	/* Behind the end nothing has been taken yet. */
	if (FileRead(file, (char *) &byte, 1, at, WAIT_EVENT_BUFFILE_READ) < 0)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not read from a temporary file of values")));
	return byte;
}

static void
write_byte(File file, off_t at, uint8 byte)
{
	if (FileWrite(file, (char *) &byte, 1, at, WAIT_EVENT_BUFFILE_WRITE) != 1)
		ereport(ERROR, (errcode_for_file_access(),
						errmsg("could not write to a temporary file of values")));
}

static void
forget_file(Matching *matching)
{
	dlist_delete(&matching->node);
	matching->file = 0;
}

/* The window ends. */
static void
close_file(void *arg)
{
	Matching *matching = arg;

	if (matching->file != 0)
	{
		FileClose(matching->file);
		forget_file(matching);
	}
}

/* Its files have been closed with a resource owner. */
static void
forget_files_of_owner(ResourceReleasePhase phase, bool is_commit, bool is_top_level, void *arg)
{
	dlist_mutable_iter i;

	dlist_foreach_modify(i, &open_files)
	{
		Matching *matching = dlist_container(Matching, node, i.cur);

		if (phase == RESOURCE_RELEASE_AFTER_LOCKS && matching->owner == CurrentResourceOwner)
			forget_file(matching);
	}
}

static void
open_file(Matching *matching)
{
	if (!is_watching)
		RegisterResourceReleaseCallback(forget_files_of_owner, NULL);
	is_watching = true;
	PrepareTempTablespaces();
	matching->file = OpenTemporaryFile(false);
	matching->owner = CurrentResourceOwner;
	dlist_push_head(&open_files, &matching->node);
	matching->at_end.func = close_file;
	matching->at_end.arg = matching;
	MemoryContextRegisterResetCallback(GetMemoryChunkContext(matching), &matching->at_end);
}

/* Takes the value; returns whether it was free. */
static bool
take(Matching *matching, int64 value)
{
	Size in_memory = (Size) work_mem * 1024;
	Size at = (Size) value / 8;
	uint8 bit = (uint8) (1 << value % 8);
	uint8 byte;

	if (at < in_memory)
	{
		uint8 *place = byte_in_memory(matching, at);

		byte = *place;
		*place |= bit;
		return (byte & bit) == 0;
	}
	if (matching->file == 0)
		open_file(matching);
	byte = read_byte(matching->file, (off_t) (at - in_memory));
	if ((byte & bit) == 0)
		write_byte(matching->file, (off_t) (at - in_memory), byte | bit);
	return (byte & bit) == 0;
}

/*
 * gaussdp_internal.takes_value(person int8, value int8, size int8, k20 int8) RETURNS int8, a window function: the weight of the row, in
 * full where the person takes the value by it, 0 otherwise.  A row of size 0 takes nothing.
 */
Datum
gaussdp_takes_value(PG_FUNCTION_ARGS)
{
	WindowObject window = PG_WINDOW_OBJECT();
	Matching *matching = WinGetPartitionLocalMemory(window, sizeof(Matching));
	int64 person = argument(window, 0);
	int64 value = argument(window, 1);
	int64 most = argument(window, 3) / GDP_SIZE_ROW;

	WinSetMarkPosition(window, WinGetCurrentPosition(window));
	if (person != matching->person)
		matching->taken = 0;
	matching->person = person;
	if (argument(window, 2) == 0 || matching->taken >= most || !take(matching, value))
		PG_RETURN_INT64(0);
	matching->taken++;
	PG_RETURN_INT64(GDP_WEIGHT_ROW);
}
