/*
 * sets.h
 *		Grouping sets, as plain groups.
 */
#ifndef GAUSSDP_POLICY_EXEC_SETS_H
#define GAUSSDP_POLICY_EXEC_SETS_H

#include "postgres.h"

#include "policy/proof/proof.h"

/*
 * Rewrites the level's query, over which the verdict is level: each row once for each grouping set, grouped by the number of
 * the set and its keys.  Before the rows are weighed; does nothing without grouping sets.
 */
extern void gaussdp_expand_sets(const GaussdpLevel *level, Query *query);

#endif /* GAUSSDP_POLICY_EXEC_SETS_H */
