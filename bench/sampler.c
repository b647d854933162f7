/*
 * sampler.c
 *		The exact sampler of the library against a textbook form of the same algorithm, in one run.
 *
 * usage: build/native/bench/sampler [samples] [repetitions]; bench/sampler builds and runs it.
 *
 * The textbook form is Canonne, Kamath and Steinke 2020, Algorithms 1 to 3, with t = sigma as in the
 * library (t = sigma + 1 would not fit 128 bits): every number a 128-bit integer, every uniform
 * number drawn whole, byte by byte, with rejection.  Both read from a 4 kB buffer that OpenSSL fills, as in
 * the server; the textbook form does not wipe it.  Medians of paired repetitions, CPU time.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "core/core.h"

__extension__ typedef unsigned __int128 uint128;
__extension__ typedef __int128 sint128;

static int (*rand_bytes)(unsigned char *out, int len);
static unsigned char pool[4096];
static size_t pool_left;

static unsigned
next_byte(void)
{
	if (pool_left == 0)
	{
		if (rand_bytes(pool, sizeof(pool)) != 1)
			abort();
		pool_left = sizeof(pool);
	}
	return pool[--pool_left];
}

/* Uniform on 0 .. n-1: as many bits as n-1 has, again while the result is too large. */
static uint128
uniform(uint128 n)
{
	uint128 top = n - 1, mask, drawn;
	int bits = 0;

	if (top >> 64)
		bits = 128 - __builtin_clzll((uint64_t) (top >> 64));
	else if (top > 0)
		bits = 64 - __builtin_clzll((uint64_t) top);
	mask = ((uint128) 1 << bits) - 1;
	do
	{
		drawn = 0;
		for (int i = 0; i < bits; i += 8)
			drawn = drawn << 8 | next_byte();
		drawn &= mask;
	} while (drawn >= n);
	return drawn;
}

static int
bernoulli(uint128 num, uint128 den)
{
	return uniform(den) < num;
}

static int
bernoulli_exp_unit(uint128 num, uint128 den)
{
	uint128 k = 1;

	while (bernoulli(num, k * den))
		k++;
	return k & 1;
}

static int
bernoulli_exp(uint128 num, uint128 den)
{
	while (num > den)
	{
		if (!bernoulli_exp_unit(1, 1))
			return 0;
		num -= den;
	}
	return bernoulli_exp_unit(num, den);
}

static sint128
laplace(uint128 t)
{
	for (;;)
	{
		uint128 u = uniform(t), v = 0, x;
		unsigned negative;

		if (!bernoulli_exp(u, t))
			continue;
		while (bernoulli_exp(1, 1))
			v++;
		x = u + t * v;
		negative = next_byte() & 1;
		if (negative && x == 0)
			continue;
		return negative ? -(sint128) x : (sint128) x;
	}
}

static int64_t
textbook(int64_t sigma)
{
	for (;;)
	{
		sint128 y = laplace((uint128) sigma), distance = (y < 0 ? -y : y) - sigma;

		if (bernoulli_exp((uint128) (distance * distance), 2 * (uint128) sigma * (uint128) sigma))
			return (int64_t) y;
	}
}

static bool
fill(void *context, void *out, size_t len)
{
	(void) context;
	return rand_bytes(out, (int) len) == 1;
}

static double
seconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (double) now.tv_sec + 1e-9 * (double) now.tv_nsec;
}

static int
compare(const void *a, const void *b)
{
	double x = *(const double *) a, y = *(const double *) b;

	return (x > y) - (x < y);
}

static gdp_entropy entropy;

/* Nanoseconds of n draws of the library (which = 0) or of the textbook form. */
static double
measure(int which, int64_t sigma, int n)
{
	double start = seconds(), sum = 0;
	int64_t y = 0;

	for (int i = 0; i < n; i++)
	{
		if (which == 1)
			y = textbook(sigma);
		else if (gdp_dgauss_sample(&entropy, sigma, &y) != GDP_OK)
			abort();
		sum += (double) y * (double) y / ((double) sigma * (double) sigma);
	}
	if (sum < 0.9 * n || sum > 1.1 * n)
		abort(); /* not the law that was asked for */
	return (seconds() - start) / n * 1e9;
}

/* What the time of a draw tells of its size: its mean where |noise| is small and where it is large. */
static void
report_timing(int n)
{
	int64_t sigma = (INT64_C(1) << 30) + 12345, y = 0;
	double sum[2] = {0, 0};
	int drawn[2] = {0, 0};

	for (int i = 0; i < n; i++)
	{
		struct timespec before, after;
		double z, ns;
		int which;

		clock_gettime(CLOCK_MONOTONIC, &before);
		if (gdp_dgauss_sample(&entropy, sigma, &y) != GDP_OK)
			abort();
		clock_gettime(CLOCK_MONOTONIC, &after);
		z = (double) (y < 0 ? -y : y) / (double) sigma;
		ns = 1e9 * (double) (after.tv_sec - before.tv_sec) +
			 (double) (after.tv_nsec - before.tv_nsec);
		which = z < 0.3 ? 0 : z > 2 ? 1 : -1;
		if (which < 0 || ns > 1000)
			continue; /* refills of the buffer, other processes */
		sum[which] += ns;
		drawn[which]++;
	}
	printf("\nA draw below 0.3 sigma takes %.0f ns on average, one beyond 2 sigma %.0f ns (clock "
		   "included): its time depends on its size.\n",
		   sum[0] / drawn[0], sum[1] / drawn[1]);
}

int
main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 200000, repetitions = argc > 2 ? atoi(argv[2]) : 11;
	void *crypto = dlopen("libcrypto.so.3", RTLD_NOW);
	double time[2][99], ratio[99];

	if (crypto == NULL || n < 10000 || repetitions < 1 || repetitions > 99)
	{
		fprintf(stderr, "usage: sampler [samples >= 10000] [repetitions <= 99]; needs OpenSSL 3\n");
		return 2;
	}
	*(void **) &rand_bytes = dlsym(crypto, "RAND_bytes");
	entropy.fill = fill;

	printf("| sigma | textbook ns | library ns | textbook / library |\n|---|---|---|---|\n");
	for (int bits = 30; bits <= 40; bits += 10)
	{
		int64_t sigma = (INT64_C(1) << bits) + 12345;

		for (int i = 0; i < repetitions; i++)
		{
			time[0][i] = measure(0, sigma, n);
			time[1][i] = measure(1, sigma, n);
			ratio[i] = time[1][i] / time[0][i];
		}
		qsort(time[0], (size_t) repetitions, sizeof(double), compare);
		qsort(time[1], (size_t) repetitions, sizeof(double), compare);
		qsort(ratio, (size_t) repetitions, sizeof(double), compare);
		printf("| 2^%d | %.1f | %.1f | %.2f |\n", bits, time[1][repetitions / 2],
			   time[0][repetitions / 2], ratio[repetitions / 2]);
	}
	report_timing(10 * n);
	return 0;
}
