/*
 * hints.h
 *		The nearest legal form of what is refused.
 *
 * Words alone: nothing here decides what is private.  Each is the HINT of an error, or NULL where there is nothing to name.
 *
 *		functions.c		of functions of PostgreSQL's that are not legal on rows
 *		aggregates.c	of aggregates that are not private
 */
#ifndef GAUSSDP_POLICY_HINTS_H
#define GAUSSDP_POLICY_HINTS_H

#include "postgres.h"

/* What to write in place of this function. */
extern const char *gaussdp_nearest_form(Oid function);

/* What to write in place of this aggregate, whose result is of that type. */
extern const char *gaussdp_closest_aggregate(Oid aggfnoid, Oid type);

/* What to write where rows are asked for. */
extern const char *gaussdp_aggregates_hint(void);

#endif /* GAUSSDP_POLICY_HINTS_H */
