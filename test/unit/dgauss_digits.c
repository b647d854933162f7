/*
 * dgauss_digits.c
 *		The sampler's lazy comparisons with digits so short that the exact fallback decides often;
 *		with the 32 bits of the library it is needed once in 2^30 comparisons.
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

	test_law(&entropy, 1, n);
	test_law(&entropy, 2, n);
	test_law(&entropy, 5, n);
	test_law(&entropy, 37, n);
	return done();
}
