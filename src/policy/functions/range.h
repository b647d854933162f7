/*
 * range.h
 *		Arithmetic on columns that no value can make fail.
 */
#ifndef GAUSSDP_POLICY_RANGE_H
#define GAUSSDP_POLICY_RANGE_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * Whether this function is arithmetic whose result, whatever values the columns in args have, lies within
 * its type: age::bigint * 12, least(greatest(pay, 0), 1e6) + 1.  False for a function that is no arithmetic.
 */
extern bool gaussdp_arithmetic_is_total(Oid function, List *args);

/* The range of a number, rounded outwards, whether it is verified or not; infinite where it is not known. */
extern void gaussdp_range_of_value(Node *value, double *low, double *high);

/* The ranges of a query's columns, which have been verified: what facts.h takes. */
extern List *gaussdp_ranges_of(List *targets);

/* The nearest legal form of arithmetic that is not total; NULL where there is none to name. */
extern const char *gaussdp_arithmetic_hint(Oid function);

#endif /* GAUSSDP_POLICY_RANGE_H */
