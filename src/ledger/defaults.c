/*
 * defaults.c
 *		Epsilon and delta of calls that give none, as a grant states them.
 *
 * Reads and writes two columns of gaussdp_internal.ledger_account.  They decide nothing about what a role may
 * spend: the policy puts them into a query as it is planned, and what executes is charged like any other call.
 */
#include "postgres.h"

#include <math.h>

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "utils/builtins.h"
#include "utils/inval.h"

#include "charged_roles.h"
#include "compat.h"
#include "declaration/population.h"
#include "defaults.h"
#include "report.h"
#include "rights.h"

GaussdpDefaults
gaussdp_default_arguments(FunctionCallInfo fcinfo, int first)
{
	GaussdpDefaults defaults = {0};

	if (!PG_ARGISNULL(first))
	{
		defaults.epsilon = PG_GETARG_FLOAT8(first);
		if (!(defaults.epsilon > 0 && isfinite(defaults.epsilon)))
			gaussdp_report(GDP_BAD_EPSILON, "default_epsilon", defaults.epsilon);
	}
	if (!PG_ARGISNULL(first + 1))
	{
		defaults.delta = PG_GETARG_FLOAT8(first + 1);
		if (!(defaults.delta > 0 && defaults.delta < 1))
			gaussdp_report(GDP_BAD_DELTA, "default_delta", defaults.delta);
	}
	return defaults;
}

void
gaussdp_write_defaults(const GaussdpLedgerTable *table, Oid role, const GaussdpDefaults *defaults)
{
	Oid types[] = {TEXTOID, OIDOID, OIDOID, FLOAT8OID, FLOAT8OID};
	Datum values[] = {CStringGetTextDatum(table->population.people),
					  ObjectIdGetDatum(table->population.relation), ObjectIdGetDatum(role),
					  Float8GetDatum(defaults->epsilon), Float8GetDatum(defaults->delta)};

	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.ledger_account"
		" SET default_epsilon = nullif($4, 0), default_delta = nullif($5, 0)"
		" WHERE people = $1 AND relation = $2::regclass AND holder = 'r' AND role = $3::regrole",
		5, types, values, NULL, false);
}

void
gaussdp_write_grant_terms(const GaussdpLedgerTable *table, Oid role, const GaussdpGrantTerms *terms)
{
	Oid types[] = {TEXTOID, OIDOID, OIDOID, INT8OID, INT8OID, INT4OID};
	Datum values[] = {CStringGetTextDatum(table->population.people),
					  ObjectIdGetDatum(table->population.relation),
					  ObjectIdGetDatum(role),
					  Int64GetDatum(terms->max_pages),
					  Int64GetDatum(terms->reuse),
					  Int32GetDatum(terms->max_resource_errors)};

	gaussdp_ledger_run(
		"UPDATE gaussdp_internal.ledger_account SET max_relation_pages = nullif($4, 0),"
		" reuse_answers = nullif($5, 0), max_resource_errors = nullif($6, -1)"
		" WHERE people = $1 AND relation = $2::regclass AND holder = 'r' AND role = $3::regrole",
		6, types, values, NULL, false);
}

void
gaussdp_forget_defaults(const GaussdpLedgerTable *table)
{
	ListCell *lc;

	foreach (lc, gaussdp_tables_of(&table->population))
		CacheInvalidateRelcacheByRelid(lfirst_oid(lc));
}

static const char defaults_query[] =
	"SELECT min(default_epsilon), min(default_delta) FROM gaussdp_internal.ledger_account"
	" WHERE people = $1 AND relation = $2::regclass AND holder = 'r' AND granted AND role = $3::regrole";

/* The smaller of what was found and what this account has. */
static double
least(double found, int column)
{
	bool isnull;
	Datum value = SPI_getbinval(SPI_tuptable->vals[0], SPI_tuptable->tupdesc, column, &isnull);

	if (isnull)
		return found;
	return found > 0 ? fmin(found, DatumGetFloat8(value)) : DatumGetFloat8(value);
}

void
gaussdp_take_defaults(Oid role, Oid relid, GaussdpDefaults *defaults)
{
	GaussdpDefaults found = {0};
	GaussdpPopulation population;
	GaussdpLedgerRights caller;
	List *roles;
	ListCell *lc;

	if (!gaussdp_population(relid, &population))
		return;
	roles = list_copy(gaussdp_charged_roles(&population, role));
	if (roles == NIL)
		return;
	caller = gaussdp_enter_ledger();
	foreach (lc, roles)
	{
		Oid types[] = {TEXTOID, OIDOID, OIDOID};
		Datum values[] = {CStringGetTextDatum(population.people),
						  ObjectIdGetDatum(population.relation), ObjectIdGetDatum(lfirst_oid(lc))};

		gaussdp_ledger_run(defaults_query, 3, types, values, NULL, true);
		found.epsilon = least(found.epsilon, 1);
		found.delta = least(found.delta, 2);
	}
	gaussdp_leave_ledger(caller);
	if (!(defaults->epsilon > 0))
		defaults->epsilon = found.epsilon;
	if (!(defaults->delta > 0))
		defaults->delta = found.delta;
}
