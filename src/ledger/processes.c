/*
 * processes.c
 *		Which processes charge budgets, and how they start.
 *
 * Each database in which charges go on has one worker, a dynamic one, which serves it (worker.c) and ends.  One more is there from the start
 * of the server: the worker in reserve.
 */
#include "postgres.h"

#include "miscadmin.h"
#include "postmaster/bgworker.h"
#include "postmaster/interrupt.h"
#include "storage/ipc.h"
#include "utils/guc.h"

#include "queue.h"

static BackgroundWorker
make_registration(const char *function)
{
	BackgroundWorker registration;

	memset(&registration, 0, sizeof(registration));
	registration.bgw_flags = BGWORKER_SHMEM_ACCESS | BGWORKER_BACKEND_DATABASE_CONNECTION;
	registration.bgw_start_time = BgWorkerStart_RecoveryFinished;
	registration.bgw_restart_time = BGW_NEVER_RESTART;
	strlcpy(registration.bgw_library_name, "gaussdp", sizeof(registration.bgw_library_name));
	strlcpy(registration.bgw_function_name, function, BGW_MAXLEN);
	strlcpy(registration.bgw_type, "gaussdp ledger", BGW_MAXLEN);
	return registration;
}

void
gaussdp_register_reserve(void)
{
	BackgroundWorker registration = make_registration("gaussdp_ledger_reserve_main");

	registration.bgw_restart_time = 0;
	strlcpy(registration.bgw_name, "gaussdp ledger in reserve", BGW_MAXLEN);
	RegisterBackgroundWorker(&registration);
}

/* Starts a worker of its own, or takes the one in reserve. */
static bool
start_worker(GaussdpLedgerWorker *worker)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	BackgroundWorker registration = make_registration("gaussdp_ledger_worker_main");

	registration.bgw_main_arg = Int32GetDatum((int32) (worker - shared->workers));
	snprintf(registration.bgw_name, BGW_MAXLEN, "gaussdp ledger of database %u", MyDatabaseId);
	memcpy(registration.bgw_extra, &worker->token, sizeof(worker->token));
	if (RegisterDynamicBackgroundWorker(&registration, NULL))
		return true;
	if (shared->reserve == NULL || shared->reserve_worker >= 0)
		return false;
	shared->reserve_worker = (int) (worker - shared->workers);
	shared->reserve_token = worker->token;
	SetLatch(shared->reserve);
	return true;
}

bool
gaussdp_find_worker(Latch **latch)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	GaussdpLedgerWorker *worker = NULL;

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

	worker->token = shared->next_number++;
	if (!start_worker(worker))
	{
		worker->database = InvalidOid;
		return false;
	}
	worker->database = MyDatabaseId;
	worker->registered = gaussdp_ledger_clock();
	worker->latch = NULL;
	return true;
}

void
gaussdp_ledger_worker_main(Datum arg)
{
	uint64 token;

	memcpy(&token, MyBgworkerEntry->bgw_extra, sizeof(token));
	gaussdp_begin_worker();
	gaussdp_serve_database(&gaussdp_ledger_shared->workers[DatumGetInt32(arg)], token);
}

static void
leave_reserve(int code, Datum arg)
{
	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	gaussdp_ledger_shared->reserve = NULL;
	gaussdp_ledger_shared->reserve_worker = -1;
	LWLockRelease(gaussdp_ledger_shared->lock);
}

/* What it is needed as; NULL: not yet.  From then on it is in nobody's reserve. */
static GaussdpLedgerWorker *
take_entry(uint64 *token)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	GaussdpLedgerWorker *entry = NULL;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (shared->reserve_worker >= 0)
	{
		entry = &shared->workers[shared->reserve_worker];
		*token = shared->reserve_token;
		shared->reserve = NULL;
	}
	LWLockRelease(shared->lock);
	return entry;
}

/*
 * Parallel queries can take every slot of a background worker, and for as long as their cursors are open.  One slot is the ledger's own: the
 * worker in it has no connection, which would hold up DROP DATABASE, until a database has no other one, and comes back when it has ended.
 */
void
gaussdp_ledger_reserve_main(Datum unused)
{
	uint32 event = gaussdp_new_wait_event("GaussdpLedgerReserve");
	GaussdpLedgerWorker *entry;
	uint64 token;

	gaussdp_begin_worker();
	before_shmem_exit(leave_reserve, 0);
	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	gaussdp_ledger_shared->reserve_worker = -1;
	gaussdp_ledger_shared->reserve = MyLatch;
	LWLockRelease(gaussdp_ledger_shared->lock);
	while ((entry = take_entry(&token)) == NULL)
	{
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_EXIT_ON_PM_DEATH, 0, event);
		ResetLatch(MyLatch);
		CHECK_FOR_INTERRUPTS();
		if (ConfigReloadPending)
		{
			ConfigReloadPending = false;
			ProcessConfigFile(PGC_SIGHUP);
		}
	}
	gaussdp_serve_database(entry, token);
	proc_exit(1); /* with 0, it would not be started again */
}
