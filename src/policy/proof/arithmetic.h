/*
 * arithmetic.h
 *		Arithmetic on columns that no value can make fail.
 */
#ifndef GAUSSDP_POLICY_PROOF_ARITHMETIC_H
#define GAUSSDP_POLICY_PROOF_ARITHMETIC_H

#include "postgres.h"

#include "nodes/pg_list.h"

#include "policy/proof/range.h"

/*
 * Whether this function is arithmetic whose result, whatever values the columns in args have, lies within
 * its type: age::bigint * 12, least(greatest(pay, 0), 1e6) + 1.  False for a function that is no arithmetic.
 */
extern bool gaussdp_arithmetic_is_total(Oid function, List *args);

/* The result of a call that is itself verified: it did not fail, so that its type bounds it too. */
extern GaussdpRange gaussdp_range_of_call(Oid function, List *args);

#endif /* GAUSSDP_POLICY_PROOF_ARITHMETIC_H */
