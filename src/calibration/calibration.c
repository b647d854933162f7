/*
 * calibration.c
 *		How a function of the core becomes a function of SQL.
 *
 * Reads from gdp/gdp.h and hands errors to report.h.
 */
#include "calibration.h"

#include <ctype.h>
#include <float.h>
#include <math.h>

#include "lib/stringinfo.h"
#include "utils/float.h"

#include "report.h"

/* Inclusive ends of the usual ranges: what is greater than 0, what is less than 1. */
#define ABOVE_0 DBL_TRUE_MIN
#define BELOW_1 0x1.fffffffffffffp-1
#define NONE 1.0, 0.0 /* the range depends on other arguments */

/*
 * The argument that a status blames: its SQL name begins with this word, and its value isn't within the
 * range that the status asks for.
 */
static const struct
{
	gdp_status status;
	const char *name;
	double least;
	double most;
} blamed[] = {
	{GDP_BAD_EPSILON, "epsilon", ABOVE_0, DBL_MAX},
	{GDP_BAD_EPSILON, "head_epsilon", ABOVE_0, DBL_MAX},
	{GDP_BAD_EPSILON, "up_to", ABOVE_0, DBL_MAX},
	{GDP_BAD_EPSILON_OR_ZERO, "epsilon", 0, DBL_MAX},
	{GDP_BAD_EPSILON_HAT, "epsilon_hat", NONE},
	{GDP_BAD_EPSILON_HAT_GAP, "epsilon_hat", NONE},
	{GDP_BAD_EPSILON_BELOW, "epsilon", NONE},
	{GDP_BAD_DELTA, "delta", ABOVE_0, BELOW_1},
	{GDP_BAD_DELTA_OR_ZERO, "delta", 0, BELOW_1},
	{GDP_BAD_DELTA_HALF, "delta", ABOVE_0, 0x1.fffffffffffffp-2},
	{GDP_BAD_DELTA_HAT, "delta_hat", NONE},
	{GDP_BAD_PROBABILITY, "alpha", 0, 1},
	{GDP_BAD_SENSITIVITY, "l2_sensitivity", ABOVE_0, DBL_MAX},
	{GDP_BAD_SIGMA, "sigma", ABOVE_0, DBL_MAX},
	{GDP_BAD_MU, "mu", ABOVE_0, DBL_MAX},
	{GDP_BAD_MU_OR_ZERO, "mu", 0, DBL_MAX},
	{GDP_BAD_COUNT, "k", 1, GDP_MAX_COUNT},
	{GDP_BAD_COUNT, "m", 1, GDP_MAX_COUNT},
	{GDP_BAD_COUNT, "d", 1, GDP_MAX_COUNT},
	{GDP_BAD_COUNT, "n", 1, GDP_MAX_COUNT},
	{GDP_BAD_ORDER, "alpha", NONE},
	{GDP_BAD_ORDER, "omega", NONE},
	{GDP_BAD_POSITIVE, "rho", ABOVE_0, DBL_MAX},
	{GDP_BAD_POSITIVE, "tau", ABOVE_0, DBL_MAX},
	{GDP_BAD_POSITIVE, "gap", ABOVE_0, DBL_MAX},
	{GDP_BAD_POSITIVE, "norm", ABOVE_0, DBL_MAX},
	{GDP_BAD_NOT_NEGATIVE, "rho", 0, DBL_MAX},
	{GDP_BAD_NOT_NEGATIVE, "rdp", 0, DBL_MAX},
	{GDP_BAD_NOT_NEGATIVE, "mean", 0, DBL_MAX},
	{GDP_BAD_FRACTION, "gamma", NONE},
	{GDP_BAD_SHARE, "beta", ABOVE_0, BELOW_1},
	{GDP_BAD_SHARE, "confidence", ABOVE_0, BELOW_1},
	{GDP_BAD_SHARE, "p", ABOVE_0, BELOW_1},
	{GDP_BAD_BOUNDS, "lower", -DBL_MAX, DBL_MAX},
	{GDP_BAD_BOUNDS, "upper", NONE},
	{GDP_BAD_AVERAGE, "average", NONE},
	{GDP_BAD_CHOICE, "which", NONE},
	{GDP_TOO_MANY_STEPS, "gap", NONE},
	{GDP_GAP_TOO_SMALL, "gap", NONE},
};

/* The error of arguments that are legal one by one. */
static void
fail_together(gdp_status status, int nargs, const char *const *names, const double *values)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < nargs; i++)
		appendStringInfo(&list, "%s%s = %s", i > 0 ? ", " : "", names[i],
						 float8out_internal(values[i]));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg(status == GDP_OUT_OF_RANGE ? "result is out of range: %s"
													  : "no result is defined for %s",
						   list.data),
					errdetail("The result must be %s.", gdp_status_range(status))));
}

static bool
is_blamed(size_t b, const char *name, double value)
{
	size_t length = strlen(blamed[b].name);
	bool whole = blamed[b].status != GDP_BAD_COUNT || value == floor(value);

	/* A range that depends on other arguments: no value tells epsilon from epsilon0. */
	if (blamed[b].least > blamed[b].most)
		return strcmp(name, blamed[b].name) == 0;
	/* delta, delta0 and delta_hat, but not delta for d */
	return strncmp(name, blamed[b].name, length) == 0 && !isalpha((unsigned char) name[length]) &&
		   !(value >= blamed[b].least && value <= blamed[b].most && whole);
}

void
gaussdp_calibration_check(gdp_status status, int nargs, const char *const *names,
						  const double *values)
{
	if (likely(status == GDP_OK))
		return;
	if (status == GDP_OUT_OF_RANGE || status == GDP_OUT_OF_DOMAIN)
		fail_together(status, nargs, names, values);
	for (size_t b = 0; b < lengthof(blamed); b++)
	{
		for (int i = 0; i < nargs; i++)
		{
			if (blamed[b].status == status && is_blamed(b, names[i], values[i]))
				gaussdp_report(status, names[i], values[i]);
		}
	}
	gaussdp_report(status, names[0], values[0]);
}
