/*
 * report.c
 *		The one place where a status of the core becomes an error of the server, and where errors lose the queries that
 *		they came from.
 */
#include "postgres.h"

#include <math.h>

#include "utils/float.h"

#include "report.h"

void
gaussdp_report(gdp_status status, const char *name, double value)
{
	if (status == GDP_OK)
		return;
	if (status == GDP_NO_ENTROPY)
		ereport(ERROR, (errcode(ERRCODE_INTERNAL_ERROR), errmsg("could not generate random values"),
						errdetail("Nothing was released.")));
	ereport(ERROR, (errcode(ERRCODE_INVALID_PARAMETER_VALUE),
					errmsg("%s is out of range: %s", name, float8out_internal(value)),
					errdetail("%s must be %s.", name, gdp_status_range(status))));
}

double
gaussdp_three_digits(double x, GaussdpRounding rounding)
{
	char text[32];
	int place;
	double digits;

	if (!(fabs(x) > 1e-290 && isfinite(x)))
		return x;
	place = (int) floor(log10(fabs(x))) - 2;
	digits = x / pow(10, place);
	if (rounding == GAUSSDP_ROUND_NEAREST)
		digits = rint(digits);
	else if (rounding == GAUSSDP_ROUND_UP)
		digits = ceil(digits - fabs(digits) * 1e-9);
	else
		digits = floor(digits + fabs(digits) * 1e-9);
	/* By way of the text: the nearest double is the one that prints with three digits. */
	snprintf(text, sizeof(text), "%.0fe%d", digits, place);
	return strtod(text, NULL);
}

void
gaussdp_rethrow_without_query(MemoryContext context)
{
	ErrorData *error;

	MemoryContextSwitchTo(context);
	error = CopyErrorData();
	FlushErrorState();
	error->context = GetErrorContextStack();
	error->internalquery = NULL;
	error->internalpos = 0;
	ReThrowError(error);
}
