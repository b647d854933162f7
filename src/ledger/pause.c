/*
 * pause.c
 *		One switch that stops all private answers of a database.
 *
 * gaussdp_internal.answer_pause holds it, so that it outlives restarts, failovers and dumps.  The worker reads it for each batch of
 * charges (batch.c).  Levels that are charged already are stopped when the pause has been committed: whatever is queued, charged or
 * runs by then ends with one error (errors.c), and whatever is queued later finds the row.
 */
#include "postgres.h"

#include "access/xact.h"
#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"

#include "compat.h"
#include "errors.h"
#include "ledger.h"
#include "pause.h"
#include "rights.h"
#include "rows.h"
#include "version.h"

bool
gaussdp_answers_are_paused(void)
{
	GaussdpRows *rows = gaussdp_open_rows("answer_pause", AccessShareLock);
	bool is_paused = false;

	/* Mostly there was never a pause. */
	if (rows->npages > 0)
	{
		gaussdp_find_rows(rows, "");
		while (gaussdp_next_row(rows))
		{
			bool is_open;

			(void) gaussdp_row_value(rows->row, "until", &is_open);
			is_paused |= is_open;
		}
	}
	gaussdp_close_rows(rows);
	return is_paused;
}

/* Has this transaction paused answers? */
static bool has_paused = false;

/* A pause in a savepoint that was rolled back stops what runs now, and nothing later. */
static void
stop_after_commit(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_COMMIT && has_paused)
		gaussdp_stop_all_levels();
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT)
		has_paused = false;
}

/* Goes on as the owner of the ledger, if the caller may switch answers; returns the caller's rights and *who that is. */
static GaussdpLedgerRights
enter_as_owner(Datum *who)
{
	GaussdpLedgerRights caller;

	gaussdp_check_version("Nothing was changed.");
	*who = CStringGetTextDatum(GetUserNameFromId(GetSessionUserId(), false));
	caller = gaussdp_enter_ledger();
	if (!has_privs_of_role(caller.user, GetUserId()))
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				 errmsg("must be owner of extension gaussdp to pause or resume private answers")));
	return caller;
}

PG_FUNCTION_INFO_V1(gaussdp_pause_answers);
Datum
gaussdp_pause_answers(PG_FUNCTION_ARGS)
{
	static bool is_registered = false;
	Oid types[] = {TEXTOID};
	Datum who;
	GaussdpLedgerRights caller = enter_as_owner(&who);

	if (!is_registered)
		RegisterXactCallback(stop_after_commit, NULL);
	is_registered = true;
	gaussdp_ledger_run(
		"INSERT INTO gaussdp_internal.answer_pause (paused_by) SELECT $1"
		" WHERE NOT EXISTS (SELECT FROM gaussdp_internal.answer_pause WHERE until IS NULL)",
		1, types, &who, NULL, false);
	has_paused = true;
	gaussdp_leave_ledger(caller);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(gaussdp_resume_answers);
Datum
gaussdp_resume_answers(PG_FUNCTION_ARGS)
{
	Oid types[] = {TEXTOID};
	Datum who;
	GaussdpLedgerRights caller = enter_as_owner(&who);

	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.answer_pause SET until = pg_catalog.clock_timestamp(),"
		" resumed_by = $1 WHERE until IS NULL",
		1, types, &who, NULL, false);
	gaussdp_leave_ledger(caller);
	PG_RETURN_VOID();
}
