/*
 * bounds.h
 *		Calls without bounds, dp_sum(x, epsilon, delta) and the like: resolved as a query is planned.
 */
#ifndef GAUSSDP_AGGREGATE_BOUNDS_H
#define GAUSSDP_AGGREGATE_BOUNDS_H

#include "postgres.h"

#include "nodes/parsenodes.h"

#include "declaration/declaration.h"

/*
 * Bounds of an expression, from those that are declared for its columns, or else, where the widest will do, from its type; false where
 * they are not known.  queries are the query that it stands in and those around it, innermost first.
 */
typedef bool (*gaussdp_derive_bounds_type)(Node *value, List *queries, bool widest, double *lower,
										   double *upper);

/* Rewrites these calls in the query, in place, before it is proven.  derive may be NULL. */
extern void gaussdp_resolve_bounds(Query *query, gaussdp_derive_bounds_type derive);

/* What is declared of the column that expr is, also behind views, sub-selects, WITH queries and joins; false without. */
extern bool gaussdp_declared_column(Expr *expr, List *queries, GaussdpColumn *column);

#endif /* GAUSSDP_AGGREGATE_BOUNDS_H */
