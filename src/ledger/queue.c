/*
 * queue.c
 *		The shared memory of the ledger: made at server start, a slot for each backend, a worker on demand.
 *
 * Used by charge.c and errors.c in sessions; the worker's side is worker.c.  See queue.h for what
 * leaving a slot means in each state.
 */
#include "postgres.h"

#include "access/xlog.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "replication/syncrep.h"
#include "replication/walsender.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "utils/builtins.h"

#include "compat.h"
#include "crash.h"
#include "pause.h"
#include "progress.h"
#include "queue.h"
#include "rights.h"
#include "version.h"

GaussdpLedgerShared *gaussdp_ledger_shared = NULL;

static Size
shared_size(void)
{
	Size size = offsetof(GaussdpLedgerShared, slots);

	size = add_size(size, mul_size(MaxBackends, sizeof(GaussdpLedgerSlot)));
	size = add_size(size, mul_size(MaxBackends, sizeof(GaussdpCharge)));
	size = add_size(size, mul_size(max_worker_processes, sizeof(GaussdpLedgerWorker)));
	return add_size(size, mul_size(MaxBackends, sizeof(GaussdpLedgerErrors)));
}

void
gaussdp_request_ledger_memory(void)
{
	RequestAddinShmemSpace(
		add_size(add_size(shared_size(), gaussdp_statistics_size()), gaussdp_progress_size()));
	RequestNamedLWLockTranche("gaussdp", 2);
}

void
gaussdp_start_ledger_memory(void)
{
	bool found;

	LWLockAcquire(AddinShmemInitLock, LW_EXCLUSIVE);
	gaussdp_ledger_shared = ShmemInitStruct("gaussdp", shared_size(), &found);
	if (!found)
	{
		memset(gaussdp_ledger_shared, 0, shared_size());
		gaussdp_ledger_shared->lock = &GetNamedLWLockTranche("gaussdp")->lock;
		gaussdp_ledger_shared->nslots = MaxBackends;
		gaussdp_ledger_shared->nworkers = max_worker_processes;
		gaussdp_ledger_shared->next_number = 1;
		gaussdp_ledger_shared->reserve_worker = -1;
		gaussdp_ledger_shared->charges =
			(GaussdpCharge *) &gaussdp_ledger_shared->slots[MaxBackends];
		for (int i = 0; i < MaxBackends; i++)
			gaussdp_ledger_shared->slots[i].charge = &gaussdp_ledger_shared->charges[i];
		gaussdp_ledger_shared->workers =
			(GaussdpLedgerWorker *) &gaussdp_ledger_shared->charges[MaxBackends];
		gaussdp_ledger_shared->nerrors = MaxBackends;
		gaussdp_ledger_shared->errors =
			(GaussdpLedgerErrors *) &gaussdp_ledger_shared->workers[max_worker_processes];
		gaussdp_count_crashed();
	}
	gaussdp_start_statistics(&GetNamedLWLockTranche("gaussdp")[1].lock);
	gaussdp_start_progress_memory();
	LWLockRelease(AddinShmemInitLock);
}

/* Said where budgets and declarations are made, since what follows from it is seen by analysts alone. */
#define NOT_LOADED "gaussdp is not loaded at server start, so that no budget can be charged"

/* Why this library can charge no budget, on a primary server either, and what mends it; NULL: it can. */
static const char *
problem_of_library(const char **hint)
{
	if (gaussdp_ledger_shared != NULL)
		return gaussdp_version_problem(hint);
	*hint = GAUSSDP_LOAD_HINT;
	return NOT_LOADED;
}

/* gaussdp_internal.server_problem() */
PG_FUNCTION_INFO_V1(gaussdp_server_problem);
Datum
gaussdp_server_problem(PG_FUNCTION_ARGS)
{
	const char *remedy;
	const char *problem = problem_of_library(&remedy);
	TupleDesc desc;
	Datum values[2];
	bool nulls[2] = {false};

	if (problem == NULL)
		PG_RETURN_NULL();
	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "return type must be a row type");
	values[0] = CStringGetTextDatum(problem);
	values[1] = CStringGetTextDatum(remedy);
	PG_RETURN_DATUM(HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), values, nulls)));
}

const char *
gaussdp_why_no_charge(const char **hint)
{
	const char *problem = problem_of_library(hint);
	GaussdpLedgerRights caller;
	bool is_paused;

	if (problem != NULL)
		return problem;
	if (RecoveryInProgress())
	{
		*hint = "Ask the primary server.";
		return "this server is a standby, where no budget can be charged";
	}
	caller = gaussdp_enter_ledger();
	is_paused = gaussdp_answers_are_paused();
	gaussdp_leave_ledger(caller);
	*hint = GAUSSDP_PAUSED_HINT;
	return is_paused ? GAUSSDP_PAUSED : NULL;
}

void
gaussdp_warn_of_server(void)
{
	ErrorContextCallback *context = error_context_stack;
	const char *hint;
	const char *problem = problem_of_library(&hint);

	if (problem == NULL)
		return;
	/* The statements of the library that lead here are nothing to the caller. */
	error_context_stack = NULL;
	ereport(WARNING,
			(errcode(ERRCODE_WARNING), errmsg_internal("%s", problem),
			 errdetail("No query over protected tables is answered."), errhint("%s", hint)));
	error_context_stack = context;
}

/* gaussdp_internal.warn_of_server() */
PG_FUNCTION_INFO_V1(gaussdp_warn_of_server_problem);
Datum
gaussdp_warn_of_server_problem(PG_FUNCTION_ARGS)
{
	gaussdp_warn_of_server();
	PG_RETURN_VOID();
}

uint32
gaussdp_charge_wait_event(void)
{
	static uint32 event = 0;

	if (event == 0)
		event = gaussdp_new_wait_event("GaussdpCharge");
	return event;
}

GaussdpLedgerSlot *
gaussdp_ledger_slot(void)
{
	int index = (int) (MyProc - ProcGlobal->allProcs);

	if (index < 0 || index >= gaussdp_ledger_shared->nslots)
		elog(ERROR, "backend %d has no place in the ledger's queue", index);
	return &gaussdp_ledger_shared->slots[index];
}

bool
gaussdp_awaits_standby(void)
{
	return max_wal_senders > 0 && SyncRepStandbyNames != NULL && SyncRepStandbyNames[0] != '\0';
}

void
gaussdp_free_slot(GaussdpLedgerSlot *slot, Latch *wakes[2])
{
	for (int i = 0; i < 2; i++)
	{
		wakes[i] = slot->wakes[i];
		slot->wakes[i] = NULL;
	}
	slot->state = GAUSSDP_LEDGER_FREE;
	slot->number = gaussdp_ledger_shared->next_number++;
}

void
gaussdp_wake(Latch *const wakes[2])
{
	for (int i = 0; i < 2; i++)
		if (wakes[i] != NULL)
			SetLatch(wakes[i]);
}

GaussdpLedgerOutcome
gaussdp_leave_slot(GaussdpLedgerSlot *slot)
{
	GaussdpLedgerOutcome outcome;
	Latch *wakes[2];

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	if (slot->state == GAUSSDP_LEDGER_COMMITTING)
		outcome = GAUSSDP_LEDGER_UNKNOWN;
	else if (slot->state == GAUSSDP_LEDGER_DONE && slot->sqlstate == 0)
		outcome = GAUSSDP_LEDGER_CHARGED;
	else if (slot->state == GAUSSDP_LEDGER_DONE &&
			 slot->sqlstate == ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN)
		outcome = GAUSSDP_LEDGER_UNKNOWN;
	else
		outcome = GAUSSDP_LEDGER_NOT_CHARGED;
	slot->is_running = outcome == GAUSSDP_LEDGER_CHARGED && slot->charge->kept == 0;
	gaussdp_free_slot(slot, wakes);
	LWLockRelease(gaussdp_ledger_shared->lock);
	gaussdp_wake(wakes);
	return outcome;
}
