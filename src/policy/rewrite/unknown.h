/*
 * unknown.h
 *		What gaussdp.lock_down() has closed is shown as unknown, where clients read it beside much else.
 */
#ifndef GAUSSDP_POLICY_REWRITE_UNKNOWN_H
#define GAUSSDP_POLICY_REWRITE_UNKNOWN_H

#include "postgres.h"

#include "nodes/parsenodes.h"

/* Is this an entry of pg_class or the size of a relation or database? */
extern bool gaussdp_may_be_unknown(const Node *node);

/*
 * For a query that has such nodes, and a role that may not read all of pg_class: columns of it that the role may not read become what PostgreSQL shows of
 * a table that was never analyzed, and the sizes of relations and databases, where it may not execute their functions,
 * NULL.  True where something has: the plan then depends on the role.
 */
extern bool gaussdp_show_unknown(Query *query);

#endif /* GAUSSDP_POLICY_REWRITE_UNKNOWN_H */
