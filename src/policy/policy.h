/*
 * policy.h
 *		Grant by proof: PostgreSQL's refusal is lifted for queries that are proven private.
 *
 * The extension restricts nobody.  It raises a refusal that PostgreSQL would raise anyway, with a
 * reason and before planning, or lifts it for one execution that has been paid for.  Without the
 * library, with an error in it, on anything unknown, PostgreSQL's own check stands.
 */
#ifndef GAUSSDP_POLICY_H
#define GAUSSDP_POLICY_H

#include "postgres.h"

/* Installs the planner and executor hooks; called once, by _PG_init. */
extern void gaussdp_policy_init(void);

#endif /* GAUSSDP_POLICY_H */
