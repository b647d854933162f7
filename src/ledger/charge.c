/*
 * charge.c
 *		The session's side of a charge: it asks, waits, and says which of three outcomes it was (charged, not
 *		charged, unknown).
 *
 * Reads populations from declaration/, hands requests to worker.c through queue.h, which says what
 * leaving a slot means in each state.
 */
#include "postgres.h"

#include <math.h>

#include "access/parallel.h"
#include "access/xact.h"
#include "access/xlog.h"
#include "mb/pg_wchar.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "storage/ipc.h"
#include "utils/lsyscache.h"
#include "utils/memutils.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "core/core.h"
#include "declaration/population.h"
#include "charged_roles.h"
#include "crash.h"
#include "errors.h"
#include "queue.h"
#include "settings.h"
#include "version.h"

#define CHARGED_DETAIL "What it costs has been charged."

/* ---------------------------------------------------------------------------
 * A cancel tells what was charged
 * ---------------------------------------------------------------------------
 */

/* When the client's statement began that was charged last; and whether a charge is being made, which tells more itself. */
static TimestampTz charged_statement = 0;
static bool is_charging = false;

/* Has a charge of this session left less than a fifth of a budget? */
static bool is_low = false;
static instr_time charging_since;

static bool
is_charged_already(void)
{
	return charged_statement == GetCurrentStatementStartTimestamp();
}

static void
note_charge(void)
{
	charged_statement = GetCurrentStatementStartTimestamp();
}

/* An error context: a cancel or timeout, wherever it comes, of a statement that was charged. */
static void
tell_of_charge(void *arg)
{
	if (ERRCODE_TO_CATEGORY(geterrcode()) == ERRCODE_TO_CATEGORY(ERRCODE_OPERATOR_INTERVENTION) &&
		is_charged_already() && !is_charging)
		errdetail(CHARGED_DETAIL);
}

void
gaussdp_watch_cancels(void)
{
	static ErrorContextCallback lowest = {.callback = tell_of_charge};
	ErrorContextCallback **last = &error_context_stack;

	while (*last != NULL && *last != &lowest)
		last = &(*last)->previous;
	*last = &lowest;
}

static const char *
outcome_detail(GaussdpLedgerOutcome outcome)
{
	if (outcome == GAUSSDP_LEDGER_UNKNOWN)
		return "Nothing was released. Whether the charge was committed is not known here: count it as spent, gaussdp.journal will tell.";
	if (outcome == GAUSSDP_LEDGER_CHARGED)
		return CHARGED_DETAIL;
	return "Nothing was charged and nothing was released.";
}

#define CHARGED_BEFORE_DETAIL                                                                      \
	"What the statement's earlier private queries cost has been charged, nothing for this one."

const char *
gaussdp_nothing_charged(void)
{
	return is_charged_already() ? CHARGED_BEFORE_DETAIL : "Nothing was read or charged.";
}

/* Its statement may have been charged for others before. */
static const char *
detail_of(GaussdpLedgerOutcome outcome)
{
	if (outcome == GAUSSDP_LEDGER_NOT_CHARGED && is_charged_already())
		return CHARGED_BEFORE_DETAIL;
	return outcome_detail(outcome);
}

/* ---------------------------------------------------------------------------
 * Leaving the queue
 * ---------------------------------------------------------------------------
 */

static bool
is_committing(const GaussdpLedgerSlot *slot)
{
	bool result;

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_SHARED);
	result = slot->state == GAUSSDP_LEDGER_COMMITTING;
	LWLockRelease(gaussdp_ledger_shared->lock);
	return result;
}

/* A commit that waits for no standby is over in a few milliseconds, so that its end is awaited: interrupts are held. */
static void
await_commit(const GaussdpLedgerSlot *slot)
{
	int64 deadline = gaussdp_ledger_clock() + gaussdp_charge_timeout;

	while (!gaussdp_awaits_standby() && is_committing(slot) && gaussdp_ledger_clock() < deadline)
	{
		if (WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_POSTMASTER_DEATH, 10L,
					  gaussdp_charge_wait_event()) &
			WL_POSTMASTER_DEATH)
			return;
		ResetLatch(MyLatch);
	}
}

/* Takes a request back, as it is cancelled, and counts what that was.  The level does not run. */
static GaussdpLedgerOutcome
withdraw(GaussdpLedgerSlot *slot)
{
	GaussdpLedgerOutcome outcome;
	GaussdpOutcome counted = GAUSSDP_OUTCOME_CANCELLED;

	HOLD_INTERRUPTS();
	await_commit(slot);
	outcome = gaussdp_leave_slot(slot);
	slot->is_running = false;
	gaussdp_note_ended();
	RESUME_INTERRUPTS();
	if (outcome == GAUSSDP_LEDGER_CHARGED)
		counted = GAUSSDP_OUTCOME_CHARGED;
	else if (outcome == GAUSSDP_LEDGER_UNKNOWN)
		counted = GAUSSDP_OUTCOME_UNKNOWN;
	gaussdp_count_charge(slot->charge->role, counted, &charging_since);
	return outcome;
}

static void
leave_at_exit(int code, Datum datum)
{
	GaussdpLedgerSlot *slot = (GaussdpLedgerSlot *) DatumGetPointer(datum);

	if (slot->state != GAUSSDP_LEDGER_FREE)
		(void) withdraw(slot);
}

/* ---------------------------------------------------------------------------
 * What is asked for
 * ---------------------------------------------------------------------------
 */

static GaussdpPublishing publishing;

GaussdpPublishing
gaussdp_set_publishing(GaussdpPublishing now)
{
	GaussdpPublishing before = publishing;

	publishing = now;
	return before;
}

GaussdpPublishing
gaussdp_publishing(void)
{
	return publishing;
}

/* A refresh that was charged and has not come to its end, again and again, would spend a budget on nothing. */
static void
refuse_second_charge(void)
{
	if (publishing.is_paid)
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("publication \"%s\" was charged, and is not charged again before it is due",
						get_rel_name(publishing.relation)),
				 errdetail("Nothing was charged and nothing was released."),
				 errhint("gaussdp.refresh() charges it now.")));
}

/* The number of a table among those of the charge, to which it is added. */
static int
add_table(GaussdpCharge *charge, Oid relid)
{
	int known = gaussdp_table_of_charge(charge, relid);
	GaussdpLedgerTable *table = &charge->tables[charge->ntables];

	if (known >= 0)
		return known;
	if (charge->ntables == GAUSSDP_MAX_TABLES)
		ereport(ERROR, (errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
						errmsg("a query may read at most %d protected tables", GAUSSDP_MAX_TABLES),
						errdetail("Nothing was charged and nothing was released.")));
	table->relid = relid;
	if (!gaussdp_population(relid, &table->population))
		elog(ERROR, "relation %u is not protected", relid);
	return charge->ntables++;
}

static void
check_release(const GaussdpRelease *release)
{
	if (!(release->l2_sensitivity > 0 && isfinite(release->l2_sensitivity) && release->sigma > 0 &&
		  isfinite(release->sigma) && release->mu2 > 0 && release->threshold_delta >= 0))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("a release without a finite, positive cost cannot be charged"),
						errdetail("Nothing was charged and nothing was released.")));
}

/* Releases that are to be charged now. */
static void
add_releases(GaussdpCharge *charge, const GaussdpRelease *releases, int nreleases)
{
	for (int i = 0; i < nreleases; i++)
	{
		check_release(&releases[i]);
		(void) add_table(charge, releases[i].relid);
		charge->releases[i] = releases[i];
	}
	charge->nreleases = nreleases;
}

/* What the statement costs beside them: only sums matter, table by table. */
static void
add_rest(GaussdpCharge *charge, const GaussdpRelease *later, int nlater,
		 const GaussdpStatement *statement)
{
	for (int i = 0; i < nlater; i++)
	{
		GaussdpLedgerRest *rest;

		check_release(&later[i]);
		rest = &charge->rest[add_table(charge, later[i].relid)];
		rest->later_mu2 = gdp_spent_add(rest->later_mu2, later[i].mu2);
		rest->later_delta = gdp_spent_add(rest->later_delta, later[i].threshold_delta);
		if (rest->later_releases++ == 0 || later[i].mu2 < rest->later_least)
			rest->later_least = later[i].mu2;
	}
	for (int i = 0; i < statement->ntables; i++)
		charge->rest[add_table(charge, statement->tables[i].relid)].before_mu2 =
			statement->tables[i].mu2;
}

/* With room for so many releases. */
static GaussdpCharge *
make_charge(Oid role, int nreleases, uint64 query_id, const char *query_text)
{
	GaussdpCharge *charge =
		palloc0(offsetof(GaussdpCharge, releases) + nreleases * sizeof(GaussdpRelease));

	charge->publication = publishing.relation;
	charge->role = role;
	charge->session_role = GetSessionUserId();
	charge->query_id = query_id;
	if (gaussdp_journal_query_text && query_text != NULL)
	{
		int length = pg_mbcliplen(query_text, strlen(query_text), GAUSSDP_LEDGER_TEXT_SIZE - 1);

		memcpy(charge->text, query_text, length);
	}
	return charge;
}

/* All of the statement's tables are among those of what was charged. */
static void
add_to_statement(GaussdpStatement *statement, const GaussdpCharge *charge)
{
	statement->nreleases += charge->nreleases;
	statement->ntables = charge->ntables;
	for (int t = 0; t < charge->ntables; t++)
	{
		int64 mu2 = charge->rest[t].before_mu2;

		for (int i = 0; i < charge->nreleases; i++)
			if (charge->releases[i].relid == charge->tables[t].relid)
				mu2 = gdp_spent_add(mu2, charge->releases[i].mu2);
		statement->tables[t].relid = charge->tables[t].relid;
		statement->tables[t].mu2 = mu2;
	}
}

/* False: errors of the role could not be counted, so that it is charged nothing more. */
static bool
enqueue(GaussdpLedgerSlot *slot, const GaussdpCharge *charge)
{
	Latch *worker = NULL;
	bool blocked;

	LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
	blocked = gaussdp_is_blocked(charge->role);
	if (!blocked)
	{
		/* First, since it may fail. */
		(void) gaussdp_find_worker(&worker);
		memcpy(slot->charge, charge, gaussdp_size_of_charge(charge));
		slot->state = GAUSSDP_LEDGER_QUEUED;
		slot->number = gaussdp_ledger_shared->next_number++;
		slot->database = MyDatabaseId;
		slot->latch = MyLatch;
		slot->pid = MyProcPid;
		slot->since = gaussdp_ledger_clock();
		slot->sqlstate = 0;
		slot->message[0] = '\0';
		gaussdp_begin_running(slot);
	}
	LWLockRelease(gaussdp_ledger_shared->lock);
	if (worker != NULL)
		SetLatch(worker);
	return !blocked;
}

/* As CHECK_FOR_INTERRUPTS, but a session that is terminated is told in its last message what it was charged. */
static void
check_interrupts(GaussdpLedgerSlot *slot)
{
	if (ProcDiePending)
		ereport(FATAL, (errcode(ERRCODE_ADMIN_SHUTDOWN),
						errmsg("terminating connection due to administrator command"),
						errdetail_internal("%s", detail_of(withdraw(slot)))));
	if (gaussdp_transaction_is_timed_out())
		ereport(FATAL, (errcode(MAKE_SQLSTATE('2', '5', 'P', '0', '4')),
						errmsg("terminating connection due to transaction timeout"),
						errdetail_internal("%s", detail_of(withdraw(slot)))));
	CHECK_FOR_INTERRUPTS();
}

/*
 * Waits until the request is DONE, and leaves the queue; the answer stays in the slot.  False when the time is up, and
 * *has_worker tells why.  Each turn takes the lock once: that of all sessions and of the worker.
 */
static bool
wait_for_worker(GaussdpLedgerSlot *slot, bool *has_worker)
{
	int64 deadline = gaussdp_ledger_clock() + gaussdp_take_time_left();
	int64 left;

	do
	{
		Latch *worker = NULL; /* stays valid: latches are never freed */
		Latch *others[2];
		bool done;

		left = Max(deadline - gaussdp_ledger_clock(), 0);
		(void) WaitLatch(MyLatch, WL_LATCH_SET | WL_TIMEOUT | WL_EXIT_ON_PM_DEATH,
						 (long) Min(left, 100), gaussdp_charge_wait_event());
		ResetLatch(MyLatch);

		LWLockAcquire(gaussdp_ledger_shared->lock, LW_EXCLUSIVE);
		done = slot->state == GAUSSDP_LEDGER_DONE;
		if (done)
		{
			if (slot->sqlstate == 0)
				note_charge(); /* before the lock is released: no interrupt comes between */
			else
				slot->is_running = false;
			gaussdp_free_slot(slot, others);
		}
		else
			*has_worker = gaussdp_find_worker(&worker);
		LWLockRelease(gaussdp_ledger_shared->lock);
		if (done)
		{
			gaussdp_wake(others);
			return true;
		}
		if (worker != NULL)
			SetLatch(worker);
		check_interrupts(slot);
	} while (left > 0);
	return false;
}

/* A cancel or timeout has broken off the wait: raises it again, with what became of the charge. */
static void
rethrow_with_outcome(GaussdpLedgerSlot *slot, MemoryContext context)
{
	ErrorData *error;
	GaussdpLedgerOutcome outcome = withdraw(slot);

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	if (error->detail == NULL)
		error->detail = pstrdup(detail_of(outcome));
	if (outcome == GAUSSDP_LEDGER_CHARGED)
		note_charge();
	is_charging = false;
	ReThrowError(error);
}

static void
report_timeout(GaussdpLedgerOutcome outcome, bool has_worker)
{
	int sqlstate = ERRCODE_LOCK_NOT_AVAILABLE;

	if (outcome == GAUSSDP_LEDGER_UNKNOWN)
		sqlstate = ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN;
	else if (!has_worker)
		sqlstate = ERRCODE_INSUFFICIENT_RESOURCES;
	ereport(
		ERROR,
		(errcode(sqlstate),
		 errmsg("could not charge the privacy budget within %d ms", gaussdp_charge_timeout),
		 errdetail_internal("%s", detail_of(outcome)),
		 outcome == GAUSSDP_LEDGER_UNKNOWN ? errhint("Is a synchronous standby missing?")
		 : has_worker
			 ? errhint(
				   "This or another transaction may hold a lock on the budget, or a synchronous standby may be missing.")
			 : errhint(
				   "No background worker could be started; you might need to increase max_worker_processes.")));
}

/* The time is up: an error, unless the answer has come in the meantime. */
static void
leave_late(GaussdpLedgerSlot *slot, bool has_worker)
{
	GaussdpLedgerOutcome outcome = gaussdp_leave_slot(slot);

	if (outcome == GAUSSDP_LEDGER_CHARGED)
	{
		note_charge();
		return;
	}
	gaussdp_note_ended();
	gaussdp_count_charge(slot->charge->role,
						 outcome == GAUSSDP_LEDGER_UNKNOWN ? GAUSSDP_OUTCOME_UNKNOWN
														   : GAUSSDP_OUTCOME_TIMED_OUT,
						 NULL);
	report_timeout(outcome, has_worker);
}

/* Why the worker has refused. */
static void
report_refusal(const GaussdpLedgerSlot *slot)
{
	GaussdpLedgerOutcome outcome = slot->sqlstate == ERRCODE_TRANSACTION_RESOLUTION_UNKNOWN
									   ? GAUSSDP_LEDGER_UNKNOWN
									   : GAUSSDP_LEDGER_NOT_CHARGED;

	if (slot->outcome == GAUSSDP_OUTCOME_SUSPENDED)
		ereport(
			ERROR,
			(errcode(slot->sqlstate), errmsg_internal("%s", slot->message),
			 errdetail(
				 "Too many private queries of this role ended with an error. Nothing was charged and nothing was released."),
			 errhint("Who may grant budgets on the table can call gaussdp.resume_budget().")));
	ereport(ERROR, (errcode(slot->sqlstate), errmsg_internal("%s", slot->message),
					errdetail_internal("%s%s%s", slot->detail, slot->detail[0] == '\0' ? "" : " ",
									   detail_of(outcome)),
					slot->hint[0] == '\0' ? 0 : errhint("%s", slot->hint)));
}

static void
check_server(void)
{
	if (IsParallelWorker())
		elog(ERROR, "a parallel worker may not charge a privacy budget");
	if (gaussdp_ledger_shared == NULL)
		ereport(ERROR, (errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
						errmsg("gaussdp must be loaded at server start to charge a privacy budget"),
						errdetail("Nothing was charged and nothing was released."),
						errhint(GAUSSDP_LOAD_HINT)));
	if (RecoveryInProgress())
		ereport(ERROR, (errcode(ERRCODE_READ_ONLY_SQL_TRANSACTION),
						errmsg("cannot charge a privacy budget during recovery"),
						errdetail("Nothing was charged and nothing was released."),
						errhint("Ask the primary server.")));
	gaussdp_check_version("Nothing was charged and nothing was released.");
}

/* In 64 bits, so that no sum of what a caller passes overflows. */
static void
check_number(int nreleases, int nlater, const GaussdpStatement *statement)
{
	int64 all = (int64) nreleases + nlater + statement->nreleases;

	if (nreleases < 1 || nlater < 0 || all > GAUSSDP_MAX_RELEASES)
		ereport(ERROR,
				(errcode(ERRCODE_PROGRAM_LIMIT_EXCEEDED),
				 errmsg("a query may make between 1 and %d private releases, not " INT64_FORMAT,
						GAUSSDP_MAX_RELEASES, all),
				 errdetail("Nothing was charged and nothing was released.")));
}

/* Asks for a charge and waits for it: returns when it is durable. */
static void
await_charge(const GaussdpCharge *charge)
{
	MemoryContext context = CurrentMemoryContext;
	GaussdpLedgerSlot *slot = gaussdp_ledger_slot();
	bool done = false;
	bool has_worker = true;

	INSTR_TIME_SET_CURRENT(charging_since);
	if (!charge->only_asks)
		gaussdp_note_running(charge);
	if (!enqueue(slot, charge))
	{
		gaussdp_note_ended();
		gaussdp_count_charge(charge->role, GAUSSDP_OUTCOME_FAILED, NULL);
		ereport(ERROR,
				(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
				 errmsg("errors of private queries of this role could not be counted"),
				 errdetail("Nothing was charged and nothing was released."),
				 errhint("Private queries of this role are refused until the server restarts.")));
	}
	gaussdp_count_at_exit(slot);
	is_charging = true;
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

	is_charging = false;

	if (!done)
		leave_late(slot, has_worker);
	if (charge->only_asks && slot->outcome == GAUSSDP_OUTCOME_CHARGED)
		return;
	gaussdp_count_charge(charge->role, slot->outcome, &charging_since);
	if (slot->sqlstate != 0)
	{
		gaussdp_note_ended();
		report_refusal(slot);
	}
	is_low |= slot->is_low;
}

void
gaussdp_tell_of_spent(void)
{
	static bool is_told = false;

	if (!is_low || is_told)
		return;
	is_told = true;
	ereport(NOTICE,
			(errmsg("more than 80 percent are spent of a privacy budget that pays for this query"),
			 errhint("gaussdp.my_budget shows what is left, and when it renews.")));
}

/* kept NULL: of a new draw. */
static void
charge_level(Oid role, const GaussdpRelease *releases, int nreleases, const GaussdpRelease *later,
			 int nlater, GaussdpStatement *statement, uint64 query_id, const char *query_text,
			 const GaussdpReused *kept, bool only_asks)
{
	GaussdpStatement alone = {0};
	GaussdpCharge *charge;

	check_server();
	refuse_second_charge();
	if (statement == NULL)
		statement = &alone;
	check_number(nreleases, nlater, statement);
	charge = make_charge(role, nreleases, query_id, query_text);
	charge->only_asks = only_asks;
	if (kept != NULL)
	{
		charge->key = kept->key;
		charge->asker = kept->role;
		charge->drawn = kept->drawn;
	}
	add_releases(charge, releases, nreleases);
	add_rest(charge, later, nlater, statement);
	gaussdp_remember_charged(charge->tables, charge->ntables);
	await_charge(charge);
	if (!only_asks)
		add_to_statement(statement, charge);
	pfree(charge);
}

void
gaussdp_charge(Oid role, const GaussdpRelease *releases, int nreleases, const GaussdpRelease *later,
			   int nlater, GaussdpStatement *statement, uint64 query_id, const char *query_text)
{
	charge_level(role, releases, nreleases, later, nlater, statement, query_id, query_text, NULL,
				 false);
}

void
gaussdp_check_charge(Oid role, const GaussdpRelease *releases, int nreleases,
					 const GaussdpRelease *later, int nlater, GaussdpStatement *statement,
					 uint64 query_id, const char *query_text)
{
	charge_level(role, releases, nreleases, later, nlater, statement, query_id, query_text, NULL,
				 true);
}

void
gaussdp_charge_again(Oid role, const GaussdpRelease *releases, int nreleases,
					 const GaussdpRelease *later, int nlater, GaussdpStatement *statement,
					 uint64 query_id, const char *query_text, const GaussdpReused *kept)
{
	charge_level(role, releases, nreleases, later, nlater, statement, query_id, query_text, kept,
				 false);
}
