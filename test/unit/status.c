/*
 * status.c
 *		Every status has words.
 */
#include <string.h>

#include "core/core.h"
#include "unit.h"

int
main(void)
{
	for (int status = GDP_BAD_EPSILON; status <= GDP_NO_ENTROPY; status++)
		ok(strlen(gdp_status_range((gdp_status) status)) > 0, "status %d has a range", status);
	ok(gdp_status_range(GDP_OK)[0] == '\0', "success has none");
	ok(strcmp(gdp_status_range(GDP_BAD_DELTA), "greater than 0 and less than 1") == 0,
	   "the range of delta is open");
	return done();
}
