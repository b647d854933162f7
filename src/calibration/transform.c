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

GAUSSDP_CALIBRATION_1(sgd_switch, gdp_sgd_switch, "which");
GAUSSDP_CALIBRATION_1(icea_switch, gdp_icea_switch, "which");
GAUSSDP_CALIBRATION_1(sgd_profile, gdp_sgd_profile, "epsilon");
GAUSSDP_CALIBRATION_1(icea_profile, gdp_icea_profile, "epsilon");
GAUSSDP_CALIBRATION_3(refine_sigma_log, gdp_refine_sigma_log, "epsilon", "delta", "which");
GAUSSDP_CALIBRATION_2(transform_pure, gdp_transform_pure, "epsilon0", "epsilon");
GAUSSDP_CALIBRATION_2(transform_laplace, gdp_transform_laplace, "epsilon0", "epsilon");
GAUSSDP_CALIBRATION_3(clip_reify_scale, gdp_clip_scale, "lower", "upper", "head_epsilon");

/* The named profiles, and their parameters */
static const struct
{
	const char *name;
	gdp_curve_kind kind;
	size_t n;
	const char *parameters[2];
} curves[] = {
	{"pure", GDP_CURVE_PURE, 1, {"epsilon0"}},
	{"laplace", GDP_CURVE_LAPLACE, 1, {"epsilon0"}},
	{"gaussian", GDP_CURVE_GAUSSIAN, 1, {"mu"}},
	{"subsampled_gaussian", GDP_CURVE_SUBSAMPLED, 2, {"mu", "gamma"}},
	{"sgd", GDP_CURVE_SGD, 0, {NULL}},
	{"icea", GDP_CURVE_ICEA, 0, {NULL}},
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
		gdp_curve curve = {.kind = curves[i].kind};

		if (strcmp(curves[i].name, name) != 0)
			continue;
		if (n != curves[i].n)
			ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
							errmsg("wrong number of parameters for profile \"%s\": %zu", name, n),
							errdetail_plural("It takes %zu parameter.", "It takes %zu parameters.",
											 curves[i].n, curves[i].n)));
		for (size_t j = 0; j < n; j++)
			curve.parameter[j] = parameters[j];
		gaussdp_calibration_check(gdp_curve_check(&curve), (int) n, curves[i].parameters,
								  curve.parameter);
		return curve;
	}
	ereport(ERROR,
			(errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown profile \"%s\"", name),
			 errhint("Profiles are pure, laplace, gaussian, subsampled_gaussian, sgd and icea.")));
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
