/*
 * door.c
 *		Functions of schema gaussdp that are written in PL/pgSQL, without its context.
 *
 * An error in PL/pgSQL carries the statements that led to it.  Those are not the caller's, who has written one call
 * and can do nothing about them.  So what users call is in C: it calls the function of the same name and arguments in
 * gaussdp_internal, and an error leaves with the context of the caller.
 */
#include "postgres.h"

#include "catalog/pg_proc.h"
#include "fmgr.h"
#include "parser/parse_func.h"
#include "utils/lsyscache.h"

#include "compat.h"
#include "report.h"

PG_FUNCTION_INFO_V1(gaussdp_call_inner);

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
	Datum result = (Datum) 0;

	memcpy(call, fcinfo, SizeForFunctionCallInfo(fcinfo->nargs));
	call->flinfo = inner_function(fcinfo->flinfo);
	PG_TRY();
	{
		result = FunctionCallInvoke(call);
	}
	PG_CATCH();
	{
		gaussdp_rethrow_without_query(context);
	}
	PG_END_TRY();
	fcinfo->isnull = call->isnull;
	return result;
}
