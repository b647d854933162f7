/*
 * bins.c
 *		Edges of bins of equal width between two bounds.
 *
 * Reads from dd.h; used by the histogram and the quantiles of the aggregates.
 *
 * Method
 *		lower (n - i)/n + upper i/n in double-double, of numbers scaled to at most 1, rounded once.
 *
 * Error bound
 *		The edge is the double nearest to its exact place, but for places within 2^-98 of the larger
 *		bound of the middle between two doubles; subnormal edges are rounded once more.  Rounding is
 *		monotonic, so that the edges ascend, and every double other than an edge is on the side of it
 *		where it is of the exact place: whole numbers, which are doubles, are in the very bin that exact
 *		arithmetic puts them in.
 */
#include "dd.h"
#include "domain.h"
#include "core.h"

double
gdp_bin_edge(double lower, double upper, double n, double i)
{
	double largest = fmax(fabs(lower), fabs(upper));
	int exponent = 0;
	gdp_dd sum;

	if (i == 0 || i == n)
		return i == 0 ? lower : upper;

	/* Products of middling numbers neither overflow nor lose their low halves. */
	if (!(largest > 0x1p-800 && largest < 0x1p900))
	{
		(void) frexp(largest, &exponent);
		lower = ldexp(lower, -exponent);
		upper = ldexp(upper, -exponent);
	}
	sum = gdp_dd_add(gdp_dd_two_product(lower, n - i), gdp_dd_two_product(upper, i));
	if (exponent == 0 && sum.lo == 0)
		return sum.hi / n; /* the same, sooner */
	return ldexp(gdp_dd_div(sum, gdp_dd_of(n)).hi, exponent);
}
