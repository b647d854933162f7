/*
 * dd.c
 *		The transcendental functions of double-double arithmetic; see dd.h.
 */
#include "dd.h"

static const dd LN2 = {0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};

/* Beyond, e^x is 0 or infinite in double; and the number of halvings of the reduced argument. */
#define EXP_LIMIT 800.0
#define HALVINGS 8

/* Below, two terms of the series of e^x - 1 and ln(1 + x) are all; subnormals need no more care. */
#define TINY 0x1p-60

/* e^x - 1 for |x| <= 0.35: Taylor's series of x / 2^8, then (1 + s)^2 - 1 = 2 s + s^2 eight times. */
static dd
expm1_reduced(dd x)
{
	dd r = dd_scale(x, -HALVINGS), sum = dd_of(0);

	for (int n = 12; n >= 1; n--)
		sum = dd_div(dd_mul(r, dd_add(dd_of(1), sum)), dd_of(n));
	for (int i = 0; i < HALVINGS; i++)
		sum = dd_add(dd_scale(sum, 1), dd_mul(sum, sum));
	return sum;
}

dd
dd_exp(dd x)
{
	double power;

	if (!(fabs(x.hi) <= EXP_LIMIT))
		return dd_of(x.hi > 0 ? HUGE_VAL : x.hi < 0 ? 0 : NAN);
	power = nearbyint(x.hi / LN2.hi);
	x = dd_add(dd_of(1), expm1_reduced(dd_sub(x, dd_times(LN2, power))));
	return dd_scale(x, (int) power);
}

dd
dd_expm1(dd x)
{
	if (fabs(x.hi) < TINY)
		return dd_add(x, dd_scale(dd_mul(x, x), -1));
	return fabs(x.hi) <= 0.35 ? expm1_reduced(x) : dd_add(dd_exp(x), dd_of(-1));
}

/* One step of Newton from the double nearest to ln(1 + x): what is left is its square. */
dd
dd_log1p(dd x)
{
	double y;
	dd z;

	if (fabs(x.hi) < TINY)
		return dd_sub(x, dd_scale(dd_mul(x, x), -1));
	if (fabs(x.hi) > 0.5)
		return dd_log(dd_add(dd_of(1), x));
	y = log1p(x.hi);
	z = dd_expm1(dd_of(y));
	return dd_add(dd_of(y), dd_div(dd_sub(x, z), dd_add(dd_of(1), z)));
}

dd
dd_log(dd x)
{
	int power;

	if (!(x.hi > 0 && x.hi <= DBL_MAX))
		return dd_of(log(x.hi));
	if (frexp(x.hi, &power) < 0x1.6a09e667f3bcdp-1)
		power--;
	x = dd_scale(x, -power);
	return dd_add(dd_times(LN2, power), dd_log1p(dd_add(x, dd_of(-1))));
}
