/*
 * reading.c
 *		From before a level's charge to its last row; and once more, where something was lacking.
 *
 * What a plan can need is made sure of before the charge (resources.c).  Where it is gone nevertheless when a row asks for it (an analyst's
 * other session may have taken it meanwhile), an error would tell that there was such a row.  So the level's sub-transaction is rolled
 * back, and the level runs again when there is enough: its answer is the same as ever.
 *
 * Invariants
 *		The run before it has left nothing: no noise was drawn (or else answers would be sampled by what could be finished), the snapshot, the
 *		charge and the locks are those of the transaction around, caches are forgotten, as after any error.
 *		That there was something to wait for may be seen by time.  The first wait of a level is counted durably before it begins, like an
 *		error, by a limit of its own.  Cancels that come while it waits count like those that come while it runs.
 *		What it waits for does not depend on rows: until there is as much as is asked for before the charge.  It gives up at a time
 *		that is counted from the start of the statement.
 *		There are three runs at most: each tells whether it could be finished then, at most.
 *		What is lacking while processes start, before any of them reads a row, tells of none: it is not counted, and the level runs
 *		again without processes.
 */
#include "postgres.h"

#include <errno.h>

#include "access/xact.h"
#include "miscadmin.h"
#include "storage/latch.h"
#include "tcop/dest.h"
#include "tcop/tcopprot.h"
#include "utils/inval.h"
#include "utils/memutils.h"
#include "utils/resowner.h"
#include "utils/timestamp.h"

#include "ledger/ledger.h"
#include "policy/exec/progress.h"
#include "policy/exec/reading.h"
#include "policy/exec/resources.h"
#include "policy/exec/temp_files.h"
#include "settings.h"

#define MOST_RUNS 3

/* A statement waits until gaussdp.charge_timeout after its start, or twice, four times, ... as long, but for this part of that at least. */
#define LEAST_PART 0.25

/* How often it is looked whether there is enough. */
#define MILLISECONDS 100

typedef struct Run
{
	GaussdpRoom *room;
	const GaussdpReader *reader;
	void *what;
	const GaussdpUsage *before;
	MemoryContext memory;
	CommandDest client;
	Oid role;
	int security_context;
	GaussdpCaches caches;
	/* over all runs */
	int nruns;            /* that have ended */
	int lacking;          /* SQLSTATE of what was lacking first */
	TimestampTz deadline; /* 0: nothing was */
	bool gave_up;
	bool is_charged;
	/* in this one */
	MemoryContext own;
	bool has_subtransaction;
	/* from the first protected row on, or from when processes are started for it; then in all runs to come */
	bool is_reading;
	bool is_stopped;
} Run;

/* ---------------------------------------------------------------------------
 * Waiting
 * ---------------------------------------------------------------------------
 */

/* A quota, a limit of the size of files, and the kernel's memory have no SQLSTATE of their own. */
static const int limits[] = {EDQUOT, EFBIG, ENOMEM};

/* A parallel worker hands up its message, without its errno. */
static bool
is_of(const ErrorData *error, int number)
{
	const char *reason = strerror(number);
	size_t length = strlen(reason);
	size_t all = error->message != NULL ? strlen(error->message) : 0;

	return error->saved_errno == number ||
		   (all > length && strcmp(error->message + all - length, reason) == 0);
}

static bool
meets_limit(const ErrorData *error)
{
	for (size_t i = 0; i < lengthof(limits); i++)
		if (is_of(error, limits[i]))
			return true;
	return false;
}

/* Class 53, and what PostgreSQL raises without an SQLSTATE of its own. */
static bool
is_lacking(const ErrorData *error)
{
	return ERRCODE_TO_CATEGORY(error->sqlerrcode) ==
			   ERRCODE_TO_CATEGORY(ERRCODE_INSUFFICIENT_RESOURCES) ||
		   (error->sqlerrcode == ERRCODE_INTERNAL_ERROR &&
			(meets_limit(error) || (error->message != NULL &&
									strcmp(error->message, "no unpinned buffers available") == 0)));
}

static TimestampTz
deadline_of_statement(void)
{
	TimestampTz start = GetCurrentStatementStartTimestamp();
	TimestampTz now = GetCurrentTimestamp();
	int64 length = (int64) gaussdp_charge_timeout * 1000;

	while (start + length - now < (int64) (LEAST_PART * (double) length))
		length *= 2;
	return start + length;
}

/* A level that shows no wait event looks as while it runs. */
static void
await_resources(Run *run)
{
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (GetCurrentTimestamp() >= run->deadline)
		{
			run->gave_up = true;
			ereport(ERROR, (errcode(run->lacking), errmsg("still lacking")));
		}
		if (run->nruns < MOST_RUNS && gaussdp_has_resources(run->room))
			return;
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH, MILLISECONDS, 0);
		ResetLatch(MyLatch);
	}
}

/* What begin_reading() has closed. */
static void
end_silence(const Run *run)
{
	whereToSendOutput = run->client;
	gaussdp_tell_others();
}

/* Raises the one error of suspended roles where this was one wait too many. */
static bool
may_run_again(Run *run, const ErrorData *error)
{
	const GaussdpLevel *level = run->room->level;

	if (!run->reader->may_repeat || level->is_free || run->room->has_drawn || run->gave_up ||
		!is_lacking(error))
		return false;
	run->nruns++;
	if (run->deadline != 0)
		return true;
	run->lacking = error->sqlerrcode == ERRCODE_INTERNAL_ERROR ? ERRCODE_INSUFFICIENT_RESOURCES
															   : error->sqlerrcode;
	run->deadline = deadline_of_statement();
	if (!gaussdp_count_resource_error(GetUserId(), level->owner->relation, run->room->query_id))
	{
		gaussdp_unwatch_progress();
		end_silence(run);
		gaussdp_leave_temp_tablespaces();
		gaussdp_raise_suspended();
	}
	return true;
}

/* ---------------------------------------------------------------------------
 * Running
 * ---------------------------------------------------------------------------
 */

static void
begin(Run *run)
{
	run->own = AllocSetContextCreate(run->memory, "run of a private level", ALLOCSET_DEFAULT_SIZES);
	if (run->reader->may_repeat)
	{
		BeginInternalSubTransaction(NULL);
		run->has_subtransaction = true;
	}
	MemoryContextSwitchTo(run->own);
	gaussdp_enter_temp_tablespaces();
}

static void
begin_reading(Run *run)
{
	run->is_reading = true;
	if (!run->room->level->is_distributed)
		gaussdp_watch_caches(&run->caches);
	/* INFO is below no setting: nothing at all goes to the client. */
	whereToSendOutput = DestNone;
	gaussdp_tell_nobody();
}

/* The end of a sub-transaction leaves those of the transaction around. */
static void
return_to_query(const Run *run)
{
	MemoryContextSwitchTo(run->memory);
	CurrentResourceOwner = run->room->owner;
}

static void
finish(Run *run)
{
	if (run->has_subtransaction)
		ReleaseCurrentSubTransaction();
	run->has_subtransaction = false;
	return_to_query(run);
}

static void
roll_back(Run *run)
{
	if (!run->has_subtransaction)
		return;
	run->has_subtransaction = false;
	RollbackAndReleaseCurrentSubTransaction();
	return_to_query(run);
}

/* What this run has made, but for what has been drawn. */
static void
forget_run(Run *run)
{
	GaussdpRoom *room = run->room;

	if (room->released != NULL)
		gaussdp_end_released(room->released);
	room->released = NULL;
	room->exact = NULL;
	room->finding = NULL;
	room->rough = NULL;
	if (run->own != NULL)
		MemoryContextDelete(run->own);
	run->own = NULL;
}

/* A cancel while processes start ends the level, and tells of no row either. */
static bool
raise_as_it_is(const Run *run, const ErrorData *error)
{
	return !run->is_reading ||
		   (run->room->is_starting && ERRCODE_TO_CATEGORY(error->sqlerrcode) ==
										  ERRCODE_TO_CATEGORY(ERRCODE_OPERATOR_INTERVENTION));
}

/*
 * Takes what was raised: as it is, where no protected row has been read; returns where the level is to run again.  Interrupts are
 * held: another process of the plan may have failed, too, and its error would leave as it is.  Raising one ends this.
 */
static void
leave(Run *run, ErrorData *error)
{
	GaussdpRoom *room = run->room;
	bool is_raised = raise_as_it_is(run, error);

	if (run->is_reading)
	{
		gaussdp_pause_progress();
		gaussdp_unwatch_caches(&run->caches);
		gaussdp_forget_usage_since(run->before);
		gaussdp_forget_caches();
	}
	roll_back(run);
	SetUserIdAndSecContext(run->role, run->security_context);
	if (run->is_reading)
		gaussdp_try_to_settle_numbers();
	if (is_raised)
	{
		gaussdp_unwatch_progress();
		end_silence(run);
		gaussdp_leave_temp_tablespaces();
		RESUME_INTERRUPTS();
		ReThrowError(error);
	}
	if (room->is_starting)
	{
		run->is_reading = room->is_starting = room->plan->parallelModeNeeded = false;
		forget_run(run);
		return;
	}
	if (!run->is_stopped && may_run_again(run, error))
	{
		forget_run(run);
		return;
	}
	gaussdp_unwatch_progress();
	end_silence(run);
	gaussdp_leave_temp_tablespaces();
	if (run->is_stopped)
		gaussdp_raise_suspended();
	gaussdp_raise_fixed_error(error,
							  room->level->is_free ? InvalidOid : room->level->owner->relation,
							  room->query_id, run->gave_up);
}

/* True: it has been read. */
static bool
try_once(Run *run)
{
	volatile bool done = false;

	PG_TRY();
	{
		if (run->nruns > 0)
			await_resources(run);
		begin(run);
		if (run->reader->start(run->room, run->what, !run->is_charged, &run->caches))
		{
			run->is_charged = true;
			begin_reading(run);
			run->reader->read(run->room, run->what);
			run->is_stopped = !run->room->level->is_free && !gaussdp_may_release();
			if (run->is_stopped)
				gaussdp_raise_suspended(); /* from here as after an error of the level's own */
		}
		finish(run);
		done = true;
	}
	PG_CATCH();
	{
		ErrorData *error;

		HOLD_INTERRUPTS();
		MemoryContextSwitchTo(run->memory);
		error = CopyErrorData();
		FlushErrorState();
		leave(run, error);
		FreeErrorData(error);
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	return done;
}

/*
 * In the abort of a sub-transaction that has done nothing.  Otherwise relations that are open are read anew at once, which can lack
 * locks, after what has been drawn was paid for.  Those that others have changed meanwhile are, all the same.
 */
static void
forget_caches(const Run *run)
{
	if (!run->reader->may_repeat)
	{
		InvalidateSystemCaches();
		return;
	}
	gaussdp_forget_caches();
	BeginInternalSubTransaction(NULL);
	RollbackAndReleaseCurrentSubTransaction();
	return_to_query(run);
}

void
gaussdp_read_protected(GaussdpRoom *room, const GaussdpReader *reader, void *what,
					   const GaussdpUsage *before)
{
	Run *run = palloc0(sizeof(Run));

	run->room = room;
	run->reader = reader;
	run->what = what;
	run->before = before;
	run->memory = CurrentMemoryContext;
	run->client = whereToSendOutput;
	GetUserIdAndSecContext(&run->role, &run->security_context);
	room->owner = CurrentResourceOwner;
	while (!try_once(run))
		;
	if (!run->is_reading)
		return;
	end_silence(run);
	if (!gaussdp_restore_caches(&run->caches))
		forget_caches(run);
}
