/*
 * dd.h
 *		Double-double arithmetic: numbers of about 31 digits as the sum of two doubles.
 *
 * Private to the core; compose.c, kov.c, convert.c, concentrated.c and transform.c compute in it and
 * round once, at the end, to the side that is asked for.  A formula that cancels, or whose safe side
 * would otherwise need a margin of its own, is so right to the last digit.
 *
 * Invariants
 *		hi is the double nearest to hi + lo, |hi| < 2^1000; no contraction, no fast-math.
 *
 * Error bounds
 *		Relative: sums, products, quotients and roots 2^-102, exp, expm1, log and log1p 2^-94, as long
 *		as the low half doesn't underflow (|value| > 2^-969).  Method: Dekker 1971, Knuth's two-sum;
 *		exp by reduction and Taylor's series, the logarithms by one Newton step on libm's value.
 */
#ifndef GAUSSDP_CORE_DD_H
#define GAUSSDP_CORE_DD_H

#include <float.h>
#include <math.h>
#include <stdbool.h>

#include "arithmetic.h"

typedef struct gdp_dd
{
	double hi;
	double lo;
} gdp_dd;

/* What the longest chain of operations here may have lost; rounding to a side allows for it. */
#define GDP_DD_SLACK(x) (fabs(x) * 0x1p-88 + 0x1p-1060)

static inline gdp_dd
gdp_dd_of(double x)
{
	return (gdp_dd){x, 0};
}

/* x + y and x * y, exactly */
static inline gdp_dd
gdp_dd_two_sum(double x, double y)
{
	double sum = x + y, part = sum - x;

	return (gdp_dd){sum, (x - (sum - part)) + (y - part)};
}

static inline gdp_dd
gdp_dd_two_product(double x, double y)
{
	double product = x * y;

	return (gdp_dd){product, fma(x, y, -product)};
}

static inline gdp_dd
gdp_dd_normal(double hi, double lo)
{
	double sum = hi + lo;

	return (gdp_dd){sum, lo - (sum - hi)};
}

static inline gdp_dd
gdp_dd_neg(gdp_dd x)
{
	return (gdp_dd){-x.hi, -x.lo};
}

static inline gdp_dd
gdp_dd_add(gdp_dd x, gdp_dd y)
{
	gdp_dd s = gdp_dd_two_sum(x.hi, y.hi), t = gdp_dd_two_sum(x.lo, y.lo);

	s = gdp_dd_normal(s.hi, s.lo + t.hi);
	return gdp_dd_normal(s.hi, s.lo + t.lo);
}

static inline gdp_dd
gdp_dd_sub(gdp_dd x, gdp_dd y)
{
	return gdp_dd_add(x, gdp_dd_neg(y));
}

static inline gdp_dd
gdp_dd_mul(gdp_dd x, gdp_dd y)
{
	gdp_dd p = gdp_dd_two_product(x.hi, y.hi);

	return gdp_dd_normal(p.hi, p.lo + (x.hi * y.lo + x.lo * y.hi));
}

static inline gdp_dd
gdp_dd_times(gdp_dd x, double y)
{
	return gdp_dd_mul(x, gdp_dd_of(y));
}

static inline gdp_dd
gdp_dd_div(gdp_dd x, gdp_dd y)
{
	double q1 = x.hi / y.hi, q2, q3;
	gdp_dd r = gdp_dd_sub(x, gdp_dd_times(y, q1));

	q2 = r.hi / y.hi;
	r = gdp_dd_sub(r, gdp_dd_times(y, q2));
	q3 = r.hi / y.hi;
	return gdp_dd_add(gdp_dd_normal(q1, q2), gdp_dd_of(q3));
}

/* x times a power of two */
static inline gdp_dd
gdp_dd_scale(gdp_dd x, int exponent)
{
	return (gdp_dd){ldexp(x.hi, exponent), ldexp(x.lo, exponent)};
}

static inline gdp_dd
gdp_dd_sqrt(gdp_dd x)
{
	double root = sqrt(x.hi);
	gdp_dd rest;

	if (!(root > 0))
		return gdp_dd_of(root);
	rest = gdp_dd_sub(x, gdp_dd_two_product(root, root));
	return gdp_dd_normal(root, rest.hi / (2 * root));
}

extern gdp_dd gdp_dd_exp(gdp_dd x);
extern gdp_dd gdp_dd_expm1(gdp_dd x);
extern gdp_dd gdp_dd_log(gdp_dd x);
extern gdp_dd gdp_dd_log1p(gdp_dd x);

/*
 * The least double that is certainly not below x, the greatest that is certainly not above it, for
 * x that carries rounding errors.
 */
static inline double
gdp_dd_up(gdp_dd x)
{
	return x.lo > -GDP_DD_SLACK(x.hi) ? nextafter(x.hi, HUGE_VAL) : x.hi;
}

static inline double
gdp_dd_down(gdp_dd x)
{
	return x.lo < GDP_DD_SLACK(x.hi) ? nextafter(x.hi, -HUGE_VAL) : x.hi;
}

/* The same for a result that is a double without any rounding where lo is 0, such as 2 * sqrt(9). */
static inline double
gdp_dd_up_exact(gdp_dd x)
{
	return x.lo > 0 ? nextafter(x.hi, HUGE_VAL) : x.hi;
}

static inline double
gdp_dd_down_exact(gdp_dd x)
{
	return x.lo < 0 ? nextafter(x.hi, -HUGE_VAL) : x.hi;
}

#endif /* GAUSSDP_CORE_DD_H */
