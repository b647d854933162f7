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
#include "optimizer/tlist.h"
#include "parser/parse_coerce.h"
#include "parser/parsetree.h"
#include "utils/lsyscache.h"

#include "declaration/declaration.h"
#include "policy/hints/hints.h"
#include "policy/proof/proof.h"
#include "settings.h"

/* What is closest to one of PostgreSQL's aggregates. */
typedef struct Closest
{
	const char *name;
	const char *form; /* NULL: plain SQL answers it as it is (policy/rewrite/plain.c) */
} Closest;

#define OF_FRACTIONS                                                                               \
	"Write constant fractions from 0 to 1, 100 at most: percentile_cont(0.5), not percentile_cont(50)."
#define OF_CONDITIONS "Write count(*) FILTER (WHERE ...) or avg((...)::int)."
#define OF_PAIRS                                                                                   \
	"Ask for regr_count, var_pop and covar_pop of columns with bounds, and compute it from them."
#define OF_VALUES "Single values are never shown: ask for counts by group, or dp_histogram."
#define OF_ONE                                                                                     \
	"Groups of one person are not shown: let a sub-select make them, and aggregate around it, "    \
	"SELECT count(*), avg(n) FROM (SELECT unit, count(*) AS n FROM ... GROUP BY unit) s."
#define OF_TEXTS                                                                                   \
	"Single values are never shown: ask for counts by group, or for a number that is computed of " \
	"it, as length(x)."
#define OF_OTHERS "Single values are never shown: ask for counts by group."
#define AS_WRITTEN                                                                                 \
	"SET gaussdp.answer_plain_sql = on answers it as it is written; or use dp_count, dp_sum, "     \
	"dp_avg and their relatives."

static const Closest closest[] = {
	{"count", NULL},
	{"sum", NULL},
	{"avg", NULL},
	{"stddev", NULL},
	{"stddev_pop", NULL},
	{"stddev_samp", NULL},
	{"variance", NULL},
	{"var_pop", NULL},
	{"var_samp", NULL},
	{"percentile_cont", NULL},
	{"percentile_disc", NULL},
	{"min", NULL},
	{"max", NULL},
	{"mode", "Ask for counts by group, and take the largest in a query around."},
	{"bool_and", OF_CONDITIONS},
	{"bool_or", OF_CONDITIONS},
	{"every", OF_CONDITIONS},
	{"corr", NULL},
	{"covar_pop", NULL},
	{"covar_samp", NULL},
	{"regr_avgx", NULL},
	{"regr_avgy", NULL},
	{"regr_count", NULL},
	{"regr_intercept", NULL},
	{"regr_r2", NULL},
	{"regr_slope", NULL},
	{"regr_sxx", OF_PAIRS},
	{"regr_sxy", OF_PAIRS},
	{"regr_syy", OF_PAIRS},
	{"array_agg", OF_VALUES},
	{"string_agg", OF_VALUES},
	{"json_agg", OF_VALUES},
	{"jsonb_agg", OF_VALUES},
	{"json_object_agg", OF_VALUES},
	{"jsonb_object_agg", OF_VALUES},
	{"xmlagg", OF_VALUES},
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

bool
gaussdp_groups_by_person(const Query *query)
{
	ListCell *lc;

	foreach (lc, query->groupClause)
	{
		const Var *key = (const Var *) get_sortgroupclause_expr(lfirst_node(SortGroupClause, lc),
																query->targetList);
		const RangeTblEntry *entry;
		GaussdpTable table;

		if (!IsA(key, Var) || key->varlevelsup > 0)
			continue;
		entry = rt_fetch(key->varno, query->rtable);
		if (entry->rtekind == RTE_RELATION && gaussdp_table(entry->relid, &table) &&
			(key->varattno == table.unit ||
			 gaussdp_column_is_unique(entry->relid, key->varattno,
									  gaussdp_equality_of_type(key->vartype), key->varcollid)))
			return true;
	}
	return false;
}

/* A percentile's fractions are legal if they are constants. */
static bool
has_other_fractions(const Aggref *agg)
{
	const Const *fraction = agg->aggdirectargs != NIL ? linitial(agg->aggdirectargs) : NULL;

	if (fraction == NULL || (IsA(fraction, Const) && fraction->consttype != FLOAT8OID))
		return false;
	return !IsA(fraction, Const) || fraction->constisnull ||
		   !(DatumGetFloat8(fraction->constvalue) >= 0 &&
			 DatumGetFloat8(fraction->constvalue) <= 1);
}

/* The form that plain SQL answers; NULL where that is what is written. */
static const char *
plain_form(const Query *query, const Aggref *agg, const Closest *found)
{
	Oid element = get_element_type(agg->aggtype);
	Oid type = getBaseType(OidIsValid(element) ? element : agg->aggtype);

	if (found->form != NULL)
		return found->form;
	if (!is_answerable(type))
		return TypeCategory(type) == TYPCATEGORY_STRING ? OF_TEXTS : OF_OTHERS;
	if (has_other_fractions(agg))
		return OF_FRACTIONS;
	return gaussdp_groups_by_person(query) ? OF_ONE : NULL;
}

const char *
gaussdp_closest_aggregate(const Query *query, const Aggref *agg)
{
	const Closest *found = closest_to(agg->aggfnoid);
	const char *form = found != NULL ? plain_form(query, agg, found) : NULL;

	if (found == NULL)
		return gaussdp_aggregates_hint();
	if (form == NULL)
		return !gaussdp_answer_plain_sql   ? AS_WRITTEN
			   : agg->aggdirectargs != NIL ? OF_FRACTIONS
										   : OF_ONE;
	return gaussdp_answer_plain_sql ? form
									: psprintf("SET gaussdp.answer_plain_sql = on. %s", form);
}
