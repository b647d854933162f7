/*
 * domain.h
 *		What an argument may be: the checks that the functions of core and gdp begin with.
 *
 * Private to these two.  NaN fails closed: every test is true for legal values only.
 */
#ifndef GAUSSDP_CORE_DOMAIN_H
#define GAUSSDP_CORE_DOMAIN_H

#include <float.h>
#include <math.h>

#include "core.h"

/* Returns status from the calling function unless the condition holds. */
#define GDP_REQUIRE(condition, status)                                                             \
	do                                                                                             \
	{                                                                                              \
		if (!(condition))                                                                          \
			return status;                                                                         \
	} while (0)

/*
 * Is x what the status asks for?  Every range that does not depend on another argument stands here, and in
 * words in status.c; false for a status that asks for something else.
 */
static inline bool
gdp_in_domain(gdp_status code, double x)
{
	switch (code)
	{
		case GDP_BAD_EPSILON:
		case GDP_BAD_SENSITIVITY:
		case GDP_BAD_SIGMA:
		case GDP_BAD_MU:
		case GDP_BAD_POSITIVE:
			return x > 0 && x <= DBL_MAX;
		case GDP_BAD_MU_OR_ZERO:
		case GDP_BAD_EPSILON_OR_ZERO:
		case GDP_BAD_NOT_NEGATIVE:
			return x >= 0 && x <= DBL_MAX;
		case GDP_BAD_NUMBER:
			return x >= -DBL_MAX && x <= DBL_MAX;
		case GDP_BAD_DELTA:
		case GDP_BAD_SHARE:
			return x > 0 && x < 1;
		case GDP_BAD_DELTA_OR_ZERO:
			return x >= 0 && x < 1;
		case GDP_BAD_DELTA_HALF:
			return x > 0 && x < 0.5;
		case GDP_BAD_ERFC:
			return x > 0 && x < 2;
		case GDP_BAD_PROBABILITY:
			return x >= 0 && x <= 1;
		case GDP_BAD_FRACTION:
			return x > 0 && x <= 1;
		case GDP_BAD_ORDER:
			return x > 1 && x <= DBL_MAX;
		case GDP_BAD_COUNT:
			return x >= 1 && x <= GDP_MAX_COUNT && x == floor(x);
		default:
			return false;
	}
}

/*
 * Returns from the calling function, with its argument-th argument to blame, unless x is what GDP_BAD_what
 * asks for: GDP_CHECK(2, DELTA, delta).  The same for element i of an array.
 */
#define GDP_CHECK(argument, what, x)                                                               \
	GDP_REQUIRE(gdp_in_domain(GDP_BAD_##what, x), gdp_blame(GDP_BAD_##what, argument))
#define GDP_CHECK_EACH(argument, what, xs, i)                                                      \
	GDP_REQUIRE(gdp_in_domain(GDP_BAD_##what, (xs)[i]),                                            \
				gdp_blame_element(GDP_BAD_##what, argument, i))

/* Bounds, the two first arguments of a function. */
#define GDP_CHECK_BOUNDS(lower, upper)                                                             \
	GDP_CHECK(1, NUMBER, lower);                                                                   \
	GDP_REQUIRE(gdp_is_finite(upper) && (lower) < (upper), gdp_blame(GDP_BAD_BOUNDS, 2))

static inline bool
gdp_is_finite(double x)
{
	return gdp_in_domain(GDP_BAD_NUMBER, x);
}

static inline bool
gdp_is_not_negative(double x)
{
	return gdp_in_domain(GDP_BAD_NOT_NEGATIVE, x);
}

/* Hands out a value that has to be a finite double. */
static inline gdp_status
gdp_give(double value, double *result)
{
	if (!gdp_is_finite(value))
		return GDP_OUT_OF_RANGE;
	*result = value;
	return GDP_OK;
}

#endif /* GAUSSDP_CORE_DOMAIN_H */
