/*
 * dgauss_digits.c
 *		What random words decide seldom: the sampler's lazy comparisons with digits so short that the exact fallback
 *		decides often (with the 32 bits of the library it is needed once in 2^30 comparisons), and the rejection of
 *		uniform numbers by words that are made for it.
 */
#define GDP_DGAUSS_DIGIT_BITS 6
#include "core/dgauss.c"

#include "dgauss.h"

/* 1/e = 1 - 1/1! + 1/2! - ... in fixed point, LIMBS limbs of 32 bits. */
#define LIMBS 10

static void
sum_inverse_e(uint32_t *sum)
{
	uint32_t term[LIMBS + 1] = {1}; /* the first limb counts units */
	int64_t carry;

	memset(sum, 0, LIMBS * sizeof(*sum));
	for (uint32_t k = 1; k < 100; k++)
	{
		uint64_t rest = 0;

		for (int i = 0; i <= LIMBS; i++)
		{
			rest = rest << 32 | term[i];
			term[i] = (uint32_t) (rest / k);
			rest %= k;
		}
		carry = 0;
		for (int i = LIMBS - 1; i >= 0; i--)
		{
			carry += (int64_t) sum[i] + (k % 2 ? -(int64_t) term[i + 1] : (int64_t) term[i + 1]);
			sum[i] = (uint32_t) carry;
			carry >>= 32;
		}
	}
}

/* uniform_below by this number of 64 bits for random; words are taken from the end. */
static int64_t
uniform_of(uint64_t random, uint64_t n)
{
	gdp_entropy crafted = {.left = 2, .words = {(uint32_t) random, (uint32_t) (random >> 32)}};

	return uniform_below(&crafted, n);
}

/*
 * Of 2^64 random numbers 2^64 / n, rounded down, make each result: where one more does, the first of them is rejected, and
 * no other.
 */
static void
test_rejection(uint64_t n)
{
	uint64_t quota = (uint64_t) (((uint128) 1 << 64) / n), place = 88172645463325252;
	int wrong = 0, rejected = 0, cases = 20000;

	for (int i = 0; i < cases; i++)
	{
		uint64_t result, first, after;

		place = place * 6364136223846793005u + 1442695040888963407u;
		result = i < 64 ? (uint64_t) i % n : (uint64_t) ((uint128) place * n >> 64);
		first = (uint64_t) ((((uint128) result << 64) + n - 1) / n);
		after = (uint64_t) ((((uint128) (result + 1) << 64) + n - 1) / n); /* 0 for 2^64 */
		rejected += after - first == quota + 1;
		wrong += uniform_of(first, n) != (after - first == quota + 1 ? -1 : (int64_t) result) ||
				 uniform_of(first + 1, n) != (int64_t) result ||
				 uniform_of(after - 1, n) != (int64_t) result;
	}
	ok(wrong == 0, "below %llu: %d of %d results do not have as many random numbers as others",
	   (unsigned long long) n, wrong, cases);
	ok((rejected > 0) == ((n & (n - 1)) != 0), "%d of them have one that is rejected", rejected);
}

int
main(void)
{
	static gdp_entropy entropy;
	static recorded source;
	uint32_t sum[LIMBS];
	int hits = 0, n = 1000000;

	sum_inverse_e(sum);
	ok(memcmp(sum, inverse_e, sizeof(inverse_e)) == 0, "all 256 bits of 1/e are right");

	recorded_init(&source, &entropy, 6);
	for (int i = 0; i < n; i++)
		hits += bernoulli_inverse_e(&entropy);
	ok(fabs(hits - n * exp(-1)) < 5 * sqrt(n * exp(-1) * (1 - exp(-1))), "probability 1/e");

	/* digit/64 <= R < (digit + 1)/64 around 1/3: the outcome has the conditional probability. */
	hits = 0;
	for (int i = 0; i < n; i++)
		hits += compare_exact(&entropy, 21, 1, 1, 3);
	ok(fabs(hits - n / 3.0) < 5 * sqrt(n * 2 / 9.0), "64/3 - 21 = 1/3 of the undecided interval");
	hits = 0;
	for (int i = 0; i < 1000; i++)
		hits += compare_exact(&entropy, 20, 1, 1, 3) + !compare_exact(&entropy, 22, 1, 1, 3) +
				!compare_exact(&entropy, 32, 2, 1, 1) + compare_exact(&entropy, 31, 2, 1, 1);
	ok(hits == 4000, "what the digit decides is not left to chance");
	ok(!compare_exact(&entropy, 63, 64, (uint128) 1 << 82, ((uint128) 1 << 83) - 1) &&
		   compare_exact(&entropy, 0, 64, ((uint128) 1 << 83) - 2, ((uint128) 1 << 83) - 2),
	   "the largest operands fit");

	test_rejection(2);
	test_rejection(10);
	test_rejection(2 * 37);
	test_rejection(UINT64_C(1) << 31);
	test_rejection(UINT64_C(2) * 0x7fffffff);
	test_rejection(UINT64_C(2) * ((UINT64_C(1) << 40) + 12345));
	test_rejection((UINT64_C(1) << 42) - 2);
	test_rejection(UINT64_C(3) << 40);

	test_law(&entropy, 1, n);
	test_law(&entropy, 2, n);
	test_law(&entropy, 5, n);
	test_law(&entropy, 37, n);
	return done();
}
