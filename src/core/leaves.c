/*
 * leaves.c
 *		The leaves that a quantile's rows are counted in: doubles with fewer bits.
 *
 * Reads from search.h; used by the quantiles of the aggregates and by search.c.
 *
 * Method
 *		The bits of a double without its sign, read as an integer, are in the order of its size.  Their leading bits,
 *		exponent and 14 of the mantissa, number leaves whose width is in proportion to the distance from the anchor.  A
 *		shift of negative images rounds down, so that each leaf has its lower edge and not its upper one.
 *
 * Invariants
 *		The leaf of a value is a fixed map of the value: subtraction of the anchor and products with powers of ten round
 *		monotonically, so that order is kept.  Edges are where that arithmetic has them but for a rounding of their own.
 */
#include <math.h>
#include <string.h>

#include "search.h"

#define BITS 14    /* of a mantissa */
#define OCTAVES 40 /* powers of two below the larger bound */

/* The same where there are no bounds: down to 2^-64 from 2^64. */
#define ALL_OCTAVES 128

#define SHIFT (52 - BITS)

/* Whole numbers are taken as such up to here, beyond any int8. */
#define WHOLE_MAX 0x1p64

static int64_t
bits_of(double distance)
{
	int64_t bits;

	memcpy(&bits, &distance, sizeof(bits));
	return bits;
}

static double
double_of(int64_t bits)
{
	double distance;

	memcpy(&distance, &bits, sizeof(distance));
	return distance;
}

/* The number of the leaf that has y; the anchor begins number 0. */
static int64_t
number_of(const gdp_leaves *leaves, double y)
{
	double distance = y - leaves->anchor;
	int64_t leading;

	if (distance >= -leaves->near && distance < leaves->near)
		return leaves->whole ? (int64_t) floor(distance) : distance < 0 ? -1 : 0;
	if (distance < 0)
	{
		leading = -bits_of(-distance) >> SHIFT;
		return leading + leaves->base - leaves->offset;
	}
	leading = bits_of(distance) >> SHIFT;
	return leading - leaves->base + leaves->offset;
}

/* How far from the anchor the leaf of this number begins. */
static double
distance_of(const gdp_leaves *leaves, int64_t number)
{
	if (number < 0)
		return -distance_of(leaves, -number);
	if (number < leaves->offset)
		return (double) number;
	/* Beyond the largest double there is nothing. */
	return fmin(double_of((number - leaves->offset + leaves->base) << SHIFT),
				0x1.fffffffffffffp1023);
}

/* Ten to the scale, by exact products. */
static double
power_of_ten(int scale)
{
	double power = 1;

	while (scale-- > 0)
		power *= 10;
	return power;
}

static bool
are_whole(double lower, double upper, int scale, double factor)
{
	return scale >= 0 && scale <= GDP_MAX_SCALE && fabs(lower) * factor <= WHOLE_MAX &&
		   fabs(upper) * factor <= WHOLE_MAX;
}

void
gdp_leaves_between(double lower, double upper, int scale, gdp_leaves *leaves)
{
	double factor = scale > 0 && scale <= GDP_MAX_SCALE ? power_of_ten(scale) : 1;
	double part, largest;
	int exponent, octaves = OCTAVES;
	int64_t end;

	*leaves = (gdp_leaves){.lower = lower, .upper = upper, .factor = 1, .n = 1};
	leaves->whole = are_whole(lower, upper, scale, factor);
	if (leaves->whole)
		leaves->factor = factor;
	leaves->first = leaves->whole ? rint(lower * factor) : lower;
	leaves->last = leaves->whole ? rint(upper * factor) : upper;
	if (leaves->first > 0)
		leaves->anchor = leaves->first;
	else if (leaves->last < 0)
		leaves->anchor = leaves->last;

	largest = fmax(leaves->last - leaves->anchor, leaves->anchor - leaves->first);
	part = frexp(largest, &exponent);
	if (part == 0.5)
		exponent--;
	if (fmax(fabs(lower), fabs(upper)) >= GDP_NO_BOUND)
		octaves = ALL_OCTAVES;
	leaves->near = leaves->whole ? ldexp(1, BITS) : fmax(ldexp(1, exponent - octaves), 0x1p-1022);
	leaves->offset = leaves->whole ? INT64_C(1) << BITS : 1;
	leaves->base = bits_of(leaves->near) >> SHIFT;
	leaves->start = number_of(leaves, leaves->first);
	end = number_of(leaves, leaves->last);
	/* The upper bound belongs to the last leaf of real numbers, and is one by itself of whole ones. */
	if (!leaves->whole && leaves->anchor + distance_of(leaves, end) >= leaves->last)
		end--;
	if (end > leaves->start)
		leaves->n = (int32_t) (end - leaves->start + 1);
}

/* In units of 1 / factor. */
static int32_t
leaf_at(const gdp_leaves *leaves, double y)
{
	int64_t leaf = number_of(leaves, y) - leaves->start;

	leaf = leaf > 0 ? leaf : 0;
	return (int32_t) (leaf < leaves->n ? leaf : leaves->n - 1);
}

int32_t
gdp_leaf(const gdp_leaves *leaves, double x)
{
	x = x > leaves->lower ? x : leaves->lower;
	x = x < leaves->upper ? x : leaves->upper;
	return leaf_at(leaves, leaves->whole ? rint(x * leaves->factor) : x);
}

double
gdp_leaf_edge(const gdp_leaves *leaves, int32_t i)
{
	double edge;

	if (i <= 0)
		return leaves->first;
	if (i >= leaves->n)
		return leaves->whole ? leaves->last + 1 : leaves->last;
	edge = leaves->anchor + distance_of(leaves, leaves->start + i);
	return fmin(fmax(edge, leaves->first), leaves->last);
}

int32_t
gdp_leaf_edge_near(const gdp_leaves *leaves, double y)
{
	int32_t leaf = leaf_at(leaves, y);

	return y - gdp_leaf_edge(leaves, leaf) < gdp_leaf_edge(leaves, leaf + 1) - y ? leaf : leaf + 1;
}
