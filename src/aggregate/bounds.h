/*
 * bounds.h
 *		Calls without bounds, dp_sum(x, epsilon, delta) and the like: resolved as a query is planned.
 */
#ifndef GAUSSDP_AGGREGATE_BOUNDS_H
#define GAUSSDP_AGGREGATE_BOUNDS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Rewrites these calls in the query, in place: the first step of planning. */
extern void gaussdp_resolve_bounds(Query *query);

#endif /* GAUSSDP_AGGREGATE_BOUNDS_H */
