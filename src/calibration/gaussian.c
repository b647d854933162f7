/*
 * gaussian.c
 *		SQL functions of the Gaussian mechanism: how much noise, by which formula, and how private is it?
 *
 * Reads from gdp/gdp.h; scalar functions over the core are defined by the macros of calibration.h.
 */
#include "calibration.h"

#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"
#include "utils/float.h"

#include "compat.h"

/* The most points of a curve that one call draws. */
#define POINTS_MAX 1000000

static const char *const three_names[] = {"epsilon", "delta", "l2_sensitivity"};
static const char *const guarantee_names[] = {
	[GDP_DP] = "DP",
	[GDP_PDP_ONE_TAILED] = "one-tailed pDP",
	[GDP_PDP_TWO_TAILED] = "two-tailed pDP",
};

/* Optimal noise and its privacy */
GAUSSDP_CALIBRATION_3(gaussian_delta, gdp_sigma_delta, "sigma", "epsilon", "l2_sensitivity");
GAUSSDP_CALIBRATION_3(gaussian_epsilon, gdp_sigma_epsilon, "sigma", "delta", "l2_sensitivity");
GAUSSDP_CALIBRATION_2(delta, gdp_profile_delta, "mu", "epsilon");
GAUSSDP_CALIBRATION_2(epsilon, gdp_profile_epsilon, "mu", "delta");
GAUSSDP_CALIBRATION_2(mu, gdp_profile_mu, "epsilon", "delta");
GAUSSDP_CALIBRATION_2(log_delta, gdp_profile_log_delta_checked, "mu", "epsilon");
GAUSSDP_CALIBRATION_2(one_minus_delta, gdp_profile_rest_checked, "mu", "epsilon");
GAUSSDP_CALIBRATION_2(tradeoff, gdp_tradeoff_beta, "mu", "alpha");

/* Probabilistic privacy */
#define PDP_DELTA(sql, kind)                                                                       \
	GAUSSDP_CALIBRATION_FUNCTION(sql, gdp_pdp_delta(kind, v[0], v[1], &result), 2, "mu", "epsilon")
#define PDP_EPSILON(sql, kind)                                                                     \
	GAUSSDP_CALIBRATION_FUNCTION(sql, gdp_pdp_epsilon(kind, v[0], v[1], &result), 2, "mu", "delta")

PDP_DELTA(pdp_delta_one_tailed, GDP_PDP_ONE_TAILED);
PDP_DELTA(pdp_delta_two_tailed, GDP_PDP_TWO_TAILED);
PDP_EPSILON(pdp_epsilon_one_tailed, GDP_PDP_ONE_TAILED);
PDP_EPSILON(pdp_epsilon_two_tailed, GDP_PDP_TWO_TAILED);

/* Thresholds and bounds */
#define THRESHOLD(sql, formula, kind)                                                              \
	GAUSSDP_CALIBRATION_FUNCTION(sql, gdp_dwork_threshold(formula, kind, v[0], &result), 1, "delta")

THRESHOLD(dwork2006_dp_threshold, GDP_DWORK2006, GDP_DP);
THRESHOLD(dwork2014_dp_threshold, GDP_DWORK2014, GDP_DP);
THRESHOLD(dwork2006_pdp_threshold, GDP_DWORK2006, GDP_PDP_TWO_TAILED);
THRESHOLD(dwork2014_pdp_threshold, GDP_DWORK2014, GDP_PDP_TWO_TAILED);
GAUSSDP_CALIBRATION_1(erfc_inverse_bound, gdp_erfc_inv_bound, "y");
GAUSSDP_CALIBRATION_1(erfc_inverse_bound_log, gdp_erfc_inv_bound_log, "y");

/* The mechanism of that name, or an error that lists those there are. */
static const gdp_mechanism *
find_mechanism(const char *name)
{
	const gdp_mechanism *mechanism = gdp_mechanism_find(name);
	StringInfoData names;

	if (mechanism != NULL)
		return mechanism;
	initStringInfo(&names);
	for (int i = 0; i < GDP_MECHANISMS; i++)
		appendStringInfo(&names, "%s%s", i > 0 ? ", " : "", gdp_mechanisms[i].name);
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown mechanism \"%s\"", name),
			 errhint("Mechanisms are %s.", names.data)));
}

/* The error of a formula that has no value, or one that isn't private. */
static void
fail_outside_domain(const gdp_mechanism *mechanism, const double *v)
{
	gdp_measure measure;
	bool measured = gdp_mechanism_measure(mechanism, v[0], v[1], v[2], &measure) == GDP_OK;

	ereport(
		ERROR,
		(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
		 errmsg("mechanism \"%s\" gives no guarantee at epsilon = %s, delta = %s", mechanism->name,
				float8out_internal(v[0]), float8out_internal(v[1])),
		 measured
			 ? errdetail("It covers %s; here its sigma %s reaches delta %s.", mechanism->domain,
						 float8out_internal(measure.sigma), float8out_internal(measure.delta))
			 : errdetail("It covers %s.", mechanism->domain),
		 errhint("Mechanism \"optimal\" covers every epsilon and delta, with the least noise.")));
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_gaussian_sigma);
Datum
gaussdp_calibration_gaussian_sigma(PG_FUNCTION_ARGS)
{
	double v[3] = {PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2)};
	const gdp_mechanism *mechanism = find_mechanism(text_to_cstring(PG_GETARG_TEXT_PP(3)));
	double sigma = 0;
	gdp_status status = gdp_mechanism_sigma(mechanism, v[0], v[1], v[2], &sigma);

	if (status == GDP_OUT_OF_DOMAIN)
		fail_outside_domain(mechanism, v);
	gaussdp_calibration_check(status, 3, three_names, v);
	PG_RETURN_FLOAT8(sigma);
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_gaussian_mechanisms);
Datum
gaussdp_calibration_gaussian_mechanisms(PG_FUNCTION_ARGS)
{
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	double v[3] = {PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1), PG_GETARG_FLOAT8(2)};

	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < GDP_MECHANISMS; i++)
	{
		const gdp_mechanism *mechanism = &gdp_mechanisms[i];
		gdp_measure measure = {0};
		gdp_status status = gdp_mechanism_measure(mechanism, v[0], v[1], v[2], &measure);
		bool none = status != GDP_OK;
		Datum values[] = {
			CStringGetTextDatum(mechanism->name),
			CStringGetTextDatum(guarantee_names[mechanism->guarantee]),
			CStringGetTextDatum(mechanism->domain),
			Float8GetDatum(measure.sigma),
			Float8GetDatum(measure.ratio),
			Float8GetDatum(measure.epsilon),
			Float8GetDatum(measure.delta),
			BoolGetDatum(measure.valid),
			CStringGetTextDatum(mechanism->source),
		};
		bool nulls[lengthof(values)] = {false, false, false, none, none, none, none, false, false};

		/* A bad argument is an error; being out of one's domain is a row. */
		if (none && status != GDP_OUT_OF_DOMAIN && status != GDP_OUT_OF_RANGE)
			gaussdp_calibration_check(status, 3, three_names, v);
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	PG_RETURN_NULL();
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_profile);
Datum
gaussdp_calibration_profile(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"mu", "epsilon"};
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	double mu = PG_GETARG_FLOAT8(0);
	double last = PG_GETARG_FLOAT8(1);
	int32 points = PG_GETARG_INT32(2);

	if (points < 2 || points > POINTS_MAX)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("points is out of range: %d", points),
						errdetail("points must be at least 2 and at most %d.", POINTS_MAX)));
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < points; i++)
	{
		double v[] = {mu, last * ((double) i / (points - 1))};
		double delta[3] = {0};
		Datum values[4];
		bool nulls[4] = {false};

		CHECK_FOR_INTERRUPTS();
		values[0] = Float8GetDatum(v[1]);
		for (int kind = GDP_DP; kind <= GDP_PDP_TWO_TAILED; kind++)
		{
			gaussdp_calibration_check(gdp_pdp_delta((gdp_guarantee) kind, mu, v[1], &delta[kind]),
									  2, names, v);
			values[1 + kind] = Float8GetDatum(delta[kind]);
		}
		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	PG_RETURN_NULL();
}
