/*
 * report.c
 *		The one place where a status of the core becomes an error of the server, and where errors lose the queries that
 *		they came from.
 */
#include "postgres.h"

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
