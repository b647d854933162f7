/*
 * progress.c
 *		How far private queries are: a place of shared memory for each session, and the function that reads them.
 *
 * policy/ says what a session does and how many blocks of its tables it has read (ledger.h); owners of these tables and members of
 * pg_monitor see it in gaussdp.stat_progress.  All of it is the size of tables and time: no number of rows, groups or people.
 *
 * Who a place belongs to is written and read under its lock.  The numbers are written without, also by a handler of signals.
 *
 * At its place, too, the processes of a session's parallel plan wait for one another before the first of them reads a row.
 */
#include "postgres.h"

#include "catalog/pg_authid.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "port/atomics.h"
#include "storage/condition_variable.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "storage/shmem.h"
#include "storage/spin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"
#include "utils/wait_event.h"

#include "compat.h"
#include "declaration/owner.h"
#include "ledger.h"
#include "progress.h"

PG_FUNCTION_INFO_V1(gaussdp_level_progress);

typedef struct Place
{
	slock_t lock;
	int pid; /* 0: no private query runs */
	Oid database;
	Oid role;
	Oid relation; /* whose owner may see it */
	TimestampTz started;
	volatile int phase;
	volatile uint64 total;
	volatile uint64 done;
	/* processes of its parallel plan that are ready to read, and may they? */
	pg_atomic_uint32 ready;
	pg_atomic_uint32 may_read;
	ConditionVariable changed;
} Place;

static const char *const phase_names[] = {
	[GAUSSDP_PHASE_READING] = "reading rows",
	[GAUSSDP_PHASE_PEOPLE] = "bringing rows of people together",
	[GAUSSDP_PHASE_RELEASING] = "releasing groups",
};

static Place *places = NULL;

Size
gaussdp_progress_size(void)
{
	return mul_size(MaxBackends, sizeof(Place));
}

void
gaussdp_start_progress_memory(void)
{
	bool found;

	places = ShmemInitStruct("gaussdp progress", gaussdp_progress_size(), &found);
	if (found)
		return;
	memset(places, 0, gaussdp_progress_size());
	for (int i = 0; i < MaxBackends; i++)
	{
		SpinLockInit(&places[i].lock);
		pg_atomic_init_u32(&places[i].ready, 0);
		pg_atomic_init_u32(&places[i].may_read, 0);
		ConditionVariableInit(&places[i].changed);
	}
}

/* NULL where there is none: without shared memory no budget is charged, and queries that cost nothing have no progress. */
static Place *
place_of(const PGPROC *process)
{
	int index = (int) (process - ProcGlobal->allProcs);

	return places != NULL && index >= 0 && index < MaxBackends ? &places[index] : NULL;
}

static Place *
my_place(void)
{
	return place_of(MyProc);
}

void
gaussdp_begin_progress(Oid relation, uint64 blocks)
{
	Place *place = my_place();
	TimestampTz now = GetCurrentTimestamp();

	if (place == NULL)
		return;
	SpinLockAcquire(&place->lock);
	place->pid = MyProcPid;
	place->database = MyDatabaseId;
	place->role = GetUserId();
	place->relation = relation;
	place->started = now;
	place->phase = GAUSSDP_PHASE_READING;
	place->total = blocks;
	place->done = 0;
	SpinLockRelease(&place->lock);
}

/* Calls nothing that a handler of signals may not. */
void
gaussdp_show_blocks(uint64 done)
{
	Place *place = my_place();

	if (place != NULL)
		place->done = Min(done, place->total);
}

void
gaussdp_show_phase(GaussdpPhase phase)
{
	Place *place = my_place();

	if (place != NULL)
		place->phase = phase;
}

void
gaussdp_end_progress(void)
{
	Place *place = my_place();

	if (place == NULL)
		return;
	SpinLockAcquire(&place->lock);
	place->pid = 0;
	SpinLockRelease(&place->lock);
}

bool
gaussdp_hold_processes(void)
{
	Place *place = my_place();

	if (place == NULL)
		return false;
	pg_atomic_write_u32(&place->ready, 0);
	pg_atomic_write_u32(&place->may_read, 0);
	return true;
}

void
gaussdp_await_processes(int n)
{
	Place *place = my_place();

	while (pg_atomic_read_u32(&place->ready) < (uint32) n)
		ConditionVariableSleep(&place->changed, WAIT_EVENT_EXECUTE_GATHER);
	ConditionVariableCancelSleep();
	pg_atomic_write_u32(&place->may_read, 1);
	ConditionVariableBroadcast(&place->changed);
}

void
gaussdp_await_leader(void)
{
	Place *place = MyProc->lockGroupLeader != NULL ? place_of(MyProc->lockGroupLeader) : NULL;

	if (place == NULL)
		return;
	pg_atomic_fetch_add_u32(&place->ready, 1);
	ConditionVariableBroadcast(&place->changed);
	while (pg_atomic_read_u32(&place->may_read) == 0)
		ConditionVariableSleep(&place->changed, WAIT_EVENT_EXECUTE_GATHER);
	ConditionVariableCancelSleep();
}

static Place
copy_of(Place *place)
{
	Place copy;

	SpinLockAcquire(&place->lock);
	copy = *place;
	SpinLockRelease(&place->lock);
	return copy;
}

/*
 * level_progress(OUT pid int4, OUT role oid, OUT relation regclass, OUT started timestamptz, OUT phase text, OUT blocks_total int8,
 * OUT blocks_done int8): private queries that run in this database, of tables that the current role owns; of all for pg_monitor.
 */
Datum
gaussdp_level_progress(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	bool sees_all = has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; places != NULL && i < MaxBackends; i++)
	{
		Place place = copy_of(&places[i]);
		Datum values[7];
		bool isnull[7] = {false};

		if (place.pid == 0 || place.database != MyDatabaseId ||
			!(sees_all || gaussdp_owns_table(place.relation, GetUserId())))
			continue;
		values[0] = Int32GetDatum(place.pid);
		values[1] = ObjectIdGetDatum(place.role);
		values[2] = ObjectIdGetDatum(place.relation);
		values[3] = TimestampTzGetDatum(place.started);
		values[4] = CStringGetTextDatum(phase_names[place.phase]);
		values[5] = Int64GetDatum((int64) place.total);
		values[6] = Int64GetDatum((int64) place.done);
		isnull[5] = isnull[6] = place.total == 0;
		tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
	}
	return (Datum) 0;
}
