/*
 * charge.c
 *		The session's side of a charge: ask, wait, and know which of three outcomes it was.
 *
 * Reads populations from declaration/, hands requests to worker.c through queue.h.  Owns the shared
 * memory.  See queue.h for what leaving a slot means in each state.
 */
#include "postgres.h"

#include <math.h>

#include "access/parallel.h"
#include "access/xlog.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "postmaster/bgworker.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/memutils.h"

#include "compat.h"
#include "declaration/declaration.h"
#include "population.h"
#include "queue.h"
#include "settings.h"

GaussdpLedgerShared *gaussdp_ledger_shared = NULL;

static shmem_request_hook_type prev_shmem_request_hook = NULL;
static shmem_startup_hook_type prev_shmem_startup_hook = NULL;

typedef enum Outcome
{
	NOT_CHARGED,
	UNKNOWN
} Outcome;

static Size
shared_size(void)
{
	Size size = offsetof(GaussdpLedgerShared, slots);

	size = add_size(size, mul_size(MaxBackends, sizeof(GaussdpLedgerSlot)));
	return add_size(size, mul_size(max_worker_processes, sizeof(GaussdpLedgerWorker)));
}

static void
ledger_shmem_request(void)
{
	if (prev_shmem_request_hook)
		prev_shmem_request_hook();
	RequestAddinShmemSpace(shared_size());
	RequestNamedLWLockTranche("gaussdp", 1);
}

static void
ledger_shmem_startup(void)
{
	bool found;

	if (prev_shmem_startup_hook)
		prev_shmem_startup_hook();
	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	gaussdp_ledger_shared = ShmemInitStruct("gaussdp", shared_size(), &found);
	if (!found)
	{
		memset(gaussdp_ledger_shared, 0, shared_size());
		gaussdp_ledger_shared->lock = &GetNamedLWLockTranche("gaussdp")->lock;
		gaussdp_ledger_shared->nslots = MaxBackends;
		gaussdp_ledger_shared->nworkers = max_worker_processes;
		gaussdp_ledger_shared->next_number = 1;
		gaussdp_ledger_shared->workers =
			(GaussdpLedgerWorker *) &gaussdp_ledger_shared->slots[MaxBackends];
	}
	LWLockRelease(AddinShmemInitLock);
}

void
gaussdp_ledger_init(void)
{
	gaussdp_population_init();
	if (!process_shared_preload_libraries_in_progress)
		return;
	EnableQueryId(); /* for the journal, unless compute_query_id is off */
	prev_shmem_request_hook = shmem_request_hook;
	shmem_request_hook = ledger_shmem_request;
	prev_shmem_startup_hook = shmem_startup_hook;
	shmem_startup_hook = ledger_shmem_startup;
}

static GaussdpLedgerSlot *
my_slot(void)
{
	int index = (int) (MyProc - ProcGlobal->allProcs);

	if (index < 0 || index >= gaussdp_ledger_shared->nslots)
		elog(ERROR, "backend %d has no place in the ledger's queue", index);
	return &gaussdp_ledger_shared->slots[index];
}

/* Leaves the queue, wherever the request is by now. */
static Outcome
leave_slot(GaussdpLedgerSlot *slot)
{
	Outcome outcome;

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	outcome = slot->state == GAUSSDP_LEDGER_COMMITTING || slot->state == GAUSSDP_LEDGER_DONE
				  ? UNKNOWN
				  : NOT_CHARGED;
	slot->state = GAUSSDP_LEDGER_FREE;
	slot->number = gaussdp_ledger_shared->next_number++;
	LWLockRelease(gaussdp_ledger_shared->lock);
	return outcome;
}

static void
leave_at_exit(int code, Datum slot)
{
	leave_slot((GaussdpLedgerSlot *) DatumGetPointer(slot));
}

static const char *
outcome_detail(Outcome outcome)
{
	return outcome == NOT_CHARGED
			   ? "Nothing was charged and nothing was released."
			   : "Nothing was released. Whether the charge was committed is not known here: count "
				 "it as spent, gaussdp.journal will tell.";
}

static int
find_table(GaussdpLedgerRequest *request, Oid relid)
{
	GaussdpTable declared;
	GaussdpLedgerTable *table;

	for (int i = 0; i < request->ntables; i++)
		if (request->tables[i].relid == relid)
			return i;
	if (!gaussdp_table(relid, &declared))
		elog(ERROR, "relation %u is not protected", relid);
	if (request->ntables == GAUSSDP_LEDGER_MAX_TABLES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a query may read at most %d protected tables", GAUSSDP_LEDGER_MAX_TABLES),
				 errdetail("Nothing was charged and nothing was released.")));
	table = &request->tables[request->ntables];
	table->relid = relid;
	table->relation = declared.people[0] == '\0' ? declared.relid : InvalidOid;
	strlcpy(table->people, declared.people, NAMEDATALEN);
	return request->ntables++;
}

static GaussdpLedgerRequest *
make_request(Oid role, const GaussdpRelease *releases, int nreleases, uint64 query_id,
			 const char *query_text)
{
	GaussdpLedgerRequest *request;

	if (nreleases < 1 || nreleases > GAUSSDP_MAX_RELEASES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a query may make between 1 and %d private releases, not %d",
							   GAUSSDP_MAX_RELEASES, nreleases),
						errdetail("Nothing was charged and nothing was released.")));
	request = palloc0(sizeof(GaussdpLedgerRequest));
	request->role = role;
	request->session_role = GetSessionUserId();
	request->query_id = query_id;
	if (gaussdp_journal_query_text && query_text != NULL)
	{
		int length = pg_mbcliplen(query_text, strlen(query_text), GAUSSDP_LEDGER_TEXT_SIZE - 1);

		memcpy(request->text, query_text, length);
	}
	for (int i = 0; i < nreleases; i++)
	{
		const GaussdpRelease *from = &releases[i];
		GaussdpLedgerRelease *to = &request->releases[i];

		if (!(from->l2_sensitivity > 0 && isfinite(from->l2_sensitivity) && from->sigma > 0 &&
			  isfinite(from->sigma) && from->mu2 > 0 && from->threshold_delta >= 0))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("a release without a finite, positive cost cannot be charged"),
							errdetail("Nothing was charged and nothing was released.")));
		strlcpy(to->kind, from->kind, sizeof(to->kind));
		to->table = find_table(request, from->relid);
		to->l2_sensitivity = from->l2_sensitivity;
		to->sigma = from->sigma;
		to->mu2 = from->mu2;
		to->threshold_delta = from->threshold_delta;
	}
	request->nreleases = nreleases;
	return request;
}

/*
 * Sees to it that this database has a worker; to be woken by *latch, once the lock that is held here is
 * released, since the worker wants it first of all.  A worker that was registered and has not come within
 * a second is given up: should it come later, it finds another token.
 */
static bool
find_worker(Latch **latch)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	GaussdpLedgerWorker *worker = NULL;
	BackgroundWorker registration;

	for (int i = 0; i < shared->nworkers; i++)
	{
		if (shared->workers[i].database == MyDatabaseId)
		{
			worker = &shared->workers[i];
			break;
		}
		if (worker == NULL && shared->workers[i].database == InvalidOid)
			worker = &shared->workers[i];
	}
	if (worker == NULL)
		return false;
	if (worker->database == MyDatabaseId)
	{
		*latch = worker->latch;
		if (*latch != NULL)
			return true;
		if (gaussdp_ledger_clock() - worker->registered < 1000)
			return true;
	}

	memset(&registration, 0, sizeof(registration));
	registration.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	registration.bgw_start_time = BgWorkerStart_RecoveryFinished;
	registration.bgw_restart_time = BGW_NEVER_RESTART;
	registration.bgw_notify_pid = 0;
	registration.bgw_main_arg = Int32GetDatum((int32) (worker - shared->workers));
	strlcpy(registration.bgw_library_name, "gaussdp", sizeof(registration.bgw_library_name));
	strlcpy(registration.bgw_function_name, "gaussdp_ledger_worker_main", BGW_MAXLEN);
	snprintf(registration.bgw_name, BGW_MAXLEN, "gaussdp ledger of database %u", MyDatabaseId);
	strlcpy(registration.bgw_type, "gaussdp ledger", BGW_MAXLEN);
	worker->token = shared->next_number++;
	memcpy(registration.bgw_extra, &worker->token, sizeof(worker->token));
	if (!RegisterDynamicBackgroundWorker(&registration, NULL))
	{
		worker->database = InvalidOid;
		return false;
	}
	worker->database = MyDatabaseId;
	worker->registered = gaussdp_ledger_clock();
	worker->latch = NULL;
	return true;
}

static void
enqueue(GaussdpLedgerSlot *slot, const GaussdpLedgerRequest *request)
{
	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	memcpy(&slot->request, request, GAUSSDP_LEDGER_REQUEST_SIZE(request->nreleases));
	slot->state = GAUSSDP_LEDGER_QUEUED;
	slot->number = gaussdp_ledger_shared->next_number++;
	slot->database = MyDatabaseId;
	slot->latch = MyLatch;
	slot->sqlstate = 0;
	slot->message[0] = '\0';
	LWLockRelease(gaussdp_ledger_shared->lock);
}

/* As CHECK_FOR_INTERRUPTS, but the last words of a session that is terminated say what it has spent. */
static void
check_interrupts(GaussdpLedgerSlot *slot)
{
	if (ProcDiePending)
		ereport(FATAL, (errcode(ERRCODE_ADMIN_SHUTDOWN),
						errmsg("terminating connection due to administrator command"),
						errdetail_internal("%s", outcome_detail(leave_slot(slot)))));
	CHECK_FOR_INTERRUPTS();
}

/* Waits until the request is DONE or the time is up; false then, and *has_worker tells why. */
static bool
wait_for_worker(GaussdpLedgerSlot *slot, bool *has_worker)
{
	int64 deadline = gaussdp_ledger_clock() + gaussdp_charge_timeout;

	for (;;)
	{
		int64 left = deadline - gaussdp_ledger_clock();
		Latch *worker = NULL; /* of a process that has a place in shared memory, for ever */
		bool done;

		LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
		done = slot->state == GAUSSDP_LEDGER_DONE;
		*has_worker = done || find_worker(&worker);
		LWLockRelease(gaussdp_ledger_shared->lock);
		if (worker != NULL)
			SetLatch(worker);
		if (done)
			return true;
		if (left <= 0)
			return false;

		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) Min(left, 100), PG_WAIT_EXTENSION);
		ResetLatch(MyLatch);
		check_interrupts(slot);
	}
}

/* The wait was broken off by a cancel or timeout: the same error, with what became of the charge. */
static void
rethrow_with_outcome(GaussdpLedgerSlot *slot, MemoryContext context)
{
	ErrorData *error;
	Outcome outcome = leave_slot(slot);

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	if (error->detail == NULL)
		error->detail = pstrdup(outcome_detail(outcome));
	ReThrowError(error);
}

static void
report_timeout(Outcome outcome, bool has_worker)
{
	int sqlstate = ERRCODE_LOCK_NOT_AVAILABLE;

	if (outcome == UNKNOWN)
		sqlstate = ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN;
	else if (!has_worker)
		sqlstate = ERRCODE_INSUFFICIENT_RESOURCES;
	ereport(ERROR,
			(errcode(sqlstate),
			 errmsg("could not charge the privacy budget within %d ms", gaussdp_charge_timeout),
			 errdetail_internal("%s", outcome_detail(outcome)),
			 outcome == UNKNOWN ? errhint("Is a synchronous standby missing?")
			 : has_worker
				 ? errhint("This or another transaction may hold a lock on the budget, or a "
						   "synchronous standby may be missing.")
				 : errhint("No background worker could be started; you might need to "
						   "increase max_worker_processes.")));
}

void
gaussdp_charge(Oid role, const GaussdpRelease *releases, int nreleases, uint64 query_id,
			   const char *query_text)
{
	MemoryContext context = CurrentMemoryContext;
	GaussdpLedgerSlot *slot;
	GaussdpLedgerRequest *request;
	bool done = false;
	bool has_worker = true;
	int sqlstate;
	char message[sizeof(slot->message)];

	if (IsParallelWorker())
		elog(ERROR, "a parallel worker may not charge a privacy budget");
	if (gaussdp_ledger_shared == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("gaussdp must be loaded at server start to charge a privacy budget"),
				 errdetail("Nothing was charged and nothing was released."),
				 errhint("Add gaussdp to shared_preload_libraries and restart the server.")));
	if (RecoveryInProgress())
		ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
						errmsg("cannot charge a privacy budget during recovery"),
						errdetail("Nothing was charged and nothing was released."),
						errhint("Ask the primary server.")));

	request = make_request(role, releases, nreleases, query_id, query_text);
	slot = my_slot();
	enqueue(slot, request);
	PG_ENSURE_ERROR_CLEANUP(leave_at_exit, PointerGetDatum(slot));
	{
		PG_TRY();
		{
			done = wait_for_worker(slot, &has_worker);
		}
		PG_CATCH();
		{
			rethrow_with_outcome(slot, context);
		}
		PG_END_TRY();
	}
	PG_END_ENSURE_ERROR_CLEANUP(leave_at_exit, PointerGetDatum(slot));
	pfree(request);

	if (!done)
		report_timeout(leave_slot(slot), has_worker);
	sqlstate = slot->sqlstate;
	strlcpy(message, slot->message, sizeof(message));
	leave_slot(slot);
	if (sqlstate != 0)
		ereport(ERROR, (errcode(sqlstate), errmsg_internal("%s", message),
						errdetail_internal(
							"%s", outcome_detail(sqlstate == ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN
													 ? UNKNOWN
													 : NOT_CHARGED))));
}
