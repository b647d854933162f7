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
 */
#include "postgres.h"

#include "access/parallel.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/memutils.h"

#include "errors.h"
#include "ledger.h"
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

/* The classes of errors that rows do not cause: transaction rollback, operator intervention. */
static bool
is_innocent(int sqlerrcode)
{
	int category = ERRCODE_TO_CATEGORY(sqlerrcode);

	return category == ERRCODE_TO_CATEGORY(ERRCODE_TRANSACTION_ROLLBACK) ||
		   category == ERRCODE_TO_CATEGORY(ERRCODE_OPERATOR_INTERVENTION);
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
find_entry(Oid role, const GaussdpLedgerTable *table)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	GaussdpLedgerErrors *unused = NULL;

	for (int i = 0; i < shared->nerrors; i++)
	{
		GaussdpLedgerErrors *entry = &shared->errors[i];

		if (entry->database == InvalidOid)
			unused = unused ? unused : entry;
		else if (entry->database == MyDatabaseId && entry->role == role &&
				 gaussdp_same_population(&entry->table.population, &table->population))
			return entry;
	}
	if (unused == NULL)
		return NULL;
	memset(unused, 0, sizeof(*unused));
	unused->database = MyDatabaseId;
	unused->role = role;
	unused->limit = INT_MAX;
	unused->written = shared->next_number - 1;
	shared->nunwritten++;
	return unused;
}

/* Puts one error about these relations into shared memory; returns its number. */
static uint64
add_error(Oid role, const Oid *relations, int nrelations, uint64 query_id)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;

	if (nrelations < 1)
		block(role);
	for (int i = 0; i < nrelations; i++)
	{
		const GaussdpLedgerTable *table = find_charged(relations[i]);
		GaussdpLedgerErrors *entry = table ? find_entry(role, table) : NULL;

		if (entry == NULL)
		{
			block(role);
			continue;
		}
		if (entry->last == shared->next_number)
			continue; /* another relation about the same people */
		entry->session_role = GetSessionUserId();
		entry->query_id = query_id;
		entry->table = *table;
		entry->count++;
		entry->limit = Min(entry->limit, gaussdp_max_private_errors);
		entry->last = shared->next_number;
	}
	return shared->next_number++;
}

/* Is there an error of that role (InvalidOid: any), up to that number, that is not written yet? */
static bool
is_unwritten(Oid role, uint64 number)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;

	for (int i = 0; shared->nunwritten > 0 && i < shared->nerrors; i++)
		if (shared->errors[i].database == MyDatabaseId && shared->errors[i].written < number &&
			(shared->errors[i].role == role || !OidIsValid(role)))
			return true;
	return false;
}

bool
gaussdp_has_unwritten(Oid role)
{
	return is_unwritten(role, PG_UINT64_MAX);
}

/* ---------------------------------------------------------------------------
 * The session
 * ---------------------------------------------------------------------------
 */

/* Counts and sees to it that there is a worker, which then does its work whatever becomes of this session. */
static uint64
count_first(Oid role, const Oid *relations, int nrelations, uint64 query_id)
{
	Latch *worker = NULL;
	uint64 number;

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	number = add_error(role, relations, nrelations, query_id);
	(void) gaussdp_find_worker(&worker);
	LWLockRelease(gaussdp_ledger_shared->lock);
	if (worker != NULL)
		SetLatch(worker);
	return number;
}

/* A session that is terminated does not wait: the worker counts without it. */
static void
wait_until_written(GaussdpLedgerSlot *slot, Oid role, uint64 number)
{
	int64 deadline = gaussdp_ledger_clock() + gaussdp_charge_timeout;

	for (;;)
	{
		int64 left = deadline - gaussdp_ledger_clock();
		Latch *worker = NULL;
		bool waits;

		LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
		waits = is_unwritten(role, number) && left > 0 && !ProcDiePending;
		slot->state = waits ? GAUSSDP_LEDGER_COUNTING : GAUSSDP_LEDGER_FREE;
		slot->number = gaussdp_ledger_shared->next_number++;
		slot->database = MyDatabaseId;
		slot->latch = MyLatch;
		if (waits)
			(void) gaussdp_find_worker(&worker);
		LWLockRelease(gaussdp_ledger_shared->lock);
		if (!waits)
			return;
		if (worker != NULL)
			SetLatch(worker);

		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) Min(left, 100), gaussdp_charge_wait_event());
		ResetLatch(MyLatch);
	}
}

void
gaussdp_count_private_error(Oid role, const Oid *relations, int nrelations, int sqlerrcode,
							uint64 query_id)
{
	MemoryContext context = CurrentMemoryContext;
	uint32 holdoff = InterruptHoldoffCount;

	if (is_innocent(sqlerrcode) || gaussdp_ledger_shared == NULL || IsParallelWorker())
		return;
	HOLD_INTERRUPTS();

	/* The error may have left locks held: PostgreSQL releases them only when the transaction ends. */
	LWLockReleaseAll();
	PG_TRY();
	{
		uint64 number = count_first(role, relations, nrelations, query_id);

		wait_until_written(gaussdp_ledger_slot(), role, number);
	}
	PG_CATCH();
	{
		/*
		 * The error is counted already: the role's next charge waits until the worker has written it.  Raising an
		 * error has reset the hold on interrupts.
		 */
		InterruptHoldoffCount = holdoff + 1;
		LWLockReleaseAll();
		MemoryContextSwitchTo(context);
		FlushErrorState();
	}
	PG_END_TRY();
	RESUME_INTERRUPTS();
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
gaussdp_errors_written(int at, const GaussdpLedgerErrors *errors)
{
	GaussdpLedgerShared *shared = gaussdp_ledger_shared;
	GaussdpLedgerErrors *entry = &shared->errors[at];

	LWLockAcquire(shared->lock, LW_EXCLUSIVE);
	entry->count -= errors->count;
	entry->written = errors->last;
	if (entry->count == 0)
	{
		entry->database = InvalidOid;
		shared->nunwritten--;
	}
	for (int i = 0; i < shared->nslots; i++)
		if (shared->slots[i].state == GAUSSDP_LEDGER_COUNTING &&
			shared->slots[i].database == MyDatabaseId)
			SetLatch(shared->slots[i].latch);
	LWLockRelease(shared->lock);
}
