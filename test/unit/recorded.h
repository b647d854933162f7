/*
 * recorded.h
 *		Entropy sources for tests: the same bits in every run.  No cryptographic strength.
 */
#ifndef GAUSSDP_TEST_RECORDED_H
#define GAUSSDP_TEST_RECORDED_H

#include <string.h>

#include "core/core.h"

/* A xoshiro256** generator (Blackman and Vigna 2018) that can be told to fail. */
typedef struct recorded
{
	uint64_t s[4];
	int fills;   /* how often it was asked */
	int fail_at; /* the fill that fails, counted from 1; 0 means none */
} recorded;

static inline uint64_t
recorded_next(recorded *r)
{
	uint64_t *s = r->s, t = s[1] * 5, result = (t << 7 | t >> 57) * 9;

	t = s[1] << 17;
	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = s[3] << 45 | s[3] >> 19;
	return result;
}

static inline bool
recorded_fill(void *context, void *out, size_t len)
{
	recorded *r = context;

	if (++r->fills == r->fail_at)
		return false;
	for (size_t i = 0; i < len; i += 8)
	{
		uint64_t word = recorded_next(r);

		memcpy((char *) out + i, &word, len - i < 8 ? len - i : 8);
	}
	return true;
}

static inline void
recorded_init(recorded *r, gdp_entropy *entropy, uint64_t seed)
{
	memset(r, 0, sizeof(*r));
	for (int i = 0; i < 4; i++)
	{
		/* splitmix64 */
		uint64_t z = seed += UINT64_C(0x9e3779b97f4a7c15);

		z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
		z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
		r->s[i] = z ^ z >> 31;
	}
	entropy->fill = recorded_fill;
	entropy->context = r;
	gdp_entropy_wipe(entropy);
}

#endif /* GAUSSDP_TEST_RECORDED_H */
