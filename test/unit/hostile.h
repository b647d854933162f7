/*
 * hostile.h
 *		Runs a function of the core on every combination of hostile doubles.
 *
 * HOSTILE_n(function, least, most) calls a function of n doubles and a pointer to its result with
 * each n-tuple of hostile_values, one test for all.  Each call must either fail with a status that has
 * a range in words, and leave the result alone, or give a number from least to most: no NaN, no hang.
 * NaN in place of one argument of a call that succeeds must be blamed on that argument.
 */
#ifndef GAUSSDP_TEST_HOSTILE_H
#define GAUSSDP_TEST_HOSTILE_H

#include <float.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "gdp/gdp.h"

/* The most telling ones first: functions of four numbers get only those. */
static const double hostile_values[] = {
	0,
	0x1p-1074,
	1e-300,
	1e-9,
	0.25,
	0x1.fffffffffffffp-1,
	1,
	3,
	30,
	745.5,
	1e9,
	DBL_MAX,
	HUGE_VAL,
	NAN,
	-1,
	-0.0,
	DBL_MIN,
	1e-160,
	1e-17,
	1e-3,
	0.5,
	0.9,
	0x1.0000000000001p0,
	2,
	700,
	1e4,
	1e16,
	1e155,
	1e300,
	-HUGE_VAL,
	-1e-300,
	-DBL_MAX,
};

#define HOSTILE_FEW 15
#define HOSTILE_VALUES ((int) (sizeof(hostile_values) / sizeof(hostile_values[0])))

static inline bool
hostile_is_fine(gdp_status status, double result, double least, double most)
{
	if (status == GDP_OK)
		return result >= least && result <= most;
	return gdp_status_code(status) > 0 && gdp_status_code(status) < GDP_NO_ENTROPY &&
		   strlen(gdp_status_range(status)) > 5;
}

#define HOSTILE(function, n, values, call, least, most)                                            \
	do                                                                                             \
	{                                                                                              \
		double v[4] = {0}, r;                                                                      \
		long bad = 0, calls = 1, good = 0;                                                         \
                                                                                                   \
		for (int i = 0; i < (n); i++)                                                              \
			calls *= (values);                                                                     \
		for (long c = 0; c < calls; c++)                                                           \
		{                                                                                          \
			long rest = c;                                                                         \
			gdp_status status;                                                                     \
                                                                                                   \
			for (int i = 0; i < (n); i++, rest /= (values))                                        \
				v[i] = hostile_values[rest % (values)];                                            \
			r = NAN;                                                                               \
			status = call;                                                                         \
			good += status == GDP_OK;                                                              \
			if (!hostile_is_fine(status, r, least, most) && bad++ < 3)                             \
				printf("# %s(%.17g, %.17g, %.17g, %.17g): status %d, %.17g\n", #function, v[0],    \
					   v[1], v[2], v[3], (int) status, r);                                         \
		}                                                                                          \
		ok(bad == 0 && good > 0, "%s: %ld hostile calls, %ld answered", #function, calls, good);   \
	} while (0)

/* NaN in place of one argument of a legal call is blamed on that argument. */
#define HOSTILE_BLAME(function, n, call)                                                           \
	do                                                                                             \
	{                                                                                              \
		double v[4] = {0}, r;                                                                      \
		long wrong = 0, calls = 1, blamed = 0;                                                     \
                                                                                                   \
		for (int i = 0; i < (n); i++)                                                              \
			calls *= HOSTILE_FEW;                                                                  \
		for (long c = 0; c < calls; c++)                                                           \
		{                                                                                          \
			long rest = c;                                                                         \
                                                                                                   \
			for (int i = 0; i < (n); i++, rest /= HOSTILE_FEW)                                     \
				v[i] = hostile_values[rest % HOSTILE_FEW];                                         \
			if ((call) != GDP_OK)                                                                  \
				continue;                                                                          \
			for (int j = 0; j < (n); j++)                                                          \
			{                                                                                      \
				double legal = v[j];                                                               \
				gdp_status status;                                                                 \
                                                                                                   \
				v[j] = NAN;                                                                        \
				status = call;                                                                     \
				v[j] = legal;                                                                      \
				wrong += gdp_status_argument(status) != j + 1;                                     \
				blamed++;                                                                          \
			}                                                                                      \
		}                                                                                          \
		ok(wrong == 0 && blamed > 0, "%s: %ld of %ld NaNs blamed on another argument", #function,  \
		   wrong, blamed);                                                                         \
	} while (0)

#define HOSTILE_OF(f, n, values, call, least, most)                                                \
	do                                                                                             \
	{                                                                                              \
		HOSTILE(f, n, values, call, least, most);                                                  \
		HOSTILE_BLAME(f, n, call);                                                                 \
	} while (0)

#define HOSTILE_1(f, least, most) HOSTILE_OF(f, 1, HOSTILE_VALUES, f(v[0], &r), least, most)
#define HOSTILE_2(f, least, most) HOSTILE_OF(f, 2, HOSTILE_VALUES, f(v[0], v[1], &r), least, most)
#define HOSTILE_3(f, least, most)                                                                  \
	HOSTILE_OF(f, 3, HOSTILE_VALUES, f(v[0], v[1], v[2], &r), least, most)
#define HOSTILE_4(f, least, most)                                                                  \
	HOSTILE_OF(f, 4, HOSTILE_FEW, f(v[0], v[1], v[2], v[3], &r), least, most)

#endif /* GAUSSDP_TEST_HOSTILE_H */
