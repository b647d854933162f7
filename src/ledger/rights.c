/*
 * rights.c
 *		How the ledger's tables are read and written on behalf of somebody who may not.
 *
 * Under all files of ledger/ that run queries, in sessions and in the worker.
 *
 * Invariants
 *		What runs with the ledger's rights finds every name and operator in pg_catalog, whatever the
 *		caller's search_path holds.
 *		An error leaves to a session, or to the server's log, without the text of the ledger's own queries.
 *		What a transaction has changed in the ledger is not prepared: as long as nobody ended it, the locks on its rows would
 *		hold up all charges that they pay for, after a restart, too.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "access/xact.h"
#include "catalog/dependency.h"
#include "catalog/namespace.h"
#include "catalog/pg_class.h"
#include "commands/extension.h"
#include "miscadmin.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"
#include "utils/snapmgr.h"
#include "utils/syscache.h"

#include "compat.h"
#include "declaration/coordinator.h"
#include "report.h"
#include "rights.h"

void
gaussdp_become_owner(int context)
{
	Oid account = get_relname_relid("ledger_account", get_namespace_oid("gaussdp_internal", false));
	HeapTuple tuple = SearchSysCache1(RELOID, ObjectIdGetDatum(account));

	if (!HeapTupleIsValid(tuple))
		ereport(ERROR, (errcode(ERRCODE_UNDEFINED_TABLE), errmsg("there is no ledger")));
	SetUserIdAndSecContext(((Form_pg_class) GETSTRUCT(tuple))->relowner,
						   context | SECURITY_LOCAL_USERID_CHANGE);
	ReleaseSysCache(tuple);
}

GaussdpLedgerRights
gaussdp_enter_ledger(void)
{
	GaussdpLedgerRights caller;

	GetUserIdAndSecContext(&caller.user, &caller.context);
	gaussdp_become_owner(SECURITY_RESTRICTED_OPERATION);
	caller.nest_level = NewGUCNestLevel();
	(void) set_config_option("search_path", "pg_catalog, pg_temp", PGC_USERSET, PGC_S_SESSION,
							 GUC_ACTION_SAVE, true, 0, false);
	SPI_connect();
	return caller;
}

void
gaussdp_leave_ledger(GaussdpLedgerRights caller)
{
	SPI_finish();
	AtEOXact_GUC(false, caller.nest_level);
	SetUserIdAndSecContext(caller.user, caller.context);
}

bool
gaussdp_has_ledger(void)
{
	Oid extension = get_extension_oid("gaussdp", true);
	Oid schema = get_namespace_oid("gaussdp_internal", true);
	const char *const names[] = {"ledger_account", "journal_entry", "journal_number",
								 "account_number", "error_count",   "answer_pause",
								 "kept_answer",    "publication"};

	if (!OidIsValid(extension) || !OidIsValid(schema))
		return false;
	for (size_t i = 0; i < lengthof(names); i++)
	{
		Oid relid = get_relname_relid(names[i], schema);

		if (!OidIsValid(relid) || getExtensionOfObject(RelationRelationId, relid) != extension)
			return false;
	}
	return true;
}

/* Has this transaction changed the ledger? */
static bool has_written = false;

/* On a worker of Citus nothing is charged; there Citus prepares what the coordinator declares. */
static void
refuse_to_prepare(XactEvent event, void *arg)
{
	if (event == XACT_EVENT_PRE_PREPARE && has_written && !gaussdp_is_worker())
		ereport(
			ERROR,
			(errcode(ERRCODE_FEATURE_NOT_SUPPORTED),
			 errmsg("cannot PREPARE a transaction that has changed privacy budgets"),
			 errdetail(
				 "Until it is committed, no query would be charged that these budgets pay for."),
			 errhint(
				 "Change budgets, and drop or unprotect their tables, in a transaction that ends "
				 "with COMMIT.")));
	if (event == XACT_EVENT_COMMIT || event == XACT_EVENT_ABORT)
		has_written = false;
}

static void
note_write(void)
{
	static bool is_registered = false;

	if (!is_registered)
		RegisterXactCallback(refuse_to_prepare, NULL);
	is_registered = true;
	has_written = true;
}

static void
check_result(int result)
{
	if (result < 0)
		elog(ERROR, "a query of the ledger failed: %s", SPI_result_code_string(result));
}

/*
 * The ledger is read and written as of now: a snapshot that the caller took earlier would hide budgets
 * that others have granted since, and a statement that is to close or change them would pass them over.
 */
static void
run_now(const char *query, int nargs, Oid *types, Datum *values, const char *nulls, bool read_only)
{
	SPIPlanPtr plan = SPI_prepare(query, nargs, types);
	Snapshot now = IsInParallelMode() ? GetActiveSnapshot() : GetLatestSnapshot();

	check_result(plan == NULL ? SPI_result
							  : SPI_execute_snapshot(plan, values, nulls, now, InvalidSnapshot,
													 read_only, !read_only, 0));
}

void
gaussdp_ledger_run(const char *query, int nargs, Oid *types, Datum *values, const char *nulls,
				   bool read_only)
{
	MemoryContext context = CurrentMemoryContext;

	if (!read_only)
		note_write();
	PG_TRY();
	{
		run_now(query, nargs, types, values, nulls, read_only);
	}
	PG_CATCH();
	{
		gaussdp_rethrow_without_query(context);
	}
	PG_END_TRY();
}
