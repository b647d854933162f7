/*
 * plan_alone.h
 *		Planning a level, without other libraries.
 */
#ifndef GAUSSDP_POLICY_EXEC_PLAN_ALONE_H
#define GAUSSDP_POLICY_EXEC_PLAN_ALONE_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"

/*
 * Plans a query with PostgreSQL's planner, this library's steps, and no other library's hook: a hook that looks at a
 * relation may count on its library's planner hook having seen the query before, and none should see a level.  A query
 * that is planned meanwhile, by a function that the planner evaluates, finds all hooks as they were.
 */
extern PlannedStmt *gaussdp_plan_alone(Query *query, const char *source, int cursor_options);

/* Plans a query with the hooks of the libraries that were loaded before this one: so Citus does. */
extern PlannedStmt *gaussdp_plan_below(Query *query, const char *source);

/* The hooks that are there when this library is loaded: before it takes its own. */
extern void gaussdp_remember_hooks_below(void);

/* The paths that this library adds to a relation, whoever plans the query. */
extern void gaussdp_add_paths(PlannerInfo *root, RelOptInfo *rel, Index rti, RangeTblEntry *entry);

#endif /* GAUSSDP_POLICY_EXEC_PLAN_ALONE_H */
