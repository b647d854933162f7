/*
 * status.c
 *		Every status has words, and says which argument is to blame.
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
	for (int argument = 0; argument <= 6; argument++)
	{
		gdp_status status = gdp_blame_element(GDP_BAD_DELTA, argument, 1000000);

		ok(gdp_status_code(status) == GDP_BAD_DELTA && gdp_status_argument(status) == argument &&
			   gdp_status_element(status) == 1000000 &&
			   gdp_status_range(status) == gdp_status_range(GDP_BAD_DELTA),
		   "a status carries argument %d and its millionth element", argument);
	}
	ok(gdp_status_element(gdp_blame_element(GDP_BAD_MU, 15, SIZE_MAX)) == GDP_STATUS_ELEMENT_MAX &&
		   gdp_status_argument(gdp_blame_element(GDP_NO_ENTROPY, 15, SIZE_MAX)) == 15,
	   "an element too far on is the last that can be told");
	ok(strcmp(gdp_status_range(GDP_BAD_DELTA), "greater than 0 and less than 1") == 0,
	   "the range of delta is open");
	return done();
}
