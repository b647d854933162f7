/*
 * estimates.h
 *		A level is planned without the statistics of its rows.
 */
#ifndef GAUSSDP_POLICY_EXEC_ESTIMATES_H
#define GAUSSDP_POLICY_EXEC_ESTIMATES_H

#include "postgres.h"

#include "nodes/execnodes.h"
#include "nodes/pathnodes.h"
#include "nodes/plannodes.h"
#include "utils/selfuncs.h"

#include "policy/people/people.h"

/* A column that is different in each of these public rows; the planner would take 200 values for granted. */
typedef struct GaussdpUniqueColumn
{
	const char *rows; /* their name */
	AttrNumber column;
} GaussdpUniqueColumn;

/* What a page is taken to hold. */
#define GAUSSDP_ROWS_OF_A_PAGE 100.0

/*
 * Plans a level by itself: nothing but PostgreSQL's own planner and the steps below.  The level stays as it is.  unique
 * are of GaussdpUniqueColumn; its rows are weighed by a node of the plan, where weighing is not NULL.  May
 * several processes take part?
 */
extern PlannedStmt *gaussdp_plan_level(Query *level, const List *unique,
									   const GaussdpWeighing *weighing, const char *source,
									   bool may_be_parallel);

/* Plans what follows without statistics of rows, or with them; returns what has been so far. */
extern bool gaussdp_hide_statistics(bool hide);

/* Is a level being planned at this moment? */
extern bool gaussdp_is_planning_level(void);

/* Step of get_relation_stats_hook: true where a level is planned, and nothing of the column's values is known. */
extern bool gaussdp_hide_column_statistics(const RangeTblEntry *entry, AttrNumber column,
										   VariableStatData *statistics);

/* Step of get_relation_info_hook: where a level is planned, only the number of pages stays. */
extern void gaussdp_hide_relation_statistics(RelOptInfo *rel);

/* Of the nodes of a level that has been started: none uses statistics while it runs. */
extern bool gaussdp_hide_frequent_values(PlanState *node, void *context);

#endif /* GAUSSDP_POLICY_EXEC_ESTIMATES_H */
