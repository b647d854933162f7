/*
 * bounds.c
 *		Calls without bounds, dp_sum(x, epsilon, delta) and the like: resolved as a query is planned.
 *
 * Reads the catalog of calls from calls.c; hands a query without such calls to the next planner.  Each
 * becomes the call of the same name and types that ends in _auto and finds its bounds privately.
 *
 * A query that was planned before the library came keeps the call as it was written.  It has no bounds
 * then, whatever the data: its transition and its final function raise 55000 alike.
 */
#include "postgres.h"

#include "access/htup_details.h"
#include "catalog/pg_proc.h"
#include "fmgr.h"
#include "nodes/nodeFuncs.h"
#include "optimizer/planner.h"
#include "utils/lsyscache.h"
#include "utils/syscache.h"

#include "aggregate/bounds.h"
#include "aggregate/calls.h"

PG_FUNCTION_INFO_V1(dp_unplanned_accum);
PG_FUNCTION_INFO_V1(dp_unplanned_serialize);
PG_FUNCTION_INFO_V1(dp_unplanned_final);
PG_FUNCTION_INFO_V1(dp_unplanned_estimate_final);

static planner_hook_type prev_planner = NULL;

static void
report_unplanned(void)
{
	ereport(
		ERROR,
		(errcode(ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE),
		 errmsg("the bounds of this call were not resolved when the query was planned"),
		 errdetail("Library gaussdp was not loaded at that time."),
		 errhint(
			 "Add gaussdp to shared_preload_libraries or session_preload_libraries, or give the "
			 "bounds as arguments: dp_sum(x, epsilon, delta, lower, upper).")));
}

Datum
dp_unplanned_accum(PG_FUNCTION_ARGS)
{
	report_unplanned();
	PG_RETURN_NULL();
}

Datum
dp_unplanned_serialize(PG_FUNCTION_ARGS)
{
	report_unplanned();
	PG_RETURN_NULL();
}

Datum
dp_unplanned_final(PG_FUNCTION_ARGS)
{
	report_unplanned();
	PG_RETURN_NULL();
}

Datum
dp_unplanned_estimate_final(PG_FUNCTION_ARGS)
{
	report_unplanned();
	PG_RETURN_NULL();
}

/* The aggregate beside aggfnoid, of the same argument types, that is called name. */
static Oid
sibling(Oid aggfnoid, const char *name)
{
	HeapTuple tuple = SearchSysCache1(PROCOID, ObjectIdGetDatum(aggfnoid));
	Form_pg_proc proc;
	Oid found;

	if (!HeapTupleIsValid(tuple))
		elog(ERROR, "cache lookup failed for function %u", aggfnoid);
	proc = (Form_pg_proc) GETSTRUCT(tuple);
	found =
		GetSysCacheOid3(PROCNAMEARGSNSP, Anum_pg_proc_oid, CStringGetDatum(name),
						PointerGetDatum(&proc->proargtypes), ObjectIdGetDatum(proc->pronamespace));
	ReleaseSysCache(tuple);
	if (!OidIsValid(found))
		elog(ERROR, "aggregate %s does not exist", name);
	return found;
}

/* dp_avg -> dp_avg_auto, dp_avg_estimate -> dp_avg_auto_estimate */
static void
find_bounds_automatically(Aggref *aggref, const GaussdpCall *call)
{
	const char *name = call->kind == GAUSSDP_SUM ? "dp_sum_auto" : "dp_avg_auto";

	aggref->aggfnoid =
		sibling(aggref->aggfnoid, call->is_estimate ? psprintf("%s_estimate", name) : name);
}

static bool
resolve_walker(Node *node, void *context)
{
	GaussdpCall call;

	if (node == NULL)
		return false;
	if (IsA(node, Query))
		return query_tree_walker((Query *) node, resolve_walker, context, 0);
	if (IsA(node, Aggref) && gaussdp_call_of(((Aggref *) node)->aggfnoid, &call) &&
		call.lacks_bounds)
		find_bounds_automatically((Aggref *) node, &call);
	return expression_tree_walker(node, resolve_walker, context);
}

/* The planner may write on the query it is given, and so may this. */
static PlannedStmt *
resolve_and_plan(Query *parse, const char *query_string, int cursor_options, ParamListInfo params)
{
	(void) resolve_walker((Node *) parse, NULL);
	if (prev_planner)
		return prev_planner(parse, query_string, cursor_options, params);
	return standard_planner(parse, query_string, cursor_options, params);
}

void
gaussdp_bounds_init(void)
{
	prev_planner = planner_hook;
	planner_hook = resolve_and_plan;
}
