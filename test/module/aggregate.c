/*
 * aggregate.c
 *		For tests: parts of the aggregates called as a distributed engine calls them.
 *
 * Such an engine wraps an aggregate: for each row it calls the transition function through a fresh
 * FmgrInfo in memory that does not last, ships the serialized state and combines it elsewhere, all
 * within an aggregate of its own.  The functions here do the same; which function of the library they
 * call stands in their own SQL name, from "gaussdp_" on (wrapper.sql).
 */
#include "postgres.h"

#include "fmgr.h"
#include "utils/fmgrprotos.h"
#include "utils/lsyscache.h"

#include "aggregate/state.h"

PG_FUNCTION_INFO_V1(test_numeric_to_double);
PG_FUNCTION_INFO_V1(test_worker_accum);
PG_FUNCTION_INFO_V1(test_worker_final);
PG_FUNCTION_INFO_V1(test_coordinator_accum);
PG_FUNCTION_INFO_V1(test_coordinator_final);

#define LIBRARY "$libdir/gaussdp"

/* Calls a function of the library as Citus does: through an FmgrInfo that lives for this call. */
static Datum
call_fresh(FunctionCallInfo outer, const char *name, int nargs, const NullableDatum *args,
		   bool *isnull)
{
	LOCAL_FCINFO(inner, FUNC_MAX_ARGS);
	FmgrInfo flinfo = {0};
	Datum result;

	flinfo.fn_addr = load_external_function(LIBRARY, name, true, NULL);
	flinfo.fn_nargs = (short) nargs;
	flinfo.fn_mcxt = CurrentMemoryContext;
	InitFunctionCallInfoData(*inner, &flinfo, (short) nargs, InvalidOid, outer->context, NULL);
	memcpy(inner->args, args, nargs * sizeof(NullableDatum));
	result = FunctionCallInvoke(inner);
	*isnull = inner->isnull;
	return result;
}

/* worker_of_gaussdp_sum_serialize -> gaussdp_sum_serialize */
static const char *
wrapped(FunctionCallInfo fcinfo)
{
	const char *name = strstr(get_func_name(fcinfo->flinfo->fn_oid), "gaussdp_");

	if (name == NULL)
		elog(ERROR, "a wrapper is called x_of_gaussdp_y");
	return name;
}

/* The double that the aggregates make of a numeric, straight from its bytes. */
Datum
test_numeric_to_double(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(gaussdp_numeric_to_double(PG_GETARG_DATUM(0)));
}

/* (internal, x, epsilon, delta, ...): a transition */
Datum
test_worker_accum(PG_FUNCTION_ARGS)
{
	return call_fresh(fcinfo, wrapped(fcinfo), PG_NARGS(), fcinfo->args, &fcinfo->isnull);
}

/* The state's bytes; NULL without a row, as a worker without a shard has nothing to say. */
Datum
test_worker_final(PG_FUNCTION_ARGS)
{
	if (PG_ARGISNULL(0))
		PG_RETURN_NULL();
	return call_fresh(fcinfo, wrapped(fcinfo), 1, fcinfo->args, &fcinfo->isnull);
}

/* coordinator_of_gaussdp_scalar(internal, bytea): deserialize and combine; either may be NULL */
Datum
test_coordinator_accum(PG_FUNCTION_ARGS)
{
	NullableDatum states[2] = {fcinfo->args[0], fcinfo->args[1]};

	if (!PG_ARGISNULL(1))
		states[1].value =
			call_fresh(fcinfo, psprintf("%s_deserialize", wrapped(fcinfo)), 2,
					   (NullableDatum[]){fcinfo->args[1], {0, true}}, &states[1].isnull);
	return call_fresh(fcinfo, psprintf("%s_combine", wrapped(fcinfo)), 2, states, &fcinfo->isnull);
}

Datum
test_coordinator_final(PG_FUNCTION_ARGS)
{
	return call_fresh(fcinfo, wrapped(fcinfo), 1, fcinfo->args, &fcinfo->isnull);
}
