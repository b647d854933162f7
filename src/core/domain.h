/*
 * domain.h
 *		What an argument may be: the checks that the functions of the core begin with.
 *
 * Private to the core.  NaN fails closed: every test is true for legal values only.
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

static inline bool
gdp_is_finite(double x)
{
	return x >= -DBL_MAX && x <= DBL_MAX;
}

static inline bool
gdp_is_positive(double x)
{
	return x > 0 && x <= DBL_MAX;
}

static inline bool
gdp_is_not_negative(double x)
{
	return x >= 0 && x <= DBL_MAX;
}

/* 0 < x < 1 */
static inline bool
gdp_is_probability(double x)
{
	return x > 0 && x < 1;
}

static inline bool
gdp_is_count(double x)
{
	return x >= 1 && x <= GDP_MAX_COUNT && x == floor(x);
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
