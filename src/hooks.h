/*
 * hooks.h
 *		Every hook of PostgreSQL that the library takes.
 */
#ifndef GAUSSDP_HOOKS_H
#define GAUSSDP_HOOKS_H

#include "postgres.h"

#include "nodes/parsenodes.h"
#include "nodes/plannodes.h"

/* Saves the predecessors and takes the hooks; called once, by _PG_init. */
extern void gaussdp_hooks_init(void);

/*
 * Plans a query with PostgreSQL's planner, this library's steps, and no other library's hook: a hook that looks at a
 * relation may count on its library's planner hook having seen the query before, and none should see a level.  A query
 * that is planned meanwhile, by a function that the planner evaluates, finds all hooks as they were.
 */
extern PlannedStmt *gaussdp_plan_alone(Query *query, const char *source, int cursor_options);

/* Plans a query with the hooks of the libraries that were loaded before this one: so Citus does. */
extern PlannedStmt *gaussdp_plan_below(Query *query, const char *source);

#endif /* GAUSSDP_HOOKS_H */
