/*
 * root.h
 *		The search for a root, by Newton's method inside a bracket.
 *
 * Internal to the core; used by profile.c, pdp.c, bounds.c and transform.c, which each say how to step.
 * Inline, so that the compiler puts a step into the loop.
 *
 * Method
 *		Newton's proposal is taken while it falls between the ends of the bracket, otherwise the middle.
 *		The search ends: after GDP_NEWTON_STEPS every step halves the bracket, until a proposal is
 *		called the last one or no double is left between the ends.
 */
#ifndef GAUSSDP_CORE_ROOT_H
#define GAUSSDP_CORE_ROOT_H

#include <stdbool.h>

#define GDP_NEWTON_STEPS 64
#define GDP_NEWTON_TOLERANCE 1e-9 /* its square is what a last step leaves over */
#define GDP_HALLEY_TOLERANCE 1e-6 /* its cube is what a last step of third order leaves over */

/* What is learnt at x. */
typedef struct gdp_newton
{
	double next;        /* where the root is, as seen from x */
	bool root_is_above; /* which side it is on certainly, but for rounding */
	bool is_last;       /* next is close enough to be the result */
} gdp_newton;

/* The step from x on the way to the root of a problem, whose state is the caller's affair. */
typedef gdp_newton (*gdp_newton_step)(void *problem, double x);

/* Which end of the bracket is returned when no double is left in it. */
typedef enum gdp_root_side
{
	GDP_ROOT_LOW,
	GDP_ROOT_HIGH
} gdp_root_side;

/* The root between low and high, begun at start. */
static inline double
gdp_newton_root(gdp_newton_step step, void *problem, double low, double high, double start,
				gdp_root_side side)
{
	double x = start;

	for (int steps = 0;; steps++)
	{
		gdp_newton at = step(problem, x);

		if (at.is_last)
			return at.next;
		if (at.root_is_above)
			low = x;
		else
			high = x;
		x = at.next;
		if (steps >= GDP_NEWTON_STEPS || !(x > low && x < high))
			x = low + 0.5 * (high - low);
		if (!(x > low && x < high))
			return side == GDP_ROOT_LOW ? low : high;
	}
}

#endif /* GAUSSDP_CORE_ROOT_H */
