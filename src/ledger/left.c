/*
 * left.c
 *		What is left of the budgets that pay for a role's queries.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "executor/spi.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "accounts.h"
#include "charged_roles.h"
#include "core/core.h"
#include "ledger.h"
#include "report.h"
#include "rights.h"

/* Takes row i into account: what is left is the least over all accounts that pay. */
static void
narrow(GaussdpFunds *funds, uint64 i)
{
	bool isnull;
	TupleDesc desc = SPI_tuptable->tupdesc;
	HeapTuple row = SPI_tuptable->vals[i];
	Datum value = SPI_getbinval(row, desc, 3, &isnull);

	if (!isnull)
		funds->mu2_left = Min(funds->mu2_left, DatumGetInt64(value));
	value = SPI_getbinval(row, desc, 4, &isnull);
	if (!isnull)
		funds->delta_left = Min(funds->delta_left, DatumGetInt64(value));
	value = SPI_getbinval(row, desc, 5, &isnull);
	if (!isnull)
		funds->mu2_per_query = Min(funds->mu2_per_query, DatumGetInt64(value));
	value = SPI_getbinval(row, desc, 6, &isnull);
	if (!isnull && funds->delta == 0)
		funds->delta = DatumGetFloat8(value);
	value = SPI_getbinval(row, desc, 7, &isnull);
	if (!isnull && DatumGetChar(SPI_getbinval(row, desc, 1, &isnull)) == 'r')
		funds->least_mu2 = Max(funds->least_mu2, gaussdp_least_price(DatumGetInt64(value)));
}

static bool
is_suspended(const GaussdpPopulation *population, Oid role)
{
	Oid types[] = {TEXTOID, OIDOID, OIDOID};
	Datum values[] = {CStringGetTextDatum(population->people),
					  ObjectIdGetDatum(population->relation), ObjectIdGetDatum(role)};

	gaussdp_ledger_run("SELECT FROM gaussdp_internal.error_count WHERE people = $1"
					   " AND relation = $2::regclass"
					   " AND role = $3::regrole"
					   " AND (suspended IS NOT NULL OR paused_until > clock_timestamp())",
					   3, types, values, NULL, true);
	return SPI_processed > 0;
}

static const char funds_query[] =
	"SELECT holder, role::oid, left_mu2, left_delta_units, query_mu2, noise_delta, limit_mu2"
	" FROM gaussdp_internal.ledger_account_now WHERE people = $1 AND relation = $2::regclass AND "
	"granted"
	" ORDER BY holder DESC";

GaussdpFunds
gaussdp_budget_left(Oid role, Oid relid)
{
	GaussdpFunds funds = {
		.mu2_left = PG_INT64_MAX, .delta_left = PG_INT64_MAX, .mu2_per_query = PG_INT64_MAX};
	GaussdpPopulation population;
	Oid types[] = {TEXTOID, OIDOID};
	Datum values[2];
	bool isnull;
	List *roles;
	GaussdpLedgerRights caller;

	if (!gaussdp_population(relid, &population))
		return funds;
	roles = gaussdp_charged_roles(&population, role);
	funds.granted = roles != NIL;
	caller = gaussdp_enter_ledger();
	values[0] = CStringGetTextDatum(population.people);
	values[1] = ObjectIdGetDatum(population.relation);
	gaussdp_ledger_run(funds_query, 2, types, values, NULL, true);
	for (uint64 i = 0; i < SPI_processed; i++)
	{
		HeapTuple row = SPI_tuptable->vals[i];
		char holder = DatumGetChar(SPI_getbinval(row, SPI_tuptable->tupdesc, 1, &isnull));
		Oid owner = DatumGetObjectId(SPI_getbinval(row, SPI_tuptable->tupdesc, 2, &isnull));

		if (holder == 'p' || list_member_oid(roles, owner))
			narrow(&funds, i);
	}
	funds.suspended = is_suspended(&population, role);
	if (funds.suspended)
		funds.mu2_left = funds.delta_left = 0;
	gaussdp_leave_ledger(caller);
	return funds;
}

PG_FUNCTION_INFO_V1(gaussdp_queries_left);
Datum
gaussdp_queries_left(PG_FUNCTION_ARGS)
{
	double epsilon = PG_GETARG_FLOAT8(1);
	double delta = PG_GETARG_FLOAT8(2);
	double threshold_delta = PG_GETARG_FLOAT8(3);
	gdp_noise noise;
	int64 cost;
	int64 delta_cost;
	int64 left;
	GaussdpFunds funds;

	/* The noise that is really drawn costs a little less than epsilon and delta would allow. */
	gaussdp_report(gdp_noise_calibrate(epsilon, delta, 1.0, 0, &noise),
				   delta > 0 && delta < 1 ? "epsilon" : "delta",
				   delta > 0 && delta < 1 ? epsilon : delta);
	gaussdp_report(gdp_mu2_cost(1.0 + 0x1p-40, noise.sigma, &cost), "epsilon", epsilon);
	gaussdp_report(gdp_delta_cost(threshold_delta, &delta_cost), "threshold_delta",
				   threshold_delta);
	funds = gaussdp_budget_left(GetUserId(), PG_GETARG_OID(0));
	if (!funds.granted || cost > funds.mu2_per_query)
		PG_RETURN_INT64(0);
	left = funds.mu2_left / Max(cost, funds.least_mu2);
	PG_RETURN_INT64(delta_cost > 0 ? Min(left, funds.delta_left / delta_cost) : left);
}
