/*
 * conditions.h
 *		Conditions of an execution under which no level runs, because they would tell more.
 */
#ifndef GAUSSDP_POLICY_EXEC_CONDITIONS_H
#define GAUSSDP_POLICY_EXEC_CONDITIONS_H

#include "postgres.h"

#include "policy/proof/proof.h"

/* Refuses (false, with the reason in v) under such a condition. */
extern bool gaussdp_verify_conditions(GaussdpVerifier *v);

#endif /* GAUSSDP_POLICY_EXEC_CONDITIONS_H */
