/*
 * bins.c
 *		Edges of bins of equal width between two bounds.
 *
 * Reads from dd.h; used by the histogram.
 *
 * Method
 *		A bound is what was typed: the shortest decimal that reads as its double (0.4, not the 0.40000000000000002220
 *		that a double makes of it), of up to 17 digits.  Both bounds become whole numbers of one power of ten, of
 *		which lower (n - i) + upper i is exact in double-double; that is divided by n and rounded, once.  So an
 *		edge is as if it had been typed itself, and a typed value that equals it is in the bin above.
 *
 * Error bound
 *		The edge is the double nearest to its exact place, but for places within 2^-98 of themselves of the middle
 *		between two doubles; subnormal edges are rounded once more.  Rounding is
 *		monotonic, so that the edges ascend, and every double other than an edge is on the side of it
 *		where it is of the exact place: whole numbers, which are doubles, are in the very bin that exact
 *		arithmetic puts them in.
 *		Bounds beyond 1e280, nearer to 0 than 1e-280, or with more than 26 digits between the first of one and the
 *		last of the other, are taken as the doubles they are.
 */
#include "dd.h"
#include "domain.h"
#include "core.h"

#define DIGITS 17         /* of a decimal that tells every double apart */
#define DECIMAL_MAX 1e280 /* beyond, powers of ten that are needed would overflow */
#define WHOLE_MAX 0x1p86  /* times n of up to 2^20 it is exact in double-double */
#define SHIFT_MAX 26      /* digits of that */

/* A number as whole 10^power */
typedef struct decimal
{
	gdp_dd whole;
	int power;
} decimal;

/* 10^power, power >= 0: exact up to 10^45, as 5^45 < 2^106 */
static gdp_dd
power_of_ten(int power)
{
	gdp_dd result = gdp_dd_of(1), square = gdp_dd_of(10);

	for (; power > 0; power /= 2)
	{
		if (power % 2 == 1)
			result = gdp_dd_mul(result, square);
		if (power > 1)
			square = gdp_dd_mul(square, square);
	}
	return result;
}

/* x 10^power */
static gdp_dd
shift_decimal(gdp_dd x, int power)
{
	return power < 0 ? gdp_dd_div(x, power_of_ten(-power)) : gdp_dd_mul(x, power_of_ten(power));
}

static gdp_dd
round_to_whole(gdp_dd x)
{
	double hi = nearbyint(x.hi);

	/* from 2^53 on the high half is a whole number by itself */
	return fabs(x.hi) < 0x1p53 ? gdp_dd_of(hi) : gdp_dd_two_sum(hi, nearbyint(x.lo));
}

/* The shortest decimal that reads as value; false where it is out of range. */
static bool
decimal_of(double value, decimal *result)
{
	double size = fabs(value);
	int power;

	*result = (decimal){gdp_dd_of(value), 0};
	if (value == nearbyint(value) && size <= 0x1p53)
		return true;
	if (!(size < DECIMAL_MAX && size > 1 / DECIMAL_MAX))
		return false;
	power = (int) floor(log10(size)) + 1; /* digits before the point */
	for (int digits = 1; digits <= DIGITS; digits++)
	{
		result->whole = round_to_whole(shift_decimal(gdp_dd_of(value), digits - power));
		result->power = power - digits;
		if (shift_decimal(result->whole, result->power).hi == value)
			return true;
	}
	return false;
}

/* Raises one to the power of ten of the other, the smaller one. */
static bool
lower_power(decimal *x, int power)
{
	if (x->power - power > SHIFT_MAX)
		return false;
	x->whole = gdp_dd_mul(x->whole, power_of_ten(x->power - power));
	x->power = power;
	return fabs(x->whole.hi) < WHOLE_MAX;
}

static bool
common_power(decimal *x, decimal *y)
{
	int power = x->power < y->power ? x->power : y->power;

	if (x->whole.hi == 0)
		power = y->power;
	else if (y->whole.hi == 0)
		power = x->power;
	if (x->whole.hi == 0)
		x->power = power;
	if (y->whole.hi == 0)
		y->power = power;
	return lower_power(x, power) && lower_power(y, power);
}

void
gdp_bins_between(double lower, double upper, double n, gdp_bins *bins)
{
	double largest = fmax(fabs(lower), fabs(upper));
	gdp_dd divisor = gdp_dd_of(n), factor = gdp_dd_of(1);
	decimal low, high;

	*bins = (gdp_bins){.lower = lower, .upper = upper, .n = n};
	if (decimal_of(lower, &low) && decimal_of(upper, &high) && common_power(&low, &high))
	{
		if (low.power < 0)
			divisor = gdp_dd_times(power_of_ten(-low.power), n);
		else
			factor = power_of_ten(low.power);
	}
	else
	{
		/* Products of middling numbers neither overflow nor lose their low halves. */
		if (!(largest > 0x1p-800 && largest < 0x1p900))
			(void) frexp(largest, &bins->exponent);
		low.whole = gdp_dd_of(ldexp(lower, -bins->exponent));
		high.whole = gdp_dd_of(ldexp(upper, -bins->exponent));
	}
	bins->first[0] = low.whole.hi;
	bins->first[1] = low.whole.lo;
	bins->last[0] = high.whole.hi;
	bins->last[1] = high.whole.lo;
	bins->divisor[0] = divisor.hi;
	bins->divisor[1] = divisor.lo;
	bins->factor[0] = factor.hi;
	bins->factor[1] = factor.lo;
}

static gdp_dd
pair(const double halves[2])
{
	return (gdp_dd){halves[0], halves[1]};
}

double
gdp_bin_edge(const gdp_bins *bins, double i)
{
	gdp_dd sum;
	double n = bins->n;

	if (i == 0 || i == n)
		return i == 0 ? bins->lower : bins->upper;
	if (bins->first[1] == 0 && bins->last[1] == 0)
		sum = gdp_dd_add(gdp_dd_two_product(bins->first[0], n - i),
						 gdp_dd_two_product(bins->last[0], i));
	else
		sum = gdp_dd_add(gdp_dd_times(pair(bins->first), n - i), gdp_dd_times(pair(bins->last), i));
	if (bins->factor[0] != 1)
		sum = gdp_dd_mul(sum, pair(bins->factor));
	if (sum.lo == 0 && bins->divisor[1] == 0 && bins->exponent == 0)
		return sum.hi / bins->divisor[0]; /* the same, sooner */
	return ldexp(gdp_dd_div(sum, pair(bins->divisor)).hi, bins->exponent);
}
