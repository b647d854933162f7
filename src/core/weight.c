/*
 * weight.c
 *		Sizes of rows and weights of people, in exact integers: bounded contributions of people who own many
 *		rows.
 *
 * Reads integers on a release's grid; hands sizes and weights to the aggregates.
 *
 * Theorem.  Let a row of person u in group g have a contribution c, an integer vector of 2-norm at most
 * s D / 2^20, where s is the row's size and D the most that a row may have.  Let S_g be the sum of s over u's
 * rows in g, N2 the sum of S_g^2 over all groups, and m^2 N2 <= 2^62 k^2, k in units of 2^-20.  A row adds
 * trunc(c m / 2^31), which is no longer in any coordinate than c m / 2^31.  So u's part in group g is at most
 * S_g D m / 2^51, and over all groups together at most D m sqrt(N2) / 2^51 <= D k / 2^20: k times what one
 * row may add, however many rows and groups u has.
 *
 * Where a person's rows are clipped as a whole, as those of sums, averages and variances are, V_i is the sum of the contributions of u's rows in
 * group g to coordinate i, whose rows add D_i at most and which has the share q_i / 4 of mu^2; S_i = ceil(2^20 |V_i| / D_i), and N2 the
 * sum of ceil(sum of q_i S_i^2 / 4) over all groups.  All of u adds trunc(V_i m / 2^31), once in each group.  So the sum over groups and
 * coordinates of (q_i / 4) (part_i / D_i)^2 is at most m^2 N2 / 2^102 <= (k / 2^20)^2: noise of sigma_i = (k / 2^20) D_i / (mu sqrt(q_i / 4))
 * hides it at mu.  Of a histogram each bin of a group is a group.
 *
 * Nothing is rounded but in that direction: sizes up, weights down, products of up to 166 bits compared in
 * two limbs.
 */
#include <math.h>

#include "core.h"

__extension__ typedef unsigned __int128 uint128;

/* high * 2^128 + low */
typedef struct product
{
	uint128 high, low;
} product;

static product
multiply(uint128 a, uint128 b)
{
	uint128 a1 = a >> 64, a0 = (uint64_t) a, b1 = b >> 64, b0 = (uint64_t) b;
	uint128 low = a0 * b0, cross = a1 * b0 + (low >> 64), cross2 = a0 * b1 + (uint64_t) cross;

	return (product){.high = a1 * b1 + (cross >> 64) + (cross2 >> 64),
					 .low = (cross2 << 64) | (uint64_t) low};
}

static bool
is_at_most(product a, product b)
{
	return a.high < b.high || (a.high == b.high && a.low <= b.low);
}

int64_t
gdp_size_of_vector(gdp_int128 square, int64_t bound)
{
	uint128 bound_square = (uint128) bound * (uint128) bound;
	product wanted = multiply((uint128) square, (uint128) GDP_SIZE_ROW * GDP_SIZE_ROW);
	int64_t low = 0, high = GDP_SIZE_ROW; /* high is large enough */

	while (low < high)
	{
		int64_t middle = (low + high) / 2;

		if (is_at_most(wanted, multiply((uint128) (middle * middle), bound_square)))
			high = middle;
		else
			low = middle + 1;
	}
	return high;
}

int64_t
gdp_size_add(int64_t a, int64_t b)
{
	return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static bool
is_small_enough(int64_t weight, gdp_int128 n2, product most)
{
	return is_at_most(multiply((uint128) (weight * weight), (uint128) n2), most);
}

gdp_int128
gdp_squares_add(gdp_int128 n2, int64_t size, int64_t size_sum)
{
	gdp_int128 part = (gdp_int128) size * size_sum;

	return part > GDP_SQUARES_MAX - n2 ? GDP_SQUARES_MAX + 1 : n2 + part;
}

int64_t
gdp_size_of_sum(gdp_int128 sum, int64_t bound)
{
	uint128 magnitude = sum < 0 ? -(uint128) sum : (uint128) sum;
	uint128 whole = magnitude / (uint128) bound;
	uint128 rest = magnitude - whole * (uint128) bound;

	if (whole > (uint128) (INT64_MAX / GDP_SIZE_ROW - 1))
		return INT64_MAX;
	rest = (rest * (uint128) GDP_SIZE_ROW + (uint128) bound - 1) / (uint128) bound;
	return (int64_t) whole * GDP_SIZE_ROW + (int64_t) rest;
}

gdp_int128
gdp_squares_add_joint(gdp_int128 n2, int n, const int64_t *sizes, const int *quarters)
{
	gdp_int128 part = 0;

	for (int i = 0; i < n; i++)
	{
		/* a larger size has more than the most squares by itself, whatever its share is */
		if (sizes[i] > INT64_C(1) << 53)
			return GDP_SQUARES_MAX + 1;
		part += (gdp_int128) sizes[i] * sizes[i] * quarters[i];
	}
	part = (part + 3) / 4;
	return part > GDP_SQUARES_MAX - n2 ? GDP_SQUARES_MAX + 1 : n2 + part;
}

/*
 * Where all products have 128 bits at most, as they have of people with some thousand rows: a double finds the weight but
 * for one, and whole numbers decide.
 */
static int64_t
weight_of_few(uint64_t n2, uint64_t k)
{
	uint128 most = (uint128) (k * k) << 62;
	double guess = (double) GDP_WEIGHT_ROW * (double) k / sqrt((double) n2);
	uint64_t weight = guess < (double) GDP_WEIGHT_ROW ? (uint64_t) guess : GDP_WEIGHT_ROW;

	while ((uint128) (weight * weight) * n2 > most)
		weight--;
	while (weight < GDP_WEIGHT_ROW && (uint128) ((weight + 1) * (weight + 1)) * n2 <= most)
		weight++;
	return (int64_t) weight;
}

/* The search is among a few weights that a double has found, as long as they stand on both sides of what is searched. */
int64_t
gdp_person_weight(gdp_int128 n2, int64_t k)
{
	product most;
	int64_t low = 0, high = GDP_WEIGHT_ROW; /* low is small enough */
	double guess;

	if (n2 <= 0 || n2 > GDP_SQUARES_MAX || k <= 0)
		return 0;
	if (n2 <= UINT64_MAX && k <= UINT32_MAX)
		return weight_of_few((uint64_t) n2, (uint64_t) k);
	most = multiply((uint128) GDP_WEIGHT_ROW * GDP_WEIGHT_ROW, (uint128) k * (uint128) k);
	guess = (double) GDP_WEIGHT_ROW * (double) k / sqrt((double) n2);
	if (guess < (double) GDP_WEIGHT_ROW)
	{
		int64_t below = (int64_t) guess - 1, above = (int64_t) guess + 1;

		if (below >= 0 && is_small_enough(below, n2, most))
			low = below;
		if (above < high && !is_small_enough(above + 1, n2, most))
			high = above;
	}
	else if (is_small_enough(high, n2, most))
		return high;
	while (low < high)
	{
		int64_t middle = low + (high - low + 1) / 2;

		if (is_small_enough(middle, n2, most))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}
