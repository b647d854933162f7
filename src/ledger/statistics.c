/*
 * statistics.c
 *		Counts charges and refusals by role, and shows counters and queue to the views of statistics.sql.
 *
 * Sessions count what they were told: charge.c its outcomes, the policy its refusals (ledger.h).
 *
 * Invariants
 *		A counter only grows, and begins at zero when the server starts.
 *		The place of a role in a database is never given to another: it is looked up with the lock held, then
 *		counted in without.
 *		Nothing here tells of rows (statistics.h).  So sessions that wait until an error of theirs is written
 *		are not shown as waiting.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_authid.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "nodes/pg_list.h"
#include "port/atomics.h"
#include "storage/shmem.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "ledger.h"
#include "queue.h"
#include "rights.h"
#include "statistics.h"

PG_FUNCTION_INFO_V1(gaussdp_charge_outcomes);
PG_FUNCTION_INFO_V1(gaussdp_refusals);
PG_FUNCTION_INFO_V1(gaussdp_charge_latency);
PG_FUNCTION_INFO_V1(gaussdp_ledger_sessions);
PG_FUNCTION_INFO_V1(gaussdp_ledger_worker);

/* Roles beyond these share place 0, over all databases. */
#define PLACES 1024

static const char *const outcome_names[] = {
	[GAUSSDP_OUTCOME_CHARGED] = "charged",
	[GAUSSDP_OUTCOME_NO_BUDGET] = "no budget",
	[GAUSSDP_OUTCOME_SUSPENDED] = "suspended",
	[GAUSSDP_OUTCOME_PAUSED] = "paused",
	[GAUSSDP_OUTCOME_EXHAUSTED] = "budget exhausted",
	[GAUSSDP_OUTCOME_THRESHOLDS] = "threshold_delta exhausted",
	[GAUSSDP_OUTCOME_QUERY_LIMIT] = "max_epsilon_per_query",
	[GAUSSDP_OUTCOME_TIMED_OUT] = "timed out",
	[GAUSSDP_OUTCOME_CANCELLED] = "cancelled",
	[GAUSSDP_OUTCOME_FAILED] = "failed",
	[GAUSSDP_OUTCOME_UNKNOWN] = "unknown",
};

/* Upper ends of the histogram's buckets, in seconds; one bucket more has what is beyond. */
static const double latency_ends[] = {1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2,
									  5e-2, 0.1,    0.25, 0.5,  1,      2.5,  5,    10};

#define NBUCKETS (lengthof(latency_ends) + 1)

typedef struct Counters
{
	pg_atomic_uint64 outcomes[GAUSSDP_NOUTCOMES];
	pg_atomic_uint64 rules[GAUSSDP_NRULES];
	pg_atomic_uint64 latency[NBUCKETS]; /* of what was charged */
	pg_atomic_uint64 microseconds;      /* in all */
} Counters;

typedef struct Statistics
{
	LWLock *lock; /* for n and keys */
	int n;        /* places in use, place 0 among them */
	struct
	{
		Oid database;
		Oid role;
	} keys[PLACES];
	Counters counters[PLACES];
} Statistics;

static Statistics *statistics = NULL;

Size
gaussdp_statistics_size(void)
{
	return sizeof(Statistics);
}

void
gaussdp_start_statistics(LWLock *lock)
{
	bool found;

	statistics = ShmemInitStruct("gaussdp statistics", sizeof(Statistics), &found);
	if (found)
		return;
	memset(statistics, 0, sizeof(Statistics));
	statistics->lock = lock;
	statistics->n = 1;
	for (int i = 0; i < PLACES; i++)
	{
		Counters *counters = &statistics->counters[i];

		for (int j = 0; j < GAUSSDP_NOUTCOMES; j++)
			pg_atomic_init_u64(&counters->outcomes[j], 0);
		for (int j = 0; j < GAUSSDP_NRULES; j++)
			pg_atomic_init_u64(&counters->rules[j], 0);
		for (size_t j = 0; j < NBUCKETS; j++)
			pg_atomic_init_u64(&counters->latency[j], 0);
		pg_atomic_init_u64(&counters->microseconds, 0);
	}
}

/* ---------------------------------------------------------------------------
 * Counting
 * ---------------------------------------------------------------------------
 */

/* With the lock held; 0: the role has no place yet. */
static int
find_place(Oid role)
{
	for (int i = 1; i < statistics->n; i++)
		if (statistics->keys[i].role == role && statistics->keys[i].database == MyDatabaseId)
			return i;
	return 0;
}

/* The counters of a role in this database, where a place is made for it. */
static Counters *
counters_of(Oid role)
{
	static Oid last_role = InvalidOid;
	static int place = 0;

	if (place != 0 && last_role == role)
		return &statistics->counters[place];
	LWLockAcquire(statistics->lock, LW_SHARED);
	place = find_place(role);
	LWLockRelease(statistics->lock);
	if (place == 0)
	{
		LWLockAcquire(statistics->lock, LW_EXCLUSIVE);
		place = find_place(role);
		if (place == 0 && statistics->n < PLACES)
		{
			place = statistics->n++;
			statistics->keys[place].database = MyDatabaseId;
			statistics->keys[place].role = role;
		}
		LWLockRelease(statistics->lock);
	}
	last_role = role;
	return &statistics->counters[place];
}

void
gaussdp_count_charge(Oid role, GaussdpOutcome outcome, const instr_time *start)
{
	Counters *counters = counters_of(role);
	instr_time waited;
	size_t bucket = 0;

	pg_atomic_fetch_add_u64(&counters->outcomes[outcome], 1);
	if (outcome != GAUSSDP_OUTCOME_CHARGED)
		return;
	INSTR_TIME_SET_CURRENT(waited);
	INSTR_TIME_SUBTRACT(waited, *start);
	while (bucket < lengthof(latency_ends) && INSTR_TIME_GET_DOUBLE(waited) > latency_ends[bucket])
		bucket++;
	pg_atomic_fetch_add_u64(&counters->latency[bucket], 1);
	pg_atomic_fetch_add_u64(&counters->microseconds, INSTR_TIME_GET_MICROSEC(waited));
}

void
gaussdp_count_refusal(int rule)
{
	if (statistics != NULL)
		pg_atomic_fetch_add_u64(&counters_of(GetUserId())->rules[rule], 1);
}

/* ---------------------------------------------------------------------------
 * Showing
 * ---------------------------------------------------------------------------
 */

/* How many places are in use; all that is in them stays. */
static int
places_in_use(void)
{
	int n;

	if (statistics == NULL)
		return 0;
	LWLockAcquire(statistics->lock, LW_SHARED);
	n = statistics->n;
	LWLockRelease(statistics->lock);
	return n;
}

/* Is the place this database's, or the one of those who have none? */
static bool
is_shown(int place)
{
	return place == 0 || statistics->keys[place].database == MyDatabaseId;
}

static void
put(ReturnSetInfo *result, Datum *values, bool *isnull)
{
	tuplestore_putvalues(result->setResult, result->setDesc, values, isnull);
}

/* charge_outcomes(OUT role oid, OUT outcome text, OUT charges int8): all outcomes of each role of this database */
Datum
gaussdp_charge_outcomes(PG_FUNCTION_ARGS)
{
	int n = places_in_use();

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < n; i++)
		for (int j = 0; is_shown(i) && j < GAUSSDP_NOUTCOMES; j++)
		{
			uint64 charges = pg_atomic_read_u64(&statistics->counters[i].outcomes[j]);
			Datum values[] = {ObjectIdGetDatum(statistics->keys[i].role),
							  CStringGetTextDatum(outcome_names[j]),
							  Int64GetDatum((int64) charges)};
			bool isnull[] = {i == 0, false, false};

			if (i > 0 || charges > 0)
				put((ReturnSetInfo *) fcinfo->resultinfo, values, isnull);
		}
	return (Datum) 0;
}

/* Roles that have budgets on tables that $1 owns; 0: PUBLIC */
static const char owners_query[] =
	"SELECT DISTINCT a.role FROM gaussdp_internal.ledger_account AS a"
	" JOIN (gaussdp.protected_tables AS t JOIN pg_class AS c ON c.oid = t.\"table\""
	"       CROSS JOIN LATERAL gaussdp_internal.population_of(t.\"table\") AS p) ON p.people = a.people AND p.relation = a.relation"
	" WHERE a.holder = 'r' AND a.granted AND pg_has_role($1, c.relowner, 'USAGE')";

static List *
roles_at_tables_of(Oid owner)
{
	Oid types[] = {OIDOID};
	Datum values[] = {ObjectIdGetDatum(owner)};
	MemoryContext context = CurrentMemoryContext;
	GaussdpLedgerRights caller = gaussdp_enter_ledger();
	List *roles = NIL;

	gaussdp_ledger_run(owners_query, lengthof(types), types, values, NULL, true);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		bool isnull;
		Oid role = DatumGetObjectId(
			SPI_getbinval(SPI_tuptable->vals[i], SPI_tuptable->tupdesc, 1, &isnull));
		MemoryContext old = MemoryContextSwitchTo(context);

		roles = lappend_oid(roles, role);
		MemoryContextSwitchTo(old);
	}
	gaussdp_leave_ledger(caller);
	return roles;
}

/* May a role draw on the budget of one of these? */
static bool
draws_on(Oid role, List *budgets)
{
	ListCell *lc;

	foreach (lc, budgets)
		if (lfirst_oid(lc) == InvalidOid || has_privs_of_role(role, lfirst_oid(lc)))
			return true;
	return false;
}

/*
 * refusals(OUT role oid, OUT rule int4, OUT refusals int8): the rules by which roles of this database were refused
 *
 * All of them to pg_monitor.  To an owner, what the server lacked for roles that have budgets on his tables: it may be why one of them
 * has resource errors, and it may be that another one took it.
 */
Datum
gaussdp_refusals(PG_FUNCTION_ARGS)
{
	bool sees_all = has_privs_of_role(GetUserId(), ROLE_PG_MONITOR);
	List *budgets = sees_all ? NIL : roles_at_tables_of(GetUserId());
	int n = places_in_use();

	InitMaterializedSRF(fcinfo, 0);
	for (int i = sees_all ? 0 : 1; i < n; i++)
	{
		Oid role = statistics->keys[i].role;

		if (!is_shown(i) || !(sees_all || draws_on(role, budgets)))
			continue;
		for (int j = sees_all ? 0 : GAUSSDP_FIRST_LACK; j < GAUSSDP_NRULES; j++)
		{
			uint64 refusals = pg_atomic_read_u64(&statistics->counters[i].rules[j]);
			Datum values[] = {ObjectIdGetDatum(role), Int32GetDatum(j),
							  Int64GetDatum((int64) refusals)};
			bool isnull[] = {i == 0, false, false};

			if (refusals > 0)
				put((ReturnSetInfo *) fcinfo->resultinfo, values, isnull);
		}
	}
	return (Datum) 0;
}

/*
 * charge_latency(OUT within float8, OUT charges int8, OUT seconds float8): how many charges of this database took so
 * many seconds at most, and all of them together
 */
Datum
gaussdp_charge_latency(PG_FUNCTION_ARGS)
{
	int n = places_in_use();
	uint64 microseconds = 0;
	uint64 charges = 0;

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < n; i++)
		if (is_shown(i))
			microseconds += pg_atomic_read_u64(&statistics->counters[i].microseconds);
	for (size_t bucket = 0; n > 0 && bucket < NBUCKETS; bucket++)
	{
		bool is_last = bucket == lengthof(latency_ends);
		Datum values[3];
		bool isnull[] = {false, false, false};

		for (int i = 0; i < n; i++)
			if (is_shown(i))
				charges += pg_atomic_read_u64(&statistics->counters[i].latency[bucket]);
		values[0] = Float8GetDatum(is_last ? INFINITY : latency_ends[bucket]);
		values[1] = Int64GetDatum((int64) charges);
		values[2] = Float8GetDatum((double) microseconds / 1e6);
		put((ReturnSetInfo *) fcinfo->resultinfo, values, isnull);
	}
	return (Datum) 0;
}

/* NULL for a slot that holds no request. */
static const char *
state_name(GaussdpLedgerState state)
{
	switch (state)
	{
		case GAUSSDP_LEDGER_QUEUED:
			return "queued";
		case GAUSSDP_LEDGER_TAKEN:
			return "taken";
		case GAUSSDP_LEDGER_COMMITTING:
			return "committing";
		case GAUSSDP_LEDGER_DONE:
			return "answered";
		case GAUSSDP_LEDGER_FREE:
		case GAUSSDP_LEDGER_COUNTING:
			break;
	}
	return NULL;
}

/* ledger_sessions(OUT pid int4, OUT role oid, OUT state text, OUT waited float8): who waits for a charge in this database */
Datum
gaussdp_ledger_sessions(PG_FUNCTION_ARGS)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	int64 now = gaussdp_ledger_clock();

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; shared != NULL && i < shared->nslots; i++)
	{
		const GaussdpLedgerSlot *slot = &shared->slots[i];
		const char *state;
		Datum values[4];
		bool isnull[] = {false, false, false, false};

		/* One slot after the other: charges shall not wait for this. */
		LWLockAcquire(shared->lock, LW_SHARED);
		state = slot->database == MyDatabaseId ? state_name(slot->state) : NULL;
		values[0] = Int32GetDatum(slot->pid);
		values[1] = ObjectIdGetDatum(slot->charge->role);
		values[3] = Float8GetDatum((double) Max(now - slot->since, 0) / 1000);
		LWLockRelease(shared->lock);
		if (state == NULL)
			continue;
		values[2] = CStringGetTextDatum(state);
		put((ReturnSetInfo *) fcinfo->resultinfo, values, isnull);
	}
	return (Datum) 0;
}

/* ledger_worker(OUT pid int4, OUT started timestamptz): the worker of this database, if there is one now */
Datum
gaussdp_ledger_worker(PG_FUNCTION_ARGS)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	Datum values[2];
	bool isnull[] = {false, false};
	bool found = false;

	InitMaterializedSRF(fcinfo, 0);
	if (shared == NULL)
		return (Datum) 0;
	LWLockAcquire(shared->lock, LW_SHARED);
	for (int i = 0; i < shared->nworkers && !found; i++)
	{
		const GaussdpLedgerWorker *worker = &shared->workers[i];

		if (worker->database != MyDatabaseId || worker->latch == NULL)
			continue;
		found = true;
		values[0] = Int32GetDatum(worker->pid);
		values[1] = TimestampTzGetDatum(worker->started);
	}
	LWLockRelease(shared->lock);
	if (found)
		put((ReturnSetInfo *) fcinfo->resultinfo, values, isnull);
	return (Datum) 0;
}
