/*
 * arithmetic.h
 *		Stops a build whose doubles are not those of IEEE 754, each operation rounded once, to double.
 *
 * The error bounds, roundings and comparisons with NaN of the core, of gdp/ and of the aggregates are proven for these
 * alone.  No macro shows contraction to fma: a guard looks for -ffp-contract=off in each command.
 */
#ifndef GAUSSDP_CORE_ARITHMETIC_H
#define GAUSSDP_CORE_ARITHMETIC_H

#include <float.h>

#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__) ||           \
	defined(__ASSOCIATIVE_MATH__) || defined(__RECIPROCAL_MATH__)
#error "gaussdp does not compile with -ffast-math, -Ofast or other options that break IEEE 754"
#endif
#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error                                                                                             \
	"gaussdp needs doubles that are computed as doubles: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif
#if FLT_RADIX != 2 || DBL_MANT_DIG != 53 || DBL_MAX_EXP != 1024
#error "gaussdp needs IEEE 754 doubles"
#endif

#endif /* GAUSSDP_CORE_ARITHMETIC_H */
