/*
 * aggregates.c
 *		What to write in place of an aggregate that is not private.
 *
 * Words of a refusal, which decide nothing.
 */
#include "postgres.h"

#include "access/transam.h"
#include "catalog/pg_namespace.h"
#include "catalog/pg_type.h"
#include "utils/lsyscache.h"

#include "policy/hints/hints.h"
#include "settings.h"

/* What is closest to one of PostgreSQL's aggregates. */
typedef struct Closest
{
	const char *name;
	bool is_answered; /* by plain SQL (policy/rewrite/plain.c) */
	const char *form; /* NULL: what is answered has no form but its own */
} Closest;

#define OF_FRACTIONS                                                                               \
	"Write constant fractions from 0 to 1, 100 at most: percentile_cont(0.5), not percentile_cont(50)."
#define OF_CONDITIONS "Write count(*) FILTER (WHERE ...) or avg((...)::int)."
#define OF_PAIRS "Ask for regr_count, var_pop and covar_pop, and compute it from them around."
#define OF_VALUES "Single values are never shown: ask for counts by group, or dp_histogram."
#define OF_ONE                                                                                     \
	"Groups of one person are not shown: let a sub-select make them, and aggregate around it, "    \
	"SELECT count(*), avg(n) FROM (SELECT unit, count(*) AS n FROM ... GROUP BY unit) s."
#define OF_NO_NUMBER                                                                               \
	"Single values are never shown: ask for counts by group, or for a number that is computed of " \
	"it, as length(x)."

static const Closest closest[] = {
	{"count", true, NULL},
	{"sum", true, NULL},
	{"avg", true, NULL},
	{"stddev", true, NULL},
	{"stddev_pop", true, NULL},
	{"stddev_samp", true, NULL},
	{"variance", true, NULL},
	{"var_pop", true, NULL},
	{"var_samp", true, NULL},
	{"percentile_cont", true, OF_FRACTIONS},
	{"percentile_disc", true, OF_FRACTIONS},
	{"min", true, NULL},
	{"max", true, NULL},
	{"mode", false, "Ask for counts by group, and take the largest in a query around."},
	{"bool_and", false, OF_CONDITIONS},
	{"bool_or", false, OF_CONDITIONS},
	{"every", false, OF_CONDITIONS},
	{"corr", true, NULL},
	{"covar_pop", true, NULL},
	{"covar_samp", true, NULL},
	{"regr_avgx", true, NULL},
	{"regr_avgy", true, NULL},
	{"regr_count", true, NULL},
	{"regr_intercept", true, NULL},
	{"regr_r2", true, NULL},
	{"regr_slope", true, NULL},
	{"regr_sxx", false, OF_PAIRS},
	{"regr_sxy", false, OF_PAIRS},
	{"regr_syy", false, OF_PAIRS},
	{"array_agg", false, OF_VALUES},
	{"string_agg", false, OF_VALUES},
	{"json_agg", false, OF_VALUES},
	{"jsonb_agg", false, OF_VALUES},
};

/* Types in which an answer may be expected: numbers, and what is measured as one. */
static bool
is_answerable(Oid type)
{
	return type == INT2OID || type == INT4OID || type == INT8OID || type == FLOAT4OID ||
		   type == FLOAT8OID || type == NUMERICOID || type == DATEOID || type == TIMEOID ||
		   type == TIMESTAMPOID || type == TIMESTAMPTZOID || type == INTERVALOID || type == CASHOID;
}

/* PostgreSQL's own alone: what others call sum is theirs. */
static const Closest *
closest_to(Oid aggfnoid)
{
	const char *name;

	if (aggfnoid >= FirstNormalObjectId || get_func_namespace(aggfnoid) != PG_CATALOG_NAMESPACE)
		return NULL;
	name = get_func_name(aggfnoid);
	for (size_t i = 0; name != NULL && i < lengthof(closest); i++)
		if (strcmp(closest[i].name, name) == 0)
			return &closest[i];
	return NULL;
}

const char *
gaussdp_aggregates_hint(void)
{
	return gaussdp_answer_plain_sql
			   ? "Ask for aggregates of many people: SELECT count(*), avg(x) FROM ..."
			   : "Select dp_ calls, e.g. SELECT dp_count(1, 1e-6) FROM ...";
}

const char *
gaussdp_closest_aggregate(Oid aggfnoid, Oid type)
{
	const Closest *found = closest_to(aggfnoid);

	if (found == NULL)
		return NULL;
	/* One whose text is a view's is not answered by the setting, which may be on then. */
	if (found->is_answered && !gaussdp_answer_plain_sql)
		return "SET gaussdp.answer_plain_sql = on answers it as it is written; or use dp_count, dp_sum, "
			   "dp_avg and their relatives.";
	if (found->is_answered && found->form == NULL)
		return is_answerable(type) ? OF_ONE : OF_NO_NUMBER;
	return found->form;
}
