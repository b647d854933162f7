/*
 * caps.h
 *		Settings and ways of execution under which nothing is lifted, because they would tell more.
 */
#ifndef GAUSSDP_POLICY_CAPS_H
#define GAUSSDP_POLICY_CAPS_H

#include "postgres.h"

#include "executor/execdesc.h"

#include "policy/verify.h"

/* Refuses (false, with the reason in v) under a setting or cursor option that would tell more. */
extern bool gaussdp_verify_caps(Verifier *v, int cursor_options);

/* The same for an execution that is about to start; eflags as in ExecutorStart. */
extern bool gaussdp_verify_execution(Verifier *v, const QueryDesc *query, int eflags);

#endif /* GAUSSDP_POLICY_CAPS_H */
