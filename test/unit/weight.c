/*
 * weight.c
 *		Sizes and weights against slow exact arithmetic, digit by digit, and at the limits.
 */
#include <string.h>

#include "core/core.h"
#include "core/grid.h"
#include "unit.h"

__extension__ typedef unsigned __int128 uint128;

/* ---------------------------------------------------------------------------
 * Numbers of any length, in bits, multiplied by adding: slow, and like nothing in the core
 * ---------------------------------------------------------------------------
 */
#define BITS 512

typedef struct number
{
	unsigned char bit[BITS];
} number;

static number
number_of(uint128 x)
{
	number n = {{0}};

	for (int i = 0; i < 128; i++)
		n.bit[i] = (unsigned char) (x >> i & 1);
	return n;
}

static int64_t
size_of_number(int64_t point, int64_t bound)
{
	return gdp_size_of_vector((gdp_int128) point * point, bound);
}

static void
add_shifted(number *to, const number *n, int shift)
{
	int carry = 0;

	for (int i = shift; i < BITS; i++)
	{
		int sum = to->bit[i] + n->bit[i - shift] + carry;

		to->bit[i] = (unsigned char) (sum & 1);
		carry = sum >> 1;
	}
}

static number
times(number a, number b)
{
	number n = {{0}};

	for (int i = 0; i < BITS / 2; i++)
		if (b.bit[i])
			add_shifted(&n, &a, i);
	return n;
}

static int
compare(number a, number b)
{
	for (int i = BITS - 1; i >= 0; i--)
		if (a.bit[i] != b.bit[i])
			return a.bit[i] - b.bit[i];
	return 0;
}

static uint64_t seed = 42;

static uint64_t
random_bits(int bits)
{
	seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return bits == 0 ? 0 : (seed ^ seed >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> (64 - bits);
}

/* ---------------------------------------------------------------------------
 * Weights
 * ---------------------------------------------------------------------------
 */

/* m^2 n2 <= 2^62 k^2 */
static bool
weight_fits(int64_t m, gdp_int128 n2, int64_t k)
{
	number m_square = times(number_of((uint128) m), number_of((uint128) m));
	number k_square = times(number_of((uint128) k), number_of((uint128) k));

	return compare(times(m_square, number_of((uint128) n2)),
				   times(k_square, number_of((uint128) 1 << 62))) <= 0;
}

/* Is it the greatest that fits? */
static bool
weight_is_right(gdp_int128 n2, int64_t k)
{
	int64_t m = gdp_person_weight(n2, k);

	return m >= 0 && m <= GDP_WEIGHT_ROW && weight_fits(m, n2, k) &&
		   (m == GDP_WEIGHT_ROW || !weight_fits(m + 1, n2, k));
}

static void
test_weights(void)
{
	int wrong = 0, cases = 0;

	for (int i = 0; i < 3000; i++)
	{
		int bits = (int) random_bits(6) + (int) random_bits(6);
		uint128 random = (uint128) random_bits(64) << 64 | random_bits(64);
		gdp_int128 n2;
		int64_t k = (int64_t) random_bits(1 + (int) random_bits(6) % 53) + 1;

		n2 = (gdp_int128) (random >> (bits > 100 ? 28 : 127 - bits));
		if (n2 == 0 || n2 > GDP_SQUARES_MAX)
			continue;
		cases++;
		wrong += !weight_is_right(n2, k);
	}
	ok(wrong == 0 && cases > 2000, "the greatest weight that fits: %d of %d are not", wrong, cases);

	/* Squares of whole numbers of rows in one group: the weight is a quotient, or all of it. */
	wrong = 0;
	for (int64_t rows = 1; rows <= 2000; rows++)
		for (int64_t k = 1; k <= 5; k++)
		{
			int64_t size = rows * GDP_SIZE_ROW,
					exact = k >= rows ? GDP_WEIGHT_ROW : k * GDP_WEIGHT_ROW / rows;

			wrong += gdp_person_weight((gdp_int128) size * size, k * GDP_SIZE_ROW) != exact;
		}
	ok(wrong == 0, "k of n rows in one group weigh k/n: %d do not", wrong);
}

/*
 * At the boundary: of n2 = 2^62 k^2 / m^2 rounded up, m - 1 is the greatest weight that fits, and of the same rounded down m
 * is, while a double takes both for m.  With k = 2^20 everything has 128 bits.
 */
static void
test_boundary(void)
{
	const uint128 most = (uint128) 1 << 102;
	int above = 0, below = 0, cases = 0;

	for (int64_t m = (INT64_C(1) << 19) + 1; m < INT64_C(1) << 24; m += 490)
	{
		uint128 square = (uint128) (m * m), n2 = most / square;

		cases++;
		below += gdp_person_weight((gdp_int128) n2, GDP_SIZE_ROW) != m;
		above += gdp_person_weight((gdp_int128) n2 + 1, GDP_SIZE_ROW) != m - 1;
	}
	ok(above == 0 && cases > 32000, "just above what fits: %d of %d weights are not one less",
	   above, cases);
	ok(below == 0, "just below: %d of %d are not the greatest", below, cases);
}

static void
test_limits(void)
{
	const int64_t most_k = INT64_C(1) << 52;
	gdp_int128 n2 = 0;

	/* 2^31 rows of one person: in one group, and each in its own. */
	ok(gdp_squares_add(0, GDP_SIZE_ROW, INT64_C(1) << 51) == (gdp_int128) 1 << 71,
	   "a row among 2^31 in its group adds 2^71");
	ok(gdp_person_weight(GDP_SQUARES_MAX, GDP_SIZE_ROW) == 1 &&
		   gdp_person_weight(GDP_SQUARES_MAX, 7 * GDP_SIZE_ROW) == 7,
	   "2^31 rows in one group weigh k/2^31 each");
	ok(gdp_person_weight(GDP_SQUARES_MAX, GDP_SIZE_ROW - 1) == 0, "and nothing for less than one");
	ok(gdp_person_weight((gdp_int128) 1 << 71, GDP_SIZE_ROW) == 46340,
	   "2^31 rows in as many groups weigh 1/sqrt(2^31) each");
	ok(gdp_person_weight(GDP_SQUARES_MAX + 1, most_k) == 0, "more than that weighs nothing");
	ok(gdp_person_weight(GDP_SQUARES_MAX, most_k) == GDP_WEIGHT_ROW,
	   "k = 2^32 lets 2^31 rows count in full");
	ok(gdp_person_weight(GDP_SQUARES_MAX, (INT64_C(1) << 51) - 1) == GDP_WEIGHT_ROW - 1,
	   "and one unit less than 2^31 does not");
	ok(gdp_person_weight(0, most_k) == 0 && gdp_person_weight(1, 0) == 0 &&
		   gdp_person_weight(1, -1) == 0 && gdp_person_weight(1, INT64_MAX) == GDP_WEIGHT_ROW &&
		   gdp_person_weight(GDP_SQUARES_MAX, 1) == 0 && gdp_person_weight(1, 1) == GDP_WEIGHT_ROW,
	   "what is nothing and what is everything");

	for (int i = 0; i < 5; i++)
		n2 = gdp_squares_add(n2, INT64_MAX, INT64_MAX);
	ok(n2 == GDP_SQUARES_MAX + 1, "squares saturate just above the limit");
	ok(gdp_squares_add(GDP_SQUARES_MAX - 6, 2, 3) == GDP_SQUARES_MAX &&
		   gdp_squares_add(GDP_SQUARES_MAX - 5, 2, 3) == GDP_SQUARES_MAX + 1,
	   "and not before");
	ok(gdp_size_add(INT64_MAX - 1, 1) == INT64_MAX && gdp_size_add(INT64_MAX, 1) == INT64_MAX &&
		   gdp_size_add(INT64_MAX, INT64_MAX) == INT64_MAX && gdp_size_add(3, 4) == 7,
	   "sums of sizes saturate");
}

/* ---------------------------------------------------------------------------
 * Sizes
 * ---------------------------------------------------------------------------
 */

/* s^2 bound^2 >= 2^40 square */
static bool
size_covers(int64_t s, gdp_int128 square, int64_t bound)
{
	number s_square = times(number_of((uint128) s), number_of((uint128) s));
	number bound_square = times(number_of((uint128) bound), number_of((uint128) bound));

	return compare(times(s_square, bound_square),
				   times(number_of((uint128) square), number_of((uint128) 1 << 40))) >= 0;
}

static void
test_sizes(void)
{
	int wrong = 0, differ = 0;

	for (int i = 0; i < 3000; i++)
	{
		int64_t bound = (int64_t) random_bits(1 + (int) random_bits(6) % 51) + 1;
		int64_t point = (int64_t) (random_bits(62) % (uint64_t) (bound + 1));
		gdp_int128 square = (gdp_int128) ((((uint128) random_bits(64) << 64) | random_bits(64)) %
										  ((uint128) bound * (uint128) bound + 1));
		int64_t s = gdp_size_of_vector(square, bound);

		wrong += s > GDP_SIZE_ROW || !size_covers(s, square, bound) ||
				 (s > 0 && size_covers(s - 1, square, bound));
		s = size_of_number(point, bound);
		differ += gdp_size_of_sum(point, bound) != s || gdp_size_of_sum(-point, bound) != s;
	}
	ok(wrong == 0, "the least size that covers a vector: %d are not", wrong);
	ok(differ == 0, "a number is a vector of one dimension: %d differ", differ);
	ok(size_of_number(0, 5) == 0 &&
		   size_of_number(GDP_GRID_POINT_MAX, GDP_GRID_POINT_MAX) == GDP_SIZE_ROW &&
		   size_of_number(1, GDP_GRID_POINT_MAX) == 1 && size_of_number(-5, 5) == GDP_SIZE_ROW,
	   "nothing, everything, and what is hardly anything");
}

/* ---------------------------------------------------------------------------
 * Contributions
 * ---------------------------------------------------------------------------
 */

static void
test_contributions(void)
{
	gdp_int128 large = (gdp_int128) 1 << 62;
	int wrong = 0;

	for (int i = 0; i < 100000; i++)
	{
		int64_t c = (int64_t) random_bits(1 + (int) random_bits(6) % 51),
				m = (int64_t) random_bits(31) + (int64_t) random_bits(1);
		gdp_int128 part = gdp_weigh(c, m), rest = (gdp_int128) c * m - part * GDP_WEIGHT_ROW;

		wrong += rest < 0 || rest >= GDP_WEIGHT_ROW || gdp_weigh(-c, m) != -part ||
				 gdp_weigh(c, GDP_WEIGHT_ROW) != c || gdp_weigh(c, 0) != 0;
	}
	ok(wrong == 0, "contributions are rounded toward zero: %d are not", wrong);
	ok(gdp_weigh(-1, GDP_WEIGHT_ROW - 1) == 0 && gdp_weigh(-GDP_GRID_POINT_MAX, 1) == -(1 << 20) &&
		   gdp_weigh(large, GDP_WEIGHT_ROW) == large && gdp_weigh(-large, GDP_WEIGHT_ROW) == -large,
	   "from one step to 2^62");
	wrong = 0;
	for (int exponent = -70; exponent <= 10; exponent++)
		for (int i = 0; i < 1000; i++)
		{
			int64_t m = i == 0 ? GDP_WEIGHT_ROW : (int64_t) random_bits(31);

			wrong += gdp_weigh_one(exponent, m) != gdp_weigh(gdp_grid_total(1, exponent), m);
		}
	ok(wrong == 0, "one row on any grid by shifts: %d are another", wrong);
}

/*
 * People with random rows in random groups, numbers and vectors: what they add to all groups together is within
 * k times the bound.
 */
static void
test_people(void)
{
	int wrong = 0, counted = 0;

	for (int person = 0; person < 2000; person++)
	{
		int64_t bound = (int64_t) random_bits(10 + (int) random_bits(4)) + 1, sizes[64],
				sums[8] = {0};
		int64_t k = ((int64_t) random_bits(2) + 1) * GDP_SIZE_ROW;
		int nrows = 1 + (int) random_bits(6), ngroups = 1 + (int) random_bits(3), group[64];
		int64_t point[64], m;
		gdp_int128 n2 = 0, total[8] = {0}, moved = 0;

		for (int i = 0; i < nrows; i++)
		{
			bool extreme = random_bits(1) != 0;

			group[i] = (int) random_bits(3) % ngroups;
			point[i] = extreme ? bound : (int64_t) (random_bits(40) % (uint64_t) (bound + 1));
			if (random_bits(1 + (int) random_bits(1)) == 0)
				point[i] = -point[i];
			sizes[i] = size_of_number(point[i], bound);
			sums[group[i]] = gdp_size_add(sums[group[i]], sizes[i]);
		}
		for (int i = 0; i < nrows; i++)
			n2 = gdp_squares_add(n2, sizes[i], sums[group[i]]);
		m = gdp_person_weight(n2, k);
		for (int i = 0; i < nrows; i++)
			total[group[i]] += gdp_weigh(point[i], m);
		for (int g = 0; g < ngroups; g++)
			moved += total[g] * total[g];
		counted += moved > 0;
		wrong += moved * GDP_SIZE_ROW * GDP_SIZE_ROW > (gdp_int128) (bound * k) * (bound * k);
	}
	ok(wrong == 0 && counted > 1500, "no person moves all groups by more than k: %d of %d do",
	   wrong, counted);
}

/* ---------------------------------------------------------------------------
 * What is clipped as a whole
 * ---------------------------------------------------------------------------
 */

static void
test_sizes_of_sums(void)
{
	int wrong = 0;

	for (int i = 0; i < 4000; i++)
	{
		int64_t bound = (int64_t) random_bits(1 + (int) random_bits(6) % 62) + 1;
		gdp_int128 sum =
			(gdp_int128) ((uint128) random_bits(64) << 31 >> random_bits(6) | random_bits(20));
		int64_t size = gdp_size_of_sum(random_bits(1) ? -sum : sum, bound);
		number wanted = times(number_of((uint128) sum), number_of((uint128) GDP_SIZE_ROW));

		/* the least whole number with size * bound >= 2^20 |sum|, or the largest there is */
		if (size < INT64_MAX)
			wrong +=
				compare(times(number_of((uint128) size), number_of((uint128) bound)), wanted) < 0;
		wrong +=
			size > 0 && compare(times(number_of((uint128) (size - 1)), number_of((uint128) bound)),
								wanted) >= 0;
	}
	ok(wrong == 0, "the size of a sum is rounded up, and no larger: %d are not", wrong);
	ok(gdp_size_of_sum(0, 1) == 0 && gdp_size_of_sum(-1, INT64_MAX) == 1 &&
		   gdp_size_of_sum(-((gdp_int128) 1 << 126) * 2, 1) == INT64_MAX &&
		   gdp_size_of_sum((gdp_int128) ((uint128) -1 >> 1), 1) == INT64_MAX,
	   "from none to the largest");
}

/* Kinds of calls: averages, variances, and, for comparison, one number. */
static const struct
{
	int n;
	int quarters[3];
} joint_kinds[] = {{2, {3, 1}}, {3, {1, 1, 2}}, {1, {4}}};

#define MOST_GROUPS 30

/* A person: what their rows in each group add up to, of rows within bounds[i] in coordinate i. */
typedef struct person
{
	int ngroups;
	int kind;
	int64_t bounds[3];
	gdp_int128 own[MOST_GROUPS][3];
} person;

/* Signed, all at the bounds, cancelling one another, or hardly anything. */
static int64_t
random_point(int style, int64_t bound, int row)
{
	switch (style)
	{
		case 0:
			return (int64_t) (random_bits(62) % (uint64_t) (2 * (bound / 2) + 1)) - bound / 2;
		case 1:
			return bound;
		case 2:
			return row % 2 == 0 ? bound : -bound;
		default:
			return (int64_t) random_bits(1) - (int64_t) random_bits(1);
	}
}

static void
make_person(person *p)
{
	static const int64_t bounds[] = {
		1, 2, 3, 1023, INT64_C(1) << 28, (INT64_C(1) << 30) + 12345, GDP_GRID_POINT_MAX};
	int style = (int) random_bits(2);
	int nrows = (int) random_bits(1 + (int) random_bits(3));

	memset(p, 0, sizeof(*p));
	p->ngroups = 1 + (int) random_bits(5) % MOST_GROUPS;
	p->kind = (int) (random_bits(8) % 3);
	for (int i = 0; i < joint_kinds[p->kind].n; i++)
		p->bounds[i] = bounds[random_bits(8) % 7];
	for (int row = 0; row < nrows; row++)
		for (int i = 0, g = (int) (random_bits(8) % (uint64_t) p->ngroups);
			 i < joint_kinds[p->kind].n; i++)
			p->own[g][i] += random_point(style, p->bounds[i], row);
	/* many rows, all alike */
	for (int g = 0; g < p->ngroups && random_bits(2) == 0; g++)
		for (int i = 0; i < joint_kinds[p->kind].n; i++)
			p->own[g][i] *= (gdp_int128) 1 << random_bits(4);
}

static int64_t
weight_of(const person *p, int64_t k)
{
	gdp_int128 squares = 0;

	for (int g = 0; g < p->ngroups; g++)
	{
		int64_t sizes[3];

		for (int i = 0; i < joint_kinds[p->kind].n; i++)
			sizes[i] = gdp_size_of_sum(p->own[g][i], p->bounds[i]);
		squares = gdp_squares_add_joint(squares, joint_kinds[p->kind].n, sizes,
										joint_kinds[p->kind].quarters);
	}
	return gdp_person_weight(squares, k);
}

/* 2^40 sum of q_i (part_i P / D_i)^2 beside 4 k^2 P^2, P being the product of all D_i, in numbers of any length. */
static int
beyond(const person *p, int64_t m, int64_t k)
{
	number moved = {{0}};
	number allowed = times(number_of((uint128) k), number_of((uint128) k));

	for (int i = 0; i < joint_kinds[p->kind].n; i++)
	{
		number others = number_of(1);
		number square = {{0}};

		for (int j = 0; j < joint_kinds[p->kind].n; j++)
			if (j != i)
				others = times(others, number_of((uint128) p->bounds[j]));
		others = times(others, others);
		for (int g = 0; g < p->ngroups; g++)
		{
			gdp_int128 part = gdp_weigh(p->own[g][i], m);
			number part_number = number_of((uint128) (part < 0 ? -part : part));

			part_number = times(part_number, part_number);
			add_shifted(&square, &part_number, 0);
		}
		square =
			times(times(others, square), number_of((uint128) joint_kinds[p->kind].quarters[i]));
		add_shifted(&moved, &square, 40);
		allowed = times(
			allowed, times(number_of((uint128) p->bounds[i]), number_of((uint128) p->bounds[i])));
	}
	return compare(moved, times(allowed, number_of(4)));
}

/* Adding or removing a person moves the release by no more than k rows do: all coordinates in all groups together, in units of the noise. */
static void
test_joint(void)
{
	static const int64_t most[] = {1,
								   GDP_SIZE_ROW / 2,
								   GDP_SIZE_ROW,
								   1482910,
								   3 * GDP_SIZE_ROW,
								   8 * GDP_SIZE_ROW,
								   1000 * GDP_SIZE_ROW};
	int wrong = 0, clipped = 0, tight = 0;
	person p;

	for (int i = 0; i < 1500; i++)
	{
		int64_t k = most[random_bits(8) % 7];
		int64_t m;

		make_person(&p);
		m = weight_of(&p, k);
		wrong += beyond(&p, m, k) > 0;
		clipped += m > 0 && m < GDP_WEIGHT_ROW;
		/* a part larger by a thousandth would be too much */
		tight += m > 0 && m < GDP_WEIGHT_ROW && beyond(&p, m + m / 1000 + 1, k) > 0;
	}
	ok(wrong == 0, "no person moves all groups and coordinates by more than k rows: %d of 1500 do",
	   wrong);
	ok(clipped > 300 && tight > 150,
	   "%d are clipped, %d of them by less than a thousandth more than they must be", clipped,
	   tight);
}

/* What has no norm weighs in full: rows that cancel one another; and what is too large has no weight. */
static void
test_joint_limits(void)
{
	static const int one[] = {4};
	int64_t sizes[1] = {0};

	ok(gdp_squares_add_joint(5, 1, sizes, one) == 5, "nothing has no norm");
	sizes[0] = 1;
	ok(gdp_squares_add_joint(0, 1, sizes, (int[]){1}) == 1, "a quarter of a square is rounded up");
	sizes[0] = INT64_C(1) << 51;
	ok(gdp_squares_add_joint(0, 1, sizes, one) == GDP_SQUARES_MAX &&
		   gdp_squares_add_joint(1, 1, sizes, one) == GDP_SQUARES_MAX + 1 &&
		   gdp_squares_add_joint(GDP_SQUARES_MAX + 1, 1, sizes, one) == GDP_SQUARES_MAX + 1,
	   "2^31 rows are the most");
	sizes[0] = INT64_MAX;
	ok(gdp_squares_add_joint(0, 1, sizes, one) == GDP_SQUARES_MAX + 1 &&
		   gdp_person_weight(GDP_SQUARES_MAX + 1, INT64_C(1) << 52) == 0,
	   "more weighs nothing");
}

/*
 * Numbers of one person that a release adds up before noise, as a quantile's leaves and the bins of dp_cdf, are no coordinates of a norm: one
 * row in each of 1,024 has the norm 32 and moves them by 1,024 rows.
 */
static void
test_cumulative(void)
{
	static const int one[] = {4};
	int64_t sizes[1] = {GDP_SIZE_ROW};
	gdp_int128 by_leaf = 0, by_rows;
	int64_t leaf_weight, row_weight;

	for (int leaf = 0; leaf < 1024; leaf++)
		by_leaf = gdp_squares_add_joint(by_leaf, 1, sizes, one);
	by_rows = gdp_squares_add(0, 1024 * GDP_SIZE_ROW, 1024 * GDP_SIZE_ROW);
	leaf_weight = gdp_person_weight(by_leaf, GDP_SIZE_ROW);
	row_weight = gdp_person_weight(by_rows, GDP_SIZE_ROW);
	ok(leaf_weight == 32 * row_weight && 1024 * row_weight <= GDP_WEIGHT_ROW,
	   "rows in 1,024 leaves move a quantile by one row where rows are weighed, and by 32 where leaves were");
}

int
main(void)
{
	test_weights();
	test_boundary();
	test_limits();
	test_sizes();
	test_contributions();
	test_people();
	test_sizes_of_sums();
	test_joint();
	test_joint_limits();
	test_cumulative();
	return done();
}
