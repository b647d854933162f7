/*
 * door.c
 *		Functions of schema gaussdp that are written in PL/pgSQL, without its context.
 *
 * An error in PL/pgSQL carries the statements that led to it.  Those are not the caller's, who has written one call
 * and can do nothing about them.  So what users call is in C: it calls the function of the same name and arguments in
 * gaussdp_internal, and an error leaves with the context of the caller.
 *
 * These functions run under a search path of their own.  Commands that they give (SECURITY LABEL, GRANT, REVOKE) fire event triggers,
 * whose functions may need the caller's: run_command() gives it back for one command.
 */
#include "postgres.h"

#include "catalog/namespace.h"
#include "catalog/pg_proc.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "parser/parse_func.h"
#include "utils/builtins.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_call_inner);
PG_FUNCTION_INFO_V1(gaussdp_run_command);

/* The search path of whoever has called the function that runs; NULL where none does. */
static const char *callers_path = NULL;

/* The function behind this one, found at its first call in a query. */
static FmgrInfo *
inner_function(FmgrInfo *outer)
{
	Oid *types;
	int nargs;
	char *name = get_func_name(outer->fn_oid);
	FmgrInfo *inner = outer->fn_extra;

	if (inner != NULL)
		return inner;
	(void) get_func_signature(outer->fn_oid, &types, &nargs);
	inner = MemoryContextAllocZero(outer->fn_mcxt, sizeof(FmgrInfo));
	fmgr_info_cxt(LookupFuncName(list_make2(makeString("gaussdp_internal"), makeString(name)),
								 nargs, types, false),
				  inner, outer->fn_mcxt);
	outer->fn_extra = inner;
	return inner;
}

Datum
gaussdp_call_inner(PG_FUNCTION_ARGS)
{
	LOCAL_FCINFO(call, FUNC_MAX_ARGS);
	MemoryContext context = CurrentMemoryContext;
	const char *path_around = callers_path;
	const char *path = path_around != NULL ? path_around : pstrdup(namespace_search_path);
	Datum result = (Datum) 0;

	memcpy(call, fcinfo, SizeForFunctionCallInfo(fcinfo->nargs));
	call->flinfo = inner_function(fcinfo->flinfo);
	PG_TRY();
	{
		callers_path = path;
		result = FunctionCallInvoke(call);
		callers_path = path_around;
	}
	PG_CATCH();
	{
		callers_path = path_around;
		gaussdp_rethrow_without_query(context);
	}
	PG_END_TRY();
	fcinfo->isnull = call->isnull;
	return result;
}

/*
 * run_command(text): a command under the search path of whoever has called the function that gives it, but for PostgreSQL's own schema, which
 * comes first, and temporary objects, which come last.  Objects in other schemas are named with these.
 */
Datum
gaussdp_run_command(PG_FUNCTION_ARGS)
{
	const char *command = text_to_cstring(PG_GETARG_TEXT_PP(0));
	const char *path;
	int nest_level;

	if (callers_path == NULL)
		ereport(ERROR,
				(errcode(ERRCODE_INSUFFICIENT_PRIVILEGE), errmsg("run_command cannot be called"),
				 errdetail("It is for functions of schema gaussdp.")));
	path = callers_path[0] == '\0' ? "pg_catalog, pg_temp"
								   : psprintf("pg_catalog, %s, pg_temp", callers_path);
	nest_level = NewGUCNestLevel();
	(void) set_config_option("search_path", path, PGC_USERSET, PGC_S_SESSION, GUC_ACTION_SAVE, true,
							 0, false);
	SPI_connect();
	(void) SPI_execute(command, false, 0);
	SPI_finish();
	AtEOXact_GUC(true, nest_level);
	PG_RETURN_VOID();
}
