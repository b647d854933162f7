/*
 * side_channels.c
 *		Side channels of a running level, closed one by one.
 */
#include "postgres.h"

#include "access/gin.h"
#include "access/xact.h"
#include "catalog/namespace.h"
#include "catalog/objectaccess.h"
#include "miscadmin.h"
#include "pgstat.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/inval.h"

#include "ledger/ledger.h"
#include "policy/exec/side_channels.h"
#include "settings.h"

/*
 * Counters are public: rows that a query of one's own has fetched, calls of a function, and the size of a sort
 * that did not fit into memory are exact answers.  Messages below an error are for the server's log alone, and no error ends the
 * session as it was raised.
 * gin_fuzzy_search_limit lets an index scan drop other rows as soon as one row more has the word.  Names
 * that a superuser's function looks up are PostgreSQL's own.  Memory that a role may ask for as it likes is taken where there are rows: the
 * server is out of it for one person.  Parallel workers inherit all of that.
 */
#define PATH "pg_catalog, pg_temp"
#define MOST_HASH_MEMORY 2

static void
close_one(const char *name, const char *value)
{
	(void) set_config_option(name, value, PGC_SUSET, PGC_S_SESSION, GUC_ACTION_SAVE, true, 0,
							 false);
}

/* What a setting is, its variable says at once; to set it takes longer than much of what a level does. */
void
gaussdp_keep_side_channels_closed(void)
{
	if (pgstat_track_counts)
		close_one("track_counts", "off");
	if (pgstat_track_functions != TRACK_FUNC_OFF)
		close_one("track_functions", "none");
	if (client_min_messages != ERROR)
		close_one("client_min_messages", "error");
	if (ExitOnAnyError)
		close_one("exit_on_error", "off");
	if (GinFuzzySearchLimit != 0)
		close_one("gin_fuzzy_search_limit", "0");
	if (quote_all_identifiers) /* on which quote_ident() depends */
		close_one("quote_all_identifiers", "off");
	if (work_mem > gaussdp_max_work_mem)
		close_one("work_mem", psprintf("%d", gaussdp_max_work_mem));
	if (hash_mem_multiplier > MOST_HASH_MEMORY)
		close_one("hash_mem_multiplier", CppAsString2(MOST_HASH_MEMORY));
	if (strcmp(namespace_search_path, PATH) != 0)
		close_one("search_path", PATH);
}

int
gaussdp_close_side_channels(void)
{
	int nest_level = NewGUCNestLevel();

	gaussdp_keep_side_channels_closed();
	return nest_level;
}

void
gaussdp_reopen_side_channels(int nest_level)
{
	AtEOXact_GUC(true, nest_level);
}

static object_access_hook_type others = NULL; /* while nobody is told */

void
gaussdp_tell_nobody(void)
{
	if (object_access_hook != NULL)
		others = object_access_hook;
	object_access_hook = NULL;
}

void
gaussdp_tell_others(void)
{
	if (others != NULL)
		object_access_hook = others;
	others = NULL;
}

/*
 * How deep the stack goes may depend on a row: LIKE recurses, and some nodes of a plan run for the first
 * time when there is a row.  A role that calls itself until the stack is nearly full would see which rows
 * make it end.
 */
#define STACK_RESERVE (128 * 1024)

pg_noinline void
gaussdp_reserve_stack(void)
{
	volatile char reserve[STACK_RESERVE];

	reserve[0] = 0;
	check_stack_depth();
	(void) reserve[0]; /* so that the array is there while the depth is measured */
}

/* EXPLAIN (ANALYZE, BUFFERS) and pg_stat_statements show them, and an index scan reads a page more for a row. */
GaussdpUsage
gaussdp_usage_so_far(void)
{
	return (GaussdpUsage){pgBufferUsage, pgWalUsage};
}

void
gaussdp_forget_usage_since(const GaussdpUsage *before)
{
	pgBufferUsage = before->buffers;
	pgWalUsage = before->wal;
}

/*
 * What a level that has failed has left in the session's caches is forgotten with all that is in them: in the abort
 * no catalog can be read, and none is; what is open is read anew when it is opened next.
 */
static bool has_stale_caches = false;

void
gaussdp_forget_caches(void)
{
	has_stale_caches = true;
}

static void
forget_after_error(void)
{
	if (has_stale_caches)
		InvalidateSystemCaches();
	has_stale_caches = false;
}

static void
end_transaction(XactEvent event, void *arg)
{
	gaussdp_tell_others();
	if (event == XACT_EVENT_ABORT)
		forget_after_error();
}

static void
end_subtransaction(SubXactEvent event, SubTransactionId mine, SubTransactionId parent, void *arg)
{
	if (event != SUBXACT_EVENT_ABORT_SUB)
		return;
	gaussdp_tell_others();
	forget_after_error();
}

void
gaussdp_side_channels_init(void)
{
	RegisterXactCallback(end_transaction, NULL);
	RegisterSubXactCallback(end_subtransaction, NULL);
}

/* Of these classes the SQLSTATE says something of the server, or of the session's own wishes. */
static bool
tells_of_server(int sqlerrcode)
{
	switch (ERRCODE_TO_CATEGORY(sqlerrcode))
	{
		case MAKE_SQLSTATE('4', '0', '0', '0', '0'): /* transaction rollback, deadlocks */
		case MAKE_SQLSTATE('5', '3', '0', '0', '0'): /* insufficient resources */
		case MAKE_SQLSTATE('5', '7', '0', '0', '0'): /* operator intervention, cancel */
		case MAKE_SQLSTATE('5', '8', '0', '0', '0'): /* system error */
			return true;
		default:
			return false;
	}
}

void
gaussdp_raise_fixed_error(const ErrorData *error, Oid relation, uint64 query_id, bool is_counted)
{
	bool may_tell = !OidIsValid(relation);

	if (!may_tell && is_counted)
		may_tell = gaussdp_may_release();
	else if (!may_tell)
		may_tell =
			gaussdp_count_private_error(GetUserId(), &relation, 1, error->sqlerrcode, query_id);
	ereport(LOG_SERVER_ONLY,
			(errcode(error->sqlerrcode),
			 errmsg("a query over protected tables failed with SQLSTATE %s in %s",
					unpack_sql_state(error->sqlerrcode), error->funcname ? error->funcname : "?"),
			 errdetail("Its query id is %lld.", (long long) query_id), errhidestmt(true),
			 errhidecontext(true)));
	if (!may_tell)
		gaussdp_raise_suspended();
	if (tells_of_server(error->sqlerrcode))
		ereport(ERROR, (errcode(error->sqlerrcode),
						errmsg("the query over protected tables could not be finished"),
						errdetail("What it costs has been charged.")));
	ereport(ERROR,
			(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION),
			 errmsg("the query over protected tables has failed"),
			 errdetail("What it costs has been charged. The reason is not told, since it may "
					   "depend on a row.")));
}
