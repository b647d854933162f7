/*
 * invalidation.c
 *		Changes of relations, told to every part that remembers something of them.
 *
 * A session has 10 places for functions that are told of them, for PostgreSQL itself and for all libraries together, and
 * ends where one more is asked for.  Citus takes 5: so this library takes a single one.
 */
#include "postgres.h"

#include "invalidation.h"

#define MAX_FUNCTIONS 8

static RelcacheCallbackFunction functions[MAX_FUNCTIONS];
static int nfunctions = 0;

static void
tell_all(Datum arg, Oid relid)
{
	for (int i = 0; i < nfunctions; i++)
		functions[i](arg, relid);
}

void
gaussdp_on_relation_change(RelcacheCallbackFunction tell)
{
	if (nfunctions == MAX_FUNCTIONS)
		elog(ERROR, "too many functions are to be told of relations");
	if (nfunctions == 0)
		CacheRegisterRelcacheCallback(tell_all, (Datum) 0);
	functions[nfunctions++] = tell;
}
