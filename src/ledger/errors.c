/*
 * errors.c
 *		Counts errors inside of private levels: the session's side, and the shared memory between.
 *
 * Whatever goes wrong inside of a level may depend on the rows, and an analyst sees that it went wrong.
 * Each such error tells one bit about them at most, so their number has to be limited.  Reads what charge.c has
 * remembered, hands counts to worker.c through queue.h, which writes them by suspension.c.
 *
 * Invariants
 *		Works where nothing else does: after an error, in a transaction that can only be rolled back.  So
 *		no catalog is read, nothing is allocated, and nothing is raised.
 *		The count is in shared memory before anything else happens: from there the worker writes it even if
 *		the session ends.
 *		Where an error cannot be counted, its role is blocked; where even that is impossible, all roles are.
 *		The outcomes of all levels of a role and population are decided one after the other, under the lock (decide()):
 *		of levels that run at the same time, no more errors are told apart from a suspension than are let pass.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "storage/proc.h"
#include "utils/memutils.h"

#include "crash.h"
#include "errors.h"
#include "ledger.h"
#include "pause.h"
#include "settings.h"

/* One for each relation that this session was charged for. */
static GaussdpLedgerTable *charged = NULL;
static int ncharged = 0;
static int charged_size = 0;

static GaussdpLedgerTable *
find_charged(Oid relid)
{
	for (int i = 0; i < ncharged; i++)
		if (charged[i].relid == relid)
			return &charged[i];
	return NULL;
}

void
gaussdp_remember_charged(const GaussdpLedgerTable *tables, int ntables)
{
	for (int i = 0; i < ntables; i++)
	{
		GaussdpLedgerTable *known = find_charged(tables[i].relid);

		if (known == NULL && charged == NULL)
		{
			charged_size = GAUSSDP_MAX_TABLES;
			charged =
				MemoryContextAlloc(TopMemoryContext, charged_size * sizeof(GaussdpLedgerTable));
		}
		else if (known == NULL && ncharged == charged_size)
		{
			charged = repalloc(charged, 2 * charged_size * sizeof(GaussdpLedgerTable));
			charged_size *= 2;
		}
		if (known == NULL)
			known = &charged[ncharged++];
		*known = tables[i];
	}
}

/*
 * The class of cancels, timeouts and terminated processes, parallel workers among them, which a role may terminate itself.
 * Such an error tells how long the level took, at least.  All other classes are errors, deadlocks too: a level has all its
 * locks before its first row.
 */
static GaussdpErrorKind
kind_of(int sqlerrcode)
{
	return ERRCODE_TO_CATEGORY(sqlerrcode) == ERRCODE_TO_CATEGORY(ERRCODE_OPERATOR_INTERVENTION)
			   ? GAUSSDP_CANCEL
			   : GAUSSDP_ERROR;
}

/* How many of a kind the settings of this session let pass. */
static int
limit_of(GaussdpErrorKind kind)
{
	switch (kind)
	{
		case GAUSSDP_CANCEL:
			return gaussdp_max_private_cancels;
		case GAUSSDP_RESOURCE_ERROR:
			return gaussdp_max_resource_errors;
		default:
			return gaussdp_max_private_errors;
	}
}

void
gaussdp_take_limits(int *limits)
{
	for (int kind = 0; kind < GAUSSDP_NKINDS; kind++)
		limits[kind] = limit_of(kind);
}

static void
lower_limits(GaussdpLedgerErrors *entry, const int *limits)
{
	for (int kind = 0; kind < GAUSSDP_NKINDS; kind++)
		entry->limits[kind] = Min(entry->limits[kind], limits[kind]);
}

/* ---------------------------------------------------------------------------
 * Shared memory, with the lock held
 * ---------------------------------------------------------------------------
 */

bool
gaussdp_is_blocked(Oid role)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;

	for (int i = 0; i < shared->nblocked; i++)
		if (shared->blocked[i].database == MyDatabaseId && shared->blocked[i].role == role)
			return true;
	return shared->all_blocked;
}

static void
block(Oid role)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;

	if (gaussdp_is_blocked(role))
		return;
	if (shared->nblocked == GAUSSDP_LEDGER_MAX_BLOCKED)
		shared->all_blocked = true;
	else
		shared->blocked[shared->nblocked++] =
			(GaussdpLedgerBlocked){.database = MyDatabaseId, .role = role};
}

/* The entry of a role and a population, or a new one; NULL if there is no room. */
static GaussdpLedgerErrors *
find_entry(Oid database, Oid role, const GaussdpLedgerTable *table)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	GaussdpLedgerErrors *unused = NULL;

	for (int i = 0; i < shared->nerrors; i++)
	{
		GaussdpLedgerErrors *entry = &shared->errors[i];

		if (entry->database == InvalidOid)
			unused = unused ? unused : entry;
		else if (entry->database == database && entry->role == role &&
				 gaussdp_same_population(&entry->table.population, &table->population))
			return entry;
	}
	if (unused == NULL)
		return NULL;
	memset(unused, 0, sizeof(*unused));
	unused->database = database;
	unused->role = role;
	for (int kind = 0; kind < GAUSSDP_NKINDS; kind++)
		unused->limits[kind] = INT_MAX;
	shared->nunwritten++;
	return unused;
}

/*
 * Has the role of the level that runs here been suspended meanwhile?  Such a level leaves the same traces whatever it ends with: an
 * error that was written would show in the log of transactions, and in the worker that comes for it.
 */
static bool
is_stopped(void)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	int index = (int) (MyProc - ProcGlobal->allProcs);

	return index >= 0 && index < shared->nslots && shared->slots[index].is_running &&
		   shared->slots[index].is_stopped;
}

/* Do the errors that wait to be written suspend the role by themselves?  No more are added to them then. */
static bool
suspends(const GaussdpLedgerErrors *entry, GaussdpErrorKind kind)
{
	return entry->counts[kind] > entry->limits[kind];
}

/* Puts one error about these relations into shared memory. */
static void
add_error(Oid role, const Oid *relations, int nrelations, GaussdpErrorKind kind, uint64 query_id)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	int limits[GAUSSDP_NKINDS];

	gaussdp_take_limits(limits);
	if (nrelations < 1)
		block(role);
	for (int i = 0; i < nrelations; i++)
	{
		const GaussdpLedgerTable *table = find_charged(relations[i]);
		GaussdpLedgerErrors *entry = table ? find_entry(MyDatabaseId, role, table) : NULL;

		if (entry == NULL)
		{
			block(role);
			continue;
		}
		if (entry->last == shared->next_number)
			continue; /* another relation about the same people */
		if (suspends(entry, kind))
			continue;
		entry->session_role = GetSessionUserId();
		entry->query_id = query_id;
		entry->table = *table;
		entry->counts[kind]++;
		lower_limits(entry, limits);
		entry->last = shared->next_number;
	}
	shared->next_number++;
}

bool
gaussdp_has_unwritten(Oid role)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;

	for (int i = 0; shared->nunwritten > 0 && i < shared->nerrors; i++)
		if (shared->errors[i].database == MyDatabaseId &&
			(shared->errors[i].role == role || !OidIsValid(role)))
			return true;
	return false;
}

/* Is a level that was charged so one of that role about these people?  What is charged later has not run. */
static bool
is_about(const GaussdpCharge *charge, Oid role, const GaussdpPopulation *population)
{
	for (int i = 0; charge->role == role && i < charge->nreleases; i++)
	{
		int t = gaussdp_table_of_charge(charge, charge->releases[i].relid);

		if (t < 0 || gaussdp_same_population(&charge->tables[t].population, population))
			return true;
	}
	return false;
}

static void
stop_running(Oid role, const GaussdpPopulation *population)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;

	for (int i = 0; i < shared->nslots; i++)
	{
		GaussdpLedgerSlot *slot = &shared->slots[i];

		if (slot->is_running && slot->database == MyDatabaseId &&
			is_about(slot->charge, role, population))
			slot->is_stopped = true;
	}
}

/* ---------------------------------------------------------------------------
 * The session
 * ---------------------------------------------------------------------------
 */

/* The relations of the level that runs in this slot, for a session that ends with it. */
static int
running_relations(const GaussdpCharge *charge, Oid *relations)
{
	int n = 0;

	for (int t = 0; t < charge->ntables; t++)
		if (is_about(charge, charge->role, &charge->tables[t].population))
			relations[n++] = charge->tables[t].relid;
	return n;
}

/*
 * A session that is terminated while a level runs is counted as a cancel: it tells as much.  Nothing is waited for, the
 * worker counts without it.
 */
static void
count_at_exit(int code, Datum datum)
{
	GaussdpLedgerSlot *slot = (GaussdpLedgerSlot *) DatumGetPointer(datum);
	Oid relations[GAUSSDP_MAX_TABLES];
	Latch *worker = NULL;

	LWLockReleaseAll();
	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	if (slot->is_running && !slot->is_stopped && slot->state == GAUSSDP_LEDGER_FREE)
	{
		int n = running_relations(slot->charge, relations);

		add_error(slot->charge->role, relations, n, GAUSSDP_CANCEL, slot->charge->query_id);
		(void) gaussdp_find_worker(&worker);
	}
	slot->is_running = false;
	LWLockRelease(gaussdp_ledger_shared->lock);
	if (worker != NULL)
		SetLatch(worker);
}

void
gaussdp_begin_running(GaussdpLedgerSlot *slot)
{
	slot->is_running = true;
	slot->is_stopped = slot->is_paused = false;
}

void
gaussdp_stop_all_levels(void)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;

	if (shared == NULL)
		return;
	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	for (int i = 0; i < shared->nslots; i++)
	{
		GaussdpLedgerSlot *slot = &shared->slots[i];

		if (slot->is_running && slot->database == MyDatabaseId)
			slot->is_stopped = slot->is_paused = true;
	}
	LWLockRelease(shared->lock);
}

void
gaussdp_count_at_exit(GaussdpLedgerSlot *slot)
{
	static bool is_registered = false;

	if (!is_registered)
		before_shmem_exit(count_at_exit, PointerGetDatum(slot));
	is_registered = true;
}

/*
 * What becomes of the level in this slot: true if its answer, or its error, may be told, or if it may go on.  As long as an error
 * of its role is not written, nobody knows whether the role is suspended.  A session that is terminated does not wait: the
 * worker counts without it.
 */
static bool
decide(GaussdpLedgerSlot *slot, Oid role, bool goes_on)
{
	int64 deadline = gaussdp_ledger_clock() + gaussdp_charge_timeout;

	for (;;)
	{
		int64 left = deadline - gaussdp_ledger_clock();
		Latch *worker = NULL;
		bool undecided;
		bool waits;
		bool may_tell;

		LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
		undecided = gaussdp_has_unwritten(role);
		waits = undecided && left > 0 && !ProcDiePending;
		may_tell = !undecided && slot->is_running && !slot->is_stopped && !gaussdp_is_blocked(role);
		slot->is_running &= waits || (goes_on && may_tell);
		slot->state = waits ? GAUSSDP_LEDGER_COUNTING : GAUSSDP_LEDGER_FREE;
		slot->number = gaussdp_ledger_shared->next_number++;
		slot->database = MyDatabaseId;
		slot->latch = MyLatch;
		if (undecided)
			(void) gaussdp_find_worker(&worker);
		LWLockRelease(gaussdp_ledger_shared->lock);
		if (worker != NULL)
			SetLatch(worker);
		if (!undecided && !slot->is_running)
			gaussdp_note_ended();
		if (!waits)
			return may_tell;

		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) Min(left, 100), gaussdp_charge_wait_event());
		ResetLatch(MyLatch);
	}
}

/* As decide(), but an error only keeps the outcome from being told. */
static bool
decide_safely(Oid role, bool goes_on)
{
	MemoryContext context = CurrentMemoryContext;
	uint32 holdoff = InterruptHoldoffCount;
	volatile bool may_tell = false;

	HOLD_INTERRUPTS();
	PG_TRY();
	{
		may_tell = decide(gaussdp_ledger_slot(), role, goes_on);
	}
	PG_CATCH();
	{
		/*
		 * An error was counted before, and the role's next charge waits until the worker has written it.  Raising an
		 * error has reset the hold on interrupts.
		 */
		InterruptHoldoffCount = holdoff + 1;
		LWLockReleaseAll();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	RESUME_INTERRUPTS();
	return may_tell;
}

bool
gaussdp_may_release(void)
{
	return decide_safely(gaussdp_ledger_slot()->charge->role, false);
}

/* goes_on: the level will run again. */
static bool
count(Oid role, const Oid *relations, int nrelations, GaussdpErrorKind kind, uint64 query_id,
	  bool goes_on)
{
	bool may_tell;

	if (gaussdp_ledger_shared == NULL || IsParallelWorker())
		return true;
	HOLD_INTERRUPTS();

	/* The error may have left locks held: PostgreSQL releases them only when the transaction ends. */
	LWLockReleaseAll();
	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	if (!is_stopped())
		add_error(role, relations, nrelations, kind, query_id);
	LWLockRelease(gaussdp_ledger_shared->lock);
	may_tell = decide_safely(role, goes_on);
	RESUME_INTERRUPTS();
	return may_tell;
}

bool
gaussdp_count_private_error(Oid role, const Oid *relations, int nrelations, int sqlerrcode,
							uint64 query_id)
{
	return count(role, relations, nrelations, kind_of(sqlerrcode), query_id, false);
}

bool
gaussdp_count_resource_error(Oid role, Oid relation, uint64 query_id)
{
	return count(role, &relation, 1, GAUSSDP_RESOURCE_ERROR, query_id, true);
}

void
gaussdp_raise_suspended(void)
{
	if (gaussdp_ledger_slot()->is_paused)
		ereport(ERROR, (errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg(GAUSSDP_PAUSED),
						errdetail("What this query costs has been charged."),
						errhint(GAUSSDP_PAUSED_HINT)));
	ereport(
		ERROR,
		(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
		 errmsg("the privacy budget of this role is suspended"),
		 errdetail(
			 "A private query of this role has ended with an error, was cancelled, or lacked resources, once too "
			 "often, or could not be counted in time. What this query costs has been charged."),
		 errhint(
			 "Who may grant budgets on the table finds the error's SQLSTATE in the server's log, and can "
			 "call gaussdp.resume_budget().")));
}

/* ---------------------------------------------------------------------------
 * The start of the server
 * ---------------------------------------------------------------------------
 */

void
gaussdp_add_crash(const GaussdpLedgerErrors *errors)
{
	GaussdpLedgerErrors *entry = find_entry(errors->database, errors->role, &errors->table);

	if (entry == NULL)
	{
		gaussdp_ledger_shared->all_blocked = true;
		return;
	}
	entry->session_role = errors->session_role;
	entry->query_id = errors->query_id;
	entry->table = errors->table;
	entry->counts[GAUSSDP_RESOURCE_ERROR] = 1;
	lower_limits(entry, errors->limits);
}

/* ---------------------------------------------------------------------------
 * The worker
 * ---------------------------------------------------------------------------
 */

bool
gaussdp_next_errors(int *at, GaussdpLedgerErrors *errors)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	bool found = false;

	LWLockAcquire(shared->lock, LW_SHARED);
	for (int i = *at; shared->nunwritten > 0 && i < shared->nerrors && !found; i++)
	{
		if (shared->errors[i].database != MyDatabaseId)
			continue;
		*errors = shared->errors[i];
		*at = i;
		found = true;
	}
	LWLockRelease(shared->lock);
	return found;
}

void
gaussdp_errors_written(int at, const GaussdpLedgerErrors *errors, bool suspended)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	GaussdpLedgerErrors *entry = &shared->errors[at];
	bool is_empty = true;

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	if (suspended)
		stop_running(errors->role, &errors->table.population);
	for (int kind = 0; kind < GAUSSDP_NKINDS; kind++)
	{
		entry->counts[kind] -= errors->counts[kind];
		is_empty &= entry->counts[kind] == 0;
	}
	if (is_empty)
	{
		entry->database = InvalidOid;
		shared->nunwritten--;
		gaussdp_note_counted(at);
	}
	for (int i = 0; i < shared->nslots; i++)
		if (shared->slots[i].state == GAUSSDP_LEDGER_COUNTING &&
			shared->slots[i].database == MyDatabaseId)
			SetLatch(shared->slots[i].latch);
	LWLockRelease(shared->lock);
}
