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
 * Bounds of an expression, from those that are declared for its columns; false where they are not known.  queries are
 * the query that it stands in and those around it, innermost first.
 */
typedef bool (*gaussdp_derive_bounds_type)(Node *value, List *queries, double *lower,
										   double *upper);

/* Rewrites these calls in the query, in place, before it is proven.  derive may be NULL. */
extern void gaussdp_resolve_bounds(Query *query, gaussdp_derive_bounds_type derive);

/*
 * The table whose column, *column, expr is, also behind views, sub-selects, WITH queries and joins; NULL where it is
 * none.  queries are the query that expr stands in and those around it, innermost first.
 */
extern RangeTblEntry *gaussdp_base_column(Expr *expr, List *queries, AttrNumber *column);

/* What is declared of the column that expr is, also behind views, sub-selects, WITH queries and joins; false without. */
extern bool gaussdp_declared_column(Expr *expr, List *queries, GaussdpColumn *column);

/* The WITH query that the entry of the first of these queries reads, queries being it and those around; or NULL. */
extern CommonTableExpr *gaussdp_cte_of(const RangeTblEntry *entry, List *queries);

/* The same as a query, and those that it stands in; NULL for a recursive one, too. */
extern Query *gaussdp_with_query(const RangeTblEntry *entry, List *queries, List **around);

#endif /* GAUSSDP_AGGREGATE_BOUNDS_H */
