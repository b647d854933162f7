/*
 * refine.h
 *		Profiles that are refined by the partial order of (epsilon, delta) (refine.c).
 *
 * Internal to gdp/; used by refine.c and transform.c.  The profiles are of kind GDP_CURVE_EXPONENTIAL or GDP_CURVE_POWER.
 */
#ifndef GAUSSDP_GDP_REFINE_H
#define GAUSSDP_GDP_REFINE_H

#include "core/dd.h"
#include "gdp/gdp.h"

/* -ln of such a profile before refinement, at epsilon > 0; below 0 where it says nothing. */
extern gdp_dd gdp_refine_minus_log(const gdp_curve *curve, double epsilon);

/* delta of the refined one, rounded up; epsilon unchecked. */
extern gdp_status gdp_refined_delta(const gdp_curve *curve, double epsilon, double *delta);

#endif /* GAUSSDP_GDP_REFINE_H */
