/*
 * nearest.h
 *		The nearest legal form of functions that are not legal on rows.
 */
#ifndef GAUSSDP_POLICY_HINTS_NEAREST_H
#define GAUSSDP_POLICY_HINTS_NEAREST_H

#include "postgres.h"

/* What to write in place of this function of PostgreSQL's, as a hint; NULL where there is nothing to name. */
extern const char *gaussdp_nearest_form(Oid function);

#endif /* GAUSSDP_POLICY_HINTS_NEAREST_H */
