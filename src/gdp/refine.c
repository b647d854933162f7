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
 * Profiles
 *		dhat(e) = e^(-(e/scale)^power) and dhat(e) = factor/e^power.  1 - dhat is log-concave in e for both (the
 *		distribution functions of Weibull's and Pareto's laws; the latter times a constant), so that
 *		(1 - dhat(e0)) / (1 + e^e0) rises, then falls: its largest value is where
 *			-dhat'(e0) / (1 - dhat(e0)) = 1 / (1 + e^-e0).
 *		Every e0 is safe, so that the switch point may be rounded.
 *		Examples of the paper: SGD, dhat = e^(-e^2); ICEA, dhat = K/e with K = n e^(-m/10), n = 4, m = 20.
 *		f = -C ln(d0)/e0.
 *
 * Error bound
 *		delta: relative 2^-70, rounded up; the switch: 1e-14, nearest.
 */
#include "core/dd.h"
#include "core/domain.h"
#include "gdp/gdp.h"
#include "gdp/refine.h"

/* What pairs of doubles may have lost where delta is above 2^-1080. */
#define REFINE_MARGIN 0x1p-70

/* A larger power would magnify what they have lost. */
#define POWER_MAX 1024

/* -ln of a profile before refinement, at epsilon > 0; below 0 where it says nothing. */
gdp_dd
gdp_refine_minus_log(const gdp_curve *curve, double epsilon)
{
	double first = curve->parameter[0], power = curve->parameter[1], quotient = epsilon / first;
	gdp_dd ln = gdp_dd_log(gdp_dd_of(epsilon));

	if (curve->kind == GDP_CURVE_POWER)
		return gdp_dd_sub(gdp_dd_times(ln, power), gdp_dd_log(gdp_dd_of(first)));

	/* the logarithm of a quotient next to 1 would be lost in a difference of two */
	if (quotient > 0.5 && quotient < 2)
		ln = gdp_dd_log(gdp_dd_div(gdp_dd_of(epsilon), gdp_dd_of(first)));
	else
		ln = gdp_dd_sub(ln, gdp_dd_log(gdp_dd_of(first)));
	ln = gdp_dd_times(ln, power);
	return gdp_dd_exp(ln.hi < 700 ? ln : gdp_dd_of(700));
}

/*
 * The sign of what is still to be won by a larger epsilon: ln(-dhat' / (1 - dhat)) + ln(1 + e^-epsilon).  With w =
 * -ln dhat the first fraction is w' / (e^w - 1).
 */
static bool
is_before_switch(const gdp_curve *curve, double epsilon)
{
	double w = gdp_refine_minus_log(curve, epsilon).hi, ln_slope, ln_rest;

	if (!(w > 0))
		return true;
	ln_slope = log(curve->parameter[1]) - log(epsilon);
	if (curve->kind == GDP_CURVE_EXPONENTIAL)
		ln_slope += log(w);
	ln_rest = w > 30 ? w + log1p(-exp(-w)) : log(expm1(w));
	return ln_slope - ln_rest + log1p(exp(-epsilon)) > 0;
}

/* Halves the interval of ln epsilon that has the switch point, over all that doubles can tell apart. */
static gdp_status
find_switch(gdp_curve *curve)
{
	double low = 0x1p-1000, high = 0x1p1000;

	GDP_REQUIRE(is_before_switch(curve, low) && !is_before_switch(curve, high), GDP_OUT_OF_RANGE);
	for (int i = 0; i < 200; i++)
	{
		double middle = high > 2 * low ? sqrt(low) * sqrt(high) : low + 0.5 * (high - low);

		if (!(middle > low && middle < high))
			break;
		if (is_before_switch(curve, middle))
			low = middle;
		else
			high = middle;
	}

	/* where the profile still says nothing at the switch, nothing would be implied */
	GDP_REQUIRE(gdp_refine_minus_log(curve, high).hi > 0, GDP_OUT_OF_RANGE);
	curve->switch_epsilon = high;
	return GDP_OK;
}

static gdp_status
make_refined(gdp_curve_kind kind, double first, double power, gdp_curve *curve)
{
	GDP_CHECK(1, POSITIVE, first);
	GDP_CHECK(2, POSITIVE, power);
	GDP_REQUIRE(power <= POWER_MAX, GDP_OUT_OF_RANGE);
	*curve = (gdp_curve){.kind = kind, .parameter = {first, power}};
	return find_switch(curve);
}

gdp_status
gdp_curve_exponential(double scale, double power, gdp_curve *curve)
{
	return make_refined(GDP_CURVE_EXPONENTIAL, scale, power, curve);
}

gdp_status
gdp_curve_power(double factor, double power, gdp_curve *curve)
{
	return make_refined(GDP_CURVE_POWER, factor, power, curve);
}

/* K is rounded up: a larger delta is a weaker promise. */
gdp_status
gdp_curve_icea(double m, double n, gdp_curve *curve)
{
	double factor;
	gdp_status status;

	GDP_CHECK(1, NOT_NEGATIVE, m);
	GDP_CHECK(2, POSITIVE, n);
	status = gdp_give(
		gdp_dd_up(gdp_dd_times(gdp_dd_exp(gdp_dd_div(gdp_dd_of(-m), gdp_dd_of(10))), n)), &factor);
	return status == GDP_OK ? gdp_curve_power(factor, 1, curve) : status;
}

/* delta0 at epsilon0 seen at epsilon <= epsilon0, in full precision */
static gdp_dd
implied(double epsilon0, gdp_dd delta0, double epsilon)
{
	gdp_dd share = gdp_dd_div(gdp_dd_neg(gdp_dd_expm1(gdp_dd_two_sum(epsilon, -epsilon0))),
							  gdp_dd_add(gdp_dd_of(1), gdp_dd_exp(gdp_dd_of(-epsilon0))));

	return gdp_dd_add(delta0, gdp_dd_mul(gdp_dd_sub(gdp_dd_of(1), delta0), share));
}

/* delta of a refined profile, rounded up */
gdp_status
gdp_refined_delta(const gdp_curve *curve, double epsilon, double *delta)
{
	double at = fmax(epsilon, curve->switch_epsilon);
	gdp_dd value = gdp_dd_exp(gdp_dd_neg(gdp_refine_minus_log(curve, at)));

	if (epsilon < at)
		value = implied(at, value, epsilon);
	return gdp_give(fmin(gdp_dd_up(gdp_dd_add(value, gdp_dd_times(value, REFINE_MARGIN))), 1),
					delta);
}

gdp_status
gdp_curve_switch(const gdp_curve *curve, double *epsilon, double *delta)
{
	gdp_status status = gdp_curve_check(curve);

	if (status != GDP_OK)
		return status;
	if (curve->kind != GDP_CURVE_EXPONENTIAL && curve->kind != GDP_CURVE_POWER)
	{
		*epsilon = 0;
		return gdp_curve_delta(curve, 0, delta);
	}
	*epsilon = curve->switch_epsilon;
	return gdp_give(gdp_dd_exp(gdp_dd_neg(gdp_refine_minus_log(curve, *epsilon))).hi, delta);
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
