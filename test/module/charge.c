/*
 * charge.c
 *		For tests: charges and reports errors through the loaded library, which has no SQL function that does.
 */
#include "postgres.h"

#include "catalog/pg_type.h"
#include "fmgr.h"
#include "miscadmin.h"
#include "utils/array.h"
#include "utils/builtins.h"

#include "compat.h"
#include "core/core.h"
#include "ledger/ledger.h"
#include "reach.h"

typedef void (*charge_function)(Oid, const GaussdpRelease *, int, const GaussdpRelease *, int,
								GaussdpStatement *, uint64, const char *);
typedef bool (*error_function)(Oid, const Oid *, int, int, uint64);
typedef bool (*release_function)(void);
typedef void (*raise_function)(void);
typedef void *(*slot_function)(void);
typedef void (*begin_function)(void *);

PG_FUNCTION_INFO_V1(test_charge);
PG_FUNCTION_INFO_V1(test_charge_levels);
PG_FUNCTION_INFO_V1(test_private_error);

/* Looked up once: benchmarks take the time of a charge, not that of finding the library's file. */
static charge_function
charge_of_library(void)
{
	static charge_function charge = NULL;

	if (charge == NULL)
		charge = (charge_function) test_reach("gaussdp_charge");
	return charge;
}

/* What follows the last row of a level. */
static void
end_level(void)
{
	static release_function may_release = NULL;

	if (may_release == NULL)
		may_release = (release_function) test_reach("gaussdp_may_release");
	if (!may_release())
		((raise_function) test_reach("gaussdp_raise_suspended"))();
}

static GaussdpRelease
make_release(Oid relid, double l2_sensitivity, double sigma, double threshold_delta)
{
	GaussdpRelease release = {
		.kind = "dp_test", .relid = relid, .l2_sensitivity = l2_sensitivity, .sigma = sigma};

	if (gdp_mu2_cost(l2_sensitivity, sigma, &release.mu2) != GDP_OK)
		release.mu2 = 0;
	if (gdp_delta_cost(threshold_delta, &release.threshold_delta) != GDP_OK)
		release.threshold_delta = -1;
	return release;
}

/* test_charge(table, l2_sensitivity, sigma, threshold_delta, releases): pays as the current role. */
Datum
test_charge(PG_FUNCTION_ARGS)
{
	int n = PG_GETARG_INT32(4);
	GaussdpRelease *releases = palloc(Max(n, 1) * sizeof(GaussdpRelease));

	for (int i = 0; i < n; i++)
		releases[i] = make_release(PG_GETARG_OID(0), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2),
								   PG_GETARG_FLOAT8(3));
	charge_of_library()(GetUserId(), releases, n, NULL, 0, NULL, 42, "a text");
	end_level();
	PG_RETURN_INT32(n);
}

static Datum *
elements(Datum array, Oid type, int16 length, char align, int *n)
{
	Datum *values;

	deconstruct_array(DatumGetArrayTypeP(array), type, length, true, align, &values, NULL, n);
	return values;
}

/*
 * test_charge_levels(tables, sigmas, threshold_deltas, known, runs): a statement of so many levels, with
 * one release each, of sensitivity 1.  The first `runs` of them are charged, one after the other; at the
 * first charge the `known` that follow are said to come later.
 */
Datum
test_charge_levels(PG_FUNCTION_ARGS)
{
	int n;
	Datum *tables = elements(PG_GETARG_DATUM(0), REGCLASSOID, sizeof(Oid), TYPALIGN_INT, &n);
	Datum *sigmas = elements(PG_GETARG_DATUM(1), FLOAT8OID, sizeof(float8), TYPALIGN_DOUBLE, &n);
	Datum *deltas = elements(PG_GETARG_DATUM(2), FLOAT8OID, sizeof(float8), TYPALIGN_DOUBLE, &n);
	int known = PG_GETARG_INT32(3);
	int runs = PG_GETARG_INT32(4);
	GaussdpRelease *releases = palloc(Max(n, 1) * sizeof(GaussdpRelease));
	GaussdpStatement statement = {0};

	for (int i = 0; i < n; i++)
		releases[i] = make_release(DatumGetObjectId(tables[i]), 1, DatumGetFloat8(sigmas[i]),
								   DatumGetFloat8(deltas[i]));
	for (int i = 0; i < runs; i++)
	{
		charge_of_library()(GetUserId(), &releases[i], 1, &releases[i + 1], i == 0 ? known : 0,
							&statement, 42, "a text");
		end_level();
	}
	PG_RETURN_INT32(runs);
}

/*
 * test_private_error(tables, sqlstate): an error inside of a level over these tables, which leaves as
 * another one.  The level is the one that was charged last.
 */
Datum
test_private_error(PG_FUNCTION_ARGS)
{
	error_function count = (error_function) test_reach("gaussdp_count_private_error");
	MemoryContext context = CurrentMemoryContext;
	char *state = text_to_cstring(PG_GETARG_TEXT_PP(1));
	Oid role = GetUserId();
	int n;
	Datum *values = elements(PG_GETARG_DATUM(0), REGCLASSOID, sizeof(Oid), TYPALIGN_INT, &n);
	Oid *tables = palloc(Max(n, 1) * sizeof(Oid));

	for (int i = 0; i < n; i++)
		tables[i] = DatumGetObjectId(values[i]);
	PG_TRY();
	{
		ereport(ERROR, (errcode(MAKE_SQLSTATE(state[0], state[1], state[2], state[3], state[4])),
						errmsg("a row said no")));
	}
	PG_CATCH();
	{
		ErrorData *error;

		MemoryContextSwitchTo(context);
		error = CopyErrorData();
		FlushErrorState();
		((begin_function) test_reach("gaussdp_begin_running"))(
			((slot_function) test_reach("gaussdp_ledger_slot"))());
		if (!count(role, tables, n, error->sqlerrcode, 42))
			((raise_function) test_reach("gaussdp_raise_suspended"))();
		ereport(ERROR,
				(errcode(ERRCODE_EXTERNAL_ROUTINE_EXCEPTION), errmsg("a private query failed")));
	}
	PG_END_TRY();
	PG_RETURN_VOID();
}
