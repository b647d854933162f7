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

/*
 * Constants and parameters on rows are at most this long: as many of them as a row can have, also in
 * letters that take three times the room, are less than the 1 GB at which PostgreSQL fails.
 */
#define MAX_VALUE_SIZE (128 * 1024)

/* Is a value, not null, of a type of that length (typlen) longer than that? */
extern bool gaussdp_is_long(Datum value, int16 typlen);

#endif /* GAUSSDP_POLICY_CAPS_H */
