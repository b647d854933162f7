/*
 * contained.c
 *		For tests: expressions as contained() takes them, made of SQL.
 */
#include "postgres.h"

#include "access/parallel.h"
#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "nodes/makefuncs.h"
#include "parser/parse_coerce.h"
#include "parser/parse_collate.h"
#include "parser/parse_expr.h"
#include "parser/parse_node.h"
#include "parser/parse_param.h"
#include "parser/parser.h"
#include "utils/array.h"
#include "utils/builtins.h"
#include "utils/memutils.h"

#include "compat.h"

PG_FUNCTION_INFO_V1(test_tree);
PG_FUNCTION_INFO_V1(test_memory);
PG_FUNCTION_INFO_V1(test_peak);
PG_FUNCTION_INFO_V1(test_fails_in_worker);
PG_FUNCTION_INFO_V1(test_then_cancelled);

/* test_tree(text, regtype[]): the expression, in which $n has the n-th of these types. */
Datum
test_tree(PG_FUNCTION_ARGS)
{
	char *sql = psprintf("SELECT %s", text_to_cstring(PG_GETARG_TEXT_PP(0)));
	ArrayType *types = PG_GETARG_ARRAYTYPE_P(1);
	RawStmt *raw = linitial_node(RawStmt, raw_parser(sql, RAW_PARSE_DEFAULT));
	ParseState *pstate = make_parsestate(NULL);
	ResTarget *target = linitial_node(ResTarget, ((SelectStmt *) raw->stmt)->targetList);
	Node *expression;

	pstate->p_sourcetext = sql;
	setup_parse_fixed_parameters(pstate, (Oid *) ARR_DATA_PTR(types),
								 ArrayGetNItems(ARR_NDIM(types), ARR_DIMS(types)));
	expression = transformExpr(pstate, target->val, EXPR_KIND_SELECT_TARGET);
	if (exprType(expression) == UNKNOWNOID)
		expression = coerce_to_target_type(pstate, expression, UNKNOWNOID, TEXTOID, -1,
										   COERCION_EXPLICIT, COERCE_EXPLICIT_CAST, -1);
	assign_expr_collations(pstate, expression);
	free_parsestate(pstate);
	PG_RETURN_TEXT_P(cstring_to_text(nodeToString(expression)));
}

/* test_memory(): the session's own memory, in bytes: that of a query aside. */
Datum
test_memory(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(MemoryContextMemAllocated(TopMemoryContext, true));
}

/* test_peak(): the most memory that the process has had since the last call, in bytes; 0 where the system does not say. */
Datum
test_peak(PG_FUNCTION_ARGS)
{
	FILE *status = fopen("/proc/self/status", "r");
	FILE *clear;
	char line[256];
	long long peak = 0;

	while (status != NULL && fgets(line, sizeof(line), status) != NULL)
		if (sscanf(line, "VmHWM: %lld kB", &peak) == 1)
			break;
	if (status != NULL)
		fclose(status);
	clear = fopen("/proc/self/clear_refs", "w");
	if (clear != NULL)
	{
		fputs("5\n", clear);
		fclose(clear);
	}
	PG_RETURN_INT64(peak * 1024);
}

/* Fails in a parallel worker; elsewhere it gives its argument, a little later. */
Datum
test_fails_in_worker(PG_FUNCTION_ARGS)
{
	if (IsParallelWorker())
		ereport(ERROR, (errcode(ERRCODE_DIVISION_BY_ZERO), errmsg("failed in a worker")));
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}

/* Gives its argument, and the query is cancelled from then on. */
Datum
test_then_cancelled(PG_FUNCTION_ARGS)
{
	InterruptPending = true;
	QueryCancelPending = true;
	PG_RETURN_DATUM(PG_GETARG_DATUM(0));
}
