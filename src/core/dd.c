/*
 * dd.c
 *		The transcendental functions of double-double arithmetic; see dd.h.
 */
#include "dd.h"

static const gdp_dd LN2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/* Beyond, e^x is 0 or infinite in double; and the number of halvings of the reduced argument. */
#define EXP_LIMIT 800.0
#define HALVINGS 8

/* Below, two terms of the series of e^x - 1 and ln(1 + x) are all; subnormals need no more care. */
#define TINY 0x1p-60

/* e^x - 1 for |x| <= 0.35: Taylor's series of x / 2^8, then (1 + s)^2 - 1 = 2 s + s^2 eight times. */
static gdp_dd
expm1_reduced(gdp_dd x)
{
	gdp_dd r = gdp_dd_scale(x, -HALVINGS), sum = gdp_dd_of(0);

	for (int n = 12; n >= 1; n--)
		sum = gdp_dd_div(gdp_dd_mul(r, gdp_dd_add(gdp_dd_of(1), sum)), gdp_dd_of(n));
	for (int i = 0; i < HALVINGS; i++)
		sum = gdp_dd_add(gdp_dd_scale(sum, 1), gdp_dd_mul(sum, sum));
	return sum;
}

gdp_dd
gdp_dd_exp(gdp_dd x)
{
	double power;

	if (!(fabs(x.hi) <= EXP_LIMIT))
		return gdp_dd_of(x.hi > 0 ? HUGE_VAL : x.hi < 0 ? 0 : NAN);
	power = nearbyint(x.hi / LN2.hi);
	x = gdp_dd_add(gdp_dd_of(1), expm1_reduced(gdp_dd_sub(x, gdp_dd_times(LN2, power))));
	return gdp_dd_scale(x, (int) power);
}

gdp_dd
gdp_dd_expm1(gdp_dd x)
{
	if (fabs(x.hi) < TINY)
		return gdp_dd_add(x, gdp_dd_scale(gdp_dd_mul(x, x), -1));
	return fabs(x.hi) <= 0.35 ? expm1_reduced(x) : gdp_dd_add(gdp_dd_exp(x), gdp_dd_of(-1));
}

/* One step of Newton from the double nearest to ln(1 + x): what is left is its square. */
gdp_dd
gdp_dd_log1p(gdp_dd x)
{
	double y;
	gdp_dd z;

	if (fabs(x.hi) < TINY)
		return gdp_dd_sub(x, gdp_dd_scale(gdp_dd_mul(x, x), -1));
	if (fabs(x.hi) > 0.5)
		return gdp_dd_log(gdp_dd_add(gdp_dd_of(1), x));
	y = log1p(x.hi);
	z = gdp_dd_expm1(gdp_dd_of(y));
	return gdp_dd_add(gdp_dd_of(y), gdp_dd_div(gdp_dd_sub(x, z), gdp_dd_add(gdp_dd_of(1), z)));
}

gdp_dd
gdp_dd_log(gdp_dd x)
{
	int power;

	if (!(x.hi > 0 && x.hi <= DBL_MAX))
		return gdp_dd_of(log(x.hi));
	if (frexp(x.hi, &power) < 0x1.6a09e667f3bcdp-1)
		power--;
	x = gdp_dd_scale(x, -power);
	return gdp_dd_add(gdp_dd_times(LN2, power), gdp_dd_log1p(gdp_dd_add(x, gdp_dd_of(-1))));
}
