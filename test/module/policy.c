/*
 * policy.c
 *		For benchmarks: how long the planner takes, without executing anything.
 */
#include "postgres.h"

#include "fmgr.h"
#include "nodes/parsenodes.h"
#include "portability/instr_time.h"
#include "tcop/tcopprot.h"
#include "utils/builtins.h"
#include "utils/memutils.h"
#include "utils/snapmgr.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(test_planning_time);

/* Microseconds that one planning of the query takes, hooks included: the mean of n, for this role. */
Datum
test_planning_time(PG_FUNCTION_ARGS)
{
	char *source = text_to_cstring(PG_GETARG_TEXT_PP(0));
	int32 n = PG_GETARG_INT32(1);
	List *queries = pg_analyze_and_rewrite_fixedparams(
		linitial_node(RawStmt, pg_parse_query(source)), source, NULL, 0, NULL);
	MemoryContext scratch =
		AllocSetContextCreate(CurrentMemoryContext, "planning", ALLOCSET_DEFAULT_SIZES);
	instr_time total;

	INSTR_TIME_SET_ZERO(total);
	for (int i = 0; i < n; i++)
	{
		MemoryContext old = MemoryContextSwitchTo(scratch);
		Query *query = copyObject(linitial_node(Query, queries));
		instr_time start;
		instr_time end;

		INSTR_TIME_SET_CURRENT(start);
		(void) pg_plan_query(query, source, CURSOR_OPT_PARALLEL_OK, NULL);
		INSTR_TIME_SET_CURRENT(end);
		INSTR_TIME_ACCUM_DIFF(total, end, start);
		MemoryContextSwitchTo(old);
		MemoryContextReset(scratch);
	}
	PG_RETURN_FLOAT8(INSTR_TIME_GET_DOUBLE(total) * 1e6 / n);
}
