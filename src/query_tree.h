/*
 * query_tree.h
 *		Parts of PostgreSQL's parse trees, as found from one another.
 *
 * Lists of queries begin with the query at hand; those around it follow, innermost first.
 */
#ifndef GAUSSDP_QUERY_TREE_H
#define GAUSSDP_QUERY_TREE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/*
 * The table whose column, *column, expr is, also behind views, sub-selects, WITH queries and joins; NULL where it is
 * none.
 */
extern RangeTblEntry *gaussdp_base_column(Expr *expr, List *queries, AttrNumber *column);

/* The WITH query that the entry, of the first of these queries, reads; or NULL. */
extern CommonTableExpr *gaussdp_cte_of(const RangeTblEntry *entry, List *queries);

/* The same as a query, and those that it stands in; NULL for a recursive one, too. */
extern Query *gaussdp_with_query(const RangeTblEntry *entry, List *queries, List **around);

#endif /* GAUSSDP_QUERY_TREE_H */
