/*
 * range.h
 *		The range of a number that an expression computes.
 *
 * Ranges are doubles, rounded outwards at each step.  They come from types, constants and what is done to the operands; what is
 * not known has the range of its type.
 */
#ifndef GAUSSDP_POLICY_PROOF_RANGE_H
#define GAUSSDP_POLICY_PROOF_RANGE_H

#include "postgres.h"

#include "nodes/pg_list.h"
#include "nodes/primnodes.h"

/* What an expression may be: a number from low to high, NULL, and where special is set NaN or an infinity. */
typedef struct GaussdpRange
{
	double low;
	double high;
	bool special;
} GaussdpRange;

/* The range of an expression, whether it is verified or not; infinite where it is not known. */
extern GaussdpRange gaussdp_range_of(Node *node);

/* The same outside of a verification (facts.h), where nothing is known of columns. */
extern GaussdpRange gaussdp_range_alone(Node *node);

/* The ranges of a query's columns, which have been verified: what facts.h takes. */
extern List *gaussdp_ranges_of(List *targets);

/* All finite values of a type; infinite for a type that has no ends, or is no number. */
extern GaussdpRange gaussdp_range_of_type(Oid type);

/* A step of exact arithmetic, computed in doubles: its ends, to the outside. */
extern GaussdpRange gaussdp_outwards(double low, double high, bool special);

/* The smallest range that holds both. */
extern GaussdpRange gaussdp_enclose(GaussdpRange a, GaussdpRange b);

/* numeric(precision, scale): what a column of that type can hold; false for any other. */
extern bool gaussdp_numeric_typmod(const Var *var, int *precision, int *scale);

#endif /* GAUSSDP_POLICY_PROOF_RANGE_H */
