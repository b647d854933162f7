/*
 * interrupts.c
 *		For tests: how much a private query still does when it has been cancelled, by counts of what it works on.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "aggregate/random.h"
#include "compat.h"
#include "policy/people/person.h"
#include "policy/people/row_partitions.h"

PG_FUNCTION_INFO_V1(test_cancels);
PG_FUNCTION_INFO_V1(test_calls_after_cancel);
PG_FUNCTION_INFO_V1(test_work_after_cancel);

/* Calls of test_cancels, the last of which come after the signal. */
static int64 calls = 0;
static int64 after = -1;

/* As the handler of SIGINT. */
static void
take_signal(void)
{
	InterruptPending = true;
	QueryCancelPending = true;
}

/* test_cancels(value, n): the n-th call gets the signal of a cancel; each is true. */
Datum
test_cancels(PG_FUNCTION_ARGS)
{
	if (after >= 0)
		after++;
	if (++calls == PG_GETARG_INT64(1))
	{
		after = 0;
		take_signal();
	}
	PG_RETURN_BOOL(true);
}

/* How many calls came after the signal; NULL without one.  Then counts anew. */
Datum
test_calls_after_cancel(PG_FUNCTION_ARGS)
{
	int64 result = after;

	calls = 0;
	after = -1;
	if (result < 0)
		PG_RETURN_NULL();
	PG_RETURN_INT64(result);
}

/* ---------------------------------------------------------------------------
 * Loops that call nothing of the test's
 * ---------------------------------------------------------------------------
 */

static int64 work;

static void
draw_noise(void *noise, int n)
{
	for (int i = 0; i < n; i++)
	{
		(void) gaussdp_add_noise(0, noise);
		work++;
	}
}

/* A person with so many groups: the first look at one is the signal's. */
static GaussdpPerson *
make_groups(int n)
{
	GaussdpPerson *person = palloc0(sizeof(GaussdpPerson));

	person->memory = AllocSetContextCreate(CurrentMemoryContext, "groups", ALLOCSET_DEFAULT_SIZES);
	person->ncells = n;
	return person;
}

static void
drop_groups(void *person, int n)
{
	gaussdp_drop_groups(person, NULL);
	work += n;
}

/* So many rows, each in a chunk of its own. */
static GaussdpPartitions *
make_chunks(int n)
{
	GaussdpPartitions *partitions = gaussdp_make_partitions(0, 0, (Size) 16384 * n + 65536);

	for (int i = 0; i < n; i++)
		(void) gaussdp_add_row(partitions, 0, 8000);
	return partitions;
}

static void
close_chunks(void *partitions, int n)
{
	gaussdp_close_partitions(partitions, false);
	work += n;
}

/* What was done when the error came, or all of it, without one. */
static int64
done_after_signal(void (*act)(void *, int), void *what, int n)
{
	MemoryContext context = CurrentMemoryContext;

	work = 0;
	PG_TRY();
	{
		take_signal();
		act(what, n);
	}
	PG_CATCH();
	{
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	InterruptPending = false;
	QueryCancelPending = false;
	return work;
}

/* test_work_after_cancel(what, n): of n things, how many are done if the signal has come before the first one? */
Datum
test_work_after_cancel(PG_FUNCTION_ARGS)
{
	const char *what = text_to_cstring(PG_GETARG_TEXT_PP(0));
	int n = PG_GETARG_INT32(1);
	gdp_noise noise = {.sigma = 1, .sigma_int = 1 << 20};

	if (strcmp(what, "noise") == 0)
		PG_RETURN_INT64(done_after_signal(draw_noise, &noise, n));
	if (strcmp(what, "groups") == 0)
		PG_RETURN_INT64(done_after_signal(drop_groups, make_groups(n), n));
	PG_RETURN_INT64(done_after_signal(close_chunks, make_chunks(n), n));
}
