/*
 * arguments.h
 *		What the reviewed list of functions may ask of an argument.
 *
 * A constant is NULL here where the argument is none.  What a constant NULL makes of a call is NULL, which is
 * always right.
 */
#ifndef GAUSSDP_POLICY_PROOF_ARGUMENTS_H
#define GAUSSDP_POLICY_PROOF_ARGUMENTS_H

#include "postgres.h"

#include "nodes/primnodes.h"

/* The i-th argument, from 0, if it is a constant. */
extern const Const *gaussdp_constant_argument(List *args, int i);

/*
 * Is the argument a parameter, which has a value only when the query is executed?  Before planning it is taken to
 * meet its condition; the room looks at the value.
 */
extern bool gaussdp_is_parameter(List *args, int i);

extern bool gaussdp_is_deterministic(Oid collation);

/* A LIKE pattern that no text makes fail. */
extern bool gaussdp_is_like_pattern(const Const *constant, Oid collation);

/* A length that is not negative. */
extern bool gaussdp_is_length(const Const *constant);

/* A time zone; an unknown one is an error, before any row. */
extern bool gaussdp_is_zone(const Const *constant);

/* An integer other than 0. */
extern bool gaussdp_is_number_of_part(const Const *constant);

/* The most bytes of such a format. */
#define GAUSSDP_LONGEST_FORMAT 1000

/* A format of dates and times for to_char(), the same for all zones and lc_time; a wrong one is an error, before any row. */
extern bool gaussdp_is_date_format(const Const *constant);

/* A document in whose arrays there are no arrays and objects, and that is not too deep. */
extern bool gaussdp_is_flat_document(const Const *constant);

/* Has every text that is valid in the database's encoding letters in other cases, by this collation? */
extern bool gaussdp_has_case_for_all(Oid collation);

#endif /* GAUSSDP_POLICY_PROOF_ARGUMENTS_H */
