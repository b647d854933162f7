/*
 * mechanism.c
 *		The catalogue of mechanisms: one entry for each published sigma formula.
 *
 * Reads from profile.c and normal.c.
 */
#include <float.h>
#include <math.h>

#include "gdp.h"

gdp_status
gdp_optimal_sigma(double epsilon, double delta, double l2_sensitivity, double *sigma)
{
	double mu, value;
	gdp_status status = gdp_profile_mu(epsilon, delta, &mu);

	if (status != GDP_OK)
		return status;
	if (!(l2_sensitivity > 0 && l2_sensitivity <= DBL_MAX))
		return GDP_BAD_SENSITIVITY;

	/* mu is low by more than the division can lose, unless the quotient is subnormal */
	value = nextafter(l2_sensitivity / mu, HUGE_VAL);
	if (!(value <= DBL_MAX))
		return GDP_OUT_OF_RANGE;
	*sigma = value;
	return GDP_OK;
}
