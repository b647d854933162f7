/*
 * fails.c
 *		For tests: functions that a superuser may mark LEAKPROOF, and that break the promise.
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(test_divides);
PG_FUNCTION_INFO_V1(test_fails);
PG_FUNCTION_INFO_V1(test_tells);
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

/* Says something, as a WARNING and as what no setting keeps from the client, and is true. */
Datum
test_tells(PG_FUNCTION_ARGS)
{
	ereport(WARNING, (errmsg("secret")));
	ereport(INFO, (errmsg("secret")));
	PG_RETURN_BOOL(true);
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
