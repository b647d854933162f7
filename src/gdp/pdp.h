/*
 * pdp.h
 *		Both tails of the privacy loss at a place on a Gaussian mechanism's profile (pdp.c).
 *
 * Internal to gdp/; used by pdp.c and bounds.c.
 */
#ifndef GAUSSDP_GDP_PDP_H
#define GAUSSDP_GDP_PDP_H

#include "core/place.h"

/* P(|loss| > epsilon) = 1/2 e^(-a^2) F, for a > -26, and P(|loss| <= epsilon) = 1/2 e^(-a^2) G, for a < 26. */
extern double gdp_pdp_two_tails(const gdp_place *at, double epsilon);
extern double gdp_pdp_two_tails_rest(const gdp_place *at, double epsilon);

#endif /* GAUSSDP_GDP_PDP_H */
