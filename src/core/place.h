/*
 * place.h
 *		A place on the privacy profile of a Gaussian mechanism.
 *
 * Internal to the core and to gdp/: profile.c, pdp.c, mechanism.c and bounds.c build on it.
 *
 * With mu = l2_sensitivity / sigma, x1 = epsilon/mu - mu/2 and x2 = x1 + mu a place is
 *		a = x1/sqrt2,  A = x2/sqrt2 = sqrt(a^2 + epsilon),
 *		h = A - a = mu/sqrt2,  m = (a + A)/2 = epsilon/(mu sqrt2) >= 0,
 * and on it, writing erfcx(x) = e^(x^2) erfc(x) and using e^epsilon e^(-A^2) = e^(-a^2),
 *		delta     = 1/2 e^(-a^2) D,  D = erfcx(a) - erfcx(A)
 *		1 - delta = 1/2 e^(-a^2) C,  C = erfcx(-a) + erfcx(A).
 */
#ifndef GAUSSDP_CORE_PLACE_H
#define GAUSSDP_CORE_PLACE_H

#include <float.h>
#include <math.h>

#include "core.h"

#define GDP_SQRT2 1.41421356237309504880
#define GDP_SQRT1_2 0.70710678118654752440
#define GDP_TWO_OVER_SQRT_PI 1.12837916709551257390

/* Beyond this a^2 no double can hold e^(-a^2). */
#define GDP_SQUARE_MAX 800

/* What is added to a result before it is handed out, always to the private side. */
#define GDP_DELTA_MARGIN 0x1p-46 /* 1.4e-14 of delta and of 1 - delta */
#define GDP_MU_MARGIN 0x1p-44    /* 5.7e-14 of mu and sigma */
#define GDP_EPSILON_MARGIN                                                                         \
	0x1p-45 /* 2.8e-14: less, so that epsilon of mu of epsilon is no more than it */

/*
 * Below GDP_MU_TINY a double is too coarse an ulp for intermediate results; at equal epsilon/mu a profile
 * is proportional to mu there, so that both are scaled up.
 */
#define GDP_MU_TINY 0x1p-900
#define GDP_MU_SCALE 0x1p300

/* a^2 = square + square_low */
typedef struct gdp_place
{
	double a;
	double A;
	double m;
	double h;
	double square;
	double square_low;
} gdp_place;

/*
 * The place of (mu (1 + mu_error), epsilon), where |mu_error| is a few units in the last place: what
 * the division that gave mu has lost.
 */
extern void gdp_place_of_mu(double mu, double mu_error, double epsilon, gdp_place *at);

/* The place with the given a on the profile of epsilon > 0; with the given m on that of mu. */
extern void gdp_place_of_a(double a, double epsilon, gdp_place *at);
extern void gdp_place_of_m(double m, double mu, gdp_place *at);

/* The mirror image: a changes its sign, A stays, m and h/2 change places. */
extern void gdp_place_mirror(const gdp_place *at, gdp_place *mirror);

/* A = sqrt(a^2 + epsilon), also where the squares would be subnormal. */
static inline double
gdp_place_radius(double a, double epsilon)
{
	double square = fma(a, a, epsilon);

	return square > 0x1p-900 ? sqrt(square)
							 : 0x1p-500 * sqrt(fma(a * 0x1p500, a * 0x1p500, epsilon * 0x1p1000));
}

/* mu of the place with the given a on the profile of epsilon, without cancellation. */
extern double gdp_mu_of_a(double a, double epsilon);

/* a after a step of ln mu by which the place's mu grows, at the same epsilon. */
static inline double
gdp_place_step(const gdp_place *at, double step)
{
	return at->a + at->m * expm1(-step) - 0.5 * at->h * expm1(step);
}

/* D, for a > -26, and C, for a < 26. */
extern double gdp_place_difference(const gdp_place *at);
extern double gdp_place_complement(const gdp_place *at);

/* e^(-a^2) factor / 2, and ln(e^(-a^2) factor / 2) - ln(goal), accurate where the two are close. */
extern double gdp_place_half(const gdp_place *at, double factor);
extern double gdp_place_excess(const gdp_place *at, double factor, double goal);

/* delta and 1 - delta, unrounded, and ln delta. */
extern void gdp_place_tails(const gdp_place *at, double *delta, double *rest);
extern double gdp_place_log_delta(const gdp_place *at);

/* delta rounded up, given both tails: never 0 and never more than 1. */
extern double gdp_delta_up(double delta, double rest);

/* mu = l2_sensitivity / sigma within the range of double, both greater than 0, and what the division lost. */
extern void gdp_mu_of_sigma(double sigma, double l2_sensitivity, double *mu, double *mu_error);

/* l2_sensitivity / mu for a mu that is known to GDP_MU_MARGIN, rounded up. */
extern gdp_status gdp_sigma_of_mu(double mu, double l2_sensitivity, double *sigma);

/* The largest mu that is (epsilon, delta)-DP, nearest. epsilon >= 0, 0 < delta < 1. */
extern double gdp_place_solve_mu(double epsilon, double delta);

/* The a at which the profile of epsilon > 0 passes through delta. */
extern double gdp_place_solve_a(double epsilon, double delta);

/* The smallest epsilon >= 0 of mu (1 + mu_error) and delta, unrounded, where it is next to 0. */
extern double gdp_epsilon_near_zero(double mu, double mu_error, double delta);

/*
 * A delta to be met by the profile of epsilon, or by that of mu: where delta > 1/2 it is 1 - delta that is
 * met, which is exact.
 */
typedef struct gdp_goal
{
	double parameter; /* epsilon or mu */
	bool small;       /* delta <= 1/2 */
	double goal;
} gdp_goal;

static inline gdp_goal
gdp_goal_of(double parameter, double delta)
{
	bool small = delta <= 0.5;

	return (gdp_goal){parameter, small, small ? delta : 1 - delta};
}

/* The double above, or below, a positive value that is known to GDP_MU_MARGIN. */
static inline double
gdp_up(double value)
{
	return nextafter(value + value * GDP_MU_MARGIN, HUGE_VAL);
}

static inline double
gdp_epsilon_up(double value)
{
	return value > 0 ? nextafter(value + value * GDP_EPSILON_MARGIN, HUGE_VAL) : 0;
}

static inline double
gdp_down(double value)
{
	if (value < DBL_MIN) /* where the margin is less than the last digit */
		return fmax(value - 4 * DBL_TRUE_MIN, 0);
	return nextafter(value - value * GDP_MU_MARGIN, 0);
}

#endif /* GAUSSDP_CORE_PLACE_H */
