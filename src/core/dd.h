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

typedef struct dd
{
	double hi;
	double lo;
} dd;

/* What the longest chain of operations here may have lost; rounding to a side allows for it. */
#define DD_SLACK(x) (fabs(x) * 0x1p-88 + 0x1p-1060)

static inline dd
dd_of(double x)
{
	return (dd){x, 0};
}

/* x + y and x * y, exactly */
static inline dd
dd_two_sum(double x, double y)
{
	double sum = x + y, part = sum - x;

	return (dd){sum, (x - (sum - part)) + (y - part)};
}

static inline dd
dd_two_product(double x, double y)
{
	double product = x * y;

	return (dd){product, fma(x, y, -product)};
}

static inline dd
dd_normal(double hi, double lo)
{
	double sum = hi + lo;

	return (dd){sum, lo - (sum - hi)};
}

static inline dd
dd_neg(dd x)
{
	return (dd){-x.hi, -x.lo};
}

static inline dd
dd_add(dd x, dd y)
{
	dd s = dd_two_sum(x.hi, y.hi), t = dd_two_sum(x.lo, y.lo);

	s = dd_normal(s.hi, s.lo + t.hi);
	return dd_normal(s.hi, s.lo + t.lo);
}

static inline dd
dd_sub(dd x, dd y)
{
	return dd_add(x, dd_neg(y));
}

static inline dd
dd_mul(dd x, dd y)
{
	dd p = dd_two_product(x.hi, y.hi);

	return dd_normal(p.hi, p.lo + (x.hi * y.lo + x.lo * y.hi));
}

static inline dd
dd_times(dd x, double y)
{
	return dd_mul(x, dd_of(y));
}

static inline dd
dd_div(dd x, dd y)
{
	double q1 = x.hi / y.hi, q2, q3;
	dd r = dd_sub(x, dd_times(y, q1));

	q2 = r.hi / y.hi;
	r = dd_sub(r, dd_times(y, q2));
	q3 = r.hi / y.hi;
	return dd_add(dd_normal(q1, q2), dd_of(q3));
}

/* x times a power of two */
static inline dd
dd_scale(dd x, int exponent)
{
	return (dd){ldexp(x.hi, exponent), ldexp(x.lo, exponent)};
}

static inline dd
dd_sqrt(dd x)
{
	double root = sqrt(x.hi);
	dd rest;

	if (!(root > 0))
		return dd_of(root);
	rest = dd_sub(x, dd_two_product(root, root));
	return dd_normal(root, rest.hi / (2 * root));
}

extern dd dd_exp(dd x);
extern dd dd_expm1(dd x);
extern dd dd_log(dd x);
extern dd dd_log1p(dd x);

/*
 * The least double that is certainly not below x, the greatest that is certainly not above it, for
 * x that carries rounding errors.
 */
static inline double
dd_up(dd x)
{
	return x.lo > -DD_SLACK(x.hi) ? nextafter(x.hi, HUGE_VAL) : x.hi;
}

static inline double
dd_down(dd x)
{
	return x.lo < DD_SLACK(x.hi) ? nextafter(x.hi, -HUGE_VAL) : x.hi;
}

/* The same for a result that is a double without any rounding where lo is 0, such as 2 * sqrt(9). */
static inline double
dd_up_exact(dd x)
{
	return x.lo > 0 ? nextafter(x.hi, HUGE_VAL) : x.hi;
}

static inline double
dd_down_exact(dd x)
{
	return x.lo < 0 ? nextafter(x.hi, -HUGE_VAL) : x.hi;
}

#endif /* GAUSSDP_CORE_DD_H */
