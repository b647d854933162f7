/*
 * noise.c
 *		SQL functions of noise of any even log-concave density: how private it is, and how much is enough.
 *
 * Reads from gdp/gdp.h (logconcave.c).
 */
#include "calibration.h"

#include "utils/array.h"
#include "utils/builtins.h"

/* The density that the first argument names. */
static gdp_law
named_law(PG_FUNCTION_ARGS)
{
	static const struct
	{
		const char *name;
		gdp_law_kind kind;
	} laws[] = {
		{"gaussian", GDP_LAW_GAUSSIAN},
		{"laplace", GDP_LAW_LAPLACE},
		{"logistic", GDP_LAW_LOGISTIC},
	};
	char *name = text_to_cstring(PG_GETARG_TEXT_PP(0));

	for (size_t i = 0; i < lengthof(laws); i++)
	{
		if (strcmp(laws[i].name, name) == 0)
			return (gdp_law){.kind = laws[i].kind};
	}
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("unknown noise \"%s\"", name),
					errhint("Noise is gaussian, laplace or logistic; gdp.noise_delta_points and "
							"gdp.noise_scale_points take any other even log-concave density.")));
}

/* The density that the first two arguments give as points. */
static gdp_law
points_law(PG_FUNCTION_ARGS)
{
	gdp_law law = {.kind = GDP_LAW_POINTS};

	law.x = gaussdp_calibration_array(fcinfo, 0, "x", &law.n);
	law.psi = gaussdp_calibration_array_of(fcinfo, 1, "psi", law.n);
	if (gdp_law_check(&law) != GDP_OK)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("these points are no even log-concave density"),
				 errdetail("There must be 2 to %d points; x ascends from 0 on, psi is convex, does "
						   "not fall, and rises in the end, by at most 700 altogether.",
						   GDP_LAW_MAX_POINTS)));
	return law;
}

/* A function whose arguments from first on are numbers, after the density */
#define NOISE_FUNCTION(sql, law_of, core, first, ...)                                              \
	PG_FUNCTION_INFO_V1(gaussdp_calibration_##sql);                                                \
	Datum gaussdp_calibration_##sql(PG_FUNCTION_ARGS)                                              \
	{                                                                                              \
		static const char *const names[] = {__VA_ARGS__};                                          \
		gdp_law law = law_of(fcinfo);                                                              \
		double v[3], result = 0;                                                                   \
                                                                                                   \
		for (int i = 0; i < 3; i++)                                                                \
			v[i] = PG_GETARG_FLOAT8((first) + i);                                                  \
		gaussdp_calibration_check(core(&law, v[0], v[1], v[2], &result), 3, names, v);             \
		PG_RETURN_FLOAT8(result);                                                                  \
	}

NOISE_FUNCTION(noise_delta, named_law, gdp_law_delta, 1, "scale", "epsilon", "sensitivity")
NOISE_FUNCTION(noise_delta_points, points_law, gdp_law_delta, 2, "scale", "epsilon", "sensitivity")
NOISE_FUNCTION(noise_scale, named_law, gdp_law_scale, 1, "epsilon", "delta", "sensitivity")
NOISE_FUNCTION(noise_scale_points, points_law, gdp_law_scale, 2, "epsilon", "delta", "sensitivity")
