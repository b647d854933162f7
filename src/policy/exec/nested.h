/*
 * nested.h
 *		Queries of a level, each in FROM of the next.
 */
#ifndef GAUSSDP_POLICY_EXEC_NESTED_H
#define GAUSSDP_POLICY_EXEC_NESTED_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* The query has the rows of another one in FROM, and nothing else. */
extern void gaussdp_read_from(Query *query, Query *below);

/* SELECT * FROM (below) */
extern Query *gaussdp_make_query_over(Query *below);

/* Adds a column that the query shows, and returns its number. */
extern AttrNumber gaussdp_add_column(Query *query, Expr *expr);

/* What a column of the query holds. */
extern Expr *gaussdp_expression_of(const Query *query, AttrNumber column);

/* The column, for the query that has this one in FROM. */
extern Expr *gaussdp_column_of(const Query *below, AttrNumber column);

/* How a column is compared: by its type's own operators. */
extern SortGroupClause *gaussdp_comparison_of(const Query *query, AttrNumber column);

/* The comparison, of this column of the query. */
extern SortGroupClause *gaussdp_compare(Query *query, AttrNumber column,
										const SortGroupClause *how);

/* Constants. */
extern Expr *gaussdp_make_int4(int32 value);
extern Expr *gaussdp_make_int8(int64 value);

/* CASE WHEN condition THEN size ELSE 0 END, of int8; CASE WHEN condition THEN value END */
extern Expr *gaussdp_make_size_if(Expr *condition, Expr *size);
extern Expr *gaussdp_make_value_if(Expr *condition, Expr *value);

#endif /* GAUSSDP_POLICY_EXEC_NESTED_H */
