/*
 * budget.c
 *		Costs are never too little and limits never too much, by integer arithmetic.
 */
#include "core/core.h"
#include "unit.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t seed = 20260101;

static uint64_t
next_random(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 11; /* 53 bits */
}

/* Sums of 1,000 random lists of costs with sensitivity s / 2^20 and sigma g / 2^20, in long double. */
static void
lists(void)
{
	bool never_less = true;
	bool close = true;

	for (int list = 0; list < 1000; list++)
	{
		int64_t spent = 0;
		long double exact = 0.0L;
		int n = 1 + (int) (next_random() % 100);

		for (int i = 0; i < n; i++)
		{
			double s = (double) (1 + next_random() % 1000000) / 1048576.0;
			double g = (double) (1000000 + next_random() % 100000000) / 1048576.0;
			int64_t cost = 0;

			if (gdp_mu2_cost(s, g, &cost) != GDP_OK)
				never_less = false;
			spent = gdp_spent_add(spent, cost);
			exact += ((long double) s / g) * ((long double) s / g);
		}
		/* 64 bits of long double carry about 1e-17 of error over a list */
		if ((long double) spent * 0x1p-52L < exact - 1e-16L)
			never_less = false;
		if ((long double) spent * 0x1p-52L > exact + 1e-12L)
			close = false;
	}
	ok(never_less, "1,000 random lists never cost less than the exact sum");
	ok(close, "nor more than 1e-12 above it");
}

__extension__ typedef unsigned __int128 uint128;

/* A number of 192 bits. */
typedef struct wide
{
	uint128 high;
	uint64_t low;
} wide;

static wide
multiply(uint128 a, uint64_t b)
{
	uint128 low = (uint128) (uint64_t) a * b;

	return (wide){(a >> 64) * b + (low >> 64), (uint64_t) low};
}

static bool
is_less(wide a, wide b)
{
	return a.high < b.high || (a.high == b.high && a.low < b.low);
}

/*
 * 2,000,000 mu from 1 to 45, each mantissa of 53 bits: a cost is at least mu^2 in units of 2^-52, a limit at most, by less
 * than half of the last place of a double of that size, which is 512 units.
 */
static void
squares(void)
{
	int under = 0, over = 0, above = 0, below = 0;

	for (int i = 0; i < 2000000; i++)
	{
		double mu = 1 + (double) next_random() * 0x1p-53 * 44;
		int exponent;
		uint64_t mantissa = (uint64_t) (frexp(mu, &exponent) * 0x1p53);
		int shift = 2 * (53 - exponent) - 52;
		uint128 square = (uint128) mantissa * mantissa;
		int64_t exact = (int64_t) (square >> shift), cost = 0, limit = 0;
		bool has_rest = (uint128) exact << shift != square;

		if (gdp_mu2_cost(mu, 1.0, &cost) != GDP_OK || gdp_mu2_limit(mu, &limit) != GDP_OK)
			cost = limit = -1;
		under += cost < exact + has_rest;
		over += cost > exact + 512;
		above += limit > exact;
		below += limit < exact - 512;
	}
	ok(under == 0 && over == 0, "mu^2 as a cost: %d of 2,000,000 too little, %d too much", under,
	   over);
	ok(above == 0 && below == 0, "mu^2 as a limit: %d of 2,000,000 too much, %d too little", above,
	   below);
}

/* The same of quotients: units sigma^2 is at least 2^52 sensitivity^2. */
static void
quotients(void)
{
	int under = 0;

	for (int i = 0; i < 500000; i++)
	{
		uint64_t g = next_random() / 64 + 1, s = g + next_random() % (44 * g);
		int64_t cost = 0;

		if (gdp_mu2_cost((double) s, (double) g, &cost) != GDP_OK)
			cost = 0;
		under += is_less(multiply((uint128) g * g, (uint64_t) cost),
						 multiply((uint128) s * s, UINT64_C(1) << 52));
	}
	ok(under == 0, "(sensitivity / sigma)^2 as a cost: %d of 500,000 too little", under);
}

/* The double that somebody means who types so many units. */
static double
typed(int64_t units)
{
	char text[32];

	snprintf(text, sizeof(text), "%llde-18", (long long) units);
	return strtod(text, NULL);
}

/* Deltas of thresholds are the decimals that people type. */
static void
deltas(void)
{
	int64_t cost = 0;
	int64_t limit = 0;
	int exact = 0;
	int rounded = 0;
	int parts = 0;

	ok(gdp_delta_cost(5e-9, &cost) == GDP_OK && gdp_delta_limit(1e-7, &limit) == GDP_OK &&
		   20 * cost == limit,
	   "20 times 5e-9 are 1e-7");
	for (int i = 0; i < 100000; i++)
	{
		int64_t units = (int64_t) (next_random() % 1000000) + 1;

		for (uint64_t zeros = next_random() % 10; zeros > 0; zeros--)
			units *= 10;
		exact += gdp_delta_cost(typed(units), &cost) == GDP_OK && cost == units &&
				 gdp_delta_limit(typed(units), &limit) == GDP_OK && limit == units &&
				 gdp_delta_cost(gdp_delta_of(units), &cost) == GDP_OK && cost == units;
	}
	ok(exact == 100000, "decimals cost and allow what they say: %d of 100,000", exact);
	for (int i = 0; i < 100000; i++)
	{
		double delta = (double) (1 + next_random() % 1000000) * 0x1p-50;
		long double units = (long double) delta * 1e18L;

		rounded += gdp_delta_cost(delta, &cost) == GDP_OK &&
				   gdp_delta_limit(delta, &limit) == GDP_OK && (long double) cost >= units &&
				   (long double) limit <= units && cost - limit <= 1;
	}
	ok(rounded == 100000,
	   "others are rounded up as a cost and down as a limit, by less than a unit: %d", rounded);
	for (int i = 0; i < 100000; i++)
	{
		int64_t all = (int64_t) (next_random() * 100);
		int64_t mu2_limit = (int64_t) (next_random() * 1000) + 1;
		int64_t mu2 = (int64_t) (next_random() % (uint64_t) mu2_limit);
		uint128 part = (uint128) gdp_delta_part(all, mu2, mu2_limit);

		parts += part * (uint128) mu2_limit <= (uint128) all * (uint128) mu2 &&
				 (part + 1) * (uint128) mu2_limit > (uint128) all * (uint128) mu2;
	}
	ok(parts == 100000 && gdp_delta_part(7, 9, 3) == 7,
	   "a part of a delta is rounded down, and never more than all of it: %d", parts);
}

int
main(void)
{
	int64_t units = -1;
	double epsilon;
	double mu;
	double bad[] = {0.0, -1.0, -0.0, INFINITY, -INFINITY, NAN};
	bool refused = true;

	ok(gdp_mu2_cost(1.0, 2.0, &units) == GDP_OK && units == INT64_C(1) << 50, "(1/2)^2 is exact");
	ok(gdp_mu2_cost(1.0, 3.0, &units) == GDP_OK &&
		   (__extension__(__int128) units * 9 >= INT64_C(1) << 52) &&
		   (units - 2) * 9 < INT64_C(1) << 52,
	   "1/9 is rounded up");
	ok(gdp_mu2_cost(1e-300, 1e300, &units) == GDP_OK && units == 1, "the least cost is 1 unit");
	ok(gdp_mu2_cost(1e300, 1.0, &units) == GDP_OUT_OF_RANGE, "a huge cost is refused");
	ok(gdp_mu2_cost(46.0, 1.0, &units) == GDP_OUT_OF_RANGE, "mu^2 above 2^11 is refused");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++)
		if (gdp_status_code(gdp_mu2_cost(bad[i], 1.0, &units)) != GDP_BAD_SENSITIVITY ||
			gdp_status_code(gdp_mu2_cost(1.0, bad[i], &units)) != GDP_BAD_SIGMA ||
			gdp_status_code(gdp_mu2_units(bad[i], &units)) != GDP_BAD_MU ||
			gdp_status_code(gdp_mu2_limit(bad[i], &units)) != GDP_BAD_MU)
			refused = false;
	ok(refused, "0, negative, infinite and NaN are refused");
	ok(gdp_mu2_units(0x1p-60, &units) == GDP_OK && units == 1, "a fraction of a unit costs one");
	ok(gdp_mu2_limit(0x1p-30, &units) == GDP_OK && units == 0, "a limit below a unit is 0");
	ok(gdp_mu2_limit(1.5, &units) == GDP_OK && units == INT64_C(9) << 50, "1.5^2 is exact");
	ok(gdp_delta_cost(1e-300, &units) == GDP_OK && units == 1, "only delta 0 costs nothing");
	ok(gdp_delta_limit(1e-300, &units) == GDP_OK && units == 0, "a delta limit is rounded down");
	ok(gdp_status_code(gdp_delta_cost(NAN, &units)) == GDP_BAD_DELTA_OR_ZERO &&
		   gdp_status_code(gdp_delta_cost(1.0, &units)) == GDP_BAD_DELTA_OR_ZERO &&
		   gdp_status_code(gdp_delta_limit(-1e-9, &units)) == GDP_BAD_DELTA_OR_ZERO,
	   "a delta outside [0, 1) is refused");
	ok(gdp_spent_add(INT64_MAX - 1, 5) == INT64_MAX && gdp_spent_add(2, 3) == 5, "sums saturate");
	ok(gdp_mu2_mu_up(INT64_C(1) << 52) >= 1.0 && gdp_mu2_mu_down(INT64_C(1) << 52) <= 1.0 &&
		   gdp_mu2_mu_up(0) == 0.0,
	   "mu of an amount, up and down");

	/* 100 queries at (0.1, 1e-6) cost epsilon 0.863 at delta 1e-4, not 10. */
	ok(gdp_profile_mu(0.1, 1e-6, &mu) == GDP_OK && gdp_mu2_units(mu * mu, &units) == GDP_OK &&
		   gdp_profile_epsilon(gdp_mu2_mu_up(100 * units), 1e-4, &epsilon) == GDP_OK &&
		   fabs(epsilon - 0.863) < 5e-4,
	   "100 queries at (0.1, 1e-6) cost epsilon 0.863 at delta 1e-4");
	lists();
	deltas();
	squares();
	quotients();
	return done();
}
