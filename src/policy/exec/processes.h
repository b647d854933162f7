/*
 * processes.h
 *		Processes of a level's parallel plan.
 */
#ifndef GAUSSDP_POLICY_EXEC_PROCESSES_H
#define GAUSSDP_POLICY_EXEC_PROCESSES_H

#include "postgres.h"

#include "executor/execdesc.h"

/* Lets processes that run a part of the plan know that it is a level's. */
extern void gaussdp_mark_plan(PlannedStmt *plan);

/*
 * Of a query that is started, whose processes will be: none of them reads a row, nor does this one, before all are ready; until then
 * is_starting is true.
 */
extern void gaussdp_start_together(const QueryDesc *query, bool *is_starting);

/* Steps of ExecutorStart_hook, before and after it: such a process locks and looks up what it may need, and waits for the others. */
extern void gaussdp_begin_process(const QueryDesc *query);
extern void gaussdp_prepare_process(const QueryDesc *query);

#endif /* GAUSSDP_POLICY_EXEC_PROCESSES_H */
