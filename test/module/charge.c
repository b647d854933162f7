/*
 * charge.c
 *		For tests: charges through the loaded library, which has no SQL function that does.
 */
#include "postgres.h"

#include "fmgr.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "compat.h"
#include "core/core.h"
#include "ledger/ledger.h"
#include "reach.h"

typedef void (*charge_function)(Oid, const GaussdpRelease *, int, uint64, const char *);

PG_FUNCTION_INFO_V1(test_charge);

/* test_charge(table, l2_sensitivity, sigma, threshold_delta, releases): pays as the current role. */
Datum
test_charge(PG_FUNCTION_ARGS)
{
	charge_function charge = (charge_function) test_reach("gaussdp_charge");
	GaussdpRelease release = {.kind = "dp_test", .relid = PG_GETARG_OID(0)};
	GaussdpRelease *releases;
	int n = PG_GETARG_INT32(4);

	release.l2_sensitivity = PG_GETARG_FLOAT8(1);
	release.sigma = PG_GETARG_FLOAT8(2);
	if (gdp_mu2_cost(release.l2_sensitivity, release.sigma, &release.mu2) != GDP_OK)
		release.mu2 = 0;
	if (gdp_delta_cost(PG_GETARG_FLOAT8(3), &release.threshold_delta) != GDP_OK)
		release.threshold_delta = -1;
	releases = palloc(Max(n, 1) * sizeof(GaussdpRelease));
	for (int i = 0; i < n; i++)
		releases[i] = release;
	charge(GetUserId(), releases, n, 42, "a text");
	PG_RETURN_INT32(n);
}
