/*
 * conditions.h
 *		Conditions of an execution under which no level runs, because they would tell more.
 */
#ifndef GAUSSDP_POLICY_ROOM_CONDITIONS_H
#define GAUSSDP_POLICY_ROOM_CONDITIONS_H

#include "postgres.h"

#include "policy/query/query.h"

/* Refuses (false, with the reason in v) under such a condition. */
extern bool gaussdp_verify_conditions(GaussdpVerifier *v);

/*
 * Constants and public values beside rows are at most this long: as many of them as a row can have, also in
 * letters that take three times the room, are less than the 1 GB at which PostgreSQL fails.
 */
#define GAUSSDP_MAX_VALUE_SIZE (128 * 1024)

/* Is a value, not null, of a type of that length (typlen) longer than that? */
extern bool gaussdp_is_long(Datum value, int16 typlen);

#endif /* GAUSSDP_POLICY_ROOM_CONDITIONS_H */
