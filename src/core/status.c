/*
 * status.c
 *		The statuses of the core in words.
 */
#include "gdp.h"

const char *
gdp_status_range(gdp_status status)
{
	switch (status)
	{
		case GDP_OK:
			return "";
		case GDP_BAD_EPSILON:
		case GDP_BAD_SENSITIVITY:
		case GDP_BAD_SIGMA:
		case GDP_BAD_MU:
			return "a finite number greater than 0";
		case GDP_BAD_EPSILON_OR_ZERO:
			return "a finite number, at least 0";
		case GDP_BAD_DELTA:
			return "greater than 0 and less than 1";
		case GDP_OUT_OF_DOMAIN:
			return "the domain of the mechanism";
		case GDP_OUT_OF_RANGE:
			return "a magnitude that double precision can hold";
		case GDP_NO_ENTROPY:
			return "a working source of random bits";
	}
	return "known";
}
