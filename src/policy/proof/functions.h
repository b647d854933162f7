/*
 * functions.h
 *		Which functions may see a row of a protected table.
 *
 * A function that runs on protected rows must be total (no value makes it fail) and leakproof (it tells
 * nothing but by its result): otherwise its error, its notice or its side effect is a release that
 * nobody has paid for.  Reads the system catalog; used by the verifier alone.
 */
#ifndef GAUSSDP_POLICY_PROOF_FUNCTIONS_H
#define GAUSSDP_POLICY_PROOF_FUNCTIONS_H

#include "postgres.h"

#include "nodes/pg_list.h"

/*
 * Whether a call of this function on any values is total and leakproof.  args are its arguments as
 * parsed (a condition of the reviewed list may look at a constant among them) and collation the
 * one it would use.  A type that compares by a collation must have been given one: its absence is
 * an error at the first row, so it would show whether there is a row.
 */
extern bool gaussdp_function_is_total(Oid function, List *args, Oid collation);

/*
 * Is the collation one that has been determined, that nobody but a superuser can change, and of its library's present version?
 * None is needed where no argument is of a type that has collations.
 */
extern bool gaussdp_collation_is_settled(List *args, Oid collation);

/* The same without looking at arguments or collation: for operators that the planner writes in place of others. */
extern bool gaussdp_function_is_always_total(Oid function);

/* Whether comparing, sorting and hashing by this equality or ordering operator is total and leakproof. */
extern bool gaussdp_operator_is_total(Oid operator, Oid collation);

/* Whether values of this type become text without failing (CoerceViaIO towards text). */
extern bool gaussdp_output_is_total(Oid source, Oid target);

/*
 * Constants and public values beside rows are at most this long: as many of them as a row can have, also in
 * letters that take three times the room, are less than the 1 GB at which PostgreSQL fails.
 */
#define GAUSSDP_MAX_VALUE_SIZE (128 * 1024)

/* Is a value, not null, of a type of that length (typlen) longer than that? */
extern bool gaussdp_is_long(Datum value, int16 typlen);

#endif /* GAUSSDP_POLICY_PROOF_FUNCTIONS_H */
