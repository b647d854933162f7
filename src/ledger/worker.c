/*
 * worker.c
 *		The background worker that commits charges, for one database, while there is work.
 *
 * Writes errors that are to be counted, each entry in a transaction of its own (suspension.c).  Then takes
 * everything that is queued for its database (queue.h), decides and writes in one transaction
 * (batch.c), and answers only after that transaction is committed and flushed, and acknowledged by
 * synchronous standbys.  Exits after 3 s without work, since a connection would hold up DROP DATABASE.
 *
 * Invariants
 *		Settings of the database or of its role change nothing here: what matters is set again.
 *		SIGINT, which lock_timeout sends too, counts only until a batch commits: a cancelled wait for a
 *		standby looks like a commit.  SIGTERM breaks that wait as well, so whatever was committing then is
 *		answered as unknown.
 */
#include "postgres.h"

#include "access/xact.h"
#include "executor/spi.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "storage/procsignal.h"
#include "tcop/tcopprot.h"
#include "utils/guc.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"
#include "utils/timestamp.h"

#include "batch.h"
#include "errors.h"
#include "rights.h"

#define IDLE_MS 3000
#define RETRY_MS 10

static GaussdpLedgerWorker *my_entry;
static uint64 my_token;
static GaussdpRequest *requests;
static int nrequests;
static GaussdpLedgerSlot **answered; /* of a batch */

static const char *const settings[][2] = {
	{"role", "none"},
	{"synchronous_commit", "on"},
	{"default_transaction_read_only", "off"},
	{"default_transaction_isolation", "read committed"},
	{"default_transaction_deferrable", "off"},
	{"transaction_timeout", "0"}, /* 17 on */
	{"statement_timeout", "0"},
	{"lock_timeout", "500ms"},
	{"idle_in_transaction_session_timeout", "0"},
	{"search_path", "pg_catalog"},
	{"session_replication_role", "origin"},
	{"row_security", "off"},
	{"exit_on_error", "off"},
	{"enable_seqscan",
	 "off"}, /* few accounts, but many dead versions of each between two VACUUMs */
	{"enable_tidscan", "on"},
	{"plan_cache_mode", "force_generic_plan"}, /* nothing here depends on a parameter */
	{"jit", "off"},
};

static void
answer(GaussdpRequest *request, int sqlstate)
{
	GaussdpLedgerSlot *slot = request->slot;

	if (slot->number != request->number)
		return;
	slot->state = GAUSSDP_LEDGER_DONE;
	slot->sqlstate = sqlstate;
	slot->is_low = sqlstate == 0 && request->is_low;
	slot->npaid = sqlstate == 0 ? request->npaid : 0;
	memcpy(slot->paid, request->paid, sizeof(slot->paid));
	slot->outcome = sqlstate == 0 ? GAUSSDP_OUTCOME_CHARGED : request->outcome;
	strlcpy(slot->message, request->message, sizeof(slot->message));
	strlcpy(slot->detail, request->detail, sizeof(slot->detail));
	strlcpy(slot->hint, request->hint, sizeof(slot->hint));
}

/* Whatever ends the worker: taken requests go back to the queue, committing ones are unknown. */
static void
leave(int code, Datum arg)
{
	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < nrequests; i++)
	{
		GaussdpLedgerSlot *slot = requests[i].slot;

		if (slot->number != requests[i].number)
			continue;
		if (slot->state == GAUSSDP_LEDGER_TAKEN)
			slot->state = GAUSSDP_LEDGER_QUEUED;
		else if (slot->state == GAUSSDP_LEDGER_COMMITTING)
		{
			strlcpy(requests[i].message,
					"the ledger's worker ended while the charge was being committed",
					sizeof(requests[i].message));
			requests[i].detail[0] = requests[i].hint[0] = '\0';
			requests[i].outcome = GAUSSDP_OUTCOME_UNKNOWN;
			answer(&requests[i], ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN);
		}
		SetLatch(slot->latch);
	}
	nrequests = 0;
	if (my_entry->token == my_token)
		my_entry->database = InvalidOid;
	LWLockRelease(gaussdp_ledger_shared->lock);
}

/* Copies everything that is queued, but for roles whose errors must be written first. */
static void
take_batch(void)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < shared->nslots; i++)
	{
		GaussdpLedgerSlot *slot = &shared->slots[i];
		GaussdpRequest *request;

		if (slot->state != GAUSSDP_LEDGER_QUEUED || slot->database != MyDatabaseId ||
			gaussdp_has_unwritten(slot->charge->role))
			continue;
		request = &requests[nrequests++];
		request->slot = slot;
		request->number = slot->number;
		request->latch = slot->latch;
		memcpy(request->charge, slot->charge, gaussdp_size_of_charge(slot->charge));
		slot->state = GAUSSDP_LEDGER_TAKEN;
	}
	LWLockRelease(shared->lock);
}

/*
 * From here on a session that leaves cannot know whether it was charged.  All requests of the batch come here
 * together; false when the owner of one has left, since that one must not be charged any more.
 */
static bool
begin_commit(GaussdpRequest *batch, int n)
{
	bool all_here = true;

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < n; i++)
		if (batch[i].verdict == GAUSSDP_VERDICT_CHARGED && batch[i].slot->number != batch[i].number)
			all_here = false;
	for (int i = 0; all_here && i < n; i++)
		if (batch[i].verdict == GAUSSDP_VERDICT_CHARGED)
			batch[i].slot->state = GAUSSDP_LEDGER_COMMITTING;
	LWLockRelease(gaussdp_ledger_shared->lock);
	return all_here;
}

/* Whether SIGINT cancels the worker's query: not while a commit waits for a standby, see the top. */
static void
heed_cancel(bool heed)
{
	pqsignal(SIGINT, heed ? StatementCancelHandler : SIG_IGN);
	if (!heed)
		QueryCancelPending = false;
}

/* Begins a transaction as the ledger's owner; queries may follow. */
static void
begin_queries(void)
{
	heed_cancel(true);
	SetCurrentStatementStartTimestamp();
	StartTransactionCommand();
	gaussdp_become_owner(0);
	PushActiveSnapshot(GetTransactionSnapshot());
	SPI_connect();
}

/* Only the commit follows, which SIGINT must not break off. */
static void
end_queries(void)
{
	SPI_finish();
	PopActiveSnapshot();
	heed_cancel(false);
}

/*
 * Deferred triggers run in the commit, with the rights of the ledger's owner.  It does not put these back, and a
 * transaction has to begin with those of the session.
 */
static void
commit_queries(void)
{
	CommitTransactionCommand();
	SetUserIdAndSecContext(GetSessionUserId(), 0);
}

/* One try to commit a batch.  False: nothing was committed, and it shall be tried again now. */
static bool
try_batch(GaussdpRequest *batch, int n)
{
	bool committed;

	begin_queries();
	committed = gaussdp_ledger_decide(batch, n) > 0;
	end_queries();
	if (committed && !begin_commit(batch, n))
	{
		AbortCurrentTransaction();
		return false;
	}
	commit_queries();

	/*
	 * A wait for a standby returns as after a commit when SIGTERM or the postmaster's death breaks it off.  Then
	 * nobody knows whether the standby has the charge, and leave() answers so.
	 */
	if (committed && ProcDiePending)
		proc_exit(1);
	return true;
}

/*
 * Waking a session takes longer than all else here.  So the worker wakes one and goes on, and each that wakes, or leaves,
 * wakes two others.
 */
static void
answer_batch(GaussdpRequest *batch, int n)
{
	int nanswered = 0;
	Latch *first[2] = {NULL};

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < n; i++)
	{
		GaussdpRequest *request = &batch[i];

		if (request->slot->number != request->number)
			continue;
		if (request->verdict == GAUSSDP_VERDICT_RETRY)
		{
			request->slot->state = GAUSSDP_LEDGER_QUEUED;
			continue;
		}
		answer(request, request->verdict == GAUSSDP_VERDICT_CHARGED ? 0 : request->sqlstate);
		if (nanswered > 0)
			answered[(nanswered - 1) / 2]->wakes[(nanswered - 1) % 2] = request->latch;
		else
			first[0] = request->latch;
		answered[nanswered++] = request->slot;
	}
	LWLockRelease(gaussdp_ledger_shared->lock);
	gaussdp_wake(first);
}

/* Errors that pass by themselves: the batch is tried again until the session's time is up. */
static bool
is_transient(int sqlstate)
{
	return sqlstate == ERRCODE_LOCK_NOT_AVAILABLE || sqlstate == ERRCODE_QUERY_CANCELED ||
		   sqlstate == ERRCODE_T_R_DEADLOCK_DETECTED ||
		   sqlstate == ERRCODE_T_R_SERIALIZATION_FAILURE;
}

/* What an error means for a request. */
static void
judge_error(GaussdpRequest *request, const ErrorData *error)
{
	char *message = psprintf("could not charge the privacy budget: %s", error->message);
	bool is_committing;

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_SHARED);
	is_committing = request->slot->number == request->number &&
					request->slot->state == GAUSSDP_LEDGER_COMMITTING;
	LWLockRelease(gaussdp_ledger_shared->lock);

	request->verdict = is_transient(error->sqlerrcode) && !is_committing ? GAUSSDP_VERDICT_RETRY
																		 : GAUSSDP_VERDICT_REFUSED;
	request->outcome = is_committing ? GAUSSDP_OUTCOME_UNKNOWN : GAUSSDP_OUTCOME_FAILED;
	request->sqlstate = is_committing ? ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN : error->sqlerrcode;
	message[pg_mbcliplen(message, strlen(message), sizeof(request->message) - 1)] = '\0';
	strcpy(request->message, message);
	request->detail[0] = request->hint[0] = '\0';
}

/* Drops those that have left before they were committed. */
static int
drop_absent(GaussdpRequest *batch, int n)
{
	int kept = 0;

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_SHARED);
	for (int i = 0; i < n; i++)
	{
		GaussdpRequest request = batch[i];

		if (request.slot->number != request.number)
			continue;
		batch[i] = batch[kept];
		batch[kept++] = request;
	}
	LWLockRelease(gaussdp_ledger_shared->lock);
	return kept;
}

typedef enum Attempt
{
	DONE,  /* every request has its verdict */
	AGAIN, /* somebody has left */
	FAILED /* an error of one of several, nothing was committed */
} Attempt;

/* As try_batch, but an error does not end the worker: nothing was committed, or nobody knows (judge_error). */
static Attempt
try_batch_safely(GaussdpRequest *batch, int n, MemoryContext context)
{
	Attempt attempt = FAILED;

	PG_TRY();
	{
		attempt = try_batch(batch, n) ? DONE : AGAIN;
	}
	PG_CATCH();
	{
		ErrorData *error;

		HOLD_INTERRUPTS();
		heed_cancel(false);
		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		AbortCurrentTransaction();
		attempt = n == 1 || is_transient(error->sqlerrcode) ? DONE : FAILED;
		for (int i = 0; attempt == DONE && i < n; i++)
			judge_error(&batch[i], error);
		FreeErrorData(error);
		RESUME_INTERRUPTS();
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return attempt;
}

/* Commits and answers; an error in one request fails no other.  True if some wait for a lock. */
static bool
run_batch(GaussdpRequest *batch, int n, MemoryContext context)
{
	Attempt attempt = AGAIN;
	bool waits = false;

	while (n > 0 && (attempt = try_batch_safely(batch, n, context)) == AGAIN)
		n = drop_absent(batch, n);
	if (attempt == FAILED)
	{
		for (int i = 0; i < n; i++)
			waits |= run_batch(&batch[i], 1, context);
		return waits;
	}
	for (int i = 0; i < n; i++)
		waits |= batch[i].verdict == GAUSSDP_VERDICT_RETRY;
	answer_batch(batch, n);
	return waits;
}

/*
 * Makes the errors of one entry durable.  False: they are not, or nobody knows.  They then stay in shared memory and are
 * written once more: an error that is counted twice costs the role one of its allowed errors, one that is never
 * counted costs privacy.
 */
static bool
try_errors(const GaussdpLedgerErrors *errors, bool *suspended)
{
	bool written;

	begin_queries();
	written = gaussdp_write_errors(errors, suspended);
	end_queries();
	commit_queries();
	if (ProcDiePending) /* as in try_batch */
		proc_exit(1);
	return written;
}

/* After an error that no session waits for: to the server's log, unless it passes by itself. */
static void
forget_error(MemoryContext context)
{
	ErrorData *error;

	HOLD_INTERRUPTS();
	heed_cancel(false);
	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	if (!is_transient(error->sqlerrcode))
		EmitErrorReport();
	FlushErrorState();
	AbortCurrentTransaction();
	FreeErrorData(error);
	RESUME_INTERRUPTS();
}

/* As try_errors, but an error does not end the worker. */
static bool
try_errors_safely(const GaussdpLedgerErrors *errors, bool *suspended, MemoryContext context)
{
	volatile bool written = false;

	PG_TRY();
	{
		written = try_errors(errors, suspended);
	}
	PG_CATCH();
	{
		forget_error(context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
	return written;
}

/* Writes errors that are to be counted.  False if some are left. */
static bool
write_errors(MemoryContext context)
{
	GaussdpLedgerErrors errors;
	bool all = true;
	bool suspended;

	for (int at = 0; gaussdp_next_errors(&at, &errors); at++)
	{
		if (try_errors_safely(&errors, &suspended, context))
			gaussdp_errors_written(at, &errors, suspended);
		else
			all = false;
	}
	return all;
}

/*
 * Gives up this worker's place if there is nothing to do; the next charge then registers another.  Errors that could
 * not be written do not keep it, as they would hold up DROP DATABASE for ever.
 */
static bool
retire(bool written)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	bool idle;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	idle = !written || !gaussdp_has_unwritten(InvalidOid);
	for (int i = 0; i < shared->nslots; i++)
		if (shared->slots[i].state == GAUSSDP_LEDGER_QUEUED &&
			shared->slots[i].database == MyDatabaseId)
			idle = false;
	if (idle)
		my_entry->database = InvalidOid;
	LWLockRelease(shared->lock);
	return idle;
}

/*
 * Logical replication brings rows of the ledger and leaves its sequences behind: after a switch-over the next numbers would
 * be taken already.  Looked at once in a worker's life, before its first charge.
 */
static void
mend_sequences(MemoryContext context)
{
	static const char *const mend =
		"WITH behind AS (SELECT g.n FROM (SELECT greatest("
		"(SELECT max(charge) FROM gaussdp_internal.journal_entry),"
		" (SELECT max(last_charge) FROM gaussdp_internal.journal_checkpoint))) AS g (n),"
		" gaussdp_internal.journal_number AS s"
		" WHERE g.n > s.last_value OR g.n = s.last_value AND NOT s.is_called)"
		" SELECT setval('gaussdp_internal.journal_number', b.n),"
		" setval('gaussdp_internal.account_number', greatest(a.last_value,"
		" (SELECT max(number) FROM gaussdp_internal.ledger_account)))"
		" FROM behind AS b, gaussdp_internal.account_number AS a";

	PG_TRY();
	{
		begin_queries();
		gaussdp_ledger_run(mend, 0, NULL, NULL, NULL, false);
		end_queries();
		commit_queries();
	}
	PG_CATCH();
	{
		forget_error(context);
	}
	PG_END_TRY();
	MemoryContextSwitchTo(context);
}

static void
serve(void)
{
	MemoryContext context =
		AllocSetContextCreate(TopMemoryContext, "gaussdp ledger", ALLOCSET_DEFAULT_SIZES);
	int64 last_work = gaussdp_ledger_clock();
	uint32 idle_event = gaussdp_new_wait_event("GaussdpLedgerMain");
	bool waits = false;
	bool written = true;

	mend_sequences(context);
	for (;;)
	{
		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}
		pgstat_report_stat(
			false); /* reports dead rows, else autovacuum would not come while there is load */
		MemoryContextSwitchTo(context);
		written = write_errors(context);
		take_batch();
		if (nrequests > 0)
		{
			pgstat_report_activity(STATE_RUNNING, "charging privacy budgets");
			waits = run_batch(requests, nrequests, context);
			nrequests = 0;
			pgstat_report_activity(STATE_IDLE, NULL);
			last_work = gaussdp_ledger_clock();
			MemoryContextReset(context);
			if (!waits)
				continue;
		}
		else if (gaussdp_ledger_clock() - last_work >= IDLE_MS && retire(written))
			return;

		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 waits || !written ? RETRY_MS : 200L, idle_event);
		ResetLatch(MyLatch);
		waits = false;
	}
}

void
gaussdp_begin_worker(void)
{
	pqsignal(SIGHUP, SignalHandlerForConfigReload);
	heed_cancel(false);
	pqsignal(SIGTERM, die);
	BackgroundWorkerUnblockSignals();
}

void
gaussdp_serve_database(GaussdpLedgerWorker *entry, uint64 token)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	GaussdpCharge *charges;
	Oid database = InvalidOid;

	my_entry = entry;
	my_token = token;
	before_shmem_exit(leave, 0);
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (my_entry->token == my_token)
	{
		database = my_entry->database;
		my_entry->latch = MyLatch;
		my_entry->pid = MyProcPid;
		my_entry->started = GetCurrentTimestamp();
	}
	LWLockRelease(shared->lock);
	if (database == InvalidOid)
		return;

	BackgroundWorkerInitializeConnectionByOid(database, InvalidOid, BGWORKER_BYPASS_ALLOWCONN);
	for (size_t i = 0; i < lengthof(settings); i++)
		if (GetConfigOption(settings[i][0], true, false) != NULL)
			SetConfigOption(settings[i][0], settings[i][1], PGC_SUSET, PGC_S_OVERRIDE);

	requests = MemoryContextAllocZero(TopMemoryContext, shared->nslots * sizeof(GaussdpRequest));
	answered =
		MemoryContextAllocZero(TopMemoryContext, shared->nslots * sizeof(GaussdpLedgerSlot *));
	/* In one piece, which takes no time before it is used. */
	charges = MemoryContextAllocHuge(TopMemoryContext, shared->nslots * sizeof(GaussdpCharge));
	for (int i = 0; i < shared->nslots; i++)
		requests[i].charge = &charges[i];
	serve();
}
