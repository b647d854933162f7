/*
 * size.h
 *		How large a query over protected tables may be: so large that its proof takes a second at most.
 *
 * The proof takes time in proportion to the nodes of the query.  Where it has to look at pairs (a join's
 * relations, queries inside of queries, entries that are tried one by one) their number has a limit of
 * its own, so that what remains is in proportion to the nodes again.
 */
#ifndef GAUSSDP_POLICY_PROOF_SIZE_H
#define GAUSSDP_POLICY_PROOF_SIZE_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Nodes of a query, views included; and as many more when sub-selects and views of rows are written out. */
#define GAUSSDP_MAX_NODES 20000

/* Rows of all VALUES lists together; their constants are no nodes. */
#define GAUSSDP_MAX_VALUES 20000

/* Queries inside of queries. */
#define GAUSSDP_MAX_DEPTH 100

/* Relations in FROM of one level: learning which are matched once may take a round for each. */
#define GAUSSDP_MAX_RELATIONS 100

/* Group keys of one level: what is shown is compared with each. */
#define GAUSSDP_MAX_KEYS 100

/* Grouping sets of one level: every row is counted in each. */
#define GAUSSDP_MAX_SETS 100

/*
 * Columns of the longest row that a plan of a level may put together.  PostgreSQL stores rows of at most 1,664, and
 * fails at the first longer one that it sorts or hashes; some are left for what the weighing of people adds.
 */
#define GAUSSDP_MAX_COLUMNS 1500

/* Nodes that are copied while entries behind views are tried one by one. */
#define GAUSSDP_MAX_TRIED 10000000

/* The nodes of the query; 54001 (statement_too_complex) where it is too large to be looked at.  Interruptible. */
extern int64 gaussdp_check_size(Query *query);

/* The nodes of an expression or query, without any limit. */
extern int64 gaussdp_count_nodes(Node *node);

/* 54001 where a row of the level, or of a query in its FROM, could have more than GAUSSDP_MAX_COLUMNS. */
extern void gaussdp_check_columns(const Query *level);

/* 54001 unless count is within the limit.  what is what was counted, in the plural. */
extern void gaussdp_check_limit(int64 count, int64 limit, const char *what);

#endif /* GAUSSDP_POLICY_PROOF_SIZE_H */
