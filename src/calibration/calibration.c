/*
 * calibration.c
 *		How a function of the core becomes a function of SQL.
 *
 * Reads from core/gdp.h and hands errors to report.h.
 */
#include "calibration.h"

#include "lib/stringinfo.h"
#include "utils/float.h"

#include "report.h"

/* The argument that a status blames, by its SQL name. */
static const struct
{
	gdp_status status;
	const char *name;
} blamed[] = {
	{GDP_BAD_EPSILON, "epsilon"},  {GDP_BAD_EPSILON_OR_ZERO, "epsilon"},
	{GDP_BAD_DELTA, "delta"},      {GDP_BAD_SENSITIVITY, "l2_sensitivity"},
	{GDP_BAD_SIGMA, "sigma"},      {GDP_BAD_MU, "mu"},
	{GDP_BAD_DELTA_HALF, "delta"}, {GDP_BAD_PROBABILITY, "alpha"},
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

void
calibration_check(gdp_status status, int nargs, const char *const *names, const double *values)
{
	if (likely(status == GDP_OK))
		return;
	if (status == GDP_OUT_OF_RANGE || status == GDP_OUT_OF_DOMAIN)
		fail_together(status, nargs, names, values);
	for (size_t b = 0; b < lengthof(blamed); b++)
	{
		for (int i = 0; i < nargs; i++)
		{
			if (blamed[b].status == status && strcmp(blamed[b].name, names[i]) == 0)
				gaussdp_report(status, names[i], values[i]);
		}
	}
	gaussdp_report(status, names[0], values[0]);
}
