/*
 * calibration.c
 *		How a function of the core becomes a function of SQL.
 *
 * Reads from gdp/gdp.h and hands errors to report.h.  A status tells by its place which argument it blames;
 * only the argument's name in SQL stands here.
 */
#include "calibration.h"

#include "lib/stringinfo.h"
#include "utils/float.h"

#include "report.h"

/* "epsilon = 1, delta = 1e-06" */
static char *
list_arguments(int nargs, const char *const *names, const double *values)
{
	StringInfoData list;

	initStringInfo(&list);
	for (int i = 0; i < nargs; i++)
		appendStringInfo(&list, "%s%s = %s", i > 0 ? ", " : "", names[i],
						 float8out_internal(values[i]));
	return list.data;
}

void
gaussdp_calibration_check(gdp_status status, int nargs, const char *const *names,
						  const double *values)
{
	int argument = gdp_status_argument(status);

	if (likely(status == GDP_OK))
		return;
	if (status == GDP_OUT_OF_RANGE)
		ereport(ERROR,
				(errcode(ERRCODE_INVALID_PARAMETER_VALUE),
				 errmsg("result is out of range for %s", list_arguments(nargs, names, values)),
				 errdetail("Double precision cannot hold it.")));
	if (status == GDP_OUT_OF_DOMAIN)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
						errmsg("no result is defined for %s", list_arguments(nargs, names, values)),
						errdetail("The formula does not cover these arguments.")));
	if (argument < 1 || argument > nargs)
		elog(ERROR, "status %d blames argument %d of %d", gdp_status_code(status), argument, nargs);
	gaussdp_report(status, names[argument - 1], values[argument - 1]);
}

void
gaussdp_calibration_check_arrays(gdp_status status, int nargs,
								 const GaussdpCalibrationArgument *arguments)
{
	int number = gdp_status_argument(status);
	size_t element = gdp_status_element(status);
	const GaussdpCalibrationArgument *argument;

	if (likely(status == GDP_OK))
		return;
	if (status == GDP_OUT_OF_RANGE)
		ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE), errmsg("result is out of range"),
						errdetail("Double precision cannot hold it.")));
	if (number < 1 || number > nargs)
		elog(ERROR, "status %d blames argument %d of %d", gdp_status_code(status), number, nargs);
	argument = &arguments[number - 1];
	gaussdp_report(status,
				   argument->is_array ? psprintf("%s[%zu]", argument->name, element + 1)
									  : argument->name,
				   argument->values[element]);
}
