/*
 * admin.c
 *		Grants, limits and resets of budgets.
 *
 * The functions are SECURITY INVOKER: ownership is checked for the current role, whatever SET ROLE or
 * a SECURITY DEFINER function around them has made of it, and only then is the ledger read or written
 * as its owner (rights.c).  Spent amounts are cleared by reset_budget alone.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/namespace.h"
#include "catalog/pg_seclabel.h"
#include "catalog/pg_type.h"
#include "commands/dbcommands.h"
#include "common/shortest_dec.h"
#include "executor/spi.h"
#include "nodes/makefuncs.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/acl.h"
#include "utils/builtins.h"
#include "utils/float.h"
#include "utils/lsyscache.h"
#include "utils/varlena.h"
#include "utils/timestamp.h"

#include "compat.h"
#include "accounts.h"
#include "charged_roles.h"
#include "declaration/coordinator.h"
#include "defaults.h"
#include "journal.h"
#include "owners.h"
#include "queue.h"
#include "report.h"
#include "rights.h"
#include "settings.h"
#include "version.h"

/* A budget as its owner states it, and as it is kept. */
typedef struct BudgetLimit
{
	bool is_set;
	double epsilon;
	double delta;
	double threshold_delta;
	bool has_query_limit;
	double max_epsilon_per_query;
	Interval *every; /* NULL: one period, for ever */
	int64 mu2;
	int64 delta_units;
	int64 query_mu2;
} BudgetLimit;

static void
require(FunctionCallInfo fcinfo, int arg, const char *name)
{
	if (PG_ARGISNULL(arg))
		ereport(ERROR,
				(errcode(ERRCODE_NULL_VALUE_NOT_ALLOWED), errmsg("%s must not be null", name)));
}

/* The role's OID; InvalidOid for PUBLIC, in upper or lower case, unless there is a role of that name. */
static Oid
role_argument(FunctionCallInfo fcinfo, int arg)
{
	char *name;

	require(fcinfo, arg, "role");
	name = text_to_cstring(PG_GETARG_TEXT_PP(arg));
	return get_role_oid(name, pg_strcasecmp(name, "public") == 0);
}

/* A budget holds a mu^2 of less than 2048, as the ledger counts in units of 2^-52. */
static void
refuse_epsilon(double epsilon, double delta, const char *name)
{
	double most = 0;

	(void) gdp_profile_epsilon(sqrt(2048), delta, &most);
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("%s is out of range: %s", name, float8out_internal(epsilon)),
		 errdetail(
			 "With delta %s, %s must be at most %.0f: it must be worth a mu^2 of less than 2048.",
			 float8out_internal(delta), name, floor(most))));
}

/* The mu^2 that (epsilon, delta) allows, in the ledger's units, rounded down. */
static int64
units_of(double epsilon, double delta, const char *name)
{
	double mu = 0;
	int64_t units = 0;
	gdp_status status = gdp_profile_mu(epsilon, delta, &mu);

	if (status == GDP_OK)
		status = gdp_mu2_limit(mu, &units);
	if (status == GDP_OUT_OF_RANGE)
		refuse_epsilon(epsilon, delta, name);
	gaussdp_report(status, name, epsilon);
	return units;
}

/* epsilon, delta, every, max_epsilon_per_query, threshold_delta, from argument number first on. */
static BudgetLimit
limit_arguments(FunctionCallInfo fcinfo, int first)
{
	BudgetLimit limit = {.is_set = true, .query_mu2 = -1};

	require(fcinfo, first, "epsilon");
	require(fcinfo, first + 1, "delta");
	limit.epsilon = PG_GETARG_FLOAT8(first);
	limit.delta = PG_GETARG_FLOAT8(first + 1);
	if (!(limit.epsilon > 0 && isfinite(limit.epsilon)))
		gaussdp_report(GDP_BAD_EPSILON, "epsilon", limit.epsilon);
	if (!(limit.delta > 0 && limit.delta < 1))
		gaussdp_report(GDP_BAD_DELTA, "delta", limit.delta);
	limit.threshold_delta = PG_ARGISNULL(first + 4) ? limit.delta : PG_GETARG_FLOAT8(first + 4);
	if (!(limit.threshold_delta >= 0 && limit.threshold_delta < 1))
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("threshold_delta is out of range: %s",
							   float8out_internal(limit.threshold_delta)),
						errdetail("threshold_delta must be at least 0 and less than 1.")));
	if (!PG_ARGISNULL(first + 2))
	{
		limit.every = PG_GETARG_INTERVAL_P(first + 2);
		if (limit.every->month != 0 || limit.every->day < 0 || limit.every->day > 1000000 ||
			limit.every->time < 0 || limit.every->time > 1000000 * USECS_PER_DAY ||
			limit.every->day * USECS_PER_DAY + limit.every->time < USECS_PER_SEC)
			ereport(
				ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("every is out of range: %s",
						DatumGetCString(
							DirectFunctionCall1(interval_out, IntervalPGetDatum(limit.every)))),
				 errdetail(
					 "every must be a number of days and hours, without months or years, at least 1 second and at most 1000000 days.")));
	}

	limit.mu2 = units_of(limit.epsilon, limit.delta, "epsilon");
	gaussdp_report(gdp_delta_limit(limit.threshold_delta, &limit.delta_units), "threshold_delta",
				   limit.threshold_delta);
	limit.has_query_limit = !PG_ARGISNULL(first + 3);
	if (limit.has_query_limit)
	{
		limit.max_epsilon_per_query = PG_GETARG_FLOAT8(first + 3);
		if (!(limit.max_epsilon_per_query > 0 && isfinite(limit.max_epsilon_per_query)))
			gaussdp_report(GDP_BAD_EPSILON, "max_epsilon_per_query", limit.max_epsilon_per_query);
		limit.query_mu2 =
			units_of(limit.max_epsilon_per_query, limit.delta, "max_epsilon_per_query");
	}
	return limit;
}

/* Else each call that takes the defaults would be refused. */
static void
check_defaults(const BudgetLimit *limit, const GaussdpDefaults *defaults)
{
	bool is_of_query = limit->has_query_limit && limit->query_mu2 < limit->mu2;
	int64 most = is_of_query ? limit->query_mu2 : limit->mu2;
	const char *limit_name = is_of_query ? "max_epsilon_per_query" : "epsilon";
	double epsilon = 0;

	if (!(defaults->epsilon > 0 && defaults->delta > 0) ||
		units_of(defaults->epsilon, defaults->delta, "default_epsilon") <= most)
		return;
	gaussdp_report(gdp_profile_epsilon(gdp_mu2_mu_up(most), defaults->delta, &epsilon),
				   "default_delta", defaults->delta);
	epsilon = gaussdp_three_digits(epsilon, GAUSSDP_ROUND_DOWN);
	if (!(epsilon > 0))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("default_delta is out of range: %s", float8out_internal(defaults->delta)),
				 errdetail("With any default_epsilon it is worth more than the %s of the grant.",
						   limit_name)));
	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("default_epsilon is out of range: %s", float8out_internal(defaults->epsilon)),
		 errdetail("With default_delta %s, default_epsilon must be at most %s: the "
				   "%s of the grant is worth no more.",
				   float8out_internal(defaults->delta), float8out_internal(epsilon), limit_name)));
}

/*
 * A new role inherits what a dropped one of the same name had spent in its period, of several the most: else whoever
 * drops and creates a role again would have a fresh budget.
 */
static void
adopt_spent(const GaussdpLedgerTable *table, Oid role, const char *name)
{
	Oid types[] = {TEXTOID, OIDOID, OIDOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(table->population.people),
					  ObjectIdGetDatum(table->population.relation), ObjectIdGetDatum(role),
					  CStringGetTextDatum(name)};

	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.ledger_account AS p SET role = $3::regrole, spent_mu2 = gone.mu2,"
		" spent_delta = gone.delta,"
		" term = term + CASE WHEN same THEN 0 ELSE 1 END,"
		" carried_mu2 = CASE WHEN same THEN carried_mu2 ELSE gone.mu2 END,"
		" carried_delta = CASE WHEN same THEN carried_delta ELSE gone.delta END"
		" FROM (SELECT max(now_mu2) AS mu2, max(now_delta) AS delta,"
		"     (array_agg(n.role ORDER BY now_mu2 DESC, now_delta DESC))[1] AS role,"
		"     (array_agg(n.spent_mu2 ORDER BY now_mu2 DESC, now_delta DESC))[1] = max(now_mu2) AND"
		"     (array_agg(n.spent_delta ORDER BY now_mu2 DESC, now_delta DESC))[1] = max(now_delta) AS same"
		"   FROM gaussdp_internal.ledger_account_now AS n"
		"   WHERE people = $1 AND relation = $2::regclass"
		"   AND holder = 'r' AND role_name = $4 AND role <> 0"
		"   AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS a WHERE a.oid = n.role)) AS gone"
		" WHERE people = $1 AND relation = $2::regclass AND holder = 'r'"
		" AND p.role = gone.role"
		" AND NOT EXISTS (SELECT FROM gaussdp_internal.ledger_account AS q WHERE people = $1"
		"   AND relation = $2::regclass AND holder = 'r' AND role = $3::regrole)",
		4, types, values, NULL, false);
}

/* So it does errors and suspension: of several dropped roles, those of the worst. */
static void
adopt_errors(const GaussdpLedgerTable *table, Oid role, const char *name)
{
	Oid types[] = {TEXTOID, OIDOID, OIDOID, TEXTOID};
	Datum values[] = {CStringGetTextDatum(table->population.people),
					  ObjectIdGetDatum(table->population.relation), ObjectIdGetDatum(role),
					  CStringGetTextDatum(name)};

	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.error_count SET role = $3::regrole WHERE ctid IN ("
		"   SELECT n.ctid FROM gaussdp_internal.error_count AS n WHERE people = $1"
		"   AND relation = $2::regclass AND role_name = $4"
		"   AND NOT EXISTS (SELECT FROM pg_catalog.pg_roles AS a WHERE a.oid = n.role)"
		"   ORDER BY suspended, paused_until DESC NULLS LAST, errors DESC LIMIT 1)"
		" AND NOT EXISTS (SELECT FROM gaussdp_internal.error_count WHERE people = $1"
		"   AND relation = $2::regclass AND role = $3::regrole)",
		4, types, values, NULL, false);
}

/* Another length of periods, after the present one is over: what was spent in it is not taken along. */
#define BEGINS_ANEW                                                                                \
	"p.every IS DISTINCT FROM $13"                                                                 \
	" AND gaussdp_internal.period_number(p.since, p.every) > p.period"

static const char update_limit_query[] =
	"UPDATE gaussdp_internal.ledger_account AS p SET"
	" role_name = $5, granted = true, epsilon = $6, delta = $7, threshold_delta = $8,"
	" max_epsilon_per_query = $9, limit_mu2 = $10, limit_delta = $11, query_mu2 = $12, every = $13,"
	" spent_mu2 = CASE WHEN " BEGINS_ANEW " THEN 0 ELSE p.spent_mu2 END,"
	" spent_delta = CASE WHEN " BEGINS_ANEW " THEN 0 ELSE p.spent_delta END,"
	" carried_mu2 = CASE WHEN " BEGINS_ANEW " THEN 0 ELSE p.carried_mu2 END,"
	" carried_delta = CASE WHEN " BEGINS_ANEW " THEN 0 ELSE p.carried_delta END,"
	" term = CASE WHEN " BEGINS_ANEW " THEN p.term + 1 ELSE p.term END,"
	" since = CASE WHEN p.every IS NOT DISTINCT FROM $13 THEN p.since"
	"   ELSE pg_catalog.clock_timestamp() END,"
	" period = CASE WHEN p.every IS NOT DISTINCT FROM $13 THEN p.period ELSE 0 END"
	" WHERE people = $1 AND relation = $2::regclass AND holder = $3 AND role = $4::regrole";

static const char insert_limit_query[] =
	"INSERT INTO gaussdp_internal.ledger_account"
	" (people, relation, holder, role, role_name, granted, epsilon, delta, threshold_delta,"
	"  max_epsilon_per_query, limit_mu2, limit_delta, query_mu2, every)"
	" SELECT $1, $2::regclass, $3, $4::regrole, $5, true, $6, $7, $8, $9, $10, $11, $12, $13"
	" WHERE NOT EXISTS (SELECT FROM gaussdp_internal.ledger_account WHERE people = $1"
	"   AND relation = $2::regclass AND holder = $3 AND role = $4::regrole)";

static void
write_limit(const GaussdpLedgerTable *table, char holder, Oid role, const char *name,
			const BudgetLimit *limit)
{
	Oid types[] = {TEXTOID,   OIDOID,    CHAROID, OIDOID,  TEXTOID, FLOAT8OID,  FLOAT8OID,
				   FLOAT8OID, FLOAT8OID, INT8OID, INT8OID, INT8OID, INTERVALOID};
	Datum values[] = {CStringGetTextDatum(table->population.people),
					  ObjectIdGetDatum(table->population.relation),
					  CharGetDatum(holder),
					  ObjectIdGetDatum(role),
					  CStringGetTextDatum(name),
					  Float8GetDatum(limit->epsilon),
					  Float8GetDatum(limit->delta),
					  Float8GetDatum(limit->threshold_delta),
					  Float8GetDatum(limit->max_epsilon_per_query),
					  Int64GetDatum(limit->mu2),
					  Int64GetDatum(limit->delta_units),
					  Int64GetDatum(limit->query_mu2),
					  IntervalPGetDatum(limit->every)};
	char nulls[] = "             ";

	if (!limit->is_set)
		memset(nulls + 5, 'n', 8);
	if (!limit->has_query_limit)
		nulls[8] = nulls[11] = 'n';
	if (limit->every == NULL)
		nulls[12] = 'n';
	gaussdp_lock_new_account(&table->population, holder, role);
	gaussdp_ledger_run(update_limit_query, 13, types, values, nulls, false);
	if (SPI_processed == 0)
		gaussdp_ledger_run(insert_limit_query, 13, types, values, nulls, false);
}

static void
append_term(StringInfo terms, const char *name, double x)
{
	char digits[DOUBLE_SHORTEST_DECIMAL_LEN];

	double_to_shortest_decimal_buf(x, digits);
	appendStringInfo(terms, "%s%s %s", terms->len > 0 ? ", " : "", name, digits);
}

/* A limit for the journal, in the words of its owner; numbers with all digits, whatever the session's extra_float_digits is. */
static const char *
terms_of(const BudgetLimit *limit)
{
	StringInfoData terms;

	if (!limit->is_set)
		return "no limit";
	initStringInfo(&terms);
	append_term(&terms, "epsilon", limit->epsilon);
	append_term(&terms, "delta", limit->delta);
	append_term(&terms, "threshold_delta", limit->threshold_delta);
	if (limit->has_query_limit)
		append_term(&terms, "max_epsilon_per_query", limit->max_epsilon_per_query);
	if (limit->every != NULL)
		appendStringInfo(&terms, ", every %d days " INT64_FORMAT " s", limit->every->day,
						 (int64) (limit->every->time / USECS_PER_SEC));
	return terms.data;
}

/* max_relation_pages; 0: no limit. */
static int64
page_limit_argument(FunctionCallInfo fcinfo, int arg)
{
	int64 pages = PG_ARGISNULL(arg) ? 0 : PG_GETARG_INT64(arg);

	if (!PG_ARGISNULL(arg) && pages < 1)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("max_relation_pages is out of range: " INT64_FORMAT, pages),
						errdetail("max_relation_pages must be at least 1.")));
	return pages;
}

/* reuse_answers in seconds; 0: not at all. */
static int64
reuse_argument(FunctionCallInfo fcinfo, int arg)
{
	Interval *time = PG_ARGISNULL(arg) ? NULL : PG_GETARG_INTERVAL_P(arg);
	int64 length = time == NULL ? 0 : time->day * USECS_PER_DAY + time->time;

	if (time != NULL &&
		(time->month != 0 || abs(time->day) > 366 || length < 0 || length > 366 * USECS_PER_DAY))
		ereport(
			ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
			 errmsg("reuse_answers is out of range: %s",
					DatumGetCString(DirectFunctionCall1(interval_out, IntervalPGetDatum(time)))),
			 errdetail("reuse_answers must be a number of days and hours, at most 366 days.")));
	return length / USECS_PER_SEC;
}

/* max_resource_errors; -1: as the setting says. */
static int
resource_errors_argument(FunctionCallInfo fcinfo, int arg)
{
	int most = PG_ARGISNULL(arg) ? -1 : PG_GETARG_INT32(arg);

	if (!PG_ARGISNULL(arg) && (most < 0 || most > GAUSSDP_MAX_LET_PASS))
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("max_resource_errors is out of range: %d", most),
				 errdetail("max_resource_errors must be between 0 and %d.", GAUSSDP_MAX_LET_PASS)));
	return most;
}

static const char *
with_grant_terms(const char *terms, const GaussdpGrantTerms *grant)
{
	if (grant->max_pages > 0)
		terms = psprintf("%s, max_relation_pages " INT64_FORMAT, terms, grant->max_pages);
	if (grant->reuse > 0)
		terms = psprintf("%s, reuse_answers " INT64_FORMAT " s", terms, grant->reuse);
	if (grant->max_resource_errors >= 0)
		terms = psprintf("%s, max_resource_errors %d", terms, grant->max_resource_errors);
	return terms;
}

PG_FUNCTION_INFO_V1(gaussdp_grant_budget);
Datum
gaussdp_grant_budget(PG_FUNCTION_ARGS)
{
	Oid role = role_argument(fcinfo, 0);
	const char *name = OidIsValid(role) ? GetUserNameFromId(role, false) : "public";
	GaussdpLedgerTable table;
	BudgetLimit limit;
	GaussdpDefaults defaults;
	GaussdpGrantTerms terms;
	GaussdpLedgerRights caller;

	require(fcinfo, 1, "table");
	gaussdp_demand_coordinator();
	gaussdp_open_population(PG_GETARG_OID(1), &table);
	limit = limit_arguments(fcinfo, 2);
	defaults = gaussdp_default_arguments(fcinfo, 7);
	check_defaults(&limit, &defaults);
	terms.max_pages = page_limit_argument(fcinfo, 9);
	terms.reuse = reuse_argument(fcinfo, 10);
	terms.max_resource_errors = resource_errors_argument(fcinfo, 11);
	caller = gaussdp_enter_ledger();
	gaussdp_check_acts();
	if (OidIsValid(role))
	{
		gaussdp_lock_new_account(&table.population, 'r', role);
		adopt_spent(&table, role, name);
		adopt_errors(&table, role, name);
	}
	gaussdp_add_population_account(&table.population);
	write_limit(&table, 'r', role, name, &limit);
	gaussdp_write_defaults(&table, role, &defaults);
	gaussdp_write_grant_terms(&table, role, &terms);
	gaussdp_forget_defaults(&table);
	gaussdp_journal_act("grant", &table, name, with_grant_terms(terms_of(&limit), &terms));
	gaussdp_leave_ledger(caller);
	gaussdp_warn_of_other_owners(&table);
	gaussdp_warn_of_path(PG_GETARG_OID(1));
	gaussdp_warn_of_server();
	PG_RETURN_VOID();
}

/* Who revokes what a role has by its groups or PUBLIC would take it for done. */
static void
notice_no_budget(Oid role, Oid relid)
{
	const char *table = gaussdp_relation_name(relid);

	if (!OidIsValid(role))
		ereport(NOTICE, (errmsg("PUBLIC has no budget for the people of table %s", table)));
	else
		ereport(NOTICE, (errmsg("role \"%s\" has no budget of its own for the people of table %s",
								GetUserNameFromId(role, false), table),
						 errhint("It still asks by the budgets of its groups and of PUBLIC, which "
								 "gaussdp.budget shows.")));
}

PG_FUNCTION_INFO_V1(gaussdp_revoke_budget);
Datum
gaussdp_revoke_budget(PG_FUNCTION_ARGS)
{
	Oid role = role_argument(fcinfo, 0);
	GaussdpLedgerTable table;
	Oid types[] = {TEXTOID, OIDOID, OIDOID};
	Datum values[3];
	GaussdpLedgerRights caller;

	require(fcinfo, 1, "table");
	gaussdp_open_population(PG_GETARG_OID(1), &table);
	caller = gaussdp_enter_ledger();
	values[0] = CStringGetTextDatum(table.population.people);
	values[1] = ObjectIdGetDatum(table.population.relation);
	values[2] = ObjectIdGetDatum(role);
	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.ledger_account SET granted = false WHERE people = $1"
		" AND relation = $2::regclass AND holder = 'r' AND role = $3::regrole AND granted",
		3, types, values, NULL, false);
	if (SPI_processed > 0)
	{
		gaussdp_forget_defaults(&table);
		gaussdp_journal_act("revoke", &table,
							OidIsValid(role) ? GetUserNameFromId(role, false) : "public", NULL);
	}
	else
		notice_no_budget(role, PG_GETARG_OID(1));
	gaussdp_leave_ledger(caller);
	PG_RETURN_VOID();
}

/* Refuses a name that means a population and also a table with other people: which of them to limit is not clear. */
static void
refuse_ambiguous(char *name)
{
	GaussdpPopulation other;
	List *names;
	RangeVar *range;
	Oid relid = InvalidOid;

	if (!SplitIdentifierString(pstrdup(name), '.', &names))
		names = NIL;
	if (list_length(names) == 3 && get_database_oid(linitial(names), true) == MyDatabaseId)
		names = list_delete_first(names);
	if (list_length(names) == 1 ||
		list_length(names) == 2) /* none where the name is of spaces alone */
	{
		range = makeRangeVar(list_length(names) == 2 ? linitial(names) : NULL, llast(names), -1);
		relid = RangeVarGetRelid(range, NoLock, true);
	}
	if (OidIsValid(relid) && gaussdp_population(relid, &other) && strcmp(other.people, name) != 0)
		ereport(ERROR,
				(errcode(ERRCODE_AMBIGUOUS_PARAMETER),
				 errmsg("\"%s\" is a population and also a table with other people", name),
				 errhint("Give the table's people a name of their own by gaussdp.protect().")));
}

/* The population that the first argument names, or the people of the table that it names; locked, and the caller's. */
static GaussdpLedgerTable
people_argument(FunctionCallInfo fcinfo)
{
	GaussdpLedgerTable table = {0};
	List *tables;
	char *people;

	require(fcinfo, 0, "people");
	gaussdp_check_version("No budget was changed.");
	people = text_to_cstring(PG_GETARG_TEXT_PP(0));
	table.population = gaussdp_declared_population(people, InvalidOid);
	tables = people[0] == '\0' || strlen(people) >= NAMEDATALEN
				 ? NIL
				 : gaussdp_tables_of(&table.population);
	if (tables != NIL)
	{
		refuse_ambiguous(people);
		table.relid = linitial_oid(tables);
		gaussdp_check_ownership(&table.population, InvalidOid);
		gaussdp_lock_population(&table.population, RowExclusiveLock);
		/* The last table may have gone, or one have come, while this waited. */
		tables = gaussdp_tables_of(&table.population);
		if (tables != NIL)
			table.relid = linitial_oid(tables);
		gaussdp_check_ownership(&table.population, InvalidOid);
	}
	if (tables == NIL)
		gaussdp_open_population(RangeVarGetRelid(makeRangeVarFromNameList(
													 textToQualifiedNameList(PG_GETARG_TEXT_PP(0))),
												 NoLock, false),
								&table);
	return table;
}

static void
set_population_limit(const GaussdpLedgerTable *table, const BudgetLimit *limit)
{
	GaussdpLedgerRights caller = gaussdp_enter_ledger();

	gaussdp_check_acts();
	write_limit(table, 'p', InvalidOid, "", limit);
	gaussdp_forget_defaults(table); /* thresholds of plans were made for its limits */
	gaussdp_journal_act("limit", table, NULL, terms_of(limit));
	gaussdp_leave_ledger(caller);
}

PG_FUNCTION_INFO_V1(gaussdp_set_population_budget);
Datum
gaussdp_set_population_budget(PG_FUNCTION_ARGS)
{
	GaussdpLedgerTable table;
	BudgetLimit limit;

	gaussdp_demand_coordinator();
	table = people_argument(fcinfo);
	limit = limit_arguments(fcinfo, 1);
	set_population_limit(&table, &limit);
	gaussdp_warn_of_other_owners(&table);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(gaussdp_drop_population_budget);
Datum
gaussdp_drop_population_budget(PG_FUNCTION_ARGS)
{
	GaussdpLedgerTable table = people_argument(fcinfo);
	BudgetLimit none = {0};

	set_population_limit(&table, &none);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(gaussdp_share_answers);
Datum
gaussdp_share_answers(PG_FUNCTION_ARGS)
{
	GaussdpLedgerTable table = people_argument(fcinfo);
	Oid types[] = {TEXTOID, OIDOID, BOOLOID};
	Datum values[3];
	bool share = !PG_ARGISNULL(1) && PG_GETARG_BOOL(1);
	GaussdpLedgerRights caller;

	require(fcinfo, 1, "share");
	caller = gaussdp_enter_ledger();
	gaussdp_check_acts();
	gaussdp_add_population_account(&table.population);
	values[0] = CStringGetTextDatum(table.population.people);
	values[1] = ObjectIdGetDatum(table.population.relation);
	values[2] = BoolGetDatum(share);
	gaussdp_ledger_run("UPDATE gaussdp_internal.ledger_account SET share_answers = $3"
					   " WHERE people = $1 AND relation = $2::regclass AND holder = 'p'",
					   3, types, values, NULL, false);
	gaussdp_journal_act("limit", &table, NULL, share ? "share_answers on" : "share_answers off");
	gaussdp_leave_ledger(caller);
	PG_RETURN_VOID();
}

/* Forgets what the role, or PUBLIC, or with all everybody has spent on a population. */
static void
forget_spent(const GaussdpLedgerTable *table, bool all, Oid role)
{
	Oid types[] = {TEXTOID, OIDOID, OIDOID, BOOLOID};
	Datum values[] = {CStringGetTextDatum(table->population.people),
					  ObjectIdGetDatum(table->population.relation), ObjectIdGetDatum(role),
					  BoolGetDatum(all)};
	GaussdpLedgerRights caller = gaussdp_enter_ledger();

	gaussdp_ledger_run("UPDATE gaussdp_internal.ledger_account SET spent_mu2 = 0, spent_delta = 0,"
					   " carried_mu2 = 0, carried_delta = 0, term = term + 1 WHERE people = $1"
					   " AND relation = $2::regclass"
					   " AND ($4 OR holder = 'r' AND role = $3::regrole)"
					   " AND (spent_mu2 <> 0 OR spent_delta <> 0)",
					   4, types, values, NULL, false);
	/* Where nothing was spent there is nothing to tell, however often somebody asks for it. */
	if (SPI_processed > 0)
		gaussdp_journal_act("reset", table,
							all                ? NULL
							: OidIsValid(role) ? GetUserNameFromId(role, false)
											   : "public",
							NULL);
	gaussdp_leave_ledger(caller);
}

PG_FUNCTION_INFO_V1(gaussdp_reset_budget);
Datum
gaussdp_reset_budget(PG_FUNCTION_ARGS)
{
	Oid role = role_argument(fcinfo, 0);
	GaussdpLedgerTable table;

	require(fcinfo, 1, "table");
	gaussdp_open_population(PG_GETARG_OID(1), &table);
	forget_spent(&table, false, role);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(gaussdp_reset_population_budget);
Datum
gaussdp_reset_population_budget(PG_FUNCTION_ARGS)
{
	GaussdpLedgerTable table = people_argument(fcinfo);

	forget_spent(&table, true, InvalidOid);
	PG_RETURN_VOID();
}

PG_FUNCTION_INFO_V1(gaussdp_period_number);
Datum
gaussdp_period_number(PG_FUNCTION_ARGS)
{
	PG_RETURN_INT64(
		gaussdp_period(PG_GETARG_TIMESTAMPTZ(0), PG_ARGISNULL(1) ? NULL : PG_GETARG_INTERVAL_P(1)));
}

PG_FUNCTION_INFO_V1(gaussdp_mu2_epsilon);
Datum
gaussdp_mu2_epsilon(PG_FUNCTION_ARGS)
{
	int64 mu2 = PG_GETARG_INT64(0);
	double delta = PG_GETARG_FLOAT8(1);
	double epsilon = 0;

	if (mu2 > 0)
		gaussdp_report(gdp_profile_epsilon(gdp_mu2_mu_up(mu2), delta, &epsilon), "delta", delta);
	PG_RETURN_FLOAT8(epsilon);
}

PG_FUNCTION_INFO_V1(gaussdp_three_digits_of);
Datum
gaussdp_three_digits_of(PG_FUNCTION_ARGS)
{
	PG_RETURN_FLOAT8(gaussdp_three_digits(
		PG_GETARG_FLOAT8(0), PG_GETARG_BOOL(1) ? GAUSSDP_ROUND_UP : GAUSSDP_ROUND_DOWN));
}
