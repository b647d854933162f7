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

/* The arms of a query that is UNION ALL of queries, by their numbers in the range table; NIL for any other. */
extern List *gaussdp_arms_of_union(const Query *query);

/*
 * The columns of tables that expr is, also behind views, sub-selects, WITH queries and joins: a List of these, one but for UNION ALL, where
 * it is one of each arm; NIL where it is something else.
 */
typedef struct GaussdpBaseColumn
{
	RangeTblEntry *table;
	AttrNumber column;
} GaussdpBaseColumn;

extern List *gaussdp_base_columns(Expr *expr, List *queries);

/*
 * Likewise the table whose column, *column, expr is, and no other; NULL where it is none.
 */
extern RangeTblEntry *gaussdp_base_column(Expr *expr, List *queries, AttrNumber *column);

/* The WITH query that the entry, of the first of these queries, reads; or NULL. */
extern CommonTableExpr *gaussdp_cte_of(const RangeTblEntry *entry, List *queries);

/* The same as a query, and those that it stands in; NULL for a recursive one, too. */
extern Query *gaussdp_with_query(const RangeTblEntry *entry, List *queries, List **around);

/* What a Query may have beside its list and FROM, as bits: whoever takes some refuses all others. */
typedef enum GaussdpClause
{
	GAUSSDP_CLAUSE_COMMAND = 1 << 0, /* it is no SELECT */
	GAUSSDP_CLAUSE_CHANGE = 1 << 1,  /* a change of data, in WITH or by a command */
	GAUSSDP_CLAUSE_SET_OPERATION = 1 << 2,
	GAUSSDP_CLAUSE_WITH = 1 << 3,
	GAUSSDP_CLAUSE_GROUP = 1 << 4,
	GAUSSDP_CLAUSE_GROUPING_SETS = 1 << 5,
	GAUSSDP_CLAUSE_HAVING = 1 << 6,
	GAUSSDP_CLAUSE_AGGREGATE = 1 << 7,
	GAUSSDP_CLAUSE_WINDOW = 1 << 8,
	GAUSSDP_CLAUSE_DISTINCT = 1 << 9,
	GAUSSDP_CLAUSE_DISTINCT_ON = 1 << 10,
	GAUSSDP_CLAUSE_ORDER = 1 << 11,
	GAUSSDP_CLAUSE_LIMIT = 1 << 12,
	GAUSSDP_CLAUSE_LOCK = 1 << 13,   /* FOR UPDATE and its like */
	GAUSSDP_CLAUSE_SERIES = 1 << 14, /* a function in its list that returns a set */
	GAUSSDP_CLAUSE_SUBLINK = 1 << 15,
	GAUSSDP_CLAUSE_DEPENDENCY =
		1 << 16 /* a column that depends on a key, neither grouped nor aggregated */
} GaussdpClause;

/* Those that the query itself has. */
extern int gaussdp_clauses(const Query *query);

/* Words for the first of these clauses that one of the list has; NULL for none.  The list ends with words of NULL. */
typedef struct GaussdpClauseWords
{
	int clauses;
	const char *words;
} GaussdpClauseWords;

extern const char *gaussdp_clause_words(int clauses, const GaussdpClauseWords *list);

/* The conditions that all hold where this one does: the conjuncts of AND, and of lists, at any depth.  None for NULL. */
extern List *gaussdp_conjuncts(Node *condition);

/* The column of a query so many levels further out that the expression is, bare or with another type's name; or NULL. */
extern Var *gaussdp_bare_column(Node *expr, Index levelsup);

/* Is the condition an operator of two columns of the query itself, both bare? */
extern bool gaussdp_compares_columns(Node *condition, const Var **left, const Var **right);

/* The trees that are joined in this tree of FROM: both sides, or the list; none for a relation. */
extern List *gaussdp_joined_trees(Node *tree);

/* What they are joined by: ON or WHERE; NULL for a relation. */
extern Node *gaussdp_join_condition(Node *tree);

/* The relations of a tree of joins, as indexes in the range table. */
extern Bitmapset *gaussdp_relations_in(Node *tree);

/*
 * The tree over columns of a query below.  column_for gives the column in place of an expression that the query below computes, and NULL
 * for what is computed of such; a column or call for which it gives none is an error.
 */
typedef Node *(*GaussdpColumnFor)(Node *node, void *context);

extern Node *gaussdp_over_columns(Node *tree, GaussdpColumnFor column_for, void *context);

/*
 * Puts copies of other expressions in place of group keys, wherever the query shows these; NULL in by: that key stays.  What is inside of
 * aggregates and sub-selects stays.
 */
extern void gaussdp_replace_keys(Query *query, List *keys, List *by);

/* expr IS NOT NULL */
extern Expr *gaussdp_make_present(Expr *expr);

#endif /* GAUSSDP_QUERY_TREE_H */
