/*
 * fails.c
 *		For tests: functions that a superuser may mark LEAKPROOF, and that break the promise.
 */
#include "postgres.h"

#include <signal.h>

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "storage/lmgr.h"
#include "utils/catcache.h"
#include "utils/fmgrprotos.h"
#include "utils/guc.h"
#include "utils/inval.h"
#include "utils/lsyscache.h"
#include "utils/rel.h"
#include "utils/relcache.h"
#include "utils/resowner.h"
#include "utils/syscache.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "reach.h"

PG_FUNCTION_INFO_V1(test_divides);
PG_FUNCTION_INFO_V1(test_fails);
PG_FUNCTION_INFO_V1(test_has_memory);
PG_FUNCTION_INFO_V1(test_holds);
PG_FUNCTION_INFO_V1(test_hurries);
PG_FUNCTION_INFO_V1(test_meets_limit);
PG_FUNCTION_INFO_V1(test_is_prepared);
PG_FUNCTION_INFO_V1(test_lacks);
PG_FUNCTION_INFO_V1(test_rereads);
PG_FUNCTION_INFO_V1(test_reserves);
PG_FUNCTION_INFO_V1(test_tells);
PG_FUNCTION_INFO_V1(test_traps);
PG_FUNCTION_INFO_V1(test_waits);

/* Fails for the value 7. */
Datum
test_divides(PG_FUNCTION_ARGS)
{
	if (PG_GETARG_INT32(0) == 7)
		ereport(ERROR, (errcode(ERRCODE_DIVISION_BY_ZERO), errmsg("division by zero")));
	PG_RETURN_BOOL(true);
}

/* Fails for each value, with the SQLSTATE that is the end of the function's name in SQL: fails_57014. */
Datum
test_fails(PG_FUNCTION_ARGS)
{
	char *state = strrchr(get_func_name(fcinfo->flinfo->fn_oid), '_') + 1;

	for (char *c = state; *c != '\0'; c++)
		*c = pg_toupper((unsigned char) *c);
	ereport(ERROR, (errcode(MAKE_SQLSTATE(state[0], state[1], state[2], state[3], state[4])),
					errmsg("secret"), errdetail("secret"), errhint("secret")));
	PG_RETURN_NULL();
}

/* test_has_memory(value, kB): may an operation of a plan take that much, in a hash table twice as much? */
Datum
test_has_memory(PG_FUNCTION_ARGS)
{
	PG_RETURN_BOOL(work_mem == PG_GETARG_INT32(1) && hash_mem_multiplier == 2.0);
}

/* test_holds(value, relation): has this process a lock on the relation? */
Datum
test_holds(PG_FUNCTION_ARGS)
{
	Relation relation = RelationIdGetRelation((Oid) PG_GETARG_INT32(1));
	bool result = CheckRelationLockedByMe(relation, AccessShareLock, false);

	RelationClose(relation);
	PG_RETURN_BOOL(result);
}

/* Is it the value 7, and has it not yet been that so many times in this session, for each number of times? */
static bool
still_lacks(int value, int times)
{
	static int before[64];

	return value == 7 && before[times % 64]++ < times;
}

/* test_lacks(value, times): for the value 7 the disk is full, so many times; then it is true. */
Datum
test_lacks(PG_FUNCTION_ARGS)
{
	if (still_lacks(PG_GETARG_INT32(0), PG_GETARG_INT32(1)))
		ereport(ERROR, (errcode(ERRCODE_DISK_FULL), errmsg("secret")));
	PG_RETURN_BOOL(true);
}

/* Entries of all catalog caches, which are linked (policy/exec/caches.c). */
static int64
count_entries(void)
{
	static slist_node *first = NULL;
	int64 n = 0;

	if (first == NULL)
	{
		CatCList *list = SearchSysCacheList1(USERMAPPINGUSERSERVER, ObjectIdGetDatum(InvalidOid));

		first = &list->my_cache->cc_next;
		ReleaseSysCacheList(list);
	}
	for (slist_node *node = first; node != NULL; node = node->next)
		n += slist_container(CatCache, cc_next, node)->cc_ntup;
	return n;
}

/* test_is_prepared(value): fails where this process has looked up something in the catalogs since it was first asked in this statement. */
Datum
test_is_prepared(PG_FUNCTION_ARGS)
{
	static TimestampTz statement = 0;
	static int64 before = 0;

	if (statement != GetCurrentStatementStartTimestamp())
		before = count_entries();
	statement = GetCurrentStatementStartTimestamp();
	if (count_entries() > before)
		elog(ERROR, "something has been looked up");
	PG_RETURN_BOOL(true);
}

static int32 rereads = 0;

static void
count_reread(Datum arg, Oid relid)
{
	if (!OidIsValid(relid) && IsTransactionState())
		rereads++;
}

/* test_rereads(): how often, since it was first called in this session, all caches were forgotten where open relations are read anew at once. */
Datum
test_rereads(PG_FUNCTION_ARGS)
{
	static bool is_registered = false;

	if (!is_registered)
		CacheRegisterRelcacheCallback(count_reread, 0);
	is_registered = true;
	PG_RETURN_INT32(rereads);
}

/* test_meets_limit(value, times, errno): likewise a limit of the system's is met, as a parallel worker says so, whose errno is not the leader's. */
Datum
test_meets_limit(PG_FUNCTION_ARGS)
{
	if (still_lacks(PG_GETARG_INT32(0), PG_GETARG_INT32(1)))
	{
		errno = 0;
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR),
						errmsg("could not write to file: %s", strerror(PG_GETARG_INT32(2)))));
	}
	PG_RETURN_BOOL(true);
}

/*
 * test_reserves(bytes): reserves so many bytes of the disk of temporary files, as a level would that can need them, until the transaction
 * ends, in place of what the session has reserved before.
 */
Datum
test_reserves(PG_FUNCTION_ARGS)
{
	((void (*)(void)) test_reach("gaussdp_choose_temp_tablespaces"))();
	PG_RETURN_BOOL(((bool (*)(double, ResourceOwner)) test_reach("gaussdp_reserve_temp_space"))(
		PG_GETARG_FLOAT8(0), TopTransactionResourceOwner));
}

/* Says something, as a WARNING and as what no setting keeps from the client, and is true. */
Datum
test_tells(PG_FUNCTION_ARGS)
{
	ereport(WARNING, (errmsg("secret")));
	ereport(INFO, (errmsg("secret")));
	PG_RETURN_BOOL(true);
}

/* test_hurries(value): from here on the session waits for the ledger no longer than it must. */
Datum
test_hurries(PG_FUNCTION_ARGS)
{
	SetConfigOption("gaussdp.charge_timeout", "10", PGC_USERSET, PGC_S_SESSION);
	PG_RETURN_BOOL(true);
}

/* Fails as where the processor traps a division. */
Datum
test_traps(PG_FUNCTION_ARGS)
{
	raise(SIGFPE);
	PG_RETURN_INT32(1);
}

/*
 * test_waits(value, key, fails): waits for a shared advisory lock on the key, so that a test says when a running level goes on;
 * then fails, or is true.
 */
Datum
test_waits(PG_FUNCTION_ARGS)
{
	Datum key = Int64GetDatum(PG_GETARG_INT32(1));

	(void) DirectFunctionCall1(pg_advisory_lock_shared_int8, key);
	(void) DirectFunctionCall1(pg_advisory_unlock_shared_int8, key);
	if (PG_GETARG_BOOL(2))
		ereport(ERROR, (errcode(ERRCODE_DIVISION_BY_ZERO), errmsg("division by zero")));
	PG_RETURN_BOOL(true);
}
