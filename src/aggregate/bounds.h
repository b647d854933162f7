/*
 * bounds.h
 *		Calls without bounds, dp_sum(x, epsilon, delta) and the like: resolved as a query is planned.
 */
#ifndef GAUSSDP_AGGREGATE_BOUNDS_H
#define GAUSSDP_AGGREGATE_BOUNDS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * Installs the planner hook that rewrites these calls.  To be called after other parts have installed
 * theirs, so that they see the query rewritten.
 */
extern void gaussdp_bounds_init(void);

/* Rewrites these calls in the query, as its planner hook does. */
extern void gaussdp_resolve_bounds(Query *query);

#endif /* GAUSSDP_AGGREGATE_BOUNDS_H */
