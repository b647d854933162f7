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

/* An account with these limits: does it have less delta for its mu^2 than those before? */
static void
narrow_part(GaussdpFunds *funds, int64 limit_mu2, int64 limit_delta)
{
	if (funds->part_mu2 > 0 &&
		(gdp_int128) funds->part_delta * limit_mu2 <= (gdp_int128) limit_delta * funds->part_mu2)
		return;
	funds->part_mu2 = limit_mu2;
	funds->part_delta = limit_delta;
}

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
	if (isnull)
		return;
	narrow_part(funds, DatumGetInt64(value), DatumGetInt64(SPI_getbinval(row, desc, 8, &isnull)));
	if (DatumGetChar(SPI_getbinval(row, desc, 1, &isnull)) == 'r')
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
	"SELECT holder, role::oid, left_mu2, left_delta_units, query_mu2, noise_delta, limit_mu2, limit_delta"
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

/* The noise that is drawn costs a little less than it is calibrated for: so that a part is never too large for it. */
#define MARGIN_BITS 20

/* The delta that a threshold may take whose noise costs this mu^2, in units; PG_INT64_MAX without a limit. */
static int64
part_of(const GaussdpFunds *funds, int64 mu2)
{
	int64 part;

	if (funds->part_mu2 <= 0)
		return PG_INT64_MAX;
	part = gdp_delta_part(funds->part_delta, mu2, funds->part_mu2);
	return part - (part >> MARGIN_BITS);
}

void
gaussdp_narrow_threshold(Oid role, Oid relid, GaussdpDefaults *numbers)
{
	GaussdpFunds funds = gaussdp_budget_left(role, relid);
	double half = numbers->delta / 2;
	double mu;
	double epsilon;
	int64 mu2;
	double part;

	/* Numbers that no call takes are refused where they are used. */
	if (!funds.granted || gdp_profile_mu(numbers->epsilon, half, &mu) != GDP_OK ||
		gdp_mu2_units(mu * mu, &mu2) != GDP_OK)
		return;
	part = gdp_delta_of(part_of(&funds, mu2));
	if (!(part > 0 && part < half) || gdp_profile_epsilon(mu, part, &epsilon) != GDP_OK)
		return;
	numbers->epsilon = epsilon;
	numbers->delta = 2 * part;
}

/* What a dp_count(epsilon, delta) costs in mu^2: the noise that is drawn costs a little less than these would allow. */
static int64
cost_of_count(double epsilon, double delta)
{
	gdp_noise noise;
	int64 cost;

	gaussdp_report(gdp_noise_calibrate(epsilon, delta, 1.0, 0, &noise),
				   delta > 0 && delta < 1 ? "epsilon" : "delta",
				   delta > 0 && delta < 1 ? epsilon : delta);
	gaussdp_report(gdp_mu2_cost(1.0 + 0x1p-40, noise.sigma, &cost), "epsilon", epsilon);
	return cost;
}

/* How many queries are left that cost so much each; a delta of 0 is free. */
static int64
times_left(const GaussdpFunds *funds, int64 mu2, int64 delta)
{
	int64 left;

	if (!funds->granted || mu2 > funds->mu2_per_query)
		return 0;
	left = funds->mu2_left / Max(mu2, funds->least_mu2);
	return delta > 0 ? Min(left, funds->delta_left / delta) : left;
}

PG_FUNCTION_INFO_V1(gaussdp_queries_left);
Datum
gaussdp_queries_left(PG_FUNCTION_ARGS)
{
	double threshold_delta = PG_GETARG_FLOAT8(3);
	int64 cost = cost_of_count(PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2));
	int64 delta_cost;
	GaussdpFunds funds;

	gaussdp_report(gdp_delta_cost(threshold_delta, &delta_cost), "threshold_delta",
				   threshold_delta);
	funds = gaussdp_budget_left(GetUserId(), PG_GETARG_OID(0));
	PG_RETURN_INT64(times_left(&funds, cost, delta_cost));
}

PG_FUNCTION_INFO_V1(gaussdp_thresholds_left);
Datum
gaussdp_thresholds_left(PG_FUNCTION_ARGS)
{
	GaussdpDefaults numbers = {PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2)};
	GaussdpFunds funds = gaussdp_budget_left(GetUserId(), PG_GETARG_OID(0));
	int64 delta_cost;

	gaussdp_narrow_threshold(GetUserId(), PG_GETARG_OID(0), &numbers);
	gaussdp_report(gdp_delta_cost(numbers.delta / 2, &delta_cost), "delta", numbers.delta);
	PG_RETURN_INT64(
		times_left(&funds, cost_of_count(numbers.epsilon, numbers.delta / 2), delta_cost));
}
