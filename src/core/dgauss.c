/*
 * dgauss.c
 *		Discrete Gaussian from random bits.
 *
 * Reads from nothing but an entropy source; hands integers to the aggregates.
 *
 * Theorem
 *		Canonne, Kamath and Steinke 2020, Algorithms 1 to 3, with t = sigma: draw |Y| = U + sigma V
 *		from the discrete Laplace law P(y) ~ exp(-|y|/sigma), accept it with probability
 *		exp(-(|Y| - sigma)^2 / (2 sigma^2)).  Since |y|/sigma + (|y| - sigma)^2/(2 sigma^2) =
 *		y^2/(2 sigma^2) + 1/2, what is accepted is exactly N_Z(0, sigma^2).
 *
 * The border between exact and inexact
 *		Every outcome is decided by integers.  A double appears in one place, as a filter in front of
 *		an exact comparison, with a margin of 2^20 times its error: it may decline to answer (about
 *		once in 2^30), it cannot answer wrongly.
 *
 * Invariants
 *		With sigma < 2^41 and V < GEOMETRIC_LIMIT every product below stays under 2^123.
 *		Each loop ends: a run that a working source shows with probability below 2^-200 is taken
 *		as proof that the source is broken, and then nothing is released.
 *
 * Time depends on the outcome; see docs/threat-model.md.
 */
#include "core.h"

/* Bits in a lazy comparison's first step.  The unit test takes few, so that the rest is needed. */
#ifndef GDP_DGAUSS_DIGIT_BITS
#define GDP_DGAUSS_DIGIT_BITS 32
#endif

#define RUN_LIMIT 64        /* Bernoulli(exp(-gamma)): 1/64! < 2^-295 */
#define GEOMETRIC_LIMIT 256 /* e^-256 < 2^-369 */
#define TIE_LIMIT 256       /* bits that agree with those of a given number */
#define ATTEMPT_LIMIT 1024  /* rejections, each with probability below 0.8 */

__extension__ typedef unsigned __int128 uint128;

void
gdp_entropy_wipe(gdp_entropy *entropy)
{
	volatile uint32_t *words = entropy->words; /* a plain loop could be dropped as dead */

	for (int i = 0; i < GDP_ENTROPY_WORDS; i++)
		words[i] = 0;
	entropy->left = 0;
	entropy->failed = false;
}

/* Fills the empty buffer; on failure there is one word in it, 0, and the outcome won't be used. */
static void __attribute__((noinline)) refill(gdp_entropy *entropy)
{
	if (!entropy->failed && entropy->fill(entropy->context, entropy->words, sizeof(entropy->words)))
		entropy->left = GDP_ENTROPY_WORDS;
	else
	{
		gdp_entropy_wipe(entropy);
		entropy->failed = true;
		entropy->left = 1;
	}
}

static inline uint32_t
next_word(gdp_entropy *entropy)
{
	uint32_t word;

	if (entropy->left == 0)
		refill(entropy);
	word = entropy->words[--entropy->left];
	entropy->words[entropy->left] = 0;
	return word;
}

static inline uint32_t
next_digit(gdp_entropy *entropy)
{
	return next_word(entropy) >> (32 - GDP_DGAUSS_DIGIT_BITS);
}

/* 1/e in binary, 256 bits. */
static const uint32_t inverse_e[TIE_LIMIT / 32] = {0x5e2d58d8, 0xb3bcdf1a, 0xbadec782, 0x9054f90d,
												   0xda9805aa, 0xb56c7733, 0x3024b9d0, 0xa507daed};

/* True with probability 1/e: is a random number, drawn digit by digit, less than 1/e? */
static inline bool
bernoulli_inverse_e(gdp_entropy *entropy)
{
	for (int bit = 0; bit + GDP_DGAUSS_DIGIT_BITS <= TIE_LIMIT; bit += GDP_DGAUSS_DIGIT_BITS)
	{
		int word = bit / 32, next = word + 1 < TIE_LIMIT / 32 ? word + 1 : word;
		uint64_t window = (uint64_t) inverse_e[word] << 32 | inverse_e[next];
		uint32_t digit = (uint32_t) (window << (bit % 32) >> (64 - GDP_DGAUSS_DIGIT_BITS)),
				 drawn = next_digit(entropy);

		if (drawn != digit)
			return drawn < digit;
	}
	entropy->failed = true;
	return false;
}

/*
 * Is k R < num/den, for the random number R that begins with the given digit?  Exact: with
 * R = (digit + f) 2^-DIGIT_BITS the question is whether f k den < rest, for f in [0, 1) drawn bit
 * by bit.  num <= den < 2^83, k <= 64.
 */
static bool __attribute__((noinline))
compare_exact(gdp_entropy *entropy, uint32_t digit, unsigned k, uint128 num, uint128 den)
{
	gdp_int128 unit = (gdp_int128) (k * den);
	gdp_int128 rest = (gdp_int128) (num << GDP_DGAUSS_DIGIT_BITS) - digit * unit;

	for (int drawn = 0; drawn < TIE_LIMIT; drawn++)
	{
		if (rest <= 0)
			return false;
		if (rest >= unit)
			return true;
		rest = 2 * rest - (next_word(entropy) >> 31) * unit;
	}
	entropy->failed = true;
	return false;
}

/*
 * True with probability exp(-num/den), 0 <= num <= den < 2^83: the number of successes of
 * Bernoulli(gamma/k), k = 1, 2, ..., before the first failure is even with that probability.
 * gamma is num/den to within 2^-50.
 */
static inline bool
bernoulli_exp(gdp_entropy *entropy, uint128 num, uint128 den, double gamma)
{
	uint64_t q = (uint64_t) (gamma * (double) (UINT64_C(1) << GDP_DGAUSS_DIGIT_BITS));

	for (unsigned k = 1; k <= RUN_LIMIT; k++)
	{
		uint32_t digit = next_digit(entropy);
		uint64_t scaled = (uint64_t) digit * k;
		bool success;

		if (scaled + k + 2 <= q)
			success = true;
		else if (scaled >= q + 3)
			success = false;
		else
			success = compare_exact(entropy, digit, k, num, den);
		if (!success)
			return (k & 1) == 1;
	}
	entropy->failed = true;
	return false;
}

/* Uniform on 0 .. n-1 for n < 2^63, or -1, with probability below n 2^-64, which means: again. */
static inline int64_t
uniform_below(gdp_entropy *entropy, uint64_t n)
{
	uint64_t high = next_word(entropy), low = next_word(entropy);
	uint128 product = (uint128) (high << 32 | low) * n;

	/* Lemire 2019: the low half below 2^64 mod n marks the surplus of some results. */
	if ((uint64_t) product < n && (uint64_t) product < -n % n)
		return -1;
	return (int64_t) (product >> 64);
}

/* exp(-distance^2 / (2 sigma^2)); each whole unit of the exponent is a factor 1/e of its own. */
static inline bool
accept_distance(gdp_entropy *entropy, int64_t distance, int64_t sigma, double inverse_sigma)
{
	uint128 num = (uint128) ((gdp_int128) distance * distance),
			den = (uint128) sigma * (uint64_t) sigma * 2;
	double ratio = (double) distance * inverse_sigma, gamma = 0.5 * ratio * ratio;

	if (num > den)
	{
		do
		{
			if (!bernoulli_inverse_e(entropy))
				return false;
			num -= den;
		} while (num > den);
		gamma = (double) num / (double) den;
	}
	return bernoulli_exp(entropy, num, den, gamma);
}

gdp_status
gdp_dgauss_sample(gdp_entropy *entropy, int64_t sigma_int, int64_t *noise)
{
	double inverse_sigma;

	if (!(sigma_int >= 1 && sigma_int < GDP_SIGMA_INT_LIMIT))
		return gdp_blame(GDP_BAD_SIGMA, 1);
	inverse_sigma = 1 / (double) sigma_int;

	for (int attempt = 0; attempt < ATTEMPT_LIMIT && !entropy->failed; attempt++)
	{
		int64_t drawn = uniform_below(entropy, 2 * (uint64_t) sigma_int), u = drawn >> 1, y;
		bool negative = drawn & 1;
		int v = 0;

		if (drawn < 0 ||
			!bernoulli_exp(entropy, (uint128) u, (uint128) sigma_int, (double) u * inverse_sigma))
			continue;
		while (v < GEOMETRIC_LIMIT && bernoulli_inverse_e(entropy))
			v++;
		if (v == GEOMETRIC_LIMIT)
			break;
		y = u + v * sigma_int;
		if (negative && y == 0)
			continue; /* 0 has one sign only */
		if (!accept_distance(entropy, y - sigma_int, sigma_int, inverse_sigma))
			continue;
		if (entropy->failed)
			break;
		*noise = negative ? -y : y;
		return GDP_OK;
	}
	gdp_entropy_wipe(entropy);
	return GDP_NO_ENTROPY;
}
