/*
 * status.c
 *		The statuses of the core in words.
 */
#include "core.h"

const char *
gdp_status_range(gdp_status status)
{
	switch (gdp_status_code(status))
	{
		case GDP_OK:
			return "";
		case GDP_BAD_EPSILON:
		case GDP_BAD_SENSITIVITY:
		case GDP_BAD_SIGMA:
		case GDP_BAD_MU:
		case GDP_BAD_POSITIVE:
			return "a finite number greater than 0";
		case GDP_BAD_MU_OR_ZERO:
		case GDP_BAD_EPSILON_OR_ZERO:
		case GDP_BAD_NOT_NEGATIVE:
			return "a finite number, at least 0";
		case GDP_BAD_DELTA_HALF:
			return "greater than 0 and less than 1/2";
		case GDP_BAD_ERFC:
			return "greater than 0 and less than 2";
		case GDP_BAD_NUMBER:
			return "a finite number";
		case GDP_BAD_PROBABILITY:
			return "at least 0 and at most 1";
		case GDP_BAD_DELTA:
		case GDP_BAD_SHARE:
			return "greater than 0 and less than 1";
		case GDP_BAD_DELTA_OR_ZERO:
			return "at least 0 and less than 1";
		case GDP_BAD_EPSILON_HAT:
			return "a finite number greater than epsilon";
		case GDP_BAD_DELTA_HAT:
			return "greater than delta and at most 1";
		case GDP_BAD_COUNT:
			return "a whole number from 1 to 1000000000";
		case GDP_BAD_PART_COUNT:
			return "1 to 20";
		case GDP_BAD_ORDER:
			return "a finite number greater than 1";
		case GDP_BAD_FRACTION:
			return "greater than 0 and at most 1";
		case GDP_BAD_BOUNDS:
			return "a finite number greater than lower";
		case GDP_BAD_EPSILON_HAT_GAP:
			return "a finite number greater than epsilon - ln(1 - delta)";
		case GDP_BAD_EPSILON_BELOW:
			return "a finite number, at least epsilon0";
		case GDP_BAD_AVERAGE:
			return "between the bounds";
		case GDP_GAP_TOO_SMALL:
			return "wide enough for double precision";
		case GDP_BAD_CHOICE:
			return "one of the numbers that the function lists";
		case GDP_BAD_PROFILE:
			return "ascending in epsilon from 0 on, not ascending in delta, ending below 1";
		case GDP_BAD_LAW:
			return "convex, not falling and rising in the end, at 2 to 10000 points that ascend from 0 on";
		case GDP_TOO_MANY_STEPS:
			return "wide enough for 1000000 steps";
		case GDP_OUT_OF_DOMAIN:
			return "within the domain of the mechanism";
		case GDP_OUT_OF_RANGE:
			return "a magnitude that double precision can hold";
		case GDP_NO_ENTROPY:
			return "a working source of random bits";
	}
	return "known";
}

_Static_assert(GDP_NO_ENTROPY < 1 << GDP_STATUS_CODE_BITS, "a status has room for every code");
