/*
 * transform.c
 *		SQL functions of the GDP transformation: which mu a privacy profile amounts to.
 *
 * Reads from gdp/gdp.h (transform.c, refine.c).
 */
#include "calibration.h"

#include "access/htup_details.h"
#include "funcapi.h"
#include "miscadmin.h"
#include "utils/builtins.h"

#include "report.h"

GAUSSDP_CALIBRATION_3(refine_sigma_log, gdp_refine_sigma_log, "epsilon", "delta", "which");
GAUSSDP_CALIBRATION_3(clip_reify_scale, gdp_clip_scale, "lower", "upper", "head_epsilon");

/* The named profiles, and their parameters; what is not given of an example of the paper is as there. */
static const struct
{
	const char *name;
	gdp_curve_kind kind; /* where there is nothing to make */
	gdp_status (*make)(double, double, gdp_curve *);
	size_t n;
	const char *parameters[2];
	double own[2];
} curves[] = {
	{"pure", GDP_CURVE_PURE, NULL, 1, {"epsilon0"}, {0}},
	{"laplace", GDP_CURVE_LAPLACE, NULL, 1, {"epsilon0"}, {0}},
	{"gaussian", GDP_CURVE_GAUSSIAN, NULL, 1, {"mu"}, {0}},
	{"subsampled_gaussian", GDP_CURVE_SUBSAMPLED, NULL, 2, {"mu", "gamma"}, {0}},
	{"exponential", GDP_CURVE_EXPONENTIAL, gdp_curve_exponential, 2, {"scale", "power"}, {0}},
	{"power", GDP_CURVE_POWER, gdp_curve_power, 2, {"factor", "power"}, {0}},
	{"sgd", GDP_CURVE_EXPONENTIAL, gdp_curve_exponential, 1, {"scale"}, {1, 2}},
	{"icea", GDP_CURVE_POWER, gdp_curve_icea, 2, {"m", "n"}, {20, 4}},
};

/* The profile that the first two arguments name. */
static gdp_curve
named_curve(PG_FUNCTION_ARGS)
{
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));
	size_t n;
	double *parameters = gaussdp_calibration_array(fcinfo, 1, "parameters", &n);

	for (size_t i = 0; i < lengthof(curves); i++)
	{
		double p[2] = {curves[i].own[0], curves[i].own[1]};
		gdp_curve curve = {.kind = curves[i].kind};

		if (strcmp(curves[i].name, name) != 0)
			continue;
		if (n != curves[i].n && !(n == 0 && p[0] > 0))
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("wrong number of parameters for profile \"%s\": %zu", name, n),
							errdetail_plural("It takes %zu parameter.", "It takes %zu parameters.",
											 curves[i].n, curves[i].n)));
		for (size_t j = 0; j < n; j++)
			p[j] = parameters[j];
		curve.parameter[0] = p[0];
		curve.parameter[1] = p[1];
		gaussdp_calibration_check(curves[i].make != NULL ? curves[i].make(p[0], p[1], &curve)
														 : gdp_curve_check(&curve),
								  (int) curves[i].n, curves[i].parameters, p);
		return curve;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown profile \"%s\"", name),
			 errhint("Profiles are pure, laplace, gaussian, subsampled_gaussian, exponential, "
					 "power, sgd and icea.")));
}

/* The profile that the first two arguments give as points. */
static gdp_curve
points_curve(PG_FUNCTION_ARGS)
{
	gdp_curve curve = {.kind = GDP_CURVE_POINTS};
	double *given, *refined;

	curve.epsilons = gaussdp_calibration_array(fcinfo, 0, "epsilons", &curve.n);
	given = gaussdp_calibration_array_of(fcinfo, 1, "deltas", curve.n);
	curve.deltas = given;
	if (gdp_curve_check(&curve) != GDP_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("these points are no privacy profile"),
				 errdetail("There must be at least one point; epsilons ascend from 0 on, deltas "
						   "don't ascend and end below 1.")));
	refined = palloc(sizeof(double) * curve.n);
	memcpy(refined, given, sizeof(double) * curve.n);
	gdp_points_refine(curve.n, curve.epsilons, refined);
	curve.deltas = refined;
	return curve;
}

/* Steps between two looks at interrupts; some milliseconds */
#define SLICE 1000

/* The row of gdp.head: lower, upper, head_epsilon, scope, residual_delta */
static Datum
head_row(PG_FUNCTION_ARGS, const gdp_curve *curve)
{
	static const char *const names[] = {"up_to", "gap"};
	double v[2] = {PG_GETARG_FLOAT8(2), PG_GETARG_FLOAT8(3)};
	gdp_head head;
	gdp_head_measure measure;
	bool done = false, nulls[5] = {false};
	Datum columns[5];
	TupleDesc desc;

	if (get_call_result_type(fcinfo, NULL, &desc) != TYPEFUNC_COMPOSITE)
		elog(ERROR, "the result of gdp.head must be a row");
	gaussdp_calibration_check(gdp_head_begin(&head, curve, v[0], v[1]), 2, names, v);
	while (!done)
	{
		CHECK_FOR_INTERRUPTS();
		gaussdp_calibration_check(gdp_head_advance(&head, SLICE, &done), 2, names, v);
	}
	gaussdp_calibration_check(gdp_head_result(&head, &measure), 2, names, v);

	columns[0] = Float8GetDatum(measure.lower);
	columns[1] = Float8GetDatum(measure.upper);
	columns[2] = Float8GetDatum(v[0]);
	columns[3] = CStringGetTextDatum(measure.everywhere ? "all epsilon" : "head only");
	columns[4] = Float8GetDatum(measure.residual_delta);
	return HeapTupleGetDatum(heap_form_tuple(BlessTupleDesc(desc), columns, nulls));
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_head);
Datum
gaussdp_calibration_head(PG_FUNCTION_ARGS)
{
	gdp_curve curve = named_curve(fcinfo);

	return head_row(fcinfo, &curve);
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_head_points);
Datum
gaussdp_calibration_head_points(PG_FUNCTION_ARGS)
{
	gdp_curve curve = points_curve(fcinfo);

	return head_row(fcinfo, &curve);
}

static Datum
tail_of(const gdp_curve *curve)
{
	double mu = 0;

	gaussdp_calibration_check_arrays(gdp_curve_tail(curve, &mu), 0, NULL);
	PG_RETURN_FLOAT8(mu);
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_tail);
Datum
gaussdp_calibration_tail(PG_FUNCTION_ARGS)
{
	gdp_curve curve = named_curve(fcinfo);

	return tail_of(&curve);
}

PG_FUNCTION_INFO_V1(gaussdp_calibration_tail_points);
Datum
gaussdp_calibration_tail_points(PG_FUNCTION_ARGS)
{
	gdp_curve curve = points_curve(fcinfo);

	return tail_of(&curve);
}

/* The answers of the profile that the first two arguments give, at the epsilon of the third */
#define CURVE_FUNCTION(sql, curve_of, core)                                                        \
	PG_FUNCTION_INFO_V1(gaussdp_calibration_##sql);                                                \
	Datum gaussdp_calibration_##sql(PG_FUNCTION_ARGS)                                              \
	{                                                                                              \
		static const char *const names[] = {"epsilon"};                                            \
		gdp_curve curve = curve_of(fcinfo);                                                        \
		double epsilon = PG_GETARG_FLOAT8(2), result = 0;                                          \
                                                                                                   \
		gaussdp_calibration_check(core(&curve, epsilon, &result), 1, names, &epsilon);             \
		PG_RETURN_FLOAT8(result);                                                                  \
	}

CURVE_FUNCTION(profile_delta, named_curve, gdp_curve_delta)
CURVE_FUNCTION(profile_delta_points, points_curve, gdp_curve_delta)
CURVE_FUNCTION(transform, named_curve, gdp_transform)
CURVE_FUNCTION(transform_points, points_curve, gdp_transform)

PG_FUNCTION_INFO_V1(gaussdp_calibration_profile_switch);
Datum
gaussdp_calibration_profile_switch(PG_FUNCTION_ARGS)
{
	gdp_curve curve = named_curve(fcinfo);
	double v[2];

	gaussdp_calibration_check(gdp_curve_switch(&curve, &v[0], &v[1]), 0, NULL, NULL);
	return gaussdp_calibration_row(fcinfo, 2, v);
}

/* The rows output, p, q of gdp.four_outputs */
PG_FUNCTION_INFO_V1(gaussdp_calibration_four_outputs);
Datum
gaussdp_calibration_four_outputs(PG_FUNCTION_ARGS)
{
	static const char *const names[] = {"epsilon0", "delta0"};
	ReturnSetInfo *result = (ReturnSetInfo *) fcinfo->resultinfo;
	double v[2] = {PG_GETARG_FLOAT8(0), PG_GETARG_FLOAT8(1)}, p[4], q[4];

	gaussdp_calibration_check(gdp_four_outputs(v[0], v[1], p, q), 2, names, v);
	InitMaterializedSRF(fcinfo, 0);
	for (int i = 0; i < 4; i++)
	{
		Datum values[3] = {Int32GetDatum(i + 1), Float8GetDatum(p[i]), Float8GetDatum(q[i])};
		bool nulls[3] = {false};

		tuplestore_putvalues(result->setResult, result->setDesc, values, nulls);
	}
	PG_RETURN_NULL();
}
