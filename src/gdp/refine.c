/*
 * refine.c
 *		Refining a privacy profile by the partial order of (epsilon, delta), and a sigma with it.
 *
 * Reads from convert.c and dd.h; transform.c measures the refined profiles.
 *
 * Theorem (Liu et al. 2022, Section 5 and Appendices B and C, as corrected in docs/mathematics.md)
 *		A mechanism that is (e0, dhat(e0))-DP for every e0 is (e, delta)-DP for the least delta that
 *		any e0 >= e implies at e.  Because what e0 implies is 1 - (1 - dhat(e0)) (1 + e^e) / (1 + e^e0),
 *		the best e0 doesn't depend on e: one switch point, below which the profile is refined.  A sigma
 *		that is enough for (e0, d0) is enough for (epsilon, delta) when d0 is at most what Corollary 3.1
 *		allows; the least of f(e0, d0) over e0 >= epsilon is the refined sigma.
 *
 * Examples of the paper
 *		SGD: dhat(e) = e^(-e^2).  ICEA: dhat(e) = K/e, K = 4 e^-2.  f = -C ln(d0)/e0.
 */
#include "core/dd.h"
#include "core/domain.h"
#include "gdp/gdp.h"

/* Switch points; any point near them is a valid one, and the refined profile is flat there. */
#define SGD_SWITCH 1.18784889958051326
#define SGD_SWITCH_DELTA 0.243902918409160341
#define ICEA_SWITCH 1.15660703536557802
#define ICEA_SWITCH_DELTA 0.468042400222254186

gdp_status
gdp_sgd_switch(double which, double *value)
{
	GDP_REQUIRE(which == 0 || which == 1, gdp_blame(GDP_BAD_CHOICE, 1));
	return gdp_give(which == 0 ? SGD_SWITCH : SGD_SWITCH_DELTA, value);
}

gdp_status
gdp_icea_switch(double which, double *value)
{
	GDP_REQUIRE(which == 0 || which == 1, gdp_blame(GDP_BAD_CHOICE, 1));
	return gdp_give(which == 0 ? ICEA_SWITCH : ICEA_SWITCH_DELTA, value);
}

/* delta0 at epsilon0 seen at epsilon <= epsilon0, in full precision */
static gdp_dd
implied(double epsilon0, gdp_dd delta0, double epsilon)
{
	gdp_dd share = gdp_dd_div(gdp_dd_neg(gdp_dd_expm1(gdp_dd_two_sum(epsilon, -epsilon0))),
							  gdp_dd_add(gdp_dd_of(1), gdp_dd_exp(gdp_dd_of(-epsilon0))));

	return gdp_dd_add(delta0, gdp_dd_mul(gdp_dd_sub(gdp_dd_of(1), delta0), share));
}

gdp_status
gdp_sgd_profile(double epsilon, double *delta)
{
	double at = fmax(epsilon, SGD_SWITCH);
	gdp_dd value;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	value = at < 100 ? gdp_dd_exp(gdp_dd_neg(gdp_dd_two_product(at, at))) : gdp_dd_of(0);
	if (epsilon < at)
		value = implied(at, value, epsilon);
	return gdp_give(gdp_dd_up(value), delta);
}

gdp_status
gdp_icea_profile(double epsilon, double *delta)
{
	double at = fmax(epsilon, ICEA_SWITCH);
	gdp_dd value;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	value = gdp_dd_div(gdp_dd_scale(gdp_dd_exp(gdp_dd_of(-2)), 2), gdp_dd_of(at));
	if (epsilon < at)
		value = implied(at, value, epsilon);
	return gdp_give(gdp_dd_up(value), delta);
}

/* ---------------------------------------------------------------------------
 * A sigma of the form -C ln(delta) / epsilon
 * ---------------------------------------------------------------------------
 */

/* What epsilon0 = x leaves for delta0 (Corollary 3.1): delta - (1 - delta) (e^(x - epsilon) - 1) / (1 + e^-epsilon) */
static gdp_dd
allowed(double x, double epsilon, double delta)
{
	gdp_dd share = gdp_dd_div(gdp_dd_expm1(gdp_dd_two_sum(x, -epsilon)),
							  gdp_dd_add(gdp_dd_of(1), gdp_dd_exp(gdp_dd_of(-epsilon))));

	return gdp_dd_sub(gdp_dd_of(delta), gdp_dd_mul(gdp_dd_two_sum(1, -delta), share));
}

/* x^2 times the derivative of -ln(delta0) / x; rises in x */
static bool
is_past_least(double x, double epsilon, double delta)
{
	gdp_dd left = allowed(x, epsilon, delta), slope;

	if (!(left.hi > 0))
		return true;
	slope = gdp_dd_div(gdp_dd_exp(gdp_dd_two_sum(x, -epsilon)),
					   gdp_dd_add(gdp_dd_of(1), gdp_dd_exp(gdp_dd_of(-epsilon))));
	slope = gdp_dd_times(gdp_dd_mul(slope, gdp_dd_two_sum(1, -delta)), x);
	return gdp_dd_add(gdp_dd_div(slope, left), gdp_dd_log(left)).hi >= 0;
}

gdp_status
gdp_refine_sigma_log(double epsilon, double delta, double which, double *value)
{
	double low = epsilon, high;
	gdp_dd left;

	GDP_CHECK(1, EPSILON_OR_ZERO, epsilon);
	GDP_CHECK(2, DELTA, delta);
	GDP_REQUIRE(which == 0 || which == 1 || which == 2, gdp_blame(GDP_BAD_CHOICE, 3));

	/* where nothing is left for delta0 */
	high = epsilon + log1p(delta * exp(-epsilon)) - log1p(-delta);
	high = nextafter(high, HUGE_VAL);
	if (is_past_least(low, epsilon, delta))
		high = low;
	while (high > low)
	{
		double middle = low + 0.5 * (high - low);

		if (middle <= low || middle >= high)
			break;
		if (is_past_least(middle, epsilon, delta))
			high = middle;
		else
			low = middle;
	}
	GDP_REQUIRE(low > 0, GDP_OUT_OF_RANGE);
	left = allowed(low, epsilon, delta);
	if (which == 1)
		return gdp_give(low, value);
	if (which == 2)
		return gdp_give(low == epsilon ? delta : gdp_dd_down(left), value);
	return gdp_give(gdp_dd_up(gdp_dd_div(gdp_dd_neg(gdp_dd_log(left)), gdp_dd_of(low))), value);
}
