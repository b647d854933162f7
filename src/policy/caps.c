/*
 * caps.c
 *		Settings and ways of execution under which nothing is lifted, because they would tell more.
 */
#include "postgres.h"

#include "access/detoast.h"
#include "access/parallel.h"
#include "access/xact.h"
#include "executor/executor.h"
#include "nodes/parsenodes.h"
#include "utils/elog.h"
#include "utils/guc.h"
#include "utils/lsyscache.h"

#include "policy/caps.h"

/* Settings that anybody may turn on, and that print plans, estimates or counts of rows. */
static const char *const must_be_off[] = {
	"debug_print_parse", "debug_print_rewritten", "debug_print_plan",
	"trace_sort",        "trace_notify",          "log_parser_stats",
	"log_planner_stats", "log_executor_stats",    "log_statement_stats",
};

static bool
verify_settings(Verifier *v)
{
	for (size_t i = 0; i < lengthof(must_be_off); i++)
	{
		const char *value = GetConfigOption(must_be_off[i], true, false);

		if (value != NULL && strcmp(value, "off") != 0)
			return refuse(v, RULE_CAPS, -1,
						  psprintf("%s is on and would print more than the answer", must_be_off[i]),
						  psprintf("SET %s = off.", must_be_off[i]));
	}
	if (client_min_messages < NOTICE)
		return refuse(v, RULE_CAPS, -1, "client_min_messages asks for the server's own log",
					  "SET client_min_messages = notice.");
	if (strcmp(GetConfigOption("temp_file_limit", false, false), "-1") != 0)
		return refuse(v, RULE_CAPS, -1,
					  "temp_file_limit would fail at a size that depends on the rows",
					  "The administrator may ALTER ROLE ... SET temp_file_limit = -1.");
	if (IsolationIsSerializable())
		return refuse(v, RULE_CAPS, -1, "SERIALIZABLE leaves a lock on each row that was read",
					  "Use REPEATABLE READ.");
	if (IsParallelWorker())
		return refuse(v, RULE_CAPS, -1, "a parallel worker cannot pay",
					  "Mark the function that runs this query PARALLEL UNSAFE.");
	return true;
}

bool
gaussdp_is_long(Datum value, int16 typlen)
{
	if (typlen == -1)
		return toast_raw_datum_size(value) > MAX_VALUE_SIZE;
	return typlen == -2 && strlen(DatumGetCString(value)) > MAX_VALUE_SIZE;
}

static bool
verify_parameters(Verifier *v, ParamListInfo params)
{
	for (int i = 0; params != NULL && i < params->numParams; i++)
	{
		ParamExternData space;
		ParamExternData *param = params->paramFetch != NULL
									 ? params->paramFetch(params, i + 1, true, &space)
									 : &params->params[i];

		if (OidIsValid(param->ptype) && !param->isnull &&
			gaussdp_is_long(param->value, get_typlen(param->ptype)))
			return refuse(v, RULE_CAPS, -1,
						  psprintf("parameter %d is longer than %d bytes", i + 1, MAX_VALUE_SIZE),
						  "Join to a table that holds the values.");
	}
	return true;
}

bool
gaussdp_verify_caps(Verifier *v, int cursor_options)
{
	if (cursor_options & (CURSOR_OPT_SCROLL | CURSOR_OPT_HOLD))
		return refuse(v, RULE_CAPS, -1,
					  "a cursor with SCROLL or WITH HOLD may execute a level again",
					  "Declare a plain cursor, or store the result in a table.");
	return verify_settings(v);
}

bool
gaussdp_verify_execution(Verifier *v, const QueryDesc *query, int eflags)
{
	if (eflags & EXEC_FLAG_EXPLAIN_ONLY)
		return refuse(v, RULE_CAPS, -1, "EXPLAIN shows estimates that come from the rows",
					  "Ask gaussdp.explain_privacy(query) what a query costs.");
	if (query->instrument_options != 0 ||
		(query->planstate != NULL && query->planstate->instrument != NULL))
		return refuse(
			v, RULE_CAPS, -1, "EXPLAIN ANALYZE and auto_explain.log_analyze count rows",
			"Run the query by itself; the administrator may set auto_explain.log_analyze = off.");
	return verify_settings(v) && verify_parameters(v, query->params);
}
